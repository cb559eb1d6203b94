/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers of DWARF, from bytes that may be anybody's; see cfi.c. */
#ifndef FL_NATIVE_DWARF_H
#define FL_NATIVE_DWARF_H

#include "native/cfi.h"

/* Bytes that end; a read past the end returns zeros, and sets failed. */
struct fl_dwarf {
	const uint8_t *at, *end;
	bool failed;
};

static inline uint64_t fl_fixed(struct fl_dwarf *r, unsigned size)
{
	uint64_t n = 0;

	if ((size_t)(r->end - r->at) < size) {
		r->failed = true;
		r->at = r->end;
		return 0;
	}
	memcpy(&n, r->at, size);
	r->at += size;
	return n;
}

static inline int64_t fl_fixed_signed(struct fl_dwarf *r, unsigned size)
{
	unsigned shift = 64 - 8 * size;

	return (int64_t)(fl_fixed(r, size) << shift) >> shift;
}

static inline uint64_t fl_uleb(struct fl_dwarf *r)
{
	uint64_t n = 0;
	uint8_t byte;

	for (unsigned shift = 0;; shift += 7) {
		byte = (uint8_t)fl_fixed(r, 1);
		if (shift < 64)
			n |= (uint64_t)(byte & 0x7f) << shift;
		if (!(byte & 0x80))
			return n;
	}
}

static inline int64_t fl_sleb(struct fl_dwarf *r)
{
	uint64_t n = 0;
	unsigned shift = 0;
	uint8_t byte;

	do {
		byte = (uint8_t)fl_fixed(r, 1);
		if (shift < 64)
			n |= (uint64_t)(byte & 0x7f) << shift;
		shift += 7;
	} while (byte & 0x80);
	if (shift < 64 && byte & 0x40)
		n |= ~UINT64_C(0) << shift;
	return (int64_t)n;
}

static inline void fl_dwarf_skip(struct fl_dwarf *r, uint64_t size)
{
	if (size > (uint64_t)(r->end - r->at)) {
		r->failed = true;
		size = (uint64_t)(r->end - r->at);
	}
	r->at += size;
}

/*
 * cfi_expression.c: the value of the expression at a place in .eh_frame, which
 * begins with *cfa on its stack, unless NULL.  false: it has none; *unreadable
 * is set where the target's memory is the reason.
 */
bool fl_cfi_expression(const struct fl_cfi *cfi, int32_t place,
		       const struct fl_memory *memory,
		       const struct fl_regs *regs, const uint64_t *cfa,
		       uint64_t *value, bool *unreadable);

#endif
