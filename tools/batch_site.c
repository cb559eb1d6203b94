/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Files of all groups of flame-batch: index.json and manifest.json;
 * and the records of earlier runs, which tell what need not be read again.
 */
#include "batch.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Records ------------------------------------------------------------- */

double batch_number(const cJSON *from, const char *key)
{
	const cJSON *item = cJSON_GetObjectItemCaseSensitive(from, key);

	return cJSON_IsNumber(item) ? item->valuedouble : 0;
}

const char *batch_text(const cJSON *from, const char *key)
{
	const cJSON *item = cJSON_GetObjectItemCaseSensitive(from, key);

	return cJSON_IsString(item) ? item->valuestring : "";
}

static cJSON *parse_file(const char *path)
{
	FILE *file = fopen(path, "r");
	char *text = NULL;
	size_t size = 0;
	ssize_t n = -1;
	cJSON *json = NULL;

	if (!file)
		return NULL;
	n = getdelim(&text, &size, '\0', file);
	if (n > 0)
		json = cJSON_ParseWithLength(text, (size_t)n);
	free(text);
	fclose(file);
	return json;
}

bool batch_is_there(const struct batch *batch, const char *name)
{
	char *path = batch_path(batch, name, "");
	bool there = path && access(path, R_OK) == 0;

	free(path);
	return there;
}

static bool has_files(const struct batch *batch, const cJSON *record)
{
	const cJSON *metrics = cJSON_GetObjectItemCaseSensitive(record,
								"metrics");
	const char *page = batch_text(record, "page");
	const cJSON *metric;

	if (*page && !batch_is_there(batch, page))
		return false;
	cJSON_ArrayForEach(metric, metrics)
		if (!batch_is_there(batch, batch_text(metric, "folded")))
			return false;
	return cJSON_IsArray(metrics);
}

static bool has_inputs(const struct batch_group *group, const cJSON *record)
{
	const cJSON *inputs = cJSON_GetObjectItemCaseSensitive(record,
							       "inputs");
	const cJSON *entry;
	size_t i = 0;

	cJSON_ArrayForEach(entry, inputs) {
		const struct batch_input *input = &group->inputs[i++];

		if (i > group->n ||
		    !batch_has_path(entry, input->path) ||
		    strcmp(batch_text(entry, "mtime"), input->mtime) != 0 ||
		    batch_number(entry, "size") != (double)input->size)
			return false;
	}
	return i == group->n;
}

const char *batch_record_ending(const struct batch_group *group)
{
	return group->split ? ".inputs.json" : ".json";
}

/* Without memory for it, the group is drawn again. */
static cJSON *load(const struct batch *batch, const char *name,
		   const char *ending)
{
	cJSON *record;
	char *path;

	if (asprintf(&path, "%s/%s%s", batch->site, name, ending) < 0)
		return NULL;
	record = parse_file(path);
	free(path);
	if (record && strcmp(batch_text(record, "options"),
			     batch->options) == 0)
		return record;
	cJSON_Delete(record);
	return NULL;
}

cJSON *batch_load_page(const struct batch *batch, const char *name)
{
	cJSON *record = load(batch, name, ".json");

	if (record && has_files(batch, record))
		return record;
	cJSON_Delete(record);
	return NULL;
}

cJSON *batch_load(const struct batch *batch, const struct batch_group *group)
{
	cJSON *record = load(batch, group->name, batch_record_ending(group));

	if (record && has_inputs(group, record) &&
	    batch_has_logs(batch, group, record) &&
	    (group->split ? batch_has_pages(batch, record) :
			    has_files(batch, record)))
		return record;
	cJSON_Delete(record);
	return NULL;
}

/* Files --------------------------------------------------------------- */

static bool write_json(const struct batch *batch, struct flame *flame,
		       const char *name, const cJSON *json)
{
	char *path = batch_path(batch, name, "");
	char *text = json ? cJSON_Print(json) : NULL;
	struct flame_text *out = path && text ?
				 flame_text_create(flame, path) : NULL;
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

static cJSON *describe(const struct batch_group *group)
{
	static const char *const members[] = {
		"title", "stage", "key", "page", "executors", "metrics",
		"outliers",
	};
	cJSON *entry = cJSON_CreateObject();
	bool good = entry &&
		    cJSON_AddStringToObject(entry, "name", group->name) &&
		    batch_add_number(entry, "files", (int64_t)group->n) &&
		    batch_add_number(entry, "bytes", (int64_t)group->bytes);

	for (size_t i = 0; good && i < sizeof(members) / sizeof(*members);
	     i++) {
		const cJSON *item = cJSON_GetObjectItemCaseSensitive(
			group->record, members[i]);
		cJSON *copy = item ? cJSON_Duplicate(item, true) : NULL;

		good = !item || (copy && cJSON_AddItemToObject(entry,
							       members[i],
							       copy));
	}
	if (good)
		return entry;
	cJSON_Delete(entry);
	return NULL;
}

static bool write_index_json(const struct batch *batch, struct flame *flame)
{
	cJSON *all = cJSON_CreateArray();
	bool good = all;

	for (size_t i = 0; good && i < batch->npages; i++) {
		cJSON *entry;

		if (!batch->pages[i].record)
			continue;
		entry = describe(&batch->pages[i]);
		good = entry && cJSON_AddItemToArray(all, entry);
	}
	good = good && write_json(batch, flame, "index.json", all);
	cJSON_Delete(all);
	return good;
}

/* Manifest ------------------------------------------------------------ */

static const char *const states[] = {
	"ok", "empty", "damaged", "lost", "failed", "pending", "other",
};

enum { NSTATES = sizeof(states) / sizeof(states[0]) };

struct account {
	int64_t of_state[NSTATES], files, bytes, samples;
};

static void count(struct account *account, const cJSON *entry)
{
	for (size_t i = 0; i < NSTATES; i++)
		account->of_state[i] += strcmp(batch_text(entry, "status"),
					       states[i]) == 0;
	account->files++;
	account->bytes += (int64_t)batch_number(entry, "size");
	account->samples += (int64_t)batch_number(entry, "samples");
}

static bool add_entry(cJSON *inputs, struct account *account,
		      const struct batch_group *group, const cJSON *from)
{
	cJSON *entry = cJSON_Duplicate(from, true);

	if (!entry || !cJSON_AddItemToArray(inputs, entry))
		return false;
	count(account, entry);
	return cJSON_AddStringToObject(entry, "group", group->name);
}

/* The inputs of a group that was not drawn. */
static bool add_pending(cJSON *inputs, struct account *account,
			const struct batch_group *group)
{
	for (size_t i = 0; i < group->n; i++) {
		cJSON *entry = cJSON_CreateObject();
		bool good = entry &&
			    batch_add_path(entry, "path",
					   group->inputs[i].path) &&
			    batch_add_number(entry, "size",
					     (int64_t)group->inputs[i].size) &&
			    cJSON_AddStringToObject(entry, "status",
						    "pending") &&
			    add_entry(inputs, account, group, entry);

		cJSON_Delete(entry);
		if (!good)
			return false;
	}
	return true;
}

static bool add_inputs(cJSON *inputs, struct account *account,
		       const struct batch_group *group)
{
	const cJSON *list = cJSON_GetObjectItemCaseSensitive(group->record,
							     "inputs");
	const cJSON *entry;

	if (!group->record)
		return add_pending(inputs, account, group);
	cJSON_ArrayForEach(entry, list)
		if (!add_entry(inputs, account, group, entry))
			return false;
	return true;
}

static bool add_sums(cJSON *manifest, const struct account *account)
{
	bool good = batch_add_number(manifest, "files", account->files) &&
		    batch_add_number(manifest, "bytes", account->bytes) &&
		    batch_add_number(manifest, "samples", account->samples);

	for (size_t i = 0; good && i < NSTATES; i++)
		good = batch_add_number(manifest, states[i],
					account->of_state[i]);
	return good;
}

static int status_of(const struct batch *batch, const struct account *account)
{
	int64_t bad = account->of_state[2] + account->of_state[3] +
		      account->of_state[4];

	if (account->of_state[5] || (batch->cli->strict && bad))
		return CLI_TROUBLE;
	return CLI_FINE;
}

/* Errors of files are on the dictionary's handle; cli.c prints them. */
static int fail(const struct batch *batch, const struct flame *flame)
{
	if (!flame_error(flame)[0])
		cli_no_memory(batch->cli);
	return CLI_TROUBLE;
}

static int write_manifest(const struct batch *batch, struct flame *flame)
{
	cJSON *manifest = cJSON_CreateObject();
	cJSON *inputs = cJSON_CreateArray();
	struct account account = { 0 };
	bool good = manifest && inputs;

	for (size_t i = 0; good && i < batch->ngroups; i++)
		good = add_inputs(inputs, &account, &batch->groups[i]);
	good = good &&
	       cJSON_AddStringToObject(manifest, "version", FLAME_VERSION) &&
	       cJSON_AddStringToObject(manifest, "options", batch->options) &&
	       add_sums(manifest, &account) &&
	       cJSON_AddItemToObject(manifest, "inputs", inputs) &&
	       write_json(batch, flame, "manifest.json", manifest);
	if (good && !batch->cli->quiet) {
		batch_say_account(batch, inputs);
		batch_say_pages(batch);
	}
	cJSON_Delete(manifest);
	return good ? status_of(batch, &account) : fail(batch, flame);
}

int batch_explain_unread(const struct batch *batch)
{
	cJSON *inputs = cJSON_CreateArray();
	struct account account = { 0 };
	bool good = inputs;

	for (size_t i = 0; good && i < batch->ngroups; i++)
		good = add_inputs(inputs, &account, &batch->groups[i]);
	batch_remove_site(batch);
	if (!good)
		cli_no_memory(batch->cli);
	else if (account.files)
		batch_say_reasons(batch, inputs, false);
	else
		cli_say(batch->cli, "there is no file in %s",
			batch->cli->inputs[0]);
	cJSON_Delete(inputs);
	return CLI_TROUBLE;
}

int batch_write_site(const struct batch *batch, struct flame *flame)
{
	if (!write_index_json(batch, flame) || !batch_index(batch, flame))
		return fail(batch, flame);
	return write_manifest(batch, flame);
}
