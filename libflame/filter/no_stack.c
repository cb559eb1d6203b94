/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The filter no-stack puts the frame [no stack] on samples without frames:
 * folded text cannot show an empty stack, and a picture has no box for it.
 * Tools add it after all filters that may remove frames, before "key" only
 * (tools/cli/cli.c).
 */
#include "fl.h"

#include "filter/filter.h"

static int put(struct flame_sink *sink, const struct flame_sample *sample)
{
	flame_id *stack = sink->state;
	struct flame_sample s = *sample;

	if (fl_likely(s.stack))
		return fl_put(sink->next, sample);
	if (!*stack)
		*stack = flame_stack(sink->flame, 0,
				     fl_frame(sink->flame,
					      fl_name(sink->flame,
						      "[no stack]"),
					      FLAME_GROUP));
	s.stack = *stack;
	return *stack ? fl_put(sink->next, &s) : FLAME_FAILED;
}

static struct flame_sink *make(struct flame_sink *next, const char *arg)
{
	struct flame_sink *sink = fl_sink_new(next->flame, next,
					      sizeof(flame_id));

	(void)arg;
	if (sink) {
		sink->put = put;
		sink->light = next->light ? fl_light_of_next : NULL;
		sink->expect = next->expect ? fl_expect_of_next : NULL;
		sink->whole = fl_whole_of_next;
	}
	return sink;
}

const struct fl_filter fl_filter_no_stack = {
	.name = "no-stack", .summary = "a frame for samples without any",
	.make = make, .rank = 95, .compat = true,
	.unchanged = true,
};
