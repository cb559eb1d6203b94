/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Parses numbers from text and formats them, whatever the locale: integers,
 * doubles, decimals (fl_parse_decimal) and sizes (flame_parse_size).
 */
#include "fl.h"

#include <locale.h>
#include <math.h>
#include <stdlib.h>
#ifdef __APPLE__
#include <xlocale.h>
#endif

enum { MAX_DIGITS = 18 };	/* of fl_parse_digits: all of them fit */

bool fl_parse_int(struct slice text, int64_t *n)
{
	const char *at = text.data, *end = text.data + text.size;
	bool negative = at < end && *at == '-';
	uint64_t max = (uint64_t)INT64_MAX + negative, u = 0;

	at += negative;
	if (at == end)
		return false;
	for (; at < end; at++) {
		uint64_t digit = (uint64_t)(*at - '0');

		if (!fl_is_digit(*at) || u > (max - digit) / 10)
			return false;
		u = 10 * u + digit;
	}
	*n = negative ? -(int64_t)(u - (u != 0)) - (u != 0) : (int64_t)u;
	return true;
}

bool fl_parse_digits(struct slice text, int64_t *n)
{
	if (!text.size || text.size > MAX_DIGITS)
		return false;
	*n = 0;
	for (size_t i = 0; i < text.size; i++) {
		if (!fl_is_digit(text.data[i]))
			return false;
		*n = 10 * *n + (text.data[i] - '0');
	}
	return true;
}

unsigned fl_format_u64(char *at, uint64_t n)
{
	static const char pairs[] =
		"00010203040506070809101112131415161718192021222324"
		"25262728293031323334353637383940414243444546474849"
		"50515253545556575859606162636465666768697071727374"
		"75767778798081828384858687888990919293949596979899";
	char digits[20];
	unsigned i = sizeof(digits), size;

	for (; n > 99; n /= 100)
		memcpy(digits + (i -= 2), pairs + n % 100 * 2, 2);
	if (n > 9)
		memcpy(digits + (i -= 2), pairs + n * 2, 2);
	else
		digits[--i] = (char)('0' + n);
	size = (unsigned)sizeof(digits) - i;
	memcpy(at, digits + i, size);
	return size;
}

static const char *skip_digits(const char *at)
{
	while (fl_is_digit(*at))
		at++;
	return at;
}

/* strtod also accepts blanks, "inf" and "0x1p3". */
static bool is_decimal(const char *at)
{
	const char *digits, *fraction;

	at += *at == '-' || *at == '+';
	digits = at;
	at = skip_digits(at);
	if (*at == '.') {
		fraction = ++at;
		at = skip_digits(at);
		if (at == fraction && digits == fraction - 1)
			return false;
	} else if (at == digits) {
		return false;
	}
	if (*at == 'e' || *at == 'E') {
		at++;
		at += *at == '-' || *at == '+';
		if (!fl_is_digit(*at))
			return false;
		at = skip_digits(at);
	}
	return *at == '\0';
}

bool fl_parse_double(const char *text, double *d)
{
	locale_t c;
	double value;

	if (!is_decimal(text))
		return false;
	c = newlocale(LC_ALL_MASK, "C", (locale_t)0);
	if (!c)
		return false;
	value = strtod_l(text, NULL, c);
	freelocale(c);
	if (!isfinite(value))
		return false;
	*d = value;
	return true;
}

/* Decimals ------------------------------------------------------------- */

enum { MAX_EXPONENT = 100000 };

/* Digits and a point: of the value the first 19 digits that count. */
static const char *read_digits(const char *at, const char *end, uint64_t *value,
			       int *exponent)
{
	const char *begin = at;
	bool point = false, any = false;

	*value = 0;
	*exponent = 0;
	for (; at < end && (fl_is_digit(*at) || (*at == '.' && !point)); at++) {
		if (*at == '.') {
			point = true;
			continue;
		}
		any = true;
		if (*value <= (UINT64_MAX - 9) / 10) {
			*value = 10 * *value + (uint64_t)(*at - '0');
			*exponent -= point;
		} else {
			*exponent += !point;
		}
	}
	return any && at - begin < MAX_EXPONENT ? at : NULL;
}

static const char *read_exponent(const char *at, const char *end,
				 int *exponent)
{
	int sign, e = 0;
	const char *begin;

	if (at == end || (*at != 'e' && *at != 'E'))
		return at;
	at++;
	sign = at < end && *at == '-' ? -1 : 1;
	at += at < end && (*at == '-' || *at == '+');
	for (begin = at; at < end && fl_is_digit(*at); at++)
		if (e < MAX_EXPONENT)
			e = 10 * e + (*at - '0');
	*exponent += sign * e;
	return at == begin ? NULL : at;
}

static bool scale(uint64_t value, int exponent, uint64_t *scaled)
{
	for (; exponent > 0 && value; exponent--)
		if (__builtin_mul_overflow(value, 10, &value))
			return false;
	for (; exponent < -1 && value; exponent++)
		value /= 10;
	if (exponent < 0)
		value = value / 10 + (value % 10 >= 5);
	*scaled = value;
	return value <= INT64_MAX;
}

bool fl_parse_decimal(struct slice text, int places, int64_t *n)
{
	const char *at = text.data, *end = text.data + text.size;
	bool negative = at < end && *at == '-';
	uint64_t value;
	int exponent;

	/* Integers up to 2^63 have digits that the rest does not keep. */
	if (!places && fl_parse_int(text, n))
		return true;
	at += at < end && (*at == '-' || *at == '+');
	at = read_digits(at, end, &value, &exponent);
	if (at)
		at = read_exponent(at, end, &exponent);
	if (at != end || !at || !scale(value, exponent + places, &value))
		return false;
	*n = negative ? -(int64_t)value : (int64_t)value;
	return true;
}

bool flame_parse_size(const char *text, size_t *size)
{
	static const char prefixes[] = "kmgt";
	size_t n = strspn(text, "0123456789");
	const char *end = text + n, *prefix = NULL;
	unsigned shift = 0;
	int64_t bytes;

	if (!fl_parse_int((struct slice){ text, n }, &bytes))
		return false;
	if (*end)
		prefix = strchr(prefixes, *end | 0x20);
	if (prefix) {
		shift = 10 * (unsigned)(prefix - prefixes + 1);
		end++;
	}
	if (prefix && end[0] == 'i' && end[1] == 'B')
		end++;
	if (*end == 'B')
		end++;
	if (*end || (uint64_t)bytes > SIZE_MAX >> shift)
		return false;
	*size = (size_t)bytes << shift;
	return true;
}
