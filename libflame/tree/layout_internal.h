/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Shared by layout.c, layout_parallel.c and outline.c: stacks with their
 * totals and children, of which nodes are made one behind the other.
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
	int64_t *total[2];	/* theirs */
	int64_t *lost[2];	/* with lossy: by node, what it left out */
	uint32_t heavy;		/* those that weigh something */
	uint32_t *size;		/* these from each on down; NULL: not known */
	/* Of stack i those are child[first[i]] up to child[first[i + 1]]. */
	uint32_t *first, *child;
	/* Still to be laid: children before their parents' siblings. */
	struct fl_pending *pending;
	size_t npending, pending_room;
	struct fl_order order;
	uint32_t *place;	/* of names; NULL: not known */
	uint32_t *open;		/* by level: the last node */
	size_t open_room;
	uint32_t *of_stack;	/* or NULL */
};

/*
 * Weights, which are to become totals.  spend: the tree's own, which it has
 * no more then.  false, here and below: memory is out.
 */
bool fl_layout_builder_weigh(struct fl_layout_builder *y,
			     struct flame_tree *tree, bool spend);
void fl_layout_builder_close(struct fl_layout_builder *y);
/*
 * An empty layout with room for so many nodes.  Nodes' ends and selfs come
 * last, when there is room for them where other things were.
 */
bool fl_layout_builder_begin(struct fl_layout_builder *y, uint32_t nodes);
/* Pending is the root. */
bool fl_layout_builder_start(struct fl_layout_builder *y);
/* How many of the last that are pending are one node. */
size_t fl_layout_builder_last(const struct fl_layout_builder *y);
/* A node of the stacks at[0..n), which are one. */
bool fl_layout_builder_add(struct fl_layout_builder *y,
			   const struct fl_pending *at, size_t n);
/* In place of the last n that are pending, their children in order. */
bool fl_layout_builder_open_last(struct fl_layout_builder *y, size_t n);
/* All that is pending. */
bool fl_layout_builder_run(struct fl_layout_builder *y);
/* Where nodes end, from who their parents are. */
bool fl_layout_ends(struct fl_layout *layout);

/*
 * layout_parallel.c: all nodes, by several threads; `size` is known, and the
 * layout is empty.
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
