/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Readers of profilers' texts: what comes out of small ones, what is told of
 * odd ones.
 */
#include "fl.h"

#include "folds.h"

TestSuite(statsd, .init = start, .fini = stop);
TestSuite(go, .init = start, .fini = stop);
TestSuite(asprof_text, .init = start, .fini = stop);

/* statsd-jvm-profiler -------------------------------------------------- */

Test(statsd, points_of_influxdb_are_stacks)
{
	static const char text[] =
		"cpu.trace.a-B-m-3.a-C-n--2,h=x value=2 1700000000000000000\n"
		"cpu.trace.a-C-n--2 other=\"b=1, c\",value=3i\n";

	FOLDS("statsd", text, NULL, "a/C.n 3\na/C.n;a/B.m 2\n");
	TELLS("");
	FOLDS("statsd", text, "lines", "a/C.n 3\na/C.n;a/B.m:3 2\n");
	cut_everywhere("statsd", text);
}

Test(statsd, a_time_is_no_weight)
{
	FOLDS("statsd", "x.cpu.trace.a-B-m-3 2 1700000000\n"
			"x.cpu.trace.a-B-m-3;h=1 1.0 1700000001\n",
	      NULL, "a/B.m 3\n");
	TELLS("");
	FOLDS("statsd", "a.b 5 1700000000\n", NULL, "");
	TELLS("in: metrics without stacks: none of 1 points is of "
	      "statsd-jvm-profiler's cpu.trace.*\n"
	      "the result is empty: no sample was selected\n");
}

Test(statsd, folded_stacks_stay_folded)
{
	FOLDS("folded", "a.b;c 5 7\nd.e;f 1 2\n", NULL,
	      "a.b;c 7\nd.e;f 2\n");
	FOLDS("folded", "process x=3 7\n", NULL, "process x=3 7\n");
}

Test(statsd, rows_of_csv_are_stacks)
{
	static const char text[] =
		"name,tags,time,value\n"
		"\"cpu.trace.a-B-m-3\",\"h=x,i=y\",1,2\n"
		"\"cpu.trace.a-B-m-3\n"
		"name,time,sum\ncpu.trace.a-C-n-1,0,4\n";

	FOLDS("statsd", text, NULL, "a/B.m 2\na/C.n 4\n");
	TELLS("in: 1 lines not understood, the first is line 3: "
	      "\"cpu.trace.a-B-m-3\n");
}

/* async-profiler ------------------------------------------------------- */

#define HEADING "--- Execution profile ---\nTotal samples : 3\n\n"
#define TRACES "--- 9 ns (50.00%), 2 samples\n  [ 0] b_[k]\n  [ 1] a.A.b\n\n"
#define TABLE "  ns  percent  samples  top\n  ----  -------  -------  ---\n" \
	"   9  50.00%        2  b_[k]\n   4  25.00%        1  c\n"

Test(asprof_text, traces_are_not_told_twice)
{
	FOLDS("asprof", HEADING TRACES TABLE, NULL, "a.A.b;b_[k] 2\n");
	TELLS("in: 1 samples are in its total only: the text has not all "
	      "traces; asprof -o collapsed prints all\n");
	FOLDS("asprof", HEADING TRACES, "total", "a.A.b;b_[k] 9\n");
	cut_everywhere("asprof", HEADING TRACES TABLE);
}

Test(asprof_text, a_table_alone_is_methods)
{
	FOLDS("asprof", HEADING TABLE, NULL, "b_[k] 2\nc 1\n");
	TELLS("");
}

Test(asprof_text, odd_lines_are_told)
{
	FOLDS("asprof", HEADING "--- 9 ns\n" TRACES "  [ 7] x\nwhat\n",
	      NULL, "a.A.b;b_[k] 2\n");
	cr_expect(strstr(said.data, "3 lines not understood, the first is "
				    "line 4: --- 9 ns"), "%s", said.data);
}

/* Go ------------------------------------------------------------------- */

Test(go, goroutines_are_threads)
{
	static const char text[] =
		"goroutine 7 [select]:\nmain.(*T).f({0x1, 0x2})\n"
		"\t/a/b.go:3 +0x1\nmain.main()\n\t/a/b.go:9\n\n";

	FOLDS("goroutine", text, NULL, "main.main;main.(*T).f 1\n");
	FOLDS("goroutine", text, "lines", "main.main:9;main.(*T).f:3 1\n");
	TELLS("");
	cut_everywhere("goroutine", text);
}

Test(go, counts_of_samples_are_scaled)
{
	static const char text[] =
		"heap profile: 1: 512 [1: 512] @ heap/1024\n"
		"1: 512 [1: 512] @ 0x2\n#\t0x1\tmain.f+0x1\t/a.go:3\n";

	/* 1 / (1 - 1/e) of 1 and of 512, rounded down, added up. */
	FOLDS("pprof-text", text, NULL, "main.f 810\n");
	cut_everywhere("pprof-text", text);
	FOLDS("pprof-text", "heap profile: 1: 512 [1: 512] @ heapprofile\n"
			    "1: 512 [1: 512] @ 0x2\n", NULL, "0x1 513\n");
}

Test(go, odd_lines_are_told)
{
	FOLDS("pprof-text", "threadcreate profile: total 3\n1 @ 0x2 zz\n"
			    "x @ 0x1\n99999999999999999999 @ 0x1\n#\t1\n",
	      NULL, "0x1 1\n");
	cr_expect(strstr(said.data, "3 lines not understood, the first is "
				    "line 3: x @ 0x1"), "%s", said.data);
}
