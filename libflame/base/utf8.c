/* SPDX-License-Identifier: Apache-2.0 */
/*
 * UTF-8: tests of well-formedness (fl_utf8_length; Unicode, table 3-7),
 * encoding of code points (fl_utf8_put), replacement of other bytes
 * (fl_utf8_clean), and text that is safe for a terminal (fl_show,
 * flame_visible).
 */
#include "fl.h"

#include <inttypes.h>
#include <stdio.h>

size_t fl_ascii(const char *at, size_t size)
{
	size_t n = 0;
	uint64_t word;

	for (; n + sizeof(word) <= size; n += sizeof(word)) {
		memcpy(&word, at + n, sizeof(word));
		if (word & 0x8080808080808080u)
			break;
	}
	return n;
}

static inline bool is_continuation(unsigned char c)
{
	return (c & 0xc0) == 0x80;
}

/* Bounds of the second byte rule out overlong forms and surrogates. */
static bool second_fits(unsigned char first, unsigned char second)
{
	switch (first) {
	case 0xe0:
		return second >= 0xa0;
	case 0xed:
		return second < 0xa0;
	case 0xf0:
		return second >= 0x90;
	case 0xf4:
		return second < 0x90;
	default:
		return true;
	}
}

unsigned fl_utf8_length(const char *at, size_t n)
{
	const unsigned char *u = (const unsigned char *)at;
	unsigned length, i;

	if (n == 0)
		return 0;
	if (u[0] < 0x80)
		return 1;
	if (u[0] < 0xc2 || u[0] > 0xf4)
		return 0;
	length = u[0] < 0xe0 ? 2 : u[0] < 0xf0 ? 3 : 4;
	if (n < length || !second_fits(u[0], u[1]))
		return 0;
	for (i = 1; i < length; i++)
		if (!is_continuation(u[i]))
			return 0;
	return length;
}

bool fl_clean(char *text)
{
	unsigned char *u = (unsigned char *)text;
	bool any = false;

	for (; *u; u++) {
		bool c1 = u[0] == 0xc2 && u[1] >= 0x80 && u[1] < 0xa0;

		if (u[0] >= 0x20 && u[0] != 0x7f && !c1)
			continue;
		any = true;
		u[0] = '?';
		if (c1)
			*++u = '?';
	}
	return any;
}

struct range {
	uint32_t first, last;
};

/*
 * Characters that are invisible or change how others are shown: C1 controls,
 * soft hyphens, direction marks, zero-width characters, line separators, tags,
 * fillers.
 */
static bool is_hidden(uint32_t c)
{
	static const struct range hidden[] = {
		{ 0x80, 0x9f }, { 0xad, 0xad }, { 0x34f, 0x34f },
		{ 0x61c, 0x61c }, { 0x115f, 0x1160 }, { 0x17b4, 0x17b5 },
		{ 0x180e, 0x180e }, { 0x200b, 0x200f }, { 0x2028, 0x202e },
		{ 0x2060, 0x206f }, { 0x3164, 0x3164 }, { 0xfeff, 0xfeff },
		{ 0xffa0, 0xffa0 }, { 0xfff0, 0xfffb },
		{ 0x1bca0, 0x1bca3 }, { 0x1d173, 0x1d17a },
		{ 0xe0000, 0xe0fff },
	};

	for (size_t i = 0; i < FL_COUNT(hidden) && c >= hidden[i].first; i++)
		if (c <= hidden[i].last)
			return true;
	return false;
}

uint32_t fl_utf8_code(const char *at, unsigned n)
{
	uint32_t c = (uint8_t)at[0];

	if (n > 1)
		c &= 0x7f >> n;
	for (unsigned i = 1; i < n; i++)
		c = c << 6 | ((uint8_t)at[i] & 0x3f);
	return c;
}

unsigned fl_show(const char *at, size_t n, char control,
		 struct fl_shown *shown)
{
	unsigned length = fl_utf8_length(at, n);
	uint32_t c = length ? fl_utf8_code(at, length) : 0;

	shown->text.data = at;
	shown->text.size = length;
	if (c < 0x20 || c == 0x7f) {
		shown->bytes[0] = length ? control : '?';
		shown->text.size = 1;
		shown->text.data = shown->bytes;
	} else if (is_hidden(c)) {
		shown->text.size = (size_t)snprintf(shown->bytes,
						    sizeof(shown->bytes),
						    "<U+%04" PRIX32 ">", c);
		shown->text.data = shown->bytes;
	}
	return length ? length : 1;
}

static size_t show_all(char *to, size_t capacity, struct slice text,
		       char control)
{
	struct fl_shown shown;
	size_t size = 0, end = 0;

	for (size_t i = 0; i < text.size; size += shown.text.size) {
		i += fl_show(text.data + i, text.size - i, control, &shown);
		/* Cut between characters. */
		if (end == size && size + shown.text.size < capacity) {
			memcpy(to + size, shown.text.data, shown.text.size);
			end = size + shown.text.size;
		}
	}
	if (capacity)
		to[end] = '\0';
	return size;
}

void fl_show_line(char *to, size_t capacity, const char *line)
{
	show_all(to, capacity, (struct slice){ line, strlen(line) }, '?');
}

size_t flame_visible(char *to, size_t capacity, const char *text, size_t size)
{
	return show_all(to, capacity, (struct slice){ text, size }, ' ');
}

bool fl_is_formula(struct slice text)
{
	size_t blanks = 0;	/* spreadsheets pass over them */

	while (blanks < text.size && (unsigned char)text.data[blanks] <= ' ')
		blanks++;
	return blanks < text.size && memchr("=+-@", text.data[blanks], 4);
}

size_t flame_tsv_cell(char *to, size_t capacity, const char *text, size_t size)
{
	bool mark = fl_is_formula((struct slice){ text, size });
	bool fits = mark && capacity > 1;

	if (fits)
		to[0] = '\'';
	return mark + flame_visible(to + fits, capacity - fits, text, size);
}

void fl_utf8_put(struct fl_buf *buf, uint32_t code)
{
	static const unsigned char lead[] = { 0, 0, 0xc0, 0xe0, 0xf0 };
	char out[4];
	unsigned length, i;

	if (code > 0x10ffff || (code >= 0xd800 && code < 0xe000))
		code = 0xfffd;
	length = code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
	for (i = length - 1; i > 0; i--) {
		out[i] = (char)(0x80 | (code & 0x3f));
		code >>= 6;
	}
	out[0] = (char)(length == 1 ? code : lead[length] | code);
	fl_buf_put(buf, out, length);
}

void fl_utf8_clean(struct fl_buf *buf, struct slice text)
{
	size_t from = 0;

	for (size_t i = 0; i < text.size;) {
		unsigned n = fl_utf8_length(text.data + i, text.size - i);

		if (n) {
			i += n;
			continue;
		}
		fl_buf_put(buf, text.data + from, i - from);
		fl_buf_text(buf, "\xef\xbf\xbd");
		from = ++i;
	}
	fl_buf_put(buf, text.data + from, text.size - from);
}
