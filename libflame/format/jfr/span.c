/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Spans: --latency and --tag take only samples inside a span of the same
 * thread.
 */
#include "fl.h"

#include "format/jfr/events.h"

#include <stdlib.h>

void fl_jfr_spans_free(struct fl_jfr_spans *spans)
{
	if (!spans)
		return;
	fl_free(spans->data);
	fl_free(spans);
}

static int by_thread(const void *a, const void *b)
{
	const struct fl_jfr_span *x = a, *y = b;

	if (x->thread != y->thread)
		return x->thread < y->thread ? -1 : 1;
	return (x->from > y->from) - (x->from < y->from);
}

/* Overlapping ones become one, so that a search finds all there is. */
void fl_jfr_sort_spans(struct fl_jfr_spans *spans)
{
	size_t n = 0;

	if (!spans->count)
		return;
	qsort(spans->data, spans->count, sizeof(*spans->data), by_thread);
	for (size_t i = 1; i < spans->count; i++) {
		struct fl_jfr_span *last = &spans->data[n],
				   *s = &spans->data[i];

		if (s->thread == last->thread && s->from <= last->to)
			last->to = FL_MAX(last->to, s->to);
		else
			spans->data[++n] = *s;
	}
	spans->count = n + 1;
}

bool fl_jfr_add_span(struct fl_jfr_spans *spans,
		     const struct fl_jfr_span *span)
{
	if (!fl_grow(&spans->data, &spans->capacity, spans->count + 1,
		     sizeof(*spans->data)))
		return false;
	spans->data[spans->count++] = *span;
	return true;
}

bool fl_jfr_in_span(const struct fl_jfr *jfr, uint64_t thread, int64_t ns)
{
	const struct fl_jfr_spans *spans = jfr->spans;
	size_t low = 0, high = spans->count;

	/* The first span that begins after this moment of this thread. */
	while (low < high) {
		size_t mid = low + (high - low) / 2;
		const struct fl_jfr_span *s = &spans->data[mid];

		if (s->thread < thread ||
		    (s->thread == thread && s->from <= ns))
			low = mid + 1;
		else
			high = mid;
	}
	return low && spans->data[low - 1].thread == thread &&
	       ns <= spans->data[low - 1].to;
}
