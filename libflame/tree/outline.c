/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Layout for pictures: of a large profile most nodes are too light to be
 * drawn.  These are told as they come, the lightest with all that is below
 * them, and nothing is kept of them.
 */
#include "fl.h"

#include "tree/layout_internal.h"
#include "tree/outline.h"

/*
 * Of a stack: how many levels are below it (LEVELS: more than that), and
 * whether its node may be of several stacks: these are only found by looking
 * at each.
 */
enum { LEVELS = 0x7fff, MIXED = 0x8000 };

struct fl_outline {
	struct fl_layout_builder laying;
	const struct fl_teller *teller;
	int64_t least, fine;
	uint16_t *below;	/* by stack: LEVELS, MIXED */
	uint32_t kept;		/* nodes that there is room for */
	int64_t *x;		/* by level: where the next node begins */
	size_t x_room;
	bool inside;		/* the last node was light */
	unsigned outermost;	/* of those around it */
};

bool *fl_shared_names(const struct flame *flame, bool *any)
{
	const struct fl_frames *frames = &flame->frames;
	bool *shared = fl_zeroed(frames->count, sizeof(*shared));

	*any = false;
	for (size_t i = 1; shared && i < frames->count; i++) {
		flame_id name = frames->data[i].name;

		shared[i] = frames->next[i] ||
			    flame->names.data[name].frame != i;
		*any = *any || shared[i];
	}
	return shared;
}

/* What may be one node with a sibling, and all below it. */
static bool mark_mixed(struct fl_outline *o)
{
	const struct flame *flame = o->laying.flame;
	const struct fl_stack *at = flame->stacks.data;
	bool any, *shared = fl_shared_names(flame, &any);

	for (size_t i = 1; shared && any && i < o->laying.n; i++) {
		const struct fl_stack *parent = &at[at[i].parent];

		if (o->below[at[i].parent] & MIXED ||
		    (shared[at[i].frame] &&
		     (at[i].sibling || parent->child != i)))
			o->below[i] = MIXED;
	}
	fl_free(shared);
	return shared;
}

/* So many levels are below it, at least. */
static void deepen(uint16_t *below, unsigned levels)
{
	unsigned least = FL_MIN(levels, (unsigned)LEVELS);

	*below = (uint16_t)(FL_MAX(least, *below & (unsigned)LEVELS) |
			    (*below & MIXED));
}

/* What was not read is below, too. */
static void add_rests(struct fl_outline *o, const struct fl_deferred *rest)
{
	for (; rest; rest = rest->next)
		for (size_t i = 0; i < rest->count; i++)
			if (!rest->stacks[i].read)
				deepen(&o->below[rest->stacks[i].stack],
				       rest->stacks[i].levels);
}

/* Totals, and what is below each. */
static void add_up(struct fl_outline *o)
{
	const struct fl_stack *at = o->laying.flame->stacks.data;
	int64_t *total = o->laying.total[0];

	add_rests(o, o->laying.tree->rests.first);
	for (size_t i = o->laying.n; --i > 0;) {
		if (!total[i])
			continue;
		total[at[i].parent] += total[i];
		deepen(&o->below[at[i].parent],
		       (o->below[i] & (unsigned)LEVELS) + 1);
	}
	o->below[0] |= MIXED;	/* the root is looked at, however light */
}

struct fl_outline *fl_outline_open(struct flame_tree *tree, bool spend)
{
	struct fl_outline *o = fl_zeroed(1, sizeof(*o));

	if (o && fl_layout_builder_weigh(&o->laying, tree, spend)) {
		o->below = fl_zeroed(o->laying.n, sizeof(*o->below));
		if (o->below && mark_mixed(o)) {
			add_up(o);
			return o;
		}
	}
	fl_outline_free(o);
	fl_no_memory(tree->flame);
	return NULL;
}

void fl_outline_free(struct fl_outline *o)
{
	if (!o)
		return;
	fl_layout_builder_close(&o->laying);
	fl_free(o->below);
	fl_free(o->x);
	fl_free(o);
}

/* It is a node alone, and told with all that is below it. */
static bool is_fine(const struct fl_outline *o, uint32_t stack)
{
	return o->laying.total[0][stack] < o->fine && o->below[stack] < LEVELS;
}

/* Of those that may be looked at one by one, all that weigh something. */
static bool list_children(struct fl_outline *o)
{
	struct fl_layout_builder *y = &o->laying;
	const struct fl_stack *at = y->flame->stacks.data;
	uint32_t *first = fl_zeroed(y->n + 2, sizeof(*first)), *some = NULL;
	size_t n = 0, room = 0;
	bool good = first;

	/* As in layout.c: counted two behind. */
	y->first = first;
	for (size_t i = 1; good && i < y->n; i++) {
		if (!y->total[0][i] || is_fine(o, at[i].parent))
			continue;
		good = fl_grow(&some, &room, n + 1, sizeof(*some));
		if (good)
			some[n++] = i;
		first[at[i].parent + 2]++;
	}
	y->child = good ? fl_alloc((n + 1) * sizeof(*y->child)) : NULL;
	good = y->child;
	for (size_t i = 2; good && i < y->n + 2; i++)
		first[i] += first[i - 1];
	for (size_t i = 0; good && i < n; i++)
		y->child[first[at[some[i]].parent + 1]++] = some[i];
	fl_free(some);
	return good;
}

/* The heaviest ---------------------------------------------------------- */

/* heap[0] is the smallest: a value sinks from there, or from further down. */
static void sink_down(int64_t *heap, size_t n, size_t i, int64_t value)
{
	size_t child;

	while ((child = 2 * i + 1) < n) {
		if (child + 1 < n && heap[child + 1] < heap[child])
			child++;
		if (heap[child] >= value)
			break;
		heap[i] = heap[child];
		i = child;
	}
	heap[i] = value;
}

/* The n-th value makes a heap of them; until then they are as they came. */
static void add_value(int64_t *heap, size_t most, size_t n, int64_t value)
{
	if (n > most) {
		sink_down(heap, most, 0, value);
		return;
	}
	heap[n - 1] = value;
	for (size_t i = n == most ? most / 2 : 0; i--;)
		sink_down(heap, most, i, heap[i]);
}

/* What is heavier weighs so much, or as much as there can be. */
static int64_t above(int64_t weight)
{
	return weight < INT64_MAX ? weight + 1 : INT64_MAX;
}

bool fl_heaviest(const struct fl_layout *layout, unsigned column,
		 size_t limit, int64_t *total)
{
	const int64_t *weight = layout->total[column];
	int64_t *heap;

	*total = 1;
	if (layout->count <= limit)
		return true;
	heap = fl_zeroed(limit, sizeof(*heap));
	if (!heap)
		return false;
	/* None is heavier than its parent. */
	for (uint32_t i = 0; i < layout->count;) {
		if (weight[i] <= heap[0]) {
			i = layout->end[i];
			continue;
		}
		sink_down(heap, limit, 0, weight[i]);
		i++;
	}
	*total = above(heap[0]);
	fl_free(heap);
	return true;
}

/* The same of what has no layout yet. */
static bool weigh(struct fl_outline *o, int64_t *heap, size_t most)
{
	struct fl_layout_builder *y = &o->laying;
	size_t found = 0;
	bool more = false;

	if (!fl_layout_builder_start(y))
		return false;
	while (y->npending) {
		size_t n = fl_layout_builder_last(y);
		int64_t total = fl_layout_builder_total(
			y, 0, y->pending + y->npending - n, n);

		if (total <= (found < most ? 0 : heap[0]) ||
		    (total < o->least && found)) {
			y->npending -= n;
			more = true;
			continue;
		}
		add_value(heap, most, ++found, total);
		if (!fl_layout_builder_open_last(y, n))
			return false;
	}
	o->kept = (uint32_t)FL_MAX(FL_MIN(found, most), 1u);
	if (found > most || (found == most && more))
		o->least = FL_MAX(o->least, above(heap[0]));
	return true;
}

bool fl_outline_least(struct fl_outline *o, int64_t *least, size_t most,
		      int64_t fine)
{
	int64_t *heap = fl_zeroed(most, sizeof(*heap));
	bool good;

	o->least = *least;
	o->fine = FL_MIN(fine, *least);
	good = heap && list_children(o) && weigh(o, heap, most);
	fl_free(heap);
	*least = o->least;
	return good;
}

/* The layout ------------------------------------------------------------ */

static bool keep(struct fl_outline *o, struct fl_pending *at, size_t n,
		 int64_t x)
{
	struct fl_layout_builder *y = &o->laying;

	y->layout->x[y->layout->count] = x;
	o->inside = false;
	return fl_layout_builder_add(y, at, n);
}

static void tell(struct fl_outline *o, uint32_t level, unsigned further,
		 int64_t x, int64_t total)
{
	bool outermost = !o->inside || level <= o->outermost;

	if (outermost)
		o->outermost = level;
	o->inside = true;
	o->teller->tell(o->teller->arg, level, further, x, total, outermost);
}

/* With all that is below it, where it is light enough. */
static bool tell_whole(struct fl_outline *o, const struct fl_pending *at,
		       size_t n, int64_t x, int64_t total)
{
	unsigned levels = 0;

	for (size_t i = 0; total < o->fine && i < n; i++)
		levels = FL_MAX(levels,
				o->below[at[i].stack] & (unsigned)LEVELS);
	if (total >= o->fine || levels == LEVELS)
		return false;
	tell(o, at->level, levels, x, total);
	return true;
}

/*
 * What is light has mostly one child, and so on: to the last of these, and
 * its total.
 */
static int64_t tell_only(struct fl_outline *o, struct fl_pending *at,
			 int64_t x, int64_t *its)
{
	const struct fl_layout_builder *y = &o->laying;
	const int64_t *total = y->total[0];
	uint32_t stack = at->stack, level = at->level;

	while (y->first[stack + 1] - y->first[stack] == 1) {
		uint32_t child = y->child[y->first[stack]];

		if (is_fine(o, child))
			break;
		x += total[stack] - total[child];
		stack = child;
		tell(o, ++level, 0, x, total[stack]);
	}
	at->stack = stack;
	at->level = level;
	*its = total[stack];
	return x;
}

static bool reach(struct fl_outline *o, size_t level)
{
	return fl_likely(level < o->x_room) ||
	       fl_grow(&o->x, &o->x_room, level + 1, sizeof(*o->x));
}

static int64_t children_total(const struct fl_layout_builder *y, size_t before)
{
	return fl_layout_builder_total(y, 0, y->pending + before,
				       y->npending - before);
}

/*
 * The last n that are pending are one node, kept or told.  Children begin
 * behind what is its own.
 */
static bool lay(struct fl_outline *o, size_t n)
{
	struct fl_layout_builder *y = &o->laying;
	size_t before = y->npending - n;
	struct fl_pending *at = y->pending + before;
	int64_t total = fl_layout_builder_total(y, 0, at, n),
		x = o->x[at->level];
	uint32_t node = y->layout->count, level;
	bool light = node && (total < o->least || node >= o->kept);

	o->x[at->level] += total;
	if (light && tell_whole(o, at, n, x, total)) {
		y->npending = before;
		return true;
	}
	if (light)
		tell(o, at->level, 0, x, total);
	else if (!keep(o, at, n, x))
		return false;
	if (light && n == 1)
		x = tell_only(o, at, x, &total);
	level = at->level;
	if (!reach(o, (size_t)level + 1) || !fl_layout_builder_open_last(y, n))
		return false;
	total -= children_total(y, before);
	if (!light)
		y->layout->self[0][node] = total;
	o->x[level + 1] = x + total;
	return true;
}

static bool lay_all(struct fl_outline *o)
{
	struct fl_layout_builder *y = &o->laying;

	if (!fl_layout_builder_begin(y, o->kept) ||
	    !fl_layout_builder_start(y) || !reach(o, 0))
		return false;
	y->layout->x = fl_alloc(o->kept * sizeof(*y->layout->x));
	y->layout->self[0] = fl_alloc(o->kept * sizeof(int64_t));
	if (!y->layout->x || !y->layout->self[0])
		return false;
	o->x[0] = 0;
	while (y->npending)
		if (!lay(o, fl_layout_builder_last(y)))
			return false;
	return fl_layout_ends(y->layout);
}

struct fl_layout *fl_outline_layout(struct fl_outline *o,
				    const struct fl_teller *teller)
{
	struct fl_layout *layout;

	o->teller = teller;
	if (!lay_all(o)) {
		fl_layout_free(o->laying.layout);
		o->laying.layout = NULL;
		fl_no_memory(o->laying.flame);
	}
	layout = o->laying.layout;
	o->laying.layout = NULL;
	return layout;
}
