/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A chunk of format 1.x or 2.x (chunk.c), and its pools while another thread
 * reads its events (parallel_pools.c).
 */
#ifndef FL_JFR_CHUNK_H
#define FL_JFR_CHUNK_H

#include "format/jfr/samples.h"

/* What there is at a place. */
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
/* Its metadata by the header, or any that lies among its events. */
bool fl_jfr_find_meta(struct fl_jfr_chunk *chunk);
/*
 * Reads a chunk whose header was read: metadata, events, pools; the sums are
 * in chunk->events.  false: nothing could be read.  Then the rest, which needs
 * the chunk before.
 */
bool fl_jfr_read_alone(struct fl_jfr_chunk *chunk);
/* The two parts of that, one after the other. */
bool fl_jfr_read_events_alone(struct fl_jfr_chunk *chunk);
bool fl_jfr_read_pools_alone(struct fl_jfr_chunk *chunk);
/* The same by two threads, if there are two and it is large. */
bool fl_jfr_read_by_two(struct fl_jfr_chunk *chunk);
bool fl_jfr_read_rest(struct fl_jfr_chunk *chunk);

/*
 * parallel_pools.c: begins to index the pools of a chunk whose metadata were
 * read and whose events are read next.  NULL: it does not.
 */
struct fl_jfr_parallel_pools;
struct fl_jfr_parallel_pools *
fl_jfr_parallel_pools_new(struct fl_jfr_chunk *chunk);
/*
 * When the events were read; frees it.  false: fl_jfr_read_pools has to do
 * it, and reports the damage.
 */
bool fl_jfr_parallel_pools_end(struct fl_jfr_chunk *chunk,
			       struct fl_jfr_parallel_pools *pools);

#endif
