/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A map from ids to numbers for ids that mostly count up from 0 or 1, which are
 * in a plain table; others are in a hash table.  Here is what grows and frees
 * it; dense.h has the lookups inline.  For format/jfr.
 */
#include "fl.h"

#include "base/dense.h"

/* The key is in a table of n keys, or of a power of two of them. */
static bool grow(struct fl_dense *dense, uint64_t key, uint64_t n)
{
	size_t had = dense->nlow;

	while (n <= key)
		n *= 2;
	if (!fl_grow(&dense->low, &dense->nlow, n, sizeof(*dense->low)))
		return false;
	memset(dense->low + had, 0, (dense->nlow - had) * sizeof(*dense->low));
	return true;
}

bool fl_dense_add(struct fl_dense *dense, uint64_t key, uint64_t value,
		  uint64_t limit, uint64_t expected)
{
	uint64_t *at;

	if (key < limit && grow(dense, key, FL_MIN(limit, expected))) {
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
