/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the tables of the dictionary share: room for one more entry, within
 * the limit.
 */
#ifndef FL_TABLES_H
#define FL_TABLES_H

#include "dict/dict.h"

/* false: memory or ids are out, or the limit is reached; it is said. */
bool fl_table_reserve(struct flame *flame, size_t n, void *column, size_t *room,
		      size_t size);

#endif
