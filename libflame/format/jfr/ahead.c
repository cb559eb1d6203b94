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
	/* Not consumed yet and held at once; one chunk may be larger. */
	MOST_BYTES = 256 << 20
};

struct place {
	struct fl_job job;
	struct fl_jfr_chunk *chunk;
	bool good, skip;
	struct flame *flame;
	struct fl_map paths;
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
		fl_map_free(&place->paths);
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
	chunk->paths = &place->paths;
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
	for (size_t i = 0; i < FL_COUNT(chunk->low_frames); i++) {
		fl_free(chunk->low_frames[i]);
		chunk->low_frames[i] = NULL;
	}
	fl_map_clear(&chunk->located);
	fl_map_clear(&chunk->threads);
	fl_map_clear(&chunk->states);
	chunk->flame = flame;
	chunk->paths = &chunk->jfr->paths;
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
