/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Stores the events of perf's text, a metric each, by the name that is printed:
 * fl_perf_event_find() returns the event of a name, made on first use, with
 * whether --event selects it.  fl_perf_events_end() remarks at the end on
 * events that --event adds up and on periods that differ.  For record.c and
 * data/event.c.
 */
#include "fl.h"

#include "format/perf/reader.h"

#include <stdlib.h>

enum { EVENTS = 1 << 16 };	/* more names than that are not events */
enum { MAX_HISTOGRAMS = 256 };	/* a kilobyte each */

/* "cycles" of "cycles:upp"; "ns" of clocks; tracepoints have no unit. */
static void unit_of(struct slice event, char *unit, size_t capacity)
{
	const char *colon = memchr(event.data, ':', event.size);

	if (colon) {
		size_t n = event.size - (colon + 1 - event.data);

		while (n && memchr("ukhGHpPSDIWe", colon[n], 12))
			n--;
		event.size = n ? 0 : (size_t)(colon - event.data);
	}
	if (!event.size || event.size >= capacity ||
	    memchr(event.data, '/', event.size))
		event = FL_SLICE("events");
	if (fl_slice_ends(event, "-clock"))
		event = FL_SLICE("ns");
	memcpy(unit, event.data, event.size);
	unit[event.size] = '\0';
}

/* "cpu_core/cycles/" and "cpu_atom/cycles/u" of "cycles". */
static bool is_of_unit(struct slice name, struct slice event)
{
	const char *slash = memchr(name.data, '/', name.size);
	struct slice rest;

	if (!slash || slash == name.data)
		return false;
	rest = (struct slice){ slash + 1, name.data + name.size - slash - 1 };
	return rest.size > event.size && rest.data[event.size] == '/' &&
	       memcmp(rest.data, event.data, event.size) == 0;
}

/* A selection by name, or by several: none asked for means all. */
static bool is_selected(const struct fl_perf_reader *r, struct slice name)
{
	const char *wanted = r->source->select.event;

	if (r->naming.options->peer || !wanted || fl_slice_is(name, wanted))
		return true;
	for (const char *at = wanted;; at++) {
		struct slice event = { at, strcspn(at, ",") };

		if ((event.size == name.size &&
		     memcmp(event.data, name.data, name.size) == 0) ||
		    (event.size && is_of_unit(name, event)))
			return true;
		at += event.size;
		if (!*at)
			return false;
	}
}

/* Reports which metrics were chosen: several are added. */
static int report_added(struct fl_perf_reader *r)
{
	struct flame *flame = r->flame;
	const char *unit = NULL;
	struct fl_buf names = { 0 };
	unsigned n = 0;
	int status = FLAME_OK;

	for (unsigned i = 1; i <= flame_metrics(flame); i++) {
		const struct flame_metric *m = flame_metric_of(flame, i);

		if (!m->samples ||
		    !is_selected(r, (struct slice){ m->name, strlen(m->name) }))
			continue;
		if (unit && strcmp(unit, m->weight) != 0)
			status = fl_fail(flame, "--event %s: %s and %s cannot "
					 "be added", r->source->select.event,
					 unit, m->weight);
		unit = m->weight;
		fl_buf_print(&names, "%s%s", n++ ? " and " : "", m->name);
	}
	if (n > 1 && status == FLAME_OK)
		fl_remark(flame, "--event %s: %s are added",
			  r->source->select.event, names.data);
	fl_buf_free(&names);
	return status;
}

/* Events whose samples stand for times of different lengths. */
static bool is_weighted(struct slice event)
{
	return fl_slice_is(event, "offcpu-time") ||
	       fl_slice_starts(event, "sched:sched_stat_");
}

static void report_weights(struct fl_perf_reader *r)
{
	const struct fl_perf_options *options = r->naming.options;

	for (unsigned i = 1; i <= flame_metrics(r->flame); i++) {
		const struct flame_metric *m = flame_metric_of(r->flame, i);
		struct slice name = { m->name, strlen(m->name) };

		if (options->total || options->peer || !m->samples ||
		    !is_weighted(name) || !is_selected(r, name))
			continue;
		fl_remark(r->flame, "%s: a sample of %s stands for as long as "
			  "its period says: --weight period adds that up",
			  fl_in_name(r->source->in), m->name);
		return;
	}
}

/* Periods --------------------------------------------------------------- */

/*
 * A histogram has four buckets for each power of two: the upper bits of a
 * bucket's number are the exponent, the lower two the next bits of the value.
 */
static unsigned bucket_of(uint64_t period)
{
	unsigned exponent = 63 - (unsigned)__builtin_clzll(period | 1);

	return exponent << 2 |
	       (exponent < 2 ? 0 : period >> (exponent - 2) & 3);
}

/* The least period of a bucket. */
static double period_of(unsigned bucket)
{
	return (1 + (bucket & 3) / 4.0) *
	       (double)(UINT64_C(1) << (bucket >> 2));
}

/* The bucket of the nth of all, by size. */
static unsigned nth_bucket(const struct fl_perf_event *event, uint64_t n)
{
	unsigned i = 0;

	while (i + 1 < FL_PERIOD_BUCKETS && n >= event->periods[i])
		n -= event->periods[i++];
	return i;
}

/*
 * Whether the middle 80 % differ by more than 100 times.  With -F perf begins
 * with the period 1 and finds the right one within some samples: these do not
 * count.
 */
static bool periods_differ(const struct fl_perf_event *event)
{
	uint64_t n = 0, tenth;

	for (size_t i = 0; event->periods && i < FL_PERIOD_BUCKETS; i++)
		n += event->periods[i];
	tenth = n / 10;
	return n && period_of(nth_bucket(event, n - 1 - tenth)) >
		    100 * period_of(nth_bucket(event, tenth));
}

static void report_periods(struct fl_perf_reader *r)
{
	const struct fl_perf_options *options = r->naming.options;

	for (size_t i = 0; i < r->nevents; i++) {
		const struct fl_perf_event *event = &r->events[i];

		if (options->total || options->peer || !event->wanted ||
		    is_weighted(event->name) || !periods_differ(event))
			continue;
		fl_remark(r->flame, "%s: the periods of %s differ by more than "
			  "100 times: --weight period adds them up",
			  fl_in_name(r->source->in), event->name.data);
	}
}

void fl_perf_event_join(struct fl_perf_reader *to, struct fl_perf_reader *from)
{
	for (size_t i = 0; i < from->nevents; i++) {
		struct fl_perf_event *event =
			fl_perf_event_find(to, from->events[i].name);
		uint32_t *periods = from->events[i].periods;

		if (!event)
			continue;
		event->one_line |= from->events[i].one_line;
		if (!event->periods || !periods)
			continue;
		for (size_t k = 0; k < FL_PERIOD_BUCKETS; k++)
			event->periods[k] += periods[k];
		memset(periods, 0, FL_PERIOD_BUCKETS * sizeof(*periods));
	}
}

int fl_perf_events_end(struct fl_perf_reader *r)
{
	report_weights(r);
	report_periods(r);
	return r->source->select.event && !r->naming.options->peer ?
	       report_added(r) : FLAME_OK;
}

static struct fl_perf_event *add_event(struct fl_perf_reader *r, flame_id name)
{
	struct flame *flame = r->flame;
	struct fl_perf_event *new;
	char unit[64];

	if (r->nevents == EVENTS)
		return NULL;
	if (!fl_grow(&r->events, &r->events_capacity, r->nevents + 1,
		     sizeof(*r->events))) {
		fl_no_memory(flame);
		return NULL;
	}
	new = &r->events[r->nevents++];
	memset(new, 0, sizeof(*new));
	new->name = fl_name_at(flame, name);
	unit_of(new->name, unit, sizeof(unit));
	new->metric = fl_metric(flame, new->name.data, unit,
				r->naming.options->total ? unit : "samples");
	new->wanted = is_selected(r, new->name);
	new->branch = fl_slice_starts(new->name, "branches");
	if (r->nevents <= MAX_HISTOGRAMS) {
		new->periods = fl_zeroed(FL_PERIOD_BUCKETS,
					 sizeof(*new->periods));
		if (!new->periods)
			fl_no_memory(flame);
	}
	return new;
}

struct fl_perf_event *fl_perf_event_find(struct fl_perf_reader *r,
					 struct slice text)
{
	struct fl_perf_event *last = r->nevents ? &r->events[r->event] : NULL;
	uint64_t *place;
	flame_id name;
	bool fresh;

	if (last && last->name.size == text.size &&
	    memcmp(last->name.data, text.data, text.size) == 0)
		return last;
	if (!text.size || memchr(text.data, '\0', text.size))
		text = FL_SLICE("samples");
	if (r->nevents == EVENTS && text.size > 256)
		return NULL;
	name = flame_name(r->flame, text.data, text.size);
	place = fl_map_put(&r->by_name, name, &fresh);
	if (!place || !name)
		return NULL;
	if (fresh) {
		last = add_event(r, name);
		*place = last ? (uint64_t)(last - r->events) : EVENTS;
	}
	if (*place >= r->nevents)
		return NULL;
	r->event = *place;
	return &r->events[*place];
}

bool fl_perf_event_may_be(const struct fl_perf_reader *r, struct slice text)
{
	for (size_t i = 0; i < r->nevents; i++)
		if (r->events[i].name.size == text.size &&
		    memcmp(r->events[i].name.data, text.data, text.size) == 0)
			return true;
	return !r->nevents;
}

void fl_perf_saw(struct flame_source *source, int64_t first, int64_t last)
{
	if (first == FLAME_NOTIME)
		return;
	if (source->first == FLAME_NOTIME || first < source->first)
		source->first = first;
	if (source->last == FLAME_NOTIME || last > source->last)
		source->last = last;
}

void fl_perf_event_count(struct fl_perf_reader *r,
			 struct fl_perf_event *event,
			 const struct fl_perf_header *h)
{
	bool fresh;

	fl_metric_count(r->flame, event->metric, 1,
			h->period < 0 ? 1 : h->period);
	fl_metric_span(r->flame, event->metric, h->time, h->time);
	if (h->period > 1 && event->periods)
		event->periods[bucket_of((uint64_t)h->period)]++;
	if (h->time != FLAME_NOTIME) {
		if (r->source->start == FLAME_NOTIME)
			r->source->start = h->time;
		fl_perf_saw(r->source, h->time, h->time);
	}
	if (r->source->select.survey && h->tid >= 0 &&
	    fl_map_put(&event->threads, (uint64_t)h->tid, &fresh))
		r->flame->metrics[event->metric].threads += fresh;
}
