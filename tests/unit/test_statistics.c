/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Statistics.  What is expected was computed by SciPy 1.17: stats.t,
 * special.digamma and polygamma, stats.ttest_ind, false_discovery_control,
 * and roots by optimize.brentq.
 */
#include "fl.h"

#include "base/statistics.h"

#include <criterion/criterion.h>
#include <math.h>

static void expect_near(double seen, double wanted, double part)
{
	cr_expect(fabs(seen - wanted) <= fabs(wanted) * part + 1e-300,
		  "%.15g, not %.15g", seen, wanted);
}

static const struct {
	double t, df, tail;
} tails[] = {
	{ 0, 5, 0.5 },
	{ 1, 1, 0.25 },
	{ 2, 3, 0.06966298427942152 },
	{ 2.5, 2.7, 0.04853970722146734 },
	{ -1.5, 4, 0.896 },
	{ 6, 18, 5.6349855530039275e-06 },
	{ 12, 9.5, 2.3562585071971617e-07 },
	{ 40, 3, 1.7190340394579253e-05 },
	{ 1.96, 1e6, 0.024998033792634926 },
	{ 0.001, 2, 0.49964644669779507 },
	{ 8, 400, 6.7868882676560746e-15 },
};

Test(student, tails_are_those_of_another_program)
{
	for (size_t i = 0; i < FL_COUNT(tails); i++)
		expect_near(fl_student_tail(tails[i].t, tails[i].df),
			    tails[i].tail, 1e-9);
}

static const struct {
	double tail, df, t;
} quantiles[] = {
	{ 0.025, 1, 12.706204736174705 },
	{ 0.025, 2, 4.302652729749464 },
	{ 0.025, 3.5, 2.9400886379827296 },
	{ 0.05, 18, 1.7340636066175392 },
	{ 0.1, 7, 1.4149239276505083 },
	{ 0.001, 4, 7.1731822197823085 },
	{ 1e-6, 10, 9.751995490940581 },
	{ 0.9, 6, -1.4397557472651483 },
	{ 0.025, 1e9, 1.9599639869123253 },
	{ 0.025, HUGE_VAL, 1.959963984540054 },
	{ 1e-9, 30, 8.445862796274243 },
};

Test(student, quantiles_are_those_of_another_program)
{
	for (size_t i = 0; i < FL_COUNT(quantiles); i++)
		expect_near(fl_student_quantile(quantiles[i].tail,
						quantiles[i].df),
			    quantiles[i].t, 1e-8);
	cr_expect_lt(fabs(fl_student_quantile(0.5, 3)), 1e-12);
}

Test(gamma, derivatives_of_its_logarithm)
{
	expect_near(fl_digamma(0.1), -10.423754940411076, 1e-12);
	expect_near(fl_digamma(1), -0.5772156649015329, 1e-12);
	expect_near(fl_digamma(2.5), 0.7031566406452432, 1e-12);
	expect_near(fl_digamma(123), 4.808113806573255, 1e-12);
	expect_near(fl_trigamma(0.1), 101.43329915079275, 1e-12);
	expect_near(fl_trigamma(1), 1.6449340668482266, 1e-12);
	expect_near(fl_trigamma(2.5), 0.4903577561002349, 1e-12);
	expect_near(fl_trigamma(123), 0.00816321997459437, 1e-12);
	expect_near(fl_trigamma_inverse(0.01), 100.4991666819432, 1e-9);
	expect_near(fl_trigamma_inverse(1), 1.4262551202150787, 1e-9);
	expect_near(fl_trigamma_inverse(50), 0.14337981235286149, 1e-9);
}

static const double before[] = { 560, 571, 548, 555, 562 };
static const double after[] = { 610, 633, 601, 640 };

Test(welch, is_that_of_another_program)
{
	static const double few[] = { 3, 9, 4 };
	static const double more[] = { 12, 30, 18, 25, 40 };
	struct fl_estimate a = fl_estimate(before, 5);
	struct fl_estimate b = fl_estimate(after, 4);
	struct fl_welch w = fl_welch(&a, &b, 1);

	expect_near(w.difference, 61.8, 1e-12);
	expect_near(w.error, 10.00199980003999, 1e-12);
	expect_near(w.df, 4.019918839265491, 1e-12);
	expect_near(w.p, 0.0034288596880625802, 1e-9);
	a = fl_estimate(few, 3);
	b = fl_estimate(more, 5);
	w = fl_welch(&a, &b, 1);
	expect_near(w.df, 5.045607113745063, 1e-12);
	expect_near(w.p, 0.012469463861350673, 1e-9);
}

Test(welch, equal_means_without_variance_do_not_differ)
{
	static const double same[] = { 7, 7, 7 }, other[] = { 8, 8 };
	struct fl_estimate a = fl_estimate(same, 3), b = fl_estimate(same, 2);
	struct fl_estimate c = fl_estimate(other, 2);

	cr_expect_eq(fl_welch(&a, &b, 1).p, 1);
	cr_expect_eq(fl_welch(&a, &c, 1).p, 0);
}

Test(ratio, has_the_interval_in_which_the_test_does_not_reject)
{
	struct fl_estimate a = fl_estimate(before, 5);
	struct fl_estimate b = fl_estimate(after, 4);
	struct fl_estimate none = { .n = 5, .df = 4, .variance = 1 };
	double low, high;

	fl_ratio_interval(&a, &b, 0.95, &low, &high);
	expect_near(low, 1.0605046578023938, 1e-7);
	expect_near(high, 1.161318655771777, 1e-7);
	fl_ratio_interval(&none, &b, 0.95, &low, &high);
	cr_expect_eq(low, -HUGE_VAL);
	cr_expect_eq(high, HUGE_VAL);
}

Test(prior, is_fitted_by_the_moments_of_logarithms)
{
	static const double s2[] = { 1.2, 0.4, 3.1, 0.9, 15,
				     2.2, 0.7, 1.1, 6,	 0.3 };
	static const double alike[] = { 1, 1.1, 0.9, 1.05 };
	double variance, df;

	fl_variance_prior(s2, 10, 4, &variance, &df);
	expect_near(df, 3.30122559736411, 1e-7);
	expect_near(variance, 1.4181223175366535, 1e-7);
	fl_variance_prior(alike, 4, 4, &variance, &df);
	cr_expect_eq(df, HUGE_VAL);
	expect_near(variance, 1.3231930628155808, 1e-7);
	fl_variance_prior(s2, 0, 4, &variance, &df);
	cr_expect_eq(df, 0);
}

static void expect_found(const double *p, const double *weight, size_t n,
			 double rate, size_t wanted)
{
	bool found[32];
	size_t seen = 0;

	cr_assert(fl_false_discovery(p, weight, n, rate, found));
	for (size_t i = 0; i < n; i++)
		seen += found[i];
	cr_expect_eq(seen, wanted, "%zu", seen);
}

/* The table of Benjamini and Hochberg as textbooks print it. */
Test(false_discovery, finds_as_many_as_another_program)
{
	static const double p[] = {
		0.001, 0.008, 0.039, 0.041, 0.042, 0.06,  0.074, 0.205, 0.212,
		0.216, 0.222, 0.251, 0.269, 0.275, 0.34,  0.341, 0.384, 0.569,
		0.594, 0.696, 0.762, 0.94,  0.942, 0.975, 0.986,
	};
	double one[FL_COUNT(p)];

	for (size_t i = 0; i < FL_COUNT(p); i++)
		one[i] = 1;
	expect_found(p, one, FL_COUNT(p), 0.05, 1);
	expect_found(p, one, FL_COUNT(p), 0.25, 6);
	expect_found(p, one, 0, 0.05, 0);
}

Test(false_discovery, weights_give_more_of_the_errors_to_some)
{
	static const double p[] = { 0.004, 0.02, 0.03, 0.2, 0.9 };
	static const double one[] = { 1, 1, 1, 1, 1 };
	static const double weight[] = { 0.5, 3, 2, 0.1, 0.4 };
	static const double none[] = { 0, 0, 1, 1, 0 };
	bool found[5];

	expect_found(p, one, 5, 0.03, 1);
	expect_found(p, weight, 5, 0.03, 3);
	cr_assert(fl_false_discovery(p, none, 5, 0.05, found));
	cr_expect(!found[0] && !found[1]);
}
