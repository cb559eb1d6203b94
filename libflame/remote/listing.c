/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The files below a folder, in order.  Of WebHDFS, those of its entries that
 * are folders are listed in their turn; S3 lists all keys, a page at a time; a
 * client prints lines.
 */
#include "fl.h"

#include "io/json.h"
#include "io/xml.h"
#include "remote/client.h"
#include "remote/command.h"
#include "remote/s3.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

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
	size_t next;		/* to be listed */
	size_t nkeys;		/* of S3, dropped ones included */
	size_t path_bytes;
	bool endless;		/* which ends it */
};

/*
 * More than any file system of Hadoop or bucket has below one folder that is
 * of use; and HDFS itself allows no deeper path.
 */
enum {
	MAX_ENTRIES = 4 << 20, MAX_PATH_BYTES = 512 << 20, MAX_DEPTH = 1000,
	MAX_EMPTY_PAGES = 1000
};

static bool is_too_much(struct listing *l, const char *folder, size_t count)
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
	if (is_too_much(l, folder, l->count + 1))
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

/* Clients --------------------------------------------------------------- */

/* Whether a name that begins with . or _ is below the folder. */
static bool is_hidden(const char *path, const char *folder)
{
	size_t n = strlen(folder);

	while (n && folder[n - 1] == '/')
		n--;
	if (strncmp(path, folder, n) != 0 || (path[n] && path[n] != '/')) {
		path = strrchr(path, '/');
		n = 0;
	}
	for (const char *at = path ? path + n : NULL; at && *at;
	     at = strchr(at, '/')) {
		at += *at == '/';
		if (*at == '.' || *at == '_')
			return true;
	}
	return false;
}

static bool add_path(struct listing *l, const char *folder,
		     struct fl_buf *path, struct entry entry)
{
	if (is_too_much(l, folder, l->count + 1))
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

static bool take_line(struct listing *l, const char *folder,
		      const struct fl_client_lister *lister,
		      struct fl_client_entry *from)
{
	struct entry entry = {
		.size = from->size, .mtime = from->mtime,
		.is_folder = from->is_folder,
	};
	struct slice path;

	fl_buf_byte(&from->path, '\0');
	from->path.size -= !from->path.failed;
	path = fl_buf_slice(&from->path);
	/* Some stores mark a folder by an empty file; others list it later. */
	if (fl_slice_ends(path, "/") || from->path.failed ||
	    (entry.is_folder && !fl_client_is_flat(lister)) ||
	    is_hidden(from->path.data, folder))
		return !from->path.failed;
	if (!entry.is_folder)
		fl_client_expect(from->path.data, entry.size);
	return add_path(l, folder, &from->path, entry);
}

/* false: memory is short, or the listing does not end. */
static bool read_lines(struct listing *l, struct fl_in *in, const char *folder,
		       const struct fl_client_lister *lister,
		       struct fl_buf *other)
{
	struct fl_client_entry entry = { .size = 0 };
	const char *at, *end;
	bool good = true;
	size_t n, nread = 0;

	while (good) {
		end = fl_in_peek_line(in, &at, &n);
		n = end ? (size_t)(end - at) : n;
		if (!end && !n)
			break;
		if (fl_client_read(lister, (struct slice){ at, n }, &entry)) {
			good = take_line(l, folder, lister, &entry);
			nread++;
		} else if (n > 1 && !other->size) {
			fl_buf_put(other, at, FL_MIN(n, (size_t)100));
		}
		fl_in_consume(in, n + (end != NULL));
	}
	if (nread)
		other->size = 0;
	fl_buf_free(&entry.path);
	return good;
}

/*
 * A client that fails in the middle has listed some: the folder is an input
 * too, whose failure is counted.
 */
static bool list_by_client(struct listing *l, const char *folder)
{
	struct fl_client_lister *lister;
	struct fl_in *in = fl_in_open_command(l->flame, folder, true);
	struct fl_buf other = { NULL, 0, 0, false };
	size_t before = l->count;
	const char *damage;
	bool good;

	if (!in)
		return false;
	lister = fl_client_lister(folder);
	good = lister ? read_lines(l, in, folder, lister, &other) :
	       fl_no_memory(l->flame) == FLAME_OK;
	damage = fl_in_damage(in);
	if (good && damage && l->count > before) {
		fl_warn(l->flame, "%s: %s", folder, damage);
		fl_buf_text(&other, folder);
		good = add_path(l, folder, &other, (struct entry){ 0 });
	} else if (good && (damage || other.size)) {
		good = false;
		if (damage)
			fl_fail(l->flame, "%s: %s", folder, damage);
		else
			fl_fail(l->flame, "%s: %s sent no listing: \"%.*s\"",
				folder, fl_client_words(folder, true),
				(int)other.size, other.data);
	}
	fl_buf_free(&other);
	fl_client_lister_free(lister);
	fl_in_close(in);
	return good;
}

static bool list_folder(struct listing *l, const char *folder)
{
	struct fl_buf url = { NULL, 0, 0, false };
	struct fl_in *in = NULL;
	struct fl_json json;
	const char *damage;
	bool good;

	if (fl_url_kind(folder) == FL_URL_CLIENT)
		return list_by_client(l, folder);
	fl_buf_text(&url, folder);
	if (url.size && url.data[url.size - 1] != '/')
		fl_buf_byte(&url, '/');
	if (!url.failed)
		in = fl_in_open_url(l->flame, url.data, NULL);
	else
		fl_no_memory(l->flame);
	fl_buf_free(&url);
	if (!in && fl_url_kind(folder) == FL_URL_CLIENT)
		return list_by_client(l, folder);
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

/* Stays in the list: opening it will report the error. */
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

static bool list_tree(struct listing *l, const char *url)
{
	bool good = list_folder(l, url);

	for (; good && l->next < l->count; l->next++)
		if (l->entries[l->next].is_folder &&
		    !list_folder(l, l->entries[l->next].path))
			good = !l->endless && pass_over(l);
	return good;
}

/* S3 ------------------------------------------------------------------- */

struct page {
	struct fl_buf text, token;
	bool is_listing, encoded, truncated;
};

/* 2026-11-26T12:00:00.250Z in ms; 0 for other text. */
static int64_t parse_time(const char *text)
{
	struct tm tm = { 0 };
	int ms = 0;

	if (sscanf(text, "%4d-%2d-%2dT%2d:%2d:%2d.%3d", &tm.tm_year,
		   &tm.tm_mon, &tm.tm_mday, &tm.tm_hour, &tm.tm_min,
		   &tm.tm_sec, &ms) < 6)
		return 0;
	tm.tm_year -= 1900;
	tm.tm_mon--;
	return fl_add_clamped(fl_mul_clamped(timegm(&tm), 1000), ms);
}

static bool add_key(struct listing *l)
{
	if (!fl_grow(&l->entries, &l->capacity, l->count + 1,
		     sizeof(*l->entries)))
		return fl_no_memory(l->flame) == FLAME_OK;
	memset(&l->entries[l->count++], 0, sizeof(*l->entries));
	l->nkeys++;
	return true;
}

/* The text of an element of <ListBucketResult>, or of its <Contents>. */
static bool take_element(struct listing *l, struct page *page,
			 const struct fl_xml *xml)
{
	struct slice text = fl_buf_slice(&page->text);
	struct entry *entry = l->count ? &l->entries[l->count - 1] : NULL;
	int64_t n;

	if (xml->depth == 2 && entry) {
		if (fl_xml_is(xml, "Key") && !entry->path)
			entry->path = fl_memory_adopt(strdup(text.data));
		else if (fl_xml_is(xml, "LastModified"))
			entry->mtime = parse_time(text.data);
		else if (fl_xml_is(xml, "Size") && fl_parse_digits(text, &n))
			entry->size = (uint64_t)n;
	} else if (xml->depth == 1) {
		if (fl_xml_is(xml, "IsTruncated"))
			page->truncated = fl_slice_is(text, "true");
		else if (fl_xml_is(xml, "EncodingType"))
			page->encoded = fl_slice_is(text, "url");
		else if (fl_xml_is(xml, "NextContinuationToken")) {
			page->token.size = 0;
			fl_buf_put(&page->token, text.data, text.size);
		}
	}
	if (!page->text.failed && !page->token.failed)
		return true;
	return fl_no_memory(l->flame) == FLAME_OK;
}

static bool read_page(struct listing *l, struct page *page, struct fl_xml *xml)
{
	for (;;) {
		bool good = true;

		switch (fl_xml_next(xml)) {
		case FL_XML_END:
		case FL_XML_FAILED:
			return true;
		case FL_XML_OPEN:
			page->text.size = 0;
			if (xml->depth == 1)
				page->is_listing =
					fl_xml_is(xml, "ListBucketResult");
			else if (xml->depth == 2 && page->is_listing &&
				 fl_xml_is(xml, "Contents"))
				good = add_key(l);
			break;
		case FL_XML_TEXT:
			fl_buf_put(&page->text, xml->text.data,
				   xml->text.size);
			break;
		case FL_XML_CLOSE:
			if (page->is_listing)
				good = take_element(l, page, xml);
			page->text.size = 0;
			break;
		}
		if (!good)
			return false;
	}
}

static unsigned hex(char c)
{
	return fl_is_digit(c) ? (unsigned)(c - '0') :
				((unsigned)c | 32u) - 'a' + 10;
}

/* In place; false: there is a NUL in it. */
static bool decode(char *key)
{
	char *to = key;

	for (const char *at = key; *at; at++) {
		if (*at == '%' && fl_is_hex(at[1]) && fl_is_hex(at[2])) {
			*to = (char)(hex(at[1]) << 4 | hex(at[2]));
			if (!*to++)
				return false;
			at += 2;
		} else {
			*to++ = *at == '+' ? ' ' : *at;
		}
	}
	*to = '\0';
	return true;
}

/*
 * Whether the key is a file: not a marker of a folder, and below the prefix
 * without a name that begins with . or _.
 */
static bool is_file(const char *key, const char *prefix)
{
	static const char marker[] = "_$folder$";
	size_t n = strlen(key), skip = strlen(prefix), end = sizeof(marker) - 1;

	if (strncmp(key, prefix, skip) != 0 || n == skip)
		return false;
	if (key[n - 1] == '/' ||
	    (n >= end && strcmp(key + n - end, marker) == 0))
		return false;
	for (const char *at = key + skip; at; at = strchr(at, '/')) {
		at += *at == '/';
		if (*at == '.' || *at == '_')
			return false;
	}
	return true;
}

/* Makes paths of the keys of a page, and drops keys that are not files. */
static bool take_keys(struct listing *l, const struct page *page, size_t from,
		      const char *url, const char *prefix)
{
	size_t base = (size_t)(fl_s3_key(url) - url), n = from;
	struct entry *entries = l->entries;
	bool good = true;

	for (size_t i = from; i < l->count; i++) {
		struct fl_buf path = { NULL, 0, 0, false };
		char *key = entries[i].path;

		if (key && page->encoded && !decode(key))
			fl_warn(l->flame, "%s: a key with a NUL is left out",
				url);
		else if (key && is_file(key, prefix)) {
			fl_buf_put(&path, url, base);
			if (url[base - 1] != '/')
				fl_buf_byte(&path, '/');
			fl_buf_text(&path, key);
			good = good && !path.failed;
		}
		fl_free(key);
		entries[i].path = path.data;
		l->path_bytes += path.size;
		if (path.data)
			entries[n++] = entries[i];
	}
	l->count = n;
	return good || fl_no_memory(l->flame) == FLAME_OK;
}

/* Reads one page of the listing; false: see flame_error. */
static bool fetch_page(struct listing *l, struct page *page, const char *url,
		       const char *query)
{
	struct fl_in *in = fl_in_open_url(l->flame, url, query);
	struct fl_xml xml;
	const char *damage, *why = NULL;
	bool good;

	if (!in)
		return false;
	page->is_listing = page->encoded = page->truncated = false;
	fl_xml_init(&xml, in);
	good = read_page(l, page, &xml);
	damage = fl_in_damage(in);
	if (damage)
		fl_fail(l->flame, "%s: %s", fl_in_name(in), damage);
	else if (good && (xml.error || !page->is_listing))
		why = xml.error ? xml.error : "other text";
	if (why)
		fl_fail(l->flame, "%s: no listing of S3: %s: see "
			"AWS_ENDPOINT_URL", fl_in_name(in), why);
	fl_xml_free(&xml);
	fl_in_close(in);
	return good && !damage && !why;
}

/* Lists the keys that begin with a prefix; max not 0: only the first page. */
static bool list_prefix(struct listing *l, const char *url, const char *prefix,
			unsigned max)
{
	struct page page = { .is_listing = false };
	struct fl_buf query = { NULL, 0, 0, false }, last = query;
	unsigned nempty = 0;
	bool good, more;

	do {
		size_t from = l->count, nkeys = l->nkeys;

		query.size = last.size = 0;
		fl_s3_query(&query, prefix,
			    page.token.size ? page.token.data : NULL, max);
		fl_buf_put(&last, page.token.data, page.token.size);
		page.token.size = 0;
		good = !query.failed && !last.failed ?
		       fetch_page(l, &page, url, query.data) :
		       fl_no_memory(l->flame) == FLAME_OK;
		good = take_keys(l, &page, from, url, max ? "" : prefix) &&
		       good;
		more = good && page.truncated && !max;
		nempty = l->nkeys == nkeys ? nempty + 1 : 0;
		if (more && is_too_much(l, url, l->nkeys + 1))
			good = false;
		else if (more && (nempty > MAX_EMPTY_PAGES ||
			     !page.token.size ||
			     (page.token.size == last.size &&
			      memcmp(page.token.data, last.data,
				     last.size) == 0)))
			good = fl_fail(l->flame, "%s: the server sends the "
				       "same page of its listing again: list "
				       "it with aws s3 ls, and use "
				       "--paths-from", url) == FLAME_OK;
	} while (good && more);
	fl_buf_free(&page.text);
	fl_buf_free(&page.token);
	fl_buf_free(&query);
	fl_buf_free(&last);
	return good;
}

/*
 * Lists the files below a prefix.  If there are none, the URL may be that of a
 * key, which then is the first in order that begins so.
 */
static bool list_bucket(struct listing *l, const char *url)
{
	const char *key = fl_s3_key(url);
	struct fl_buf prefix = { NULL, 0, 0, false };
	bool good;

	fl_buf_text(&prefix, key);
	if (!fl_s3_is_folder(url))
		fl_buf_byte(&prefix, '/');
	good = prefix.failed ? fl_no_memory(l->flame) == FLAME_OK :
	       list_prefix(l, url, prefix.data ? prefix.data : "", 0);
	fl_buf_free(&prefix);
	if (!good || l->nkeys)
		return good;
	if (!fl_s3_is_folder(url)) {
		if (!list_prefix(l, url, key, 1))
			return false;
		if (l->count && strcmp(fl_s3_key(l->entries[0].path), key) == 0)
			return true;
	}
	fl_fail(l->flame, "%s: %s: no key has this name or is below it", url,
		strerror(ENOENT));
	return false;
}

/* --------------------------------------------------------------------- */

int flame_list(struct flame *flame, const char *url,
	       void (*found)(void *arg, const char *path, uint64_t size,
			     int64_t mtime),
	       void *arg)
{
	enum fl_url_kind kind = fl_url_kind(url);
	struct listing l = { .flame = flame };
	bool good;

	if (kind == FL_NO_URL || kind == FL_URL_HTTP)
		return fl_fail(flame, "%s: no URL whose folders are listed",
			       url);
	good = kind == FL_URL_S3 ? list_bucket(&l, url) : list_tree(&l, url);
	if (good)
		report(&l, found, arg);
	for (size_t i = 0; i < l.count; i++)
		fl_free(l.entries[i].path);
	fl_free(l.entries);
	return good ? FLAME_OK : l.endless ? FLAME_END : FLAME_FAILED;
}
