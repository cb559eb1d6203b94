/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The line that begins a record of perf script:
 *
 *	comm pid/tid [cpu] seconds.fraction: period event: rest
 *
 * Each column may be missing (-F), a comm may hold blanks, digits, slashes
 * and colons, an event's name colons.  The time is the firmest of them, so
 * it is looked for first, and what lies left of it is read from its end.
 */
#include "fl.h"

#include "format/perf/perf.h"

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\t';
}

static bool all_digits(struct slice s)
{
	for (size_t i = 0; i < s.size; i++)
		if (!is_digit(s.at[i]))
			return false;
	return s.size > 0;
}

/* The last word of s, which loses it; empty if there is none. */
static struct slice pop_word(struct slice *s)
{
	struct slice word;
	size_t n;

	*s = fl_slice_trim(*s);
	for (n = s->size; n && !is_blank(s->at[n - 1]); n--)
		;
	word = (struct slice){ s->at + n, s->size - n };
	s->size = n;
	return word;
}

/* The first word of s, which loses it. */
static struct slice shift_word(struct slice *s)
{
	struct slice word;
	size_t n = 0;

	*s = fl_slice_trim(*s);
	while (n < s->size && !is_blank(s->at[n]))
		n++;
	word = (struct slice){ s->at, n };
	s->at += n;
	s->size -= n;
	return word;
}

static bool parse_id(struct slice s, int64_t *id)
{
	if (s.size > 11 || !s.size || s.at[0] == '+')
		return false;
	return fl_parse_int(s, id);
}

/* "pid/tid", or one number, which is the tid. */
static bool parse_ids(struct slice word, struct fl_perf_header *h)
{
	const char *slash = memchr(word.at, '/', word.size);
	struct slice left = word;
	int64_t pid, tid;

	if (!slash) {
		if (!parse_id(word, &tid))
			return false;
		h->tid = tid;
		return true;
	}
	left.size = slash - word.at;
	if (!parse_id(left, &pid) ||
	    !parse_id((struct slice){ slash + 1, word.size - left.size - 1 },
		      &tid))
		return false;
	h->pid = pid;
	h->tid = tid;
	return true;
}

static bool parse_cpu(struct slice word, struct fl_perf_header *h)
{
	struct slice inner = { word.at + 1, word.size - 2 };

	if (word.size < 3 || word.size > 8 || word.at[0] != '[' ||
	    word.at[word.size - 1] != ']' || !all_digits(inner))
		return false;
	return fl_parse_int(inner, &h->cpu);
}

/* -F misc: "K", "UH"; the machine's and the virtual cpu's columns. */
static bool is_other_column(struct slice word)
{
	if (fl_slice_starts(word, "VM:") || fl_slice_starts(word, "VCPU:"))
		return true;
	for (size_t i = 0; i < word.size; i++)
		if (!memchr("KUHGgMESCD", word.at[i], 10))
			return false;
	return word.size > 0 && word.size <= 4;
}

/* What lies left of the time or the event. */
static void parse_left(struct slice left, struct fl_perf_header *h)
{
	struct slice rest = left, word = pop_word(&rest);
	bool skipped = false;

	while (is_other_column(word)) {
		word = pop_word(&rest);
		skipped = true;
	}
	if (parse_cpu(word, h)) {
		left = rest;
		word = pop_word(&rest);
		skipped = false;
	}
	if (parse_ids(word, h))
		left = rest;
	else if (skipped)
		h->cpu = -1;
	h->comm = fl_slice_trim(left);
}

/* "seconds.fraction" that ends before `colon`; false: it is none. */
static bool parse_time(struct slice line, size_t colon, size_t *begin,
		       int64_t *time)
{
	size_t dot, i = colon;
	int64_t s, ns;

	while (i && is_digit(line.at[i - 1]))
		i--;
	if (i == colon || !i || line.at[i - 1] != '.' || colon - i > 9)
		return false;
	if (!fl_parse_int((struct slice){ line.at + i, colon - i }, &ns))
		return false;
	for (size_t n = colon - i; n < 9; n++)
		ns *= 10;
	dot = --i;
	while (i && is_digit(line.at[i - 1]))
		i--;
	if (i == dot || dot - i > 9 || (i && !is_blank(line.at[i - 1])) ||
	    !fl_parse_int((struct slice){ line.at + i, dot - i }, &s))
		return false;
	*begin = i;
	*time = s * INT64_C(1000000000) + ns;
	return true;
}

/* A colon that a blank or the end follows. */
static bool ends_column(struct slice line, size_t colon)
{
	return colon + 1 >= line.size || is_blank(line.at[colon + 1]);
}

static bool find_time(struct slice line, size_t *begin, size_t *end,
		      int64_t *time)
{
	size_t at = 0;
	const char *colon;

	while ((colon = memchr(line.at + at, ':', line.size - at))) {
		at = colon - line.at;
		if (ends_column(line, at) &&
		    parse_time(line, at, begin, time)) {
			*end = at + 1;
			return true;
		}
		at++;
	}
	return false;
}

static bool is_event(struct slice word)
{
	return word.size > 1 && word.at[word.size - 1] == ':';
}

static void set_event(struct fl_perf_header *h, struct slice word,
		      struct slice rest)
{
	h->event = (struct slice){ word.at, word.size - 1 };
	h->rest = fl_slice_trim(rest);
}

/* "period event: rest", where the first two may be missing. */
static void parse_right(struct slice right, struct fl_perf_header *h)
{
	struct slice rest = right, word = shift_word(&rest), second;
	int64_t period;

	h->rest = fl_slice_trim(right);
	h->aside = fl_slice_starts(word, "PERF_RECORD_");
	if (is_event(word)) {
		set_event(h, word, rest);
		return;
	}
	if (!all_digits(word) || !fl_parse_int(word, &period))
		return;
	second = shift_word(&rest);
	if (is_event(second))
		set_event(h, second, rest);
	else if (second.size)
		return;
	else
		h->rest.size = 0;
	h->period = period;
}

static void clear(struct fl_perf_header *h)
{
	static const struct fl_perf_header none = {
		.pid = -1, .tid = -1, .cpu = -1, .period = -1,
		.time = FLAME_NOTIME,
	};

	*h = none;
	h->comm.at = h->event.at = h->rest.at = "";
}

/*
 * Without a time: the event is the first word that ends in a colon after a
 * number or a cpu.  Of two numbers before it, the second is the period,
 * unless it stands as perf puts a pid (in five columns or seven).
 */
static bool parse_timeless(struct slice line, struct fl_perf_header *h)
{
	struct slice rest = line, word, last = { "", 0 }, left, before;
	struct fl_perf_header probe;
	size_t width, blanks;
	int64_t period;

	for (;; last = word) {
		word = shift_word(&rest);
		if (!word.size)
			return false;
		if (!is_event(word))
			continue;
		clear(&probe);
		if (!last.size ? !rest.size : parse_ids(last, &probe) ||
					      parse_cpu(last, &probe))
			break;
	}
	left = (struct slice){ line.at, word.at - line.at };
	set_event(h, word, rest);
	before = left;
	last = pop_word(&before);
	for (blanks = 0; blanks < before.size &&
	     is_blank(before.at[before.size - blanks - 1]); blanks++)
		;
	width = blanks + last.size;
	if (all_digits(last) && fl_parse_int(last, &period) &&
	    (blanks == 1 || (width != 6 && width != 8))) {
		rest = before;
		word = pop_word(&rest);
		if (parse_ids(word, &probe) || parse_cpu(word, &probe)) {
			h->period = period;
			left = before;
		}
	}
	parse_left(left, h);
	return true;
}

bool fl_perf_header(struct slice line, struct fl_perf_header *h)
{
	size_t begin, end;

	clear(h);
	while (line.size && (is_blank(line.at[line.size - 1]) ||
			     line.at[line.size - 1] == '\r'))
		line.size--;
	if (!find_time(line, &begin, &end, &h->time))
		return parse_timeless(line, h);
	parse_left((struct slice){ line.at, begin }, h);
	parse_right((struct slice){ line.at + end, line.size - end }, h);
	return h->tid >= 0 || h->cpu >= 0 || h->event.size || h->aside ||
	       !h->comm.size;
}

bool fl_perf_bare_header(struct slice line, struct fl_perf_header *h)
{
	clear(h);
	parse_left(line, h);
	return h->comm.size <= 64;
}
