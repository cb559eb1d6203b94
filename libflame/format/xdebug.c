/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads function traces of Xdebug for PHP, as computers read them
 * (trace_format=1): a line where a function is entered, and one where it is
 * left.
 *
 *	Version: 3.2.0
 *	File format: 4
 *	TRACE START [2026-11-21 01:38:01.726067]
 *	LEVEL NUMBER 0 SECONDS BYTES NAME USER ...
 *	LEVEL NUMBER 1 SECONDS BYTES
 *
 * with tabs between.  Out come samples of time (ns): a function weighs the time
 * in which it is innermost.
 */
#include "fl.h"

#include "format/format.h"

#include <inttypes.h>

struct call {
	int64_t level;
	flame_id stack;
};

struct reader {
	struct fl_line_reader base;
	struct call *calls;	/* that are open */
	size_t count, capacity;
	int64_t now;		/* ns, of the last line */
	bool begun, left_open;
};

/* Functions that are open at the end were not timed further. */
static void begin_trace(struct reader *r)
{
	r->left_open |= r->count > 0;
	r->count = 0;
	r->begun = true;
	r->now = 0;
}

static void advance(struct reader *r, int64_t now)
{
	int64_t weight = r->count && now > r->now ? now - r->now : 0;

	r->now = FL_MAX(r->now, now);
	if (weight)
		fl_line_reader_sample(&r->base, "time", "ns", weight,
				      r->calls[r->count - 1].stack, 0);
}

static void enter(struct reader *r, int64_t level, struct slice name,
		  bool own)
{
	struct flame *flame = r->base.flame;
	flame_id stack, frame;

	while (r->count && r->calls[r->count - 1].level >= level)
		r->count--;
	stack = r->count ? r->calls[r->count - 1].stack : 0;
	/* PHP's own functions are written in C. */
	frame = fl_frame(flame, flame_name(flame, name.data, name.size),
			 own ? FLAME_INTERPRETED : FLAME_NATIVE);
	stack = flame_stack(flame, stack, frame);
	if (!fl_grow(&r->calls, &r->capacity, r->count + 1,
		     sizeof(*r->calls)))
		fl_no_memory(flame);
	else
		r->calls[r->count++] = (struct call){ level, stack };
}

/* false: it is none. */
static bool take_record(struct reader *r, struct slice line)
{
	struct slice s = line, level, number, kind, time, name = { "", 0 };
	int64_t n, now;

	if (!fl_slice_field(&s, &level) || !fl_slice_field(&s, &number) ||
	    !fl_slice_field(&s, &kind) || !fl_parse_digits(level, &n))
		return false;
	/* Values: returned, and assigned. */
	if (fl_slice_is(kind, "R") || fl_slice_is(kind, "A"))
		return true;
	if (!fl_slice_field(&s, &time) || !fl_parse_decimal(time, 9, &now))
		return false;
	fl_slice_split(&s, '\t');
	if (fl_slice_is(kind, "0")) {
		name = fl_slice_split(&s, '\t');
		/* A cut might have left a part of the name. */
		if (!name.size || !r->base.lines.ended)
			return false;
	}
	advance(r, now);
	if (fl_slice_is(kind, "0"))
		enter(r, n, name, fl_slice_starts(s, "1"));
	else if (fl_slice_is(kind, "1"))
		while (r->count && r->calls[r->count - 1].level >= n)
			r->count--;
	return true;
}

static void accept_line(struct fl_line_reader *base, struct slice line)
{
	struct reader *r = (struct reader *)base;
	struct slice s = line;
	int64_t now;

	if (fl_slice_starts(line, "TRACE START")) {
		begin_trace(r);
		return;
	}
	/* A trace that was appended to an unfinished one has a header, too. */
	if (!r->begun || !fl_slice_trim(line).size ||
	    fl_slice_starts(line, "Version: ") ||
	    fl_slice_starts(line, "File format: "))
		return;
	if (fl_slice_starts(line, "TRACE END")) {
		r->begun = false;
		r->left_open |= r->count > 0;
		r->count = 0;
		return;
	}
	/* The last line has its time and memory alone. */
	if (line.data[0] == '\t') {
		s = fl_slice_trim(line);
		s = fl_slice_split(&s, '\t');
		if (base->lines.ended && fl_parse_decimal(s, 9, &now))
			advance(r, now);
		r->count = 0;
	} else if (!take_record(r, line)) {
		fl_lines_bad(&base->lines, line);
	}
}

/* The row of formats.def ------------------------------------------------ */

static void release(void *state)
{
	struct reader *r = state;

	fl_free(r->calls);
	fl_line_reader_free(&r->base);
}

static int read(struct flame_source *source)
{
	struct reader *r = source->state;
	int status = fl_line_reader_read(&r->base, accept_line);

	if (status != FLAME_END)
		return status;
	status = fl_lines_end(source, &r->base.lines);
	if (r->count || r->left_open) {
		fl_remark(r->base.flame, "%s: the trace ends while functions "
			  "are open: they weigh their time until then",
			  fl_in_name(source->in));
		r->count = 0;
		r->left_open = false;
	}
	return status;
}

static int probe(const uint8_t *head, size_t n, bool whole)
{
	struct slice text = { (const char *)head, n };
	struct slice line = fl_slice_split(&text, '\n');

	(void)whole;
	return fl_slice_starts(line, "Version: ") &&
	       fl_slice_starts(text, "File format: ") ? 56 : 0;
}

const struct fl_format fl_format_xdebug = {
	.name = "xdebug",
	.summary = "function traces of Xdebug for PHP",
	.probe = probe,
	.state_size = sizeof(struct reader),
	.open = fl_line_reader_open,
	.read = read,
	.release = release,
};
