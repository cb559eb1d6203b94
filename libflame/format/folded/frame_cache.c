/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finds the frame of a text in the dictionary, for stack.c
 * (fl_folded_find_frame).  The dictionary's tables do not fit into the
 * processor's cache, so names that were seen more than once are in a small
 * two-way associative cache too, with their texts.
 */
#include "fl.h"

#include "format/folded/folded.h"

enum {
	MIN_ENTRIES = 64, MAX_ENTRIES = 8192,
	ALIGNMENT = 64,
	MAX_TEXT = 64		/* bytes copied into an entry */
};

struct fl_folded_entry {
	uint32_t hash;
	flame_id frame;		/* 0: an empty entry */
	uint16_t size;
	uint8_t type;
	bool opens;
	union {
		char text[MAX_TEXT];
		const char *long_text;	/* the dictionary's */
	};
};

/* The entries that a hash may be in: this one and the next. */
static struct fl_folded_entry *entries_of(const struct fl_folded_cache *c,
					  uint64_t hash)
{
	return &c->entries[(hash >> 40) & (c->count - 2)];
}

static inline uint64_t differ(const char *a, const char *b, size_t at)
{
	uint64_t x, y;

	memcpy(&x, a + at, sizeof(x));
	memcpy(&y, b + at, sizeof(y));
	return x ^ y;
}

/*
 * memcmp of up to MAX_TEXT bytes without a loop: compares words from both
 * ends, which may overlap.
 */
static inline bool is_same_text(const char *a, const char *b, size_t n)
{
	uint64_t d = 0;

	if (fl_unlikely(n < 8))
		return memcmp(a, b, n) == 0;
	if (n > 32) {
		for (size_t i = 0; i < 32; i += 8)
			d |= differ(a, b, i) | differ(a, b, n - 32 + i);
		return !d;
	}
	if (n > 16)
		d = differ(a, b, 8) | differ(a, b, n - 16);
	return !(d | differ(a, b, 0) | differ(a, b, n - 8));
}

static inline bool is_entry(const struct fl_folded_entry *e,
			    const struct fl_folded_frame *frame,
			    struct slice name)
{
	if (e->hash != (uint32_t)frame->hash || e->size != name.size ||
	    e->type != frame->type || !e->frame)
		return false;
	return fl_likely(name.size <= MAX_TEXT) ?
	       is_same_text(e->text, name.data, name.size) :
	       memcmp(e->long_text, name.data, name.size) == 0;
}

/* NULL: not in the cache. */
static const struct fl_folded_entry *
find_entry(const struct fl_folded_cache *c,
	   const struct fl_folded_frame *frame, struct slice name)
{
	const struct fl_folded_entry *e;

	if (!c->entries)
		return NULL;
	e = entries_of(c, frame->hash);
	if (fl_likely(is_entry(e, frame, name)))
		return e;
	return is_entry(e + 1, frame, name) ? e + 1 : NULL;
}

/* Starts again, empty and larger; on failure the cache is unchanged. */
static void grow(struct fl_folded_cache *c)
{
	size_t n = c->entries ? 4 * c->count : MIN_ENTRIES;
	void *memory = fl_zeroed_touched(n + 1, sizeof(*c->entries));

	if (!memory)
		return;
	fl_free(c->memory);
	c->memory = memory;
	c->entries = (struct fl_folded_entry *)
		(((uintptr_t)memory + ALIGNMENT - 1) & -(uintptr_t)ALIGNMENT);
	c->count = n;
	c->misses = 0;
}

/* Whether a larger cache is worth the time to fill it. */
static bool want_larger(struct fl_folded_cache *c, size_t names)
{
	return !c->entries || (c->count < MAX_ENTRIES &&
			       names > c->count / 2 &&
			       ++c->misses > 2 * c->count);
}

static void add_entry(struct fl_folded_stacks *s, flame_id name_id,
		      const struct fl_folded_frame *frame, struct slice name,
		      const struct fl_folded_name *known, flame_id id)
{
	struct fl_folded_cache *c = &s->cache;
	struct fl_folded_entry *e;

	if (want_larger(c, s->flame->names.count))
		grow(c);
	if (!c->entries || name.size > UINT16_MAX)
		return;
	e = entries_of(c, frame->hash);
	e[1] = e[0];
	e->hash = (uint32_t)frame->hash;
	e->frame = id;
	e->size = (uint16_t)name.size;
	e->type = frame->type;
	e->opens = known->opens;
	if (name.size > MAX_TEXT)
		e->long_text = s->flame->names.data[name_id].text;
	else
		memcpy(e->text, name.data, name.size);
}

/* NULL: out of memory. */
static struct fl_folded_name *name_at(struct fl_folded_cache *c, flame_id id)
{
	if (fl_unlikely(id >= c->names_capacity) &&
	    !fl_grow_zeroed(&c->names, &c->names_capacity, (size_t)id + 1,
			    sizeof(*c->names)))
		return NULL;
	return &c->names[id];
}

/* A frame that is not in the cache; 0: out of memory. */
static flame_id find_uncached(struct fl_folded_stacks *s, struct slice name,
			      const struct fl_folded_frame *frame, bool *opens)
{
	flame_id id =
		fl_name_hashed(s->flame, name.data, name.size, frame->hash);
	struct fl_folded_name *known = id ? name_at(&s->cache, id) : NULL;
	flame_id found;
	bool again;

	if (!known)
		return 0;
	again = known->frame;
	if (!again)
		*known = (struct fl_folded_name){
			.frame = fl_frame(s->flame, id, frame->type),
			.type = frame->type,
			.opens = !s->dialect->compat && fl_folded_opens(name)
		};
	*opens = known->opens;
	found = fl_likely(known->type == frame->type) ? known->frame :
		fl_frame(s->flame, id, frame->type);
	if (again)
		add_entry(s, id, frame, name, known, found);
	return found;
}

void fl_folded_set_frame(struct fl_folded_frame *frame, const char *text,
			 size_t size)
{
	enum flame_type type;
	struct slice name = fl_split_type((struct slice){ text, size },
					  &type);

	frame->type = (uint8_t)type;
	frame->size = name.size;
	frame->hash = fl_hash(name.data, name.size);
}

void fl_folded_prefetch_frame(const struct fl_folded_stacks *s, uint64_t hash)
{
	if (s->cache.entries) {
		const struct fl_folded_entry *e = entries_of(&s->cache, hash);

		fl_prefetch(e);
		fl_prefetch(e + 1);
	}
	fl_name_prefetch(s->flame, hash);
}

flame_id fl_folded_find_frame(struct fl_folded_stacks *s,
			      const struct fl_folded_frame *frame,
			      const char *text, bool *opens)
{
	struct slice name = { text, frame->size };
	const struct fl_folded_entry *e = find_entry(&s->cache, frame, name);

	if (fl_unlikely(!e))
		return find_uncached(s, name, frame, opens);
	*opens = e->opens;
	return e->frame;
}

flame_id fl_folded_find_joined(struct fl_folded_stacks *s, struct slice text)
{
	enum flame_type type;
	struct slice name = fl_split_type(text, &type);

	return fl_frame(s->flame, flame_name(s->flame, name.data, name.size),
			type);
}

void fl_folded_cache_free(struct fl_folded_cache *c)
{
	fl_free(c->names);
	fl_free(c->memory);
}
