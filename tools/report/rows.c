/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writes the table of what an application's cores were paid for, as a tree of
 * rows: queries, their stages, and the operators of these; and what is of no
 * query.  batch_put_table() is for report.c; batch_put_rows() for the rows of a
 * large site, which index.c writes to a file.  The application's bill comes in.
 */
#include "report/columns.h"

#include <stdio.h>
#include <string.h>

/* Columns -------------------------------------------------------------- */

static double bad_tasks(const cJSON *stage)
{
	return batch_number(stage, "failed") + batch_number(stage, "killed");
}

/* Of a stage, by members of the bill; a query has the sums of its stages. */
static const struct batch_column columns[] = {
	{ .title = "", .label = "Cost", .key = "cost_us",
	  .kind = BATCH_CELL_BAR },
	{ .title = "Price", .label = "Price", .key = "cost_us",
	  .kind = BATCH_CELL_PRICE },
	{ .title = "CPU % of cost", .label = "CPU % of cost", .key = "cpu_us",
	  .kind = BATCH_CELL_SHARE,
	  .help = "CPU time of the tasks, of the time that they ran" },
	{ .title = "GC", .label = "GC", .key = "gc_us", .some = true },
	{ .title = "Python", .label = "Python", .key = "python_us",
	  .some = true },
	{ .title = "Shuffle wait", .label = "Wait", .key = "fetch_wait_us",
	  .some = true },
	{ .title = "Spill", .label = "Spill", .key = "disk_spill_bytes",
	  .kind = BATCH_CELL_SIZE, .some = true },
	{ .title = "Tasks", .label = "Tasks", .key = "tasks",
	  .kind = BATCH_CELL_COUNT },
	{ .title = "Failed, killed", .label = "Failed", .value = bad_tasks,
	  .kind = BATCH_CELL_COUNT, .some = true, .bad = true },
};

struct table {
	struct batch_columns columns;
	bool picture, operators;
};

/* Whether most stages would be 0.00 in the unit of their sum. */
static bool has_small_stages(const cJSON *app, const struct batch_unit *unit)
{
	const cJSON *query, *stage;
	size_t n = 0, small = 0;

	cJSON_ArrayForEach(query, batch_list(app, "queries"))
		cJSON_ArrayForEach(stage, batch_list(query, "stages")) {
			n++;
			small += batch_number(stage, "cost_us") <
				 unit->us / 20;
		}
	return 2 * small > n;
}

static struct table begin_table(const struct batch *batch, const cJSON *app)
{
	struct table t = {
		.columns = {
			.all = columns, .base = "cost_us",
			.n = sizeof(columns) / sizeof(*columns),
		},
		.picture = batch->npages <= BATCH_LARGE,
	};
	const cJSON *query, *stage;

	batch_begin_columns(&t.columns, batch, app);
	if (has_small_stages(app, &t.columns.unit))
		t.columns.unit = batch_core_seconds;
	cJSON_ArrayForEach(query, batch_list(app, "queries")) {
		double cost = batch_number(query, "cost_us");

		t.columns.most = cost > t.columns.most ? cost : t.columns.most;
		cJSON_ArrayForEach(stage, batch_list(query, "stages"))
			batch_show_columns(&t.columns, stage);
	}
	return t;
}

static void put_headings(struct flame_text *out, const struct table *t)
{
	batch_put(out, "<thead><tr>");
	batch_put_heading(out, "Query, stage, operator", false, NULL);
	batch_put_titles(out, &t->columns);
	batch_put_heading(out, "Does most", false,
			  "What most samples of tasks are of, and their share "
			  "of these; a link shows them in the page");
	if (t->picture)
		batch_put_heading(out, "Paid for", false,
				  "Parts of its time, as in the bar of all that "
				  "was paid");
	batch_put(out, "</tr></thead>\n<tbody>\n");
}

/* Of what the samples show. */
static void put_frame(struct flame_text *out, const cJSON *row,
		      const struct batch_group *page)
{
	if (row && !(batch_number(row, "shown_us") > 0) &&
	    batch_text(row, "name")[0] != '[')
		batch_put(out, "<td class=\"most\">no samples</td>");
	else
		batch_put_frame(out, batch_text(row, "frame"),
				batch_number(row, "frame_us"),
				batch_number(row, "shown_us"), page);
}

/* Of a stage that no recording has seen: what would have recorded it. */
static void put_most(struct flame_text *out, const cJSON *stage,
		     const struct batch_group *page)
{
	if (page || *batch_text(stage, "frame"))
		put_frame(out, stage, page);
	else
		batch_put(out, "<td class=\"most\"><i>not recorded: "
			  BATCH_RECORD "</i></td>");
}

/* What it was paid for --------------------------------------------------- */

enum { MAX_PARTS = 16 };

/* By batch_part_at(); waiting is the rest. */
static void add_parts(const cJSON *stage, double us[MAX_PARTS])
{
	double rest = batch_number(stage, "cost_us");
	size_t wait = 0;

	for (size_t i = 0; batch_part_at(i); i++) {
		double part = batch_part_us(stage, i);

		if (strcmp(batch_part_at(i)->key, "wait") == 0)
			wait = i;
		us[i] += part;
		rest -= part;
	}
	us[wait] += rest > 0 ? rest : 0;
}

static void put_parts(struct flame_text *out, const double us[MAX_PARTS])
{
	double all = 0, x = 0;

	for (size_t i = 0; batch_part_at(i); i++)
		all += us[i];
	batch_put(out, "<td class=\"strip\">");
	if (all > 0)
		batch_put(out, "<svg width=\"120\" height=\"10\" role=\"img\" "
			  "aria-label=\"what it was paid for\">");
	for (size_t i = 0; all > 0 && batch_part_at(i); i++)
		batch_put_slice(out, batch_part_at(i)->key,
				batch_part_at(i)->name, &x, 100 * us[i] / all);
	batch_put(out, all > 0 ? "</svg></td>" : "</td>");
}

/* Rows ----------------------------------------------------------------- */

/* Cells of a row that has a cost and a frame alone. */
static void put_light(struct flame_text *out, const struct table *t,
		      const cJSON *row, double us)
{
	batch_put_cost(out, &t->columns, us);
	put_frame(out, row, NULL);
	batch_put(out, t->picture ? "<td class=\"strip\"></td></tr>\n" :
				    "</tr>\n");
}

static void put_operator(struct flame_text *out, const struct table *t,
			 const cJSON *row)
{
	batch_put(out, "<tr data-l=\"2\"><td>");
	batch_put_escaped(out, batch_text(row, "name"));
	batch_put(out, "</td>");
	put_light(out, t, row, batch_number(row, "cost_us"));
}

static void put_stage_name(struct flame_text *out, const cJSON *stage,
			   const char *page)
{
	const char *name = batch_text(stage, "name");
	const char *plan = batch_text(stage, "plan");
	bool by_plan = *plan && (batch_is_generated(name) || !*name);

	batch_put(out, "<td>");
	if (*page) {
		batch_put(out, "<a href=\"");
		batch_put_escaped(out, page);
		batch_put(out, "\">");
	}
	batch_put_escaped(out, by_plan ? plan : *name ? name : "stage");
	batch_put(out, *page ? "</a>" : "");
	cli_print(out, "<small>stage %.0f", batch_number(stage, "id"));
	if (batch_number(stage, "attempts") > 1)
		cli_print(out, ", %.0f attempts",
			  batch_number(stage, "attempts"));
	if (!by_plan && *plan) {
		batch_put(out, " · ");
		batch_put_escaped(out, plan);
	}
	batch_put(out, "</small></td>");
}

static void put_stage(struct flame_text *out, const struct batch *batch,
		      const struct table *t, const cJSON *app,
		      const cJSON *stage)
{
	const struct batch_group *page = batch_page_of(
		batch, batch_text(app, "id"), stage);
	const cJSON *row;
	struct batch_sums sums = { 0 };
	double parts[MAX_PARTS] = { 0 };

	batch_add_row(&t->columns, &sums, stage);
	batch_put(out, "<tr data-l=\"1\">");
	put_stage_name(out, stage, page ? batch_text(page->record, "page") :
					  "");
	batch_put_sums(out, &t->columns, &sums, NULL);
	put_most(out, stage, page);
	if (t->picture) {
		add_parts(stage, parts);
		put_parts(out, parts);
	}
	batch_put(out, "</tr>\n");
	if (t->operators)
		cJSON_ArrayForEach(row, batch_list(stage, "operators"))
			put_operator(out, t, row);
}

enum { MAX_QUERY = 200 };

/* A query's own text may be pages long. */
static void put_query_name(struct flame_text *out, const char *name, int stages)
{
	char text[MAX_QUERY + 8];
	size_t n = strlen(name);

	if (n > MAX_QUERY)
		for (n = MAX_QUERY; ((unsigned char)name[n] & 0xc0) == 0x80;)
			n--;
	snprintf(text, sizeof(text), "%.*s%s", (int)n, name,
		 name[n] ? "..." : "");
	batch_put(out, "<td>");
	batch_put_escaped(out, strcmp(name, "[no query]") == 0 ?
			       "(no query or description)" : text);
	cli_print(out, "<small>%d stage%s</small></td>", stages,
		  stages == 1 ? "" : "s");
}

static bool has_tasks(const cJSON *stages)
{
	const cJSON *stage;

	cJSON_ArrayForEach(stage, stages)
		if (batch_number(stage, "tasks") > 0)
			return true;
	return false;
}

/* The rows that it has, as many as are left at most. */
static size_t put_query(struct flame_text *out, const struct batch *batch,
			const struct table *t, const cJSON *app,
			const cJSON *query, size_t left)
{
	const cJSON *stage, *stages = batch_list(query, "stages");
	struct batch_sums sums = { 0 };
	double parts[MAX_PARTS] = { 0 };
	size_t n = 1;

	cJSON_ArrayForEach(stage, stages) {
		batch_add_row(&t->columns, &sums, stage);
		add_parts(stage, parts);
	}
	if (!left || (sums.base <= 0 && !has_tasks(stages)))
		return 0;
	batch_put(out, "<tr data-l=\"0\">");
	put_query_name(out, batch_text(query, "name"),
		       cJSON_GetArraySize(stages));
	batch_put_sums(out, &t->columns, &sums, NULL);
	put_frame(out, query, NULL);
	if (t->picture)
		put_parts(out, parts);
	batch_put(out, "</tr>\n");
	cJSON_ArrayForEach(stage, stages)
		if (n++ < left)
			put_stage(out, batch, t, app, stage);
	return n < left ? n : left;
}

static void put_apart(struct flame_text *out, const struct table *t,
		      const char *name, const char *why, double us)
{
	if (us <= 0)
		return;
	batch_put(out, "<tr data-l=\"0\"><td>");
	batch_put(out, name);
	batch_put(out, "<small>");
	batch_put(out, why);
	batch_put(out, "</small></td>");
	put_light(out, t, NULL, us);
}

/* The table ------------------------------------------------------------ */

size_t batch_count_rows(const cJSON *app)
{
	const cJSON *query, *stage;
	size_t n = 2;

	cJSON_ArrayForEach(query, batch_list(app, "queries")) {
		n++;
		cJSON_ArrayForEach(stage, batch_list(query, "stages"))
			n += 1 + (size_t)cJSON_GetArraySize(
					batch_list(stage, "operators"));
	}
	return n;
}

void batch_put_rows(struct flame_text *out, const struct batch *batch,
		    const cJSON *app, size_t most)
{
	struct table t = begin_table(batch, app);
	const cJSON *query;

	t.operators = most == SIZE_MAX;
	cJSON_ArrayForEach(query, batch_list(app, "queries"))
		most -= put_query(out, batch, &t, app, query, most);
	put_apart(out, &t, "Tasks without an end",
		  "running when their executor or the application ended",
		  batch_number(app, "unended_us"));
	put_apart(out, &t, "Idle", "cores that were paid and ran no task",
		  batch_number(app, "idle_us"));
}

void batch_put_table(struct flame_text *out, const struct batch *batch,
		     const cJSON *app, size_t number, bool large)
{
	struct table t = begin_table(batch, app);

	batch_put(out, "<div class=\"wide\"><table class=\"tree\"");
	if (large)
		cli_print(out, " data-rows=\"%zu\"", number);
	batch_put(out, ">");
	put_headings(out, &t);
	batch_put_rows(out, batch, app, large ? BATCH_FIRST_ROWS : SIZE_MAX);
	batch_put(out, "</tbody></table></div>\n");
}
