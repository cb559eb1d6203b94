/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Measures how far the clock of an event log is from that of a recording, for
 * align.c.  In: the times of samples of tasks; out: the shift that moves these
 * samples to where the log has running tasks.  Samples are counted in buckets
 * of time, so that memory does not grow with them.
 */
#include "fl.h"

#include "spark/spark.h"

#include <math.h>
#include <stdlib.h>

enum {
	FIRST_BITS = 24,	/* buckets of 2^24 ns, 17 ms, at first */
	MAX_BUCKETS = 32768,	/* then they are doubled */
	MAX_COARSE = 2048,	/* of the first search */
	MIN_SAMPLES = 200,	/* to measure it, */
	MIN_DOUBT = 20,		/* and to say that it is another */
	MIN_TASKS = 3
};

/* The share of samples outside tasks that a clock of milliseconds explains. */
#define ALMOST_NONE .003

/* Halves the number of buckets.  false: out of memory. */
static bool widen(struct fl_spark_clock *clock)
{
	struct fl_map wide = { 0 };
	const struct fl_map_entry *e;
	size_t i = 0;
	bool good = true;

	while (good && (e = fl_map_each(&clock->counts, &i))) {
		uint64_t *n = fl_map_put(&wide, e->key >> 1, NULL);

		good = n;
		if (n)
			*n += e->value;
	}
	fl_map_free(&clock->counts);
	clock->counts = wide;
	clock->bits++;
	return good;
}

bool fl_spark_clock_add(struct fl_spark_clock *clock, int64_t time,
			uint64_t weight)
{
	uint64_t *n;

	if (time < 0)
		return true;
	if (!clock->bits)
		clock->bits = FIRST_BITS;
	n = fl_map_put(&clock->counts, (uint64_t)time >> clock->bits, NULL);
	if (!n)
		return false;
	*n += weight;
	clock->samples++;
	return clock->counts.count <= MAX_BUCKETS || widen(clock);
}

void fl_spark_clock_free(struct fl_spark_clock *clock)
{
	fl_map_free(&clock->counts);
}

/* A series of buckets from a time, which is a multiple of 2^bits ns. */
struct series {
	int64_t first;		/* in buckets */
	size_t n;
	float *data;
};

static bool make_series(struct series *s, int64_t first, int64_t last)
{
	s->first = first;
	s->n = (size_t)(last - first) + 1;
	s->data = fl_zeroed(s->n, sizeof(*s->data));
	return s->data;
}

static bool make_samples(struct series *s, const struct fl_spark_clock *clock,
			 unsigned bits)
{
	const struct fl_map_entry *e;
	int64_t first = INT64_MAX, last = 0;
	unsigned down = bits - clock->bits;

	for (size_t i = 0; (e = fl_map_each(&clock->counts, &i));) {
		first = FL_MIN(first, (int64_t)(e->key >> down));
		last = FL_MAX(last, (int64_t)(e->key >> down));
	}
	if (!make_series(s, first, last))
		return false;
	for (size_t i = 0; (e = fl_map_each(&clock->counts, &i));)
		s->data[(int64_t)(e->key >> down) - first] += (float)e->value;
	return true;
}

/* Of the time of each bucket, how many tasks were running. */
static bool make_tasks(struct series *s, const struct fl_spark_executor *e,
		       unsigned bits)
{
	int64_t first = INT64_MAX, last = 0;
	const int64_t width = INT64_C(1) << bits;

	for (size_t i = 0; i < e->ntasks; i++) {
		first = FL_MIN(first, e->tasks[i].start >> bits);
		last = FL_MAX(last, e->tasks[i].end >> bits);
	}
	if (last - first > 1 << 22 || !make_series(s, first, last))
		return false;
	for (size_t i = 0; i < e->ntasks; i++)
		for (int64_t t = e->tasks[i].start; t < e->tasks[i].end;) {
			int64_t at = t >> bits, end = (at + 1) * width;

			end = FL_MIN(end, e->tasks[i].end);
			s->data[at - first] += (float)(end - t) / (float)width;
			t = end;
		}
	return true;
}

static float at(const struct series *s, int64_t i)
{
	return i < s->first || i >= s->first + (int64_t)s->n ? 0 :
	       s->data[i - s->first];
}

/* The correlation of samples with tasks that are `shift` buckets later. */
static double correlate(const struct series *x, const struct series *y,
			int64_t shift)
{
	double sx = 0, sy = 0, sxx = 0, syy = 0, sxy = 0, n = (double)x->n;

	for (size_t i = 0; i < x->n; i++) {
		double a = x->data[i];
		double b = at(y, x->first + (int64_t)i + shift);

		sx += a;
		sy += b;
		sxx += a * a;
		syy += b * b;
		sxy += a * b;
	}
	sxx -= sx * sx / n;
	syy -= sy * sy / n;
	return sxx > 0 && syy > 0 ? (sxy - sx * sy / n) / sqrt(sxx * syy) : 0;
}

/* The share of samples far from any running task, with a shift. */
static double contradict(const struct series *x, const struct series *y,
			 int64_t shift)
{
	double all = 0, outside = 0;

	for (size_t i = 0; i < x->n; i++) {
		int64_t t = x->first + (int64_t)i + shift;

		all += x->data[i];
		if (at(y, t - 1) + at(y, t) + at(y, t + 1) <= 0)
			outside += x->data[i];
	}
	return all > 0 ? outside / all : 0;
}

/*
 * The best shift from one to another, of those that leave few samples where
 * there is no task; *next: the best correlation that is more than three buckets
 * from it.
 */
static int64_t search(const struct series *x, const struct series *y,
		      int64_t from, int64_t to, double most, double *best,
		      double *next)
{
	size_t n = (size_t)(to - from) + 1;
	double *r = fl_zeroed(n, sizeof(*r));
	size_t top = 0;

	*best = *next = -1;
	for (size_t i = 0; r && i < n; i++) {
		r[i] = contradict(x, y, from + (int64_t)i) > most ? -1 :
			correlate(x, y, from + (int64_t)i);
		if (r[i] > r[top])
			top = i;
	}
	for (size_t i = 0; r && i < n; i++)
		if (i + 3 < top || i > top + 3)
			*next = FL_MAX(*next, r[i]);
	if (r)
		*best = r[top];
	fl_free(r);
	return from + (int64_t)top;
}

/*
 * The shift near another, in buckets: of those that leave fewest samples where
 * there is no task the one that correlates best.
 */
static int64_t refine(const struct series *x, const struct series *y,
		      int64_t around, int64_t within)
{
	double least = 2, best = -2, r;
	int64_t found = around;

	for (int64_t i = around - within; i <= around + within; i++)
		least = FL_MIN(least, contradict(x, y, i));
	for (int64_t i = around - within; i <= around + within; i++) {
		if (contradict(x, y, i) > least + ALMOST_NONE)
			continue;
		r = correlate(x, y, i);
		if (r > best) {
			best = r;
			found = i;
		}
	}
	return found;
}

/* Both series of seconds or more, and of few buckets. */
static bool make_coarse(const struct fl_spark_clock *clock,
			const struct fl_spark_executor *e, struct series *x,
			struct series *y, unsigned *bits)
{
	for (*bits = FL_MAX(clock->bits, 30);; ++*bits) {
		if (!make_samples(x, clock, *bits) || !make_tasks(y, e, *bits))
			return false;
		if (FL_MAX(x->n, y->n) <= MAX_COARSE)
			return true;
		fl_free(x->data);
		fl_free(y->data);
		x->data = y->data = NULL;
	}
}

/*
 * A shift in seconds or more, if one stands out: by its correlation, or as the
 * only one that has tasks where the samples are.  UNKNOWN: none does, and there
 * must be one.
 */
static enum fl_spark_clock_fit find_coarse(const struct fl_spark_clock *clock,
					   const struct fl_spark_executor *e,
					   int64_t *shift, int64_t *within)
{
	struct series x = { 0 }, y = { 0 };
	double best, next, none, wrong;
	enum fl_spark_clock_fit fit = FL_CLOCK_FITS;
	unsigned bits;
	int64_t found;

	*shift = 0;
	if (make_coarse(clock, e, &x, &y, &bits)) {
		wrong = contradict(&x, &y, 0);
		none = correlate(&x, &y, 0);
		found = search(&x, &y, y.first - x.first - (int64_t)x.n,
			       y.first - x.first + (int64_t)y.n, 0.02, &best,
			       &next);
		*within = INT64_C(3) << bits;
		if (next < 0 && wrong > 0.05 ? best > 0.1 : best >= 0.3 &&
		    best - next >= 0.1 && best - none >= 0.1)
			*shift = found * (INT64_C(1) << bits);
		else if (wrong > 0.05)
			fit = FL_CLOCK_UNKNOWN;
	}
	fl_free(x.data);
	fl_free(y.data);
	return fit;
}

enum fl_spark_clock_fit fl_spark_clock_fit(const struct fl_spark_clock *clock,
					   const struct fl_spark_executor *e,
					   int64_t *shift)
{
	struct series x = { 0 }, y = { 0 };
	const int64_t width = INT64_C(1) << clock->bits;
	enum fl_spark_clock_fit fit = FL_CLOCK_FITS;
	int64_t around, within = 0;
	double wrong, left;

	if (clock->samples && e->ntasks &&
	    make_samples(&x, clock, clock->bits) &&
	    make_tasks(&y, e, clock->bits) &&
	    (wrong = contradict(&x, &y, 0)) > ALMOST_NONE) {
		fit = find_coarse(clock, e, &around, &within);
		if (clock->samples < MIN_SAMPLES || e->ntasks < MIN_TASKS)
			fit = wrong > 0.05 && clock->samples >= MIN_DOUBT ?
			      FL_CLOCK_UNKNOWN : FL_CLOCK_FITS;
		else if (fit == FL_CLOCK_FITS) {
			*shift = refine(&x, &y, around / width,
					within / width) * width;
			left = contradict(&x, &y, *shift / width);
			/*
			 * A log may lack tasks: no shift explains their
			 * samples, and one must explain most of the others.
			 */
			if (llabs(*shift) > 200000000 + width &&
			    wrong - left > 2 * ALMOST_NONE && left < wrong / 2)
				fit = FL_CLOCK_APART;
		}
	}
	fl_free(x.data);
	fl_free(y.data);
	return fit;
}
