/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Makes samples of the sums: the metric of each sum, selection by state
 * and thread, names, leaks, and jfrconv's grain.
 */
#include "fl.h"

#include "format/jfr/samples.h"

#include <stdlib.h>

enum { BATCH = 1 << 10 };	/* samples */

int fl_jfr_emit_end(struct fl_jfr *jfr)
{
	return fl_jfr_emit_timings(jfr) == FLAME_OK &&
	       fl_jfr_emit_leaks(jfr) == FLAME_OK ? fl_jfr_emit_dumps(jfr) :
						    FLAME_FAILED;
}

/* The same event and state as the one before; of spans, units may differ. */
static bool is_again(const struct fl_jfr_reader *c,
		     const struct fl_jfr_sum *sum,
		     const struct fl_jfr_sum *last)
{
	return !c->span && last && last->reader == sum->reader &&
	       last->state == sum->state;
}

/* Whether the state of any sample of cpu or wall is in the pools. */
static bool has_states(struct fl_jfr_chunk *chunk)
{
	for (size_t i = 0; i < chunk->events->nsums; i++) {
		const struct fl_jfr_sum *sum = &chunk->events->sums[i];
		const struct fl_jfr_reader *c =
			chunk->readers->data[sum->reader];

		if (c->cpu && c->has[FL_JFR_STATE] &&
		    fl_name_at(chunk->flame,
			       fl_jfr_state(chunk, sum->state)).size)
			return true;
	}
	return false;
}

/*
 * Whether an async-profiler sample names a thread state that is not in the
 * pool, although others are: it may be of cpu or of wall.
 */
static bool is_stateless(struct fl_jfr_chunk *chunk,
			 const struct fl_jfr_reader *c,
			 const struct fl_jfr_hit *hit)
{
	if (!c->cpu || !c->has[FL_JFR_STATE] || hit->state.size ||
	    !chunk->async || c->raw || fl_jfr_options(chunk->jfr)->compat)
		return false;
	if (chunk->jfr->samples->giving.has_states == FL_JFR_MAYBE)
		chunk->jfr->samples->giving.has_states =
			has_states(chunk) ? FL_JFR_YES : FL_JFR_NO;
	return chunk->jfr->samples->giving.has_states == FL_JFR_YES;
}

/* Leaves the sample out and counts it as damage. */
static int drop_stateless(struct fl_jfr_chunk *chunk,
			  const struct fl_jfr_hit *hit)
{
	uint64_t n = FL_MIN((uint64_t)hit->samples, chunk->readers->nevents);

	fl_jfr_damage(chunk, 0, "a thread state that is not there");
	chunk->damage.lost.events += n;
	chunk->readers->nevents -= n;
	return FLAME_OK;
}

/* hit: of the sum that was emitted last, if there is one. */
static int emit_sum(struct fl_jfr_chunk *chunk, const struct fl_jfr_sum *sum,
		    const struct fl_jfr_sum *last, struct fl_jfr_hit *hit,
		    bool names)
{
	struct fl_jfr *jfr = chunk->jfr;
	const struct fl_jfr_reader *c = chunk->readers->data[sum->reader];
	struct fl_jfr_trace *trace = &chunk->traces->data[sum->trace];

	if (c->latest)
		return fl_jfr_time_method(chunk, sum);
	if (is_again(c, sum, last)) {
		hit->again = true;
		hit->stack = hit->leaf = 0;
		hit->trace = NULL;
		fl_jfr_fill_amounts(chunk, sum, hit);
	} else {
		fl_jfr_fill_hit(chunk, sum, hit);
	}
	if (fl_unlikely(is_stateless(chunk, c, hit)))
		return drop_stateless(chunk, hit);
	hit->has_stack = trace->at || trace->made;
	if (names && hit->has_stack) {
		hit->chunk = chunk;
		hit->trace = trace;
		hit->has_stack = fl_jfr_find_leaf(chunk, sum, c, hit);
	}
	hit->unresolved = !hit->has_stack && trace->key;
	if (jfr->source->select.leak && c->row &&
	    c->row->group == FL_JFR_GROUP_NATIVEMEM) {
		if (hit->trace && fl_jfr_stack(chunk, trace))
			hit->stack = trace->stack;
		return fl_jfr_keep_leak(
			jfr, hit, fl_jfr_detail_of(chunk->events, sum).address);
	}
	return fl_jfr_give(jfr, hit);
}

/* async-profiler's RUNNABLE is wall where other states or settings say so. */
static void resolve_states(struct fl_jfr_chunk *chunk)
{
	struct fl_jfr_events *events = chunk->events;
	struct flame *flame = chunk->flame;

	chunk->jfr->samples->giving.runnable_wall = chunk->jfr->wall_set;
	for (size_t i = 0;
	     i < events->nsums && !chunk->jfr->samples->giving.runnable_wall;
	     i++) {
		const struct fl_jfr_reader *c =
			chunk->readers->data[events->sums[i].reader];
		struct slice state;

		if (!c->row || strcmp(c->row->metric, "cpu") != 0 ||
		    !c->has[FL_JFR_STATE])
			continue;
		state = fl_name_at(flame, fl_jfr_state(chunk,
						events->sums[i].state));
		/* A missing state does not decide about the other states. */
		chunk->jfr->samples->giving.runnable_wall = state.size &&
				       !fl_slice_is(state, "STATE_RUNNABLE");
	}
	chunk->jfr->wall_set = chunk->jfr->samples->giving.runnable_wall;
}

/* Counts events without stacks for their metrics. */
static void tally_rest(struct fl_jfr_chunk *chunk)
{
	struct fl_jfr *jfr = chunk->jfr;

	for (uint32_t i = 0; i < chunk->readers->count; i++) {
		const struct fl_jfr_reader *c = chunk->readers->data[i];
		struct fl_jfr_hit hit = {
			.event = c->event,
			.row = c->row,
			.samples = c->samples,
			.async = chunk->async,
			.with_tlab = chunk->events->with_tlab,
			.time = FLAME_NOTIME,
			.has_stack = true,
		};
		const char *name, *unit = "samples";
		flame_id metric;

		if (c->full || !c->samples || fl_jfr_options(jfr)->compat)
			continue;
		name = fl_jfr_metric_of(jfr, &hit);
		if (c->row && c->row->unit)
			unit = c->row->unit;
		metric = fl_metric(jfr->source->flame, name, unit,
				   fl_jfr_options(jfr)->total ? unit :
							       "samples");
		hit.unit = NULL;
		fl_jfr_tally(jfr, metric, &hit);
	}
}

/*
 * Whether to emit cpu now: its samples come first, and if only one metric is
 * wanted, the names of the others are not made.
 */
static bool is_cpu(const struct fl_jfr_chunk *chunk,
		   const struct fl_jfr_sum *sum)
{
	return chunk->readers->data[sum->reader]->cpu;
}

static bool has_any(const struct fl_jfr_chunk *chunk, bool cpu)
{
	struct fl_jfr_readers *readers = chunk->readers;

	for (uint32_t i = 0; i < readers->count; i++)
		if (readers->data[i]->full && readers->data[i]->cpu == cpu)
			return true;
	return false;
}

/* Whether samples of this event and state are asked for. */
static bool may_be_asked(struct fl_jfr_chunk *chunk,
			 const struct fl_jfr_sum *sum)
{
	const struct fl_jfr_reader *c = chunk->readers->data[sum->reader];
	struct fl_jfr_hit hit = {
		.event = c->event,
		.row = c->row,
		.raw = c->raw,
		.async = chunk->async,
		.runnable_wall = chunk->jfr->samples->giving.runnable_wall,
		.with_tlab = chunk->events->with_tlab,
	};
	const char *name;

	if (c->has[FL_JFR_STATE])
		hit.state = fl_name_at(chunk->flame,
				       fl_jfr_state(chunk, sum->state));
	name = fl_jfr_metric_of(chunk->jfr, &hit);
	return name &&
	       fl_jfr_is_asked(chunk->jfr, chunk->asked.cpu_only, &hit, name);
}

/* Makes the stacks of all samples that are asked for: faster at once. */
static void make_stacks(struct fl_jfr_chunk *chunk, bool cpu)
{
	uint32_t *traces = fl_zeroed(chunk->traces->count + 1, sizeof(*traces));
	const struct fl_jfr_sum *last = NULL;
	bool asked = false;
	size_t n = 0;

	for (size_t i = 0; traces && i < chunk->events->nsums; i++) {
		const struct fl_jfr_sum *sum = &chunk->events->sums[i];
		struct fl_jfr_trace *trace = &chunk->traces->data[sum->trace];

		if (is_cpu(chunk, sum) != cpu || trace->made || !trace->at ||
		    chunk->readers->data[sum->reader]->latest)
			continue;
		if (!last || sum->reader != last->reader ||
		    sum->state != last->state)
			asked = may_be_asked(chunk, sum);
		last = sum;
		if (!asked)
			continue;
		trace->made = true;
		traces[n++] = sum->trace;
	}
	if (n)
		fl_jfr_make_all_stacks(chunk, traces, n);
	fl_free(traces);
}

/* Prefetches the stacks of the next sums, which miss the cache. */
static void prefetch_sum(const struct fl_jfr_chunk *chunk, size_t i)
{
	struct fl_jfr_events *events = chunk->events;

	enum { STACK = 12, CHILD = 6 };
	const struct fl_stack *at = chunk->flame->stacks.data;
	const struct fl_jfr_trace *traces = chunk->traces->data;

	if (i + STACK >= events->nsums)
		return;
	fl_prefetch(&at[traces[events->sums[i + STACK].trace].stack]);
	fl_prefetch(&at[at[traces[events->sums[i + CHILD].trace].stack].child]);
}

/* Before the sums of one kind; false: there are none of it. */
static bool begin_kind(struct fl_jfr_chunk *chunk, bool cpu)
{
	struct fl_select *select = &chunk->jfr->source->select;

	chunk->asked.cpu_only = select->cpu_only;
	if (!has_any(chunk, cpu))
		return false;
	if (!select->survey && !select->thread && (cpu || !select->cpu_only))
		make_stacks(chunk, cpu);
	return true;
}

/* Up to a batch of them. */
static int emit_some(struct fl_jfr_chunk *chunk, struct fl_jfr_giving *giving)
{
	struct fl_jfr_events *events = chunk->events;
	struct fl_select *select = &chunk->jfr->source->select;
	bool cpu = giving->kind == FL_JFR_CPU;

	for (; giving->next < events->nsums &&
	       chunk->jfr->source->batch.n < BATCH;
	     giving->next++) {
		const struct fl_jfr_sum *sum = &events->sums[giving->next];

		if (is_cpu(chunk, sum) != cpu)
			continue;
		prefetch_sum(chunk, giving->next);
		if (emit_sum(chunk, sum, giving->last, &giving->hit,
			     !select->survey &&
			     (cpu || !select->cpu_only)) != FLAME_OK)
			return FLAME_FAILED;
		giving->last = sum;
	}
	return FLAME_OK;
}

/* Whether samples of cpu will be given, so that no others are asked for. */
static bool will_choose_cpu(struct fl_jfr_chunk *chunk)
{
	const struct fl_select *select = &chunk->jfr->source->select;

	if (select->cpu_only || !select->choose || select->thread ||
	    select->state)
		return select->cpu_only;
	chunk->asked.cpu_only = true;
	for (size_t i = 0; i < chunk->events->nsums; i++) {
		const struct fl_jfr_sum *sum = &chunk->events->sums[i];

		if (is_cpu(chunk, sum) && sum->samples &&
		    chunk->traces->data[sum->trace].at &&
		    may_be_asked(chunk, sum))
			return true;
	}
	return false;
}

/* Begins the second pass, of events that are asked for. */
static int begin_timed(struct fl_jfr_chunk *chunk)
{
	struct fl_jfr_giving *giving = &chunk->jfr->samples->giving;
	struct fl_jfr_events *events = chunk->events;
	const struct fl_jfr_sum *last = NULL;
	bool *asked = fl_alloc(events->nsums + 1);
	bool is_asked = false, good;

	if (!asked)
		return fl_no_memory(chunk->flame);
	giving->has_states = has_states(chunk) ? FL_JFR_YES : FL_JFR_NO;
	chunk->asked.cpu_only = will_choose_cpu(chunk);
	for (size_t i = 0; i < events->nsums; i++) {
		const struct fl_jfr_sum *sum = &events->sums[i];

		if (!last || sum->reader != last->reader ||
		    sum->state != last->state)
			is_asked = may_be_asked(chunk, sum) &&
				   !chunk->readers->data[sum->reader]->latest;
		asked[i] = is_asked;
		last = sum;
	}
	good = fl_jfr_begin_timed(chunk, asked);
	fl_free(asked);
	giving->first = events->nsums;
	if (good)
		fl_jfr_next_timed(chunk, &giving->first);
	return good && !fl_failed(chunk->flame) ? FLAME_OK : FLAME_FAILED;
}

static int begin(struct fl_jfr_chunk *chunk)
{
	struct fl_jfr *jfr = chunk->jfr;

	memset(&jfr->samples->giving, 0, sizeof(jfr->samples->giving));
	jfr->samples->answer.known = false;
	if (jfr->timings && !fl_jfr_goes_on(chunk) &&
	    fl_jfr_emit_timings(jfr) != FLAME_OK)
		return FLAME_FAILED;
	resolve_states(chunk);
	if (fl_jfr_options(jfr)->compat && fl_jfr_options(jfr)->grain > 0)
		fl_jfr_coarsen(chunk);
	jfr->samples->giving.kind = FL_JFR_CPU;
	return chunk->events->twice ? begin_timed(chunk) : FLAME_OK;
}

static int end(struct fl_jfr_chunk *chunk)
{
	tally_rest(chunk);
	return fl_jfr_end_chunk_dumps(chunk) == FLAME_OK ?
	       fl_jfr_end_chunk_leaks(chunk->jfr) : FLAME_FAILED;
}

int fl_jfr_emit(struct fl_jfr_chunk *chunk)
{
	struct fl_jfr *jfr = chunk->jfr;
	struct fl_jfr_giving *giving = &jfr->samples->giving;

	if (giving->kind == FL_JFR_DONE && begin(chunk) != FLAME_OK)
		return FLAME_FAILED;
	while (giving->kind != FL_JFR_DONE && jfr->source->batch.n < BATCH) {
		bool cpu = giving->kind == FL_JFR_CPU;

		if (!giving->begun && !begin_kind(chunk, cpu))
			giving->next = chunk->events->nsums;
		giving->begun = true;
		/* Without memory some traces are not of its dictionary. */
		if (fl_failed(chunk->flame) ||
		    emit_some(chunk, giving) != FLAME_OK)
			return FLAME_FAILED;
		if (giving->next < chunk->events->nsums)
			break;
		/* The runs of the batch are those of this part. */
		if (!cpu && chunk->events->timed && jfr->source->batch.n)
			break;
		giving->kind = cpu ? FL_JFR_OTHERS : FL_JFR_DONE;
		giving->begun = false;
		giving->next = giving->part;
		giving->last = NULL;
		if (!cpu && fl_jfr_next_timed(chunk, &giving->next)) {
			giving->kind = FL_JFR_CPU;
			giving->part = giving->next;
		}
	}
	if (giving->kind == FL_JFR_DONE && end(chunk) != FLAME_OK)
		return FLAME_FAILED;
	return fl_failed(jfr->source->flame) ? FLAME_FAILED : FLAME_OK;
}
