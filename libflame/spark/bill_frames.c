/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finds the work that parts of a bill do most: fl_bill_find_frames(), called by
 * bill.c, makes a tree in preorder of the stacks of each operator, stage,
 * query, application and driver, and stores the words of tree/words.c for it.
 */
#include "fl.h"

#include "spark/bill.h"

/* Stacks and their ancestors, in the order in which they come. */
struct forest {
	struct flame_bill *bill;
	struct fl_wording *wording;
	uint32_t *node;		/* by stack; 0: none yet */
	struct node {
		flame_id stack;
		uint32_t parent, size;
		int64_t self;
	} *nodes;		/* 0 is the root */
	size_t count, capacity;
	flame_id *path;
	size_t path_capacity;
	/* In preorder. */
	uint32_t *at;		/* by node */
	flame_id *name;
	uint8_t *type;
	uint32_t *parent, *end;
	int64_t *self;
	size_t ordered;		/* the capacity of these */
};

static void destroy(struct forest *f)
{
	fl_wording_free(f->wording);
	fl_free(f->node);
	fl_free(f->nodes);
	fl_free(f->path);
	fl_free(f->at);
	fl_free(f->name);
	fl_free(f->type);
	fl_free(f->parent);
	fl_free(f->end);
	fl_free(f->self);
}

static bool clear(struct forest *f)
{
	for (size_t i = 1; i < f->count; i++)
		f->node[f->nodes[i].stack] = 0;
	if (!fl_grow(&f->nodes, &f->capacity, 1, sizeof(*f->nodes)))
		return false;
	f->nodes[0] = (struct node){ 0 };
	f->count = 1;
	return true;
}

/* The node of a stack, made with those of its ancestors; 0: out of memory. */
static uint32_t node_of(struct forest *f, flame_id stack)
{
	const struct flame *flame = f->bill->flame;
	size_t n = 0;

	for (; stack && !f->node[stack]; stack = fl_parent(flame, stack)) {
		if (!fl_grow(&f->path, &f->path_capacity, n + 1,
			     sizeof(*f->path)))
			return 0;
		f->path[n++] = stack;
	}
	if (!fl_grow(&f->nodes, &f->capacity, f->count + n, sizeof(*f->nodes)))
		return 0;
	for (uint32_t parent = stack ? f->node[stack] : 0; n--;
	     parent = (uint32_t)f->count++) {
		f->nodes[f->count] = (struct node){ .stack = f->path[n],
						    .parent = parent };
		f->node[f->path[n]] = (uint32_t)f->count;
		stack = f->path[n];
	}
	return f->node[stack];
}

static bool add_weight(struct forest *f, flame_id stack, int64_t weight)
{
	uint32_t node;

	if (!stack || !weight)
		return true;
	node = node_of(f, stack);
	if (node)
		f->nodes[node].self += weight;
	return node;
}

static bool add_rows(struct forest *f, size_t first, size_t n)
{
	const struct flame_bill *bill = f->bill;

	for (size_t i = first; i < first + n; i++) {
		const struct fl_bill_row *row = &bill->rows[i];

		for (size_t k = row->first_item; !fl_bill_is_apart(row) &&
		     k < row->first_item + row->nitems; k++) {
			const struct fl_bill_item *item = &bill->items[k];

			if (!add_weight(f, item->stack, item->weight))
				return false;
		}
	}
	return true;
}

static bool reserve(struct forest *f)
{
	size_t n[6];

	for (int i = 0; i < 6; i++)
		n[i] = f->ordered;
	if (!fl_grow(&f->at, &n[0], f->count, sizeof(*f->at)) ||
	    !fl_grow(&f->name, &n[1], f->count, sizeof(*f->name)) ||
	    !fl_grow(&f->type, &n[2], f->count, sizeof(*f->type)) ||
	    !fl_grow(&f->parent, &n[3], f->count, sizeof(*f->parent)) ||
	    !fl_grow(&f->end, &n[4], f->count, sizeof(*f->end)) ||
	    !fl_grow(&f->self, &n[5], f->count, sizeof(*f->self)))
		return false;
	for (int i = 0; i < 6; i++)
		n[0] = FL_MIN(n[0], n[i]);
	f->ordered = n[0];
	return true;
}

/* A parent came before its children, so two loops find the places. */
static void put_in_order(struct forest *f)
{
	const struct flame *flame = f->bill->flame;

	for (size_t i = f->count; --i > 0;)
		f->nodes[f->nodes[i].parent].size += ++f->nodes[i].size;
	f->at[0] = 0;
	f->end[0] = 1;		/* where the next child begins */
	for (size_t i = 1; i < f->count; i++) {
		const struct node *node = &f->nodes[i];
		const struct flame_frame *frame = fl_frame_at(flame,
							      node->stack);
		uint32_t parent = f->at[node->parent];
		uint32_t at = f->at[i] = f->end[parent];

		f->end[parent] += node->size;
		f->end[at] = at + 1;
		f->name[at] = frame->name;
		f->type[at] = (uint8_t)frame->type;
		f->parent[at] = parent;
		f->self[at] = node->self;
	}
}

static struct fl_bill_words summary_of(const struct fl_words *words)
{
	int first = fl_words_first(words);
	struct fl_bill_words w = { .shown = words->base };

	if (first >= 0) {
		w.work = fl_works[words->works[first].row].words;
		w.work += strncmp(w.work, "in ", 3) == 0 ? 3 : 0;
		w.weight = words->works[first].weight;
	} else {
		w.frame = words->frame ? words->frame : words->leaf;
		w.weight = words->frame ? words->frame_weight :
					  words->leaf_weight;
	}
	return w;
}

static bool add_works(struct flame_bill *bill, struct fl_bill_words *to,
		      const struct fl_words *words)
{
	if (!fl_grow(&bill->works, &bill->works_capacity,
		     bill->nworks + words->nworks, sizeof(*bill->works)))
		return false;
	to->first_work = bill->nworks;
	to->nworks = words->nworks;
	for (unsigned i = 0; i < words->nworks; i++)
		bill->works[bill->nworks++] = words->works[i];
	return true;
}

/*
 * Of the stacks that were added since the forest was cleared, of tasks or of
 * anything.  false: out of memory.
 */
static bool find_words(struct forest *f, bool tasks, struct fl_words *words)
{
	struct fl_word_nodes nodes;

	if (!reserve(f))
		return false;
	put_in_order(f);
	nodes = (struct fl_word_nodes){
		.count = (uint32_t)f->count, .name = f->name, .type = f->type,
		.parent = f->parent, .end = f->end, .self = f->self,
		.tasks = tasks,
	};
	return fl_wording_find(f->wording, &nodes, words) == FLAME_OK;
}

/* With works: their list, too. */
static bool describe(struct forest *f, bool works, struct fl_bill_words *to)
{
	struct fl_words words;

	if (!find_words(f, true, &words))
		return false;
	*to = summary_of(&words);
	return !works || add_works(f->bill, to, &words);
}

static bool describe_stage(struct forest *f, struct fl_bill_stage *stage)
{
	struct fl_bill_row *rows = &f->bill->rows[stage->first_row];
	bool good = true;

	for (size_t i = 0; good && i < stage->nrows; i++)
		good = clear(f) && add_rows(f, stage->first_row + i, 1) &&
		       describe(f, false, &rows[i].words);
	return good && clear(f) &&
	       add_rows(f, stage->first_row, stage->nrows) &&
	       describe(f, true, &stage->words);
}

static bool describe_query(struct forest *f, struct fl_bill_query *query)
{
	struct fl_bill_stage *stages = &f->bill->stages[query->first_stage];
	bool good = true;

	for (size_t i = 0; good && i < query->nstages; i++)
		good = describe_stage(f, &stages[i]);
	good = good && clear(f);
	for (size_t i = 0; good && i < query->nstages; i++)
		good = add_rows(f, stages[i].first_row, stages[i].nrows);
	return good && describe(f, true, &query->words);
}

static bool describe_app(struct forest *f, size_t app)
{
	bool good = clear(f);

	for (size_t i = 0; good && i < f->bill->nrows; i++)
		if (f->bill->rows[i].app == app)
			good = add_rows(f, i, 1);
	return good && describe(f, true, &f->bill->apps[app]);
}

/* Where all that is seen by the clock is idle, time on a CPU says it. */
static bool describe_driver(struct forest *f, enum fl_driver_metric metric)
{
	struct flame_bill *bill = f->bill;
	size_t n, i = 0;
	const struct fl_driver_stack *stacks = fl_driver_stacks(bill->driver,
								metric, &n);

	while (i < n) {
		const size_t part = stacks[i].part;
		struct fl_words words;
		bool good = clear(f);

		for (; good && i < n && stacks[i].part == part; i++)
			good = add_weight(f, stacks[i].stack,
					  stacks[i].weight);
		if (!good || !find_words(f, false, &words))
			return false;
		if (!bill->drivers[part].shown)
			bill->drivers[part] = summary_of(&words);
	}
	return true;
}

bool fl_bill_find_frames(struct flame_bill *bill)
{
	struct forest f = { .bill = bill };
	bool good;

	f.wording = fl_wording_new(bill->flame);
	f.node = fl_zeroed(bill->flame->stacks.count + 1, sizeof(*f.node));
	bill->apps = fl_zeroed(bill->spark->napps + 1, sizeof(*bill->apps));
	bill->drivers = fl_zeroed(2 * bill->spark->napps + 1,
				  sizeof(*bill->drivers));
	good = f.wording && f.node && bill->apps && bill->drivers &&
	       describe_driver(&f, FL_DRIVER_WALL) &&
	       describe_driver(&f, FL_DRIVER_CPU);
	for (size_t i = 0; good && i < bill->nqueries; i++)
		good = describe_query(&f, &bill->queries[i]);
	for (size_t i = 0; good && i < bill->spark->napps; i++)
		good = describe_app(&f, i);
	destroy(&f);
	return good;
}
