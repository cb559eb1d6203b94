/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Coarser weights: X samples become one.  What rounding takes from a stack
 * is carried on to the next, so that the total stays true.
 */
#include "fl.h"

#include "filter/filter.h"

#include <math.h>
#include <stdlib.h>

struct grain {
	double size;
	struct fl_map sums;	/* metric << 32 | stack -> weight */
};

static int put(struct flame_sink *sink, const struct flame_sample *s)
{
	struct grain *grain = sink->state;
	uint64_t *place = fl_map_put(&grain->sums,
				     (uint64_t)s->metric << 32 | s->stack,
				     NULL);
	int64_t sum;

	if (!place)
		return fl_no_memory(sink->flame);
	if (__builtin_add_overflow((int64_t)*place, s->weight, &sum))
		return fl_fail(sink->flame, "the sum of weights passes 2^63");
	*place = (uint64_t)sum;
	return FLAME_OK;
}

static int by_key(const void *a, const void *b)
{
	uint64_t x = ((const struct fl_map_entry *)a)->key;
	uint64_t y = ((const struct fl_map_entry *)b)->key;

	return x < y ? -1 : x > y;
}

static struct fl_map_entry *sorted(const struct fl_map *map)
{
	struct fl_map_entry *all = fl_alloc(fl_size_mul(map->n + 1,
						   sizeof(*all)));
	const struct fl_map_entry *e;
	size_t i = 0, n = 0;

	if (!all)
		return NULL;
	while ((e = fl_map_each(map, &i)))
		all[n++] = *e;
	qsort(all, n, sizeof(*all), by_key);
	return all;
}

static int give(struct flame_sink *sink, uint64_t key, double weight,
		double *carry)
{
	double exact = weight + *carry, whole = round(exact);
	struct flame_sample s = {
		.metric = (flame_id)(key >> 32), .stack = (flame_id)key,
		.time = FLAME_NOTIME,
	};

	if (!(fabs(whole) < 0x1p63))
		return fl_fail(sink->flame, "--grain: a weight passes 2^63");
	*carry = exact - whole;
	s.weight = (int64_t)whole;
	return s.weight ? fl_put(sink->next, &s) : FLAME_OK;
}

static int finish(struct flame_sink *sink)
{
	struct grain *grain = sink->state;
	struct fl_map_entry *all = sorted(&grain->sums);
	int status = all ? FLAME_OK : fl_no_memory(sink->flame);
	double carry = 0;

	for (size_t i = 0; status == FLAME_OK && i < grain->sums.n; i++) {
		if (i && all[i].key >> 32 != all[i - 1].key >> 32)
			carry = 0;
		status = give(sink, all[i].key,
			      (double)(int64_t)all[i].value / grain->size,
			      &carry);
	}
	fl_free(all);
	return status;
}

static void release(struct flame_sink *sink)
{
	struct grain *grain = sink->state;

	fl_map_free(&grain->sums);
}

static struct flame_sink *make(struct flame_sink *next, const char *arg)
{
	struct flame_sink *sink;
	double size;

	if (!fl_parse_double(arg, &size) || !(size > 0)) {
		fl_fail(next->flame, "--grain: %s: not a number above 0", arg);
		return NULL;
	}
	sink = fl_sink_new(next->flame, next, sizeof(struct grain));
	if (!sink)
		return NULL;
	((struct grain *)sink->state)->size = size;
	sink->put = put;
	sink->finish = finish;
	sink->free = release;
	return sink;
}

const struct fl_filter fl_filter_grain = {
	.name = "grain", .argument = "X",
	.summary = "count X samples as one",
	.make = make, .rank = 90,
};
