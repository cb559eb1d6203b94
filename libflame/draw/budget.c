/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writes a call tree as text of a bounded size (--budget), for people and
 * assistants: fl_budget_write(), called by text.c.  Totals come first, then the
 * names that weigh most by themselves, the tree, and last what was left out.
 * The same profile makes the same bytes.
 *
 * A frame weighs no more than the one that calls it; so the heaviest frames
 * that fit, in their order, are a tree.
 */
#include "fl.h"

#include "draw/draw.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum {
	MAX_NAME = 160,		/* bytes of a name that are shown */
	MAX_NAMES = 10,		/* in the list of the heaviest */
	LIST_SHARE = 4,		/* which has a quarter of the bytes at most */
	LAST_BYTES = 256	/* for the lines at the end */
};

struct place {
	int64_t weight;
	size_t node;
};

struct budget {
	const struct fl_page *page;
	struct flame *flame;
	struct fl_out *out;
	const char *unit;
	unsigned after;		/* the column of weights */
	size_t left;		/* bytes */
	const struct flame_node *nodes;
	size_t nnodes;
	uint32_t *depth;	/* by node: columns of its name */
	struct place *places;	/* the first nshown are shown, in order */
	size_t nshown;
	int weight_width;
	uint64_t ncut;		/* shown names that are cut */
	struct fl_buf text;
};

/* Text ---------------------------------------------------------------- */

static void write_text(struct budget *b)
{
	if (!b->text.failed)
		fl_out_put(b->out, b->text.data, b->text.size);
	b->left -= FL_MIN(b->left, b->text.size);
	b->text.size = 0;
}

/* Safe for a terminal, and cut between characters; true: it is cut. */
static bool put_name(struct budget *b, struct slice name)
{
	char text[4 * MAX_NAME];
	size_t n = FL_MIN(name.size, MAX_NAME), size;

	if (n < name.size)
		while (n && ((unsigned char)name.data[n] & 0xc0) == 0x80)
			n--;
	size = flame_visible(text, sizeof(text), name.data, n);
	fl_buf_put(&b->text, text, FL_MIN(size, sizeof(text) - 1));
	if (n < name.size)
		fl_buf_text(&b->text, "...");
	return n < name.size;
}

static void put_text(struct budget *b, const char *text)
{
	put_name(b, (struct slice){ text, strlen(text) });
}

/* 1,234,567 */
static void put_count(struct budget *b, int64_t n)
{
	char number[32];

	fl_buf_put(&b->text, number, fl_format_count(number, n, false));
}

static double share_of(const struct budget *b, int64_t part)
{
	int64_t all = b->page->tree->total[b->after];

	return all > 0 ? 100 * (double)part / (double)all : 0;
}

static void put_columns(struct budget *b, int64_t total, int64_t self,
			int64_t change)
{
	fl_buf_print(&b->text, "%5.1f ", share_of(b, total));
	if (self)
		fl_buf_print(&b->text, "%5.1f ", share_of(b, self));
	else
		fl_buf_text(&b->text, "    - ");
	fl_buf_print(&b->text, "%*" PRId64 " ", b->weight_width, total);
	if (b->after)
		fl_buf_print(&b->text, "%+*" PRId64 " ", b->weight_width + 1,
			     change);
}

/* Totals -------------------------------------------------------------- */

static void put_totals(struct budget *b, const char *metric)
{
	const struct flame_tree *tree = b->page->tree;
	const char *title = fl_page_title(b->page);

	if (title && *title) {
		put_text(b, title);
		fl_buf_byte(&b->text, '\n');
	}
	put_text(b, *metric ? metric : "samples");
	fl_buf_text(&b->text, ": ");
	if (b->after) {
		put_count(b, tree->total[0]);
		fl_buf_text(&b->text, " -> ");
	}
	put_count(b, tree->total[b->after]);
	fl_buf_byte(&b->text, ' ');
	put_text(b, b->unit);
	fl_buf_print(&b->text, ", a tree of %zu frames\n", b->nnodes - 1);
	write_text(b);
}

/* The heaviest names -------------------------------------------------- */

static int64_t heavier(const struct budget *b, const int64_t weight[2])
{
	return b->after ? FL_MAX(weight[0], weight[1]) : weight[0];
}

/* Whether x comes before y: by self, then by name. */
static bool is_before(const struct budget *b, const struct flame_rank *x,
		      const struct flame_rank *y)
{
	int64_t d = heavier(b, x->self), e = heavier(b, y->self);
	struct slice s = fl_name_at(b->flame, x->name),
		     t = fl_name_at(b->flame, y->name);
	int order;

	if (d != e)
		return d > e;
	order = memcmp(s.data, t.data, FL_MIN(s.size, t.size));
	return order ? order < 0 : s.size < t.size;
}

/* Picks the heaviest into `best`, an insertion sort; returns how many. */
static size_t find_heaviest(const struct budget *b,
			    const struct flame_rank *ranks, size_t n,
			    struct flame_rank best[MAX_NAMES])
{
	size_t count = 0, k;

	for (size_t i = 0; i < n; i++) {
		if (heavier(b, ranks[i].self) <= 0 || !ranks[i].name)
			continue;
		for (k = count; k && is_before(b, &ranks[i], &best[k - 1]); k--)
			if (k < MAX_NAMES)
				best[k] = best[k - 1];
		if (k < MAX_NAMES)
			best[k] = ranks[i];
		count = FL_MIN(count + 1, MAX_NAMES);
	}
	return count;
}

/* Names with what they weigh by themselves, and with all they call. */
static int put_heaviest(struct budget *b)
{
	const struct flame_rank *ranks;
	struct flame_rank best[MAX_NAMES];
	size_t n, budget = b->left / LIST_SHARE, used = 0;

	if (flame_tree_rank(b->page->tree, FLAME_NAMES, NULL, &ranks, &n) !=
	    FLAME_OK)
		return FLAME_FAILED;
	n = find_heaviest(b, ranks, n, best);
	for (size_t i = 0; i < n; i++) {
		const struct flame_rank *r = &best[i];
		bool cut;

		if (!i)
			fl_buf_text(&b->text, "\nheaviest by themselves "
				    "(total %, self %, weight, name):\n");
		put_columns(b, r->total[b->after], r->self[b->after],
			    fl_change_between(b->page, r->total[0],
					      r->total[1]));
		cut = put_name(b, fl_name_at(b->flame, r->name));
		fl_buf_byte(&b->text, '\n');
		used += b->text.size;
		if (used > budget) {
			b->text.size = 0;
			break;
		}
		b->ncut += cut;
		write_text(b);
	}
	return FLAME_OK;
}

/* The tree ------------------------------------------------------------ */

/* A frame with all of its caller's weight is indented like the caller. */
static bool is_all(const struct flame_node *caller,
		   const struct flame_node *node)
{
	return caller->level && caller->total[0] == node->total[0] &&
	       caller->total[1] == node->total[1];
}

static bool find_depths(struct budget *b)
{
	size_t n = b->nnodes, deepest = 0;
	size_t *path;

	for (size_t i = 0; i < n; i++)
		deepest = FL_MAX(deepest, b->nodes[i].level);
	path = fl_alloc(fl_size_mul(deepest + 1, sizeof(*path)));
	b->depth = fl_zeroed(n, sizeof(*b->depth));
	for (size_t i = 0; path && b->depth && i < n; i++) {
		const struct flame_node *node = &b->nodes[i];

		path[node->level] = i;
		if (!node->level)
			continue;
		b->depth[i] = b->depth[path[node->level - 1]] +
			!is_all(&b->nodes[path[node->level - 1]], node);
	}
	fl_free(path);
	return path && b->depth;
}

static void put_node(struct budget *b, size_t i)
{
	const struct flame_node *node = &b->nodes[i];
	bool follows = i && b->depth[i] == b->depth[i - 1] &&
		       node->level == b->nodes[i - 1].level + 1;

	put_columns(b, node->total[b->after], node->self[b->after],
		    fl_change_between(b->page, node->total[0],
				      node->total[1]));
	for (uint32_t k = b->depth[i]; k > 0; k--)
		fl_buf_byte(&b->text, ' ');
	if (follows)
		fl_buf_text(&b->text, "> ");
	b->ncut += put_name(b, node->level ? fl_name_at(b->flame, node->name) :
					     FL_SLICE("all"));
	fl_buf_text(&b->text, fl_type_suffix(node->type));
	fl_buf_byte(&b->text, '\n');
}

static int by_weight(const void *x, const void *y)
{
	const struct place *a = x, *b = y;

	if (a->weight != b->weight)
		return a->weight > b->weight ? -1 : 1;
	return (a->node > b->node) - (a->node < b->node);
}

static int by_node(const void *x, const void *y)
{
	const struct place *a = x, *b = y;

	return (a->node > b->node) - (a->node < b->node);
}

/* Sorts the nodes by weight, and those that fit by their place again. */
static bool choose_nodes(struct budget *b)
{
	size_t used = 0;
	uint64_t ncut = b->ncut;

	b->places = fl_alloc(fl_size_mul(b->nnodes, sizeof(*b->places)));
	if (!b->places)
		return false;
	for (size_t i = 0; i < b->nnodes; i++)
		b->places[i] = (struct place){
			heavier(b, b->nodes[i].total), i };
	qsort(b->places, b->nnodes, sizeof(*b->places), by_weight);
	for (; b->nshown < b->nnodes; b->nshown++) {
		put_node(b, b->places[b->nshown].node);
		used += b->text.size;
		b->text.size = 0;
		if (used + LAST_BYTES > b->left)
			break;
	}
	b->ncut = ncut;
	if (b->nshown)
		qsort(b->places, b->nshown, sizeof(*b->places), by_node);
	return true;
}

static int put_tree(struct budget *b)
{
	if (!find_depths(b))
		return fl_no_memory(b->flame);
	fl_buf_text(&b->text, "\ncalls (total %, self %, weight, frame; "
		    "\"> \": all of what the line above does):\n");
	write_text(b);
	if (!choose_nodes(b))
		return fl_no_memory(b->flame);
	for (size_t i = 0; i < b->nshown; i++) {
		put_node(b, b->places[i].node);
		write_text(b);
	}
	return FLAME_OK;
}

/* Nodes left out ----------------------------------------------------- */

static void put_left_out(struct budget *b)
{
	size_t n = b->nnodes - b->nshown;
	int64_t rest = b->page->tree->total[b->after], most = 0;

	for (size_t i = 0; i < b->nshown; i++)
		rest -= b->nodes[b->places[i].node].self[b->after];
	for (size_t i = b->nshown; i < b->nnodes; i++)
		most = FL_MAX(most, b->places[i].weight);
	fl_buf_text(&b->text, "\nleft out: ");
	if (n) {
		fl_buf_print(&b->text, "%zu of %zu frames, which weigh ", n,
			     b->nnodes - 1);
		put_count(b, most);
		fl_buf_print(&b->text, " (%.1f%%) or less each; by themselves "
			     "they are ", share_of(b, most));
		put_count(b, rest);
		fl_buf_print(&b->text, " (%.1f%%)", share_of(b, rest));
	} else {
		fl_buf_text(&b->text, "nothing");
	}
	if (b->ncut)
		fl_buf_print(&b->text, "; %" PRIu64 " names are cut to %d "
			     "bytes", b->ncut, MAX_NAME);
	fl_buf_byte(&b->text, '\n');
	write_text(b);
}

static void measure(struct budget *b)
{
	const struct flame_tree *tree = b->page->tree;
	char number[32];

	b->weight_width = snprintf(number, sizeof(number), "%" PRId64,
				   FL_MAX(tree->total[0], tree->total[1]));
}

int fl_budget_write(const struct fl_page *page, const char *metric,
		    const char *unit)
{
	struct budget b = {
		.page = page, .flame = page->tree->flame, .out = page->out,
		.unit = unit, .after = page->tree->columns == 2,
		.left = (size_t)page->text.budget,
	};
	int status = flame_tree_nodes(page->tree, 0, &b.nodes, &b.nnodes);

	if (status == FLAME_OK) {
		measure(&b);
		put_totals(&b, metric);
		status = put_heaviest(&b);
	}
	if (status == FLAME_OK)
		status = put_tree(&b);
	if (status == FLAME_OK)
		put_left_out(&b);
	if (b.text.failed)
		status = fl_no_memory(b.flame);
	fl_buf_free(&b.text);
	fl_free(b.depth);
	fl_free(b.places);
	return status;
}
