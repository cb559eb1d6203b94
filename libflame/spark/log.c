/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads an event log of Spark: a JSON object in each line, whose "Event" says
 * what it is.  Only what tells where and when tasks ran is read.
 */
#include "fl.h"

#include "spark/spark.h"
#include "io/json.h"

#include <inttypes.h>

/* Values of a line; a member that the line lacks is -1, or empty. */
struct event {
	struct fl_buf name, executor, host, app, app_name, stage_name;
	struct fl_buf description;
	int64_t time, cores, stage, stage_attempt, ntasks;
	int64_t task, attempt, partition, index, launch, finish;
	int64_t sql, cpus;
};

struct fl_spark_log {
	struct flame *flame;
	struct fl_spark *spark;
	const char *path;
	struct event event;
	size_t app;
	int64_t task_cpus;
	int64_t end;		/* of the application; INT64_MAX: not known */
	int64_t latest;		/* of the times read, ms */
	bool some;
	uint64_t bad_lines, first_bad, line;
	struct fl_map tasks;	/* id -> executor << 32 | place, plus one */
	struct fl_map queries;	/* id -> description, as a pointer */
};

/* The objects within an event that have members of ours. */
enum inside { TOP, TASK_INFO, STAGE_INFO, EXECUTOR_INFO, PROPERTIES };

static const struct member {
	enum inside inside;
	const char *key;
	bool text;
	size_t offset;
} members[] = {
#define MEMBER(in, key, text, m) { in, key, text, offsetof(struct event, m) }
	MEMBER(TOP, "Event", true, name),
	MEMBER(TOP, "App ID", true, app),
	MEMBER(TOP, "App Name", true, app_name),
	MEMBER(TOP, "Timestamp", false, time),
	MEMBER(TOP, "Executor ID", true, executor),
	MEMBER(TOP, "Stage ID", false, stage),
	MEMBER(TOP, "Stage Attempt ID", false, stage_attempt),
	MEMBER(TOP, "executionId", false, sql),
	MEMBER(TOP, "description", true, description),
	MEMBER(TASK_INFO, "Task ID", false, task),
	MEMBER(TASK_INFO, "Index", false, index),
	MEMBER(TASK_INFO, "Attempt", false, attempt),
	MEMBER(TASK_INFO, "Partition ID", false, partition),
	MEMBER(TASK_INFO, "Launch Time", false, launch),
	MEMBER(TASK_INFO, "Finish Time", false, finish),
	MEMBER(TASK_INFO, "Executor ID", true, executor),
	MEMBER(TASK_INFO, "Host", true, host),
	MEMBER(STAGE_INFO, "Stage ID", false, stage),
	MEMBER(STAGE_INFO, "Stage Attempt ID", false, stage_attempt),
	MEMBER(STAGE_INFO, "Stage Name", true, stage_name),
	MEMBER(STAGE_INFO, "Number of Tasks", false, ntasks),
	MEMBER(EXECUTOR_INFO, "Host", true, host),
	MEMBER(EXECUTOR_INFO, "Total Cores", false, cores),
	MEMBER(PROPERTIES, "spark.sql.execution.id", false, sql),
	MEMBER(PROPERTIES, "spark.job.description", true, description),
	MEMBER(PROPERTIES, "spark.task.cpus", false, cpus),
};

static const struct {
	const char *key;
	enum inside inside;
} objects[] = {
	{ "Task Info", TASK_INFO }, { "Stage Info", STAGE_INFO },
	{ "Executor Info", EXECUTOR_INFO }, { "Properties", PROPERTIES },
	{ "Spark Properties", PROPERTIES },
};

/* Values ---------------------------------------------------------------- */

static const size_t texts[] = {
	offsetof(struct event, name), offsetof(struct event, executor),
	offsetof(struct event, host), offsetof(struct event, app),
	offsetof(struct event, app_name), offsetof(struct event, stage_name),
	offsetof(struct event, description),
};

static struct fl_buf *text_at(struct event *event, size_t offset)
{
	return (struct fl_buf *)((char *)event + offset);
}

static void clear(struct event *event)
{
	struct event empty = {
		.time = -1, .cores = -1, .stage = -1, .stage_attempt = -1,
		.ntasks = -1, .task = -1, .attempt = -1, .partition = -1,
		.index = -1, .launch = -1, .finish = -1, .sql = -1,
		.cpus = -1,
	};

	for (size_t i = 0; i < FL_COUNT(texts); i++) {
		struct fl_buf *buf = text_at(event, texts[i]);

		buf->size = 0;
		*text_at(&empty, texts[i]) = *buf;
	}
	*event = empty;
}

static struct slice text_of(const struct fl_buf *buf)
{
	return (struct slice){ buf->size ? buf->data : "", buf->size };
}

/* JSON ------------------------------------------------------------------ */

static const struct member *member_of(enum inside inside, struct slice key)
{
	for (size_t i = 0; i < FL_COUNT(members); i++)
		if (members[i].inside == inside &&
		    fl_slice_is(key, members[i].key))
			return &members[i];
	return NULL;
}

static enum inside object_of(struct slice key)
{
	for (size_t i = 0; i < FL_COUNT(objects); i++)
		if (fl_slice_is(key, objects[i].key))
			return objects[i].inside;
	return TOP;
}

static void read_value(struct fl_json *json, const struct member *member,
		       struct event *event)
{
	void *to = (char *)event + member->offset;
	struct fl_buf *buf = to;
	struct slice text;
	int64_t n;

	if (!member->text && fl_json_integer(json, &n)) {
		*(int64_t *)to = n;
	} else if (member->text && fl_json_string(json, &text)) {
		buf->size = 0;
		fl_buf_put(buf, text.data, text.size);
	}
}

/* Members of an object whose beginning was read; no deeper than two. */
static void read_object(struct fl_json *json, enum inside inside,
			struct event *event)
{
	while (fl_json_key(json)) {
		const struct member *member = member_of(inside, json->text);
		enum inside object = inside == TOP ? object_of(json->text) :
						     TOP;

		if (member)
			read_value(json, member, event);
		else if (object == TOP)
			fl_json_skip(json);
		else if (fl_json_enter_object(json))
			for (; fl_json_key(json);) {
				member = member_of(object, json->text);
				if (member)
					read_value(json, member, event);
				else
					fl_json_skip(json);
			}
	}
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

static bool on_application(struct fl_spark_log *log)
{
	struct event *event = &log->event;
	const char *name = keep(log, &event->app_name);

	log->app = fl_spark_app(log->spark, text_of(&event->app));
	if (!name || log->app == FL_SPARK_NONE)
		return false;
	log->spark->apps[log->app].name = name;
	return true;
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
	return true;
}

static struct fl_spark_executor *executor_of(struct fl_spark_log *log)
{
	if (log->app == FL_SPARK_NONE)
		log->app = fl_spark_app(log->spark, FL_SLICE(""));
	return log->app == FL_SPARK_NONE ? NULL :
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
	if (log->event.cores > 0)
		e->cores = FL_MAX(log->event.cores / log->task_cpus, 1);
	return true;
}

static bool on_executor_removed(struct fl_spark_log *log)
{
	struct fl_spark_executor *e = executor_of(log);

	if (e && log->event.time >= 0)
		e->removed = ns(log->event.time);
	return e;
}

static struct fl_spark_stage *stage_of(struct fl_spark_log *log)
{
	if (log->app == FL_SPARK_NONE)
		log->app = fl_spark_app(log->spark, FL_SLICE(""));
	return log->app == FL_SPARK_NONE ? NULL :
	       fl_spark_stage(log->spark, log->app, log->event.stage,
			      FL_MAX(log->event.stage_attempt, 0));
}

static bool on_query(struct fl_spark_log *log)
{
	const char *text = keep(log, &log->event.description);
	uint64_t *place = text && log->event.sql >= 0 ?
		fl_map_put(&log->queries, (uint64_t)log->event.sql, NULL) :
		NULL;

	if (place)
		*place = (uint64_t)(uintptr_t)text;
	return text && (place || log->event.sql < 0);
}

static bool on_stage(struct fl_spark_log *log)
{
	struct fl_spark_stage *stage;
	const uint64_t *query;

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
		fl_map_get(&log->queries, (uint64_t)stage->sql);
	if (log->event.description.size)
		stage->job = keep(log, &log->event.description);
	else if (query && !*stage->job)
		stage->job = (const char *)(uintptr_t)*query;
	return stage->name && stage->job;
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

static bool on_task(struct fl_spark_log *log)
{
	const struct event *event = &log->event;
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
	if (event->finish > 0)
		task->end = ns(event->finish);
	return true;
}

static const struct handler {
	const char *event;
	bool (*handle)(struct fl_spark_log *log);
} handlers[] = {
	{ "SparkListenerTaskStart", on_task },
	{ "SparkListenerTaskEnd", on_task },
	{ "SparkListenerStageSubmitted", on_stage },
	{ "SparkListenerStageCompleted", on_stage },
	{ "SparkListenerExecutorAdded", on_executor_added },
	{ "SparkListenerExecutorRemoved", on_executor_removed },
	{ "SparkListenerApplicationStart", on_application },
	{ "SparkListenerApplicationEnd", on_end },
	{ "SparkListenerEnvironmentUpdate", on_environment },
	{ "org.apache.spark.sql.execution.ui.SparkListenerSQLExecutionStart",
	  on_query },
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

static bool is_no_memory(const struct event *event)
{
	for (size_t i = 0; i < FL_COUNT(texts); i++)
		if (((const struct fl_buf *)
		     ((const char *)event + texts[i]))->failed)
			return true;
	return false;
}

/* *whole: it is an event. */
static int read_line(struct fl_spark_log *log, struct slice line, bool *whole)
{
	struct slice name = name_of(line);
	const struct handler *handler;
	struct fl_json json;
	bool good = true;

	*whole = true;
	if (!line.size || (name.size && !handler_of(name) &&
			   line.data[line.size - 1] == '}'))
		return FLAME_OK;
	clear(&log->event);
	fl_json_init_memory(&json, line.data, line.size);
	if (fl_json_next(&json) == FL_JSON_OBJECT)
		read_object(&json, TOP, &log->event);
	*whole = !json.error && log->event.name.size;
	handler = *whole ? handler_of(text_of(&log->event.name)) : NULL;
	if (handler)
		log->latest = FL_MAX(FL_MAX(log->latest, log->event.time),
				     FL_MAX(log->event.launch,
					    log->event.finish));
	if (json.no_memory || is_no_memory(&log->event) ||
	    (handler && !handler->handle(log)))
		good = false;
	fl_json_free(&json);
	return good ? FLAME_OK : fl_no_memory(log->flame);
}

static int take_line(struct fl_spark_log *log, struct slice line, bool last,
		     bool live)
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
		return fl_fail(log->flame, "%s: no event log of Spark: line "
			       "%" PRIu64 " is no event; give a log, or a "
			       "folder of them (spark.eventLog.dir)",
			       log->path, log->line);
	log->some |= whole && line.size;
	if (!whole && !(last && live) && !log->bad_lines++)
		log->first_bad = log->line;
	return FLAME_OK;
}

static int read_lines(struct fl_spark_log *log, struct fl_in *in, bool live)
{
	const char *at, *lf;
	size_t avail;

	while ((lf = fl_in_peek_line(in, &at, &avail))) {
		struct slice line = { at, (size_t)(lf - at) };

		if (take_line(log, line, false, live) != FLAME_OK)
			return FLAME_FAILED;
		fl_in_consume(in, line.size + 1);
	}
	at = (const char *)fl_in_peek(in, 1, &avail);
	if (avail && !fl_in_is_refused(in))
		return take_line(log, (struct slice){ at, avail }, true, live);
	return FLAME_OK;
}

static void warn(struct fl_spark_log *log, const struct fl_in *in, bool live)
{
	const char *damage = fl_in_damage(in);

	if (log->bad_lines)
		fl_warn(log->flame, "%s: %" PRIu64 " of %" PRIu64 " lines are "
			"no events, the first is line %" PRIu64 ": their "
			"tasks are not known", log->path, log->bad_lines,
			log->line, log->first_bad);
	if (damage && (!live || fl_in_is_refused(in)))
		fl_warn(log->flame, "%s: %s: read up to line %" PRIu64,
			log->path, damage, log->line);
}

int fl_spark_log_read(struct fl_spark_log *log, struct fl_in *in, bool live)
{
	int status;

	in = in ? fl_in_decoded(in) : NULL;
	if (!in)
		return FLAME_FAILED;
	log->path = fl_in_name(in);
	log->line = log->bad_lines = 0;
	status = read_lines(log, in, live);
	if (status == FLAME_OK && fl_failed(log->flame))
		status = FLAME_FAILED;
	if (status == FLAME_OK)
		warn(log, in, live);
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
	log->end = INT64_MAX;
	return log;
}

/*
 * Of several logs of an application the one that goes on longest tells whether
 * its end is known.
 */
static void set_end(struct fl_spark_log *log)
{
	bool cut = log->end == INT64_MAX;
	int64_t until = cut ? ns(log->latest) : log->end;
	struct fl_spark_app *app;

	if (log->app == FL_SPARK_NONE || !log->latest)
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
	for (size_t i = 0; i < FL_COUNT(texts); i++)
		fl_buf_free(text_at(&log->event, texts[i]));
	fl_map_free(&log->tasks);
	fl_map_free(&log->queries);
	fl_free(log);
}
