/* SPDX-License-Identifier: Apache-2.0 */
/*
 * --merge-processes: removes the numbers from py-spy's process and thread
 * frames, so that forked workers of one command share their root frame.
 *
 *	process 7:"python3 w.py"	process "python3 w.py"
 *	thread (140): main		thread: main
 *	thread (0x7F1A): main		thread: main
 */
#include "fl.h"

#include "filter/filter.h"

struct merge {
	struct fl_stepper stepper;
	struct fl_rewrite frames;	/* by frame: the renamed one */
};

/* A number; Python's own thread ids are hexadecimal: "0x7F1A". */
static size_t skip_digits(struct slice name, size_t from)
{
	bool hex = name.size - from > 2 &&
		   memcmp(name.data + from, "0x", 2) == 0;
	size_t i = from + (hex ? 2 : 0);

	while (i < name.size &&
	       (fl_is_digit(name.data[i]) ||
		(hex && memchr("abcdefABCDEF", name.data[i], 12))))
		i++;
	return hex && i == from + 2 ? from : i;
}

/* Splits at a number between `before` and `after`; *rest follows it. */
static bool split(struct slice name, const char *before, const char *after,
		  struct slice *rest)
{
	size_t from = strlen(before), i;

	if (!fl_slice_starts(name, before))
		return false;
	i = skip_digits(name, from);
	*rest = fl_slice_from(name, i);
	if (i == from || !fl_slice_starts(*rest, after))
		return false;
	rest->data++;
	rest->size--;
	return true;
}

static bool is_process(struct slice name)
{
	return fl_slice_starts(name, "process \"");
}

/* Puts the name without its number into buf; false: it has none. */
static bool unnumbered(struct slice name, struct fl_buf *buf)
{
	struct slice rest;

	if (split(name, "process ", ":\"", &rest))
		fl_buf_text(buf, "process ");
	else if (split(name, "thread (", ")", &rest))
		fl_buf_text(buf, "thread");
	else
		return false;
	fl_buf_put(buf, rest.data, rest.size);
	return true;
}

static flame_id renamed(struct flame *flame, flame_id frame)
{
	struct flame_frame copy = flame->frames.data[frame];
	struct fl_buf buf = { 0 };

	if (unnumbered(fl_name_at(flame, copy.name), &buf)) {
		if (buf.failed)
			fl_no_memory(flame);
		else
			copy.name = flame_name(flame, buf.data, buf.size);
	}
	fl_buf_free(&buf);
	return fl_frame_as_is(flame, &copy);
}

static flame_id step(struct flame_sink *sink, flame_id parent, flame_id stack)
{
	struct flame *flame = sink->flame;
	struct merge *merge = sink->state;
	flame_id frame = fl_frame_id(flame, stack);
	flame_id *place = fl_rewrite_slot(flame, &merge->frames, frame);

	if (!place)
		return 0;
	if (!*place)
		*place = renamed(flame, frame) + 1;
	frame = *place - 1;
	/* A process that its parent forked. */
	if (parent && fl_frame_id(flame, parent) == frame &&
	    is_process(fl_name_at(flame, flame->frames.data[frame].name)))
		return parent;
	return flame_stack(flame, parent, frame);
}

static void release(struct flame_sink *sink)
{
	struct merge *merge = sink->state;

	fl_rewrite_free(&merge->frames);
	fl_stepper_free(sink);
}

static struct flame_sink *make(struct flame_sink *next, const char *arg)
{
	struct flame_sink *sink = fl_stepper_new(next, sizeof(struct merge),
						 step);

	(void)arg;
	if (sink)
		sink->free = release;
	return sink;
}

const struct fl_filter fl_filter_merge_processes = {
	.name = "merge-processes",
	.summary = "processes of one command are one (py-spy)",
	.make = make, .rank = 19,
};
