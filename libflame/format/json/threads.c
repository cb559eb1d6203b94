/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Format threads: reads thread dumps in JSON, one or many after another; each
 * thread's stack becomes a sample:
 *
 *	Spark's REST API	[{"threadId":1,"threadName":"main",
 *	(.../threads)		  "threadState":"WAITING","stackTrace":
 *				  {"elems":["a.B.m(B.scala:3)\n"]}}]
 *	jcmd PID Thread.	{"threadDump":{"threadContainers":[{"threads":
 *	dump_to_file		  [{"tid":"1","name":"m","stack":["..."]}]}]}}
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

#include "format/json/fields.h"

#include <inttypes.h>

struct threads {
	struct fl_dump dump;	/* must be first: see fl_dump_free */
	struct fl_json_source js;
	struct fl_buf text;	/* a file's name, while its frame is read */
	int64_t time;		/* of the dump, or FLAME_NOTIME */
	int64_t id, os_id;	/* of the thread; -1: not known */
	struct {
		bool has_short, has_class, is_native;
		int64_t line;
	} frame;		/* that is read */
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
 * An element of Spark's: the frame, then " => holding Monitor(...)", and lines
 * about locks.
 */
static void read_java_frame(struct threads *t, struct slice text)
{
	struct slice line = fl_slice_split(&text, '\n');
	const char *arrow = memmem(line.data, line.size, " => ", 4);

	if (arrow)
		line.size = (size_t)(arrow - line.data);
	line = fl_slice_trim(line);
	if (fl_slice_starts(line, "at "))
		line = fl_slice_trim(fl_slice_from(line, 3));
	if (line.size && !fl_slice_starts(line, "- "))
		add_java_frame(t, line);
}

/* Lines of Spark before 2.3: a frame each. */
static void read_java_lines(struct threads *t, struct slice text)
{
	while (text.size)
		read_java_frame(t, fl_slice_split(&text, '\n'));
}

static void add_python_frame(struct threads *t)
{
	int64_t line = t->frame.line;
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
static void add_element(struct threads *t)
{
	int64_t line = t->frame.line;
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
				       t->frame.is_native ?
				       FLAME_JAVA_NATIVE :
						FLAME_UNKNOWN));
}

static bool read_text(struct fl_json_source *js, struct fl_buf *buf)
{
	struct slice text;

	if (!fl_json_string(&js->json, &text))
		return false;
	buf->size = 0;
	fl_buf_put(buf, text.data, text.size);
	return true;
}

static void read_short_filename(struct fl_json_source *js, void *object)
{
	struct threads *t = object;

	t->frame.has_short = read_text(js, &t->text);
}

static void read_filename(struct fl_json_source *js, void *object)
{
	struct threads *t = object;

	if (t->frame.has_short)
		fl_json_skip(&js->json);
	else
		read_text(js, &t->text);
}

static void read_class(struct fl_json_source *js, void *object)
{
	struct threads *t = object;

	t->frame.has_class = read_text(js, &t->text);
}

static const struct fl_json_field frame_fields[] = {
	FL_FIELD("name", TEXT, struct threads, dump.buf),
	FL_FIELD_CALL("filename", VALUE, read_filename),
	FL_FIELD_CALL("short_filename", VALUE, read_short_filename),
	FL_FIELD("line", INTEGER, struct threads, frame.line),
	FL_FIELD("methodName", TEXT, struct threads, dump.buf),
	FL_FIELD("lineNumber", INTEGER, struct threads, frame.line),
	FL_FIELD("nativeMethod", BOOL, struct threads, frame.is_native),
	FL_FIELD_CALL("className", VALUE, read_class),
	{ .key = NULL }
};

/* Frames of py-spy and of the actuator. */
static void read_object_frame(struct threads *t)
{
	t->dump.buf.size = t->text.size = 0;
	memset(&t->frame, 0, sizeof(t->frame));
	fl_json_object(&t->js, frame_fields, t);
	if (t->js.json.error)
		return;
	if (t->frame.has_class)
		add_element(t);
	else
		add_python_frame(t);
}

static void read_frames(struct fl_json_source *js, void *object)
{
	struct threads *t = object;
	struct fl_json *json = &js->json;

	while (fl_json_element(json)) {
		if (json->token == FL_JSON_STRING)
			read_java_frame(t, json->text);
		else if (json->token == FL_JSON_OBJECT)
			read_object_frame(t);
		else
			fl_json_skip(json);
	}
}

static const struct fl_json_field elems[] = {
	FL_FIELD_CALL("elems", LIST, read_frames),
	{ .key = NULL }
};

/* An array of frames, lines of text, or an object with "elems". */
static void read_stack(struct fl_json_source *js, void *object)
{
	switch (fl_json_next(&js->json)) {
	case FL_JSON_ARRAY:
		read_frames(js, object);
		break;
	case FL_JSON_STRING:
		read_java_lines(object, js->json.text);
		break;
	default:
		fl_json_object(js, elems, object);
		break;
	}
}

/* Threads -------------------------------------------------------------- */

static void read_state(struct fl_json_source *js, void *object)
{
	struct threads *t = object;
	struct slice text;

	if (fl_json_string(&js->json, &text))
		t->dump.state = fl_java_state(text);
}

static void read_active(struct fl_json_source *js, void *object)
{
	struct threads *t = object;

	t->dump.state = fl_json_is_true(&js->json) ? "STATE_RUNNABLE" :
						     "STATE_SLEEPING";
}

static void read_time(struct fl_json_source *js, void *time)
{
	struct slice text;

	if (fl_json_string(&js->json, &text))
		fl_java_time(text, true, time);
}

static const struct fl_json_field thread_fields[] = {
	FL_FIELD("threadId", INTEGER, struct threads, id),
	FL_FIELD("threadName", TEXT, struct threads, dump.name),
	FL_FIELD_CALL("threadState", VALUE, read_state),
	FL_FIELD_CALL("stackTrace", VALUE, read_stack),
	FL_FIELD("tid", INTEGER, struct threads, id),
	FL_FIELD_CALL_AT("time", VALUE, read_time, struct threads, dump.time),
	FL_FIELD("name", TEXT, struct threads, dump.name),
	FL_FIELD_CALL("state", VALUE, read_state),
	FL_FIELD_CALL("stack", VALUE, read_stack),
	FL_FIELD("pid", INTEGER, struct threads, dump.pid),
	FL_FIELD("thread_id", INTEGER, struct threads, id),
	FL_FIELD("thread_name", TEXT, struct threads, dump.name),
	FL_FIELD("os_thread_id", INTEGER, struct threads, os_id),
	FL_FIELD_CALL("active", VALUE, read_active),
	FL_FIELD_CALL("frames", VALUE, read_stack),
	{ .key = NULL }
};

static void read_thread(struct fl_json_source *js, void *object)
{
	struct threads *t = object;
	struct flame_sample sample;

	fl_dump_begin(&t->dump, FL_SLICE(""));
	t->id = t->os_id = -1;
	t->dump.time = t->time;
	fl_json_object(js, thread_fields, t);
	t->dump.tid = t->os_id >= 0 ? t->os_id : t->id;
	/* An incomplete one is left out. */
	if (js->json.error)
		t->dump.open = false;
	else if (fl_dump_sample(&t->dump, &sample))
		fl_json_add(&t->js, &sample);
	else
		t->js.good++;
}

static void read_version(struct fl_json_source *js, void *object)
{
	struct slice text;

	(void)object;
	if (fl_json_string(&js->json, &text))
		fl_fact(js->source, "JVM", "%.*s",
			(int)FL_MIN(text.size, (size_t)1024), text.data);
}

static const struct fl_json_field container[] = {
	FL_FIELD_CALL("threads", EACH, read_thread),
	{ .key = NULL }
};

static const struct fl_json_field thread_dump[] = {
	FL_FIELD_CALL_AT("time", VALUE, read_time, struct threads, time),
	FL_FIELD_CALL("runtimeVersion", VALUE, read_version),
	FL_FIELD_ROWS("threadContainers", EACH, container),
	{ .key = NULL }
};

static const struct fl_json_field document[] = {
	FL_FIELD_ROWS("threadDump", INNER, thread_dump),
	FL_FIELD_CALL("threads", EACH, read_thread),
	{ .key = NULL }
};

static void read_document(struct flame_source *source)
{
	struct threads *t = source->state;

	t->time = FLAME_NOTIME;
	if (t->js.json.token == FL_JSON_ARRAY)
		fl_json_each(&t->js, read_thread, t);
	else
		fl_json_object(&t->js, document, t);
}

/* The row of formats.def ------------------------------------------------- */

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
