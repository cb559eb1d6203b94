/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writes a tree, from draw/page.c, as JSON for d3-flame-graph: {name, value,
 * children}.  Names have the suffix of their type, as in folded text.
 */
#include "fl.h"

#include "draw/draw.h"
#include "draw/page.h"
#include "write/rows.h"
#include "format/format.h"

#include <inttypes.h>

static int check(const struct fl_page *page)
{
	if (fl_page_check(page) != FLAME_OK)
		return FLAME_FAILED;
	if (page->tree->columns == 2)
		return fl_fail(page->tree->flame, "a comparison is written as "
			       "html, svg, text or folded only");
	return FLAME_OK;
}

/* d3 ------------------------------------------------------------------ */

static void put_node(struct fl_pieces *w, const struct flame *flame,
		     const struct fl_layout *l, uint32_t i)
{
	fl_pieces_text(w, "{\"name\":");
	if (i)
		fl_pieces_name(w, flame, l->name[i], l->type[i]);
	else
		fl_pieces_text(w, "\"all\"");
	fl_buf_print(&w->buf, ",\"value\":%" PRId64, l->total[0][i]);
}

/* Preorder: closes a node with its ancestors that end there. */
static void put_nodes(struct fl_pieces *w, const struct flame *flame,
		      const struct fl_layout *l)
{
	for (uint32_t i = 0; i < l->count; i++) {
		uint32_t next = i + 1 < l->count ? l->level[i + 1] : 0;
		bool last = i + 1 == l->count;

		put_node(w, flame, l, i);
		if (!last && next > l->level[i]) {
			fl_pieces_text(w, ",\"children\":[");
			continue;
		}
		fl_pieces_text(w, "}");
		for (uint32_t k = l->level[i]; k > next; k--)
			fl_pieces_text(w, "]}");
		if (!last)
			fl_pieces_text(w, ",");
	}
	fl_pieces_text(w, "\n");
}

static int write_d3(struct fl_page *page)
{
	struct flame *flame = page->tree->flame;
	struct fl_pieces w = { .out = page->out };
	struct fl_layout *layout;

	if (check(page) != FLAME_OK)
		return FLAME_FAILED;
	layout = fl_page_layout(page, 0);
	if (!layout)
		return FLAME_FAILED;
	put_nodes(&w, flame, layout);
	fl_layout_free(layout);
	return fl_pieces_finish(&w, flame);
}

static struct flame_sink *create_d3(struct flame *flame, struct fl_out *out)
{
	return fl_page_of_weights(flame, out, FL_OUTPUT_OTHER, write_d3);
}

/* The row of formats.def ------------------------------------------------ */

const struct fl_format fl_format_d3_write = {
	.name = "d3",
	.summary = "a tree as JSON, for d3-flame-graph",
	.create = create_d3,
};
