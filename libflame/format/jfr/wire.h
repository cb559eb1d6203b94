/* SPDX-License-Identifier: Apache-2.0 */
/*
 * JFR's scalars.  Compressed integers are LEB128 of at most nine bytes, the
 * ninth with eight bits; other numbers are big-endian.  A read past the end
 * gives 0 and sets `bad`, so that a parse loop asks once.
 */
#ifndef FL_JFR_WIRE_H
#define FL_JFR_WIRE_H

#include "fl.h"

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

static inline uint64_t fl_wire_varint(struct fl_wire *w)
{
	const uint8_t *at = w->at;
	uint64_t n;

	if (fl_unlikely(w->end - at < 4))
		return fl_wire_varint_slow(w);
	n = at[0];
	if (n < 0x80) {
		w->at = at + 1;
		return n;
	}
	n = (n & 0x7f) | (uint64_t)at[1] << 7;
	if (at[1] < 0x80) {
		w->at = at + 2;
		return n;
	}
	n = (n & 0x3fff) | (uint64_t)at[2] << 14;
	if (at[2] < 0x80) {
		w->at = at + 3;
		return n;
	}
	n = (n & 0x1fffff) | (uint64_t)at[3] << 21;
	if (at[3] < 0x80) {
		w->at = at + 4;
		return n;
	}
	return fl_wire_varint_slow(w);
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

/* Over n compressed integers. */
void fl_wire_skip_varints(struct fl_wire *w, uint64_t n);

#endif
