/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The files below a folder of WebHDFS, in order.  Those of its entries that are
 * folders are listed in their turn.
 */
#include "fl.h"

#include "io/json.h"
#include "io/url.h"

#include <stdio.h>
#include <stdlib.h>

struct entry {
	char *path;
	uint64_t size;
	int64_t mtime;		/* ms since 1970 */
	bool is_folder;
};

struct listing {
	struct flame *flame;
	struct entry *entries;	/* files, and folders to be listed */
	size_t count, capacity;
	size_t next;		/* to be looked at */
};

static bool add(struct listing *l, const char *folder, struct slice suffix,
		struct entry entry)
{
	size_t n = strlen(folder);
	struct fl_buf path = { NULL, 0, 0, false };
	bool hidden = suffix.size &&
		      (suffix.data[0] == '.' || suffix.data[0] == '_');

	/* Checksums (.x.crc), _SUCCESS, _temporary. */
	if (hidden)
		return true;
	while (n && folder[n - 1] == '/')
		n--;
	fl_buf_put(&path, folder, n);
	if (suffix.size)
		fl_buf_byte(&path, '/');
	fl_buf_put(&path, suffix.data, suffix.size);
	entry.path = path.data;
	if (path.failed) {
		fl_buf_free(&path);
		return fl_no_memory(l->flame) == FLAME_OK;
	}
	if (!fl_grow(&l->entries, &l->capacity, l->count + 1,
		     sizeof(*l->entries))) {
		fl_free(entry.path);
		return fl_no_memory(l->flame) == FLAME_OK;
	}
	l->entries[l->count++] = entry;
	return true;
}

/* {"pathSuffix":"a.jfr","type":"FILE","length":1,"modificationTime":1,...} */
static bool read_status(struct listing *l, struct fl_json *json,
			const char *folder)
{
	struct entry entry = { .path = NULL };
	struct fl_buf suffix = { NULL, 0, 0, false };
	struct slice text;
	int64_t n;
	char kind = 'o';	/* other */
	bool good = true;

	while (fl_json_key(json)) {
		if (fl_json_is(json, "pathSuffix")) {
			if (fl_json_string(json, &text))
				fl_buf_put(&suffix, text.data, text.size);
		} else if (fl_json_is(json, "type")) {
			if (fl_json_string(json, &text))
				kind = fl_slice_is(text, "DIRECTORY") ? 'd' :
				       fl_slice_is(text, "FILE") ? 'f' : 'o';
		} else if (fl_json_is(json, "length")) {
			if (fl_json_integer(json, &n) && n > 0)
				entry.size = (uint64_t)n;
		} else if (fl_json_is(json, "modificationTime")) {
			if (fl_json_integer(json, &n))
				entry.mtime = n;
		} else {
			fl_json_skip(json);
		}
	}
	if (suffix.failed)
		good = fl_no_memory(l->flame) == FLAME_OK;
	entry.is_folder = kind == 'd';
	if (!suffix.failed && kind != 'o')
		good = add(l, folder, (struct slice){ suffix.data,
						      suffix.size }, entry);
	fl_buf_free(&suffix);
	return good;
}

/* {"FileStatuses":{"FileStatus":[...]}} */
static bool read_answer(struct listing *l, struct fl_json *json,
			const char *folder, const char *name)
{
	bool found = false;

	if (fl_json_enter_object(json))
		while (fl_json_key(json)) {
			if (!fl_json_is(json, "FileStatuses")) {
				fl_json_skip(json);
				continue;
			}
			if (!fl_json_enter_object(json))
				continue;
			while (fl_json_key(json)) {
				if (!fl_json_is(json, "FileStatus")) {
					fl_json_skip(json);
					continue;
				}
				if (!fl_json_enter_array(json))
					continue;
				found = true;
				while (fl_json_element(json))
					if (json->token == FL_JSON_OBJECT ?
						!read_status(l, json, folder) :
						!fl_json_skip(json))
						return false;
			}
		}
	if (json->error || !found)
		fl_fail(l->flame, "%s: no listing of WebHDFS: %s", name,
			json->error ? json->error : "other JSON");
	return !json->error && found;
}

static bool list_folder(struct listing *l, const char *folder)
{
	struct fl_buf url = { NULL, 0, 0, false };
	struct fl_in *in = NULL;
	struct fl_json json;
	const char *damage;
	bool good;

	fl_buf_text(&url, folder);
	if (url.size && url.data[url.size - 1] != '/')
		fl_buf_byte(&url, '/');
	if (!url.failed)
		in = fl_in_open(l->flame, url.data);
	else
		fl_no_memory(l->flame);
	fl_buf_free(&url);
	if (!in)
		return false;
	fl_json_init(&json, in);
	good = read_answer(l, &json, folder, fl_in_name(in));
	damage = fl_in_damage(in);
	if (damage)
		fl_fail(l->flame, "%s: %s", fl_in_name(in), damage);
	fl_json_free(&json);
	fl_in_close(in);
	return good && !damage;
}

static int by_path(const void *a, const void *b)
{
	const struct entry *x = a, *y = b;

	return strcmp(x->path, y->path);
}

static void report(struct listing *l,
		   void (*found)(void *arg, const char *path, uint64_t size,
				 int64_t mtime),
		   void *arg)
{
	if (l->count)
		qsort(l->entries, l->count, sizeof(*l->entries), by_path);
	for (size_t i = 0; i < l->count; i++)
		if (!l->entries[i].is_folder)
			found(arg, l->entries[i].path, l->entries[i].size,
			      l->entries[i].mtime);
}

/* Kept in the list: opening it will report the error. */
static bool pass_over(struct listing *l)
{
	char why[1024];

	snprintf(why, sizeof(why), "%s", flame_error(l->flame));
	l->entries[l->next].is_folder = false;
	if (flame_clear(l->flame) != FLAME_OK)
		return false;
	fl_warn(l->flame, "%s", why);
	return true;
}

int flame_list(struct flame *flame, const char *url,
	       void (*found)(void *arg, const char *path, uint64_t size,
			     int64_t mtime),
	       void *arg)
{
	struct listing l = { .flame = flame };
	bool good;

	if (fl_url_kind(url) != FL_URL_HDFS)
		return fl_fail(flame, "%s: is not of webhdfs://", url);
	good = list_folder(&l, url);
	for (; good && l.next < l.count; l.next++)
		if (l.entries[l.next].is_folder &&
		    !list_folder(&l, l.entries[l.next].path))
			good = pass_over(&l);
	if (good)
		report(&l, found, arg);
	for (size_t i = 0; i < l.count; i++)
		fl_free(l.entries[i].path);
	fl_free(l.entries);
	return good ? FLAME_OK : FLAME_FAILED;
}
