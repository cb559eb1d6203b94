/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writers for other programs: pprof, tables, JSON.
 */
#include "fl.h"

#include "write/rows.h"
#include "flow/flow.h"
#include "format/formats.h"

#include "said.h"

TestSuite(rows, .init = start, .fini = stop);

static flame_id name(const char *text)
{
	return fl_name(flame, text);
}

static flame_id stack(flame_id parent, const char *text, enum flame_type type)
{
	return flame_stack(flame, parent, fl_frame(flame, name(text), type));
}

static struct flame_sink *writer(const char *format)
{
	return fl_format_named(flame, format, true)->
		create(flame, fl_out_memory(flame, &out));
}

static void put(struct flame_sink *sink, flame_id at, flame_id metric,
		flame_id labels, int64_t weight)
{
	const struct flame_sample sample = {
		.stack = at, .metric = metric, .labels = labels,
		.weight = weight, .time = FLAME_NOTIME,
	};

	cr_expect_eq(flame_put(sink, &sample), FLAME_OK);
}

/* Stacks are entered in no order, and come out in that of their names. */
static void put_some(struct flame_sink *sink)
{
	flame_id cpu = flame_metric(flame, "cpu", "samples");
	flame_id b = stack(0, "b", FLAME_UNKNOWN);
	flame_id a = stack(0, "a", FLAME_UNKNOWN);
	flame_id aj = stack(a, "c;d\n", FLAME_JIT);
	flame_id set = flame_label(flame, 0, name("key"), name("x\ty\"z"));

	put(sink, b, cpu, 0, 1);
	put(sink, aj, cpu, 0, 2);
	put(sink, a, cpu, set, 4);
	put(sink, b, cpu, 0, 8);
	put(sink, a, cpu, 0, 0);
	cr_expect_eq(flame_finish(sink), FLAME_OK);
}

Test(rows, tsv_has_labels_as_columns)
{
	put_some(writer("tsv"));
	cr_expect_str_eq(out.data, "metric\tunit\tvalue\tkey\tstack\n"
				   "cpu\tsamples\t4\tx y\"z\ta\n"
				   "cpu\tsamples\t2\t\ta;c:d _[j]\n"
				   "cpu\tsamples\t9\t\tb\n");
}

Test(rows, ndjson_has_labels_as_members)
{
	put_some(writer("ndjson"));
	cr_expect_str_eq(out.data,
			 "{\"metric\":\"cpu\",\"unit\":\"samples\",\"value\":4,"
			 "\"key\":\"x\\u0009y\\\"z\",\"stack\":\"a\"}\n"
			 "{\"metric\":\"cpu\",\"unit\":\"samples\",\"value\":2,"
			 "\"key\":null,\"stack\":\"a;c:d _[j]\"}\n"
			 "{\"metric\":\"cpu\",\"unit\":\"samples\",\"value\":9,"
			 "\"key\":null,\"stack\":\"b\"}\n");
}

/* Of Arrow's C data interface, as its users declare them. */
struct ArrowSchema {
	const char *format, *name, *metadata;
	int64_t flags, n_children;
	struct ArrowSchema **children, *dictionary;
	void (*release)(struct ArrowSchema *schema);
	void *private_data;
};

struct ArrowArray {
	int64_t length, null_count, offset, n_buffers, n_children;
	const void **buffers;
	struct ArrowArray **children, *dictionary;
	void (*release)(struct ArrowArray *array);
	void *private_data;
};

static void is_text(const struct ArrowArray *array, size_t i, const char *text)
{
	const int64_t *offsets = array->buffers[1];
	const char *at = array->buffers[2];

	cr_expect_eq(offsets[i + 1] - offsets[i], (int64_t)strlen(text));
	cr_expect(memcmp(at + offsets[i], text, strlen(text)) == 0);
}

Test(rows, columns_outlive_the_dictionary)
{
	struct ArrowSchema schema;
	struct ArrowArray array, *stack, *key;

	put_some(flame_create_columns(flame, true, &schema, &array));
	stop();
	start();
	cr_assert_eq(array.n_children, 5);
	cr_expect_eq(array.length, 3);
	cr_expect_str_eq(schema.format, "+s");
	cr_expect_str_eq(schema.children[1]->name, "weight");
	cr_expect_str_eq(schema.children[1]->format, "l");
	cr_expect_eq(((const int64_t *)array.children[1]->buffers[1])[2], 9);
	stack = array.children[0];
	is_text(stack, 0, "a");
	is_text(stack, 1, "a;c:d _[j]");
	key = array.children[4];
	cr_expect_str_eq(schema.children[4]->name, "key");
	is_text(key, 0, "x\ty\"z");
	cr_expect_eq(key->null_count, 2);
	cr_expect_eq(((const uint8_t *)key->buffers[0])[0] & 7, 1);
	/* A column may be moved out, and released by who has it. */
	{
		struct ArrowArray moved = *stack;

		stack->release = NULL;
		array.release(&array);
		is_text(&moved, 2, "b");
		moved.release(&moved);
	}
	schema.release(&schema);
	cr_expect_null(array.release);
	cr_expect_null(schema.release);
}

Test(rows, columns_without_labels_sum_stacks)
{
	struct ArrowSchema schema;
	struct ArrowArray array;

	put_some(flame_create_columns(flame, false, &schema, &array));
	cr_expect_eq(array.n_children, 2);
	cr_expect_eq(array.length, 3);
	array.release(&array);
	schema.release(&schema);
	flame_abandon(flame_create_columns(flame, false, &schema, &array));
	cr_expect_null(flame_create_columns(flame, false, &schema, NULL));
}

Test(rows, a_label_that_is_called_as_a_column_has_a_name_of_its_own)
{
	struct flame_sink *sink = writer("tsv");
	flame_id set = flame_label(flame, 0, name("value"), name("v"));

	put(sink, stack(0, "f", FLAME_UNKNOWN), 0, set, 1);
	cr_expect_eq(flame_finish(sink), FLAME_OK);
	cr_expect_str_eq(out.data, "metric\tunit\tvalue\tlabel.value\tstack\n"
				   "samples\tsamples\t1\tv\tf\n");
}

Test(rows, d3_is_a_tree)
{
	put_some(writer("d3"));
	cr_expect_str_eq(out.data,
			 "{\"name\":\"all\",\"value\":15,\"children\":["
			 "{\"name\":\"a\",\"value\":6,\"children\":["
			 "{\"name\":\"c;d\\u000a_[j]\",\"value\":2}]},"
			 "{\"name\":\"b\",\"value\":9}]}\n");
}

Test(rows, d3_of_nothing_is_its_root)
{
	cr_expect_eq(flame_finish(writer("d3")), FLAME_OK);
	cr_expect_str_eq(out.data, "{\"name\":\"all\",\"value\":0}\n");
}

Test(rows, speedscope_has_frames_samples_and_weights)
{
	put_some(writer("speedscope"));
	cr_expect(strstr(out.data, "\"frames\":[\n{\"name\":\"a\"},\n"
				   "{\"name\":\"c;d\\u000a_[j]\"},\n"
				   "{\"name\":\"b\"}]}"),
		  "%s", out.data);
	cr_expect(strstr(out.data,
			 "{\"type\":\"sampled\",\"name\":\"\","
			 "\"unit\":\"none\",\"startValue\":0,"
			 "\"endValue\":15,\"samples\":[\n[0],\n[0,1],\n[2]],\n"
			 "\"weights\":[4,2,9]}]"),
		  "%s", out.data);
}

Test(rows, a_text_of_json_is_utf8)
{
	struct fl_buf buf = { 0 };

	fl_spell_json(&buf, FL_SLICE("a\"\\\x01\0\x7f\xff\xc3\xa9"));
	cr_expect_str_eq(buf.data, "\"a\\\"\\\\\\u0001\\u0000\\u007f"
				   "\xef\xbf\xbd\xc3\xa9\"");
	fl_buf_free(&buf);
}

Test(rows, pprof_is_read_again)
{
	struct fl_buf packed = { 0 };
	struct flame_source *source;
	struct flame_sample s;
	int64_t sum = 0;

	put_some(writer("pprof"));
	packed = out;
	out = (struct fl_buf){ 0 };
	source = flame_open_memory(flame, packed.data, packed.size, "p", NULL);
	cr_assert(source, "%s", flame_error(flame));
	cr_expect_str_eq(flame_source_format(source), "pprof");
	while (flame_next(source, &s) == FLAME_OK) {
		sum += s.weight;
		if (s.weight == 4)
			cr_expect_eq(flame_label_get(flame, s.labels,
						     name("key")),
				     name("x\ty\"z"));
		if (s.weight == 2)
			cr_expect_eq(fl_frame_at(flame, s.stack)->type,
				     FLAME_JIT);
	}
	cr_expect_eq(sum, 15);
	flame_close(source);
	fl_buf_free(&packed);
}

Test(rows, pprof_of_several_metrics_has_a_type_for_each)
{
	struct flame_sink *sink = writer("pprof");
	flame_id f = stack(0, "f", FLAME_UNKNOWN);
	struct flame_source *source;
	struct fl_buf packed;
	struct flame_sample s;
	int64_t weights[2] = { 0 };

	cr_assert_eq(flame_set(sink, "events", "all"), FLAME_OK);
	put(sink, f, flame_metric(flame, "wall", "samples"), 0, 3);
	put(sink, f, flame_metric(flame, "alloc", "bytes"), 0, 5);
	cr_expect_eq(flame_finish(sink), FLAME_OK);
	packed = out;
	out = (struct fl_buf){ 0 };
	source = flame_open_memory(flame, packed.data, packed.size, "p", NULL);
	cr_assert(source);
	while (flame_next(source, &s) == FLAME_OK)
		weights[strcmp(flame_metric_of(flame, s.metric)->name,
			       "wall") == 0] += s.weight;
	cr_expect_eq(weights[0], 5);
	cr_expect_eq(weights[1], 3);
	flame_close(source);
	fl_buf_free(&packed);
}

Test(rows, a_comparison_is_refused)
{
	static const char *const formats[] = {
		"pprof", "tsv", "ndjson", "d3", "speedscope"
	};

	for (size_t i = 0; i < FL_COUNT(formats); i++) {
		struct flame_tree *tree = flame_tree_new(flame, 2);
		struct flame_sink *sink = writer(formats[i]);
		int status = flame_tree_write(tree, sink);

		if (status == FLAME_OK)
			status = flame_finish(sink);
		else
			flame_abandon(sink);
		cr_expect_eq(status, FLAME_FAILED, "%s", formats[i]);
		cr_expect(strstr(flame_error(flame), "a comparison"), "%s",
			  flame_error(flame));
		flame_tree_free(tree);
		out.size = 0;
		flame_clear(flame);
	}
}

/* Threads ------------------------------------------------------------- */

static flame_id thread(const char *text, const char *tid)
{
	flame_id set = flame_label(flame, 0, name("tid"), name(tid));

	set = flame_label(flame, set, name("pid"), name("7"));
	return flame_label(flame, set, name("thread"), name(text));
}

static void put_at(struct flame_sink *sink, flame_id at, flame_id metric,
		   flame_id of, int64_t time, int64_t weight)
{
	const struct flame_sample sample = {
		.stack = at, .metric = metric, .thread = of, .weight = weight,
		.time = time,
	};

	cr_expect_eq(flame_put(sink, &sample), FLAME_OK);
}

/* Not in the order of their times. */
static void put_timed(struct flame_sink *sink)
{
	flame_id wall = flame_metric(flame, "wall", "ns");
	flame_id a = stack(0, "a", FLAME_UNKNOWN);
	flame_id ab = stack(a, "b", FLAME_KERNEL);
	flame_id ac = stack(a, "c", FLAME_JIT);

	put_at(sink, ac, wall, thread("x", "8"), 2500000, 1000000);
	put_at(sink, ab, wall, thread("x", "8"), 1500000, 2000001);
	put_at(sink, a, wall, thread("main", "7"), 1000000, 1);
	cr_expect_eq(flame_finish(sink), FLAME_OK);
}

static void expect(const char *text)
{
	cr_expect(out.data && strstr(out.data, text), "%s\nnot in\n%s", text,
		  out.data);
}

Test(rows, firefox_has_threads_and_times)
{
	put_timed(writer("firefox"));
	expect("\"startTime\":1,");
	expect("\"name\":\"main\",\"isMainThread\":true,\"pid\":\"7\","
	       "\"tid\":7,\n\"samples\":{\"weightType\":\"tracing-ms\",\n"
	       "\"weight\":[0.000001],\n\"stack\":[0],\n\"time\":[0],\n"
	       "\"length\":1}");
	expect("\"name\":\"x\",\"isMainThread\":false,\"pid\":\"7\","
	       "\"tid\":8,");
	expect("\"weight\":[2.000001,1],\n\"stack\":[1,2],\n"
	       "\"time\":[0.5,1.5],\n\"length\":2}");
	expect("\"stackTable\":{\"frame\":[0,1,2],\n"
	       "\"prefix\":[null,0,0],\n\"length\":3}");
	expect("\"category\":[0,5,2]");
	expect("\"stringArray\":[\n\"a\",\n\"b_[k]\",\n\"c_[j]\"]");
}

/* One begins where the other ends. */
Test(rows, firefox_without_times_is_in_the_order_of_stacks)
{
	put_some(writer("firefox"));
	expect("\"isMainThread\":true,\"pid\":\"unknown\","
	       "\"tid\":\"unknown\"");
	expect("\"weightType\":\"samples\",\n\"weight\":[4,2,9],\n"
	       "\"stack\":[0,1,2],\n\"time\":[0,4,6],\n");
}

Test(rows, firefox_of_nothing_has_an_empty_thread)
{
	cr_expect_eq(flame_finish(writer("firefox")), FLAME_OK);
	expect("\"stackTable\":{\"frame\":[],\n\"prefix\":[],\n"
	       "\"length\":0}");
}

Test(rows, several_metrics_are_not_mixed)
{
	struct flame_sink *sink = writer("firefox");
	flame_id a = stack(0, "a", FLAME_UNKNOWN);

	put(sink, a, flame_metric(flame, "x", "ns"), 0, 1);
	put(sink, a, flame_metric(flame, "y", "ns"), 0, 1);
	cr_expect_eq(flame_finish(sink), FLAME_FAILED);
	cr_expect(strstr(flame_error(flame), "there are 2"));
}

/* Gaps that are shorter than a sample are closed, and frames go on. */
Test(rows, a_trace_has_frames_at_their_times)
{
	put_timed(writer("trace-event"));
	expect("\"metric\":\"wall\",\"unit\":\"ns\",\"unit_ns\":1}");
	expect("{\"ph\":\"M\",\"pid\":7,\"tid\":7,\"ts\":0,"
	       "\"name\":\"thread_name\",\"args\":{\"name\":\"main\"}},\n"
	       "{\"ph\":\"B\",\"pid\":7,\"tid\":7,\"ts\":0,"
	       "\"name\":\"a\"},\n"
	       "{\"ph\":\"E\",\"pid\":7,\"tid\":7,\"ts\":0.001,"
	       "\"name\":\"a\"},\n");
	expect("\"tid\":8,\"ts\":0,\"name\":\"a\"},\n"
	       "{\"ph\":\"B\",\"pid\":7,\"tid\":8,\"ts\":0,"
	       "\"name\":\"b_[k]\"},\n"
	       "{\"ph\":\"E\",\"pid\":7,\"tid\":8,\"ts\":2000.001,"
	       "\"name\":\"b_[k]\"},\n"
	       "{\"ph\":\"B\",\"pid\":7,\"tid\":8,\"ts\":2000.001,"
	       "\"name\":\"c_[j]\"},\n"
	       "{\"ph\":\"E\",\"pid\":7,\"tid\":8,\"ts\":3000.001,"
	       "\"name\":\"c_[j]\"},\n"
	       "{\"ph\":\"E\",\"pid\":7,\"tid\":8,\"ts\":3000.001,"
	       "\"name\":\"a\"}]}\n");
}

/* Viewers sort, and would end the x that begins. */
Test(rows, frames_of_a_trace_that_end_and_begin_are_told_apart)
{
	struct flame_sink *sink = writer("trace-event");
	flame_id cpu = flame_metric(flame, "cpu", "ns");
	flame_id a = stack(0, "a", FLAME_UNKNOWN);
	flame_id x = stack(a, "x", FLAME_UNKNOWN);

	put(sink, stack(stack(a, "b", 0), "x", 0), cpu, 0, 1000);
	put(sink, x, cpu, 0, 2000);
	cr_expect_eq(flame_finish(sink), FLAME_OK);
	expect("\"ts\":1,\"name\":\"a\"},\n"
	       "{\"ph\":\"B\",\"pid\":0,\"tid\":1073741825,\"ts\":1.001,"
	       "\"name\":\"a\"},\n"
	       "{\"ph\":\"B\",\"pid\":0,\"tid\":1073741825,\"ts\":1.001,"
	       "\"name\":\"x\"},\n"
	       "{\"ph\":\"E\",\"pid\":0,\"tid\":1073741825,\"ts\":3.001,"
	       "\"name\":\"x\"},\n");
}

/* Threads of two machines with the same number. */
Test(rows, a_trace_keeps_threads_apart)
{
	struct flame_sink *sink = writer("trace-event");
	flame_id a = stack(0, "a", FLAME_UNKNOWN);
	flame_id cpu = flame_metric(flame, "cpu", "samples");

	put_at(sink, a, cpu, thread("x", "8"), FLAME_NOTIME, 1);
	put_at(sink, a, cpu, thread("y", "8"), FLAME_NOTIME, 2);
	put_at(sink, a, cpu, 0, FLAME_NOTIME, -3);
	cr_expect_eq(flame_finish(sink), FLAME_OK);
	expect("\"tid\":8,\"ts\":1,\"name\":\"a\"}");
	expect("\"tid\":1073741827,\"ts\":2,\"name\":\"a\"}");
	cr_expect_str_eq(said.data, "1 stacks weigh less than 0 and are left "
				    "out\n");
}

/* The interval is about as long as the samples lie apart. */
Test(rows, a_trace_of_counts_fills_its_time_and_is_read_again)
{
	struct flame_sink *sink = writer("trace-event");
	flame_id a = stack(0, "a", FLAME_UNKNOWN);
	flame_id cpu = flame_metric(flame, "cpu", "samples");
	struct flame_source *source;
	struct flame_sample s;

	for (int i = 0; i < 5; i++)
		put_at(sink, a, cpu, thread("x", "8"), 1000 + 1000 * i, 7);
	cr_expect_eq(flame_finish(sink), FLAME_OK);
	expect("\"unit\":\"samples\",\"unit_ns\":114}");
	source = flame_open_memory(flame, out.data, out.size, "t", NULL);
	cr_assert_eq(flame_next(source, &s), FLAME_OK);
	cr_expect(s.weight == 35 && s.stack == a && s.metric == cpu);
	cr_expect_eq(flame_next(source, &s), FLAME_END);
	flame_close(source);
}

Test(rows, speedscope_of_times_is_evented)
{
	put_timed(writer("speedscope"));
	expect("\"profiles\":[{\"type\":\"evented\","
	       "\"name\":\"Process 7 Thread 7 \\\"main\\\"\","
	       "\"unit\":\"nanoseconds\",\"startValue\":0,\"events\":[\n"
	       "{\"type\":\"O\",\"frame\":0,\"at\":0},\n"
	       "{\"type\":\"C\",\"frame\":0,\"at\":1}],\n"
	       "\"endValue\":1},");
	expect("\"events\":[\n{\"type\":\"O\",\"frame\":0,\"at\":0},\n"
	       "{\"type\":\"O\",\"frame\":1,\"at\":0},\n"
	       "{\"type\":\"C\",\"frame\":1,\"at\":2000001},\n"
	       "{\"type\":\"O\",\"frame\":2,\"at\":2000001},\n"
	       "{\"type\":\"C\",\"frame\":2,\"at\":3000001},\n"
	       "{\"type\":\"C\",\"frame\":0,\"at\":3000001}],\n");
}

Test(rows, firefox_has_samples_without_a_stack)
{
	struct flame_sink *sink = writer("firefox");

	put(sink, 0, flame_metric(flame, "cpu", "samples"), 0, 5);
	cr_expect_eq(flame_finish(sink), FLAME_OK);
	expect("\"weight\":[5],\n\"stack\":[null],\n");
}

/* Frames that begin and end have no place for them. */
Test(rows, timelines_tell_of_samples_without_a_stack)
{
	static const char *const formats[] = { "speedscope", "trace-event" };
	flame_id a = stack(0, "a", FLAME_UNKNOWN);
	flame_id lock = flame_metric(flame, "lock", "ns");

	for (size_t i = 0; i < FL_COUNT(formats); i++) {
		struct flame_sink *sink = writer(formats[i]);

		said.size = 0;
		put_at(sink, a, lock, thread("x", "8"), 1000, 7);
		put_at(sink, 0, lock, thread("x", "8"), 2000, 5);
		put_at(sink, 0, lock, thread("y", "9"), 3000, 6);
		cr_expect_eq(flame_finish(sink), FLAME_OK);
		cr_expect_str_eq(said.data,
				 "2 samples without a stack, of weight 11, "
				 "are gaps in the timeline\n");
		fl_buf_free(&out);
	}
}
