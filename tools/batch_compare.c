/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Comparisons of flame-batch: of the groups of an application, the two that
 * are heaviest by its first metric, as a page of their difference.  They
 * are drawn from the folded stacks, so no input is read again.
 */
#include "batch.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *app_of(const struct batch_group *group)
{
	return batch_text(cJSON_GetObjectItemCaseSensitive(group->record,
							   "key"), "app");
}

/* Not "[no task]", nor several stages at once, nor "[no thread]". */
static bool has_all_keys(const struct batch_group *group)
{
	const cJSON *keys = cJSON_GetObjectItemCaseSensitive(group->record,
							     "key");
	const cJSON *key;

	cJSON_ArrayForEach(key, keys)
		if (strncmp(batch_text(keys, key->string), "[no ", 4) == 0)
			return false;
	return batch_text(keys, "stage")[0] != '[';
}

static const cJSON *first_metric(const struct batch_group *group)
{
	const cJSON *metrics = cJSON_GetObjectItemCaseSensitive(group->record,
								"metrics");

	return metrics ? metrics->child : NULL;
}

static double weight_of(const struct batch_group *group)
{
	return batch_number(first_metric(group), "weight");
}

/* The heaviest after `other`, if it has the same metric; or NULL. */
static const struct batch_group *heaviest(const struct batch *batch,
					  const char *app,
					  const struct batch_group *other)
{
	const char *metric = other ? batch_text(first_metric(other), "name")
				   : NULL;
	const struct batch_group *best = NULL;

	for (size_t i = 0; i < batch->npages; i++) {
		const struct batch_group *group = &batch->pages[i];

		if (group == other || strcmp(app_of(group), app) != 0 ||
		    weight_of(group) <= 0 || !has_all_keys(group))
			continue;
		if (metric && strcmp(batch_text(first_metric(group), "name"),
				     metric) != 0)
			continue;
		if (!best || weight_of(group) > weight_of(best))
			best = group;
	}
	return best;
}

/* A file of the site, to be freed; NULL: the message is printed. */
static char *read_file(const struct batch *batch, const char *name,
		       size_t *size)
{
	char *path = batch_path(batch, name, ""), *bytes = NULL;
	FILE *file = path ? fopen(path, "r") : NULL;
	struct stat st;

	if (file && fstat(fileno(file), &st) == 0) {
		*size = (size_t)st.st_size;
		bytes = malloc(*size + 1);
	}
	if (bytes && fread(bytes, 1, *size, file) != *size) {
		free(bytes);
		bytes = NULL;
	}
	if (path && !bytes)
		cli_say(batch->cli, "%s: %s", path, strerror(errno));
	if (file)
		fclose(file);
	free(path);
	return bytes;
}

/* The page names its inputs, but not the folder of the site. */
static bool fill(const struct batch *batch, struct flame *flame,
		 struct flame_tree *tree, unsigned column, const char *folded)
{
	size_t size;
	char *bytes = read_file(batch, folded, &size);
	struct flame_source *source = bytes ?
		flame_open_memory(flame, bytes, size, folded, "folded") : NULL;
	struct flame_sink *sink = source ? flame_tree_sink(tree, column) :
					   NULL;
	bool good = sink && flame_pump(source, sink) == FLAME_OK;

	flame_close(source);
	free(bytes);
	if (good)
		return flame_finish(sink) == FLAME_OK;
	flame_abandon(sink);
	return false;
}

static bool write_page(const struct batch *batch, struct flame *flame,
		       struct flame_tree *tree, const char *title,
		       const char *name)
{
	char *path = batch_path(batch, name, "");
	struct flame_sink *page = path ? flame_create(flame, path, "html") :
					 NULL;

	free(path);
	if (!page)
		return false;
	if (flame_set(page, "title", title) == FLAME_OK &&
	    flame_set(page, "normalize", "total") == FLAME_OK &&
	    (!batch->split ||
	     flame_set(page, "split", NULL) == FLAME_OK) &&
	    flame_tree_write(tree, page) == FLAME_OK)
		return flame_finish(page) == FLAME_OK;
	flame_abandon(page);
	return false;
}

bool batch_draw_difference(const struct batch *batch, const char *title,
			   const char *page, const char *before,
			   const char *after)
{
	struct flame *flame = flame_new();
	struct flame_tree *tree = flame ? flame_tree_new(flame, 2) : NULL;
	bool good;

	good = tree && fill(batch, flame, tree, 0, before) &&
	       fill(batch, flame, tree, 1, after) &&
	       write_page(batch, flame, tree, title, page);
	if (!good && (!flame || flame_error(flame)[0]))
		cli_say(batch->cli, "%s: %s", title,
			flame ? flame_error(flame) : "out of memory");
	flame_tree_free(tree);
	flame_free(flame);
	return good;
}

static bool draw(const struct batch *batch, const struct batch_comparison *c)
{
	return batch_draw_difference(batch, c->title, c->page,
				     batch_text(first_metric(c->before),
						"folded"),
				     batch_text(first_metric(c->after),
						"folded"));
}

static bool add(struct batch *batch, const struct batch_group *before,
		const struct batch_group *after)
{
	struct batch_comparison *c =
		&batch->comparisons[batch->ncomparisons++];

	c->before = before;
	c->after = after;
	if (asprintf(&c->title, "%s against %s, %s", after->title,
		     before->title, batch_text(first_metric(after),
					       "name")) < 0)
		c->title = NULL;
	if (asprintf(&c->page, BATCH_STAGES "%s.against.%s.html", after->name,
		     before->name) < 0)
		c->page = NULL;
	return (c->title && c->page) || cli_no_memory(batch->cli);
}

static bool is_done(const struct batch *batch,
		    const struct batch_comparison *c)
{
	return c->before->kept && c->after->kept &&
	       batch_is_there(batch, c->page);
}

/* Groups of an application are neighbours. */
static bool find_all(struct batch *batch)
{
	const char *last = "";

	batch->comparisons = calloc(batch->npages + 1,
				    sizeof(*batch->comparisons));
	if (!batch->comparisons)
		return cli_no_memory(batch->cli);
	for (size_t i = 0; i < batch->npages; i++) {
		const char *app = app_of(&batch->pages[i]);
		const struct batch_group *after, *before;

		if (!*app || strcmp(app, last) == 0)
			continue;
		last = app;
		after = heaviest(batch, app, NULL);
		before = after ? heaviest(batch, app, after) : NULL;
		if (before && !add(batch, before, after))
			return false;
	}
	return true;
}

int batch_compare(struct batch *batch)
{
	/*
	 * Groups of an application are neighbours only if app is the first key.
	 */
	if (batch->nkeys < 2 || strcmp(batch->keys[0], "app") != 0)
		return CLI_FINE;
	if (!find_all(batch))
		return CLI_TROUBLE;
	for (size_t i = 0; i < batch->ncomparisons; i++)
		if (!is_done(batch, &batch->comparisons[i]) &&
		    !draw(batch, &batch->comparisons[i]))
			return CLI_TROUBLE;
	return CLI_FINE;
}
