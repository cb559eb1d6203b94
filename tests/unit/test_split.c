/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A flow that is divided by labels.
 */
#include "fl.h"

#include "flow/runs.h"
#include "tree/tree.h"

#include <criterion/criterion.h>

static flame_id name(struct flame *flame, const char *text)
{
	return flame_name(flame, text, strlen(text));
}

static void send(struct flame *flame, struct flame_sink *sink,
		 const char *stage, const char *thread, int64_t weight)
{
	const struct flame_frame f = { .name = name(flame, "f") };
	struct flame_sample sample = {
		.stack = flame_stack(flame, 0, flame_frame(flame, &f)),
		.metric = flame_metric(flame, "cpu", "samples"),
		.thread = flame_label(flame, 0, name(flame, "thread"),
				      name(flame, thread)),
		.time = 5, .weight = weight,
	};

	if (stage)
		sample.labels = flame_label(flame, 0, name(flame, "stage"),
					    name(flame, stage));
	cr_assert_eq(flame_put(sink, &sample), FLAME_OK);
}

/* The stage of a part; "": it has none. */
static const char *stage_of(struct flame *flame,
			    const struct flame_split *split, size_t i)
{
	flame_id stage = flame_label_get(flame,
					 flame_split_at(split, i)->keys,
					 name(flame, "stage"));

	return stage ? flame_name_text(flame, stage, NULL) : "";
}

static int64_t sum_of(struct flame_split *split, size_t i, struct flame *flame)
{
	struct flame_tree *tree = flame_tree_new(flame, 1);
	struct flame_sink *sink = flame_tree_sink(tree, 0);
	int64_t sum;

	cr_assert_eq(flame_split_put(split, i, sink), FLAME_OK);
	cr_assert_eq(flame_finish(sink), FLAME_OK);
	sum = flame_tree_total(tree, 0);
	cr_expect_str_eq(flame_tree_metric(tree), "cpu");
	flame_tree_free(tree);
	return sum;
}

Test(split, each_value_of_a_key_is_a_part_and_all_add_up)
{
	struct flame *flame = flame_new(), *other = flame_new();
	struct flame_split *split = flame_split_new(flame);
	struct flame_tree *tree = flame_tree_new(flame, 1);
	struct flame_sink *like = flame_tree_sink(tree, 0);
	struct flame_sink *sink = flame_split_sink(split, like, "stage",
						   "query");

	flame_abandon(like);
	send(flame, sink, "2", "a", 1);
	send(flame, sink, NULL, "a", 2);
	send(flame, sink, "2", "b", 4);
	send(flame, sink, "1", "b", 8);
	cr_assert_eq(flame_finish(sink), FLAME_OK);
	cr_expect_str_eq(stage_of(flame, split, 0), "2");
	cr_expect_str_eq(stage_of(flame, split, 1), "");
	cr_expect_str_eq(stage_of(flame, split, 2), "1");
	cr_expect_null(flame_split_at(split, 3));
	cr_expect_eq(flame_split_at(split, 0)->samples, 2);
	/* Into this dictionary and another, as often as one likes. */
	for (size_t i = 0; i < 2; i++) {
		struct flame *to = i ? other : flame;

		cr_expect_eq(sum_of(split, 0, to), 5);
		cr_expect_eq(sum_of(split, 1, to), 2);
		cr_expect_eq(sum_of(split, 2, to), 8);
	}
	flame_split_free(split);
	flame_split_free(NULL);
	flame_tree_free(tree);
	flame_free(other);
	flame_free(flame);
}

/* Keeps the last sample. */
static struct flame_sample last;

static int keep(struct flame_sink *sink, const struct flame_sample *sample)
{
	(void)sink;
	last = *sample;
	return FLAME_OK;
}

static int finish(struct flame_sink *sink)
{
	(void)sink;
	return FLAME_OK;
}

Test(split, inputs_are_parts_of_samples_that_go_on_as_they_are)
{
	struct flame *flame = flame_new();
	struct flame_split *split = flame_split_new(flame);
	struct flame_sink *out = fl_sink_new(flame, NULL, 0), *sink;
	flame_id path = name(flame, "path");
	const struct flame_frame f = { .name = name(flame, "f") };
	struct flame_sample s = {
		.stack = flame_stack(flame, 0, flame_frame(flame, &f)),
		.metric = flame_metric(flame, "cpu", "samples"), .time = 5,
	};

	out->put = keep;
	out->finish = finish;
	sink = flame_split_inputs(split, out);
	cr_assert_not_null(sink);
	cr_expect(sink->needs & FL_NEED_PATH);
	for (unsigned i = 0; i < 3; i++) {
		s.weight = 1 << i;
		s.labels = flame_label(flame, flame_label(flame, 0, name(flame,
				"query"), name(flame, "q")), path,
				name(flame, i ? "x/2" : "x/1"));
		cr_assert_eq(flame_put(sink, &s), FLAME_OK);
		cr_expect_eq(last.time, 5);
		cr_expect_eq(flame_label_get(flame, last.labels, path), 0);
		cr_expect_neq(last.labels, 0);
	}
	cr_assert_eq(flame_finish(sink), FLAME_OK);
	cr_expect_eq(sum_of(split, 0, flame), 1);
	cr_expect_eq(sum_of(split, 1, flame), 6);
	cr_expect_null(flame_split_at(split, 2));
	cr_expect_null(flame_split_inputs(split, NULL));
	flame_split_free(split);
	flame_free(flame);
}

Test(split, times_and_labels_stay_where_the_output_needs_them)
{
	for (unsigned i = 0; i < 2; i++) {
		struct flame *flame = flame_new(), *other = flame_new();
		struct flame_split *split = flame_split_new(flame);
		struct flame_sink *out = fl_sink_new(other, NULL, 0), *sink;

		out->needs = i ? FL_NEED_TIME | FL_NEED_THREAD : 0;
		out->put = keep;
		out->finish = finish;
		sink = flame_split_sink(split, out, "stage", NULL);
		cr_expect(fl_is_wanted(sink->labels, "stage"));
		send(flame, sink, "2", "a", 1);
		cr_assert_eq(flame_finish(sink), FLAME_OK);
		cr_assert_eq(flame_split_put(split, 0, out), FLAME_OK);
		cr_expect_eq(last.time, i ? 5 : FLAME_NOTIME);
		cr_expect_eq(last.thread != 0, i);
		cr_expect_eq(last.labels != 0, i);
		if (i)
			cr_expect_str_eq(flame_name_text(other,
					flame_label_get(other, last.thread,
						name(other, "thread")), NULL),
				"a");
		cr_assert_eq(flame_finish(out), FLAME_OK);
		flame_split_free(split);
		flame_free(flame);
		flame_free(other);
	}
}

/* What an output got of the times 0 to 9. */
static struct got {
	unsigned samples;
	int64_t weights[10];
} got;

static int gather(struct flame_sink *sink, const struct flame_sample *sample)
{
	struct fl_run run;

	got.samples++;
	if (!fl_run_find(sink->flame, sample->time, &run))
		got.weights[sample->time] += sample->weight;
	else
		for (size_t i = 0; i < run.count; i++)
			got.weights[run.data[i].time] += run.data[i].weight;
	return FLAME_OK;
}

static struct flame_sink *make_timed(struct flame *flame, bool takes_runs)
{
	struct flame_sink *out = fl_sink_new(flame, NULL, 0);

	out->needs = FL_NEED_TIME;
	out->takes_runs = takes_runs;
	out->put = gather;
	out->finish = finish;
	return out;
}

/* Twice: a part can be put as often as one likes. */
static void expect_times(struct flame_split *split, struct flame *flame,
			 bool takes_runs, unsigned samples)
{
	for (int i = 0; i < 2; i++) {
		struct flame_sink *out = make_timed(flame, takes_runs);

		got = (struct got){ 0 };
		cr_assert_eq(flame_split_put(split, 0, out), FLAME_OK);
		cr_assert_eq(flame_finish(out), FLAME_OK);
		cr_expect_eq(got.samples, samples);
		for (int64_t t = 0; t < 10; t++)
			cr_expect_eq(got.weights[t], t < 3 ? 4 - t : 0);
	}
}

Test(split, times_of_equal_samples_are_one_sample_for_pages)
{
	struct flame *flame = flame_new(), *other = flame_new();
	struct flame_split *split = flame_split_new(flame);
	struct flame_sink *like = make_timed(flame, true);
	struct flame_sink *sink = flame_split_sink(split, like, "stage", NULL);
	struct flame_sample s = { .weight = 1 };

	cr_assert(fl_takes_runs(sink));
	flame_abandon(like);
	s.metric = flame_metric(flame, "cpu", "samples");
	s.stack = flame_stack(flame, 0, flame_frame(flame,
		&(struct flame_frame){ .name = name(flame, "f") }));
	for (s.time = 0; s.time < 3; s.time++)
		for (int64_t i = s.time; i < 4; i++)
			cr_assert_eq(flame_put(sink, &s), FLAME_OK);
	cr_assert_eq(flame_finish(sink), FLAME_OK);
	cr_expect_eq(flame_split_at(split, 0)->samples, 9);
	expect_times(split, flame, true, 1);
	expect_times(split, other, true, 1);
	expect_times(split, other, false, 3);
	flame_split_free(split);
	flame_free(flame);
	flame_free(other);
}
