/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Shortens stacks by name: --cut ends them at a frame, --hide removes frames,
 * --collapse-recursion joins a frame with the same frame that it calls.
 */
#include "fl.h"

#include "filter/filter.h"

static flame_id add(struct flame_sink *sink, flame_id parent, flame_id stack)
{
	return flame_stack(sink->flame, parent,
			   fl_frame_id(sink->flame, stack));
}

/* A stack that ends in a match gets no more frames. */
static flame_id cut(struct flame_sink *sink, flame_id parent, flame_id stack)
{
	if (parent && fl_top_matches(sink, parent))
		return parent;
	return add(sink, parent, stack);
}

static flame_id hide(struct flame_sink *sink, flame_id parent, flame_id stack)
{
	if (fl_top_matches(sink, stack))
		return parent;
	return add(sink, parent, stack);
}

/* Compares names only: type and line may differ. */
static flame_id collapse(struct flame_sink *sink, flame_id parent,
			 flame_id stack)
{
	struct flame *flame = sink->flame;

	if (parent && fl_frame_at(flame, parent)->name ==
		      fl_frame_at(flame, stack)->name)
		return parent;
	return add(sink, parent, stack);
}

static struct flame_sink *make_cut(struct flame_sink *next, const char *list)
{
	return fl_pattern_filter(next, "cut", list, false, cut);
}

static struct flame_sink *make_hide(struct flame_sink *next, const char *list)
{
	return fl_pattern_filter(next, "hide", list, false, hide);
}

static struct flame_sink *make_collapse(struct flame_sink *next,
					const char *arg)
{
	(void)arg;
	return fl_stepper_new(next, sizeof(struct fl_stepper), collapse);
}

const struct fl_filter fl_filter_cut = {
	.name = "cut", .argument = "RE",
	.summary = "end at the outermost frame that matches",
	.make = make_cut, .rank = 42, .joins = true,
	.often = true, .idempotent = true,
};

const struct fl_filter fl_filter_hide = {
	.name = "hide", .argument = "RE",
	.summary = "remove frames that match from their stacks",
	.make = make_hide, .rank = 43, .joins = true,
	.often = true, .idempotent = true,
};

const struct fl_filter fl_filter_collapse_recursion = {
	.name = "collapse-recursion",
	.summary = "one frame for a function that calls itself",
	.make = make_collapse, .rank = 44,
	.idempotent = true,
};
