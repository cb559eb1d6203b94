/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Format instruments: reads call trees as Instruments of macOS copies them
 * (Edit, Deep Copy) into samples, whose metric follows from the unit of the
 * weights: columns with tabs between, the name last, a blank a level before it.
 *
 *	Weight	Self Weight		Symbol Name
 *	96.08 Gc  100.0%	-	 	example_app (40414)
 *	96.08 Gc  100.0%	1.00 Mc	 	 start
 */
#include "fl.h"

#include "format/outline/outline.h"

#include <stdlib.h>

enum { WEIGHT, SELF, COUNT, COLUMNS };

struct reader {
	struct fl_outline outline;
	int column[COLUMNS];	/* where they are; -1: nowhere */
	bool header;		/* one was read */
	bool kind;		/* the metric is known */
};

static const struct {
	const char *title;
	int column;
} titles[] = {
	{ "Weight", WEIGHT }, { "Bytes Used", WEIGHT },
	{ "Running Time", WEIGHT }, { "Total Samples", WEIGHT },
	{ "Total", WEIGHT },
	{ "Self Weight", SELF }, { "Self (ms)", SELF }, { "Self", SELF },
	{ "Count", COUNT }, { "# Leaks", COUNT },
};

/* Times and bytes, in ns and bytes; cycles. */
static const struct {
	const char *name;
	int places;
	int64_t factor;
	enum { CYCLES, TIME, BYTES, SAMPLES } kind;
} units[] = {
	{ "cycles", 0, 1, CYCLES }, { "cycle", 0, 1, CYCLES },
	{ "c", 0, 1, CYCLES }, { "Kc", 3, 1, CYCLES }, { "kc", 3, 1, CYCLES },
	{ "Mc", 6, 1, CYCLES }, { "Gc", 9, 1, CYCLES }, { "Tc", 12, 1, CYCLES },
	{ "ns", 0, 1, TIME }, { "\xc2\xb5s", 3, 1, TIME }, { "us", 3, 1, TIME },
	{ "ms", 6, 1, TIME }, { "s", 9, 1, TIME }, { "min", 9, 60, TIME },
	{ "h", 9, 3600, TIME },
	{ "Bytes", 0, 1, BYTES }, { "B", 0, 1, BYTES },
	{ "Byte", 0, 1, BYTES },
	{ "KB", 0, 1 << 10, BYTES }, { "MB", 0, 1 << 20, BYTES },
	{ "GB", 0, 1 << 30, BYTES }, { "KiB", 0, 1 << 10, BYTES },
	{ "MiB", 0, 1 << 20, BYTES }, { "GiB", 0, 1 << 30, BYTES },
	{ "", 0, 1, SAMPLES },
};

/* Headings ------------------------------------------------------------ */

static bool take_header(struct slice s, int column[COLUMNS])
{
	struct slice field;
	int i = 0;

	column[WEIGHT] = column[SELF] = column[COUNT] = -1;
	if (!fl_slice_ends(s, "\tSymbol Name"))
		return false;
	while (i < 32 && fl_slice_field(&s, &field)) {
		field = fl_slice_trim(field);
		for (size_t k = 0; k < FL_COUNT(titles); k++)
			if (fl_slice_is(field, titles[k].title) &&
			    column[titles[k].column] < 0)
				column[titles[k].column] = i;
		i++;
	}
	return column[WEIGHT] >= 0;
}

static void set_metrics(struct reader *r, int kind)
{
	struct fl_outline *o = &r->outline;
	struct flame *flame = o->base.flame;

	r->kind = true;
	o->nvalues = 1;
	switch (kind) {
	case CYCLES:
		o->metric[0] = flame_metric(flame, "cycles", "cycles");
		break;
	case TIME:
		o->metric[0] = flame_metric(flame, "cpu", "ns");
		break;
	case BYTES:
		o->metric[0] = flame_metric(flame, "alloc", "bytes");
		break;
	default:
		o->metric[0] = flame_metric(flame, "samples", "samples");
	}
	if (r->column[COUNT] >= 0 && r->column[SELF] < 0) {
		o->metric[1] = flame_metric(flame, "allocations", "count");
		o->nvalues = 2;
	}
}

/* Rows ---------------------------------------------------------------- */

/* "429.93 MB     100.0%", "600.78 Mc    0.6%", "1.0ms", "-" */
static bool take_weight(struct slice s, int64_t *n, int *kind)
{
	struct slice number, unit;
	size_t i = 0;

	s = fl_slice_trim(s);
	*n = 0;
	if (fl_slice_is(s, "-"))
		return true;
	while (i < s.size && (fl_is_digit(s.data[i]) || s.data[i] == '.' ||
			      s.data[i] == ','))
		i++;
	number = (struct slice){ s.data, i };
	s = fl_slice_trim(fl_slice_from(s, i));
	unit = fl_slice_split(&s, ' ');
	/* Without a unit a share follows at once. */
	if (unit.size && fl_is_digit(unit.data[0]))
		unit.size = 0;
	for (size_t k = 0; k < FL_COUNT(units); k++) {
		if (!fl_slice_is(unit, units[k].name))
			continue;
		if (kind)
			*kind = units[k].kind;
		/* A weight may have a fraction: three digits of it are read. */
		if (units[k].factor == 1)
			return fl_parse_decimal(number, units[k].places, n);
		if (!fl_parse_decimal(number, units[k].places ? 9 : 3, n))
			return false;
		*n = fl_mul_clamped(*n, units[k].factor);
		if (!units[k].places)
			*n /= 1000;
		return true;
	}
	return false;
}

static bool take_row(struct reader *r, struct slice line)
{
	struct slice s = line, field;
	int64_t weight[2] = { 0 }, self = 0;
	bool seen = false;
	int kind = SAMPLES;

	for (int i = 0; fl_slice_field(&s, &field); i++) {
		if (i == r->column[WEIGHT])
			seen = take_weight(field, &weight[0], &kind);
		else if (i == r->column[SELF] &&
			 !take_weight(field, &self, NULL))
			return false;
		else if (i == r->column[COUNT] &&
			 !fl_parse_decimal(fl_slice_trim(field), 0, &weight[1]))
			return false;
	}
	if (!seen || !fl_slice_trim(s).size)
		return false;
	if (!r->kind)
		set_metrics(r, kind);
	if (r->column[SELF] >= 0)
		weight[0] = self;
	fl_outline_add(&r->outline, fl_indent(s),
		       fl_outline_frame(&r->outline, fl_slice_trim(s),
					FL_SLICE(""), FLAME_NATIVE), weight);
	return true;
}

static void accept_line(struct fl_line_reader *base, struct slice line)
{
	struct reader *r = (struct reader *)base;
	int column[COLUMNS];

	if (!fl_slice_trim(line).size)
		return;
	if (take_header(line, column)) {
		fl_outline_end(&r->outline);
		memcpy(r->column, column, sizeof(column));
		r->outline.self = column[SELF] >= 0;
		r->kind = false;
		r->header = true;
	} else if (!r->header || !take_row(r, line)) {
		fl_lines_bad(&base->lines, line);
	}
}

/* The row of formats.def ------------------------------------------------ */

static int read(struct flame_source *source)
{
	struct reader *r = source->state;

	return fl_outline_read(&r->outline, accept_line);
}

static int probe(const uint8_t *head, size_t n, bool whole)
{
	struct slice text = { (const char *)head, n };
	int column[COLUMNS];

	(void)whole;
	return take_header(fl_slice_trim_end(fl_slice_split(&text, '\n')),
			   column) ? 48 : 0;
}

const struct fl_format fl_format_instruments = {
	.name = "instruments",
	.summary = "call trees as Instruments copies them",
	.probe = probe,
	.state_size = sizeof(struct reader),
	.open = fl_line_reader_open,
	.read = read,
	.release = fl_outline_free,
};
