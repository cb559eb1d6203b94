/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads async-profiler's text, of -o traces and -o flat and both: each trace,
 * or each row of a table of methods, is a sample of the metric cpu, alloc or
 * the event's.  It weighs its samples, or with --total its ns or bytes.
 *
 *	--- Execution profile ---
 *	Total samples       : 515
 *
 *	--- 135046572 ns (5.03%), 27 samples
 *	  [ 0] sha256_implCompress
 *	  [ 1] sun.security.provider.SHA2.implCompress
 *
 *	          ns  percent  samples  top
 *	  ----------  -------  -------  ---
 *	   165371997    6.40%       33  sun.misc.Unsafe.getLong
 *
 * A trace is leaf first.  Where a profile has traces, its table of methods
 * has the same samples again and is not read.
 */
#include "fl.h"

#include "format/format.h"

#include <inttypes.h>

#define HEADING "--- Execution profile ---"

struct reader {
	struct flame_source *source;
	struct flame *flame;
	const struct fl_total_options *options;
	struct fl_lines lines;
	struct fl_buf unit;
	int64_t weight, samples;	/* of the open trace */
	bool open, has_traces, in_table;
	flame_id *frames;
	size_t nframes, capacity;
	int64_t total, read;	/* samples of the profile: all, and read */
	uint64_t missing;	/* of profiles before it */
};

/* Samples ------------------------------------------------------------- */

static flame_id metric_of(struct reader *r)
{
	const char *unit = r->unit.size ? r->unit.data : "samples";
	const char *name = strcmp(unit, "ns") == 0 ? "cpu" :
			   strcmp(unit, "bytes") == 0 ? "alloc" :
			   strcmp(unit, "total") == 0 ? "samples" : unit;

	return fl_metric(r->flame, name, unit,
			 r->options->total ? unit : "samples");
}

static bool emit(struct reader *r, flame_id stack, int64_t weight,
		 int64_t samples, struct flame_sample *sample)
{
	*sample = (struct flame_sample){
		.stack = stack, .metric = metric_of(r), .time = FLAME_NOTIME,
		.weight = r->options->total ? weight : samples,
	};
	fl_metric_count(r->flame, sample->metric, (uint64_t)samples, weight);
	r->read = fl_add_clamped(r->read, samples);
	r->lines.good++;
	return sample->weight > 0;
}

static flame_id frame_of(struct reader *r, struct slice name)
{
	enum flame_type type;

	name = fl_split_type(name, &type);
	return fl_frame(r->flame, flame_name(r->flame, name.data, name.size),
			type);
}

/* Ends the open trace, if any: true if it is a sample. */
static bool end_trace(struct reader *r, struct flame_sample *sample)
{
	flame_id stack = 0;

	if (!r->open)
		return false;
	r->open = false;
	for (size_t i = r->nframes; i; i--)
		stack = flame_stack(r->flame, stack, r->frames[i - 1]);
	r->nframes = 0;
	return emit(r, stack, r->weight, r->samples, sample);
}

static void end_profile(struct reader *r)
{
	if (r->total > r->read)
		r->missing += (uint64_t)(r->total - r->read);
	r->total = r->read = 0;
	r->has_traces = r->in_table = false;
}

/* Lines --------------------------------------------------------------- */

static void set_unit(struct reader *r, struct slice unit)
{
	r->unit.size = 0;
	fl_buf_put(&r->unit, unit.data, unit.size);
}

/* "--- 135046572 ns (5.03%), 27 samples" */
static bool begin_trace(struct reader *r, struct slice line)
{
	struct slice rest = { line.data + 4, line.size - 4 };
	struct slice weight, unit, share, samples;

	if (!fl_slice_first_word(&rest, &weight) ||
	    !fl_slice_first_word(&rest, &unit) ||
	    !fl_slice_first_word(&rest, &share) ||
	    !fl_slice_first_word(&rest, &samples) ||
	    !fl_slice_starts(rest, "sample") || share.data[0] != '(' ||
	    !fl_parse_int(weight, &r->weight) || r->weight < 0 ||
	    !fl_parse_int(samples, &r->samples) || r->samples < 0)
		return false;
	set_unit(r, unit);
	r->open = r->has_traces = true;
	return true;
}

/* "  [ 0] name" */
static bool take_frame(struct reader *r, struct slice line)
{
	struct slice rest = fl_slice_trim_end(line), number;
	int64_t n;

	if (!fl_slice_starts(rest, "  ["))
		return false;
	rest.data += 3;
	rest.size -= 3;
	number = fl_slice_split(&rest, ']');
	number = fl_slice_trim(number);
	if (!fl_parse_digits(number, &n) || (size_t)n != r->nframes ||
	    rest.size < 2 || rest.data[0] != ' ')
		return false;
	rest.data++;
	rest.size--;
	if (!fl_grow(&r->frames, &r->capacity, r->nframes + 1,
		     sizeof(*r->frames))) {
		fl_no_memory(r->flame);
		return true;
	}
	r->frames[r->nframes++] = frame_of(r, rest);
	return true;
}

/* "ns  percent  samples  top" */
static bool begin_table(struct reader *r, struct slice line)
{
	struct slice rest = line, unit;

	if (!fl_slice_first_word(&rest, &unit) ||
	    !fl_slice_starts(rest, "percent") ||
	    !fl_slice_ends(rest, " top"))
		return false;
	if (!r->has_traces)
		set_unit(r, unit);
	r->in_table = true;
	return true;
}

/* "   165371997    6.40%       33  sun.misc.Unsafe.getLong" */
static bool take_row(struct reader *r, struct slice line,
		     struct flame_sample *sample, bool *is_sample)
{
	struct slice rest = fl_slice_trim_end(line), weight, share, samples;
	int64_t n, k;

	if (!fl_slice_first_word(&rest, &weight) ||
	    !fl_slice_first_word(&rest, &share) ||
	    !fl_slice_first_word(&rest, &samples) ||
	    !fl_slice_ends(share, "%") || !fl_parse_int(weight, &n) ||
	    n < 0 || !fl_parse_int(samples, &k) || k < 0)
		return false;
	if (!r->has_traces)
		*is_sample = emit(r, flame_stack(r->flame, 0,
						 frame_of(r, rest)),
				  n, k, sample);
	return true;
}

static bool is_total(struct reader *r, struct slice line)
{
	struct slice rest = line;
	struct slice name = fl_slice_trim(fl_slice_split(&rest, ':'));
	int64_t n;

	if (!fl_slice_is(name, "Total samples") ||
	    !fl_parse_int(fl_slice_trim(rest), &n))
		return false;
	r->total = n;
	return true;
}

/* Whether a line of the summary: "Frame buffer usage  : 0.03%". */
static bool is_summary(struct reader *r, struct slice line)
{
	return !r->in_table && !r->has_traces &&
	       memchr(line.data, ':', line.size);
}

/* true: there is a sample, of the line or of the trace before it. */
static bool take_line(struct reader *r, struct slice line,
		      struct flame_sample *sample)
{
	bool is_sample = false;

	if (!fl_slice_trim(line).size)
		return end_trace(r, sample);
	if (r->open && fl_slice_starts(line, "  [")) {
		if (!take_frame(r, line))
			fl_lines_bad(&r->lines, line);
		return false;
	}
	/* A trace ends with the first other line, which then comes again. */
	if (r->open) {
		r->lines.again = true;
		return end_trace(r, sample);
	}
	if (fl_slice_starts(line, HEADING))
		end_profile(r);
	else if (fl_slice_starts(line, "--- ")) {
		r->in_table = false;
		if (!begin_trace(r, line))
			fl_lines_bad(&r->lines, line);
	} else if (r->in_table && fl_slice_starts(line, "  ---"))
		return false;
	else if (!is_total(r, line) && !begin_table(r, line) &&
		 !(r->in_table && take_row(r, line, sample, &is_sample)) &&
		 !is_summary(r, line))
		fl_lines_bad(&r->lines, line);
	return is_sample;
}

/* The row of formats.def ------------------------------------------------- */

static int at_end(struct reader *r)
{
	end_profile(r);
	if (r->missing)
		fl_remark(r->flame, "%s: %" PRIu64 " samples are in its total "
			  "only: the text has not all traces; asprof -o "
			  "collapsed prints all", fl_in_name(r->source->in),
			  r->missing);
	r->missing = 0;
	return fl_lines_end(r->source, &r->lines);
}

static int read(struct flame_source *source)
{
	struct reader *r = source->state;
	struct flame_sample sample;
	struct slice line;
	bool is_sample;

	for (;;) {
		bool ended = !fl_lines_next(&r->lines, &line);

		/* A trace that is cut lacks its outer frames. */
		if (ended && fl_in_damage(source->in))
			r->open = false;
		is_sample = ended ? end_trace(r, &sample) :
				    take_line(r, line, &sample);
		if (r->unit.failed)
			return fl_no_memory(source->flame);
		if (fl_failed(source->flame))
			return FLAME_FAILED;
		if (is_sample)
			return fl_batch_add(source, &sample);
		if (ended)
			return at_end(r);
	}
}

static int open_asprof(struct flame_source *source)
{
	struct reader *r = source->state;

	r->source = source;
	r->flame = source->flame;
	r->options = source->options;
	r->lines.in = source->in;
	r->lines.source = source;
	return FLAME_OK;
}

static void release(void *state)
{
	struct reader *r = state;

	fl_buf_free(&r->unit);
	fl_free(r->frames);
}

static int probe(const uint8_t *head, size_t n, bool whole)
{
	struct slice text = { (const char *)head, n };

	(void)whole;
	if (fl_slice_starts(text, "\xef\xbb\xbf"))
		text = (struct slice){ text.data + 3, n - 3 };
	return fl_slice_starts(text, HEADING) ? 48 : 0;
}

const struct fl_format fl_format_asprof = {
	.name = "asprof",
	.summary = "async-profiler's text: asprof -o traces, -o flat",
	.probe = probe,
	.state_size = sizeof(struct reader),
	.open = open_asprof,
	.read = read,
	.release = release,
	.options = &fl_total_option_table,
};
