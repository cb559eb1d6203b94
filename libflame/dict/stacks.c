/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The stack table: every distinct stack once, as (parent, frame).
 * A parent is always entered before its children, so parent < child.
 */
#include "fl.h"

#include "dict/tables.h"

static flame_id find_indexed(const struct fl_stacks *stacks, flame_id parent,
			     flame_id frame)
{
	uint64_t hash = fl_mix(parent, frame);
	uint32_t i, id;

	for (i = fl_index_first(&stacks->index, hash);
	     (id = fl_index_at(&stacks->index, hash, &i));)
		if (stacks->at[id].parent == parent &&
		    stacks->at[id].frame == frame)
			return id;
	return 0;
}

/* last: of those that are only listed; behind it go those of the index. */
static flame_id enter(struct flame *flame, flame_id parent, flame_id frame,
		      flame_id last)
{
	struct fl_stacks *stacks = &flame->stacks;
	flame_id *link;

	if (!fl_table_room(flame, stacks->n, &stacks->at, &stacks->room,
			   sizeof(*stacks->at)))
		return 0;
	if (last && !fl_index_add(&stacks->index, fl_mix(parent, frame),
				  stacks->n)) {
		fl_no_memory(flame);
		return 0;
	}
	link = last ? &stacks->at[last].sibling : &stacks->at[parent].child;
	stacks->at[stacks->n] = (struct fl_stack){
		.parent = parent, .frame = frame, .sibling = *link
	};
	*link = stacks->n;
	return stacks->n++;
}

/* Stacks like the last one are likely: it has to be found soonest. */
static flame_id to_front(struct fl_stack *at, flame_id parent,
			 flame_id before, flame_id id)
{
	if (before) {
		at[before].sibling = at[id].sibling;
		at[id].sibling = at[parent].child;
		at[parent].child = id;
	}
	return id;
}

flame_id flame_stack(struct flame *flame, flame_id parent, flame_id frame)
{
	const struct fl_stacks *stacks = &flame->stacks;
	struct fl_stack *at = stacks->at;
	flame_id last = 0, id = at[parent].child;
	unsigned n = 0;

	for (; id && n < FL_LISTED; id = at[id].sibling, n++) {
		if (at[id].frame == frame)
			return to_front(at, parent, last, id);
		last = id;
	}
	if (n < FL_LISTED)
		return enter(flame, parent, frame, 0);
	id = find_indexed(stacks, parent, frame);
	return id ? id : enter(flame, parent, frame, last);
}

flame_id flame_stack_parent(const struct flame *flame, flame_id stack)
{
	return stack < flame->stacks.n ? fl_parent(flame, stack) : 0;
}

flame_id flame_stack_frame(const struct flame *flame, flame_id stack)
{
	return stack < flame->stacks.n ? fl_frame_id(flame, stack) : 0;
}
