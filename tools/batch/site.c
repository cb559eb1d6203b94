/* SPDX-License-Identifier: Apache-2.0 */
/*
 * batch_write_site() writes the files about all groups of flame-batch, from
 * their records: data/index.json, which lists the pages, data/manifest.json,
 * which lists the inputs and what became of them, and by report/ the summary
 * and index.html.  It prints the account.  batch_explain_unread() says why no
 * input was read.  Called by flame-batch.c.
 */
#include "batch/batch.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Files --------------------------------------------------------------- */

/*
 * A list that is written one item at a time: all of a large site would need
 * much memory.  `envelope` is the JSON object around the list, or the list
 * itself; it has no other array, or this one is last.
 */
struct list {
	struct flame_text *out;
	cJSON *envelope, *array;	/* array is envelope, or a member */
	size_t n;
};

static bool put(struct list *list, const char *text, size_t size)
{
	return flame_text_put(list->out, text, size) == FLAME_OK;
}

/* Writes an item as it is printed within the envelope, and the comma. */
static bool put_item(struct list *list, const cJSON *item)
{
	char *text = NULL, *start;
	bool good = cJSON_AddItemReferenceToArray(list->array, (cJSON *)item);

	if (good)
		text = cJSON_Print(list->envelope);
	cJSON_DeleteItemFromArray(list->array, 0);
	good = text && (!list->n++ || put(list, ", ", 2));
	start = text ? strchr(text, '[') : NULL;
	good = good && put(list, start + 1,
			   (size_t)(strrchr(text, ']') - start) - 1);
	cJSON_free(text);
	return good;
}

/* The envelope up to its list, or from there. */
static bool put_envelope(struct list *list, const cJSON *envelope, bool end)
{
	char *text = cJSON_Print(envelope);
	char *close = text ? strrchr(text, ']') : NULL;
	bool good = close && (end ? put(list, close, strlen(close)) &&
				    put(list, "\n", 1) :
				    put(list, text, (size_t)(close - text)));

	cJSON_free(text);
	return good;
}

static bool open_list(struct list *list, const struct batch *batch,
		      struct flame *flame, const char *name,
		      const char *member)
{
	list->n = 0;
	list->out = batch_create(batch, flame, name);
	list->envelope = member ? cJSON_CreateObject() : cJSON_CreateArray();
	list->array = member && list->envelope ?
		      cJSON_AddArrayToObject(list->envelope, member) :
		      list->envelope;
	return list->out && list->array;
}

static bool close_list(struct list *list, bool good)
{
	cJSON_Delete(list->envelope);
	return batch_finish(list->out, good);
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
		const cJSON *item = batch_list(group->record, members[i]);

		good = !item ||
		       cJSON_AddItemReferenceToObject(entry, members[i],
						      (cJSON *)item);
	}
	if (good)
		return entry;
	cJSON_Delete(entry);
	return NULL;
}

static bool write_index_json(const struct batch *batch, struct flame *flame)
{
	struct list list;
	bool good = open_list(&list, batch, flame, BATCH_DATA "index.json",
			      NULL) &&
		    put_envelope(&list, list.envelope, false);

	for (size_t i = 0; good && i < batch->npages; i++) {
		cJSON *entry;

		if (!batch->pages[i].record)
			continue;
		entry = describe(&batch->pages[i]);
		good = entry && put_item(&list, entry);
		cJSON_Delete(entry);
	}
	good = good && put_envelope(&list, list.envelope, true);
	return close_list(&list, good);
}

/* Manifest ------------------------------------------------------------ */

/* The inputs of a group that was not drawn. */
static bool add_pending(cJSON *inputs, const struct batch_group *group)
{
	for (size_t i = 0; i < group->n; i++) {
		cJSON *entry = cJSON_CreateObject();

		if (!entry || !cJSON_AddItemToArray(inputs, entry) ||
		    !batch_add_path(entry, "path", group->inputs[i].path) ||
		    !batch_add_number(entry, "size",
				      (int64_t)group->inputs[i].size) ||
		    !cJSON_AddStringToObject(entry, "status", "pending"))
			return false;
	}
	return true;
}

/* Those of all groups, in their order; entries are the records'. */
static cJSON *list_inputs(const struct batch *batch)
{
	cJSON *inputs = cJSON_CreateArray();
	const cJSON *entry;
	bool good = inputs;

	for (size_t i = 0; good && i < batch->ngroups; i++) {
		const struct batch_group *group = &batch->groups[i];

		good = group->record || add_pending(inputs, group);
		cJSON_ArrayForEach(entry, batch_list(group->record, "inputs"))
			good = good && cJSON_AddItemReferenceToArray(
					       inputs, (cJSON *)entry);
	}
	if (good)
		return inputs;
	cJSON_Delete(inputs);
	return NULL;
}

/* Writes n entries with the name of their group. */
static bool put_inputs(struct list *list, const cJSON **entry, size_t n,
		       const char *group)
{
	for (; n && *entry; n--, *entry = (*entry)->next) {
		cJSON *copy = cJSON_Duplicate(*entry, true);
		bool good = copy &&
			    cJSON_AddStringToObject(copy, "group", group) &&
			    put_item(list, copy);

		cJSON_Delete(copy);
		if (!good)
			return false;
	}
	return true;
}

static bool add_sums(cJSON *manifest, const struct batch_account *account)
{
	bool good = batch_add_number(manifest, "files", account->files) &&
		    batch_add_number(manifest, "bytes", account->bytes) &&
		    batch_add_number(manifest, "samples", account->samples);

	for (size_t i = 0; good && i < BATCH_STATES; i++)
		good = batch_add_number(manifest, batch_states[i],
					account->n[i]);
	return good;
}

static int status_of(const struct batch *batch,
		     const struct batch_account *account)
{
	int64_t bad = account->n[BATCH_DAMAGED] + account->n[BATCH_LOST] +
		      account->n[BATCH_FAILED];

	if (account->n[BATCH_PENDING] || (batch->cli->strict && bad))
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

/* `inputs` has those of all groups, in their order. */
static bool write_inputs(const struct batch *batch, struct flame *flame,
			 const cJSON *head, const cJSON *inputs)
{
	const cJSON *entry = inputs->child;
	struct list list;
	bool good = open_list(&list, batch, flame,
			      BATCH_DATA "manifest.json",
			      "inputs") &&
		    put_envelope(&list, head, false);

	for (size_t i = 0; good && i < batch->ngroups; i++) {
		const struct batch_group *group = &batch->groups[i];
		size_t n = group->record ?
			   (size_t)cJSON_GetArraySize(batch_list(group->record,
							  "inputs")) :
			   group->n;

		good = put_inputs(&list, &entry, n, group->name);
	}
	good = good && put_envelope(&list, head, true);
	return close_list(&list, good);
}

static int write_manifest(const struct batch *batch, struct flame *flame)
{
	cJSON *head = cJSON_CreateObject();
	cJSON *inputs = list_inputs(batch);
	struct batch_account account = { .files = 0 };
	bool good = head && inputs;

	batch_count(&account, inputs);
	good = good &&
	       cJSON_AddStringToObject(head, "version", FLAME_VERSION) &&
	       cJSON_AddStringToObject(head, "options", batch->options) &&
	       add_sums(head, &account) &&
	       batch_add_coverage(batch, head) &&
	       cJSON_AddArrayToObject(head, "inputs") &&
	       write_inputs(batch, flame, head, inputs);
	if (good && !batch->cli->quiet) {
		batch_say_reasons(batch, inputs, true);
		batch_say_account(batch, &account);
		batch_say_pages(batch);
	}
	cJSON_Delete(head);
	cJSON_Delete(inputs);
	return good ? status_of(batch, &account) : fail(batch, flame);
}

/* Neither inputs nor --spark-events lead to a file. */
static void say_no_files(const struct cli *cli)
{
	for (size_t i = 0; i < cli->ninputs; i++)
		cli_say(cli, "there is no file in %s", cli->inputs[i]);
	for (size_t i = 0; i < cli->filters.n; i++) {
		const char *path = cli->filters.at[i].value;
		size_t size;

		if (strcmp(cli->filters.at[i].name, "spark-events") != 0)
			continue;
		for (;; path += size + 1) {
			size = strcspn(path, "\n");
			cli_say(cli, "no event log in %.*s", (int)size, path);
			if (!path[size])
				break;
		}
	}
}

int batch_explain_unread(const struct batch *batch)
{
	cJSON *inputs = list_inputs(batch);

	batch_remove_site(batch);
	if (!inputs)
		cli_no_memory(batch->cli);
	else if (inputs->child)
		batch_say_reasons(batch, inputs, false);
	else
		say_no_files(batch->cli);
	cJSON_Delete(inputs);
	return CLI_TROUBLE;
}

int batch_write_site(const struct batch *batch, struct flame *flame)
{
	int status;

	if (!write_index_json(batch, flame) || !batch_summarize(batch, flame))
		return fail(batch, flame);
	/* The index is last: it links to all others. */
	status = write_manifest(batch, flame);
	return batch_index(batch, flame) ? status : fail(batch, flame);
}
