/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Samples where the kernel's events are refused: a thread of the recorder stops
 * threads that run, by ptrace(2), and copies their registers and stacks.  It
 * writes the records that the kernel would write, into a ring of its own, so
 * that all that reads rings reads it.
 */
#ifndef FL_SAMPLE_STOPS_H
#define FL_SAMPLE_STOPS_H

#include "sample/perf_events.h"

struct fl_stops;

/* How long threads on a CPU were stopped, at most; in microseconds. */
struct fl_stops_times {
	uint64_t count;		/* of all stops */
	unsigned median, most;	/* of 99 in 100 */
};

/* false: refused, or failed for memory (see flame_error). */
bool fl_stops_open(struct flame *flame, struct fl_perf_events *events,
		   const struct fl_sampling *sampling,
		   struct fl_refusal *refusal);
bool fl_stops_start(struct fl_stops *stops);
/* Nothing is stopped any more. */
struct fl_stops_times fl_stops_end(struct fl_stops *stops);
void fl_stops_free(struct fl_stops *stops);
/* Whether threads of this process may be stopped, and why not; pid 0: any. */
bool fl_stops_permitted(pid_t pid, struct fl_refusal *refusal);

#endif
