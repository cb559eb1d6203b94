/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads what tools of bcc print unless asked for folded stacks, leaf first.  A
 * stack is a sample of the metric cpu, off-cpu or samples; memleak's are
 * samples of leaked (bytes) and of allocations.
 *
 *	profile, offcputime			stackcount -P
 *	    vfs_read				  submit_bio
 *	    main				  [unknown]
 *	    -                dd (25036)		    tar [15069]
 *	        4				    5
 *
 *	memleak
 *	[11:16:34] Top 2 stacks with outstanding allocations:
 *		160 bytes in 10 allocations from stack
 *			main+0x6d [allocs]
 *
 * A report of memleak is of all that is not freed by then: the last one counts.
 */
#include "fl.h"

#include "format/format.h"

#include <inttypes.h>

enum tool { NONE, PROFILE, OFFCPU, STACKCOUNT, MEMLEAK };

struct leak {
	int64_t bytes, count;
	flame_id stack;
};

struct reader {
	struct fl_line_reader base;
	enum tool tool;
	struct leak *leaks, leak;	/* leak: whose stack is read */
	size_t nleaks, capacity;
	uint64_t reports;
	bool in_leak, cut, ended;
};

static enum tool tool_of(struct slice line)
{
	if (fl_slice_ends(line, "Hit Ctrl-C to end.")) {
		if (fl_slice_starts(line, "Sampling at "))
			return PROFILE;
		if (fl_slice_starts(line, "Tracing off-CPU time (us) of "))
			return OFFCPU;
		if (fl_slice_starts(line, "Tracing ") &&
		    fl_slice_has(line, " functions for \""))
			return STACKCOUNT;
	}
	return fl_slice_ends(line, " stacks with outstanding allocations:") &&
	       fl_slice_starts(line, "[") ? MEMLEAK : NONE;
}

/* With 0x, or eight digits and more. */
static bool is_address(struct slice word)
{
	size_t digits = word.size;

	if (fl_slice_starts(word, "0x"))
		word = fl_slice_from(word, 2);
	else if (digits < 8)
		return false;
	for (size_t i = 0; i < word.size; i++)
		if (!fl_is_hex(word.data[i]))
			return false;
	return word.size > 0;
}

/* "0x7f12 main+0x6d [allocs]", most parts of which may be missing. */
static void add_frame(struct reader *r, struct slice text)
{
	struct fl_backtrace_frame frame = { .type = FLAME_UNKNOWN };
	struct slice rest = text, word;
	const char *at;
	uint64_t n;

	word = fl_slice_split(&rest, ' ');
	rest = fl_slice_trim(rest);
	if (rest.size && is_address(word))
		text = rest;
	if (fl_slice_ends(text, "]") && text.data[0] != '[') {
		at = memrchr(text.data, '[', text.size);
		if (at && at > text.data && at[-1] == ' ') {
			frame.module = fl_slice_from(text,
					    (size_t)(at + 1 - text.data));
			frame.module.size--;
			text.size = (size_t)(at - text.data);
			text = fl_slice_trim(text);
		}
	}
	at = memrchr(text.data, '+', text.size);
	if (at && at > text.data &&
	    fl_parse_hex(fl_slice_from(text, (size_t)(at + 1 - text.data)), &n))
		text.size = (size_t)(at - text.data);
	frame.name = text;
	fl_backtrace_add(&r->base, &frame);
}

/* Stacks with a count -------------------------------------------------- */

/* "-                dd (25036)", "tar [15069]" */
static bool take_process(struct reader *r, struct slice text, size_t indent)
{
	char open = r->tool == STACKCOUNT ? '[' : '(';
	char close = r->tool == STACKCOUNT ? ']' : ')';
	const char *at = memrchr(text.data, open, text.size);
	struct fl_keys *keys = &r->base.keys;
	struct slice pid;

	if (r->tool == STACKCOUNT ? indent != 4 :
				    !fl_slice_starts(text, "- "))
		return false;
	if (!at || at == text.data || text.data[text.size - 1] != close)
		return false;
	pid = fl_slice_from(text, (size_t)(at + 1 - text.data));
	pid.size--;
	text.size = (size_t)(at - text.data);
	if (r->tool != STACKCOUNT)
		text = fl_slice_from(text, 1);
	text = fl_slice_trim(text);
	for (size_t i = 0; i < pid.size; i++)
		if (!fl_is_digit(pid.data[i]))
			return false;
	keys->comm = flame_name(r->base.flame, text.data, text.size);
	keys->pid = flame_name(r->base.flame, pid.data, pid.size);
	return true;
}

static void give_count(struct reader *r, int64_t n)
{
	struct fl_line_reader *base = &r->base;
	struct flame *flame = base->flame;
	flame_id stack = fl_trace_stack(flame, fl_keys_stack(flame,
							     &base->keys),
					&base->trace);
	flame_id thread = fl_keys_thread(flame, &base->keys);

	if (r->tool == OFFCPU)
		fl_line_reader_sample(base, "off-cpu", "ns",
				      fl_mul_clamped(n, 1000), stack, thread);
	else
		fl_line_reader_sample(base, r->tool == PROFILE ? "cpu" :
				      "samples", "samples", n, stack, thread);
	base->trace.count = 0;
	base->keys = (struct fl_keys){ 0 };
}

static void take_stack_line(struct reader *r, struct slice line)
{
	size_t indent = fl_indent(line);
	struct slice text = fl_slice_trim(line);
	int64_t n;

	if (!text.size || !indent) {
		r->base.outside += r->base.trace.count;
		r->base.trace.count = 0;
		r->base.keys = (struct fl_keys){ 0 };
	} else if (r->base.trace.count &&
		   indent >= (r->tool == STACKCOUNT ? 4u : 8u) &&
		   fl_parse_digits(text, &n)) {
		if (r->base.lines.ended)
			give_count(r, n);
	} else if (!take_process(r, text, indent)) {
		add_frame(r, text);
	}
}

/* memleak --------------------------------------------------------------- */

/* "160 bytes in 10 allocations from stack" */
static bool parse_leak(struct slice text, struct leak *leak)
{
	struct slice word;

	*leak = (struct leak){ 0 };
	return fl_slice_ends(text, " allocations from stack") &&
	       fl_dump_word(&text, &word) &&
	       fl_parse_digits(word, &leak->bytes) &&
	       fl_slice_starts(text, " bytes in ") &&
	       fl_dump_word(&text, &word) && fl_dump_word(&text, &word) &&
	       fl_dump_word(&text, &word) &&
	       fl_parse_digits(word, &leak->count);
}

static void end_leak(struct reader *r)
{
	if (!r->in_leak)
		return;
	r->in_leak = false;
	r->leak.stack = fl_trace_stack(r->base.flame, 0, &r->base.trace);
	if (!fl_grow(&r->leaks, &r->capacity, r->nleaks + 1,
		     sizeof(*r->leaks)))
		fl_no_memory(r->base.flame);
	else
		r->leaks[r->nleaks++] = r->leak;
}

static void take_leak_line(struct reader *r, struct slice line)
{
	struct slice text = fl_slice_trim(line);
	struct leak leak;

	if (parse_leak(text, &leak)) {
		end_leak(r);
		r->leak = leak;
		r->base.trace.count = 0;
		r->in_leak = true;
	} else if (!text.size || text.data == line.data) {
		end_leak(r);
	} else if (r->in_leak) {
		r->cut = !r->base.lines.ended;
		add_frame(r, text);
	}
}

static void give_leaks(struct reader *r)
{
	struct flame *flame = r->base.flame;
	flame_id bytes, count;

	if (r->in_leak && (r->cut || !r->base.trace.count))
		fl_backtrace_cut(&r->base);
	else
		end_leak(r);
	if (!r->nleaks)
		return;
	bytes = flame_metric(flame, "leaked", "bytes");
	count = flame_metric(flame, "allocations", "count");
	for (size_t i = 0; i < r->nleaks && !fl_failed(flame); i++) {
		struct flame_sample s = {
			.stack = r->leaks[i].stack, .metric = bytes,
			.weight = r->leaks[i].bytes, .time = FLAME_NOTIME,
		};

		r->base.lines.good++;
		fl_emit(r->base.source, &s, 1);
		s.metric = count;
		s.weight = r->leaks[i].count;
		fl_emit(r->base.source, &s, 1);
	}
	if (r->reports > 1)
		fl_remark(flame, "%s: %" PRIu64 " reports, each of all that "
			  "was not freed by then: the last one counts",
			  fl_in_name(r->base.source->in), r->reports);
	r->nleaks = 0;
	r->reports = 0;
}

/* The row of formats.def ------------------------------------------------ */

static void accept_line(struct fl_line_reader *base, struct slice line)
{
	struct reader *r = (struct reader *)base;
	enum tool tool = line.size && line.data[0] != ' ' &&
			 line.data[0] != '\t' ? tool_of(line) : NONE;

	if (r->tool == MEMLEAK && fl_slice_starts(line, "Attaching to ")) {
		/* Another run of memleak. */
		give_leaks(r);
		r->tool = NONE;
	} else if (tool) {
		end_leak(r);
		r->tool = tool;
		r->reports += tool == MEMLEAK;
		r->nleaks = 0;
		base->trace.count = 0;
		if (tool != MEMLEAK)
			base->metric = 0;
	} else if (r->tool == MEMLEAK) {
		take_leak_line(r, line);
	} else if (r->tool) {
		take_stack_line(r, line);
	}
}

static void release(void *state)
{
	struct reader *r = state;

	fl_free(r->leaks);
	fl_line_reader_free(&r->base);
}

static int read(struct flame_source *source)
{
	struct reader *r = source->state;
	int status = fl_line_reader_read(&r->base, accept_line);

	if (status != FLAME_END)
		return status;
	if (!r->ended) {
		r->ended = true;
		if (r->tool == MEMLEAK)
			give_leaks(r);
		else if (r->base.trace.count)
			fl_backtrace_cut(&r->base);
		if (source->batch.n)
			return FLAME_OK;
	}
	return fl_backtrace_end(&r->base);
}

static bool begins(struct slice line)
{
	return tool_of(line) != NONE;
}

static int probe(const uint8_t *head, size_t n, bool whole)
{
	return fl_dump_probe(head, n, whole, begins, FL_FORMAT_CERTAIN);
}

const struct fl_format fl_format_bcc = {
	.name = "bcc",
	.summary = "profile, offcputime, stackcount, memleak of bcc",
	.probe = probe,
	.state_size = sizeof(struct reader),
	.open = fl_line_reader_open,
	.read = read,
	.release = release,
};
