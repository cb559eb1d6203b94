/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Weights by time of many series: what a page shows of its samples' times.
 * A series is a stack with labels.
 *
 * Times are exact while there are few cells (series and time).  Where there
 * are more, times are rounded down to a multiple of 2^shift ns, by the
 * smallest shift that leaves few enough.  Buckets of a shift lie within those
 * of the next, so the result does not depend on the order of samples.
 */
#ifndef FL_TIMES_H
#define FL_TIMES_H

#include "flow/flow.h"

enum {
	FL_MAX_BUCKETS = 2048,		/* of a rounded span */
	FL_MAX_PAGE_SAMPLES = 2000000,	/* cells at most */
	FL_MIN_BUCKETS = 64		/* more cells are allowed for these */
};

struct fl_series {
	flame_id stack, thread, labels;
	uint32_t last;		/* its last cell, plus one; 0: none */
};

struct fl_cell {
	int64_t time;		/* or FLAME_NOTIME */
	int64_t weight;
	uint32_t series;
};

/* Zeroed, besides both limits: empty. */
struct fl_times {
	size_t max_exact, max_cells;
	struct fl_series *series;
	size_t nseries, series_capacity;
	struct fl_index index;	/* of series */
	struct fl_cell *cells;
	size_t count, capacity;
	size_t ngrouped;	/* cells in the order of series and time */
	struct fl_cell *spare;	/* for sorting; NULL: none yet */
	size_t spare_capacity;
	size_t check_at;	/* the number of cells that are too many */
	uint32_t current;	/* the last sample's series, plus one */
	unsigned shift;		/* times are multiples of 2^shift; 0: exact */
	int64_t first, last;	/* of all times; first > last: none */
};

void fl_times_init(struct fl_times *times, size_t max_exact, size_t max_cells);
void fl_times_free(struct fl_times *times);
/* The sample may have a run of times.  false: out of memory. */
bool fl_times_add(struct fl_times *times, const struct flame *flame,
		  const struct flame_sample *sample);
/*
 * Announces samples: rounds times by the shift that they lead to at the least,
 * so that the samples may be rounded by their source.
 */
void fl_times_expect(struct fl_times *times,
		     const struct fl_expected *expected);
/*
 * Sorts cells by series and time, sums equal ones, and rounds times further
 * where they are still too many.  *fit: false if rounding did not help.
 */
bool fl_times_finish(struct fl_times *times, bool *fit);
/* Whether cells may be too many, so that fl_times_finish is due. */
static inline bool fl_times_full(const struct fl_times *times)
{
	return times->count >= times->check_at;
}
/* Forgets all times. */
bool fl_times_drop(struct fl_times *times);

#endif
