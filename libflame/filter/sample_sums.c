/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Buffers samples for filters that need all of them first; equal ones are
 * summed.
 */
#include "fl.h"

#include "filter/filter.h"

#include <stdlib.h>

static bool is_same(const struct flame_sample *a, const struct flame_sample *b)
{
	return a->stack == b->stack && a->metric == b->metric &&
	       a->thread == b->thread && a->labels == b->labels &&
	       a->time == b->time;
}

static uint64_t hash_of(const struct flame_sample *s)
{
	uint64_t hash = fl_hash_pair((uint64_t)s->metric << 32 | s->stack,
				     (uint64_t)s->thread << 32 | s->labels);

	return fl_hash_pair(hash, (uint64_t)s->time);
}

static int add(struct flame *flame, struct flame_sample *to, int64_t weight)
{
	if (__builtin_add_overflow(to->weight, weight, &to->weight))
		return fl_fail(flame, "the sum of weights passes 2^63");
	return FLAME_OK;
}

int fl_sample_sums_add(struct flame *flame, struct fl_sample_sums *sums,
		       const struct flame_sample *s)
{
	uint64_t hash = hash_of(s);
	uint32_t i = fl_index_first(&sums->index, hash), id;

	while ((id = fl_index_next(&sums->index, hash, &i)))
		if (is_same(&sums->samples[id - 1], s))
			return add(flame, &sums->samples[id - 1], s->weight);
	if (sums->count == UINT32_MAX ||
	    !fl_grow(&sums->samples, &sums->capacity, sums->count + 1,
		     sizeof(*s)) ||
	    !fl_index_add(&sums->index, hash, (uint32_t)sums->count + 1))
		return fl_no_memory(flame);
	sums->samples[sums->count++] = *s;
	return FLAME_OK;
}

void fl_sample_sums_free(struct fl_sample_sums *sums)
{
	fl_free(sums->samples);
	fl_index_free(&sums->index);
}
