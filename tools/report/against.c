/* SPDX-License-Identifier: Apache-2.0 */
/*
 * flame-batch --against: batch_compare_against() compares the site that was
 * written with an earlier one.  against.html has a row for each query and
 * stage, with the page that compares its stacks, and data/against.json the
 * same.  site_compare() of compare/ pairs the rows.  Called by flame-batch.c,
 * last.
 */
#include "report/html.h"
#include "compare/sites.h"

#include <ctype.h>
#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The site to compare with ---------------------------------------------- */

static bool is_same_folder(const char *a, const char *b)
{
	struct stat x, y;

	return stat(a, &x) == 0 && stat(b, &y) == 0 && x.st_dev == y.st_dev &&
	       x.st_ino == y.st_ino;
}

/* When a site was written, in ns; below 0: it is none. */
static double written_at(const char *site)
{
	char *path = NULL;
	struct stat st;
	double at = -1;

	if (site_is(site) && asprintf(&path, "%s/data/manifest.json",
				      site) >= 0 && stat(path, &st) == 0)
		at = (double)st.st_mtim.tv_sec * 1e9 +
		     (double)st.st_mtim.tv_nsec;
	free(path);
	return at;
}

/* The newest site in a folder, but that which is written; to be freed. */
static char *newest_in(const struct batch *batch, const char *folder)
{
	DIR *dir = opendir(folder);
	const struct dirent *entry;
	char *best = NULL, *path;
	double at = -1;

	while (dir && (entry = readdir(dir))) {
		if (entry->d_name[0] == '.' ||
		    asprintf(&path, "%s/%s", folder, entry->d_name) < 0)
			continue;
		if (written_at(path) > at &&
		    !is_same_folder(path, batch->site)) {
			at = written_at(path);
			free(best);
			best = path;
		} else {
			free(path);
		}
	}
	if (dir)
		closedir(dir);
	return best;
}

bool batch_find_against(struct batch *batch)
{
	const char *folder = batch->against;

	if (!folder)
		return true;
	if (site_is(folder) && is_same_folder(folder, batch->site)) {
		cli_say(batch->cli, "--against %s: is the site that is written",
			folder);
		return false;
	}
	if (site_is(folder))
		return true;
	batch->found = newest_in(batch, folder);
	batch->against = batch->found;
	if (!batch->found)
		cli_say(batch->cli, "--against %s: no site of flame-batch, nor "
			"a folder with one in it", folder);
	return batch->found;
}

/* Pages ------------------------------------------------------------------ */

static double cost_of(const struct site_row *row)
{
	return row ? row->cost : 0;
}

static const struct site_row *row_of(const struct site_pair *pair)
{
	return pair->after ? pair->after : pair->before;
}

/* stages/NAME.against.html of stages/NAME.html. */
static char *name_page(const struct site_pair *pair, size_t number)
{
	const char *page = pair->after->page;
	size_t n = strlen(page);
	char *name;

	if (n > 5 && strcmp(page + n - 5, ".html") == 0 ?
		    asprintf(&name, "%.*s.against.html", (int)n - 5, page) < 0 :
		    asprintf(&name, BATCH_STAGES "against-%zu.html", number) < 0)
		return NULL;
	return name;
}

static bool draw_pair(const struct batch *batch, const struct site_pairs *p,
		      struct site_pair *pair, size_t number)
{
	const struct batch_side a = {
		p->sites[0].path, (const char *const *)pair->before->stacks,
		pair->before->nstacks
	};
	const struct batch_side b = {
		p->sites[1].path, (const char *const *)pair->after->stacks,
		pair->after->nstacks
	};
	const struct site_row *row = row_of(pair);
	char *title;
	bool good;

	pair->page = name_page(pair, number);
	if (!pair->page ||
	    asprintf(&title, "%s%s%s, against %s", row->query,
		     *row->query ? ": " : "",
		     *row->plan ? row->plan : row->stage, batch->against) < 0)
		return cli_no_memory(batch->cli);
	good = batch_draw_sides(batch, title, pair->page, &a, &b, NULL);
	free(title);
	return good;
}

static bool draw_pairs(const struct batch *batch, struct site_pairs *p)
{
	for (size_t i = 0; i < p->n; i++) {
		struct site_pair *pair = &p->pairs[i];

		if (pair->before && pair->after && pair->before->nstacks &&
		    pair->after->nstacks &&
		    strcmp(pair->before->metric, pair->after->metric) == 0 &&
		    !draw_pair(batch, p, pair, i))
			return false;
	}
	return true;
}

/* against.html ------------------------------------------------------------ */

static void put_costs(struct flame_text *out, const struct site_pairs *p,
		      double before, double after, double error, bool changed)
{
	int digits = p->sites[0].billed ? 2 : 0;

	cli_print(out, "<td class=\"n\">%.*f</td><td class=\"n\">%.*f</td>"
		  "<td class=\"n%s\">%+.*f%s</td><td class=\"n\">",
		  digits, before, digits, after,
		  changed && after > before ? " bad" : "", digits,
		  after - before, changed ? " *" : "");
	if (error > 0)
		cli_print(out, "\302\261\302\240%.*f", digits, 2 * error);
	batch_put(out, "</td>");
}

/* What the ends of all intervals lie within. */
static double reach_of(const struct site_pairs *p)
{
	double reach = 0;

	for (size_t i = 0; i < p->n; i++)
		reach = fmax(reach, fabs(cost_of(p->pairs[i].after) -
					 cost_of(p->pairs[i].before)) +
					    2 * p->pairs[i].error);
	for (size_t i = 0; i < p->nqueries; i++)
		reach = fmax(reach, fabs(p->queries[i].cost[1] -
					 p->queries[i].cost[0]) +
					    2 * p->queries[i].error);
	return reach > 0 ? reach : 1;
}

/* The change and its interval as a whisker, on one scale; 0 is in the middle. */
static void put_whisker(struct flame_text *out, double reach, double change,
			double error, bool changed)
{
	double unit = 58 / reach, at = 60 + change * unit;

	batch_put(out, "<td class=\"strip\"><svg width=\"120\" height=\"16\" "
		  "viewBox=\"0 0 120 16\" aria-hidden=\"true\">"
		  "<path class=\"t9\" d=\"M60 0v16\"/>");
	cli_print(out, "<path class=\"t%d\" d=\"M%.1f 8H%.1fM%.1f 5v6M%.1f 5v6"
		  "M%.1f 2v12\"/></svg></td>", !changed ? 9 : change > 0 ? 4 : 2,
		  at - 2 * error * unit, at + 2 * error * unit,
		  at - 2 * error * unit, at + 2 * error * unit, at);
}

/* A search for exactly this name, in the address of a page. */
static void put_search(struct flame_text *out, const char *name)
{
	for (const char *at = name; *at; at++) {
		if (strchr(".*+?^${}()|[]\\/", *at))
			batch_put(out, "%5C");
		cli_print(out, isalnum((unsigned char)*at) ? "%c" : "%%%02X",
			  (unsigned char)*at);
	}
}

static void put_frame(struct flame_text *out, const struct site_pair *pair,
		      const struct site_frame *frame)
{
	if (pair->page) {
		batch_put(out, "<a href=\"");
		batch_put_escaped(out, pair->page);
		batch_put(out, "#q=");
		put_search(out, frame->name);
		batch_put(out, "\">");
	}
	batch_put_escaped(out, frame->name);
	batch_put(out, pair->page ? "</a>" : "");
	cli_print(out, " %+.2f", frame->after - frame->before);
}

static void put_table_head(struct flame_text *out, const char *what)
{
	batch_put(out, "<div class=\"wide\"><table>\n<thead><tr><th>");
	batch_put(out, what);
	batch_put(out, "</th><th class=\"n\">before</th><th class=\"n\">after"
		  "</th><th class=\"n\">change</th><th class=\"n\">95 %</th>"
		  "<th></th><th>Frames, plan</th></tr></thead>\n<tbody>\n");
}

static void put_query(struct flame_text *out, const struct site_pairs *p,
		      const struct site_query *q, double reach)
{
	batch_put(out, "<tr><td>");
	batch_put_escaped(out, q->before ? q->before : q->after);
	if (q->before && q->after && strcmp(q->before, q->after) != 0) {
		batch_put(out, " \342\206\222 ");
		batch_put_escaped(out, q->after);
	}
	batch_put(out, "</td>");
	put_costs(out, p, q->cost[0], q->cost[1], q->error, q->changed);
	put_whisker(out, reach, q->cost[1] - q->cost[0], q->error, q->changed);
	batch_put(out, "<td>");
	if (q->added) {
		batch_put(out, "new: ");
		batch_put_escaped(out, q->added);
	}
	if (q->gone) {
		batch_put(out, q->added ? "; gone: " : "gone: ");
		batch_put_escaped(out, q->gone);
	}
	batch_put(out, "</td></tr>\n");
}

static void put_pair(struct flame_text *out, const struct site_pairs *p,
		     const struct site_pair *pair, double reach)
{
	const struct site_row *row = row_of(pair);

	batch_put(out, "<tr><td>");
	if (pair->page) {
		batch_put(out, "<a href=\"");
		batch_put_escaped(out, pair->page);
		batch_put(out, "\">");
	}
	batch_put_escaped(out, *row->plan ? row->plan : row->stage);
	batch_put(out, pair->page ? "</a><small>" : "<small>");
	batch_put_escaped(out, row->query);
	batch_put(out, "</small></td>");
	put_costs(out, p, cost_of(pair->before), cost_of(pair->after),
		  pair->error, pair->changed);
	put_whisker(out, reach, cost_of(pair->after) - cost_of(pair->before),
		    pair->error, pair->changed);
	batch_put(out, "<td>");
	for (size_t i = 0; i < pair->nframes; i++) {
		batch_put(out, i ? ", " : "");
		put_frame(out, pair, &pair->frames[i]);
	}
	batch_put(out, !pair->before ? "new" : !pair->after ? "gone" : "");
	batch_put(out, "</td></tr>\n");
}

static void put_heads(struct flame_text *out, const struct site_pairs *p)
{
	char *heads = site_heads(p);

	batch_put(out, "<p>");
	for (char *at = heads; at && *at; at++)
		if (*at == '\n') {
			*at = '\0';
			batch_put_escaped(out, heads);
			batch_put(out, at[1] ? "<br>\n" : "</p>\n");
			memmove(heads, at + 1, strlen(at + 1) + 1);
			at = heads - 1;
		}
	free(heads);
}

static void put_page(struct flame_text *out, const struct site_pairs *p)
{
	double reach = reach_of(p);

	batch_put(out, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n"
		  "<meta charset=\"utf-8\">\n"
		  "<meta http-equiv=\"Content-Security-Policy\" "
		  "content=\"default-src 'none'; style-src '");
	batch_put(out, batch_site_style_hash);
	batch_put(out, "'; base-uri 'none'; form-action 'none'\">\n"
		  "<meta name=\"viewport\" content=\"width=device-width\">\n"
		  "<title>What changed</title>\n<style>");
	batch_put(out, batch_site_style);
	batch_put(out, "</style>\n</head>\n<body>\n<header><h1>What changed"
		  "</h1></header>\n<main>\n");
	put_heads(out, p);
	if (p->sites[0].billed) {
		batch_put(out, "<h2>Queries</h2>\n");
		put_table_head(out, "Query");
		for (size_t i = 0; i < p->nqueries; i++)
			put_query(out, p, &p->queries[i], reach);
		batch_put(out, "</tbody></table></div>\n");
	}
	batch_put(out, p->sites[0].billed ? "<h2>Stages</h2>\n" :
					    "<h2>Stacks</h2>\n");
	put_table_head(out, p->sites[0].billed ? "Stage" : "Stacks");
	for (size_t i = 0; i < p->n; i++)
		put_pair(out, p, &p->pairs[i], reach);
	cli_print(out, "</tbody></table></div>\n</main>\n<footer>Made by "
		  "flame-batch %s. <a href=\"index.html\">The site</a>; "
		  "<a href=\"" BATCH_DATA "against.json\">as JSON</a>."
		  "</footer>\n</body>\n</html>\n", FLAME_VERSION);
}

static bool write_file(const struct batch *batch, struct flame *flame,
		       const struct site_pairs *p, const char *name, bool json)
{
	struct flame_text *out = batch_create(batch, flame, name);

	if (out && !json)
		put_page(out, p);
	return batch_finish(out, out && (!json || site_put(p, "json", out)));
}

int batch_compare_against(const struct batch *batch, struct flame *flame)
{
	struct site_pairs p;
	bool good;

	if (!batch->against)
		return CLI_FINE;
	good = site_compare(batch->cli, batch->against, batch->site, &p) &&
	       draw_pairs(batch, &p) &&
	       write_file(batch, flame, &p, BATCH_DATA "against.json", true) &&
	       write_file(batch, flame, &p, BATCH_AGAINST, false);
	site_free(&p);
	return good ? CLI_FINE : CLI_TROUBLE;
}
