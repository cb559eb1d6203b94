/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Shared by readers of JVMs' thread dumps, text and JSON: fl_java_frame()
 * splits a printed frame into its name, line and type, and fl_java_name()
 * spells the name as recordings of JFR do.  Also states of threads, and times.
 */
#include "fl.h"

#include "format/format.h"

#include <time.h>

void fl_java_name(struct fl_buf *buf, struct slice name)
{
	const char *dot;
	size_t i = name.size, begin;

	/* A '/' before a digit is of a hidden class. */
	while (i && (name.data[i - 1] != '/' ||
		     (i < name.size && fl_is_digit(name.data[i]))))
		i--;
	name = fl_slice_from(name, i);
	dot = memrchr(name.data, '.', name.size);
	begin = buf->size;
	fl_buf_put(buf, name.data, name.size);
	for (i = begin; dot && buf->data &&
			i < begin + (size_t)(dot - name.data); i++)
		if (buf->data[i] == '.')
			buf->data[i] = '/';
}

bool fl_java_frame(struct slice text, struct fl_java_frame *frame)
{
	const char *paren = memrchr(text.data, '(', text.size), *at;
	struct slice where;

	if (!paren || paren == text.data || !fl_slice_ends(text, ")"))
		return false;
	where = fl_slice_from(text, (size_t)(paren + 1 - text.data));
	where.size--;
	at = memrchr(where.data, '/', where.size);
	if (at)
		where = fl_slice_from(where, (size_t)(at + 1 - where.data));
	frame->type = fl_slice_is(where, "Native Method") ?
		      FLAME_JAVA_NATIVE : FLAME_UNKNOWN;
	frame->name = (struct slice){ text.data, (size_t)(paren - text.data) };
	frame->line = 0;
	at = memrchr(where.data, ':', where.size);
	if (at &&
	    !fl_parse_int(fl_slice_from(where, (size_t)(at + 1 - where.data)),
			  &frame->line))
		frame->line = 0;
	return true;
}

const char *fl_java_state(struct slice word)
{
	static const char *const states[] = {
		"STATE_NEW", "STATE_RUNNABLE", "STATE_BLOCKED",
		"STATE_WAITING", "STATE_TIMED_WAITING", "STATE_TERMINATED",
	};

	for (size_t i = 0; i < FL_COUNT(states); i++)
		if (fl_slice_is(word, states[i] + strlen("STATE_")))
			return states[i];
	return NULL;
}

static bool parse_part(struct slice *s, size_t digits, char before, int *n)
{
	if (before && (!s->size || s->data[0] != before))
		return false;
	if (before)
		*s = fl_slice_from(*s, 1);
	if (s->size < digits)
		return false;
	*n = 0;
	for (size_t i = 0; i < digits; i++) {
		if (!fl_is_digit(s->data[i]))
			return false;
		*n = *n * 10 + s->data[i] - '0';
	}
	*s = fl_slice_from(*s, digits);
	return true;
}

bool fl_java_time(struct slice s, bool instant, int64_t *ns)
{
	struct tm tm = { 0 };
	int64_t unit = 1000000000, fraction = 0;

	if (!parse_part(&s, 4, 0, &tm.tm_year) ||
	    !parse_part(&s, 2, '-', &tm.tm_mon) ||
	    !parse_part(&s, 2, '-', &tm.tm_mday) ||
	    !parse_part(&s, 2, instant ? 'T' : ' ', &tm.tm_hour) ||
	    !parse_part(&s, 2, ':', &tm.tm_min) ||
	    !parse_part(&s, 2, ':', &tm.tm_sec))
		return false;
	if (instant && s.size && s.data[0] == '.')
		for (s = fl_slice_from(s, 1);
		     s.size && fl_is_digit(s.data[0]) && unit > 1;
		     s = fl_slice_from(s, 1)) {
			unit /= 10;
			fraction += unit * (s.data[0] - '0');
		}
	if (tm.tm_year < 1970 || tm.tm_year > 2200 || tm.tm_mon < 1 ||
	    tm.tm_mon > 12 || tm.tm_mday < 1 || tm.tm_mday > 31 ||
	    !(instant ? fl_slice_is(s, "Z") : !s.size))
		return false;
	tm.tm_year -= 1900;
	tm.tm_mon--;
	*ns = (int64_t)timegm(&tm) * 1000000000 + fraction;
	return true;
}
