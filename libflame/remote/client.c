/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Clients of stores, such as gcloud: finds the first client of a URL's scheme
 * that is on PATH and its command (fl_client_words), puts parts of the path
 * into that command (fl_client_put), and reads a line of a folder's listing
 * (fl_client_read).  For command.c and client_listing.c.
 */
#include "fl.h"

#include "remote/client.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>	/* getenv */
#include <strings.h>
#include <time.h>
#include <unistd.h>

static bool is_on_path(const char *words)
{
	const char *at = getenv("PATH");
	char file[4096];

	while (at && *at) {
		size_t n = strcspn(at, ":");

		snprintf(file, sizeof(file), "%.*s/%.*s", (int)n, at,
			 (int)strcspn(words, " "), words);
		if (access(file, X_OK) == 0)
			return true;
		at += n + (at[n] == ':');
	}
	return false;
}

static const struct fl_client *find(const char *path, bool lists)
{
	const struct fl_url_scheme *scheme = fl_url_scheme_named(path);
	const struct fl_client *client = scheme ? scheme->clients : NULL;

	for (; client && client->read; client++)
		if ((!lists || client->list) && is_on_path(client->read))
			return client;
	return NULL;
}

const char *fl_client_words(const char *path, bool lists)
{
	const struct fl_client *client = find(path, lists);

	return !client ? NULL : lists ? client->list : client->read;
}

/* Parts of a path ------------------------------------------------------- */

static struct slice authority_of(const char *path)
{
	const char *at = strstr(path, "://");

	at = at ? at + 3 : path + strcspn(path, "/");
	return (struct slice){ at, strcspn(at, "/") };
}

/* Without slashes at its ends. */
static struct slice key_of(const char *path)
{
	struct slice authority = authority_of(path), key;

	key.data = authority.data + authority.size;
	while (*key.data == '/')
		key.data++;
	key.size = strlen(key.data);
	while (key.size && key.data[key.size - 1] == '/')
		key.size--;
	return key;
}

/* "CONTAINER@ACCOUNT.dfs.DOMAIN" of Azure, cut at these. */
static struct slice part_of_azure(struct slice authority, char part)
{
	const char *end = authority.data + authority.size;
	const char *at = memchr(authority.data, '@', authority.size), *dot;

	if (part == 'c')
		return (struct slice){ authority.data, at ?
				       (size_t)(at - authority.data) : 0 };
	at = at ? at + 1 : authority.data;
	dot = memchr(at, '.', (size_t)(end - at));
	if (part == 'a')
		return (struct slice){ at, (size_t)((dot ? dot : end) - at) };
	dot = dot ? memchr(dot + 1, '.', (size_t)(end - dot - 1)) : NULL;
	return dot ? (struct slice){ dot + 1, (size_t)(end - dot - 1) } :
		     FL_SLICE("core.windows.net");
}

/* Without a slash at its end, which a listing's words add where they need. */
static void put_path(struct fl_buf *out, const char *path)
{
	const struct fl_client *client = find(path, false);
	struct slice key = key_of(path);
	size_t n = (size_t)(key.data - path) + key.size;

	while (n && !key.size && path[n - 1] == '/' && n > 1 &&
	       client && client->list && strstr(client->list, "{}/"))
		n--;
	for (size_t i = 0; i < n; i++) {
		if (client && path + i >= key.data &&
		    strchr(client->glob, path[i]))
			fl_buf_byte(out, '\\');
		fl_buf_byte(out, path[i]);
	}
}

bool fl_client_put(struct fl_buf *out, const char *path, struct slice part)
{
	struct slice text;

	if (!part.size) {
		put_path(out, path);
		return true;
	}
	if (fl_slice_is(part, "scheme"))
		text = fl_url_scheme_name(path);
	else if (fl_slice_is(part, "authority"))
		text = authority_of(path);
	else if (fl_slice_is(part, "key") || fl_slice_is(part, "prefix"))
		text = key_of(path);
	else if (fl_slice_is(part, "container") ||
		 fl_slice_is(part, "account") || fl_slice_is(part, "domain"))
		text = part_of_azure(authority_of(path), *part.data);
	else
		return false;
	fl_buf_put(out, text.data, text.size);
	if (text.size && fl_slice_is(part, "prefix"))
		fl_buf_byte(out, '/');
	return true;
}

/* Listings -------------------------------------------------------------- */

struct fl_client_lister {
	const struct fl_client *client;
	struct fl_regex *line;
	struct fl_buf root;	/* before names without a scheme */
};

struct fl_client_lister *fl_client_lister(const char *folder)
{
	struct fl_client_lister *lister = fl_zeroed(1, sizeof(*lister));
	struct slice authority = authority_of(folder);
	char error[160];

	if (!lister)
		return NULL;
	lister->client = find(folder, true);
	if (lister->client)
		lister->line = fl_regex_new(lister->client->line, true, error,
					    sizeof(error));
	fl_buf_put(&lister->root, folder,
		   (size_t)(authority.data - folder) + authority.size);
	if (lister->line && !lister->root.failed)
		return lister;
	fl_client_lister_free(lister);
	return NULL;
}

void fl_client_lister_free(struct fl_client_lister *lister)
{
	if (!lister)
		return;
	fl_regex_free(lister->line);
	fl_buf_free(&lister->root);
	fl_free(lister);
}

bool fl_client_is_flat(const struct fl_client_lister *lister)
{
	return !lister->client->deep;
}

/* "2026-11-26T12:00:00Z", "2026-11-26 12:00", as of UTC; 0: neither. */
static int64_t parse_time(struct slice text)
{
	struct tm tm = { 0 };
	char copy[32];

	snprintf(copy, sizeof(copy), "%.*s", (int)text.size, text.data);
	if (sscanf(copy, "%4d-%2d-%2d%*c%2d:%2d:%2d", &tm.tm_year, &tm.tm_mon,
		   &tm.tm_mday, &tm.tm_hour, &tm.tm_min, &tm.tm_sec) < 5)
		return 0;
	tm.tm_year -= 1900;
	tm.tm_mon--;
	return fl_mul_clamped(timegm(&tm), 1000);
}

static void put_name(const struct fl_client_lister *lister, struct slice name,
		     struct fl_buf *path)
{
	path->size = 0;
	if (!fl_slice_has(name, ":/")) {
		fl_buf_put(path, lister->root.data, lister->root.size);
		if (*name.data != '/')
			fl_buf_byte(path, '/');
	}
	fl_buf_put(path, name.data, name.size);
}

bool fl_client_read(const struct fl_client_lister *lister, struct slice line,
		    struct fl_client_entry *entry)
{
	const char *groups = lister->client->groups;
	struct slice text;
	int64_t size = 0;

	entry->mtime = 0;
	entry->is_folder = false;
	while (line.size && line.data[line.size - 1] == '\r')
		line.size--;
	for (unsigned i = 0; groups[i]; i++) {
		if (!fl_regex_group(lister->line, line, i + 1, &text))
			return false;
		if (groups[i] == 't')
			entry->is_folder = (*text.data | 32) == 'd';
		else if (groups[i] == 's' && !fl_parse_digits(text, &size))
			return false;
		else if (groups[i] == 'm')
			entry->mtime = parse_time(text);
		else if (groups[i] == 'n')
			put_name(lister, text, &entry->path);
	}
	entry->size = (uint64_t)size;
	return true;
}

/* Sizes ----------------------------------------------------------------- */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct fl_map sizes;	/* hash of the path -> size; under the lock */

void fl_client_expect(const char *path, uint64_t size)
{
	uint64_t *value;

	pthread_mutex_lock(&lock);
	value = fl_map_put(&sizes, fl_hash(path, strlen(path)), 0);
	if (value)
		*value = size;
	pthread_mutex_unlock(&lock);
}

bool fl_client_is_short(const char *path, uint64_t size, char *why,
			size_t capacity)
{
	const uint64_t *value;
	uint64_t wanted = 0;

	pthread_mutex_lock(&lock);
	value = fl_map_get(&sizes, fl_hash(path, strlen(path)));
	if (value)
		wanted = *value;
	pthread_mutex_unlock(&lock);
	if (size >= wanted)
		return false;
	snprintf(why, capacity, "%llu bytes came, and its listing says %llu",
		 (unsigned long long)size, (unsigned long long)wanted);
	return true;
}
