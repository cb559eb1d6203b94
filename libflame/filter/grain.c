/* SPDX-License-Identifier: Apache-2.0 */
/*
 * --grain: divides weights by X.  The remainder of a stack is carried to the
 * next one, so that the total is right.
 */
#include "fl.h"

#include "filter/filter.h"

#include <math.h>
#include <stdlib.h>

/* Kept in the order of arrival, as ids depend on the threads. */
struct sum {
	flame_id metric, stack;
	int64_t weight;
};

struct grain {
	double size;
	struct fl_map indices;	/* metric << 32 | stack -> index in sums */
	struct sum *sums;
	size_t count, capacity;
	double *carry;		/* by metric: the remainder */
};

static int put(struct flame_sink *sink, const struct flame_sample *s)
{
	struct grain *grain = sink->state;
	bool fresh;
	uint64_t *place = fl_map_put(
		&grain->indices, (uint64_t)s->metric << 32 | s->stack, &fresh);
	int64_t *sum;

	if (!place || !fl_grow(&grain->sums, &grain->capacity, grain->count + 1,
			       sizeof(*grain->sums)))
		return fl_no_memory(sink->flame);
	if (fresh) {
		*place = grain->count++;
		grain->sums[*place] = (struct sum){ s->metric, s->stack, 0 };
	}
	sum = &grain->sums[*place].weight;
	return __builtin_add_overflow(*sum, s->weight, sum) ?
	       fl_fail(sink->flame, "the sum of weights passes 2^63") :
	       FLAME_OK;
}

static int forward(struct flame_sink *sink, const struct sum *sum)
{
	struct grain *grain = sink->state;
	double *carry = &grain->carry[sum->metric];
	double exact = (double)sum->weight / grain->size + *carry;
	/* Rounds halves up, so that no weight becomes negative. */
	double whole = floor(exact + 0.5);
	struct flame_sample s = {
		.metric = sum->metric, .stack = sum->stack,
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
	int status = FLAME_OK;

	grain->carry = fl_zeroed(sink->flame->nmetrics + 1,
				 sizeof(*grain->carry));
	if (!grain->carry)
		return fl_no_memory(sink->flame);
	for (size_t i = 0; status == FLAME_OK && i < grain->count; i++)
		status = forward(sink, &grain->sums[i]);
	return status;
}

static void release(struct flame_sink *sink)
{
	struct grain *grain = sink->state;

	fl_map_free(&grain->indices);
	fl_free(grain->sums);
	fl_free(grain->carry);
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
