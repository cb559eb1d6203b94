/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sums samples by stack: flame_tree_sink() adds them to one array of weights
 * per column, indexed by stack; with the option events, in a tree for each
 * metric.  Layouts, ranks, and the writers of pages and folded text read the
 * sums.
 */
#include "fl.h"

#include "tree/tree.h"

#include <inttypes.h>
#include <stdlib.h>

struct flame_tree *flame_tree_new(struct flame *flame, unsigned columns)
{
	struct flame_tree *tree;

	if (!flame || columns < 1 || columns > 2) {
		fl_fail(flame, "a tree has 1 or 2 columns, not %u", columns);
		return NULL;
	}
	tree = fl_zeroed(1, sizeof(*tree));
	if (!tree) {
		fl_no_memory(flame);
		return NULL;
	}
	tree->flame = flame;
	tree->columns = columns;
	return tree;
}

void flame_tree_free(struct flame_tree *tree)
{
	if (!tree)
		return;
	for (size_t i = 0; i < tree->nmetrics; i++)
		flame_tree_free(tree->by_metric[i]);
	fl_free(tree->by_metric);
	fl_free(tree->events);
	fl_free(tree->weight[0]);
	fl_free(tree->weight[1]);
	fl_free(tree->ranks);
	fl_free(tree->nodes);
	fl_origins_free(&tree->origins[0]);
	fl_origins_free(&tree->origins[1]);
	fl_free(tree);
}

int64_t flame_tree_total(const struct flame_tree *tree, unsigned column)
{
	return tree && column < tree->columns ?
		       fl_tree_scaled(tree, column, tree->total[column]) : 0;
}

/* Zeroes only the weights in use: pages after them stay untouched. */
static bool grow_weights(struct flame_tree *tree, unsigned column,
			 flame_id stack)
{
	size_t old = tree->capacity[column];
	size_t need = FL_MAX((size_t)stack + 1, tree->flame->stacks.count);

	if (!fl_grow(&tree->weight[column], &tree->reserved[column], need,
		     sizeof(int64_t)))
		return false;
	memset(tree->weight[column] + old, 0, (need - old) * sizeof(int64_t));
	tree->capacity[column] = need;
	return true;
}

bool fl_tree_reserve(struct flame_tree *tree, unsigned column, flame_id stack)
{
	return fl_likely(stack < tree->capacity[column]) ||
	       grow_weights(tree, column, stack);
}

int fl_tree_add(struct flame_tree *tree, unsigned column, flame_id stack,
		int64_t weight)
{
	int64_t total;

	if (!fl_tree_reserve(tree, column, stack))
		return fl_no_memory(tree->flame);
	/* A stack's weight cannot overflow before the total does. */
	if (weight < 0)
		return fl_fail(tree->flame, "a sample of negative weight, %"
			       PRId64 ": weights below 0 cannot be drawn; "
			       "compare the two profiles themselves: "
			       "flame-diff OLD NEW", weight);
	if (__builtin_add_overflow(tree->total[column], weight, &total))
		return fl_fail(tree->flame, FL_TOO_HEAVY);
	tree->total[column] = total;
	tree->weight[column][stack] += weight;
	return FLAME_OK;
}

bool fl_tree_split(struct flame_tree *tree)
{
	struct flame *flame = tree->flame;

	for (unsigned c = 0; flame->whole.parent && c < tree->columns; c++)
		for (flame_id i = 0; i < tree->capacity[c]; i++) {
			flame_id to;

			if (!tree->weight[c][i] || !fl_is_whole(flame, i))
				continue;
			to = fl_whole_split(flame, i);
			if (!to || !fl_tree_reserve(tree, c, to))
				return false;
			tree->weight[c][to] += tree->weight[c][i];
			tree->weight[c][i] = 0;
		}
	return true;
}

int64_t *fl_tree_take(struct flame_tree *tree, unsigned column)
{
	int64_t *weight = tree->weight[column];

	tree->weight[column] = NULL;
	tree->capacity[column] = tree->reserved[column] = 0;
	return weight;
}

void fl_tree_swap(struct flame_tree *tree)
{
	int64_t *weight = tree->weight[0], total = tree->total[0];
	size_t capacity = tree->capacity[0], reserved = tree->reserved[0];

	tree->weight[0] = tree->weight[1];
	tree->capacity[0] = tree->capacity[1];
	tree->reserved[0] = tree->reserved[1];
	tree->total[0] = tree->total[1];
	tree->weight[1] = weight;
	tree->capacity[1] = capacity;
	tree->reserved[1] = reserved;
	tree->total[1] = total;
}

struct column {
	struct flame_tree *tree;
	unsigned column;
};

/* The tree of a metric, which may be new; NULL on failure. */
static struct flame_tree *tree_of_metric(struct flame_tree *tree,
					 flame_id metric)
{
	struct flame_tree *of;
	size_t i = tree->last_metric;

	if (i >= tree->nmetrics || tree->by_metric[i]->metric != metric)
		for (i = 0; i < tree->nmetrics; i++)
			if (tree->by_metric[i]->metric == metric)
				break;
	tree->last_metric = i;
	if (i < tree->nmetrics)
		return tree->by_metric[i];
	if (!fl_grow(&tree->by_metric, &tree->metrics_capacity, i + 1,
		     sizeof(struct flame_tree *))) {
		fl_no_memory(tree->flame);
		return NULL;
	}
	of = flame_tree_new(tree->flame, tree->columns);
	if (!of)
		return NULL;
	of->metric = metric;
	tree->by_metric[tree->nmetrics++] = of;
	return of;
}

/*
 * Weights of two metrics have no sum, unless they were asked for by name, as
 * cycles of both kinds of cores.  Those of folded text have no metric and add
 * to any, as after flame_pick: only its owner knows what they are.
 */
static int take_metric(struct flame_tree *tree, unsigned column,
		       flame_id metric)
{
	flame_id first = tree->metric_in[column];

	if (first && !tree->mixes)
		return fl_fail(tree->flame, "a second metric, %s, after %s: "
			       "flame_pick() chooses one",
			       flame_metric_of(tree->flame, metric)->name,
			       flame_metric_of(tree->flame, first)->name);
	tree->metric = tree->metric_in[column] = metric;
	return FLAME_OK;
}

static int put(struct flame_sink *sink, const struct flame_sample *sample)
{
	struct column *c = sink->state;
	struct flame_tree *tree = c->tree;

	if (sink->picked)
		tree->mixes = true;
	if (tree->events)
		tree = tree_of_metric(tree, sample->metric);
	else if (sample->metric &&
		 fl_unlikely(sample->metric != tree->metric_in[c->column]) &&
		 take_metric(tree, c->column, sample->metric) != FLAME_OK)
		return FLAME_FAILED;
	if (!tree)
		return FLAME_FAILED;
	return fl_tree_add(tree, c->column, sample->stack, sample->weight);
}

/* Nothing is gained where one of two profiles has stacks of frames. */
static bool takes_whole(struct flame_sink *sink)
{
	const struct flame_tree *tree = ((struct column *)sink->state)->tree;

	return tree->wants_whole && !tree->events &&
	       (!tree->total[0] || tree->flame->whole.parent);
}

static int set(struct flame_sink *sink, const char *option, const char *value)
{
	struct flame_tree *tree = ((struct column *)sink->state)->tree;
	char *events;

	if (strcmp(option, "whole") == 0) {
		tree->wants_whole = true;
		return FLAME_OK;
	}
	if (strcmp(option, "events") != 0 || !value || !*value)
		return FLAME_FAILED;
	events = fl_memory_adopt(strdup(value));
	if (!events)
		return fl_no_memory(sink->flame);
	fl_free(tree->events);
	sink->events = tree->events = events;
	return FLAME_OK;
}

struct flame_tree *flame_tree_at(const struct flame_tree *tree, size_t i)
{
	return tree && i < tree->nmetrics ? tree->by_metric[i] : NULL;
}

/* Extends the span over all sources of the column. */
static int end(struct flame_sink *sink, struct flame_source *source)
{
	const struct column *c = sink->state;
	struct fl_span *span = &c->tree->span[c->column];
	struct fl_origins *origins = &c->tree->origins[c->column];
	bool fresh = span->from == span->to;
	int64_t from, to;

	if (!fl_origins_add(origins, source))
		return fl_no_memory(sink->flame);
	sink->needs = fl_origins_needs(origins);
	if (!fl_source_span(source, &from, &to)) {
		span->unknown = true;
	} else {
		span->from = fresh ? from : FL_MIN(span->from, from);
		span->to = fresh ? to : FL_MAX(span->to, to);
	}
	for (size_t i = 0; i < c->tree->nmetrics; i++)
		memcpy(c->tree->by_metric[i]->span, c->tree->span,
		       sizeof(c->tree->span));
	return FLAME_OK;
}

int64_t flame_tree_duration(const struct flame_tree *tree, unsigned column)
{
	int64_t ns;

	if (!tree || column >= tree->columns || tree->span[column].unknown ||
	    __builtin_sub_overflow(tree->span[column].to,
				   tree->span[column].from, &ns))
		return 0;
	return ns;
}

static void sort_metrics(struct flame_tree *tree)
{
	for (size_t i = 1; i < tree->nmetrics; i++) {
		struct flame_tree *of = tree->by_metric[i];
		double order = fl_event_order(tree->flame, tree->events,
					      of->metric);
		size_t j = i;

		for (; j && fl_event_order(tree->flame, tree->events,
					   tree->by_metric[j - 1]->metric) <
				    order;
		     j--)
			tree->by_metric[j] = tree->by_metric[j - 1];
		tree->by_metric[j] = of;
	}
}

/* Metrics that are missing, or on one side only.  false: out of memory. */
static bool remark_missing(const struct flame_tree *tree)
{
	flame_id *ids = fl_alloc(fl_size_mul(tree->nmetrics + 1,
					     sizeof(*ids)));

	if (!ids)
		return false;
	for (size_t i = 0; i < tree->nmetrics; i++) {
		const struct flame_tree *of = tree->by_metric[i];

		ids[i] = of->metric;
		if (of->columns == 2 && !of->total[0] != !of->total[1])
			fl_remark(tree->flame, "no samples of %s %s",
				  flame_tree_metric(of),
				  of->total[0] ? "after" : "before");
	}
	fl_remark_absent(tree->flame, tree->events, ids, tree->nmetrics);
	fl_free(ids);
	return true;
}

/* All columns are gathered: sorts trees of metrics; nothing is in any. */
static int finish(struct flame_sink *sink)
{
	struct column *c = sink->state;
	struct flame_tree *tree = c->tree;

	if (c->column + 1 < tree->columns || tree->total[0] || tree->total[1])
		return FLAME_OK;
	if (tree->events) {
		sort_metrics(tree);
		if (!remark_missing(tree))
			return fl_no_memory(sink->flame);
	}
	for (size_t i = 0; i < tree->nmetrics; i++)
		if (tree->by_metric[i]->total[0] ||
		    tree->by_metric[i]->total[1])
			return FLAME_OK;
	return fl_refuse_empty(sink->flame);
}

struct flame_sink *flame_tree_sink(struct flame_tree *tree, unsigned column)
{
	struct flame_sink *sink;
	struct column *c;

	if (!tree)
		return NULL;
	if (column >= tree->columns) {
		fl_fail(tree->flame, "no column %u in this tree", column);
		return NULL;
	}
	sink = fl_sink_new(tree->flame, NULL, sizeof(*c));
	if (!sink)
		return NULL;
	c = sink->state;
	c->tree = tree;
	c->column = column;
	sink->needs = FL_NEED_FACTS;
	sink->labels = FL_NO_OTHER_LABEL;
	sink->put = put;
	sink->end = end;
	sink->set = set;
	sink->whole = takes_whole;
	sink->finish = finish;
	sink->events = tree->events;
	return sink;
}

const char *flame_tree_metric(const struct flame_tree *tree)
{
	return tree ? flame_metric_of(tree->flame, tree->metric)->name : "";
}
