/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What an application's cores were paid for, as a tree of rows: queries, their
 * stages, and the operators of these; and what is of no query.
 */
#include "batch_html.h"

#include <stdio.h>
#include <string.h>

/* Columns -------------------------------------------------------------- */

static double bad_tasks(const cJSON *stage)
{
	return batch_number(stage, "failed") + batch_number(stage, "killed");
}

static double spill_of(const cJSON *stage)
{
	return batch_number(stage, "disk_spill_bytes");
}

static void find_columns(const struct batch *batch, const cJSON *app,
			 struct batch_columns *c)
{
	const cJSON *query, *stage;

	*c = (struct batch_columns){
		.unit = batch_unit_of(app),
		.money = batch_money_of(batch, app),
		.most = batch_number(app, "idle_us"),
		.picture = batch->npages <= BATCH_LARGE,
	};
	cJSON_ArrayForEach(query, batch_list(app, "queries")) {
		double cost = batch_number(query, "cost_us");

		c->most = cost > c->most ? cost : c->most;
		cJSON_ArrayForEach(stage, batch_list(query, "stages")) {
			c->gc |= batch_number(stage, "gc_us") > 0;
			c->python |= batch_number(stage, "python_us") > 0;
			c->wait |= batch_number(stage, "fetch_wait_us") > 0;
			c->spill |= spill_of(stage) > 0;
			c->failed |= bad_tasks(stage) > 0;
		}
	}
}

static void put_headings(struct flame_text *out, const struct batch_columns *c)
{
	char cost[32];

	snprintf(cost, sizeof(cost), "C%s", c->unit.name + 1);
	batch_put(out, "<thead><tr>");
	batch_put_heading(out, "Query, stage, operator", false);
	batch_put_heading(out, cost, true);
	if (c->money.us > 0)
		batch_put_heading(out, "Price", true);
	batch_put_heading(out, "CPU %", true);
	if (c->gc)
		batch_put_heading(out, "GC", true);
	if (c->python)
		batch_put_heading(out, "Python", true);
	if (c->wait)
		batch_put_heading(out, "Shuffle wait", true);
	if (c->spill)
		batch_put_heading(out, "Spill", true);
	batch_put_heading(out, "Tasks", true);
	if (c->failed)
		batch_put_heading(out, "Failed, killed", true);
	batch_put_heading(out, "Does most", false);
	if (c->picture)
		batch_put_heading(out, "Stacks", false);
	batch_put(out, "</tr></thead>\n<tbody>\n");
}

/* Sums of a stage, or of all stages of a query. */
struct sums {
	double cost, cpu, gc, python, wait, spill, tasks, failed;
};

static void add(struct sums *sums, const cJSON *stage)
{
	sums->cost += batch_number(stage, "cost_us");
	sums->cpu += batch_number(stage, "cpu_us");
	sums->gc += batch_number(stage, "gc_us");
	sums->python += batch_number(stage, "python_us");
	sums->wait += batch_number(stage, "fetch_wait_us");
	sums->spill += spill_of(stage);
	sums->tasks += batch_number(stage, "tasks");
	sums->failed += bad_tasks(stage);
}

static void put_cost(struct flame_text *out, const struct batch_columns *c,
		     double us)
{
	batch_put_bar(out, "Cost", us / c->unit.us, c->unit.digits,
		      c->most > 0 ? us / c->most : 0);
	if (c->money.us > 0)
		batch_put_number(out, "Price", us / c->money.us,
				 c->money.digits, false);
}

static void put_sums(struct flame_text *out, const struct batch_columns *c,
		     const struct sums *sums)
{
	double us = c->unit.us;
	int digits = c->unit.digits;

	put_cost(out, c, sums->cost);
	batch_put_number(out, "CPU %", sums->cost > 0 ?
			 100 * sums->cpu / sums->cost : 0, 0, false);
	if (c->gc)
		batch_put_number(out, "GC", sums->gc / us, digits, false);
	if (c->python)
		batch_put_number(out, "Python", sums->python / us, digits,
				 false);
	if (c->wait)
		batch_put_number(out, "Wait", sums->wait / us, digits, false);
	if (c->spill)
		batch_put_size(out, "Spill", sums->spill);
	batch_put_number(out, "Tasks", sums->tasks, 0, false);
	if (c->failed)
		batch_put_number(out, "Failed", sums->failed, 0, true);
}

/* Of what the samples show. */
static void put_frame(struct flame_text *out, const cJSON *row)
{
	if (row && !(batch_number(row, "shown_us") > 0) &&
	    batch_text(row, "name")[0] != '[')
		batch_put(out, "<td class=\"most\">no samples</td>");
	else
		batch_put_frame(out, batch_text(row, "frame"),
				batch_number(row, "frame_us"),
				batch_number(row, "shown_us"));
}

/* Of a stage that no recording has seen: what would have recorded it. */
static void put_most(struct flame_text *out, const cJSON *stage, bool page)
{
	if (page || *batch_text(stage, "frame"))
		put_frame(out, stage);
	else
		batch_put(out, "<td class=\"most\"><i>not recorded: "
			  BATCH_RECORD "</i></td>");
}

/* Rows ----------------------------------------------------------------- */

/* Cells of a row that has a cost and a frame alone. */
static void put_light(struct flame_text *out, const struct batch_columns *c,
		      const cJSON *row, double us)
{
	int between = 2 + c->gc + c->python + c->wait + c->spill + c->failed;

	put_cost(out, c, us);
	for (int i = 0; i < between; i++)
		batch_put(out, "<td class=\"n\" data-v=\"0\"></td>");
	put_frame(out, row);
	batch_put(out, c->picture ? "<td class=\"strip\"></td></tr>\n" :
				    "</tr>\n");
}

static void put_operator(struct flame_text *out, const struct batch_columns *c,
			 const cJSON *row)
{
	batch_put(out, "<tr data-l=\"2\"><td>");
	batch_put_escaped(out, batch_text(row, "name"));
	batch_put(out, "</td>");
	put_light(out, c, row, batch_number(row, "cost_us"));
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
		      const struct batch_columns *c, const cJSON *app,
		      const cJSON *stage)
{
	const struct batch_group *page = batch_page_of(
		batch, batch_text(app, "id"), stage);
	const cJSON *row;
	struct sums sums = { 0 };

	add(&sums, stage);
	batch_put(out, "<tr data-l=\"1\">");
	put_stage_name(out, stage, page ? batch_text(page->record, "page") :
					  "");
	put_sums(out, c, &sums);
	put_most(out, stage, page);
	if (c->picture)
		batch_put_picture(out, page ? batch_list(page->record,
							 "picture") : NULL);
	batch_put(out, "</tr>\n");
	cJSON_ArrayForEach(row, batch_list(stage, "operators"))
		put_operator(out, c, row);
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

static void put_query(struct flame_text *out, const struct batch *batch,
		      const struct batch_columns *c, const cJSON *app,
		      const cJSON *query)
{
	const cJSON *stage, *stages = batch_list(query, "stages");
	struct sums sums = { 0 };

	cJSON_ArrayForEach(stage, stages)
		add(&sums, stage);
	if (sums.cost <= 0 && sums.tasks <= 0)
		return;
	batch_put(out, "<tr data-l=\"0\">");
	put_query_name(out, batch_text(query, "name"),
		       cJSON_GetArraySize(stages));
	put_sums(out, c, &sums);
	put_frame(out, query);
	batch_put(out, c->picture ? "<td class=\"strip\"></td></tr>\n" :
				    "</tr>\n");
	cJSON_ArrayForEach(stage, stages)
		put_stage(out, batch, c, app, stage);
}

static void put_apart(struct flame_text *out, const struct batch_columns *c,
		      const char *name, const char *why, double us)
{
	if (us <= 0)
		return;
	batch_put(out, "<tr data-l=\"0\"><td>");
	batch_put(out, name);
	batch_put(out, "<small>");
	batch_put(out, why);
	batch_put(out, "</small></td>");
	put_light(out, c, NULL, us);
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
		    const cJSON *app)
{
	struct batch_columns c;
	const cJSON *query;

	find_columns(batch, app, &c);
	cJSON_ArrayForEach(query, batch_list(app, "queries"))
		put_query(out, batch, &c, app, query);
	put_apart(out, &c, "Tasks without an end",
		  "running when their executor or the application ended",
		  batch_number(app, "unended_us"));
	put_apart(out, &c, "Idle", "cores that were paid and ran no task",
		  batch_number(app, "idle_us"));
}

void batch_put_table(struct flame_text *out, const struct batch *batch,
		     const cJSON *app, size_t number, bool large)
{
	struct batch_columns c;

	find_columns(batch, app, &c);
	batch_put(out, "<div class=\"wide\"><table class=\"tree\"");
	if (large)
		cli_print(out, " data-rows=\"%zu\"", number);
	batch_put(out, ">");
	put_headings(out, &c);
	if (!large)
		batch_put_rows(out, batch, app);
	batch_put(out, "</tbody></table></div>\n");
}
