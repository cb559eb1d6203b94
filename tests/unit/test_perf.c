/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The text of perf script: what is in its columns, and what comes out.
 */
#include "fl.h"

#include "format/formats.h"
#include "format/perf/reader.h"
#include "filter/filter.h"
#include "tree/tree.h"
#include "said.h"

#include <stdio.h>
#include <stdlib.h>

TestSuite(header, .init = start, .fini = stop);
TestSuite(records, .init = start, .fini = stop);
TestSuite(frames, .init = start, .fini = stop);
TestSuite(peers, .init = start, .fini = stop);

/* Options: "name=value name=value". */
static void ask(struct flame_source *source, const char *options)
{
	char copy[200], *word, *rest = copy;

	snprintf(copy, sizeof(copy), "%s", options);
	while ((word = strtok_r(rest, " ", &rest))) {
		char *value = strchr(word, '=');

		if (value)
			*value++ = '\0';
		cr_assert_eq(flame_ask(source, word, value), FLAME_OK, "%s",
			     flame_error(flame));
	}
}

static const char *fold_of(struct flame_source *source, const char *options)
{
	const struct fl_perf_options *perf;
	struct flame_sink *sink;

	cr_assert(source, "%s", flame_error(flame));
	cr_assert_str_eq(flame_source_format(source), "perf");
	perf = source->options;
	ask(source, options);
	sink = fl_format_folded.create(flame, fl_out_memory(flame, &out));
	sink = flame_pick(sink, perf->peer ? NULL : source->select.event);
	cr_assert_eq(flame_pump(source, sink), FLAME_OK, "%s",
		     flame_error(flame));
	flame_close(source);
	cr_assert_eq(flame_finish(sink), FLAME_OK, "%s", flame_error(flame));
	return out.data;
}

static const char *fold(const char *text, size_t size, const char *options)
{
	return fold_of(flame_open_memory(flame, text, size, "in", NULL),
		       options);
}

#define FOLD(text, options) fold(text, sizeof(text) - 1, options)

static const char *fold_file(const char *name, const char *options)
{
	const char *top = getenv("TOP");
	char path[1000];

	snprintf(path, sizeof(path), "%s/tests/data/perf/%s", top ? top : ".",
		 name);
	return fold_of(flame_open(flame, path, NULL), options);
}

static bool is(struct slice s, const char *text)
{
	return fl_slice_is(s, text);
}

static struct fl_perf_header read_header(const char *line)
{
	struct fl_perf_header h;

	cr_assert(fl_perf_header((struct slice){ line, strlen(line) },
				 NULL, &h),
		  "%s", line);
	return h;
}

Test(header, has_all_columns)
{
	struct fl_perf_header h = read_header(
		"java 24636/25607 [003] 94564.109216:   1001001 cycles:u: ");

	cr_assert(is(h.comm, "java") && is(h.event, "cycles:u"));
	cr_assert(h.pid == 24636 && h.tid == 25607 && h.cpu == 3);
	cr_assert_eq(h.time, INT64_C(94564109216000));
	cr_assert_eq(h.period, 1001001);
	cr_assert_eq(h.rest.size, 0);
}

/* Values of the lines before must not show in this one. */
Test(header, is_the_same_after_any_other)
{
	static const char *const lines[] = {
		"a 1/2 [001] 1.000001:  7 cycles: 7f00 f+0x1 (/x)",
		"b 3/4 [002] 1.000002:  7 cycles: 7f01 g (/y)",
		"b 3/4 [002] 12345678.000003:  7 cycles:",
		"b 3/4 [002] 1.000003:  7 cycles:u: 7f01 g (/y)",
		"c 5 1.000004:  7 cycles: \t 7f02 h",
		"c 5 1.000005:  8 cycles: ",
		"c 5 1.000005: cycles: ",
		"c 5 1.123456789:  8 cycles: 1",
		"a 6/7 0000000000000000000000000001.000001:  7 cycles: 7f00 f",
		"d 8 1.000006:  7 cycles:x",
		"d 8 1.000006:  7",
		"d 8  7 cycles: ",
	};
	static struct fl_perf_lefts lefts;

	memset(&lefts, 0, sizeof(lefts));
	for (size_t i = 0; i < FL_COUNT(lines) * FL_COUNT(lines); i++) {
		const char *line = lines[i / FL_COUNT(lines)];
		struct fl_perf_header want, got;

		for (int j = 0; j < 2; j++) {
			struct slice s = { line, strlen(line) };
			bool is_one = fl_perf_header(s, NULL, &want);

			cr_assert_eq(fl_perf_header(s, &lefts, &got), is_one);
			if (is_one)
				cr_assert(got.comm.data == want.comm.data &&
						  got.comm.size ==
							  want.comm.size &&
						  got.event.size ==
							  want.event.size &&
						  got.rest.size ==
							  want.rest.size &&
						  got.pid == want.pid &&
						  got.tid == want.tid &&
						  got.cpu == want.cpu &&
						  got.time == want.time &&
						  got.period == want.period,
					  "%s", line);
			line = lines[i % FL_COUNT(lines)];
		}
	}
}

Test(header, comms_hold_blanks_digits_colons_and_slashes)
{
	static const char *const comms[] = {
		"a", "V8 Worker 5", "kworker/0:1", ":1234", "x 1.5", "1", "9/9"
	};
	char line[100];

	for (size_t i = 0; i < FL_COUNT(comms); i++) {
		struct fl_perf_header h;

		snprintf(line, sizeof(line), "%16s %7d/%-7d 1.000001: "
			 "cycles: ", comms[i], 12, 13);
		h = read_header(line);
		cr_assert(is(h.comm, comms[i]), "%s", line);
		cr_assert(h.pid == 12 && h.tid == 13);
	}
}

Test(header, time_period_cpu_and_ids_may_be_missing)
{
	struct fl_perf_header h = read_header("V8 Worker 5 12/13 cycles: ");

	cr_assert(is(h.comm, "V8 Worker 5") && h.pid == 12 && h.period < 0);
	h = read_header("java 12 [002] 1000 cpu-clock:");
	cr_assert(is(h.comm, "java") && h.tid == 12 && h.cpu == 2 &&
		  h.period == 1000);
	h = read_header("Worker 5    1234 cycles: ");
	cr_assert(is(h.comm, "Worker 5") && h.tid == 1234 && h.period < 0);
	h = read_header("java 12 1000 cycles: ");
	cr_assert(is(h.comm, "java") && h.tid == 12 && h.period == 1000);
	h = read_header(" 3028.038009: cpu-clock: ");
	cr_assert(!h.comm.size && h.tid < 0 && is(h.event, "cpu-clock"));
	h = read_header("burn 31761  3028.038009: ");
	cr_assert(is(h.comm, "burn") && h.tid == 31761 && !h.event.size);
	h = read_header("burn 31761 U   3028.038009: cycles: ");
	cr_assert(is(h.comm, "burn") && h.tid == 31761);
	h = read_header("cpu-clock: ");
	cr_assert(!h.comm.size && is(h.event, "cpu-clock"));
}

Test(header, arguments_of_a_tracepoint_are_the_rest)
{
	struct fl_perf_header h = read_header("x 1 [000] 1.0: "
		"sched:sched_switch: prev_comm=a 12 9.5: b");

	cr_assert(is(h.event, "sched:sched_switch"));
	cr_assert(is(h.rest, "prev_comm=a 12 9.5: b"));
	cr_assert_eq(h.time, 1000000000);
}

Test(header, is_not_any_line_with_a_number)
{
	static const char *const lines[] = {
		"", " ", ":", "a", "12", "at java.lang.Thread.run(T.java:748)",
		"\"main\" #1 prio=5 os_prio=0 tid=0x1", "a;b;c 12",
		"12: 13: 14:",
	};
	struct fl_perf_header h;

	for (size_t i = 0; i < FL_COUNT(lines); i++)
		cr_assert(!fl_perf_header((struct slice){ lines[i],
				strlen(lines[i]) }, NULL, &h), "%s", lines[i]);
}

Test(records, are_read_in_every_layout)
{
	cr_assert_str_eq(fold_file("layouts.txt", ""),
			 "burn;leaf 1\nburn;main;leaf 5\n");
	cr_assert(strstr(said.data, "lost 7 events"));
	cr_assert_null(strstr(said.data, "not understood"));
}

Test(records, of_any_comm)
{
	cr_assert_str_eq(fold_file("comms.txt", ""),
			 ":1234;f 1\nExecutor task l;f 1\nV8 Worker 5;f 1\n"
			 "a;f 1\nkworker/0:1;f 1\ntab: semi;f 1\n");
	cr_assert_str_eq(said.data, "");
}

Test(records, without_numbers_are_known_by_their_frames)
{
	cr_assert_str_eq(fold_file("few_columns.txt", ""),
			 "burn;main;fib 2\n");
	cr_assert_str_eq(said.data, "");
}

Test(records, of_several_events_are_not_added_up)
{
	cr_assert_str_eq(fold_file("events.txt", ""), "x;f 3\n");
	cr_assert(strstr(said.data,
			 "taking cycles:u (3 samples); there is also "
			 "cycles:k 1, sched:sched_switch 1, "
			 "raw_syscalls:sys_enter 1"),
		  "%s", said.data);
}

Test(records, of_one_event)
{
	cr_assert_str_eq(fold_file("events.txt", "event=sched:sched_switch"),
			 "x;h_[k] 1\n");
}

Test(records, of_a_tracepoint_without_a_stack_are_samples)
{
	cr_assert_str_eq(fold_file("events.txt",
				   "event=raw_syscalls:sys_enter"), "x 1\n");
}

Test(records, weigh_their_period_if_asked)
{
	cr_assert_str_eq(fold_file("events.txt",
				   "weight=period event=cycles:u"),
			 "x;f 80\n");
	cr_assert_str_eq(flame_metric_of(flame, 1)->unit, "cycles");
	cr_assert_str_eq(flame_metric_of(flame, 1)->weight, "cycles");
	cr_assert_eq(flame_metric_of(flame, 1)->total, 80);
	cr_assert_eq(flame_metric_of(flame, 1)->samples, 3);
}

Test(records, without_a_period_are_told_of)
{
	cr_assert_str_eq(FOLD("x 1 1.0: cycles: \n\t 1000 f (/x)\n\n",
			      "weight=period"), "x;f 1\n");
	cr_assert(strstr(said.data, "1 samples have no period"));
}

Test(records, keep_their_thread_and_time)
{
	static const char text[] = "V8 W 5 12/13 [004] 2.5: cycles: \n"
				   "\t 1000 f (/x)\n";
	struct flame_source *source =
		flame_open_memory(flame, text, sizeof(text) - 1, "in", NULL);
	struct flame_sample s;

	source->select.needs = FL_NEED_TIME | FL_NEED_THREAD | FL_NEED_STATE;
	cr_assert_eq(flame_next(source, &s), FLAME_OK);
	cr_assert_eq(s.time, INT64_C(2500000000));
	cr_assert_str_eq(flame_name_text(flame, flame_label_get(flame,
			 s.thread, fl_name(flame, "thread")), NULL), "V8 W 5");
	cr_assert_str_eq(flame_name_text(flame, flame_label_get(flame,
			 s.thread, fl_name(flame, "tid")), NULL), "13");
	cr_assert_str_eq(flame_name_text(flame, flame_label_get(flame,
			 s.thread, fl_name(flame, "pid")), NULL), "12");
	cr_assert_str_eq(flame_name_text(flame, flame_label_get(flame,
			 s.labels, fl_name(flame, "cpu")), NULL), "4");
	cr_assert_eq(flame_next(source, &s), FLAME_END);
	flame_close(source);
}

Test(records, are_selected_by_thread_and_time)
{
	static const char text[] =
		"a 1 1.0: cycles: \n\t 1000 f (/x)\n\n"
		"b 2 2.0: cycles: \n\t 1000 g (/x)\n\n"
		"b 2 4.0: cycles: \n\t 1000 h (/x)\n\n";

	cr_assert_str_eq(FOLD(text, "thread=b"), "b;g 1\nb;h 1\n");
	out.size = 0;
	cr_assert_str_eq(FOLD(text, "from=1s to=2s"), "b;g 1\n");
}

Test(records, that_are_damaged_cost_no_others)
{
	cr_assert_str_eq(fold_file("crlf_invalid_utf8_no_final_newline.txt",
				   ""), "x;f\xff\xfe 2\n");
	cr_assert(strstr(said.data, "1 lines not understood, the first is line "
				    "4: this is no line of perf"),
		  "%s", said.data);
}

Test(records, go_on_after_an_empty_line_too_many)
{
	cr_assert_str_eq(FOLD("x 1 1.0: cycles: \n\n\t 1000 f (/x)\n\n"
			      "y 1 1.0: cycles: \n\n", ""), "x;f 1\ny 1\n");
	cr_assert_str_eq(said.data, "");
}

Test(records, cut_anywhere_are_never_more)
{
	static const char text[] =
		"V8 W 5 12/13 [004] 2.5:  12 cycles:u: \n"
		"\t    1000 f+0x1 (/x y (deleted))\n\t 2000 g (inlined)\n"
		"  x.c:5\n\n"
		"      x 1 2.6: cycles:u:  1000 f->g+0x1 (/tmp/perf-1.map)\n"
		"x 1 2.7: a:b: c=\"d\"\n\t 1 h\n\n";

	for (size_t n = 0; n < sizeof(text); n++) {
		struct flame_source *source =
			flame_open_memory(flame, text, n, "in", "perf");
		struct flame_sample s;
		unsigned samples = 0;

		while (flame_next(source, &s) == FLAME_OK)
			samples++;
		flame_close(source);
		cr_assert_leq(samples, 3);
	}
}

Test(frames, have_types_modules_and_canonical_names)
{
	cr_assert_str_eq(fold_file("frames.txt", ""),
		"java;[a.out];[unknown];[libbar.so.1];inner_[i];"
		"Foo::operator->();"
		"std::function<int (int)>::operator()(int) const;"
		"Interpreter_[j];"
		"java/util/DualPivotQuicksort.countingSort_[j];"
		"java/lang/A.a_[j];java/lang/B.b_[i];java/lang/C.c_[i];"
		"java/io/PrintStream.print_[j];__vdso_gettimeofday;"
		"ext4_read_[k];tcp_sendmsg_[k];ip_local_[k];"
		"native_safe_halt_[k] 1\n");
	cr_assert_str_eq(said.data, "");
}

Test(frames, know_their_module)
{
	struct fl_perf_frame f;
	const char *line = "7f00 f(int (*)(int)) const+0x1f "
			   "(/opt/My Game (x86)/lib a.so (deleted))";

	cr_assert(fl_perf_frame((struct slice){ line, strlen(line) }, &f));
	cr_assert(is(f.ip, "7f00") && is(f.symbol, "f(int (*)(int)) const"));
	cr_assert(is(f.dso, "/opt/My Game (x86)/lib a.so"));
}

Test(frames, have_lines_of_source)
{
	cr_assert_str_eq(fold_file("srcline.txt", ""),
			 "burn;entry_[k];main;fib 1\n");
	out.size = 0;
	cr_assert_str_eq(fold_file("srcline.txt", "srcline"),
			 "burn;entry_[k];main:burn.c:9;fib:burn.c:5 1\n");
	out.size = 0;
	cr_assert_str_eq(fold_file("srcline.txt", "lines"),
			 "burn;entry_[k];main:9;fib:5 1\n");
	cr_assert_str_eq(said.data, "");
}

Test(peers, perl_tidies_and_annotates)
{
	cr_assert_str_eq(FOLD("java 1/2 1.0: 7 cycles: \n"
		"\t 1 Foo::operator()(int)+0x1 (/tmp/perf-1.map)\n"
		"\t 2 Lx/Y;::z+0x2 (/tmp/perf-1.map)\n"
		"\t 3 f<void (int)>+0x3 (/x)\n"
		"\t 4 [unknown] ([kernel.kallsyms])\n\n",
		"peer=perl jit kernel tid"),
		"java-1/2;[[kernel.kallsyms]]_[k];f<void ;x/Y:::z_[j];"
		"Foo::operator_[j] 7\n");
}

Test(peers, inferno_knows_brackets_and_rust)
{
	cr_assert_str_eq(FOLD("a b 1/2 1.0: 7 cycles:u: \n"
		"\t 1 std::function<int (int)>::operator()(int)+0x1 (/x)\n"
		"\t 2 _$LT$F$u20$as$u20$a..B$GT$::c::h0123456789abcdef "
		"(/x)\n\n", "peer=inferno"),
		"a_b;<F as a::B>::c;std::function<int (int)>::operator 7\n");
}

Test(records, of_one_line_have_all_frames_of_their_line)
{
	cr_assert_str_eq(FOLD(
		"     x 1 2.5: cycles:  1000 a->b+0x1 (/tmp/perf-1.map)\n"
		"     x 1 2.6: cycles:  1001 a->b+0x2 (/tmp/perf-1.map)\n"
		"     y 1 2.7: cycles:  1002 a->b+0x2 (/tmp/perf-1.map)\n", ""),
		"x;a_[j];b_[i] 2\ny;a_[j];b_[i] 1\n");
	cr_assert_str_eq(said.data, "");
}

/* Known records are read in another way: they must mean the same. */
Test(records, mean_the_same_when_they_come_again)
{
	static const char *const texts[] = {
		"a 1/2 [001] 1.000001:  7 cycles:u: \n"
		"\t          401136 f+0x1f (/x y/lib+0x.so (deleted))\n"
		"\tffffffff81000000 operator+0x1+0x2 ([kernel.kallsyms])\n"
		"\t              ab abc (inlined)\n"
		"\t             1ab std::f(int (*)(int))+0xab (/x)\n"
		"\t            1ab0 [unknown] (/x/libstdc++.so.6)\n"
		"\t            1ab1 (/x)\n\n",
		"a 1/2 [001] 1.000001:  7 cycles:u: \n"
		"\t            1ab2 f\n\n",
		"a 1/2 [001] 1.000001:  7 cycles:u: \r\n"
		"\t          401136 f+0x1f (/x)\r\n\r\n",
		"b c 1/2 [001] 1.000001: a:b: x=1\n"
		"    401136 f+0x1f (/x)\n  f.c:5\n\n",
		"     beef  123 1.000001:  7 cycles:  1abc f+0x1 (/x)\n",
		"b 12 cycles: \n  401136 f+0x1f (/x)\n\n",
		"b 12 \n\t          401136 f+0x1f (/x)\n\n",
	};

	for (size_t i = 0; i < FL_COUNT(texts); i++) {
		struct fl_buf many = { 0 };
		char *once;
		size_t n;

		out.size = 0;
		once = strdup(fold(texts[i], strlen(texts[i]), ""));
		n = strlen(once);
		cr_assert(n > 3 && strcmp(once + n - 3, " 1\n") == 0, "%s",
			  once);
		once[n - 3] = '\0';
		for (int j = 0; j < 9; j++)
			fl_buf_text(&many, texts[i]);
		fl_buf_text(&many, "# the end is far enough from here: ");
		for (int j = 0; j < 300; j++)
			fl_buf_byte(&many, '.');
		out.size = 0;
		fold(many.data, many.size, "");
		cr_assert(strncmp(out.data, once, n - 3) == 0 &&
				  strcmp(out.data + n - 3, " 9\n") == 0,
			  "%s: %s", once, out.data);
		fl_buf_free(&many);
		free(once);
	}
	cr_assert_eq(flame_warnings(flame), 0);
}

/* So many that several are made at once; as folded stacks, and as perf has it. */
static void write_many(struct fl_buf *perf, struct fl_buf *folded)
{
	enum { DEEPEST = 30, RECORDS = 6000 };
	unsigned stack[DEEPEST], n = 0;
	uint32_t state = 7;

	for (unsigned i = 0; i < RECORDS; i++) {
		/* From the last one's root on: all of it, much, or little. */
		unsigned common = (state >> 16) % (n + 2);

		common = FL_MIN(common, n);
		if (common < n || i % 3)
			for (n = common; n < DEEPEST - 2 && (n <= common ||
						state >> 28); n++) {
				state = state * 1664525 + 1013904223;
				stack[n] = (state >> 16) % 40;
			}
		state = state * 1664525 + 1013904223;
		fl_buf_print(perf, "%s 1/2 [001] %u.000001: 1 cycles:\n",
			     i % 7 ? "a" : "b", i);
		fl_buf_print(folded, "%s", i % 7 ? "a" : "b");
		for (unsigned k = 0; k < n; k++) {
			fl_buf_print(perf, "\t%x f%u+0x1 (/x)\n",
				     0x7f0000 + k, stack[n - 1 - k]);
			fl_buf_print(folded, ";f%u", stack[k]);
		}
		fl_buf_print(perf, "\n");
		fl_buf_print(folded, " 1\n");
	}
}

Test(records, of_many_stacks_are_those_of_the_folded_ones)
{
	struct fl_buf perf = { 0 }, folded = { 0 };
	struct flame_source *source;
	struct flame_sink *sink;
	char *as_perf;

	write_many(&perf, &folded);
	as_perf = strdup(fold(perf.data, perf.size, ""));
	cr_assert_gt(flame->stacks.count, 40000);
	fl_buf_free(&out);
	source = flame_open_memory(flame, folded.data, folded.size, "in",
				   "folded");
	sink = fl_format_folded.create(flame, fl_out_memory(flame, &out));
	cr_assert_eq(flame_pump(source, sink), FLAME_OK);
	flame_close(source);
	cr_assert_eq(flame_finish(sink), FLAME_OK);
	cr_assert_eq(strlen(as_perf), out.size);
	cr_expect_str_eq(as_perf, out.data);
	free(as_perf);
	fl_buf_free(&perf);
	fl_buf_free(&folded);
}

Test(records, are_taken_by_their_time_from_the_end)
{
	static const char text[] =
		"a 1 1.000000: cycles: \n\t 1 f (/x)\n\n"
		"a 1 5.000000: cycles: \n\t 1 g (/x)\n\n"
		"a 1 4.500000: cycles: \n\t 1 h (/x)\n\n";

	cr_assert_str_eq(FOLD(text, "from=-500ms"), "a;g 1\na;h 1\n");
	out.size = 0;
	cr_assert_str_eq(FOLD(text, "to=-1s"), "a;f 1\n");
	cr_assert_str_eq(said.data, "");
}

Test(records, know_their_cpu)
{
	static const char text[] =
		"a 1 [002] 1.0: cycles: \n\t 1 f (/x)\n\n"
		"a 1 [002] 1.1: cycles: \n\t 1 f (/x)\n\n"
		"a 1 1.2: cycles: \n\t 1 f (/x)\n\n";
	struct flame_source *source =
		flame_open_memory(flame, text, sizeof(text) - 1, "in", NULL);
	static const char *const want[] = { "2", "2", "" };
	struct flame_sample s;

	source->select.needs = FL_NEED_STATE;
	for (size_t i = 0; i < FL_COUNT(want); i++) {
		cr_assert_eq(flame_next(source, &s), FLAME_OK);
		cr_assert(is(fl_name_at(flame, flame_label_get(flame, s.labels,
				fl_name(flame, "cpu"))), want[i]));
	}
	flame_close(source);
}

Test(frames, callers_of_a_function_go)
{
	static const char text[] =
		"a 1 1.0: 1 cycles: \n\t 1 leaf (/x)\n\t 2 f+0x1 (/x)\n"
		"\t 3 mid (/x)\n\t 4 f+0x2 (/x)\n\t 5 main (/x)\n\n"
		"a 1 1.1: 1 cycles: \n\t 1 leaf (/x)\n\t 5 main (/x)\n\n"
		"a 1 1.1: 1 cycles: \n\t 1 a->b->c (/tmp/perf-1.map)\n"
		"\t 5 main (/x)\n\n"
		"f 1 1.1: 1 cycles:  7f f (/x)\n";

	cr_assert_str_eq(FOLD(text, "skip-after=f skip-after=b"),
			 "a;main;leaf 1\nb_[i];c_[i] 1\nf 1\nf;leaf 1\n");
	out.size = 0;
	cr_assert_str_eq(FOLD(text, "peer=inferno skip-after=f skip-after=b"),
			 "a;main;a;b_[i];c_[i] 1\na;main;leaf 1\n"
			 "f 1\nf;leaf 1\n");
}

Test(records, are_a_line_each_without_times_too)
{
	static const char text[] =
		"             a b            401136 f\n"
		"            a b  ffffffff81750c6a elf_load\n"
		"            a b  ffffffff81750c6a elf_load\n";

	cr_assert_str_eq(fold_of(flame_open_memory(flame, text,
					sizeof(text) - 1, "in", "perf"), ""),
			 "a b;elf_load 2\na b;f 1\n");
	out.size = 0;
	cr_assert_str_eq(fold_of(flame_open_memory(flame,
			"           401136 f (/x)\n           401137 f (/x)\n", 50,
			"in", "perf"),
			""), "f 2\n");
	cr_assert_eq(flame_warnings(flame), 0);
}

Test(records, have_columns_below_that_are_no_frames)
{
	cr_assert_str_eq(FOLD(
		"a 1 1.0: 1 cycles: \n\t             123 f (/x)\n  :0\n"
		" insn: 48 89 e7\n ilen: 3\nPERF_RECORD_FINISHED_ROUND\n\n",
		""), "a;f 1\n");
	cr_assert_str_eq(said.data, "");
}

Test(frames, of_compiled_code_have_blanks_and_commas)
{
	cr_assert_str_eq(FOLD("java 1 1.0: 1 cycles: \n"
		"\t    7f0000000001 int[] a.b.C$D.m(byte[], int, java.util.Map)"
		"+0x1 (/tmp/perf-1.map (deleted))\n"
		"\t    7f0000000002 La/b/E;::f->La/b/G;::h+0x1 "
		"([JIT app cache])\n"
		"\t    7f0000000003 Interpreter+0x1 (/tmp/jitted-1-2.so)\n\n",
		""),
		"java;Interpreter_[j];a/b/E.f_[j];a/b/G.h_[i];"
		"a/b/C$D.m_[j] 1\n");
	cr_assert_str_eq(said.data, "");
}
