/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Moves samples of executors to the clock of the event log, for the filter
 * --spark-events (events.c): samples in, the same with corrected times out.
 * How far a recording's clock is from the log's is measured from many samples
 * (clock.c), so samples wait in a queue until there are enough, or to the end.
 */
#include "fl.h"

#include "spark/align.h"
#include "spark/on_task.h"

#include <math.h>
#include <stdlib.h>

enum { MAX_QUEUE = 1 << 20 };	/* samples: 40 MB */

struct fl_spark_align {
	struct flame_sink *sink;
	struct fl_spark *spark;
	fl_spark_put *put;
	struct fl_on_task on_task;
	struct waiting {
		size_t executor;
		struct flame_sample sample;
	} *queue;
	size_t n, capacity;
	size_t last;		/* in queue: where the last executor begins */
	/* By executor. */
	struct recording {
		bool known;
		int64_t shift;	/* this sink's: the log's may be another's */
		struct fl_spark_clock clock;
	} *recordings;
};

struct fl_spark_align *fl_spark_align_new(struct flame_sink *sink,
					  struct fl_spark *spark,
					  fl_spark_put *put)
{
	struct fl_spark_align *align = fl_zeroed(1, sizeof(*align));

	if (!align) {
		fl_no_memory(sink->flame);
		return NULL;
	}
	align->sink = sink;
	align->spark = spark;
	align->put = put;
	align->recordings = fl_zeroed(spark->nexecutors + 1,
				      sizeof(*align->recordings));
	if (!align->recordings)
		fl_no_memory(sink->flame);
	else if (fl_on_task_init(sink->flame, &align->on_task) == FLAME_OK)
		return align;
	fl_spark_align_free(align);
	return NULL;
}

void fl_spark_align_free(struct fl_spark_align *align)
{
	if (!align)
		return;
	for (size_t i = 0; align->recordings && i < align->spark->nexecutors;
	     i++)
		fl_spark_clock_free(&align->recordings[i].clock);
	fl_free(align->recordings);
	fl_free(align->queue);
	fl_on_task_free(&align->on_task);
	fl_free(align);
}

/* Of time, on a CPU or not: where there is a task, there are samples. */
static bool is_timed(struct flame *flame, flame_id metric)
{
	const char *name = metric ? flame_metric_of(flame, metric)->name : "";

	return strcmp(name, "wall") == 0 || strcmp(name, "cpu") == 0;
}

/* Adds the queue's first samples to the clocks of their recordings. */
static bool measure(struct fl_spark_align *align, size_t n)
{
	struct flame *flame = align->sink->flame;
	flame_id metric = 0;
	bool timed = false;

	for (size_t i = 0; i < n; i++) {
		const struct flame_sample *s = &align->queue[i].sample;
		struct recording *r = align->recordings +
				      align->queue[i].executor;

		if (align->queue[i].executor == FL_SPARK_NONE || r->known)
			continue;
		if (s->metric != metric)
			timed = is_timed(flame, metric = s->metric);
		if (timed && s->stack && s->weight > 0 &&
		    fl_on_task(flame, &align->on_task, s) &&
		    !fl_spark_clock_add(&r->clock, s->time,
					FL_MIN((uint64_t)s->weight,
					       UINT32_MAX)))
			return false;
	}
	return true;
}

static void report(struct flame *flame, const struct fl_spark_executor *e)
{
	if (e->clock == FL_CLOCK_APART)
		fl_warn(flame, "--spark-events: the log's clock is %.1f s "
			"%s executor %s's recording, which is moved by that",
			fabs((double)e->shift) / 1e9,
			e->shift > 0 ? "later than" : "earlier than", e->id);
	else if (e->clock == FL_CLOCK_UNKNOWN)
		fl_warn(flame, "--spark-events: samples of executor %s's tasks "
			"are where the log has none; how far the clocks are "
			"apart cannot be measured", e->id);
}

static void set_clock(struct fl_spark_align *align, size_t executor)
{
	struct fl_spark_executor *e = &align->spark->executors[executor];
	struct recording *r = &align->recordings[executor];
	int64_t shift = 0;

	e->clock = fl_spark_clock_fit(&r->clock, e, &shift);
	e->shift = e->clock == FL_CLOCK_APART ? shift : 0;
	r->shift = e->shift;
	r->known = true;
	fl_spark_clock_free(&r->clock);
	report(align->sink->flame, e);
}

static int put(struct fl_spark_align *align, const struct waiting *w)
{
	struct flame_sample s = w->sample;

	/* No negative times: FLAME_NOTIME is one. */
	if (w->executor != FL_SPARK_NONE)
		s.time = FL_MAX(s.time + align->recordings[w->executor].shift,
				0);
	return align->put(align->sink, w->executor, &s);
}

/* Hands the queue's first samples over, once their clocks are measured. */
static int release(struct fl_spark_align *align, size_t n)
{
	int status = FLAME_OK;

	if (!n)
		return FLAME_OK;
	if (!measure(align, n))
		return fl_no_memory(align->sink->flame);
	for (size_t i = 0; i < n; i++) {
		size_t executor = align->queue[i].executor;

		if (executor != FL_SPARK_NONE &&
		    !align->recordings[executor].known)
			set_clock(align, executor);
	}
	for (size_t i = 0; status == FLAME_OK && i < n; i++)
		status = put(align, &align->queue[i]);
	align->n -= n;
	memmove(align->queue, align->queue + n, align->n * sizeof(*align->queue));
	align->last = 0;
	return status;
}

int fl_spark_align_put(struct fl_spark_align *align, size_t executor,
		       const struct flame_sample *sample)
{
	const struct waiting w = { executor, *sample };

	if (!align->n && (executor == FL_SPARK_NONE ||
			  align->recordings[executor].known))
		return put(align, &w);
	if (!fl_grow(&align->queue, &align->capacity, align->n + 1,
		     sizeof(*align->queue)))
		return fl_no_memory(align->sink->flame);
	if (align->n && executor != align->queue[align->n - 1].executor)
		align->last = align->n;
	align->queue[align->n++] = w;
	if (align->n < MAX_QUEUE)
		return FLAME_OK;
	/* The last executor's samples may have only begun. */
	return release(align, align->last > align->n / 2 ? align->last :
							   align->n);
}

int fl_spark_align_end(struct fl_spark_align *align)
{
	return release(align, align->n);
}
