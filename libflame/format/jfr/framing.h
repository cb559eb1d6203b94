/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the whole events of a damaged chunk. */
#ifndef FL_JFR_FRAMING_H
#define FL_JFR_FRAMING_H

#include "format/jfr/types.h"

/* A run of adjacent whole events. */
struct fl_jfr_range {
	uint64_t from, to;
	bool resized;		/* one event, which ends there; its size is
				   wrong */
};

struct fl_jfr_framing {
	bool done;		/* events were looked through for damage */
	struct fl_jfr_range *ranges;
	size_t nranges, ranges_capacity;
	uint64_t *checkpoints;	/* where they begin */
	size_t ncheckpoints, checkpoints_capacity;
};

/*
 * Finds the whole events, and counts the others in chunk->damage.lost.  false:
 * out of memory.
 */
bool fl_jfr_find_ranges(struct fl_jfr_chunk *chunk);
/* Counts all events of a chunk that cannot be read, by their sizes. */
void fl_jfr_count_lost(struct fl_jfr_chunk *chunk);
bool fl_jfr_add_checkpoint(struct fl_jfr_chunk *chunk, uint64_t at);
void fl_jfr_framing_free(struct fl_jfr_framing *framing);
/*
 * Reads a checkpoint's header; *delta: the way to the next checkpoint.
 * Returns the number of pools that follow.
 */
uint32_t fl_jfr_begin_checkpoint(struct fl_wire *w, int64_t *delta);
/* Over a pool or a whole checkpoint; false: it is damaged. */
bool fl_jfr_skip_pool(struct fl_jfr_chunk *chunk, struct fl_wire *w);
bool fl_jfr_skip_checkpoint(struct fl_jfr_chunk *chunk, struct fl_wire *w);

#endif
