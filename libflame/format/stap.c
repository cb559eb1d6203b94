/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Backtraces of SystemTap (print_backtrace, print_ubacktrace), leaf first,
 * each followed by a count:
 *
 *	 0xffffffff8103ce3b : native_safe_halt+0xb/0x10 [kernel]
 *	 0xffffffff8101c6a3 : default_idle+0x53/0x1d0 [kernel]
 *		2404
 */
#include "fl.h"

#include "format/format.h"
#include "native/frame.h"

#include <inttypes.h>

struct reader {
	struct fl_line_reader base;
};

/* " 0xADDRESS : name+0x1/0x2 [module]"; the rest is after the colon. */
static bool take_address(struct slice *s, struct slice *address)
{
	struct slice colon;
	uint64_t n;

	return fl_slice_first_word(s, address) && fl_parse_hex(*address, &n) &&
	       fl_slice_first_word(s, &colon) && fl_slice_is(colon, ":");
}

static bool is_kernel(struct slice address, struct slice module)
{
	uint64_t n = 0;

	fl_parse_hex(address, &n);
	return n >> 63 || fl_slice_is(module, "kernel");
}

static bool take_frame(struct reader *r, struct slice s)
{
	struct flame *flame = r->base.flame;
	struct flame_frame frame = { .line = 0 };
	struct slice address, module = { "", 0 };
	const char *bracket;

	if (!take_address(&s, &address))
		return false;
	s = fl_slice_trim(s);
	bracket = fl_slice_ends(s, "]") ? fl_slice_find(s, "[") : NULL;
	if (bracket) {
		module = (struct slice){ bracket + 1, s.size -
			(size_t)(bracket - s.data) - 2 };
		s = fl_slice_trim_end((struct slice){ s.data,
			(size_t)(bracket - s.data) });
	}
	/* The offset, then the size of the function. */
	while (memchr(s.data, '+', s.size) && memchr(s.data, '/', s.size) &&
	       s.data[s.size - 1] != '/')
		s.size--;
	if (fl_slice_ends(s, "/"))
		s.size--;
	s = fl_no_offset(s, false);
	if (!s.size)
		s = address;
	frame.name = flame_name(flame, s.data, s.size);
	frame.type = is_kernel(address, module) ? FLAME_KERNEL : FLAME_NATIVE;
	module = fl_slice_base(module);
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
	/* A number that a cut has left might have more digits. */
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

/* " 0x... : name+0x" or " 0x... : 0x", or "[module]" after it. */
static int probe(const uint8_t *head, size_t n, bool whole)
{
	struct slice text = { (const char *)head, n }, s, address;

	(void)whole;
	do
		s = fl_slice_trim(fl_slice_split(&text, '\n'));
	while (!s.size && text.size);
	return take_address(&s, &address) &&
	       (fl_slice_has(s, "+0x") || fl_slice_starts(s, "0x") ||
		fl_slice_ends(s, "]")) ? 40 : 0;
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
