/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Makes samples of the sums of a chunk, for source.c: fl_jfr_emit() adds a
 * batch of them at a time, those of cpu first, so that the names of others are
 * not made where only one metric is wanted.  fl_jfr_emit_end() adds those that
 * are known at the end of the recording: timings, leaks, thread dumps.
 */
#include "fl.h"

#include "format/jfr/samples.h"

#include <stdlib.h>

enum { BATCH = 1 << 10 };	/* samples */

int fl_jfr_emit_end(struct fl_jfr *jfr)
{
	/* These are of no event alone. */
	if (jfr->copy)
		return FLAME_OK;
	return fl_jfr_emit_timings(jfr) == FLAME_OK &&
	       fl_jfr_emit_leaks(jfr) == FLAME_OK ? fl_jfr_emit_dumps(jfr) :
						    FLAME_FAILED;
}

/* Leaves the sample out and counts it as damage. */
static int drop_stateless(struct fl_jfr_chunk *chunk,
			  const struct fl_jfr_sum *sum)
{
	uint64_t n = FL_MIN((uint64_t)sum->samples, chunk->readers->nevents);

	fl_jfr_damage(chunk, 0, "a thread state that is not there");
	chunk->damage.lost.events += n;
	chunk->readers->nevents -= n;
	return FLAME_OK;
}

static int emit_sum(struct fl_jfr_chunk *chunk, const struct fl_jfr_sum *sum,
		    bool names)
{
	struct fl_jfr *jfr = chunk->jfr;
	const struct fl_jfr_reader *c = chunk->readers->data[sum->reader];
	struct fl_jfr_hit hit = { 0 };

	if (c->role == FL_JFR_TIMING)
		return jfr->copy ? FLAME_OK : fl_jfr_time_method(chunk, sum);
	hit.kind = fl_jfr_kind_of(chunk, sum);
	if (!hit.kind)
		return FLAME_FAILED;
	if (fl_unlikely(hit.kind->stateless))
		return drop_stateless(chunk, sum);
	fl_jfr_fill_hit(chunk, sum, names, &hit);
	if (!jfr->source->select.leak || !c->row ||
	    c->row->group != FL_JFR_GROUP_NATIVEMEM)
		return fl_jfr_add_sample(jfr, &hit);
	if (hit.trace && fl_jfr_stack(chunk, hit.trace))
		hit.stack = hit.trace->stack;
	return fl_jfr_keep_leak(jfr, &hit,
				fl_jfr_detail_of(chunk->events, sum).address);
}

/*
 * async-profiler's RUNNABLE is wall where other states or settings say so.  A
 * state that is missing does not decide about others.
 */
static void resolve_states(struct fl_jfr_chunk *chunk)
{
	struct fl_jfr_progress *progress = &chunk->jfr->samples->progress;
	struct fl_jfr_events *events = chunk->events;

	progress->runnable_wall = chunk->jfr->wall_set;
	for (size_t i = 0; i < events->nsums && !(progress->has_states &&
						  progress->runnable_wall);
	     i++) {
		const struct fl_jfr_sum *sum = &events->sums[i];
		const struct fl_jfr_reader *c =
			chunk->readers->data[sum->reader];
		struct slice state;

		if (c->role != FL_JFR_CPU || !c->has[FL_JFR_STATE])
			continue;
		state = fl_name_at(chunk->flame,
				   fl_jfr_state(chunk, sum->state));
		progress->has_states |= state.size != 0;
		progress->runnable_wall |=
			state.size && !fl_slice_is(state, "STATE_RUNNABLE");
	}
	chunk->jfr->wall_set = progress->runnable_wall;
}

static enum fl_jfr_role role_of(const struct fl_jfr_chunk *chunk,
				const struct fl_jfr_sum *sum)
{
	return chunk->readers->data[sum->reader]->role;
}

static bool has_any(const struct fl_jfr_chunk *chunk, bool cpu)
{
	struct fl_jfr_readers *readers = chunk->readers;

	for (uint32_t i = 0; i < readers->count; i++)
		if (readers->data[i]->full &&
		    (readers->data[i]->role == FL_JFR_CPU) == cpu)
			return true;
	return false;
}

/* Whether samples of this event and state are asked for. */
static bool may_be_asked(struct fl_jfr_chunk *chunk,
			 const struct fl_jfr_sum *sum)
{
	const struct fl_jfr_kind *kind = fl_jfr_kind_of(chunk, sum);

	return kind && fl_jfr_is_asked(kind, chunk->asked.cpu_only);
}

/* Makes the stacks of all samples that are asked for: faster at once. */
static void make_stacks(struct fl_jfr_chunk *chunk, bool cpu)
{
	uint32_t *traces = fl_zeroed(chunk->traces->count + 1, sizeof(*traces));
	size_t n = 0;

	for (size_t i = 0; traces && i < chunk->events->nsums; i++) {
		const struct fl_jfr_sum *sum = &chunk->events->sums[i];
		struct fl_jfr_trace *trace = &chunk->traces->data[sum->trace];

		if ((role_of(chunk, sum) == FL_JFR_CPU) != cpu ||
		    role_of(chunk, sum) == FL_JFR_TIMING ||
		    trace->made || !trace->at ||
		    !may_be_asked(chunk, sum))
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

/* Starts the sums of a pass; false: it has none. */
static bool begin_pass(struct fl_jfr_chunk *chunk, bool cpu)
{
	struct fl_select *select = &chunk->jfr->source->select;

	chunk->asked.cpu_only = select->cpu_only;
	if (!has_any(chunk, cpu))
		return false;
	if (!select->survey && !select->thread && (cpu || !select->cpu_only))
		make_stacks(chunk, cpu);
	return true;
}

/* Emits up to a batch of the sums. */
static int emit_some(struct fl_jfr_chunk *chunk,
		     struct fl_jfr_progress *progress)
{
	struct fl_jfr_events *events = chunk->events;
	const struct fl_select *select = &chunk->jfr->source->select;
	bool cpu = progress->pass == FL_JFR_CPU_PASS;

	for (; progress->next < events->nsums &&
	       chunk->jfr->source->batch.n < BATCH;
	     progress->next++) {
		const struct fl_jfr_sum *sum = &events->sums[progress->next];

		if ((role_of(chunk, sum) == FL_JFR_CPU) != cpu)
			continue;
		prefetch_sum(chunk, progress->next);
		if (emit_sum(chunk, sum, !select->survey &&
			     (cpu || !select->cpu_only)) != FLAME_OK)
			return FLAME_FAILED;
	}
	return FLAME_OK;
}

/* Whether samples of cpu will come, so that no others are asked for. */
static bool will_choose_cpu(struct fl_jfr_chunk *chunk)
{
	const struct fl_select *select = &chunk->jfr->source->select;

	if (select->cpu_only || !select->choose || select->thread ||
	    select->state)
		return select->cpu_only;
	chunk->asked.cpu_only = true;
	for (size_t i = 0; i < chunk->events->nsums; i++) {
		const struct fl_jfr_sum *sum = &chunk->events->sums[i];

		if (role_of(chunk, sum) == FL_JFR_CPU && sum->samples &&
		    chunk->traces->data[sum->trace].at &&
		    may_be_asked(chunk, sum))
			return true;
	}
	return false;
}

/* Begins the second pass, of events that are asked for. */
static int begin_timed(struct fl_jfr_chunk *chunk)
{
	size_t *first = &chunk->jfr->samples->progress.first;
	struct fl_jfr_events *events = chunk->events;
	bool *asked = fl_alloc(events->nsums + 1), good;

	if (!asked)
		return fl_no_memory(chunk->flame);
	chunk->asked.cpu_only = will_choose_cpu(chunk);
	for (size_t i = 0; i < events->nsums; i++) {
		const struct fl_jfr_sum *sum = &events->sums[i];

		asked[i] = role_of(chunk, sum) != FL_JFR_TIMING &&
			   may_be_asked(chunk, sum);
	}
	good = fl_jfr_begin_timed(chunk, asked);
	fl_free(asked);
	*first = events->nsums;
	if (good)
		fl_jfr_next_timed(chunk, first);
	return good && !fl_failed(chunk->flame) ? FLAME_OK : FLAME_FAILED;
}

static int begin(struct fl_jfr_chunk *chunk)
{
	struct fl_jfr *jfr = chunk->jfr;

	jfr->samples->progress = (struct fl_jfr_progress){ 0 };
	if (jfr->timings && !fl_jfr_goes_on(chunk) &&
	    fl_jfr_emit_timings(jfr) != FLAME_OK)
		return FLAME_FAILED;
	resolve_states(chunk);
	if (fl_jfr_options(jfr)->compat && fl_jfr_options(jfr)->grain > 0)
		fl_jfr_coarsen(chunk);
	jfr->samples->progress.pass = FL_JFR_CPU_PASS;
	return chunk->events->twice ? begin_timed(chunk) : FLAME_OK;
}

/* What follows a pass: the other one, the next part, or nothing. */
static void end_pass(struct fl_jfr_chunk *chunk,
		     struct fl_jfr_progress *progress)
{
	bool cpu = progress->pass == FL_JFR_CPU_PASS;

	progress->pass = cpu ? FL_JFR_LAST_PASS : FL_JFR_DONE;
	progress->begun = false;
	progress->next = progress->part;
	if (!cpu && fl_jfr_next_timed(chunk, &progress->next)) {
		progress->pass = FL_JFR_CPU_PASS;
		progress->part = progress->next;
	}
}

static int end(struct fl_jfr_chunk *chunk)
{
	fl_jfr_count_rest(chunk);
	return fl_jfr_end_chunk_dumps(chunk) == FLAME_OK ?
	       fl_jfr_end_chunk_leaks(chunk->jfr) : FLAME_FAILED;
}

int fl_jfr_emit(struct fl_jfr_chunk *chunk)
{
	struct fl_jfr *jfr = chunk->jfr;
	struct fl_jfr_progress *progress = &jfr->samples->progress;

	if (progress->pass == FL_JFR_DONE && begin(chunk) != FLAME_OK)
		return FLAME_FAILED;
	while (progress->pass != FL_JFR_DONE && jfr->source->batch.n < BATCH) {
		bool cpu = progress->pass == FL_JFR_CPU_PASS;

		if (!progress->begun && !begin_pass(chunk, cpu))
			progress->next = chunk->events->nsums;
		progress->begun = true;
		/* Without memory some traces are not of its dictionary. */
		if (fl_failed(chunk->flame) ||
		    emit_some(chunk, progress) != FLAME_OK)
			return FLAME_FAILED;
		if (progress->next < chunk->events->nsums)
			break;
		/* The runs of the batch are those of this part. */
		if (!cpu && chunk->events->timed && jfr->source->batch.n)
			break;
		end_pass(chunk, progress);
	}
	if (progress->pass == FL_JFR_DONE && end(chunk) != FLAME_OK)
		return FLAME_FAILED;
	return fl_failed(jfr->source->flame) ? FLAME_FAILED : FLAME_OK;
}
