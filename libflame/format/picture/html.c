/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whose a page of HTML is: ours has its data in a script that is text,
 * async-profiler's has calls of f().
 */
#include "fl.h"

#include "format/picture/picture.h"

#include <stdlib.h>

struct page {
	struct fl_lines lines;
	struct fl_counts counts;
	bool read;
};

/* Whether the next line is the data of ours; then the data come next. */
static bool is_own(struct fl_lines *lines)
{
	static const char mark[] = "<script type=\"text/plain\" id=\"data\">";
	const size_t size = sizeof(mark) - 1;
	const uint8_t *head;
	size_t n;

	fl_in_consume(lines->in, lines->used);
	lines->used = 0;
	head = fl_in_peek(lines->in, size, &n);
	if (n < size || memcmp(head, mark, size) != 0)
		return false;
	fl_in_consume(lines->in, size);
	return true;
}

static int read_page(struct flame_source *source, struct fl_asprof *a)
{
	struct page *page = source->state;
	struct slice line;

	for (;;) {
		bool cpool;

		if (is_own(&page->lines))
			return fl_own_read(source, &page->counts);
		if (!fl_lines_next(&page->lines, &line))
			break;
		cpool = fl_slice_starts(line, "const cpool = [");
		if (cpool || fl_slice_starts(line, "f(0,0,"))
			return fl_asprof_read(a, source, &page->lines,
					      &page->counts, cpool);
		fl_asprof_head(a, line);
	}
	return fl_fail(source->flame, "%s: a page, but none of the flame "
		       "graphs that are read: those of flame-graph, and "
		       "async-profiler's since 2.0 (not its heatmaps)",
		       fl_in_name(source->in));
}

int fl_html_open(struct flame_source *source)
{
	struct page *page = calloc(1, sizeof(*page));

	if (!page)
		return fl_no_memory(source->flame);
	page->lines.in = source->in;
	source->state = page;
	return FLAME_OK;
}

int fl_html_next(struct flame_source *source, struct flame_sample *sample)
{
	struct page *page = source->state;

	if (!page->read) {
		struct fl_asprof *a = fl_asprof_new();
		int status = a ? read_page(source, a) :
				 fl_no_memory(source->flame);

		page->read = true;
		fl_asprof_free(a);
		if (status == FLAME_FAILED)
			return status;
	}
	return fl_counts_next(source, &page->counts, sample);
}

void fl_html_close(struct flame_source *source)
{
	struct page *page = source->state;

	if (page)
		free(page->counts.at);
	free(page);
}
