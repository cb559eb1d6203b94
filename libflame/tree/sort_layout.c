/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fl_layout_sort() puts siblings of a layout into the order of their weights,
 * heaviest first, for pages; equal ones stay in the order of their names.
 */
#include "fl.h"

#include "tree/tree.h"

#include <stdlib.h>

struct sibling {
	int64_t weight;
	uint32_t node;
};

static int by_weight(const void *a, const void *b)
{
	const struct sibling *x = a, *y = b;

	if (x->weight != y->weight)
		return x->weight < y->weight ? 1 : -1;
	return (x->node > y->node) - (x->node < y->node);
}

static int64_t weight_of(const struct fl_layout *l, uint32_t node)
{
	int64_t sum = l->total[0][node];

	return l->columns == 2 ? fl_add_clamped(sum, l->total[1][node]) : sum;
}

/* order[new] = old node; to[old] = new node. */
static bool rank(const struct fl_layout *l, uint32_t *order, uint32_t *to)
{
	struct sibling *siblings = NULL;
	size_t capacity = 0;

	to[0] = order[0] = 0;
	for (uint32_t i = 0; i < l->count; i++) {
		uint32_t at = to[i] + 1;
		size_t n = 0;

		for (uint32_t c = i + 1; c < l->end[i]; c = l->end[c]) {
			if (!fl_grow(&siblings, &capacity, n + 1,
				     sizeof(*siblings))) {
				fl_free(siblings);
				return false;
			}
			siblings[n++] = (struct sibling){ weight_of(l, c), c };
		}
		if (n > 1)
			qsort(siblings, n, sizeof(*siblings), by_weight);
		for (size_t k = 0; k < n; k++) {
			uint32_t c = siblings[k].node;

			to[c] = at;
			order[at] = c;
			at += l->end[c] - c;
		}
	}
	fl_free(siblings);
	return true;
}

/* Moves items of `size` bytes, with `scratch` of the same size. */
static void permute(void *data, size_t size, const uint32_t *order, size_t n,
		    void *scratch)
{
	for (size_t i = 0; i < n; i++)
		memcpy((char *)scratch + i * size,
		       (char *)data + order[i] * size, size);
	memcpy(data, scratch, n * size);
}

static void apply(struct fl_layout *l, const uint32_t *order,
		  const uint32_t *to, void *scratch)
{
	for (uint32_t i = 0; i < l->count; i++) {
		l->end[i] = to[i] + l->end[i] - i;
		l->parent[i] = to[l->parent[i]];
	}
	permute(l->end, sizeof(*l->end), order, l->count, scratch);
	permute(l->parent, sizeof(*l->parent), order, l->count, scratch);
	permute(l->name, sizeof(*l->name), order, l->count, scratch);
	permute(l->type, sizeof(*l->type), order, l->count, scratch);
	permute(l->level, sizeof(*l->level), order, l->count, scratch);
	for (unsigned c = 0; c < l->columns; c++) {
		permute(l->self[c], sizeof(int64_t), order, l->count, scratch);
		permute(l->total[c], sizeof(int64_t), order, l->count,
			scratch);
	}
	for (size_t s = 0; l->node_of_stack && s < l->nstacks; s++)
		if (l->node_of_stack[s] != FL_NO_NODE)
			l->node_of_stack[s] = to[l->node_of_stack[s]];
}

bool fl_layout_sort(struct fl_layout *l)
{
	uint32_t *order = fl_alloc(fl_size_mul(l->count, sizeof(*order)));
	uint32_t *to = fl_alloc(fl_size_mul(l->count, sizeof(*to)));
	int64_t *scratch = fl_alloc(fl_size_mul(l->count, sizeof(*scratch)));
	bool good = order && to && scratch && rank(l, order, to);

	if (good) {
		apply(l, order, to, scratch);
		fl_free(l->x);
		l->x = NULL;
	}
	fl_free(order);
	fl_free(to);
	fl_free(scratch);
	return good;
}
