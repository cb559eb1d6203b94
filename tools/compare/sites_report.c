/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writes the comparison of two sites, a struct site_pairs, as text, JSON and
 * Markdown: site_report() for sites.c, site_put() for report/against.c.
 */
#include "compare/sites.h"
#include "cli/table.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_QUERIES = 20, MAX_ROWS = 20, MAX_MARKDOWN = 12 };

static double cost_of(const struct site_row *row)
{
	return row ? row->cost : 0;
}

static int digits_of(const struct site_pairs *p)
{
	return p->sites[0].billed ? 2 : 0;
}

static double ratio_of(double before, double after)
{
	if (before > 0)
		return after > 0 ? after / before : CLI_RATIO_GONE;
	return after > 0 ? CLI_RATIO_NEW : CLI_RATIO_NOTHING;
}

/* Names of inputs, as flame_visible has them. */
static void put_safe(FILE *out, const char *text)
{
	size_t n = strlen(text), size = flame_visible(NULL, 0, text, n) + 1;
	char *safe = malloc(size);

	if (safe) {
		flame_visible(safe, size, text, n);
		fputs(safe, out);
	}
	free(safe);
}

/* What ran, and on what, where it differs. */
static void put_heads(FILE *out, const struct site_pairs *p)
{
	const struct site *a = &p->sites[0], *b = &p->sites[1];
	double sum[2] = { 0 };

	for (unsigned side = 0; side < 2; side++)
		for (size_t i = 0; i < p->sites[side].nrows; i++)
			sum[side] += p->sites[side].rows[i].cost;
	fprintf(out, "%s -> %s: %.*f -> %.*f %s, %s\n", a->path, b->path,
		digits_of(p), sum[0], digits_of(p), sum[1], a->unit,
		cli_ratio(ratio_of(sum[0], sum[1])).text);
	for (size_t i = 0; i < a->napps && i < b->napps; i++) {
		const struct site_app *x = &a->apps[i], *y = &b->apps[i];

		if (strcmp(x->name, y->name) != 0)
			fprintf(out, "application: %s -> %s\n", x->name,
				y->name);
		if (strcmp(x->spark, y->spark) != 0)
			fprintf(out, "Spark: %s -> %s\n", x->spark, y->spark);
		if (fabs(x->executors - y->executors) > 0)
			fprintf(out, "executors: %g -> %g\n", x->executors,
				y->executors);
		if (x->cores > 0 && y->cores > 0 &&
		    fabs(x->cores - y->cores) > 0)
			fprintf(out, "cores: %g -> %g\n", x->cores, y->cores);
	}
	if (a->napps != b->napps)
		fprintf(out, "applications: %zu -> %zu\n", a->napps, b->napps);
	if (p->spread_known)
		fprintf(out, "Rows that did not change differ by %.1f%% "
			"(standard deviation); * is a change of more than "
			"twice its error.\n", 100 * p->spread);
	else
		fprintf(out, "How much runs differ by themselves is not known "
			"of so few rows; * is more than chance makes of "
			"samples.\n");
}

static void put_query_name(FILE *out, const struct site_query *q)
{
	put_safe(out, q->before ? q->before : q->after);
	if (q->before && q->after && strcmp(q->before, q->after) != 0) {
		fputs(" -> ", out);
		put_safe(out, q->after);
	}
	if (q->added) {
		fputs("; new: ", out);
		put_safe(out, q->added);
	}
	if (q->gone) {
		fputs("; gone: ", out);
		put_safe(out, q->gone);
	}
}

/* "query: Sort, Project", or the stage's own name without a plan. */
static void put_row_name(FILE *out, const struct site_pair *pair)
{
	const struct site_row *row = pair->after ? pair->after : pair->before;

	if (*row->query && strcmp(row->query, row->stage) != 0) {
		put_safe(out, row->query);
		fputs(": ", out);
	}
	put_safe(out, *row->plan ? row->plan : row->stage);
	for (size_t i = 0; i < pair->nframes; i++) {
		const struct site_frame *f = &pair->frames[i];

		fprintf(out, "%s%s %+.2f", i ? ", " : "  <- ", f->name,
			f->after - f->before);
	}
}

/* Text made by put, to be freed; NULL: out of memory. */
struct text {
	char *at;
	size_t size;
	FILE *file;
};

static FILE *begin(struct text *text)
{
	*text = (struct text){ 0 };
	text->file = open_memstream(&text->at, &text->size);
	return text->file;
}

static char *end(struct text *text)
{
	if (text->file && fclose(text->file) == 0)
		return text->at;
	free(text->at);
	return NULL;
}

/* Tables ------------------------------------------------------------------ */

struct row {
	char *name;
	double before, after, change, ratio, error, known_error;
	bool changed;
};

#define AT(member) .offset = offsetof(struct row, member)

static const struct cli_column columns[] = {
	{ NULL, "what", CLI_CELL_NAME, AT(name) },
	{ "before", "before", CLI_CELL_REAL, AT(before) },
	{ "after", "after", CLI_CELL_REAL, AT(after) },
	{ "change", "change", CLI_CELL_SIGNED, AT(change),
	  CLI_IN_TEXT | CLI_IN_JSON },
	{ NULL, "change", CLI_CELL_RATIO, AT(ratio), CLI_IN_MARKDOWN },
	{ NULL, "error", CLI_CELL_REAL, AT(known_error) },
	{ "error", NULL, CLI_CELL_REAL, AT(error) },
	{ NULL, "", CLI_CELL_RATIO, AT(ratio), CLI_IN_TEXT },
	{ "changed", "", CLI_CELL_BOOL, AT(changed), CLI_IN_TEXT | CLI_IN_JSON },
	{ .kind = CLI_CELL_END }
};

static char mark_of(const struct cli_table *table, const void *at)
{
	const struct row *row = at;

	(void)table;
	return !row->changed ? '.' : row->after > row->before ? '+' : '-';
}

static struct cli_table table_of(const struct site_pairs *p,
				 const struct row *rows, size_t n)
{
	return (struct cli_table){
		.cli = p->cli, .columns = columns, .rows = rows,
		.row_size = sizeof(*rows), .n = n, .digits = digits_of(p),
		.mark = mark_of,
	};
}

static struct row row_of(double before, double after, double error,
			 bool changed)
{
	return (struct row){
		.before = before, .after = after, .change = after - before,
		.ratio = ratio_of(before, after), .error = error,
		.known_error = error > 0 ? error : NAN, .changed = changed,
	};
}

static struct row query_row(const struct site_query *q)
{
	return row_of(q->cost[0], q->cost[1], q->error, q->changed);
}

static struct row pair_row(const struct site_pair *pair)
{
	return row_of(cost_of(pair->before), cost_of(pair->after),
		      pair->error, pair->changed);
}

/* The i-th query's or pair's, with its name. */
static struct row named_row(const struct site_pairs *p, size_t i, bool queries)
{
	struct row row = queries ? query_row(&p->queries[i]) :
				   pair_row(&p->pairs[i]);
	struct text text;

	if (begin(&text) && queries)
		put_query_name(text.file, &p->queries[i]);
	else if (text.file)
		put_row_name(text.file, &p->pairs[i]);
	row.name = end(&text);
	return row;
}

/* The first n as text, below a title of the names, or as Markdown. */
static bool put_table(const struct site_pairs *p, bool queries, size_t n,
		      const char *title, struct flame_text *out)
{
	struct row *rows = calloc(n + 1, sizeof(*rows));
	struct cli_table table = table_of(p, rows, n);
	bool good = rows;

	table.title = title;
	for (size_t i = 0; good && i < n; i++)
		rows[i] = named_row(p, i, queries);
	good = good ? title ? cli_table_text(&table, 0, out) :
			      cli_table_markdown(&table, 0, out) :
		      cli_no_memory(p->cli);
	for (size_t i = 0; rows && i < n; i++)
		free(rows[i].name);
	free(rows);
	return good;
}

static size_t at_most(size_t n, size_t most)
{
	return n < most ? n : most;
}

static bool put_rows(const struct site_pairs *p, struct flame_text *out)
{
	return put_table(p, false, at_most(p->n, MAX_ROWS),
			 p->sites[0].billed ? "stage" : "stacks", out) &&
	       (p->n <= MAX_ROWS || cli_print(out, "and %zu more: -f json\n",
					      p->n - MAX_ROWS));
}

char *site_heads(const struct site_pairs *p)
{
	struct text text;

	if (begin(&text))
		put_heads(text.file, p);
	return end(&text);
}

static bool put_heads_to(const struct site_pairs *p, struct flame_text *out)
{
	char *heads = site_heads(p);
	bool good;

	good = heads && flame_text_put(out, heads, strlen(heads)) == FLAME_OK;
	free(heads);
	return good;
}

static bool put_text(const struct site_pairs *p, struct flame_text *out)
{
	return put_heads_to(p, out) && cli_print(out, "\n") &&
	       (!p->sites[0].billed ||
		(put_table(p, true, at_most(p->nqueries, MAX_QUERIES), "query",
			   out) && cli_print(out, "\n"))) &&
	       put_rows(p, out);
}

/* Markdown ---------------------------------------------------------------- */

static bool put_markdown_heads(const struct site_pairs *p,
			       struct flame_text *out)
{
	char *heads = site_heads(p), *rest = heads, *line, *escaped;
	bool good = heads;

	while (good && (line = strsep(&rest, "\n")) && rest) {
		escaped = cli_markdown(line, false);
		good = escaped && cli_print(out, "%s\n", escaped);
		free(escaped);
	}
	free(heads);
	return good;
}

static bool put_markdown(const struct site_pairs *p, struct flame_text *out)
{
	return put_markdown_heads(p, out) && cli_print(out, "\n") &&
	       put_table(p, false, at_most(p->n, MAX_MARKDOWN), NULL, out);
}

/* JSON --------------------------------------------------------------------- */

static bool add_costs(const struct site_pairs *p, cJSON *to, struct row row)
{
	struct cli_table table = table_of(p, &row, 1);

	return cli_row_json(&table, &row, to);
}

static cJSON *add_object(cJSON *list)
{
	cJSON *object = list ? cJSON_CreateObject() : NULL;

	if (object && !cJSON_AddItemToArray(list, object))
		return NULL;
	return object;
}

static bool add_text(cJSON *to, const char *key, const char *text)
{
	return !text || cJSON_AddStringToObject(to, key, text);
}

static bool add_frames(cJSON *to, const struct site_pair *pair)
{
	cJSON *list = cJSON_AddArrayToObject(to, "frames");
	bool good = list;

	for (size_t i = 0; good && i < pair->nframes; i++) {
		cJSON *frame = add_object(list);

		good = frame && add_text(frame, "frame",
					 pair->frames[i].name) &&
		       cJSON_AddNumberToObject(frame, "before",
					       pair->frames[i].before) &&
		       cJSON_AddNumberToObject(frame, "after",
					       pair->frames[i].after);
	}
	return good;
}

static bool add_side(cJSON *to, const char *key, const struct site_row *row)
{
	cJSON *side = row ? cJSON_AddObjectToObject(to, key) : NULL;

	return !row || (side && add_text(side, "query", row->query) &&
			add_text(side, "stage", row->stage) &&
			add_text(side, "plan", row->plan) &&
			cJSON_AddNumberToObject(side, "cost", row->cost) &&
			cJSON_AddNumberToObject(side, "samples",
						row->samples) &&
			add_text(side, "page", row->page));
}

static bool add_pair(const struct site_pairs *p, cJSON *list,
		     const struct site_pair *pair)
{
	cJSON *row = add_object(list);

	return row && add_side(row, "was", pair->before) &&
	       add_side(row, "is", pair->after) &&
	       add_costs(p, row, pair_row(pair)) &&
	       add_frames(row, pair) && add_text(row, "page", pair->page);
}

static bool add_query(const struct site_pairs *p, cJSON *list,
		      const struct site_query *q)
{
	cJSON *row = add_object(list);

	return row && add_text(row, "was", q->before) &&
	       add_text(row, "is", q->after) &&
	       add_costs(p, row, query_row(q)) &&
	       add_text(row, "operators_added", q->added) &&
	       add_text(row, "operators_gone", q->gone);
}

static bool add_site(cJSON *to, const char *key, const struct site *site)
{
	cJSON *object = cJSON_AddObjectToObject(to, key);
	cJSON *apps = object && add_text(object, "path", site->path) ?
			      cJSON_AddArrayToObject(object, "apps") : NULL;
	bool good = apps;

	for (size_t i = 0; good && i < site->napps; i++) {
		cJSON *app = add_object(apps);

		good = app && add_text(app, "name", site->apps[i].name) &&
		       add_text(app, "spark", site->apps[i].spark) &&
		       cJSON_AddNumberToObject(app, "executors",
					       site->apps[i].executors) &&
		       cJSON_AddNumberToObject(app, "paid",
					       site->apps[i].paid);
	}
	return good;
}

static bool fill_json(const struct site_pairs *p, cJSON *root)
{
	cJSON *list;
	bool good = root && add_text(root, "unit", p->sites[0].unit) &&
		    add_site(root, "before", &p->sites[0]) &&
		    add_site(root, "after", &p->sites[1]) &&
		    (p->spread_known ?
			     cJSON_AddNumberToObject(root, "spread",
						     p->spread) :
			     cJSON_AddNullToObject(root, "spread"));

	list = good ? cJSON_AddArrayToObject(root, "queries") : NULL;
	for (size_t i = 0; (good = good && list) && i < p->nqueries; i++)
		good = add_query(p, list, &p->queries[i]);
	list = good ? cJSON_AddArrayToObject(root, "rows") : NULL;
	for (size_t i = 0; (good = good && list) && i < p->n; i++)
		good = add_pair(p, list, &p->pairs[i]);
	return good;
}

static bool put_json(const struct site_pairs *p, struct flame_text *out)
{
	cJSON *root = cJSON_CreateObject();
	char *text = fill_json(p, root) ? cJSON_Print(root) : NULL;
	bool good = text &&
		    flame_text_put(out, text, strlen(text)) == FLAME_OK &&
		    cli_print(out, "\n");

	cJSON_free(text);
	cJSON_Delete(root);
	return good || cli_no_memory(p->cli);
}

bool site_put(const struct site_pairs *p, const char *format,
	      struct flame_text *out)
{
	return strcmp(format, "json") == 0     ? put_json(p, out) :
	       strcmp(format, "markdown") == 0 ? put_markdown(p, out) :
						 put_text(p, out);
}

int site_report(const struct site_pairs *p, struct flame *flame)
{
	struct flame_text *out = flame_text_create(flame, p->cli->output);

	if (out && site_put(p, p->cli->output_format, out))
		return cli_text_finish(p->cli, out);
	flame_text_abandon(out);
	return CLI_TROUBLE;
}
