/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writes the frames of an SVG, for svg.c: boxes in the units of the inner
 * picture (fl_svg_frames), and over them, in pixels, gaps, hatching and labels
 * (fl_svg_above).
 *
 * Few frames are in preorder, each with its own colour and type.  Many frames
 * are grouped by colour and type, which saves a sixth of the bytes; their
 * positions alone show parents and children.
 */
#include "draw/svg.h"

#include <strings.h>

enum {
	GROUP_MIN_FRAMES = 1000,
	MAX_TITLE_BYTES = 1000	/* of the name */
};

#define MIN_GAP_WIDTH 2.5	/* pixels: narrower frames have no gap */

bool fl_svg_is_gone(const struct fl_svg *p, uint32_t i)
{
	return p->compares && i && !p->weight[i];
}

static unsigned row_of(const struct fl_svg *p, unsigned level)
{
	return p->page->inverted ? level : p->rows - 1 - level;
}

/*
 * Frames are many: their markup is composed in the output buffer, where
 * fl_out_reserve has made space.
 */
#define FILL(to, text) fill(to, text, sizeof(text) - 1)

static inline char *fill(char *to, const char *text, size_t size)
{
	memcpy(to, text, size);
	return to + size;
}

static inline char *fill_number(char *to, uint64_t n)
{
	return to + fl_format_u64(to, n);
}

void fl_svg_number(struct fl_out *out, uint64_t n)
{
	char digits[24];

	fl_out_put(out, digits, fl_format_u64(digits, n));
}

/* " (1,234 -> 1,250 samples, +16)", "+16; self +3" where that differs. */
static void put_changes(struct fl_svg *p, uint32_t i)
{
	int64_t before = p->layout->total[0][i];
	int64_t after = p->layout->total[1][i];
	int64_t change = fl_change_rounded(p->page, p->layout, i, true);
	int64_t self = fl_change_rounded(p->page, p->layout, i, false);

	fl_out_put(p->out, " (", 2);
	fl_put_count(p->out, before);
	fl_out_text(p->out, " -&gt; ");
	fl_put_count(p->out, after);
	fl_out_put(p->out, " ", 1);
	fl_put_string(p->out, p->unit);
	fl_out_put(p->out, ", ", 2);
	fl_put_change(p->out, change);
	if (self != change) {
		fl_out_text(p->out, "; self ");
		fl_put_change(p->out, self);
	}
	fl_out_text(p->out, !before && after ? ", new)" :
			    before && !after ? ", gone)" : ")");
}

int64_t fl_svg_shown_weight(const struct fl_svg *p, int64_t weight)
{
	double n = (double)weight * p->page->svg.factor;

	if (p->page->svg.factor <= 0 || n > 9e18)
		return weight;
	return (int64_t)(n + 0.5);
}

/* " (1,234 samples, 5.67%)" */
static void put_weight(struct fl_svg *p, int64_t weight)
{
	struct slice unit = p->plain_unit;
	char *to = FILL(fl_out_reserve(p->out), " (");

	to = fl_fill_count(to, fl_svg_shown_weight(p, weight));
	*to++ = ' ';
	if (fl_likely(unit.data)) {
		to = fill(to, unit.data, unit.size);
	} else {
		fl_out_commit(p->out, to);
		fl_put_string(p->out, p->unit);
		to = fl_out_reserve(p->out);
	}
	to = FILL(to, ", ");
	to = fl_fill_share(to, weight, p->all);
	*to++ = ')';
	fl_out_commit(p->out, to);
}

static struct slice attribute(const struct fl_svg *p, struct slice name,
			      const char *key)
{
	struct slice none = { NULL, 0 };

	return p->attributes ? fl_nameattr_get(p->attributes, name, key) :
			       none;
}

/* Writes an attribute of --nameattr; false: none. */
static bool put_attribute(struct fl_svg *p, struct slice name,
			  const char *key)
{
	struct slice value = attribute(p, name, key);

	if (!value.data)
		return false;
	fl_out_print(p->out, " %s=\"", key);
	fl_put_escaped(p->out, value, SIZE_MAX);
	fl_out_text(p->out, "\"");
	return true;
}

/* Opens a link of --nameattr, unless it is a script. */
static bool put_link(struct fl_svg *p, struct slice name)
{
	struct slice to = attribute(p, name, "href");

	if (!to.data ||
	    (to.size > 10 && strncasecmp(to.data, "javascript:", 11) == 0))
		return false;
	fl_out_text(p->out, "<a");
	put_attribute(p, name, "href");
	if (!put_attribute(p, name, "target"))
		fl_out_text(p->out, " target=\"_top\"");
	fl_out_text(p->out, ">");
	return true;
}

/* The name; of a run all names, which a search finds and a reader sees. */
static void put_names(struct fl_svg *p, uint32_t i, struct slice name)
{
	fl_put_escaped(p->out, name, MAX_TITLE_BYTES);
	for (uint32_t k = i; (k = fl_svg_run_next(p, i, k));) {
		fl_out_text(p->out, " → ");
		fl_put_escaped(p->out, fl_node_name(p->page, p->layout, k),
			       MAX_TITLE_BYTES);
	}
}

static void put_title(struct fl_svg *p, uint32_t i, struct slice name)
{
	struct slice own = { NULL, 0 };

	if (i)
		own = attribute(p, name, "title");
	fl_out_text(p->out, "<title>");
	if (own.data) {
		fl_put_escaped(p->out, own, MAX_TITLE_BYTES);
	} else {
		put_names(p, i, name);
		if (p->compares)
			put_changes(p, i);
		else
			put_weight(p, i ? p->weight[i] : p->all);
	}
	fl_out_text(p->out, "</title>");
}

static enum flame_type type_of(const struct fl_svg *p, uint32_t i)
{
	return i ? p->layout->type[i] : FLAME_UNKNOWN;
}

/* "c3 j": the colour, for dark pages, and the type, for readers. */
static char *fill_class(const struct fl_svg *p, uint32_t i, char *to)
{
	enum flame_type type = type_of(p, i);

	to = FILL(to, " class=\"c");
	to = fill_number(to, p->paint[i]);
	if (type != FLAME_UNKNOWN) {
		*to++ = ' ';
		*to++ = FL_TYPE_LETTERS[type];
	}
	*to++ = '"';
	return to;
}

static char *fill_color(const struct fl_svg *p, uint32_t i, char *to)
{
	uint32_t color = p->paints.colors[p->paint[i]].light;

	to = FILL(to, " fill=\"#");
	for (int shift = 20; shift >= 0; shift -= 4)
		*to++ = "0123456789abcdef"[color >> shift & 15];
	*to++ = '"';
	return to;
}

static void put_box(struct fl_svg *p, uint32_t i, bool alone)
{
	int64_t weight = i ? p->weight[i] : p->all;
	int64_t left = fl_svg_units(p, p->x[i]);
	int64_t width = fl_svg_units(p, p->x[i] + weight) - left;
	char *to = FILL(fl_out_reserve(p->out), "<rect");

	if (alone)
		to = fill_class(p, i, to);
	to = FILL(to, " x=\"");
	to = fill_number(to, left);
	to = FILL(to, "\" y=\"");
	to = fill_number(to, row_of(p, p->layout->level[i]));
	to = FILL(to, "\" width=\"");
	to = fill_number(to, FL_MAX(width, 1));
	to = FILL(to, "\" height=\"1\"");
	if (alone)
		to = fill_color(p, i, to);
	fl_out_commit(p->out, to);
}

/* How the frames of a run ran, a letter each, for those who read the picture. */
static void put_run_types(struct fl_svg *p, uint32_t i)
{
	static const char letters[] = FL_TYPE_LETTERS;

	fl_out_text(p->out, " data-run=\"");
	fl_out_put(p->out, &letters[type_of(p, i)], 1);
	for (uint32_t k = i; (k = fl_svg_run_next(p, i, k));)
		fl_out_put(p->out, &letters[type_of(p, k)], 1);
	fl_out_text(p->out, "\"");
}

static void put_frame(struct fl_svg *p, uint32_t i, bool alone)
{
	struct slice name = fl_node_name(p->page, p->layout, i);
	struct fl_out *out = p->out;
	bool link = i && put_link(p, name);

	put_box(p, i, alone);
	if (i)
		put_attribute(p, name, "id");
	if (fl_svg_run_length(p, i) > 1)
		put_run_types(p, i);
	fl_out_text(out, ">");
	put_title(p, i, name);
	fl_out_text(out, link ? "</rect></a>\n" : "</rect>\n");
}

static void put_group(struct fl_svg *p, const uint32_t *nodes, size_t n)
{
	char *to;

	if (n > 1) {
		to = FILL(fl_out_reserve(p->out), "<g");
		to = fill_class(p, *nodes, to);
		to = fill_color(p, *nodes, to);
		fl_out_commit(p->out, FILL(to, ">\n"));
	}
	for (size_t i = 0; i < n; i++)
		put_frame(p, nodes[i], n == 1);
	if (n > 1)
		fl_out_text(p->out, "</g>\n");
}

/* A number for the pair of colour and type. */
static size_t look_of(const struct fl_svg *p, uint32_t i)
{
	return p->paint[i] * FL_TYPES + type_of(p, i);
}

/*
 * Sorts nodes by their look, a counting sort: those of a look are
 * nodes[from[look]] to nodes[from[look + 1]].  There are no more colours than
 * nodes.
 */
static void sort_by_look(const struct fl_svg *p, uint32_t *nodes,
			 uint32_t *from, size_t looks)
{
	const struct fl_layout *l = p->layout;

	for (int pass = 0; pass < 2; pass++) {
		for (uint32_t i = 1; i < l->count; i = fl_svg_next(p, i)) {
			if (p->weight[i] < p->min_weight ||
			    fl_svg_is_gone(p, i))
				continue;
			if (pass)
				nodes[from[look_of(p, i) + 1]++] = i;
			else
				from[look_of(p, i) + 2]++;
		}
		for (size_t i = 2; !pass && i < looks + 2; i++)
			from[i] += from[i - 1];
	}
}

static bool put_groups(struct fl_svg *p)
{
	size_t looks = (size_t)p->paints.count * FL_TYPES;
	uint32_t *nodes = fl_alloc(fl_size_mul(p->drawn, sizeof(*nodes)));
	uint32_t *from = fl_zeroed(looks + 2, sizeof(*from));
	bool good = nodes && from;

	if (good)
		sort_by_look(p, nodes, from, looks);
	for (size_t i = 0; good && i < looks; i++)
		if (from[i + 1] > from[i])
			put_group(p, nodes + from[i], from[i + 1] - from[i]);
	fl_free(nodes);
	fl_free(from);
	return good;
}

/*
 * The root first, as it has the scale for readers.  The compat tools draw
 * no frame of a profile without samples.
 */
static bool put_frames(struct fl_svg *p)
{
	if (p->weight[0] || !p->page->compat_tool)
		put_frame(p, 0, true);
	if (p->drawn > GROUP_MIN_FRAMES && p->min_weight >= p->unit_size)
		return put_groups(p);
	for (uint32_t i = 1; i < p->layout->count; i = fl_svg_next(p, i))
		if (p->weight[i] >= p->min_weight)
			put_frame(p, i, true);
	return true;
}

/*
 * Gaps of a pixel between frames.  Strokes of the frames would do, but few
 * programs except browsers support strokes that are not scaled.
 */
static void put_gaps(struct fl_svg *p)
{
	const struct fl_layout *l = p->layout;
	struct fl_out *out = p->out;

	fl_out_text(out, "<path id=\"gaps\" stroke=\"#fff\" "
		    "pointer-events=\"none\" d=\"");
	for (unsigned row = 1; row <= p->rows; row++) {
		fl_out_print(out, "M%d ", FL_SVG_PAD);
		fl_put_coord(out, p->top + row * p->row - 0.5);
		fl_out_text(out, "h");
		fl_put_coord(out, p->width - 2 * FL_SVG_PAD);
	}
	for (uint32_t i = 1; i < l->count; i = fl_svg_next(p, i)) {
		int64_t end = p->x[i] + p->weight[i];

		if (p->weight[i] < p->min_weight ||
		    p->weight[i] * p->scale < MIN_GAP_WIDTH)
			continue;
		fl_out_text(out, "M");
		fl_put_coord(out, FL_SVG_PAD + end * p->scale - 0.5);
		fl_out_text(out, " ");
		fl_put_coord(out, p->top +
			     row_of(p, l->level[i]) * p->row);
		fl_out_text(out, "v");
		fl_put_coord(out, p->row);
	}
	fl_out_text(out, "\"/>\n");
}

/* The right side in units; a run is at least one unit wide. */
static int64_t right_side(const struct fl_svg *p, const struct fl_svg_run *run)
{
	return FL_MAX(fl_svg_units(p, run->end), run->from + 1);
}

/* Ends a run: appends it to the path, relative to the last one. */
static void end_run(const struct fl_svg *p, struct fl_svg_run *run)
{
	int64_t width = right_side(p, run) - run->from;
	struct fl_buf *path = &run->path;

	if (run->begun) {
		fl_buf_byte(path, 'm');
		fl_buf_number(path, run->from - run->last);
		fl_buf_put(path, " 0", 2);
	} else {
		run->first = run->from;
	}
	fl_buf_byte(path, 'h');
	fl_buf_number(path, width);
	fl_buf_put(path, "v1h", 3);
	fl_buf_number(path, -width);
	fl_buf_byte(path, 'z');
	run->begun = true;
	run->last = run->from;
}

static bool reserve_runs(struct fl_svg *p, unsigned level)
{
	if (p->failed || !fl_grow(&p->run, &p->runs_capacity, (size_t)level + 1,
				  sizeof(*p->run))) {
		p->failed = true;
		return false;
	}
	while (p->nruns <= level)
		p->run[p->nruns++] = (struct fl_svg_run){ 0 };
	return true;
}

/*
 * Adds a light node to the outline of its level: nodes less than a pixel apart
 * are one run.  Most are, and the test needs no division.
 */
static void outline(struct fl_svg *p, unsigned level, int64_t x,
		    int64_t weight)
{
	int64_t pixel = p->pixel, left;
	struct fl_svg_run *r;

	if (fl_unlikely(level >= p->nruns) && !reserve_runs(p, level))
		return;
	r = &p->run[level];
	if (!r->open || x - r->end > pixel * p->unit_size) {
		left = fl_svg_units(p, x);
		if (!r->open || left > right_side(p, r) + pixel) {
			if (r->open)
				end_run(p, r);
			r->from = left;
			r->open = true;
		}
	}
	r->end = x + weight;
}

void fl_svg_report_light(void *svg, unsigned level, unsigned further, int64_t x,
			 int64_t weight, bool outermost)
{
	struct fl_svg *p = svg;

	if (outermost)
		p->hidden += weight;
	for (unsigned i = 0; i <= further; i++)
		outline(p, level + i, x, weight);
}

/* A path per row. */
static bool put_runs(struct fl_svg *p)
{
	bool good = !p->failed;

	for (unsigned level = 0; level < p->nruns; level++) {
		struct fl_svg_run *r = &p->run[level];

		if (!r->open)
			continue;
		end_run(p, r);
		good = good && !r->path.failed;
		fl_out_print(p->out, "<path class=\"cut\" fill=\"#c9ced5\" "
			     "d=\"M%lld %u", (long long)r->first,
			     row_of(p, level));
		fl_out_put(p->out, r->path.data, r->path.size);
		fl_out_text(p->out, "\"/>\n");
	}
	return good;
}

void fl_svg_drop_runs(struct fl_svg *p)
{
	for (size_t i = 0; i < p->nruns; i++)
		fl_buf_free(&p->run[i].path);
	fl_free(p->run);
}

static bool put_cut(struct fl_svg *p)
{
	for (uint32_t i = 1; i < p->layout->count; i++)
		if (p->weight[i] < p->min_weight && !fl_svg_is_gone(p, i))
			outline(p, p->layout->level[i], p->x[i],
				p->weight[i]);
	return put_runs(p);
}

/* Hatches frames that have no weight in a column. */
static void put_hatched(struct fl_svg *p, const char *id, const char *line,
			const int64_t *total)
{
	const struct fl_layout *l = p->layout;
	struct fl_out *out = p->out;

	fl_out_print(out, "<pattern id=\"%s-hatch\" class=\"hatch\" "
		     "width=\"6\" height=\"6\" "
		     "patternUnits=\"userSpaceOnUse\"><path d=\"%s\" "
		     "stroke=\"#14181d\" stroke-opacity=\".3\"/></pattern>\n"
		     "<path id=\"%s\" fill=\"url(#%s-hatch)\" "
		     "pointer-events=\"none\" d=\"", id, line, id, id);
	for (uint32_t i = 1; i < l->count; i = fl_svg_next(p, i)) {
		double width = p->weight[i] * p->scale - 1;

		if (total[i] || p->weight[i] < p->min_weight ||
		    width < MIN_GAP_WIDTH)
			continue;
		fl_out_text(out, "M");
		fl_put_coord(out, FL_SVG_PAD + p->x[i] * p->scale);
		fl_out_text(out, " ");
		fl_put_coord(out, p->top +
			     row_of(p, l->level[i]) * p->row);
		fl_out_text(out, "h");
		fl_put_coord(out, width);
		fl_out_text(out, "v");
		fl_put_coord(out, p->row - 1);
		fl_out_text(out, "h");
		fl_put_coord(out, -width);
		fl_out_text(out, "z");
	}
	fl_out_text(out, "\"/>\n");
}

/* The change that the colour shows, " +16"; empty for grey frames. */
static struct slice change_text(const struct fl_svg *p, uint32_t i,
				char text[33])
{
	int64_t change;

	if (!p->compares || p->paint[i] == FL_RAMP_NONE)
		return (struct slice){ text, 0 };
	change = fl_change_rounded(p->page, p->layout, i,
				   p->page->compare.delta == FL_DELTA_TOTAL);
	text[0] = ' ';
	return (struct slice){ text, change ?
			       1 + fl_format_count(text + 1, change, true) : 0 };
}

/* The name, with its change if both fit. */
static void put_label(struct fl_svg *p, uint32_t i,
		      const struct fl_caption *caption, double pixels)
{
	char digits[33];
	struct slice number = change_text(p, i, digits), text = { NULL, 0 };
	bool cut = true;

	if (p->run_end && p->run_end[i]) {
		struct fl_caption run;

		text = fl_svg_run_label(p, i, pixels, &run);
		fl_put_escaped(p->out, text, SIZE_MAX);
		if (text.size)
			return;
	}
	if (number.size)
		text = fl_caption_fit(caption, pixels -
				      fl_caption_width(number), &cut);
	if (!text.size || cut) {
		number.size = 0;
		text = fl_caption_fit(caption, pixels, &cut);
	}
	fl_put_escaped(p->out, text, SIZE_MAX);
	fl_out_text(p->out, cut ? "…" : "");
	fl_put_escaped(p->out, number, SIZE_MAX);
}

static void put_labels(struct fl_svg *p)
{
	const struct fl_layout *l = p->layout;
	struct fl_out *out = p->out;
	struct fl_caption caption;
	double size = p->page->svg.font_size > 0 ? p->page->svg.font_size : 12;

	fl_out_text(out, "<g id=\"labels\" pointer-events=\"none\"");
	if (p->page->svg.font_size > 0) {
		fl_out_text(out, " font-size=\"");
		fl_put_coord(out, p->page->svg.font_size);
		fl_out_text(out, "\"");
	}
	fl_out_text(out, ">\n");
	for (uint32_t i = 0, next; i < l->count && p->row >= size; i = next) {
		double width = i ? p->weight[i] * p->scale : p->width;
		struct slice text;
		bool cut;

		next = fl_svg_unfolded(p, width < 26 ? l->end[i] : i + 1);
		if (width < 26)
			continue;
		fl_caption(&caption, fl_node_name(p->page, l, i), l->type[i]);
		text = fl_caption_fit(&caption, width * 12 / size, &cut);
		if (!text.size)
			continue;
		fl_out_text(out, "<text x=\"");
		fl_put_coord(out, FL_SVG_PAD + p->x[i] * p->scale + 4);
		fl_out_text(out, "\" y=\"");
		fl_put_coord(out, p->top + row_of(p, l->level[i]) * p->row +
			     p->row / 2 + size / 3);
		fl_out_text(out, "\">");
		put_label(p, i, &caption, width * 12 / size);
		fl_out_text(out, "</text>\n");
	}
	fl_out_text(out, "</g>\n");
}

bool fl_svg_frames(struct fl_svg *p)
{
	bool good = put_cut(p);

	return put_frames(p) && good;
}

void fl_svg_above(struct fl_svg *p)
{
	put_gaps(p);
	if (p->compares && p->page->compare.widths != FL_WIDTHS_BEFORE)
		put_hatched(p, "new", "M-1 7L7-1", p->layout->total[0]);
	if (p->compares && p->page->compare.widths != FL_WIDTHS_AFTER)
		put_hatched(p, "gone", "M-1-1L7 7", p->layout->total[1]);
	put_labels(p);
}
