/* SPDX-License-Identifier: Apache-2.0 */
/*
 * --threads and --by put root frames on the stack of each sample: --threads its
 * thread, --by the values of label keys (thread, state, file or any other).
 * The filter "key" does as --by, outermost of all, for --key of flame-fold and
 * flame-top.
 */
#include "fl.h"

#include "filter/filter.h"

#include <stdio.h>
#include <stdlib.h>

/* threads ------------------------------------------------------------- */

struct threads {
	struct fl_rewrite frames;	/* by thread; 0: not known */
	struct fl_prefix prefix;
};

/* In folded text the thread is a frame; "thread-in-stack" is its name. */
static bool has_thread_frame(struct flame *flame, const struct flame_sample *s)
{
	flame_id own = flame_label_get(flame, s->thread,
				       fl_name(flame, "thread-in-stack"));

	for (flame_id i = own ? s->stack : 0; i; i = fl_parent(flame, i))
		if (fl_frame_at(flame, i)->name == own)
			return true;
	return false;
}

/*
 * Whether the outermost frame is called as the thread's frame: so are stacks
 * that were written with --threads, in a format that names threads, too.
 */
static bool begins_with(const struct flame *flame, flame_id stack,
			flame_id frame)
{
	flame_id root = stack;

	for (; stack; stack = fl_parent(flame, stack))
		root = stack;
	return root && fl_frame_at(flame, root)->name ==
			       flame->frames.data[frame].name;
}

/* A sample without a thread is unchanged. */
static int put_threads(struct flame_sink *sink,
		       const struct flame_sample *sample)
{
	struct threads *threads = sink->state;
	struct flame_sample s = *sample;
	flame_id *frame;

	if (!s.thread || has_thread_frame(sink->flame, &s))
		return fl_put(sink->next, &s);
	frame = fl_rewrite_slot(sink->flame, &threads->frames, s.thread);
	if (!frame)
		return FLAME_FAILED;
	if (!*frame)
		*frame = fl_thread_frame(sink->flame, s.thread);
	if (!begins_with(sink->flame, s.stack, *frame))
		s.stack = fl_prefix(sink->flame, &threads->prefix, *frame,
				    s.stack);
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

struct by_key {
	struct fl_key key;
	flame_id absent, other;	/* frames for no value, for no match */
	bool thread, named;	/* named: numbers have the key before them */
	bool holder;		/* the stack is the chain of holders */
	struct fl_regex *re;	/* NULL: the whole value */
	struct fl_rewrite frames;	/* by value; 0: not known */
	struct fl_prefix prefix;
};

struct by {
	const char *option;	/* for messages */
	bool names;		/* keys stand before bare numbers */
	struct by_key *keys;
	size_t count, capacity;
	struct fl_seen seen;
};

static bool is_drawn(const struct flame_sink *sink)
{
	while (sink->next)
		sink = sink->next;
	return sink->draws;
}

/* "stage 11" for a bare number; other values say what they are. */
static flame_id named(struct flame *flame, const struct by_key *key,
		      flame_id value)
{
	struct slice text = fl_name_at(flame, value);
	struct slice name = fl_name_at(flame, key->key.name);
	char copy[128];
	int64_t n;

	if (!fl_parse_digits(text, &n) || text.size + name.size + 2 >
					  sizeof(copy))
		return value;
	snprintf(copy, sizeof(copy), "%.*s %.*s", (int)name.size, name.data,
		 (int)text.size, text.data);
	return fl_name(flame, copy);
}

/* The first group of the expression, or the whole match. */
static flame_id captured(struct flame *flame, const struct by_key *key,
			 flame_id value)
{
	struct slice text = fl_name_at(flame, value), part;

	if (!key->re)
		return fl_frame(flame, key->named ? named(flame, key, value) :
						    value, FLAME_GROUP);
	if (!fl_regex_group(key->re, text, 1, &part) &&
	    !fl_regex_group(key->re, text, 0, &part))
		return key->other;
	if (!part.size)
		return key->other;
	return fl_frame(flame, flame_name(flame, part.data, part.size),
			FLAME_GROUP);
}

static flame_id value_frame(struct flame *flame, struct by_key *key,
			    const struct flame_sample *s)
{
	flame_id value = fl_key_of(flame, &key->key, s), *frame;

	if (!value)
		return key->thread && s->thread ?
		       fl_thread_frame(flame, s->thread) : key->absent;
	frame = fl_rewrite_slot(flame, &key->frames, value);
	if (!frame)
		return 0;
	if (!*frame)
		*frame = captured(flame, key, value);
	return *frame;
}

/* The first key is the outermost. */
static int put_by(struct flame_sink *sink, const struct flame_sample *sample)
{
	struct by *by = sink->state;
	struct flame_sample s = *sample;

	if (fl_seen(sink->flame, &by->seen, sample) != FLAME_OK)
		return FLAME_FAILED;
	for (size_t i = by->count; i--;)
		s.stack = fl_prefix(sink->flame, &by->keys[i].prefix,
				    value_frame(sink->flame, &by->keys[i],
						sample), s.stack);
	return fl_put(sink->next, &s);
}

static int finish_by(struct flame_sink *sink)
{
	struct by *by = sink->state;
	size_t unseen = 0;

	for (size_t i = 0; i < by->count; i++)
		if (by->keys[i].holder && by->keys[i].key.unseen &&
		    by->seen.any)
			return fl_fail(sink->flame, "--by holder: no sample "
				       "has holders; live objects of the JDK "
				       "have them (--event live), recorded by "
				       "-XX:StartFlightRecording:"
				       "path-to-gc-roots=true");
	for (size_t i = 0; i < by->count; i++)
		unseen += by->keys[i].key.unseen;
	/* Some keys of a list may be of other inputs. */
	if (unseen == by->count && sink->flame->refuse_empty)
		return fl_seen_fail(sink->flame, &by->seen, &by->keys[0].key,
				    by->option);
	for (size_t i = 0; i < by->count; i++)
		fl_seen_warn(sink->flame, &by->seen, &by->keys[i].key,
			     by->option);
	return FLAME_OK;
}

static struct by_key *add_key(struct flame_sink *sink, struct slice name)
{
	struct flame *flame = sink->flame;
	struct by *by = sink->state;
	struct fl_buf absent = { 0 };
	struct by_key *key;

	if (!name.size) {
		fl_fail(flame, "--%s: a key is missing", by->option);
		return NULL;
	}
	fl_buf_print(&absent, "[no %.*s]", (int)FL_MIN(name.size, 256u),
		     name.data);
	if (absent.failed || !fl_grow(&by->keys, &by->capacity, by->count + 1,
				      sizeof(*by->keys))) {
		fl_buf_free(&absent);
		fl_no_memory(flame);
		return NULL;
	}
	key = &by->keys[by->count++];
	memset(key, 0, sizeof(*key));
	key->absent =
		fl_frame(flame, flame_name(flame, absent.data, absent.size),
			 FLAME_GROUP);
	key->other = fl_frame(flame, fl_name(flame, "[no match]"),
			      FLAME_GROUP);
	key->thread = fl_slice_is(name, "thread");
	key->named = by->names && !key->thread;
	key->holder = fl_slice_is(name, "holder") &&
		      strcmp(by->option, "by") == 0;
	if (key->holder)
		sink->needs |= FL_NEED_CHAIN;
	fl_buf_free(&absent);
	return fl_key_init(sink, &key->key, name) == FLAME_OK ? key : NULL;
}

/* "KEY,KEY=RE": the expression ends the list, as it may hold ',' and '='. */
static int add_keys(struct flame_sink *sink, const char *line)
{
	const struct by *by = sink->state;
	char error[256] = "";
	struct by_key *key;
	size_t size;

	for (;; line += size + 1) {
		size = strcspn(line, ",=");
		key = add_key(sink, (struct slice){ line, size });
		if (!key)
			return FLAME_FAILED;
		if (line[size] != ',')
			break;
	}
	if (!line[size])
		return FLAME_OK;
	key->re = fl_regex_new(line + size + 1, false, error, sizeof(error));
	return key->re ? FLAME_OK :
			 fl_fail(sink->flame, "--%s: %s: %s", by->option, line,
				 error);
}

static void free_by(struct flame_sink *sink)
{
	struct by *by = sink->state;

	while (by->count) {
		struct by_key *key = &by->keys[--by->count];

		fl_regex_free(key->re);
		fl_rewrite_free(&key->frames);
		fl_prefix_free(&key->prefix);
	}
	fl_free(by->keys);
	fl_seen_free(&by->seen);
}

static struct flame_sink *make_named(struct flame_sink *next, const char *list,
				     const char *option)
{
	struct flame_sink *sink = fl_sink_new(next->flame, next,
					      sizeof(struct by));

	if (!sink)
		return NULL;
	((struct by *)sink->state)->option = option;
	((struct by *)sink->state)->names = is_drawn(next);
	sink->put = put_by;
	sink->finish = finish_by;
	sink->free = free_by;
	return fl_sink_of_lines(sink, list, add_keys);
}

static struct flame_sink *make_by(struct flame_sink *next, const char *list)
{
	return make_named(next, list, "by");
}

static struct flame_sink *make_key(struct flame_sink *next, const char *list)
{
	return make_named(next, list, "key");
}

const struct fl_filter fl_filter_by = {
	.name = "by", .argument = "KEY[=RE]",
	.summary = "a root frame per thread, state, file or label",
	.make = make_by, .rank = 50, .joins = true,
	.often = true,
};

/* After min, which would add light stacks to no key. */
const struct fl_filter fl_filter_key = {
	.name = "key", .argument = "KEY[=RE]",
	.summary = "as by, outermost of all frames",
	.make = make_key, .rank = 96, .joins = true, .compat = true,
};

/* After by, so that threads are outermost. */
const struct fl_filter fl_filter_threads = {
	.name = "threads",
	.summary = "a root frame per thread",
	.make = make_threads, .rank = 51,
	.often = true,
};
