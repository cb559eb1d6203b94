/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Runs of a job before and after a change, made of folded text.  Expected
 * numbers are sums by hand, or of SciPy's ttest_ind where they say so.
 */
#include "fl.h"

#include "tree/trials.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static struct flame *flame;
static struct flame_trials *trials;

static void start(void)
{
	flame = flame_new();
	cr_assert(flame);
	trials = flame_trials_new(flame);
	cr_assert(trials);
}

static void stop(void)
{
	flame_trials_free(trials);
	flame_free(flame);
}

TestSuite(trials, .init = start, .fini = stop);

static void add(unsigned side, const char *text)
{
	struct flame_tree *tree = flame_tree_new(flame, 1);
	struct flame_source *source = flame_open_memory(flame, text,
		strlen(text), "m", "folded");
	struct flame_sink *sink = flame_tree_sink(tree, 0);

	cr_assert(source && sink, "%s", flame_error(flame));
	cr_assert_eq(flame_pump(source, sink), FLAME_OK);
	flame_close(source);
	cr_assert_eq(flame_finish(sink), FLAME_OK);
	cr_assert_eq(flame_trials_add(trials, side, tree), FLAME_OK);
	flame_tree_free(tree);
}

/* A run of main, which calls f and g and h, with these weights. */
static void run(unsigned side, int f, int g, int h)
{
	char text[256];

	snprintf(text, sizeof(text), "main;f %d\nmain;g %d\nmain;g;h %d\n", f,
		 g, h);
	add(side, text);
}

static const struct flame_change *change_of(const char *name, bool self)
{
	const struct flame_change *c;

	for (size_t i = 0; (c = flame_trials_at(trials, i)); i++)
		if (c->self == self &&
		    strcmp(flame_name_text(flame, c->name, NULL), name) == 0)
			return c;
	return NULL;
}

/* Names that were found and are not explained, with blanks between. */
static const char *found(void)
{
	static char text[256];
	const struct flame_change *c;

	text[0] = '\0';
	for (size_t i = 0; (c = flame_trials_at(trials, i)); i++)
		if (c->found && !c->explained)
			snprintf(text + strlen(text),
				 sizeof(text) - strlen(text), "%s%s%s",
				 *text ? " " : "",
				 flame_name_text(flame, c->name, NULL),
				 c->self ? "(self)" : "");
	return text;
}

static void compare(enum flame_scaling scaling)
{
	cr_assert_eq(flame_trials_compare(trials, scaling, 0.05, NULL),
		     FLAME_OK, "%s", flame_error(flame));
}

Test(trials, means_are_of_runs_and_values_are_kept)
{
	run(0, 100, 10, 200);
	run(0, 102, 10, 204);
	run(1, 110, 10, 190);
	compare(FLAME_ABSOLUTE);
	cr_assert(change_of("g", false));
	cr_expect_eq(change_of("g", false)->mean[0], 212);
	cr_expect_eq(change_of("g", false)->mean[1], 200);
	cr_expect_eq(change_of("g", true)->mean[0], 10);
	cr_expect_eq(change_of("f", false)->values[1], 102);
	cr_expect_eq(change_of("f", false)->values[2], 110);
	cr_expect_eq(flame_trials_all(trials)->mean[0], 313);
	cr_expect_not(change_of("f", true), "a leaf's self is its total");
	cr_expect_not(change_of("main", false) && change_of("", false),
		      "main is all of it");
}

Test(trials, recursion_counts_once)
{
	add(0, "a;b;a 5\na 1\n");
	add(0, "a;b;a 7\na 1\n");
	add(1, "a;b;a 5\na 1\n");
	compare(FLAME_ABSOLUTE);
	cr_assert(change_of("a", false));
	cr_expect_eq(change_of("a", false)->mean[0], 7);
}

Test(trials, what_grew_is_found_and_explains_its_callers)
{
	for (int i = 0; i < 5; i++)
		run(0, 1000 + i, 100 - i, 500 + i % 2);
	for (int i = 0; i < 5; i++)
		run(1, 1000 - i, 100 + i, 800 + i % 2);
	compare(FLAME_ABSOLUTE);
	cr_expect_str_eq(found(), "h");
	cr_expect(change_of("g", false)->found);
	cr_expect(change_of("g", false)->explained);
	cr_expect_not(change_of("f", false)->found);
}

Test(trials, a_frame_of_which_all_grew_explains_its_callees)
{
	for (int i = 0; i < 5; i++)
		run(0, 5000 + i, 1000 - i, 1000 + i % 2);
	for (int i = 0; i < 5; i++)
		run(1, 5000 - i, 1400 + i, 1400 + i % 2);
	compare(FLAME_ABSOLUTE);
	cr_expect_str_eq(found(), "g");
	cr_expect(change_of("h", false)->explained);
}

Test(trials, of_equal_work_shares_hide_what_weights_show)
{
	for (int i = 0; i < 4; i++)
		run(0, 1000 + i, 1000, 1000);
	for (int i = 0; i < 4; i++)
		run(1, 2000 + i, 2000, 2000);
	compare(FLAME_ABSOLUTE);
	cr_expect_neq(found()[0], '\0');
	compare(FLAME_SHARES);
	cr_expect_str_eq(found(), "");
	cr_expect_float_eq(change_of("f", false)->mean[0],
			   change_of("f", false)->mean[1], 2);
}

Test(trials, variance_is_never_less_than_chance_makes)
{
	/* Equal in all runs: of 100 to 118, sd is 10.4 each, and 7.4 of two. */
	for (int i = 0; i < 3; i++)
		run(0, 100, 1000, 1000);
	for (int i = 0; i < 3; i++)
		run(1, 118, 1000, 1000);
	compare(FLAME_ABSOLUTE);
	cr_expect_str_eq(found(), "");
	cr_expect_gt(change_of("f", false)->p, 2 * fl_student_tail(
		18 / sqrt(2 * 109 / 3.0), HUGE_VAL) - 1e-9);
}

Test(trials, weights_that_are_no_counts_vary_as_their_runs_do)
{
	/* scipy.stats.ttest_ind(after, before, equal_var=False) of total. */
	static const int before[] = { 560, 571, 548, 555, 562 };
	static const int after[] = { 610, 633, 601, 640 };
	flame_id metric = flame_metric(flame, "alloc", "bytes");

	for (int i = 0; i < 9; i++) {
		struct flame_tree *tree = flame_tree_new(flame, 1);
		struct flame_sink *sink = flame_tree_sink(tree, 0);
		const struct flame_frame frame = {
			.name = flame_name(flame, "f", 1)
		};
		struct flame_sample sample = {
			.stack = flame_stack(flame, 0,
					     flame_frame(flame, &frame)),
			.metric = metric, .time = FLAME_NOTIME,
			.weight = i < 5 ? before[i] : after[i - 5],
		};

		cr_assert_eq(flame_put(sink, &sample), FLAME_OK);
		cr_assert_eq(flame_finish(sink), FLAME_OK);
		flame_trials_add(trials, i >= 5, tree);
		flame_tree_free(tree);
	}
	compare(FLAME_ABSOLUTE);
	cr_expect_float_eq(flame_trials_all(trials)->p, 0.0034288596880625802,
			   1e-9);
	cr_expect_float_eq(flame_trials_all(trials)->low, 1.0605046578023938,
			   1e-7);
	cr_expect_float_eq(flame_trials_all(trials)->high, 1.161318655771777,
			   1e-7);
}

static enum flame_verdict judge(double limit)
{
	struct flame_judgement j;

	flame_trials_judge(trials, limit, &j);
	return j.verdict;
}

Test(trials, a_limit_is_kept_or_not_or_not_known)
{
	for (int i = 0; i < 5; i++)
		run(0, 10000 + i, 10000, 10000);
	for (int i = 0; i < 5; i++)
		run(1, 11000 + i, 10000, 10000);
	compare(FLAME_ABSOLUTE);
	cr_expect_eq(judge(0.05), FLAME_WORSE);
	cr_expect_eq(judge(0.1), FLAME_UNSURE);
	cr_expect_eq(judge(0.2), FLAME_WITHIN);
}

Test(trials, runs_that_would_do_are_told)
{
	struct flame_judgement j;

	for (int i = 0; i < 4; i++)
		run(i / 2, 1000, 1000, 1000);
	run(1, 1000, 1000, 1000);
	compare(FLAME_ABSOLUTE);
	flame_trials_judge(trials, 0.01, &j);
	cr_expect_eq(j.verdict, FLAME_UNSURE);
	/*
	 * By Poisson: (1.645 + 0.842)^2 (1.01^2 + 1) 1000 / 10^2 = 124.9 of f,
	 * g alone, and h.
	 */
	cr_expect_eq(j.runs, 125);
}

Test(trials, two_runs_on_each_side_are_too_few_to_judge)
{
	for (int i = 0; i < 4; i++)
		run(i / 2, i / 2 ? 3000 : 1000, 1000, 1000);
	compare(FLAME_ABSOLUTE);
	cr_expect_str_eq(found(), "f");
	cr_expect_eq(judge(0.05), FLAME_UNSURE);
	cr_expect_eq(judge(50), FLAME_UNSURE);
}

Test(trials, sides_without_runs_and_trees_of_two_columns_are_refused)
{
	run(0, 1, 1, 1);
	cr_expect_eq(flame_trials_compare(trials, FLAME_ABSOLUTE, 0.05, NULL),
		     FLAME_FAILED);
	cr_expect_str_eq(flame_error(flame), "no runs after the change");
}
