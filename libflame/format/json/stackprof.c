/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Format stackprof: reads the JSON of Ruby's stackprof, with its raw samples,
 * and returns each distinct stack with its count or its time:
 *
 *	{"mode":"cpu","interval":1000,"frames":{"140":{"name":"A#b"},...},
 *	 "raw":[2,140,141,7,...]}
 *
 * "raw" is a sequence of stacks: the number of frames, the frames from the
 * outermost on, and how often in a row that stack was seen.
 * "raw_timestamp_deltas" are the us that each sample lasted.
 */
#include "fl.h"

#include "format/json/fields.h"
#include "format/json/frame_trie.h"

struct options {
	bool total, lines;
};

struct stackprof {
	struct fl_json_source js;
	const struct options *options;
	struct fl_frame_trie trie;
	struct fl_map ids;	/* an id of a frame -> its number */
	flame_id *frames;	/* by number; 0: unknown */
	size_t nframes, frames_capacity;
	int64_t *counts;	/* of nodes of the trie */
	size_t counts_capacity;
	struct run {
		uint32_t node;
		int64_t count;
	} *runs;		/* of equal stacks, as they come */
	size_t nruns, runs_capacity;
	int64_t ncounted;
	struct fl_json_integers deltas;	/* us of each sample; or none */
	struct fl_buf mode, buf;
	int64_t line;		/* of the frame that is read */
	int64_t interval;	/* us, or objects */
	bool has_raw;
};

static void no_memory(struct stackprof *s)
{
	fl_no_memory(s->js.flame);
}

static bool number_of(struct stackprof *s, int64_t id, uint32_t *number)
{
	bool fresh;
	uint64_t *place = fl_map_put(&s->ids, (uint64_t)id, &fresh);

	if (!place || !fl_grow(&s->frames, &s->frames_capacity, s->nframes + 1,
			       sizeof(*s->frames))) {
		no_memory(s);
		return false;
	}
	if (fresh) {
		s->frames[s->nframes] = 0;
		*place = s->nframes++;
	}
	*number = (uint32_t)*place;
	return true;
}

/* Frames --------------------------------------------------------------- */

static const struct fl_json_field frame_fields[] = {
	FL_FIELD("name", TEXT, struct stackprof, buf),
	FL_FIELD("line", INTEGER, struct stackprof, line),
	{ .key = NULL }
};

static flame_id read_frame(struct stackprof *s)
{
	s->buf.size = 0;
	s->line = 0;
	fl_json_object(&s->js, frame_fields, s);
	if (!s->buf.size)
		fl_buf_text(&s->buf, "(unknown)");
	if (s->options->lines && s->line > 0) {
		fl_buf_byte(&s->buf, ':');
		fl_buf_number(&s->buf, s->line);
	}
	return s->buf.data && !s->js.json.error ?
	       fl_frame(s->js.flame, flame_name(s->js.flame, s->buf.data,
						s->buf.size), FLAME_UNKNOWN) :
	       0;
}

static void read_frames(struct fl_json_source *js, void *object)
{
	struct stackprof *s = object;
	struct fl_json *json = &js->json;

	while (fl_json_key(json) && !fl_failed(s->js.flame)) {
		uint32_t number;
		int64_t id;

		if (!fl_parse_int(json->text, &id)) {
			fl_json_skip(json);
			fl_json_bad(&s->js, "a frame whose id is not a number");
		} else if (fl_json_enter_object(json)) {
			flame_id frame = read_frame(s);

			if (number_of(s, id, &number))
				s->frames[number] = frame;
		}
	}
}

/* Samples -------------------------------------------------------------- */

static bool next_number(struct stackprof *s, int64_t *n)
{
	struct fl_json *json = &s->js.json;

	if (!fl_json_element(json))
		return false;
	if (json->token == FL_JSON_NUMBER && fl_parse_int(json->text, n) &&
	    *n >= 0)
		return true;
	fl_json_skip(json);
	*n = -1;
	return true;
}

static void add_count(struct stackprof *s, uint32_t node, int64_t count)
{
	if (!fl_grow_zeroed(&s->counts, &s->counts_capacity, s->trie.count,
		     sizeof(*s->counts))) {
		no_memory(s);
		return;
	}
	s->counts[node] = fl_add_clamped(s->counts[node], count);
	if (!fl_grow(&s->runs, &s->runs_capacity, s->nruns + 1,
		     sizeof(*s->runs))) {
		no_memory(s);
		return;
	}
	s->runs[s->nruns++] = (struct run){ node, count };
	s->ncounted = fl_add_clamped(s->ncounted, count);
}

/*
 * us by node, where each sample has its own; NULL: it has none.  They are of
 * the wall clock, so samples of CPU time have their interval.
 */
static int64_t *measured(struct stackprof *s)
{
	int64_t *times = NULL;
	size_t at = 0;

	if ((!s->mode.size || strcmp(s->mode.data, "wall") == 0) &&
	    s->deltas.count && (int64_t)s->deltas.count == s->ncounted &&
	    !(times = fl_zeroed(s->counts_capacity, sizeof(*times))))
		no_memory(s);
	for (size_t i = 0; times && i < s->nruns; i++)
		for (int64_t n = s->runs[i].count; n; n--, at++)
			if (s->deltas.data[at] != FL_JSON_NO_INTEGER)
				times[s->runs[i].node] += s->deltas.data[at];
	return times;
}

/* A stack of n frames and its count; false: the array ends. */
static bool read_stack(struct stackprof *s, int64_t n)
{
	uint32_t node = 0, number;
	int64_t id;

	for (; n; n--) {
		if (!next_number(s, &id))
			return false;
		if (!number_of(s, id, &number) ||
		    !fl_frame_trie_add(s->js.flame, &s->trie, node, number,
				       &node))
			return false;
	}
	if (!next_number(s, &id))
		return false;
	if (id > 0)
		add_count(s, node, id);
	return true;
}

static void read_raw(struct fl_json_source *js, void *object)
{
	struct stackprof *s = object;
	struct fl_json *json = &js->json;
	int64_t n;

	s->has_raw = true;
	while (next_number(s, &n)) {
		if (n >= 0 && read_stack(s, n))
			continue;
		if (!json->error)
			fl_json_bad(&s->js, "a stack that ends with its array");
		if (json->token != FL_JSON_ARRAY_END)
			while (!json->error && fl_json_element(json))
				fl_json_skip(json);
		return;
	}
}

/* The document --------------------------------------------------------- */

static flame_id metric_of(struct stackprof *s, bool *time)
{
	const char *mode = s->mode.size ? s->mode.data : "wall";

	*time = strcmp(mode, "cpu") == 0 || strcmp(mode, "wall") == 0;
	if (*time)
		return fl_metric(s->js.flame, mode, "ns",
				 s->options->total ? "ns" : "samples");
	if (strcmp(mode, "object") == 0)
		return flame_metric(s->js.flame, "objects", "objects");
	return flame_metric(s->js.flame, mode, "samples");
}

static void give_samples(struct stackprof *s)
{
	bool time;
	flame_id metric = metric_of(s, &time);
	int64_t interval = fl_mul_clamped(s->interval, 1000);	/* ns */
	flame_id *stacks = fl_frame_trie_stacks(s->js.flame, &s->trie,
						s->frames, s->nframes);
	size_t n = FL_MIN(s->trie.count, s->counts_capacity);
	int64_t *times = time ? measured(s) : NULL;

	for (size_t i = 1; stacks && i < n && !fl_failed(s->js.flame); i++) {
		struct flame_sample sample = {
			.stack = stacks[i], .metric = metric,
			.time = FLAME_NOTIME, .weight = s->counts[i],
		};
		int64_t total = times ? fl_mul_clamped(times[i], 1000) :
				time ? fl_mul_clamped(sample.weight, interval) :
				       sample.weight;

		if (!s->counts[i])
			continue;
		fl_metric_count(s->js.flame, metric, (uint64_t)s->counts[i], total);
		if (s->options->total)
			sample.weight = total;
		if (sample.stack && !sample.weight)
			continue;
		if (sample.stack)
			fl_json_add(&s->js, &sample);
		else
			fl_json_bad(&s->js, "a stack with frames that are not "
				    "there");
	}
	fl_free(times);
	fl_free(stacks);
}

static bool begin(struct stackprof *s)
{
	s->nframes = s->mode.size = s->nruns = s->deltas.count = 0;
	s->ncounted = 0;
	s->interval = 0;
	s->has_raw = false;
	fl_map_clear(&s->ids);
	if (s->counts)
		memset(s->counts, 0, s->counts_capacity * sizeof(*s->counts));
	return fl_frame_trie_clear(s->js.flame, &s->trie);
}

static const struct fl_json_field document[] = {
	FL_FIELD("mode", TEXT, struct stackprof, mode),
	FL_FIELD("interval", INTEGER, struct stackprof, interval),
	FL_FIELD_CALL("frames", INNER, read_frames),
	FL_FIELD_CALL("raw", LIST, read_raw),
	FL_FIELD("raw_timestamp_deltas", INTEGERS, struct stackprof, deltas),
	{ .key = NULL }
};

static void read_document(struct flame_source *source)
{
	struct stackprof *s = source->state;

	if (!begin(s) || !fl_json_object(&s->js, document, s))
		return;
	if (!s->has_raw && !s->js.json.error)
		fl_json_bad(&s->js, "it has no stacks: record again with "
			    "raw: true");
	give_samples(s);
}

/* The row of formats.def ------------------------------------------------- */

static int open_stackprof(struct flame_source *source)
{
	struct stackprof *s = source->state;

	fl_json_source_init(&s->js, source);
	s->options = source->options;
	return FLAME_OK;
}

static void release(void *state)
{
	struct stackprof *s = state;

	fl_json_source_free(&s->js);
	fl_frame_trie_free(&s->trie);
	fl_map_free(&s->ids);
	fl_buf_free(&s->mode);
	fl_buf_free(&s->buf);
	fl_free(s->frames);
	fl_free(s->counts);
	fl_free(s->runs);
	fl_free(s->deltas.data);
}

static int read(struct flame_source *source)
{
	struct stackprof *s = source->state;

	return fl_json_read(&s->js, read_document);
}

static int probe(const uint8_t *head, size_t n, bool whole)
{
	return fl_json_probe(head, n, whole, "gc_samples");
}

static const struct fl_option rows[] = {
	FL_OPTION_ROW_LINES(struct options),
	FL_OPTION_ROW_TOTAL(struct options),
	{ .name = NULL }
};

static const struct fl_option_table option_table = {
	.rows = rows, .size = sizeof(struct options),
};

const struct fl_format fl_format_stackprof = {
	.name = "stackprof",
	.summary = "JSON of Ruby's stackprof, recorded with raw: true",
	.probe = probe,
	.state_size = sizeof(struct stackprof),
	.open = open_stackprof,
	.read = read,
	.release = release,
	.json = true,
	.options = &option_table,
};
