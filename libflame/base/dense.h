/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A map of numbers, most of whose keys count up from 0 or 1: these have a
 * place in a plain table, which grows as they do.  Others are in a hash table.
 */
#ifndef FL_DENSE_H
#define FL_DENSE_H

#include "base/base.h"

/* Zeroed: empty. */
struct fl_dense {
	uint32_t *low;		/* values by key; 0: look into the map */
	size_t nlow;
	struct fl_map map;
};

/* The value of a key; 0: none. */
static inline uint64_t fl_dense_get(const struct fl_dense *dense, uint64_t key)
{
	uint64_t *value;

	if (fl_likely(key < dense->nlow && dense->low[key]))
		return dense->low[key];
	value = fl_map_get(&dense->map, key);
	return value ? *value : 0;
}

bool fl_dense_add(struct fl_dense *dense, uint64_t key, uint64_t value,
		  uint64_t limit, uint64_t expected);

/*
 * Sets it.  Keys below the limit may be in the table, which is made for the
 * number of keys expected, 1 or more; if there are any, values are of 32 bits.
 * false: out of memory.
 */
static inline bool fl_dense_set(struct fl_dense *dense, uint64_t key,
				uint64_t value, uint64_t limit,
				uint64_t expected)
{
	if (fl_unlikely(key >= dense->nlow))
		return fl_dense_add(dense, key, value, limit, expected);
	dense->low[key] = (uint32_t)value;
	return true;
}

/* It is empty then. */
void fl_dense_free(struct fl_dense *dense);

#endif
