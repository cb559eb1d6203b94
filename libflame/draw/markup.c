/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Shared by the writers of pages, pictures and text: escapes text for XML and
 * HTML, and writes counts, shares and coordinates in a form that does not
 * depend on the locale.
 */
#include "base/block.h"
#include "draw/draw.h"

#include <stdlib.h>

#define REPLACEMENT "\xef\xbf\xbd"

/* The length of a character that is not escaped at text[0..n), or 0. */
static unsigned plain_length(const char *text, size_t n)
{
	uint8_t c = *text;

	if (c >= 0x80) {
		unsigned length = fl_utf8_length(text, n);

		/* U+FFFE and U+FFFF; the controls U+0080 to U+009F. */
		if (length == 3 && memcmp(text, "\xef\xbf", 2) == 0 &&
		    (uint8_t)text[2] >= 0xbe)
			return 0;
		return length == 2 && c == 0xc2 && (uint8_t)text[1] < 0xa0 ?
			0 : length;
	}
	return c >= ' ' && c != 0x7f && c != '&' && c != '<' && c != '>' &&
	       c != '"' && c != '\'';
}

static const char *escape_of(char c)
{
	switch (c) {
	case '&':
		return "&amp;";
	case '<':
		return "&lt;";
	case '>':
		return "&gt;";
	case '"':
		return "&quot;";
	case '\'':
		return "&#39;";
	case '\t':
	case '\n':
	case '\r':
		return " ";
	}
	return REPLACEMENT;
}

/* ASCII that is never escaped. */
static const bool unescaped[256] = {
	['#' ... '%'] = true, ['(' ... ';'] = true, ['='] = true,
	['?' ... '~'] = true,
};

bool fl_needs_no_escape(struct slice text)
{
	size_t i = 0;

	if (text.size < FL_BLOCK_SIZE) {
		while (i < text.size && unescaped[(uint8_t)text.data[i]])
			i++;
		return i == text.size;
	}
	/* The last block may overlap the one before. */
	for (; i < text.size - FL_BLOCK_SIZE; i += FL_BLOCK_SIZE)
		if (fl_block_usual(text.data + i) != FL_BLOCK_ALL)
			return false;
	return fl_block_usual(text.data + text.size - FL_BLOCK_SIZE) ==
	       FL_BLOCK_ALL;
}

void fl_put_escaped(struct fl_out *out, struct slice text, size_t max)
{
	size_t end = FL_MIN(text.size, max), from = 0, i = 0;

	if (fl_likely(text.size <= max && fl_needs_no_escape(text))) {
		fl_out_put(out, text.data, text.size);
		return;
	}
	for (;;) {
		unsigned n;

		while (i < end && unescaped[(uint8_t)text.data[i]])
			i++;
		if (i >= end)
			break;
		n = plain_length(text.data + i, text.size - i);
		if (n) {
			i += n;
			continue;
		}
		if (i > from)
			fl_out_put(out, text.data + from, i - from);
		fl_out_text(out, escape_of(text.data[i]));
		from = ++i;
	}
	if (i > from)
		fl_out_put(out, text.data + from, i - from);
	if (i < text.size)
		fl_out_text(out, "…");
}

void fl_put_string(struct fl_out *out, const char *text)
{
	fl_put_escaped(out, (struct slice){ text, strlen(text) }, SIZE_MAX);
}

size_t fl_format_count(char text[32], int64_t n, bool sign)
{
	char digits[24];
	uint64_t absolute = n < 0 ? -(uint64_t)n : (uint64_t)n;
	unsigned size = fl_format_u64(digits, absolute);
	size_t used = 0;

	if (n < 0 || sign)
		text[used++] = n < 0 ? '-' : '+';
	for (unsigned i = 0; i < size; i++) {
		if (i && (size - i) % 3 == 0)
			text[used++] = ',';
		text[used++] = digits[i];
	}
	return used;
}

char *fl_fill_count(char *to, int64_t n)
{
	return n >= 0 && n < 1000 ? to + fl_format_u64(to, (uint64_t)n) :
				    to + fl_format_count(to, n, false);
}

void fl_put_count(struct fl_out *out, int64_t n)
{
	char text[32];

	fl_out_put(out, text, fl_format_count(text, n, false));
}

void fl_put_change(struct fl_out *out, int64_t n)
{
	char text[32];

	fl_out_put(out, text, fl_format_count(text, n, true));
}

static char *fill_fraction(char *to, uint64_t n, unsigned unit)
{
	to += fl_format_u64(to, n / unit);
	*to++ = '.';
	for (n %= unit, unit /= 10; unit; unit /= 10) {
		*to++ = '0' + n / unit;
		n %= unit;
	}
	return to;
}

static void put_fraction(struct fl_out *out, uint64_t n, unsigned unit)
{
	char text[32];

	fl_out_put(out, text, fill_fraction(text, n, unit) - text);
}

char *fl_fill_share(char *to, int64_t part, int64_t whole)
{
	double share = whole > 0 && part > 0 ? (double)part / whole : 0;

	to = fill_fraction(to, (uint64_t)(share * 10000 + 0.5), 100);
	*to++ = '%';
	return to;
}

void fl_put_share(struct fl_out *out, int64_t part, int64_t whole)
{
	char text[32];

	fl_out_put(out, text, fl_fill_share(text, part, whole) - text);
}

void fl_put_digits(struct fl_out *out, double n)
{
	char text[24];
	unsigned unit = 1;

	for (; n * unit < 100 && unit < 1000000000;)
		unit *= 10;
	if (unit > 1)
		put_fraction(out, (uint64_t)(n * unit + 0.5), unit);
	else
		fl_out_put(out, text, fl_format_u64(text,
				(uint64_t)fl_int64(n + 0.5)));
}

void fl_put_coord(struct fl_out *out, double pixels)
{
	int64_t n = fl_int64(pixels * 10 + (pixels < 0 ? -0.5 : 0.5));
	uint64_t tenths = n < 0 ? -(uint64_t)n : (uint64_t)n;
	char text[24];

	if (n < 0)
		fl_out_put(out, "-", 1);
	if (tenths % 10)
		put_fraction(out, tenths, 10);
	else
		fl_out_put(out, text, fl_format_u64(text, tenths / 10));
}

struct slice fl_node_name(const struct fl_page *page,
			  const struct fl_layout *layout, uint32_t node)
{
	if (!node)
		return FL_SLICE("all");
	return fl_name_at(page->tree->flame, layout->name[node]);
}
