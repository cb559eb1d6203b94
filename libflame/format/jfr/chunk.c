/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A chunk of format 1.x or 2.x.  What its header names is read; where that
 * is damaged, what can be found without it.
 */
#include "fl.h"

#include "format/jfr/jfr.h"

#include <stdlib.h>

enum { HEADER = 68 };

/* async-profiler writes this until the chunk is finished. */
static const uint64_t UNFINISHED = UINT64_C(1) << 30;

struct fl_jfr_chunk *fl_jfr_chunk_new(struct fl_jfr *jfr, uint64_t offset)
{
	struct fl_jfr_chunk *chunk = fl_zeroed(1, sizeof(*chunk));

	if (!chunk) {
		fl_no_memory(jfr->source->flame);
		return NULL;
	}
	chunk->jfr = jfr;
	chunk->flame = jfr->source->flame;
	chunk->known = &jfr->known;
	chunk->offset = offset;
	chunk->window = chunk->flame->threads > 1 ? FL_JFR_SHARED_WINDOW :
						    FL_JFR_WINDOW;
	return chunk;
}

void fl_jfr_low_frames_done(struct fl_jfr_chunk *chunk)
{
	for (size_t i = 0; i < FL_COUNT(chunk->low_frames); i++) {
		if (chunk->low_frames[i])
			memset(chunk->low_frames[i], 0, chunk->nlow_frames[i] *
			       sizeof(**chunk->low_frames));
		fl_jfr_keep(chunk, FL_JFR_SPARE_LOW_FRAMES,
			    chunk->low_frames[i], FL_JFR_LOW);
		chunk->low_frames[i] = NULL;
		chunk->nlow_frames[i] = 0;
	}
}

static void keep_traces(struct fl_jfr_chunk *chunk)
{
	for (size_t i = 0; i < chunk->ntraces; i++)
		if (chunk->traces[i].key < chunk->low_traces)
			chunk->low_trace_of[chunk->traces[i].key] = 0;
	fl_jfr_keep(chunk, FL_JFR_SPARE_LOW_TRACES, chunk->low_trace_of,
		    chunk->low_traces);
	fl_jfr_keep(chunk, FL_JFR_SPARE_TRACES, chunk->traces,
		    chunk->traces_room);
	fl_jfr_keep(chunk, FL_JFR_SPARE_MARKS, chunk->marks, chunk->marks_room);
	fl_free(chunk->kept.at);
	memset(&chunk->kept, 0, sizeof(chunk->kept));
	fl_map_free(&chunk->trace_of);
	chunk->low_trace_of = NULL;
	chunk->traces = NULL;
	chunk->marks = NULL;
	chunk->low_traces = chunk->low_traces_room = 0;
	chunk->ntraces = chunk->traces_room = chunk->marks_room = 0;
}

void fl_jfr_chunk_done(struct fl_jfr_chunk *chunk)
{
	fl_jfr_keep(chunk, FL_JFR_SPARE_SUMS, chunk->sums, chunk->sums_room);
	fl_jfr_keep(chunk, FL_JFR_SPARE_LEVELS, chunk->levels, chunk->levels_room);
	fl_jfr_keep(chunk, FL_JFR_SPARE_STACKS, chunk->stacks, chunk->stacks_room);
	fl_jfr_low_frames_done(chunk);
	keep_traces(chunk);
	fl_free(chunk->asides);
	fl_index_free(&chunk->far);
	chunk->nfar = 0;
	chunk->sums = NULL;
	chunk->asides = NULL;
	chunk->levels = NULL;
	chunk->stacks = NULL;
	chunk->nsums = chunk->sums_room = chunk->asides_room = 0;
	chunk->levels_room = chunk->stacks_room = 0;
	chunk->nlast = 0;
}

void fl_jfr_forget_events(struct fl_jfr_chunk *chunk)
{
	for (uint32_t i = 0; i < chunk->ncounts; i++) {
		struct fl_jfr_count *c = chunk->counts[i];

		fl_map_free(&c->counted);
		for (unsigned state = 0; state < FL_COUNT(c->low); state++)
			if (c->low[state])
				memset(c->low[state], 0, FL_JFR_LOW);
		fl_jfr_plain_done(chunk, c);
	}
	for (uint32_t i = 0; i < chunk->nclasses; i++) {
		struct fl_jfr_class *class = &chunk->classes[i];

		class->looked_at = class->noted = false;
		class->count = NULL;
		class->events = 0;
	}
	memset(chunk->quick, 0, sizeof(chunk->quick));
	chunk->nlow = chunk->ncounts = 0;
	chunk->nnotes = 0;
	chunk->nevents = chunk->lost_samples = chunk->nmet = 0;
	chunk->with_tlab = false;
	fl_jfr_chunk_done(chunk);
}

void fl_jfr_chunk_free(struct fl_jfr_chunk *chunk)
{
	if (!chunk)
		return;
	for (uint32_t i = 0; i < chunk->nclasses; i++)
		fl_jfr_pool_free(chunk->classes[i].pool);
	fl_free(chunk->classes);
	for (uint32_t i = 0; i < chunk->ncounts; i++) {
		fl_map_free(&chunk->counts[i]->counted);
		fl_jfr_plain_done(chunk, chunk->counts[i]);
	}
	fl_free(chunk->counts);
	fl_jfr_chunk_done(chunk);
	fl_free(chunk->notes);
	fl_free(chunk->ranges.at);
	fl_free(chunk->checkpoints);
	fl_map_free(&chunk->by_id);
	for (size_t i = 0; i < FL_COUNT(chunk->frames); i++)
		fl_map_free(&chunk->frames[i]);
	fl_map_free(&chunk->located);
	fl_map_free(&chunk->threads);
	fl_map_free(&chunk->states);
	fl_map_free(&chunk->leaves[0]);
	fl_map_free(&chunk->leaves[1]);
	fl_arena_free(&chunk->arena);
	fl_buf_free(&chunk->name);
	fl_free(chunk->copy);
	fl_free(chunk);
}

int64_t fl_jfr_ns(const struct fl_jfr_chunk *chunk, int64_t ticks)
{
	__extension__ typedef __int128 wide;
	wide delta = (wide)ticks - chunk->start_ticks;

	delta = delta * 1000000000 / (int64_t)chunk->ticks_per_second +
		chunk->start_ns;
	return delta > INT64_MAX ? INT64_MAX :
	       delta <= INT64_MIN ? INT64_MIN + 1 : (int64_t)delta;
}

enum fl_jfr_found fl_jfr_look(struct fl_jfr_chunk *chunk, const uint8_t *at,
			      size_t avail)
{
	uint64_t size;

	if (avail < 4 || memcmp(at, "FLR\0", 4) != 0)
		return FL_JFR_NONE;
	if (avail < HEADER)
		return FL_JFR_CUT;
	chunk->at = at;
	chunk->major = fl_be(at + 4, 2);
	chunk->minor = fl_be(at + 6, 2);
	if (chunk->major < 1 || chunk->major > 2)
		return FL_JFR_FUTURE;
	size = fl_be(at + 8, 8);
	chunk->pools_at = fl_be(at + 16, 8);
	chunk->meta_at = fl_be(at + 24, 8);
	chunk->start_ns = fl_be(at + 32, 8);
	chunk->duration_ns = fl_be(at + 40, 8);
	chunk->start_ticks = fl_be(at + 48, 8);
	chunk->ticks_per_second = fl_be(at + 56, 8);
	chunk->compressed = fl_be(at + 66, 2) & 1;
	chunk->state = chunk->major == 2 && chunk->minor >= 1 ? at[64] : 0;
	if (!chunk->ticks_per_second ||
	    chunk->ticks_per_second > INT64_MAX)
		chunk->ticks_per_second = 1000000000;
	chunk->size = FL_MIN(size, (uint64_t)avail);
	chunk->more = avail > size;
	chunk->missing = size > avail && size != UNFINISHED &&
			 size <= INT64_MAX ? size - avail : 0;
	if (size < HEADER || size > avail || size == UNFINISHED ||
	    !chunk->meta_at || chunk->meta_at >= size ||
	    chunk->pools_at >= size)
		return FL_JFR_CUT;
	return chunk->state ? FL_JFR_LIVE : FL_JFR_WHOLE;
}

/* By the sizes of events, which is sure as far as these are. */
static bool walk_to_meta(struct fl_jfr_chunk *chunk)
{
	struct fl_wire w = fl_jfr_wire(chunk, HEADER);

	while (w.at < w.end) {
		const uint8_t *begin = w.at;
		uint32_t size = fl_wire_int(&w);
		uint64_t type = fl_wire_long(&w);

		if (w.bad || !size || size > (uint64_t)(w.end - begin))
			return false;
		if (type == 0 && fl_jfr_read_meta(chunk, begin - chunk->at))
			return true;
		w.at = begin + size;
	}
	return false;
}

/* Anything that reads like metadata and ends where its size says. */
static bool search_meta(struct fl_jfr_chunk *chunk)
{
	enum { LEAST = 64 };	/* bytes; shorter metadata names no class */

	for (uint64_t at = HEADER; at < chunk->size; at++) {
		struct fl_wire w = fl_jfr_wire(chunk, at);
		const uint8_t *begin = w.at;
		uint32_t size = fl_wire_int(&w);

		if (size < LEAST || fl_wire_long(&w) != 0 ||
		    !fl_wire_within(&w, begin, size) ||
		    !fl_jfr_skip_meta(&w) || w.at != w.end)
			continue;
		if (fl_jfr_read_meta(chunk, at))
			return true;
	}
	return false;
}

bool fl_jfr_find_meta(struct fl_jfr_chunk *chunk)
{
	if (chunk->meta_at >= HEADER && chunk->meta_at < chunk->size &&
	    fl_jfr_read_meta(chunk, chunk->meta_at))
		return true;
	if (fl_failed(chunk->flame))
		return false;
	if (chunk->meta_at)
		fl_jfr_damage(chunk, chunk->meta_at, "no metadata where the "
			      "header says");
	else
		fl_jfr_damage(chunk, 24, "not finished");
	chunk->salvaged = true;
	return walk_to_meta(chunk) || search_meta(chunk);
}

static int64_t ticks_at(const struct fl_jfr_chunk *chunk, int64_t time)
{
	double rate = (double)chunk->ticks_per_second / 1e9;
	int64_t past = chunk->start_ns;

	past = __builtin_sub_overflow(time, past, &past) ?
		       time < 0 ? INT64_MIN : INT64_MAX : past;
	return fl_add_clamped(fl_int64((double)past * rate),
			      chunk->start_ticks);
}

/*
 * --from and --to in the chunk's ticks, computed as jfrconv does, which takes
 * the chunks read so far for the span of the recording.
 */
void fl_jfr_limit(struct fl_jfr_chunk *chunk)
{
	const struct flame_source *source = chunk->jfr->source;
	int64_t from = fl_when_resolve(&source->select.from, source->start,
				       source->end);
	int64_t to = fl_when_resolve(&source->select.to, source->start,
				     source->end);

	chunk->from = from != FLAME_NOTIME ? ticks_at(chunk, from) : INT64_MIN;
	chunk->to = to != FLAME_NOTIME ? ticks_at(chunk, to) : INT64_MAX;
	chunk->limited = from != FLAME_NOTIME || to != FLAME_NOTIME;
}

bool fl_jfr_goes_on(const struct fl_jfr_chunk *now)
{
	const struct fl_jfr_chunk *before = now->jfr->before;

	return before && before != now && now->major == before->major &&
	       now->minor == before->minor &&
	       now->ticks_per_second == before->ticks_per_second &&
	       before->duration_ns && (uint64_t)now->start_ns ==
	       (uint64_t)before->start_ns + (uint64_t)before->duration_ns;
}

/*
 * An event that began before the chunk did may name a stack trace that only
 * the chunk before holds (JDK-8303134).
 */
static void ask_before(struct fl_jfr_chunk *chunk)
{
	struct fl_jfr_chunk *before = chunk->jfr->before;
	size_t had, asked = 0;

	if (!fl_jfr_goes_on(chunk) || !before->trace)
		return;
	had = before->ntraces;
	for (size_t i = 0; i < chunk->ntraces; i++) {
		const struct fl_jfr_trace *t = &chunk->traces[i];

		if (t->at || !t->key)
			continue;
		asked++;
		if (fl_jfr_trace_of(before, t->key) == UINT32_MAX &&
		    fl_jfr_add_trace(before, t->key) == UINT32_MAX)
			return;
	}
	if (before->ntraces > had)
		fl_jfr_read_pools(before);
	for (size_t i = 0; asked && i < chunk->ntraces; i++) {
		struct fl_jfr_trace *t = &chunk->traces[i], *other;

		if (t->at || !t->key)
			continue;
		other = &before->traces[fl_jfr_trace_of(before, t->key)];
		if (!fl_jfr_stack(before, other))
			continue;
		t->stack = other->stack;
		t->made = true;
	}
}

bool fl_jfr_read_events_apart(struct fl_jfr_chunk *chunk)
{
	return fl_jfr_find_meta(chunk) && fl_jfr_read_events(chunk);
}

bool fl_jfr_read_pools_apart(struct fl_jfr_chunk *chunk)
{
	return (chunk->skim && !chunk->nnotes) || fl_jfr_read_pools(chunk);
}

bool fl_jfr_read_apart(struct fl_jfr_chunk *chunk)
{
	return fl_jfr_read_events_apart(chunk) &&
	       fl_jfr_read_pools_apart(chunk);
}

bool fl_jfr_read_by_two(struct fl_jfr_chunk *chunk)
{
	struct fl_jfr_beside *beside;
	bool good;

	if (chunk->jfr->source->flame->threads < 2 ||
	    chunk->size < FL_JFR_WORTH || chunk->skim)
		return fl_jfr_read_apart(chunk);
	if (!fl_jfr_find_meta(chunk))
		return false;
	beside = fl_jfr_beside_new(chunk);
	/* Who is done with its pools goes on with the next chunk. */
	if (beside)
		fl_jfr_fill_ahead(chunk->jfr);
	good = fl_jfr_read_events(chunk);
	if (beside && fl_jfr_beside_take(chunk, beside))
		return good;
	return good && fl_jfr_read_pools(chunk);
}

/* Size of events; memory of smaller ones is freed with the chunk. */
enum { MANY_BYTES = 256 << 10 };

/*
 * Events were counted, and traces are found by their keys: stacks are made
 * where these had their memory.  Of a small chunk the next one has it.
 */
static void make_lean(struct fl_jfr_chunk *chunk)
{
	if (chunk->events_end >= MANY_BYTES)
		fl_in_release_range(chunk->jfr->source->in, chunk->at,
				    chunk->at + chunk->events_end);
	if (!chunk->last && chunk->size < FL_JFR_WORTH)
		return;
	fl_free(chunk->low_trace_of);
	chunk->low_trace_of = NULL;
	chunk->low_traces = chunk->low_traces_room = 0;
}

bool fl_jfr_read_rest(struct fl_jfr_chunk *chunk)
{
	make_lean(chunk);
	fl_jfr_frame_types(chunk);
	fl_jfr_read_notes(chunk);
	if (chunk->missing)
		fl_jfr_drop_unnamed(chunk);
	ask_before(chunk);
	return !fl_failed(chunk->flame);
}
