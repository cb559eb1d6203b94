/* SPDX-License-Identifier: Apache-2.0 */
/*
 * --reverse: turns each stack around, so that its leaf is the root: a graph
 * then shows the callers of heavy functions.  The frame of a thread stays at
 * the root (fl_is_thread_frame), so that threads stay apart.
 */
#include "fl.h"

#include "filter/filter.h"

bool fl_is_thread_frame(const struct flame *flame, flame_id frame)
{
	const struct flame_frame *at = &flame->frames.data[frame];
	struct slice s = fl_name_at(flame, at->name);
	size_t i = s.size;

	if (at->type != FLAME_GROUP && at->type != FLAME_NATIVE &&
	    at->type != FLAME_UNKNOWN)
		return false;
	if (s.size < sizeof("[tid=0]") - 1 || s.data[0] != '[' ||
	    s.data[--i] != ']' ||
	    !(fl_is_digit(s.data[i - 1]) || s.data[i - 1] == '*'))
		return false;
	/* --tidy makes "tid=*" of it. */
	while (fl_is_digit(s.data[i - 1]) || s.data[i - 1] == '*')
		i--;
	s.size = i;
	return fl_slice_is(s, "[tid=") || fl_slice_ends(s, " tid=");
}

static flame_id reverse(struct flame *flame, flame_id stack)
{
	flame_id bottom = stack, parent, out = 0;

	while (bottom && (parent = fl_parent(flame, bottom)))
		bottom = parent;
	if (bottom && fl_is_thread_frame(flame, fl_frame_id(flame, bottom)))
		out = bottom;
	for (parent = out; stack != parent; stack = fl_parent(flame, stack))
		out = flame_stack(flame, out, fl_frame_id(flame, stack));
	return out;
}

static int put(struct flame_sink *sink, const struct flame_sample *sample)
{
	struct fl_stepper *stepper = sink->state;
	struct flame_sample s = *sample;
	flame_id *place = fl_rewrite_slot(sink->flame, &stepper->memo, s.stack);

	if (!place)
		return FLAME_FAILED;
	if (!*place)
		*place = reverse(sink->flame, s.stack) + 1;
	s.stack = *place - 1;
	return fl_put(sink->next, &s);
}

static struct flame_sink *make(struct flame_sink *next, const char *arg)
{
	struct flame_sink *sink = fl_stepper_new(next,
						 sizeof(struct fl_stepper),
						 NULL);

	(void)arg;
	if (sink)
		sink->put = put;
	return sink;
}

const struct fl_filter fl_filter_reverse = {
	.name = "reverse",
	.summary = "leaves first; a thread's frame stays at the root",
	.make = make, .rank = 80,
	.often = true,
};
