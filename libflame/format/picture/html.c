/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Format html: reads flame graphs that are HTML pages into samples.  It finds
 * out which tool wrote the page and calls the reader of that kind: own.c (data
 * in a script of type text), asprof.c (calls of f()), asprof_tree.c, or
 * json_page.c.
 */
#include "fl.h"

#include "format/picture/picture.h"

#include <stdlib.h>

struct page {
	struct fl_lines lines;
	struct fl_counts counts;
	bool read;
	bool own;
	struct flame_source *inner;	/* of its JSON; NULL: none */
};

static bool skip(struct fl_in *in, const char *mark)
{
	size_t size = strlen(mark), n;
	const uint8_t *head = fl_in_peek(in, size, &n);

	if (n < size || memcmp(head, mark, size) != 0)
		return false;
	fl_in_consume(in, size);
	return true;
}

/* To the end of a tag of our own: no attribute holds a bracket. */
static bool skip_tag(struct fl_in *in)
{
	const uint8_t *at, *end;
	size_t n;

	while ((at = fl_in_peek(in, 1, &n)) && n) {
		end = memchr(at, '>', n);
		fl_in_consume(in, end ? (size_t)(end - at) + 1 : n);
		if (end)
			return true;
	}
	return false;
}

/*
 * Whether the next line is the data of ours, those of the first metric or of
 * a further one; then the data come next.
 */
static bool is_own(struct fl_lines *lines)
{
	fl_in_consume(lines->in, lines->used);
	lines->used = 0;
	return skip(lines->in, "<script type=\"text/plain\" id=\"data\">") ||
	       (skip(lines->in, "<script type=\"text/plain\" class=\"data\" ") &&
		skip_tag(lines->in));
}

static int read_page(struct flame_source *source, struct fl_asprof *a)
{
	struct page *page = source->state;
	bool heat_map = false;
	const char *format;
	struct slice line;
	size_t size;

	for (;;) {
		bool cpool;

		if (is_own(&page->lines)) {
			page->own = true;
			return fl_own_read(source, &page->counts);
		}
		format = fl_json_page_begins(page->lines.in, &size);
		if (format) {
			page->inner = fl_json_page_open(source, format, size);
			return page->inner ? FLAME_OK : FLAME_FAILED;
		}
		if (!fl_lines_next(&page->lines, &line))
			break;
		cpool = fl_slice_starts(line, "const cpool = [");
		if (cpool || fl_slice_starts(line, "f(0,0,"))
			return fl_asprof_read(a, source, &page->lines,
					      &page->counts, cpool);
		if (fl_slice_starts(fl_slice_trim(line), "<ul class=\"tree\">"))
			return fl_asprof_tree_read(source, &page->lines,
						   &page->counts);
		if (fl_tree_page_begins(page->lines.in, line, &size)) {
			page->inner = fl_json_page_open(source, "d3", size);
			return page->inner ? FLAME_OK : FLAME_FAILED;
		}
		heat_map |= fl_slice_has(line, "<canvas id='heatmap-canvas'");
		fl_asprof_head(a, source, line);
	}
	if (heat_map)
		return fl_fail(source->flame, "%s: a heat map of "
			       "async-profiler, which is not read: give the "
			       "recording that it was made of (flame-graph -f "
			       "html draws one with a heat map)",
			       fl_in_name(source->in));
	return fl_fail(source->flame, "%s: a page, but none of those that are "
		       "read: flame graphs of flame-graph, async-profiler "
		       "(since 2.0, no heatmaps), perf, 0x, Clinic, stackprof "
		       "and others with a tree as d3-flame-graph's, memray, "
		       "pyinstrument, Python's profiling.sampling, VizTracer, "
		       "and Spark's thread dumps", fl_in_name(source->in));
}

static int open_html(struct flame_source *source)
{
	struct page *page = source->state;

	page->lines.in = source->in;
	return FLAME_OK;
}

/* The profile of the next metric; FLAME_END. */
static int read_further(struct flame_source *source)
{
	struct page *page = source->state;
	struct slice line;

	page->counts.n = page->counts.given = 0;
	page->counts.metric = 0;
	while (!is_own(&page->lines)) {
		if (skip(page->lines.in,
			 "<script type=\"text/plain\" id=\"origins\">"))
			fl_own_read_about(source);
		if (!fl_lines_next(&page->lines, &line))
			return FLAME_END;
	}
	return fl_own_read(source, &page->counts);
}

static int read(struct flame_source *source)
{
	struct page *page = source->state;
	int got;

	if (!page->read) {
		struct fl_asprof *a = fl_asprof_new();
		int status = a ? read_page(source, a) :
				 fl_no_memory(source->flame);

		page->read = true;
		fl_asprof_free(a);
		if (status == FLAME_FAILED) {
			source->damage = 2;
			return status;
		}
	}
	if (page->inner)
		return fl_json_page_read(source, page->inner);
	while ((got = fl_counts_read(source, &page->counts)) == FLAME_END &&
	       page->own) {
		int status = read_further(source);

		if (status != FLAME_OK)
			return status;
	}
	return got;
}

static void release(void *state)
{
	struct page *page = state;

	flame_close(page->inner);
	fl_free(page->counts.at);
}

const struct fl_format fl_format_html = {
	.name = "html",
	.summary = "pages of flame graphs: async-profiler's, perf's, ours",
	.probe = fl_html_probe,
	.state_size = sizeof(struct page),
	.open = open_html,
	.read = read,
	.release = release,
};
