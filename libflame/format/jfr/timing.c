/* SPDX-License-Identifier: Apache-2.0 */
/*
 * jdk.MethodTiming (JDK 25): how often a method ran and how long on average.
 * The numbers grow as the recording does, so the last ones of a method count:
 * emit.c passes all to fl_jfr_time_method(), and at the end of the recording
 * fl_jfr_emit_timings() makes a sample of each method, with a stack of one
 * frame.
 */
#include "fl.h"

#include "format/jfr/samples.h"

#include <stdlib.h>

struct fl_jfr_timings {
	struct timing {
		flame_id stack;
		int64_t calls, ns;
	} *data;
	size_t count, capacity;
	struct fl_map by_stack;	/* -> index in data, plus one */
};

void fl_jfr_timings_free(struct fl_jfr_timings *timings)
{
	if (!timings)
		return;
	fl_map_free(&timings->by_stack);
	fl_free(timings->data);
	fl_free(timings);
}

static struct timing *timing_of(struct fl_jfr *jfr, flame_id stack)
{
	struct fl_jfr_timings *t = jfr->timings;
	uint64_t *at;

	if (!t)
		t = jfr->timings = fl_zeroed(1, sizeof(*t));
	at = t ? fl_map_put(&t->by_stack, stack, NULL) : NULL;
	if (!at || (!*at && !fl_grow(&t->data, &t->capacity, t->count + 1,
				     sizeof(*t->data)))) {
		fl_no_memory(jfr->source->flame);
		return NULL;
	}
	if (!*at) {
		t->data[t->count] = (struct timing){ .stack = stack };
		*at = ++t->count;
	}
	return &t->data[*at - 1];
}

int fl_jfr_time_method(struct fl_jfr_chunk *chunk,
		       const struct fl_jfr_sum *sum)
{
	const struct fl_jfr_reader *c = chunk->readers->data[sum->reader];
	struct flame *flame = chunk->flame;
	flame_id frame = fl_jfr_frame(chunk, sum->leaf, UINT64_MAX, 0, 0);
	struct timing *t = timing_of(chunk->jfr, flame_stack(flame, 0, frame));
	int64_t average = fl_jfr_span_ns(chunk, c->value_unit, sum->value);

	if (!t)
		return FLAME_FAILED;
	if (sum->samples < t->calls)
		return FLAME_OK;
	t->calls = sum->samples;
	if (average < 0 || __builtin_mul_overflow(average, t->calls, &t->ns))
		t->ns = 0;
	return FLAME_OK;
}

int fl_jfr_emit_timings(struct fl_jfr *jfr)
{
	struct fl_jfr_timings *t = jfr->timings;
	struct fl_jfr_kind kind = { .event = FL_SLICE("jdk.MethodTiming"),
				    .unit = "ns" };
	struct fl_jfr_hit hit = { .kind = &kind, .has_stack = true,
				  .time = FLAME_NOTIME, .last = FLAME_NOTIME };
	int status = FLAME_OK;

	jfr->timings = NULL;
	kind.row = fl_jfr_row_of(kind.event);
	kind.raw = fl_jfr_is_raw(jfr, kind.event);
	if (t)
		fl_jfr_resolve_kind(jfr, &kind);
	for (size_t i = 0; t && i < t->count && status == FLAME_OK; i++) {
		hit.stack = t->data[i].stack;
		hit.samples = t->data[i].calls;
		hit.value = t->data[i].ns;
		if (hit.samples > 0)
			status = fl_jfr_add_sample(jfr, &hit);
	}
	fl_jfr_timings_free(t);
	return status;
}
