/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writes the SVG: page.c calls write_svg() with the page's tree.  The picture
 * is readable without a script.  Frames are in an inner picture whose units are
 * weights, so a box's width is its total and a zoom is one attribute; labels
 * are outside of it, in pixels.  Fills are attributes; dark pages override them
 * by class.
 *
 * In a comparison widths are the weights after, before, or the larger of both
 * selfs, and colours show changes; nodes without a width are only counted.
 */
#include "draw/svg.h"
#include "format/format.h"

#include <stdlib.h>

enum {
	WIDTH = 1200, MIN_WIDTH = 100, FRAME_HEIGHT = 18,
	MAX_FRAMES = 20000,
	MAX_UNITS = 10000000	/* browsers clamp lengths beyond 2^25 */
};

#define MINWIDTH 0.1		/* pixels of WIDTH */
#define DETAIL_PIXELS 0.1	/* narrower shapes are invisible */

#define FONTS "system-ui,-apple-system,&quot;Segoe UI&quot;,Roboto," \
	"&quot;Noto Sans&quot;,&quot;DejaVu Sans&quot;,sans-serif"

static double minwidth(const struct fl_page *page, double width)
{
	if (page->minwidth.percent)
		return page->minwidth.n * width / 100;
	if (page->minwidth.n > 0)
		return page->minwidth.n;
	return page->compat_tool == FL_PEER_INFERNO ? width / 10000 : MINWIDTH;
}

static bool is_narrow(const struct fl_svg *p, uint32_t i)
{
	return i && p->weight[i] < p->min_weight;
}

/* In a comparison: counts a node that is only outlined, and its subtree. */
static void count_subtree(struct fl_svg *p, uint32_t i)
{
	const struct fl_layout *l = p->layout;

	for (uint32_t end = l->end[i]; i < end; i++) {
		if (fl_svg_is_gone(p, i)) {
			p->gone++;
			continue;
		}
		p->rows = FL_MAX(p->rows, l->level[i] + 1);
		p->cut = true;
	}
}

/* The colour of the last frame of a name. */
struct painted {
	uint32_t paint;
	uint32_t type;		/* plus one; 0: none yet */
};

/* The colour depends on name and type, except for the root and for changes. */
static uint32_t paint(struct fl_svg *p, uint32_t i, struct painted *by_name)
{
	struct painted *as = &by_name[p->layout->name[i]];
	uint32_t type = p->layout->type[i] + 1u;

	if (!i || p->compares)
		return fl_paint(&p->paints,
				fl_frame_color_pick(&p->frame_color, i));
	if (as->type != type)
		*as = (struct painted){ fl_paint(&p->paints,
						 fl_frame_color_pick(
							 &p->frame_color, i)),
					type };
	return as->paint;
}

/*
 * Counts frames that are drawn and that are only outlined.  A reader of the SVG
 * reads the hidden weight as self of the parents.
 */
static bool count(struct fl_svg *p)
{
	const struct fl_layout *l = p->layout;
	struct painted *by_name =
		fl_zeroed(p->page->tree->flame->names.count, sizeof(*by_name));
	const int64_t *read = l->total[p->compares];
	bool reported = p->nruns;	/* light nodes are not in the layout */

	if (!by_name)
		return false;
	p->cut = reported;
	/* First the colours of the ramp, as the legend shows all. */
	for (unsigned i = 0; p->compares && i < FL_RAMP_STEPS; i++)
		fl_paint(&p->paints, fl_ramp[i]);
	if (!p->compares)
		p->rows = FL_MAX(l->depth + 1, p->nruns);
	for (uint32_t i = 0; i < l->count; i = fl_svg_next(p, i)) {
		if (is_narrow(p, i)) {
			p->hidden += read[i];
			if (p->weight[l->parent[i]] >= p->min_weight)
				p->cut_total += p->weight[i];
			if (p->compares)
				count_subtree(p, i);
			p->cut = p->cut || !p->compares;
			continue;
		}
		p->rows = FL_MAX(p->rows, l->level[i] + 1);
		p->paint[i] = paint(p, i, by_name);
		p->drawn++;
	}
	if (reported && p->weight[0] >= p->min_weight)
		p->cut_total += p->hidden;
	fl_free(by_name);
	return true;
}

/* Collects a colour of each family in use; a single one needs no legend. */
static void collect_key(struct fl_svg *p)
{
	const char *seen[FL_SVG_KEYS];

	for (uint32_t i = 0; p->frame_color.scheme->by_type && !p->compares &&
			     i < p->paints.count && p->nkey < FL_SVG_KEYS;
	     i++) {
		const char *name = fl_family_name(p->paints.colors[i]);
		unsigned k = 0;

		while (name && k < p->nkey && seen[k] != name)
			k++;
		if (!name || k < p->nkey)
			continue;
		seen[k] = name;
		p->key[p->nkey++] = i;
	}
	if (p->nkey == 1)
		p->nkey = 0;
}

/* The notes given, or made from facts of the inputs; NULL: none. */
static const char *notes_of(const struct fl_page *page)
{
	const char *notes = page->notes ? page->notes : page->input_notes;

	return notes && *notes ? notes : NULL;
}

/* Subtitle, total, cut frames, legend and notes have a line each. */
static void measure(struct fl_svg *p)
{
	const struct fl_page *page = p->page;
	unsigned below = 1 + p->cut + (p->compares || p->nkey) +
			 (notes_of(page) != NULL);

	p->row = page->frame_height > 0 ? page->frame_height : FRAME_HEIGHT;
	p->top = page->subtitle && *page->subtitle ? 54 : 36;
	p->height = p->top + p->rows * p->row + 8 + below * 18 + 4;
}

/* The root's weight, which --total may increase. */
static int64_t root_weight(const struct fl_svg *p, int64_t sum)
{
	int64_t all = p->page->all;

	if (all && all < sum)
		fl_warn(p->page->tree->flame, "--total %lld is ignored: the "
			"samples add up to %lld", (long long)all,
			(long long)sum);
	return FL_MAX(all, sum);
}

static void set_scale(struct fl_svg *p, int64_t all)
{
	p->width = p->page->width > 0 ? p->page->width : WIDTH;
	p->all = all;
	p->total = FL_MAX(p->all, 1);
	p->scale = (p->width - 2 * FL_SVG_PAD) / p->total;
	for (p->unit_size = 1; p->total / p->unit_size > MAX_UNITS;)
		p->unit_size *= 10;
	p->pixel = fl_svg_units(p, 1 / p->scale);
	p->minwidth = minwidth(p->page, p->width);
	p->min_weight = fl_int64(p->minwidth / p->scale);
	p->min_weight += p->min_weight < INT64_MAX &&
		    p->min_weight * p->scale < p->minwidth;
	p->min_weight = FL_MAX(p->min_weight, 1);
}

/* Raises min_weight, if too many frames would be drawn. */
static void raise_min_weight(struct fl_svg *p, int64_t threshold)
{
	if (threshold > p->min_weight) {
		p->min_weight = threshold;
		p->minwidth = threshold * p->scale;
	}
}

/* Such schemes rank groups by the weights of all nodes, drawn or not. */
static bool ranks_groups(const struct fl_page *page)
{
	for (size_t i = 0; page->colors && fl_schemes[i]; i++)
		if (fl_schemes[i]->group &&
		    strcmp(fl_schemes[i]->name, page->colors) == 0)
			return true;
	return false;
}

static bool can_prune(const struct fl_page *page)
{
	return page->tree->columns == 1 && !page->chart && !page->compat_tool &&
	       !page->compat && !page->svg.fold_trunk &&
	       page->sort != FL_SORT_WEIGHT &&
	       !ranks_groups(page);
}

/* Such nodes are reported without their subtrees: fl_pruned_layout_limit. */
static int64_t detail_limit(const struct fl_svg *p)
{
	return FL_MIN(fl_int64(DETAIL_PIXELS / p->scale), p->min_weight);
}

static int64_t light(struct flame_sink *sink, int64_t total)
{
	struct fl_svg p = { .page = fl_page_of(sink) };

	if (!can_prune(p.page))
		return 0;
	set_scale(&p, FL_MAX(p.page->all, total));
	return detail_limit(&p);
}

/* A layout of drawn nodes; light ones are reported and outlined. */
static int lay_out_heavy(struct fl_svg *p)
{
	struct fl_light_nodes light = { fl_svg_report_light, p };
	struct fl_pruned_layout *o;
	int64_t threshold;

	if (fl_page_check(p->page) != FLAME_OK)
		return FLAME_FAILED;
	set_scale(p, root_weight(p, p->page->tree->total[0]));
	o = fl_pruned_layout_open(p->page->tree, !p->page->borrowed);
	if (!o)
		return FLAME_FAILED;
	threshold = p->min_weight;
	if (fl_pruned_layout_limit(o, &threshold, MAX_FRAMES,
				   detail_limit(p))) {
		raise_min_weight(p, threshold);
		p->layout = fl_pruned_layout_build(o, &light);
	}
	fl_pruned_layout_free(o);
	if (!p->layout || !fl_column_open(&p->widths, p->page, p->layout))
		return fl_no_memory(p->page->tree->flame);
	return FLAME_OK;
}

/* A layout of all nodes; narrow ones are outlined later. */
static int lay_out_all(struct fl_svg *p)
{
	struct fl_page *page = p->page;
	double least = page->minwidth.n;
	int64_t threshold = 0;

	if (!page->compat)
		page->minwidth.n = 0;
	p->layout = fl_page_layout(page, WIDTH);
	page->minwidth.n = least;
	if (!p->layout)
		return FLAME_FAILED;
	if (!fl_page_sort(page, p->layout, FL_SORT_NAME))
		return fl_no_memory(page->tree->flame);
	p->compares = p->layout->columns == 2;
	if (!fl_column_open(&p->widths, page, p->layout))
		return fl_no_memory(page->tree->flame);
	set_scale(p, root_weight(p, p->widths.layout.total[0][0]));
	if (!page->compat_tool &&
	    !fl_layout_threshold(&p->widths.layout, 0, MAX_FRAMES, &threshold))
		return fl_no_memory(page->tree->flame);
	raise_min_weight(p, threshold);
	return FLAME_OK;
}

static int prepare(struct fl_svg *p)
{
	struct fl_page *page = p->page;

	if (page->width > 0 && page->width < MIN_WIDTH)
		return fl_fail(page->tree->flame, "--width %g: %d pixels or "
			       "more", page->width, MIN_WIDTH);
	page->keeps_order = true;
	if ((can_prune(page) ? lay_out_heavy(p) : lay_out_all(p)) != FLAME_OK ||
	    fl_frame_color_open(&p->frame_color, page, p->layout) != FLAME_OK)
		return FLAME_FAILED;
	if (page->svg.nameattr && !(p->attributes = fl_nameattr_open(
					page->tree->flame, page->svg.nameattr)))
		return FLAME_FAILED;
	p->weight = p->widths.layout.total[0];
	p->unit = page->countname ? page->countname : p->layout->unit;
	if (strlen(p->unit) < FL_OUT_RESERVE / 2)
		p->plain_unit = (struct slice){ p->unit, strlen(p->unit) };
	if (!fl_needs_no_escape(p->plain_unit))
		p->plain_unit.data = NULL;
	p->x = fl_zeroed(p->layout->count, sizeof(*p->x));
	p->paint = fl_zeroed(p->layout->count, sizeof(*p->paint));
	if (!p->x || !p->paint || (page->svg.fold_trunk && !fl_svg_fold(p)))
		return fl_no_memory(page->tree->flame);
	fl_layout_x(&p->widths.layout, 0, INT64_MIN, p->x);
	if (!count(p))
		return fl_no_memory(page->tree->flame);
	collect_key(p);
	measure(p);
	return p->paints.failed ? fl_no_memory(page->tree->flame) : FLAME_OK;
}

/* set_color has checked the colour. */
static void put_rule(struct fl_out *out, const char *what, const char *key,
		     const char *color)
{
	if (color)
		fl_out_print(out, "\n%s{%s:%s}", what, key, color);
}

static void put_style(struct fl_svg *p)
{
	struct fl_out *out = p->out;

	fl_out_text(out, "<style>");
	fl_out_text(out, fl_viewer.svg_style);
	fl_out_text(out, "@media screen and (prefers-color-scheme:dark){");
	for (uint32_t i = 0; i < p->paints.count; i++)
		fl_out_print(out, ".c%u{fill:#%06x}", (unsigned)i,
			     (unsigned)p->paints.colors[i].dark);
	fl_out_text(out, "}");
	put_rule(out, "#frames.searched rect.hit", "fill",
		 p->page->svg.search_color);
	put_rule(out, "#gaps", "stroke", p->page->svg.stroke_color);
	put_rule(out, "#title,#subtitle,#details text", "fill",
		 p->page->svg.ui_color);
	put_rule(out, "#bar,#bar button,#bar input", "color",
		 p->page->svg.ui_color);
	fl_out_text(out, "</style>\n");
}

static void put_size(struct fl_svg *p, double width, double height)
{
	fl_out_text(p->out, " width=\"");
	fl_put_coord(p->out, width);
	fl_out_text(p->out, "\" height=\"");
	fl_put_coord(p->out, height);
	fl_out_text(p->out, "\"");
}

static void put_text(struct fl_svg *p, const char *attributes, double x,
		     double y, const char *text)
{
	fl_out_print(p->out, "<text%s x=\"", attributes);
	fl_put_coord(p->out, x);
	fl_out_text(p->out, "\" y=\"");
	fl_put_coord(p->out, y);
	fl_out_text(p->out, "\">");
	fl_put_string(p->out, text);
	fl_out_text(p->out, "</text>\n");
}

/* A colour, or the name of a gradient of flamegraph.pl. */
static void put_background(struct fl_svg *p)
{
	static const struct {
		const char *name, *top, *bottom;
	} gradients[] = {
		{ "yellow", "#eeeeee", "#eeeeb0" },
		{ "green", "#eef2ee", "#e0ffe0" },
		{ "blue", "#eeeeee", "#e0e0ff" },
		{ "grey", "#f8f8f8", "#e8e8e8" },
	};
	const char *fill = p->page->svg.background;
	struct fl_out *out = p->out;

	for (size_t i = 0; fill && i < FL_COUNT(gradients); i++) {
		if (strcmp(fill, gradients[i].name) != 0)
			continue;
		fl_out_print(out, "<linearGradient id=\"background\" x2=\"0\" "
			     "y2=\"1\"><stop stop-color=\"%s\" "
			     "offset=\".05\"/><stop stop-color=\"%s\" "
			     "offset=\".95\"/></linearGradient>\n",
			     gradients[i].top, gradients[i].bottom);
		fill = "url(#background)";
	}
	fl_out_print(out, "<rect id=\"page\" width=\"100%%\" "
		     "height=\"100%%\" fill=\"%s\"/>\n",
		     fill ? fill : "#fff");
}

static bool is_shown(const struct flame_fact *fact)
{
	return strcmp(fact->key, "event") != 0 &&
	       strcmp(fact->key, "setting") != 0 &&
	       strcmp(fact->key, "title") != 0;
}

static bool put_origin(struct fl_svg *p, const struct fl_origin *origin,
		       bool first)
{
	struct fl_out *out = p->out;
	size_t n = 0;

	for (size_t i = 0; i < origin->nfacts; i++)
		n += is_shown(&origin->facts[i]);
	if (!n)
		return false;
	if (first)
		fl_out_text(out, "<metadata>libflame " FLAME_VERSION "\n");
	fl_put_string(out, origin->name);
	fl_out_text(out, "\n");
	for (size_t i = 0; i < origin->nfacts; i++) {
		const struct flame_fact *fact = &origin->facts[i];

		if (!is_shown(fact))
			continue;
		fl_out_text(out, "  ");
		fl_put_string(out, fact->key);
		fl_out_text(out, ": ");
		fl_put_string(out, fact->value);
		fl_out_text(out, "\n");
	}
	return true;
}

/*
 * Facts of the inputs except counts of events and settings; the title has the
 * names of inputs without facts.
 */
static void put_origins(struct fl_svg *p)
{
	const struct fl_page *page = p->page;
	bool any = false;

	for (unsigned c = 0; c < 2 && !page->compat && !page->compat_tool; c++)
		for (size_t i = 0; page->origins[c] &&
				   i < page->origins[c]->count; i++)
			any |= put_origin(p, &page->origins[c]->data[i], !any);
	if (any)
		fl_out_text(p->out, "</metadata>\n");
}

static void put_head(struct fl_svg *p)
{
	const struct fl_page *page = p->page;
	struct fl_out *out = p->out;
	const char *given = fl_page_heading(page);
	const char *title = given && *given ? given :
			    page->chart ? "Flame chart" :
			    page->inverted ? "Icicle graph" : "Flame graph";

	fl_out_text(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
		    "<svg xmlns=\"http://www.w3.org/2000/svg\"");
	put_size(p, p->width, p->height);
	if (page->width > 0)
		fl_out_text(out, " class=\"fixed\"");
	fl_out_text(out, " viewBox=\"0 0 ");
	fl_put_coord(out, p->width);
	fl_out_text(out, " ");
	fl_put_coord(out, p->height);
	fl_out_text(out, "\" font-family=\"");
	if (page->svg.font) {
		fl_put_string(out, page->svg.font);
		fl_out_text(out, ",");
	}
	fl_out_text(out, FONTS "\" font-size=\"12\" fill=\"#14181d\">\n"
		    "<title>");
	fl_put_string(out, title);
	fl_out_text(out, "</title>\n");
	put_origins(p);
	put_style(p);
	put_background(p);
	put_text(p, " id=\"title\" font-size=\"16\" font-weight=\"600\" "
		 "text-anchor=\"middle\"", p->width / 2, 24, title);
	if (page->subtitle && *page->subtitle)
		put_text(p, " id=\"subtitle\" fill=\"#57606a\" "
			 "text-anchor=\"middle\"", p->width / 2, 43,
			 page->subtitle);
}

static void put_line(struct fl_svg *p, double *y)
{
	fl_out_print(p->out, "<text x=\"%d\" y=\"", FL_SVG_PAD);
	fl_put_coord(p->out, *y);
	fl_out_text(p->out, "\">");
	*y += 18;
}

/* "1,234 -> 1,250 samples (+16, +1.30%), " */
static void put_totals(struct fl_svg *p)
{
	int64_t before = p->layout->total[0][0];
	int64_t after = p->layout->total[1][0];
	int64_t change = fl_change_rounded(p->page, p->layout, 0, true);

	fl_put_count(p->out, before);
	fl_out_text(p->out, " -&gt; ");
	fl_put_count(p->out, after);
	fl_out_text(p->out, " ");
	fl_put_string(p->out, p->unit);
	fl_out_text(p->out, " (");
	fl_put_change(p->out, change);
	if (before > 0) {
		fl_out_text(p->out, change < 0 ? ", -" : ", +");
		fl_put_share(p->out, change < 0 ? -change : change,
			     after - change);
	}
	if (p->page->compare.normalize) {
		fl_out_text(p->out, "; ");
		fl_put_scale(p->out, p->page);
	}
	fl_out_text(p->out, "), ");
}

static void put_swatch(struct fl_svg *p, double x, double y, uint32_t paint)
{
	fl_out_print(p->out, "<rect class=\"c%u\" x=\"", (unsigned)paint);
	fl_put_coord(p->out, x);
	fl_out_text(p->out, "\" y=\"");
	fl_put_coord(p->out, y);
	fl_out_print(p->out,
		     "\" width=\"18\" height=\"11\" "
		     "fill=\"#%06x\"/>",
		     (unsigned)p->paints.colors[paint].light);
}

/* The legend of colour families. */
static void put_key(struct fl_svg *p, double *y)
{
	double x = FL_SVG_PAD;

	for (unsigned i = 0; i < p->nkey; i++) {
		const char *name = fl_family_name(p->paints.colors[p->key[i]]);

		put_swatch(p, x, *y - 10, p->key[i]);
		put_text(p, "", x + 24, *y, name);
		x += 24 + 8 * strlen(name) + 16;
	}
	*y += 18;
}

/* The legend of a comparison, and the number of frames not drawn. */
static void put_legend(struct fl_svg *p, double *y)
{
	static const char *const hatched[] = {
		[FL_WIDTHS_AFTER] = "new", [FL_WIDTHS_BEFORE] = "gone",
		[FL_WIDTHS_MAX] = "new, or (falling) gone",
	};
	struct fl_out *out = p->out;
	double x = FL_SVG_PAD + 64;

	put_text(p, "", FL_SVG_PAD, *y,
		 p->page->compare.delta == FL_DELTA_TOTAL ? "total: less" :
							    "self: less");
	for (unsigned i = 0; i < FL_RAMP_STEPS; i++, x += 19)
		put_swatch(p, x, *y - 10, i);
	fl_out_text(out, "<text x=\"");
	fl_put_coord(out, x + 6);
	fl_out_text(out, "\" y=\"");
	fl_put_coord(out, *y);
	fl_out_text(out, "\">more; hatched: ");
	fl_out_text(out, hatched[p->page->compare.widths]);
	if (p->gone) {
		fl_out_text(out, "; not drawn, as they are ");
		fl_out_text(out, p->page->compare.widths == FL_WIDTHS_BEFORE ?
			    "new: " : "gone: ");
		fl_put_count(out, p->gone);
		fl_out_text(out, p->gone == 1 ? " frame" : " frames");
	}
	if (p->frame_color.noise > 0) {
		fl_out_text(out, "; changes within ");
		fl_put_coord(out, p->frame_color.noise);
		fl_out_text(out, " sigma are grey");
	}
	fl_out_text(out, "</text>\n");
	*y += 18;
}

static void put_foot(struct fl_svg *p)
{
	double y = p->top + p->rows * p->row + 8 + 12;
	struct fl_out *out = p->out;

	fl_out_text(out, "<g id=\"details\" fill=\"#57606a\">\n");
	put_line(p, &y);
	if (*p->layout->metric) {
		fl_put_string(out, p->layout->metric);
		fl_out_text(out, ": ");
	}
	if (p->compares) {
		put_totals(p);
	} else {
		fl_put_count(out, fl_svg_shown_weight(p, p->all));
		fl_out_text(out, " ");
		fl_put_string(out, p->unit);
		fl_out_text(out, ", ");
	}
	fl_put_count(out, FL_MAX(p->drawn, 1u) - 1 + p->nfolded);
	fl_out_text(out, p->cut ? " frames drawn</text>\n" :
				  " frames</text>\n");
	if (p->compares)
		put_legend(p, &y);
	else if (p->nkey)
		put_key(p, &y);
	if (p->cut) {
		put_line(p, &y);
		fl_out_text(out, "frames narrower than ");
		fl_put_coord(out, FL_MAX(p->minwidth, MINWIDTH));
		fl_out_text(out, " px are grey: ");
		fl_put_share(out, p->cut_total, p->total);
		fl_out_text(out, " of all</text>\n");
	}
	if (notes_of(p->page))
		put_text(p, "", FL_SVG_PAD, y, notes_of(p->page));
	fl_out_text(out, "</g>\n");
}

static void put_script(struct fl_svg *p)
{
	if (p->page->svg.no_script)
		return;
	fl_out_text(p->out, "<script><![CDATA[");
	fl_out_text(p->out, fl_viewer.svg_script);
	fl_out_text(p->out, "]]></script>\n");
}

/* Read by format/picture/svg.c. */
static void put_facts(struct fl_svg *p)
{
	fl_out_text(p->out, " data-cut=\"");
	fl_svg_number(p->out, (uint64_t)FL_MAX(p->hidden, 0));
	if (*p->layout->metric) {
		fl_out_text(p->out, "\" data-metric=\"");
		fl_put_string(p->out, p->layout->metric);
	}
	if (p->compares && p->page->compare.delta == FL_DELTA_TOTAL)
		fl_out_text(p->out, "\" data-delta=\"total");
	fl_out_text(p->out, "\"");
}

static bool put_picture(struct fl_svg *p)
{
	struct fl_out *out = p->out;
	bool good;

	put_head(p);
	fl_out_print(out, "<svg id=\"frames\" x=\"%d\" y=\"", FL_SVG_PAD);
	fl_put_coord(out, p->top);
	fl_out_text(out, "\"");
	put_size(p, p->width - 2 * FL_SVG_PAD, p->rows * p->row);
	fl_out_text(out, " viewBox=\"0 0 ");
	fl_svg_number(out, fl_svg_units(p, p->total));
	fl_out_print(out, " %u\" preserveAspectRatio=\"none\"", p->rows);
	put_facts(p);
	if (p->page->svg.nametype) {
		fl_out_text(out, " data-nametype=\"");
		fl_put_string(out, p->page->svg.nametype);
		fl_out_text(out, "\"");
	}
	fl_out_text(out, ">\n");
	good = fl_svg_frames(p);
	fl_out_text(out, "</svg>\n");
	fl_svg_above(p);
	put_foot(p);
	put_script(p);
	fl_out_text(out, "</svg>\n");
	return good;
}

static int write_svg(struct fl_page *page)
{
	struct fl_svg p = { .page = page, .out = page->out };
	int status = prepare(&p);

	if (status == FLAME_OK && !put_picture(&p))
		status = fl_no_memory(page->tree->flame);
	if (status == FLAME_OK)
		status = fl_frame_color_save(&p.frame_color);
	fl_frame_color_close(&p.frame_color);
	fl_nameattr_free(p.attributes);
	fl_paints_free(&p.paints);
	fl_layout_free(p.layout);
	fl_column_close(&p.widths);
	fl_svg_drop_runs(&p);
	fl_free(p.paint);
	fl_free(p.folded);
	fl_free(p.run_end);
	fl_free(p.x);
	return status;
}

static struct flame_sink *create(struct flame *flame, struct fl_out *out)
{
	struct flame_sink *sink = fl_page_sink(flame, out, FL_OUTPUT_SVG,
					       write_svg);

	if (sink) {
		sink->draws = true;
		sink->light = light;
	}
	return sink;
}

const struct fl_format fl_format_svg_write = {
	.name = "svg", .summary = "flame graph, one picture",
	.facts = FLAME_DRAWN | FLAME_BROWSED,
	.suffixes = ".svg .svgz", .create = create,
};
