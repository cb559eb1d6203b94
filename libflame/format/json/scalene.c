/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Stacks in JSON of Scalene, recorded with --stacks; a frame is text, or in
 * older versions an array of the same:
 *
 *	{"alloc_samples":0,"stacks":[
 *	 [["/srv/a.py main:9;","/srv/a.py f:3;"],{"count":46,"c_time":0.06}]]}
 *
 * The counts are samples of CPU time.
 */
#include "fl.h"

#include "format/format.h"
#include "format/json/tree.h"

struct scalene {
	struct fl_json_source js;
	flame_id stack;
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

/* The count, in an object or as the first of an array; -1: none. */
static int64_t read_count(struct scalene *s)
{
	struct fl_json *json = &s->js.json;
	int64_t count = -1;
	unsigned place = 0;

	if (!fl_json_element(json))
		return -1;
	if (json->token == FL_JSON_OBJECT) {
		while (fl_json_key(json))
			if (fl_json_is(json, "count"))
				fl_json_integer(json, &count);
			else
				fl_json_skip(json);
	} else if (json->token == FL_JSON_ARRAY) {
		for (; fl_json_element(json); place++)
			if (place || json->token != FL_JSON_NUMBER ||
			    !fl_parse_int(json->text, &count))
				fl_json_skip(json);
	} else {
		fl_json_skip(json);
	}
	return json->error ? -1 : count;
}

static void read_stack(struct scalene *s)
{
	struct fl_json *json = &s->js.json;
	bool good = read_frames(s);
	int64_t count = good ? read_count(s) : -1;

	while (fl_json_element(json))
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

static void read_document(struct flame_source *source)
{
	struct scalene *s = source->state;
	struct fl_json *json = &s->js.json;
	bool had_stacks = false;

	if (json->token != FL_JSON_OBJECT) {
		fl_json_skip(json);
		return;
	}
	while (fl_json_key(json) && !fl_failed(source->flame)) {
		if (!fl_json_is(json, "stacks")) {
			fl_json_skip(json);
			continue;
		}
		if (!fl_json_enter_array(json))
			continue;
		while (fl_json_element(json) && !fl_failed(source->flame)) {
			if (json->token != FL_JSON_ARRAY) {
				fl_json_skip(json);
				continue;
			}
			had_stacks = true;
			read_stack(s);
		}
	}
	if (!had_stacks && !json->error)
		fl_json_bad(&s->js, "it has no stacks: record again with "
			    "scalene run --stacks");
}

/* The row of formats.c ------------------------------------------------- */

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
