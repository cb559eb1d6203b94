/* SPDX-License-Identifier: Apache-2.0 */
/*
 * batch_describe_options() makes one text of all options that change pages.
 * Records have it: a group whose options differ is drawn again by the next run,
 * and people see with which options a page was made.  Called by flame-batch.c.
 */
#include "batch/batch.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool append(char **text, const char *kind, const char *name,
		   const char *value)
{
	char *longer;

	if (asprintf(&longer, "%s%s%s%s%s%s", *text, **text ? " " : "", kind,
		     name, value ? "=" : "", value ? value : "") < 0)
		return false;
	free(*text);
	*text = longer;
	return true;
}

static bool append_list(char **text, const struct cli_list *list)
{
	for (size_t i = 0; i < list->n; i++)
		if (!append(text, "--", list->at[i].name, list->at[i].value))
			return false;
	return true;
}

/* As records have it: UTF-8, without secrets of URLs. */
static bool make_shown(char **text)
{
	char *copy = batch_utf8(*text);

	if (copy)
		flame_hide_secrets(copy, false);
	free(*text);
	*text = copy;
	return copy;
}

/* All options that change pages. */
bool batch_describe_options(struct batch *batch)
{
	struct cli *cli = batch->cli;
	bool good = (batch->options = strdup("")) != NULL;

	good = good && append(&batch->options, "", FLAME_VERSION, NULL);
	for (size_t i = 0; good && i < batch->nkeys; i++)
		good = append(&batch->options, "", "key", batch->keys[i]);
	if (good && cli->input_format)
		good = append(&batch->options, "--", "input-format",
			      cli->input_format);
	if (good && cli->path_labels)
		good = append(&batch->options, "--", "path-labels",
			      cli->path_labels);
	if (good && cli->raw_names)
		good = append(&batch->options, "--", "raw-names", NULL);
	if (good && cli->mangled)
		good = append(&batch->options, "--", "no-demangle", NULL);
	if (good && batch->outliers)
		good = append(&batch->options, "--", "outliers", NULL);
	if (good && batch->standalone)
		good = append(&batch->options, "--", "standalone", NULL);
	if (good && batch->time)
		good = append(&batch->options, "--", "time", NULL);
	return (good && append_list(&batch->options, &cli->asks) &&
		append_list(&batch->options, &cli->filters) &&
		append_list(&batch->options, &cli->sets) &&
		make_shown(&batch->options)) ||
	       cli_no_memory(cli);
}
