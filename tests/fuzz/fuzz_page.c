/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Pages: lines "OPTION" or "OPTION VALUE" up to an empty one, then folded
 * text.  Whatever is in either, a page is UTF-8, its elements nest and its
 * scripts are ours.
 */
#include "fuzz.h"

#include <stdlib.h>

/* Of a page, in order: what XML has for text, tags and attributes. */
struct markup {
	const char *at, *end;
	struct slice open[64];	/* elements that have begun */
	unsigned depth;
};

static void text_holds(const struct fl_buf *page)
{
	size_t i = 0;
	unsigned n;

	while (i < page->size) {
		unsigned char c = (unsigned char)page->data[i];

		n = fl_utf8_length(page->data + i, page->size - i);
		FUZZ_HOLDS(n);
		FUZZ_HOLDS(c >= 0x20 || c == '\n' || c == '\t');
		i += n;
	}
}

static void close_element(struct markup *m, struct slice name)
{
	FUZZ_HOLDS(m->depth);
	m->depth--;
	FUZZ_HOLDS(m->open[m->depth].size == name.size &&
		   memcmp(m->open[m->depth].data, name.data, name.size) == 0);
}

/* At its first byte after '<'; goes past its '>'. */
static void element(struct markup *m)
{
	bool closes = *m->at == '/';
	struct slice name = { m->at + closes, 0 };

	while (name.data + name.size < m->end &&
	       !strchr(" \t\n/>", name.data[name.size]))
		name.size++;
	FUZZ_HOLDS(name.size);
	for (char quote = 0; m->at < m->end && (quote || *m->at != '>');
	     m->at++) {
		FUZZ_HOLDS(*m->at != '<');
		if (*m->at == quote)
			quote = 0;
		else if (!quote && (*m->at == '"' || *m->at == '\''))
			quote = *m->at;
	}
	FUZZ_HOLDS(m->at < m->end);
	m->at++;
	if (closes) {
		close_element(m, name);
	} else if (m->at[-2] != '/') {
		FUZZ_HOLDS(m->depth < FL_COUNT(m->open));
		m->open[m->depth++] = name;
	}
}

static void past(struct markup *m, const char *what)
{
	size_t n = strlen(what);
	const char *at = memmem(m->at, m->end - m->at, what, n);

	FUZZ_HOLDS(at);
	m->at = at + n;
}

static void reference(const struct markup *m)
{
	static const char *const known[] = {
		"&amp;", "&lt;", "&gt;", "&quot;", "&#"
	};
	struct slice rest = { m->at, m->end - m->at };

	for (size_t i = 0; i < FL_COUNT(known); i++)
		if (fl_slice_starts(rest, known[i]))
			return;
	fuzz_broken("a reference that XML knows", __FILE__, __LINE__);
}

static void svg_holds(const struct fl_buf *page)
{
	struct markup m = { page->data, page->data + page->size, { { 0 } }, 0 };

	while (m.at < m.end) {
		struct slice rest = { m.at, m.end - m.at };

		if (fl_slice_starts(rest, "<?"))
			past(&m, "?>");
		else if (fl_slice_starts(rest, "<![CDATA["))
			past(&m, "]]>");
		else if (fl_slice_starts(rest, "<!"))
			past(&m, ">");
		else if (*m.at++ == '<')
			element(&m);
		else if (m.at[-1] == '&' && m.at--)
			reference(&m), m.at++;
	}
	FUZZ_HOLDS(!m.depth);
}

static unsigned times(const struct fl_buf *page, const char *what)
{
	const char *at = page->data, *end = at + page->size;
	unsigned n = 0;

	while ((at = memmem(at, end - at, what, strlen(what)))) {
		at++;
		n++;
	}
	return n;
}

static void page_holds(const char *format, const struct fl_buf *page)
{
	if (strcmp(format, "folded") == 0)
		return;
	text_holds(page);
	if (strcmp(format, "svg") == 0) {
		svg_holds(page);
	} else if (strcmp(format, "html") == 0) {
		/* Not all pages name their inputs. */
		unsigned n = 3 + times(page, " id=\"origins\">");

		FUZZ_HOLDS(n <= 4);
		FUZZ_HOLDS(times(page, "<script") == n);
		FUZZ_HOLDS(times(page, "</script>") == n);
		FUZZ_HOLDS(times(page, "<!--") == 0);
	}
}

static void write_so(const char *format, struct slice in)
{
	struct flame *flame = fuzz_flame();
	struct fl_buf page = { 0 };
	struct flame_sink *sink = fuzz_writer(flame, format, &page);
	char *line;

	while ((line = fuzz_line(&in)) && *line) {
		char *value = strchr(line, ' ');

		if (value)
			*value++ = '\0';
		/* A palette is written to where it says. */
		if (strcmp(line, "ansi") && strcmp(line, "cp") &&
		    flame_set(sink, line, value) != FLAME_OK)
			flame_clear(flame);
		free(line);
	}
	free(line);
	if (fuzz_read(flame, in.data, in.size, "folded", sink) != FLAME_OK)
		flame_abandon(sink);
	else if (flame_finish(sink) == FLAME_OK)
		page_holds(format, &page);
	fuzz_flame_holds(flame);
	flame_free(flame);
	fl_buf_free(&page);
}

void fuzz_page(const struct fuzz_target *target, const uint8_t *data,
	       size_t size)
{
	static const char *const formats[] = { "svg", "html", "text",
					       "folded" };

	(void)target;
	for (size_t i = 0; i < FL_COUNT(formats); i++)
		write_so(formats[i],
			 (struct slice){ (const char *)data, size });
}
