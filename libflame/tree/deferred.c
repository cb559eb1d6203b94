/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Deferred suffixes: reads those of heavy nodes, once totals are known.
 */
#include "fl.h"

#include "tree/pruned_layout.h"

#include <stdlib.h>

enum { MAX_ROUNDS = 16 };	/* then all are read, which bounds the time */

struct totals {
	struct flame_tree *tree;
	size_t n;		/* stacks */
	int64_t *total;		/* by node */
	/* By stack: the first stack of its node; NULL: a node is one stack. */
	flame_id *node;
	struct fl_index nodes;	/* that may have several stacks */
};

/* Same name and kind, as in layout.c; the caller compares parents. */
static bool is_same(const struct flame *flame, flame_id a, flame_id b)
{
	const struct flame_frame *x = fl_frame_at(flame, a);
	const struct flame_frame *y = fl_frame_at(flame, b);

	return x->name == y->name && fl_kind(x->type) == fl_kind(y->type);
}

static flame_id node_of(const struct totals *s, flame_id stack)
{
	return s->node ? s->node[stack] : stack;
}

static bool find_node(struct totals *s, flame_id stack)
{
	const struct flame *flame = s->tree->flame;
	flame_id parent = s->node[fl_parent(flame, stack)], id;
	uint64_t hash = fl_hash_pair(parent, fl_frame_at(flame, stack)->name);

	for (uint32_t i = fl_index_first(&s->nodes, hash);
	     (id = fl_index_next(&s->nodes, hash, &i));)
		if (s->node[fl_parent(flame, id)] == parent &&
		    is_same(flame, id, stack)) {
			s->node[stack] = id;
			return true;
		}
	return fl_index_add(&s->nodes, hash, stack);
}

/* Frames of a shared name may make one node of several stacks. */
static bool find_nodes(struct totals *s)
{
	const struct flame *flame = s->tree->flame;
	const struct fl_stack *at = flame->stacks.data;
	bool any, *shared = fl_shared_names(flame, &any), *mixed = NULL;
	bool good = shared;

	if (good && any) {
		mixed = fl_zeroed(s->n, sizeof(*mixed));
		s->node = fl_zeroed(s->n, sizeof(*s->node));
		good = mixed && s->node;
	}
	for (size_t i = 1; good && any && i < s->n; i++) {
		mixed[i] = mixed[at[i].parent] || shared[at[i].frame];
		s->node[i] = i;
		good = !mixed[i] || find_node(s, i);
	}
	fl_index_free(&s->nodes);
	s->nodes = (struct fl_index){ 0 };
	fl_free(shared);
	fl_free(mixed);
	return good;
}

static bool add_up(struct totals *s)
{
	const struct flame_tree *tree = s->tree;
	size_t nweights;

	s->n = tree->flame->stacks.count;
	nweights = FL_MIN(s->n, tree->capacity[0]);
	s->total = fl_zeroed(s->n, sizeof(*s->total));
	if (!s->total || !find_nodes(s))
		return false;
	for (size_t i = 0; i < nweights; i++)
		s->total[node_of(s, i)] += tree->weight[0][i];
	/* A node has the id of its first stack. */
	for (size_t i = s->n; --i > 0;)
		if (node_of(s, i) == i)
			s->total[node_of(s, fl_parent(tree->flame, i))] +=
				s->total[i];
	return true;
}

static int put(void *arg, flame_id stack, int64_t weight)
{
	struct flame_tree *tree = arg;

	if (!fl_tree_reserve(tree, 0, stack))
		return fl_no_memory(tree->flame);
	tree->weight[0][stack] += weight;
	return FLAME_OK;
}

/* Replaces weights of prefixes; the tree's total stays the same. */
static int read_heavy(struct totals *s, int64_t detail_limit, bool *any)
{
	struct flame_tree *tree = s->tree;

	for (struct fl_deferred *list = tree->deferred.first; list;
	     list = list->next)
		for (size_t i = 0; i < list->count; i++) {
			struct fl_deferred_stack *at = &list->stacks[i];

			if (at->read ||
			    s->total[node_of(s, at->stack)] < detail_limit)
				continue;
			tree->weight[0][at->stack] -= at->weight;
			if (list->read(list, i, put, tree) != FLAME_OK)
				return FLAME_FAILED;
			at->read = *any = true;
		}
	return FLAME_OK;
}

int fl_tree_read_deferred(struct flame_tree *tree, int64_t detail_limit)
{
	bool any = tree->deferred.first;
	int status = FLAME_OK;

	for (unsigned i = 0; any && status == FLAME_OK; i++) {
		struct totals s = { .tree = tree };

		any = false;
		status = !add_up(&s) ?
				 fl_no_memory(tree->flame) :
				 read_heavy(&s,
					    i < MAX_ROUNDS ? detail_limit : 0,
					    &any);
		fl_free(s.total);
		fl_free(s.node);
	}
	return status;
}

void fl_deferred_free(struct fl_deferred_list *list)
{
	struct fl_deferred *next;

	for (struct fl_deferred *each = list->first; each; each = next) {
		next = each->next;
		each->free(each);
	}
	list->first = NULL;
	list->n = 0;
}
