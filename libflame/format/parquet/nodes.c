/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Stores the nodes of a Parquet file (parent, frame, type) for read.c, and
 * fl_parquet_stack() returns the stack of a node.  Frames and stacks are
 * entered in the dictionary when a sample needs them: a selection may need few
 * of them.
 */
#include "fl.h"

#include "format/parquet/parquet.h"

struct fl_parquet_name {
	size_t begin, size;	/* in the nodes' text */
	flame_id id;
	bool entered, wanted;
};

static bool has_text(struct slice name, struct slice text)
{
	return text.size && name.size >= text.size &&
	       memmem(name.data, name.size, text.data, text.size);
}

bool fl_parquet_reserve_names(struct fl_parquet_nodes *nodes, size_t n,
			      size_t size)
{
	n += nodes->nnames;
	return (n <= nodes->names_capacity ||
		fl_grow_exactly(&nodes->names, &nodes->names_capacity, n,
				sizeof(*nodes->names))) &&
	       (!size || fl_buf_reserve(&nodes->text, size));
}

bool fl_parquet_reserve_nodes(struct fl_parquet_nodes *nodes, size_t n)
{
	n += nodes->nnodes + 1;
	return n <= nodes->chosen_capacity ||
	       (fl_grow_exactly(&nodes->nodes, &nodes->nodes_capacity, n,
				sizeof(*nodes->nodes)) &&
		fl_grow_exactly(&nodes->chosen, &nodes->chosen_capacity, n,
				sizeof(*nodes->chosen)));
}

bool fl_parquet_begin_nodes(struct fl_parquet_nodes *nodes)
{
	if (!fl_parquet_reserve_nodes(nodes, 0))
		return false;
	nodes->nodes[0] = (struct fl_parquet_node){ .entered = true };
	nodes->chosen[0] = !nodes->wanted;
	return true;
}

uint32_t fl_parquet_add_name(struct fl_parquet_nodes *nodes, struct slice text)
{
	const struct fl_wanted_text *wanted = nodes->wanted;

	if (nodes->nnames >= UINT32_MAX - 1 ||
	    !fl_grow(&nodes->names, &nodes->names_capacity, nodes->nnames + 1,
		     sizeof(*nodes->names)))
		return 0;
	nodes->names[nodes->nnames] = (struct fl_parquet_name){
		.begin = nodes->text.size, .size = text.size,
		.wanted = !wanted || has_text(text, wanted->either[0]) ||
			  has_text(text, wanted->either[1]),
	};
	fl_buf_put(&nodes->text, text.data, text.size);
	return nodes->text.failed ? 0 : (uint32_t)++nodes->nnames;
}

bool fl_parquet_add_node(struct fl_parquet_nodes *nodes, int64_t parent,
			 uint32_t name, enum flame_type type)
{
	size_t node = nodes->nnodes + 1;
	struct fl_parquet_node *at;

	if (parent < 0 || (uint64_t)parent >= node || node >= UINT32_MAX ||
	    !fl_grow(&nodes->nodes, &nodes->nodes_capacity, node + 1,
		     sizeof(*nodes->nodes)) ||
	    !fl_grow(&nodes->chosen, &nodes->chosen_capacity, node + 1,
		     sizeof(*nodes->chosen)))
		return false;
	at = &nodes->nodes[node];
	*at = (struct fl_parquet_node){
		.parent = (uint32_t)parent, .name = name,
		.type = (uint8_t)type,
	};
	nodes->chosen[node] = nodes->chosen[parent] ||
			      (name && nodes->names[name - 1].wanted);
	nodes->nnodes = node;
	return true;
}

static flame_id name_of(struct fl_parquet_nodes *nodes, uint32_t at)
{
	struct fl_parquet_name *name;

	if (!at)
		return 0;
	name = &nodes->names[at - 1];
	if (!name->entered)
		name->id = flame_name(nodes->flame,
				      nodes->text.data + name->begin,
				      name->size);
	name->entered = true;
	return name->id;
}

static void enter(struct fl_parquet_nodes *nodes, struct fl_parquet_node *node)
{
	struct flame_frame frame = {
		.name = name_of(nodes, node->name),
		.type = (enum flame_type)node->type,
	};

	node->stack = flame_stack(nodes->flame,
				  nodes->nodes[node->parent].stack,
				  fl_frame_as_is(nodes->flame, &frame));
	node->entered = true;
}

bool fl_parquet_stack(struct fl_parquet_nodes *nodes, uint32_t node,
		      flame_id *stack)
{
	size_t n = 0;

	*stack = 0;
	if (!node)
		return true;
	for (uint32_t at = node; !nodes->nodes[at].entered;
	     at = nodes->nodes[at].parent) {
		if (!fl_grow(&nodes->path, &nodes->path_capacity, n + 1,
			     sizeof(*nodes->path))) {
			fl_no_memory(nodes->flame);
			return false;
		}
		nodes->path[n++] = at;
	}
	while (n)
		enter(nodes, &nodes->nodes[nodes->path[--n]]);
	*stack = nodes->nodes[node].stack;
	return true;
}

void fl_parquet_free_nodes(struct fl_parquet_nodes *nodes)
{
	fl_buf_free(&nodes->text);
	fl_free(nodes->names);
	fl_free(nodes->nodes);
	fl_free(nodes->chosen);
	fl_free(nodes->path);
}
