/* SPDX-License-Identifier: Apache-2.0 */
/*
 * flame_list(), for tools and spark/files.c: the files below a folder of a URL,
 * sorted by path.  The folder's protocol lists it, and adds its entries by
 * fl_listing_add(); entries that are folders are listed in their turn.
 */
#include "fl.h"

#include "remote/listing.h"
#include "remote/protocol.h"

#include <stdio.h>
#include <stdlib.h>

/*
 * More than any file system of Hadoop or bucket has below one folder that is
 * of use; and HDFS itself allows no deeper path.
 */
enum {
	MAX_ENTRIES = 4 << 20, MAX_PATH_BYTES = 512 << 20, MAX_DEPTH = 1000
};

bool fl_listing_is_too_long(struct fl_listing *l, const char *folder,
			    size_t count)
{
	if (count <= MAX_ENTRIES && l->path_bytes <= MAX_PATH_BYTES)
		return false;
	l->endless = true;
	fl_fail(l->flame, "%.100s: the listing does not end after %zu files "
		"and folders: name a folder further below, or give a list by "
		"--paths-from", folder, count - 1);
	return true;
}

static bool is_too_deep(const char *path)
{
	size_t depth = 0;

	for (; *path; path++)
		depth += *path == '/';
	return depth > MAX_DEPTH;
}

bool fl_listing_add(struct fl_listing *l, const char *folder,
		    struct slice suffix, struct fl_listed entry)
{
	size_t n = strlen(folder);
	struct fl_buf path = { NULL, 0, 0, false };
	bool hidden = suffix.size &&
		      (suffix.data[0] == '.' || suffix.data[0] == '_');

	/* Checksums (.x.crc), _SUCCESS, _temporary. */
	if (hidden)
		return true;
	/* The name of a file that was listed itself is empty. */
	if ((!suffix.size && entry.is_folder) ||
	    (suffix.size && memchr(suffix.data, '/', suffix.size))) {
		fl_warn(l->flame, "%s: the listing has an entry called "
			"\"%.*s\", which is left out", folder,
			(int)FL_MIN(suffix.size, (size_t)80), suffix.data);
		return true;
	}
	if (is_too_deep(folder)) {
		l->endless = true;
		return fl_fail(l->flame, "%.100s...: the listing goes deeper "
			       "than %d folders, which HDFS does not allow",
			       folder, MAX_DEPTH) == FLAME_OK;
	}
	if (fl_listing_is_too_long(l, folder, l->count + 1))
		return false;
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
	l->path_bytes += path.size;
	if (!fl_grow(&l->entries, &l->capacity, l->count + 1,
		     sizeof(*l->entries))) {
		fl_free(entry.path);
		return fl_no_memory(l->flame) == FLAME_OK;
	}
	l->entries[l->count++] = entry;
	return true;
}

bool fl_listing_add_path(struct fl_listing *l, const char *folder,
			 const struct fl_buf *path, struct fl_listed entry)
{
	if (fl_listing_is_too_long(l, folder, l->count + 1))
		return false;
	entry.path = path->failed ? NULL :
		     fl_memory_adopt(strdup(path->data));
	if (!entry.path || !fl_grow(&l->entries, &l->capacity, l->count + 1,
				    sizeof(*l->entries))) {
		fl_free(entry.path);
		return fl_no_memory(l->flame) == FLAME_OK;
	}
	l->path_bytes += path->size;
	l->entries[l->count++] = entry;
	return true;
}

bool fl_listing_add_empty(struct fl_listing *l)
{
	if (!fl_grow(&l->entries, &l->capacity, l->count + 1,
		     sizeof(*l->entries)))
		return fl_no_memory(l->flame) == FLAME_OK;
	memset(&l->entries[l->count++], 0, sizeof(*l->entries));
	l->nkeys++;
	return true;
}

static bool list_folder(struct fl_listing *l, const char *folder)
{
	const struct fl_protocol *protocol = fl_url_protocol(folder);

	return protocol && protocol->list && protocol->list(l, folder);
}

static int by_path(const void *a, const void *b)
{
	const struct fl_listed *x = a, *y = b;

	return strcmp(x->path, y->path);
}

static void report(struct fl_listing *l,
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

/* Stays in the list: opening it will report the error. */
static bool pass_over(struct fl_listing *l)
{
	char why[1024];

	snprintf(why, sizeof(why), "%s", flame_error(l->flame));
	l->entries[l->next].is_folder = false;
	if (flame_clear(l->flame) != FLAME_OK)
		return false;
	fl_warn(l->flame, "%s", why);
	return true;
}

static bool list_tree(struct fl_listing *l, const char *url)
{
	bool good = list_folder(l, url);

	for (; good && l->next < l->count; l->next++)
		if (l->entries[l->next].is_folder &&
		    !list_folder(l, l->entries[l->next].path))
			good = !l->endless && pass_over(l);
	return good;
}

int flame_list(struct flame *flame, const char *url,
	       void (*found)(void *arg, const char *path, uint64_t size,
			     int64_t mtime),
	       void *arg)
{
	const struct fl_protocol *protocol = fl_url_protocol(url);
	struct fl_listing l = { .flame = flame };
	bool good;

	if (!protocol || !protocol->list)
		return fl_fail(flame, "%s: no URL whose folders are listed",
			       url);
	good = list_tree(&l, url);
	if (good)
		report(&l, found, arg);
	for (size_t i = 0; i < l.count; i++)
		fl_free(l.entries[i].path);
	fl_free(l.entries);
	return good ? FLAME_OK : l.endless ? FLAME_END : FLAME_FAILED;
}
