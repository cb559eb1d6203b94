/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Recordings of Safari's timelines, with samples of its profiler:
 *
 *	{"version":1,"recording":{"sampleStackTraces":[{"timestamp":4.47,
 *	 "stackFrames":[{"name":"f","url":"a.js","line":2},...]}],
 *	 "sampleDurations":[0.001,...]}}
 *
 * Frames are leaf first; the durations, in s, may come before or behind.
 */
#include "fl.h"

#include "format/json/source.h"

struct options {
	bool total;
};

struct safari {
	struct fl_json_source js;
	const struct options *options;
	struct fl_trace trace;
	flame_id *stacks;
	size_t nstacks, stacks_capacity;
	int64_t *durations;	/* ns */
	size_t ndurations, durations_capacity;
};

static void read_frame(struct safari *s)
{
	struct fl_json *json = &s->js.json;
	struct flame *flame = s->js.flame;
	struct flame_frame frame = { .type = FLAME_UNKNOWN };
	struct slice text;
	int64_t line;

	while (fl_json_key(json))
		if (fl_json_is(json, "name")) {
			if (fl_json_string(json, &text) && text.size)
				frame.name = flame_name(flame, text.data,
							text.size);
		} else if (fl_json_is(json, "url")) {
			if (fl_json_string(json, &text) && text.size)
				frame.file = flame_name(flame, text.data,
							text.size);
		} else if (fl_json_is(json, "line")) {
			if (fl_json_integer(json, &line) && line > 0 &&
			    line <= INT32_MAX)
				frame.line = (uint32_t)line;
		} else {
			fl_json_skip(json);
		}
	if (!frame.name)
		frame.name = fl_name(flame, "(anonymous)");
	fl_trace_add(flame, &s->trace, &frame);
}

static void read_trace(struct safari *s)
{
	struct fl_json *json = &s->js.json;

	s->trace.count = 0;
	while (fl_json_key(json)) {
		if (!fl_json_is(json, "stackFrames")) {
			fl_json_skip(json);
			continue;
		}
		if (!fl_json_enter_array(json))
			continue;
		while (fl_json_element(json))
			if (json->token == FL_JSON_OBJECT)
				read_frame(s);
			else
				fl_json_skip(json);
	}
	if (json->error)
		return;
	if (!fl_grow(&s->stacks, &s->stacks_capacity, s->nstacks + 1,
		     sizeof(*s->stacks)))
		fl_no_memory(s->js.flame);
	else
		s->stacks[s->nstacks++] =
			fl_trace_stack(s->js.flame, 0, &s->trace);
}

static void read_durations(struct safari *s)
{
	struct fl_json *json = &s->js.json;
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

static void read_recording(struct safari *s)
{
	struct fl_json *json = &s->js.json;

	while (fl_json_key(json))
		if (fl_json_is(json, "sampleStackTraces")) {
			if (!fl_json_enter_array(json))
				continue;
			while (fl_json_element(json))
				if (json->token == FL_JSON_OBJECT)
					read_trace(s);
				else
					fl_json_skip(json);
		} else if (fl_json_is(json, "sampleDurations")) {
			if (fl_json_enter_array(json))
				read_durations(s);
		} else {
			fl_json_skip(json);
		}
}

static void read_document(struct flame_source *source)
{
	struct safari *s = source->state;
	struct fl_json *json = &s->js.json;

	if (json->token != FL_JSON_OBJECT) {
		fl_json_skip(json);
		return;
	}
	s->nstacks = s->ndurations = 0;
	while (fl_json_key(json))
		if (!fl_json_is(json, "recording"))
			fl_json_skip(json);
		else if (fl_json_enter_object(json))
			read_recording(s);
	give_samples(s);
}

/* The row of formats.c ------------------------------------------------- */

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

static const struct fl_option rows[] = {
	FL_OPTION_ROW_TOTAL(struct options),
	{ .name = NULL }
};

static const struct fl_option_table option_table = {
	.rows = rows, .size = sizeof(struct options),
};

const struct fl_format fl_format_safari = {
	.name = "safari",
	.summary = "recordings of Safari's timelines",
	.probe = probe,
	.state_size = sizeof(struct safari),
	.open = open_safari,
	.read = read,
	.release = release,
	.json = true,
	.options = &option_table,
};
