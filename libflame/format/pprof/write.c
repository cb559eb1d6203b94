/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writes the samples of a sink as a pprof profile (fl_pprof_create): packed
 * with gzip, samples in the order of their stacks.  A frame is a function and a
 * location of the same id.  How it ran is in the function's system_name,
 * "f_[j]", which go tool pprof shows on demand.
 */
#include "fl.h"

#include "write/rows.h"
#include "format/pprof/pprof.h"

/* Size in bytes at which encoded messages are written out. */
enum { PIECE = 1 << 16 };

struct writer {
	const struct fl_rows *rows;
	struct flame *flame;
	bool failed;
	struct fl_buf message;		/* fields of Profile, not written yet */
	struct fl_buf part, inner;	/* a field, and one in it */
	struct fl_map strings;		/* of names */
	struct fl_buf texts;		/* string_table, encoded */
	uint64_t nstrings;
	uint64_t *locations;		/* by frame; 0: none yet */
	uint64_t nlocations;
	struct fl_buf functions;	/* and locations, encoded */
};

/* Output -------------------------------------------------------------- */

static void write_buf(struct writer *w, struct fl_buf *buf)
{
	if (!buf->failed)
		fl_out_put(w->rows->out, buf->data, buf->size);
	w->failed |= buf->failed;
	buf->size = 0;
}

static void put_part(struct writer *w, uint32_t number)
{
	w->failed |= w->part.failed;
	fl_put_bytes(&w->message, number, w->part.data, w->part.size);
	w->part.size = 0;
	if (w->message.size >= PIECE)
		write_buf(w, &w->message);
}

/* Strings ------------------------------------------------------------- */

static uint64_t add_string(struct writer *w, const char *text, size_t size)
{
	fl_put_bytes(&w->texts, PROFILE_STRING_TABLE, text, size);
	return w->nstrings++;
}

static uint64_t string_of(struct writer *w, flame_id name)
{
	struct slice text = fl_name_at(w->flame, name);
	uint64_t *place;
	bool fresh;

	if (!text.size)
		return 0;
	place = fl_map_put(&w->strings, name, &fresh);
	if (!place) {
		w->failed = true;
		return 0;
	}
	if (fresh)
		*place = add_string(w, text.data, text.size);
	return *place;
}

static uint64_t string_of_text(struct writer *w, const char *text)
{
	return string_of(w, fl_name(w->flame, text));
}

/* Types of samples ---------------------------------------------------- */

static void put_types(struct writer *w)
{
	const struct fl_rows *rows = w->rows;
	const char *first = NULL;

	for (size_t i = 0; i < rows->nmetrics; i++) {
		const struct flame_metric *m =
			flame_metric_of(w->flame, rows->metrics[i]);
		const char *name = *m->name ? m->name : "samples";

		if (!first || strcmp(name, "cpu") == 0)
			first = name;
		fl_put_number(&w->part, VALUE_TYPE_TYPE,
			      string_of_text(w, name));
		fl_put_number(&w->part, VALUE_TYPE_UNIT, string_of_text(w,
			*m->name ? fl_long_unit(m->weight) : "count"));
		put_part(w, PROFILE_SAMPLE_TYPE);
	}
	/* Readers ask a profile for what its samples weigh. */
	if (!rows->nmetrics) {
		fl_put_number(&w->part, VALUE_TYPE_TYPE,
			      string_of_text(w, "samples"));
		fl_put_number(&w->part, VALUE_TYPE_UNIT,
			      string_of_text(w, "count"));
		put_part(w, PROFILE_SAMPLE_TYPE);
	}
	if (rows->nmetrics > 1)
		fl_put_number(&w->message, PROFILE_DEFAULT_SAMPLE_TYPE,
			      string_of_text(w, first));
}

static void put_times(struct writer *w)
{
	const struct fl_rows *rows = w->rows;

	if (rows->from != FLAME_NOTIME && rows->from > 0 &&
	    rows->to >= rows->from) {
		fl_put_number(&w->message, PROFILE_TIME_NANOS,
			      (uint64_t)rows->from);
		fl_put_number(&w->message, PROFILE_DURATION_NANOS,
			      (uint64_t)(rows->to - rows->from));
	}
	if (rows->title)
		fl_put_number(&w->message, PROFILE_COMMENT,
			      string_of_text(w, rows->title));
}

/* Frames -------------------------------------------------------------- */

/*
 * Where it is the name, go tool pprof reads it as one of C++ and leaves out
 * arguments; so it is empty then.
 */
static uint64_t system_name(struct writer *w, const struct flame_frame *frame)
{
	const char *suffix = fl_type_suffix(frame->type);
	struct slice name = fl_name_at(w->flame, frame->name);

	if (!*suffix)
		return 0;
	w->inner.size = 0;
	fl_buf_put(&w->inner, name.data, name.size);
	fl_buf_text(&w->inner, suffix);
	w->failed |= w->inner.failed;
	return string_of(w, flame_name(w->flame, w->inner.data, w->inner.size));
}

static void put_function(struct writer *w, uint64_t id, flame_id frame_id)
{
	const struct flame_frame frame = w->flame->frames.data[frame_id];
	struct fl_buf *to = &w->functions;

	fl_put_number(&w->part, FUNCTION_ID, id);
	fl_put_number(&w->part, FUNCTION_NAME, string_of(w, frame.name));
	fl_put_number(&w->part, FUNCTION_SYSTEM_NAME, system_name(w, &frame));
	fl_put_number(&w->part, FUNCTION_FILENAME, string_of(w, frame.file));
	fl_put_bytes(to, PROFILE_FUNCTION, w->part.data, w->part.size);

	w->inner.size = w->part.size = 0;
	fl_put_number(&w->inner, LINE_FUNCTION_ID, id);
	fl_put_number(&w->inner, LINE_LINE, frame.line);
	fl_put_number(&w->part, LOCATION_ID, id);
	fl_put_bytes(&w->part, LOCATION_LINE, w->inner.data, w->inner.size);
	fl_put_bytes(to, PROFILE_LOCATION, w->part.data, w->part.size);
	w->failed |= w->part.failed || w->inner.failed;
	w->part.size = 0;
}

/* Those of the samples from the first one on. */
static uint64_t location_of(struct writer *w, flame_id frame)
{
	if (!w->locations[frame]) {
		w->locations[frame] = ++w->nlocations;
		put_function(w, w->nlocations, frame);
	}
	return w->locations[frame];
}

/* Frames of rows get their locations before a sample is begun. */
static void find_locations(struct writer *w)
{
	for (size_t i = 0; i < w->rows->sums.count; i++) {
		flame_id stack = w->rows->sums.data[i].stack;

		for (; stack; stack = fl_parent(w->flame, stack))
			location_of(w, fl_frame_id(w->flame, stack));
	}
}

/* Samples ------------------------------------------------------------- */

static void put_label(struct writer *w, flame_id key, flame_id value)
{
	w->inner.size = 0;
	fl_put_number(&w->inner, LABEL_KEY, string_of(w, key));
	fl_put_number(&w->inner, LABEL_STR, string_of(w, value));
	fl_put_bytes(&w->part, SAMPLE_LABEL, w->inner.data, w->inner.size);
}

static void put_stack(struct writer *w, flame_id stack)
{
	w->inner.size = 0;
	for (; stack; stack = fl_parent(w->flame, stack))
		fl_put_varint(&w->inner, w->locations[
			fl_frame_id(w->flame, stack)]);
	if (w->inner.size)
		fl_put_bytes(&w->part, SAMPLE_LOCATION_ID, w->inner.data,
			     w->inner.size);
}

static bool is_same(const struct flame_sample *a, const struct flame_sample *b)
{
	return a->stack == b->stack && a->thread == b->thread &&
	       a->labels == b->labels;
}

/* Rows that differ by their metric alone are one; returns how many. */
static size_t put_values(struct writer *w, size_t from)
{
	const struct fl_rows *rows = w->rows;
	const struct flame_sample *row = rows->sums.data;
	size_t i = from;

	w->inner.size = 0;
	for (size_t k = 0; k < rows->nmetrics; k++) {
		bool has = i < rows->sums.count &&
			   is_same(&row[i], &row[from]) &&
			   row[i].metric == rows->metrics[k];

		fl_put_varint(&w->inner, has ? (uint64_t)row[i].weight : 0);
		i += has;
	}
	fl_put_bytes(&w->part, SAMPLE_VALUE, w->inner.data, w->inner.size);
	return i - from;
}

static void put_samples(struct writer *w, const flame_id *keys, size_t nkeys)
{
	const struct fl_rows *rows = w->rows;

	for (size_t i = 0; i < rows->sums.count && !w->failed;) {
		const struct flame_sample *row = &rows->sums.data[i];

		put_stack(w, row->stack);
		i += put_values(w, i);
		for (size_t k = 0; k < nkeys; k++) {
			flame_id value = fl_row_label(w->flame, row, keys[k]);

			if (value)
				put_label(w, keys[k], value);
		}
		w->failed |= w->inner.failed;
		put_part(w, PROFILE_SAMPLE);
	}
}

/* The profile --------------------------------------------------------- */

static void put_profile(struct writer *w, const flame_id *keys, size_t nkeys)
{
	add_string(w, "", 0);
	put_types(w);
	put_times(w);
	find_locations(w);
	put_samples(w, keys, nkeys);
	write_buf(w, &w->message);
	write_buf(w, &w->functions);
	write_buf(w, &w->texts);
}

static int write_pprof(struct fl_rows *rows)
{
	struct writer w = { .rows = rows, .flame = rows->flame };
	size_t nkeys, nframes = rows->flame->frames.count;
	flame_id *keys = fl_rows_keys(rows, &nkeys);

	w.locations = fl_zeroed(nframes + 1, sizeof(*w.locations));
	fl_out_gzip(rows->out);
	if (keys && w.locations)
		put_profile(&w, keys, nkeys);
	if (!keys || !w.locations || w.failed)
		fl_no_memory(rows->flame);
	fl_free(keys);
	fl_free(w.locations);
	fl_map_free(&w.strings);
	fl_buf_free(&w.message);
	fl_buf_free(&w.part);
	fl_buf_free(&w.inner);
	fl_buf_free(&w.texts);
	fl_buf_free(&w.functions);
	return fl_failed(rows->flame) ? FLAME_FAILED : FLAME_OK;
}

struct flame_sink *fl_pprof_create(struct flame *flame, struct fl_out *out)
{
	return fl_rows_sink(flame, out, FL_NEED_THREAD, write_pprof);
}
