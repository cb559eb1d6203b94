/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Names of series in statsd-jvm-profiler, for statsd_lines.c and json/statsd.c.
 * fl_statsd_stack() makes a stack of "cpu.trace.LEAF. ... .ROOT": the frame
 * "a-b-Cls-method-12" is a/b/Cls.method, or, with lines, a/b/Cls.method:12.
 * fl_statsd_time() reads times, whose unit only their magnitude shows.
 */
#include "fl.h"

#include "format/format.h"

static const char mark[] = "cpu.trace.";

/* "a-b-Cls-method-12"; native methods have the line -2, "...-wait--2". */
static flame_id frame_of(struct fl_statsd_names *names, struct slice text)
{
	struct fl_buf *buf = &names->buf;
	size_t end = text.size, digits, method;
	int64_t line = 0;

	for (digits = end; digits && text.data[digits - 1] >= '0' &&
			   text.data[digits - 1] <= '9';)
		digits--;
	if (digits < end && digits && text.data[digits - 1] == '-') {
		fl_parse_int((struct slice){ text.data + digits,
					     end - digits }, &line);
		end = digits - 1;
		if (end && text.data[end - 1] == '-') {
			line = 0;
			end--;
		}
	}
	for (method = end; method && text.data[method - 1] != '-';)
		method--;
	buf->size = 0;
	for (size_t i = 0; i < end; i++)
		fl_buf_byte(buf, text.data[i] != '-' ? text.data[i] :
				 i + 1 == method ? '.' : '/');
	if (names->lines && line > 0) {
		fl_buf_byte(buf, ':');
		fl_buf_number(buf, line);
	}
	return fl_frame(names->flame,
			flame_name(names->flame, buf->data ? buf->data : "",
				   buf->size), FLAME_UNKNOWN);
}

flame_id fl_statsd_stack(struct fl_statsd_names *names, struct slice name)
{
	const char *at = memmem(name.data, name.size, mark, sizeof(mark) - 1);
	flame_id stack = 0;
	size_t end;

	if (!at)
		return 0;
	at += sizeof(mark) - 1;
	name.size -= (size_t)(at - name.data);
	name.data = at;
	/* Without a frame: a series of the bounds of times. */
	if (!memchr(name.data, '-', name.size))
		return 0;
	for (end = name.size; end;) {
		size_t begin = end;

		while (begin && name.data[begin - 1] != '.')
			begin--;
		if (begin < end)
			stack = flame_stack(names->flame, stack, frame_of(names,
				(struct slice){ name.data + begin,
						end - begin }));
		end = begin ? begin - 1 : 0;
	}
	return stack;
}

/* Of the years 1985 to 2286. */
static bool is_seconds(int64_t n)
{
	return n >= 500000000 && n < INT64_C(10000000000);
}

bool fl_statsd_time(struct slice text, int64_t *ns)
{
	int64_t n, scale = 1000000000;

	if (!fl_parse_int(text, &n) || n <= 0)
		return false;
	while (scale && !is_seconds(n / (1000000000 / scale)))
		scale /= 1000;
	if (!scale)
		return false;
	*ns = fl_mul_clamped(n, scale);
	return true;
}
