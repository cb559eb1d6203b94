/* SPDX-License-Identifier: Apache-2.0 */
/*
 * batch_draw() reads and draws a group of flame-batch, in a process that draw.c
 * has started.  batch_finish_page() writes a page: a group's samples, or some
 * of the parts that they were divided into, drawn with all metrics; their
 * folded stacks; and at last the record, when the page is complete.  stages.c
 * calls it for each page of a group that is divided.
 */
#include "batch/batch.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Page ---------------------------------------------------------------- */

struct flame_sink *batch_make_page(const struct batch_drawing *d)
{
	struct cli *cli = d->batch->cli;
	struct flame_sink *page;
	char *path = batch_path(d->batch, BATCH_STAGES "%s.html",
				d->group->name);
	bool good;

	page = path ? flame_create(d->flame, path, "html") : NULL;
	good = page;
	free(path);
	for (size_t i = 0; good && i < cli->sets.n; i++)
		good = flame_set(page, cli->sets.at[i].name,
				 cli->sets.at[i].value) == FLAME_OK;
	if (good && !cli_find(&cli->sets, "title"))
		good = flame_set(page, "title", d->heading ? d->heading :
						d->group->title) == FLAME_OK;
	if (good && d->query && !cli_find(&cli->sets, "subtitle"))
		good = flame_set(page, "subtitle", d->query) == FLAME_OK;
	if (good && d->origins)
		good = flame_set(page, "origins", d->origins) == FLAME_OK &&
		       flame_set(page, "made-with", d->batch->options) ==
			       FLAME_OK;
	if (good && !d->batch->time && d->bytes > BATCH_TIMED_BYTES)
		good = flame_set(page, "no-time", NULL) == FLAME_OK;
	if (good)
		good = flame_set(page, "links", d->links ? d->links :
				 BATCH_LINK_UP) == FLAME_OK;
	if (good && d->batch->split)
		good = flame_set(page, "split", NULL) == FLAME_OK;
	if (good && !cli->event && !cli_find(&cli->sets, "events"))
		good = flame_set(page, "events", d->events ? d->events :
				 "all") == FLAME_OK;
	if (good)
		return page;
	flame_abandon(page);
	return NULL;
}

bool batch_put_part(const struct batch_drawing *d, size_t i,
		    struct flame_sink *sink)
{
	return flame_split_put(d->split, d->parts[i], sink) == FLAME_OK;
}

static bool put_parts(struct batch_drawing *d)
{
	struct flame_sink *sink = batch_make_page(d);
	bool good;

	if (sink)
		sink = flame_trees_sink(d->trees, sink);
	good = sink;
	for (size_t i = 0; good && i < d->nparts; i++)
		good = batch_put_part(d, i, sink);
	if (good)
		return flame_finish(sink) == FLAME_OK;
	flame_abandon(sink);
	return false;
}

/* The profile is in the page already, if the page has but one. */
static bool finish_page(struct batch_drawing *d)
{
	char page[512];

	if (d->group->split && !put_parts(d))
		return false;
	snprintf(page, sizeof(page), BATCH_STAGES "%s.html", d->group->name);
	return (cJSON_AddStringToObject(d->record, "page", page) &&
		(!d->batch->split ||
		 cJSON_AddStringToObject(d->record, "viewer",
					 BATCH_VIEWER))) ||
	       cli_no_memory(d->batch->cli);
}

/* Executors ----------------------------------------------------------- */

char *batch_executor_of_part(const struct batch_drawing *d, size_t i)
{
	flame_id keys = flame_split_at(d->split, d->parts[i])->keys;
	char *label;

	if (!d->group->split)
		return batch_executor_of(batch_label_text(d, keys, "path"));
	if (!batch_label(d->all, keys, "executor") ||
	    asprintf(&label, "%s/%s", batch_label_text(d->all, keys, "app"),
		     batch_label_text(d->all, keys, "executor")) < 0)
		return NULL;
	return label;
}

/* Labels app and executor; 0: there is none. */
static flame_id executor_of(const struct batch_drawing *d, flame_id labels)
{
	flame_id executor = batch_label(d, labels, "executor"), set;

	if (!executor)
		return 0;
	set = flame_label(d->flame, 0, flame_name(d->flame, "app", 3),
			  batch_label(d, labels, "app"));
	return flame_label(d->flame, set, flame_name(d->flame, "executor", 8),
			   executor);
}

static int by_id(const void *a, const void *b)
{
	const flame_id *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

/* Inputs with samples of the parts, and executors: sorted, some repeated. */
static size_t see_labels(const struct batch_drawing *d,
			 struct batch_seen *seen, flame_id *executors)
{
	size_t n = 0;

	for (size_t i = 0; i < d->nparts; i++) {
		const struct flame_part *part = flame_split_at(d->split,
							       d->parts[i]);

		for (size_t k = 0; k < part->nlabels; k++) {
			size_t input = batch_input_of(d->all, part->labels[k]);

			if (input != SIZE_MAX)
				seen->inputs[input] = true;
			executors[n] = executor_of(d->all, part->labels[k]);
			n += executors[n] != 0;
		}
	}
	if (n)
		qsort(executors, n, sizeof(*executors), by_id);
	return n;
}

static bool name_executors(const struct batch_drawing *d,
			   struct batch_seen *seen, const flame_id *executors,
			   size_t n)
{
	seen->executors = calloc(n + 1, sizeof(char *));
	for (size_t i = 0; seen->executors && i < n; i++) {
		if (i && executors[i] == executors[i - 1])
			continue;
		if (asprintf(&seen->executors[seen->n], "%s/%s",
			     batch_label_text(d, executors[i], "app"),
			     batch_label_text(d, executors[i],
					      "executor")) < 0)
			return false;
		seen->n++;
	}
	return seen->executors;
}

bool batch_see(const struct batch_drawing *d, struct batch_seen *seen)
{
	size_t capacity = 1, n;
	flame_id *executors;
	bool good;

	if (!d->group->split) {
		seen->executors = batch_list_executors(d->group, &seen->n);
		return seen->executors;
	}
	for (size_t i = 0; i < d->nparts; i++)
		capacity += flame_split_at(d->split, d->parts[i])->nlabels;
	executors = calloc(capacity, sizeof(*executors));
	seen->inputs = calloc(d->group->n + 1, 1);
	good = executors && seen->inputs;
	n = good ? see_labels(d, seen, executors) : 0;
	good = good && name_executors(d->all, seen, executors, n);
	free(executors);
	return good;
}

void batch_free_seen(struct batch_seen *seen)
{
	batch_free_list(seen->executors, seen->n);
	free(seen->inputs);
}

/* The record ---------------------------------------------------------- */

static bool add_text_to(cJSON *list, const char *text)
{
	char *utf8 = batch_utf8(text);
	cJSON *item = utf8 ? cJSON_CreateString(utf8) : NULL;

	free(utf8);
	return item && cJSON_AddItemToArray(list, item);
}

static bool add_seen(const struct batch_drawing *d,
		     const struct batch_seen *seen)
{
	cJSON *names = cJSON_AddArrayToObject(d->record, "recorded");
	uint64_t files = 0, bytes = 0;
	bool good = names;

	for (size_t i = 0; good && i < seen->n; i++)
		good = add_text_to(names, seen->executors[i]);
	for (size_t i = 0; seen->inputs && i < d->group->n; i++) {
		files += seen->inputs[i];
		bytes += seen->inputs[i] ? d->group->inputs[i].size : 0;
	}
	return good && (!seen->inputs ||
			(batch_add_number(d->record, "files", (int64_t)files) &&
			 batch_add_number(d->record, "bytes",
					  (int64_t)bytes))) &&
	       batch_add_number(d->record, "executors", (int64_t)seen->n);
}

bool batch_finish_page(struct batch_drawing *d, const struct batch_seen *seen)
{
	bool divided = d->group->split;

	/* Without an input that can be read there is no page. */
	return (!(divided || d->read) || finish_page(d)) &&
	       (divided ? add_seen(d, seen) : batch_write_bill(d)) &&
	       batch_add_metrics(d) && (divided || add_seen(d, seen)) &&
	       (!d->batch->outliers || batch_find_outliers(d)) &&
	       batch_write_record(d, false);
}

static bool draw_page(struct batch_drawing *d)
{
	struct batch_seen seen = { .n = 0 };
	bool good = (batch_see(d, &seen) || cli_no_memory(d->batch->cli)) &&
		    batch_finish_page(d, &seen);

	batch_free_seen(&seen);
	return good;
}

/* Groups -------------------------------------------------------------- */

/* An old record would make a page that is half drawn pass for whole. */
static bool draw(struct batch_drawing *d)
{
	return batch_remove_record(d->batch, d->group) &&
	       batch_add_head(d, d->group->inputs) &&
	       batch_add_logs(d->batch, d->group, d->record) &&
	       batch_read(d) &&
	       (d->group->split ? batch_draw_stages(d) : draw_page(d));
}

int batch_draw(const struct batch *batch, const struct batch_group *group,
	       unsigned threads, size_t memory)
{
	struct cli *cli = batch->cli;
	struct batch_drawing d = {
		.batch = batch, .group = group, .flame = flame_new(),
		.record = cJSON_CreateObject(), .threads = threads,
		.memory = memory, .bytes = group->bytes, .all = &d,
	};
	bool good = false;

	if (d.flame && d.record) {
		flame_process_limit(d.flame, memory);
		flame_unify_java(d.flame, !cli->raw_names);
		flame_demangle(d.flame, !cli->mangled);
		flame_threads(d.flame, threads);
		batch_listen(&d);
		d.trees = flame_trees_new(d.flame);
		good = d.trees && draw(&d);
	}
	if (!good)
		cli_say(cli, "%s: %s", group->title,
			d.flame && flame_error(d.flame)[0] ?
				flame_error(d.flame) :
			group->split && d.message[0] ? d.message :
						       "out of memory");
	flame_split_free(d.split);
	free(d.order);
	free(d.known);
	flame_trees_free(d.trees);
	flame_bill_free(d.bill);
	cJSON_Delete(d.apps);
	flame_free(d.flame);
	cJSON_Delete(d.record);
	return good ? CLI_FINE : CLI_TROUBLE;
}
