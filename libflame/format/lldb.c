/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads backtraces of lldb: bt, bt all, thread backtrace all; any number of
 * them, one after the other.  Each thread of a dump is a sample of the metric
 * threads.
 *
 *	* thread #1, name = 'app', stop reason = signal SIGSTOP
 *	  * frame #0: 0x00007f01 libc.so.6`poll + 79
 *	    frame #1: 0x00005501 app`run [inlined] wait(ms=5) at app.c:7:3
 */
#include "fl.h"

#include "format/format.h"

#include <inttypes.h>
#include <stdio.h>

/* The options of this format; the rows are below. */
struct options {
	bool lines;
	bool srcline;
};

struct reader {
	struct fl_line_reader base;
	bool selected;		/* the thread is marked with an asterisk */
	bool marked;		/* so is one of its frames */
	bool ended;		/* a line without a frame follows the stack */
};

/* A frame's text, in its parts. */
struct parts {
	struct slice name, file, module;
	int64_t line;
	bool inlined;
};

/* The offset of the text; s.size if it does not occur. */
static size_t find(struct slice s, const char *text)
{
	const char *at = fl_slice_find(s, text);

	return at ? (size_t)(at - s.data) : s.size;
}

/* The offset of the last occurrence of the text. */
static size_t find_last(struct slice s, const char *text)
{
	size_t n = strlen(text);

	for (size_t i = s.size; i >= n; i--)
		if (memcmp(s.data + i - n, text, n) == 0)
			return i - n;
	return s.size;
}

/* Cuts off the text at the beginning, if it is there. */
static bool skip(struct slice *s, const char *text)
{
	if (!fl_slice_starts(*s, text))
		return false;
	*s = fl_slice_from(*s, strlen(text));
	return true;
}

/* Frames -------------------------------------------------------------- */

/* The index after the ')' that closes the '(' at i; quotes hide brackets. */
static size_t skip_brackets(struct slice s, size_t i)
{
	size_t depth = 0;
	char quote = '\0';

	for (; i < s.size; i++) {
		char c = s.data[i];

		if (quote && c == '\\')
			i++;
		else if (quote)
			quote = c == quote ? '\0' : quote;
		else if (c == '"' || c == '\'')
			quote = c;
		else if (c == '(')
			depth++;
		else if (c == ')' && --depth == 0)
			return i + 1;
	}
	return s.size;
}

/* "ns::f(x=1)", "A::get(this=0x1) const": without the values. */
static struct slice cut_arguments(struct slice s)
{
	size_t i = 0, end;

	if (fl_slice_ends(s, " const"))
		s.size -= 6;
	while (i < s.size) {
		if (s.data[i] != '(') {
			i++;
			continue;
		}
		end = skip_brackets(s, i);
		if (end == s.size && i)
			return (struct slice){ s.data, i };
		i = end;
	}
	return s;
}

/* "file.c:57:12" or "file.c:57"; false: it is something else. */
static bool split_place(struct slice s, struct parts *parts)
{
	size_t colon = find_last(s, ":");
	int64_t number;

	if (colon == s.size ||
	    !fl_parse_int(fl_slice_from(s, colon + 1), &number) || number < 0)
		return false;
	parts->line = number;
	parts->file = (struct slice){ s.data, colon };
	colon = find_last(parts->file, ":");
	if (colon != parts->file.size &&
	    fl_parse_int(fl_slice_from(parts->file, colon + 1), &number) &&
	    number >= 0) {
		parts->line = number;
		parts->file.size = colon;
	}
	return parts->file.size != 0;
}

/* "f + 32": without the offset. */
static struct slice cut_offset(struct slice s)
{
	size_t plus = find_last(s, " + ");

	if (plus < s.size && fl_slice_digits(fl_slice_from(s, plus + 3)))
		s.size = plus;
	return s;
}

/* The text after the address: "module`function(...) at file:line:column". */
static void split_frame(struct slice s, struct parts *parts)
{
	static const char inlined[] = "[inlined] ";
	size_t i;

	memset(parts, 0, sizeof(*parts));
	while (fl_slice_ends(s, " [opt]") || fl_slice_ends(s, " [artificial]"))
		s.size = find_last(s, " [");
	i = find(s, "`");
	if (i < s.size) {
		parts->module = (struct slice){ s.data, i };
		s = fl_slice_from(s, i + 1);
	}
	i = find_last(s, inlined);
	if (i < s.size) {
		parts->inlined = true;
		s = fl_slice_from(s, i + sizeof(inlined) - 1);
	}
	i = find_last(s, " at ");
	if (i < s.size && split_place(fl_slice_from(s, i + 4), parts))
		parts->name = cut_arguments((struct slice){ s.data, i });
	else
		parts->name = cut_offset(s);
}

static void add_frame(struct reader *r, struct slice s)
{
	const struct options *options = r->base.options;
	struct parts parts;

	split_frame(s, &parts);
	fl_backtrace_add(&r->base, &(struct fl_backtrace_frame){
		.name = parts.name, .file = parts.file,
		.module = parts.module, .line = parts.line,
		.nameless = !parts.name.size,
		.type = parts.inlined ? FLAME_INLINED : FLAME_NATIVE,
		.show_file = options->srcline, .show_line = options->lines,
	});
}

/* Lines --------------------------------------------------------------- */

struct line {
	enum { OTHER, THREAD, FRAME } kind;
	bool marked;		/* by an asterisk */
	int64_t number;
	struct slice rest;
};

static bool split_number(struct slice *s, int64_t *number)
{
	size_t n = 0;
	bool good;

	while (n < s->size && s->data[n] >= '0' && s->data[n] <= '9')
		n++;
	good = n && fl_parse_int((struct slice){ s->data, n }, number);
	*s = fl_slice_from(*s, n);
	return good;
}

/* "frame #3: 0x7f01 rest", "thread #3, name = 'a'", "thread #3: tid = 5". */
static struct line split_line(struct slice s)
{
	struct line line = { .kind = OTHER };
	struct slice word;

	while (skip(&s, "(lldb) "))
		continue;
	s = fl_slice_trim(s);
	line.marked = skip(&s, "* ");
	s = fl_slice_trim(s);
	if (skip(&s, "frame #")) {
		if (!split_number(&s, &line.number) || !skip(&s, ": "))
			return line;
		word = fl_slice_split(&s, ' ');
		line.kind = fl_slice_starts(word, "0x") ? FRAME : OTHER;
	} else if (skip(&s, "thread #") && split_number(&s, &line.number) &&
		   (!s.size || s.data[0] == ',' || s.data[0] == ':')) {
		line.kind = THREAD;
	}
	line.rest = s;
	return line;
}

/* "key = 'text'", "key = 0x12"; empty where it is not there. */
static struct slice value_of(struct slice s, const char *key)
{
	size_t i = find(s, key), end;

	if (i == s.size)
		return (struct slice){ s.data, 0 };
	s = fl_slice_from(s, i + strlen(key));
	if (s.size && s.data[0] == '\'') {
		s = fl_slice_from(s, 1);
		end = find(s, "', ");
		if (end == s.size && fl_slice_ends(s, "'"))
			end--;
	} else {
		end = find(s, ",");
	}
	return (struct slice){ s.data, end };
}

static void begin_thread(struct reader *r, const struct line *line)
{
	struct slice name = value_of(line->rest, ", name = ");
	struct slice tid = value_of(line->rest, "tid = ");
	char number[32];

	if (!name.size)
		name = value_of(line->rest, "queue = ");
	snprintf(number, sizeof(number), "thread #%" PRId64, line->number);
	if (!name.size && !tid.size)
		name = (struct slice){ number, strlen(number) };
	r->base.keys.comm = r->base.keys.tid = 0;
	if (name.size)
		r->base.keys.comm =
			flame_name(r->base.flame, name.data, name.size);
	if (tid.size)
		r->base.keys.tid =
			flame_name(r->base.flame, tid.data, tid.size);
	r->selected = line->marked;
}

/* Stacks -------------------------------------------------------------- */

/* Functions that nothing calls: below them a stack cannot go on. */
static const char *const roots[] = {
	"_start", "start", "clone", "clone3", "__clone", "__clone3",
	"__GI___clone", "__GI___clone3", "thread_start", "start_wqthread",
	"_pthread_start", "RtlUserThreadStart", NULL
};

static void forget(struct reader *r)
{
	r->base.trace.count = 0;
	r->marked = r->ended = false;
}

static void end_stack(struct reader *r)
{
	size_t n = r->base.trace.count;

	/*
	 * Where lldb stops it prints the selected thread's first frame; in a
	 * backtrace of that thread one of the frames is marked.
	 */
	if (n && (n != 1 || !r->selected || r->marked))
		fl_backtrace_sample(&r->base);
	forget(r);
}

/* "Process 42 stopped": the next threads are its. */
static void read_process(struct reader *r, struct slice s)
{
	struct slice number;

	if (!skip(&s, "Process "))
		return;
	number = fl_slice_split(&s, ' ');
	if (fl_slice_digits(number) && fl_slice_starts(s, "stopped"))
		r->base.keys.pid =
			flame_name(r->base.flame, number.data, number.size);
}

static void accept_line(struct fl_line_reader *base, struct slice text)
{
	struct reader *r = (struct reader *)base;
	struct line line = split_line(text);

	if (line.kind != FRAME) {
		r->ended |= r->base.trace.count &&
			    (r->base.lines.ended || !text.size);
		if (line.kind == THREAD) {
			end_stack(r);
			begin_thread(r, &line);
		}
		read_process(r, text);
		return;
	}
	if (line.number == 0)
		end_stack(r);
	/* "frame select 3" prints a single frame. */
	if (r->ended || (uint64_t)line.number != r->base.trace.count) {
		r->base.outside++;
		return;
	}
	add_frame(r, line.rest);
	r->marked |= line.marked;
}

/* The last stack, unless it may have been cut. */
static void last_stack(struct reader *r)
{
	if (!r->base.trace.count)
		return;
	if (r->ended ||
	    (r->base.lines.ended && fl_backtrace_is_whole(&r->base, roots))) {
		end_stack(r);
		return;
	}
	fl_backtrace_cut(&r->base);
	forget(r);
}

/* The row ------------------------------------------------------------- */

static int read(struct flame_source *source)
{
	struct reader *r = source->state;
	int status = fl_line_reader_read(&r->base, accept_line);

	if (status != FLAME_END)
		return status;
	last_stack(r);
	return source->batch.n ? FLAME_OK : fl_backtrace_end(&r->base);
}

/* lldb may print much before the first backtrace; so much is read. */
enum { MAX_PREAMBLE = 1 << 18 };

static int probe(const uint8_t *head, size_t n, bool whole)
{
	struct slice rest = { (const char *)head, n };
	bool thread = false, prompt = false;

	if (n && memchr(head, '\0', n))
		return 0;
	while (rest.size) {
		bool ended = memchr(rest.data, '\n', rest.size) != NULL;
		struct slice text = fl_slice_split(&rest, '\n');
		struct line line = split_line(text);

		if (!ended && !whole)
			break;
		if (line.kind == FRAME)
			return thread ? 32 : 24;
		thread |= line.kind == THREAD;
		prompt |= fl_slice_starts(text, "(lldb) ");
	}
	return (thread || prompt) && !whole && n < MAX_PREAMBLE ? -1 : 0;
}

static const struct fl_option rows[] = {
	FL_OPTION_ROW_LINES(struct options),
	FL_OPTION_ROW_SRCLINE(struct options),
	{ .name = NULL }
};

static const struct fl_option_table option_table = {
	.rows = rows, .size = sizeof(struct options),
};

const struct fl_format fl_format_lldb = {
	.name = "lldb",
	.summary = "backtraces of lldb",
	.probe = probe,
	.state_size = sizeof(struct reader),
	.open = fl_line_reader_open,
	.read = read,
	.release = fl_line_reader_free,
	.options = &option_table,
};
