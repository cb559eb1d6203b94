/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The stack traces that events refer to: where their bytes are.
 */
#include "fl.h"

#include "format/jfr/traces.h"

/* Keys of traces in a plain table. */
enum { MIN_SMALL = 1 << 10, MAX_SMALL = 1 << 20 };

/*
 * So many keys from 0 on have a place in a plain table that grows: to powers
 * of two, as async-profiler's keys are places in tables of such sizes.
 */
static bool make_small(struct fl_jfr_traces *traces, uint64_t key)
{
	size_t had = traces->nsmall, room = MIN_SMALL;

	while (room <= key)
		room *= 2;
	if (!fl_grow(&traces->small, &traces->small_capacity, room,
		     sizeof(*traces->small)))
		return false;
	traces->nsmall = FL_MIN(traces->small_capacity, (size_t)MAX_SMALL);
	memset(traces->small + had, 0,
	       (traces->nsmall - had) * sizeof(*traces->small));
	return true;
}

uint32_t fl_jfr_add_trace(struct fl_jfr_traces *traces, uint64_t key)
{
	uint64_t *at = NULL;

	if (key >= traces->nsmall &&
	    (key < MAX_SMALL ? !make_small(traces, key) :
	     !(at = fl_map_put(&traces->index, key, NULL))))
		return UINT32_MAX;
	if (!fl_grow(&traces->data, &traces->capacity, traces->count + 1,
		     sizeof(*traces->data)))
		return UINT32_MAX;
	traces->data[traces->count] = (struct fl_jfr_trace){ .key = key };
	if (at)
		*at = traces->count;
	else
		traces->small[key] = traces->count + 1;
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

	fl_free(traces->small);
	fl_free(traces->data);
	fl_map_free(&traces->index);
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
