/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Shared by the parts of flame-top.
 */
#ifndef TOP_H
#define TOP_H

#include "table.h"

enum top_format { TOP_TEXT, TOP_TSV, TOP_JSON, TOP_MARKDOWN };
enum { TOP_MAX_KEYS = 8 };

/* A table, and what it is of. */
struct top_report {
	const char *metric, *unit;
	struct cli_table table;
	size_t all;		/* rows that there are */
};

/* Metric, total and unit: the begin of a heading. */
bool top_heading(const struct top_report *report, struct flame_text *out);
bool top_json(const struct top_report *report, struct flame_text *out);

/* top_keys.c: a row for each value of the labels in `list`. */
struct top_keys {
	const char *list;
	enum top_format format;
	long rows;		/* at most; 0: all */
	double min;		/* lighter rows are left out */
};
int top_keys_write(const struct cli *cli, struct flame *flame,
		   struct flame_tree *tree, const struct top_keys *keys);

#endif
