/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which executors of Spark's event logs have recordings, for the manifest and
 * a line at the end: {"coverage": [{app, executors, recorded, task_share,
 * missing [ID, ...]}, ...]}.  Executors without a task count for nothing.
 */
#include "batch.h"

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

/* percent: negative where no task has ended. */
static void say(const struct batch *batch, const char *app, int64_t recorded,
		size_t n, double percent)
{
	char share[64] = "";

	if (percent >= 0)
		snprintf(share, sizeof(share), ", with %.0f %% of the tasks' "
			 "time", percent);
	cli_say(batch->cli, "%s%s%lld of %zu executors that ran tasks are "
		"recorded%s", app, *app ? ": " : "", (long long)recorded, n,
		share);
}

/* The executors of an application. */
static bool add_app(cJSON *list, const struct batch *batch,
		    const struct executor *data, size_t n)
{
	cJSON *entry = cJSON_CreateObject(), *missing;
	int64_t time = 0, recorded_time = 0, recorded = 0;
	double share;

	if (!entry || !cJSON_AddItemToArray(list, entry))
		return false;
	for (size_t i = 0; i < n; i++) {
		time += data[i].time;
		recorded_time += data[i].recorded ? data[i].time : 0;
		recorded += data[i].recorded;
	}
	share = time ? (double)recorded_time / (double)time : 0;
	missing = batch_add_text(entry, "app", data->app) &&
		  batch_add_number(entry, "executors", (int64_t)n) &&
		  batch_add_number(entry, "recorded", recorded) &&
		  cJSON_AddNumberToObject(entry, "task_share", share) ?
		  cJSON_AddArrayToObject(entry, "missing") : NULL;
	for (size_t i = 0; missing && i < n; i++)
		if (!data[i].recorded &&
		    !cJSON_AddItemToArray(missing,
					  cJSON_CreateString(data[i].id)))
			missing = NULL;
	if (missing && recorded < (int64_t)n && !batch->cli->quiet)
		say(batch, data->app, recorded, n, time ? 100 * share : -1);
	return missing;
}

static bool add_apps(cJSON *head, const struct batch *batch,
		     const struct coverage *all)
{
	cJSON *list = cJSON_AddArrayToObject(head, "coverage");
	bool good = list;
	size_t end;

	for (size_t i = 0; good && i < all->n; i = end) {
		for (end = i; end < all->n && strcmp(all->data[end].app,
						     all->data[i].app) == 0;
		     end++)
			;
		good = add_app(list, batch, all->data + i, end - i);
	}
	return good;
}

bool batch_add_coverage(const struct batch *batch, cJSON *head)
{
	const struct cli_list *filters = &batch->cli->filters;
	struct coverage all = { .cli = batch->cli };
	/* Groups have told what is wrong with a log. */
	struct flame *flame = flame_new();
	bool there = flame, good = there, any = false;

	for (size_t i = 0; good && i < filters->n; i++)
		if (strcmp(filters->at[i].name, "spark-events") == 0) {
			any = true;
			good = flame_spark_executors(flame,
						     filters->at[i].value, add,
						     &all) == FLAME_OK;
		}
	flame_free(flame);
	if (!good) {
		good = there;
	} else if (any && all.n && !all.failed) {
		qsort(all.data, all.n, sizeof(*all.data), by_app);
		mark_pages(&all, batch);
		good = add_apps(head, batch, &all);
	}
	for (size_t i = 0; i < all.n; i++) {
		free(all.data[i].app);
		free(all.data[i].id);
	}
	free(all.data);
	return good && !all.failed;
}
