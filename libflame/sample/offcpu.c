/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Time in which threads are blocked: the kernel takes a sample when one leaves
 * its CPU, and tells when it is back.  One that only makes way for others is not
 * blocked.
 */
#include "fl.h"

#include "sample/recorder.h"

void fl_offcpu_begin(struct fl_recorder *r)
{
	struct fl_waiters *w = &r->waiters;

	fl_waiters_list(r);
	for (size_t i = 0; i < w->ntasks; i++) {
		struct fl_waiter *waiter = fl_waiter_get(r, w->tasks[i].pid,
							 w->tasks[i].tid);

		if (!waiter)
			return;
		if (fl_waiter_read(r, waiter))
			waiter->since = r->begin;
	}
	w->ntasks = 0;
}

bool fl_offcpu_leave(struct fl_recorder *r, const struct fl_waiter *leaving)
{
	struct fl_waiter *waiter = fl_waiter_get(r, leaving->pid, leaving->tid);

	if (waiter)
		*waiter = *leaving;
	return false;
}

/* In microseconds; a wait that took less is none. */
static bool end_wait(struct fl_recorder *r, struct fl_waiter *waiter,
		     int64_t time, struct flame_sample *sample)
{
	int64_t took = (time - waiter->since) / 1000;

	if (!waiter->there)
		return false;
	waiter->there = false;
	if (took <= 0)
		return false;
	fl_recorder_emit(r, waiter, waiter->since, (uint64_t)took, sample);
	return true;
}

bool fl_offcpu_switch(struct fl_recorder *r, const struct fl_event *e,
		      struct flame_sample *sample)
{
	const uint64_t *place = fl_map_get(&r->waiters.by_tid,
					   (uint64_t)e->tid);
	struct fl_waiter *waiter;

	if (!place || !*place)
		return false;
	waiter = &r->waiters.data[*place - 1];
	if (e->kind == FL_EVENT_SWITCH_IN)
		return end_wait(r, waiter, (int64_t)e->time, sample);
	if (e->kind == FL_EVENT_EXIT || e->preempted)
		waiter->there = false;
	return false;
}

bool fl_offcpu_rest(struct fl_recorder *r, struct flame_sample *sample)
{
	struct fl_waiters *w = &r->waiters;

	while (w->next < w->count)
		if (end_wait(r, &w->data[w->next++], fl_now(), sample))
			return true;
	return false;
}
