/* SPDX-License-Identifier: Apache-2.0 */
/*
 * jfrconv's --grain N, with which N samples count as one: emit.c calls
 * fl_jfr_coarsen(), which replaces the sums of a chunk by rounded ones.  The
 * rest of each is carried to the next, so the result depends on the order of
 * jfrconv's hash table, which is rebuilt here.
 */
#include "fl.h"

#include "format/jfr/samples.h"

static uint32_t java_hash(const struct fl_jfr_chunk *chunk,
			  const struct fl_jfr_sum *sum, bool threads)
{
	const struct fl_jfr_row *row = chunk->readers->data[sum->reader]->row;
	uint32_t hash = (uint32_t)chunk->traces->data[sum->trace].key;

	if (row && row->leaf)
		hash += (uint32_t)sum->leaf * 127;
	if (row && row->group == FL_JFR_GROUP_ALLOC && sum->outside)
		hash += 17;
	return hash +
	       (threads ?
			(uint32_t)fl_jfr_detail_of(chunk->events, sum).thread *
				31 :
			0);
}

/* Open addressing that doubles when half full; places in table order. */
struct java_table {
	uint32_t *sums;		/* plus one; 0: free */
	uint32_t *after;	/* where to go on, plus one; 0: at the next */
	uint32_t size;
};

static bool java_table_new(struct java_table *table, uint32_t size)
{
	table->size = size;
	table->sums = fl_zeroed(size, sizeof(*table->sums));
	table->after = fl_zeroed(size, sizeof(*table->after));
	return table->sums && table->after;
}

static void java_table_free(struct java_table *table)
{
	fl_free(table->sums);
	fl_free(table->after);
}

static uint32_t java_after(const struct java_table *table, uint32_t i)
{
	return (table->after[i] ? table->after[i] - 1 : i + 1) &
	       (table->size - 1);
}

/*
 * A link skips a path to a free slot once it was walked, so that many sums with
 * one hash stay cheap.
 */
static void java_insert(const struct fl_jfr_chunk *chunk,
			struct java_table *table, uint32_t sum, bool threads)
{
	uint32_t first =
		java_hash(chunk, &chunk->events->sums[sum - 1], threads) &
		(table->size - 1);
	uint32_t place = first;

	while (table->sums[place])
		place = java_after(table, place);
	table->sums[place] = sum;
	while (first != place) {
		uint32_t next = java_after(table, first);

		table->after[first] = place + 1;
		first = next;
	}
}

static bool java_order(const struct fl_jfr_chunk *chunk, bool threads,
		       struct java_table *table)
{
	bool ok = java_table_new(table, 1024);

	for (uint32_t i = 1; ok && i <= chunk->events->nsums; i++) {
		struct java_table wider;

		java_insert(chunk, table, i, threads);
		if (i * 2 <= table->size)
			continue;
		ok = java_table_new(&wider, table->size * 2);
		for (uint32_t j = 0; ok && j < table->size; j++)
			if (table->sums[j])
				java_insert(chunk, &wider, table->sums[j],
					    threads);
		java_table_free(table);
		*table = wider;
	}
	return ok;
}

static bool is_grouped(const struct fl_jfr_chunk *chunk,
		       const struct fl_jfr_sum *a, const struct fl_jfr_sum *b)
{
	const struct fl_jfr_row *x = chunk->readers->data[a->reader]->row;
	const struct fl_jfr_row *y = chunk->readers->data[b->reader]->row;

	return x->group == y->group && a->leaf == b->leaf &&
	       a->outside == b->outside &&
	       fl_jfr_detail_of(chunk->events, a).thread ==
		       fl_jfr_detail_of(chunk->events, b).thread;
}

static uint64_t group_hash(const struct fl_jfr_chunk *chunk,
			   const struct fl_jfr_sum *sum)
{
	return fl_hash_pair(fl_hash_pair(sum->trace, sum->leaf),
			    fl_jfr_detail_of(chunk->events, sum).thread);
}

/* The first sum of its group; NULL: there was none. */
static struct fl_jfr_sum *first_of(const struct fl_jfr_chunk *chunk,
				   const struct fl_index *firsts, uint64_t hash,
				   const struct fl_jfr_sum *sum)
{
	struct fl_jfr_events *events = chunk->events;
	uint32_t at = fl_index_first(firsts, hash), i;

	while ((i = fl_index_next(firsts, hash, &at)))
		if (events->sums[i - 1].trace == sum->trace &&
		    is_grouped(chunk, sum, &events->sums[i - 1]))
			return &events->sums[i - 1];
	return NULL;
}

/*
 * jfrconv's groups are of stack, class and thread alone: sums that differ
 * in state or event are one there, at the place of the first.  What is not
 * selected is in none.
 */
static void merge_groups(struct fl_jfr_chunk *chunk)
{
	struct fl_jfr_events *events = chunk->events;
	struct fl_index firsts = { 0 };
	uint32_t n = 0;

	for (uint32_t i = 0; i < events->nsums; i++) {
		struct fl_jfr_sum *a = &events->sums[i], *oldest;
		const struct fl_jfr_kind *kind = fl_jfr_kind_of(chunk, a);
		uint64_t hash;

		if (!kind || !kind->name) {
			a->samples = 0;
			continue;
		}
		hash = group_hash(chunk, a);
		oldest = first_of(chunk, &firsts, hash, a);
		if (!oldest) {
			if (a->samples && !fl_index_add(&firsts, hash, i + 1))
				fl_no_memory(chunk->flame);
			continue;
		}
		oldest->samples = fl_add_clamped(oldest->samples, a->samples);
		oldest->value = fl_add_clamped(oldest->value, a->value);
		a->samples = 0;
	}
	fl_index_free(&firsts);
	for (uint32_t i = 0; i < events->nsums; i++) {
		if (!events->sums[i].samples)
			continue;
		if (events->detailed)
			events->details[n] = events->details[i];
		events->sums[n++] = events->sums[i];
	}
	events->nsums = n;
}

void fl_jfr_coarsen(struct fl_jfr_chunk *chunk)
{
	struct fl_jfr *jfr = chunk->jfr;
	double grain = fl_jfr_options(jfr)->grain;
	bool threads = jfr->source->select.needs & FL_NEED_THREAD;
	struct java_table order;
	double fraction = 0;

	merge_groups(chunk);
	if (!java_order(chunk, threads, &order)) {
		java_table_free(&order);
		fl_no_memory(jfr->source->flame);
		return;
	}
	for (uint32_t i = 0; i < order.size; i++) {
		struct fl_jfr_sum *sum;
		double share;
		int64_t whole;

		if (!order.sums[i])
			continue;
		sum = &chunk->events->sums[order.sums[i] - 1];
		share = (double)sum->samples / grain;
		whole = fl_int64(share);
		fraction += share - (double)whole;
		if (fraction >= 1.0) {
			fraction -= 1.0;
			whole++;
		}
		sum->value = fl_int64((double)sum->value *
				      ((double)whole / (double)sum->samples));
		sum->samples = whole;
	}
	java_table_free(&order);
}
