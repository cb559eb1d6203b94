/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The pages of flame-batch's groups.  A group has one, or with --spark-events
 * one for each of its stages, whose records its own names.
 */
#include "batch.h"

#include <stdlib.h>
#include <string.h>

static const cJSON *names_of(const cJSON *record)
{
	return cJSON_GetObjectItemCaseSensitive(record, "pages");
}

bool batch_has_pages(const struct batch *batch, const cJSON *record)
{
	const cJSON *name;

	cJSON_ArrayForEach(name, names_of(record)) {
		cJSON *page = cJSON_IsString(name) ?
			      batch_load_page(batch, name->valuestring) : NULL;

		if (!page)
			return false;
		cJSON_Delete(page);
	}
	return true;
}

int64_t batch_count_lost(const cJSON *record)
{
	const cJSON *inputs = cJSON_GetObjectItemCaseSensitive(record,
							       "inputs");
	const cJSON *entry;
	int64_t n = 0;

	if (!inputs)
		return (int64_t)batch_number(record, "lost");
	cJSON_ArrayForEach(entry, inputs) {
		const char *status = batch_text(entry, "status");

		n += strcmp(status, "ok") != 0 &&
		     strcmp(status, "empty") != 0 &&
		     strcmp(status, "other") != 0;
	}
	return n;
}

static struct batch_group *new_page(struct batch *batch)
{
	struct batch_group *page;

	if (batch->npages == batch->pages_capacity) {
		size_t capacity = batch->pages_capacity * 2 + 64;

		page = reallocarray(batch->pages, capacity, sizeof(*page));
		if (!page)
			return NULL;
		batch->pages = page;
		batch->pages_capacity = capacity;
	}
	page = &batch->pages[batch->npages++];
	memset(page, 0, sizeof(*page));
	return page;
}

/* The group itself; its inputs tell that the record is the group's. */
static bool add_group(struct batch *batch, const struct batch_group *group)
{
	struct batch_group *page = new_page(batch);

	if (!page)
		return false;
	*page = *group;
	page->title = strdup(group->title);
	page->name = strdup(group->name);
	return page->title && page->name;
}

static bool add_page(struct batch *batch, const struct batch_group *group,
		     const char *name)
{
	struct batch_group *page = new_page(batch);

	if (!page)
		return false;
	page->record = batch_load_page(batch, name);
	page->kept = group->kept;
	page->n = (size_t)batch_number(page->record, "files");
	page->bytes = (uint64_t)batch_number(page->record, "bytes");
	page->title = strdup(batch_text(page->record, "title"));
	page->name = strdup(name);
	return page->record && page->title && page->name;
}

bool batch_list_pages(struct batch *batch)
{
	bool good = true;

	for (size_t i = 0; good && i < batch->ngroups; i++) {
		const struct batch_group *group = &batch->groups[i];
		const cJSON *names = names_of(group->record), *name;

		if (!names || !names->child)
			good = add_group(batch, group);
		else
			cJSON_ArrayForEach(name, names)
				good = good && add_page(batch, group,
							name->valuestring);
	}
	return good || cli_no_memory(batch->cli);
}

void batch_free_pages(struct batch *batch)
{
	for (size_t i = 0; i < batch->npages; i++) {
		free(batch->pages[i].title);
		free(batch->pages[i].name);
		if (!batch->pages[i].inputs)
			cJSON_Delete(batch->pages[i].record);
	}
	free(batch->pages);
}
