/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a page keeps of single samples: their times, threads and labels.
 */
#include "fl.h"

#include "flow/runs.h"
#include "format/formats.h"
#include "said.h"
#include "tree/samples.h"

#include <stdio.h>

static struct fl_buf page;

static void close_page(void)
{
	fl_buf_free(&page);
	stop();
}

TestSuite(samples, .init = start, .fini = close_page);

static struct flame_sink *begin(void)
{
	return fl_format_html_write.create(flame, fl_out_memory(flame, &page));
}

static flame_id stack_of(unsigned i)
{
	char name[16];

	snprintf(name, sizeof(name), "f%u", i);
	return flame_stack(flame, 0, fl_frame(flame, fl_name(flame, name),
					      FLAME_UNKNOWN));
}

static flame_id thread_of(unsigned i)
{
	char name[16];

	snprintf(name, sizeof(name), "t%u", i);
	return fl_thread(flame, (struct slice){ name, strlen(name) }, i);
}

static void put(struct flame_sink *sink, flame_id stack, flame_id thread,
		int64_t time)
{
	struct flame_sample s = { .stack = stack, .thread = thread,
				  .time = time, .weight = 1 };

	cr_assert_eq(flame_put(sink, &s), FLAME_OK);
}

static const int64_t S = 1000000000, T0 = INT64_C(1700000000) * 1000000000;

static void write_some(unsigned seed)
{
	struct flame_sink *sink = begin();

	/* In another order each time. */
	for (unsigned k = 0; k < 1009; k++) {
		unsigned i = (k * seed) % 1009;

		put(sink, stack_of(i % 7), thread_of(i % 5),
		    T0 + (int64_t)i * S / 20);
	}
	cr_assert_eq(flame_finish(sink), FLAME_OK);
}

static struct flame_source *reopen(void)
{
	return flame_open_memory(flame, page.data, page.size, "x.html", NULL);
}

Test(samples, come_back_from_the_page)
{
	struct flame_source *source;
	struct flame_sample s;
	unsigned n = 0;

	write_some(1);
	source = reopen();
	cr_assert(source);
	while (flame_next(source, &s) == FLAME_OK) {
		unsigned i = (unsigned)((s.time - T0 + S / 40) / (S / 20));

		n++;
		cr_assert_eq(s.weight, 1);
		cr_assert_eq(s.time, T0 + (int64_t)i * S / 20);
		cr_assert_eq(s.stack, stack_of(i % 7));
		cr_assert_eq(s.thread, thread_of(i % 5));
	}
	cr_assert_eq(n, 1009);
	cr_assert_eq(source->start, T0);
	cr_assert_eq(source->end, T0 + 1008 * S / 20);
	flame_close(source);
}

Test(samples, their_order_does_not_show)
{
	struct fl_buf first;

	write_some(1);
	first = page;
	page = (struct fl_buf){ 0 };
	write_some(77);
	cr_assert_eq(page.size, first.size);
	cr_assert_eq(memcmp(page.data, first.data, page.size), 0);
	fl_buf_free(&first);
}

Test(samples, of_one_thread_and_no_time_are_not_kept)
{
	size_t size[2];

	for (unsigned k = 0; k < 2; k++) {
		struct flame_sink *sink = begin();

		if (k)
			cr_assert_eq(flame_set(sink, "no-time", NULL),
				     FLAME_OK);
		for (unsigned i = 0; i < 100; i++)
			put(sink, stack_of(i % 9), thread_of(1), FLAME_NOTIME);
		cr_assert_eq(flame_finish(sink), FLAME_OK);
		size[k] = page.size;
		fl_buf_free(&page);
	}
	cr_assert_eq(size[0], size[1]);
}

/* How many samples come back, how many of them with a time or a thread. */
static void count(unsigned *n, unsigned *timed, unsigned *threads)
{
	struct flame_source *source = reopen();
	struct flame_sample s;
	int64_t sum = 0;

	*n = *timed = *threads = 0;
	while (flame_next(source, &s) == FLAME_OK) {
		++*n;
		sum += s.weight;
		*timed += s.time != FLAME_NOTIME;
		*threads += s.thread != 0;
	}
	cr_assert_eq(sum, FL_MAX_PAGE_SAMPLES + 1);
	flame_close(source);
}

/* Ticks of a page whose times go from 0 to span: a power of two, in ns. */
static unsigned shift_of(int64_t span)
{
	unsigned shift = 0;

	while (span / (INT64_C(1) << shift) >= FL_MAX_BUCKETS)
		shift++;
	return shift;
}

enum { MANY = FL_MAX_EXACT_SAMPLES + 50021, STACKS = 3 };

/* The first are at the end of the span, or all jump about in it. */
static void write_many(unsigned n, unsigned step)
{
	struct flame_sink *sink = begin();

	for (unsigned i = 0; i < STACKS; i++)
		stack_of(i);
	for (unsigned k = 0; k < n; k++) {
		unsigned i = (unsigned)((uint64_t)k * step % n);

		put(sink, stack_of(i % STACKS), i % 2 ? thread_of(1) : 0,
		    T0 + (int64_t)i * S / 1000);
	}
	cr_assert_eq(flame_finish(sink), FLAME_OK);
	cr_assert_eq(said.size, 0);
}

/* As many by bucket, stack and thread as in a plain count. */
Test(samples, too_many_for_exact_times_have_those_of_buckets)
{
	static int64_t sums[FL_MAX_BUCKETS + 1][STACKS][2];
	unsigned shift = shift_of((int64_t)(MANY - 1) * S / 1000);
	int64_t first = T0 >> shift;
	struct flame_source *source;
	struct flame_sample s;

	write_many(MANY, 1);
	for (unsigned i = 0; i < MANY; i++)
		sums[((T0 + (int64_t)i * S / 1000) >> shift) - first]
		    [i % STACKS][i % 2]++;
	source = reopen();
	while (flame_next(source, &s) == FLAME_OK) {
		unsigned stack = 0;
		int64_t *sum;

		while (s.stack != stack_of(stack))
			stack++;
		cr_assert_eq(s.time & ((INT64_C(1) << shift) - 1), 0);
		sum = &sums[(s.time >> shift) - first][stack][s.thread != 0];
		cr_assert(*sum);
		cr_assert_eq(*sum, s.weight);
		*sum = 0;
	}
	flame_close(source);
	for (unsigned i = 0; i <= FL_MAX_BUCKETS; i++)
		for (unsigned k = 0; k < 2 * STACKS; k++)
			cr_assert_eq(sums[i][k / 2][k % 2], 0);
}

Test(samples, their_order_does_not_show_in_buckets)
{
	static const unsigned steps[] = { 77, MANY - 1 };
	struct fl_buf first;

	write_many(MANY, 1);
	first = page;
	page = (struct fl_buf){ 0 };
	for (unsigned i = 0; i < FL_COUNT(steps); i++) {
		write_many(MANY, steps[i]);
		cr_assert_eq(page.size, first.size);
		cr_assert_eq(memcmp(page.data, first.data, page.size), 0);
		fl_buf_free(&page);
	}
	fl_buf_free(&first);
}

Test(samples, are_exact_as_long_as_they_are_few)
{
	struct flame_source *source;
	struct flame_sample s;
	unsigned n = 0;

	write_many(FL_MAX_EXACT_SAMPLES, 7);
	source = reopen();
	for (; flame_next(source, &s) == FLAME_OK; n++)
		cr_assert_eq((s.time - T0) % (S / 1000), 0);
	cr_assert_eq(n, FL_MAX_EXACT_SAMPLES);
	flame_close(source);
}

static void put_twice(struct flame_sink *sink, const struct flame_sample *s)
{
	put(sink, s->stack, s->thread, s->time);
	put(sink, s->stack, s->thread, s->time);
}

/*
 * One by one; in runs; in runs of times that are as coarse as the page's; so
 * from the first one on, as they were announced.
 */
enum manner { SINGLE, RUNS, ROUNDED, EXPECTED, MANNERS };

/* Twice each of n times, in which some are equal. */
static void put_times(struct flame_sink *sink, const struct flame_source *from,
		      enum manner manner, unsigned begin, unsigned n)
{
	struct flame_sample s = { .stack = stack_of(n % STACKS),
				  .thread = thread_of(n % 7), .weight = 2 };
	int64_t first = T0 + (int64_t)begin * S / 100;
	int64_t last = T0 + (int64_t)(begin + (n - 1) / 2) * S / 100;
	unsigned shift = manner >= ROUNDED ? from->select.time_shift : 0;

	for (unsigned i = n; i--;) {
		s.time = T0 + (int64_t)(begin + i / 2) * S / 100;
		if (manner == SINGLE)
			put_twice(sink, &s);
		else
			cr_assert(fl_runs_add(flame, s.time >> shift << shift,
					      2));
	}
	if (manner == SINGLE)
		return;
	s.weight = 2 * (int64_t)n;
	s.time = fl_runs_end(flame, s.weight);
	cr_assert_neq(s.time, FLAME_NOTIME);
	if (shift)
		fl_runs_set_span(flame, first, last);
	cr_assert_eq(flame_put(sink, &s), FLAME_OK);
	fl_runs_clear(flame);
}

/* A bucket has no more times than its size by their distance, and one. */
static unsigned announce(struct flame_sink *sink, unsigned times, int64_t last)
{
	struct fl_expected expected = { .first = T0, .last = last };
	const int64_t distance = S / 100;

	for (unsigned shift = 0; shift < FL_COUNT(expected.cells); shift++)
		expected.cells[shift] = times /
			((UINT64_C(1) << shift) / (uint64_t)distance + 1);
	return sink->expect(sink, &expected);
}

Test(samples, come_as_runs_and_give_the_same_page)
{
	struct fl_buf first = { 0 };

	for (enum manner manner = SINGLE; manner < MANNERS; manner++) {
		struct flame_source source = { .flame = flame };
		struct flame_sink *sink = begin();

		unsigned times = 0, last = 0;

		cr_assert_eq(sink->begin(sink, &source), FLAME_OK);
		for (unsigned k = 0, n = 1; k < 5 * MANY;
		     k += n, n = n % 100 + 1) {
			times += (n + 1) / 2;
			last = k + (n - 1) / 2;
		}
		if (manner == EXPECTED) {
			source.select.time_shift = announce(
				sink, times, T0 + (int64_t)last * S / 100);
			cr_assert(source.select.time_shift);
		}
		for (unsigned k = 0, n = 1; k < 5 * MANY;
		     k += n, n = n % 100 + 1)
			put_times(sink, &source, manner, k, n);
		cr_assert(source.select.time_shift);
		cr_assert_eq(flame_finish(sink), FLAME_OK);
		if (manner == SINGLE) {
			first = page;
			page = (struct fl_buf){ 0 };
			continue;
		}
		cr_assert_eq(page.size, first.size);
		cr_assert_eq(memcmp(page.data, first.data, page.size), 0);
		fl_buf_free(&page);
	}
	fl_buf_free(&first);
}

Test(samples, parts_of_a_run_may_be_the_callers)
{
	struct fl_run_part parts[] = {
		{ T0 + 2, 1 }, { T0, 1 }, { T0 + 2, 1 }, { T0 + 1, 1 },
	};
	struct fl_run run;
	int64_t time = fl_runs_use(flame, parts, 4, 5);

	cr_assert(fl_run_find(flame, time, &run));
	cr_assert_eq(run.data, parts);
	cr_assert_eq(run.count, 3);
	for (int i = 0; i < 3; i++)
		cr_assert_eq(run.data[i].time, T0 + i);
	cr_assert_eq(run.data[1].weight, 1);
	cr_assert_eq(run.data[2].weight, 3);
}

Test(samples, rounding_of_a_run_goes_to_its_last_time)
{
	struct fl_run run;
	int64_t time;

	cr_assert(fl_runs_add(flame, T0 + 1, 3));
	cr_assert(fl_runs_add(flame, T0, 3));
	time = fl_runs_end(flame, 7);
	cr_assert(fl_run_find(flame, time, &run));
	cr_assert_eq(run.count, 2);
	cr_assert_eq(run.data[0].time, T0);
	cr_assert_eq(run.data[0].weight, 3);
	cr_assert_eq(run.data[1].weight, 4);
	cr_assert_not(fl_run_find(flame, time + 1, &run));
	cr_assert_not(fl_run_find(flame, FLAME_NOTIME, &run));
	cr_assert_not(fl_run_find(flame, T0, &run));
}

/* More cells than a page has: all the same, in any order. */
Test(samples, too_many_buckets_are_joined)
{
	enum { TIMES = 1100, THREADS = 400, ALL = TIMES * THREADS };
	static const unsigned steps[] = { 1, 79, ALL - 1 };
	struct flame_source *source;
	struct flame_sample s;
	struct fl_buf first = { 0 };
	unsigned n = 0, sum = 0;

	for (unsigned k = 0; k < FL_COUNT(steps); k++) {
		struct flame_sink *sink = begin();

		for (unsigned i = 0; i < THREADS; i++)
			thread_of(i);
		for (unsigned i = 0; i < ALL; i++) {
			unsigned at = (unsigned)((uint64_t)i * steps[k] % ALL);

			put(sink, stack_of(0), thread_of(at % THREADS),
			    T0 + (int64_t)(at / THREADS) * S);
		}
		cr_assert_eq(flame_finish(sink), FLAME_OK);
		if (k) {
			cr_assert_eq(page.size, first.size);
			cr_assert_eq(memcmp(page.data, first.data, page.size),
				     0);
			fl_buf_free(&page);
		} else {
			first = page;
			page = (struct fl_buf){ 0 };
		}
	}
	page = first;
	source = reopen();
	for (; flame_next(source, &s) == FLAME_OK; n++) {
		cr_assert_neq(s.time, FLAME_NOTIME);
		sum += (unsigned)s.weight;
	}
	flame_close(source);
	cr_assert_eq(sum, ALL);
	cr_assert_leq(n, FL_MAX_TIMED_CELLS);
	cr_assert_gt(n, FL_MAX_TIMED_CELLS / 2);
}

/* Before and after 1970, out of order, far apart, and unknown. */
Test(samples, of_any_time_add_up)
{
	static const int64_t times[] = {
		0, -1, INT64_MAX, INT64_MIN + 1, FLAME_NOTIME, 1, -INT64_MAX / 2
	};
	struct flame_sink *sink = begin();
	struct flame_source *source;
	struct flame_sample s;
	int64_t sum = 0;

	for (unsigned i = 0; i < MANY; i++) {
		int64_t time = times[i % FL_COUNT(times)];

		if (time > INT64_MIN + MANY && time < INT64_MAX - MANY)
			time += i;
		put(sink, stack_of(i % STACKS), thread_of(i % 2), time);
	}
	for (unsigned i = 0; i < MANY; i++)
		put(sink, stack_of(0), thread_of(0), -(int64_t)i * S);
	cr_assert_eq(flame_finish(sink), FLAME_OK);
	source = reopen();
	while (flame_next(source, &s) == FLAME_OK)
		sum += s.weight;
	cr_assert_eq(sum, 2 * MANY);
	flame_close(source);
}

Test(samples, beyond_two_million_keep_times_and_threads)
{
	struct flame_sink *sink = begin();
	unsigned n, timed, threads;

	for (unsigned i = 0; i < 3; i++)
		stack_of(i);
	for (unsigned i = 0; i <= FL_MAX_PAGE_SAMPLES; i++)
		put(sink, 1 + i % 3, i % 2 ? thread_of(1) : 0, T0 + i);
	cr_assert_eq(flame_finish(sink), FLAME_OK);
	cr_assert_eq(said.size, 0);
	count(&n, &timed, &threads);
	cr_assert_eq(timed, n);
	cr_assert_eq(threads, n / 2);
	cr_assert(n <= 6 * FL_MAX_BUCKETS);
}

Test(samples, too_many_threads_are_not_told_apart)
{
	struct flame_sink *sink = begin();
	unsigned n, timed, threads;
	flame_id thread[1001];

	for (unsigned i = 0; i < 2001; i++)
		stack_of(i);
	for (unsigned i = 0; i < 1001; i++)
		thread[i] = thread_of(i);
	for (unsigned i = 0; i <= FL_MAX_PAGE_SAMPLES; i++)
		put(sink, 1 + i % 2001, thread[i / 2001], FLAME_NOTIME);
	cr_assert_eq(flame_finish(sink), FLAME_OK);
	cr_assert_str_eq(said.data,
			 "more than 2000000 stacks of threads or "
			 "other labels: the page does not tell them apart\n");
	count(&n, &timed, &threads);
	cr_assert_eq(n, 2001);
	cr_assert_eq(threads, 0);
}

/* The first ones had nothing to say, and are not forgotten for it. */
Test(samples, those_without_a_thread_count_as_well)
{
	struct flame_sink *sink = begin();
	struct flame_source *source;
	struct flame_sample s;
	int64_t with = 0, without = 0;

	for (unsigned i = 0; i < 60; i++)
		put(sink, stack_of(i % 4), i < 50 ? 0 : thread_of(9),
		    i < 55 ? FLAME_NOTIME : T0 + i * S);
	cr_assert_eq(flame_finish(sink), FLAME_OK);
	source = reopen();
	while (flame_next(source, &s) == FLAME_OK)
		*(s.thread ? &with : &without) += s.weight;
	cr_assert_eq(without, 50);
	cr_assert_eq(with, 10);
	flame_close(source);
}

/* A page that says other than its sums is damaged; none is read half. */
Test(samples, that_do_not_add_up_are_refused)
{
	struct flame_source *source;
	struct flame_sample s;
	char *data;

	write_some(1);
	data = strstr(page.data, "id=\"data\">");
	cr_assert(data);
	data = strstr(data, "</script>");
	memmove(data - 40, data, page.size - (size_t)(data - page.data));
	page.size -= 40;
	source = reopen();
	cr_assert_eq(flame_next(source, &s), FLAME_FAILED);
	cr_assert(strstr(flame_error(flame), "cut short or damaged"));
	flame_close(source);
}
