/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Statistics for comparing repeated measurements: Student's t, Welch's test,
 * the false discovery rate, and a prior for variances of few values.
 */
#ifndef FL_STATISTICS_H
#define FL_STATISTICS_H

#include <stdbool.h>
#include <stddef.h>

/* The probability that Student's t of df degrees of freedom exceeds t. */
double fl_student_tail(double t, double df);
/* The t that is exceeded with this probability, which is above 0 and below 1;
   df may be infinite. */
double fl_student_quantile(double tail, double df);

double fl_digamma(double x);	/* x > 0 */
double fl_trigamma(double x);
double fl_trigamma_inverse(double y);

/* The mean of n values, with the variance of one and its freedom. */
struct fl_estimate {
	double mean, variance, df;
	double n;
};

struct fl_estimate fl_estimate(const double *values, size_t n);

/* Welch's test of b - factor * a. */
struct fl_welch {
	double difference, error, df;	/* error: standard error */
	double p;			/* two-sided */
};

struct fl_welch fl_welch(const struct fl_estimate *a,
			 const struct fl_estimate *b, double factor);
/*
 * Fieller's interval of b / a at this level (0.95).  Where a is not surely
 * above 0, low is -HUGE_VAL or high is HUGE_VAL.
 */
void fl_ratio_interval(const struct fl_estimate *a, const struct fl_estimate *b,
		       double level, double *low, double *high);

/*
 * Variances s2[0..n), each of df degrees of freedom, vary around a common one
 * as if that had been estimated of *prior_df degrees of freedom (0: it says
 * nothing; HUGE_VAL: all are one).  G. Smyth, 2004, by moments of their
 * logarithms.  Values must be above 0.
 */
void fl_variance_prior(const double *s2, size_t n, double df,
		       double *variance, double *prior_df);

/*
 * Benjamini and Hochberg: of what is called found, the expected share that is
 * found by chance is at most `rate`.  Each p counts as p / weight; weights are
 * scaled to a mean of 1.  Sets found[i]; false: out of memory.
 */
bool fl_false_discovery(const double *p, const double *weight, size_t n,
			double rate, bool *found);

#endif
