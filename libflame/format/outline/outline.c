/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Makes samples of a call tree that is printed a node a line.  A reader of this
 * folder passes each node to fl_outline_add() with its depth and weight: of the
 * node alone, or with all below it.  A node is closed when the next one is not
 * deeper; what it has beyond its children becomes the weight of its stack.
 */
#include "fl.h"

#include "format/outline/outline.h"

#include <inttypes.h>

static void add_sample(struct fl_outline *o, flame_id stack, unsigned value,
		       int64_t weight)
{
	/* A row may be several samples. */
	fl_emit(o->base.source, &(struct flame_sample){
		.stack = stack, .metric = o->metric[value], .weight = weight,
		.time = FLAME_NOTIME, .thread = o->thread,
	}, fl_metric_samples(o->base.flame, o->metric[value], weight));
}

/*
 * The stack of the last node; bottom up it is the root, and the first node the
 * leaf.
 */
static flame_id stack_of(struct fl_outline *o)
{
	flame_id stack = 0;

	if (!o->bottom_up)
		return o->nodes[o->count - 1].stack;
	for (size_t i = o->count; i-- && !fl_failed(o->base.flame);)
		if (o->nodes[i].frame)
			stack = flame_stack(o->base.flame, stack,
					    o->nodes[i].frame);
	return stack;
}

static void close_last(struct fl_outline *o)
{
	struct fl_outline_node *node = &o->nodes[o->count - 1];
	struct fl_outline_node *parent = o->count > 1 ? node - 1 : NULL;
	flame_id stack = 0;
	int64_t weight;

	for (unsigned i = 0; i < o->nvalues; i++) {
		weight = node->weight[i];
		if (!o->self && node->below[i] > weight) {
			if (!o->exceeding++)
				o->first_exceeding = o->base.lines.number;
			node->weight[i] = node->below[i];
		}
		if (!o->self)
			weight = node->weight[i] - node->below[i];
		if (parent)
			parent->below[i] = fl_add_clamped(parent->below[i],
							  node->weight[i]);
		if (weight <= 0 || fl_failed(o->base.flame))
			continue;
		if (!stack)
			stack = stack_of(o);
		if (stack)
			add_sample(o, stack, i, weight);
	}
	o->count--;
}

void fl_outline_add(struct fl_outline *o, uint64_t depth, flame_id frame,
		    const int64_t *weight)
{
	struct fl_outline_node *node;
	flame_id stack;

	while (o->count && o->nodes[o->count - 1].depth >= depth)
		close_last(o);
	if (!fl_grow(&o->nodes, &o->capacity, o->count + 1,
		     sizeof(*o->nodes))) {
		fl_no_memory(o->base.flame);
		return;
	}
	stack = o->count ? o->nodes[o->count - 1].stack : 0;
	if (frame && !o->bottom_up)
		stack = flame_stack(o->base.flame, stack, frame);
	node = &o->nodes[o->count++];
	*node = (struct fl_outline_node){
		.depth = depth, .frame = frame, .stack = stack,
	};
	for (unsigned i = 0; i < o->nvalues; i++)
		node->weight[i] = FL_MAX(weight[i], 0);
	o->base.lines.good++;
}

void fl_outline_end(struct fl_outline *o)
{
	while (o->count && !fl_failed(o->base.flame))
		close_last(o);
}

static void report(struct fl_outline *o)
{
	if (o->exceeding)
		fl_remark(o->base.flame, "%s: line %" PRIu64 ": %" PRIu64
			  " nodes weigh less than those below them: counted "
			  "as the sum of these",
			  fl_in_name(o->base.source->in), o->first_exceeding,
			  o->exceeding);
	o->exceeding = 0;
}

int fl_outline_read_nodes(struct fl_outline *o, fl_accept_line *accept)
{
	int status = fl_line_reader_read(&o->base, accept);

	if (status != FLAME_END)
		return status;
	fl_outline_end(o);
	if (o->base.source->batch.n)
		return FLAME_OK;
	report(o);
	return FLAME_END;
}

int fl_outline_read(struct fl_outline *o, fl_accept_line *accept)
{
	int status = fl_outline_read_nodes(o, accept);

	return status == FLAME_END ?
	       fl_lines_end(o->base.source, &o->base.lines) : status;
}

void fl_outline_free(void *state)
{
	struct fl_outline *o = state;

	fl_free(o->nodes);
	fl_line_reader_free(&o->base);
}

/* Text ---------------------------------------------------------------- */

flame_id fl_outline_frame(struct fl_outline *o, struct slice name,
			  struct slice file, enum flame_type type)
{
	struct flame *flame = o->base.flame;
	struct flame_frame frame = { .type = type };

	if (!name.size)
		return 0;
	frame.name = flame_name(flame, name.data, name.size);
	if (file.size)
		frame.file = flame_name(flame, file.data, file.size);
	return flame_frame(flame, &frame);
}
