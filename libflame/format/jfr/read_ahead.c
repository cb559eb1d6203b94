/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Read-ahead of chunks: while one is emitted, other threads read the metadata,
 * events and pools of the next ones, which needs no dictionary.  The source's
 * own thread does the rest in order, chunk by chunk: everything that depends on
 * earlier chunks (constants, settings, states), messages and samples.  All
 * threads make stacks: see parallel_stacks.c.
 */
#include "fl.h"

#include "format/jfr/source.h"

#include <stdlib.h>

enum {
	MOST = 128,
	EACH = 2,		/* chunks for a thread */
	SMALL = 64 << 20,	/* bytes; of more, one for each and one more */
	MOST_BYTES = 256 << 20	/* fewer if there are so many */
};

/* A chunk: its events, and when they were read its pools. */
struct place {
	struct step {
		struct fl_job job;
		struct place *place;
	} events, pools;
	struct fl_jfr_read_ahead *ahead;
	struct fl_jfr_chunk *chunk;
	bool good;
	struct flame *flame;	/* for what fails there */
};

struct fl_jfr_read_ahead {
	struct fl_jfr *jfr;
	size_t nplaces, first, n;
	uint64_t bytes;
	struct place places[MOST];
};

struct fl_jfr_read_ahead *fl_jfr_ahead_new(struct fl_jfr *jfr)
{
	struct fl_jfr_read_ahead *ahead = fl_zeroed(1, sizeof(*ahead));
	struct flame *flame = jfr->source->flame;

	if (!ahead || !fl_jfr_threads(jfr)) {
		fl_free(ahead);
		return NULL;
	}
	ahead->jfr = jfr;
	ahead->nplaces = FL_MIN(EACH * (size_t)flame->threads, (size_t)MOST);
	for (size_t i = 0; i < ahead->nplaces; i++) {
		struct place *place = &ahead->places[i];

		place->events.place = place->pools.place = place;
		place->ahead = ahead;
		place->flame = flame_new();
		if (!place->flame)
			break;
		if (i + 1 == ahead->nplaces)
			return ahead;
	}
	fl_jfr_ahead_free(ahead);
	return NULL;
}

void fl_jfr_ahead_free(struct fl_jfr_read_ahead *ahead)
{
	if (!ahead)
		return;
	for (size_t i = 0; i < ahead->nplaces; i++) {
		struct place *place = &ahead->places[i];

		fl_jfr_chunk_free(place->chunk);
		flame_free(place->flame);
	}
	fl_free(ahead);
}

bool fl_jfr_ahead_has_room(const struct fl_jfr_read_ahead *ahead)
{
	size_t most = ahead->nplaces;

	if (ahead->bytes >= SMALL)
		most = most / EACH + 1;
	return ahead->n < most && (!ahead->n || ahead->bytes < MOST_BYTES);
}

size_t fl_jfr_ahead_count(const struct fl_jfr_read_ahead *ahead,
			  uint64_t *bytes)
{
	*bytes = ahead->bytes;
	return ahead->n;
}

/* In any thread, as the next is too. */
static void read_pools(struct fl_job *job)
{
	struct place *place = ((struct step *)job)->place;

	place->good = place->good && fl_jfr_read_pools_alone(place->chunk);
}

static void read_events(struct fl_job *job)
{
	struct place *place = ((struct step *)job)->place;

	place->good = fl_jfr_read_events_alone(place->chunk);
	fl_thread_pool_submit_next(place->ahead->jfr->threads,
				   &place->pools.job);
}

void fl_jfr_ahead_add(struct fl_jfr_read_ahead *ahead,
		      struct fl_jfr_chunk *chunk)
{
	struct place *place = &ahead->places[(ahead->first + ahead->n++) %
					     ahead->nplaces];

	chunk->flame = place->flame;
	place->chunk = chunk;
	place->events.job = (struct fl_job){ .run = read_events };
	place->pools.job = (struct fl_job){ .run = read_pools };
	ahead->bytes += chunk->size;
	fl_thread_pool_submit(ahead->jfr->threads, &place->events.job);
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
	fl_jfr_read_header(chunk, old->at, old->size);
	chunk->asked.from = old->asked.from;
	chunk->asked.to = old->asked.to;
	chunk->asked.limited = old->asked.limited;
	chunk->asked.skim = old->asked.skim;
	chunk->asked.cpu_only = jfr->source->select.cpu_only;
	fl_jfr_chunk_free(old);
	*good = fl_jfr_read_alone(chunk);
	return chunk;
}

struct fl_jfr_chunk *fl_jfr_ahead_take(struct fl_jfr_read_ahead *ahead,
				       bool *good)
{
	struct place *place = &ahead->places[ahead->first];
	struct fl_jfr_chunk *chunk = place->chunk;
	struct fl_jfr *jfr = ahead->jfr;

	fl_thread_pool_wait(jfr->threads, &place->pools.job);
	/* Its thread may not have told yet; then the place is not free. */
	fl_thread_pool_wait(jfr->threads, &place->events.job);
	*good = place->good;
	place->chunk = NULL;
	ahead->first = (ahead->first + 1) % ahead->nplaces;
	ahead->n--;
	ahead->bytes -= chunk->size;
	if (fl_failed(place->flame) ||
	    chunk->asked.cpu_only != jfr->source->select.cpu_only) {
		flame_clear(place->flame);
		return read_again(jfr, chunk, good);
	}
	chunk->flame = jfr->source->flame;
	return chunk;
}
