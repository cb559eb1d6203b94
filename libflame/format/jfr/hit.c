/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A sum as a hit: event, state, thread, times and amounts resolved.
 */
#include "fl.h"

#include "format/jfr/samples.h"

/* The key of the class shown as the leaf; 0: none. */
static uint64_t leaf_key(struct fl_jfr_chunk *chunk,
			 const struct fl_jfr_sum *sum,
			 const struct fl_jfr_reader *c)
{
	uint64_t key = sum->leaf;

	if (!key || !c->object)
		return key;
	return fl_jfr_field_number(chunk,
				   fl_jfr_class_named(chunk,
						      "types.OldObject"),
				   key, "type", &key) ? key : 0;
}

/* The leaf of a sample.  false: the chunk was cut before its name. */
bool fl_jfr_find_leaf(struct fl_jfr_chunk *chunk, const struct fl_jfr_sum *sum,
		      const struct fl_jfr_reader *c, struct fl_jfr_hit *hit)
{
	uint64_t key;

	if (c->raw || !c->row || !c->row->leaf)
		return true;
	key = leaf_key(chunk, sum, c);
	if (fl_unlikely(chunk->missing) &&
	    (key ? !fl_jfr_has_class(chunk, key) : sum->leaf))
		return false;
	if (key)
		hit->leaf = fl_jfr_leaf(chunk, key, sum->outside);
	return true;
}

int64_t fl_jfr_amount(const struct fl_jfr_chunk *chunk,
		      const struct fl_jfr_reader *c, const char *unit,
		      int64_t value, int64_t bare)
{
	/* As jfrconv: summed in ticks, then converted once. */
	if (unit && strcmp(unit, "ns") == 0)
		value = fl_jfr_span_ns(chunk, c->value_unit, value);
	/* Only who sleeps has a time span; who runs, runs for an interval. */
	if (c->span && chunk->jfr->wall_ns)
		value = fl_add_clamped(value, fl_mul_clamped(
				bare, chunk->jfr->wall_ns));
	return value;
}

/* Fills in the amounts, in which sums of one event and state differ. */
void fl_jfr_fill_amounts(struct fl_jfr_chunk *chunk,
			 const struct fl_jfr_sum *sum, struct fl_jfr_hit *hit)
{
	struct fl_jfr_events *events = chunk->events;
	const struct fl_jfr_reader *c = chunk->readers->data[sum->reader];
	struct fl_jfr_detail detail = fl_jfr_detail_of(events, sum);
	const struct fl_jfr_spans *spans = chunk->jfr->spans;

	hit->samples = sum->samples;
	hit->value = fl_jfr_amount(chunk, c, hit->unit, sum->value, sum->bare);
	if (c->span && !chunk->jfr->wall_ns && sum->bare)
		hit->unit = NULL;
	hit->timed_sum = (size_t)(sum - events->sums);
	hit->timed = hit->timed_sum >= chunk->jfr->samples->giving.first &&
		     events->timed && c->has[FL_JFR_TIME] ? chunk : NULL;
	hit->time = hit->last = FLAME_NOTIME;
	if (detail.first <= detail.last) {
		hit->time = fl_jfr_ns(chunk, detail.first);
		hit->last = fl_jfr_ns(chunk, detail.last);
	}
	if (c->has[FL_JFR_THREAD])
		hit->thread = fl_jfr_thread(chunk, detail.thread);
	hit->span = 0;
	if (spans && spans->label && hit->time != FLAME_NOTIME) {
		const struct fl_jfr_span *span =
			fl_jfr_span_at(spans, detail.thread, hit->time);

		hit->span = span ? span->labels : 0;
	}
}

void fl_jfr_fill_hit(struct fl_jfr_chunk *chunk, const struct fl_jfr_sum *sum,
		     struct fl_jfr_hit *hit)
{
	struct flame *flame = chunk->flame;
	const struct fl_jfr_reader *c = chunk->readers->data[sum->reader];

	memset(hit, 0, sizeof(*hit));
	hit->event = c->event;
	hit->row = c->row;
	hit->raw = c->raw;
	hit->async = chunk->async;
	hit->runnable_wall = chunk->jfr->samples->giving.runnable_wall;
	hit->with_tlab = chunk->events->with_tlab;
	hit->unit = c->has[FL_JFR_VALUE] ? fl_jfr_unit(c) : NULL;
	if (c->has[FL_JFR_STATE])
		hit->state = fl_name_at(flame, fl_jfr_state(chunk,
							    sum->state));
	fl_jfr_fill_amounts(chunk, sum, hit);
}
