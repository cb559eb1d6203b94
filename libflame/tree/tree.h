/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The tree room: samples gathered.  Collecting is one array of weights per
 * column, indexed by stack; fl_tree_layout turns it into nodes in preorder.
 */
#ifndef FL_TREE_H
#define FL_TREE_H

#include "flow/flow.h"

/*
 * Nodes in preorder: node 0 is the root ("all"), a parent comes before its
 * children, children of one parent are in bytewise order of their names.
 * Frames that ran differently (interpreted, C1, JIT, inlined) but have one
 * name below one parent are one node; kernel and native frames of that name
 * are nodes of their own.
 */
struct fl_layout {
	uint32_t count;		/* nodes; at least 1 */
	unsigned depth;		/* of the deepest node; the root is 0 */
	unsigned columns;
	flame_id *name;		/* root: 0 */
	uint8_t *type;		/* enum flame_type: shown, see fl_node_type */
	uint32_t *parent;
	uint32_t *level;
	uint32_t *end;		/* one past the last node of the subtree */
	int64_t *self[2], *total[2];	/* [columns] */
	int64_t *x;		/* where nodes begin; NULL: see fl_layout_x */
	uint32_t *of_stack;	/* its node, see flame_tree.places; or NULL */
	const char *unit;	/* of the weights: "samples" */
	const char *metric;	/* "cpu"; "" if not known */
};

/* of_stack: what weighs nothing has no node, what was left out none now. */
#define FL_NO_NODE UINT32_MAX

struct flame_tree {
	struct flame *flame;
	unsigned columns;
	int64_t *weight[2];	/* by stack */
	size_t capacity[2];		/* weights there are */
	size_t reserved[2];	/* there could be */
	int64_t total[2];
	double scaled[2];	/* by flame_tree_scale; 0: not */
	struct fl_span {
		int64_t from, to;	/* the same: nothing was read */
		bool unknown;		/* of one that was */
	} span[2];
	flame_id metric;	/* the last one seen */
	bool places;		/* layouts tell of_stack */
	struct fl_deferred_list rests;	/* column 0: fl_tree_read_deferred */
	struct flame_rank *ranks;	/* given out last */
	struct flame_node *nodes;
};

/* Adds to a column; an overflow is a failure. */
int fl_tree_add(struct flame_tree *tree, unsigned column, flame_id stack,
		int64_t weight);

/* There is a weight of the stack, and of those before.  false: no memory. */
bool fl_tree_reserve(struct flame_tree *tree, unsigned column, flame_id stack);

/* A column's weights, which the tree has no more; to fl_free. */
int64_t *fl_tree_take(struct flame_tree *tree, unsigned column);

/*
 * deferred.c: whoever looks at nodes of a tree that took stacks which are not
 * whole asks for that before: only of nodes lighter than `fine` the stacks
 * are left so, and of none if that is 0.
 */
int fl_tree_read_deferred(struct flame_tree *tree, int64_t fine);
void fl_deferred_free(struct fl_deferred_list *rests);

/* The columns change places. */
void fl_tree_swap(struct flame_tree *tree);

/*
 * Nodes lighter than `minimum` (0: none) are left out; with lossy their
 * weight is gone, otherwise it counts as self of the nearest kept ancestor.
 * spend: the tree's weights are gone after that.  NULL on failure.
 */
struct fl_layout *fl_tree_layout(struct flame_tree *tree, double minimum,
				 bool lossy, bool spend);
void fl_layout_free(struct fl_layout *layout);

/*
 * flame_chart.c: stacks from left to right in their order, neighbours merged as
 * far as they are the same from the root on; raw: how a frame ran is part
 * of what must be the same.  fl_compat_layout: those of the tree as
 * flamegraph.pl and inferno-flamegraph sort them.  NULL: no memory.
 */
struct fl_step {
	flame_id stack;
	int64_t weight;
};

/* A sample of a flame chart: by threads, of one by time, else as it came. */
struct fl_chart_sample {
	int64_t time, weight;
	size_t at;
	flame_id stack, thread;
};

struct fl_layout *fl_chart_layout(struct flame_tree *tree,
				  const struct fl_step *steps, size_t n,
				  bool raw);
struct fl_layout *fl_compat_layout(struct flame_tree *tree);

/*
 * The x at which a node begins, in weight units of a column: self lies left
 * of the children.  x[] has layout->n places; those of nodes below one that
 * is lighter than `least` may be left as they are.
 */
void fl_layout_x(const struct fl_layout *layout, unsigned column,
		 int64_t least, int64_t *x);

/* outline.c: the total in a column from which on nodes are at most limit. */
bool fl_heaviest(const struct fl_layout *layout, unsigned column,
		 size_t limit, int64_t *total);

/* layout.c: frames of one name below one parent are one node of a kind. */
enum fl_kind { FL_KIND_PLAIN, FL_KIND_JAVA, FL_KIND_KERNEL, FL_KIND_WAKER };

enum fl_kind fl_kind(enum flame_type type);

/*
 * What of a node of FL_KIND_JAVA ran interpreted, inlined, by C1; and how it
 * is shown then, by shares of its total.
 */
void fl_tier_count(uint64_t tier[3], enum flame_type type, uint64_t weight);
enum flame_type fl_tier_shown(const uint64_t tier[3], uint64_t total);

/* Letters by enum flame_type: how an SVG tells them. */
#define FL_TYPE_LETTERS " 0jinck1mgw"

/* "_[j]" and its kin; "" for types that have no suffix. */
const char *fl_type_suffix(enum flame_type type);

#endif
