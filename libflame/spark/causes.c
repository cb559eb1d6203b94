/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Divides each core-second that was paid, and each second of an application's
 * time, by its cause: one cause each, so that both add up.
 * fl_bill_find_causes(), called by bill.c, fills the bill's causes from the
 * tables of the log.
 *
 * Tasks' time is divided by their metrics.  Idle cores are divided by what else
 * happened then: a sweep over the launches and ends of tasks, stages and
 * executors knows how many tasks run, how many wait for a core and how many the
 * stages have.  The application's time is that of its critical path.
 */
#include "fl.h"

#include "spark/critical.h"

#include <stdlib.h>

static const char *const keys[] = {
	[FL_CAUSE_START] = "start", [FL_CAUSE_DRIVER] = "driver",
	[FL_CAUSE_EXECUTORS] = "executors", [FL_CAUSE_PENDING] = "pending",
	[FL_CAUSE_FEW] = "few", [FL_CAUSE_TAIL] = "tail",
	[FL_CAUSE_LOST] = "lost",
	[FL_CAUSE_UNKNOWN] = "unknown", [FL_CAUSE_CPU] = "cpu",
	[FL_CAUSE_GC] = "gc", [FL_CAUSE_FETCH] = "fetch",
	[FL_CAUSE_WRITE] = "write", [FL_CAUSE_DESERIALIZE] = "deserialize",
	[FL_CAUSE_SERIALIZE] = "serialize", [FL_CAUSE_PYTHON] = "python",
	[FL_CAUSE_SCHEDULE] = "schedule", [FL_CAUSE_WAIT] = "wait",
	[FL_CAUSE_UNENDED] = "unended",
};

const char *fl_cause_key(enum fl_cause_kind kind)
{
	return keys[kind];
}

struct causes {
	struct flame_bill *bill;
	struct fl_map index;	/* hash of application, kind, stage -> + 1 */
};

static uint64_t key_of(size_t app, enum fl_cause_kind kind, size_t stage)
{
	return fl_hash_pair(fl_hash_pair(app + 1, (uint64_t)kind), stage);
}

static struct fl_bill_cause *cause_of(struct causes *c, size_t app,
				      enum fl_cause_kind kind, size_t stage)
{
	struct flame_bill *bill = c->bill;
	uint64_t *place = fl_map_put(&c->index, key_of(app, kind, stage), NULL);

	if (!place)
		return NULL;
	if (*place)
		return &bill->causes[*place - 1];
	if (!fl_grow(&bill->causes, &bill->causes_capacity, bill->ncauses + 1,
		     sizeof(*bill->causes)))
		return NULL;
	bill->causes[bill->ncauses] = (struct fl_bill_cause){
		.app = app, .kind = kind, .stage = stage,
	};
	*place = ++bill->ncauses;
	return &bill->causes[bill->ncauses - 1];
}

static bool add_paid(struct causes *c, size_t app, enum fl_cause_kind kind,
		     size_t stage, int64_t us)
{
	struct fl_bill_cause *cause = us > 0 ? cause_of(c, app, kind, stage) :
					       NULL;

	if (cause)
		cause->paid += us;
	return cause || us <= 0;
}

/* Tasks ------------------------------------------------------------------- */

/*
 * A stage's weight is what was paid for its tasks; their metrics may say more,
 * as they overlap or are of another clock.
 */
static bool add_stage(struct causes *c, size_t at)
{
	const struct fl_bill_stage *stage = &c->bill->stages[at];
	const struct fl_spark_used *used = &stage->sums.used;
	const int64_t cpus = c->bill->spark->apps[stage->app].task_cpus;
	const struct {
		enum fl_cause_kind kind;
		int64_t us;
	} parts[] = {
		{ FL_CAUSE_LOST, used->lost / 1000 * cpus },
		{ FL_CAUSE_UNKNOWN, used->unknown / 1000 * cpus },
		{ FL_CAUSE_CPU, used->cpu / 1000 },
		{ FL_CAUSE_GC, used->gc / 1000 * cpus },
		{ FL_CAUSE_FETCH, used->fetch / 1000 * cpus },
		{ FL_CAUSE_WRITE, used->write / 1000 * cpus },
		{ FL_CAUSE_DESERIALIZE, used->deserialize / 1000 * cpus },
		{ FL_CAUSE_SERIALIZE, used->serialize / 1000 * cpus },
		{ FL_CAUSE_SCHEDULE, used->delay / 1000 * cpus },
		{ FL_CAUSE_PYTHON, stage->python },
	};
	int64_t rest = stage->weight;

	for (size_t i = 0; i < FL_COUNT(parts); i++) {
		int64_t us = FL_MIN(parts[i].us, rest);

		if (!add_paid(c, stage->app, parts[i].kind, at, us))
			return false;
		rest -= us;
	}
	return add_paid(c, stage->app, FL_CAUSE_WAIT, at, rest);
}

/* The sweep --------------------------------------------------------------- */

enum event_kind {
	EXECUTOR_ADDED, STAGE_SUBMITTED, TASK_START, TASK_END, STAGE_COMPLETED,
	EXECUTOR_REMOVED
};

struct event {
	int64_t time;
	enum event_kind kind;
	bool again;		/* of a task: it failed, and waits again */
	size_t at;		/* in the executors or stages of spark */
};

/* Of an attempt of a stage. */
struct progress {
	int64_t ntasks, launched, running;
	bool submitted;
};

struct sweep {
	struct causes *causes;
	size_t app;
	struct event *events;
	size_t nevents, capacity;
	struct progress *stages;
	size_t *active, nactive;	/* with tasks that run, oldest first */
	int64_t first, last;		/* launch of a task, and end */
	int64_t cores, running, pending, ntasks;
};

static bool add_event(struct sweep *s, int64_t time, enum event_kind kind,
		      size_t at, bool again)
{
	if (!fl_grow(&s->events, &s->capacity, s->nevents + 1,
		     sizeof(*s->events)))
		return false;
	s->events[s->nevents++] = (struct event){ time, kind, again, at };
	return true;
}

static bool list_tasks(struct sweep *s, const struct fl_spark_executor *e)
{
	for (size_t i = 0; i < e->ntasks; i++) {
		const struct fl_spark_task *task = &e->tasks[i];
		bool again = !task->ok && task->finish;

		if (task->end <= task->start)
			continue;
		s->first = FL_MIN(s->first, task->start);
		s->last = FL_MAX(s->last, task->end);
		if (!add_event(s, task->start, TASK_START, task->stage,
			       false) ||
		    !add_event(s, task->end, TASK_END, task->stage, again))
			return false;
	}
	return true;
}

static bool list_executors(struct sweep *s)
{
	const struct fl_spark *spark = s->causes->bill->spark;

	for (size_t i = 0; i < spark->nexecutors; i++) {
		const struct fl_spark_executor *e = &spark->executors[i];

		if (e->app != s->app)
			continue;
		if (!add_event(s, e->added, EXECUTOR_ADDED, i, false) ||
		    (e->removed < INT64_MAX &&
		     !add_event(s, e->removed, EXECUTOR_REMOVED, i, false)) ||
		    !list_tasks(s, e))
			return false;
	}
	return true;
}

static bool list_stages(struct sweep *s)
{
	const struct fl_spark *spark = s->causes->bill->spark;

	for (size_t i = 0; i < spark->nstages; i++) {
		const struct fl_spark_stage *stage = &spark->stages[i];

		s->stages[i].ntasks = FL_MAX(stage->ntasks,
					     (int64_t)stage->sums.ok);
		if (stage->app != s->app)
			continue;
		if ((stage->submitted &&
		     !add_event(s, stage->submitted, STAGE_SUBMITTED, i,
				false)) ||
		    (stage->completed &&
		     !add_event(s, stage->completed, STAGE_COMPLETED, i,
				false)))
			return false;
	}
	return true;
}

static int by_time(const void *a, const void *b)
{
	const struct event *x = a, *y = b;

	if (x->time != y->time)
		return x->time < y->time ? -1 : 1;
	if (x->kind != y->kind)
		return x->kind < y->kind ? -1 : 1;
	return (x->at > y->at) - (x->at < y->at);
}

static void end_running(struct sweep *s, size_t stage)
{
	size_t i = 0;

	while (i < s->nactive && s->active[i] != stage)
		i++;
	memmove(&s->active[i], &s->active[i + 1],
		(s->nactive - i - 1) * sizeof(*s->active));
	s->nactive--;
	s->ntasks -= s->stages[stage].ntasks;
}

static void count_task(struct sweep *s, const struct event *e)
{
	struct progress *stage = &s->stages[e->at];
	bool starts = e->kind == TASK_START;

	s->running += starts ? 1 : -1;
	stage->running += starts ? 1 : -1;
	if (starts && stage->running == 1) {
		s->active[s->nactive++] = e->at;
		s->ntasks += stage->ntasks;
	} else if (!stage->running) {
		end_running(s, e->at);
	}
	if (!stage->submitted || (!starts && !e->again))
		return;
	if (starts && stage->launched == stage->ntasks)
		return;		/* a second attempt of a task that runs */
	stage->launched += starts ? 1 : -1;
	s->pending -= starts ? 1 : -1;
}

static void apply(struct sweep *s, const struct event *e)
{
	struct progress *stage = &s->stages[e->at];

	switch (e->kind) {
	case EXECUTOR_ADDED:
	case EXECUTOR_REMOVED:
		s->cores += (e->kind == EXECUTOR_ADDED ? 1 : -1) *
			    s->causes->bill->spark->executors[e->at].paid_cores;
		break;
	case STAGE_SUBMITTED:
		stage->submitted = true;
		s->pending += stage->ntasks - stage->launched;
		break;
	case STAGE_COMPLETED:
		if (stage->submitted)
			s->pending -= stage->ntasks - stage->launched;
		stage->submitted = false;
		break;
	case TASK_START:
	case TASK_END:
		count_task(s, e);
	}
}

static size_t stage_of(const struct sweep *s)
{
	const struct flame_bill *bill = s->causes->bill;
	const struct fl_spark_stage *of;

	if (!s->nactive)
		return FL_SPARK_NONE;
	of = &bill->spark->stages[s->active[0]];
	return (size_t)*fl_map_get(&bill->by_stage, fl_hash_pair(
				   (uint64_t)of->id, of->app + 1)) - 1;
}

static bool add_idle(struct sweep *s, enum fl_cause_kind kind, size_t stage,
		     int64_t idle)
{
	struct fl_bill_cause *cause;

	if (idle <= 0)
		return true;
	cause = cause_of(s->causes, s->app, kind, stage);
	if (!cause)
		return false;
	cause->idle += idle;
	return true;
}

/* Between two events, of so much time that ends then. */
static bool add_interval(struct sweep *s, int64_t time, int64_t until)
{
	int64_t cpus = s->causes->bill->spark->apps[s->app].task_cpus;
	int64_t idle = FL_MAX(s->cores - s->running * cpus, 0);
	int64_t few = FL_MIN(FL_MAX(s->cores - s->ntasks * cpus, 0), idle);
	size_t stage = stage_of(s);
	bool waits = s->pending > 0;
	enum fl_cause_kind kind;

	if (s->running && !waits && idle)
		return add_idle(s, FL_CAUSE_TAIL, stage,
				time * (idle - few)) &&
		       add_idle(s, FL_CAUSE_FEW, stage, time * few);
	if (s->running)
		return add_idle(s, FL_CAUSE_PENDING, stage, time * idle);
	if (until <= s->first)
		kind = FL_CAUSE_START;
	else if (waits)
		kind = s->cores ? FL_CAUSE_PENDING : FL_CAUSE_EXECUTORS;
	else
		kind = FL_CAUSE_DRIVER;
	return add_idle(s, kind, FL_SPARK_NONE, time * idle);
}

static bool sweep(struct sweep *s, int64_t begin, int64_t until)
{
	int64_t now = begin;

	for (size_t i = 0; i < s->nevents; i++) {
		const struct event *e = &s->events[i];
		int64_t time = FL_MIN(e->time, until);

		if (time > now && !add_interval(s, time - now, time))
			return false;
		now = FL_MAX(now, time);
		apply(s, e);
	}
	return until <= now || add_interval(s, until - now, until);
}

/*
 * The bill has the idle time of each executor.  Causes share out its sum in
 * proportion to the idle time that the sweep saw, to the last microsecond.
 */
static bool bill_idle(struct causes *c, size_t app, size_t first)
{
	__extension__ typedef __int128 wide;
	struct flame_bill *bill = c->bill;
	int64_t paid = 0, before = 0;
	wide all = 0, sum = 0;

	for (size_t i = 0; i < bill->spark->nexecutors; i++)
		if (bill->spark->executors[i].app == app)
			paid += bill->executors[i].idle;
	for (size_t i = first; i < bill->ncauses; i++)
		all += bill->causes[i].idle;
	for (size_t i = first; all && i < bill->ncauses; i++) {
		int64_t until;

		sum += bill->causes[i].idle;
		until = (int64_t)(paid * sum / all);
		bill->causes[i].paid += until - before;
		before = until;
	}
	return all || add_paid(c, app, FL_CAUSE_DRIVER, FL_SPARK_NONE, paid);
}

static bool sweep_app(struct causes *c, size_t app)
{
	const struct fl_spark *spark = c->bill->spark;
	size_t first = c->bill->ncauses;
	struct sweep s = {
		.causes = c, .app = app, .first = INT64_MAX,
		.stages = fl_zeroed(spark->nstages + 1, sizeof(*s.stages)),
		.active = fl_zeroed(spark->nstages + 1, sizeof(*s.active)),
	};
	bool good = s.stages && s.active && list_executors(&s) &&
		    list_stages(&s);
	int64_t begin = fl_bill_begin(spark, app);

	if (good && s.nevents)
		qsort(s.events, s.nevents, sizeof(*s.events), by_time);
	good = good && (!begin || sweep(&s, begin, spark->apps[app].until)) &&
	       bill_idle(c, app, first);
	fl_free(s.events);
	fl_free(s.stages);
	fl_free(s.active);
	return good;
}

/* Time ---------------------------------------------------------------------- */

struct to_app {
	struct causes *causes;
	size_t app;
};

/* stage: in spark->stages. */
static bool add_wall(void *to, enum fl_cause_kind kind, size_t stage,
		     int64_t ns)
{
	struct to_app *t = to;
	const struct flame_bill *bill = t->causes->bill;
	struct fl_bill_cause *cause;

	if (stage != FL_SPARK_NONE) {
		const struct fl_spark_stage *of = &bill->spark->stages[stage];

		stage = (size_t)*fl_map_get(&bill->by_stage, fl_hash_pair(
					    (uint64_t)of->id, of->app + 1)) - 1;
	}
	cause = cause_of(t->causes, t->app, kind, stage);
	if (cause)
		cause->wall += ns / 1000;
	return cause;
}

/*
 * Where a task's own metrics lack the cause of its waiting, those of its stage
 * have it, in proportion.
 */
static bool divide_wait(struct causes *c, size_t at)
{
	static const enum fl_cause_kind kinds[] = {
		FL_CAUSE_FETCH, FL_CAUSE_WRITE, FL_CAUSE_DESERIALIZE,
		FL_CAUSE_SERIALIZE, FL_CAUSE_PYTHON, FL_CAUSE_WAIT,
	};
	const struct fl_bill_cause wait = c->bill->causes[at];
	double paid[FL_COUNT(kinds)], all = 0, sum = 0;
	int64_t before = 0;

	if (wait.kind != FL_CAUSE_WAIT || !wait.wall)
		return true;
	for (size_t i = 0; i < FL_COUNT(kinds); i++) {
		const uint64_t *place = fl_map_get(&c->index, key_of(
			wait.app, kinds[i], wait.stage));

		paid[i] = place ? (double)c->bill->causes[*place - 1].paid : 0;
		all += paid[i];
	}
	c->bill->causes[at].wall = 0;
	for (size_t i = 0; i < FL_COUNT(kinds); i++) {
		struct fl_bill_cause *cause = cause_of(c, wait.app, kinds[i],
						       wait.stage);
		int64_t until = wait.wall;

		if (!cause)
			return false;
		sum += paid[i];
		if (i + 1 < FL_COUNT(kinds))
			until = all > 0 ? (int64_t)((double)wait.wall *
						    (sum / all)) : 0;
		cause->wall += until - before;
		before = until;
	}
	return true;
}

/* Runs after the causes of tasks, whose weights divide_wait() needs. */
static bool add_path(struct causes *c, size_t app)
{
	struct to_app to = { c, app };
	const struct fl_replay *replay = &c->bill->replays[app];
	size_t n;

	if (replay->begin && !fl_critical_path(replay, add_wall, &to))
		return false;
	n = c->bill->ncauses;
	for (size_t i = 0; i < n; i++)
		if (c->bill->causes[i].app == app && !divide_wait(c, i))
			return false;
	return true;
}

bool fl_bill_find_causes(struct flame_bill *bill)
{
	struct causes c = { .bill = bill };
	bool good = true;

	for (size_t i = 0; good && i < bill->spark->napps; i++)
		good = sweep_app(&c, i);
	for (size_t i = 0; good && i < bill->nstages; i++)
		good = add_stage(&c, i);
	for (size_t i = 0; good && i < bill->spark->nexecutors; i++)
		good = add_paid(&c, bill->spark->executors[i].app,
				FL_CAUSE_UNENDED, FL_SPARK_NONE,
				bill->executors[i].unended);
	for (size_t i = 0; good && i < bill->spark->napps; i++)
		good = add_path(&c, i);
	fl_map_free(&c.index);
	return good;
}
