/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Encodes and decodes numbers in the two encodings of Parquet's pages that our
 * files use: the hybrid of run lengths and packed bits (fl_parquet_put_hybrid,
 * fl_parquet_hybrid), and DELTA_BINARY_PACKED (fl_parquet_put_delta,
 * fl_parquet_delta).  For write.c and read.c.
 */
#include "fl.h"

#include "format/parquet/parquet.h"

enum { BLOCK = 128, MINIBLOCKS = 4, MINIBLOCK = BLOCK / MINIBLOCKS };

const char *const fl_parquet_types[FL_TYPES] = {
	[FLAME_INTERPRETED] = "0", [FLAME_C1] = "1", [FLAME_INLINED] = "i",
	[FLAME_JIT] = "j", [FLAME_KERNEL] = "k", [FLAME_WAKER] = "w",
};

static unsigned bits_of(uint64_t value)
{
	return value ? 64 - (unsigned)__builtin_clzll(value) : 0;
}

unsigned fl_parquet_width(size_t n)
{
	return n > 1 ? bits_of(n - 1) : 0;
}

/* Bits, the lowest first -------------------------------------------------- */

static void put_bits(struct fl_buf *to, const uint64_t *values, size_t n,
		     unsigned width)
{
	unsigned __int128 bits = 0;
	unsigned have = 0;

	for (size_t i = 0; i < n; i++) {
		bits |= (unsigned __int128)values[i] << have;
		for (have += width; have >= 8; have -= 8, bits >>= 8)
			fl_buf_byte(to, (char)(uint8_t)bits);
	}
}

static inline void read_bytes(const uint8_t *at, uint64_t *values, size_t n,
			      unsigned bytes)
{
	for (size_t i = 0; i < n; i++, at += bytes) {
		values[i] = 0;
		for (unsigned k = 0; k < bytes; k++)
			values[i] |= (uint64_t)at[k] << 8 * k;
	}
}

static void read_any_bits(const uint8_t *at, uint64_t *values, size_t n,
		      unsigned width)
{
	uint64_t mask = width == 64 ? UINT64_MAX :
				      (UINT64_C(1) << width) - 1;
	unsigned __int128 bits = 0;
	unsigned have = 0;

	for (size_t i = 0; i < n; i++) {
		for (; have < width; have += 8)
			bits |= (unsigned __int128)*at++ << have;
		values[i] = (uint64_t)bits & mask;
		bits >>= width;
		have -= width;
	}
}

/*
 * n * width is a number of whole bytes, which are there.  Our files have the
 * first three widths, each of which becomes a loop of its own.
 */
static void read_bits(const uint8_t *at, uint64_t *values, size_t n,
		      unsigned width)
{
	if (width == 8)
		read_bytes(at, values, n, 1);
	else if (width == 16)
		read_bytes(at, values, n, 2);
	else if (width == 32)
		read_bytes(at, values, n, 4);
	else
		read_any_bits(at, values, n, width);
}

/* Runs ---------------------------------------------------------------- */

static size_t run_length(const uint32_t *values, size_t n, size_t most)
{
	size_t i = 1;

	while (i < n && i < most && values[i] == values[0])
		i++;
	return i;
}

static void put_packed(struct fl_buf *to, const uint32_t *values, size_t n,
		       unsigned width)
{
	fl_put_varint(to, (n + 7) / 8 << 1 | 1);
	for (size_t i = 0; i < n; i += 8) {
		uint64_t group[8] = { 0 };

		for (size_t k = 0; k < 8 && i + k < n; k++)
			group[k] = values[i + k];
		put_bits(to, group, 8, width);
	}
}

void fl_parquet_put_hybrid(struct fl_buf *to, const uint32_t *values, size_t n,
			   unsigned width)
{
	size_t i = 0, from;

	while (i < n) {
		size_t run = run_length(values + i, n - i, n);

		if (run >= 8) {
			fl_put_varint(to, run << 1);
			for (unsigned k = 0; k < (width + 7) / 8; k++)
				fl_buf_byte(to, (char)(uint8_t)(values[i] >>
								8 * k));
			i += run;
			continue;
		}
		/* Only the last group may be filled up. */
		for (from = i; i < n && run_length(values + i, n - i, 8) < 8;)
			i = FL_MIN(i + 8, n);
		put_packed(to, values + from, i - from, width);
	}
}

static bool read_packed(struct fl_message *in, unsigned width,
			const struct fl_parquet_texts *texts,
			uint32_t *values, size_t n, uint64_t groups)
{
	uint64_t group[8];

	if (width && groups > (uint64_t)(in->end - in->next) / width)
		return false;
	for (size_t i = 0; i < n && groups; i += 8, groups--) {
		read_bits(in->next, group, 8, width);
		in->next += width;
		for (size_t k = 0; k < 8 && i + k < n; k++) {
			if (texts && group[k] >= texts->n)
				return false;
			values[i + k] = texts ? texts->ids[group[k]] :
						(uint32_t)group[k];
		}
	}
	return !groups;
}

bool fl_parquet_hybrid(struct fl_message *in, unsigned width,
		       const struct fl_parquet_texts *texts,
		       uint32_t *values, size_t n)
{
	size_t i = 0, bytes = (width + 7) / 8, run;
	uint64_t head;

	while (i < n) {
		uint32_t value = 0;

		if (in->next >= in->end || !fl_varint(in, &head) || head < 2)
			return false;
		if (head & 1) {
			if (head >> 1 > (n - i + 7) / 8 ||
			    !read_packed(in, width, texts, values + i, n - i,
					 head >> 1))
				return false;
			i += FL_MIN((head >> 1) * 8, n - i);
			continue;
		}
		if (head >> 1 > n - i ||
		    bytes > (size_t)(in->end - in->next))
			return false;
		for (size_t k = 0; k < bytes; k++)
			value |= (uint32_t)*in->next++ << 8 * k;
		if (texts && value >= texts->n)
			return false;
		value = texts ? texts->ids[value] : value;
		for (run = (size_t)(head >> 1); run; run--)
			values[i++] = value;
	}
	return true;
}

/* Deltas -------------------------------------------------------------- */

static void put_zigzag(struct fl_buf *to, int64_t value)
{
	fl_thrift_put_number(to, value);
}

struct range {
	int64_t least;		/* of the differences */
	unsigned width;		/* of what they are more, in bits */
};

static struct range range_of(const int64_t *values, size_t n)
{
	int64_t least = INT64_MAX, most = INT64_MIN;

	for (size_t i = 0; i + 1 < n; i++) {
		int64_t delta = (int64_t)((uint64_t)values[i + 1] -
					  (uint64_t)values[i]);

		least = FL_MIN(least, delta);
		most = FL_MAX(most, delta);
	}
	return (struct range){ least, n < 2 ? 0 :
		(bits_of((uint64_t)most - (uint64_t)least) + 7) / 8 * 8 };
}

static void put_block(struct fl_buf *to, const int64_t *values, size_t n,
		      struct range range)
{
	uint64_t delta[BLOCK] = { 0 };

	put_zigzag(to, range.least);
	for (size_t i = 0; i < n; i++)
		delta[i] = (uint64_t)values[i + 1] - (uint64_t)values[i] -
			   (uint64_t)range.least;
	for (size_t m = 0; m < MINIBLOCKS; m++)
		fl_buf_byte(to, m * MINIBLOCK < n ? (char)range.width : 0);
	for (size_t m = 0; m * MINIBLOCK < n; m++)
		put_bits(to, delta + m * MINIBLOCK, MINIBLOCK, range.width);
}

/*
 * All blocks have one least difference and one width, of whole bytes: more than
 * they need, but zstd finds differences that come again, as it does not where
 * each block has its own.
 */
void fl_parquet_put_delta(struct fl_buf *to, const int64_t *values, size_t n)
{
	struct range range = range_of(values, n);

	fl_put_varint(to, BLOCK);
	fl_put_varint(to, MINIBLOCKS);
	fl_put_varint(to, n);
	put_zigzag(to, n ? values[0] : 0);
	for (size_t i = 0; i + 1 < n; i += BLOCK)
		put_block(to, values + i, FL_MIN(n - 1 - i, (size_t)BLOCK),
			  range);
}

static bool read_block(struct fl_message *in, int64_t *values, size_t n)
{
	uint64_t delta[MINIBLOCK], least;
	const uint8_t *width;

	if (in->next >= in->end)
		return false;
	least = (uint64_t)fl_thrift_read_number(in);
	width = in->next;
	if (in->damaged || in->end - in->next < MINIBLOCKS)
		return false;
	in->next += MINIBLOCKS;
	for (size_t m = 0; m * MINIBLOCK < n; m++) {
		size_t bytes = (size_t)width[m] * MINIBLOCK / 8;

		if (width[m] > 64 || bytes > (size_t)(in->end - in->next))
			return false;
		read_bits(in->next, delta, MINIBLOCK, width[m]);
		in->next += bytes;
		for (size_t k = 0, i = m * MINIBLOCK;
		     k < MINIBLOCK && i < n; k++, i++)
			values[i + 1] = (int64_t)((uint64_t)values[i] + least +
						  delta[k]);
	}
	return true;
}

bool fl_parquet_delta(struct fl_message *in, int64_t *values, size_t n)
{
	uint64_t block = 0, miniblocks = 0, count = 0;
	int64_t first;

	if (in->next >= in->end || !fl_varint(in, &block) ||
	    in->next >= in->end || !fl_varint(in, &miniblocks) ||
	    in->next >= in->end || !fl_varint(in, &count) ||
	    block != BLOCK || miniblocks != MINIBLOCKS || count != n)
		return false;
	first = fl_thrift_read_number(in);
	if (in->damaged)
		return false;
	if (n)
		values[0] = first;
	for (size_t i = 0; i + 1 < n; i += BLOCK)
		if (!read_block(in, values + i,
				FL_MIN(n - 1 - i, (size_t)BLOCK)))
			return false;
	return true;
}
