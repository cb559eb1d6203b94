/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Records of flame-batch, which are JSON: one of each page, and one of each
 * group, which is written last, when the group is complete.  A group that is
 * not divided has one page, and one record is both.  By them the next run finds
 * what need not be read again (batch_load()), and scripts find the rest.  The
 * functions by which batch/ and report/ write JSON and files of the site are
 * here, too.  SITE/data/NAME.json of a page:
 *
 *	options, key {...}, title, page, executors, recorded [APP/EXECUTOR],
 *	metrics [{name, unit, weight, tasks, heaviest, heaviest_weight, folded}],
 *	picture {rows, t0 ... t9: paths}, viewer,
 *	outliers [{executor, frame, share, median, page}]
 *	inputs [{path, size, mtime, status, samples, message}]
 *
 * In place of inputs, where the page is a part of a group:
 *
 *	files, bytes	of inputs with samples of it
 *	lost		inputs of the group that were lost or damaged
 *	stage {name, query, tasks}
 *
 * The group's own is SITE/data/NAME.inputs.json then:
 *
 *	options, key {...}, title, inputs [...], logs [{path, size, mtime}],
 *	message, metrics [{name, weight}], pages [name]
 */
#include "batch/batch.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

char *batch_path(const struct batch *batch, const char *format, ...)
{
	char *path = NULL, *name;
	va_list args;

	va_start(args, format);
	if (vasprintf(&name, format, args) < 0)
		name = NULL;
	va_end(args);
	if (!name || asprintf(&path, "%s/%s", batch->site, name) < 0) {
		cli_no_memory(batch->cli);
		path = NULL;
	}
	free(name);
	return path;
}

struct flame_text *batch_create(const struct batch *batch, struct flame *flame,
				const char *name)
{
	char *path = batch_path(batch, "%s", name);
	struct flame_text *out = path ? flame_text_create(flame, path) : NULL;

	free(path);
	return out;
}

bool batch_finish(struct flame_text *out, bool good)
{
	if (good)
		return flame_text_finish(out) == FLAME_OK;
	flame_text_abandon(out);
	return false;
}

bool batch_write(const struct batch *batch, struct flame *flame,
		 const char *name, const char *text)
{
	struct flame_text *out = batch_create(batch, flame, name);

	return batch_finish(out, out && flame_text_put(out, text,
						       strlen(text)) ==
						FLAME_OK &&
				 flame_text_put(out, "\n", 1) == FLAME_OK);
}

/* JSON ---------------------------------------------------------------- */

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

char *batch_shown_path(const char *path)
{
	char *copy = batch_utf8(path);

	if (copy)
		flame_hide_secrets(copy, true);
	return copy;
}

/* That a URL with other secrets is another input. */
static void hash_path(char hash[9], const char *path)
{
	uint32_t n = 2166136261;

	for (; *path; path++)
		n = (n ^ (unsigned char)*path) * 16777619;
	snprintf(hash, 9, "%08x", (unsigned)n);
}

static bool is_url_of_tree(const char *path, const char *shown)
{
	return strcmp(path, shown) != 0 && flame_url(path) == FLAME_URL_TREE;
}

bool batch_add_path(cJSON *to, const char *key, const char *path)
{
	char *copy = batch_shown_path(path), hash[9];
	bool good = copy && cJSON_AddStringToObject(to, key, copy);

	/* Those of one server are read again whatever they are. */
	if (good && is_url_of_tree(path, copy)) {
		hash_path(hash, path);
		good = cJSON_AddStringToObject(to, "hash", hash);
	}
	free(copy);
	return good;
}

bool batch_has_path(const cJSON *from, const char *path)
{
	char *copy = batch_shown_path(path), hash[9] = "";
	bool same = copy && strcmp(batch_text(from, "path"), copy) == 0;

	if (same && is_url_of_tree(path, copy)) {
		hash_path(hash, path);
		same = strcmp(batch_text(from, "hash"), hash) == 0;
	}
	free(copy);
	return same;
}

bool batch_add_number(cJSON *to, const char *key, int64_t n)
{
	char text[32];

	snprintf(text, sizeof(text), "%lld", (long long)n);
	return cJSON_AddRawToObject(to, key, text);
}

double batch_number(const cJSON *from, const char *key)
{
	const cJSON *item = batch_list(from, key);

	return cJSON_IsNumber(item) ? item->valuedouble : 0;
}

const char *batch_text(const cJSON *from, const char *key)
{
	const cJSON *item = batch_list(from, key);

	return cJSON_IsString(item) ? item->valuestring : "";
}

const cJSON *batch_list(const cJSON *from, const char *key)
{
	return cJSON_GetObjectItemCaseSensitive(from, key);
}

const char *batch_key(const struct batch_group *page, const char *key)
{
	return batch_text(batch_list(page->record, "key"), key);
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

cJSON *batch_read_json(const struct batch *batch, const char *name)
{
	char *path = batch_path(batch, "%s", name);
	cJSON *json = path ? parse_file(path) : NULL;

	free(path);
	return json;
}

/* Writing ------------------------------------------------------------- */

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

/* data/NAME.json, or of a group that is divided data/NAME.inputs.json */
static char *name_record(const char *name, bool divided)
{
	char *record;

	return asprintf(&record, BATCH_DATA "%s%s.json", name,
			divided ? ".inputs" : "") < 0 ? NULL : record;
}

bool batch_write_record(struct batch_drawing *d, bool divided)
{
	char *name = name_record(d->group->name, divided);
	char *text = cJSON_PrintUnformatted(d->record);
	bool good = name && text && batch_write(d->batch, d->flame, name, text);

	free(name);
	cJSON_free(text);
	return good;
}

bool batch_remove(const struct batch *batch, const char *name)
{
	char *path = *name ? batch_path(batch, "%s", name) : NULL;
	bool good = path && (unlink(path) == 0 || errno == ENOENT);

	if (path && !good)
		cli_say(batch->cli, "%s: %s", path, strerror(errno));
	free(path);
	return good;
}

bool batch_remove_record(const struct batch *batch,
			 const struct batch_group *group)
{
	char *name = name_record(group->name, group->split);
	bool good = name && batch_remove(batch, name);

	free(name);
	return good;
}

/* Earlier runs -------------------------------------------------------- */

/* Without memory for its path, a file is not there: no message. */
static char *find(const struct batch *batch, const char *name,
		  const char *ending)
{
	char *path;

	return asprintf(&path, "%s/%s%s", batch->site, name, ending) < 0 ?
	       NULL : path;
}

static bool is_there(const struct batch *batch, const char *name,
		     const char *ending)
{
	char *path = find(batch, name, ending);
	bool there = path && access(path, R_OK) == 0;

	free(path);
	return there;
}

static bool has_viewer(const struct batch *batch)
{
	return is_there(batch, BATCH_STAGES BATCH_VIEWER, ".js") &&
	       is_there(batch, BATCH_STAGES BATCH_VIEWER, ".css");
}

static bool has_files(const struct batch *batch, const cJSON *record)
{
	const cJSON *metrics = batch_list(record, "metrics"), *metric;
	const char *page = batch_text(record, "page");

	if (*page && !is_there(batch, page, ""))
		return false;
	if (*batch_text(record, "viewer") && !has_viewer(batch))
		return false;
	cJSON_ArrayForEach(metric, metrics)
		if (!is_there(batch, batch_text(metric, "folded"), ""))
			return false;
	return cJSON_IsArray(metrics);
}

static bool has_inputs(const struct batch_group *group, const cJSON *record)
{
	const cJSON *inputs = batch_list(record, "inputs");
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

/* Without memory for it, the group is drawn again. */
static cJSON *load(const struct batch *batch, const char *name, bool divided)
{
	char *file = name_record(name, divided);
	char *path = file ? find(batch, file, "") : NULL;
	cJSON *record = path ? parse_file(path) : NULL;

	free(file);
	free(path);
	if (record && strcmp(batch_text(record, "options"),
			     batch->options) == 0)
		return record;
	cJSON_Delete(record);
	return NULL;
}

static cJSON *load_page(const struct batch *batch, const char *name)
{
	cJSON *record = load(batch, name, false);

	if (record && has_files(batch, record))
		return record;
	cJSON_Delete(record);
	return NULL;
}

static const cJSON *names_of(const cJSON *record)
{
	return batch_list(record, "pages");
}

static bool has_pages(const struct batch *batch, const cJSON *record)
{
	const cJSON *name;

	cJSON_ArrayForEach(name, names_of(record)) {
		cJSON *page = cJSON_IsString(name) ?
			      load_page(batch, name->valuestring) : NULL;

		if (!page)
			return false;
		cJSON_Delete(page);
	}
	return true;
}

cJSON *batch_load(const struct batch *batch, const struct batch_group *group)
{
	cJSON *record = load(batch, group->name, group->split);

	if (record && has_inputs(group, record) &&
	    batch_logs_unchanged(batch, group, record) &&
	    (!*batch_text(record, "bill") ||
	     is_there(batch, batch_text(record, "bill"), "")) &&
	    (group->split ? has_pages(batch, record) :
			    has_files(batch, record)))
		return record;
	cJSON_Delete(record);
	return NULL;
}

/* Pages --------------------------------------------------------------- */

int64_t batch_count_lost(const cJSON *record)
{
	const cJSON *inputs = batch_list(record, "inputs");
	struct batch_account account = { .files = 0 };

	if (!inputs)
		return (int64_t)batch_number(record, "lost");
	batch_count(&account, inputs);
	return account.n[BATCH_DAMAGED] + account.n[BATCH_LOST] +
	       account.n[BATCH_FAILED];
}

static struct batch_group *new_page(struct batch *batch)
{
	struct batch_group *page;

	if (!cli_grow(batch->cli, &batch->pages, &batch->pages_capacity,
		      batch->npages + 1, sizeof(*page)))
		return NULL;
	page = &batch->pages[batch->npages++];
	memset(page, 0, sizeof(*page));
	return page;
}

/* The group itself: with its inputs, as the record is the group's. */
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

static bool add_page(struct batch *batch, const char *name)
{
	struct batch_group *page = new_page(batch);

	if (!page)
		return false;
	page->record = load_page(batch, name);
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
				good = good && add_page(batch,
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
