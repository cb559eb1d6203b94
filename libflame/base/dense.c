/* SPDX-License-Identifier: Apache-2.0 */
/* See dense.h. */
#include "fl.h"

#include "base/dense.h"

enum { MIN_KEYS = 1 << 8 };

/*
 * To powers of two.  The table is new memory, which the kernel zeroes where it
 * is used: few keys of a large table are there at times.
 */
static bool grow(struct fl_dense *dense, uint64_t key)
{
	size_t capacity = FL_MAX(dense->nlow, (size_t)MIN_KEYS);
	uint32_t *grown;

	while (capacity <= key)
		capacity *= 2;
	grown = fl_zeroed(capacity, sizeof(*grown));
	if (!grown)
		return false;
	if (dense->nlow)
		memcpy(grown, dense->low, dense->nlow * sizeof(*grown));
	fl_free(dense->low);
	dense->low = grown;
	dense->nlow = capacity;
	return true;
}

bool fl_dense_add(struct fl_dense *dense, uint64_t key, uint64_t value,
		  uint64_t limit)
{
	uint64_t *at;

	if (key < limit && grow(dense, key)) {
		dense->low[key] = (uint32_t)value;
		return true;
	}
	at = fl_map_put(&dense->map, key, NULL);
	if (at)
		*at = value;
	return at;
}

void fl_dense_free(struct fl_dense *dense)
{
	fl_free(dense->low);
	fl_map_free(&dense->map);
	*dense = (struct fl_dense){ 0 };
}
