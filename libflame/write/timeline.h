/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Timelines of threads: frames begin and end (timeline.c).
 */
#ifndef FL_TIMELINE_H
#define FL_TIMELINE_H

#include "write/rows.h"

struct fl_path {
	flame_id *frames;
	size_t count, capacity;
};

struct fl_timeline {
	const struct fl_rows *rows;	/* of fl_thread_rows_sink */
	int64_t unit_ns;	/* length of a weight of 1 */
	/*
	 * Readers sort events, and cannot decide whether a frame ends or one of
	 * its name begins first, if the time is the same: then all frames end,
	 * and begin a nanosecond later.
	 */
	bool sorts;
	/* A frame begins or ends; time: ns since rows->first. */
	void (*put)(void *arg, bool begins, int64_t time, flame_id frame);
	void *arg;
	struct fl_path open, next;	/* of the thread; of the sample */
	uint64_t below_zero;		/* stacks without a length, left out */
	uint64_t no_stack;		/* samples that no frame can hold */
	int64_t no_stack_weight;
	bool failed;			/* out of memory */
};

/* The rows of a thread; returns the time of the end. */
int64_t fl_timeline_run(struct fl_timeline *timeline, size_t from, size_t to);
/* Reports samples that are left out. */
void fl_timeline_remark(const struct fl_timeline *timeline);
void fl_timeline_free(struct fl_timeline *timeline);
/* The length of a metric's unit in ns; 0: it is not a time. */
int64_t fl_unit_ns(const struct flame_metric *metric);

#endif
