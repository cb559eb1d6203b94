/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The JFR room: recordings of JDK Flight Recorder, async-profiler and their
 * kin.  A recording is chunks back to back; a chunk has its own metadata,
 * constant pools and clock, and is read by itself:
 *
 *	jfr.c	   the source: finds chunks, gives their samples out
 *	ahead.c	   several chunks at once
 *	share.c	   the stacks of one, by several threads
 *	chunk.c	   one chunk of format 1.x or 2.x: header, then all of below
 *	meta.c	   the metadata event: classes and their fields
 *	plan.c	   a class as a list of steps that reading and skipping share
 *	pool.c	   checkpoint events: where each constant lies
 *	beside.c   these while events are read
 *	text.c	   constants as text: strings, symbols, methods, threads
 *	stack.c	   stack traces as stacks
 *	known.c	   those that an earlier chunk had as well
 *	spare.c	   tables that go from chunk to chunk
 *	rows.c	   which events mean what
 *	ask.c	   which of them are asked for
 *	field.c	   the fields of an event that are wanted
 *	event.c	   the events, counted by stack
 *	framing.c  which of them are whole, where some are damaged
 *	quick.c	   those with nothing but a stack and a state
 *	emit.c	   what was counted, as samples; leaks; grain
 *	timing.c   jdk.MethodTiming
 *	span.c	   --latency and --tag
 *	info.c	   what a recording says of itself
 *	v0.c ...   format 0.9, see v0.h
 *
 * Everything is found by name in the chunk's own metadata, never by
 * position.  Sources for the format: HotSpot, jdk.jfr, JMC, async-profiler.
 */
#ifndef FL_JFR_H
#define FL_JFR_H

#include "flow/flow.h"
#include "format/jfr/wire.h"

#include <pthread.h>

/* What a recording alone can be asked for; the rows are in jfr.c. */
struct fl_jfr_options {
	bool total;		/* weigh by value, not by samples */
	bool lines, bci;	/* append :line or @bci to names */
	int64_t latency;	/* only in spans of so many ns; -1: any */
	struct fl_regex *tag;	/* only in spans with such a tag; or NULL */
	double tail;		/* leaks: the share at the end to ignore */
	bool compat;		/* jfrconv's selection, naming and order */
	double grain;		/* compat: samples that make one; 0: off */
};

/* Metadata ------------------------------------------------------------ */

enum fl_jfr_code {
	FL_JFR_VAR,		/* compressed integer */
	FL_JFR_1, FL_JFR_2, FL_JFR_4, FL_JFR_8,	/* raw bytes */
	FL_JFR_STRING,
	FL_JFR_ARRAY		/* count, then elements */
};

struct fl_jfr_op {
	uint8_t code;
	uint8_t element;	/* of an array: a code, if not of a class */
	struct fl_jfr_class *class;	/* of an array's elements, or NULL */
};

/* What the unit of a number is (jdk.jfr.Timespan, Timestamp). */
enum fl_jfr_unit {
	FL_JFR_PLAIN, FL_JFR_TICKS, FL_JFR_NS, FL_JFR_US, FL_JFR_MS, FL_JFR_S
};

struct fl_jfr_field {
	struct slice name;
	uint64_t type;			/* class id */
	struct fl_jfr_class *class;	/* NULL: not in the metadata */
	bool constant, array;
	uint8_t unit;
	uint32_t op;			/* its first step in the plan */
	uint32_t nops;
};

/* Of constants by their keys: where they lie in the chunk. */
struct fl_jfr_pool {
	uint32_t *low;		/* of small keys; 0: it may be in the map */
	size_t low_room;
	struct fl_map map;
	uint64_t promised;	/* so many the chunk says there are */
};

struct fl_jfr_class {
	uint64_t id;
	struct slice name;
	bool simple;
	bool is_float, is_double, is_string;
	bool event;		/* events may be of it */
	bool padded;		/* framing.c: bytes behind its fields are usual */
	struct fl_jfr_field *fields;
	uint32_t nfields;
	/* The plan, made when first asked for. */
	enum { FL_JFR_UNPLANNED, FL_JFR_PLANNING, FL_JFR_PLANNED,
	       FL_JFR_ENDLESS } planned;
	struct fl_jfr_op *ops;
	uint32_t nops;
	uint32_t nvars;			/* steps that are FL_JFR_VAR at first, */
	bool all_var;			/* and if all are */
	bool text;			/* it is a string, and nothing else */
	struct fl_jfr_pool *pool;	/* its constants; NULL: none */
	bool wanted;			/* pool.c: keep its keys */
	bool looked_at;			/* event.c: it has its count, or none */
	struct fl_jfr_count *count;	/* event.c: what is done with it */
	uint64_t events;		/* seen in this chunk */
	uint64_t sizes[4];		/* a bit for each size that was checked */
	bool noted;		/* info.c wants to see them */
};

enum { FL_JFR_TYPES = 16 };	/* of frames */

/*
 * What of a dictionary's stacks is known from chunk to chunk (stack.c and
 * known.c).
 */
struct fl_jfr_known {
	struct fl_map paths;	/* hash of a trace's frames -> its stack */
	struct fl_map traces;	/* of its bytes: half a hash -> rest, stack */
	bool off;		/* memory was out, or it takes too long */
	uint8_t types[FL_JFR_TYPES];	/* as they were then */
	uint64_t chunk;		/* the one in turn, by its offset */
	uint32_t number;	/* its number, from 1 on */
	uint8_t mark;		/* of what is the same in it; not 0 */
	struct fl_jfr_known_frame *frames;	/* by id */
	struct fl_jfr_known_method *methods;
	uint8_t *seen;		/* by stack: the mark, if it is the same */
	uint32_t nmethods;
	size_t frames_room, methods_room, seen_room;
};

/* A trace's bytes, hashed. */
struct fl_jfr_mark {
	uint64_t key, rest;
};

/* A chunk -------------------------------------------------------------- */

/* Keys are counted from 1: so many have a place in a plain table. */
enum { FL_JFR_LOW = 1 << 16, FL_JFR_STATES = 128 };

/*
 * Bytes of the input that are read before they are let go of.  Threads wait
 * for one another while that is done.
 */
enum { FL_JFR_WINDOW = 1 << 18, FL_JFR_SHARED_WINDOW = 4 << 20 };

struct fl_jfr_trace {
	uint64_t key;
	uint64_t at;		/* its value: see fl_jfr_trace_wire; 0: none */
	flame_id stack;		/* once made */
	uint32_t size;		/* of the value; 0: not known */
	uint32_t first;		/* in chunk->sums, plus one: see event.c */
	bool likely;		/* to be made: see fl_jfr_begin_traces */
	bool made, missing;
};

/* What was counted together. */
struct fl_jfr_sum {
	uint32_t next;		/* of the same trace, plus one */
	uint32_t trace;		/* in chunk->traces */
	uint32_t row : 31;	/* in chunk->counts */
	uint32_t outside : 1;	/* leaf: allocated outside TLAB */
	uint64_t leaf;		/* key of the class; 0: none */
	uint64_t state;
	int64_t samples, value;
	int64_t bare;		/* samples of those without a value */
};

/* More of it, where that is asked for: a chunk has many sums. */
struct fl_jfr_aside {
	uint64_t thread;
	uint64_t address;	/* leaks only */
	int64_t first, last;	/* ticks; first > last: not known */
};

/*
 * What makes stacks of a share of a chunk's traces (share.c).  Ids with
 * FL_JFR_OURS are of the share's dictionary, others of the source's.
 */
#define FL_JFR_OURS (UINT32_C(1) << 31)

struct fl_jfr_apart {
	const struct flame *known;	/* the source's, as it is */
	const struct fl_ids *frames;	/* ours -> the source's */
	flame_id roof;		/* of ours: see fl_jfr_below */
	struct fl_jfr_path {
		uint64_t hash;
		flame_id stack;
	} *found;		/* known, but not as a trace's */
	size_t nfound, found_room;
	struct fl_jfr_method_seen {
		uint64_t method;
		flame_id frame;		/* ours */
	} *methods;		/* for known.c */
	size_t nmethods, methods_room;
};

/* framing.c: a run of adjacent whole events. */
struct fl_jfr_ranges {
	struct fl_jfr_range {
		uint64_t from, to;
		bool resized;	/* one, which ends there; its size is wrong */
	} *at;
	size_t n, capacity;
};

/* Losses among the events of damaged chunks. */
struct fl_jfr_lost {
	uint64_t events, bytes;
	uint64_t gaps;		/* places where more than a type is not known */
	uint64_t resized;	/* events of a wrong size, which were kept */
};

struct fl_jfr_chunk {
	struct fl_jfr *jfr;
	struct flame *flame;	/* where its names and stacks go */
	struct fl_jfr_known *known;	/* of the source's dictionary */
	struct fl_jfr_apart *apart;	/* a share of another; or NULL */
	struct fl_jfr_beside *beside;	/* where its traces go; or NULL */
	uint8_t *copy;		/* its own bytes; NULL: the input's */
	const uint8_t *at;
	uint64_t size;		/* of what may be read */
	uint64_t missing;	/* bytes that the input does not have */
	uint64_t offset;	/* in the input */
	bool more;		/* the input goes on behind it */
	bool last;		/* no: it ends here, as far as is known */
	const uint8_t *passed;	/* up to here it need not stay in memory, */
	bool lets_go;		/* and does not: */
	uint32_t window;	/* after so many bytes */
	unsigned major, minor;
	bool compressed;
	uint8_t state;
	uint64_t pools_at, meta_at;	/* 0: none */
	uint64_t events_end;	/* from there on there are pools; 0: not known */
	int64_t start_ns, duration_ns, start_ticks;
	uint64_t ticks_per_second;
	/* What is asked of it, as known when its turn to be read comes. */
	int64_t from, to;	/* ticks */
	bool limited;		/* from or to is set */
	bool skim;		/* for settings alone: it is before `from` */
	bool cpu_only;		/* see fl_select */
	struct fl_arena arena;
	struct fl_buf name;	/* text.c: where one is put together */
	struct fl_jfr_spelling {	/* text.c: the fields that it is of */
		bool known;
		const struct fl_jfr_field *method, *type, *class;
	} spelling;
	struct fl_jfr_class *classes;
	uint32_t nclasses;
	struct fl_map by_id;	/* class id -> index in classes */
	struct fl_jfr_class *low[512];	/* the same for small ids */
	struct fl_jfr_count *quick[256];	/* quick.c: by class id */
	unsigned nlow;			/* quick.c: tables that it has */
	/* Found by name, NULL where the chunk has none. */
	struct fl_jfr_class *string, *symbol, *thread, *class, *method,
			    *trace, *frame, *frame_type, *thread_state;
	bool async;		/* async-profiler's frame types */
	uint8_t types[FL_JFR_TYPES];	/* frame type key -> flame_type */
	/* events */
	struct fl_jfr_count **counts;
	uint32_t ncounts;
	size_t counts_room;
	struct fl_map trace_of;		/* key -> index in traces */
	uint32_t *low_trace_of;		/* the same, plus one, of small keys */
	size_t low_traces, low_traces_room;
	struct fl_jfr_trace *traces;
	size_t ntraces, traces_room;
	/* pool.c: what is kept of them, so that pools need not stay. */
	struct fl_jfr_kept {
		bool on;	/* so far they are few */
		bool some;	/* only those that are likely */
		uint8_t *at;	/* their bytes, one behind the other */
		size_t size, room;
		uint64_t seen;	/* bytes of all traces so far */
	} kept;
	struct fl_jfr_mark *marks;	/* of each trace; NULL: none */
	size_t marks_room;
	struct fl_jfr_sum *sums;
	size_t nsums, sums_room;
	struct fl_jfr_aside *asides;	/* of each, if there are any */
	size_t asides_room;
	bool with_asides;
	/* event.c: the first `nfar` sums, where a trace has very many. */
	struct fl_index far;
	size_t nfar;
	/* names */
	struct fl_map frames[FLAME_GROUP + 1];	/* by type: method -> frame */
	struct fl_map located, threads, states, leaves[2];
	struct fl_jfr_shape *shape;	/* stack.c: of a frame on the wire */
	/* stack.c: of small keys; so many of these may be there. */
	flame_id *low_frames[FL_JFR_TYPES];
	uint32_t nlow_frames[FL_JFR_TYPES];
	/* stack.c: the trace read last, root first, and where it ends. */
	struct fl_jfr_level {
		flame_id frame;
		uint32_t tail;		/* bytes from it to the trace's end */
		uint64_t hash;		/* of the frames up to it */
	} *levels;
	flame_id *stacks;	/* of the trace made last, level by level */
	size_t levels_room, stacks_room;
	uint32_t nlast;		/* 0: no help to the next one */
	const uint8_t *last_end;
	const char *why;	/* damage, NULL if none; set by fl_jfr_damage */
	uint64_t why_at;	/* its offset in the chunk */
	bool salvaged;		/* not read by its header's offsets */
	uint64_t nevents;
	uint64_t lost_samples;	/* while it was recorded */
	/* framing.c: if the events were looked through for damage, */
	bool framed;
	struct fl_jfr_ranges ranges;	/* those that are whole, */
	uint64_t *checkpoints;		/* where checkpoints begin, */
	size_t ncheckpoints, checkpoints_capacity;
	struct fl_jfr_lost lost;	/* events that were not kept */
	uint64_t nmet, nlinked;		/* checkpoints among events, in chain */
	bool with_tlab, runnable_wall;
	/* emit.c: if states of samples are in the pools. */
	enum { FL_JFR_MAYBE, FL_JFR_YES, FL_JFR_NO } has_states;
	/* Events whose texts are looked at when the pools are there. */
	struct fl_jfr_note {
		const struct fl_jfr_class *class;
		uint64_t at;
	} *notes;
	size_t nnotes, notes_room;
};

/* meta.c: the metadata event at an offset; false: it is none. */
bool fl_jfr_read_meta(struct fl_jfr_chunk *chunk, uint64_t at);
struct fl_jfr_class *fl_jfr_class_by_id(const struct fl_jfr_chunk *chunk,
					uint64_t id);
/* By name without its package of origin ("jdk.types.", "com.oracle..."). */
struct fl_jfr_class *fl_jfr_class_named(const struct fl_jfr_chunk *chunk,
					const char *name);
/* NULL where the class has no such field. */
const struct fl_jfr_field *fl_jfr_field_of(const struct fl_jfr_class *class,
					   const char *name);
/* "com.oracle.jdk.X" (format 1.0) is "jdk.X", and so on. */
struct slice fl_jfr_plain_name(struct slice name);

/* plan.c: false where the class contains itself or what is not known. */
bool fl_jfr_plan(struct fl_jfr_chunk *chunk, struct fl_jfr_class *class);
/* Over one value; the plan must be there. */
void fl_jfr_skip(const struct fl_jfr_class *class, struct fl_wire *w);
void fl_jfr_skip_ops(const struct fl_jfr_op *ops, uint32_t n,
		     struct fl_wire *w);
/* Moves from the value's start to a field of it. */
void fl_jfr_seek(const struct fl_jfr_class *class,
		 const struct fl_jfr_field *field, struct fl_wire *w);

/*
 * framing.c: finds the events that are whole, and counts the others in
 * chunk->lost.  false: out of memory.
 */
bool fl_jfr_find_ranges(struct fl_jfr_chunk *chunk);
/* Of a chunk that cannot be read: all of it, by the sizes of its events. */
void fl_jfr_count_lost(struct fl_jfr_chunk *chunk);
bool fl_jfr_add_checkpoint(struct fl_jfr_chunk *chunk, uint64_t at);
/* Over the fields of a metadata or checkpoint event; false: it is damaged. */
bool fl_jfr_skip_meta(struct fl_wire *w);
bool fl_jfr_skip_checkpoint(struct fl_jfr_chunk *chunk, struct fl_wire *w);

/* pool.c: indexes all constants that are wanted. */
bool fl_jfr_read_pools(struct fl_jfr_chunk *chunk);
/* Its parts: which are wanted; those of the chain; false: it is broken. */
void fl_jfr_want_pools(struct fl_jfr_chunk *chunk);
bool fl_jfr_index_pools(struct fl_jfr_chunk *chunk);
bool fl_jfr_has_all_checkpoints(const struct fl_jfr_chunk *chunk);
/* A stack trace, if one of the chunk's events asks for it; mark: if known. */
void fl_jfr_keep_trace(struct fl_jfr_chunk *chunk, uint64_t key, uint64_t at,
		       uint64_t size, const struct fl_jfr_mark *mark);
/* Before the first one, when events were read. */
void fl_jfr_begin_traces(struct fl_jfr_chunk *chunk);
/* What was read up to here need not stay in memory. */
void fl_jfr_let_go(struct fl_jfr_chunk *chunk, const uint8_t *at);
/* The same, when that is worth it; behind or before what was passed. */
static inline void fl_jfr_pass(struct fl_jfr_chunk *chunk, const uint8_t *at)
{
	if (fl_unlikely((size_t)(at - chunk->passed) > chunk->window))
		fl_jfr_let_go(chunk, at);
}

/* A wire at the value of a trace that is there, until more are kept. */
struct fl_wire fl_jfr_trace_wire(const struct fl_jfr_chunk *chunk,
				 const struct fl_jfr_trace *trace);

/*
 * beside.c: begins to index the pools of a chunk whose metadata were read and
 * whose events are read next.  NULL: it does not.
 */
struct fl_jfr_beside;
struct fl_jfr_beside *fl_jfr_beside_new(struct fl_jfr_chunk *chunk);
/* For pool.c; false: memory is out. */
bool fl_jfr_beside_keep(struct fl_jfr_beside *beside, uint64_t key,
			uint64_t at, uint64_t size);
/*
 * When the events were read; frees it.  false: fl_jfr_read_pools has to do
 * it, and says what is wrong.
 */
bool fl_jfr_beside_take(struct fl_jfr_chunk *chunk,
			struct fl_jfr_beside *beside);
void fl_jfr_pool_free(struct fl_jfr_pool *pool);
/* A wire at a constant's value; false where there is none. */
bool fl_jfr_constant(const struct fl_jfr_chunk *chunk,
		     const struct fl_jfr_class *class, uint64_t key,
		     struct fl_wire *w);
struct fl_wire fl_jfr_wire(const struct fl_jfr_chunk *chunk, uint64_t at);
/* The first damage of a chunk is kept. */
void fl_jfr_damage(struct fl_jfr_chunk *chunk, uint64_t at, const char *why);

/* text.c: at NULL means null.  Text lives as long as the chunk. */
struct slice fl_jfr_text(struct fl_jfr_chunk *chunk,
			 const struct fl_jfr_field *field, struct fl_wire *w);
struct slice fl_jfr_constant_text(struct fl_jfr_chunk *chunk,
				  struct fl_jfr_class *class, uint64_t key);
/* The text of a field of a constant. */
struct slice fl_jfr_field_text(struct fl_jfr_chunk *chunk,
			       const struct fl_jfr_class *class, uint64_t key,
			       const char *field);
/* A number (or key) of a field of a constant; false: none. */
bool fl_jfr_field_number(struct fl_jfr_chunk *chunk,
			 const struct fl_jfr_class *class, uint64_t key,
			 const char *field, uint64_t *n);
/* Thread label set, state name, class-leaf frame of a key, all cached. */
flame_id fl_jfr_thread(struct fl_jfr_chunk *chunk, uint64_t key);
flame_id fl_jfr_state(struct fl_jfr_chunk *chunk, uint64_t key);
flame_id fl_jfr_leaf(struct fl_jfr_chunk *chunk, uint64_t key, bool outside);
/* A method's frame. */
flame_id fl_jfr_frame(struct fl_jfr_chunk *chunk, uint64_t method,
		      uint64_t type, uint32_t line, uint32_t bci);
/* Whether the name of a class is, or is in the chunk before. */
bool fl_jfr_has_class(struct fl_jfr_chunk *chunk, uint64_t key);
/* Whether a method's name, and that of its class, are in the chunk. */
bool fl_jfr_has_name(struct fl_jfr_chunk *chunk, uint64_t method,
		     uint64_t type_key);
/* Whether that is its name: then its frame is the one with it. */
bool fl_jfr_is_method(struct fl_jfr_chunk *chunk, uint64_t method,
		      uint8_t type, struct slice name);
/* The same by its type, not by its key, and without a place. */
flame_id fl_jfr_typed_frame(struct fl_jfr_chunk *chunk, uint64_t method,
			    uint8_t type);
/* "[[I" is int[][], "[Ljava/lang/String;" java.lang.String[]. */
void fl_jfr_put_class(struct fl_buf *buf, struct slice symbol);
/* Frame types of this chunk; after the pools are read. */
void fl_jfr_frame_types(struct fl_jfr_chunk *chunk);

/*
 * stack.c: makes the stacks of n traces that are there; of one, false where
 * it is missing.
 */
void fl_jfr_stacks(struct fl_jfr_chunk *chunk, const uint32_t *traces,
		   size_t n);
bool fl_jfr_stack(struct fl_jfr_chunk *chunk, struct fl_jfr_trace *trace);
/* The same without asking for what is known (known.c), in one thread. */
void fl_jfr_make_stacks(struct fl_jfr_chunk *chunk, const uint32_t *traces,
			size_t n);

/* Of a chunk that was cut: traces that cannot be named are missing. */
void fl_jfr_drop_unnamed(struct fl_jfr_chunk *chunk);

/* Whether traces of equal bytes and methods are equal. */
bool fl_jfr_is_usual(struct fl_jfr_chunk *chunk);

/* known.c: draws the key of the marks; false: there is none to be had. */
bool fl_jfr_known_key(struct fl_jfr *jfr);
/* Whether marks of traces are of use. */
bool fl_jfr_known_wanted(struct fl_jfr_chunk *chunk);
/* Before traces are looked for: room for their marks, if these are of use. */
void fl_jfr_known_room(struct fl_jfr_chunk *chunk);
struct fl_jfr_mark fl_jfr_known_mark(const struct fl_jfr *jfr,
				     const uint8_t *at, size_t size);
/* Before stacks are made; false: the chunk has no marks. */
bool fl_jfr_known_begin(struct fl_jfr_chunk *chunk);
/* A method that is this frame. */
void fl_jfr_known_method(struct fl_jfr_chunk *chunk, flame_id frame,
			 uint64_t method);
/* The stack that a trace may be, FL_JFR_UNKNOWN: none is known. */
#define FL_JFR_UNKNOWN UINT32_MAX
flame_id fl_jfr_known_soon(const struct fl_jfr_chunk *chunk,
			   const struct fl_jfr_mark *mark);
/* Whether it is that one in this chunk as well. */
bool fl_jfr_known_is(struct fl_jfr_chunk *chunk, flame_id stack);
/* Of many it is found out faster after this, when some were asked for. */
void fl_jfr_known_spread(struct fl_jfr_chunk *chunk);
void fl_jfr_known_put(struct fl_jfr_chunk *chunk,
		      const struct fl_jfr_mark *mark, flame_id stack);
void fl_jfr_known_free(struct fl_jfr_known *known);

/* Of a trace's frames, root first; of none it is 0. */
static inline uint64_t fl_jfr_hash_on(uint64_t hash, flame_id frame)
{
	hash = (hash + frame + 1) * 0x9e3779b97f4a7c15u;
	return hash ^ hash >> 32;
}

/*
 * Whether traces are looked up by their frames: by their bytes it is faster,
 * and where no chunk comes before or after, few are found.
 */
static inline bool fl_jfr_by_path(const struct fl_jfr_chunk *chunk)
{
	return !chunk->marks && !(chunk->last && !chunk->offset);
}

/* The trace of a key, UINT32_MAX where there is none yet. */
static inline uint32_t fl_jfr_trace_of(const struct fl_jfr_chunk *chunk,
				       uint64_t key)
{
	uint64_t *at;

	if (fl_likely(key < chunk->low_traces))
		return chunk->low_trace_of[key] - 1;
	at = fl_map_get(&chunk->trace_of, key);
	return at ? *at : UINT32_MAX;
}

/* Makes it; UINT32_MAX: memory is out. */
uint32_t fl_jfr_add_trace(struct fl_jfr_chunk *chunk, uint64_t key);

static inline struct fl_jfr_aside fl_jfr_aside(const struct fl_jfr_chunk *chunk,
					       const struct fl_jfr_sum *sum)
{
	return chunk->with_asides ? chunk->asides[sum - chunk->sums] :
	       (struct fl_jfr_aside){ .first = INT64_MAX, .last = INT64_MIN };
}

/* Events ---------------------------------------------------------------- */

/* jfrconv's groups: what its options read together. */
enum fl_jfr_group {
	FL_JFR_GROUP_NONE, FL_JFR_GROUP_EXEC, FL_JFR_GROUP_ALLOC,
	FL_JFR_GROUP_LIVE, FL_JFR_GROUP_NATIVEMEM, FL_JFR_GROUP_LOCK,
	FL_JFR_GROUP_NATIVELOCK, FL_JFR_GROUP_TRACE
};

struct fl_jfr_row {
	const char *event;	/* "jdk.ExecutionSample" */
	const char *metric;	/* "cpu" */
	const char *count;	/* field with the number of samples, or NULL */
	const char *value;	/* field with the value, or NULL */
	const char *factor;	/* a field that multiplies the value */
	const char *leaf;	/* field with the class that is the leaf */
	const char *unit;	/* of the value: "bytes", "ns" */
	enum fl_jfr_group group;
};

extern const struct fl_jfr_row fl_jfr_rows[];	/* ends in event NULL */

/* What an event's fields are wanted for. */
enum fl_jfr_slot {
	FL_JFR_TIME, FL_JFR_DURATION, FL_JFR_THREAD, FL_JFR_STACK,
	FL_JFR_STATE, FL_JFR_COUNT, FL_JFR_VALUE, FL_JFR_FACTOR, FL_JFR_LEAF,
	FL_JFR_ADDRESS, FL_JFR_SLOTS
};

struct fl_jfr_step {
	uint8_t code;		/* of the op */
	int8_t slot;		/* -1: skipped */
	const struct fl_jfr_op *op;
};

/* What is done with the events of a class in a chunk. */
struct fl_jfr_count {
	uint32_t number;	/* in chunk->counts */
	struct fl_jfr_class *class;
	struct slice event;	/* its name, as of today */
	const struct fl_jfr_row *row;	/* NULL: by its own name */
	bool full;		/* counted by stack; else only counted */
	bool raw;		/* asked for by its own name */
	bool latest;		/* its numbers grow: the last ones count */
	bool lost;		/* its value is a number of lost samples */
	bool cpu;		/* its row's metric is cpu */
	bool span;		/* its value is a timeSpan */
	bool tlab;		/* its value is the size of a TLAB */
	bool object;		/* its leaf is an object, of a class */
	bool all_var;
	bool at_once;		/* the processor takes integers so */
	bool plain;		/* nothing but a stack and a state */
	bool quick;		/* and all of it compressed integers: */
	uint8_t before, between;	/* so many before stack and state */
	bool formed;		/* those of many events are told by form */
	struct fl_jfr_forms *forms;	/* quick.c */
	/* Plain: by state, by key of a stack. */
	uint8_t *low[FL_JFR_STATES];
	uint64_t singly;	/* of those, without forms */
	uint64_t spilt;		/* of those, from bytes to the map */
	struct fl_map counted;	/* stack and state -> how many; the rest */
	uint8_t kind[FL_JFR_SLOTS];	/* of a slot: 0 int, 'f', 'd', 1..8 */
	bool has[FL_JFR_SLOTS];
	uint8_t value_unit;	/* enum fl_jfr_unit */
	struct fl_jfr_step *steps;
	uint32_t nsteps;
	/* The same where all are few compressed integers; else none. */
	struct fl_jfr_taking {
		uint8_t before;		/* so many are passed over, */
		uint8_t slot;		/* then one goes there */
	} taking[FL_JFR_SLOTS];
	uint32_t ntaking;
	bool direct;		/* counted by stack, and read so, */
	bool bare;		/* or only counted, and not read */
	int64_t samples;	/* of those that are only counted */
	uint64_t values[FL_JFR_SLOTS];	/* of the event just read */
};

/* spare.c: tables that go from chunk to chunk; those of * are all zero. */
enum fl_jfr_spare_kind {
	FL_JFR_SPARE_SUMS, FL_JFR_SPARE_TRACES, FL_JFR_SPARE_LEVELS,
	FL_JFR_SPARE_STACKS, FL_JFR_SPARE_MARKS,
	FL_JFR_SPARE_LOW_TRACES /* * */,
	FL_JFR_SPARE_LOW_FRAMES /* * */, FL_JFR_SPARE_PLAIN /* * */,
	FL_JFR_SPARE_KINDS
};

enum { FL_JFR_SPARES = 16 };

struct fl_jfr_spares {
	pthread_mutex_t lock;
	unsigned n[FL_JFR_SPARE_KINDS];
	struct fl_jfr_spare {
		void *at;
		size_t room;	/* elements */
	} at[FL_JFR_SPARE_KINDS][FL_JFR_SPARES];
};

/* One event, or equal ones, with everything resolved. */
struct fl_jfr_hit {
	struct slice event;	/* "jdk.ExecutionSample" */
	const struct fl_jfr_row *row;	/* NULL: none of ours */
	bool has_stack;
	bool unresolved;	/* none, but it names one */
	flame_id stack;		/* without the leaf */
	/* Or the trace, which is made into one if it is asked for. */
	struct fl_jfr_chunk *chunk;
	struct fl_jfr_trace *trace;
	flame_id leaf;		/* a frame; 0: none */
	flame_id thread;	/* label set; 0: not known */
	struct slice state;	/* "STATE_RUNNABLE"; at NULL: none */
	int64_t time, last;	/* ns, of the first and last; FLAME_NOTIME */
	int64_t samples, value;
	const char *unit;	/* of the value; NULL: there is none */
	bool async;		/* written by async-profiler */
	bool runnable_wall;	/* there, STATE_RUNNABLE is a wall sample */
	bool with_tlab;		/* its chunk has TLAB events as well */
	bool raw;		/* asked for by the event's own name */
	bool again;		/* of the same kind as the one before */
};

/* chunk.c: what there is at a place. */
enum fl_jfr_found {
	FL_JFR_NONE,		/* no chunk here */
	FL_JFR_WHOLE,		/* finished, all there */
	FL_JFR_LIVE,		/* not finished, but consistent up to size */
	FL_JFR_CUT,		/* its end, or its pools, are not there */
	FL_JFR_FUTURE		/* a version that is not known */
};

/* How much of a chunk was given out: first its samples of cpu. */
struct fl_jfr_giving {
	enum { FL_JFR_DONE, FL_JFR_CPU, FL_JFR_OTHERS } kind;
	bool begun;		/* the stacks of this kind were made */
	size_t next;		/* in chunk->sums */
	const struct fl_jfr_sum *last;	/* of this kind; NULL: none yet */
	struct fl_jfr_hit hit;	/* the last one's */
};

/* The source's state. */
struct fl_jfr {
	struct fl_jfr_spares spares;
	struct flame_source *source;
	struct fl_jfr_chunk *now, *before;
	uint64_t behind;	/* bytes of `before`, not consumed yet */
	bool prepared, ended, end_given, told;
	bool moved;		/* --from or --to, as chunks came */
	unsigned first_major, first_minor;
	int64_t wall_ns;	/* its interval; 0: not known */
	bool wall_set;		/* this recording has wall samples */
	/* flame_frame.file of class leaves. */
	flame_id class_mark, dotted_class_mark;
	struct fl_jfr_answer {	/* emit.c: of the hit before */
		struct fl_jfr_kind {
			const char *event, *state, *unit;
			const struct fl_jfr_row *row;
			size_t state_size;
			bool async, runnable_wall, with_tlab, raw;
		} kind;
		bool known;		/* what it points to is this chunk's */
		const char *name;	/* of its metric; NULL: not asked */
		flame_id metric;
		bool asked, cpu_only;	/* asked, as long as this holds */
	} answer;
	struct fl_jfr_giving giving;	/* of `now` */
	struct fl_jfr_turn {		/* jfr.c: of `now`, once it is read */
		bool on, good;
		enum fl_jfr_found found;
		uint64_t size;
	} turn;
	/* Samples that wait for flame_next. */
	struct flame_sample *ready;
	size_t nready, next_ready, ready_room;
	/* Leaks: allocations by address, over all chunks. */
	struct fl_jfr_leaks *leaks;
	struct fl_jfr_spans *spans;
	struct fl_jfr_timings *timings;
	/* What the whole holds. */
	uint64_t chunks, bad_chunks, lost_bytes, salvaged_events;
	uint64_t lost_events, resized_events, missing_bytes;
	bool readable;		/* a damaged chunk has all of its constants */
	uint64_t given;		/* samples that were made ready */
	uint64_t lost_samples, unfinished;
	struct fl_jfr_bare {	/* samples without a stack, asked for: */
		uint64_t samples, unresolved;
	} others, cpu;		/* where cpu is chosen, only these are told */
	char first_damage[256];
	struct fl_jfr_known known;	/* of chunks that are read here */
	uint64_t mark_key[4];	/* of the hash of a trace */
	bool marks;		/* there is one */
	struct fl_map survey;	/* of (metric, thread) pairs */
	struct fl_jfr_info *info;
	struct fl_thread_pool *team; /* share.c: NULL before it is needed */
	struct fl_jfr_ahead *ahead;	/* ahead.c */
	struct fl_jfr_shares *shares;	/* share.c */
};

static inline const struct fl_jfr_options *
fl_jfr_options(const struct fl_jfr *jfr)
{
	return jfr->source->options;
}

/* span.c: whether a thread is inside a wanted span at a time (ns). */
bool fl_jfr_in_span(const struct fl_jfr *jfr, uint64_t thread, int64_t ns);
int fl_jfr_prepare_spans(struct fl_jfr *jfr, const uint8_t *at, size_t size);
void fl_jfr_spans_free(struct fl_jfr_spans *spans);

/*
 * jfr.c: others have chunks to read ahead, as many as there is room for.
 * false: the next chunk is not one of these.
 */
bool fl_jfr_fill_ahead(struct fl_jfr *jfr);

/* Threads: less than that are few. */
enum { FL_JFR_MANY = 4 };

/* ahead.c: chunks that other threads read while one is given out. */
struct fl_jfr_ahead *fl_jfr_ahead_new(struct fl_jfr *jfr);
/* Whether there is room for one more; it is ahead's from now on. */
bool fl_jfr_ahead_room(const struct fl_jfr_ahead *ahead);
void fl_jfr_ahead_give(struct fl_jfr_ahead *ahead, struct fl_jfr_chunk *chunk);
/* Chunks that were given and not taken, and their bytes. */
size_t fl_jfr_ahead_count(const struct fl_jfr_ahead *ahead, uint64_t *bytes);
/* The first of these; *good: fl_jfr_read_apart's. */
struct fl_jfr_chunk *fl_jfr_ahead_take(struct fl_jfr_ahead *ahead, bool *good);
void fl_jfr_ahead_free(struct fl_jfr_ahead *ahead);

/* share.c: those who help; NULL: memory is out. */
struct fl_thread_pool *fl_jfr_team(struct fl_jfr *jfr);
/* Whether one of few threads makes so many stacks soonest. */
bool fl_jfr_stacks_for_one(const struct fl_jfr_chunk *chunk, size_t n);
/* As fl_jfr_make_stacks, by all threads if there are many and not for one. */
void fl_jfr_stacks_by_all(struct fl_jfr_chunk *chunk, const uint32_t *traces,
			  size_t n, bool for_one);
void fl_jfr_shares_free(struct fl_jfr_shares *shares);

/* chunk.c: of a chunk, its header is filled in. */
enum fl_jfr_found fl_jfr_look(struct fl_jfr_chunk *chunk, const uint8_t *at,
			      size_t avail);
/*
 * jfr.c: what there is at a place, and how far it goes: to the end of a whole
 * chunk, or to where the next one begins.  Of a chunk that is cut all of that
 * is chunk->size.
 */
size_t fl_jfr_extent(struct fl_jfr_chunk *chunk, const uint8_t *at,
		     size_t avail, enum fl_jfr_found *found);
/* The recording goes from start to end at least: ns since 1970. */
void fl_jfr_widen(struct fl_jfr *jfr, int64_t start, int64_t end);

/* Its metadata by the header, or any that lies among its events. */
bool fl_jfr_find_meta(struct fl_jfr_chunk *chunk);
/*
 * Reads a chunk whose header fl_jfr_look has filled in: metadata, events,
 * pools; what was counted is in chunk->sums.  false: nothing could be read.
 * Then the rest, which needs the chunk before.
 */
bool fl_jfr_read_apart(struct fl_jfr_chunk *chunk);
/* One behind the other they are that. */
bool fl_jfr_read_events_apart(struct fl_jfr_chunk *chunk);
bool fl_jfr_read_pools_apart(struct fl_jfr_chunk *chunk);
/* Bytes: what is smaller is read by one thread. */
enum { FL_JFR_WORTH = 4 << 20 };
/* The same by two threads, if there are two and it is worth it. */
bool fl_jfr_read_by_two(struct fl_jfr_chunk *chunk);
bool fl_jfr_read_rest(struct fl_jfr_chunk *chunk);
struct fl_jfr_chunk *fl_jfr_chunk_new(struct fl_jfr *jfr, uint64_t offset);
void fl_jfr_chunk_free(struct fl_jfr_chunk *chunk);
/*
 * Whether the chunk before is of the same recording, so that its constants
 * may be meant: clock and version alike, and no gap between the two.
 */
bool fl_jfr_goes_on(const struct fl_jfr_chunk *now);
int64_t fl_jfr_ns(const struct fl_jfr_chunk *chunk, int64_t ticks);

/* spare.c, in any thread: NULL and no room where there is none. */
void *fl_jfr_spare(struct fl_jfr *jfr, enum fl_jfr_spare_kind kind,
		   size_t *room);
/* Takes over what a chunk has done with; at may be NULL. */
void fl_jfr_keep(struct fl_jfr_chunk *chunk, enum fl_jfr_spare_kind kind,
		 void *at, size_t room);
bool fl_jfr_spares_new(struct fl_jfr *jfr);
void fl_jfr_spares_free(struct fl_jfr *jfr);
/* None of them is needed any more. */
void fl_jfr_spares_drop(struct fl_jfr *jfr);
/* chunk.c: what only reading needs goes to the next one, traces too. */
void fl_jfr_chunk_done(struct fl_jfr_chunk *chunk);
void fl_jfr_low_frames_done(struct fl_jfr_chunk *chunk);
/* field.c: of one step, NULL where there is none of that name. */
const struct fl_jfr_field *fl_jfr_slot_field(const struct fl_jfr_class *class,
					     const char *name);
/* quick.c: whether that is how a class's events are read, and if so as. */
void fl_jfr_settle_quick(struct fl_jfr_chunk *chunk, struct fl_jfr_count *c);
/*
 * As many of these as come one after another and are short.  What is given
 * is where the first one is that is not so.
 */
const uint8_t *fl_jfr_read_quickly(struct fl_jfr_chunk *chunk,
				   const uint8_t *at, const uint8_t *end);
/* Counts what is in c->values; false: it does not fit. */
bool fl_jfr_count_plain(struct fl_jfr_chunk *chunk, struct fl_jfr_count *c);
/* Its tables, all zero, are not needed any more. */
void fl_jfr_plain_done(struct fl_jfr_chunk *chunk, struct fl_jfr_count *c);
/* All that was counted, once; it is empty then. */
typedef void fl_jfr_plain_fn(void *data, const struct fl_jfr_count *c,
			     uint64_t stack, uint64_t state, int64_t samples);
void fl_jfr_each_plain(struct fl_jfr_chunk *chunk, struct fl_jfr_count *c,
		       fl_jfr_plain_fn *each, void *data);
/* chunk.c: --from and --to in ticks, computed as jfrconv does. */
void fl_jfr_limit(struct fl_jfr_chunk *chunk);
/* chunk.c: clears the counts of its events, to read them once more. */
void fl_jfr_forget_events(struct fl_jfr_chunk *chunk);
/* event.c: counts; what it must know is in the metadata only. */
bool fl_jfr_read_events(struct fl_jfr_chunk *chunk);
/* field.c: the steps that read these fields (NULL: not wanted) of a class. */
bool fl_jfr_compile(struct fl_jfr_chunk *chunk, struct fl_jfr_count *count,
		    const char *const names[FL_JFR_SLOTS]);
/*
 * Takes an event's fields from where so many bytes can be looked at, into
 * count->values, where ntaking is not 0; gives what is behind them.
 */
enum { FL_JFR_TAKING_ROOM = 160 };
const uint8_t *fl_jfr_take(struct fl_jfr_count *count, const uint8_t *at);
/* Runs them over an event's payload, into count->values. */
void fl_jfr_run(struct fl_jfr_count *count, struct fl_wire *w);
/* A slot as a number, whatever it was on the wire. */
double fl_jfr_double(const struct fl_jfr_count *count, enum fl_jfr_slot slot);
/* ask.c: whether events are counted by stack, not only counted. */
bool fl_jfr_is_full(const struct fl_jfr_chunk *chunk,
		    const struct fl_jfr_count *count);
/* The field with the thread of an event; NULL: none. */
const char *fl_jfr_thread_field(const struct fl_jfr_class *class);
bool fl_jfr_has_stack(const struct fl_jfr_class *class);
void fl_jfr_settle_unit(struct fl_jfr_count *count);
/* The unit of its value: "ns", "bytes"; "samples" where it has none. */
const char *fl_jfr_unit(const struct fl_jfr_count *count);
/* A timespan in ns. */
int64_t fl_jfr_span_ns(const struct fl_jfr_chunk *chunk, uint8_t unit,
		       int64_t value);

/*
 * emit.c: sums of a chunk become samples in jfr->ready, some of them, and
 * others when it is called again, until jfr->giving is done.
 */
int fl_jfr_emit(struct fl_jfr_chunk *chunk);

/* The row of an event, NULL for events that are none of ours. */
const struct fl_jfr_row *fl_jfr_row_of(struct slice event);
/*
 * Whether --event (if it is there) means this event by its own name: in
 * full, or its last part in any case.
 */
bool fl_jfr_is_raw(const struct fl_jfr *jfr, struct slice event);
/* Whether --event may mean a metric of this row (states are seen later). */
bool fl_jfr_row_asked(const struct fl_jfr *jfr,
		      const struct fl_jfr_row *row);
/*
 * Counts it for its metric, and makes it ready if it is asked for: selects
 * by event, thread, state (times are the caller's).
 */
int fl_jfr_give(struct fl_jfr *jfr, const struct fl_jfr_hit *hit);
int fl_jfr_ready(struct fl_jfr *jfr, const struct flame_sample *sample);
/* What is known only at the end: leaks. */
int fl_jfr_emit_end(struct fl_jfr *jfr);
void fl_jfr_leaks_free(struct fl_jfr_leaks *leaks);

/* timing.c: the last numbers of a method; all of them as samples. */
int fl_jfr_time_method(struct fl_jfr_chunk *chunk,
		       const struct fl_jfr_sum *sum);
int fl_jfr_emit_timings(struct fl_jfr *jfr);
void fl_jfr_timings_free(struct fl_jfr_timings *timings);

/* info.c */
/* Settings and the like, when the pools are there. */
void fl_jfr_read_notes(struct fl_jfr_chunk *chunk);
/* n more events of a name. */
void fl_jfr_info_event(struct fl_jfr *jfr, struct slice event, uint64_t n);
void fl_jfr_info_chunk(struct fl_jfr_chunk *chunk);
void fl_jfr_info_end(struct fl_jfr *jfr);
void fl_jfr_info_free(struct fl_jfr_info *info);

/* v0.c: format 0.9.  The size of the chunk at `at`, 0: none is whole. */
uint64_t fl_jfr_v0_size(const uint8_t *at, size_t avail);
/* From when to when it is; false: that cannot be read. */
bool fl_jfr_v0_span(struct fl_jfr *jfr, const uint8_t *at, size_t size,
		    int64_t *start, int64_t *end);
/* Reads it and puts its samples into jfr->ready. */
int fl_jfr_v0_read(struct fl_jfr *jfr, const uint8_t *at, uint64_t size,
		   uint64_t offset);

#endif
