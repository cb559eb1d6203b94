/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Buffers samples with times, summed by metric, stack, labels and time
 * (fl_metric_times_add), and returns them as one sample with a run of times a
 * series (fl_metric_times_next), for choose_metric.c and filter/split.c.
 */
#include "fl.h"

#include "flow/metric_times.h"
#include "flow/runs.h"

enum { MAX_CELLS = 500000 };	/* of a metric, before times are rounded */

static struct fl_times *times_of(struct fl_metric_times *m, flame_id metric)
{
	struct fl_times_of *of;

	for (size_t i = 0; i < m->count; i++)
		if (m->data[i].metric == metric)
			return &m->data[i].times;
	if (!fl_grow(&m->data, &m->capacity, m->count + 1, sizeof(*m->data)))
		return NULL;
	of = &m->data[m->count++];
	of->metric = metric;
	fl_times_init(&of->times, MAX_CELLS, MAX_CELLS);
	return &of->times;
}

int fl_metric_times_add(struct flame *flame, struct fl_metric_times *to,
			const struct flame_sample *sample)
{
	struct fl_times *times = times_of(to, sample->metric);
	bool fit;

	if (!times || !fl_times_add(times, flame, sample) ||
	    (fl_times_full(times) && !fl_times_finish(times, &fit)))
		return fl_no_memory(flame);
	return FLAME_OK;
}

int fl_metric_times_finish(struct flame *flame, struct fl_metric_times *m)
{
	bool fit;

	for (size_t i = 0; i < m->count; i++)
		if (!fl_times_finish(&m->data[i].times, &fit))
			return fl_no_memory(flame);
	return FLAME_OK;
}

int fl_metric_times_next(struct flame *to, const struct fl_times_of *of,
			 size_t *at, struct flame_sample *sample)
{
	const struct fl_times *times = &of->times;
	const struct fl_series *series;
	struct flame_sample s = { .metric = of->metric };

	fl_runs_clear(to);
	if (*at == times->count)
		return FLAME_END;
	series = &times->series[times->cells[*at].series];
	s.stack = series->stack;
	s.thread = series->thread;
	s.labels = series->labels;
	for (; *at < times->count &&
	       &times->series[times->cells[*at].series] == series; ++*at) {
		const struct fl_cell *cell = &times->cells[*at];

		if (__builtin_add_overflow(s.weight, cell->weight, &s.weight))
			return fl_fail(to, FL_TOO_HEAVY);
		if (!fl_runs_add(to, cell->time, cell->weight))
			return fl_no_memory(to);
	}
	s.time = fl_runs_end(to, s.weight);
	if (s.time == FLAME_NOTIME)
		return fl_no_memory(to);
	if (times->shift)
		fl_runs_set_span(to, times->first, times->last);
	*sample = s;
	return FLAME_OK;
}

void fl_metric_times_free(struct fl_metric_times *m)
{
	for (size_t i = 0; i < m->count; i++)
		fl_times_free(&m->data[i].times);
	fl_free(m->data);
	*m = (struct fl_metric_times){ 0 };
}
