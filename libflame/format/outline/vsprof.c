/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Format vsprof: reads call trees of Visual Studio's profiler, as CSV, into
 * samples of wall time: a row a node, its Level first.  A function's own time
 * is its calls times their average, ms.
 */
#include "fl.h"

#include "format/outline/outline.h"

enum { LEVEL, NAME, CALLS, EACH, MODULE, COLUMNS };

struct reader {
	struct fl_outline outline;
	int column[COLUMNS];	/* -1: nowhere */
	struct fl_buf field[COLUMNS + 1];	/* the last: of others */
	bool header;
};

static const struct {
	const char *title;
	int column;
} titles[] = {
	{ "Level", LEVEL }, { "Function Name", NAME },
	{ "Number of Calls", CALLS },
	{ "Avg Elapsed Exclusive Time", EACH },
	{ "Module Name", MODULE },
};

static bool take_header(struct slice s, int column[COLUMNS],
			struct fl_buf *field)
{
	bool more = true;
	size_t indent;

	for (int i = 0; i < COLUMNS; i++)
		column[i] = -1;
	if (fl_slice_starts(s, "\xef\xbb\xbf"))
		s = fl_slice_from(s, 3);
	if (!fl_slice_starts(s, "Level,Function Name,"))
		return false;
	for (int i = 0; more && i < 64; i++) {
		if (!fl_csv_field(&s, ',', field, &indent, &more))
			return false;
		for (size_t k = 0; k < FL_COUNT(titles); k++)
			if (fl_slice_is(fl_slice_trim(fl_buf_slice(field)),
					titles[k].title))
				column[titles[k].column] = i;
	}
	return column[CALLS] >= 0 && column[EACH] >= 0;
}

/* The text of a column; its fields were split. */
static struct slice text_of(const struct reader *r, int column)
{
	return fl_slice_trim(fl_buf_slice(&r->field[column]));
}

/* "1,234.5" */
static bool parse_number(struct slice s, int places, int64_t *n,
			 struct fl_buf *buf)
{
	buf->size = 0;
	for (size_t i = 0; i < s.size; i++)
		if (s.data[i] != ',')
			fl_buf_byte(buf, s.data[i]);
	return fl_parse_decimal(fl_buf_slice(buf), places, n);
}

static bool take_row(struct reader *r, struct slice line)
{
	int64_t level, calls, each;
	struct slice name;

	if (!fl_csv_columns(line, ',', r->column, r->field, COLUMNS, NULL))
		return false;
	name = text_of(r, NAME);
	if (!fl_parse_digits(text_of(r, LEVEL), &level) || !name.size ||
	    !parse_number(text_of(r, CALLS), 0, &calls, &r->field[COLUMNS]) ||
	    !parse_number(text_of(r, EACH), 6, &each, &r->field[COLUMNS]))
		return false;
	each = fl_mul_clamped(FL_MAX(calls, 0), FL_MAX(each, 0));
	fl_outline_add(&r->outline, (uint64_t)level,
		       fl_outline_frame(&r->outline, name, text_of(r, MODULE),
					FLAME_NATIVE), &each);
	return true;
}

static void accept_line(struct fl_line_reader *base, struct slice line)
{
	struct reader *r = (struct reader *)base;
	struct fl_outline *o = &r->outline;
	int column[COLUMNS];

	if (!fl_slice_trim(line).size)
		return;
	if (take_header(line, column, &base->buf)) {
		fl_outline_end(o);
		memcpy(r->column, column, sizeof(column));
		o->metric[0] = flame_metric(base->flame, "wall", "ns");
		o->nvalues = 1;
		r->header = true;
	} else if (!r->header || !take_row(r, line)) {
		fl_lines_bad(&base->lines, line);
	}
	for (int i = 0; i <= COLUMNS; i++)
		base->buf.failed |= r->field[i].failed;
}

/* The row of formats.def ------------------------------------------------ */

static int open_vsprof(struct flame_source *source)
{
	struct reader *r = source->state;

	r->outline.self = true;
	return fl_line_reader_open(source);
}

static void release(void *state)
{
	struct reader *r = state;

	for (int i = 0; i <= COLUMNS; i++)
		fl_buf_free(&r->field[i]);
	fl_outline_free(&r->outline);
}

static int read(struct flame_source *source)
{
	struct reader *r = source->state;

	return fl_outline_read(&r->outline, accept_line);
}

static int probe(const uint8_t *head, size_t n, bool whole)
{
	struct slice text = { (const char *)head, n };

	(void)whole;
	if (fl_slice_starts(text, "\xef\xbb\xbf"))
		text = fl_slice_from(text, 3);
	return fl_slice_starts(text, "Level,Function Name,") ? 64 : 0;
}

const struct fl_format fl_format_vsprof = {
	.name = "vsprof",
	.summary = "call trees of Visual Studio's profiler, as CSV",
	.probe = probe,
	.state_size = sizeof(struct reader),
	.open = open_vsprof,
	.read = read,
	.release = release,
};
