/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Makes the metric cost, for spark-cost (events.c): sums samples by executor,
 * stage and stack, and then divides the log's time by these sums, in rows for
 * the next sink: core-seconds, or money, by stack.
 *
 * Samples times their interval are not a clock: a loaded host's sampler comes
 * too late, and not equally in all stages.  So only the shares of stacks are
 * the profile's, those of wall-clock samples where there are any; the time is
 * the log's, of each stage on each executor.
 */
#include "fl.h"

#include "spark/cost.h"
#include "spark/on_task.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

/* PYTHON: of CPU, in a task's Python worker: that time is not in the log. */
enum kind { WALL, CPU, PYTHON, KINDS, OTHER = KINDS };

/* Samples that could be of several tasks are divided among their stages. */
enum { PARTS = 720720 };	/* divided by each number to 16 */

/* A stage's tasks on an executor; microseconds of cores. */
struct share {
	size_t executor, stage, number;
	int64_t active, cpu;	/* in the tasks' threads; of that on a CPU */
	int64_t log_cpu, gc;	/* as the log has them */
	int64_t unknown;	/* of active, whose CPU time it lacks */
	int64_t overhead;	/* the rest from launch to finish */
	size_t first, n;	/* entries, once they are sorted */
	uint64_t runnable;	/* of samples[WALL] */
	uint64_t samples[KINDS];
};

struct entry {
	uint32_t share;		/* in shares */
	enum kind kind;
	flame_id stack, labels, thread;
	uint64_t parts;
};

struct fl_spark_cost {
	struct flame_sink *sink;
	struct fl_spark *spark;
	struct fl_operators *operators;
	flame_id metric;
	flame_id app, executor, stage, stage_name, stage_tasks, query, operator;
	int64_t price;		/* of a core-hour, millionths; 0: none */
	int64_t put;		/* sum of forwarded core-seconds, millionths */
	int64_t priced;		/* the same sum in money */
	flame_id state;
	flame_id last;		/* the metric of the last sample, */
	enum kind last_kind;	/* and what it is */
	struct share *shares;	/* by stage, then executor */
	size_t nshares, shares_capacity;
	struct fl_map index;	/* executor << 32 | stage -> share + 1 */
	struct entry *entries;
	size_t nentries, entries_capacity;
	struct fl_index sums;
	struct fl_on_task on_task;
	struct fl_rewrite in_python;	/* see fl_spark_is_python */
	/* By executor. */
	struct executor {
		bool seen;	/* by a sample */
		int64_t used, unended;
		int64_t cpu;	/* of tasks that have samples of it, */
		uint64_t parts;	/* and these */
	} *executors;
	struct executor all;	/* the same of all */
	int64_t waited;		/* [not on a CPU], */
	int64_t active;		/* of so much time of tasks */
	bool by_thread, by_state;	/* these are needed */
	bool *strange;		/* applications that others' logs are of */
	uint64_t open;		/* samples of several stages' tasks */
	/* Time that was shared out by others' stacks, and its variance. */
	int64_t scaled, unseen;
	double variance;
};

static int64_t microseconds(int64_t ns)
{
	return ns / 1000;
}

/* What the log says ----------------------------------------------------- */

static struct share *share_of(struct fl_spark_cost *cost, size_t executor,
			      size_t stage)
{
	uint64_t key = (uint64_t)executor << 32 | stage;
	uint64_t *place = fl_map_put(&cost->index, key, NULL);

	if (!place)
		return NULL;
	if (*place)
		return &cost->shares[*place - 1];
	if (!fl_grow(&cost->shares, &cost->shares_capacity, cost->nshares + 1,
		     sizeof(*cost->shares)))
		return NULL;
	cost->shares[cost->nshares] = (struct share){
		.executor = executor, .stage = stage,
		.number = cost->nshares,
	};
	*place = ++cost->nshares;
	return &cost->shares[cost->nshares - 1];
}

/* When the executor's cores were paid, in ns. */
static int64_t begin_of(const struct fl_spark_executor *e)
{
	int64_t begin = e->added ? e->added : INT64_MAX;

	for (size_t i = 0; !e->added && i < e->ntasks; i++)
		begin = FL_MIN(begin, e->tasks[i].start);
	return begin;
}

static int64_t end_of(const struct fl_spark *spark,
		      const struct fl_spark_executor *e)
{
	return FL_MIN(e->removed, spark->apps[e->app].until);
}

/* The part of a task's time in which its executor was alive, and so paid. */
static int64_t within(const struct fl_spark_cost *cost,
		      const struct fl_spark_executor *e, int64_t start,
		      int64_t end)
{
	start = FL_MAX(start, begin_of(e));
	end = FL_MIN(end, end_of(cost->spark, e));
	return end > start ? end - start : 0;
}

static bool add_task(struct fl_spark_cost *cost, size_t executor,
		     const struct fl_spark_task *task)
{
	const struct fl_spark_executor *e = &cost->spark->executors[executor];
	int64_t cpus = cost->spark->apps[e->app].task_cpus, whole, active, cpu;
	struct share *share;

	if (!task->finish) {
		whole = fl_mul_clamped(within(cost, e, task->start,
					      end_of(cost->spark, e)), cpus);
		cost->executors[executor].unended += microseconds(whole);
		return true;
	}
	share = share_of(cost, executor, task->stage);
	if (!share)
		return false;
	whole = microseconds(fl_mul_clamped(
		within(cost, e, task->start, task->finish), cpus));
	active = microseconds(fl_mul_clamped(task->active, cpus));
	cpu = microseconds(task->cpu);
	active = FL_MIN(active, whole);
	share->active += active;
	share->cpu += FL_MIN(cpu, active);
	share->log_cpu += FL_MIN(microseconds(task->log_cpu), active);
	share->gc += microseconds(fl_mul_clamped(task->gc, cpus));
	if (!task->measured || (!task->ok && !task->log_cpu))
		share->unknown += active;
	share->overhead += whole - active;
	cost->executors[executor].used += whole;
	return true;
}

static bool add_tasks(struct fl_spark_cost *cost)
{
	for (size_t i = 0; i < cost->spark->nexecutors; i++) {
		const struct fl_spark_executor *e = &cost->spark->executors[i];

		for (size_t j = 0; j < e->ntasks; j++)
			if (!add_task(cost, i, &e->tasks[j]))
				return false;
	}
	return true;
}

/* Samples ---------------------------------------------------------------- */

static int add_entry(struct fl_spark_cost *cost, const struct entry *new)
{
	struct flame *flame = cost->sink->flame;
	uint64_t hash = fl_hash_pair(
		fl_hash_pair((uint64_t)new->share << 2 | new->kind,
			     (uint64_t)new->thread << 32 | new->labels),
		new->stack);
	uint32_t i, id;

	for (i = fl_index_first(&cost->sums, hash);
	     (id = fl_index_next(&cost->sums, hash, &i));) {
		struct entry *e = &cost->entries[id - 1];

		if (e->share == new->share && e->kind == new->kind &&
		    e->stack == new->stack && e->labels == new->labels &&
		    e->thread == new->thread) {
			e->parts += new->parts;
			return FLAME_OK;
		}
	}
	if (cost->nentries >= UINT32_MAX - 1 ||
	    !fl_grow(&cost->entries, &cost->entries_capacity,
		     cost->nentries + 1, sizeof(*cost->entries)))
		return fl_no_memory(flame);
	cost->entries[cost->nentries++] = *new;
	return fl_index_add(&cost->sums, hash, (uint32_t)cost->nentries) ?
	       FLAME_OK : fl_no_memory(flame);
}

/* Of a thread that was on a CPU, or ready and without one. */
static bool is_runnable(const struct fl_spark_cost *cost, flame_id labels)
{
	struct flame *flame = cost->sink->flame;
	flame_id state = flame_label_get(flame, labels, cost->state);

	return state && fl_slice_is(fl_name_at(flame, state),
				    "STATE_RUNNABLE");
}

static int add_to(struct fl_spark_cost *cost, size_t executor, size_t stage,
		  const struct flame_sample *s, uint64_t parts)
{
	const uint64_t *place = fl_map_get(&cost->index,
					   (uint64_t)executor << 32 | stage);
	struct entry entry = {
		.kind = cost->last_kind == CPU &&
			fl_spark_is_python(cost->sink->flame, &cost->in_python,
					   s->stack) ? PYTHON : cost->last_kind,
		.stack = s->stack, .parts = parts,
		.labels = !s->labels || cost->by_state ? s->labels :
			  flame_label(cost->sink->flame, s->labels, cost->state,
				      0),
		.thread = cost->by_thread ? s->thread : 0,
	};

	if (!place)		/* of a task that never ended */
		return FLAME_OK;
	entry.share = (uint32_t)(*place - 1);
	if (entry.kind == WALL && is_runnable(cost, s->labels))
		cost->shares[entry.share].runnable += parts;
	return add_entry(cost, &entry);
}

/* Of time, on a CPU or not; bytes that were allocated are none. */
static bool is_timed(struct fl_spark_cost *cost, flame_id metric)
{
	const char *name;

	if (cost->last == metric)
		return cost->last_kind != OTHER;
	name = metric ? flame_metric_of(cost->sink->flame, metric)->name : "";
	cost->last = metric;
	cost->last_kind = strcmp(name, "wall") == 0 ? WALL :
			  strcmp(name, "cpu") == 0 ? CPU : OTHER;
	return cost->last_kind != OTHER;
}

static const struct fl_spark_task *
task_at(const struct fl_spark_cost *cost, size_t executor,
	const struct fl_spark_span *span, unsigned i)
{
	const struct fl_spark_executor *e = &cost->spark->executors[executor];

	return &e->tasks[cost->spark->running[span->first + i]];
}

/*
 * A sample of any of a span's tasks: of those whose stage has the codegen of
 * its stack, if there is one, else of all; in equal parts.
 */
static int divide(struct fl_spark_cost *cost, size_t executor,
		  const struct fl_spark_span *span,
		  const struct flame_sample *s, uint64_t weight)
{
	int64_t codegen = fl_operator_of(cost->sink->flame, cost->operators,
					 s->stack).codegen;
	size_t first = FL_SPARK_NONE;
	bool open = false;
	unsigned n = 0;

	for (unsigned i = 0; codegen >= 0 && i < span->ntasks; i++)
		n += fl_operators_run(cost->operators, cost->spark,
				      task_at(cost, executor, span, i)->stage,
				      codegen);
	if (!n)
		codegen = -1;
	for (unsigned i = 0; i < span->ntasks; i++) {
		size_t stage = task_at(cost, executor, span, i)->stage;

		if (codegen >= 0 &&
		    !fl_operators_run(cost->operators, cost->spark, stage,
				      codegen))
			continue;
		first = first == FL_SPARK_NONE ? stage : first;
		open |= stage != first;
		if (add_to(cost, executor, stage, s,
			   weight * PARTS / (n ? n : span->ntasks)) !=
		    FLAME_OK)
			return FLAME_FAILED;
	}
	cost->open += open ? weight : 0;
	return FLAME_OK;
}

int fl_spark_cost_add(struct fl_spark_cost *cost, size_t executor,
		      const struct fl_spark_span *span,
		      const struct fl_spark_task *task,
		      const struct flame_sample *s)
{
	uint64_t weight = s->weight > 0 ? (uint64_t)s->weight : 0;

	if (!is_timed(cost, s->metric))
		return FLAME_OK;
	cost->executors[executor].seen = true;
	if (!s->stack || !span || !span->ntasks ||
	    !fl_on_task(cost->sink->flame, &cost->on_task, s))
		return FLAME_OK;
	weight = FL_MIN(weight, UINT32_MAX);
	return task ? add_to(cost, executor, task->stage, s, weight * PARTS) :
		      divide(cost, executor, span, s, weight);
}

/*
 * Whether a sample whose label names a stage is of a task, as far as its stack
 * and thread show: the label may be of all samples of an input.
 */
static bool may_be_on_task(struct fl_spark_cost *cost,
			   const struct flame_sample *s)
{
	struct flame *flame = cost->sink->flame;

	return fl_may_be_on_task(flame, &cost->on_task, s) ||
	       fl_spark_is_python(flame, &cost->in_python, s->stack);
}

/* Whether tasks of the stage ran on the executor, and ended. */
static bool has_share(const struct fl_spark_cost *cost, size_t executor,
		      size_t stage)
{
	return fl_map_get(&cost->index, (uint64_t)executor << 32 | stage);
}

/*
 * The shares of a stage, all its attempts: on one executor, or on all that ran
 * it.  Counts them, or adds as many parts of a sample to each.
 */
static int each_share(struct fl_spark_cost *cost, size_t executor,
		      const struct fl_spark_ids *ids, size_t app, int64_t id,
		      const struct flame_sample *s, uint64_t parts, uint64_t *n)
{
	size_t one = executor != FL_SPARK_NONE, at = 0, stage;
	size_t end = one ? executor + 1 : cost->spark->nexecutors;

	*n = 0;
	while ((stage = fl_spark_stage_of(ids, app, id, &at)) != FL_SPARK_NONE)
		for (size_t i = one ? executor : 0; i < end; i++) {
			if (!has_share(cost, i, stage))
				continue;
			++*n;
			cost->executors[i].seen |= parts > 0;
			if (parts && add_to(cost, i, stage, s, parts) !=
				     FLAME_OK)
				return FLAME_FAILED;
		}
	return FLAME_OK;
}

int fl_spark_cost_add_labelled(struct fl_spark_cost *cost, size_t executor,
			       const struct fl_spark_task *task,
			       const struct fl_spark_ids *ids, size_t app,
			       int64_t stage, const struct flame_sample *s)
{
	uint64_t parts = s->weight > 0 ?
		FL_MIN((uint64_t)s->weight, UINT32_MAX) * PARTS : 0, n;

	if (!is_timed(cost, s->metric))
		return FLAME_OK;
	if (executor != FL_SPARK_NONE)
		cost->executors[executor].seen = true;
	if (!s->stack || !parts)
		return FLAME_OK;
	if (task)
		return add_to(cost, executor, task->stage, s, parts);
	if (!may_be_on_task(cost, s))
		return FLAME_OK;
	each_share(cost, executor, ids, app, stage, s, 0, &n);
	return n ? each_share(cost, executor, ids, app, stage, s, parts / n,
			      &n) : FLAME_OK;
}

/* Rows ------------------------------------------------------------------- */

static flame_id set(struct fl_spark_cost *cost, flame_id labels, flame_id key,
		    const char *text)
{
	struct flame *flame = cost->sink->flame;

	return *text ? flame_label(flame, labels, key, fl_name(flame, text)) :
		       labels;
}

static flame_id set_number(struct fl_spark_cost *cost, flame_id labels,
			   flame_id key, int64_t n)
{
	char text[24];

	text[fl_format_u64(text, (uint64_t)FL_MAX(n, 0))] = '\0';
	return set(cost, labels, key, text);
}

static flame_id app_label(struct fl_spark_cost *cost, size_t app)
{
	return set(cost, 0, cost->app, cost->spark->apps[app].id);
}

static flame_id executor_labels(struct fl_spark_cost *cost, size_t executor,
				flame_id labels)
{
	const struct fl_spark_executor *e = &cost->spark->executors[executor];

	labels = set(cost, labels, cost->app, cost->spark->apps[e->app].id);
	return set(cost, labels, cost->executor, e->id);
}

/* All but its application and executor. */
static flame_id labels_of_stage(struct fl_spark_cost *cost,
				const struct fl_spark_stage *stage,
				flame_id labels)
{
	labels = set_number(cost, labels, cost->stage, stage->id);
	labels = set(cost, labels, cost->stage_name, stage->name);
	if (stage->ntasks > 0)
		labels = set_number(cost, labels, cost->stage_tasks,
				    stage->ntasks);
	return set(cost, labels, cost->query, *stage->job ? stage->job :
							    "[no query]");
}

static flame_id stage_labels(struct fl_spark_cost *cost,
			     const struct share *share, flame_id labels)
{
	labels = executor_labels(cost, share->executor, labels);
	return labels_of_stage(cost, &cost->spark->stages[share->stage],
			       labels);
}

/* The price of a row; what rounding removes from one is in the next. */
static int64_t price_of(struct fl_spark_cost *cost, int64_t weight)
{
	__extension__ typedef __int128 wide;
	int64_t before = cost->priced;

	cost->put = fl_add_clamped(cost->put, weight);
	cost->priced = (int64_t)FL_MIN((wide)cost->put * cost->price /
				       3600000000, (wide)INT64_MAX);
	return cost->priced - before;
}

static int put(struct fl_spark_cost *cost, flame_id stack, flame_id labels,
	       flame_id thread, int64_t weight)
{
	struct flame *flame = cost->sink->flame;
	struct flame_sample s = {
		.stack = stack, .labels = labels, .thread = thread,
		.metric = cost->metric, .weight = weight,
		.time = FLAME_NOTIME,
	};

	if (cost->price)
		s.weight = weight = price_of(cost, weight);
	if (!weight)
		return FLAME_OK;
	fl_metric_count(flame, cost->metric, (uint64_t)weight, weight);
	return fl_failed(flame) ? FLAME_FAILED : fl_put(cost->sink->next, &s);
}

/* A row of one frame, which is its operator too. */
static int put_named(struct fl_spark_cost *cost, const char *name,
		     flame_id labels, int64_t weight)
{
	struct flame *flame = cost->sink->flame;
	flame_id stack = flame_stack(flame, 0,
				     fl_frame(flame, fl_name(flame, name),
					      FLAME_GROUP));

	return put(cost, stack, set(cost, labels, cost->operator, name), 0,
		   weight);
}

/* A row that is of no stage. */
static int put_apart(struct fl_spark_cost *cost, size_t executor,
		     const char *name, int64_t weight)
{
	flame_id labels = executor_labels(cost, executor, 0);

	labels = set(cost, labels, cost->stage, name);
	labels = set(cost, labels, cost->stage_name, name);
	labels = set(cost, labels, cost->query, name);
	return put_named(cost, name, labels, weight);
}

/* Shares out time among entries of a kind, to the last microsecond. */
static int share_out(struct fl_spark_cost *cost, const struct share *share,
		     size_t first, size_t n, enum kind kind, int64_t time)
{
	__extension__ typedef unsigned __int128 wide;
	struct flame *flame = cost->sink->flame;
	wide sum = 0, all = 0;
	int64_t before = 0;
	flame_id last = 0, of_stage = 0;
	bool known = false;

	for (size_t i = first; i < first + n; i++)
		all += cost->entries[i].kind == kind ? cost->entries[i].parts :
						       0;
	for (size_t i = first; all && i < first + n; i++) {
		const struct entry *e = &cost->entries[i];
		flame_id labels;
		int64_t until;

		if (e->kind != kind)
			continue;
		sum += e->parts;
		until = (int64_t)((wide)time * sum / all);
		if (until == before)
			continue;
		if (!known || e->labels != last) {
			last = e->labels;
			of_stage = stage_labels(cost, share, last);
			known = true;
		}
		labels = fl_operator_labels(flame, cost->operators,
					    cost->spark, share->stage, of_stage,
					    e->stack);
		/* Others' stacks are of others' threads. */
		if (put(cost, e->stack, labels, share->n ? e->thread : 0,
			until - before) != FLAME_OK)
			return FLAME_FAILED;
		before = until;
	}
	return FLAME_OK;
}

/*
 * The entries that show what a share's time went to: its own, or those of the
 * stage on other executors.
 */
static void find_entries(const struct fl_spark_cost *cost,
			 const struct share *share, size_t *first, size_t *n,
			 uint64_t samples[KINDS])
{
	const struct share *from = share, *to = share + 1;

	if (!share->n) {
		while (from > cost->shares && from[-1].stage == share->stage)
			from--;
		while (to < cost->shares + cost->nshares &&
		       to->stage == share->stage)
			to++;
	}
	*first = from->first;
	*n = 0;
	memset(samples, 0, sizeof(*samples) * KINDS);
	for (; from < to; from++) {
		*n += from->n;
		for (int k = 0; k < KINDS; k++)
			samples[k] += from->samples[k];
	}
}

/* Learns how much CPU time of the log a sample of it is, on each executor. */
static void sum_samples(struct fl_spark_cost *cost)
{
	for (size_t i = 0; i < cost->nshares; i++) {
		const struct share *share = &cost->shares[i];
		struct executor *e = &cost->executors[share->executor];

		if (!share->n || share->samples[WALL])
			continue;
		e->cpu = fl_add_clamped(e->cpu, share->cpu);
		e->parts += share->samples[CPU];
		cost->all.cpu = fl_add_clamped(cost->all.cpu, share->cpu);
		cost->all.parts += share->samples[CPU];
	}
}

/*
 * The CPU time of Python workers is not in the log.  A sample of them is worth
 * as much as one of the JVM's CPU time is, which the log has.
 */
static int64_t python_time(const struct fl_spark_cost *cost,
			   const struct share *share,
			   const uint64_t samples[KINDS])
{
	const struct executor *e = &cost->executors[share->executor];
	int64_t waiting = share->active - share->cpu;
	double time;

	if (!share->n)		/* others' samples: in proportion to the JVM's */
		time = samples[CPU] ? (double)share->cpu *
			(double)samples[PYTHON] / (double)samples[CPU] : 0;
	else if (e->parts)
		time = (double)e->cpu * (double)samples[PYTHON] /
		       (double)e->parts;
	else
		time = cost->all.parts ? (double)cost->all.cpu *
			(double)samples[PYTHON] / (double)cost->all.parts : 0;
	return time < (double)waiting ? (int64_t)time : waiting;
}

/* Time on CPUs: the log's by stacks of the JVM, and the Python workers'. */
static int put_cpu(struct fl_spark_cost *cost, const struct share *share,
		   size_t first, size_t n, const uint64_t samples[KINDS])
{
	flame_id labels = stage_labels(cost, share, 0);
	int64_t python = python_time(cost, share, samples);
	int64_t waiting = share->active - share->cpu - python;

	cost->waited = fl_add_clamped(cost->waited, waiting);
	cost->active = fl_add_clamped(cost->active, share->active);
	if (put_named(cost, "[not on a CPU]", labels, waiting) != FLAME_OK)
		return FLAME_FAILED;
	if (!samples[CPU])	/* no stack of the JVM was seen */
		return share_out(cost, share, first, n, PYTHON,
				 share->cpu + python);
	if (share_out(cost, share, first, n, CPU, share->cpu) != FLAME_OK)
		return FLAME_FAILED;
	return share_out(cost, share, first, n, PYTHON, python);
}

static int put_share(struct fl_spark_cost *cost, const struct share *share)
{
	int64_t time = share->active;
	flame_id labels = stage_labels(cost, share, 0);
	uint64_t samples[KINDS];
	enum kind kind;
	size_t first, n;

	if (put_named(cost, "[task overhead]", labels, share->overhead) !=
	    FLAME_OK)
		return FLAME_FAILED;
	find_entries(cost, share, &first, &n, samples);
	if (!n) {
		cost->unseen += cost->strange[cost->spark->executors[
					share->executor].app] ? 0 : time;
		return put_named(cost, "[no samples]", labels, time);
	}
	kind = samples[WALL] ? WALL : CPU;
	if (!share->n) {
		double seconds = (double)time / 1e6;

		cost->scaled += time;
		/* A share of p is off by p (1 - p) / samples. */
		cost->variance += seconds * seconds / 4 /
				  ((double)(kind == WALL ? samples[WALL] :
					    samples[CPU] + samples[PYTHON]) /
				   PARTS);
	}
	return kind == WALL ? share_out(cost, share, first, n, WALL, time) :
			      put_cpu(cost, share, first, n, samples);
}

/* What a run read, and what failed ----------------------------------------- */

/* Archives have these metrics, which say how a run compares with others. */
static const struct {
	const char *metric, *unit, *frame;
} facts[] = {
	{ "input", "bytes", "[log: input]" },
	{ "input-records", "records", "[log: input]" },
	{ "failed", "jobs", "[log: failed]" },
	{ "failed", "jobs", "[log: no end]" },	/* of the application's log */
};

enum fact { INPUT, INPUT_RECORDS, FAILED, NO_END };

static int put_fact(struct fl_spark_cost *cost, enum fact fact,
		    flame_id labels, int64_t weight)
{
	struct flame *flame = cost->sink->flame;
	struct flame_sample s = { .weight = weight, .time = FLAME_NOTIME };

	if (!weight)
		return FLAME_OK;
	s.labels = labels;
	s.metric = flame_metric(flame, facts[fact].metric, facts[fact].unit);
	s.stack = flame_stack(flame, 0, fl_frame(flame, fl_name(flame,
				facts[fact].frame), FLAME_GROUP));
	fl_metric_count(flame, s.metric, 1, weight);
	return fl_failed(flame) ? FLAME_FAILED : fl_put(cost->sink->next, &s);
}

static int put_facts(struct fl_spark_cost *cost)
{
	const struct fl_spark *spark = cost->spark;
	int status = FLAME_OK;

	for (size_t i = 0; status == FLAME_OK && i < spark->nstages; i++) {
		const struct fl_spark_stage *stage = &spark->stages[i];
		flame_id labels = labels_of_stage(cost, stage,
						  app_label(cost, stage->app));

		if (cost->strange[stage->app])
			continue;
		status = put_fact(cost, INPUT, labels,
				  stage->sums.input_bytes);
		if (status == FLAME_OK)
			status = put_fact(cost, INPUT_RECORDS, labels,
					  stage->sums.input_records);
	}
	for (size_t i = 0; status == FLAME_OK && i < spark->njobs; i++)
		if (!cost->strange[spark->jobs[i].app])
			status = put_fact(cost, FAILED,
					  app_label(cost, spark->jobs[i].app),
					  spark->jobs[i].failed);
	for (size_t i = 0; status == FLAME_OK && i < spark->napps; i++)
		if (!cost->strange[i])
			status = put_fact(cost, NO_END, app_label(cost, i),
					  spark->apps[i].cut);
	return status;
}

/* Whether all metrics are written, as rows. */
static bool is_archive(const struct fl_spark_cost *cost)
{
	const struct flame_sink *last = cost->sink;

	while (last->next)
		last = last->next;
	return !last->draws && last->events && strcmp(last->events, "all") == 0;
}

/* The end ---------------------------------------------------------------- */

/*
 * Time that was paid for an executor's cores and no task used is idle.  Tasks
 * of one core can overlap by milliseconds in the driver's clock: their
 * overhead, and then their time, is cut to what was paid.
 */
static int put_idle(struct fl_spark_cost *cost, size_t executor)
{
	const struct fl_spark_executor *e = &cost->spark->executors[executor];
	struct executor *own = &cost->executors[executor];
	int64_t paid = microseconds(fl_mul_clamped(
		within(cost, e, 0, INT64_MAX), e->paid_cores));
	int64_t excess = own->used - paid;

	if (!e->paid_cores)	/* not known: as many as were used */
		return put_apart(cost, executor, "[tasks without an end]",
				 own->unended);
	own->unended = FL_MIN(own->unended, FL_MAX(-excess, 0));
	for (int pass = 0; pass < 2; pass++)
		for (size_t i = 0; excess > 0 && i < cost->nshares; i++) {
			struct share *share = &cost->shares[i];
			int64_t *from = pass ? &share->active :
					       &share->overhead;
			int64_t cut = FL_MIN(*from, excess);

			if (share->executor != executor)
				continue;
			*from -= cut;
			excess -= cut;
			own->used -= cut;
			share->cpu = FL_MIN(share->cpu, share->active);
		}
	if (put_apart(cost, executor, "[tasks without an end]",
		      own->unended) != FLAME_OK)
		return FLAME_FAILED;
	return put_apart(cost, executor, "[idle]",
			 paid - own->used - own->unended);
}

static int by_stage(const void *a, const void *b)
{
	const struct share *x = a, *y = b;

	if (x->stage != y->stage)
		return x->stage < y->stage ? -1 : 1;
	return (x->executor > y->executor) - (x->executor < y->executor);
}

/* Sorts shares by stage, and the entries of each share together. */
static bool sort_entries(struct fl_spark_cost *cost)
{
	struct entry *sorted = fl_zeroed(cost->nentries + 1, sizeof(*sorted));
	size_t *rank = fl_zeroed(cost->nshares + 1, sizeof(*rank)), at = 0;
	bool good = sorted && rank;

	if (good && cost->nshares)
		qsort(cost->shares, cost->nshares, sizeof(*cost->shares),
		      by_stage);
	for (size_t i = 0; good && i < cost->nshares; i++)
		rank[cost->shares[i].number] = i;
	for (size_t i = 0; good && i < cost->nentries; i++) {
		struct entry *e = &cost->entries[i];
		struct share *share = &cost->shares[rank[e->share]];

		e->share = (uint32_t)rank[e->share];
		share->n++;
		share->samples[e->kind] += e->parts;
	}
	for (size_t i = 0; good && i < cost->nshares; i++) {
		cost->shares[i].first = at;
		at += cost->shares[i].n;
		rank[i] = cost->shares[i].first;
	}
	for (size_t i = 0; good && i < cost->nentries; i++)
		sorted[rank[cost->entries[i].share]++] = cost->entries[i];
	fl_free(rank);
	fl_free(good ? cost->entries : sorted);
	if (good)
		cost->entries = sorted;
	return good;
}

/* How much CPU time a part of a sample is, where the log has all of it. */
static double time_of_part(const struct fl_spark_cost *cost)
{
	double cpu = 0, parts = 0;

	for (size_t i = 0; i < cost->nshares; i++) {
		const struct share *share = &cost->shares[i];

		if (share->unknown || !share->samples[CPU])
			continue;
		cpu += (double)share->log_cpu;
		parts += (double)share->samples[CPU];
	}
	return parts > 0 ? cpu / parts : 0;
}

/*
 * Fills in the CPU time that the log lacks by samples of it, if any; what
 * samples of CPU time do not show was waiting.
 */
static void estimate(struct share *share, double time)
{
	double cpu = (double)share->samples[CPU] * time;
	int64_t n;

	if (!share->unknown || !share->samples[CPU] || time <= 0)
		return;
	n = cpu < (double)share->active ? (int64_t)cpu : share->active;
	share->log_cpu += FL_MIN(FL_MAX(n - share->log_cpu, 0),
				 share->unknown);
	share->unknown = 0;
}

/*
 * How long a share's threads were ready and had no CPU: as many wall-clock
 * samples as say so, without the CPU time that the log has.
 */
static int64_t ready_time(const struct share *share)
{
	double time = share->samples[WALL] ? (double)share->active *
		(double)share->runnable / (double)share->samples[WALL] : 0;

	return FL_MAX((int64_t)time - share->cpu, 0);
}

/* Copies the shares as they were billed, for who reports them. */
static bool keep_shares(struct fl_spark_cost *cost)
{
	const double time = time_of_part(cost);
	struct fl_spark *spark = cost->spark;

	fl_free(spark->shares);
	spark->nshares = 0;
	spark->shares = fl_zeroed(cost->nshares + 1, sizeof(*spark->shares));
	if (!spark->shares)
		return false;
	for (size_t i = 0; i < cost->nshares; i++) {
		struct share *from = &cost->shares[i];
		uint64_t samples = from->samples[WALL] ? from->samples[WALL] :
				   from->samples[CPU] + from->samples[PYTHON];
		int64_t cpu, rest;

		estimate(from, time);
		cpu = FL_MIN(from->log_cpu, from->active);
		rest = from->active - cpu - FL_MIN(from->gc,
						   from->active - cpu);

		spark->shares[i] = (struct fl_spark_share){
			.executor = from->executor, .stage = from->stage,
			.active = from->active, .cpu = cpu,
			.gc = FL_MIN(from->gc, from->active - cpu),
			.unknown = FL_MIN(from->unknown, rest),
			.overhead = from->overhead,
			.walled = from->runnable ? from->active : 0,
			.ready = from->unknown ? 0 : ready_time(from),
			.samples = (samples + PARTS / 2) / PARTS,
		};
	}
	spark->nshares = cost->nshares;
	return true;
}

static void report(const struct fl_spark_cost *cost)
{
	struct flame *flame = cost->sink->flame;
	size_t n = 0, seen = 0;

	for (size_t i = 0; i < cost->spark->nexecutors; i++) {
		n += !cost->strange[cost->spark->executors[i].app];
		seen += cost->executors[i].seen;
	}
	if (cost->scaled)
		fl_warn(flame, "cost: %zu of %zu executors are in the "
			"profile; %.1f core-seconds of tasks are shared out "
			"as their stages' on others, +- %.1f", seen, n,
			(double)cost->scaled / 1e6, sqrt(cost->variance));
	if (cost->unseen)
		fl_warn(flame, "cost: %zu of %zu executors are in the "
			"profile; %.1f core-seconds are of stages without "
			"samples, [no samples]", seen, n,
			(double)cost->unseen / 1e6);
	if (cost->waited > cost->active / 2)
		fl_warn(flame, "cost: %.1f of %.1f core-seconds of tasks are "
			"[not on a CPU]: samples of cpu show neither waits nor "
			"Python workers that were not recorded; flame-record "
			"-e wall -p java shows both",
			(double)cost->waited / 1e6, (double)cost->active / 1e6);
	if (cost->open)
		fl_remark(flame, "cost: %" PRIu64 " samples could be of "
			  "several stages' tasks, and are divided among them",
			  cost->open);
}

/* Logs of a folder may be of applications that no input is of. */
static bool find_strange(struct fl_spark_cost *cost)
{
	const struct fl_spark *spark = cost->spark;
	bool any = false;

	cost->strange = fl_zeroed(spark->napps + 1, sizeof(*cost->strange));
	if (!cost->strange)
		return false;
	for (size_t i = 0; i < spark->nexecutors; i++)
		any |= cost->executors[i].seen;
	for (size_t i = 0; i < spark->napps; i++)
		cost->strange[i] = any;
	for (size_t i = 0; i < spark->nexecutors; i++)
		if (cost->executors[i].seen)
			cost->strange[spark->executors[i].app] = false;
	return true;
}

int fl_spark_cost_finish(struct fl_spark_cost *cost)
{
	fl_index_free(&cost->sums);	/* makes way for the sorted entries */
	if (!sort_entries(cost) || !find_strange(cost))
		return fl_no_memory(cost->sink->flame);
	for (size_t i = 0; i < cost->spark->nexecutors; i++)
		if (put_idle(cost, i) != FLAME_OK)
			return FLAME_FAILED;
	if (!keep_shares(cost))
		return fl_no_memory(cost->sink->flame);
	sum_samples(cost);
	for (size_t i = 0; i < cost->nshares; i++)
		if (put_share(cost, &cost->shares[i]) != FLAME_OK)
			return FLAME_FAILED;
	if (is_archive(cost) && put_facts(cost) != FLAME_OK)
		return FLAME_FAILED;
	report(cost);
	/* Who gathers the rows needs as much, after this. */
	fl_free(cost->entries);
	cost->entries = NULL;
	cost->nentries = cost->entries_capacity = 0;
	return FLAME_OK;
}

static int init(struct fl_spark_cost *cost, struct flame *flame)
{
	cost->metric = flame_metric(flame, FL_COST_METRIC,
				    cost->price ? FL_MONEY_MILLIONTH :
						  FL_CORE_US);
	cost->app = fl_name(flame, "app");
	cost->executor = fl_name(flame, "executor");
	cost->stage = fl_name(flame, "stage");
	cost->stage_name = fl_name(flame, "stage-name");
	cost->stage_tasks = fl_name(flame, "stage-tasks");
	cost->query = fl_name(flame, "query");
	cost->operator = fl_name(flame, "operator");
	cost->state = fl_name(flame, "state");
	cost->executors = fl_zeroed(cost->spark->nexecutors + 1,
				    sizeof(*cost->executors));
	for (const struct flame_sink *s = cost->sink->next; s; s = s->next) {
		cost->by_thread |= s->needs & FL_NEED_THREAD;
		cost->by_state |= s->needs & FL_NEED_STATE;
	}
	if (!cost->executors || !add_tasks(cost))
		return fl_no_memory(flame);
	return fl_on_task_init(flame, &cost->on_task);
}

struct fl_spark_cost *fl_spark_cost_new(struct flame_sink *sink,
					struct fl_spark *spark,
					struct fl_operators *operators,
					int64_t price)
{
	struct fl_spark_cost *cost = fl_zeroed(1, sizeof(*cost));

	if (!cost) {
		fl_no_memory(sink->flame);
		return NULL;
	}
	cost->sink = sink;
	cost->spark = spark;
	cost->operators = operators;
	cost->price = price;
	if (init(cost, sink->flame) == FLAME_OK)
		return cost;
	fl_spark_cost_free(cost);
	return NULL;
}

void fl_spark_cost_free(struct fl_spark_cost *cost)
{
	if (!cost)
		return;
	fl_free(cost->shares);
	fl_free(cost->entries);
	fl_free(cost->executors);
	fl_free(cost->strange);
	fl_map_free(&cost->index);
	fl_index_free(&cost->sums);
	fl_on_task_free(&cost->on_task);
	fl_rewrite_free(&cost->in_python);
	fl_free(cost);
}
