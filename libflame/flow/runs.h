/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Runs: many times of equal samples in one sample, for a sink that sums by
 * time anyway (fl_select.needs has FL_NEED_RUNS).  The sample's weight is the
 * sum, and its time stands for the run.  A run lasts until the source is read
 * again: a sink that buffers samples copies it.
 */
#ifndef FL_RUNS_H
#define FL_RUNS_H

#include "flow/flow.h"

/* Sorted by time; no two are equal. */
struct fl_run {
	struct fl_run_part {
		int64_t time, weight;
	} *data;
	size_t count;
	/* Of the times before they were rounded; first > last: they were not. */
	int64_t first, last;
};

void fl_runs_clear(struct flame *flame);
/* Adds a time to the run that is being made, in any order.  false: out of
   memory. */
bool fl_runs_add(struct flame *flame, int64_t time, int64_t weight);
/*
 * Ends the run, and returns the time that stands for it.  Its parts then add up
 * to the weight: the last one gets the difference from rounding.
 * FLAME_NOTIME: no times were added, or out of memory.
 */
int64_t fl_runs_end(struct flame *flame, int64_t weight);
/*
 * The same of parts that are the caller's, and stay as long as the run does;
 * they are sorted, and equal ones summed.
 */
int64_t fl_runs_use(struct flame *flame, struct fl_run_part *parts,
		    size_t count, int64_t weight);
/*
 * The last run's times were rounded down, as select.time_shift allows: its
 * first and last one before that.
 */
void fl_runs_set_span(struct flame *flame, int64_t first, int64_t last);
void fl_runs_free(struct flame *flame);
/* The run that a time stands for; false: it is a time. */
bool fl_run_find(const struct flame *flame, int64_t time, struct fl_run *run);

#endif
