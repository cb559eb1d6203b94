/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The comparison of two sites as text, JSON and Markdown.
 */
#include "sites.h"

#include <cjson/cJSON.h>
#include <math.h>
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

/* "new" and "gone" where one side has none. */
static void put_change(FILE *out, double before, double after)
{
	if (before > 0 && after > 0)
		fprintf(out, "%+.1f%%", 100 * (after / before - 1));
	else
		fputs(after > 0 ? "new" : before > 0 ? "gone" : "0", out);
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
	fprintf(out, "%s -> %s: %.*f -> %.*f %s, ", a->path, b->path,
		digits_of(p), sum[0], digits_of(p), sum[1], a->unit);
	put_change(out, sum[0], sum[1]);
	fputc('\n', out);
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
		if (fabs(x->cores - y->cores) > 0)
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

static char *change_text(double before, double after)
{
	struct text text;

	if (begin(&text))
		put_change(text.file, before, after);
	return end(&text);
}

static void put_cells(struct cli_table *table, const struct site_pairs *p,
		      double before, double after, double error, bool changed,
		      char *name)
{
	char *change = change_text(before, after);

	cli_cell(table, "%.*f", digits_of(p), before);
	cli_cell(table, "%.*f", digits_of(p), after);
	cli_cell(table, "%+.*f", digits_of(p), after - before);
	if (error > 0)
		cli_cell(table, "%.*f", digits_of(p), error);
	else
		cli_cell(table, "-");
	cli_cell(table, "%s", change ? change : "");
	cli_cell(table, "%s", changed ? "*" : "");
	cli_text_cell(table, name ? name : "");
	cli_mark(table, !changed ? '.' : after > before ? '+' : '-');
	table->failed |= !name || !change;
	free(change);
	free(name);
}

static void put_head(struct cli_table *table, const char *last)
{
	static const char *const heads[] = {
		"before", "after", "change", "error", "", "",
	};

	table->columns = 7;
	for (size_t i = 0; i < sizeof(heads) / sizeof(*heads); i++)
		cli_cell(table, "%s", heads[i]);
	cli_cell(table, "%s", last);
	cli_mark(table, 'h');
}

static bool put_queries(const struct site_pairs *p, struct flame_text *out)
{
	struct cli_table table = { 0 };

	put_head(&table, "query");
	for (size_t i = 0; i < p->nqueries && i < MAX_QUERIES; i++) {
		const struct site_query *q = &p->queries[i];
		struct text text;

		if (begin(&text))
			put_query_name(text.file, q);
		put_cells(&table, p, q->cost[0], q->cost[1], q->error,
			  q->changed, end(&text));
	}
	return cli_table_write(p->cli, &table, out);
}

static bool put_rows(const struct site_pairs *p, struct flame_text *out)
{
	struct cli_table table = { 0 };

	put_head(&table, p->sites[0].billed ? "stage" : "stacks");
	for (size_t i = 0; i < p->n && i < MAX_ROWS; i++) {
		const struct site_pair *pair = &p->pairs[i];
		struct text text;

		if (begin(&text))
			put_row_name(text.file, pair);
		put_cells(&table, p, cost_of(pair->before),
			  cost_of(pair->after), pair->error, pair->changed,
			  end(&text));
	}
	return cli_table_write(p->cli, &table, out) &&
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
	       (!p->sites[0].billed || (put_queries(p, out) &&
					cli_print(out, "\n"))) &&
	       put_rows(p, out);
}

/* Markdown ---------------------------------------------------------------- */

static bool put_markdown_row(const struct site_pairs *p, struct flame_text *out,
			     const struct site_pair *pair)
{
	double a = cost_of(pair->before), b = cost_of(pair->after);
	char *change = change_text(a, b), *name, *code;
	struct text text;
	bool good;

	if (begin(&text))
		put_row_name(text.file, pair);
	name = end(&text);
	code = name ? cli_markdown(name, true) : NULL;
	good = code && change &&
	       cli_print(out, "| `%s` | %.*f | %.*f | %s | %.*f |\n", code,
			 digits_of(p), a, digits_of(p), b, change,
			 digits_of(p), pair->error);
	free(name);
	free(code);
	free(change);
	return good;
}

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
	bool good = put_markdown_heads(p, out) &&
		    cli_print(out, "\n| what | before | after | change | error "
				   "|\n|---|--:|--:|--:|--:|\n");

	for (size_t i = 0; good && i < p->n && i < MAX_MARKDOWN; i++)
		good = put_markdown_row(p, out, &p->pairs[i]);
	return good;
}

/* JSON --------------------------------------------------------------------- */

static bool add_costs(cJSON *to, double before, double after, double error,
		      bool changed)
{
	return cJSON_AddNumberToObject(to, "before", before) &&
	       cJSON_AddNumberToObject(to, "after", after) &&
	       cJSON_AddNumberToObject(to, "change", after - before) &&
	       cJSON_AddNumberToObject(to, "error", error) &&
	       cJSON_AddBoolToObject(to, "changed", changed);
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

static bool add_pair(cJSON *list, const struct site_pair *pair)
{
	cJSON *row = add_object(list);

	return row && add_side(row, "was", pair->before) &&
	       add_side(row, "is", pair->after) &&
	       add_costs(row, cost_of(pair->before), cost_of(pair->after),
			 pair->error, pair->changed) &&
	       add_frames(row, pair) && add_text(row, "page", pair->page);
}

static bool add_query(cJSON *list, const struct site_query *q)
{
	cJSON *row = add_object(list);

	return row && add_text(row, "was", q->before) &&
	       add_text(row, "is", q->after) &&
	       add_costs(row, q->cost[0], q->cost[1], q->error, q->changed) &&
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
		good = add_query(list, &p->queries[i]);
	list = good ? cJSON_AddArrayToObject(root, "rows") : NULL;
	for (size_t i = 0; (good = good && list) && i < p->n; i++)
		good = add_pair(list, &p->pairs[i]);
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
