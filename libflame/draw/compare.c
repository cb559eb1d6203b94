/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Differential graphs, for svg.c, html.c and text.c: picks the column that sets
 * the widths of frames (before, after, or the larger), and computes the change
 * of each frame.  The scale (--normalize) only affects widths and changes;
 * displayed counts stay unscaled.
 */
#include "fl.h"

#include "draw/draw.h"

#include <math.h>

/* For the root, so that the sum of two columns does not overflow. */
#define MAX_TOTAL 4e18

/*
 * A column scaled node by node.  What rounding removes from a node is added to
 * the next one, so that sums of nodes that follow each other are off by one at
 * most.
 */
struct scaled {
	double by;
	int64_t sum, done;
};

static int64_t scale_next(struct scaled *s, int64_t n)
{
	int64_t done = s->done;

	s->sum += n;
	s->done = s->by == 1 ? s->sum :
			       fl_int64((double)s->sum * s->by + 0.5);
	return s->done - done;
}

/* Sets factors >= 1 of both columns, unless the sum becomes too large. */
static void factors(double scale, const struct fl_layout *l, double by[2])
{
	double sum;

	by[0] = FL_MAX(scale, 1);
	by[1] = FL_MAX(1 / scale, 1);
	sum = by[0] * (double)l->total[0][0] + by[1] * (double)l->total[1][0];
	for (unsigned c = 0; sum > MAX_TOTAL && c < 2; c++)
		by[c] *= MAX_TOTAL / sum;
}

/* Sets the larger self of both columns; totals are sums of these. */
static bool set_larger(struct fl_column *w, const struct fl_page *page,
		       const struct fl_layout *l)
{
	struct scaled before = { 0 }, after = { 0 };
	double by[2];

	factors(page->compare.scale, l, by);
	before.by = by[0];
	after.by = by[1];
	w->self = fl_zeroed(l->count, sizeof(*w->self));
	w->total = fl_zeroed(l->count, sizeof(*w->total));
	if (!w->self || !w->total)
		return false;
	for (uint32_t i = l->count; i--;) {
		int64_t was = scale_next(&before, l->self[0][i]);
		int64_t is = scale_next(&after, l->self[1][i]);

		w->self[i] = FL_MAX(was, is);
		w->total[i] += w->self[i];
		if (i)
			w->total[l->parent[i]] += w->total[i];
	}
	w->layout.self[0] = w->self;
	w->layout.total[0] = w->total;
	return true;
}

bool fl_column_open(struct fl_column *w, const struct fl_page *page,
		    const struct fl_layout *l)
{
	unsigned column = l->columns == 2 &&
			  page->compare.widths != FL_WIDTHS_BEFORE;

	w->layout = *l;
	w->layout.columns = 1;
	if (l->columns == 2 && page->compare.widths == FL_WIDTHS_MAX)
		return set_larger(w, page, l);
	w->layout.self[0] = l->self[column];
	w->layout.total[0] = l->total[column];
	return true;
}

void fl_column_close(struct fl_column *w)
{
	fl_free(w->self);
	fl_free(w->total);
}

double fl_change(const struct fl_page *page, const struct fl_layout *l,
		 uint32_t node, bool total)
{
	int64_t *const *of = total ? l->total : l->self;

	if (page->compare.scale == 1)
		return (double)(of[1][node] - of[0][node]);
	return (double)of[1][node] - (double)of[0][node] * page->compare.scale;
}

int64_t fl_change_between(const struct fl_page *page, int64_t before,
			  int64_t after)
{
	double scaled_before = (double)before * page->compare.scale;

	if (page->compare.scale == 1)
		return after - before;
	return fl_int64(floor((double)after - scaled_before + 0.5));
}

int64_t fl_change_rounded(const struct fl_page *page, const struct fl_layout *l,
			  uint32_t node, bool total)
{
	int64_t *const *of = total ? l->total : l->self;

	return fl_change_between(page, of[0][node], of[1][node]);
}

double fl_max_change(const struct fl_page *page, const struct fl_layout *l,
		     bool total)
{
	double max = 0;

	for (uint32_t i = 0; i < l->count; i++) {
		double change = fabs(fl_change(page, l, i, total));

		max = FL_MAX(change, max);
	}
	return max;
}

void fl_put_scale(struct fl_out *out, const struct fl_page *page)
{
	fl_out_text(out, "before × ");
	fl_put_digits(out, page->compare.scale);
	if (page->compare.normalize == FL_NORMAL_RUNS) {
		fl_out_print(out, ", in %u and %u runs",
			     page->compare.runs[0], page->compare.runs[1]);
		return;
	}
	if (page->compare.normalize == FL_NORMAL_TOTAL) {
		fl_out_text(out, " for equal totals");
		return;
	}
	fl_out_text(out, ": it was recorded for ");
	fl_put_digits(out, (double)flame_tree_duration(page->tree, 0) / 1e9);
	fl_out_text(out, " s, after for ");
	fl_put_digits(out, (double)flame_tree_duration(page->tree, 1) / 1e9);
	fl_out_text(out, " s");
}
