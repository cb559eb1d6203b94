/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The probes of the formats svg and html: whether the first element of an input
 * is <svg>, or <html> or its document type.
 */
#include "fl.h"

#include "format/picture/picture.h"

#include <strings.h>

/* Skips text before the first element; NULL: it does not end. */
static const char *skip(const char *at, const char *end)
{
	static const struct { const char *from, *to; } asides[] = {
		{ "<?", "?>" }, { "<!--", "-->" }
	};

	for (size_t i = 0; i < FL_COUNT(asides); i++) {
		size_t n = strlen(asides[i].from), m = strlen(asides[i].to);

		if ((size_t)(end - at) < n || memcmp(at, asides[i].from, n))
			continue;
		at = memmem(at, end - at, asides[i].to, m);
		return at ? at + m : NULL;
	}
	return at;
}

/* A document type, perhaps with declarations of its own. */
static const char *skip_doctype(const char *at, const char *end)
{
	const char *stop = memchr(at, '>', end - at);
	const char *own = memchr(at, '[', end - at);

	if (own && stop && own < stop) {
		stop = memmem(own, end - own, "]>", 2);
		return stop ? stop + 2 : NULL;
	}
	return stop ? stop + 1 : NULL;
}

static bool has(const char *at, const char *end, const char *word)
{
	size_t n = strlen(word);

	return (size_t)(end - at) > n && strncasecmp(at, word, n) == 0 &&
	       (at[n] == ' ' || at[n] == '>' || at[n] == '\n' ||
		at[n] == '\t' || at[n] == '\r');
}

enum { NEITHER, SVG, HTML, MORE };

static int kind(const uint8_t *head, size_t n)
{
	const char *at = (const char *)head, *end = at + n;

	if (n >= 3 && memcmp(at, "\xef\xbb\xbf", 3) == 0)
		at += 3;
	while (at < end) {
		const char *next;

		if (*at == ' ' || *at == '\n' || *at == '\t' || *at == '\r') {
			at++;
			continue;
		}
		if (*at != '<')
			return NEITHER;
		if (has(at, end, "<svg"))
			return SVG;
		if (has(at, end, "<!doctype html") || has(at, end, "<html"))
			return HTML;
		next = skip(at, end);
		if (next == at && has(at, end, "<!doctype"))
			next = skip_doctype(at, end);
		if (!next)
			return MORE;
		if (next == at)
			return end - at < 16 ? MORE : NEITHER;
		at = next;
	}
	return MORE;
}

static int bits(int found, int wanted, size_t n, bool whole)
{
	if (found == wanted)
		return 32;
	return found == MORE && n && !whole && n < 1 << 20 ? -1 : 0;
}

int fl_svg_probe(const uint8_t *head, size_t n, bool whole)
{
	return bits(kind(head, n), SVG, n, whole);
}

int fl_html_probe(const uint8_t *head, size_t n, bool whole)
{
	return bits(kind(head, n), HTML, n, whole);
}
