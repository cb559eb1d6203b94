/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Trials: runs of one job, before and after a change.  trials.c gathers and
 * tests them; trials_measure.c weighs names in each run; trials_explain.c
 * leaves out changes that others explain; trials_judge.c compares with a limit.
 */
#ifndef FL_TRIALS_H
#define FL_TRIALS_H

#include "base/statistics.h"
#include "tree/tree.h"

struct fl_trial {
	flame_id *stacks;	/* that have a weight, ascending */
	int64_t *weights;
	size_t count;
	double total;
	double duration;	/* ns; 0: unknown */
	double factor;		/* scales its weights */
};

/* A name whose weight is tested, in total or where it is the leaf. */
struct fl_hypothesis {
	struct flame_change change;
	struct fl_estimate side[2];
	uint32_t depth;		/* of its outermost occurrence */
	flame_id stack;		/* of one such occurrence */
};

struct flame_trials {
	struct flame *flame;
	struct fl_trial *trials;	/* those before come first */
	size_t runs[2], count, capacity;
	flame_id metric;
	/* Of the last comparison: */
	double rate;
	bool counts;		/* weights are samples */
	bool narrowed;		/* to names that match a pattern */
	double mean_total;	/* of a run before the change */
	/* fl_variance_prior, in units of what chance makes of counts. */
	double prior, prior_df;
	double *values;		/* by hypothesis and run */
	struct fl_hypothesis *tested, all;
	size_t ntested, tested_capacity;
};

/*
 * trials_measure.c: fills values, names and depths of trials->tested, and
 * trials->all.  Of names that always have the same weight the deepest counts.
 */
bool fl_trials_measure(struct flame_trials *trials, const char *re);

/* Estimates both sides of values in each run, and tests them. */
struct fl_welch fl_trials_test(const struct flame_trials *trials,
			       const double *values, struct fl_estimate *side);

/* trials_explain.c: sets change.explained.  false: out of memory. */
bool fl_trials_explain(struct flame_trials *trials);

#endif
