/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sorting of what is nearly in order, as records of a profile are by time: by
 * insertion as long as that needs few moves, then by merging what is in order
 * already, as the times of several recordings are.  Equal elements keep their
 * order, unless memory is short.  Inline, so that sizes are known.
 */
#ifndef FL_SORT_H
#define FL_SORT_H

#include "base/base.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { FL_SORT_MOVES = 8, FL_SORT_MAX_SIZE = 64 };

/* The end of the elements in order from `at` on. */
static inline __attribute__((always_inline)) const uint8_t *
fl_sort_run_end(const uint8_t *at, const uint8_t *end, size_t size,
		int (*compare)(const void *a, const void *b))
{
	if (at == end)
		return end;
	for (at += size; at < end && compare(at - size, at) <= 0;)
		at += size;
	return at;
}

/* Merges each two runs of `from` into one of `to`; false: it was one run. */
static inline __attribute__((always_inline)) bool
fl_sort_merge(const uint8_t *from, uint8_t *to, size_t bytes, size_t size,
	      int (*compare)(const void *a, const void *b))
{
	const uint8_t *const end = from + bytes, *a = from;

	if (fl_sort_run_end(from, end, size, compare) == end)
		return false;
	while (a < end) {
		const uint8_t *a_end = fl_sort_run_end(a, end, size, compare);
		const uint8_t *b = a_end;
		const uint8_t *b_end = fl_sort_run_end(b, end, size, compare);

		for (const uint8_t **least; a < a_end && b < b_end;
		     *least += size, to += size) {
			least = compare(a, b) <= 0 ? &a : &b;
			memcpy(to, *least, size);
		}
		memcpy(to, a, (size_t)(a_end - a));
		to += a_end - a;
		memcpy(to, b, (size_t)(b_end - b));
		to += b_end - b;
		a = b_end;
	}
	return true;
}

static inline __attribute__((always_inline)) void
fl_sort_runs(uint8_t *data, size_t count, size_t size,
	     int (*compare)(const void *a, const void *b))
{
	const size_t bytes = count * size;
	uint8_t *spare = fl_alloc(bytes), *from = data, *to = spare;

	if (!spare) {
		qsort(data, count, size, compare);
		return;
	}
	while (fl_sort_merge(from, to, bytes, size, compare)) {
		uint8_t *merged = to;

		to = from;
		from = merged;
	}
	if (from != data)
		memcpy(data, from, bytes);
	fl_free(spare);
}

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
			fl_sort_runs(at, count, size, compare);
			return;
		}
	}
}

#endif
