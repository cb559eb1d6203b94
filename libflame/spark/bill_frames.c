/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a part of a bill does most: the heaviest frame of those that the other
 * parts have less of, and not the tower that all stages share.
 */
#include "fl.h"

#include "spark/bill.h"

#include <math.h>
#include <stdlib.h>

/* Of names, over the items that were added. */
struct weights {
	int64_t *by_stack;		/* of items that are not added yet */
	flame_id *stacks;		/* those with such items */
	size_t nstacks;
	int64_t *total, *self;
	uint32_t *depth;		/* the least */
	flame_id *seen;			/* the last stack with it */
	flame_id *names;		/* with a total */
	size_t count;
	int64_t all;
};

static bool init(struct weights *w, size_t names, size_t stacks)
{
	w->by_stack = fl_zeroed(stacks, sizeof(*w->by_stack));
	w->stacks = fl_zeroed(stacks, sizeof(*w->stacks));
	w->total = fl_zeroed(names, sizeof(*w->total));
	w->self = fl_zeroed(names, sizeof(*w->self));
	w->depth = fl_zeroed(names, sizeof(*w->depth));
	w->seen = fl_zeroed(names, sizeof(*w->seen));
	w->names = fl_zeroed(names, sizeof(*w->names));
	return w->by_stack && w->stacks && w->total && w->self && w->depth &&
	       w->seen && w->names;
}

static void clear(struct weights *w)
{
	for (size_t i = 0; i < w->count; i++) {
		w->total[w->names[i]] = w->self[w->names[i]] = 0;
		w->seen[w->names[i]] = 0;
	}
	w->count = 0;
	w->all = 0;
}

static void destroy(struct weights *w)
{
	fl_free(w->by_stack);
	fl_free(w->stacks);
	fl_free(w->total);
	fl_free(w->self);
	fl_free(w->depth);
	fl_free(w->seen);
	fl_free(w->names);
}

static uint32_t depth_of(const struct flame *flame, flame_id stack)
{
	uint32_t depth = 0;

	for (; stack; stack = fl_parent(flame, stack))
		depth++;
	return depth;
}

static void add_stack(const struct flame *flame, struct weights *w,
		      flame_id stack, int64_t weight)
{
	uint32_t depth = depth_of(flame, stack);

	w->all += weight;
	w->self[fl_frame_at(flame, stack)->name] += weight;
	for (flame_id s = stack; s; s = fl_parent(flame, s), depth--) {
		flame_id name = fl_frame_at(flame, s)->name;

		if (!w->seen[name]) {
			w->names[w->count++] = name;
			w->depth[name] = depth;
		}
		w->depth[name] = FL_MIN(w->depth[name], depth);
		if (w->seen[name] != stack)
			w->total[name] += weight;
		w->seen[name] = stack;
	}
}

/* Executors share stacks: their items are summed first. */
static void add_items(const struct flame_bill *bill, struct weights *w,
		      const struct fl_bill_row *row)
{
	for (size_t i = row->first_item; i < row->first_item + row->nitems;
	     i++) {
		const struct fl_bill_item *item = &bill->items[i];

		if (!item->stack || !item->weight)
			continue;
		if (!w->by_stack[item->stack])
			w->stacks[w->nstacks++] = item->stack;
		w->by_stack[item->stack] += item->weight;
	}
}

static void add_stacks(const struct flame *flame, struct weights *w)
{
	for (size_t i = 0; i < w->nstacks; i++) {
		add_stack(flame, w, w->stacks[i], w->by_stack[w->stacks[i]]);
		w->by_stack[w->stacks[i]] = 0;
	}
	w->nstacks = 0;
}

static void add_rows(const struct flame_bill *bill, struct weights *w,
		     size_t first, size_t n)
{
	for (size_t i = first; i < first + n; i++)
		if (!fl_bill_is_apart(&bill->rows[i]))
			add_items(bill, w, &bill->rows[i]);
}

/* How much heavier a name is than in the others' parts; 0: not at all. */
static double excess(const struct weights *own, const struct weights *all,
		     flame_id name)
{
	double rest = (double)(all->all - own->all);
	double part = (double)own->total[name] / (double)own->all;
	double other = rest > 0 ? (double)(all->total[name] -
					   own->total[name]) / rest : 0;

	return part * log((part + .02) / (other + .02));
}

/* The name that explains most, then what is below it and nearly as heavy. */
static flame_id choose(const struct weights *own, const struct weights *all)
{
	flame_id best = 0, deep;
	double most = .03;

	for (size_t i = 0; i < own->count; i++) {
		double e = excess(own, all, own->names[i]);

		if (e > most) {
			most = e;
			best = own->names[i];
		}
	}
	deep = best;
	for (size_t i = 0; best && i < own->count; i++) {
		flame_id name = own->names[i];

		if (own->total[name] >= own->total[best] / 10 * 6 &&
		    own->depth[name] > own->depth[deep] &&
		    excess(own, all, name) > .01)
			deep = name;
	}
	return deep;
}

/* One that is not unlike the rest has its heaviest leaf. */
static flame_id heaviest_leaf(const struct weights *own)
{
	flame_id best = 0;

	for (size_t i = 0; i < own->count; i++)
		if (own->self[own->names[i]] > (best ? own->self[best] : 0))
			best = own->names[i];
	return best;
}

/* Of the rows that were added since own was cleared. */
static struct fl_bill_frame frame_of(const struct flame_bill *bill,
				     struct weights *own,
				     const struct weights *all)
{
	struct fl_bill_frame frame = { 0 };

	add_stacks(bill->flame, own);
	if (own->all <= 0)
		return frame;
	frame.name = choose(own, all);
	if (!frame.name)
		frame.name = heaviest_leaf(own);
	frame.weight = own->total[frame.name];
	return frame;
}

static void find_of_query(struct flame_bill *bill, struct fl_bill_query *query,
			  struct weights *own, const struct weights *all)
{
	struct fl_bill_stage *stages = &bill->stages[query->first_stage];

	for (size_t i = 0; i < query->nstages; i++) {
		struct fl_bill_stage *stage = &stages[i];

		for (size_t k = 0; k < stage->nrows; k++) {
			clear(own);
			add_rows(bill, own, stage->first_row + k, 1);
			bill->rows[stage->first_row + k].frame =
				frame_of(bill, own, all);
		}
		clear(own);
		add_rows(bill, own, stage->first_row, stage->nrows);
		stage->frame = frame_of(bill, own, all);
	}
	clear(own);
	for (size_t i = 0; i < query->nstages; i++)
		add_rows(bill, own, stages[i].first_row, stages[i].nrows);
	query->frame = frame_of(bill, own, all);
}

bool fl_bill_find_frames(struct flame_bill *bill)
{
	size_t names = bill->flame->names.count + 1;
	struct weights all = { 0 }, own = { 0 };
	size_t stacks = bill->flame->stacks.count + 1;
	bool good = init(&all, names, stacks) && init(&own, names, stacks);

	if (good) {
		add_rows(bill, &all, 0, bill->nrows);
		add_stacks(bill->flame, &all);
	}
	for (size_t i = 0; good && i < bill->nqueries; i++)
		find_of_query(bill, &bill->queries[i], &own, &all);
	destroy(&all);
	destroy(&own);
	return good;
}
