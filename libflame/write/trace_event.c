/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writes Trace Event JSON, for Perfetto and chrome://tracing, from the rows of
 * rows.c: frames begin and end on the line of their thread (timeline.c), and
 * are as long as their weight.
 *
 * A weight that is not a time is a multiple of a length in the head of the
 * file, from which our reader has it again.
 */
#include "fl.h"

#include "draw/draw.h"
#include "write/timeline.h"
#include "format/format.h"

#include <inttypes.h>

enum { UNTIMED_NS = 1000, PLACES = 3 };	/* of microseconds */

struct writer {
	struct fl_pieces p;
	const struct fl_rows *rows;
	struct flame *flame;
	bool failed, begun;
	const struct flame_metric *metric;	/* NULL: no samples */
	struct fl_timeline line;
	struct fl_map used;	/* pid << 32 | tid, as names */
	struct fl_buf thread;	/* "\"pid\":7,\"tid\":8" */
};

/* Events -------------------------------------------------------------- */

static void begin_event(struct writer *w, const char *phase, int64_t time)
{
	fl_pieces_text(&w->p, w->begun ? ",\n{\"ph\":\"" : "\n{\"ph\":\"");
	w->begun = true;
	fl_buf_text(&w->p.buf, phase);
	fl_buf_text(&w->p.buf, "\",");
	fl_buf_put(&w->p.buf, w->thread.data, w->thread.size);
	fl_buf_text(&w->p.buf, ",\"ts\":");
	fl_pieces_decimal(&w->p, time, PLACES);
	fl_buf_text(&w->p.buf, ",\"name\":");
}

static void put_event(void *writer, bool begins, int64_t time,
		      flame_id frame_id)
{
	struct writer *w = writer;
	const struct flame_frame *f = &w->flame->frames.data[frame_id];

	begin_event(w, begins ? "B" : "E", time);
	fl_pieces_name(&w->p, w->flame, f->name, f->type);
	fl_pieces_text(&w->p, "}");
}

/* Threads ------------------------------------------------------------- */

static flame_id label_of(struct writer *w, const struct flame_sample *row,
			 const char *key)
{
	return fl_row_label(w->flame, row, fl_name(w->flame, key));
}

static bool is_number(struct slice text)
{
	return fl_slice_digits(text) && text.size < 10 &&
	       (text.size == 1 || text.data[0] != '0');
}

/*
 * Viewers want numbers.  A thread without one, and one whose number an earlier
 * thread of its process has, gets one that no system uses.
 */
static void begin_thread(struct writer *w, const struct flame_sample *row,
			 size_t number)
{
	flame_id pid = label_of(w, row, "pid"), tid = label_of(w, row, "tid");
	flame_id name = label_of(w, row, "thread");
	struct slice process = fl_name_at(w->flame, pid),
		     text = fl_name_at(w->flame, tid);
	bool fresh;

	if (!is_number(process))
		process = FL_SLICE("0");
	if (!fl_map_put(&w->used, (uint64_t)pid << 32 | tid, &fresh))
		w->failed = true;
	w->thread.size = 0;
	fl_buf_text(&w->thread, "\"pid\":");
	fl_buf_put(&w->thread, process.data, process.size);
	fl_buf_text(&w->thread, ",\"tid\":");
	if (fresh && is_number(text))
		fl_buf_put(&w->thread, text.data, text.size);
	else
		fl_buf_number(&w->thread,
			      FL_TRACE_NO_TID + (int64_t)number);
	w->failed |= w->thread.failed;
	if (!name || w->failed)
		return;
	begin_event(w, "M", 0);
	fl_pieces_text(&w->p, "\"thread_name\",\"args\":{\"name\":");
	fl_spell_json(&w->p.buf, fl_name_at(w->flame, name));
	fl_pieces_text(&w->p, "}}");
}

static void put_threads(struct writer *w)
{
	size_t from = 0, number = 0;

	while (from < w->rows->sums.count && !w->failed) {
		size_t to = fl_rows_thread_end(w->rows, from);

		begin_thread(w, &w->rows->sums.data[from], ++number);
		fl_timeline_run(&w->line, from, to);
		w->failed |= w->line.failed;
		from = to;
	}
}

/* Lengths ------------------------------------------------------------- */

/* The sum of weights of a thread, and the time between first and last. */
static int64_t weigh(const struct fl_rows *rows, size_t from, size_t to,
		     int64_t *span)
{
	int64_t sum = 0, first = INT64_MAX, last = 0;

	for (size_t i = from; i < to; i++) {
		const struct flame_sample *row = &rows->sums.data[i];

		sum = fl_add_clamped(sum, FL_MAX(row->weight, 0));
		if (row->time == FLAME_NOTIME)
			continue;
		first = FL_MIN(first, fl_row_since(rows, row));
		last = FL_MAX(last, fl_row_since(rows, row));
	}
	*span = FL_MAX(last - first, 0);
	return sum;
}

/*
 * The longest that samples of the busiest thread may be to fill its time: about
 * the interval of sampling.
 */
static int64_t find_length(const struct fl_rows *rows)
{
	int64_t length = 0, most = 1, span;

	for (size_t from = 0, to; from < rows->sums.count; from = to) {
		int64_t sum;

		to = fl_rows_thread_end(rows, from);
		sum = weigh(rows, from, to, &span);
		most = FL_MAX(most, sum);
		if (sum > 1 && span / sum > 0 &&
		    (!length || span / sum < length))
			length = span / sum;
	}
	if (!length)
		length = UNTIMED_NS;
	return most > INT64_MAX / 4 / length ? 1 : length;
}

/* The file ------------------------------------------------------------ */

static void put_head(struct writer *w)
{
	const struct fl_rows *rows = w->rows;
	bool named = w->metric && *w->metric->name;

	fl_pieces_text(&w->p, "{\"otherData\":{\"exporter\":\"libflame "
		       FLAME_VERSION "\",\"metric\":");
	fl_pieces_string(&w->p, named ? w->metric->name : "samples");
	fl_pieces_text(&w->p, ",\"unit\":");
	fl_pieces_string(&w->p, named ? w->metric->weight : "samples");
	fl_buf_print(&w->p.buf, ",\"unit_ns\":%" PRId64, w->line.unit_ns);
	if (rows->title) {
		fl_pieces_text(&w->p, ",\"title\":");
		fl_pieces_string(&w->p, rows->title);
	}
	fl_pieces_text(&w->p, "},\n\"displayTimeUnit\":\"ns\","
		       "\n\"traceEvents\":[");
}

static int write_trace(struct fl_rows *rows)
{
	struct writer w = { .p.out = rows->out, .rows = rows,
			    .flame = rows->flame };
	int status;

	if (rows->nmetrics)
		w.metric = flame_metric_of(rows->flame, rows->metrics[0]);
	w.line = (struct fl_timeline){
		.rows = rows, .unit_ns = fl_unit_ns(w.metric), .sorts = true,
		.put = put_event, .arg = &w,
	};
	if (!w.line.unit_ns)
		w.line.unit_ns = find_length(rows);
	put_head(&w);
	put_threads(&w);
	fl_pieces_text(&w.p, "]}\n");
	fl_timeline_remark(&w.line);
	status = fl_pieces_finish(&w.p, rows->flame);
	if (w.failed)
		status = fl_no_memory(rows->flame);
	fl_map_free(&w.used);
	fl_buf_free(&w.thread);
	fl_timeline_free(&w.line);
	return status;
}

static struct flame_sink *create(struct flame *flame, struct fl_out *out)
{
	return fl_thread_rows_sink(flame, out, write_trace);
}

/* The row of formats.def ------------------------------------------------ */

const struct fl_format fl_format_trace_event_write = {
	.name = "trace-event",
	.summary = "JSON for Perfetto and chrome://tracing",
	.create = create,
};
