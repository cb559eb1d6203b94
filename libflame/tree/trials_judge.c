/* SPDX-License-Identifier: Apache-2.0 */
/*
 * flame_trials_judge() judges a comparison of runs (trials.c) by a limit of
 * growth: worse, within it, or not known, and then how many runs would be
 * enough.  For flame-diff.  Where the runs differ much, no change found does
 * not prove that there is none.
 */
#include "fl.h"

#include "tree/trials.h"

#include <math.h>

/* Lighter names may grow by as much as such a share may. */
static const double MIN_SHARE = 0.05;
/* One-sided; and the chance to prove it of what has not changed. */
static const double DOUBT = 0.05, MISS = 0.2;
/* Fewer on both sides say next to nothing of how much runs differ. */
enum { MIN_RUNS = 3 };

static bool has_runs(const struct flame_trials *trials)
{
	return trials->runs[0] >= MIN_RUNS || trials->runs[1] >= MIN_RUNS;
}

/* What a name may grow by. */
static double allowance(const struct flame_trials *trials, double limit,
			const struct fl_hypothesis *h)
{
	double least = trials->narrowed ? 0 :
					  trials->mean_total * MIN_SHARE;

	return limit * FL_MAX(h->side[0].mean, least);
}

/* By how much it has grown at most, in weight. */
static double growth(const struct fl_hypothesis *h, double limit)
{
	struct fl_welch w = fl_welch(&h->side[0], &h->side[1], 1 + limit);

	return h->side[1].mean - h->side[0].mean +
	       w.error * fl_student_quantile(DOUBT, w.df);
}

/* Runs on each side that would distinguish this growth from none. */
static double runs_for(const struct flame_trials *trials,
		       const struct fl_hypothesis *h, double limit,
		       double allowed)
{
	double z = fl_student_quantile(DOUBT, HUGE_VAL) +
		   fl_student_quantile(MISS, HUGE_VAL);
	double variance = (1 + limit) * (1 + limit) * h->side[0].variance +
			  h->side[1].variance;
	double now = (double)FL_MAX(trials->runs[0], trials->runs[1]);
	double runs;

	if (!has_runs(trials) || allowed <= 0)
		return 0;
	runs = ceil(z * z * variance / (allowed * allowed));
	/* These runs would have done, but they came out near the limit. */
	return FL_MAX(runs > now ? runs : 2 * now, 3);
}

static bool is_worse(const struct flame_change *change, double limit)
{
	return change->found && !change->explained &&
	       change->mean[1] > change->mean[0] * (1 + limit);
}

static void doubt(const struct flame_trials *trials,
		  const struct fl_hypothesis *h, double limit,
		  struct flame_judgement *j)
{
	double allowed = allowance(trials, limit, h), most, runs;

	if (h->change.self)
		return;
	most = growth(h, limit);
	if (most < allowed && has_runs(trials))
		return;
	runs = runs_for(trials, h, limit, allowed);
	if (j->verdict == FLAME_UNSURE && runs <= j->runs)
		return;
	j->verdict = FLAME_UNSURE;
	j->doubt = &h->change;
	j->runs = runs;
	j->high = h->side[0].mean > 0 ? 1 + most / h->side[0].mean : HUGE_VAL;
}

void flame_trials_judge(const struct flame_trials *trials, double limit,
			struct flame_judgement *judgement)
{
	*judgement = (struct flame_judgement){ .verdict = FLAME_WITHIN };
	if (has_runs(trials))
		for (size_t i = 0; i < trials->ntested; i++)
			if (is_worse(&trials->tested[i].change, limit)) {
				judgement->verdict = FLAME_WORSE;
				return;
			}
	for (size_t i = 0; i < trials->ntested; i++)
		doubt(trials, &trials->tested[i], limit, judgement);
}
