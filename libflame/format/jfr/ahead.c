/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Chunks ahead: while one is given out, others read those that follow, each
 * by itself, up to the stacks of its traces.  What needs the chunks before
 * (constants, settings, states), what is said and what is given out is for
 * the source's own thread, chunk by chunk.
 *
 * A place in the ring keeps a dictionary from chunk to chunk, so that its
 * stacks are absorbed once.  Chunks take the places in turn: what becomes of
 * them does not depend on how fast anybody was.
 */
#include "fl.h"

#include "format/jfr/jfr.h"

#include <stdlib.h>

enum {
	MOST = 65,
	MANY = 1 << 14,		/* traces that are worth several threads */
	/* Not consumed yet and held at once; one chunk may be larger. */
	MOST_BYTES = 256 << 20
};

struct place {
	struct fl_job job;
	struct fl_jfr_chunk *chunk;
	bool good, skip;
	/* Of a chunk that all read: some of its traces. */
	const uint32_t *traces;
	size_t ntraces;
	struct flame *flame;
	struct fl_jfr_known known;
	struct fl_absorbed map;
};

struct fl_jfr_ahead {
	struct fl_jfr *jfr;
	struct fl_team *team;
	size_t nplaces, first, n;
	uint64_t bytes;
	struct place places[MOST];
};

struct fl_jfr_ahead *fl_jfr_ahead_new(struct fl_jfr *jfr)
{
	struct fl_jfr_ahead *ahead = fl_zeroed(1, sizeof(*ahead));
	struct flame *flame = jfr->source->flame;

	if (!ahead)
		return NULL;
	ahead->jfr = jfr;
	ahead->nplaces = FL_MIN(flame->threads + 1, (unsigned)MOST);
	ahead->team = fl_team_new(ahead->nplaces - 1);
	for (size_t i = 0; ahead->team && i < ahead->nplaces; i++) {
		ahead->places[i].flame = flame_new();
		if (!ahead->places[i].flame)
			break;
		if (i + 1 == ahead->nplaces)
			return ahead;
	}
	fl_jfr_ahead_free(ahead);
	return NULL;
}

void fl_jfr_ahead_free(struct fl_jfr_ahead *ahead)
{
	if (!ahead)
		return;
	fl_team_free(ahead->team);
	for (size_t i = 0; i < ahead->nplaces; i++) {
		struct place *place = &ahead->places[i];

		fl_jfr_chunk_free(place->chunk);
		flame_free(place->flame);
		fl_jfr_known_free(&place->known);
		fl_absorbed_free(&place->map);
	}
	fl_free(ahead);
}

bool fl_jfr_ahead_room(const struct fl_jfr_ahead *ahead)
{
	return ahead->n < ahead->nplaces &&
	       (!ahead->n || ahead->bytes < MOST_BYTES);
}

size_t fl_jfr_ahead_count(const struct fl_jfr_ahead *ahead, uint64_t *bytes)
{
	*bytes = ahead->bytes;
	return ahead->n;
}

/* In any thread.  Damage is for the source's: it may need other chunks. */
static void run(struct fl_job *job)
{
	struct place *place = (struct place *)job;
	struct fl_jfr_chunk *chunk = place->chunk;

	place->good = fl_jfr_read_apart(chunk);
	if (!place->good || chunk->why || chunk->salvaged)
		return;
	fl_jfr_frame_types(chunk);
	fl_jfr_stacks_apart(chunk);
}

void fl_jfr_ahead_give(struct fl_jfr_ahead *ahead, struct fl_jfr_chunk *chunk,
		       bool skip)
{
	struct place *place = &ahead->places[(ahead->first + ahead->n++) %
					     ahead->nplaces];

	chunk->flame = place->flame;
	chunk->known = &place->known;
	place->chunk = chunk;
	place->skip = skip;
	place->good = false;
	place->job.run = run;
	place->job.done = skip;
	ahead->bytes += chunk->size;
	if (!skip)
		fl_team_give(ahead->team, &place->job);
}

/* Ids of the place's dictionary are none of the source's. */
static void move_in(struct fl_jfr_chunk *chunk, struct place *place,
		    struct flame *flame)
{
	for (size_t i = 0; i < chunk->ntraces; i++)
		if (chunk->traces[i].made)
			chunk->traces[i].stack = place->map.stacks.at[
				chunk->traces[i].stack];
	for (size_t i = 0; i < FL_COUNT(chunk->frames); i++)
		fl_map_clear(&chunk->frames[i]);
	fl_jfr_low_frames_done(chunk);
	fl_map_clear(&chunk->located);
	fl_map_clear(&chunk->threads);
	fl_map_clear(&chunk->states);
	chunk->flame = flame;
	chunk->known = &chunk->jfr->known;
}

/* What was asked has changed, or it did not go well: once more from here. */
static struct fl_jfr_chunk *read_again(struct fl_jfr *jfr,
				       struct fl_jfr_chunk *old, bool *good)
{
	struct fl_jfr_chunk *chunk = fl_jfr_chunk_new(jfr, old->offset);

	if (!chunk) {
		fl_jfr_chunk_free(old);
		return NULL;
	}
	chunk->copy = old->copy;
	old->copy = NULL;
	fl_jfr_look(chunk, old->at, old->size);
	chunk->from = old->from;
	chunk->to = old->to;
	chunk->limited = old->limited;
	chunk->cpu_only = jfr->source->select.cpu_only;
	fl_jfr_chunk_free(old);
	*good = fl_jfr_read_apart(chunk);
	return chunk;
}

struct fl_jfr_chunk *fl_jfr_ahead_take(struct fl_jfr_ahead *ahead, bool *good,
				       bool *skip)
{
	struct place *place = &ahead->places[ahead->first];
	struct fl_jfr_chunk *chunk = place->chunk;
	struct fl_jfr *jfr = ahead->jfr;
	struct flame *flame = jfr->source->flame;

	*skip = place->skip;
	if (!place->skip)
		fl_team_await(ahead->team, &place->job);
	*good = place->good;
	place->chunk = NULL;
	ahead->first = (ahead->first + 1) % ahead->nplaces;
	ahead->n--;
	ahead->bytes -= chunk->size;
	if (fl_failed(place->flame) ||
	    chunk->cpu_only != jfr->source->select.cpu_only) {
		flame_clear(place->flame);
		return read_again(jfr, chunk, good);
	}
	if (!fl_absorb(flame, place->flame, &place->map)) {
		fl_jfr_chunk_free(chunk);
		return NULL;
	}
	move_in(chunk, place, flame);
	return chunk;
}

/* One chunk, by all -------------------------------------------------------- */

/* The same chunk, with caches of its own and another dictionary. */
static struct fl_jfr_chunk *look_alike(const struct fl_jfr_chunk *chunk,
				       struct place *place)
{
	struct fl_jfr_chunk *part = fl_zeroed(1, sizeof(*part));

	if (!part)
		return NULL;
	*part = *chunk;
	part->flame = place->flame;
	part->known = &place->known;
	part->arena = (struct fl_arena){ 0 };
	memset(part->frames, 0, sizeof(part->frames));
	memset(part->low_frames, 0, sizeof(part->low_frames));
	memset(part->nlow_frames, 0, sizeof(part->nlow_frames));
	memset(&part->located, 0, sizeof(part->located));
	part->shape = NULL;
	part->levels = NULL;
	part->stacks = NULL;
	part->levels_room = part->stacks_room = 0;
	return part;
}

static void free_look_alike(struct fl_jfr_chunk *part)
{
	for (size_t i = 0; i < FL_COUNT(part->frames); i++)
		fl_map_free(&part->frames[i]);
	fl_jfr_low_frames_done(part);
	fl_map_free(&part->located);
	fl_jfr_keep(part->jfr, FL_JFR_SPARE_LEVELS, part->levels,
		    part->levels_room);
	fl_jfr_keep(part->jfr, FL_JFR_SPARE_STACKS, part->stacks,
		    part->stacks_room);
	fl_arena_free(&part->arena);
	fl_free(part);
}

static void run_stacks(struct fl_job *job)
{
	struct place *place = (struct place *)job;
	struct fl_jfr_chunk *part = look_alike(place->chunk, place);

	place->good = part;
	if (!part)
		return;
	fl_jfr_stacks(part, place->traces, place->ntraces);
	free_look_alike(part);
}

/* Their ids are those of the source's dictionary from now on. */
static void take_stacks(struct fl_jfr_ahead *ahead, struct place *place)
{
	struct fl_jfr_chunk *chunk = place->chunk;

	fl_team_await(ahead->team, &place->job);
	place->chunk = NULL;
	if (!place->good || fl_failed(place->flame) ||
	    !fl_absorb(chunk->flame, place->flame, &place->map)) {
		fl_no_memory(chunk->flame);
		return;
	}
	for (size_t i = 0; i < place->ntraces; i++) {
		struct fl_jfr_trace *trace = &chunk->traces[place->traces[i]];

		trace->stack = place->map.stacks.at[trace->stack];
	}
}

void fl_jfr_stacks_by_all(struct fl_jfr_chunk *chunk, const uint32_t *traces,
			  size_t n)
{
	struct fl_jfr *jfr = chunk->jfr;
	size_t each, i, used = 0;

	if (n >= MANY && jfr->source->flame->threads > 1 && !jfr->ahead)
		jfr->ahead = fl_jfr_ahead_new(jfr);
	if (n < MANY || !jfr->ahead || jfr->ahead->n) {
		fl_jfr_stacks(chunk, traces, n);
		return;
	}
	/* Nobody makes plans while others read by them. */
	for (i = 0; i < chunk->nclasses; i++)
		if (chunk->classes[i].wanted)
			fl_jfr_plan(chunk, &chunk->classes[i]);
	each = n / (jfr->ahead->nplaces - 1) + 1;
	for (i = 0; i < n; i += each) {
		struct place *place = &jfr->ahead->places[used++];

		place->chunk = chunk;
		place->traces = traces + i;
		place->ntraces = FL_MIN(each, n - i);
		place->job.run = run_stacks;
		fl_team_give(jfr->ahead->team, &place->job);
	}
	for (i = 0; i < used; i++)
		take_stacks(jfr->ahead, &jfr->ahead->places[i]);
}
