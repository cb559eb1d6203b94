/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Format statsd-json: reads the stacks that statsd-jvm-profiler has sent to a
 * database, as the database answers: InfluxDB's query API
 *
 *	{"results":[{"series":[{"name":"cpu.trace.a-B-m-3.a-C-n-7","tags":{},
 *	 "columns":["time","value"],"values":[["2026-01-01T00:00:00Z",4]]}]}]}
 *
 * and Graphite's render API
 *
 *	[{"target":"app.cpu.trace.a-B-m-3","datapoints":[[4,1700000000]]}]
 *
 * A name has the frames, leaf first, with dots between; a frame is its class
 * with '-' for '.', '-', its method, '-' and its line.  Values add up.
 */
#include "fl.h"

#include "format/json/fields.h"

#include <inttypes.h>

struct column {
	flame_id name;
	bool is_time, is_label;
};

struct statsd {
	struct fl_json_source js;
	const struct fl_lines_options *options;
	flame_id stack;		/* of the series; 0: it has none */
	flame_id labels;	/* its tags */
	flame_id metric;
	struct column *columns;
	size_t ncolumns, capacity;
	struct fl_statsd_names names;
	uint64_t others;	/* series of something else */
};

/* The name of a series, or a target. */
static void begin_series(struct fl_json_source *js, void *object)
{
	struct statsd *s = object;
	struct slice name;

	if (!fl_json_string(&js->json, &name))
		return;
	s->names.lines = s->options->lines;
	s->stack = fl_statsd_stack(&s->names, name);
	s->others += !s->stack;
	s->metric = fl_metric(s->js.flame, "cpu", "ns", "samples");
}

static void add(struct statsd *s, int64_t value, int64_t time,
		flame_id labels)
{
	const struct fl_select *select = &s->js.source->select;
	struct flame_sample sample = {
		.stack = s->stack, .metric = s->metric, .weight = value,
		.labels = labels, .time = FLAME_NOTIME,
	};

	if (select->from.base || select->to.base ||
	    (select->needs & FL_NEED_TIME))
		sample.time = time;
	fl_metric_count(s->js.flame, s->metric, (uint64_t)FL_MAX(value, 0), value);
	if (value)
		fl_json_add(&s->js, &sample);
}

/* InfluxDB ------------------------------------------------------------- */

static void read_tags(struct fl_json_source *js, void *object)
{
	struct statsd *s = object;
	struct fl_json *json = &js->json;
	struct flame *flame = s->js.flame;
	struct slice text;

	while (fl_json_key(json)) {
		flame_id key = flame_name(flame, json->text.data,
					  json->text.size);

		if (fl_json_string(json, &text) && text.size)
			s->labels = flame_label(flame, s->labels, key,
						flame_name(flame, text.data,
							   text.size));
	}
}

static void read_columns(struct fl_json_source *js, void *object)
{
	struct statsd *s = object;
	struct fl_json *json = &js->json;

	s->ncolumns = 0;
	while (fl_json_element(json)) {
		struct column column = { .is_time = fl_json_is(json, "time") };

		if (json->token == FL_JSON_STRING)
			column.name = flame_name(s->js.flame, json->text.data,
						 json->text.size);
		else
			fl_json_skip(json);
		if (!fl_grow(&s->columns, &s->capacity, s->ncolumns + 1,
			     sizeof(*s->columns))) {
			fl_no_memory(s->js.flame);
			return;
		}
		s->columns[s->ncolumns++] = column;
	}
}

/* The first number that is not a time is the value; texts are labels. */
static void read_row(struct fl_json_source *js, void *object)
{
	struct statsd *s = object;
	struct fl_json *json = &js->json;
	struct flame *flame = s->js.flame;
	int64_t value = 0, time = FLAME_NOTIME;
	flame_id labels = s->labels;
	bool has_value = false;

	for (size_t i = 0; fl_json_element(json); i++) {
		const struct column *c = i < s->ncolumns ? &s->columns[i] :
							   NULL;

		if (c && c->is_time && json->token == FL_JSON_STRING)
			fl_java_time(json->text, true, &time);
		else if (c && c->is_time && json->token == FL_JSON_NUMBER)
			fl_statsd_time(json->text, &time);
		else if (c && c->is_time)
			fl_json_skip(json);
		else if (json->token == FL_JSON_NUMBER && !has_value)
			has_value = fl_parse_decimal(json->text, 0, &value);
		else if (c && json->token == FL_JSON_STRING && json->text.size)
			labels = flame_label(flame, labels, c->name,
					     flame_name(flame, json->text.data,
							json->text.size));
		else
			fl_json_skip(json);
	}
	if (has_value && s->stack && !json->error)
		add(s, value, time, labels);
}

static const struct fl_json_field series[] = {
	FL_FIELD_CALL("name", VALUE, begin_series),
	FL_FIELD_CALL("tags", INNER, read_tags),
	FL_FIELD_CALL("columns", LIST, read_columns),
	FL_FIELD_CALL("values", EACH_LIST, read_row),
	{ .key = NULL }
};

static void read_series(struct fl_json_source *js, void *object)
{
	struct statsd *s = object;

	s->stack = s->labels = 0;
	s->ncolumns = 0;
	fl_json_object(js, series, s);
}

static const struct fl_json_field result[] = {
	FL_FIELD_CALL("series", EACH, read_series),
	{ .key = NULL }
};

static const struct fl_json_field document[] = {
	FL_FIELD_ROWS("results", EACH, result),
	{ .key = NULL }
};

/* Graphite ------------------------------------------------------------- */

static void read_datapoint(struct fl_json_source *js, void *object)
{
	struct statsd *s = object;
	struct fl_json *json = &js->json;
	int64_t value = 0, time = 0;
	bool has_value = false, has_time = false;

	for (int i = 0; fl_json_element(json); i++)
		if (json->token != FL_JSON_NUMBER)
			fl_json_skip(json);
		else if (i == 0)
			has_value = fl_parse_decimal(json->text, 0, &value);
		else if (i == 1)
			has_time = fl_parse_decimal(json->text, 9, &time);
	if (has_value && s->stack && !json->error)
		add(s, value, has_time ? time : FLAME_NOTIME, 0);
}

static const struct fl_json_field target[] = {
	FL_FIELD_CALL("target", VALUE, begin_series),
	FL_FIELD_CALL("datapoints", EACH_LIST, read_datapoint),
	{ .key = NULL }
};

static void read_target(struct fl_json_source *js, void *object)
{
	struct statsd *s = object;

	s->stack = 0;
	fl_json_object(js, target, s);
}

static void read_document(struct flame_source *source)
{
	struct statsd *s = source->state;

	if (s->js.json.token == FL_JSON_ARRAY)
		fl_json_each(&s->js, read_target, s);
	else
		fl_json_object(&s->js, document, s);
}

/* The row of formats.def ------------------------------------------------- */

static int open_statsd(struct flame_source *source)
{
	struct statsd *s = source->state;

	fl_json_source_init(&s->js, source);
	s->options = source->options;
	s->names.flame = source->flame;
	return FLAME_OK;
}

static void release(void *state)
{
	struct statsd *s = state;

	fl_json_source_free(&s->js);
	fl_buf_free(&s->names.buf);
	fl_free(s->columns);
}

static int read(struct flame_source *source)
{
	struct statsd *s = source->state;
	int status = fl_json_read(&s->js, read_document);

	if (status == FLAME_END && s->others)
		fl_remark(source->flame, "%s: %" PRIu64 " series are no "
			  "stacks (cpu.trace.*) and left out",
			  fl_in_name(source->in), s->others);
	if (status == FLAME_END)
		s->others = 0;
	return status;
}

static int probe(const uint8_t *head, size_t n, bool whole)
{
	static const char *const paths[] = { "results.series", "datapoints" };

	return fl_json_probe_any(head, n, whole, paths, FL_COUNT(paths));
}

const struct fl_format fl_format_statsd = {
	.name = "statsd-json",
	.summary = "stacks of statsd-jvm-profiler: InfluxDB's, Graphite's JSON",
	.probe = probe,
	.state_size = sizeof(struct statsd),
	.open = open_statsd,
	.read = read,
	.release = release,
	.json = true,
	.options = &fl_lines_option_table,
};
