/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Ranking.  Trees are made of folded text; rankings are compared as text,
 * sorted: "name self/total" and a blank, of two columns "self/total" twice.
 */
#include "fl.h"

#include "tree/tree.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static struct flame *flame;
static struct flame_tree *tree;
static struct fl_buf out;

static void start(void)
{
	flame = flame_new();
	cr_assert(flame);
}

static void stop(void)
{
	flame_tree_free(tree);
	flame_free(flame);
	fl_buf_free(&out);
}

TestSuite(names, .init = start, .fini = stop);
TestSuite(around, .init = start, .fini = stop);
TestSuite(nodes, .init = start, .fini = stop);
TestSuite(scale, .init = start, .fini = stop);

static void make(const char *first, const char *second)
{
	const char *texts[] = { first, second };

	tree = flame_tree_new(flame, second ? 2 : 1);
	cr_assert(tree);
	for (unsigned c = 0; c < tree->columns; c++) {
		struct flame_source *source = flame_open_memory(flame,
			texts[c], strlen(texts[c]), "m", "folded");
		struct flame_sink *sink = flame_tree_sink(tree, c);

		cr_assert(source && sink, "%s", flame_error(flame));
		cr_assert_eq(flame_pump(source, sink), FLAME_OK);
		flame_close(source);
		cr_assert_eq(flame_finish(sink), FLAME_OK);
	}
}

static void print(flame_id name, const int64_t *self, const int64_t *total)
{
	fl_buf_text(&out, name ? flame_name_text(flame, name, NULL) : "-");
	for (unsigned c = 0; c < tree->columns; c++)
		fl_buf_print(&out, " %lld/%lld", (long long)self[c],
			     (long long)total[c]);
}

static int by_name(const void *a, const void *b)
{
	const struct flame_rank *x = a, *y = b;

	return strcmp(flame_name_text(flame, x->name, NULL),
		      flame_name_text(flame, y->name, NULL));
}

static const char *ranked(enum flame_ranking which, const char *re)
{
	const struct flame_rank *ranks;
	struct flame_rank *copy;
	size_t n;

	cr_assert_eq(flame_tree_rank(tree, which, re, &ranks, &n), FLAME_OK,
		     "%s", flame_error(flame));
	copy = malloc((n + 1) * sizeof(*copy));
	cr_assert(copy);
	memcpy(copy, ranks, n * sizeof(*copy));
	qsort(copy, n, sizeof(*copy), by_name);
	out.size = 0;
	fl_buf_text(&out, "");
	for (size_t i = 0; i < n; i++) {
		fl_buf_text(&out, i ? ", " : "");
		print(copy[i].name, copy[i].self, copy[i].total);
	}
	free(copy);
	return out.data ? out.data : "";
}

static const char *walked(double minimum)
{
	const struct flame_node *nodes;
	size_t n;

	cr_assert_eq(flame_tree_nodes(tree, minimum, &nodes, &n), FLAME_OK);
	out.size = 0;
	for (size_t i = 0; i < n; i++) {
		fl_buf_print(&out, "%s%u ", i ? ", " : "", nodes[i].level);
		print(nodes[i].name, nodes[i].self, nodes[i].total);
	}
	return out.data;
}

#define NAMES(wanted) cr_assert_str_eq(ranked(FLAME_NAMES, NULL), wanted)
#define CALLERS(re, wanted)						\
	cr_assert_str_eq(ranked(FLAME_CALLERS, re), wanted)
#define CALLEES(re, wanted)						\
	cr_assert_str_eq(ranked(FLAME_CALLEES, re), wanted)
#define NODES(minimum, wanted) cr_assert_str_eq(walked(minimum), wanted)

Test(names, self_is_where_they_are_the_leaf)
{
	make("a;b 1\na 2\nc;b 4\n", NULL);
	NAMES("a 2/3, b 5/5, c 0/4");
}

Test(names, recursion_counts_once)
{
	make("a;b;a;a 1\na;b 2\nb;b 4\n", NULL);
	NAMES("a 1/3, b 6/7");
}

Test(names, siblings_of_recursion_count)
{
	make("a;x;a 1\na;y;a 2\nz;a 4\n", NULL);
	NAMES("a 7/7, x 0/1, y 0/2, z 0/4");
}

Test(names, how_they_ran_does_not_count)
{
	make("a_[j];b_[i] 1\na_[0];b 2\na_[k] 4\n", NULL);
	NAMES("a 4/7, b 3/3");
}

Test(names, stacks_of_no_frames_are_the_empty_names)
{
	make(" 3\na 1\n", NULL);
	NAMES("- 3/3, a 1/1");
}

Test(names, nothing_is_no_names)
{
	make("", NULL);
	NAMES("");
}

Test(names, columns_are_counted_apart)
{
	make("a;b 1\ngone 8\n", "a;b 2\na 4\n");
	NAMES("a 0/1 4/6, b 1/1 2/2, gone 8/8 0/0");
}

Test(names, can_be_asked_for_again)
{
	make("a;b 1\n", NULL);
	NAMES("a 0/1, b 1/1");
	NAMES("a 0/1, b 1/1");
}

Test(around, callers_are_those_of_the_outermost_match)
{
	make("m;x;f;g;f 1\nm;y;f 2\nf;z 4\nm 8\n", NULL);
	CALLERS("^f$", "- 0/4, x 1/1, y 2/2");
}

Test(around, callees_are_those_of_the_innermost_match)
{
	make("m;f;g;f;h 1\nm;f 2\nf;h;i 4\nm 8\n", NULL);
	CALLEES("^f$", "- 2/2, h 1/5");
}

Test(around, several_names_match)
{
	make("m;fa;fb;x 1\nn;fb;y 2\n", NULL);
	CALLERS("^f", "m 0/1, n 0/2");
	CALLEES("^f", "x 1/1, y 2/2");
}

Test(around, nothing_matches)
{
	make("a;b 1\n", NULL);
	CALLERS("x", "");
	CALLEES("x", "");
}

Test(around, columns_are_counted_apart)
{
	make("a;f;b 1\n", "a;f;c 2\nx;f 4\n");
	CALLERS("^f$", "a 0/1 0/2, x 0/0 4/4");
	CALLEES("^f$", "- 0/0 4/4, b 1/1 0/0, c 0/0 2/2");
}

Test(around, bad_expressions_fail)
{
	const struct flame_rank *ranks;
	size_t n;

	make("a 1\n", NULL);
	cr_assert_eq(flame_tree_rank(tree, FLAME_CALLERS, "(", &ranks, &n),
		     FLAME_FAILED);
	cr_assert(strchr(flame_error(flame), '('));
}

Test(nodes, heavy_children_come_first)
{
	make("a;x 1\na;y 2\nb 4\na 1\nc;z 4\n", NULL);
	NODES(0, "0 - 0/12, 1 a 1/4, 2 y 2/2, 2 x 1/1, 1 b 4/4, 1 c 0/4, "
	      "2 z 4/4");
}

Test(nodes, light_ones_are_left_out_and_the_rest_stays)
{
	make("a;x 1\na;y 2\nb 4\n", NULL);
	NODES(2, "0 - 0/7, 1 b 4/4, 1 a 0/3, 2 y 2/2");
}

Test(nodes, of_two_columns_the_heavier_counts)
{
	make("a 1\nb 4\n", "a 5\n");
	NODES(5, "0 - 0/5 0/5, 1 a 1/1 5/5");
	NODES(0, "0 - 0/5 0/5, 1 a 1/1 5/5, 1 b 4/4 0/0");
}

Test(nodes, of_nothing_are_one)
{
	make("", NULL);
	NODES(0, "0 - 0/0");
}

/* 1 * 5 / 3 is 1.67, 2 * 5 / 3 is 3.33. */
Test(scale, rounds_to_the_nearest)
{
	make("a 1\nb 2\n", "a 5\n");
	flame_tree_scale(tree, 0, 5);
	NAMES("a 2/2 5/5, b 3/3 0/0");
	cr_assert_eq(flame_tree_total(tree, 0), 5);
}

/* f has 6 of 9 samples, and 4 of 6. */
Test(scale, sums_are_scaled_and_not_their_parts)
{
	make("f;a 1\nf;b 1\nf;c 1\nf;d 1\nf;e 1\nf;g 1\nh;a 1\nh;b 1\n"
	     "h;c 1\n", "f 4\nh 2\n");
	flame_tree_scale(tree, 0, 6);
	NAMES("a 1/1 0/0, b 1/1 0/0, c 1/1 0/0, d 1/1 0/0, e 1/1 0/0, "
	      "f 0/4 4/4, g 1/1 0/0, h 0/2 2/2");
	NODES(2, "0 - 0/6 0/6, 1 f 0/4 4/4, 1 h 0/2 2/2");
}

Test(scale, a_second_time_begins_with_what_was_gathered)
{
	make("a 1\nb 2\n", "a 5\n");
	flame_tree_scale(tree, 0, 1);
	flame_tree_scale(tree, 0, 6);
	NAMES("a 2/2 5/5, b 4/4 0/0");
}

/* Other outputs: the sum is exact. */
Test(scale, stacks_of_a_picture_add_up)
{
	char path[] = "/tmp/scaleXXXXXX";
	int fd = mkstemp(path);
	struct flame_sink *sink;
	struct fl_layout *layout;

	cr_assert(fd >= 0);
	make("a;b 1\na;c 1\na;d 1\na;e 1\n", NULL);
	flame_tree_scale(tree, 0, 2);
	sink = flame_create(flame, path, "d3");
	cr_assert(sink);
	cr_assert_eq(flame_tree_write(tree, sink), FLAME_OK);
	cr_assert_eq(flame_finish(sink), FLAME_OK);
	layout = fl_tree_layout(tree, 0, false, false);
	cr_assert(layout);
	cr_assert_eq(layout->total[0][0], 2);
	cr_assert_eq(layout->total[0][1], 2);
	fl_layout_free(layout);
	close(fd);
	unlink(path);
}

Test(scale, large_weights_do_not_overflow)
{
	make("a 4611686018427387904\n", "a 9223372036854775807\n");
	flame_tree_scale(tree, 0, INT64_MAX);
	cr_assert_eq(flame_tree_total(tree, 0), INT64_MAX);
}

Test(scale, nothing_stays_nothing)
{
	make("", "a 5\n");
	flame_tree_scale(tree, 0, 5);
	NAMES("a 0/0 5/5");
}
