/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Runs of times, in one array.  Numbers from the lowest times on, which no
 * recording has, stand for them.
 */
#include "fl.h"

#include "flow/runs.h"

#include <stdlib.h>

struct fl_runs {
	struct fl_run_part *parts;
	size_t count, capacity;
	size_t *end;		/* of each run, in parts */
	size_t nruns, end_capacity;
};

void fl_runs_clear(struct flame *flame)
{
	if (flame->runs)
		flame->runs->count = flame->runs->nruns = 0;
}

void fl_runs_free(struct flame *flame)
{
	if (!flame->runs)
		return;
	fl_free(flame->runs->parts);
	fl_free(flame->runs->end);
	fl_free(flame->runs);
	flame->runs = NULL;
}

bool fl_runs_add(struct flame *flame, int64_t time, int64_t weight)
{
	struct fl_runs *runs = flame->runs;

	if (!runs) {
		runs = flame->runs = fl_zeroed(1, sizeof(*runs));
		flame->free_runs = fl_runs_free;
	}
	if (!runs || !fl_grow(&runs->parts, &runs->capacity, runs->count + 1,
			      sizeof(*runs->parts)))
		return false;
	runs->parts[runs->count++] = (struct fl_run_part){ time, weight };
	return true;
}

static size_t begin_of(const struct fl_runs *runs, size_t run)
{
	return run ? runs->end[run - 1] : 0;
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

	for (size_t i = 1; i < count; i++)
		if (parts[i].time < parts[i - 1].time) {
			qsort(parts, count, sizeof(*parts), by_time);
			break;
		}
	for (size_t i = 0; i < count; i++)
		if (n && parts[n - 1].time == parts[i].time)
			parts[n - 1].weight += parts[i].weight;
		else
			parts[n++] = parts[i];
	return n;
}

int64_t fl_runs_end(struct flame *flame, int64_t weight)
{
	struct fl_runs *runs = flame->runs;
	struct fl_run_part *parts;
	uint64_t sum = 0;
	size_t begin, count;

	if (!runs || runs->nruns == UINT32_MAX ||
	    runs->count == (begin = begin_of(runs, runs->nruns)) ||
	    !fl_grow(&runs->end, &runs->end_capacity, runs->nruns + 1,
		     sizeof(*runs->end)))
		return FLAME_NOTIME;
	parts = runs->parts + begin;
	count = sum_parts(parts, runs->count - begin);
	for (size_t i = 0; i < count; i++)
		sum += (uint64_t)parts[i].weight;
	parts[count - 1].weight = (int64_t)((uint64_t)parts[count - 1].weight +
					    (uint64_t)weight - sum);
	runs->count = begin + count;
	runs->end[runs->nruns++] = runs->count;
	return FLAME_NOTIME + (int64_t)runs->nruns;
}

bool fl_run_find(const struct flame *flame, int64_t time, struct fl_run *run)
{
	const struct fl_runs *runs = flame->runs;
	uint64_t number = (uint64_t)time - (uint64_t)FLAME_NOTIME;

	if (!runs || !number || number > runs->nruns)
		return false;
	run->data = runs->parts + begin_of(runs, number - 1);
	run->count = runs->end[number - 1] - begin_of(runs, number - 1);
	return true;
}
