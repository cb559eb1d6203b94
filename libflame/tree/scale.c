/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Scales the weights of one column of a tree to a total, for differences of
 * profiles of unequal length (flame-diff -n, --since).  flame_tree_scale() only
 * stores the factor: the rounding of a thousand small stacks would be all of a
 * frame.  Readers of sums ask fl_tree_scaled() (top.c, layout.c, tree.c); who
 * reads tree->weight itself calls fl_tree_settle() first, which rounds stacks.
 */
#include "fl.h"

#include "tree/tree.h"

__extension__ typedef __int128 wide;

static int64_t scaled(const struct fl_scale *scale, int64_t sum, bool nearest)
{
	wide product = (wide)sum * scale->to, rest;
	wide n = product / scale->of;

	rest = product % scale->of;
	if (nearest && rest >= scale->of - rest)
		n++;
	return n > INT64_MAX ? INT64_MAX : (int64_t)n;
}

int64_t fl_tree_scaled(const struct flame_tree *tree, unsigned column,
		       int64_t sum)
{
	const struct fl_scale *scale = &tree->scale[column];

	return scale->of ? scaled(scale, sum, true) : sum;
}

int64_t fl_tree_scaled_down(const struct flame_tree *tree, unsigned column,
			    int64_t sum)
{
	const struct fl_scale *scale = &tree->scale[column];

	return scale->of ? scaled(scale, sum, false) : sum;
}

static void settle(struct flame_tree *tree, unsigned column)
{
	struct fl_scale *scale = &tree->scale[column];
	int64_t *weight = tree->weight[column], sum = 0, done = 0;

	for (size_t i = 0; i < tree->capacity[column]; i++) {
		sum += weight[i];
		weight[i] = scaled(scale, sum, true) - done;
		done += weight[i];
	}
	tree->total[column] = done;
	tree->settled[column] = (double)scale->to / (double)scale->of;
	*scale = (struct fl_scale){ 0 };
}

void fl_tree_settle(struct flame_tree *tree)
{
	for (unsigned c = 0; c < tree->columns; c++)
		if (tree->scale[c].of)
			settle(tree, c);
	for (size_t i = 0; i < tree->nmetrics; i++)
		fl_tree_settle(tree->by_metric[i]);
}

void flame_tree_scale(struct flame_tree *tree, unsigned column, int64_t total)
{
	if (tree && column < tree->columns && tree->total[column] > 0 && total >= 0)
		tree->scale[column] = (struct fl_scale){
			total, tree->total[column]
		};
}
