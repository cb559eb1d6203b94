/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Shared by readers and writers of pprof, OTLP and other interchange formats:
 * metrics and units as these spell them ("cpu", "nanoseconds") and back,
 * threads by their names, and frames of V8.  fl_ends_in_unit() recognizes lines
 * such as "a;b 12ms" for folded/sniff.c and unreadable.c.
 */
#include "fl.h"

#include "format/format.h"

static const struct { const char *theirs, *ours; } units[] = {
	{ "nanoseconds", "ns" }, { "microseconds", "us" },
	{ "milliseconds", "ms" }, { "seconds", "s" },
};

/* Metrics whose count is a number of samples. */
static const char *const sampled[] = {
	"samples", "cpu", "wall", "on_cpu", "off_cpu", "itimer"
};

static bool is_sampled(struct slice type)
{
	for (size_t i = 0; i < FL_COUNT(sampled); i++)
		if (fl_slice_is(type, sampled[i]))
			return true;
	return false;
}

flame_id fl_typed_metric(struct flame *flame, struct slice type,
			 struct slice unit)
{
	struct fl_buf name = { 0 }, spelled = { 0 };
	flame_id metric = 0;

	if (!type.size)
		type = FL_SLICE("samples");
	if (!unit.size)
		unit = FL_SLICE("count");
	for (size_t i = 0; i < FL_COUNT(units); i++)
		if (fl_slice_is(unit, units[i].theirs))
			unit = (struct slice){ units[i].ours,
					       strlen(units[i].ours) };
	if (fl_slice_is(unit, "count") && is_sampled(type))
		unit = FL_SLICE("samples");
	fl_buf_put(&name, type.data, type.size);
	fl_buf_put(&spelled, unit.data, unit.size);
	if (name.failed || spelled.failed)
		fl_no_memory(flame);
	else
		metric = flame_metric(flame, name.data, spelled.data);
	fl_buf_free(&name);
	fl_buf_free(&spelled);
	return metric;
}

const char *fl_long_unit(const char *unit)
{
	for (size_t i = 0; i < FL_COUNT(units); i++)
		if (strcmp(unit, units[i].ours) == 0)
			return units[i].theirs;
	return strcmp(unit, "samples") == 0 ? "count" : unit;
}

/* The offset of " tid=N]" at the end of a text; 0: not found. */
static size_t tid_in(struct slice text)
{
	size_t i = text.size - 1, last = i;

	while (i && text.data[i - 1] >= '0' && text.data[i - 1] <= '9')
		i--;
	return i != last && i > 5 &&
			       memcmp(text.data + i - 5, " tid=", 5) == 0 ?
		       i - 5 :
		       0;
}

flame_id fl_named_thread(struct flame *flame, flame_id thread,
			 struct slice name)
{
	struct slice tid;
	size_t i;

	if (name.size > 2 && name.data[0] == '[' &&
	    name.data[name.size - 1] == ']' && (i = tid_in(name)) > 0) {
		tid = (struct slice){ name.data + i + 5, name.size - i - 6 };
		thread = flame_label(flame, thread, fl_name(flame, "tid"),
				     flame_name(flame, tid.data, tid.size));
		name = (struct slice){ name.data + 1, i - 1 };
	}
	return flame_label(flame, thread, fl_name(flame, "thread"),
			   flame_name(flame, name.data, name.size));
}

/* Functions of V8 ------------------------------------------------------ */

/* V8's marks of tiers: ~ interpreted, ^ and + baseline compilers, *. */
static enum flame_type take_type(struct slice *s)
{
	static const struct {
		char sign;
		enum flame_type type;
	} signs[] = {
		{ '~', FLAME_INTERPRETED }, { '*', FLAME_JIT },
		{ '^', FLAME_C1 }, { '+', FLAME_C1 },
	};

	for (size_t i = 0; i < FL_COUNT(signs); i++)
		if (s->size && s->data[0] == signs[i].sign) {
			s->data++;
			s->size--;
			return signs[i].type;
		}
	return FLAME_UNKNOWN;
}

/* ":13" off the end; false: there is no number. */
static bool cut_number(struct slice *s, int64_t *n)
{
	size_t i = s->size;

	while (i && fl_is_digit(s->data[i - 1]))
		i--;
	if (!i || s->data[i - 1] != ':' ||
	    !fl_parse_digits(fl_slice_from(*s, i), n))
		return false;
	s->size = i - 1;
	return true;
}

/*
 * The offset of the file in "get f /srv/a b.js": name and file may have blanks.
 */
static struct slice split_file(struct slice *s)
{
	static const char *const begins[] = { " /", " node:", " file:", " http" };
	const char *at = NULL;
	struct slice file;

	for (size_t i = 0; i < FL_COUNT(begins) && !at; i++)
		at = fl_slice_find(*s, begins[i]);
	for (size_t i = s->size; i-- && !at;)
		if (s->data[i] == ' ')
			at = s->data + i;
	if (!at)
		return (struct slice){ s->data + s->size, 0 };
	file = (struct slice){ at + 1,
			       s->size - (size_t)(at + 1 - s->data) };
	s->size = (size_t)(at - s->data);
	return file;
}

flame_id fl_v8_frame(struct flame *flame, struct slice s)
{
	struct flame_frame frame = { .type = take_type(&s) };
	int64_t line = 0, column;
	struct slice file;

	if (cut_number(&s, &column) && cut_number(&s, &line)) {
		file = split_file(&s);
		if (file.size)
			frame.file = flame_name(flame, file.data, file.size);
	}
	if (line > 0 && line <= INT32_MAX)
		frame.line = (uint32_t)line;
	if (!s.size)
		s = FL_SLICE("(anonymous)");
	frame.name = flame_name(flame, s.data, s.size);
	return flame_frame(flame, &frame);
}

bool fl_ends_in_unit(struct slice line)
{
	static const char *const known[] = {
		"ns", "us", "\xc2\xb5s", "ms", "s", "sec", "min", "B", "kB",
		"KB", "MB", "GB", "KiB", "MiB", "GiB", "bytes", "samples",
	};
	struct slice word;
	size_t n;

	if (!fl_slice_last_word(&line, &word) || !fl_is_digit(*word.data))
		return false;
	for (n = 0; n < word.size && (fl_is_digit(word.data[n]) ||
				      word.data[n] == '.' ||
				      word.data[n] == ','); n++)
		;
	word = fl_slice_from(word, n);
	for (size_t i = 0; i < FL_COUNT(known); i++)
		if (fl_slice_is(word, known[i]))
			return true;
	return false;
}
