/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Format jvm-profiler: reads the stacks of Uber's jvm-profiler for Spark and
 * Hadoop, a line of JSON for each, leaf first, as its reporters write to files
 * and Kafka, and among the lines of a log ("ConsoleOutputReporter - Stacktrace:
 * {...}").  Each line becomes a sample weighted by its count:
 *
 *	{"stacktrace":["java.lang.Thread.sleep","a.Job.run"],"count":7,
 *	 "threadName":"main","threadState":"TIMED_WAITING","host":"h1",
 *	 "appId":"application_1_0001","role":"executor","name":"4711@h1",
 *	 "startEpoch":1771029710000,"endEpoch":1771029720000}
 *
 * Its other profilers write lines without a stack.
 */
#include "fl.h"

#include "format/format.h"
#include "io/json.h"

#include <inttypes.h>

enum { BITS = 48 };	/* more than of threads, whose keys lines have, too */

static const char key[] = "\"stacktrace\":";

/* A line of the profiler. */
struct record {
	flame_id labels, thread;
	int64_t count, pid, time;
	bool has_count, has_stack;
};

struct reader {
	struct fl_line_reader base;
	uint64_t others;	/* records of other profilers */
};

/* Where the object begins; NULL: the line has none of the profiler. */
static const char *find_object(struct slice line)
{
	static const char reporter[] = "ConsoleOutputReporter - ";
	const char *at = line.size && line.data[0] == '{' ? line.data :
			 fl_slice_find(line, reporter);

	return at ? memchr(at, '{', line.size - (size_t)(at - line.data)) :
		    NULL;
}

static void read_frame(struct fl_line_reader *r, struct slice text)
{
	struct flame_frame frame = { .type = FLAME_UNKNOWN };
	struct fl_java_frame parts = { .name = text };

	if (fl_java_frame(text, &parts)) {
		frame.type = parts.type;
		if (parts.line > 0 && parts.line <= INT32_MAX)
			frame.line = (uint32_t)parts.line;
	}
	r->buf.size = 0;
	fl_java_name(&r->buf, parts.name);
	frame.name = flame_name(r->flame, r->buf.data ? r->buf.data : "",
				r->buf.size);
	fl_trace_add(r->flame, &r->trace, &frame);
}

static bool read_stack(struct fl_line_reader *r, struct fl_json *json)
{
	if (!fl_json_enter_array(json))
		return false;
	while (fl_json_element(json))
		if (json->token == FL_JSON_STRING && json->text.size)
			read_frame(r, json->text);
		else
			fl_json_skip(json);
	return true;
}

static flame_id add_label(struct flame *flame, flame_id set, const char *name,
			  struct slice text)
{
	return text.size ? flame_label(flame, set, fl_name(flame, name),
				       flame_name(flame, text.data, text.size)) :
			   set;
}

/* "4711@h1" */
static int64_t parse_pid(struct slice name)
{
	int64_t pid;

	return fl_parse_digits(fl_slice_split(&name, '@'), &pid) ? pid : -1;
}

/* A text of the record, as a label. */
static bool read_label(struct fl_line_reader *r, struct fl_json *json,
		       struct record *record)
{
	static const struct { const char *theirs, *ours; } labels[] = {
		{ "appId", "app" }, { "host", "host" }, { "role", "role" },
		{ "tag", "tag" },
	};
	struct flame *flame = r->flame;
	struct slice text;

	for (size_t i = 0; i < FL_COUNT(labels); i++) {
		if (!fl_json_is(json, labels[i].theirs))
			continue;
		if (fl_json_string(json, &text))
			record->labels = add_label(flame, record->labels,
						   labels[i].ours, text);
		return true;
	}
	if (fl_json_is(json, "threadState")) {
		const char *state = fl_json_string(json, &text) ?
				    fl_java_state(text) : NULL;

		if (state)
			record->labels = flame_label(flame, record->labels,
				fl_name(flame, "state"), fl_name(flame, state));
	} else if (fl_json_is(json, "threadName")) {
		if (fl_json_string(json, &text))
			record->thread = add_label(flame, record->thread,
						   "thread", text);
	} else if (fl_json_is(json, "name")) {
		if (fl_json_string(json, &text))
			record->pid = parse_pid(text);
	} else {
		return false;
	}
	return true;
}

static void read_record(struct fl_line_reader *r, struct fl_json *json,
			struct record *record)
{
	int64_t ms;

	while (fl_json_key(json))
		if (fl_json_is(json, "stacktrace"))
			record->has_stack = read_stack(r, json);
		else if (fl_json_is(json, "count"))
			record->has_count = fl_json_integer(json,
							    &record->count);
		else if (fl_json_is(json, "startEpoch"))
			record->time = fl_json_integer(json, &ms) && ms > 0 ?
				       fl_mul_clamped(ms, 1000000) :
				       FLAME_NOTIME;
		else if (!read_label(r, json, record))
			fl_json_skip(json);
}

static void emit(struct fl_line_reader *r, const struct record *record)
{
	const struct fl_select *select = &r->source->select;
	struct flame *flame = r->flame;
	struct flame_sample sample = {
		.stack = fl_trace_stack(flame, 0, &r->trace),
		.labels = record->labels, .thread = record->thread,
		.weight = record->count, .time = FLAME_NOTIME,
	};
	char number[24];

	if (!r->metric)
		r->metric = flame_metric(flame, "samples", "samples");
	sample.metric = r->metric;
	if (record->pid >= 0) {
		number[fl_format_u64(number, (uint64_t)record->pid)] = '\0';
		sample.thread = flame_label(flame, sample.thread,
					    fl_name(flame, "pid"),
					    fl_name(flame, number));
	}
	if (select->from.base || select->to.base ||
	    (select->needs & FL_NEED_TIME))
		sample.time = record->time;
	r->lines.good++;
	fl_emit(r->source, &sample, (uint64_t)record->count);
}

static void accept_line(struct fl_line_reader *r, struct slice line)
{
	struct record record = { .pid = -1, .time = FLAME_NOTIME };
	struct reader *reader = (struct reader *)r;
	const char *object = find_object(line);
	struct fl_json json;
	bool whole;

	if (!object)
		return;
	fl_json_init_memory(&json, object,
			    line.size - (size_t)(object - line.data));
	r->trace.count = 0;
	if (fl_json_next(&json) == FL_JSON_OBJECT)
		read_record(r, &json, &record);
	whole = !json.error;
	fl_json_free(&json);
	if (!whole || (record.has_stack &&
		       (!record.has_count || record.count < 0)))
		fl_lines_bad(&r->lines, line);
	else if (!record.has_stack)
		reader->others++;
	else if (record.count)
		emit(r, &record);
}

/* The row of formats.def ------------------------------------------------ */

static int read(struct flame_source *source)
{
	struct reader *r = source->state;
	int status = fl_line_reader_read(&r->base, accept_line);

	if (status != FLAME_END)
		return status;
	if (r->others)
		fl_remark(source->flame, "%s: %" PRIu64 " records without a "
			  "stack left out: they are of other profilers",
			  fl_in_name(source->in), r->others);
	r->others = 0;
	return fl_lines_end(source, &r->base.lines);
}

static bool begins(struct slice line)
{
	return find_object(line) && fl_slice_find(line, key) &&
	       fl_slice_find(line, "\"count\":") &&
	       fl_slice_find(line, "\"threadName\":");
}

static int probe(const uint8_t *head, size_t n, bool whole)
{
	int bits = fl_dump_probe(head, n, whole, begins, BITS);

	/* A line of many frames is longer than the first head. */
	if (bits < 0 && n > 2 && memcmp(head, "{\"", 2) == 0 &&
	    !memchr(head, '\n', n) && memmem(head, n, key, sizeof(key) - 1))
		return BITS;
	return bits;
}

const struct fl_format fl_format_jvm_profiler = {
	.name = "jvm-profiler",
	.summary = "stacks of Uber's jvm-profiler: JSON lines, logs",
	.probe = probe,
	.state_size = sizeof(struct reader),
	.open = fl_line_reader_open,
	.read = read,
	.release = fl_line_reader_free,
	.json = true,
};
