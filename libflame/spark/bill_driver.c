/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Collects for a bill what the driver does while its application waits for it:
 * bill.c puts in all samples (fl_driver_add), and bill_frames.c gets the stacks
 * of the driver's own recording in those parts of the critical path, by part.
 */
#include "fl.h"

#include "spark/bill.h"
#include "spark/critical.h"

#include <stdlib.h>

struct span {
	int64_t from, until;	/* ns */
	size_t part;
};

struct fl_driver {
	struct flame *flame;
	const struct fl_spark *spark;
	flame_id app, executor, driver;	/* names */
	struct span *spans;	/* of an application from the last one on */
	size_t nspans, capacity;
	size_t *first;		/* by application; and the end */
	struct fl_driver_stack *stacks[FL_DRIVER_METRICS];
	size_t n[FL_DRIVER_METRICS], stacks_capacity[FL_DRIVER_METRICS];
	struct fl_map index[FL_DRIVER_METRICS];	/* part and stack: n + 1 */
};

struct to_spans {
	struct fl_driver *driver;
	size_t app;
	int64_t now;
};

/* The parts come from the last one to the first. */
static bool add_span(void *at, enum fl_cause_kind kind, size_t stage,
		     int64_t ns)
{
	struct to_spans *to = at;
	struct fl_driver *d = to->driver;

	(void)stage;
	to->now -= ns;
	if (kind != FL_CAUSE_START && kind != FL_CAUSE_DRIVER)
		return true;
	if (!fl_grow(&d->spans, &d->capacity, d->nspans + 1,
		     sizeof(*d->spans)))
		return false;
	d->spans[d->nspans++] = (struct span){
		.from = to->now, .until = to->now + ns,
		.part = fl_driver_part(to->app, kind),
	};
	return true;
}

static bool add_spans(struct fl_driver *d, const struct fl_replay *replays)
{
	bool good = d->first;

	for (size_t i = 0; good && i < d->spark->napps; i++) {
		struct to_spans to = { d, i, replays[i].until };

		good = !replays[i].begin ||
		       fl_critical_path(&replays[i], add_span, &to);
		d->first[i + 1] = d->nspans;
	}
	return good;
}

struct fl_driver *fl_driver_new(struct flame *flame,
				const struct fl_spark *spark,
				const struct fl_replay *replays)
{
	struct fl_driver *d = fl_zeroed(1, sizeof(*d));

	if (!d)
		return NULL;
	*d = (struct fl_driver){
		.flame = flame, .spark = spark, .app = fl_name(flame, "app"),
		.executor = fl_name(flame, "executor"),
		.driver = fl_name(flame, "driver"),
		.first = fl_zeroed(spark->napps + 1, sizeof(*d->first)),
	};
	if (add_spans(d, replays))
		return d;
	fl_driver_free(d);
	return NULL;
}

void fl_driver_free(struct fl_driver *d)
{
	if (!d)
		return;
	for (size_t i = 0; i < FL_DRIVER_METRICS; i++) {
		fl_free(d->stacks[i]);
		fl_map_free(&d->index[i]);
	}
	fl_free(d->spans);
	fl_free(d->first);
	fl_free(d);
}

/* In spans; nspans: the end did not wait for the driver then. */
static size_t find_span(const struct fl_driver *d, size_t app, int64_t time)
{
	size_t from = d->first[app], end = d->first[app + 1], until = end;

	while (from < until) {
		size_t middle = from + (until - from) / 2;

		if (d->spans[middle].from > time)
			from = middle + 1;
		else
			until = middle;
	}
	return from < end && time < d->spans[from].until ? from : d->nspans;
}

/* FL_DRIVER_METRICS: not of time. */
static size_t metric_of(const struct fl_driver *d, flame_id metric)
{
	const char *name = metric ? flame_metric_of(d->flame, metric)->name :
				    "";

	return strcmp(name, "wall") == 0 ? FL_DRIVER_WALL :
	       strcmp(name, "cpu") == 0 ? FL_DRIVER_CPU : FL_DRIVER_METRICS;
}

static bool add_weight(struct fl_driver *d, size_t metric, size_t part,
		       const struct flame_sample *s)
{
	uint64_t *at = fl_map_put(&d->index[metric],
				  (uint64_t)part << 32 | s->stack, NULL);

	if (!at || (!*at && !fl_grow(&d->stacks[metric],
				     &d->stacks_capacity[metric],
				     d->n[metric] + 1, sizeof(**d->stacks))))
		return false;
	if (!*at) {
		d->stacks[metric][d->n[metric]] = (struct fl_driver_stack){
			.part = part, .stack = s->stack,
		};
		*at = ++d->n[metric];
	}
	d->stacks[metric][*at - 1].weight += s->weight;
	return true;
}

bool fl_driver_add(struct fl_driver *d, const struct flame_sample *s)
{
	size_t app, span, metric;

	if (s->time == FLAME_NOTIME || !s->labels ||
	    flame_label_get(d->flame, s->labels, d->executor) != d->driver)
		return true;
	app = fl_spark_find_app(d->spark, fl_name_at(
		d->flame, flame_label_get(d->flame, s->labels, d->app)));
	metric = metric_of(d, s->metric);
	if (app == FL_SPARK_NONE || metric == FL_DRIVER_METRICS)
		return true;
	span = find_span(d, app, s->time);
	return span == d->nspans ||
	       add_weight(d, metric, d->spans[span].part, s);
}

static int by_part(const void *a, const void *b)
{
	const struct fl_driver_stack *x = a, *y = b;

	return (x->part > y->part) - (x->part < y->part);
}

const struct fl_driver_stack *fl_driver_stacks(struct fl_driver *d,
					       enum fl_driver_metric metric,
					       size_t *n)
{
	*n = d->n[metric];
	if (*n)
		qsort(d->stacks[metric], *n, sizeof(**d->stacks), by_part);
	return d->stacks[metric];
}
