/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Spends nearly all of its CPU time in functions of libc, called by four of its
 * own, and prints what it measured: "SECONDS SORTS COPIES ALLOCS PRINTS".
 *
 *	inlibc SECONDS
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define PART static __attribute__((noinline, noclone)) void

static volatile size_t sink;
static double spent[4];

static double cpu(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static int by_value(const void *a, const void *b)
{
	return *(const int *)a - *(const int *)b;
}

PART sorts(void)
{
	static int data[20000];

	for (int i = 0; i < 20000; i++)
		data[i] = i * 7919 % 20011;
	qsort(data, 20000, sizeof(*data), by_value);
	sink += (size_t)data[5];
}

PART copies(void)
{
	static char from[100000], to[100000];

	for (int i = 0; i < 1000; i++) {
		memcpy(to, from, sizeof(to));
		from[i] = (char)(to[i + 1] + 1);
	}
	sink += strlen(to);
}

PART allocs(void)
{
	void *parts[1000];

	for (int i = 0; i < 20000; i++) {
		if (i >= 1000)
			free(parts[i % 1000]);
		parts[i % 1000] = malloc((size_t)(i * 7 % 500 + 1));
	}
	for (int i = 0; i < 1000; i++)
		free(parts[i]);
	sink += sizeof(parts);
}

PART prints(void)
{
	char text[200];

	for (int i = 0; i < 10000; i++)
		sink += (size_t)snprintf(text, sizeof(text), "%d %s %f", i,
					 "abc", i / 3.0);
	sink += (size_t)text[0];
}

int main(int argc, char **argv)
{
	double seconds = argc > 1 ? atof(argv[1]) : 1, begin = cpu(), all = 0;
	void (*const parts[])(void) = { sorts, copies, allocs, prints };

	while (cpu() - begin < seconds)
		for (int i = 0; i < 4; i++) {
			double at = cpu();

			parts[i]();
			spent[i] += cpu() - at;
		}
	for (int i = 0; i < 4; i++)
		all += spent[i];
	printf("%.3f %.4f %.4f %.4f %.4f\n", all, spent[0] / all,
	       spent[1] / all, spent[2] / all, spent[3] / all);
	return 0;
}
