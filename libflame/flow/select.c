/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What every source can be asked for, as options (fl_select_table): events,
 * times, threads and states.  fl_select_pass() checks single samples for
 * formats that do not select by themselves, and fl_when_resolve() turns --from
 * and --to into times.
 */
#include "fl.h"

#include "flow/flow.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static bool digits(const char **at, unsigned least, unsigned most, int *n)
{
	unsigned i;

	*n = 0;
	for (i = 0; i < most && (*at)[i] >= '0' && (*at)[i] <= '9'; i++)
		*n = *n * 10 + ((*at)[i] - '0');
	*at += i;
	return i >= least;
}

static bool parse_clock(const char **at, int64_t *ns)
{
	int h, m, s = 0;
	int64_t fraction = 0, unit = 100000000;

	if (!digits(at, 1, 2, &h) || *(*at)++ != ':' || !digits(at, 2, 2, &m))
		return false;
	if (**at == ':') {
		++*at;
		if (!digits(at, 1, 2, &s))
			return false;
		if (**at == '.' || **at == ',') {
			for (++*at; **at >= '0' && **at <= '9'; ++*at) {
				fraction += (**at - '0') * unit;
				unit /= 10;
			}
		}
	}
	*ns = ((h * 60 + m) * 60 + s) * INT64_C(1000000000) + fraction;
	return h < 24 && m < 60 && s < 61;
}

/* Z or +hh[:mm] after a time; false where something else follows. */
static bool parse_zone(const char *at, bool *utc, int *minutes)
{
	int sign = *at == '-' ? -1 : 1, h, m = 0;

	*utc = *at != '\0';
	*minutes = 0;
	if (!*at || strcmp(at, "Z") == 0)
		return true;
	if (*at != '+' && *at != '-')
		return false;
	at++;
	if (!digits(&at, 2, 2, &h))
		return false;
	if (*at == ':')
		at++;
	if (*at && !digits(&at, 2, 2, &m))
		return false;
	*minutes = sign * (h * 60 + m);
	return !*at;
}

/* 2026-11-21, 2026-11-21T10:00, 2026-11-21 10:00:00.5Z: local or zoned. */
static bool parse_date(const char *text, struct fl_when *when)
{
	int64_t *ns = &when->ns;
	struct tm tm = { .tm_isdst = -1 };
	int64_t clock = 0;
	int minutes = 0;
	bool utc = false;
	time_t t;

	if (!digits(&text, 4, 4, &tm.tm_year) || *text++ != '-' ||
	    !digits(&text, 1, 2, &tm.tm_mon) || *text++ != '-' ||
	    !digits(&text, 1, 2, &tm.tm_mday))
		return false;
	if (tm.tm_mon < 1 || tm.tm_mon > 12 || tm.tm_mday < 1 ||
	    tm.tm_mday > 31)
		return false;
	tm.tm_year -= 1900;
	tm.tm_mon--;
	if (*text == 'T' || *text == ' ') {
		text++;
		if (!parse_clock(&text, &clock))
			return false;
	}
	if (!parse_zone(text, &utc, &minutes))
		return false;
	/* A day may have 23 hours: a time is not so long after midnight. */
	if (!utc) {
		tm.tm_hour = (int)(clock / 3600000000000);
		tm.tm_min = (int)(clock / 60000000000 % 60);
		tm.tm_sec = (int)(clock / 1000000000 % 60);
		when->zoneless = true;
		when->printed = fl_add_clamped(
			fl_mul_clamped(timegm(&tm), 1000000000),
			clock % 1000000000);
		tm.tm_isdst = -1;
	}
	t = utc ? timegm(&tm) : mktime(&tm);
	clock = (utc ? clock : clock % 1000000000) -
		(int64_t)minutes * 60000000000;
	return !__builtin_mul_overflow((int64_t)t, 1000000000, ns) &&
	       !__builtin_add_overflow(*ns, clock, ns);
}

/* Whole numbers stay exact; others are rounded to ns. */
static bool scale(const char *number, int64_t unit, int64_t *ns)
{
	double d;

	if (!strchr(number, '.'))
		return fl_parse_int((struct slice){ number, strlen(number) },
				    ns) &&
		       !__builtin_mul_overflow(*ns, unit, ns);
	if (!fl_parse_double(number, &d))
		return false;
	d *= (double)unit;
	if (d > 9.2e18 || d < -9.2e18)
		return false;
	*ns = (int64_t)(d < 0 ? d - 0.5 : d + 0.5);
	return true;
}

bool fl_parse_duration(const char *text, int64_t *ns)
{
	static const struct {
		const char *unit;
		int64_t ns;
	} units[] = {
		{ "", 1000000 }, { "ns", 1 }, { "us", 1000 },
		{ "ms", 1000000 }, { "s", 1000000000 },
		{ "m", INT64_C(60000000000) }, { "min", INT64_C(60000000000) },
		{ "h", INT64_C(3600000000000) },
	};
	size_t number = strspn(text, "+-0123456789.");
	char copy[64];

	if (!number || number >= sizeof(copy))
		return false;
	memcpy(copy, text, number);
	copy[number] = '\0';
	for (size_t i = 0; i < FL_COUNT(units); i++)
		if (strcmp(text + number, units[i].unit) == 0)
			return scale(copy[0] == '+' ? copy + 1 : copy,
				     units[i].ns, ns);
	return false;
}

/* "12345.678901": seconds, in the six or nine digits that perf prints. */
static bool parse_seconds(const char *text, int64_t *ns)
{
	size_t whole = strspn(text, "0123456789"), fraction;
	int64_t part;

	if (!whole || text[whole] != '.')
		return false;
	fraction = strspn(text + whole + 1, "0123456789");
	if ((fraction != 6 && fraction != 9) || text[whole + 1 + fraction] ||
	    !fl_parse_int((struct slice){ text, whole }, ns) ||
	    !fl_parse_int((struct slice){ text + whole + 1, fraction }, &part))
		return false;
	return !__builtin_mul_overflow(*ns, INT64_C(1000000000), ns) &&
	       !__builtin_add_overflow(*ns, fraction == 6 ? part * 1000 : part,
				       ns);
}

/* "50%", "-10%": of the span, from its start or its end. */
static bool parse_share(const char *text, int64_t *share)
{
	size_t n = strlen(text);
	char number[32];
	double d;

	if (n < 2 || n > sizeof(number) || text[n - 1] != '%')
		return false;
	memcpy(number, text, n - 1);
	number[n - 1] = '\0';
	if (strspn(number, "+-0123456789.") != n - 1 ||
	    !fl_parse_double(number, &d) || !(d >= -100 && d <= 100))
		return false;
	if (number[0] == '-')
		d += 100;
	*share = (int64_t)(d * (FL_SHARE_UNIT / 100) + 0.5);
	return true;
}

/*
 * jfrconv's spellings: milliseconds (negative from the end, small from the
 * start, else since 1970), HH:mm[:ss[.SSS]], yyyy-MM-ddTHH:mm:ss[.SSS].
 * Ours: durations with a unit, dates alone, zones, perf's seconds, shares of
 * the span; a clock time is of the recording's first day, not of today.
 */
static bool parse_when(const char *text, struct fl_when *when)
{
	const char *at = text;
	int64_t ns;

	if (strchr(text, ':') && !strchr(text, '-') && !strchr(text, 'T')) {
		when->base = FL_WHEN_CLOCK;
		return parse_clock(&at, &when->ns) && !*at;
	}
	if (text[0] != '-' && strchr(text, '-')) {
		when->base = FL_WHEN_ABSOLUTE;
		return parse_date(text, when);
	}
	if (parse_share(text, &when->ns)) {
		when->base = FL_WHEN_SHARE;
		return true;
	}
	if (parse_seconds(text, &when->ns)) {
		when->base = when->ns ? FL_WHEN_SECONDS : FL_WHEN_NONE;
		return true;
	}
	if (!fl_parse_duration(text, &ns))
		return false;
	when->ns = ns;
	if (ns < 0)
		when->base = FL_WHEN_END;
	else if (ns < INT64_C(1500000000000000000))
		when->base = ns ? FL_WHEN_START : FL_WHEN_NONE;
	else
		when->base = FL_WHEN_ABSOLUTE;
	return true;
}

bool fl_parse_date(const char *text, int64_t *ns)
{
	struct slice all = { text, strlen(text) };
	struct fl_when when = { .base = FL_WHEN_NONE };

	if (fl_parse_decimal(all, 9, ns))
		return *ns > 0;
	if (!parse_when(text, &when) || when.base != FL_WHEN_ABSOLUTE)
		return false;
	*ns = when.ns;
	return true;
}

/* The nearest time that there is. */
static int64_t later(int64_t time, int64_t ns)
{
	return FL_MAX(fl_add_clamped(time, ns), FLAME_NOTIME + 1);
}

static int64_t share_of(int64_t start, int64_t end, int64_t share)
{
	int64_t span;

	if (start == FLAME_NOTIME || end == FLAME_NOTIME)
		return FLAME_NOTIME;
	if (__builtin_sub_overflow(end, start, &span) || span < 0)
		return start;
	return start + span / FL_SHARE_UNIT * share +
	       span % FL_SHARE_UNIT * share / FL_SHARE_UNIT;
}

/* Times below are of a clock that began when the machine did. */
#define EARLIEST_DATE INT64_C(100000000000000000)	/* 1973 */

/*
 * perf's seconds, of an input with perf's clock or of one with dates.  Small
 * numbers are milliseconds from the start of an input with dates.
 */
static int64_t own_time(int64_t start, int64_t ns)
{
	if (start == FLAME_NOTIME)
		return FLAME_NOTIME;
	if (start < EARLIEST_DATE || ns >= EARLIEST_DATE)
		return ns;
	return later(start, ns / 1000);
}

int64_t fl_when_resolve(const struct fl_when *when, int64_t start, int64_t end)
{
	int64_t midnight;
	time_t t;
	struct tm tm;

	switch (when->base) {
	case FL_WHEN_NONE:
		return FLAME_NOTIME;
	case FL_WHEN_ABSOLUTE:
		return when->ns;
	case FL_WHEN_START:
		return start == FLAME_NOTIME ? FLAME_NOTIME :
						later(start, when->ns);
	case FL_WHEN_END:
		return end == FLAME_NOTIME ? FLAME_NOTIME :
					      later(end, when->ns);
	case FL_WHEN_CLOCK:
		if (start == FLAME_NOTIME)
			return FLAME_NOTIME;
		t = start / 1000000000;
		localtime_r(&t, &tm);
		tm.tm_hour = tm.tm_min = tm.tm_sec = 0;
		tm.tm_isdst = -1;
		if (__builtin_mul_overflow((int64_t)mktime(&tm), 1000000000,
					   &midnight))
			midnight = start;
		return later(midnight, when->ns);
	case FL_WHEN_SHARE:
		return share_of(start, end, when->ns);
	case FL_WHEN_SECONDS:
		return own_time(start, when->ns);
	}
	return FLAME_NOTIME;
}

bool fl_select_needs_end(const struct fl_select *select)
{
	return select->from.base == FL_WHEN_END ||
	       select->from.base == FL_WHEN_SHARE ||
	       select->to.base == FL_WHEN_END ||
	       select->to.base == FL_WHEN_SHARE;
}

static void print_time(char *text, size_t size, int64_t ns, bool dates,
		       bool zoneless)
{
	time_t t = ns / 1000000000;
	struct tm tm;
	size_t n;

	if (!dates) {
		snprintf(text, size, "%" PRId64 ".%06" PRId64,
			 ns / 1000000000, ns % 1000000000 / 1000);
		return;
	}
	if (zoneless)
		gmtime_r(&t, &tm);
	else
		localtime_r(&t, &tm);
	n = strftime(text, size, "%Y-%m-%dT%H:%M:%S", &tm);
	snprintf(text + n, size - n, ".%03" PRId64, ns % 1000000000 / 1000000);
}

/* The first and the last of the times that are known. */
static bool known_span(const struct flame_source *source, int64_t *first,
		       int64_t *last)
{
	const int64_t times[] = {
		source->start, source->end, source->first, source->last,
		source->seen_first, source->seen_last
	};

	*first = *last = FLAME_NOTIME;
	for (size_t i = 0; i < FL_COUNT(times); i++) {
		if (times[i] == FLAME_NOTIME)
			continue;
		if (*first == FLAME_NOTIME || times[i] < *first)
			*first = times[i];
		*last = FL_MAX(*last, times[i]);
	}
	return *first != FLAME_NOTIME;
}

void fl_select_report_span(const struct flame_source *source)
{
	const struct fl_select *s = &source->select;
	const char *name = fl_in_name(source->in);
	int64_t first, last, from, to;
	char begins[64], ends[64];
	bool dates;

	if (!s->from.base && !s->to.base)
		return;
	if (!known_span(source, &first, &last)) {
		fl_remark(source->flame, "%s: has no times: --from and --to "
			  "leave nothing of it", name);
		return;
	}
	from = fl_when_resolve(&s->from, source->start, source->end);
	to = fl_when_resolve(&s->to, source->start, source->end);
	if (from != FLAME_NOTIME && to != FLAME_NOTIME && from > to) {
		fl_remark(source->flame, "%s: --from is after --to", name);
		return;
	}
	if ((from == FLAME_NOTIME || from <= last) &&
	    (to == FLAME_NOTIME || to >= first))
		return;
	dates = first >= EARLIEST_DATE;
	print_time(begins, sizeof(begins), first, dates, source->zoneless);
	print_time(ends, sizeof(ends), last, dates, source->zoneless);
	fl_remark(source->flame, "%s: --from and --to are outside the input, "
		  "which goes from %s to %s (%s)", name, begins, ends,
		  dates ? "local time" : "seconds of its own clock");
}

bool fl_source_span(const struct flame_source *source, int64_t *from,
		    int64_t *to)
{
	const struct fl_select *s = &source->select;
	int64_t start = source->start, end = source->end, limit;

	*from = source->first == FLAME_NOTIME ? start : source->first;
	*to = end == FLAME_NOTIME ? source->last : end;
	if (*from == FLAME_NOTIME || *to == FLAME_NOTIME)
		return false;
	limit = fl_when_resolve(&s->from, start, end);
	*from = FL_MAX(*from, limit);
	limit = fl_when_resolve(&s->to, start, end);
	if (limit != FLAME_NOTIME)
		*to = FL_MIN(*to, limit);
	return *from < *to;
}

bool fl_state_listed(const char *list, struct slice state)
{
	if (fl_slice_starts(state, "STATE_")) {
		state.data += 6;
		state.size -= 6;
	}
	while (*list) {
		size_t n = strcspn(list, ",");

		if (n && n <= state.size &&
		    strncasecmp(list, state.data, n) == 0)
			return true;
		list += n + (list[n] == ',');
	}
	return false;
}

/* The rows ---------------------------------------------------------------- */

static int set_event(struct flame *flame, void *member, const char *value,
		     char reason[FL_REASON_SIZE])
{
	if (strcmp(value, "all") != 0)
		return fl_option_text(flame, member, value);
	snprintf(reason, FL_REASON_SIZE, "different events are not added up: "
		 "choose one (list: show them)");
	return FLAME_FAILED;
}

static int set_when(struct flame *flame, void *member, const char *value,
		    char reason[FL_REASON_SIZE])
{
	struct fl_when when = { .base = FL_WHEN_NONE };

	(void)flame;
	if (!parse_when(value, &when)) {
		snprintf(reason, FL_REASON_SIZE, "a time: ms, 5s, -3s (from "
			 "the end), 50%%, HH:MM[:SS], YYYY-MM-DD[THH:MM[:SS]]"
			 "[Z], 12345.678901 (perf's clock)");
		return FLAME_FAILED;
	}
	*(struct fl_when *)member = when;
	return FLAME_OK;
}

/* 0 stands for no limit; as an end it would select nothing. */
static int set_to(struct flame *flame, void *member, const char *value,
		  char reason[FL_REASON_SIZE])
{
	int status = set_when(flame, member, value, reason);

	if (status != FLAME_OK ||
	    ((struct fl_when *)member)->base != FL_WHEN_NONE)
		return status;
	snprintf(reason, FL_REASON_SIZE, "nothing is before the start: leave "
		 "it out, or choose a later time");
	return FLAME_FAILED;
}

#define AT(member) .offset = offsetof(struct fl_select, member)

/* In the order in which a sample meets those that select. */
static const struct fl_option rows[] = {
	{ "event", "NAME", "choose this event or metric; list: show them",
	  FL_OPTION_TEXT, AT(event), .set = set_event,
	  .selects = FLAME_BY_METRIC, .often = true },
	{ "leak", NULL, "only native memory that was never freed",
	  FL_OPTION_FLAG, AT(leak), .selects = FLAME_BY_METRIC },
	{ "thread", "RE", "only threads whose name matches",
	  FL_OPTION_REGEXES, AT(thread),
	  .selects = FLAME_BY_VALUE, .often = true },
	{ "state", "LIST", "only these thread states (runnable,sleeping)",
	  FL_OPTION_TEXT, AT(state),
	  .selects = FLAME_BY_VALUE, .often = true },
	{ "from", "TIME", "from this time on",
	  FL_OPTION_SPECIAL, AT(from), .set = set_when,
	  .selects = FLAME_BY_TIME, .often = true },
	{ "to", "TIME", "up to this time",
	  FL_OPTION_SPECIAL, AT(to), .set = set_to,
	  .selects = FLAME_BY_TIME, .often = true },
	{ "survey", NULL, "count threads and times of all events",
	  FL_OPTION_FLAG, AT(survey), FL_SCOPE_HIDDEN },
	{ "alone", NULL, "no other input is pumped into the sink",
	  FL_OPTION_FLAG, AT(alone), FL_SCOPE_HIDDEN },
	{ .name = NULL }
};

const struct fl_option_table fl_select_table = {
	.rows = rows, .size = sizeof(struct fl_select),
};

/* Single samples ---------------------------------------------------------- */

static bool label_passes(struct flame *flame, flame_id set, const char *key,
			 const struct fl_regex *re, const char *list)
{
	flame_id value = flame_label_get(flame, set, fl_name(flame, key));
	struct slice text = fl_name_at(flame, value);

	return re ? fl_regex_match(re, text.data, text.size) :
		    fl_state_listed(list, text);
}

static void record_time(struct flame_source *source, int64_t time)
{
	if (source->seen_first == FLAME_NOTIME || time < source->seen_first)
		source->seen_first = time;
	source->seen_last = FL_MAX(source->seen_last, time);
}

/* Of an input whose times have no zone, a time is compared as it is printed. */
static int64_t resolve(const struct flame_source *source,
		       const struct fl_when *when)
{
	const int64_t day = INT64_C(86400) * 1000000000;
	int64_t start = source->start;

	if (source->zoneless && when->base == FL_WHEN_ABSOLUTE &&
	    when->zoneless)
		return when->printed;
	if (source->zoneless && when->base == FL_WHEN_CLOCK &&
	    start != FLAME_NOTIME)
		return start - start % day + when->ns;
	return fl_when_resolve(when, start, source->end);
}

bool fl_select_pass(struct flame_source *source,
		    const struct flame_sample *sample)
{
	const struct fl_select *s = &source->select;
	int64_t from, to;

	if (s->thread && !label_passes(source->flame, sample->thread, "thread",
				       s->thread, NULL))
		return false;
	if (s->state && !label_passes(source->flame, sample->labels, "state",
				      NULL, s->state))
		return false;
	if (!s->from.base && !s->to.base)
		return true;
	if (sample->time == FLAME_NOTIME)
		return false;
	record_time(source, sample->time);
	from = resolve(source, &s->from);
	to = resolve(source, &s->to);
	return (from == FLAME_NOTIME || sample->time >= from) &&
	       (to == FLAME_NOTIME || sample->time <= to);
}

flame_id fl_thread(struct flame *flame, struct slice name, int64_t tid)
{
	char number[24];
	flame_id set = 0;

	snprintf(number, sizeof(number), "%" PRId64, tid);
	if (name.data)
		set = flame_label(flame, set, fl_name(flame, "thread"),
				  flame_name(flame, name.data, name.size));
	return flame_label(flame, set, fl_name(flame, "tid"),
			   fl_name(flame, number));
}

static struct slice label(struct flame *flame, flame_id set, const char *key)
{
	return fl_name_at(flame, flame_label_get(flame, set,
						 fl_name(flame, key)));
}

flame_id fl_thread_frame(struct flame *flame, flame_id thread)
{
	struct slice ready = label(flame, thread, "thread-frame");
	struct slice name = label(flame, thread, "thread");
	struct slice tid = label(flame, thread, "tid");
	struct fl_buf buf = { 0 };
	flame_id frame;

	if (ready.size) {
		fl_buf_put(&buf, ready.data, ready.size);
	} else {
		fl_buf_byte(&buf, '[');
		fl_buf_put(&buf, name.data, name.size);
		if (tid.size)
			fl_buf_text(&buf, name.size ? " tid=" : "tid=");
		fl_buf_put(&buf, tid.data, tid.size);
		fl_buf_byte(&buf, ']');
	}
	if (buf.failed)
		fl_no_memory(flame);
	frame = fl_frame(flame, flame_name(flame, buf.data, buf.size),
			 FLAME_GROUP);
	fl_buf_free(&buf);
	return frame;
}
