/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A recording and the chunk of it that is read, as all layers see them.
 * Chunks lie back to back; each has its own metadata, constant pools and
 * clock, and is read by itself.  The layers, each of which has a header of
 * its name and includes only those before it:
 *
 *	wire	    integers and strings as bytes
 *	recording   this file
 *	types	    the metadata event, classes and their decoders
 *	framing	    which events of a damaged chunk are whole
 *	pools	    constants by their keys, and as text
 *	traces	    stack traces as stacks of the dictionary
 *	readers	    how the events of a class are read
 *	events	    the loop over events, which sums up equal ones
 *	samples	    sums as samples: metrics, leaks, grain, facts
 *	v0	    format 0.9, all of it
 *	chunk	    a chunk of format 1.x or 2.x from its header to its end
 *	source	    chunk by chunk through the input
 *
 * A layer keeps its data of a chunk in a struct of its own, which the layers
 * below it cannot look into.  Everything is found by name in the chunk's own
 * metadata, never by position.  Sources for the format: HotSpot, jdk.jfr,
 * JMC, async-profiler.
 */
#ifndef FL_JFR_RECORDING_H
#define FL_JFR_RECORDING_H

#include "base/dense.h"
#include "flow/flow.h"
#include "format/jfr/wire.h"

/* The options of this format; the rows are in source.c. */
struct fl_jfr_options {
	bool total;		/* weigh by value, not by samples */
	bool lines, bci;	/* append :line or @bci to names */
	int64_t latency;	/* only in spans of this many ns; -1: any */
	struct fl_regex *tag;	/* only in spans with such a tag; or NULL */
	double tail;		/* leaks: the share at the end to ignore */
	bool once;		/* a chunk that is in two inputs */
	bool compat;		/* jfrconv's selection, naming and order */
	double grain;		/* compat: samples that make one; 0: off */
};

/* The size of a chunk's header; events begin after it. */
enum { FL_JFR_HEADER = 68 };

/* Bytes: pages of smaller chunks are not worth releasing. */
enum { FL_JFR_LARGE = 4 << 20 };

/* So many keys, counted from 1, have a place in a plain table. */
enum { FL_JFR_SMALL_KEYS = 1 << 16 };

/*
 * Bytes of the input that are read before their pages are released.  Threads
 * wait for one another while that is done.
 */
enum { FL_JFR_WINDOW = 1 << 18, FL_JFR_SHARED_WINDOW = 4 << 20 };

/* Losses among the events of damaged chunks. */
struct fl_jfr_lost {
	uint64_t events, bytes;
	uint64_t gaps;		/* places where more than a type is unknown */
	uint64_t resized;	/* events of a wrong size, not dropped */
};

struct fl_jfr_header {
	unsigned major, minor;
	bool compressed;
	uint8_t state;
	uint64_t pools_at, meta_at;	/* 0: none */
	int64_t start_ns, duration_ns, start_ticks;
	uint64_t ticks_per_second;
};

/* The request for a chunk, when its turn to be read comes. */
struct fl_jfr_asked {
	int64_t from, to;	/* ticks */
	bool limited;		/* from or to is set */
	bool skim;		/* for settings alone: it is before `from` */
	bool repeated;		/* the same: it was read before */
	bool cpu_only;		/* see fl_select */
};

struct fl_jfr_damage {
	const char *why;	/* the first damage; NULL: none */
	uint64_t at;		/* its offset in the chunk */
	bool salvaged;		/* not read by its header's offsets */
	struct fl_jfr_lost lost;	/* events that were dropped */
};

struct fl_jfr_chunk {
	struct fl_jfr *jfr;
	struct flame *flame;	/* where its names and stacks go */
	uint8_t *copy;		/* its own bytes; NULL: the input's */
	const uint8_t *at;
	uint64_t size;		/* of the bytes that may be read */
	uint64_t missing;	/* bytes that the input does not have */
	uint64_t offset;	/* in the input */
	bool async;		/* async-profiler wrote it */
	struct fl_jfr_header header;
	struct fl_jfr_asked asked;
	struct fl_jfr_damage damage;
	struct fl_jfr_pages {
		const uint8_t *passed;	/* up to here they were read */
		bool released;		/* pages that were read are released, */
		uint32_t window;	/* after this many bytes */
	} pages;
	struct fl_arena arena;
	/* Data of the layers; all there are as long as the chunk. */
	struct fl_jfr_types *types;
	struct fl_jfr_framing *framing;
	struct fl_jfr_pools *pools;
	struct fl_jfr_traces *traces;
	struct fl_jfr_stacks *stacks;
	struct fl_jfr_readers *readers;
	struct fl_jfr_events *events;
};

/* Totals of the whole recording. */
struct fl_jfr_totals {
	uint64_t chunks, bad_chunks, unfinished;
	uint64_t lost_bytes, lost_events, missing_bytes;
	uint64_t salvaged_events, resized_events;
	uint64_t lost_samples;	/* while it was recorded */
	bool readable;		/* a damaged chunk has all of its constants */
	char first_damage[256];
};

struct fl_jfr {
	struct flame_source *source;
	struct fl_jfr_chunk *now, *before;
	bool ended;		/* there are no more chunks */
	bool moved;		/* --from or --to, as chunks came */
	int64_t wall_ns;	/* its interval; 0: not known */
	bool wall_set;		/* this recording has wall samples */
	/* What async-profiler sampled instead of cpu or wall, or NULL. */
	const char *sampled;
	/* flame_frame.file of class leaves. */
	flame_id class_mark, dotted_class_mark;
	struct fl_jfr_totals totals;
	struct fl_thread_pool *threads;	/* NULL before they are needed */
	/* Data of the layers; NULL before they are needed. */
	struct fl_jfr_spans *spans;	/* NULL: not asked for */
	struct fl_jfr_samples *samples;
	struct fl_jfr_leaks *leaks;
	struct fl_jfr_timings *timings;
	struct fl_jfr_dumps *dumps;
	struct fl_jfr_info *info;
	struct fl_jfr_read_ahead *ahead;
	struct fl_jfr_position *position;
	struct fl_jfr_copy *copy;	/* write.c; NULL: events are not copied */
};

/* Labels that spans are read for, and those that spans of tasks have. */
#define FL_JFR_SPAN_KEYS "tag,span"
#define FL_JFR_TASK_KEYS "stage,task,attempt,partition"

/* Whether the sink wants facts; events by type are for a survey alone. */
static inline bool fl_jfr_wants_facts(const struct fl_jfr *jfr)
{
	const struct fl_select *select = &jfr->source->select;

	return select->survey || (select->needs & FL_NEED_FACTS);
}

static inline const struct fl_jfr_options *
fl_jfr_options(const struct fl_jfr *jfr)
{
	return jfr->source->options;
}

/* The place of a key in a cache; NULL: out of memory. */
static inline uint64_t *fl_jfr_cached(struct fl_jfr_chunk *chunk,
				      struct fl_map *cache, uint64_t key,
				      bool *fresh)
{
	uint64_t *at = fl_map_put(cache, key, fresh);

	if (fl_unlikely(!at))
		fl_no_memory(chunk->flame);
	return at;
}

/* An event's size and type, which its fields follow. */
struct fl_jfr_head {
	const uint8_t *begin;
	uint32_t size;
	uint64_t type;
};

/* Reads it; false: the event would not end before `end`. */
static inline bool fl_jfr_read_head(struct fl_wire *w, const uint8_t *end,
				    struct fl_jfr_head *head)
{
	uint64_t n;

	head->begin = w->at;
	if (fl_likely(w->compressed && w->end - w->at > 18)) {
		w->at = fl_wire_take(w->at, &n);
		head->size = n;
		w->at = fl_wire_take(w->at, &head->type);
	} else {
		head->size = fl_wire_int(w);
		head->type = fl_wire_long(w);
	}
	return fl_likely(!w->bad && head->size &&
			 head->size <= (uint64_t)(end - head->begin));
}

struct fl_wire fl_jfr_wire(const struct fl_jfr_chunk *chunk, uint64_t at);
/* Keeps the first damage of a chunk. */
void fl_jfr_damage(struct fl_jfr_chunk *chunk, uint64_t at, const char *why);

/* The bytes up to here were read: their pages may be released. */
void fl_jfr_release(struct fl_jfr_chunk *chunk, const uint8_t *at);
/* The same once there are enough of them; `at` may be before the last one. */
static inline void fl_jfr_pass(struct fl_jfr_chunk *chunk, const uint8_t *at)
{
	if (fl_unlikely((size_t)(at - chunk->pages.passed) >
			chunk->pages.window))
		fl_jfr_release(chunk, at);
}

/*
 * Whether times are wanted as runs, so that events are read in two passes
 * (timed.c).
 */
bool fl_jfr_wants_runs(const struct fl_jfr *jfr);
/* Ticks as ns since 1970. */
int64_t fl_jfr_ns(const struct fl_jfr_chunk *chunk, int64_t ticks);
/*
 * Whether the previous chunk belongs to the same recording, so that this chunk
 * may use its constants: same clock and version, and no gap.
 */
bool fl_jfr_goes_on(const struct fl_jfr_chunk *now);
/*
 * The recording lasts at least from start to end: ns since 1970.  The second
 * function records whether this changes --from and --to.
 */
void fl_jfr_set_span(struct fl_jfr *jfr, int64_t start, int64_t end);
void fl_jfr_widen(struct fl_jfr *jfr, int64_t start, int64_t end);
/* The threads of the recording, made when first asked for; NULL: none. */
struct fl_thread_pool *fl_jfr_threads(struct fl_jfr *jfr);

#endif
