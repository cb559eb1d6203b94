/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Format scalene: reads the stacks of Scalene's JSON, recorded with --stacks; a
 * frame is text, or in older versions an array with file, function and line:
 *
 *	{"alloc_samples":0,"stacks":[
 *	 [["/srv/a.py main:9;","/srv/a.py f:3;"],{"count":46,"c_time":0.06}]]}
 *
 * The counts are samples of CPU time.
 */
#include "fl.h"

#include "format/format.h"
#include "format/json/fields.h"

struct scalene {
	struct fl_json_source js;
	flame_id stack;
	int64_t count;
	bool had_stacks;
	struct fl_buf buf, file;
};

/* "/srv/a.py main:9;" as py-spy names frames, main (/srv/a.py:9). */
static void put_text(struct scalene *s, struct slice text)
{
	const char *blank, *colon;

	if (fl_slice_ends(text, ";"))
		text.size--;
	colon = memrchr(text.data, ':', text.size);
	blank = colon ? memrchr(text.data, ' ',
				(size_t)(colon - text.data)) : NULL;
	if (!blank) {
		fl_buf_put(&s->buf, text.data, text.size);
		return;
	}
	fl_buf_put(&s->buf, blank + 1, (size_t)(colon - blank - 1));
	fl_buf_text(&s->buf, " (");
	fl_buf_put(&s->buf, text.data, (size_t)(blank - text.data));
	fl_buf_put(&s->buf, colon,
		   text.size - (size_t)(colon - text.data));
	fl_buf_byte(&s->buf, ')');
}

/* ["/srv/a.py","main",9] */
static void read_array(struct scalene *s)
{
	struct fl_json *json = &s->js.json;
	unsigned place = 0;

	s->file.size = 0;
	for (; fl_json_element(json); place++) {
		if (json->token == FL_JSON_STRING && place == 0) {
			fl_buf_put(&s->file, json->text.data, json->text.size);
		} else if (json->token == FL_JSON_STRING && place == 1) {
			fl_buf_put(&s->buf, json->text.data, json->text.size);
		} else if (json->token == FL_JSON_NUMBER && place == 2) {
			fl_buf_text(&s->buf, " (");
			fl_buf_put(&s->buf, s->file.data ? s->file.data : "",
				   s->file.size);
			fl_buf_byte(&s->buf, ':');
			fl_buf_put(&s->buf, json->text.data, json->text.size);
			fl_buf_byte(&s->buf, ')');
		} else {
			fl_json_skip(json);
		}
	}
}

/* The frames of a stack, the outermost first. */
static bool read_frames(struct scalene *s)
{
	struct fl_json *json = &s->js.json;
	struct flame *flame = s->js.flame;

	s->stack = 0;
	if (!fl_json_element(json))
		return false;
	if (json->token != FL_JSON_ARRAY) {
		fl_json_skip(json);
		return false;
	}
	while (fl_json_element(json) && !fl_failed(flame)) {
		s->buf.size = 0;
		if (json->token == FL_JSON_STRING)
			put_text(s, json->text);
		else if (json->token == FL_JSON_ARRAY)
			read_array(s);
		else
			fl_json_skip(json);
		if (json->error)
			return false;
		if (!s->buf.size)
			fl_buf_text(&s->buf, "[unknown]");
		s->stack = flame_stack(flame, s->stack, fl_frame(flame,
			flame_name(flame, s->buf.data ? s->buf.data : "",
				   s->buf.size), FLAME_UNKNOWN));
	}
	return s->stack != 0;
}

static const struct fl_json_field counts[] = {
	FL_FIELD("count", INTEGER, struct scalene, count),
	{ .key = NULL }
};

/* The count, in an object or as the first of an array; -1: none. */
static int64_t read_count(struct scalene *s)
{
	struct fl_json *json = &s->js.json;
	unsigned place = 0;

	s->count = -1;
	if (!fl_json_element(json))
		return -1;
	if (json->token != FL_JSON_ARRAY) {
		fl_json_object(&s->js, counts, s);
	} else {
		for (; fl_json_element(json); place++)
			if (place || json->token != FL_JSON_NUMBER ||
			    !fl_parse_int(json->text, &s->count))
				fl_json_skip(json);
	}
	return json->error ? -1 : s->count;
}

static void read_stack(struct fl_json_source *js, void *object)
{
	struct scalene *s = object;
	struct fl_json *json = &js->json;
	const unsigned depth = json->depth;
	bool good = read_frames(s);
	/* An empty array has ended by now. */
	int64_t count = good && json->depth == depth ? read_count(s) : -1;

	s->had_stacks = true;
	while (json->depth == depth && fl_json_element(json))
		fl_json_skip(json);
	if (json->error)
		return;
	if (count < 0) {
		fl_json_bad(&s->js, "a stack without frames or count");
	} else if (count) {
		struct flame_sample sample = {
			.stack = s->stack, .time = FLAME_NOTIME,
			.metric = flame_metric(s->js.flame, "cpu", "samples"),
			.weight = count,
		};

		fl_metric_count(s->js.flame, sample.metric, (uint64_t)count, count);
		fl_json_add(&s->js, &sample);
	}
}

static const struct fl_json_field document[] = {
	FL_FIELD_CALL("stacks", EACH_LIST, read_stack),
	{ .key = NULL }
};

static void read_document(struct flame_source *source)
{
	struct scalene *s = source->state;

	s->had_stacks = false;
	if (fl_json_object(&s->js, document, s) && !s->had_stacks &&
	    !s->js.json.error)
		fl_json_bad(&s->js, "it has no stacks: record again with "
			    "scalene run --stacks");
}

/* The row of formats.def ------------------------------------------------- */

static void release(void *state)
{
	struct scalene *s = state;

	fl_json_source_free(&s->js);
	fl_buf_free(&s->buf);
	fl_buf_free(&s->file);
}

static int read(struct flame_source *source)
{
	struct scalene *s = source->state;

	return fl_json_read(&s->js, read_document);
}

static int probe(const uint8_t *head, size_t n, bool whole)
{
	return fl_json_probe(head, n, whole, "alloc_samples");
}

const struct fl_format fl_format_scalene = {
	.name = "scalene",
	.summary = "JSON of Scalene, recorded with --stacks",
	.probe = probe,
	.state_size = sizeof(struct scalene),
	.open = fl_json_source_open,
	.read = read,
	.release = release,
	.json = true,
};
