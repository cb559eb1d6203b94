/* SPDX-License-Identifier: Apache-2.0 */
/*
 * batch_read() reads all inputs of a group of flame-batch, once: into a tree of
 * each metric and the group's page; or, where samples have the keys, into parts
 * (flame_split) that are put into pages afterwards.  --outliers compares parts,
 * too.  Each input becomes an entry in the group's record, with its status and
 * the number of its samples.  Called by page.c.
 */
#include "batch/batch.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Inputs -------------------------------------------------------------- */

static void on_warning(void *arg, const char *line)
{
	struct batch_drawing *d = arg;
	const struct cli *cli = d->batch->cli;

	/* Before any input: of event logs. */
	if (!batch_list(d->record, "inputs") &&
	    !cli->quiet)
		cli_say(cli, "%s: %s", d->group->title, line);
	else if (!d->message[0])
		snprintf(d->message, sizeof(d->message), "%s", line);
}

/* Whether no process has said the line yet, which is then noted. */
static bool is_new(struct batch_shared *shared, const char *line)
{
	uint32_t hash = 2166136261u;

	for (; *line; line++)
		hash = (hash ^ (unsigned char)*line) * 16777619u;
	hash |= 1;
	for (size_t i = 0; i < sizeof(shared->said) / sizeof(uint32_t); i++) {
		uint32_t found = 0;

		if (__atomic_compare_exchange_n(&shared->said[i], &found, hash,
						false, __ATOMIC_RELAXED,
						__ATOMIC_RELAXED))
			return true;
		if (found == hash)
			return false;
	}
	return true;
}

/* "--budget is ignored: ...": of the options, which all pages share. */
static void say_ignored(const struct batch_drawing *d, const char *line)
{
	const struct cli *cli = d->batch->cli;

	if (!cli->quiet && strncmp(line, "--", 2) == 0 &&
	    strstr(line, " is ignored: ") && is_new(d->batch->shared, line))
		cli_say(cli, "%s", line);
}

/*
 * The first remark of an input that was lost, which says why, and those on
 * chunks that are in two inputs and on options without effect.
 */
static void on_remark(void *arg, const char *line)
{
	struct batch_drawing *d = arg;
	const char *path = d->reading ? d->reading->shown : "";
	size_t n = strlen(path);

	if (d->reading && !d->remark[0]) {
		if (strncmp(line, path, n) == 0 &&
		    strncmp(line + n, ": ", 2) == 0)
			line += n + 2;
		snprintf(d->remark, sizeof(d->remark), "%s", line);
	} else if (!d->reading && !d->batch->cli->quiet &&
		   strstr(line, "--overlap keep")) {
		cli_say(d->batch->cli, "%s: %s", d->group->title, line);
	} else if (!d->reading) {
		say_ignored(d, line);
	}
}

void batch_listen(struct batch_drawing *d)
{
	flame_on_warning(d->flame, on_warning, d);
	flame_on_remark(d->flame, on_remark, d);
}

/* Those with a stack.  Text of no metric is counted by its weights. */
static uint64_t count_samples(const struct batch_drawing *d)
{
	struct flame_tree *tree;
	uint64_t n = 0;

	for (unsigned i = 1; i <= flame_metrics(d->flame); i++) {
		const struct flame_metric *m = flame_metric_of(d->flame, i);

		n += m->samples - m->no_stack;
	}
	for (size_t i = 0; (tree = flame_trees_at(d->trees, i)); i++)
		if (!*flame_tree_metric(tree))
			n += (uint64_t)flame_tree_total(tree, 0);
	return n;
}

/* false: the failure is not this input's alone. */
static bool forget_failure(struct batch_drawing *d, const char **status)
{
	char text[1024];

	snprintf(text, sizeof(text), "%s", flame_error(d->flame));
	if (flame_clear(d->flame) != FLAME_OK)
		return false;
	*status = batch_is_other(text, d->reading->shown) ? "other" : "failed";
	batch_hide_quote(text, d->reading->shown);
	if (text[0])
		memcpy(d->message, text, sizeof(text));
	return true;
}

/* Why all was lost. */
static void add_remark(struct batch_drawing *d)
{
	size_t n = strlen(d->message);

	if (n && d->remark[0])
		snprintf(d->message + n, sizeof(d->message) - n, "; %s",
			 d->remark);
}

static const char *status_of(const struct flame_source *source)
{
	switch (cli_fate_of(source)) {
	case CLI_READ: return "ok";
	/* The library counts this as damage. */
	case CLI_EMPTY: return "empty";
	case CLI_LOST: return "lost";
	default: return "damaged";
	}
}

static bool pump(struct batch_drawing *d, struct flame_source *source,
		 struct flame_sink *chain, const char **status)
{
	bool good = flame_pump(source, chain) == FLAME_OK;
	bool lost = flame_source_damage(source) == FLAME_ALL_LOST;

	if (!good)
		return lost && forget_failure(d, status);
	*status = status_of(source);
	d->read += !lost;
	if (lost)
		add_remark(d);
	return true;
}

static bool add_account(struct batch_drawing *d, cJSON *inputs,
			const struct batch_input *input, const char *status,
			uint64_t samples)
{
	cJSON *entry = cJSON_CreateObject();

	if (!entry || !cJSON_AddItemToArray(inputs, entry))
		return cli_no_memory(d->batch->cli);
	return (batch_add_path(entry, "path", input->path) &&
		batch_add_number(entry, "size", (int64_t)input->size) &&
		cJSON_AddStringToObject(entry, "mtime", input->mtime) &&
		cJSON_AddStringToObject(entry, "status", status) &&
		batch_add_number(entry, "samples", (int64_t)samples) &&
		(!d->message[0] ||
		 batch_add_text(entry, "message", d->message))) ||
	       cli_no_memory(d->batch->cli);
}

static bool read_input(struct batch_drawing *d, struct flame_sink *chain,
		       const struct batch_input *input, cJSON *inputs)
{
	struct cli *cli = d->batch->cli;
	uint64_t before = count_samples(d);
	struct flame_source *source;
	const char *status = "ok";
	bool good;

	d->message[0] = d->remark[0] = '\0';
	d->reading = input;
	source = cli_open(cli, d->flame, input->path);
	good = source ? pump(d, source, chain, &status) :
			!cli->refused && forget_failure(d, &status);
	flame_close(source);
	d->reading = NULL;
	if (!good)
		return false;
	__atomic_fetch_add(&d->batch->shared->files, 1, __ATOMIC_RELAXED);
	__atomic_fetch_add(&d->batch->shared->bytes, input->size,
			   __ATOMIC_RELAXED);
	return add_account(d, inputs, input, status,
			   count_samples(d) - before);
}

static bool read_inputs(struct batch_drawing *d, struct flame_sink *chain)
{
	cJSON *inputs = cJSON_AddArrayToObject(d->record, "inputs");

	if (!inputs)
		return cli_no_memory(d->batch->cli);
	for (size_t i = 0; i < d->group->n; i++)
		if (!read_input(d, chain, &d->group->inputs[i], inputs))
			return false;
	return true;
}

/* Parts --------------------------------------------------------------- */

/* An input by the name of its path. */
struct batch_known {
	flame_id path;
	size_t input;
};

static int by_path(const void *a, const void *b)
{
	const struct batch_known *x = a, *y = b;

	return (x->path > y->path) - (x->path < y->path);
}

static bool list_inputs(struct batch_drawing *d)
{
	size_t n = d->group->n;
	struct batch_known *inputs = calloc(n + 1, sizeof(*inputs));

	for (size_t i = 0; inputs && i < n; i++) {
		const char *path = d->group->inputs[i].shown;

		inputs[i].input = i;
		inputs[i].path = flame_name(d->flame, path, strlen(path));
	}
	if (inputs)
		qsort(inputs, n, sizeof(*inputs), by_path);
	d->known = inputs;
	return inputs || cli_no_memory(d->batch->cli);
}

flame_id batch_label(const struct batch_drawing *d, flame_id labels,
		     const char *key)
{
	return flame_label_get(d->flame, labels,
			       flame_name(d->flame, key, strlen(key)));
}

const char *batch_label_text(const struct batch_drawing *d, flame_id labels,
			     const char *key)
{
	flame_id value = batch_label(d, labels, key);

	return value ? flame_name_text(d->flame, value, NULL) : "";
}

size_t batch_input_of(const struct batch_drawing *d, flame_id labels)
{
	const struct batch_known key = {
		.path = batch_label(d, labels, "path")
	};
	const struct batch_known *known = bsearch(&key, d->known, d->group->n,
						  sizeof(key), by_path);

	return known ? known->input : SIZE_MAX;
}

char *batch_executor_of(const char *path)
{
	char app[512], executor[128], *label;

	if (!flame_path_label(path, "executor", executor, sizeof(executor)))
		return NULL;
	if (!flame_path_label(path, "app", app, sizeof(app)))
		app[0] = '\0';
	return asprintf(&label, "%s/%s", app, executor) < 0 ? NULL : label;
}

static int by_text(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

char **batch_list_executors(const struct batch_group *group, size_t *n)
{
	char **names = calloc(group->n + 1, sizeof(char *));
	size_t all = 0;

	*n = 0;
	for (size_t i = 0; names && i < group->n; i++) {
		names[all] = batch_executor_of(group->inputs[i].path);
		all += names[all] != NULL;
	}
	if (all)
		qsort(names, all, sizeof(char *), by_text);
	for (size_t i = 0; i < all; i++)
		if (*n && strcmp(names[*n - 1], names[i]) == 0)
			free(names[i]);
		else
			names[(*n)++] = names[i];
	return names;
}

void batch_free_list(char **list, size_t n)
{
	for (size_t i = 0; list && i < n; i++)
		free(list[i]);
	free(list);
}

/* Samples with a label of each key, and those without it. */
static struct flame_sink *divide(struct batch_drawing *d,
				 struct flame_sink *like)
{
	char *keys = batch_split_keys(d->batch);
	struct flame_sink *sink;

	d->split = flame_split_new(d->flame);
	sink = keys && d->split && list_inputs(d) ?
	       flame_split_sink(d->split, like, keys, "app,executor,path,"
				"stage-name,stage-tasks,query") : NULL;
	free(keys);
	flame_abandon(like);
	return sink;
}

/* Beside the page, for --outliers: the samples of each input. */
static struct flame_sink *add_parts(struct batch_drawing *d,
				    struct flame_sink *page)
{
	char **executors;
	size_t n;

	if (!d->batch->outliers)
		return page;
	executors = batch_list_executors(d->group, &n);
	batch_free_list(executors, n);
	if (n < BATCH_MIN_EXECUTORS)
		return page;
	d->split = flame_split_new(d->flame);
	if (d->split)
		return flame_split_inputs(d->split, page);
	flame_abandon(page);
	return NULL;
}

/* Reading ------------------------------------------------------------- */

static struct flame_sink *make_chain(struct batch_drawing *d)
{
	struct flame_sink *sink = batch_make_page(d);
	struct cli *cli = d->batch->cli;

	if (!sink)
		return NULL;
	sink = d->group->split ? divide(d, sink) : add_parts(d, sink);
	sink = cli_chain(cli, flame_trees_sink(d->trees, sink), cli->event);
	return batch_add_bill(d, sink);
}

/* Filters report at the end, about all inputs: the message is the group's. */
static bool add_message(struct batch_drawing *d)
{
	struct cli *cli = d->batch->cli;

	if (!d->message[0] || !d->group->split)
		return true;
	if (!cli->quiet)
		cli_say(cli, "%s: %s", d->group->title, d->message);
	if (!batch_add_text(d->record, "message", d->message))
		return false;
	d->message[0] = '\0';
	return true;
}

/* Without an input that can be read there is no page. */
static bool finish_reading(struct batch_drawing *d, struct flame_sink *sink)
{
	d->message[0] = '\0';
	if (d->read || d->group->split)
		return flame_finish(sink) == FLAME_OK && add_message(d);
	flame_abandon(sink);
	return true;
}

/* All parts, in the order of their first samples. */
static bool list_parts(struct batch_drawing *d)
{
	size_t n = 0;

	while (d->split && flame_split_at(d->split, n))
		n++;
	d->order = calloc(n + 1, sizeof(*d->order));
	for (size_t i = 0; d->order && i < n; i++)
		d->order[i] = i;
	d->parts = d->order;
	d->nparts = n;
	return d->order || cli_no_memory(d->batch->cli);
}

bool batch_read(struct batch_drawing *d)
{
	struct flame_sink *sink = make_chain(d);

	if (!sink)
		return false;
	if (read_inputs(d, sink))
		return finish_reading(d, sink) && list_parts(d);
	flame_abandon(sink);
	return false;
}
