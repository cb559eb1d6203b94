/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Format safari: reads recordings of Safari's timelines and returns their
 * samples of CPU time:
 *
 *	{"version":1,"recording":{"sampleStackTraces":[{"timestamp":4.47,
 *	 "stackFrames":[{"name":"f","url":"a.js","line":2},...]}],
 *	 "sampleDurations":[0.001,...]}}
 *
 * Frames are leaf first; the durations, in s, may come before or after them.
 */
#include "fl.h"

#include "format/json/fields.h"

struct safari {
	struct fl_json_source js;
	const struct fl_total_options *options;
	struct fl_trace trace;
	flame_id *stacks;
	size_t nstacks, stacks_capacity;
	int64_t *durations;	/* ns */
	size_t ndurations, durations_capacity;
};

static const struct fl_json_field frame_fields[] = {
	FL_FIELD("name", NAME, struct flame_frame, name),
	FL_FIELD("url", NAME, struct flame_frame, file),
	FL_FIELD("line", LINE, struct flame_frame, line),
	{ .key = NULL }
};

static void read_frame(struct fl_json_source *js, void *object)
{
	struct safari *s = object;
	struct flame_frame frame = { .type = FLAME_UNKNOWN };

	fl_json_object(js, frame_fields, &frame);
	if (!frame.name)
		frame.name = fl_name(js->flame, "(anonymous)");
	fl_trace_add(js->flame, &s->trace, &frame);
}

static const struct fl_json_field trace_fields[] = {
	FL_FIELD_CALL("stackFrames", EACH, read_frame),
	{ .key = NULL }
};

static void read_trace(struct fl_json_source *js, void *object)
{
	struct safari *s = object;

	s->trace.count = 0;
	fl_json_object(js, trace_fields, s);
	if (js->json.error)
		return;
	if (!fl_grow(&s->stacks, &s->stacks_capacity, s->nstacks + 1,
		     sizeof(*s->stacks)))
		fl_no_memory(js->flame);
	else
		s->stacks[s->nstacks++] =
			fl_trace_stack(js->flame, 0, &s->trace);
}

static void read_durations(struct fl_json_source *js, void *object)
{
	struct safari *s = object;
	struct fl_json *json = &js->json;
	int64_t n;

	while (fl_json_element(json)) {
		if (json->token != FL_JSON_NUMBER ||
		    !fl_parse_decimal(json->text, 9, &n)) {
			fl_json_bad(&s->js, "a duration that is not a number");
			n = 0;
		}
		if (json->token != FL_JSON_NUMBER)
			fl_json_skip(json);
		if (!fl_grow(&s->durations, &s->durations_capacity,
			     s->ndurations + 1, sizeof(*s->durations))) {
			fl_no_memory(s->js.flame);
			return;
		}
		s->durations[s->ndurations++] = FL_MAX(n, 0);
	}
}

static void give_samples(struct safari *s)
{
	bool counts = !s->options->total;
	flame_id metric;

	if (!s->nstacks)
		return;
	metric = fl_metric(s->js.flame, "cpu", "ns",
			   counts ? "samples" : "ns");
	for (size_t i = 0; i < s->nstacks && !fl_failed(s->js.flame); i++) {
		int64_t ns = i < s->ndurations ? s->durations[i] : 0;
		struct flame_sample sample = {
			.stack = s->stacks[i], .metric = metric,
			.time = FLAME_NOTIME, .weight = counts ? 1 : ns,
		};

		fl_metric_count(s->js.flame, metric, 1, ns);
		if (sample.stack && sample.weight)
			fl_json_add(&s->js, &sample);
	}
}

static const struct fl_json_field recording[] = {
	FL_FIELD_CALL("sampleStackTraces", EACH, read_trace),
	FL_FIELD_CALL("sampleDurations", LIST, read_durations),
	{ .key = NULL }
};

static const struct fl_json_field document[] = {
	FL_FIELD_ROWS("recording", INNER, recording),
	{ .key = NULL }
};

static void read_document(struct flame_source *source)
{
	struct safari *s = source->state;

	s->nstacks = s->ndurations = 0;
	if (fl_json_object(&s->js, document, s))
		give_samples(s);
}

/* The row of formats.def ------------------------------------------------- */

static int open_safari(struct flame_source *source)
{
	struct safari *s = source->state;

	fl_json_source_init(&s->js, source);
	s->options = source->options;
	return FLAME_OK;
}

static void release(void *state)
{
	struct safari *s = state;

	fl_json_source_free(&s->js);
	fl_free(s->trace.frames);
	fl_free(s->stacks);
	fl_free(s->durations);
}

static int read(struct flame_source *source)
{
	struct safari *s = source->state;

	return fl_json_read(&s->js, read_document);
}

static int probe(const uint8_t *head, size_t n, bool whole)
{
	static const char *const paths[] = {
		"recording.sampleStackTraces", "recording.instrumentTypes"
	};

	return fl_json_probe_any(head, n, whole, paths, FL_COUNT(paths));
}

const struct fl_format fl_format_safari = {
	.name = "safari",
	.summary = "recordings of Safari's timelines",
	.probe = probe,
	.state_size = sizeof(struct safari),
	.open = open_safari,
	.read = read,
	.release = release,
	.json = true,
	.options = &fl_total_option_table,
};
