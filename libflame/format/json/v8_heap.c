/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Format heapprofile: reads heap profiles of V8, .heapprofile (node
 * --heap-prof, Chrome), into samples of bytes.  A profile is a tree of call
 * frames, each with the bytes that it had allocated and that were alive.
 */
#include "fl.h"

#include "format/json/tree.h"

struct heap {
	struct fl_json_source js;
	const struct fl_lines_options *options;
	struct fl_json_tree tree;
};

static const struct fl_json_field call_frame[] = {
	FL_FIELD("functionName", NAME, struct fl_json_node, name),
	FL_FIELD("lineNumber", LINE_FROM_0, struct fl_json_node, line),
	{ .key = NULL }
};

static void read_call_frame(struct fl_json_source *js, void *object)
{
	struct fl_json_node *node = object;

	fl_json_object(js, call_frame, node);
	if (!js->json.error && !node->name)
		node->name = fl_name(js->flame, "(anonymous)");
}

static const struct fl_json_field fields[] = {
	FL_FIELD_CALL("callFrame", INNER, read_call_frame),
	FL_FIELD_NUMBER("selfSize", 0, "a size that is not a number, or too "
			"large", struct fl_json_node, value),
	FL_JSON_CHILDREN("children"),
	{ .key = NULL }
};

static flame_id frame_of(struct fl_json_tree *tree,
			 const struct fl_json_node *node)
{
	const struct heap *heap = tree->js->source->state;
	struct flame *flame = tree->js->flame;
	struct slice name = fl_name_at(flame, node->name);

	if (!heap->options->lines || node->line <= 0)
		return fl_frame(flame, node->name, FLAME_UNKNOWN);
	tree->buf.size = 0;
	fl_buf_put(&tree->buf, name.data, name.size);
	fl_buf_byte(&tree->buf, ':');
	fl_buf_number(&tree->buf, node->line);
	return fl_frame(flame, flame_name(flame, tree->buf.data ?
					  tree->buf.data : "",
					  tree->buf.size), FLAME_UNKNOWN);
}

static bool drops_root(struct fl_json_tree *tree,
		       const struct fl_json_node *root)
{
	return fl_slice_is(fl_name_at(tree->js->flame, root->name), "(root)");
}

static const struct fl_json_tree_kind kind = {
	.fields = fields, .frame = frame_of,
	.values = FL_TREE_SELF, .drops_root = drops_root,
};

static void read_head(struct fl_json_source *js, void *object)
{
	struct heap *heap = object;

	fl_json_tree_read(&heap->tree);
	fl_json_tree_add(&heap->tree, flame_metric(js->flame, "heap",
						   "bytes"));
}

static const struct fl_json_field document[] = {
	FL_FIELD_CALL("head", INNER, read_head),
	{ .key = NULL }
};

static void read_document(struct flame_source *source)
{
	struct heap *heap = source->state;

	heap->tree.kind = &kind;
	fl_json_object(&heap->js, document, heap);
}

/* The row of formats.def ------------------------------------------------- */

static int open_heap(struct flame_source *source)
{
	struct heap *heap = source->state;

	fl_json_source_init(&heap->js, source);
	heap->tree.js = &heap->js;
	heap->options = source->options;
	return FLAME_OK;
}

static void release(void *state)
{
	struct heap *heap = state;

	fl_json_source_free(&heap->js);
	fl_json_tree_free(&heap->tree);
}

static int read(struct flame_source *source)
{
	struct heap *heap = source->state;
	int status = fl_json_read(&heap->js, read_document);

	if (status == FLAME_END)
		fl_json_tree_report(&heap->tree);
	return status;
}

static int probe(const uint8_t *head, size_t n, bool whole)
{
	return fl_json_probe(head, n, whole, "head.callFrame");
}

const struct fl_format fl_format_heapprofile = {
	.name = "heapprofile",
	.summary = "heap profiles of V8: node --heap-prof, Chrome",
	.probe = probe,
	.state_size = sizeof(struct heap),
	.open = open_heap,
	.read = read,
	.release = release,
	.json = true,
	.options = &fl_lines_option_table,
};
