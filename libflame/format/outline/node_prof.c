/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Format node-prof: reads what node --prof-process prints into samples of CPU
 * time: the tree after [Bottom up (heavy) profile], in which callers stand
 * below, two blanks a level.
 *
 *	   ticks parent  name
 *	    736   62.0%  JS: *fib /srv/burn.js:1:13
 *	    736  100.0%    JS: *main /srv/burn.js:9:1
 */
#include "fl.h"

#include "format/outline/outline.h"

struct reader {
	struct fl_outline outline;
	bool in_tree;
};

/* "JS: *fib /srv/burn.js:1:13", "/usr/lib/libc.so.6", "UNKNOWN". */
static flame_id frame_of(struct reader *r, struct slice s)
{
	struct flame_frame frame = { .type = FLAME_NATIVE };
	struct flame *flame = r->outline.base.flame;
	const char *colon = fl_slice_find(s, ": ");

	if (!colon || colon == s.data || memchr(s.data, ' ',
						(size_t)(colon - s.data))) {
		frame.name = flame_name(flame, s.data, s.size);
		return flame_frame(flame, &frame);
	}
	s.size -= (size_t)(colon + 2 - s.data);
	s.data = colon + 2;
	return fl_v8_frame(flame, s);
}

static bool take_row(struct reader *r, struct slice line)
{
	struct slice s = fl_slice_trim_end(line), number, share;
	int64_t ticks;

	while (s.size && *s.data == ' ') {
		s.data++;
		s.size--;
	}
	number = fl_slice_split(&s, ' ');
	while (s.size && *s.data == ' ') {
		s.data++;
		s.size--;
	}
	share = fl_slice_split(&s, ' ');
	if (!fl_parse_digits(number, &ticks) || !fl_slice_ends(share, "%") ||
	    fl_indent(s) == s.size)
		return false;
	fl_outline_add(&r->outline, fl_indent(s),
		       frame_of(r, fl_slice_trim(s)), &ticks);
	return true;
}

static void accept_line(struct fl_line_reader *base, struct slice line)
{
	struct reader *r = (struct reader *)base;
	struct slice s = fl_slice_trim(line);

	if (fl_slice_starts(s, "[Bottom up ")) {
		r->in_tree = true;
		r->outline.metric[0] =
			flame_metric(base->flame, "cpu", "samples");
		r->outline.nvalues = 1;
	} else if (fl_slice_starts(line, "Statistical profiling result") ||
		   fl_slice_starts(line, " [")) {
		fl_outline_end(&r->outline);
		r->in_tree = false;
	} else if (r->in_tree && s.size && fl_is_digit(*s.data) &&
		   (!base->lines.ended || !take_row(r, line))) {
		fl_lines_bad(&base->lines, line);
	}
}

/* The row of formats.def ------------------------------------------------ */

static int open_node_prof(struct flame_source *source)
{
	struct reader *r = source->state;

	r->outline.bottom_up = true;
	return fl_line_reader_open(source);
}

static int read(struct flame_source *source)
{
	struct reader *r = source->state;

	return fl_outline_read(&r->outline, accept_line);
}

static int probe(const uint8_t *head, size_t n, bool whole)
{
	struct slice text = { (const char *)head, n };

	(void)whole;
	return fl_slice_starts(text, "Statistical profiling result from ") ?
	       64 : 0;
}

const struct fl_format fl_format_node_prof = {
	.name = "node-prof",
	.summary = "what node --prof-process prints",
	.probe = probe,
	.state_size = sizeof(struct reader),
	.open = open_node_prof,
	.read = read,
	.release = fl_outline_free,
};
