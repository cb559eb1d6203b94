/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fl_s3_list() adds the keys below a prefix of a bucket of S3 to a listing, a
 * page of ListObjectsV2 at a time.  It is the function list of s3_protocol.c.
 */
#include "fl.h"

#include "io/xml.h"
#include "remote/listing.h"
#include "remote/s3.h"

#include <errno.h>
#include <stdio.h>
#include <time.h>

enum { MAX_EMPTY_PAGES = 1000 };

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

/* The text of an element of <ListBucketResult>, or of its <Contents>. */
static bool take_element(struct fl_listing *l, struct page *page,
			 const struct fl_xml *xml)
{
	struct slice text = fl_buf_slice(&page->text);
	struct fl_listed *entry = l->count ? &l->entries[l->count - 1] : NULL;
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

static bool read_page(struct fl_listing *l, struct page *page,
		      struct fl_xml *xml)
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
				good = fl_listing_add_empty(l);
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
static bool take_keys(struct fl_listing *l, const struct page *page,
		      size_t from, const char *url, const char *prefix)
{
	size_t base = (size_t)(fl_s3_key(url) - url), n = from;
	struct fl_listed *entries = l->entries;
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
static bool fetch_page(struct fl_listing *l, struct page *page, const char *url,
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
static bool list_prefix(struct fl_listing *l, const char *url,
			const char *prefix, unsigned max)
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
		if (more && fl_listing_is_too_long(l, url, l->nkeys + 1))
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
bool fl_s3_list(struct fl_listing *l, const char *url)
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

