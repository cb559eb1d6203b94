/* SPDX-License-Identifier: Apache-2.0 */
/*
 * JFR's scalars.  Compressed integers are LEB128 of at most nine bytes, the
 * ninth with eight bits; other numbers are big-endian.  A read past the end
 * returns 0 and sets `bad`, so that a parse loop asks once.
 */
#ifndef FL_JFR_WIRE_H
#define FL_JFR_WIRE_H

#include "fl.h"

#ifdef __SSE2__
#include <emmintrin.h>
#endif
/* A one in every byte: times it, bytes are summed up. */
#define FL_WIRE_LOW UINT64_C(0x0101010101010101)

struct fl_wire {
	const uint8_t *at, *end;
	bool compressed;
	bool bad;
};

static inline uint64_t fl_be(const uint8_t *at, unsigned size)
{
	uint64_t n = 0;

	while (size--)
		n = n << 8 | *at++;
	return n;
}

uint64_t fl_wire_varint_slow(struct fl_wire *w);

/* Bytes whose top bit is clear end an integer: eight are tested at once. */
static inline uint64_t fl_wire_word(const uint8_t *at)
{
	uint64_t word;

	memcpy(&word, at, 8);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
	word = __builtin_bswap64(word);
#endif
	return word;
}

/* The low seven bits of each byte, side by side. */
static inline uint64_t fl_wire_pack(uint64_t n)
{
	n &= 0x7f7f7f7f7f7f7f7fu;
	n = (n & 0x007f007f007f007fu) | (n & 0x7f007f007f007f00u) >> 1;
	n = (n & 0x00003fff00003fffu) | (n & 0x3fff00003fff0000u) >> 2;
	return (n & 0x000000000fffffffu) | (n & 0x0fffffff00000000u) >> 4;
}

/* The reverse, of a number of 56 bits. */
static inline uint64_t fl_wire_spread(uint64_t n)
{
	n = (n & 0x000000000fffffffu) | (n & 0x00fffffff0000000u) << 4;
	n = (n & 0x00003fff00003fffu) | (n & 0x0fffc0000fffc000u) << 2;
	return (n & 0x007f007f007f007fu) | (n & 0x3f803f803f803f80u) << 1;
}

/* Of a number's first `size` bytes only, which are few as a rule. */
static inline uint64_t fl_wire_pack_low(uint64_t word, unsigned size)
{
	uint32_t n = word;

	if (fl_unlikely(size > 3))
		return fl_wire_pack(size < 8 ?
				    word & ~(~UINT64_C(0) << 8 * size) : word);
	n &= 0x7f7f7fu >> (24 - 8 * size);
	return (n & 0x7f) | (n >> 1 & 0x3f80) | (n >> 2 & 0x1fc000);
}

/* Without a look at the end: nine bytes must be there. */
static inline const uint8_t *fl_wire_take(const uint8_t *at, uint64_t *n)
{
	uint64_t word, ends;

	if (at[0] < 0x80) {
		*n = at[0];
		return at + 1;
	}
	word = fl_wire_word(at);
	ends = ~word & 0x8080808080808080u;
	if (fl_unlikely(!ends)) {
		*n = fl_wire_pack(word) | (uint64_t)at[8] << 56;
		return at + 9;
	}
	*n = fl_wire_pack(word & (ends ^ (ends - 1)));
	return at + __builtin_ctzll(ends) / 8 + 1;
}

static inline const uint8_t *fl_wire_pass(const uint8_t *at)
{
	uint64_t ends = ~fl_wire_word(at) & 0x8080808080808080u;

	return at + (ends ? __builtin_ctzll(ends) / 8 + 1 : 9);
}

/*
 * Whether the n characters of a string, which are there, are n bytes of ASCII:
 * Latin-1 (kind 5), or UTF-16 (kind 4) in compressed integers.
 */
static inline bool fl_wire_is_ascii(const struct fl_wire *w, uint8_t kind,
				    uint32_t n)
{
	uint32_t i;

	if (kind != 5 && (kind != 4 || !w->compressed))
		return false;
	for (i = fl_ascii((const char *)w->at, n); i < n; i++)
		if (w->at[i] >= 0x80)
			return false;
	return true;
}

/* A bit for each of 64 bytes that ends an integer. */
static inline uint64_t fl_wire_ends(const uint8_t *at)
{
	uint64_t ends = 0;

#ifdef __SSE2__
	for (unsigned i = 4; i--;)
		ends = ends << 16 | (uint16_t)~_mm_movemask_epi8(
			_mm_loadu_si128((const __m128i *)(at + 16 * i)));
#else
	for (unsigned i = 8; i--;)
		ends = ends << 8 |
		       (~fl_wire_word(at + 8 * i) >> 7 & FL_WIRE_LOW) *
		       0x0102040810204080u >> 56;
#endif
	return ends;
}

/* A bit for each of 16 bytes that does not. */
static inline uint32_t fl_wire_not_ends_16(const uint8_t *at)
{
#ifdef __SSE2__
	return _mm_movemask_epi8(_mm_loadu_si128((const __m128i *)at));
#else
	uint32_t not_ends = 0;

	for (unsigned i = 2; i--;)
		not_ends = not_ends << 8 |
			   (fl_wire_word(at + 8 * i) >> 7 & FL_WIRE_LOW) *
			   0x0102040810204080u >> 56;
	return not_ends;
#endif
}

/* A bit for each of 32 bytes that does; bits above are set, too. */
static inline uint64_t fl_wire_ends_32(const uint8_t *at)
{
	return ~(uint64_t)(fl_wire_not_ends_16(at) |
			   fl_wire_not_ends_16(at + 16) << 16);
}

/*
 * Whether eight bytes in a row have no end: then the ninth ends the integer,
 * whatever its top bit is, and fl_wire_ends alone is not enough.
 */
static inline bool fl_wire_is_long(uint64_t ends)
{
	uint64_t on = ~ends;

	on &= on >> 1;
	on &= on >> 2;
	return on & on >> 4;
}

enum { FL_WIRE_SOME = 16 };

/*
 * Over up to `n` integers, one at least, in 32 bytes that can be looked
 * at.  NULL: they are not within these, or one is of nine bytes.
 */
static inline const uint8_t *fl_wire_pass_some(const uint8_t *at, unsigned n)
{
	uint64_t ends = fl_wire_ends_32(at);
	unsigned last;

	if (fl_unlikely(fl_wire_is_long(ends)))
		return NULL;
	while (--n)
		ends &= ends - 1;
	last = __builtin_ctzll(ends);
	return last < 32 ? at + last + 1 : NULL;
}

static inline uint64_t fl_wire_varint(struct fl_wire *w)
{
	uint64_t n;

	if (fl_unlikely(w->end - w->at < 9))
		return fl_wire_varint_slow(w);
	w->at = fl_wire_take(w->at, &n);
	return n;
}

static inline uint64_t fl_wire_fixed(struct fl_wire *w, unsigned size)
{
	uint64_t n;

	if (fl_unlikely((size_t)(w->end - w->at) < size)) {
		w->bad = true;
		w->at = w->end;
		return 0;
	}
	n = fl_be(w->at, size);
	w->at += size;
	return n;
}

/* Framing: sizes, counts (4 bytes raw) and ids, times (8 bytes raw). */
static inline uint32_t fl_wire_int(struct fl_wire *w)
{
	return w->compressed ? (uint32_t)fl_wire_varint(w) :
			       (uint32_t)fl_wire_fixed(w, 4);
}

static inline uint64_t fl_wire_long(struct fl_wire *w)
{
	return w->compressed ? fl_wire_varint(w) : fl_wire_fixed(w, 8);
}

static inline void fl_wire_skip(struct fl_wire *w, uint64_t n)
{
	if (fl_unlikely((uint64_t)(w->end - w->at) < n)) {
		w->bad = true;
		w->at = w->end;
		return;
	}
	w->at += n;
}

/*
 * Ends the wire `size` bytes after begin.  false: more than these have been
 * read already, or there are fewer.
 */
static inline bool fl_wire_within(struct fl_wire *w, const uint8_t *begin,
				  uint64_t size)
{
	if (fl_unlikely(size < (uint64_t)(w->at - begin) ||
			size > (uint64_t)(w->end - begin)))
		return false;
	w->end = begin + size;
	return true;
}

/* Over n compressed integers. */
void fl_wire_skip_varints(struct fl_wire *w, uint64_t n);

#endif
