/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Statistics of repeated measurements, for tree/trials*.c and tree/steps.c:
 * Student's t by the incomplete beta function, tests and intervals of means
 * with unlike variances, and the false discovery rate.
 */
#include "fl.h"

#include "base/statistics.h"

#include <math.h>
#include <stdlib.h>

/* Student's t --------------------------------------------------------- */

/* A denominator of the continued fraction, which must not be 0. */
static double nonzero(double x)
{
	return fabs(x) < 1e-300 ? 1e-300 : x;
}

/*
 * The continued fraction of the incomplete beta function, by Lentz's method
 * as Thompson and Barnett changed it.
 */
static double beta_fraction(double x, double a, double b)
{
	enum { MAX_STEPS = 10000 };
	double c = 1, d = 1 / nonzero(1 - (a + b) * x / (a + 1)), value = d;

	for (int m = 1; m < MAX_STEPS; m++) {
		double k = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
		double step;

		d = 1 / nonzero(1 + k * d);
		c = nonzero(1 + k / c);
		value *= c * d;
		k = -(a + m) * (a + b + m) * x /
		    ((a + 2 * m) * (a + 2 * m + 1));
		d = 1 / nonzero(1 + k * d);
		c = nonzero(1 + k / c);
		step = c * d;
		value *= step;
		if (fabs(step - 1) < 1e-15)
			break;
	}
	return value;
}

/* x: in [0, 1]; y: 1 - x, which is exact near x = 1. */
static double incomplete_beta(double x, double y, double a, double b)
{
	double front;

	if (x <= 0 || y <= 0)
		return x <= 0 ? 0 : 1;
	front = exp(lgamma(a + b) - lgamma(a) - lgamma(b) + a * log(x) +
		    b * log(y));
	if (x < (a + 1) / (a + b + 2))
		return front * beta_fraction(x, a, b) / a;
	return 1 - front * beta_fraction(y, b, a) / b;
}

/* Beyond it the normal distribution is near enough. */
static const double MANY = 1e7;

double fl_student_tail(double t, double df)
{
	double tail, square = t * t;

	if (df > MANY)
		return erfc(t / sqrt(2)) / 2;
	tail = incomplete_beta(df / (df + square), square / (df + square),
			       df / 2, 0.5) / 2;
	return t >= 0 ? tail : 1 - tail;
}

double fl_student_quantile(double tail, double df)
{
	double low = 0, high = 1;

	if (tail > 0.5)
		return -fl_student_quantile(1 - tail, df);
	while (fl_student_tail(high, df) > tail && high < 1e300)
		high *= 2;
	for (int i = 0; i < 100 && high - low > 1e-13 * high; i++) {
		double middle = (low + high) / 2;

		if (fl_student_tail(middle, df) > tail)
			low = middle;
		else
			high = middle;
	}
	return (low + high) / 2;
}

/* Digamma and trigamma: recurrence up to 10, then the asymptotic series. */

double fl_digamma(double x)
{
	double sum = 0, y;

	for (; x < 10; x++)
		sum -= 1 / x;
	y = 1 / (x * x);
	return sum + log(x) - 0.5 / x -
	       y * (1 / 12.0 - y * (1 / 120.0 - y * (1 / 252.0 - y *
		   (1 / 240.0 - y / 132.0))));
}

double fl_trigamma(double x)
{
	double sum = 0, y;

	for (; x < 10; x++)
		sum += 1 / (x * x);
	y = 1 / (x * x);
	return sum + 1 / x + y / 2 +
	       y / x * (1 / 6.0 - y * (1 / 30.0 - y * (1 / 42.0 - y *
		       (1 / 30.0 - y * 5 / 66.0))));
}

/* Trigamma falls from infinity to 0. */
double fl_trigamma_inverse(double y)
{
	double low = 0, high = 1;

	while (fl_trigamma(high) > y && high < 1e12)
		high *= 2;
	for (int i = 0; i < 200 && high - low > 1e-14 * high; i++) {
		double middle = (low + high) / 2;

		if (fl_trigamma(middle) > y)
			low = middle;
		else
			high = middle;
	}
	return (low + high) / 2;
}

/* Means --------------------------------------------------------------- */

struct fl_estimate fl_estimate(const double *values, size_t n)
{
	struct fl_estimate e = { .n = (double)n, .df = (double)n - 1 };

	for (size_t i = 0; i < n; i++)
		e.mean += values[i];
	e.mean /= e.n;
	for (size_t i = 0; i < n; i++)
		e.variance += (values[i] - e.mean) * (values[i] - e.mean);
	e.variance = n > 1 ? e.variance / e.df : 0;
	return e;
}

struct fl_welch fl_welch(const struct fl_estimate *a,
			 const struct fl_estimate *b, double factor)
{
	double va = factor * factor * a->variance / a->n;
	double vb = b->variance / b->n, v = va + vb;
	struct fl_welch w = {
		.difference = b->mean - factor * a->mean, .error = sqrt(v),
		.p = 1, .df = a->df + b->df,
	};
	double parts = 0;

	if (v <= 0) {
		w.p = w.difference ? 0 : 1;
		return w;
	}
	if (va > 0)
		parts += va / v * (va / v) / a->df;
	if (vb > 0)
		parts += vb / v * (vb / v) / b->df;
	w.df = parts > 0 ? 1 / parts : HUGE_VAL;
	w.p = 2 * fl_student_tail(fabs(w.difference) / w.error, w.df);
	return w;
}

void fl_ratio_interval(const struct fl_estimate *a, const struct fl_estimate *b,
		       double level, double *low, double *high)
{
	double df = fl_welch(a, b, 1).df;
	double t = fl_student_quantile((1 - level) / 2, df), square = t * t;
	double x = a->mean * a->mean - square * a->variance / a->n;
	double y = b->mean * b->mean - square * b->variance / b->n;
	double xy = a->mean * b->mean, root = xy * xy - x * y;

	*low = -HUGE_VAL;
	*high = HUGE_VAL;
	if (x <= 0 || root < 0)
		return;
	*low = (xy - sqrt(root)) / x;
	*high = (xy + sqrt(root)) / x;
}

void fl_variance_prior(const double *s2, size_t n, double df,
		       double *variance, double *prior_df)
{
	double mean = 0, spread = 0;

	*prior_df = 0;
	*variance = 0;
	if (!n)
		return;
	for (size_t i = 0; i < n; i++)
		mean += log(s2[i]);
	mean /= (double)n;
	for (size_t i = 0; i < n; i++)
		spread += (log(s2[i]) - mean) * (log(s2[i]) - mean);
	mean -= fl_digamma(df / 2) - log(df / 2);
	if (n < 2) {
		*variance = exp(mean);
		return;
	}
	spread = spread / (double)(n - 1) - fl_trigamma(df / 2);
	*prior_df = spread > 0 ? 2 * fl_trigamma_inverse(spread) : HUGE_VAL;
	if (spread > 0)
		mean += fl_digamma(*prior_df / 2) - log(*prior_df / 2);
	*variance = exp(mean);
}

/* Many tests ---------------------------------------------------------- */

struct ranked {
	double q;	/* p / weight */
	size_t at;
};

static int by_q(const void *a, const void *b)
{
	const struct ranked *x = a, *y = b;

	return (x->q > y->q) - (x->q < y->q);
}

bool fl_false_discovery(const double *p, const double *weight, size_t n,
			double rate, bool *found)
{
	struct ranked *order = fl_alloc(fl_size_mul(n + 1, sizeof(*order)));
	double sum = 0;
	size_t nfound = 0;

	if (!order)
		return false;
	for (size_t i = 0; i < n; i++)
		sum += weight[i];
	for (size_t i = 0; i < n; i++) {
		order[i] = (struct ranked){ HUGE_VAL, i };
		if (weight[i] > 0)
			order[i].q = p[i] * (sum / (double)n) / weight[i];
		found[i] = false;
	}
	qsort(order, n, sizeof(*order), by_q);
	for (size_t i = 0; i < n; i++)
		if (order[i].q <= rate * (double)(i + 1) / (double)n)
			nfound = i + 1;
	for (size_t i = 0; i < nfound; i++)
		found[order[i].at] = true;
	fl_free(order);
	return true;
}
