/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Counts of folded stacks, whole or not, and the words of a line.
 */
#include "fl.h"

#include "format/folded/folded.h"

#define ONE ((fl_wide)1000000000000000000)	/* 10^18 parts */

enum { PLACES = 18, DIGITS = 36 };	/* what 10^18 parts can hold */

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

struct decimal {
	fl_wide digits;
	unsigned n;		/* of digits, without leading zeros */
	int exponent;
	bool any;
};

static void take_digit(struct decimal *d, char c, bool fraction)
{
	d->any = true;
	if (d->n == DIGITS) {
		d->exponent += !fraction;
		return;
	}
	d->digits = 10 * d->digits + (c - '0');
	d->n += d->digits != 0;
	d->exponent -= fraction;
}

/* e3, E-3: false where no digit follows. */
static bool take_exponent(const char *at, const char *end, struct decimal *d)
{
	bool negative = at < end && *at == '-';
	int n = 0;

	at += at < end && (*at == '-' || *at == '+');
	if (at == end)
		return false;
	for (; at < end; at++) {
		if (!is_digit(*at))
			return false;
		n = FL_MIN(10 * n + (*at - '0'), 9999);
	}
	d->exponent += negative ? -n : n;
	return true;
}

static bool read_decimal(const char *at, const char *end, struct decimal *d)
{
	bool fraction = false;

	for (; at < end; at++) {
		if (is_digit(*at))
			take_digit(d, *at, fraction);
		else if (*at == '.' && !fraction)
			fraction = true;
		else
			break;
	}
	if (!d->any)
		return false;
	if (at == end)
		return true;
	return (*at == 'e' || *at == 'E') && take_exponent(at + 1, end, d);
}

/* Digits beyond the 18th after the point are dropped. */
static void to_parts(const struct decimal *d, struct fl_folded_count *count)
{
	int exponent = d->exponent + PLACES;

	count->parts = d->digits;
	for (; exponent < 0 && count->parts; exponent++)
		count->parts /= 10;
	for (; exponent > 0 && count->parts; exponent--) {
		count->huge |= count->parts > ONE * INT64_MAX / 10;
		if (count->huge)
			return;
		count->parts *= 10;
	}
	count->huge |= count->parts > ONE * INT64_MAX;
}

bool fl_folded_count(struct slice text, struct fl_folded_count *count)
{
	const char *at = text.data, *end = text.data + text.size;
	bool negative = at < end && *at == '-';
	struct decimal d = { 0 };

	memset(count, 0, sizeof(*count));
	at += negative || (at < end && *at == '+');
	if (at < end && end[-1] == '%') {
		count->percent = true;
		end--;
	}
	if (at == end || !read_decimal(at, end, &d))
		return false;
	/* Hundredths of a percent are whole. */
	if (count->percent)
		d.exponent += 2;
	to_parts(&d, count);
	if (negative)
		count->parts = -count->parts;
	return true;
}

int64_t fl_folded_round(const struct fl_folded_count *count, int64_t *carry,
			bool *fraction)
{
	fl_wide exact = count->parts + *carry;
	fl_wide whole = (exact + ONE / 2) / ONE;

	if ((exact + ONE / 2) % ONE < 0)
		whole--;
	if (fraction)
		*fraction = count->parts % ONE != 0;
	*carry = (int64_t)(exact - whole * ONE);
	return (int64_t)FL_MIN(whole, INT64_MAX);
}

bool fl_folded_digits(struct slice text, int64_t *n)
{
	if (!text.size || text.size > 18)
		return false;
	*n = 0;
	for (size_t i = 0; i < text.size; i++) {
		if (!is_digit(text.data[i]))
			return false;
		*n = 10 * *n + (text.data[i] - '0');
	}
	return true;
}

bool fl_folded_last(struct slice *text, struct slice *word)
{
	size_t i = text->size;

	while (i && !fl_is_blank(text->data[i - 1]))
		i--;
	*word = (struct slice){ text->data + i, text->size - i };
	if (!i || !word->size)
		return false;
	text->size = i - 1;
	return true;
}

bool fl_folded_first(struct slice *text, struct slice *word)
{
	struct slice rest = *text;

	while (rest.size && fl_is_blank(*rest.data)) {
		rest.data++;
		rest.size--;
	}
	word->data = rest.data;
	while (rest.size && !fl_is_blank(*rest.data)) {
		rest.data++;
		rest.size--;
	}
	word->size = (size_t)(rest.data - word->data);
	while (rest.size && fl_is_blank(*rest.data)) {
		rest.data++;
		rest.size--;
	}
	if (!word->size || !rest.size)
		return false;
	*text = rest;
	return true;
}

bool fl_folded_field(struct slice *text, struct slice *field)
{
	const char *tab = text->size ? memchr(text->data, '\t', text->size) :
				       NULL;

	if (!tab)
		return false;
	*field = (struct slice){ text->data, (size_t)(tab - text->data) };
	text->data += field->size + 1;
	text->size -= field->size + 1;
	return true;
}

struct slice fl_folded_trim(struct slice line)
{
	while (line.size && (fl_is_blank(line.data[line.size - 1]) ||
			     line.data[line.size - 1] == '\r'))
		line.size--;
	return line;
}
