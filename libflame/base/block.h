/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tests of sixteen bytes at once: each returns a mask with a bit per byte, the
 * lowest for the first.  Names in 4 test four blocks, 64 bytes.
 */
#ifndef FL_BLOCK_H
#define FL_BLOCK_H

#include <stdint.h>
#include <string.h>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

enum { FL_BLOCK_SIZE = 16, FL_BLOCK_ALL = 0xffff };

#ifdef __SSE2__
static inline __m128i fl_block_at(const void *at)
{
	return _mm_loadu_si128((const __m128i *)at);
}

static inline unsigned fl_block_is(const void *at, char c)
{
	return (unsigned)_mm_movemask_epi8(_mm_cmpeq_epi8(fl_block_at(at),
							  _mm_set1_epi8(c)));
}

static inline unsigned fl_block_same(const void *a, const void *b)
{
	return (unsigned)_mm_movemask_epi8(_mm_cmpeq_epi8(fl_block_at(a),
							  fl_block_at(b)));
}

/* Whether 64 bytes are equal. */
static inline int fl_block_same4(const char *a, const char *b)
{
	__m128i same = _mm_cmpeq_epi8(fl_block_at(a), fl_block_at(b));

	for (int i = FL_BLOCK_SIZE; i < 4 * FL_BLOCK_SIZE; i += FL_BLOCK_SIZE)
		same = _mm_and_si128(same, _mm_cmpeq_epi8(fl_block_at(a + i),
							  fl_block_at(b + i)));
	return _mm_movemask_epi8(same) == FL_BLOCK_ALL;
}

/* Control characters of ASCII. */
static inline unsigned fl_block_control(const void *at)
{
	__m128i x = fl_block_at(at);
	__m128i least = _mm_min_epu8(x, _mm_set1_epi8(0x1f));
	__m128i del = _mm_cmpeq_epi8(x, _mm_set1_epi8(0x7f));

	return (unsigned)_mm_movemask_epi8(
		_mm_or_si128(_mm_cmpeq_epi8(x, least), del));
}

/* Whether all of 64 bytes are ASCII and not below c. */
static inline int fl_block_ascii4(const void *at, char c)
{
	__m128i any = fl_block_at(at), least = any, x;

	for (int i = FL_BLOCK_SIZE; i < 4 * FL_BLOCK_SIZE;
	     i += FL_BLOCK_SIZE) {
		x = fl_block_at((const char *)at + i);
		any = _mm_or_si128(any, x);
		least = _mm_min_epu8(least, x);
	}
	/* Subtracting c sets the highest bit of bytes below c. */
	least = _mm_sub_epi8(least, _mm_set1_epi8(c));
	return !_mm_movemask_epi8(_mm_or_si128(any, least));
}

/* Printable ASCII that XML does not escape. */
static inline unsigned fl_block_usual(const void *at)
{
	__m128i x = fl_block_at(at);
	__m128i odd = _mm_cmplt_epi8(x, _mm_set1_epi8(' '));

	odd = _mm_or_si128(odd, _mm_cmpeq_epi8(x, _mm_set1_epi8(0x7f)));
	odd = _mm_or_si128(odd, _mm_cmpeq_epi8(x, _mm_set1_epi8('&')));
	odd = _mm_or_si128(odd, _mm_cmpeq_epi8(x, _mm_set1_epi8('<')));
	odd = _mm_or_si128(odd, _mm_cmpeq_epi8(x, _mm_set1_epi8('>')));
	odd = _mm_or_si128(odd, _mm_cmpeq_epi8(x, _mm_set1_epi8('"')));
	odd = _mm_or_si128(odd, _mm_cmpeq_epi8(x, _mm_set1_epi8('\'')));
	return (unsigned)_mm_movemask_epi8(odd) ^ FL_BLOCK_ALL;
}

/* ( ) [ ] < > */
static inline unsigned fl_block_bracket(const void *at)
{
	__m128i x = fl_block_at(at);
	/* '(' and ')', '<' and '>' differ in one bit. */
	__m128i is = _mm_cmpeq_epi8(_mm_or_si128(x, _mm_set1_epi8(1)),
				    _mm_set1_epi8(')'));

	is = _mm_or_si128(is, _mm_cmpeq_epi8(
		_mm_or_si128(x, _mm_set1_epi8(2)), _mm_set1_epi8('>')));
	is = _mm_or_si128(is, _mm_cmpeq_epi8(x, _mm_set1_epi8('[')));
	is = _mm_or_si128(is, _mm_cmpeq_epi8(x, _mm_set1_epi8(']')));
	return (unsigned)_mm_movemask_epi8(is);
}

/* Lower case hexadecimal digits. */
static inline unsigned fl_block_hex(const void *at)
{
	__m128i x = fl_block_at(at);
	__m128i digit = _mm_sub_epi8(x, _mm_set1_epi8('0'));
	__m128i letter = _mm_sub_epi8(x, _mm_set1_epi8('a'));

	digit = _mm_cmpeq_epi8(digit, _mm_min_epu8(digit, _mm_set1_epi8(9)));
	letter = _mm_cmpeq_epi8(letter,
				_mm_min_epu8(letter, _mm_set1_epi8(5)));
	return (unsigned)_mm_movemask_epi8(_mm_or_si128(digit, letter));
}
#else
static inline unsigned fl_block_is(const void *at, char c)
{
	unsigned mask = 0;

	for (unsigned i = 0; i < FL_BLOCK_SIZE; i++)
		mask |= (unsigned)(((const char *)at)[i] == c) << i;
	return mask;
}

static inline unsigned fl_block_same(const void *a, const void *b)
{
	unsigned mask = 0;

	for (unsigned i = 0; i < FL_BLOCK_SIZE; i++)
		mask |= (unsigned)(((const char *)a)[i] ==
				   ((const char *)b)[i]) << i;
	return mask;
}

/* Whether 64 bytes are equal. */
static inline int fl_block_same4(const char *a, const char *b)
{
	return memcmp(a, b, 4 * FL_BLOCK_SIZE) == 0;
}

/* Control characters of ASCII. */
static inline unsigned fl_block_control(const void *at)
{
	unsigned mask = 0;

	for (unsigned i = 0; i < FL_BLOCK_SIZE; i++) {
		uint8_t c = ((const uint8_t *)at)[i];

		mask |= (unsigned)(c < 0x20 || c == 0x7f) << i;
	}
	return mask;
}

/* Whether all of 64 bytes are ASCII and not below c. */
static inline int fl_block_ascii4(const void *at, char c)
{
	const uint8_t *byte = at;

	for (unsigned i = 0; i < 4 * FL_BLOCK_SIZE; i++)
		if (byte[i] < (uint8_t)c || byte[i] > 0x7f)
			return 0;
	return 1;
}

/* Printable ASCII that XML does not escape. */
static inline unsigned fl_block_usual(const void *at)
{
	unsigned mask = 0;

	for (unsigned i = 0; i < FL_BLOCK_SIZE; i++) {
		uint8_t c = ((const uint8_t *)at)[i];

		mask |= (unsigned)(c >= ' ' && c < 0x7f && c != '&' &&
				   c != '<' && c != '>' && c != '"' &&
				   c != '\'') << i;
	}
	return mask;
}

/* ( ) [ ] < > */
static inline unsigned fl_block_bracket(const void *at)
{
	unsigned mask = 0;

	for (unsigned i = 0; i < FL_BLOCK_SIZE; i++) {
		char c = ((const char *)at)[i];

		mask |= (unsigned)(c == '(' || c == ')' || c == '[' ||
				   c == ']' || c == '<' || c == '>') << i;
	}
	return mask;
}

/* Lower case hexadecimal digits. */
static inline unsigned fl_block_hex(const void *at)
{
	unsigned mask = 0;

	for (unsigned i = 0; i < FL_BLOCK_SIZE; i++) {
		uint8_t c = ((const uint8_t *)at)[i];

		mask |= (unsigned)((c >= '0' && c <= '9') ||
				   (c >= 'a' && c <= 'f')) << i;
	}
	return mask;
}
#endif

/* Four masks as one. */
static inline uint64_t fl_block_join(unsigned a, unsigned b, unsigned c,
				     unsigned d)
{
	return (a | b << 16) | (uint64_t)(c | d << 16) << 32;
}

static inline uint64_t fl_block_is4(const char *at, char c)
{
	return fl_block_join(fl_block_is(at, c), fl_block_is(at + 16, c),
			     fl_block_is(at + 32, c), fl_block_is(at + 48, c));
}

static inline uint64_t fl_block_control4(const char *at)
{
	return fl_block_join(fl_block_control(at), fl_block_control(at + 16),
			     fl_block_control(at + 32),
			     fl_block_control(at + 48));
}

/* Whether n bytes are equal; a block after either end must be readable. */
static inline int fl_block_equal(const char *a, const char *b, size_t n)
{
	size_t i = 0;

	for (; i + FL_BLOCK_SIZE <= n; i += FL_BLOCK_SIZE)
		if (fl_block_same(a + i, b + i) != FL_BLOCK_ALL)
			return 0;
	return !(~fl_block_same(a + i, b + i) & ((1u << (n - i)) - 1));
}

#endif
