/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The pools of a chunk, read by one thread while another reads its events.
 * The thread does not know yet which stack traces the events refer to, so it
 * notes the place of each, and they are looked up afterwards.
 *
 * On failure the pools are read again after the events.
 */
#include "fl.h"

#include "format/jfr/chunk.h"

enum { MAX_CLASSES = 1 << 12 };	/* more decoders are not made in advance */

struct place {
	uint64_t key, at, size;
};

struct fl_jfr_parallel_pools {
	struct fl_job job;
	struct fl_jfr_chunk part;	/* the chunk, as pool.c needs it */
	struct fl_jfr_pools pools;	/* its own */
	bool good;
	struct place *places;		/* of stack traces */
	size_t count, capacity;
	bool hashed;			/* and so are their bytes */
	struct fl_jfr_hash *hashes;
	size_t hashes_capacity;
};

static bool keep_place(struct fl_jfr_chunk *chunk, void *data, uint64_t key,
		       uint64_t at, uint64_t size)
{
	struct fl_jfr_parallel_pools *p = data;

	if (!fl_grow(&p->places, &p->capacity, p->count + 1,
		     sizeof(*p->places)) ||
	    (p->hashed && !fl_grow(&p->hashes, &p->hashes_capacity,
				   p->count + 1, sizeof(*p->hashes))))
		return false;
	if (p->hashed)
		p->hashes[p->count] = fl_jfr_cache_hash(
			chunk->jfr->cache, chunk->at + at, size);
	p->places[p->count++] = (struct place){ key, at, size };
	return true;
}

/* In any thread. */
static void run(struct fl_job *job)
{
	struct fl_jfr_parallel_pools *p = (struct fl_jfr_parallel_pools *)job;

	p->good = fl_jfr_index_pools(&p->part);
}

/* Decoders are made before two threads use them. */
static bool make_decoders(struct fl_jfr_chunk *chunk)
{
	for (uint32_t i = 0; i < chunk->types->nclasses; i++)
		fl_jfr_make_decoder(chunk, &chunk->types->classes[i]);
	return !fl_failed(chunk->flame);
}

struct fl_jfr_parallel_pools *
fl_jfr_parallel_pools_new(struct fl_jfr_chunk *chunk)
{
	struct fl_jfr_parallel_pools *p;

	if (!chunk->header.pools_at ||
	    chunk->types->nclasses > MAX_CLASSES ||
	    !fl_jfr_threads(chunk->jfr) || !make_decoders(chunk))
		return NULL;
	p = fl_zeroed(1, sizeof(*p));
	if (!p)
		return NULL;
	fl_jfr_want_pools(chunk);
	p->part = *chunk;
	p->part.pools = &p->pools;
	p->pools.keep_trace = keep_place;
	p->pools.keep_data = p;
	p->hashed = fl_jfr_cache_wanted(chunk);
	p->part.pages.passed = chunk->at;
	p->part.pages.released = true;
	p->part.flame = flame_new();
	if (!p->part.flame) {
		fl_free(p);
		return NULL;
	}
	p->job.run = run;
	fl_thread_pool_submit_first(chunk->jfr->threads, &p->job);
	return p;
}

bool fl_jfr_parallel_pools_end(struct fl_jfr_chunk *chunk,
			       struct fl_jfr_parallel_pools *p)
{
	bool good;

	fl_thread_pool_wait(chunk->jfr->threads, &p->job);
	good = p->good && !p->part.damage.why && !fl_failed(p->part.flame);
	chunk->pools->begin = p->pools.begin;
	chunk->pools->nlinked = p->pools.nlinked;
	good = good && fl_jfr_has_all_checkpoints(chunk);
	if (good) {
		fl_jfr_cache_make_hashes(chunk);
		fl_jfr_begin_traces(chunk);
	}
	for (size_t i = 0; good && i < p->count; i++) {
		const struct place *place = &p->places[i];

		fl_jfr_pass(chunk, chunk->at + place->at);
		fl_jfr_keep_trace(chunk, place->key, place->at, place->size,
				  p->hashed ? &p->hashes[i] : NULL);
	}
	if (good)
		fl_jfr_release(chunk, chunk->at + chunk->size);
	flame_free(p->part.flame);
	fl_free(p->places);
	fl_free(p->hashes);
	fl_free(p);
	return good;
}
