/* SPDX-License-Identifier: Apache-2.0 */
/*
 * batch_index() writes the index of flame-batch's site, index.html: a report of
 * each application that has an event log, and a table of the pages that no
 * report leads to, whose figures are samples.  Rows sort and filter by the
 * script of share/site; those of a large site are in a file beside the page,
 * drawn as they come into view.  Nothing is loaded from elsewhere, and the
 * policy of the page allows its own script and style alone.  Called by
 * batch/site.c.
 */
#include "report/html.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Columns of metrics -------------------------------------------------- */

enum { MAX_METRICS = 16, MAX_QUERY = 200 };

/* The metrics of all pages, in the order they are met; what others say. */
struct columns {
	const char *name[MAX_METRICS], *unit[MAX_METRICS];
	double most[MAX_METRICS];
	size_t n;
	bool stages, in_tasks, executors, files, lost;
};

static const cJSON *metrics_of(const struct batch_group *group)
{
	return batch_list(group->record, "metrics");
}

static const cJSON *stage_of(const struct batch_group *group)
{
	return batch_list(group->record, "stage");
}

static void add_column(struct columns *columns, const cJSON *metric)
{
	const char *name = batch_text(metric, "name");
	double weight = batch_number(metric, "weight");
	size_t i = 0;

	while (i < columns->n && strcmp(columns->name[i], name) != 0)
		i++;
	if (i == MAX_METRICS)
		return;
	if (i == columns->n) {
		columns->name[i] = name;
		columns->unit[i] = batch_text(metric, "unit");
		columns->n++;
	}
	columns->most[i] = weight > columns->most[i] ? weight :
						       columns->most[i];
}

static const cJSON *find_metric(const struct batch_group *group,
				const char *name)
{
	const cJSON *metric;

	cJSON_ArrayForEach(metric, metrics_of(group))
		if (strcmp(batch_text(metric, "name"), name) == 0)
			return metric;
	return NULL;
}

static int64_t count_lost(const struct batch_group *group)
{
	return group->record ? batch_count_lost(group->record) :
			       (int64_t)group->n;
}

/* A page that a report's row leads to is in no other table. */
static bool is_reported(const struct batch *batch,
			const struct batch_group *page)
{
	const char *stage = batch_key(page, "stage"), *app = batch_key(page, "app");
	const cJSON *of;

	if (*stage < '0' || *stage > '9')
		return false;
	cJSON_ArrayForEach(of, batch->apps)
		if (!*app || strcmp(batch_text(of, "id"), app) == 0)
			return true;
	return false;
}

static struct columns find_columns(const struct batch *batch)
{
	struct columns c = { .n = 0 };
	const cJSON *metric;

	for (size_t i = 0; i < batch->npages; i++) {
		const struct batch_group *page = &batch->pages[i];

		if (is_reported(batch, page))
			continue;
		c.stages |= stage_of(page) != NULL;
		c.executors |= batch_number(page->record, "executors") > 0;
		c.files |= page->n != batch->pages[0].n;
		c.lost |= count_lost(page) > 0;
		cJSON_ArrayForEach(metric, metrics_of(page)) {
			add_column(&c, metric);
			c.in_tasks |= batch_number(metric, "tasks") > 0;
		}
	}
	return c;
}

/* Rows ---------------------------------------------------------------- */

/* What Spark calls it, and the beginning of its query. */
static void put_stage(struct flame_text *out, const struct batch_group *group)
{
	const cJSON *stage = stage_of(group);
	const char *name = batch_text(stage, "name");
	const char *query = batch_text(stage, "query");
	char text[MAX_QUERY + 4];
	size_t n;

	/* Of jobs without a description it is the same. */
	if (strcmp(name, query) == 0)
		query = "";
	n = strlen(query);
	if (!*name && !*query)
		return;
	if (n > MAX_QUERY)
		for (n = MAX_QUERY; ((unsigned char)query[n] & 0xc0) == 0x80;)
			n--;
	snprintf(text, sizeof(text), "%.*s%s", (int)n, query,
		 query[n] ? "..." : "");
	batch_put(out, "<small>");
	batch_put_escaped(out, text);
	batch_put(out, *name && *query ? "; " : "");
	batch_put_escaped(out, name);
	batch_put(out, "</small>");
}

static void put_title(struct flame_text *out, const struct batch_group *group)
{
	const char *page = batch_text(group->record, "page");

	batch_put(out, "<td>");
	if (*page) {
		batch_put(out, "<a href=\"");
		batch_put_escaped(out, page);
		batch_put(out, "\">");
	}
	batch_put_escaped(out, group->title);
	batch_put(out, *page ? "</a>" : "");
	put_stage(out, group);
	batch_put(out, "</td>");
}

static void put_row(struct flame_text *out, const struct batch_group *group,
		    const struct columns *c)
{
	const cJSON *metrics = metrics_of(group);
	const cJSON *first = metrics ? metrics->child : NULL;
	double all = batch_number(first, "weight");
	int64_t lost = count_lost(group);

	batch_put(out, "<tr data-l=\"0\">");
	put_title(out, group);
	for (size_t i = 0; i < c->n; i++) {
		double weight = batch_number(find_metric(group, c->name[i]),
					     "weight");

		batch_put_bar(out, c->name[i], weight, 0, c->most[i] > 0 ?
			      weight / c->most[i] : 0);
	}
	if (c->stages)
		batch_put_number(out, "Tasks", batch_number(stage_of(group),
							    "tasks"), 0, false);
	if (c->in_tasks)
		batch_put_number(out, "In tasks %", all > 0 ?
				 100 * batch_number(first, "tasks") / all : 0,
				 1, false);
	batch_put_frame(out, batch_text(first, "heaviest"),
			batch_number(first, "heaviest_weight"), all, group);
	if (c->executors)
		batch_put_number(out, "Executors", batch_number(
					 group->record, "executors"), 0, false);
	if (c->files)
		batch_put_number(out, "Files", (double)group->n, 0, false);
	if (c->lost)
		batch_put_number(out, "Lost", (double)lost, 0, true);
	batch_put_picture(out, batch_list(group->record, "picture"));
	batch_put(out, "</tr>\n");
}

static void put_headings(struct flame_text *out, const struct columns *c)
{
	char name[128];

	batch_put(out, "<thead><tr>");
	batch_put_heading(out, "Page", false, NULL);
	for (size_t i = 0; i < c->n; i++) {
		bool plain = !*c->unit[i] || strcmp(c->unit[i], "samples") == 0;

		snprintf(name, sizeof(name), "%.60s%s%.60s", c->name[i],
			 plain ? "" : ", ", plain ? "" : c->unit[i]);
		batch_put_heading(out, name, true, NULL);
	}
	if (c->stages)
		batch_put_heading(out, "Tasks", true, NULL);
	if (c->in_tasks)
		batch_put_heading(out, "In tasks %", true,
				  "Samples below TaskRunner.run, of all");
	batch_put_heading(out, "Heaviest frame", false,
			  "The frame with the most samples of its own, and "
			  "their share of all; a link shows them in the page");
	if (c->executors)
		batch_put_heading(out, "Executors", true, NULL);
	if (c->files)
		batch_put_heading(out, "Files", true, NULL);
	if (c->lost)
		batch_put_heading(out, "Lost or damaged", true, NULL);
	batch_put_heading(out, "Stacks", false, NULL);
	batch_put(out, "</tr></thead>\n<tbody>\n");
}

static void put_pages(struct flame_text *out, const struct batch *batch,
		      const struct columns *c, size_t most)
{
	for (size_t i = 0; i < batch->npages && most; i++)
		if (!is_reported(batch, &batch->pages[i])) {
			put_row(out, &batch->pages[i], c);
			most--;
		}
}

static size_t count_pages(const struct batch *batch)
{
	size_t n = 0;

	for (size_t i = 0; i < batch->npages; i++)
		n += !is_reported(batch, &batch->pages[i]);
	return n;
}

static void put_table(struct flame_text *out, const struct batch *batch,
		      bool large)
{
	struct columns c = find_columns(batch);

	if (!count_pages(batch))
		return;
	batch_put(out, cJSON_GetArraySize(batch->apps) ?
		       "<h2>Other pages</h2>\n" : "<h2>Pages</h2>\n");
	if (!cJSON_GetArraySize(batch->apps))
		batch_put_filter(out);
	batch_put(out, "<div class=\"wide\"><table class=\"tree\"");
	batch_put(out, large ? " data-rows=\"pages\">" : ">");
	put_headings(out, &c);
	put_pages(out, batch, &c, large ? BATCH_FIRST_ROWS : SIZE_MAX);
	batch_put(out, "</tbody></table></div>\n");
}

/* Lists ---------------------------------------------------------------- */

static void put_against(struct flame_text *out, const struct batch *batch)
{
	if (!batch->against)
		return;
	batch_put(out, "<p><a href=\"" BATCH_AGAINST "\">What changed, "
		  "against ");
	batch_put_escaped(out, batch->against);
	batch_put(out, "</a></p>\n");
}

static void put_outlier(struct flame_text *out,
			const struct batch_group *group, const cJSON *outlier)
{
	batch_put(out, "<li><a href=\"");
	batch_put_escaped(out, batch_text(outlier, "page"));
	batch_put(out, "\">");
	batch_put_escaped(out, group->title);
	batch_put(out, ", executor ");
	batch_put_escaped(out, batch_text(outlier, "executor"));
	batch_put(out, "</a>: ");
	batch_put_escaped(out, batch_text(outlier, "frame"));
	cli_print(out, " has %.1f %%, the median is %.1f %%</li>\n",
		  100 * batch_number(outlier, "share"),
		  100 * batch_number(outlier, "median"));
}

static void put_outliers(struct flame_text *out, const struct batch *batch)
{
	const cJSON *outlier;
	bool any = false;

	for (size_t i = 0; i < batch->npages; i++)
		cJSON_ArrayForEach(outlier, batch_list(batch->pages[i].record,
						       "outliers")) {
			if (!any)
				batch_put(out, "<h2>Executors unlike the rest"
					  "</h2>\n<ul class=\"links\">\n");
			any = true;
			put_outlier(out, &batch->pages[i], outlier);
		}
	batch_put(out, any ? "</ul>\n" : "");
}

/* The links of a large site, for who has no script. */
static void put_links(struct flame_text *out, const struct batch *batch)
{
	cli_print(out, "<noscript>\n<h2>All pages</h2>\n<p>Without a script "
		  "tables have their first %d rows; these are all pages:</p>\n"
		  "<ul class=\"links\">\n", BATCH_FIRST_ROWS);
	for (size_t i = 0; i < batch->npages; i++) {
		const char *page = batch_text(batch->pages[i].record, "page");

		if (!*page)
			continue;
		batch_put(out, "<li><a href=\"");
		batch_put_escaped(out, page);
		batch_put(out, "\">");
		batch_put_escaped(out, batch->pages[i].title);
		batch_put(out, "</a>\n");
	}
	batch_put(out, "</ul>\n</noscript>\n");
}

/* The page ------------------------------------------------------------ */

static const char *name_of(const cJSON *app)
{
	const char *name = batch_text(app, "name");

	return *name ? name : batch_text(app, "id");
}

/* An application's name, or what there is. */
static void put_name(struct flame_text *out, const struct batch *batch)
{
	int n = cJSON_GetArraySize(batch->apps);
	const char *name = name_of(cJSON_GetArrayItem(batch->apps, 0));

	if (n == 1 && *name)
		batch_put_escaped(out, name);
	else if (n > 1)
		cli_print(out, "%d applications", n);
	else
		batch_put(out, "Flame graphs");
}

static void put_top(struct flame_text *out, const struct batch *batch,
		    bool large)
{
	batch_put(out, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n"
		  "<meta charset=\"utf-8\">\n"
		  "<meta http-equiv=\"Content-Security-Policy\" "
		  "content=\"default-src 'none'; script-src '");
	batch_put(out, batch_site_script_hash);
	batch_put(out, large ? "' 'self'" : "'");
	batch_put(out, "; style-src '");
	batch_put(out, batch_site_style_hash);
	batch_put(out, "'; base-uri 'none'; form-action 'none'\">\n"
		  "<meta name=\"viewport\" content=\"width=device-width\">\n"
		  "<title>");
	put_name(out, batch);
	batch_put(out, "</title>\n<style>");
	batch_put(out, batch_site_style);
	batch_put(out, "</style>\n</head>\n<body>\n<header><h1>");
	put_name(out, batch);
	batch_put(out, "</h1><span>");
	if (batch->ninputs)
		cli_print(out, "%zu page%s of %zu file%s", batch->npages,
			  batch->npages == 1 ? "" : "s", batch->ninputs,
			  batch->ninputs == 1 ? "" : "s");
	else
		batch_put(out, "by the event log alone");
	batch_put(out, "</span><button id=\"theme\" hidden>Light / dark"
		  "</button></header>\n<main>\n");
}

static void put_app(struct flame_text *out, const cJSON *app, size_t number,
		    double most)
{
	const cJSON *first = cJSON_GetArrayItem(batch_list(app, "findings"), 0);
	double paid = batch_number(app, "paid_us");
	char when[64];

	batch_when(app, when, sizeof(when));
	cli_print(out, "<tr><td><a href=\"#app-%zu\">", number);
	batch_put_escaped(out, name_of(app));
	batch_put(out, "</a><small>");
	batch_put_escaped(out, batch_text(app, "id"));
	cli_print(out, "</small></td><td>%s</td><td class=\"n\">",
		  *when ? when : "unknown");
	if (*when)
		batch_put_duration(out, (batch_number(app, "ended") -
					 batch_number(app, "started")) / 1000);
	batch_put(out, *when ? "</td>" : "unknown</td>");
	batch_put_bar(out, "Paid", paid / 3.6e9, paid < 36e9 ? 4 : 2,
		      most > 0 ? paid / most : 0);
	batch_put(out, "<td class=\"most\">");
	batch_put_escaped(out, batch_text(first, "text"));
	batch_put(out, "</td></tr>\n");
}

/* Heaviest first. */
static void put_apps(struct flame_text *out, const struct batch *batch)
{
	static const char *const names[] = {
		"Application", "Start", "Duration", "Core-hours paid",
		"First finding",
	};
	const cJSON *app = batch->apps->child;
	double most = batch_number(app, "paid_us");
	size_t i = 0;

	batch_put(out, "<div class=\"wide\"><table>\n<thead><tr>");
	for (size_t n = 0; n < sizeof(names) / sizeof(*names); n++)
		batch_put_heading(out, names[n], n == 2 || n == 3, NULL);
	batch_put(out, "</tr></thead>\n<tbody>\n");
	cJSON_ArrayForEach(app, batch->apps)
		put_app(out, app, i++, most);
	batch_put(out, "</tbody></table></div>\n");
}

static void put_reports(struct flame_text *out, const struct batch *batch,
			bool large)
{
	bool several = cJSON_GetArraySize(batch->apps) > 1;
	const cJSON *app;
	size_t i = 0;

	if (several)
		put_apps(out, batch);
	cJSON_ArrayForEach(app, batch->apps) {
		batch_put(out, "<section>\n");
		if (several) {
			batch_put(out, i ? "<details><summary>" :
					   "<details open><summary>");
			batch_put_escaped(out, name_of(app));
			/* A link to what is within the element opens it. */
			cli_print(out, "</summary>\n<div id=\"app-%zu\">"
				  "</div>\n", i);
		}
		batch_put_report(out, batch, app, i++, large);
		batch_put(out, several ? "</details>\n</section>\n" :
					 "</section>\n");
	}
}

static void put_page(struct flame_text *out, const struct batch *batch,
		     bool large)
{
	put_top(out, batch, large);
	put_against(out, batch);
	put_reports(out, batch, large);
	/* The table of a large site has no end at first. */
	if (!large && !batch->apps->child)
		put_table(out, batch, large);
	put_outliers(out, batch);
	if (large || batch->apps->child)
		put_table(out, batch, large);
	if (large) {
		put_links(out, batch);
		batch_put(out, "<script src=\"" BATCH_ROWS "\"></script>\n");
	}
	cli_print(out, "</main>\n<footer>Made by flame-batch %s. All inputs "
		  "and what became of them: <a href=\"" BATCH_DATA
		  "manifest.json\">manifest.json</a>.</footer>\n",
		  FLAME_VERSION);
	batch_put(out, "<script>");
	batch_put(out, batch_site_script);
	batch_put(out, "</script>\n</body>\n</html>\n");
}

/* Rows of the tables of a large site, by their names. */
static bool write_rows(const struct batch *batch, struct flame *flame)
{
	struct flame_text *out = batch_create(batch, flame, BATCH_ROWS);
	struct columns c = find_columns(batch);
	const cJSON *app;
	size_t i = 0;

	if (!out)
		return false;
	batch_put(out, "const flameRows = {};\n");
	cJSON_ArrayForEach(app, batch->apps) {
		cli_print(out, "flameRows[\"%zu\"] = String.raw`\n", i++);
		batch_put_rows(out, batch, app, SIZE_MAX);
		batch_put(out, "`;\n");
	}
	batch_put(out, "flameRows.pages = String.raw`\n");
	put_pages(out, batch, &c, SIZE_MAX);
	batch_put(out, "`;\n");
	return flame_text_finish(out) == FLAME_OK;
}

bool batch_index(const struct batch *batch, struct flame *flame)
{
	size_t rows = count_pages(batch);
	struct flame_text *out;
	const cJSON *app;
	bool large;

	cJSON_ArrayForEach(app, batch->apps)
		rows += batch_count_rows(app);
	large = rows > BATCH_MAX_ROWS || batch->npages > BATCH_LARGE;
	if (large && !write_rows(batch, flame))
		return false;
	out = batch_create(batch, flame, "index.html");
	if (!out)
		return false;
	put_page(out, batch, large);
	return flame_text_finish(out) == FLAME_OK;
}
