/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Format massif: reads heap profiles of valgrind's massif and returns the bytes
 * at the peak.  A profile has snapshots, some of them with a tree of what was
 * allocated where, the callers below:
 *
 *	heap_tree=peak
 *	n2: 6832 (heap allocation functions) malloc/new/new[], ...
 *	 n1: 6288 0x1091A2: leak (burn.c:6)
 *	  n0: 6288 0x1091F1: main (burn.c:8)
 *	 n0: 544 in 3 places, all below massif's threshold (1.00%)
 *
 * Snapshots hold the same bytes again: only that of the peak is read.
 */
#include "fl.h"

#include "format/outline/outline.h"
#include "native/frame.h"

#include <inttypes.h>

struct reader {
	struct fl_outline outline;
	bool in_tree;
	uint64_t peaks, others;
};

static bool is_place(struct slice s)
{
	return fl_slice_starts(s, "0x");
}

/* "0x1091A2: leak (burn.c:6)", "0x10: f (in /usr/lib/x.so)", "0x10: ???" */
static flame_id frame_of(struct reader *r, struct slice s)
{
	struct flame *flame = r->outline.base.flame;
	struct flame_frame frame = { .type = FLAME_NATIVE };
	struct slice address = fl_slice_split(&s, ':'), place = { "", 0 }, text;
	const char *at = NULL;
	int64_t line;

	s = fl_slice_trim(s);
	for (size_t i = s.size; i-- && fl_slice_ends(s, ")") && !at;)
		if (i && s.data[i] == '(' && s.data[i - 1] == ' ')
			at = s.data + i;
	if (at) {
		place = (struct slice){ at + 1, s.size -
			(size_t)(at - s.data) - 2 };
		s.size = (size_t)(at - s.data) - 1;
	}
	if (fl_slice_starts(place, "in ")) {
		place = fl_slice_base(fl_slice_from(place, 3));
	} else {
		text = place;
		place = fl_slice_split(&text, ':');
		if (fl_parse_digits(text, &line) && line <= INT32_MAX)
			frame.line = (uint32_t)line;
	}
	if (!s.size || fl_slice_is(s, "???"))
		s = address;
	frame.name = flame_name(flame, s.data, s.size);
	if (place.size)
		frame.file = flame_name(flame, place.data, place.size);
	return flame_frame(flame, &frame);
}

/* "n1: 6288 0x1091A2: leak (burn.c:6)" */
static bool take_node(struct reader *r, struct slice line)
{
	struct slice s = fl_slice_trim(line), number;
	int64_t bytes;
	flame_id frame = 0;

	if (!s.size || s.data[0] != 'n' || !memchr(s.data, ':', s.size))
		return false;
	number = fl_slice_split(&s, ':');
	if (!fl_slice_digits(fl_slice_from(number, 1)))
		return false;
	s = fl_slice_trim(s);
	number = fl_slice_split(&s, ' ');
	if (!fl_parse_digits(number, &bytes))
		return false;
	if (is_place(s))
		frame = frame_of(r, s);
	else if (fl_slice_starts(s, "in "))
		frame = fl_outline_frame(&r->outline,
					 FL_SLICE("[below the threshold]"),
					 FL_SLICE(""), FLAME_GROUP);
	fl_outline_add(&r->outline, fl_indent(line), frame, &bytes);
	return true;
}

static void accept_line(struct fl_line_reader *base, struct slice line)
{
	struct reader *r = (struct reader *)base;
	struct fl_outline *o = &r->outline;

	if (fl_slice_starts(line, "heap_tree=")) {
		r->in_tree = fl_slice_is(line, "heap_tree=peak");
		r->peaks += r->in_tree;
		r->others += fl_slice_is(line, "heap_tree=detailed");
		o->metric[0] = flame_metric(base->flame, "peak", "bytes");
		o->nvalues = 1;
	} else if (fl_slice_starts(line, "#")) {
		fl_outline_end(o);
		r->in_tree = false;
	} else if (r->in_tree && (!base->lines.ended || !take_node(r, line))) {
		fl_lines_bad(&base->lines, line);
	}
}

/* The row of formats.def ------------------------------------------------ */

static int open_massif(struct flame_source *source)
{
	struct reader *r = source->state;

	r->outline.bottom_up = true;
	return fl_line_reader_open(source);
}

static int read(struct flame_source *source)
{
	struct reader *r = source->state;
	int status = fl_outline_read_nodes(&r->outline, accept_line);

	if (status != FLAME_END)
		return status;
	if (r->others)
		fl_remark(r->outline.base.flame, "%s: the peak is read%s, and "
			  "%" PRIu64 " other trees of the heap are not",
			  fl_in_name(source->in),
			  r->peaks ? "" : " (there is none)", r->others);
	r->others = 0;
	return fl_lines_end(source, &r->outline.base.lines);
}

static int probe(const uint8_t *head, size_t n, bool whole)
{
	struct slice text = { (const char *)head, n };

	(void)whole;
	return fl_slice_starts(text, "desc: ") &&
	       fl_slice_has(text, "\ntime_unit: ") ? 48 : 0;
}

const struct fl_format fl_format_massif = {
	.name = "massif",
	.summary = "heap profiles of massif: what there was at the peak",
	.probe = probe,
	.state_size = sizeof(struct reader),
	.open = open_massif,
	.read = read,
	.release = fl_outline_free,
};
