/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Makes a struct fl_jfr_hit of a sum, for emit.c (fl_jfr_fill_hit): looks up
 * its trace, thread and class, converts its times and amounts, and finds the
 * labels of its span.  metric.c makes the sample of it.
 */
#include "fl.h"

#include "format/jfr/samples.h"

/* The key of the class shown as the leaf; 0: none. */
static uint64_t leaf_key(struct fl_jfr_chunk *chunk,
			 const struct fl_jfr_sum *sum,
			 const struct fl_jfr_reader *c)
{
	uint64_t key = sum->leaf;

	if (!key || c->role != FL_JFR_OLD_OBJECT)
		return key;
	return fl_jfr_field_number(chunk,
				   fl_jfr_class_named(chunk,
						      "types.OldObject"),
				   key, "type", &key) ? key : 0;
}

/* A class, method or text as a frame; 0: none. */
static flame_id leaf_frame(struct fl_jfr_chunk *chunk,
			   const struct fl_jfr_sum *sum,
			   const struct fl_jfr_reader *c, uint64_t key)
{
	const struct fl_jfr_field *field = c->leaf_field;
	struct flame *flame = chunk->flame;
	struct slice text;
	struct fl_wire w;

	if (field->class && field->class == chunk->types->method)
		return fl_jfr_frame(chunk, key, UINT64_MAX, 0, 0);
	if (!field->class || !field->class->is_string)
		return fl_jfr_leaf(chunk, key, sum->outside);
	w = fl_jfr_wire(chunk, key);
	text = field->constant ?
	       fl_jfr_constant_text(chunk, field->class, key) :
	       fl_jfr_text(chunk, field, &w);
	return text.size ? fl_frame(flame, flame_name(flame, text.data,
						      text.size),
				    FLAME_UNKNOWN) : 0;
}

/* Finds leaf and subject.  false: the chunk was cut before their name. */
static bool find_leaf(struct fl_jfr_chunk *chunk, const struct fl_jfr_sum *sum,
		      const struct fl_jfr_reader *c, struct fl_jfr_hit *hit)
{
	bool leaf = !c->raw && c->row && c->row->leaf;
	struct flame *flame = chunk->flame;
	flame_id frame;
	uint64_t key;

	if (!c->leaf_field || (!leaf && !c->subject))
		return true;
	key = leaf_key(chunk, sum, c);
	if (leaf && fl_unlikely(chunk->missing) &&
	    (key ? !fl_jfr_has_class(chunk, key) : sum->leaf))
		return false;
	frame = key ? leaf_frame(chunk, sum, c, key) : 0;
	if (leaf || (c->subject && c->subject->leaf))
		hit->leaf = frame;
	if (frame && c->subject &&
	    fl_jfr_labels_subject(chunk->jfr, c->subject))
		hit->span = flame_label(flame, hit->span,
					fl_name(flame, c->subject->label),
					flame->frames.data[frame].name);
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
	if (c->role == FL_JFR_WALL && chunk->jfr->wall_ns)
		value = fl_add_clamped(value, fl_mul_clamped(
				bare, chunk->jfr->wall_ns));
	return value;
}

static void fill_times(struct fl_jfr_chunk *chunk, const struct fl_jfr_sum *sum,
		       const struct fl_jfr_reader *c, struct fl_jfr_hit *hit)
{
	struct fl_jfr_events *events = chunk->events;
	struct fl_jfr_detail detail = fl_jfr_detail_of(events, sum);
	const struct fl_jfr_spans *spans = chunk->jfr->spans;
	const struct fl_jfr_span *span = NULL;

	if ((size_t)(sum - events->sums) >=
		    chunk->jfr->samples->progress.first &&
	    events->timed && c->has[FL_JFR_TIME])
		hit->timed = sum;
	hit->time = hit->last = FLAME_NOTIME;
	if (detail.first <= detail.last) {
		hit->time = fl_jfr_ns(chunk, detail.first);
		hit->last = fl_jfr_ns(chunk, detail.last);
	}
	if (c->has[FL_JFR_THREAD])
		hit->thread = fl_jfr_thread(chunk, detail.thread);
	if (spans && spans->label && hit->time != FLAME_NOTIME)
		span = fl_jfr_span_at(spans, detail.thread, hit->time);
	hit->span = span ? span->labels : 0;
}

void fl_jfr_fill_hit(struct fl_jfr_chunk *chunk, const struct fl_jfr_sum *sum,
		     bool names, struct fl_jfr_hit *hit)
{
	const struct fl_jfr_reader *c = chunk->readers->data[sum->reader];
	struct fl_jfr_trace *trace = &chunk->traces->data[sum->trace];

	hit->chunk = chunk;
	hit->samples = sum->samples;
	hit->value = fl_jfr_amount(chunk, c, hit->kind->unit, sum->value,
				   sum->bare);
	fill_times(chunk, sum, c, hit);
	hit->has_stack = trace->at || trace->made;
	if (fl_unlikely(chunk->jfr->copy != NULL))
		hit->place = fl_jfr_detail_of(chunk->events, sum).address;
	if (names && hit->has_stack) {
		hit->trace = trace;
		hit->has_stack = find_leaf(chunk, sum, c, hit);
	}
	if (c->role == FL_JFR_OLD_OBJECT && names &&
	    fl_is_wanted(chunk->jfr->source->select.labels, "holder"))
		fl_jfr_find_holders(chunk, sum->leaf, fl_jfr_detail_of(
				    chunk->events, sum).address, hit);
	hit->unresolved = !hit->has_stack && trace->key;
}
