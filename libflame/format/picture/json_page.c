/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finds the profile in pages that hold it as JSON in a script, and opens it as
 * a source of the format of that JSON, for html.c: memray's flame graphs,
 * pyinstrument's, those of CPython's profiling.sampling, and VizTracer's; and
 * those with a tree of d3-flame-graph: perf script flamegraph, 0x, Clinic,
 * stackprof and others.
 */
#include "fl.h"

#include "format/picture/picture.h"
#include "io/json.h"

enum {
	MAX_MARK = 128,		/* bytes, with the blanks before it */
	MAX_ROOT = 4096		/* of a tree, in which its keys are found */
};

const char *fl_json_page_begins(struct fl_in *in, size_t *size)
{
	static const char *const marks[][2] = {
		{ "const packed_data = ", "memray" },
		{ "const sessionData = ", "pyinstrument" },
		{ "const EMBEDDED_DATA = ", "tachyon" },
		{ "json_data = ", "trace-event" },
	};
	size_t n;
	const uint8_t *head = fl_in_peek(in, MAX_MARK, &n);
	struct slice text = { (const char *)head, FL_MIN(n, (size_t)MAX_MARK) };

	if (!head)
		return NULL;
	text = fl_slice_trim(text);
	for (size_t i = 0; i < FL_COUNT(marks); i++) {
		if (!fl_slice_starts(text, marks[i][0]))
			continue;
		*size = (size_t)(text.data - (const char *)head) +
			strlen(marks[i][0]);
		return marks[i][1];
	}
	return NULL;
}

static struct slice skip_blanks(struct slice s)
{
	while (s.size && memchr(" \t\r\n", s.data[0], 4)) {
		s.data++;
		s.size--;
	}
	return s;
}

enum { NAME = 1, VALUE = 2, CHILDREN = 4, TREE = NAME | VALUE | CHILDREN };

/* What a member of an object says, by its key and its value's beginning. */
static unsigned member(struct slice key, struct slice value)
{
	static const struct { const char *keys[2], *begins; unsigned is; } all[] = {
		{ { "name", "n" }, "\"", NAME },
		{ { "value", "v" }, "0123456789", VALUE },
		{ { "children", "c" }, "[", CHILDREN },
	};

	for (size_t i = 0; i < FL_COUNT(all); i++)
		if ((fl_slice_is(key, all[i].keys[0]) ||
		     fl_slice_is(key, all[i].keys[1])) &&
		    value.size && value.data[0] &&
		    strchr(all[i].begins, value.data[0]))
			return all[i].is;
	return 0;
}

/* Cuts a string off, whose quote comes first; false: it does not end. */
static bool cut_string(struct slice *s, struct slice *text)
{
	size_t i = 1;

	while (i < s->size && s->data[i] != '"')
		i += 1 + (s->data[i] == '\\');
	if (i >= s->size)
		return false;
	*text = (struct slice){ s->data + 1, i - 1 };
	*s = skip_blanks((struct slice){ s->data + i + 1, s->size - i - 1 });
	return true;
}

/*
 * Whether an object is the root of a tree: it has a name and children, and it
 * or a child has a value.
 */
static bool is_tree(struct slice text)
{
	unsigned depth = 0, found = 0;
	struct slice key;

	while (text.size && (found | VALUE) != TREE) {
		char c = text.data[0];

		if (c == '"') {
			if (!cut_string(&text, &key))
				return false;
			if (!text.size || text.data[0] != ':')
				continue;
			text = skip_blanks(fl_slice_from(text, 1));
			if (depth == 1)
				found |= member(key, text);
			continue;
		}
		depth += c == '{' || c == '[';
		depth -= c == '}' || c == ']';
		if (!depth)
			return false;
		text.data++;
		text.size--;
	}
	while (text.size && found != TREE) {
		if (text.data[0] != '"') {
			text.data++;
			text.size--;
			continue;
		}
		if (!cut_string(&text, &key))
			return false;
		if (text.size && text.data[0] == ':')
			found |= member(key,
					skip_blanks(fl_slice_from(text, 1)));
	}
	return found == TREE;
}

bool fl_tree_page_begins(struct fl_in *in, struct slice line, size_t *size)
{
	size_t n, from;
	const uint8_t *begin = fl_in_peek(in, 1, &n);
	const char *at = line.data, *end = at + line.size;

	for (; begin && (at = memchr(at, '{', (size_t)(end - at))); at++) {
		from = (size_t)(at - (const char *)begin);
		/* More than the line: a tree may be written in many. */
		if (n < from + MAX_ROOT) {
			size_t line_from = (size_t)(line.data -
						    (const char *)begin);

			begin = fl_in_peek(in, from + MAX_ROOT, &n);
			at = (const char *)begin + from;
			line.data = (const char *)begin + line_from;
			end = line.data + line.size;
		}
		if (is_tree((struct slice){ at, FL_MIN(n - from,
						       (size_t)MAX_ROOT) })) {
			*size = from;
			return true;
		}
	}
	return false;
}

struct flame_source *fl_json_page_open(struct flame_source *source,
				       const char *format, size_t size)
{
	struct flame_source *inner;
	struct fl_json json;
	const uint8_t *data;
	size_t n;

	fl_in_consume(source->in, size);
	data = fl_in_peek(source->in, SIZE_MAX, &n);
	/* One that is cut is read as far as it goes. */
	fl_json_init_memory(&json, data ? data : (const uint8_t *)"", n);
	fl_json_next(&json);
	if (fl_json_skip(&json))
		n = (size_t)fl_json_offset(&json);
	fl_json_free(&json);
	inner = flame_open_memory(source->flame, data ? (const void *)data : "",
				  n, fl_in_name(source->in), format);
	if (inner) {
		inner->select.needs = source->select.needs;
		inner->select.labels = source->select.labels;
		inner->select.survey = source->select.survey;
		source->surveyed = true;	/* by that one */
	}
	return inner;
}

int fl_json_page_read(struct flame_source *source, struct flame_source *inner)
{
	struct flame_sample sample;
	int status = flame_next(inner, &sample);

	while (status == FLAME_OK) {
		status = fl_batch_add(source, &sample);
		if (status == FLAME_OK)
			status = flame_next(inner, &sample);
	}
	source->damage = FL_MAX(source->damage, inner->damage);
	return status == FLAME_END && source->batch.n ? FLAME_OK : status;
}
