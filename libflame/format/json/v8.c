/* SPDX-License-Identifier: Apache-2.0 */
/*
 * CPU profiles of V8, .cpuprofile: of node --cpu-prof, Chrome, Deno and bun.
 * Nodes are a tree, by the numbers of their children or of their parent;
 * "samples" are numbers of nodes, and "timeDeltas" the us before each.  Where
 * there are none of these, nodes tell how often they were hit.
 */
#include "fl.h"

#include "format/json/tree.h"

struct options {
	bool total, lines;
};

struct node {
	int64_t id;
	uint32_t parent;	/* place + 1 in nodes; 0: a root */
	flame_id name;
	int64_t line;
	uint64_t hits, samples;
	int64_t time;		/* us */
};

struct v8 {
	struct fl_json_source js;
	const struct options *options;
	struct node *nodes;
	size_t count, capacity;
	struct fl_map ids;	/* id -> place */
	/* Children and parents by their ids, until all nodes are known. */
	struct link {
		int64_t parent, child;
	} *links;
	size_t nlinks, links_capacity;
	struct fl_json_integers samples, deltas;
	struct fl_buf buf;
};

static void no_memory(struct v8 *v)
{
	fl_no_memory(v->js.flame);
}

static struct node *find(struct v8 *v, int64_t id)
{
	const uint64_t *place = fl_map_get(&v->ids, (uint64_t)id);

	return place ? &v->nodes[*place] : NULL;
}

/* Nodes ---------------------------------------------------------------- */

static void add_link(struct v8 *v, int64_t parent, int64_t child)
{
	if (!fl_grow(&v->links, &v->links_capacity, v->nlinks + 1,
		     sizeof(*v->links)))
		no_memory(v);
	else
		v->links[v->nlinks++] = (struct link){ parent, child };
}

/* Lines count from 0. */
static void read_call_frame(struct v8 *v, struct node *node)
{
	struct fl_json *json = &v->js.json;

	while (fl_json_key(json))
		if (fl_json_is(json, "functionName"))
			node->name = fl_json_name(&v->js);
		else if (!fl_json_is(json, "lineNumber"))
			fl_json_skip(json);
		else if (fl_json_integer(json, &node->line))
			node->line = fl_add_clamped(node->line, 1);
}

/* Numbers of children; the node's own may come behind them. */
static void read_children(struct v8 *v, size_t *first)
{
	struct fl_json *json = &v->js.json;
	int64_t id;

	*first = v->nlinks;
	while (fl_json_element(json))
		if (json->token == FL_JSON_NUMBER &&
		    fl_parse_int(json->text, &id))
			add_link(v, -1, id);
		else
			fl_json_skip(json);
}

static void read_node(struct v8 *v, struct node *node)
{
	struct fl_json *json = &v->js.json;
	size_t first = v->nlinks, last;
	int64_t parent = -1, hits = 0;

	while (fl_json_key(json)) {
		if (fl_json_is(json, "id")) {
			fl_json_integer(json, &node->id);
		} else if (fl_json_is(json, "callFrame")) {
			if (fl_json_enter_object(json))
				read_call_frame(v, node);
		} else if (fl_json_is(json, "hitCount")) {
			if (fl_json_integer(json, &hits) && hits > 0)
				node->hits = (uint64_t)hits;
		} else if (fl_json_is(json, "parent")) {
			fl_json_integer(json, &parent);
		} else if (fl_json_is(json, "children")) {
			if (fl_json_enter_array(json))
				read_children(v, &first);
		} else {
			fl_json_skip(json);
		}
	}
	last = v->nlinks;
	for (size_t i = first; i < last; i++)
		v->links[i].parent = node->id;
	if (parent >= 0)
		add_link(v, parent, node->id);
}

static void read_nodes(struct v8 *v)
{
	struct fl_json *json = &v->js.json;

	while (fl_json_element(json) && !fl_failed(v->js.flame)) {
		struct node node = { .id = -1 };
		uint64_t *place;

		if (json->token != FL_JSON_OBJECT) {
			fl_json_skip(json);
			continue;
		}
		read_node(v, &node);
		if (json->error)
			return;
		place = fl_map_put(&v->ids, (uint64_t)node.id, NULL);
		if (!place || !fl_grow(&v->nodes, &v->capacity, v->count + 1,
				       sizeof(*v->nodes))) {
			no_memory(v);
			return;
		}
		*place = v->count;
		v->nodes[v->count++] = node;
	}
}

static void join_nodes(struct v8 *v)
{
	for (size_t i = 0; i < v->nlinks; i++) {
		struct node *parent = find(v, v->links[i].parent);
		struct node *child = find(v, v->links[i].child);

		if (parent && child && parent != child)
			child->parent = (uint32_t)(parent - v->nodes) + 1;
	}
}

/* Samples -------------------------------------------------------------- */

/* As numbers: negative ones, which clocks give, are 0. */
static void read_deltas(struct v8 *v)
{
	if (fl_json_next(&v->js.json) == FL_JSON_ARRAY)
		fl_json_integers(&v->js.json, &v->deltas);
	else
		fl_json_skip(&v->js.json);
	for (size_t i = 0; i < v->deltas.count; i++)
		if (v->deltas.data[i] == FL_JSON_NO_INTEGER)
			v->deltas.data[i] = 0;
}

/* A sample lasts until the next; the last one has no time of its own. */
static void count_samples(struct v8 *v)
{
	size_t n = v->samples.count;

	for (size_t i = 0; i < n; i++) {
		struct node *node = find(v, v->samples.data[i]);

		if (!node) {
			fl_json_bad(&v->js, "a sample of a node that is not "
				    "there");
			continue;
		}
		node->samples++;
		if (i + 1 < n && i + 1 < v->deltas.count)
			node->time += v->deltas.data[i + 1];
	}
	for (size_t i = 0; !n && i < v->count; i++)
		v->nodes[i].samples = v->nodes[i].hits;
}

/* The document --------------------------------------------------------- */

static flame_id frame_of(struct v8 *v, const struct node *node)
{
	struct flame *flame = v->js.flame;
	struct slice name = fl_name_at(flame, node->name);
	struct fl_buf *buf = &v->buf;

	buf->size = 0;
	fl_buf_put(buf, name.data, name.size);
	if (!name.size)
		fl_buf_text(buf, "(anonymous)");
	if (v->options->lines && node->line > 0) {
		fl_buf_byte(buf, ':');
		fl_buf_number(buf, node->line);
	}
	return fl_frame(flame, flame_name(flame, buf->data ? buf->data : "",
					  buf->size), FLAME_UNKNOWN);
}

static bool is_root(const struct v8 *v, const struct node *node)
{
	return !node->parent &&
	       fl_slice_is(fl_name_at(v->js.flame, node->name), "(root)");
}

/*
 * Of a node, whose parents may come behind it: up to one whose stack is
 * known, which a pass marks, and down again.  steps ends loops of parents.
 */
static flame_id stack_of(struct v8 *v, flame_id *stacks, size_t node)
{
	while (!stacks[node] && !is_root(v, &v->nodes[node])) {
		size_t up = node, steps = v->count;
		uint32_t parent = v->nodes[up].parent;

		while (parent && !stacks[parent - 1] && --steps &&
		       !is_root(v, &v->nodes[parent - 1])) {
			up = parent - 1;
			parent = v->nodes[up].parent;
		}
		if (!steps)
			return 0;
		stacks[up] = flame_stack(v->js.flame,
					 parent ? stacks[parent - 1] : 0,
					 frame_of(v, &v->nodes[up]));
		if (!stacks[up])
			return 0;
	}
	return stacks[node];
}

static void give_node(struct v8 *v, const struct node *node, flame_id stack,
		      flame_id metric, bool counts)
{
	struct flame_sample sample = {
		.stack = stack, .time = FLAME_NOTIME, .metric = metric,
		.weight = counts ? (int64_t)node->samples : node->time * 1000,
	};

	fl_json_count(&v->js, metric, node->samples, node->time * 1000);
	if (stack && sample.weight)
		fl_json_add(&v->js, &sample);
	else if (!stack)
		v->js.flame->metrics[metric].no_stack += node->samples;
}

static void give_samples(struct v8 *v)
{
	bool counts = !v->options->total;
	flame_id metric = fl_metric(v->js.flame, "cpu", "ns",
				    counts ? "samples" : "ns");
	flame_id *stacks = fl_zeroed(v->count + 1, sizeof(*stacks));

	if (!stacks)
		no_memory(v);
	for (size_t i = 0; stacks && i < v->count; i++)
		if (v->nodes[i].samples && !fl_failed(v->js.flame))
			give_node(v, &v->nodes[i], stack_of(v, stacks, i),
				  metric, counts);
	fl_free(stacks);
}

static void read(struct flame_source *source)
{
	struct v8 *v = source->state;
	struct fl_json *json = &v->js.json;

	v->count = v->nlinks = v->samples.count = v->deltas.count = 0;
	fl_map_clear(&v->ids);
	if (json->token != FL_JSON_OBJECT) {
		fl_json_skip(json);
		return;
	}
	while (fl_json_key(json)) {
		if (fl_json_is(json, "nodes")) {
			if (fl_json_enter_array(json))
				read_nodes(v);
		} else if (fl_json_is(json, "samples")) {
			if (fl_json_enter_array(json))
				fl_json_integers(json, &v->samples);
		} else if (fl_json_is(json, "timeDeltas")) {
			read_deltas(v);
		} else {
			fl_json_skip(json);
		}
	}
	join_nodes(v);
	count_samples(v);
	give_samples(v);
}

/* The row of formats.c ------------------------------------------------- */

static int open_v8(struct flame_source *source)
{
	struct v8 *v = fl_zeroed(1, sizeof(*v));

	if (!v)
		return fl_no_memory(source->flame);
	fl_json_source_init(&v->js, source);
	v->options = source->options;
	source->state = v;
	return FLAME_OK;
}

static void close_v8(struct flame_source *source)
{
	struct v8 *v = source->state;

	if (!v)
		return;
	fl_json_source_free(&v->js);
	fl_map_free(&v->ids);
	fl_buf_free(&v->buf);
	fl_free(v->nodes);
	fl_free(v->links);
	fl_free(v->samples.data);
	fl_free(v->deltas.data);
	fl_free(v);
}

static int next(struct flame_source *source, struct flame_sample *sample)
{
	struct v8 *v = source->state;

	return fl_json_give(&v->js, sample, read);
}

static int probe(const uint8_t *head, size_t n, bool whole)
{
	return fl_json_probe(head, n, whole, "nodes.callFrame");
}

static const struct fl_option rows[] = {
	FL_OPTION_ROW_LINES(struct options),
	FL_OPTION_ROW_TOTAL(struct options),
	{ .name = NULL }
};

static const struct fl_option_table option_table = {
	.rows = rows, .size = sizeof(struct options),
};

const struct fl_format fl_format_cpuprofile = {
	.name = "cpuprofile",
	.summary = "CPU profiles of V8: node --cpu-prof, Chrome",
	.probe = probe,
	.open = open_v8,
	.next = next,
	.close = close_v8,
	.json = true,
	.options = &option_table,
};
