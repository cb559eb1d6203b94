/* SPDX-License-Identifier: Apache-2.0 */
/*
 * batch_find_coverage() finds which executors of Spark's event logs have
 * recordings, as the records of pages list them.  For the report, the manifest
 * and a line at the end: {"coverage": [{app, executors, recorded, task_share,
 * missing [ID, ...]}, ...]}.  Executors without a task count for nothing;
 * task_share is null where no task has ended.
 */
#include "report/html.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct executor {
	char *app, *id;
	int64_t time;
	bool recorded;
};

struct coverage {
	const struct cli *cli;
	struct executor *data;
	size_t n, capacity;
	bool failed;
};

static void add(void *arg, const char *app, const char *id, uint64_t tasks,
		int64_t time)
{
	struct coverage *all = arg;
	struct executor e = { .time = time };

	if (!tasks)
		return;
	if (!cli_grow(all->cli, &all->data, &all->capacity, all->n + 1,
		      sizeof(e))) {
		all->failed = true;
		return;
	}
	e.app = strdup(app);
	e.id = strdup(id);
	all->failed = all->failed || !e.app || !e.id;
	all->data[all->n++] = e;
}

/* Numbers by their values. */
static int by_app(const void *a, const void *b)
{
	const struct executor *x = a, *y = b;
	int d = strcmp(x->app, y->app);

	if (!d && strlen(x->id) != strlen(y->id))
		d = strlen(x->id) < strlen(y->id) ? -1 : 1;
	return d ? d : strcmp(x->id, y->id);
}

/* name: "APP/ID", or "/ID" where the application is not known. */
static void mark(struct coverage *all, const char *name)
{
	const char *slash = strrchr(name, '/');
	size_t n = slash ? (size_t)(slash - name) : 0;

	for (size_t i = 0; slash && i < all->n; i++) {
		struct executor *e = &all->data[i];

		if (strcmp(e->id, slash + 1) == 0 &&
		    (!n || (strlen(e->app) == n &&
			    memcmp(e->app, name, n) == 0)))
			e->recorded = true;
	}
}

static void mark_pages(struct coverage *all, const struct batch *batch)
{
	for (size_t i = 0; i < batch->npages; i++) {
		const cJSON *name;

		cJSON_ArrayForEach(name, batch_list(batch->pages[i].record,
						    "recorded"))
			if (cJSON_IsString(name))
				mark(all, name->valuestring);
	}
}

static void describe(const cJSON *entry, char *text, size_t size)
{
	const cJSON *share = batch_list(entry, "task_share");
	double executors = batch_number(entry, "executors");
	int n = snprintf(text, size, "%.0f of %.0f executor%s that ran tasks "
			 "%s recorded", batch_number(entry, "recorded"),
			 executors, executors == 1 ? "" : "s",
			 executors == 1 ? "is" : "are");

	if (cJSON_IsNumber(share) && n > 0 && (size_t)n < size)
		snprintf(text + n, size - (size_t)n, ", with %.0f %% of the "
			 "tasks' time", 100 * share->valuedouble);
}

/* "; the log's clock is 7.0 s later than 2 recordings, moved by that" */
static void describe_clocks(const cJSON *app, char *text, size_t size)
{
	const cJSON *e;
	double least = 0, most = 0, moved = 0, unknown = 0;
	int n = 0;

	cJSON_ArrayForEach(e, batch_list(app, "executors")) {
		double shift = batch_number(e, "clock_shift_ms") / 1000;

		least = !moved || shift < least ? shift : least;
		most = !moved || shift > most ? shift : most;
		moved += shift != 0;
		unknown += cJSON_HasObjectItem(e, "clock_unknown");
	}
	if (moved && most - least < 0.1)
		n = snprintf(text, size, "; the log's clock is %.1f s %s than "
			     "that of %.0f recording%s, moved by it",
			     fabs(least), least > 0 ? "later" : "earlier",
			     moved, moved == 1 ? "" : "s");
	else if (moved)
		n = snprintf(text, size, "; the log's clock is %.1f to %.1f s "
			     "later than that of recordings, moved by it",
			     least, most);
	if (unknown && n >= 0 && (size_t)n < size)
		snprintf(text + n, size - (size_t)n, "; the clock of %.0f "
			 "recording%s is another, how far is not known",
			 unknown, unknown == 1 ? "" : "s");
}

void batch_describe_coverage(const struct batch *batch, const cJSON *app,
			     char *text, size_t size)
{
	const cJSON *entry;
	const char *id = batch_text(app, "id");

	snprintf(text, size, "No executor is recorded");
	cJSON_ArrayForEach(entry, batch->coverage)
		if (strcmp(batch_text(entry, "app"), id) == 0)
			describe(entry, text, size);
	describe_clocks(app, text + strlen(text), size - strlen(text));
}

static void say(const struct batch *batch, const cJSON *entry)
{
	const char *app = batch_text(entry, "app");
	char text[160];

	describe(entry, text, sizeof(text));
	cli_say(batch->cli, "%s%s%s", app, *app ? ": " : "", text);
}

/* The executors of an application. */
static bool add_app(cJSON *list, const struct executor *data, size_t n)
{
	cJSON *entry = cJSON_CreateObject(), *missing;
	int64_t time = 0, recorded_time = 0, recorded = 0;

	if (!entry || !cJSON_AddItemToArray(list, entry))
		return false;
	for (size_t i = 0; i < n; i++) {
		time += data[i].time;
		recorded_time += data[i].recorded ? data[i].time : 0;
		recorded += data[i].recorded;
	}
	missing = batch_add_text(entry, "app", data->app) &&
		  cJSON_AddNumberToObject(entry, "executors", (double)n) &&
		  cJSON_AddNumberToObject(entry, "recorded",
					  (double)recorded) &&
		  (time ? cJSON_AddNumberToObject(entry, "task_share",
						  (double)recorded_time /
						  (double)time) :
			  cJSON_AddNullToObject(entry, "task_share")) ?
		  cJSON_AddArrayToObject(entry, "missing") : NULL;
	for (size_t i = 0; missing && i < n; i++)
		if (!data[i].recorded &&
		    !cJSON_AddItemToArray(missing,
					  cJSON_CreateString(data[i].id)))
			missing = NULL;
	return missing;
}

static bool add_apps(cJSON *list, const struct coverage *all)
{
	bool good = list;
	size_t end;

	for (size_t i = 0; good && i < all->n; i = end) {
		for (end = i; end < all->n && strcmp(all->data[end].app,
						     all->data[i].app) == 0;
		     end++)
			;
		good = add_app(list, all->data + i, end - i);
	}
	return good;
}

static bool find(struct batch *batch, struct coverage *all)
{
	const struct cli_list *filters = &batch->cli->filters;
	/* Groups have reported what is wrong with a log. */
	struct flame *flame = flame_new();
	bool good = flame, there = flame;

	for (size_t i = 0; good && i < filters->n; i++)
		if (strcmp(filters->at[i].name, "spark-events") == 0)
			good = flame_spark_executors(flame,
						     filters->at[i].value, add,
						     all) == FLAME_OK;
	flame_free(flame);
	if (!good || !all->n || all->failed)
		return there && !all->failed;
	qsort(all->data, all->n, sizeof(*all->data), by_app);
	mark_pages(all, batch);
	batch->coverage = cJSON_CreateArray();
	return add_apps(batch->coverage, all);
}

bool batch_find_coverage(struct batch *batch)
{
	struct coverage all = { .cli = batch->cli };
	bool good = !batch->nlogs || !batch->ninputs || find(batch, &all);

	for (size_t i = 0; i < all.n; i++) {
		free(all.data[i].app);
		free(all.data[i].id);
	}
	free(all.data);
	return good || cli_no_memory(batch->cli);
}

bool batch_add_coverage(const struct batch *batch, cJSON *head)
{
	const cJSON *entry;

	cJSON_ArrayForEach(entry, batch->coverage)
		if (batch_number(entry, "recorded") <
		    batch_number(entry, "executors") && !batch->cli->quiet)
			say(batch, entry);
	return !batch->coverage ||
	       cJSON_AddItemReferenceToObject(head, "coverage",
					      batch->coverage);
}
