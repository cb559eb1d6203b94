/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writers of rows: a sink that adds up samples of one stack, thread, metric
 * and set of labels, puts the sums in an order that depends on nothing but
 * their text, and hands them to write() when it is finished.
 */
#ifndef FL_ROWS_H
#define FL_ROWS_H

#include "tree/tree.h"

struct fl_row {
	flame_id stack, thread, labels, metric;
	int64_t weight;
};

struct fl_rows {
	struct flame *flame;
	struct fl_out *out;
	int (*write)(struct fl_rows *rows);
	struct fl_row *data;	/* sorted; those that add up to 0 are left out */
	size_t count, capacity;
	flame_id *metrics;	/* those of the rows, in the order of names */
	size_t nmetrics, metrics_capacity;
	int64_t from, to;	/* of all inputs; FLAME_NOTIME: not known */
	char *events, *title;	/* options of that name, or NULL */
	/* Ranks by id, for sorting. */
	uint32_t *stack_rank, *set_rank;
	struct fl_index index;	/* of data while it is gathered */
};

/* A sink of FL_NEED_...; options of pictures are accepted, and told of. */
struct flame_sink *fl_rows_sink(struct flame *flame, struct fl_out *out,
				unsigned needs,
				int (*write)(struct fl_rows *rows));
/*
 * Keys that labels and threads of the rows have, as names, in the order of
 * their text; to fl_free.  NULL: out of memory.
 */
flame_id *fl_rows_keys(struct fl_rows *rows, size_t *count);
/* The value of a row; 0: it has none. */
flame_id fl_row_label(const struct flame *flame, const struct fl_row *row,
		      flame_id key);

/* spell.c: appends a name and its type as folded text has them. */
void fl_spell_frame(struct fl_buf *to, const struct flame *flame,
		    flame_id name, enum flame_type type);
/* "main;work_[j]" */
void fl_spell_stack(struct fl_buf *to, const struct flame *flame,
		    flame_id stack);
/* The text as a string of JSON, in quotes; what is no UTF-8 is U+FFFD. */
void fl_spell_json(struct fl_buf *to, struct slice text);

#endif
