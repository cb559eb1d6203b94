/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Thread dumps as JSON, one or many after another:
 *
 *	Spark's REST API	[{"threadId":1,"threadName":"main",
 *	(.../threads)		  "threadState":"WAITING","stackTrace":
 *				  {"elems":["a.B.m(B.scala:3)\n"]}}]
 *	jcmd PID Thread.	{"threadDump":{"threadContainers":[{"threads":
 *	dump_to_file		  [{"tid":"1","name":"main","stack":["..."]}]}]}}
 *	Spring Boot's actuator	{"threads":[{"threadName":"main","stackTrace":
 *	(or the array alone)	  [{"className":"a.B","methodName":"m",
 *				  "lineNumber":3}]}]}
 *	py-spy dump -j		[{"pid":4,"thread_name":"MainThread","frames":
 *				  [{"name":"f","short_filename":"x.py"}]}]
 *
 * Stacks are leaf first.  Frames of JVMs are named as in recordings, those
 * of Python as py-spy record does.
 */
#include "fl.h"

#include "format/json/source.h"

#include <inttypes.h>

struct threads {
	struct fl_dump dump;	/* must be first: see fl_dump_close */
	struct fl_json_source js;
	struct fl_buf text;	/* a file's name, while its frame is read */
	int64_t time;		/* of the dump, or FLAME_NOTIME */
	int64_t id, os_id;	/* of the thread; -1: not known */
};

/* Frames --------------------------------------------------------------- */

static void add_java_frame(struct threads *t, struct slice text)
{
	const struct fl_lines_options *options = t->dump.source->options;
	struct flame *flame = t->js.flame;
	struct fl_buf *buf = &t->dump.buf;
	struct fl_java_frame frame;

	if (!fl_java_frame(text, &frame)) {
		fl_json_bad(&t->js, "a line of a stack that is not a frame");
		return;
	}
	buf->size = 0;
	fl_java_name(buf, frame.name);
	if (options->lines && frame.line > 0)
		fl_buf_print(buf, ":%" PRId64, frame.line);
	if (buf->data)
		fl_dump_frame(&t->dump,
			      fl_frame(flame, flame_name(flame, buf->data,
							 buf->size),
				       frame.type));
}

/*
 * An element of Spark's: the frame, " => holding Monitor(...)" behind it, and
 * lines that tell of locks.
 */
static void read_java_frame(struct threads *t, struct slice text)
{
	struct slice line = fl_slice_split(&text, '\n');
	const char *arrow = memmem(line.data, line.size, " => ", 4);

	if (arrow)
		line.size = (size_t)(arrow - line.data);
	line = fl_slice_trim(line);
	if (fl_slice_starts(line, "at "))
		line = fl_slice_trim((struct slice){ line.data + 3,
						     line.size - 3 });
	if (line.size && !fl_slice_starts(line, "- "))
		add_java_frame(t, line);
}

/* Lines of Spark before 2.3: a frame each. */
static void read_java_lines(struct threads *t, struct slice text)
{
	while (text.size)
		read_java_frame(t, fl_slice_split(&text, '\n'));
}

static void keep(struct fl_buf *buf, struct slice text)
{
	buf->size = 0;
	fl_buf_put(buf, text.data, text.size);
}

static void add_python_frame(struct threads *t, int64_t line)
{
	struct flame *flame = t->js.flame;
	struct fl_buf *buf = &t->dump.buf;

	if (t->text.size) {
		fl_buf_text(buf, " (");
		fl_buf_put(buf, t->text.data, t->text.size);
		if (line > 0)
			fl_buf_print(buf, ":%" PRId64, line);
		fl_buf_byte(buf, ')');
	}
	if (buf->data)
		fl_dump_frame(&t->dump,
			      fl_frame(flame, flame_name(flame, buf->data,
							 buf->size),
				       FLAME_UNKNOWN));
}

/* A StackTraceElement: its method is in dump.buf, its class in text. */
static void add_element(struct threads *t, int64_t line, bool native)
{
	const struct fl_lines_options *options = t->dump.source->options;
	struct flame *flame = t->js.flame;
	struct fl_buf *buf = &t->dump.buf;

	fl_buf_byte(&t->text, '.');
	fl_buf_put(&t->text, buf->data, buf->size);
	buf->size = 0;
	fl_java_name(buf, (struct slice){ t->text.data, t->text.size });
	if (options->lines && line > 0)
		fl_buf_print(buf, ":%" PRId64, line);
	if (buf->size)
		fl_dump_frame(&t->dump,
			      fl_frame(flame, flame_name(flame, buf->data,
							 buf->size),
				       native ? FLAME_JAVA_NATIVE :
						FLAME_UNKNOWN));
}

/* Frames of py-spy and of the actuator. */
static void read_object_frame(struct threads *t)
{
	struct fl_json *json = &t->js.json;
	bool has_short = false, has_class = false, native = false;
	struct slice text;
	int64_t line = 0;

	t->dump.buf.size = t->text.size = 0;
	while (fl_json_key(json)) {
		if (fl_json_is(json, "name")) {
			if (fl_json_string(json, &text))
				keep(&t->dump.buf, text);
		} else if (fl_json_is(json, "short_filename")) {
			has_short = fl_json_string(json, &text);
			if (has_short)
				keep(&t->text, text);
		} else if (fl_json_is(json, "methodName")) {
			if (fl_json_string(json, &text))
				keep(&t->dump.buf, text);
		} else if (fl_json_is(json, "className")) {
			has_class = fl_json_string(json, &text);
			if (has_class)
				keep(&t->text, text);
		} else if (fl_json_is(json, "nativeMethod")) {
			native = fl_json_is_true(json);
		} else if (fl_json_is(json, "lineNumber")) {
			fl_json_integer(json, &line);
		} else if (fl_json_is(json, "filename") && !has_short) {
			if (fl_json_string(json, &text))
				keep(&t->text, text);
		} else if (fl_json_is(json, "line")) {
			fl_json_integer(json, &line);
		} else {
			fl_json_skip(json);
		}
	}
	if (json->error)
		return;
	if (has_class)
		add_element(t, line, native);
	else
		add_python_frame(t, line);
}

static void read_frames(struct threads *t)
{
	struct fl_json *json = &t->js.json;

	while (fl_json_element(json)) {
		if (json->token == FL_JSON_STRING)
			read_java_frame(t, json->text);
		else if (json->token == FL_JSON_OBJECT)
			read_object_frame(t);
		else
			fl_json_skip(json);
	}
}

/* An array of frames, lines of text, or an object with "elems". */
static void read_stack(struct threads *t)
{
	struct fl_json *json = &t->js.json;

	switch (fl_json_next(json)) {
	case FL_JSON_ARRAY:
		read_frames(t);
		break;
	case FL_JSON_STRING:
		read_java_lines(t, json->text);
		break;
	case FL_JSON_OBJECT:
		while (fl_json_key(json))
			if (!fl_json_is(json, "elems"))
				fl_json_skip(json);
			else if (fl_json_enter_array(json))
				read_frames(t);
		break;
	default:
		break;
	}
}

/* Threads -------------------------------------------------------------- */

static bool is_one_of(const struct fl_json *json, const char *const *keys)
{
	for (; *keys; keys++)
		if (fl_json_is(json, *keys))
			return true;
	return false;
}

static void read_value(struct threads *t)
{
	static const char *const names[] = {
		"threadName", "name", "thread_name", NULL
	};
	static const char *const states[] = { "threadState", "state", NULL };
	static const char *const ids[] = {
		"threadId", "tid", "thread_id", NULL
	};
	static const char *const stacks[] = {
		"stackTrace", "stack", "frames", NULL
	};
	struct fl_json *json = &t->js.json;
	struct slice text;

	if (is_one_of(json, names)) {
		if (fl_json_string(json, &text))
			keep(&t->dump.name, text);
	} else if (is_one_of(json, states)) {
		if (fl_json_string(json, &text))
			t->dump.state = fl_java_state(text);
	} else if (is_one_of(json, ids)) {
		fl_json_integer(json, &t->id);
	} else if (fl_json_is(json, "os_thread_id")) {
		fl_json_integer(json, &t->os_id);
	} else if (fl_json_is(json, "pid")) {
		fl_json_integer(json, &t->dump.pid);
	} else if (fl_json_is(json, "active")) {
		t->dump.state = fl_json_is_true(json) ? "STATE_RUNNABLE" :
							"STATE_SLEEPING";
	} else if (fl_json_is(json, "time")) {
		if (fl_json_string(json, &text))
			fl_java_time(text, true, &t->dump.time);
	} else if (is_one_of(json, stacks)) {
		read_stack(t);
	} else {
		fl_json_skip(json);
	}
}

static void read_thread(struct threads *t)
{
	struct fl_json *json = &t->js.json;
	struct flame_sample sample;

	fl_dump_begin(&t->dump, FL_SLICE(""));
	t->id = t->os_id = -1;
	t->dump.time = t->time;
	while (fl_json_key(json))
		read_value(t);
	t->dump.tid = t->os_id >= 0 ? t->os_id : t->id;
	/* An incomplete one is left out. */
	if (json->error)
		t->dump.open = false;
	else if (fl_dump_sample(&t->dump, &sample))
		fl_json_add(&t->js, &sample);
	else
		t->js.good++;
}

static void read_threads(struct threads *t)
{
	struct fl_json *json = &t->js.json;

	while (fl_json_element(json) && !fl_failed(t->js.flame))
		if (json->token == FL_JSON_OBJECT)
			read_thread(t);
		else
			fl_json_skip(json);
}

static void read_containers(struct threads *t)
{
	struct fl_json *json = &t->js.json;

	while (fl_json_element(json)) {
		if (json->token != FL_JSON_OBJECT) {
			fl_json_skip(json);
			continue;
		}
		while (fl_json_key(json))
			if (!fl_json_is(json, "threads"))
				fl_json_skip(json);
			else if (fl_json_enter_array(json))
				read_threads(t);
	}
}

static void read_thread_dump(struct threads *t)
{
	struct fl_json *json = &t->js.json;
	struct slice text;

	while (fl_json_key(json)) {
		if (fl_json_is(json, "threadContainers")) {
			if (fl_json_enter_array(json))
				read_containers(t);
		} else if (fl_json_is(json, "time")) {
			if (fl_json_string(json, &text))
				fl_java_time(text, true, &t->time);
		} else if (fl_json_is(json, "runtimeVersion")) {
			if (fl_json_string(json, &text))
				fl_fact(t->js.source, "JVM", "%.*s",
					(int)FL_MIN(text.size, (size_t)1024),
					text.data);
		} else {
			fl_json_skip(json);
		}
	}
}

static void read_object(struct threads *t)
{
	struct fl_json *json = &t->js.json;

	while (fl_json_key(json)) {
		if (fl_json_is(json, "threadDump")) {
			if (fl_json_enter_object(json))
				read_thread_dump(t);
		} else if (fl_json_is(json, "threads")) {
			if (fl_json_enter_array(json))
				read_threads(t);
		} else {
			fl_json_skip(json);
		}
	}
}

static void read_document(struct flame_source *source)
{
	struct threads *t = source->state;
	struct fl_json *json = &t->js.json;

	t->time = FLAME_NOTIME;
	if (json->token == FL_JSON_ARRAY)
		read_threads(t);
	else if (json->token == FL_JSON_OBJECT)
		read_object(t);
	else
		fl_json_skip(json);
}

/* The row of formats.c ------------------------------------------------- */

static int open_threads(struct flame_source *source)
{
	struct threads *t = source->state;

	fl_json_source_init(&t->js, source);
	return fl_dump_open(source);
}

static void release(void *state)
{
	struct threads *t = state;

	fl_json_source_free(&t->js);
	fl_buf_free(&t->text);
	fl_dump_free(t);
}

static int read(struct flame_source *source)
{
	struct threads *t = source->state;
	int status = fl_json_read(&t->js, read_document);

	if (status != FLAME_END)
		return status;
	if (t->dump.buf.failed || t->dump.name.failed || t->text.failed)
		return fl_no_memory(source->flame);
	if (t->dump.no_stack)
		fl_remark(source->flame, "%s: %" PRIu64 " threads without a "
			  "stack left out", fl_in_name(source->in),
			  t->dump.no_stack);
	t->dump.no_stack = 0;
	return status;
}

static int probe(const uint8_t *head, size_t n, bool whole)
{
	static const char *const paths[] = {
		"threadName", "threads.threadName",
		"threadDump.threadContainers", "owns_gil"
	};

	return fl_json_probe_any(head, n, whole, paths, FL_COUNT(paths));
}

const struct fl_format fl_format_threads = {
	.name = "threads",
	.summary = "JSON of thread dumps: Spark, Spring Boot, jcmd, py-spy dump -j",
	.probe = probe,
	.state_size = sizeof(struct threads),
	.open = open_threads,
	.read = read,
	.release = release,
	.json = true,
	.options = &fl_lines_option_table,
};
