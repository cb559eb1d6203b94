/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads a chunk of format 1.x or 2.x, for source.c, read_ahead.c and
 * span_pass.c.  fl_jfr_read_header() says what begins at an offset;
 * fl_jfr_read_alone() reads metadata, events and pools, in any thread;
 * fl_jfr_read_rest() then reads what needs the dictionary and the chunk before.
 * Metadata that are not where the header says are searched for.
 */
#include "fl.h"

#include "format/jfr/chunk.h"
#include "format/jfr/framing.h"

#include <stdlib.h>

/* async-profiler writes this until the chunk is finished. */
static const uint64_t UNFINISHED = UINT64_C(1) << 30;

/* A chunk and the data of its layers. */
struct whole {
	struct fl_jfr_chunk chunk;
	struct fl_jfr_types types;
	struct fl_jfr_framing framing;
	struct fl_jfr_pools pools;
	struct fl_jfr_traces traces;
	struct fl_jfr_stacks stacks;
	struct fl_jfr_readers readers;
	struct fl_jfr_events events;
};

struct fl_jfr_chunk *fl_jfr_chunk_new(struct fl_jfr *jfr, uint64_t offset)
{
	struct whole *whole = fl_zeroed(1, sizeof(*whole));

	if (!whole) {
		fl_no_memory(jfr->source->flame);
		return NULL;
	}
	whole->chunk = (struct fl_jfr_chunk){
		.jfr = jfr, .flame = jfr->source->flame, .offset = offset,
		.types = &whole->types, .framing = &whole->framing,
		.pools = &whole->pools, .traces = &whole->traces,
		.stacks = &whole->stacks, .readers = &whole->readers,
		.events = &whole->events,
	};
	whole->chunk.pages.window = jfr->source->flame->threads > 1 ?
				    FL_JFR_SHARED_WINDOW : FL_JFR_WINDOW;
	return &whole->chunk;
}

void fl_jfr_chunk_free(struct fl_jfr_chunk *chunk)
{
	if (!chunk)
		return;
	fl_jfr_events_free(chunk);
	fl_jfr_frames_free(chunk->stacks);
	fl_jfr_pools_free(chunk);
	fl_jfr_framing_free(chunk->framing);
	fl_jfr_types_free(chunk->types);
	fl_arena_free(&chunk->arena);
	fl_free(chunk->copy);
	fl_free(chunk);
}

enum fl_jfr_found fl_jfr_read_header(struct fl_jfr_chunk *chunk,
				     const uint8_t *at, size_t avail)
{
	uint64_t size;

	if (avail < 4 || memcmp(at, "FLR\0", 4) != 0)
		return FL_JFR_NONE;
	if (avail < FL_JFR_HEADER)
		return FL_JFR_CUT;
	chunk->at = at;
	chunk->header.major = fl_be(at + 4, 2);
	chunk->header.minor = fl_be(at + 6, 2);
	if (chunk->header.major < 1 || chunk->header.major > 2)
		return FL_JFR_FUTURE;
	size = fl_be(at + 8, 8);
	chunk->header.pools_at = fl_be(at + 16, 8);
	chunk->header.meta_at = fl_be(at + 24, 8);
	chunk->header.start_ns = fl_be(at + 32, 8);
	chunk->header.duration_ns = fl_be(at + 40, 8);
	chunk->header.start_ticks = fl_be(at + 48, 8);
	chunk->header.ticks_per_second = fl_be(at + 56, 8);
	chunk->header.compressed = fl_be(at + 66, 2) & 1;
	chunk->header.state =
		chunk->header.major == 2 && chunk->header.minor >= 1 ? at[64] :
								       0;
	if (!chunk->header.ticks_per_second ||
	    chunk->header.ticks_per_second > INT64_MAX)
		chunk->header.ticks_per_second = 1000000000;
	chunk->size = FL_MIN(size, (uint64_t)avail);
	chunk->missing = size > avail && size != UNFINISHED &&
			 size <= INT64_MAX ? size - avail : 0;
	if (size < FL_JFR_HEADER || size > avail || size == UNFINISHED ||
	    !chunk->header.meta_at || chunk->header.meta_at >= size ||
	    chunk->header.pools_at >= size)
		return FL_JFR_CUT;
	return chunk->header.state ? FL_JFR_LIVE : FL_JFR_WHOLE;
}

/* By the sizes of events, which is sure as far as these are. */
static bool walk_to_meta(struct fl_jfr_chunk *chunk)
{
	struct fl_wire w = fl_jfr_wire(chunk, FL_JFR_HEADER);

	while (w.at < w.end) {
		struct fl_jfr_head head;

		if (!fl_jfr_read_head(&w, w.end, &head))
			return false;
		if (head.type == 0 &&
		    fl_jfr_read_meta(chunk, head.begin - chunk->at))
			return true;
		w.at = head.begin + head.size;
	}
	return false;
}

/* Anything that reads like metadata and ends where its size says. */
static bool search_meta(struct fl_jfr_chunk *chunk)
{
	enum { MIN_META_BYTES = 64 };	/* shorter metadata names no class */
	/* Bytes to look at: each place might seem to be a long metadata. */
	uint64_t budget = 4 * chunk->size + (64 << 20);

	for (uint64_t at = FL_JFR_HEADER; at < chunk->size && budget;
	     at++) {
		struct fl_wire w = fl_jfr_wire(chunk, at);
		const uint8_t *begin = w.at;
		uint32_t size = fl_wire_int(&w);
		bool whole;

		if (size < MIN_META_BYTES || fl_wire_long(&w) != 0 ||
		    !fl_wire_within(&w, begin, size))
			continue;
		whole = fl_jfr_skip_meta(&w) && w.at == w.end;
		budget -= FL_MIN(budget, (uint64_t)(w.at - begin));
		if (whole && fl_jfr_read_meta(chunk, at))
			return true;
	}
	return false;
}

bool fl_jfr_find_meta(struct fl_jfr_chunk *chunk)
{
	if (chunk->header.meta_at >= FL_JFR_HEADER &&
	    chunk->header.meta_at < chunk->size &&
	    fl_jfr_read_meta(chunk, chunk->header.meta_at))
		return true;
	if (fl_failed(chunk->flame))
		return false;
	if (chunk->header.meta_at)
		fl_jfr_damage(chunk, chunk->header.meta_at,
			      "no metadata where the "
			      "header says");
	else
		fl_jfr_damage(chunk, 24, "not finished");
	chunk->damage.salvaged = true;
	return walk_to_meta(chunk) || search_meta(chunk);
}

static int64_t ticks_at(const struct fl_jfr_chunk *chunk, int64_t time)
{
	double rate = (double)chunk->header.ticks_per_second / 1e9;
	int64_t past = chunk->header.start_ns;

	past = __builtin_sub_overflow(time, past, &past) ?
		       time < 0 ? INT64_MIN : INT64_MAX : past;
	return fl_add_clamped(fl_int64((double)past * rate),
			      chunk->header.start_ticks);
}

/*
 * --from and --to in the chunk's ticks, computed as jfrconv does, for
 * which the span of the recording is that of the chunks read so far.
 */
void fl_jfr_limit(struct fl_jfr_chunk *chunk)
{
	const struct flame_source *source = chunk->jfr->source;
	int64_t from = fl_when_resolve(&source->select.from, source->start,
				       source->end);
	int64_t to = fl_when_resolve(&source->select.to, source->start,
				     source->end);

	chunk->asked.from =
		from != FLAME_NOTIME ? ticks_at(chunk, from) : INT64_MIN;
	chunk->asked.to = to != FLAME_NOTIME ? ticks_at(chunk, to) : INT64_MAX;
	chunk->asked.limited = from != FLAME_NOTIME || to != FLAME_NOTIME;
}

/*
 * An event that began before the chunk did may name a stack trace that only
 * the chunk before holds (JDK-8303134).
 */
static void ask_before(struct fl_jfr_chunk *chunk)
{
	struct fl_jfr_traces *traces = chunk->traces;
	struct fl_jfr_chunk *before = chunk->jfr->before;
	size_t had, asked = 0;

	if (!fl_jfr_goes_on(chunk) || !before->types->trace)
		return;
	had = before->traces->count;
	for (size_t i = 0; i < traces->count; i++) {
		const struct fl_jfr_trace *t = &traces->data[i];

		if (t->at || !t->key)
			continue;
		asked++;
		if (fl_jfr_trace_of(before->traces, t->key) == UINT32_MAX &&
		    fl_jfr_add_trace(before->traces, t->key) == UINT32_MAX)
			return;
	}
	if (before->traces->count > had && fl_jfr_read_pools(before))
		fl_jfr_frame_types(before);	/* it may have been skimmed */
	for (size_t i = 0; asked && i < traces->count; i++) {
		struct fl_jfr_trace *t = &traces->data[i], *other;

		if (t->at || !t->key)
			continue;
		other = &before->traces->data[fl_jfr_trace_of(before->traces,
							      t->key)];
		if (!fl_jfr_stack(before, other))
			continue;
		t->stack = other->stack;
		t->made = true;
	}
}

bool fl_jfr_read_alone(struct fl_jfr_chunk *chunk)
{
	if (!fl_jfr_find_meta(chunk) || !fl_jfr_read_events(chunk))
		return false;
	return (chunk->asked.skim && !chunk->events->nnotes) ||
	       fl_jfr_read_pools(chunk);
}

/* Size of events; memory of smaller ones is freed with the chunk. */
enum { RELEASE_BYTES = 256 << 10 };

/*
 * The events were counted: their pages, and the index of traces, are freed
 * before stacks are made, unless a second pass over the events uses it.
 */
static void free_unneeded(struct fl_jfr_chunk *chunk)
{
	if (chunk->pools->begin >= RELEASE_BYTES)
		fl_in_release_range(chunk->jfr->source->in, chunk->at,
				    chunk->at + chunk->pools->begin);
	if (!chunk->events->twice)
		fl_dense_free(&chunk->traces->by_key);
}

bool fl_jfr_read_rest(struct fl_jfr_chunk *chunk)
{
	free_unneeded(chunk);
	fl_jfr_frame_types(chunk);
	fl_jfr_read_notes(chunk);
	if (chunk->missing)
		fl_jfr_drop_unnamed(chunk);
	ask_before(chunk);
	return !fl_failed(chunk->flame);
}
