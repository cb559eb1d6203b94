/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A tree for each metric of a flow that goes on unchanged.
 */
#include "fl.h"

#include "tree/tree.h"

#include <criterion/criterion.h>

static void send(struct flame *flame, struct flame_sink *sink,
		 const char *metric, const char *frame, int64_t weight)
{
	const struct flame_frame f = {
		.name = flame_name(flame, frame, strlen(frame)),
	};
	const struct flame_sample sample = {
		.stack = flame_stack(flame, 0, flame_frame(flame, &f)),
		.metric = flame_metric(flame, metric, "samples"),
		.time = FLAME_NOTIME, .weight = weight,
	};

	cr_assert_eq(flame_put(sink, &sample), FLAME_OK);
}

Test(metric_trees, each_metric_has_a_tree_and_all_goes_on)
{
	struct flame *flame = flame_new();
	struct flame_trees *trees = flame_trees_new(flame);
	struct flame_tree *all = flame_tree_new(flame, 1);
	struct flame_sink *sink = flame_tree_sink(all, 0);

	cr_assert_eq(flame_set(sink, "events", "all"), FLAME_OK);
	sink = flame_trees_sink(trees, sink);
	send(flame, sink, "wall", "a", 3);
	send(flame, sink, "cpu", "a", 4);
	send(flame, sink, "wall", "b", 5);
	cr_assert_eq(flame_finish(sink), FLAME_OK);
	cr_expect_eq(flame_tree_total(flame_tree_at(all, 0), 0), 4);
	cr_expect_eq(flame_tree_total(flame_tree_at(all, 1), 0), 8);
	cr_expect_str_eq(flame_tree_metric(flame_trees_at(trees, 0)), "wall");
	cr_expect_eq(flame_tree_total(flame_trees_at(trees, 0), 0), 8);
	cr_expect_str_eq(flame_tree_metric(flame_trees_at(trees, 1)), "cpu");
	cr_expect_eq(flame_tree_total(flame_trees_at(trees, 1), 0), 4);
	cr_expect_null(flame_trees_at(trees, 2));
	flame_tree_free(all);
	flame_trees_free(trees);
	flame_trees_free(NULL);
	flame_free(flame);
}

static int put(struct flame *flame, struct flame_sink *sink,
	       const char *metric, int64_t weight)
{
	const struct flame_sample sample = {
		.metric = metric ? flame_metric(flame, metric, "samples") : 0,
		.time = FLAME_NOTIME, .weight = weight,
	};

	return flame_put(sink, &sample);
}

static void expect_refusal(struct flame *flame, struct flame_sink *sink)
{
	cr_assert_eq(put(flame, sink, "cpu", 3), FLAME_OK);
	cr_expect_eq(put(flame, sink, "wall", 4), FLAME_FAILED);
	cr_expect_str_eq(flame_error(flame), "a second metric, wall, after "
			 "cpu: flame_pick() chooses one");
	flame_abandon(sink);
}

Test(metric_trees, a_second_metric_is_not_added)
{
	static const char *const formats[] = { "html", "svg", "text",
					       "folded" };
	struct flame *flame = flame_new();
	struct flame_tree *tree = flame_tree_new(flame, 1);

	expect_refusal(flame, flame_tree_sink(tree, 0));
	cr_expect_eq(flame_tree_total(tree, 0), 3);
	flame_tree_free(tree);
	flame_free(flame);
	for (size_t i = 0; i < FL_COUNT(formats); i++) {
		flame = flame_new();
		expect_refusal(flame, flame_create(flame, "/dev/null",
						   formats[i]));
		flame_free(flame);
	}
}

Test(metric_trees, weights_of_no_metric_add_to_any)
{
	struct flame *flame = flame_new();
	struct flame_tree *tree = flame_tree_new(flame, 1);
	struct flame_sink *sink = flame_tree_sink(tree, 0);

	cr_expect_eq(put(flame, sink, NULL, 1), FLAME_OK);
	cr_expect_eq(put(flame, sink, "wall", 2), FLAME_OK);
	cr_expect_eq(put(flame, sink, NULL, 4), FLAME_OK);
	cr_expect_eq(flame_finish(sink), FLAME_OK);
	cr_expect_eq(flame_tree_total(tree, 0), 7);
	cr_expect_str_eq(flame_tree_metric(tree), "wall");
	flame_tree_free(tree);
	flame_free(flame);
}

Test(metric_trees, columns_may_have_unlike_metrics)
{
	struct flame *flame = flame_new();
	struct flame_tree *tree = flame_tree_new(flame, 2);
	struct flame_sink *sink = flame_tree_sink(tree, 0);

	cr_expect_eq(put(flame, sink, "cpu", 1), FLAME_OK);
	cr_expect_eq(flame_finish(sink), FLAME_OK);
	sink = flame_tree_sink(tree, 1);
	cr_expect_eq(put(flame, sink, "wall", 2), FLAME_OK);
	cr_expect_eq(flame_finish(sink), FLAME_OK);
	flame_tree_free(tree);
	flame_free(flame);
}

static void fill(struct flame *flame, struct flame_tree *tree, unsigned column,
		 const char *events, const char *metric, int64_t weight)
{
	struct flame_sink *sink = flame_tree_sink(tree, column);

	cr_assert_eq(flame_set(sink, "events", events), FLAME_OK);
	sink = flame_pick(sink, NULL);
	send(flame, sink, "alloc", "a", 2);
	send(flame, sink, metric, "b", weight);
	cr_assert_eq(flame_finish(sink), FLAME_OK);
}

Test(metric_trees, a_comparison_has_a_tree_of_two_columns_for_each_metric)
{
	struct flame *flame = flame_new();
	struct flame_tree *tree = flame_tree_new(flame, 2), *of;

	fill(flame, tree, 0, "all", "wall", 3);
	fill(flame, tree, 1, "all", "cpu", 5);
	cr_expect_eq(flame_tree_total(tree, 0), 0);
	/* As tabs: cpu first, then by samples. */
	of = flame_tree_at(tree, 0);
	cr_expect_str_eq(flame_tree_metric(of), "cpu");
	cr_expect_eq(flame_tree_total(of, 0), 0);
	cr_expect_eq(flame_tree_total(of, 1), 5);
	cr_expect_str_eq(flame_tree_metric(flame_tree_at(tree, 2)), "wall");
	cr_expect_eq(flame_tree_total(flame_tree_at(tree, 2), 0), 3);
	cr_expect_null(flame_tree_at(tree, 3));
	flame_tree_free(tree);
	flame_free(flame);
}

Test(metric_trees, a_comparison_has_no_metric_that_is_not_listed)
{
	struct flame *flame = flame_new();
	struct flame_tree *tree = flame_tree_new(flame, 2);
	struct flame_sink *page;

	fill(flame, tree, 0, "cpu,wall", "wall", 3);
	fill(flame, tree, 1, "cpu,wall", "cpu", 5);
	cr_expect_str_eq(flame_tree_metric(flame_tree_at(tree, 0)), "cpu");
	cr_expect_str_eq(flame_tree_metric(flame_tree_at(tree, 1)), "wall");
	cr_expect_null(flame_tree_at(tree, 2));
	page = flame_create(flame, "/dev/null", "folded");
	cr_assert_eq(flame_tree_write(tree, page), FLAME_OK);
	cr_expect_eq(flame_finish(page), FLAME_FAILED);
	cr_expect_not_null(strstr(flame_error(flame), "html only"));
	flame_tree_free(tree);
	flame_free(flame);
}
