/* SPDX-License-Identifier: Apache-2.0 */
/*
 * --min, the last filter: the weight of stacks whose total is below a minimum
 * counts for their callers, so that the sum stays the same.
 *
 * Totals are known only at the end, so samples are buffered.  Negative weights
 * (freed memory) count with their absolute value.
 */
#include "fl.h"

#include "filter/filter.h"

#include <stdlib.h>

struct min {
	double least;
	bool percent;
	struct fl_sample_sums sums;
	size_t nstacks;
	uint64_t *total;	/* by stack, of absolute weights */
	flame_id *out;		/* by stack: the stack that takes its weight */
};

static int put(struct flame_sink *sink, const struct flame_sample *s)
{
	struct min *min = sink->state;

	return fl_sample_sums_add(sink->flame, &min->sums, s);
}

static void add(uint64_t *to, uint64_t weight)
{
	if (__builtin_add_overflow(*to, weight, to))
		*to = UINT64_MAX;
}

/* parent < child: totals are a backward loop, results a forward one. */
static void prune(struct flame *flame, struct min *min, flame_id metric)
{
	double least = min->least;

	memset(min->total, 0, min->nstacks * sizeof(*min->total));
	for (size_t i = 0; i < min->sums.count; i++) {
		const struct flame_sample *s = &min->sums.samples[i];

		if (s->metric == metric)
			add(&min->total[s->stack],
			    s->weight < 0 ? -(uint64_t)s->weight :
					    (uint64_t)s->weight);
	}
	for (size_t i = min->nstacks; i-- > 1;)
		add(&min->total[fl_parent(flame, i)], min->total[i]);
	if (min->percent)
		least = (double)min->total[0] * least / 100;
	for (size_t i = 1; i < min->nstacks; i++)
		min->out[i] = (double)min->total[i] >= least ? i :
			      min->out[fl_parent(flame, i)];
}

static int forward(struct flame_sink *sink, flame_id metric)
{
	struct min *min = sink->state;

	for (size_t i = 0; i < min->sums.count; i++) {
		struct flame_sample s = min->sums.samples[i];

		s.stack = min->out[s.stack];
		if (s.metric == metric && fl_put(sink->next, &s) != FLAME_OK)
			return FLAME_FAILED;
	}
	return FLAME_OK;
}

static bool has_samples(const struct min *min, flame_id metric)
{
	for (size_t i = 0; i < min->sums.count; i++)
		if (min->sums.samples[i].metric == metric)
			return true;
	return false;
}

static int finish(struct flame_sink *sink)
{
	struct min *min = sink->state;
	struct flame *flame = sink->flame;
	int status = FLAME_OK;

	min->nstacks = flame->stacks.count;
	min->total = fl_zeroed(min->nstacks, sizeof(*min->total));
	min->out = fl_zeroed(min->nstacks, sizeof(*min->out));
	if (!min->total || !min->out)
		return fl_no_memory(flame);
	for (flame_id m = 0; status == FLAME_OK && m < flame->nmetrics; m++)
		if (has_samples(min, m)) {
			prune(flame, min, m);
			status = forward(sink, m);
		}
	return status;
}

static void release(struct flame_sink *sink)
{
	struct min *min = sink->state;

	fl_sample_sums_free(&min->sums);
	fl_free(min->total);
	fl_free(min->out);
}

static bool parse(const char *arg, struct min *min)
{
	size_t size = strlen(arg);
	char copy[64];

	min->percent = size && arg[size - 1] == '%';
	size -= min->percent;
	if (!size || size >= sizeof(copy))
		return false;
	memcpy(copy, arg, size);
	copy[size] = '\0';
	return fl_parse_double(copy, &min->least) && min->least >= 0;
}

static struct flame_sink *make(struct flame_sink *next, const char *arg)
{
	struct min min = { 0 };
	struct flame_sink *sink;

	if (!parse(arg, &min)) {
		fl_fail(next->flame, "--min: %s: not a weight (100) or a "
			"percentage (0.5%%)", arg);
		return NULL;
	}
	sink = fl_sink_new(next->flame, next, sizeof(min));
	if (!sink)
		return NULL;
	*(struct min *)sink->state = min;
	sink->put = put;
	sink->finish = finish;
	sink->free = release;
	return sink;
}

const struct fl_filter fl_filter_min = {
	.name = "min", .argument = "N|P%",
	.summary = "count what is lighter at its caller",
	.make = make, .rank = 95,
};
