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
	flame_id child;		/* where it may be next */
	uint32_t slot;
	uint64_t hash;
	struct fl_folded_frame next;
	enum { AT_STACK, AT_NEAR, AT_CHILD, AT_SLOT, AT_INDEXED } where;
};

static bool make_room(struct fl_folded_line *l)
{
	return fl_likely(l->n < l->frames_room) ||
	       fl_grow(&l->frames, &l->frames_room, l->n + 1,
		       sizeof(*l->frames));
}

static void go_down(struct walk *w, flame_id child, flame_id frame, size_t end)
{
	struct fl_folded_frame *next = &w->line->frames[w->line->n++];

	next->end = next->seen = end;
	next->frame = frame;
	next->stack = w->stack = child;
	w->at = end + 1;
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

/* false, here and below: it is at its end. */
static bool cut_frame(const struct fl_folded_stacks *s, struct walk *w)
{
	const struct fl_folded_line *l = w->line;

	while (w->at < l->size && l->text[w->at] == ';')
		w->at++;
	w->end = piece_end(l, w->at);
	if (w->end == w->at)
		return false;
	fl_folded_set_frame(&w->next, l->text + w->at, w->end - w->at);
	fl_folded_soon(s, w->next.hash);
	w->where = AT_NEAR;
	return true;
}

/* Down to children that came right behind their parents. */
static bool leave(const struct fl_folded_stacks *s, struct walk *w)
{
	const struct fl_stacks *stacks = &s->flame->stacks;
	const struct fl_stack *at = stacks->data + w->stack;
	size_t end;

	for (; w->stack + 1 < stacks->count && at[1].parent == w->stack; at++) {
		end = fl_folded_spells(s, w->line, w->at, at[1].frame);
		if (!end)
			break;
		if (!make_room(w->line))
			return false;
		go_down(w, w->stack + 1, at[1].frame, end);
		if (w->at >= w->line->size)
			return false;
	}
	return at->child && cut_frame(s, w);
}

/* The text is a frame, if it is near: where may that be? */
static bool look(const struct fl_folded_stacks *s, struct walk *w)
{
	const struct fl_stacks *stacks = &s->flame->stacks;
	const struct fl_stack *at = stacks->data + w->stack;

	w->next.frame = fl_folded_near(s, &w->next, w->line->text + w->at,
				       w->end - w->at);
	if (!w->next.frame || !make_room(w->line))
		return false;
	if (at->wide) {
		w->hash = fl_hash_pair(w->stack, w->next.frame);
		w->slot = fl_index_first(&stacks->index, w->hash);
		w->where = AT_SLOT;
		fl_prefetch(&stacks->index.slot[w->slot]);
		return true;
	}
	w->where = AT_CHILD;
	w->child = at->child;
	fl_prefetch(stacks->data + w->child);
	return true;
}

static inline bool look_in_index(const struct fl_stacks *stacks,
				 struct walk *w)
{
	w->child = fl_index_next(&stacks->index, w->hash, &w->slot);
	w->where = AT_INDEXED;
	fl_prefetch(stacks->data + w->child);
	return w->child;
}

/* As far as it goes without waiting. */
static bool walk_on(const struct fl_folded_stacks *s, struct walk *w)
{
	const struct fl_stacks *stacks = &s->flame->stacks;
	const struct fl_stack *child = stacks->data + w->child;

	switch (w->where) {
	case AT_NEAR:
		return look(s, w);
	case AT_CHILD:
		if (child->frame == w->next.frame)
			break;
		w->child = child->sibling;
		fl_prefetch(stacks->data + w->child);
		return w->child;
	case AT_INDEXED:
		if (child->frame == w->next.frame &&
		    child->parent == w->stack)
			break;
		return look_in_index(stacks, w);
	case AT_SLOT:
		return look_in_index(stacks, w);
	case AT_STACK:
		return leave(s, w);
	}
	go_down(w, w->child, w->next.frame, w->end);
	return w->at < w->line->size && leave(s, w);
}

/* false: the line has no frames. */
static bool begin_walk(struct walk *w, struct fl_folded_line *l)
{
	*w = (struct walk){ .line = l, .where = AT_STACK };
	return l->size;
}

void fl_folded_walk(struct fl_folded_stacks *s)
{
	struct walk walks[FL_FOLDED_TAKEN];
	unsigned n = 0;

	for (unsigned i = s->done; i < s->ntaken; i++)
		n += begin_walk(&walks[n], s->taken[i].line);
	while (n)
		for (unsigned i = 0; i < n;) {
			if (walk_on(s, &walks[i]))
				i++;
			else
				walks[i] = walks[--n];
		}
}
