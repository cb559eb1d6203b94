/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Several threads lay the nodes of a large tree, each a part: nodes that
 * follow one another.  The list has what is pending for all of them, in the
 * order of nodes.  Opened in it are only the paths to where parts begin.
 * Each part has room for as many nodes as it has stacks, so their numbers are
 * known before those of other parts are laid.  Where stacks are joined there
 * are fewer, and what is behind them moves up.
 */
#include "fl.h"

#include "tree/layout_internal.h"

enum {
	MOST_THREADS = 8,
	EACH = 4,	/* parts for a thread: some take longer than others */
	MOST = EACH * MOST_THREADS
};

struct part {
	struct fl_job job;
	const struct plan *plan;
	size_t from, to;	/* of the list */
	uint32_t start;		/* its first node */
	uint32_t shift;		/* by which it moved up */
	uint32_t level;		/* of that */
	bool good;
	struct fl_layout_builder y;
	struct fl_layout layout;	/* arrays are those of all */
};

struct plan {
	struct fl_pending *list;
	size_t n, room;
	uint32_t *path;		/* by level: to where a part begins */
	size_t path_room;
	unsigned wanted, nparts;
	struct part parts[MOST];
};

/* It begins with what is pending last. */
static bool add_part(const struct fl_layout_builder *y, struct plan *plan,
		     uint32_t start)
{
	struct part *part = &plan->parts[plan->nparts++];
	uint32_t level = y->pending[y->npending - 1].level;
	struct fl_layout_builder *its = &part->y;

	*its = *y;
	its->pending = NULL;
	its->open = NULL;
	its->order = (struct fl_order){ 0 };
	its->npending = its->pending_room = its->open_room = 0;
	part->level = level;
	its->layout = &part->layout;
	part->layout = *y->layout;
	part->layout.count = part->start = start;
	part->plan = plan;
	part->from = plan->n;
	if (!fl_grow(&its->open, &its->open_room, (size_t)level + 1,
		     sizeof(*its->open)) ||
	    !fl_grow(&plan->path, &plan->path_room, (size_t)level + 1,
		     sizeof(*plan->path)))
		return false;
	if (level)
		memcpy(its->open, y->open, level * sizeof(*its->open));
	return true;
}

static bool list_last(const struct fl_layout_builder *y, struct plan *plan,
		      size_t n)
{
	if (!fl_grow(&plan->list, &plan->room, plan->n + n,
		     sizeof(*plan->list)))
		return false;
	memcpy(plan->list + plan->n, y->pending + y->npending - n,
	       n * sizeof(*plan->list));
	plan->n += n;
	return true;
}

/* The last n, which a part begins below. */
static bool open_path(struct fl_layout_builder *y, size_t n, uint32_t node)
{
	size_t level = y->pending[y->npending - n].level;

	if (!fl_grow(&y->open, &y->open_room, level + 1, sizeof(*y->open)))
		return false;
	y->open[level] = node;
	return fl_layout_builder_open_last(y, n);
}

/* Stacks from the last n on down. */
static uint32_t size_of_last(const struct fl_layout_builder *y, size_t n)
{
	uint32_t size = 0;

	for (size_t i = y->npending - n; i < y->npending; i++)
		size += y->size[y->pending[i].stack];
	return size;
}

/* What is little next to a share is not opened for the sake of equal ones. */
static bool make_plan(struct fl_layout_builder *y, struct plan *plan)
{
	uint32_t share = y->heavy / plan->wanted + 1, passed = 0, size;

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
		    (!whole && !open_path(y, n, passed)))
			return false;
		if (whole)
			y->npending -= n;
		else
			size = n;
	}
	return true;
}

static bool lay_listed(struct fl_layout_builder *y, const struct fl_pending *at,
		       size_t n, bool opened)
{
	if (opened)
		return fl_layout_builder_add(y, at, n);
	if (!fl_grow(&y->pending, &y->pending_room, n, sizeof(*at)))
		return false;
	memcpy(y->pending, at, n * sizeof(*at));
	y->npending = n;
	return fl_layout_builder_run(y);
}

/* In any thread.  What was opened has its children behind it. */
static void lay_part(struct fl_job *job)
{
	struct part *part = (struct part *)job;
	const struct fl_pending *list = part->plan->list;
	size_t n = part->plan->n, next;

	part->good = true;
	for (size_t i = part->from; part->good && i < part->to; i = next) {
		bool opened;

		for (next = i + 1; next < n && list[next].joined;)
			next++;
		opened = next < n && list[next].level > list[i].level;
		part->good = lay_listed(&part->y, list + i, next - i, opened);
	}
}

/* Who waits lays too; all of them, if there is no team. */
static void lay_parts(struct plan *plan, unsigned threads)
{
	struct fl_thread_pool *team =
		fl_thread_pool_new(FL_MIN(threads, plan->nparts));

	for (unsigned i = 0; i < plan->nparts; i++) {
		struct part *part = &plan->parts[i];

		part->to = i + 1 < plan->nparts ? part[1].from : plan->n;
		part->job.run = lay_part;
		if (team)
			fl_thread_pool_submit(team, &part->job);
		else
			lay_part(&part->job);
	}
	for (unsigned i = 0; team && i < plan->nparts; i++)
		fl_thread_pool_wait(team, &plan->parts[i].job);
	fl_thread_pool_free(team);
}

static void move(void *array, const struct part *part, size_t size)
{
	char *at = (char *)array + part->start * size;

	memmove(at - part->shift * size, at,
		(part->layout.count - part->start) * size);
}

/* The nodes of a part, and what they say of nodes. */
static void move_up(struct fl_layout *l, const struct part *part,
		    const uint32_t *path)
{
	uint32_t shift = part->shift, start = part->start;

	move(l->name, part, sizeof(*l->name));
	move(l->type, part, sizeof(*l->type));
	move(l->parent, part, sizeof(*l->parent));
	move(l->level, part, sizeof(*l->level));
	for (unsigned c = 0; c < l->columns; c++)
		move(l->total[c], part, sizeof(*l->total[c]));
	for (uint32_t i = start - shift; i < part->layout.count - shift; i++) {
		if (l->parent[i] < start)
			l->parent[i] = path[l->level[i] - 1];
		else
			l->parent[i] -= shift;
	}
}

/* Behind the parts before. */
static void join(struct fl_layout *l, struct part *part, const uint32_t *path)
{
	part->shift = part->start - l->count;
	if (part->shift)
		move_up(l, part, path);
	l->count = part->layout.count - part->shift;
	l->depth = FL_MAX(l->depth, part->layout.depth);
}

/* To where the next part begins: as far as it goes through this one. */
static void follow(uint32_t *path, const struct part *part, uint32_t level)
{
	for (uint32_t i = 0; i < level; i++)
		if (part->y.open[i] >= part->start)
			path[i] = part->y.open[i] - part->shift;
}

static bool join_parts(struct fl_layout *l, struct plan *plan)
{
	struct part *parts = plan->parts;

	for (unsigned i = 0; i < plan->nparts; i++)
		if (!parts[i].good)
			return false;
	for (unsigned i = 0; i < plan->nparts; i++) {
		join(l, &parts[i], plan->path);
		if (i + 1 < plan->nparts)
			follow(plan->path, &parts[i], parts[i + 1].level);
	}
	return true;
}

/* If any part moved up, the last one did. */
static void move_places(const struct fl_layout_builder *y,
			const struct plan *plan)
{
	const struct part *last = &plan->parts[plan->nparts - 1], *part;
	uint32_t *of = y->of_stack;

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

		fl_free(part->y.open);
		fl_free(part->y.pending);
		fl_order_free(&part->y.order);
	}
	fl_free(plan->list);
	fl_free(plan->path);
}

bool fl_layout_builder_run_parallel(struct fl_layout_builder *y)
{
	unsigned threads = FL_MIN(y->flame->threads, (unsigned)MOST_THREADS);
	struct plan plan = { .wanted = EACH * threads };
	bool good = make_plan(y, &plan);

	if (good) {
		lay_parts(&plan, threads);
		good = join_parts(y->layout, &plan);
	}
	if (good)
		move_places(y, &plan);
	free_plan(&plan);
	return good;
}
