/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finds tasks that ran longer than the others of their stage, and executors
 * whose tasks all did.  fl_bill_find_slow(), called by bill.c, sets the tail of
 * each stage and the expected time of each executor.  Times are compared by
 * medians and logarithms, as task times are skewed, and executors without their
 * longest task, which may be slow by itself.
 */
#include "fl.h"

#include "spark/bill.h"

#include <math.h>
#include <stdlib.h>

enum {
	MIN_OTHERS = 3,		/* tasks to compare an executor's with */
	MIN_OWN = 3,		/* and of its own, without the longest */
	MAX_EXACT = 16,		/* executors, for medians without each */
};

/* With times that vary by a third, chance makes hardly any task so long. */
#define TIMES_LONGER 4.
/* TIMES_LONG is enough with TIMES_MORE the input, or this many deviations. */
#define TIMES_LONG 2.
#define TIMES_MORE 3.
#define DEVIATIONS 7.
#define MIN_SPREAD .1		/* of logarithms: the clock of the log */

struct run {
	size_t stage, executor;
	double us;
	bool first;		/* of the stage on its core: loads classes */
	const struct fl_spark_task *task;
};

static int by_stage(const void *a, const void *b)
{
	const struct run *x = a, *y = b;

	if (x->stage != y->stage)
		return x->stage < y->stage ? -1 : 1;
	if (x->us != y->us)
		return x->us < y->us ? -1 : 1;
	return (x->task->id > y->task->id) - (x->task->id < y->task->id);
}

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* The median of sorted numbers. */
static double middle(const double *sorted, size_t n)
{
	return !n ? 0 : (sorted[(n - 1) / 2] + sorted[n / 2]) / 2;
}

static size_t stage_of(const struct flame_bill *bill, size_t stage)
{
	const struct fl_spark_stage *of = &bill->spark->stages[stage];

	return (size_t)*fl_map_get(&bill->by_stage, fl_hash_pair(
				   (uint64_t)of->id, of->app + 1)) - 1;
}

/* Tasks that succeeded, by stage and then by time; NULL: out of memory. */
static struct run *list_runs(const struct flame_bill *bill, size_t *n)
{
	const struct fl_spark *spark = bill->spark;
	struct run *runs;
	int64_t *before = fl_zeroed(bill->nstages + 1, sizeof(*before));
	size_t all = 0;

	for (size_t i = 0; i < spark->nexecutors; i++)
		all += spark->executors[i].ntasks;
	runs = before ? fl_zeroed(all + 1, sizeof(*runs)) : NULL;
	*n = 0;
	for (size_t i = 0; runs && i < spark->nexecutors; i++) {
		memset(before, 0, bill->nstages * sizeof(*before));
		for (size_t k = 0; k < spark->executors[i].ntasks; k++) {
			const struct fl_spark_task *task =
				&spark->executors[i].tasks[k];

			size_t stage = stage_of(bill, task->stage);
			bool first = before[stage]++ <
				     spark->executors[i].cores;

			if (task->ok && task->finish)
				runs[(*n)++] = (struct run){
					stage, i,
					FL_MAX((double)task->active / 1000,
					       1000.), first, task,
				};
		}
	}
	if (runs && *n)
		qsort(runs, *n, sizeof(*runs), by_stage);
	fl_free(before);
	return runs;
}

/* The longest task of a stage --------------------------------------------- */

/* The median of records, or of bytes, of all but the last; -1: not known. */
static int64_t median_of(const struct run *runs, size_t n, bool bytes,
			 double *scratch)
{
	for (size_t i = 0; i < n; i++) {
		int64_t value = bytes ? runs[i].task->bytes :
					runs[i].task->records;

		if (value < 0)
			return -1;
		scratch[i] = (double)value;
	}
	qsort(scratch, n, sizeof(*scratch), by_value);
	return (int64_t)middle(scratch, n);
}

/* How many deviations of the others the longest is above their mean. */
static double deviation_of(const struct run *runs, size_t n)
{
	double sum = 0, squares = 0, mean, spread;

	for (size_t i = 0; i < n; i++)
		sum += log(runs[i].us);
	mean = sum / (double)n;
	for (size_t i = 0; i < n; i++)
		squares += (log(runs[i].us) - mean) * (log(runs[i].us) - mean);
	spread = n > 1 ? sqrt(squares / (double)(n - 1)) : 0;
	return (log(runs[n].us) - mean) / FL_MAX(spread, MIN_SPREAD);
}

static bool is_more(int64_t n, int64_t median)
{
	return median >= 0 && n > 0 && (double)n >= TIMES_MORE *
					       FL_MAX((double)median, 1.);
}

/*
 * Whether the longest is the first on its core and no longer than other such
 * tasks: a JVM begins slowly.
 */
static bool is_warming_up(const struct run *runs, size_t n, double *scratch)
{
	size_t firsts = 0;

	for (size_t i = 0; i < n; i++)
		if (runs[i].first)
			scratch[firsts++] = runs[i].us;
	return runs[n].first && firsts &&
	       runs[n].us < TIMES_LONGER * middle(scratch, firsts);
}

/* n: of all but the longest, which is runs[n]. */
static void find_longest(struct fl_bill_tail *tail, const struct run *runs,
			 size_t n, double *scratch)
{
	const struct fl_spark_task *task = runs[n].task;
	double median = (runs[(n - 1) / 2].us + runs[n / 2].us) / 2;
	double times = runs[n].us / median;
	/* Where a quarter of the tasks is as long, it is not this one. */
	bool alone = runs[n].us >= TIMES_LONG * runs[(n - 1) * 3 / 4].us;

	*tail = (struct fl_bill_tail){
		.task = task, .executor = runs[n].executor, .tasks = n + 1,
		.duration = (int64_t)runs[n].us, .median = (int64_t)median,
		.records = median_of(runs, n, false, scratch),
		.bytes = median_of(runs, n, true, scratch),
	};
	tail->reads_more = is_more(task->records, tail->records) ||
			   is_more(task->bytes, tail->bytes);
	tail->stands_out = alone &&
		(tail->reads_more || !is_warming_up(runs, n, scratch)) &&
		(times >= TIMES_LONGER || tail->reads_more ||
		 (n >= 7 && deviation_of(runs, n) >= DEVIATIONS));
}

/* Executors --------------------------------------------------------------- */

/* One executor's tasks: logarithms of their time by the others' median. */
struct own {
	double sum, squares, longest;	/* squares: about the stages' means */
	double noise;			/* of the medians, by counts */
	double n, free;			/* tasks; degrees of freedom */
	double duration;
};

/* The median of the stage's tasks on other executors, and their number. */
static double median_without(const struct run *runs, size_t n, size_t executor,
			     bool exact, double *scratch, size_t *others)
{
	*others = 0;
	for (size_t i = 0; i < n; i++) {
		*others += runs[i].executor != executor;
		if (!exact || runs[i].executor != executor)
			scratch[exact ? *others - 1 : i] = runs[i].us;
	}
	return middle(scratch, exact ? *others : n);
}

/* The part of an executor in one stage. */
static void add_part(struct own *own, const struct run *runs, size_t n,
		     size_t executor, bool exact, double *scratch)
{
	double sum = 0, squares = 0, count = 0, median;
	size_t others;

	median = median_without(runs, n, executor, exact, scratch, &others);
	if (others < MIN_OTHERS)
		return;
	for (size_t i = 0; i < n; i++) {
		double x = log(runs[i].us / median);

		if (runs[i].executor != executor)
			continue;
		sum += x;
		squares += x * x;
		count++;
		own->longest = own->n + count == 1 ? x :
						     FL_MAX(own->longest, x);
		own->duration += runs[i].us;
	}
	if (!count)
		return;
	own->sum += sum;
	own->squares += squares - sum * sum / count;
	own->n += count;
	own->free += count - 1;
	/* The variance of a median is pi / 2 times that of a mean. */
	own->noise += count * count * 1.5708 / (double)others;
}

/* list: of executors of the stage, each once; seen: by executor. */
static void add_stage(struct own *owns, const struct run *runs, size_t n,
		      size_t *list, size_t *seen, double *scratch)
{
	size_t count = 0;

	for (size_t i = 0; i < n; i++) {
		if (seen[runs[i].executor] == runs[i].stage + 1)
			continue;
		seen[runs[i].executor] = runs[i].stage + 1;
		list[count++] = runs[i].executor;
	}
	for (size_t i = 0; count > 1 && i < count; i++)
		add_part(&owns[list[i]], runs, n, list[i], count <= MAX_EXACT,
			 scratch);
}

/* Without the longest task. */
static void compare(struct fl_bill_executor *e, const struct own *own)
{
	double n = own->n - 1, mean, spread;

	if (n < MIN_OWN)
		return;
	mean = (own->sum - own->longest) / n;
	spread = own->free > 0 ? sqrt(FL_MAX(own->squares, 0.) / own->free) : 0;
	spread = FL_MAX(spread, MIN_SPREAD);
	e->duration = (int64_t)own->duration;
	e->expected = (int64_t)(own->duration / exp(mean));
	e->sigma = FL_MAX(mean / (spread * sqrt(1 / n + own->noise /
						       (own->n * own->n))), 0.);
}

bool fl_bill_find_slow(struct flame_bill *bill)
{
	size_t n, executors = bill->spark->nexecutors, end;
	struct run *runs = list_runs(bill, &n);
	struct own *owns = fl_zeroed(executors + 1, sizeof(*owns));
	size_t *list = fl_zeroed(executors + 1, sizeof(*list));
	size_t *seen = fl_zeroed(executors + 1, sizeof(*seen));
	double *scratch = runs ? fl_zeroed(n + 1, sizeof(*scratch)) : NULL;
	bool good = runs && owns && list && seen && scratch;

	for (size_t i = 0; good && i < n; i = end) {
		for (end = i; end < n && runs[end].stage == runs[i].stage;)
			end++;
		if (end - i < 2)
			continue;
		find_longest(&bill->stages[runs[i].stage].tail, runs + i,
			     end - i - 1, scratch);
		add_stage(owns, runs + i, end - i, list, seen, scratch);
	}
	for (size_t i = 0; good && i < executors; i++)
		compare(&bill->executors[i], &owns[i]);
	fl_free(runs);
	fl_free(owns);
	fl_free(list);
	fl_free(seen);
	fl_free(scratch);
	return good;
}
