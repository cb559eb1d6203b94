/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finds which of the changes of a comparison (trials.c) are only effects of
 * others, and sets change.explained of these.  A frame that grows makes all of
 * its callers grow.  Changes are examined from the lightest to the heaviest:
 * one is explained if the stacks without any of the changes before it did not
 * change.  Where instead all that a frame does grew alike, the frame explains
 * what it calls.
 */
#include "fl.h"

#include "tree/trials.h"

#include <stdlib.h>

/* More than that are beyond what anybody reads. */
enum { MAX_LOOKED_AT = 1000 };
/* By which the sum of squares of one explanation must be the smaller. */
static const double MARGIN = 4;
/* So much of a callee must run below a frame that explains it. */
static const double MOSTLY = 0.9;

struct explaining {
	struct flame_trials *trials;
	size_t nstacks;
	bool *total, *self;	/* by name: a change that explains others */
	bool *covered;		/* by stack: has a name of such a total */
	bool *has;		/* by stack: has the examined name */
	bool *callee;		/* the same of a change before it */
	struct fl_hypothesis **chosen;	/* changes that explain others */
	size_t nchosen;
	double *rest;		/* by run: the weight of what is not covered */
};

static flame_id name_of(const struct explaining *e, flame_id stack)
{
	return fl_frame_at(e->trials->flame, stack)->name;
}

static void cover(struct explaining *e)
{
	const struct flame *flame = e->trials->flame;

	for (size_t i = 1; i < e->nstacks; i++)
		e->covered[i] = e->covered[fl_parent(flame, (flame_id)i)] ||
				e->total[name_of(e, (flame_id)i)];
}

static void find_stacks(const struct explaining *e,
			const struct flame_change *change, bool *has)
{
	const struct flame *flame = e->trials->flame;

	has[0] = !change->name;
	for (size_t i = 1; i < e->nstacks; i++) {
		flame_id stack = (flame_id)i;
		bool is = name_of(e, stack) == change->name;

		has[i] = is || (!change->self && has[fl_parent(flame, stack)]);
	}
}

static void sum_rest(struct explaining *e)
{
	for (size_t i = 0; i < e->trials->count; i++) {
		const struct fl_trial *trial = &e->trials->trials[i];

		e->rest[i] = 0;
		for (size_t j = 0; j < trial->count; j++) {
			flame_id stack = trial->stacks[j];

			if (e->has[stack] && !e->covered[stack] &&
			    !(stack && e->self[name_of(e, stack)]))
				e->rest[i] += (double)trial->weights[j] *
					      trial->factor;
		}
	}
}

/* Whether most of a change before it is of stacks with the examined name. */
static bool is_below(struct explaining *e, const struct flame_change *callee)
{
	double below = 0, all = 0;

	find_stacks(e, callee, e->callee);
	for (size_t i = 0; i < e->trials->count; i++) {
		const struct fl_trial *trial = &e->trials->trials[i];

		for (size_t j = 0; j < trial->count; j++) {
			double weight = (double)trial->weights[j];

			if (!e->callee[trial->stacks[j]])
				continue;
			all += weight;
			below += e->has[trial->stacks[j]] ? weight : 0;
		}
	}
	return below >= MOSTLY * all;
}

static bool is_alike(const struct flame_change *frame,
		     const struct flame_change *callee)
{
	double ratio = frame->mean[1] / frame->mean[0];

	return ratio >= callee->low && ratio <= callee->high;
}

/* How many callees grew as the frame did; 0 if one of them did not. */
static size_t count_alike(struct explaining *e,
			  const struct flame_change *frame)
{
	size_t n = 0;

	for (size_t i = 0; i < e->nchosen; i++) {
		const struct flame_change *callee = &e->chosen[i]->change;

		if (callee->explained || !is_below(e, callee))
			continue;
		if (!is_alike(frame, callee))
			return 0;
		n++;
	}
	return n;
}

static void explain_callees(struct explaining *e,
			    const struct flame_change *frame)
{
	for (size_t i = 0; i < e->nchosen; i++) {
		struct flame_change *callee = &e->chosen[i]->change;

		if (is_alike(frame, callee) && is_below(e, callee))
			callee->explained = true;
	}
}

/*
 * Whether what is left grew as what was found below the frame, rather than not
 * at all; or as well as not at all, where that is several changes.
 */
static bool grew_alike(struct explaining *e, const struct flame_change *frame,
		       const struct fl_estimate *left,
		       const struct fl_welch *change)
{
	double before = frame->mean[0] - left[0].mean;
	double after = frame->mean[1] - left[1].mean;
	double none = 0, alike = 0;

	if (before <= 0)
		return false;
	if (change->error > 0) {
		none = change->difference / change->error;
		alike = none - (after / before - 1) * left[0].mean /
				       change->error;
	}
	return none * none - alike * alike >= MARGIN ||
	       (alike * alike < MARGIN && count_alike(e, frame) > 1);
}

/* limit: what p must not exceed for what is left to be a change of its own. */
static void look_at(struct explaining *e, struct fl_hypothesis *h, double limit)
{
	struct flame_change *change = &h->change;
	struct fl_estimate side[2];
	struct fl_welch left;
	bool grew = change->mean[1] > change->mean[0];

	find_stacks(e, change, e->has);
	sum_rest(e);
	left = fl_trials_test(e->trials, e->rest, side);
	if ((left.p > limit || (left.difference > 0) != grew) &&
	    (change->self || !grew_alike(e, change, side, &left))) {
		change->explained = true;
		return;
	}
	if (change->self) {
		e->self[change->name] = true;
	} else {
		explain_callees(e, change);
		e->total[change->name] = true;
		cover(e);
	}
	e->chosen[e->nchosen++] = h;
}

/* Light ones first; at equal weights where a name is the leaf. */
static int by_mean(const void *a, const void *b)
{
	const struct fl_hypothesis *x = *(struct fl_hypothesis *const *)a;
	const struct fl_hypothesis *y = *(struct fl_hypothesis *const *)b;
	double d = FL_MAX(x->change.mean[0], x->change.mean[1]) -
		   FL_MAX(y->change.mean[0], y->change.mean[1]);

	if (d < 0 || d > 0)
		return d < 0 ? -1 : 1;
	return y->change.self - x->change.self;
}

static int by_p(const void *a, const void *b)
{
	const struct fl_hypothesis *x = *(struct fl_hypothesis *const *)a;
	const struct fl_hypothesis *y = *(struct fl_hypothesis *const *)b;

	return (x->change.p > y->change.p) - (x->change.p < y->change.p);
}

/* The first change is never explained: nothing came before it. */
static void look_at_all(struct explaining *e, struct fl_hypothesis **found,
			size_t n)
{
	qsort(found, n, sizeof(struct fl_hypothesis *), by_p);
	for (size_t i = MAX_LOOKED_AT; i < n; i++)
		found[i]->change.explained = true;
	n = FL_MIN(n, MAX_LOOKED_AT);
	qsort(found, n, sizeof(struct fl_hypothesis *), by_mean);
	for (size_t i = 0; i < n; i++)
		look_at(e, found[i], e->trials->rate / (double)n);
}

bool fl_trials_explain(struct flame_trials *trials)
{
	struct explaining e = {
		.trials = trials, .nstacks = trials->flame->stacks.count,
	};
	size_t nnames = trials->flame->names.count, n = 0;
	struct fl_hypothesis **found = fl_alloc(
		fl_size_mul(trials->ntested + 1, 2 * sizeof(*found)));
	bool good;

	e.total = fl_zeroed(nnames, sizeof(bool));
	e.self = fl_zeroed(nnames, sizeof(bool));
	e.covered = fl_zeroed(e.nstacks, sizeof(bool));
	e.has = fl_zeroed(e.nstacks, sizeof(bool));
	e.callee = fl_zeroed(e.nstacks, sizeof(bool));
	e.rest = fl_zeroed(trials->count, sizeof(double));
	good = found && e.total && e.self && e.covered && e.has && e.callee &&
	       e.rest;
	for (size_t i = 0; good && i < trials->ntested; i++)
		if (trials->tested[i].change.found)
			found[n++] = &trials->tested[i];
	if (good && n) {
		e.chosen = found + n;
		look_at_all(&e, found, n);
	}
	fl_free(found);
	fl_free(e.total);
	fl_free(e.self);
	fl_free(e.covered);
	fl_free(e.has);
	fl_free(e.callee);
	fl_free(e.rest);
	return good;
}
