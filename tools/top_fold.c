/* SPDX-License-Identifier: Apache-2.0 */
/*
 * top_fold() copies the nodes of a tree, but not those that only lead on: where
 * three or more calls in a row each pass at least 95% of the weight of the
 * first frame to one callee, the first frame and the last callee are left.
 * top_run() finds such a run.  For top_frames.c: --tree within a --budget, and
 * --sort total.
 */
#include "top.h"

#include <string.h>

enum { LEAST_RUN = 3, LEADS_ON = 95 };	/* frames, percent: as pages fold */

size_t top_run(const struct flame_node *nodes, size_t n, size_t first)
{
	size_t i = first;

	/* The heaviest child comes right after its parent. */
	while (i + 1 < n && nodes[i + 1].level == nodes[i].level + 1 &&
	       (double)nodes[i + 1].total[0] * 100 >=
			(double)nodes[first].total[0] * LEADS_ON)
		i++;
	return i - first < LEAST_RUN ? 0 : i - first;
}

enum fate { KEPT, PASSED, DROPPED };

struct level {
	enum fate fate;		/* of the node that is open there */
	unsigned shown;		/* its level in the list */
};

/* What becomes of the i-th node, which the run that is open ends at `end`. */
static enum fate fate_of(const struct level *parent, size_t i, size_t end)
{
	if (i < end)
		return PASSED;
	if (i == end)
		return KEPT;
	/* What passed frames call besides is in the weight of the first. */
	return parent->fate == KEPT ? KEPT : DROPPED;
}

struct top_node *top_fold(const struct cli *cli, const struct flame_node *nodes,
			  size_t *n, bool fold)
{
	struct top_node *list = malloc((*n + 1) * sizeof(*list));
	struct level *levels = calloc(*n + 1, sizeof(*levels));
	size_t count = 0, end = 0;
	unsigned passed = 0;

	for (size_t i = 0; list && levels && i < *n; i++) {
		struct level *own = &levels[nodes[i].level];
		const struct level *parent = i ? own - 1 : NULL;
		size_t run;

		own->fate = i ? fate_of(parent, i, end) : KEPT;
		own->shown = i ? parent->shown + (own->fate == KEPT) : 0;
		passed += own->fate == PASSED;
		if (own->fate != KEPT)
			continue;
		list[count] = (struct top_node){ nodes[i], passed };
		list[count++].node.level = own->shown;
		passed = 0;
		run = fold ? top_run(nodes, *n, i) : 0;
		end = run ? i + run : end;
	}
	if (!list || !levels) {
		cli_no_memory(cli);
		free(list);
		list = NULL;
	}
	free(levels);
	*n = count;
	return list;
}
