/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Trees as JSON: for d3-flame-graph ({name, value, children}), and speedscope's
 * file format.  Names have the suffix of their type, as in folded text.
 */
#include "fl.h"

#include "draw/draw.h"
#include "draw/page.h"
#include "draw/rows.h"
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
	return fl_page_sink(flame, out, write_d3);
}

/* speedscope ---------------------------------------------------------- */

/* Frames are pairs of name and type, numbered in the order of nodes. */
struct frames {
	struct fl_map index;
	uint32_t *of_node;
	uint32_t count;
};

static uint64_t frame_key(const struct fl_layout *l, uint32_t i)
{
	return (uint64_t)l->name[i] << 8 | l->type[i];
}

static bool number_frames(struct frames *frames, const struct fl_layout *l)
{
	frames->of_node = fl_alloc(fl_size_mul(l->count, sizeof(uint32_t)));
	if (!frames->of_node)
		return false;
	for (uint32_t i = 1; i < l->count; i++) {
		bool fresh;
		uint64_t *n = fl_map_put(&frames->index, frame_key(l, i),
					 &fresh);

		if (!n)
			return false;
		if (fresh)
			*n = frames->count++;
		frames->of_node[i] = (uint32_t)*n;
	}
	return true;
}

static void put_frames(struct fl_pieces *w, const struct flame *flame,
		       const struct fl_layout *l, const struct frames *frames)
{
	uint32_t count = 0;

	fl_pieces_text(w, "\"shared\":{\"frames\":[");
	for (uint32_t i = 1; i < l->count; i++) {
		if (frames->of_node[i] != count)
			continue;
		fl_pieces_text(w, count++ ? ",\n{\"name\":" : "\n{\"name\":");
		fl_pieces_name(w, flame, l->name[i], l->type[i]);
		fl_pieces_text(w, "}");
	}
	fl_pieces_text(w, "]}");
}

/* The unit as speedscope spells it; "none" for counts. */
static const char *unit_of(const struct fl_layout *l)
{
	static const char *const known[] = {
		"nanoseconds", "microseconds", "milliseconds", "seconds",
		"bytes"
	};
	static const struct { const char *ours; unsigned known; } units[] = {
		{ "ns", 0 }, { "us", 1 }, { "ms", 2 }, { "s", 3 },
		{ "bytes", 4 }
	};

	for (size_t i = 0; i < FL_COUNT(units); i++)
		if (strcmp(l->unit, units[i].ours) == 0)
			return known[units[i].known];
	return "none";
}

/* The stacks of nodes with a self above 0, root first. */
static bool put_samples(struct fl_pieces *w, const struct fl_layout *l,
			const struct frames *frames)
{
	uint32_t *path = fl_alloc(fl_size_mul((size_t)l->depth + 1,
					      sizeof(*path)));
	const char *before = "\n[";

	for (uint32_t i = 0; path && i < l->count; i++) {
		path[l->level[i]] = i;
		if (!l->self[0][i])
			continue;
		fl_pieces_text(w, before);
		for (uint32_t k = 1; k <= l->level[i]; k++)
			fl_buf_print(&w->buf, k > 1 ? ",%u" : "%u",
				     frames->of_node[path[k]]);
		fl_pieces_text(w, "]");
		before = ",\n[";
	}
	fl_free(path);
	return path;
}

static void put_weights(struct fl_pieces *w, const struct fl_layout *l)
{
	const char *before = "";

	for (uint32_t i = 0; i < l->count; i++) {
		if (!l->self[0][i])
			continue;
		fl_pieces_text(w, before);
		fl_buf_number(&w->buf, l->self[0][i]);
		before = ",";
	}
}

static bool put_profile(struct fl_pieces *w, const struct fl_page *page,
			const struct fl_layout *l, const struct frames *frames)
{
	const char *name = page->title ? page->title :
			   *l->metric ? l->metric : "samples";
	bool good;

	fl_pieces_text(w, "\"profiles\":[{\"type\":\"sampled\",\"name\":");
	fl_pieces_string(w, name);
	fl_buf_print(&w->buf, ",\"unit\":\"%s\",\"startValue\":0,"
		     "\"endValue\":%" PRId64 ",\"samples\":[", unit_of(l),
		     l->total[0][0]);
	good = put_samples(w, l, frames);
	fl_pieces_text(w, "],\n\"weights\":[");
	put_weights(w, l);
	fl_pieces_text(w, "]}]");
	return good;
}

static int write_speedscope(struct fl_page *page)
{
	struct flame *flame = page->tree->flame;
	struct fl_pieces w = { .out = page->out };
	struct frames frames = { .count = 0 };
	struct fl_layout *layout;
	bool good = false;

	if (check(page) != FLAME_OK)
		return FLAME_FAILED;
	layout = fl_page_layout(page, 0);
	if (!layout)
		return FLAME_FAILED;
	fl_pieces_text(&w, "{\"$schema\":\"https://www.speedscope.app/"
		 "file-format-schema.json\",\n");
	if (number_frames(&frames, layout)) {
		put_frames(&w, flame, layout, &frames);
		fl_pieces_text(&w, ",\n");
		good = put_profile(&w, page, layout, &frames);
	}
	fl_pieces_text(&w, ",\n\"activeProfileIndex\":0,\"exporter\":"
		 "\"libflame@" FLAME_VERSION "\"}\n");
	if (!good)
		fl_no_memory(flame);
	fl_map_free(&frames.index);
	fl_free(frames.of_node);
	fl_layout_free(layout);
	return fl_pieces_finish(&w, flame);
}

static struct flame_sink *create_speedscope(struct flame *flame,
					    struct fl_out *out)
{
	return fl_page_sink(flame, out, write_speedscope);
}

/* The rows of formats.c ----------------------------------------------- */

const struct fl_format fl_format_d3 = {
	.name = "d3",
	.summary = "a tree as JSON, for d3-flame-graph",
	.create = create_d3,
};

const struct fl_format fl_format_speedscope_write = {
	.name = "speedscope",
	.summary = "JSON for speedscope",
	.suffixes = ".speedscope.json",
	.create = create_speedscope,
};
