/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads backtraces of gdb: bt, bt full, thread apply all bt, and what pstack
 * and gstack make of them; any number of them, one after the other.  Each
 * thread of a dump is a sample of the metric threads.  eu-stack and coredumpctl
 * print theirs without arguments ("bare"):
 *
 *	TID 42:				Stack trace of thread 42:
 *	#0  0x7f01 f - /lib/x.so	#0  0x7f01 f (x.so + 0x1234)
 *	    file.c:3:7
 *
 * If a frame other than the innermost has no address, gdb knows of no call
 * there: the frame that it called is inlined.
 */
#include "fl.h"

#include "format/format.h"
#include "native/frame.h"

#include <inttypes.h>
#include <stdlib.h>

enum {
	MAX_FRAME_TEXT = 1 << 14,	/* of a frame's text */
	MAX_BRACKETS = 16,		/* that could be its arguments' */
	MAX_LINES = 64		/* lines that a frame may have */
};

/* The options of this format; the rows are below. */
struct options {
	bool lines;
	bool srcline;
};

struct reader {
	struct fl_line_reader base;

	struct fl_buf pending;	/* the frame read last: lines may follow */
	unsigned broken;	/* lines that were added to it */
	uint64_t number;	/* its number in the stack */
	bool open;		/* frames were read */
	bool closed;		/* an empty line: no more of them follow */
	bool settled;		/* a line that is not a frame came after them */
	bool handler;		/* the last frame is "<signal handler" */
	bool whole;		/* the last frame's text has its arguments */
	bool position;		/* perhaps only where a thread stands */
	bool switched;		/* the next stack is */
	bool bare;		/* frames are eu-stack's or coredumpctl's */
	uint64_t limited;
};

/* A frame's text, in its parts. */
struct parts {
	struct slice name, file, module;
	int64_t line;
	bool address, whole, handler;
};

/* The offset of the text; s.size if not found. */
static size_t find(struct slice s, const char *text)
{
	const char *at = fl_slice_find(s, text);

	return at ? (size_t)(at - s.data) : s.size;
}

/* Frames -------------------------------------------------------------- */

/* After the quoted text that begins at i. */
static size_t skip_quoted(struct slice s, size_t i)
{
	char quote = s.data[i++];

	while (i < s.size && s.data[i] != quote)
		i += 1 + (s.data[i] == '\\');
	return FL_MIN(i + 1, s.size);
}

/*
 * After the ')' of the '(' at i; SIZE_MAX where it is missing.  Strings
 * and characters are stepped over where the text is of arguments.
 */
static size_t skip_brackets(struct slice s, size_t i, bool arguments)
{
	size_t depth = 0;

	while (i < s.size) {
		char c = s.data[i];

		if (arguments && (c == '"' || c == '\'')) {
			i = skip_quoted(s, i);
			continue;
		}
		i++;
		if (c == '(')
			depth++;
		else if (c == ')' && --depth == 0)
			return i;
	}
	return SIZE_MAX;
}

/* "operator<", "operator()": their signs open and close nothing. */
static size_t skip_operator(struct slice s, size_t i)
{
	static const char word[] = "operator";
	size_t n = sizeof(word) - 1;

	if (s.size - i < n || memcmp(s.data + i, word, n) != 0)
		return i;
	i += n;
	if (fl_slice_starts(fl_slice_from(s, i), "()"))
		return i + 2;
	while (i < s.size && memchr("<>=-+*/%^&|~!,", s.data[i], 14))
		i++;
	return i;
}

/* Text that may follow the arguments. */
static bool ends_arguments(struct slice rest)
{
	return !rest.size || fl_slice_starts(rest, " at ") ||
	       fl_slice_starts(rest, " from ");
}

/*
 * The offset of the '(' of the arguments: after a blank, not nested, with only
 * the source after its ')'.  s.size if not found.
 */
static size_t find_arguments(struct slice s, bool *whole)
{
	size_t candidate = s.size, i = 0, end;
	unsigned tried = 0;
	long depth = 0;

	*whole = true;
	while (i < s.size) {
		char c = s.data[i];
		size_t skipped = skip_operator(s, i);

		if (skipped != i) {
			i = skipped;
		} else if (c == '(' && i && s.data[i - 1] == ' ' &&
			   depth <= 0 && tried++ < MAX_BRACKETS) {
			end = skip_brackets(s, i, true);
			if (end != SIZE_MAX &&
			    ends_arguments(fl_slice_from(s, end)))
				return i;
			if (candidate == s.size || end == SIZE_MAX)
				candidate = i;
			i = skip_brackets(s, i, false);
		} else if (c == '(') {
			i = skip_brackets(s, i, false);
		} else {
			depth += c == '<' || c == '{' || c == '[';
			depth -= (c == '>' && i && s.data[i - 1] != '-') ||
				 c == '}' || c == ']';
			i++;
		}
	}
	*whole = false;
	return candidate;
}

/* " at file.c:3", " from /lib/x.so". */
static void split_source(struct slice s, struct parts *parts)
{
	if (fl_slice_starts(s, " from ")) {
		parts->module = fl_slice_trim(fl_slice_from(s, 6));
		return;
	}
	if (!fl_slice_starts(s, " at "))
		return;
	s = fl_slice_trim(fl_slice_from(s, 4));
	for (size_t i = s.size; i-- > 1;)
		if (s.data[i] == ':') {
			if (fl_parse_int(fl_slice_from(s, i + 1), &parts->line))
				s.size = i;
			break;
		}
	parts->file = s;
}

/* The rest after "0x7f0123 in ", if it begins so. */
static struct slice skip_address(struct slice s, bool *address)
{
	struct slice rest = s, word = fl_slice_split(&rest, ' ');

	*address = (fl_slice_starts(word, "0x") ||
		    fl_slice_is(word, "<unavailable>")) &&
		   fl_slice_starts(rest, "in ");
	return *address ? fl_slice_from(rest, 3) : s;
}

static void split_frame(struct slice s, struct parts *parts)
{
	size_t open, end;

	memset(parts, 0, sizeof(*parts));
	parts->name = s = skip_address(s, &parts->address);
	if (fl_slice_starts(s, "<signal handler called>")) {
		parts->name.size = sizeof("<signal handler called>") - 1;
		parts->whole = parts->handler = true;
		parts->address = true;	/* has none, and inlines nothing */
		return;
	}
	open = find_arguments(s, &parts->whole);
	parts->name.size = open;
	parts->name = fl_slice_trim(parts->name);
	if (parts->whole) {
		end = skip_brackets(s, open, true);
		split_source(fl_slice_from(s, end), parts);
	}
}

/* "file.c:3:7", of which the last number is a column. */
static void split_place(struct slice s, struct parts *parts)
{
	int64_t number;

	for (size_t i = s.size, n = 0; i-- > 1 && n < 2;)
		if (s.data[i] == ':') {
			if (!fl_parse_int(fl_slice_from(s, i + 1), &number))
				break;
			parts->line = number;
			s.size = i;
			n++;
		}
	parts->file = s;
}

/* "0x7f01 f - /lib/x.so", "0x7f01 f (x.so + 0x12)", and a line of its place. */
static void split_bare(struct slice s, struct parts *parts)
{
	struct slice place = s, rest, word;
	bool offset;

	memset(parts, 0, sizeof(*parts));
	s = fl_slice_split(&place, '\n');
	rest = s;
	word = fl_slice_split(&rest, ' ');
	parts->address = fl_slice_starts(word, "0x");
	parts->whole = true;
	if (parts->address)
		s = rest;
	offset = fl_slice_has(s, " + 0x");
	for (size_t i = s.size; i-- > 0;) {
		rest = fl_slice_from(s, i);
		if (fl_slice_starts(rest, " - ")) {
			parts->module = fl_slice_from(rest, 3);
			s.size = i;
			break;
		}
		if (offset && fl_slice_starts(rest, " (")) {
			parts->module = fl_slice_from(rest, 2);
			parts->module.size = find(parts->module, " + 0x");
			s.size = i;
			break;
		}
	}
	parts->name = fl_slice_trim(s);
	if (!parts->name.size || fl_slice_is(parts->name, "n/a"))
		parts->name = FL_SLICE("??");
	if (place.size)
		split_place(place, parts);
}

/* The pending frame joins the trace. */
static void end_frame(struct reader *r)
{
	struct slice text = { r->pending.data, r->pending.size };
	const struct options *options = r->base.options;
	struct fl_trace *trace = &r->base.trace;
	struct parts parts;

	if (!r->pending.size)
		return;
	if (r->bare)
		split_bare(text, &parts);
	else
		split_frame(text, &parts);
	r->pending.size = 0;
	r->whole = parts.whole && parts.name.size;
	if (!r->whole)
		fl_lines_bad(&r->base.lines, text);
	/* A signal interrupts code at any address, also at a line's first. */
	if (!parts.address && trace->count && !r->handler)
		trace->frames[trace->count - 1].type = FLAME_INLINED;
	r->handler = parts.handler;
	fl_backtrace_add(&r->base, &(struct fl_backtrace_frame){
		.name = parts.name, .file = parts.file,
		.module = parts.module, .line = parts.line,
		.nameless = fl_slice_is(parts.name, "??") &&
			    fl_slice_base(parts.module).size,
		.type = FLAME_NATIVE, .show_file = options->srcline,
		.show_line = options->lines,
	});
}

/* Stacks -------------------------------------------------------------- */

/* Functions that nothing calls: below them a stack cannot go on. */
static const char *const roots[] = {
	"main", "_start", "clone", "clone3", "__clone", "__clone3",
	"__GI___clone", "__GI___clone3", "thread_start", "runtime.goexit",
	"ret_from_fork", "RtlUserThreadStart", NULL
};

static void forget(struct reader *r)
{
	r->pending.size = r->base.trace.count = 0;
	r->open = r->closed = r->settled = r->position = false;
}

static void end_stack(struct reader *r)
{
	bool open = r->open;

	end_frame(r);
	/* "thread 2" prints where that thread stopped; a backtrace follows. */
	if (open && r->base.trace.count &&
	    (!r->position || r->base.trace.count != 1))
		fl_backtrace_sample(&r->base);
	forget(r);
}

/* Lines --------------------------------------------------------------- */

static flame_id number_behind(struct reader *r, struct slice s,
			      const char *word)
{
	struct slice number = fl_slice_from(s, find(s, word));

	if (!number.size)
		return 0;
	number = fl_slice_from(number, strlen(word));
	for (size_t i = 0; i < number.size; i++)
		if (number.data[i] < '0' || number.data[i] > '9')
			number.size = i;
	return flame_name(r->base.flame, number.data, number.size);
}

/*
 * "Thread 2 (Thread 0x7f01 (LWP 42) "comm"):", "Thread 1 (process 42):",
 * "Thread 0x7f01 (LWP 42)", and the same within "[Switching to thread ".
 */
static void read_thread(struct reader *r, struct slice s)
{
	size_t quote = find(s, "\""), last = s.size;

	memset(&r->base.keys, 0, sizeof(r->base.keys));
	r->base.keys.tid = number_behind(r, s, "(LWP ");
	r->base.keys.pid = number_behind(r, s, "process ");
	/* The only thread of a process is not named apart. */
	if (!r->base.keys.tid)
		r->base.keys.tid = r->base.keys.pid;
	while (last > quote && s.data[last - 1] != '"')
		last--;
	if (last > quote + 1)
		r->base.keys.comm = flame_name(
			r->base.flame, s.data + quote + 1, last - quote - 2);
}

/* "Thread 2 (", "Thread 0x7f01 (": not "Thread 2 hit Breakpoint 1". */
static bool is_thread(struct slice s)
{
	struct slice word;

	if (!fl_slice_starts(s, "Thread "))
		return false;
	s = fl_slice_from(s, 7);
	word = fl_slice_split(&s, ' ');
	return (fl_slice_digits(word) || fl_slice_starts(word, "0x")) &&
	       fl_slice_starts(s, "(");
}

/* "TID 42:", "Stack trace of thread 42:". */
static bool is_bare_thread(struct slice s, struct slice *number)
{
	s = fl_slice_trim(s);
	if (fl_slice_starts(s, "TID "))
		s = fl_slice_from(s, 4);
	else if (fl_slice_starts(s, "Stack trace of thread "))
		s = fl_slice_from(s, 22);
	else
		return false;
	*number = fl_slice_split(&s, ':');
	return !s.size && fl_slice_digits(*number);
}

/* "#12 ", and what follows. */
static bool split_number(struct slice *s, int64_t *number)
{
	struct slice rest = *s, word = fl_slice_split(&rest, ' ');

	if (word.size < 2 || word.data[0] != '#' ||
	    !fl_parse_int(fl_slice_from(word, 1), number) || *number < 0)
		return false;
	rest = fl_slice_trim(rest);
	if (!rest.size)
		return false;
	*s = rest;
	return true;
}

static struct slice skip_prompts(struct slice s)
{
	while (fl_slice_starts(s, "(gdb) "))
		s = fl_slice_from(s, 6);
	return s;
}

/* gdb breaks long lines before " (", " at " and within arguments. */
static bool continues(struct reader *r, struct slice s)
{
	struct slice text = fl_slice_trim(s);
	struct parts parts;

	if (!r->pending.size || !fl_slice_starts(s, "    ") ||
	    r->broken == MAX_LINES ||
	    r->pending.size + text.size > MAX_FRAME_TEXT)
		return false;
	if (r->bare) {
		if (r->broken++)
			return false;
		fl_buf_byte(&r->pending, '\n');
		fl_buf_put(&r->pending, text.data, text.size);
		return true;
	}
	split_frame((struct slice){ r->pending.data, r->pending.size }, &parts);
	if (parts.whole && (parts.file.size || parts.module.size ||
			    !(fl_slice_starts(text, "at ") ||
			      fl_slice_starts(text, "from "))))
		return false;
	r->broken++;
	fl_buf_byte(&r->pending, ' ');
	fl_buf_put(&r->pending, text.data, text.size);
	return true;
}

static void accept_other(struct reader *r, struct slice s)
{
	if (continues(r, s))
		return;
	end_frame(r);
	/* The beginning of a line may have been a frame's. */
	if (!r->base.lines.ended && s.size)
		return;
	/* Variables of bt full. */
	if ((s.size && (s.data[0] == ' ' || s.data[0] == '\t')) ||
	    fl_slice_starts(s, "No locals") ||
	    fl_slice_starts(s, "No symbol table"))
		return;
	if (r->open && fl_slice_starts(s, "(More stack frames follow"))
		r->limited++;
	r->settled = true;
	r->closed |= !s.size;
}

/* A frame: of the stack that is open, or the first of another. */
static void begin_frame(struct reader *r, struct slice s, int64_t number)
{
	if (number == 0) {
		end_stack(r);
		r->open = true;
		r->position = r->switched;
		r->switched = false;
	} else {
		end_frame(r);
		/* "frame 3" prints a single frame. */
		if (!r->open || r->closed ||
		    (uint64_t)number != r->number + 1) {
			r->base.outside++;
			return;
		}
	}
	r->settled = false;
	r->number = number;
	r->pending.size = r->broken = 0;
	fl_buf_put(&r->pending, s.data, FL_MIN(s.size, (size_t)MAX_FRAME_TEXT));
}

static void accept_line(struct fl_line_reader *base, struct slice s)
{
	struct reader *r = (struct reader *)base;
	static const char switching[] = "[Switching to thread ";
	bool prompt = fl_slice_starts(s, "(gdb)");
	struct slice tid;
	int64_t number;

	if (is_bare_thread(s, &tid)) {
		end_stack(r);
		memset(&r->base.keys, 0, sizeof(r->base.keys));
		r->base.keys.tid = flame_name(r->base.flame, tid.data,
					      tid.size);
		r->bare = true;
		r->switched = false;
		return;
	}
	if (r->bare && fl_slice_starts(fl_slice_trim(s), "#"))
		s = fl_slice_trim(s);
	s = skip_prompts(s);
	if (fl_slice_starts(s, switching)) {
		size_t close = find(s, ")]");

		end_stack(r);
		r->bare = false;
		read_thread(r, s);
		r->switched = true;
		s = fl_slice_from(s, FL_MIN(close + 2, s.size));
		if (split_number(&s, &number))
			begin_frame(r, s, number);
		return;
	}
	if (is_thread(s)) {
		end_stack(r);
		r->bare = false;
		read_thread(r, s);
		r->switched = false;
		return;
	}
	if (split_number(&s, &number)) {
		begin_frame(r, s, number);
		return;
	}
	accept_other(r, s);
	r->closed |= prompt;
}

/* The last stack, unless it may have been cut. */
static void last_stack(struct reader *r)
{
	if (!r->open)
		return;
	end_frame(r);
	if (r->settled ||
	    (r->whole && fl_backtrace_is_whole(&r->base, roots))) {
		end_stack(r);
		return;
	}
	fl_backtrace_cut(&r->base);
	forget(r);
}

static int at_end(struct reader *r)
{
	if (r->limited)
		fl_remark(r->base.flame, "%s: %" PRIu64 " backtraces were "
			  "limited: they do not begin at their roots",
			  fl_in_name(r->base.source->in), r->limited);
	return fl_backtrace_end(&r->base);
}

/* The row ------------------------------------------------------------- */

static int read(struct flame_source *source)
{
	struct reader *r = source->state;
	int status = fl_line_reader_read(&r->base, accept_line);

	if (r->pending.failed)
		return fl_no_memory(source->flame);
	if (status != FLAME_END)
		return status;
	last_stack(r);
	return source->batch.n ? FLAME_OK : at_end(r);
}

static void release(void *state)
{
	struct reader *r = state;

	fl_buf_free(&r->pending);
	fl_line_reader_free(&r->base);
}

/* "#0  0x7f01 in f (", "#0  f (...) at file.c:3", "#1  <signal handler". */
static int frame_bits(struct slice s)
{
	struct parts parts;
	int64_t number;

	if (!split_number(&s, &number) || s.size > 4096)
		return 0;
	split_frame(s, &parts);
	if (parts.address)
		return 20;
	return parts.whole && (parts.file.size || parts.module.size) ? 16 : 0;
}

/* Bytes that gdb may print before the first backtrace. */
enum { MAX_PREAMBLE = 1 << 18 };

static int probe(const uint8_t *head, size_t n, bool whole)
{
	struct slice rest = { (const char *)head, n };
	bool thread = false, text = false, bare = false;
	struct slice number;

	if (n && memchr(head, '\0', n))
		return 0;
	while (rest.size) {
		bool ended = memchr(rest.data, '\n', rest.size) != NULL;
		struct slice s = skip_prompts(fl_slice_split(&rest, '\n'));
		int bits = frame_bits(s);

		if (!ended && !whole)
			break;
		if (bare && fl_slice_starts(fl_slice_trim(s), "#0 "))
			return 24;
		bare = is_bare_thread(s, &number);
		if (bits)
			return thread ? 24 : bits;
		thread |= is_thread(s) && (find(s, "(LWP ") < s.size ||
					   find(s, "(process ") < s.size);
		text |= fl_slice_starts(s, "[New ") ||
			fl_slice_starts(s, "Reading symbols") ||
			fl_slice_starts(s, "GNU gdb");
	}
	if (thread)
		return whole ? 12 : -1;
	return text && !whole && n < MAX_PREAMBLE ? -1 : 0;
}

static const struct fl_option rows[] = {
	FL_OPTION_ROW_LINES(struct options),
	FL_OPTION_ROW_SRCLINE(struct options),
	{ .name = NULL }
};

static const struct fl_option_table option_table = {
	.rows = rows, .size = sizeof(struct options),
};

const struct fl_format fl_format_gdb = {
	.name = "gdb",
	.summary = "backtraces of gdb, pstack, eu-stack, coredumpctl",
	.probe = probe,
	.state_size = sizeof(struct reader),
	.open = fl_line_reader_open,
	.read = read,
	.release = release,
	.options = &option_table,
};
