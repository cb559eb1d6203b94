/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A run of flame-batch that selected nothing, or whose samples lack the labels
 * of --key or --by: recognizes it by the records of the groups, removes what
 * was drawn, so that no empty site passes for one, and explains the options.
 * flame-batch.c calls it once all groups are drawn.
 */
#include "batch/batch.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool has_weight(const cJSON *record)
{
	const cJSON *metric;

	cJSON_ArrayForEach(metric, batch_list(record, "metrics"))
		if (batch_number(metric, "weight") != 0)
			return true;
	return false;
}

bool batch_is_nothing(const struct batch *batch)
{
	struct batch_account account = { .files = 0 };

	for (size_t i = 0; i < batch->ngroups; i++) {
		const cJSON *record = batch->groups[i].record;

		if (!record || has_weight(record))
			return false;
		batch_count(&account, batch_list(record, "inputs"));
	}
	return account.n[BATCH_OK] + account.n[BATCH_DAMAGED] > 0 &&
	       !batch->cli->empty_ok;
}

/* What every group says of the one key of --by; NULL: some sample has it. */
static const char *undivided(const struct batch *batch)
{
	static const char unseen[] = "--by: no sample has a label ";
	const struct cli_pair *by = cli_find(&batch->cli->filters, "by");
	const char *message = NULL;

	if (!by || strpbrk(by->value, ",\n") || batch->cli->empty_ok)
		return NULL;
	for (size_t i = 0; i < batch->ngroups; i++) {
		message = batch_text(batch->groups[i].record, "message");
		if (strncmp(message, unseen, strlen(unseen)) != 0)
			return NULL;
	}
	return message;
}

/* Whether no group has any of the keys of --key. */
static bool has_no_key(const struct batch *batch)
{
	for (size_t i = 0; i < batch->ngroups; i++)
		if ((size_t)cJSON_GetArraySize(batch_list(
			    batch->groups[i].record, "unseen")) < batch->nkeys)
			return false;
	return batch->ngroups && !batch->cli->empty_ok;
}

bool batch_is_undivided(const struct batch *batch)
{
	const char *message = undivided(batch);
	char choices[CLI_MAX_CHOICES] = "";

	if (!message && !has_no_key(batch))
		return false;
	for (size_t i = 0; !message && !*choices && i < batch->ninputs; i++)
		cli_list_labels(batch->inputs[i].path, batch->keys[0],
				choices);
	if (message)
		cli_say(batch->cli, "%s (--empty ok allows it)", message);
	else
		cli_say(batch->cli, "--key: no sample has a label %s%s "
			"(--empty ok allows it)", batch->keys[0], choices);
	return true;
}

static void remove_group(const struct batch *batch,
			 const struct batch_group *group)
{
	const cJSON *metric;

	cJSON_ArrayForEach(metric, batch_list(group->record, "metrics"))
		batch_remove(batch, batch_text(metric, "folded"));
	batch_remove(batch, batch_text(group->record, "page"));
	batch_remove_record(batch, group);
}

bool batch_is_unread(const struct batch *batch)
{
	struct batch_account account = { .files = 0 };

	for (size_t i = 0; i < batch->ngroups; i++) {
		if (!batch->groups[i].record)
			return false;
		batch_count(&account, batch_list(batch->groups[i].record,
						 "inputs"));
	}
	return account.n[BATCH_LOST] + account.n[BATCH_FAILED] +
	       account.n[BATCH_OTHER] == account.files;
}

static void remove_folder(const struct batch *batch, const char *name)
{
	char *path = batch_path(batch, "%s", name);

	if (path)
		rmdir(path);
	free(path);
}

void batch_remove_site(const struct batch *batch)
{
	for (size_t i = 0; i < batch->ngroups; i++)
		remove_group(batch, &batch->groups[i]);
	for (size_t i = 0; i < batch->npages; i++)
		remove_group(batch, &batch->pages[i]);
	if (!batch->site_is_new)
		return;
	remove_folder(batch, BATCH_STAGES);
	remove_folder(batch, BATCH_DATA);
	rmdir(batch->site);
}

int batch_explain_nothing(const struct batch *batch, struct flame *flame)
{
	char **paths = calloc(batch->ninputs + 1, sizeof(*paths));

	batch_remove_site(batch);
	for (size_t i = 0; paths && i < batch->ninputs; i++)
		paths[i] = batch->inputs[i].path;
	if (paths)
		cli_explain_nothing(batch->cli, flame, paths, batch->ninputs,
				    true);
	free(paths);
	return CLI_TROUBLE;
}
