/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Inputs that no format reads: each kind that is known is named, with what
 * to do instead; of the rest the beginning is shown.
 */
#include "fl.h"

#include "format/formats.h"
#include "said.h"

TestSuite(unreadable, .init = start, .fini = stop);
TestSuite(nul, .init = start, .fini = stop);

static const char *refused(const char *name, const void *text, size_t size)
{
	struct flame_source *source;

	flame_clear(flame);
	source = flame_open_memory(flame, text, size, name, NULL);
	cr_expect(!source, "%s was read", name);
	flame_close(source);
	return flame_error(flame);
}

/* Bytes, and what the message must have in it, in this order. */
#define NAMED(text, first, second)					\
	do {								\
		const char *is = refused("in", text, sizeof(text) - 1);	\
		const char *at = strstr(is, first);			\
									\
		cr_expect(at && strstr(at, second), "%s", is);		\
		cr_expect(!strchr(is, '\n'));				\
	} while (0)

Test(unreadable, a_report_of_perf_is_no_profile)
{
	NAMED("# To display the perf.data header info, please use ...\n#\n"
	      "# Overhead  Command\n# ....\n#\n    99.00%  a\n", "perf report",
	      "perf script");
	NAMED("\n# Children      Self  Command\n#\n   9.0%  1.0%  app\n"
	      "            |\n            ---main\n", "perf report",
	      "-g folded,0,caller,count --no-children");
}

Test(unreadable, other_tools_files_are_named)
{
	NAMED("{\"RemoteException\":{\"exception\":\"StandbyException\"}}\n",
	      "an error of WebHDFS", "webhdfs://");
	NAMED("Nettrace\x14\0\0\0!FastSerialization.1", "nettrace", "perf");
	NAMED("TRACE START [2026-11-26 07:28:08]\n    0.0002     394848   -> "
	      "{main}() /srv/x.php:0\n", "Xdebug", "xdebug.trace_format=1");
	NAMED("<table class='xdebug-trace' dir='ltr'>\n<tr><td>0</td></tr>\n"
	      "<tr><td>1; 2</td></tr> 3\n", "Xdebug", "xdebug.trace_format=1");
	NAMED("{\"start_time\": 1.5, \"start_call_stack\": [\"MainThread\"]}",
	      "pyinstrument", "pyinstrument --load in");
	NAMED("{\n  \"code\": [{\n \"name\": \"/usr/bin/node\",\n"
	      "\"type\": \"SHARED_LIB\"}]}", "V8", "isolate");
	NAMED("{\n\"program\": \"H\",\n\"cost_centres\": []}", "GHC",
	      "+RTS -p");
	NAMED("JOB \"H +RTS -hc\"\nDATE \"Thu Nov 26\"\n", "GHC", "+RTS -p");
	NAMED("Measure Mode: wall_time\nThread ID: 80\n", "ruby-prof",
	      "CallTreePrinter");
	NAMED("File: app\nType: cpu\nShowing nodes accounting for 200ms\n",
	      "go tool pprof", "the profile itself");
	NAMED("-----\nCommand: ./m 2\nMassif arguments:   -q\n", "ms_print",
	      "massif itself");
	NAMED("-----\nProfile data file 'a' (creator: callgrind-3.19.0)\n",
	      "callgrind_annotate", "callgrind itself");
	NAMED("reading file \"a.zst\" - please wait\n", "heaptrack_print",
	      "heaptrack itself");
	NAMED("Thu Nov 26 07:01:39 2026    a.pstats\n\n   Ordered by: x\n\n"
	      "   ncalls  tottime  percall  cumtime\n", "cProfile", "py-spy");
	NAMED("\n  _     ._   __/__   _ _  _  _ _/_\n", "pyinstrument",
	      "-r speedscope");
	NAMED("memray\0\x0b\0\0\0", "memray", "memray transform csv in");
	NAMED("{\xa9\x03\xda\x07" "job.py\xe9\x0a", "cProfile", "py-spy");
	NAMED("\xfb)\x03\xda\x07" "job.py\xe9\x0a", "cProfile", "py-spy");
	NAMED("\x04\x08{\x0d:\x0cversion", "stackprof", "--stackcollapse in");
	NAMED("{\n  \"code\": [{\"name\":\"node\",\"type\":\"SHARED_LIB\"}",
	      "V8, preprocessed", "isolate-");
	NAMED("\x17\x08\x44tracing6\0", "trace-cmd", "perf record -g");
}

Test(unreadable, jvm_files_are_named)
{
	NAMED("JAVA PROFILE 1.0.2\0\0\0\0\x08", "heap dump", "JFR.start");
	NAMED("\xca\xfe\xba\xbe\0\0\0\x41", "class file", "jcmd");
	NAMED("::1 - - [10/Oct/2026:13:55:36 +0000] \"GET / HTTP/1.0\" 200 2\n",
	      "access log", "perf record");
	NAMED("{\"Event\":\"SparkListenerLogStart\",\"Spark Version\":\"4\"}\n",
	      "Spark", "recordings");
}

Test(unreadable, profiles_of_other_formats_are_named)
{
	NAMED("[{\"nom\":\"a\",\"worth\":5}]", "JSON", "collapsed");
}

Test(unreadable, programs_and_archives_are_named)
{
	NAMED("\x7f" "ELF\x02\x01\x01\0\0\0\0\0\0\0\0\0\x04\0\x3e\0",
	      "a core file", "gdb -batch");
	NAMED("\x7f" "ELF\x02\x01\x01\0\0\0\0\0\0\0\0\0\x03\0\x3e\0",
	      "a program", "perf record -g in");
	NAMED("SEQ\x06\x19org.apache.hadoop.io.Text", "SequenceFile",
	      "hadoop fs -text in");
	NAMED("LPKSHHRH\0\0\0\0", "journal", "journalctl --file in");
}

Test(unreadable, a_name_that_the_shell_would_take_apart_is_not_pasted)
{
	static const char data[] = "LPKSHHRH\0\0\0\0";
	const char *is = refused("my file", data, sizeof(data) - 1);

	cr_expect(strstr(is, "my file: "), "%s", is);
	cr_expect(strstr(is, "journalctl --file FILE"), "%s", is);
}

Test(unreadable, what_is_not_known_is_shown_and_where_the_formats_are)
{
	NAMED("dear diary\n", "begins with \"dear diary\\x0a\"",
	      "libflame-formats(5)");
	NAMED("a\0b\x1b[31mc", "begins with \"a\\x00b\\x1b[31mc\"",
	      "libflame-formats(5)");
}

/* Frames and counts that begin as something else does. */
Test(unreadable, folded_stacks_stay_what_they_are)
{
	static const char *const texts[] = {
		"gmon_start;main 5\n", "ORC;read 7\n", "v 10\n",
		"PAR1;a 1\n", "[\"a\";b 3\n", "rbspy;main 2\n",
		"go 1.22;main 4\n", "memray;run 1\n",
	};

	for (size_t i = 0; i < FL_COUNT(texts); i++) {
		struct flame_source *source =
			flame_open_memory(flame, texts[i], strlen(texts[i]),
					  "in", NULL);

		cr_expect(source, "%s", flame_error(flame));
		if (source)
			cr_expect_str_eq(flame_source_format(source),
					 "folded");
		flame_close(source);
	}
}

static const char *fold(const char *text, size_t size)
{
	struct flame_source *source =
		flame_open_memory(flame, text, size, "in", NULL);
	struct flame_sink *sink;

	cr_assert(source, "%s", flame_error(flame));
	out.size = 0;
	sink = fl_format_folded.create(flame, fl_out_memory(flame, &out));
	cr_assert_eq(flame_pump(source, sink), FLAME_OK);
	flame_close(source);
	cr_assert_eq(flame_finish(sink), FLAME_OK);
	return out.data;
}

#define FOLDS(text, expected)						\
	cr_expect_str_eq(fold(text, sizeof(text) - 1), expected, "%s", out.data)

Test(nul, is_a_blank_in_a_name)
{
	FOLDS("a;class@anonymous\0/srv/b.php;run 2\n",
	      "a;class@anonymous /srv/b.php;run 2\n");
	FOLDS("main;f 1\nmain;x\0y;f 3\n", "main;f 1\nmain;x y;f 3\n");
}

Test(nul, other_controls_and_del_are_blanks)
{
	FOLDS("a\x7f" "b;c 1\n", "a b;c 1\n");
	FOLDS("frame_of_more_than_sixteen_bytes\x7f;c\x01" "d 1\n",
	      "frame_of_more_than_sixteen_bytes ;c d 1\n");
}

Test(nul, binary_data_are_no_stacks)
{
	NAMED("a\0\0b;c 1\n", "not a profile", "begins with");
	NAMED("\x01\0\x02;c 1\n", "not a profile", "begins with");
}
