/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The keys of flame-batch (--key app,stage), by which inputs become groups and
 * pages.  batch_parse_keys() decides for each whether it is a label of paths,
 * of samples, or of samples where the path has none; batch_read_values() reads
 * the values of an input from its path.  Called by flame-batch.c, group.c and
 * read.c.
 */
#include "batch/batch.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Keys that are not here are labels of samples. */
static const struct {
	const char *name;
	enum batch_key_kind kind;
} known_keys[] = {
	{ "app", BATCH_OF_BOTH },
	{ "attempt", BATCH_OF_BOTH },
	{ "container", BATCH_OF_PATH },
	{ "epoch", BATCH_OF_PATH },
	{ "executor", BATCH_OF_BOTH },
	{ "file", BATCH_OF_PATH },
	{ "host", BATCH_OF_PATH },
	{ "path", BATCH_OF_PATH },
	{ "pid", BATCH_OF_BOTH },
	{ "stage", BATCH_OF_BOTH },
};

enum { NKNOWN = sizeof(known_keys) / sizeof(known_keys[0]) };

/* The stage of an event log replaces the one in a path. */
static enum batch_key_kind kind_of(const struct batch *batch, const char *name)
{
	if (batch->nlogs && strcmp(name, "stage") == 0)
		return BATCH_OF_SAMPLES;
	for (size_t i = 0; i < NKNOWN; i++)
		if (strcmp(known_keys[i].name, name) == 0)
			return known_keys[i].kind;
	return BATCH_OF_SAMPLES;
}

static bool add_key(struct batch *batch, const char *name)
{
	if (!*name || strchr(name, '=')) {
		cli_say(batch->cli, "--key %s: the name of a label, as app, "
			"stage, thread or tag, and no expression", name);
		return false;
	}
	if (strcmp(name, "metric") == 0) {
		cli_say(batch->cli, "--key metric: each page has all metrics; "
			"--event chooses one");
		return false;
	}
	if (batch->nkeys == BATCH_MAX_KEYS) {
		cli_say(batch->cli, "--key: more than %d keys",
			BATCH_MAX_KEYS);
		return false;
	}
	batch->kinds[batch->nkeys] = kind_of(batch, name);
	batch->keys[batch->nkeys] = strdup(name);
	return batch->keys[batch->nkeys++] || cli_no_memory(batch->cli);
}

bool batch_parse_keys(struct batch *batch, const char *list)
{
	char *copy = strdup(list), *rest = copy, *name;
	bool good = copy || cli_no_memory(batch->cli);

	while (good && (name = strsep(&rest, ",")))
		good = add_key(batch, name);
	free(copy);
	return good;
}

bool batch_read_values(const struct batch *batch, struct batch_input *input)
{
	const char *slash = strrchr(input->path, '/');
	char value[4096];

	for (size_t i = 0; i < batch->nkeys; i++) {
		const char *text = value;

		if (batch->kinds[i] == BATCH_OF_SAMPLES)
			text = "";
		else if (strcmp(batch->keys[i], "path") == 0)
			text = input->path;
		else if (strcmp(batch->keys[i], "file") == 0)
			text = slash ? slash + 1 : input->path;
		else if (!flame_path_label(input->path, batch->keys[i], value,
					   sizeof(value)))
			text = "";
		input->values[i] = strdup(text);
		if (!input->values[i])
			return cli_no_memory(batch->cli);
	}
	return true;
}

bool batch_is_split(const struct batch *batch, const struct batch_input *input)
{
	for (size_t i = 0; i < batch->nkeys; i++)
		if (batch->kinds[i] != BATCH_OF_PATH && !*input->values[i])
			return true;
	return false;
}

/* Outliers are found among parts of one executor each. */
char *batch_split_keys(const struct batch *batch)
{
	char *list = strdup(batch->outliers ? "app,executor" : ""), *longer;

	for (size_t i = 0; list && i < batch->nkeys; i++) {
		if (batch->kinds[i] == BATCH_OF_PATH)
			continue;
		if (asprintf(&longer, "%s%s%s", list, *list ? "," : "",
			     batch->keys[i]) < 0)
			longer = NULL;
		free(list);
		list = longer;
	}
	return list;
}
