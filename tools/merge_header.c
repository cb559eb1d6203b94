/* SPDX-License-Identifier: Apache-2.0 */
/*
 * flame-merge: parses, compares and writes the header of folded text, as
 * flame-fold --header and --key write it: "# libflame folded 1; metric=cpu;
 * unit=samples; key=app,stage".  All inputs must have the same; that of a text
 * without stacks has no metric and no unit, and fits any.  merge_lines.c calls
 * header_take() with each, and merge_output.c header_write().
 */
#include "merge.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BEGINNING "# libflame folded "

bool header_is(const char *line, size_t n)
{
	return n >= strlen(BEGINNING) &&
	       memcmp(line, BEGINNING, strlen(BEGINNING)) == 0;
}

/* A copy of "; NAME=..." without what it begins with; NULL: out of memory. */
static char *fact(const char *line, size_t n, const char *name)
{
	const char *end = line + n, *at = line;
	size_t size = strlen(name);

	while ((at = memchr(at, ';', (size_t)(end - at)))) {
		const char *stop;

		at++;
		if ((size_t)(end - at) < size || memcmp(at, name, size) != 0)
			continue;
		at += size;
		stop = memchr(at, ';', (size_t)(end - at));
		return strndup(at, (size_t)((stop ? stop : end) - at));
	}
	return strdup("");
}

void header_free(struct header *h)
{
	free(h->metric);
	free(h->unit);
	free(h->key);
	*h = (struct header){ .metric = NULL };
}

static bool split_facts(struct header *h, const char *line, size_t n)
{
	while (n && (line[n - 1] == ' ' || line[n - 1] == '\t'))
		n--;
	h->metric = fact(line, n, " metric=");
	h->unit = fact(line, n, " unit=");
	h->key = fact(line, n, " key=");
	return h->metric && h->unit && h->key;
}

static const char *metric_of(const struct header *h)
{
	return *h->metric ? h->metric : "several metrics";
}

/* false: they differ, which was said. */
static bool agree(const struct cli *cli, const struct header *a,
		  const struct header *b)
{
	if (strcmp(a->key, b->key) != 0)
		cli_say(cli, "%s has the columns %s, and %s %s: they are not "
			"added", b->input, *b->key ? b->key : "(none)",
			a->input, *a->key ? a->key : "(none)");
	else if (*a->unit && *b->unit &&
		 (strcmp(a->metric, b->metric) != 0 ||
		  strcmp(a->unit, b->unit) != 0))
		cli_say(cli, "%s counts %s in %s, and %s %s in %s: they are "
			"not added", b->input, metric_of(b), b->unit,
			a->input, metric_of(a), a->unit);
	else
		return true;
	return false;
}

bool header_take(const struct cli *cli, struct header *h, const char *input,
		 const char *line, size_t n)
{
	struct header new = { .input = input };
	char version = n > strlen(BEGINNING) ? line[strlen(BEGINNING)] : 0;
	bool good;

	if (version != '1' || (n > strlen(BEGINNING) + 1 &&
			       !strchr("; \t", line[strlen(BEGINNING) + 1]))) {
		cli_say(cli, "%s: folded text of a later version: %.*s", input,
			n > 100 ? 100 : (int)n, line);
		return false;
	}
	good = split_facts(&new, line, n) || cli_no_memory(cli);
	if (good && !h->input) {
		*h = new;
		return true;
	}
	good = good && agree(cli, h, &new);
	if (good && !*h->unit) {
		struct header before = *h;

		*h = new;
		new = before;
	}
	header_free(&new);
	return good;
}

unsigned header_columns(const struct header *h)
{
	unsigned n = h->input && *h->key;

	for (const char *at = n ? h->key : ""; *at; at++)
		n += *at == ',';
	return n;
}

static void put_fact(struct flame_text *out, const char *name, const char *value)
{
	flame_text_put(out, name, strlen(name));
	flame_text_put(out, value, strlen(value));
}

bool header_write(const struct header *h, struct flame_text *out)
{
	if (!h->input)
		return true;
	put_fact(out, BEGINNING, "1");
	if (*h->metric)
		put_fact(out, "; metric=", h->metric);
	if (*h->unit)
		put_fact(out, "; unit=", h->unit);
	if (*h->key)
		put_fact(out, "; key=", h->key);
	return flame_text_put(out, "\n", 1) == FLAME_OK;
}
