/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writes tables with a row per stack, from the rows of rows.c: the formats tsv
 * (tab-separated values) and ndjson (lines of JSON).  Each label key is a
 * column, so that databases can load both.  columns.c has the same columns.
 */
#include "fl.h"

#include "draw/draw.h"
#include "write/rows.h"
#include "format/format.h"

/* Names of the fixed columns. */
static const char *const fixed_columns[] = { "metric", "unit", "value",
					     "stack" };

struct table {
	struct fl_rows *rows;
	struct fl_buf line;
	flame_id *keys;		/* of labels, in the order of columns */
	size_t nkeys;
};

bool fl_is_table_column(struct slice name)
{
	bool found = false;

	for (size_t i = 0; i < FL_COUNT(fixed_columns); i++)
		found |= fl_slice_is(name, fixed_columns[i]);
	return found;
}

/* A label key that is a fixed column's name gets the prefix "label.". */
static void put_key(struct table *t, flame_id key)
{
	struct slice name = fl_name_at(t->rows->flame, key);

	if (fl_is_table_column(name))
		fl_buf_text(&t->line, "label.");
	fl_buf_put(&t->line, name.data, name.size);
}

/*
 * Makes the text of the line since `from` a cell: without control characters,
 * but with bytes that are not UTF-8, for a reader of the table.
 */
static void end_cell(struct table *t, size_t from)
{
	struct fl_buf *line = &t->line;

	if (line->failed)
		return;
	for (size_t i = from; i < line->size; i++)
		if ((unsigned char)line->data[i] < 0x20 ||
		    line->data[i] == 0x7f)
			line->data[i] = ' ';
	if (!fl_is_formula((struct slice){ line->data + from,
					   line->size - from }))
		return;
	fl_buf_byte(line, '\'');
	if (line->failed)
		return;
	memmove(line->data + from + 1, line->data + from,
		line->size - from - 1);
	line->data[from] = '\'';
}

static void put_line(struct table *t)
{
	fl_buf_byte(&t->line, '\n');
	if (!t->line.failed)
		fl_out_put(t->rows->out, t->line.data, t->line.size);
	t->line.size = 0;
}

static const struct flame_metric *metric_of(const struct table *t,
					    const struct flame_sample *row)
{
	return flame_metric_of(t->rows->flame, row->metric);
}

struct slice fl_row_metric(const struct fl_rows *rows,
			   const struct flame_sample *row)
{
	const char *name = flame_metric_of(rows->flame, row->metric)->name;

	name = *name ? name : "samples";
	return (struct slice){ name, strlen(name) };
}

struct slice fl_row_unit(const struct fl_rows *rows,
			 const struct flame_sample *row)
{
	const struct flame_metric *metric = flame_metric_of(rows->flame,
							    row->metric);
	const char *unit = *metric->name ? fl_unit_in_text(metric) : "samples";

	return (struct slice){ unit, strlen(unit) };
}

/* Tab-separated values ------------------------------------------------ */

static void put_cell(struct table *t, struct slice text)
{
	size_t from = t->line.size;

	fl_buf_put(&t->line, text.data, text.size);
	end_cell(t, from);
	fl_buf_byte(&t->line, '\t');
}

static void put_head(struct table *t)
{
	fl_buf_text(&t->line, "metric\tunit\tvalue\t");
	for (size_t i = 0; i < t->nkeys; i++) {
		size_t from = t->line.size;

		put_key(t, t->keys[i]);
		end_cell(t, from);
		fl_buf_byte(&t->line, '\t');
	}
	fl_buf_text(&t->line, "stack");
	put_line(t);
}

static void put_row(struct table *t, const struct flame_sample *row)
{
	struct flame *flame = t->rows->flame;
	size_t from;

	put_cell(t, fl_row_metric(t->rows, row));
	put_cell(t, fl_row_unit(t->rows, row));
	fl_put_weight(&t->line, metric_of(t, row), row->weight);
	fl_buf_byte(&t->line, '\t');
	for (size_t i = 0; i < t->nkeys; i++)
		put_cell(t, fl_name_at(flame, fl_row_label(flame, row,
							   t->keys[i])));
	from = t->line.size;
	fl_spell_stack(&t->line, flame, row->stack);
	end_cell(t, from);
	put_line(t);
}

/* JSON, a line a row -------------------------------------------------- */

static void put_member(struct table *t, const char *name, struct slice text)
{
	fl_buf_print(&t->line, "\"%s\":", name);
	fl_spell_json(&t->line, text);
	fl_buf_byte(&t->line, ',');
}

/* Each row has all labels; a missing one is null. */
static void put_label(struct table *t, const struct flame_sample *row,
		      flame_id key)
{
	struct flame *flame = t->rows->flame;
	flame_id value = fl_row_label(flame, row, key);
	struct fl_buf name = { 0 };
	struct fl_buf line = t->line;

	t->line = name;
	put_key(t, key);
	name = t->line;
	t->line = line;
	fl_spell_json(&t->line, (struct slice){ name.data, name.size });
	fl_buf_byte(&t->line, ':');
	if (value)
		fl_spell_json(&t->line, fl_name_at(flame, value));
	else
		fl_buf_text(&t->line, "null");
	fl_buf_byte(&t->line, ',');
	t->line.failed |= name.failed;
	fl_buf_free(&name);
}

static void put_object(struct table *t, const struct flame_sample *row)
{
	struct flame *flame = t->rows->flame;
	struct fl_buf stack = { 0 };

	fl_buf_byte(&t->line, '{');
	put_member(t, "metric", fl_row_metric(t->rows, row));
	put_member(t, "unit", fl_row_unit(t->rows, row));
	fl_buf_text(&t->line, "\"value\":");
	fl_put_weight(&t->line, metric_of(t, row), row->weight);
	fl_buf_byte(&t->line, ',');
	for (size_t i = 0; i < t->nkeys; i++)
		put_label(t, row, t->keys[i]);
	fl_buf_text(&t->line, "\"stack\":");
	fl_spell_stack(&stack, flame, row->stack);
	fl_spell_json(&t->line, (struct slice){ stack.size ? stack.data : "",
						stack.size });
	fl_buf_byte(&t->line, '}');
	t->line.failed |= stack.failed;
	fl_buf_free(&stack);
	put_line(t);
}

/* The rows of formats.c ----------------------------------------------- */

flame_id *fl_table_keys(struct fl_rows *rows, size_t *count)
{
	flame_id *keys = fl_rows_keys(rows, count);
	size_t n = 0;

	for (size_t i = 0; keys && i < *count; i++) {
		struct slice name = fl_name_at(rows->flame, keys[i]);

		if (!fl_slice_is(name, "thread-in-stack") &&
		    !fl_slice_is(name, "thread-frame"))
			keys[n++] = keys[i];
	}
	*count = n;
	return keys;
}

static int write_table(struct fl_rows *rows, bool json)
{
	struct table t = { .rows = rows };

	t.keys = fl_table_keys(rows, &t.nkeys);
	if (!t.keys)
		return fl_no_memory(rows->flame);
	if (!json)
		put_head(&t);
	for (size_t i = 0; i < rows->sums.count && !t.line.failed; i++) {
		if (json)
			put_object(&t, &rows->sums.data[i]);
		else
			put_row(&t, &rows->sums.data[i]);
	}
	if (t.line.failed)
		fl_no_memory(rows->flame);
	fl_buf_free(&t.line);
	fl_free(t.keys);
	return fl_failed(rows->flame) ? FLAME_FAILED : FLAME_OK;
}

static int write_tsv(struct fl_rows *rows)
{
	return write_table(rows, false);
}

static int write_ndjson(struct fl_rows *rows)
{
	return write_table(rows, true);
}

enum { NEEDS = FL_NEED_THREAD | FL_NEED_STATE };

static struct flame_sink *create_tsv(struct flame *flame, struct fl_out *out)
{
	return fl_rows_untitled(flame, out, NEEDS, write_tsv);
}

static struct flame_sink *create_ndjson(struct flame *flame,
					struct fl_out *out)
{
	return fl_rows_untitled(flame, out, NEEDS, write_ndjson);
}

const struct fl_format fl_format_tsv_write = {
	.name = "tsv",
	.facts = FLAME_TABLE,
	.summary = "a table, a row a stack, labels as columns",
	.suffixes = ".tsv",
	.create = create_tsv,
};

const struct fl_format fl_format_ndjson_write = {
	.name = "ndjson",
	.summary = "JSON, a line a stack, labels as members",
	.suffixes = ".ndjson .jsonl",
	.create = create_ndjson,
};
