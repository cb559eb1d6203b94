/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fl_stacks_lookup_batch: finds for each list of frames, root first, the
 * longest prefix that is a stack already.  For the readers of folded text and
 * of perf.
 *
 * Each step of a lookup depends on memory that the step before leads to, so a
 * batch of lookups alternates: each prefetches its next entry and lets the
 * others go on meanwhile.
 */
#include "fl.h"

#include "dict/tables.h"

enum { AT_STACK, AT_CHILD, AT_SLOT, AT_INDEXED };

/* false, here and below: this lookup is finished. */
static bool add_match(struct fl_stack_lookup *lookup, flame_id child)
{
	lookup->pair[lookup->done].stack = lookup->stack = child;
	return ++lookup->done < lookup->count;
}

/* Follows children entered right after their parents, then plans a step. */
static bool follow_children(const struct fl_stacks *stacks,
			    struct fl_stack_lookup *lookup)
{
	const struct fl_stack *at = stacks->data + lookup->stack;

	for (; lookup->stack + 1 < stacks->count &&
	       at[1].parent == lookup->stack &&
	       at[1].frame == lookup->pair[lookup->done].frame;
	     at++)
		if (!add_match(lookup, lookup->stack + 1))
			return false;
	if (at->wide) {
		lookup->hash = fl_hash_pair(lookup->stack,
					    lookup->pair[lookup->done].frame);
		lookup->slot = fl_index_first(&stacks->index, lookup->hash);
		lookup->step = AT_SLOT;
		fl_prefetch(&stacks->index.slot[lookup->slot]);
		return true;
	}
	lookup->step = AT_CHILD;
	lookup->child = at->child;
	fl_prefetch(stacks->data + lookup->child);
	return lookup->child;
}

static bool probe_index(const struct fl_stacks *stacks,
			struct fl_stack_lookup *lookup)
{
	lookup->step = AT_INDEXED;
	lookup->child = fl_index_next(&stacks->index, lookup->hash,
				      &lookup->slot);
	fl_prefetch(stacks->data + lookup->child);
	return lookup->child;
}

/* Advances a lookup until it would wait for memory. */
static bool step_lookup(const struct fl_stacks *stacks,
			struct fl_stack_lookup *lookup)
{
	const struct fl_stack *child = stacks->data + lookup->child;
	flame_id frame = lookup->pair[lookup->done].frame;

	switch (lookup->step) {
	case AT_CHILD:
		if (child->frame == frame)
			break;
		lookup->child = child->sibling;
		fl_prefetch(stacks->data + lookup->child);
		return lookup->child;
	case AT_INDEXED:
		if (child->frame == frame && child->parent == lookup->stack)
			break;
		return probe_index(stacks, lookup);
	case AT_SLOT:
		return probe_index(stacks, lookup);
	default:
		return follow_children(stacks, lookup);
	}
	return add_match(lookup, lookup->child) &&
	       follow_children(stacks, lookup);
}

void fl_stacks_lookup_batch(const struct flame *flame,
			    struct fl_stack_lookup *lookup, unsigned n)
{
	struct fl_stack_lookup *active[FL_LOOKUP_BATCH];
	unsigned nactive = 0;

	for (unsigned i = 0; i < n; i++) {
		lookup[i].done = 0;
		lookup[i].step = AT_STACK;
		if (lookup[i].count)
			active[nactive++] = &lookup[i];
	}
	while (nactive)
		for (unsigned i = 0; i < nactive;) {
			if (step_lookup(&flame->stacks, active[i]))
				i++;
			else
				active[i] = active[--nactive];
		}
}
