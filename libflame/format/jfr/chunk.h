/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A chunk of format 1.x or 2.x (chunk.c).
 */
#ifndef FL_JFR_CHUNK_H
#define FL_JFR_CHUNK_H

#include "format/jfr/samples.h"

/* What begins at an offset of the input. */
enum fl_jfr_found {
	FL_JFR_NONE,		/* no chunk here */
	FL_JFR_WHOLE,		/* finished, all there */
	FL_JFR_LIVE,		/* not finished, but consistent up to size */
	FL_JFR_CUT,		/* its end, or its pools, are not there */
	FL_JFR_FUTURE		/* a version that is not known */
};

/* Fills in the header of a chunk. */
enum fl_jfr_found fl_jfr_read_header(struct fl_jfr_chunk *chunk,
				     const uint8_t *at, size_t avail);
struct fl_jfr_chunk *fl_jfr_chunk_new(struct fl_jfr *jfr, uint64_t offset);
void fl_jfr_chunk_free(struct fl_jfr_chunk *chunk);
/* --from and --to in ticks, computed as jfrconv does. */
void fl_jfr_limit(struct fl_jfr_chunk *chunk);
/* Its metadata: at the header's offset, or else found among its events. */
bool fl_jfr_find_meta(struct fl_jfr_chunk *chunk);
/*
 * Reads a chunk whose header was read: metadata, events, pools; the sums are
 * in chunk->events.  false: nothing could be read.  Then the rest, which needs
 * the chunk before.
 */
bool fl_jfr_read_alone(struct fl_jfr_chunk *chunk);
bool fl_jfr_read_rest(struct fl_jfr_chunk *chunk);

#endif
