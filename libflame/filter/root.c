/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Re-rooting: a stack begins at the frame that matches; stacks without one
 * are dropped.  Where classify has put a category below, that stays below.
 */
#include "fl.h"

#include "filter/filter.h"

/* What the new root stands on: the category's stack, or 0. */
static flame_id base_of(struct flame_sink *sink, flame_id stack)
{
	struct flame *flame = sink->flame;
	flame_id bottom = stack, parent;

	while ((parent = fl_parent(flame, bottom)))
		bottom = parent;
	return bottom != stack &&
	       fl_is_category(flame, fl_frame_id(flame, bottom)) ? bottom : 0;
}

static flame_id outermost(struct flame_sink *sink, flame_id parent,
			  flame_id stack)
{
	struct flame *flame = sink->flame;

	if (!parent && !fl_top_matches(sink, stack))
		return 0;
	if (!parent)
		parent = base_of(sink, stack);
	return flame_stack(flame, parent, fl_frame_id(flame, stack));
}

static flame_id innermost(struct flame_sink *sink, flame_id parent,
			  flame_id stack)
{
	struct flame *flame = sink->flame;

	if (fl_top_matches(sink, stack))
		parent = base_of(sink, stack);
	else if (!parent)
		return 0;
	return flame_stack(flame, parent, fl_frame_id(flame, stack));
}

static int put(struct flame_sink *sink, const struct flame_sample *sample)
{
	struct fl_stepper *stepper = sink->state;
	struct flame_sample s = *sample;

	s.stack = fl_rewrite(sink, &stepper->memo, s.stack, stepper->step);
	return s.stack ? fl_put(sink->next, &s) : FLAME_OK;
}

static struct flame_sink *make(struct flame_sink *next, const char *option,
			       const char *list, fl_step *step)
{
	struct flame_sink *sink = fl_pattern_filter(next, option, list, false,
						    step);

	if (sink)
		sink->put = put;
	return sink;
}

static struct flame_sink *make_root(struct flame_sink *next, const char *list)
{
	return make(next, "root", list, outermost);
}

static struct flame_sink *make_innermost(struct flame_sink *next,
					 const char *list)
{
	return make(next, "root-innermost", list, innermost);
}

const struct fl_filter fl_filter_root = {
	.name = "root", .argument = "RE",
	.summary = "begin at the outermost frame that matches",
	.make = make_root, .rank = 40, .joins = true,
};

const struct fl_filter fl_filter_root_innermost = {
	.name = "root-innermost", .argument = "RE",
	.summary = "begin at the innermost frame that matches",
	.make = make_innermost, .rank = 41, .joins = true,
};
