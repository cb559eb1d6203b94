/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Folded stacks, read and written: text goes in and comes out.
 */
#include "fl.h"

#include "format/formats.h"
#include "format/folded/folded.h"
#include "tree/tree.h"
#include "said.h"

#include <stdlib.h>

TestSuite(detect, .init = start, .fini = stop);
TestSuite(read, .init = start, .fini = stop);
TestSuite(write, .init = start, .fini = stop);
TestSuite(round_trip, .init = start, .fini = stop);

static struct flame_sink *writer(void)
{
	struct flame_sink *sink;

	out.size = 0;
	fl_buf_text(&out, "");
	sink = fl_format_folded.create(flame, fl_out_memory(flame, &out));
	cr_assert(sink, "%s", flame_error(flame));
	return sink;
}

/* The folded output of a text; format NULL: detected. */
static const char *fold_as(const char *text, size_t size, const char *format)
{
	struct flame_source *source =
		flame_open_memory(flame, text, size, "in", format);
	struct flame_sink *sink = writer();

	cr_assert(source, "%s", flame_error(flame));
	cr_assert_eq(flame_pump(source, sink), FLAME_OK, "%s",
		     flame_error(flame));
	flame_close(source);
	cr_assert_eq(flame_finish(sink), FLAME_OK, "%s", flame_error(flame));
	return out.data;
}

static const char *fold(const char *text)
{
	return fold_as(text, strlen(text), "folded");
}

#define FOLDS(text, expected)						\
	cr_expect_str_eq(fold(text), expected, "is\n%snot\n%s",		\
			 fold(text), expected)

/* The type of the innermost frame of a line, and its name. */
static enum flame_type type_of(const char *line, const char **name)
{
	struct flame_source *source =
		flame_open_memory(flame, line, strlen(line), "in", "folded");
	const struct flame_frame *frame;
	struct flame_sample s;

	cr_assert(source);
	cr_assert_eq(flame_next(source, &s), FLAME_OK);
	flame_close(source);
	frame = flame_frame_of(flame, flame_stack_frame(flame, s.stack));
	*name = flame_name_text(flame, frame->name, NULL);
	return frame->type;
}

/* Detection ----------------------------------------------------------- */

static bool is_folded(const char *text)
{
	return fl_format_folded.probe((const uint8_t *)text, strlen(text),
				      true) > 0;
}

Test(detect, lines_that_end_in_a_number_are_folded)
{
	cr_expect(is_folded("a;b 1\n"));
	cr_expect(is_folded("a 1"));
	cr_expect(is_folded("a b c 1\r\nd 2\r\n"));
	cr_expect(is_folded("# a comment\n\na\t1\n"));
	cr_expect(is_folded(" 5\n"));
}

Test(detect, other_text_is_not)
{
	cr_expect_not(is_folded(""));
	cr_expect_not(is_folded("\n\n"));
	cr_expect_not(is_folded("hello world\n"));
	cr_expect_not(is_folded("a 1\nhello world\n"));
	cr_expect_not(is_folded("42\n"));
	cr_expect_not(is_folded("a;b;\nint x;\n"));
	cr_expect_not(is_folded("{\"a;b\":\n"));
	cr_expect_not(is_folded("<!-- a;b\n"));
	cr_expect_not(is_folded("a -1\n"));
	cr_expect_not(is_folded("a 1.5\n"));
	cr_expect_not(is_folded("<html>\n"));
	cr_expect_eq(fl_format_folded.probe((const uint8_t *)"a\0\0b 1\n", 7,
					    true), 0);
}

static int bits(const char *text)
{
	return fl_format_folded.probe((const uint8_t *)text, strlen(text),
				      true);
}

Test(detect, a_few_odd_lines_do_not_matter)
{
	cr_expect(is_folded("a;b 1\nhello world\na;c 2\n"));
	cr_expect(is_folded("// odd\na;b 1\n"));
	cr_expect_not(is_folded("x y\nz\na;b 1\n"));
	cr_expect_not(is_folded("x y\nz 5\nz 4\n"));
}

Test(detect, dialects_are_folded)
{
	cr_expect(is_folded("a;b 1.5\nc;d 2e3\n"));
	cr_expect(is_folded("a;b -5\n"));
	cr_expect(is_folded("8 a;b\n9 a;c\n"));
	cr_expect(is_folded("33.82% a;b\n"));
	cr_expect(is_folded("a;b 33.82%\n"));
	cr_expect(is_folded("k\ta;b\t5\n"));
	cr_expect(is_folded("P1;T0:2;f 1,0,2\n"));
	cr_expect(is_folded("a;b\n"));
}

Test(detect, the_less_is_known_the_fewer_bits_are_bid)
{
	cr_expect_gt(bits("# austin: 3.7.0\n\nP1;T0:2 5\n"), 8);
	cr_expect_gt(bits("a;b 1\n"), bits("a;b 1\nodd\n"));
	cr_expect_gt(bits("a;b 1\nodd\n"), bits("a;b\nc;d\n"));
}

Test(detect, more_is_asked_for_where_no_line_has_ended)
{
	cr_expect_lt(fl_format_folded.probe((const uint8_t *)"a;b", 3, false),
		     0);
	cr_expect_gt(fl_format_folded.probe((const uint8_t *)"a 1\nb", 5,
					    false), 0);
}

Test(detect, a_first_line_of_a_hundred_kilobytes_is_fine)
{
	struct fl_buf text = { 0 };

	for (int i = 0; i < 20000; i++)
		fl_buf_text(&text, "frame;");
	fl_buf_text(&text, "end 3\n");
	cr_expect(strstr(fold_as(text.data, text.size, NULL), ";end 3\n"));
	fl_buf_free(&text);
}

/* Reading ------------------------------------------------------------- */

/* Lines that begin alike and lines that do not, some of both new. */
static void put_lines(struct fl_buf *text, size_t *ends, size_t n)
{
	static const char *const frames[] = {
		"java/lang/Thread.run_[j]", "x", "x_[i]", "a.b(c;d)",
		"f<A;B>", "", "org/apache/spark/scheduler/Task.run",
		("org/apache/spark/scheduler/TaskSetManager$$anonfun$dequeue"
		 "SpeculativeTask$1.apply"),
		"[main tid=7]", "b\001c", "main",
		"process 4:\"sh -c 'a; b'\"", "_[k]", "tid:5",
	};
	uint64_t chance = 7;

	for (size_t i = 0; i < n; i++) {
		for (chance = fl_hash_pair(chance, i); chance >> 60 != 1;
		     chance = fl_hash_pair(chance, 1)) {
			if (chance >> 50 & 3)
				fl_buf_text(text, frames[(chance >> 20) %
							 FL_COUNT(frames)]);
			else
				fl_buf_print(text, "m%u", (unsigned)
					     (chance >> 30 & 1023));
			fl_buf_byte(text, ';');
		}
		fl_buf_print(text, "leaf%u 1\n", (unsigned)(chance & 15));
		ends[i] = text->size;
	}
}

Test(read, many_lines_are_what_each_of_them_is)
{
	enum { LINES = 3000 };
	static size_t ends[LINES];
	struct flame_source *all, *one;
	struct flame_sample of_all, of_one;
	struct fl_buf text = { 0 };

	put_lines(&text, ends, LINES);
	all = flame_open_memory(flame, text.data, text.size, "all", "folded");
	cr_assert(all);
	for (size_t i = 0, from = 0; i < LINES; from = ends[i++]) {
		cr_assert_eq(flame_next(all, &of_all), FLAME_OK);
		one = flame_open_memory(flame, text.data + from, ends[i] - from,
					"one", "folded");
		cr_assert(one);
		cr_assert_eq(flame_next(one, &of_one), FLAME_OK);
		cr_expect_eq(of_all.stack, of_one.stack, "line %zu", i);
		cr_expect_eq(of_all.thread, of_one.thread, "line %zu", i);
		flame_close(one);
	}
	cr_assert_eq(flame_next(all, &of_all), FLAME_END);
	flame_close(all);
	fl_buf_free(&text);
}

Test(read, a_method_of_perf_map_agent_is_one_frame)
{
	FOLDS("a;La/b/C;::m;d 1\n", "a;La/b/C:::m;d 1\n");
	FOLDS("La/b/C;::m_[j] 1\n", "La/b/C:::m_[j] 1\n");
	FOLDS("a;::m;La/C;m;L;::x;a/b;::m 1\n",
	      "a;::m;La/C;m;L;::x;a/b;::m 1\n");
}

Test(read, the_weight_is_the_last_number)
{
	FOLDS("a b;c 1 2\n", "a b;c 1 2\n");
	FOLDS("a;b\t7\n", "a;b 7\n");
	FOLDS("a;b  7\n", "a;b  7\n");
	FOLDS("a1;b2 3\n", "a1;b2 3\n");
	FOLDS("a;b 007\n", "a;b 7\n");
	FOLDS("a 9223372036854775807\n", "a 9223372036854775807\n");
}

Test(read, suffixes_are_types)
{
	static const struct {
		const char *line, *name;
		enum flame_type type;
	} cases[] = {
		{ "x;a_[0] 1", "a", FLAME_INTERPRETED },
		{ "x;a_[1] 1", "a", FLAME_C1 },
		{ "x;a_[i] 1", "a", FLAME_INLINED },
		{ "x;a_[j] 1", "a", FLAME_JIT },
		{ "x;a_[k] 1", "a", FLAME_KERNEL },
		{ "x;a_[w] 1", "a", FLAME_WAKER },
		{ "x;a 1", "a", FLAME_UNKNOWN },
		{ "x;a_[x] 1", "a_[x]", FLAME_UNKNOWN },
		{ "x;a_[jj] 1", "a_[jj]", FLAME_UNKNOWN },
		{ "x;_[j] 1", "_[j]", FLAME_UNKNOWN },
		{ "x;a_[j]b 1", "a_[j]b", FLAME_UNKNOWN },
		{ "x;a_[j]_[i] 1", "a_[j]", FLAME_INLINED },
		{ "x;a[j] 1", "a[j]", FLAME_UNKNOWN },
		{ "j] 1", "j]", FLAME_UNKNOWN },
	};

	for (size_t i = 0; i < FL_COUNT(cases); i++) {
		const char *name;
		enum flame_type type = type_of(cases[i].line, &name);

		cr_expect_eq(type, cases[i].type, "%s is %d", cases[i].line,
			     type);
		cr_expect_str_eq(name, cases[i].name, "%s", cases[i].line);
	}
}

Test(read, crlf_is_a_newline)
{
	FOLDS("a;b 1\r\nc 2\r\n\r\n", "a;b 1\nc 2\n");
	cr_expect_str_eq(said.data, "");
}

Test(read, the_last_line_needs_no_newline)
{
	FOLDS("a;b 1\nc 2", "a;b 1\nc 2\n");
	FOLDS("c 23\r", "c 23\n");
}

Test(read, comments_and_empty_lines_are_skipped)
{
	FOLDS("# a comment 1\n\n  \na 1\n#\n", "a 1\n");
	cr_expect_str_eq(said.data, "");
}

Test(read, a_frame_may_begin_with_a_hash)
{
	FOLDS("#pragma;omp 3\nmain;#lambda 2\n",
	      "#pragma;omp 3\nmain;#lambda 2\n");
}

Test(read, a_byte_order_mark_is_no_frame)
{
	FOLDS("\xef\xbb\xbf" "a;b 1\r\na;b 2\r\n", "a;b 3\n");
	/* Files that were joined. */
	FOLDS("a;b 1\n\xef\xbb\xbf" "a;b 2\n\xef\xbb\xbf", "a;b 3\n");
}

Test(read, of_fractions_the_sum_is_true)
{
	FOLDS("a 0.4\nb 0.4\nc 0.4\n", "b 1\n");
	FOLDS("a 31.23\nb 6.\nc 1e3\nd 2.5E1\ne .5\n",
	      "a 31\nb 6\nc 1000\nd 25\ne 1\n");
	cr_expect(strstr(said.data, "3 counts are not whole"), "%s", said.data);
}

Test(read, many_fractions_add_up)
{
	struct fl_buf text = { 0 };

	for (int i = 0; i < 1000; i++)
		fl_buf_text(&text, "a 0.001\nb 0.1\n");
	FOLDS(text.data, "a 1\nb 100\n");
	fl_buf_free(&text);
}

Test(read, whole_numbers_however_written_are_no_loss)
{
	FOLDS("a 31.0\nb 1e3\nc 2.50e1\n", "a 31\nb 1000\nc 25\n");
	cr_expect_str_eq(said.data, "");
}

Test(read, a_count_below_zero_is_refused_with_its_value)
{
	struct flame_source *source =
		flame_open_memory(flame, "a 1\nb -3\n", 9, "in", "folded");
	struct flame_sink *sink = writer();

	cr_expect_eq(flame_pump(source, sink), FLAME_FAILED);
	cr_expect(strstr(flame_error(flame), "-3"), "%s", flame_error(flame));
	flame_close(source);
	flame_abandon(sink);
}

Test(read, two_counts_are_those_of_all_lines)
{
	FOLDS("a;b 1 2\na;c 3 5\n", "a;b 2\na;c 5\n");
	/* A stack of a difference is there once. */
	FOLDS("main;Thread 5 7\nmain;Thread 6 3\n",
	      "main;Thread 5 7\nmain;Thread 6 3\n");
	FOLDS("main;Thread 5 7\nmain 3\n", "main 3\nmain;Thread 5 7\n");
	FOLDS("main;Thread 5 7\n", "main;Thread 5 7\n");
}

/* With --column. */
static const char *fold_column(const char *text, const char *column)
{
	struct flame_source *source =
		flame_open_memory(flame, text, strlen(text), "in", NULL);
	struct flame_sink *sink = writer();

	cr_assert_eq(flame_ask(source, "column", column), FLAME_OK);
	cr_assert_eq(flame_pump(source, sink), FLAME_OK);
	flame_close(source);
	cr_assert_eq(flame_finish(sink), FLAME_OK);
	return out.data;
}

Test(read, of_two_counts_one_can_be_chosen)
{
	static const char text[] = "a;b 1 2\na;c 3 5\n";

	cr_expect_str_eq(fold_column(text, "1"), "a;b 1\na;c 3\n");
	cr_expect_str_eq(fold_column(text, "2"), "a;b 2\na;c 5\n");
	cr_expect_str_eq(fold_column(text, "none"), "a;b 1 2\na;c 3 5\n");
	cr_expect_str_eq(fold_column("a;b 1 2\n", "1"), "a;b 1\n");
}

Test(read, a_count_may_be_first)
{
	FOLDS("8 a;b\n9 a;c\n", "a;b 8\na;c 9\n");
	FOLDS("      5 a;b c\n     10 a\n", "a 10\na;b c 5\n");
	/* Both are numbers: the last is the count. */
	FOLDS("8 a;b 1\n9 a;c 2\n", "8 a;b 1\n9 a;c 2\n");
}

Test(read, rows_of_perf_report_stand_above_their_stacks)
{
	FOLDS("# Overhead  Samples  Command\n# ...\n#\n"
	      "    70.00%   7  java  \n5 a;b\n2 a\n\n"
	      "    30.00%   3  sh  \n\n", "a 2\na;b 5\n");
	cr_expect(strstr(said.data, "1 rows"), "%s", said.data);
}

Test(read, percentages_are_counted_in_hundredths)
{
	FOLDS("33.82% a;b\n0.18% a\n", "a 18\na;b 3382\n");
	FOLDS("a;b 33.82%\na 100%\n", "a 10000\na;b 3382\n");
	cr_expect(strstr(said.data, "percentages, counted in hundredths"), "%s",
		  said.data);
}

Test(read, percentages_and_counts_are_not_added)
{
	FOLDS("a 1\nb 2\nc;d 33.5%\n", "a 1\nb 2\n");
	cr_expect(strstr(said.data, "line 3: c;d 33.5%"), "%s", said.data);
}

Test(read, lines_without_counts_count_one)
{
	FOLDS("a;b\na;b\na;c\n", "a;b 2\na;c 1\n");
	/* One count there is: the others are none. */
	FOLDS("a;b\na;c 3\n", "a;c 3\n");
}

Test(read, places_of_hadoop_are_no_frames)
{
	FOLDS("0\ta;b 5\n6\ta;c 2\n", "a;b 5\na;c 2\n");
	FOLDS("0\ta;b\t5\n6\ta;c\t2\n12\ta;c\t3\n", "a;b 5\na;c 5\n");
	FOLDS("a;b 5\t\na;c 2\t\n", "a;b 5\na;c 2\n");
}

/* The label of the first sample; "" if it has none. */
static const char *label(const char *text, const char *key)
{
	struct flame_source *source =
		flame_open_memory(flame, text, strlen(text), "in", "folded");
	struct flame_sample s;
	flame_id name = flame_name(flame, key, strlen(key)), value;

	cr_assert(source, "%s", flame_error(flame));
	cr_assert_eq(flame_next(source, &s), FLAME_OK);
	flame_close(source);
	value = flame_label_get(flame, s.labels, name);
	if (!value)
		value = flame_label_get(flame, s.thread, name);
	return flame_name_text(flame, value, NULL);
}

Test(read, keys_of_hadoop_are_labels)
{
	static const char text[] = "stage-11\ta;b\t5\nstage-12\ta;b\t2\n";

	FOLDS(text, "a;b 7\n");
	cr_expect_str_eq(label(text, "key"), "stage-11");
	cr_expect_str_eq(label("7\ta;b\t5\n3\ta;b\t5\n", "key"), "7");
}

Test(read, outermost_frames_tell_of_threads)
{
	static const struct {
		const char *line, *key, *value;
	} cases[] = {
		{ "thread (140): Main T;f 1", "thread", "Main T" },
		{ "thread (140): Main T;f 1", "tid", "140" },
		{ "thread (140);f 1", "tid", "140" },
		{ "thread (140);f 1", "thread", "" },
		{ "process 7:\"x y\";thread (8): m;f 1", "pid", "7" },
		{ "process 7:\"x y\";thread (8): m;f 1", "process", "x y" },
		{ "process 7:\"x y\";thread (8): m;f 1", "thread", "m" },
		{ "process 7:\"d\";process 9:\"w\";f 1", "pid", "9" },
		{ "process 7:\"d\";process 9:\"w\";f 1", "process", "w" },
		{ "[pool-1 thread-2 tid=33];f 1", "thread", "pool-1 thread-2" },
		{ "[pool-1 thread-2 tid=33];f 1", "tid", "33" },
		{ "[tid=33];f 1", "tid", "33" },
		{ "[tid=33];f 1", "thread", "" },
		{ "tid:44;f 1", "tid", "44" },
		{ "P1;T0:22;a.py:f:3 5", "tid", "22" },
		{ "P1;T0:22;a.py:f:3 5", "pid", "1" },
		{ "java-12/34;f 1\nsh-?/35;g 2", "tid", "34" },
		{ "java-12/34;f 1\nsh-?/35;g 2", "thread", "java" },
		{ "java-12/34;f 1\nsh;g 2", "tid", "" },
		{ "main;[x tid=3] 1", "tid", "" },
		{ "[x tid=3a];f 1", "tid", "" },
		{ "[];thread (x): y 1", "tid", "" },
		{ "thread ( 1", "tid", "" }, { "process 1: 1", "pid", "" },
	};

	for (size_t i = 0; i < FL_COUNT(cases); i++)
		cr_expect_str_eq(label(cases[i].line, cases[i].key),
				 cases[i].value, "%s: %s", cases[i].line,
				 cases[i].key);
}

Test(read, threads_do_not_stay_behind_their_lines)
{
	static const char text[] = "[a tid=1];f 1\n[a tid=1];g 1\nmain;f 1\n"
		"[b tid=2];f 1\n[b tid=2] 1\n 1\n";
	static const char *const wanted[] = { "1", "1", "", "2", "2", "" };
	struct flame_source *source =
		flame_open_memory(flame, text, sizeof(text) - 1, "in", NULL);
	struct flame_sample s;

	for (size_t i = 0; i < FL_COUNT(wanted); i++) {
		cr_assert_eq(flame_next(source, &s), FLAME_OK);
		cr_expect_str_eq(flame_name_text(flame, flame_label_get(flame,
			s.thread, flame_name(flame, "tid", 3)), NULL),
			wanted[i], "%zu", i);
	}
	flame_close(source);
}

Test(read, what_austin_counts_are_metrics)
{
	static const char text[] = "# austin: 3.7.0\n# mode: full\n\n"
		"P1;T0:2;a.py:f:3 10,0,4096\nP1;T0:2 20,1,0\n"
		"P1;T0:2;a.py:f:3 5,1,-96\n# duration: 35\n";
	static const struct {
		const char *name;
		int64_t total;
	} wanted[] = { { "wall", 35 }, { "cpu", 10 }, { "memory", 4096 },
		       { "memory-free", 96 } };
	struct flame_source *source =
		flame_open_memory(flame, text, sizeof(text) - 1, "in", NULL);
	struct flame_sample s;

	while (flame_next(source, &s) == FLAME_OK)
		;
	flame_close(source);
	cr_expect_eq(flame_metrics(flame), FL_COUNT(wanted));
	for (size_t i = 0; i < FL_COUNT(wanted); i++) {
		const struct flame_metric *m = flame_metric_of(flame,
			flame_metric(flame, wanted[i].name, ""));

		cr_expect_eq(m->total, wanted[i].total, "%s is %ld", m->name,
			     (long)m->total);
	}
}

Test(read, the_mode_of_austin_may_change_where_files_are_put_together)
{
	static const char text[] = "# austin: 3.7.0\n# mode: cpu\nP1;T1 5\n"
		"# austin: 3.7.0\n# mode: wall\nP1;T1 7\n";
	struct flame_source *source =
		flame_open_memory(flame, text, sizeof(text) - 1, "in", NULL);
	struct flame_sample s;

	cr_assert_eq(flame_next(source, &s), FLAME_OK);
	cr_expect_str_eq(flame_metric_of(flame, s.metric)->name, "cpu");
	cr_assert_eq(flame_next(source, &s), FLAME_OK);
	cr_expect_str_eq(flame_metric_of(flame, s.metric)->name, "wall");
	flame_close(source);
}

/* How many frames a line has. */
static unsigned depth_of(const char *line)
{
	struct flame_source *source =
		flame_open_memory(flame, line, strlen(line), "in", "folded");
	struct flame_sample s;
	unsigned n = 0;

	cr_assert_eq(flame_next(source, &s), FLAME_OK);
	flame_close(source);
	for (flame_id i = s.stack; i; i = flame_stack_parent(flame, i))
		n++;
	return n;
}

Test(read, frames_that_hold_a_semicolon_are_one)
{
	static const struct {
		const char *line;
		unsigned frames;
	} cases[] = {
		{ "process 42:\"sh -c \"a; b\"\";f 1", 2 },
		{ "process 42:\"a;b;c\";process 4:\"d\";f 1", 3 },
		{ "process 42:\"sh -c \"a\"; \"b\"\";f 1", 2 },
		{ "process 42:\"never ends;f;g 1", 3 },
		{ "process 42:\"cut;thread (4): \"x\";f 1", 3 },
		{ "m;<[u8; 8] as Hash>::hash;n 1", 3 },
		{ "m;core::<[[u8; 8]; 4]>::f;n 1", 3 },
		{ "m;f<A;B>;n 1", 3 },
		{ "m;x.f(Ljava/lang/String;ILa/B;)V;n 1", 3 },
		{ "m;x.f([La/B;)La/B;;n 1", 3 },
		{ "m;Lorg/a/B$C;::run;n 1", 3 },
		/* These are not. */
		{ "operator<;b;c>;d 1", 4 },
		{ "A::operator<<;operator>> 1", 2 },
		{ "a->b;c->d;<init>;x 1", 4 },
		{ "std::vector<int, std::al;foo(int);bar 1", 3 },
		{ "f(x;main;g() 1", 3 },
		{ "[unknown;a;b 1", 3 },
		{ "a < b;c > d 1", 2 },
		{ "f<A_[j];B> 1", 2 },
		{ "(anonymous;x.js:3) 1", 2 },
		{ "La/B;run 1", 2 },
	};

	for (size_t i = 0; i < FL_COUNT(cases); i++)
		cr_expect_eq(depth_of(cases[i].line), cases[i].frames,
			     "%s: %u", cases[i].line,
			     depth_of(cases[i].line));
}

Test(read, a_frame_is_the_same_whatever_stood_before_it)
{
	/* Open frames are decided by what follows them, line by line. */
	FOLDS("m;f<A;x 1\nm;f<A;B> 2\nm;f<A;x 4\n",
	      "m;f<A:B> 2\nm;f<A;x 5\n");
	FOLDS("process 1:\"a\";f 1\nprocess 1:\"a\"; b\";f 2\n"
	      "process 1:\"a\" 4\n",
	      "process 1:\"a\" 4\nprocess 1:\"a\": b\";f 2\n"
	      "process 1:\"a\";f 1\n");
}

Test(read, lines_that_begin_alike_are_told_apart)
{
	FOLDS("a;b;c 1\na;b;cd 2\na;b 4\na;bc 8\na;b;c 16\na 32\n"
	      "ab 64\na;;b 128\na;b;c;d 256\n\ta;b 512\n",
	      " a;b 512\na 32\na;b 132\na;b;c 17\na;b;c;d 256\n"
	      "a;b;cd 2\na;bc 8\nab 64\n");
}

Test(read, bad_lines_are_counted_and_the_first_is_shown)
{
	FOLDS("a 1\nhello world\nb 2\nfoo;bar\nc 3-\nd 1.5.\n42\n",
	      "a 1\nb 2\n");
	cr_expect(strstr(said.data, "in: 5 lines not understood"), "%s",
		  said.data);
	cr_expect(strstr(said.data, "line 2: hello world"), "%s", said.data);
}

Test(read, bad_lines_are_told_of_once)
{
	fold("x\ny\nz\na 1\n");
	cr_expect_eq(flame_warnings(flame), 1);
}

Test(read, a_long_bad_line_is_cut_in_the_message)
{
	struct fl_buf text = { 0 };

	for (int i = 0; i < 5000; i++)
		fl_buf_text(&text, "bad;");
	fl_buf_text(&text, "\na 1\n");
	fold_as(text.data, text.size, "folded");
	fl_buf_free(&text);
	cr_expect_lt(said.size, 300);
	cr_expect_eq(flame_warnings(flame), 1);
}

Test(read, a_weight_that_does_not_fit_is_left_out_and_told_of)
{
	FOLDS("a 9223372036854775808\nb 1\na 1e19\n", "b 1\n");
	cr_expect(strstr(said.data, "2 counts are 2^63 or more"), "%s",
		  said.data);
	cr_expect(strstr(said.data, "line 1"), "%s", said.data);
}

/* What `fail` of --partial goes by. */
static int damage_of(const char *text)
{
	struct flame_source *source =
		flame_open_memory(flame, text, strlen(text), "in", "folded");
	struct flame_sample s;
	int damage;

	while (flame_next(source, &s) == FLAME_OK)
		;
	damage = flame_source_damage(source);
	flame_close(source);
	return damage;
}

Test(read, bad_lines_are_damage)
{
	cr_expect_eq(damage_of("a 1\n"), 0);
	cr_expect_eq(damage_of("# nothing\n"), 0);
	cr_expect_eq(damage_of("a 1\nbad\n"), 1);
	cr_expect_eq(damage_of("bad\n"), 2);
}

Test(read, bytes_that_are_no_utf8_are_kept)
{
	FOLDS("a\xff\xc3;\x80 1\n", "a\xff\xc3;\x80 1\n");
}

Test(read, nul_within_a_line_is_no_end)
{
	static const char text[] = "a\0b;c 1\nd 2\n";

	cr_expect_str_eq(fold_as(text, sizeof(text) - 1, "folded"),
			 "a b;c 1\nd 2\n");
}

Test(read, a_line_without_frames_is_an_empty_stack)
{
	struct flame_source *source =
		flame_open_memory(flame, " 5\n", 3, "in", NULL);
	struct flame_sample s;

	cr_assert(source);
	cr_assert_eq(flame_next(source, &s), FLAME_OK);
	cr_expect_eq(s.stack, 0);
	cr_expect_eq(s.weight, 5);
	flame_close(source);
}

Test(read, a_line_longer_than_any_buffer_is_read)
{
	struct fl_buf text = { 0 };

	for (int i = 0; i < 300000; i++)
		fl_buf_print(&text, "f%d;", i);
	fl_buf_text(&text, "x 1\na 2\n");
	fold_as(text.data, text.size, "folded");
	cr_expect_eq(out.size, text.size);
	fl_buf_free(&text);
}

/* Writing ------------------------------------------------------------- */

Test(write, merges_and_sorts)
{
	FOLDS("b 1\na;c 2\na;b 4\nb 8\na;b 16\n", "a;b 20\na;c 2\nb 9\n");
}

Test(write, is_sorted_bytewise_where_names_sort_around_a_semicolon)
{
	FOLDS("foo;x 1\nfoo 2\nfoo-bar 4\nfoo:bar 8\nfoo<T> 16\n"
	      "foo!;y 32\nfoo bar 64\n",
	      "foo 2\nfoo bar 64\nfoo!;y 32\nfoo-bar 4\nfoo:bar 8\n"
	      "foo;x 1\nfoo<T> 16\n");
}

Test(write, is_sorted_bytewise_with_suffixes)
{
	FOLDS("a_[k] 1\na_[j];b 2\na 4\na_b 8\naZ 16\na_[j] 32\n",
	      "a 4\naZ 16\na_[j] 32\na_[j];b 2\na_[k] 1\na_b 8\n");
}

static int by_line(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

Test(write, is_sorted_as_sort_would_do_it)
{
	static const char alphabet[] = " !-:;<a_[j]";
	struct fl_buf text = { 0 };
	char *line[4096], *at, *copy;
	uint32_t seed = 3;
	size_t n = 0;

	for (int i = 0; i < 3000; i++) {
		fl_buf_byte(&text, 'a');
		for (int j = 0; j < 1 + i % 9; j++) {
			seed = seed * 1664525 + 1013904223;
			fl_buf_byte(&text, alphabet[(seed >> 16) %
						    (sizeof(alphabet) - 1)]);
		}
		fl_buf_text(&text, "x 1\n");
	}
	copy = strdup(fold_as(text.data, text.size, "folded"));
	for (at = strtok(copy, "\n"); at && n < FL_COUNT(line);
	     at = strtok(NULL, "\n"))
		line[n++] = at;
	cr_assert_gt(n, 100);
	for (size_t i = 1; i < n; i++)
		cr_assert_lt(by_line(&line[i - 1], &line[i]), 0,
			     "'%s' before '%s'", line[i - 1], line[i]);
	free(copy);
	fl_buf_free(&text);
}

static void put_name(struct flame_sink *sink, const char *name, size_t size)
{
	struct flame_sample s = { .weight = 1, .time = FLAME_NOTIME };

	s.stack = flame_stack(flame, 0,
			      fl_frame(flame, flame_name(flame, name, size),
				       FLAME_JIT));
	s.stack = flame_stack(flame, s.stack,
			      fl_frame(flame, fl_name(flame, "end"),
				       FLAME_NATIVE));
	cr_assert_eq(flame_put(sink, &s), FLAME_OK);
}

Test(write, what_would_break_a_line_is_replaced)
{
	struct flame_sink *sink = writer();

	put_name(sink, "Lx/Y;.run", 9);
	put_name(sink, "two\nlines\r\0", 11);
	cr_assert_eq(flame_finish(sink), FLAME_OK);
	cr_expect_str_eq(out.data, "Lx/Y:.run_[j];end 1\n"
				   "two lines  _[j];end 1\n");
}

Test(write, a_name_does_not_make_a_comment_of_the_line)
{
	struct flame_sink *sink = writer();

	put_name(sink, "# private", 9);
	cr_assert_eq(flame_finish(sink), FLAME_OK);
	cr_expect_str_eq(out.data, "_ private_[j];end 1\n");
	FOLDS("#a 1\na;#b 2\n", "#a 1\na;#b 2\n");
	FOLDS(";\xef\xbb\xbf" "a 1\n", "   a 1\n");
}

Test(write, an_empty_stack_is_a_line_without_frames)
{
	FOLDS("b 1\n 5\n 2\n", " 7\nb 1\n");
}

Test(write, of_nothing_is_nothing)
{
	FOLDS("# nothing\n", "");
	FOLDS("a 0\n", "");
}

Test(write, each_type_has_its_suffix_or_none)
{
	static const char *const suffixes[] = {
		[FLAME_UNKNOWN] = "", [FLAME_INTERPRETED] = "_[0]",
		[FLAME_JIT] = "_[j]", [FLAME_INLINED] = "_[i]",
		[FLAME_NATIVE] = "", [FLAME_CPP] = "", [FLAME_KERNEL] = "_[k]",
		[FLAME_C1] = "_[1]", [FLAME_JAVA_NATIVE] = "",
		[FLAME_GROUP] = "", [FLAME_WAKER] = "_[w]",
	};

	for (unsigned i = 0; i < FL_COUNT(suffixes); i++)
		cr_expect_str_eq(fl_type_suffix(i), suffixes[i], "%u", i);
}

Test(write, minwidth_loses_nothing)
{
	struct flame_source *source =
		flame_open_memory(flame, "a;b 1\na;c 99\n", 13, "in", NULL);
	struct flame_sink *sink = writer();

	cr_assert_eq(flame_set(sink, "minwidth", "5%"), FLAME_OK);
	cr_assert_eq(flame_pump(source, sink), FLAME_OK);
	flame_close(source);
	cr_assert_eq(flame_finish(sink), FLAME_OK);
	cr_expect_str_eq(out.data, "a 1\na;c 99\n");
}

/* Round trips --------------------------------------------------------- */

/* Output reads as the same. */
static void stays(const char *text)
{
	char *once = strdup(fold(text));

	FOLDS(once, once);
	free(once);
}

Test(round_trip, what_was_written_is_read_as_the_same)
{
	stays("a;b_[j];c_[k] 1\na_[0] 2\nfoo;x 3\nfoo 4\nfoo-bar 5\n 6\n"
	      "a b ;c  7\n\xff 8\n[main tid=1];x 9\n");
}

Test(round_trip, wakers_stay)
{
	stays("a;b;--;b_[w];c_[w] 1\na;b;--;b;c_[k] 2\n");
}

Test(round_trip, frames_of_threads_stay)
{
	stays("[main tid=1];a 1\n[tid=2];a 1\n");
	stays("process 7:\"d\";process 9:\"w\";thread (9): m;f 1\n");
}

Test(round_trip, tiers_that_were_merged_stay)
{
	stays("a_[j];b 1\na_[i];b 1\na_[0];c 5\na_[1] 3\n");
}

Test(round_trip, names_with_blanks_and_tabs_stay)
{
	stays("a\tb 5\na b 6\n");
	stays("a ;b 1\n a;b 1\n");
}

Test(round_trip, empty_names_stay)
{
	stays("a;;b 1\n");
	stays(" 5\n; 1\n");
	stays("a;; 1\na 2\na; 4\n");
	stays(";a 1\na 2\n");
}

Test(round_trip, a_number_at_a_names_end_stays)
{
	stays("a 1 2\na 3\na;b 4 4\n");
}

/* py-spy's names of threads may hold anything. */
Test(dialects_of_threads, a_name_goes_on_up_to_the_first_frame)
{
	static const char *const ends[] = {
		"thread (9): a; \"b\" (1);run (job.py:3)",
		"thread (9): x;y;z;clone (libc.so.6);run (job.py:3)",
	};
	size_t seen;

	for (size_t i = 0; i < 2; i++) {
		struct slice line = { ends[i], strlen(ends[i]) };
		const char *semi = strchr(ends[i], ';');
		size_t end = fl_folded_join(line, 0, (size_t)(semi - ends[i]),
					    &seen);

		cr_expect_eq(end, (size_t)(strstr(ends[i], i ? ";clone" :
						  ";run") - ends[i]));
	}
}

Test(dialects_of_threads, without_such_frames_a_name_ends_where_it_did)
{
	static const char text[] = "thread (9): a;b;c 1";
	struct slice line = { text, strlen(text) };
	size_t seen;

	cr_expect_eq(fl_folded_join(line, 0, 13, &seen), 13);
}
