/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Text of gdb, bpftrace, dtrace, sample and VTune: what comes out, what is
 * said, and that no cut adds what was not there.
 */
#include "fl.h"

#include "format/formats.h"
#include "tree/tree.h"
#include "said.h"

#include <stdio.h>
#include <stdlib.h>

TestSuite(gdb, .init = start, .fini = stop);
TestSuite(lldb, .init = start, .fini = stop);
TestSuite(bpftrace, .init = start, .fini = stop);
TestSuite(dtrace, .init = start, .fini = stop);
TestSuite(sample, .init = start, .fini = stop);
TestSuite(vtune, .init = start, .fini = stop);
TestSuite(detect, .init = start, .fini = stop);

/* Folded, as a peer does it, or NULL. */
static const char *fold_as(const char *format, const char *text, size_t size,
			   const char *peer)
{
	struct flame_source *source =
		flame_open_memory(flame, text, size, "in", format);
	struct flame_sink *sink;

	cr_assert(source, "%s", flame_error(flame));
	if (peer)
		cr_assert_eq(flame_ask(source, "peer", peer), FLAME_OK);
	out.size = said.size = 0;
	fl_buf_text(&out, "");
	fl_buf_text(&said, "");
	sink = fl_format_folded.create(flame, fl_out_memory(flame, &out));
	cr_assert(sink);
	sink->picked = true;	/* all metrics in one sum */
	cr_assert_eq(flame_pump(source, sink), FLAME_OK, "%s",
		     flame_error(flame));
	flame_close(source);
	cr_assert_eq(flame_finish(sink), FLAME_OK, "%s", flame_error(flame));
	return out.data;
}

#define FOLDS(format, text, expected)					\
	do {								\
		const char *is = fold_as(format, text, strlen(text), NULL); \
									\
		cr_expect_str_eq(is, expected, "is\n%snot\n%s", is,	\
				 expected);				\
	} while (0)

static const char *one_frame(const char *frame)
{
	char text[1000];

	snprintf(text, sizeof(text), "#0  %s\n#1  0x1 in main ()\n\n", frame);
	return fold_as("gdb", text, strlen(text), NULL);
}

#define NAMES(frame, name)						\
	cr_expect_str_eq(one_frame(frame), "main;" name " 1\n", "is %s",	\
			 out.data)

/* Cuts ---------------------------------------------------------------- */

/* The weight of the stack of a line in a folded text; -1: not there. */
static long weight_in(const char *text, const char *line, size_t stack)
{
	for (; *text; text = strchr(text, '\n') + 1)
		if (strncmp(text, line, stack + 1) == 0)
			return atol(text + stack + 1);
	return -1;
}

/* Each prefix has stacks of the whole, and no more of any. */
static void cut_everywhere(const char *format, const char *text,
			   const char *option)
{
	size_t size = strlen(text);
	char *whole = strdup(fold_as(format, text, size, option));

	for (size_t n = 0; n <= size; n++) {
		/* Of its own size, so that reading on is found. */
		char *prefix = malloc(n + 1);

		memcpy(prefix, text, n);
		const char *line = fold_as(format, prefix, n, option);

		while (*line) {
			const char *lf = strchr(line, '\n'), *blank = lf;

			while (*blank != ' ')
				blank--;
			cr_expect_leq(atol(blank + 1),
				      weight_in(whole, line, blank - line),
				      "%s cut at %zu has %.*s", format, n,
				      (int)(lf - line), line);
			line = lf + 1;
		}
		free(prefix);
	}
	free(whole);
}

static char *read_file(const char *name)
{
	const char *top = getenv("TOP");
	char path[1000];
	struct fl_buf buf = { 0 };
	FILE *file;
	int c;

	snprintf(path, sizeof(path), "%s/tests/data/%s", top ? top : ".",
		 name);
	file = fopen(path, "r");
	cr_assert(file, "%s", path);
	while ((c = getc(file)) != EOF)
		fl_buf_byte(&buf, (char)c);
	fclose(file);
	return buf.data;
}

static void cut_file(const char *format, const char *name)
{
	char *text = read_file(name);

	cut_everywhere(format, text, NULL);
	free(text);
}

/* Only that nothing breaks: bytes in the middle are others. */
static void spoil_file(const char *format, const char *name)
{
	static const char bytes[] = "\n \0(\"'#@[],:<0\xff";
	char *text = read_file(name);
	size_t size = strlen(text);

	for (size_t i = 0; i < size; i++) {
		char was = text[i];

		text[i] = bytes[i % sizeof(bytes)];
		fold_as(format, text, size, NULL);
		text[i] = was;
	}
	free(text);
}

/* gdb ----------------------------------------------------------------- */

Test(gdb, names_end_where_arguments_begin)
{
	NAMES("f (x=1) at f.c:3", "f");
	NAMES("0x01 in f () from /lib/x.so", "f");
	NAMES("0x01 in ?? () from /lib/x.so", "[x.so]");
	NAMES("0x01 in ?? ()", "??");
	NAMES("<signal handler called>", "<signal handler called>");
	NAMES("0x01 in std::function<void (int)>::operator()(int) const "
	      "(this=0x7f) at f.h:9",
	      "std::function<void (int)>::operator()(int) const");
	NAMES("a::(anonymous namespace)::f (s=0x1 \"a) at b (\") at f.c:3",
	      "a::(anonymous namespace)::f");
	NAMES("(anonymous namespace)::f (c=40 '(') at f.c:3",
	      "(anonymous namespace)::f");
	NAMES("0x01 in void f<int (*)(char)>(int) (q=41 ')') at f.c:3",
	      "void f<int (*)(char)>(int)");
	NAMES("0x01 in operator< (a=..., b=...) at f.c:3", "operator<");
	NAMES("0x01 in A::operator-> (this=0x1) at f.c:3", "A::operator->");
	NAMES("0x01 in call<fn() -> (), ()> (f=...) at f.rs:3",
	      "call<fn() -> (), ()>");
	NAMES("0x01 in net/http.(*conn).serve (c=0xc0) at server.go:3",
	      "net/http.(*conn).serve");
	NAMES("0x01 in void (*g<int>(int))(char) () at f.c:3",
	      "void (*g<int>(int))(char)");
	NAMES("0x01 in f (s={a = 1, b = \"\\\"(\"}) at /a dir/f.c:3", "f");
}

Test(gdb, what_calls_without_an_address_has_inlined)
{
	FOLDS("gdb", "#0  0x1 in leaf (n=1) at t.c:4\n"
	      "#1  mid (n=1) at t.c:5\n#2  0x2 in main () at t.c:7\n\n",
	      "main;mid;leaf_[i] 1\n");
	/* A signal may have come at the first address of a line. */
	FOLDS("gdb", "#0  0x1 in h () at t.c:4\n#1  <signal handler called>\n"
	      "#2  f () at t.c:5\n#3  0x2 in main () at t.c:7\n\n",
	      "main;f;<signal handler called>;h 1\n");
}

Test(gdb, frame_keeps_its_source)
{
	static const char text[] = "#0  f () at src/f.c:31\n\n";
	struct flame_source *source =
		flame_open_memory(flame, text, strlen(text), "in", "gdb");
	const struct flame_frame *frame;
	struct flame_sample s;

	cr_assert_eq(flame_next(source, &s), FLAME_OK);
	frame = flame_frame_of(flame, flame_stack_frame(flame, s.stack));
	cr_expect_eq(frame->line, 31);
	cr_expect_str_eq(flame_name_text(flame, frame->file, NULL),
			 "src/f.c");
	cr_expect_eq(s.weight, 1);
	flame_close(source);
}

Test(gdb, thread_lines_become_labels)
{
	static const char text[] =
		"Thread 2 (Thread 0x7f (LWP 42) \"a \"b\" c\"):\n"
		"#0  f ()\n#1  0x1 in main ()\n\n";
	struct flame_source *source =
		flame_open_memory(flame, text, strlen(text), "in", "gdb");
	struct flame_sample s;
	flame_id name;

	cr_assert_eq(flame_next(source, &s), FLAME_OK);
	name = flame_label_get(flame, s.thread, fl_name(flame, "thread"));
	cr_expect_str_eq(flame_name_text(flame, name, NULL), "a \"b\" c");
	name = flame_label_get(flame, s.thread, fl_name(flame, "tid"));
	cr_expect_str_eq(flame_name_text(flame, name, NULL), "42");
	flame_close(source);
}

Test(gdb, last_stack_without_its_root_is_left_out)
{
	FOLDS("gdb", "#0  0x1 in f ()\n#1  0x2 in g ()\n", "");
	cr_expect(strstr(said.data, "ends within a backtrace"), "%s",
		  said.data);
	FOLDS("gdb", "#0  0x1 in f ()\n#1  0x2 in main ()", "main;f 1\n");
	FOLDS("gdb", "#0  0x1 in f ()\n#1  0x2 in g ()\n\n", "g;f 1\n");
	FOLDS("gdb", "#0  0x1 in f ()\n#1  0x2 in g ()\n"
	      "#0  0x1 in h ()\n#1  0x2 in g ()\n", "g;f 1\ng;h 1\n");
}

Test(gdb, cut_anywhere)
{
	cut_file("gdb", "gdb/apply.txt");
	cut_file("gdb", "gdb/talk.txt");
	spoil_file("gdb", "gdb/talk.txt");
}

/* lldb ---------------------------------------------------------------- */

static const char *one_lldb_frame(const char *frame)
{
	char text[1000];

	snprintf(text, sizeof(text), "  thread #2\n    frame #0: 0x01 %s\n"
		 "    frame #1: 0x02 a`main\n\n", frame);
	return fold_as("lldb", text, strlen(text), NULL);
}

#define LLDB_NAMES(frame, name)						\
	cr_expect_str_eq(one_lldb_frame(frame), "main;" name " 1\n",	\
			 "is %s", out.data)

Test(lldb, names_lack_modules_offsets_and_values)
{
	LLDB_NAMES("libc.so.6`poll + 79", "poll");
	LLDB_NAMES("a`f(x=1) at f.c:3:9", "f");
	LLDB_NAMES("a`f at f.c:3", "f");
	LLDB_NAMES("a`f(s=\"b) at c.c:1\") at /a dir/f.c:3:1 [opt]", "f");
	LLDB_NAMES("a`f(int, char) + 3", "f(int, char)");
	LLDB_NAMES("a`(anonymous namespace)::f(c='(') at f.c:3:1",
		   "(anonymous namespace)::f");
	LLDB_NAMES("a`std::function<void (int)>::operator()(this=0x7f) const "
		   "at f.h:9:2", "std::function<void (int)>::operator()");
	LLDB_NAMES("a`-[View draw:] + 12", "-[View draw:]");
	LLDB_NAMES("a`g(n=2) [inlined] f(n=1) at f.c:3:9", "f_[i]");
	LLDB_NAMES("/lib/a.so`", "[a.so]");
	LLDB_NAMES("", "[unknown]");
}

Test(lldb, the_place_of_a_stop_is_no_backtrace)
{
	FOLDS("lldb", "Process 4 stopped\n* thread #1, stop reason = step\n"
	      "    frame #0: 0x1 a`f at f.c:3:1\n-> 3   \tf();\n"
	      "(lldb) bt\n* thread #1, stop reason = step\n"
	      "  * frame #0: 0x1 a`f at f.c:3:1\n"
	      "    frame #1: 0x2 a`main at f.c:9:1\n\n", "main;f 1\n");
	FOLDS("lldb", "* thread #7\n  * frame #0: 0x1 a`start\n",
	      "start 1\n");
}

Test(lldb, frames_that_belong_to_no_backtrace_are_told)
{
	FOLDS("lldb", "  thread #1\n    frame #0: 0x1 a`f\n"
	      "    frame #1: 0x1 a`main\n(lldb) frame select 1\n"
	      "frame #1: 0x1 a`main\n", "main;f 1\n");
	cr_expect_str_eq(said.data, "in: 1 frames that belong to no backtrace "
			 "left out\n");
}

Test(lldb, a_backtrace_without_its_end_is_told)
{
	FOLDS("lldb", "  thread #1\n    frame #0: 0x1 a`f\n"
	      "    frame #1: 0x1 a`g\n", "");
	cr_expect(strstr(said.data, "line 3: the input ends within"), "%s",
		  said.data);
}

static const struct fl_format *format_of(const char *text)
{
	struct fl_in *in = fl_in_memory(flame, text, strlen(text), "in");
	const struct fl_format *format = fl_format_detect(flame, in);

	fl_in_close(in);
	return format;
}

Test(lldb, is_known_by_its_frames)
{
	cr_expect_eq(format_of("* thread #1, queue = 'main'\n  * frame #0: "
			       "0x0001 libsystem`poll + 8\n"),
		     &fl_format_lldb);
	cr_expect_eq(format_of("(lldb) bt\n\n    frame #0: 0x0001 "
			       "a.out`main(argc=1) at a.c:3:1\n3\n"),
		     &fl_format_lldb);
	cr_expect_eq(format_of("\n              libc.so`poll+0x4\n"
			       "              a.out`main+0x8\n    3\n"),
		     &fl_format_dtrace);
}

Test(lldb, cut_anywhere)
{
	cut_file("lldb", "lldb/all.txt");
	cut_file("lldb", "lldb/macos.txt");
}

Test(lldb, bytes_may_be_others)
{
	spoil_file("lldb", "lldb/all.txt");
	spoil_file("lldb", "lldb/macos.txt");
}

/* bpftrace ------------------------------------------------------------ */

Test(bpftrace, kernel_is_on_top_of_user)
{
	FOLDS("bpftrace", "@[\n    vfs_read+1\n    do_syscall_64+2\n, \n"
	      "    read+3\n    main+4\n, a b, 12]: 5\n",
	      "a b;main;read;do_syscall_64_[k];vfs_read_[k] 5\n");
	FOLDS("bpftrace", "@[\n    read+3\n    main+4\n, \n"
	      "    vfs_read+1\n    do_syscall_64+2\n]: 5\n",
	      "main;read;do_syscall_64_[k];vfs_read_[k] 5\n");
	FOLDS("bpftrace", "@[c, \n    operator new(unsigned long)+3\n]: 2\n",
	      "c;operator new(unsigned long) 2\n");
}

Test(bpftrace, a_long_user_stack_goes_below_a_long_kernel_one)
{
	struct fl_buf text = { 0 }, folded = { 0 };

	fl_buf_text(&text, "@[");
	for (int i = 99; i >= 0; i--)
		fl_buf_print(&text, "\n    u%d+1", i);
	fl_buf_text(&text, "\n,");
	for (int i = 99; i >= 0; i--)
		fl_buf_print(&text, "\n    k%d+1", i);
	fl_buf_text(&text, "\n    do_syscall_64+1\n]: 3\n");
	for (int i = 0; i < 100; i++)
		fl_buf_print(&folded, "u%d;", i);
	fl_buf_text(&folded, "do_syscall_64_[k]");
	for (int i = 0; i < 100; i++)
		fl_buf_print(&folded, ";k%d_[k]", i);
	fl_buf_text(&folded, " 3\n");
	FOLDS("bpftrace", text.data, folded.data);
	fl_buf_free(&text);
	fl_buf_free(&folded);
}

Test(bpftrace, other_maps_are_told_and_left_out)
{
	FOLDS("bpftrace", "@x[bash]: 4\n@n: 3\n@[\n    f+1\n]: 2\n"
	      "@h[\n    f+1\n]: \n[1]  3 |@@@|\n\n", "f 5\n");
	cr_expect(strstr(said.data, "2 entries of maps"), "%s", said.data);
	FOLDS("bpftrace", "@[\n    f+1\n]: 2\n@[]: 7\n", "f 2\n");
	cr_expect(strstr(said.data, "of 7 in all"), "%s", said.data);
	FOLDS("bpftrace", "@[, bash]: 7\n", "bash 7\n");
}

Test(bpftrace, json_is_the_same)
{
	FOLDS("bpftrace", "{\"type\": \"map\", \"data\": {\"@\": {"
	      "\"\\n    vfs_read+1\\n    do_syscall_64+2\\n,\\n    a\\u00e9+3"
	      "\\n,sh\": 5, \"\\n    f\\\"+1\\n\": 2}}}\n",
	      "f\" 2\nsh;a\xc3\xa9;do_syscall_64_[k];vfs_read_[k] 5\n");
	FOLDS("bpftrace", "{\"type\": \"map\", \"data\": {\"@\": {"
	      "\"\\n    f+1\\n\": 23, \"\\n    g+1\\n\": 2", "f 23\n");
	cr_expect(strstr(said.data, "does not end"), "%s", said.data);
	FOLDS("bpftrace", "{\"type\": \"map\", \"data\": {\"@n\": 3}}\n", "");
}

#define PRINT(a, b) "@[\n    f+1\n]: " a "\n@[\n    g+1\n]: " b "\n\n"

Test(bpftrace, prints_without_clear_are_the_sums_so_far)
{
	FOLDS("bpftrace", PRINT("1", "2") PRINT("1", "5") PRINT("3", "9"),
	      "f 3\ng 9\n");
	cr_expect(strstr(said.data, "@ is printed more than once: no count"),
		  "%s", said.data);
	/* A stack that comes later is printed first, as it is the smallest. */
	FOLDS("bpftrace", "@[\n    f+1\n]: 4\n\n\n"
	      "@[\n    g+1\n]: 1\n@[\n    f+1\n]: 6\n\n", "f 6\ng 1\n");
	FOLDS("bpftrace", "{\"type\": \"map\", \"data\": {\"@\": "
	      "{\"\\n    f+1\\n\": 2}}}\n"
	      "{\"type\": \"map\", \"data\": {\"@\": "
	      "{\"\\n    g+1\\n\": 1, \"\\n    f+1\\n\": 7}}}\n",
	      "f 7\ng 1\n");
}

Test(bpftrace, prints_with_clear_are_added)
{
	FOLDS("bpftrace", PRINT("1", "5") PRINT("2", "4"), "f 3\ng 9\n");
	cr_expect_str_eq(said.data, "");
	/* g is missing: print(@, 1), or clear(), or a cut. */
	FOLDS("bpftrace", PRINT("1", "5") "@[\n    f+1\n]: 2\n", "f 2\ng 5\n");
	FOLDS("bpftrace", PRINT("1", "5") "@[\n    f+1\n]: 2\n\n",
	      "f 3\ng 5\n");
	cr_expect(strstr(said.data, "are added, as keys are missing"), "%s",
		  said.data);
	/* Two runs. */
	FOLDS("bpftrace", "Attaching 1 probe...\n" PRINT("1", "2")
	      "Attaching 1 probe...\n" PRINT("1", "2"), "f 2\ng 4\n");
	cr_expect_str_eq(said.data, "");
}

Test(bpftrace, values_may_be_stacks)
{
	static const char live[] =
		"@live[0x7f1]: \n    leaf+16\n    main+32\n\n"
		"@live[0x7f2]: \n    leaf+18\n    main+32\n\n"
		"@live[0x7f3, sh]: \n    f+3\n\n";

	FOLDS("bpftrace", live, "main;leaf 2\nsh;f 1\n");
	cr_expect_str_eq(flame->metrics[1].name, "live");
	FOLDS("bpftrace", "@: \n    f+3\n    main+1\n@n: 3\n", "main;f 1\n");
	FOLDS("bpftrace", "@l[7]: \n    f+3\n\n@l[7]: \n    g+3\n\n"
	      "@l[8]: \n    g+3\n\n", "g 2\n");
	cr_expect(strstr(said.data, "each key counts once"), "%s", said.data);
	FOLDS("bpftrace", "{\"type\": \"map\", \"data\": {\"@l\": "
	      "{\"7\": \"\\n    f+1\\n    main+2\\n\"}}}\n", "main;f 1\n");
	FOLDS("bpftrace", "@l[7]: \n    f+3\n\n@l[8]: \n    f+3\n    ma",
	      "f 1\n");
	cr_expect(strstr(said.data, "ends within this entry"), "%s",
		  said.data);
}

Test(bpftrace, metric_is_the_map)
{
	FOLDS("bpftrace", "@us[\n    f+1\n]: 2\n", "f 2\n");
	cr_expect_str_eq(flame->metrics[1].name, "us");
	cr_expect_str_eq(flame->metrics[1].unit, "us");
	cr_expect_eq(flame->metrics[1].total, 2);
}

Test(bpftrace, cut_anywhere)
{
	cut_file("bpftrace", "bpftrace/maps.txt");
	cut_file("bpftrace", "bpftrace/maps.json");
	spoil_file("bpftrace", "bpftrace/maps.txt");
	spoil_file("bpftrace", "bpftrace/maps.json");
}

/* dtrace -------------------------------------------------------------- */

Test(dtrace, two_stacks_are_one)
{
	FOLDS("dtrace", "\n  zfs`w+0x1\n  unix`sys_syscall+0x2\n\n"
	      "  libc.so`write+0x3\n  app`main+0x4\n   7\n",
	      "main;write;sys_syscall_[k];w_[k] 7\n");
}

Test(dtrace, modules_are_kept_beside_names)
{
	static const char text[] = "\n  libc.so.1`f+0x3\n   7\n";
	struct flame_source *source =
		flame_open_memory(flame, text, strlen(text), "in", "dtrace");
	const struct flame_frame *frame;
	struct flame_sample s;

	cr_assert_eq(flame_next(source, &s), FLAME_OK);
	frame = flame_frame_of(flame, flame_stack_frame(flame, s.stack));
	cr_expect_str_eq(flame_name_text(flame, frame->file, NULL),
			 "libc.so.1");
	cr_expect_str_eq(flame_name_text(flame, frame->name, NULL), "f");
	flame_close(source);
}

Test(dtrace, without_its_count_a_stack_is_left_out)
{
	FOLDS("dtrace", "\n  a`f+0x3\n   7\n\n  a`g+0x1\n", "f 7\n");
	cr_expect(strstr(said.data, "ends within a stack"), "%s", said.data);
	FOLDS("dtrace", "\n  a`f+0x3\n   7", "f 7\n");
	cr_expect(strstr(said.data, "may be cut"), "%s", said.data);
}

Test(dtrace, cut_anywhere)
{
	cut_file("dtrace", "dtrace/stacks.txt");
	cut_file("dtrace", "dtrace/keys.txt");
	spoil_file("dtrace", "dtrace/keys.txt");
}

/* sample -------------------------------------------------------------- */

#define GRAPH "Call graph:\n"

Test(sample, counts_are_less_those_below)
{
	FOLDS("sample", GRAPH "    9 Thread_1\n    + 9 a  (in x) + 1  [0x1]\n"
	      "    +   4 b  (in x)\n    +   ! 4 c  (in x)\n"
	      "    +   3 d  (in x)\n\n",
	      "Thread_1;a 2\nThread_1;a;b;c 4\nThread_1;a;d 3\n");
}

Test(sample, never_more_than_a_caller_has)
{
	FOLDS("sample", GRAPH "    9 Thread_1\n    + 6 a  (in x)\n"
	      "    + 6 b  (in x)\n\n", "Thread_1;a 6\nThread_1;b 3\n");
	cr_expect(strstr(said.data, "more samples than"), "%s", said.data);
}

Test(sample, what_was_open_at_a_cut_is_left_out)
{
	FOLDS("sample", GRAPH "    9 Thread_1\n    + 4 a  (in x)\n"
	      "    + 3 b  (in x)\n", "Thread_1;a 4\n");
	cr_expect(strstr(said.data, "5 samples of frames"), "%s", said.data);
}

Test(sample, peer_takes_the_last_of_equal_leaves)
{
	static const char text[] = GRAPH "    9 Thread_1\n"
		"    + 4 a  (in x.dylib)\n    + 3 a  (in x.dylib)\n"
		"    + 2 kevent  (in y)\n\n";

	cr_expect_str_eq(fold_as("sample", text, strlen(text),
				 "inferno"), "Thread_1;x`a 3\n");
}

Test(sample, cut_anywhere)
{
	cut_file("sample", "sample/threads.txt");
	spoil_file("sample", "sample/threads.txt");
}

/* VTune --------------------------------------------------------------- */

#define TABLE "Function Stack,CPU Time:Self,Module\n"

Test(vtune, rows_weigh_what_they_have_themselves)
{
	FOLDS("vtune", TABLE "a,0.5,x\n b,0.000001,x\n  c,0,x\n"
	      " \"d,e\",1.25,x\r\n\nf,2.,[Unknown]\n",
	      "a 500000000\na;b 1000\na;d,e 1250000000\nf 2000000000\n");
	cr_expect_str_eq(said.data, "");
}

Test(vtune, quotes_may_hold_the_blanks)
{
	FOLDS("vtune", TABLE "a,0,x\n\" f \"\"g\"\", h\",1,\"x,y\"\n",
	      "a;f \"g\", h 1000000000\n");
}

Test(vtune, columns_are_those_of_the_header)
{
	FOLDS("vtune", "Function Stack;Module;Wait;CPU Time: Self\n"
	      "a;x;7;0,5\n", "a 500000000\n");
	FOLDS("vtune", "Function Stack|CPU Time:Self\na|0.5s\n",
	      "a 500000000\n");
	/* Another table after it. */
	FOLDS("vtune", TABLE "a,1,x\n b,1,x\n"
	      "Function Stack\tCPU Time:Self\n c\t1ms\n   d\t1us\n",
	      "a 1000000000\na;b 1000000000\nc 1000000\nc;d 1000\n");
}

Test(vtune, times)
{
	static const struct { const char *time; long long ns; } times[] = {
		{ "0.031s", 31000000 }, { "1 ms", 1000000 },
		{ "3us", 3000 }, { "7ns", 7 }, { ".5", 500000000 },
		{ "0.0000000014", 1 }, { "0.0000000015", 2 },
		{ "0.99999999999999999999999", 1000000000 },
		{ "9223372036.854775807", INT64_MAX },
		{ "0.5us", 500 }, { "0.5ns", 1 },
		/* None: */
		{ "9223372036.854775808", 0 }, { "99999999999999999999", 0 },
		{ "-1", 0 }, { "1e3", 0 }, { ".", 0 }, { "", 0 },
		{ "12.5%", 0 }, { "1h", 0 }, { "1.2.3", 0 },
	};
	char text[200], expected[200];

	for (size_t i = 0; i < FL_COUNT(times); i++) {
		snprintf(text, sizeof(text), TABLE "a,%s,x\n", times[i].time);
		snprintf(expected, sizeof(expected), "a %lld\n",
			 times[i].ns);
		FOLDS("vtune", text, times[i].ns ? expected : "");
		cr_expect_eq(!said.size, times[i].ns != 0, "%s: %s",
			     times[i].time, said.data);
	}
}

Test(vtune, what_a_lost_row_called_is_its_callers)
{
	FOLDS("vtune", TABLE "a,1,x\n lost\n  b,1,x\n  c,1,x\n",
	      "a 1000000000\na;b 1000000000\na;c 1000000000\n");
	cr_expect_str_eq(said.data, "in: 1 lines not understood, the first is "
				    "line 3: lost\n");
}

Test(vtune, rows_may_skip_levels)
{
	FOLDS("vtune", TABLE "a,1,x\n b,1,x\n   c,1,x\n  d,1,x\n",
	      "a 1000000000\na;b 1000000000\na;b;c 1000000000\n"
	      "a;b;d 1000000000\n");
	cr_expect_str_eq(said.data, "in: line 4: 1 rows skip a level: what "
				    "called them is not there\n");
}

Test(vtune, table_without_times)
{
	FOLDS("vtune", "Function Stack,CPU Time:Total,Module\na,1,x\n", "");
	cr_expect(strstr(said.data, "in: line 1: the table has no column CPU "
				    "Time:Self"),
		  "%s", said.data);
	FOLDS("vtune", "war:Column filter is ON.\n", "");
	cr_expect(strstr(said.data, "ends before a header"), "%s", said.data);
}

Test(vtune, peer_rounds_and_takes_the_last)
{
	static const char text[] = TABLE "a,0.0005,x\n b,0.0014,[y]\n"
		" b,0.0026,[y]\n c,0.0004,x\n";

	cr_expect_str_eq(fold_as("vtune", text, strlen(text),
				 "inferno"), "x`a 1\nx`a;[y]`b 3\n");
}

Test(vtune, cut_anywhere)
{
	cut_file("vtune", "vtune/report.csv");
	spoil_file("vtune", "vtune/report.csv");
	cut_file("vtune", "vtune/window.txt");
	spoil_file("vtune", "vtune/window.txt");
	cut_file("vtune", "vtune/broken.csv");
}

/* Detection ----------------------------------------------------------- */

static void is_found(const char *name, const char *format)
{
	char *text = read_file(name);
	struct flame_source *source =
		flame_open_memory(flame, text, strlen(text), name, NULL);

	cr_assert(source, "%s: %s", name, flame_error(flame));
	cr_expect_str_eq(flame_source_format(source), format, "%s: %s", name,
			 flame_source_format(source));
	flame_close(source);
	free(text);
}

Test(detect, each_is_found)
{
	is_found("gdb/apply.txt", "gdb");
	is_found("gdb/full.txt", "gdb");
	is_found("gdb/pstack.txt", "gdb");
	is_found("gdb/talk.txt", "gdb");
	is_found("bpftrace/maps.txt", "bpftrace");
	is_found("bpftrace/maps.json", "bpftrace");
	is_found("bpftrace/perf_mode.txt", "bpftrace");
	is_found("dtrace/stacks.txt", "dtrace");
	is_found("dtrace/keys.txt", "dtrace");
	is_found("sample/threads.txt", "sample");
	is_found("vtune/report.csv", "vtune");
	is_found("vtune/window.txt", "vtune");
	is_found("vtune/broken.csv", "vtune");
}

Test(detect, others_keep_theirs)
{
	static const char *const perf[] = {
		"perf/comms.txt", "perf/events.txt", "perf/frames.txt",
		"perf/few_columns.txt", "perf/layouts.txt",
		"perf/srcline.txt",
	};

	for (size_t i = 0; i < FL_COUNT(perf); i++)
		is_found(perf[i], "perf");
}
