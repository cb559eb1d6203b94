/* SPDX-License-Identifier: Apache-2.0 */
/* short THREADS: threads, one after the other, that work for 5 ms each. */
#include <pthread.h>
#include <stdlib.h>
#include <time.h>

static volatile unsigned long sink;

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static void *work(void *arg)
{
	double begin = now();

	while (now() - begin < 0.005)
		/* Long enough that the call of the clock costs little. */
		for (int i = 0; i < 50000; i++)
			sink = sink * 3 + 1;
	return arg;
}

int main(int argc, char **argv)
{
	pthread_t thread;

	for (int i = argc > 1 ? atoi(argv[1]) : 100; i; i--)
		if (pthread_create(&thread, NULL, work, NULL) ||
		    pthread_join(thread, NULL))
			return 1;
	return 0;
}
