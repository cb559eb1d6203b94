/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sums equal events: fl_jfr_add_event() adds the event that was just read to
 * the sum of its equals in chunk->events, or begins a new one.  For event.c,
 * timed.c and timed_layout.c; emit.c makes samples of the sums.
 */
#include "fl.h"

#include "format/jfr/events.h"

enum { MAX_LINKED = 32 };	/* sums of a trace that are looked through */

static uint32_t trace_of(struct fl_jfr_chunk *chunk, uint64_t key)
{
	uint32_t trace = fl_jfr_trace_of(chunk->traces, key);

	return fl_likely(trace != UINT32_MAX) ? trace :
	       fl_jfr_add_trace(chunk->traces, key);
}

static bool is_alike(const struct fl_jfr_chunk *chunk, uint32_t i,
		     const struct fl_jfr_sum *like,
		     const struct fl_jfr_detail *detail)
{
	struct fl_jfr_events *events = chunk->events;
	const struct fl_jfr_sum *sum = &events->sums[i];

	return sum->reader == like->reader && sum->state == like->state &&
	       sum->leaf == like->leaf && sum->outside == like->outside &&
	       (!events->detailed ||
		events->details[i].thread == detail->thread);
}

static uint64_t hash_of(const struct fl_jfr_chunk *chunk,
			const struct fl_jfr_sum *sum,
			const struct fl_jfr_detail *detail)
{
	uint64_t hash = fl_hash_pair((uint64_t)sum->trace << 32 |
					     sum->reader << 1 | sum->outside,
				     sum->leaf);

	return fl_hash_pair(hash,
			    fl_hash_pair(sum->state, chunk->events->detailed ?
							     detail->thread :
							     0));
}

/* As find_sum, for a trace with enough sums for an index. */
static struct fl_jfr_sum *find_indexed(struct fl_jfr_chunk *chunk,
				   const struct fl_jfr_sum *like,
				   const struct fl_jfr_detail *detail)
{
	struct fl_jfr_events *events = chunk->events;
	uint64_t hash = hash_of(chunk, like, detail);
	uint32_t i, at;

	for (; events->nindexed < events->nsums; events->nindexed++) {
		size_t n = events->nindexed;

		if (!fl_index_add(&events->index,
				  hash_of(chunk, &events->sums[n],
					  events->detailed ?
					  &events->details[n] : NULL),
				  (uint32_t)n + 1)) {
			fl_no_memory(chunk->flame);
			return NULL;
		}
	}
	at = fl_index_first(&events->index, hash);
	while ((i = fl_index_next(&events->index, hash, &at)))
		if (events->sums[i - 1].trace == like->trace &&
		    is_alike(chunk, i - 1, like, detail))
			return &events->sums[i - 1];
	return NULL;
}

/* An equal sum of its trace; NULL: the first one. */
static struct fl_jfr_sum *find_sum(struct fl_jfr_chunk *chunk,
				   const struct fl_jfr_sum *like,
				   const struct fl_jfr_detail *detail)
{
	uint32_t i = chunk->traces->data[like->trace].first;

	for (unsigned n = 0; i; n++) {
		if (n == MAX_LINKED)
			return find_indexed(chunk, like, detail);
		if (is_alike(chunk, i - 1, like, detail))
			return &chunk->events->sums[i - 1];
		i = chunk->events->sums[i - 1].next;
	}
	return NULL;
}

static void add_detail(struct fl_jfr_detail *to,
		       const struct fl_jfr_detail *detail)
{
	to->first = FL_MIN(to->first, detail->first);
	to->last = FL_MAX(to->last, detail->last);
}

static void add_to(struct fl_jfr_sum *old, const struct fl_jfr_sum *sum)
{
	old->samples = fl_add_clamped(old->samples, sum->samples);
	old->value = fl_add_clamped(old->value, sum->value);
	old->bare = fl_add_clamped(old->bare, sum->bare);
}

static size_t append_sum(struct fl_jfr_chunk *chunk,
			 const struct fl_jfr_sum *sum,
			 const struct fl_jfr_detail *detail)
{
	struct fl_jfr_events *events = chunk->events;
	struct fl_jfr_traces *traces = chunk->traces;

	if (!fl_grow(&events->sums, &events->sums_capacity, events->nsums + 1,
		     sizeof(*events->sums)) ||
	    (events->detailed &&
	     !fl_grow(&events->details, &events->details_capacity,
		      events->nsums + 1, sizeof(*events->details)))) {
		fl_no_memory(chunk->flame);
		return SIZE_MAX;
	}
	if (events->detailed)
		events->details[events->nsums] = *detail;
	events->sums[events->nsums] = *sum;
	events->sums[events->nsums].next = traces->data[sum->trace].first;
	traces->data[sum->trace].first = ++events->nsums;
	return events->nsums - 1;
}

static size_t merge_sum(struct fl_jfr_chunk *chunk,
			const struct fl_jfr_sum *sum,
			const struct fl_jfr_detail *detail, bool fresh)
{
	struct fl_jfr_events *events = chunk->events;
	struct fl_jfr_sum *old = events->by_time || fresh ? NULL :
				 find_sum(chunk, sum, detail);
	size_t at;

	if (!old)
		return append_sum(chunk, sum, detail);
	at = (size_t)(old - events->sums);
	if (chunk->readers->data[sum->reader]->role == FL_JFR_TIMING) {
		old->samples = sum->samples;
		old->value = sum->value;
		return at;
	}
	add_to(old, sum);
	if (events->detailed)
		add_detail(&events->details[at], detail);
	return at;
}

size_t fl_jfr_add_sum(struct fl_jfr_chunk *chunk, struct fl_jfr_sum *sum,
		      const struct fl_jfr_detail *detail, uint64_t key,
		      bool fresh)
{
	sum->trace = trace_of(chunk, key);
	if (fl_likely(sum->trace != UINT32_MAX))
		return merge_sum(chunk, sum, detail, fresh);
	fl_no_memory(chunk->flame);
	return SIZE_MAX;
}

static void fill_detail(const struct fl_jfr_reader *reader,
			struct fl_jfr_detail *detail)
{
	*detail = (struct fl_jfr_detail){
		.first = INT64_MAX, .last = INT64_MIN,
		.thread = reader->values[FL_JFR_THREAD],
		.address = reader->values[FL_JFR_ADDRESS],
	};
	if (reader->has[FL_JFR_TIME])
		detail->first = detail->last = reader->values[FL_JFR_TIME];
}

/*
 * The place of the first text that is written in the same bytes; of another
 * one with the same hash: its own, which is a sum by itself.
 */
static uint64_t text_place(struct fl_jfr_chunk *chunk, const uint8_t *text)
{
	struct fl_wire w = fl_jfr_wire(chunk, (uint64_t)(text - chunk->at));
	uint64_t *first;
	bool fresh;
	size_t size;

	fl_jfr_skip_string(&w);
	size = (size_t)(w.at - text);
	first = fl_jfr_cached(chunk, &chunk->events->texts,
			      fl_hash(text, size), &fresh);
	if (!first)
		return 0;
	if (fresh)
		*first = (uint64_t)(text - chunk->at);
	return size <= chunk->size - *first &&
	       memcmp(chunk->at + *first, text, size) == 0 ?
		       *first : (uint64_t)(text - chunk->at);
}

static uint64_t leaf_of(struct fl_jfr_chunk *chunk,
			const struct fl_jfr_reader *reader)
{
	enum fl_jfr_slot slot = reader->values[FL_JFR_LEAF] ? FL_JFR_LEAF :
							      FL_JFR_OTHER;
	uint64_t leaf = reader->values[slot];

	return leaf && reader->kind[slot] == 's' ?
		       text_place(chunk, (const uint8_t *)(uintptr_t)leaf) :
		       leaf;
}

size_t fl_jfr_add_event(struct fl_jfr_chunk *chunk,
			const struct fl_jfr_reader *reader,
			struct fl_jfr_weight weight, bool fresh)
{
	/* Fields that its class does not have are 0. */
	struct fl_jfr_sum sum = {
		.reader = reader->number, .outside = weight.outside,
		.state = reader->values[FL_JFR_STATE],
		.leaf = leaf_of(chunk, reader),
		.samples = weight.samples, .value = weight.value,
		.bare = weight.value ? 0 : weight.samples,
	};
	struct fl_jfr_detail detail;

	if (chunk->events->detailed)
		fill_detail(reader, &detail);
	return fl_jfr_add_sum(chunk, &sum, &detail,
			      reader->values[FL_JFR_STACK], fresh);
}

void fl_jfr_sums_done(struct fl_jfr_chunk *chunk)
{
	struct fl_jfr_events *events = chunk->events;

	fl_free(events->sums);
	fl_free(events->details);
	fl_index_free(&events->index);
	fl_map_free(&events->texts);
	if (events->timed)
		events->free_timed(events->timed);
	events->timed = NULL;
	events->sums = NULL;
	events->details = NULL;
	events->nsums = events->sums_capacity = 0;
	events->nindexed = events->details_capacity = 0;
}
