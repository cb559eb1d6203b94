/* SPDX-License-Identifier: Apache-2.0 */
/* Constants: their offsets (pool.c), and their text (text.c). */
#ifndef FL_JFR_POOLS_H
#define FL_JFR_POOLS_H

#include "format/jfr/types.h"

/* Constants of a class by their keys: where they lie in the chunk. */
struct fl_jfr_pool {
	struct fl_dense places;
	uint64_t promised;	/* the number that the chunk claims */
};

struct fl_jfr_pools {
	uint64_t begin;		/* the first checkpoint's offset; 0: unknown */
	uint64_t nmet, nlinked;	/* checkpoints among events, in the chain */
	/* Keeps a constant of the class of stack traces. */
	void (*keep_trace)(struct fl_jfr_chunk *chunk, uint64_t key,
			   uint64_t at, uint64_t size);
	struct fl_map threads, states, leaves[2];	/* text.c: by keys */
};

/* Notes the classes whose constants may be needed. */
void fl_jfr_want_pools(struct fl_jfr_chunk *chunk);
/*
 * Indexes them along the chain of checkpoints, and where that is broken all
 * that can be found.
 */
bool fl_jfr_index_pools(struct fl_jfr_chunk *chunk);
void fl_jfr_pools_free(struct fl_jfr_chunk *chunk);
/* A wire at a constant's value; false: no such constant. */
bool fl_jfr_constant(const struct fl_jfr_chunk *chunk,
		     const struct fl_jfr_class *class, uint64_t key,
		     struct fl_wire *w);

/* Text with data NULL means null.  It lives as long as the chunk. */
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
/* The number of a thread in its label set. */
uint64_t fl_jfr_tid(struct fl_jfr_chunk *chunk, uint64_t key);
/* Thread label set, state name, class-leaf frame of a key, all cached. */
flame_id fl_jfr_thread(struct fl_jfr_chunk *chunk, uint64_t key);
flame_id fl_jfr_state(struct fl_jfr_chunk *chunk, uint64_t key);
flame_id fl_jfr_leaf(struct fl_jfr_chunk *chunk, uint64_t key, bool outside);
/* Whether the name of a class is in the chunk or in the one before. */
bool fl_jfr_has_class(struct fl_jfr_chunk *chunk, uint64_t key);
/* "[[I" is int[][], "[Ljava/lang/String;" java.lang.String[]. */
void fl_jfr_put_class(struct fl_buf *buf, struct slice symbol);
/*
 * The previous chunk of the JVM, for a chunk whose pools were cut off: keys of
 * threads, states and frame types are stable while the JVM runs.  NULL: none.
 */
struct fl_jfr_chunk *fl_jfr_stand_in(struct fl_jfr_chunk *chunk);

#endif
