/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads one line of an event log, a JSON object, into a struct fl_spark_event,
 * for log.c.  Members are found by the object that they are in and their name,
 * so that the order of members does not matter.
 */
#include "fl.h"

#include "spark/event.h"

/* The objects within an event that have members of ours. */
enum inside {
	TOP, TASK_INFO, STAGE_INFO, EXECUTOR_INFO, PROPERTIES, REASON, MEASURES,
	INPUT, SHUFFLE_READ, SHUFFLE_WRITE, RESULT, EXCEPTION
};

enum kind { NUMBER, TEXT, TRUTH, NUMBERS, ACCUMULATORS, RDDS, PLAN };

static const struct member {
	enum inside inside;
	const char *key;
	enum kind kind;
	size_t offset;
} members[] = {
#define MEMBER(in, key, kind, m) \
	{ in, key, kind, offsetof(struct fl_spark_event, m) }
	MEMBER(TOP, "Event", TEXT, name),
	MEMBER(TOP, "App ID", TEXT, app),
	MEMBER(TOP, "App Name", TEXT, app_name),
	MEMBER(TOP, "Spark Version", TEXT, version),
	MEMBER(TOP, "Timestamp", NUMBER, time),
	MEMBER(TOP, "Executor ID", TEXT, executor),
	MEMBER(TOP, "Stage ID", NUMBER, stage),
	MEMBER(TOP, "Stage Attempt ID", NUMBER, stage_attempt),
	MEMBER(TOP, "Job ID", NUMBER, job),
	MEMBER(TOP, "Submission Time", NUMBER, submitted),
	MEMBER(TOP, "Completion Time", NUMBER, completed),
	MEMBER(TOP, "Removed Reason", TEXT, failure),
	MEMBER(TOP, "Stage IDs", NUMBERS, ids),
	MEMBER(TOP, "executionId", NUMBER, sql),
	MEMBER(TOP, "description", TEXT, description),
	MEMBER(TOP, "sparkPlanInfo", PLAN, plan),
	MEMBER(TASK_INFO, "Task ID", NUMBER, task),
	MEMBER(TASK_INFO, "Index", NUMBER, index),
	MEMBER(TASK_INFO, "Attempt", NUMBER, attempt),
	MEMBER(TASK_INFO, "Partition ID", NUMBER, partition),
	MEMBER(TASK_INFO, "Launch Time", NUMBER, launch),
	MEMBER(TASK_INFO, "Finish Time", NUMBER, finish),
	MEMBER(TASK_INFO, "Executor ID", TEXT, executor),
	MEMBER(TASK_INFO, "Host", TEXT, host),
	MEMBER(TASK_INFO, "Speculative", TRUTH, speculative),
	MEMBER(TASK_INFO, "Killed", TRUTH, killed),
	MEMBER(STAGE_INFO, "Stage ID", NUMBER, stage),
	MEMBER(STAGE_INFO, "Stage Attempt ID", NUMBER, stage_attempt),
	MEMBER(STAGE_INFO, "Stage Name", TEXT, stage_name),
	MEMBER(STAGE_INFO, "Number of Tasks", NUMBER, ntasks),
	MEMBER(STAGE_INFO, "Submission Time", NUMBER, submitted),
	MEMBER(STAGE_INFO, "Completion Time", NUMBER, completed),
	MEMBER(STAGE_INFO, "Failure Reason", TEXT, failure),
	MEMBER(STAGE_INFO, "Parent IDs", NUMBERS, ids),
	MEMBER(STAGE_INFO, "RDD Info", RDDS, barrier),
	MEMBER(STAGE_INFO, "Accumulables", ACCUMULATORS, accumulators),
	MEMBER(EXECUTOR_INFO, "Host", TEXT, host),
	MEMBER(EXECUTOR_INFO, "Total Cores", NUMBER, cores),
	MEMBER(PROPERTIES, "spark.sql.execution.id", NUMBER, sql),
	MEMBER(PROPERTIES, "spark.job.description", TEXT, description),
	MEMBER(PROPERTIES, "spark.task.cpus", NUMBER, cpus),
	MEMBER(PROPERTIES, "spark.scheduler.pool", TEXT, pool),
	MEMBER(PROPERTIES, "spark.scheduler.mode", TEXT, mode),
	MEMBER(PROPERTIES, "spark.dynamicAllocation.enabled", TEXT, dynamic),
	MEMBER(PROPERTIES, "streaming.sql.batchId", NUMBER, batch),
	MEMBER(REASON, "Reason", TEXT, reason),
	MEMBER(REASON, "Class Name", TEXT, exception),
	MEMBER(REASON, "Description", TEXT, failure),
	MEMBER(REASON, "Full Stack Trace", TEXT, trace),
	MEMBER(REASON, "Loss Reason", TEXT, failure),
	MEMBER(REASON, "Message", TEXT, failure),
	MEMBER(REASON, "Kill Reason", TEXT, failure),
	MEMBER(RESULT, "Result", TEXT, result),
	MEMBER(EXCEPTION, "Message", TEXT, failure),
	MEMBER(MEASURES, "Executor Run Time", NUMBER, measures.run),
	MEMBER(MEASURES, "Executor CPU Time", NUMBER, measures.cpu),
	MEMBER(MEASURES, "Executor Deserialize Time", NUMBER,
	       measures.deserialize),
	MEMBER(MEASURES, "Executor Deserialize CPU Time", NUMBER,
	       measures.deserialize_cpu),
	MEMBER(MEASURES, "JVM GC Time", NUMBER, measures.gc),
	MEMBER(MEASURES, "Result Serialization Time", NUMBER,
	       measures.serialize),
	MEMBER(MEASURES, "Memory Bytes Spilled", NUMBER,
	       measures.memory_spill),
	MEMBER(MEASURES, "Disk Bytes Spilled", NUMBER, measures.disk_spill),
	MEMBER(INPUT, "Bytes Read", NUMBER, measures.input_bytes),
	MEMBER(INPUT, "Records Read", NUMBER, measures.input_records),
	MEMBER(SHUFFLE_READ, "Total Records Read", NUMBER,
	       measures.shuffle_records),
	MEMBER(SHUFFLE_READ, "Fetch Wait Time", NUMBER, measures.fetch_wait),
	MEMBER(SHUFFLE_READ, "Remote Bytes Read", NUMBER,
	       measures.remote_bytes),
	MEMBER(SHUFFLE_READ, "Local Bytes Read", NUMBER, measures.local_bytes),
	MEMBER(SHUFFLE_WRITE, "Shuffle Bytes Written", NUMBER,
	       measures.written_bytes),
	MEMBER(SHUFFLE_WRITE, "Shuffle Write Time", NUMBER,
	       measures.shuffle_write),
};

static const struct {
	enum inside in;
	const char *key;
	enum inside inside;
} objects[] = {
	{ TOP, "Task Info", TASK_INFO }, { TOP, "Stage Info", STAGE_INFO },
	{ TOP, "Executor Info", EXECUTOR_INFO },
	{ TOP, "Properties", PROPERTIES },
	{ TOP, "Spark Properties", PROPERTIES },
	{ TOP, "Task End Reason", REASON }, { TOP, "Task Metrics", MEASURES },
	{ TOP, "Job Result", RESULT }, { RESULT, "Exception", EXCEPTION },
	{ MEASURES, "Input Metrics", INPUT },
	{ MEASURES, "Shuffle Read Metrics", SHUFFLE_READ },
	{ MEASURES, "Shuffle Write Metrics", SHUFFLE_WRITE },
};

static void *at(struct fl_spark_event *event, const struct member *member)
{
	return (char *)event + member->offset;
}

static void clear(struct fl_spark_event *event)
{
	for (size_t i = 0; i < FL_COUNT(members); i++) {
		void *to = at(event, &members[i]);

		if (members[i].kind == TEXT)
			((struct fl_buf *)to)->size = 0;
		else if (members[i].kind == NUMBER || members[i].kind == TRUTH)
			*(int64_t *)to = -1;
	}
	event->naccumulators = event->npythons = event->nids = 0;
	event->has_plan = event->barrier = false;
}

static const struct member *member_of(enum inside inside, struct slice key)
{
	for (size_t i = 0; i < FL_COUNT(members); i++)
		if (members[i].inside == inside &&
		    fl_slice_is(key, members[i].key))
			return &members[i];
	return NULL;
}

/* TOP: no object with members of ours. */
static enum inside object_of(enum inside in, struct slice key)
{
	for (size_t i = 0; i < FL_COUNT(objects); i++)
		if (objects[i].in == in && fl_slice_is(key, objects[i].key))
			return objects[i].inside;
	return TOP;
}

/* The metric of Spark 4 of a Python operator, in ms; older ones begin "total". */
#define PYTHON_METRIC "time to run Python workers"

/* {"ID":38,"Name":"...","Value":"5624",...}; values are texts or numbers. */
static bool read_accumulator(struct fl_json *json,
			     struct fl_spark_event *event)
{
	int64_t id = -1, value = -1;
	bool python = false;
	struct slice text;

	while (fl_json_key(json)) {
		if (fl_json_is(json, "ID")) {
			fl_json_integer(json, &id);
		} else if (fl_json_is(json, "Name")) {
			python = fl_json_string(json, &text) &&
				 fl_slice_ends(text, PYTHON_METRIC);
		} else if (python && fl_json_is(json, "Value")) {
			if (!fl_json_string(json, &text) ||
			    !fl_parse_digits(text, &value))
				value = -1;
		} else {
			fl_json_skip(json);
		}
	}
	if (value >= 0 && event->npythons < FL_MAX_PYTHONS)
		event->pythons[event->npythons++] = (struct fl_spark_python){
			id, value,
		};
	if (id < 0)
		return true;
	if (!fl_grow(&event->accumulators, &event->accumulators_capacity,
		     event->naccumulators + 1, sizeof(id)))
		return false;
	event->accumulators[event->naccumulators++] = id;
	return true;
}

static void read_accumulators(struct fl_json *json,
			      struct fl_spark_event *event)
{
	if (!fl_json_enter_array(json))
		return;
	while (fl_json_element(json)) {
		if (json->token != FL_JSON_OBJECT) {
			fl_json_skip(json);
		} else if (!read_accumulator(json, event)) {
			event->no_memory = true;
			return;
		}
	}
}

static bool add_id(struct fl_json *json, struct fl_spark_event *event)
{
	int64_t id;

	if (!fl_parse_int(json->text, &id))
		return true;
	if (!fl_grow(&event->ids, &event->ids_capacity, event->nids + 1,
		     sizeof(id)))
		return false;
	event->ids[event->nids++] = id;
	return true;
}

static void read_rdd(struct fl_json *json, struct fl_spark_event *event)
{
	while (fl_json_key(json))
		if (fl_json_is(json, "Barrier"))
			event->barrier |= fl_json_is_true(json);
		else
			fl_json_skip(json);
}

static void read_array(struct fl_json *json, enum kind kind,
		       struct fl_spark_event *event)
{
	if (!fl_json_enter_array(json))
		return;
	while (fl_json_element(json))
		if (kind == NUMBERS && json->token == FL_JSON_NUMBER)
			event->no_memory |= !add_id(json, event);
		else if (kind == RDDS && json->token == FL_JSON_OBJECT)
			read_rdd(json, event);
		else
			fl_json_skip(json);
}

static void read_value(struct fl_json *json, const struct member *member,
		       struct fl_spark_event *event)
{
	void *to = at(event, member);
	struct fl_buf *buf = to;
	struct slice text;
	int64_t n;

	switch (member->kind) {
	case NUMBER:
		if (fl_json_integer(json, &n))
			*(int64_t *)to = n;
		break;
	case TRUTH:
		*(int64_t *)to = fl_json_is_true(json);
		break;
	case TEXT:
		if (!fl_json_string(json, &text))
			break;
		buf->size = 0;
		fl_buf_put(buf, text.data, text.size);
		event->no_memory |= buf->failed;
		break;
	case NUMBERS:
	case RDDS:
		read_array(json, member->kind, event);
		break;
	case ACCUMULATORS:
		read_accumulators(json, event);
		break;
	case PLAN:
		event->has_plan = true;
		fl_spark_plan_read(&event->plan, json);
		event->no_memory |= event->plan.no_memory;
		break;
	}
}

/* Members of an object whose beginning was read; three levels at most. */
static void read_object(struct fl_json *json, enum inside inside,
			struct fl_spark_event *event)
{
	while (fl_json_key(json)) {
		const struct member *member = member_of(inside, json->text);
		enum inside object = object_of(inside, json->text);

		if (member)
			read_value(json, member, event);
		else if (object == TOP)
			fl_json_skip(json);
		else if (fl_json_enter_object(json))
			read_object(json, object, event);
	}
}

bool fl_spark_event_read(struct fl_spark_event *event, struct slice line)
{
	struct fl_json json;
	bool whole;

	clear(event);
	fl_json_init_memory(&json, line.data, line.size);
	if (fl_json_next(&json) == FL_JSON_OBJECT)
		read_object(&json, TOP, event);
	whole = !json.error && event->name.size;
	event->no_memory |= json.no_memory;
	fl_json_free(&json);
	return whole;
}

void fl_spark_event_free(struct fl_spark_event *event)
{
	for (size_t i = 0; i < FL_COUNT(members); i++)
		if (members[i].kind == TEXT)
			fl_buf_free(at(event, &members[i]));
	fl_free(event->accumulators);
	fl_free(event->ids);
	fl_spark_plan_free(&event->plan);
}
