/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Spans of threads, which span_pass.c has collected.  fl_jfr_span_at() finds
 * the innermost span of a thread at a time: event.c leaves out samples outside
 * of spans (--latency, --tag), and hit.c adds the labels of the span to its
 * samples.  fl_jfr_tag_labels() makes these labels of the span's tag.
 */
#include "fl.h"

#include "format/format.h"
#include "format/jfr/events.h"

#include <stdlib.h>

void fl_jfr_spans_free(struct fl_jfr_spans *spans)
{
	if (!spans)
		return;
	fl_free(spans->data);
	fl_free(spans);
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

/* Labels ---------------------------------------------------------------- */

flame_id fl_jfr_tag_labels(struct flame *flame, struct slice tag,
			   bool only_tasks)
{
	static const struct {
		const char *key, *label;
	} parts[] = {
		{ "stageId", "stage" }, { "taskAttemptId", "task" },
		{ "attemptNumber", "attempt" }, { "partitionId", "partition" },
	};
	struct slice rest = tag, name = fl_slice_split(&rest, ':');
	bool task = fl_slice_is(name, "SparkTask");
	flame_id set;

	if (!tag.size || (only_tasks && !task))
		return 0;
	set = flame_label(flame, 0, fl_name(flame, "tag"),
			  flame_name(flame, tag.data, tag.size));
	set = flame_label(flame, set, fl_name(flame, "span"),
			  flame_name(flame, name.data, name.size));
	while (task && rest.size) {
		struct slice value = fl_slice_split(&rest, ',');
		struct slice key = fl_slice_split(&value, '=');

		for (size_t i = 0; i < FL_COUNT(parts); i++)
			if (value.size && fl_slice_is(key, parts[i].key))
				set = flame_label(flame, set,
						  fl_name(flame,
							  parts[i].label),
						  flame_name(flame, value.data,
							     value.size));
	}
	return set;
}

/* Adds the labels of an outer span that the inner one does not have. */
static flame_id add_outer(struct flame *flame, flame_id inner, flame_id outer)
{
	for (; outer; outer = flame->labels.data[outer].rest) {
		const struct fl_label label = flame->labels.data[outer];

		if (!flame_label_get(flame, inner, label.key))
			inner = flame_label(flame, inner, label.key,
					    label.value);
	}
	return inner;
}

/* Sorting --------------------------------------------------------------- */

/* By thread and begin, outer ones first. */
static int by_thread(const void *a, const void *b)
{
	const struct fl_jfr_span *x = a, *y = b;

	if (x->thread != y->thread)
		return x->thread < y->thread ? -1 : 1;
	if (x->from != y->from)
		return x->from < y->from ? -1 : 1;
	return (y->to > x->to) - (y->to < x->to);
}

struct nesting {
	struct flame *flame;
	struct fl_jfr_spans cut;	/* the result */
	struct fl_jfr_span *open;	/* spans that have begun, outer first */
	size_t count, capacity;
	int64_t at;		/* spans before this time are in the result */
};

/* The innermost open span up to a time. */
static bool cut_span(struct nesting *n, int64_t to)
{
	struct fl_jfr_span part = n->open[n->count - 1];

	part.from = FL_MAX(part.from, n->at);
	part.to = to;
	if (part.from > to)
		return true;
	n->at = fl_add_clamped(to, 1);
	return fl_jfr_add_span(&n->cut, &part);
}

/* Ends the open spans of another thread, or that end before the next one. */
static bool end_spans(struct nesting *n, const struct fl_jfr_span *next)
{
	while (n->count) {
		const struct fl_jfr_span *last = &n->open[n->count - 1];

		if (next && next->thread == last->thread &&
		    next->from <= last->to)
			return next->from == INT64_MIN ||
			       cut_span(n, next->from - 1);
		if (!cut_span(n, last->to))
			return false;
		n->count--;
	}
	n->at = INT64_MIN;
	return true;
}

static bool begin_span(struct nesting *n, const struct fl_jfr_span *span)
{
	if (!end_spans(n, span) ||
	    !fl_grow(&n->open, &n->capacity, n->count + 1, sizeof(*n->open)))
		return false;
	n->open[n->count] = *span;
	if (n->count)
		n->open[n->count].labels = add_outer(
			n->flame, span->labels, n->open[n->count - 1].labels);
	n->count++;
	return true;
}

bool fl_jfr_sort_spans(struct flame *flame, struct fl_jfr_spans *spans)
{
	struct nesting n = { .flame = flame, .at = INT64_MIN };
	bool good = true;

	if (spans->count)
		qsort(spans->data, spans->count, sizeof(*spans->data),
		      by_thread);
	for (size_t i = 0; good && i < spans->count; i++)
		good = begin_span(&n, &spans->data[i]);
	good = good && end_spans(&n, NULL);
	fl_free(n.open);
	fl_free(spans->data);
	spans->data = n.cut.data;
	spans->count = n.cut.count;
	spans->capacity = n.cut.capacity;
	return good;
}

const struct fl_jfr_span *fl_jfr_span_at(const struct fl_jfr_spans *spans,
					 uint64_t thread, int64_t ns)
{
	size_t low = 0, high = spans->count;
	const struct fl_jfr_span *s;

	/* The first span that begins after this moment of this thread. */
	while (low < high) {
		size_t mid = low + (high - low) / 2;

		s = &spans->data[mid];
		if (s->thread < thread ||
		    (s->thread == thread && s->from <= ns))
			low = mid + 1;
		else
			high = mid;
	}
	if (!low)
		return NULL;
	s = &spans->data[low - 1];
	return s->thread == thread && ns <= s->to ? s : NULL;
}
