/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The filter "dated", of flame-fold --every: sets the time of each sample to
 * the moment when the reading of its input began, in place of its own or of
 * none.  Samples of several machines and time zones, and of dumps without a
 * date, then have one clock.
 */
#include "fl.h"

#include "filter/filter.h"

#include <time.h>

static int begin(struct flame_sink *sink, struct flame_source *source)
{
	int64_t *now = sink->state;
	struct timespec t;

	(void)source;
	clock_gettime(CLOCK_REALTIME, &t);
	*now = (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
	return FLAME_OK;
}

static int put(struct flame_sink *sink, const struct flame_sample *sample)
{
	const int64_t *now = sink->state;
	struct flame_sample s = *sample;

	s.time = *now;
	fl_metric_span(sink->flame, s.metric, s.time, s.time);
	return fl_put(sink->next, &s);
}

static struct flame_sink *make(struct flame_sink *next, const char *arg)
{
	struct flame_sink *sink = fl_sink_new(next->flame, next,
					      sizeof(int64_t));

	(void)arg;
	if (!sink)
		return NULL;
	sink->begin = begin;
	sink->put = put;
	return sink;
}

const struct fl_filter fl_filter_dated = {
	.name = "dated", .summary = "the time of reading for samples",
	.make = make, .rank = 0, .compat = true,
};
