/* SPDX-License-Identifier: Apache-2.0 */
/* Thread dumps of JVMs: dialects, logs around them, what is cut. */
#include "fl.h"

#include "format/formats.h"
#include "said.h"

#include <stdio.h>
#include <stdlib.h>

TestSuite(dialects, .init = start, .fini = stop);
TestSuite(names, .init = start, .fini = stop);
TestSuite(logs, .init = start, .fini = stop);
TestSuite(detection, .init = start, .fini = stop);

static const char *path_of(const char *name)
{
	static char path[1000];
	const char *top = getenv("TOP");

	snprintf(path, sizeof(path), "%s/tests/data/jstack/%s",
		 top ? top : ".", name);
	return path;
}

/* key: a label of samples or of their threads that goes in front, or NULL. */
static const char *fold(struct flame_source *source, const char *option,
			const char *value, const char *key)
{
	struct flame_sink *sink;

	cr_assert(source, "%s", flame_error(flame));
	cr_assert_str_eq(flame_source_format(source), "jstack");
	if (option)
		cr_assert_eq(flame_ask(source, option, value), FLAME_OK);
	sink = fl_format_folded.create(flame, fl_out_memory(flame, &out));
	if (key)
		sink = flame_filter(sink, "by", key);
	cr_assert_eq(flame_pump(source, sink), FLAME_OK, "%s",
		     flame_error(flame));
	flame_close(source);
	cr_assert_eq(flame_finish(sink), FLAME_OK, "%s", flame_error(flame));
	return out.data;
}

static struct flame_source *text_source(const char *text)
{
	return flame_open_memory(flame, text, strlen(text), "in", NULL);
}

#define HEAD(name) "\"" name "\" #1 prio=5 os_prio=0 tid=0x7f nid=0x1f run\n"
#define RUN "\tat java.lang.Thread.run(java.base@17/Thread.java:840)\n"

Test(dialects, of_jdk_8)
{
	cr_assert_str_eq(fold(flame_open(flame, path_of("jdk8.txt"), NULL),
			      NULL, NULL, "state"),
		"STATE_TIMED_WAITING;org/example/Job.main;"
		"java/lang/Object.wait 1\n"
		"STATE_WAITING;java/lang/Thread.run;"
		"org/example/Job$$Lambda$1/1324119927.run;"
		"java/util/concurrent/locks/LockSupport.park;"
		"sun/misc/Unsafe.park 1\n");
	cr_assert_str_eq(strstr(said.data, "5 threads"),
			 "5 threads without a stack left out\n");
	cr_assert_eq(flame_metric_of(flame, 1)->samples, 7);
	cr_assert_eq(flame_metric_of(flame, 1)->no_stack, 5);
	cr_assert_str_eq(flame_metric_of(flame, 1)->unit, "threads");
}

Test(dialects, of_jdk_6_have_no_numbers)
{
	cr_assert_str_eq(fold(text_source("\"main\" prio=10 tid=0x0a nid=0x1 "
		"runnable [0xb]\n   java.lang.Thread.State: RUNNABLE\n"
		"\tat A.main(A.java:1)\n\n"), NULL, NULL, "tid,state"),
		"1;STATE_RUNNABLE;A.main 1\n");
}

Test(dialects, of_jdk_25_have_virtual_threads)
{
	const char *text = fold(flame_open(flame,
		path_of("jdk25-print-e-l.txt"), NULL), NULL, NULL, "state,tid");

	cr_assert(strstr(text, "STATE_RUNNABLE;22;jdk/internal/vm/"
			 "Continuation.enter;"), "%s", text);
	cr_assert(strstr(text, "[no state];14628;java/util/concurrent/"
			 "ForkJoinWorkerThread.run;"), "%s", text);
	cr_assert(strstr(text, "VT$$Lambda/0x0000000082041c50.run;VT.block"));
	cr_assert_null(strstr(said.data, "understood"), "%s", said.data);
}

Test(dialects, of_dump_to_file)
{
	const char *text = fold(flame_open(flame,
		path_of("jdk25-dump-to-file.txt"), NULL), NULL, NULL,
		"thread,state");

	cr_assert(strstr(text, "virt \"q\" 2;STATE_WAITING;java/lang/"
			 "VirtualThread.run;VT.lambda$main$1;"), "%s", text);
	cr_assert(strstr(text, "[tid=22];STATE_RUNNABLE;java/lang/"
			 "VirtualThread.run;VT.spin 1\n"), "%s", text);
	cr_assert_null(strstr(said.data, "understood"), "%s", said.data);
}

Test(dialects, of_dump_to_file_before_jdk_24)
{
	cr_assert_str_eq(fold(flame_open(flame,
		path_of("jdk21-dump-to-file.txt"), NULL), NULL, NULL, NULL),
		"java/lang/VirtualThread.run;org/example/Job.lambda$main$0;"
		"java/lang/VirtualThread.park 1\n"
		"org/example/Job.main;java/lang/Thread.sleep;"
		"java/lang/Thread.sleep0 1\n");
	cr_assert_eq(flame_metric_of(flame, 1)->first,
		     INT64_C(1795255202500000000));
}

Test(dialects, of_thread_info_stop_at_eight_frames)
{
	const char *text = fold(flame_open(flame,
		path_of("threadinfo-jdk17.txt"), NULL), NULL, NULL, "thread");

	cr_assert(strstr(text, "deep;[truncated];TI.deep;TI.deep;"), "%s",
		  text);
	cr_assert(strstr(text, "blocked \"q\";java/lang/Thread.run;"
			 "TI$$Lambda$212/0x00007fa740144428.run;"), "%s",
		  text);
	cr_assert_null(strstr(said.data, "understood"), "%s", said.data);
}

Test(dialects, of_jhsdb_tell_how_frames_ran)
{
	const char *text = fold(flame_open(flame,
		path_of("jhsdb-jdk17.txt"), NULL), "lines", NULL, NULL);

	cr_assert(strstr(text, "SparkShaped.main:62_[0];SparkShaped.stage:"
			 "82_[j];java/util/concurrent/FutureTask.get:190_[j]"),
		  "%s", text);
	cr_assert_null(strstr(said.data, "understood"), "%s", said.data);
}

Test(dialects, of_jhsdb_without_names)
{
	cr_assert_str_eq(fold(text_source("Thread 41: (state = BLOCKED)\n"
		" - a.B.c(int) @bci=0 (Compiled frame; information may be "
		"imprecise)\n - a.B.main(java.lang.String[]) @bci=2, line=3 "
		"(Interpreted frame)\n\n\n"), "bci", NULL, "tid"),
		"41;a/B.main@2_[0];a/B.c_[j] 1\n");
}

Test(names, of_modules_and_loaders_are_not_of_the_class)
{
	cr_assert_str_eq(fold(text_source(HEAD("x")
		"\tat java.lang.Object.wait(java.base@17.0.15/Native Method)\n"
		"\tat java.base/java.lang.A.b(A.java:3)\n"
		"\tat app//a.B$$Lambda/0x00007f12.run(Unknown Source)\n"
		"\tat app/mod@1.2/a.B.<init>(B.java)\n"
		"\tat Top.m(Top.java:1)\n\n"), NULL, NULL, NULL),
		"Top.m;a/B.<init>;a/B$$Lambda/0x00007f12.run;"
		"java/lang/A.b;java/lang/Object.wait 1\n");
	cr_assert_eq(flame->frames.data[1].type, FLAME_JAVA_NATIVE);
}

Test(names, have_lines_where_they_are_asked_for)
{
	cr_assert_str_eq(fold(text_source(HEAD("x")
		"\tat a.B.c(Native Method)\n\tat a.B.m(mod@1/B.java:12)\n\n"),
		"lines", NULL, NULL), "a/B.m:12;a/B.c 1\n");
}

Test(names, of_threads_hold_quotes)
{
	cr_assert_str_eq(fold(text_source(
		"\"a \"b\" #1 daemon\" #7 [41] daemon prio=5 os_prio=0 "
		"cpu=1.0ms elapsed=2.0s tid=0x7f nid=41 runnable  [0x1]\n"
		RUN "\n"
		"\"c\" prio=5 Id=9 BLOCKED on a.B@1 owned by \"d\" Id=8\n"
		RUN "\n"), NULL, NULL, "thread,tid"),
		"a \"b\" #1 daemon;41;java/lang/Thread.run 1\n"
		"c;9;java/lang/Thread.run 1\n");
}

Test(logs, go_on_around_and_in_dumps)
{
	cr_assert_str_eq(fold(flame_open(flame, path_of("sigquit-in-log.txt"),
			      NULL), NULL, NULL, NULL),
		"java/lang/Thread.run;org/apache/spark/executor/"
		"Executor$TaskRunner.run;org/example/Job.work 2\n"
		"java/lang/Thread.run;org/example/Beat.beat 1\n");
	cr_assert(strstr(said.data, "1 lines not understood, the first is line "
				    "28: 2026-11-21 10:00:02,101"),
		  "%s", said.data);
}

Test(logs, have_dumps_at_times)
{
	cr_assert_str_eq(fold(flame_open(flame, path_of("sigquit-in-log.txt"),
			      NULL), "to", "5s", NULL),
		"java/lang/Thread.run;org/apache/spark/executor/"
		"Executor$TaskRunner.run;org/example/Job.work 1\n"
		"java/lang/Thread.run;org/example/Beat.beat 1\n");
	cr_assert_eq(flame_metric_of(flame, 1)->last -
		     flame_metric_of(flame, 1)->first, INT64_C(10000000000));
}

Test(logs, are_read_by_state_and_thread)
{
	cr_assert_str_eq(fold(flame_open(flame, path_of("sigquit-in-log.txt"),
			      NULL), "state", "runnable", NULL),
		"java/lang/Thread.run;org/apache/spark/executor/"
		"Executor$TaskRunner.run;org/example/Job.work 2\n");
	out.size = 0;
	cr_assert_str_eq(fold(flame_open(flame, path_of("sigquit-in-log.txt"),
			      NULL), "thread", "^heart", NULL),
		"java/lang/Thread.run;org/example/Beat.beat 1\n");
}

Test(logs, end_without_an_empty_line)
{
	cr_assert_str_eq(fold(text_source(HEAD("x") "\tat a.B.c(B.java:1)\n"
			      RUN), NULL, NULL, NULL),
			 "java/lang/Thread.run;a/B.c 1\n");
	cr_assert_str_eq(said.data, "");
	out.size = 0;
	cr_assert_str_eq(fold(text_source(HEAD("x") "\tat a.B.c(B.java:1)\n"),
			      NULL, NULL, NULL), "");
	cr_assert(strstr(said.data, "in: 1 threads left out, as their stacks "
				    "are cut; the first is at line 1\n"),
		  "%s", said.data);
}

Test(logs, that_were_cut_cost_the_next_nothing)
{
	cr_assert_str_eq(fold(text_source(HEAD("cut") "\tat a.B.c(B.ja"
		"2026-11-21 10:00:02\nFull thread dump X:\n\n" HEAD("x")
		"\tat a.B.d(B.java:1)\n" RUN "\n"), NULL, NULL, NULL),
			 "java/lang/Thread.run;a/B.d 1\n");
	cr_assert(strstr(said.data, "1 threads left out"), "%s", said.data);
}

/* Of each stack never more than there is in the whole. */
static void cut_anywhere(const char *name)
{
	static uint64_t whole[1000], part[1000];
	static char text[64 << 10];
	FILE *file = fopen(path_of(name), "r");
	size_t size;

	cr_assert(file);
	size = fread(text, 1, sizeof(text), file);
	fclose(file);
	for (size_t n = size + 1; n--;) {
		struct flame_source *source =
			flame_open_memory(flame, text, n, "in", "jstack");
		struct flame_sample s;

		memset(part, 0, sizeof(part));
		while (flame_next(source, &s) == FLAME_OK) {
			cr_assert_lt(s.stack, 1000);
			part[s.stack] += s.weight;
		}
		flame_close(source);
		if (n == size)
			memcpy(whole, part, sizeof(whole));
		for (size_t i = 0; i < 1000; i++)
			cr_assert_leq(part[i], whole[i], "%s cut at %zu",
				      name, n);
	}
}

Test(logs, cut_anywhere_are_never_more)
{
	cut_anywhere("sigquit-in-log.txt");
	cut_anywhere("jdk8.txt");
	cut_anywhere("jdk21-dump-to-file.txt");
}

Test(detection, of_a_dump_deep_in_a_log)
{
	struct fl_buf text = { 0 };
	struct flame_source *source;

	while (text.size < 600000)
		fl_buf_text(&text, "10:00 INFO a line of the log;b\n");
	fl_buf_text(&text, HEAD("x") RUN "\n");
	source = flame_open_memory(flame, text.data, text.size, "in", NULL);
	cr_assert_str_eq(fold(source, NULL, NULL, NULL),
			 "java/lang/Thread.run 1\n");
	while (text.size < 1200000)
		fl_buf_text(&text, "10:00 INFO a line of the log, b\n");
	memset(text.data, '-', 600000);
	memset(text.data + 600000, '-', 300);
	cr_assert_null(
		flame_open_memory(flame, text.data, text.size, "in", NULL));
	fl_buf_free(&text);
}

Test(detection, is_not_of_any_quoted_line)
{
	static const char *const texts[] = {
		"\"a\" #1 prio=5 os_prio=0\n", "\"a\": tid=0x1\n", "\"\n",
		"\"main\"\n", "#1 \"main\"\n", "#1 \"a\" b\n",
		"Thread 1 (Thread 0x7f (LWP 2) \"x\"):\n",
		"\"\"\"\"\"\"\"\"\n", "#\"\"\"\"\"\"\n",
	};

	for (size_t i = 0; i < FL_COUNT(texts); i++)
		cr_assert_eq(fl_format_jstack.probe((const uint8_t *)texts[i],
			     strlen(texts[i]), true), 0, "%s", texts[i]);
}

/* Names with newlines, and dumps whose lines a log has prefixed. ----------- */

TestSuite(newlines, .init = start, .fini = stop);
TestSuite(prefix, .init = start, .fini = stop);

#define TAIL "#7 prio=5 os_prio=0 tid=0x7f nid=0x2f runnable\n"

static const char *dump_of(const char *text)
{
	return fold(text_source(text), NULL, NULL, "thread");
}

Test(newlines, may_have_newlines)
{
	cr_expect_str_eq(dump_of("Full thread dump X:\n\n"
				 "\"line\nbreak\" " TAIL RUN "\n"
				 "\"a\n\nb \"c\" \" " TAIL RUN "\n"
				 HEAD("next") RUN "\n"),
			 "a  b \"c\" ;java/lang/Thread.run 1\n"
			 "line break;java/lang/Thread.run 1\n"
			 "next;java/lang/Thread.run 1\n", "%s", out.data);
	cr_expect_str_eq(said.data, "");
}

Test(newlines, that_never_end_are_told_and_lose_no_other)
{
	cr_expect_str_eq(dump_of("Full thread dump X:\n\n"
				 "\"cut\n" RUN "\n" HEAD("next") RUN "\n"),
			 "next;java/lang/Thread.run 1\n", "%s", out.data);
	cr_expect(strstr(said.data, "1 lines not understood"), "%s", said.data);
}

Test(prefix, of_time_is_taken_off)
{
	cr_expect_str_eq(dump_of(
		"2026-03-02T09:15:01.120Z Full thread dump X:\n"
		"2026-03-02T09:15:01.12Z \n"
		"2026-03-02T09:15:01Z " HEAD("main")
		"2026-03-02T09:15:01.5Z " RUN
		"2026-03-02T09:15:02.000000001Z\n"
		"2026-03-02T09:15:02.1Z " HEAD("other")
		"2026-03-02T09:15:02.2Z " RUN
		"2026-03-02T09:15:02.3Z \n"),
		"main;java/lang/Thread.run 1\n"
		"other;java/lang/Thread.run 1\n", "%s", out.data);
}

#define LOG "Mar 02 09:15:01 node-3 java[4711]: "

Test(prefix, of_the_journal_is_taken_off_and_dumps_may_follow)
{
	cr_expect_str_eq(dump_of(
		LOG "Full thread dump X:\n" LOG "\n" LOG HEAD("main")
		LOG RUN LOG "\nFull thread dump X:\n\n" HEAD("bare") RUN "\n"
		"stdout| Full thread dump X:\nstdout| \n"
		"stdout| " HEAD("last") "stdout| " RUN "stdout| \n"),
		"bare;java/lang/Thread.run 1\n"
		"last;java/lang/Thread.run 1\n"
		"main;java/lang/Thread.run 1\n", "%s", out.data);
}

Test(prefix, of_a_logger_stands_before_the_first_line_alone)
{
	cr_expect_str_eq(dump_of(
		"26/03/02 09:15:01,123 INFO Dumper: Full thread dump X:\n\n"
		HEAD("main") RUN "\n"),
		"main;java/lang/Thread.run 1\n", "%s", out.data);
}
