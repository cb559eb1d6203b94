/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The stack table: every distinct stack once, as (parent, frame).
 * A parent is always entered before its children, so parent < child.
 */
#include "fl.h"

#include "dict/tables.h"

flame_id flame_stack(struct flame *flame, flame_id parent, flame_id frame)
{
	struct fl_stacks *stacks = &flame->stacks;
	uint64_t hash = fl_mix(parent, frame);
	uint32_t i, id;

	for (i = fl_index_first(&stacks->index, hash);
	     (id = fl_index_at(&stacks->index, hash, &i));)
		if (stacks->at[id].parent == parent &&
		    stacks->at[id].frame == frame)
			return id;
	if (!fl_table_room(flame, stacks->n, &stacks->at, &stacks->room,
			   sizeof(*stacks->at)))
		return 0;
	if (!fl_index_add(&stacks->index, hash, stacks->n)) {
		fl_no_memory(flame);
		return 0;
	}
	stacks->at[stacks->n] = (struct fl_stack){ parent, frame };
	return stacks->n++;
}

flame_id flame_stack_parent(const struct flame *flame, flame_id stack)
{
	return stack < flame->stacks.n ? fl_parent(flame, stack) : 0;
}

flame_id flame_stack_frame(const struct flame *flame, flame_id stack)
{
	return stack < flame->stacks.n ? fl_frame_id(flame, stack) : 0;
}
