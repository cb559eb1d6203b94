/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One metric of many.  Weights of different metrics are never added, so
 * where nobody has chosen, cpu samples go on as they come, and the others
 * are held, summed by stack, until it is known that no cpu will come.  An
 * end that keeps them apart says which it takes: those all go on.
 */
#include "fl.h"

#include "flow/flow.h"

#include <inttypes.h>
#include <stdlib.h>

enum { SOON = 16 };	/* are looked up in turns */

struct pick {
	char *event;		/* NULL: choose */
	const char *events;	/* more than one: what the end takes */
	bool listed;		/* whether `other` is one of those */
	struct flame_source *source;
	flame_id cpu;		/* once seen */
	flame_id other;		/* not cpu: the one looked at last */
	flame_id chosen;	/* at the end */
	struct flame_sample *held;
	size_t nheld, room;
	struct fl_index sums;	/* of what is held and has no time */
	struct flame_sample soon[SOON];	/* to be held: their slots come nearer */
	unsigned nsoon;
	bool ordered, timely;	/* a sink wants the order; the times */
	struct fl_map timed;	/* metric -> how many are held with times */
};

static uint64_t hash_of(const struct flame_sample *s)
{
	return fl_hash_pair((uint64_t)s->metric << 32 | s->stack,
			    (uint64_t)s->thread << 32 | s->labels);
}

/* The sample held that is the same but for its weight, or NULL. */
static struct flame_sample *find(struct pick *pick,
				 const struct flame_sample *s, uint64_t hash)
{
	uint32_t i, id;

	for (i = fl_index_first(&pick->sums, hash);
	     (id = fl_index_next(&pick->sums, hash, &i));) {
		struct flame_sample *held = &pick->held[id - 1];

		if (held->stack == s->stack && held->metric == s->metric &&
		    held->thread == s->thread && held->labels == s->labels)
			return held;
	}
	return NULL;
}

/* Samples without a time are summed: memory does not grow with the input. */
static int hold_one(struct flame_sink *sink, const struct flame_sample *s)
{
	struct pick *pick = sink->state;
	bool sums = s->time == FLAME_NOTIME && pick->nheld < UINT32_MAX - 1;
	uint64_t hash = hash_of(s);
	struct flame_sample *held = sums ? find(pick, s, hash) : NULL;

	if (held) {
		if (__builtin_add_overflow(held->weight, s->weight,
					   &held->weight))
			return fl_fail(sink->flame,
				       "the sum of weights passes 2^63");
		return FLAME_OK;
	}
	if (!fl_grow(&pick->held, &pick->room, pick->nheld + 1,
		     sizeof(*pick->held)))
		return fl_no_memory(sink->flame);
	pick->held[pick->nheld++] = *s;
	if (sums && !fl_index_add(&pick->sums, hash, (uint32_t)pick->nheld))
		return fl_no_memory(sink->flame);
	return FLAME_OK;
}

static int hold_those(struct flame_sink *sink)
{
	struct pick *pick = sink->state;
	unsigned n = pick->nsoon;

	pick->nsoon = 0;
	for (unsigned i = 0; i < n; i++)
		if (hold_one(sink, &pick->soon[i]) != FLAME_OK)
			return FLAME_FAILED;
	return FLAME_OK;
}

static int hold_soon(struct flame_sink *sink, const struct flame_sample *s)
{
	struct pick *pick = sink->state;

	fl_index_prefetch(&pick->sums, hash_of(s));
	pick->soon[pick->nsoon++] = *s;
	return pick->nsoon == SOON ? hold_those(sink) : FLAME_OK;
}

/* The times of one metric are too many: its samples are summed too. */
static int sum_timed(struct flame_sink *sink, flame_id metric)
{
	struct pick *pick = sink->state;
	size_t n;

	if (hold_those(sink) != FLAME_OK)
		return FLAME_FAILED;
	n = pick->nheld;
	fl_index_free(&pick->sums);
	pick->nheld = 0;
	for (size_t i = 0; i < n; i++) {
		struct flame_sample s = pick->held[i];

		if (s.metric == metric)
			s.time = FLAME_NOTIME;
		if (hold_one(sink, &s) != FLAME_OK)
			return FLAME_FAILED;
	}
	return FLAME_OK;
}

static bool has_too_many(const struct pick *pick, flame_id metric)
{
	const uint64_t *n = fl_map_get(&pick->timed, metric);

	return n && *n > FL_MAX_TIMED_SAMPLES;
}

static int hold(struct flame_sink *sink, const struct flame_sample *sample)
{
	struct pick *pick = sink->state;
	struct flame_sample s = *sample;
	uint64_t *n;

	if (s.time == FLAME_NOTIME || pick->ordered)
		return hold_soon(sink, &s);
	n = fl_map_put(&pick->timed, s.metric, NULL);
	if (!n)
		return fl_no_memory(sink->flame);
	if (++*n == FL_MAX_TIMED_SAMPLES + 1 &&
	    sum_timed(sink, s.metric) != FLAME_OK)
		return FLAME_FAILED;
	if (*n > FL_MAX_TIMED_SAMPLES)
		s.time = FLAME_NOTIME;
	return hold_soon(sink, &s);
}

static bool is_cpu(struct flame *flame, flame_id metric)
{
	return strcmp(flame_metric_of(flame, metric)->name, "cpu") == 0;
}

bool fl_event_listed(const char *list, const char *name)
{
	size_t size = strlen(name);

	if (strcmp(list, "all") == 0)
		return true;
	/* Names may hold commas. */
	for (const char *at = list; (at = strstr(at, name)); at++)
		if ((at == list || at[-1] == ',') &&
		    (!at[size] || at[size] == ','))
			return size;
	return false;
}

static void drop_held(struct pick *pick)
{
	fl_free(pick->held);
	pick->held = NULL;
	pick->nheld = pick->room = pick->nsoon = 0;
	fl_index_free(&pick->sums);
	fl_map_free(&pick->timed);
}

static int put(struct flame_sink *sink, const struct flame_sample *s)
{
	struct pick *pick = sink->state;

	if (!s->metric)
		return fl_put(sink->next, s);
	if (pick->events) {
		if (s->metric != pick->other)
			pick->listed = fl_event_listed(pick->events,
				flame_metric_of(sink->flame, s->metric)->name);
		pick->other = s->metric;
		return pick->listed ? fl_put(sink->next, s) : FLAME_OK;
	}
	if (pick->event) {
		const char *name = flame_metric_of(sink->flame,
						   s->metric)->name;

		if ((pick->source && pick->source->format->selects) ||
		    strcmp(name, pick->event) == 0) {
			pick->chosen = s->metric;
			return fl_put(sink->next, s);
		}
		return FLAME_OK;
	}
	if (!pick->cpu && s->metric != pick->other &&
	    is_cpu(sink->flame, s->metric)) {
		pick->cpu = s->metric;
		if (pick->source)
			pick->source->select.cpu_only = true;
		drop_held(pick);
	}
	pick->other = s->metric;
	if (pick->cpu)
		return s->metric == pick->cpu ? fl_put(sink->next, s) :
						FLAME_OK;
	return hold(sink, s);
}

static int begin(struct flame_sink *sink, struct flame_source *source)
{
	struct pick *pick = sink->state;
	struct fl_select *select = &source->select;

	if (pick->events)
		return !select->leak ? FLAME_OK : fl_fail(sink->flame,
			"--leak: of native memory alone, not of --events");
	/* What was never freed is native memory, whoever forgot to say so. */
	if (select->leak && !pick->event &&
	    !(pick->event = fl_memory_adopt(strdup("nativemem"))))
		return fl_no_memory(sink->flame);
	/* A source that selects leaves out by itself what is not taken. */
	if (pick->event && !select->event &&
	    !(select->event = fl_memory_adopt(strdup(pick->event))))
		return fl_no_memory(sink->flame);
	pick->source = source;
	pick->ordered = select->needs & FL_NEED_ORDER;
	pick->timely = pick->timely || select->needs & FL_NEED_TIME;
	source->select.choose = !pick->event;
	source->select.cpu_only = pick->cpu != 0;
	return FLAME_OK;
}

/* Most samples; the first of equals. */
static flame_id richest(struct flame *flame, const struct pick *pick)
{
	uint64_t most = 0;
	flame_id best = 0;

	for (size_t i = 0; i < pick->nheld; i++) {
		flame_id id = pick->held[i].metric;
		const struct flame_metric *m = flame_metric_of(flame, id);

		if (m->samples > most || (m->samples == most && id < best)) {
			most = m->samples;
			best = id;
		}
	}
	return best;
}

static void tell(struct flame *flame, const struct pick *pick)
{
	struct fl_buf others = { 0 };

	for (unsigned i = 1; i <= flame_metrics(flame); i++) {
		const struct flame_metric *m = flame_metric_of(flame, i);

		if (i == pick->chosen || m->samples == m->no_stack)
			continue;
		fl_buf_print(&others, "%s%s %" PRIu64,
			     others.size ? ", " : "", m->name, m->samples);
	}
	if (others.size)
		fl_remark(flame, "taking %s (%" PRIu64 " samples); there is "
			  "also %s: choose by --event",
			  flame_metric_of(flame, pick->chosen)->name,
			  flame_metric_of(flame, pick->chosen)->samples,
			  others.data);
	fl_buf_free(&others);
}

static void tell_mixed(struct flame *flame, flame_id metric)
{
	if (metric && fl_metric_is_mixed(flame, metric))
		fl_remark(flame, "%s comes in more than one unit, and the sum "
			  "is of none: convert such inputs apart",
			  flame_metric_of(flame, metric)->name);
}

static void tell_absent(struct flame *flame, const struct pick *pick)
{
	struct fl_buf there = { 0 };

	for (unsigned i = 1; i <= flame_metrics(flame); i++) {
		const struct flame_metric *m = flame_metric_of(flame, i);

		if (m->samples > m->no_stack)
			fl_buf_print(&there, "%s%s %" PRIu64,
				     there.size ? ", " : "; there is ",
				     m->name, m->samples);
	}
	fl_remark(flame, "no samples of %s%s", pick->event,
		  there.size ? there.data : "");
	fl_buf_free(&there);
}

static int finish(struct flame_sink *sink)
{
	struct pick *pick = sink->state;

	if (pick->events)
		return FLAME_OK;
	if (pick->event) {
		if (!pick->chosen && flame_metrics(sink->flame))
			tell_absent(sink->flame, pick);
		tell_mixed(sink->flame, pick->chosen);
		return FLAME_OK;
	}
	if (hold_those(sink) != FLAME_OK)
		return FLAME_FAILED;
	pick->chosen = pick->cpu ? pick->cpu : richest(sink->flame, pick);
	if (!pick->chosen)
		return FLAME_OK;
	tell(sink->flame, pick);
	tell_mixed(sink->flame, pick->chosen);
	if (pick->timely && has_too_many(pick, pick->chosen))
		fl_remark(sink->flame, FL_TOO_TIMED, FL_MAX_TIMED_SAMPLES);
	for (size_t i = 0; i < pick->nheld; i++)
		if (pick->held[i].metric == pick->chosen &&
		    fl_put(sink->next, &pick->held[i]) != FLAME_OK)
			return FLAME_FAILED;
	drop_held(pick);
	return FLAME_OK;
}

static void release(struct flame_sink *sink)
{
	struct pick *pick = sink->state;

	drop_held(pick);
	fl_free(pick->event);
}

struct flame_sink *flame_pick(struct flame_sink *next, const char *event)
{
	struct flame_sink *sink, *end = next;
	struct pick *pick;

	if (!next)
		return NULL;
	sink = fl_sink_new(next->flame, next, sizeof(*pick));
	if (!sink)
		return NULL;
	pick = sink->state;
	while (end->next)
		end = end->next;
	pick->events = end->events;
	if (event && !(pick->event = fl_memory_adopt(strdup(event)))) {
		fl_no_memory(sink->flame);
		fl_free(sink);
		return NULL;
	}
	sink->forwards = true;
	sink->put = put;
	sink->begin = begin;
	sink->finish = finish;
	sink->free = release;
	return sink;
}
