/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Misuse of flame.h: NULL, ids that do not exist, use after the end, numbers
 * out of range.  Each test is a process of its own, and none ends by a signal.
 */
#include "flame.h"

#include <criterion/criterion.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { WILD = 999999 };

static struct flame *flame;

static void start(void)
{
	flame = flame_new();
	cr_assert(flame);
}

TestSuite(misuse, .init = start);

/* It failed with a text; and the dictionary is used again. */
static void failed(void)
{
	cr_expect_str_neq(flame_error(flame), "");
	cr_expect_eq(flame_clear(flame), FLAME_OK);
	cr_expect_gt(flame_name(flame, "afterwards", 10), 0);
	cr_expect_str_eq(flame_error(flame), "");
}

static int discard(void *arg, const void *data, size_t size)
{
	(void)arg;
	(void)data;
	(void)size;
	return 0;
}

static struct flame_sink *output(void)
{
	struct flame_sink *sink =
		flame_create_callback(flame, "folded", discard, NULL);

	cr_assert(sink, "%s", flame_error(flame));
	return sink;
}

static struct flame_source *input(void)
{
	return flame_open_memory(flame, "a;b 1\n", 6, "in", NULL);
}

/* Ids ----------------------------------------------------------------- */

Test(misuse, parent_of_a_stack)
{
	static const flame_id wild[] = { 1, WILD, INT32_MAX, UINT32_MAX - 1,
					 UINT32_MAX };

	for (size_t i = 0; i < sizeof(wild) / sizeof(*wild); i++) {
		cr_expect_eq(flame_stack(flame, wild[i], 0), 0);
		failed();
	}
	cr_expect_eq(flame_stacks(flame), 0);
}

Test(misuse, frame_of_a_stack)
{
	cr_expect_eq(flame_stack(flame, 0, WILD), 0);
	failed();
	cr_expect_eq(flame_stack(flame, 0, UINT32_MAX), 0);
	failed();
	cr_expect_eq(flame_stacks(flame), 0);
}

Test(misuse, parts_of_a_frame)
{
	const struct flame_frame wild[] = {
		{ .name = WILD }, { .file = WILD }, { .name = UINT32_MAX },
		{ .type = (enum flame_type)99 }, { .type = (enum flame_type)-1 }
	};

	for (size_t i = 0; i < sizeof(wild) / sizeof(*wild); i++) {
		cr_expect_eq(flame_frame(flame, &wild[i]), 0);
		failed();
	}
	cr_expect_eq(flame_frame(flame, NULL), 0);
	failed();
	cr_expect_eq(flame_frames(flame), 0);
}

Test(misuse, parts_of_a_label)
{
	flame_id name = flame_name(flame, "key", 3);

	cr_expect_eq(flame_label(flame, 555555, name, name), 0);
	failed();
	cr_expect_eq(flame_label(flame, 0, WILD, name), 0);
	failed();
	cr_expect_eq(flame_label(flame, 0, name, WILD), 0);
	failed();
	cr_expect_eq(flame_label_sets(flame), 0);
	cr_expect_eq(flame_label_get(flame, 555555, name), 0);
}

Test(misuse, ids_of_a_sample_are_of_another_dictionary)
{
	struct flame *other = flame_new();
	flame_id name = flame_name(other, "f", 1);
	flame_id frame = flame_frame(other,
				     &(struct flame_frame){ .name = name });
	const flame_id stack = flame_stack(other, 0, frame);
	const flame_id metric = flame_metric(other, "cpu", "samples");
	const flame_id labels = flame_label(other, 0, name, name);
	const struct flame_sample wild[] = {
		{ .stack = stack, .weight = 1 },
		{ .metric = metric, .weight = 1 },
		{ .thread = labels, .weight = 1 },
		{ .labels = labels, .weight = 1 },
		{ .stack = UINT32_MAX, .weight = 1 },
	};
	struct flame_sink *sink = output();

	cr_assert(stack && metric && labels);
	for (size_t i = 0; i < sizeof(wild) / sizeof(*wild); i++) {
		cr_expect_eq(flame_put(sink, &wild[i]), FLAME_FAILED);
		failed();
	}
	cr_expect_eq(flame_put(sink, NULL), FLAME_FAILED);
	failed();
	cr_expect_eq(flame_finish(sink), FLAME_OK);
	flame_free(other);
}

Test(misuse, a_source_and_a_sink_of_two_dictionaries)
{
	struct flame *other = flame_new();
	struct flame_source *source = flame_open_memory(other, "a;b 1\n", 6,
							"in", NULL);
	struct flame_tree *tree = flame_tree_new(other, 1);
	struct flame_sink *sink = output();

	cr_expect_eq(flame_pump(source, sink), FLAME_FAILED);
	cr_expect_str_neq(flame_error(other), "");
	cr_expect_eq(flame_clear(other), FLAME_OK);
	cr_expect_eq(flame_tree_write(tree, sink), FLAME_FAILED);
	cr_expect_str_neq(flame_error(other), "");
	flame_abandon(sink);
	flame_close(source);
	flame_tree_free(tree);
	flame_free(other);
}

/* These only look up: the empty one of the kind. */
Test(misuse, looking_up)
{
	static const flame_id wild[] = { 1, WILD, UINT32_MAX };
	size_t size;

	for (size_t i = 0; i < sizeof(wild) / sizeof(*wild); i++) {
		flame_id id = wild[i];

		cr_expect_str_eq(flame_name_text(flame, id, &size), "");
		cr_expect_eq(size, 0);
		cr_expect_str_eq(flame_name_text(flame, id, NULL), "");
		cr_expect_eq(flame_frame_of(flame, id)->name, 0);
		cr_expect_eq(flame_stack_parent(flame, id), 0);
		cr_expect_eq(flame_stack_frame(flame, id), 0);
		cr_expect_str_eq(flame_metric_of(flame, id)->name, "");
	}
	cr_expect_str_eq(flame_error(flame), "");
}

/* After the end ------------------------------------------------------- */

Test(misuse, finish_twice)
{
	struct flame_sink *sink = output();

	cr_expect_eq(flame_finish(sink), FLAME_OK);
	cr_expect_eq(flame_finish(sink), FLAME_FAILED);
	failed();
	flame_abandon(sink);
	cr_expect_str_eq(flame_error(flame), "");
}

Test(misuse, use_after_finish)
{
	const struct flame_sample sample = { .weight = 1 };
	struct flame_source *source = input();
	struct flame_tree *tree = flame_tree_new(flame, 1);
	struct flame_sink *end = output();
	struct flame_sink *sinks[] = {
		flame_pick(flame_filter(end, "reverse", NULL), NULL), end
	};

	cr_assert(sinks[0]);
	cr_expect_eq(flame_finish(sinks[0]), FLAME_OK);
	/* The chain's other sinks, too. */
	for (size_t i = 0; i < 2; i++) {
		cr_expect_eq(flame_put(sinks[i], &sample), FLAME_FAILED);
		failed();
		cr_expect_eq(flame_set(sinks[i], "title", "x"), FLAME_FAILED);
		failed();
		cr_expect_null(flame_filter(sinks[i], "reverse", NULL));
		failed();
		cr_expect_null(flame_pick(sinks[i], NULL));
		failed();
		cr_expect_eq(flame_pump(source, sinks[i]), FLAME_FAILED);
		failed();
		cr_expect_eq(flame_ahead(source, sinks[i]), FLAME_FAILED);
		failed();
		cr_expect_eq(flame_tree_write(tree, sinks[i]), FLAME_FAILED);
		failed();
		cr_expect_eq(flame_finish(sinks[i]), FLAME_FAILED);
		failed();
	}
	flame_close(source);
	flame_tree_free(tree);
}

Test(misuse, use_after_abandon)
{
	const struct flame_sample sample = { .weight = 1 };
	struct flame_sink *sink = output();

	flame_abandon(sink);
	flame_abandon(sink);
	cr_expect_eq(flame_put(sink, &sample), FLAME_FAILED);
	failed();
	cr_expect_eq(flame_finish(sink), FLAME_FAILED);
	failed();
}

Test(misuse, ask_too_late)
{
	struct flame_source *source = input();
	struct flame_sample sample;

	cr_expect_eq(flame_next(source, &sample), FLAME_OK);
	cr_expect_eq(flame_ask(source, "event", "cpu"), FLAME_FAILED);
	failed();
	flame_close(source);
}

Test(misuse, next_after_the_end)
{
	struct flame_source *source = input();
	struct flame_sample sample;

	while (flame_next(source, &sample) == FLAME_OK)
		;
	cr_expect_eq(flame_next(source, &sample), FLAME_END);
	cr_expect_eq(flame_next(source, NULL), FLAME_FAILED);
	failed();
	flame_close(source);
}

/* NULL ---------------------------------------------------------------- */

Test(misuse, open_without_a_path_or_a_dictionary)
{
	cr_expect_null(flame_open(flame, NULL, NULL));
	failed();
	cr_expect_null(flame_open(NULL, "in", NULL));
	cr_expect_null(flame_open_memory(flame, NULL, 10, "in", NULL));
	failed();
	cr_expect_null(flame_open_memory(flame, "a 1\n", 4, NULL, NULL));
	failed();
	cr_expect_null(flame_open_memory(NULL, "a 1\n", 4, "in", NULL));
}

Test(misuse, create_without_a_path_or_a_dictionary)
{
	cr_expect_null(flame_create(flame, NULL, "folded"));
	failed();
	cr_expect_null(flame_create(NULL, "-", "folded"));
	cr_expect_null(flame_create_callback(flame, NULL, discard, NULL));
	failed();
	cr_expect_null(flame_create_callback(flame, "folded", NULL, NULL));
	failed();
	cr_expect_null(flame_format_of(NULL));
}

Test(misuse, names_that_are_no_text)
{
	cr_expect_eq(flame_name(flame, NULL, 5), 0);
	failed();
	cr_expect_eq(flame_name(flame, "x", SIZE_MAX), 0);
	failed();
	cr_expect_eq(flame_name(flame, "x", (size_t)-5), 0);
	failed();
	cr_expect_null(flame_open_memory(flame, "x", (size_t)-5, "in", NULL));
	failed();
	cr_expect_eq(flame_names(flame), 1);	/* "afterwards" */
}

Test(misuse, metric_without_a_name)
{
	cr_expect_eq(flame_metric(flame, NULL, "samples"), 0);
	failed();
	cr_expect_eq(flame_metric(flame, "cpu", NULL), 0);
	failed();
	cr_expect_eq(flame_metrics(flame), 0);
}

Test(misuse, no_sink)
{
	const struct flame_sample sample = { .weight = 1 };
	struct flame_source *source = input();

	cr_expect_eq(flame_set(NULL, "title", "x"), FLAME_FAILED);
	cr_expect_eq(flame_put(NULL, &sample), FLAME_FAILED);
	cr_expect_eq(flame_finish(NULL), FLAME_FAILED);
	cr_expect_null(flame_filter(NULL, "reverse", NULL));
	cr_expect_null(flame_pick(NULL, "cpu"));
	cr_expect_eq(flame_pump(source, NULL), FLAME_FAILED);
	cr_expect_eq(flame_ahead(source, NULL), FLAME_FAILED);
	flame_abandon(NULL);
	flame_close(source);
}

Test(misuse, no_source)
{
	const struct flame_fact *facts;
	struct flame_sample sample;
	struct flame_sink *sink = output();

	cr_expect_eq(flame_ask(NULL, "event", "cpu"), FLAME_FAILED);
	cr_expect_eq(flame_next(NULL, &sample), FLAME_FAILED);
	cr_expect_eq(flame_pump(NULL, sink), FLAME_FAILED);
	cr_expect_eq(flame_ahead(NULL, sink), FLAME_FAILED);
	cr_expect_eq(flame_source_damage(NULL), FLAME_ALL_LOST);
	cr_expect_eq(flame_source_bytes(NULL), 0);
	cr_expect_str_eq(flame_source_format(NULL), "");
	cr_expect_eq(flame_facts(NULL, &facts), 0);
	cr_expect_null(facts);
	flame_close(NULL);
	flame_abandon(sink);
}

Test(misuse, no_dictionary)
{
	cr_expect_eq(flame_name(NULL, "x", 1), 0);
	cr_expect_eq(flame_frame(NULL, &(struct flame_frame){ .line = 1 }), 0);
	cr_expect_eq(flame_stack(NULL, 0, 0), 0);
	cr_expect_eq(flame_label(NULL, 0, 0, 0), 0);
	cr_expect_eq(flame_metric(NULL, "cpu", "samples"), 0);
	cr_expect_eq(flame_names(NULL) + flame_frames(NULL) +
		     flame_stacks(NULL) + flame_label_sets(NULL) +
		     flame_metrics(NULL) + flame_warnings(NULL), 0);
	cr_expect_str_eq(flame_name_text(NULL, 1, NULL), "");
	cr_expect_eq(flame_frame_of(NULL, 1)->name, 0);
	cr_expect_eq(flame_stack_parent(NULL, 1), 0);
	cr_expect_eq(flame_stack_frame(NULL, 1), 0);
	cr_expect_eq(flame_label_get(NULL, 1, 1), 0);
	cr_expect_str_eq(flame_metric_of(NULL, 1)->name, "");
	cr_expect_str_neq(flame_error(NULL), "");
	cr_expect_eq(flame_clear(NULL), FLAME_FAILED);
	cr_expect_null(flame_tree_new(NULL, 1));
	flame_on_warning(NULL, NULL, NULL);
	flame_on_remark(NULL, NULL, NULL);
	flame_on_progress(NULL, NULL, NULL);
	flame_on_member(NULL, NULL, NULL);
	flame_threads(NULL, 2);
	flame_unify_java(NULL, true);
	flame_demangle(NULL, true);
	flame_free(NULL);
}

Test(misuse, no_words_of_an_option)
{
	struct flame_source *source = input();
	struct flame_sink *sink = output();

	cr_expect_eq(flame_ask(source, NULL, "x"), FLAME_FAILED);
	failed();
	cr_expect_eq(flame_ask(source, "event", NULL), FLAME_FAILED);
	failed();
	cr_expect_eq(flame_set(sink, NULL, "x"), FLAME_FAILED);
	failed();
	cr_expect_eq(flame_set(sink, "title", NULL), FLAME_FAILED);
	failed();
	flame_abandon(sink);
	cr_expect_null(flame_filter(output(), NULL, "x"));
	failed();
	cr_expect_null(flame_filter(output(), "keep", NULL));
	failed();
	cr_expect_eq(flame_process_url_option(flame, NULL, "1"), FLAME_FAILED);
	cr_expect_eq(flame_process_url_option(flame, "timeout", NULL),
		     FLAME_FAILED);
	cr_expect_eq(flame_process_fetch(flame, NULL), FLAME_FAILED);
	cr_expect_eq(flame_process_path_labels(flame, NULL), FLAME_FAILED);
	failed();
	flame_close(source);
}

Test(misuse, no_tree)
{
	const struct flame_rank *ranks;
	const struct flame_node *nodes;
	size_t n;
	struct flame_sink *sink = output();

	cr_expect_null(flame_tree_sink(NULL, 0));
	cr_expect_null(flame_tree_at(NULL, 0));
	cr_expect_eq(flame_tree_write(NULL, sink), FLAME_FAILED);
	cr_expect_str_eq(flame_tree_metric(NULL), "");
	cr_expect_eq(flame_tree_total(NULL, 0), 0);
	cr_expect_eq(flame_tree_duration(NULL, 0), 0);
	cr_expect_eq(flame_tree_rank(NULL, FLAME_NAMES, NULL, &ranks, &n),
		     FLAME_FAILED);
	cr_expect_eq(flame_tree_nodes(NULL, 0, &nodes, &n), FLAME_FAILED);
	flame_tree_scale(NULL, 0, 1);
	flame_tree_free(NULL);
	flame_abandon(sink);
}

/* Out of range -------------------------------------------------------- */

Test(misuse, columns)
{
	struct flame_tree *tree = flame_tree_new(flame, 2);

	cr_assert(tree);
	cr_expect_null(flame_tree_new(flame, 0));
	failed();
	cr_expect_null(flame_tree_new(flame, 9));
	failed();
	cr_expect_null(flame_tree_sink(tree, 9));
	failed();
	cr_expect_null(flame_tree_sink(tree, (unsigned)-1));
	failed();
	cr_expect_eq(flame_tree_total(tree, 9), 0);
	cr_expect_eq(flame_tree_duration(tree, 9), 0);
	flame_tree_scale(tree, 9, 1);
	flame_tree_scale(tree, 0, -1);
	cr_expect_null(flame_tree_at(tree, SIZE_MAX));
	flame_tree_free(tree);
}

Test(misuse, parts_of_a_tree)
{
	struct flame_tree *tree = flame_tree_new(flame, 1);
	struct flame_sink *sink = flame_tree_sink(tree, 0);
	struct flame_source *source = input();
	const struct flame_rank *ranks;
	const struct flame_node *nodes;
	size_t n;

	cr_expect_eq(flame_pump(source, sink), FLAME_OK);
	flame_close(source);
	cr_expect_eq(flame_put(sink, &(struct flame_sample){ .weight = -1 }),
		     FLAME_FAILED);
	failed();
	cr_expect_eq(flame_finish(sink), FLAME_OK);
	cr_expect_eq(flame_tree_rank(tree, FLAME_CALLERS, NULL, &ranks, &n),
		     FLAME_FAILED);
	failed();
	cr_expect_eq(flame_tree_rank(tree, (enum flame_ranking)99, "a",
				     &ranks, &n), FLAME_FAILED);
	failed();
	cr_expect_eq(flame_tree_rank(tree, FLAME_NAMES, NULL, NULL, NULL),
		     FLAME_FAILED);
	cr_expect_eq(flame_tree_nodes(tree, 0, NULL, NULL), FLAME_FAILED);
	cr_expect_eq(flame_tree_nodes(tree, -1, &nodes, &n), FLAME_OK);
	cr_expect_eq(flame_tree_total(tree, 0), 1);
	flame_tree_free(tree);
}

Test(misuse, rows)
{
	struct flame_row row;

	for (unsigned kind = 0; kind < 256; kind++) {
		cr_expect_eq(flame_rows((enum flame_row_kind)kind, WILD, &row),
			     0);
		cr_expect_eq(flame_rows((enum flame_row_kind)kind, UINT32_MAX,
					&row), 0);
	}
	cr_expect_eq(flame_rows(FLAME_ROW_FILTER, 0, NULL), 0);
}

Test(misuse, names_of_no_format_filter_or_option)
{
	struct flame_source *source = input();
	struct flame_sink *sink = output();

	cr_expect_null(flame_open_memory(flame, "a 1\n", 4, "in", "none"));
	failed();
	cr_expect_null(flame_create_callback(flame, "none", discard, NULL));
	failed();
	cr_expect_null(flame_create(flame, "/dev/null", NULL));
	failed();
	cr_expect_eq(flame_set(sink, "none", "x"), FLAME_FAILED);
	failed();
	cr_expect_null(flame_filter(sink, "none", NULL));
	failed();
	cr_expect_eq(flame_ask(source, "none", "x"), FLAME_FAILED);
	failed();
	flame_close(source);
}

/* A child of fork has a dictionary of its own. */
Test(misuse, fork_while_a_source_is_open)
{
	struct flame_source *source = input();
	struct flame_sample sample;
	pid_t child = fork();
	int status;

	if (!child)
		_exit(flame_next(source, &sample) != FLAME_OK);
	cr_assert_eq(waitpid(child, &status, 0), child);
	cr_expect_eq(status, 0);
	cr_expect_eq(flame_next(source, &sample), FLAME_OK);
	flame_close(source);
}
