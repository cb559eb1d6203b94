/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Passes samples from the parser to its parent (apart.h), in a ring of memory
 * that both share.  The parser writes into fl_stream_sink() (record.c), the
 * parent reads by fl_stream_read() (apart.c).  A record has a kind and a size,
 * and the parser's ids.  These are dense, so all names, frames, stacks and
 * labels that are new come before a sample, in the order of their ids.  The
 * parent copies each record before it looks at it.
 */
#include "fl.h"

#include "filter/filter.h"
#include "sample/apart.h"

#include <time.h>

enum kind {
	NAME = 1, FRAME, STACK, LABEL, SAMPLE, ADDRESS, PLACE, EXPANDED, FACT,
	WARNING
};

enum { MAX_RECORD = 1 << 16 };

struct head {
	uint32_t kind, size;	/* bytes of what follows */
};

struct sample {
	flame_id stack, thread, labels, spare;
	int64_t time, weight;
};

struct address {
	flame_id frame, spare;
	uint64_t address;
};

/* The parser -------------------------------------------------------------- */

struct writer {
	struct fl_recorder *recorder;
	struct fl_shared *shared;
	flame_id names, frames, stacks, labels;	/* ids below are known */
	unsigned places, samples;
};

static uint64_t load(const uint64_t *at)
{
	return __atomic_load_n(at, __ATOMIC_ACQUIRE);
}

static void copy_in(struct fl_shared *s, uint64_t to, const void *from,
		    size_t size)
{
	size_t at = (size_t)(to % FL_STREAM_SIZE);
	size_t first = FL_MIN(size, FL_STREAM_SIZE - at);

	memcpy(s->stream + at, from, first);
	memcpy(s->stream, (const char *)from + first, size - first);
}

/* One that is cut: texts may be. */
static void put(struct fl_shared *s, enum kind kind, const void *from,
		size_t size)
{
	const struct timespec pause = { 0, 1000000 };
	struct head head = { kind, (uint32_t)FL_MIN(size, (size_t)MAX_RECORD) };
	uint64_t at = s->head;

	while (at + sizeof(head) + head.size - load(&s->tail) > FL_STREAM_SIZE)
		nanosleep(&pause, NULL);
	copy_in(s, at, &head, sizeof(head));
	copy_in(s, at + sizeof(head), from, head.size);
	__atomic_store_n(&s->head, at + sizeof(head) + head.size,
			 __ATOMIC_RELEASE);
}

static void tell_names(struct writer *w, const struct flame *f)
{
	for (; w->names < f->names.count; w->names++) {
		struct slice text = fl_name_at(f, w->names);

		put(w->shared, NAME, text.data, text.size);
	}
	for (; w->frames < f->frames.count; w->frames++) {
		const struct flame_frame *at = &f->frames.data[w->frames];
		uint32_t frame[] = {
			at->name, at->file, at->line, (uint32_t)at->type
		};

		put(w->shared, FRAME, frame, sizeof(frame));
	}
	for (; w->stacks < f->stacks.count; w->stacks++) {
		const struct fl_stack *at = &f->stacks.data[w->stacks];
		uint32_t stack[] = { at->parent, at->frame };

		put(w->shared, STACK, stack, sizeof(stack));
	}
	for (; w->labels < f->labels.count; w->labels++) {
		const struct fl_label *at = &f->labels.data[w->labels];
		uint32_t label[] = { at->rest, at->key, at->value };

		put(w->shared, LABEL, label, sizeof(label));
	}
}

static void tell_places(struct writer *w, const struct fl_places *places)
{
	flame_id plain;

	for (; fl_places_plain(places, w->places, &plain); w->places++)
		put(w->shared, PLACE, &plain, sizeof(plain));
}

/* For the output that has addresses. */
static void tell_addresses(struct writer *w, const struct flame *flame,
			   flame_id stack)
{
	for (; stack; stack = fl_parent(flame, stack)) {
		flame_id frame = fl_frame_id(flame, stack);
		const uint64_t *at = fl_map_get(&w->recorder->addresses, frame);
		struct address address = { frame, 0, at ? *at : 0 };

		put(w->shared, ADDRESS, &address, sizeof(address));
	}
}

static int put_sample(struct flame_sink *sink, const struct flame_sample *s)
{
	struct writer *w = sink->state;
	struct sample sample = {
		s->stack, s->thread, s->labels, 0, s->time, s->weight
	};

	tell_names(w, sink->flame);
	tell_places(w, w->recorder->processes.places);
	if (w->recorder->how.comms)
		tell_addresses(w, sink->flame, s->stack);
	put(w->shared, SAMPLE, &sample, sizeof(sample));
	w->shared->result = w->recorder->result;
	/* The parent buffers twice as many until it needs the answers. */
	if (++w->samples % (FL_PLACES_SAMPLES / 2) == 0)
		fl_stream_places(sink);
	return FLAME_OK;
}

static void tell_expanded(void *arg, unsigned place, const flame_id *frames,
			  size_t n)
{
	struct flame_sink *sink = arg;
	struct writer *w = sink->state;
	uint32_t words[256] = { place };

	n = FL_MIN(n, FL_COUNT(words) - 1);
	memcpy(words + 1, frames, n * sizeof(*words));
	tell_names(w, sink->flame);
	put(w->shared, EXPANDED, words, (n + 1) * sizeof(*words));
}

void fl_stream_places(struct flame_sink *sink)
{
	struct writer *w = sink->state;

	fl_places_each(w->recorder->processes.places, tell_expanded, sink);
}

void fl_stream_fact(struct fl_shared *shared, const struct flame_fact *fact)
{
	struct fl_buf buf = { 0 };

	fl_buf_put(&buf, fact->key, strlen(fact->key) + 1);
	fl_buf_text(&buf, fact->value);
	if (!buf.failed)
		put(shared, FACT, buf.data, buf.size);
	fl_buf_free(&buf);
}

void fl_stream_warn(void *shared, const char *text)
{
	put(shared, WARNING, text, strlen(text));
}

struct flame_sink *fl_stream_sink(struct flame *flame, struct fl_recorder *r,
				  struct fl_shared *shared)
{
	struct flame_sink *sink = fl_sink_new(flame, NULL,
					      sizeof(struct writer));

	if (!sink)
		return NULL;
	*(struct writer *)sink->state = (struct writer){
		.recorder = r, .shared = shared, .names = 1, .frames = 1,
		.stacks = 1, .labels = 1,
	};
	sink->needs = FL_NEED_TIME | FL_NEED_THREAD | FL_NEED_ORDER;
	sink->put = put_sample;
	return sink;
}

/* The parent -------------------------------------------------------------- */

/* The next record into apart->record, with a NUL; 0: none; -1: damaged. */
static int next_record(struct fl_apart *apart)
{
	struct fl_shared *s = apart->shared;
	uint64_t tail = s->tail, left = load(&s->head) - tail;
	struct head head;
	size_t at = (size_t)(tail % FL_STREAM_SIZE), first;
	char *to;

	if (!left)
		return 0;
	first = FL_MIN(sizeof(head), FL_STREAM_SIZE - at);
	memcpy(&head, s->stream + at, first);
	memcpy((char *)&head + first, s->stream, sizeof(head) - first);
	if (left > FL_STREAM_SIZE || left < sizeof(head) ||
	    head.size > MAX_RECORD || head.size > left - sizeof(head) ||
	    head.kind < NAME || head.kind > WARNING)
		return -1;
	apart->record.size = 0;
	to = fl_buf_reserve(&apart->record, MAX_RECORD + 1);
	if (!to)
		return -1;
	at = (size_t)((tail + sizeof(head)) % FL_STREAM_SIZE);
	first = FL_MIN((size_t)head.size, FL_STREAM_SIZE - at);
	memcpy(to, s->stream + at, first);
	memcpy(to + first, s->stream, head.size - first);
	to[head.size] = '\0';
	apart->record.size = head.size;
	__atomic_store_n(&s->tail, tail + sizeof(head) + head.size,
			 __ATOMIC_RELEASE);
	return (int)head.kind;
}

static bool add_id(struct flame *flame, struct fl_our_ids *ids, flame_id id)
{
	/* 0 is the empty one. */
	size_t n = FL_MAX(ids->count, 1u);

	if (!fl_grow(&ids->data, &ids->capacity, n + 1, sizeof(*ids->data))) {
		fl_no_memory(flame);
		return false;
	}
	ids->data[0] = 0;
	ids->data[n] = id;
	ids->count = n + 1;
	return true;
}

/* Our id of one of the parser's; false: it has none such. */
static bool our(const struct fl_our_ids *ids, flame_id theirs, flame_id *id)
{
	*id = theirs && theirs < ids->count ? ids->data[theirs] : 0;
	return !theirs || theirs < ids->count;
}

static bool accept_frame(struct fl_recorder *r, const uint32_t *at)
{
	struct fl_apart *apart = r->apart;
	struct flame *flame = r->processes.flame;
	struct flame_frame frame = { .line = at[2] };

	if (!our(&apart->names, at[0], &frame.name) ||
	    !our(&apart->names, at[1], &frame.file) || at[3] > FLAME_WAKER)
		return false;
	frame.type = (enum flame_type)at[3];
	fl_places_shift(&frame, apart->first_place);
	return add_id(flame, &apart->frames, flame_frame(flame, &frame));
}

static bool accept_stack(struct fl_recorder *r, const uint32_t *at)
{
	struct fl_apart *apart = r->apart;
	flame_id parent, frame;

	return our(&apart->stacks, at[0], &parent) &&
	       our(&apart->frames, at[1], &frame) && frame &&
	       add_id(r->processes.flame, &apart->stacks,
		      flame_stack(r->processes.flame, parent, frame));
}

static bool accept_label(struct fl_recorder *r, const uint32_t *at)
{
	struct fl_apart *apart = r->apart;
	flame_id rest, key, value;

	return our(&apart->labels, at[0], &rest) &&
	       our(&apart->names, at[1], &key) && key &&
	       our(&apart->names, at[2], &value) &&
	       add_id(r->processes.flame, &apart->labels,
		      flame_label(r->processes.flame, rest, key, value));
}

static bool accept_sample(struct fl_recorder *r, const void *from,
			struct flame_sample *to)
{
	struct fl_apart *apart = r->apart;
	struct flame *flame = r->processes.flame;
	struct sample s;

	memcpy(&s, from, sizeof(s));
	*to = (struct flame_sample){
		.metric = r->metric, .time = s.time, .weight = s.weight,
	};
	if (!our(&apart->stacks, s.stack, &to->stack) ||
	    !our(&apart->labels, s.thread, &to->thread) ||
	    !our(&apart->labels, s.labels, &to->labels) || s.weight < 0)
		return false;
	fl_metric_count(flame, to->metric, 1, to->weight);
	fl_metric_span(flame, to->metric, to->time, to->time);
	return true;
}

static bool accept_address(struct fl_recorder *r, const void *from)
{
	struct address address;
	flame_id frame;
	uint64_t *at;

	memcpy(&address, from, sizeof(address));
	if (!our(&r->apart->frames, address.frame, &frame))
		return false;
	at = fl_map_put(&r->addresses, frame, NULL);
	if (!at)
		return fl_no_memory(r->processes.flame) == FLAME_OK;
	*at = address.address;
	return true;
}

static bool accept_expanded(struct fl_recorder *r, const uint32_t *at, size_t n)
{
	flame_id frames[256];

	if (n < 2 || n > FL_COUNT(frames))
		return false;
	for (size_t i = 1; i < n; i++)
		if (!our(&r->apart->frames, at[i], &frames[i]) || !frames[i])
			return false;
	return fl_places_expand(r->processes.places,
				r->apart->first_place + at[0], frames + 1,
				n - 1);
}

static bool accept_fact(struct flame_source *source, const char *text,
		      size_t size)
{
	size_t key = strlen(text) + 1;

	if (key > size)
		return false;
	fl_fact(source, text, "%s", text + key);
	return true;
}

/* Whether the record is one that a parser writes. */
static bool accept_record(struct fl_recorder *r, struct flame_source *source, int kind,
		 struct flame_sample *sample)
{
	static const size_t sizes[] = {
		[FRAME] = 16, [STACK] = 8, [LABEL] = 12,
		[SAMPLE] = sizeof(struct sample),
		[ADDRESS] = sizeof(struct address), [PLACE] = 4,
	};
	struct fl_apart *apart = r->apart;
	struct flame *flame = r->processes.flame;
	const char *text = apart->record.data;
	const uint32_t *words = (const uint32_t *)(const void *)text;
	size_t size = apart->record.size;
	flame_id plain;

	if ((size_t)kind < FL_COUNT(sizes) && sizes[kind] &&
	    size != sizes[kind])
		return false;
	switch (kind) {
	case NAME:
		return add_id(flame, &apart->names,
			      flame_name(flame, text, size));
	case FRAME:
		return accept_frame(r, words);
	case STACK:
		return accept_stack(r, words);
	case LABEL:
		return accept_label(r, words);
	case SAMPLE:
		return accept_sample(r, text, sample);
	case ADDRESS:
		return accept_address(r, text);
	case PLACE:
		return our(&apart->frames, words[0], &plain) && plain &&
		       fl_places_add(r->processes.places, plain);
	case EXPANDED:
		return accept_expanded(r, words, size / sizeof(*words));
	case FACT:
		return accept_fact(source, text, size);
	default:
		if (!size || !*text)
			return false;
		fl_warn(flame, "%s", text);
		return true;
	}
}

enum fl_stream_status fl_stream_read(struct fl_recorder *r,
				     struct flame_source *source,
				     struct flame_sample *sample)
{
	int kind;

	while ((kind = next_record(r->apart)) > 0) {
		if (!accept_record(r, source, kind, sample))
			return FL_STREAM_DAMAGED;
		if (kind == SAMPLE)
			return FL_STREAM_SAMPLE;
	}
	return kind ? FL_STREAM_DAMAGED : FL_STREAM_NONE;
}
