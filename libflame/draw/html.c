/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The HTML page: one file without a network.  The profile is base64 of raw
 * deflate in a script element that is only text; share/viewer/data.js reads
 * it.  All numbers are LEB128, texts a size and bytes:
 *
 *	2, flags, nodes, symbols, colours, frame height
 *	title, subtitle, notes, unit, metric, highlight; of a comparison how
 *	it opens, as a link tells it (diff.js)
 *	colours: light and dark, three bytes each
 *	symbols, sorted: bytes shared with the one before, rest, type, colour
 *	of each what is written on a frame, which is a part of its name, column
 *	by column, in UTF-16 units: four times what the name has before it, plus
 *	1 if '/' becomes '.', 2 if an end follows that the name has not; what
 *	the name has behind it; where Class.method begins; from there to the
 *	method; then those ends, as symbols are
 *	of each node in preorder, column by column: its children; its symbol's
 *	rank among those seen below its parent's symbol, 0 if new; the symbols
 *	of the new ones; self; in a comparison, where that was the self
 *	before, the self after; where there are samples, what pack.c tells
 *
 * Of several metrics each has such a block.
 *
 * The first colours are the ramp of a comparison, less to more, as a page of
 * samples compares two spans of time; then the hues of groups, for its key k.
 *
 * The script makes the page.  Before, or without it, there are the title,
 * the sums and a still picture of the widest frames.
 */
#include "draw/draw.h"
#include "format/format.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum {
	VERSION = 2,
	INVERTED = 1, COMPARES = 2, AS_TREE = 4, SAMPLES = 8,	/* flags */
	OPENS = 16,
	SPELLINGS = 4, DOTTED = 1, OWN_END = 2,
	STILL_FRAMES = 400, STILL_WIDTH = 1200, STILL_ROW = 18
};

/* A name and how it ran. */
struct symbol {
	struct slice text;
	uint8_t type;
	uint32_t paint;
	uint32_t number;	/* as they were met */
	uint32_t next;		/* of its name, plus one; 0: none */
	uint32_t spelling[SPELLINGS];
	uint32_t same;		/* bytes of the name in its caption */
};

struct book {
	struct fl_page *page;
	struct fl_out *out;
	struct fl_layout *layout;
	struct fl_moments moments;	/* n 0: none */
	bool further;			/* of several metrics: not the first */
	bool compares;
	struct fl_column widths;
	struct fl_frame_color brush;
	struct fl_paints paints;
	struct symbol *symbol;
	size_t n, room;
	uint32_t *of_node;		/* symbols of nodes */
};

static int by_text(const void *a, const void *b)
{
	const struct symbol *x = a, *y = b;
	size_t shorter = FL_MIN(x->text.size, y->text.size);
	int d = shorter ? memcmp(x->text.data, y->text.data, shorter) : 0;

	if (d)
		return d;
	if (x->text.size != y->text.size)
		return x->text.size > y->text.size ? 1 : -1;
	return x->type - y->type;
}

/* The first symbol of a name: its number, plus one. */
struct met {
	uint32_t symbol;
	uint32_t type;
};

/* Of a node; UINT32_MAX: it is new. */
static uint32_t find_symbol(const struct book *b, const struct met *met,
			    uint8_t type)
{
	uint32_t at = met->symbol;

	if (fl_likely(at && met->type == type))
		return at - 1;
	while (at && b->symbol[at - 1].type != type)
		at = b->symbol[at - 1].next;
	return at - 1;
}

static bool add_symbol(struct book *b, struct met *met, uint32_t node)
{
	const struct fl_layout *l = b->layout;

	if (!fl_grow(&b->symbol, &b->room, b->n + 1, sizeof(*b->symbol)))
		return false;
	b->symbol[b->n] = (struct symbol){
		.text = fl_node_name(b->page, l, node),
		.type = l->type[node], .number = b->n, .next = met->symbol,
	};
	b->n++;
	*met = (struct met){ .symbol = b->n, .type = l->type[node] };
	return true;
}

/* The symbols that occur, as they are met; the root's is the first, "all". */
static bool meet_symbols(struct book *b)
{
	const struct fl_layout *l = b->layout;
	struct met *by_name = fl_zeroed(b->page->tree->flame->names.count,
					sizeof(*by_name)),
		   root = { 0 };
	bool good = by_name && add_symbol(b, &root, 0);

	for (uint32_t i = 1; good && i < l->count; i++) {
		struct met *met = &by_name[l->name[i]];
		uint32_t symbol = find_symbol(b, met, l->type[i]);

		if (fl_unlikely(symbol == UINT32_MAX)) {
			symbol = b->n;
			good = add_symbol(b, met, i);
		}
		b->of_node[i] = symbol;
	}
	fl_free(by_name);
	return good;
}

static bool paint_symbols(struct book *b)
{
	for (unsigned i = 0; i < FL_RAMP_STEPS; i++)
		fl_paint(&b->paints, fl_ramp[b->page->negate ?
					     FL_RAMP_STEPS - 1 - i : i]);
	for (unsigned i = 0; i < FL_HUES; i++)
		fl_paint(&b->paints, fl_group_color(i));
	for (size_t i = 0; i < b->n; i++) {
		struct symbol *s = &b->symbol[i];

		s->paint = fl_paint(
			&b->paints,
			fl_frame_color_scheme(&b->brush, !i, s->text, s->type));
	}
	return !b->paints.failed;
}

/* In order from here on. */
static bool sort_symbols(struct book *b)
{
	uint32_t *rank = fl_alloc(b->n * sizeof(*rank));

	if (!rank)
		return false;
	qsort(b->symbol + 1, b->n - 1, sizeof(*b->symbol), by_text);
	for (size_t i = 0; i < b->n; i++)
		rank[b->symbol[i].number] = i;
	for (uint32_t i = 0; i < b->layout->count; i++)
		b->of_node[i] = rank[b->of_node[i]];
	fl_free(rank);
	return true;
}

static bool number_symbols(struct book *b)
{
	return meet_symbols(b) && sort_symbols(b) && paint_symbols(b);
}

/* "s=2.000&w=after&c=self&n=time&r=30000000000-60000000000" */
static void pack_opening(const struct book *b, struct fl_packer *p)
{
	static const char *const widths[] = { "after", "before", "larger" };
	static const char *const normal[] = { "none", "total", "time" };
	const struct fl_page *page = b->page;
	uint64_t noise = (uint64_t)fl_int64(b->brush.noise * 1000 + 0.5);
	int64_t before = flame_tree_duration(page->tree, 0);
	int64_t after = flame_tree_duration(page->tree, 1);
	char text[160], times[64] = "";

	if (before && after)
		snprintf(times, sizeof(times), "&r=%" PRId64 "-%" PRId64,
			 before, after);
	snprintf(text, sizeof(text), "s=%" PRIu64 ".%03u&w=%s&c=%s&n=%s%s",
		 noise / 1000, (unsigned)(noise % 1000), widths[page->widths],
		 page->delta == FL_DELTA_TOTAL ? "total" : "self",
		 normal[page->normalize], times);
	fl_pack_text(p, text);
}

static void pack_head(const struct book *b, struct fl_packer *p)
{
	const struct fl_page *page = b->page;

	fl_pack_number(p, VERSION);
	fl_pack_number(p, (page->inverted ? INVERTED : 0) |
		       (b->compares ? COMPARES | OPENS : 0) |
		       (page->as_tree ? AS_TREE : 0) |
		       (b->moments.count ? SAMPLES : 0));
	fl_pack_number(p, b->layout->count);
	fl_pack_number(p, b->n);
	fl_pack_number(p, b->paints.count);
	fl_pack_number(p, (uint64_t)FL_MIN(page->frame_height, 200));
	fl_pack_text(p, fl_page_title(page));
	fl_pack_text(p, page->subtitle);
	fl_pack_text(p, page->notes);
	fl_pack_text(p, page->countname ? page->countname : b->layout->unit);
	fl_pack_text(p, b->layout->metric);
	fl_pack_text(p, page->highlight);
	if (b->compares)
		pack_opening(b, p);
	for (uint32_t i = 0; i < b->paints.count; i++) {
		uint32_t light = b->paints.colors[i].light;
		uint32_t dark = b->paints.colors[i].dark;
		uint8_t bytes[] = { light >> 16, light >> 8, light,
				    dark >> 16, dark >> 8, dark };

		fl_pack(p, bytes, sizeof(bytes));
	}
}

static void pack_symbols(const struct book *b, struct fl_packer *p)
{
	struct slice last = { "", 0 };

	for (size_t i = 0; i < b->n; i++) {
		const struct symbol *s = &b->symbol[i];

		fl_pack_after(p, &last, s->text);
		fl_pack_number(p, s->type);
		fl_pack_number(p, s->paint);
	}
}

/* As JavaScript counts. */
static uint32_t units(const char *at, size_t size)
{
	size_t i = fl_ascii(at, size);
	uint32_t n = (uint32_t)i;

	for (; i < size; n++) {
		unsigned length = (uint8_t)at[i] < 0x80 ? 1 :
				  fl_utf8_length(at + i, size - i);

		n += length == 4;
		i += length ? length : 1;
	}
	return n;
}

static bool is_utf8(struct slice s)
{
	for (size_t i = fl_ascii(s.data, s.size), n; i < s.size; i += n) {
		n = (uint8_t)s.data[i] < 0x80 ? 1 :
		    fl_utf8_length(s.data + i, s.size - i);
		if (!n)
			return false;
	}
	return true;
}

/* As much of a caption as a name begins with. */
static size_t shared(const char *name, size_t size, const struct fl_caption *c)
{
	size_t n = 0;

	size = FL_MIN(size, c->size);
	while (n < size && name[n] == c->text[n])
		n++;
	while (n && n < c->size && (c->text[n] & 0xc0) == 0x80)
		n--;
	return n;
}

static void spell_from(struct symbol *s, const struct fl_caption *c,
		       const char *name, size_t size, bool dotted)
{
	bool begins = size >= c->size && memcmp(name, c->text, c->size) == 0;
	const char *at = begins ? name : memmem(name, size, c->text, c->size);
	size_t same = at ? c->size : shared(name, size, c);

	if (dotted && same <= s->same)
		return;
	at = at ? at : name;
	s->same = same;
	s->spelling[0] = units(name, at - name) * 4 +
			 (same < c->size ? OWN_END : 0) +
			 (dotted ? DOTTED : 0);
	at += same;
	s->spelling[1] = units(at, name + size - at);
}

/* A caption as a part of its name, and an end of its own. */
static void spell(struct symbol *s, const struct fl_caption *c)
{
	size_t size = s->text.size;
	char dotted[FL_MAX_CAPTION];

	s->spelling[0] = (uint32_t)size * 4 + OWN_END;
	s->spelling[2] = units(c->text, c->class_at);
	s->spelling[3] = units(c->text + c->class_at,
			       c->method_at - c->class_at);
	if (size > sizeof(dotted) || !is_utf8(s->text))
		return;
	spell_from(s, c, s->text.data, size, false);
	if (s->same == c->size || !memchr(s->text.data, '/', size))
		return;
	for (size_t i = 0; i < size; i++)
		dotted[i] = s->text.data[i] == '/' ? '.' : s->text.data[i];
	spell_from(s, c, dotted, size, true);
}

static void pack_captions(const struct book *b, struct fl_packer *p)
{
	struct slice last = { "", 0 };
	struct fl_caption c[2];

	for (size_t i = 0; i < b->n; i++) {
		fl_caption(&c[0], b->symbol[i].text, b->symbol[i].type);
		spell(&b->symbol[i], &c[0]);
	}
	for (unsigned k = 0; k < SPELLINGS; k++)
		for (size_t i = 0; i < b->n; i++)
			fl_pack_number(p, b->symbol[i].spelling[k]);
	for (size_t i = 0, k = 0; i < b->n; i++) {
		const struct symbol *s = &b->symbol[i];

		if (!(s->spelling[0] & OWN_END))
			continue;
		k = !k;
		fl_caption(&c[k], s->text, s->type);
		fl_pack_after(p, &last, (struct slice){ c[k].text + s->same,
							c[k].size - s->same });
	}
}

enum { AHEAD = 12 };	/* nodes: what they look up is fetched meanwhile */

/* A node's symbol below its parent's. */
static uint64_t pair_of(const struct book *b, uint32_t node)
{
	return (uint64_t)b->of_node[b->layout->parent[node]] << 32 |
	       b->of_node[node];
}

/* Ranks, and then the symbols that were new: their rank was 0. */
static bool pack_ranks(const struct book *b, struct fl_packer *p)
{
	const struct fl_layout *l = b->layout;
	uint32_t *seen = fl_zeroed(b->n, sizeof(*seen));
	uint32_t *fresh = fl_alloc(fl_size_mul(l->count, sizeof(*fresh)));
	struct fl_map map = { 0 };
	bool good = seen && fresh;
	uint32_t n = 0;

	if (good) {
		fl_pack_number(p, 0);
		fresh[n++] = 0;
	}
	for (uint32_t i = 1; good && i < l->count; i++) {
		bool is_new = false;
		uint64_t *rank = fl_map_put(&map, pair_of(b, i), &is_new);

		if (fl_likely(i + AHEAD < l->count))
			fl_map_prefetch(&map, pair_of(b, i + AHEAD));
		good = rank;
		if (!good)
			break;
		fl_pack_number(p, *rank);
		if (is_new) {
			*rank = ++seen[b->of_node[l->parent[i]]];
			fresh[n++] = b->of_node[i];
		}
	}
	for (uint32_t i = 0; good && i < n; i++)
		fl_pack_number(p, fresh[i]);
	fl_map_free(&map);
	fl_free(fresh);
	fl_free(seen);
	return good;
}

/* Where nodes end is asked no more: there they are counted. */
static void pack_children(const struct book *b, struct fl_packer *p)
{
	struct fl_layout *l = b->layout;
	uint32_t *children = l->end;

	memset(children, 0, l->count * sizeof(*children));
	for (uint32_t i = 1; i < l->count; i++)
		children[l->parent[i]]++;
	for (uint32_t i = 0; i < l->count; i++)
		fl_pack_number(p, children[i]);
}

static bool pack_nodes(const struct book *b, struct fl_packer *p)
{
	const struct fl_layout *l = b->layout;

	pack_children(b, p);
	if (!pack_ranks(b, p))
		return false;
	for (unsigned c = 0; c < l->columns; c++)
		for (uint32_t i = 0; i < l->count; i++)
			fl_pack_number(p, FL_MAX(l->self[c][i], 0));
	return true;
}

/* Of several, each tells what its tab says. */
static void put_data_tag(const struct book *b)
{
	const struct fl_layout *l = b->layout;
	struct fl_out *out = b->out;

	if (!b->page->nmore && !b->further) {
		fl_out_text(out, "<script type=\"text/plain\" id=\"data\">");
		return;
	}
	fl_out_text(out, "<script type=\"text/plain\" class=\"data\" "
		    "data-metric=\"");
	fl_put_string(out, l->metric);
	fl_out_text(out, "\" data-unit=\"");
	fl_put_string(out, b->page->countname ? b->page->countname : l->unit);
	fl_out_print(out, "\" data-total=\"%" PRId64 "\">", l->total[0][0]);
}

static bool put_data(struct book *b)
{
	struct fl_packer *p = fl_packer_open(b->out,
					     b->page->tree->flame->threads);
	bool good;

	if (!p)
		return false;
	put_data_tag(b);
	pack_head(b, p);
	pack_symbols(b, p);
	pack_captions(b, p);
	good = pack_nodes(b, p);
	if (b->moments.count)
		fl_pack_moments(p, &b->moments, b->page->tree->flame);
	good = fl_packer_close(p) && good;
	fl_out_text(b->out, "</script>\n");
	return good;
}

static uint32_t fill_of(const struct book *b, uint32_t i)
{
	if (b->compares)
		return fl_frame_color_change(&b->brush, i).light;
	return b->paints.colors[b->symbol[b->of_node[i]].paint].light;
}

static void put_still_frame(struct book *b, uint32_t i, double x, double y,
			    double width)
{
	struct fl_out *out = b->out;
	const struct symbol *s = &b->symbol[b->of_node[i]];
	struct fl_caption caption;
	struct slice text;
	bool cut;

	fl_out_print(out, "<path fill=\"#%06x\" d=\"M",
		     (unsigned)fill_of(b, i));
	fl_put_coord(out, x);
	fl_out_text(out, " ");
	fl_put_coord(out, y);
	fl_out_text(out, "h");
	fl_put_coord(out, width > 3 ? width - 1 : width);
	fl_out_print(out, "v%dH", STILL_ROW - 1);
	fl_put_coord(out, x);
	fl_out_text(out, "z\"/>");
	fl_caption(&caption, s->text, s->type);
	text = fl_caption_fit(&caption, width, &cut);
	if (!text.size)
		return;
	fl_out_text(out, "<text x=\"");
	fl_put_coord(out, x + 4);
	fl_out_text(out, "\" y=\"");
	fl_put_coord(out, y + 13);
	fl_out_text(out, "\">");
	fl_put_escaped(out, text, SIZE_MAX);
	fl_out_text(out, cut ? "…</text>\n" : "</text>\n");
}

static const char *title_of(const struct fl_page *page)
{
	return page->title && *page->title ? page->title : "Flame graph";
}

/* The names of the other events, of which only the script shows more. */
static void put_further_events(const struct book *b)
{
	struct fl_page *page = b->page;

	if (!page->nmore)
		return;
	fl_out_text(b->out, "<p>Other events in this page: ");
	for (size_t i = 0; i < page->nmore; i++) {
		struct flame_tree *tree = page->more[i].tree;

		fl_out_text(b->out, i ? ", " : "");
		fl_put_string(b->out, flame_metric_of(tree->flame,
						      tree->metric)->name);
	}
	fl_out_text(b->out, "</p>\n");
}

/* What the script shows in the page's header, as text. */
static void put_heading(const struct book *b)
{
	const struct fl_layout *l = b->layout;
	const struct fl_page *page = b->page;
	struct fl_out *out = b->out;

	fl_out_text(out, "<h1>");
	fl_put_string(out, title_of(page));
	fl_out_text(out, "</h1>\n<p>");
	if (page->subtitle && *page->subtitle) {
		fl_put_string(out, page->subtitle);
		fl_out_text(out, " · ");
	}
	if (*l->metric) {
		fl_put_string(out, l->metric);
		fl_out_text(out, " · ");
	}
	for (unsigned c = 0; c < l->columns; c++) {
		fl_out_text(out, c ? " → " : "");
		fl_put_count(out, l->total[c][0]);
	}
	fl_out_text(out, " ");
	fl_put_string(out, page->countname ? page->countname : l->unit);
	fl_out_text(out, " · ");
	fl_put_count(out, l->count - 1);
	fl_out_text(out, " frames</p>\n");
	put_further_events(b);
	fl_out_text(out, "<p id=\"note\">A picture of the widest frames, for "
		    "where the page's script does not run.</p>\n");
}

/* The next that may be as heavy: none is heavier than its parent. */
static uint32_t next_wide(const struct fl_layout *l, uint32_t i,
			  int64_t least)
{
	return l->total[0][i] < least ? l->end[i] : i + 1;
}

/* The widest frames, without a style: any policy lets them show. */
static bool put_still(struct book *b)
{
	const struct fl_layout *l = &b->widths.layout;
	const int64_t *total = l->total[0];
	double scale = (double)STILL_WIDTH / FL_MAX(total[0], 1);
	/* By level: where the next node begins. */
	int64_t *next = fl_zeroed((size_t)l->depth + 2, sizeof(*next)), least;
	unsigned rows = 1;

	if (!next || !fl_layout_threshold(l, 0, STILL_FRAMES, &least)) {
		fl_free(next);
		return false;
	}
	least = FL_MAX(least, fl_int64(1 / scale));
	for (uint32_t i = 0; i < l->count; i = next_wide(l, i, least))
		if (total[i] >= least)
			rows = FL_MAX(rows, l->level[i] + 1);
	fl_out_text(b->out, "<div id=\"first\">\n");
	put_heading(b);
	fl_out_print(b->out, "<svg xmlns=\"http://www.w3.org/2000/svg\" "
		     "viewBox=\"0 0 %d %u\" font-size=\"12\" "
		     "font-family=\"sans-serif\" "
		     "fill=\"#14181d\">\n",
		     STILL_WIDTH, rows * STILL_ROW);
	for (uint32_t i = 0; i < l->count; i = next_wide(l, i, least)) {
		unsigned row = b->page->inverted ? l->level[i] :
						   rows - 1 - l->level[i];
		int64_t x = next[l->level[i]];

		next[l->level[i]] = x + total[i];
		next[l->level[i] + 1] = x + l->self[0][i];
		if (!i || total[i] >= least)
			put_still_frame(b, i, x * scale, row * STILL_ROW,
					total[i] * scale);
	}
	fl_out_text(b->out, "</svg></div>\n");
	fl_free(next);
	return true;
}

/* Beside the page, for hosts whose policy forbids scripts in it. */
#define BESIDE "flame-viewer-" FLAME_VERSION

static int put_beside(struct fl_page *page, const char *suffix,
		      const char *text)
{
	struct flame *flame = page->tree->flame;
	const char *path = fl_out_path(page->out);
	const char *slash = path ? strrchr(path, '/') : NULL;
	struct fl_out *out;
	char *beside;

	if (!path)
		return fl_fail(flame, "--split: needs a file to write to, as "
			       "-o page.html");
	if (asprintf(&beside, "%.*s%s%s", slash ? (int)(slash - path) + 1 : 0,
		     path, BESIDE, suffix) < 0)
		return fl_no_memory(flame);
	out = fl_out_open(flame, beside);
	fl_free(fl_memory_adopt(beside));
	if (!out)
		return FLAME_FAILED;
	fl_out_text(out, text);
	return fl_out_close(out);
}

static const struct fl_script *script_of(const struct fl_page *page)
{
	if (page->timed)
		return &fl_viewer.timed;
	return page->compared ? &fl_viewer.compared : &fl_viewer.plain;
}

/* The loader adds the viewer's script to the page: each has its hash. */
static void put_policy(const struct book *b)
{
	struct fl_out *out = b->out;

	fl_out_text(out, "<meta http-equiv=\"Content-Security-Policy\" "
		    "content=\"default-src 'none'; script-src ");
	if (b->page->split)
		fl_out_text(out, "'self'; style-src 'self'");
	else
		fl_out_print(out, "'%s' '%s'; style-src '%s'",
			     fl_viewer.loader_hash, script_of(b->page)->hash,
			     fl_viewer.style_hash);
	fl_out_text(out, "; img-src data: blob:; base-uri 'none'; "
		    "form-action 'none'\">\n");
}

static void put_style(const struct book *b)
{
	if (b->page->split) {
		fl_out_text(b->out, "<link rel=\"stylesheet\" href=\"" BESIDE
			    ".css\">");
		return;
	}
	fl_out_text(b->out, "<style>");
	fl_out_text(b->out, fl_viewer.style);
	fl_out_text(b->out, "</style>");
}

static void put_script(const struct fl_page *page)
{
	struct fl_out *out = page->out;

	if (page->split) {
		fl_out_text(out, "<script src=\"" BESIDE ".js\">");
	} else {
		fl_out_text(out, "<script id=\"viewer\" type=\"text/plain\">");
		fl_out_text(out, script_of(page)->packed);
		fl_out_text(out, "</script><script>");
		fl_out_text(out, fl_viewer.loader);
	}
	fl_out_text(out, "</script>\n</body>\n</html>\n");
}

static void put_head(const struct book *b)
{
	struct fl_out *out = b->out;

	fl_out_text(out, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n"
		    "<meta charset=\"utf-8\">\n");
	put_policy(b);
	fl_out_text(out, "<meta name=\"viewport\" "
		    "content=\"width=device-width\">\n");
	if (b->page->source_url) {
		fl_out_text(out, "<meta name=\"source-url\" content=\"");
		fl_put_string(out, b->page->source_url);
		fl_out_text(out, "\">\n");
	}
	fl_out_text(out, "<title>");
	fl_put_string(out, title_of(b->page));
	fl_out_text(out, "</title>\n");
	put_style(b);
	fl_out_text(out, "\n</head>\n<body>\n");
}

static bool put_profile(struct book *b)
{
	if (!b->further) {
		put_head(b);
		if (!put_still(b))
			return false;
	}
	return put_data(b);
}

static bool settle_samples(struct book *b)
{
	struct fl_page *page = b->page;

	if (page->samples &&
	    !fl_samples_make_moments(page->samples, b->layout, &b->moments))
		return false;
	fl_free(b->layout->node_of_stack);
	b->layout->node_of_stack = NULL;
	page->timed = page->nmore || b->moments.count;
	page->compared = b->compares;
	return true;
}

static int write_profile(struct fl_page *page, bool further)
{
	struct flame *flame = page->tree->flame;
	struct fl_page shown = *page;
	struct book b = { .page = &shown, .out = page->out,
			  .further = further };
	int status = FLAME_FAILED;

	shown.tree->want_stack_nodes =
		shown.samples && fl_samples_any(shown.samples);
	b.layout = fl_page_layout(&shown, STILL_WIDTH);
	if (!b.layout)
		return FLAME_FAILED;
	if (fl_frame_color_open_scheme(&b.brush, &shown, b.layout) != FLAME_OK)
		goto closed;
	b.compares = b.layout->columns == 2;
	if (b.compares)
		fl_frame_color_open_changes(&b.brush);
	b.of_node = fl_zeroed(b.layout->count, sizeof(*b.of_node));
	if (b.of_node && fl_column_open(&b.widths, &shown, b.layout) &&
	    settle_samples(&b) && number_symbols(&b) && put_profile(&b))
		status = FLAME_OK;
	else
		fl_no_memory(flame);
	page->timed = page->timed || shown.timed;
	page->compared = page->compared || shown.compared;
closed:
	fl_frame_color_close(&b.brush);
	fl_column_close(&b.widths);
	fl_paints_free(&b.paints);
	fl_layout_free(b.layout);
	fl_moments_free(&b.moments);
	fl_free(b.of_node);
	fl_free(b.symbol);
	return status;
}

static int write_html(struct fl_page *page)
{
	struct fl_page shown = *page;

	page->brushed = true;
	if (page->split &&
	    (put_beside(page, ".js", fl_viewer.script) != FLAME_OK ||
	     put_beside(page, ".css", fl_viewer.style) != FLAME_OK))
		return FLAME_FAILED;
	if (write_profile(page, false) != FLAME_OK)
		return FLAME_FAILED;
	for (size_t i = 0; i < page->nmore; i++) {
		shown.tree = page->more[i].tree;
		shown.samples = page->more[i].samples;
		if (write_profile(&shown, true) != FLAME_OK)
			return FLAME_FAILED;
	}
	put_script(page);
	return FLAME_OK;
}

static struct flame_sink *create(struct flame *flame, struct fl_out *out)
{
	struct flame_sink *sink = fl_page_sink(flame, out, write_html);

	if (sink)
		sink->keeps_apart = true;
	if (!sink || fl_page_keep_samples(sink))
		return sink;
	fl_no_memory(flame);
	flame_abandon(sink);
	return NULL;
}

const struct fl_format fl_format_html = {
	.name = "html", .summary = "flame graph, a page to explore",
	.suffixes = ".html .htm", .create = create,
};
