/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What was counted, as samples: the metric of each sum, selection by state
 * and thread, names, leaks, and jfrconv's grain.
 */
#include "fl.h"

#include "format/jfr/jfr.h"

#include <stdlib.h>

enum { BATCH = 1 << 10 };	/* samples that are ready at a time */

int fl_jfr_ready(struct fl_jfr *jfr, const struct flame_sample *sample)
{
	if (!fl_grow(&jfr->ready, &jfr->ready_room, jfr->nready + 1,
		     sizeof(*jfr->ready)))
		return fl_no_memory(jfr->source->flame);
	jfr->ready[jfr->nready++] = *sample;
	jfr->given++;
	return FLAME_OK;
}

/* Metrics ----------------------------------------------------------------- */

static bool is_wall(const struct fl_jfr_hit *hit)
{
	if (!hit->async || !hit->state.data || !hit->state.size)
		return false;
	if (fl_slice_is(hit->state, "STATE_DEFAULT"))
		return false;
	return hit->runnable_wall || !fl_slice_is(hit->state,
						  "STATE_RUNNABLE");
}

/* jfrconv: --cpu is STATE_DEFAULT, --wall every other state there is. */
static bool compat_state(const struct fl_select *select,
			 const struct fl_jfr_hit *hit)
{
	bool cpu;

	if (hit->row->group != FL_JFR_GROUP_EXEC)
		return true;
	if (select->state)
		return hit->state.data &&
		       fl_state_listed(select->state, hit->state);
	cpu = strcmp(select->event, "cpu") == 0;
	if (!cpu && strcmp(select->event, "wall") != 0)
		return true;
	return hit->state.data && hit->state.size &&
	       fl_slice_is(hit->state, "STATE_DEFAULT") == cpu;
}

/* The metric's name, in text that stays; NULL: not of those asked for. */
static const char *metric_of(struct flame *flame, const struct fl_jfr *jfr,
			     const struct fl_jfr_hit *hit)
{
	const struct fl_select *select = &jfr->source->select;

	if (fl_jfr_options(jfr)->compat && select->event && !hit->raw) {
		if (!hit->row || !fl_jfr_row_asked(jfr, hit->row) ||
		    !compat_state(select, hit))
			return NULL;
		return select->event;
	}
	if (hit->raw || !hit->row)
		return flame_name_text(
			flame,
			flame_name(flame, hit->event.data, hit->event.size),
			NULL);
	if (strcmp(hit->row->metric, "cpu") == 0)
		return is_wall(hit) ? "wall" : "cpu";
	if (hit->with_tlab && strcmp(hit->row->event,
				     "jdk.ObjectAllocationSample") == 0)
		return "alloc-sample";
	if (strcmp(hit->row->metric, "old-objects") == 0)
		return "live";
	return hit->row->metric;
}

static bool is_asked(const struct fl_jfr *jfr, bool cpu_only,
		     const struct fl_jfr_hit *hit, const char *metric)
{
	const struct fl_select *select = &jfr->source->select;

	if (cpu_only)
		return strcmp(metric, "cpu") == 0;
	if (fl_jfr_options(jfr)->compat || !select->event || hit->raw)
		return true;
	return strcmp(select->event, metric) == 0;
}

static void tally(struct fl_jfr *jfr, flame_id metric,
		  const struct fl_jfr_hit *hit)
{
	struct flame *flame = jfr->source->flame;
	struct flame_metric *m = &flame->metrics[metric];
	bool fresh;

	m->samples += hit->samples;
	/* What cannot be added up is damage; the tree says so. */
	m->total = (int64_t)((uint64_t)m->total + (uint64_t)
			     (hit->unit ? hit->value : hit->samples));
	if (!hit->has_stack)
		m->no_stack += hit->samples;
	if (hit->time != FLAME_NOTIME) {
		int64_t last = hit->last == FLAME_NOTIME ? hit->time :
							   hit->last;

		if (m->first == FLAME_NOTIME || hit->time < m->first)
			m->first = hit->time;
		if (m->last == FLAME_NOTIME || last > m->last)
			m->last = last;
	}
	if (!hit->thread)
		return;
	if (!fl_map_put(&jfr->survey, (uint64_t)metric << 32 | hit->thread,
			&fresh))
		fl_no_memory(flame);
	else if (fresh)
		m->threads++;
}

static bool is_selected(struct fl_jfr *jfr, const struct fl_jfr_hit *hit)
{
	struct flame *flame = jfr->source->flame;
	const struct fl_select *select = &jfr->source->select;

	if (select->thread) {
		struct slice name = fl_name_at(flame,
			flame_label_get(flame, hit->thread,
					fl_name(flame, "thread")));

		if (!fl_regex_match(select->thread, name.data, name.size))
			return false;
	}
	return !select->state || fl_jfr_options(jfr)->compat ||
	       (hit->state.data && fl_state_listed(select->state, hit->state));
}

static bool weighs_total(const struct fl_jfr *jfr,
			 const struct fl_jfr_hit *hit)
{
	const struct fl_jfr_options *options = fl_jfr_options(jfr);

	return options->total && hit->unit &&
	       !(options->compat && hit->row &&
		 hit->row->group == FL_JFR_GROUP_EXEC);
}

/* Equal kinds of hits come one after another: of each, it is asked once. */
static int decide(struct fl_jfr *jfr, const struct fl_jfr_hit *hit)
{
	struct flame *flame = jfr->source->flame;
	const struct fl_select *select = &jfr->source->select;
	struct fl_jfr_answer *answer = &jfr->answer;
	struct fl_jfr_kind kind;

	if (hit->again && answer->known && answer->cpu_only == select->cpu_only)
		return FLAME_OK;
	memset(&kind, 0, sizeof(kind));
	kind.event = hit->event.data;
	kind.state = hit->state.data;
	kind.state_size = hit->state.size;
	kind.unit = hit->unit;
	kind.row = hit->row;
	kind.async = hit->async;
	kind.runnable_wall = hit->runnable_wall;
	kind.with_tlab = hit->with_tlab;
	kind.raw = hit->raw;
	if (memcmp(&kind, &answer->kind, sizeof(kind)) == 0 && answer->known &&
	    answer->cpu_only == select->cpu_only)
		return FLAME_OK;
	answer->name = metric_of(flame, jfr, hit);
	answer->metric = !answer->name ? 0 :
		fl_metric(flame, answer->name,
			  hit->unit ? hit->unit : "samples",
			  weighs_total(jfr, hit) ? hit->unit : "samples");
	if (answer->name && !answer->metric)
		return FLAME_FAILED;
	answer->cpu_only = select->cpu_only;
	answer->asked = answer->name && is_asked(jfr, select->cpu_only, hit,
						 answer->name);
	memcpy(&answer->kind, &kind, sizeof(kind));
	answer->known = true;
	return FLAME_OK;
}

static void count_bare(struct fl_jfr *jfr, const struct fl_jfr_hit *hit)
{
	struct fl_jfr_bare *bare = strcmp(jfr->answer.name, "cpu") == 0 ?
				   &jfr->cpu : &jfr->others;

	bare->samples += hit->samples;
	bare->unresolved += hit->unresolved ? hit->samples : 0;
}

int fl_jfr_give(struct fl_jfr *jfr, const struct fl_jfr_hit *hit)
{
	struct flame *flame = jfr->source->flame;
	struct fl_select *select = &jfr->source->select;
	struct flame_sample sample = { .time = FLAME_NOTIME };
	flame_id metric;

	if (decide(jfr, hit) != FLAME_OK)
		return FLAME_FAILED;
	metric = jfr->answer.metric;
	if (!jfr->answer.name)
		return FLAME_OK;
	tally(jfr, metric, hit);
	if (!jfr->answer.asked || !is_selected(jfr, hit))
		return FLAME_OK;
	if (!hit->has_stack) {
		count_bare(jfr, hit);
		return FLAME_OK;
	}
	sample.stack = hit->stack;
	if (hit->trace && fl_jfr_stack(hit->chunk, hit->trace))
		sample.stack = hit->trace->stack;
	if (hit->leaf)
		sample.stack = flame_stack(flame, sample.stack, hit->leaf);
	sample.metric = metric;
	sample.weight = weighs_total(jfr, hit) ? hit->value : hit->samples;
	if (select->needs & FL_NEED_THREAD)
		sample.thread = hit->thread;
	if ((select->needs & FL_NEED_STATE) && hit->state.data)
		sample.labels = flame_label(
			flame, 0, fl_name(flame, "state"),
			flame_name(flame, hit->state.data, hit->state.size));
	if (select->needs & FL_NEED_TIME)
		sample.time = hit->time;
	if (!sample.weight)
		return FLAME_OK;
	if (select->choose && strcmp(jfr->answer.name, "cpu") == 0)
		select->cpu_only = true;
	return fl_jfr_ready(jfr, &sample);
}

/* Leaks ------------------------------------------------------------------- */

struct leak {
	int64_t ns;
	uint64_t order;		/* among equal times: as read */
	uint64_t address;
	int64_t size;		/* 0: freed */
	struct flame_sample sample;
	bool has_stack, unresolved;
};

struct fl_jfr_leaks {
	struct leak *now;	/* of this chunk */
	size_t nnow, now_room;
	struct leak *live;	/* by address, over all chunks */
	size_t nlive, live_room;
	struct fl_map by_address;	/* -> index in live, plus one */
	int64_t first, last;
};

void fl_jfr_leaks_free(struct fl_jfr_leaks *leaks)
{
	if (!leaks)
		return;
	fl_free(leaks->now);
	fl_free(leaks->live);
	fl_map_free(&leaks->by_address);
	fl_free(leaks);
}

static int by_time(const void *a, const void *b)
{
	const struct leak *x = a, *y = b;

	if (x->ns != y->ns)
		return x->ns < y->ns ? -1 : 1;
	return (x->order > y->order) - (x->order < y->order);
}

static int leak_event(struct fl_jfr *jfr, const struct leak *leak)
{
	struct fl_jfr_leaks *leaks = jfr->leaks;
	bool fresh;
	uint64_t *at = fl_map_put(&leaks->by_address, leak->address, &fresh);

	if (!at)
		return fl_no_memory(jfr->source->flame);
	if (!leak->size) {
		if (*at)
			leaks->live[*at - 1].size = 0;
		*at = 0;
		return FLAME_OK;
	}
	if (*at) {
		leaks->live[*at - 1] = *leak;
		return FLAME_OK;
	}
	if (!fl_grow(&leaks->live, &leaks->live_room, leaks->nlive + 1,
		     sizeof(*leaks->live)))
		return fl_no_memory(jfr->source->flame);
	leaks->live[leaks->nlive++] = *leak;
	*at = leaks->nlive;
	return FLAME_OK;
}

static int leak_chunk(struct fl_jfr *jfr)
{
	struct fl_jfr_leaks *leaks = jfr->leaks;

	if (leaks->nnow)
		qsort(leaks->now, leaks->nnow, sizeof(*leaks->now), by_time);
	for (size_t i = 0; i < leaks->nnow; i++)
		if (leak_event(jfr, &leaks->now[i]) != FLAME_OK)
			return FLAME_FAILED;
	leaks->nnow = 0;
	return FLAME_OK;
}

static int keep_leak(struct fl_jfr *jfr, const struct fl_jfr_hit *hit,
		     uint64_t address)
{
	struct flame *flame = jfr->source->flame;
	struct fl_jfr_leaks *leaks = jfr->leaks;
	struct leak *leak;

	if (!leaks) {
		leaks = jfr->leaks = fl_zeroed(1, sizeof(*leaks));
		if (!leaks)
			return fl_no_memory(flame);
		leaks->first = INT64_MAX;
		leaks->last = INT64_MIN;
	}
	if (!fl_grow(&leaks->now, &leaks->now_room, leaks->nnow + 1,
		     sizeof(*leaks->now)))
		return fl_no_memory(flame);
	leak = &leaks->now[leaks->nnow];
	memset(leak, 0, sizeof(*leak));
	leak->order = leaks->nnow++;
	leak->ns = hit->time;
	leak->address = address;
	leak->size = hit->value;
	leak->has_stack = hit->has_stack;
	leak->unresolved = hit->unresolved;
	leak->sample = (struct flame_sample){
		.stack = hit->stack, .thread = hit->thread,
		.time = FLAME_NOTIME,
	};
	leaks->first = FL_MIN(leaks->first, hit->time);
	leaks->last = FL_MAX(leaks->last, hit->time);
	return FLAME_OK;
}

int fl_jfr_emit_end(struct fl_jfr *jfr)
{
	const struct fl_jfr_options *options = fl_jfr_options(jfr);
	struct fl_jfr_leaks *leaks = jfr->leaks;
	struct fl_jfr_hit hit = { .event = FL_SLICE("profiler.Malloc"),
				  .unit = "bytes", .samples = 1,
				  .time = FLAME_NOTIME, .last = FLAME_NOTIME };
	double until;

	if (fl_jfr_emit_timings(jfr) != FLAME_OK)
		return FLAME_FAILED;
	if (!leaks)
		return FLAME_OK;
	hit.row = fl_jfr_row_of(hit.event);
	until = (double)leaks->first * options->tail +
		(double)leaks->last * (1.0 - options->tail);
	for (size_t i = 0; i < leaks->nlive; i++) {
		const struct leak *leak = &leaks->live[i];

		if (!leak->size || (double)leak->ns > until)
			continue;
		hit.has_stack = leak->has_stack;
		hit.unresolved = leak->unresolved;
		hit.stack = leak->sample.stack;
		hit.thread = leak->sample.thread;
		hit.value = leak->size;
		if (fl_jfr_give(jfr, &hit) != FLAME_OK)
			return FLAME_FAILED;
	}
	return FLAME_OK;
}

/* Chunks ------------------------------------------------------------------ */

/* The key of the class that is a leaf; 0: there is none. */
static uint64_t leaf_key(struct fl_jfr_chunk *chunk,
			 const struct fl_jfr_sum *sum,
			 const struct fl_jfr_count *c)
{
	uint64_t key = sum->leaf;

	if (!key || !c->object)
		return key;
	return fl_jfr_field_number(chunk,
				   fl_jfr_class_named(chunk,
						      "types.OldObject"),
				   key, "type", &key) ? key : 0;
}

/* The leaf of a sample.  false: the chunk was cut before its name. */
static bool find_leaf(struct fl_jfr_chunk *chunk, const struct fl_jfr_sum *sum,
		      const struct fl_jfr_count *c, struct fl_jfr_hit *hit)
{
	uint64_t key;

	if (c->raw || !c->row || !c->row->leaf)
		return true;
	key = leaf_key(chunk, sum, c);
	if (fl_unlikely(chunk->missing) &&
	    (key ? !fl_jfr_has_class(chunk, key) : sum->leaf))
		return false;
	if (key)
		hit->leaf = fl_jfr_leaf(chunk, key, sum->outside);
	return true;
}

/* As jfrconv: summed in ticks, then converted once. */
static int64_t value_ns(const struct fl_jfr_chunk *chunk,
			const struct fl_jfr_count *c, int64_t value)
{
	return fl_jfr_span_ns(chunk, c->value_unit, value);
}

/* What differs between the sums of an event and a state. */
static void fill_amounts(struct fl_jfr_chunk *chunk,
			 const struct fl_jfr_sum *sum, struct fl_jfr_hit *hit)
{
	const struct fl_jfr_count *c = chunk->counts[sum->row];
	struct fl_jfr_aside aside = fl_jfr_aside(chunk, sum);

	hit->samples = sum->samples;
	hit->value = sum->value;
	if (hit->unit && strcmp(hit->unit, "ns") == 0)
		hit->value = value_ns(chunk, c, sum->value);
	/* Only who sleeps has a time span; who runs, runs for an interval. */
	if (c->span) {
		if (chunk->jfr->wall_ns)
			hit->value = fl_add_clamped(hit->value, fl_mul_clamped(
					sum->bare, chunk->jfr->wall_ns));
		else if (sum->bare)
			hit->unit = NULL;
	}
	hit->time = hit->last = FLAME_NOTIME;
	if (aside.first <= aside.last) {
		hit->time = fl_jfr_ns(chunk, aside.first);
		hit->last = fl_jfr_ns(chunk, aside.last);
	}
	if (c->has[FL_JFR_THREAD])
		hit->thread = fl_jfr_thread(chunk, aside.thread);
}

static void fill_hit(struct fl_jfr_chunk *chunk, const struct fl_jfr_sum *sum,
		     struct fl_jfr_hit *hit)
{
	struct flame *flame = chunk->flame;
	const struct fl_jfr_count *c = chunk->counts[sum->row];

	memset(hit, 0, sizeof(*hit));
	hit->event = c->event;
	hit->row = c->row;
	hit->raw = c->raw;
	hit->async = chunk->async;
	hit->runnable_wall = chunk->runnable_wall;
	hit->with_tlab = chunk->with_tlab;
	hit->unit = c->has[FL_JFR_VALUE] ? fl_jfr_unit(c) : NULL;
	if (c->has[FL_JFR_STATE])
		hit->state = fl_name_at(flame, fl_jfr_state(chunk,
							    sum->state));
	fill_amounts(chunk, sum, hit);
}

/* Grain: jfrconv's rounding, which depends on the order of its table ----- */

static uint32_t java_hash(const struct fl_jfr_chunk *chunk,
			  const struct fl_jfr_sum *sum, bool threads)
{
	const struct fl_jfr_row *row = chunk->counts[sum->row]->row;
	uint32_t hash = (uint32_t)chunk->traces[sum->trace].key;

	if (row && row->leaf)
		hash += (uint32_t)sum->leaf * 127;
	if (row && row->group == FL_JFR_GROUP_ALLOC && sum->outside)
		hash += 17;
	return hash + (threads ? (uint32_t)fl_jfr_aside(chunk, sum).thread *
				 31 : 0);
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

/* However many have one hash, no way to a free place is gone often. */
static void java_insert(const struct fl_jfr_chunk *chunk,
			struct java_table *table, uint32_t sum, bool threads)
{
	uint32_t first = java_hash(chunk, &chunk->sums[sum - 1], threads) &
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

	for (uint32_t i = 1; ok && i <= chunk->nsums; i++) {
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
	const struct fl_jfr_row *x = chunk->counts[a->row]->row;
	const struct fl_jfr_row *y = chunk->counts[b->row]->row;

	return x->group == y->group && a->leaf == b->leaf &&
	       a->outside == b->outside &&
	       fl_jfr_aside(chunk, a).thread == fl_jfr_aside(chunk, b).thread;
}

static uint64_t group_hash(const struct fl_jfr_chunk *chunk,
			   const struct fl_jfr_sum *sum)
{
	return fl_hash_pair(fl_hash_pair(sum->trace, sum->leaf),
			    fl_jfr_aside(chunk, sum).thread);
}

/* The first sum of its group; NULL: there was none. */
static struct fl_jfr_sum *first_of(const struct fl_jfr_chunk *chunk,
				   const struct fl_index *firsts, uint64_t hash,
				   const struct fl_jfr_sum *sum)
{
	uint32_t at = fl_index_first(firsts, hash), i;

	while ((i = fl_index_next(firsts, hash, &at)))
		if (chunk->sums[i - 1].trace == sum->trace &&
		    is_grouped(chunk, sum, &chunk->sums[i - 1]))
			return &chunk->sums[i - 1];
	return NULL;
}

/*
 * jfrconv's groups are of stack, class and thread alone: sums that differ
 * in state or event are one there, at the place of the first.  What is not
 * selected is in none.
 */
static void merge_groups(struct fl_jfr_chunk *chunk)
{
	struct fl_index firsts = { 0 };
	uint32_t n = 0;

	for (uint32_t i = 0; i < chunk->nsums; i++) {
		struct fl_jfr_sum *a = &chunk->sums[i], *oldest;
		struct fl_jfr_hit hit;
		uint64_t hash;

		fill_hit(chunk, a, &hit);
		if (!metric_of(chunk->flame, chunk->jfr, &hit)) {
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
	for (uint32_t i = 0; i < chunk->nsums; i++) {
		if (!chunk->sums[i].samples)
			continue;
		if (chunk->with_asides)
			chunk->asides[n] = chunk->asides[i];
		chunk->sums[n++] = chunk->sums[i];
	}
	chunk->nsums = n;
}

static void coarsen(struct fl_jfr_chunk *chunk)
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
		sum = &chunk->sums[order.sums[i] - 1];
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

/* The same event and state as the one before; of spans, units may differ. */
static bool is_again(const struct fl_jfr_count *c, const struct fl_jfr_sum *sum,
		     const struct fl_jfr_sum *last)
{
	return !c->span && last && last->row == sum->row &&
	       last->state == sum->state;
}

/* Whether the state of any sample of cpu or wall is in the pools. */
static bool has_states(struct fl_jfr_chunk *chunk)
{
	for (size_t i = 0; i < chunk->nsums; i++) {
		const struct fl_jfr_sum *sum = &chunk->sums[i];
		const struct fl_jfr_count *c = chunk->counts[sum->row];

		if (c->cpu && c->has[FL_JFR_STATE] &&
		    fl_name_at(chunk->flame,
			       fl_jfr_state(chunk, sum->state)).size)
			return true;
	}
	return false;
}

/*
 * Whether an async-profiler sample names a thread state that is not in the
 * pool, although others are: whether it is of cpu or wall, nobody knows.
 */
static bool is_stateless(struct fl_jfr_chunk *chunk,
			 const struct fl_jfr_count *c,
			 const struct fl_jfr_hit *hit)
{
	if (!c->cpu || !c->has[FL_JFR_STATE] || hit->state.size ||
	    !chunk->async || c->raw || fl_jfr_options(chunk->jfr)->compat)
		return false;
	if (chunk->has_states == FL_JFR_MAYBE)
		chunk->has_states = has_states(chunk) ? FL_JFR_YES : FL_JFR_NO;
	return chunk->has_states == FL_JFR_YES;
}

/* Leaves the sample out and counts it as damage. */
static int drop_stateless(struct fl_jfr_chunk *chunk,
			  const struct fl_jfr_hit *hit)
{
	uint64_t n = FL_MIN((uint64_t)hit->samples, chunk->nevents);

	fl_jfr_damage(chunk, 0, "a thread state that is not there");
	chunk->lost.events += n;
	chunk->nevents -= n;
	return FLAME_OK;
}

/* hit: of the sum that was emitted last, if there is one. */
static int emit_sum(struct fl_jfr_chunk *chunk, const struct fl_jfr_sum *sum,
		    const struct fl_jfr_sum *last, struct fl_jfr_hit *hit,
		    bool names)
{
	struct fl_jfr *jfr = chunk->jfr;
	const struct fl_jfr_count *c = chunk->counts[sum->row];
	struct fl_jfr_trace *trace = &chunk->traces[sum->trace];

	if (c->latest)
		return fl_jfr_time_method(chunk, sum);
	if (is_again(c, sum, last)) {
		hit->again = true;
		hit->stack = hit->leaf = 0;
		hit->trace = NULL;
		fill_amounts(chunk, sum, hit);
	} else {
		fill_hit(chunk, sum, hit);
	}
	if (fl_unlikely(is_stateless(chunk, c, hit)))
		return drop_stateless(chunk, hit);
	hit->has_stack = trace->at || trace->made;
	if (names && hit->has_stack) {
		hit->chunk = chunk;
		hit->trace = trace;
		hit->has_stack = find_leaf(chunk, sum, c, hit);
	}
	hit->unresolved = !hit->has_stack && trace->key;
	if (jfr->source->select.leak && c->row &&
	    c->row->group == FL_JFR_GROUP_NATIVEMEM) {
		if (hit->trace && fl_jfr_stack(chunk, trace))
			hit->stack = trace->stack;
		return keep_leak(jfr, hit, fl_jfr_aside(chunk, sum).address);
	}
	return fl_jfr_give(jfr, hit);
}

/* async-profiler's RUNNABLE is wall where other states or settings say so. */
static void settle_states(struct fl_jfr_chunk *chunk)
{
	struct flame *flame = chunk->flame;

	chunk->runnable_wall = chunk->jfr->wall_set;
	for (size_t i = 0; i < chunk->nsums && !chunk->runnable_wall; i++) {
		const struct fl_jfr_count *c =
			chunk->counts[chunk->sums[i].row];
		struct slice state;

		if (!c->row || strcmp(c->row->metric, "cpu") != 0 ||
		    !c->has[FL_JFR_STATE])
			continue;
		state = fl_name_at(flame, fl_jfr_state(chunk,
						chunk->sums[i].state));
		/* A state that is not there says nothing of the others. */
		chunk->runnable_wall = state.size &&
				       !fl_slice_is(state, "STATE_RUNNABLE");
	}
	chunk->jfr->wall_set = chunk->runnable_wall;
}

/* Events that were only counted, so that they can be told of. */
static void tally_rest(struct fl_jfr_chunk *chunk)
{
	struct fl_jfr *jfr = chunk->jfr;

	for (uint32_t i = 0; i < chunk->ncounts; i++) {
		const struct fl_jfr_count *c = chunk->counts[i];
		struct fl_jfr_hit hit = {
			.event = c->event, .row = c->row, .samples = c->samples,
			.async = chunk->async, .with_tlab = chunk->with_tlab,
			.time = FLAME_NOTIME, .has_stack = true,
		};
		const char *name, *unit = "samples";
		flame_id metric;

		if (c->full || !c->samples || fl_jfr_options(jfr)->compat)
			continue;
		name = metric_of(chunk->flame, jfr, &hit);
		if (c->row && c->row->unit)
			unit = c->row->unit;
		metric = fl_metric(jfr->source->flame, name, unit,
				   fl_jfr_options(jfr)->total ? unit :
							       "samples");
		hit.unit = NULL;
		tally(jfr, metric, &hit);
	}
}

/*
 * Whether it is cpu's turn: those come first, and where one is wanted of
 * many, the names of the others are not made any more.
 */
static bool is_cpu(const struct fl_jfr_chunk *chunk,
		   const struct fl_jfr_sum *sum)
{
	return chunk->counts[sum->row]->cpu;
}

static bool has_any(const struct fl_jfr_chunk *chunk, bool cpu)
{
	for (uint32_t i = 0; i < chunk->ncounts; i++)
		if (chunk->counts[i]->full && chunk->counts[i]->cpu == cpu)
			return true;
	return false;
}

/* Whether samples of this event and state are asked for. */
static bool may_be_asked(struct fl_jfr_chunk *chunk,
			 const struct fl_jfr_sum *sum)
{
	const struct fl_jfr_count *c = chunk->counts[sum->row];
	struct fl_jfr_hit hit = {
		.event = c->event, .row = c->row, .raw = c->raw,
		.async = chunk->async, .runnable_wall = chunk->runnable_wall,
		.with_tlab = chunk->with_tlab,
	};
	const char *name;

	if (c->has[FL_JFR_STATE])
		hit.state = fl_name_at(chunk->flame,
				       fl_jfr_state(chunk, sum->state));
	name = metric_of(chunk->flame, chunk->jfr, &hit);
	return name && is_asked(chunk->jfr, chunk->cpu_only, &hit, name);
}

/* Together, stacks are made faster; those that nobody asks for are not. */
static void make_stacks(struct fl_jfr_chunk *chunk, bool cpu)
{
	uint32_t *traces = fl_zeroed(chunk->ntraces + 1, sizeof(*traces));
	const struct fl_jfr_sum *last = NULL;
	bool asked = false;
	size_t n = 0;

	for (size_t i = 0; traces && i < chunk->nsums; i++) {
		const struct fl_jfr_sum *sum = &chunk->sums[i];
		struct fl_jfr_trace *trace = &chunk->traces[sum->trace];

		if (is_cpu(chunk, sum) != cpu || trace->made || !trace->at ||
		    chunk->counts[sum->row]->latest)
			continue;
		if (!last || sum->row != last->row || sum->state != last->state)
			asked = may_be_asked(chunk, sum);
		last = sum;
		if (!asked)
			continue;
		trace->made = true;
		traces[n++] = sum->trace;
	}
	if (n)
		fl_jfr_stacks(chunk, traces, n);
	fl_free(traces);
}

/* Stacks are all over the memory: what the next sums need is fetched. */
static void emit_soon(const struct fl_jfr_chunk *chunk, size_t i)
{
	enum { STACK = 12, CHILD = 6 };
	const struct fl_stack *at = chunk->flame->stacks.data;
	const struct fl_jfr_trace *traces = chunk->traces;

	if (i + STACK >= chunk->nsums)
		return;
	fl_prefetch(&at[traces[chunk->sums[i + STACK].trace].stack]);
	fl_prefetch(&at[at[traces[chunk->sums[i + CHILD].trace].stack].child]);
}

/* What comes before the sums of one kind: false: there are none of it. */
static bool begin_kind(struct fl_jfr_chunk *chunk, bool cpu)
{
	struct fl_select *select = &chunk->jfr->source->select;

	chunk->cpu_only = select->cpu_only;
	if (!has_any(chunk, cpu))
		return false;
	if (!select->survey && !select->thread && (cpu || !select->cpu_only))
		make_stacks(chunk, cpu);
	return true;
}

/* As many of them as make a batch. */
static int emit_some(struct fl_jfr_chunk *chunk, struct fl_jfr_giving *giving)
{
	struct fl_select *select = &chunk->jfr->source->select;
	bool cpu = giving->kind == FL_JFR_CPU;

	for (; giving->next < chunk->nsums && chunk->jfr->nready < BATCH;
	     giving->next++) {
		const struct fl_jfr_sum *sum = &chunk->sums[giving->next];

		if (is_cpu(chunk, sum) != cpu)
			continue;
		emit_soon(chunk, giving->next);
		if (emit_sum(chunk, sum, giving->last, &giving->hit,
			     !select->survey &&
			     (cpu || !select->cpu_only)) != FLAME_OK)
			return FLAME_FAILED;
		giving->last = sum;
	}
	return FLAME_OK;
}

static int begin(struct fl_jfr_chunk *chunk)
{
	struct fl_jfr *jfr = chunk->jfr;

	memset(&jfr->giving, 0, sizeof(jfr->giving));
	jfr->answer.known = false;
	if (jfr->timings && !fl_jfr_goes_on(chunk) &&
	    fl_jfr_emit_timings(jfr) != FLAME_OK)
		return FLAME_FAILED;
	settle_states(chunk);
	if (fl_jfr_options(jfr)->compat && fl_jfr_options(jfr)->grain > 0)
		coarsen(chunk);
	jfr->giving.kind = FL_JFR_CPU;
	return FLAME_OK;
}

static int end(struct fl_jfr_chunk *chunk)
{
	tally_rest(chunk);
	return chunk->jfr->leaks ? leak_chunk(chunk->jfr) : FLAME_OK;
}

int fl_jfr_emit(struct fl_jfr_chunk *chunk)
{
	struct fl_jfr *jfr = chunk->jfr;
	struct fl_jfr_giving *giving = &jfr->giving;

	if (giving->kind == FL_JFR_DONE && begin(chunk) != FLAME_OK)
		return FLAME_FAILED;
	while (giving->kind != FL_JFR_DONE && jfr->nready < BATCH) {
		bool cpu = giving->kind == FL_JFR_CPU;

		if (!giving->begun && !begin_kind(chunk, cpu))
			giving->next = chunk->nsums;
		giving->begun = true;
		/* Without memory some traces are not of its dictionary. */
		if (fl_failed(chunk->flame) ||
		    emit_some(chunk, giving) != FLAME_OK)
			return FLAME_FAILED;
		if (giving->next < chunk->nsums)
			break;
		giving->kind = cpu ? FL_JFR_OTHERS : FL_JFR_DONE;
		giving->begun = false;
		giving->next = 0;
		giving->last = NULL;
	}
	if (giving->kind == FL_JFR_DONE && end(chunk) != FLAME_OK)
		return FLAME_FAILED;
	return fl_failed(jfr->source->flame) ? FLAME_FAILED : FLAME_OK;
}
