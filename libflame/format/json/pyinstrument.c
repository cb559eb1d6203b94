/* SPDX-License-Identifier: Apache-2.0 */
/*
 * JSON of pyinstrument: a call tree with seconds, of -r json as {"root_frame":
 * {"function","file_path","line_no","time","children"}}, and of its page as
 * {"frame_tree":{"identifier":"f\0file\0line","time","children"}}.
 */
#include "fl.h"

#include "format/json/tree.h"

enum { PLACES = 9 };	/* of seconds, for nanoseconds */

struct pyinstrument {
	struct fl_json_source js;
	struct fl_json_tree tree;
};

static void take_identifier(struct fl_json_tree *tree,
			    struct fl_json_node *node)
{
	struct flame *flame = tree->js->flame;
	struct slice text, name, file;

	if (!fl_json_string(&tree->js->json, &text))
		return;
	name = fl_slice_split(&text, '\0');
	file = fl_slice_split(&text, '\0');
	node->name = flame_name(flame, name.data, name.size);
	node->file = flame_name(flame, file.data, file.size);
	if (!fl_parse_int(fl_slice_split(&text, '\0'), &node->line))
		node->line = 0;
}

static void field(struct fl_json_tree *tree, struct fl_json_node *node)
{
	struct fl_json *json = &tree->js->json;

	if (fl_json_is(json, "function")) {
		node->name = fl_json_name(tree->js);
	} else if (fl_json_is(json, "file_path")) {
		node->file = fl_json_name(tree->js);
	} else if (fl_json_is(json, "line_no")) {
		fl_json_integer(json, &node->line);
	} else if (fl_json_is(json, "identifier")) {
		take_identifier(tree, node);
	} else if (fl_json_is(json, "time")) {
		if (!fl_json_decimal(json, PLACES, &node->value))
			fl_json_bad(tree->js, "a time that is not a number, or "
				    "too large");
	} else {
		fl_json_skip(json);
	}
}

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
	.children = { "children", NULL }, .field = field, .frame = frame_of,
	.values = FL_TREE_TOTALS, .drops_root = drops_root,
};

static void read_document(struct flame_source *source)
{
	struct pyinstrument *p = source->state;
	struct fl_json *json = &p->js.json;

	if (json->token != FL_JSON_OBJECT) {
		fl_json_skip(json);
		return;
	}
	p->tree.kind = &kind;
	while (fl_json_key(json)) {
		if (!fl_json_is(json, "root_frame") &&
		    !fl_json_is(json, "frame_tree")) {
			fl_json_skip(json);
		} else if (fl_json_enter_object(json)) {
			fl_json_tree_read(&p->tree);
			fl_json_tree_add(&p->tree,
					 flame_metric(source->flame, "wall",
						      "ns"));
		}
	}
}

/* The row of formats.c ------------------------------------------------- */

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
