/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Filters of Spark's event log.  --spark-events adds the label stage (and more,
 * if a later filter asks for them) to samples: by the task that their labels or
 * thread name, else by their time, the stages whose tasks ran on the sample's
 * executor then.  --executor: which executor that is, where neither the path
 * nor the recording says.  spark-cost: the same as --spark-events, but forwards
 * the metric cost (cost.c) instead of the samples.
 */
#include "fl.h"

#include "filter/filter.h"
#include "remote/command.h"
#include "spark/align.h"
#include "spark/cost.h"
#include "spark/operators.h"
#include "spark/spark.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

/* The first line of spark-cost's list, before logs: --price. */
#define PRICE "price="

/* executor ---------------------------------------------------------------- */

struct executor {
	flame_id key, value;
};

static int put_executor(struct flame_sink *sink,
			const struct flame_sample *sample)
{
	const struct executor *executor = sink->state;
	struct flame_sample s = *sample;

	if (!flame_label_get(sink->flame, s.labels, executor->key))
		s.labels = flame_label(sink->flame, s.labels, executor->key,
				       executor->value);
	return fl_put(sink->next, &s);
}

static struct flame_sink *make_executor(struct flame_sink *next,
					const char *arg)
{
	struct flame_sink *sink = fl_sink_new(next->flame, next,
					      sizeof(struct executor));
	struct executor *executor;

	if (!sink)
		return NULL;
	executor = sink->state;
	executor->key = fl_name(next->flame, "executor");
	executor->value = fl_name(next->flame, arg);
	sink->labels = "executor";
	sink->put = put_executor;
	return sink;
}

const struct fl_filter fl_filter_executor = {
	.name = "executor", .argument = "ID",
	.summary = "the executor of inputs that do not name theirs",
	.make = make_executor, .rank = 1,
	.unchanged = true,
};

/* Labels ------------------------------------------------------------------ */

enum key {
	APP, EXECUTOR, STAGE, STAGE_NAME, STAGE_TASKS, QUERY, TASK, ATTEMPT,
	PARTITION, KEYS
};

static const char *const key_names[KEYS] = {
	"app", "executor", "stage", "stage-name", "stage-tasks", "query",
	"task", "attempt", "partition",
};

/* The keys of the labels of a task, a stage, an operator. */
#define TASK_KEYS "task,attempt,partition,*"
#define STAGE_KEYS "stage-name,stage-tasks,query," TASK_KEYS
#define OPERATOR_KEYS "operator,codegen," TASK_KEYS

struct events {
	struct fl_spark *spark;
	flame_id keys[KEYS], no_task, after, several;
	bool details;		/* more than the stage's number is asked for */
	bool tasks;		/* and more than of the stage */
	bool by_operator;	/* the labels operator and codegen */
	struct fl_operators operators;
	bool costs;		/* asked for */
	const char *forwards;	/* metrics to forward beside it, or NULL */
	flame_id metric;	/* of the last sample, */
	bool forwarded;		/* which is one of these */
	struct fl_spark_cost *cost;	/* NULL: not, or not begun */
	struct fl_spark_align *align;
	int64_t price;		/* of a core-hour, millionths; 0: none */
	struct fl_rewrite threads;	/* by thread: its task's id plus 2 */
	/* The last sample's labels, and the executor that they name. */
	flame_id labels;
	size_t executor;	/* FL_SPARK_NONE: none */
	bool known;
	/* What the last labels and thread name by themselves. */
	struct place {
		flame_id labels, thread;
		bool known;
		size_t app, executor;	/* FL_SPARK_NONE: any, or unknown */
		const struct fl_spark_task *task;	/* NULL: unknown */
		int64_t stage;		/* -1: unknown */
	} place;
	struct fl_spark_ids *ids;	/* NULL: not needed yet */
	/* By executor, and of none that is known: samples without a time. */
	struct timeless {
		uint64_t placed, others;
	} *timeless;
	uint64_t samples, strangers, late;
	int64_t until;		/* the end of the first log that is cut */
	flame_id stranger;	/* an executor that no log has */
};

static flame_id number(struct flame *flame, int64_t n)
{
	char text[24];
	int size = n < 0 ? 0 : (int)fl_format_u64(text, (uint64_t)n);

	return flame_name(flame, text, (size_t)size);
}

/* The application that a sample's labels name, or the only one. */
static size_t find_app(struct flame_sink *sink, flame_id labels)
{
	struct events *events = sink->state;
	const struct fl_spark *spark = events->spark;
	flame_id app = flame_label_get(sink->flame, labels, events->keys[APP]);

	return app ? fl_spark_find_app(spark, fl_name_at(sink->flame, app)) :
	       spark->napps == 1 ? 0 : FL_SPARK_NONE;
}

/* The executor that a sample's labels name. */
static size_t find_executor(struct flame_sink *sink, flame_id labels)
{
	struct events *events = sink->state;
	const struct fl_spark *spark = events->spark;
	flame_id id = flame_label_get(sink->flame, labels,
				      events->keys[EXECUTOR]);
	size_t at = find_app(sink, labels);

	if (at == FL_SPARK_NONE)
		return FL_SPARK_NONE;
	if (id)
		return fl_spark_find_executor(spark, at,
					      fl_name_at(sink->flame, id));
	/* The one there is: of local mode, or of a small job. */
	return spark->napps == 1 && spark->nexecutors == 1 ? 0 : FL_SPARK_NONE;
}

/* The task's number, plus 2; 1: it is not a name of a task. */
static flame_id task_of_name(struct slice name)
{
	struct fl_spark_task_name task;

	return fl_spark_task_name(name, &task) && task.id < UINT32_MAX - 2 ?
	       (flame_id)task.id + 2 : 1;
}

/* The task that the thread is named after; -1: none. */
static int64_t task_of_thread(struct flame_sink *sink, flame_id thread)
{
	struct events *events = sink->state;
	flame_id *known, name;

	if (!thread)
		return -1;
	known = fl_rewrite_slot(sink->flame, &events->threads, thread);
	if (!known)
		return -1;
	if (!*known) {
		name = flame_label_get(sink->flame, thread,
				       fl_name(sink->flame, "thread"));
		*known = name ? task_of_name(fl_name_at(sink->flame, name)) :
				1;
	}
	return (int64_t)*known - 2;
}

static int by_number(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return (x > y) - (x < y);
}

/* "12+13": the stages of the tasks of a span. */
static flame_id stages_of(struct flame_sink *sink,
			  const struct fl_spark_executor *e,
			  struct fl_spark_span *span)
{
	struct events *events = sink->state;
	const struct fl_spark *spark = events->spark;
	int64_t *ids = fl_zeroed(span->ntasks, sizeof(*ids));
	struct fl_buf text = { 0 };

	for (unsigned i = 0; ids && i < span->ntasks; i++)
		ids[i] = spark->stages[e->tasks[spark->running[span->first +
					i]].stage].id;
	if (ids)
		qsort(ids, span->ntasks, sizeof(*ids), by_number);
	for (unsigned i = 0; ids && i < span->ntasks; i++)
		if (!i || ids[i] != ids[i - 1])
			fl_buf_print(&text, "%s%" PRId64, i ? "+" : "",
				     ids[i]);
	if (ids && !text.failed)
		span->stage = flame_name(sink->flame, text.data, text.size);
	else
		fl_no_memory(sink->flame);
	fl_free(ids);
	fl_buf_free(&text);
	return span->stage;
}

static flame_id text_or(struct flame *flame, const char *text, flame_id none)
{
	return *text ? fl_name(flame, text) : none;
}

static flame_id set(struct flame_sink *sink, flame_id labels, enum key key,
		    flame_id value)
{
	const struct events *events = sink->state;

	return flame_label(sink->flame, labels, events->keys[key], value);
}

/* Labels of one task, or of all that have something in common. */
static flame_id add_details(struct flame_sink *sink, flame_id labels,
			    const struct fl_spark_executor *e,
			    const struct fl_spark_task *task, bool one_stage)
{
	struct events *events = sink->state;
	const struct fl_spark *spark = events->spark;
	flame_id none = events->several;
	const struct fl_spark_stage *stage = &spark->stages[task ? task->stage :
							     0];
	const char *app = spark->apps[e->app].id;

	if (!flame_label_get(sink->flame, labels, events->keys[APP]) && *app)
		labels = set(sink, labels, APP, fl_name(sink->flame, app));
	labels = set(sink, labels, STAGE_NAME, one_stage ?
		     text_or(sink->flame, stage->name, 0) : none);
	labels = set(sink, labels, STAGE_TASKS, !one_stage ? none :
		     stage->ntasks > 0 ? number(sink->flame, stage->ntasks) :
					 0);
	labels = set(sink, labels, QUERY, one_stage ?
		     text_or(sink->flame, stage->job, 0) : none);
	return labels;
}

static flame_id add_task(struct flame_sink *sink, flame_id labels,
			 const struct fl_spark_task *task)
{
	const struct events *events = sink->state;
	struct flame *flame = sink->flame;

	labels = set(sink, labels, TASK, task ? number(flame, task->id) :
						events->several);
	labels = set(sink, labels, PARTITION,
		     task ? number(flame, task->partition) : events->several);
	/* The application's attempt, of a path, has the same name. */
	if (task && !flame_label_get(flame, labels, events->keys[ATTEMPT]))
		labels = set(sink, labels, ATTEMPT,
			     number(flame, task->attempt));
	return labels;
}

/* No task ran, or nobody knows which. */
static flame_id label_none(struct flame_sink *sink, flame_id labels,
			   flame_id value)
{
	const struct events *events = sink->state;
	static const enum key keys[] = {
		STAGE_NAME, STAGE_TASKS, QUERY, TASK, PARTITION,
	};
	size_t n = events->tasks ? FL_COUNT(keys) : events->details ? 3 : 0;

	labels = set(sink, labels, STAGE, value);
	for (size_t i = 0; i < n; i++)
		labels = set(sink, labels, keys[i], value);
	return labels;
}

/* The task that a span of the recording names, or else the thread; -1: none. */
static int64_t task_of_sample(struct flame_sink *sink,
			      const struct flame_sample *s)
{
	const struct events *events = sink->state;
	flame_id task = flame_label_get(sink->flame, s->labels,
					events->keys[TASK]);
	int64_t id;

	if (task && fl_parse_digits(fl_name_at(sink->flame, task), &id))
		return id;
	return task_of_thread(sink, s->thread);
}

/* The task, of those that ran then, which the sample is of; NULL: any. */
static const struct fl_spark_task *
task_in(struct flame_sink *sink, const struct fl_spark_executor *e,
	const struct fl_spark_span *span, const struct flame_sample *s)
{
	struct events *events = sink->state;
	const size_t *running = &events->spark->running[span->first];
	int64_t id;

	if (span->ntasks == 1)
		return &e->tasks[running[0]];
	id = task_of_sample(sink, s);
	for (unsigned i = 0; id >= 0 && i < span->ntasks; i++)
		if (e->tasks[running[i]].id == id)
			return &e->tasks[running[i]];
	return NULL;
}

/* Counts samples later than the end of a log that was cut. */
static bool is_late(struct events *events, const struct fl_spark_executor *e,
		    int64_t time)
{
	const struct fl_spark_app *app = &events->spark->apps[e->app];

	if (!app->cut || time <= app->until)
		return false;
	if (!events->late++)
		events->until = app->until;
	return true;
}

static flame_id label_at(struct flame_sink *sink,
			 const struct fl_spark_executor *e,
			 const struct flame_sample *s)
{
	struct events *events = sink->state;
	struct fl_spark *spark = events->spark;
	struct fl_spark_span *span = fl_spark_span_at(spark, e, s->time);
	const struct fl_spark_task *task, *first;
	flame_id labels = s->labels, stage;
	bool one_stage = true;

	if (is_late(events, e, s->time))
		return label_none(sink, labels, events->after);
	if (!span || !span->ntasks)
		return label_none(sink, labels, events->no_task);
	task = task_in(sink, e, span, s);
	first = task ? task : &e->tasks[spark->running[span->first]];
	if (task && span->ntasks > 1)
		stage = number(sink->flame, spark->stages[task->stage].id);
	else
		stage = span->stage ? span->stage : stages_of(sink, e, span);
	labels = set(sink, labels, STAGE, stage);
	if (!events->details && !events->by_operator)
		return labels;
	for (unsigned i = 0; !task && i < span->ntasks; i++)
		one_stage &= e->tasks[spark->running[span->first + i]].stage ==
			     first->stage;
	if (events->by_operator)
		labels = fl_operator_labels(sink->flame, &events->operators,
					    spark, one_stage ? first->stage :
					    FL_SPARK_NONE, labels, s->stack);
	if (!events->details)
		return labels;
	labels = add_details(sink, labels, e, first, one_stage);
	return events->tasks ? add_task(sink, labels, task) : labels;
}

/* By labels ---------------------------------------------------------------- */

/* A label that is a number; -1: it is none. */
static int64_t number_of(struct flame_sink *sink, flame_id labels, enum key key)
{
	const struct events *events = sink->state;
	flame_id value = flame_label_get(sink->flame, labels,
					 events->keys[key]);
	int64_t n;

	return value && fl_parse_digits(fl_name_at(sink->flame, value), &n) ?
	       n : -1;
}

/*
 * Forgets a task that another application's labels name: it ran on another
 * executor, or in another stage, than they say.
 */
static void check_task(struct flame_sink *sink, struct place *p,
		       size_t executor)
{
	const struct events *events = sink->state;
	const struct fl_spark *spark = events->spark;

	if (!p->task)
		return;
	if ((p->stage >= 0 && spark->stages[p->task->stage].id != p->stage) ||
	    (flame_label_get(sink->flame, p->labels, events->keys[EXECUTOR]) &&
	     p->executor != executor))
		p->task = NULL, p->stage = -1;
	else
		p->executor = executor;
}

static void name_place(struct flame_sink *sink, struct place *p)
{
	struct events *events = sink->state;
	size_t executor = FL_SPARK_NONE;
	int64_t id = number_of(sink, p->labels, TASK);

	p->stage = number_of(sink, p->labels, STAGE);
	if (id < 0)
		id = task_of_thread(sink, p->thread);
	if (id >= 0 && p->app != FL_SPARK_NONE)
		p->task = fl_spark_task_of(events->ids, events->spark, p->app,
					   id, &executor);
	check_task(sink, p, executor);
	/* An executor that the log does not have: another application's. */
	if (!p->task && p->executor == FL_SPARK_NONE &&
	    flame_label_get(sink->flame, p->labels, events->keys[EXECUTOR]))
		p->stage = -1;
	if (p->app == FL_SPARK_NONE)
		p->stage = -1;
}

/*
 * The place that a sample's labels and thread name; NULL: none.  A sample that
 * has a time is not placed by its thread, which has its last name in a JFR
 * recording of async-profiler, nor by its stage, which may be of its path,
 * unless its executor is unknown.
 */
static const struct place *find_place(struct flame_sink *sink,
				      const struct flame_sample *s)
{
	struct events *events = sink->state;
	struct place *p = &events->place;
	bool timed = s->time != FLAME_NOTIME;
	flame_id thread = timed ? 0 : s->thread;

	if (!p->known || p->labels != s->labels || p->thread != thread) {
		*p = (struct place){
			.labels = s->labels, .thread = thread, .known = true,
			.app = find_app(sink, s->labels), .stage = -1,
			.executor = find_executor(sink, s->labels),
		};
		if (!events->ids)
			events->ids = fl_spark_ids_new(events->spark);
		if (events->ids)
			name_place(sink, p);
		else
			fl_no_memory(sink->flame);
	}
	if (p->task)
		return p;
	return p->stage >= 0 && (!timed || p->executor == FL_SPARK_NONE) ? p :
									   NULL;
}

/* Labels of a stage that is known by its id, as far as the log has it. */
static flame_id label_stage(struct flame_sink *sink, const struct place *p)
{
	struct events *events = sink->state;
	const struct fl_spark *spark = events->spark;
	size_t at = 0, stage = fl_spark_stage_of(events->ids, p->app, p->stage,
						 &at);
	const struct fl_spark_task any = {
		.stage = stage == FL_SPARK_NONE ? 0 : stage,
	};
	const struct fl_spark_executor e = { .app = p->app };

	return stage == FL_SPARK_NONE || !spark->nstages ? p->labels :
	       add_details(sink, p->labels, &e, &any, true);
}

static flame_id label_by(struct flame_sink *sink, const struct place *p,
			 const struct flame_sample *s)
{
	struct events *events = sink->state;
	const struct fl_spark *spark = events->spark;
	flame_id labels = p->labels;

	if (p->task) {
		const struct fl_spark_executor *e =
			&spark->executors[p->executor];

		labels = set(sink, labels, EXECUTOR,
			     fl_name(sink->flame, e->id));
		labels = set(sink, labels, STAGE,
			     number(sink->flame,
				    spark->stages[p->task->stage].id));
		if (events->by_operator)
			labels = fl_operator_labels(
				sink->flame, &events->operators, spark,
				p->task->stage, labels, s->stack);
		if (events->details)
			labels = add_details(sink, labels, e, p->task, true);
		return events->tasks ? add_task(sink, labels, p->task) : labels;
	}
	return events->details ? label_stage(sink, p) : labels;
}

static struct timeless *timeless_of(struct events *events, size_t executor)
{
	return &events->timeless[executor == FL_SPARK_NONE ?
				 events->spark->nexecutors : executor];
}

/* Where costs are asked for, only samples of metrics that are named, too. */
static bool is_forwarded(struct flame_sink *sink, const struct flame_sample *s)
{
	struct events *events = sink->state;

	if (!events->cost)
		return true;
	if (!events->forwards)
		return false;
	if (s->metric != events->metric)
		events->forwarded = fl_event_listed(events->forwards,
			flame_metric_of(sink->flame, s->metric)->name);
	events->metric = s->metric;
	return events->forwarded;
}

static int put_placed(struct flame_sink *sink, const struct place *p,
		      const struct flame_sample *sample)
{
	struct events *events = sink->state;
	struct flame_sample s = *sample;

	if (s.time == FLAME_NOTIME)
		timeless_of(events, p->executor)->placed++;
	if (events->cost &&
	    fl_spark_cost_add_labelled(events->cost, p->executor, p->task,
				       events->ids, p->app, p->stage, &s) !=
	    FLAME_OK)
		return FLAME_FAILED;
	if (!is_forwarded(sink, &s))
		return FLAME_OK;
	s.labels = label_by(sink, p, &s);
	return fl_failed(sink->flame) ? FLAME_FAILED : fl_put(sink->next, &s);
}

/* Samples ----------------------------------------------------------------- */

static int put_cost(struct flame_sink *sink, size_t executor,
		    const struct flame_sample *s)
{
	struct events *events = sink->state;
	const struct fl_spark_executor *e = &events->spark->executors[executor];
	struct fl_spark_span *span = fl_spark_span_at(events->spark, e,
						      s->time);
	const struct fl_spark_task *task = NULL;

	is_late(events, e, s->time);
	if (span && span->ntasks)
		task = task_in(sink, e, span, s);
	return fl_spark_cost_add(events->cost, executor, span, task, s);
}

static int put_labelled(struct flame_sink *sink, size_t executor,
			const struct flame_sample *sample)
{
	struct events *events = sink->state;
	struct flame_sample s = *sample;

	s.labels = label_at(sink, &events->spark->executors[executor], &s);
	return fl_failed(sink->flame) ? FLAME_FAILED : fl_put(sink->next, &s);
}

/* executor: that of the sample, whose time is the log's; or it has its place. */
static int put_aligned(struct flame_sink *sink, size_t executor,
		       const struct flame_sample *s)
{
	const struct events *events = sink->state;
	const struct place *place;

	if (executor != FL_SPARK_NONE) {
		if (events->cost && put_cost(sink, executor, s) != FLAME_OK)
			return FLAME_FAILED;
		return is_forwarded(sink, s) ?
		       put_labelled(sink, executor, s) : FLAME_OK;
	}
	place = find_place(sink, s);
	if (place)
		return put_placed(sink, place, s);
	return is_forwarded(sink, s) ? fl_put(sink->next, s) : FLAME_OK;
}

/* Logs have no executor of it but in local mode. */
static bool is_driver(struct flame_sink *sink, flame_id labels)
{
	const struct events *events = sink->state;
	flame_id id = flame_label_get(sink->flame, labels,
				      events->keys[EXECUTOR]);

	return fl_slice_is(fl_name_at(sink->flame, id), "driver") &&
	       find_app(sink, labels) != FL_SPARK_NONE;
}

/* The executor that a sample without a place of its own is placed on. */
static size_t placed_on(struct flame_sink *sink, const struct flame_sample *s)
{
	struct events *events = sink->state;

	if (s->time == FLAME_NOTIME) {
		timeless_of(events, events->place.executor)->others++;
		return FL_SPARK_NONE;
	}
	if (!events->known || events->labels != s->labels) {
		events->labels = s->labels;
		events->executor = find_executor(sink, s->labels);
		events->known = true;
	}
	if (events->executor == FL_SPARK_NONE && !is_driver(sink, s->labels)) {
		events->strangers++;
		if (!events->stranger)
			events->stranger = flame_label_get(
				sink->flame, s->labels, events->keys[EXECUTOR]);
	}
	return events->executor;
}

static int put_events(struct flame_sink *sink, const struct flame_sample *s)
{
	struct events *events = sink->state;

	events->samples++;
	return fl_spark_align_put(events->align, find_place(sink, s) ?
				  FL_SPARK_NONE : placed_on(sink, s), s);
}

static void warn_of_end(struct flame *flame, const struct events *events)
{
	time_t seconds = (time_t)(events->until / 1000000000);
	char when[64] = "";
	struct tm tm;

	if (gmtime_r(&seconds, &tm))
		strftime(when, sizeof(when), "%Y-%m-%dT%H:%M:%SZ", &tm);
	fl_warn(flame, "--spark-events: the log ends at %s and not with its "
		"application: %" PRIu64 " of %" PRIu64 " samples are later, "
		"[after the log]; give the whole log", when, events->late,
		events->samples);
}

static void warn_of_strangers(struct flame *flame, const struct events *events)
{
	if (events->stranger)
		fl_warn(flame, "--spark-events: %" PRIu64 " of %" PRIu64
			" samples are of executors that are not in the log "
			"(%s): is it the log of this application?",
			events->strangers, events->samples,
			fl_name_at(flame, events->stranger).data);
	else
		fl_warn(flame, "--spark-events: %" PRIu64 " of %"
			PRIu64 " samples name no executor: add --executor ID", events->strangers,
			events->samples);
}

/*
 * Samples whose stage is unknown.  Where some of an executor's have
 * the label of a task, the others are of its other threads.
 */
static uint64_t count_timeless(const struct events *events)
{
	uint64_t n = 0;

	for (size_t i = 0; i <= events->spark->nexecutors; i++)
		n += events->timeless[i].placed ? 0 :
						  events->timeless[i].others;
	return n;
}

static int finish_events(struct flame_sink *sink)
{
	const struct events *events = sink->state;
	uint64_t timeless = count_timeless(events);

	if (fl_spark_align_end(events->align) != FLAME_OK)
		return FLAME_FAILED;
	if (events->late)
		warn_of_end(sink->flame, events);
	if (timeless)
		fl_warn(sink->flame, "--spark-events: %" PRIu64 " of %" PRIu64
			" samples have neither a time nor a label stage or "
			"task: their stage is not known",
			timeless, events->samples);
	if (events->strangers)
		warn_of_strangers(sink->flame, events);
	return events->cost ? fl_spark_cost_finish(events->cost) : FLAME_OK;
}

static void free_events(struct flame_sink *sink)
{
	struct events *events = sink->state;

	fl_spark_align_free(events->align);
	fl_spark_cost_free(events->cost);
	fl_spark_ids_free(events->ids);
	fl_free(events->timeless);
	fl_operators_free(&events->operators);
	fl_spark_close(sink->flame, events->spark);
	fl_rewrite_free(&events->threads);
}

/* In millionths; six digits of a fraction are enough for any currency. */
static bool parse_price(const char *text, int64_t *price)
{
	struct slice all = { text, strlen(text) };

	return fl_parse_decimal(all, 6, price) && *price > 0 &&
	       *price <= INT64_C(1000000000000);
}

static int take_price(struct flame *flame, const char *text, int64_t *price)
{
	if (parse_price(text, price))
		return FLAME_OK;
	return fl_fail(flame, "--price %s: a number from 0.000001 to 1000000, "
		       "for an hour of a core", text);
}

/* Skips price=P at the beginning of the list. */
static const char *skip_price(struct flame_sink *sink, const char *list)
{
	struct events *events = sink->state;
	const char *end = strchrnul(list, '\n');
	char price[64];

	if (!events->costs || strncmp(list, PRICE, strlen(PRICE)) != 0)
		return list;
	list += strlen(PRICE);
	snprintf(price, sizeof(price), "%.*s", (int)(end - list), list);
	if (take_price(sink->flame, price, &events->price) == FLAME_OK)
		return *end ? end + 1 : end;
	return NULL;
}

static void ask(struct flame_sink *sink)
{
	struct events *events = sink->state;

	sink->needs = FL_NEED_TIME | FL_NEED_THREAD |
		      (events->costs ? FL_NEED_STATE : 0);
	sink->labels = "app,executor,stage,task,attempt,partition";
	for (struct flame_sink *s = sink->next; s; s = s->next) {
		events->forwards = s->events;
		events->tasks |= fl_is_wanted(s->labels, TASK_KEYS);
		events->details |= fl_is_wanted(s->labels, STAGE_KEYS);
		events->by_operator |= fl_is_wanted(s->labels, OPERATOR_KEYS);
	}
	/* Metric 0 is that of the first samples, if they have none. */
	events->forwarded = events->forwards &&
			    fl_event_listed(events->forwards, "");
}

static struct flame_sink *make_sink(struct flame_sink *next, const char *list,
				    bool cost)
{
	struct flame_sink *sink = fl_sink_new(next->flame, next,
					      sizeof(struct events));
	struct events *events;

	if (!sink)
		return NULL;
	events = sink->state;
	sink->put = put_events;
	sink->finish = finish_events;
	sink->free = free_events;
	events->costs = cost;
	ask(sink);
	for (size_t i = 0; i < KEYS; i++)
		events->keys[i] = fl_name(next->flame, key_names[i]);
	events->no_task = fl_name(next->flame, "[no task]");
	events->after = fl_name(next->flame, "[after the log]");
	events->several = fl_name(next->flame, "[several]");
	if (fl_operators_init(next->flame, &events->operators) != FLAME_OK)
		goto failed;
	list = skip_price(sink, list);
	events->spark = list ? fl_spark_open(next->flame, list) : NULL;
	if (!events->spark)
		goto failed;
	events->timeless = fl_zeroed(events->spark->nexecutors + 1,
				     sizeof(*events->timeless));
	if (!events->timeless) {
		fl_no_memory(next->flame);
		goto failed;
	}
	events->align = fl_spark_align_new(sink, events->spark, put_aligned);
	if (!events->align)
		goto failed;
	if (!cost)
		return sink;
	events->cost = fl_spark_cost_new(sink, events->spark,
					 &events->operators, events->price);
	if (events->cost)
		return sink;
failed:
	free_events(sink);
	fl_sink_free(sink);
	return NULL;
}

struct flame_sink *fl_spark_cost_sink(struct flame_sink *next,
				      struct fl_spark **spark, const char *logs)
{
	struct flame_sink *sink = make_sink(next, logs, true);

	*spark = NULL;
	if (sink)
		*spark = fl_spark_open(next->flame, logs);
	return sink;
}

/* URLs and what commands print are not checked. */
static int check_logs(struct flame *flame, const char *list)
{
	char *text = fl_memory_adopt(strdup(list)), *rest = text, *path;
	int status = text ? FLAME_OK : fl_no_memory(flame);

	while (status == FLAME_OK && (path = strsep(&rest, "\n"))) {
		const char *local = flame_local_path(path);

		if ((*path || !*list) && !fl_command_fetches(path) &&
		    !flame_url(local) && access(local, R_OK) != 0)
			status = fl_fail(flame, "%s: %s", path,
					 strerror(errno));
	}
	fl_free(text);
	return status;
}

static struct flame_sink *make_events(struct flame_sink *next,
				      const char *list)
{
	return make_sink(next, list, false);
}

static struct flame_sink *make_cost(struct flame_sink *next, const char *list)
{
	return make_sink(next, list, true);
}

const struct fl_filter fl_filter_spark_events = {
	.name = "spark-events", .argument = "LOG",
	.summary = "label stage, by Spark's event log",
	.make = make_events, .check = check_logs, .rank = 3, .joins = true,
	.unchanged = true,
};

const struct fl_filter fl_filter_spark_cost = {
	.name = "spark-cost", .argument = "LOG",
	.summary = "core-seconds of stacks, by Spark's event log",
	.make = make_cost, .rank = 3, .joins = true, .compat = true,
};

/* A tool hands the price over to spark-cost. */
static struct flame_sink *make_price(struct flame_sink *next, const char *arg)
{
	fl_fail(next->flame, "--price %s: of costs alone; give --event cost "
		"and --spark-events LOG", arg);
	return NULL;
}

static int check_price(struct flame *flame, const char *arg)
{
	int64_t price;

	return take_price(flame, arg, &price);
}

const struct fl_filter fl_filter_price = {
	.name = "price", .argument = "P",
	.summary = "--event cost: in money, P an hour of a core",
	.make = make_price, .check = check_price, .rank = 4,
};
