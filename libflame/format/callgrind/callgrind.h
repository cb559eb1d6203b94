/* SPDX-License-Identifier: Apache-2.0 */
/*
 * callgrind: call graphs whose stacks are estimated.
 *
 *	callgrind.c	lines, and the row of formats.def
 *	stacks.c	functions and calls, and stacks of them
 */
#ifndef FL_CALLGRIND_H
#define FL_CALLGRIND_H

#include "format/format.h"

enum { FL_CALLGRIND_EVENTS = 16 };

struct fl_callgrind {
	unsigned nevents;
	flame_id metric[FL_CALLGRIND_EVENTS];
	int64_t factor[FL_CALLGRIND_EVENTS];	/* of the metric's unit */
	struct fl_callgrind_function {
		flame_id frame;
		uint32_t first;		/* call + 1; 0: it calls none */
		bool open;		/* on the path to the last node */
		int64_t self[FL_CALLGRIND_EVENTS];
		int64_t below[FL_CALLGRIND_EVENTS];	/* of its calls */
		int64_t called[FL_CALLGRIND_EVENTS];	/* by others */
	} *functions;
	size_t nfunctions, functions_capacity;
	struct fl_callgrind_call {
		uint32_t callee, next;	/* next: as first */
		int64_t cost[FL_CALLGRIND_EVENTS];
	} *calls;
	size_t ncalls, calls_capacity;
	struct fl_map call_ids;		/* (caller, callee) -> call + 1 */
	/* Stacks so far: of an event, from a function, down a path. */
	unsigned event;
	size_t root;
	struct fl_callgrind_node {
		uint32_t function, call;	/* call: the next to follow */
		flame_id stack;
		double share;		/* of the function's cost */
		double self;
	} *path;
	size_t depth, path_capacity;
	double minimum, carry;
	uint64_t nodes, max_nodes;	/* of an event */
	bool begun;
};

/* false: failed. */
bool fl_callgrind_function(struct flame *flame, struct fl_callgrind *g,
			   flame_id frame);
/* Adds to the cost of a function's calls to another. */
void fl_callgrind_call(struct flame *flame, struct fl_callgrind *g,
		       uint32_t caller, uint32_t callee, const int64_t *cost);
/* The next stack; false: there are no more, or it failed. */
bool fl_callgrind_next(struct flame *flame, struct fl_callgrind *g,
		       struct flame_sample *sample);
void fl_callgrind_free(struct fl_callgrind *g);

#endif
