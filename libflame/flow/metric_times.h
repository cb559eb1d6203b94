/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Samples with times that are buffered: sums by metric, stack, labels and time.
 * Where there are many, times are rounded (times.h), less than a page does.
 */
#ifndef FL_METRIC_TIMES_H
#define FL_METRIC_TIMES_H

#include "flow/times.h"

/* Zeroed: empty. */
struct fl_metric_times {
	struct fl_times_of {
		flame_id metric;
		struct fl_times times;
	} *data;
	size_t count, capacity;
};

/* The sample's weight is above 0, and it has a time or a run of times. */
int fl_metric_times_add(struct flame *flame, struct fl_metric_times *to,
			const struct flame_sample *sample);
/* Sorts all; due before fl_metric_times_next. */
int fl_metric_times_finish(struct flame *flame, struct fl_metric_times *m);
/*
 * The next series as one sample with a run of times, which is made in the
 * dictionary `to`, and lasts until the next.  The ids are those of the
 * dictionary of the samples that were added.  *at is 0 at first.  FLAME_END:
 * there is no further one.
 */
int fl_metric_times_next(struct flame *to, const struct fl_times_of *of,
			 size_t *at, struct flame_sample *sample);
void fl_metric_times_free(struct fl_metric_times *m);

#endif
