/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writes SITE/data/summary.json, for programs and comparisons of runs, and
 * summary.md (its text: digest.c) from batch->apps.
 *
 *	schema, kind, version, apps [{id, name, spark, started, ended,
 *	findings [{text, try, page, command}], executors, profiled, cores,
 *	wall, replayed, causes [{key, stage, paid_us, wall_us, frame,
 *	frame_ppm}], changes [{key, name, stage, factor, sooner_us, paid_us}],
 *	paid, cpu, gc, python, wait, unknown, overhead, unended, idle, price,
 *	rows [{query, stage, cost, cpu, id, plan, tasks, failed, samples,
 *	page, stacks {METRIC: file}}]}]
 *
 * Costs are in core-seconds, times (wall, replayed) in seconds; price is per
 * core-hour (--price); cores are the most at a time.  A row is a stage, or one
 * of [idle] and [tasks without an end], which have no stage: rows add up to
 * paid.
 */
#include "report/html.h"
#include "cli/table.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Millionths of a core-second as a number with all its digits. */
static bool add_seconds(cJSON *to, const char *key, double us)
{
	char text[40];

	snprintf(text, sizeof(text), "%.0f.%06.0f", floor(us / 1e6),
		 fmod(us, 1e6));
	return cJSON_AddRawToObject(to, key, text);
}

static bool copy_seconds(cJSON *to, const char *key, const cJSON *from)
{
	char member[64];

	snprintf(member, sizeof(member), "%s_us", key);
	return add_seconds(to, key, batch_number(from, member));
}

static bool copy(cJSON *to, const cJSON *from, const char *key)
{
	const cJSON *item = batch_list(from, key);

	return !item || cJSON_AddItemToObject(to, key,
					      cJSON_Duplicate(item, true));
}

/* Rows ----------------------------------------------------------------- */

static bool add_stacks(cJSON *row, const struct batch_group *page)
{
	cJSON *stacks = cJSON_AddObjectToObject(row, "stacks");
	const cJSON *metric;
	bool good = stacks;

	cJSON_ArrayForEach(metric, batch_list(page->record, "metrics"))
		good = good && batch_add_text(stacks,
					      batch_text(metric, "name"),
					      batch_text(metric, "folded"));
	return good;
}

static bool add_page(cJSON *row, const struct batch_group *page)
{
	return !page ||
	       (batch_add_text(row, "page", batch_text(page->record, "page")) &&
		add_stacks(row, page));
}

static bool add_stage(const struct batch *batch, cJSON *rows, const cJSON *app,
		      const cJSON *query, const cJSON *stage)
{
	static const char *const members[] = {
		"id", "plan", "tasks", "failed", "samples",
	};
	cJSON *row = cJSON_CreateObject();
	bool good = row && cJSON_AddItemToArray(rows, row) &&
		    batch_add_text(row, "query", batch_text(query, "name")) &&
		    batch_add_text(row, "stage", batch_text(stage, "name")) &&
		    copy_seconds(row, "cost", stage) &&
		    copy_seconds(row, "cpu", stage);

	for (size_t i = 0; good && i < sizeof(members) / sizeof(*members); i++)
		good = copy(row, stage, members[i]);
	return good && add_page(row, batch_page_of(batch, batch_text(app, "id"),
						   stage));
}

static bool add_row_without_stage(cJSON *rows, const char *name, double us)
{
	cJSON *row = us > 0 ? cJSON_CreateObject() : NULL;

	return us <= 0 ||
	       (row && cJSON_AddItemToArray(rows, row) &&
		batch_add_text(row, "query", name) &&
		batch_add_text(row, "stage", name) &&
		add_seconds(row, "cost", us));
}

static bool add_rows(const struct batch *batch, cJSON *to, const cJSON *app)
{
	cJSON *rows = cJSON_AddArrayToObject(to, "rows");
	const cJSON *query, *stage;
	bool good = rows;

	cJSON_ArrayForEach(query, batch_list(app, "queries"))
		cJSON_ArrayForEach(stage, batch_list(query, "stages"))
			good = good && add_stage(batch, rows, app, query,
						 stage);
	return good &&
	       add_row_without_stage(rows, "[tasks without an end]",
				     batch_number(app, "unended_us")) &&
	       add_row_without_stage(rows, "[idle]",
				     batch_number(app, "idle_us"));
}

/* Applications --------------------------------------------------------- */

static bool add_executors(cJSON *to, const cJSON *app)
{
	const cJSON *executors = batch_list(app, "executors");
	const cJSON *e;
	int64_t n = 0, profiled = 0;

	cJSON_ArrayForEach(e, executors) {
		n++;
		profiled += batch_number(e, "samples") > 0;
	}
	return batch_add_number(to, "executors", n) &&
	       batch_add_number(to, "profiled", profiled) &&
	       batch_add_number(to, "cores", (int64_t)batch_count_cores(app));
}

static bool add_app(const struct batch *batch, cJSON *apps, const cJSON *app)
{
	static const char *const texts[] = {
		"id", "name", "spark", "started", "ended",
	};
	static const char *const sums[] = {
		"paid", "cpu", "gc", "python", "wait", "unknown", "overhead",
		"unended", "idle",
	};
	cJSON *to = cJSON_CreateObject();
	bool good = to && cJSON_AddItemToArray(apps, to);

	for (size_t i = 0; good && i < sizeof(texts) / sizeof(*texts); i++)
		good = copy(to, app, texts[i]);
	good = good && copy(to, app, "findings") && add_executors(to, app) &&
	       copy_seconds(to, "wall", app) &&
	       copy_seconds(to, "replayed", app) &&
	       copy(to, app, "causes") && copy(to, app, "changes");
	for (size_t i = 0; good && i < sizeof(sums) / sizeof(*sums); i++)
		good = copy_seconds(to, sums[i], app);
	if (batch->price > 0)
		good = good && cJSON_AddNumberToObject(to, "price",
						       batch->price);
	return good && add_rows(batch, to, app);
}

static bool write_json(const struct batch *batch, struct flame *flame)
{
	cJSON *summary = cli_json("job");
	cJSON *apps = summary && cJSON_AddNumberToObject(summary, "version",
							 1) ?
		      cJSON_AddArrayToObject(summary, "apps") : NULL;
	const cJSON *app;
	bool good = apps;
	char *text;

	cJSON_ArrayForEach(app, batch->apps)
		good = good && add_app(batch, apps, app);
	text = good ? cJSON_PrintUnformatted(summary) : NULL;
	good = text && batch_write(batch, flame, BATCH_DATA "summary.json",
				   text);
	cJSON_free(text);
	cJSON_Delete(summary);
	return good;
}

static bool write_digest(const struct batch *batch, struct flame *flame)
{
	char *text = batch_digest(batch);
	bool good = text && batch_write(batch, flame, BATCH_DATA "summary.md",
					text);

	free(text);
	return good;
}

bool batch_summarize(const struct batch *batch, struct flame *flame)
{
	if (cJSON_GetArraySize(batch->apps))
		return write_json(batch, flame) && write_digest(batch, flame);
	return batch_remove(batch, BATCH_DATA "summary.json") &&
	       batch_remove(batch, BATCH_DATA "summary.md");
}
