/* SPDX-License-Identifier: Apache-2.0 */
/* Stacks of Python: faulthandler's and py-spy dump's. */
#include "fl.h"

#include "format/formats.h"
#include "said.h"

#include <stdio.h>
#include <stdlib.h>

TestSuite(faulthandler, .init = start, .fini = stop);
TestSuite(pyspy, .init = start, .fini = stop);

static const char *fold_of(struct flame_source *source, const char *format,
			   const char *key)
{
	struct flame_sink *sink;

	cr_assert(source, "%s", flame_error(flame));
	cr_assert_str_eq(flame_source_format(source), format);
	source->select.needs = FL_NEED_THREAD;
	sink = fl_format_folded.create(flame, fl_out_memory(flame, &out));
	if (key)
		sink = flame_filter(sink, "by", key);
	cr_assert_eq(flame_pump(source, sink), FLAME_OK, "%s",
		     flame_error(flame));
	flame_close(source);
	cr_assert_eq(flame_finish(sink), FLAME_OK, "%s", flame_error(flame));
	return out.data;
}

static const char *fold(const char *text, const char *format, const char *key)
{
	out.size = 0;
	return fold_of(flame_open_memory(flame, text, strlen(text), "in",
					 NULL), format, key);
}

static const char *path_of(const char *name)
{
	static char path[1000];
	const char *top = getenv("TOP");

	snprintf(path, sizeof(path), "%s/tests/data/%s", top ? top : ".",
		 name);
	return path;
}

static const char *fold_file(const char *name, const char *format,
			     const char *key)
{
	out.size = 0;
	return fold_of(flame_open(flame, path_of(name), NULL), format, key);
}

#define THREAD(n) "Thread 0x" n " (most recent call first):\n"

Test(faulthandler, has_threads_of_many_dumps)
{
	cr_assert_str_eq(fold("Timeout (0:00:01)!\n" THREAD("1f")
		"  File \"x.py\", line 2 in f\n  File \"x.py\", line 7 in "
		"<module>\nTimeout (0:00:01)!\n" THREAD("1f")
		"  File \"x.py\", line 2 in f\n  File \"x.py\", line 7 in "
		"<module>\n", "faulthandler", "tid"),
		"31;<module> (x.py:7);f (x.py:2) 2\n");
	cr_assert_str_eq(said.data, "");
}

Test(faulthandler, says_where_stacks_are_cut)
{
	static const char *const files[] = {
		"faulthandler/python-3.8.txt", "faulthandler/python-3.13.txt",
	};

	for (size_t i = 0; i < FL_COUNT(files); i++) {
		const char *text = fold_file(files[i], "faulthandler", NULL);

		cr_assert(strncmp(text, "<module> (", 10) == 0, "%s", text);
		cr_assert(strstr(text, "\n[truncated];deep ("), "%s", text);
		cr_assert(strstr(text, ";work ("));
	}
	cr_assert_str_eq(said.data, "");
	cr_assert_str_eq(fold(THREAD("1") "  File \"x\", line 1 in f\n"
			      "plus 3 frames\n", "faulthandler", NULL),
			 "[truncated];f (x:1) 1\n");
}

Test(faulthandler, has_names_and_a_current_thread)
{
	cr_assert_str_eq(fold("Fatal Python error: Aborted\n\n"
		"Current thread 0x00007f8877fff6c0 [a [b]] (most recent call "
		"first):\n  Garbage-collecting\n"
		"  File \"a, line 3 in b.py\", line ??? in c d\n"
		"  File ???, line 1 in ???\n\n"
		"Current thread's C stack trace (most recent call first):\n"
		"  Binary file \"/usr/bin/python\", at f+0x1 [0x7f]\n"
		"  <truncated rest of calls>\n\n"
		"Extension modules: a.b, c (total: 2)\n", "faulthandler",
		"thread"),
		"a [b];??? (???:1);c d (a, line 3 in b.py);"
		"[garbage collection] 1\n");
	cr_assert_str_eq(said.data, "");
}

Test(faulthandler, counts_threads_without_frames)
{
	cr_assert_str_eq(fold(THREAD("1") "  <no Python frame>\n\n"
			      THREAD("2") "  File \"x\", line 1 in f\n",
			      "faulthandler", NULL), "f (x:1) 1\n");
	cr_assert_str_eq(said.data, "in: 1 threads without a stack left out\n");
}

Test(faulthandler, may_be_torn_by_a_log)
{
	cr_assert_str_eq(fold("log\n" THREAD("1")
		"  File \"x\", line 1 in f\na line of the log\n"
		"  File \"x\", line 2 in g\nthe log goes on",
		"faulthandler", NULL), "g (x:2);f (x:1) 1\n");
	cr_assert_str_eq(said.data, "in: the last line, 6, has no newline: if "
			 "the text was cut there, what followed is missing\n");
}

Test(faulthandler, keeps_no_thread_that_is_cut)
{
	cr_assert_str_eq(fold(THREAD("1") "  File \"x\", line 1 in f\n\n"
			      THREAD("2") "  File \"x\", line 2 in g",
			      "faulthandler", NULL), "f (x:1) 1\n");
	cr_assert_str_eq(said.data, "in: 1 threads left out, as their stacks "
				    "are cut; the first is at line 4\n");
	cr_assert_str_eq(fold(THREAD("1") "  File \"x\", line 1 in f\n ",
			      "faulthandler", NULL), "");
}

Test(faulthandler, tells_of_lines_it_does_not_know)
{
	fold(THREAD("1") "  File \"x\", line 1 in f\n  what is this\n\n",
	     "faulthandler", NULL);
	cr_assert(strstr(said.data, "1 lines not understood, the first is line "
				    "3: what is this"),
		  "%s", said.data);
}

Test(faulthandler, is_no_traceback)
{
	static const char text[] = "Traceback (most recent call last):\n"
		"  File \"x.py\", line 1, in f\n";

	cr_assert_eq(fl_format_faulthandler.probe((const uint8_t *)text,
						  sizeof(text) - 1, true), 0);
}

Test(pyspy, has_states_names_and_frames_as_printed)
{
	const char *text = fold_file("py-spy/dump.txt", "pyspy-dump",
				     "state,thread");

	cr_assert(strstr(text, "STATE_RUNNABLE;MainThread;<module> "
			 "(ps.py:12);spin (ps.py:6);fib (ps.py:3)"), "%s",
		  text);
	cr_assert(strstr(text, "STATE_SLEEPING;waits \"q\" (1);Thread."
			 "_bootstrap (threading.py:1002);"), "%s", text);
	cr_assert_str_eq(said.data, "");
}

Test(pyspy, passes_over_locals)
{
	const char *text = fold_file("py-spy/dump-locals.txt", "pyspy-dump",
				     NULL);

	cr_assert_null(strstr(text, "Argum"));
	cr_assert(strstr(text, "<module> (ps.py:12);spin (ps.py:6);fib "));
	cr_assert_str_eq(said.data, "");
}

Test(pyspy, has_frames_of_c)
{
	cr_assert(strstr(fold_file("py-spy/dump-native.txt", "pyspy-dump",
				   NULL), ";time_sleep ("), "%s", out.data);
	cr_assert_str_eq(said.data, "");
}

#define PYSPY "Process 41: python -c import x\n    f (x.py:3)\n" \
	"Python v3.11.2 (/usr/bin/python3.11)\n\n"

Test(pyspy, has_many_processes_and_dumps)
{
	cr_assert_str_eq(fold(PYSPY "Thread 41 (active): \"MainThread\"\n"
		"    f (x.py:3)\n    <module> (x.py:9)\n"
		"Sat Nov 21 10:00:00 UTC 2026\n"
		"Process 42: python y.py\nPython v3.11.2 (/p)\n\n"
		"Thread 0x7F12 (idle)\n    g (y.py)", "pyspy-dump", "pid"),
		"41;<module> (x.py:9);f (x.py:3) 1\n");
	cr_assert_str_eq(said.data, "in: 1 threads left out, as their stacks "
				    "are cut; the first is at line 12\n");
	cr_assert_str_eq(fold(PYSPY "Thread 41 (idle)\n    g (y.py:1)",
			      "pyspy-dump", "tid"), "41;g (y.py:1) 1\n");
	cr_assert_str_eq(fold(PYSPY "Thread 41 (idle)\n    g (y.py:1)\n  ",
			      "pyspy-dump", "tid"), "");
}

Test(pyspy, is_not_gdb)
{
	static const char text[] =
		"Thread 1 (Thread 0x7fb01d320740 (LWP 29011) \"burn\"):\n";

	cr_assert_eq(fl_format_pyspy_dump.probe((const uint8_t *)text,
						sizeof(text) - 1, true), 0);
	cr_assert_eq(fl_format_faulthandler.probe((const uint8_t *)text,
						  sizeof(text) - 1, true), 0);
}

static void cut_anywhere(const char *name, const char *format)
{
	static char text[64 << 10];
	FILE *file = fopen(path_of(name), "r");
	uint64_t whole = 0;
	size_t size;

	cr_assert(file);
	size = fread(text, 1, sizeof(text), file);
	fclose(file);
	for (size_t n = size + 1; n--;) {
		struct flame_source *source =
			flame_open_memory(flame, text, n, "in", format);
		struct flame_sample s;
		uint64_t part = 0;

		while (flame_next(source, &s) == FLAME_OK)
			part += s.weight;
		flame_close(source);
		whole = n == size ? part : whole;
		cr_assert_leq(part, whole, "%s cut at %zu", name, n);
	}
}

Test(faulthandler, cut_anywhere_is_never_more)
{
	cut_anywhere("faulthandler/python-3.8.txt", "faulthandler");
}

Test(pyspy, cut_anywhere_is_never_more)
{
	cut_anywhere("py-spy/dump-locals.txt", "pyspy-dump");
}
