/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Layout: from weights by stack to nodes in preorder.  Every step is a loop
 * over an array, since a parent's number is smaller than its child's.
 */
#include "fl.h"

#include "tree/tree.h"

#include <stdlib.h>

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

/* Nodes in the order of their making; parent < child here too. */
struct making {
	struct fl_index index;
	uint32_t n;
	size_t room;
	struct node {
		uint32_t parent;
		uint32_t child, sibling;	/* lists as of stacks */
		flame_id name;
		uint8_t kind, type;	/* type: if plain */
		/*
		 * Java: what ran interpreted, inlined, by C1.  Plain: the
		 * heaviest stack, whose type the node has.
		 */
		uint64_t tier[3];	/* of both columns */
	} *at;
	int64_t *self[2], *total[2];
};

const char *fl_type_suffix(enum flame_type type)
{
	static const char *const suffixes[] = {
		[FLAME_INTERPRETED] = "_[0]", [FLAME_JIT] = "_[j]",
		[FLAME_INLINED] = "_[i]", [FLAME_KERNEL] = "_[k]",
		[FLAME_C1] = "_[1]", [FLAME_WAKER] = "_[w]",
	};

	return suffixes[type] ? suffixes[type] : "";
}

/* jfrconv's rule (ref: its Frame and FrameType). */
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

static uint8_t shown_type(const struct node *node, uint64_t total)
{
	if (node->kind == FL_KIND_KERNEL)
		return FLAME_KERNEL;
	if (node->kind == FL_KIND_WAKER)
		return FLAME_WAKER;
	if (node->kind == FL_KIND_PLAIN)
		return node->type;
	return fl_tier_shown(node->tier, total);
}

static void count_tier(struct node *node, enum flame_type type, uint64_t weight)
{
	if (node->kind != FL_KIND_PLAIN) {
		fl_tier_count(node->tier, type, weight);
	} else if (weight > node->tier[0] ||
		   (weight == node->tier[0] && type > node->type)) {
		node->tier[0] = weight;
		node->type = type;
	}
}

static uint32_t find_node(const struct making *m, uint64_t hash,
			  uint32_t parent, flame_id name, uint8_t kind)
{
	uint32_t i, id;

	for (i = fl_index_first(&m->index, hash);
	     (id = fl_index_at(&m->index, hash, &i));)
		if (m->at[id].parent == parent && m->at[id].name == name &&
		    m->at[id].kind == kind)
			return id;
	return 0;
}

/* There is room for it. */
static uint32_t make_node(struct flame *flame, struct making *m,
			  uint32_t parent, const struct flame_frame *frame)
{
	uint8_t kind = fl_kind(frame->type);
	uint32_t id = m->at[parent].child;
	struct node *new = &m->at[m->n];
	unsigned n = 0;

	for (; id; id = m->at[id].sibling, n++)
		if (m->at[id].name == frame->name && m->at[id].kind == kind)
			return id;
	*new = (struct node){ .parent = parent, .name = frame->name,
			      .kind = kind, .type = frame->type };
	if (n < FL_LISTED) {
		new->sibling = m->at[parent].child;
		m->at[parent].child = m->n;
	} else {
		uint64_t hash = fl_mix((uint64_t)parent << 2 | kind,
				       frame->name);

		id = find_node(m, hash, parent, frame->name, kind);
		if (id)
			return id;
		if (!fl_index_add(&m->index, hash, m->n)) {
			fl_no_memory(flame);
			return 0;
		}
	}
	return m->n++;
}

/* Totals of stacks, of all columns together and of each. */
struct sums {
	size_t n;
	int64_t *total[2];
};

static bool sum_stacks(struct flame_tree *tree, struct sums *sums)
{

	sums->n = tree->flame->stacks.n;
	for (unsigned c = 0; c < tree->columns; c++) {
		int64_t *total = fl_alloc(fl_size_mul(sums->n, sizeof(*total)));
		size_t have = FL_MIN(tree->room[c], sums->n);

		if (!total)
			return false;
		sums->total[c] = total;
		if (have)
			memcpy(total, tree->weight[c], have * sizeof(*total));
		memset(total + have, 0, (sums->n - have) * sizeof(*total));
		for (size_t i = sums->n; --i > 0;)
			total[fl_parent(tree->flame, i)] += total[i];
	}
	return true;
}

/* The stacks become nodes; self, total and tiers are summed up. */
static bool gather(struct flame_tree *tree, const struct sums *sums,
		   struct making *m, uint32_t *map)
{
	struct flame *flame = tree->flame;
	unsigned columns = tree->columns;

	size_t heavy = 1;

	for (size_t i = 1; i < sums->n; i++)
		heavy += sums->total[0][i] ||
			 (columns == 2 && sums->total[1][i]);
	if (!fl_grow(&m->at, &m->room, heavy + 1, sizeof(*m->at)))
		return false;
	memset(&m->at[0], 0, sizeof(m->at[0]));
	m->n = 1;
	map[0] = 0;
	for (size_t i = 1; i < sums->n; i++) {
		const struct flame_frame *frame = fl_frame_at(flame, i);
		uint64_t both = (uint64_t)sums->total[0][i];

		if (columns == 2)
			both += (uint64_t)sums->total[1][i];
		if (!both) {
			map[i] = FL_NO_NODE;
			continue;
		}
		map[i] = make_node(flame, m, map[fl_parent(flame, i)], frame);
		if (!map[i])
			return false;
		count_tier(&m->at[map[i]], frame->type, both);
	}
	for (unsigned c = 0; c < columns; c++) {
		m->self[c] = fl_zeroed(m->n, sizeof(int64_t));
		m->total[c] = fl_zeroed(m->n, sizeof(int64_t));
		if (!m->self[c] || !m->total[c])
			return false;
		for (size_t i = 0; i < sums->n; i++) {
			if (!sums->total[c][i])
				continue;
			m->total[c][map[i]] += sums->total[c][i];
			if (i < tree->room[c])
				m->self[c][map[i]] += tree->weight[c][i];
		}
	}
	return true;
}

struct ranked {
	const char *text;
	uint32_t size;
	flame_id name;
};

static int by_text(const void *a, const void *b)
{
	const struct ranked *x = a, *y = b;
	int d = memcmp(x->text, y->text, FL_MIN(x->size, y->size));

	return d ? d : (x->size > y->size) - (x->size < y->size);
}

/* rank[name]: its place among the names that occur, in byte order. */
static uint32_t *rank_names(struct flame *flame, const struct making *m)
{
	uint32_t *rank = fl_zeroed(flame->names.n, sizeof(*rank));
	struct ranked *list = fl_alloc(fl_size_mul(FL_MIN(m->n,
						   flame->names.n) + 1,
						   sizeof(*list)));
	size_t n = 0;

	if (!rank || !list) {
		fl_free(rank);
		fl_free(list);
		return NULL;
	}
	for (uint32_t i = 1; i < m->n; i++) {
		flame_id name = m->at[i].name;
		struct slice text = fl_name_at(flame, name);

		if (rank[name])
			continue;
		rank[name] = 1;
		list[n++] = (struct ranked){ text.at, text.size, name };
	}
	qsort(list, n, sizeof(*list), by_text);
	for (size_t i = 0; i < n; i++)
		rank[list[i].name] = i + 1;
	fl_free(list);
	return rank;
}

struct child {
	uint32_t key;		/* name rank << 2 | kind, see below */
	uint32_t node;
};

static int by_key(const void *a, const void *b)
{
	const struct child *x = a, *y = b;

	return (x->key > y->key) - (x->key < y->key);
}

static void sort_children(struct child *at, uint32_t n)
{
	if (n > 16) {
		qsort(at, n, sizeof(*at), by_key);
		return;
	}
	for (uint32_t i = 1; i < n; i++) {
		struct child c = at[i];
		uint32_t j = i;

		for (; j && at[j - 1].key > c.key; j--)
			at[j] = at[j - 1];
		at[j] = c;
	}
}

/*
 * Children of every node, sorted: those of i are list[first[i]] up to
 * list[first[i + 1]].  Names are fewer than 2^30, or their order is by
 * the low bits of the rank: never wrong, only less pretty.
 */
static bool list_children(struct flame *flame, const struct making *m,
			  uint32_t *first, struct child *list)
{
	uint32_t *rank = rank_names(flame, m);

	if (!rank)
		return false;
	memset(first, 0, ((size_t)m->n + 2) * sizeof(*first));
	for (uint32_t i = 1; i < m->n; i++)
		first[m->at[i].parent + 2]++;
	for (uint32_t i = 2; i < m->n + 2; i++)
		first[i] += first[i - 1];
	for (uint32_t i = 1; i < m->n; i++) {
		const struct node *node = &m->at[i];

		list[first[node->parent + 1]++] = (struct child){
			rank[node->name] << 2 | node->kind, i
		};
	}
	fl_free(rank);
	for (uint32_t i = 0; i < m->n; i++)
		sort_children(list + first[i], first[i + 1] - first[i]);
	return true;
}

static int64_t width(const struct making *m, unsigned columns, uint32_t i)
{
	return columns == 2 ? FL_MAX(m->total[0][i], m->total[1][i]) :
			      m->total[0][i];
}

/* Sizes of subtrees without what is too light; 0: left out. */
static void prune(struct making *m, unsigned columns, double minimum,
		  bool lossy, uint32_t *size)
{
	for (uint32_t i = 0; i < m->n; i++)
		size[i] = !i || (double)width(m, columns, i) >= minimum;
	for (uint32_t i = m->n; --i > 0;) {
		uint32_t p = m->at[i].parent;

		if (size[i] && size[p]) {
			size[p] += size[i];
			continue;
		}
		size[i] = 0;
		if (lossy || !size[p])
			continue;
		for (unsigned c = 0; c < columns; c++)
			m->self[c][p] += m->total[c][i];
	}
}

static struct fl_layout *layout_new(uint32_t n, unsigned columns)
{
	struct fl_layout *l = fl_zeroed(1, sizeof(*l));
	bool good;

	if (!l)
		return NULL;
	l->n = n;
	l->columns = columns;
	l->name = fl_alloc(n * sizeof(*l->name));
	l->type = fl_alloc(n);
	l->parent = fl_alloc(n * sizeof(*l->parent));
	l->level = fl_alloc(n * sizeof(*l->level));
	l->end = fl_alloc(n * sizeof(*l->end));
	good = l->name && l->type && l->parent && l->level && l->end;
	for (unsigned c = 0; c < columns; c++) {
		l->self[c] = fl_alloc(n * sizeof(int64_t));
		l->total[c] = fl_alloc(n * sizeof(int64_t));
		good = good && l->self[c] && l->total[c];
	}
	if (good)
		return l;
	fl_layout_free(l);
	return NULL;
}

static void fill(struct fl_layout *l, const struct making *m, uint32_t to,
		 uint32_t node, uint32_t parent, uint32_t size)
{
	const struct node *at = &m->at[node];

	l->name[to] = at->name;
	l->type[to] = shown_type(at, (uint64_t)m->total[0][node] +
				     (l->columns == 2 ?
				      (uint64_t)m->total[1][node] : 0));
	l->parent[to] = parent;
	l->level[to] = node ? l->level[parent] + 1 : 0;
	l->depth = FL_MAX(l->depth, l->level[to]);
	l->end[to] = to + size;
	for (unsigned c = 0; c < l->columns; c++) {
		l->self[c][to] = m->self[c][node];
		l->total[c][to] = m->total[c][node];
	}
}

/* place[i]: the node's number in preorder.  Its parent's is known by then. */
static void number(struct fl_layout *l, const struct making *m,
		   const uint32_t *size, const uint32_t *first,
		   const struct child *list, uint32_t *place)
{
	place[0] = 0;
	fill(l, m, 0, 0, 0, size[0]);
	l->type[0] = FLAME_GROUP;
	for (uint32_t i = 0; i < m->n; i++) {
		uint32_t to;

		if (!size[i])
			continue;
		to = place[i] + 1;
		for (uint32_t j = first[i]; j < first[i + 1]; j++) {
			uint32_t child = list[j].node;

			if (!size[child])
				continue;
			place[child] = to;
			fill(l, m, to, child, place[i], size[child]);
			to += size[child];
		}
	}
}

/* From nodes in the order of their making to those that are left. */
static void place_stacks(const struct making *m, const uint32_t *size,
			 uint32_t *place, bool lossy, uint32_t *map, size_t n)
{
	for (uint32_t i = 0; i < m->n; i++)
		if (!size[i])
			place[i] = lossy ? FL_NO_NODE : place[m->at[i].parent];
	for (size_t i = 0; i < n; i++)
		map[i] = map[i] == FL_NO_NODE ? map[i] : place[map[i]];
}

static void making_free(struct making *m)
{
	fl_index_free(&m->index);
	fl_free(m->at);
	for (unsigned c = 0; c < 2; c++) {
		fl_free(m->self[c]);
		fl_free(m->total[c]);
	}
}

struct fl_layout *fl_tree_layout(struct flame_tree *tree, double minimum,
				 bool lossy)
{
	struct flame *flame = tree->flame;
	const struct flame_metric *metric =
		flame_metric_of(flame, tree->metric);
	struct making m = { 0 };
	struct sums sums = { 0 };
	struct fl_layout *l = NULL;
	uint32_t *map = fl_alloc(fl_size_mul(flame->stacks.n, sizeof(*map)));
	uint32_t *first = NULL, *size = NULL;
	struct child *list = NULL;

	if (!map || !sum_stacks(tree, &sums) ||
	    !gather(tree, &sums, &m, map))
		goto out;
	if (!tree->places) {
		fl_free(map);
		map = NULL;
	}
	fl_free(sums.total[0]);
	fl_free(sums.total[1]);
	sums.total[0] = sums.total[1] = NULL;
	first = fl_alloc(((size_t)m.n + 2) * sizeof(*first));
	size = fl_alloc((size_t)m.n * sizeof(*size) * 2);
	list = fl_alloc(((size_t)m.n + 1) * sizeof(*list));
	if (!first || !size || !list || !list_children(flame, &m, first, list))
		goto out;
	prune(&m, tree->columns, minimum, lossy, size);
	l = layout_new(size[0], tree->columns);
	if (!l)
		goto out;
	l->unit = metric->weight;
	l->metric = metric->name;
	number(l, &m, size, first, list, size + m.n);
	if (map) {
		place_stacks(&m, size, size + m.n, lossy, map,
			     flame->stacks.n);
		l->of_stack = map;
		map = NULL;
	}
out:
	if (!l)
		fl_no_memory(flame);
	making_free(&m);
	fl_free(sums.total[0]);
	fl_free(sums.total[1]);
	fl_free(map);
	fl_free(first);
	fl_free(size);
	fl_free(list);
	return l;
}

void fl_layout_x(const struct fl_layout *l, unsigned column, int64_t *x)
{
	const int64_t *total = l->total[column], *self = l->self[column];

	if (l->x) {
		memcpy(x, l->x, l->n * sizeof(*x));
		return;
	}
	x[0] = 0;
	for (uint32_t i = 0; i < l->n; i++) {
		int64_t at = x[i] + self[i];

		for (uint32_t j = i + 1; j < l->end[i]; j = l->end[j]) {
			x[j] = at;
			at += total[j];
		}
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
	fl_free(l->of_stack);
	for (unsigned c = 0; c < 2; c++) {
		fl_free(l->self[c]);
		fl_free(l->total[c]);
	}
	fl_free(l);
}
