/* SPDX-License-Identifier: Apache-2.0 */
/*
 * --grain X: divides weights by X.  Samples are summed by metric and stack,
 * without times or labels, until the end.  The remainder of a stack is carried
 * to the next one of its metric, so that the total is right.
 */
#include "fl.h"

#include "filter/filter.h"

#include <math.h>
#include <stdlib.h>

struct grain {
	double size;
	bool keyed;		/* a later filter has labels for keys */
	struct fl_sums sums;	/* by metric and stack; keyed: and labels */
	double *carry;		/* by metric: the remainder */
};

static int put(struct flame_sink *sink, const struct flame_sample *s)
{
	struct grain *grain = sink->state;
	struct flame_sample sum = {
		.metric = s->metric, .stack = s->stack, .weight = s->weight,
	};

	if (grain->keyed)
		sum = *s;
	sum.time = FLAME_NOTIME;
	return fl_sums_add(sink->flame, &grain->sums, &sum);
}

static int forward(struct flame_sink *sink, const struct flame_sample *sum)
{
	struct grain *grain = sink->state;
	double *carry = &grain->carry[sum->metric];
	double exact = (double)sum->weight / grain->size + *carry;
	/* Rounds halves up, so that no weight becomes negative. */
	double whole = floor(exact + 0.5);
	struct flame_sample s = *sum;

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
	for (size_t i = 0; status == FLAME_OK && i < grain->sums.count; i++)
		status = forward(sink, &grain->sums.data[i]);
	return status;
}

static void release(struct flame_sink *sink)
{
	struct grain *grain = sink->state;

	fl_sums_free(&grain->sums);
	fl_free(grain->carry);
}

/* Whether a later filter, such as "key", asks for labels. */
static bool is_keyed(const struct flame_sink *next)
{
	for (; next->next; next = next->next)
		if (next->labels || next->needs)
			return true;
	return false;
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
	((struct grain *)sink->state)->keyed = is_keyed(next);
	sink->put = put;
	sink->finish = finish;
	sink->free = release;
	return sink;
}

const struct fl_filter fl_filter_grain = {
	.name = "grain", .argument = "X",
	.summary = "count X samples as one",
	.make = make, .rank = 90,
	.selects = FLAME_BY_WEIGHT,
};
