/* SPDX-License-Identifier: Apache-2.0 */
/*
 * UTF-8: what is well-formed (Unicode, table 3-7), and putting code points.
 */
#include "fl.h"

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

static inline bool is_tail(unsigned char c)
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
		if (!is_tail(u[i]))
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
