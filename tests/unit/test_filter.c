/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Filters that remove whole stacks, or frames of them.
 */
#include "filter.h"

TestSuite(keep, .init = start, .fini = stop);
TestSuite(root, .init = start, .fini = stop);
TestSuite(cut, .init = start, .fini = stop);
TestSuite(length, .init = start, .fini = stop);
TestSuite(reverse, .init = start, .fini = stop);
TestSuite(min, .init = start, .fini = stop);
TestSuite(grain, .init = start, .fini = stop);
TestSuite(filters, .init = start, .fini = stop);

/* Keep and drop ------------------------------------------------------- */

Test(keep, a_word_is_found_in_a_name)
{
	GIVES("keep", "Runner", "a;TaskRunner.run;c", "a;TaskRunner.run;c 1\n");
	GIVES("keep", "Runner", "a;b;c", "");
	GIVES("keep", "^Runner", "a;TaskRunner.run;c", "");
	GIVES("keep", "a;b", "a;b", "");
}

Test(keep, one_of_several_is_enough)
{
	GIVES("keep", "x\nb", "a;b;c", "a;b;c 1\n");
	GIVES("keep", "x\ny", "a;b;c", "");
	GIVES("drop", "x\nb", "a;b;c", "");
	GIVES("drop", "x\ny", "a;b;c", "a;b;c 1\n");
}

Test(keep, the_suffix_is_not_of_the_name)
{
	GIVES("keep", "^b$", "a;b_[j]", "a;b_[j] 1\n");
	GIVES("drop", "\\[j\\]", "a;b_[j]", "a;b_[j] 1\n");
}

Test(keep, include_wants_all_of_a_name)
{
	GIVES("include", "Runner", "a;TaskRunner.run", "");
	GIVES("include", ".*Runner\\.run", "a;TaskRunner.run",
	      "a;TaskRunner.run 1\n");
	GIVES("include", "a|b", "ab", "");
	GIVES("exclude", "Task", "a;TaskRunner.run", "a;TaskRunner.run 1\n");
	GIVES("exclude", "a", "a;b", "");
}

Test(keep, a_sample_without_a_stack_matches_nothing)
{
	GIVES("keep", "", "", "");
	GIVES("drop", "", "", " 1\n");
}

Test(keep, children_of_a_stack_known_already_are_told_apart)
{
	struct flame_sink *sink = flame_filter(collector(), "keep", "c$");

	send_to(sink, "a;b", 1);
	send_to(sink, "a;b;c", 2);
	send_to(sink, "a;b;c;d", 4);
	send_to(sink, "a;b;d", 8);
	send_to(sink, "a;b;c", 16);
	cr_assert_eq(flame_finish(sink), FLAME_OK);
	cr_expect_str_eq(out.data, "a;b;c 2\na;b;c;d 4\na;b;c 16\n");
}

/* Root ---------------------------------------------------------------- */

Test(root, stacks_begin_at_the_outermost_match)
{
	GIVES("root", "run", "a;run1;b;run2;c", "run1;b;run2;c 1\n");
	GIVES("root-innermost", "run", "a;run1;b;run2;c", "run2;c 1\n");
	GIVES("root", "a", "a;b", "a;b 1\n");
	GIVES("root", "b", "a;b", "b 1\n");
}

Test(root, stacks_without_a_match_are_dropped)
{
	GIVES("root", "x", "a;b", "");
	GIVES("root-innermost", "x", "a;b", "");
	GIVES("root", "", "", "");
}

Test(root, the_category_stays_below)
{
	struct flame_sink *sink = flame_filter(collector(), "root", "run");

	sink = flame_filter(sink, "classify", NULL);
	send_to(sink, "a_[j];run_[j];c_[j]", 3);
	cr_assert_eq(flame_finish(sink), FLAME_OK);
	cr_expect_str_eq(out.data, "[c2_comp]_[i];run_[j];c_[j] 3\n");
}

#define RUN "Executor$TaskRunner.run"

static const char *const spelt[] = {
	"org/apache/spark/executor/" RUN "_[0]",
	RUN,
	"org.apache.spark.executor." RUN "(Executor.scala:552)",
	"app//org.apache.spark.executor." RUN "(Executor.scala:600)",
	"java.base@17.0.15/org.apache.spark.executor." RUN "(E.scala:1)",
	"org-apache-spark-executor-Executor$TaskRunner-run-214",
	"Lorg/apache/spark/executor/Executor$TaskRunner:::run_[j]",
	"void org.apache.spark.executor." RUN "()",
	"Executor task l",
	"Executor_task_l-123/456",
};

static void send_all(struct flame_sink *sink, const char *above)
{
	for (size_t i = 0; i < FL_COUNT(spelt); i++) {
		char stack[256];

		/* A comm stands at the root. */
		snprintf(stack, sizeof(stack), "%s%s%s",
			 strncmp(spelt[i], "Executor", 8) ||
			 !strcmp(spelt[i], RUN) ? "a;" : "", spelt[i], above);
		send_to(sink, stack, 1 << i);
	}
}

Test(root, all_spellings_are_one_tower)
{
	static const char *const res[] = {
		"TaskRunner.run", "TaskRunner\\.run$", "^org/apache.*run$|^Ex",
		"^org\\.apache\\.|^Ex",
	};

	for (size_t i = 0; i < FL_COUNT(res); i++) {
		struct flame_sink *sink = flame_filter(collector(), "root",
						       res[i]);
		const char *line;

		out.size = 0;
		total = 0;
		send_all(sink, ";b;c");
		send_to(sink, "a;b;c", 1 << 20);
		cr_assert_eq(flame_finish(sink), FLAME_OK);
		cr_expect_eq(total, (1 << FL_COUNT(spelt)) - 1, "%s: %s",
			     res[i], out.data);
		for (line = out.data; *line; line = strchr(line, '\n') + 1)
			cr_expect(!strncmp(line, "org/apache/spark/executor/"
					   RUN ";", 26 + sizeof(RUN)) ||
				  (i > 1 && !strncmp(line, "Ex", 2)),
				  "%s: %s", res[i], line);
	}
}

Test(root, one_spelling_stays_as_it_is)
{
	for (size_t i = 0; i + 2 < FL_COUNT(spelt); i++) {
		char stack[256], expected[256];

		snprintf(stack, sizeof(stack), "a;%s;b", spelt[i]);
		snprintf(expected, sizeof(expected), "%s;b 1\n", spelt[i]);
		GIVES("root", "TaskRunner.run", stack, expected);
	}
}

/* Sent in both orders: the names do not depend on it. */
static void roots(const char *a, const char *b, const char *c,
		  const char *expected)
{
	const char *stacks[] = { a, b, c };

	for (int turn = 0; turn < 2; turn++) {
		struct flame_sink *sink = flame_filter(collector(), "root",
						       "run");

		out.size = 0;
		for (int i = 0; i < 3; i++)
			send_to(sink, stacks[turn ? 2 - i : i], 1);
		cr_assert_eq(flame_finish(sink), FLAME_OK);
		if (!turn)
			cr_expect_str_eq(out.data, expected);
		for (int i = 0; turn && i < 3; i++)
			cr_expect(strstr(expected,
					 strndupa(out.data,
						  strcspn(out.data, "\n"))),
				  "%s", out.data);
	}
}

Test(root, a_class_without_its_package_is_that_of_the_only_one)
{
	roots("x;C.run;y", "a/b/C.run;z", "C.run;z", "a/b/C.run;y 1\n"
	      "a/b/C.run;z 1\na/b/C.run;z 1\n");
	roots("x;C.run;y", "a/b/C.run;z", "d/C.run;z",
	      "C.run;y 1\na/b/C.run;z 1\nd/C.run;z 1\n");
	roots("x;C.run;y", "a/b/DC.run;z", "a.b.DC.run;z",
	      "C.run;y 1\na/b/DC.run;z 1\na/b/DC.run;z 1\n");
	roots("x;a.C.run:1", "a.C.run:2;z", "run;z",
	      "a.C.run 1\na.C.run;z 1\nrun;z 1\n");
}

Test(root, a_thread_that_runs_tasks_is_no_root_where_a_frame_is)
{
	GIVES("root", "TaskRunner.run", "Executor task l;a;a/TaskRunner.run;b",
	      "a/TaskRunner.run;b 1\n");
	GIVES("root", "TaskRunner.run", "Executor task l;a", "org/apache/spark"
	      "/executor/Executor$TaskRunner.run;Executor task l;a 1\n");
	GIVES("root", "Worker.run", "Executor task l;a", "");
	GIVES("root", "TaskRunner.run", "a;Executor task l;a", "");
	GIVES("root", "TaskRunner.run", "Executor task launch;a", "");
	GIVES("root", "TaskRunner.run", "Executor task l-x;a", "");
	GIVES("root", "TaskRunner.run", "[vm]_[+];Executor task l;a",
	      "[vm]_[+];org/apache/spark/executor/Executor$TaskRunner.run;"
	      "Executor task l;a 1\n");
	GIVES("keep", "TaskRunner.run", "Executor task l;a",
	      "Executor task l;a 1\n");
	GIVES("drop", "TaskRunner.run", "Executor task l;a", "");
	GIVES("drop", "Worker.run", "Executor task l;a",
	      "Executor task l;a 1\n");
	GIVES("include", ".*TaskRunner.run", "Executor task l;a", "");
}

static const char *with_rest(const char *option, const char *re,
			     const char *stack)
{
	struct flame_sink *sink = flame_filter(collector(), option, re);

	sink = flame_filter(sink, "root-keep-rest", NULL);
	cr_assert(sink);
	out.size = 0;
	send_to(sink, stack, 1);
	cr_assert_eq(flame_finish(sink), FLAME_OK);
	return out.data;
}

Test(root, the_rest_stays_where_that_is_asked_for)
{
	cr_expect_str_eq(with_rest("root", "b", "a;b;c"), "b;c 1\n");
	cr_expect_str_eq(with_rest("root", "x", "a;b;c"), "a;b;c 1\n");
	cr_expect_str_eq(with_rest("root", "x", ""), " 1\n");
	cr_expect_str_eq(with_rest("root-innermost", "x", "a"), "a 1\n");
	cr_expect_str_eq(with_rest("root-innermost", "[ab]", "a;b;c"),
			 "b;c 1\n");
}

Test(root, the_rest_of_nothing_is_an_error)
{
	struct flame_sink *next = collector();

	cr_assert_null(flame_filter(next, "root-keep-rest", NULL));
	cr_expect_str_eq(flame_error(flame),
			 "--root-keep-rest needs --root RE");
}

Test(root, many_names_are_no_matter)
{
	struct flame_sink *sink = flame_filter(collector(), "root-innermost",
					       ".");

	for (int i = 0; i < 100000; i++) {
		char name[32];

		snprintf(name, sizeof(name), "a;p%d/C%d.run", i % 7, i);
		send_to(sink, name, 1);
	}
	cr_assert_eq(flame_finish(sink), FLAME_OK);
	cr_expect_eq(total, 100000);
}

/* Cut, hide, collapse ------------------------------------------------- */

Test(cut, the_frame_that_matches_stays)
{
	GIVES("cut", "b", "a;b;c;b;d", "a;b 1\n");
	GIVES("cut", "x", "a;b;c", "a;b;c 1\n");
	GIVES("cut", "a", "a;b;c", "a 1\n");
}

Test(cut, hidden_frames_leave_their_stacks)
{
	GIVES("hide", "b", "a;b;c;b;d", "a;c;d 1\n");
	GIVES("hide", "a\nd", "a;b;c;d", "b;c 1\n");
	GIVES("hide", ".", "a;b", " 1\n");
}

Test(cut, recursion_becomes_one_frame)
{
	GIVES("collapse-recursion", NULL, "a;b;b;b;c;b", "a;b;c;b 1\n");
	GIVES("collapse-recursion", NULL, "b_[0];b_[j];b_[i]", "b_[0] 1\n");
}

/* Length -------------------------------------------------------------- */

Test(length, skip_takes_frames_from_the_root)
{
	GIVES("skip", "1", "a;b;c", "b;c 1\n");
	GIVES("skip", "0", "a;b;c", "a;b;c 1\n");
	GIVES("skip", "2", "a;b;c", "c 1\n");
}

Test(length, what_is_too_short_is_not_lost)
{
	GIVES("skip", "3", "a;b;c", "[skipped]_[g] 1\n");
	GIVES("skip", "9", "a;b;c", "[skipped]_[g] 1\n");
	GIVES("skip", "9", "", " 1\n");
	GIVES("skip-compat", "3", "a;b;c", " 1\n");
	GIVES("skip-compat", "2", "a;b;c", "c 1\n");
}

Test(length, depth_takes_frames_from_the_leaf)
{
	GIVES("depth", "2", "a;b;c;d", "a;b 1\n");
	GIVES("depth", "9", "a;b;c;d", "a;b;c;d 1\n");
	GIVES("depth", "0", "a;b", " 1\n");
}

Test(length, a_number_must_be_one)
{
	static const char *const bad[] = { "", "x", "-1", "1x", "1.5" };

	for (size_t i = 0; i < FL_COUNT(bad); i++) {
		struct flame_sink *next;

		stop();
		start();
		next = collector();
		cr_expect_null(flame_filter(next, "skip", bad[i]));
		cr_expect(strstr(flame_error(flame), "--skip: "));
	}
}

/* Reverse ------------------------------------------------------------- */

Test(reverse, leaves_come_first)
{
	GIVES("reverse", NULL, "a;b;c", "c;b;a 1\n");
	GIVES("reverse", NULL, "a", "a 1\n");
	GIVES("reverse", NULL, "", " 1\n");
}

Test(reverse, the_frame_of_a_thread_stays_at_the_root)
{
	GIVES("reverse", NULL, "[x tid=1]_[g];a;b", "[x tid=1]_[g];b;a 1\n");
	GIVES("reverse", NULL, "[tid=12]_[n];a;b", "[tid=12]_[n];b;a 1\n");
	GIVES("reverse", NULL, "[x y tid=1];a;b", "[x y tid=1];b;a 1\n");
	GIVES("reverse", NULL, "[tid=1]", "[tid=1] 1\n");
	GIVES("reverse", NULL, "[tid=1]_[j];a", "a;[tid=1]_[j] 1\n");
	GIVES("reverse", NULL, "[xtid=1];a", "a;[xtid=1] 1\n");
	GIVES("reverse", NULL, "[x tid=];a", "a;[x tid=] 1\n");
	GIVES("reverse", NULL, "[tid=1;a", "a;[tid=1 1\n");
	GIVES("reverse", NULL, "[1234567];a", "a;[1234567] 1\n");
	GIVES("reverse", NULL, "a;[tid=1]", "[tid=1];a 1\n");
}

Test(reverse, twice_is_as_it_was)
{
	struct flame_sink *sink = collector();

	sink = flame_filter(sink, "reverse", NULL);
	sink = flame_filter(sink, "reverse", NULL);
	send_to(sink, "[main tid=3];a;b_[j];c", 5);
	cr_assert_eq(flame_finish(sink), FLAME_OK);
	cr_expect_str_eq(out.data, "[main tid=3];a;b_[j];c 5\n");
}

/* Grain --------------------------------------------------------------- */

Test(grain, weights_are_divided_and_the_total_is_kept)
{
	struct flame_sink *sink = flame_filter(collector(), "grain", "10");

	send_to(sink, "a", 4);
	send_to(sink, "b", 4);
	send_to(sink, "c", 4);
	send_to(sink, "d", 100);
	send_to(sink, "a", 0);
	cr_expect_eq(out.size, 0);
	cr_assert_eq(flame_finish(sink), FLAME_OK);
	cr_expect_str_eq(out.data, "b 1\nd 10\n");
}

Test(grain, the_total_is_kept_over_many_stacks)
{
	struct flame_sink *sink = flame_filter(collector(), "grain", "7.5");
	int64_t sum = 0;

	for (int i = 0; i < 1000; i++) {
		char name[16];

		snprintf(name, sizeof(name), "f%d", i);
		send_to(sink, name, i % 13);
		sum += i % 13;
	}
	cr_assert_eq(flame_finish(sink), FLAME_OK);
	cr_expect_leq((double)total, (double)sum / 7.5 + 1);
	cr_expect_geq((double)total, (double)sum / 7.5 - 1);
}

Test(grain, nothing_in_is_nothing_out)
{
	struct flame_sink *sink = flame_filter(collector(), "grain", "2");

	cr_assert_eq(flame_finish(sink), FLAME_OK);
	cr_expect_eq(out.size, 0);
}

Test(grain, the_size_is_above_zero)
{
	static const char *const bad[] = { "0", "-1", "x", "", "nan" };

	for (size_t i = 0; i < FL_COUNT(bad); i++) {
		struct flame_sink *next = collector();

		cr_expect_null(flame_filter(next, "grain", bad[i]));
	}
}

/* Min ----------------------------------------------------------------- */

static void send_tree(struct flame_sink *sink)
{
	send_to(sink, "a;b;c", 4);
	send_to(sink, "a;b;d", 5);
	send_to(sink, "a;e", 1);
	send_to(sink, "a", 20);
	send_to(sink, "f", 2);
	send_to(sink, "a;b;c", 4);
	send_to(sink, "", 4);
}

static const char *pruned(const char *least)
{
	struct flame_sink *sink = flame_filter(collector(), "min", least);

	cr_assert(sink);
	total = 0;
	out.size = 0;
	send_tree(sink);
	cr_expect_eq(out.size, 0);
	cr_assert_eq(flame_finish(sink), FLAME_OK);
	cr_expect_eq(total, 40);
	return out.data;
}

Test(min, what_is_light_is_counted_at_its_caller)
{
	cr_expect_str_eq(pruned("0"), "a;b;c 8\na;b;d 5\na;e 1\na 20\nf 2\n"
			 " 4\n");
	cr_expect_str_eq(pruned("5"), "a;b;c 8\na;b;d 5\na 1\na 20\n 2\n 4\n");
	cr_expect_str_eq(pruned("6"), "a;b;c 8\na;b 5\na 1\na 20\n 2\n 4\n");
	cr_expect_str_eq(pruned("13"), "a;b 8\na;b 5\na 1\na 20\n 2\n 4\n");
	cr_expect_str_eq(pruned("34.5"), " 8\n 5\n 1\n 20\n 2\n 4\n");
	cr_expect_str_eq(pruned("20%"), "a;b;c 8\na;b 5\na 1\na 20\n 2\n"
			 " 4\n");
	cr_expect_str_eq(pruned("101%"), " 8\n 5\n 1\n 20\n 2\n 4\n");
}

Test(min, metrics_threads_and_labels_stay_apart)
{
	struct flame_sink *sink = flame_filter(collector(), "min", "50%");
	struct flame_sample s = { .weight = 3, .time = FLAME_NOTIME };

	s.stack = stack_of("a;b");
	s.metric = flame_metric(flame, "cpu", "samples");
	cr_assert_eq(flame_put(sink, &s), FLAME_OK);
	s.thread = fl_thread(flame, FL_SLICE("main"), 1);
	cr_assert_eq(flame_put(sink, &s), FLAME_OK);
	s.stack = stack_of("a;c");
	cr_assert_eq(flame_put(sink, &s), FLAME_OK);
	s.metric = flame_metric(flame, "wall", "samples");
	cr_assert_eq(flame_put(sink, &s), FLAME_OK);
	cr_assert_eq(flame_finish(sink), FLAME_OK);
	cr_expect_str_eq(out.data, "a;b 3\na;b 3\na 3\na;c 3\n");
}

Test(min, memory_that_is_given_back_is_heavy_too)
{
	struct flame_sink *sink = flame_filter(collector(), "min", "10");

	send_to(sink, "a;b", -20);
	send_to(sink, "a;c", 20);
	send_to(sink, "a;d", -5);
	cr_assert_eq(flame_finish(sink), FLAME_OK);
	cr_expect_str_eq(out.data, "a;b -20\na;c 20\na -5\n");
}

Test(min, a_weight_or_a_percentage)
{
	static const char *const bad[] = {
		"", "%", "x", "-1", "5x", "5%%", "nan", "inf"
	};

	for (size_t i = 0; i < FL_COUNT(bad); i++) {
		struct flame_sink *next;

		stop();
		start();
		next = collector();
		cr_expect_null(flame_filter(next, "min", bad[i]), "%s", bad[i]);
		cr_expect(strstr(flame_error(flame), "--min: "));
	}
}

/* The table ----------------------------------------------------------- */

Test(filters, the_table_is_in_the_order_of_the_ranks)
{
	for (size_t i = 0; fl_filters[i]; i++) {
		const struct fl_filter *f = fl_filters[i];

		cr_expect(f->name && f->summary && f->make);
		cr_expect(!i || fl_filters[i - 1]->rank <= f->rank,
			  "%s", f->name);
		cr_expect_eq(fl_filter_named(f->name), f);
		cr_expect(!f->joins || f->argument);
	}
}

static const char *some_argument(const struct fl_filter *f)
{
	static const char *const all[][2] = {
		{ "RE", "b" }, { "KEY=VALUE", "thread=b" },
		{ "s/RE/TO/", "s/b//" },
		{ "NAME", "go" }, { "KEY[=RE]", "state" }, { "N|P%", "50%" },
		{ "LOG", "/dev/null" },
	};

	for (size_t i = 0; f->argument && i < FL_COUNT(all); i++)
		if (strcmp(f->argument, all[i][0]) == 0)
			return all[i][1];
	return f->argument ? "1" : NULL;
}

/*
 * Weighs anew, by a log, or by tasks that wait (tests/laws/join); price is an
 * argument and makes no sink.
 */
static bool weighs(const struct fl_filter *f)
{
	return strcmp(f->name, "spark-cost") == 0 ||
	       strcmp(f->name, "price") == 0 || strcmp(f->name, "join") == 0;
}

Test(filters, those_that_do_not_select_keep_the_total)
{
	for (size_t i = 0; fl_filters[i]; i++) {
		const struct fl_filter *f = fl_filters[i];
		struct flame_sink *sink;

		if (weighs(f))
			continue;
		sink = collector();
		if (strcmp(f->name, "root-keep-rest") == 0)
			sink = flame_filter(sink, "root", "b");
		sink = flame_filter(sink, f->name, some_argument(f));
		cr_assert(sink, "%s", f->name);
		total = 0;
		send_to(sink, "", 1);
		send_to(sink, "a", 2);
		send_to(sink, "a/B.run_[j];b", 4);
		send_to(sink, "a;b;b;c", 8);
		cr_expect_eq(flame_finish(sink), FLAME_OK);
		if (f->selects)
			cr_expect_leq(total, 15, "%s", f->name);
		else
			cr_expect_eq(total, 15, "%s", f->name);
	}
}

Test(filters, an_unknown_name_is_said)
{
	struct flame_sink *next = collector();

	cr_assert_null(flame_filter(next, "kepe", "x"));
	cr_expect_str_eq(flame_error(flame), "kepe: no such filter");
}

Test(filters, a_missing_argument_is_said)
{
	struct flame_sink *next = collector();

	cr_assert_null(flame_filter(next, "keep", NULL));
	cr_expect_str_eq(flame_error(flame), "--keep takes an argument: RE");
}

Test(filters, an_argument_too_many_is_said)
{
	struct flame_sink *next = collector();

	cr_assert_null(flame_filter(next, "norm", "x"));
	cr_expect_str_eq(flame_error(flame), "--norm takes no argument");
}

Test(filters, a_bad_expression_is_said)
{
	struct flame_sink *next = collector();

	cr_assert_null(flame_filter(next, "keep", "good\n(bad"));
	cr_expect(strstr(flame_error(flame), "--keep: (bad: "), "%s",
		  flame_error(flame));
}

Test(filters, nothing_to_stand_before_is_passed_on)
{
	cr_expect_null(flame_filter(NULL, "keep", "x"));
}

Test(filters, a_full_dictionary_is_said_at_the_end)
{
	struct flame_sink *sink = flame_filter(collector(), "reverse", NULL);

	flame_process_limit(flame, 100000);
	for (int i = 0; i < 10000; i++) {
		struct flame_sample s = { .weight = 1 };
		char name[16];

		snprintf(name, sizeof(name), "f%d;g", i);
		s.stack = stack_of(name);
		flame_put(sink, &s);
	}
	cr_expect_eq(flame_finish(sink), FLAME_FAILED);
	cr_expect_str_neq(flame_error(flame), "");
}

Test(filters, deep_stacks_are_no_recursion)
{
	struct flame_sink *sink = collector();
	struct flame_sample s = { .weight = 1 };

	for (unsigned i = 0; i < 1000000; i++) {
		char name[2] = { (char)('a' + i % 26) };

		s.stack = flame_stack(flame, s.stack, frame_of(name, 1));
	}
	sink = flame_filter(sink, "depth", "3");
	sink = flame_filter(sink, "reverse", NULL);
	sink = flame_filter(sink, "collapse-recursion", NULL);
	sink = flame_filter(sink, "hide", "[f-z]");
	sink = flame_filter(sink, "classify", NULL);
	cr_assert_eq(flame_put(sink, &s), FLAME_OK);
	cr_assert_eq(flame_finish(sink), FLAME_OK);
	cr_expect_str_eq(out.data, "e;d;c 1\n");
}
