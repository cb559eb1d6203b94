/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The decoder of UTF-16, to UTF-8: with a byte order mark, as PowerShell's >
 * writes it, or of ASCII without one.  A row of decoders.c, which layer.c reads
 * by.
 */
#include "fl.h"

#include "io/decoders.h"

#include <stdlib.h>

enum {
	MARK = 0xfeff, TURNED_MARK = 0xfffe, INSTEAD = 0xfffd,
	MIN_UNMARKED = 32	/* bytes; a shorter head is not UTF-16 */
};

struct utf16 {
	bool big;		/* endian */
	bool line;		/* a byte order mark may begin here */
};

/* Whether every second byte is 0, and the others are of a text. */
static bool is_unmarked(const uint8_t *head, size_t n, bool big)
{
	if (n < MIN_UNMARKED)
		return false;
	for (size_t i = 0; i < MIN_UNMARKED; i += 2) {
		uint8_t c = head[i + big];

		if (head[i + !big] ||
		    ((c < 0x20 || c > 0x7e) && c != '\t' && c != '\n' &&
		     c != '\r'))
			return false;
	}
	return true;
}

/* FF FE 00 00 would be UTF-32. */
static unsigned bid(const uint8_t *head, size_t n)
{
	if (n < 4 || (head[2] == 0 && head[3] == 0))
		return 0;
	return (head[0] == 0xff && head[1] == 0xfe) ||
	       (head[0] == 0xfe && head[1] == 0xff) ||
	       is_unmarked(head, n, false) || is_unmarked(head, n, true) ?
	       16 : 0;
}

static uint32_t unit(const struct utf16 *utf16, const uint8_t *at)
{
	return utf16->big ? (uint32_t)at[0] << 8 | at[1] : fl_le16(at);
}

/* A byte order mark at the start of a line, where files were joined. */
static bool is_mark(struct utf16 *utf16, uint32_t c)
{
	if (!utf16->line || (c != MARK && c != TURNED_MARK))
		return false;
	utf16->big ^= c == TURNED_MARK;
	return true;
}

/* A character of n > 0 bytes; the size it has in UTF-16, or 0: cut. */
static size_t read_char(const struct utf16 *utf16, const uint8_t *at, size_t n,
			uint32_t *c)
{
	uint32_t low;

	if (n < 2)
		return 0;
	*c = unit(utf16, at);
	if (*c < 0xd800 || *c > 0xdfff)
		return 2;
	if (*c < 0xdc00 && n < 4)
		return 0;
	low = *c < 0xdc00 ? unit(utf16, at + 2) : 0;
	if (low < 0xdc00 || low > 0xdfff) {
		*c = INSTEAD;
		return 2;
	}
	*c = 0x10000 + ((*c - 0xd800) << 10) + (low - 0xdc00);
	return 4;
}

static size_t put(uint8_t *out, uint32_t c)
{
	size_t n = c < 0x80 ? 1 : c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
	static const uint8_t lead[] = { 0, 0, 0xc0, 0xe0, 0xf0 };

	for (size_t i = n; i-- > 1; c >>= 6)
		out[i] = (uint8_t)(0x80 | (c & 0x3f));
	out[0] = (uint8_t)(lead[n] | c);
	return n;
}

static size_t transcode(struct utf16 *utf16, struct fl_in *under,
			uint8_t *out, size_t capacity, const char **damage)
{
	const uint8_t *at;
	size_t n, used = 0, size, made = 0;
	uint32_t c;

	at = fl_in_peek(under, 4, &n);
	while (used < n && made + 4 <= capacity) {
		size = read_char(utf16, at + used, n - used, &c);
		if (!size)
			break;
		used += size;
		if (is_mark(utf16, c))
			continue;
		utf16->line = c == '\n';
		made += put(out + made, c);
	}
	/* Four bytes were asked for: fewer are the end. */
	if (n && !used) {
		*damage = "the UTF-16 text ends within a character";
		used = n;
	}
	fl_in_consume(under, used);
	return made;
}

/* Reads again while nothing but a byte order mark was decoded. */
static size_t read_utf16(void *state, struct fl_in *under, uint8_t *out,
			 size_t capacity, const char **damage)
{
	size_t made = 0, n;

	do {
		made = transcode(state, under, out, capacity, damage);
		fl_in_peek(under, 1, &n);
	} while (!made && n && !*damage);
	return made;
}

static void *begin(struct flame *flame, struct fl_in *under)
{
	struct utf16 *utf16 = fl_zeroed(1, sizeof(*utf16));
	const uint8_t *head;
	size_t n;

	if (!utf16) {
		fl_no_memory(flame);
		return NULL;
	}
	head = fl_in_peek(under, 2, &n);
	utf16->big = head[0] == 0xfe || !head[0];
	utf16->line = true;
	return utf16;
}

const struct fl_decoder fl_decoder_utf16 = {
	.name = "UTF-16", .bid = bid, .begin = begin, .read = read_utf16,
	.end = fl_free,
};
