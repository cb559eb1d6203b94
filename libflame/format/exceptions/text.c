/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The lines of exceptions in logs: what loggers write before them, and the
 * lines of stacks as Java and Python print them.
 */
#include "fl.h"

#include "format/exceptions/exceptions.h"

static bool is_of_name(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
	       fl_is_digit(c) || c == '_' || c == '$' || c == '.';
}

/* Lines of logs ------------------------------------------------------------ */

static bool is_level(struct slice word)
{
	static const char *const levels[] = {
		"TRACE", "DEBUG", "INFO", "WARN", "WARNING", "ERROR", "FATAL",
		"SEVERE", "CRITICAL",
	};

	for (size_t i = 0; i < FL_COUNT(levels); i++)
		if (fl_slice_is(word, levels[i]))
			return true;
	return false;
}

/* "2026-11-21 10:00:00,123", or with a T; without a zone. */
static int64_t read_time(struct slice line)
{
	char text[19];
	struct slice s = { text, sizeof(text) };
	int64_t ns;

	if (line.size < sizeof(text))
		return FLAME_NOTIME;
	memcpy(text, line.data, sizeof(text));
	if (text[10] == 'T')
		text[10] = ' ';
	return fl_java_time(s, false, &ns) ? ns : FLAME_NOTIME;
}

/* Cuts off "[main]", which may have blanks in it, or a word. */
static bool cut_part(struct slice *rest, struct slice *part, bool *bracket)
{
	const char *end;

	*rest = fl_slice_trim(*rest);
	*bracket = fl_slice_starts(*rest, "[");
	end = *bracket ? memchr(rest->data, ']', rest->size) : NULL;
	if (end) {
		*part = (struct slice){ rest->data + 1,
					(size_t)(end - rest->data) - 1 };
		*rest = fl_slice_from(*rest, part->size + 2);
		*part = fl_slice_trim(*part);
		return true;
	}
	*bracket = false;
	return fl_dump_word(rest, part);
}

/* A word of names that ':' or a '-' follows. */
static bool is_logger(struct slice *word, struct slice rest)
{
	bool marked = fl_slice_ends(*word, ":");

	word->size -= marked;
	rest = fl_slice_trim(rest);
	for (size_t i = 0; i < word->size; i++)
		if (!is_of_name(word->data[i]) && word->data[i] != '-')
			return false;
	return word->size && (marked || fl_slice_starts(rest, ": ") ||
			      fl_slice_starts(rest, "- "));
}

/* Behind the level: threads in brackets, numbers and dashes, the logger. */
static void read_logger(struct slice rest, struct fl_logged *logged)
{
	struct slice part;
	bool bracket;

	for (unsigned i = 0; i < 6 && cut_part(&rest, &part, &bracket); i++) {
		if (bracket && !logged->thread.size) {
			logged->thread = part;
		} else if (!bracket && is_logger(&part, rest)) {
			if (!fl_slice_digits(part) && !fl_slice_is(part, "---"))
				logged->logger = part;
			return;
		} else if (!bracket && !fl_slice_digits(part) &&
			   part.data[0] != '-') {
			return;
		}
	}
}

bool fl_log_line_read(struct slice line, struct fl_logged *logged)
{
	struct slice rest = line, part, python;
	bool bracket;

	*logged = (struct fl_logged){ .time = read_time(line) };
	/* Python's own: "ERROR:logger:text" */
	python = line;
	part = fl_slice_split(&python, ':');
	if (is_level(part) && memchr(python.data, ':', python.size)) {
		logged->level = part;
		part = fl_slice_split(&python, ':');
		if (part.size && !memchr(part.data, ' ', part.size))
			logged->logger = part;
		return true;
	}
	for (unsigned i = 0; i < 8 && cut_part(&rest, &part, &bracket); i++) {
		part.size -= fl_slice_ends(part, ":");
		if (is_level(part)) {
			logged->level = part;
			read_logger(rest, logged);
			return true;
		}
		if (bracket)
			logged->thread = part;
	}
	return false;
}

/* Java --------------------------------------------------------------------- */

static bool ends_as_exception(struct slice name)
{
	return fl_slice_ends(name, "Exception") || fl_slice_ends(name, "Error") ||
	       fl_slice_ends(name, "Throwable");
}

/* A class at the beginning that ':' or the line's end follows. */
static bool read_class(struct slice s, bool any, struct slice *class)
{
	const char *dot;
	size_t n = 0;

	while (n < s.size && is_of_name(s.data[n]))
		n++;
	*class = (struct slice){ s.data, n };
	if (!n || (n < s.size && s.data[n] != ':'))
		return false;
	if (any || ends_as_exception(*class))
		return true;
	dot = memrchr(s.data, '.', n);
	return dot && dot + 1 < s.data + n && dot > s.data && dot[1] >= 'A' &&
	       dot[1] <= 'Z' && !fl_is_digit(s.data[0]);
}

/* The last word of a line of a log that is an exception's class. */
static bool find_class(struct slice line, struct slice *class)
{
	struct slice word;
	bool found = false;

	if (!fl_slice_has(line, "Exception") && !fl_slice_has(line, "Error") &&
	    !fl_slice_has(line, "Throwable"))
		return false;
	while (fl_dump_word(&line, &word)) {
		struct slice name;

		word.size = (size_t)(line.data - word.data);
		if (read_class(word, false, &name) && ends_as_exception(name) &&
		    memchr(name.data, '.', name.size)) {
			*class = name;
			found = true;
		}
	}
	return found;
}

bool fl_exception_header(struct slice line, struct slice *class,
			 struct slice *thread)
{
	static const char in_thread[] = "Exception in thread \"";
	const char *end;

	*thread = (struct slice){ line.data, 0 };
	line = fl_slice_trim(line);
	if (fl_slice_starts(line, in_thread)) {
		line = fl_slice_from(line, sizeof(in_thread) - 1);
		end = fl_slice_find(line, "\" ");
		if (!end)
			return false;
		*thread = (struct slice){ line.data,
					  (size_t)(end - line.data) };
		return read_class(fl_slice_from(line, thread->size + 2), true,
				  class);
	}
	return read_class(line, false, class) || find_class(line, class);
}

/* Where a frame is: "X.java:1", "Native Method", "Unknown Source". */
static bool is_place(struct slice where)
{
	if (fl_slice_ends(where, "Native Method") ||
	    fl_slice_ends(where, "Unknown Source"))
		return true;
	return where.size && !memchr(where.data, ' ', where.size) &&
	       !memchr(where.data, ',', where.size) &&
	       (where.data[0] == '<' || memchr(where.data, '.', where.size) ||
		memchr(where.data, ':', where.size));
}

size_t fl_exception_indent(struct slice line)
{
	size_t i = 0;

	while (i < line.size && fl_is_blank(line.data[i]))
		i++;
	return i;
}

bool fl_exception_frame(struct slice line, size_t *indent,
			struct fl_java_frame *frame)
{
	struct slice text, rest;
	const char *open, *close;

	*indent = fl_exception_indent(line);
	text = fl_slice_from(line, *indent);
	if (!*indent || !fl_slice_starts(text, "at "))
		return false;
	text = fl_slice_trim(fl_slice_from(text, 3));
	/* Logback and Log4j append the jar: " ~[x.jar:1]". */
	close = fl_slice_ends(text, "]") ? memrchr(text.data, '[', text.size) :
					   NULL;
	if (close) {
		rest = (struct slice){ text.data,
				       (size_t)(close - text.data) };
		rest.size -= fl_slice_ends(rest, "~");
		text = fl_slice_trim(rest);
	}
	open = memrchr(text.data, '(', text.size);
	if (!open || open == text.data || open[-1] == ' ' ||
	    !fl_slice_ends(text, ")"))
		return false;
	rest = (struct slice){ open + 1, (size_t)(text.data + text.size - open) -
					 2 };
	return is_place(rest) &&
	       memchr(text.data, '.', (size_t)(open - text.data)) &&
	       fl_java_frame(text, frame);
}

bool fl_exception_more(struct slice text, int64_t *n)
{
	struct slice word;

	if (!fl_slice_starts(text, "... "))
		return false;
	text = fl_slice_from(text, 4);
	return fl_dump_word(&text, &word) && fl_parse_digits(word, n) &&
	       (fl_slice_is(text, " more") ||
		fl_slice_starts(text, " common frames omitted"));
}

/* Python ------------------------------------------------------------------- */

bool fl_is_traceback(struct slice line)
{
	return fl_slice_ends(line, "Traceback (most recent call last):");
}

bool fl_traceback_frame(struct slice text, struct fl_traceback_frame *frame)
{
	static const char mark[] = "\", line ";
	const char *at, *in;

	if (!fl_slice_starts(text, "File \""))
		return false;
	text = fl_slice_from(text, 6);
	at = fl_slice_find(text, mark);
	if (!at)
		return false;
	frame->file = (struct slice){ text.data, (size_t)(at - text.data) };
	text = fl_slice_from(text, frame->file.size + sizeof(mark) - 1);
	in = fl_slice_find(text, ", in ");
	frame->line = text;
	frame->name = (struct slice){ text.data, 0 };
	if (in) {
		frame->line.size = (size_t)(in - text.data);
		frame->name = fl_slice_from(text, frame->line.size + 5);
	}
	/* Without a name: the place of a SyntaxError. */
	return frame->name.size && fl_slice_digits(frame->line);
}
