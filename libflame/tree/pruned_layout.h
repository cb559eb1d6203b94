/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Layout for pictures, of one column: nodes that are too light to be drawn are
 * reported to a callback and get no node.
 */
#ifndef FL_PRUNED_LAYOUT_H
#define FL_PRUNED_LAYOUT_H

#include "tree/tree.h"

struct fl_pruned_layout;

/*
 * Receives light nodes in preorder.  outermost: its parent has a node in the
 * layout.  further: its subtree is not reported; it is `levels` levels deep and
 * lies between x and x + total.
 */
struct fl_light_nodes {
	void (*report)(void *arg, unsigned level, unsigned further, int64_t x,
		       int64_t total, bool outermost);
	void *arg;
};

/*
 * spend: reuses the tree's weights instead of copying them.  NULL: out of
 * memory, here and below, with fl_no_memory.
 */
struct fl_pruned_layout *fl_pruned_layout_open(struct flame_tree *tree,
					       bool spend);
/*
 * Nodes lighter than *min_total are light; raises *min_total until at most
 * max_nodes are not.  Nodes lighter than detail_limit, too, are reported
 * without their subtrees.
 * Call this before fl_pruned_layout_build.
 */
bool fl_pruned_layout_limit(struct fl_pruned_layout *pruned, int64_t *min_total,
			    size_t max_nodes, int64_t detail_limit);
/* Reports light nodes, and returns a layout of the others; it has x. */
struct fl_layout *fl_pruned_layout_build(struct fl_pruned_layout *pruned,
					 const struct fl_light_nodes *light);
/* NULL is allowed. */
void fl_pruned_layout_free(struct fl_pruned_layout *pruned);

#endif
