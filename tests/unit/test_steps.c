/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Steps in series of runs, on series that are made by a generator: what was
 * planted is found, and where nothing was, next to nothing.
 */
#define FLAME_UNSTABLE
#include "flame.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

enum { RUNS = 100, ROWS = 40, STEP = 60, SERIES = 100 };

static uint64_t state;

static double uniform(void)
{
	state = state * 6364136223846793005u + 1442695040888963407u;
	return ((double)(state >> 11) + 0.5) / 9007199254740992.0;
}

static double gaussian(void)
{
	double radius = sqrt(-2 * log(uniform()));

	return radius * cos(2 * 3.14159265358979323846 * uniform());
}

/* Counts of samples: by chance, and 2 % between runs; row 0 has 10 %. */
static void make(double *weights, double change)
{
	for (size_t i = 0; i < ROWS; i++)
		for (size_t r = 0; r < RUNS; r++) {
			double mean = i ? 2340.0 / (ROWS - 1) : 260;

			mean *= (i || r < STEP ? 1 : change) *
				(1 + 0.02 * gaussian());
			mean += sqrt(mean) * gaussian();
			weights[i * RUNS + r] = mean > 0 ? floor(mean) : 0;
		}
}

struct seen {
	size_t steps, row[64], run[64];
	struct flame_step first;
};

static void found(void *arg, const struct flame_step *step)
{
	struct seen *seen = arg;

	if (!seen->steps)
		seen->first = *step;
	if (seen->steps < 64) {
		seen->row[seen->steps] = step->row;
		seen->run[seen->steps] = step->run;
	}
	seen->steps++;
}

static void find(const double *weights, size_t nrows, size_t nruns,
		 struct seen *seen)
{
	struct flame *flame = flame_new();

	memset(seen, 0, sizeof(*seen));
	cr_assert_eq(flame_find_steps(flame, weights, nrows, nruns, true, 0.05,
				      found, seen), FLAME_OK);
	flame_free(flame);
}

Test(steps, a_planted_one_is_named_at_its_run)
{
	static double weights[ROWS * RUNS];
	unsigned named = 0, within = 0;

	state = 1;
	for (int i = 0; i < SERIES; i++) {
		struct seen seen;

		make(weights, 1.1);
		find(weights, ROWS, RUNS, &seen);
		for (size_t k = 0; k < seen.steps && k < 64; k++)
			if (seen.row[k] == 0 && seen.run[k] + 3 >= STEP &&
			    seen.run[k] <= STEP + 3) {
				named++;
				within += seen.first.row == 0 &&
					  seen.first.low <= 1.1 &&
					  seen.first.high >= 1.1;
				break;
			}
	}
	cr_expect(named >= 90, "%u of %d", named, SERIES);
	cr_expect(within >= 85, "the change is in %u intervals", within);
}

Test(steps, without_one_next_to_nothing_is_named)
{
	static double weights[ROWS * RUNS];
	unsigned named = 0;

	state = 2;
	for (int i = 0; i < SERIES; i++) {
		struct seen seen;

		make(weights, 1);
		find(weights, ROWS, RUNS, &seen);
		named += seen.steps > 0;
	}
	cr_expect(named <= 5, "%u of %d", named, SERIES);
}

Test(steps, several_of_one_series_are_named)
{
	double weights[90];
	struct seen seen;

	for (size_t i = 0; i < 90; i++)
		weights[i] = (i < 30 ? 400 : i < 60 ? 600 : 500) +
			     (double)(i * 7 % 11) - 5;
	find(weights, 1, 90, &seen);
	cr_assert_eq(seen.steps, 2);
	cr_expect_eq(seen.run[0], 30);
	cr_expect_eq(seen.run[1], 60);
	cr_expect(fabs(seen.first.before - 400) < 2 &&
		  fabs(seen.first.after - 600) < 2);
}

Test(steps, constant_and_short_series_have_none)
{
	double weights[20] = { 0 };
	struct seen seen;

	find(weights, 1, 20, &seen);
	cr_expect_eq(seen.steps, 0);
	for (size_t i = 0; i < 20; i++)
		weights[i] = 1000;
	find(weights, 1, 20, &seen);
	cr_expect_eq(seen.steps, 0);
	weights[4] = 0;
	find(weights, 1, 5, &seen);
	cr_expect_eq(seen.steps, 0);
	find(weights, 0, 0, &seen);
	cr_expect_eq(seen.steps, 0);
}
