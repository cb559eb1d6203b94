/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writes the HTML page, which needs no network: page.c calls write_html() with
 * the page's trees.  The profile is base64 of raw deflate in a script element
 * that is only text (pack.c); share/viewer/data.js reads it.  All numbers are
 * LEB128, texts a size and bytes:
 *
 *	VERSION, flags, nodes, symbols, colours, frame height
 *	title, subtitle, notes, unit, metric, highlight; in a comparison its
 *	options, spelled as in links (diff.js)
 *	colours: light and dark, three bytes each
 *	symbols, sorted: bytes shared with the one before, rest, type, colour
 *	captions, as parts of the names, column by column, in UTF-16 units: four
 *	times the length before the part, plus 1 if '/' becomes '.', plus 2 if
 *	an end follows that the name lacks; the length after the part; where
 *	Class.method begins; its length up to the method; then those ends, coded
 *	as symbols
 *	nodes in preorder, siblings by weight or name, column by column: the
 *	number of children; the rank of its symbol among those seen below its
 *	parent's symbol, 0 if new; the symbols of new ones; self; in a
 *	comparison self before and self after;
 *	with samples, the block of pack.c;
 *	where colours show kinds, the name of each colour's family, or none;
 *	unless it is a comparison, the line of words of said.c
 *
 * Each of several metrics has such a block.
 *
 * The first colours are the ramp of changes, from less to more, as a page with
 * samples can compare two spans of time; then the hues of groups, for key k.
 *
 * The script builds the page.  Without it the page has the title, the totals
 * and a still picture of the widest frames.
 */
#include "draw/draw.h"
#include "draw/html.h"
#include "format/format.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum {
	VERSION = 3,
	INVERTED = 1, COMPARES = 2, AS_TREE = 4, SAMPLES = 8,	/* flags */
	OPENS = 16, BY_WEIGHT = 32, FAMILIES = 64, UNFOLDED = 128, STARTS = 256,
	SPELLINGS = 4, DOTTED = 1, OWN_END = 2,
	STILL_FRAMES = 350, STILL_WIDTH = 1200, STILL_ROW = 18,
	STILL_ROWS = 45		/* of more the root is on top */
};

/* A name and how it ran. */
struct symbol {
	struct slice text;
	uint8_t type;
	uint32_t paint;
	uint32_t number;	/* in the order of first use */
	uint32_t next;		/* of the same name, plus one; 0: none */
	uint32_t spelling[SPELLINGS];	/* columns of the caption */
	uint32_t same;		/* bytes shared by name and caption */
};

struct book {
	struct fl_page *page;
	struct fl_out *out;
	struct fl_layout *layout;
	struct fl_moments moments;	/* count 0: none */
	bool further;			/* not the first metric */
	bool compares;
	struct fl_words words;		/* unless it compares */
	struct fl_column widths;
	struct fl_frame_color frame_color;
	struct fl_paints paints;
	struct symbol *symbol;
	size_t nsymbols, capacity;
	uint32_t *symbol_of_node;		/* by node: its symbol */
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

/* The last symbol added for a name: its number plus one, and type. */
struct last_symbol {
	uint32_t symbol;
	uint32_t type;
};

/* The symbol of a name and type; UINT32_MAX: it is new. */
static uint32_t find_symbol(const struct book *b,
			    const struct last_symbol *last_symbol, uint8_t type)
{
	uint32_t at = last_symbol->symbol;

	if (fl_likely(at && last_symbol->type == type))
		return at - 1;
	while (at && b->symbol[at - 1].type != type)
		at = b->symbol[at - 1].next;
	return at - 1;
}

static bool add_symbol(struct book *b, struct last_symbol *last_symbol,
		       uint32_t node)
{
	const struct fl_layout *l = b->layout;

	if (!fl_grow(&b->symbol, &b->capacity, b->nsymbols + 1,
		     sizeof(*b->symbol)))
		return false;
	b->symbol[b->nsymbols] = (struct symbol){
		.text = fl_node_name(b->page, l, node),
		.type = l->type[node],
		.number = b->nsymbols,
		.next = last_symbol->symbol,
	};
	b->nsymbols++;
	*last_symbol = (struct last_symbol){ .symbol = b->nsymbols,
					     .type = l->type[node] };
	return true;
}

/* Numbers symbols in the order of nodes; the first is the root's, "all". */
static bool add_symbols(struct book *b)
{
	const struct fl_layout *l = b->layout;
	struct last_symbol *by_name =
				   fl_zeroed(b->page->tree->flame->names.count,
					     sizeof(*by_name)),
			   root = { 0 };
	bool good = by_name && add_symbol(b, &root, 0);

	for (uint32_t i = 1; good && i < l->count; i++) {
		struct last_symbol *last_symbol = &by_name[l->name[i]];
		uint32_t symbol = find_symbol(b, last_symbol, l->type[i]);

		if (fl_unlikely(symbol == UINT32_MAX)) {
			symbol = b->nsymbols;
			good = add_symbol(b, last_symbol, i);
		}
		b->symbol_of_node[i] = symbol;
	}
	fl_free(by_name);
	return good;
}

static bool paint_symbols(struct book *b)
{
	for (unsigned i = 0; i < FL_RAMP_STEPS; i++)
		fl_paint(&b->paints, fl_ramp[b->page->compare.negate ?
					     FL_RAMP_STEPS - 1 - i : i]);
	for (unsigned i = 0; i < FL_HUES; i++)
		fl_paint(&b->paints, fl_group_color(i));
	for (size_t i = 0; i < b->nsymbols; i++) {
		struct symbol *s = &b->symbol[i];

		s->paint = fl_paint(&b->paints,
				    fl_frame_color_scheme(&b->frame_color, !i,
							  s->text, s->type));
	}
	return !b->paints.failed;
}

/* Sorts symbols by text and renumbers them. */
static bool sort_symbols(struct book *b)
{
	uint32_t *rank = fl_alloc(b->nsymbols * sizeof(*rank));

	if (!rank)
		return false;
	qsort(b->symbol + 1, b->nsymbols - 1, sizeof(*b->symbol), by_text);
	for (size_t i = 0; i < b->nsymbols; i++)
		rank[b->symbol[i].number] = i;
	for (uint32_t i = 0; i < b->layout->count; i++)
		b->symbol_of_node[i] = rank[b->symbol_of_node[i]];
	fl_free(rank);
	return true;
}

static bool number_symbols(struct book *b)
{
	return add_symbols(b) && sort_symbols(b) && paint_symbols(b);
}

/* "s=2.000&w=after&c=self&n=time&r=30000000000-60000000000"; u: runs */
static void pack_opening(const struct book *b, struct fl_packer *p)
{
	static const char *const widths[] = { "after", "before", "larger" };
	static const char *const normal[] = { "none", "total", "time",
					      "runs" };
	const struct fl_page *page = b->page;
	uint64_t noise = (uint64_t)fl_int64(b->frame_color.noise * 1000 + 0.5);
	int64_t before = flame_tree_duration(page->tree, 0);
	int64_t after = flame_tree_duration(page->tree, 1);
	char text[192], times[96] = "";

	if (page->compare.runs[0])
		snprintf(times, sizeof(times), "&u=%u-%u",
			 page->compare.runs[0], page->compare.runs[1]);
	else if (before && after)
		snprintf(times, sizeof(times), "&r=%" PRId64 "-%" PRId64,
			 before, after);
	snprintf(text, sizeof(text), "s=%" PRIu64 ".%03u&w=%s&c=%s&n=%s%s",
		 noise / 1000, (unsigned)(noise % 1000),
		 widths[page->compare.widths],
		 page->compare.delta == FL_DELTA_TOTAL ? "total" : "self",
		 normal[page->compare.normalize], times);
	fl_pack_text(p, text);
}

static void pack_head(const struct book *b, struct fl_packer *p)
{
	const struct fl_page *page = b->page;

	fl_pack_number(p, VERSION);
	fl_pack_number(p, (page->inverted ? INVERTED : 0) |
		       (b->compares ? COMPARES | OPENS : 0) |
		       (page->as_tree ? AS_TREE : 0) |
		       (page->sort == FL_SORT_WEIGHT ? BY_WEIGHT : 0) |
		       (b->frame_color.scheme->by_type ? FAMILIES : 0) |
		       (b->page->html.no_fold_trunk ? UNFOLDED : 0) |
		       (b->moments.count ? SAMPLES : 0) |
		       (b->moments.start != b->moments.zero ? STARTS : 0));
	fl_pack_number(p, b->layout->count);
	fl_pack_number(p, b->nsymbols);
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

static void pack_families(const struct book *b, struct fl_packer *p)
{
	for (uint32_t i = 0; i < b->paints.count; i++) {
		const char *name = fl_family_name(b->paints.colors[i]);

		fl_pack_text(p, name ? name : "");
	}
}

static void pack_symbols(const struct book *b, struct fl_packer *p)
{
	struct slice last = { "", 0 };

	for (size_t i = 0; i < b->nsymbols; i++) {
		const struct symbol *s = &b->symbol[i];

		fl_pack_shared_prefix(p, &last, s->text);
		fl_pack_number(p, s->type);
		fl_pack_number(p, s->paint);
	}
}

/* The length in UTF-16 units, as in JavaScript. */
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

/* Bytes that the name and the caption begin with, up to a character. */
static size_t shared_prefix(const char *name, size_t size,
			    const struct fl_caption *c)
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
	size_t same = at ? c->size : shared_prefix(name, size, c);

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

/* Codes a caption as a part of its name and an end of its own. */
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

	for (size_t i = 0; i < b->nsymbols; i++) {
		fl_caption(&c[0], b->symbol[i].text, b->symbol[i].type);
		spell(&b->symbol[i], &c[0]);
	}
	for (unsigned k = 0; k < SPELLINGS; k++)
		for (size_t i = 0; i < b->nsymbols; i++)
			fl_pack_number(p, b->symbol[i].spelling[k]);
	for (size_t i = 0, k = 0; i < b->nsymbols; i++) {
		const struct symbol *s = &b->symbol[i];

		if (!(s->spelling[0] & OWN_END))
			continue;
		k = !k;
		fl_caption(&c[k], s->text, s->type);
		fl_pack_shared_prefix(p, &last,
				      (struct slice){ c[k].text + s->same,
						      c[k].size - s->same });
	}
}

enum { PREFETCH_DISTANCE = 12 };	/* nodes */

/* The key of a node: its parent's symbol and its own. */
static uint64_t pair_of(const struct book *b, uint32_t node)
{
	return (uint64_t)b->symbol_of_node[b->layout->parent[node]] << 32 |
	       b->symbol_of_node[node];
}

/* Packs ranks, then the symbols of rank 0. */
static bool pack_ranks(const struct book *b, struct fl_packer *p)
{
	const struct fl_layout *l = b->layout;
	uint32_t *seen = fl_zeroed(b->nsymbols, sizeof(*seen));
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

		if (fl_likely(i + PREFETCH_DISTANCE < l->count))
			fl_map_prefetch(&map,
					pair_of(b, i + PREFETCH_DISTANCE));
		good = rank;
		if (!good)
			break;
		fl_pack_number(p, *rank);
		if (is_new) {
			*rank = ++seen[b->symbol_of_node[l->parent[i]]];
			fresh[n++] = b->symbol_of_node[i];
		}
	}
	for (uint32_t i = 0; good && i < n; i++)
		fl_pack_number(p, fresh[i]);
	fl_map_free(&map);
	fl_free(fresh);
	fl_free(seen);
	return good;
}

/* Reuses `end`, which is not needed any more, for the counts. */
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

/* With several metrics, each block has the text of its tab. */
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
	fl_out_print(out, "\" data-total=\"%" PRId64,
		     l->total[l->columns - 1][0]);
	if (l->columns == 2)
		fl_out_print(out, "\" data-before=\"%" PRId64,
			     l->total[0][0]);
	fl_out_text(out, "\">");
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
	if (b->frame_color.scheme->by_type)
		pack_families(b, p);
	if (!b->compares)
		fl_html_pack_said(p, b->page->tree->flame, b->layout,
				  &b->words);
	good = fl_packer_close(p) && good;
	fl_out_text(b->out, "</script>\n");
	return good;
}

static uint32_t fill_of(const struct book *b, uint32_t i)
{
	if (b->compares)
		return fl_frame_color_change(&b->frame_color, i).light;
	return b->paints.colors[b->symbol[b->symbol_of_node[i]].paint].light;
}

/* Of some hundred frames a page, so without printf. */
static void put_fill(struct fl_out *out, uint32_t color)
{
	char text[] = "<path fill=\"#000000\" d=\"M";

	for (char *digit = strchr(text, '#') + 6; *digit != '#'; color >>= 4)
		*digit-- = "0123456789abcdef"[color & 15];
	fl_out_text(out, text);
}

static void put_still_frame(struct book *b, uint32_t i, double x, double y,
			    double width)
{
	struct fl_out *out = b->out;
	const struct symbol *s = &b->symbol[b->symbol_of_node[i]];
	struct fl_caption caption;
	struct slice text;
	bool cut;

	put_fill(out, fill_of(b, i));
	fl_put_coord(out, x);
	fl_out_text(out, " ");
	fl_put_coord(out, y);
	fl_out_text(out, "h");
	fl_put_coord(out, width > 3 ? width - 1 : width);
	fl_out_text(out, "v");
	fl_put_coord(out, STILL_ROW - 1);
	fl_out_text(out, "H");
	fl_put_coord(out, x);
	fl_out_text(out, "\"/>");
	if (width < FL_MIN_CAPTION_PIXELS)
		return;
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
	const char *title = fl_page_heading(page);

	return title && *title ? title : "Flame graph";
}

/* The names of the other events, which only the script shows. */
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

/* The page's header as text. */
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

/* Skips subtrees that are too light: no node is heavier than its parent. */
static uint32_t next_wide(const struct fl_layout *l, uint32_t i,
			  int64_t min_total)
{
	return l->total[0][i] < min_total ? l->end[i] : i + 1;
}

/* The widest frames, without a style, so that every policy shows them. */
static bool put_still(struct book *b)
{
	const struct fl_layout *l = &b->widths.layout;
	const int64_t *total = l->total[0];
	double scale = (double)STILL_WIDTH / FL_MAX(total[0], 1);
	/* By level: where the next node begins. */
	int64_t *next = fl_zeroed((size_t)l->depth + 2, sizeof(*next)),
		min_total;
	unsigned rows = 1;
	bool inverted;

	if (!next || !fl_layout_threshold(l, 0, STILL_FRAMES, &min_total)) {
		fl_free(next);
		return false;
	}
	min_total = FL_MAX(min_total, fl_int64(1 / scale));
	for (uint32_t i = 0; i < l->count; i = next_wide(l, i, min_total))
		if (total[i] >= min_total)
			rows = FL_MAX(rows, l->level[i] + 1);
	inverted = b->page->inverted || rows > STILL_ROWS;
	fl_out_text(b->out, "<div id=\"first\">\n");
	put_heading(b);
	fl_out_print(b->out, "<svg xmlns=\"http://www.w3.org/2000/svg\" "
		     "viewBox=\"0 0 %d %u\" font-size=\"12\" "
		     "font-family=\"sans-serif\" "
		     "fill=\"#14181d\">\n",
		     STILL_WIDTH, rows * STILL_ROW);
	for (uint32_t i = 0; i < l->count; i = next_wide(l, i, min_total)) {
		unsigned row = inverted ? l->level[i] :
					  rows - 1 - l->level[i];
		int64_t x = next[l->level[i]];

		next[l->level[i]] = x + total[i];
		next[l->level[i] + 1] = x + l->self[0][i];
		if (!i || total[i] >= min_total)
			put_still_frame(b, i, x * scale, row * STILL_ROW,
					total[i] * scale);
	}
	fl_out_text(b->out, "</svg></div>\n");
	fl_free(next);
	return true;
}

/* Of a page within a site, to its index and its neighbours. */
static void put_links(const struct fl_page *page)
{
	struct fl_out *out = page->out;
	const char *at = page->html.links;

	if (!at || !*at)
		return;
	fl_out_text(out, "<nav id=\"site\">");
	for (size_t line; *at; at += line + (at[line] != '\0')) {
		size_t rel = strcspn(at, "\t\n"), href, text;

		line = strcspn(at, "\n");
		href = FL_MIN(rel + 1, line);
		text = href + strcspn(at + href, "\t\n");
		fl_out_text(out, "<a rel=\"");
		fl_put_escaped(out, (struct slice){ at, rel }, SIZE_MAX);
		fl_out_text(out, "\" href=\"");
		fl_put_escaped(out, (struct slice){ at + href, text - href },
			       SIZE_MAX);
		fl_out_text(out, "\">");
		text = FL_MIN(text + 1, line);
		fl_put_escaped(out, (struct slice){ at + text, line - text },
			       SIZE_MAX);
		fl_out_text(out, "</a>");
	}
	fl_out_text(out, "</nav>\n");
}

static void put_head(const struct book *b)
{
	struct fl_out *out = b->out;

	fl_out_text(out, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n"
		    "<meta charset=\"utf-8\">\n");
	fl_html_put_policy(b->page);
	fl_out_text(out, "<meta name=\"viewport\" "
		    "content=\"width=device-width\">\n");
	if (b->page->html.source_url) {
		fl_out_text(out, "<meta name=\"source-url\" content=\"");
		fl_put_string(out, b->page->html.source_url);
		fl_out_text(out, "\">\n");
	}
	fl_out_text(out, "<title>");
	fl_put_string(out, title_of(b->page));
	fl_out_text(out, "</title>\n");
	fl_html_put_style(b->page);
	fl_out_text(out, "\n</head>\n<body>\n");
	put_links(b->page);
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

static bool make_moments(struct book *b)
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

static bool find_words(struct book *b)
{
	const struct fl_layout *l = b->layout;
	struct fl_word_nodes nodes = {
		.count = l->count, .name = l->name, .type = l->type,
		.parent = l->parent, .end = l->end, .self = l->self[0],
	};
	struct fl_wording *wording;
	bool good;

	if (b->compares)
		return true;
	wording = fl_wording_new(b->page->tree->flame);
	good = wording && fl_wording_find(wording, &nodes, &b->words) ==
				  FLAME_OK;
	fl_wording_free(wording);
	return good;
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
	if (!shown.sort && !shown.compat)
		shown.sort = FL_SORT_WEIGHT;
	if (!fl_page_sort(&shown, b.layout, FL_SORT_NAME)) {
		fl_layout_free(b.layout);
		return fl_no_memory(flame);
	}
	if (fl_frame_color_open_scheme(&b.frame_color, &shown, b.layout) !=
	    FLAME_OK)
		goto closed;
	b.compares = b.layout->columns == 2;
	if (b.compares)
		fl_frame_color_open_changes(&b.frame_color);
	b.symbol_of_node =
		fl_zeroed(b.layout->count, sizeof(*b.symbol_of_node));
	if (b.symbol_of_node && fl_column_open(&b.widths, &shown, b.layout) &&
	    make_moments(&b) && number_symbols(&b) && find_words(&b) &&
	    put_profile(&b))
		status = FLAME_OK;
	else
		fl_no_memory(flame);
	page->timed = page->timed || shown.timed;
	page->compared = page->compared || shown.compared;
closed:
	fl_frame_color_close(&b.frame_color);
	fl_column_close(&b.widths);
	fl_paints_free(&b.paints);
	fl_layout_free(b.layout);
	fl_moments_free(&b.moments);
	fl_free(b.symbol_of_node);
	fl_free(b.symbol);
	return status;
}

static int write_html(struct fl_page *page)
{
	struct fl_page shown = *page;

	if (page->html.split && fl_html_write_viewer(page) != FLAME_OK)
		return FLAME_FAILED;
	if (write_profile(page, false) != FLAME_OK)
		return FLAME_FAILED;
	for (size_t i = 0; i < page->nmore; i++) {
		shown.tree = page->more[i].tree;
		shown.samples = page->more[i].samples;
		shown.compare.scale = page->more[i].scale;
		if (write_profile(&shown, true) != FLAME_OK)
			return FLAME_FAILED;
	}
	if (!fl_html_put_about(page))
		return fl_no_memory(page->tree->flame);
	fl_html_put_findings(page);
	fl_html_put_script(page);
	return FLAME_OK;
}

static struct flame_sink *create(struct flame *flame, struct fl_out *out)
{
	struct flame_sink *sink = fl_page_sink(flame, out, FL_OUTPUT_HTML,
					       write_html);

	if (sink)
		sink->keeps_apart = sink->draws = true;
	if (!sink || fl_page_keep_samples(sink))
		return sink;
	fl_no_memory(flame);
	flame_abandon(sink);
	return NULL;
}

const struct fl_format fl_format_html_write = {
	.name = "html", .summary = "flame graph, a page to explore",
	.facts = FLAME_DRAWN | FLAME_BROWSED | FLAME_PAGE,
	.suffixes = ".html .htm", .create = create,
};
