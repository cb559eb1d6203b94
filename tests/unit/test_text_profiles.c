/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Readers of profilers' texts: what comes out of small ones, what is said of
 * odd ones.
 */
#include "fl.h"

#include "folds.h"

TestSuite(statsd, .init = start, .fini = stop);
TestSuite(go, .init = start, .fini = stop);
TestSuite(asprof_text, .init = start, .fini = stop);
TestSuite(text_trees, .init = start, .fini = stop);
TestSuite(pprof_legacy, .init = start, .fini = stop);
TestSuite(trees, .init = start, .fini = stop);
TestSuite(callgrind, .init = start, .fini = stop);
TestSuite(heaptrack, .init = start, .fini = stop);
TestSuite(mojo, .init = start, .fini = stop);
TestSuite(hpl, .init = start, .fini = stop);
TestSuite(xctrace, .init = start, .fini = stop);

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

/* Trees, a line a node --------------------------------------------------- */

#define GHC "\tNov Time and Allocation Profiling Report  (Final)\n\n" \
	"\ttotal time  = 0.02 secs   (20 ticks @ 1000 us, 1 processor)\n" \
	"\ttotal alloc =   1,000 bytes  (excludes profiling overheads)\n\n" \
	"COST CENTRE MODULE SRC no. entries  %time %alloc   %time %alloc\n\n"

Test(text_trees, shares_of_ghc_are_ticks)
{
	static const char text[] = GHC
		"MAIN MAIN <built-in> 100 0 0.0 0.1 100.0 100.0\n"
		" main Main a.hs:1:1-9 201 1 95.0 99.9 95.0 99.9\n"
		"  x Main 202 1 5.0 0.0 5.0 0.0\n\n";

	FOLDS("ghc", text, NULL, "MAIN.MAIN 1\nMAIN.MAIN;Main.main 1018\n"
				 "MAIN.MAIN;Main.main;Main.x 1\n");
	FOLDS("ghc", GHC "MAIN MAIN x 1 0 1e400 0.0 0 0\n\xff\n", NULL, "");
	cut_everywhere("ghc", text);
}

Test(text_trees, callers_of_pmcstat_are_roots)
{
	static const char text[] =
		"@ cycles [9 samples]\n\n70% [7] f @ /boot/kernel/k.ko\n"
		" 57% [4] g\n  100.0% [4] main @ /srv/run\n";

	FOLDS("pmcstat", text, NULL, "f_[k] 3\nmain;g_[k];f_[k] 4\n");
	TELLS("");
	FOLDS("pmcstat", "@ a [1 samples]\n1% [1] f\n 9% [5] g\nx\n", NULL,
	      "g;f 5\n");
	TELLS("in: line 4: 1 nodes weigh less than those below them: counted "
	      "as the sum of these\n"
	      "in: 1 lines not understood, the first is line 4: x\n");
	cut_everywhere("pmcstat", text);
}

Test(text_trees, instruments_tell_units)
{
	FOLDS("instruments", "Running Time\tSelf (ms)\t\tSymbol Name\n"
	      "2.0ms 100%\t0.5\t \tmain\n1.5ms 75%\t1.5\t \t f\n", NULL,
	      "main 1\nmain;f 2\n");
	FOLDS("instruments", "Weight\t\tSymbol Name\n"
	      "3 100%\t \tmain\n1 33%\t \t f\n9 9%\t \tg\n", NULL,
	      "g 9\nmain 2\nmain;f 1\n");
	FOLDS("instruments", "Weight\t\tSymbol Name\n"
	      "9999999999999 TB\t \tmain\n1e400 GB\t \tf\n", NULL, "");
}

Test(text_trees, calls_of_visual_studio_weigh_their_average)
{
	static const char text[] =
		"Level,Function Name,Number of Calls,"
		"Avg Elapsed Exclusive Time\n"
		"0,a,1,0.001\n9999999999,\"b;c\",2,0.5\n"
		"1,c,1,0\n1,\"d,1,1\n";

	FOLDS("vsprof", text, NULL, "a 1000\na;b:c 1000000\n");
	FOLDS("vsprof", "Level,Function Name,Number of Calls,"
			"Avg Elapsed Exclusive Time\n"
			"0,c,9223372036854775807,9e9\n", NULL,
	      "c 9223372036854775807\n");
	cut_everywhere("vsprof", text);
}

Test(text_trees, stap_and_xdebug_cut_anywhere)
{
	static const char stap[] =
		" 0x1 : f+0x1/0x2 [a.ko]\n 0x2 : [/b]\n 3\n"
		" 0x3 : g+0x1/0x2 [a.ko]\n";
	static const char xdebug[] =
		"Version: 3.2.0\nFile format: 4\nTRACE START [x]\n"
		"1\t0\t0\t0.1\t1\tmain\t1\n2\t1\t0\t0.3\t1\tf\t0\n"
		"2\t1\t1\t0.4\t1\n\t\t\t0.45\t1\nTRACE END\n";

	FOLDS("stap", stap, NULL, "[b];f 3\n");
	TELLS("in: line 4: the input ends within a backtrace of 1 frames, "
	      "left out\n");
	FOLDS("xdebug", xdebug, NULL,
	      "main_[0] 250000000\nmain_[0];f 100000000\n");
	TELLS("");
	cut_everywhere("stap", stap);
	cut_everywhere("xdebug", xdebug);
}

/* gperftools ------------------------------------------------------------- */

Test(pprof_legacy, a_cut_leaves_whole_records)
{
	static const uint32_t words[] = {
		0, 3, 0, 10000, 0, 2, 1, 16, 1, 2, 16, 33, 0, 1, 0
	};
	char text[sizeof(words)];

	memcpy(text, words, sizeof(words));
	for (size_t n = 20; n <= sizeof(words); n++) {
		fold("pprof-legacy", text, n, NULL);
		cr_expect_str_eq(out.data, n < 32 ? "" : n < 48 ?
				 "0x10 20000002\n" :
				 "0x10 20000002\n0x20;0x10 10000001\n",
				 "%zu: %s", n, out.data);
		cr_expect_eq(said.size == 0 || !strstr(said.data, "end mark"),
			     n == sizeof(words), "%s", said.data);
	}
}

Test(pprof_legacy, more_frames_than_bytes_are_a_cut)
{
	static const uint32_t words[] = {
		0, 3, 0, 10000, 0, 2, 0xffffffff, 16, 1, 2, 16, 33, 0, 1, 0
	};
	char text[sizeof(words)];

	memcpy(text, words, sizeof(words));
	cr_expect_str_eq(fold("pprof-legacy", text, sizeof(text), NULL), "");
	cr_expect(strstr(said.data, "0 records were whole"), "%s", said.data);
}

/* Call graphs ------------------------------------------------------------ */

Test(callgrind, a_callee_is_divided_among_its_callers)
{
	static const char text[] =
		"# callgrind format\nevents: X\n\nfn=a\n1 10\ncfn=c\n"
		"calls=1 0\n1 30\n\nfn=b\n1 5\ncfn=c\ncalls=1 0\n1 90\n\n"
		"fn=c\n1 80\ncfn=d\ncalls=9 0\n1 40\n\nfn=d\n1 40\n";

	FOLDS("callgrind", text, NULL,
	      "a 10\na;c 20\na;c;d 10\nb 5\nb;c 60\nb;c;d 30\n");
	cut_everywhere("callgrind", text);
}

Test(callgrind, cycles_end)
{
	FOLDS("callgrind",
	      "# callgrind format\nevents: X\nfn=a\n1 10\ncfn=b\n"
	      "calls=1 0\n1 20\nfn=b\n1 10\ncfn=a\ncalls=1 0\n1 10\n"
	      "cfn=b\ncalls=1 0\n1 5\nfn=(99999999999999999999)\n1\n"
	      "99999999999999999999 1\n", NULL, "a 7\na;b 13\n");
}

/* heaptrack -------------------------------------------------------------- */

Test(heaptrack, numbers_out_of_range_are_told)
{
	static const char text[] =
		"v 10400 3\nX x\ns 4 main\ns 9 short\ns 1 f\n"
		"i 10 0 1 0 0\ni 20 0 3 ffff ffffffff\nt 1 0\nt 9 1\nt 2 1\n"
		"a 3ffffffffffffff0 3\na 8 1\na 8 7\n+ 0\n+ 1\n+ 9\n- 1\n";

	fold("heaptrack", text, strlen(text), NULL);
	cr_expect(strstr(out.data, "main;f 92233720368547757"), "%s",
		  out.data);
	cut_everywhere("heaptrack", text);
}

/* Austin ----------------------------------------------------------------- */

Test(mojo, a_cut_leaves_whole_stacks)
{
	static const char text[] =
		"MOJ\3\1mode\0wall\0\2\1\0" "2b\0\13\2f\0\13\3g\0"
		"\3\4\2\3\5\5\0\0\5\4\11\7\2\1\0" "2b\0\5\4\11\11";
	const size_t size = sizeof(text) - 1;

	cr_expect_str_eq(fold("mojo", text, size, NULL),
			 "P1;T0:43;f:g:5 16\n", "%s", out.data);
	for (size_t n = 4; n < size; n++) {
		fold("mojo", text, n, NULL);
		cr_expect(!out.size || strstr(out.data, "P1;T0:43"), "%zu: %s",
			  n, out.data);
	}
	cr_expect_str_eq(fold("mojo", "MOJ\3\2\1\0" "2b\0\21", 11, NULL),
			 "");
	cr_expect(strstr(said.data, "no event is of such a kind"), "%s",
		  said.data);
}

/* xctrace ---------------------------------------------------------------- */

#define XCTRACE "<?xml version=\"1.0\"?><trace-query-result><node>"

Test(xctrace, entities_and_references)
{
	static const char text[] = XCTRACE
		"<row><weight id='1'>5</weight><backtrace id='2'>"
		"<frame id='3' name='a&#x3c;&bad;&#99999999;&gt;'/>"
		"<frame id='4' name=\"m&amp;'\"/></backtrace></row>"
		"<row><weight ref='1'/><backtrace ref='2'/></row>"
		"<row><weight ref='8'/><backtrace><frame ref='4'/>"
		"</backtrace></row></node></trace-query-result>";

	FOLDS("xctrace", text, NULL, "m&' 1\nm&';a<&bad:&#99999999:> 2\n");
	FOLDS("xctrace", text, "total", "m&' 1\nm&';a<&bad:&#99999999:> 10\n");
	cut_everywhere("xctrace", text);
}

Test(xctrace, tagged_backtraces_and_cycles)
{
	static const char text[] = XCTRACE
		"<row><cycle-weight id='1'>70</cycle-weight>"
		"<tagged-backtrace id='2'><backtrace id='3'>"
		"<frame id='4' name='leaf'/><frame id='5' name='main'/>"
		"</backtrace></tagged-backtrace></row>"
		"<row><cycle-weight ref='1'/><tagged-backtrace ref='2'/></row>"
		"<row><cycle-weight id='6'>5</cycle-weight>"
		"<tagged-backtrace id='7'><backtrace ref='3'/>"
		"</tagged-backtrace></row>"
		"<row><cycle-weight ref='6'/><tagged-backtrace id='8'>"
		"<frame ref='5'/></tagged-backtrace></row>"
		"<row><cycle-weight ref='6'/><tagged-backtrace id='9'/></row>"
		"</node></trace-query-result>";

	FOLDS("xctrace", text, NULL, "main 1\nmain;leaf 3\n");
	TELLS("");
	FOLDS("xctrace", text, "total", "main 5\nmain;leaf 145\n");
	cut_everywhere("xctrace", text);
}

Test(xctrace, depth_needs_no_memory)
{
	struct fl_buf text = { 0 };

	fl_buf_text(&text, XCTRACE "<row>");
	for (int i = 0; i < 1000000; i++)
		fl_buf_text(&text, "<frame>");
	fold("xctrace", text.data, text.size, NULL);
	cr_expect_str_eq(out.data, "");
	cr_expect(strstr(said.data, "it is cut"), "%s", said.data);
	fold("xctrace", XCTRACE "</a></b></c></d>", 58, NULL);
	fl_buf_free(&text);
}

/* massif, node --prof-process -------------------------------------------- */

Test(trees, massif_and_node_are_bottom_up)
{
	static const char massif[] =
		"desc: x\ncmd: y\ntime_unit: i\n#-\nheap_tree=peak\n"
		"n1: 9 (heap allocation functions)\n n1: 9 0x1: f (in a)\n"
		"  n0: 7 0x2: main (a.c:1e400)\n#-\nheap_tree=detailed\n";
	static const char node[] =
		"Statistical profiling result from x, (3 ticks)\n"
		" [Bottom up (heavy) profile]:\n   ticks parent  name\n"
		"      3  100.0%  JS: *f /a.js:1:1\n"
		"      2   66.7%    LazyCompile: ~ /a.js:2:1\n"
		"      x\n      9\n      1 1% \n";

	FOLDS("massif", massif, NULL, "f 2\nmain;f 7\n");
	FOLDS("node-prof", node, NULL, "(anonymous)_[0];f_[j] 2\nf_[j] 1\n");
	TELLS("in: 2 lines not understood, the first is line 7: 9\n");
	cut_everywhere("massif", massif);
	cut_everywhere("node-prof", node);
}

Test(trees, addresses_of_v8_wrap_and_overlap)
{
	static const char text[] =
		"v8-version,1\ncode-creation,JS,0,1,0xffffffffffffffff,99,x\n"
		"code-creation,JS,0,1,0xfffffffffffffff0,8,y a:1:1,0,~\n"
		"code-creation,JS,0,1,0x10,0xffffffffffff,z,0,*\n"
		"code-creation,JS,0,1,0x20,8,\\x3b\\x4,0,^\n"
		"code-move,0x10,0xfffffffffffff000\n"
		"tick,0xfffffffffffffff1,1,0,0x0,0,-0xffffffffffffffd0,+0x1\n";

	FOLDS("v8-log", text, NULL, ":\\x4_[1];:\\x4_[1];y_[0] 1\n");
	cut_everywhere("v8-log", text);
}

Test(trees, any_tree_cut_anywhere)
{
	cut_everywhere("tree", "main 10 ms\n  \xe2\x94\x94 run (7)\n 5 % x\n");
	cut_everywhere("tree", "Name,Time,Level\n\"a;b\",1e400,0\n"
			       "c,9223372036854775807,99999999999999999999\n"
			       "d,\"1,234 us\",3\n");
	cut_everywhere("tree-xml", "<a name='b' time='1e400'><c name=\"d&amp;\""
				   " time='3'/><!-- - --></a><![CDATA[]]>");
}

/* honest-profiler -------------------------------------------------------- */

Test(hpl, a_cut_leaves_whole_traces)
{
	static const char text[] =
		"\1\0\0\0\2\0\0\0\0\0\0\0\7" "\2\0\0\0\1\0\0\0\0\0\0\0\1"
		"\2\0\0\0\1\0\0\0\0\0\0\0\2"
		"\3\0\0\0\0\0\0\0\1\0\0\0\0\0\0\0\2Lx\0\0\0\1f"
		"\1\0\0\0\0\377\377\377\377\377\377\377\377"
		"\4\377\377\377\377\377\377\377\377\177\377\377\377";
	const size_t size = sizeof(text) - 1;

	cr_expect_str_eq(fold("hpl", text, size, NULL),
			 "[no Java frames] 1\n[unknown method];Lx.f 1\n", "%s",
			 out.data);
	cr_expect(strstr(said.data, "2 traces were whole"), "%s", said.data);
	for (size_t n = 39; n < size; n++)
		fold("hpl", text, n, NULL);
}
