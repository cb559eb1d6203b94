/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads what perf trace --call-graph prints: a system call or an event, then
 * its stack, leaf first.  Each is a sample of the metric syscalls, which weighs
 * 1, or with --total its time.  The call is the leaf, of the kernel.
 *
 *	 1.694 ( 0.085 ms): sleep/3577 brk()             = 0x55e5ad922000
 *	                                   __brk (inlined)
 *	                                   main (/usr/bin/sleep)
 *	     ? (         ): sleep/3577  ... [continued]: execve()) = 0
 */
#include "fl.h"

#include "format/format.h"

#include <inttypes.h>

enum { MIN_INDENT = 20 };	/* of frames */

struct reader {
	struct fl_line_reader base;
	struct fl_buf call;	/* whose stack is read; empty: none */
	int64_t ns;		/* its duration */
	flame_id thread;
	uint64_t no_stack;
};

/* "0.085" ms; "?" is not known. */
static bool parse_ms(struct slice word, int64_t *ns)
{
	struct slice whole = word, part;
	int64_t ms, n = 0, unit = 1000000;

	part = whole;
	whole = fl_slice_split(&part, '.');
	if (!fl_parse_digits(whole, &ms) || part.size > 6)
		return false;
	if (part.size && !fl_parse_digits(part, &n))
		return false;
	for (size_t i = 0; i < part.size; i++)
		unit /= 10;
	*ns = fl_add_clamped(fl_mul_clamped(ms, 1000000), n * unit);
	return true;
}

struct call {
	struct slice name, comm;
	int64_t tid, ns;	/* -1: not known */
};

/* "sleep/3577 brk(...": comm and thread may be missing. */
static bool read_name(struct slice text, struct call *call)
{
	static const char continued[] = "... [continued]: ";
	const char *at = fl_slice_find(text, continued), *slash;
	const char *open = memchr(text.data, '(', text.size);
	struct slice head = text, word;

	if (at)
		open = memchr(at, '(', (size_t)(text.data + text.size - at));
	if (!open || open == text.data)
		return false;
	head.size = (size_t)(open - text.data);
	call->name = head;
	if (fl_slice_last_word(&head, &word))
		call->name = word;
	else
		head.size = 0;
	if (!call->name.size)
		return false;
	if (at)
		head.size = (size_t)(at - text.data);
	head = fl_slice_trim(head);
	slash = head.size ? memrchr(head.data, '/', head.size) : NULL;
	if (slash && fl_parse_digits(fl_slice_from(head, (size_t)(slash + 1 -
							 head.data)),
				     &call->tid))
		call->comm = (struct slice){ head.data,
					     (size_t)(slash - head.data) };
	return true;
}

/* The line of a call or an event. */
static bool read_call(struct slice line, struct call *call)
{
	size_t indent = fl_indent(line);
	struct slice rest = fl_slice_from(line, indent), word, duration;
	int64_t at;

	*call = (struct call){ .tid = -1, .ns = -1 };
	if (indent >= MIN_INDENT || !fl_dump_word(&rest, &word) ||
	    (!fl_slice_is(word, "?") &&
	     (!parse_ms(word, &at) || !memchr(word.data, '.', word.size))))
		return false;
	rest = fl_slice_trim(rest);
	if (fl_slice_starts(rest, "(")) {
		duration = fl_slice_from(fl_slice_split(&rest, ')'), 1);
		duration = fl_slice_trim(duration);
		if (fl_slice_ends(duration, " ms"))
			duration.size -= 3;
		if (!fl_slice_starts(rest, ": ") ||
		    (duration.size &&
		     !parse_ms(fl_slice_trim(duration), &call->ns)))
			return false;
		rest = fl_slice_trim(fl_slice_from(rest, 2));
	}
	return read_name(rest, call);
}

/* The bracket that the last one closes, "f (/opt/x (1)/app)"; or NULL. */
static const char *find_module(struct slice text)
{
	const char *at = text.data + text.size;
	size_t open = 0;

	if (!fl_slice_ends(text, ")"))
		return NULL;
	while (at > text.data + 1) {
		at--;
		open += *at == ')' ? 1 : *at == '(' ? SIZE_MAX : 0;
		if (!open)
			return at[-1] == ' ' ? at : NULL;
	}
	return NULL;
}

static void add_frame(struct reader *r, struct slice text)
{
	struct fl_backtrace_frame frame = { .type = FLAME_NATIVE };
	const char *open = find_module(text);

	if (open) {
		frame.module = (struct slice){ open + 1, (size_t)(text.data +
						text.size - open) - 2 };
		text.size = (size_t)(open - text.data) - 1;
	}
	if (fl_slice_is(frame.module, "inlined")) {
		frame.type = FLAME_INLINED;
		frame.module.size = 0;
	} else if (fl_slice_starts(frame.module, "[k") ||
		   fl_slice_ends(frame.module, ".ko")) {
		frame.type = FLAME_KERNEL;
	}
	frame.name = text;
	if (fl_slice_starts(text, "[0x") && frame.module.size) {
		frame.nameless = frame.module.data[0] != '[';
		frame.name = frame.module;
	}
	fl_backtrace_add(&r->base, &frame);
}

static void end_call(struct reader *r)
{
	const struct fl_total_options *options = r->base.options;
	struct flame *flame = r->base.flame;
	flame_id stack;
	int64_t weight = options->total ? FL_MAX(r->ns, 0) : 1;

	if (r->call.size && r->base.trace.count && weight) {
		stack = fl_trace_stack(flame, 0, &r->base.trace);
		stack = flame_stack(flame, stack,
				    fl_frame(flame, flame_name(flame,
						r->call.data, r->call.size),
					     FLAME_KERNEL));
		fl_line_reader_sample(&r->base, "syscalls",
				      options->total ? "ns" : "samples",
				      weight, stack, r->thread);
	}
	r->no_stack += r->call.size && !r->base.trace.count;
	r->base.trace.count = 0;
	r->call.size = 0;
}

static void accept_line(struct fl_line_reader *base, struct slice line)
{
	struct reader *r = (struct reader *)base;
	struct call call;

	if (read_call(line, &call)) {
		end_call(r);
		fl_buf_put(&r->call, call.name.data, call.name.size);
		base->buf.failed |= r->call.failed;
		r->ns = call.ns;
		r->thread = call.tid < 0 ? 0 :
			    fl_thread(base->flame, call.comm, call.tid);
	} else if (r->call.size && fl_indent(line) >= MIN_INDENT) {
		line = fl_slice_trim(line);
		if (line.size && base->lines.ended)
			add_frame(r, line);
	} else {
		end_call(r);
	}
}

/* The row of formats.def ------------------------------------------------ */

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
	if (r->base.trace.count) {
		if (r->base.lines.ended && !fl_in_damage(source->in)) {
			end_call(r);
			return FLAME_OK;
		}
		fl_backtrace_cut(&r->base);
		r->base.trace.count = 0;
		r->call.size = 0;
	}
	end_call(r);
	if (r->no_stack)
		fl_remark(source->flame, "%s: %" PRIu64 " calls without a "
			  "stack left out", fl_in_name(source->in),
			  r->no_stack);
	r->no_stack = 0;
	return fl_backtrace_end(&r->base);
}

/* A call, followed by its first frame. */
static int probe(const uint8_t *head, size_t n, bool whole)
{
	struct slice rest = { (const char *)head, n }, line;
	struct call call;
	bool before = false;

	for (unsigned i = 0; rest.size && i < 64; i++) {
		if (!whole && !memchr(rest.data, '\n', rest.size))
			break;
		line = fl_slice_trim_end(fl_slice_split(&rest, '\n'));
		if (before && fl_indent(line) >= MIN_INDENT &&
		    line.data[line.size - 1] == ')')
			return 40;
		before = read_call(line, &call);
	}
	return whole || n >= 1 << 16 ? 0 : -1;
}

const struct fl_format fl_format_perf_trace = {
	.name = "perf-trace",
	.summary = "what perf trace --call-graph prints",
	.probe = probe,
	.state_size = sizeof(struct reader),
	.open = fl_line_reader_open,
	.read = read,
	.release = release,
	.options = &fl_total_option_table,
};
