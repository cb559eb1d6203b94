/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Format pyinstrument: reads the call trees of pyinstrument, with seconds of
 * wall time, into samples: of -r json as {"root_frame":{"function","file_path",
 * "line_no","time","children"}}, and of its page as {"frame_tree":
 * {"identifier":"f\0file\0line","time","children"}}.
 */
#include "fl.h"

#include "format/json/tree.h"

enum { PLACES = 9 };	/* of seconds, for nanoseconds */

struct pyinstrument {
	struct fl_json_source js;
	struct fl_json_tree tree;
};

static void read_identifier(struct fl_json_source *js, void *object)
{
	struct fl_json_node *node = object;
	struct flame *flame = js->flame;
	struct slice text, name, file;

	if (!fl_json_string(&js->json, &text))
		return;
	name = fl_slice_split(&text, '\0');
	file = fl_slice_split(&text, '\0');
	node->name = flame_name(flame, name.data, name.size);
	node->file = flame_name(flame, file.data, file.size);
	if (!fl_parse_int(fl_slice_split(&text, '\0'), &node->line))
		node->line = 0;
}

static const struct fl_json_field fields[] = {
	FL_FIELD("function", NAME, struct fl_json_node, name),
	FL_FIELD("file_path", NAME, struct fl_json_node, file),
	FL_FIELD("line_no", INTEGER, struct fl_json_node, line),
	FL_FIELD_NUMBER("time", PLACES, "a time that is not a number, or too "
			"large", struct fl_json_node, value),
	FL_JSON_CHILDREN("children"),
	FL_FIELD_CALL("identifier", VALUE, read_identifier),
	{ .key = NULL }
};

/* [self] and [await] have no file. */
static flame_id frame_of(struct fl_json_tree *tree,
			 const struct fl_json_node *node)
{
	struct flame *flame = tree->js->flame;
	struct slice file = fl_name_at(flame, node->file);

	if (node->line <= 0)
		file.size = 0;
	return fl_json_python_frame(flame, &tree->buf,
				    fl_name_at(flame, node->name), file,
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

static void read_tree(struct fl_json_source *js, void *object)
{
	struct pyinstrument *p = object;

	fl_json_tree_read(&p->tree);
	fl_json_tree_add(&p->tree, flame_metric(js->flame, "wall", "ns"));
}

static const struct fl_json_field document[] = {
	FL_FIELD_CALL("root_frame", INNER, read_tree),
	FL_FIELD_CALL("frame_tree", INNER, read_tree),
	{ .key = NULL }
};

static void read_document(struct flame_source *source)
{
	struct pyinstrument *p = source->state;

	p->tree.kind = &kind;
	fl_json_object(&p->js, document, p);
}

/* The row of formats.def ------------------------------------------------- */

static int open_pyinstrument(struct flame_source *source)
{
	struct pyinstrument *p = source->state;

	fl_json_source_init(&p->js, source);
	p->tree.js = &p->js;
	return FLAME_OK;
}

static void release(void *state)
{
	struct pyinstrument *p = state;

	fl_json_source_free(&p->js);
	fl_json_tree_free(&p->tree);
}

static int read(struct flame_source *source)
{
	struct pyinstrument *p = source->state;
	int status = fl_json_read(&p->js, read_document);

	if (status == FLAME_END)
		fl_json_tree_report(&p->tree);
	return status;
}

static int probe(const uint8_t *head, size_t n, bool whole)
{
	static const char *const paths[] = { "root_frame", "frame_tree" };

	return fl_json_probe_any(head, n, whole, paths, FL_COUNT(paths));
}

const struct fl_format fl_format_pyinstrument = {
	.name = "pyinstrument",
	.summary = "JSON of pyinstrument",
	.probe = probe,
	.state_size = sizeof(struct pyinstrument),
	.open = open_pyinstrument,
	.read = read,
	.release = release,
	.json = true,
};
