/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads an event log of Spark into the tables of struct fl_spark:
 * fl_spark_log_read() is called by files.c for each file.  A log has a JSON
 * object in each line, whose "Event" says what it is (event.c).  It reads where
 * and when tasks ran, what they cost, and what the plans of queries are.
 */
#include "fl.h"

#include "spark/event.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

struct fl_spark_log {
	struct flame *flame;
	struct fl_spark *spark;
	const char *path;
	struct fl_spark_event event;
	size_t app;
	struct fl_buf early;	/* lines from before the application is known */
	int64_t task_cpus;
	bool fair, dynamic;
	const char *version;
	int64_t end;		/* of the application; INT64_MAX: not known */
	int64_t latest;		/* of the times read, ms */
	bool some;
	const struct fl_spark_start *start;
	bool repeated;		/* another file has the same log */
	uint64_t bad_lines, first_bad, line;
	struct fl_map pythons;	/* accumulator -> its last value */
	struct fl_map tasks;	/* id -> executor << 32 | place, plus one */
};

static struct slice text_of(const struct fl_buf *buf)
{
	return fl_buf_slice(buf);
}

/* Events ---------------------------------------------------------------- */

static int64_t ns(int64_t ms)
{
	return fl_mul_clamped(ms, 1000000);
}

static const char *keep(struct fl_spark_log *log, const struct fl_buf *buf)
{
	struct slice text = text_of(buf);

	return fl_arena_copy(&log->spark->arena, text.data, text.size);
}

static void set_environment(struct fl_spark_log *log)
{
	struct fl_spark_app *app = &log->spark->apps[log->app];

	app->task_cpus = log->task_cpus;
	app->fair = log->fair;
	app->dynamic = log->dynamic;
}

/*
 * The same log may lie there packed and unpacked, or be named twice: its tasks
 * count once.  Sets log->repeated; false: out of memory.
 */
static bool add_start(struct fl_spark_log *log, struct fl_spark_app *app)
{
	struct fl_arena *arena = &log->spark->arena;
	struct fl_spark_start *start;

	for (const struct fl_spark_start *s = app->starts; s; s = s->next) {
		if (s->time != log->event.time || s == log->start)
			continue;
		log->repeated = true;
		fl_warn(log->flame, "%s: the same application and start as in "
			"%s: not read again", log->path, s->path);
		return true;
	}
	start = fl_arena_alloc(arena, sizeof(*start));
	if (!start)
		return false;
	start->time = log->event.time;
	start->path = fl_arena_copy(arena, log->path, strlen(log->path));
	start->next = app->starts;
	app->starts = log->start = start;
	return start->path;
}

static bool on_application(struct fl_spark_log *log)
{
	struct fl_spark_event *event = &log->event;
	const char *name = keep(log, &event->app_name);

	log->app = fl_spark_app(log->spark, text_of(&event->app));
	if (!name || log->app == FL_SPARK_NONE ||
	    (event->time > 0 && event->app.size &&
	     !add_start(log, &log->spark->apps[log->app])))
		return false;
	if (log->repeated)
		return true;
	log->spark->apps[log->app].name = name;
	log->spark->apps[log->app].version = log->version;
	set_environment(log);
	if (event->time > 0)
		log->spark->apps[log->app].started = ns(event->time);
	return true;
}

static bool on_log(struct fl_spark_log *log)
{
	log->version = keep(log, &log->event.version);
	return log->version;
}

static bool on_end(struct fl_spark_log *log)
{
	if (log->event.time >= 0)
		log->end = ns(log->event.time);
	return true;
}

static bool on_environment(struct fl_spark_log *log)
{
	if (log->event.cpus > 0)
		log->task_cpus = log->event.cpus;
	log->fair = fl_slice_is(text_of(&log->event.mode), "FAIR");
	log->dynamic = fl_slice_is(text_of(&log->event.dynamic), "true");
	if (log->app != FL_SPARK_NONE)
		set_environment(log);
	return true;
}

/*
 * The application of a log whose first part is gone, by the names of Spark's
 * files: APP, APP.zstd, events_2_APP; "" where it is another name.
 */
static size_t app_of(struct fl_spark_log *log)
{
	static const char part[] = "events_";
	const char *slash = strrchr(log->path, '/');
	const char *name = slash ? slash + 1 : log->path;
	char path[512], id[256];

	if (log->app != FL_SPARK_NONE)
		return log->app;
	if (strncmp(name, part, sizeof(part) - 1) == 0) {
		name += sizeof(part) - 1;
		name += strspn(name, "0123456789");
		name += *name == '_';
	}
	/* As the folder of a recording, whose name is the application. */
	snprintf(path, sizeof(path), "%.*s/x", (int)strcspn(name, "."), name);
	if (!flame_path_label(path, "app", id, sizeof(id)))
		id[0] = '\0';
	log->app = fl_spark_app(log->spark, (struct slice){ id, strlen(id) });
	return log->app;
}

static struct fl_spark_executor *executor_of(struct fl_spark_log *log)
{
	return app_of(log) == FL_SPARK_NONE ? NULL :
	       fl_spark_executor(log->spark, log->app,
				 text_of(&log->event.executor));
}

static bool on_executor_added(struct fl_spark_log *log)
{
	struct fl_spark_executor *e = executor_of(log);
	const char *host = keep(log, &log->event.host);

	if (!e || !host)
		return false;
	e->host = host;
	e->removed = INT64_MAX;
	if (log->event.time > 0)
		e->added = ns(log->event.time);
	e->paid_cores = FL_MAX(log->event.cores, 0);
	if (log->event.cores > 0)
		e->cores = FL_MAX(log->event.cores / log->task_cpus, 1);
	return true;
}

/* The end of an executor that never was: a launch that failed has one, too. */
static bool on_executor_removed(struct fl_spark_log *log)
{
	const struct fl_spark_event *event = &log->event;
	const char *reason = keep(log, &event->failure);
	size_t at = log->app == FL_SPARK_NONE ? FL_SPARK_NONE :
		fl_spark_find_executor(log->spark, log->app,
				       text_of(&event->executor));

	if (!reason || at == FL_SPARK_NONE)
		return reason;
	log->spark->executors[at].reason = reason;
	if (event->time >= 0)
		log->spark->executors[at].removed = ns(event->time);
	return true;
}

static struct fl_spark_job *job_of(struct fl_spark_log *log)
{
	return app_of(log) == FL_SPARK_NONE ? NULL :
	       fl_spark_job(log->spark, log->app, log->event.job);
}

static bool on_job_start(struct fl_spark_log *log)
{
	const char *description = keep(log, &log->event.description);
	struct fl_spark_job *job = job_of(log);

	if (!description || !job)
		return false;
	job->description = description;
	job->sql = log->event.sql;
	job->batch = log->event.batch;
	if (log->event.submitted > 0)
		job->start = ns(log->event.submitted);
	job->nstages = log->event.nids;
	return fl_spark_add_ids(log->spark, log->event.ids, job->nstages,
				&job->first_stage);
}

/* "... Task 0 in stage 13.0 failed 4 times ...": 13; -1: none. */
static int64_t stage_in(struct slice text)
{
	static const char mark[] = " in stage ";
	const char *at = text.size ? memmem(text.data, text.size, mark,
					    sizeof(mark) - 1) : NULL;
	size_t n = 0, size;
	int64_t stage;

	if (!at)
		return -1;
	at += sizeof(mark) - 1;
	size = (size_t)(text.data + text.size - at);
	while (n < size && at[n] >= '0' && at[n] <= '9')
		n++;
	return fl_parse_digits((struct slice){ at, n }, &stage) ? stage : -1;
}

static bool on_job_end(struct fl_spark_log *log)
{
	const struct fl_spark_event *event = &log->event;
	struct slice text = fl_spark_innermost(text_of(&event->failure));
	struct fl_spark_job *job = job_of(log);

	if (!job)
		return false;
	if (event->completed > 0)
		job->end = ns(event->completed);
	job->failed = event->result.size &&
		      !fl_slice_is(text_of(&event->result), "JobSucceeded");
	if (!job->failed)
		return true;
	job->stage = stage_in(text_of(&event->failure));
	job->failure = fl_arena_copy(&log->spark->arena, text.data, text.size);
	return job->failure;
}

static struct fl_spark_stage *stage_of(struct fl_spark_log *log)
{
	return app_of(log) == FL_SPARK_NONE ? NULL :
	       fl_spark_stage(log->spark, log->app, log->event.stage,
			      FL_MAX(log->event.stage_attempt, 0));
}

static struct fl_spark_query *query_of(struct fl_spark_log *log)
{
	return app_of(log) == FL_SPARK_NONE ? NULL :
	       fl_spark_query(log->spark, log->app, log->event.sql);
}

/* An operator's names of the plan that was read, "Sort, Project"; NULL. */
static const char *operators_of(struct fl_spark_log *log, size_t codegen)
{
	const struct fl_spark_plan *plan = &log->event.plan;
	struct fl_buf text = { 0 };
	const char *copy = NULL;

	for (size_t i = 0; i < plan->noperators; i++)
		if (plan->operators[i].codegen == codegen)
			fl_buf_print(&text, "%s%.*s", text.size ? ", " : "",
				     (int)plan->operators[i].size,
				     plan->names.data +
				     plan->operators[i].text);
	if (!text.failed)
		copy = fl_arena_copy(&log->spark->arena, text.size ? text.data :
				     "", text.size);
	fl_buf_free(&text);
	return copy;
}

static bool add_codegen(struct fl_spark_log *log, size_t at)
{
	const struct fl_spark_plan *plan = &log->event.plan;
	struct fl_spark *spark = log->spark;
	struct fl_spark_codegen codegen = {
		.id = plan->codegens[at], .operators = operators_of(log, at),
	};
	int64_t *ids = fl_zeroed(plan->nmetrics + 1, sizeof(*ids));
	bool good = ids && codegen.operators;

	for (size_t i = 0; ids && i < plan->nmetrics; i++)
		if (plan->metrics[i].codegen == at)
			ids[codegen.nids++] = plan->metrics[i].id;
	good = good && fl_spark_add_ids(spark, ids, codegen.nids,
					&codegen.first_id) &&
	       fl_grow(&spark->codegens, &spark->codegens_capacity,
		       spark->ncodegens + 1, sizeof(codegen));
	if (good)
		spark->codegens[spark->ncodegens++] = codegen;
	fl_free(ids);
	return good;
}

/* The last plan is that of the query: adaptive execution changes it. */
static bool on_plan(struct fl_spark_log *log)
{
	struct fl_spark_query *query;
	size_t first = log->spark->ncodegens;

	if (log->event.sql < 0 || !log->event.has_plan)
		return true;
	for (size_t i = 0; i < log->event.plan.ncodegens; i++)
		if (!add_codegen(log, i))
			return false;
	query = query_of(log);
	if (!query)
		return false;
	query->first_codegen = first;
	query->ncodegens = log->spark->ncodegens - first;
	return true;
}

static bool on_query(struct fl_spark_log *log)
{
	const char *text = keep(log, &log->event.description);
	struct fl_spark_query *query;

	if (log->event.sql < 0)
		return text;
	query = query_of(log);
	if (!text || !query)
		return false;
	query->description = text;
	return on_plan(log);
}

/* A metric's value is the sum over all stages that update it, so far. */
static bool add_python(struct fl_spark_log *log, struct fl_spark_stage *stage)
{
	for (size_t i = 0; i < log->event.npythons; i++) {
		const struct fl_spark_python *p = &log->event.pythons[i];
		uint64_t *last = fl_map_put(&log->pythons, (uint64_t)p->id,
					    NULL);

		if (!last)
			return false;
		if (p->ms > (int64_t)*last)
			stage->python = fl_add_clamped(
				stage->python, ns(p->ms - (int64_t)*last));
		*last = (uint64_t)p->ms;
	}
	return true;
}

static bool complete(struct fl_spark_log *log, struct fl_spark_stage *stage)
{
	const struct fl_spark_event *event = &log->event;

	if (event->submitted > 0)
		stage->submitted = ns(event->submitted);
	if (event->completed > 0)
		stage->completed = ns(event->completed);
	if (event->failure.size) {
		struct slice text = fl_spark_innermost(text_of(
							&event->failure));

		stage->failure = fl_arena_copy(&log->spark->arena, text.data,
					       text.size);
		if (!stage->failure)
			return false;
	}
	if (!add_python(log, stage))
		return false;
	if (!event->naccumulators)
		return true;
	stage->nids = event->naccumulators;
	return fl_spark_add_ids(log->spark, event->accumulators, stage->nids,
				&stage->first_id);
}

/* Both events of a stage have them. */
static bool add_parents(struct fl_spark_log *log, struct fl_spark_stage *stage)
{
	if (stage->nparents || !log->event.nids)
		return true;
	stage->nparents = log->event.nids;
	return fl_spark_add_ids(log->spark, log->event.ids, stage->nparents,
				&stage->first_parent);
}

static bool on_stage(struct fl_spark_log *log)
{
	struct fl_spark_stage *stage;
	const struct fl_spark_query *query;

	if (log->event.stage < 0)
		return true;
	stage = stage_of(log);
	if (!stage)
		return false;
	if (log->event.stage_name.size)
		stage->name = keep(log, &log->event.stage_name);
	if (log->event.ntasks > 0)
		stage->ntasks = log->event.ntasks;
	if (log->event.sql >= 0)
		stage->sql = log->event.sql;
	query = stage->sql < 0 ? NULL :
		fl_spark_find_query(log->spark, stage->app, stage->sql);
	if (log->event.description.size)
		stage->job = keep(log, &log->event.description);
	else if (query && !*stage->job)
		stage->job = query->description;
	stage->barrier |= log->event.barrier;
	if (log->event.pool.size)
		stage->pool = keep(log, &log->event.pool);
	return stage->name && stage->job && stage->pool &&
	       add_parents(log, stage) && complete(log, stage);
}

/* The task's place in its executor's; NULL: out of memory. */
static struct fl_spark_task *task_of(struct fl_spark_log *log,
				     struct fl_spark_executor *e)
{
	struct fl_spark *spark = log->spark;
	uint64_t *place = fl_map_put(&log->tasks, (uint64_t)log->event.task,
				     NULL);
	size_t at = (size_t)(e - spark->executors);

	if (!place)
		return NULL;
	if (*place && (*place - 1) >> 32 == at)
		return &e->tasks[(uint32_t)(*place - 1)];
	if (e->ntasks >= UINT32_MAX - 1 || at >= UINT32_MAX ||
	    !fl_grow(&e->tasks, &e->capacity, e->ntasks + 1,
		     sizeof(*e->tasks)))
		return NULL;
	*place = ((uint64_t)at << 32 | e->ntasks) + 1;
	e->tasks[e->ntasks] = (struct fl_spark_task){
		.id = log->event.task, .end = INT64_MAX,
	};
	return &e->tasks[e->ntasks++];
}

static int64_t at_least_0(int64_t n)
{
	return FL_MAX(n, 0);
}

/* How long of its time from launch to finish the task's thread ran it. */
static void measure(struct fl_spark_task *task,
		    const struct fl_spark_measures *m)
{
	int64_t whole = FL_MAX(task->finish - task->start, 0);

	task->active = task->cpu = whole;
	if (m->run < 0)
		return;
	task->active = FL_MIN(ns(fl_add_clamped(m->run,
						at_least_0(m->deserialize))),
			      whole);
	task->cpu = fl_add_clamped(at_least_0(m->cpu),
				   at_least_0(m->deserialize_cpu));
	task->log_cpu = FL_MIN(task->cpu, task->active);
	/* A failed task has its time, but no CPU time. */
	if (!task->cpu || task->cpu > task->active)
		task->cpu = task->active;
	task->gc = FL_MIN(ns(at_least_0(m->gc)), task->active - task->log_cpu);
}

static void add(int64_t *sum, int64_t n)
{
	*sum = fl_add_clamped(*sum, at_least_0(n));
}

/* Its time without an overlap: see fl_spark_used. */
static void add_used(struct fl_spark_used *used,
		     const struct fl_spark_measures *m,
		     const struct fl_spark_task *task)
{
	int64_t whole = at_least_0(task->finish - task->start);
	int64_t rest = task->active;
	struct {
		int64_t *sum, n;
	} parts[] = {
		{ &used->cpu, task->log_cpu }, { &used->gc, task->gc },
		{ &used->fetch, ns(at_least_0(m->fetch_wait)) },
		{ &used->write, at_least_0(m->shuffle_write) },
		{ &used->deserialize, ns(at_least_0(m->deserialize)) -
				      at_least_0(m->deserialize_cpu) },
		{ &used->serialize, ns(at_least_0(m->serialize)) },
	};

	if (!task->ok || !task->measured) {
		add(task->ok ? &used->unknown : &used->lost, whole);
		return;
	}
	for (size_t i = 0; i < FL_COUNT(parts); i++) {
		int64_t n = FL_MIN(at_least_0(parts[i].n), rest);

		add(parts[i].sum, n);
		rest -= n;
	}
	add(&used->delay, whole - task->active);
}

static void add_to_stage(const struct fl_spark_event *event,
			 struct fl_spark_stage *stage,
			 const struct fl_spark_task *task)
{
	const struct fl_spark_measures *m = &event->measures;
	struct fl_spark_sums *sums = &stage->sums;
	struct slice reason = text_of(&event->reason);

	sums->tasks++;
	if (fl_slice_is(reason, "Success")) {
		sums->ok++;
		add(&sums->input_bytes, m->input_bytes);
		add(&sums->input_records, m->input_records);
	} else if (event->killed == 1 || fl_slice_is(reason, "TaskKilled")) {
		sums->killed++;
	} else {
		sums->failed++;
	}
	sums->speculative += event->speculative == 1;
	sums->unmeasured += m->run < 0;
	add(&sums->launch_to_finish, task->finish - task->start);
	add(&sums->run, ns(m->run));
	add(&sums->cpu, m->cpu);
	add(&sums->deserialize, ns(m->deserialize));
	add(&sums->deserialize_cpu, m->deserialize_cpu);
	add(&sums->gc, ns(m->gc));
	add(&sums->serialize, ns(m->serialize));
	add(&sums->fetch_wait, ns(m->fetch_wait));
	add(&sums->shuffle_write, m->shuffle_write);
	add(&sums->read_bytes, m->remote_bytes);
	add(&sums->read_bytes, m->local_bytes);
	add(&sums->written_bytes, m->written_bytes);
	add(&sums->memory_spill, m->memory_spill);
	add(&sums->disk_spill, m->disk_spill);
	add_used(&sums->used, m, task);
}

static const struct {
	const char *reason;
	enum fl_spark_failure_kind kind;
} kinds[] = {
	{ "ExceptionFailure", FL_FAILED_EXCEPTION },
	{ "ExecutorLostFailure", FL_FAILED_LOST },
	{ "FetchFailed", FL_FAILED_FETCH },
	{ "TaskKilled", FL_FAILED_KILLED },
};

static bool add_failure(struct fl_spark_log *log, size_t stage,
			const struct fl_spark_executor *e)
{
	const struct fl_spark_event *event = &log->event;
	struct slice reason = text_of(&event->reason);
	struct slice text = text_of(event->trace.size ? &event->trace :
							&event->failure);
	enum fl_spark_failure_kind kind = FL_FAILED_OTHER;
	const char *host = *e->host ? e->host : keep(log, &event->host);

	for (size_t i = 0; i < FL_COUNT(kinds); i++)
		if (fl_slice_is(reason, kinds[i].reason))
			kind = kinds[i].kind;
	return host && fl_spark_fail(log->spark, stage, kind,
				     event->exception.size ?
				     text_of(&event->exception) : reason,
				     text, host);
}

/* The sum of two counts, of which -1 is unknown; -1: both are. */
static int64_t sum_of(int64_t a, int64_t b)
{
	return a < 0 ? b : b < 0 ? a : fl_add_clamped(a, b);
}

static bool on_task(struct fl_spark_log *log)
{
	const struct fl_spark_event *event = &log->event;
	struct fl_spark_executor *e;
	struct fl_spark_stage *stage;
	struct fl_spark_task *task;

	if (event->task < 0 || event->launch <= 0 || event->stage < 0)
		return true;
	e = executor_of(log);
	stage = e ? stage_of(log) : NULL;
	task = stage ? task_of(log, e) : NULL;
	if (!task)
		return false;
	task->stage = (size_t)(stage - log->spark->stages);
	task->start = ns(event->launch);
	task->attempt = FL_MAX(event->attempt, 0);
	task->partition = event->partition >= 0 ? event->partition :
						  event->index;
	if (event->finish <= 0)
		return true;
	task->end = ns(event->finish);
	if (task->finish) {
		stage->sums.resubmitted++;
		return true;
	}
	task->finish = task->end;
	measure(task, &event->measures);
	task->ok = fl_slice_is(text_of(&event->reason), "Success");
	task->measured = event->measures.run >= 0;
	task->records = sum_of(event->measures.input_records,
			       event->measures.shuffle_records);
	task->bytes = sum_of(event->measures.input_bytes,
			     sum_of(event->measures.remote_bytes,
				    event->measures.local_bytes));
	add_to_stage(event, stage, task);
	return task->ok || !event->reason.size ||
	       add_failure(log, task->stage, e);
}

static const struct handler {
	const char *event;
	bool (*handle)(struct fl_spark_log *log);
} handlers[] = {
	{ "SparkListenerTaskStart", on_task },
	{ "SparkListenerTaskEnd", on_task },
	{ "SparkListenerStageSubmitted", on_stage },
	{ "SparkListenerStageCompleted", on_stage },
	{ "SparkListenerJobStart", on_job_start },
	{ "SparkListenerJobEnd", on_job_end },
	{ "SparkListenerExecutorAdded", on_executor_added },
	{ "SparkListenerExecutorRemoved", on_executor_removed },
	{ "SparkListenerApplicationStart", on_application },
	{ "SparkListenerApplicationEnd", on_end },
	{ "SparkListenerLogStart", on_log },
	{ "SparkListenerEnvironmentUpdate", on_environment },
	{ "org.apache.spark.sql.execution.ui.SparkListenerSQLExecutionStart",
	  on_query },
	{ "org.apache.spark.sql.execution.ui."
	  "SparkListenerSQLAdaptiveExecutionUpdate", on_plan },
};

static const struct handler *handler_of(struct slice event)
{
	for (size_t i = 0; i < FL_COUNT(handlers); i++)
		if (fl_slice_is(event, handlers[i].event))
			return &handlers[i];
	return NULL;
}

/* Lines ----------------------------------------------------------------- */

/*
 * {"Event":"NAME", as Spark writes it: the name, without parsing what may be
 * the plan of a query.  size 0: it is written otherwise.
 */
static struct slice name_of(struct slice line)
{
	static const char head[] = "{\"Event\":\"";
	const char *at = line.data + sizeof(head) - 1, *quote;

	if (!fl_slice_starts(line, head))
		return (struct slice){ line.data, 0 };
	quote = memchr(at, '"', (size_t)(line.data + line.size - at));
	return (struct slice){ at, quote ? (size_t)(quote - at) : 0 };
}

static int read_line(struct fl_spark_log *log, struct slice line, bool *whole);

/* Those of executors that were added before the application was known. */
static int read_early(struct fl_spark_log *log)
{
	struct fl_buf early = log->early;
	struct slice rest = fl_buf_slice(&early);
	int status = app_of(log) == FL_SPARK_NONE ? fl_no_memory(log->flame) :
						    FLAME_OK;
	bool whole;

	log->early = (struct fl_buf){ 0 };
	while (status == FLAME_OK && rest.size) {
		const char *lf = memchr(rest.data, '\n', rest.size);
		size_t size = (size_t)(lf - rest.data);

		status = read_line(log, (struct slice){ rest.data, size },
				   &whole);
		rest = fl_slice_from(rest, size + 1);
	}
	fl_buf_free(&early);
	return status;
}

/* Local mode adds its executor before the application starts. */
static bool is_early(struct fl_spark_log *log, const struct handler *handler,
		     struct slice line)
{
	if (log->app != FL_SPARK_NONE ||
	    (handler->handle != on_executor_added &&
	     handler->handle != on_executor_removed))
		return false;
	fl_buf_put(&log->early, line.data, line.size);
	fl_buf_byte(&log->early, '\n');
	return true;
}

/* *whole: it is an event. */
static int read_line(struct fl_spark_log *log, struct slice line, bool *whole)
{
	struct slice name = name_of(line);
	struct fl_spark_event *event = &log->event;
	const struct handler *handler;

	*whole = true;
	if (!line.size || (name.size && !handler_of(name) &&
			   line.data[line.size - 1] == '}'))
		return FLAME_OK;
	*whole = fl_spark_event_read(event, line);
	handler = *whole ? handler_of(text_of(&event->name)) : NULL;
	if (handler)
		log->latest = FL_MAX(FL_MAX(log->latest, event->time),
				     FL_MAX(event->launch, event->finish));
	if (handler && is_early(log, handler, line))
		return log->early.failed ? fl_no_memory(log->flame) : FLAME_OK;
	if (event->no_memory || (handler && !handler->handle(log)))
		return fl_no_memory(log->flame);
	return log->early.size && log->app != FL_SPARK_NONE && !log->repeated ?
	       read_early(log) : FLAME_OK;
}

static int take_line(struct fl_spark_log *log, struct slice line, bool last,
		     bool in_progress)
{
	bool whole;

	log->line++;
	fl_slice_skip_marks(&line);
	while (line.size && (line.data[line.size - 1] == '\r' ||
			     line.data[line.size - 1] == '\n'))
		line.size--;
	if (read_line(log, line, &whole) != FLAME_OK)
		return FLAME_FAILED;
	if (!whole && !log->some)
		return fl_fail(log->flame, "%s: not a Spark event log: line "
			       "%" PRIu64 " is not an event; give a log, or a "
			       "folder of them (spark.eventLog.dir)",
			       log->path, log->line);
	log->some |= whole && line.size;
	if (!whole && !(last && in_progress) && !log->bad_lines++)
		log->first_bad = log->line;
	return FLAME_OK;
}

static int read_lines(struct fl_spark_log *log, struct fl_in *in,
		      bool in_progress)
{
	const char *at, *lf;
	size_t avail;

	while (!log->repeated && (lf = fl_in_peek_line(in, &at, &avail))) {
		struct slice line = { at, (size_t)(lf - at) };

		if (take_line(log, line, false, in_progress) != FLAME_OK)
			return FLAME_FAILED;
		fl_in_consume(in, line.size + 1);
	}
	if (log->repeated)
		return FLAME_OK;
	at = (const char *)fl_in_peek(in, 1, &avail);
	if (avail && !fl_in_is_refused(in))
		return take_line(log, (struct slice){ at, avail }, true,
				 in_progress);
	return FLAME_OK;
}

static void warn(struct fl_spark_log *log, const struct fl_in *in,
		 bool in_progress)
{
	const char *damage = fl_in_damage(in);

	if (log->bad_lines)
		fl_warn(log->flame, "%s: %" PRIu64 " of %" PRIu64 " lines are "
			"no events, the first is line %" PRIu64 ": their "
			"tasks are not known", log->path, log->bad_lines,
			log->line, log->first_bad);
	if (damage && (!in_progress || fl_in_is_refused(in)))
		fl_warn(log->flame, "%s: %s: read up to line %" PRIu64,
			log->path, damage, log->line);
}

int fl_spark_log_read(struct fl_spark_log *log, struct fl_in *in,
		      bool in_progress)
{
	int status;

	in = in ? fl_in_decoded(in) : NULL;
	if (!in)
		return FLAME_FAILED;
	log->path = fl_in_name(in);
	log->line = log->bad_lines = 0;
	status = read_lines(log, in, in_progress);
	if (status == FLAME_OK && fl_failed(log->flame))
		status = FLAME_FAILED;
	if (status == FLAME_OK && log->early.size && !log->repeated)
		status = read_early(log);
	if (status == FLAME_OK && !log->repeated)
		warn(log, in, in_progress);
	fl_in_close(in);
	return status;
}

struct fl_spark_log *fl_spark_log_new(struct flame *flame,
				      struct fl_spark *spark)
{
	struct fl_spark_log *log = fl_zeroed(1, sizeof(*log));

	if (!log) {
		fl_no_memory(flame);
		return NULL;
	}
	log->flame = flame;
	log->spark = spark;
	log->app = FL_SPARK_NONE;
	log->task_cpus = 1;
	log->version = "";
	log->end = INT64_MAX;
	return log;
}

/*
 * Of several logs of an application the one that goes on longest decides
 * whether its end is known.
 */
static void set_end(struct fl_spark_log *log)
{
	bool cut = log->end == INT64_MAX;
	int64_t until = cut ? ns(log->latest) : log->end;
	struct fl_spark_app *app;

	if (log->app == FL_SPARK_NONE || !log->latest || log->repeated)
		return;
	app = &log->spark->apps[log->app];
	if (until < app->until)
		return;
	app->until = until;
	app->cut = cut;
}

/* Tasks without an end ran until their executor, or the application, ended. */
void fl_spark_log_free(struct fl_spark_log *log)
{
	if (!log)
		return;
	set_end(log);
	for (size_t i = 0; i < log->spark->nexecutors; i++) {
		const struct fl_spark_executor *e = &log->spark->executors[i];

		for (size_t j = 0; e->app == log->app && j < e->ntasks; j++)
			if (e->tasks[j].end == INT64_MAX)
				e->tasks[j].end = FL_MIN(log->end, e->removed);
	}
	fl_spark_event_free(&log->event);
	fl_buf_free(&log->early);
	fl_map_free(&log->tasks);
	fl_map_free(&log->pythons);
	fl_free(log);
}
