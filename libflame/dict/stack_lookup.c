/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Batch lookup in the stack trie.  Each step of a lookup depends on memory that
 * the step before leads to, so a batch of lookups alternates: each prefetches
 * its next entry and lets the others go on meanwhile.
 */
#include "fl.h"

#include "dict/tables.h"

enum { AT_STACK, AT_CHILD, AT_SLOT, AT_INDEXED };

/* false, here and below: this lookup is finished. */
static bool go_down(struct fl_stack_lookup *d, flame_id child)
{
	d->pair[d->done].stack = d->stack = child;
	return ++d->done < d->count;
}

/* Follows children entered right after their parents, then plans a step. */
static bool descend(const struct fl_stacks *stacks, struct fl_stack_lookup *d)
{
	const struct fl_stack *at = stacks->data + d->stack;

	for (; d->stack + 1 < stacks->count && at[1].parent == d->stack &&
	       at[1].frame == d->pair[d->done].frame;
	     at++)
		if (!go_down(d, d->stack + 1))
			return false;
	if (at->wide) {
		d->hash = fl_hash_pair(d->stack, d->pair[d->done].frame);
		d->slot = fl_index_first(&stacks->index, d->hash);
		d->step = AT_SLOT;
		fl_prefetch(&stacks->index.slot[d->slot]);
		return true;
	}
	d->step = AT_CHILD;
	d->child = at->child;
	fl_prefetch(stacks->data + d->child);
	return d->child;
}

static bool probe_index(const struct fl_stacks *stacks,
			struct fl_stack_lookup *d)
{
	d->step = AT_INDEXED;
	d->child = fl_index_next(&stacks->index, d->hash, &d->slot);
	fl_prefetch(stacks->data + d->child);
	return d->child;
}

/* Advances a lookup until it would wait for memory. */
static bool advance(const struct fl_stacks *stacks, struct fl_stack_lookup *d)
{
	const struct fl_stack *child = stacks->data + d->child;
	flame_id frame = d->pair[d->done].frame;

	switch (d->step) {
	case AT_CHILD:
		if (child->frame == frame)
			break;
		d->child = child->sibling;
		fl_prefetch(stacks->data + d->child);
		return d->child;
	case AT_INDEXED:
		if (child->frame == frame && child->parent == d->stack)
			break;
		return probe_index(stacks, d);
	case AT_SLOT:
		return probe_index(stacks, d);
	default:
		return descend(stacks, d);
	}
	return go_down(d, d->child) && descend(stacks, d);
}

void fl_stacks_lookup_batch(const struct flame *flame,
			    struct fl_stack_lookup *d, unsigned n)
{
	struct fl_stack_lookup *active[FL_LOOKUP_BATCH];
	unsigned nactive = 0;

	for (unsigned i = 0; i < n; i++) {
		d[i].done = 0;
		d[i].step = AT_STACK;
		if (d[i].count)
			active[nactive++] = &d[i];
	}
	while (nactive)
		for (unsigned i = 0; i < nactive;) {
			if (advance(&flame->stacks, active[i]))
				i++;
			else
				active[i] = active[--nactive];
		}
}
