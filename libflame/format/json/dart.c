/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Format dart: reads samples of the Dart VM's CPU profiler, as its service and
 * Flutter's DevTools save them:
 *
 *	{"type":"CpuSamples","samplePeriod":50,"pid":7,
 *	 "functions":[{"function":{"name":"f","owner":{"type":"@Class",
 *	  "name":"C"}}}],"samples":[{"tid":1,"timestamp":50,"stack":[0]}]}
 *
 * alone, or under "cpu-profiler" in a snapshot of DevTools.  Stacks are numbers
 * of functions, the innermost first.  The other kind of snapshot, with
 * "stackFrames", is a trace (trace_event.c).
 */
#include "fl.h"

#include "format/json/frame_trie.h"
#include "format/json/tree.h"

struct function {
	flame_id name, owner, owner_type;
};

struct sample {
	int64_t tid;
	struct fl_json_integers stack;
};

struct dart {
	struct fl_json_source js;
	const struct fl_total_options *options;
	struct fl_frame_trie trie;
	flame_id *frames;
	size_t nframes, frames_capacity;
	struct sum {
		uint32_t node;
		int64_t tid;
	} *sums;
	size_t nsums, sums_capacity;
	struct sample sample;
	struct fl_buf buf;
	int64_t pid, period;		/* period: us, of a sample */
};

static const struct fl_json_field owner_fields[] = {
	FL_FIELD("type", NAME, struct function, owner_type),
	FL_FIELD("name", NAME, struct function, owner),
	{ .key = NULL }
};

static const struct fl_json_field function_fields[] = {
	FL_FIELD("name", NAME, struct function, name),
	FL_FIELD_ROWS("owner", INNER, owner_fields),
	{ .key = NULL }
};

static const struct fl_json_field entry_fields[] = {
	FL_FIELD_ROWS("function", INNER, function_fields),
	{ .key = NULL }
};

/* "C.m" of a class, "f.<anonymous closure>" of a function. */
static flame_id frame_of(struct dart *d, const struct function *function)
{
	struct flame *flame = d->js.flame;
	struct slice name = fl_name_at(flame, function->name);
	struct slice owner = fl_name_at(flame, function->owner);
	struct slice type = fl_name_at(flame, function->owner_type);

	d->buf.size = 0;
	if (owner.size && (fl_slice_is(type, "@Class") ||
			   fl_slice_is(type, "@Function")))
		fl_buf_print(&d->buf, "%.*s.", (int)owner.size, owner.data);
	fl_buf_put(&d->buf, name.data, name.size);
	if (!d->buf.size)
		fl_buf_text(&d->buf, "[unknown]");
	if (d->buf.failed)
		fl_no_memory(flame);
	return fl_frame(flame, flame_name(flame, d->buf.data ? d->buf.data : "",
					  d->buf.size), FLAME_UNKNOWN);
}

static void read_function(struct fl_json_source *js, void *object)
{
	struct dart *d = object;
	struct function function = { 0 };

	fl_json_object(js, entry_fields, &function);
	if (!fl_grow(&d->frames, &d->frames_capacity, d->nframes + 1,
		     sizeof(*d->frames)))
		fl_no_memory(js->flame);
	else
		d->frames[d->nframes++] = frame_of(d, &function);
}

static const struct fl_json_field sample_fields[] = {
	FL_FIELD("tid", INTEGER, struct sample, tid),
	FL_FIELD("stack", INTEGERS, struct sample, stack),
	{ .key = NULL }
};

static void read_sample(struct fl_json_source *js, void *object)
{
	struct dart *d = object;
	struct sample *s = &d->sample;
	struct sum sum = { 0 };

	s->tid = -1;
	s->stack.count = 0;
	fl_json_object(js, sample_fields, s);
	if (js->json.error)
		return;
	for (size_t i = s->stack.count; i; i--)
		if (!fl_frame_trie_add(js->flame, &d->trie, sum.node,
				       s->stack.data[i - 1], &sum.node))
			return;
	sum.tid = s->tid;
	if (!fl_grow(&d->sums, &d->sums_capacity, d->nsums + 1,
		     sizeof(*d->sums)))
		fl_no_memory(js->flame);
	else
		d->sums[d->nsums++] = sum;
}

static const struct fl_json_field profile_fields[] = {
	FL_FIELD("samplePeriod", INTEGER, struct dart, period),
	FL_FIELD("pid", INTEGER, struct dart, pid),
	FL_FIELD_CALL("functions", EACH, read_function),
	FL_FIELD_CALL("samples", EACH, read_sample),
	{ .key = NULL }
};

static const struct fl_json_field document[] = {
	FL_FIELD("samplePeriod", INTEGER, struct dart, period),
	FL_FIELD("pid", INTEGER, struct dart, pid),
	FL_FIELD_CALL("functions", EACH, read_function),
	FL_FIELD_CALL("samples", EACH, read_sample),
	FL_FIELD_ROWS("cpu-profiler", INNER, profile_fields),
	{ .key = NULL }
};

static void add_sample(struct dart *d, const struct sum *sum, flame_id stack,
		       flame_id metric)
{
	int64_t ns = fl_mul_clamped(FL_MAX(d->period, 0), 1000);
	struct flame_sample sample = {
		.stack = stack, .metric = metric, .time = FLAME_NOTIME,
		.weight = d->options->total ? ns : 1,
	};

	if (sum->tid >= 0 && fl_json_wants_thread(&d->js))
		sample.thread = fl_json_thread(d->js.flame, FL_SLICE(""),
					       d->pid, sum->tid);
	fl_metric_count(d->js.flame, metric, 1, ns);
	if (!stack && sum->node)
		fl_json_bad(&d->js, "a sample of a function that is not there");
	else if (!stack)
		d->js.flame->metrics[metric].no_stack++;
	else if (sample.weight)
		fl_json_add(&d->js, &sample);
}

static void read_document(struct flame_source *source)
{
	struct dart *d = source->state;
	flame_id metric, *stacks;

	d->nframes = d->nsums = 0;
	d->pid = -1;
	d->period = 0;
	if (!fl_frame_trie_clear(source->flame, &d->trie) ||
	    !fl_json_object(&d->js, document, d) || !d->nsums)
		return;
	metric = fl_metric(source->flame, "cpu", "ns",
			   d->options->total ? "ns" : "samples");
	stacks = fl_frame_trie_stacks(source->flame, &d->trie, d->frames,
				      d->nframes);
	for (size_t i = 0; stacks && i < d->nsums &&
			   !fl_failed(source->flame); i++)
		add_sample(d, &d->sums[i], stacks[d->sums[i].node], metric);
	fl_free(stacks);
}

/* The row of formats.def ------------------------------------------------- */

static int open_dart(struct flame_source *source)
{
	struct dart *d = source->state;

	d->options = source->options;
	return fl_json_source_open(source);
}

static void release(void *state)
{
	struct dart *d = state;

	fl_json_source_free(&d->js);
	fl_frame_trie_free(&d->trie);
	fl_free(d->frames);
	fl_free(d->sums);
	fl_free(d->sample.stack.data);
	fl_buf_free(&d->buf);
}

static int read(struct flame_source *source)
{
	struct dart *d = source->state;

	return fl_json_read(&d->js, read_document);
}

static int probe(const uint8_t *head, size_t n, bool whole)
{
	static const char *const paths[] = {
		"functions.function", "cpu-profiler.functions",
	};

	return fl_json_probe_any(head, n, whole, paths, FL_COUNT(paths));
}

const struct fl_format fl_format_dart = {
	.name = "dart",
	.summary = "CPU samples of Dart and Flutter's DevTools",
	.probe = probe,
	.state_size = sizeof(struct dart),
	.open = open_dart,
	.read = read,
	.release = release,
	.json = true,
	.options = &fl_total_option_table,
};
