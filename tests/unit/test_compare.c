/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Comparisons: how long columns were recorded, what before is scaled to,
 * what is as wide as what.
 */
#include "fl.h"

#include "draw/draw.h"

#include <criterion/criterion.h>
#include <stdio.h>

static struct flame *flame;
static struct flame_tree *tree;
static struct fl_buf out;

static void start(void)
{
	flame = flame_new();
	tree = flame_tree_new(flame, 2);
	cr_assert(flame && tree);
}

static void stop(void)
{
	flame_tree_free(tree);
	flame_free(flame);
	fl_buf_free(&out);
}

TestSuite(durations, .init = start, .fini = stop);
TestSuite(columns, .init = start, .fini = stop);

static void add(unsigned column, const char *text, const char *format,
		const char *to)
{
	struct flame_source *source = flame_open_memory(flame, text,
							strlen(text), "m",
							format);
	struct flame_sink *sink = flame_tree_sink(tree, column);

	cr_assert(source && sink, "%s", flame_error(flame));
	if (to)
		cr_assert_eq(flame_ask(source, "to", to), FLAME_OK);
	cr_assert_eq(flame_pump(source, sink), FLAME_OK);
	flame_close(source);
	cr_assert_eq(flame_finish(sink), FLAME_OK);
}

static const char one_to_nine[] =
	"x 1 3.0: 1 cycles:\n\t1 f (/x)\n\n"
	"x 1 1.5: 1 cycles:\n\t1 f (/x)\n\n"
	"x 1 9.0: 1 cycles:\n\t1 g (/x)\n\n";

Test(durations, are_from_the_first_to_the_last_sample)
{
	add(0, one_to_nine, "perf", NULL);
	cr_assert_eq(flame_tree_duration(tree, 0), INT64_C(7500000000));
	cr_assert_eq(flame_tree_duration(tree, 1), 0);
	cr_assert_eq(flame_tree_duration(tree, 2), 0);
}

Test(durations, end_where_was_asked_for)
{
	add(0, one_to_nine, "perf", "1500");
	/* From the first one there, at 3 s. */
	cr_assert_eq(flame_tree_duration(tree, 0), INT64_C(3000000000));
	add(1, one_to_nine, "perf", "-2s");
	cr_assert_eq(flame_tree_duration(tree, 1), INT64_C(5500000000));
}

Test(durations, of_two_in_a_column_are_of_both)
{
	add(0, one_to_nine, "perf", NULL);
	add(0, "x 1 11.5: 1 cycles:\n\t1 f (/x)\n\n"
	       "x 1 12.5: 1 cycles:\n\t1 f (/x)\n\n", "perf", NULL);
	cr_assert_eq(flame_tree_duration(tree, 0), INT64_C(11000000000));
}

Test(durations, are_not_known_where_one_is_not)
{
	add(0, one_to_nine, "perf", NULL);
	add(0, "f 1\n", "folded", NULL);
	cr_assert_eq(flame_tree_duration(tree, 0), 0);
	add(1, "x 1 11.5: 1 cycles:\n\t1 f (/x)\n\n", "perf", NULL);
	cr_assert_eq(flame_tree_duration(tree, 1), 0, "one moment");
}

/* "widths max" of the nodes, by what the page scales before. */
static const char *widths(double scale)
{
	struct fl_page page = { .tree = tree, .compare.scale = scale,
				.compare.widths = FL_WIDTHS_MAX };
	struct fl_layout *layout = fl_tree_layout(tree, 0, false, false);
	struct fl_column column = { 0 };

	cr_assert(layout);
	cr_assert(fl_column_open(&column, &page, layout));
	out.size = 0;
	for (uint32_t i = 0; i < layout->count; i++)
		fl_buf_print(&out, "%s%lld", i ? " " : "",
			     (long long)column.layout.total[0][i]);
	fl_column_close(&column);
	fl_layout_free(layout);
	return out.data;
}

Test(columns, the_larger_selfs_add_up)
{
	add(0, "a 6\na;b 4\nold 1\n", "folded", NULL);
	add(1, "a 3\na;b 9\nnew 2\n", "folded", NULL);
	cr_expect_str_eq(widths(1), "18 15 9 2 1");
	cr_expect_str_eq(widths(2), "25 21 9 2 2");
	/* After is scaled up rather than before down. */
	cr_expect_str_eq(widths(0.5), "29 24 18 4 1");
}

Test(columns, of_the_widest_do_not_overflow)
{
	add(0, "a 9223372036854775807\n", "folded", NULL);
	add(1, "b 9223372036854775807\n", "folded", NULL);
	cr_expect_str_eq(widths(1), "4000000000000000000 "
			 "2000000000000000000 2000000000000000000");
	cr_expect_str_eq(widths(9e18), "4000000000000000000 "
			 "4000000000000000000 0");
}

Test(columns, changes_are_of_what_is_scaled)
{
	struct fl_page page = { .tree = tree, .compare.scale = 0.3 };
	struct fl_layout *l;

	add(0, "a 10\na;b 5\n", "folded", NULL);
	add(1, "a 1\n", "folded", NULL);
	l = fl_tree_layout(tree, 0, false, false);
	cr_assert(l);
	cr_expect_eq(fl_change(&page, l, 1, false), 1 - 10 * 0.3);
	cr_expect_eq(fl_change_rounded(&page, l, 1, false), -2);
	cr_expect_eq(fl_change_rounded(&page, l, 1, true), -3, "1 - 4.5");
	cr_expect_eq(fl_change_rounded(&page, l, 2, true), -1, "-1.5");
	cr_expect_eq(fl_max_change(&page, l, true), 3.5);
	fl_layout_free(l);
}

Test(columns, what_multiplying_leaves_is_no_change)
{
	cr_expect_eq(fl_ramp_step(1e-13, 100), FL_RAMP_NONE);
	cr_expect_eq(fl_ramp_step(-1e-13, 100), FL_RAMP_NONE);
}
