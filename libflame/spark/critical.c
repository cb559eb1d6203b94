/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finds the critical path of an application: fl_critical_path() goes through a
 * replay (replay.c) from its end back to its begin, and calls a function for
 * each part of the path, for causes.c and bill_driver.c.  Each moment counts
 * for what the next one waited for.  A stage ended with its last task; a task
 * began when the one before it on its core had ended, when its executor had
 * come, or when its stage was submitted; between is the driver's time.
 */
#include "fl.h"

#include "spark/critical.h"

/* Tasks of an executor that are searched for the one before on a core. */
enum { MAX_BEFORE = 256 };

struct path {
	const struct fl_replay *r;
	int64_t now;		/* all that is later was added */
	int64_t first;		/* launch of a task */
	bool (*add)(void *to, enum fl_cause_kind kind, size_t stage,
		    int64_t ns);
	void *to;
	bool failed;
};

/* Of one executor's task, or of none: at FL_SPARK_NONE. */
struct place {
	size_t executor, at;
};

static void add(struct path *p, enum fl_cause_kind kind, size_t stage,
		int64_t from)
{
	from = FL_MAX(from, p->r->begin);
	if (from >= p->now)
		return;
	if (!p->add(p->to, kind, stage, p->now - from))
		p->failed = true;
	p->now = from;
}

static const struct fl_spark_task *task_at(const struct path *p,
					   struct place place)
{
	return &p->r->spark->executors[place.executor].tasks[place.at];
}

/* Its time by its metrics, which count on the whole of it. */
static void add_task(struct path *p, const struct fl_spark_task *task)
{
	const int64_t whole = task->finish - task->start;
	const struct {
		enum fl_cause_kind kind;
		int64_t ns;
	} parts[] = {
		{ FL_CAUSE_CPU, task->log_cpu }, { FL_CAUSE_GC, task->gc },
		{ FL_CAUSE_SCHEDULE, whole - task->active },
	};
	const int64_t length = p->now - task->start;

	if (task->finish && task->ok && task->measured && whole > 0)
		for (size_t i = 0; i < FL_COUNT(parts); i++) {
			double share = (double)FL_MAX(parts[i].ns, 0) /
				       (double)whole;
			int64_t us = (int64_t)(share * (double)length) / 1000;

			add(p, parts[i].kind, task->stage,
			    FL_MAX(p->now - us * 1000, task->start));
		}
	add(p, !task->finish ? FL_CAUSE_UNENDED :
	       !task->ok ? FL_CAUSE_LOST :
	       !task->measured ? FL_CAUSE_UNKNOWN : FL_CAUSE_WAIT,
	    task->stage, task->start);
}

/* The last task that ended on an executor before another began. */
static struct place before_on_core(const struct path *p, struct place place,
				   int64_t since)
{
	const struct fl_spark_task *task = task_at(p, place);
	struct place best = { place.executor, FL_SPARK_NONE };
	int64_t end = since;

	for (size_t i = place.at; i-- && place.at - i < MAX_BEFORE;) {
		const struct fl_spark_task *other = task_at(
			p, (struct place){ place.executor, i });

		if (other->end > end && other->end <= task->start &&
		    other->start < task->start) {
			best.at = i;
			end = other->end;
		}
	}
	return best;
}

/* The attempt before another of its partition. */
static struct place attempt_before(const struct path *p,
				   const struct fl_replay_stage *s,
				   struct place place)
{
	for (size_t i = s->first; i < s->first + s->ntasks; i++) {
		const struct fl_replay_task *next = p->r->tasks[i].next ?
			&p->r->tasks[p->r->tasks[i].next - 1] : NULL;

		if (next && next->executor == place.executor &&
		    next->at == place.at)
			return (struct place){ p->r->tasks[i].executor,
					       p->r->tasks[i].at };
	}
	return (struct place){ 0, FL_SPARK_NONE };
}

/*
 * What a task waited for before its launch: another task, which is returned; or
 * its stage alone.
 */
static struct place add_launch(struct path *p, struct place place)
{
	const struct fl_spark_task *task = task_at(p, place);
	const struct fl_spark_executor *e =
		&p->r->spark->executors[place.executor];
	const struct fl_replay_stage *s =
		&p->r->stages[p->r->local[task->stage] - 1];
	struct place before = { 0, FL_SPARK_NONE };
	int64_t since;

	if (task->attempt)
		before = attempt_before(p, s, place);
	if (before.at == FL_SPARK_NONE ||
	    task_at(p, before)->start >= task->start)
		before = before_on_core(p, place, s->submitted);
	/* A copy of a task that still ran began beside it. */
	since = before.at == FL_SPARK_NONE ? s->submitted :
					     task_at(p, before)->end;
	if (e->added > since) {
		add(p, FL_CAUSE_PENDING, task->stage, e->added);
		add(p, FL_CAUSE_EXECUTORS, task->stage, since);
	}
	add(p, FL_CAUSE_PENDING, task->stage, since);
	return before;
}

/* The task that a stage ended with. */
static struct place last_task(const struct path *p,
			      const struct fl_replay_stage *s)
{
	struct place best = { 0, FL_SPARK_NONE };
	int64_t end = INT64_MIN;

	for (size_t i = s->first; i < s->first + s->ntasks; i++) {
		const struct fl_replay_task *task = &p->r->tasks[i];

		if (task->needed && task->start + task->length > end) {
			best = (struct place){ task->executor, task->at };
			end = task->start + task->length;
		}
	}
	return best;
}

/* Back from a stage's end; the stage whose submission comes before. */
static size_t add_stage(struct path *p, size_t stage)
{
	struct place place = last_task(p, &p->r->stages[stage]);

	while (place.at != FL_SPARK_NONE) {
		const struct fl_spark_task *task = task_at(p, place);
		const int64_t end = FL_MIN(task->end, p->r->until);

		add(p, FL_CAUSE_DRIVER, FL_SPARK_NONE, end);
		add_task(p, task);
		stage = p->r->local[task->stage] - 1;
		place = add_launch(p, place);
	}
	return stage;
}

static void find_first(struct path *p)
{
	p->first = INT64_MAX;
	for (size_t i = 0; i < p->r->ntasks; i++)
		p->first = FL_MIN(p->first, p->r->tasks[i].start);
}

bool fl_critical_path(const struct fl_replay *replay,
		      bool (*to_add)(void *, enum fl_cause_kind, size_t,
				     int64_t), void *to)
{
	struct path p = {
		.r = replay, .now = replay->until, .add = to_add, .to = to,
	};
	const size_t done = fl_replay_done(replay, 0);
	size_t node = fl_replay_last(replay), left = replay->nnodes;

	find_first(&p);
	while (p.now > replay->begin && !p.failed) {
		const uint32_t bound = replay->nodes[node].bound;

		/* A clock that was set back leads to a node again. */
		if (!left--) {
			add(&p, FL_CAUSE_DRIVER, FL_SPARK_NONE, replay->begin);
			break;
		}
		if (node >= done && node < done + replay->nstages) {
			node = fl_replay_submit(replay, add_stage(&p,
							node - done));
			continue;
		}
		add(&p, p.now <= p.first ? FL_CAUSE_START : FL_CAUSE_DRIVER,
		    FL_SPARK_NONE, bound ? replay->nodes[bound - 1].time :
					   replay->begin);
		if (!bound)
			break;
		node = bound - 1;
	}
	return !p.failed;
}
