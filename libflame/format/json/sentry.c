/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sentry's sample format, versions 1 and 2, alone or as items of an envelope:
 *
 *	{"platform":"python","timestamp":"2023-05-17T13:00:00Z","profile":{
 *	 "frames":[{"function":"f","module":"m","filename":"m.py","lineno":3}],
 *	 "stacks":[[0]],
 *	 "samples":[{"stack_id":0,"thread_id":"1","elapsed_since_start_ns":"5"}],
 *	 "thread_metadata":{"1":{"name":"main"}}}}
 *
 * Frames are innermost first.  A sample of version 2 has "timestamp", seconds
 * since 1970, instead.  https://develop.sentry.dev/sdk/telemetry/profiles/
 */
#include "fl.h"

#include "format/format.h"
#include "format/json/frame_trie.h"
#include "format/json/tree.h"

enum {
	PLACES = 9,		/* of seconds, for nanoseconds */
	BITS = 40		/* of an envelope's two first lines */
};

struct options {
	bool lines;
};

struct frame {
	flame_id function, module, file;
	int64_t line;
	bool java;
};

struct sample {
	int64_t stack, thread;
	int64_t elapsed, time;		/* ns, or FLAME_NOTIME */
};

struct sentry {
	struct fl_json_source js;
	const struct options *options;
	struct fl_frame_trie trie;
	struct frame *frames;
	size_t nframes, frames_capacity;
	uint32_t *stacks;		/* nodes of the trie */
	size_t nstacks, stacks_capacity;
	struct sample *samples;
	size_t nsamples, samples_capacity;
	struct fl_map threads;		/* id -> name */
	struct fl_json_integers numbers;
	struct fl_buf buf;
	int64_t start;			/* ns since 1970, or FLAME_NOTIME */
	bool java;
};

static bool is_java(struct slice platform)
{
	return fl_slice_is(platform, "java") ||
	       fl_slice_is(platform, "android");
}

/* A row more of an array; NULL: out of memory. */
#define ADD_ROW(s, rows) \
	(fl_grow(&(s)->rows, &(s)->rows##_capacity, (s)->n##rows + 1, \
		 sizeof(*(s)->rows)) ? \
	 &(s)->rows[(s)->n##rows++] : \
	 (fl_no_memory((s)->js.flame), NULL))

/* Frames and stacks ---------------------------------------------------- */

static void read_frame(struct sentry *s, struct frame *frame)
{
	struct fl_json *json = &s->js.json;
	flame_id address = 0;
	struct slice text;

	while (fl_json_key(json))
		if (fl_json_is(json, "function"))
			frame->function = fl_json_name(&s->js);
		else if (fl_json_is(json, "instruction_addr"))
			address = fl_json_name(&s->js);
		else if (fl_json_is(json, "module"))
			frame->module = fl_json_name(&s->js);
		else if (fl_json_is(json, "filename") ||
			 (fl_json_is(json, "file") && !frame->file))
			frame->file = fl_json_name(&s->js);
		else if (fl_json_is(json, "lineno") ||
			 fl_json_is(json, "line"))
			fl_json_integer(json, &frame->line);
		else if (fl_json_is(json, "platform"))
			frame->java = fl_json_string(json, &text) &&
				      is_java(text);
		else
			fl_json_skip(json);
	if (!frame->function)
		frame->function = address;
}

static void read_frames(struct sentry *s)
{
	struct fl_json *json = &s->js.json;

	while (fl_json_element(json) && !fl_failed(s->js.flame)) {
		struct frame frame = { 0, 0, 0, 0, false }, *place;

		if (json->token == FL_JSON_OBJECT)
			read_frame(s, &frame);
		else
			fl_json_skip(json);
		place = ADD_ROW(s, frames);
		if (place)
			*place = frame;
	}
}

/* As in recordings. */
static flame_id java_frame(struct sentry *s, struct slice module,
			   struct slice name, int64_t line)
{
	struct flame *flame = s->js.flame;
	struct fl_buf spelled = { .data = NULL };
	struct fl_buf *buf = &s->buf;
	flame_id id;

	buf->size = 0;
	fl_buf_put(buf, module.data, module.size);
	if (module.size)
		fl_buf_byte(buf, '.');
	fl_buf_put(buf, name.data, name.size);
	fl_java_name(&spelled, fl_buf_slice(buf));
	if (line > 0) {
		fl_buf_byte(&spelled, ':');
		fl_buf_number(&spelled, line);
	}
	id = flame_name(flame, spelled.data ? spelled.data : "", spelled.size);
	fl_buf_free(&spelled);
	return fl_frame(flame, id, FLAME_UNKNOWN);
}

static flame_id frame_of(struct sentry *s, const struct frame *frame)
{
	struct flame *flame = s->js.flame;
	struct slice name = fl_name_at(flame, frame->function);
	int64_t line = s->options->lines ? frame->line : 0;

	if (frame->java || s->java)
		return java_frame(s, fl_name_at(flame, frame->module),
				  name.size ? name : FL_SLICE("[unknown]"),
				  line);
	return fl_json_python_frame(flame, &s->buf, name,
				    fl_name_at(flame, frame->file), line);
}

static void read_stacks(struct sentry *s)
{
	struct fl_json *json = &s->js.json;

	while (fl_json_element(json) && !fl_failed(s->js.flame)) {
		uint32_t node = 0, *place;

		s->numbers.count = 0;
		if (json->token != FL_JSON_ARRAY)
			fl_json_skip(json);
		else if (!fl_json_integers(json, &s->numbers))
			return;
		for (size_t i = s->numbers.count; i; i--)
			if (!fl_frame_trie_add(s->js.flame, &s->trie, node,
					       s->numbers.data[i - 1], &node))
				return;
		place = ADD_ROW(s, stacks);
		if (place)
			*place = node;
	}
}

/* Samples and threads -------------------------------------------------- */

static void read_sample(struct sentry *s, struct sample *sample)
{
	struct fl_json *json = &s->js.json;

	while (fl_json_key(json))
		if (fl_json_is(json, "stack_id"))
			fl_json_integer(json, &sample->stack);
		else if (fl_json_is(json, "thread_id"))
			fl_json_integer(json, &sample->thread);
		else if (fl_json_is(json, "elapsed_since_start_ns"))
			fl_json_integer(json, &sample->elapsed);
		else if (fl_json_is(json, "timestamp"))
			fl_json_decimal(json, PLACES, &sample->time);
		else
			fl_json_skip(json);
}

static void read_samples(struct sentry *s)
{
	struct fl_json *json = &s->js.json;

	while (fl_json_element(json) && !fl_failed(s->js.flame)) {
		struct sample sample = { -1, -1, FLAME_NOTIME, FLAME_NOTIME };
		struct sample *place;

		if (json->token == FL_JSON_OBJECT)
			read_sample(s, &sample);
		else
			fl_json_skip(json);
		if (json->error)
			return;
		place = ADD_ROW(s, samples);
		if (place)
			*place = sample;
	}
}

static void read_threads(struct sentry *s)
{
	struct fl_json *json = &s->js.json;

	while (fl_json_key(json) && !fl_failed(s->js.flame)) {
		uint64_t *place;
		bool fresh;
		int64_t id;

		if (!fl_parse_int(json->text, &id)) {
			fl_json_skip(json);
			continue;
		}
		place = fl_map_put(&s->threads, (uint64_t)id, &fresh);
		if (!place) {
			fl_no_memory(s->js.flame);
			return;
		}
		*place = 0;
		if (!fl_json_enter_object(json))
			continue;
		while (fl_json_key(json))
			if (fl_json_is(json, "name"))
				*place = fl_json_name(&s->js);
			else
				fl_json_skip(json);
	}
}

static flame_id label_thread(struct sentry *s, int64_t id)
{
	const uint64_t *name;

	if (id < 0 || !fl_json_wants_thread(&s->js))
		return 0;
	name = fl_map_get(&s->threads, (uint64_t)id);
	return fl_json_thread(s->js.flame,
			      fl_name_at(s->js.flame,
					 name ? (flame_id)*name : 0), -1, id);
}

static int64_t time_of(const struct sentry *s, const struct sample *sample)
{
	if (sample->time != FLAME_NOTIME || s->start == FLAME_NOTIME ||
	    sample->elapsed == FLAME_NOTIME)
		return sample->time;
	return fl_add_clamped(s->start, sample->elapsed);
}

/* The document --------------------------------------------------------- */

/* The stack of each node of the trie; NULL: out of memory. */
static flame_id *intern(struct sentry *s)
{
	flame_id *frames = fl_zeroed(s->nframes + 1, sizeof(*frames));
	flame_id *stacks = NULL;

	if (!frames)
		fl_no_memory(s->js.flame);
	for (size_t i = 0; frames && i < s->nframes; i++)
		frames[i] = frame_of(s, &s->frames[i]);
	if (frames)
		stacks = fl_frame_trie_stacks(s->js.flame, &s->trie, frames,
					      s->nframes);
	fl_free(frames);
	return stacks;
}

static void add_samples(struct sentry *s)
{
	const struct fl_select *select = &s->js.source->select;
	bool timed = select->from.base || select->to.base ||
		     (select->needs & FL_NEED_TIME);
	flame_id metric = flame_metric(s->js.flame, "wall", "samples");
	flame_id *stacks = intern(s);

	for (size_t i = 0; stacks && i < s->nsamples; i++) {
		const struct sample *in = &s->samples[i];
		struct flame_sample sample = {
			.metric = metric, .time = FLAME_NOTIME, .weight = 1,
		};

		if (fl_failed(s->js.flame))
			break;
		if (in->stack < 0 || (uint64_t)in->stack >= s->nstacks) {
			fl_json_bad(&s->js, "a sample of a stack that is not "
				    "there");
			continue;
		}
		sample.stack = stacks[s->stacks[in->stack]];
		if (!sample.stack && s->stacks[in->stack]) {
			fl_json_bad(&s->js, "a stack with frames that are not "
				    "there");
			continue;
		}
		sample.thread = label_thread(s, in->thread);
		if (timed)
			sample.time = time_of(s, in);
		fl_metric_count(s->js.flame, metric, 1, 1);
		fl_json_add(&s->js, &sample);
	}
	fl_free(stacks);
}

static void read_profile(struct sentry *s)
{
	struct fl_json *json = &s->js.json;

	while (fl_json_key(json) && !fl_failed(s->js.flame))
		if (fl_json_is(json, "thread_metadata")) {
			if (fl_json_enter_object(json))
				read_threads(s);
		} else if (fl_json_is(json, "frames")) {
			if (fl_json_enter_array(json))
				read_frames(s);
		} else if (fl_json_is(json, "stacks")) {
			if (fl_json_enter_array(json))
				read_stacks(s);
		} else if (fl_json_is(json, "samples")) {
			if (fl_json_enter_array(json))
				read_samples(s);
		} else {
			fl_json_skip(json);
		}
}

static void read_document(struct flame_source *source)
{
	struct sentry *s = source->state;
	struct fl_json *json = &s->js.json;
	bool has_profile = false;
	struct slice text;

	s->nframes = s->nstacks = s->nsamples = 0;
	fl_map_clear(&s->threads);
	s->start = FLAME_NOTIME;
	s->java = false;
	if (json->token != FL_JSON_OBJECT ||
	    !fl_frame_trie_clear(source->flame, &s->trie)) {
		fl_json_skip(json);
		return;
	}
	while (fl_json_key(json) && !fl_failed(source->flame))
		if (fl_json_is(json, "platform")) {
			s->java = fl_json_string(json, &text) && is_java(text);
		} else if (fl_json_is(json, "timestamp")) {
			if (!fl_json_string(json, &text) ||
			    !fl_java_time(text, true, &s->start))
				s->start = FLAME_NOTIME;
		} else if (fl_json_is(json, "profile")) {
			has_profile = fl_json_enter_object(json);
			if (has_profile)
				read_profile(s);
		} else {
			fl_json_skip(json);
		}
	if (has_profile)
		add_samples(s);
}

/* The row of formats.c ------------------------------------------------- */

static int open_sentry(struct flame_source *source)
{
	struct sentry *s = source->state;

	s->options = source->options;
	return fl_json_source_open(source);
}

static void release(void *state)
{
	struct sentry *s = state;

	fl_json_source_free(&s->js);
	fl_frame_trie_free(&s->trie);
	fl_free(s->frames);
	fl_free(s->stacks);
	fl_free(s->samples);
	fl_map_free(&s->threads);
	fl_free(s->numbers.data);
	fl_buf_free(&s->buf);
}

static int read(struct flame_source *source)
{
	struct sentry *s = source->state;

	return fl_json_read(&s->js, read_document);
}

/* A line of the envelope, and one of its first item. */
static bool is_envelope(struct slice head)
{
	struct slice line = fl_slice_split(&head, '\n');

	return fl_slice_starts(line, "{") && fl_slice_ends(line, "}") &&
	       fl_slice_starts(head, "{\"type\":\"profile");
}

static int probe(const uint8_t *head, size_t n, bool whole)
{
	static const char *const paths[] = {
		"profile.samples.stack_id", "profile.thread_metadata",
	};

	if (is_envelope((struct slice){ (const char *)head, n }))
		return BITS;
	return fl_json_probe_any(head, n, whole, paths, FL_COUNT(paths));
}

static const struct fl_option rows[] = {
	FL_OPTION_ROW_LINES(struct options),
	{ .name = NULL }
};

static const struct fl_option_table option_table = {
	.rows = rows, .size = sizeof(struct options),
};

const struct fl_format fl_format_sentry = {
	.name = "sentry",
	.summary = "JSON of Sentry's sample format, versions 1 and 2",
	.probe = probe,
	.state_size = sizeof(struct sentry),
	.open = open_sentry,
	.read = read,
	.release = release,
	.json = true,
	.options = &option_table,
};
