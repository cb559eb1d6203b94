/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sums samples in a tree for each metric, and passes them on unchanged:
 * flame-batch reads an input once for its page and for the sums, ranks and
 * folded stacks.  flame_trees_sink() is the sink, flame_trees_at() returns the
 * trees.
 */
#include "fl.h"

#include "tree/tree.h"

struct metric_tree {
	flame_id metric;
	struct flame_tree *tree;
	struct flame_sink *sink;
};

struct flame_trees {
	struct flame *flame;
	struct metric_tree *data;
	size_t count, capacity, last;
};

struct flame_trees *flame_trees_new(struct flame *flame)
{
	struct flame_trees *trees = fl_zeroed(1, sizeof(*trees));

	if (!trees)
		fl_no_memory(flame);
	else
		trees->flame = flame;
	return trees;
}

static struct metric_tree *add_metric(struct flame_trees *trees,
				      flame_id metric)
{
	struct metric_tree *t;

	if (!fl_grow(&trees->data, &trees->capacity, trees->count + 1,
		     sizeof(*t))) {
		fl_no_memory(trees->flame);
		return NULL;
	}
	t = &trees->data[trees->count];
	*t = (struct metric_tree){ .metric = metric };
	t->tree = flame_tree_new(trees->flame, 1);
	t->sink = t->tree ? flame_tree_sink(t->tree, 0) : NULL;
	if (!t->sink) {
		flame_tree_free(t->tree);
		return NULL;
	}
	trees->count++;
	return t;
}

static struct metric_tree *tree_of(struct flame_trees *trees, flame_id metric)
{
	if (trees->last < trees->count &&
	    trees->data[trees->last].metric == metric)
		return &trees->data[trees->last];
	for (size_t i = 0; i < trees->count; i++)
		if (trees->data[i].metric == metric) {
			trees->last = i;
			return &trees->data[i];
		}
	trees->last = trees->count;
	return add_metric(trees, metric);
}

static int put(struct flame_sink *sink, const struct flame_sample *sample)
{
	struct flame_trees *trees = *(struct flame_trees **)sink->state;
	struct metric_tree *t = tree_of(trees, sample->metric);

	if (!t || fl_put(t->sink, sample) != FLAME_OK)
		return FLAME_FAILED;
	return fl_put(sink->next, sample);
}

struct flame_sink *flame_trees_sink(struct flame_trees *trees,
				    struct flame_sink *next)
{
	struct flame_sink *sink = next ? fl_sink_new(trees->flame, next,
						sizeof(struct flame_trees *)) :
					 NULL;

	if (!sink) {
		flame_abandon(next);
		return NULL;
	}
	*(struct flame_trees **)sink->state = trees;
	sink->put = put;
	return sink;
}

struct flame_tree *flame_trees_at(const struct flame_trees *trees, size_t i)
{
	return trees && i < trees->count ? trees->data[i].tree : NULL;
}

void flame_trees_free(struct flame_trees *trees)
{
	if (!trees)
		return;
	while (trees->count) {
		struct metric_tree *t = &trees->data[--trees->count];

		flame_abandon(t->sink);
		flame_tree_free(t->tree);
	}
	fl_free(trees->data);
	fl_free(trees);
}
