/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A cache of frame lines, "ip symbol+0x1f (dso)": a line is compared, but for
 * its numbers, with the lines of known functions.  The line that followed last
 * time is tried first.
 */
#include "fl.h"

#include "format/perf/lines.h"

#include <stdlib.h>

enum {
	MAX_LINE_BYTES = 4096,		/* lines that are longer are not kept */
	UNIT = 32,		/* ids are places in the table, in such units */
	LINE = 64		/* of the CPU's cache */
};

static inline struct fl_perf_shape *
shape_at(const struct fl_perf_shapes *shapes, uint32_t id)
{
	return (struct fl_perf_shape *)(shapes->at + (size_t)id * UNIT);
}

/* With its text: most are of so many lines. */
static inline void fetch(const struct fl_perf_shapes *shapes, uint32_t id)
{
	const char *at = shapes->at + (size_t)id * UNIT;

	fl_prefetch(at);
	fl_prefetch(at + LINE);
	fl_prefetch(at + 2 * LINE);
}

/* Digits are as good as random: a table does not guess which kind comes. */
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
 * "\t%16lx ", as perf writes it: where the symbol begins, or NULL.  Blanks
 * are the first of the sixteen, if there are any, and hex digits the others.
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

/* What is left of a line behind its address, in parts. */
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
 * The end of a line that is of this shape from its symbol on, or NULL.  What
 * stands behind the symbol tells most of the others apart.
 */
static inline const char *match(const struct fl_perf_shape *shape,
				const char *at, const char *end)
{
	size_t least = (size_t)shape->symbol + shape->tail + shape->offset * 4;
	const char *behind = at + shape->symbol;

	if ((size_t)(end - at) < least ||
	    (shape->offset && (memcmp(behind, "+0x", 3) != 0 ||
			       !is_hex(behind[3]))) ||
	    !fl_perf_same(at, shape->text, shape->symbol))
		return NULL;
	if (!shape->offset)
		return behind;
	for (at = behind + 4; at < end && is_hex(*at); at++)
		;
	if ((size_t)(end - at) < shape->tail ||
	    !fl_perf_same(at, shape->text + shape->symbol, shape->tail))
		return NULL;
	return at + shape->tail;
}

static uint32_t find(const struct fl_perf_shapes *shapes, const char *at,
		     const char *end, const char **next)
{
	struct parts parts;
	uint64_t hash;
	uint32_t i, id;

	if (!cut(at, end, &parts))
		return 0;
	hash = hash_of(&parts);
	for (i = fl_index_first(&shapes->index, hash);
	     (id = fl_index_next(&shapes->index, hash, &i));)
		if (shape_at(shapes, id)->offset == parts.offset &&
		    (*next = match(shape_at(shapes, id), at, end)))
			return id;
	return 0;
}

/*
 * Where symbols differ, behind the package that many share.  0: it may be
 * any, as it is short.
 */
static inline uint32_t key_of(const char *symbol, size_t n)
{
	enum { AT = 24 };
	uint32_t key = 0;

	if (n >= AT + sizeof(key))
		memcpy(&key, symbol + AT, sizeof(key));
	return key;
}

/* Of what followed this one, which is what the line is?  0: none. */
static inline uint32_t guess(const struct fl_perf_shapes *shapes,
			     const struct fl_perf_shape *last, const char *at,
			     const char *end, const char **next)
{
	uint32_t key = key_of(at, end - at);

	for (unsigned i = 0; i < FL_PERF_NEXTS && last->next[i].id; i++) {
		struct fl_perf_next n = last->next[i];

		if ((n.key == key || !n.key) &&
		    (*next = match(shape_at(shapes, n.id), at, end)))
			return n.id;
	}
	return 0;
}

const struct fl_perf_shape *fl_perf_shape_of(struct fl_perf_shapes *shapes,
					     const char **at, const char *end)
{
	struct fl_perf_shape *last;
	const char *symbol, *next;
	uint32_t id;

	if (!shapes->n || !(symbol = skip_ip(*at, end)))
		return NULL;
	last = shape_at(shapes, shapes->last);
	id = guess(shapes, last, symbol, end, &next);
	if (!id) {
		id = find(shapes, symbol, end, &next);
		if (!id)
			return NULL;
		memmove(last->next + 1, last->next,
			(FL_PERF_NEXTS - 1) * sizeof(*last->next));
		last->next[0] = (struct fl_perf_next){
			id, key_of(shape_at(shapes, id)->text,
				   shape_at(shapes, id)->symbol)
		};
	}
	shape_at(shapes, shapes->before)->second = id;
	shapes->before = shapes->last;
	shapes->last = id;
	*at = next;
	last = shape_at(shapes, id);
	fetch(shapes, last->second);
	return last;
}

/*
 * Whether the line is nothing but what makes the function, so that there
 * are no more shapes than functions.
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

static struct fl_perf_shape *new_shape(struct fl_perf_shapes *shapes,
				       size_t text)
{
	size_t size = sizeof(struct fl_perf_shape) + text + UNIT - 1;
	struct fl_perf_shape *shape;

	size -= size % UNIT;
	if ((shapes->n + size) / UNIT > UINT32_MAX ||
	    !fl_grow(&shapes->at, &shapes->room, shapes->n + size, 1))
		return NULL;
	shape = (struct fl_perf_shape *)(shapes->at + shapes->n);
	shapes->n += size;
	memset(shape, 0, sizeof(*shape));
	return shape;
}

bool fl_perf_shape_add(struct fl_perf_shapes *shapes, struct slice line,
		       const struct fl_perf_frame *frame,
		       const struct fl_perf_line *meaning)
{
	const char *end = line.data + line.size,
		   *symbol = skip_ip(line.data, end);
	struct fl_perf_shape *shape;
	struct parts parts;
	const char *next;
	size_t id;

	if (symbol && shapes->n && find(shapes, symbol, end, &next))
		return true;
	if (!symbol || !cut(symbol, end, &parts) ||
	    line.size > MAX_LINE_BYTES || !is_plain(&parts, frame) ||
	    (!shapes->n && !new_shape(shapes, 0)))
		return false;
	id = shapes->n / UNIT;
	shape = new_shape(shapes, parts.symbol.size + parts.tail.size);
	if (!shape ||
	    !fl_index_add(&shapes->index, hash_of(&parts), (uint32_t)id))
		return false;
	shape->symbol = (uint32_t)parts.symbol.size;
	shape->tail = (uint32_t)parts.tail.size;
	shape->offset = parts.offset;
	shape->first = meaning->first;
	shape->n = meaning->n;
	shape->stop = meaning->stop;
	memcpy(shape->text, parts.symbol.data, parts.symbol.size);
	memcpy(shape->text + parts.symbol.size, parts.tail.data,
	       parts.tail.size);
	return true;
}

void fl_perf_shapes_free(struct fl_perf_shapes *shapes)
{
	fl_index_free(&shapes->index);
	fl_free(shapes->at);
	memset(shapes, 0, sizeof(*shapes));
}
