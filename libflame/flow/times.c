/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sums weights by series (stack and labels) and time (times.h), for
 * tree/samples.c and metric_times.c: fl_times_add() adds a sample, and
 * fl_times_finish() leaves sorted cells.  Cells are appended: of a series they
 * come nearly in the order of time, so most of them are added to the last cell
 * of their series.  Only when there are too many, and at the end, they are
 * sorted and summed.
 */
#include "fl.h"

#include "base/sort.h"
#include "flow/runs.h"
#include "flow/times.h"

#include <stdlib.h>

enum { LAST_SHIFT = 62 };

void fl_times_init(struct fl_times *times, size_t max_exact, size_t max_cells)
{
	*times = (struct fl_times){
		.max_exact = max_exact, .max_cells = max_cells,
		.check_at = max_exact + max_exact / 2,
		.first = INT64_MAX, .last = INT64_MIN,
	};
}

void fl_times_free(struct fl_times *times)
{
	fl_index_free(&times->index);
	fl_free(times->series);
	fl_free(times->cells);
	fl_free(times->spare);
	fl_times_init(times, times->max_exact, times->max_cells);
}

static uint64_t hash_of(const struct flame_sample *s)
{
	return fl_hash_pair((uint64_t)s->stack << 32 | s->labels, s->thread);
}

static bool is_of(const struct fl_series *series, const struct flame_sample *s)
{
	return series->stack == s->stack && series->thread == s->thread &&
	       series->labels == s->labels;
}

static uint32_t add_series(struct fl_times *times, const struct flame_sample *s,
			   uint64_t hash)
{
	if (times->nseries >= UINT32_MAX - 1 ||
	    !fl_grow(&times->series, &times->series_capacity,
		     times->nseries + 1, sizeof(*times->series)))
		return 0;
	times->series[times->nseries++] = (struct fl_series){
		s->stack, s->thread, s->labels, 0
	};
	return fl_index_add(&times->index, hash, (uint32_t)times->nseries) ?
		       (uint32_t)times->nseries : 0;
}

/* The series of a sample, plus one; 0: out of memory. */
static uint32_t series_of(struct fl_times *times, const struct flame_sample *s)
{
	uint64_t hash;
	uint32_t i, id;

	if (times->current && is_of(&times->series[times->current - 1], s))
		return times->current;
	hash = hash_of(s);
	i = fl_index_first(&times->index, hash);
	while ((id = fl_index_next(&times->index, hash, &i)))
		if (is_of(&times->series[id - 1], s))
			return id;
	return add_series(times, s, hash);
}

static int64_t round_time(const struct fl_times *times, int64_t time)
{
	if (time == FLAME_NOTIME)
		return FLAME_NOTIME;
	return (int64_t)((uint64_t)time & -(UINT64_C(1) << times->shift));
}

/*
 * Close to the limit of memory times become coarser instead, as long as that
 * helps: sorting needs two arrays, and a page about as much again.
 */
static bool save_memory(struct fl_times *times)
{
	size_t max_exact = times->max_exact, max_cells = times->max_cells;
	bool fit;

	times->max_exact = 0;
	times->max_cells = times->count / 2;
	if (!fl_times_finish(times, &fit))
		return false;
	times->max_exact = FL_MIN(max_exact, times->max_cells);
	times->max_cells = FL_MIN(max_cells, times->max_cells);
	return true;
}

static bool grow_cells(struct fl_times *times)
{
	size_t need = FL_MAX(2 * times->capacity, (size_t)1024);

	if (times->count > 1024 &&
	    !fl_memory_fits(3 * need * sizeof(*times->cells)) &&
	    !save_memory(times))
		return false;
	return fl_grow(&times->cells, &times->capacity, times->count + 1,
		       sizeof(*times->cells));
}

/* To the last cell of its series, or to a new one. */
static inline bool add_cell(struct fl_times *times, uint32_t number,
			    int64_t time, int64_t weight)
{
	struct fl_series *series = &times->series[number - 1];
	struct fl_cell *last;

	time = round_time(times, time);
	if (series->last) {
		last = &times->cells[series->last - 1];
		if (last->time == time) {
			last->weight += weight;
			return true;
		}
	}
	if (fl_unlikely(times->count == times->capacity)) {
		if (!grow_cells(times))
			return false;
		time = round_time(times, time);
	}
	times->cells[times->count++] = (struct fl_cell){ time, weight,
							 number - 1 };
	times->series[number - 1].last = (uint32_t)times->count;
	return true;
}

static void add_span(struct fl_times *times, int64_t first, int64_t last)
{
	times->first = FL_MIN(times->first, first);
	times->last = FL_MAX(times->last, last);
}

/* The span of a run whose times are rounded is that from before. */
static bool add_run(struct fl_times *times, uint32_t number,
		    const struct fl_run *run)
{
	bool exact = run->first > run->last;

	for (size_t i = 0; i < run->count; i++) {
		struct fl_run_part part = run->data[i];

		if (part.weight <= 0)
			continue;
		if (exact)
			add_span(times, part.time, part.time);
		if (!add_cell(times, number, part.time, part.weight))
			return false;
	}
	if (!exact)
		add_span(times, run->first, run->last);
	return true;
}

bool fl_times_add(struct fl_times *times, const struct flame *flame,
		  const struct flame_sample *sample)
{
	uint32_t number = series_of(times, sample);
	struct fl_run run;

	if (!number)
		return false;
	times->current = number;
	if (fl_run_find(flame, sample->time, &run))
		return add_run(times, number, &run);
	if (sample->time != FLAME_NOTIME)
		add_span(times, sample->time, sample->time);
	return add_cell(times, number, sample->time, sample->weight);
}

static int by_time(const void *a, const void *b)
{
	const struct fl_cell *x = a, *y = b;

	return (x->time > y->time) - (x->time < y->time);
}

/* Sums equal cells of a series that are sorted; returns their new number. */
static size_t sum_sorted(struct fl_cell *cells, size_t count)
{
	size_t n = 0;

	for (size_t i = 0; i < count; i++)
		if (n && cells[n - 1].time == cells[i].time)
			cells[n - 1].weight += cells[i].weight;
		else
			cells[n++] = cells[i];
	return n;
}

/* Rounds times and sums equal cells; those of a series lie together. */
static void sum_cells(struct fl_times *times)
{
	/* FLAME_NOTIME stays as it is. */
	const int64_t rounding = (int64_t)-(UINT64_C(1) << times->shift);
	struct fl_cell *cells = times->cells;
	size_t n = 0;

	for (size_t i = 0; i < times->count;) {
		const uint32_t series = cells[i].series;
		const size_t begin = n;
		bool sorted = true;

		for (; i < times->count && cells[i].series == series; i++) {
			struct fl_cell cell = cells[i];

			cell.time &= rounding;
			if (n > begin && cells[n - 1].time >= cell.time) {
				if (cells[n - 1].time == cell.time) {
					cells[n - 1].weight += cell.weight;
					continue;
				}
				sorted = false;
			}
			cells[n++] = cell;
		}
		if (!sorted) {
			fl_sort_nearly(cells + begin, n - begin, sizeof(*cells),
				       by_time);
			n = begin + sum_sorted(cells + begin, n - begin);
		}
		times->series[series].last = (uint32_t)n;
	}
	times->count = times->ngrouped = n;
}

static bool is_grouped(const struct fl_times *times)
{
	for (size_t i = FL_MAX(times->ngrouped, (size_t)1); i < times->count;
	     i++)
		if (times->cells[i].series < times->cells[i - 1].series)
			return false;
	return true;
}

static bool make_spare(struct fl_times *times, size_t count)
{
	if (times->spare_capacity >= count)
		return true;
	fl_free(times->spare);
	times->spare_capacity = 0;
	times->spare = fl_alloc(fl_size_mul(count, sizeof(*times->spare)));
	if (times->spare)
		times->spare_capacity = count;
	return times->spare;
}

/* Merges cells into those before them, from the last series on. */
static void merge_cells(struct fl_cell *cells, size_t before,
			const struct fl_cell *after, size_t n)
{
	while (n) {
		const uint32_t series = after[n - 1].series;
		size_t end = before, from = n;

		while (before && cells[before - 1].series > series)
			before--;
		while (from && after[from - 1].series == series)
			from--;
		memmove(cells + before + n, cells + before,
			(end - before) * sizeof(*cells));
		memcpy(cells + before + from, after + from,
		       (n - from) * sizeof(*cells));
		n = from;
	}
}

/*
 * Puts cells in the order of series, with the order within a series
 * unchanged.  Only those since the last time are out of order: they alone need
 * a second array.
 */
static bool group_cells(struct fl_times *times)
{
	const size_t n = times->count - times->ngrouped;
	uint32_t *begin = fl_zeroed(times->nseries + 2, sizeof(*begin));
	struct fl_cell *from = times->cells + times->ngrouped;

	if (!begin || !make_spare(times, n)) {
		fl_free(begin);
		return false;
	}
	for (size_t i = 0; i < n; i++)
		begin[from[i].series + 1]++;
	for (size_t i = 0; i < times->nseries; i++)
		begin[i + 1] += begin[i];
	for (size_t i = 0; i < n; i++)
		times->spare[begin[from[i].series]++] = from[i];
	fl_free(begin);
	merge_cells(times->cells, times->ngrouped, times->spare, n);
	return true;
}

static uint64_t count_buckets(const struct fl_times *times)
{
	return times->first > times->last ? 0 :
	       (((uint64_t)times->last - (uint64_t)times->first) >>
		times->shift) + 1;
}

/* More cells, and a wider span, change the answer one way only. */
static bool is_bounded(const struct fl_times *times)
{
	uint64_t buckets = count_buckets(times);

	if (!times->shift)
		return times->count <= times->max_exact;
	if (buckets > FL_MAX_BUCKETS || times->count > FL_MAX_PAGE_SAMPLES)
		return false;
	return times->count <= times->max_cells || buckets <= FL_MIN_BUCKETS;
}

static void widen(struct fl_times *times)
{
	do
		times->shift++;
	while (count_buckets(times) > FL_MAX_BUCKETS);
	sum_cells(times);
}

/* Cells in the order of series, and within each in that of time. */
static bool sort_cells(struct fl_times *times)
{
	if (!is_grouped(times) && !group_cells(times))
		return false;
	sum_cells(times);
	return true;
}

/* When cells are to be counted next. */
static size_t next_check(const struct fl_times *times)
{
	size_t limit = FL_MAX(times->shift ? times->max_cells :
					     times->max_exact, times->count);

	return limit + limit / 2;
}

/* The least shift for cells that will come; as it is: they may be few. */
static unsigned expected_shift(const struct fl_times *times,
			       const struct fl_expected *expected)
{
	struct fl_times then = *times;

	if (!times->shift && expected->cells[0] <= times->max_exact)
		return 0;
	add_span(&then, expected->first, expected->last);
	for (then.shift += !then.shift; then.shift < LAST_SHIFT; then.shift++) {
		then.count = expected->cells[then.shift];
		if (is_bounded(&then))
			return then.shift;
	}
	return times->shift;
}

void fl_times_expect(struct fl_times *times, const struct fl_expected *expected)
{
	unsigned shift = times->shift;

	times->shift = expected_shift(times, expected);
	if (times->shift == shift)
		return;
	if (times->count && !sort_cells(times))
		times->shift = shift;
	times->check_at = next_check(times);
}

bool fl_times_finish(struct fl_times *times, bool *fit)
{
	if (!sort_cells(times))
		return false;
	*fit = true;
	while (!is_bounded(times) && times->first <= times->last) {
		if (times->shift == LAST_SHIFT) {
			*fit = false;
			break;
		}
		widen(times);
	}
	times->check_at = next_check(times);
	return true;
}

bool fl_times_drop(struct fl_times *times)
{
	for (size_t i = 0; i < times->count; i++)
		times->cells[i].time = FLAME_NOTIME;
	times->first = INT64_MAX;
	times->last = INT64_MIN;
	return sort_cells(times);
}
