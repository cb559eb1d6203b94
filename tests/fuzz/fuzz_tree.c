/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Trees: stacks grow and shrink as the bytes say, weights go into two
 * columns; layouts, rankings and lists of nodes must add up.
 */
#include "fuzz.h"

#include "tree/pruned_layout.h"

static const int64_t weights[] = {
	0, 1, 2, 3, 1000, INT64_C(1) << 40, INT64_MAX / 4, INT64_MAX
};

static void grow(struct flame_tree *tree, const uint8_t *data, size_t size)
{
	struct flame *flame = tree->flame;
	flame_id stack = 0;

	for (size_t i = 0; i < size; i++) {
		unsigned op = data[i] >> 5, arg = data[i] & 31;
		char name[4] = { 'a' + (arg & 7), 0 };

		if (op < 3)	/* a frame more */
			stack = flame_stack(flame, stack,
				fl_frame(flame, fl_name(flame, name),
					 (arg >> 3) * 2 + op));
		else if (op == 3)
			for (; arg && stack; arg--)
				stack = fl_parent(flame, stack);
		else
			fl_tree_add(tree, op & 1 && tree->columns == 2, stack,
				    weights[arg % FL_COUNT(weights)]);
	}
}

/* A scaled column's ranks are rounded, each by a half at most. */
static void ranks_hold(const struct flame_tree *tree, unsigned column,
		       const struct flame_rank *ranks, size_t n)
{
	int64_t most = tree->scale[column].of ? (int64_t)n / 2 : 0;
	int64_t off = -flame_tree_total(tree, column);

	for (size_t i = 0; i < n; i++) {
		FUZZ_HOLDS(ranks[i].self[column] <= ranks[i].total[column]);
		off += ranks[i].self[column];
	}
	FUZZ_HOLDS(-most <= off && off <= most);
}

static void lists_hold(struct flame_tree *tree)
{
	const struct flame_node *nodes;
	const struct flame_rank *ranks;
	size_t n;

	if (flame_tree_rank(tree, FLAME_NAMES, NULL, &ranks, &n) == FLAME_OK)
		for (unsigned c = 0; c < tree->columns; c++)
			ranks_hold(tree, c, ranks, n);
	flame_tree_rank(tree, FLAME_CALLERS, "[ab]", &ranks, &n);
	flame_tree_rank(tree, FLAME_CALLEES, "[ab]", &ranks, &n);
	if (flame_tree_nodes(tree, 2, &nodes, &n) == FLAME_OK)
		FUZZ_HOLDS(n >= 1 &&
			   nodes[0].total[0] == flame_tree_total(tree, 0));
}

struct reported {
	int64_t all, outermost;
	unsigned deepest;
};

static void report(void *arg, unsigned level, unsigned further, int64_t x,
		   int64_t total, bool outermost)
{
	struct reported *reported = arg;

	FUZZ_HOLDS(level && x >= 0 && total > 0 && total <= reported->all - x);
	reported->outermost += outermost ? total : 0;
	reported->deepest = FL_MAX(reported->deepest, level + further);
}

/* Light nodes are reported, as heavy and as deep as they are. */
static void pruned_layout_holds(struct flame_tree *tree, int64_t least,
				size_t most, int64_t detail_limit)
{
	struct fl_layout *all = fl_tree_layout(tree, 0, false, false), *l;
	struct fl_pruned_layout *o = fl_pruned_layout_open(tree, false);
	struct reported reported = { .all = tree->total[0] };
	struct fl_light_nodes light = { report, &reported };
	int64_t self = 0;
	unsigned deepest = 0;
	uint32_t next = 0;

	FUZZ_HOLDS(all && o &&
		   fl_pruned_layout_limit(o, &least, most, detail_limit));
	l = fl_pruned_layout_build(o, &light);
	FUZZ_HOLDS(l);
	for (uint32_t i = 0; i < all->count; i++) {
		if (i && (all->total[0][i] < least || next >= most)) {
			deepest = FL_MAX(deepest, all->level[i]);
			continue;
		}
		FUZZ_HOLDS(next < l->count && l->name[next] == all->name[i] &&
			   l->total[0][next] == all->total[0][i] &&
			   l->self[0][next] == all->self[0][i]);
		self += l->self[0][next++];
	}
	FUZZ_HOLDS(next == l->count && deepest == reported.deepest);
	FUZZ_HOLDS(self + reported.outermost == tree->total[0]);
	fl_layout_free(l);
	fl_layout_free(all);
	fl_pruned_layout_free(o);
}

/* spend makes the same layout. */
static void spent_holds(struct flame_tree *tree)
{
	struct fl_layout *a = fl_tree_layout(tree, 0, false, false);
	struct fl_layout *b = fl_tree_layout(tree, 0, false, true);

	FUZZ_HOLDS(a && b && a->count == b->count);
	FUZZ_HOLDS(!memcmp(a->name, b->name, a->count * sizeof(*a->name)));
	FUZZ_HOLDS(!memcmp(a->end, b->end, a->count * sizeof(*a->end)));
	for (unsigned c = 0; c < tree->columns; c++)
		FUZZ_HOLDS(!memcmp(a->self[c], b->self[c],
				   a->count * sizeof(*a->self[c])));
	fl_layout_free(a);
	fl_layout_free(b);
}

static void of_columns(unsigned columns, const uint8_t *data, size_t size)
{
	static const double least[] = { 0, 2, 1e18 };
	struct flame *flame = fuzz_flame();
	struct flame_tree *tree = flame_tree_new(flame, columns);

	grow(tree, data, size);
	flame_clear(flame);	/* sums that pass 2^63 are refused */
	for (size_t i = 0; i < 2 * FL_COUNT(least); i++) {
		struct fl_layout *l = fl_tree_layout(tree, least[i / 2],
						     i & 1, false);

		FUZZ_HOLDS(l);
		if (!(i & 1))
			fuzz_layout_holds(flame, l);
		FUZZ_HOLDS(l->total[0][0] == tree->total[0]);
		fl_layout_free(l);
	}
	lists_hold(tree);
	if (columns == 1) {
		pruned_layout_holds(tree, 3, 20000, 0);
		pruned_layout_holds(tree, 3, 20000, 3);
		pruned_layout_holds(tree, INT64_MAX, 20000, 1000);
		pruned_layout_holds(tree, 1, 5, INT64_MAX);
	} else {
		flame_tree_scale(tree, 0, 1000003);
		lists_hold(tree);
		fl_tree_settle(tree);
		lists_hold(tree);
	}
	spent_holds(tree);
	fuzz_flame_holds(flame);
	flame_tree_free(tree);
	flame_free(flame);
}

void fuzz_tree(const struct fuzz_target *target, const uint8_t *data,
	       size_t size)
{
	(void)target;
	of_columns(1, data, size);
	of_columns(2, data, size);
}
