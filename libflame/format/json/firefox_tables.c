/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads the tables of a thread in a Firefox profile (stackTable, frameTable,
 * funcTable, strings), stored by column or by row, into the columns of struct
 * fl_firefox_tables.  firefox.c makes stacks and samples of them.
 */
#include "fl.h"

#include "format/json/firefox_tables.h"

void fl_firefox_tables_free(struct fl_firefox_tables *t)
{
	fl_free(t->prefix.data);
	fl_free(t->stack_frame.data);
	fl_free(t->func.data);
	fl_free(t->location.data);
	fl_free(t->line.data);
	fl_free(t->depth.data);
	fl_free(t->lib.data);
	fl_free(t->func_name.data);
	fl_free(t->func_resource.data);
	fl_free(t->resource_name.data);
	fl_free(t->strings.data);
	memset(t, 0, sizeof(*t));
}

/* Columns -------------------------------------------------------------- */

static void put(struct fl_json_source *js, struct fl_json_integers *c,
		uint32_t n)
{
	if (!fl_grow(&c->data, &c->capacity, c->count + 1, sizeof(*c->data)))
		fl_no_memory(js->flame);
	else
		c->data[c->count++] = n;
}

static void put_decimal(struct fl_json_source *js,
			struct fl_firefox_decimals *d, int64_t n)
{
	if (!fl_grow(&d->data, &d->capacity, d->count + 1, sizeof(*d->data)))
		fl_no_memory(js->flame);
	else
		d->data[d->count++] = n;
}

/* The value of a key. */
static void read_column(struct fl_json_source *js, struct fl_json_integers *c)
{
	c->count = 0;
	if (fl_json_enter_array(&js->json))
		fl_json_integers(&js->json, c);
}

/* A number that does not fit is reported, and is INT64_MAX. */
static int64_t decimal_of(struct fl_json_source *js, int places)
{
	const struct fl_json *json = &js->json;
	int64_t n;

	if (json->token != FL_JSON_NUMBER)
		return FLAME_NOTIME;
	if (fl_parse_decimal(json->text, places, &n))
		return n;
	fl_json_bad(js, "a number that is too large");
	return INT64_MAX;
}

static void read_decimals(struct fl_json_source *js,
			  struct fl_firefox_decimals *d, int places)
{
	struct fl_json *json = &js->json;

	d->count = 0;
	if (!fl_json_enter_array(json))
		return;
	while (fl_json_element(json) && !fl_failed(js->flame)) {
		put_decimal(js, d, decimal_of(js, places));
		if (json->token != FL_JSON_NUMBER)
			fl_json_skip(json);
	}
}

void fl_firefox_put_name(struct fl_json_source *js,
			 struct fl_firefox_names *names, flame_id name)
{
	if (!fl_grow(&names->data, &names->capacity, names->count + 1,
		     sizeof(*names->data)))
		fl_no_memory(js->flame);
	else
		names->data[names->count++] = name;
}

static void read_strings(struct fl_json_source *js, void *object)
{
	struct fl_firefox_tables *t = object;
	struct fl_json *json = &js->json;

	t->strings.count = 0;
	t->has_strings = true;
	while (fl_json_element(json) && !fl_failed(js->flame)) {
		flame_id name = 0;

		if (json->token == FL_JSON_STRING)
			name = flame_name(js->flame, json->text.data,
					  json->text.size);
		else
			fl_json_skip(json);
		fl_firefox_put_name(js, &t->strings, name);
	}
}

/* Rows ----------------------------------------------------------------- */

/* The column's index in rows; UINT32_MAX: missing. */
static void read_schema(struct fl_json_source *js, struct fl_firefox_wanted *w,
			size_t n)
{
	struct fl_json *json = &js->json;
	int64_t place;

	for (size_t i = 0; i < n; i++)
		w[i].place = -1;
	while (fl_json_key(json)) {
		size_t i = 0;

		while (i < n && !fl_json_is(json, w[i].name))
			i++;
		if (!fl_json_integer(json, &place))
			continue;
		if (i < n && place >= 0 && place < 64)
			w[i].place = (int)place;
	}
}

/* A value of a row, whose token was read last. */
static void read_cell(struct fl_json_source *js, struct fl_firefox_wanted *w)
{
	struct fl_json *json = &js->json;
	int64_t n;

	if (w->column) {
		struct fl_json_integers *c = w->column;

		if (json->token == FL_JSON_NUMBER &&
		    fl_parse_int(json->text, &n) && n >= 0 &&
		    n < FL_JSON_NO_INTEGER)
			c->data[c->count - 1] = (uint32_t)n;
	} else {
		w->decimals->data[w->decimals->count - 1] =
			decimal_of(js, w->places);
	}
}

static void read_row(struct fl_json_source *js, struct fl_firefox_wanted *w,
		     size_t n)
{
	struct fl_json *json = &js->json;

	for (size_t i = 0; i < n; i++)
		if (w[i].column)
			put(js, w[i].column, FL_JSON_NO_INTEGER);
		else
			put_decimal(js, w[i].decimals, FLAME_NOTIME);
	if (fl_failed(js->flame))
		return;
	for (int place = 0; fl_json_element(json); place++) {
		for (size_t i = 0; i < n; i++)
			if (w[i].place == place)
				read_cell(js, &w[i]);
		if (json->token == FL_JSON_ARRAY ||
		    json->token == FL_JSON_OBJECT)
			fl_json_skip(json);
	}
}

static void read_rows(struct fl_json_source *js, struct fl_firefox_wanted *w,
		      size_t n)
{
	struct fl_json *json = &js->json;

	while (fl_json_element(json) && !fl_failed(js->flame))
		if (json->token == FL_JSON_ARRAY)
			read_row(js, w, n);
		else
			fl_json_skip(json);
}

/* The key read last, if it is of a table of either kind; false: another. */
bool fl_firefox_table_key(struct fl_json_source *js,
			  struct fl_firefox_wanted *w, size_t n)
{
	struct fl_json *json = &js->json;
	size_t i = 0;

	if (fl_json_is(json, "schema")) {
		if (fl_json_enter_object(json))
			read_schema(js, w, n);
		return true;
	}
	if (fl_json_is(json, "data")) {
		if (fl_json_enter_array(json))
			read_rows(js, w, n);
		return true;
	}
	while (i < n && !fl_json_is(json, w[i].name))
		i++;
	if (i == n)
		return false;
	if (w[i].column)
		read_column(js, w[i].column);
	else
		read_decimals(js, w[i].decimals, w[i].places);
	return true;
}

static void read_table(struct fl_json_source *js, struct fl_firefox_wanted *w,
		       size_t n)
{
	while (fl_json_key(&js->json) && !fl_failed(js->flame))
		if (!fl_firefox_table_key(js, w, n))
			fl_json_skip(&js->json);
}

/* Tables --------------------------------------------------------------- */

static void read_stack_table(struct fl_json_source *js, void *object)
{
	struct fl_firefox_tables *t = object;
	struct fl_json *json = &js->json;
	struct fl_firefox_wanted w[] = {
		{ "prefix", &t->prefix, NULL, 0, 0 },
		{ "frame", &t->stack_frame, NULL, 0, 1 },
	};

	t->has_stacks = true;
	while (fl_json_key(json) && !fl_failed(js->flame)) {
		if (fl_json_is(json, "prefixOffset")) {
			t->is_offset = true;
			read_column(js, &t->prefix);
		} else if (!fl_firefox_table_key(js, w, FL_COUNT(w))) {
			fl_json_skip(json);
		}
	}
}

static void read_frame_table(struct fl_json_source *js, void *object)
{
	struct fl_firefox_tables *t = object;
	struct fl_firefox_wanted frames[] = {
		{ "location", &t->location, NULL, 0, 0 },
		{ "func", &t->func, NULL, 0, -1 },
		{ "line", &t->line, NULL, 0, -1 },
		{ "inlineDepth", &t->depth, NULL, 0, -1 },
		{ "lib", &t->lib, NULL, 0, -1 },
	};

	read_table(js, frames, FL_COUNT(frames));
}

static void read_func_table(struct fl_json_source *js, void *object)
{
	struct fl_firefox_tables *t = object;
	struct fl_firefox_wanted funcs[] = {
		{ "name", &t->func_name, NULL, 0, -1 },
		{ "resource", &t->func_resource, NULL, 0, -1 },
	};

	read_table(js, funcs, FL_COUNT(funcs));
}

static void read_resource_table(struct fl_json_source *js, void *object)
{
	struct fl_firefox_tables *t = object;
	struct fl_firefox_wanted name = {
		"name", &t->resource_name, NULL, 0, -1
	};

	read_table(js, &name, 1);
}

const struct fl_json_field fl_firefox_tables[] = {
	FL_FIELD_CALL("stackTable", INNER, read_stack_table),
	FL_FIELD_CALL("frameTable", INNER, read_frame_table),
	FL_FIELD_CALL("funcTable", INNER, read_func_table),
	FL_FIELD_CALL("resourceTable", INNER, read_resource_table),
	FL_FIELD_CALL("stringArray", LIST, read_strings),
	FL_FIELD_CALL("stringTable", LIST, read_strings),
	{ .key = NULL }
};
