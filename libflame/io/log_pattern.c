/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Prefixes without the name of a pod or container: time stamps, levels of
 * logging frameworks, numbers of lines, quotes of mail.  A pattern is a row;
 * fl_log_cut_pattern() removes one prefix from a line, and log_prefix.c chooses
 * the pattern.
 */
#include "fl.h"

#include "io/log.h"

/*
 * Rows for the same lines: the longer first.  In a pattern
 *	t	date and time, either alone, or epoch milliseconds (13 digits)
 *	l	a level: INFO
 *	L	a level in capitals: debug:main may be a name of a frame
 *	b	[text]
 *	w	a word: no blanks
 *	N	a logger's name, up to a colon, not empty as in ERROR::new
 *	f	a field up to a tab
 *	n	a number, with blanks before it
 *	9	a digit
 *	A	an upper-case letter
 *	' '	blanks; at the end one, which an empty line may lack
 *	_	one blank
 * and other characters stand for themselves.
 */
const struct fl_log_kind fl_log_patterns[] = {
	{ .pattern = "t l b w - " }, { .pattern = "t l b w: " },
	{ .pattern = "t l b - " }, { .pattern = "t l w b - " },
	{ .pattern = "t l w - " }, { .pattern = "t l n --- b w : " },
	{ .pattern = "t b l w - " }, { .pattern = "t b l w: " },
	{ .pattern = "t l w: " }, { .pattern = "t l b " },
	{ .pattern = "t b l " }, { .pattern = "t - w - l - " },
	{ .pattern = "t l: " }, { .pattern = "t l " },
	{ .pattern = "[t] [l] " }, { .pattern = "[t] l: " },
	{ .pattern = "[t] l " }, { .pattern = "[t] " }, { .pattern = "[t]" },
	{ .pattern = "t 99A " }, { .pattern = "t\t" }, { .pattern = "t," },
	{ .pattern = "\"t\"," }, { .pattern = "t w]: " }, { .pattern = "t: " },
	{ .pattern = "t | " }, { .pattern = "t_ " }, { .pattern = "t " },
	{ .pattern = "f\tf\tt " },
	{ .pattern = "[l] [w] " }, { .pattern = "[l] " },
	{ .pattern = "l b w - " }, { .pattern = "l b - " },
	{ .pattern = "l - " }, { .pattern = "l w - " },
	{ .pattern = "l w: " }, { .pattern = "L:N:" }, { .pattern = "l: " },
	{ .pattern = "l " }, { .pattern = "l\t" },
	{ .pattern = "A9999 t n w] " }, { .pattern = "<n>1 t w w w w - " },
	{ .pattern = "<n>" }, { .pattern = "n\t" }, { .pattern = "n: " },
	{ .pattern = "n:" }, { .pattern = "n| " }, { .pattern = "n | " },
	{ .pattern = "> > > " }, { .pattern = "> > " }, { .pattern = ">> " },
	{ .pattern = "> " }, { .pattern = ">" },
	{ .pattern = NULL }
};

/* Whether the text begins as the form: 9 a digit, . any separator. */
static size_t form_size(struct slice s, const char *form)
{
	size_t i;

	for (i = 0; form[i]; i++) {
		char c = i < s.size ? s.data[i] : '\0';

		if (form[i] == '9' ? !fl_is_digit(c) : form[i] == '.' ?
				     !c || !memchr("-/.", c, 3) : c != form[i])
			return 0;
	}
	return i;
}

static size_t digits_size(struct slice s)
{
	size_t n = 0;

	while (n < s.size && fl_is_digit(s.data[n]))
		n++;
	return n;
}

/* "Z", "+01:00", "+0100", " +0000" */
static size_t zone_size(struct slice s)
{
	size_t blank = s.size && s.data[0] == ' ', n;

	if (s.size && s.data[0] == 'Z')
		return 1;
	s = fl_slice_from(s, blank);
	if (!s.size || !memchr("+-", s.data[0], 2))
		return 0;
	n = form_size(fl_slice_from(s, 1), "99:99");
	if (!n)
		n = form_size(fl_slice_from(s, 1), "9999");
	return n ? blank + 1 + n : 0;
}

static size_t clock_size(struct slice s)
{
	size_t n = form_size(s, "99:99:99"), more;

	if (!n)
		return 0;
	if (n + 1 < s.size && memchr(".,", s.data[n], 2)) {
		more = digits_size(fl_slice_from(s, n + 1));
		n += more ? more + 1 : 0;
	}
	return n + zone_size(fl_slice_from(s, n));
}

static size_t time_size(struct slice s)
{
	size_t n = form_size(s, "9999.99.99"), clock;

	if (!n)
		n = form_size(s, "99.99.9999");
	if (!n)
		n = form_size(s, "99.99.99");
	if (n && n < s.size && memchr("T ", s.data[n], 2)) {
		clock = clock_size(fl_slice_from(s, n + 1));
		return clock ? n + 1 + clock : s.data[n] == ' ' ? n : 0;
	}
	if (!n)
		n = clock_size(s);
	return n ? n : digits_size(s) == 13 ? 13 : 0;
}

static size_t level_size(struct slice s)
{
	static const char *const levels[] = {
		"TRACE", "DEBUG", "INFO", "WARNING", "WARN", "ERROR", "FATAL",
		"SEVERE", "NOTICE", "CRITICAL", "FINE", "INF", "ERR", "DBG",
		"info", "error", "warning", "warn", "debug", "trace",
	};

	for (size_t i = 0; i < FL_COUNT(levels); i++)
		if (fl_slice_starts(s, levels[i]))
			return strlen(levels[i]);
	return 0;
}

static size_t blanks_size(struct slice s)
{
	size_t n = 0;

	while (n < s.size && s.data[n] == ' ')
		n++;
	return n;
}

/* Up to a blank, without the character that follows it in the pattern. */
static size_t word_size(struct slice s, char next)
{
	size_t n = 0;

	while (n < s.size && !fl_is_blank(s.data[n]))
		n++;
	if (next == ' ' || next == '\t')
		return n;
	while (n && (n == s.size || s.data[n] != next))
		n--;
	return n;
}

static size_t until(struct slice s, char c)
{
	const char *at = s.size ? memchr(s.data, c, s.size) : NULL;

	return at ? (size_t)(at - s.data) : 0;
}

static size_t part_size(const char *p, struct slice s)
{
	size_t n;

	switch (*p) {
	case 't': return time_size(s);
	case 'l': return level_size(s);
	case 'L': return s.size && *s.data < 'a' ? level_size(s) : 0;
	case 'N': return until(s, ':');
	case 'w': return word_size(s, p[1]);
	case 'f': return until(s, '\t');
	case '9': return s.size && fl_is_digit(*s.data);
	case 'A': return s.size && *s.data >= 'A' && *s.data <= 'Z';
	case 'b':
		n = s.size && *s.data == '[' ? until(s, ']') : 0;
		return n ? n + 1 : 0;
	case 'n':
		n = blanks_size(s);
		return digits_size(fl_slice_from(s, n)) ?
		       n + digits_size(fl_slice_from(s, n)) : 0;
	case '_':
		return blanks_size(s) > 1;
	case ' ':
		n = blanks_size(s);
		return p[1] ? n : FL_MIN(n, (size_t)1);
	default:
		return s.size && *s.data == *p;
	}
}

bool fl_log_cut_pattern(const char *pattern, struct slice *line)
{
	struct slice rest = *line;
	size_t n;

	for (const char *p = pattern; *p; p++) {
		n = part_size(p, rest);
		/* Blanks that end a line are easily lost. */
		if (!n && !(*p == ' ' && !rest.size))
			return false;
		rest = fl_slice_from(rest, n);
	}
	*line = rest;
	return true;
}
