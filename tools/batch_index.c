/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The index of flame-batch's site: a table to sort and to filter, a row a
 * group.  Of a large site the rows are in a script beside the page, which
 * shows them as they are scrolled to; without scripts there is a list of
 * links.  The page's own script and style are allowed by their hashes, which
 * tests/laws/batch compares.
 */
#include "batch.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char script[] =
	"\"use strict\";\n"
	"const STEP = 100;\n"
	"const body = document.querySelector(\"tbody\");\n"
	"const heads = [...document.querySelectorAll(\"th\")];\n"
	"const rest = document.querySelector(\"#rest\");\n"
	"const template = document.createElement(\"template\");\n"
	"const make = row => {\n"
	"\tif (typeof row !== \"string\")\n"
	"\t\treturn row;\n"
	"\ttemplate.innerHTML = row;\n"
	"\treturn template.content.firstChild;\n"
	"};\n"
	"let rows = typeof flameRows === \"string\" ?\n"
	"\tflameRows.trim().split(\"\\n\") : [...body.rows];\n"
	"let listed = rows, n = body.rows.length;\n"
	"const show = () => {\n"
	"\tseen.unobserve(rest);\n"
	"\tconst end = Math.min(n + STEP, listed.length);\n"
	"\tconst more = document.createDocumentFragment();\n"
	"\tfor (; n < end; n++)\n"
	"\t\tmore.append(listed[n] = make(listed[n]));\n"
	"\tbody.append(more);\n"
	"\trest.textContent = n < listed.length ?\n"
	"\t\tn + \" of \" + listed.length + \" rows, more below\" : "
	"\"\";\n"
	"\tif (n < listed.length)\n"
	"\t\tseen.observe(rest);\n"
	"};\n"
	"const seen = new IntersectionObserver(entries => {\n"
	"\tif (entries.at(-1).isIntersecting)\n"
	"\t\tshow();\n"
	"}, { rootMargin: \"900px\" });\n"
	"const list = next => {\n"
	"\tlisted = next;\n"
	"\tn = 0;\n"
	"\tbody.replaceChildren();\n"
	"\tshow();\n"
	"};\n"
	"const value = (row, i) => {\n"
	"\tconst cell = row.cells[i];\n"
	"\treturn \"v\" in cell.dataset ? +cell.dataset.v : "
	"cell.textContent;\n"
	"};\n"
	"const collator = new Intl.Collator(\"en\", { numeric: true });\n"
	"const compare = (a, b) =>\n"
	"\ttypeof a === \"number\" && typeof b === \"number\" ?\n"
	"\t\ta - b : collator.compare(a, b);\n"
	"const filter = document.querySelector(\"input\");\n"
	"let wanted = /(?:)/;\n"
	"const keep = () => {\n"
	"\trows = rows.map(make);\n"
	"\tlist(rows.filter(row => wanted.test(row.textContent)));\n"
	"};\n"
	"heads.forEach((head, i) => "
	"head.firstChild.addEventListener(\"click\", () => {\n"
	"\trows = rows.map(make);\n"
	"\tconst text = typeof value(rows[0], i) === \"string\";\n"
	"\tconst up = head.ariaSort ? head.ariaSort === \"descending\" "
	": text;\n"
	"\theads.forEach(other => "
	"other.removeAttribute(\"aria-sort\"));\n"
	"\thead.setAttribute(\"aria-sort\", up ? \"ascending\" : "
	"\"descending\");\n"
	"\trows = rows.map(row => [value(row, i), row])\n"
	"\t\t.sort((a, b) => (up ? 1 : -1) * compare(a[0], b[0]))\n"
	"\t\t.map(pair => pair[1]);\n"
	"\tkeep();\n"
	"}));\n"
	"filter.addEventListener(\"input\", () => {\n"
	"\ttry {\n"
	"\t\twanted = new RegExp(filter.value, \"i\");\n"
	"\t} catch {\n"
	"\t\tfilter.setAttribute(\"aria-invalid\", \"true\");\n"
	"\t\treturn;\n"
	"\t}\n"
	"\tfilter.removeAttribute(\"aria-invalid\");\n"
	"\tkeep();\n"
	"\tdocument.querySelector(\"output\").textContent =\n"
	"\t\tlisted.length + \" of \" + rows.length;\n"
	"});\n"
	"if (rows.length)\n"
	"\tshow();\n"
	"else\n"
	"\trest.textContent = \"No rows: is index.rows.js beside this "
	"page?\";\n";

static const char style[] =
	":root { color-scheme: light dark; font: 14px system-ui, "
	"sans-serif; }\n"
	"body { margin: 1em 1.5em; }\n"
	"h1 { font-size: 1.3em; margin: 0 0 .3em; }\n"
	"p { margin: .3em 0 .8em; }\n"
	"input { font: inherit; width: 22em; padding: .2em .4em; }\n"
	"input[aria-invalid] { outline: 2px solid #d33; }\n"
	"table { border-collapse: collapse; }\n"
	"th, td { padding: .3em .7em; text-align: left; "
	"vertical-align: middle; }\n"
	"th { position: sticky; top: 0; background: Canvas;\n"
	"\tborder-bottom: 2px solid GrayText; white-space: nowrap; }\n"
	"tr + tr td { border-top: 1px solid #8884; }\n"
	"th button { font: inherit; font-weight: bold; border: 0; "
	"padding: 0;\n"
	"\tbackground: none; color: inherit; cursor: pointer; }\n"
	"th[aria-sort=ascending] button::after { content: \" \\2191\"; }\n"
	"th[aria-sort=descending] button::after { content: \" \\2193\"; }\n"
	".n { text-align: right; font-variant-numeric: tabular-nums; }\n"
	".f { max-width: 26em; overflow-wrap: anywhere; }\n"
	"small { display: block; max-width: 30em; color: GrayText; "
	"overflow-wrap: anywhere; }\n"
	".b { color: #c22; font-weight: bold; }\n"
	"svg { display: block; background: #8881; }\n"
	"path { stroke: #f2c79b; stroke-width: .9; }\n"
	".t1 { stroke: #c7d98a; } .t2 { stroke: #8fd68a; }\n"
	".t3 { stroke: #8ececf; } .t4 { stroke: #f08f8b; }\n"
	".t5 { stroke: #f6cf6a; } .t6 { stroke: #f39d5e; }\n"
	".t7 { stroke: #bfe08a; } .t8 { stroke: #a9c7ea; }\n"
	".t9 { stroke: #bbb; }\n";

/* Beside the index of a large site. */
#define ROWS_FILE "index.rows.js"

#define SCRIPT_HASH "sha256-giJuYfZWqzRxk6qYiPx08L+txK4+Zaabsc0dynfPXBI="
#define STYLE_HASH "sha256-3WM9l1KptwDIH+DeKNLGeEJW13YXMoBt7WS4TYczTFE="

/* Text ---------------------------------------------------------------- */

static void put(struct flame_text *out, const char *text)
{
	(void)flame_text_put(out, text, strlen(text));
}

/* ` and { would end a text of the script that has the rows of a large site. */
static void put_escaped(struct flame_text *out, const char *text)
{
	static const char special[] = "&<>\"`{\n";
	static const char *const spelled[] = {
		"&amp;", "&lt;", "&gt;", "&quot;", "&#96;", "&#123;", "&#10;",
	};

	for (size_t n; *text; text += n) {
		n = strcspn(text, special);
		(void)flame_text_put(out, text, n);
		if (text[n])
			put(out, spelled[strchr(special, text[n++]) -
					 special]);
	}
}

/* "1,234,567" */
static void put_grouped(struct flame_text *out, double number)
{
	char digits[32], text[48];
	size_t n, m = 0;

	snprintf(digits, sizeof(digits), "%.0f", number);
	n = strlen(digits);
	for (size_t i = 0; i < n; i++) {
		if (i && (n - i) % 3 == 0)
			text[m++] = ',';
		text[m++] = digits[i];
	}
	text[m] = '\0';
	put(out, text);
}

static void put_number(struct flame_text *out, double number, bool bad)
{
	cli_print(out, "<td class=\"n%s\" data-v=\"%.0f\">", bad ? " b" : "",
		  number);
	put_grouped(out, number);
	put(out, "</td>");
}

static void put_percent(struct flame_text *out, double part, double all)
{
	double percent = all > 0 ? 100 * part / all : 0;

	cli_print(out, "<td class=\"n\" data-v=\"%.4f\">%.1f %%</td>",
		  percent, percent);
}

/* Columns of metrics -------------------------------------------------- */

enum { MAX_METRICS = 16, MAX_QUERY = 200 };

/* The metrics of all groups: their names, in the order they are met. */
struct columns {
	const char *name[MAX_METRICS], *unit[MAX_METRICS];
	size_t n;
	bool stages;		/* some have a name and a number of tasks */
};

static const cJSON *metrics_of(const struct batch_group *group)
{
	return cJSON_GetObjectItemCaseSensitive(group->record, "metrics");
}

static void add_column(struct columns *columns, const cJSON *metric)
{
	const char *name = batch_text(metric, "name");

	for (size_t i = 0; i < columns->n; i++)
		if (strcmp(columns->name[i], name) == 0)
			return;
	if (columns->n == MAX_METRICS)
		return;
	columns->name[columns->n] = name;
	columns->unit[columns->n++] = batch_text(metric, "unit");
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

/* Rows ---------------------------------------------------------------- */

static void put_picture(struct flame_text *out, const cJSON *picture)
{
	int rows = (int)batch_number(picture, "rows");
	const cJSON *path;

	put(out, "<td>");
	if (rows > 0)
		cli_print(out, "<svg width=\"200\" height=\"%d\" "
			  "viewBox=\"0 -.5 200 %d\" "
			  "preserveAspectRatio=\"none\" role=\"img\" "
			  "aria-label=\"stacks\">", 5 * rows, rows);
	cJSON_ArrayForEach(path, picture) {
		if (!cJSON_IsString(path))
			continue;
		cli_print(out, "<path class=\"%s\" d=\"", path->string);
		put_escaped(out, path->valuestring);
		put(out, "\"/>");
	}
	put(out, rows > 0 ? "</svg></td>" : "</td>");
}

static const cJSON *stage_of(const struct batch_group *group)
{
	return cJSON_GetObjectItemCaseSensitive(group->record, "stage");
}

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
	put(out, "<small>");
	put_escaped(out, name);
	put(out, *name && *query ? "; " : "");
	put_escaped(out, text);
	put(out, "</small>");
}

static void put_title(struct flame_text *out, const struct batch_group *group)
{
	const char *page = batch_text(group->record, "page");

	put(out, "<td>");
	if (*page) {
		put(out, "<a href=\"");
		put_escaped(out, page);
		put(out, "\">");
	}
	put_escaped(out, group->title);
	put(out, *page ? "</a>" : "");
	put_stage(out, group);
	put(out, "</td>");
}

static void put_heaviest(struct flame_text *out, const cJSON *metric)
{
	double weight = batch_number(metric, "weight");

	put(out, "<td class=\"f\">");
	if (weight > 0) {
		put_escaped(out, batch_text(metric, "heaviest"));
		cli_print(out, " (%.1f %%)",
			  100 * batch_number(metric, "heaviest_weight") /
			  weight);
	}
	put(out, "</td>");
}

static void put_row(struct flame_text *out, const struct batch_group *group,
		    const struct columns *columns)
{
	const cJSON *metrics = metrics_of(group);
	const cJSON *first = metrics ? metrics->child : NULL;
	int64_t lost = group->record ? batch_count_lost(group->record) :
				       (int64_t)group->n;

	put(out, "<tr>");
	put_title(out, group);
	put_picture(out, cJSON_GetObjectItemCaseSensitive(group->record,
							  "picture"));
	for (size_t i = 0; i < columns->n; i++)
		put_number(out, batch_number(find_metric(group,
							 columns->name[i]),
					     "weight"), false);
	if (columns->stages)
		put_number(out, batch_number(stage_of(group), "tasks"), false);
	put_percent(out, batch_number(first, "tasks"),
		    batch_number(first, "weight"));
	put_heaviest(out, first);
	put_number(out, batch_number(group->record, "executors"), false);
	put_number(out, (double)group->n, false);
	put_number(out, (double)lost, lost);
	put(out, "</tr>\n");
}

static void put_comparisons(struct flame_text *out, const struct batch *batch)
{
	if (batch->ncomparisons)
		put(out, "<h2>Heaviest two of an application</h2>\n<ul>\n");
	for (size_t i = 0; i < batch->ncomparisons; i++) {
		put(out, "<li><a href=\"");
		put_escaped(out, batch->comparisons[i].page);
		put(out, "\">");
		put_escaped(out, batch->comparisons[i].title);
		put(out, "</a></li>\n");
	}
	put(out, batch->ncomparisons ? "</ul>\n" : "");
}

static void put_outlier(struct flame_text *out,
			const struct batch_group *group, const cJSON *outlier)
{
	put(out, "<li><a href=\"");
	put_escaped(out, batch_text(outlier, "page"));
	put(out, "\">");
	put_escaped(out, group->title);
	put(out, ", executor ");
	put_escaped(out, batch_text(outlier, "executor"));
	put(out, "</a>: ");
	put_escaped(out, batch_text(outlier, "frame"));
	cli_print(out, " has %.1f %%, the median is %.1f %%</li>\n",
		  100 * batch_number(outlier, "share"),
		  100 * batch_number(outlier, "median"));
}

static void put_outliers(struct flame_text *out, const struct batch *batch)
{
	const cJSON *outlier;
	bool any = false;

	for (size_t i = 0; i < batch->npages; i++)
		cJSON_ArrayForEach(outlier, cJSON_GetObjectItemCaseSensitive(
					batch->pages[i].record, "outliers")) {
			if (!any)
				put(out, "<h2>Executors unlike the rest</h2>\n"
				    "<ul>\n");
			any = true;
			put_outlier(out, &batch->pages[i], outlier);
		}
	put(out, any ? "</ul>\n" : "");
}

/* The page ------------------------------------------------------------ */

static void put_heading(struct flame_text *out, const char *name,
			const char *unit, bool number)
{
	put(out, number ? "<th class=\"n\"><button>" : "<th><button>");
	put_escaped(out, name);
	if (unit && *unit && strcmp(unit, "samples") != 0) {
		put(out, ", ");
		put_escaped(out, unit);
	}
	put(out, "</button></th>");
}

static void put_headings(struct flame_text *out, const struct columns *columns)
{
	put(out, "<table><thead><tr>");
	put_heading(out, "Group", NULL, false);
	put_heading(out, "Stacks", NULL, false);
	for (size_t i = 0; i < columns->n; i++)
		put_heading(out, columns->name[i], columns->unit[i], true);
	if (columns->stages)
		put_heading(out, "Tasks", NULL, true);
	put_heading(out, "In tasks", NULL, true);
	put_heading(out, "Heaviest frame", NULL, false);
	put_heading(out, "Executors", NULL, true);
	put_heading(out, "Files", NULL, true);
	put_heading(out, "Lost or damaged", NULL, true);
	put(out, "</tr></thead>\n<tbody>\n");
}

/* The links of a large site, under the first words of their titles. */
static void put_links(struct flame_text *out, const struct batch *batch)
{
	const char *head = "";
	size_t size = 0;

	put(out, "<noscript>\n<p>Without scripts, a list of the pages:\n<ul>");
	for (size_t i = 0; i < batch->npages; i++) {
		const char *title = batch->pages[i].title;
		const char *page = batch_text(batch->pages[i].record, "page");
		size_t n = strcspn(title, " ");

		if (!title[n])
			n = 0;
		if (n != size || strncmp(title, head, n) != 0) {
			put(out, "\n</ul>\n<p>");
			for (size_t k = 0; k < n; k++)
				put_escaped(out, (char[]){ title[k], '\0' });
			put(out, "\n<ul>");
			head = title;
			size = n;
		}
		put(out, "\n<li>");
		if (*page) {
			put(out, "<a href=\"");
			put_escaped(out, page);
			put(out, "\">");
		}
		put_escaped(out, title + n + (n > 0));
		put(out, *page ? "</a>" : "");
	}
	put(out, "\n</ul>\n</noscript>\n");
}

static void put_top(struct flame_text *out, const struct batch *batch,
		    bool large)
{
	put(out, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n"
	    "<meta charset=\"utf-8\">\n"
	    "<meta http-equiv=\"Content-Security-Policy\" "
	    "content=\"default-src 'none'; script-src '" SCRIPT_HASH "'");
	put(out, large ? " 'self'" : "");
	put(out, "; style-src '" STYLE_HASH "'; base-uri 'none'; "
	    "form-action 'none'\">\n"
	    "<meta name=\"viewport\" content=\"width=device-width\">\n"
	    "<title>Flame graphs</title>\n<style>");
	put(out, style);
	put(out, "</style>\n</head>\n<body>\n<h1>Flame graphs</h1>\n");
	cli_print(out, "<p>%zu groups, %zu files. The share in tasks (below "
		  "TaskRunner.run) and the heaviest frame are those of the "
		  "first metric of a group.</p>\n<p><label>Filter <input "
		  "type=\"search\" placeholder=\"regular expression\">"
		  "</label> <output></output></p>\n", batch->npages,
		  batch->ninputs);
}

/* The table of a large site has no end at first: lists come before it. */
static void put_page(struct flame_text *out, const struct batch *batch,
		     const struct columns *columns, bool large)
{
	put_top(out, batch, large);
	if (large) {
		put_comparisons(out, batch);
		put_outliers(out, batch);
	}
	put_headings(out, columns);
	for (size_t i = 0; !large && i < batch->npages; i++)
		put_row(out, &batch->pages[i], columns);
	put(out, "</tbody></table>\n<p id=\"rest\"></p>\n");
	if (large) {
		put_links(out, batch);
		put(out, "<script src=\"" ROWS_FILE "\"></script>\n");
	} else {
		put_comparisons(out, batch);
		put_outliers(out, batch);
	}
	put(out, "<script>");
	put(out, script);
	put(out, "</script>\n</body>\n</html>\n");
}

static bool write_rows(const struct batch *batch, struct flame *flame,
		       const struct columns *columns)
{
	char *path = batch_path(batch, ROWS_FILE, "");
	struct flame_text *out = path ? flame_text_create(flame, path) : NULL;

	free(path);
	if (!out)
		return false;
	put(out, "const flameRows = String.raw`\n");
	for (size_t i = 0; i < batch->npages; i++)
		put_row(out, &batch->pages[i], columns);
	put(out, "`;\n");
	return flame_text_finish(out) == FLAME_OK;
}

static struct columns find_columns(const struct batch *batch)
{
	struct columns columns = { .n = 0 };
	const cJSON *metric;

	for (size_t i = 0; i < batch->npages; i++) {
		columns.stages |= stage_of(&batch->pages[i]) != NULL;
		cJSON_ArrayForEach(metric, metrics_of(&batch->pages[i]))
			add_column(&columns, metric);
	}
	return columns;
}

bool batch_index(const struct batch *batch, struct flame *flame)
{
	bool large = batch->npages > BATCH_LARGE;
	struct columns columns = find_columns(batch);
	char *path = batch_path(batch, "index.html", "");
	struct flame_text *out;

	if (large && !write_rows(batch, flame, &columns)) {
		free(path);
		return false;
	}
	out = path ? flame_text_create(flame, path) : NULL;
	free(path);
	if (!out)
		return false;
	put_page(out, batch, &columns, large);
	return flame_text_finish(out) == FLAME_OK;
}
