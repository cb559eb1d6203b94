/* SPDX-License-Identifier: Apache-2.0 */
/*
 * flame-record -e wall, a struct fl_recorder_kind of record.c: all threads are
 * looked at, at a frequency.  A blocked thread's stack is read (blocked.c), and
 * makes a sample.  A look at a running thread adds to the weight of its next
 * sample, which the kernel records anyway.  So each thread gets as many looks
 * as any other, and none is stopped.  The kernel's account of a thread says
 * which share of these looks found it waiting for a CPU.
 *
 * fl_waiter_read() reads a stack for offcpu.c, too.
 */
#include "fl.h"

#include "sample/apart.h"

#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

struct fl_waiter *fl_waiter_get(struct fl_recorder *r, pid_t pid, pid_t tid)
{
	struct fl_waiters *w = &r->waiters;
	uint64_t *place = fl_map_put(&w->by_tid, (uint64_t)tid, NULL);
	struct fl_waiter *waiter;

	if (!place || !fl_grow(&w->data, &w->capacity, w->count + 1,
			       sizeof(*w->data))) {
		fl_no_memory(r->processes.flame);
		return NULL;
	}
	if (!*place) {
		*place = ++w->count;
		w->data[*place - 1].pid = 0;
	}
	waiter = &w->data[*place - 1];
	if (waiter->pid != pid)		/* new, or the number is used again */
		*waiter = (struct fl_waiter){ .pid = pid, .tid = tid };
	return waiter;
}

void fl_waiters_free(struct fl_waiters *w)
{
	fl_map_free(&w->by_tid);
	fl_free(w->data);
	fl_free(w->tasks);
	fl_blocked_free(&w->blocked);
}

/* Threads ----------------------------------------------------------------- */

static void list_process(struct fl_recorder *r, pid_t pid)
{
	struct fl_waiters *w = &r->waiters;
	struct dirent *entry;
	DIR *dir = fl_open_folder(pid, "task");

	while (dir && (entry = readdir(dir))) {
		if (!fl_is_digit(entry->d_name[0]))
			continue;
		if (!fl_grow(&w->tasks, &w->tasks_capacity, w->ntasks + 1,
			     sizeof(*w->tasks))) {
			fl_no_memory(r->processes.flame);
			break;
		}
		w->tasks[w->ntasks++] = (struct fl_task){
			pid, (pid_t)strtol(entry->d_name, NULL, 10)
		};
	}
	if (dir)
		closedir(dir);
}

void fl_waiters_list(struct fl_recorder *r)
{
	r->waiters.ntasks = r->waiters.next = 0;
	for (size_t i = 0; i < r->processes.count; i++) {
		const struct fl_process *p = r->processes.data[i];

		if (p->tracked && !p->exited)
			list_process(r, p->pid);
	}
}

static void push_kernel(struct fl_recorder *r)
{
	struct flame *flame = r->processes.flame;
	struct slice name;
	size_t at = 0;

	while (fl_blocked_kernel(&r->waiters.blocked, &at, &name)) {
		if (!name.size)
			continue;
		fl_unwind_push(&r->unwinder, flame_frame(flame,
			&(struct flame_frame){
				.name = flame_name(flame, name.data, name.size),
				.file = fl_name(flame, "[kernel.kallsyms]"),
				.type = FLAME_KERNEL,
			}), 0);
	}
}

/* From the copy just made. */
static bool unwind(struct fl_recorder *r, struct fl_waiter *waiter)
{
	struct fl_process *p = fl_process_find(&r->processes, waiter->pid);
	const struct fl_thread_name *t =
		p ? fl_recorder_thread(r, p, waiter->tid) : NULL;
	const struct fl_blocked *b = &r->waiters.blocked;
	flame_id base;

	if (!t)
		return false;
	base = t->base;
	waiter->thread = t->set;
	/* Other threads that wait are of pools, which the task does not need. */
	if (p->python && waiter->tid == p->pid &&
	    !fl_join_is_idle(r, p->pid, waiter->tid)) {
		fl_join_look(r, p);
		base = fl_join_base(r, p, t, &waiter->thread);
	}
	r->unwinder.nframes = 0;
	push_kernel(r);
	waiter->end = fl_recorder_push_user(r, p, waiter->tid, &b->regs,
					    &b->stack, 0);
	waiter->stack = fl_recorder_stack(r, base);
	waiter->gone = r->unwinder.gone;
	waiter->programs = p->programs;
	waiter->there = true;
	return true;
}

bool fl_waiter_read(struct fl_recorder *r, struct fl_waiter *waiter)
{
	uint64_t turns = 0;

	fl_apart_busy(waiter->pid);
	return !fl_apart_is_unreadable(waiter->pid) &&
	       fl_blocked_look(&r->waiters.blocked, waiter->pid, waiter->tid,
			       &turns) == FL_LOOK_BLOCKED &&
	       unwind(r, waiter);
}

/* Rounds ------------------------------------------------------------------ */

static int64_t interval(const struct fl_recorder *r)
{
	return 1000000000 / r->how.looks;
}

/* Somewhere in the interval: programs have rhythms of their own. */
static void plan_round(struct fl_recorder *r)
{
	struct fl_waiters *w = &r->waiters;

	w->random ^= w->random << 13;
	w->random ^= w->random >> 7;
	w->random ^= w->random << 17;
	w->due = w->begin + (int64_t)(w->random % (uint64_t)interval(r));
}

static void begin(struct fl_recorder *r)
{
	struct fl_waiters *w = &r->waiters;

	w->random = (uint64_t)fl_now() | 1;
	w->begin = fl_now();
	plan_round(r);
}

/* Without the kernel's events children and programs are looked for. */
static void look_for_processes(struct fl_recorder *r)
{
	struct fl_targets targets = { 0 };
	char pid[24];
	struct fl_refusal refusal;

	for (size_t i = 0; i < r->processes.count; i++) {
		struct fl_process *p = r->processes.data[i];

		if (p->exited)
			continue;
		if (kill(p->pid, 0) != 0 && errno == ESRCH) {
			fl_process_exit(p);
			continue;
		}
		fl_process_check_comm(&r->processes, p);
		snprintf(pid, sizeof(pid), "%d", (int)p->pid);
		fl_targets_add(r->processes.flame, &targets, pid, &refusal);
	}
	if (r->how.sampling.children &&
	    fl_targets_add_children(r->processes.flame, &targets))
		for (size_t i = 0; i < targets.count; i++) {
			struct fl_process *p = fl_process_get(&r->processes,
							      targets.data[i]);

			if (p)
				p->tracked = true;
		}
	fl_targets_free(&targets);
}

/* Before their tasks are sampled. */
static void look_for_workers(struct fl_recorder *r)
{
	for (size_t i = 0; r->how.join && i < r->processes.count; i++) {
		struct fl_process *p = r->processes.data[i];

		if (p->tracked && !p->exited && p->has_maps &&
		    fl_process_is_python(p) &&
		    fl_process_python(&r->processes, p))
			fl_join_look(r, p);
	}
}

static void tick(struct fl_recorder *r)
{
	struct fl_waiters *w = &r->waiters;
	int64_t now = fl_now();

	if (now < w->due)
		return;
	if (r->blind)
		look_for_processes(r);
	fl_waiters_list(r);
	look_for_workers(r);
	/* Rounds that a busy machine let pass count with this one. */
	w->weight = 1;
	w->begin += interval(r);
	while (w->begin + interval(r) <= now) {
		w->begin += interval(r);
		w->weight++;
	}
	plan_round(r);
}

static int wait_for_round(const struct fl_recorder *r, int most)
{
	int64_t left = (r->waiters.due - fl_now()) / 1000000;

	return left < 1 ? 1 : left > most ? most : (int)left;
}

/*
 * A stack does not change while its thread waits.  But if it was read before
 * the exec event arrived, it was read with the old program's mappings.
 */
static bool is_to_be_read(struct fl_recorder *r,
			  const struct fl_waiter *waiter)
{
	const struct fl_process *p = fl_process_find(&r->processes,
						     waiter->pid);

	return !waiter->there || (p && p->programs != waiter->programs);
}

/*
 * Counts looks at a thread that is not blocked as running or waiting for a CPU.
 * The kernel's account has the time of both, so the share of waiting is that of
 * the account.  The account does not change while a thread waits.
 */
static void owe(struct fl_waiter *waiter, const struct fl_blocked *now,
		uint64_t looks)
{
	struct fl_ready *ready = &waiter->ready;
	uint64_t last = ready->last, waiting = 0;
	double waited, all;

	ready->last = now->ran + now->waited;
	if (!ready->known) {
		*ready = (struct fl_ready){ .known = true, .ran = now->ran,
			.waited = now->waited, .last = ready->last };
		last = 0;
	}
	ready->looks += looks;
	waited = (double)(now->waited - ready->waited);
	all = waited + (double)(now->ran - ready->ran);
	if (last && last == ready->last)
		waiting = looks;
	else if (all > 0 && (double)ready->looks * waited / all >
			    (double)ready->waiting)
		waiting = FL_MIN(looks, (uint64_t)((double)ready->looks *
						   waited / all) -
					ready->waiting);
	ready->waiting += waiting;
	waiter->owed.waiting += waiting;
	waiter->owed.running += looks - waiting;
}

static bool next(struct fl_recorder *r, struct flame_sample *sample)
{
	struct fl_waiters *w = &r->waiters;

	if (w->has_further) {
		*sample = w->further;
		w->has_further = false;
		return true;
	}
	while (w->next < w->ntasks) {
		struct fl_task task = w->tasks[w->next++];
		struct fl_waiter *waiter = fl_waiter_get(r, task.pid, task.tid);
		enum fl_look look;

		if (!waiter)
			return false;
		if (is_to_be_read(r, waiter))
			waiter->turns = 0;
		look = fl_blocked_look(&w->blocked, task.pid, task.tid,
				       &waiter->turns);
		if (look == FL_LOOK_GONE)
			continue;
		if (look == FL_LOOK_BLOCKED && !unwind(r, waiter))
			continue;
		if ((look == FL_LOOK_BLOCKED || look == FL_LOOK_SAME) &&
		    fl_join_waits(r, task.pid, task.tid)) {
			r->result.left_out += w->weight;
			continue;
		}
		if (look == FL_LOOK_BLOCKED || look == FL_LOOK_SAME) {
			fl_recorder_emit(r, waiter, fl_now(), w->weight,
					 sample);
			return true;
		}
		waiter->there = false;
		owe(waiter, &w->blocked, w->weight);
		r->result.unread += look == FL_LOOK_UNKNOWN;
	}
	return false;
}

static struct fl_owed owed_by(struct fl_recorder *r, const struct fl_event *e)
{
	const uint64_t *place = fl_map_get(&r->waiters.by_tid,
					   (uint64_t)e->tid);
	struct fl_owed owed = { 0 };

	if (place && *place) {
		owed = r->waiters.data[*place - 1].owed;
		r->waiters.data[*place - 1].owed = (struct fl_owed){ 0 };
	}
	return owed;
}

/* Emits the sample with "[waiting for a CPU]" above its stack. */
static void emit_waiting(struct fl_recorder *r, const struct fl_waiter *waiter,
			 int64_t time, uint64_t weight,
			 struct flame_sample *sample)
{
	struct flame *flame = r->processes.flame;
	struct fl_waiter waiting = *waiter;

	if (!r->waiting)
		r->waiting = fl_frame(flame, fl_name(flame,
						     "[waiting for a CPU]"),
				      FLAME_KERNEL);
	waiting.stack = flame_stack(flame, waiter->stack, r->waiting);
	fl_recorder_emit(r, &waiting, time, weight, sample);
}

/*
 * Makes the sample of a thread's looks at a time.  If some are of waiting for a
 * CPU, they are a second sample, which next returns.
 */
static bool ran(struct fl_recorder *r, struct fl_waiter *seen,
		struct fl_owed owed, int64_t time, struct flame_sample *sample)
{
	struct fl_waiter *waiter = fl_waiter_get(r, seen->pid, seen->tid);

	if (!waiter)
		return false;
	waiter->ran = seen->stack;
	waiter->ran_end = seen->end;
	if (owed.running)
		fl_recorder_emit(r, seen, time, owed.running, sample);
	r->waiters.has_further = owed.running && owed.waiting;
	if (owed.waiting)
		emit_waiting(r, seen, time, owed.waiting, owed.running ?
			     &r->waiters.further : sample);
	return true;
}

/*
 * A thread that ran when it was sampled, and had no sample since: assume that
 * it is where it was seen before.
 */
static bool rest_of(struct fl_recorder *r, struct fl_waiter *waiter,
		    struct flame_sample *sample)
{
	struct flame *flame = r->processes.flame;
	struct fl_process *p = fl_process_find(&r->processes, waiter->pid);
	const struct fl_thread_name *t =
		p ? fl_recorder_thread(r, p, waiter->tid) : NULL;
	struct fl_owed owed = waiter->owed;
	struct fl_waiter at;

	if (!t)
		return false;
	if (!waiter->ran && !r->on_cpu)
		r->on_cpu = fl_frame(flame, fl_name(flame, "[on CPU]"),
				     FLAME_UNKNOWN);
	at = *waiter;
	at.stack = waiter->ran ? waiter->ran :
		   flame_stack(flame, t->base, r->on_cpu);
	at.thread = t->set;
	at.end = waiter->ran ? waiter->ran_end : FL_STACK_UNSEEN;
	waiter->owed = (struct fl_owed){ 0 };
	return ran(r, &at, owed, fl_now(), sample);
}

static bool rest(struct fl_recorder *r, struct flame_sample *sample)
{
	struct fl_waiters *w = &r->waiters;

	if (w->ntasks) {
		w->ntasks = 0;
		w->next = 0;
	}
	while (w->next < w->count) {
		struct fl_waiter *waiter = &w->data[w->next++];

		if ((waiter->owed.running || waiter->owed.waiting) &&
		    rest_of(r, waiter, sample))
			return true;
	}
	return false;
}

const struct fl_recorder_kind fl_recorder_wall = {
	.metric = "wall", .unit = "samples",
	.begin = begin, .owed = owed_by, .seen = ran, .next = next,
	.rest = rest, .wait = wait_for_round, .tick = tick,
};
