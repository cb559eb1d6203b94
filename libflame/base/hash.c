/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Hashing, the index from hashes to ids, and the map of 64-bit keys.
 */
#include "fl.h"

#include <pthread.h>
#include <stdlib.h>
#include <sys/random.h>

/* What it is until one is drawn; any will do. */
#define SALT UINT64_C(0x9e3779b97f4a7c15)
#define FACTOR UINT64_C(0xd1b54a32d192ed03)

uint64_t fl_hash_secret[2] = { SALT, FACTOR };

static void draw(void)
{
	uint64_t drawn[2] = { 0 };

	if (getrandom(drawn, sizeof(drawn), GRND_NONBLOCK) !=
	    (ssize_t)sizeof(drawn))
		return;
	fl_hash_secret[0] ^= drawn[0];
	fl_hash_secret[1] ^= drawn[1];
}

void fl_hash_secret_init(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	pthread_once(&once, draw);
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

/* As fl_hash_pair, but a factor of zero does not swallow the other one. */
static inline uint64_t mix_kept(uint64_t a, uint64_t b)
{
	return fl_hash_pair(a, b) ^ a ^ b;
}

/* Sixteen bytes of it; the salt tells where they stand. */
static inline uint64_t part(const unsigned char *at, uint64_t salt)
{
	return mix_kept(read64(at) ^ salt, read64(at + 8));
}

/*
 * Most names have a length between 16 and 64.  Parts that may overlap take
 * all of it, and none waits for another.
 */
static inline uint64_t parts(const unsigned char *at, size_t size)
{
	const unsigned char *end = at + size;
	uint64_t h = part(at, 0x8ebc6af09c88c6e3u) ^
		     part(end - 16, 0x589965cc75374cc3u);

	if (size > 32)
		h ^= part(at + 16, 0x1d8e4e27c47d124fu) ^
		     part(end - 32, 0xeb44accab455d165u);
	return h;
}

uint64_t fl_hash(const void *bytes, size_t size)
{
	const unsigned char *at = bytes;
	uint64_t h = size, a = 0, b = 0;
	size_t n = size;

	if (fl_likely(n > 16 && n <= 64))
		return fl_hash_pair(parts(at, n), size);
	for (; n > 16; n -= 16, at += 16)
		h = mix_kept(read64(at) ^ h, read64(at + 8));
	/* Two reads that may overlap take all of the last 16 bytes. */
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
	return fl_hash_pair(mix_kept(a ^ h, b), size);
}

/* The index ----------------------------------------------------------- */

static void index_enter(struct fl_index *x, uint64_t slot)
{
	uint32_t i = fl_index_first(x, slot);

	while (x->slot[i])
		i = (i + 1) & x->mask;
	x->slot[i] = slot;
}

/* A slot holds all that its place is made of: growing asks nobody. */
static bool index_grow(struct fl_index *x)
{
	size_t old_room = x->slot ? (size_t)x->mask + 1 : 0, i;
	size_t room = old_room ? 2 * old_room : 64;
	struct fl_index grown = { .count = x->count };

	if (room - 1 > UINT32_MAX)
		return false;
	grown.slot = fl_zeroed_touched(room, sizeof(*grown.slot));
	if (!grown.slot)
		return false;
	grown.mask = (uint32_t)(room - 1);
	for (i = 0; i < old_room; i++)
		if (x->slot[i])
			index_enter(&grown, x->slot[i]);
	fl_free(x->slot);
	*x = grown;
	return true;
}

bool fl_index_add(struct fl_index *x, uint64_t h, uint32_t id)
{
	/* At most 5/8 full; an index that cannot grow is used up to 7/8. */
	if ((!x->slot || x->count >= x->mask / 8 * 5) && !index_grow(x) &&
	    (!x->slot || x->count >= x->mask / 8 * 7))
		return false;
	index_enter(x, h >> 32 << 32 | id);
	x->count++;
	return true;
}

void fl_index_free(struct fl_index *x)
{
	fl_free(x->slot);
	memset(x, 0, sizeof(*x));
}

/* The map ------------------------------------------------------------- */

/* No key of a map as full as it gets is by chance as far from its place. */
enum { FAR = 1000 };

/* Most keys are found at their first place. */
static bool is_full(size_t n, size_t room)
{
	return n > room / 8 * 5;
}

static struct fl_map_entry *map_free_entry(const struct fl_map *map,
					   uint64_t key, size_t *far)
{
	size_t i = fl_map_first(map, key), first = i;

	while (map->entry[i].key)
		i = (i + 1) & map->mask;
	*far = (i - first) & map->mask;
	return &map->entry[i];
}

static void set_salt(struct fl_map *map, bool walked)
{
	map->salt = walked ? SALT : fl_hash_secret[0];
	map->factor = (walked ? FACTOR : fl_hash_secret[1]) | 1;
	map->ordered = walked;
}

static bool map_grow(struct fl_map *map, size_t room)
{
	size_t old_room = map->entry ? map->mask + 1 : 0, i, far;
	struct fl_map grown = *map;

	if (!map->entry)
		set_salt(&grown, map->ordered);
	grown.entry = fl_zeroed_touched(room, sizeof(*grown.entry));
	if (!grown.entry)
		return false;
	grown.mask = room - 1;
	for (i = 0; i < old_room; i++)
		if (map->entry[i].key)
			*map_free_entry(&grown, map->entry[i].key, &far) =
				map->entry[i];
	fl_free(map->entry);
	*map = grown;
	return true;
}

/* Written to be slow: it is no longer the same in every run. */
static bool map_hide(struct fl_map *map)
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
	size_t far = 0;

	if (key && (!map->entry || is_full(map->count + 1, map->mask + 1)) &&
	    !map_grow(map, map->entry ? 2 * (map->mask + 1) : 64))
		return NULL;
	if (key)
		e = map_free_entry(map, key, &far);
	else
		map->has_zero = true;
	if (fl_unlikely(far > FAR) && map->ordered) {
		if (!map_hide(map))
			return NULL;
		e = map_free_entry(map, key, &far);
	}
	e->key = key;
	e->value = 0;
	map->count++;
	return &e->value;
}

bool fl_map_reserve(struct fl_map *map, size_t more)
{
	size_t room = map->entry ? map->mask + 1 : 64, had = room;

	if (more > SIZE_MAX / 8 - map->count)
		return false;
	while (is_full(map->count + more, room))
		room *= 2;
	return (map->entry && room == had) || map_grow(map, room);
}

void fl_map_clear(struct fl_map *map)
{
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
