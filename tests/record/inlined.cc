/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Spends its time in functions that are inlined: methods, templates, lambdas.
 * Prints the share of the first of two.
 *
 *	inlined SECONDS
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define INLINE inline __attribute__((always_inline))

static double now()
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return t.tv_sec + t.tv_nsec / 1e9;
}

namespace app {

volatile unsigned long sink;
double spent[2];

template <class F> INLINE unsigned long repeat(long n, F f)
{
	unsigned long x = 1;

	for (long i = 0; i < n; i++)
		x = f(x, i);
	return x;
}

struct Work {
	INLINE void first(long n)
	{
		sink += repeat(n, [](unsigned long x, long i) {
			return x * 2862933555777941757ul + i;
		});
	}
	INLINE void second(long n)
	{
		sink += repeat(n, [](unsigned long x, long i) {
			return x * 3202034522624059733ul - i;
		});
	}
};

__attribute__((noinline)) void turn(Work &work)
{
	double a = now();

	work.first(300000);
	double b = now();
	work.second(700000);
	double c = now();
	spent[0] += b - a;
	spent[1] += c - b;
}

}

int main(int argc, char **argv)
{
	double seconds = argc > 1 ? atof(argv[1]) : 1;
	double begin = now();
	app::Work work;

	while (now() - begin < seconds)
		app::turn(work);
	printf("%.4f\n", app::spent[0] / (app::spent[0] + app::spent[1]));
}
