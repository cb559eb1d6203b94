/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Format speedscope: reads speedscope's file format, as py-spy, rbspy,
 * dotnet-trace and speedscope itself write it, into samples.  Profiles are
 * lists of samples or of events (frames that open and close), each of a thread
 * as a rule; frames, which may come last, are shared.
 */
#include "fl.h"

#include "format/json/fields.h"
#include "format/json/frame_trie.h"

/* Options of this format; their rows are below. */
struct options {
	bool total, lines;
};

struct frame {
	flame_id name, file;
	int64_t line;
};

/* Counts of a stack of a profile. */
struct sum {
	uint32_t profile, node;
	uint64_t samples;
	int64_t value;		/* in the profile's unit, with its places */
};

/* Samples of one stack, one after the other. */
struct run {
	uint32_t node, samples;
};

struct profile {
	flame_id thread;	/* labels */
	int unit;		/* places of units[] below */
	int places;		/* decimal places of its sums */
	bool evented;
};

struct speedscope {
	struct fl_json_source js;
	const struct options *options;
	struct frame *frames;
	size_t nframes, frames_capacity;
	struct fl_frame_trie trie;	/* stacks, until the frames are known */
	struct sum *sums;
	size_t nsums, sums_capacity;
	struct fl_map sum_ids;	/* (profile, node) -> number + 1 */
	struct profile *profiles;
	size_t nprofiles, profiles_capacity;
	/*
	 * The exporter is py-spy, or none is named and it looks like py-spy's.
	 */
	bool pyspy, has_exporter;
	bool ours;		/* weights are never to be counted */

	/* Of the current profile: */
	struct fl_buf name;
	int64_t *weights;	/* those that come before their samples */
	size_t nweights, weights_capacity;
	struct run *runs;	/* samples, until their weights come */
	size_t nruns, runs_capacity;
	size_t run;		/* the next sample's, and its number there */
	uint32_t in_run;
	bool weighted;		/* a sample has got its weight */
	uint32_t *open;		/* nodes of the open frames, events */
	size_t nopen, open_capacity;
	int64_t time;		/* of the last event */
	bool has_time;

	/* Of the document: whether all weights of samples are equal. */
	int64_t weight;
	int weight_places;
	bool has_weight, varied;
};

/* Units; places: the decimal places to nanoseconds. */
enum { NONE, BYTES, UNITS = 6 };

static const struct {
	const char *name;
	int places;
} units[UNITS] = {
	{ "none", 0 }, { "bytes", 0 }, { "nanoseconds", 0 },
	{ "microseconds", 3 }, { "milliseconds", 6 }, { "seconds", 9 },
};

static bool no_memory(struct speedscope *s)
{
	fl_no_memory(s->js.flame);
	return false;
}

static struct profile *current(struct speedscope *s)
{
	return &s->profiles[s->nprofiles - 1];
}

/* Frames --------------------------------------------------------------- */

static const struct fl_json_field frame_fields[] = {
	FL_FIELD("name", NAME, struct frame, name),
	FL_FIELD("file", NAME, struct frame, file),
	FL_FIELD("line", INTEGER, struct frame, line),
	{ .key = NULL }
};

static void read_frames(struct fl_json_source *js, void *object)
{
	struct speedscope *s = object;

	s->nframes = 0;
	while (fl_json_element(&js->json)) {
		struct frame frame = { 0, 0, 0 };

		fl_json_object(js, frame_fields, &frame);
		if (!fl_grow(&s->frames, &s->frames_capacity, s->nframes + 1,
			     sizeof(*s->frames))) {
			no_memory(s);
			return;
		}
		s->frames[s->nframes++] = frame;
	}
}

/* py-spy's are spelt as in its other outputs: f (file.py:3), f (lib.so). */
static flame_id frame_of(struct speedscope *s, const struct frame *frame)
{
	struct flame *flame = s->js.flame;
	struct slice name = fl_name_at(flame, frame->name);
	struct slice file = fl_name_at(flame, frame->file);
	struct fl_buf *buf = &s->name;

	buf->size = 0;
	fl_buf_put(buf, name.data, name.size);
	if (!name.size)
		fl_buf_text(buf, "(anonymous)");
	if (s->pyspy && file.size) {
		fl_buf_text(buf, " (");
		fl_buf_put(buf, file.data, file.size);
	}
	if (frame->line > 0 && (s->pyspy ? file.size > 0 :
					   s->options->lines)) {
		fl_buf_byte(buf, ':');
		fl_buf_number(buf, frame->line);
	}
	if (s->pyspy && file.size)
		fl_buf_byte(buf, ')');
	return fl_frame(flame, flame_name(flame, buf->data ? buf->data : "",
					  buf->size), FLAME_UNKNOWN);
}

/* Sums ------------------------------------------------------------------ */

/* The value's decimal places become fewer, for a sum that does not fit. */
static void drop_places(struct speedscope *s, struct profile *profile)
{
	uint32_t number = (uint32_t)(profile - s->profiles);

	profile->places -= 3;
	for (size_t i = 0; i < s->nsums; i++)
		if (s->sums[i].profile == number)
			s->sums[i].value /= 1000;
	for (size_t i = 0; i < s->nweights; i++)
		s->weights[i] /= 1000;
	s->time /= 1000;
}

/* A number that was read last, with the profile's places. */
static bool take_value(struct speedscope *s, int64_t *value)
{
	struct profile *profile = current(s);
	struct fl_json *json = &s->js.json;

	if (json->token != FL_JSON_NUMBER) {
		fl_json_skip(json);
		return false;
	}
	while (!fl_parse_decimal(json->text, profile->places, value)) {
		if (!profile->places)
			return false;
		drop_places(s, profile);
	}
	return true;
}

static void add_to(struct speedscope *s, uint32_t node, uint64_t samples,
		   int64_t value)
{
	uint32_t profile = (uint32_t)s->nprofiles - 1;
	bool fresh;
	uint64_t *id = fl_map_put(&s->sum_ids, (uint64_t)profile << 32 | node,
				  &fresh);
	struct sum *sum;

	if (!id || !fl_grow(&s->sums, &s->sums_capacity, s->nsums + 1,
			    sizeof(*s->sums))) {
		no_memory(s);
		return;
	}
	if (fresh) {
		s->sums[s->nsums] = (struct sum){ profile, node, 0, 0 };
		*id = s->nsums++;
	}
	sum = &s->sums[*id];
	sum->samples += samples;
	if (__builtin_add_overflow(sum->value, value, &sum->value))
		fl_fail(s->js.flame, FL_TOO_HEAVY);
}

/* Samples -------------------------------------------------------------- */

static void add_weighted(struct speedscope *s, uint32_t node, int64_t weight)
{
	int places = current(s)->places;

	if (weight <= 0) {
		if (weight)
			fl_json_bad(&s->js, "a weight below 0");
		return;
	}
	if (!s->has_weight) {
		s->weight = weight;
		s->weight_places = places;
		s->has_weight = true;
	}
	s->varied |= s->weight != weight || s->weight_places != places;
	if (node)
		add_to(s, node, 1, weight);
}

static void forget_samples(struct speedscope *s)
{
	s->nruns = s->run = s->in_run = 0;
	s->weighted = false;
}

static bool keep_sample(struct speedscope *s, uint32_t node)
{
	struct run *last = s->nruns ? &s->runs[s->nruns - 1] : NULL;

	if (last && last->node == node && last->samples < UINT32_MAX) {
		last->samples++;
		return true;
	}
	if (!fl_grow(&s->runs, &s->runs_capacity, s->nruns + 1,
		     sizeof(*s->runs)))
		return no_memory(s);
	s->runs[s->nruns++] = (struct run){ node, 1 };
	return true;
}

/* false: all samples have their weights. */
static bool next_sample(struct speedscope *s, uint32_t *node)
{
	if (s->run == s->nruns)
		return false;
	*node = s->runs[s->run].node;
	if (++s->in_run == s->runs[s->run].samples) {
		s->run++;
		s->in_run = 0;
	}
	return true;
}

static void read_samples(struct fl_json_source *js, void *object)
{
	struct speedscope *s = object;
	struct fl_json *json = &js->json;
	uint32_t node;

	forget_samples(s);
	while (fl_json_element(json)) {
		node = 0;
		if (json->token != FL_JSON_ARRAY) {
			fl_json_skip(json);
			fl_json_bad(&s->js, "a sample that is not an array");
		} else if (!fl_frame_trie_read(&s->trie, &s->js, &node)) {
			return;
		}
		if (!keep_sample(s, node))
			return;
	}
}

static void keep_weight(struct speedscope *s, int64_t weight)
{
	if (!fl_grow(&s->weights, &s->weights_capacity, s->nweights + 1,
		     sizeof(*s->weights)))
		no_memory(s);
	else
		s->weights[s->nweights++] = weight;
}

static void read_weights(struct fl_json_source *js, void *object)
{
	struct speedscope *s = object;
	struct fl_json *json = &js->json;
	int64_t weight;
	uint32_t node;

	s->nweights = 0;
	while (fl_json_element(json)) {
		weight = 0;
		if (!take_value(s, &weight))
			fl_json_bad(&s->js, "a weight that is not a number, or "
				    "too large");
		if (next_sample(s, &node)) {
			add_weighted(s, node, weight);
			s->weighted = true;
		} else {
			keep_weight(s, weight);
		}
		if (fl_failed(s->js.flame))
			return;
	}
}

/* Of samples that have no weights each counts as one. */
static void join_weights(struct speedscope *s)
{
	bool none = !s->nweights && !s->weighted;
	int64_t one = 1;
	uint32_t node;
	size_t i = 0;

	for (int places = current(s)->places; places; places--)
		one *= 10;
	while ((none || i < s->nweights) && !fl_failed(s->js.flame) &&
	       next_sample(s, &node))
		add_weighted(s, node, none ? one : s->weights[i++]);
	if (i < s->nweights || s->run < s->nruns)
		fl_json_bad(&s->js, "there are not as many weights as "
			    "samples");
	forget_samples(s);
	s->nweights = 0;
}

/* Events --------------------------------------------------------------- */

struct event {
	char type;
	int64_t frame, time;
	bool has_time;
};

static void read_type(struct fl_json_source *js, void *type)
{
	struct slice text;

	if (fl_json_string(&js->json, &text) && text.size == 1)
		*(char *)type = text.data[0];
}

static void read_time(struct fl_json_source *js, void *object)
{
	struct event *event = object;

	fl_json_next(&js->json);
	event->has_time = take_value(js->source->state, &event->time);
}

static const struct fl_json_field event_fields[] = {
	FL_FIELD_CALL_AT("type", VALUE, read_type, struct event, type),
	FL_FIELD("frame", INTEGER, struct event, frame),
	FL_FIELD_CALL("at", VALUE, read_time),
	{ .key = NULL }
};

static uint32_t innermost(const struct speedscope *s)
{
	return s->nopen ? s->open[s->nopen - 1] : 0;
}

/* The time since the last event is the innermost frame's. */
static void pass_time(struct speedscope *s, int64_t time)
{
	if (s->has_time && time < s->time) {
		fl_json_bad(&s->js, "an event that is before the last one");
		return;
	}
	if (s->has_time && s->nopen && time > s->time)
		add_to(s, innermost(s), 1, time - s->time);
	s->time = time;
	s->has_time = true;
}

static void open_frame(struct speedscope *s, uint32_t frame)
{
	uint32_t node;

	if (!fl_frame_trie_add(s->js.flame, &s->trie, innermost(s), frame,
			       &node))
		return;
	if (!fl_grow(&s->open, &s->open_capacity, s->nopen + 1,
		     sizeof(*s->open)))
		no_memory(s);
	else
		s->open[s->nopen++] = node;
}

static void close_frame(struct speedscope *s, uint32_t frame)
{
	size_t n = s->nopen;

	while (n && s->trie.nodes[s->open[n - 1]].frame != frame)
		n--;
	if (n != s->nopen || !n)
		fl_json_bad(&s->js, "an end that is not of the innermost "
			    "frame");
	if (n)
		s->nopen = n - 1;
}

static void take_event(struct speedscope *s, const struct event *event)
{
	if (!event->has_time || event->frame < 0 ||
	    event->frame >= FL_JSON_NO_INTEGER ||
	    (event->type != 'O' && event->type != 'C')) {
		fl_json_bad(&s->js, "an event without type, frame or time");
		return;
	}
	pass_time(s, event->time);
	if (event->type == 'O')
		open_frame(s, (uint32_t)event->frame);
	else
		close_frame(s, (uint32_t)event->frame);
}

static void read_event(struct fl_json_source *js, void *object)
{
	struct event event = { '\0', -1, 0, false };

	fl_json_object(js, event_fields, &event);
	if (!js->json.error)
		take_event(object, &event);
}

static void read_events(struct fl_json_source *js, void *object)
{
	struct speedscope *s = object;

	current(s)->evented = true;
	s->nopen = 0;
	s->has_time = false;
	fl_json_each(js, read_event, s);
}

/* Profiles ------------------------------------------------------------- */

static bool pass_number(struct slice *text, const char *before, int64_t *n)
{
	size_t size = strlen(before), end = size;

	if (!fl_slice_starts(*text, before))
		return false;
	while (end < text->size && text->data[end] >= '0' &&
	       text->data[end] <= '9')
		end++;
	if (!fl_parse_int((struct slice){ text->data + size, end - size }, n))
		return false;
	*text = fl_slice_from(*text, end);
	return true;
}

/* py-spy's: Process 1 Thread 2 "name"; names of other tools are unchanged. */
static flame_id thread_of(struct speedscope *s)
{
	struct slice text = { s->name.data ? s->name.data : "", s->name.size };
	struct slice rest = text;
	int64_t pid = -1, tid = -1;

	if (pass_number(&rest, "Process ", &pid))
		rest = fl_slice_trim(rest);
	if (!pass_number(&rest, "Thread ", &tid))
		return fl_json_thread(s->js.flame, text, -1, -1);
	rest = fl_slice_trim(rest);
	if (rest.size > 1 && rest.data[0] == '"' && fl_slice_ends(rest, "\"")) {
		rest = (struct slice){ rest.data + 1, rest.size - 2 };
		s->pyspy |= !s->has_exporter;
	}
	return fl_json_thread(s->js.flame, rest, pid, tid);
}

static void read_unit(struct fl_json_source *js, void *object)
{
	struct speedscope *s = object;
	struct slice text;

	if (!fl_json_string(&js->json, &text))
		return;
	for (int i = 0; i < UNITS; i++)
		if (fl_slice_is(text, units[i].name))
			current(s)->unit = i;
}

static bool begin_profile(struct speedscope *s)
{
	if (!fl_grow(&s->profiles, &s->profiles_capacity, s->nprofiles + 1,
		     sizeof(*s->profiles)))
		return no_memory(s);
	s->profiles[s->nprofiles++] = (struct profile){ .places = 9 };
	s->name.size = 0;
	forget_samples(s);
	s->nweights = 0;
	return true;
}

static const struct fl_json_field profile_fields[] = {
	FL_FIELD_CALL("unit", VALUE, read_unit),
	FL_FIELD("name", TEXT, struct speedscope, name),
	FL_FIELD_CALL("samples", LIST, read_samples),
	FL_FIELD_CALL("weights", LIST, read_weights),
	FL_FIELD_CALL("events", LIST, read_events),
	{ .key = NULL }
};

static void read_profile(struct fl_json_source *js, void *object)
{
	struct speedscope *s = object;

	if (!begin_profile(s))
		return;
	fl_json_object(js, profile_fields, s);
	join_weights(s);
	current(s)->thread = thread_of(s);
}

/* The document --------------------------------------------------------- */

/* One entry for each node of the trie; the caller frees them. */
static flame_id *find_stacks(struct speedscope *s)
{
	flame_id *frames = fl_zeroed(s->nframes + 1, sizeof(*frames));
	flame_id *stacks = NULL;

	for (size_t i = 0; frames && i < s->nframes; i++)
		frames[i] = frame_of(s, &s->frames[i]);
	if (frames)
		stacks = fl_frame_trie_stacks(s->js.flame, &s->trie, frames,
					      s->nframes);
	else
		no_memory(s);
	fl_free(frames);
	return stacks;
}

/* From the sum's places to the unit's; *rest: the rounding error. */
static bool scale(int64_t value, int from, int to, int64_t *rest,
		  int64_t *scaled)
{
	int64_t divisor = 1;

	for (; from < to; from++)
		if (__builtin_mul_overflow(value, 10, &value))
			return false;
	for (; from > to; from--)
		divisor *= 10;
	if (__builtin_add_overflow(value, *rest, &value))
		return false;
	*scaled = (value + divisor / 2) / divisor;
	*rest = value - *scaled * divisor;
	return true;
}

static flame_id metric_of(struct speedscope *s, const struct profile *p,
			  bool counts)
{
	struct flame *flame = s->js.flame;

	if (p->unit == NONE)
		return flame_metric(flame, "samples", "samples");
	if (p->unit == BYTES)
		return flame_metric(flame, "bytes", "bytes");
	return fl_metric(flame, "time", "ns", counts ? "samples" : "ns");
}

static void give_sum(struct speedscope *s, const struct sum *sum,
		     flame_id stack, int64_t *rest)
{
	const struct profile *p = &s->profiles[sum->profile];
	bool samples = p->unit > BYTES && !p->evented && !s->varied &&
		       !s->ours;
	bool counts = samples && !s->options->total;
	struct flame_sample sample = {
		.stack = stack, .time = FLAME_NOTIME,
		.metric = metric_of(s, p, counts),
	};
	int64_t value;

	if (!scale(sum->value, p->places, units[p->unit].places, rest,
		   &value)) {
		fl_json_bad(&s->js, "a weight that does not fit in 64 bits");
		return;
	}
	if (!stack) {
		fl_json_bad(&s->js, "a stack with frames that are not there");
		return;
	}
	sample.weight = counts ? (int64_t)sum->samples : value;
	if (fl_json_wants_thread(&s->js))
		sample.thread = p->thread;
	fl_metric_count(s->js.flame, sample.metric, p->unit == NONE ?
		      (uint64_t)value : sum->samples, value);
	if (sample.weight)
		fl_json_add(&s->js, &sample);
}

static void give_samples(struct speedscope *s)
{
	flame_id *stacks = find_stacks(s);
	uint32_t profile = UINT32_MAX;
	int64_t rest = 0;

	for (size_t i = 0; i < s->nsums && !fl_failed(s->js.flame); i++) {
		const struct sum *sum = &s->sums[i];

		if (sum->profile != profile)
			rest = 0;
		profile = sum->profile;
		give_sum(s, sum, stacks[sum->node], &rest);
	}
	fl_free(stacks);
}

static bool begin_document(struct speedscope *s)
{
	s->nframes = s->nsums = s->nprofiles = 0;
	s->pyspy = s->ours = s->has_exporter = false;
	s->has_weight = s->varied = false;
	fl_map_clear(&s->sum_ids);
	return fl_frame_trie_clear(s->js.flame, &s->trie);
}

static void read_exporter(struct fl_json_source *js, void *object)
{
	struct speedscope *s = object;
	struct slice text;

	if (!fl_json_string(&js->json, &text))
		return;
	s->has_exporter = true;
	s->pyspy = fl_slice_starts(text, "py-spy");
	s->ours = fl_slice_starts(text, "libflame@");
}

static const struct fl_json_field shared[] = {
	FL_FIELD_CALL("frames", LIST, read_frames),
	{ .key = NULL }
};

static const struct fl_json_field document[] = {
	FL_FIELD_CALL("profiles", EACH, read_profile),
	FL_FIELD_ROWS("shared", INNER, shared),
	FL_FIELD_CALL("exporter", VALUE, read_exporter),
	{ .key = NULL }
};

static void read_document(struct flame_source *source)
{
	struct speedscope *s = source->state;

	if (begin_document(s) && fl_json_object(&s->js, document, s))
		give_samples(s);
}

/* The row of formats.def ------------------------------------------------- */

static int open_speedscope(struct flame_source *source)
{
	struct speedscope *s = source->state;

	fl_json_source_init(&s->js, source);
	s->options = source->options;
	return FLAME_OK;
}

static void release(void *state)
{
	struct speedscope *s = state;

	fl_json_source_free(&s->js);
	fl_frame_trie_free(&s->trie);
	fl_map_free(&s->sum_ids);
	fl_buf_free(&s->name);
	fl_free(s->frames);
	fl_free(s->sums);
	fl_free(s->profiles);
	fl_free(s->weights);
	fl_free(s->runs);
	fl_free(s->open);
}

static int read(struct flame_source *source)
{
	struct speedscope *s = source->state;

	return fl_json_read(&s->js, read_document);
}

static int probe(const uint8_t *head, size_t n, bool whole)
{
	int bits = fl_json_probe(head, n, whole, "profiles.type");

	return bits > 0 ? bits : fl_json_probe(head, n, whole,
					       "shared.frames");
}

static const struct fl_option rows[] = {
	FL_OPTION_ROW_LINES(struct options),
	FL_OPTION_ROW_TOTAL(struct options),
	{ .name = NULL }
};

static const struct fl_option_table option_table = {
	.rows = rows, .size = sizeof(struct options),
};

const struct fl_format fl_format_speedscope = {
	.name = "speedscope",
	.summary = "JSON of speedscope, py-spy, rbspy, dotnet-trace",
	.probe = probe,
	.state_size = sizeof(struct speedscope),
	.open = open_speedscope,
	.read = read,
	.release = release,
	.json = true,
	.options = &option_table,
};
