/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Lists of samples in which those that differ in weight alone are one:
 * fl_sums_add() adds a sample's weight to its like.  For filters,
 * choose_metric.c and read_job.c, which buffer samples.
 */
#include "fl.h"

#include "flow/flow.h"

#include <stdlib.h>

uint64_t fl_sample_hash(const struct flame_sample *s)
{
	uint64_t hash = fl_hash_pair((uint64_t)s->metric << 32 | s->stack,
				     (uint64_t)s->thread << 32 | s->labels);

	return s->time == FLAME_NOTIME ? hash :
					 fl_hash_pair(hash, (uint64_t)s->time);
}

static bool is_same(const struct flame_sample *a, const struct flame_sample *b)
{
	return a->stack == b->stack && a->metric == b->metric &&
	       a->thread == b->thread && a->labels == b->labels &&
	       a->time == b->time;
}

struct flame_sample *fl_sample_find(const struct fl_index *index,
				    struct flame_sample *list,
				    const struct flame_sample *s, uint64_t hash)
{
	uint32_t i = fl_index_first(index, hash), id;

	while ((id = fl_index_next(index, hash, &i)))
		if (is_same(&list[id - 1], s))
			return &list[id - 1];
	return NULL;
}

int fl_sample_add(struct flame *flame, struct flame_sample *to, int64_t weight)
{
	if (__builtin_add_overflow(to->weight, weight, &to->weight))
		return fl_fail(flame, FL_TOO_HEAVY);
	return FLAME_OK;
}

int fl_sums_append(struct flame *flame, struct fl_sums *sums,
		   const struct flame_sample *s)
{
	if (!fl_grow(&sums->data, &sums->capacity, sums->count + 1, sizeof(*s)))
		return fl_no_memory(flame);
	sums->data[sums->count++] = *s;
	return FLAME_OK;
}

int fl_sums_add(struct flame *flame, struct fl_sums *sums,
		const struct flame_sample *s)
{
	uint64_t hash = fl_sample_hash(s);
	struct flame_sample *sum = fl_sample_find(&sums->index, sums->data, s,
						  hash);

	if (sum)
		return fl_sample_add(flame, sum, s->weight);
	if (fl_sums_append(flame, sums, s) != FLAME_OK)
		return FLAME_FAILED;
	if (sums->count < UINT32_MAX &&
	    !fl_index_add(&sums->index, hash, (uint32_t)sums->count))
		return fl_no_memory(flame);
	return FLAME_OK;
}

void fl_sums_free(struct fl_sums *sums)
{
	fl_free(sums->data);
	fl_index_free(&sums->index);
	*sums = (struct fl_sums){ 0 };
}
