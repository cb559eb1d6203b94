/* SPDX-License-Identifier: Apache-2.0 */
/*
 * flame_tree_rank() sums a tree by name: all names, or callers or callees of
 * names that match.  flame_tree_nodes() lists its nodes in preorder, heaviest
 * siblings first.  For flame-top, comparisons, and the text of draw/.
 */
#include "fl.h"

#include "dict/java.h"
#include "tree/tree.h"

#include <stdlib.h>

struct ranking {
	const struct fl_layout *layout;
	struct flame_rank *at;
	uint32_t n;
	uint32_t *place;	/* by name, plus one; 0: not in the list */
	/* By name: its outermost node ends here; or that it was visited. */
	uint32_t *until;
	bool *matches;		/* by name */
};

static struct flame_rank *rank_of(struct ranking *r, flame_id name)
{
	if (!r->place[name]) {
		r->at[r->n] = (struct flame_rank){ .name = name };
		r->place[name] = ++r->n;
	}
	return &r->at[r->place[name] - 1];
}

/*
 * A recursive name counts once, with the total of its outermost node.  Stacks
 * without frames count for the empty name.
 */
static void rank_names(struct ranking *r)
{
	const struct fl_layout *l = r->layout;

	for (uint32_t i = 0; i < l->count; i++) {
		bool outermost = i && i >= r->until[l->name[i]];
		struct flame_rank *rank;

		if (!i && !l->self[0][0] &&
		    (l->columns == 1 || !l->self[1][0]))
			continue;
		rank = rank_of(r, l->name[i]);
		if (outermost)
			r->until[l->name[i]] = l->end[i];
		for (unsigned c = 0; c < l->columns; c++) {
			rank->self[c] += l->self[c][i];
			if (!i)
				rank->total[c] += l->self[c][i];
			else if (outermost)
				rank->total[c] += l->total[c][i];
		}
	}
}

static void count(struct ranking *r, flame_id name, uint32_t node, bool self)
{
	const struct fl_layout *l = r->layout;
	struct flame_rank *rank = rank_of(r, name);

	for (unsigned c = 0; c < l->columns; c++) {
		rank->total[c] += l->self[c][node];
		if (self)
			rank->self[c] += l->self[c][node];
	}
}

/*
 * Every node's self counts once: for the caller of the outermost match on its
 * path, or for the callee of the innermost.  path[] and match[] are by level:
 * the node there, and the level of that match (0: none).
 */
static void rank_around(struct ranking *r, bool callers, uint32_t *path,
			uint32_t *match)
{
	const struct fl_layout *l = r->layout;

	path[0] = match[0] = 0;
	for (uint32_t i = 1; i < l->count; i++) {
		uint32_t level = l->level[i], at = match[level - 1];
		bool is = r->matches[l->name[i]];

		path[level] = i;
		if (is && (!callers || !at))
			at = level;
		match[level] = at;
		if (!at || (!l->self[0][i] &&
			    (l->columns == 1 || !l->self[1][i])))
			continue;
		if (callers)
			count(r, l->name[path[at - 1]], i, is);
		else if (at == level)
			count(r, 0, i, true);
		else
			count(r, l->name[path[at + 1]], i, level == at + 1);
	}
}

static bool find_matches(struct flame *flame, struct ranking *r,
			 const char *pattern)
{
	const struct fl_layout *l = r->layout;
	char why[256];
	struct fl_regex *re = fl_regex_new(pattern, false, why, sizeof(why));

	if (!re) {
		fl_fail(flame, "%s", why);
		return false;
	}
	/* Once each of the names that there are in the tree. */
	for (uint32_t i = 0; i < l->count; i++) {
		flame_id name = l->name[i];

		if (r->until[name])
			continue;
		r->until[name] = 1;
		r->matches[name] = name &&
			fl_java_match(re, fl_name_at(flame, name));
	}
	fl_regex_free(re);
	return true;
}

static bool rank(struct flame *flame, struct ranking *r,
		 enum flame_ranking which, const char *pattern)
{
	const struct fl_layout *l = r->layout;
	size_t depth = (size_t)l->depth + 1;
	uint32_t *levels;

	r->at = fl_alloc(fl_size_mul((size_t)l->count + 1, sizeof(*r->at)));
	r->place = fl_zeroed(flame->names.count, sizeof(*r->place));
	r->until = fl_zeroed(flame->names.count, sizeof(*r->until));
	r->matches = fl_zeroed(flame->names.count, sizeof(*r->matches));
	levels = fl_alloc(fl_size_mul(2 * depth, sizeof(*levels)));
	if (!r->at || !r->place || !r->until || !r->matches || !levels)
		fl_no_memory(flame);
	else if (which == FLAME_NAMES)
		rank_names(r);
	else if (find_matches(flame, r, pattern))
		rank_around(r, which == FLAME_CALLERS, levels,
			    levels + depth);
	fl_free(levels);
	return !fl_failed(flame);
}

static void scale_ranks(const struct flame_tree *tree, struct ranking *r)
{
	for (uint32_t i = 0; i < r->n; i++)
		for (unsigned c = 0; c < tree->columns; c++) {
			int64_t *self = &r->at[i].self[c];
			int64_t *total = &r->at[i].total[c];

			*self = fl_tree_scaled(tree, c, *self);
			*total = fl_tree_scaled(tree, c, *total);
		}
}

int flame_tree_rank(struct flame_tree *tree, enum flame_ranking which,
		    const char *re, const struct flame_rank **ranks, size_t *n)
{
	struct ranking r = { 0 };
	struct fl_layout *layout;
	bool good;

	if (!tree || !ranks || !n)
		return FLAME_FAILED;
	if ((unsigned)which > FLAME_CALLEES || (which != FLAME_NAMES && !re))
		return fl_fail(tree->flame, "no such ranking, or no pattern");
	layout = fl_tree_layout(tree, 0, true, false);
	r.layout = layout;
	good = layout && rank(tree->flame, &r, which, re);
	if (good)
		scale_ranks(tree, &r);
	fl_layout_free(layout);
	fl_free(r.place);
	fl_free(r.until);
	fl_free(r.matches);
	fl_free(tree->ranks);
	tree->ranks = r.at;
	*ranks = r.at;
	*n = r.n;
	return good ? FLAME_OK : FLAME_FAILED;
}

/* Nodes --------------------------------------------------------------- */

struct child {
	int64_t weight;
	uint32_t node;
};

/* Descending; equal weights by name. */
static int by_weight(const void *a, const void *b)
{
	const struct child *x = a, *y = b;

	if (x->weight != y->weight)
		return x->weight < y->weight ? 1 : -1;
	return (x->node > y->node) - (x->node < y->node);
}

static int64_t weight_of(const struct fl_layout *l, uint32_t node)
{
	return l->columns == 1 ? l->total[0][node] :
	       FL_MAX(l->total[0][node], l->total[1][node]);
}

/* Sets place[i], the new index of node i; parents before children. */
static void sort_siblings(const struct fl_layout *l, uint32_t *place,
			  struct child *children)
{
	place[0] = 0;
	for (uint32_t i = 0; i < l->count; i++) {
		uint32_t n = 0, to = place[i] + 1;

		for (uint32_t j = i + 1; j < l->end[i]; j = l->end[j])
			children[n++] = (struct child){ weight_of(l, j), j };
		if (n > 1)
			qsort(children, n, sizeof(*children), by_weight);
		for (uint32_t j = 0; j < n; j++) {
			uint32_t child = children[j].node;

			place[child] = to;
			to += l->end[child] - child;
		}
	}
}

static void fill(struct flame_node *nodes, const struct flame_tree *tree,
		 const struct fl_layout *l, const uint32_t *place)
{
	for (uint32_t i = 0; i < l->count; i++) {
		struct flame_node *node = &nodes[place[i]];

		*node = (struct flame_node){
			.name = l->name[i], .type = l->type[i],
			.level = l->level[i],
		};
		for (unsigned c = 0; c < l->columns; c++) {
			node->self[c] = fl_tree_scaled(tree, c, l->self[c][i]);
			node->total[c] = fl_tree_scaled(tree, c,
							l->total[c][i]);
		}
	}
}

int flame_tree_nodes(struct flame_tree *tree, double minimum,
		     const struct flame_node **nodes, size_t *n)
{
	struct fl_layout *l;
	uint32_t *place = NULL;
	struct child *children = NULL;

	if (!tree || !nodes || !n)
		return FLAME_FAILED;
	l = fl_tree_layout(tree, minimum, true, false);
	fl_free(tree->nodes);
	tree->nodes = NULL;
	*nodes = NULL;
	*n = 0;
	if (!l)
		return FLAME_FAILED;
	place = fl_alloc(l->count * sizeof(*place));
	children = fl_alloc(l->count * sizeof(*children));
	tree->nodes = fl_alloc(l->count * sizeof(*tree->nodes));
	if (place && children && tree->nodes) {
		sort_siblings(l, place, children);
		fill(tree->nodes, tree, l, place);
		*nodes = tree->nodes;
		*n = l->count;
	} else {
		fl_no_memory(tree->flame);
	}
	fl_free(place);
	fl_free(children);
	fl_layout_free(l);
	return *nodes ? FLAME_OK : FLAME_FAILED;
}
