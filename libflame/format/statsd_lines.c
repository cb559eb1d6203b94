/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads what statsd-jvm-profiler has sent, as text: each value of a series
 * cpu.trace... is a sample of the metric cpu, and statsd_names.c makes its
 * stack.  InfluxDB's line protocol, as it is sent and as influx_inspect export
 * prints it:
 *
 *	cpu.trace.a-B-m-3,host=h,pid=7 value=4 1700000000000000000
 *
 * CSV of InfluxDB's query API:
 *
 *	name,tags,time,value
 *	cpu.trace.a-B-m-3,host=h,1700000000000000000,4
 *
 * Graphite's text, where the time comes last:
 *
 *	app.cpu.trace.a-B-m-3 4 1700000000
 *
 * A time is never a weight.
 */
#include "fl.h"

#include "format/format.h"

#include <inttypes.h>

enum kind { NONE, INFLUX, CSV, GRAPHITE };

enum { PROBE_LINES = 50, PROBE_BITS = 30 };

/* A column of CSV. */
struct column {
	enum { OTHER, NAME, TAGS, TIME, VALUE } kind;
	flame_id name;
};

struct statsd {
	struct flame_source *source;
	struct flame *flame;
	struct fl_lines lines;
	struct fl_statsd_names names;
	enum kind kind;
	struct column *columns;
	size_t ncolumns, capacity;
	struct fl_buf text;	/* of a tag or a name, without escapes */
	struct fl_buf row;	/* of CSV: fields without their quotes */
	uint64_t others;	/* points of something else */
};

/* A point; slices are of its line. */
struct point {
	struct slice name;	/* with escapes */
	struct slice tags;	/* "a=b,c=d", with escapes */
	struct slice value, time;
};

/* Times --------------------------------------------------------------- */

static int64_t time_of(struct slice text)
{
	int64_t ns;

	if (fl_statsd_time(text, &ns) || fl_java_time(text, true, &ns))
		return ns;
	return FLAME_NOTIME;
}

/* Line protocol ------------------------------------------------------- */

/* Up to a blank (or another sign) that is not escaped, or within quotes. */
static struct slice take_until(struct slice *rest, const char *signs)
{
	bool quoted = false;
	size_t i;

	for (i = 0; i < rest->size; i++) {
		char c = rest->data[i];

		if (c == '\\' && i + 1 < rest->size)
			i++;
		else if (c == '"' && *signs == ' ')
			quoted = !quoted;
		else if (!quoted && c && strchr(signs, c))
			break;
	}
	rest->data += i;
	rest->size -= i;
	return (struct slice){ rest->data - i, i };
}

static bool take_sign(struct slice *rest, char sign)
{
	if (!rest->size || rest->data[0] != sign)
		return false;
	rest->data++;
	rest->size--;
	return true;
}

/* A field's number: 12, 12i, 12u, 1.5; false for texts and truth. */
static bool is_number(struct slice value)
{
	struct fl_decimal number;

	if (value.size > 1 && (fl_slice_ends(value, "i") ||
			       fl_slice_ends(value, "u")))
		value.size--;
	return fl_decimal_parse(value, &number) && !number.percent;
}

/* Of a=1,b="x",value=2: the field named value, or else the first number. */
static bool take_fields(struct slice fields, struct slice *value)
{
	bool any = false;

	*value = (struct slice){ "", 0 };
	while (fields.size) {
		struct slice field = take_until(&fields, " ,"), text;
		struct slice key = take_until(&field, "=");

		if (!key.size || !take_sign(&field, '=') || !field.size)
			return false;
		text = field;
		any = true;
		if (is_number(text) &&
		    (!value->size || fl_slice_is(key, "value")))
			*value = text;
		if (fields.size && !take_sign(&fields, ','))
			return false;
	}
	return any;
}

static bool split_influx(struct slice line, struct point *point)
{
	struct slice rest = line, fields;
	int64_t ns;

	*point = (struct point){ .name = take_until(&rest, ", ") };
	if (!point->name.size)
		return false;
	point->tags = (struct slice){ rest.data, 0 };
	if (take_sign(&rest, ','))
		point->tags = take_until(&rest, " ");
	if (!take_sign(&rest, ' '))
		return false;
	fields = take_until(&rest, " ");
	if (!take_fields(fields, &point->value))
		return false;
	point->time = fl_slice_trim(rest);
	return !point->time.size || fl_statsd_time(point->time, &ns) ||
	       fl_slice_is(point->time, "0");
}

/* Graphite ------------------------------------------------------------ */

static bool split_graphite(struct slice line, struct point *point)
{
	struct slice rest = fl_slice_trim(line), word;
	struct fl_decimal number;
	int64_t ns;

	*point = (struct point){ .tags = { "", 0 } };
	if (!fl_slice_last_word(&rest, &point->time) ||
	    !(fl_statsd_time(point->time, &ns) ||
	      fl_slice_is(point->time, "-1")) ||
	    !fl_slice_last_word(&rest, &point->value) ||
	    !fl_decimal_parse(point->value, &number) || number.percent)
		return false;
	rest = fl_slice_trim(rest);
	word = fl_slice_split(&rest, ';');
	point->name = word;
	point->tags = rest;
	/* A path has dots, a tag of it is name=value; neither has blanks. */
	if (!memchr(word.data, '.', word.size) ||
	    memchr(word.data, ' ', word.size) ||
	    memchr(word.data, '\t', word.size))
		return false;
	while (rest.size) {
		word = fl_slice_split(&rest, ';');
		if (word.size && !memchr(word.data, '=', word.size))
			return false;
	}
	return true;
}

/* CSV ----------------------------------------------------------------- */

/* The next field; unquoted into the buffer, which is large enough. */
static bool take_csv(struct slice *rest, struct fl_buf *buf,
		     struct slice *field)
{
	size_t begin = buf->size;

	if (!take_sign(rest, '"')) {
		*field = fl_slice_split(rest, ',');
		return true;
	}
	for (;;) {
		struct slice part = fl_slice_split(rest, '"');

		fl_buf_put(buf, part.data, part.size);
		if (part.data + part.size == rest->data)
			return false;
		if (!take_sign(rest, '"'))
			break;
		fl_buf_byte(buf, '"');
	}
	if (buf->failed)
		return false;
	*field = (struct slice){ buf->data + begin, buf->size - begin };
	return !rest->size || take_sign(rest, ',');
}

static bool is_csv_header(struct slice line)
{
	bool has_time = false;

	if (!fl_slice_starts(line, "name,"))
		return false;
	while (line.size)
		has_time |= fl_slice_is(fl_slice_split(&line, ','), "time");
	return has_time;
}

static void read_csv_header(struct statsd *s, struct slice line)
{
	static const struct { const char *name; int kind; } known[] = {
		{ "name", NAME }, { "tags", TAGS }, { "time", TIME },
		{ "value", VALUE }
	};

	s->ncolumns = 0;
	while (line.size) {
		struct slice name = fl_slice_split(&line, ',');
		struct column column = { .kind = OTHER };

		for (size_t i = 0; i < FL_COUNT(known); i++)
			if (fl_slice_is(name, known[i].name))
				column.kind = known[i].kind;
		column.name = flame_name(s->flame, name.data, name.size);
		if (!fl_grow(&s->columns, &s->capacity, s->ncolumns + 1,
			     sizeof(*s->columns))) {
			fl_no_memory(s->flame);
			return;
		}
		s->columns[s->ncolumns++] = column;
	}
}

/* Points -------------------------------------------------------------- */

/* Tags become labels; separated by the sign, '\' escapes. */
static flame_id labels_of(struct statsd *s, flame_id labels,
			  struct slice tags, char sign)
{
	const char signs[] = { sign, '\0' };

	while (tags.size) {
		struct slice tag = take_until(&tags, signs);
		struct slice key = take_until(&tag, "=");

		take_sign(&tags, sign);
		if (!take_sign(&tag, '=') || !key.size || !tag.size)
			continue;
		s->text.size = 0;
		for (size_t i = 0; i < tag.size; i++)
			if (tag.data[i] != '\\' || i + 1 == tag.size)
				fl_buf_byte(&s->text, tag.data[i]);
		labels = flame_label(s->flame, labels,
				     flame_name(s->flame, key.data, key.size),
				     flame_name(s->flame, s->text.data ?
						s->text.data : "",
						s->text.size));
	}
	return labels;
}

/* false: the point is not a stack, or weighs nothing. */
static bool emit(struct statsd *s, flame_id stack, flame_id labels,
		 struct slice value, struct slice time,
		 struct flame_sample *sample)
{
	int64_t weight;

	if (value.size > 1 && (fl_slice_ends(value, "i") ||
			       fl_slice_ends(value, "u")))
		value.size--;
	s->others += !stack;
	if (!stack || !fl_parse_decimal(value, 0, &weight))
		return false;
	*sample = (struct flame_sample){
		.stack = stack, .labels = labels, .weight = weight,
		.metric = fl_metric(s->flame, "cpu", "ns", "samples"),
		.time = time_of(time),
	};
	fl_metric_count(s->flame, sample->metric, (uint64_t)FL_MAX(weight, 0),
			weight);
	s->lines.good++;
	return weight != 0;
}

/* The name without the '\' before its commas, blanks and signs. */
static flame_id stack_of(struct statsd *s, struct slice name)
{
	if (!memchr(name.data, '\\', name.size))
		return fl_statsd_stack(&s->names, name);
	s->text.size = 0;
	for (size_t i = 0; i < name.size; i++)
		if (name.data[i] != '\\' || i + 1 == name.size)
			fl_buf_byte(&s->text, name.data[i]);
	return fl_statsd_stack(&s->names, (struct slice){
		s->text.data ? s->text.data : "", s->text.size });
}

static bool read_csv(struct statsd *s, struct slice line,
		     struct flame_sample *sample)
{
	struct slice rest = line, value = { "", 0 }, time = value, field;
	flame_id stack = 0, labels = 0;

	s->row.size = 0;
	fl_buf_reserve(&s->row, line.size);
	for (size_t i = 0; i < s->ncolumns; i++) {
		const struct column *c = &s->columns[i];

		if (!take_csv(&rest, &s->row, &field)) {
			fl_lines_bad(&s->lines, line);
			return false;
		}
		if (c->kind == NAME)
			stack = fl_statsd_stack(&s->names, field);
		else if (c->kind == TAGS)
			labels = labels_of(s, labels, field, ',');
		else if (c->kind == TIME)
			time = field;
		else if (is_number(field) &&
			 (c->kind == VALUE || !value.size))
			value = field;
		else if (c->kind == OTHER && field.size)
			labels = flame_label(s->flame, labels, c->name,
					     flame_name(s->flame, field.data,
							field.size));
	}
	return emit(s, stack, labels, value, time, sample);
}

static bool read_point(struct statsd *s, struct slice line,
		       struct flame_sample *sample)
{
	bool influx = s->kind == INFLUX;
	struct point point;
	flame_id stack, labels = 0;

	if (influx ? !split_influx(line, &point) :
		     !split_graphite(line, &point)) {
		fl_lines_bad(&s->lines, line);
		return false;
	}
	stack = stack_of(s, point.name);
	if (stack)
		labels = labels_of(s, 0, point.tags, influx ? ',' : ';');
	return emit(s, stack, labels, point.value, point.time, sample);
}

/* Lines of influx_inspect export between points, and blank lines. */
static bool is_ignored(struct slice line)
{
	return !fl_slice_trim(line).size || line.data[0] == '#' ||
	       fl_slice_starts(line, "CREATE ");
}

static enum kind kind_of(struct slice line)
{
	struct point point;

	return is_csv_header(line) ? CSV :
	       split_influx(line, &point) ? INFLUX :
	       split_graphite(line, &point) ? GRAPHITE : NONE;
}

/* The row of formats.def ------------------------------------------------- */

static int at_end(struct statsd *s)
{
	const char *name = fl_in_name(s->source->in);
	int status = fl_lines_end(s->source, &s->lines);

	if (s->others && s->lines.good)
		fl_remark(s->flame, "%s: %" PRIu64 " points are of no stack "
			  "(cpu.trace.*) and left out", name, s->others);
	else if (s->others)
		fl_warn(s->flame, "%s: metrics without stacks: none of %"
			PRIu64 " points is of statsd-jvm-profiler's "
			"cpu.trace.*", name, s->others);
	if (s->others && !s->lines.good)
		s->source->damage = 2;
	s->others = 0;
	return status;
}

static int read(struct flame_source *source)
{
	const struct fl_lines_options *options = source->options;
	struct statsd *s = source->state;
	struct flame_sample sample;
	struct slice line;
	bool is_sample;

	s->names.lines = options->lines;
	while (fl_lines_next(&s->lines, &line)) {
		if (is_ignored(line))
			continue;
		/* Several answers may follow one another. */
		if (s->kind == NONE || is_csv_header(line))
			s->kind = kind_of(line);
		if (s->kind == CSV && is_csv_header(line)) {
			read_csv_header(s, line);
			continue;
		}
		is_sample = s->kind == CSV ? read_csv(s, line, &sample) :
					     read_point(s, line, &sample);
		if (s->text.failed || s->row.failed || s->names.buf.failed)
			return fl_no_memory(source->flame);
		if (fl_failed(source->flame))
			return FLAME_FAILED;
		if (is_sample)
			return fl_batch_add(source, &sample);
	}
	return at_end(s);
}

static int open_statsd(struct flame_source *source)
{
	struct statsd *s = source->state;

	s->source = source;
	s->flame = source->flame;
	s->lines.in = source->in;
	s->lines.source = source;
	s->names.flame = source->flame;
	return FLAME_OK;
}

static void release(void *state)
{
	struct statsd *s = state;

	fl_buf_free(&s->text);
	fl_buf_free(&s->row);
	fl_buf_free(&s->names.buf);
	fl_free(s->columns);
}

/* All complete lines must be points of one kind. */
static int probe(const uint8_t *head, size_t n, bool whole)
{
	struct slice rest = { (const char *)head, n };
	enum kind kind = NONE;
	unsigned lines = 0;

	if (n && memchr(head, '\0', n))
		return 0;
	while (rest.size && lines < PROBE_LINES && kind != CSV) {
		bool ended = memchr(rest.data, '\n', rest.size) != NULL;
		struct slice line = fl_slice_split(&rest, '\n');

		if (!ended && !whole)
			break;
		if (line.size && line.data[line.size - 1] == '\r')
			line.size--;
		if (is_ignored(line))
			continue;
		if (!lines++)
			kind = kind_of(line);
		else if (kind_of(line) != kind)
			return 0;
		if (kind == NONE)
			return 0;
	}
	if (!lines)
		return whole || n >= 1 << 20 ? 0 : -1;
	return PROBE_BITS;
}

const struct fl_format fl_format_statsd_lines = {
	.name = "statsd",
	.summary = "stacks of statsd-jvm-profiler: InfluxDB's, Graphite's text",
	.probe = probe,
	.state_size = sizeof(struct statsd),
	.open = open_statsd,
	.read = read,
	.release = release,
	.options = &fl_lines_option_table,
};
