/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finds out which drawn frame lies on which, and makes stacks with self weights
 * of them: fl_boxes_place(), for svg.c.  A frame's level is the rank of its y.
 * Where the frames come with parents right before their children (ours), or
 * right after them, that order decides; otherwise (flamegraph.pl writes them in
 * the order of a hash) the places do: the parent is the last one, a level
 * below, that begins no later.
 *
 * Places are rounded.  flamegraph.pl draws boxes from a tenth of a pixel on
 * and writes tenths, so its places differ where frames do; but in a
 * picture that was drawn without a least width many frames share a place,
 * and nobody knows whose child is whose.  These are left out, as if the
 * picture had had a least width: their weight is their parents' self.
 */
#include "fl.h"

#include "format/picture/picture.h"

#include <inttypes.h>
#include <stdlib.h>

static struct fl_box *at(const struct fl_boxes *b, uint32_t i)
{
	return &b->at[i];
}

/* Levels ------------------------------------------------------------------ */

struct key {
	double y, x;
	uint32_t box;
};

static int by_place(const void *a, const void *b)
{
	const struct key *p = a, *q = b;

	if (p->y != q->y)
		return p->y < q->y ? -1 : 1;
	if (p->x != q->x)
		return p->x < q->x ? -1 : 1;
	return p->box < q->box ? -1 : 1;
}

static size_t end_of_row(const struct key *keys, size_t n, size_t from)
{
	size_t to = from;

	while (to < n && keys[to].y == keys[from].y)
		to++;
	return to;
}

static bool is_all(const struct fl_boxes *b, const struct fl_box *box)
{
	return box->frame &&
	       (box->frame == b->all || box->frame == b->all_samples);
}

struct row {
	double width;
	bool all;	/* every one is "all" */
};

static struct row row_of(const struct fl_boxes *b, const struct key *keys,
			 size_t from, size_t to)
{
	struct row row = { 0, true };

	for (size_t i = from; i < to; i++) {
		row.width += at(b, keys[i].box)->width;
		row.all = row.all && is_all(b, at(b, keys[i].box));
	}
	return row;
}

/*
 * The root's row is the widest; of two equally wide rows it is the one of
 * "all".
 */
static bool root_is_below(const struct fl_boxes *b, const struct key *keys,
			  size_t n)
{
	size_t first = end_of_row(keys, n, 0), last = n;
	double slack;
	struct row top, bottom;

	while (last && keys[last - 1].y == keys[n - 1].y)
		last--;
	top = row_of(b, keys, 0, first);
	bottom = row_of(b, keys, last, n);
	slack = (FL_MAX(first, n - last) + 1) * b->step +
		FL_MAX(top.width, bottom.width) * 1e-9;
	if (top.width > bottom.width + slack)
		return false;
	return top.width + slack < bottom.width || bottom.all || !top.all;
}

static bool set_levels(struct fl_boxes *b)
{
	struct key *keys = fl_alloc(fl_size_mul(b->n, sizeof(*keys)));
	uint32_t level = 0;
	size_t used = 0;

	b->order = fl_alloc(fl_size_mul(b->n, sizeof(*b->order)));
	if (!keys || !b->order) {
		fl_free(keys);
		return false;
	}
	for (size_t i = 0; i < b->n; i++)
		keys[i] = (struct key){ b->at[i].y, b->at[i].x, (uint32_t)i };
	qsort(keys, b->n, sizeof(*keys), by_place);
	if (root_is_below(b, keys, b->n)) {
		for (size_t i = 0; i < b->n; i++)
			keys[i].y = -keys[i].y;
		qsort(keys, b->n, sizeof(*keys), by_place);
	}
	for (size_t from = 0; from < b->n; level++) {
		size_t to = end_of_row(keys, b->n, from);

		for (; from < to; from++) {
			b->order[used++] = keys[from].box;
			at(b, keys[from].box)->level = level;
		}
	}
	fl_free(keys);
	return true;
}

/* Parents ----------------------------------------------------------------- */

/* Whether one box can be the parent of the other, within rounding. */
static bool lies_on(const struct fl_boxes *b, const struct fl_box *box,
		    const struct fl_box *below)
{
	double slack = 2 * b->step;

	return box->x >= below->x - slack &&
	       box->x + box->width <= below->x + below->width + slack;
}

/*
 * A parent right before its children, as we write them; or, from the end, right
 * after them.
 */
static bool parents_are_next(struct fl_boxes *b, bool from_end, uint32_t *last)
{
	uint32_t level = 0;

	for (uint32_t i = 0; i < b->n; i++) {
		uint32_t id = from_end ? b->n - 1 - i : i;
		struct fl_box *box = at(b, id);

		if (box->level > (i ? level + 1 : 0))
			return false;
		level = box->level;
		last[level] = id;
		if (!level)
			continue;
		box->parent = last[level - 1];
		if (!lies_on(b, box, at(b, box->parent)))
			return false;
	}
	return true;
}

static void leave_out(struct fl_box *box, size_t *counter)
{
	++*counter;
	box->level = FL_NO_BOX;
}

/* Removes boxes so narrow that their places do not identify their parent. */
static void leave_narrow_out(struct fl_boxes *b)
{
	bool any = false;

	for (size_t i = 0; b->step > 0 && i < b->n && !any; i++)
		any = b->at[i].width < b->step;
	for (size_t i = 0; any && i < b->n; i++)
		if (b->at[i].level && b->at[i].width < 1.5 * b->step)
			leave_out(&b->at[i], &b->narrow);
}

static void find_parents(struct fl_boxes *b)
{
	uint32_t below = 0, next = 0;	/* in order */

	leave_narrow_out(b);
	for (size_t i = 0; i < b->n; i++) {
		struct fl_box *box = at(b, b->order[i]), *under;

		if (box->level == FL_NO_BOX || !box->level)
			continue;
		for (; next < i; next++) {
			under = at(b, b->order[next]);
			if (under->level == FL_NO_BOX)
				continue;
			if (under->level >= box->level ||
			    (under->level == box->level - 1 &&
			     under->x > box->x))
				break;
			below = next;
		}
		under = at(b, b->order[below]);
		if (under->level == box->level - 1 && lies_on(b, box, under))
			box->parent = b->order[below];
		else
			leave_out(box, &b->loose);
	}
}

static bool set_parents(struct fl_boxes *b)
{
	uint32_t *last = fl_zeroed(b->n, sizeof(*last));

	if (!last)
		return false;
	if (!parents_are_next(b, false, last) &&
	    !parents_are_next(b, true, last)) {
		for (size_t i = 0; i < b->n; i++)
			b->at[i].parent = FL_NO_BOX;
		find_parents(b);
	}
	fl_free(last);
	return true;
}

/* From right to left, so that lists of children run from left to right. */
static void list_children(struct fl_boxes *b)
{
	for (size_t i = b->n; i-- > 0;) {
		struct fl_box *box = at(b, b->order[i]);

		if (box->parent == FL_NO_BOX)
			continue;
		box->sibling = at(b, box->parent)->child;
		at(b, box->parent)->child = b->order[i];
	}
}

/* Counts ------------------------------------------------------------------ */

/* Computes the count from the width if the title has none. */
static int count_by_width(struct fl_boxes *b)
{
	double scale = 0, widest = 0;

	for (size_t i = 0; i < b->n; i++)
		if (b->at[i].count > 0 && b->at[i].width > widest) {
			widest = b->at[i].width;
			scale = b->at[i].count / widest;
		}
	for (size_t i = 0; i < b->n; i++) {
		double count = b->at[i].width * scale + 0.5;

		if (b->at[i].count >= 0)
			continue;
		if (count >= 0x1p63)
			return fl_fail(b->flame, "%s: a frame is wider than "
				       "all of them weigh", b->name);
		b->at[i].count = (int64_t)count;
		b->rounded = true;
	}
	return FLAME_OK;
}

/* By how much the children of a box outweigh it; and their number. */
static bool excess(const struct fl_boxes *b, const struct fl_box *box,
		   int64_t *more, int64_t *children)
{
	int64_t sum = 0;

	*children = 0;
	for (uint32_t c = box->child; c != FL_NO_BOX; c = at(b, c)->sibling) {
		if (__builtin_add_overflow(sum, at(b, c)->count, &sum))
			return false;
		++*children;
	}
	*more = sum - box->count;
	return true;
}

/* The error of a sum of rounded counts. */
static int64_t most_excess(const struct fl_boxes *b, int64_t children)
{
	double of_step = 0;

	if (b->rounded)
		of_step = (children + 1) * b->step *
			  (double)at(b, b->order[0])->count /
			  FL_MAX(at(b, b->order[0])->width, 1);
	return of_step < 0x1p62 ? children + (int64_t)of_step : INT64_MAX / 2;
}

/* Subtracts from each child its part, so that sums fit. */
static void subtract(struct fl_boxes *b, const struct fl_box *box, int64_t more,
		     int64_t children)
{
	int64_t part = (more + children - 1) / children;

	for (int pass = 0; pass < 2; pass++)
		for (uint32_t c = box->child; c != FL_NO_BOX && more > 0;
		     c = at(b, c)->sibling) {
			int64_t n = FL_MIN(at(b, c)->count,
					   pass ? more : FL_MIN(part, more));

			at(b, c)->count -= n;
			more -= n;
		}
}

/*
 * Children's sums that exceed a total by rounding are reduced to it, from the
 * root up: totals are exact.
 */
static int fit(struct fl_boxes *b)
{
	size_t wrong = 0;
	int64_t more, children;

	for (size_t i = 0; i < b->n; i++) {
		const struct fl_box *box = at(b, b->order[i]);

		if (box->child != FL_NO_BOX &&
		    (!excess(b, box, &more, &children) ||
		     more > most_excess(b, children)))
			wrong++;
	}
	if (wrong)
		return fl_fail(b->flame, "%s: %zu frames weigh less than what "
			       "lies on them, so it is not clear which "
			       "frames are theirs; draw it anew, wider or with "
			       "a larger minwidth", b->name, wrong);
	for (size_t i = 0; i < b->n; i++) {
		const struct fl_box *box = at(b, b->order[i]);

		if (box->child != FL_NO_BOX &&
		    excess(b, box, &more, &children) && more > 0)
			subtract(b, box, more, children);
	}
	return FLAME_OK;
}

/*
 * Frames that were not drawn leave gaps: between those on a frame, and on
 * that side of them where its self does not lie.  Not in a flame chart,
 * where calls of one name stand side by side, and time passes between.
 */
static void find_gaps(struct fl_boxes *b)
{
	double between = 0, left = 0, right = 0, all = 0, least = 1.5 * b->step;

	for (size_t i = 0; i < b->n; i++) {
		const struct fl_box *box = &b->at[i];
		double end = box->x, gap;

		if (!box->level)
			all += box->width;
		if (box->child == FL_NO_BOX)
			continue;
		for (uint32_t c = box->child; c != FL_NO_BOX;
		     c = at(b, c)->sibling) {
			uint32_t next = at(b, c)->sibling;

			if (next != FL_NO_BOX &&
			    at(b, next)->frame == at(b, c)->frame)
				return;
			gap = at(b, c)->x - end;
			if (gap > least && c == box->child)
				left += gap;
			else if (gap > least)
				between += gap;
			end = at(b, c)->x + at(b, c)->width;
		}
		gap = box->x + box->width - end;
		if (gap > least)
			right += gap;
	}
	if (all > 0)
		b->hidden = (between + FL_MIN(left, right)) / all;
}

/* Stacks ------------------------------------------------------------------ */

/* "all" at the bottom (drawn in pieces where colours differ) is not a frame. */
static bool has_root(const struct fl_boxes *b)
{
	for (size_t i = 0; i < b->n && !at(b, b->order[i])->level; i++)
		if (!is_all(b, at(b, b->order[i])))
			return false;
	return true;
}

/* What ends within a run counts as self of its last frame. */
static void add_run(struct fl_boxes *b, const struct fl_box *box,
		    struct fl_counts *counts)
{
	struct fl_count *count = &counts->at[counts->n - 1];

	for (size_t k = box->run; k && b->run[k - 1]; k++)
		count->stack = flame_stack(b->flame, count->stack,
					   b->run[k - 1]);
}

static int make_stacks(struct fl_boxes *b, struct fl_counts *counts)
{
	size_t *entry = fl_alloc(fl_size_mul(b->n, sizeof(*entry)));
	bool root = has_root(b), good = entry;

	for (size_t i = 0; good && i < b->n; i++) {
		const struct fl_box *box = at(b, b->order[i]);
		size_t *parent = NULL;

		if (box->level == FL_NO_BOX)
			continue;
		if (box->level)
			parent = &entry[box->parent];
		entry[b->order[i]] = counts->n;
		good = fl_counts_add(counts, b->flame, parent,
				     root && !parent ? 0 : box->frame, box->count);
		if (good)
			add_run(b, box, counts);
	}
	for (size_t i = 0; good && i < b->n; i++)
		if (b->at[i].run && b->at[i].level != FL_NO_BOX)
			b->in_runs += counts->at[entry[i]].self > 0;
	fl_free(entry);
	return good ? FLAME_OK : fl_no_memory(b->flame);
}

int fl_boxes_place(struct fl_boxes *b, struct fl_counts *counts)
{
	if (!set_levels(b) || !set_parents(b))
		return fl_no_memory(b->flame);
	list_children(b);
	find_gaps(b);
	if (count_by_width(b) != FLAME_OK || fit(b) != FLAME_OK)
		return FLAME_FAILED;
	return make_stacks(b, counts);
}
