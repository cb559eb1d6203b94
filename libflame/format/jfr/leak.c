/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Leaks: allocations of native memory that were not freed.  emit.c passes each
 * allocation and each free to fl_jfr_keep_leak(), with its address; at the end
 * of the recording fl_jfr_emit_leaks() makes samples of the allocations that
 * remain, without the last ones (--tail).
 */
#include "fl.h"

#include "format/jfr/samples.h"

#include <stdlib.h>

struct leak {
	int64_t ns;
	uint64_t order;		/* among equal times: as read */
	uint64_t address;
	int64_t size;		/* 0: freed */
	struct flame_sample sample;
	bool has_stack, unresolved;
};

struct fl_jfr_leaks {
	struct leak *now;	/* of this chunk */
	size_t nnow, now_capacity;
	struct leak *live;	/* by address, over all chunks */
	size_t nlive, live_capacity;
	struct fl_map by_address;	/* -> index in live, plus one */
	int64_t first, last;
};

void fl_jfr_leaks_free(struct fl_jfr_leaks *leaks)
{
	if (!leaks)
		return;
	fl_free(leaks->now);
	fl_free(leaks->live);
	fl_map_free(&leaks->by_address);
	fl_free(leaks);
}

static int by_time(const void *a, const void *b)
{
	const struct leak *x = a, *y = b;

	if (x->ns != y->ns)
		return x->ns < y->ns ? -1 : 1;
	return (x->order > y->order) - (x->order < y->order);
}

static int leak_event(struct fl_jfr *jfr, const struct leak *leak)
{
	struct fl_jfr_leaks *leaks = jfr->leaks;
	bool fresh;
	uint64_t *at = fl_map_put(&leaks->by_address, leak->address, &fresh);

	if (!at)
		return fl_no_memory(jfr->source->flame);
	if (!leak->size) {
		if (*at)
			leaks->live[*at - 1].size = 0;
		*at = 0;
		return FLAME_OK;
	}
	if (*at) {
		leaks->live[*at - 1] = *leak;
		return FLAME_OK;
	}
	if (!fl_grow(&leaks->live, &leaks->live_capacity, leaks->nlive + 1,
		     sizeof(*leaks->live)))
		return fl_no_memory(jfr->source->flame);
	leaks->live[leaks->nlive++] = *leak;
	*at = leaks->nlive;
	return FLAME_OK;
}

int fl_jfr_end_chunk_leaks(struct fl_jfr *jfr)
{
	struct fl_jfr_leaks *leaks = jfr->leaks;

	if (!leaks)
		return FLAME_OK;
	if (leaks->nnow)
		qsort(leaks->now, leaks->nnow, sizeof(*leaks->now), by_time);
	for (size_t i = 0; i < leaks->nnow; i++)
		if (leak_event(jfr, &leaks->now[i]) != FLAME_OK)
			return FLAME_FAILED;
	leaks->nnow = 0;
	return FLAME_OK;
}

int fl_jfr_keep_leak(struct fl_jfr *jfr, const struct fl_jfr_hit *hit,
		     uint64_t address)
{
	struct flame *flame = jfr->source->flame;
	struct fl_jfr_leaks *leaks = jfr->leaks;
	struct leak *leak;

	if (!leaks) {
		leaks = jfr->leaks = fl_zeroed(1, sizeof(*leaks));
		if (!leaks)
			return fl_no_memory(flame);
		leaks->first = INT64_MAX;
		leaks->last = INT64_MIN;
	}
	if (!fl_grow(&leaks->now, &leaks->now_capacity, leaks->nnow + 1,
		     sizeof(*leaks->now)))
		return fl_no_memory(flame);
	leak = &leaks->now[leaks->nnow];
	memset(leak, 0, sizeof(*leak));
	leak->order = leaks->nnow++;
	leak->ns = hit->time;
	leak->address = address;
	leak->size = hit->value;
	leak->has_stack = hit->has_stack;
	leak->unresolved = hit->unresolved;
	leak->sample = (struct flame_sample){
		.stack = hit->stack, .thread = hit->thread,
		.time = FLAME_NOTIME,
	};
	leaks->first = FL_MIN(leaks->first, hit->time);
	leaks->last = FL_MAX(leaks->last, hit->time);
	return FLAME_OK;
}

int fl_jfr_emit_leaks(struct fl_jfr *jfr)
{
	const struct fl_jfr_options *options = fl_jfr_options(jfr);
	struct fl_jfr_leaks *leaks = jfr->leaks;
	struct fl_jfr_kind kind = { .event = FL_SLICE("profiler.Malloc"),
				    .unit = "bytes" };
	struct fl_jfr_hit hit = { .kind = &kind, .samples = 1,
				  .time = FLAME_NOTIME, .last = FLAME_NOTIME };
	double until;

	if (!leaks)
		return FLAME_OK;
	kind.row = fl_jfr_row_of(kind.event);
	fl_jfr_resolve_kind(jfr, &kind);
	until = (double)leaks->first * options->tail +
		(double)leaks->last * (1.0 - options->tail);
	for (size_t i = 0; i < leaks->nlive; i++) {
		const struct leak *leak = &leaks->live[i];

		if (!leak->size || (double)leak->ns > until)
			continue;
		hit.has_stack = leak->has_stack;
		hit.unresolved = leak->unresolved;
		hit.stack = leak->sample.stack;
		hit.thread = leak->sample.thread;
		hit.value = leak->size;
		if (fl_jfr_add_sample(jfr, &hit) != FLAME_OK)
			return FLAME_FAILED;
	}
	return FLAME_OK;
}
