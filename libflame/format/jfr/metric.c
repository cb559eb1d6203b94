/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The metric of each sample, and which samples are asked for.
 */
#include "fl.h"

#include "format/jfr/samples.h"

static bool is_wall(const struct fl_jfr_hit *hit)
{
	if (!hit->async || !hit->state.data || !hit->state.size)
		return false;
	if (fl_slice_is(hit->state, "STATE_DEFAULT"))
		return false;
	return hit->runnable_wall || !fl_slice_is(hit->state,
						  "STATE_RUNNABLE");
}

/* jfrconv: --cpu is STATE_DEFAULT, --wall every other state there is. */
static bool compat_state(const struct fl_select *select,
			 const struct fl_jfr_hit *hit)
{
	bool cpu;

	if (hit->row->group != FL_JFR_GROUP_EXEC)
		return true;
	if (select->state)
		return hit->state.data &&
		       fl_state_listed(select->state, hit->state);
	cpu = strcmp(select->event, "cpu") == 0;
	if (!cpu && strcmp(select->event, "wall") != 0)
		return true;
	return hit->state.data && hit->state.size &&
	       fl_slice_is(hit->state, "STATE_DEFAULT") == cpu;
}

const char *fl_jfr_metric_of(const struct fl_jfr *jfr,
			     const struct fl_jfr_hit *hit)
{
	struct flame *flame = jfr->source->flame;
	const struct fl_select *select = &jfr->source->select;

	if (fl_jfr_options(jfr)->compat && select->event && !hit->raw) {
		if (!hit->row || !fl_jfr_row_asked(jfr, hit->row) ||
		    !compat_state(select, hit))
			return NULL;
		return select->event;
	}
	if (hit->raw || !hit->row)
		return flame_name_text(
			flame,
			flame_name(flame, hit->event.data, hit->event.size),
			NULL);
	if (strcmp(hit->row->metric, "cpu") == 0)
		return is_wall(hit) ? "wall" : "cpu";
	if (hit->with_tlab && strcmp(hit->row->event,
				     "jdk.ObjectAllocationSample") == 0)
		return "alloc-sample";
	if (strcmp(hit->row->metric, "old-objects") == 0)
		return "live";
	return hit->row->metric;
}

bool fl_jfr_is_asked(const struct fl_jfr *jfr, bool cpu_only,
		     const struct fl_jfr_hit *hit, const char *metric)
{
	const struct fl_select *select = &jfr->source->select;

	if (cpu_only)
		return strcmp(metric, "cpu") == 0;
	if (fl_jfr_options(jfr)->compat || !select->event || hit->raw)
		return true;
	return strcmp(select->event, metric) == 0;
}

void fl_jfr_tally(struct fl_jfr *jfr, flame_id metric,
		  const struct fl_jfr_hit *hit)
{
	struct flame *flame = jfr->source->flame;
	struct flame_metric *m = &flame->metrics[metric];
	bool fresh;

	fl_metric_count(flame, metric, (uint64_t)hit->samples,
			hit->unit ? hit->value : hit->samples);
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

static bool is_selected(struct fl_jfr *jfr, const struct fl_jfr_hit *hit)
{
	struct flame *flame = jfr->source->flame;
	const struct fl_select *select = &jfr->source->select;

	if (select->thread) {
		struct slice name = fl_name_at(flame,
			flame_label_get(flame, hit->thread,
					fl_name(flame, "thread")));

		if (!fl_regex_match(select->thread, name.data, name.size))
			return false;
	}
	return !select->state || fl_jfr_options(jfr)->compat ||
	       (hit->state.data && fl_state_listed(select->state, hit->state));
}

static bool weighs_total(const struct fl_jfr *jfr,
			 const struct fl_jfr_hit *hit)
{
	const struct fl_jfr_options *options = fl_jfr_options(jfr);

	return options->total && hit->unit &&
	       !(options->compat && hit->row &&
		 hit->row->group == FL_JFR_GROUP_EXEC);
}

/* Equal kinds of hits come one after another: of each, it is asked once. */
static int decide(struct fl_jfr *jfr, const struct fl_jfr_hit *hit)
{
	struct flame *flame = jfr->source->flame;
	const struct fl_select *select = &jfr->source->select;
	struct fl_jfr_answer *answer = &jfr->samples->answer;
	struct fl_jfr_kind kind;

	if (hit->again && answer->known && answer->cpu_only == select->cpu_only)
		return FLAME_OK;
	memset(&kind, 0, sizeof(kind));
	kind.event = hit->event.data;
	kind.state = hit->state.data;
	kind.state_size = hit->state.size;
	kind.unit = hit->unit;
	kind.row = hit->row;
	kind.async = hit->async;
	kind.runnable_wall = hit->runnable_wall;
	kind.with_tlab = hit->with_tlab;
	kind.raw = hit->raw;
	if (memcmp(&kind, &answer->kind, sizeof(kind)) == 0 && answer->known &&
	    answer->cpu_only == select->cpu_only)
		return FLAME_OK;
	answer->name = fl_jfr_metric_of(jfr, hit);
	answer->metric = !answer->name ? 0 :
		fl_metric(flame, answer->name,
			  hit->unit ? hit->unit : "samples",
			  weighs_total(jfr, hit) ? hit->unit : "samples");
	if (answer->name && !answer->metric)
		return FLAME_FAILED;
	answer->cpu_only = select->cpu_only;
	answer->asked = answer->name && fl_jfr_is_asked(jfr, select->cpu_only,
							hit, answer->name);
	memcpy(&answer->kind, &kind, sizeof(kind));
	answer->known = true;
	return FLAME_OK;
}

static void count_bare(struct fl_jfr *jfr, const struct fl_jfr_hit *hit)
{
	struct fl_jfr_bare *bare =
		strcmp(jfr->samples->answer.name, "cpu") == 0 ?
			&jfr->samples->cpu :
			&jfr->samples->others;

	bare->samples += hit->samples;
	bare->unresolved += hit->unresolved ? hit->samples : 0;
}

int fl_jfr_give(struct fl_jfr *jfr, const struct fl_jfr_hit *hit)
{
	struct flame *flame = jfr->source->flame;
	struct fl_select *select = &jfr->source->select;
	struct flame_sample sample = { .time = FLAME_NOTIME };
	flame_id metric;

	if (decide(jfr, hit) != FLAME_OK)
		return FLAME_FAILED;
	metric = jfr->samples->answer.metric;
	if (!jfr->samples->answer.name)
		return FLAME_OK;
	fl_jfr_tally(jfr, metric, hit);
	if (!jfr->samples->answer.asked || !is_selected(jfr, hit))
		return FLAME_OK;
	if (!hit->has_stack) {
		count_bare(jfr, hit);
		return FLAME_OK;
	}
	sample.stack = hit->stack;
	if (hit->trace && fl_jfr_stack(hit->chunk, hit->trace))
		sample.stack = hit->trace->stack;
	if (hit->leaf)
		sample.stack = flame_stack(flame, sample.stack, hit->leaf);
	sample.metric = metric;
	sample.weight = weighs_total(jfr, hit) ? hit->value : hit->samples;
	if (select->needs & FL_NEED_THREAD)
		sample.thread = hit->thread;
	sample.labels = hit->span;
	if ((select->needs & FL_NEED_STATE) && hit->state.data)
		sample.labels = flame_label(
			flame, hit->span, fl_name(flame, "state"),
			flame_name(flame, hit->state.data, hit->state.size));
	if (!sample.weight)
		return FLAME_OK;
	if (hit->timed)
		sample.time = fl_jfr_run_of(hit->timed, hit,
					    weighs_total(jfr, hit),
					    sample.weight);
	else if (select->needs & FL_NEED_TIME)
		sample.time = hit->time;
	if (select->choose && strcmp(jfr->samples->answer.name, "cpu") == 0)
		select->cpu_only = true;
	jfr->samples->given++;
	return fl_batch_add(jfr->source, &sample);
}

void fl_jfr_samples_free(struct fl_jfr_samples *samples)
{
	if (!samples)
		return;
	fl_map_free(&samples->survey);
	fl_free(samples);
}
