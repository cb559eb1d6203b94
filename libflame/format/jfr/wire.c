/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The long ways of wire.h.
 */
#include "fl.h"

#include "format/jfr/wire.h"

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
void fl_wire_skip_varints(struct fl_wire *w, uint64_t n)
{
	while (n && w->end - w->at >= 9) {
		uint64_t ends = ~fl_wire_word(w->at) & 0x8080808080808080u;
		unsigned count;

		if (!ends) {
			w->at += 9;
			n--;
			continue;
		}
		/* A bit in every byte that ends one: their sum. */
		count = (ends >> 7) * 0x0101010101010101u >> 56;
		while (count > n) {
			ends &= ~(UINT64_C(1) << (63 - __builtin_clzll(ends)));
			count--;
		}
		w->at += (63 - __builtin_clzll(ends)) / 8 + 1;
		n -= count;
	}
	while (n-- && !w->bad)
		fl_wire_varint_slow(w);
}
