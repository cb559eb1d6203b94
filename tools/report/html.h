/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Parts of flame-batch's index: report/html.c writes markup, report/index.c the
 * page and the table of its pages, report/report.c what an application cost,
 * report/timeline.c when, report/rows.c its rows, report/executors.c who;
 * report/columns.c has tables by their columns.
 */
#ifndef BATCH_HTML_H
#define BATCH_HTML_H

#include "batch/batch.h"

/* share/site, made by its embed.sh. */
extern const char batch_site_style[], batch_site_script[];
extern const char batch_site_style_hash[], batch_site_script_hash[];

/* Rows of tables that are within the index; more are in a file beside it. */
enum { BATCH_MAX_ROWS = 400 };
/* Of these, those that stand in the index for who has no script or file. */
enum { BATCH_FIRST_ROWS = 100 };
#define BATCH_ROWS BATCH_DATA "rows.js"

void batch_put(struct flame_text *out, const char *text);
void batch_put_escaped(struct flame_text *out, const char *text);
/* "1,234,567", "1,234.5" */
void batch_put_grouped(struct flame_text *out, double number, int digits);
/* The attribute class of a shape, and the colour that it has without a style. */
void batch_put_class(struct flame_text *out, const char *class);
/* A part of a bar, in per cent, from x on; x becomes its end. */
void batch_put_slice(struct flame_text *out, const char *class,
		     const char *name, double *x, double width);
/* A square of that colour, in a legend. */
void batch_put_swatch(struct flame_text *out, const char *class);
/* <td>: a number with its value, or nothing if it is 0; title: of a card. */
void batch_put_number(struct flame_text *out, const char *title, double number,
		      int digits, bool bad);
/* The same with a bar of its share of all. */
void batch_put_bar(struct flame_text *out, const char *title, double number,
		   int digits, double share);
/* "12.3 MB" in a cell; nothing if it is 0. */
void batch_put_size(struct flame_text *out, const char *title, double bytes);
/* help: what the name alone does not say, as what a share is of; or NULL. */
void batch_put_heading(struct flame_text *out, const char *name, bool number,
		       const char *help);
/* C.m of a/b/C.m. */
const char *batch_short_name(const char *name);
/*
 * A name of a frame without its package, and the share that it has; a link to
 * it in the page, unless that is NULL.
 */
void batch_put_frame(struct flame_text *out, const char *name, double part,
		     double all, const struct batch_group *page);
/* The small picture of a record, or an empty cell. */
void batch_put_picture(struct flame_text *out, const cJSON *picture);
/* The field that filters all tables, once in a page. */
void batch_put_filter(struct flame_text *out);
/* "57.6 s", "12 min", "3.4 h" */
void batch_put_duration(struct flame_text *out, double seconds);

/* Costs of an application: seconds of cores, or hours if there are many. */
struct batch_unit {
	const char *name;
	double us;		/* one of it */
	int digits;
};
extern const struct batch_unit batch_core_seconds;
struct batch_unit batch_unit_of(const cJSON *app);
/*
 * The same in money, with as many digits as the sum of the application asks
 * for; .us is 0 without --price.
 */
struct batch_unit batch_money_of(const struct batch *batch, const cJSON *app);

size_t batch_count_rows(const cJSON *app);
void batch_put_table(struct flame_text *out, const struct batch *batch,
		     const cJSON *app, size_t number, bool large);
/* A table's rows, heaviest first; without operators unless they are all. */
void batch_put_rows(struct flame_text *out, const struct batch *batch,
		    const cJSON *app, size_t most);
/* What would record the stacks of a job while it runs. */
#define BATCH_RECORD "flame-record -p java -t"
/* Whether an executor has samples. */
bool batch_is_recorded(const cJSON *app);
/* The most that were paid at a time. */
double batch_count_cores(const cJSON *app);
void batch_put_timeline(struct flame_text *out, const struct batch *batch,
			const cJSON *app);
void batch_put_executors(struct flame_text *out, const struct batch *batch,
			 const cJSON *app);
/* Head, findings, timeline, table and executors of an application. */
void batch_put_report(struct flame_text *out, const struct batch *batch,
		      const cJSON *app, size_t number, bool large);

/*
 * report/digest.c: the report as Markdown, in 4 kB, to be freed; NULL: out of
 * memory.
 */
char *batch_digest(const struct batch *batch);

/* The parts of what was paid, in the order of the bar; NULL past the last. */
struct batch_part {
	const char *key, *name, *why;
};
const struct batch_part *batch_part_at(size_t i);
/* Of the part "wait": threads were ready, by wall-clock samples, without a CPU. */
double batch_ready_us(const cJSON *app);
double batch_part_us(const cJSON *app, size_t i);
/* "2026-11-26 18:55:51 UTC"; "": not known. */
void batch_when(const cJSON *app, char *when, size_t size);

/* report/findings.c: sentences, worst first: text, try, page, command. */
cJSON *batch_find(const struct batch *batch, const cJSON *app);

/* report/clock.c: an application's time, and what would end it sooner. */
void batch_put_clock(struct flame_text *out, const cJSON *app);
/* The changes that move the end most, to be freed; NULL: none is known. */
char *batch_sooner(const cJSON *app);

#endif
