/* SPDX-License-Identifier: Apache-2.0 */
/*
 * flame_pick() makes the filter that chooses one metric of many, as weights of
 * different metrics are never added.  Without --event, samples of cpu are
 * forwarded as they come; samples of other metrics are buffered, summed by
 * stack, until the end of the input shows that there is no cpu.  A sink that
 * keeps metrics apart lists those it accepts: all of them are forwarded.
 */
#include "fl.h"

#include "flow/flow.h"
#include "flow/metric_times.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

enum {
	LOOKUP_BATCH = 16,	/* samples prefetched before they are added */
	MAX_SUGGESTED = 64	/* metrics that a remark chooses the nearest of */
};

struct pick {
	char *event;		/* NULL: choose */
	char *asked;		/* of a source, as the caller set it */
	const char *events;	/* metrics that the last sink keeps apart */
	bool listed;		/* `other` is one of those */
	struct flame_source *source;
	flame_id cpu;		/* once seen */
	bool unnamed;		/* samples of no metric came */
	flame_id other;		/* the metric of the last sample */
	flame_id chosen;	/* at the end */
	struct fl_sums buffered;
	struct flame_sample batch[LOOKUP_BATCH];	/* to be buffered */
	unsigned nbatch;
	bool ordered, timely;	/* a sink needs the order; the times */
	struct fl_map timed;	/* metric -> number buffered with times */
	bool runs;		/* the sink accepts runs of times */
	struct fl_metric_times times;	/* then: those with times */
};

/*
 * Samples without a time are summed, so memory grows with distinct stacks and
 * not with the input.
 */
static int buffer_one(struct flame_sink *sink, const struct flame_sample *s)
{
	struct pick *pick = sink->state;

	return s->time == FLAME_NOTIME ?
	       fl_sums_add(sink->flame, &pick->buffered, s) :
	       fl_sums_append(sink->flame, &pick->buffered, s);
}

static int buffer_batch(struct flame_sink *sink)
{
	struct pick *pick = sink->state;
	unsigned n = pick->nbatch;

	pick->nbatch = 0;
	for (unsigned i = 0; i < n; i++)
		if (buffer_one(sink, &pick->batch[i]) != FLAME_OK)
			return FLAME_FAILED;
	return FLAME_OK;
}

static int add_to_batch(struct flame_sink *sink, const struct flame_sample *s)
{
	struct pick *pick = sink->state;

	fl_index_prefetch(&pick->buffered.index, fl_sample_hash(s));
	pick->batch[pick->nbatch++] = *s;
	return pick->nbatch == LOOKUP_BATCH ? buffer_batch(sink) : FLAME_OK;
}

/* A metric has more samples with times than a page can show: sums them. */
static int sum_timed(struct flame_sink *sink, flame_id metric)
{
	struct pick *pick = sink->state;
	size_t n;

	if (buffer_batch(sink) != FLAME_OK)
		return FLAME_FAILED;
	n = pick->buffered.count;
	fl_index_free(&pick->buffered.index);
	pick->buffered.count = 0;
	for (size_t i = 0; i < n; i++) {
		struct flame_sample s = pick->buffered.data[i];

		if (s.metric == metric)
			s.time = FLAME_NOTIME;
		if (buffer_one(sink, &s) != FLAME_OK)
			return FLAME_FAILED;
	}
	return FLAME_OK;
}

static bool has_too_many(const struct pick *pick, flame_id metric)
{
	const uint64_t *n = fl_map_get(&pick->timed, metric);

	return n && *n > FL_MAX_TIMED_SAMPLES;
}

static int forward_times(struct flame_sink *sink, const struct fl_times_of *of)
{
	struct flame_sample s;
	size_t at = 0;
	int status;

	while ((status = fl_metric_times_next(sink->flame, of, &at, &s)) ==
	       FLAME_OK)
		if (fl_put(sink->next, &s) != FLAME_OK)
			return FLAME_FAILED;
	return status == FLAME_END ? FLAME_OK : FLAME_FAILED;
}

static int buffer(struct flame_sink *sink, const struct flame_sample *sample)
{
	struct pick *pick = sink->state;
	struct flame_sample s = *sample;
	uint64_t *n;

	if (s.time != FLAME_NOTIME && pick->runs && s.weight > 0)
		return fl_metric_times_add(sink->flame, &pick->times, &s);
	if (s.time == FLAME_NOTIME || pick->ordered)
		return add_to_batch(sink, &s);
	n = fl_map_put(&pick->timed, s.metric, NULL);
	if (!n)
		return fl_no_memory(sink->flame);
	if (++*n == FL_MAX_TIMED_SAMPLES + 1 &&
	    sum_timed(sink, s.metric) != FLAME_OK)
		return FLAME_FAILED;
	if (*n > FL_MAX_TIMED_SAMPLES)
		s.time = FLAME_NOTIME;
	return add_to_batch(sink, &s);
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
	for (const char *at = list; size && (at = strstr(at, name)); at++)
		if ((at == list || at[-1] == ',') &&
		    (!at[size] || at[size] == ','))
			return true;
	return false;
}

double fl_event_order(struct flame *flame, const char *list, flame_id metric)
{
	const struct flame_metric *m = flame_metric_of(flame, metric);
	const char *at = strcmp(list, "all") ? strstr(list, m->name) : NULL;

	if (at)
		return (double)(list - at);
	return strcmp(m->name, "cpu") == 0 ? INFINITY : (double)m->samples;
}

/* "no samples of wlal (did you mean wall?); there is wall 18646, cpu 602" */
static void remark_absent(struct flame *flame, const char *event)
{
	const char *names[MAX_SUGGESTED], *nearest;
	struct fl_buf there = { 0 };
	size_t n = 0;

	for (unsigned i = 1; i <= flame_metrics(flame); i++) {
		const struct flame_metric *m = flame_metric_of(flame, i);

		if (m->samples <= m->no_stack)
			continue;
		if (n < FL_COUNT(names))
			names[n++] = m->name;
		fl_buf_print(&there, "%s%s %" PRIu64,
			     there.size ? ", " : "; there is ", m->name,
			     m->samples);
	}
	nearest = flame_nearest(event, names, n);
	if (nearest && strcmp(nearest, event) == 0)
		nearest = NULL;
	fl_remark(flame, "no samples of %s%s%s%s%s", event,
		  nearest ? " (did you mean " : "", nearest ? nearest : "",
		  nearest ? "?)" : "", there.size ? there.data : "");
	fl_buf_free(&there);
}

void fl_remark_absent(struct flame *flame, const char *list,
		      const flame_id *metrics, size_t n)
{
	char *copy = fl_memory_adopt(strdup(list)), *save = NULL;
	char *name = copy && strcmp(list, "all") != 0 ?
			     strtok_r(copy, ",", &save) : NULL;

	for (; name; name = strtok_r(NULL, ",", &save)) {
		size_t i = 0;

		/* A metric's name may have commas: compares parts. */
		while (i < n && !strstr(flame_metric_of(flame, metrics[i])->name,
					name))
			i++;
		if (i == n)
			remark_absent(flame, name);
	}
	fl_free(copy);
}

static void drop_buffered(struct pick *pick)
{
	fl_sums_free(&pick->buffered);
	pick->nbatch = 0;
	fl_map_free(&pick->timed);
	fl_metric_times_free(&pick->times);
}

static int put(struct flame_sink *sink, const struct flame_sample *s)
{
	struct pick *pick = sink->state;

	if (!s->metric) {
		pick->unnamed = true;
		return fl_put(sink->next, s);
	}
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
		drop_buffered(pick);
	}
	pick->other = s->metric;
	if (pick->cpu)
		return s->metric == pick->cpu ? fl_put(sink->next, s) :
						FLAME_OK;
	return buffer(sink, s);
}

static int begin(struct flame_sink *sink, struct flame_source *source)
{
	struct pick *pick = sink->state;
	struct fl_select *select = &source->select;

	if (pick->events && !(select->needs & FL_NEED_ALL_METRICS))
		select->events = pick->events;
	if (pick->events)
		return !select->leak ? FLAME_OK : fl_fail(sink->flame,
			"--leak: of native memory alone, not of --events");
	/* --leak without --event means native memory. */
	if (select->leak && !pick->event &&
	    !(pick->event = fl_memory_adopt(strdup("nativemem"))))
		return fl_no_memory(sink->flame);
	/* Sums by time are due, and a choice after all inputs. */
	if (select->needs & FL_NEED_ALL_METRICS) {
		pick->ordered = select->needs & FL_NEED_ORDER;
		pick->timely = true;
		return FLAME_OK;
	}
	/* A source that selects skips other metrics by itself. */
	if (pick->event && !select->event &&
	    !(select->event = fl_memory_adopt(strdup(pick->event))))
		return fl_no_memory(sink->flame);
	pick->source = source;
	pick->ordered = select->needs & FL_NEED_ORDER;
	pick->runs = select->needs & FL_NEED_RUNS;
	pick->timely = pick->timely || select->needs & FL_NEED_TIME;
	source->select.choose = !pick->event;
	if (!pick->event && select->event && !pick->asked &&
	    !(pick->asked = fl_memory_adopt(strdup(select->event))))
		return fl_no_memory(sink->flame);
	source->select.cpu_only = pick->cpu != 0;
	return FLAME_OK;
}

static flame_id richer(struct flame *flame, flame_id a, flame_id b)
{
	uint64_t x = a ? flame_metric_of(flame, a)->samples : 0;
	uint64_t y = flame_metric_of(flame, b)->samples;

	return y > x || (y && y == x && b < a) ? b : a;
}

/* The buffered metric with most samples; the first of equals. */
static flame_id richest(struct flame *flame, const struct pick *pick)
{
	flame_id best = 0;

	for (size_t i = 0; i < pick->buffered.count; i++)
		best = richer(flame, best, pick->buffered.data[i].metric);
	for (size_t i = 0; i < pick->times.count; i++)
		best = richer(flame, best, pick->times.data[i].metric);
	return best;
}

static void report_choice(struct flame *flame, const struct pick *pick)
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

static void report_mixed(struct flame *flame, flame_id metric)
{
	if (metric && fl_metric_is_mixed(flame, metric))
		fl_remark(flame, "%s comes in different units, so its sum "
			  "means nothing: convert such inputs apart",
			  flame_metric_of(flame, metric)->name);
}

static int refuse_stated(struct flame *flame, const struct fl_stated *a,
			 const char *input, flame_id metric)
{
	const struct flame_metric *x = flame_metric_of(flame, a->metric),
				  *y = flame_metric_of(flame, metric);

	return fl_fail(flame, "%s counts %s in %s, and %s %s in %s: they are "
		       "not added; choose by --event", a->input, x->name,
		       x->weight, input, y->name, y->weight);
}

/*
 * Inputs that are sums already and name their metric: leaving one out as a
 * whole, or adding it to another unit, is an error.
 */
static int check_stated(struct flame *flame, const struct pick *pick)
{
	const struct fl_stated *s = flame->stated;

	if (!s->metric)
		return FLAME_OK;
	if (s[1].metric && !pick->event)
		return refuse_stated(flame, s, s[1].input, s[1].metric);
	if (pick->chosen && s->metric != pick->chosen && !pick->event)
		return refuse_stated(flame, s, "another input",
				     pick->chosen);
	if (pick->chosen && fl_metric_is_mixed(flame, pick->chosen))
		return fl_fail(flame, "%s: %s comes in another unit from "
			       "another input: they are not added", s->input,
			       flame_metric_of(flame, pick->chosen)->name);
	return FLAME_OK;
}

static void report_absent(struct flame *flame, const struct pick *pick,
			  const char *event)
{
	/* The caller explains a refused result. */
	if (flame->refuse_empty && !pick->unnamed)
		return;
	for (unsigned i = 1; i <= flame_metrics(flame); i++) {
		const struct flame_metric *m = flame_metric_of(flame, i);

		if (m->samples <= m->no_stack)
			continue;
		/* It is there, and something else selected none of it. */
		if (strcmp(m->name, event) == 0)
			return;
	}
	remark_absent(flame, event);
}

static int finish(struct flame_sink *sink)
{
	struct pick *pick = sink->state;

	if (pick->events)
		return FLAME_OK;
	if (pick->event) {
		if (!pick->chosen && flame_metrics(sink->flame))
			report_absent(sink->flame, pick, pick->event);
		report_mixed(sink->flame, pick->chosen);
		return check_stated(sink->flame, pick);
	}
	if (buffer_batch(sink) != FLAME_OK)
		return FLAME_FAILED;
	pick->chosen = pick->cpu ? pick->cpu : richest(sink->flame, pick);
	if (!pick->chosen && pick->asked && flame_metrics(sink->flame))
		report_absent(sink->flame, pick, pick->asked);
	if (!pick->chosen)
		return FLAME_OK;
	if (check_stated(sink->flame, pick) != FLAME_OK)
		return FLAME_FAILED;
	report_choice(sink->flame, pick);
	report_mixed(sink->flame, pick->chosen);
	if (pick->timely && has_too_many(pick, pick->chosen))
		fl_remark(sink->flame, FL_TOO_TIMED, FL_MAX_TIMED_SAMPLES);
	for (size_t i = 0; i < pick->buffered.count; i++)
		if (pick->buffered.data[i].metric == pick->chosen &&
		    fl_put(sink->next, &pick->buffered.data[i]) != FLAME_OK)
			return FLAME_FAILED;
	if (fl_metric_times_finish(sink->flame, &pick->times) != FLAME_OK)
		return FLAME_FAILED;
	for (size_t i = 0; i < pick->times.count; i++)
		if (pick->times.data[i].metric == pick->chosen &&
		    forward_times(sink, &pick->times.data[i]) != FLAME_OK)
			return FLAME_FAILED;
	drop_buffered(pick);
	return FLAME_OK;
}

static void release(struct flame_sink *sink)
{
	struct pick *pick = sink->state;

	drop_buffered(pick);
	fl_free(pick->event);
	fl_free(pick->asked);
}

struct flame_sink *flame_pick(struct flame_sink *next, const char *event)
{
	struct flame_sink *sink, *end = next;
	struct pick *pick;

	if (!fl_sink_check(next))
		return NULL;
	sink = fl_sink_new(next->flame, next, sizeof(*pick));
	if (!sink) {
		flame_abandon(next);
		return NULL;
	}
	pick = sink->state;
	while (end->next)
		end = end->next;
	pick->events = end->events;
	end->picked = true;
	if (event && !(pick->event = fl_memory_adopt(strdup(event)))) {
		fl_no_memory(sink->flame);
		fl_sink_free(sink);
		flame_abandon(next);
		return NULL;
	}
	sink->wanted_text = next->wanted_text;
	sink->no_stacks = next->no_stacks;
	sink->light = next->light ? fl_light_of_next : NULL;
	sink->expect = next->expect ? fl_expect_of_next : NULL;
	sink->whole = fl_whole_of_next;
	sink->put = put;
	sink->begin = begin;
	sink->finish = finish;
	sink->free = release;
	return sink;
}
