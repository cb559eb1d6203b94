/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writes a flame graph for a terminal, of a tree from page.c: a line per level,
 * plain or in colours; or, with --tree or --budget (budget.c), a line per
 * frame.
 *
 * In a comparison each frame has the change of its total, or of its self with
 * --delta self.
 */
#include "draw/draw.h"
#include "format/format.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WIDTH = 80, MAX_WIDTH = 10000 };

#define TREE_PERCENT 1.0	/* of the total: lighter rows are left out */
#define ELLIPSIS "…"

/* A frame that is at least a column wide. */
struct cell {
	uint32_t node, left, width;
};

struct text {
	struct fl_page *page;
	struct fl_out *out;
	struct fl_layout *layout;
	struct fl_frame_color frame_color;
	struct fl_regex *highlight;
	const char *unit;
	flame_id lighter;		/* the name of what a tree leaves out */
	bool compares;
	struct fl_column widths;
	const int64_t *weight;
	int64_t *x;
	uint32_t width;
	struct cell *cells;		/* by level, from left to right */
	uint32_t *first;		/* of a level in cells */
	uint32_t ncells, levels;
};

/* Columns ------------------------------------------------------------------ */

struct range {
	uint32_t first, last;
};

/* East Asian characters and emoji, which fill two columns in terminals. */
static bool is_wide(uint32_t c)
{
	static const struct range wide[] = {
		{ 0x1100, 0x115f }, { 0x2e80, 0x303e }, { 0x3041, 0xa4cf },
		{ 0xac00, 0xd7a3 }, { 0xf900, 0xfaff }, { 0xfe30, 0xfe6f },
		{ 0xff00, 0xff60 }, { 0x1f300, 0x1f64f }, { 0x1f900, 0x1f9ff },
		{ 0x20000, 0x3fffd },
	};

	for (size_t i = 0; i < FL_COUNT(wide); i++)
		if (c >= wide[i].first && c <= wide[i].last)
			return true;
	return false;
}

/* Spells the character at *i, advances, and returns its columns. */
static unsigned columns_at(struct slice text, size_t *i,
			   struct fl_shown *shown)
{
	unsigned n = fl_show(text.data + *i, text.size - *i, '?', shown);
	bool itself = shown->text.data == text.data + *i;

	*i += n;
	if (!itself)
		return (unsigned)shown->text.size;
	return is_wide(fl_utf8_code(shown->text.data, n)) ? 2 : 1;
}

static uint32_t columns_of(struct slice text)
{
	struct fl_shown shown;
	uint32_t columns = 0;

	for (size_t i = 0; i < text.size;)
		columns += columns_at(text, &i, &shown);
	return columns;
}

/* Writes at most max_columns; returns how many. */
static uint32_t put_columns(struct fl_out *out, struct slice text,
			    uint32_t max_columns)
{
	struct fl_shown shown;
	uint32_t used = 0;

	for (size_t i = 0; i < text.size;) {
		unsigned columns = columns_at(text, &i, &shown);

		if (used + columns > max_columns)
			break;
		fl_out_put(out, shown.text.data, shown.text.size);
		used += columns;
	}
	return used;
}

static void put_blanks(struct fl_out *out, uint32_t n)
{
	while (n--)
		fl_out_put(out, " ", 1);
}

/* Frames ------------------------------------------------------------------- */

static struct fl_colors colors_of(struct text *t, uint32_t node)
{
	return fl_frame_color_pick(&t->frame_color, node);
}

/* The longest tail of a caption that fits, or the method's beginning. */
static uint32_t put_caption(struct text *t, uint32_t node, uint32_t max_columns)
{
	struct fl_caption c;
	size_t starts[3] = { 0 };
	struct slice text = { NULL, 0 };

	fl_caption(&c, fl_node_name(t->page, t->layout, node),
		   t->layout->type[node]);
	starts[1] = c.class_at;
	starts[2] = c.method_at;
	for (size_t i = 0; i < FL_COUNT(starts); i++) {
		text = (struct slice){ c.text + starts[i],
				       c.size - starts[i] };
		if (columns_of(text) <= max_columns)
			return put_columns(t->out, text, max_columns);
	}
	if (max_columns < 3)
		return put_columns(t->out, text, max_columns);
	max_columns = put_columns(t->out, text, max_columns - 1);
	fl_out_text(t->out, ELLIPSIS);
	return max_columns + 1;
}

/* "+12 "; empty without a comparison. */
static struct slice change_of(const struct text *t, uint32_t node,
			      char text[32])
{
	int64_t change;

	if (!t->compares)
		return (struct slice){ text, 0 };
	change = fl_change_rounded(t->page, t->layout, node,
				   t->page->compare.delta == FL_DELTA_TOTAL);
	return (struct slice){ text, (size_t)snprintf(text, 32, "%+" PRId64 " ",
						      change) };
}

static void put_paint(struct text *t, uint32_t node)
{
	uint32_t fill = colors_of(t, node).light;

	fl_out_print(t->out, "\033[48;2;%u;%u;%um\033[38;2;20;24;29m",
		     fill >> 16 & 0xff, fill >> 8 & 0xff, fill & 0xff);
}

/* The first column separates it from the frame to the left. */
static void put_cell(struct text *t, const struct cell *cell)
{
	bool ansi = t->page->text.ansi;
	uint32_t max_columns = cell->width - 1, used;
	char change[32];
	struct slice before = change_of(t, cell->node, change);

	if (ansi)
		put_paint(t, cell->node);
	fl_out_text(t->out, ansi ? " " : "|");
	used = before.size + 4 < max_columns ?
	       put_columns(t->out, before, max_columns) : 0;
	used += put_caption(t, cell->node, max_columns - used);
	put_blanks(t->out, max_columns - used);
	if (ansi)
		fl_out_text(t->out, "\033[0m");
}

static void put_level(struct text *t, uint32_t level)
{
	uint32_t at = 0;

	for (uint32_t i = t->first[level]; i < t->first[level + 1]; i++) {
		const struct cell *cell = &t->cells[i];

		if (cell->left > at)
			put_blanks(t->out, cell->left - at);
		put_cell(t, cell);
		at = cell->left + cell->width;
	}
	if (!t->page->text.ansi)
		fl_out_text(t->out, "|");
	fl_out_text(t->out, "\n");
}

/* The column of an x; monotonous, so that frames do not overlap. */
static uint32_t column(const struct text *t, int64_t x)
{
	__extension__ typedef unsigned __int128 wide;
	uint64_t total = (uint64_t)FL_MAX(t->weight[0], 1);

	return (uint32_t)((wide)(uint64_t)x * t->width / total);
}

static bool cell_of(const struct text *t, uint32_t node, struct cell *cell)
{
	double least = t->page->minwidth.percent ?
		       t->page->minwidth.n / 100 * (double)t->weight[0] :
		       t->page->minwidth.n / t->width * (double)t->weight[0];

	cell->node = node;
	cell->left = column(t, t->x[node]);
	cell->width = column(t, t->x[node] + t->weight[node]) - cell->left;
	return cell->width && (double)t->weight[node] >= least;
}

/* Sorts cells by level, a counting sort. */
static bool place_cells(struct text *t)
{
	const struct fl_layout *l = t->layout;
	uint32_t *at;
	struct cell cell;

	t->first = fl_zeroed((size_t)l->depth + 3, sizeof(*t->first));
	if (!t->first)
		return false;
	at = t->first + 2;
	for (uint32_t i = 0; i < l->count; i++)
		if (cell_of(t, i, &cell)) {
			at[l->level[i]]++;
			t->levels = FL_MAX(t->levels, l->level[i] + 1);
			t->ncells++;
		}
	t->cells = fl_alloc(fl_size_mul(t->ncells + 1, sizeof(*t->cells)));
	if (!t->cells)
		return false;
	for (uint32_t i = 1; i <= l->depth; i++)
		at[i] += at[i - 1];
	at--;
	for (uint32_t i = 0; i < l->count; i++)
		if (cell_of(t, i, &cell))
			t->cells[at[l->level[i]]++] = cell;
	return true;
}

/* Both kinds --------------------------------------------------------------- */

/* Text of the input, spelled safely, of any length. */
static void put_all_columns(struct fl_out *out, const char *text)
{
	put_columns(out, (struct slice){ text, strlen(text) }, UINT32_MAX);
}

static void put_heading(struct text *t)
{
	const struct fl_page *page = t->page;

	const char *title = fl_page_title(page);

	if (title && *title) {
		put_all_columns(t->out, title);
		fl_out_text(t->out, "\n");
	}
	if (page->subtitle && *page->subtitle) {
		put_all_columns(t->out, page->subtitle);
		fl_out_text(t->out, "\n");
	}
	if (*t->layout->metric) {
		put_all_columns(t->out, t->layout->metric);
		fl_out_text(t->out, ": ");
	}
	if (t->compares) {
		fl_put_count(t->out, t->layout->total[0][0]);
		fl_out_text(t->out, " -> ");
	}
	fl_put_count(t->out, t->layout->total[t->compares][0]);
	fl_out_text(t->out, " ");
	put_all_columns(t->out, t->unit);
	if (t->compares && page->compare.normalize) {
		fl_out_text(t->out, ", ");
		fl_put_scale(t->out, page);
	}
}

static int put_graph(struct text *t)
{
	t->x = fl_alloc(fl_size_mul(t->layout->count, sizeof(*t->x)));
	if (!t->x)
		return fl_no_memory(t->page->tree->flame);
	fl_layout_x(&t->widths.layout, 0, INT64_MIN, t->x);
	if (!place_cells(t))
		return fl_no_memory(t->page->tree->flame);
	put_heading(t);
	if (t->ncells < t->layout->count)
		fl_out_print(t->out, ", %u of %u frames are wide enough",
			     t->ncells, t->layout->count);
	fl_out_text(t->out, "\n");
	for (uint32_t i = 0; i < t->levels; i++)
		put_level(t, t->page->inverted ? i : t->levels - 1 - i);
	return FLAME_OK;
}

static void put_share(struct text *t, int64_t part)
{
	int64_t all = t->layout->total[t->compares][0];
	double share = all > 0 ? (double)part / (double)all : 0;

	fl_out_print(t->out, "%6.2f%% ", share * 100);
}

static void put_row(struct text *t, const struct flame_node *node)
{
	struct flame *flame = t->page->tree->flame;
	unsigned after = t->compares;

	put_share(t, node->total[after]);
	put_share(t, node->self[after]);
	fl_out_print(t->out, "%12" PRId64 " ", node->total[after]);
	if (t->compares)
		fl_out_print(t->out, "%+12" PRId64 " ",
			     fl_change_between(t->page, node->total[0],
					       node->total[1]));
	put_blanks(t->out, 2 * FL_MIN(node->level, t->width));
	put_columns(t->out, node->level ? fl_name_at(flame, node->name) :
					  FL_SLICE("all"), UINT32_MAX);
	fl_out_text(t->out, fl_type_suffix(node->type));
	fl_out_text(t->out, "\n");
}

/* A node's total without its self weight and its shown children, by column. */
struct rest {
	int64_t weight[2];
};

/*
 * The row of what is left out below a node of this level.  The first of two
 * columns may be scaled, so that its rest may be what rounding left.
 */
static void put_lighter(struct text *t, const struct rest *rest, uint32_t level)
{
	struct flame_node node = { .name = t->lighter, .level = level + 1 };

	if (!rest->weight[t->compares])
		return;
	memcpy(node.self, rest->weight, sizeof(node.self));
	memcpy(node.total, rest->weight, sizeof(node.total));
	put_row(t, &node);
}

static void put_rows(struct text *t, const struct flame_node *nodes, size_t n,
		     struct rest *rest)
{
	uint32_t open = 0;

	for (size_t i = 0; i < n; i++) {
		const struct flame_node *node = &nodes[i];

		for (; open > node->level; open--)
			put_lighter(t, &rest[open - 1], open - 1);
		for (unsigned c = 0; c < 2; c++) {
			rest[open].weight[c] = node->total[c] - node->self[c];
			if (open)
				rest[open - 1].weight[c] -= node->total[c];
		}
		open++;
		put_row(t, node);
	}
	for (; open; open--)
		put_lighter(t, &rest[open - 1], open - 1);
}

static int put_tree(struct text *t)
{
	const struct fl_page *page = t->page;
	double percent = page->minwidth.n > 0 && page->minwidth.percent ?
			 page->minwidth.n : TREE_PERCENT;
	double least = (double)FL_MAX(page->tree->total[0],
				      page->tree->total[1]) * percent / 100;
	const struct flame_node *nodes;
	struct rest *rest;
	size_t n;

	if (flame_tree_nodes(page->tree, least, &nodes, &n) != FLAME_OK ||
	    !(t->lighter = flame_name(page->tree->flame, "(lighter)", 9)))
		return FLAME_FAILED;
	rest = fl_alloc(fl_size_mul(n + 1, sizeof(*rest)));
	if (!rest)
		return fl_no_memory(page->tree->flame);
	put_heading(t);
	fl_out_text(t->out, "\n");
	fl_out_print(t->out, "%7s %7s %12s %s%s\n", "total", "self", "weight",
		     t->compares ? "      change " : "", "frame");
	put_rows(t, nodes, n, rest);
	fl_free(rest);
	fl_out_print(t->out, "(rows below %g%% of the total are left out)\n",
		     percent);
	return FLAME_OK;
}

static int prepare(struct text *t)
{
	struct fl_page *page = t->page;
	struct flame *flame = page->tree->flame;

	if (page->tree->columns == 2 && !page->compare.delta)
		page->compare.delta = FL_DELTA_TOTAL;
	if (page->chart)
		return fl_fail(flame, "--flamechart: only a picture (svg) "
			       "keeps samples in their order");
	t->layout = fl_tree_layout(page->tree, 0, false, false);
	if (!t->layout ||
	    fl_frame_color_open(&t->frame_color, page, t->layout) != FLAME_OK)
		return FLAME_FAILED;
	t->compares = t->layout->columns == 2;
	if (!fl_column_open(&t->widths, page, t->layout))
		return fl_no_memory(flame);
	t->weight = t->widths.layout.total[0];
	t->unit = page->countname ? page->countname : t->layout->unit;
	t->width = page->width > 0 ? (uint32_t)FL_MIN(page->width,
						      (double)MAX_WIDTH) :
				     WIDTH;
	/* Without colours, a line ends in a '|'. */
	t->width -= !page->text.ansi;
	return FLAME_OK;
}

static int write_text(struct fl_page *page)
{
	struct text t = { .page = page, .out = page->out };
	int status = prepare(&t);

	if (status == FLAME_OK)
		status = page->text.budget ?
			 fl_budget_write(page, t.layout->metric, t.unit) :
			 page->as_tree ? put_tree(&t) : put_graph(&t);
	fl_frame_color_close(&t.frame_color);
	fl_column_close(&t.widths);
	fl_layout_free(t.layout);
	fl_free(t.first);
	fl_free(t.cells);
	fl_free(t.x);
	return status;
}

static struct flame_sink *create(struct flame *flame, struct fl_out *out)
{
	return fl_page_of_weights(flame, out, FL_OUTPUT_TEXT, write_text);
}

const struct fl_format fl_format_text = {
	.name = "text", .summary = "flame graph for a terminal",
	.facts = FLAME_DRAWN | FLAME_TYPED,
	.create = create,
};
