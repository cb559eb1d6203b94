/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tracebacks of Python, and chains of them: the first is the cause, and those
 * behind it say who called the function that caught it.
 */
#include "fl.h"

#include "format/exceptions/exceptions.h"

static void add_python(struct fl_exceptions *r,
		       const struct fl_traceback_frame *f)
{
	struct fl_buf *buf = &r->dump.buf;

	buf->size = 0;
	fl_buf_put(buf, f->name.data, f->name.size);
	fl_buf_text(buf, " (");
	fl_buf_put(buf, f->file.data, f->file.size);
	fl_buf_byte(buf, ':');
	fl_buf_put(buf, f->line.data, f->line.size);
	fl_buf_byte(buf, ')');
	fl_exception_add(r, &r->python, fl_exception_frame_of_buf(r, FLAME_UNKNOWN));
}

/* "[Previous line repeated 996 more times]" */
static bool repeat(struct fl_exceptions *r, struct slice text)
{
	static const char mark[] = "[Previous line repeated ";
	struct slice word;
	int64_t n;

	if (!fl_slice_starts(text, mark) || !r->python.count)
		return false;
	text = fl_slice_from(text, sizeof(mark) - 1);
	if (!fl_dump_word(&text, &word) || !fl_parse_digits(word, &n))
		return false;
	for (n = FL_MIN(n, (int64_t)FL_MAX_REPEATED); n--;)
		if (!fl_exception_add(r, &r->python,
			    r->python.data[r->python.count - 1]))
			break;
	return true;
}

/* "work (/a.py" of "work (/a.py:3)" */
static struct slice function_of(const struct fl_exceptions *r, flame_id frame)
{
	const struct flame *flame = fl_exceptions_flame(r);
	struct slice name = fl_name_at(flame, flame->frames.data[frame].name);
	const char *colon = memrchr(name.data, ':', name.size);

	return (struct slice){ name.data, colon ? (size_t)(colon - name.data) :
						  name.size };
}

/* The frames of the second traceback that called the first. */
static void join_tracebacks(struct fl_exceptions *r)
{
	flame_id *all = r->python.data;
	size_t n = r->first, end = r->python.count, i = end;
	struct slice caught = n ? function_of(r, all[0]) : (struct slice){ "", 0 };

	while (n && i-- > n) {
		struct slice other = function_of(r, all[i]);

		if (other.size == caught.size &&
		    memcmp(other.data, caught.data, other.size) == 0)
			break;
	}
	if (n && i >= n && i < end) {
		size_t callers = i - n;

		/* Those behind i are of no use: the callers take their place. */
		for (size_t k = 0; k < callers; k++)
			fl_exception_add(r, &r->python, r->python.data[n + k]);
		all = r->python.data;
		if (r->python.count != end + callers)
			return;
		memmove(all + callers, all, n * sizeof(*all));
		memcpy(all, all + end, callers * sizeof(*all));
		n += callers;
	}
	r->python.count = n;
}

static void end_traceback(struct fl_exceptions *r, struct slice line)
{
	struct slice text = fl_slice_trim(line), class, thread;

	r->kind = FL_NO_STACK;
	r->text_lines = 0;
	if (r->follows)
		join_tracebacks(r);
	else if (fl_exception_header(line, &class, &thread))
		r->class = flame_name(fl_exceptions_flame(r), class.data, class.size);
	else if (text.size && !memchr(text.data, ' ', text.size))
		r->class = flame_name(fl_exceptions_flame(r), text.data, text.size);
	r->follows = false;
	r->ended = true;
}

void fl_exception_take_python(struct fl_exceptions *r, struct slice line)
{
	struct slice text = fl_slice_trim(line);
	struct fl_traceback_frame frame;

	if (fl_traceback_frame(text, &frame)) {
		add_python(r, &frame);
	} else if (text.size && fl_exception_indent(line)) {
		repeat(r, text);
	} else if (r->dump.nframes || r->outer.count ||
		   (r->header.at && !r->dump.open)) {
		/* In the text of one of Java, whose frames come later. */
		r->kind = r->dump.open ? FL_JAVA_STACK : FL_NO_STACK;
		r->waits = true;
		r->text_lines = 0;
	} else {
		end_traceback(r, line);
	}
}

static bool is_chained(struct slice line)
{
	return fl_slice_starts(line, "During handling of the above exception") ||
	       fl_slice_starts(line, "The above exception was the direct cause");
}

bool fl_exception_goes_on(struct fl_exceptions *r, struct slice line)
{
	struct slice class, thread;
	struct fl_logged logged;

	r->follows |= is_chained(line);
	if (r->follows)
		return !line.size || is_chained(line) || fl_is_traceback(line);
	return !fl_is_traceback(line) && !fl_log_line_read(line, &logged) &&
	       !fl_exception_header(line, &class, &thread) &&
	       r->text_lines++ < FL_MAX_TEXT_LINES;
}
