/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Divides the time of each executor into spans in which the same tasks run:
 * fl_spark_finish(), after the last log, and fl_spark_span_at() finds the span
 * of a time, for events.c.
 *
 * A log has the driver's times.  The driver sends a free core its next task
 * before it has noted the end of the last one, so that two tasks of a core
 * overlap by some milliseconds: as many run as there are cores, and the one
 * that ends first has ended when another is launched.
 */
#include "fl.h"

#include "spark/spark.h"

#include <stdlib.h>

static int by_start(const void *a, const void *b)
{
	const struct fl_spark_task *x = a, *y = b;

	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	return (x->id > y->id) - (x->id < y->id);
}

/* Tasks that run, while an executor's are passed in the order of time. */
struct sweep {
	struct fl_spark_task *tasks;
	size_t *running, n, capacity;
};

/* The place in running of the task that ends first. */
static size_t first_to_end(const struct sweep *s)
{
	size_t best = 0;

	for (size_t i = 1; i < s->n; i++)
		if (s->tasks[s->running[i]].end <
		    s->tasks[s->running[best]].end)
			best = i;
	return best;
}

static void drop(struct sweep *s, size_t i)
{
	memmove(&s->running[i], &s->running[i + 1],
		(--s->n - i) * sizeof(*s->running));
}

static bool run_task(struct sweep *s, size_t task)
{
	if (!fl_grow(&s->running, &s->capacity, s->n + 1,
		     sizeof(*s->running)))
		return false;
	s->running[s->n++] = task;
	return true;
}

static bool end_at_launches(struct sweep *s, const struct fl_spark_executor *e)
{
	for (size_t i = 0; i < e->ntasks; i++) {
		struct fl_spark_task *task = &e->tasks[i];

		while (s->n) {
			size_t first = first_to_end(s);
			struct fl_spark_task *old =
				&s->tasks[s->running[first]];

			if (old->end > task->start &&
			    (!e->cores || s->n < (uint64_t)e->cores))
				break;
			old->end = FL_MIN(old->end, task->start);
			drop(s, first);
		}
		if (!run_task(s, i))
			return false;
	}
	s->n = 0;
	return true;
}

static bool add_span(struct fl_spark *spark, const struct sweep *s,
		     const struct fl_spark_executor *e, int64_t start)
{
	struct fl_spark_span *span = NULL;

	if (spark->nspans > e->first_span)
		span = &spark->spans[spark->nspans - 1];
	if (span && span->start == start) {
		spark->nrunning = span->first;	/* again, of more tasks */
	} else {
		if (!fl_grow(&spark->spans, &spark->spans_capacity,
			     spark->nspans + 1, sizeof(*spark->spans)))
			return false;
		span = &spark->spans[spark->nspans++];
	}
	*span = (struct fl_spark_span){
		.start = start, .first = spark->nrunning,
		.ntasks = (unsigned)s->n,
	};
	if (!fl_grow(&spark->running, &spark->running_capacity,
		     spark->nrunning + s->n, sizeof(*spark->running)))
		return false;
	for (size_t i = 0; i < s->n; i++)
		spark->running[spark->nrunning++] = s->running[i];
	return true;
}

/* Ends all that end by a time, with a span after each. */
static bool end_until(struct fl_spark *spark, struct sweep *s,
		      const struct fl_spark_executor *e, int64_t time)
{
	while (s->n) {
		size_t first = first_to_end(s);
		int64_t end = s->tasks[s->running[first]].end;

		if (end > time)
			break;
		drop(s, first);
		if (!add_span(spark, s, e, end))
			return false;
	}
	return true;
}

static bool make_spans(struct fl_spark *spark, struct sweep *s,
		       struct fl_spark_executor *e)
{
	e->first_span = spark->nspans;
	for (size_t i = 0; i < e->ntasks; i++) {
		const struct fl_spark_task *task = &e->tasks[i];

		if (task->end <= task->start)
			continue;
		if (!end_until(spark, s, e, task->start) ||
		    !run_task(s, i) || !add_span(spark, s, e, task->start))
			return false;
	}
	if (!end_until(spark, s, e, INT64_MAX - 1))
		return false;
	s->n = 0;
	e->nspans = spark->nspans - e->first_span;
	return true;
}

int fl_spark_finish(struct flame *flame, struct fl_spark *spark)
{
	struct sweep s = { 0 };
	bool good = true;

	for (size_t i = 0; good && i < spark->nexecutors; i++) {
		struct fl_spark_executor *e = &spark->executors[i];

		s.tasks = e->tasks;
		if (e->ntasks)
			qsort(e->tasks, e->ntasks, sizeof(*e->tasks), by_start);
		good = end_at_launches(&s, e) && make_spans(spark, &s, e);
	}
	fl_free(s.running);
	return good ? FLAME_OK : fl_no_memory(flame);
}

struct fl_spark_span *fl_spark_span_at(struct fl_spark *spark,
				       const struct fl_spark_executor *e,
				       int64_t time)
{
	size_t low = 0, high = e->nspans;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (spark->spans[e->first_span + middle].start <= time)
			low = middle + 1;
		else
			high = middle;
	}
	return low ? &spark->spans[e->first_span + low - 1] : NULL;
}
