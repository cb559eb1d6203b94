/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Shared by the tables of the dictionary: space for one more entry, within the
 * limit of memory.
 */
#ifndef FL_TABLES_H
#define FL_TABLES_H

#include "dict/dict.h"

/*
 * Makes space for entry n of a column.  false, after fl_fail: out of memory or
 * ids, or the limit is reached.
 */
bool fl_table_reserve(struct flame *flame, size_t n, void *column,
		      size_t *capacity, size_t size);

#endif
