/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a page keeps of single samples beside its tree: when they were, and
 * of which thread, state, file or other label.
 */
#ifndef FL_SAMPLES_H
#define FL_SAMPLES_H

#include "tree/tree.h"

/*
 * No more samples than this are kept: of more, times are left out, and then,
 * if stacks by set of labels are still more, these too.  A remark tells.
 */
enum { FL_SAMPLES_MOST = FL_MAX_TIMED_SAMPLES };

struct fl_samples *fl_samples_new(struct flame *flame);
void fl_samples_free(struct fl_samples *samples);
/* Whether a sample's time still matters. */
bool fl_samples_timed(const struct fl_samples *samples);
/* Whether any are kept: else a layout need not know its stacks' places. */
bool fl_samples_any(const struct fl_samples *samples);
/* Before the sample is in the tree.  false: memory is out. */
bool fl_samples_add(struct fl_samples *samples, const struct flame_tree *tree,
		    const struct flame_sample *sample);

/* Held: by stack and label set; settled: by node and set of values. */
struct fl_moment {
	int64_t time;		/* settled: in ticks from 1, 0: not known */
	int64_t weight;
	uint32_t stack, set;
};

struct fl_facet {
	flame_id name;
	struct fl_value {
		struct slice text;
		flame_id id;
	} *values;		/* sorted */
	size_t n, room;
	uint32_t *of_set;	/* the value's place from 1; 0: none */
	struct fl_map map;	/* id -> its place, from 1 */
};

/*
 * Sorted by set, time, node; equals are one.  Their weights add up to the
 * layout's self, node by node.
 */
struct fl_moments {
	int64_t start, tick;	/* ns; tick 0: nothing has a time */
	struct fl_facet *facets;	/* sorted by name */
	size_t nfacets, facets_room;
	size_t nsets;
	struct fl_moment *at;	/* the samples' own */
	size_t n;
};

/*
 * The layout, of one column, knows its stacks' places.  All zero where there
 * is nothing to tell.  false: memory is out.  The samples are of no other
 * use after it.
 */
bool fl_samples_settle(struct fl_samples *samples,
		       const struct fl_layout *layout,
		       struct fl_moments *moments);
void fl_moments_free(struct fl_moments *moments);

#endif
