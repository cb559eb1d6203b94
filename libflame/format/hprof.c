/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads the text of HPROF, the profiler of JDK 1.2 to 8 (java.hprof.txt):
 * traces by number, then tables whose rows refer to them.  A row is a sample of
 * the metric cpu, cpu-time, lock or alloc; one of SITES is also a sample of
 * allocations and of live bytes.
 *
 *	TRACE 300100: (thread=200001)
 *		a.B.leaf(B.java:10)
 *		a.B.main(B.java:3)
 *	CPU SAMPLES BEGIN (total = 10) Thu Feb 12 10:00:30 2026
 *	rank   self  accum   count trace method
 *	   1 70.00% 70.00%       7 300100 a.B.leaf
 *	SITES BEGIN (ordered by live bytes) Thu Feb 12 10:00:30 2026
 *	 rank   self  accum     bytes objs     bytes  objs trace name
 *	    1 38.06% 38.06%   1048592    1   1048592     1 300074 char[]
 *
 * A table is of the whole run until then, so of tables of a kind only the last
 * counts.  CPU TIME (ms) and MONITOR TIME have their times as shares of the
 * total alone.
 */
#include "fl.h"

#include "format/format.h"

#include <inttypes.h>

enum kind { SAMPLES, TIMES, MONITORS, SITES, KINDS };

static const struct {
	const char *begin, *metric, *unit;
} kinds[KINDS] = {
	{ "CPU SAMPLES BEGIN", "cpu", "samples" },
	{ "CPU TIME (ms) BEGIN", "cpu-time", "ns" },
	{ "MONITOR TIME BEGIN", "lock", "ns" },
	{ "SITES BEGIN", "alloc", "bytes" },
};

struct row {
	uint64_t trace;
	int64_t weight, objects, live;
	flame_id class;		/* of sites: the leaf */
};

struct table {
	struct row *rows;
	size_t count, capacity;
	int64_t total;		/* ns */
	uint64_t printed;	/* tables of this kind */
};

struct reader {
	struct fl_line_reader base;
	struct fl_map traces;		/* number -> stack */
	struct fl_map threads;		/* number of the trace -> of a thread */
	struct fl_map names;		/* number of a thread -> its name */
	uint64_t trace;			/* that is read; 0: none */
	bool in_heap;			/* objects are passed over */
	struct table tables[KINDS], *table;	/* that is read, or NULL */
	uint64_t no_trace;		/* rows whose trace is not there */
	bool cut;			/* a table lacks its end */
	bool ended;
};

/* Traces --------------------------------------------------------------- */

/* The number after a text in the line; 0: none. */
static uint64_t number_after(struct slice line, const char *text)
{
	const char *at = fl_slice_find(line, text);
	struct slice rest, digits;
	int64_t n;

	if (!at)
		return 0;
	at += strlen(text);
	rest = fl_slice_trim((struct slice){
		at, (size_t)(line.data + line.size - at) });
	digits = (struct slice){ rest.data, 0 };
	while (digits.size < rest.size && fl_is_digit(rest.data[digits.size]))
		digits.size++;
	return fl_parse_digits(digits, &n) ? (uint64_t)n : 0;
}

static void put(struct reader *r, struct fl_map *map, uint64_t key,
		uint64_t value)
{
	uint64_t *at = fl_map_put(map, key, NULL);

	if (at)
		*at = value;
	else
		fl_no_memory(r->base.flame);
}

static void end_trace(struct reader *r)
{
	if (r->trace)
		put(r, &r->traces, r->trace,
		    fl_trace_stack(r->base.flame, 0, &r->base.trace));
	r->trace = 0;
}

static void begin_trace(struct reader *r, struct slice line)
{
	uint64_t thread = number_after(line, "(thread=");

	r->base.trace.count = 0;
	r->trace = number_after(line, "TRACE ");
	if (r->trace && thread)
		put(r, &r->threads, r->trace, thread);
}

static void read_frame(struct reader *r, struct slice text)
{
	struct flame *flame = r->base.flame;
	struct fl_buf *buf = &r->base.buf;
	struct flame_frame frame = { .type = FLAME_UNKNOWN };
	struct fl_java_frame java;

	if (fl_slice_is(text, "<empty>"))
		return;
	if (!fl_java_frame(text, &java)) {
		fl_lines_bad(&r->base.lines, text);
		return;
	}
	buf->size = 0;
	fl_java_name(buf, java.name);
	if (((const struct fl_lines_options *)r->base.options)->lines && java.line > 0)
		fl_buf_print(buf, ":%" PRId64, java.line);
	frame.name = flame_name(flame, buf->data ? buf->data : "", buf->size);
	/* "(A.java:Native method)" */
	frame.type = fl_slice_ends(text, "Native method)") ?
		     FLAME_JAVA_NATIVE : java.type;
	if (java.line > 0 && java.line <= INT32_MAX)
		frame.line = (uint32_t)java.line;
	fl_trace_add(flame, &r->base.trace, &frame);
}

/* THREAD START (obj=50000139, id = 200001, name="main", group="main") */
static void read_thread(struct reader *r, struct slice line)
{
	const char *name = fl_slice_find(line, "name=\"");
	const char *end = fl_slice_find(line, "\", group=\"");
	uint64_t id = number_after(line, "id =");

	if (id && name && end && end > (name += strlen("name=\"")))
		put(r, &r->names, id,
		    flame_name(r->base.flame, name, (size_t)(end - name)));
}

/* Tables --------------------------------------------------------------- */

/* Whether the line begins a table, which is the one read then. */
static bool begin_table(struct reader *r, struct slice line)
{
	for (int i = 0; i < KINDS; i++) {
		struct table *t = &r->tables[i];

		if (!fl_slice_starts(line, kinds[i].begin))
			continue;
		t->count = 0;
		t->printed++;
		t->total = fl_mul_clamped((int64_t)number_after(line,
								"(total ="),
					  1000000);
		r->table = t;
		return true;
	}
	return false;
}

/* A share "70.00%" of the total. */
static bool parse_share(struct slice word, int64_t total, int64_t *weight)
{
	int64_t hundredths;

	if (!fl_slice_ends(word, "%"))
		return false;
	word.size--;
	if (!fl_parse_decimal(word, 2, &hundredths) || hundredths < 0 ||
	    hundredths > 10000)
		return false;
	*weight = (int64_t)((double)total / 10000 * (double)hundredths + 0.5);
	return true;
}

static bool parse_counts(struct slice *line, int64_t *counts, unsigned n)
{
	struct slice word;

	for (unsigned i = 0; i < n; i++)
		if (!fl_dump_word(line, &word) ||
		    !fl_parse_digits(word, &counts[i]))
			return false;
	return true;
}

/* Rank, self, accum, then counts, the trace and a name. */
static bool read_row(struct reader *r, struct slice line)
{
	struct table *t = r->table;
	enum kind kind = (enum kind)(t - r->tables);
	int64_t counts[5], rank;
	struct row row = { 0 };
	struct slice self, accum;

	if (!parse_counts(&line, &rank, 1) || !fl_dump_word(&line, &self) ||
	    !fl_dump_word(&line, &accum) ||
	    !parse_share(self, t->total, &row.weight) ||
	    !parse_counts(&line, counts, kind == SITES ? 5 : 2))
		return false;
	line = fl_slice_trim(line);
	if (kind == SITES) {
		row.live = counts[0];
		row.weight = counts[2];
		row.objects = counts[3];
		row.trace = (uint64_t)counts[4];
		row.class = flame_name(r->base.flame, line.data, line.size);
	} else {
		row.trace = (uint64_t)counts[1];
		if (kind == SAMPLES)
			row.weight = counts[0];
	}
	if (!fl_grow(&t->rows, &t->capacity, t->count + 1, sizeof(*t->rows)))
		return fl_no_memory(r->base.flame) == FLAME_OK;
	t->rows[t->count++] = row;
	r->base.lines.good++;
	return true;
}

static bool is_heading(struct slice line)
{
	line = fl_slice_trim(line);
	return !line.size || !fl_is_digit(line.data[0]);
}

static void give_tables(struct reader *r);

/* The tables before it are of another run, whose numbers begin anew. */
static void begin_run(struct reader *r)
{
	end_trace(r);
	give_tables(r);
	fl_map_clear(&r->traces);
	fl_map_clear(&r->threads);
	fl_map_clear(&r->names);
	for (int i = 0; i < KINDS; i++)
		r->tables[i].count = r->tables[i].printed = 0;
	r->table = NULL;
}

static void accept_line(struct fl_line_reader *base, struct slice line)
{
	struct reader *r = (struct reader *)base;

	if (fl_slice_starts(line, "JAVA PROFILE "))
		begin_run(r);
	else if (fl_slice_starts(line, "HEAP DUMP BEGIN") || r->in_heap) {
		r->in_heap = !fl_slice_starts(line, "HEAP DUMP END");
		end_trace(r);
	} else if (r->trace && line.size && line.data[0] == '\t') {
		read_frame(r, fl_slice_trim(line));
	} else {
		end_trace(r);
		if (r->table && fl_slice_ends(line, " END"))
			r->table = NULL;
		else if (fl_slice_starts(line, "TRACE "))
			begin_trace(r, line);
		else if (fl_slice_starts(line, "THREAD START "))
			read_thread(r, line);
		else if (!begin_table(r, line) && r->table &&
			 !is_heading(line) && base->lines.ended &&
			 !read_row(r, line))
			fl_lines_bad(&base->lines, line);
	}
}

/* Samples -------------------------------------------------------------- */

static void add(struct reader *r, const char *metric, const char *unit,
		int64_t weight, flame_id stack, flame_id thread)
{
	flame_id id = flame_metric(r->base.flame, metric, unit);

	fl_emit(r->base.source, &(struct flame_sample){
		.stack = stack, .metric = id, .thread = thread,
		.time = FLAME_NOTIME, .weight = weight,
	}, 1);
}

static void give_row(struct reader *r, enum kind kind, const struct row *row)
{
	struct flame *flame = r->base.flame;
	const uint64_t *trace = fl_map_get(&r->traces, row->trace);
	const uint64_t *id = fl_map_get(&r->threads, row->trace);
	const uint64_t *name = id ? fl_map_get(&r->names, *id) : NULL;
	flame_id stack = trace ? (flame_id)*trace : 0, thread = 0;

	r->no_trace += !trace;
	if (!trace)
		return;
	if (name)
		thread = flame_label(flame, 0, fl_name(flame, "thread"),
				     (flame_id)*name);
	if (row->class)
		stack = flame_stack(flame, stack,
				    fl_frame(flame, row->class,
					     FLAME_INLINED));
	if (row->weight)
		add(r, kinds[kind].metric, kinds[kind].unit, row->weight,
		    stack, thread);
	if (row->objects)
		add(r, "allocations", "count", row->objects, stack, thread);
	if (row->live)
		add(r, "live", "bytes", row->live, stack, thread);
}

static void give_tables(struct reader *r)
{
	const char *name = fl_in_name(r->base.source->in);

	for (int i = 0; i < KINDS; i++) {
		const struct table *t = &r->tables[i];

		for (size_t k = 0; k < t->count; k++)
			give_row(r, (enum kind)i, &t->rows[k]);
		if (t->printed > 1)
			fl_remark(r->base.flame, "%s: %" PRIu64 " tables of "
				  "%s, each of the run so far: the last one "
				  "counts", name, t->printed, kinds[i].metric);
	}
	r->cut |= r->table != NULL;
	if (r->table)
		fl_warn(r->base.flame, "%s: line %" PRIu64 ": the input ends "
			"within a table, whose other rows are missing", name,
			r->base.lines.number);
}

static int read(struct flame_source *source)
{
	struct reader *r = source->state;

	if (!r->ended) {
		int status = fl_line_reader_read(&r->base, accept_line);

		if (status != FLAME_END || fl_failed(source->flame))
			return status == FLAME_END ? FLAME_FAILED : status;
		end_trace(r);
		give_tables(r);
		if (r->no_trace)
			fl_warn(source->flame, "%s: %" PRIu64 " rows left out, "
				"whose traces are not in the file",
				fl_in_name(source->in), r->no_trace);
		r->ended = true;
		if (source->batch.n)
			return FLAME_OK;
	}
	fl_lines_end(source, &r->base.lines);
	if (r->no_trace || r->cut)
		fl_line_reader_damage(&r->base);
	return fl_failed(source->flame) ? FLAME_FAILED : FLAME_END;
}

/* The row of formats.def ------------------------------------------------ */

static void release(void *state)
{
	struct reader *r = state;

	fl_map_free(&r->traces);
	fl_map_free(&r->threads);
	fl_map_free(&r->names);
	for (int i = 0; i < KINDS; i++)
		fl_free(r->tables[i].rows);
	fl_line_reader_free(&r->base);
}

/* Heap dumps have a NUL where the text goes on. */
static int probe(const uint8_t *head, size_t n, bool whole)
{
	(void)whole;
	return fl_probe_text(head, n, "JAVA PROFILE 1.0.1, created ");
}

const struct fl_format fl_format_hprof = {
	.name = "hprof",
	.summary = "the text of HPROF of JDK 8 and before",
	.probe = probe,
	.state_size = sizeof(struct reader),
	.open = fl_line_reader_open,
	.read = read,
	.release = release,
	.options = &fl_lines_option_table,
};
