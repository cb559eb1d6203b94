/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Estimates the stacks of a call graph.  callgrind.c adds functions and calls,
 * and then fl_callgrind_next() returns sample after sample.  The cost of a
 * function for one of its callers is divided among its callees in the
 * proportions of its whole cost.  A function that is called by itself, or costs
 * too little, is not followed: its caller has the weight, so that the sum is
 * that of all functions.
 */
#include "fl.h"

#include "format/callgrind/callgrind.h"

/* Expand calls of at least 1 / MIN_SHARE of the total. */
enum { MIN_SHARE = 1000000, MAX_DEPTH = 4096 };

bool fl_callgrind_function(struct flame *flame, struct fl_callgrind *g,
			   flame_id frame)
{
	if (g->nfunctions >= UINT32_MAX - 1 ||
	    !fl_grow(&g->functions, &g->functions_capacity, g->nfunctions + 1,
		     sizeof(*g->functions))) {
		fl_no_memory(flame);
		return false;
	}
	memset(&g->functions[g->nfunctions], 0, sizeof(*g->functions));
	g->functions[g->nfunctions++].frame = frame;
	return true;
}

/* call + 1; 0: failed. */
static uint32_t call_of(struct flame *flame, struct fl_callgrind *g,
			uint32_t caller, uint32_t callee)
{
	uint64_t *id = fl_map_put(&g->call_ids,
				  (uint64_t)caller << 32 | callee, NULL);

	if (!id || (!*id && !fl_grow(&g->calls, &g->calls_capacity,
				     g->ncalls + 1, sizeof(*g->calls)))) {
		fl_no_memory(flame);
		return 0;
	}
	if (!*id) {
		struct fl_callgrind_call *call = &g->calls[g->ncalls++];

		memset(call, 0, sizeof(*call));
		call->callee = callee;
		call->next = g->functions[caller].first;
		g->functions[caller].first = (uint32_t)g->ncalls;
		*id = g->ncalls;
	}
	return (uint32_t)*id;
}

void fl_callgrind_call(struct flame *flame, struct fl_callgrind *g,
		       uint32_t caller, uint32_t callee, const int64_t *cost)
{
	uint32_t id = call_of(flame, g, caller, callee);

	for (unsigned i = 0; id && i < g->nevents; i++) {
		int64_t *sums[] = {
			&g->calls[id - 1].cost[i],
			&g->functions[caller].below[i],
			&g->functions[callee].called[i],
		};

		for (size_t k = 0; k < FL_COUNT(sums); k++)
			*sums[k] = fl_add_clamped(*sums[k], cost[i]);
	}
}

/* A function's cost, and the part of it that no caller accounts for. */
static double total_of(const struct fl_callgrind *g, uint32_t function)
{
	const struct fl_callgrind_function *f = &g->functions[function];

	return (double)f->self[g->event] + (double)f->below[g->event];
}

static void push(struct flame *flame, struct fl_callgrind *g,
		 uint32_t function, double weight)
{
	flame_id stack = g->depth ? g->path[g->depth - 1].stack : 0;
	double total = total_of(g, function);

	if (!fl_grow(&g->path, &g->path_capacity, g->depth + 1,
		     sizeof(*g->path))) {
		fl_no_memory(flame);
		return;
	}
	g->path[g->depth++] = (struct fl_callgrind_node){
		.function = function, .call = g->functions[function].first,
		.stack = flame_stack(flame, stack,
				     g->functions[function].frame),
		.share = total > 0 ? weight / total : 0, .self = weight,
	};
	g->functions[function].open = true;
	g->nodes++;
}

/* Follows the next call of the last node; false: there are no more. */
static bool follow(struct flame *flame, struct fl_callgrind *g)
{
	while (g->path[g->depth - 1].call) {
		struct fl_callgrind_node *node = &g->path[g->depth - 1];
		const struct fl_callgrind_call *call =
			&g->calls[node->call - 1];
		double weight = node->share * (double)call->cost[g->event];

		node->call = call->next;
		if (weight < g->minimum || g->functions[call->callee].open ||
		    weight > node->self || g->depth >= MAX_DEPTH ||
		    g->nodes >= g->max_nodes)
			continue;
		node->self -= weight;
		push(flame, g, call->callee, weight);
		return true;
	}
	return false;
}

/* The next function that begins stacks; false: the event has no more. */
static bool begin_root(struct flame *flame, struct fl_callgrind *g)
{
	while (g->root < g->nfunctions) {
		uint32_t function = (uint32_t)g->root++;
		double weight = total_of(g, function) -
			(double)g->functions[function].called[g->event];

		if (weight < 0.5)
			continue;
		push(flame, g, function, weight);
		return true;
	}
	return false;
}

static bool begin_event(struct fl_callgrind *g)
{
	double sum = 0;

	g->event += g->begun;
	g->begun = true;
	if (g->event >= g->nevents)
		return false;
	for (size_t i = 0; i < g->nfunctions; i++)
		sum += (double)g->functions[i].self[g->event];
	g->minimum = FL_MAX(sum / MIN_SHARE, 0.5);
	g->carry = 0;
	g->root = 0;
	g->nodes = 0;
	return true;
}

/* true: a sample of it. */
static bool pop(struct flame *flame, struct fl_callgrind *g,
		struct flame_sample *sample)
{
	const struct fl_callgrind_node *node = &g->path[--g->depth];
	double exact = node->self + g->carry;
	int64_t weight = fl_int64(exact + 0.5);

	g->functions[node->function].open = false;
	weight = FL_MAX(weight, 0);
	g->carry = exact - (double)weight;
	if (!weight)
		return false;
	weight = fl_mul_clamped(weight, g->factor[g->event]);
	*sample = (struct flame_sample){
		.stack = node->stack, .metric = g->metric[g->event],
		.weight = weight, .time = FLAME_NOTIME,
	};
	fl_metric_count(flame, sample->metric, 1, weight);
	return true;
}

bool fl_callgrind_next(struct flame *flame, struct fl_callgrind *g,
		       struct flame_sample *sample)
{
	if (!g->begun && !begin_event(g))
		return false;
	while (!fl_failed(flame)) {
		if (!g->depth) {
			if (!begin_root(flame, g) && !begin_event(g))
				return false;
		} else if (!follow(flame, g) && pop(flame, g, sample)) {
			return true;
		}
	}
	return false;
}

void fl_callgrind_free(struct fl_callgrind *g)
{
	fl_free(g->functions);
	fl_free(g->calls);
	fl_free(g->path);
	fl_map_free(&g->call_ids);
}
