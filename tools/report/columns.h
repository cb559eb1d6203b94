/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tables of the report: a column of numbers is a row here, which says what is
 * added, how it is shown, and when.
 */
#ifndef BATCH_COLUMNS_H
#define BATCH_COLUMNS_H

#include "report/html.h"

enum batch_cell {
	BATCH_CELL_TIME,	/* of cores, in the table's unit */
	BATCH_CELL_BAR,		/* the same, with its bar; title: before the unit */
	BATCH_CELL_PRICE,	/* the same in money; with --price */
	BATCH_CELL_SHARE,	/* of the table's base, in percent */
	BATCH_CELL_SIZE,	/* bytes */
	BATCH_CELL_COUNT,
	BATCH_CELL_OWN		/* put() writes the cell */
};

struct batch_column {
	const char *title;	/* of the heading */
	const char *help;	/* what the title alone does not say; or NULL */
	const char *label;	/* on a narrow screen */
	const char *key;	/* of an element of the bill; or else */
	double (*value)(const cJSON *row);
	enum batch_cell kind;
	bool some;		/* only if a row has any */
	bool bad;		/* shown as trouble */
	void (*put)(struct flame_text *out, const cJSON *row);
};

enum { BATCH_MAX_COLUMNS = 16 };

struct batch_columns {
	const struct batch_column *all;
	size_t n;
	const char *base;	/* the key that shares are shares of */
	struct batch_unit unit, money;
	double most;		/* the longest bar */
	bool shown[BATCH_MAX_COLUMNS];
};

/* Sums of rows, by column. */
struct batch_sums {
	double base, of[BATCH_MAX_COLUMNS];
};

/* Shows the columns without "some"; the other function those that a row has. */
void batch_begin_columns(struct batch_columns *c, const struct batch *batch,
			 const cJSON *app);
void batch_show_columns(struct batch_columns *c, const cJSON *row);
void batch_add_row(const struct batch_columns *c, struct batch_sums *sums,
		   const cJSON *row);
void batch_put_titles(struct flame_text *out, const struct batch_columns *c);
/* row: what own cells are of. */
void batch_put_sums(struct flame_text *out, const struct batch_columns *c,
		    const struct batch_sums *sums, const cJSON *row);
/* Of a row that has a cost alone: its bar and its price. */
void batch_put_cost(struct flame_text *out, const struct batch_columns *c,
		    double us);

#endif
