/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the files of format 0.9 share, in the order data flow:
 *
 *	meta.c		the metadata: events, constants, their fields
 *	values.c	values, and the constants of checkpoints
 *	names.c		threads, frames and stacks of constants
 *	chunk.c		the chunk and its events
 */
#ifndef FL_JFR_V0_INTERNAL_H
#define FL_JFR_V0_INTERNAL_H

#include "format/jfr/samples.h"

enum {
	HEADER = 16,
	EVENT = 8,		/* size and type of an event */
	MAX_DEPTH = 16		/* structs in structs, constants by constants */
};

/* Event types of the format itself. */
enum { METADATA, CHECKPOINT, LOST };

enum fl_v0_type {
	BOOLEAN, BYTE, U1, SHORT, U2, INT, U4, LONG, U8, FLOAT, DOUBLE,
	UTF8, STRING, ARRAY, STRUCT, STRUCTS
};

/* Sizes of numbers in bytes, by type. */
extern const uint8_t fl_v0_sizes[UTF8];

/* What a number means: the key of a constant, or something else. */
enum fl_v0_role {
	OTHER, STACK, THREAD, STATE, CLASS, METHOD, TYPE, UTF,
	KINDS,			/* of constants */
	LINE = KINDS, BCI, TLAB_SIZE, SIZE, BYTES,
	ROLES
};

struct fl_v0_field {
	struct slice name;
	uint32_t content;	/* content type's id; 0: a plain value */
	uint32_t index;		/* of a struct, or an array's data type */
	uint8_t type, role;
	/* The layout of a struct; NULL: unknown. */
	const struct fl_v0_layout *layout;
};

struct fl_v0_layout {
	struct fl_v0_field *fields;
	uint32_t n;
};

struct fl_v0_producer {
	struct slice uri;
	struct fl_v0_layout *layouts;
	uint32_t n;
};

struct fl_v0_content {
	uint8_t kind, key_size;
	const struct fl_v0_layout *layout;
};

struct fl_v0_event {
	struct slice name;	/* of current versions, if it has one */
	struct slice shown;	/* its name in --info */
	const struct fl_jfr_row *row;
	bool raw, starts, threads, stacks;
	const struct fl_v0_layout *layout;
};

/* A constant at a checkpoint's time. */
struct fl_v0_constant {
	uint64_t key;
	int64_t ticks;
	uint64_t at;		/* offset of its value */
	uint8_t kind;
	bool made;
	flame_id id;		/* what it was made: stack, thread, type */
};

struct fl_v0 {
	struct fl_jfr *jfr;	/* NULL: only looking */
	const uint8_t *at;
	uint64_t size, meta_at;
	struct fl_arena arena;
	struct fl_v0_producer *producers;
	uint32_t nproducers;
	struct fl_v0_event *events;
	size_t nevents, events_capacity;
	struct fl_map event_of;		/* id -> index in events, plus one */
	struct fl_v0_content *contents;
	size_t ncontents, contents_capacity;
	struct fl_map content_of;
	const struct fl_v0_layout *layouts[KINDS];
	int64_t start_ms, end_ms, start_ticks, ticks_per_second;
	int64_t from, to;		/* ns */
	struct fl_v0_constant *constants;
	size_t nconstants, constants_capacity;
	struct fl_map frames;	/* constant's index and type -> frame */
	flame_id *path;
	size_t path_capacity;
	struct fl_jfr_kind kind;	/* of samples of the last event */
	const struct fl_v0_event *kind_of;	/* NULL: none yet */
	bool async, runnable_wall, no_memory;
	uint64_t given, lost;
	const char *why;	/* the first damage, at why_at */
	uint64_t why_at;
};

/* The numbers of a struct by their roles; the first of a role counts. */
struct fl_v0_numbers {
	uint64_t n[ROLES];
	uint32_t has;
};

static inline struct fl_wire fl_v0_wire(const struct fl_v0 *v, uint64_t at,
					uint64_t end)
{
	return (struct fl_wire){ .at = v->at + at, .end = v->at + end };
}

/* Reported at the end; false, for those who return it. */
static inline bool fl_v0_no_memory(struct fl_v0 *v)
{
	v->no_memory = true;
	return false;
}

static inline void fl_v0_damage(struct fl_v0 *v, uint64_t at, uint64_t lost,
				const char *why)
{
	v->lost += lost;
	if (v->why)
		return;
	v->why = why;
	v->why_at = at;
}

/* meta.c -------------------------------------------------------------- */

/*
 * Offset of the metadata, 0: not found.  It is the header's offset, or a little
 * less if bytes were lost in transfer (by git's CRLF translation, say).
 */
uint64_t fl_v0_find_meta(const uint8_t *at, size_t avail);
/* The metadata event at an offset; false: it is none. */
bool fl_v0_read_meta(struct fl_v0 *v, uint64_t at);
void fl_v0_free(struct fl_v0 *v);

/* values.c ------------------------------------------------------------ */

struct slice fl_v0_utf(struct fl_wire *w);
/* A count of elements of at least `least` bytes each. */
uint32_t fl_v0_count(struct fl_wire *w, size_t least);
void fl_v0_skip(const struct fl_v0_field *f, unsigned type, struct fl_wire *w,
		unsigned depth);
void fl_v0_read_numbers(const struct fl_v0_layout *layout, struct fl_wire *w,
			struct fl_v0_numbers *to);
void fl_v0_read_checkpoint(struct fl_v0 *v, uint64_t at, uint32_t size);
/* Before any is looked for. */
void fl_v0_sort(struct fl_v0 *v);
/* A constant as of a time; NULL: none. */
struct fl_v0_constant *fl_v0_find(const struct fl_v0 *v, enum fl_v0_role kind,
				  uint64_t key, int64_t ticks);
/* Its first text, or that of the constant it refers to. */
struct slice fl_v0_text(const struct fl_v0 *v, const struct fl_v0_constant *c);
struct fl_v0_numbers fl_v0_numbers_of(const struct fl_v0 *v,
				      const struct fl_v0_constant *c);

/* names.c ------------------------------------------------------------- */

flame_id fl_v0_thread(struct fl_v0 *v, uint64_t tid, int64_t ticks);
/* A class shown as a frame. */
flame_id fl_v0_leaf(struct fl_v0 *v, uint64_t key, int64_t ticks,
		    enum flame_type type);
/* false: the stack is not there. */
bool fl_v0_stack(struct fl_v0 *v, uint64_t key, int64_t ticks, flame_id *stack);

#endif
