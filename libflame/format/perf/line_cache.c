/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A cache of frame lines of perf script, "ip symbol+0x1f (dso)", by which
 * fl_perf_cache_find() returns the frames of a line without parsing it: the
 * line is compared with the lines of known functions, without the numbers.  It
 * first tries the lines that followed the previous line before.  For perf.c and
 * record.c.
 */
#include "fl.h"

#include "format/perf/lines.h"

#include <stdlib.h>

enum {
	MAX_LINE_BYTES = 4096,	/* longer lines are not cached */
	UNIT = 32,		/* an id is an offset in data, in such units */
	CPU_LINE = 64		/* bytes of a line of the CPU's cache */
};

static inline struct fl_perf_cached *
line_at(const struct fl_perf_cache *cache, uint32_t id)
{
	return (struct fl_perf_cached *)(cache->data + (size_t)id * UNIT);
}

/* Prefetches the line and its text: most fit in three cache lines. */
static inline void prefetch(const struct fl_perf_cache *cache, uint32_t id)
{
	const char *at = cache->data + (size_t)id * UNIT;

	fl_prefetch(at);
	fl_prefetch(at + CPU_LINE);
	fl_prefetch(at + 2 * CPU_LINE);
}

/* A table has no branches, which digits would make unpredictable. */
static inline bool is_hex(char c)
{
	static const bool hex[256] = {
		['0'] = 1, ['1'] = 1, ['2'] = 1, ['3'] = 1, ['4'] = 1,
		['5'] = 1, ['6'] = 1, ['7'] = 1, ['8'] = 1, ['9'] = 1,
		['a'] = 1, ['b'] = 1, ['c'] = 1, ['d'] = 1, ['e'] = 1,
		['f'] = 1,
	};

	return hex[(unsigned char)c];
}

/*
 * "\t%16lx ", as perf writes it: the offset of the symbol, or NULL.  Sixteen
 * columns: blanks, then hexadecimal digits.
 */
static inline const char *skip_aligned(const char *at)
{
	unsigned blanks = fl_block_is(at + 1, ' ');

	return (blanks | fl_block_hex(at + 1)) == FL_BLOCK_ALL &&
	       !(blanks & (blanks + 1)) && blanks != FL_BLOCK_ALL ?
	       at + 18 : NULL;
}

static inline const char *skip_ip(const char *at, const char *end)
{
	const char *digits;

	if (end - at > 20 && at[0] == '\t' && at[17] == ' ' &&
	    at[18] != ' ' && at[18] != '(' && (digits = skip_aligned(at)))
		return digits;
	while (at < end && (*at == ' ' || *at == '\t'))
		at++;
	for (digits = at; at < end && is_hex(*at); at++)
		;
	if (at == digits || at - digits > 16 || end - at < 3 || *at != ' ' ||
	    at[1] == ' ' || at[1] == '\t' || at[1] == '(')
		return NULL;
	return at + 1;
}

/* "+0x1f" and then " (": how long the first is; 0: it is none. */
static size_t offset_size(const char *at, const char *end)
{
	size_t n = 3, size = end - at;

	if (size < 6 || memcmp(at, "+0x", 3) != 0)
		return 0;
	while (n < size && is_hex(at[n]))
		n++;
	return n > 3 && size - n > 2 && at[n] == ' ' && at[n + 1] == '(' ?
	       n : 0;
}

/* Splits the rest of a line after its address. */
struct parts {
	struct slice symbol, tail;	/* the newline included */
	bool offset;			/* one is between them */
};

static bool cut(const char *at, const char *end, struct parts *parts)
{
	const char *lf = memchr(at, '\n', end - at), *plus = at - 1;
	size_t n;

	if (!lf)
		return false;
	parts->offset = false;
	parts->symbol = (struct slice){ at, lf + 1 - at };
	parts->tail = (struct slice){ lf + 1, 0 };
	while ((plus = memchr(plus + 1, '+', lf - plus - 1))) {
		n = offset_size(plus, lf);
		if (!n || plus == at)
			continue;
		parts->offset = true;
		parts->symbol.size = plus - at;
		parts->tail = (struct slice){ plus + n, lf + 1 - plus - n };
		break;
	}
	return true;
}

static uint64_t hash_of(const struct parts *parts)
{
	uint64_t h = fl_hash(parts->symbol.data, parts->symbol.size);

	/* Modules differ in their last letters, or in their length. */
	if (parts->tail.size < 8)
		return h ^ parts->offset;
	return fl_hash_pair(
		h, fl_perf_read64(parts->tail.data + parts->tail.size - 8) ^
			   parts->tail.size);
}

/*
 * The end of the line if it equals this one from the symbol on, else NULL.  The
 * text after the symbol differs most, so it is compared first.
 */
static inline const char *match(const struct fl_perf_cached *cached,
				const char *at, const char *end)
{
	size_t least = (size_t)cached->symbol + cached->tail +
		       cached->offset * 4;
	const char *after = at + cached->symbol;

	if ((size_t)(end - at) < least ||
	    (cached->offset && (memcmp(after, "+0x", 3) != 0 ||
			       !is_hex(after[3]))) ||
	    !fl_perf_same(at, cached->text, cached->symbol))
		return NULL;
	if (!cached->offset)
		return after;
	for (at = after + 4; at < end && is_hex(*at); at++)
		;
	if ((size_t)(end - at) < cached->tail ||
	    !fl_perf_same(at, cached->text + cached->symbol, cached->tail))
		return NULL;
	return at + cached->tail;
}

static uint32_t find(const struct fl_perf_cache *cache, const char *at,
		     const char *end, const char **next)
{
	struct parts parts;
	uint64_t hash;
	uint32_t i, id;

	if (!cut(at, end, &parts))
		return 0;
	hash = hash_of(&parts);
	for (i = fl_index_first(&cache->index, hash);
	     (id = fl_index_next(&cache->index, hash, &i));)
		if (line_at(cache, id)->offset == parts.offset &&
		    (*next = match(line_at(cache, id), at, end)))
			return id;
	return 0;
}

/*
 * Bytes of the symbol after the package that many symbols share. 0: the symbol
 * is too short, compare it as a whole.
 */
static inline uint32_t key_of(const char *symbol, size_t n)
{
	enum { AT = 24 };
	uint32_t key = 0;

	if (n >= AT + sizeof(key))
		memcpy(&key, symbol + AT, sizeof(key));
	return key;
}

/* Predicts the line from those that followed the last one. 0: no match. */
static inline uint32_t guess(const struct fl_perf_cache *cache,
			     const struct fl_perf_cached *last, const char *at,
			     const char *end, const char **next)
{
	uint32_t key = key_of(at, end - at);

	for (unsigned i = 0; i < FL_PERF_NEXTS && last->next[i].id; i++) {
		struct fl_perf_next n = last->next[i];

		if ((n.key == key || !n.key) &&
		    (*next = match(line_at(cache, n.id), at, end)))
			return n.id;
	}
	return 0;
}

const struct fl_perf_cached *fl_perf_cache_find(struct fl_perf_cache *cache,
						const char **at,
						const char *end)
{
	struct fl_perf_cached *last;
	const char *symbol, *next;
	uint32_t id;

	if (!cache->size || !(symbol = skip_ip(*at, end)))
		return NULL;
	last = line_at(cache, cache->last);
	id = guess(cache, last, symbol, end, &next);
	if (!id) {
		id = find(cache, symbol, end, &next);
		if (!id)
			return NULL;
		memmove(last->next + 1, last->next,
			(FL_PERF_NEXTS - 1) * sizeof(*last->next));
		last->next[0] = (struct fl_perf_next){
			id, key_of(line_at(cache, id)->text,
				   line_at(cache, id)->symbol)
		};
	}
	line_at(cache, cache->before)->second = id;
	cache->before = cache->last;
	cache->last = id;
	*at = next;
	last = line_at(cache, id);
	prefetch(cache, last->second);
	return last;
}

/*
 * Whether the line has only parts that determine the function, so that the
 * cache has at most as many lines as functions.
 */
static bool is_plain(const struct parts *parts,
		     const struct fl_perf_frame *frame)
{
	struct slice rest = parts->tail;

	if (parts->symbol.data != frame->symbol.data ||
	    parts->symbol.size < frame->symbol.size)
		return false;
	if (!parts->offset)
		rest = (struct slice){ frame->symbol.data + frame->symbol.size,
			parts->symbol.size - frame->symbol.size };
	else if (parts->symbol.size != frame->symbol.size)
		return false;
	while (rest.size && memchr("\r\n", rest.data[rest.size - 1], 2))
		rest.size--;
	return fl_slice_is(rest, " (inlined)") ||
	       rest.size == frame->dso.size + sizeof(" ()") - 1 ||
	       rest.size == frame->dso.size + sizeof(" ( (deleted))") - 1;
}

static struct fl_perf_cached *new_line(struct fl_perf_cache *cache,
				       size_t text)
{
	size_t size = sizeof(struct fl_perf_cached) + text + UNIT - 1;
	struct fl_perf_cached *cached;

	size -= size % UNIT;
	if ((cache->size + size) / UNIT > UINT32_MAX ||
	    !fl_grow(&cache->data, &cache->capacity, cache->size + size, 1))
		return NULL;
	cached = (struct fl_perf_cached *)(cache->data + cache->size);
	cache->size += size;
	memset(cached, 0, sizeof(*cached));
	return cached;
}

bool fl_perf_cache_add(struct fl_perf_cache *cache, struct slice line,
		       const struct fl_perf_frame *frame,
		       const struct fl_perf_line *meaning)
{
	const char *end = line.data + line.size,
		   *symbol = skip_ip(line.data, end);
	struct fl_perf_cached *cached;
	struct parts parts;
	const char *next;
	size_t id;

	if (symbol && cache->size && find(cache, symbol, end, &next))
		return true;
	if (!symbol || !cut(symbol, end, &parts) ||
	    line.size > MAX_LINE_BYTES || !is_plain(&parts, frame) ||
	    (!cache->size && !new_line(cache, 0)))
		return false;
	id = cache->size / UNIT;
	cached = new_line(cache, parts.symbol.size + parts.tail.size);
	if (!cached ||
	    !fl_index_add(&cache->index, hash_of(&parts), (uint32_t)id))
		return false;
	cached->symbol = (uint32_t)parts.symbol.size;
	cached->tail = (uint32_t)parts.tail.size;
	cached->offset = parts.offset;
	cached->first = meaning->first;
	cached->n = meaning->n;
	cached->stop = meaning->stop;
	memcpy(cached->text, parts.symbol.data, parts.symbol.size);
	memcpy(cached->text + parts.symbol.size, parts.tail.data,
	       parts.tail.size);
	return true;
}

void fl_perf_cache_free(struct fl_perf_cache *cache)
{
	fl_index_free(&cache->index);
	fl_free(cache->data);
	memset(cache, 0, sizeof(*cache));
}
