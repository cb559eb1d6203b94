/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Format ghc: reads time and allocation profiles of GHC (PROGRAM.prof) into
 * samples of the metrics cpu and alloc:
 *
 *	COST CENTRE MODULE SRC  no. entries  %time %alloc   %time %alloc
 *
 *	MAIN        MAIN   <built-in> 337  0   0.0  0.0   100.0  100.0
 *	 main       Main   a.hs:1:1-9 675  0  30.4  9.4   100.0  100.0
 *
 * A blank a level; the first two shares are of the cost centre alone.  With -P
 * ticks and bytes follow, else they are made of the shares.
 */
#include "fl.h"

#include "format/outline/outline.h"

struct reader {
	struct fl_outline outline;
	const struct fl_total_options *options;
	int64_t ticks, interval, bytes;	/* in total; interval: ns */
	bool table, exact;		/* exact: with ticks and bytes */
	bool begun;			/* a row was read */
};

enum { TIME, ALLOC };

/* Headings ------------------------------------------------------------ */

/* The number, with commas, that ends before a text. */
static bool number_before(struct slice s, const char *text, int64_t *n)
{
	const char *at = fl_slice_find(s, text), *from = at;

	if (!at)
		return false;
	while (from > s.data && (fl_is_digit(from[-1]) || from[-1] == ','))
		from--;
	*n = 0;
	for (; from < at; from++)
		if (*from != ',')
			*n = fl_add_clamped(fl_mul_clamped(*n, 10),
					    *from - '0');
	return true;
}

static void read_total(struct reader *r, struct slice s)
{
	if (fl_slice_has(s, "total time ")) {
		number_before(s, " ticks", &r->ticks);
		if (number_before(s, " us", &r->interval))
			r->interval = fl_mul_clamped(r->interval, 1000);
	} else if (fl_slice_has(s, "total alloc ")) {
		number_before(s, " bytes", &r->bytes);
	}
}

/* The table of the tree has entries; the one before has not. */
static bool is_header(struct slice s)
{
	return fl_slice_starts(s, "COST CENTRE") && fl_slice_has(s, "MODULE") &&
	       fl_slice_has(s, " entries ");
}

static void begin_table(struct reader *r, struct slice header)
{
	struct fl_outline *o = &r->outline;
	bool total = r->options->total && r->interval;

	fl_outline_end(o);
	r->table = true;
	r->begun = false;
	r->exact = fl_slice_has(header, " ticks ") &&
		   fl_slice_has(header, " bytes");
	o->metric[TIME] = fl_metric(o->base.flame, "cpu",
				    r->interval ? "ns" : "samples",
				    total ? "ns" : "samples");
	o->metric[ALLOC] = flame_metric(o->base.flame, "alloc", "bytes");
	o->nvalues = 2;
}

/* Rows ---------------------------------------------------------------- */

static bool last_word(struct slice *s, struct slice *word)
{
	*s = fl_slice_trim_end(*s);
	return fl_slice_last_word(s, word);
}

/* A share of the total, "30.4" percent. */
static bool take_share(struct slice *s, int64_t of, int64_t *n)
{
	struct slice word;
	fl_wide part;

	if (!last_word(s, &word) || !fl_parse_decimal(word, 1, n))
		return false;
	part = (fl_wide)of * FL_MAX(FL_MIN(*n, 1000), 0);
	*n = (int64_t)((part + 500) / 1000);
	return true;
}

static bool take_number(struct slice *s, int64_t *n)
{
	struct slice word;

	return last_word(s, &word) && fl_parse_int(word, n);
}

static bool take_weights(struct reader *r, struct slice *s, int64_t *weight)
{
	int64_t other;

	if (r->exact && (!take_number(s, &weight[ALLOC]) ||
			 !take_number(s, &weight[TIME])))
		return false;
	if (!take_share(s, 0, &other) || !take_share(s, 0, &other))
		return false;
	if (!r->exact)
		return take_share(s, r->bytes, &weight[ALLOC]) &&
		       take_share(s, r->ticks, &weight[TIME]);
	return take_share(s, 0, &other) && take_share(s, 0, &other);
}

/* "Main.main", with the place it has in the source as its file. */
static flame_id frame_of(struct reader *r, struct slice centre,
			 struct slice module, struct slice place)
{
	struct fl_buf *buf = &r->outline.base.buf;

	buf->size = 0;
	fl_buf_put(buf, module.data, module.size);
	fl_buf_byte(buf, '.');
	fl_buf_put(buf, centre.data, centre.size);
	return fl_outline_frame(&r->outline, fl_buf_slice(buf), place,
				FLAME_NATIVE);
}

static bool take_row(struct reader *r, struct slice line)
{
	struct slice s = line, centre, module;
	int64_t weight[2], number;

	if (!take_weights(r, &s, weight) || !take_number(&s, &number) ||
	    !take_number(&s, &number))
		return false;
	s = fl_slice_trim(s);
	if (!fl_slice_first_word(&s, &centre))
		return false;
	/* Old versions have no SRC column. */
	if (!fl_slice_first_word(&s, &module)) {
		module = s;
		s = (struct slice){ s.data, 0 };
	}
	if (r->options->total && r->interval)
		weight[TIME] = fl_mul_clamped(weight[TIME], r->interval);
	fl_outline_add(&r->outline, fl_indent(line),
		       frame_of(r, centre, module, s), weight);
	r->begun = true;
	return true;
}

static void accept_line(struct fl_line_reader *base, struct slice line)
{
	struct reader *r = (struct reader *)base;

	if (is_header(line)) {
		begin_table(r, line);
	} else if (!r->table) {
		read_total(r, line);
	} else if (!fl_slice_trim(line).size) {
		r->table = !r->begun;
	} else if (base->lines.ended && !take_row(r, line)) {
		fl_lines_bad(&base->lines, line);
	} else if (!base->lines.ended) {
		fl_warn(base->flame, "%s: the input ends within a row, which "
			"is left out", fl_in_name(base->source->in));
		base->source->damage = 1;
	}
}

/* The row of formats.def ------------------------------------------------ */

static int open_ghc(struct flame_source *source)
{
	struct reader *r = source->state;

	r->options = source->options;
	r->outline.self = true;
	return fl_line_reader_open(source);
}

static int read(struct flame_source *source)
{
	struct reader *r = source->state;
	int status = fl_outline_read_nodes(&r->outline, accept_line);
	int damage = source->damage;

	if (status != FLAME_END)
		return status;
	status = fl_lines_end(source, &r->outline.base.lines);
	if (damage)
		fl_line_reader_damage(&r->outline.base);
	return status;
}

static int probe(const uint8_t *head, size_t n, bool whole)
{
	struct slice text = { (const char *)head, n };
	struct slice line = fl_slice_split(&text, '\n');

	(void)whole;
	return fl_slice_has(line, "Time and Allocation Profiling Report") ?
	       64 : 0;
}

const struct fl_format fl_format_ghc = {
	.name = "ghc",
	.summary = "time and allocation profiles of GHC (.prof)",
	.probe = probe,
	.state_size = sizeof(struct reader),
	.open = open_ghc,
	.read = read,
	.release = fl_outline_free,
	.options = &fl_total_option_table,
};
