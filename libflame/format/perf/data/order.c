/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sorts the records of perf.data by time: data.c adds each (fl_perf_order_add)
 * and fetches those that no earlier one can precede (fl_perf_order_next).  perf
 * record copies the buffers of the CPUs one after the other, so records are in
 * order within each of them only.  After each such round it writes a record
 * (fl_perf_order_round): records after it are not earlier than the latest
 * record of the round before.
 */
#include "fl.h"

#include "base/sort.h"
#include "format/perf/data/data.h"

/* A round is not larger than all buffers; without rounds half is delivered. */
enum { MAX_BYTES = 256 << 20, MAX_WAITING = 4 << 20 };

static int compare(const void *a, const void *b)
{
	uint64_t x = ((const struct fl_perf_waiting *)a)->time;
	uint64_t y = ((const struct fl_perf_waiting *)b)->time;

	return (x > y) - (x < y);
}

/* Makes all records that are not later than the limit ready. */
static void sort(struct fl_perf_order *order, uint64_t limit)
{
	size_t n = order->n;

	fl_sort_nearly(order->data, n, sizeof(*order->data), compare);
	while (n && order->data[n - 1].time > limit)
		n--;
	order->ready = n;
	order->given = 0;
}

void fl_perf_order_round(struct fl_perf_data *d)
{
	struct fl_perf_order *order = &d->order;

	sort(order, order->limit);
	order->limit = order->latest;
}

void fl_perf_order_all(struct fl_perf_data *d)
{
	sort(&d->order, UINT64_MAX);
}

static const uint8_t *store(struct fl_perf_data *d, struct fl_arena *arena,
			   const uint8_t *record)
{
	size_t size = fl_perf_u16(record + 6, d->big);
	const uint8_t *all = d->stable ? d->start : NULL;

	if (all && record >= all && record < d->end)
		return record;
	d->order.bytes += size;
	return (const uint8_t *)fl_arena_copy(arena, (const char *)record,
					      size);
}

void fl_perf_order_add(struct fl_perf_data *d, const uint8_t *record,
		       uint64_t time)
{
	struct fl_perf_order *order = &d->order;
	const uint8_t *stored = store(d, &order->arena, record);

	if (!stored || !fl_grow(&order->data, &order->capacity, order->n + 1,
			      sizeof(*order->data))) {
		fl_no_memory(d->flame);
		return;
	}
	order->data[order->n++] =
		(struct fl_perf_waiting){ .time = time, .record = stored };
	order->latest = FL_MAX(order->latest, time);
	if (order->bytes > MAX_BYTES || order->n >= MAX_WAITING) {
		sort(order, UINT64_MAX);
		order->ready = (order->n + 1) / 2;
	}
}

/* The records that still wait move to memory of their own. */
static void drop_given(struct fl_perf_data *d)
{
	struct fl_perf_order *order = &d->order;
	struct fl_arena arena = { 0 };

	order->bytes = 0;
	order->n -= order->ready;
	memmove(order->data, order->data + order->ready,
		order->n * sizeof(*order->data));
	for (size_t i = 0; i < order->n; i++) {
		order->data[i].record = store(d, &arena, order->data[i].record);
		if (!order->data[i].record) {
			fl_no_memory(d->flame);
			order->n = i;
		}
	}
	fl_arena_free(&order->arena);
	order->arena = arena;
	order->ready = order->given = 0;
}

const uint8_t *fl_perf_order_next(struct fl_perf_data *d)
{
	struct fl_perf_order *order = &d->order;

	if (fl_likely(order->given < order->ready))
		return order->data[order->given++].record;
	if (order->ready)
		drop_given(d);
	return NULL;
}
