/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Runs the schedule of an application (replay.c) again with a change, lengths
 * of tasks or numbers of cores, and returns when it would end and what it would
 * cost: fl_replay_run(), for what_if.c.  Events are in the order of time, and
 * after those of each moment, waiting tasks go to free cores.
 */
#include "fl.h"

#include "spark/replay.h"

#include <math.h>

enum event_kind { NODE, SETTLED, READY, TASK_ENDS, TASK_WAITS };

struct event {
	int64_t time;
	uint32_t kind, at;	/* a node, executor, stage, or task */
};

struct progress {
	size_t next;		/* the first task that was not launched, */
	size_t left;		/* and needed ones that have not ended */
	size_t running;
	uint32_t late;		/* attempts that may begin: the first, plus one */
};

struct run {
	const struct fl_replay *r;
	const struct fl_replay_change *change;
	struct event *heap;
	size_t nheap, capacity;
	struct progress *stages;
	uint32_t *ready, nready;	/* stages, by rank */
	uint32_t *late;			/* by task: the next one, plus one */
	uint32_t *on;			/* by task: the executor it runs on */
	uint32_t *waits;		/* by node */
	int64_t *times;			/* by node */
	int64_t *slots;			/* by executor, as changed */
	uint32_t *free;			/* executors, one for each free slot */
	size_t nfree;
	bool *gone;			/* by executor */
	size_t *in_pool;		/* running tasks */
	uint32_t end;			/* the last node has come */
	bool failed;			/* out of memory */
};

/* Events ------------------------------------------------------------------ */

static bool is_before(const struct event *a, const struct event *b)
{
	if (a->time != b->time)
		return a->time < b->time;
	return a->kind != b->kind ? a->kind < b->kind : a->at < b->at;
}

static void push(struct run *run, int64_t time, enum event_kind kind, size_t at)
{
	const struct event e = { time, (uint32_t)kind, (uint32_t)at };
	size_t i = run->nheap;

	if (!fl_grow(&run->heap, &run->capacity, i + 1, sizeof(e))) {
		run->failed = true;
		return;
	}
	run->nheap++;
	for (; i && is_before(&e, &run->heap[(i - 1) / 2]); i = (i - 1) / 2)
		run->heap[i] = run->heap[(i - 1) / 2];
	run->heap[i] = e;
}

static struct event pop(struct run *run)
{
	const struct event first = run->heap[0];
	const struct event e = run->heap[--run->nheap];
	size_t i = 0, child;

	while ((child = 2 * i + 1) < run->nheap) {
		child += child + 1 < run->nheap &&
			 is_before(&run->heap[child + 1], &run->heap[child]);
		if (!is_before(&run->heap[child], &e))
			break;
		run->heap[i] = run->heap[child];
		i = child;
	}
	run->heap[i] = e;
	return first;
}

/* Tasks ------------------------------------------------------------------- */

static int64_t length_of(const struct run *run, size_t task)
{
	return run->change->lengths ? run->change->lengths[task] :
				      run->r->tasks[task].length;
}

/* Attempts that are begun when another ends or runs are not in the queue. */
static bool skip_later(const struct run *run, struct progress *p,
		       const struct fl_replay_stage *s)
{
	while (p->next < s->ntasks && run->r->tasks[s->first + p->next].later)
		p->next++;
	return p->next < s->ntasks;
}

static bool has_tasks(const struct run *run, uint32_t stage)
{
	struct progress *p = &run->stages[stage];

	return p->late || skip_later(run, p, &run->r->stages[stage]);
}

static void add_ready(struct run *run, uint32_t stage)
{
	const struct fl_replay_stage *stages = run->r->stages;
	uint32_t i = run->nready;

	for (uint32_t k = 0; k < run->nready; k++)
		if (run->ready[k] == stage)
			return;
	for (; i && stages[run->ready[i - 1]].rank > stages[stage].rank; i--)
		run->ready[i] = run->ready[i - 1];
	run->ready[i] = stage;
	run->nready++;
}

static void drop_ready(struct run *run, uint32_t i)
{
	memmove(&run->ready[i], &run->ready[i + 1],
		(--run->nready - i) * sizeof(*run->ready));
}

/* A barrier stage waits for as many cores as it has tasks. */
static bool is_held(const struct run *run, uint32_t stage)
{
	const struct fl_replay_stage *s = &run->r->stages[stage];

	return run->r->spark->stages[s->stage].barrier &&
	       !run->stages[stage].next && s->ntasks > run->nfree;
}

/* In the list of those that are ready; nready: none. */
static uint32_t choose(struct run *run)
{
	const struct fl_replay_stage *stages = run->r->stages;
	const bool fair = run->r->spark->apps[run->r->app].fair;
	uint32_t best = run->nready;

	for (uint32_t i = 0; i < run->nready; i++) {
		if (is_held(run, run->ready[i]))
			continue;
		if (!fair)
			return i;
		if (best == run->nready ||
		    run->in_pool[stages[run->ready[i]].pool] <
		    run->in_pool[stages[run->ready[best]].pool])
			best = i;
	}
	return best;
}

static uint32_t take_task(struct run *run, uint32_t stage)
{
	struct progress *p = &run->stages[stage];
	uint32_t task = p->late;

	if (task) {
		p->late = run->late[task - 1];
		return task - 1;
	}
	return (uint32_t)(run->r->stages[stage].first + p->next++);
}

/* The next attempt of a partition, some time after this one. */
static void push_next(struct run *run, uint32_t task, int64_t time, bool beside)
{
	const struct fl_replay_task *of = &run->r->tasks[task], *next;
	int64_t delay;

	if (!of->next)
		return;
	next = &run->r->tasks[of->next - 1];
	if (next->beside != beside)
		return;
	delay = next->start - of->start - (beside ? 0 : of->length);
	if (run->change->no_failures && !beside)
		delay = 0;
	push(run, time + FL_MAX(delay, 0), TASK_WAITS, of->next - 1);
}

static void launch(struct run *run, int64_t now, uint32_t stage)
{
	uint32_t task = take_task(run, stage);

	run->on[task] = run->free[--run->nfree];
	run->stages[stage].running++;
	run->in_pool[run->r->stages[stage].pool]++;
	push_next(run, task, now, true);
	push(run, now + length_of(run, task), TASK_ENDS, task);
}

static void launch_all(struct run *run, int64_t now)
{
	while (run->nfree && run->nready && !run->failed) {
		uint32_t i = choose(run), stage;

		if (i == run->nready)
			return;
		stage = run->ready[i];
		if (has_tasks(run, stage))
			launch(run, now, stage);
		if (!has_tasks(run, stage))
			drop_ready(run, i);
	}
}

/* Nodes ------------------------------------------------------------------- */

static void free_slots(struct run *run, size_t executor, int64_t n)
{
	while (n-- > 0)
		run->free[run->nfree++] = (uint32_t)executor;
}

static void settle(struct run *run, size_t executor)
{
	if (!run->gone[executor])
		free_slots(run, executor, run->slots[executor]);
}

/*
 * No task is launched on it from now on; those that run are not changed.  An
 * executor that was not lost stays as long as tasks wait.
 */
static void remove_executor(struct run *run, size_t executor)
{
	const struct fl_replay *r = run->r;
	const bool lost = fl_spark_is_lost(
		r->spark, &r->spark->executors[r->executors[executor]]);
	size_t n = 0;

	if (lost ? run->change->no_failures : run->nready > 0)
		return;
	run->gone[executor] = true;
	for (size_t i = 0; i < run->nfree; i++)
		if (run->free[i] != executor)
			run->free[n++] = run->free[i];
	run->nfree = n;
}

static void finish_node(struct run *run, int64_t now, size_t node);

static void end_stage(struct run *run, int64_t now, size_t stage)
{
	push(run, now + run->r->stages[stage].tail, NODE,
	     fl_replay_done(run->r, stage));
}

static void submit(struct run *run, int64_t now, size_t stage)
{
	const struct fl_replay_stage *s = &run->r->stages[stage];

	if (!s->needed)
		end_stage(run, now, stage);
	if (s->ntasks)
		push(run, now + s->lead, READY, stage);
}

static void come(struct run *run, int64_t now, size_t node)
{
	const struct fl_replay *r = run->r;
	const size_t added = fl_replay_added(r, 0);

	run->times[node] = now;
	if (node == fl_replay_last(r))
		run->end = 1;
	else if (node >= added + r->nexecutors)
		remove_executor(run, node - added - r->nexecutors);
	else if (node >= added)
		push(run, now + r->settle[node - added], SETTLED,
		     node - added);
	else if (node >= fl_replay_submit(r, 0) && node < fl_replay_done(r, 0))
		submit(run, now, node - fl_replay_submit(r, 0));
	finish_node(run, now, node);
}

static void push_node(struct run *run, int64_t time, size_t node)
{
	push(run, FL_MAX(time, run->r->nodes[node].floor), NODE, node);
}

/* Those that waited for it, and for nothing else, come next. */
static void finish_node(struct run *run, int64_t now, size_t at)
{
	const struct fl_replay_node *node = &run->r->nodes[at];

	for (uint32_t i = node->first; i < node->first + node->n; i++) {
		const uint32_t to = run->r->edges[i];

		if (!--run->waits[to])
			push_node(run, now + run->r->nodes[to].delay, to);
	}
}

static void end_task(struct run *run, int64_t now, uint32_t task)
{
	const struct fl_replay_task *of = &run->r->tasks[task];
	struct progress *p = &run->stages[of->stage];

	if (!run->gone[run->on[task]])
		run->free[run->nfree++] = run->on[task];
	p->running--;
	run->in_pool[run->r->stages[of->stage].pool]--;
	push_next(run, task, now, false);
	if (of->needed && !--p->left)
		end_stage(run, now, of->stage);
}

static void handle(struct run *run, const struct event *e)
{
	uint32_t stage;

	switch ((enum event_kind)e->kind) {
	case NODE:
		come(run, e->time, e->at);
		break;
	case SETTLED:
		settle(run, e->at);
		break;
	case READY:
		add_ready(run, e->at);
		break;
	case TASK_ENDS:
		end_task(run, e->time, e->at);
		break;
	case TASK_WAITS:
		stage = run->r->tasks[e->at].stage;
		run->late[e->at] = run->stages[stage].late;
		run->stages[stage].late = e->at + 1;
		add_ready(run, stage);
	}
}

/* One run ----------------------------------------------------------------- */

/* Changes the slots, in the order in which the executors come. */
static int64_t scale_slots(struct run *run)
{
	const struct fl_replay *r = run->r;
	int64_t sum = 0, all = 0;

	for (size_t i = 0; i < r->nexecutors; i++) {
		sum += r->slots[i];
		run->slots[i] = (int64_t)floor((double)sum *
					       run->change->cores) - all;
		all += run->slots[i];
	}
	return all;
}

static bool begin(struct run *run)
{
	const struct fl_replay *r = run->r;

	run->slots = fl_zeroed(r->nexecutors + 1, sizeof(*run->slots));
	run->stages = fl_zeroed(r->nstages + 1, sizeof(*run->stages));
	run->ready = fl_zeroed(r->nstages + 1, sizeof(*run->ready));
	run->late = fl_zeroed(r->ntasks + 1, sizeof(*run->late));
	run->on = fl_zeroed(r->ntasks + 1, sizeof(*run->on));
	run->waits = fl_zeroed(r->nnodes, sizeof(*run->waits));
	run->times = fl_zeroed(r->nnodes, sizeof(*run->times));
	run->gone = fl_zeroed(r->nexecutors + 1, sizeof(*run->gone));
	run->in_pool = fl_zeroed(r->npools + 1, sizeof(*run->in_pool));
	if (!run->slots || !run->stages || !run->ready || !run->late ||
	    !run->on || !run->waits || !run->times || !run->gone ||
	    !run->in_pool)
		return false;
	run->free = fl_zeroed((size_t)scale_slots(run) + 1,
			      sizeof(*run->free));
	return run->free;
}

static void start(struct run *run)
{
	const struct fl_replay *r = run->r;
	const size_t done = fl_replay_done(r, 0);

	for (size_t i = 0; i < r->nstages; i++)
		run->stages[i].left = r->stages[i].needed;
	for (size_t i = 0; i < r->nnodes; i++) {
		run->times[i] = INT64_MAX;
		run->waits[i] = r->nodes[i].waits;
		if (!run->waits[i] && r->nodes[i].time < INT64_MAX &&
		    (i < done || i >= done + r->nstages))
			push_node(run, r->begin + r->nodes[i].delay, i);
	}
}

/* Core-microseconds of executors from their arrival until they go. */
static int64_t paid(const struct run *run, int64_t until)
{
	const struct fl_replay *r = run->r;
	const int64_t cpus = r->spark->apps[r->app].task_cpus;
	int64_t sum = 0;

	for (size_t i = 0; i < r->nexecutors; i++) {
		int64_t from = run->times[fl_replay_added(r, i)];
		int64_t to = run->gone[i] ?
			     run->times[fl_replay_removed(r, i)] : until;

		if (from < to)
			sum = fl_add_clamped(sum, fl_mul_clamped(
				(FL_MIN(to, until) - from) / 1000,
				run->slots[i] * cpus));
	}
	return sum;
}

static void destroy(struct run *run)
{
	fl_free(run->heap);
	fl_free(run->stages);
	fl_free(run->ready);
	fl_free(run->late);
	fl_free(run->on);
	fl_free(run->waits);
	fl_free(run->times);
	fl_free(run->slots);
	fl_free(run->free);
	fl_free(run->gone);
	fl_free(run->in_pool);
}

bool fl_replay_run(const struct fl_replay *replay,
		   const struct fl_replay_change *change,
		   struct fl_replay_result *result)
{
	struct run run = { .r = replay, .change = change };

	*result = (struct fl_replay_result){ 0 };
	if (!begin(&run)) {
		destroy(&run);
		return false;
	}
	start(&run);
	while (run.nheap && !run.end && !run.failed) {
		struct event e = pop(&run);

		handle(&run, &e);
		if (!run.nheap || run.heap[0].time > e.time)
			launch_all(&run, e.time);
	}
	if (run.end) {
		int64_t end = run.times[fl_replay_last(replay)];

		result->good = true;
		result->end = end - replay->begin;
		result->paid = paid(&run, end);
	}
	destroy(&run);
	return !run.failed;
}
