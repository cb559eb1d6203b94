/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Stack traces: those that events refer to (trace.c), methods as frames
 * (frame.c), and traces as stacks of the dictionary (stack.c).
 */
#ifndef FL_JFR_TRACES_H
#define FL_JFR_TRACES_H

#include "format/jfr/pools.h"

enum { FL_JFR_FRAME_TYPES = 16 };

struct fl_jfr_trace {
	uint64_t key;
	uint64_t at;		/* its value in the chunk; 0: none */
	flame_id stack;		/* once made */
	uint32_t size;		/* of the value; 0: not known */
	uint32_t first;		/* the first sum, plus one: see sum.c */
	bool made, missing;
};

/* The traces of a chunk that events refer to. */
struct fl_jfr_traces {
	struct fl_dense by_key;	/* -> index in data, plus one */
	struct fl_jfr_trace *data;
	size_t count, capacity;
};

/* What making stacks needs: caches, and the last trace. */
struct fl_jfr_stacks {
	uint8_t frame_types[FL_JFR_FRAME_TYPES];	/* key -> flame_type */
	struct fl_buf name;		/* where a frame's name is built */
	struct fl_jfr_spelling {	/* the fields that a name is made of */
		bool known;
		const struct fl_jfr_field *method, *type, *class;
	} spelling;
	struct fl_map frames[FLAME_GROUP + 1];	/* by type: method -> frame */
	struct fl_map located;			/* frames with a line or bci */
	/* Frames without a place: by key of the type and of the method. */
	struct fl_dense plain[FL_JFR_FRAME_TYPES];
	struct fl_jfr_layout *layout;	/* stack.c: of a frame on the wire */
	/* The trace read last, root first, and its frames' bytes. */
	struct fl_jfr_path {
		flame_id *frames, *stacks;
		size_t frames_capacity, stacks_capacity;
		const uint8_t *end;	/* of the bytes of frames */
		size_t size;		/* of these bytes; 0: do not compare */
	} path;
};

/* trace.c ------------------------------------------------------------- */

/* The trace of a key; UINT32_MAX: none yet. */
static inline uint32_t fl_jfr_trace_of(const struct fl_jfr_traces *traces,
				       uint64_t key)
{
	return (uint32_t)fl_dense_get(&traces->by_key, key) - 1;
}

/* Makes it; UINT32_MAX: out of memory. */
uint32_t fl_jfr_add_trace(struct fl_jfr_traces *traces, uint64_t key);
/* Indexes all constants that are wanted, and traces. */
bool fl_jfr_read_pools(struct fl_jfr_chunk *chunk);
/* Frees the tables. */
void fl_jfr_traces_done(struct fl_jfr_chunk *chunk);

/* frame.c ------------------------------------------------------------- */

/* Frame types of this chunk; after the pools are read. */
void fl_jfr_frame_types(struct fl_jfr_chunk *chunk);
/* A method's frame. */
flame_id fl_jfr_frame(struct fl_jfr_chunk *chunk, uint64_t method,
		      uint64_t type, uint32_t line, uint32_t bci);
/* Whether a method's name, and that of its class, are in the chunk. */
bool fl_jfr_has_name(struct fl_jfr_chunk *chunk, uint64_t method,
		     uint64_t type_key);
/* Caches of frames are freed. */
void fl_jfr_frames_free(struct fl_jfr_stacks *stacks);

/* stack.c ------------------------------------------------------------- */

/* Makes the stacks of n traces that are there. */
void fl_jfr_make_all_stacks(struct fl_jfr_chunk *chunk, const uint32_t *traces,
			    size_t n);
/* Of one trace; false: it is missing. */
bool fl_jfr_stack(struct fl_jfr_chunk *chunk, struct fl_jfr_trace *trace);
/* For a chunk that was cut: traces whose frames cannot be named are missing. */
void fl_jfr_drop_unnamed(struct fl_jfr_chunk *chunk);
void fl_jfr_stacks_done(struct fl_jfr_chunk *chunk);

#endif
