/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Format cpuprofile: reads CPU profiles of V8, .cpuprofile (node --cpu-prof,
 * Chrome, Deno, bun), into samples; trace_profiles.c reads those within traces
 * by fl_v8_read().  Nodes are a tree, by the numbers of their children or of
 * their parent; "samples" are numbers of nodes, and "timeDeltas" the us before
 * each, which are negative where threads wrote samples late: they are read in
 * the order of their times, as in Chrome's own view.  Where there are none of
 * these, nodes say how often they were hit.  Before 2017 nodes lay within one
 * another, under "head", and "timestamps" were times.
 *
 * (garbage collector) is a node at the root, though it interrupts what the
 * sample before it shows, and is put on top of that, as in Chrome's own view.
 * (program) stays at the root: then no JavaScript ran.
 */
#include "fl.h"

#include "format/json/frame_trie.h"
#include "format/json/tree.h"
#include "format/json/v8.h"

#include <stdlib.h>

struct node {
	int64_t id;		/* -1: none */
	uint32_t parent;	/* place + 1 in nodes; 0: a root */
	uint32_t stack;		/* of the trie; 0: not known yet */
	flame_id name;
	int64_t line;
	uint64_t hits;
	bool cyclic;		/* it is above itself */
};

/* Counts of a stack. */
struct sum {
	uint64_t samples;
	int64_t time;		/* us */
};

struct fl_v8 {
	struct fl_json_source *js;
	const struct fl_v8_options *options;
	flame_id thread;	/* of its samples */
	struct node *nodes;
	size_t count, capacity;
	struct fl_map ids;	/* id -> place */
	/* Children and parents by their ids, until all nodes are known. */
	struct link {
		int64_t parent, child;
	} *links;
	size_t nlinks, links_capacity;
	struct fl_json_integers samples;
	struct deltas {
		int64_t *data;	/* us before each sample */
		size_t count, capacity;
		bool late;	/* one is negative */
	} deltas;
	struct fl_frame_trie trie;	/* of places of nodes */
	uint32_t *path;		/* nodes of an unknown stack, leaf first */
	size_t path_capacity;
	uint32_t *outermost;	/* node of the trie below each of its nodes */
	size_t noutermost, outermost_capacity;
	struct sum *sums;	/* of nodes of the trie */
	size_t sums_capacity;
	struct fl_buf buf;
};

static void no_memory(struct fl_v8 *v)
{
	fl_no_memory(v->js->flame);
}

static struct node *find(struct fl_v8 *v, int64_t id)
{
	const uint64_t *place = fl_map_get(&v->ids, (uint64_t)id);

	return place ? &v->nodes[*place] : NULL;
}

/* Nodes ---------------------------------------------------------------- */

static void add_link(struct fl_v8 *v, int64_t parent, int64_t child)
{
	if (!fl_grow(&v->links, &v->links_capacity, v->nlinks + 1,
		     sizeof(*v->links)))
		no_memory(v);
	else
		v->links[v->nlinks++] = (struct link){ parent, child };
}

/* A node while it is read. */
struct reading {
	struct fl_v8 *v;
	struct node node;
	size_t first;		/* link to a child of its */
	int64_t parent;
};

/* Numbers of children; the node's own number may come after them. */
static void read_children(struct fl_json_source *js, void *object)
{
	struct reading *r = object;
	struct fl_json *json = &js->json;
	int64_t id;

	r->first = r->v->nlinks;
	while (fl_json_element(json))
		if (json->token == FL_JSON_NUMBER &&
		    fl_parse_int(json->text, &id))
			add_link(r->v, -1, id);
		else
			fl_json_skip(json);
}

/* Lines count from 0. */
static const struct fl_json_field call_frame[] = {
	FL_FIELD("functionName", NAME, struct reading, node.name),
	FL_FIELD("lineNumber", LINE_FROM_0, struct reading, node.line),
	{ .key = NULL }
};

static const struct fl_json_field node_fields[] = {
	FL_FIELD("id", INTEGER, struct reading, node.id),
	FL_FIELD_ROWS("callFrame", INNER, call_frame),
	FL_FIELD("hitCount", COUNT, struct reading, node.hits),
	FL_FIELD("parent", INTEGER, struct reading, parent),
	FL_FIELD_CALL("children", LIST, read_children),
	{ .key = NULL }
};

static bool add_node(struct fl_v8 *v, struct node node)
{
	uint64_t *place = fl_map_put(&v->ids, (uint64_t)node.id, NULL);

	if (!place || !fl_grow(&v->nodes, &v->capacity, v->count + 1,
			       sizeof(*v->nodes))) {
		no_memory(v);
		return false;
	}
	*place = v->count;
	v->nodes[v->count++] = node;
	return true;
}

static void read_node(struct fl_json_source *js, void *object)
{
	struct fl_v8 *v = object;
	struct reading r = {
		.v = v, .node = { .id = -1 }, .first = v->nlinks, .parent = -1,
	};

	fl_json_object(js, node_fields, &r);
	for (size_t i = r.first; i < v->nlinks; i++)
		v->links[i].parent = r.node.id;
	if (r.parent >= 0)
		add_link(v, r.parent, r.node.id);
	if (!js->json.error)
		add_node(v, r.node);
}

/* Nodes within one another. */
static const struct fl_json_field nested_fields[] = {
	FL_FIELD("functionName", NAME, struct fl_json_node, name),
	FL_FIELD("lineNumber", LINE_FROM_0, struct fl_json_node, line),
	FL_FIELD("hitCount", INTEGER, struct fl_json_node, value),
	FL_FIELD("id", INTEGER, struct fl_json_node, id),
	FL_JSON_CHILDREN("children"),
	{ .key = NULL }
};

static const struct fl_json_tree_kind nested = { .fields = nested_fields };

static void read_head(struct fl_json_source *js, void *object)
{
	struct fl_v8 *v = object;
	struct fl_json_tree tree = { .js = js, .kind = &nested };
	uint32_t first = (uint32_t)v->count;

	fl_json_tree_read(&tree);
	for (uint32_t i = 0; i < tree.count; i++) {
		const struct fl_json_node *n = &tree.nodes[i];

		if (!add_node(v, (struct node){
				.id = n->id, .name = n->name, .line = n->line,
				.hits = (uint64_t)FL_MAX(n->value, 0),
				.parent = i ? first + n->parent + 1 : 0 }))
			break;
	}
	fl_json_tree_free(&tree);
}

static void join_nodes(struct fl_v8 *v)
{
	for (size_t i = 0; i < v->nlinks; i++) {
		struct node *parent = find(v, v->links[i].parent);
		struct node *child = find(v, v->links[i].child);

		if (parent && child && parent != child)
			child->parent = (uint32_t)(parent - v->nodes) + 1;
	}
}

/* Samples -------------------------------------------------------------- */

static bool add_delta(struct fl_v8 *v, int64_t delta)
{
	struct deltas *d = &v->deltas;

	if (!fl_grow(&d->data, &d->capacity, d->count + 1, sizeof(*d->data))) {
		no_memory(v);
		return false;
	}
	d->data[d->count++] = delta;
	d->late |= delta < 0;
	return true;
}

static void reset_deltas(struct fl_v8 *v)
{
	v->deltas.count = 0;
	v->deltas.late = false;
}

/* Anything but a number counts as 0. */
static void read_deltas(struct fl_json_source *js, void *object)
{
	struct fl_v8 *v = object;
	struct fl_json *json = &js->json;
	struct fl_json_integers plain = { .data = NULL };
	struct slice bytes;
	int64_t n;

	reset_deltas(v);
	if (!fl_json_enter_array(json))
		return;
	if (!fl_json_peek_array(json, &bytes) ||
	    memchr(bytes.data, '-', bytes.size)) {
		while (fl_json_element(json)) {
			if (json->token != FL_JSON_NUMBER ||
			    !fl_parse_decimal(json->text, 0, &n)) {
				fl_json_skip(json);
				n = 0;
			}
			if (!add_delta(v, n))
				return;
		}
		return;
	}
	fl_json_integers(json, &plain);
	for (size_t i = 0; i < plain.count; i++)
		if (!add_delta(v, plain.data[i] == FL_JSON_NO_INTEGER ? 0 :
				  plain.data[i]))
			break;
	fl_free(plain.data);
}

/* As times; only their differences are used. */
static void read_timestamps(struct fl_json_source *js, void *object)
{
	struct fl_v8 *v = object;
	struct fl_json *json = &js->json;
	int64_t last = 0, time, delta;
	bool first = true;

	reset_deltas(v);
	if (!fl_json_enter_array(json))
		return;
	while (fl_json_element(json)) {
		if (json->token != FL_JSON_NUMBER ||
		    !fl_parse_decimal(json->text, 0, &time)) {
			fl_json_skip(json);
			time = last;
		}
		if (first || __builtin_sub_overflow(time, last, &delta))
			delta = 0;
		if (!add_delta(v, delta))
			return;
		first = false;
		last = time;
	}
}

static struct slice name_of(const struct fl_v8 *v, const struct node *node)
{
	return fl_name_at(v->js->flame, node->name);
}

static bool is_root(const struct fl_v8 *v, const struct node *node)
{
	return !node->parent && fl_slice_is(name_of(v, node), "(root)");
}

/* Each node is marked once, however many samples it has. */
static void mark_cycle(struct fl_v8 *v, struct node *node)
{
	while (!node->cyclic) {
		node->cyclic = true;
		if (node->parent)
			node = &v->nodes[node->parent - 1];
	}
}

/*
 * The stack of a node; parents may come after their children.  Goes up to a
 * node with a known stack, and down again.  A path as long as there are nodes
 * is a loop of parents.  0: none.
 */
static uint32_t stack_of(struct fl_v8 *v, struct node *node)
{
	struct node *parent = node;
	uint32_t stack;
	size_t n = 0;

	while (parent && !parent->stack && !parent->cyclic &&
	       !is_root(v, parent) && n < v->count) {
		if (!fl_grow(&v->path, &v->path_capacity, n + 1,
			     sizeof(*v->path))) {
			no_memory(v);
			return 0;
		}
		v->path[n++] = (uint32_t)(parent - v->nodes);
		parent = parent->parent ? &v->nodes[parent->parent - 1] : NULL;
	}
	if (parent && (parent->cyclic || n == v->count) && !is_root(v, parent)) {
		mark_cycle(v, node);
		return 0;
	}
	stack = parent ? parent->stack : 0;
	while (n--) {
		if (!fl_frame_trie_add(v->js->flame, &v->trie, stack,
				       v->path[n], &stack))
			return 0;
		v->nodes[v->path[n]].stack = stack;
	}
	return stack;
}

/* Whether the node is at the root but ran in the stack of the sample before. */
static bool is_on_top(const struct fl_v8 *v, const struct node *node)
{
	return (!node->parent || is_root(v, &v->nodes[node->parent - 1])) &&
	       fl_slice_is(name_of(v, node), "(garbage collector)");
}

/* The outermost node of a stack of the trie, whose parents come first. */
static uint32_t outermost_of(struct fl_v8 *v, uint32_t stack)
{
	if (!fl_grow(&v->outermost, &v->outermost_capacity, v->trie.count,
		     sizeof(*v->outermost))) {
		no_memory(v);
		return 0;
	}
	for (; v->noutermost < v->trie.count; v->noutermost++) {
		uint32_t i = (uint32_t)v->noutermost;
		uint32_t parent = v->trie.nodes[i].parent;

		v->outermost[i] = parent ? v->outermost[parent] : i;
	}
	return v->outermost[stack];
}

/*
 * Nodes at the root are in a stack as its outermost frame, or in place of the
 * one that was put on top before: of many, none is above another.
 */
static uint32_t put_on_top(struct fl_v8 *v, uint32_t last, uint32_t place)
{
	const struct fl_frame_node *nodes = v->trie.nodes;
	uint32_t stack = 0, first;

	if (last && nodes[last].frame == place)
		return last;
	if (last && fl_slice_is(name_of(v, &v->nodes[nodes[last].frame]),
				"(idle)"))
		last = 0;
	else if (last && is_on_top(v, &v->nodes[nodes[last].frame]))
		last = nodes[last].parent;
	first = outermost_of(v, last);
	if (first && nodes[first].frame == place)
		return first;
	fl_frame_trie_add(v->js->flame, &v->trie, last, place, &stack);
	return stack;
}

static void add_to(struct fl_v8 *v, uint32_t stack, uint64_t samples,
		   int64_t time)
{
	if (!fl_grow_zeroed(&v->sums, &v->sums_capacity, v->trie.count,
		     sizeof(*v->sums))) {
		no_memory(v);
		return;
	}
	v->sums[stack].samples += samples;
	v->sums[stack].time = fl_add_clamped(v->sums[stack].time, time);
}

/* The places of samples, by their times. */
struct timed {
	int64_t time;
	size_t place;
};

static int compare_times(const void *a, const void *b)
{
	const struct timed *x = a, *y = b;

	return x->time != y->time ? (x->time < y->time ? -1 : 1) :
	       (x->place > y->place) - (x->place < y->place);
}

/* Puts samples and deltas into the order of their times. */
static void sort_samples(struct fl_v8 *v)
{
	size_t n = FL_MIN(v->samples.count, v->deltas.count);
	struct timed *timed = fl_zeroed(n + 1, sizeof(*timed));
	uint32_t *samples = fl_zeroed(n + 1, sizeof(*samples));
	int64_t time = 0;

	if (!timed || !samples) {
		no_memory(v);
		n = 0;
	}
	for (size_t i = 0; i < n; i++) {
		time = fl_add_clamped(time, v->deltas.data[i]);
		timed[i] = (struct timed){ .time = time, .place = i };
		samples[i] = v->samples.data[i];
	}
	if (n)
		qsort(timed, n, sizeof(*timed), compare_times);
	for (size_t i = 0; i < n; i++) {
		v->samples.data[i] = samples[timed[i].place];
		if (!i || __builtin_sub_overflow(timed[i].time,
						 timed[i - 1].time,
						 &v->deltas.data[i]))
			v->deltas.data[i] = 0;
	}
	fl_free(timed);
	fl_free(samples);
}

/* 0 is the stack of the root, and of nodes that are above themselves. */
static bool find_stack(struct fl_v8 *v, struct node *node, uint32_t *stack)
{
	*stack = node->cyclic ? 0 : stack_of(v, node);
	if (*stack || is_root(v, node))
		return true;
	if (!fl_failed(v->js->flame))
		fl_json_bad(v->js, "a sample of a node that is its own "
			    "ancestor");
	return false;
}

static void count_sample(struct fl_v8 *v, size_t i, uint32_t *last)
{
	struct node *node = find(v, v->samples.data[i]);
	bool has_time = i + 1 < v->samples.count && i + 1 < v->deltas.count;

	if (!node) {
		fl_json_bad(v->js, "a sample of a node that is not there");
		return;
	}
	if (is_on_top(v, node))
		*last = put_on_top(v, *last, (uint32_t)(node - v->nodes));
	else if (!find_stack(v, node, last))
		return;
	add_to(v, *last, 1, has_time ? v->deltas.data[i + 1] : 0);
}

/* A sample lasts until the next; the last one has no time of its own. */
static void count_samples(struct fl_v8 *v)
{
	size_t n = v->samples.count;
	uint32_t last = 0;

	if (v->deltas.late)
		sort_samples(v);
	for (size_t i = 0; i < n && !fl_failed(v->js->flame); i++)
		count_sample(v, i, &last);
	for (size_t i = 0; !n && i < v->count; i++)
		if (v->nodes[i].hits && find_stack(v, &v->nodes[i], &last))
			add_to(v, last, v->nodes[i].hits, 0);
}

/* The document --------------------------------------------------------- */

static flame_id frame_of(struct fl_v8 *v, const struct node *node)
{
	struct flame *flame = v->js->flame;
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

static void give_sum(struct fl_v8 *v, const struct sum *sum, flame_id stack,
		     flame_id metric)
{
	bool counts = !v->options->total;
	int64_t ns = fl_mul_clamped(sum->time, 1000);
	struct flame_sample sample = {
		.stack = stack, .time = FLAME_NOTIME, .metric = metric,
		.weight = counts ? (int64_t)sum->samples : ns,
		.thread = v->thread,
	};

	fl_metric_count(v->js->flame, metric, sum->samples, ns);
	if (!stack)
		v->js->flame->metrics[metric].no_stack += sum->samples;
	else if (sample.weight)
		fl_json_add(v->js, &sample);
}

static void give_samples(struct fl_v8 *v)
{
	flame_id metric = fl_metric(v->js->flame, "cpu", "ns",
				    v->options->total ? "ns" : "samples");
	flame_id *frames = fl_zeroed(v->count + 1, sizeof(*frames));
	flame_id *stacks = NULL;
	size_t n = FL_MIN(v->trie.count, v->sums_capacity);

	for (size_t i = 0; frames && i < v->count; i++)
		frames[i] = frame_of(v, &v->nodes[i]);
	if (frames)
		stacks = fl_frame_trie_stacks(v->js->flame, &v->trie, frames,
					      v->count);
	else
		no_memory(v);
	for (size_t i = 0; stacks && i < n && !fl_failed(v->js->flame); i++)
		if (v->sums[i].samples)
			give_sum(v, &v->sums[i], stacks[i], metric);
	fl_free(frames);
	fl_free(stacks);
}

static const struct fl_json_field profile_fields[] = {
	FL_FIELD_CALL("nodes", EACH, read_node),
	FL_FIELD("samples", INTEGERS, struct fl_v8, samples),
	FL_FIELD_CALL("timeDeltas", VALUE, read_deltas),
	FL_FIELD_CALL("head", INNER, read_head),
	FL_FIELD_CALL("timestamps", VALUE, read_timestamps),
	{ .key = NULL }
};

/* Before a profile: nothing is known yet. */
static bool begin(struct fl_v8 *v)
{
	v->count = v->nlinks = v->samples.count = 0;
	reset_deltas(v);
	v->thread = 0;
	v->noutermost = 0;
	fl_map_clear(&v->ids);
	if (v->sums)
		memset(v->sums, 0, v->sums_capacity * sizeof(*v->sums));
	return fl_frame_trie_clear(v->js->flame, &v->trie);
}

struct fl_v8 *fl_v8_new(struct fl_json_source *js,
			const struct fl_v8_options *options)
{
	struct fl_v8 *v = fl_zeroed(1, sizeof(*v));

	if (!v) {
		fl_no_memory(js->flame);
		return NULL;
	}
	v->js = js;
	v->options = options;
	if (!begin(v)) {
		fl_v8_free(v);
		return NULL;
	}
	return v;
}

void fl_v8_free(struct fl_v8 *v)
{
	if (!v)
		return;
	fl_map_free(&v->ids);
	fl_buf_free(&v->buf);
	fl_frame_trie_free(&v->trie);
	fl_free(v->sums);
	fl_free(v->path);
	fl_free(v->outermost);
	fl_free(v->nodes);
	fl_free(v->links);
	fl_free(v->samples.data);
	fl_free(v->deltas.data);
	fl_free(v);
}

void fl_v8_read(struct fl_v8 *v)
{
	fl_json_next(&v->js->json);
	fl_json_object(v->js, profile_fields, v);
}

void fl_v8_read_deltas(struct fl_v8 *v)
{
	read_deltas(v->js, v);
}

static void append_samples(struct fl_v8 *v, const struct fl_v8 *piece)
{
	struct fl_json_integers *to = &v->samples;
	const struct fl_json_integers *from = &piece->samples;

	if (!from->count)
		return;
	if (!fl_grow(&to->data, &to->capacity, to->count + from->count,
		     sizeof(*to->data))) {
		no_memory(v);
		return;
	}
	memcpy(to->data + to->count, from->data,
	       from->count * sizeof(*to->data));
	to->count += from->count;
}

void fl_v8_append(struct fl_v8 *v, struct fl_v8 *piece)
{
	for (size_t i = 0; i < piece->count; i++) {
		struct node node = piece->nodes[i];

		/* For nested nodes, parents are indices. */
		if (node.parent)
			node.parent += (uint32_t)v->count - (uint32_t)i;
		if (!add_node(v, node))
			return;
	}
	for (size_t i = 0; i < piece->nlinks; i++)
		add_link(v, piece->links[i].parent, piece->links[i].child);
	append_samples(v, piece);
	for (size_t i = 0; i < piece->deltas.count; i++)
		if (!add_delta(v, piece->deltas.data[i]))
			return;
	begin(piece);
}

void fl_v8_give(struct fl_v8 *v, flame_id thread)
{
	v->thread = thread;
	join_nodes(v);
	count_samples(v);
	give_samples(v);
}

/* A file of one profile after the other. */
struct file {
	struct fl_json_source js;
	struct fl_v8 *profile;
};

static void read_document(struct flame_source *source)
{
	struct file *f = source->state;

	if (begin(f->profile) &&
	    fl_json_object(&f->js, profile_fields, f->profile))
		fl_v8_give(f->profile, 0);
}

/* The row of formats.def ------------------------------------------------- */

static int open_v8(struct flame_source *source)
{
	struct file *f = source->state;

	fl_json_source_init(&f->js, source);
	f->profile = fl_v8_new(&f->js, source->options);
	return f->profile ? FLAME_OK : FLAME_FAILED;
}

static void release(void *state)
{
	struct file *f = state;

	fl_v8_free(f->profile);
	fl_json_source_free(&f->js);
}

static int read(struct flame_source *source)
{
	struct file *f = source->state;

	return fl_json_read(&f->js, read_document);
}

static int probe(const uint8_t *head, size_t n, bool whole)
{
	static const char *const paths[] = {
		"nodes.callFrame", "head.functionName"
	};

	return fl_json_probe_any(head, n, whole, paths, FL_COUNT(paths));
}

static const struct fl_option rows[] = {
	FL_OPTION_ROW_LINES(struct fl_v8_options),
	FL_OPTION_ROW_TOTAL(struct fl_v8_options),
	{ .name = NULL }
};

static const struct fl_option_table option_table = {
	.rows = rows, .size = sizeof(struct fl_v8_options),
};

const struct fl_format fl_format_cpuprofile = {
	.name = "cpuprofile",
	.summary = "CPU profiles of V8: node --cpu-prof, Chrome",
	.probe = probe,
	.state_size = sizeof(struct file),
	.open = open_v8,
	.read = read,
	.release = release,
	.json = true,
	.options = &option_table,
};
