/* SPDX-License-Identifier: Apache-2.0 */
/* Sorts and hashes lines that it makes; a program to record. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LINES = 200000 };
static char lines[LINES][24], *sorted[LINES];

static __attribute__((noinline)) int by_text(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static __attribute__((noinline)) uint32_t hash(const char *s)
{
	uint32_t h = 2166136261u;

	for (; *s; s++)
		h = (h ^ (uint8_t)*s) * 16777619;
	return h;
}

static __attribute__((noinline)) void make(uint32_t seed)
{
	for (int i = 0; i < LINES; i++) {
		seed = seed * 1664525 + 1013904223;
		snprintf(lines[i], sizeof(lines[i]), "%08x line", seed);
		sorted[i] = lines[i];
	}
}

static __attribute__((noinline)) uint32_t job(uint32_t seed)
{
	uint32_t sum = 0;

	make(seed);
	for (int k = 0; k < 4; k++)
		for (int i = 0; i < LINES; i++)
			sum += hash(lines[i]);
	qsort(sorted, LINES, sizeof(*sorted), by_text);
	return sum;
}

int main(void)
{
	uint32_t sum = 0;

	for (uint32_t i = 0; i < 20; i++)
		sum += job(i);
	return sum == 1;
}
