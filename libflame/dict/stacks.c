/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The stack table: every distinct stack once, as (parent, frame).
 * flame_stack() returns the id of a parent with a frame more, for readers and
 * filters.  A parent is always entered before its children, so parent < child.
 */
#include "fl.h"

#include "dict/tables.h"

enum { MAX_STACKS = INT32_MAX };	/* fl_stack.child has 31 bits */

static flame_id find_indexed(const struct fl_stacks *stacks, flame_id parent,
			     flame_id frame)
{
	uint64_t hash = fl_hash_pair(parent, frame);
	uint32_t i, id;

	for (i = fl_index_first(&stacks->index, hash);
	     (id = fl_index_next(&stacks->index, hash, &i));)
		if (stacks->data[id].parent == parent &&
		    stacks->data[id].frame == frame)
			return id;
	return 0;
}

static bool add_to_index(struct flame *flame, flame_id id)
{
	const struct fl_stack *s = &flame->stacks.data[id];

	if (fl_index_add(&flame->stacks.index,
			 fl_hash_pair(s->parent, s->frame), id))
		return true;
	fl_no_memory(flame);
	return false;
}

static flame_id enter(struct flame *flame, flame_id parent, flame_id frame)
{
	struct fl_stacks *stacks = &flame->stacks;
	flame_id id = stacks->count;

	if (fl_unlikely(frame >= flame->frames.count)) {
		fl_fail(flame, "no frame %u in this dictionary", frame);
		return 0;
	}
	if (fl_unlikely(id > MAX_STACKS)) {
		fl_fail(flame, "more than %d distinct stacks", MAX_STACKS);
		return 0;
	}
	if (!fl_table_reserve(flame, stacks->count, &stacks->data,
			      &stacks->capacity, sizeof(*stacks->data)))
		return 0;
	stacks->data[id] = (struct fl_stack){
		.parent = parent, .frame = frame,
		.sibling = stacks->data[parent].child
	};
	if (stacks->data[parent].wide && !add_to_index(flame, id))
		return 0;
	stacks->data[parent].child = id;
	stacks->count++;
	return id;
}

/* Puts all children into the index, and those to come. */
static bool widen(struct flame *flame, flame_id parent)
{
	struct fl_stack *at = flame->stacks.data;

	for (flame_id id = at[parent].child; id; id = at[id].sibling)
		if (!add_to_index(flame, id))
			return false;
	at[parent].wide = true;
	return true;
}

/* Moves a child to the front of the list: the next sample likely wants it. */
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
	struct fl_stack *at;
	flame_id last = 0, id = parent + 1;
	unsigned n = 0;

	if (fl_unlikely(!flame))
		return 0;
	at = flame->stacks.data;
	/* Most first children were entered right after their parent. */
	if (fl_likely(id < flame->stacks.count) && at[id].frame == frame &&
	    at[id].parent == parent)
		return id;
	if (fl_unlikely(parent >= flame->stacks.count)) {
		fl_fail(flame, "no stack %u in this dictionary", parent);
		return 0;
	}
	if (at[parent].wide) {
		id = find_indexed(&flame->stacks, parent, frame);
		return id ? id : enter(flame, parent, frame);
	}
	for (id = at[parent].child; id; id = at[id].sibling, n++) {
		if (at[id].frame == frame)
			return to_front(at, parent, last, id);
		last = id;
	}
	if (n == FL_MAX_LISTED && !widen(flame, parent))
		return 0;
	return enter(flame, parent, frame);
}

flame_id fl_stack_find(const struct flame *flame, flame_id parent,
		       flame_id frame)
{
	const struct fl_stack *at = flame->stacks.data;
	flame_id id;

	if (at[parent].wide)
		return find_indexed(&flame->stacks, parent, frame);
	for (id = at[parent].child; id && at[id].frame != frame;)
		id = at[id].sibling;
	return id;
}

flame_id flame_stacks(const struct flame *flame)
{
	return flame ? (flame_id)flame->stacks.count - 1 : 0;
}

flame_id flame_stack_parent(const struct flame *flame, flame_id stack)
{
	return flame && stack < flame->stacks.count ?
		       fl_parent(flame, stack) : 0;
}

flame_id flame_stack_frame(const struct flame *flame, flame_id stack)
{
	return flame && stack < flame->stacks.count ?
		       fl_frame_id(flame, stack) : 0;
}

/*
 * Whole stacks: text whose stacks have little in common is written again with
 * one name a stack, "main;work", below a stack of its own.  Names find them,
 * and no index.
 */

static bool begin_whole(struct flame *flame)
{
	flame->whole.parent = flame_stack(flame, 0,
		fl_frame(flame, fl_name(flame, "[whole stacks]"),
			 FLAME_GROUP));
	return flame->whole.parent;
}

flame_id fl_whole_stack(struct flame *flame, const char *text, size_t size,
			uint64_t hash)
{
	struct fl_whole *w = &flame->whole;
	flame_id name, frame;

	if (fl_unlikely(!w->parent) && !begin_whole(flame))
		return 0;
	name = fl_name_hashed(flame, text, size, hash);
	if (!name)
		return 0;
	if (name >= w->capacity &&
	    !fl_grow_zeroed(&w->stack, &w->capacity, (size_t)name + 1,
			    sizeof(*w->stack))) {
		fl_no_memory(flame);
		return 0;
	}
	if (w->stack[name])
		return w->stack[name];
	frame = fl_frame_as_is(flame, &(struct flame_frame){ .name = name });
	return w->stack[name] = frame ? enter(flame, w->parent, frame) : 0;
}

flame_id fl_whole_split(struct flame *flame, flame_id stack)
{
	struct slice text = fl_name_at(flame, fl_frame_at(flame, stack)->name);
	const char *end = text.data + text.size, *at = text.data, *semi;

	stack = 0;
	for (; at < end && !fl_failed(flame); at = semi + 1) {
		semi = memchr(at, ';', (size_t)(end - at));
		if (!semi)
			semi = end;
		stack = flame_stack(flame, stack,
			fl_frame(flame, flame_name(flame, at,
						   (size_t)(semi - at)),
				 FLAME_UNKNOWN));
	}
	return stack;
}
