/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The stack traces that events refer to: where their bytes are.
 */
#include "fl.h"

#include "format/jfr/recycle.h"
#include "format/jfr/traces.h"

/* Set in offsets of copied traces. */
#define COPIED (UINT64_C(1) << 63)

enum {
	KEPT_BYTES = 4 << 20,	/* of traces, without copying any */
	SPARSE = 2,		/* of more, one byte in so many is copied */
	/* Keys of traces in a plain table. */
	MIN_SMALL = 1 << 10, MAX_SMALL = 1 << 20
};

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

struct fl_wire fl_jfr_trace_wire(const struct fl_jfr_chunk *chunk,
				 const struct fl_jfr_trace *trace)
{
	struct fl_jfr_traces *traces = chunk->traces;
	struct fl_wire w = { .compressed = chunk->header.compressed };

	if (!(trace->at & COPIED))
		return fl_jfr_wire(chunk, trace->at);
	w.at = traces->copies.data + (trace->at & ~COPIED);
	w.end = traces->copies.data + traces->copies.size;
	return w;
}

static bool is_sparse(const struct fl_jfr_copies *copies, size_t size)
{
	return copies->size + size <= copies->seen / SPARSE + FL_JFR_WINDOW;
}

static void keep_bytes(struct fl_jfr_chunk *chunk, struct fl_jfr_trace *trace)
{
	struct fl_jfr_copies *copies = &chunk->traces->copies;

	if (!trace->size || (copies->likely_only && !trace->likely))
		return;
	if (!is_sparse(copies, trace->size) ||
	    !fl_grow(&copies->data, &copies->capacity,
		     copies->size + trace->size, 1)) {
		copies->on = false;
		return;
	}
	memcpy(copies->data + copies->size, chunk->at + trace->at, trace->size);
	trace->at = COPIED | copies->size;
	copies->size += trace->size;
}

/* Keeps a stack trace if one of the chunk's events refers to it. */
static void keep_trace(struct fl_jfr_chunk *chunk, uint64_t key, uint64_t at,
		       uint64_t size)
{
	struct fl_jfr_traces *traces = chunk->traces;
	uint32_t i = fl_jfr_trace_of(chunk->traces, key);

	traces->copies.seen += size;
	if (i == UINT32_MAX)
		return;
	traces->data[i].at = at;
	traces->data[i].size = size <= UINT32_MAX ? size : 0;
	if (traces->hashes)
		traces->hashes[i] = fl_jfr_cache_hash(chunk->jfr->cache,
						      chunk->at + at, size);
	if (traces->copies.on && traces->copies.seen >= KEPT_BYTES)
		keep_bytes(chunk, &traces->data[i]);
}

/*
 * The traces of events are read in the order of the events.  If events refer to
 * few of many traces, these are copied, and the pages of the others are
 * released.  After the first chunk most traces are found by their marks
 * instead.  This comes before the first trace.
 */
static void begin_traces(struct fl_jfr_chunk *chunk)
{
	struct fl_jfr_traces *traces = chunk->traces;
	bool large = chunk->size >= FL_JFR_LARGE &&
		     fl_in_is_mapped(chunk->jfr->source->in);

	chunk->pages.passed = chunk->at;
	traces->copies.on = large && (!chunk->offset || !traces->hashes);
	chunk->pages.released = large;
}

void fl_jfr_traces_done(struct fl_jfr_chunk *chunk)
{
	struct fl_jfr_traces *traces = chunk->traces;

	for (size_t i = 0; i < traces->count; i++)
		if (traces->data[i].key < traces->nsmall)
			traces->small[traces->data[i].key] = 0;
	fl_jfr_recycle(chunk, FL_JFR_TABLE_SMALL_TRACES, traces->small,
		    traces->nsmall);
	fl_jfr_recycle(chunk, FL_JFR_TABLE_TRACES, traces->data,
		    traces->capacity);
	fl_jfr_recycle(chunk, FL_JFR_TABLE_HASHES, traces->hashes,
		       traces->hashes_capacity);
	fl_free(traces->copies.data);
	memset(&traces->copies, 0, sizeof(traces->copies));
	fl_map_free(&traces->index);
	traces->small = NULL;
	traces->data = NULL;
	traces->hashes = NULL;
	traces->nsmall = traces->small_capacity = 0;
	traces->count = traces->capacity = traces->hashes_capacity = 0;
}

bool fl_jfr_read_pools(struct fl_jfr_chunk *chunk)
{
	chunk->pools->keep_trace = keep_trace;
	fl_jfr_want_pools(chunk);
	fl_jfr_cache_make_hashes(chunk);
	begin_traces(chunk);
	return fl_jfr_index_pools(chunk);
}
