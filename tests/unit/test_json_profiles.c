/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Readers of JSON: what comes out of small documents, what is said of odd
 * ones, and that a cut never adds what was not there.
 */
#include "fl.h"

#include "format/format.h"
#include "folds.h"

TestSuite(other_json, .init = start, .fini = stop);
TestSuite(trace_profiles, .init = start, .fini = stop);
TestSuite(firefox, .init = start, .fini = stop);
TestSuite(speedscope, .init = start, .fini = stop);

/* speedscope ----------------------------------------------------------- */

#define SPEEDSCOPE(frames, profile) \
	"{\"shared\":{\"frames\":[" frames "]},\"profiles\":[{" profile "}]}"

#define THREE "{\"name\":\"a\"},{\"name\":\"b\"},{\"name\":\"c\"}"

Test(speedscope, samples_are_counted)
{
	static const char text[] = SPEEDSCOPE(THREE,
		"\"type\":\"sampled\",\"unit\":\"seconds\","
		"\"samples\":[[0,1],[0,2],[0,1]],"
		"\"weights\":[0.01,0.01,0.01]");

	FOLDS("speedscope", text, NULL, "a;b 2\na;c 1\n");
	FOLDS("speedscope", text, "total", "a;b 20000000\na;c 10000000\n");
	TELLS("");
}

Test(speedscope, weights_that_differ_are_times)
{
	FOLDS("speedscope", SPEEDSCOPE(THREE,
		"\"type\":\"sampled\",\"unit\":\"milliseconds\","
		"\"samples\":[[0],[1]],\"weights\":[1.5,0.000001]"), NULL,
	      "a 1500000\nb 1\n");
}

Test(speedscope, weights_may_come_first)
{
	FOLDS("speedscope", "{\"profiles\":[{\"type\":\"sampled\","
		"\"weights\":[2,3],\"samples\":[[0],[0,1]],"
		"\"unit\":\"none\"}],\"shared\":{\"frames\":[" THREE "]}}",
	      NULL, "a 2\na;b 3\n");
}

Test(speedscope, equal_samples_have_weights_of_their_own)
{
	FOLDS("speedscope", SPEEDSCOPE(THREE,
		"\"type\":\"sampled\",\"unit\":\"none\","
		"\"samples\":[[0],[0],[0,1],[],[],[0]],"
		"\"weights\":[1,2,4,8,16,32]"), NULL, "a 35\na;b 4\n");
	TELLS("");
}

Test(speedscope, samples_without_weights_count_as_one_each)
{
	FOLDS("speedscope", SPEEDSCOPE(THREE,
		"\"type\":\"sampled\",\"unit\":\"none\","
		"\"samples\":[[0],[0],[0,1]],\"weights\":[]"), NULL,
	      "a 2\na;b 1\n");
	TELLS("");
}

Test(speedscope, too_few_or_too_many_weights_are_told)
{
	FOLDS("speedscope", SPEEDSCOPE(THREE,
		"\"type\":\"sampled\",\"unit\":\"none\","
		"\"samples\":[[0],[0],[0]],\"weights\":[5,7]"), NULL,
	      "a 12\n");
	TELLS("in: 1 records left out, the first at line 1: there are not as "
	      "many weights as samples\n");
	FOLDS("speedscope", SPEEDSCOPE(THREE,
		"\"type\":\"sampled\",\"unit\":\"none\","
		"\"samples\":[[0],[1]],\"weights\":[5,7,9]"), NULL,
	      "a 5\nb 7\n");
}

Test(speedscope, time_between_events_is_the_innermost_frame_s)
{
	FOLDS("speedscope", SPEEDSCOPE(THREE,
		"\"type\":\"evented\",\"unit\":\"nanoseconds\",\"events\":["
		"{\"type\":\"O\",\"frame\":0,\"at\":5},"
		"{\"type\":\"O\",\"frame\":1,\"at\":7},"
		"{\"type\":\"C\",\"frame\":1,\"at\":10},"
		"{\"type\":\"C\",\"frame\":0,\"at\":11}]"), NULL,
	      "a 3\na;b 3\n");
}

Test(speedscope, frames_that_are_not_there_cost_their_stacks)
{
	FOLDS("speedscope", SPEEDSCOPE(THREE,
		"\"type\":\"sampled\",\"unit\":\"none\","
		"\"samples\":[[0],[3],[0,-1],4],\"weights\":[1,1,1,1]"), NULL,
	      "a 1\n");
	TELLS("in: 3 records left out, the first at line 1: a stack with "
	      "something else than numbers of frames\n");
}

Test(speedscope, a_weight_that_does_not_fit_is_told)
{
	FOLDS("speedscope", SPEEDSCOPE(THREE,
		"\"type\":\"sampled\",\"unit\":\"none\","
		"\"samples\":[[0],[1]],\"weights\":[1e400,7]"), NULL,
	      "b 7\n");
	TELLS("in: 1 records left out, the first at line 1: a weight that is "
	      "not a number, or too large\n");
}

Test(speedscope, cuts_are_told)
{
	static const char text[] = SPEEDSCOPE(THREE,
		"\"type\":\"sampled\",\"unit\":\"none\","
		"\"samples\":[[0],[1]],\"weights\":[1,7]");

	fold("speedscope", text, sizeof(text) - 3, NULL);
	cr_expect_str_eq(out.data, "a 1\nb 7\n");
	TELLS("in: line 1, byte 142: the input ends within a value; what "
	      "comes before it is read\n");
	cut_everywhere("speedscope", text);
}

/* Threads -------------------------------------------------------------- */

TestSuite(threads, .init = start, .fini = stop);

#define SPARK(name, stack) \
	"[{\"threadId\":1,\"threadName\":\"" name "\"," \
	"\"threadState\":\"RUNNABLE\",\"stackTrace\":" stack "}]"

Test(threads, stacks_of_spark_are_leaf_first)
{
	FOLDS("threads", SPARK("t", "{\"elems\":["
		"\"java.base@17/java.lang.Object.wait(Native Method)\\n\\t-  "
		"waiting on x\\n\",\"app//a.B$.m(B.scala:3) => holding "
		"Monitor(x)\\n\"]}"), NULL,
	      "a/B$.m;java/lang/Object.wait 1\n");
	FOLDS("threads", SPARK("t", "{\"elems\":[\"a.B.m(B.scala:3)\"]}"),
	      "lines", "a/B.m:3 1\n");
	TELLS("");
}

Test(threads, dumps_may_follow_one_another)
{
	FOLDS("threads", SPARK("t", "\"a.B.m(B.java:3)\\na.B.n(B.java)\\n\"")
	      "\n" SPARK("u", "{\"elems\":[\"a.B.n(B.java:9)\"]}"), NULL,
	      "a/B.n 1\na/B.n;a/B.m 1\n");
}

Test(threads, those_without_a_stack_are_told)
{
	FOLDS("threads", SPARK("t", "{\"elems\":[]}"), NULL, "");
	cr_expect(fl_slice_starts((struct slice){ said.data, said.size },
				  "in: 1 threads without a stack left out\n"));
}

Test(threads, a_line_that_is_no_frame_is_told)
{
	FOLDS("threads", SPARK("t", "{\"elems\":[\"what\","
			       "\"a.B.m(B.java:3)\"]}"), NULL, "a/B.m 1\n");
	TELLS("in: 1 records left out, the first at line 1: a line of a stack "
	      "that is not a frame\n");
}

Test(threads, cuts_leave_whole_threads)
{
	cut_everywhere("threads", SPARK("t", "{\"elems\":[\"a.B.m(B.java)\"]}"));
	cut_everywhere("threads", "{\"threadDump\":{\"threadContainers\":[{"
		       "\"threads\":[{\"tid\":\"1\",\"name\":\"m\",\"stack\":"
		       "[\"a.B.m(B.java:7)\"]}]}]}}");
}

/* Trees ---------------------------------------------------------------- */

TestSuite(d3, .init = start, .fini = stop);

Test(d3, values_count_what_is_below)
{
	FOLDS("d3", "{\"name\":\"root\",\"value\":5,\"children\":[{\"name\":"
	      "\"a\",\"value\":5,\"children\":[{\"name\":\"b\",\"value\":2}]}]}",
	      NULL, "a 3\na;b 2\n");
}

Test(d3, values_below_their_children_s_are_their_own)
{
	FOLDS("d3", "{\"name\":\"root\",\"value\":0,\"children\":[{\"name\":"
	      "\"a\",\"value\":1,\"children\":[{\"name\":\"b\",\"value\":2}]}]}",
	      NULL, "a 1\na;b 2\n");
}

Test(d3, a_root_with_a_name_is_a_frame)
{
	FOLDS("d3", "{\"c\":[{\"v\":2,\"n\":\"b_[k]\"}],\"n\":\"a\",\"v\":3}",
	      NULL, "a 1\na;b_[k] 2\n");
}

/* No frame is lost, nor its weight. */
Test(d3, frames_may_have_no_name)
{
	FOLDS("d3", "{\"name\":\"root\",\"value\":5,\"children\":[{\"name\":"
	      "\"\",\"value\":5,\"children\":[{\"name\":\"b\",\"value\":2}]}]}",
	      NULL, "(unnamed) 3\n(unnamed);b 2\n");
	FOLDS("flamebearer", "{\"flamebearer\":{\"names\":[\"total\",\"\","
	      "\"b\"],\"levels\":[[0,5,0,0],[0,5,1,1],[0,4,4,2]]}}", NULL,
	      "(unnamed) 1\n(unnamed);b 4\n");
	FOLDS("speedscope", SPEEDSCOPE("{\"name\":\"\"},{\"name\":\"b\"}",
	      "\"type\":\"sampled\",\"unit\":\"none\","
	      "\"samples\":[[0,1],[0]],\"weights\":[1,1]"), NULL,
	      "(anonymous) 1\n(anonymous);b 1\n");
}

Test(d3, deep_trees_are_read)
{
	struct fl_buf text = { 0 };

	for (int i = 0; i < 100000; i++)
		fl_buf_text(&text, "{\"n\":\"f\",\"v\":1,\"c\":[");
	for (int i = 0; i < 100000; i++)
		fl_buf_text(&text, "]}");
	fold("d3", text.data, text.size, NULL);
	cr_expect_eq(out.size, 2 * 100000 + 2);
	TELLS("");
	fl_buf_free(&text);
}

Test(d3, cuts_are_told)
{
	cut_everywhere("d3", "{\"name\":\"root\",\"value\":5,\"children\":[{"
		       "\"name\":\"a\",\"value\":5,\"children\":[]}]}");
}

/* Traces --------------------------------------------------------------- */

TestSuite(trace_event, .init = start, .fini = stop);

#define EVENT(phase, name, time) \
	"{\"ph\":\"" phase "\",\"name\":\"" name "\",\"pid\":1,\"tid\":1," \
	"\"ts\":" #time "}"
#define COMPLETE(name, time, duration) \
	"{\"ph\":\"X\",\"name\":\"" name "\",\"pid\":1,\"tid\":1," \
	"\"ts\":" #time ",\"dur\":" #duration "}"

Test(trace_event, time_is_the_innermost_frame_s)
{
	FOLDS("trace-event", "[" EVENT("B", "a", 0) "," EVENT("B", "b", 1.5)
	      "," EVENT("E", "b", 3) "," EVENT("E", "a", 4) "]", NULL,
	      "a 2500\na;b 1500\n");
}

Test(trace_event, events_need_not_be_in_order)
{
	FOLDS("trace-event", "[" EVENT("E", "a", 9) "," EVENT("E", "b", 10)
	      "," EVENT("B", "a", 0) "," EVENT("B", "b", 1) "]", NULL,
	      "a 1000\na;b 9000\n");
}

Test(trace_event, complete_events_nest)
{
	FOLDS("trace-event", "[" COMPLETE("b", 0, 4) ","
	      COMPLETE("a", 0, 10) "," COMPLETE("c", 6, 4) "]", NULL,
	      "a 2000\na;b 4000\na;c 4000\n");
}

Test(trace_event, ends_of_other_names_are_passed_over)
{
	FOLDS("trace-event", "[" EVENT("B", "a", 0) "," EVENT("E", "b", 3)
	      "," EVENT("E", "a", 4) "," EVENT("E", "a", 5) "]", NULL,
	      "a 4000\n");
}

Test(trace_event, frames_that_never_end_do_with_the_last_event)
{
	FOLDS("trace-event", "[" EVENT("B", "a", 0) "," EVENT("B", "b", 3)
	      "," EVENT("i", "c", 9), NULL, "a 3000\n");
	TELLS("in: its list is not closed: it is still being written, or cut "
	      "between two records\n");
}

Test(trace_event, order_in_the_file_breaks_ties)
{
	FOLDS("trace-event", "[" EVENT("B", "x", 0) "," EVENT("B", "a", 0) ","
	      EVENT("E", "a", 2) "," EVENT("E", "x", 2) "," EVENT("B", "a", 2)
	      "," EVENT("B", "p", 3) "," EVENT("B", "q", 3) ","
	      EVENT("E", "q", 3) "," EVENT("E", "p", 3) ","
	      EVENT("E", "a", 5) "]", NULL, "a 3000\nx;a 2000\n");
}

Test(trace_event, many_events_in_order_are_not_held)
{
	struct fl_buf text = { 0 };

	fl_buf_text(&text, "[" EVENT("B", "a", 0));
	for (int i = 0; i < 200000; i++)
		fl_buf_print(&text, ",{\"ph\":\"%c\",\"name\":\"b\",\"pid\":1,"
			     "\"tid\":1,\"ts\":%d}", i % 2 ? 'E' : 'B', i + 1);
	fl_buf_text(&text, "," EVENT("E", "a", 200001) "]");
	fold("trace-event", text.data, text.size, NULL);
	cr_expect_str_eq(out.data, "a 100001000\na;b 100000000\n");
	fl_buf_free(&text);
}

/* One that lasts throughout, and many that nest in pairs. */
Test(trace_event, many_complete_events_in_order_are_not_held)
{
	struct fl_buf text = { 0 };

	fl_buf_text(&text, "[" COMPLETE("run", 0, 9000000));
	for (int i = 0; i < 90000; i++)
		fl_buf_print(&text, ",{\"ph\":\"X\",\"name\":\"%s\",\"ts\":%d,"
			     "\"dur\":%d,\"pid\":1,\"tid\":1}", i % 2 ? "in" : "out",
			     i / 2 * 200 + i % 2 * 20, i % 2 ? 30 : 100);
	fl_buf_text(&text, "]");
	cr_expect_str_eq(fold("trace-event", text.data, text.size, NULL),
			 "run 4500000000\nrun;out 3150000000\n"
			 "run;out;in 1350000000\n");
	TELLS("");
	/* An event that comes far too late is reported. */
	text.size--;
	fl_buf_text(&text, "," COMPLETE("late", 5, 10) "]");
	fold("trace-event", text.data, text.size, NULL);
	TELLS("in: 1 events come more than 4096 events after later ones of "
	      "their thread: times of their frames are not exact; sort by ts "
	      "first\n");
	fl_buf_free(&text);
}

Test(trace_event, cuts_are_told)
{
	cut_everywhere("trace-event", "{\"traceEvents\":[" EVENT("B", "a", 0)
		       "," EVENT("E", "a", 3) "],\"stackFrames\":{\"1\":{"
		       "\"name\":\"x\"}}}");
}

/* V8 ------------------------------------------------------------------- */

TestSuite(v8, .init = start, .fini = stop);

#define NODE(id, name, more) \
	"{\"id\":" #id ",\"callFrame\":{\"functionName\":\"" name "\"," \
	"\"lineNumber\":4}" more "}"

Test(v8, samples_are_counted_or_last_until_the_next)
{
	static const char text[] = "{\"nodes\":[" NODE(1, "(root)",
		",\"children\":[2]") "," NODE(2, "a", ",\"children\":[3]") ","
		NODE(3, "", "") "],\"samples\":[2,3,3],"
		"\"timeDeltas\":[9,10,20]}";

	FOLDS("cpuprofile", text, NULL, "a 1\na;(anonymous) 2\n");
	FOLDS("cpuprofile", text, "total", "a 10000\na;(anonymous) 20000\n");
	FOLDS("cpuprofile", text, "lines", "a:5 1\na:5;(anonymous):5 2\n");
}

/* A sample that a thread wrote late lies between those of its time. */
Test(v8, samples_are_in_the_order_of_their_times)
{
#define UNORDERED(times) "{\"nodes\":[" NODE(1, "(root)", ",\"children\":[2,3]") \
		"," NODE(2, "a", "") "," NODE(3, "b", "") \
		"],\"samples\":[2,2,3,2]," times "}"

	FOLDS("cpuprofile", UNORDERED("\"timeDeltas\":[5,100,-60,90]"), "total",
	      "a 70000\nb 60000\n");
	FOLDS("cpuprofile", UNORDERED("\"timestamps\":[5,105,45,135]"), "total",
	      "a 70000\nb 60000\n");
	FOLDS("cpuprofile", UNORDERED("\"timeDeltas\":[5,9223372036854775807,"
				 "-9223372036854775807,9223372036854775807]"),
	      NULL, "a 3\nb 1\n");
}

Test(v8, only_the_collector_is_on_top_of_the_stack_before)
{
	FOLDS("cpuprofile", "{\"nodes\":[" NODE(1, "(root)",
	      ",\"children\":[2,3,4,5]") "," NODE(2, "a", "") ","
	      NODE(3, "(garbage collector)", "") "," NODE(4, "(program)", "")
	      "," NODE(5, "(idle)", "") "],\"samples\":[4,2,3,4,3,5,4]}",
	      NULL, "(idle) 1\n(program) 3\n(program);(garbage collector) 1\n"
	      "a 1\na;(garbage collector) 1\n");
}

Test(v8, nodes_within_one_another_are_read)
{
	FOLDS("cpuprofile", "{\"head\":{\"functionName\":\"(root)\",\"id\":1,"
	      "\"children\":[{\"functionName\":\"a\",\"id\":2,\"hitCount\":1,"
	      "\"children\":[{\"functionName\":\"b\",\"id\":3,"
	      "\"children\":[]}]}]},\"timestamps\":[1000000000000,"
	      "1000000000007,1000000000009],\"samples\":[2,3,3]}", "total",
	      "a 7000\na;b 2000\n");
}

Test(v8, loops_of_parents_are_no_stacks)
{
	FOLDS("cpuprofile", "{\"nodes\":[" NODE(1, "a", ",\"parent\":2") ","
	      NODE(2, "b", ",\"parent\":1") "," NODE(3, "c", "") "],"
	      "\"samples\":[1,2,3,7]}", NULL, "c 1\n");
	TELLS("in: 3 records left out, the first at line 1: a sample of a node "
	      "that is its own ancestor\n");
}

Test(v8, heaps_are_bytes)
{
	FOLDS("heapprofile", "{\"head\":{\"callFrame\":{\"functionName\":"
	      "\"(root)\"},\"selfSize\":0,\"children\":[{\"callFrame\":{"
	      "\"functionName\":\"a\"},\"selfSize\":24,\"children\":[]}]}}",
	      NULL, "a 24\n");
}

/* Others --------------------------------------------------------------- */

TestSuite(others, .init = start, .fini = stop);

Test(others, boxes_lie_below_those_above_them)
{
	FOLDS("flamebearer", "{\"flamebearer\":{\"names\":[\"total\",\"a\","
	      "\"b\"],\"levels\":[[0,9,1,0],[0,3,1,1,1,5,5,2],[0,2,2,2]]},"
	      "\"metadata\":{\"units\":\"samples\"}}", NULL,
	      "a 1\na;b 2\nb 5\n");
	FOLDS("flamebearer", "{\"flamebearer\":{\"levels\":[[0,5,0,0],[0,3,3,1],"
	      "[4,1,1,1]],\"names\":[\"total\",\"a\"]}}", NULL, "a 3\n");
	TELLS("in: 1 records left out, the first at line 1: a box with nothing "
	      "above it\n");
}

Test(others, raw_samples_of_stackprof_are_counted)
{
	FOLDS("stackprof", "{\"mode\":\"wall\",\"interval\":1000,"
	      "\"gc_samples\":0,\"raw\":[2,70098916485820,8,3,1,8,1],"
	      "\"frames\":{\"8\":{\"name\":\"b\"},\"70098916485820\":{"
	      "\"name\":\"a\"}}}", "total", "a;b 3000000\nb 1000000\n");
	FOLDS("stackprof", "{\"gc_samples\":0,\"frames\":{\"8\":{\"name\":"
	      "\"b\"}},\"raw\":[1,8,2,3,8]}", NULL, "b 2\n");
	TELLS("in: 1 records left out, the first at line 1: a stack that ends "
	      "with its array\n");
}

Test(others, seconds_of_pyinstrument_are_exact)
{
	FOLDS("pyinstrument", "{\"root_frame\":{\"function\":\"a\","
	      "\"file_path\":\"x.py\",\"line_no\":3,\"time\":0.5,"
	      "\"children\":[{\"function\":\"b\",\"time\":0.123456789}]}}",
	      NULL, "a (x.py:3) 376543211\na (x.py:3);b 123456789\n");
}

Test(others, samples_of_sentry_are_counted)
{
	FOLDS("sentry", "{\"profile\":{\"thread_metadata\":{},\"samples\":[{"
	      "\"stack_id\":1},{\"stack_id\":\"1\"},{\"stack_id\":0},7],"
	      "\"stacks\":[[],[1,0],[9]],\"frames\":[{\"function\":\"a\"},{"
	      "\"instruction_addr\":\"0x7f\"}]}}", NULL, " 1\na;0x7f 2\n");
	TELLS("in: 1 records left out, the first at line 1: a sample of a "
	      "stack that is not there\n");
}

Test(others, strings_of_tachyon_follow_its_tree)
{
	FOLDS("tachyon", "{\"funcname\":1,\"filename\":0,\"lineno\":4,"
	      "\"value\":7,\"children\":[{\"value\":2,\"funcname\":9}],"
	      "\"strings\":[\"x.py\",\"f\"]}", NULL,
	      "f (x.py:4) 5\nf (x.py:4);[unknown] 2\n");
}

Test(others, stacks_of_scalene_have_counts)
{
	FOLDS("scalene", "{\"alloc_samples\":0,\"stacks\":[[[\"a b.py f:3;\","
	      "[\"c.py\",\"g\",4]],{\"count\":2}],[[\"h\"],[3,0.5]],"
	      "[[\"i\"],[]]]}", NULL,
	      "f (a b.py:3);g (c.py:4) 2\nh 3\n");
	TELLS("in: 1 records left out, the first at line 1: a stack without "
	      "frames or count\n");
}

Test(others, names_of_statsd_are_stacks)
{
	FOLDS("statsd-json", "[{\"target\":\"x.cpu.trace.a-B-m-3.a-C-n--2\","
	      "\"datapoints\":[[2,1],[null,2],[3.0,4]]}]", NULL,
	      "a/C.n;a/B.m 5\n");
	FOLDS("statsd-json", "{\"results\":[{\"series\":[{\"name\":"
	      "\"cpu.trace.a-B$-$anonfun$m$1-3\",\"columns\":[\"time\","
	      "\"value\"],\"values\":[[7,2]]}]}]}", "lines",
	      "a/B$.$anonfun$m$1:3 2\n");
}

Test(others, cuts_are_told)
{
	cut_everywhere("flamebearer", "{\"flamebearer\":{\"names\":[\"total\","
		       "\"a\"],\"levels\":[[0,9,1,0],[0,3,1,1]]}}");
	cut_everywhere("stackprof", "{\"gc_samples\":0,\"frames\":{\"8\":{"
		       "\"name\":\"b\"}},\"raw\":[1,8,2]}");
	cut_everywhere("pyinstrument", "{\"root_frame\":{\"function\":\"a\","
		       "\"time\":1.5,\"children\":[]}}");
	cut_everywhere("sentry", "{\"profile\":{\"frames\":[{\"function\":"
		       "\"a\"}],\"stacks\":[[0]],\"samples\":[{\"stack_id\":0,"
		       "\"thread_id\":\"1\"}]}}");
	cut_everywhere("tachyon", "{\"funcname\":0,\"value\":3,\"children\":"
		       "[],\"strings\":[\"a\"]}");
	cut_everywhere("scalene", "{\"alloc_samples\":0,\"stacks\":[[[\"f\"],"
		       "{\"count\":2}]]}");
	cut_everywhere("statsd-json", "[{\"target\":\"x.cpu.trace.a-B-m-3\","
		       "\"datapoints\":[[2,1]]}]");
}

/* Firefox -------------------------------------------------------------- */

#define FIREFOX(samples, stacks)					\
	"{\"meta\":{\"interval\":2},\"threads\":[{\"name\":\"t\","	\
	"\"samples\":{" samples "},\"stackTable\":{" stacks "},"	\
	"\"frameTable\":{\"func\":[0,1]},\"funcTable\":{\"name\":[0,1]}," \
	"\"stringArray\":[\"a\",\"b\"]}]}"

Test(firefox, samples_have_stacks_of_tables)
{
	static const char text[] = FIREFOX("\"stack\":[1,1,0,null]",
		"\"frame\":[0,1],\"prefix\":[null,0]");

	FOLDS("firefox", text, NULL, "a 1\na;b 2\n");
	TELLS("in: 1 samples have no stack and are left out\n");
	FOLDS("firefox", text, "total", "a 2000000\na;b 4000000\n");
	cut_everywhere("firefox", text);
}

Test(firefox, stacks_that_are_not_there_are_told)
{
	FOLDS("firefox", FIREFOX("\"stack\":[0,1,2,7]",
		"\"frame\":[0,1,9],\"prefix\":[0,0,null]"), NULL, "");
	cr_expect(strstr(said.data, "4 records left out, the first at line "
				    "1: a stack that is not there"), "%s",
		  said.data);
	FOLDS("firefox", FIREFOX("\"stack\":[1,0]",
		"\"frame\":[0,1],\"prefixOffset\":[0,2]"), NULL, "a 1\n");
}

Test(firefox, weights_may_be_bytes)
{
	FOLDS("firefox", FIREFOX("\"stack\":[0,0],\"weight\":[4096,-96],"
		"\"weightType\":\"bytes\"",
		"\"frame\":[0,1],\"prefix\":[null,0]"), NULL, "a 4000\n");
	TELLS("");
	FOLDS("firefox", FIREFOX("\"stack\":[0,0],\"weight\":[1e300,7]",
		"\"frame\":[0,1],\"prefix\":[null,0]"), NULL, "a 7\n");
	TELLS("in: 1 records left out, the first at line 1: a number that is "
	      "too large\n");
}

/* CPU profiles in traces ----------------------------------------------- */

#define CHUNK(id, nodes, samples, deltas)				\
	"{\"ph\":\"P\",\"name\":\"ProfileChunk\",\"pid\":1,\"tid\":2,"	\
	"\"id\":\"" id "\",\"args\":{\"data\":{\"cpuProfile\":{"		\
	"\"nodes\":[" nodes "],\"samples\":[" samples "]},"		\
	"\"timeDeltas\":[" deltas "]}}}"
#define PIECE_NODE(id, parent, name)						\
	"{\"id\":" id ",\"parent\":" parent				\
	",\"callFrame\":{\"functionName\":\"" name "\"}}"

Test(trace_profiles, pieces_are_one_profile)
{
	static const char text[] = "["
		CHUNK("1", PIECE_NODE("1", "0", "a"), "1,1", "0,5") ","
		CHUNK("1", PIECE_NODE("2", "1", "b"), "2,1", "7,9") "]";

	FOLDS("trace-event", text, NULL, "a 3\na;b 1\n");
	TELLS("");
	FOLDS("trace-event", text, "total", "a 12000\na;b 9000\n");
	cut_everywhere("trace-event", text);
}

Test(trace_profiles, another_id_is_another_profile)
{
	FOLDS("trace-event", "[" CHUNK("1", PIECE_NODE("1", "0", "a"), "1", "0") ","
	      CHUNK("2", "", "1", "0") "]", NULL, "a 1\n");
	cr_expect(strstr(said.data, "1 records left out"), "%s", said.data);
}

/* Safari, perf, DHAT ------------------------------------------------------ */

#define SAFARI "{\"recording\":{\"sampleStackTraces\":[" \
	"{\"stackFrames\":[{\"name\":\"f\"},{\"name\":\"(program)\"}]}," \
	"{\"stackFrames\":[]},{\"stackFrames\":[{\"line\":1e400}]}]," \
	"\"sampleDurations\":[0.5,\"x\",1e400]}}"

Test(other_json, safari_has_durations_or_not)
{
	FOLDS("safari", SAFARI, NULL, "(anonymous) 1\n(program);f 1\n");
	FOLDS("safari", SAFARI, "total", "(program);f 500000000\n");
	cut_everywhere("safari", SAFARI);
}

#define PERF "{\"linux-perf-json-version\":1,\"samples\":[{\"pid\":1e400," \
	"\"comm\":\"x\",\"callchain\":[{\"ip\":\"0xffffffff81000000\"}," \
	"{\"symbol\":\"f\",\"dso\":\"a;b\"}]},{\"callchain\":7},3]}"

Test(other_json, perf_has_samples)
{
	FOLDS("perf-json", PERF, NULL, "x;f;0xffffffff81000000_[k] 1\n");
	cut_everywhere("perf-json", PERF);
}

#define DHAT "{\"dhatFileVersion\":2,\"pps\":[{\"tb\":9223372036854775807," \
	"\"fs\":[1,2]},{\"tb\":-5,\"fs\":[-1,4294967295,1e400]},{\"tb\":1," \
	"\"fs\":[3]}],\"ftbl\":[\"[root]\",\"0x1: f (a.c:99999999999)\"," \
	"\"main\",{}]}"

Test(other_json, dhat_frames_are_in_a_table)
{
	FOLDS("dhat", DHAT, NULL, "main;f 9223372036854775807\n");
	cut_everywhere("dhat", DHAT);
}
