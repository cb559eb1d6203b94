/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Shortens stacks by number: --skip removes frames at the root, --depth at the
 * leaves.  The frame of a thread counts as one.
 */
#include "fl.h"

#include "filter/filter.h"

#include <stdlib.h>

struct skip {
	struct fl_stepper stepper;
	int64_t limit;
	struct fl_rewrite levels;	/* by stack: its number of frames */
	flame_id skipped;		/* stack for stacks too short */
};

/* The parent's level must be known. */
static int64_t level(struct flame_sink *sink, flame_id stack)
{
	struct skip *skip = sink->state;
	flame_id parent = fl_parent(sink->flame, stack);
	flame_id *place = fl_rewrite_slot(sink->flame, &skip->levels, stack);

	if (!place)
		return 0;
	*place = parent ? skip->levels.out[parent] + 1 : 1;
	return *place;
}

static flame_id skip_step(struct flame_sink *sink, flame_id parent,
			  flame_id stack)
{
	struct flame *flame = sink->flame;
	struct skip *skip = sink->state;

	if (level(sink, stack) <= skip->limit)
		return 0;
	return flame_stack(flame, parent, fl_frame_id(flame, stack));
}

static flame_id depth_step(struct flame_sink *sink, flame_id parent,
			   flame_id stack)
{
	struct flame *flame = sink->flame;
	struct skip *skip = sink->state;

	if (level(sink, stack) > skip->limit)
		return parent;
	return flame_stack(flame, parent, fl_frame_id(flame, stack));
}

/* Stacks that are too short become "[skipped]". */
static int put_skip(struct flame_sink *sink, const struct flame_sample *sample)
{
	struct skip *skip = sink->state;
	struct flame_sample s = *sample;

	s.stack = fl_rewrite(sink, &skip->stepper.memo, s.stack, skip_step);
	if (!s.stack && sample->stack)
		s.stack = skip->skipped;
	return fl_put(sink->next, &s);
}

static void release(struct flame_sink *sink)
{
	struct skip *skip = sink->state;

	fl_rewrite_free(&skip->levels);
	fl_stepper_free(sink);
}

static struct flame_sink *make(struct flame_sink *next, const char *option,
			       const char *arg, fl_step *step)
{
	int64_t limit = fl_filter_count(next->flame, option, arg);
	struct flame_sink *sink;

	if (limit < 0)
		return NULL;
	sink = fl_stepper_new(next, sizeof(struct skip), step);
	if (!sink)
		return NULL;
	((struct skip *)sink->state)->limit = limit;
	sink->free = release;
	return sink;
}

static struct flame_sink *make_skip_compat(struct flame_sink *next,
					   const char *arg)
{
	return make(next, "skip", arg, skip_step);
}

static struct flame_sink *make_skip(struct flame_sink *next, const char *arg)
{
	struct flame_sink *sink = make(next, "skip", arg, skip_step);
	struct skip *skip;
	flame_id frame;

	if (!sink)
		return NULL;
	skip = sink->state;
	frame = fl_frame(next->flame, fl_name(next->flame, "[skipped]"),
			 FLAME_GROUP);
	skip->skipped = flame_stack(next->flame, 0, frame);
	sink->put = put_skip;
	return sink;
}

static struct flame_sink *make_depth(struct flame_sink *next, const char *arg)
{
	struct flame_sink *sink = make(next, "depth", arg, depth_step);

	if (sink)
		sink->no_stacks = !((struct skip *)sink->state)->limit;
	return sink;
}

const struct fl_filter fl_filter_skip = {
	.name = "skip", .argument = "N",
	.summary = "without the N frames next to the root",
	.make = make_skip, .rank = 60,
};

const struct fl_filter fl_filter_skip_compat = {
	.name = "skip-compat", .argument = "N",
	.summary = "as skip; stacks that are too short become empty",
	.make = make_skip_compat, .rank = 60, .compat = true,
};

const struct fl_filter fl_filter_depth = {
	.name = "depth", .argument = "N",
	.summary = "only the N frames next to the root",
	.make = make_depth, .rank = 70,
	.often = true, .idempotent = true,
};
