/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads the rows that write/table.c writes, tab-separated or as lines of JSON:
 * each is a sample.  Stacks are spelt as in folded text, and stack.c reads
 * them; the columns thread and tid are the sample's thread, and all others but
 * metric, unit, value and stack are labels.
 */
#include "fl.h"

#include "format/folded/folded.h"
#include "io/json.h"

#include <inttypes.h>
#include <stdlib.h>

enum field { METRIC, UNIT, VALUE, STACK, THREAD, TID, FIELDS, LABEL };

static const char *const names[FIELDS] = {
	"metric", "unit", "value", "stack", "thread", "tid"
};

struct table {
	struct fl_line_reader base;
	struct fl_folded_stacks stacks;
	struct fl_folded_dialect dialect;
	struct fl_buf field[FIELDS];	/* of the row; end in NUL */
	struct fl_buf last_metric, last_unit;	/* of base.metric */
	flame_id labels;		/* of the row */
	flame_id *keys;			/* of the columns that are labels */
	enum field *columns;
	size_t ncolumns;
	int64_t carry;			/* of fl_decimal_round */
	uint64_t fractions;
};

/* Rows ------------------------------------------------------------------ */

static void clear_row(struct table *t)
{
	for (unsigned i = 0; i < FIELDS; i++)
		t->field[i].size = 0;
	t->labels = 0;
}

/* A label is missing where its text is empty. */
static void set_field(struct table *t, enum field field, flame_id key,
		      struct slice text)
{
	struct flame *flame = t->base.flame;

	if (field < FIELDS)
		fl_buf_put(&t->field[field], text.data, text.size);
	else if (text.size)
		t->labels = flame_label(flame, t->labels, key,
					flame_name(flame, text.data,
						   text.size));
}

static flame_id key_of(struct flame *flame, struct slice name)
{
	static const char prefix[] = "label.";

	if (fl_slice_starts(name, prefix)) {
		name.data += strlen(prefix);
		name.size -= strlen(prefix);
	}
	return flame_name(flame, name.data, name.size);
}

static enum field field_of(struct slice name)
{
	unsigned i = 0;

	while (i < FIELDS && !fl_slice_is(name, names[i]))
		i++;
	return i < FIELDS ? (enum field)i : LABEL;
}

static bool is_same(const struct fl_buf *a, const struct fl_buf *b)
{
	return a->size == b->size &&
	       (!a->size || memcmp(a->data, b->data, a->size) == 0);
}

static void copy(struct fl_buf *to, const struct fl_buf *from)
{
	to->size = 0;
	fl_buf_put(to, from->data, from->size);
}

static const char *text_of(struct fl_buf *buf)
{
	fl_buf_byte(buf, '\0');
	buf->size -= !buf->failed;
	return buf->failed ? "" : buf->data;
}

static void set_metric(struct table *t)
{
	struct fl_buf *metric = &t->field[METRIC], *unit = &t->field[UNIT];

	if (t->base.metric && is_same(metric, &t->last_metric) &&
	    is_same(unit, &t->last_unit))
		return;
	copy(&t->last_metric, metric);
	copy(&t->last_unit, unit);
	t->base.metric = flame_metric(t->base.flame, text_of(metric),
				      text_of(unit));
}

static flame_id thread_of(struct table *t)
{
	struct flame *flame = t->base.flame;
	struct slice name = fl_buf_slice(&t->field[THREAD]);
	int64_t tid;

	if (fl_parse_digits(fl_buf_slice(&t->field[TID]), &tid))
		return fl_thread(flame, (struct slice){
			name.size ? name.data : NULL, name.size }, tid);
	return name.size ? flame_label(flame, 0, fl_name(flame, "thread"),
				       flame_name(flame, name.data,
						  name.size)) :
			   t->stacks.thread;
}

static void count(struct table *t, int64_t weight)
{
	fl_metric_count(t->base.flame, t->base.metric,
			fl_metric_samples(t->base.flame, t->base.metric,
					  weight), weight);
}

/* Adds the row's sample; false: its value is not a number that fits. */
static bool add_row(struct table *t)
{
	struct fl_decimal value;
	flame_id stack;
	int64_t weight;
	bool fraction;

	if (!t->field[METRIC].size || !t->field[UNIT].size ||
	    !fl_decimal_parse(fl_buf_slice(&t->field[VALUE]), &value) ||
	    value.huge || value.percent)
		return false;
	weight = fl_decimal_round(&value, &t->carry, &fraction);
	t->fractions += fraction;
	set_metric(t);
	stack = fl_folded_stack(&t->stacks, fl_buf_slice(&t->field[STACK]));
	count(t, weight);
	t->base.lines.good++;
	fl_batch_add(t->base.source, &(struct flame_sample){
		.stack = stack, .metric = t->base.metric,
		.thread = thread_of(t), .labels = t->labels,
		.time = FLAME_NOTIME, .weight = weight,
	});
	return true;
}

static bool is_failed(const struct table *t)
{
	bool failed = t->last_metric.failed || t->last_unit.failed;

	for (unsigned i = 0; i < FIELDS; i++)
		failed |= t->field[i].failed;
	return failed;
}

/* A row that was cut is none: its value may have been longer. */
static void accept_row(struct table *t, struct slice line,
		       bool (*read)(struct table *, struct slice))
{
	clear_row(t);
	if (line.size && (!t->base.lines.ended || !read(t, line) ||
			  !add_row(t)))
		fl_lines_bad(&t->base.lines, line);
	t->base.buf.failed |= is_failed(t);
}

/* Tab-separated values ---------------------------------------------------- */

static const char heading[] = "metric\tunit\tvalue\t";

static bool read_heading(struct table *t, struct slice line)
{
	size_t n = 1;

	for (size_t i = 0; i < line.size; i++)
		n += line.data[i] == '\t';
	fl_free(t->keys);
	fl_free(t->columns);
	t->ncolumns = 0;
	t->keys = fl_zeroed(n, sizeof(*t->keys));
	t->columns = fl_zeroed(n, sizeof(*t->columns));
	if (!t->keys || !t->columns)
		return false;
	while (t->ncolumns < n) {
		struct slice name = fl_slice_split(&line, '\t');

		t->columns[t->ncolumns] = field_of(name);
		t->keys[t->ncolumns++] = key_of(t->base.flame, name);
	}
	return true;
}

static bool read_cells(struct table *t, struct slice line)
{
	for (size_t i = 0; i < t->ncolumns; i++) {
		bool last = i + 1 == t->ncolumns;

		if (last == (memchr(line.data, '\t', line.size) != NULL))
			return false;
		set_field(t, t->columns[i], t->keys[i],
			  last ? line : fl_slice_split(&line, '\t'));
	}
	return t->ncolumns;
}

static void accept_cells(struct fl_line_reader *base, struct slice line)
{
	struct table *t = (struct table *)base;

	if (!fl_slice_starts(line, heading))
		accept_row(t, line, read_cells);
	else if (!read_heading(t, line))
		fl_no_memory(base->flame);
}

static int probe_tsv(const uint8_t *head, size_t n, bool whole)
{
	(void)whole;
	return n >= strlen(heading) &&
	       memcmp(head, heading, strlen(heading)) == 0 ?
	       FL_FORMAT_CERTAIN : 0;
}

/* JSON -------------------------------------------------------------------- */

static bool read_members(struct table *t, struct fl_json *json)
{
	enum field field;
	flame_id key;

	if (fl_json_next(json) != FL_JSON_OBJECT)
		return false;
	while (fl_json_key(json)) {
		field = field_of(json->text);
		key = field == LABEL ? key_of(t->base.flame, json->text) : 0;
		switch (fl_json_next(json)) {
		case FL_JSON_STRING:
		case FL_JSON_NUMBER:
			set_field(t, field, key, json->text);
			break;
		case FL_JSON_NULL:
			break;
		default:
			return false;
		}
	}
	return json->token == FL_JSON_OBJECT_END;
}

static bool read_object(struct table *t, struct slice line)
{
	struct fl_json json;
	bool good;

	fl_json_init_memory(&json, line.data, line.size);
	good = read_members(t, &json);
	fl_json_free(&json);
	return good;
}

static void accept_object(struct fl_line_reader *base, struct slice line)
{
	accept_row((struct table *)base, line, read_object);
}

static int probe_ndjson(const uint8_t *head, size_t n, bool whole)
{
	static const char begin[] = "{\"metric\":\"";
	const uint8_t *lf = memchr(head, '\n', n);

	if (n < strlen(begin) || memcmp(head, begin, strlen(begin)) != 0)
		return 0;
	if (!lf && !whole)
		return -1;
	n = lf ? (size_t)(lf - head) : n;
	return memmem(head, n, "\",\"unit\":\"", 10) &&
	       memmem(head, n, ",\"value\":", 9) &&
	       memmem(head, n, ",\"stack\":\"", 10) ? FL_FORMAT_CERTAIN : 0;
}

/* The rows of formats.c --------------------------------------------------- */

static int open_table(struct flame_source *source)
{
	struct table *t = source->state;

	t->stacks.flame = source->flame;
	t->stacks.dialect = &t->dialect;
	return fl_line_reader_open(source);
}

static void release(void *state)
{
	struct table *t = state;

	for (unsigned i = 0; i < FIELDS; i++)
		fl_buf_free(&t->field[i]);
	fl_buf_free(&t->last_metric);
	fl_buf_free(&t->last_unit);
	fl_folded_stacks_free(&t->stacks);
	fl_free(t->keys);
	fl_free(t->columns);
	fl_line_reader_free(&t->base);
}

static int read_table(struct flame_source *source, fl_accept_line *accept)
{
	struct table *t = source->state;
	int status = fl_line_reader_read(&t->base, accept);

	if (status != FLAME_END)
		return status;
	if (t->fractions)
		fl_warn(source->flame, "%s: %" PRIu64 " values are not whole: "
			"what rounding removes from one is added to the "
			"next", fl_in_name(source->in), t->fractions);
	t->fractions = 0;
	return fl_lines_end(source, &t->base.lines);
}

static int read_tsv(struct flame_source *source)
{
	return read_table(source, accept_cells);
}

static int read_ndjson(struct flame_source *source)
{
	return read_table(source, accept_object);
}

const struct fl_format fl_format_tsv = {
	.name = "tsv",
	.summary = "our own table, given back",
	.probe = probe_tsv,
	.state_size = sizeof(struct table),
	.open = open_table,
	.read = read_tsv,
	.release = release,
};

const struct fl_format fl_format_ndjson = {
	.name = "ndjson",
	.summary = "our own lines of JSON, given back",
	.probe = probe_ndjson,
	.state_size = sizeof(struct table),
	.open = open_table,
	.read = read_ndjson,
	.release = release,
	.json = true,
};
