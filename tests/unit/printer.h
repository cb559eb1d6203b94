/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Text that is printed by chance, the same for the same state.
 */
#ifndef PRINTER_H
#define PRINTER_H

#include <criterion/criterion.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

enum { TEXT_SIZE = 16 << 10 };

static uint32_t state;

static uint32_t random_below(uint32_t n)
{
	state = state * 1664525 + 1013904223;
	return (uint32_t)((uint64_t)(state >> 8) * n >> 24);
}

struct text {
	char at[TEXT_SIZE];
	size_t n;
	bool crlf;
};

static void put(struct text *t, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

static void put(struct text *t, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	t->n += (size_t)vsnprintf(t->at + t->n, TEXT_SIZE - t->n, format,
				  args);
	va_end(args);
	cr_assert(t->n < TEXT_SIZE);
}

#endif
