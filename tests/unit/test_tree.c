/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The tree room: samples gathered and laid out.  Trees are made of folded
 * text, layouts are compared as text: a node a line, indented by its level,
 * "name_[type] self/total".
 */
#include "fl.h"

#include "write/rows.h"
#include "tree/pruned_layout.h"
#include "tree/tree.h"

#include <criterion/criterion.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

static struct flame *flame;
static struct flame_tree *tree;
static struct fl_layout *layout;
static struct fl_buf out;

static void start(void)
{
	flame = flame_new();
	cr_assert(flame);
	tree = flame_tree_new(flame, 1);
	cr_assert(tree);
}

static void stop(void)
{
	fl_layout_free(layout);
	flame_tree_free(tree);
	flame_free(flame);
	fl_buf_free(&out);
}

TestSuite(totals, .init = start, .fini = stop);
TestSuite(types, .init = start, .fini = stop);
TestSuite(order, .init = start, .fini = stop);
TestSuite(minwidth, .init = start, .fini = stop);
TestSuite(sorted, .init = start, .fini = stop);
TestSuite(overflow, .init = start, .fini = stop);
TestSuite(columns, .init = start, .fini = stop);
TestSuite(places, .init = start, .fini = stop);
TestSuite(written, .init = start, .fini = stop);
TestSuite(pruned_layout, .init = start, .fini = stop);
TestSuite(shape, .init = start, .fini = stop);
TestSuite(threads, .init = start, .fini = stop);

Test(columns, nothing_in_all_of_them_may_be_refused)
{
	struct flame_tree *two = flame_tree_new(flame, 2);
	struct flame_sink *sink;

	flame_refuse_empty(flame, true);
	sink = flame_tree_sink(two, 0);
	cr_expect_eq(flame_finish(sink), FLAME_OK);
	cr_expect_not(flame_refused_empty(flame));
	sink = flame_tree_sink(two, 1);
	cr_expect_eq(flame_finish(sink), FLAME_FAILED);
	cr_expect(flame_refused_empty(flame));
	cr_expect_str_eq(flame_error(flame), "no sample was selected");
	flame_tree_free(two);
}

static void add_to(struct flame_tree *to, unsigned column, const char *text)
{
	struct flame_source *source =
		flame_open_memory(flame, text, strlen(text), "m", "folded");
	struct flame_sink *sink = flame_tree_sink(to, column);

	cr_assert(source && sink, "%s", flame_error(flame));
	cr_assert_eq(flame_pump(source, sink), FLAME_OK, "%s",
		     flame_error(flame));
	flame_close(source);
	cr_assert_eq(flame_finish(sink), FLAME_OK);
}

static struct fl_layout *lay(double minimum, bool lossy)
{
	fl_layout_free(layout);
	layout = fl_tree_layout(tree, minimum, lossy, false);
	cr_assert(layout, "%s", flame_error(flame));
	return layout;
}

static const char *shown(void)
{
	static const char *const native = "_[n]";

	out.size = 0;
	fl_buf_text(&out, "");
	for (uint32_t i = 0; i < layout->count; i++) {
		for (uint32_t j = 0; j < layout->level[i]; j++)
			fl_buf_byte(&out, ' ');
		fl_buf_text(&out, i ? flame_name_text(flame, layout->name[i],
						      NULL) : "all");
		fl_buf_text(&out, layout->type[i] == FLAME_NATIVE ? native :
			    fl_type_suffix(layout->type[i]));
		for (unsigned c = 0; c < layout->columns; c++)
			fl_buf_print(&out, " %lld/%lld",
				     (long long)layout->self[c][i],
				     (long long)layout->total[c][i]);
		fl_buf_byte(&out, '\n');
	}
	return out.data;
}

#define LAID(minimum, lossy, expected)					\
	do {								\
		lay(minimum, lossy);					\
		cr_expect_str_eq(shown(), expected, "is\n%snot\n%s",	\
				 shown(), expected);			\
	} while (0)

/* Totals -------------------------------------------------------------- */

Test(totals, stay_where_the_trees_weights_are_spent)
{
	static const char expected[] =
		"all 0/0 0/18\n a 0/0 4/18\n  b 0/0 6/14\n   c 0/0 8/8\n";

	flame_tree_free(tree);
	tree = flame_tree_new(flame, 2);
	add_to(tree, 1, "a;b;c 8\na;b 6\na 4\n");
	for (int lossy = 0; lossy < 2; lossy++) {
		LAID(0, lossy, expected);
		LAID(9, lossy, lossy ?
		     "all 0/0 0/18\n a 0/0 4/18\n  b 0/0 6/14\n" :
		     "all 0/0 0/18\n a 0/0 4/18\n  b 0/0 14/14\n");
	}
	fl_layout_free(layout);
	layout = fl_tree_layout(tree, 0, false, true);
	cr_expect_str_eq(shown(), expected);
	cr_expect_eq(flame_tree_total(tree, 1), 18);
	LAID(0, false, "all 0/0 0/0\n");
}

Test(totals, self_goes_up_to_the_root)
{
	add_to(tree, 0, "a;b 1\na;c 2\na 4\nd 8\n");
	LAID(0, false, "all 0/15\n a 4/7\n  b 1/1\n  c 2/2\n d 8/8\n");
	cr_expect_eq(flame_tree_total(tree, 0), 15);
	cr_expect_eq(flame_tree_total(tree, 1), 0, "there is no such column");
}

Test(totals, of_an_empty_stack_are_the_roots_own)
{
	add_to(tree, 0, " 5\na 1\n");
	LAID(0, false, "all 5/6\n a 1/1\n");
}

Test(totals, of_nothing_are_a_root)
{
	LAID(0, false, "all 0/0\n");
	cr_expect_eq(layout->depth, 0);
	cr_expect_str_eq(layout->metric, "");
}

Test(totals, stacks_of_no_weight_are_no_nodes)
{
	add_to(tree, 0, "a;b 0\na;c 1\n");
	LAID(0, false, "all 0/1\n a 0/1\n  c 1/1\n");
}

Test(totals, the_same_stack_adds_up)
{
	add_to(tree, 0, "a;b 1\na;b 2\n");
	add_to(tree, 0, "a;b 4\n");
	LAID(0, false, "all 0/7\n a 0/7\n  b 7/7\n");
}

Test(totals, a_stack_seen_after_the_tree_began_finds_room)
{
	char text[64];

	add_to(tree, 0, "a 1\n");
	for (int i = 0; i < 5000; i++) {
		snprintf(text, sizeof(text), "a;b%d 1\n", i);
		add_to(tree, 0, text);
	}
	lay(0, false);
	cr_expect_eq(layout->count, 5002);
	cr_expect_eq(layout->total[0][0], 5001);
}

/* Types --------------------------------------------------------------- */

Test(types, tiers_of_one_name_are_one_node)
{
	add_to(tree, 0, "a_[j];x 10\na_[1];x 1\na_[0];x 1\na_[i];x 1\n");
	LAID(0, false, "all 0/13\n a_[j] 0/13\n  x 13/13\n");
}

Test(types, inlined_from_a_third_on)
{
	add_to(tree, 0, "a_[i] 1\na_[j] 2\nb_[i] 1\nb_[j] 3\n");
	LAID(0, false, "all 0/7\n a_[i] 3/3\n b_[j] 4/4\n");
}

Test(types, c1_from_a_half_on)
{
	add_to(tree, 0, "a_[1] 2\na_[j] 2\nb_[1] 2\nb_[j] 3\n");
	LAID(0, false, "all 0/9\n a_[1] 4/4\n b_[j] 5/5\n");
}

Test(types, interpreted_from_a_half_on)
{
	add_to(tree, 0, "a_[0] 2\na_[j] 2\nb_[0] 2\nb_[j] 3\n");
	LAID(0, false, "all 0/9\n a_[0] 4/4\n b_[j] 5/5\n");
}

Test(types, inlined_comes_before_c1_before_interpreted)
{
	add_to(tree, 0, "a_[i] 1\na_[1] 2\n");
	add_to(tree, 0, "b_[1] 1\nb_[0] 1\n");
	LAID(0, false, "all 0/5\n a_[i] 3/3\n b_[1] 2/2\n");
}

Test(types, shares_are_of_the_total_and_not_of_self)
{
	/* Interpreted all of its self time, compiled for most of its total. */
	add_to(tree, 0, "a_[0] 3\na_[j];b 10\n");
	LAID(0, false, "all 0/13\n a_[j] 3/13\n  b 10/10\n");
}

Test(types, kernel_and_native_stay_apart)
{
	add_to(tree, 0, "x_[k] 1\nx 2\nx_[j] 4\n");
	LAID(0, false, "all 0/7\n x 2/2\n x_[j] 4/4\n x_[k] 1/1\n");
}

static void add_typed(const char *name, enum flame_type type, int64_t weight)
{
	flame_id stack = flame_stack(flame, 0,
				     fl_frame(flame, fl_name(flame, name),
					      type));

	cr_assert_eq(fl_tree_add(tree, 0, stack, weight), FLAME_OK);
}

Test(types, native_ones_of_a_name_are_one_node_of_the_heaviest_kind)
{
	add_typed("x", FLAME_UNKNOWN, 1);
	add_typed("x", FLAME_NATIVE, 2);
	add_typed("x", FLAME_CPP, 1);
	lay(0, false);
	cr_expect_eq(layout->count, 2);
	cr_expect_eq(layout->type[1], FLAME_NATIVE);
	cr_expect_eq(layout->total[0][1], 4);
}

Test(types, children_of_a_merged_node_are_merged)
{
	add_to(tree, 0, "a_[j];b_[j];c_[j] 1\na_[i];b_[0];c_[k] 8\n");
	LAID(0, false, "all 0/9\n a_[i] 0/9\n  b_[0] 0/9\n   c_[j] 1/1\n"
	     "   c_[k] 8/8\n");
}

/* Order --------------------------------------------------------------- */

Test(order, children_are_in_byte_order)
{
	add_to(tree, 0, "b 1\na 1\nB 1\nab 1\na-b 1\n\xc3\xa4 1\nz 1\n");
	LAID(0, false, "all 0/7\n B 1/1\n a 1/1\n a-b 1/1\n ab 1/1\n b 1/1\n"
	     " z 1/1\n \xc3\xa4 1/1\n");
}

static int by_text(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* MANY names of a form, in no order, as children of the root. */
static void check_order(const char *form)
{
	enum { MANY = 5003, STEP = 1789 };
	static char names[MANY][64], *sorted[MANY];
	struct fl_buf text = { 0 };

	stop();
	layout = NULL;
	out = (struct fl_buf){ 0 };
	start();
	for (int i = 0; i < MANY; i++) {
		int n = (int)((long)i * STEP % MANY);

		/* By halves, thirds, sevenths: some have much in common. */
		snprintf(names[i], sizeof(names[i]), form, n % 2, n % 3, n % 7,
			 n);
		sorted[i] = names[i];
		fl_buf_print(&text, "%s 1\n", names[i]);
	}
	qsort(sorted, MANY, sizeof(*sorted), by_text);
	add_to(tree, 0, text.data);
	fl_buf_free(&text);
	lay(0, false);
	cr_assert_eq(layout->count, MANY + 1);
	for (uint32_t i = 1; i < layout->count; i++)
		cr_assert_str_eq(flame_name_text(flame, layout->name[i], NULL),
				 sorted[i - 1]);
}

Test(order, of_many_children_is_that_of_their_bytes)
{
	check_order("f%d%d%d%05d");
	check_order("%d.a_long_word%d.another_long_one%d.%d");
	/* Of some beginnings there are many, or of two all. */
	check_order("%d%d%d.common_to_all.%d");
	check_order("common%d.the_same_for_all%d.and_here%d.%d");
}

Test(order, does_not_depend_on_the_order_of_the_samples)
{
	static const char *const lines[] = {
		"a;b;c 1\n", "a;b 2\n", "a;d_[j] 4\n", "a;d_[i] 8\n",
		"e_[k] 16\n", "e 32\n",
	};
	char *first = NULL;

	for (unsigned turn = 0; turn < FL_COUNT(lines); turn++) {
		stop();
		layout = NULL;
		memset(&out, 0, sizeof(out));
		start();
		for (unsigned i = 0; i < FL_COUNT(lines); i++)
			add_to(tree, 0, lines[(i * 5 + turn) %
					      FL_COUNT(lines)]);
		lay(0, false);
		if (!first)
			first = strdup(shown());
		cr_expect_str_eq(shown(), first);
	}
	free(first);
}

/* Minimum width ------------------------------------------------------- */

static const char light[] = "a;b;c 1\na;b 1\na;d 10\ne 100\n";

Test(minwidth, loses_nothing)
{
	add_to(tree, 0, light);
	LAID(2, false, "all 0/112\n a 0/12\n  b 2/2\n  d 10/10\n"
	     " e 100/100\n");
	LAID(3, false, "all 0/112\n a 2/12\n  d 10/10\n e 100/100\n");
	LAID(13, false, "all 12/112\n e 100/100\n");
	LAID(1000, false, "all 112/112\n");
}

Test(minwidth, for_compatibility_loses_what_is_left_out)
{
	add_to(tree, 0, light);
	LAID(3, true, "all 0/112\n a 0/12\n  d 10/10\n e 100/100\n");
	LAID(13, true, "all 0/112\n e 100/100\n");
}

Test(minwidth, is_a_least_and_not_a_limit)
{
	add_to(tree, 0, light);
	LAID(10, false, "all 0/112\n a 2/12\n  d 10/10\n e 100/100\n");
}

/* Overflow ------------------------------------------------------------ */

static flame_id stack_of(const char *name)
{
	return flame_stack(flame, 0, fl_frame(flame, fl_name(flame, name),
					      FLAME_UNKNOWN));
}

Test(overflow, of_the_sum_is_an_error)
{
	cr_expect_eq(fl_tree_add(tree, 0, 0, INT64_MAX - 1), FLAME_OK);
	cr_expect_eq(fl_tree_add(tree, 0, stack_of("a"), 1),
		     FLAME_OK);
	cr_expect_eq(fl_tree_add(tree, 0, stack_of("b"), 1),
		     FLAME_FAILED);
	cr_expect(strstr(flame_error(flame), "2^63"), "%s",
		  flame_error(flame));
}

Test(overflow, two_columns_may_each_be_as_great)
{
	flame_tree_free(tree);
	tree = flame_tree_new(flame, 2);
	add_to(tree, 0, "a_[j];b 9223372036854775807\n");
	add_to(tree, 1, "a_[i];b 9223372036854775807\n");
	LAID(0, false, "all 0/9223372036854775807 0/9223372036854775807\n"
	     " a_[i] 0/9223372036854775807 0/9223372036854775807\n"
	     "  b 9223372036854775807/9223372036854775807"
	     " 9223372036854775807/9223372036854775807\n");
}

Test(overflow, leaves_the_sum_as_it_was)
{
	fl_tree_add(tree, 0, 0, INT64_MAX);
	cr_expect_eq(fl_tree_add(tree, 0, 0, 1), FLAME_FAILED);
	cr_expect_eq(flame_tree_total(tree, 0), INT64_MAX);
	flame_clear(flame);
	LAID(0, false, "all 9223372036854775807/9223372036854775807\n");
}

Test(overflow, of_one_stack_is_an_error)
{
	flame_id stack = stack_of("a");

	cr_expect_eq(fl_tree_add(tree, 0, stack, INT64_MAX), FLAME_OK);
	cr_expect_eq(fl_tree_add(tree, 0, stack, INT64_MAX), FLAME_FAILED);
	cr_expect(strstr(flame_error(flame), "2^63"), "%s",
		  flame_error(flame));
}

Test(overflow, a_negative_weight_is_an_error)
{
	cr_expect_eq(fl_tree_add(tree, 0, 0, -1), FLAME_FAILED);
	cr_expect(strstr(flame_error(flame), "negative"), "%s",
		  flame_error(flame));
}

Test(overflow, the_greatest_sum_is_laid_out)
{
	add_to(tree, 0, "a;b 9223372036854775806\na 1\n");
	LAID(0, false, "all 0/9223372036854775807\n"
	     " a 1/9223372036854775807\n"
	     "  b 9223372036854775806/9223372036854775806\n");
}

/* Columns ------------------------------------------------------------- */

Test(columns, there_are_one_or_two)
{
	cr_expect_null(flame_tree_new(flame, 0));
	flame_clear(flame);
	cr_expect_null(flame_tree_new(flame, 3));
	flame_clear(flame);
	cr_expect_null(flame_tree_sink(tree, 1));
	cr_expect(strstr(flame_error(flame), "column"));
}

Test(columns, of_two_are_counted_apart)
{
	flame_tree_free(tree);
	tree = flame_tree_new(flame, 2);
	add_to(tree, 0, "a;b 1\na;c 2\n");
	add_to(tree, 1, "a;b 4\nd 8\n");
	LAID(0, false, "all 0/3 0/12\n a 0/3 0/4\n  b 1/1 4/4\n  c 2/2 0/0\n"
	     " d 0/0 8/8\n");
	cr_expect_eq(flame_tree_total(tree, 0), 3);
	cr_expect_eq(flame_tree_total(tree, 1), 12);
}

Test(columns, width_is_the_wider_one)
{
	flame_tree_free(tree);
	tree = flame_tree_new(flame, 2);
	add_to(tree, 0, "a 10\nb 1\nc 1\n");
	add_to(tree, 1, "b 10\nc 1\n");
	LAID(5, false, "all 1/12 1/11\n a 10/10 0/0\n b 1/1 10/10\n");
}

/* Places -------------------------------------------------------------- */

Test(places, self_lies_left_of_the_children)
{
	int64_t x[8];

	add_to(tree, 0, " 5\na 4\na;b 1\na;c 2\nd;e 8\n");
	lay(0, false);
	cr_assert_eq(layout->count, 6);
	fl_layout_x(layout, 0, INT64_MIN, x);
	/* all, a, b, c, d, e */
	cr_expect_arr_eq(x, ((int64_t[]){ 0, 5, 9, 10, 12, 12 }),
			 6 * sizeof(*x));
}

Test(places, what_is_below_light_ones_is_left_as_it_is)
{
	int64_t x[8];

	add_to(tree, 0, " 5\na 4\na;b 1\na;c 2\nd;e 8\n");
	lay(0, false);
	memset(x, 0xff, sizeof(x));
	fl_layout_x(layout, 0, 8, x);
	cr_expect_arr_eq(x, ((int64_t[]){ 0, 5, -1, -1, 12, 12 }),
			 6 * sizeof(*x));
}

Test(places, boxes_lie_within_their_parents_and_beside_each_other)
{
	struct fl_buf text = { 0 };
	uint32_t seed = 7;
	int64_t *x;

	for (int i = 0; i < 2000; i++) {
		unsigned depth = 1 + (seed >> 20) % 9;

		for (unsigned j = 0; j < depth; j++) {
			seed = seed * 1664525 + 1013904223;
			fl_buf_print(&text, "%sf%u", j ? ";" : "",
				     (seed >> 16) % 5);
		}
		fl_buf_print(&text, " %u\n", 1 + (seed >> 10) % 100);
	}
	add_to(tree, 0, text.data);
	fl_buf_free(&text);
	lay(50, false);
	x = calloc(layout->count, sizeof(*x));
	fl_layout_x(layout, 0, INT64_MIN, x);
	for (uint32_t i = 0; i < layout->count; i++) {
		int64_t at = x[i] + layout->self[0][i];

		for (uint32_t j = i + 1; j < layout->end[i];
		     j = layout->end[j]) {
			cr_assert_eq(layout->parent[j], i);
			cr_assert_eq(layout->level[j], layout->level[i] + 1);
			cr_assert_eq(x[j], at);
			at += layout->total[0][j];
		}
		cr_assert_eq(at, x[i] + layout->total[0][i],
			     "self and children fill a box");
	}
	free(x);
}

/* Shape --------------------------------------------------------------- */

Test(shape, nodes_are_in_preorder)
{
	add_to(tree, 0, "a;b;c 1\na;d 1\ne 1\n");
	lay(0, false);
	cr_assert_eq(layout->count, 6);
	cr_expect_eq(layout->depth, 3);
	cr_expect_arr_eq(layout->end, ((uint32_t[]){ 6, 5, 4, 4, 5, 6 }),
			 6 * sizeof(uint32_t));
	cr_expect_arr_eq(layout->parent, ((uint32_t[]){ 0, 0, 1, 2, 1, 0 }),
			 6 * sizeof(uint32_t));
	cr_expect_eq(layout->name[0], 0);
	cr_expect_eq(layout->type[0], FLAME_GROUP);
}

Test(shape, of_a_hundred_thousand_levels_is_no_trouble)
{
	flame_id stack = 0, name = fl_name(flame, "deep");

	for (int i = 0; i < 100000; i++)
		stack = flame_stack(flame, stack, fl_frame(flame, name,
							   FLAME_JIT));
	cr_assert_eq(fl_tree_add(tree, 0, stack, 1), FLAME_OK);
	lay(0, false);
	cr_expect_eq(layout->depth, 100000);
	cr_expect_eq(layout->total[0][100000], 1);
}

Test(shape, the_metric_names_the_unit)
{
	struct flame_sink *sink = flame_tree_sink(tree, 0);
	struct flame_sample s = {
		.metric = flame_metric(flame, "alloc", "bytes"), .weight = 3
	};

	cr_assert_eq(flame_put(sink, &s), FLAME_OK);
	cr_assert_eq(flame_finish(sink), FLAME_OK);
	lay(0, false);
	cr_expect_str_eq(layout->metric, "alloc");
	cr_expect_str_eq(layout->unit, "bytes");
}

Test(shape, writing_a_tree_gives_its_samples_again)
{
	struct flame_tree *other = flame_tree_new(flame, 1);
	struct flame_sink *sink;

	add_to(tree, 0, " 5\na;b_[j] 1\na;b_[i] 2\na 4\n");
	sink = flame_tree_sink(other, 0);
	cr_assert_eq(flame_tree_write(tree, sink), FLAME_OK);
	cr_assert_eq(flame_finish(sink), FLAME_OK);
	flame_tree_free(tree);
	tree = other;
	LAID(0, false, "all 5/12\n a 4/7\n  b_[i] 3/3\n");
}

/* Threads ------------------------------------------------------------- */

static uint32_t random_below(uint32_t n)
{
	static uint32_t seed = 1;

	seed = seed * 1664525 + 1013904223;
	return (uint32_t)((uint64_t)seed * n >> 32);
}

static flame_id some_frame(uint32_t names)
{
	static const enum flame_type types[] = {
		FLAME_JIT, FLAME_INTERPRETED, FLAME_INLINED, FLAME_C1,
		FLAME_NATIVE, FLAME_CPP, FLAME_KERNEL,
	};
	char text[16];

	snprintf(text, sizeof(text), "f%u", random_below(names));
	return fl_frame(flame, fl_name(flame, text),
			types[random_below(FL_COUNT(types))]);
}

/*
 * Each stack is below one of the `reach` before it; below the root is one
 * in `wide`, if not 0.  Every eighth weighs nothing by itself.
 */
static void grow(uint32_t n, uint32_t reach, uint32_t wide, uint32_t names)
{
	flame_id *stacks = calloc(n + 1, sizeof(*stacks));

	for (uint32_t i = 1; i <= n; i++) {
		uint32_t back = 1 + random_below(FL_MIN(reach, i));
		flame_id below = wide && !random_below(wide) ?
				 0 : stacks[i - back];

		stacks[i] = flame_stack(flame, below, some_frame(names));
		for (unsigned c = 0; c < tree->columns; c++)
			cr_assert_eq(fl_tree_add(tree, c, stacks[i],
						 random_below(8)), FLAME_OK);
	}
	free(stacks);
}

#define SAME(array)							\
	cr_expect_arr_eq(layout->array, alone->array,			\
			 alone->count * sizeof(*alone->array),		\
			 #array " with %u threads", n)

static void lay_with(unsigned n, const struct fl_layout *alone)
{
	flame_threads(flame, n);
	lay(0, false);
	cr_assert_eq(layout->count, alone->count);
	cr_expect_eq(layout->depth, alone->depth);
	SAME(name);
	SAME(type);
	SAME(parent);
	SAME(level);
	SAME(end);
	for (unsigned c = 0; c < alone->columns; c++) {
		SAME(self[c]);
		SAME(total[c]);
	}
	cr_expect_arr_eq(layout->node_of_stack, alone->node_of_stack,
			 flame->stacks.count * sizeof(*alone->node_of_stack),
			 "places with %u threads", n);
}

static void lay_with_all(void)
{
	struct fl_layout *alone;

	tree->want_stack_nodes = true;
	flame_threads(flame, 1);
	alone = lay(0, false);
	layout = NULL;
	for (unsigned n = 2; n < 12; n++)
		lay_with(n, alone);
	fl_layout_free(alone);
}

Test(threads, many_lay_the_same_where_stacks_are_joined)
{
	grow(150000, 1000, 0, 3);
	lay_with_all();
	cr_expect_lt(layout->count + 10000, flame->stacks.count);
}

Test(threads, many_lay_the_same_where_none_are)
{
	grow(100000, 50000, 0, 1000000);
	lay_with_all();
}

Test(threads, many_lay_the_same_of_two_columns)
{
	flame_tree_free(tree);
	tree = flame_tree_new(flame, 2);
	grow(100000, 10, 0, 20);
	lay_with_all();
}

Test(threads, many_lay_the_same_of_children_of_the_root)
{
	grow(100000, 10, 1, 1000000);
	lay_with_all();
}

Test(threads, many_lay_the_same_of_one_deep_stack)
{
	grow(100000, 1, 0, 5);
	lay_with_all();
	cr_expect_gt(layout->depth, 90000);
}

Test(threads, many_lay_the_same_of_deep_stacks)
{
	grow(200000, 2, 20000, 5);
	lay_with_all();
}

Test(threads, without_memory_nothing_is_laid)
{
	const size_t most = (size_t)1 << 40, step = 100000;
	size_t base, refused = 0;

	grow(100000, 3, 1000, 5);
	tree->want_stack_nodes = true;
	flame_threads(flame, 3);
	fl_memory_limit(most);
	base = most - fl_memory_left();
	while (!layout && refused < 1000) {
		fl_memory_limit(base + refused * step);
		layout = fl_tree_layout(tree, 0, false, false);
		cr_expect_eq(fl_failed(flame), !layout || refused);
		refused += !layout;
	}
	fl_memory_limit(0);
	cr_expect_gt(refused, 10);
	cr_expect(layout);
}

Test(threads, many_lay_the_same_of_a_few)
{
	grow(1000, 100, 0, 10);
	lay_with_all();
}

/* The folded writer has no layout --------------------------------------- */

/* A line of a layout: lines sort without their weights, so after a NUL. */
static char *line_of(uint32_t node)
{
	struct fl_buf line = { 0 };
	uint32_t path[64];
	unsigned n = 0;

	for (uint32_t i = node; i; i = layout->parent[i])
		path[n++] = i;
	while (n--) {
		struct slice name = fl_name_at(flame, layout->name[path[n]]);

		fl_buf_put(&line, name.data, name.size);
		fl_buf_text(&line, fl_type_suffix(layout->type[path[n]]));
		fl_buf_byte(&line, n ? ';' : ' ');
	}
	fl_buf_byte(&line, '\0');
	fl_buf_number(&line, layout->self[0][node]);
	fl_buf_byte(&line, '\n');
	return line.data;
}

static void expect_layouts_lines(const char *got)
{
	char **lines = calloc(layout->count, sizeof(*lines));
	size_t n = 0;

	cr_assert(lines);
	for (uint32_t i = 1; i < layout->count; i++)
		if (layout->self[0][i])
			lines[n++] = line_of(i);
	qsort(lines, n, sizeof(*lines), by_text);
	for (size_t i = 0; i < n; i++) {
		size_t size = strlen(lines[i]);
		const char *weight = lines[i] + size + 1;

		cr_assert(strncmp(got, lines[i], size) == 0 &&
			  strncmp(got + size, weight, strlen(weight)) == 0,
			  "%.60s\nis not\n%s%s", got, lines[i], weight);
		got += size + strlen(weight);
		free(lines[i]);
	}
	cr_expect_str_eq(got, "");
	free(lines);
}

/* By stack, in the order of lines. */
static void expect_stacks_lines(const char *got)
{
	const char **lines = calloc(tree->capacity[0], sizeof(*lines));
	size_t n = 0;

	cr_assert(lines);
	for (flame_id i = 1; i < tree->capacity[0]; i++) {
		struct fl_buf line = { 0 };

		if (!tree->weight[0][i])
			continue;
		fl_spell_stack(&line, flame, i);
		fl_buf_byte(&line, '\0');
		fl_buf_put(&line, (const char *)&tree->weight[0][i],
			   sizeof(tree->weight[0][i]));
		lines[n++] = line.data;
	}
	qsort(lines, n, sizeof(*lines), by_text);
	for (size_t i = 0, next; i < n; i = next) {
		size_t size = strlen(lines[i]);
		int64_t sum = 0, weight;
		char text[32];

		for (next = i; next < n && !strcmp(lines[i], lines[next]);
		     next++) {
			memcpy(&weight, lines[next] + size + 1, sizeof(weight));
			sum += weight;
		}
		snprintf(text, sizeof(text), " %" PRId64 "\n", sum);
		cr_assert(strncmp(got, lines[i], size) == 0 &&
			  strncmp(got + size, text, strlen(text)) == 0,
			  "%.60s\nis not\n%s%s", got, lines[i], text);
		got += size + strlen(text);
	}
	cr_expect_str_eq(got, "");
	for (size_t i = 0; i < n; i++)
		free((char *)lines[i]);
	free(lines);
}

static void write_to(struct fl_buf *buf, bool compat)
{
	struct flame_sink *sink = fl_format_named(flame, "folded", true)
		->create(flame, fl_out_memory(flame, buf));

	cr_assert(sink);
	if (compat)
		cr_assert_eq(flame_set(sink, "compat", NULL), FLAME_OK);
	cr_assert_eq(flame_tree_write(tree, sink), FLAME_OK);
	cr_assert_eq(flame_finish(sink), FLAME_OK, "%s", flame_error(flame));
}

static unsigned drawn(unsigned *state, unsigned below)
{
	*state = *state * 1103515245u + 12345u;
	return (*state >> 16) % below;
}

Test(written, a_line_for_each_tier_and_for_compat_as_the_layout_has_it)
{
	static const char *const names[] = {
		"a", "a ", "a-", "a;", "a:", "ab", "b", "b_[j", "b<", "c",
		"c\xff", "cc", "d", "e", "f", "g", "h", "i", "j", "k",
	};
	static const uint8_t types[] = {
		FLAME_UNKNOWN, FLAME_INTERPRETED, FLAME_JIT, FLAME_INLINED,
		FLAME_C1, FLAME_KERNEL, FLAME_CPP, FLAME_NATIVE,
	};
	struct fl_buf got = { 0 };
	unsigned state = 7;

	for (unsigned i = 0; i < 3000; i++) {
		flame_id stack = 0;
		unsigned depth = 1 + drawn(&state, 8);

		while (depth--) {
			const char *name = names[drawn(&state,
						       depth % 2 ? 20 : 4)];

			if (strchr(name, ';'))
				continue;
			stack = flame_stack(flame, stack, fl_frame(flame,
				fl_name(flame, name), types[drawn(&state, 8)]));
		}
		cr_assert_eq(fl_tree_add(tree, 0, stack ? stack : 1,
					 drawn(&state, 4)), FLAME_OK);
	}
	write_to(&got, true);
	lay(0, false);
	expect_layouts_lines(got.data);
	got.size = 0;
	write_to(&got, false);
	expect_stacks_lines(got.data);
	fl_buf_free(&got);
}

Test(written, names_that_are_cleaned_sort_as_what_they_become)
{
	static const char *const names[] = { "a;b", "a:a", "a\tc", "a:c", "a:b" };
	struct fl_buf got = { 0 };

	for (unsigned i = 0; i < 5; i++)
		cr_assert_eq(fl_tree_add(tree, 0, flame_stack(flame, 0,
			fl_frame(flame, fl_name(flame, names[i]), 0)), i + 1),
			FLAME_OK);
	write_to(&got, false);
	cr_expect_str_eq(got.data, "a c 3\na:a 2\na:b 6\na:c 4\n");
	fl_buf_free(&got);
}

Test(written, of_a_hundred_thousand_levels_is_no_trouble)
{
	flame_id stack = 0, name = fl_name(flame, "d");
	struct fl_buf got = { 0 };

	for (int i = 0; i < 100000; i++)
		stack = flame_stack(flame, stack, fl_frame(flame, name, 0));
	cr_assert_eq(fl_tree_add(tree, 0, stack, 1), FLAME_OK);
	write_to(&got, false);
	cr_expect_eq(got.size, 200002);
	fl_buf_free(&got);
}

/* Outlines -------------------------------------------------------------- */

/* Some thousand stacks, of which many begin alike; types differ. */
static void grow_tree(unsigned ntypes)
{
	static const enum flame_type types[] = { FLAME_UNKNOWN, FLAME_JIT,
						 FLAME_INLINED,
						 FLAME_KERNEL };
	flame_id stack = 0, last[64] = { 0 };
	uint64_t chance = 42;
	char name[16];

	for (unsigned i = 0; i < 4000; i++) {
		chance = fl_hash_pair(chance, i);
		stack = chance % 8 ? stack : last[chance >> 8 & 63];
		snprintf(name, sizeof(name), "n%d", (int)(chance >> 16 & 7));
		stack = flame_stack(flame, stack, fl_frame(flame,
				fl_name(flame, name), types[(chance >> 32 & 3) % ntypes]));
		last[chance >> 40 & 63] = stack;
		if (chance >> 48 & 1)
			fl_tree_add(tree, 0, stack, (chance >> 50 & 63) + 1);
	}
}

struct reported {
	unsigned level, further;
	int64_t x, total;
	bool outermost;
};

struct all_reported {
	struct reported at[5000];
	size_t n;
};

static void report(void *arg, unsigned level, unsigned further, int64_t x,
		   int64_t total, bool outermost)
{
	struct all_reported *all = arg;

	all->at[all->n++] = (struct reported){ level, further, x, total,
					   outermost };
}

static void expect_kept(const struct fl_layout *l, uint32_t i, uint32_t full,
			const int64_t *x)
{
	cr_expect_eq(l->name[i], layout->name[full]);
	cr_expect_eq(l->type[i], layout->type[full]);
	cr_expect_eq(l->level[i], layout->level[full]);
	cr_expect_eq(l->self[0][i], layout->self[0][full]);
	cr_expect_eq(l->total[0][i], layout->total[0][full]);
	cr_expect_eq(l->x[i], x[full]);
}

/* A light node; returns the next node that must be drawn or reported. */
static uint32_t expect_reported(const struct reported *t, uint32_t i, int64_t x,
				int64_t least, int64_t detail_limit)
{
	uint32_t parent = layout->parent[i], deepest = layout->level[i];

	cr_expect_eq(t->level, layout->level[i]);
	cr_expect_eq(t->x, x);
	cr_expect_eq(t->total, layout->total[0][i]);
	cr_expect_eq(t->outermost, !parent ||
		     layout->total[0][parent] >= least);
	if (!t->further)
		return i + 1;
	cr_expect_lt(t->total, detail_limit);
	for (uint32_t j = i; j < layout->end[i]; j++)
		deepest = FL_MAX(deepest, layout->level[j]);
	cr_expect_eq(t->level + t->further, deepest);
	return layout->end[i];
}

/* Each node of the whole layout must be drawn or reported, at its x. */
static size_t expect_pruned(int64_t least, size_t most, int64_t detail_limit,
			    bool spend)
{
	static struct all_reported all;
	struct fl_light_nodes callback = { report, &all };
	struct fl_pruned_layout *o;
	struct fl_layout *l;
	int64_t *x, heaviest;
	uint32_t node = 0;
	size_t reported = 0;

	all.n = 0;
	lay(0, false);
	x = fl_alloc(layout->count * sizeof(*x));
	fl_layout_x(layout, 0, INT64_MIN, x);
	cr_assert(fl_layout_threshold(layout, 0, most, &heaviest));
	o = fl_pruned_layout_open(tree, spend);
	cr_assert(o);
	cr_assert(fl_pruned_layout_limit(o, &least, most, detail_limit));
	cr_expect_geq(least, heaviest);
	l = fl_pruned_layout_build(o, &callback);
	cr_assert(l);
	cr_assert_leq(l->count, FL_MAX(most, 1u));
	for (uint32_t i = 0; i < layout->count;) {
		if (!i || layout->total[0][i] >= least) {
			expect_kept(l, node++, i, x);
			i++;
			continue;
		}
		cr_assert_lt(reported, all.n);
		i = expect_reported(&all.at[reported++], i, x[i], least,
				    detail_limit);
	}
	cr_expect_eq(node, l->count);
	cr_expect_eq(reported, all.n);
	fl_layout_free(l);
	fl_pruned_layout_free(o);
	fl_free(x);
	return reported;
}

Test(pruned_layout, light_nodes_are_reported_at_their_places)
{
	grow_tree(4);
	expect_pruned(1, 20000, 0, false);
	expect_pruned(50, 20000, 0, false);
	expect_pruned(1000, 20000, 0, false);
	expect_pruned(INT64_MAX, 20000, 0, false);
	expect_pruned(50, 20000, 0, true);
}

Test(pruned_layout, has_at_most_max_nodes)
{
	grow_tree(4);
	expect_pruned(1, 1, 0, false);
	expect_pruned(1, 10, 0, false);
	expect_pruned(1, 100, 0, false);
	expect_pruned(1, 1000, 0, true);
}

Test(pruned_layout, subtrees_of_the_lightest_nodes_are_not_reported)
{
	size_t each, together;

	grow_tree(1);
	each = expect_pruned(1000, 20000, 0, false);
	together = expect_pruned(1000, 20000, 20, false);
	cr_expect_lt(together, each);
	cr_expect_lt(expect_pruned(1000, 20000, 1000, false), together);
	expect_pruned(INT64_MAX, 20000, INT64_MAX, false);
	expect_pruned(1, 100, INT64_MAX, false);
	expect_pruned(1000, 20000, 1000, true);
}

Test(pruned_layout, a_node_of_several_stacks_is_reported_once)
{
	grow_tree(4);
	expect_pruned(1000, 20000, 1000, false);
	expect_pruned(INT64_MAX, 20000, INT64_MAX, false);
	expect_pruned(1, 100, 100, false);
	expect_pruned(50, 20000, 50, true);
}

Test(pruned_layout, has_at_most_max_nodes_of_the_largest_weight)
{
	static struct all_reported all;
	struct fl_light_nodes callback = { report, &all };
	struct fl_pruned_layout *o;
	struct fl_layout *l;
	flame_id stack = 0;
	int64_t least = 1;

	for (int i = 0; i < 30; i++)
		stack = flame_stack(flame, stack, fl_frame(flame,
				fl_name(flame, "f"), FLAME_UNKNOWN));
	fl_tree_add(tree, 0, stack, INT64_MAX);
	o = fl_pruned_layout_open(tree, false);
	cr_assert(o && fl_pruned_layout_limit(o, &least, 10, 0));
	cr_expect_eq(least, INT64_MAX);
	l = fl_pruned_layout_build(o, &callback);
	cr_assert(l);
	cr_expect_eq(l->count, 10);
	cr_expect_eq(all.n, 21);
	fl_layout_free(l);
	fl_pruned_layout_free(o);
	lay(0, false);
	cr_assert(fl_layout_threshold(layout, 0, 10, &least));
	cr_expect_eq(least, INT64_MAX);
}

Test(pruned_layout, of_an_empty_tree_is_the_root)
{
	expect_pruned(1, 20000, 0, false);
	expect_pruned(1, 20000, 0, true);
}

Test(shape, free_takes_null)
{
	flame_tree_free(NULL);
	fl_layout_free(NULL);
	fl_pruned_layout_free(NULL);
}

/* By weight ---------------------------------------------------------------- */

Test(sorted, the_heaviest_is_first_and_equal_ones_stay)
{
	add_to(tree, 0, "a 1\nb;c 2\nb;d;x 1\nb;d;y 3\nb;e 9\nf 1\n");
	lay(0, false);
	cr_assert(fl_layout_sort(layout));
	cr_expect_str_eq(shown(), "all 0/17\n b 0/15\n  e 9/9\n  d 0/4\n"
				  "   y 3/3\n   x 1/1\n  c 2/2\n a 1/1\n"
				  " f 1/1\n");
	for (uint32_t i = 1; i < layout->count; i++) {
		uint32_t up = layout->parent[i];

		cr_expect(up < i && layout->end[i] <= layout->end[up]);
		cr_expect_eq(layout->level[i], layout->level[up] + 1);
	}
}

Test(sorted, columns_count_together)
{
	flame_tree_free(tree);
	tree = flame_tree_new(flame, 2);
	add_to(tree, 0, "a 5\nb 1\nc 2\n");
	add_to(tree, 1, "b 7\nc 2\n");
	lay(0, false);
	cr_assert(fl_layout_sort(layout));
	cr_expect_str_eq(shown(), "all 0/8 0/9\n b 1/1 7/7\n a 5/5 0/0\n"
				  " c 2/2 2/2\n");
}

Test(sorted, stacks_keep_their_nodes)
{
	tree->want_stack_nodes = true;
	add_to(tree, 0, "a 1\nb 2\nb;c 4\n");
	lay(0, false);
	cr_assert(fl_layout_sort(layout));
	for (size_t s = 1; s < layout->nstacks; s++) {
		uint32_t node = layout->node_of_stack[s];

		cr_expect_eq(layout->name[node],
			     fl_frame_at(flame, (flame_id)s)->name);
	}
}
