/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The trace cache.  The chunks of a recording hold the same traces again and
 * again: if an earlier chunk had a trace of the same bytes, its stack is used
 * again, provided that the methods of its frames are still the same.  This is
 * checked once a chunk for each frame and each stack.
 *
 * Bytes are compared by 96 bits of a hash whose key is drawn for each
 * recording: no file can be crafted so that two of its traces collide, and
 * collisions by chance do not happen.
 */
#include "fl.h"

#include "format/jfr/recycle.h"
#include "format/jfr/traces.h"

#include <stdlib.h>

/* A frame, and the methods that had it in earlier chunks. */
struct fl_jfr_cached_frame {
	uint32_t methods;	/* in cache->methods, plus one */
	uint32_t seen;		/* number of the chunk, twice; odd: the same */
};

struct fl_jfr_cached_method {
	uint64_t key;
	uint32_t next;		/* of the same frame, plus one */
};

enum { MAX_METHODS = 1024 };	/* of a frame */

void fl_jfr_cache_free(struct fl_jfr_trace_cache *cache)
{
	if (!cache)
		return;
	fl_map_free(&cache->traces);
	fl_free(cache->frames);
	fl_free(cache->methods);
	fl_free(cache->seen);
	fl_free(cache);
}

struct fl_jfr_trace_cache *fl_jfr_cache_new(void)
{
	struct fl_jfr_trace_cache *cache = fl_zeroed(1, sizeof(*cache));

	if (cache)
		cache->keyed = fl_os_random(cache->key, sizeof(cache->key),
					    true);
	return cache;
}

/* Whether hashes of traces are of use. */
static bool is_wanted(struct fl_jfr_chunk *chunk)
{
	return chunk->jfr->cache->keyed && fl_jfr_is_usual(chunk) &&
	       (chunk->more || chunk->offset);
}

void fl_jfr_cache_make_hashes(struct fl_jfr_chunk *chunk)
{
	struct fl_jfr_traces *traces = chunk->traces;

	if (!is_wanted(chunk))
		return;
	if (!traces->hashes)
		traces->hashes =
			fl_jfr_recycled(chunk->jfr, FL_JFR_TABLE_HASHES,
					&traces->hashes_capacity);
	if (fl_grow(&traces->hashes, &traces->hashes_capacity, traces->count,
		    sizeof(*traces->hashes)))
		return;
	/*
	 * Out of memory: do without the cache, as the old array is too short.
	 */
	fl_free(traces->hashes);
	traces->hashes = NULL;
	traces->hashes_capacity = 0;
}

/* A byte distinguishes chunks; after 255 of them it starts again. */
static void next_mark(struct fl_jfr_trace_cache *cache)
{
	if (++cache->mark)
		return;
	if (cache->seen_capacity)
		memset(cache->seen, 0, cache->seen_capacity);
	cache->mark = 1;
}

bool fl_jfr_cache_begin(struct fl_jfr_chunk *chunk)
{
	struct fl_jfr_traces *traces = chunk->traces;
	struct fl_jfr_trace_cache *cache = chunk->jfr->cache;

	if (cache->off || !traces->hashes)
		return false;
	if (memcmp(cache->types, traces->frame_types, sizeof(cache->types)) !=
	    0) {
		fl_map_clear(&cache->traces);
		memcpy(cache->types, traces->frame_types, sizeof(cache->types));
		cache->chunk = UINT64_MAX;
	}
	if (cache->chunk != chunk->offset) {
		cache->chunk = chunk->offset;
		cache->number++;
		next_mark(cache);
	}
	return true;
}

/* Makes an array large enough for element i; new elements are zero. */
static bool reach(struct fl_jfr_trace_cache *cache, void *array,
		  size_t *capacity, size_t i, size_t size)
{
	void **at = array;
	size_t old = *capacity;

	if (fl_likely(i < old))
		return true;
	if (!fl_grow(at, capacity, i + 1, size)) {
		cache->off = true;
		return false;
	}
	memset((char *)*at + old * size, 0, (*capacity - old) * size);
	return true;
}

void fl_jfr_cache_method(struct fl_jfr_chunk *chunk, flame_id frame,
			 uint64_t method)
{
	struct fl_jfr_trace_cache *cache = chunk->jfr->cache;
	struct fl_jfr_cached_frame *f;
	uint32_t i, n = 0;

	if (cache->off ||
	    !reach(cache, &cache->frames, &cache->frames_capacity, frame,
		   sizeof(*cache->frames)))
		return;
	f = &cache->frames[frame];
	for (i = f->methods; i && n < MAX_METHODS; n++) {
		if (cache->methods[i - 1].key == method)
			return;
		i = cache->methods[i - 1].next;
	}
	if (i || cache->nmethods == UINT32_MAX ||
	    !fl_grow(&cache->methods, &cache->methods_capacity,
		     cache->nmethods + 1u, sizeof(*cache->methods))) {
		cache->off = true;
		return;
	}
	cache->methods[cache->nmethods] = (struct fl_jfr_cached_method){
		.key = method, .next = f->methods
	};
	f->methods = ++cache->nmethods;
	f->seen = 0;
}

/* Whether all methods that were this frame are it in this chunk too. */
static bool is_same_frame(struct fl_jfr_chunk *chunk, flame_id frame)
{
	struct fl_jfr_trace_cache *cache = chunk->jfr->cache;
	const struct flame_frame *f = &chunk->flame->frames.data[frame];
	struct slice name = fl_name_at(chunk->flame, f->name);
	uint32_t i;

	if (frame >= cache->frames_capacity)
		return false;
	if (cache->frames[frame].seen >> 1 == cache->number)
		return cache->frames[frame].seen & 1;
	for (i = cache->frames[frame].methods; i;
	     i = cache->methods[i - 1].next) {
		uint64_t method = cache->methods[i - 1].key;

		if (!fl_jfr_is_method(chunk, method, f->type, name))
			break;
	}
	cache->frames[frame].seen = cache->number << 1 | !i;
	return !i;
}

static bool is_same_stack(struct fl_jfr_chunk *chunk, flame_id stack)
{
	struct fl_jfr_trace_cache *cache = chunk->jfr->cache;
	const struct fl_stack *stacks = chunk->flame->stacks.data;
	flame_id s;

	if (!reach(cache, &cache->seen, &cache->seen_capacity, stack,
		   sizeof(*cache->seen)))
		return false;
	for (s = stack; s && cache->seen[s] != cache->mark;
	     s = stacks[s].parent)
		if (!is_same_frame(chunk, stacks[s].frame))
			return false;
	for (s = stack; s && cache->seen[s] != cache->mark;
	     s = stacks[s].parent)
		cache->seen[s] = cache->mark;
	return true;
}

static inline uint64_t fold(uint64_t a, uint64_t b)
{
	__extension__ typedef unsigned __int128 wide;
	wide p = (wide)a * b;

	return (uint64_t)p ^ (uint64_t)(p >> 64);
}

static inline struct fl_jfr_hash mix_in(struct fl_jfr_hash mark,
					const uint64_t key[4],
					const uint8_t *at)
{
	uint64_t a = fl_wire_word(at), b = fl_wire_word(at + 8);

	return (struct fl_jfr_hash){
		.key = fold(mark.key ^ a, key[2] ^ b),
		.rest = fold(mark.rest ^ b, key[3] ^ a),
	};
}

/*
 * Two words at a time, in two chains that do not wait for one another.  The
 * last ones may be among those that were there before.
 */
struct fl_jfr_hash fl_jfr_cache_hash(const struct fl_jfr_trace_cache *cache,
				     const uint8_t *at, size_t size)
{
	const uint64_t *key = cache->key;
	struct fl_jfr_hash even = { size ^ key[0], key[1] };
	struct fl_jfr_hash odd = { size ^ key[1], key[0] };
	const uint8_t *end = at + size;
	uint8_t few[32] = { 0 };

	for (; end - at > 32; at += 32) {
		even = mix_in(even, key, at);
		odd = mix_in(odd, key, at + 16);
	}
	if (size >= 32) {
		at = end - 32;
	} else {
		memcpy(few, at, size);
		at = few;
	}
	even = mix_in(even, key, at);
	odd = mix_in(odd, key, at + 16);
	even.key = fold(even.key, odd.key ^ key[2]);
	even.rest = fold(even.rest, odd.rest ^ key[3]);
	return even;
}

bool fl_jfr_cache_find(struct fl_jfr_chunk *chunk,
		       const struct fl_jfr_hash *hash, flame_id *stack)
{
	const uint64_t *value = fl_map_get(&chunk->jfr->cache->traces,
					   hash->key);

	if (!value || *value >> 32 != hash->rest >> 32)
		return false;
	*stack = (flame_id)*value;
	return is_same_stack(chunk, *stack);
}

void fl_jfr_cache_put(struct fl_jfr_chunk *chunk,
		      const struct fl_jfr_hash *mark, flame_id stack)
{
	struct fl_jfr_trace_cache *cache = chunk->jfr->cache;
	uint64_t *value = fl_map_put(&cache->traces, mark->key, NULL);

	if (value)
		*value = mark->rest >> 32 << 32 | stack;
	else
		cache->off = true;
}
