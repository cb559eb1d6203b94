/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Makes the nodes of a large tree with several threads, called by layout.c;
 * each makes parts, ranges of consecutive nodes.  The plan lists pending stacks
 * for all parts, in the order of nodes; only the paths to where parts begin are
 * expanded in it.  A part reserves a node for each of its stacks, so it knows
 * its first node before the parts before it are done.  Joined stacks make fewer
 * nodes: then later parts are moved up.
 */
#include "fl.h"

#include "tree/layout_internal.h"

enum {
	MAX_THREADS = 8,
	PARTS_PER_THREAD = 4,	/* some are slower than others */
	MAX_PARTS = PARTS_PER_THREAD * MAX_THREADS
};

struct part {
	struct fl_job job;
	const struct plan *plan;
	size_t from, to;	/* of the list */
	uint32_t start;		/* its first node */
	uint32_t shift;		/* by which it is moved up */
	uint32_t level;		/* of its first node */
	bool good;
	struct fl_layout_builder builder;
	struct fl_layout layout;	/* shares the arrays of the whole */
};

struct plan {
	struct fl_pending *list;
	size_t n, capacity;
	uint32_t *path;		/* by level: to the beginning of a part */
	size_t path_capacity;
	unsigned wanted, nparts;
	struct part parts[MAX_PARTS];
};

/* Begins a part at the last pending stack. */
static bool add_part(const struct fl_layout_builder *y, struct plan *plan,
		     uint32_t start)
{
	struct part *part = &plan->parts[plan->nparts++];
	uint32_t level = y->pending[y->npending - 1].level;
	struct fl_layout_builder *b = &part->builder;

	*b = *y;
	b->pending = NULL;
	b->open = NULL;
	b->order = (struct fl_order){ 0 };
	b->npending = b->pending_capacity = b->open_capacity = 0;
	part->level = level;
	b->layout = &part->layout;
	part->layout = *y->layout;
	part->layout.count = part->start = start;
	part->plan = plan;
	part->from = plan->n;
	if (!fl_grow(&b->open, &b->open_capacity, (size_t)level + 1,
		     sizeof(*b->open)) ||
	    !fl_grow(&plan->path, &plan->path_capacity, (size_t)level + 1,
		     sizeof(*plan->path)))
		return false;
	if (level)
		memcpy(b->open, y->open, level * sizeof(*b->open));
	return true;
}

static bool list_last(const struct fl_layout_builder *y, struct plan *plan,
		      size_t n)
{
	if (!fl_grow(&plan->list, &plan->capacity, plan->n + n,
		     sizeof(*plan->list)))
		return false;
	memcpy(plan->list + plan->n, y->pending + y->npending - n,
	       n * sizeof(*plan->list));
	plan->n += n;
	return true;
}

/* Expands the last n pending stacks, as a part begins below them. */
static bool expand_path(struct fl_layout_builder *y, size_t n, uint32_t node)
{
	size_t level = y->pending[y->npending - n].level;

	if (!fl_grow(&y->open, &y->open_capacity, level + 1, sizeof(*y->open)))
		return false;
	y->open[level] = node;
	return fl_layout_builder_open_last(y, n);
}

/* Stacks in the subtrees of the last n pending. */
static uint32_t size_of_last(const struct fl_layout_builder *y, size_t n)
{
	uint32_t size = 0;

	for (size_t i = y->npending - n; i < y->npending; i++)
		size += y->subtree_size[y->pending[i].stack];
	return size;
}

/* Expands a node if parts would be uneven without, and it is not tiny. */
static bool make_plan(struct fl_layout_builder *y, struct plan *plan)
{
	uint32_t share = y->nweighted / plan->wanted + 1, passed = 0, size;

	if (!fl_layout_builder_start(y))
		return false;
	for (; y->npending; passed += size) {
		size_t n = fl_layout_builder_last(y);
		bool whole;

		if (passed >= share * plan->nparts &&
		    plan->nparts < plan->wanted && !add_part(y, plan, passed))
			return false;
		size = size_of_last(y, n);
		whole = plan->nparts == plan->wanted || size < share / 64 ||
			passed + size <= share * plan->nparts;
		if (!list_last(y, plan, n) ||
		    (!whole && !expand_path(y, n, passed)))
			return false;
		if (whole)
			y->npending -= n;
		else
			size = n;
	}
	return true;
}

static bool build_listed(struct fl_layout_builder *y,
			 const struct fl_pending *at, size_t n, bool expanded)
{
	if (expanded)
		return fl_layout_builder_add(y, at, n);
	if (!fl_grow(&y->pending, &y->pending_capacity, n, sizeof(*at)))
		return false;
	memcpy(y->pending, at, n * sizeof(*at));
	y->npending = n;
	return fl_layout_builder_run(y);
}

/* Runs in any thread.  Children follow their parent if it is expanded. */
static void build_part(struct fl_job *job)
{
	struct part *part = (struct part *)job;
	const struct fl_pending *list = part->plan->list;
	size_t n = part->plan->n, next;

	part->good = true;
	for (size_t i = part->from; part->good && i < part->to; i = next) {
		bool expanded;

		for (next = i + 1; next < n && list[next].joined;)
			next++;
		expanded = next < n && list[next].level > list[i].level;
		part->good = build_listed(&part->builder, list + i, next - i,
					  expanded);
	}
}

/* The caller works too; it does all if there is no thread pool. */
static void build_parts(struct plan *plan, unsigned threads)
{
	struct fl_thread_pool *pool =
		fl_thread_pool_new(FL_MIN(threads, plan->nparts));

	for (unsigned i = 0; i < plan->nparts; i++) {
		struct part *part = &plan->parts[i];

		part->to = i + 1 < plan->nparts ? part[1].from : plan->n;
		part->job.run = build_part;
		if (pool)
			fl_thread_pool_submit(pool, &part->job);
		else
			build_part(&part->job);
	}
	for (unsigned i = 0; pool && i < plan->nparts; i++)
		fl_thread_pool_wait(pool, &plan->parts[i].job);
	fl_thread_pool_free(pool);
}

static void move_array(void *array, const struct part *part, size_t size)
{
	char *at = (char *)array + part->start * size;

	memmove(at - part->shift * size, at,
		(part->layout.count - part->start) * size);
}

/* Moves the nodes of a part, and adjusts `parent`. */
static void move_up(struct fl_layout *l, const struct part *part,
		    const uint32_t *path)
{
	uint32_t shift = part->shift, start = part->start;

	move_array(l->name, part, sizeof(*l->name));
	move_array(l->type, part, sizeof(*l->type));
	move_array(l->parent, part, sizeof(*l->parent));
	move_array(l->level, part, sizeof(*l->level));
	for (unsigned c = 0; c < l->columns; c++)
		move_array(l->total[c], part, sizeof(*l->total[c]));
	for (uint32_t i = start - shift; i < part->layout.count - shift; i++) {
		if (l->parent[i] < start)
			l->parent[i] = path[l->level[i] - 1];
		else
			l->parent[i] -= shift;
	}
}

/* Appends a part to the parts before. */
static void append(struct fl_layout *l, struct part *part, const uint32_t *path)
{
	part->shift = part->start - l->count;
	if (part->shift)
		move_up(l, part, path);
	l->count = part->layout.count - part->shift;
	l->depth = FL_MAX(l->depth, part->layout.depth);
}

/* Updates the path to the next part with nodes of this one. */
static void update_path(uint32_t *path, const struct part *part, uint32_t level)
{
	for (uint32_t i = 0; i < level; i++)
		if (part->builder.open[i] >= part->start)
			path[i] = part->builder.open[i] - part->shift;
}

static bool join_parts(struct fl_layout *l, struct plan *plan)
{
	struct part *parts = plan->parts;

	for (unsigned i = 0; i < plan->nparts; i++)
		if (!parts[i].good)
			return false;
	for (unsigned i = 0; i < plan->nparts; i++) {
		append(l, &parts[i], plan->path);
		if (i + 1 < plan->nparts)
			update_path(plan->path, &parts[i], parts[i + 1].level);
	}
	return true;
}

/* Adjusts node_of_stack.  If any part was moved, the last one was. */
static void move_node_of_stack(const struct fl_layout_builder *y,
			       const struct plan *plan)
{
	const struct part *last = &plan->parts[plan->nparts - 1], *part;
	uint32_t *of = y->node_of_stack;

	for (size_t i = 0; of && last->shift && i < y->n; i++) {
		if (of[i] == FL_NO_NODE)
			continue;
		for (part = last; of[i] < part->start;)
			part--;
		of[i] -= part->shift;
	}
}

static void free_plan(struct plan *plan)
{
	for (unsigned i = 0; i < plan->nparts; i++) {
		struct part *part = &plan->parts[i];

		fl_free(part->builder.open);
		fl_free(part->builder.pending);
		fl_order_free(&part->builder.order);
	}
	fl_free(plan->list);
	fl_free(plan->path);
}

bool fl_layout_builder_run_parallel(struct fl_layout_builder *y)
{
	unsigned threads = FL_MIN(y->flame->threads, (unsigned)MAX_THREADS);
	struct plan plan = { .wanted = PARTS_PER_THREAD * threads };
	bool good = make_plan(y, &plan);

	if (good) {
		build_parts(&plan, threads);
		good = join_parts(y->layout, &plan);
	}
	if (good)
		move_node_of_stack(y, &plan);
	free_plan(&plan);
	return good;
}
