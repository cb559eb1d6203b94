/* SPDX-License-Identifier: Apache-2.0 */
/*
 * flame_find_steps() finds since which run a weight is higher or lower, for
 * flame-diff --since: rows of weights, one a run, in; runs at which the mean
 * changes out.  The best split of a series in two levels is tested with
 * Student's t, and each level is split again.
 */
#include "fl.h"

#include "base/statistics.h"

#include <math.h>

enum { MIN_COUNT = 5 };		/* samples a run; fewer are not normal */

struct split {
	size_t at;		/* of the segment's runs */
	double p;		/* of the best of all splits */
};

/* Sums up to each run, of values and of squares. */
struct sums {
	double *value, *square;
};

static double between(const double *sum, size_t from, size_t to)
{
	return sum[to] - sum[from];
}

/* A segment that is split in two. */
struct parts {
	double n1, n2;		/* runs */
	double mean, difference;
	double variance;	/* within both parts */
};

static struct parts split_at(const struct sums *s, size_t from, size_t at,
			     size_t to)
{
	double n1 = (double)(at - from), n2 = (double)(to - at), n = n1 + n2;
	double sum = between(s->value, from, to);
	double sum1 = between(s->value, from, at);
	struct parts p = { n1, n2, sum / n, (sum - sum1) / n2 - sum1 / n1, 0 };
	/* Rounding leaves something of series that are two constants. */
	double least = p.mean * p.mean * 1e-12;

	p.variance = (between(s->square, from, to) - sum * p.mean -
		      p.difference * p.difference * n1 * n2 / n) / (n - 2);
	p.variance = FL_MAX(p.variance, least);
	return p;
}

/* The square of t for a split. */
static double measure(const struct sums *s, size_t from, size_t at, size_t to,
		      bool counts)
{
	struct parts p = split_at(s, from, at, to);

	if (counts)
		p.variance = FL_MAX(p.variance, p.mean);
	return p.variance > 0 ? p.difference * p.difference /
				(p.variance * (1 / p.n1 + 1 / p.n2)) : 0;
}

static struct split best_split(const struct sums *s, size_t from, size_t to,
			       bool counts)
{
	struct split best = { from, 1 };
	double most = 0, tries = 0;

	for (size_t at = from + FLAME_LEVEL_RUNS; at + FLAME_LEVEL_RUNS <= to;
	     at++, tries++) {
		double t2 = measure(s, from, at, to, counts);

		if (t2 > most) {
			most = t2;
			best.at = at;
		}
	}
	/* As if the splits were independent, which is on the safe side. */
	if (most > 0)
		best.p = tries * 2 * fl_student_tail(sqrt(most),
						     (double)(to - from - 2));
	best.p = best.p > 1 ? 1 : best.p;
	return best;
}

static void add_up(struct sums *s, const double *row, size_t nruns)
{
	s->value[0] = s->square[0] = 0;
	for (size_t i = 0; i < nruns; i++) {
		s->value[i + 1] = s->value[i] + row[i];
		s->square[i + 1] = s->square[i] + row[i] * row[i];
	}
}

/*
 * Marks the first runs of levels, and their p: the whole is split, then each
 * level from the left on, until no split is below `least`.
 */
static void mark_steps(const struct sums *s, size_t nruns, bool counts,
		       double least, double *p)
{
	size_t from = 0, to;

	for (size_t i = 0; i <= nruns; i++)
		p[i] = i && i < nruns ? 2 : 0;	/* 2: no step */
	while (from < nruns) {
		struct split best;

		for (to = from + 1; p[to] > 1; to++)
			;
		best = best_split(s, from, to, counts);
		if (best.at > from && best.p <= least)
			p[best.at] = best.p;
		else
			from = to;
	}
}

/* The logarithm, for levels that may be anything. */
static double likelihood(const struct sums *s, size_t from, size_t at,
			 size_t to)
{
	struct parts p = split_at(s, from, at, to);

	return p.variance > 0 ? -(p.n1 + p.n2 - 2) / 2 * log(p.variance) -
				log(p.n1 * p.n2) / 2 : 0;
}

/* The likelihood of the places around one; the near ones count a bit more. */
static double around(const double *likely, size_t at, size_t first, size_t last)
{
	double sum = likely[at];

	for (size_t d = 1; d <= FLAME_LEVEL_RUNS; d++) {
		double weight = 1 - (double)d / 50;

		sum += at >= first + d ? weight * likely[at - d] : 0;
		sum += at + d <= last ? weight * likely[at + d] : 0;
	}
	return sum;
}

/*
 * The run of a step between two others.  The likeliest single run is often some
 * runs away from it: of those near which most of the likelihood is, fewer are.
 */
static size_t place_step(const struct sums *s, size_t from, size_t to,
			 double *likely)
{
	size_t first = from + FLAME_LEVEL_RUNS, last = to - FLAME_LEVEL_RUNS;
	size_t best = first;
	double most = -HUGE_VAL;

	for (size_t at = first; at <= last; at++) {
		likely[at] = likelihood(s, from, at, to);
		most = FL_MAX(most, likely[at]);
	}
	for (size_t at = first; at <= last; at++)
		likely[at] = exp(likely[at] - most);
	most = 0;
	for (size_t at = first; at <= last; at++) {
		double sum = around(likely, at, first, last);

		if (sum > most) {
			most = sum;
			best = at;
		}
	}
	return best;
}

/* Places each step anew, between its neighbours. */
static void place_steps(const struct sums *s, size_t nruns, double *p,
			double *likely)
{
	size_t from = 0, to, place;

	for (size_t at = 1; at < nruns; at = to) {
		for (to = at + 1; p[to] > 1; to++)
			;
		if (p[at] > 1)
			continue;
		place = place_step(s, from, to, likely);
		if (place != at) {
			p[place] = p[at];
			p[at] = 2;
		}
		from = place;
	}
}

static void report_steps(const double *row, size_t nrow, size_t nruns,
			 const double *p,
			 void (*found)(void *arg, const struct flame_step *),
			 void *arg)
{
	size_t from = 0, to;

	for (size_t at = 1; at < nruns; at++) {
		struct fl_estimate a, b;
		struct flame_step step = { .row = nrow, .run = at, .p = p[at] };

		if (p[at] > 1)
			continue;
		for (to = at + 1; p[to] > 1; to++)
			;
		a = fl_estimate(row + from, at - from);
		b = fl_estimate(row + at, to - at);
		step.before = a.mean;
		step.after = b.mean;
		fl_ratio_interval(&a, &b, 0.95, &step.low, &step.high);
		found(arg, &step);
		from = at;
	}
}

/* Series that are too small are left out: weight 0. */
static bool is_large(const struct sums *s, const struct split *best,
		     size_t nruns, bool counts)
{
	double before = between(s->value, 0, best->at) / (double)best->at;
	double after = between(s->value, best->at, nruns) /
		       (double)(nruns - best->at);

	return best->at && (!counts || before >= MIN_COUNT ||
			    after >= MIN_COUNT);
}

/* What a search needs by row and by run. */
struct search {
	struct sums sums;
	double *p, *weight, *marks, *likely;
	bool *found;
};

static bool search_init(struct search *s, size_t nrows, size_t nruns)
{
	s->sums.value = fl_zeroed(nruns + 1, sizeof(double));
	s->sums.square = fl_zeroed(nruns + 1, sizeof(double));
	s->marks = fl_zeroed(nruns + 1, sizeof(double));
	s->likely = fl_zeroed(nruns + 1, sizeof(double));
	s->p = fl_zeroed(nrows + 1, sizeof(double));
	s->weight = fl_zeroed(nrows + 1, sizeof(double));
	s->found = fl_zeroed(nrows + 1, sizeof(bool));
	return s->sums.value && s->sums.square && s->marks &&
	       s->likely && s->p && s->weight && s->found;
}

static void search_free(struct search *s)
{
	fl_free(s->sums.value);
	fl_free(s->sums.square);
	fl_free(s->marks);
	fl_free(s->likely);
	fl_free(s->p);
	fl_free(s->weight);
	fl_free(s->found);
}

int flame_find_steps(struct flame *flame, const double *weights, size_t nrows,
		     size_t nruns, bool counts, double rate,
		     void (*found)(void *arg, const struct flame_step *step),
		     void *arg)
{
	struct search s = { .p = NULL };
	size_t nfound = 0, tested = 0;
	bool good = search_init(&s, nrows, nruns);

	for (size_t i = 0; good && i < nrows; i++) {
		struct split best;

		add_up(&s.sums, weights + i * nruns, nruns);
		best = best_split(&s.sums, 0, nruns, counts);
		s.p[i] = best.p;
		s.weight[i] = is_large(&s.sums, &best, nruns, counts);
		tested += s.weight[i] > 0;
	}
	good = good && (!tested || fl_false_discovery(s.p, s.weight, nrows,
						      rate, s.found));
	for (size_t i = 0; good && i < nrows; i++)
		nfound += s.found[i];
	for (size_t i = 0; good && i < nrows; i++) {
		if (!s.found[i])
			continue;
		add_up(&s.sums, weights + i * nruns, nruns);
		mark_steps(&s.sums, nruns, counts,
			   rate * (double)nfound / (double)tested, s.marks);
		place_steps(&s.sums, nruns, s.marks, s.likely);
		report_steps(weights + i * nruns, i, nruns, s.marks, found,
			     arg);
	}
	search_free(&s);
	return good ? FLAME_OK : fl_no_memory(flame);
}
