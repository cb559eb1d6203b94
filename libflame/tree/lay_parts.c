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

#include "tree/laying.h"

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
	size_t lent;		/* levels open in the part before, still */
	uint32_t *end;		/* by level: where those ended here */
	bool good;
	struct fl_laying y;
	struct fl_layout layout;	/* arrays are those of all */
};

struct plan {
	struct fl_pending *list;
	size_t n, room;
	unsigned wanted, nparts;
	struct part parts[MOST];
};

/* It begins with what is pending last. */
static bool add_part(const struct fl_laying *y, struct plan *plan,
		     uint32_t start)
{
	struct part *part = &plan->parts[plan->nparts++];
	size_t level = y->pending[y->npending - 1].level;
	struct fl_laying *its = &part->y;

	*its = *y;
	its->pending = NULL;
	its->open = NULL;
	its->order = (struct fl_order){ 0 };
	its->npending = its->pending_room = its->open_room = 0;
	its->nopen = part->lent = level;
	its->layout = &part->layout;
	part->layout = *y->layout;
	part->layout.n = part->start = start;
	part->plan = plan;
	part->from = plan->n;
	part->end = fl_alloc((level + 1) * sizeof(*part->end));
	if (!part->end || !fl_grow(&its->open, &its->open_room, level + 1,
				   sizeof(*its->open)))
		return false;
	if (level)
		memcpy(its->open, y->open, level * sizeof(*its->open));
	return true;
}

static bool list_last(const struct fl_laying *y, struct plan *plan, size_t n)
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
static bool open_path(struct fl_laying *y, size_t n, uint32_t node)
{
	size_t level = y->pending[y->npending - n].level;

	if (!fl_grow(&y->open, &y->open_room, level + 1, sizeof(*y->open)))
		return false;
	y->open[level] = node;
	return fl_laying_open_last(y, n);
}

/* Stacks from the last n on down. */
static uint32_t size_of_last(const struct fl_laying *y, size_t n)
{
	uint32_t size = 0;

	for (size_t i = y->npending - n; i < y->npending; i++)
		size += y->size[y->pending[i].stack];
	return size;
}

/* What is little next to a share is not opened for the sake of equal ones. */
static bool make_plan(struct fl_laying *y, struct plan *plan)
{
	uint32_t share = y->heavy / plan->wanted + 1, passed = 0, size;

	if (!fl_laying_start(y))
		return false;
	for (; y->npending; passed += size) {
		size_t n = fl_laying_last(y);
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

/* Nodes from a level on have their end. */
static void leave(struct part *part, size_t level)
{
	struct fl_laying *y = &part->y;

	fl_laying_leave(y, FL_MAX(level, part->lent));
	while (part->lent > level)
		part->end[--part->lent] = y->layout->n;
	y->nopen = FL_MIN(y->nopen, level);
}

static bool lay_listed(struct fl_laying *y, const struct fl_pending *at,
		       size_t n, bool opened)
{
	if (opened)
		return fl_laying_add(y, at, n);
	if (!fl_grow(&y->pending, &y->pending_room, n, sizeof(*at)))
		return false;
	memcpy(y->pending, at, n * sizeof(*at));
	y->npending = n;
	return fl_laying_go_on(y);
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
		leave(part, list[i].level);
		part->good = lay_listed(&part->y, list + i, next - i, opened);
	}
	leave(part, part->to < n ? list[part->to].level : 0);
}

/* Who waits lays too; all of them, if there is no team. */
static void lay_parts(struct plan *plan, unsigned threads)
{
	struct fl_team *team = fl_team_new(FL_MIN(threads, plan->nparts));

	for (unsigned i = 0; i < plan->nparts; i++) {
		struct part *part = &plan->parts[i];

		part->to = i + 1 < plan->nparts ? part[1].from : plan->n;
		part->job.run = lay_part;
		if (team)
			fl_team_give(team, &part->job);
		else
			lay_part(&part->job);
	}
	for (unsigned i = 0; team && i < plan->nparts; i++)
		fl_team_await(team, &plan->parts[i].job);
	fl_team_free(team);
}

static void move(void *array, const struct part *part, size_t size)
{
	char *at = (char *)array + part->start * size;

	memmove(at - part->shift * size, at,
		(part->layout.n - part->start) * size);
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
	move(l->end, part, sizeof(*l->end));
	for (unsigned c = 0; c < l->columns; c++) {
		move(l->self[c], part, sizeof(*l->self[c]));
		move(l->total[c], part, sizeof(*l->total[c]));
	}
	for (uint32_t i = start - shift; i < part->layout.n - shift; i++) {
		l->end[i] -= shift;
		if (l->parent[i] < start)
			l->parent[i] = path[l->level[i] - 1];
		else
			l->parent[i] -= shift;
	}
}

/* Behind the part before: what is open there is the path to this one. */
static void join(struct fl_layout *l, struct part *part,
		 const struct part *before)
{
	const uint32_t *path = before->y.open;
	uint32_t *open = part->y.open;

	part->shift = part->start - l->n;
	if (part->shift)
		move_up(l, part, path);
	for (size_t i = 0; i < part->y.nopen; i++)
		open[i] = i < part->lent ? path[i] : open[i] - part->shift;
	for (size_t i = part->lent; i < before->y.nopen; i++)
		l->end[path[i]] = part->end[i] - part->shift;
	l->n = part->layout.n - part->shift;
	l->depth = FL_MAX(l->depth, part->layout.depth);
}

static bool join_parts(struct fl_layout *l, struct plan *plan)
{
	struct part *parts = plan->parts;

	for (unsigned i = 0; i < plan->nparts; i++)
		if (!parts[i].good)
			return false;
	l->n = parts[0].layout.n;
	l->depth = parts[0].layout.depth;
	for (unsigned i = 1; i < plan->nparts; i++)
		join(l, &parts[i], &parts[i - 1]);
	return true;
}

/* If any part moved up, the last one did. */
static void move_places(const struct fl_laying *y, const struct plan *plan)
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

		fl_free(part->end);
		fl_free(part->y.open);
		fl_free(part->y.pending);
		fl_order_free(&part->y.order);
	}
	fl_free(plan->list);
}

bool fl_lay_in_parts(struct fl_laying *y)
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
