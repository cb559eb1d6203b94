/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The metrics of samples.  fl_jfr_resolve_kind() decides on the metric of a
 * kind of samples (those of an event in a state), and whether it is asked for;
 * fl_jfr_add_sample() counts a hit for its metric, and adds its sample to the
 * batch.  For emit.c, leak.c, timing.c and v0/.
 */
#include "fl.h"

#include "format/jfr/samples.h"

static bool is_wall(const struct fl_jfr_kind *kind)
{
	if (!kind->async || !kind->state.data || !kind->state.size)
		return false;
	if (fl_slice_is(kind->state, "STATE_DEFAULT"))
		return false;
	return kind->runnable_wall || !fl_slice_is(kind->state,
						   "STATE_RUNNABLE");
}

/* jfrconv: --cpu is STATE_DEFAULT, --wall every other state there is. */
static bool compat_state(const struct fl_select *select,
			 const struct fl_jfr_kind *kind)
{
	bool cpu;

	if (kind->row->group != FL_JFR_GROUP_EXEC)
		return true;
	if (select->state)
		return kind->state.data &&
		       fl_state_listed(select->state, kind->state);
	cpu = strcmp(select->event, "cpu") == 0;
	if (!cpu && strcmp(select->event, "wall") != 0)
		return true;
	return kind->state.data && kind->state.size &&
	       fl_slice_is(kind->state, "STATE_DEFAULT") == cpu;
}

/* The metric's name, in permanent text; NULL: not asked for. */
static const char *metric_of(const struct fl_jfr *jfr,
			     const struct fl_jfr_kind *kind)
{
	struct flame *flame = jfr->source->flame;
	const struct fl_select *select = &jfr->source->select;

	if (fl_jfr_options(jfr)->compat && select->event && !kind->raw)
		return kind->row && fl_jfr_row_asked(jfr, kind->row) &&
		       compat_state(select, kind) ? select->event : NULL;
	if (kind->raw || !kind->row)
		return flame_name_text(
			flame, flame_name(flame, kind->event.data,
					  kind->event.size), NULL);
	if (kind->row->role == FL_JFR_CPU)
		return is_wall(kind) ? "wall" :
		       kind->async && jfr->sampled ? jfr->sampled : "cpu";
	if (kind->with_tlab && kind->row->role == FL_JFR_ALLOC_SAMPLE)
		return "alloc-sample";
	if (kind->row->role == FL_JFR_OLD_OBJECT)
		return "live";
	return kind->row->metric;
}

void fl_jfr_resolve_kind(const struct fl_jfr *jfr, struct fl_jfr_kind *kind)
{
	const struct fl_jfr_options *options = fl_jfr_options(jfr);
	const char *event = jfr->source->select.event;

	kind->name = metric_of(jfr, kind);
	kind->cpu = kind->name && strcmp(kind->name, "cpu") == 0;
	kind->asked = kind->name &&
		      (options->compat || !event || kind->raw ||
		       strcmp(event, kind->name) == 0);
	kind->total = options->total && kind->unit &&
		      !(options->compat && kind->row &&
			kind->row->group == FL_JFR_GROUP_EXEC);
}

/* Without a value it has no unit: of spans, some sums have none. */
static struct fl_jfr_kind *make_kind(struct fl_jfr_chunk *chunk,
				     const struct fl_jfr_reader *c,
				     uint64_t state, bool valued)
{
	const struct fl_jfr_progress *progress = &chunk->jfr->samples->progress;
	struct fl_jfr_kind *kind = fl_arena_alloc(&chunk->arena, sizeof(*kind));

	if (!kind) {
		fl_no_memory(chunk->flame);
		return NULL;
	}
	*kind = (struct fl_jfr_kind){
		.event = c->event, .row = c->row, .raw = c->raw,
		.async = chunk->async,
		.runnable_wall = progress->runnable_wall,
		.with_tlab = chunk->events->with_tlab,
		.unit = valued ? fl_jfr_unit(c) : NULL,
	};
	if (c->has[FL_JFR_STATE])
		kind->state = fl_name_at(chunk->flame,
					 fl_jfr_state(chunk, state));
	fl_jfr_resolve_kind(chunk->jfr, kind);
	/*
	 * async-profiler: a state that is not in the pool, although others
	 * are, may be of cpu or of wall.
	 */
	kind->stateless = c->role == FL_JFR_CPU && c->has[FL_JFR_STATE] &&
			  !kind->state.size && chunk->async && !c->raw &&
			  progress->has_states &&
			  !fl_jfr_options(chunk->jfr)->compat;
	return kind;
}

struct fl_jfr_kind *fl_jfr_kind_of(struct fl_jfr_chunk *chunk,
				   const struct fl_jfr_sum *sum)
{
	struct fl_jfr_reader *c = chunk->readers->data[sum->reader];
	bool valued = c->has[FL_JFR_VALUE] &&
		      (c->role != FL_JFR_WALL || chunk->jfr->wall_ns ||
		       !sum->bare);
	struct fl_jfr_kinds *kinds = &c->kinds[valued];
	bool fresh;
	uint64_t *at;

	if (fl_likely(kinds->last && kinds->state == sum->state))
		return kinds->last;
	at = fl_jfr_cached(chunk, &kinds->by_state, sum->state, &fresh);
	if (!at)
		return NULL;
	if (fresh)
		*at = (uintptr_t)make_kind(chunk, c, sum->state, valued);
	kinds->state = sum->state;
	return kinds->last = (struct fl_jfr_kind *)(uintptr_t)*at;
}

/* The metric of a kind, made when its first sample comes. */
static flame_id metric_id(struct flame *flame, struct fl_jfr_kind *kind)
{
	if (fl_unlikely(!kind->metric))
		kind->metric = fl_metric(flame, kind->name,
					 kind->unit ? kind->unit : "samples",
					 kind->total ? kind->unit : "samples");
	return kind->metric;
}

static void count_sample(struct fl_jfr *jfr, const struct fl_jfr_hit *hit)
{
	struct flame *flame = jfr->source->flame;
	flame_id metric = hit->kind->metric;
	struct flame_metric *m = &flame->metrics[metric];
	bool fresh;

	fl_metric_count(flame, metric, (uint64_t)hit->samples,
			hit->kind->unit ? hit->value : hit->samples);
	fl_metric_span(flame, metric, hit->time,
		       hit->last == FLAME_NOTIME ? hit->time : hit->last);
	if (!hit->has_stack)
		m->no_stack += hit->samples;
	jfr->samples->counted |= hit->has_stack;
	if (!hit->thread)
		return;
	if (!fl_map_put(&jfr->samples->survey,
			(uint64_t)metric << 32 | hit->thread, &fresh))
		fl_no_memory(flame);
	else if (fresh)
		m->threads++;
}

void fl_jfr_count_rest(struct fl_jfr_chunk *chunk)
{
	struct fl_jfr *jfr = chunk->jfr;
	struct flame *flame = jfr->source->flame;
	const struct fl_jfr_options *options = fl_jfr_options(jfr);

	for (uint32_t i = 0; i < chunk->readers->count; i++) {
		const struct fl_jfr_reader *c = chunk->readers->data[i];
		struct fl_jfr_kind kind = {
			.event = c->event, .row = c->row,
			.async = chunk->async,
			.with_tlab = chunk->events->with_tlab,
		};
		const char *unit = c->row && c->row->unit ? c->row->unit :
							    "samples";

		if (c->full || !c->samples || options->compat)
			continue;
		fl_metric_count(flame, fl_metric(flame, metric_of(jfr, &kind),
						 unit, options->total ?
						 unit : "samples"),
				(uint64_t)c->samples, c->samples);
		jfr->samples->counted = true;
	}
}

static bool is_selected(struct fl_jfr *jfr, const struct fl_jfr_hit *hit)
{
	struct flame *flame = jfr->source->flame;
	const struct fl_select *select = &jfr->source->select;
	struct slice state = hit->kind->state;

	if (!fl_jfr_is_asked(hit->kind, select->cpu_only))
		return false;
	if (select->thread) {
		struct slice name = fl_name_at(flame,
			flame_label_get(flame, hit->thread,
					fl_name(flame, "thread")));

		if (!fl_regex_match(select->thread, name.data, name.size))
			return false;
	}
	return !select->state || fl_jfr_options(jfr)->compat ||
	       (state.data && fl_state_listed(select->state, state));
}

static void count_bare(struct fl_jfr *jfr, const struct fl_jfr_hit *hit)
{
	struct fl_jfr_bare *bare = hit->kind->cpu ? &jfr->samples->cpu :
						    &jfr->samples->others;

	bare->samples += hit->samples;
	bare->unresolved += hit->unresolved ? hit->samples : 0;
}

static flame_id stack_of(struct flame *flame, const struct fl_jfr_hit *hit)
{
	flame_id stack = hit->stack;

	if (hit->trace && fl_jfr_stack(hit->chunk, hit->trace))
		stack = hit->trace->stack;
	return hit->leaf ? flame_stack(flame, stack, hit->leaf) : stack;
}

static flame_id labels_of(const struct fl_jfr *jfr,
			  const struct fl_jfr_hit *hit)
{
	struct flame *flame = jfr->source->flame;
	struct slice state = hit->kind->state;
	flame_id set = hit->span;

	if (hit->holder)
		set = flame_label(flame, set, fl_name(flame, "holder"),
				  hit->holder);
	if (!(jfr->source->select.needs & FL_NEED_STATE) || !state.data)
		return set;
	return flame_label(flame, set, fl_name(flame, "state"),
			   flame_name(flame, state.data, state.size));
}

int fl_jfr_add_sample(struct fl_jfr *jfr, const struct fl_jfr_hit *hit)
{
	struct flame *flame = jfr->source->flame;
	struct fl_select *select = &jfr->source->select;
	const struct fl_jfr_kind *kind = hit->kind;
	struct flame_sample sample = { .time = FLAME_NOTIME };

	if (!kind->name)
		return FLAME_OK;
	sample.metric = metric_id(flame, hit->kind);
	if (!sample.metric)
		return FLAME_FAILED;
	count_sample(jfr, hit);
	if (!is_selected(jfr, hit))
		return FLAME_OK;
	if (!hit->has_stack && !jfr->copy) {
		count_bare(jfr, hit);
		return FLAME_OK;
	}
	sample.stack = stack_of(flame, hit);
	sample.weight = kind->total ? hit->value : hit->samples;
	if (select->needs & FL_NEED_THREAD)
		sample.thread = hit->thread;
	sample.labels = labels_of(jfr, hit);
	if (!sample.weight && !jfr->copy)
		return FLAME_OK;
	if (hit->timed)
		sample.time = fl_jfr_run_of(hit, sample.weight);
	else if (select->needs & FL_NEED_TIME)
		sample.time = hit->time;
	select->cpu_only |= select->choose && kind->cpu;
	jfr->samples->given++;
	if (fl_batch_add(jfr->source, &sample) != FLAME_OK)
		return FLAME_FAILED;
	return jfr->copy ? fl_jfr_copy_place(jfr, hit->place) : FLAME_OK;
}

void fl_jfr_samples_free(struct fl_jfr_samples *samples)
{
	if (!samples)
		return;
	fl_map_free(&samples->survey);
	fl_free(samples);
}
