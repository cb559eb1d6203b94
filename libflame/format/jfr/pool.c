/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Indexes the pools of constants in the checkpoint events of a chunk
 * (fl_jfr_index_pools, for trace.c).  Constants are not decoded: of each its
 * offset is stored by class and key, and fl_jfr_constant() finds it.  Of stack
 * traces, which are most of a large recording, only those that events refer to
 * are stored.
 *
 * A constant that is written again: as in the JDK, the entry read last
 * along the chain counts, which is the oldest.
 */
#include "fl.h"

#include "format/jfr/framing.h"
#include "format/jfr/pools.h"

#include <stdlib.h>

enum {
	DENSE = 2,		/* keys that are low, by constants, */
	LARGE = 16		/* and bytes of the chunk, by keys */
};

void fl_jfr_want_pools(struct fl_jfr_chunk *chunk)
{
	const struct fl_jfr_types *types = chunk->types;
	struct fl_jfr_class *all[] = {
		types->string, types->symbol, types->thread, types->class,
		types->method, types->trace, types->frame, types->frame_type,
		types->thread_state,
		fl_jfr_class_named(chunk, "types.OldObject"),
		fl_jfr_class_named(chunk, "types.OldObjectGcRoot"),
		fl_jfr_class_named(chunk, "types.OldObjectField"),
		fl_jfr_class_named(chunk, "types.Reference"),
	};

	for (size_t i = 0; i < FL_COUNT(all); i++)
		if (all[i])
			all[i]->wanted = true;
	/* Names may be constants of types that only that writer knows. */
	for (size_t i = 0; i < FL_COUNT(all); i++)
		for (uint32_t j = 0; all[i] && j < all[i]->nfields; j++) {
			const struct fl_jfr_field *f = &all[i]->fields[j];

			if (f->constant && f->class &&
			    (fl_slice_is(f->name, "name") ||
			     fl_slice_is(f->name, "system") ||
			     fl_slice_is(f->name, "type") ||
			     fl_slice_is(f->name, "string") ||
			     fl_slice_is(f->name, "javaName") ||
			     fl_slice_is(f->name, "osName")))
				f->class->wanted = true;
		}
}

/* Most keys count up from 1. */
static bool keep_place(const struct fl_jfr_chunk *chunk,
		       struct fl_jfr_pool *pool, uint64_t key, uint64_t at)
{
	uint64_t low = chunk->size > UINT32_MAX ? 0 :
		       FL_MIN(DENSE * pool->promised, chunk->size / LARGE);

	return fl_dense_set(&pool->places, key, at, low, pool->promised + 1);
}

static void free_pool(struct fl_jfr_pool *pool)
{
	if (pool)
		fl_dense_free(&pool->places);
	fl_free(pool);
}

static bool keep_key(struct fl_jfr_chunk *chunk, struct fl_jfr_class *class,
		     uint64_t key, uint64_t at, uint64_t size)
{
	if (class != chunk->types->trace)
		return keep_place(chunk, class->pool, key, at);
	chunk->pools->keep_trace(chunk, key, at, size);
	return true;
}

/* Makes the pool of a class, for `n` more constants. */
static bool promise(struct fl_jfr_class *class, uint64_t n)
{
	if (!class->pool)
		class->pool = fl_zeroed(1, sizeof(*class->pool));
	if (class->pool)
		class->pool->promised += n;
	return class->pool;
}

/* Reads one pool of a checkpoint; false: the rest cannot be read. */
static bool read_pool(struct fl_jfr_chunk *chunk, struct fl_wire *w)
{
	const uint8_t *begin = w->at;
	uint64_t type = fl_wire_long(w);
	uint32_t n = fl_wire_int(w);
	struct fl_jfr_class *class = fl_jfr_class_by_id(chunk, type);
	uint64_t left = w->end - w->at;

	/* Keeps the constants before the cut of a truncated pool. */
	if (w->bad || (n > left + 1 && !chunk->missing)) {
		fl_jfr_damage(chunk, begin - chunk->at,
			      "a pool with more constants than bytes");
		return false;
	}
	if (!n)
		return true;
	if (!class || !fl_jfr_make_decoder(chunk, class)) {
		fl_jfr_damage(chunk, begin - chunk->at,
			      "a pool of a type that is not known");
		return false;
	}
	if (class->wanted && class != chunk->types->trace &&
	    !promise(class, FL_MIN(n, left + 1))) {
		fl_no_memory(chunk->flame);
		return false;
	}
	for (uint32_t i = 0; i < n; i++) {
		uint64_t key = fl_wire_long(w);
		uint64_t at = w->at - chunk->at;

		fl_jfr_pass(chunk, w->at);
		fl_jfr_skip(class, w);
		if (w->bad) {
			fl_jfr_damage(chunk, at, "a broken constant");
			return false;
		}
		if (class->wanted &&
		    !keep_key(chunk, class, key, at,
			      (uint64_t)(w->at - chunk->at) - at)) {
			fl_no_memory(chunk->flame);
			return false;
		}
	}
	return true;
}

static bool read_npools(struct fl_jfr_chunk *chunk, struct fl_wire *w,
			uint32_t npools)
{
	while (npools && !w->bad && read_pool(chunk, w))
		npools--;
	return !npools && !w->bad;
}

/* Pools beyond the number that the checkpoint states, up to its end. */
static bool read_more_pools(struct fl_jfr_chunk *chunk, struct fl_wire *w)
{
	struct fl_wire ahead = *w;

	fl_jfr_damage(chunk, w->at - chunk->at,
		      "a checkpoint that is longer than its pools");
	while (ahead.at < ahead.end)
		if (!fl_jfr_skip_pool(chunk, &ahead))
			return false;
	while (w->at < w->end && read_pool(chunk, w))
		;
	return true;
}

/*
 * The pools of a checkpoint.  Its size may be wrong where its pools are whole;
 * of one that is cut, those before the cut are read.
 */
static bool read_bounded(struct fl_jfr_chunk *chunk, const uint8_t *begin,
			 uint32_t size, struct fl_wire w, int64_t *delta)
{
	struct fl_wire all = w;
	bool fits = fl_wire_within(&w, begin, size);
	uint32_t npools = fl_jfr_begin_checkpoint(&w, delta);

	if (!fits)
		fl_jfr_damage(chunk, begin - chunk->at,
			      "a checkpoint that passes the end");
	if (read_npools(chunk, &w, npools)) {
		if (fl_unlikely(fits && w.at != w.end))
			read_more_pools(chunk, &w);
		return true;
	}
	w = all;
	if (!fits || fl_failed(chunk->flame) ||
	    !fl_jfr_skip_checkpoint(chunk, &w))
		return false;
	npools = fl_jfr_begin_checkpoint(&all, delta);
	return read_npools(chunk, &all, npools);
}

/*
 * The checkpoint event at an offset: its pools are indexed, *delta says
 * where the next one is.  false: there is no checkpoint.
 */
static bool read_checkpoint(struct fl_jfr_chunk *chunk, uint64_t at,
			    int64_t *delta, bool *whole)
{
	struct fl_jfr_pools *pools = chunk->pools;
	struct fl_wire w = fl_jfr_wire(chunk, at);
	const uint8_t *begin = w.at;
	uint32_t size = fl_wire_int(&w);

	*whole = true;
	*delta = 0;
	if (!pools->begin || at < pools->begin)
		pools->begin = at;
	if (fl_wire_long(&w) != 1 || w.bad)
		return false;
	*whole = read_bounded(chunk, begin, size, w, delta);
	return true;
}

/* Visited offsets: a chain that returns has no end. */
static bool read_chain(struct fl_jfr_chunk *chunk)
{
	struct fl_map seen = { 0 };
	uint64_t at = chunk->header.pools_at;
	bool good = false, fresh, whole;
	int64_t delta;

	chunk->pools->nlinked = 0;
	for (;;) {
		if (at < FL_JFR_HEADER || at >= chunk->size) {
			fl_jfr_damage(chunk, at, "a checkpoint outside");
			break;
		}
		if (!fl_map_put(&seen, at, &fresh)) {
			fl_no_memory(chunk->flame);
			break;
		}
		if (!fresh) {
			fl_jfr_damage(chunk, at, "checkpoints in a circle");
			break;
		}
		if (!read_checkpoint(chunk, at, &delta, &whole)) {
			fl_jfr_damage(chunk, at, "no checkpoint where one "
				      "should be");
			break;
		}
		if (!whole)
			break;
		chunk->pools->nlinked++;
		if (!delta) {
			good = true;
			break;
		}
		at += (uint64_t)delta;
	}
	fl_map_free(&seen);
	return good;
}

/* Finds checkpoints, if the events were not scanned for them. */
static bool find_checkpoints(struct fl_jfr_chunk *chunk)
{
	struct fl_wire w = fl_jfr_wire(chunk, FL_JFR_HEADER);

	chunk->framing->ncheckpoints = 0;
	while (w.at < w.end) {
		const uint8_t *begin = w.at;
		uint32_t size = fl_wire_int(&w);
		uint64_t type = fl_wire_long(&w);

		if (w.bad || !size)
			break;
		if (type == 1 && !fl_jfr_add_checkpoint(chunk,
							begin - chunk->at))
			return false;
		if (size > (uint64_t)(w.end - begin))
			break;
		w.at = begin + size;
	}
	return true;
}

/*
 * Without a chain: the checkpoints as they lie, the newest first, so that
 * the oldest counts here too.
 */
static bool read_scattered(struct fl_jfr_chunk *chunk)
{
	struct fl_jfr_framing *framing = chunk->framing;

	if (!framing->done && !find_checkpoints(chunk))
		fl_no_memory(chunk->flame);
	for (size_t n = framing->ncheckpoints; n--;) {
		int64_t delta;
		bool whole;

		read_checkpoint(chunk, framing->checkpoints[n], &delta, &whole);
	}
	return !fl_failed(chunk->flame);
}

/* The chain is whole and has all checkpoints that were among the events. */
static bool read_linked(struct fl_jfr_chunk *chunk)
{
	return chunk->header.pools_at && read_chain(chunk) &&
	       chunk->pools->nlinked >= chunk->pools->nmet;
}

bool fl_jfr_index_pools(struct fl_jfr_chunk *chunk)
{
	if (read_linked(chunk)) {
		fl_jfr_release(chunk, chunk->at + chunk->size);
		return true;
	}
	if (fl_failed(chunk->flame))
		return false;
	if (!chunk->header.pools_at)
		fl_jfr_damage(chunk, 16, "no constant pools");
	else
		fl_jfr_damage(chunk, 16, "checkpoints that none leads to");
	chunk->damage.salvaged = true;
	return read_scattered(chunk);
}

bool fl_jfr_constant(const struct fl_jfr_chunk *chunk,
		     const struct fl_jfr_class *class, uint64_t key,
		     struct fl_wire *w)
{
	uint64_t at = class && class->pool ?
		      fl_dense_get(&class->pool->places, key) : 0;

	if (at)
		*w = fl_jfr_wire(chunk, at);
	return at;
}

void fl_jfr_pools_free(struct fl_jfr_chunk *chunk)
{
	struct fl_jfr_pools *pools = chunk->pools;

	for (uint32_t i = 0; i < chunk->types->nclasses; i++)
		free_pool(chunk->types->classes[i].pool);
	fl_map_free(&pools->threads);
	fl_map_free(&pools->states);
	fl_map_free(&pools->leaves[0]);
	fl_map_free(&pools->leaves[1]);
}
