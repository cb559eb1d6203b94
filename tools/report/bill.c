/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The bills of flame-batch: what applications were paid for, by their event
 * logs.  A group that has all inputs of its applications makes one while these
 * are read (batch_add_bill()), and writes it to SITE/data/NAME.bill.json.
 * batch_collect_bills() puts the bills of all applications of the site into
 * batch->apps, which the report shows.  Called by batch/read.c, batch/page.c
 * and flame-batch.c.
 */
#include "report/html.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *logs_of(const struct batch *batch)
{
	const struct cli_pair *logs = cli_find(&batch->cli->filters,
					       "spark-events");

	return logs ? logs->value : NULL;
}

bool batch_find_price(struct batch *batch)
{
	const struct cli_pair *price = cli_find(&batch->cli->filters, "price");
	char *end;

	if (!price)
		return true;
	if (!logs_of(batch)) {
		cli_say(batch->cli, "--price %s: of what an event log of Spark "
			"bills; name it by --spark-events LOG", price->value);
		return false;
	}
	batch->price = strtod(price->value, &end);
	if (end == price->value || *end || !(batch->price >= 1e-6) ||
	    !(batch->price <= 1e6)) {
		cli_say(batch->cli, "--price %s: a number from 0.000001 to "
			"1000000, for an hour of a core", price->value);
		return false;
	}
	/* Pages have none: another price draws none of them again. */
	cli_drop_filter(batch->cli, "price");
	return true;
}

/* Groups by other keys of the path have a part of an application. */
static bool is_whole(const struct batch *batch, const struct batch_group *group)
{
	for (size_t i = 0; i < batch->nkeys; i++)
		if (strcmp(batch->keys[i], "app") != 0 &&
		    *group->inputs->values[i])
			return false;
	return true;
}

struct flame_sink *batch_add_bill(struct batch_drawing *d,
				  struct flame_sink *sink)
{
	const char *logs = logs_of(d->batch);

	if (!sink || !logs || !is_whole(d->batch, d->group))
		return sink;
	d->bill = flame_bill_new(d->flame, logs);
	if (d->bill)
		return flame_bill_sink(d->bill, sink);
	flame_abandon(sink);
	return NULL;
}

static bool write_bill(const struct batch *batch, struct flame *flame,
		       struct flame_bill *bill, const char *name)
{
	struct flame_text *out = batch_create(batch, flame, name);

	return batch_finish(out, out && flame_bill_write(bill, out) ==
						FLAME_OK);
}

bool batch_write_bill(struct batch_drawing *d)
{
	char name[512];

	if (!d->bill || !d->read)
		return true;
	snprintf(name, sizeof(name), BATCH_DATA "%s.bill.json",
		 d->group->name);
	if (!write_bill(d->batch, d->flame, d->bill, name) ||
	    !cJSON_AddStringToObject(d->record, "bill", name))
		return false;
	d->apps = batch_read_json(d->batch, name);
	return d->apps || cli_no_memory(d->batch->cli);
}

/* Pages ---------------------------------------------------------------- */

/* A page of a stage, to be found by its number. */
struct batch_stage_page {
	double id;
	const struct batch_group *page;
};

static int by_stage(const void *a, const void *b)
{
	const struct batch_stage_page *x = a, *y = b;

	if (x->id != y->id)
		return x->id < y->id ? -1 : 1;
	return (x->page > y->page) - (x->page < y->page);
}

static bool list_stage_pages(struct batch *batch)
{
	struct batch_stage_page *list = calloc(batch->npages + 1,
					       sizeof(*list));
	size_t n = 0;

	for (size_t i = 0; list && i < batch->npages; i++) {
		const struct batch_group *page = &batch->pages[i];
		const char *stage = batch_key(page, "stage");

		if (*stage < '0' || *stage > '9' ||
		    !*batch_text(page->record, "page"))
			continue;
		list[n++] = (struct batch_stage_page){
			strtod(stage, NULL), page,
		};
	}
	if (n)
		qsort(list, n, sizeof(*list), by_stage);
	batch->stage_pages = list;
	batch->nstage_pages = n;
	return list;
}

const struct batch_group *batch_page_of(const struct batch *batch,
					const char *app, const cJSON *stage)
{
	double id = batch_number(stage, "id");
	size_t low = 0, high = batch->nstage_pages;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (batch->stage_pages[middle].id < id)
			low = middle + 1;
		else
			high = middle;
	}
	for (; low < batch->nstage_pages && batch->stage_pages[low].id == id;
	     low++) {
		const struct batch_group *page = batch->stage_pages[low].page;
		const char *of = batch_key(page, "app");

		if (!*of || strcmp(of, app) == 0)
			return page;
	}
	return NULL;
}

/* All applications ----------------------------------------------------- */

/* Moves those of the group: a log may be of others, too. */
static bool take_apps(cJSON *apps, cJSON *bill, const char *app)
{
	cJSON *from = (cJSON *)batch_list(bill, "apps"), *entry, *next;

	for (entry = from ? from->child : NULL; entry; entry = next) {
		next = entry->next;
		if (*app && strcmp(batch_text(entry, "id"), app) != 0)
			continue;
		cJSON_DetachItemViaPointer(from, entry);
		if (!cJSON_AddItemToArray(apps, entry))
			return false;
	}
	return true;
}

static bool add_group(const struct batch *batch,
		      const struct batch_group *group, cJSON *apps)
{
	cJSON *bill = batch_read_json(batch, batch_text(group->record, "bill"));
	bool good = bill && take_apps(apps, bill, batch_key(group, "app"));

	cJSON_Delete(bill);
	return good;
}

static bool write_logs(const struct batch *batch, struct flame *flame,
		       const char *name)
{
	struct flame_tree *tree = flame_tree_new(flame, 1);
	struct flame_bill *bill = flame_bill_new(flame, logs_of(batch));
	struct flame_sink *sink = bill && tree ?
		flame_bill_sink(bill, flame_tree_sink(tree, 0)) : NULL;
	bool good = sink && flame_finish(sink) == FLAME_OK &&
		    write_bill(batch, flame, bill, name);

	flame_bill_free(bill);
	flame_tree_free(tree);
	return good;
}

/* Those of the logs: there is no profile that others could be about. */
static void on_warning(void *arg, const char *text)
{
	const struct cli *cli = arg;

	if (!cli->quiet && strncmp(text, "cost: ", 6) != 0)
		cli_say(cli, "%s", text);
}

/* By the logs alone: a bill without samples that say what it went to. */
static bool add_logs(const struct batch *batch, cJSON *apps)
{
	static const char name[] = BATCH_DATA "logs.bill.json";
	struct flame *flame = flame_new();
	cJSON *json = NULL;
	bool good = flame;

	if (flame)
		flame_on_warning(flame, on_warning, batch->cli);
	good = good && write_logs(batch, flame, name);
	if (!good && flame && flame_error(flame)[0])
		cli_say(batch->cli, "%s", flame_error(flame));
	if (good)
		json = batch_read_json(batch, name);
	good = json && take_apps(apps, json, "");
	cJSON_Delete(json);
	flame_free(flame);
	return good;
}

static int by_paid(const void *a, const void *b)
{
	const cJSON *x = *(cJSON *const *)a, *y = *(cJSON *const *)b;
	double d = batch_number(y, "paid_us") - batch_number(x, "paid_us");

	return d ? (d > 0) - (d < 0) :
	       strcmp(batch_text(x, "id"), batch_text(y, "id"));
}

/* Heaviest first. */
static bool sort_apps(cJSON *apps)
{
	size_t n = (size_t)cJSON_GetArraySize(apps);
	cJSON **list = calloc(n + 1, sizeof(*list));

	if (!list)
		return false;
	for (size_t i = 0; i < n; i++)
		list[i] = cJSON_DetachItemFromArray(apps, 0);
	qsort(list, n, sizeof(*list), by_paid);
	for (size_t i = 0; i < n; i++)
		cJSON_AddItemToArray(apps, list[i]);
	free(list);
	return true;
}

bool batch_collect_bills(struct batch *batch)
{
	size_t n = 0, drawn = 0;
	cJSON *app;
	bool good = ((batch->apps = cJSON_CreateArray()) &&
		     list_stage_pages(batch)) || cli_no_memory(batch->cli);

	for (size_t i = 0; good && i < batch->ngroups; i++) {
		drawn += batch->groups[i].record != NULL;
		if (!*batch_text(batch->groups[i].record, "bill"))
			continue;
		good = add_group(batch, &batch->groups[i], batch->apps);
		n++;
	}
	if (good && !n && (drawn || !batch->ngroups) && logs_of(batch))
		good = add_logs(batch, batch->apps);
	good = good && sort_apps(batch->apps);
	cJSON_ArrayForEach(app, batch->apps) {
		cJSON *findings = good ? batch_find(batch, app) : NULL;

		good = findings && cJSON_AddItemToObject(app, "findings",
							 findings) &&
		       batch_add_profile(batch, app);
	}
	return good;
}
