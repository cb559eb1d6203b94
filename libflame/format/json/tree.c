/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads a call tree of nested JSON objects: fl_json_tree_read() stores its
 * nodes, fl_json_tree_add() adds a sample for each that has a self weight.  A
 * reader (d3.c, pyinstrument.c, tachyon.c, v8_heap.c) describes its keys and
 * frames in a struct fl_json_tree_kind: see tree.h.
 */
#include "fl.h"

#include "format/json/tree.h"

#include <inttypes.h>

flame_id fl_json_python_frame(struct flame *flame, struct fl_buf *buf,
			      struct slice name, struct slice file,
			      int64_t line)
{
	buf->size = 0;
	if (name.size)
		fl_buf_put(buf, name.data, name.size);
	else
		fl_buf_text(buf, "[unknown]");
	if (file.size) {
		fl_buf_text(buf, " (");
		fl_buf_put(buf, file.data, file.size);
		if (line > 0) {
			fl_buf_byte(buf, ':');
			fl_buf_number(buf, line);
		}
		fl_buf_byte(buf, ')');
	}
	return fl_frame(flame, flame_name(flame, buf->data ? buf->data : "",
					  buf->size), FLAME_UNKNOWN);
}

/* Reading -------------------------------------------------------------- */

static bool add_node(struct fl_json_tree *tree, uint32_t parent)
{
	if (tree->count == UINT32_MAX ||
	    !fl_grow(&tree->nodes, &tree->capacity, tree->count + 1,
		     sizeof(*tree->nodes))) {
		fl_no_memory(tree->js->flame);
		return false;
	}
	tree->nodes[tree->count++] = (struct fl_json_node){
		.parent = parent, .id = -1
	};
	return true;
}

void fl_json_tree_children(struct fl_json_source *js, void *node)
{
	(void)node;
	if (fl_json_next(&js->json) == FL_JSON_OBJECT)
		fl_json_skip(&js->json);
}

static void read_key(struct fl_json_tree *tree, uint32_t node)
{
	if (!fl_json_field(tree->js, tree->kind->fields, &tree->hint,
			   &tree->nodes[node]))
		fl_json_skip(&tree->js->json);
}

/*
 * Inner nodes of an incomplete tree have no value of their own.  If the name of
 * one would have followed the cut, its stack is unknown.
 */
static void forget_open(struct fl_json_tree *tree, uint32_t node)
{
	bool named = true;

	for (;; node = tree->nodes[node].parent) {
		tree->nodes[node].value = INT64_MIN;
		named = named && tree->nodes[node].name;
		if (!node)
			break;
	}
	if (!named)
		tree->count = 0;
}

void fl_json_tree_read(struct fl_json_tree *tree)
{
	struct fl_json *json = &tree->js->json;
	size_t depth = json->depth;
	uint32_t node = 0;

	tree->count = 0;
	tree->hint = tree->kind->fields;
	if (!add_node(tree, 0))
		return;
	while (json->depth >= depth && !fl_failed(tree->js->flame)) {
		switch (fl_json_next(json)) {
		case FL_JSON_KEY:
			read_key(tree, node);
			break;
		case FL_JSON_OBJECT:
			if (add_node(tree, node))
				node = (uint32_t)tree->count - 1;
			break;
		case FL_JSON_OBJECT_END:
			node = tree->nodes[node].parent;
			break;
		case FL_JSON_FAILED:
			forget_open(tree, node);
			return;
		default:
			break;
		}
	}
}

/* Samples -------------------------------------------------------------- */

/* By node, the sum of its children; the caller frees it. */
static int64_t *sum_children(struct fl_json_tree *tree)
{
	int64_t *sums = fl_zeroed(tree->count, sizeof(*sums));

	if (!sums)
		fl_no_memory(tree->js->flame);
	for (size_t i = tree->count; sums && --i;) {
		const struct fl_json_node *node = &tree->nodes[i];
		int64_t value = FL_MAX(node->value, 0);

		sums[node->parent] = fl_add_clamped(sums[node->parent], value);
	}
	return sums;
}

static bool has_totals(const struct fl_json_tree *tree, const int64_t *sums)
{
	if (tree->kind->values != FL_TREE_EITHER)
		return tree->kind->values == FL_TREE_TOTALS;
	/* Some write no value for the root, or one that is not a sum. */
	for (size_t i = 1; i < tree->count; i++)
		if (tree->nodes[i].value != INT64_MIN &&
		    sums[i] > tree->nodes[i].value)
			return false;
	return true;
}

static int64_t self_of(const struct fl_json_node *node, int64_t below,
		       bool totals)
{
	if (node->value == INT64_MIN)
		return 0;
	return totals ? node->value - FL_MIN(below, node->value) : node->value;
}

static void add_sample(struct fl_json_tree *tree, flame_id stack,
		       flame_id metric, int64_t weight)
{
	struct flame_sample sample = {
		.stack = stack, .time = FLAME_NOTIME, .metric = metric,
		.weight = weight,
	};

	fl_metric_count(tree->js->flame, metric, (uint64_t)weight, weight);
	if (stack)
		fl_json_add(tree->js, &sample);
	else
		tree->no_stack = fl_add_clamped(tree->no_stack, weight);
}

static void add_samples(struct fl_json_tree *tree, flame_id metric,
			const int64_t *sums, flame_id *stacks)
{
	struct flame *flame = tree->js->flame;
	const struct fl_json_node *root = &tree->nodes[0];
	bool totals = has_totals(tree, sums);

	for (size_t i = 0; i < tree->count && !fl_failed(flame); i++) {
		const struct fl_json_node *node = &tree->nodes[i];
		int64_t self = self_of(node, sums[i], totals);

		if (i || !tree->kind->drops_root(tree, root))
			stacks[i] = flame_stack(flame,
						i ? stacks[node->parent] : 0,
						tree->kind->frame(tree, node));
		if (self > 0)
			add_sample(tree, stacks[i], metric, self);
	}
}

void fl_json_tree_add(struct fl_json_tree *tree, flame_id metric)
{
	int64_t *sums;
	flame_id *stacks;

	if (!tree->count || fl_failed(tree->js->flame))
		return;
	sums = sum_children(tree);
	stacks = fl_zeroed(tree->count, sizeof(*stacks));
	if (!stacks)
		fl_no_memory(tree->js->flame);
	if (sums && stacks)
		add_samples(tree, metric, sums, stacks);
	fl_free(sums);
	fl_free(stacks);
}

void fl_json_tree_report(struct fl_json_tree *tree)
{
	if (tree->no_stack)
		fl_remark(tree->js->flame, "%s: %" PRId64 " without a stack "
			  "left out", fl_in_name(tree->js->source->in),
			  tree->no_stack);
	tree->no_stack = 0;
}

void fl_json_tree_free(struct fl_json_tree *tree)
{
	fl_free(tree->nodes);
	fl_buf_free(&tree->buf);
}
