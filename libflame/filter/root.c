/* SPDX-License-Identifier: Apache-2.0 */
/*
 * --root RE: a stack begins at the outermost frame that matches, with
 * --root-innermost at the innermost; stacks without one are dropped, or stay as
 * they are with --root-keep-rest.  A category of --classify stays at the root.
 *
 * Samples are buffered until the end, when all spellings of the new roots are
 * known: see root_frames.c.
 */
#include "fl.h"

#include "filter/filter.h"

#include <inttypes.h>

struct root {
	struct fl_stepper stepper;
	bool keep_rest;			/* keep stacks without a match */
	struct fl_rewrite tasks;	/* by stack: with its fl_thread_task */
	struct fl_sums sums;
	struct fl_root_frames roots;
	struct fl_rewrite bottoms;	/* by matching stack: its root */
	struct fl_rewrite begun;	/* by stack: 1: is a new root */
	struct fl_rewrite named;	/* by stack: with unified roots */
	int64_t guessed;		/* weight rooted by thread names */
	flame_id task; /* method of the last such sample */
};

/*
 * The parent of a new root: the category's stack, or 0.  Memoized, so that many
 * matches in one deep stack stay cheap.
 */
static flame_id parent_of_root(struct flame_sink *sink, flame_id stack)
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
	place = fl_rewrite_slot(flame, &root->bottoms, stack);
	if (place)
		*place = bottom;
	return bottom != stack &&
	       fl_is_category(flame, fl_frame_id(flame, bottom)) ? bottom : 0;
}

static flame_id begin_root(struct flame_sink *sink, flame_id base,
			   flame_id frame)
{
	struct root *root = sink->state;
	struct flame *flame = sink->flame;
	flame_id stack = flame_stack(flame, base, frame);
	flame_id *place = fl_rewrite_slot(flame, &root->begun, stack);

	if (!place)
		return 0;
	*place = 1;
	fl_root_frames_add(flame, &root->roots, frame);
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
	return begin_root(sink, parent_of_root(sink, stack), frame);
}

static flame_id innermost(struct flame_sink *sink, flame_id parent,
			  flame_id stack)
{
	flame_id frame = fl_frame_id(sink->flame, stack);

	if (fl_top_matches(sink, stack))
		return begin_root(sink, parent_of_root(sink, stack), frame);
	return parent ? flame_stack(sink->flame, parent, frame) : 0;
}

/* Puts the task's method at the root, above the category if there is one. */
static flame_id add_task(struct flame_sink *sink, flame_id parent,
			 flame_id stack)
{
	struct root *root = sink->state;
	struct flame *flame = sink->flame;
	flame_id frame = fl_frame_id(flame, stack);

	if (parent && fl_parent(flame, parent))
		return flame_stack(flame, parent, frame);
	if (parent || !fl_is_category(flame, frame))
		parent = begin_root(sink, parent,
				    fl_frame(flame, root->task, FLAME_UNKNOWN));
	return flame_stack(flame, parent, frame);
}

static flame_id root_by_task(struct flame_sink *sink,
			     const struct flame_sample *s)
{
	struct root *root = sink->state;
	flame_id method = fl_thread_task(sink, s->stack);

	if (!method)
		return 0;
	root->task = method;
	root->guessed += s->weight;
	return fl_rewrite(sink, &root->tasks, s->stack, add_task);
}

static int put(struct flame_sink *sink, const struct flame_sample *sample)
{
	struct root *root = sink->state;
	struct flame_sample s = *sample;

	s.stack = fl_rewrite(sink, &root->stepper.memo, s.stack,
			     root->stepper.step);
	if (!s.stack)
		s.stack = root_by_task(sink, sample);
	if (!s.stack && !root->keep_rest)
		return FLAME_OK;
	if (!s.stack)
		s.stack = sample->stack;
	return fl_sums_add(sink->flame, &root->sums, &s);
}

static flame_id rename_root(struct flame_sink *sink, flame_id parent,
			    flame_id stack)
{
	struct root *root = sink->state;
	struct flame *flame = sink->flame;
	struct flame_frame frame = *fl_frame_at(flame, stack);

	if (stack < root->begun.capacity && root->begun.out[stack])
		fl_root_frames_rename(&root->roots, &frame);
	return flame_stack(flame, parent, fl_frame_as_is(flame, &frame));
}

static int finish(struct flame_sink *sink)
{
	struct root *root = sink->state;
	struct flame *flame = sink->flame;
	int status = fl_root_frames_resolve(flame, &root->roots);

	if (root->guessed)
		fl_remark(flame, "%" PRId64 " of the weight has no frame that "
			  "matches, and counts as %s by its thread's name",
			  root->guessed, fl_name_at(flame, root->task).data);
	for (size_t i = 0; status == FLAME_OK && i < root->sums.count; i++) {
		struct flame_sample s = root->sums.data[i];

		s.stack = fl_rewrite(sink, &root->named, s.stack, rename_root);
		status = fl_put(sink->next, &s);
	}
	return status;
}

static void release(struct flame_sink *sink)
{
	struct root *root = sink->state;

	fl_free((void *)sink->wanted_text);
	fl_rewrite_free(&root->tasks);
	fl_sums_free(&root->sums);
	fl_root_frames_free(&root->roots);
	fl_rewrite_free(&root->bottoms);
	fl_rewrite_free(&root->begun);
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
	sink->buffers = true;
	sink->finish = finish;
	sink->free = release;
	fl_want_text(sink, &((struct root *)sink->state)->stepper.patterns);
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

/* Makes no sink; sets keep_rest in the --root filters that follow. */
static struct flame_sink *make_keep_rest(struct flame_sink *next,
					 const char *arg)
{
	struct flame_sink *sink = next;

	(void)arg;
	for (; sink && sink->put == put; sink = sink->next) {
		((struct root *)sink->state)->keep_rest = true;
		fl_free((void *)sink->wanted_text);
		sink->wanted_text = NULL;
	}
	if (sink != next)
		return next;
	fl_fail(next->flame, "--root-keep-rest needs --root RE");
	return NULL;
}

/* By itself it needs nothing; make sees whether --root is there. */
static int check_nothing(struct flame *flame, const char *arg)
{
	(void)flame;
	(void)arg;
	return FLAME_OK;
}

const struct fl_filter fl_filter_root_keep_rest = {
	.name = "root-keep-rest",
	.summary = "with --root: other stacks stay as they are",
	.make = make_keep_rest, .check = check_nothing, .rank = 39,
};

const struct fl_filter fl_filter_root = {
	.name = "root", .argument = "RE",
	.summary = "begin at the outermost frame that matches",
	.make = make_root, .rank = 40, .joins = true,
	.selects = FLAME_BY_FRAME, .unless = "root-keep-rest", .often = true,
	.idempotent = true,
};

const struct fl_filter fl_filter_root_innermost = {
	.name = "root-innermost", .argument = "RE",
	.summary = "begin at the innermost frame that matches",
	.make = make_innermost, .rank = 41, .joins = true,
	.selects = FLAME_BY_FRAME, .unless = "root-keep-rest",
	.idempotent = true,
};
