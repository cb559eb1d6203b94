/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sorting of what is nearly in order, as records of a profile are by time: by
 * insertion as long as that takes few moves, then by qsort.  Equal elements may
 * change places.  Inline, so that sizes are known.
 */
#ifndef FL_SORT_H
#define FL_SORT_H

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { FL_SORT_MOVES = 8, FL_SORT_MAX_SIZE = 64 };

static inline __attribute__((always_inline)) void
fl_sort_nearly(void *data, size_t count, size_t size,
	       int (*compare)(const void *a, const void *b))
{
	uint8_t *at = data, moved[FL_SORT_MAX_SIZE];
	size_t moves = 0;

	for (size_t i = 1; i < count; i++) {
		size_t k = i;

		if (compare(at + (i - 1) * size, at + i * size) <= 0)
			continue;
		memcpy(moved, at + i * size, size);
		do {
			memcpy(at + k * size, at + (k - 1) * size, size);
			k--;
		} while (k && compare(at + (k - 1) * size, moved) > 0);
		memcpy(at + k * size, moved, size);
		moves += i - k;
		if (moves > FL_SORT_MOVES * count) {
			qsort(data, count, size, compare);
			return;
		}
	}
}

#endif
