/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ready SECONDS THREADS: threads that work on one CPU.  Prints the CPU time of
 * all, and their time by the clock.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { MAX_THREADS = 64 };

static double seconds;
static volatile unsigned long sink;

static double now(int clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static void *ready(void *cpu)
{
	double begin = now(CLOCK_MONOTONIC);

	while (now(CLOCK_MONOTONIC) - begin < seconds)
		for (int i = 0; i < 10000; i++)
			sink = sink * 3 + 1;
	*(double *)cpu = now(CLOCK_THREAD_CPUTIME_ID);
	return NULL;
}

int main(int argc, char **argv)
{
	int n = argc > 2 ? atoi(argv[2]) : 4;
	double cpu[MAX_THREADS] = { 0 }, sum = 0, begin;
	pthread_t threads[MAX_THREADS];
	cpu_set_t cpus;

	seconds = argc > 1 ? atof(argv[1]) : 1;
	CPU_ZERO(&cpus);
	CPU_SET(sched_getcpu(), &cpus);
	if (n < 1 || n > MAX_THREADS ||
	    sched_setaffinity(0, sizeof(cpus), &cpus) != 0)
		return 1;
	begin = now(CLOCK_MONOTONIC);
	for (int i = 0; i < n; i++)
		if (pthread_create(&threads[i], NULL, ready, &cpu[i]))
			return 1;
	for (int i = 0; i < n; i++) {
		pthread_join(threads[i], NULL);
		sum += cpu[i];
	}
	printf("%f %f\n", sum, n * (now(CLOCK_MONOTONIC) - begin));
	return 0;
}
