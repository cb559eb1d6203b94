/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Samples of a page with their times and labels (thread, state, file, ...),
 * which its tree sums over.
 */
#ifndef FL_SAMPLES_H
#define FL_SAMPLES_H

#include "tree/tree.h"

/*
 * Times are exact up to FL_MAX_EXACT_SAMPLES distinct samples (stack, labels,
 * time).  Beyond, the span is cut into FL_MAX_BUCKETS or fewer, and into still
 * fewer where there would be more than FL_MAX_PAGE_SAMPLES of them.  If there
 * are more pairs of stack and labels than that, times and then labels are
 * dropped, and a remark tells.
 */
enum {
	FL_MAX_EXACT_SAMPLES = 100000, FL_MAX_BUCKETS = 2048,
	FL_MAX_PAGE_SAMPLES = 2000000
};

struct fl_samples *fl_samples_new(struct flame *flame);
void fl_samples_free(struct fl_samples *samples);
/* Whether times are still recorded. */
bool fl_samples_timed(const struct fl_samples *samples);
/* Whether any are recorded: a layout then needs node_of_stack. */
bool fl_samples_any(const struct fl_samples *samples);
/* Call it before the tree adds the sample.  false: out of memory. */
bool fl_samples_add(struct fl_samples *samples, const struct flame_tree *tree,
		    const struct flame_sample *sample);

/* While recording: a stack and its labels; in fl_moments: a node and a set. */
struct fl_moment {
	int64_t time;		/* in fl_moments: ticks from 1, 0: unknown */
	int64_t weight;
	uint32_t stack, set;
};

struct fl_facet {
	flame_id name;
	struct fl_value {
		struct slice text;
		flame_id id;
	} *values;		/* sorted */
	size_t nvalues, capacity;
	uint32_t *of_set;	/* by set: its value's number from 1; 0: none */
	struct fl_map map;	/* value's id -> its number */
};

/*
 * A facet is a label key that tells samples apart; a set is a combination of
 * values of all facets.  data is sorted by set, time, node, and equal ones are
 * summed; for each node the weights add up to its self.
 */
struct fl_moments {
	int64_t start, tick;	/* ns; tick 0: there are no times */
	struct fl_facet *facets;	/* sorted by name */
	size_t nfacets, facets_capacity;
	size_t nsets;
	struct fl_moment *data;	/* owned by fl_samples */
	size_t count;
};

/*
 * The layout has one column and node_of_stack.  *moments is all zero if neither
 * times nor labels tell samples apart.  Only fl_samples_free may follow.
 * false: out of memory.
 */
bool fl_samples_make_moments(struct fl_samples *samples,
			     const struct fl_layout *layout,
			     struct fl_moments *moments);
void fl_moments_free(struct fl_moments *moments);

#endif
