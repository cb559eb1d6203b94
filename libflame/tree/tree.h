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
	uint32_t n;		/* nodes; at least 1 */
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
	size_t room[2];		/* weights there are */
	size_t space[2];	/* there could be */
	int64_t total[2];
	double scaled[2];	/* by flame_tree_scale; 0: not */
	struct fl_span {
		int64_t from, to;	/* the same: nothing was read */
		bool unknown;		/* of one that was */
	} span[2];
	flame_id metric;	/* the last one seen */
	bool places;		/* layouts tell of_stack */
	struct fl_rests rests;	/* of column 0; see fl_tree_settle */
	struct flame_rank *ranks;	/* given out last */
	struct flame_node *nodes;
};

/* Adds to a column; an overflow is a failure. */
int fl_tree_add(struct flame_tree *tree, unsigned column, flame_id stack,
		int64_t weight);

/* There is a weight of the stack, and of those before.  false: no memory. */
bool fl_tree_reach(struct flame_tree *tree, unsigned column, flame_id stack);

/* A column's weights, which the tree has no more; to fl_free. */
int64_t *fl_tree_take(struct flame_tree *tree, unsigned column);

/*
 * rest.c: whoever looks at nodes of a tree that took stacks which are not
 * whole asks for that before: only of nodes lighter than `fine` the stacks
 * are left so, and of none if that is 0.
 */
int fl_tree_settle(struct flame_tree *tree, int64_t fine);
void fl_rests_free(struct fl_rests *rests);

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
 * chart.c: stacks from left to right in their order, neighbours merged as
 * far as they are the same from the root on; raw: how a frame ran is part
 * of what must be the same.  fl_peer_layout: those of the tree as
 * flamegraph.pl and inferno-flamegraph sort them.  NULL: no memory.
 */
struct fl_step {
	flame_id stack;
	int64_t weight;
};

/* A sample of a flame chart: by threads, of one by time, else as it came. */
struct fl_beat {
	int64_t time, weight;
	size_t at;
	flame_id stack, thread;
};

struct fl_layout *fl_chart_layout(struct flame_tree *tree,
				  const struct fl_step *steps, size_t n,
				  bool raw);
struct fl_layout *fl_peer_layout(struct flame_tree *tree);

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

/*
 * Writers of trees: a sink that gathers a tree and, when it is finished,
 * hands itself to write().  What a page can be told stands here; the option
 * names are those of the rows in page.c.
 */
struct fl_page {
	struct flame_tree *tree;
	struct fl_out *out;
	int (*write)(struct fl_page *page);
	char *title, *subtitle, *notes, *colors, *highlight, *countname;
	double width;		/* pixels, columns; 0: the writer's own choice */
	double frame_height;	/* pixels; 0: the writer's own choice */
	double minwidth;	/* pixels, or percent of the total */
	bool minwidth_percent;
	/* What the peers' pictures can be told: only pictures know these. */
	char *mine;		/* expressions, a line each */
	char *search_color, *stroke_color, *ui_color, *font, *background;
	char *nametype, *nameattr, *palette;
	double font_size, factor;	/* 0: the writer's own, 1 */
	int64_t all;		/* the width of the root, if more than it */
	int color_by;		/* enum fl_classic_by */
	enum fl_peer peer;	/* merged and coloured as by it */
	bool negate, no_script;
	/* Of a comparison; colours tell a change of self or of total. */
	enum fl_widths { FL_WIDTHS_AFTER, FL_WIDTHS_BEFORE, FL_WIDTHS_MAX }
		widths;
	enum fl_delta { FL_DELTA_UNSET, FL_DELTA_SELF, FL_DELTA_TOTAL } delta;
	double noise;		/* sigmas of Poisson that stay grey; -1: 2 */
	enum fl_normal { FL_NORMAL_NONE, FL_NORMAL_TOTAL, FL_NORMAL_TIME }
		normalize;
	double scale;		/* of before, as it is shown; 1: as it is */
	double (*fine_share)(const struct fl_page *page);	/* or NULL */
	bool chart;		/* samples in their order */
	bool keeps_order;	/* the writer can draw that */
	bool brushed;		/* and paints what changed as it is told */
	struct fl_beat *beats;	/* for that */
	size_t nbeats, beats_room;
	struct fl_samples *samples;	/* see samples.h; NULL: none kept */
	bool inverted;		/* root on top */
	bool as_tree;		/* opens as a tree of rows */
	bool no_time;		/* no samples, even where they are wanted */
	bool timed;		/* there are some, or may be */
	bool compared;		/* has two columns */
	bool ansi;		/* text: a terminal shows it, in colours */
	bool compat;		/* as jfrconv: lossy minwidth, raw names */
	bool borrowed;		/* the tree is somebody else's */
	bool compat_root;	/* but stacks of no frames are not lost */
	bool split;		/* HTML: script and style beside the page */
	char *source_url;	/* HTML: a link of a frame, with {class} ... */
	char *events;		/* metrics, each a tree of its own */
	struct fl_further {
		struct flame_tree *tree;
		struct fl_samples *samples;	/* or NULL */
	} *more;		/* after the first */
	size_t nmore;
};

extern const struct flame_row fl_page_rows[];
struct flame_sink *fl_page_sink(struct flame *flame, struct fl_out *out,
				int (*write)(struct fl_page *page));
/* The writer wants samples.h: until --no-time and the like. */
bool fl_page_keep_samples(struct flame_sink *sink);
/*
 * The writer draws no node that has less than such a share of all, and settles
 * the tree before it looks at it.
 */
void fl_page_take_rests(struct flame_sink *sink,
			double (*fine_share)(const struct fl_page *page));
/* The tree, which may have two columns, instead of the page's own. */
bool fl_page_adopt(struct flame_sink *sink, struct flame_tree *tree);
/* Whether what the page was asked for can be: a chart is not for all. */
int fl_page_check(const struct fl_page *page);
/*
 * The page's tree laid out, with what its minwidth leaves out (pixels are
 * of page_width): nodes lighter than the minimum.
 */
double fl_page_minimum(const struct fl_page *page, double page_width);
struct fl_layout *fl_page_layout(struct fl_page *page, double page_width);

/* Letters by enum flame_type: how an SVG tells them. */
#define FL_TYPE_LETTERS " 0jinck1mgw"

/* "_[j]" and its kin; "" for types that have no suffix. */
const char *fl_type_suffix(enum flame_type type);

#endif
