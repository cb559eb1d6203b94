/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Formats d3 and spark-page: read call trees as d3-flame-graph has them, with
 * nodes {"name","value","children"} or short {"n","v","c","l"}, into samples.
 * Spark's UI, perf script flamegraph, FlameScope, jfr-flame-graph, 0x,
 * stackprof and -f d3 write them.  Flink's REST API answers
 * {"endTimestamp","data":TREE}.  Spark's pages hold one in a <div>, escaped; it
 * is unescaped and then read by the same rows.
 *
 * A value counts the frames below it, unless some have more than it.
 */
#include "fl.h"

#include "format/json/tree.h"

enum { MAX_PAGE = 1 << 30 };

struct options {
	bool lines;
	char *name, *weight, *children;	/* keys; NULL: those of d3 */
	bool self;
};

struct d3 {
	struct fl_json_source js;
	const struct options *options;
	struct fl_json_tree tree;
	struct fl_json_tree_kind kind;
	struct fl_json_field fields[10];	/* with the keys of options */
	struct fl_buf page;	/* the tree of a page */
	bool is_page, read;
};

/* Trees ---------------------------------------------------------------- */

static enum flame_type type_of(struct slice text)
{
	static const struct { const char *name; enum flame_type type; } names[] = {
		{ "kernel", FLAME_KERNEL }, { "jit", FLAME_JIT },
		{ "inlined", FLAME_INLINED }, { "user", FLAME_NATIVE },
	};

	for (size_t i = 0; i < FL_COUNT(names); i++)
		if (fl_slice_is(text, names[i].name))
			return names[i].type;
	return FLAME_UNKNOWN;
}

static void read_type(struct fl_json_source *js, void *object)
{
	struct fl_json_node *node = object;
	struct slice text;

	if (fl_json_string(&js->json, &text))
		node->type = type_of(text);
}

/* The tree of Flink is that object: it is the root's. */
static void read_data(struct fl_json_source *js, void *object)
{
	const struct d3 *d3 = js->source->state;
	const struct fl_json_node *node = object;
	bool is_bare_root = d3->tree.count == 1 && !node->name && !node->value;

	if (!is_bare_root || fl_json_next(&js->json) != FL_JSON_OBJECT)
		fl_json_skip(&js->json);
}

static const char bad_value[] = "a value that is not a number, or too large";

static const struct fl_json_field fields[] = {
	FL_FIELD("name", NAME, struct fl_json_node, name),
	FL_FIELD("n", NAME, struct fl_json_node, name),
	FL_FIELD_NUMBER("value", 0, bad_value, struct fl_json_node, value),
	FL_FIELD_NUMBER("v", 0, bad_value, struct fl_json_node, value),
	FL_JSON_CHILDREN("children"),
	FL_JSON_CHILDREN("c"),
	FL_FIELD_CALL("l", VALUE, read_type),
	FL_FIELD_CALL("libtype", VALUE, read_type),
	FL_FIELD_CALL("data", VALUE, read_data),
	{ .key = NULL }
};

/* Spark's form: pkg.Cls.m(File.scala:12), (Native Method). */
static bool is_java_frame(struct slice name, struct fl_java_frame *frame)
{
	return fl_java_frame(name, frame) && frame->name.size &&
	       memchr(frame->name.data, '.', frame->name.size) &&
	       !memchr(frame->name.data, ' ', frame->name.size) &&
	       (frame->line > 0 || frame->type == FLAME_JAVA_NATIVE ||
		fl_slice_ends(name, "(Unknown Source)") ||
		fl_slice_ends(name, ".java)") || fl_slice_ends(name, ".scala)"));
}

/* "*f /app/a.js:1:2" is f: how it ran, trees have joined. */
static struct slice name_of_v8(struct flame *flame, struct slice name)
{
	const char *at;
	flame_id frame;

	/* "__write [CPP]" */
	while (fl_slice_ends(name, "]") &&
	       (at = memrchr(name.data, '[', name.size)) && at > name.data &&
	       at[-1] == ' ')
		name.size = (size_t)(at - 1 - name.data);
	frame = fl_v8_frame(flame, name);
	return fl_name_at(flame, flame->frames.data[frame].name);
}

/* Trees of 0x, and of Clinic, which has them of 0x. */
static bool is_of_v8(const struct fl_json_tree *tree)
{
	return fl_slice_is(fl_name_at(tree->js->flame, tree->nodes[0].name),
			   "all stacks");
}

static flame_id frame_of(struct fl_json_tree *tree,
			 const struct fl_json_node *node)
{
	const struct d3 *d3 = tree->js->source->state;
	struct flame *flame = tree->js->flame;
	struct slice name = fl_name_at(flame, node->name);
	struct fl_java_frame java;
	enum flame_type type;

	if (is_java_frame(name, &java)) {
		tree->buf.size = 0;
		fl_java_name(&tree->buf, java.name);
		if (d3->options->lines && java.line > 0) {
			fl_buf_byte(&tree->buf, ':');
			fl_buf_number(&tree->buf, java.line);
		}
		return fl_frame(flame, flame_name(flame, tree->buf.data ?
						  tree->buf.data : "",
						  tree->buf.size), java.type);
	}
	if (!name.size)
		name = FL_SLICE("(unnamed)");
	else if (is_of_v8(tree))
		name = name_of_v8(flame, name);
	name = fl_split_type(name, &type);
	return fl_frame(flame, flame_name(flame, name.data, name.size),
			type ? type : node->type);
}

static bool drops_root(struct fl_json_tree *tree,
		       const struct fl_json_node *root)
{
	struct slice name = fl_name_at(tree->js->flame, root->name);

	return !name.size || fl_slice_is(name, "root") ||
	       fl_slice_is(name, "all") || fl_slice_is(name, "total") ||
	       fl_slice_is(name, "all stacks") || fl_slice_is(name, "<root>");
}

static const struct fl_json_tree_kind kind = {
	.frame = frame_of, .values = FL_TREE_EITHER, .drops_root = drops_root,
};

/* Both rows of a key get that of an option. */
static void set_key(struct fl_json_field rows[2], const char *key)
{
	for (int i = 0; key && i < 2; i++) {
		rows[i].key = key;
		rows[i].size = strlen(key);
	}
}

static void read_document(struct flame_source *source)
{
	struct d3 *d3 = source->state;
	const char *metric = d3->is_page ? "threads" : "samples";

	if (d3->js.json.token != FL_JSON_OBJECT) {
		fl_json_skip(&d3->js.json);
		return;
	}
	memcpy(d3->fields, fields, sizeof(fields));
	set_key(&d3->fields[0], d3->options->name);
	set_key(&d3->fields[2], d3->options->weight);
	set_key(&d3->fields[4], d3->options->children);
	d3->kind = kind;
	d3->kind.fields = d3->fields;
	if (d3->options->self)
		d3->kind.values = FL_TREE_SELF;
	d3->tree.kind = &d3->kind;
	fl_json_tree_read(&d3->tree);
	fl_json_tree_add(&d3->tree, flame_metric(source->flame, metric,
						 metric));
}

/* Pages ---------------------------------------------------------------- */

static void put_text(struct fl_buf *to, struct slice escaped)
{
	static const struct { const char *name, *text; } entities[] = {
		{ "&quot;", "\"" }, { "&amp;", "&" }, { "&lt;", "<" },
		{ "&gt;", ">" }, { "&#39;", "'" }, { "&#34;", "\"" },
	};
	const char *at = escaped.data, *end = at + escaped.size;

	while (at < end) {
		struct slice rest = { at, (size_t)(end - at) };
		size_t i = *at == '&' ? 0 : FL_COUNT(entities);

		while (i < FL_COUNT(entities) &&
		       !fl_slice_starts(rest, entities[i].name))
			i++;
		if (i == FL_COUNT(entities)) {
			fl_buf_byte(to, *at++);
			continue;
		}
		fl_buf_text(to, entities[i].text);
		at += strlen(entities[i].name);
	}
}

static const char marker[] = "id=\"executor-flamegraph-data\"";

/* Reads the whole page, and parses the contents of the <div>. */
static void read_page(struct d3 *d3)
{
	size_t size = 0, want = 1 << 16;
	const uint8_t *page = NULL;
	const char *at, *end;

	do {
		want *= 2;
		page = fl_in_peek(d3->js.source->in, want, &size);
	} while (size >= want && want < MAX_PAGE);
	end = (const char *)page + size;
	at = page ? memmem(page, size, marker, sizeof(marker) - 1) : NULL;
	at = at ? memchr(at, '>', (size_t)(end - at)) : NULL;
	if (at) {
		const char *stop = memchr(at, '<', (size_t)(end - at));

		put_text(&d3->page, (struct slice){
			at + 1, (size_t)((stop ? stop : end) - at - 1) });
	}
	fl_in_consume(d3->js.source->in, size);
	if (d3->page.failed)
		fl_no_memory(d3->js.flame);
	if (!at)
		fl_warn(d3->js.flame, "%s: a page of Spark's UI without a "
			"flame graph; give that of an executor's thread dump",
			fl_in_name(d3->js.source->in));
	d3->js.source->damage = at ? 0 : 2;
	fl_json_init_memory(&d3->js.json, d3->page.data ? d3->page.data : "",
			    d3->page.size);
}

/* The rows of formats.c ------------------------------------------------ */

static int open_d3(struct flame_source *source)
{
	struct d3 *d3 = source->state;

	fl_json_source_init(&d3->js, source);
	d3->tree.js = &d3->js;
	d3->options = source->options;
	return FLAME_OK;
}

static int open_page(struct flame_source *source)
{
	struct d3 *d3 = source->state;

	d3->is_page = true;
	return open_d3(source);
}

static void release(void *state)
{
	struct d3 *d3 = state;

	fl_json_source_free(&d3->js);
	fl_json_tree_free(&d3->tree);
	fl_buf_free(&d3->page);
}

static int read(struct flame_source *source)
{
	struct d3 *d3 = source->state;
	int status;

	if (d3->is_page && !d3->read)
		read_page(d3);
	d3->read = true;
	status = fl_json_read(&d3->js, read_document);
	if (status == FLAME_END)
		fl_json_tree_report(&d3->tree);
	return status;
}

static int probe(const uint8_t *head, size_t n, bool whole)
{
	static const char *const paths[] = {
		"children", "c", "data.children"
	};
	int bits = fl_json_probe_any(head, n, whole, paths, FL_COUNT(paths));

	/* Other formats have objects with children, and more keys. */
	return bits > 0 ? bits / 2 : bits;
}

static int probe_page(const uint8_t *head, size_t n, bool whole)
{
	static const char style[] = "/static/webui";
	size_t i = 0;

	(void)whole;
	while (i < n && (head[i] == ' ' || head[i] == '\n' || head[i] == '\r'))
		i++;
	return i < n && head[i] == '<' &&
	       (memmem(head, n, style, sizeof(style) - 1) ||
		memmem(head, n, marker, sizeof(marker) - 1)) ?
	       FL_FORMAT_CERTAIN : 0;
}

static const struct fl_option rows[] = {
	FL_OPTION_ROW_LINES(struct options),
	FL_OPTION_ROW_TREE_NAME(struct options),
	FL_OPTION_ROW_TREE_WEIGHT(struct options),
	FL_OPTION_ROW_TREE_VALUE(struct options),
	{ .name = "tree-children", .argument = "KEY",
	  .summary = "trees in JSON: the key of children",
	  .kind = FL_OPTION_TEXT, .offset = offsetof(struct options, children),
	  .scope = FL_SCOPE_DETAIL, .least = 1 },
	{ .name = NULL }
};

static const struct fl_option_table option_table = {
	.rows = rows, .size = sizeof(struct options),
};

const struct fl_format fl_format_d3 = {
	.name = "d3",
	.summary = "JSON trees of d3-flame-graph, perf, FlameScope",
	.probe = probe,
	.state_size = sizeof(struct d3),
	.open = open_d3,
	.read = read,
	.release = release,
	.json = true,
	.options = &option_table,
};

const struct fl_format fl_format_spark_page = {
	.name = "spark-page",
	.summary = "thread dump pages of Spark's UI",
	.probe = probe_page,
	.state_size = sizeof(struct d3),
	.open = open_page,
	.read = read,
	.release = release,
	.options = &option_table,
};
