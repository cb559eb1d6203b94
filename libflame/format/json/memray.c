/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Format memray: reads the data of memray's flame graph pages, a call tree,
 * into samples of bytes and of allocations.  Each attribute of the nodes is a
 * column; names of functions and files are indices into "strings":
 *
 *	{"nodes": {"children": [[1], []], "function": [0, 1], "filename":
 *	 [0, 2], "lineno": [0, 7], "value": [9, 9], "n_allocations": [1, 1]},
 *	 "strings": ["<root>", "work", "/srv/a.py"]}
 *
 * Values are those of a node and all below it.
 */
#include "fl.h"

#include "format/json/fields.h"

#include <stdlib.h>

enum column { FUNCTION, FILE_NAME, LINE, VALUE, COUNT, COLUMNS };

struct numbers {
	int64_t *data;
	size_t count, capacity;
};

struct reader {
	struct fl_json_source js;
	struct numbers column[COLUMNS];
	struct numbers parents;	/* of nodes, by their number; -1: none */
	struct numbers strings;	/* names */
	struct fl_buf buf;
	bool temporal;		/* nodes have no values; intervals have */
};

static bool add(struct reader *r, struct numbers *numbers, int64_t n)
{
	if (!fl_grow(&numbers->data, &numbers->capacity, numbers->count + 1,
		     sizeof(*numbers->data))) {
		fl_no_memory(r->js.flame);
		return false;
	}
	numbers->data[numbers->count++] = n;
	return true;
}

static void read_column(struct fl_json_source *js, void *object)
{
	struct numbers *numbers = object;
	struct fl_json *json = &js->json;
	int64_t n;

	numbers->count = 0;
	while (fl_json_element(json)) {
		if (json->token != FL_JSON_NUMBER ||
		    !fl_parse_int(json->text, &n))
			n = -1;
		fl_json_skip(json);
		if (!add(js->source->state, numbers, n))
			return;
	}
}

/* A child comes after its parent, so that there are no cycles. */
static void set_parent(struct reader *r, size_t parent, struct slice text)
{
	int64_t child;

	if (!fl_parse_int(text, &child) || child <= (int64_t)parent ||
	    child >= INT32_MAX) {
		fl_json_bad(&r->js, "a child that is not after its parent");
		return;
	}
	/* Numbers are dense: there are as many nodes, or it is damaged. */
	if ((size_t)child > r->parents.count + (1 << 20))
		return;
	while (r->parents.count <= (size_t)child)
		if (!add(r, &r->parents, -1))
			return;
	r->parents.data[child] = (int64_t)parent;
}

static void read_children(struct fl_json_source *js, void *object)
{
	struct reader *r = object;
	struct fl_json *json = &js->json;
	size_t parent = 0;

	r->parents.count = 0;
	for (; fl_json_element(json); parent++) {
		if (json->token != FL_JSON_ARRAY) {
			fl_json_skip(json);
			continue;
		}
		while (fl_json_element(json)) {
			if (json->token == FL_JSON_NUMBER)
				set_parent(r, parent, json->text);
			fl_json_skip(json);
		}
	}
}

#define COLUMN(key, which) \
	FL_FIELD_CALL_AT(key, LIST, read_column, struct reader, column[which])

static const struct fl_json_field nodes[] = {
	COLUMN("function", FUNCTION),
	COLUMN("filename", FILE_NAME),
	COLUMN("lineno", LINE),
	COLUMN("value", VALUE),
	COLUMN("n_allocations", COUNT),
	FL_FIELD_CALL("children", LIST, read_children),
	{ .key = NULL }
};

/* Texts are for a page: "&lt;module&gt;". */
static flame_id unescape(struct reader *r, struct slice text)
{
	static const struct { const char *from; char to; } entities[] = {
		{ "&lt;", '<' }, { "&gt;", '>' }, { "&quot;", '"' },
		{ "&#x27;", '\'' }, { "&amp;", '&' },
	};
	struct fl_buf *buf = &r->buf;

	buf->size = 0;
	while (text.size) {
		size_t n = 1;
		char c = text.data[0];

		for (size_t i = 0; c == '&' && i < FL_COUNT(entities); i++)
			if (fl_slice_starts(text, entities[i].from)) {
				n = strlen(entities[i].from);
				c = entities[i].to;
				break;
			}
		fl_buf_byte(buf, c);
		text = fl_slice_from(text, n);
	}
	if (buf->failed)
		fl_no_memory(r->js.flame);
	return flame_name(r->js.flame, buf->data ? buf->data : "", buf->size);
}

static void read_strings(struct fl_json_source *js, void *object)
{
	struct reader *r = object;
	struct fl_json *json = &js->json;

	r->strings.count = 0;
	while (fl_json_element(json)) {
		flame_id name = json->token != FL_JSON_STRING ? 0 :
				unescape(r, json->text);

		fl_json_skip(json);
		if (!add(r, &r->strings, name))
			return;
	}
}

static flame_id name_at(const struct reader *r, enum column column, size_t node)
{
	int64_t n = r->column[column].data[node];

	return n >= 0 && (size_t)n < r->strings.count ?
	       (flame_id)r->strings.data[n] : 0;
}

static flame_id frame_of(struct reader *r, size_t node)
{
	const struct fl_lines_options *options = r->js.source->options;
	int64_t line = r->column[LINE].data[node];
	struct flame_frame frame = {
		.name = name_at(r, FUNCTION, node),
		.file = name_at(r, FILE_NAME, node),
	};

	if (options->lines && line > 0 && line <= INT32_MAX)
		frame.line = (uint32_t)line;
	return flame_frame(r->js.flame, &frame);
}

/* What nodes have beyond their children. */
static void emit(struct reader *r, enum column column, const flame_id *stacks,
		 flame_id metric)
{
	const struct numbers *total = &r->column[column];
	struct numbers self = { 0 };

	for (size_t i = 0; i < total->count; i++)
		if (!add(r, &self, FL_MAX(total->data[i], 0)))
			break;
	for (size_t i = 1; i < self.count; i++) {
		int64_t parent = r->parents.data[i];

		if (parent >= 0)
			self.data[parent] -= FL_MAX(total->data[i], 0);
	}
	for (size_t i = 0; i < self.count; i++) {
		struct flame_sample s = {
			.stack = stacks[i], .metric = metric,
			.weight = self.data[i], .time = FLAME_NOTIME,
		};

		if (self.data[i] < 0)
			fl_json_bad(&r->js, "children with more than their "
				    "parent");
		if (!stacks[i] || self.data[i] <= 0)
			continue;
		fl_metric_count(r->js.flame, metric, 1, s.weight);
		r->js.good++;
		fl_json_add(&r->js, &s);
	}
	fl_free(self.data);
}

static bool is_whole(const struct reader *r)
{
	size_t n = r->column[VALUE].count;

	for (int i = 0; i < COLUMNS; i++)
		if (r->column[i].count != n)
			return false;
	return n && r->parents.count <= n;
}

static void give_tree(struct reader *r)
{
	size_t n = r->column[VALUE].count;
	flame_id *stacks;

	while (r->parents.count < n)
		if (!add(r, &r->parents, -1))
			return;
	stacks = fl_zeroed(n, sizeof(*stacks));
	if (!stacks) {
		fl_no_memory(r->js.flame);
		return;
	}
	/*
	 * The first is the root of all, which is not a frame.  Texts come last,
	 * and a page may be cut: nodes without them have no stack.
	 */
	for (size_t i = 1; i < n; i++) {
		int64_t parent = r->parents.data[i];

		if (!name_at(r, FUNCTION, i) || (parent > 0 && !stacks[parent]))
			fl_json_bad(&r->js, "a node without a name");
		else
			stacks[i] = flame_stack(r->js.flame, parent > 0 ?
						stacks[parent] : 0,
						frame_of(r, i));
	}
	emit(r, VALUE, stacks, flame_metric(r->js.flame, "alloc", "bytes"));
	emit(r, COUNT, stacks, flame_metric(r->js.flame, "allocations",
					    "count"));
	fl_free(stacks);
}

static void read_intervals(struct fl_json_source *js, void *object)
{
	struct reader *r = object;

	r->temporal = true;
	fl_json_skip(&js->json);
}

static const struct fl_json_field document[] = {
	FL_FIELD_ROWS("nodes", INNER, nodes),
	FL_FIELD_CALL("strings", LIST, read_strings),
	FL_FIELD_CALL("intervals", VALUE, read_intervals),
	{ .key = NULL }
};

static void read_document(struct flame_source *source)
{
	struct reader *r = source->state;

	for (int i = 0; i < COLUMNS; i++)
		r->column[i].count = 0;
	r->parents.count = r->strings.count = 0;
	if (!fl_json_object(&r->js, document, r))
		return;
	if (is_whole(r))
		give_tree(r);
	else if (r->temporal)
		fl_fail(source->flame, "%s: a page of memray over time, which "
			"is not read: draw it without --temporal",
			fl_in_name(source->in));
	else
		fl_json_bad(&r->js, "columns of unlike lengths");
}

/* The row of formats.def ------------------------------------------------- */

static void release(void *state)
{
	struct reader *r = state;

	fl_json_source_free(&r->js);
	for (int i = 0; i < COLUMNS; i++)
		fl_free(r->column[i].data);
	fl_free(r->parents.data);
	fl_free(r->strings.data);
	fl_buf_free(&r->buf);
}

static int read(struct flame_source *source)
{
	struct reader *r = source->state;

	return fl_json_read(&r->js, read_document);
}

static int probe(const uint8_t *head, size_t n, bool whole)
{
	return fl_json_probe(head, n, whole, "inverted_no_imports_nodes");
}

const struct fl_format fl_format_memray = {
	.name = "memray",
	.summary = "the data of memray's flame graph pages",
	.probe = probe,
	.state_size = sizeof(struct reader),
	.open = fl_json_source_open,
	.read = read,
	.release = release,
	.json = true,
	.options = &fl_lines_option_table,
};
