/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Compares runs before and after a change: flame_trials_add() copies the sums
 * of a run, and flame_trials_compare() tests for each name whether its weight
 * changed.  For tools/compare.
 *
 * Few runs say little of how much runs differ.  So the variance of a name is
 * weighed with that of all names, in units of what chance makes of counts, and
 * never counts as less than what its own runs show.
 */
#include "fl.h"

#include "tree/trials.h"

#include <math.h>
#include <stdlib.h>

/* A prior is worth no more than this many runs: names do differ. */
static const double MAX_PRIOR_DF = 1e6;
/* Names with fewer samples, over all runs, can only show large changes. */
static const double FULL_SAMPLES = 1000;
static const double FULL_SHARE = 0.01;	/* the same, of weights of no count */
/* Names with this many samples a run show variances. */
static const double MIN_SAMPLES = 5;
static const double MIN_VARIANCE = 1e-3;

struct flame_trials *flame_trials_new(struct flame *flame)
{
	struct flame_trials *trials = fl_zeroed(1, sizeof(*trials));

	if (trials)
		trials->flame = flame;
	else
		fl_no_memory(flame);
	return trials;
}

void flame_trials_free(struct flame_trials *trials)
{
	if (!trials)
		return;
	for (size_t i = 0; i < trials->count; i++) {
		fl_free(trials->trials[i].stacks);
		fl_free(trials->trials[i].weights);
	}
	fl_free(trials->trials);
	fl_free(trials->values);
	fl_free(trials->tested);
	fl_free(trials);
}

static bool copy_weights(struct fl_trial *trial, const struct flame_tree *tree)
{
	const int64_t *weight = tree->weight[0];
	size_t n = 0;

	for (size_t i = 0; i < tree->capacity[0]; i++)
		n += weight[i] != 0;
	trial->stacks = fl_alloc(fl_size_mul(n + 1, sizeof(flame_id)));
	trial->weights = fl_alloc(fl_size_mul(n + 1, sizeof(int64_t)));
	if (!trial->stacks || !trial->weights)
		return false;
	for (size_t i = 0; i < tree->capacity[0]; i++)
		if (weight[i]) {
			trial->stacks[trial->count] = (flame_id)i;
			trial->weights[trial->count++] = weight[i];
		}
	return true;
}

int flame_trials_add(struct flame_trials *trials, unsigned side,
		     const struct flame_tree *tree)
{
	struct fl_trial *trial;

	if (side > 1 || (!side && trials->runs[1]) || tree->columns != 1)
		return fl_fail(trials->flame, "a run has one column, and those "
			       "before a change are added first");
	if (!fl_grow(&trials->trials, &trials->capacity, trials->count + 1,
		     sizeof(*trials->trials)))
		return fl_no_memory(trials->flame);
	trial = &trials->trials[trials->count++];
	*trial = (struct fl_trial){
		.total = (double)tree->total[0], .factor = 1,
		.duration = (double)flame_tree_duration(tree, 0),
	};
	trials->runs[side]++;
	if (tree->metric)
		trials->metric = tree->metric;
	return copy_weights(trial, tree) ? FLAME_OK :
					   fl_no_memory(trials->flame);
}

static bool sum_side(const struct flame_trials *trials, unsigned side,
		     struct flame_tree *tree)
{
	struct flame_sink *sink = flame_tree_sink(tree, side);
	size_t end = side ? trials->count : trials->runs[0];
	bool good = sink;

	for (size_t i = side ? trials->runs[0] : 0; good && i < end; i++) {
		const struct fl_trial *trial = &trials->trials[i];

		for (size_t k = 0; good && k < trial->count; k++) {
			const struct flame_sample s = {
				.stack = trial->stacks[k],
				.metric = trials->metric, .time = FLAME_NOTIME,
				.weight = trial->weights[k],
			};

			good = fl_put(sink, &s) == FLAME_OK;
		}
	}
	if (good)
		return flame_finish(sink) == FLAME_OK;
	flame_abandon(sink);
	return false;
}

struct flame_tree *flame_trials_tree(const struct flame_trials *trials)
{
	struct flame_tree *tree = flame_tree_new(trials->flame, 2);

	if (!tree || !sum_side(trials, 0, tree) || !sum_side(trials, 1, tree)) {
		flame_tree_free(tree);
		return NULL;
	}
	return tree;
}

/* Scaling ------------------------------------------------------------- */

static double measure_of(const struct fl_trial *trial,
			 enum flame_scaling scaling)
{
	return scaling == FLAME_SHARES ? trial->total : trial->duration;
}

/* To the mean of all runs. */
static int set_factors(struct flame_trials *trials, enum flame_scaling scaling)
{
	double mean = 0;

	for (size_t i = 0; i < trials->count; i++)
		mean += measure_of(&trials->trials[i], scaling) /
			(double)trials->count;
	for (size_t i = 0; i < trials->count; i++) {
		struct fl_trial *trial = &trials->trials[i];
		double measure = measure_of(trial, scaling);

		trial->factor = 1;
		if (scaling == FLAME_RATES && measure <= 0)
			return fl_fail(trials->flame, "how long run %zu was "
				       "recorded is not known", i + 1);
		if (scaling != FLAME_ABSOLUTE && measure > 0)
			trial->factor = mean / measure;
	}
	return FLAME_OK;
}

/* Tests --------------------------------------------------------------- */

static double mean_of(const double *values, size_t n)
{
	double sum = 0;

	for (size_t i = 0; i < n; i++)
		sum += values[i];
	return sum / (double)n;
}

/*
 * The variance of one run that chance alone makes of such a mean, by Poisson:
 * the weight of a sample times the mean.  The mean is of all runs, as if
 * nothing had changed.
 */
static double noise_of(const struct flame_trials *trials, unsigned side,
		       double mean)
{
	size_t from = side ? trials->runs[0] : 0;
	double factor = 0;

	for (size_t i = 0; i < trials->runs[side]; i++)
		factor += trials->trials[from + i].factor;
	return mean * factor / (double)trials->runs[side];
}

/* The variance between runs, of both sides, in units of noise. */
static double spread_of(const struct flame_trials *trials,
			const double *values, double mean)
{
	struct fl_estimate a = fl_estimate(values, trials->runs[0]);
	struct fl_estimate b = fl_estimate(values + trials->runs[0],
					   trials->runs[1]);

	return (a.df * a.variance / noise_of(trials, 0, mean) +
		b.df * b.variance / noise_of(trials, 1, mean)) /
	       (a.df + b.df);
}

/* What several runs show, weighed with what is usual. */
static void steady(const struct flame_trials *trials, struct fl_estimate *e,
		   double noise)
{
	double prior_df = trials->prior_df;
	double usual = trials->prior * noise;
	double variance = (prior_df * usual + e->df * e->variance) /
			  (prior_df + e->df);

	e->variance = FL_MAX(e->variance, variance);
	e->df += prior_df;
}

/* Of one run alone: as that of the other side. */
static void borrow(struct fl_estimate *e, const struct fl_estimate *other,
		   double noise, double other_noise)
{
	e->variance = other_noise > 0 ?
			      other->variance / other_noise * noise :
			      other->variance;
	e->df = other->df;
}

struct fl_welch fl_trials_test(const struct flame_trials *trials,
			       const double *values, struct fl_estimate *side)
{
	double mean = mean_of(values, trials->count), noise[2];

	side[0] = fl_estimate(values, trials->runs[0]);
	side[1] = fl_estimate(values + trials->runs[0], trials->runs[1]);
	for (unsigned i = 0; i < 2; i++) {
		noise[i] = noise_of(trials, i, mean);
		if (trials->runs[i] > 1)
			steady(trials, &side[i], noise[i]);
	}
	for (unsigned i = 0; i < 2; i++) {
		if (trials->runs[i] == 1 && trials->runs[!i] > 1)
			borrow(&side[i], &side[!i], noise[i], noise[!i]);
		if (trials->counts)
			side[i].variance = FL_MAX(side[i].variance, noise[i]);
		if (trials->count == 2)
			side[i].df = HUGE_VAL;
	}
	return fl_welch(&side[0], &side[1], 1);
}

static bool fit_prior(struct flame_trials *trials)
{
	double *spread = fl_alloc(fl_size_mul(trials->ntested + 1,
					      sizeof(*spread)));
	size_t n = 0;

	trials->prior = trials->prior_df = 0;
	if (!spread)
		return false;
	for (size_t i = 0; trials->count > 2 && i < trials->ntested; i++) {
		const double *values = trials->tested[i].change.values;
		double mean = mean_of(values, trials->count);

		if (mean >= (trials->counts ? MIN_SAMPLES :
			     trials->mean_total * FULL_SHARE) && mean > 0)
			spread[n++] = FL_MAX(spread_of(trials, values, mean),
					     MIN_VARIANCE);
	}
	fl_variance_prior(spread, n, (double)trials->count - 2, &trials->prior,
			  &trials->prior_df);
	trials->prior_df = FL_MIN(trials->prior_df, MAX_PRIOR_DF);
	if (trials->counts)
		trials->prior = FL_MAX(trials->prior, 1);
	fl_free(spread);
	return true;
}

static void test(struct flame_trials *trials, struct fl_hypothesis *h)
{
	struct fl_welch w = fl_trials_test(trials, h->change.values, h->side);

	for (unsigned i = 0; i < 2; i++)
		h->change.mean[i] = h->side[i].mean;
	h->change.p = w.p;
	/* One run each, whose weights are not counts: nothing is known. */
	if (trials->count == 2 && !trials->counts)
		h->change.p = 1;
}

static void set_interval(const struct flame_trials *trials,
			 struct fl_hypothesis *h)
{
	h->change.low = -HUGE_VAL;
	h->change.high = HUGE_VAL;
	if (trials->count > 2 || trials->counts)
		fl_ratio_interval(&h->side[0], &h->side[1], 0.95,
				  &h->change.low, &h->change.high);
	h->change.low = FL_MAX(h->change.low, 0);
}

/*
 * The part of the errors that a name may make.  It depends on the weight of
 * all runs, which says nothing of a difference between them.
 */
static double part_of(const struct flame_trials *trials,
		      const struct fl_hypothesis *h)
{
	double mean = mean_of(h->change.values, trials->count);
	double x = trials->counts ?
			   mean * (double)trials->count / FULL_SAMPLES :
			   mean / (trials->mean_total * FULL_SHARE);

	return x * x / (x * x + 1);
}

/*
 * Of those that nothing explains, as changes that are only others seen again
 * would let more chance through.
 */
static bool find(struct flame_trials *trials)
{
	size_t n = trials->ntested;
	double *p = fl_alloc(fl_size_mul(n + 1, sizeof(*p)));
	double *part = fl_alloc(fl_size_mul(n + 1, sizeof(*part)));
	bool *found = fl_zeroed(n + 1, sizeof(*found)), good;

	for (size_t i = 0; p && part && i < n; i++) {
		p[i] = trials->tested[i].change.p;
		part[i] = trials->tested[i].change.explained ?
				  0 : part_of(trials, &trials->tested[i]);
	}
	good = p && part && found &&
	       fl_false_discovery(p, part, n, trials->rate, found);
	for (size_t i = 0; good && i < n; i++)
		trials->tested[i].change.found =
			found[i] || trials->tested[i].change.explained;
	fl_free(p);
	fl_free(part);
	fl_free(found);
	return good;
}

/* The order of flame_trials_at. */
static int by_change(const void *a, const void *b)
{
	const struct flame_change *x = &((const struct fl_hypothesis *)a)->change;
	const struct flame_change *y = &((const struct fl_hypothesis *)b)->change;
	int rank = (y->found - y->explained) - (x->found - x->explained);
	double d = fabs(y->mean[1] - y->mean[0]) -
		   fabs(x->mean[1] - x->mean[0]);

	if (rank)
		return rank;
	if (d < 0 || d > 0)
		return d > 0 ? 1 : -1;
	return (x->name > y->name) - (x->name < y->name);
}

int flame_trials_compare(struct flame_trials *trials,
			 enum flame_scaling scaling, double rate,
			 const char *re)
{
	const char *unit = flame_metric_of(trials->flame,
					   trials->metric)->weight;

	if (!trials->runs[0] || !trials->runs[1])
		return fl_fail(trials->flame, "no runs %s the change",
			       trials->runs[0] ? "after" : "before");
	trials->rate = rate;
	trials->narrowed = re;
	trials->counts = strcmp(unit, "samples") == 0;
	if (set_factors(trials, scaling) != FLAME_OK ||
	    !fl_trials_measure(trials, re))
		return FLAME_FAILED;
	if (!fit_prior(trials))
		return fl_no_memory(trials->flame);
	for (size_t i = 0; i < trials->ntested; i++)
		test(trials, &trials->tested[i]);
	test(trials, &trials->all);
	set_interval(trials, &trials->all);
	if (!find(trials))
		return fl_no_memory(trials->flame);
	for (size_t i = 0; i < trials->ntested; i++)
		if (trials->tested[i].change.found)
			set_interval(trials, &trials->tested[i]);
	if (!fl_trials_explain(trials) || !find(trials))
		return fl_no_memory(trials->flame);
	if (trials->ntested)
		qsort(trials->tested, trials->ntested, sizeof(*trials->tested),
		      by_change);
	return fl_failed(trials->flame) ? FLAME_FAILED : FLAME_OK;
}

const struct flame_change *flame_trials_at(const struct flame_trials *trials,
					   size_t i)
{
	return i < trials->ntested ? &trials->tested[i].change : NULL;
}

const struct flame_change *flame_trials_all(const struct flame_trials *trials)
{
	return &trials->all.change;
}
