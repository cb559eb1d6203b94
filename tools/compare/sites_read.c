/* SPDX-License-Identifier: Apache-2.0 */
/*
 * site_read() reads the rows of a site of flame-batch: stages with their costs
 * where there were event logs (data/summary.json), else the pages
 * (data/index.json), added up by keys that are not of one run.  site_is()
 * recognizes such a folder.  Called by sites_frames.c.
 */
#include "compare/sites.h"

#include <cjson/cJSON.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static char *path_of(const char *folder, const char *name)
{
	char *path;

	return asprintf(&path, "%s/%s", folder, name) < 0 ? NULL : path;
}

static bool has_file(const char *folder, const char *name)
{
	char *path = path_of(folder, name);
	struct stat st;
	bool is = path && stat(path, &st) == 0 && S_ISREG(st.st_mode);

	free(path);
	return is;
}

bool site_is(const char *folder)
{
	return has_file(folder, "data/manifest.json") &&
	       has_file(folder, "data/index.json") &&
	       has_file(folder, "index.html");
}

static cJSON *read_json(const struct cli *cli, const char *folder,
			const char *name)
{
	char *path = path_of(folder, name), *text = NULL;
	FILE *file = path ? fopen(path, "r") : NULL;
	struct stat st;
	cJSON *json = NULL;

	if (file && fstat(fileno(file), &st) == 0)
		text = calloc(1, (size_t)st.st_size + 1);
	if (text && fread(text, 1, (size_t)st.st_size, file) ==
			    (size_t)st.st_size)
		json = cJSON_Parse(text);
	if (!json)
		cli_say(cli, "%s: %s", path ? path : name,
			file ? "no JSON of flame-batch" : strerror(errno));
	if (file)
		fclose(file);
	free(text);
	free(path);
	return json;
}

static const char *text_of(const cJSON *from, const char *key)
{
	const char *text = cJSON_GetStringValue(
		cJSON_GetObjectItemCaseSensitive(from, key));

	return text ? text : "";
}

static double number_of(const cJSON *from, const char *key)
{
	const cJSON *item = cJSON_GetObjectItemCaseSensitive(from, key);

	return cJSON_IsNumber(item) ? item->valuedouble : 0;
}

/* Growing lists --------------------------------------------------------- */

static void *add_to(void *list, size_t *n, size_t *capacity, size_t size)
{
	void **at = list;
	void *more;

	if (*n == *capacity) {
		more = realloc(*at, (*capacity * 2 + 8) * size);
		if (!more)
			return NULL;
		*at = more;
		*capacity = *capacity * 2 + 8;
	}
	more = (char *)*at + (*n)++ * size;
	memset(more, 0, size);
	return more;
}

static bool add_stacks(struct site_row *row, const char *file)
{
	char **more = realloc(row->stacks, (row->nstacks + 1) * sizeof(*more));

	if (!more)
		return false;
	row->stacks = more;
	more[row->nstacks] = strdup(file);
	return more[row->nstacks++];
}

static struct site_row *add_row(struct site *site, const char *query,
				const char *stage, const char *plan,
				const char *page)
{
	struct site_row *row = add_to(&site->rows, &site->nrows,
				      &site->capacity, sizeof(*row));

	if (!row)
		return NULL;
	row->query = strdup(query);
	row->stage = strdup(stage);
	row->plan = strdup(plan);
	row->page = strdup(page);
	row->metric = strdup("");
	return row->query && row->stage && row->plan && row->page &&
			       row->metric ?
		       row : NULL;
}

static bool set_metric(struct site_row *row, const char *metric)
{
	free(row->metric);
	row->metric = strdup(metric);
	return row->metric;
}

/* Of event logs --------------------------------------------------------- */

/* The time of tasks is that of wall, if it was recorded. */
static const cJSON *stacks_of(const cJSON *row)
{
	const cJSON *stacks = cJSON_GetObjectItemCaseSensitive(row, "stacks");
	const cJSON *wall = cJSON_GetObjectItemCaseSensitive(stacks, "wall");
	const cJSON *cpu = cJSON_GetObjectItemCaseSensitive(stacks, "cpu");

	return wall ? wall : cpu ? cpu : stacks ? stacks->child : NULL;
}

static bool add_stage(struct site *site, const cJSON *from)
{
	const cJSON *stacks = stacks_of(from);
	struct site_row *row = add_row(site, text_of(from, "query"),
				       text_of(from, "stage"),
				       text_of(from, "plan"),
				       text_of(from, "page"));

	if (!row)
		return false;
	row->id = number_of(from, "id");
	row->cost = number_of(from, "cost");
	row->samples = number_of(from, "samples");
	return !stacks || (set_metric(row, stacks->string) &&
			   add_stacks(row, cJSON_GetStringValue(stacks)));
}

static bool add_app(struct site *site, const cJSON *from)
{
	struct site_app *app = add_to(&site->apps, &site->napps,
				      &site->apps_capacity, sizeof(*app));

	if (!app)
		return false;
	app->name = strdup(text_of(from, "name"));
	app->spark = strdup(text_of(from, "spark"));
	app->executors = number_of(from, "executors");
	app->cores = number_of(from, "cores");
	app->paid = number_of(from, "paid");
	app->idle = number_of(from, "idle");
	return app->name && app->spark;
}

static bool read_bill(struct site *site, const cJSON *summary)
{
	const cJSON *app, *row;
	bool good = true;

	cJSON_ArrayForEach(app, cJSON_GetObjectItemCaseSensitive(summary,
								 "apps")) {
		good = good && add_app(site, app);
		cJSON_ArrayForEach(row, cJSON_GetObjectItemCaseSensitive(
						app, "rows"))
			good = good && add_stage(site, row);
	}
	site->unit = "core-seconds";
	site->billed = true;
	return good;
}

/* Of pages --------------------------------------------------------------- */

/* Keys whose values another run does not have. */
static bool is_of_run(const char *key)
{
	static const char *const keys[] = {
		"app", "attempt", "stage", "epoch", "task", "pid", "container",
	};

	for (size_t i = 0; i < sizeof(keys) / sizeof(*keys); i++)
		if (strcmp(keys[i], key) == 0)
			return true;
	return false;
}

/* "host=a executor=1", to be freed; or "all stacks". */
static char *name_of(const cJSON *page)
{
	const cJSON *key;
	char *name = strdup(""), *longer;

	cJSON_ArrayForEach(key, cJSON_GetObjectItemCaseSensitive(page, "key")) {
		if (!name || is_of_run(key->string))
			continue;
		if (asprintf(&longer, "%s%s%s=%s", name, *name ? " " : "",
			     key->string, cJSON_GetStringValue(key)) < 0)
			longer = NULL;
		free(name);
		name = longer;
	}
	if (name && !*name) {
		free(name);
		name = strdup("all stacks");
	}
	return name;
}

static struct site_row *row_of(struct site *site, const char *name,
			       const char *metric)
{
	struct site_row *row;

	for (size_t i = 0; i < site->nrows; i++)
		if (strcmp(site->rows[i].stage, name) == 0 &&
		    strcmp(site->rows[i].metric, metric) == 0)
			return &site->rows[i];
	row = add_row(site, "", name, "", "");
	return row && set_metric(row, metric) ? row : NULL;
}

/* The first metric of the first page is that of all rows. */
static bool add_page(struct site *site, const cJSON *page)
{
	const char *wanted = site->nrows ? site->rows[0].metric : NULL;
	const cJSON *metric;
	char *name = name_of(page);
	bool good = name;

	cJSON_ArrayForEach(metric, cJSON_GetObjectItemCaseSensitive(
					   page, "metrics")) {
		struct site_row *row;

		if (!good ||
		    (wanted && strcmp(text_of(metric, "name"), wanted) != 0))
			continue;
		row = row_of(site, name, text_of(metric, "name"));
		good = row && add_stacks(row, text_of(metric, "folded"));
		if (good)
			row->cost = row->samples += number_of(metric, "weight");
		break;
	}
	free(name);
	return good;
}

static bool read_pages(struct site *site, const cJSON *index)
{
	const cJSON *page;
	bool good = true;

	cJSON_ArrayForEach(page, index)
		good = good && add_page(site, page);
	site->unit = "samples";
	return good;
}

bool site_read(const struct cli *cli, const char *path, struct site *site)
{
	bool billed = has_file(path, "data/summary.json");
	cJSON *json;
	bool good;

	*site = (struct site){ .path = path };
	json = read_json(cli, path, billed ? "data/summary.json" :
					     "data/index.json");
	if (!json)
		return false;
	good = billed ? read_bill(site, json) : read_pages(site, json);
	cJSON_Delete(json);
	if (!good)
		return cli_no_memory(cli);
	if (!site->nrows)
		cli_say(cli, "%s: there is no page in this site", path);
	return site->nrows;
}

static void free_site(struct site *site)
{
	for (size_t i = 0; i < site->nrows; i++) {
		struct site_row *row = &site->rows[i];

		for (size_t j = 0; j < row->nstacks; j++)
			free(row->stacks[j]);
		free(row->stacks);
		free(row->query);
		free(row->stage);
		free(row->plan);
		free(row->metric);
		free(row->page);
	}
	for (size_t i = 0; i < site->napps; i++) {
		free(site->apps[i].name);
		free(site->apps[i].spark);
	}
	free(site->rows);
	free(site->apps);
}

void site_free(struct site_pairs *pairs)
{
	free_site(&pairs->sites[0]);
	free_site(&pairs->sites[1]);
	for (size_t i = 0; i < pairs->n; i++) {
		for (size_t j = 0; j < pairs->pairs[i].nframes; j++)
			free(pairs->pairs[i].frames[j].name);
		free(pairs->pairs[i].page);
	}
	for (size_t i = 0; i < pairs->nqueries; i++) {
		free(pairs->queries[i].added);
		free(pairs->queries[i].gone);
	}
	free(pairs->pairs);
	free(pairs->queries);
}
