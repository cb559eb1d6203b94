/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Parses a frame's title in a picture into name, count and unit (fl_title_read,
 * for svg.c).  It is parsed from its end, since names may hold anything: "name
 * (1,234 samples, 5.67%)", with "; +0.12%" in comparisons; ours: "name (1,234
 * -> 1,250 samples, +16)".
 */
#include "fl.h"

#include "format/picture/picture.h"

enum { FARTHEST = 1024 };	/* bytes from the end, not of a name */

/* 1,234 or 1234.5, which is rounded; *at moves past it. */
static bool read_count(const char **at, const char *end, int64_t *n)
{
	const char *c = *at;
	int64_t v = 0;

	if (c == end || !fl_is_digit(*c))
		return false;
	for (; c < end && (fl_is_digit(*c) || *c == ','); c++) {
		if (*c == ',') {
			if (c + 1 == end || !fl_is_digit(c[1]))
				break;
			continue;
		}
		if (__builtin_mul_overflow(v, 10, &v) ||
		    __builtin_add_overflow(v, *c - '0', &v))
			return false;
	}
	if (c + 1 < end && *c == '.' && fl_is_digit(c[1])) {
		if (c[1] >= '5' && __builtin_add_overflow(v, 1, &v))
			return false;
		for (c++; c < end && fl_is_digit(*c); c++)
			;
	}
	*at = c;
	*n = v;
	return true;
}

/* The share or change that ends it: "5.67%", "5.67%; +0.12%", "+16, new" */
static bool is_share(struct slice text)
{
	if (!text.size)
		return false;
	return fl_is_digit(text.data[0]) || text.data[0] == '+' ||
	       text.data[0] == '-' || fl_slice_is(text, "new") ||
	       fl_slice_is(text, "gone");
}

static bool read_unit(const char *at, const char *end, struct slice *unit)
{
	for (const char *c = end; c-- > at;) {
		struct slice share = { c + 1, end - c - 1 };

		if (*c != ',' || share.size < 2 || *share.data != ' ')
			continue;
		share.data++;
		share.size--;
		if (!is_share(share))
			return false;
		*unit = (struct slice){ at, c - at };
		/* "+16, new": one more. */
		if (!fl_slice_is(share, "new") && !fl_slice_is(share, "gone"))
			return true;
		end = c;
	}
	return false;
}

static bool read_end(const char *at, const char *end, struct fl_title *title)
{
	if (!read_count(&at, end, &title->count))
		return false;
	if (end - at > 4 && memcmp(at, " -> ", 4) == 0) {
		at += 4;
		title->compares = true;
		if (!read_count(&at, end, &title->count))
			return false;
	}
	return at < end && *at == ' ' && read_unit(at + 1, end, &title->unit);
}

struct fl_title fl_title_read(struct slice text)
{
	const char *end = text.data + text.size;
	const char *from = text.size > FARTHEST ? end - FARTHEST : text.data;

	/* Pretty-printed XML has blanks around. */
	while (end > from && (end[-1] == ' ' || end[-1] == '\n'))
		end--;
	if (end > from && end[-1] == ')')
		for (const char *c = end - 1; c-- > from;) {
			struct fl_title title = { 0 };

			if (*c != '(' || !fl_is_digit(c[1]) ||
			    (c > text.data && c[-1] != ' '))
				continue;
			if (!read_end(c + 1, end - 1, &title))
				continue;
			c -= c > text.data;
			title.name = (struct slice){ text.data, c - text.data };
			return title;
		}
	return (struct fl_title){ .name = text, .count = -1 };
}

void fl_title_found(struct flame_source *source, struct slice text)
{
	static const char *const defaults[] = {
		"Flame graph", "Flame Graph", "Flame chart", "Flame Chart",
		"Icicle graph", "Icicle Graph", "CPU profile",
		"Wall clock profile", "Allocation profile", "Lock profile",
	};

	while (text.size && (*text.data == ' ' || *text.data == '\n')) {
		text.data++;
		text.size--;
	}
	while (text.size && (text.data[text.size - 1] == ' ' ||
			     text.data[text.size - 1] == '\n'))
		text.size--;
	for (size_t i = 0; i < FL_COUNT(defaults); i++)
		if (fl_slice_is(text, defaults[i]))
			return;
	/* A page of several metrics has one for all of them. */
	for (size_t i = 0; i < source->nfacts; i++)
		if (strcmp(source->facts[i].key, "title") == 0)
			return;
	if (text.size)
		fl_fact(source, "title", "%.*s",
			(int)FL_MIN(text.size, (size_t)1024), text.data);
}

bool fl_decimal(struct slice text, double *d, unsigned *decimals)
{
	uint64_t n = 0;
	double scale = 1;
	bool dot = false, any = false;

	*decimals = 0;
	if (text.size && text.data[text.size - 1] == '%')
		text.size--;
	for (size_t i = 0; i < text.size; i++) {
		char c = text.data[i];

		if (c == '.' && !dot) {
			dot = true;
			continue;
		}
		if (!fl_is_digit(c))
			return false;
		any = true;
		if (n >= 100000000000000000) {	/* 10^17 */
			if (dot)
				continue;
			return false;
		}
		n = 10 * n + (c - '0');
		if (dot) {
			++*decimals;
			scale *= 10;
		}
	}
	*d = n / scale;
	return any;
}
