/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Format pprof-raw: reads what go tool pprof -raw prints into samples: records,
 * which name locations that come later.
 *
 *	Samples:
 *	samples/count cpu/nanoseconds
 *	     5   50000000: 1 2
 *	            worker:[7]
 *	Locations
 *	     1: 0x4d35ac M=1 main.leaf /m.go:3:0 s=3
 */
#include "fl.h"

#include "format/pprof/pprof.h"

enum { MAX_TYPES = 16 };

struct sample {
	size_t first, nlocations;	/* in ids */
	size_t values;			/* in values */
	flame_id labels;
};

struct location {
	size_t first, count;	/* in frames, innermost first */
};

struct reader {
	struct fl_line_reader base;
	enum { HEAD, SAMPLES, LOCATIONS, MAPPINGS } part;
	flame_id metric[MAX_TYPES];
	unsigned ntypes;
	struct sample *samples;
	size_t nsamples, samples_capacity;
	uint64_t *ids;
	size_t nids, ids_capacity;
	int64_t *values;
	size_t nvalues, values_capacity;
	flame_id *frames;
	size_t nframes, frames_capacity;
	struct location *locations;
	size_t nlocations, locations_capacity;
	struct fl_map by_id;		/* -> location, plus one */
};

static bool grow(struct reader *r, void *data, size_t *capacity, size_t count,
		 size_t size)
{
	return fl_grow(data, capacity, count, size) ||
	       fl_no_memory(r->base.flame) == FLAME_OK;
}

static flame_id frame_of(struct reader *r, struct slice name, int64_t line)
{
	const struct fl_lines_options *options = r->base.options;
	struct flame *flame = r->base.flame;
	struct fl_buf *buf = &r->base.buf;

	buf->size = 0;
	fl_buf_put(buf, name.data, name.size);
	if (options->lines && line > 0) {
		fl_buf_byte(buf, ':');
		fl_buf_number(buf, line);
	}
	return fl_frame(flame, flame_name(flame, buf->data ? buf->data : "",
					  buf->size), FLAME_UNKNOWN);
}

static flame_id add_label(struct reader *r, flame_id set, struct slice key,
			  struct slice value)
{
	struct flame *flame = r->base.flame;

	return !key.size ? set :
	       flame_label(flame, set, flame_name(flame, key.data, key.size),
			   flame_name(flame, value.data, value.size));
}

/* "samples/count cpu/nanoseconds[dflt]" */
static void read_types(struct reader *r, struct slice line)
{
	struct slice word, type, rest = line;

	/* The last one is the default, as in go tool pprof. */
	if (fl_slice_last_word(&rest, &word)) {
		if (fl_slice_ends(word, "[dflt]"))
			word.size -= 6;
		type = fl_slice_split(&word, '/');
		fl_typed_metric(r->base.flame, type, word);
	}
	while (r->ntypes < MAX_TYPES && fl_dump_word(&line, &word)) {
		if (fl_slice_ends(word, "[dflt]"))
			word.size -= 6;
		type = fl_slice_split(&word, '/');
		r->metric[r->ntypes++] = fl_typed_metric(r->base.flame, type,
							 word);
	}
}

/* "    5   50000000: 1 2 3"; false: it is none, and nothing was added. */
static bool read_sample(struct reader *r, struct slice line)
{
	struct sample s = { .first = r->nids, .values = r->nvalues };
	struct slice numbers = fl_slice_split(&line, ':'), word;
	size_t n = r->nvalues;
	int64_t value;

	while (fl_dump_word(&numbers, &word)) {
		if (!fl_parse_int(word, &value) ||
		    !grow(r, &r->values, &r->values_capacity, n + 1,
			  sizeof(*r->values)))
			return false;
		r->values[n++] = value;
	}
	if (n - r->nvalues != r->ntypes)
		return false;
	while (fl_dump_word(&line, &word)) {
		if (!fl_parse_int(word, &value) || value < 0 ||
		    !grow(r, &r->ids, &r->ids_capacity,
			  r->nids + s.nlocations + 1, sizeof(*r->ids)))
			return false;
		r->ids[r->nids + s.nlocations++] = (uint64_t)value;
	}
	if (!grow(r, &r->samples, &r->samples_capacity, r->nsamples + 1,
		  sizeof(*r->samples)))
		return false;
	r->nvalues = n;
	r->nids += s.nlocations;
	r->samples[r->nsamples++] = s;
	return true;
}

/* "k:[v w] z:[1]", of the sample before. */
static bool read_labels(struct reader *r, struct slice text)
{
	struct sample *s = r->nsamples ? &r->samples[r->nsamples - 1] : NULL;
	struct slice key, value;
	const char *open, *end;

	while (s && text.size) {
		open = fl_slice_find(text, ":[");
		if (!open)
			return false;
		key = fl_slice_trim((struct slice){ text.data,
				(size_t)(open - text.data) });
		text = fl_slice_from(text, (size_t)(open - text.data) + 2);
		end = fl_slice_find(text, "] ");
		if (!end && fl_slice_ends(text, "]"))
			end = text.data + text.size - 1;
		if (!end)
			return false;
		value = (struct slice){ text.data, (size_t)(end - text.data) };
		s->labels = add_label(r, s->labels, key, value);
		text = fl_slice_trim(fl_slice_from(text, value.size + 1));
	}
	return s != NULL;
}

static bool add_frame(struct reader *r, struct location *l,
		      struct slice name, int64_t line)
{
	if (!grow(r, &r->frames, &r->frames_capacity, r->nframes + 1,
		  sizeof(*r->frames)))
		return false;
	r->frames[r->nframes++] = frame_of(r, name, line);
	l->count++;
	return true;
}

/* "     1: 0x4d35ac M=1 [F] main.leaf ..." */
static bool read_location(struct reader *r, struct slice text)
{
	struct slice id = fl_slice_split(&text, ':'), address, name;
	struct location *l;
	uint64_t *place;
	int64_t n, line;

	if (!fl_parse_digits(id, &n) || !fl_dump_word(&text, &address) ||
	    !fl_slice_starts(address, "0x") ||
	    !grow(r, &r->locations, &r->locations_capacity,
		  r->nlocations + 1, sizeof(*r->locations)))
		return false;
	place = fl_map_put(&r->by_id, (uint64_t)n, NULL);
	if (!place)
		return fl_no_memory(r->base.flame) == FLAME_OK;
	l = &r->locations[r->nlocations++];
	*l = (struct location){ .first = r->nframes };
	if (!*place)
		*place = r->nlocations;
	text = fl_slice_trim(text);
	if (fl_slice_starts(text, "M="))
		fl_dump_word(&text, &name);
	text = fl_slice_trim(text);
	if (fl_slice_starts(text, "[F]"))
		text = fl_slice_trim(fl_slice_from(text, 3));
	if (!text.size)
		return add_frame(r, l, address, 0);
	return fl_pprof_raw_line(text, &name, &line) && add_frame(r, l, name, line);
}

static bool take_location(struct reader *r, struct slice line)
{
	struct slice text = fl_slice_trim(line), name;
	int64_t n;

	if (fl_indent(line) < 13)
		return read_location(r, text);
	return r->nlocations && fl_pprof_raw_line(text, &name, &n) &&
	       add_frame(r, &r->locations[r->nlocations - 1], name, n);
}

static flame_id stack_of(struct reader *r, const struct sample *s)
{
	flame_id stack = 0;

	for (size_t i = s->nlocations; i--;) {
		const uint64_t *place = fl_map_get(&r->by_id,
						   r->ids[s->first + i]);
		const struct location *l = place && *place ?
					   &r->locations[*place - 1] : NULL;

		if (l && !fl_frames_allowed(r->base.source, l->count))
			return 0;
		for (size_t k = l ? l->count : 0; k--;)
			stack = flame_stack(r->base.flame, stack,
					    r->frames[l->first + k]);
	}
	return stack;
}

static void emit(struct reader *r, flame_id metric, int64_t weight,
		 flame_id stack, flame_id labels)
{
	fl_metric_count(r->base.flame, metric, 1, weight);
	r->base.lines.good++;
	if (!weight)
		return;
	fl_batch_add(r->base.source, &(struct flame_sample){
		.stack = stack, .metric = metric, .labels = labels,
		.time = FLAME_NOTIME, .weight = weight,
	});
}

static void give_samples(struct reader *r)
{
	for (size_t i = 0; i < r->nsamples && !fl_failed(r->base.flame); i++) {
		const struct sample *s = &r->samples[i];
		flame_id stack = stack_of(r, s);

		for (unsigned k = 0; k < r->ntypes; k++)
			emit(r, r->metric[k], r->values[s->values + k],
			     stack, s->labels);
	}
	r->nsamples = r->nids = r->nvalues = 0;
}

/* Another one after the first. */
static void begin_profile(struct reader *r)
{
	give_samples(r);
	fl_map_clear(&r->by_id);
	r->ntypes = 0;
	r->nframes = r->nlocations = 0;
	r->part = HEAD;
}

static bool take_line(struct reader *r, struct slice line)
{
	switch (r->part) {
	case HEAD:
		if (fl_slice_is(line, "Samples:"))
			r->part = SAMPLES;
		return true;
	case SAMPLES:
		if (fl_slice_is(line, "Locations")) {
			r->part = LOCATIONS;
			return true;
		}
		if (!r->ntypes) {
			read_types(r, line);
			return true;
		}
		return read_sample(r, line) ||
		       read_labels(r, fl_slice_trim(line));
	case LOCATIONS:
		if (fl_slice_is(line, "Mappings")) {
			r->part = MAPPINGS;
			return true;
		}
		return !line.size || take_location(r, line);
	case MAPPINGS:
		if (fl_slice_starts(line, "PeriodType:"))
			begin_profile(r);
		break;
	}
	return true;
}

static void accept_line(struct fl_line_reader *base, struct slice line)
{
	struct reader *r = (struct reader *)base;

	if (!take_line(r, fl_slice_trim_end(line)) && base->lines.ended)
		fl_lines_bad(&base->lines, line);
}

/* The row of formats.def ------------------------------------------------ */

static void release(void *state)
{
	struct reader *r = state;

	fl_free(r->samples);
	fl_free(r->ids);
	fl_free(r->values);
	fl_free(r->frames);
	fl_free(r->locations);
	fl_map_free(&r->by_id);
	fl_line_reader_free(&r->base);
}

static int read(struct flame_source *source)
{
	struct reader *r = source->state;
	int status = fl_line_reader_read(&r->base, accept_line);

	if (status != FLAME_END)
		return status;
	if (r->part == MAPPINGS)
		give_samples(r);
	if (source->batch.n)
		return FLAME_OK;
	if (r->nsamples) {
		fl_warn(source->flame, "%s: the input ends before all of its "
			"locations", fl_in_name(source->in));
		fl_line_reader_damage(&r->base);
		r->nsamples = 0;
	}
	return fl_backtrace_end(&r->base);
}

static int probe(const uint8_t *head, size_t n, bool whole)
{
	struct slice rest = { (const char *)head, n }, line;
	bool period = false;

	for (unsigned i = 0; rest.size && i < 64; i++) {
		if (!whole && !memchr(rest.data, '\n', rest.size))
			return -1;
		line = fl_slice_trim_end(fl_slice_split(&rest, '\n'));
		period |= fl_slice_starts(line, "PeriodType:");
		if (period && fl_slice_is(line, "Samples:"))
			return 48;
		if (!period)
			return 0;
	}
	return whole || !period ? 0 : -1;
}

const struct fl_format fl_format_pprof_raw = {
	.name = "pprof-raw",
	.summary = "what go tool pprof -raw prints",
	.probe = probe,
	.state_size = sizeof(struct reader),
	.open = fl_line_reader_open,
	.read = read,
	.release = release,
	.options = &fl_lines_option_table,
};
