/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A group of flame-batch: its inputs are read once, into a page of all
 * metrics and a tree of each; then the folded stacks are written, and at last
 * the record, which tells that the group is complete.  The record:
 *
 *	options, key {...}, title, inputs [{path, size, mtime, status,
 *	samples, message}], page, executors, metrics [{name, unit, weight,
 *	tasks, heaviest, heaviest_weight, folded}],
 *	picture {rows, t0 ... t9: paths}, viewer,
 *	outliers [{executor, frame, share, median, page}]
 *
 * It is SITE/NAME.json, for flame-batch's next run and for scripts; of inputs
 * that have several pages see batch_stages.c.
 */
#include "batch.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

char *batch_path(const struct batch *batch, const char *name,
		 const char *ending)
{
	char *path;

	if (asprintf(&path, "%s/%s%s", batch->site, name, ending) < 0) {
		cli_no_memory(batch->cli);
		return NULL;
	}
	return path;
}

char *batch_record_path(const struct batch *batch, const char *name,
			const char *ending)
{
	char *path;

	if (asprintf(&path, "%s/" BATCH_DATA "%s%s", batch->site, name,
		     ending) < 0) {
		cli_no_memory(batch->cli);
		return NULL;
	}
	return path;
}

/* Of the page of a group, within the site. */
static void name_page(const struct batch_drawing *d, char *name, size_t size)
{
	snprintf(name, size, BATCH_STAGES "%s.html", d->group->name);
}

bool batch_add_text(cJSON *to, const char *key, const char *text)
{
	char *copy = cli_visible(text, strlen(text));
	bool good = copy && cJSON_AddStringToObject(to, key, copy);

	free(copy);
	return good;
}

/* The size of a character of UTF-8, as it is well formed; 0: it is not. */
static size_t utf8_size(const unsigned char *c)
{
	size_t size = *c < 0x80 ? 1 : *c >= 0xc2 && *c < 0xe0 ? 2 :
		      (*c & 0xf0) == 0xe0 ? 3 : *c >= 0xf0 && *c < 0xf5 ? 4 : 0;

	for (size_t i = 1; i < size; i++)
		if ((c[i] & 0xc0) != 0x80)
			return 0;
	if ((*c == 0xe0 && c[1] < 0xa0) || (*c == 0xed && c[1] > 0x9f) ||
	    (*c == 0xf0 && c[1] < 0x90) || (*c == 0xf4 && c[1] > 0x8f))
		return 0;
	return size;
}

char *batch_utf8(const char *text)
{
	const unsigned char *c = (const unsigned char *)text;
	size_t size = 1;

	while (*c && (size = utf8_size(c)))
		c += size;
	return size ? strdup(text) : cli_visible(text, strlen(text));
}

bool batch_add_path(cJSON *to, const char *key, const char *path)
{
	char *copy = batch_utf8(path);
	bool good = copy && cJSON_AddStringToObject(to, key, copy);

	free(copy);
	return good;
}

bool batch_has_path(const cJSON *from, const char *path)
{
	char *copy = batch_utf8(path);
	bool same = copy && strcmp(batch_text(from, "path"), copy) == 0;

	free(copy);
	return same;
}

bool batch_add_number(cJSON *to, const char *key, int64_t n)
{
	char text[32];

	snprintf(text, sizeof(text), "%lld", (long long)n);
	return cJSON_AddRawToObject(to, key, text);
}

/* Inputs -------------------------------------------------------------- */

static void on_warning(void *arg, const char *line)
{
	struct batch_drawing *d = arg;
	const struct cli *cli = d->batch->cli;

	/* Before any input: of event logs. */
	if (!cJSON_GetObjectItemCaseSensitive(d->record, "inputs") &&
	    !cli->quiet)
		cli_say(cli, "%s: %s", d->group->title, line);
	else if (!d->message[0])
		snprintf(d->message, sizeof(d->message), "%s", line);
}

/*
 * The first remark of an input that was lost, which says why, and those on
 * chunks that are in two inputs.  Other remarks are of options.
 */
static void on_remark(void *arg, const char *line)
{
	struct batch_drawing *d = arg;
	const char *path = d->reading ? d->reading->path : "";
	size_t n = strlen(path);

	if (d->reading && !d->remark[0]) {
		if (strncmp(line, path, n) == 0 &&
		    strncmp(line + n, ": ", 2) == 0)
			line += n + 2;
		snprintf(d->remark, sizeof(d->remark), "%s", line);
	} else if (!d->reading && !d->batch->cli->quiet &&
		   strstr(line, "--overlap keep")) {
		cli_say(d->batch->cli, "%s: %s", d->group->title, line);
	}
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
	*status = batch_is_other(text, d->reading->path) ? "other" : "failed";
	batch_hide_quote(text, d->reading->path);
	if (text[0])
		memcpy(d->message, text, sizeof(text));
	return true;
}

/* Why nothing was kept. */
static void add_remark(struct batch_drawing *d)
{
	size_t n = strlen(d->message);

	if (n && d->remark[0])
		snprintf(d->message + n, sizeof(d->message) - n, "; %s",
			 d->remark);
}

static bool pump(struct batch_drawing *d, struct flame_source *source,
		 struct flame_sink *chain, const char **status)
{
	static const char *const states[] = {
		"ok", "damaged", "lost", "damaged",
	};
	enum flame_damage damage;

	if (flame_pump(source, chain) != FLAME_OK)
		return flame_source_damage(source) == FLAME_ALL_LOST &&
		       forget_failure(d, status);
	damage = flame_source_damage(source);
	d->read += damage != FLAME_ALL_LOST;
	/* The library counts this as damage: nothing was kept. */
	*status = strcmp(flame_source_format(source), "empty") == 0 ?
		  "empty" : states[damage & 3];
	if (damage == FLAME_ALL_LOST)
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

bool batch_read_inputs(struct batch_drawing *d, struct flame_sink *chain)
{
	cJSON *inputs = cJSON_AddArrayToObject(d->record, "inputs");

	if (!inputs)
		return cli_no_memory(d->batch->cli);
	for (size_t i = 0; i < d->group->n; i++)
		if (!read_input(d, chain, &d->group->inputs[i], inputs))
			return false;
	return true;
}

/* Page ---------------------------------------------------------------- */

static bool is_set(const struct cli *cli, const char *name)
{
	for (size_t i = 0; i < cli->sets.n; i++)
		if (strcmp(cli->sets.at[i].name, name) == 0)
			return true;
	return false;
}

struct flame_sink *batch_make_page(const struct batch_drawing *d)
{
	struct cli *cli = d->batch->cli;
	struct flame_sink *page;
	char name[512], *path;
	bool good;

	name_page(d, name, sizeof(name));
	path = batch_path(d->batch, name, "");
	page = path ? flame_create(d->flame, path, "html") : NULL;
	good = page;

	free(path);
	for (size_t i = 0; good && i < cli->sets.n; i++)
		good = flame_set(page, cli->sets.at[i].name,
				 cli->sets.at[i].value) == FLAME_OK;
	if (good && !is_set(cli, "title"))
		good = flame_set(page, "title", d->heading ? d->heading :
						d->group->title) == FLAME_OK;
	if (good && d->query && !is_set(cli, "subtitle"))
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
	if (good && !cli->event && !is_set(cli, "events"))
		good = flame_set(page, "events", d->events ? d->events :
				 "all") == FLAME_OK;
	if (good)
		return page;
	flame_abandon(page);
	return NULL;
}

bool batch_finish_page(struct batch_drawing *d, struct flame_sink *chain)
{
	char page[512];

	if (flame_finish(chain) != FLAME_OK)
		return false;
	name_page(d, page, sizeof(page));
	return (cJSON_AddStringToObject(d->record, "page", page) &&
		(!d->batch->split ||
		 cJSON_AddStringToObject(d->record, "viewer",
					 BATCH_VIEWER))) ||
	       cli_no_memory(d->batch->cli);
}

/* Without an input that can be read there is no page. */
static bool finish_page(struct batch_drawing *d, struct flame_sink *chain)
{
	if (d->read)
		return batch_finish_page(d, chain);
	flame_abandon(chain);
	return true;
}

static bool draw_page(struct batch_drawing *d)
{
	struct cli *cli = d->batch->cli;
	struct flame_sink *page = batch_make_page(d), *sink;

	if (!page)
		return false;
	sink = flame_trees_sink(d->trees, page);
	sink = batch_add_bill(d, cli_chain(cli, sink, cli->event));
	if (!sink)
		return false;
	if (batch_read_inputs(d, sink))
		return finish_page(d, sink);
	flame_abandon(sink);
	return false;
}

/* The record ---------------------------------------------------------- */

static int by_text(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Executors of one number in two applications are two. */
static bool count_executors(const struct batch_drawing *d)
{
	cJSON *list = cJSON_AddArrayToObject(d->record, "recorded");
	char **names = calloc(d->group->n, sizeof(char *)), *utf8;
	size_t n = 0, distinct = 0;
	bool good = list;
	char app[512], executor[128];

	for (size_t i = 0; names && i < d->group->n; i++) {
		const char *path = d->group->inputs[i].path;

		if (!flame_path_label(path, "executor", executor,
				      sizeof(executor)))
			continue;
		if (!flame_path_label(path, "app", app, sizeof(app)))
			app[0] = '\0';
		if (asprintf(&names[n], "%s/%s", app, executor) >= 0)
			n++;
	}
	if (n)
		qsort(names, n, sizeof(char *), by_text);
	for (size_t i = 0; good && i < n; i++) {
		if (i && strcmp(names[i - 1], names[i]) == 0)
			continue;
		distinct++;
		utf8 = batch_utf8(names[i]);
		good = good && utf8 &&
		       cJSON_AddItemToArray(list, cJSON_CreateString(utf8));
		free(utf8);
	}
	for (size_t i = 0; i < n; i++)
		free(names[i]);
	free(names);
	return names && good && batch_add_number(d->record, "executors",
					 (int64_t)distinct);
}

bool batch_add_head(struct batch_drawing *d, const struct batch_input *of)
{
	const struct batch *batch = d->batch;
	cJSON *key;

	if (!cJSON_AddStringToObject(d->record, "options", batch->options) ||
	    !batch_add_text(d->record, "title", d->group->title))
		return false;
	key = cJSON_AddObjectToObject(d->record, "key");
	for (size_t i = 0; key && i < batch->nkeys; i++)
		if (of->values[i][0] &&
		    !batch_add_text(key, batch->keys[i], of->values[i]))
			return false;
	return key;
}

bool batch_write_record(struct batch_drawing *d, const char *ending)
{
	char *path = batch_record_path(d->batch, d->group->name, ending);
	char *text = cJSON_PrintUnformatted(d->record);
	struct flame_text *out = path && text ?
				 flame_text_create(d->flame, path) : NULL;
	bool good = out &&
		    flame_text_put(out, text, strlen(text)) == FLAME_OK &&
		    flame_text_put(out, "\n", 1) == FLAME_OK;

	if (good)
		good = flame_text_finish(out) == FLAME_OK;
	else
		flame_text_abandon(out);
	free(path);
	cJSON_free(text);
	return good;
}

/* An old record would make a page that is half drawn pass for whole. */
static bool remove_record(const struct batch_drawing *d)
{
	const char *ending = batch_record_ending(d->group);
	char *path = batch_record_path(d->batch, d->group->name, ending);
	bool good = path && (unlink(path) == 0 || errno == ENOENT);

	if (path && !good)
		cli_say(d->batch->cli, "%s: %s", path, strerror(errno));
	free(path);
	return good;
}

static bool draw(struct batch_drawing *d)
{
	if (!remove_record(d) || !batch_add_head(d, d->group->inputs) ||
	    !batch_add_logs(d->batch, d->group, d->record))
		return false;
	if (d->group->split)
		return batch_draw_stages(d);
	return draw_page(d) && batch_write_bill(d) && batch_add_metrics(d) &&
	       count_executors(d) &&
	       (!d->batch->outliers ||
		batch_find_outliers(d)) &&
	       batch_write_record(d, ".json");
}

int batch_draw(const struct batch *batch, const struct batch_group *group,
	       unsigned threads, size_t memory)
{
	struct cli *cli = batch->cli;
	struct batch_drawing d = {
		.batch = batch, .group = group, .flame = flame_new(),
		.record = cJSON_CreateObject(), .threads = threads,
		.memory = memory, .bytes = group->bytes,
	};
	bool good = false;

	if (d.flame && d.record) {
		flame_process_limit(d.flame, memory);
		flame_unify_java(d.flame, !cli->raw_names);
		flame_threads(d.flame, threads);
		flame_on_warning(d.flame, on_warning, &d);
		flame_on_remark(d.flame, on_remark, &d);
		d.trees = flame_trees_new(d.flame);
		good = d.trees && draw(&d);
	}
	if (!good)
		cli_say(cli, "%s: %s", group->title,
			d.flame && flame_error(d.flame)[0] ?
				flame_error(d.flame) :
			group->split && d.message[0] ? d.message :
						       "out of memory");
	flame_trees_free(d.trees);
	flame_bill_free(d.bill);
	cJSON_Delete(d.apps);
	flame_free(d.flame);
	cJSON_Delete(d.record);
	return good ? CLI_FINE : CLI_TROUBLE;
}
