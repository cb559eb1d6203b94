/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Format trace-event: reads Trace Event, the JSON of Chrome's about:tracing and
 * of Perfetto, which many programs write: py-spy -f chrometrace, VizTracer,
 * Hermes, clang -ftime-trace.  Frames begin (B) and end (E), or are complete
 * (X), on threads of processes; the time between two events is the innermost
 * open frame's and becomes the weight of its stack (trace_stacks.c).
 *
 * Events need not be in order.  Those of a thread are buffered until the end,
 * but for a thread that has begins and ends alone, in order.
 *
 * CPU profiles of DevTools are in events of their own: trace_profiles.c.
 * Not read, and reported: asynchronous events, which are of no thread's stack.
 */
#include "fl.h"

#include "write/rows.h"
#include "format/json/fields.h"
#include "format/json/trace.h"

#include <inttypes.h>

enum { PLACES = 3 };	/* of microseconds, for nanoseconds */

/* An event while it is read. */
struct reading {
	char phase;
	flame_id name, pid, tid, id, stack_frame, args_name, file;
	int64_t time, duration, weight, line;
	bool has_time, pyspy, trace_span, average;
	uint64_t args;
};

static bool no_memory(struct trace *t)
{
	fl_no_memory(t->js.flame);
	return false;
}

/* Keys ----------------------------------------------------------------- */

/* py-spy's as in its other outputs; others with :LINE if that is wanted. */
static flame_id frame_of(struct trace *t, const struct reading *e)
{
	struct flame *flame = t->js.flame;
	struct slice name = fl_name_at(flame, e->name);
	struct slice file = fl_name_at(flame, e->file);
	bool with_file = e->pyspy && file.size;
	struct fl_buf *buf = &t->buf;

	buf->size = 0;
	fl_buf_put(buf, name.data, name.size);
	if (!name.size)
		fl_buf_text(buf, "(unnamed)");
	if (with_file) {
		fl_buf_text(buf, " (");
		fl_buf_put(buf, file.data, file.size);
	}
	if (e->line > 0 && (with_file || (t->options->lines && !e->pyspy))) {
		fl_buf_byte(buf, ':');
		fl_buf_number(buf, e->line);
	}
	if (with_file)
		fl_buf_byte(buf, ')');
	return fl_frame(flame, flame_name(flame, buf->data ? buf->data : "",
					  buf->size), FLAME_UNKNOWN);
}

static bool find_key(struct trace *t, const struct reading *e, uint32_t *key)
{
	uint64_t hash = fl_hash_pair(e->name, e->args);
	uint32_t i = fl_index_first(&t->key_index, hash), id;

	while ((id = fl_index_next(&t->key_index, hash, &i)))
		if (t->keys[id - 1].name == e->name &&
		    t->keys[id - 1].args == e->args) {
			*key = id - 1;
			return true;
		}
	if (t->nkeys >= UINT32_MAX - 1 ||
	    !fl_grow(&t->keys, &t->keys_capacity, t->nkeys + 1,
		     sizeof(*t->keys)) ||
	    !fl_index_add(&t->key_index, hash, (uint32_t)t->nkeys + 1))
		return no_memory(t);
	*key = (uint32_t)t->nkeys;
	t->keys[t->nkeys++] = (struct key){
		e->name, frame_of(t, e), e->args
	};
	return true;
}

/* Reading -------------------------------------------------------------- */

/* The value of a key right within args. */
static void take_arg(struct trace *t, struct reading *e, char which)
{
	struct fl_json *json = &t->js.json;
	bool text = json->token == FL_JSON_STRING;

	if (which == 'f' && text)
		e->file = flame_name(t->js.flame, json->text.data,
				     json->text.size);
	else if (which == 'n' && text)
		e->args_name = flame_name(t->js.flame, json->text.data,
					  json->text.size);
	else if (which == 'l' && (text || json->token == FL_JSON_NUMBER))
		fl_parse_int(json->text, &e->line);
}

static char arg_of(const struct fl_json *json)
{
	return fl_json_is(json, "data") ? 'd' :
	       fl_json_is(json, "filename") ? 'f' :
	       fl_json_is(json, "name") ? 'n' :
	       fl_json_is(json, "line") ? 'l' : 0;
}

/* Whether the key read last is of a CPU profile, whose value is read then. */
static bool read_profile(struct trace *t)
{
	const struct fl_json *json = &t->js.json;
	bool deltas = fl_json_is(json, "timeDeltas");

	if (!deltas && !fl_json_is(json, "cpuProfile"))
		return false;
	fl_trace_read_profile(t, deltas);
	return true;
}

static void read_args(struct fl_json_source *js, void *object)
{
	struct trace *t = js->source->state;
	struct reading *e = object;
	struct fl_json *json = &js->json;
	size_t depth = json->depth;
	char which = 0;

	while (fl_json_next(json) != FL_JSON_FAILED && json->depth >= depth) {
		uint64_t hash = json->token;

		if (json->token >= FL_JSON_KEY &&
		    json->token <= FL_JSON_NUMBER)
			hash += fl_hash(json->text.data, json->text.size);
		e->args = fl_hash_pair(e->args, hash);
		if (json->depth == depth && json->token == FL_JSON_KEY) {
			which = arg_of(json);
			e->average |= fl_json_is(json, "avg ms");
		}
		else if (json->depth == depth + 1 && which == 'd' &&
			 json->token == FL_JSON_KEY && read_profile(t))
			continue;
		else
			take_arg(t, e, json->depth == depth ? which : 0);
	}
}

static void read_phase(struct fl_json_source *js, void *object)
{
	struct reading *e = object;
	struct slice text;

	if (fl_json_string(&js->json, &text) && text.size == 1)
		e->phase = text.data[0];
}

/* The duration of a thread's CPU time, where there is no other. */
static void read_cpu_duration(struct fl_json_source *js, void *object)
{
	struct reading *e = object;
	int64_t n;

	if (fl_json_decimal(&js->json, PLACES, &n) &&
	    e->duration == FLAME_NOTIME)
		e->duration = n;
}

static void read_category(struct fl_json_source *js, void *object)
{
	struct reading *e = object;
	struct slice text;

	if (!fl_json_string(&js->json, &text))
		return;
	e->pyspy = fl_slice_is(text, "py-spy");
	e->trace_span = fl_slice_is(text, "Trace");
}

static const struct fl_json_field event_fields[] = {
	FL_FIELD("pid", WORD, struct reading, pid),
	FL_FIELD("tid", WORD, struct reading, tid),
	FL_FIELD_NUMBER("ts", PLACES, NULL, struct reading, time),
	FL_FIELD_NUMBER("dur", PLACES, NULL, struct reading, duration),
	FL_FIELD_CALL("ph", VALUE, read_phase),
	FL_FIELD_CALL("cat", VALUE, read_category),
	FL_FIELD("name", WORD, struct reading, name),
	FL_FIELD_CALL("args", INNER, read_args),
	FL_FIELD("id", WORD, struct reading, id),
	FL_FIELD("sf", WORD, struct reading, stack_frame),
	FL_FIELD_CALL("tdur", VALUE, read_cpu_duration),
	FL_FIELD("weight", INTEGER, struct reading, weight),
	{ .key = NULL }
};

static void take_metadata(struct trace *t, const struct reading *e)
{
	uint32_t thread;

	if (fl_slice_is(fl_name_at(t->js.flame, e->name), "thread_name") &&
	    fl_trace_thread(t, e->pid, e->tid, &thread))
		t->threads[thread].name = e->args_name;
}

static void take_sample(struct trace *t, const struct reading *e)
{
	uint32_t thread;

	if (!e->stack_frame || !fl_trace_thread(t, e->pid, e->tid, &thread))
		return;
	if (!fl_grow(&t->samples, &t->samples_capacity, t->nsamples + 1,
		     sizeof(*t->samples))) {
		no_memory(t);
		return;
	}
	t->samples[t->nsamples++] = (struct frame_sample){
		e->stack_frame, thread, e->time, e->weight
	};
}

/* Chrome wrote whole profiles until version 66, pieces of them since. */
static bool take_profile(struct trace *t, const struct reading *e)
{
	struct slice name = fl_name_at(t->js.flame, e->name);
	bool begins = fl_slice_is(name, "Profile") && e->phase == 'P';

	if (!begins && !fl_slice_is(name, "ProfileChunk") &&
	    !(fl_slice_is(name, "CpuProfile") && e->phase == 'I'))
		return false;
	fl_trace_take_profile(t, e->pid, e->tid, e->id, begins);
	return true;
}

/*
 * py-spy compares a stack with the last one of its thread id, whatever the
 * process, and writes what differs: forked workers, whose thread ids are the
 * same, share one stack in its files, and distinguish processes by frames.
 */
static bool thread_of(struct trace *t, const struct reading *e,
		      uint32_t *thread)
{
	if (!fl_trace_thread(t, e->pyspy ? 0 : e->pid, e->tid, thread))
		return false;
	if (e->pyspy) {
		struct thread *th = &t->threads[*thread];

		if (!th->order)
			th->pid = e->pid;
		else if (th->pid != e->pid)
			th->pid = 0;
		t->mixed |= !th->pid;
	}
	return true;
}

/*
 * What a writer adds up or spans over its own trace, on threads that it makes
 * up: clang's "Total Frontend" and PyTorch's "PyTorch Profiler (0)".
 */
static bool is_summary(struct trace *t, const struct reading *e)
{
	struct flame *flame = t->js.flame;
	struct slice name = fl_name_at(flame, e->name);

	return (e->average && fl_slice_starts(name, "Total ")) ||
	       (e->trace_span &&
		(fl_slice_starts(name, "PyTorch Profiler") ||
		 fl_slice_is(fl_name_at(flame, e->pid), "Spans")));
}

static void take_event(struct trace *t, const struct reading *e)
{
	uint32_t thread, key;

	if (e->phase == 'X' && e->duration < 0) {
		fl_json_bad(&t->js, "a complete event without a duration");
		return;
	}
	if (e->phase == 'X' && is_summary(t, e)) {
		t->nsummaries++;
		return;
	}
	switch (e->phase) {
	case 'X':
	case 'B':
	case 'E':
		if (!e->has_time)
			fl_json_bad(&t->js, "an event without a time");
		else if (thread_of(t, e, &thread) && find_key(t, e, &key))
			fl_trace_hold(t, thread, &(struct event){
				.time = e->time, .key = key,
				.phase = e->phase,
				.duration = e->phase == 'X' ? e->duration : 0,
			});
		return;
	case 'M':
		take_metadata(t, e);
		return;
	case 'P':
	case 'I':
		if (!take_profile(t, e) && e->phase == 'P')
			take_sample(t, e);
		return;
	case 'b':
	case 'S':
		t->nasync++;
		return;
	}
}

static void read_event(struct fl_json_source *js, char phase)
{
	struct trace *t = js->source->state;
	struct reading e = {
		.phase = phase, .weight = 1,
		.time = FLAME_NOTIME, .duration = FLAME_NOTIME,
	};

	fl_json_object(js, event_fields, &e);
	e.has_time = e.time != FLAME_NOTIME;
	if (!e.has_time)
		e.time = 0;
	if (!js->json.error)
		take_event(t, &e);
	fl_trace_drop_piece(t);
}

static void read_phased(struct fl_json_source *js, void *object)
{
	(void)object;
	read_event(js, 0);
}

/* One of the "samples", which have no phase. */
static void read_sample(struct fl_json_source *js, void *object)
{
	(void)object;
	read_event(js, 'P');
}

/* Writers that stream events may never write the bracket. */
static void read_events(struct fl_json_source *js, void *object)
{
	size_t depth = js->json.depth;

	fl_json_each(js, read_phased, object);
	js->unfinished_is_fine = js->json.cut && js->json.depth == depth;
}

static void read_samples(struct fl_json_source *js, void *object)
{
	size_t depth = js->json.depth;

	fl_json_each(js, read_sample, object);
	js->unfinished_is_fine = js->json.cut && js->json.depth == depth;
}

static const struct fl_json_field stack_frame_fields[] = {
	FL_FIELD("name", WORD, struct stack_frame, name),
	FL_FIELD("parent", WORD, struct stack_frame, parent),
	{ .key = NULL }
};

static void read_stack_frames(struct fl_json_source *js, void *object)
{
	struct trace *t = object;
	struct fl_json *json = &js->json;

	while (fl_json_key(json)) {
		struct stack_frame frame = { 0 };
		uint64_t *id;

		frame.id = flame_name(js->flame, json->text.data,
				      json->text.size);
		fl_json_next(json);
		if (!fl_json_object(js, stack_frame_fields, &frame))
			continue;
		id = fl_map_put(&t->frame_ids, frame.id, NULL);
		if (!id || !fl_grow(&t->frames, &t->frames_capacity,
				    t->nframes + 1, sizeof(*t->frames))) {
			no_memory(t);
			return;
		}
		*id = t->nframes;
		t->frames[t->nframes++] = frame;
	}
}

/* Samples with stacks of frames ---------------------------------------- */

static struct stack_frame *frame_named(struct trace *t, flame_id id)
{
	const uint64_t *place = id ? fl_map_get(&t->frame_ids, id) : NULL;

	return place ? &t->frames[*place] : NULL;
}

/*
 * Up to the first frame whose stack is known, and down again; a path as long as
 * there are frames is a loop of parents.
 */
static flame_id stack_of(struct trace *t, flame_id id)
{
	struct stack_frame *frame = frame_named(t, id);
	flame_id stack;
	size_t n = 0;
	bool cyclic;

	for (; frame && !frame->stack && !frame->cyclic && n < t->nframes;
	     frame = frame_named(t, frame->parent)) {
		if (!fl_grow(&t->path, &t->path_capacity, n + 1,
			     sizeof(*t->path))) {
			no_memory(t);
			return 0;
		}
		t->path[n++] = (uint32_t)(frame - t->frames);
	}
	cyclic = frame && !frame->stack;
	stack = frame ? frame->stack : 0;
	while (n--) {
		frame = &t->frames[t->path[n]];
		frame->cyclic = cyclic;
		if (cyclic)
			continue;
		stack = flame_stack(t->js.flame, stack,
				    fl_frame(t->js.flame, frame->name,
					     FLAME_UNKNOWN));
		frame->stack = stack;
	}
	return stack;
}

/* From a sample to the next of its thread; the last one has no time. */
static void add_frame_samples(struct trace *t)
{
	int64_t *next = fl_zeroed(t->nthreads + 1, sizeof(*next));

	if (!next) {
		no_memory(t);
		return;
	}
	for (size_t i = t->nsamples; i-- && !fl_failed(t->js.flame);) {
		const struct frame_sample *s = &t->samples[i];
		flame_id stack = stack_of(t, s->stack_frame);
		int64_t time = next[s->thread] > s->time ?
			       next[s->thread] - s->time : 0;

		next[s->thread] = s->time;
		if (stack)
			fl_trace_sum(t, s->thread, stack, (uint64_t)
			       FL_MAX(s->weight, 1), time);
		else
			fl_json_bad(&t->js, "a sample whose frames are not "
				    "there");
	}
	fl_free(next);
}

/* The document --------------------------------------------------------- */

/* A trace written by us: all frames, in their original unit. */
static bool is_ours(const struct trace *t)
{
	return t->weights.ours && t->weights.unit_ns > 0 &&
	       t->weights.metric && t->weights.unit;
}

static int64_t number_of(struct trace *t, flame_id name)
{
	int64_t n;

	return fl_parse_int(fl_name_at(t->js.flame, name), &n) ? n : -1;
}

static flame_id labels_of(struct trace *t, const struct thread *th)
{
	int64_t pid = number_of(t, th->pid), tid = number_of(t, th->tid);

	/* Our writer has numbers for those that have none. */
	if (is_ours(t) && tid >= FL_TRACE_NO_TID)
		tid = -1;
	if (is_ours(t) && !pid)
		pid = -1;
	return fl_json_thread(t->js.flame, fl_name_at(t->js.flame, th->name),
			      pid, tid);
}

/* Parts of a span stand for a moment each, as samples do. */
#define PART_NS INT64_C(10000000)

void fl_trace_span(struct trace *t, uint32_t thread, flame_id stack,
		   int64_t begin, int64_t end)
{
	struct thread *th = &t->threads[thread];
	struct flame_sample sample = {
		.stack = stack, .metric = fl_metric(t->js.flame, "time", "ns",
						    "ns"),
	};

	if (!th->labels)
		th->labels = labels_of(t, th);
	sample.thread = th->labels;
	for (; begin < end && !fl_failed(t->js.flame); begin += sample.weight) {
		sample.time = begin;
		sample.weight = FL_MIN(end - begin, PART_NS);
		fl_metric_count(t->js.flame, sample.metric, 1, sample.weight);
		fl_json_add(&t->js, &sample);
	}
}

static void give_sum(struct trace *t, const struct sum *sum, flame_id metric,
		     bool counts)
{
	struct flame_sample sample = {
		.stack = sum->stack, .time = FLAME_NOTIME, .metric = metric,
		.weight = counts ? (int64_t)sum->events :
			  is_ours(t) ? sum->time / t->weights.unit_ns :
				       sum->time,
	};

	fl_metric_count(t->js.flame, metric, sum->events, counts ? sum->time :
							    sample.weight);
	if (fl_json_wants_thread(&t->js))
		sample.thread = labels_of(t, &t->threads[sum->thread]);
	if (sample.weight)
		fl_json_add(&t->js, &sample);
}

static void give_profiles(struct trace *t)
{
	t->v8_options = (struct fl_v8_options){
		.total = t->options->total, .lines = t->options->lines
	};
	for (size_t i = 0; i < t->nprofiles && !fl_failed(t->js.flame); i++) {
		const struct trace_profile *p = &t->profiles[i];

		fl_v8_give(p->v8, p->has_thread &&
			   fl_json_wants_thread(&t->js) ?
			   labels_of(t, &t->threads[p->thread]) : 0);
	}
}

static void give_sums(struct trace *t, bool samples)
{
	bool counts = samples && !t->options->total;
	flame_id metric;

	if (!t->nsums)
		return;
	metric = is_ours(t) ?
		 flame_metric(t->js.flame,
			      fl_name_at(t->js.flame, t->weights.metric).data,
			      fl_name_at(t->js.flame, t->weights.unit).data) :
		 fl_metric(t->js.flame, samples ? "cpu" : "time", "ns",
			   counts ? "samples" : "ns");
	for (size_t i = 0; i < t->nsums && !fl_failed(t->js.flame); i++)
		give_sum(t, &t->sums[i], metric, counts);
	t->nsums = 0;
	fl_map_clear(&t->sum_ids);
}

static void forget(struct trace *t)
{
	for (size_t i = 0; i < t->nthreads; i++) {
		fl_free(t->threads[i].events);
		fl_free(t->threads[i].open);
		fl_free(t->threads[i].ends);
	}
	t->nthreads = t->nsums = t->nsamples = t->nframes = 0;
	memset(&t->weights, 0, sizeof(t->weights));
	fl_trace_forget_profiles(t);
	fl_map_clear(&t->thread_ids);
	fl_map_clear(&t->sum_ids);
	fl_map_clear(&t->frame_ids);
}

static void read_exporter(struct fl_json_source *js, void *object)
{
	struct trace *t = object;
	struct slice text;

	t->weights.ours = fl_json_string(&js->json, &text) &&
			  fl_slice_starts(text, "libflame ");
}

static const struct fl_json_field other_data[] = {
	FL_FIELD_CALL("exporter", VALUE, read_exporter),
	FL_FIELD("metric", WORD, struct trace, weights.metric),
	FL_FIELD("unit", WORD, struct trace, weights.unit),
	FL_FIELD("unit_ns", INTEGER, struct trace, weights.unit_ns),
	{ .key = NULL }
};

/* Of a snapshot of Flutter's DevTools. */
static const struct fl_json_field profiler[] = {
	FL_FIELD_CALL("traceEvents", LIST, read_events),
	FL_FIELD_CALL("stackFrames", INNER, read_stack_frames),
	{ .key = NULL }
};

static const struct fl_json_field document[] = {
	FL_FIELD_ROWS("cpu-profiler", INNER, profiler),
	FL_FIELD_CALL("traceEvents", LIST, read_events),
	FL_FIELD_ROWS("otherData", INNER, other_data),
	FL_FIELD_CALL("samples", LIST, read_samples),
	FL_FIELD_CALL("stackFrames", INNER, read_stack_frames),
	{ .key = NULL }
};

static void report(struct trace *t)
{
	struct flame *flame = t->js.flame;
	const char *name = fl_in_name(t->js.source->in);

	if (t->nasync)
		fl_remark(flame, "%s: asynchronous events left out, as they "
			  "are on no thread's stack: %" PRIu64, name,
			  t->nasync);
	if (t->nlate)
		fl_warn(flame, "%s: %" PRIu64 " events come more than %d "
			"events after later ones of their thread: times of "
			"their frames are not exact; sort by ts first", name,
			t->nlate, FL_TRACE_HELD);
	if (t->nsummaries)
		fl_remark(flame, "%s: summaries by the writer left out, as "
			  "their time is in other events: %" PRIu64, name,
			  t->nsummaries);
	if (t->noverlaps)
		fl_remark(flame, "%s: complete events that end within one that "
			  "began later on their thread: %" PRIu64 "; each has "
			  "the time that it ran", name, t->noverlaps);
	if (t->nheld >= FL_TRACE_MANY)
		fl_remark(flame, "%s: events buffered in memory, as they are "
			  "not in the order of their times: %" PRIu64 "; sort "
			  "by ts to need less", name, t->nheld);
	t->nasync = t->nlate = t->nsummaries = t->noverlaps = t->nheld = 0;
}

/*
 * Where processes share a stack, each change of it is of another process, and
 * the times between are of none.
 */
static void check_mixed(struct trace *t)
{
	if (t->timed && t->mixed)
		fl_fail(t->js.flame, "%s: py-spy writes the stacks of several "
			"processes as one, without their times: record each "
			"worker for itself, py-spy record --pid WORKER",
			fl_in_name(t->js.source->in));
}

static void read_document(struct flame_source *source)
{
	struct trace *t = source->state;

	t->timed = source->select.needs & FL_NEED_ALL_METRICS;
	if (t->js.json.token == FL_JSON_ARRAY)
		read_events(&t->js, t);
	else
		fl_json_object(&t->js, document, t);
	fl_trace_end(t);
	check_mixed(t);
	report(t);
	give_sums(t, false);
	add_frame_samples(t);
	give_sums(t, true);
	give_profiles(t);
	forget(t);
}

/* The row of formats.def ------------------------------------------------- */

static int open_trace(struct flame_source *source)
{
	struct trace *t = source->state;

	fl_json_source_init(&t->js, source);
	t->options = source->options;
	return FLAME_OK;
}

static void release(void *state)
{
	struct trace *t = state;

	forget(t);
	fl_json_source_free(&t->js);
	fl_index_free(&t->key_index);
	fl_map_free(&t->thread_ids);
	fl_map_free(&t->sum_ids);
	fl_map_free(&t->frame_ids);
	fl_map_free(&t->profile_ids);
	fl_buf_free(&t->buf);
	fl_v8_free(t->piece);
	fl_free(t->profiles);
	fl_free(t->keys);
	fl_free(t->threads);
	fl_free(t->sums);
	fl_free(t->samples);
	fl_free(t->frames);
	fl_free(t->path);
	fl_free(t->begins);
	fl_free(t->ends);
}

static int read(struct flame_source *source)
{
	struct trace *t = source->state;

	return fl_json_read(&t->js, read_document);
}

static int probe(const uint8_t *head, size_t n, bool whole)
{
	static const char *const paths[] = {
		"ph", "traceEvents", "cpu-profiler.stackFrames",
		"cpu-profiler.traceEvents",
	};

	return fl_json_probe_any(head, n, whole, paths, FL_COUNT(paths));
}

static const struct fl_option rows[] = {
	FL_OPTION_ROW_LINES(struct trace_options),
	FL_OPTION_ROW_TOTAL(struct trace_options),
	{ .name = NULL }
};

static const struct fl_option_table option_table = {
	.rows = rows, .size = sizeof(struct trace_options),
};

const struct fl_format fl_format_trace_event = {
	.name = "trace-event",
	.summary = "JSON of Chrome's traces, py-spy's chrometrace",
	.probe = probe,
	.state_size = sizeof(struct trace),
	.open = open_trace,
	.read = read,
	.release = release,
	.json = true,
	.options = &option_table,
};
