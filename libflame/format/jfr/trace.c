/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The stack traces that events refer to, by their keys.  sum.c adds the key of
 * each (fl_jfr_add_trace); fl_jfr_read_pools(), for chunk.c and span_pass.c,
 * indexes the pools and stores where the bytes of these traces are.  stack.c
 * makes stacks of them.
 */
#include "fl.h"

#include "format/jfr/traces.h"

/* async-profiler's keys are places in tables of powers of two. */
enum { MIN_LOW_KEYS = 1 << 10, MAX_LOW_KEYS = 1 << 20 };

uint32_t fl_jfr_add_trace(struct fl_jfr_traces *traces, uint64_t key)
{
	if (!fl_grow(&traces->data, &traces->capacity, traces->count + 1,
		     sizeof(*traces->data)) ||
	    !fl_dense_set(&traces->by_key, key, traces->count + 1,
			  MAX_LOW_KEYS, MIN_LOW_KEYS))
		return UINT32_MAX;
	traces->data[traces->count] = (struct fl_jfr_trace){ .key = key };
	return traces->count++;
}

/* Keeps a stack trace if one of the chunk's events refers to it. */
static void keep_trace(struct fl_jfr_chunk *chunk, uint64_t key, uint64_t at,
		       uint64_t size)
{
	struct fl_jfr_traces *traces = chunk->traces;
	uint32_t i = fl_jfr_trace_of(traces, key);

	if (i == UINT32_MAX)
		return;
	traces->data[i].at = at;
	traces->data[i].size = size <= UINT32_MAX ? size : 0;
}

void fl_jfr_traces_done(struct fl_jfr_chunk *chunk)
{
	struct fl_jfr_traces *traces = chunk->traces;

	fl_dense_free(&traces->by_key);
	fl_free(traces->data);
	*traces = (struct fl_jfr_traces){ 0 };
}

bool fl_jfr_read_pools(struct fl_jfr_chunk *chunk)
{
	chunk->pools->keep_trace = keep_trace;
	fl_jfr_want_pools(chunk);
	chunk->pages.passed = chunk->at;
	chunk->pages.released = chunk->size >= FL_JFR_LARGE;
	return fl_jfr_index_pools(chunk);
}
