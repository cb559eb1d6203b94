/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads top-down tables of Intel VTune: CSV of its command line, and what its
 * window copies, with tabs.  The own time of each row is a sample of the metric
 * cpu (ns).  Indentation in the first column shows the caller; of the others
 * those are read that the header names CPU Time:Self and Module.
 */
#include "fl.h"

#include "format/format.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#define HEADER "Function Stack"

enum { NAME, TIME, MODULE, OTHER, FIELDS };

/* The options of this format; the rows are below. */
struct options {
	enum fl_compat_tool peer;
	bool no_modules;	/* as a peer: no "module`" in names */
};

struct node {
	size_t indent;
	flame_id stack;
};

struct reader {
	struct fl_line_reader base;
	char delimiter;		/* 0: there is no table to read */
	size_t time, module;	/* indices of columns; module 0: none */
	size_t step;		/* blanks a level; 0: not known yet */
	struct fl_buf field[FIELDS];	/* of the row */
	size_t indent;		/* of the row */
	struct node *nodes;	/* from the root to the row before */
	size_t n, capacity;
	/* Lines: without times, within levels, that the input's end cut. */
	uint64_t no_time, first_skipping, skipping, cut;
	struct fl_map last;	/* a peer's: the weights of stacks */
	size_t given;
};

static const struct options *options_of(const struct reader *r)
{
	return r->base.options;
}

/* Fields -------------------------------------------------------------- */

/* "CPU Time: Self" is "CPU Time:Self". */
static bool is_column(struct slice s, const char *name)
{
	for (size_t i = 0; i < s.size; i++) {
		if (s.data[i] == ' ')
			continue;
		while (*name == ' ')
			name++;
		if (!*name || s.data[i] != *name++)
			return false;
	}
	return !*name;
}

/* The delimiter of a header; 0 where the line is none. */
static char header_delimiter(struct slice s)
{
	const size_t n = sizeof(HEADER) - 1;

	return fl_slice_starts(s, HEADER) && s.size > n &&
	       memchr(",\t;|", s.data[n], 4) ? s.data[n] : '\0';
}

static void take_header(struct reader *r, struct slice s)
{
	struct slice name;
	size_t indent;
	bool more = true;

	r->time = r->module = r->n = r->step = 0;
	for (size_t i = 0; more; i++) {
		if (!fl_csv_field(&s, r->delimiter, &r->field[OTHER], &indent,
				&more))
			break;
		name = fl_slice_trim(fl_buf_slice(&r->field[OTHER]));
		if (is_column(name, "CPU Time:Self"))
			r->time = i;
		else if (is_column(name, "Module"))
			r->module = i;
	}
}

/* Times --------------------------------------------------------------- */

/* Digits with a point, cut off the text; *places: the number of decimals. */
static bool take_decimal(struct slice *s, char comma, uint64_t *n,
			 int *places)
{
	bool point = false, any = false;
	uint64_t more;
	size_t i;

	*n = *places = 0;
	for (i = 0; i < s->size; i++) {
		char c = s->data[i];

		if (!point && (c == '.' || c == comma)) {
			point = true;
			continue;
		}
		if (!fl_is_digit(c))
			break;
		any = true;
		if (!__builtin_mul_overflow(*n, 10, &more) &&
		    !__builtin_add_overflow(more, c - '0', &more)) {
			*n = more;
			*places += point;
		} else if (!point) {
			return false;
		}
	}
	*s = fl_slice_from(*s, i);
	return any;
}

/* n times 10 to the exponent, rounded; false: too large. */
static bool scale(uint64_t n, int exponent, int64_t *ns)
{
	for (; exponent > 0; exponent--)
		if (__builtin_mul_overflow(n, 10, &n))
			return false;
	for (; exponent < -1; exponent++)
		n /= 10;
	if (exponent)
		n = n / 10 + (n % 10 >= 5);
	*ns = n <= INT64_MAX ? (int64_t)n : 0;
	return n <= INT64_MAX;
}

static const struct { const char *name; int places; } units[] = {
	{ "", 9 }, { "s", 9 }, { "ms", 6 }, { "us", 3 }, { "ns", 0 },
};

/* "0.016612", "0.031s": as ns. */
static bool take_time(const struct reader *r, int64_t *ns)
{
	struct slice s = fl_slice_trim(fl_buf_slice(&r->field[TIME]));
	char comma = r->delimiter == ',' ? '.' : ',';
	uint64_t n;
	int places;

	if (!take_decimal(&s, comma, &n, &places))
		return false;
	s = fl_slice_trim(s);
	for (size_t i = 0; i < FL_COUNT(units); i++)
		if (fl_slice_is(s, units[i].name))
			return scale(n, units[i].places - places, ns);
	return false;
}

/* Milliseconds from a double, as the peer computes them. */
static bool peer_time(const struct reader *r, int64_t *ms)
{
	const struct fl_buf *text = &r->field[TIME];
	double d;

	if (!text->size || !fl_parse_double(text->data, &d))
		return false;
	d = d * 1000;
	/* Halves round up; from 2^52 on all doubles are integers. */
	if (d > 0 && d < 0x1p52)
		d = d - floor(d) < 0.5 ? floor(d) : floor(d) + 1;
	*ms = d > 0 && d < 0x1p63 ? (int64_t)d : 0;
	return true;
}

/* Rows ---------------------------------------------------------------- */

static bool is_peer(const struct reader *r)
{
	return options_of(r)->peer != FL_PEER_NONE;
}

/* false: the row lacks a column that is read. */
static bool split_row(struct reader *r, struct slice s, bool *more)
{
	size_t last = FL_MAX(r->time, r->module), indent;

	*more = true;
	for (size_t i = 0; i <= last; i++) {
		unsigned which = !i ? NAME : i == r->time ? TIME :
				 i == r->module ? MODULE : OTHER;

		if (!*more || !fl_csv_field(&s, r->delimiter, &r->field[which],
					  &indent, more))
			return false;
		if (!i)
			r->indent = indent;
	}
	return fl_slice_trim(fl_buf_slice(&r->field[NAME])).size > 0;
}

static flame_id frame_of(struct reader *r)
{
	struct slice name = fl_slice_trim(fl_buf_slice(&r->field[NAME]));
	struct slice module = { "", 0 };
	struct flame_frame frame = { .type = FLAME_UNKNOWN };
	struct fl_buf *buf = &r->field[OTHER];

	if (r->module)
		module = fl_slice_trim(fl_buf_slice(&r->field[MODULE]));
	buf->size = 0;
	if (is_peer(r)) {
		if (module.size && !options_of(r)->no_modules) {
			fl_buf_put(buf, module.data, module.size);
			fl_buf_byte(buf, '`');
		}
		fl_buf_put(buf, name.data, name.size);
		name = fl_buf_slice(buf);
	} else if (module.size && module.data[0] != '[') {
		frame.type = fl_slice_is(module, "vmlinux") ? FLAME_KERNEL :
							      FLAME_NATIVE;
		frame.file =
			flame_name(r->base.flame, module.data, module.size);
	}
	frame.name = flame_name(r->base.flame, name.data, name.size);
	return flame_frame(r->base.flame, &frame);
}

/* Below the last row that has fewer blanks. */
static void find_caller(struct reader *r)
{
	size_t deeper;

	while (r->n && r->nodes[r->n - 1].indent >= r->indent)
		r->n--;
	if (!r->n)
		return;
	deeper = r->indent - r->nodes[r->n - 1].indent;
	if (!r->step)
		r->step = deeper;
	if (deeper != r->step && !r->skipping++)
		r->first_skipping = r->base.lines.number;
}

/* frame 0: a row that was lost; its children go to its caller. */
static void push(struct reader *r, flame_id frame)
{
	flame_id stack = r->n ? r->nodes[r->n - 1].stack : 0;

	if (frame)
		stack = flame_stack(r->base.flame, stack, frame);
	if (!fl_grow(&r->nodes, &r->capacity, r->n + 1, sizeof(*r->nodes))) {
		fl_no_memory(r->base.flame);
		return;
	}
	r->nodes[r->n++] = (struct node){ r->indent, stack };
}

static void emit(struct reader *r, flame_id stack, int64_t weight)
{
	fl_line_reader_sample(&r->base, "cpu", is_peer(r) ? "ms" : "ns",
			      weight, stack, 0);
}

/* The peer knows the last of equal stacks. */
static void keep_last(struct reader *r, int64_t ms)
{
	uint64_t *last = fl_map_put(&r->last, r->nodes[r->n - 1].stack, NULL);

	if (last)
		*last = (uint64_t)ms;
	else
		fl_no_memory(r->base.flame);
}

static void take_row(struct reader *r, struct slice s)
{
	bool more, whole = split_row(r, s, &more);
	int64_t weight = 0;

	/* An input that was cut may end in a shortened row. */
	if (!r->base.lines.ended && !is_peer(r) && (!whole || !more)) {
		r->cut = r->base.lines.number;
		return;
	}
	for (unsigned i = 0; i < FIELDS; i++)
		if (r->field[i].failed)
			fl_no_memory(r->base.flame);
	if (!whole)
		r->indent = fl_indent(s);
	find_caller(r);
	push(r, whole ? frame_of(r) : 0);
	if (fl_failed(r->base.flame))
		return;
	whole = whole && (is_peer(r) ? peer_time(r, &weight) :
				       take_time(r, &weight));
	if (!whole)
		fl_lines_bad(&r->base.lines, s);
	if (!whole || weight <= 0)
		return;
	if (is_peer(r))
		keep_last(r, weight);
	else
		emit(r, r->nodes[r->n - 1].stack, weight);
}

/* Reading ------------------------------------------------------------- */

static void begin_table(struct reader *r, struct slice header)
{
	if (!r->base.lines.ended && !is_peer(r)) {
		r->cut = r->base.lines.number;
		return;
	}
	r->delimiter = header_delimiter(header);
	take_header(r, header);
	if (!r->time) {
		r->no_time = r->base.lines.number;
		r->delimiter = '\0';
	}
}

static void accept_line(struct fl_line_reader *base, struct slice s)
{
	struct reader *r = (struct reader *)base;

	if (header_delimiter(s))
		begin_table(r, s);
	else if (r->delimiter && fl_slice_trim(s).size)
		take_row(r, s);
}

static void report(struct reader *r)
{
	const char *name = fl_in_name(r->base.source->in);

	if (r->skipping)
		fl_warn(r->base.flame, "%s: line %" PRIu64 ": %" PRIu64 " rows "
			"skip a level: what called them is not there", name,
			r->first_skipping, r->skipping);
	if (r->cut)
		fl_warn(r->base.flame, "%s: line %" PRIu64 ": the input ends "
			"within this row, which is left out", name, r->cut);
	if (r->no_time)
		fl_warn(r->base.flame, "%s: line %" PRIu64 ": the table has no "
			"column CPU Time:Self: report it with -column="
			"\"CPU Time:Self,Module\"", name, r->no_time);
	else if (!r->delimiter && !r->cut)
		fl_warn(r->base.flame,
			"%s: the input ends before a header that "
			"begins with \"" HEADER "\"",
			name);
}

static int at_end(struct reader *r)
{
	int status;

	r->base.lines.reported = r->cut;
	status = fl_lines_end(r->base.source, &r->base.lines);
	report(r);
	if (r->skipping || r->cut || r->no_time || !r->delimiter)
		fl_line_reader_damage(&r->base);
	return status;
}

static int read(struct flame_source *source)
{
	struct reader *r = source->state;
	int status = fl_line_reader_read(&r->base, accept_line);
	const struct fl_map_entry *e;

	if (status != FLAME_END)
		return status;
	while ((e = fl_map_each(&r->last, &r->given)))
		emit(r, (flame_id)e->key, (int64_t)e->value);
	return source->batch.n ? FLAME_OK : at_end(r);
}

/* The row of formats.def ------------------------------------------------ */

static int open_vtune(struct flame_source *source)
{
	struct reader *r = source->state;

	r->last.ordered = true;
	return fl_line_reader_open(source);
}

static void release(void *state)
{
	struct reader *r = state;

	fl_map_free(&r->last);
	fl_free(r->nodes);
	for (unsigned i = 0; i < FIELDS; i++)
		fl_buf_free(&r->field[i]);
	fl_line_reader_free(&r->base);
}

/* The header row, among lines that describe the report. */
static int probe(const uint8_t *head, size_t n, bool whole)
{
	struct slice rest = { (const char *)head, n };

	(void)whole;
	if (fl_slice_starts(rest, "\xef\xbb\xbf"))
		rest = fl_slice_from(rest, 3);
	for (unsigned i = 0; i < 64 && rest.size; i++) {
		struct slice s = fl_slice_split(&rest, '\n');

		if (memchr(s.data, '\0', s.size))
			return 0;
		if (header_delimiter(s))
			return 32;
	}
	return 0;
}

static const struct fl_option rows[] = {
	FL_OPTION_ROW_PEER(struct options),
	FL_OPTION_ROW_NO_MODULES(struct options),
	{ .name = NULL }
};

static const struct fl_option_table option_table = {
	.rows = rows, .size = sizeof(struct options),
};

const struct fl_format fl_format_vtune = {
	.name = "vtune",
	.summary = "top-down tables of Intel VTune, as CSV or copied",
	.probe = probe,
	.state_size = sizeof(struct reader),
	.open = open_vtune,
	.read = read,
	.release = release,
	.options = &option_table,
};
