/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What flame-batch says of inputs that are not on its pages: one line each of
 * the first, and how many there are; and of files that are not profiles.
 */
#include "batch.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { MAX_REASONS = 5 };

/* Files that are not profiles ------------------------------------------ */

/* Behind "PATH: not a profile of a known format", or NULL. */
static char *find_quote(char *text, const char *path)
{
	size_t n = strlen(path);

	return strstr(strncmp(text, path, n) == 0 ? text + n : text,
		      ": it begins with \"");
}

/* Binary files have bytes such as \x00 soon. */
static bool is_text(const char *quote)
{
	static const char *const blanks[] = { "09", "0a", "0d" };

	while ((quote = strstr(quote, "\\x"))) {
		bool blank = quote[2] > '1';

		quote += 2;
		for (size_t i = 0; i < 3; i++)
			blank = blank || strncmp(quote, blanks[i], 2) == 0;
		if (!blank)
			return false;
	}
	return true;
}

/* Named as what lies beside profiles: README, notes.txt, stderr. */
static bool has_plain_name(const char *path)
{
	static const char *const endings[] = {
		".txt", ".md", ".rst", ".log", ".csv", ".out", ".err", ".sh",
		".conf", ".xml", ".yaml", ".yml", ".properties",
	};
	const char *slash = strrchr(path, '/');
	const char *dot = strrchr(slash ? slash : path, '.');

	for (size_t i = 0; i < sizeof(endings) / sizeof(*endings); i++)
		if (dot && strcasecmp(dot, endings[i]) == 0)
			return true;
	return !dot;
}

bool batch_is_other(char *text, const char *path)
{
	const char *quote = find_quote(text, path);

	return quote && has_plain_name(path) && is_text(quote);
}

void batch_hide_quote(char *text, const char *path)
{
	char *quote = find_quote(text, path);

	if (quote)
		*quote = '\0';
}

/* The account --------------------------------------------------------- */

static bool is_bad(const char *status)
{
	return strcmp(status, "damaged") == 0 || strcmp(status, "lost") == 0 ||
	       strcmp(status, "failed") == 0;
}

void batch_say_reasons(const struct batch *batch, const cJSON *inputs,
		       bool site)
{
	const cJSON *entry;
	size_t n = 0;

	cJSON_ArrayForEach(entry, inputs) {
		const char *path = batch_text(entry, "path");
		const char *status = batch_text(entry, "status");
		const char *message = batch_text(entry, "message");
		bool named = strncmp(message, path, strlen(path)) == 0;

		if (!(is_bad(status) ||
		      (!site && strcmp(status, "other") == 0)) ||
		    n++ >= MAX_REASONS)
			continue;
		cli_say(batch->cli, "%s%s%s", named ? "" : path,
			named ? "" : ": ",
			*message ? message : status);
	}
	if (n > MAX_REASONS)
		cli_say(batch->cli, "and %zu more%s%s%s", n - MAX_REASONS,
			site ? ": see " : "", site ? batch->site : "",
			site ? "/data/manifest.json" : "");
}

static const char *first_of(const cJSON *inputs, const char *status)
{
	const cJSON *entry;

	cJSON_ArrayForEach(entry, inputs)
		if (strcmp(batch_text(entry, "status"), status) == 0)
			return batch_text(entry, "path");
	return "";
}

static int64_t count_of(const cJSON *inputs, const char *status)
{
	const cJSON *entry;
	int64_t n = 0;

	cJSON_ArrayForEach(entry, inputs)
		n += strcmp(batch_text(entry, "status"), status) == 0;
	return n;
}

/* "13 files read: 1 damaged (kept in part), 1 unreadable; ..." */
static void say_counts(const struct batch *batch, const cJSON *inputs)
{
	int64_t damaged = count_of(inputs, "damaged");
	int64_t bad = count_of(inputs, "lost") + count_of(inputs, "failed");
	int64_t empty = count_of(inputs, "empty");
	int64_t other = count_of(inputs, "other");
	int64_t pending = count_of(inputs, "pending");
	int n = cJSON_GetArraySize(inputs);
	char *text = NULL;
	size_t size;
	FILE *out;

	if (!(damaged + bad + empty + pending))
		return;
	out = open_memstream(&text, &size);
	if (!out)
		return;
	fprintf(out, "%d file%s%s", n, n == 1 ? "" : "s",
		pending ? ":" : " read:");
	if (damaged)
		fprintf(out, " %lld damaged (kept in part),",
			(long long)damaged);
	if (bad)
		fprintf(out, " %lld unreadable,", (long long)bad);
	if (empty)
		fprintf(out, " %lld empty (%s%s),", (long long)empty,
			first_of(inputs, "empty"), empty > 1 ? ", ..." : "");
	if (other)
		fprintf(out, " %lld %s (%s: plain text%s),", (long long)other,
			other > 1 ? "are not profiles" : "is not a profile",
			first_of(inputs, "other"), other > 1 ? ", ..." : "");
	if (pending)
		fprintf(out, " %lld not drawn,", (long long)pending);
	if (fclose(out) == 0)
		cli_say(batch->cli, "%.*s; all in %s/data/manifest.json",
			(int)size - 1, text, batch->site);
	free(text);
}

void batch_say_account(const struct batch *batch, const cJSON *inputs)
{
	batch_say_reasons(batch, inputs, true);
	say_counts(batch, inputs);
}

/* The end ------------------------------------------------------------- */

static int by_text(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static size_t count_distinct(const char **texts, size_t n)
{
	size_t distinct = 0;

	if (n)
		qsort(texts, n, sizeof(*texts), by_text);
	for (size_t i = 0; i < n; i++)
		distinct += !i || strcmp(texts[i - 1], texts[i]) != 0;
	return distinct;
}

void batch_say_pages(const struct batch *batch)
{
	const char **names = calloc(batch->npages + 1, sizeof(*names));
	size_t pages = 0, n = 0, apps;
	char of[64] = "";

	for (size_t i = 0; names && i < batch->npages; i++) {
		const struct batch_group *page = &batch->pages[i];

		if (!*batch_text(page->record, "page"))
			continue;
		pages++;
		if (*batch_key(page, "app"))
			names[n++] = batch_key(page, "app");
	}
	apps = names ? count_distinct(names, n) : 0;
	if (apps)
		snprintf(of, sizeof(of), " of %zu application%s", apps,
			 apps == 1 ? "" : "s");
	cli_say(batch->cli, "%s/index.html: %zu page%s%s", batch->site, pages,
		pages == 1 ? "" : "s", of);
	if (batch->split)
		cli_say(batch->cli, "pages need %s.js and .css beside them: "
			"to mail one, use --standalone", BATCH_VIEWER);
	free(names);
}
