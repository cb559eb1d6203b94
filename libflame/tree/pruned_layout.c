/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Layout for SVG pictures (draw/svg.c): a tree in; out come, in preorder, the
 * nodes that are wide enough to be drawn.  Most nodes of a large profile are
 * too light: they are reported to a callback as they are found, the lightest
 * once for their whole subtree, and need no memory.
 */
#include "fl.h"

#include "tree/layout_internal.h"
#include "tree/pruned_layout.h"

/*
 * By stack: how many levels are below it (MAX_LEVELS: that many or more), and
 * MIXED if its node may have several stacks, which only sorting siblings
 * finds out.
 */
enum { MAX_LEVELS = 0x7fff, MIXED = 0x8000 };

struct fl_pruned_layout {
	struct fl_layout_builder builder;
	const struct fl_light_nodes *light;
	int64_t min_total, detail_limit;
	uint16_t *below;	/* by stack: levels | MIXED */
	uint32_t max_nodes;	/* of the layout */
	int64_t *x;		/* by level: where the next node begins */
	size_t x_capacity;
	bool in_light;		/* the last node was light */
	unsigned light_level;	/* of the outermost one around it */
};

/*
 * By frame: whether another frame has the same name; *any: whether any is set.
 * To fl_free; NULL: out of memory.
 */
static bool *shared_names(const struct flame *flame, bool *any)
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

/* Marks stacks that may share a node with a sibling, and their subtrees. */
static bool mark_mixed(struct fl_pruned_layout *o)
{
	const struct flame *flame = o->builder.flame;
	const struct fl_stack *at = flame->stacks.data;
	bool any, *shared = shared_names(flame, &any);

	for (size_t i = 1; shared && any && i < o->builder.n; i++) {
		const struct fl_stack *parent = &at[at[i].parent];

		if (o->below[at[i].parent] & MIXED ||
		    (shared[at[i].frame] &&
		     (at[i].sibling || parent->child != i)))
			o->below[i] = MIXED;
	}
	fl_free(shared);
	return shared;
}

/* At least `levels` levels are below. */
static void deepen(uint16_t *below, unsigned levels)
{
	unsigned at_least = FL_MIN(levels, (unsigned)MAX_LEVELS);

	*below = (uint16_t)(FL_MAX(at_least, *below & (unsigned)MAX_LEVELS) |
			    (*below & MIXED));
}

/* Sums totals and levels. */
static void add_up(struct fl_pruned_layout *o)
{
	const struct fl_stack *at = o->builder.flame->stacks.data;
	int64_t *total = o->builder.total[0];

	for (size_t i = o->builder.n; --i > 0;) {
		if (!total[i])
			continue;
		total[at[i].parent] += total[i];
		deepen(&o->below[at[i].parent],
		       (o->below[i] & (unsigned)MAX_LEVELS) + 1);
	}
	o->below[0] |= MIXED;	/* the root is never reported */
}

struct fl_pruned_layout *fl_pruned_layout_open(struct flame_tree *tree,
					       bool spend)
{
	struct fl_pruned_layout *o = fl_zeroed(1, sizeof(*o));

	if (o && fl_layout_builder_weigh(&o->builder, tree, spend)) {
		o->below = fl_zeroed(o->builder.n, sizeof(*o->below));
		if (o->below && mark_mixed(o)) {
			add_up(o);
			return o;
		}
	}
	fl_pruned_layout_free(o);
	fl_no_memory(tree->flame);
	return NULL;
}

void fl_pruned_layout_free(struct fl_pruned_layout *o)
{
	if (!o)
		return;
	fl_layout_builder_close(&o->builder);
	fl_free(o->below);
	fl_free(o->x);
	fl_free(o);
}

/* Whether it is one node, and is reported without its subtree. */
static bool is_below_detail(const struct fl_pruned_layout *o, uint32_t stack)
{
	return o->builder.total[0][stack] < o->detail_limit &&
	       o->below[stack] < MAX_LEVELS;
}

/* Lists children above 0, except those that are not reported. */
static bool list_children(struct fl_pruned_layout *o)
{
	struct fl_layout_builder *y = &o->builder;
	const struct fl_stack *at = y->flame->stacks.data;
	uint32_t *first = fl_zeroed(y->n + 2, sizeof(*first)), *some = NULL;
	size_t n = 0, capacity = 0;
	bool good = first;

	/* Counts are stored at index + 2, as in layout.c. */
	y->first = first;
	for (size_t i = 1; good && i < y->n; i++) {
		if (!y->total[0][i] || is_below_detail(o, at[i].parent))
			continue;
		good = fl_grow(&some, &capacity, n + 1, sizeof(*some));
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

/* The heaviest nodes ---------------------------------------------------- */

/* A min-heap: sinks a value from index i. */
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

/* heap[] is unsorted until it has `max` values, then a heap of the largest. */
static void add_value(int64_t *heap, size_t max, size_t n, int64_t value)
{
	if (n > max) {
		sink_down(heap, max, 0, value);
		return;
	}
	heap[n - 1] = value;
	for (size_t i = n == max ? max / 2 : 0; i--;)
		sink_down(heap, max, i, heap[i]);
}

/* The smallest larger total; INT64_MAX has none. */
static int64_t next_larger(int64_t weight)
{
	return weight < INT64_MAX ? weight + 1 : INT64_MAX;
}

bool fl_layout_threshold(const struct fl_layout *layout, unsigned column,
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
	/* No node is heavier than its parent. */
	for (uint32_t i = 0; i < layout->count;) {
		if (weight[i] <= heap[0]) {
			i = layout->end[i];
			continue;
		}
		sink_down(heap, limit, 0, weight[i]);
		i++;
	}
	*total = next_larger(heap[0]);
	fl_free(heap);
	return true;
}

/* Finds max_nodes and min_total before there is a layout. */
static bool find_threshold(struct fl_pruned_layout *o, int64_t *heap,
			   size_t max_nodes)
{
	struct fl_layout_builder *y = &o->builder;
	size_t found = 0;
	bool more = false;

	if (!fl_layout_builder_start(y))
		return false;
	while (y->npending) {
		size_t n = fl_layout_builder_last(y);
		int64_t total = fl_layout_builder_total(
			y, 0, y->pending + y->npending - n, n);

		if (total <= (found < max_nodes ? 0 : heap[0]) ||
		    (total < o->min_total && found)) {
			y->npending -= n;
			more = true;
			continue;
		}
		add_value(heap, max_nodes, ++found, total);
		if (!fl_layout_builder_open_last(y, n))
			return false;
	}
	o->max_nodes = (uint32_t)FL_MAX(FL_MIN(found, max_nodes), 1u);
	if (found > max_nodes || (found == max_nodes && more))
		o->min_total = FL_MAX(o->min_total, next_larger(heap[0]));
	return true;
}

bool fl_pruned_layout_limit(struct fl_pruned_layout *o, int64_t *min_total,
			    size_t max_nodes, int64_t detail_limit)
{
	int64_t *heap = fl_zeroed(max_nodes, sizeof(*heap));
	bool good;

	o->min_total = *min_total;
	o->detail_limit = FL_MIN(detail_limit, *min_total);
	good = heap && list_children(o) && find_threshold(o, heap, max_nodes);
	fl_free(heap);
	*min_total = o->min_total;
	return good;
}

/* The layout ------------------------------------------------------------ */

static bool add_node(struct fl_pruned_layout *o, struct fl_pending *at,
		     size_t n, int64_t x)
{
	struct fl_layout_builder *y = &o->builder;

	y->layout->x[y->layout->count] = x;
	o->in_light = false;
	return fl_layout_builder_add(y, at, n);
}

static void report(struct fl_pruned_layout *o, uint32_t level, unsigned further,
		   int64_t x, int64_t total)
{
	bool outermost = !o->in_light || level <= o->light_level;

	if (outermost)
		o->light_level = level;
	o->in_light = true;
	o->light->report(o->light->arg, level, further, x, total, outermost);
}

/* Reports it without its subtree, if it is light enough. */
static bool report_subtree(struct fl_pruned_layout *o,
			   const struct fl_pending *at, size_t n, int64_t x,
			   int64_t total)
{
	unsigned levels = 0;

	for (size_t i = 0; total < o->detail_limit && i < n; i++)
		levels = FL_MAX(levels,
				o->below[at[i].stack] & (unsigned)MAX_LEVELS);
	if (total >= o->detail_limit || levels == MAX_LEVELS)
		return false;
	report(o, at->level, levels, x, total);
	return true;
}

/*
 * Light nodes mostly have one child: reports such a chain, moves *at to its
 * last node and returns that node's x.
 */
static int64_t report_chain(struct fl_pruned_layout *o, struct fl_pending *at,
			    int64_t x, int64_t *last_total)
{
	const struct fl_layout_builder *y = &o->builder;
	const int64_t *total = y->total[0];
	uint32_t stack = at->stack, level = at->level;

	while (y->first[stack + 1] - y->first[stack] == 1) {
		uint32_t child = y->child[y->first[stack]];

		if (is_below_detail(o, child))
			break;
		x += total[stack] - total[child];
		stack = child;
		report(o, ++level, 0, x, total[stack]);
	}
	at->stack = stack;
	at->level = level;
	*last_total = total[stack];
	return x;
}

static bool reserve_x(struct fl_pruned_layout *o, size_t level)
{
	return fl_likely(level < o->x_capacity) ||
	       fl_grow(&o->x, &o->x_capacity, level + 1, sizeof(*o->x));
}

static int64_t children_total(const struct fl_layout_builder *y, size_t before)
{
	return fl_layout_builder_total(y, 0, y->pending + before,
				       y->npending - before);
}

/*
 * Keeps or reports the node of the last n pending stacks.  Its children begin
 * after its self.
 */
static bool keep_or_report(struct fl_pruned_layout *o, size_t n)
{
	struct fl_layout_builder *y = &o->builder;
	size_t before = y->npending - n;
	struct fl_pending *at = y->pending + before;
	int64_t total = fl_layout_builder_total(y, 0, at, n),
		x = o->x[at->level];
	uint32_t node = y->layout->count, level;
	bool is_light = node && (total < o->min_total || node >= o->max_nodes);

	o->x[at->level] += total;
	if (is_light && report_subtree(o, at, n, x, total)) {
		y->npending = before;
		return true;
	}
	if (is_light)
		report(o, at->level, 0, x, total);
	else if (!add_node(o, at, n, x))
		return false;
	if (is_light && n == 1)
		x = report_chain(o, at, x, &total);
	level = at->level;
	if (!reserve_x(o, (size_t)level + 1) ||
	    !fl_layout_builder_open_last(y, n))
		return false;
	total -= children_total(y, before);
	if (!is_light)
		y->layout->self[0][node] = total;
	o->x[level + 1] = x + total;
	return true;
}

static bool build(struct fl_pruned_layout *o)
{
	struct fl_layout_builder *y = &o->builder;

	if (!fl_layout_builder_begin(y, o->max_nodes) ||
	    !fl_layout_builder_start(y) || !reserve_x(o, 0))
		return false;
	y->layout->x = fl_alloc(o->max_nodes * sizeof(*y->layout->x));
	y->layout->self[0] = fl_alloc(o->max_nodes * sizeof(int64_t));
	if (!y->layout->x || !y->layout->self[0])
		return false;
	o->x[0] = 0;
	while (y->npending)
		if (!keep_or_report(o, fl_layout_builder_last(y)))
			return false;
	return fl_layout_ends(y->layout);
}

struct fl_layout *fl_pruned_layout_build(struct fl_pruned_layout *o,
					 const struct fl_light_nodes *light)
{
	struct fl_layout *layout;

	o->light = light;
	if (!build(o)) {
		fl_layout_free(o->builder.layout);
		o->builder.layout = NULL;
		fl_no_memory(o->builder.flame);
	}
	layout = o->builder.layout;
	o->builder.layout = NULL;
	return layout;
}
