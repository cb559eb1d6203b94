/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Read-ahead of chunks, for source.c: while one is emitted, other threads read
 * the metadata, events and pools of the next ones, which needs no dictionary.
 * The source's own thread does the rest in order, chunk by chunk: everything
 * that depends on earlier chunks (constants, settings, states), stacks,
 * messages and samples.
 */
#include "fl.h"

#include "format/jfr/source.h"

#include <stdlib.h>

enum {
	MAX_CHUNKS = 128,
	CHUNKS_PER_THREAD = 2,		/* chunks for a thread */
	SMALL_BYTES = 64 << 20,	/* bytes; of more, one for each and one more */
	MAX_BYTES = 256 << 20	/* fewer chunks if they exceed this */
};

struct slot {
	struct fl_job job;
	struct fl_jfr_chunk *chunk;
	bool good;
	struct flame *flame;	/* for what fails there */
};

struct fl_jfr_read_ahead {
	struct fl_jfr *jfr;
	size_t nslots, first, n;
	uint64_t bytes;
	struct slot slots[MAX_CHUNKS];
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
	ahead->nslots = FL_MIN(CHUNKS_PER_THREAD * (size_t)flame->threads,
			       (size_t)MAX_CHUNKS);
	for (size_t i = 0; i < ahead->nslots; i++) {
		struct slot *slot = &ahead->slots[i];

		slot->flame = flame_new();
		if (!slot->flame)
			break;
		if (i + 1 == ahead->nslots)
			return ahead;
	}
	fl_jfr_ahead_free(ahead);
	return NULL;
}

void fl_jfr_ahead_free(struct fl_jfr_read_ahead *ahead)
{
	if (!ahead)
		return;
	for (size_t i = 0; i < ahead->nslots; i++) {
		struct slot *slot = &ahead->slots[i];

		fl_jfr_chunk_free(slot->chunk);
		flame_free(slot->flame);
	}
	fl_free(ahead);
}

bool fl_jfr_ahead_has_room(const struct fl_jfr_read_ahead *ahead)
{
	size_t max = ahead->nslots;

	if (ahead->bytes >= SMALL_BYTES)
		max = max / CHUNKS_PER_THREAD + 1;
	return ahead->n < max && (!ahead->n || ahead->bytes < MAX_BYTES);
}

bool fl_jfr_ahead_fits(const struct fl_jfr_read_ahead *ahead, uint64_t size)
{
	return !ahead->n || ahead->bytes + size <= SMALL_BYTES;
}

size_t fl_jfr_ahead_count(const struct fl_jfr_read_ahead *ahead,
			  uint64_t *bytes)
{
	*bytes = ahead->bytes;
	return ahead->n;
}

/* In any thread. */
static void run(struct fl_job *job)
{
	struct slot *slot = (struct slot *)job;

	slot->good = fl_jfr_read_alone(slot->chunk);
}

void fl_jfr_ahead_add(struct fl_jfr_read_ahead *ahead,
		      struct fl_jfr_chunk *chunk)
{
	struct slot *slot = &ahead->slots[(ahead->first + ahead->n++) %
					     ahead->nslots];

	chunk->flame = slot->flame;
	slot->chunk = chunk;
	slot->job.run = run;
	ahead->bytes += chunk->size;
	fl_thread_pool_submit(ahead->jfr->threads, &slot->job);
}

/* The request changed, or reading failed: start again from here. */
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
	chunk->asked = old->asked;
	chunk->asked.cpu_only = jfr->source->select.cpu_only;
	fl_jfr_chunk_free(old);
	*good = fl_jfr_read_alone(chunk);
	return chunk;
}

struct fl_jfr_chunk *fl_jfr_ahead_take(struct fl_jfr_read_ahead *ahead,
				       bool *good)
{
	struct slot *slot = &ahead->slots[ahead->first];
	struct fl_jfr_chunk *chunk = slot->chunk;
	struct fl_jfr *jfr = ahead->jfr;

	fl_thread_pool_wait(jfr->threads, &slot->job);
	*good = slot->good;
	slot->chunk = NULL;
	ahead->first = (ahead->first + 1) % ahead->nslots;
	ahead->n--;
	ahead->bytes -= chunk->size;
	if (fl_failed(slot->flame) ||
	    chunk->asked.cpu_only != jfr->source->select.cpu_only) {
		flame_clear(slot->flame);
		return read_again(jfr, chunk, good);
	}
	chunk->flame = jfr->source->flame;
	return chunk;
}
