/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Hashes bytes (fl_hash), and grows the two kinds of hash tables of the
 * library: the index from hashes to ids (fl_index) and the map from 64-bit keys
 * to values (fl_map).  base.h has their lookups inline.
 */
#include "fl.h"

#include <pthread.h>
#include <stdlib.h>

/* Until a secret is drawn, and for ordered maps; arbitrary odd numbers. */
#define SALT UINT64_C(0x9e3779b97f4a7c15)
#define FACTOR UINT64_C(0xd1b54a32d192ed03)

uint64_t fl_hash_secret[2] = { SALT, FACTOR };

static void draw_secret(void)
{
	uint64_t drawn[2] = { 0 };

	if (!fl_os_random(drawn, sizeof(drawn), false))
		return;
	fl_hash_secret[0] ^= drawn[0];
	fl_hash_secret[1] ^= drawn[1];
}

void fl_hash_secret_init(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	pthread_once(&once, draw_secret);
}

static inline uint64_t read64(const unsigned char *at)
{
	uint64_t n;

	memcpy(&n, at, sizeof(n));
	return n;
}

static inline uint64_t read32(const unsigned char *at)
{
	uint32_t n;

	memcpy(&n, at, sizeof(n));
	return n;
}

/* As fl_hash_pair, but a zero factor does not erase the other one. */
static inline uint64_t hash_pair_guarded(uint64_t a, uint64_t b)
{
	return fl_hash_pair(a, b) ^ a ^ b;
}

/* Hashes 16 bytes; the salt encodes their position. */
static inline uint64_t hash_16(const unsigned char *at, uint64_t salt)
{
	return hash_pair_guarded(read64(at) ^ salt, read64(at + 8));
}

/*
 * Most names have 17 to 64 bytes: four parts, which may overlap, cover them
 * and do not depend on each other.
 */
static inline uint64_t hash_17_to_64(const unsigned char *at, size_t size)
{
	const unsigned char *end = at + size;
	uint64_t h = hash_16(at, 0x8ebc6af09c88c6e3u) ^
		     hash_16(end - 16, 0x589965cc75374cc3u);

	if (size > 32)
		h ^= hash_16(at + 16, 0x1d8e4e27c47d124fu) ^
		     hash_16(end - 32, 0xeb44accab455d165u);
	return h;
}

uint64_t fl_hash(const void *bytes, size_t size)
{
	const unsigned char *at = bytes;
	uint64_t h = size, a = 0, b = 0;
	size_t n = size;

	if (fl_likely(n > 16 && n <= 64))
		return fl_hash_pair(hash_17_to_64(at, n), size);
	for (; n > 16; n -= 16, at += 16)
		h = hash_pair_guarded(read64(at) ^ h, read64(at + 8));
	/* Two reads, which may overlap, cover the last 16 bytes. */
	if (n >= 8) {
		a = read64(at);
		b = read64(at + n - 8);
	} else if (n >= 4) {
		a = read32(at);
		b = read32(at + n - 4);
	} else if (n) {
		a = (uint64_t)at[0] << 16 | (uint64_t)at[n / 2] << 8 |
		    at[n - 1];
	}
	return fl_hash_pair(hash_pair_guarded(a ^ h, b), size);
}

/* The index ----------------------------------------------------------- */

static void index_put_slot(struct fl_index *x, uint64_t slot)
{
	uint32_t i = fl_index_first(x, slot);

	while (x->slot[i])
		i = (i + 1) & x->mask;
	x->slot[i] = slot;
}

/* The slots hold the hashes, so growing needs no keys. */
static bool index_grow(struct fl_index *x)
{
	size_t old_capacity = x->slot ? (size_t)x->mask + 1 : 0, i;
	size_t capacity = old_capacity ? 2 * old_capacity : 64;
	struct fl_index grown = { .count = x->count };

	if (capacity - 1 > UINT32_MAX)
		return false;
	grown.slot = fl_zeroed_touched(capacity, sizeof(*grown.slot));
	if (!grown.slot)
		return false;
	grown.mask = (uint32_t)(capacity - 1);
	for (i = 0; i < old_capacity; i++)
		if (x->slot[i])
			index_put_slot(&grown, x->slot[i]);
	fl_free(x->slot);
	*x = grown;
	return true;
}

bool fl_index_add(struct fl_index *x, uint64_t h, uint32_t id)
{
	/* Full at 5/8; up to 7/8 if it cannot grow. */
	if ((!x->slot || x->count >= x->mask / 8 * 5) && !index_grow(x) &&
	    (!x->slot || x->count >= x->mask / 8 * 7))
		return false;
	index_put_slot(x, h >> 32 << 32 | id);
	x->count++;
	return true;
}

void fl_index_free(struct fl_index *x)
{
	fl_free(x->slot);
	memset(x, 0, sizeof(*x));
}

/* The map ------------------------------------------------------------- */

/* At 5/8 full no probe gets this long by chance: the keys are crafted. */
enum { MAX_PROBES = 1000 };

/* At 5/8 full, most keys are found in the first entry probed. */
static bool is_full(size_t n, size_t capacity)
{
	return n > capacity / 8 * 5;
}

static struct fl_map_entry *map_free_entry(const struct fl_map *map,
					   uint64_t key, size_t *probes)
{
	size_t i = fl_map_first(map, key), first = i;

	while (map->entry[i].key)
		i = (i + 1) & map->mask;
	*probes = (i - first) & map->mask;
	return &map->entry[i];
}

static void set_salt(struct fl_map *map, bool ordered)
{
	map->salt = ordered ? SALT : fl_hash_secret[0];
	map->factor = (ordered ? FACTOR : fl_hash_secret[1]) | 1;
	map->second = ordered ? 1 : fl_hash_secret[0] | 1;
	map->ordered = ordered;
}

static bool map_grow(struct fl_map *map, size_t capacity)
{
	size_t old_capacity = map->entry ? map->mask + 1 : 0, i, probes;
	struct fl_map grown = *map;

	if (!map->entry)
		set_salt(&grown, map->ordered);
	grown.entry = fl_zeroed_touched(capacity, sizeof(*grown.entry));
	if (!grown.entry)
		return false;
	grown.mask = capacity - 1;
	for (i = 0; i < old_capacity; i++)
		if (map->entry[i].key)
			*map_free_entry(&grown, map->entry[i].key, &probes) =
				map->entry[i];
	fl_free(map->entry);
	*map = grown;
	return true;
}

/* Crafted keys: hashes with the secret and loses the order. */
static bool map_rehash_with_secret(struct fl_map *map)
{
	set_salt(map, false);
	if (map_grow(map, map->mask + 1))
		return true;
	set_salt(map, true);
	return false;
}

uint64_t *fl_map_add(struct fl_map *map, uint64_t key)
{
	struct fl_map_entry *e = &map->zero;
	size_t probes = 0;

	if (key && (!map->entry || is_full(map->count + 1, map->mask + 1)) &&
	    !map_grow(map, map->entry ? 2 * (map->mask + 1) : 64))
		return NULL;
	if (key)
		e = map_free_entry(map, key, &probes);
	else
		map->has_zero = true;
	if (fl_unlikely(probes > MAX_PROBES) && map->ordered) {
		if (!map_rehash_with_secret(map))
			return NULL;
		e = map_free_entry(map, key, &probes);
	}
	e->key = key;
	e->value = 0;
	map->count++;
	return &e->value;
}

bool fl_map_reserve(struct fl_map *map, size_t more)
{
	size_t capacity = map->entry ? map->mask + 1 : 64, old = capacity;

	if (more > SIZE_MAX / 8 - map->count)
		return false;
	while (is_full(map->count + more, capacity))
		capacity *= 2;
	return (map->entry && capacity == old) || map_grow(map, capacity);
}

void fl_map_clear(struct fl_map *map)
{
	enum { SMALL = 4096, FEW = 16 };

	/* Else a single large table makes each later clear as expensive. */
	if (map->mask >= SMALL && map->count < map->mask / FEW) {
		fl_free(map->entry);
		map->entry = NULL;
		map->mask = 0;
	}
	if (map->entry && map->count)
		memset(map->entry, 0, (map->mask + 1) * sizeof(*map->entry));
	map->has_zero = false;
	map->count = 0;
}

void fl_map_free(struct fl_map *map)
{
	fl_free(map->entry);
	memset(map, 0, sizeof(*map));
}
