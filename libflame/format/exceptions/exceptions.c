/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Exceptions with their stacks in logs, as Java and Python print them:
 *
 *	2026-11-21 10:00:00,1 ERROR [main] a.Job - failed
 *	java.lang.RuntimeException: text, of any number of lines
 *		at a.Job.run(Job.java:3)
 *	Caused by: java.io.IOException
 *		at a.Io.read(Io.java:7)
 *		... 1 more
 *
 * An exception is a sample with the stack of its first cause; frames that a
 * cause does not repeat are those of what it caused.  Suppressed exceptions,
 * which are indented further, are passed over.  Spark's have Python's traceback
 * in their text: those frames are called by Java's.  A traceback of Python
 * begins where the exception was caught; the next of its chain says who called
 * that.
 */
#include "fl.h"

#include "format/exceptions/exceptions.h"

static void begin(struct fl_exceptions *r)
{
	fl_dump_begin(&r->dump, (struct slice){ "", 0 });
	r->dump.time = r->header.time;
	r->dump.labels = r->header.labels;
	r->dump.thread = r->header.thread;
	r->class = r->header.class;
	r->outer.count = 0;
	r->waits = r->ignored = false;
}

bool fl_exception_add(struct fl_exceptions *r,
		      struct fl_exception_frames *frames, flame_id frame)
{
	if (!fl_grow(&frames->data, &frames->capacity, frames->count + 1,
		     sizeof(*frames->data))) {
		fl_no_memory(fl_exceptions_flame(r));
		return false;
	}
	frames->data[frames->count++] = frame;
	return true;
}

flame_id fl_exception_frame_of_buf(struct fl_exceptions *r,
				   enum flame_type type)
{
	struct fl_buf *buf = &r->dump.buf;
	struct flame *flame = fl_exceptions_flame(r);

	return fl_frame(flame, flame_name(flame, buf->data ? buf->data : "",
					  buf->size), type);
}

/* Ends the exception: Python's frames are called by Java's. */
static void end(struct fl_dump *dump)
{
	struct fl_exceptions *r = (struct fl_exceptions *)dump;
	struct fl_dump *d = &r->dump;
	struct flame *flame = fl_exceptions_flame(r);
	size_t java = d->nframes;

	r->kind = FL_NO_STACK;
	r->ended = r->follows = false;
	r->first = 0;
	r->header.at = 0;
	if (!d->open) {
		r->python.count = 0;
		return;
	}
	/* A cause without frames of its own. */
	for (size_t i = 0; !java && i < r->outer.count; i++)
		fl_dump_frame(d, r->outer.data[i]);
	java = d->nframes;
	for (size_t i = 0; i < r->python.count; i++)
		fl_dump_frame(d, r->python.data[i]);
	if (r->python.count && d->nframes == java + r->python.count) {
		/* Python's first, and turned. */
		memmove(d->frames + r->python.count, d->frames,
			java * sizeof(*d->frames));
		for (size_t i = 0; i < r->python.count; i++)
			d->frames[i] = r->python.data[r->python.count - 1 - i];
	}
	r->python.count = 0;
	if (r->class)
		d->labels = flame_label(flame, d->labels,
					fl_name(flame, "exception"), r->class);
	fl_dump_end(d);
}

/* Java --------------------------------------------------------------------- */

static void add_java(struct fl_exceptions *r, const struct fl_java_frame *frame)
{
	const struct fl_lines_options *options = r->dump.source->options;
	struct fl_buf *buf = &r->dump.buf;

	r->waits = false;
	if (r->ignored)
		return;
	buf->size = 0;
	fl_java_name(buf, frame->name);
	if (options->lines && frame->line > 0) {
		fl_buf_byte(buf, ':');
		fl_buf_number(buf, frame->line);
	}
	fl_dump_frame(&r->dump, fl_exception_frame_of_buf(r, frame->type));
}

/* The last frames of what the throwable caused. */
static void add_common(struct fl_exceptions *r, int64_t n)
{
	size_t have = r->outer.count;
	size_t skip = (uint64_t)n < have ? have - (size_t)n : 0;

	r->waits = false;
	if (r->ignored)
		return;
	r->dump.truncated |= (uint64_t)n > have;
	for (size_t i = skip; i < have; i++)
		fl_dump_frame(&r->dump, r->outer.data[i]);
}

/* This line's throwable is the cause of the one that was read before it. */
static void begin_cause(struct fl_exceptions *r, struct slice text)
{
	struct slice class, thread;

	r->outer.count = 0;
	for (size_t i = 0; i < r->dump.nframes; i++)
		fl_exception_add(r, &r->outer, r->dump.frames[i]);
	r->dump.nframes = 0;
	r->dump.truncated = false;
	r->python.count = 0;
	r->class = 0;
	if (fl_exception_header(text, &class, &thread))
		r->class = flame_name(fl_exceptions_flame(r), class.data, class.size);
	r->waits = true;
	r->text_lines = 0;
}

/* A line of Java's stack; false: it is behind its end. */
static bool take_java(struct fl_exceptions *r, struct slice line)
{
	static const char caused[] = "Caused by: ";
	struct fl_java_frame frame;
	size_t indent = fl_exception_indent(line);
	struct slice text = fl_slice_trim(line);
	int64_t n;

	if (fl_exception_frame(line, &indent, &frame)) {
		if (indent <= r->indent)
			add_java(r, &frame);
	} else if (fl_exception_more(text, &n)) {
		if (indent <= r->indent)
			add_common(r, n);
	} else if (fl_slice_starts(text, caused)) {
		if (indent < r->indent && !r->ignored)
			begin_cause(r, fl_slice_from(text, sizeof(caused) - 1));
		if (fl_is_traceback(text))
			r->kind = FL_PYTHON_STACK;
	} else if (fl_slice_starts(text, "Wrapped by: ")) {
		r->ignored = true;
		r->waits = true;
		r->text_lines = 0;
	} else if (indent && fl_slice_starts(text, "Suppressed: ")) {
		return true;
	} else {
		return r->waits && r->text_lines++ < FL_MAX_TEXT_LINES;
	}
	return true;
}

/* Lines of neither --------------------------------------------------------- */

static void take_outer(struct fl_exceptions *r, struct slice line)
{
	struct slice class, thread;
	struct fl_java_frame frame;
	size_t indent;

	if (r->ended && !fl_exception_goes_on(r, line))
		end(&r->dump);
	if (r->header.at && r->dump.lines.number - r->header.at >
			    FL_MAX_TEXT_LINES) {
		r->header.at = 0;
		r->python.count = 0;
	}
	if (r->header.at && fl_exception_frame(line, &indent, &frame)) {
		begin(r);
		r->kind = FL_JAVA_STACK;
		r->indent = indent;
		add_java(r, &frame);
		return;
	}
	if (!r->ended && fl_exception_header(line, &class, &thread)) {
		r->python.count = 0;
		fl_exception_set_header(r, line, class, thread);
	}
	if (r->ended && fl_is_traceback(line)) {
		r->first = r->python.count;
		r->ended = false;
		r->kind = FL_PYTHON_STACK;
	} else if (fl_is_traceback(line)) {
		/* "a.PythonException: Traceback ..." waits for Java's frames. */
		if (r->header.at != r->dump.lines.number) {
			fl_exception_set_header(r, line, (struct slice){ line.data, 0 },
				   (struct slice){ line.data, 0 });
			begin(r);
			r->header.at = 0;
		}
		r->kind = FL_PYTHON_STACK;
	}
	fl_exception_keep_line(r, line);
}

static void lose(struct fl_dump *dump)
{
	fl_dump_lose(dump);
	end(dump);
}

static void end_of_input(struct fl_dump *dump)
{
	struct fl_exceptions *r = (struct fl_exceptions *)dump;

	/* A line follows the frames of Python, and frames a cause of Java. */
	if (fl_in_damage(dump->source->in) || dump->lines.begun ||
	    (!dump->lines.ended &&
	     (r->kind == FL_PYTHON_STACK || r->waits)))
		lose(dump);
	else
		end(dump);
}

/* A line of Java's stack without its end. */
static bool is_whole(struct slice line)
{
	struct fl_java_frame frame;
	size_t indent;
	int64_t n;

	return fl_exception_frame(line, &indent, &frame) ||
	       fl_exception_more(fl_slice_trim(line), &n);
}

/* The first letters of "Caused by: ". */
static bool begins_cause(struct slice line)
{
	return line.size < 11 && memcmp("Caused by: ", line.data,
					line.size) == 0;
}

static void accept_line(struct fl_dump *dump, struct slice line)
{
	struct fl_exceptions *r = (struct fl_exceptions *)dump;

	if (r->kind == FL_PYTHON_STACK) {
		fl_exception_take_python(r, line);
		return;
	}
	if (r->kind == FL_JAVA_STACK) {
		if (take_java(r, line)) {
			if (!dump->lines.ended && !is_whole(line))
				lose(dump);
			return;
		}
		/* A line of a frame or a cause that was cut. */
		if (!dump->lines.ended &&
		    (fl_exception_indent(line) || begins_cause(line)))
			lose(dump);
		end(dump);
	}
	take_outer(r, line);
}

/* The row ----------------------------------------------------------------- */

static int probe(const uint8_t *head, size_t n, bool whole)
{
	struct slice rest = { (const char *)head, n }, line, class, thread;
	unsigned since = FL_MAX_TEXT_LINES;	/* the last header */
	struct fl_java_frame frame;
	struct fl_traceback_frame python;
	size_t indent;
	bool traceback = false;

	while (rest.size) {
		if (!whole && !memchr(rest.data, '\n', rest.size))
			break;
		line = fl_slice_trim_end(fl_slice_split(&rest, '\n'));
		if (memchr(line.data, '\0', line.size))
			return 0;
		if ((since < FL_MAX_TEXT_LINES &&
		     fl_exception_frame(line, &indent, &frame)) ||
		    (traceback && fl_traceback_frame(fl_slice_trim(line),
						     &python)))
			return 24;
		since = fl_exception_header(line, &class, &thread) ? 0 :
			since + (since < FL_MAX_TEXT_LINES);
		traceback = fl_is_traceback(line);
	}
	return whole || n >= 1 << 20 ? 0 : -1;
}

static int open_exceptions(struct flame_source *source)
{
	struct fl_exceptions *r = source->state;

	fl_dump_open(source);
	fl_dump_of(&r->dump, "exception", "samples", "exceptions");
	return FLAME_OK;
}

static void release(void *state)
{
	struct fl_exceptions *r = state;

	fl_free(r->outer.data);
	fl_free(r->python.data);
	fl_buf_free(&r->before);
	fl_dump_free(r);
}

static int read(struct flame_source *source)
{
	return fl_dump_read(source->state, accept_line, end_of_input);
}

const struct fl_format fl_format_exceptions = {
	.name = "exceptions",
	.summary = "exceptions of Java and Python in logs, with stacks",
	.probe = probe,
	.state_size = sizeof(struct fl_exceptions),
	.open = open_exceptions,
	.read = read,
	.release = release,
	.options = &fl_lines_option_table,
};
