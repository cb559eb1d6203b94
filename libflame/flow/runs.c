/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Runs of times (runs.h), in one array of the dictionary: format/jfr and
 * metric_times.c make them, and fl_run_find() finds the run that a sample's
 * time stands for.  These times are the lowest ones, which no recording has,
 * counted up from FLAME_NOTIME.
 */
#include "fl.h"

#include "base/sort.h"
#include "flow/runs.h"

#include <stdlib.h>

struct fl_runs {
	struct fl_run_part *parts;
	size_t count, capacity;
	size_t begin;		/* of the run that is being made, in parts */
	struct own_run {
		struct fl_run run;	/* data NULL: in parts, */
		size_t begin;		/* from here on */
	} *runs;
	size_t nruns, runs_capacity;
};

void fl_runs_clear(struct flame *flame)
{
	if (flame->runs)
		flame->runs->count = flame->runs->begin =
			flame->runs->nruns = 0;
}

void fl_runs_free(struct flame *flame)
{
	if (!flame->runs)
		return;
	fl_free(flame->runs->parts);
	fl_free(flame->runs->runs);
	fl_free(flame->runs);
	flame->runs = NULL;
}

/* NULL: out of memory. */
static struct fl_runs *runs_of(struct flame *flame)
{
	if (!flame->runs) {
		flame->runs = fl_zeroed(1, sizeof(*flame->runs));
		flame->free_runs = fl_runs_free;
	}
	return flame->runs;
}

bool fl_runs_add(struct flame *flame, int64_t time, int64_t weight)
{
	struct fl_runs *runs = runs_of(flame);

	if (!runs || !fl_grow(&runs->parts, &runs->capacity, runs->count + 1,
			      sizeof(*runs->parts)))
		return false;
	runs->parts[runs->count++] = (struct fl_run_part){ time, weight };
	return true;
}

static int by_time(const void *a, const void *b)
{
	const struct fl_run_part *x = a, *y = b;

	return (x->time > y->time) - (x->time < y->time);
}

/* Sorts parts, as a rule they are, and sums those of equal times. */
static size_t sum_parts(struct fl_run_part *parts, size_t count)
{
	size_t n = 0;

	fl_sort_nearly(parts, count, sizeof(*parts), by_time);
	for (size_t i = 0; i < count; i++)
		if (n && parts[n - 1].time == parts[i].time)
			parts[n - 1].weight += parts[i].weight;
		else
			parts[n++] = parts[i];
	return n;
}

/* Sums parts; they add up to the weight then.  Returns their number. */
static size_t finish_parts(struct fl_run_part *parts, size_t count,
			   int64_t weight)
{
	uint64_t sum = 0;

	count = sum_parts(parts, count);
	for (size_t i = 0; i < count; i++)
		sum += (uint64_t)parts[i].weight;
	parts[count - 1].weight = (int64_t)((uint64_t)parts[count - 1].weight +
					    (uint64_t)weight - sum);
	return count;
}

/* data NULL: the parts that were added last. */
static int64_t add_run(struct fl_runs *runs, struct fl_run_part *data,
		       size_t count)
{
	if (runs->nruns == UINT32_MAX ||
	    !fl_grow(&runs->runs, &runs->runs_capacity, runs->nruns + 1,
		     sizeof(*runs->runs)))
		return FLAME_NOTIME;
	runs->runs[runs->nruns++] = (struct own_run){
		{ data, count, INT64_MAX, INT64_MIN }, runs->begin
	};
	return FLAME_NOTIME + (int64_t)runs->nruns;
}

int64_t fl_runs_end(struct flame *flame, int64_t weight)
{
	struct fl_runs *runs = flame->runs;
	int64_t time;
	size_t count;

	if (!runs || runs->count == runs->begin)
		return FLAME_NOTIME;
	count = finish_parts(runs->parts + runs->begin,
			     runs->count - runs->begin, weight);
	time = add_run(runs, NULL, count);
	runs->count = runs->begin += count;
	return time;
}

int64_t fl_runs_use(struct flame *flame, struct fl_run_part *parts,
		    size_t count, int64_t weight)
{
	struct fl_runs *runs = runs_of(flame);

	if (!runs || !count)
		return FLAME_NOTIME;
	return add_run(runs, parts, finish_parts(parts, count, weight));
}

void fl_runs_set_span(struct flame *flame, int64_t first, int64_t last)
{
	struct fl_runs *runs = flame->runs;

	if (!runs || !runs->nruns)
		return;
	runs->runs[runs->nruns - 1].run.first = first;
	runs->runs[runs->nruns - 1].run.last = last;
}

bool fl_run_find(const struct flame *flame, int64_t time, struct fl_run *run)
{
	const struct fl_runs *runs = flame->runs;
	uint64_t number = (uint64_t)time - (uint64_t)FLAME_NOTIME;

	if (!runs || !number || number > runs->nruns)
		return false;
	*run = runs->runs[number - 1].run;
	if (!run->data)
		run->data = runs->parts + runs->runs[number - 1].begin;
	return true;
}
