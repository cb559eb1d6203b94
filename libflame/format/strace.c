/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads what strace -k prints: a system call, then its stack, leaf first.  Each
 * call is a sample of the metric syscalls.  The call is the leaf, of the
 * kernel.
 *
 *	[pid 41] 10:00:01.5 read(3, "x"..., 99) = 49 <0.000036>
 *	 > /usr/lib/libc.so.6(read+0x4d) [0xf8c4d]
 *	 > /usr/bin/app(main+0x11) [0x1051]
 *	[pid 42] <... close resumed>) = 0
 *	 > ...
 *	--- SIGCHLD {si_signo=SIGCHLD, ...} ---
 *	+++ exited with 0 +++
 *
 * The stack of a call that does not return comes after the exit.
 */
#include "fl.h"

#include "format/format.h"

struct reader {
	struct fl_line_reader base;
	struct fl_buf call;	/* whose stack is read; empty: none */
	int64_t pid;		/* -1: not known */
	bool open;		/* the stack has a frame */
};

/* Digits with : and . between, and the blanks after them. */
static bool cut_number(struct slice *s, int64_t *n)
{
	size_t i = 0, digits = 0;

	while (i < s->size && (fl_is_digit(s->data[i]) ||
			       s->data[i] == ':' || s->data[i] == '.'))
		digits += fl_is_digit(s->data[i++]) ? 1 : 0;
	if (!digits || i == s->size || s->data[i] != ' ')
		return false;
	if (!fl_parse_digits((struct slice){ s->data, i }, n))
		*n = -1;
	*s = fl_slice_from(*s, i);
	*s = fl_slice_from(*s, fl_indent(*s));
	return true;
}

/* "[pid 41] ", or "41 " of an output file, then a time. */
static void cut_prefix(struct slice *line, int64_t *pid)
{
	int64_t n;

	*pid = -1;
	*line = fl_slice_from(*line, fl_indent(*line));
	if (fl_slice_starts(*line, "[pid ")) {
		struct slice id;

		*line = fl_slice_from(*line, 5);
		id = fl_slice_trim(fl_slice_split(line, ']'));
		if (!fl_parse_digits(id, pid))
			*pid = -1;
		*line = fl_slice_from(*line, fl_indent(*line));
	} else if (cut_number(line, &n)) {
		*pid = n;
	}
	while (cut_number(line, &n))
		;
}

static bool is_name(char c)
{
	return fl_is_digit(c) || (c >= 'a' && c <= 'z') ||
	       (c >= 'A' && c <= 'Z') || c == '_';
}

/* The name of a call, or of a signal in brackets; of an exit it is empty. */
static bool parse_call(struct slice line, struct slice *name)
{
	size_t i = 0;

	*name = (struct slice){ line.data, 0 };
	if (fl_slice_starts(line, "+++ "))
		return true;
	if (fl_slice_starts(line, "<... ") || fl_slice_starts(line, "--- "))
		line = fl_slice_from(line, line.data[0] == '<' ? 5 : 4);
	while (i < line.size && is_name(line.data[i]))
		i++;
	*name = (struct slice){ line.data, i };
	return i && i < line.size && (line.data[i] == '(' ||
				      line.data[i] == ' ');
}

/*
 * The bracket that the last one closes: paths and names of C++ have their own,
 * "/opt/x (1)/app(f(int)+0x11)".  NULL: there is none.
 */
static const char *find_name(const char *begin, const char *end)
{
	size_t open = 1;

	while (end > begin) {
		end--;
		open += *end == ')' ? 1 : *end == '(' ? SIZE_MAX : 0;
		if (!open)
			return end;
	}
	return NULL;
}

/* " > /usr/bin/app(main+0x11) [0x1051]", maybe followed by a place. */
static bool parse_frame(struct slice line, struct fl_backtrace_frame *frame)
{
	const char *end, *paren, *plus;

	if (!fl_slice_starts(line, " > "))
		return false;
	line = fl_slice_from(line, 3);
	end = memmem(line.data, line.size, ") [0x", 5);
	*frame = (struct fl_backtrace_frame){ .type = FLAME_NATIVE };
	if (!end) {
		/* "unexpected_backtracing_error [0x7ff]" */
		end = memmem(line.data, line.size, " [0x", 4);
		frame->name = (struct slice){ line.data, end ?
			(size_t)(end - line.data) : line.size };
		return frame->name.size > 0;
	}
	paren = find_name(line.data, end);
	if (!paren)
		return false;
	frame->module = (struct slice){ line.data,
					(size_t)(paren - line.data) };
	frame->name = (struct slice){ paren + 1, (size_t)(end - paren - 1) };
	plus = memrchr(frame->name.data, '+', frame->name.size);
	if (plus)
		frame->name.size = (size_t)(plus - frame->name.data);
	frame->nameless = !frame->name.size;
	return true;
}

static void end_stack(struct reader *r)
{
	struct flame *flame = r->base.flame;
	struct slice call = fl_buf_slice(&r->call);
	flame_id stack, thread = 0;

	if (!r->open)
		return;
	r->open = false;
	stack = fl_trace_stack(flame, 0, &r->base.trace);
	if (call.size)
		stack = flame_stack(flame, stack,
				    fl_frame(flame, flame_name(flame, call.data,
							       call.size),
					     FLAME_KERNEL));
	if (r->pid >= 0)
		thread = fl_thread(flame, (struct slice){ NULL, 0 }, r->pid);
	fl_line_reader_sample(&r->base, "syscalls", "samples", 1, stack,
			      thread);
}

static void accept_line(struct fl_line_reader *base, struct slice line)
{
	struct reader *r = (struct reader *)base;
	struct fl_backtrace_frame frame;
	struct slice name;
	int64_t pid;

	if (parse_frame(line, &frame)) {
		if (!r->open)
			base->trace.count = 0;
		r->open = true;
		fl_backtrace_add(base, &frame);
		return;
	}
	end_stack(r);
	cut_prefix(&line, &pid);
	if (!parse_call(line, &name) || (!name.size && pid == r->pid))
		return;		/* of the program, or the exit of the call */
	r->pid = pid;
	r->call.size = 0;
	fl_buf_put(&r->call, name.data, name.size);
	base->buf.failed |= r->call.failed;
}

/* The row of formats.def ------------------------------------------------ */

static int open_strace(struct flame_source *source)
{
	struct reader *r = source->state;

	r->pid = -1;
	return fl_line_reader_open(source);
}

static void release(void *state)
{
	struct reader *r = state;

	fl_buf_free(&r->call);
	fl_line_reader_free(&r->base);
}

static int read(struct flame_source *source)
{
	struct reader *r = source->state;
	int status = fl_line_reader_read(&r->base, accept_line);

	if (status != FLAME_END)
		return status;
	if (r->open && r->base.lines.ended) {
		end_stack(r);
		return FLAME_OK;
	}
	if (r->open)
		fl_backtrace_cut(&r->base);
	r->open = false;
	return fl_backtrace_end(&r->base);
}

static bool begins(struct slice line)
{
	struct fl_backtrace_frame frame;

	return fl_slice_starts(line, " > ") && fl_slice_has(line, "+0x") &&
	       fl_slice_has(line, ") [0x") && parse_frame(line, &frame);
}

static int probe(const uint8_t *head, size_t n, bool whole)
{
	return fl_dump_probe(head, n, whole, begins, 48);
}

const struct fl_format fl_format_strace = {
	.name = "strace",
	.summary = "what strace -k prints",
	.probe = probe,
	.state_size = sizeof(struct reader),
	.open = open_strace,
	.read = read,
	.release = release,
};
