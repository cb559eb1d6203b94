/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Shared by the parts of flame-top.
 */
#ifndef TOP_H
#define TOP_H

#include "cli/table.h"

enum top_format { TOP_TEXT, TOP_TSV, TOP_CSV, TOP_JSON, TOP_MARKDOWN };
enum { TOP_MAX_KEYS = 8, TOP_MAX_METRICS = 15 };

struct own {
	enum top_format format;
	const char *key, *events;
	size_t budget;		/* bytes of JSON; 0: any */
	bool format_given, sort_given, by_total, tree, no_fold_trunk;
	enum flame_ranking which;
	const char *re;
	double min;		/* lighter frames are not shown; see percent */
	bool percent;		/* min is one of the total */
	bool min_given;
	long rows;		/* -1: not given */
};

/* A metric beside the table's. */
struct top_metric {
	const char *name, *unit;
	int64_t total;
	bool micro;
};

/* A table, and what it is of. */
struct top_report {
	const char *kind;	/* of JSON */
	const char *metric, *unit;
	struct cli_table table;
	size_t all;		/* rows that there are */
	size_t sums;		/* rows that are the sum of others */
	const char *matches;	/* NULL: not of frames around others */
	int64_t of;		/* then: the total of everything */
	/* The weight of a row that is of no other. */
	int64_t (*own_weight)(const void *row);
	const struct top_metric *more;
	size_t nmore;
};

/* top_write.c: metric, total and unit, with which a heading begins. */
bool top_heading(const struct top_report *report, struct flame_text *out);
bool top_put_visible(const char *text, const struct cli *cli,
		     struct flame_text *out);
/* The format of a name; false: there is none. */
bool top_format(const char *name, enum top_format *format);
/* Writes to cli's output; an exit status.  heading: of text. */
int top_write(const struct top_report *report, enum top_format format,
	      bool (*heading)(const struct top_report *report,
			      struct flame_text *out),
	      struct flame *flame);
/* The bytes of all of it in JSON. */
size_t top_json_size(const struct top_report *report);
/* Leaves out the last rows where the JSON would exceed the budget. */
void top_fit(struct top_report *report, size_t budget);

/*
 * top_fold.c: nodes for a list that is short.  Of calls that only lead on the
 * first and the last are left, which has the number of those before it; not
 * so with fold false.
 */
struct top_node {
	struct flame_node node;	/* its level is that in the list */
	unsigned passed;
};
/* To be freed; NULL: out of memory. */
struct top_node *top_fold(const struct cli *cli, const struct flame_node *nodes,
			  size_t *n, bool fold);
/* The number of frames of the run that begins at a node; 0: there is none. */
size_t top_run(const struct flame_node *nodes, size_t n, size_t first);

/* top_keys.c: a row for each value of the labels in `list`. */
struct top_keys {
	const char *list;
	enum top_format format;
	long rows;		/* at most; 0: all */
	size_t budget;		/* bytes; 0: any */
	double min;		/* lighter rows are left out */
	bool percent;		/* min is one of the total */
};
int top_keys_write(const struct cli *cli, struct flame *flame,
		   struct flame_tree *tree, const struct top_keys *keys);

/* top_frames.c: what cli's options ask of the tree; an exit status. */
int top_write_frames(struct cli *cli, struct flame *flame,
		     struct flame_tree *tree);

#endif
