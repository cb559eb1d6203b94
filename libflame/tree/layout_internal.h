/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Shared by layout.c, layout_parallel.c and pruned_layout.c: makes nodes in
 * preorder from stacks with their totals and children.
 */
#ifndef FL_LAYOUT_INTERNAL_H
#define FL_LAYOUT_INTERNAL_H

#include "tree/order.h"
#include "tree/tree.h"

struct fl_layout_builder {
	struct flame *flame;
	struct flame_tree *tree;
	struct fl_layout *layout;
	double minimum;
	bool lossy;
	size_t n;		/* stacks */
	int64_t *total[2];	/* by stack */
	int64_t *lost[2];	/* with lossy: by node, weight left out below */
	uint32_t nweighted;	/* stacks with a total above 0 */
	uint32_t *subtree_size;	/* such stacks in the subtree; or NULL */
	/* Such children of stack i: child[first[i]] to child[first[i + 1]]. */
	uint32_t *first, *child;
	/* Stacks without a node yet; a stack: the next node is last. */
	struct fl_pending *pending;
	size_t npending, pending_capacity;
	struct fl_order order;
	uint32_t *name_order;	/* of fl_order_names; or NULL */
	uint32_t *open;		/* by level: the last node made */
	size_t open_capacity;
	uint32_t *node_of_stack;	/* or NULL */
};

/*
 * Gets weights in `total`; the caller sums them into totals.  spend: reuses the
 * tree's.  false, here and below: out of memory.
 */
bool fl_layout_builder_weigh(struct fl_layout_builder *y,
			     struct flame_tree *tree, bool spend);
void fl_layout_builder_close(struct fl_layout_builder *y);
/*
 * Makes an empty layout with space for `nodes`.  `end` and `self` are allocated
 * last, when the memory of the builder is free again.
 */
bool fl_layout_builder_begin(struct fl_layout_builder *y, uint32_t nodes);
/* Makes the root pending. */
bool fl_layout_builder_start(struct fl_layout_builder *y);
/* How many stacks at the end of `pending` are one node. */
size_t fl_layout_builder_last(const struct fl_layout_builder *y);
/* Makes one node of the stacks at[0..n). */
bool fl_layout_builder_add(struct fl_layout_builder *y,
			   const struct fl_pending *at, size_t n);
/* Replaces the last n pending stacks by their children, sorted. */
bool fl_layout_builder_open_last(struct fl_layout_builder *y, size_t n);
/* Makes nodes until no stack is pending. */
bool fl_layout_builder_run(struct fl_layout_builder *y);
/* Computes `end` from `parent`. */
bool fl_layout_ends(struct fl_layout *layout);

/*
 * layout_parallel.c: makes all nodes, by several threads.  Needs subtree_size
 * and an empty layout.
 */
bool fl_layout_builder_run_parallel(struct fl_layout_builder *y);

static inline int64_t fl_layout_builder_total(const struct fl_layout_builder *y,
					      unsigned column,
					      const struct fl_pending *at,
					      size_t n)
{
	int64_t total = 0;

	for (size_t i = 0; i < n; i++)
		total += y->total[column][at[i].stack];
	return total;
}

#endif
