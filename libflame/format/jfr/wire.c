/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The functions of wire.h that are not inline: fl_wire_varint_slow() reads a
 * compressed integer near the end of the bytes, and fl_wire_skip_varints()
 * passes over many of them, 64 bytes at a time.
 */
#include "fl.h"

#include "format/jfr/wire.h"

enum { PREFETCH_BYTES = 1024 };	/* bytes that are fetched ahead */

uint64_t fl_wire_varint_slow(struct fl_wire *w)
{
	uint64_t n = 0;

	for (unsigned i = 0; i < 9; i++) {
		uint8_t b;

		if (w->at == w->end) {
			w->bad = true;
			return 0;
		}
		b = *w->at++;
		if (i == 8)
			return n | (uint64_t)b << 56;
		n |= (uint64_t)(b & 0x7f) << (7 * i);
		if (b < 0x80)
			break;
	}
	return n;
}

/*
 * Eight bytes at a time.  A window that begins where an integer begins holds
 * only whole ones up to its last byte below 0x80; if all eight go on, it is
 * one integer of nine bytes.
 */
static uint64_t skip_by_words(struct fl_wire *w, uint64_t n, unsigned words)
{
	while (n && words-- && w->end - w->at >= 9) {
		uint64_t ends = ~fl_wire_word(w->at) & 0x8080808080808080u;
		unsigned count;

		if (!ends) {
			w->at += 9;
			n--;
			continue;
		}
		/* A bit in every byte that ends one: their sum. */
		count = (ends >> 7) * FL_WIRE_LOW >> 56;
		while (count > n) {
			ends &= ~(UINT64_C(1) << (63 - __builtin_clzll(ends)));
			count--;
		}
		w->at += (63 - __builtin_clzll(ends)) / 8 + 1;
		n -= count;
	}
	return n;
}

/*
 * The offset of the n-th set bit (from 0), if there are more than n; see above.
 */
static inline unsigned place_of_bit(uint64_t bits, uint64_t counts, uint64_t n)
{
	uint64_t below = ((n * FL_WIRE_LOW | 0x8080808080808080u) - counts) >>
			 7 & FL_WIRE_LOW;
	unsigned byte = below * FL_WIRE_LOW >> 56;

	n -= counts << 8 >> 8 * byte & 0xff;
	bits = bits >> 8 * byte << 8 * byte;
	while (n--)
		bits &= bits - 1;
	return __builtin_ctzll(bits);
}

/*
 * The same with 64 bytes at a time, wherever integers begin among them: their
 * ends are counted, and the next 64 can be read before that is done.
 */
void fl_wire_skip_varints(struct fl_wire *w, uint64_t n)
{
	uint64_t before = ~UINT64_C(0);	/* ends, in the 64 bytes before */

	while (n && w->end - w->at >= 64) {
		uint64_t ends = fl_wire_ends(w->at);
		uint64_t counts = fl_bit_counts(ends), count = counts >> 56;

		fl_prefetch(w->at + PREFETCH_BYTES);
		if (fl_unlikely(fl_wire_is_long(ends) ||
				__builtin_clzll(before) +
				__builtin_ctzll(ends) >= 8)) {
			w->at -= __builtin_clzll(before);
			before = ~UINT64_C(0);
			n = skip_by_words(w, n, 8);
			continue;
		}
		if (n <= count) {
			w->at += n == count ? 64u - __builtin_clzll(ends) :
				 place_of_bit(ends, counts, n - 1) + 1;
			return;
		}
		w->at += 64;
		n -= count;
		before = ends;
	}
	w->at -= __builtin_clzll(before);
	n = skip_by_words(w, n, UINT32_MAX);
	while (n-- && !w->bad)
		fl_wire_varint_slow(w);
}
