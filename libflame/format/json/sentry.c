/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Format sentry: reads Sentry's sample format, versions 1 and 2, alone or as
 * items of an envelope; each record of "samples" becomes a sample of its
 * thread:
 *
 *	{"platform":"python","timestamp":"2023-05-17T13:00:00Z","profile":{
 *	 "frames":[{"function":"f","module":"m","filename":"m.py","lineno":3}],
 *	 "stacks":[[0]],
 *	 "samples":[{"stack_id":0,"thread_id":"1",
 *	  "elapsed_since_start_ns":"5"}],
 *	 "thread_metadata":{"1":{"name":"main"}}}}
 *
 * Frames are innermost first.  A sample of version 2 has "timestamp", seconds
 * since 1970, instead.  https://develop.sentry.dev/sdk/telemetry/profiles/
 */
#include "fl.h"

#include "format/json/frame_trie.h"
#include "format/json/tree.h"

enum {
	PLACES = 9,		/* of seconds, for nanoseconds */
	BITS = 40		/* of an envelope's two first lines */
};

struct frame {
	flame_id function, address, module, file;
	int64_t line;
	bool java;
};

struct sample {
	int64_t stack, thread;
	int64_t elapsed, time;		/* ns, or FLAME_NOTIME */
};

struct sentry {
	struct fl_json_source js;
	const struct fl_lines_options *options;
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
	bool java, has_profile;
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

static void read_platform(struct fl_json_source *js, void *java)
{
	struct slice text;

	*(bool *)java = fl_json_string(&js->json, &text) && is_java(text);
}

/* Where there is no filename. */
static void read_file(struct fl_json_source *js, void *object)
{
	struct frame *frame = object;
	struct slice text;

	if (fl_json_string(&js->json, &text) && !frame->file)
		frame->file = flame_name(js->flame, text.data, text.size);
}

static const struct fl_json_field frame_fields[] = {
	FL_FIELD("function", NAME, struct frame, function),
	FL_FIELD("instruction_addr", NAME, struct frame, address),
	FL_FIELD("module", NAME, struct frame, module),
	FL_FIELD("filename", NAME, struct frame, file),
	FL_FIELD("lineno", INTEGER, struct frame, line),
	FL_FIELD("line", INTEGER, struct frame, line),
	FL_FIELD_CALL("file", VALUE, read_file),
	FL_FIELD_CALL_AT("platform", VALUE, read_platform, struct frame, java),
	{ .key = NULL }
};

static void read_frames(struct fl_json_source *js, void *object)
{
	struct sentry *s = object;

	while (fl_json_element(&js->json) && !fl_failed(js->flame)) {
		struct frame frame = { .line = 0 }, *place;

		fl_json_object(js, frame_fields, &frame);
		if (!frame.function)
			frame.function = frame.address;
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

static void read_stacks(struct fl_json_source *js, void *object)
{
	struct sentry *s = object;
	struct fl_json *json = &js->json;

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

static const struct fl_json_field sample_fields[] = {
	FL_FIELD("stack_id", INTEGER, struct sample, stack),
	FL_FIELD("thread_id", INTEGER, struct sample, thread),
	FL_FIELD("elapsed_since_start_ns", INTEGER, struct sample, elapsed),
	FL_FIELD_NUMBER("timestamp", PLACES, NULL, struct sample, time),
	{ .key = NULL }
};

static void read_samples(struct fl_json_source *js, void *object)
{
	struct sentry *s = object;

	while (fl_json_element(&js->json) && !fl_failed(js->flame)) {
		struct sample sample = { -1, -1, FLAME_NOTIME, FLAME_NOTIME };
		struct sample *place;

		fl_json_object(js, sample_fields, &sample);
		if (js->json.error)
			return;
		place = ADD_ROW(s, samples);
		if (place)
			*place = sample;
	}
}

static const struct fl_json_field thread_fields[] = {
	{ .key = "name", .size = 4, .kind = FL_FIELD_NAME },
	{ .key = NULL }
};

static void read_threads(struct fl_json_source *js, void *object)
{
	struct sentry *s = object;
	struct fl_json *json = &js->json;

	while (fl_json_key(json) && !fl_failed(js->flame)) {
		flame_id name = 0;
		uint64_t *place;
		int64_t id;

		if (!fl_parse_int(json->text, &id)) {
			fl_json_skip(json);
			continue;
		}
		fl_json_next(json);
		fl_json_object(js, thread_fields, &name);
		place = fl_map_put(&s->threads, (uint64_t)id, NULL);
		if (!place) {
			fl_no_memory(js->flame);
			return;
		}
		*place = name;
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

static void read_time(struct fl_json_source *js, void *time)
{
	struct slice text;

	if (!fl_json_string(&js->json, &text) ||
	    !fl_java_time(text, true, time))
		*(int64_t *)time = FLAME_NOTIME;
}

static const struct fl_json_field profile_fields[] = {
	FL_FIELD_CALL("frames", LIST, read_frames),
	FL_FIELD_CALL("stacks", LIST, read_stacks),
	FL_FIELD_CALL("samples", LIST, read_samples),
	FL_FIELD_CALL("thread_metadata", INNER, read_threads),
	{ .key = NULL }
};

static void read_profile(struct fl_json_source *js, void *object)
{
	struct sentry *s = object;

	s->has_profile = true;
	fl_json_object(js, profile_fields, s);
}

static const struct fl_json_field document[] = {
	FL_FIELD_CALL_AT("platform", VALUE, read_platform, struct sentry,
			 java),
	FL_FIELD_CALL_AT("timestamp", VALUE, read_time, struct sentry, start),
	FL_FIELD_CALL("profile", INNER, read_profile),
	{ .key = NULL }
};

static void read_document(struct flame_source *source)
{
	struct sentry *s = source->state;

	s->nframes = s->nstacks = s->nsamples = 0;
	fl_map_clear(&s->threads);
	s->start = FLAME_NOTIME;
	s->java = s->has_profile = false;
	if (fl_frame_trie_clear(source->flame, &s->trie) &&
	    fl_json_object(&s->js, document, s) && s->has_profile)
		add_samples(s);
}

/* The row of formats.def ------------------------------------------------- */

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

const struct fl_format fl_format_sentry = {
	.name = "sentry",
	.summary = "JSON of Sentry's sample format, versions 1 and 2",
	.probe = probe,
	.state_size = sizeof(struct sentry),
	.open = open_sentry,
	.read = read,
	.release = release,
	.json = true,
	.options = &fl_lines_option_table,
};
