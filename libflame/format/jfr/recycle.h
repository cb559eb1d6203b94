/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Recycled tables: of finished chunks, for the next ones.  Page faults of new
 * memory cost more than filling the tables.  Any thread may call these.
 */
#ifndef FL_JFR_RECYCLE_H
#define FL_JFR_RECYCLE_H

#include "format/jfr/recording.h"

/* Tables of * are all zero. */
enum fl_jfr_table {
	FL_JFR_TABLE_SUMS, FL_JFR_TABLE_TRACES,
	FL_JFR_TABLE_HASHES,
	FL_JFR_TABLE_SMALL_TRACES /* * */, FL_JFR_TABLE_SMALL_FRAMES /* * */,
	FL_JFR_TABLE_COUNTERS /* * */, FL_JFR_TABLES
};

/* NULL and capacity 0: none. */
void *fl_jfr_recycled(struct fl_jfr *jfr, enum fl_jfr_table kind,
		      size_t *capacity);
/* Takes over a table that a chunk no longer needs; data may be NULL. */
void fl_jfr_recycle(struct fl_jfr_chunk *chunk, enum fl_jfr_table kind,
		    void *data, size_t capacity);
/* false: out of memory. */
bool fl_jfr_recycled_new(struct fl_jfr *jfr);
void fl_jfr_recycled_free(struct fl_jfr *jfr);
/* Frees all tables: no chunk follows. */
void fl_jfr_recycled_drop(struct fl_jfr *jfr);

#endif
