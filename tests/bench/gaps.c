/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Two threads that spend 10, 20, 30 and 40 % of their time in four functions,
 * and watch the CPU's time stamps for moments in which they did not run.  For
 * each SIGUSR1 it prints, of the gaps between 2 and 1000 microseconds since the
 * last, "COUNT P50 P99" in microseconds, and how many a second.  Longer gaps are
 * other programs'.  SIGTERM ends it.
 */
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <x86intrin.h>

enum { MAX_GAPS = 1 << 20 };

static double ticks_per_us;
static uint64_t least, most;
static float gaps[MAX_GAPS];
static unsigned ngaps;
static volatile unsigned long sink;
static volatile sig_atomic_t asked, ended;

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

#define BURNER(name, constant) \
	static __attribute__((noinline, noclone)) void name(long n) \
	{ \
		uint64_t last = __rdtsc(), t; \
		for (long i = 0; i < n; i++) { \
			for (int k = 0; k < 20; k++) \
				sink = sink * 2862933555777941757ul + (constant); \
			t = __rdtsc(); \
			if (t - last > least && t - last < most) \
				gaps[__sync_fetch_and_add(&ngaps, 1) % \
				     MAX_GAPS] = \
					(float)((double)(t - last) / \
						ticks_per_us); \
			last = t; \
		} \
	}

BURNER(burn_ten, 10)
BURNER(burn_twenty, 20)
BURNER(burn_thirty, 30)
BURNER(burn_forty, 40)

static __attribute__((noinline, noclone)) void turn(void)
{
	burn_ten(5000);
	burn_twenty(10000);
	burn_thirty(15000);
	burn_forty(20000);
}

static void *burn(void *arg)
{
	for (;;)
		turn();
	return arg;
}

static int by_size(const void *a, const void *b)
{
	float x = *(const float *)a, y = *(const float *)b;

	return (x > y) - (x < y);
}

static void on_signal(int number)
{
	asked = 1;
	ended = number == SIGTERM;
}

static void report(double seconds)
{
	static float sorted[MAX_GAPS];
	unsigned n = ngaps < MAX_GAPS ? ngaps : MAX_GAPS;

	memcpy(sorted, gaps, n * sizeof(*sorted));
	ngaps = 0;
	qsort(sorted, n, sizeof(*sorted), by_size);
	printf("%u %.1f %.1f %.0f\n", n, n ? (double)sorted[n / 2] : 0,
	       n ? (double)sorted[(uint64_t)n * 99 / 100] : 0, n / seconds);
	fflush(stdout);
}

int main(void)
{
	double begin = now();
	uint64_t t = __rdtsc();
	pthread_t thread;

	signal(SIGUSR1, on_signal);
	signal(SIGTERM, on_signal);
	while (now() - begin < 0.2)
		;
	ticks_per_us = (double)(__rdtsc() - t) / (now() - begin) / 1e6;
	least = (uint64_t)(2 * ticks_per_us);
	most = (uint64_t)(1000 * ticks_per_us);
	for (int i = 0; i < 2; i++)
		if (pthread_create(&thread, NULL, burn, NULL))
			return 1;
	for (begin = now(); !ended; begin = now()) {
		while (!asked)
			usleep(1000);
		asked = 0;
		report(now() - begin);
	}
	exit(0);
}
