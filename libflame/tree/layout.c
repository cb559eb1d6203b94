/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fl_tree_layout() makes the layout of a tree: nodes in preorder with self and
 * total weights, from weights by stack, for pages, terminal graphs and ranks.
 * Totals are one backward loop, as a parent's id is smaller than its child's;
 * then nodes are written in their final order, without recursion.
 *
 * fl_layout_builder_... are the parts that layout_parallel.c and
 * pruned_layout.c use, too.
 */
#include "fl.h"

#include "tree/layout_internal.h"

#include <stdlib.h>

enum {
	PARALLEL_MIN_STACKS = 1 << 16,
	STACKS_PER_SIBLING = 4	/* estimate: how many stacks have one */
};

_Static_assert(sizeof(FL_TYPE_LETTERS) - 1 == FL_TYPES,
	       "a letter for each type");

enum fl_kind fl_kind(enum flame_type type)
{
	static const uint8_t kinds[] = {
		[FLAME_UNKNOWN] = FL_KIND_PLAIN,
		[FLAME_INTERPRETED] = FL_KIND_JAVA,
		[FLAME_JIT] = FL_KIND_JAVA,
		[FLAME_INLINED] = FL_KIND_JAVA,
		[FLAME_NATIVE] = FL_KIND_PLAIN,
		[FLAME_CPP] = FL_KIND_PLAIN,
		[FLAME_KERNEL] = FL_KIND_KERNEL,
		[FLAME_C1] = FL_KIND_JAVA,
		[FLAME_JAVA_NATIVE] = FL_KIND_PLAIN,
		[FLAME_GROUP] = FL_KIND_PLAIN,
		[FLAME_WAKER] = FL_KIND_WAKER,
	};

	return kinds[type];
}

const char *fl_type_suffix(enum flame_type type)
{
	static const char *const suffixes[] = {
		[FLAME_INTERPRETED] = "_[0]", [FLAME_JIT] = "_[j]",
		[FLAME_INLINED] = "_[i]", [FLAME_KERNEL] = "_[k]",
		[FLAME_C1] = "_[1]", [FLAME_WAKER] = "_[w]",
	};

	return suffixes[type] ? suffixes[type] : "";
}

/* The rule of jfrconv (its Frame and FrameType). */
enum flame_type fl_tier_shown(const uint64_t tier[3], uint64_t total)
{
	if (tier[1] * 3.0 >= (double)total)
		return FLAME_INLINED;
	if (tier[2] * 2.0 >= (double)total)
		return FLAME_C1;
	if (tier[0] * 2.0 >= (double)total)
		return FLAME_INTERPRETED;
	return FLAME_JIT;
}

void fl_tier_count(uint64_t tier[3], enum flame_type type, uint64_t weight)
{
	if (type == FLAME_INTERPRETED)
		tier[0] += weight;
	else if (type == FLAME_INLINED)
		tier[1] += weight;
	else if (type == FLAME_C1)
		tier[2] += weight;
}

static struct fl_layout *layout_new(uint32_t n, unsigned columns)
{
	struct fl_layout *l = fl_zeroed(1, sizeof(*l));
	bool good;

	if (!l)
		return NULL;
	l->count = n;
	l->columns = columns;
	l->name = fl_alloc(n * sizeof(*l->name));
	l->type = fl_alloc(n);
	l->parent = fl_alloc(n * sizeof(*l->parent));
	l->level = fl_alloc(n * sizeof(*l->level));
	good = l->name && l->type && l->parent && l->level;
	for (unsigned c = 0; c < columns; c++) {
		l->total[c] = fl_alloc(n * sizeof(int64_t));
		good = good && l->total[c];
	}
	if (good)
		return l;
	fl_layout_free(l);
	return NULL;
}

/* Totals -------------------------------------------------------------- */

static int64_t *copy_weights(const struct fl_layout_builder *y, unsigned column)
{
	int64_t *total = fl_alloc(fl_size_mul(y->n, sizeof(*total)));
	size_t have = FL_MIN(y->tree->capacity[column], y->n);

	if (!total)
		return NULL;
	if (have)
		memcpy(total, y->tree->weight[column], have * sizeof(*total));
	memset(total + have, 0, (y->n - have) * sizeof(*total));
	return total;
}

/* The sum of both columns. */
static uint64_t weight_of(const struct fl_layout_builder *y, uint32_t stack)
{
	return (uint64_t)y->total[0][stack] +
	       (y->total[1] ? (uint64_t)y->total[1][stack] : 0);
}

/* Children are counted in the last column, where the sum is complete. */
static void add_up(struct fl_layout_builder *y, unsigned column)
{
	const struct fl_stack *at = y->flame->stacks.data;
	int64_t *total = y->total[column];
	bool last = column + 1 == y->tree->columns;

	for (size_t i = y->n; --i > 0;) {
		total[at[i].parent] += total[i];
		if (last && weight_of(y, i)) {
			y->first[at[i].parent + 2]++;
			y->nweighted++;
			if (y->subtree_size)
				y->subtree_size[at[i].parent] +=
					++y->subtree_size[i];
		}
	}
}

/* Counts are stored at index + 2, so that filling turns them into `first`. */
static bool list_children(struct fl_layout_builder *y)
{
	const struct fl_stack *at = y->flame->stacks.data;
	uint32_t *first = y->first;

	y->child = fl_alloc(((size_t)y->nweighted + 1) * sizeof(*y->child));
	if (!y->child)
		return false;
	for (size_t i = 2; i < y->n + 2; i++)
		first[i] += first[i - 1];
	for (size_t i = 1; i < y->n; i++)
		if (weight_of(y, i))
			y->child[first[at[i].parent + 1]++] = i;
	return true;
}

/* Nodes --------------------------------------------------------------- */

static enum flame_type type_at(const struct fl_layout_builder *y,
			       uint32_t stack)
{
	return fl_frame_at(y->flame, stack)->type;
}

/* The type by tiers for Java; else that of the heaviest stack. */
static enum flame_type joined_type(const struct fl_layout_builder *y,
				   const struct fl_pending *at, size_t n)
{
	enum flame_type type = type_at(y, at[0].stack);
	uint64_t tier[3] = { 0 }, heaviest = 0, total = 0;
	enum fl_kind kind = fl_kind(type);

	for (size_t i = 0; i < n; i++) {
		enum flame_type each = type_at(y, at[i].stack);
		uint64_t weight = weight_of(y, at[i].stack);

		total += weight;
		fl_tier_count(tier, each, weight);
		if (weight > heaviest || (weight == heaviest && each > type)) {
			heaviest = weight;
			type = each;
		}
	}
	if (kind == FL_KIND_JAVA)
		return fl_tier_shown(tier, total);
	return kind == FL_KIND_PLAIN ? type :
	       kind == FL_KIND_KERNEL ? FLAME_KERNEL : FLAME_WAKER;
}

/* Inline, as most nodes have one stack, and n == 1 folds the loops. */
static inline bool add_node(struct fl_layout_builder *y,
			    const struct fl_pending *at, size_t n)
{
	struct fl_layout *l = y->layout;
	uint32_t node = l->count, level = at[0].level;

	if (fl_unlikely(level >= y->open_capacity) &&
	    !fl_grow(&y->open, &y->open_capacity, (size_t)level + 1,
		     sizeof(*y->open)))
		return false;
	l->name[node] = fl_frame_at(y->flame, at[0].stack)->name;
	if (!node)
		l->type[node] = FLAME_GROUP;
	else if (n == 1)
		l->type[node] = type_at(y, at[0].stack);
	else
		l->type[node] = joined_type(y, at, n);
	l->parent[node] = level ? y->open[level - 1] : 0;
	l->level[node] = level;
	l->depth = FL_MAX(l->depth, level);
	for (unsigned c = 0; c < l->columns; c++)
		l->total[c][node] = fl_layout_builder_total(y, c, at, n);
	for (size_t i = 0; y->node_of_stack && i < n; i++)
		y->node_of_stack[at[i].stack] = node;
	y->open[level] = node;
	l->count++;
	return true;
}

bool fl_layout_builder_add(struct fl_layout_builder *y,
			   const struct fl_pending *at, size_t n)
{
	return add_node(y, at, n);
}

/* Whether the stacks of one node are too light; then adds to `lost`. */
static bool leave_out_node(struct fl_layout_builder *y,
			   const struct fl_pending *at, size_t n,
			   uint32_t parent)
{
	struct fl_layout *l = y->layout;
	int64_t sum[2] = { 0 };

	if (y->minimum <= 0)
		return false;
	for (unsigned c = 0; c < l->columns; c++) {
		for (size_t i = 0; i < n; i++)
			sum[c] += y->total[c][at[i].stack];
		if ((double)fl_tree_scaled(y->tree, c, sum[c]) >= y->minimum)
			return false;
	}
	for (unsigned c = 0; c < l->columns && y->lossy; c++)
		y->lost[c][parent] += sum[c];
	return true;
}

/* How many stacks at the end are one node. */
static size_t last_node(const struct fl_pending *at, size_t n)
{
	size_t k = 1;

	while (at[n - k].joined)
		k++;
	return k;
}

/* Removes stacks of light nodes from at[0..n); returns the number left. */
static size_t leave_out_light(struct fl_layout_builder *y,
			      struct fl_pending *at, size_t n, uint32_t parent)
{
	size_t to = n, end = n, k;

	for (; end; end -= k) {
		k = last_node(at, end);
		if (leave_out_node(y, at + end - k, k, parent))
			continue;
		to -= k;
		memmove(at + to, at + end - k, k * sizeof(*at));
	}
	memmove(at, at + to, (n - to) * sizeof(*at));
	return n - to;
}

static void prefetch_stack(const struct fl_layout_builder *y, uint32_t stack)
{
	fl_prefetch(&y->flame->stacks.data[stack]);
	fl_prefetch(&y->first[stack]);
	for (unsigned c = 0; c < y->tree->columns; c++)
		fl_prefetch(&y->total[c][stack]);
}

bool fl_layout_builder_open_last(struct fl_layout_builder *y, size_t n)
{
	size_t from = y->npending, to = from, more = 0;
	struct fl_pending *at = y->pending;

	for (size_t i = from - n; i < from; i++)
		more += y->first[at[i].stack + 1] - y->first[at[i].stack];
	if (fl_unlikely(from + more > y->pending_capacity) &&
	    !fl_grow(&y->pending, &y->pending_capacity, from + more,
		     sizeof(*at)))
		return false;
	at = y->pending;
	for (size_t i = from - n; i < from; i++)
		for (uint32_t j = y->first[at[i].stack];
		     j < y->first[at[i].stack + 1]; j++) {
			at[to++] = (struct fl_pending){
				.stack = y->child[j],
				.level = at[i].level + 1
			};
			prefetch_stack(y, y->child[j]);
		}
	if (more > 1 && !fl_order_pending(&y->order, y->flame, y->name_order,
					  at + from, more))
		return false;
	if (y->minimum > 0)
		more = leave_out_light(y, at + from, more,
				       y->layout->count - 1);
	memmove(at + from - n, at + from, more * sizeof(*at));
	y->npending = from - n + more;
	return true;
}

size_t fl_layout_builder_last(const struct fl_layout_builder *y)
{
	return last_node(y->pending, y->npending);
}

bool fl_layout_builder_begin(struct fl_layout_builder *y, uint32_t nodes)
{
	const struct flame_metric *metric =
		flame_metric_of(y->flame, y->tree->metric);

	y->layout = layout_new(nodes, y->tree->columns);
	if (!y->layout)
		return false;
	y->layout->count = 0;
	y->layout->unit = metric->weight;
	y->layout->metric = metric->name;
	return true;
}

bool fl_layout_builder_start(struct fl_layout_builder *y)
{
	if (!fl_grow(&y->pending, &y->pending_capacity, 64,
		     sizeof(*y->pending)))
		return false;
	y->pending[0] = (struct fl_pending){ .stack = 0 };
	y->npending = 1;
	return true;
}

/*
 * Makes nodes of the last pending stack, of its only child, and so on: most
 * nodes have one child at most, which needs no sorting.
 */
static bool add_chain(struct fl_layout_builder *y)
{
	struct fl_pending *at = &y->pending[y->npending - 1];
	const uint32_t *first;

	for (;;) {
		if (!add_node(y, at, 1))
			return false;
		first = &y->first[at->stack];
		if (first[1] - first[0] != 1 || y->minimum > 0)
			break;
		at->stack = y->child[first[0]];
		at->level++;
	}
	if (first[1] != first[0])
		return fl_layout_builder_open_last(y, 1);
	y->npending--;
	return true;
}

bool fl_layout_builder_run(struct fl_layout_builder *y)
{
	while (y->npending) {
		size_t n = fl_layout_builder_last(y);

		if (n == 1 ? !add_chain(y) :
			     !fl_layout_builder_add(
				     y, y->pending + y->npending - n, n) ||
				     !fl_layout_builder_open_last(y, n))
			return false;
	}
	return true;
}

static bool add_all(struct fl_layout_builder *y)
{
	return fl_layout_builder_start(y) && fl_layout_builder_run(y);
}

/* Maps stacks left out to the nodes of their parents, unless lossy. */
static void map_left_out(struct fl_layout_builder *y)
{
	const struct fl_stack *at = y->flame->stacks.data;
	uint32_t *of = y->node_of_stack;

	for (size_t i = 1; of && i < y->n; i++)
		if (of[i] == FL_NO_NODE && !y->lossy && weight_of(y, i))
			of[i] = of[at[i].parent];
}

/* Not with a minimum: light nodes count in a parent of another part. */
static bool alloc_subtree_sizes(struct fl_layout_builder *y,
				const struct flame_tree *tree)
{
	size_t n = tree->flame->stacks.count;

	if (tree->flame->threads < 2 || n < PARALLEL_MIN_STACKS ||
	    y->minimum > 0)
		return true;
	y->subtree_size = fl_zeroed(n, sizeof(*y->subtree_size));
	return y->subtree_size;
}

static bool alloc_lost(struct fl_layout_builder *y)
{
	if (!y->lossy || y->minimum <= 0)
		return true;
	for (unsigned c = 0; c < y->tree->columns; c++) {
		y->lost[c] =
			fl_zeroed((size_t)y->nweighted + 1, sizeof(int64_t));
		if (!y->lost[c])
			return false;
	}
	return true;
}

static bool build(struct fl_layout_builder *y)
{
	return fl_layout_builder_begin(y, y->nweighted + 1) && alloc_lost(y) &&
	       (y->subtree_size && y->nweighted >= PARALLEL_MIN_STACKS ?
			fl_layout_builder_run_parallel(y) :
			add_all(y));
}

/* The whole layout ---------------------------------------------------- */

bool fl_layout_builder_weigh(struct fl_layout_builder *y,
			     struct flame_tree *tree, bool spend)
{
	y->flame = tree->flame;
	y->tree = tree;
	y->n = y->flame->stacks.count;
	for (unsigned c = 0; c < tree->columns; c++) {
		if (spend && !fl_tree_reserve(tree, c, y->n - 1))
			return false;
		y->total[c] = spend ? fl_tree_take(tree, c) :
				      copy_weights(y, c);
		if (!y->total[c])
			return false;
	}
	return true;
}

static bool open_tree(struct fl_layout_builder *y, struct flame_tree *tree,
		      bool spend)
{
	if (!fl_layout_builder_weigh(y, tree, spend))
		return false;
	y->first = fl_zeroed(y->n + 2, sizeof(*y->first));
	if (!y->first)
		return false;
	for (unsigned c = 0; c < tree->columns; c++)
		add_up(y, c);
	if (y->nweighted / STACKS_PER_SIBLING > y->flame->names.count)
		y->name_order = fl_order_names(y->flame);
	return list_children(y);
}

void fl_layout_builder_close(struct fl_layout_builder *y)
{
	for (unsigned c = 0; c < 2; c++) {
		fl_free(y->total[c]);
		fl_free(y->lost[c]);
	}
	fl_free(y->subtree_size);
	fl_free(y->first);
	fl_free(y->child);
	fl_free(y->pending);
	fl_free(y->open);
	fl_free(y->name_order);
	fl_order_free(&y->order);
}

static bool alloc_node_of_stack(struct fl_layout_builder *y)
{
	size_t bytes = fl_size_mul(y->n, sizeof(*y->node_of_stack));

	if (!y->tree->want_stack_nodes)
		return true;
	y->node_of_stack = fl_alloc(bytes);
	if (y->node_of_stack)
		memset(y->node_of_stack, 0xff, bytes);	/* FL_NO_NODE */
	return y->node_of_stack;
}

/* Backwards: a parent ends where its last child does. */
bool fl_layout_ends(struct fl_layout *l)
{
	l->end = fl_zeroed(l->count, sizeof(*l->end));
	for (uint32_t i = l->count; l->end && i-- > 0;) {
		if (!l->end[i])
			l->end[i] = i + 1;
		if (!l->end[l->parent[i]])
			l->end[l->parent[i]] = l->end[i];
	}
	return l->end;
}

/* self = total - totals of the children - lost. */
static bool find_selfs(struct fl_layout *l, int64_t *lost[2])
{
	for (unsigned c = 0; c < l->columns; c++) {
		const int64_t *total = l->total[c];
		int64_t *self = fl_alloc(l->count * sizeof(*self));

		l->self[c] = self;
		if (!self)
			return false;
		self[0] = total[0] - (lost[c] ? lost[c][0] : 0);
		for (uint32_t i = 1; i < l->count; i++) {
			self[i] = total[i] - (lost[c] ? lost[c][i] : 0);
			self[l->parent[i]] -= total[i];
		}
	}
	return true;
}

struct fl_layout *fl_tree_layout(struct flame_tree *tree, double minimum,
				 bool lossy, bool spend)
{
	struct fl_layout_builder y = { .minimum = minimum, .lossy = lossy };
	bool good = fl_tree_split(tree) && alloc_subtree_sizes(&y, tree) &&
		    open_tree(&y, tree, spend) && alloc_node_of_stack(&y) &&
		    build(&y);
	int64_t *lost[2] = { y.lost[0], y.lost[1] };

	if (good)
		map_left_out(&y);
	y.lost[0] = y.lost[1] = NULL;
	fl_layout_builder_close(&y);
	if (good && fl_layout_ends(y.layout) && find_selfs(y.layout, lost)) {
		y.layout->node_of_stack = y.node_of_stack;
		y.layout->nstacks = y.n;
	} else {
		fl_no_memory(tree->flame);
		fl_layout_free(y.layout);
		fl_free(y.node_of_stack);
		y.layout = NULL;
	}
	fl_free(lost[0]);
	fl_free(lost[1]);
	return y.layout;
}

void fl_layout_x(const struct fl_layout *l, unsigned column, int64_t least,
		 int64_t *x)
{
	const int64_t *total = l->total[column], *self = l->self[column];

	if (l->x) {
		memcpy(x, l->x, l->count * sizeof(*x));
		return;
	}
	x[0] = 0;
	for (uint32_t i = 0; i < l->count;) {
		uint32_t end = l->end[i];

		if (end < l->count && l->parent[end] == l->parent[i])
			x[end] = x[i] + total[i];
		if (total[i] < least) {
			i = end;
			continue;
		}
		if (end > i + 1)
			x[i + 1] = x[i] + self[i];
		i++;
	}
}

void fl_layout_free(struct fl_layout *l)
{
	if (!l)
		return;
	fl_free(l->name);
	fl_free(l->type);
	fl_free(l->parent);
	fl_free(l->level);
	fl_free(l->end);
	fl_free(l->x);
	fl_free(l->node_of_stack);
	for (unsigned c = 0; c < 2; c++) {
		fl_free(l->self[c]);
		fl_free(l->total[c]);
	}
	fl_free(l);
}
