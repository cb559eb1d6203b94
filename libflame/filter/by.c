/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A frame at the root for what a sample says beside its stack: its thread,
 * the state of it, or any label.
 */
#include "fl.h"

#include "filter/filter.h"

#include <stdlib.h>

/* threads ------------------------------------------------------------- */

struct threads {
	struct fl_rewrite frames;	/* out[]: by thread; 0: not known */
	struct fl_prefix prefix;
};

/* Folded text has frames of threads: "thread-in-stack" is the name of it. */
static bool has_own(struct flame *flame, const struct flame_sample *s)
{
	flame_id own = flame_label_get(flame, s->thread,
				       fl_name(flame, "thread-in-stack"));

	for (flame_id i = own ? s->stack : 0; i; i = fl_parent(flame, i))
		if (fl_frame_at(flame, i)->name == own)
			return true;
	return false;
}

/* A sample that knows no thread stays as it is. */
static int put_threads(struct flame_sink *sink,
		       const struct flame_sample *sample)
{
	struct threads *threads = sink->state;
	struct flame_sample s = *sample;
	flame_id *frame;

	if (!s.thread || has_own(sink->flame, &s))
		return fl_put(sink->next, &s);
	frame = fl_rewrite_place(sink->flame, &threads->frames, s.thread);
	if (!frame)
		return FLAME_FAILED;
	if (!*frame)
		*frame = fl_thread_frame(sink->flame, s.thread);
	s.stack = fl_prefix(sink->flame, &threads->prefix, *frame, s.stack);
	return fl_put(sink->next, &s);
}

static void free_threads(struct flame_sink *sink)
{
	struct threads *threads = sink->state;

	fl_rewrite_free(&threads->frames);
	fl_prefix_free(&threads->prefix);
}

static struct flame_sink *make_threads(struct flame_sink *next,
				       const char *arg)
{
	struct flame_sink *sink = fl_sink_new(next->flame, next,
					      sizeof(struct threads));

	(void)arg;
	if (!sink)
		return NULL;
	sink->needs = FL_NEED_THREAD;
	sink->put = put_threads;
	sink->free = free_threads;
	return sink;
}

/* by ------------------------------------------------------------------ */

struct by {
	struct by_key { flame_id key, absent; bool thread; } *keys;
	size_t n, room;
	struct fl_prefix prefix;
};

static flame_id value_frame(struct flame *flame, const struct by_key *key,
			    const struct flame_sample *s)
{
	flame_id value = flame_label_get(flame, s->labels, key->key);

	if (!value)
		value = flame_label_get(flame, s->thread, key->key);
	if (value)
		return fl_frame(flame, value, FLAME_GROUP);
	return key->thread && s->thread ? fl_thread_frame(flame, s->thread) :
					  key->absent;
}

/* The first key is the outermost. */
static int put_by(struct flame_sink *sink, const struct flame_sample *sample)
{
	struct by *by = sink->state;
	struct flame_sample s = *sample;

	for (size_t i = by->n; i--;)
		s.stack = fl_prefix(sink->flame, &by->prefix,
				    value_frame(sink->flame, &by->keys[i],
						sample), s.stack);
	return fl_put(sink->next, &s);
}

static unsigned needs_of(struct slice key)
{
	if (fl_slice_is(key, "thread") || fl_slice_is(key, "tid"))
		return FL_NEED_THREAD;
	if (fl_slice_is(key, "file"))
		return FL_NEED_FILE;
	return fl_slice_is(key, "state") ? FL_NEED_STATE : 0;
}

static int add_key(struct flame_sink *sink, struct slice key)
{
	struct flame *flame = sink->flame;
	struct by *by = sink->state;
	struct fl_buf absent = { 0 };
	struct by_key *at;

	if (!key.size)
		return fl_fail(flame, "--by: a key is missing");
	if (!fl_grow(&by->keys, &by->room, by->n + 1, sizeof(*by->keys)))
		return fl_no_memory(flame);
	fl_buf_text(&absent, "[no ");
	fl_buf_put(&absent, key.at, key.size);
	fl_buf_byte(&absent, ']');
	if (absent.failed)
		return fl_no_memory(flame);
	at = &by->keys[by->n++];
	at->key = flame_name(flame, key.at, key.size);
	at->absent = fl_frame(flame, flame_name(flame, absent.at, absent.size),
			      FLAME_GROUP);
	at->thread = fl_slice_is(key, "thread");
	fl_buf_free(&absent);
	sink->needs |= needs_of(key);
	return FLAME_OK;
}

static void free_by(struct flame_sink *sink)
{
	struct by *by = sink->state;

	free(by->keys);
	fl_prefix_free(&by->prefix);
}

static struct flame_sink *make_by(struct flame_sink *next, const char *list)
{
	struct flame_sink *sink = fl_sink_new(next->flame, next,
					      sizeof(struct by));
	size_t size;

	if (!sink)
		return NULL;
	sink->put = put_by;
	sink->free = free_by;
	for (;; list += size + 1) {
		size = strcspn(list, ",\n");
		if (add_key(sink, (struct slice){ list, size }) != FLAME_OK) {
			free_by(sink);
			free(sink);
			return NULL;
		}
		if (!list[size])
			return sink;
	}
}

const struct fl_filter fl_filter_by = {
	.name = "by", .argument = "KEY",
	.summary = "a root frame per thread, state, file or label",
	.make = make_by, .rank = 50, .joins = true,
};

/* After by, so that threads are outermost. */
const struct fl_filter fl_filter_threads = {
	.name = "threads",
	.summary = "a root frame per thread",
	.make = make_threads, .rank = 51,
};
