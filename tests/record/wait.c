/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Waits in three ways and burns in a fourth, in turn, and prints the
 * seconds of each: "SLEEP POLL COND BURN".  A second thread burns all the time
 * and a third waits all the time.
 *
 *	wait SECONDS [THREADS]
 *
 * THREADS more threads only wait.
 */
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#define FUNCTION static __attribute__((noinline, noclone))

static volatile int ends;
static volatile unsigned long sink;
static int tube[2];

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

FUNCTION void wait_sleep(void)
{
	struct timespec t = { 0, 20000000 };

	nanosleep(&t, NULL);
	sink++;
}

FUNCTION void wait_poll(void)
{
	poll(NULL, 0, 40);
	sink++;
}

FUNCTION void wait_cond(void)
{
	static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
	static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
	struct timespec t;

	clock_gettime(CLOCK_REALTIME, &t);
	t.tv_nsec += 60000000;
	if (t.tv_nsec >= 1000000000) {
		t.tv_nsec -= 1000000000;
		t.tv_sec++;
	}
	pthread_mutex_lock(&mutex);
	while (pthread_cond_timedwait(&cond, &mutex, &t) == 0)
		;
	pthread_mutex_unlock(&mutex);
	sink++;
}

FUNCTION void wait_not(double seconds)
{
	double begin = now();

	while (now() - begin < seconds)
		for (int i = 0; i < 10000; i++)
			sink = sink * 3 + 1;
}

static void *burner(void *arg)
{
	while (!ends)
		wait_not(0.01);
	return arg;
}

FUNCTION void wait_pipe(void)
{
	char byte;

	while (read(tube[0], &byte, 1) < 0)
		;
	sink++;
}

static void *waiter(void *arg)
{
	wait_pipe();
	return arg;
}

int main(int argc, char **argv)
{
	double end = now() + (argc > 1 ? atof(argv[1]) : 1), spent[4] = { 0 };
	int threads = argc > 2 ? atoi(argv[2]) : 0;
	pthread_t thread;

	if (pipe(tube) != 0)
		return 1;
	for (int i = 0; i < 2 + threads; i++)
		if (pthread_create(&thread, NULL, i ? waiter : burner, NULL))
			return 1;
	while (now() < end) {
		double t[5];

		t[0] = now();
		wait_sleep();
		t[1] = now();
		wait_poll();
		t[2] = now();
		wait_cond();
		t[3] = now();
		wait_not(0.08);
		t[4] = now();
		for (int i = 0; i < 4; i++)
			spent[i] += t[i + 1] - t[i];
	}
	printf("%.4f %.4f %.4f %.4f\n", spent[0], spent[1], spent[2], spent[3]);
	return 0;
}
