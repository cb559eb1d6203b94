/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The second pass over a chunk's events, for times (fl_jfr_begin_timed and
 * fl_jfr_next_timed, for emit.c).  The first pass (event.c) has summed events
 * without times and threads, so that it is known which are asked for.  These
 * are read again: a sum for each stack and thread, and a small record for each
 * event.  Records become runs of times (flow/runs.h) for one part of the chunk
 * after the other, so that memory does not grow with events.
 */
#include "fl.h"

#include "format/jfr/framing.h"
#include "format/jfr/samples.h"
#include "format/jfr/timed.h"

#include <stdlib.h>

static void free_timed(struct fl_jfr_timed *timed)
{
	for (uint32_t i = 0; i < timed->nstates; i++)
		fl_map_free(&timed->states[i].others);
	fl_free(timed->states);
	fl_free(timed->records);
	fl_free(timed->weights);
	fl_free(timed->parts);
	fl_free(timed->end);
	fl_jfr_free_timed_layouts(timed);
	fl_free(timed);
}

static bool add_state(struct fl_jfr_states *states, uint64_t state)
{
	if (state < 128)
		states->small[state / 64] |= UINT64_C(1) << state % 64;
	return state < 128 || fl_map_put(&states->others, state, NULL);
}

static bool has_any_state(const struct fl_jfr_states *states)
{
	return states->small[0] || states->small[1] || states->others.count;
}

/* Removes sums that are made anew; the others keep their order. */
static bool drop_sums(struct fl_jfr_chunk *chunk, struct fl_jfr_timed *timed,
		      const bool *asked)
{
	struct fl_jfr_events *events = chunk->events;
	size_t n = 0;

	if (!events->detailed) {
		if (!fl_grow(&events->details, &events->details_capacity,
			     events->nsums, sizeof(*events->details)))
			return false;
		for (size_t i = 0; i < events->nsums; i++)
			events->details[i] = (struct fl_jfr_detail){
				.first = INT64_MAX, .last = INT64_MIN };
		events->detailed = true;
	}
	for (size_t i = 0; i < chunk->traces->count; i++)
		chunk->traces->data[i].first = 0;
	for (size_t i = 0; i < events->nsums; i++) {
		struct fl_jfr_sum *sum = &events->sums[n];
		struct fl_jfr_trace *trace;

		if (asked[i])
			continue;
		*sum = events->sums[i];
		events->details[n++] = events->details[i];
		trace = &chunk->traces->data[sum->trace];
		sum->next = trace->first;
		trace->first = (uint32_t)n;
	}
	events->nsums = timed->nkept = n;
	fl_index_free(&events->index);
	events->nindexed = 0;
	return true;
}

/* The classes whose events are read again get readers of their own. */
static bool make_readers(struct fl_jfr_chunk *chunk, struct fl_jfr_timed *timed)
{
	uint32_t n = timed->nstates;
	struct fl_jfr_states *states = fl_zeroed(FL_MAX(n, 1), sizeof(*states));

	if (!states)
		return false;
	timed->first_reader = n;
	for (uint32_t i = 0; i < n; i++) {
		struct fl_jfr_reader *c = chunk->readers->data[i];
		uint32_t count = chunk->readers->count;

		c->class->reader = NULL;
		if (has_any_state(&timed->states[i]) &&
		    !fl_jfr_read_again(chunk, c)) {
			fl_free(states);
			return false;
		}
		if (chunk->readers->count > count)
			states[count - n] = timed->states[i];
	}
	fl_free(timed->states);
	timed->states = states;
	return true;
}

/* Counts the events of a sum that is asked for. */
static void count_asked(struct fl_jfr_chunk *chunk, struct fl_jfr_timed *timed,
			const struct fl_jfr_sum *sum)
{
	const struct fl_jfr_trace *trace = &chunk->traces->data[sum->trace];
	const struct fl_jfr_kind *kind = fl_jfr_kind_of(chunk, sum);

	timed->nasked += (uint64_t)sum->samples;
	if ((!trace->at && !trace->made) || !kind || kind->stateless)
		timed->nlost += (uint64_t)sum->samples;
}

static bool init(struct fl_jfr_chunk *chunk, struct fl_jfr_timed *timed,
		 const bool *asked)
{
	struct fl_jfr_events *events = chunk->events;

	timed->states = fl_zeroed(FL_MAX(chunk->readers->count, 1),
				  sizeof(*timed->states));
	if (!timed->states)
		return false;
	timed->nstates = chunk->readers->count;
	for (size_t i = 0; i < events->nsums; i++) {
		if (!asked[i])
			continue;
		count_asked(chunk, timed, &events->sums[i]);
		if (!add_state(&timed->states[events->sums[i].reader],
			       events->sums[i].state))
			return false;
	}
	return drop_sums(chunk, timed, asked) && make_readers(chunk, timed) &&
	       fl_jfr_begin_timed_layouts(chunk, timed);
}

/* Events ------------------------------------------------------------------ */

static bool add_weight(struct fl_jfr_timed *timed, size_t sum, int64_t time,
		       struct fl_jfr_weight weight)
{
	if (weight.samples == 1 && !weight.value)
		return fl_jfr_add_record(timed, sum, time, 1);
	if (!fl_grow(&timed->weights, &timed->weights_capacity,
		     timed->nweights + 1, sizeof(*timed->weights)))
		return false;
	timed->weights[timed->nweights] = weight;
	return fl_jfr_add_record(timed, sum, time,
				 FL_JFR_WEIGHED | (uint32_t)timed->nweights++);
}

/* Reads an event's fields; false: out of memory. */
static bool read_event(struct fl_jfr_chunk *chunk, struct fl_jfr_timed *timed,
		       struct fl_jfr_reader *c, struct fl_wire w,
		       const uint8_t *end)
{
	struct fl_jfr_weight weight;
	size_t sum;

	fl_jfr_read_fields(c, &w);
	if (fl_unlikely(w.bad || w.at > end) ||
	    !fl_jfr_has_state(&timed->states[c->number - timed->first_reader],
		       c->values[FL_JFR_STATE]) ||
	    !fl_jfr_weigh(chunk, c, &weight))
		return true;
	sum = fl_jfr_add_event(chunk, c, weight, false);
	timed->mixed = true;
	return sum != SIZE_MAX &&
	       (!c->has[FL_JFR_TIME] ||
		add_weight(timed, sum,
			   fl_jfr_ns(chunk, (int64_t)c->values[FL_JFR_TIME]),
			   weight));
}

/* Events up to the range's end, or as many as a part has. */
static bool read_range(struct fl_jfr_chunk *chunk, struct fl_jfr_timed *timed,
		       const uint8_t *to, bool resized)
{
	struct fl_wire w = fl_jfr_wire(chunk, timed->at - chunk->at);

	while (w.at < to && !fl_jfr_part_is_full(timed)) {
		struct fl_jfr_class *class = NULL;
		struct fl_jfr_head head;
		const uint8_t *end;

		if (!resized)
			w.at = fl_jfr_read_timed_layouts(chunk, timed, w.at,
							 to);
		fl_jfr_pass(chunk, w.at);
		if (w.at >= to || fl_jfr_part_is_full(timed))
			break;
		if (!fl_jfr_read_head(&w, to, &head) && !resized) {
			w.at = to;
			break;
		}
		end = resized ? to : head.begin + head.size;
		if (head.type > 1)
			class = fl_jfr_class_by_id(chunk, head.type);
		if (class && class->reader && !timed->count &&
		    !read_event(chunk, timed, class->reader, w, end))
			return false;
		w.at = end;
	}
	timed->at = w.at;
	return true;
}

/* The next range, with its end; false: there is none. */
static bool find_range(struct fl_jfr_chunk *chunk, struct fl_jfr_timed *timed,
		       const uint8_t **to, bool *resized)
{
	const struct fl_jfr_framing *framing = chunk->framing;
	const struct fl_jfr_range *range;

	*resized = false;
	if (!framing->done) {
		*to = chunk->at + chunk->size;
		if (!timed->at)
			timed->at = fl_jfr_wire(chunk, FL_JFR_HEADER).at;
		return timed->at < *to;
	}
	for (; timed->range < framing->nranges; timed->range++) {
		range = &framing->ranges[timed->range];
		*to = chunk->at + range->to;
		*resized = range->resized;
		if (!timed->at)
			timed->at = chunk->at + range->from;
		if (timed->at < *to)
			return true;
		timed->at = NULL;
	}
	return false;
}

/* Counting ------------------------------------------------------------- */

/*
 * Whether the sink should hear what will come: each short event that is asked
 * for becomes a sample of it with its thread, but those that are lost.
 */
static bool may_expect(const struct fl_jfr_chunk *chunk,
		       const struct fl_jfr_timed *timed)
{
	const struct fl_select *select = &chunk->jfr->source->select;

	return select->expects && (select->needs & FL_NEED_THREAD) &&
	       !select->thread && !select->state && !select->time_shift &&
	       (!select->choose || chunk->asked.cpu_only) &&
	       !fl_jfr_options(chunk->jfr)->total && !chunk->damage.why &&
	       timed->nasked > timed->nlost + FL_JFR_MIN_COUNTED;
}

/*
 * Buckets as fine as a page may have them at all.  That decides what is counted
 * well, not whether it is true.
 */
static unsigned finest_shift(const struct fl_jfr_chunk *chunk)
{
	enum { MAX_BUCKETS = 2048, MAX_SHIFT = 40 };
	unsigned shift = 1;

	while (shift < MAX_SHIFT &&
	       chunk->header.duration_ns >> shift >= MAX_BUCKETS)
		shift++;
	return shift;
}

/*
 * Ticks that are shorter than 1 ns may be the same time.  At worst, each event
 * that is lost was one that differs.
 */
static void report_count(struct fl_jfr_chunk *chunk,
			 const struct fl_jfr_timed *timed)
{
	struct fl_select *select = &chunk->jfr->source->select;
	const struct fl_jfr_count *count = timed->count;
	struct fl_expected expected = { .first = count->first };
	uint64_t n = 0, last = 0;

	for (size_t i = 0; i < FL_COUNT(count->latest); i++)
		last = FL_MAX(last, count->latest[i].written);
	expected.last = fl_jfr_written_ns(chunk, timed, last);
	for (unsigned bit = 64; bit--;) {
		n += count->differ[bit];
		if (!bit && chunk->header.ticks_per_second <= 1000000000)
			n = FL_MAX(n, count->later);
		expected.cells[bit] = n - FL_MIN(n, timed->nlost);
	}
	select->time_shift = select->expects->expect(select->expects,
						     &expected);
}

/*
 * Where events are too many for exact times, the first parts would be read
 * exactly in vain, and others too finely, until the sink has too many cells.
 * Counting them first costs less.  false: out of memory.
 */
static bool expect(struct fl_jfr_chunk *chunk, struct fl_jfr_timed *timed)
{
	const uint8_t *to;
	bool resized;

	if (!timed->open || !may_expect(chunk, timed))
		return true;
	timed->count = fl_zeroed(1, sizeof(*timed->count));
	if (!timed->count)
		return false;
	timed->rounding = (int64_t)-(UINT64_C(1) << finest_shift(chunk));
	timed->count->first = INT64_MAX;
	for (size_t i = 0; i < FL_COUNT(timed->count->latest); i++)
		timed->count->latest[i].time = INT64_MIN;
	while (find_range(chunk, timed, &to, &resized))
		read_range(chunk, timed, to, resized);
	if (timed->count->first != INT64_MAX)
		report_count(chunk, timed);
	fl_free(timed->count);
	timed->count = NULL;
	timed->range = 0;
	timed->at = NULL;
	return true;
}

bool fl_jfr_begin_timed(struct fl_jfr_chunk *chunk, const bool *asked)
{
	struct fl_jfr_timed *timed = fl_zeroed(1, sizeof(*timed));

	chunk->events->timed = timed;
	chunk->events->free_timed = free_timed;
	if (!timed || !init(chunk, timed, asked) || !expect(chunk, timed)) {
		fl_no_memory(chunk->flame);
		return false;
	}
	return true;
}

/* Parts -------------------------------------------------------------------- */

/* Forgets the sums of the part before. */
static void clear_part(struct fl_jfr_chunk *chunk, struct fl_jfr_timed *timed)
{
	struct fl_jfr_events *events = chunk->events;

	/* The last one is the first of its trace. */
	for (size_t i = events->nsums; i-- > timed->nkept;) {
		const struct fl_jfr_sum *sum = &events->sums[i];

		chunk->traces->data[sum->trace].first = sum->next;
	}
	events->nsums = timed->nkept;
	fl_index_free(&events->index);
	events->nindexed = 0;
	timed->nrecords = timed->nweights = 0;
	timed->mixed = false;
}

/* A counting sort of records by their sums. */
static bool group_records(struct fl_jfr_chunk *chunk,
			  struct fl_jfr_timed *timed)
{
	size_t nsums = chunk->events->nsums - timed->nkept;
	uint32_t at = 0;

	if (!fl_grow(&timed->parts, &timed->parts_capacity,
		     timed->nrecords + 1, sizeof(*timed->parts)) ||
	    !fl_grow(&timed->end, &timed->end_capacity, nsums + 1,
		     sizeof(*timed->end)))
		return false;
	memset(timed->end, 0, (nsums + 1) * sizeof(*timed->end));
	for (size_t i = 0; i < timed->nrecords; i++)
		timed->end[timed->records[i].sum]++;
	for (size_t i = 0; i < nsums; i++) {
		uint32_t n = timed->end[i];

		timed->end[i] = at;
		at += n;
	}
	for (size_t i = 0; i < timed->nrecords; i++) {
		const struct fl_jfr_record *record = &timed->records[i];

		timed->parts[timed->end[record->sum]++] = (struct fl_run_part){
			record->time, record->amount };
	}
	return true;
}

bool fl_jfr_next_timed(struct fl_jfr_chunk *chunk, size_t *first)
{
	struct fl_jfr_timed *timed = chunk->events->timed;
	const uint8_t *to;
	bool resized, good = true;

	if (!timed)
		return false;
	clear_part(chunk, timed);
	timed->rounding = (int64_t)-(UINT64_C(1) <<
		chunk->jfr->source->select.time_shift);
	timed->bucket.width = 0;
	*first = timed->nkept;
	while (good && !fl_jfr_part_is_full(timed) &&
	       find_range(chunk, timed, &to, &resized))
		good = read_range(chunk, timed, to, resized);
	if (!good || !fl_jfr_close_buckets(chunk, timed) ||
	    !group_records(chunk, timed)) {
		fl_no_memory(chunk->flame);
		return false;
	}
	return chunk->events->nsums > timed->nkept;
}

/* What a record adds to the run of a sum, in samples or in values. */
static int64_t amount_of(const struct fl_jfr_hit *hit,
			 const struct fl_jfr_reader *c, uint32_t amount)
{
	struct fl_jfr_weight w = { .samples = amount };

	if (amount & FL_JFR_WEIGHED)
		w = hit->chunk->events->timed->weights[amount &
						       ~FL_JFR_WEIGHED];
	return hit->kind->total ?
	       fl_jfr_amount(hit->chunk, c, hit->kind->unit, w.value,
			     w.value ? 0 : w.samples) : w.samples;
}

int64_t fl_jfr_run_of(const struct fl_jfr_hit *hit, int64_t sum_weight)
{
	struct fl_jfr_chunk *chunk = hit->chunk;
	struct fl_jfr_timed *timed = chunk->events->timed;
	size_t sum = (size_t)(hit->timed - chunk->events->sums) - timed->nkept;
	const struct fl_jfr_reader *c = chunk->readers->data[hit->timed->reader];
	uint32_t begin = sum ? timed->end[sum - 1] : 0;
	bool plain = fl_jfr_is_timed_plain(chunk, c);
	int64_t run;

	for (uint32_t i = begin; i < timed->end[sum] &&
				 (hit->kind->total || !plain); i++)
		timed->parts[i].weight = amount_of(
			hit, c, (uint32_t)timed->parts[i].weight);
	run = fl_runs_use(chunk->flame, timed->parts + begin,
			  timed->end[sum] - begin, sum_weight);
	if (run != FLAME_NOTIME && plain)
		fl_runs_set_span(chunk->flame, hit->time, hit->last);
	return run;
}
