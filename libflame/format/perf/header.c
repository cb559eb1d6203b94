/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Parses the line that begins a record of perf script into struct
 * fl_perf_header.  perf.c calls it for every record, probe.c and parts.c to
 * find one.
 *
 *	VM:pid VCPU:n comm pid/tid [cpu] misc date clock seconds.fraction:
 *	period event: rest
 *
 * Each column may be missing (-F), a comm may hold blanks, digits, slashes
 * and colons, an event's name colons.  The time is the least ambiguous column,
 * so it is searched first, and the columns before it are parsed from their end.
 */
#include "fl.h"

#include "format/perf/header.h"

enum { LONGEST_TIME = 32 };	/* that is remembered */

static bool all_digits(struct slice s)
{
	for (size_t i = 0; i < s.size; i++)
		if (!fl_is_digit(s.data[i]))
			return false;
	return s.size > 0;
}

/* Cuts the last word off s; empty if there is none. */
static struct slice pop_word(struct slice *s)
{
	struct slice word;
	size_t n;

	*s = fl_slice_trim(*s);
	for (n = s->size; n && !fl_is_blank(s->data[n - 1]); n--)
		;
	word = fl_slice_from(*s, n);
	s->size = n;
	return word;
}

/* The first word of s, which loses it. */
static struct slice shift_word(struct slice *s)
{
	struct slice word;
	size_t n = 0;

	*s = fl_slice_trim(*s);
	while (n < s->size && !fl_is_blank(s->data[n]))
		n++;
	word = (struct slice){ s->data, n };
	s->data += n;
	s->size -= n;
	return word;
}

static bool parse_id(struct slice s, int64_t *id)
{
	if (s.size > 11 || !s.size || s.data[0] == '+')
		return false;
	return fl_parse_int(s, id);
}

/* Digits from *at on, which moves past them; no more than 18 are a number. */
static bool parse_digits(const char **at, const char *end, int64_t *n)
{
	const char *p = *at;
	uint64_t u = 0;

	while (p < end && fl_is_digit(*p) && p - *at < 19)
		u = 10 * u + (uint64_t)(*p++ - '0');
	if (p == *at || p - *at > 18)
		return false;
	*at = p;
	*n = (int64_t)u;
	return true;
}

/* "pid/tid", or one number, which is the tid. */
static bool parse_ids(struct slice word, struct fl_perf_header *h)
{
	const char *slash = memchr(word.data, '/', word.size);
	struct slice left = word;
	int64_t pid, tid;

	if (!slash) {
		if (!parse_id(word, &tid))
			return false;
		h->tid = tid;
		return true;
	}
	left.size = slash - word.data;
	if (!parse_id(left, &pid) ||
	    !parse_id((struct slice){ slash + 1, word.size - left.size - 1 },
		      &tid))
		return false;
	h->pid = pid;
	h->tid = tid;
	return true;
}

/* "[003]"; "[-01]" where the event did not record it. */
static bool parse_cpu(struct slice word, struct fl_perf_header *h)
{
	struct slice inner = { word.data + 1, word.size - 2 };

	if (word.size < 3 || word.size > 8 || word.data[0] != '[' ||
	    word.data[word.size - 1] != ']')
		return false;
	if (fl_slice_is(inner, "-01") || fl_slice_is(inner, "-1")) {
		h->cpu = -1;
		return true;
	}
	return all_digits(inner) && fl_parse_int(inner, &h->cpu);
}

/* "VM:  123 " or "VCPU:003 ", which are of guests; s loses it. */
static void parse_guest(struct slice *s, const char *name, int64_t *number)
{
	struct slice rest = *s, word;

	if (!fl_slice_starts(rest, name))
		return;
	rest.data += strlen(name);
	rest.size -= strlen(name);
	word = shift_word(&rest);
	if (parse_id(word, number))
		*s = fl_slice_trim(rest);
}

/* As "2026-03-02": 'd' matches a digit. */
static bool has_form(struct slice s, const char *form)
{
	if (s.size < strlen(form))
		return false;
	for (size_t i = 0; form[i]; i++)
		if (form[i] == 'd' ? !fl_is_digit(s.data[i]) :
				     s.data[i] != form[i])
			return false;
	return true;
}

/* -F tod: the date and the time of day, which s loses. */
static void skip_time_of_day(struct slice *s)
{
	struct slice rest = *s, clock = pop_word(&rest), date = pop_word(&rest);

	if (has_form(clock, "dd:dd:dd.d") && date.size == 10 &&
	    has_form(date, "dddd-dd-dd"))
		*s = rest;
}

/* -F misc: "K", "UH". */
static bool is_misc(struct slice word)
{
	for (size_t i = 0; i < word.size; i++)
		if (!memchr("KUHGgMESCD", word.data[i], 10))
			return false;
	return word.size > 0 && word.size <= 4;
}

/* Parses the columns before the time or the event, from their end. */
static void parse_left(struct slice left, struct fl_perf_header *h)
{
	struct slice rest, word;
	bool skipped = false;

	parse_guest(&left, "VM:", &h->machine);
	parse_guest(&left, "VCPU:", &h->vcpu);
	skip_time_of_day(&left);
	rest = left;
	word = pop_word(&rest);
	while (is_misc(word)) {
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

/*
 * Reads up to 8 digits that end at `end`; the eight bytes before it are
 * readable.  Returns their number.
 */
static unsigned digits_before(const char *end, uint64_t *n)
{
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
	const uint64_t ones = 0x0101010101010101u;
	uint64_t w = fl_perf_read64(end - 8) ^ ones * '0';
	uint64_t other = (((w & ones * 0x7f) + ones * 0x76) | w) & ones << 7;
	unsigned size = 8;

	if (other) {
		size = (unsigned)__builtin_clzll(other) / 8;
		if (!size)
			return 0;
		w &= ~UINT64_C(0) << (64 - 8 * size);
	}
	/* Two digits, four, eight. */
	w = w * 10 + (w >> 8);
	*n = ((w & 0x000000ff000000ffu) * 0x000f424000000064u +
	      ((w >> 16) & 0x000000ff000000ffu) * 0x0000271000000001u) >> 32;
	return size;
#else
	uint64_t unit = 1;
	unsigned size;

	*n = 0;
	for (size = 0; size < 8 && fl_is_digit(end[-1 - (int)size]); size++) {
		*n += unit * (uint64_t)(end[-1 - (int)size] - '0');
		unit *= 10;
	}
	return size;
#endif
}

/* "1286.892727", as perf writes it; end is the colon's place. */
static bool parse_usual_time(const char *line, const char *end,
			     const char **begin, int64_t *time)
{
	uint64_t s, us;
	unsigned n;

	if (end - line < 16 || end[-7] != '.' ||
	    digits_before(end, &us) != 6)
		return false;
	n = digits_before(end - 7, &s);
	*begin = end - 7 - n;
	if (!n || n == 8 || !fl_is_blank((*begin)[-1]))
		return false;
	*time = (int64_t)(s * UINT64_C(1000000000) + us * 1000);
	return true;
}

/* "seconds.fraction" that ends before `colon`; false: it is none. */
static bool parse_time(struct slice line, size_t colon, size_t *begin,
		       int64_t *time)
{
	const char *at, *end = line.data + colon;
	size_t i = colon;
	int64_t s, ns;

	if (parse_usual_time(line.data, end, &at, time)) {
		*begin = at - line.data;
		return true;
	}
	while (i && fl_is_digit(line.data[i - 1]))
		i--;
	if (i == colon || !i || line.data[i - 1] != '.' || colon - i > 9)
		return false;
	at = line.data + i;
	if (!parse_digits(&at, end, &ns))
		return false;
	for (size_t n = colon - i; n < 9; n++)
		ns *= 10;
	end = line.data + --i;
	while (i && fl_is_digit(line.data[i - 1]))
		i--;
	at = line.data + i;
	if (at == end || end - at > 9 ||
	    (i && !fl_is_blank(line.data[i - 1])) ||
	    !parse_digits(&at, end, &s))
		return false;
	*begin = i;
	*time = s * INT64_C(1000000000) + ns;
	return true;
}

/* A colon that a blank or the end follows. */
static bool ends_column(struct slice line, size_t colon)
{
	return colon + 1 >= line.size || fl_is_blank(line.data[colon + 1]);
}

static bool find_time(struct slice line, size_t *begin, size_t *end,
		      int64_t *time)
{
	size_t at = 0;
	const char *colon;

	while ((colon = memchr(line.data + at, ':', line.size - at))) {
		at = colon - line.data;
		if (ends_column(line, at) &&
		    parse_time(line, at, begin, time)) {
			*end = at + 1;
			return true;
		}
		at++;
	}
	return false;
}

/* The period is printed in ten columns: a pid has seven at most. */
static bool is_period(struct slice before, struct slice word)
{
	size_t blanks = 0;

	while (blanks < before.size &&
	       fl_is_blank(before.data[before.size - blanks - 1]))
		blanks++;
	blanks -= blanks && blanks < before.size;
	return blanks + word.size >= 10 && all_digits(word);
}

static bool is_event(struct slice word)
{
	return word.size > 1 && word.data[word.size - 1] == ':';
}

static void set_event(struct fl_perf_header *h, struct slice word,
		      struct slice rest)
{
	h->event = (struct slice){ word.data, word.size - 1 };
	h->rest = fl_slice_trim(rest);
}

/* The usual " period event: rest"; false: something is missing or odd. */
static bool parse_usual(struct slice right, struct fl_perf_header *h)
{
	const char *at = right.data, *end = right.data + right.size, *event;
	int64_t period;

	while (at < end && fl_is_blank(*at))
		at++;
	if (!parse_digits(&at, end, &period) || at == end || !fl_is_blank(*at))
		return false;
	while (at < end && fl_is_blank(*at))
		at++;
	for (event = at; at < end && !fl_is_blank(*at); at++)
		;
	if (at - event < 2 || at[-1] != ':')
		return false;
	h->event = (struct slice){ event, at - event - 1 };
	while (at < end && fl_is_blank(*at))
		at++;
	h->rest = (struct slice){ at, end - at };
	h->period = period;
	return true;
}

/* As parse_usual, if period and event equal those of the line before. */
static bool parse_again(struct slice right, const struct fl_perf_lefts *lefts,
			struct fl_perf_header *h)
{
	const char *at = right.data + lefts->right_size;
	const char *end = right.data + right.size;

	if (!lefts->right_size || right.size < lefts->right_size ||
	    (at < end && !fl_is_blank(*at)) ||
	    !fl_perf_same(right.data, lefts->right, lefts->right_size))
		return false;
	while (at < end && fl_is_blank(*at))
		at++;
	h->event = (struct slice){ right.data + lefts->event_at,
				   lefts->event_size };
	h->rest = (struct slice){ at, end - at };
	h->period = lefts->period;
	return true;
}

/* "period event: rest", where the first two may be missing. */
static void parse_right(struct slice right, struct fl_perf_header *h)
{
	struct slice rest = right, word, second;
	int64_t period;

	word = shift_word(&rest);
	h->rest = fl_slice_trim(right);
	h->non_sample = fl_slice_starts(word, "PERF_RECORD_") ||
		   fl_slice_is(word, "metric:");
	if (h->non_sample)
		return;
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

/* The same as was left of a time before, most often. */
static void find_left(struct slice left, struct fl_perf_lefts *lefts,
		      struct fl_perf_header *h)
{
	struct fl_perf_left *known;

	if (!lefts || left.size > sizeof(known->text)) {
		parse_left(left, h);
		return;
	}
	known = &lefts->at[fl_hash(left.data, left.size) % FL_PERF_LEFTS];
	if (!known->met || known->size != left.size ||
	    memcmp(known->text, left.data, left.size) != 0) {
		parse_left(left, h);
		memset(known, 0, sizeof(*known));
		known->met = true;
		known->size = (uint8_t)left.size;
		memcpy(known->text, left.data, left.size);
		known->pid = h->pid;
		known->tid = h->tid;
		known->cpu = h->cpu;
		known->machine = h->machine;
		known->vcpu = h->vcpu;
		known->comm_at = (uint8_t)(h->comm.data - left.data);
		known->comm_size = (uint8_t)h->comm.size;
	} else {
		h->pid = known->pid;
		h->tid = known->tid;
		h->cpu = known->cpu;
		h->machine = known->machine;
		h->vcpu = known->vcpu;
		h->comm = (struct slice){ left.data + known->comm_at,
					  known->comm_size };
	}
	h->left = lefts->last = known;
}

/* The next line is likely the same except for the time. */
static void remember_right(struct slice right, size_t time_size,
			   const struct fl_perf_header *h,
			   struct fl_perf_lefts *lefts)
{
	size_t size = h->event.data + h->event.size + 1 - right.data;

	if (size > sizeof(lefts->right) || time_size > LONGEST_TIME)
		return;
	memcpy(lefts->right, right.data, size);
	lefts->right_size = (uint8_t)size;
	lefts->event_size = (uint8_t)h->event.size;
	lefts->event_at = (uint8_t)(h->event.data - right.data);
	lefts->time_size = (uint8_t)time_size;
	lefts->period = h->period;
}

bool fl_perf_header_again(const char *at, const char *end,
			  const struct fl_perf_lefts *lefts,
			  struct fl_perf_header *h, size_t *size)
{
	const struct fl_perf_left *left = lefts->last;
	const char *colon, *begin, *rest, *lf;

	if (!left || !lefts->right_size || end - at < 256)
		return false;
	colon = at + left->size + lefts->time_size;
	rest = colon + 1 + lefts->right_size;
	if (*colon != ':' ||
	    !fl_perf_same(colon + 1, lefts->right, lefts->right_size) ||
	    !fl_perf_same(at, left->text, left->size) ||
	    !parse_usual_time(at, colon, &begin, &h->time) ||
	    begin != at + left->size ||
	    !(*rest == '\n' ||
	      (fl_is_blank(*rest) && (lf = memchr(rest, '\n', end - rest)))))
		return false;
	while (fl_is_blank(*rest))
		rest++;
	if (*rest == '\n')
		lf = rest;
	else if (fl_is_blank(lf[-1]) || lf[-1] == '\r')
		return false;
	*size = lf + 1 - at;
	h->comm = (struct slice){ at + left->comm_at, left->comm_size };
	h->event = (struct slice){ colon + 1 + lefts->event_at,
				   lefts->event_size };
	h->rest = (struct slice){ rest, lf - rest };
	h->pid = left->pid;
	h->tid = left->tid;
	h->cpu = left->cpu;
	h->machine = left->machine;
	h->vcpu = left->vcpu;
	h->period = lefts->period;
	h->non_sample = h->flat = false;
	h->cgroup = (struct slice){ "", 0 };
	h->left = lefts->last;
	return true;
}

static void clear(struct fl_perf_header *h)
{
	static const struct fl_perf_header none = {
		.pid = -1, .tid = -1, .cpu = -1, .period = -1,
		.machine = -1, .vcpu = -1,
		.time = FLAME_NOTIME,
	};

	*h = none;
	h->comm.data = h->event.data = h->rest.data = h->cgroup.data = "";
}

/*
 * Without a time: the event is the first word that ends in a colon after a
 * number or a cpu.  Of two numbers before it, the second is the period, unless
 * its column is as wide as perf's pid (five columns or seven).
 */
static bool parse_timeless(struct slice line, struct fl_perf_lefts *lefts,
			   struct fl_perf_header *h)
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
		if (!last.size ? !rest.size :
		    parse_ids(last, &probe) || parse_cpu(last, &probe) ||
		    is_misc(last) || has_form(last, "dd:dd:dd.d"))
			break;
	}
	left = (struct slice){ line.data, word.data - line.data };
	set_event(h, word, rest);
	before = left;
	last = pop_word(&before);
	for (blanks = 0; blanks < before.size &&
	     fl_is_blank(before.data[before.size - blanks - 1]); blanks++)
		;
	width = blanks + last.size;
	if (is_period(before, last) && fl_parse_int(last, &period)) {
		h->period = period;
		left = before;
	} else if (all_digits(last) && fl_parse_int(last, &period) &&
		   (blanks == 1 || (width != 6 && width != 8))) {
		rest = before;
		word = pop_word(&rest);
		if (parse_ids(word, &probe) || parse_cpu(word, &probe)) {
			h->period = period;
			left = before;
		}
	}
	find_left(left, lefts, h);
	return true;
}

bool fl_perf_header(struct slice line, struct fl_perf_lefts *lefts,
		    struct fl_perf_header *h)
{
	struct slice right;
	size_t begin, end;

	clear(h);
	while (line.size && (fl_is_blank(line.data[line.size - 1]) ||
			     line.data[line.size - 1] == '\r'))
		line.size--;
	if (!find_time(line, &begin, &end, &h->time))
		return parse_timeless(line, lefts, h);
	find_left((struct slice){ line.data, begin }, lefts, h);
	right = fl_slice_from(line, end);
	if (lefts && parse_again(right, lefts, h)) {
		if (end - 1 - begin <= LONGEST_TIME)
			lefts->time_size = (uint8_t)(end - 1 - begin);
	} else if (!parse_usual(right, h)) {
		parse_right(right, h);
	} else if (lefts && h->left) {
		remember_right(right, end - 1 - begin, h, lefts);
	}
	return h->tid >= 0 || h->cpu >= 0 || h->event.size || h->non_sample ||
	       !h->comm.size;
}

/*
 * The offset of a "%16lx" with a blank or the end after it: a long address, or
 * one padded as perf does.  SIZE_MAX: none.
 */
static size_t find_ip(struct slice line)
{
	size_t blanks, n;

	for (size_t i = 0; i < line.size; i += n) {
		for (blanks = 0; i < line.size && fl_is_blank(line.data[i]);
		     i++)
			blanks++;
		for (n = 0;
		     i + n < line.size && !fl_is_blank(line.data[i + n]) &&
		     memchr("0123456789abcdef", line.data[i + n], 16);
		     n++)
			;
		if (n && n <= 16 && (n >= 8 || blanks + n > 16) &&
		    (i + n == line.size || fl_is_blank(line.data[i + n])))
			return i;
		while (i + n < line.size && !fl_is_blank(line.data[i + n]))
			n++;
	}
	return SIZE_MAX;
}

bool fl_perf_flat_header(struct slice line, struct fl_perf_lefts *lefts,
			 struct fl_perf_header *h)
{
	size_t at = find_ip(line);
	struct slice left = { line.data, at }, word;

	clear(h);
	if (at == SIZE_MAX)
		return false;
	h->flat = true;
	h->rest =
		fl_slice_trim(fl_slice_from(line, at));
	word = pop_word(&left);
	if (is_event(word))
		h->event = (struct slice){ word.data, word.size - 1 };
	else if (!is_period(left, word) || !fl_parse_int(word, &h->period))
		left = (struct slice){ line.data, at };
	find_left(left, lefts, h);
	return true;
}

bool fl_perf_bare_header(struct slice line, struct fl_perf_lefts *lefts,
			 struct fl_perf_header *h)
{
	struct slice rest = line, word = shift_word(&rest);

	clear(h);
	if (is_event(word)) {
		set_event(h, word, rest);
		return true;
	}
	rest = line;
	word = pop_word(&rest);
	if (fl_slice_starts(word, "/") && rest.size) {
		h->cgroup = word;
		line = rest;
		word = pop_word(&rest);
	}
	if (is_period(rest, word) && fl_parse_int(word, &h->period))
		line = rest;
	/* -F misc alone is six columns wide; a comm has one blank after it. */
	if (is_misc(word) && !rest.size && line.size >= 6)
		line.size = 0;
	find_left(line, lefts, h);
	return h->comm.size <= 64;
}

bool fl_perf_has_ids(const struct fl_perf_header *h)
{
	return !h->comm.size && (h->tid >= 0 || h->cpu >= 0 || h->period >= 0);
}
