/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tables of reports.  Rows are structs; a column says which member of them it
 * shows, what that is, and its names.  A report fills rows: five writers
 * show them, and a new column is one row of its columns.
 */
#ifndef TABLE_H
#define TABLE_H

#include "cli/cli.h"

#include <cjson/cJSON.h>
#include <math.h>
#include <stdio.h>

enum cli_cell_kind {
	CLI_CELL_END,		/* the last column */
	CLI_CELL_LEVEL,		/* unsigned */
	CLI_CELL_WEIGHT,	/* int64_t */
	CLI_CELL_COUNT,		/* the same, of another unit than the table's */
	CLI_CELL_MICRO,		/* the same, in millionths */
	CLI_CELL_DELTA,		/* int64_t, with its sign */
	CLI_CELL_SHARE,		/* int64_t, in percent of the table's total */
	CLI_CELL_REAL,		/* double; NAN: there is none */
	CLI_CELL_SIGNED,	/* double, with its sign */
	CLI_CELL_PERCENT,	/* double: 0.5 is 50.00% */
	CLI_CELL_RATIO,		/* double, after / before: cli_ratio */
	CLI_CELL_INTERVAL,	/* two of them; NAN: not known */
	CLI_CELL_CHANCE,	/* double: one digit that counts */
	CLI_CELL_BOOL,		/* for people a star */
	CLI_CELL_TEXT,		/* char *, as flame_visible has it; NULL: none */
	CLI_CELL_NAME,		/* the same, what the row is about */
	CLI_CELL_FRAME		/* struct cli_frame, what the row is about */
};

struct cli_frame {
	flame_id name;		/* 0: the table's nobody */
	unsigned level;		/* indents it */
	bool self;		/* where it is the leaf */
};

/* Ratios that are none. */
#define CLI_RATIO_NEW HUGE_VAL		/* it was not there before */
#define CLI_RATIO_NOTHING (-HUGE_VAL)	/* nor is it after */
#define CLI_RATIO_GONE (-1.0)		/* it is not there any more */

/* Writers; columns may be of some only. */
enum {
	CLI_IN_TEXT = 1, CLI_IN_MARKDOWN = 2, CLI_IN_HTML = 4,
	CLI_IN_JSON = 8, CLI_IN_TSV = 16	/* and CSV */
};

struct cli_table;

struct cli_column {
	const char *key;	/* in JSON and TSV; NULL: not there */
	const char *title;	/* in the others; NULL: not there */
	enum cli_cell_kind kind;
	size_t offset;		/* of the member of a row */
	unsigned when;		/* CLI_IN_...; 0: in all that have its name */
	/* Writes the cell with its <td>, if it is more than text. */
	void (*html)(FILE *to, const struct cli_table *table, const void *row);
};

struct cli_table {
	const struct cli *cli;
	const struct cli_column *columns;
	const void *rows;
	size_t row_size, n;
	const char *title;	/* in text, of the names; NULL: the column's */
	const struct flame *flame;	/* of frames */
	const char *nobody;
	int64_t total;		/* that shares are of */
	bool micro;		/* weights are millionths of the unit */
	int digits;		/* of reals, after the point */
	size_t max_name;	/* JSON: bytes of longer names; 0: no limit */
	/* How text shows a row: '+' and '-' heavy, '.' light; NULL: plain. */
	char (*mark)(const struct cli_table *table, const void *row);
	const void *own;	/* the report's, for the functions above */
};

struct cli_cell {
	char text[64];
};
/* "+1.3%"; "new", "gone", "0". */
struct cli_cell cli_ratio(double ratio);
/* "+1.3% to +2.0%"; "-". */
struct cli_cell cli_interval(double low, double high);
struct cli_cell cli_weight(const struct cli_table *table, int64_t weight);
struct cli_cell cli_real(const struct cli_table *table, double number);
/* A name that is safe to show, to be freed; NULL: out of memory. */
char *cli_frame_text(const struct cli_table *table,
		     const struct cli_frame *frame);

/*
 * All rows, to cli's output (in colours and no wider than the screen, if that
 * is a terminal), or at most `most` of them (0: all).  false: out of memory;
 * the message is out.
 */
bool cli_table_text(const struct cli_table *table, size_t most,
		    struct flame_text *out);
bool cli_table_markdown(const struct cli_table *table, size_t most,
			struct flame_text *out);
bool cli_table_tsv(const struct cli_table *table, struct flame_text *out);
/* As RFC 4180 has it. */
bool cli_table_csv(const struct cli_table *table, struct flame_text *out);
/* A row a line, as the elements of an array. */
bool cli_table_json(const struct cli_table *table, struct flame_text *out);
/* The bytes of a row there; 0: out of memory. */
size_t cli_row_size(const struct cli_table *table, size_t i);
void cli_table_html(const struct cli_table *table, size_t most, FILE *to);
/* The members of one row.  false: out of memory. */
bool cli_row_json(const struct cli_table *table, const void *row, cJSON *to);
void cli_html_text(FILE *to, const char *text);
/*
 * What JSON of all tools begins with: the version of share/schema, and which of
 * its kinds it is.  NULL: out of memory.
 */
cJSON *cli_json(const char *kind);
/* A text of an input as a member: UTF-8 whatever it is. */
bool cli_add_text(cJSON *to, const char *key, const char *text);
/* Whether weights of a unit, as cli_metric has it, are in millionths of it. */
bool cli_is_micro(const char *unit);

#endif
