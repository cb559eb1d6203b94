/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads backtraces of SystemTap (print_backtrace, print_ubacktrace): the
 * frames, leaf first, then a line with the count, which is the weight of the
 * sample.  A frame without a symbol has no colon in newer versions, and its own
 * address after it in older ones.
 *
 *	 0xffffffff8103ce3b : native_safe_halt+0xb/0x10 [kernel]
 *	 0xffffffff8101c6a3 : default_idle+0x53/0x1d0 [kernel] (inexact)
 *	 0x7f0000001234 [/usr/lib/libx.so+0x1234/0x9000]
 *		2404
 */
#include "fl.h"

#include "format/format.h"
#include "native/frame.h"

#include <inttypes.h>

struct reader {
	struct fl_line_reader base;
};

struct parts {
	struct slice address;	/* "0x7f0000001234" */
	struct slice name;	/* ""; or an address, too */
	struct slice module;	/* a path, or "kernel"; "" */
};

/* Cuts "/0xSIZE" off, then "+0xOFFSET". */
static struct slice cut_offset(struct slice s)
{
	size_t i = s.size;

	while (i && s.data[i - 1] != '/')
		i--;
	if (i && fl_slice_starts((struct slice){ s.data + i, s.size - i },
				 "0x"))
		s.size = i - 1;
	return fl_no_offset(s, false);
}

/* Cuts "[module]" off the end. */
static struct slice cut_module(struct slice *s)
{
	size_t i = s->size;
	struct slice module;

	if (!fl_slice_ends(*s, "]"))
		return FL_SLICE("");
	while (i && s->data[i - 1] != '[')
		i--;
	if (!i)
		return FL_SLICE("");
	module = (struct slice){ s->data + i, s->size - i - 1 };
	*s = fl_slice_trim_end((struct slice){ s->data, i - 1 });
	return cut_offset(module);
}

static bool is_address(struct slice s)
{
	uint64_t n;

	return fl_slice_starts(s, "0x") && fl_parse_hex(s, &n);
}

/* line: without blanks around it. */
static bool parse(struct slice line, struct parts *parts)
{
	static const char inexact[] = " (inexact)";
	struct slice s = line;

	if (fl_slice_ends(s, inexact))
		s.size -= sizeof(inexact) - 1;
	parts->module = cut_module(&s);
	parts->name = FL_SLICE("");
	if (fl_slice_first_word(&s, &parts->address)) {
		if (*s.data != ':')
			return false;
		parts->name = cut_offset(fl_slice_trim((struct slice){
			s.data + 1, s.size - 1 }));
	}
	return is_address(parts->address);
}

static bool is_kernel(const struct parts *parts)
{
	uint64_t n = 0;

	fl_parse_hex(parts->address, &n);
	return n >> 63 || fl_slice_is(parts->module, "kernel");
}

static bool take_frame(struct reader *r, struct slice line)
{
	struct flame *flame = r->base.flame;
	struct flame_frame frame = { .line = 0 };
	struct parts parts;
	struct slice name, module;

	if (!parse(line, &parts))
		return false;
	module = fl_slice_base(parts.module);
	name = parts.name;
	if (!name.size || is_address(name))
		name = module.size ? fl_module_name(&r->base.buf, module) :
				     parts.address;
	frame.name = flame_name(flame, name.data, name.size);
	frame.type = is_kernel(&parts) ? FLAME_KERNEL : FLAME_NATIVE;
	if (module.size)
		frame.file = flame_name(flame, module.data, module.size);
	fl_trace_add(flame, &r->base.trace, &frame);
	return true;
}

static void accept_line(struct fl_line_reader *base, struct slice line)
{
	struct reader *r = (struct reader *)base;
	struct slice s = fl_slice_trim(line);
	flame_id stack;
	int64_t count;

	if (!s.size || take_frame(r, s))
		return;
	/* An unterminated last line may have lost digits of its count. */
	if (!fl_parse_digits(s, &count) || !base->trace.count ||
	    !base->lines.ended) {
		fl_lines_bad(&base->lines, line);
		return;
	}
	stack = fl_trace_stack(base->flame, 0, &base->trace);
	if (count)
		fl_line_reader_sample(base, "samples", "samples", count, stack,
				      0);
	base->trace.count = 0;
}

/* The row of formats.def ------------------------------------------------ */

static int read(struct flame_source *source)
{
	struct fl_line_reader *r = source->state;
	int status = fl_line_reader_read(r, accept_line);

	if (status != FLAME_END)
		return status;
	/* Its own warning follows: no remark on the missing newline. */
	r->lines.reported = r->trace.count > 0;
	status = fl_lines_end(source, &r->lines);
	if (r->trace.count) {
		fl_warn(r->flame, "%s: line %" PRIu64 ": the input ends within "
			"a backtrace of %zu frames, left out",
			fl_in_name(source->in), r->lines.number,
			r->trace.count);
		fl_line_reader_damage(r);
	}
	r->trace.count = 0;
	return status;
}

/* An address alone is also what other tools print. */
static int probe(const uint8_t *head, size_t n, bool whole)
{
	struct slice text = { (const char *)head, n }, s;
	struct parts parts;

	(void)whole;
	do
		s = fl_slice_trim(fl_slice_split(&text, '\n'));
	while (!s.size && text.size);
	return parse(s, &parts) &&
	       (fl_slice_has(s, "+0x") || is_address(parts.name) ||
		(parts.module.size && fl_slice_has(s, " : "))) ? 40 : 0;
}

const struct fl_format fl_format_stap = {
	.name = "stap",
	.summary = "backtraces of SystemTap, with counts",
	.probe = probe,
	.state_size = sizeof(struct reader),
	.open = fl_line_reader_open,
	.read = read,
	.release = fl_line_reader_free,
};
