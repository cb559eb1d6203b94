/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writers of trees: a sink that gathers, the options of a page, and the
 * hand-over when the flow has ended.
 */
#include "fl.h"

#include "tree/tree.h"

#include <stdlib.h>

const struct flame_row fl_page_rows[] = {
	{ 'w', "title", "TEXT", "heading of the page", 0, 0, 0 },
	{ 'w', "subtitle", "TEXT", "second line of the heading", 0, 0, 0 },
	{ 'w', "notes", "TEXT", "notes kept in the page", 0, 0, 0 },
	{ 'w', "colors", "NAME", "colour scheme (java, mem, hot, ...)", 0, 0, 0 },
	{ 'w', "highlight", "RE", "mark frames that match", 0, 0, 0 },
	{ 'w', "countname", "TEXT", "what is counted (samples)", 0, 0, 0 },
	{ 'w', "width", "PIXELS", "width of the picture (text: columns)", 0, 0, 0 },
	{ 'w', "height", "PIXELS", "height of a frame", 0, 0, 0 },
	{ 'w', "minwidth", "N[%]", "leave out frames narrower than this", 0, 0, 0 },
	{ 'w', "inverted", NULL, "root on top (icicle)", 0, 0, 0 },
	{ 'w', "tree", NULL, "open as a tree of rows", 0, 0, 0 },
	{ 0, NULL, NULL, NULL, 0, 0, 0 }
};

struct page_state {
	struct fl_page page;
	struct flame_sink *gather;
	bool written;
};

static int put(struct flame_sink *sink, const struct flame_sample *sample)
{
	struct page_state *state = sink->state;

	return fl_put(state->gather, sample);
}

static int set_text(char **to, const char *text)
{
	free(*to);
	*to = strdup(text);
	return *to ? FLAME_OK : FLAME_FAILED;
}

static int set_number(double *to, const char *text, double least)
{
	return fl_parse_double(text, to) && *to >= least ? FLAME_OK :
							   FLAME_FAILED;
}

static int set_minwidth(struct fl_page *page, const char *text)
{
	size_t n = strlen(text);
	char copy[64];

	if (!n || n >= sizeof(copy))
		return FLAME_FAILED;
	memcpy(copy, text, n + 1);
	page->minwidth_percent = copy[n - 1] == '%';
	if (page->minwidth_percent)
		copy[n - 1] = '\0';
	return set_number(&page->minwidth, copy, 0);
}

static int set(struct flame_sink *sink, const char *option, const char *value)
{
	struct fl_page *page = &((struct page_state *)sink->state)->page;
	struct {
		const char *name;
		char **text;
	} texts[] = {
		{ "title", &page->title }, { "subtitle", &page->subtitle },
		{ "notes", &page->notes }, { "colors", &page->colors },
		{ "highlight", &page->highlight },
		{ "countname", &page->countname },
	};

	for (const struct flame_row *row = fl_page_rows; row->name; row++)
		if (row->argument && !value && strcmp(option, row->name) == 0)
			return FLAME_FAILED;
	for (size_t i = 0; i < FL_COUNT(texts); i++)
		if (strcmp(option, texts[i].name) == 0)
			return set_text(texts[i].text, value);
	if (strcmp(option, "width") == 0)
		return set_number(&page->width, value, 10);
	if (strcmp(option, "height") == 0)
		return set_number(&page->frame_height, value, 4);
	if (strcmp(option, "minwidth") == 0)
		return set_minwidth(page, value);
	if (strcmp(option, "inverted") == 0)
		page->inverted = true;
	else if (strcmp(option, "tree") == 0)
		page->as_tree = true;
	else if (strcmp(option, "ansi") == 0)
		page->ansi = true;
	else if (strcmp(option, "compat") == 0)
		page->compat = true;
	else if (strcmp(option, "compat-root") == 0)
		page->compat_root = true;
	else
		return FLAME_FAILED;
	return FLAME_OK;
}

static int finish(struct flame_sink *sink)
{
	struct page_state *state = sink->state;
	struct fl_out *out = state->page.out;
	int status;

	if (!state->page.tree->total[0] && !state->page.tree->total[1])
		fl_remark(sink->flame, "the result is empty: no sample was "
			  "selected");
	status = state->page.write(&state->page);

	state->page.out = NULL;
	if (status != FLAME_OK) {
		fl_out_abandon(out);
		return status;
	}
	return fl_out_close(out);
}

static void release(struct flame_sink *sink)
{
	struct page_state *state = sink->state;
	struct fl_page *page = &state->page;

	if (page->out)
		fl_out_abandon(page->out);
	flame_abandon(state->gather);
	if (!page->borrowed)
		flame_tree_free(page->tree);
	free(page->title);
	free(page->subtitle);
	free(page->notes);
	free(page->colors);
	free(page->highlight);
	free(page->countname);
}

struct flame_sink *fl_page_sink(struct flame *flame, struct fl_out *out,
				int (*write)(struct fl_page *page))
{
	struct flame_sink *sink = fl_sink_new(flame, NULL,
					      sizeof(struct page_state));
	struct page_state *state;

	if (!sink) {
		fl_out_abandon(out);
		return NULL;
	}
	state = sink->state;
	state->page.out = out;
	state->page.write = write;
	sink->put = put;
	sink->set = set;
	sink->finish = finish;
	sink->free = release;
	state->page.tree = flame_tree_new(flame, 1);
	if (state->page.tree)
		state->gather = flame_tree_sink(state->page.tree, 0);
	if (state->gather)
		return sink;
	flame_abandon(sink);
	return NULL;
}

bool fl_page_adopt(struct flame_sink *sink, struct flame_tree *tree)
{
	struct fl_page *page;

	if (sink->put != put)
		return false;
	page = &((struct page_state *)sink->state)->page;
	if (!page->borrowed)
		flame_tree_free(page->tree);
	page->tree = tree;
	page->borrowed = true;
	return true;
}

double fl_page_minimum(const struct fl_page *page, double page_width)
{
	double total = (double)FL_MAX(page->tree->total[0],
				      page->tree->total[1]);
	double minimum = 0;

	if (page->minwidth_percent)
		minimum = total * page->minwidth / 100;
	else if (page_width > 0)
		minimum = total * page->minwidth / page_width;
	return page->compat ? (double)(int64_t)minimum : minimum;
}

struct fl_layout *fl_page_layout(struct fl_page *page, double page_width)
{
	return fl_tree_layout(page->tree, fl_page_minimum(page, page_width),
			      page->compat);
}
