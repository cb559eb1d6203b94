/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Several lines down the stacks that there are.  One line alone would wait
 * at each frame for memory that only the one before leads to: so they take
 * turns, and where one would have to wait, the next goes on.
 *
 * The child that came right behind its parent is near, and mostly it is the
 * one: its name is compared with the text.  To find another one the text
 * has to be a frame first.
 */
#include "fl.h"

#include "base/block.h"
#include "format/folded/folded.h"

struct walk {
	struct fl_folded_line *line;
	size_t at, end;		/* of the next frame's text */
	flame_id stack;		/* where it is */
	flame_id frame, child;	/* the next, where it may be */
	uint64_t hash;
	uint32_t slot;
	enum { AT_STACK, AT_CHILD, AT_SLOT, AT_INDEXED } where;
};

/* false: there is no more. */
static bool go_down(struct walk *w, const struct fl_stacks *stacks,
		    flame_id child, size_t end)
{
	struct fl_folded_line *l = w->line;
	struct fl_folded_frame *frame;

	if (fl_unlikely(l->n == l->frames_room) &&
	    !fl_grow(&l->frames, &l->frames_room, l->n + 1,
		     sizeof(*l->frames)))
		return false;
	frame = &l->frames[l->n++];
	frame->end = frame->seen = end;
	frame->frame = stacks->at[child].frame;
	frame->stack = w->stack = child;
	w->at = end + 1;
	w->where = AT_STACK;
	return w->at < l->size;
}

static size_t piece_end(const struct fl_folded_line *l, size_t from)
{
	for (size_t at = from; at < l->size; at += FL_FOLDED_BEHIND) {
		uint64_t semis = fl_block_is4(l->text + at, ';');

		if (semis)
			return FL_MIN(at + (size_t)__builtin_ctzll(semis),
				      l->size);
	}
	return l->size;
}

/* false: it is no frame that is near. */
static bool cut_frame(const struct fl_folded_stacks *s, struct walk *w)
{
	const struct fl_folded_line *l = w->line;
	struct fl_folded_frame frame;
	const char *text;
	size_t size;

	while (w->at < l->size && l->text[w->at] == ';')
		w->at++;
	w->end = piece_end(l, w->at);
	text = l->text + w->at;
	size = w->end - w->at;
	if (!size)
		return false;
	fl_folded_set_frame(&frame, text, size);
	w->frame = fl_folded_near(s, &frame, text, size);
	if (!w->frame)
		fl_name_soon(s->flame, frame.hash);
	return w->frame;
}

/* false, here and below: it is at its end. */
static bool leave(const struct fl_folded_stacks *s, struct walk *w)
{
	const struct fl_stacks *stacks = &s->flame->stacks;
	const struct fl_stack *at = stacks->at + w->stack;

	while (w->stack + 1 < stacks->n && at[1].parent == w->stack) {
		size_t end = fl_folded_spells(s, w->line, w->at, at[1].frame);

		if (!end)
			break;
		if (!go_down(w, stacks, w->stack + 1, end))
			return false;
		at++;
	}
	if (!at->child || !cut_frame(s, w))
		return false;
	if (at->wide) {
		w->hash = fl_mix(w->stack, w->frame);
		w->slot = fl_index_first(&stacks->index, w->hash);
		w->where = AT_SLOT;
		fl_soon(&stacks->index.slot[w->slot]);
		return true;
	}
	w->where = AT_CHILD;
	w->child = at->child;
	fl_soon(stacks->at + w->child);
	return true;
}

/* As far as it goes without waiting. */
static bool walk_on(const struct fl_folded_stacks *s, struct walk *w)
{
	const struct fl_stacks *stacks = &s->flame->stacks;
	const struct fl_stack *child = stacks->at + w->child;

	switch (w->where) {
	case AT_CHILD:
		if (child->frame == w->frame)
			break;
		w->child = child->sibling;
		fl_soon(stacks->at + w->child);
		return w->child;
	case AT_INDEXED:
		if (child->frame == w->frame && child->parent == w->stack)
			break;
		/* fall through */
	case AT_SLOT:
		w->child = fl_index_at(&stacks->index, w->hash, &w->slot);
		w->where = AT_INDEXED;
		fl_soon(stacks->at + w->child);
		return w->child;
	case AT_STACK:
		return leave(s, w);
	}
	return go_down(w, stacks, w->child, w->end) && leave(s, w);
}

void fl_folded_walk(struct fl_folded_stacks *s)
{
	struct walk walks[FL_FOLDED_TAKEN];
	unsigned n = 0;

	for (unsigned i = s->done; i < s->ntaken; i++)
		if (s->taken[i].line->size)
			walks[n++] = (struct walk){
				.line = s->taken[i].line
			};
	while (n)
		for (unsigned i = 0; i < n;) {
			if (walk_on(s, &walks[i]))
				i++;
			else
				walks[i] = walks[--n];
		}
}
