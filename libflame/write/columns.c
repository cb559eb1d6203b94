/* SPDX-License-Identifier: Apache-2.0 */
/*
 * flame_create_columns() makes a sink that fills columns in memory with the
 * rows of rows.c, by Arrow's C data interface, for programs that link libflame:
 * its struct ArrowSchema and struct ArrowArray are its ABI (arrow.apache.org,
 * "The Arrow C data interface").  Texts have 64-bit offsets ("U").
 */
#include "fl.h"

#include "draw/draw.h"
#include "write/rows.h"

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

enum { NULLABLE = 2, VALID = 0, OFFSETS = 1, VALUES = 1, TEXT = 2, FIXED = 4 };

struct table {
	struct fl_rows *rows;
	struct fl_buf line;	/* scratch */
	struct ArrowSchema schema;
	struct ArrowArray array;
};

static void release_schema(struct ArrowSchema *schema)
{
	for (int64_t i = 0; i < schema->n_children; i++) {
		struct ArrowSchema *child = schema->children[i];

		if (child && child->release)
			child->release(child);
		fl_free(child);
	}
	fl_free(schema->children);
	fl_free(schema->private_data);
	schema->release = NULL;
}

static void release_array(struct ArrowArray *array)
{
	for (int64_t i = 0; i < array->n_children; i++) {
		struct ArrowArray *child = array->children[i];

		if (child && child->release)
			child->release(child);
		fl_free(child);
	}
	for (int64_t i = 0; array->buffers && i < array->n_buffers; i++)
		fl_free((void *)array->buffers[i]);
	fl_free(array->children);
	fl_free(array->buffers);
	array->release = NULL;
}

/* A table without columns yet; false: out of memory. */
static bool begin(struct table *t, size_t ncolumns)
{
	t->schema = (struct ArrowSchema){
		.format = "+s", .name = "", .release = release_schema,
		.children = fl_zeroed(ncolumns, sizeof(*t->schema.children)),
	};
	t->array = (struct ArrowArray){
		.length = (int64_t)t->rows->sums.count, .n_buffers = 1,
		.buffers = fl_zeroed(1, sizeof(*t->array.buffers)),
		.children = fl_zeroed(ncolumns, sizeof(*t->array.children)),
		.release = release_array,
	};
	return t->schema.children && t->array.children && t->array.buffers;
}

/* A column that owns its name; NULL: out of memory. */
static struct ArrowArray *add(struct table *t, const char *format,
			      struct slice name, int64_t nbuffers)
{
	struct ArrowSchema *schema = fl_zeroed(1, sizeof(*schema));
	struct ArrowArray *array = fl_zeroed(1, sizeof(*array));
	char *copy = fl_alloc(name.size + 1);

	t->schema.children[t->schema.n_children++] = schema;
	t->array.children[t->array.n_children++] = array;
	if (!schema || !array || !copy) {
		fl_free(copy);
		return NULL;
	}
	memcpy(copy, name.data, name.size);
	copy[name.size] = '\0';
	*schema = (struct ArrowSchema){
		.format = format, .name = copy, .private_data = copy,
		.release = release_schema, .flags = NULLABLE,
	};
	*array = (struct ArrowArray){
		.length = t->array.length, .n_buffers = nbuffers,
		.buffers = fl_zeroed((size_t)nbuffers,
				     sizeof(*array->buffers)),
		.release = release_array,
	};
	return array->buffers ? array : NULL;
}

/* The text of a cell, appended; false: the cell is null. */
typedef bool put_text(struct table *t, const struct flame_sample *row,
		      flame_id key, struct fl_buf *to);

static void set_null(struct ArrowArray *array, uint8_t *valid, size_t i)
{
	array->null_count++;
	valid[i / 8] &= (uint8_t)~(1u << i % 8);
}

static bool add_texts(struct table *t, struct slice name, put_text *put,
		      flame_id key)
{
	struct ArrowArray *array = add(t, "U", name, 3);
	size_t n = t->rows->sums.count;
	struct fl_buf text = { 0 };
	int64_t *offsets;
	uint8_t *valid;

	if (!array)
		return false;
	valid = fl_alloc(n / 8 + 1);
	offsets = fl_zeroed(n + 1, sizeof(*offsets));
	array->buffers[VALID] = valid;
	array->buffers[OFFSETS] = offsets;
	if (!valid || !offsets)
		return false;
	memset(valid, 0xff, n / 8 + 1);
	for (size_t i = 0; i < n && !text.failed; i++) {
		if (!put(t, &t->rows->sums.data[i], key, &text))
			set_null(array, valid, i);
		offsets[i + 1] = (int64_t)text.size;
	}
	/* Where all are empty, there is a buffer all the same. */
	fl_buf_byte(&text, '\0');
	array->buffers[TEXT] = text.data;
	return !text.failed;
}

/* Numbers as the rows of tables have them: money and core-seconds are real. */
static bool add_weights(struct table *t, bool whole)
{
	struct ArrowArray *array = add(t, whole ? "l" : "g",
				       FL_SLICE("weight"), 2);
	size_t n = t->rows->sums.count;
	union { int64_t whole; double real; } *values;

	if (!array)
		return false;
	values = fl_zeroed(n + 1, sizeof(*values));
	array->buffers[VALUES] = values;
	for (size_t i = 0; values && i < n; i++) {
		const struct flame_sample *row = &t->rows->sums.data[i];
		const struct flame_metric *metric =
			flame_metric_of(t->rows->flame, row->metric);

		if (whole)
			values[i].whole = row->weight;
		else
			values[i].real = (double)row->weight /
					 (fl_unit_in_text(metric) ==
					  metric->weight ? 1 : 1e6);
	}
	return values;
}

static bool put_stack(struct table *t, const struct flame_sample *row,
		      flame_id key, struct fl_buf *to)
{
	(void)key;
	t->line.size = 0;
	fl_spell_stack(&t->line, t->rows->flame, row->stack);
	fl_utf8_clean(to, fl_buf_slice(&t->line));
	to->failed |= t->line.failed;
	return true;
}

static bool put_metric(struct table *t, const struct flame_sample *row,
		       flame_id key, struct fl_buf *to)
{
	(void)key;
	fl_utf8_clean(to, fl_row_metric(t->rows, row));
	return true;
}

static bool put_unit(struct table *t, const struct flame_sample *row,
		     flame_id key, struct fl_buf *to)
{
	(void)key;
	fl_utf8_clean(to, fl_row_unit(t->rows, row));
	return true;
}

static bool put_label(struct table *t, const struct flame_sample *row,
		      flame_id key, struct fl_buf *to)
{
	flame_id value = fl_row_label(t->rows->flame, row, key);

	if (value)
		fl_utf8_clean(to, fl_name_at(t->rows->flame, value));
	return value;
}

static bool is_whole(const struct fl_rows *rows)
{
	for (size_t i = 0; i < rows->nmetrics; i++) {
		const struct flame_metric *metric =
			flame_metric_of(rows->flame, rows->metrics[i]);

		if (fl_unit_in_text(metric) != metric->weight)
			return false;
	}
	return true;
}

static bool add_label(struct table *t, flame_id key)
{
	struct slice name = fl_name_at(t->rows->flame, key);
	struct fl_buf text = { 0 };
	bool good;

	if (fl_is_table_column(name) || fl_slice_is(name, "weight"))
		fl_buf_text(&text, "label.");
	fl_utf8_clean(&text, name);
	good = !text.failed && add_texts(t, fl_buf_slice(&text), put_label,
					 key);
	fl_buf_free(&text);
	return good;
}

static bool fill(struct table *t)
{
	bool bare = t->rows->bare, good;
	flame_id *keys = NULL;
	size_t nkeys = 0;

	if (!bare)
		keys = fl_table_keys(t->rows, &nkeys);
	good = (keys || bare) && begin(t, FIXED + nkeys) &&
	       add_texts(t, FL_SLICE("stack"), put_stack, 0) &&
	       add_weights(t, bare || is_whole(t->rows));
	if (good && !bare)
		good = add_texts(t, FL_SLICE("metric"), put_metric, 0) &&
		       add_texts(t, FL_SLICE("unit"), put_unit, 0);
	for (size_t i = 0; good && i < nkeys; i++)
		good = add_label(t, keys[i]);
	fl_free(keys);
	fl_buf_free(&t->line);
	return good;
}

static int write_columns(struct fl_rows *rows)
{
	struct table t = { .rows = rows };

	if (fill(&t)) {
		*rows->schema = t.schema;
		*rows->array = t.array;
		return FLAME_OK;
	}
	release_schema(&t.schema);
	release_array(&t.array);
	return fl_no_memory(rows->flame);
}

/* The rows are not bytes. */
static int ignore(void *arg, const void *data, size_t size)
{
	(void)arg, (void)data, (void)size;
	return 0;
}

struct flame_sink *flame_create_columns(struct flame *flame, bool labels,
					struct ArrowSchema *schema,
					struct ArrowArray *array)
{
	struct flame_sink *sink;
	struct fl_rows *rows;
	struct fl_out *out;

	if (!flame || !schema || !array) {
		fl_fail(flame, "no place for columns");
		return NULL;
	}
	out = fl_out_callback(flame, ignore, NULL);
	sink = out ? fl_rows_untitled(flame, out, labels ? FL_NEED_THREAD |
				      FL_NEED_STATE : 0, write_columns) : NULL;
	if (!sink)
		return NULL;
	rows = sink->state;
	rows->bare = !labels;
	rows->schema = schema;
	rows->array = array;
	return sink;
}
