/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Parses a decimal fraction exactly, without a double (fl_decimal_parse), and
 * rounds it so that sums stay true: fl_decimal_round() carries the remainder to
 * the next number.  For weights in text formats.
 */
#include "fl.h"

#define ONE ((fl_wide)1000000000000000000)	/* 10^18 parts */

enum { MAX_PLACES = 18, MAX_DIGITS = 36 };

struct digits {
	fl_wide value;
	unsigned n;		/* without leading zeros */
	int exponent;
	bool any;
};

static void add_digit(struct digits *d, char c, bool fraction)
{
	d->any = true;
	if (d->n == MAX_DIGITS) {
		d->exponent += !fraction;
		return;
	}
	d->value = 10 * d->value + (c - '0');
	d->n += d->value != 0;
	d->exponent -= fraction;
}

/* 3, -3, after the e; false: not a number. */
static bool read_exponent(const char *at, const char *end, struct digits *d)
{
	bool negative = at < end && *at == '-';
	int n = 0;

	at += at < end && (*at == '-' || *at == '+');
	if (at == end)
		return false;
	for (; at < end; at++) {
		if (!fl_is_digit(*at))
			return false;
		n = FL_MIN(10 * n + (*at - '0'), 9999);
	}
	d->exponent += negative ? -n : n;
	return true;
}

static bool read_digits(const char *at, const char *end, struct digits *d)
{
	bool fraction = false;

	for (; at < end; at++) {
		if (fl_is_digit(*at))
			add_digit(d, *at, fraction);
		else if (*at == '.' && !fraction)
			fraction = true;
		else
			break;
	}
	if (!d->any)
		return false;
	if (at == end)
		return true;
	return (*at == 'e' || *at == 'E') && read_exponent(at + 1, end, d);
}

/* Digits beyond the 18th after the point are dropped. */
static void to_parts(const struct digits *d, struct fl_decimal *decimal)
{
	int exponent = d->exponent + MAX_PLACES;

	decimal->parts = d->value;
	for (; exponent < 0 && decimal->parts; exponent++)
		decimal->parts /= 10;
	for (; exponent > 0 && decimal->parts; exponent--) {
		decimal->huge |= decimal->parts > ONE * INT64_MAX / 10;
		if (decimal->huge)
			return;
		decimal->parts *= 10;
	}
	decimal->huge |= decimal->parts > ONE * INT64_MAX;
}

bool fl_decimal_parse(struct slice text, struct fl_decimal *decimal)
{
	const char *at = text.data, *end = text.data + text.size;
	bool negative = at < end && *at == '-';
	struct digits d = { 0 };

	memset(decimal, 0, sizeof(*decimal));
	at += negative || (at < end && *at == '+');
	if (at < end && end[-1] == '%') {
		decimal->percent = true;
		end--;
	}
	if (at == end || !read_digits(at, end, &d))
		return false;
	/* A whole number of hundredths of a percent. */
	if (decimal->percent)
		d.exponent += 2;
	to_parts(&d, decimal);
	if (negative)
		decimal->parts = -decimal->parts;
	return true;
}

int64_t fl_decimal_round(const struct fl_decimal *decimal, int64_t *carry,
			 bool *fraction)
{
	fl_wide exact = decimal->parts + *carry;
	fl_wide whole = (exact + ONE / 2) / ONE;

	if ((exact + ONE / 2) % ONE < 0)
		whole--;
	if (fraction)
		*fraction = decimal->parts % ONE != 0;
	*carry = (int64_t)(exact - whole * ONE);
	return (int64_t)FL_MIN(whole, INT64_MAX);
}
