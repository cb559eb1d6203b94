/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writes speedscope's file format from the rows of rows.c: a profile for each
 * thread.  Where samples have times and weigh a time it is evented, a timeline;
 * else sampled, in the order of times, or of stacks.  Names have the suffix of
 * their type.
 */
#include "fl.h"

#include "draw/draw.h"
#include "write/timeline.h"
#include "format/format.h"

#include <inttypes.h>

struct writer {
	struct fl_pieces p;
	const struct fl_rows *rows;
	struct flame *flame;
	const struct flame_metric *metric;	/* NULL: no samples */
	bool failed, begun;
	/* Frames are pairs of name and type. */
	struct fl_map numbers;		/* of name << 8 | type */
	size_t nframes;
	struct fl_path path;		/* of a sample */
	struct fl_timeline line;
};

/* Frames -------------------------------------------------------------- */

static uint32_t number_of(struct writer *w, flame_id frame_id, bool *fresh)
{
	const struct flame_frame *f = &w->flame->frames.data[frame_id];
	uint64_t *n = fl_map_put(&w->numbers, (uint64_t)f->name << 8 | f->type,
				 fresh);

	if (!n) {
		w->failed = true;
		*fresh = false;
		return 0;
	}
	if (*fresh)
		*n = w->nframes++;
	return (uint32_t)*n;
}

static bool spell_path(struct writer *w, flame_id stack)
{
	struct fl_path *p = &w->path;

	p->count = 0;
	for (; stack && !w->failed; stack = fl_parent(w->flame, stack)) {
		if (!fl_grow(&p->frames, &p->capacity, p->count + 1,
			     sizeof(*p->frames)))
			w->failed = true;
		else
			p->frames[p->count++] = fl_frame_id(w->flame, stack);
	}
	return !w->failed;
}

/* In the order of their first use, root first. */
static void put_frames(struct writer *w)
{
	fl_pieces_text(&w->p, "\"shared\":{\"frames\":[");
	for (size_t i = 0; i < w->rows->sums.count; i++) {
		if (!spell_path(w, w->rows->sums.data[i].stack))
			return;
		for (size_t k = w->path.count; k; k--) {
			flame_id id = w->path.frames[k - 1];
			const struct flame_frame *f =
				&w->flame->frames.data[id];
			bool fresh;
			uint32_t n = number_of(w, id, &fresh);

			if (!fresh)
				continue;
			fl_pieces_text(&w->p, n ? ",\n{\"name\":" :
						  "\n{\"name\":");
			fl_pieces_name(&w->p, w->flame, f->name, f->type);
			fl_pieces_text(&w->p, "}");
		}
	}
	fl_pieces_text(&w->p, "]},\n");
}

/* Profiles ------------------------------------------------------------ */

static const char *unit_of(const struct writer *w)
{
	static const char *const units[] = {
		"nanoseconds", "microseconds", "milliseconds", "seconds",
		"bytes"
	};
	const char *unit = w->metric ? fl_long_unit(w->metric->weight) : "";

	for (size_t i = 0; i < FL_COUNT(units); i++)
		if (strcmp(unit, units[i]) == 0)
			return units[i];
	return "none";
}

static flame_id label_of(struct writer *w, const struct flame_sample *row,
			 const char *key)
{
	return fl_row_label(w->flame, row, fl_name(w->flame, key));
}

/* As py-spy names them: Process 1 Thread 2 "main"; "" if unknown. */
static void put_thread(struct writer *w, const struct flame_sample *row)
{
	struct slice pid = fl_name_at(w->flame, label_of(w, row, "pid")),
		     tid = fl_name_at(w->flame, label_of(w, row, "tid")),
		     name = fl_name_at(w->flame, label_of(w, row, "thread"));
	struct fl_buf text = { 0 };

	fl_buf_text(&text, "");
	if (tid.size) {
		if (pid.size)
			fl_buf_print(&text, "Process %s ", pid.data);
		fl_buf_print(&text, "Thread %s", tid.data);
		if (name.size)
			fl_buf_text(&text, " \"");
	}
	fl_buf_put(&text, name.data, name.size);
	if (tid.size && name.size)
		fl_buf_byte(&text, '"');
	fl_spell_json(&w->p.buf, (struct slice){ text.data, text.size });
	w->failed |= text.failed;
	fl_buf_free(&text);
}

static void put_sampled(struct writer *w, size_t from, size_t to)
{
	int64_t sum = 0;
	bool fresh;

	for (size_t i = from; i < to; i++)
		sum = fl_add_clamped(sum, w->rows->sums.data[i].weight);
	fl_buf_print(&w->p.buf, ",\"unit\":\"%s\",\"startValue\":0,"
		     "\"endValue\":%" PRId64 ",\"samples\":[", unit_of(w),
		     sum);
	for (size_t i = from; i < to; i++) {
		fl_pieces_text(&w->p, i > from ? ",\n[" : "\n[");
		if (!spell_path(w, w->rows->sums.data[i].stack))
			return;
		for (size_t k = w->path.count; k; k--)
			fl_buf_print(&w->p.buf, "%s%u",
				     k < w->path.count ? "," : "",
				     number_of(w, w->path.frames[k - 1],
					       &fresh));
		fl_pieces_text(&w->p, "]");
	}
	fl_pieces_text(&w->p, "],\n\"weights\":[");
	for (size_t i = from; i < to; i++) {
		fl_pieces_text(&w->p, i > from ? "," : "");
		fl_buf_number(&w->p.buf, w->rows->sums.data[i].weight);
	}
	fl_pieces_text(&w->p, "]}");
}

static void put_event(void *writer, bool begins, int64_t time, flame_id frame)
{
	struct writer *w = writer;
	bool fresh;

	fl_pieces_text(&w->p, w->begun ? ",\n" : "\n");
	w->begun = true;
	fl_buf_print(&w->p.buf, "{\"type\":\"%c\",\"frame\":%u,\"at\":%"
		     PRId64 "}", begins ? 'O' : 'C',
		     number_of(w, frame, &fresh), time);
}

static void put_evented(struct writer *w, size_t from, size_t to)
{
	int64_t end;

	fl_pieces_text(&w->p, ",\"unit\":\"nanoseconds\",\"startValue\":0,"
		       "\"events\":[");
	w->begun = false;
	end = fl_timeline_run(&w->line, from, to);
	w->failed |= w->line.failed;
	fl_buf_print(&w->p.buf, "],\n\"endValue\":%" PRId64 "}", end);
}

static void put_profiles(struct writer *w)
{
	bool evented = w->line.unit_ns && w->rows->first != FLAME_NOTIME;
	size_t from = 0, to;

	fl_pieces_text(&w->p, "\"profiles\":[");
	for (; from < w->rows->sums.count && !w->failed; from = to) {
		to = fl_rows_thread_end(w->rows, from);
		fl_pieces_text(&w->p, from ? ",\n{\"type\":\"" :
					     "{\"type\":\"");
		fl_buf_text(&w->p.buf, evented ? "evented" : "sampled");
		fl_buf_text(&w->p.buf, "\",\"name\":");
		put_thread(w, &w->rows->sums.data[from]);
		if (evented)
			put_evented(w, from, to);
		else
			put_sampled(w, from, to);
	}
	/* A file has a profile at least. */
	if (!w->rows->sums.count) {
		fl_pieces_text(&w->p, "{\"type\":\"sampled\",\"name\":\"\"");
		put_sampled(w, 0, 0);
	}
	fl_pieces_text(&w->p, "],\n");
}

static void put_file(struct writer *w)
{
	const struct fl_rows *rows = w->rows;
	bool named = w->metric && *w->metric->name;

	fl_pieces_text(&w->p, "{\"$schema\":\"https://www.speedscope.app/"
		       "file-format-schema.json\",\n"
		       "\"exporter\":\"libflame@" FLAME_VERSION "\",\"name\":");
	fl_pieces_string(&w->p, rows->title ? rows->title :
			 named ? w->metric->name : "samples");
	fl_pieces_text(&w->p, ",\n");
	put_frames(w);
	put_profiles(w);
	fl_pieces_text(&w->p, "\"activeProfileIndex\":0}\n");
}

static int write_speedscope(struct fl_rows *rows)
{
	struct writer w = { .p.out = rows->out, .rows = rows,
			    .flame = rows->flame };
	int status;

	if (rows->nmetrics)
		w.metric = flame_metric_of(rows->flame, rows->metrics[0]);
	w.line = (struct fl_timeline){
		.rows = rows, .unit_ns = fl_unit_ns(w.metric),
		.put = put_event, .arg = &w,
	};
	put_file(&w);
	fl_timeline_remark(&w.line);
	status = fl_pieces_finish(&w.p, rows->flame);
	if (w.failed)
		status = fl_no_memory(rows->flame);
	fl_timeline_free(&w.line);
	fl_map_free(&w.numbers);
	fl_free(w.path.frames);
	return status;
}

static struct flame_sink *create(struct flame *flame, struct fl_out *out)
{
	return fl_thread_rows_sink(flame, out, write_speedscope);
}

/* The row of formats.def ------------------------------------------------ */

const struct fl_format fl_format_speedscope_write = {
	.name = "speedscope",
	.summary = "JSON for speedscope",
	.suffixes = ".speedscope.json",
	.create = create,
};
