/* SPDX-License-Identifier: Apache-2.0 */
/*
 * flame-record -e offcpu, a struct fl_recorder_kind of record.c: each time that
 * a thread was blocked is a sample, whose weight is that time in microseconds.
 * The kernel samples when a thread leaves its CPU, and records when it is back.
 * A thread that only makes way for others is not blocked.
 *
 * With --min-wait the kernel does not sample, as each sample costs as much as a
 * short wait.  Its records of switches say who left a CPU, and the stack of a
 * thread that has waited for half of that time is read in place.
 */
#include "fl.h"

#include "sample/recorder.h"

#include <unistd.h>

static void begin(struct fl_recorder *r)
{
	struct fl_waiters *w = &r->waiters;

	fl_waiters_list(r);
	for (size_t i = 0; i < w->ntasks; i++) {
		struct fl_waiter *waiter = fl_waiter_get(r, w->tasks[i].pid,
							 w->tasks[i].tid);

		if (!waiter)
			return;
		waiter->since = waiter->read = r->begin;
		waiter->waits = fl_waiter_read(r, waiter);
	}
	w->ntasks = 0;
}

/* A thread leaves its CPU: its wait has no end yet. */
static bool leave(struct fl_recorder *r, struct fl_waiter *leaving,
		  struct fl_owed owed, int64_t time,
		  struct flame_sample *sample)
{
	struct fl_waiter *waiter = fl_waiter_get(r, leaving->pid, leaving->tid);

	(void)owed, (void)sample;
	leaving->there = true;
	leaving->since = time;
	if (waiter)
		*waiter = *leaving;
	return false;
}

/* In microseconds.  Shorter waits, and those below the least, are left out. */
static bool end_wait(struct fl_recorder *r, struct fl_waiter *waiter,
		     int64_t time, struct flame_sample *sample)
{
	int64_t least = r->how.sampling.least_wait;
	int64_t duration = time - waiter->since;
	/* It may have waited again by then. */
	bool there = waiter->there && (!least || waiter->read <= time);
	bool waits = waiter->waits;

	waiter->there = waiter->waits = false;
	if (duration < 1000 || duration < least)
		return false;
	if (!there && waits)
		r->result.unseen += (uint64_t)duration;
	if (!there)
		return false;
	fl_recorder_emit(r, waiter, waiter->since, (uint64_t)duration / 1000,
			 sample);
	return true;
}

/* Threads that wait are listed until their stacks are read, or they run. */
static void begin_wait(struct fl_recorder *r, const struct fl_event *e)
{
	struct fl_waiters *w = &r->waiters;
	struct fl_waiter *waiter = e->pid == getpid() ? NULL :
				   fl_waiter_get(r, e->pid, e->tid);

	if (!waiter)
		return;
	waiter->since = (int64_t)e->time;
	waiter->there = false;
	waiter->waits = true;
	if (waiter->listed)
		return;
	if (!fl_grow(&w->tasks, &w->tasks_capacity, w->ntasks + 1,
		     sizeof(*w->tasks))) {
		fl_no_memory(r->processes.flame);
		return;
	}
	waiter->listed = true;
	w->tasks[w->ntasks++] = (struct fl_task){ e->pid, e->tid };
}

/* Whether the thread is to be read again. */
static bool look(struct fl_recorder *r, struct fl_waiter *waiter)
{
	int64_t now = fl_now();

	if (!waiter->waits || waiter->there)
		return false;
	if (now - waiter->since < r->how.sampling.least_wait / 2)
		return true;
	if (r->how.sampling.all)
		fl_process_get(&r->processes, waiter->pid);
	waiter->read = now;
	fl_waiter_read(r, waiter);
	return false;
}

static void look_at_waits(struct fl_recorder *r)
{
	struct fl_waiters *w = &r->waiters;
	size_t n = 0;

	if (!r->how.sampling.least_wait)
		return;
	for (size_t i = 0; i < w->ntasks; i++) {
		struct fl_waiter *waiter = fl_waiter_get(r, w->tasks[i].pid,
							 w->tasks[i].tid);

		if (!waiter)
			return;
		waiter->listed = look(r, waiter);
		if (waiter->listed)
			w->tasks[n++] = w->tasks[i];
	}
	w->ntasks = n;
}

static int wait_for_look(const struct fl_recorder *r, int most)
{
	int64_t quarter = r->how.sampling.least_wait / 4000000;

	return !r->how.sampling.least_wait ? most :
	       (int)FL_MIN(FL_MAX(quarter, 1), FL_RECORDER_WAIT_MS);
}

static bool switched(struct fl_recorder *r, const struct fl_event *e,
		     struct flame_sample *sample)
{
	const uint64_t *place = fl_map_get(&r->waiters.by_tid,
					   (uint64_t)e->tid);
	struct fl_waiter *waiter = place && *place ?
				   &r->waiters.data[*place - 1] : NULL;

	if (r->how.sampling.least_wait && e->kind == FL_EVENT_SWITCH_OUT &&
	    !e->preempted) {
		begin_wait(r, e);
		return false;
	}
	if (!waiter)
		return false;
	if (e->kind == FL_EVENT_SWITCH_IN)
		return end_wait(r, waiter, (int64_t)e->time, sample);
	if (e->kind == FL_EVENT_EXIT || e->preempted)
		waiter->there = waiter->waits = false;
	return false;
}

static bool rest(struct fl_recorder *r, struct flame_sample *sample)
{
	struct fl_waiters *w = &r->waiters;

	while (w->next < w->count)
		if (end_wait(r, &w->data[w->next++], fl_now(), sample))
			return true;
	return false;
}

const struct fl_recorder_kind fl_recorder_offcpu = {
	.metric = "offcpu", .unit = "microseconds", .weighs_time = true,
	.begin = begin, .seen = leave, .switched = switched,
	.rest = rest, .look = look_at_waits, .wait = wait_for_look,
};
