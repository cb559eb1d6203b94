/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Filters that look at what samples have beside their stacks, and at what
 * the JVM was at.
 */
#include "filter.h"

TestSuite(classify, .init = start, .fini = stop);
TestSuite(by, .init = start, .fini = stop);
TestSuite(label, .init = start, .fini = stop);

/* Classify ------------------------------------------------------------ */

static void is_of(const char *category, const char *stack)
{
	const char *got = through("classify", NULL, stack);

	cr_expect(strncmp(got, category, strlen(category)) == 0 &&
		  got[strlen(category)] == ';',
		  "%s\n  is   %s\n  not  %s", stack, got, category);
}

Test(classify, threads_of_the_jvm_are_known_from_the_root)
{
	is_of("[jit]_[+]", "start_[n];thread_native_entry_[+];"
	      "CompileBroker::compiler_thread_loop_[+];x_[+]");
	is_of("[gc]_[+]", "java_start_[+];GCTaskThread::run_[+];x_[j]");
	is_of("[gc]_[+]", "WorkerThread::run_[+]");
	is_of("[vm]_[+]", "clone_[n];thread_native_entry_[+];x_[+]");
	is_of("[c2_comp]_[i]", "a_[j];java_start_[+];b_[j]");
	is_of("[vm]_[+]", "java_start_[+];a_[j]");
	is_of("[native]_[n]", "java_start_[n];x_[n]");
}

Test(classify, loading_is_known_anywhere)
{
	is_of("[class_verify]_[+]", "a_[j];Verifier::verify_[+];b_[+]");
	is_of("[class_init]_[+]",
	      "a_[j];InstanceKlass::initialize_impl_[+];b_[+]");
	is_of("[class_resolve]_[+]", "a_[0];LinkResolver::x_[+]");
	is_of("[class_resolve]_[+]", "a_[0];InterpreterRuntime::resolve_x_[+]");
	is_of("[class_resolve]_[+]", "a_[0];SystemDictionary::resolve_x_[+]");
	is_of("[class_load]_[+]", "java/lang/ClassLoader.loadClass_[j];b_[j]");
	is_of("[class_load]_[+]", "a/BClassLoader.loadClass:12_[j];b_[j]");
	is_of("[lambda_init]_[+]",
	      "java/lang/invoke/LambdaMetafactory.metafactory_[0];b_[j]");
	is_of("[lambda_init]_[+]",
	      "java/lang/invoke/LambdaMetafactory.altMetafactory_[0];b_[j]");
	is_of("[vtable_stubs]_[n]", "a_[j];itable stub_[n]");
	is_of("[Interpreter]_[n]", "a_[j];Interpreter_[n]");
	is_of("[Interpreter]_[n]", "a_[0];I2C/C2I adapters_[n]");
	is_of("[c2i_adapter]_[i]", "a_[j];I2C/C2I adapters_[n]");
	is_of("[c2i_adapter]_[i]", "I2C/C2I adapters_[n]");
}

Test(classify, else_the_first_java_frame_tells)
{
	is_of("[Interpreter]_[n]", "a_[0];b_[i]");
	is_of("[c2_comp]_[i]", "a_[0];b_[j];c_[i]");
	is_of("[c1_comp]_[1]", "a_[0];b_[1]");
	is_of("[native]_[n]", "a_[j];write_[n]");
	is_of("[native]_[n]", "a_[j];b_[J]");
	is_of("[c2_comp]_[i]", "a_[j];b_[i];c_[n];d_[i]");
	is_of("[c1_comp]_[1]", "a_[j];Runtime1::x_[+];y_[n]");
	is_of("[vm]_[+]", "a_[j];JVM_Sleep_[n];y_[n]");
	is_of("[vm]_[+]", "a_[j];call_stub_[n];y_[+]");
	is_of("[c2_comp]_[i]", "a_[j];jbyte_arraycopy_[n]");
	is_of("[c2_comp]_[i]", "a_[j];pthread_cond_wait@GLIBC_[n]");
	is_of("[c2_comp]_[i]", "a_[j];b_[+];c_[k]");
	is_of("[native]_[n]", "a_[+];b_[k]");
}

Test(classify, the_class_of_an_allocation_is_not_of_the_stack)
{
	is_of("[native]_[n]", "a_[j];write_[n];java.lang.String_[c]");
	is_of("[Interpreter]_[n]", "a_[0];java.lang.String_[c]");
	is_of("[native]_[n]", "java.lang.String_[c]");
}

Test(classify, text_without_types_is_guessed_at)
{
	is_of("[c2_comp]_[i]", "java/lang/Thread.run");
	is_of("[gc]_[+]", "start_thread;thread_native_entry;WorkerThread::run"
	      "_[+]");
	is_of("[gc]_[+]", "start_thread;WorkerThread::run");
	is_of("[vm]_[+]", "start_thread;thread_native_entry;write");
	is_of("[native]_[n]", "main;write");
}

Test(classify, no_stack_tells_nothing)
{
	GIVES("classify", NULL, "", " 1\n");
}

/* Threads and labels -------------------------------------------------- */

Test(by, threads_stand_at_the_root)
{
	struct flame_sink *sink = flame_filter(collector(), "threads", NULL);

	cr_expect_eq(sink->needs, FL_NEED_THREAD);
	send_with(sink, fl_thread(flame, FL_SLICE("main"), 7), 0);
	send_with(sink, fl_thread(flame, (struct slice){ 0 }, 8), 0);
	send_with(sink, fl_thread(flame, FL_SLICE("main"), 7), 0);
	send_with(sink, 0, 0);
	cr_assert_eq(flame_finish(sink), FLAME_OK);
	cr_expect_str_eq(out.data, "[main tid=7]_[g];a;b 1\n"
				   "[tid=8]_[g];a;b 1\n[main tid=7]_[g];a;b 1\n"
				   "a;b 1\n");
}

Test(by, a_thread_whose_frame_is_there_gets_no_other)
{
	struct flame_sink *sink = flame_filter(collector(), "threads", NULL);
	flame_id thread = fl_thread(flame, FL_SLICE("main"), 7);

	/* send_with's stack is a;b. */
	send_with(sink, flame_label(flame, thread,
				    fl_name(flame, "thread-in-stack"),
				    fl_name(flame, "a")), 0);
	send_with(sink, flame_label(flame, thread,
				    fl_name(flame, "thread-in-stack"),
				    fl_name(flame, "gone")), 0);
	cr_assert_eq(flame_finish(sink), FLAME_OK);
	cr_expect_str_eq(out.data, "a;b 1\n[main tid=7]_[g];a;b 1\n");
}

Test(by, labels_stand_at_the_root_the_first_outermost)
{
	struct flame_sink *sink = flame_filter(collector(), "by",
					       "stage,state\nthread");
	flame_id labels = flame_label(flame, 0, fl_name(flame, "stage"),
				      fl_name(flame, "12"));

	cr_expect_eq(sink->needs, FL_NEED_THREAD | FL_NEED_STATE);
	cr_expect_str_eq(sink->labels, "stage,state,thread");
	send_with(sink, fl_thread(flame, FL_SLICE("main"), 7), labels);
	send_with(sink, 0, flame_label(flame, 0, fl_name(flame, "state"),
				       fl_name(flame, "RUNNABLE")));
	cr_assert_eq(flame_finish(sink), FLAME_OK);
	cr_expect_str_eq(out.data,
			 "12_[g];[no state]_[g];main_[g];a;b 1\n"
			 "[no stage]_[g];RUNNABLE_[g];[no thread]_[g];a;b 1\n");
}

Test(by, a_key_must_be_named)
{
	struct flame_sink *next = collector();

	cr_assert_null(flame_filter(next, "by", "stage,"));
	cr_expect_str_eq(flame_error(flame), "--by: a key is missing");
}

static flame_id set_of(const char *key, const char *value)
{
	return flame_label(flame, 0, fl_name(flame, key),
			   fl_name(flame, value));
}

/* Runs of samples with one value are remembered apart from others. */
Test(by, samples_get_their_own_value_in_any_order)
{
	struct flame_sink *sink = flame_filter(collector(), "by", "x");
	struct fl_buf wanted = { 0 };

	for (unsigned i = 0; i < 800; i++) {
		bool last = i < 400 ? i / 100 % 2 : i % 2;
		unsigned name = i * 7 % 50;
		char text[16];
		flame_id stack = flame_stack(flame, 0, frame_of("a", 1));

		snprintf(text, sizeof(text), "b%u", name);
		stack = flame_stack(flame, stack,
				    frame_of(text, strlen(text)));
		cr_assert_eq(flame_put(sink, &(struct flame_sample){
			.stack = stack, .weight = 1, .time = FLAME_NOTIME,
			.labels = set_of("x", last ? "v" : "u") }), FLAME_OK);
		fl_buf_print(&wanted, "%s_[g];a;b%u 1\n", last ? "v" : "u",
			     name);
	}
	cr_assert_eq(flame_finish(sink), FLAME_OK);
	cr_expect_str_eq(out.data, wanted.data);
	fl_buf_free(&wanted);
}

Test(by, an_expression_takes_a_part_of_the_value)
{
	struct flame_sink *sink = flame_filter(collector(), "by",
					       "path=exec-(\\d+)");

	cr_expect_eq(sink->needs, FL_NEED_PATH);
	cr_expect_str_eq(sink->labels, "path");
	send_with(sink, 0, set_of("path", "/x/app-exec-12.jfr"));
	send_with(sink, 0, set_of("path", "/x/driver.jfr"));
	send_with(sink, 0, set_of("path", "/x/app-exec-12.jfr.gz"));
	send_with(sink, 0, 0);
	cr_assert_eq(flame_finish(sink), FLAME_OK);
	cr_expect_str_eq(out.data, "12_[g];a;b 1\n[no match]_[g];a;b 1\n"
				   "12_[g];a;b 1\n[no path]_[g];a;b 1\n");
}

Test(by, an_expression_may_have_commas_and_no_group)
{
	struct flame_sink *sink = flame_filter(collector(), "by",
					       "state,path=x{1,2}=");

	send_with(sink, 0, set_of("path", "axx=b"));
	cr_assert_eq(flame_finish(sink), FLAME_OK);
	cr_expect_str_eq(out.data, "[no state]_[g];xx=_[g];a;b 1\n");
}

/* Pumps a file of this name, and returns its folded stacks by this key. */
static const char *pumped(const char *key, const char *name)
{
	struct flame_sink *sink = flame_filter(collector(), "by", key);
	struct flame_source *source =
		flame_open_memory(flame, "a;b 1\n", 6, name, "folded");

	cr_assert(source, "%s", flame_error(flame));
	cr_assert_eq(flame_pump(source, sink), FLAME_OK);
	flame_close(source);
	cr_assert_eq(flame_finish(sink), FLAME_OK);
	return out.data;
}

Test(by, a_path_tells_labels)
{
	cr_expect_str_eq(pumped("stage", "async-profiler-app-x-stage-7.jfr"),
			 "7_[g];a;b 1\n");
}

Test(by, a_bad_expression_is_said)
{
	struct flame_sink *next = collector();

	cr_assert_null(flame_filter(next, "by", "path=("));
	cr_expect(strstr(flame_error(flame), "--by: path=(: "));
}

Test(by, a_comm_is_a_threads_name)
{
	struct flame_sink *sink = flame_filter(collector(), "by", "comm");

	send_with(sink, fl_thread(flame, FL_SLICE("java"), 7), 0);
	send_with(sink, 0, set_of("comm", "sh"));
	cr_assert_eq(flame_finish(sink), FLAME_OK);
	cr_expect_str_eq(out.data, "java_[g];a;b 1\nsh_[g];a;b 1\n");
}

/* --label ------------------------------------------------------------- */

static char warning[512];
static unsigned warnings;

static void on_warning(void *arg, const char *line)
{
	(void)arg;
	warnings++;
	snprintf(warning, sizeof(warning), "%s", line);
}

static int64_t labelled(const char *list)
{
	struct flame_sink *sink = flame_filter(collector(), "label", list);

	cr_assert(sink, "%s", flame_error(flame));
	total = warnings = 0;
	flame_on_warning(flame, on_warning, NULL);
	send_with(sink, fl_thread(flame, FL_SLICE("main"), 7),
		  set_of("cpu", "1"));
	send_with(sink, fl_thread(flame, FL_SLICE("pool-1"), 8),
		  set_of("cpu", "12"));
	send_with(sink, fl_thread(flame, FL_SLICE("a/B.c"), 9), 0);
	send_with(sink, 0, 0);
	cr_assert_eq(flame_finish(sink), FLAME_OK);
	return total;
}

Test(label, of_a_sample_or_its_thread_must_match)
{
	cr_expect_eq(labelled("cpu=1"), 1);
	cr_expect_eq(labelled("cpu=/1/"), 2);
	cr_expect_eq(labelled("thread=main"), 1);
	cr_expect_eq(labelled("comm=main"), 1);
	cr_expect_eq(labelled("tid=/7|8/"), 2);
	cr_expect_eq(labelled("cpu=/./"), 2);
	cr_expect_eq(labelled("cpu=x"), 0);
	cr_expect_eq(warnings, 0);
}

Test(label, a_value_is_meant_as_a_whole)
{
	cr_expect_eq(labelled("thread=pool"), 0);
	cr_expect_eq(labelled("thread=pool-1"), 1);
	cr_expect_eq(labelled("thread=pool."), 0);
	cr_expect_eq(labelled("thread=/^pool/"), 1);
	cr_expect_eq(labelled("tid=007"), 1);
}

Test(label, numbers_are_lists_and_ranges)
{
	cr_expect_eq(labelled("tid=7-8"), 2);
	cr_expect_eq(labelled("tid=0-6,8,9"), 2);
	cr_expect_eq(labelled("cpu=2-12"), 1);
	cr_expect_eq(labelled("tid=9-7"), 0);
	cr_expect_eq(labelled("tid=7,main"), 0);
	cr_expect_eq(labelled("thread=0-9"), 0);
}

Test(label, a_date_is_no_range)
{
	struct flame_sink *sink = flame_filter(collector(), "label",
					       "day=2026-11");

	total = 0;
	send_with(sink, 0, set_of("day", "2026-11"));
	send_with(sink, 0, set_of("day", "2026-12"));
	send_with(sink, 0, set_of("day", "2026"));
	cr_assert_eq(flame_finish(sink), FLAME_OK);
	cr_expect_eq(total, 1);
}

Test(label, one_of_a_keys_values_and_all_keys)
{
	cr_expect_eq(labelled("tid=7\ntid=8"), 2);
	cr_expect_eq(labelled("tid=7\ncpu=12\ntid=8"), 1);
	cr_expect_eq(labelled("tid=7\ncpu=12"), 0);
}

Test(label, a_value_is_no_name_of_a_method)
{
	cr_expect_eq(labelled("thread=/^a\\/B.c/"), 1);
	cr_expect_eq(labelled("thread=/^a\\.B\\.c/"), 0);
}

Test(label, a_key_that_nothing_has_is_told)
{
	cr_expect_eq(labelled("stgae=7"), 0);
	cr_expect_eq(warnings, 1);
	cr_expect_str_eq(warning, "--label: no sample has a label stgae; "
			 "there are: cpu, thread, tid");
}

Test(label, the_source_is_asked_for_what_is_needed)
{
	static const struct {
		const char *list;
		unsigned needs;
		const char *labels;
	} all[] = {
		{ "thread=x", FL_NEED_THREAD, "thread" },
		{ "executor=x", 0, "executor" },
		{ "pid=x", FL_NEED_THREAD, "pid" },
		{ "state=x", FL_NEED_STATE, "state" },
		{ "cpu=x", FL_NEED_STATE, "cpu" },
		{ "file=x", FL_NEED_FILE, "file" },
		{ "path=x", FL_NEED_PATH, "path" },
		{ "tid=x\nfile=x", FL_NEED_THREAD | FL_NEED_FILE, "tid,file" },
		{ "mine=x", FL_NEED_THREAD | FL_NEED_STATE | FL_NEED_FILE,
		  "*,mine" },
	};

	for (size_t i = 0; i < FL_COUNT(all); i++) {
		struct flame_sink *sink = flame_filter(collector(), "label",
						       all[i].list);

		cr_expect_eq(sink->needs, all[i].needs, "%s", all[i].list);
		cr_expect_str_eq(sink->labels, all[i].labels);
		flame_abandon(sink);
	}
}

Test(label, what_is_malformed_is_told)
{
	static const char *const bad[] = { "", "cpu", "=x", "cpu=",
					   "cpu=/(/" };

	for (size_t i = 0; i < FL_COUNT(bad); i++) {
		struct flame_sink *next;

		stop();
		start();
		next = collector();
		cr_expect_null(flame_filter(next, "label", bad[i]));
		cr_expect(strstr(flame_error(flame), "--label: "));
	}
}

Test(label, numbers_in_the_names_of_threads_are_made_stars)
{
	struct flame_sink *sink = flame_filter(collector(), "threads", NULL);

	sink = flame_filter(sink, "tidy", "numbers-in-thread-names");
	send_with(sink, fl_thread(flame, FL_SLICE("pool-1-thread-2"), 7), 0);
	send_with(sink, fl_thread(flame, FL_SLICE("pool-3-thread-4"), 8), 0);
	cr_assert_eq(flame_finish(sink), FLAME_OK);
	cr_expect_str_eq(out.data, "[pool-*-thread-* tid=*]_[g];a;b 1\n"
				   "[pool-*-thread-* tid=*]_[g];a;b 1\n");
}
