/* SPDX-License-Identifier: Apache-2.0 */
/* Short texts, compared at once. */
#ifndef FL_PERF_TEXT_H
#define FL_PERF_TEXT_H

#include "base/block.h"

static inline uint64_t fl_perf_read64(const char *at)
{
	uint64_t n;

	memcpy(&n, at, sizeof(n));
	return n;
}

/* Whether short strings, mostly equal ones, are the same. */
static inline bool fl_perf_same(const char *a, const char *b, size_t n)
{
	if (n < 8) {
		while (n && a[n - 1] == b[n - 1])
			n--;
		return !n;
	}
	if (n < FL_BLOCK_SIZE)
		return fl_perf_read64(a) == fl_perf_read64(b) &&
		       fl_perf_read64(a + n - 8) == fl_perf_read64(b + n - 8);
	for (size_t i = 0; i + FL_BLOCK_SIZE < n; i += FL_BLOCK_SIZE)
		if (fl_block_same(a + i, b + i) != FL_BLOCK_ALL)
			return false;
	return fl_block_same(a + n - FL_BLOCK_SIZE, b + n - FL_BLOCK_SIZE) ==
	       FL_BLOCK_ALL;
}

#endif
