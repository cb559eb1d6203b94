/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Spends 10, 20, 30 and 40 % of its CPU time in four functions, and prints what
 * it measured: "SECONDS TEN TWENTY THIRTY FORTY".  SECONDS are without stolen
 * time, in which a timer has no ticks, but which a thread's clock counts.
 *
 *	burn SECONDS [fork N | thread | threads N | exec PROGRAM]
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static volatile unsigned long sink;
static double spent[4];

static double cpu(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

#define BURNER(name, constant) \
	static __attribute__((noinline, noclone)) void name(long n) \
	{ \
		for (long i = 0; i < n; i++) \
			sink = sink * 2862933555777941757ul + (constant); \
	}

BURNER(burn_ten, 10)
BURNER(burn_twenty, 20)
BURNER(burn_thirty, 30)
BURNER(burn_forty, 40)

/* /proc/stat: user, nice, system, idle, iowait, irq, softirq, steal. */
static void read_ticks(double ticks[8])
{
	FILE *f = fopen("/proc/stat", "r");

	memset(ticks, 0, 8 * sizeof(*ticks));
	if (!f || fscanf(f, "cpu %lf %lf %lf %lf %lf %lf %lf %lf", &ticks[0],
	                 &ticks[1], &ticks[2], &ticks[3], &ticks[4], &ticks[5],
	                 &ticks[6], &ticks[7]) < 8)
		ticks[7] = 0;
	if (f)
		fclose(f);
}

/* The share of the busy CPUs' time since @then that was not stolen. */
static double left(const double then[8])
{
	double now[8], busy = 0;

	read_ticks(now);
	for (int i = 0; i < 8; i++)
		busy += i == 3 || i == 4 ? 0 : now[i] - then[i];
	return busy > 0 ? 1 - (now[7] - then[7]) / busy : 1;
}

/*
 * Turns last 0.5 to 1.5 times as long as the mean: where all are as long as some
 * periods of the sampler, each sample is of the same function.
 */
static __attribute__((noinline, noclone)) void turn(void)
{
	static __thread unsigned seed;
	double t[5];
	long n;

	seed = seed * 1103515245 + 12345;
	n = 50000 + (seed >> 8) % 100000;
	t[0] = cpu();
	burn_ten(n);
	t[1] = cpu();
	burn_twenty(2 * n);
	t[2] = cpu();
	burn_thirty(3 * n);
	t[3] = cpu();
	burn_forty(4 * n);
	t[4] = cpu();
	for (int i = 0; i < 4; i++)
		spent[i] += t[i + 1] - t[i];
}

static void *burn(void *seconds)
{
	double begin = cpu();

	while (cpu() - begin < *(double *)seconds)
		turn();
	return NULL;
}

int main(int argc, char **argv)
{
	double seconds = argc > 1 ? atof(argv[1]) : 1, begin = cpu(), all;
	const char *how = argc > 2 ? argv[2] : "";
	double ticks[8];
	pthread_t thread;

	read_ticks(ticks);
	if (strcmp(how, "fork") == 0) {
		int n = atoi(argv[3]);

		for (int i = 0; i < n; i++)
			if (fork() == 0) {
				burn(&seconds);
				_exit(0);
			}
		while (wait(NULL) > 0)
			;
		return 0;
	}
	if (strcmp(how, "threads") == 0) {
		int n = atoi(argv[3]);
		pthread_t *threads = calloc((size_t)n + 1, sizeof(*threads));

		if (!threads)
			return 1;
		for (int i = 0; i < n; i++)
			if (pthread_create(&threads[i], NULL, burn, &seconds))
				return 1;
		for (int i = 0; i < n; i++)
			pthread_join(threads[i], NULL);
		free(threads);
		return 0;
	}
	if (strcmp(how, "exec") == 0) {
		burn(&seconds);
		execl(argv[3], argv[3], argv[1], (char *)NULL);
		return 1;
	}
	if (strcmp(how, "thread") == 0) {
		pthread_create(&thread, NULL, burn, &seconds);
		pthread_join(thread, NULL);
		return 0;
	}
	burn(&seconds);
	all = cpu() - begin;
	printf("%.3f %.4f %.4f %.4f %.4f\n", all * left(ticks), spent[0] / all,
	       spent[1] / all, spent[2] / all, spent[3] / all);
	return 0;
}
