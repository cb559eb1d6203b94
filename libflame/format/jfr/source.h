/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The source (source.c): finds chunks in the input (scan.c), reads them ahead
 * by threads (read_ahead.c), and spans in a pass of its own (span_pass.c).
 */
#ifndef FL_JFR_SOURCE_H
#define FL_JFR_SOURCE_H

#include "format/jfr/chunk.h"

/* scan.c -------------------------------------------------------------- */

/* Whether that is the beginning of a chunk of format 0.9. */
bool fl_jfr_is_v0(const uint8_t *at, size_t avail);
/* Bytes up to the next chunk, or all that are left. */
size_t fl_jfr_to_next_chunk(struct fl_jfr *jfr, const uint8_t *at, size_t from,
			    size_t avail);
/*
 * What begins at an offset, and its size: of a whole chunk, or up to the next
 * one.  For a chunk that is cut that is chunk->size.
 */
size_t fl_jfr_extent(struct fl_jfr_chunk *chunk, const uint8_t *at,
		     size_t avail, enum fl_jfr_found *found);
/* The end of a chunk by its header, ns since 1970. */
int64_t fl_jfr_end_of(const struct fl_jfr_chunk *chunk);
/* The span of the whole recording, from all headers. */
void fl_jfr_prescan(struct fl_jfr *jfr, const uint8_t *at, size_t size);

/*
 * repeat.c: whether the chunk was read before, here or in another input that
 * goes the same way; start: ns since 1970, or FLAME_NOTIME.
 */
bool fl_jfr_is_repeated(const struct fl_jfr *jfr, const uint8_t *at,
			uint64_t size, int64_t start);

/* span_pass.c: reads the spans of all chunks to filter or label samples. */
int fl_jfr_prepare_spans(struct fl_jfr *jfr, const uint8_t *at, size_t size,
			 bool filter, bool label);

/* read_ahead.c: chunks that other threads read while one is given out. -- */
struct fl_jfr_read_ahead *fl_jfr_ahead_new(struct fl_jfr *jfr);
/* Whether it accepts one more chunk, which it then owns. */
bool fl_jfr_ahead_has_room(const struct fl_jfr_read_ahead *ahead);
/* The same, of a chunk whose bytes are in memory of their own. */
bool fl_jfr_ahead_fits(const struct fl_jfr_read_ahead *ahead, uint64_t size);
void fl_jfr_ahead_add(struct fl_jfr_read_ahead *ahead,
		      struct fl_jfr_chunk *chunk);
/* Chunks that were added and not removed yet, and their bytes. */
size_t fl_jfr_ahead_count(const struct fl_jfr_read_ahead *ahead,
			  uint64_t *bytes);
/* The first of these; *good: as of fl_jfr_read_alone. */
struct fl_jfr_chunk *fl_jfr_ahead_take(struct fl_jfr_read_ahead *ahead,
				       bool *good);
void fl_jfr_ahead_free(struct fl_jfr_read_ahead *ahead);

#endif
