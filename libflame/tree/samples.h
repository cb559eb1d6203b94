/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Samples of a page with their times and labels (thread, state, file, ...),
 * which its tree sums over.
 */
#ifndef FL_SAMPLES_H
#define FL_SAMPLES_H

#include "flow/times.h"
#include "tree/tree.h"

/*
 * Times are exact up to FL_MAX_EXACT_SAMPLES distinct samples (stack, labels,
 * time).  Beyond, the span is cut into FL_MAX_BUCKETS or fewer, and into still
 * fewer, down to FL_MIN_BUCKETS, where there would be more than
 * FL_MAX_TIMED_CELLS of them.  Where there are more than FL_MAX_PAGE_SAMPLES
 * pairs of stack and labels, times and then labels are dropped, and a remark
 * says so.
 */
enum { FL_MAX_EXACT_SAMPLES = 100000, FL_MAX_TIMED_CELLS = 250000 };

struct fl_samples *fl_samples_new(struct flame *flame);
void fl_samples_free(struct fl_samples *samples);
/* Whether times are still recorded. */
bool fl_samples_timed(const struct fl_samples *samples);
/* Times are rounded down to a multiple of 2^shift ns: now, or more later. */
unsigned fl_samples_shift(const struct fl_samples *samples);
/* Whether any are recorded: a layout then needs node_of_stack. */
bool fl_samples_any(const struct fl_samples *samples);
/* Samples will come: rounds times as fl_times_expect does. */
void fl_samples_expect(struct fl_samples *samples,
		       const struct fl_expected *expected);
/*
 * A recording began then, or FLAME_NOTIME: moments' times count from the
 * first start, as those of --from do, or from the first sample if none is known.
 */
void fl_samples_set_start(struct fl_samples *samples, int64_t start);
/* The earliest time of a sample, or FLAME_NOTIME. */
int64_t fl_samples_first(const struct fl_samples *samples);
/* Call it before the tree adds the sample.  false: out of memory. */
bool fl_samples_add(struct fl_samples *samples, const struct flame_tree *tree,
		    const struct flame_sample *sample);

struct fl_moment {
	int64_t time;		/* ticks from 1, 0: unknown */
	int64_t weight;
	uint32_t node, set;
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
 * A facet is a label key that distinguishes samples; a set is a combination of
 * values of all facets.  data is sorted by set, time, node, and equal ones are
 * summed; for each node the weights add up to its self.
 */
struct fl_moments {
	int64_t start, tick;	/* ns; tick 0: there are no times */
	int64_t zero;		/* ns: where times are counted from */
	struct fl_facet *facets;	/* sorted by name */
	size_t nfacets, facets_capacity;
	size_t nsets;
	struct fl_moment *data;
	size_t count;
};

/*
 * The layout has one column and node_of_stack.  *moments is all zero if neither
 * times nor labels distinguish samples.  Only fl_samples_free may follow.
 * false: out of memory.
 */
bool fl_samples_make_moments(struct fl_samples *samples,
			     const struct fl_layout *layout,
			     struct fl_moments *moments);
void fl_moments_free(struct fl_moments *moments);

#endif
