/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Format pprof-traces: reads what go tool pprof -traces prints into samples:
 * stacks leaf first, with rounded values:
 *
 *	Type: cpu
 *	-----------+---------------------
 *	    worker:  7
 *	      50ms   main.leaf (inline)
 *	             main.main
 */
#include "fl.h"

#include "format/pprof/pprof.h"

#include <stdlib.h>

struct reader {
	struct fl_line_reader base;
	bool begun;		/* after the first separator */
	flame_id metric;
	struct fl_buf type;
	int64_t weight;		/* of the trace that is read */
	flame_id labels;
	bool reported;
};

static const char separator[] = "-----------+-------";

static flame_id add_label(struct reader *r, flame_id set, struct slice key,
			  struct slice value)
{
	struct flame *flame = r->base.flame;

	return !key.size ? set :
	       flame_label(flame, set, flame_name(flame, key.data, key.size),
			   flame_name(flame, value.data, value.size));
}

/* "10ms", "8.29MB", "1.50mins" */
static bool parse_value(struct slice word, int64_t *n, const char **unit)
{
	static const struct {
		const char *suffix, *unit;
		double factor;
	} units[] = {
		{ "ns", "nanoseconds", 1 }, { "us", "nanoseconds", 1e3 },
		{ "ms", "nanoseconds", 1e6 }, { "mins", "nanoseconds", 6e10 },
		{ "hrs", "nanoseconds", 3.6e12 },
		{ "days", "nanoseconds", 8.64e13 },
		{ "kB", "bytes", 1024 }, { "MB", "bytes", 1048576 },
		{ "GB", "bytes", 1073741824 }, { "B", "bytes", 1 },
		{ "s", "nanoseconds", 1e9 }, { "", "count", 1 },
	};
	char text[32], *end;
	double value;

	if (!word.size || word.size >= sizeof(text))
		return false;
	memcpy(text, word.data, word.size);
	text[word.size] = '\0';
	if (strspn(text, "-0123456789.") == 0)
		return false;
	value = strtod(text, &end);
	for (size_t i = 0; i < FL_COUNT(units); i++)
		if (strcmp(end, units[i].suffix) == 0) {
			*unit = units[i].unit;
			*n = fl_int64(value * units[i].factor + 0.5);
			return true;
		}
	return false;
}

static void emit(struct reader *r)
{
	r->base.lines.good++;
	fl_emit(r->base.source, &(struct flame_sample){
		.stack = fl_trace_stack(r->base.flame, 0, &r->base.trace),
		.metric = r->metric, .labels = r->labels,
		.time = FLAME_NOTIME, .weight = r->weight,
	}, 1);
}

static void end_trace(struct reader *r)
{
	struct fl_trace *trace = &r->base.trace;

	if (trace->count && r->weight && r->metric)
		emit(r);
	trace->count = 0;
	r->labels = 0;
	r->weight = 0;
}

static void add_trace_frame(struct reader *r, struct slice name)
{
	struct flame_frame frame = { .type = FLAME_UNKNOWN };

	if (fl_slice_ends(name, " (inline)"))
		name.size -= 9;
	frame.name = flame_name(r->base.flame, name.data, name.size);
	fl_trace_add(r->base.flame, &r->base.trace, &frame);
}

static bool take_trace_line(struct reader *r, struct slice line)
{
	struct slice text = fl_slice_trim(line), key, word;
	const char *unit, *colon = fl_slice_find(text, ":  ");

	if (!text.size)
		return true;
	if (r->base.trace.count) {
		add_trace_frame(r, text);
		return true;
	}
	if (colon) {
		key = (struct slice){ text.data, (size_t)(colon - text.data) };
		r->labels = add_label(r, r->labels, key,
				      fl_slice_from(text, key.size + 3));
		return true;
	}
	if (!fl_dump_word(&text, &word) ||
	    !parse_value(word, &r->weight, &unit))
		return false;
	if (r->weight && !r->metric)
		r->metric = fl_typed_metric(r->base.flame,
				fl_buf_slice(&r->type),
				(struct slice){ unit, strlen(unit) });
	text = fl_slice_trim(text);
	if (text.size)
		add_trace_frame(r, text);
	return true;
}

static void take_head(struct reader *r, struct slice line)
{
	static const char type[] = "Type: ";

	if (!fl_slice_starts(line, type))
		return;
	r->type.size = 0;
	fl_buf_put(&r->type, line.data + sizeof(type) - 1,
		   line.size - sizeof(type) + 1);
	r->base.buf.failed |= r->type.failed;
}

static void accept_line(struct fl_line_reader *base, struct slice line)
{
	struct reader *r = (struct reader *)base;

	line = fl_slice_trim_end(line);
	if (fl_slice_starts(line, separator)) {
		end_trace(r);
		r->begun = true;
	} else if (!r->begun) {
		take_head(r, line);
	} else if (!take_trace_line(r, line) && base->lines.ended) {
		fl_lines_bad(&base->lines, line);
	}
}

/* The row of formats.def ------------------------------------------------ */

static void release(void *state)
{
	struct reader *r = state;

	fl_buf_free(&r->type);
	fl_line_reader_free(&r->base);
}

static int read(struct flame_source *source)
{
	struct reader *r = source->state;
	int status = fl_line_reader_read(&r->base, accept_line);

	if (status != FLAME_END)
		return status;
	/* Without the last separator it may have been cut. */
	if (r->base.trace.count)
		fl_backtrace_cut(&r->base);
	r->base.trace.count = 0;
	if (!r->reported)
		fl_remark(source->flame, "%s: go tool pprof -traces has "
			  "rounded the weights; -raw does not",
			  fl_in_name(source->in));
	r->reported = true;
	return fl_backtrace_end(&r->base);
}

/* -tree has the same lines, and a table's heading before them. */
static int probe(const uint8_t *head, size_t n, bool whole)
{
	struct slice rest = { (const char *)head, n }, line;
	bool type = false;

	for (unsigned i = 0; rest.size && i < 16; i++) {
		if (!whole && !memchr(rest.data, '\n', rest.size))
			return -1;
		line = fl_slice_trim_end(fl_slice_split(&rest, '\n'));
		type |= fl_slice_starts(line, "Type: ");
		if (type && fl_slice_starts(line, separator))
			return 48;
		if (!fl_slice_has(line, ": ") ||
		    fl_slice_starts(line, "Showing nodes"))
			return 0;
	}
	return 0;
}

const struct fl_format fl_format_pprof_traces = {
	.name = "pprof-traces",
	.summary = "what go tool pprof -traces prints",
	.probe = probe,
	.state_size = sizeof(struct reader),
	.open = fl_line_reader_open,
	.read = read,
	.release = release,
};
