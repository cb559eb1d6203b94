/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Readers: how the events of a class are read and counted.  Rows of events
 * (rows.c), which of them are asked for (select.c), the fields that are read
 * (field.c), and events of only a stack and a state, which are counted in
 * plain tables (fixed_layout.c).
 */
#ifndef FL_JFR_READERS_H
#define FL_JFR_READERS_H

#include "format/jfr/types.h"

enum { FL_JFR_STATES = 128 };

/* jfrconv's groups: what its options read together. */
enum fl_jfr_group {
	FL_JFR_GROUP_NONE, FL_JFR_GROUP_EXEC, FL_JFR_GROUP_ALLOC,
	FL_JFR_GROUP_LIVE, FL_JFR_GROUP_NATIVEMEM, FL_JFR_GROUP_LOCK,
	FL_JFR_GROUP_NATIVELOCK, FL_JFR_GROUP_TRACE
};

/* What sets an event apart from others. */
enum fl_jfr_role {
	FL_JFR_NO_ROLE,
	FL_JFR_CPU,		/* of cpu or wall */
	FL_JFR_WALL,		/* its value is a time that it lasted */
	FL_JFR_TLAB,		/* its value is the size of a TLAB */
	FL_JFR_OUTSIDE_TLAB,
	FL_JFR_ALLOC_SAMPLE,	/* instead of those two, or beside them */
	FL_JFR_OLD_OBJECT,	/* its leaf is an object, of a class */
	FL_JFR_FREE,		/* of memory: no sample */
	FL_JFR_TIMING,		/* its numbers grow: the last count */
	FL_JFR_LOST		/* its value is a number of lost samples */
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
	enum fl_jfr_role role;
};

extern const struct fl_jfr_row fl_jfr_rows[];	/* ends in event NULL */

/* What an event is about. */
struct fl_jfr_subject {
	const char *event;
	const char *field;	/* a class, a method or a text */
	const char *other;	/* where that has no text; or NULL */
	const char *label;	/* the key of the label that it is */
	bool leaf;		/* the stack ends in it, too */
};

extern const struct fl_jfr_subject fl_jfr_subjects[]; /* as above */

/* Purposes for which an event's fields are read. */
enum fl_jfr_slot {
	FL_JFR_TIME, FL_JFR_DURATION, FL_JFR_THREAD, FL_JFR_STACK,
	FL_JFR_STATE, FL_JFR_COUNT, FL_JFR_VALUE, FL_JFR_FACTOR, FL_JFR_LEAF,
	FL_JFR_OTHER, FL_JFR_ADDRESS, FL_JFR_SLOTS
};

struct fl_jfr_step {
	uint8_t code;		/* of the op */
	int8_t slot;		/* -1: skipped */
	const struct fl_jfr_op *op;
};

/* Reads and counts the events of a class in a chunk. */
struct fl_jfr_reader {
	uint32_t number;	/* in chunk->readers */
	struct fl_jfr_class *class;
	struct slice event;	/* its name in current versions */
	const struct fl_jfr_row *row;	/* NULL: by its own name */
	const struct fl_jfr_subject *subject;	/* NULL: not asked for */
	/* Of the leaf and subject; NULL: none. */
	const struct fl_jfr_field *leaf_field;
	bool full;		/* counted by stack; else only counted */
	bool raw;		/* asked for by its own name */
	enum fl_jfr_role role;
	bool plain;		/* only a stack and a state */
	bool has_layouts;	/* plain, of short integers: read by layout */
	struct fl_jfr_layouts *layouts;	/* fixed_layout.c */
	/* Plain: 8-bit counters by state and by key of a stack. */
	uint8_t *counters[FL_JFR_STATES];
	uint64_t unlaid;	/* counted in 8-bit counters without a layout */
	uint64_t overflowed;	/* counted there, and moved to the map */
	struct fl_map counted;	/* stack and state -> how many; the rest */
	uint8_t kind[FL_JFR_SLOTS];	/* of a slot: 0 int, 'f', 'd', 1..8 */
	bool has[FL_JFR_SLOTS];
	uint8_t value_unit;	/* enum fl_jfr_unit */
	struct fl_jfr_step *steps;
	uint32_t nsteps;
	/* The same where all are few compressed integers; else none. */
	struct fl_jfr_short_step {
		uint8_t before;		/* bytes to skip, */
		uint8_t slot;		/* before this slot */
	} short_steps[FL_JFR_SLOTS];
	uint32_t nshort;
	/* Of its samples, by state: without a value, and with one (metric.c). */
	struct fl_jfr_kinds {
		struct fl_map by_state;	/* -> struct fl_jfr_kind * */
		struct fl_jfr_kind *last;	/* NULL: none yet */
		uint64_t state;			/* of the last one */
	} kinds[2];
	int64_t samples;	/* of the classes that are only counted */
	uint64_t values[FL_JFR_SLOTS];	/* of the event just read */
};

struct fl_jfr_readers {
	struct fl_jfr_reader **data;
	uint32_t count;
	size_t capacity;
	struct fl_jfr_reader *by_layout[256]; /* fixed_layout.c: by class id */
	unsigned ntables;			/* and the tables it has */
	uint64_t nevents;
};

/* info.c: whether it has facts of the recording. */
bool fl_jfr_is_fact(struct slice event);
/* rows.c: the row or subject of an event, NULL where its type has none. */
const struct fl_jfr_row *fl_jfr_row_of(struct slice event);
const struct fl_jfr_subject *fl_jfr_subject_of(struct slice event);
/* Whether the subject is wanted as a label. */
static inline bool fl_jfr_labels_subject(const struct fl_jfr *jfr,
					 const struct fl_jfr_subject *subject)
{
	const char *wanted = jfr->source->select.labels;

	return fl_is_wanted(wanted, subject->label) ||
	       fl_is_wanted(wanted, "*");
}


/* select.c ------------------------------------------------------------ */

/*
 * Whether --event, if given, names this event: in full, or by its last part, in
 * any case of letters.
 */
bool fl_jfr_is_raw(const struct fl_jfr *jfr, struct slice event);
/* Whether --event may mean a metric of this row (states are seen later). */
bool fl_jfr_row_asked(const struct fl_jfr *jfr,
		      const struct fl_jfr_row *row);
/* Whether thread dumps (jdk.ThreadDump) may be. */
bool fl_jfr_dumps_asked(const struct fl_jfr *jfr);
/* Whether events are counted by stack, not only counted. */
bool fl_jfr_is_full(const struct fl_jfr_chunk *chunk,
		    const struct fl_jfr_reader *reader);
/* The field with the thread of an event; NULL: none. */
const char *fl_jfr_thread_field(const struct fl_jfr_class *class);
bool fl_jfr_has_stack(const struct fl_jfr_class *class);
void fl_jfr_resolve_unit(struct fl_jfr_reader *reader);
/* The unit of its value: "ns", "bytes"; "samples" where it has none. */
const char *fl_jfr_unit(const struct fl_jfr_reader *reader);

/* field.c ------------------------------------------------------------- */

/* A field of one step; NULL: no field of that name. */
const struct fl_jfr_field *fl_jfr_slot_field(const struct fl_jfr_class *class,
					     const char *name);
/* Makes the steps that read these fields (NULL: not wanted) of a class. */
bool fl_jfr_compile(struct fl_jfr_chunk *chunk, struct fl_jfr_reader *reader,
		    const char *const names[FL_JFR_SLOTS]);
/*
 * Reads an event's fields into reader->values, if nshort is not 0 and as many
 * bytes are readable; returns the offset after them.
 */
enum { FL_JFR_SHORT_BYTES = 160 };
const uint8_t *fl_jfr_read_short(struct fl_jfr_reader *reader,
				 const uint8_t *at);
/* The same of any event, by its steps. */
void fl_jfr_read_fields(struct fl_jfr_reader *reader, struct fl_wire *w);
/* A slot as a number, whatever it was on the wire. */
double fl_jfr_double(const struct fl_jfr_reader *reader,
		     enum fl_jfr_slot slot);
/* A timespan in ns. */
int64_t fl_jfr_span_ns(const struct fl_jfr_chunk *chunk, uint8_t unit,
		       int64_t value);

/* fixed_layout.c ------------------------------------------------------ */

/*
 * Layouts of short events: the set of bytes at which their integers end.  Few
 * layouts occur, and a known one has the places of all fields.  Plain
 * events are counted by them, and those with times read (timed_layout.c).
 *
 * A layout is a number of 16 bits, one for each byte after an event's head: set
 * if the byte does not end an integer, or is outside the event.
 */
enum {
	FL_JFR_LAYOUTS = 1 << 16,
	FL_JFR_MIN_BYTES = 5, FL_JFR_MAX_BYTES = 18,	/* of such events */
	FL_JFR_HEAD = 2,		/* size and type of an event */
	FL_JFR_LOOKAHEAD = 64,		/* bytes that must follow */
	FL_JFR_PREFETCH = 1024		/* bytes ahead */
};

/*
 * The bytes outside of an event, by its size.  Sizes without a layout get one
 * that no event matches.
 */
extern const uint16_t fl_jfr_behind[256];

/* Where a field is in an event, in bytes; size 0: there is none. */
struct fl_jfr_place {
	uint8_t at, size;
};

/* The places of the slots; false: it is not a layout of the class's events. */
bool fl_jfr_find_places(const struct fl_jfr_reader *reader, uint32_t not_ends,
			uint32_t outside, struct fl_jfr_place *places);

/* Whether a class's events have a fixed layout, and which. */
void fl_jfr_find_layout(struct fl_jfr_chunk *chunk,
			struct fl_jfr_reader *reader);
/*
 * Counts short events of that kind as long as they come one after another.
 * Returns the place of the first other one.
 */
const uint8_t *fl_jfr_read_by_layout(struct fl_jfr_chunk *chunk,
				     const uint8_t *at, const uint8_t *end);
/* Counts an event by its values; false: it does not fit. */
bool fl_jfr_count_plain(struct fl_jfr_chunk *chunk,
			struct fl_jfr_reader *reader);
/* Frees its tables. */
void fl_jfr_plain_done(struct fl_jfr_reader *reader);
/* Reports all that was counted, once, and forgets it. */
typedef void fl_jfr_plain_fn(void *data, const struct fl_jfr_reader *reader,
			     uint64_t stack, uint64_t state, int64_t samples);
void fl_jfr_each_plain(struct fl_jfr_chunk *chunk,
		       struct fl_jfr_reader *reader, fl_jfr_plain_fn *each,
		       void *data);

#endif
