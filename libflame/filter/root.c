/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Re-rooting: a stack begins at the frame that matches; stacks without one
 * are dropped, or stay as they are.  Where classify has put a category
 * below, that stays below.
 *
 * Samples are held until the end, where it is known how many spellings the
 * new roots have: see root_frames.c.
 */
#include "fl.h"

#include "filter/filter.h"

#include <inttypes.h>

struct root {
	struct fl_stepper stepper;
	bool rest;			/* what does not match stays */
	struct fl_rewrite tasks;	/* stacks on their fl_thread_task */
	struct fl_sample_sums hold;
	struct fl_root_frames towers;
	struct fl_rewrite bottoms;	/* out[]: of a stack that matched */
	struct fl_rewrite made;		/* out[]: 1: begins a tower */
	struct fl_rewrite named;
	int64_t guessed;		/* the weight of tasks */
	flame_id task;			/* the last one's method */
};

/*
 * What the new root stands on: the category's stack, or 0.  No way down is
 * gone twice, however many frames of a stack match.
 */
static flame_id base_of(struct flame_sink *sink, flame_id stack)
{
	struct root *root = sink->state;
	const struct fl_rewrite *known = &root->bottoms;
	struct flame *flame = sink->flame;
	flame_id bottom = stack, parent, *place;

	while ((parent = fl_parent(flame, bottom))) {
		bottom = parent;
		if (bottom < known->capacity && known->out[bottom])
			bottom = known->out[bottom];
	}
	place = fl_rewrite_place(flame, &root->bottoms, stack);
	if (place)
		*place = bottom;
	return bottom != stack &&
	       fl_is_category(flame, fl_frame_id(flame, bottom)) ? bottom : 0;
}

static flame_id begin(struct flame_sink *sink, flame_id base, flame_id frame)
{
	struct root *root = sink->state;
	struct flame *flame = sink->flame;
	flame_id stack = flame_stack(flame, base, frame);
	flame_id *place = fl_rewrite_place(flame, &root->made, stack);

	if (!place)
		return 0;
	*place = 1;
	fl_root_frames_add(flame, &root->towers, frame);
	return stack;
}

static flame_id outermost(struct flame_sink *sink, flame_id parent,
			  flame_id stack)
{
	flame_id frame = fl_frame_id(sink->flame, stack);

	if (parent)
		return flame_stack(sink->flame, parent, frame);
	if (!fl_top_matches(sink, stack))
		return 0;
	return begin(sink, base_of(sink, stack), frame);
}

static flame_id innermost(struct flame_sink *sink, flame_id parent,
			  flame_id stack)
{
	flame_id frame = fl_frame_id(sink->flame, stack);

	if (fl_top_matches(sink, stack))
		return begin(sink, base_of(sink, stack), frame);
	return parent ? flame_stack(sink->flame, parent, frame) : 0;
}

/* On a method that it does not name: its lowest frame told of that. */
static flame_id on_task(struct flame_sink *sink, flame_id parent,
			flame_id stack)
{
	struct root *root = sink->state;
	struct flame *flame = sink->flame;
	flame_id frame = fl_frame_id(flame, stack);

	if (parent && fl_parent(flame, parent))
		return flame_stack(flame, parent, frame);
	if (parent || !fl_is_category(flame, frame))
		parent = begin(sink, parent, fl_frame(flame, root->task,
						      FLAME_UNKNOWN));
	return flame_stack(flame, parent, frame);
}

static flame_id task(struct flame_sink *sink, const struct flame_sample *s)
{
	struct root *root = sink->state;
	flame_id method = fl_thread_task(sink, s->stack);

	if (!method)
		return 0;
	root->task = method;
	root->guessed += s->weight;
	return fl_rewrite(sink, &root->tasks, s->stack, on_task);
}

static int put(struct flame_sink *sink, const struct flame_sample *sample)
{
	struct root *root = sink->state;
	struct flame_sample s = *sample;

	s.stack = fl_rewrite(sink, &root->stepper.memo, s.stack,
			     root->stepper.step);
	if (!s.stack)
		s.stack = task(sink, sample);
	if (!s.stack && !root->rest)
		return FLAME_OK;
	if (!s.stack)
		s.stack = sample->stack;
	return fl_sample_sums_add(sink->flame, &root->hold, &s);
}

static flame_id rename_root(struct flame_sink *sink, flame_id parent,
			    flame_id stack)
{
	struct root *root = sink->state;
	struct flame *flame = sink->flame;
	struct flame_frame frame = *fl_frame_at(flame, stack);

	if (stack < root->made.capacity && root->made.out[stack])
		fl_root_frames_rename(&root->towers, &frame);
	return flame_stack(flame, parent, fl_frame_as_is(flame, &frame));
}

static int finish(struct flame_sink *sink)
{
	struct root *root = sink->state;
	struct flame *flame = sink->flame;
	int status = fl_root_frames_resolve(flame, &root->towers);

	if (root->guessed)
		fl_remark(flame, "%" PRId64 " of the weight has no frame that "
			  "matches, and is taken for %s by its thread's name",
			  root->guessed, fl_name_at(flame, root->task).data);
	for (size_t i = 0; status == FLAME_OK && i < root->hold.count; i++) {
		struct flame_sample s = root->hold.samples[i];

		s.stack = fl_rewrite(sink, &root->named, s.stack, rename_root);
		status = fl_put(sink->next, &s);
	}
	return status;
}

static void release(struct flame_sink *sink)
{
	struct root *root = sink->state;

	fl_rewrite_free(&root->tasks);
	fl_sample_sums_free(&root->hold);
	fl_root_frames_free(&root->towers);
	fl_rewrite_free(&root->bottoms);
	fl_rewrite_free(&root->made);
	fl_rewrite_free(&root->named);
	fl_stepper_free(sink);
}

static struct flame_sink *make(struct flame_sink *next, const char *option,
			       const char *list, fl_step *step)
{
	struct fl_patterns patterns = { 0 };
	struct flame_sink *sink;

	if (fl_patterns_parse(next->flame, &patterns, option, list, false) !=
	    FLAME_OK)
		return NULL;
	sink = fl_stepper_new(next, sizeof(struct root), step);
	if (!sink) {
		fl_patterns_free(&patterns);
		return NULL;
	}
	((struct root *)sink->state)->stepper.patterns = patterns;
	sink->put = put;
	sink->finish = finish;
	sink->free = release;
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

/* No sink of its own: what the next ones do with what they do not take. */
static struct flame_sink *make_keep_rest(struct flame_sink *next,
					 const char *arg)
{
	struct flame_sink *sink = next;

	(void)arg;
	for (; sink && sink->put == put; sink = sink->next)
		((struct root *)sink->state)->rest = true;
	if (sink != next)
		return next;
	fl_fail(next->flame, "--root-keep-rest: there is no --root");
	return NULL;
}

const struct fl_filter fl_filter_root_keep_rest = {
	.name = "root-keep-rest",
	.summary = "with --root: other stacks stay as they are",
	.make = make_keep_rest, .rank = 39,
};

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
