/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Format tachyon: reads the call tree in pages of CPython 3.15's
 * profiling.sampling (--flamegraph) into samples.  Its texts are numbers of
 * strings that follow the tree:
 *
 *	{"name":2,"value":9,"funcname":1,"filename":0,"lineno":3,
 *	 "children":[...],"strings":["a.py","f","Program Root: f (a.py:3)"]}
 *
 * The root is a frame if it has a funcname; functions with less than 0.1 % are
 * not in the page.
 */
#include "fl.h"

#include "format/format.h"
#include "format/json/tree.h"

enum {
	BITS = 40,
	MAX_HEAD = 1 << 20	/* bytes within which a frame must be */
};

struct tachyon {
	struct fl_json_source js;
	struct fl_json_tree tree;
	flame_id *strings;
	size_t nstrings, capacity;
};

/* Of a number of a string: one more, as 0 is none. */
static void read_number(struct fl_json_source *js, void *to)
{
	flame_id *number = to;
	int64_t n;

	*number = !fl_json_integer(&js->json, &n) || n < 0 ||
		  n >= UINT32_MAX ? 0 : (flame_id)(n + 1);
}

static void read_strings(struct fl_json_source *js, void *node)
{
	struct tachyon *t = js->source->state;
	struct fl_json *json = &js->json;

	(void)node;
	t->nstrings = 0;
	while (fl_json_element(json) && !fl_failed(js->flame)) {
		struct slice text = { "", 0 };

		if (json->token == FL_JSON_STRING)
			text = json->text;
		else
			fl_json_skip(json);
		if (!fl_grow(&t->strings, &t->capacity, t->nstrings + 1,
			     sizeof(*t->strings))) {
			fl_no_memory(js->flame);
			return;
		}
		t->strings[t->nstrings++] = flame_name(js->flame, text.data,
						       text.size);
	}
}

static const struct fl_json_field fields[] = {
	FL_FIELD("value", INTEGER, struct fl_json_node, value),
	FL_JSON_CHILDREN("children"),
	FL_FIELD_CALL_AT("filename", VALUE, read_number,
			 struct fl_json_node, file),
	FL_FIELD("lineno", INTEGER, struct fl_json_node, line),
	FL_FIELD_CALL_AT("funcname", VALUE, read_number,
			 struct fl_json_node, name),
	FL_FIELD_CALL("strings", LIST, read_strings),
	{ .key = NULL }
};

static struct slice string_at(const struct tachyon *t, flame_id number)
{
	return number && number <= t->nstrings ?
	       fl_name_at(t->js.flame, t->strings[number - 1]) :
	       (struct slice){ "", 0 };
}

/* As py-spy names frames, f (file.py:3); <GC> and <native> are in "~". */
static flame_id frame_of(struct fl_json_tree *tree,
			 const struct fl_json_node *node)
{
	const struct tachyon *t = (const struct tachyon *)tree->js;
	struct slice file = string_at(t, node->file);

	if (fl_slice_is(file, "~"))
		file.size = 0;
	return fl_json_python_frame(tree->js->flame, &tree->buf,
				    string_at(t, node->name), file,
				    node->line);
}

static bool drops_root(struct fl_json_tree *tree,
		       const struct fl_json_node *root)
{
	(void)tree;
	return !root->name;
}

static const struct fl_json_tree_kind kind = {
	.fields = fields, .frame = frame_of,
	.values = FL_TREE_TOTALS, .drops_root = drops_root,
};

static void read_document(struct flame_source *source)
{
	struct tachyon *t = source->state;
	struct fl_json *json = &t->js.json;

	if (json->token != FL_JSON_OBJECT) {
		fl_json_skip(json);
		return;
	}
	t->tree.js = &t->js;
	t->tree.kind = &kind;
	t->nstrings = 0;
	fl_json_tree_read(&t->tree);
	if (t->tree.count && !t->nstrings && !fl_failed(source->flame))
		fl_json_bad(&t->js, "a call tree without its strings, which "
			    "come last");
	else
		fl_json_tree_add(&t->tree, flame_metric(source->flame,
						"samples", "samples"));
}

/* The row of formats.def ------------------------------------------------- */

static void release(void *state)
{
	struct tachyon *t = state;

	fl_json_source_free(&t->js);
	fl_json_tree_free(&t->tree);
	fl_free(t->strings);
}

static int read(struct flame_source *source)
{
	struct tachyon *t = source->state;
	int status = fl_json_read(&t->js, read_document);

	if (status == FLAME_END)
		fl_json_tree_report(&t->tree);
	return status;
}

/* The keys of the root itself may follow megabytes of children. */
static bool begins_with_number(const uint8_t *head, size_t n)
{
	struct fl_json json;
	bool begins;

	fl_json_init_memory(&json, head, n);
	begins = fl_json_next(&json) == FL_JSON_OBJECT &&
		 fl_json_next(&json) == FL_JSON_KEY &&
		 fl_json_is(&json, "name") &&
		 fl_json_next(&json) == FL_JSON_NUMBER;
	fl_json_free(&json);
	return begins;
}

static int probe(const uint8_t *head, size_t n, bool whole)
{
	static const char key[] = "\"funcname\"";
	bool has_key = memmem(head, n, key, sizeof(key) - 1);

	if (!has_key && (whole || n >= MAX_HEAD))
		return 0;
	if (!begins_with_number(head, n))
		return fl_json_probe(head, n, whole, "funcname");
	return has_key ? BITS : -1;
}

const struct fl_format fl_format_tachyon = {
	.name = "tachyon",
	.summary = "pages of CPython 3.15's profiling.sampling, or their JSON",
	.probe = probe,
	.state_size = sizeof(struct tachyon),
	.open = fl_json_source_open,
	.read = read,
	.release = release,
	.json = true,
};
