/* SPDX-License-Identifier: Apache-2.0 */
/*
 * --min: the weight of stacks whose total is below a minimum (a weight or a
 * percentage) is added to their callers, so that the sum stays the same.  Of
 * the filters only "key" runs later.
 *
 * Frames of one name and caller are one frame, however they ran: their sum is
 * compared, as in pictures and tables.
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
	struct fl_sums sums;
	size_t nstacks;
	flame_id *node;		/* by stack: the first of the same frames */
	uint64_t *total;	/* by node, of absolute weights */
	flame_id *out;		/* by stack: the stack that gets its weight */
};

static int put(struct flame_sink *sink, const struct flame_sample *s)
{
	struct min *min = sink->state;

	return fl_sums_add(sink->flame, &min->sums, s);
}

static void add(uint64_t *to, uint64_t weight)
{
	if (__builtin_add_overflow(*to, weight, to))
		*to = UINT64_MAX;
}

/* Java's ways of running are one kind; see fl_kind. */
static unsigned kind_of(enum flame_type type)
{
	switch (type) {
	case FLAME_INTERPRETED:
	case FLAME_JIT:
	case FLAME_INLINED:
	case FLAME_C1:
		return 1;
	case FLAME_KERNEL:
		return 2;
	case FLAME_WAKER:
		return 3;
	default:
		return 0;
	}
}

static bool is_same(struct flame *flame, const struct min *min, flame_id a,
		    flame_id b)
{
	const struct flame_frame *x = fl_frame_at(flame, a);
	const struct flame_frame *y = fl_frame_at(flame, b);

	return x->name == y->name && kind_of(x->type) == kind_of(y->type) &&
	       min->node[fl_parent(flame, a)] == min->node[fl_parent(flame, b)];
}

/* false: out of memory. */
static bool join_tiers(struct flame *flame, struct min *min)
{
	struct fl_index index = { 0 };
	bool good = true;

	for (size_t i = 1; good && i < min->nstacks; i++) {
		const struct flame_frame *f = fl_frame_at(flame, i);
		uint64_t hash = fl_hash_pair(min->node[fl_parent(flame, i)],
			(uint64_t)f->name << 2 | kind_of(f->type));
		uint32_t at, id;

		for (at = fl_index_first(&index, hash);
		     (id = fl_index_next(&index, hash, &at));)
			if (is_same(flame, min, id, i))
				break;
		min->node[i] = id ? id : (flame_id)i;
		if (!id)
			good = fl_index_add(&index, hash, (uint32_t)i);
	}
	fl_index_free(&index);
	return good;
}

/* parent < child: totals are a backward loop, results a forward one. */
static void prune(struct flame *flame, struct min *min, flame_id metric)
{
	double least = min->least;

	memset(min->total, 0, min->nstacks * sizeof(*min->total));
	for (size_t i = 0; i < min->sums.count; i++) {
		const struct flame_sample *s = &min->sums.data[i];

		if (s->metric == metric)
			add(&min->total[min->node[s->stack]],
			    s->weight < 0 ? -(uint64_t)s->weight :
					    (uint64_t)s->weight);
	}
	for (size_t i = min->nstacks; i-- > 1;)
		add(&min->total[min->node[fl_parent(flame, i)]],
		    min->total[i]);
	if (min->percent)
		least = (double)min->total[0] * least / 100;
	for (size_t i = 1; i < min->nstacks; i++)
		min->out[i] = (double)min->total[min->node[i]] >= least ?
				      i :
				      min->out[fl_parent(flame, i)];
}

static int forward(struct flame_sink *sink, flame_id metric)
{
	struct min *min = sink->state;

	for (size_t i = 0; i < min->sums.count; i++) {
		struct flame_sample s = min->sums.data[i];

		s.stack = min->out[s.stack];
		if (s.metric == metric && fl_put(sink->next, &s) != FLAME_OK)
			return FLAME_FAILED;
	}
	return FLAME_OK;
}

static bool has_samples(const struct min *min, flame_id metric)
{
	for (size_t i = 0; i < min->sums.count; i++)
		if (min->sums.data[i].metric == metric)
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
	min->node = fl_zeroed(min->nstacks, sizeof(*min->node));
	if (!min->total || !min->out || !min->node || !join_tiers(flame, min))
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

	fl_sums_free(&min->sums);
	fl_free(min->node);
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
	sink->buffers = true;
	sink->finish = finish;
	sink->free = release;
	return sink;
}

const struct fl_filter fl_filter_min = {
	.name = "min", .argument = "N|P%",
	.summary = "count what is lighter at its caller",
	.make = make, .rank = 95,
};
