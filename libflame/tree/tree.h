/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Trees: samples are summed in one array of weights per column, indexed by
 * stack; fl_tree_layout turns it into nodes in preorder.
 */
#ifndef FL_TREE_H
#define FL_TREE_H

#include "tree/origins.h"

/*
 * Nodes in preorder: node 0 is the root ("all"), a parent comes before its
 * children, children of one parent are in bytewise order of their names.
 * Frames of one name and kind (fl_kind) below one parent are one node: so
 * Java methods that ran differently (interpreted, C1, JIT, inlined) are one,
 * and a kernel frame of the same name is another.
 */
struct fl_layout {
	uint32_t count;		/* nodes; at least 1 */
	unsigned depth;		/* of the deepest node; the root is 0 */
	unsigned columns;
	flame_id *name;		/* root: 0 */
	uint8_t *type;		/* enum flame_type, see fl_tier_shown */
	uint32_t *parent;
	uint32_t *level;
	uint32_t *end;		/* one past the last node of the subtree */
	int64_t *self[2], *total[2];	/* [columns] */
	int64_t *x; /* where nodes begin; or NULL: use fl_layout_x */
	uint32_t *node_of_stack;	/* if want_stack_nodes; or NULL */
	size_t nstacks;			/* entries in it */
	const char *unit;	/* of the weights: "samples" */
	const char *metric;	/* "cpu"; "" if not known */
};

/* In node_of_stack: a stack of weight 0, or lost with a node left out. */
#define FL_NO_NODE UINT32_MAX

struct flame_tree {
	struct flame *flame;
	unsigned columns;
	int64_t *weight[2];	/* by stack */
	size_t capacity[2];	/* weights that are zeroed or set */
	size_t reserved[2];	/* weights that are allocated */
	int64_t total[2];
	/* flame_tree_scale: the factor to / of; of 0: unscaled. */
	struct fl_scale {
		int64_t to, of;
	} scale[2];
	double settled[2];	/* factor of fl_tree_settle; 0: none */
	struct fl_span {
		int64_t from, to;	/* equal: no source was read */
		bool unknown;		/* a source has no span */
	} span[2];
	flame_id metric;	/* the last one seen */
	flame_id metric_in[2];	/* of a column; 0: none has a name yet */
	bool mixes;		/* accepts several; its feeder chose them */
	struct fl_origins origins[2];
	bool wants_whole;	/* it is written as folded text */
	bool want_stack_nodes;	/* layouts get node_of_stack */
	struct flame_rank *ranks;	/* returned last; owned */
	struct flame_node *nodes;
	/* Keeps these metrics apart, each in a tree of its own; or NULL. */
	char *events;
	struct flame_tree **by_metric;	/* owned */
	size_t nmetrics, metrics_capacity, last_metric;
};

/* Adds to a column; an overflow is a failure. */
int fl_tree_add(struct flame_tree *tree, unsigned column, flame_id stack,
		int64_t weight);

/* Makes weights up to the stack's.  false: out of memory. */
bool fl_tree_reserve(struct flame_tree *tree, unsigned column, flame_id stack);

/* Cuts whole stacks (dict.h) into frames.  false: out of memory. */
bool fl_tree_split(struct flame_tree *tree);

/* Moves a column's weights to the caller, who frees them with fl_free. */
int64_t *fl_tree_take(struct flame_tree *tree, unsigned column);

/*
 * A sum of weights of a column, scaled, which rounds to the nearest.  Parts
 * are not to be scaled before they are summed.
 */
int64_t fl_tree_scaled(const struct flame_tree *tree, unsigned column,
		       int64_t sum);
int64_t fl_tree_scaled_down(const struct flame_tree *tree, unsigned column,
			    int64_t sum);	/* towards zero */
/* Scales the weights themselves: each is off by < 1, and their sum is exact. */
void fl_tree_settle(struct flame_tree *tree);

/* Swaps the columns. */
void fl_tree_swap(struct flame_tree *tree);

/*
 * Nodes lighter than `minimum` (0: none) are left out; with lossy their
 * weight is lost, otherwise it counts as self of the nearest ancestor.
 * spend: reuses the tree's weights instead of copying them.  NULL on failure.
 */
struct fl_layout *fl_tree_layout(struct flame_tree *tree, double minimum,
				 bool lossy, bool spend);
void fl_layout_free(struct fl_layout *layout);

/*
 * sort_layout.c: siblings by weight, heaviest first, instead of by name.
 * false: out of memory.
 */
bool fl_layout_sort(struct fl_layout *layout);

/*
 * flame_chart.c: stacks from left to right in the given order; neighbours are
 * merged as far as they are equal from the root on.  raw: frames must have the
 * same type to be merged.  fl_compat_layout: the tree's stacks, sorted as
 * flamegraph.pl and inferno-flamegraph do.  NULL: out of memory.
 */
struct fl_chart_stack {
	flame_id stack;
	int64_t weight;
};

/* A sample of a flame chart; sorted by thread, time, position. */
struct fl_chart_sample {
	int64_t time, weight;
	size_t at;	/* position in the input */
	flame_id stack, thread;
};

struct fl_layout *fl_chart_layout(struct flame_tree *tree,
				  const struct fl_chart_stack *steps, size_t n,
				  bool raw);
struct fl_layout *fl_compat_layout(struct flame_tree *tree);

/*
 * Sets x[0..layout->count) to where nodes begin, in weight units of a column;
 * a node's self lies left of its children.  Entries below a node lighter than
 * `least` may stay unset.
 */
void fl_layout_x(const struct fl_layout *layout, unsigned column,
		 int64_t least, int64_t *x);

/*
 * pruned_layout.c: sets *total to the smallest total in a column that at most
 * `limit` nodes reach.  false: out of memory.
 */
bool fl_layout_threshold(const struct fl_layout *layout, unsigned column,
			 size_t limit, int64_t *total);

/* layout.c: frames of one name, parent and kind are one node. */
enum fl_kind { FL_KIND_PLAIN, FL_KIND_JAVA, FL_KIND_KERNEL, FL_KIND_WAKER };

enum fl_kind fl_kind(enum flame_type type);

/*
 * fl_tier_count adds a frame's weight to the tiers of a node of FL_KIND_JAVA
 * (interpreted, inlined, C1); fl_tier_shown returns the type of the node.
 */
void fl_tier_count(uint64_t tier[3], enum flame_type type, uint64_t weight);
enum flame_type fl_tier_shown(const uint64_t tier[3], uint64_t total);

/* Letters of enum flame_type in an SVG. */
#define FL_TYPE_LETTERS " 0jinck1mgw"

/* "_[j]" and the like; "" for types without a suffix. */
const char *fl_type_suffix(enum flame_type type);

#endif
