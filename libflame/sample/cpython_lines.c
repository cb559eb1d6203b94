/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fl_cpython_line() finds the line of an instruction in the table of lines of a
 * code object, for cpython_code.c.  Up to 3.10 the table has pairs of steps,
 * from 3.11 on entries of several bytes.
 */
#include "fl.h"

#include "sample/cpython.h"

struct table {
	const uint8_t *at, *end;
};

/* Pairs of steps: of the index, and of the line (-128: 3.10 has none). */
static int64_t find_in_pairs(struct table t, int64_t line, int64_t index,
			     bool ranges)
{
	const int none = -128;
	int64_t at = 0, found = line;

	for (; t.end - t.at >= 2; t.at += 2) {
		int step = (int8_t)t.at[1];

		/* 3.10's are of the range that they end. */
		if (ranges && step != none)
			line += step;
		at += t.at[0];
		if (ranges && at > index)
			return step == none ? 0 : line;
		if (!ranges && at > index)
			return found;
		if (!ranges)
			line += step;
		found = line;
	}
	return ranges ? 0 : found;
}

/* Six bits a byte, the lowest first; the next bit says that more follow. */
static uint64_t take_number(struct table *t)
{
	uint64_t n = 0;
	uint8_t byte;

	for (unsigned shift = 0; t->at < t->end && shift < 60; shift += 6) {
		byte = *t->at++;
		n |= (uint64_t)(byte & 63) << shift;
		if (!(byte & 64))
			break;
	}
	return n;
}

static int64_t take_signed(struct table *t)
{
	uint64_t n = take_number(t);

	return n & 1 ? -(int64_t)(n >> 1) : (int64_t)(n >> 1);
}

/* From 3.11 on: a byte with its highest bit set begins an entry. */
static int64_t find_in_entries(struct table t, int64_t line, int64_t index)
{
	enum { ONE_LINE = 10, NO_COLUMNS = 13, LONG = 14, NONE = 15 };
	int64_t at = 0;

	while (t.at < t.end) {
		uint8_t first = *t.at++;
		unsigned code = first >> 3 & 15;

		if (code == NO_COLUMNS || code == LONG)
			line += take_signed(&t);
		else if (code >= ONE_LINE && code < NO_COLUMNS)
			line += code - ONE_LINE;
		at += (first & 7) + 1;
		if (at > index)
			return code == NONE ? 0 : line;
		while (t.at < t.end && !(*t.at & 128))
			t.at++;
	}
	return 0;
}

uint32_t fl_cpython_line(unsigned minor, const uint8_t *table, size_t size,
			 int32_t first, int64_t index)
{
	struct table t = { table, table + size };
	int64_t line;

	/* It has not begun. */
	if (index < 0)
		line = first;
	else if (minor >= 11)
		line = find_in_entries(t, first, index);
	else if (minor == 10)
		line = find_in_pairs(t, first, index * 2, true);
	else
		line = find_in_pairs(t, first, index, false);
	return line > 0 && line <= INT32_MAX ? (uint32_t)line : 0;
}
