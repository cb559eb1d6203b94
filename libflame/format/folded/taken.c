/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The stacks of several lines.  One after the other, each frame would wait
 * for memory that only the one before it leads to.  So first all lines go
 * down the stacks that there are, in turns, and each time one would have to
 * wait, the next goes on; then they are looked up in order, and what is new
 * is entered.
 */
#include "fl.h"

#include "format/folded/folded.h"

/* A line with more frames of the line before goes on from there. */
enum { WALKED = 8 };

bool fl_folded_add(struct fl_folded_stacks *s, size_t shared)
{
	struct fl_folded_taken *t = &s->taken[s->ntaken];
	size_t from = shared > WALKED ? shared : 0;

	*t = (struct fl_folded_taken){
		.first = s->nids, .from = from, .shared = shared, .n = s->n,
		.thread = s->thread
	};
	if (fl_unlikely(s->nids + s->n - from > s->ids_room) &&
	    !fl_grow(&s->ids, &s->ids_room, s->nids + s->n - from,
		     sizeof(*s->ids)))
		return false;
	for (size_t i = from; i < s->n; i++)
		s->ids[s->nids++] = s->frames[i].frame;
	fl_folded_wait(s, from, t->first);
	s->ntaken++;
	return true;
}

/* Down the stacks ------------------------------------------------------- */

struct walk {
	const flame_id *frames;	/* to go down by */
	flame_id *found;	/* the stacks of these */
	size_t left;
	flame_id stack;		/* where it is */
	flame_id child;		/* looked at next */
	uint64_t hash;
	uint32_t slot;
	enum { AT_STACK, AT_CHILD, AT_SLOT, AT_INDEXED } at;
};

static void go_down(struct walk *w, flame_id child)
{
	*w->found++ = w->stack = child;
	w->frames++;
	w->left--;
	w->at = AT_STACK;
}

/* Near is the child that came right behind.  false: there is none. */
static bool leave_stack(struct walk *w, const struct fl_stacks *stacks)
{
	const struct fl_stack *at = stacks->at + w->stack;

	while (w->stack + 1 < stacks->n && at[1].frame == *w->frames &&
	       at[1].parent == w->stack) {
		go_down(w, w->stack + 1);
		if (!w->left)
			return false;
		at++;
	}
	if (at->wide) {
		w->hash = fl_mix(w->stack, *w->frames);
		w->slot = fl_index_first(&stacks->index, w->hash);
		w->at = AT_SLOT;
		fl_soon(&stacks->index.slot[w->slot]);
		return true;
	}
	w->at = AT_CHILD;
	w->child = at->child;
	fl_soon(stacks->at + w->child);
	return w->child;
}

/* As far as it goes without waiting; false: to its end. */
static bool walk_on(struct walk *w, const struct fl_stacks *stacks)
{
	const struct fl_stack *child = stacks->at + w->child;

	switch (w->at) {
	case AT_CHILD:
		if (child->frame == *w->frames)
			break;
		w->child = child->sibling;
		fl_soon(stacks->at + w->child);
		return w->child;
	case AT_INDEXED:
		if (child->frame == *w->frames && child->parent == w->stack)
			break;
		/* fall through */
	case AT_SLOT:
		w->child = fl_index_at(&stacks->index, w->hash, &w->slot);
		w->at = AT_INDEXED;
		fl_soon(stacks->at + w->child);
		return w->child;
	case AT_STACK:
		return leave_stack(w, stacks);
	}
	go_down(w, w->child);
	return w->left && leave_stack(w, stacks);
}

static void walk_all(struct fl_folded_stacks *s)
{
	struct walk walks[FL_FOLDED_TAKEN], *w;
	unsigned going[FL_FOLDED_TAKEN], n = 0;

	for (unsigned i = 0; i < s->ntaken; i++) {
		const struct fl_folded_taken *t = &s->taken[i];

		walks[i] = (struct walk){
			.frames = s->ids + t->first,
			.found = s->found + t->first, .left = t->n - t->from
		};
		if (!t->from && t->n)
			going[n++] = i;
	}
	while (n)
		for (unsigned i = 0; i < n;) {
			w = &walks[going[i]];
			if (walk_on(w, &s->flame->stacks))
				i++;
			else
				going[i] = going[--n];
		}
	for (unsigned i = 0; i < s->ntaken; i++)
		s->taken[i].found = walks[i].found - s->found -
				    s->taken[i].first;
}

/* In order -------------------------------------------------------------- */

static bool make_room(struct fl_folded_stacks *s)
{
	size_t deepest = 1;

	for (unsigned i = 0; i < s->ntaken; i++)
		deepest = FL_MAX(deepest, s->taken[i].n);
	return fl_grow(&s->path, &s->path_room, deepest, sizeof(*s->path)) &&
	       fl_grow(&s->found, &s->found_room, s->nids + 1,
		       sizeof(*s->found));
}

static void find_stack(struct fl_folded_stacks *s, struct fl_folded_taken *t)
{
	const flame_id *ids = s->ids + t->first;
	const flame_id *found = s->found + t->first;
	size_t i = t->shared;
	flame_id stack;

	for (; !t->from && i < t->found; i++)
		s->path[i] = found[i];
	stack = i ? s->path[i - 1] : 0;
	for (; i < t->n; i++)
		s->path[i] = stack = flame_stack(s->flame, stack,
						 ids[i - t->from]);
	t->stack = stack;
}

bool fl_folded_find_stacks(struct fl_folded_stacks *s)
{
	bool good = fl_folded_settle(s) && make_room(s);

	if (good)
		walk_all(s);
	else
		fl_no_memory(s->flame);
	for (unsigned i = 0; good && i < s->ntaken; i++)
		find_stack(s, &s->taken[i]);
	s->ntaken = 0;
	s->nids = 0;
	return good;
}

void fl_folded_taken_free(struct fl_folded_stacks *s)
{
	fl_free(s->ids);
	fl_free(s->found);
	fl_free(s->path);
}
