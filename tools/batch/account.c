/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reports what became of the inputs of flame-batch, from their entries in
 * records: why the first few are not on its pages and how many more there are,
 * how many files were damaged, unreadable or empty, and how many pages there
 * are.  Also recognizes files that are not profiles, such as a README.  Called
 * by site.c and read.c.
 */
#include "batch/batch.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { MAX_REASONS = 5 };

/* Files that are not profiles ------------------------------------------ */

/* The text after "PATH: not a profile of a known format", or NULL. */
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

const char *const batch_states[BATCH_STATES] = {
	"ok", "empty", "damaged", "lost", "failed", "pending", "other",
};

static enum batch_state state_of(const cJSON *entry)
{
	const char *status = batch_text(entry, "status");
	unsigned i = 0;

	while (i < BATCH_STATES && strcmp(status, batch_states[i]) != 0)
		i++;
	return (enum batch_state)i;
}

void batch_count(struct batch_account *account, const cJSON *inputs)
{
	const cJSON *entry;

	cJSON_ArrayForEach(entry, inputs) {
		enum batch_state state = state_of(entry);

		if (state < BATCH_STATES && !account->n[state]++)
			account->first[state] = batch_text(entry, "path");
		account->files++;
		account->bytes += (int64_t)batch_number(entry, "size");
		account->samples += (int64_t)batch_number(entry, "samples");
	}
}

void batch_say_reasons(const struct batch *batch, const cJSON *inputs,
		       bool site)
{
	const cJSON *entry;
	size_t n = 0;

	cJSON_ArrayForEach(entry, inputs) {
		enum batch_state state = state_of(entry);
		const char *path = batch_text(entry, "path");
		const char *message = batch_text(entry, "message");
		bool named = strncmp(message, path, strlen(path)) == 0;

		if ((state != BATCH_DAMAGED && state != BATCH_LOST &&
		     state != BATCH_FAILED &&
		     (site || state != BATCH_OTHER)) || n++ >= MAX_REASONS)
			continue;
		cli_say(batch->cli, "%s%s%s", named ? "" : path,
			named ? "" : ": ",
			*message ? message : batch_states[state]);
	}
	if (n > MAX_REASONS)
		cli_say(batch->cli, "and %zu more%s%s%s", n - MAX_REASONS,
			site ? ": see " : "", site ? batch->site : "",
			site ? "/data/manifest.json" : "");
}

/* "13 files read: 1 damaged (read in part), 1 unreadable; ..." */
void batch_say_account(const struct batch *batch,
		       const struct batch_account *account)
{
	const int64_t *of = account->n;
	int64_t bad = of[BATCH_LOST] + of[BATCH_FAILED];
	char *text = NULL;
	size_t size;
	FILE *out;

	if (!(bad + of[BATCH_DAMAGED] + of[BATCH_EMPTY] + of[BATCH_PENDING]))
		return;
	out = open_memstream(&text, &size);
	if (!out)
		return;
	fprintf(out, "%lld file%s%s", (long long)account->files,
		account->files == 1 ? "" : "s",
		of[BATCH_PENDING] ? ":" : " read:");
	if (of[BATCH_DAMAGED])
		fprintf(out, " %lld damaged (read in part),",
			(long long)of[BATCH_DAMAGED]);
	if (bad)
		fprintf(out, " %lld unreadable,", (long long)bad);
	if (of[BATCH_EMPTY])
		fprintf(out, " %lld empty (%s%s),", (long long)of[BATCH_EMPTY],
			account->first[BATCH_EMPTY],
			of[BATCH_EMPTY] > 1 ? ", ..." : "");
	if (of[BATCH_OTHER])
		fprintf(out, " %lld %s (%s: plain text%s),",
			(long long)of[BATCH_OTHER], of[BATCH_OTHER] > 1 ?
			"are not profiles" : "is not a profile",
			account->first[BATCH_OTHER],
			of[BATCH_OTHER] > 1 ? ", ..." : "");
	if (of[BATCH_PENDING])
		fprintf(out, " %lld not drawn,", (long long)of[BATCH_PENDING]);
	if (fclose(out) == 0)
		cli_say(batch->cli, "%.*s; all in %s/data/manifest.json",
			(int)size - 1, text, batch->site);
	free(text);
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
	if (!batch->ninputs)
		cli_say(batch->cli, "%s/index.html: %d application%s, by the "
			"event log alone", batch->site,
			cJSON_GetArraySize(batch->apps),
			cJSON_GetArraySize(batch->apps) == 1 ? "" : "s");
	else
		cli_say(batch->cli, "%s/index.html: %zu page%s%s", batch->site,
			pages, pages == 1 ? "" : "s", of);
	if (batch->split)
		cli_say(batch->cli, "pages need %s.js and .css beside them: "
			"to mail one, use --standalone", BATCH_VIEWER);
	free(names);
}
