/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Format tree: reads call trees that other programs export as text into
 * samples: a node a line, indented by its depth, or a table with commas,
 * semicolons or tabs whose columns are named.  It is read where it is asked for
 * (-i tree), as it can be anything.
 *
 *	main 10 ms			Level,Name,Time
 *	  run 7 ms			0,main,10
 *	    f 3 ms			1,run,7
 */
#include "fl.h"

#include "format/outline/outline.h"

enum { NAME, WEIGHT, DEPTH, COLUMNS };

struct reader {
	struct fl_outline outline;
	const struct fl_outline_options *options;
	bool begun;
	char delimiter;		/* of a table; 0: lines */
	char unknown;		/* the same of a first line that has no weight */
	struct fl_buf titles;	/* of that line */
	int column[COLUMNS];	/* -1: none */
	struct fl_buf field[COLUMNS + 1];	/* the last: of others */
};

static const char *const names[COLUMNS][10] = {
	[NAME] = { "Name", "Function Name", "Function", "Method", "Symbol",
		   "Call Tree", "Frame", "Label", "Symbol Name", NULL },
	[WEIGHT] = { "Time", "Value", "Total", "Samples", "Count", "Weight",
		     "Bytes", "Running Time", NULL },
	[DEPTH] = { "Level", "Depth", NULL },
};

/* Headings ------------------------------------------------------------ */

static bool same_text(struct slice s, const char *text)
{
	size_t i = 0;

	for (; i < s.size && text[i]; i++) {
		char a = s.data[i], b = text[i];

		a = a >= 'A' && a <= 'Z' ? (char)(a | 0x20) : a;
		b = b >= 'A' && b <= 'Z' ? (char)(b | 0x20) : b;
		if (a != b)
			return false;
	}
	return i == s.size && !text[i];
}

/* How well a title matches a column: lower is better; -1: not at all. */
static int rank_of(const struct reader *r, int column, struct slice title)
{
	const char *wanted = column == NAME ? r->options->name :
			     column == WEIGHT ? r->options->weight : NULL;

	if (wanted)
		return same_text(title, wanted) ? 0 : -1;
	for (int i = 0; names[column][i]; i++) {
		struct slice s = title;

		/* "Time (ms)" is "Time". */
		if (fl_slice_has(s, " ("))
			s.size = (size_t)(fl_slice_find(s, " (") - s.data);
		if (same_text(s, names[column][i]))
			return i;
	}
	return -1;
}

static char delimiter_of(struct slice line)
{
	static const char known[] = { '\t', ';', ',' };

	for (size_t i = 0; i < sizeof(known); i++)
		if (memchr(line.data, known[i], line.size))
			return known[i];
	return '\0';
}

/* Whether the line names the columns that are needed. */
static bool take_header(struct reader *r, struct slice s)
{
	char delimiter = s.size ? delimiter_of(s) : '\0';
	struct fl_buf *other = &r->field[COLUMNS];
	int best[COLUMNS] = { 99, 99, 99 }, rank;
	bool more = delimiter != '\0';
	size_t indent;

	for (int k = 0; k < COLUMNS; k++)
		r->column[k] = -1;
	for (int i = 0; more; i++) {
		if (!fl_csv_field(&s, delimiter, other, &indent, &more))
			return false;
		for (int k = 0; k < COLUMNS; k++) {
			rank = rank_of(r, k,
				       fl_slice_trim(fl_buf_slice(other)));
			if (rank < 0 || rank >= best[k])
				continue;
			best[k] = rank;
			r->column[k] = i;
		}
	}
	r->delimiter = r->column[NAME] >= 0 && r->column[WEIGHT] >= 0 ?
		       delimiter : '\0';
	return r->delimiter != '\0';
}

/* Weights ------------------------------------------------------------- */

static const struct {
	const char *name;
	int places;
	const char *metric, *unit;
} units[] = {
	{ "s", 9, "time", "ns" }, { "sec", 9, "time", "ns" },
	{ "ms", 6, "time", "ns" }, { "us", 3, "time", "ns" },
	{ "\xc2\xb5s", 3, "time", "ns" }, { "ns", 0, "time", "ns" },
	{ "bytes", 0, "bytes", "bytes" }, { "B", 0, "bytes", "bytes" },
	{ "", 0, "samples", "samples" },
};

/*
 * "1,234.5 ms"; the unit must be that of the metric.  A comma before three
 * digits separates thousands.
 */
static bool take_weight(struct reader *r, struct slice *s, int64_t *n)
{
	struct fl_buf *buf = &r->outline.base.buf;
	struct slice rest = fl_slice_trim(*s), unit;
	size_t i = 0;

	buf->size = 0;
	for (; i < rest.size; i++) {
		char c = rest.data[i];

		if (c == ',' && rest.size - i > 3 &&
		    fl_is_digit(rest.data[i + 1]))
			continue;
		if (!fl_is_digit(c) && c != '.')
			break;
		fl_buf_byte(buf, c);
	}
	if (!i || !fl_is_digit(rest.data[0]))
		return false;
	rest = fl_slice_from(rest, i);
	unit = fl_slice_trim(rest);
	unit = fl_slice_split(&unit, ' ');
	for (size_t k = 0; k < FL_COUNT(units); k++) {
		bool last = k == FL_COUNT(units) - 1;

		if (!last && !fl_slice_is(unit, units[k].name))
			continue;
		if (!last)
			rest.size -= (size_t)(unit.data + unit.size -
					      rest.data);
		if (!last)
			rest.data = unit.data + unit.size;
		if (!r->outline.nvalues)
			r->outline.metric[0] =
				flame_metric(r->outline.base.flame,
					     units[k].metric, units[k].unit);
		r->outline.nvalues = 1;
		*s = rest;
		return fl_parse_decimal(fl_buf_slice(buf), units[k].places, n);
	}
	return false;
}

/* Rows ---------------------------------------------------------------- */

static void add(struct reader *r, uint64_t depth, struct slice name,
		int64_t weight)
{
	fl_outline_add(&r->outline, depth,
		       fl_outline_frame(&r->outline, fl_slice_trim(name),
					FL_SLICE(""), FLAME_UNKNOWN), &weight);
}

static bool take_table_row(struct reader *r, struct slice s)
{
	size_t depth;
	struct slice weight;
	int64_t level, n;

	if (!fl_csv_columns(s, r->delimiter, r->column, r->field, COLUMNS,
			    &depth))
		return false;
	if (r->column[DEPTH] >= 0) {
		if (!fl_parse_digits(fl_slice_trim(fl_buf_slice(
					&r->field[DEPTH])), &level))
			return false;
		depth = (size_t)level;
	}
	weight = fl_buf_slice(&r->field[WEIGHT]);
	if (!take_weight(r, &weight, &n))
		return false;
	add(r, depth, fl_buf_slice(&r->field[NAME]), n);
	return true;
}

/* Blanks, tabs (8) and the lines that are drawn to children. */
static size_t take_indent(struct slice *s)
{
	static const char *const drawn[] = {
		"\xe2\x94\x82", "\xe2\x94\x9c", "\xe2\x94\x94", "\xe2\x94\x80",
	};
	size_t depth = 0, used;

	while (s->size) {
		used = strchr(" |+-`\\", *s->data) && *s->data ? 1 : 0;
		depth += used;
		if (*s->data == '\t') {
			used = 1;
			depth += 8;
		}
		for (size_t i = 0; i < FL_COUNT(drawn) && !used; i++)
			if (fl_slice_starts(*s, drawn[i])) {
				used = 3;
				depth++;
			}
		if (!used)
			break;
		s->data += used;
		s->size -= used;
	}
	return depth;
}

/* The offset of the weight at the end: "main 10 ms", "main (10)". */
static bool split_end(struct reader *r, struct slice *name, int64_t *n)
{
	struct slice s = fl_slice_trim_end(*name), tail;
	size_t i = s.size;

	if (fl_slice_ends(s, ")"))
		s.size--;
	for (i = s.size; i && s.data[i - 1] != ' ' && s.data[i - 1] != '\t' &&
	     s.data[i - 1] != '('; i--)
		;
	/* The unit may be a word of its own. */
	if (i && i < s.size && !fl_is_digit(s.data[i]))
		for (i--; i && s.data[i - 1] != ' ' && s.data[i - 1] != '\t' &&
		     s.data[i - 1] != '('; i--)
			;
	tail = fl_slice_from(s, i);
	if (!i || !take_weight(r, &tail, n) || fl_slice_trim(tail).size)
		return false;
	*name = (struct slice){ s.data, i - (s.data[i - 1] == '(') };
	return true;
}

static bool take_line(struct reader *r, struct slice s)
{
	size_t depth = take_indent(&s);
	int64_t n;

	if (!s.size)
		return false;
	if (fl_is_digit(*s.data)) {
		if (!take_weight(r, &s, &n))
			return false;
		/* "10 ms (12%) main" */
		s = fl_slice_trim(s);
		if (fl_slice_starts(s, "(") && memchr(s.data, ')', s.size))
			fl_slice_split(&s, ')');
	} else if (!split_end(r, &s, &n)) {
		return false;
	}
	if (!fl_slice_trim(s).size)
		return false;
	add(r, depth, s, n);
	return true;
}

/* The titles of a table whose columns are not known, for the message. */
static void keep_titles(struct reader *r, struct slice line)
{
	char delimiter = delimiter_of(line);
	struct fl_buf *other = &r->field[COLUMNS];
	bool more = delimiter != '\0';
	size_t indent;

	while (more && fl_csv_field(&line, delimiter, other, &indent,
				    &more)) {
		fl_buf_text(&r->titles, r->titles.size ? ", " : "");
		fl_buf_put(&r->titles, other->data, other->size);
	}
	r->unknown = delimiter;
}

/* Its second line has the delimiter, too: it is a table. */
static void refuse_table(struct reader *r)
{
	fl_fail(r->outline.base.flame, "%s: a table whose columns are %.*s: "
		"say which has the names, and which the weights "
		"(--tree-name, --tree-weight)",
		fl_in_name(r->outline.base.source->in),
		(int)FL_MIN(r->titles.size, (size_t)200), r->titles.data);
}

static void accept_line(struct fl_line_reader *base, struct slice line)
{
	struct reader *r = (struct reader *)base;
	bool header = !r->begun;

	if (!fl_slice_trim(line).size)
		return;
	r->begun = true;
	if (header && take_header(r, line))
		return;
	if (r->unknown && memchr(line.data, r->unknown, line.size)) {
		refuse_table(r);
		return;
	}
	r->unknown = '\0';
	if (header && !r->delimiter && !take_line(r, line)) {
		keep_titles(r, line);
		fl_lines_bad(&base->lines, line);
		return;
	}
	if (header && !r->delimiter)
		return;
	if (!(r->delimiter ? take_table_row(r, line) : take_line(r, line)))
		fl_lines_bad(&base->lines, line);
	for (int i = 0; i <= COLUMNS; i++)
		base->buf.failed |= r->field[i].failed;
	base->buf.failed |= r->titles.failed;
}

/* The row of formats.def ------------------------------------------------ */

static int open_tree(struct flame_source *source)
{
	struct reader *r = source->state;

	r->options = source->options;
	return fl_line_reader_open(source);
}

static void release(void *state)
{
	struct reader *r = state;

	for (int i = 0; i <= COLUMNS; i++)
		fl_buf_free(&r->field[i]);
	fl_buf_free(&r->titles);
	fl_outline_free(&r->outline);
}

static int read(struct flame_source *source)
{
	struct reader *r = source->state;

	r->outline.self = r->options->self;
	return fl_outline_read(&r->outline, accept_line);
}

int fl_outline_probe_none(const uint8_t *head, size_t n, bool whole)
{
	(void)head;
	(void)n;
	(void)whole;
	return 0;
}

static const struct fl_option rows[] = {
	FL_OPTION_ROW_TREE_NAME(struct fl_outline_options),
	FL_OPTION_ROW_TREE_WEIGHT(struct fl_outline_options),
	FL_OPTION_ROW_TREE_VALUE(struct fl_outline_options),
	{ .name = NULL }
};

const struct fl_option_table fl_outline_option_table = {
	.rows = rows, .size = sizeof(struct fl_outline_options),
};

const struct fl_format fl_format_tree = {
	.name = "tree",
	.summary = "call trees as indented text, or as CSV",
	.probe = fl_outline_probe_none,
	.state_size = sizeof(struct reader),
	.open = open_tree,
	.read = read,
	.release = release,
	.options = &fl_outline_option_table,
};
