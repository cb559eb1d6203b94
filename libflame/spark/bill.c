/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sums the rows of the metric cost in a bill: costs by query, stage, operator
 * and executor.  flame_bill_sink() makes a sink before all filters: it forwards
 * each sample to the next sink and to spark-cost, which returns its rows after
 * the last sample.  Then bill_frames.c, bill_sick.c, bill_slow.c, causes.c and
 * what_if.c examine the bill, and write/bill_json.c writes it.
 */
#include "fl.h"

#include "spark/bill.h"
#include "spark/cost.h"
#include "spark/replay.h"

#include <stdlib.h>

struct flame_bill *flame_bill_new(struct flame *flame, const char *logs)
{
	struct flame_bill *bill = fl_zeroed(1, sizeof(*bill));

	if (!bill) {
		fl_no_memory(flame);
		return NULL;
	}
	bill->flame = flame;
	bill->logs = fl_memory_adopt(strdup(logs));
	if (bill->logs)
		return bill;
	fl_no_memory(flame);
	fl_free(bill);
	return NULL;
}

void flame_bill_free(struct flame_bill *bill)
{
	if (!bill)
		return;
	for (size_t i = 0; bill->replays && i < bill->spark->napps; i++)
		fl_replay_free(&bill->replays[i]);
	fl_driver_free(bill->driver);
	fl_spark_close(bill->flame, bill->spark);
	fl_free(bill->logs);
	fl_free(bill->rows);
	fl_free(bill->items);
	fl_free(bill->stages);
	fl_free(bill->queries);
	fl_free(bill->executors);
	fl_free(bill->sick);
	fl_free(bill->causes);
	fl_free(bill->apps);
	fl_free(bill->clocks);
	fl_free(bill->replays);
	fl_free(bill->drivers);
	fl_free(bill->changes);
	fl_free(bill->works);
	fl_map_free(&bill->by_labels);
	fl_map_free(&bill->by_key);
	fl_map_free(&bill->by_stage);
	fl_free(bill);
}

int64_t fl_bill_begin(const struct fl_spark *spark, size_t app)
{
	int64_t begin = spark->apps[app].started;

	for (size_t i = 0; !begin && i < spark->nexecutors; i++)
		if (spark->executors[i].app == app)
			begin = spark->executors[i].added;
	return begin;
}

/* Rows as they come ------------------------------------------------------ */

struct gather {
	struct flame_bill *bill;
	flame_id app, executor, stage, operator;
};

static uint64_t stage_key(size_t app, int64_t id)
{
	return fl_hash_pair((uint64_t)id, app + 1);
}

/* The application, executor and stage that labels name. */
struct place {
	size_t app, executor, stage;
	flame_id operator;
};

static struct place place_of(struct flame_sink *sink, flame_id labels)
{
	const struct gather *g = sink->state;
	const struct flame_bill *bill = g->bill;
	struct flame *flame = sink->flame;
	flame_id stage = flame_label_get(flame, labels, g->stage);
	struct place p = { .stage = FL_SPARK_NONE };
	const uint64_t *known;
	int64_t id;

	p.operator = flame_label_get(flame, labels, g->operator);
	p.app = fl_spark_find_app(bill->spark, fl_name_at(
		flame, flame_label_get(flame, labels, g->app)));
	/* A log without its beginning has an application without an id. */
	if (p.app == FL_SPARK_NONE)
		p.app = 0;
	p.executor = fl_spark_find_executor(bill->spark, p.app, fl_name_at(
		flame, flame_label_get(flame, labels, g->executor)));
	if (!stage || !fl_parse_digits(fl_name_at(flame, stage), &id))
		return p;
	known = fl_map_get(&bill->by_stage, stage_key(p.app, id));
	if (known)
		p.stage = (size_t)*known - 1;
	return p;
}

/* The row plus one; 0: out of memory. */
static size_t row_of(struct flame_bill *bill, const struct place *p)
{
	uint64_t key = fl_hash_pair(fl_hash_pair(p->app + 1, p->stage),
				    p->operator);
	uint64_t *known = fl_map_put(&bill->by_key, key, NULL);

	if (!known)
		return 0;
	if (*known)
		return (size_t)*known;
	if (bill->nrows >= UINT32_MAX - 1 ||
	    !fl_grow(&bill->rows, &bill->rows_capacity, bill->nrows + 1,
		     sizeof(*bill->rows)))
		return 0;
	bill->rows[bill->nrows] = (struct fl_bill_row){
		.app = p->app, .stage = p->stage, .operator = p->operator,
		.name = fl_name_at(bill->flame, p->operator).data,
		.number = bill->nrows,
	};
	return (size_t)(*known = ++bill->nrows);
}

static void add_apart(struct flame_bill *bill, const struct place *p,
		      int64_t weight)
{
	struct slice name = fl_name_at(bill->flame, p->operator);
	struct fl_bill_executor *e;

	if (p->stage != FL_SPARK_NONE || p->executor == FL_SPARK_NONE)
		return;
	e = &bill->executors[p->executor];
	if (fl_slice_is(name, "[idle]"))
		e->idle += weight;
	else
		e->unended += weight;
}

static int put_row(struct flame_sink *sink, const struct flame_sample *s)
{
	struct flame_bill *bill = ((struct gather *)sink->state)->bill;
	uint64_t *known = fl_map_put(&bill->by_labels, s->labels, NULL);
	size_t row;

	if (!known)
		return fl_no_memory(sink->flame);
	if (!*known) {
		struct place p = place_of(sink, s->labels);

		row = row_of(bill, &p);
		if (!row)
			return fl_no_memory(sink->flame);
		*known = (uint64_t)row << 32 | (uint32_t)p.executor;
	}
	row = (size_t)(*known >> 32) - 1;
	if (bill->rows[row].stage == FL_SPARK_NONE) {
		struct place p = place_of(sink, s->labels);

		add_apart(bill, &p, s->weight);
	}
	if (!fl_grow(&bill->items, &bill->items_capacity, bill->nitems + 1,
		     sizeof(*bill->items)))
		return fl_no_memory(sink->flame);
	bill->rows[row].weight += s->weight;
	bill->items[bill->nitems++] = (struct fl_bill_item){
		.row = (uint32_t)row, .executor = (uint32_t)*known,
		.stack = s->stack, .weight = s->weight,
	};
	return sink->next ? fl_put(sink->next, s) : FLAME_OK;
}

/* Stages ------------------------------------------------------------------ */

static void add_sums(struct fl_spark_sums *to, const struct fl_spark_sums *from)
{
	to->tasks += from->tasks;
	to->ok += from->ok;
	to->failed += from->failed;
	to->killed += from->killed;
	to->speculative += from->speculative;
	to->resubmitted += from->resubmitted;
	to->unmeasured += from->unmeasured;
	to->launch_to_finish += from->launch_to_finish;
	to->run += from->run;
	to->cpu += from->cpu;
	to->deserialize += from->deserialize;
	to->deserialize_cpu += from->deserialize_cpu;
	to->gc += from->gc;
	to->serialize += from->serialize;
	to->fetch_wait += from->fetch_wait;
	to->shuffle_write += from->shuffle_write;
	to->read_bytes += from->read_bytes;
	to->written_bytes += from->written_bytes;
	to->memory_spill += from->memory_spill;
	to->disk_spill += from->disk_spill;
	to->used.lost += from->used.lost;
	to->used.unknown += from->used.unknown;
	to->used.cpu += from->used.cpu;
	to->used.gc += from->used.gc;
	to->used.fetch += from->used.fetch;
	to->used.write += from->used.write;
	to->used.deserialize += from->used.deserialize;
	to->used.serialize += from->used.serialize;
	to->used.delay += from->used.delay;
}

static void add_attempt(struct flame_bill *bill, struct fl_bill_stage *stage,
			const struct fl_spark_stage *attempt)
{
	const char *job = *attempt->job ? attempt->job : "[no query]";

	if (!stage->last || attempt->attempt >= stage->last->attempt) {
		stage->last = attempt;
		stage->query = fl_name(bill->flame, job);
	}
	stage->app = attempt->app;
	stage->attempts++;
	if (attempt->submitted && (!stage->submitted ||
				   attempt->submitted < stage->submitted))
		stage->submitted = attempt->submitted;
	stage->completed = FL_MAX(stage->completed, attempt->completed);
	stage->python += attempt->python / 1000;
	add_sums(&stage->sums, &attempt->sums);
}

/* Before the first row: merges the attempts of a stage. */
static bool list_stages(struct flame_bill *bill)
{
	const struct fl_spark *spark = bill->spark;

	bill->stages = fl_zeroed(spark->nstages + 1, sizeof(*bill->stages));
	bill->executors = fl_zeroed(spark->nexecutors + 1,
				    sizeof(*bill->executors));
	for (size_t i = 0; bill->stages && i < spark->nstages; i++) {
		const struct fl_spark_stage *attempt = &spark->stages[i];
		uint64_t *at = fl_map_put(&bill->by_stage,
					  stage_key(attempt->app, attempt->id),
					  NULL);

		if (!at)
			return false;
		if (!*at)
			*at = ++bill->nstages;
		add_attempt(bill, &bill->stages[*at - 1], attempt);
	}
	return bill->stages && bill->executors;
}

/* What cost.c billed, by stage and by executor. */
static void add_shares(struct flame_bill *bill)
{
	const struct fl_spark *spark = bill->spark;

	for (size_t i = 0; i < spark->nshares; i++) {
		const struct fl_spark_share *share = &spark->shares[i];
		const struct fl_spark_stage *of = &spark->stages[share->stage];
		size_t at = (size_t)*fl_map_get(&bill->by_stage, stage_key(
							of->app, of->id)) - 1;
		struct fl_bill_stage *stage = &bill->stages[at];
		struct fl_bill_executor *e = &bill->executors[share->executor];

		stage->active += share->active;
		stage->cpu += share->cpu;
		stage->gc += share->gc;
		stage->unknown += share->unknown;
		stage->overhead += share->overhead;
		stage->samples += share->samples;
		stage->executors++;
		stage->profiled += share->samples > 0;
		e->used += share->active + share->overhead;
		e->cpu += share->cpu;
		e->gc += share->gc;
		e->walled += share->walled;
		e->ready += share->ready;
		e->samples += share->samples;
	}
	for (size_t i = 0; i < spark->nexecutors; i++) {
		struct fl_bill_executor *e = &bill->executors[i];

		/* As stages do, it counts those whose end the log has. */
		for (size_t k = 0; k < spark->executors[i].ntasks; k++)
			e->tasks += spark->executors[i].tasks[k].finish != 0;
		e->paid = e->used + e->idle + e->unended;
	}
}

/* Without the metric of Spark 4, by the stacks of the threads that wait. */
static void set_python(struct flame_bill *bill)
{
	for (size_t i = 0; i < bill->nrows; i++) {
		const struct fl_bill_row *row = &bill->rows[i];
		struct fl_bill_stage *stage;

		if (row->stage == FL_SPARK_NONE)
			continue;
		stage = &bill->stages[row->stage];
		stage->weight += row->weight;
		if (!stage->last->python &&
		    fl_slice_is(fl_name_at(bill->flame, row->operator),
				"Python workers"))
			stage->python += row->weight;
	}
	for (size_t i = 0; i < bill->nstages; i++) {
		struct fl_bill_stage *stage = &bill->stages[i];
		int64_t rest = stage->active - stage->cpu - stage->gc -
			       stage->unknown;

		stage->python = FL_MIN(stage->python, FL_MAX(rest, 0));
	}
}

/* Order ------------------------------------------------------------------- */

static int compare(int64_t a, int64_t b)
{
	return (a > b) - (a < b);
}

/* Heaviest first, then by id. */
static int by_query(const void *a, const void *b)
{
	const struct fl_bill_stage *x = a, *y = b;

	if (x->app != y->app)
		return x->app < y->app ? -1 : 1;
	if (x->query != y->query)
		return x->query < y->query ? -1 : 1;
	if (x->weight != y->weight)
		return compare(y->weight, x->weight);
	return compare(x->last->id, y->last->id);
}

static int by_weight(const void *a, const void *b)
{
	const struct fl_bill_query *x = a, *y = b;

	if (x->app != y->app)
		return x->app < y->app ? -1 : 1;
	if (x->weight != y->weight)
		return compare(y->weight, x->weight);
	return compare((int64_t)x->name, (int64_t)y->name);
}

static int by_stage(const void *a, const void *b)
{
	const struct fl_bill_row *x = a, *y = b;

	if (x->stage != y->stage)
		return x->stage < y->stage ? -1 : 1;
	if (x->weight != y->weight)
		return compare(y->weight, x->weight);
	return strcmp(x->name, y->name);
}

static int by_stack(const void *a, const void *b)
{
	const struct fl_bill_item *x = a, *y = b;

	if (x->stack != y->stack)
		return x->stack < y->stack ? -1 : 1;
	return compare(x->executor, y->executor);
}

/* Stages by query; rows keep theirs. */
static bool sort_stages(struct flame_bill *bill)
{
	size_t *rank = fl_zeroed(bill->nstages + 1, sizeof(*rank));

	if (!rank)
		return false;
	if (bill->nstages)
		qsort(bill->stages, bill->nstages, sizeof(*bill->stages),
		      by_query);
	for (size_t i = 0; i < bill->nstages; i++) {
		const struct fl_spark_stage *of = bill->stages[i].last;
		uint64_t *at = fl_map_get(&bill->by_stage,
					  stage_key(of->app, of->id));

		rank[*at - 1] = i;
		*at = i + 1;
	}
	for (size_t i = 0; i < bill->nrows; i++)
		if (bill->rows[i].stage != FL_SPARK_NONE)
			bill->rows[i].stage = rank[bill->rows[i].stage];
	fl_free(rank);
	return true;
}

static bool list_queries(struct flame_bill *bill)
{
	bill->queries = fl_zeroed(bill->nstages + 1, sizeof(*bill->queries));
	for (size_t i = 0; bill->queries && i < bill->nstages; i++) {
		const struct fl_bill_stage *stage = &bill->stages[i];
		struct fl_bill_query *query = bill->queries +
					      bill->nqueries - 1;

		if (!bill->nqueries || query->app != stage->app ||
		    query->name != stage->query)
			*(query = &bill->queries[bill->nqueries++]) =
				(struct fl_bill_query){
					.app = stage->app,
					.name = stage->query,
					.first_stage = i,
				};
		query->nstages++;
		query->weight += stage->weight;
	}
	if (bill->nqueries)
		qsort(bill->queries, bill->nqueries, sizeof(*bill->queries),
		      by_weight);
	return bill->queries;
}

/* Rows by stage; items keep theirs. */
static bool sort_rows(struct flame_bill *bill)
{
	uint32_t *rank = fl_zeroed(bill->nrows + 1, sizeof(*rank));

	if (!rank)
		return false;
	if (bill->nrows)
		qsort(bill->rows, bill->nrows, sizeof(*bill->rows), by_stage);
	for (size_t i = 0; i < bill->nrows; i++)
		rank[bill->rows[i].number] = (uint32_t)i;
	for (size_t i = 0; i < bill->nitems; i++)
		bill->items[i].row = rank[bill->items[i].row];
	fl_free(rank);
	return true;
}

/* Items row by row, in the order in which they came; false: no memory. */
static bool divide_items(struct flame_bill *bill)
{
	struct fl_bill_item *items = fl_zeroed(bill->nitems + 1,
					       sizeof(*items));
	size_t at = 0;

	if (!items)
		return false;
	for (size_t i = 0; i < bill->nitems; i++)
		bill->rows[bill->items[i].row].nitems++;
	for (size_t i = 0; i < bill->nrows; i++) {
		bill->rows[i].first_item = at;
		at += bill->rows[i].nitems;
		bill->rows[i].nitems = 0;
	}
	for (size_t i = 0; i < bill->nitems; i++) {
		struct fl_bill_row *row = &bill->rows[bill->items[i].row];

		items[row->first_item + row->nitems++] = bill->items[i];
	}
	fl_free(bill->items);
	bill->items = items;
	bill->items_capacity = bill->nitems + 1;
	return true;
}

/* Sorts a row's items, and moves them to `to`, equal ones as one. */
static size_t sum_items(struct flame_bill *bill, struct fl_bill_row *row,
			size_t to)
{
	struct fl_bill_item *items = bill->items + row->first_item;
	const size_t n = row->nitems;

	if (n > 1)
		qsort(items, n, sizeof(*items), by_stack);
	row->first_item = to;
	for (size_t i = 0; i < n; i++) {
		if (i && by_stack(&bill->items[to - 1], &items[i]) == 0)
			bill->items[to - 1].weight += items[i].weight;
		else
			bill->items[to++] = items[i];
	}
	row->nitems = to - row->first_item;
	return to;
}

static bool sort_items(struct flame_bill *bill)
{
	size_t n = 0;

	if (!divide_items(bill))
		return false;
	for (size_t i = 0; i < bill->nrows; i++)
		n = sum_items(bill, &bill->rows[i], n);
	bill->nitems = n;
	for (size_t i = 0; i < bill->nrows; i++) {
		struct fl_bill_stage *stage;

		if (bill->rows[i].stage == FL_SPARK_NONE)
			continue;
		stage = &bill->stages[bill->rows[i].stage];
		if (!stage->nrows++)
			stage->first_row = i;
	}
	return true;
}

static int finish_rows(struct flame_sink *sink)
{
	struct flame_bill *bill = ((struct gather *)sink->state)->bill;

	add_shares(bill);
	set_python(bill);
	if (!sort_stages(bill) || !list_queries(bill) || !sort_rows(bill) ||
	    !sort_items(bill))
		return fl_no_memory(sink->flame);
	if (!fl_bill_find_frames(bill) || !fl_bill_find_sick(bill) ||
	    !fl_bill_find_slow(bill) || !fl_bill_find_causes(bill) ||
	    !fl_bill_find_changes(bill))
		return fl_no_memory(sink->flame);
	bill->whole = true;
	return FLAME_OK;
}

static struct flame_sink *make_gather(struct flame_bill *bill,
				      struct flame_sink *next)
{
	struct flame *flame = bill->flame;
	struct flame_sink *sink = fl_sink_new(flame, next,
					      sizeof(struct gather));
	struct gather *g;

	if (!sink)
		return NULL;
	g = sink->state;
	*g = (struct gather){
		.bill = bill, .app = fl_name(flame, "app"),
		.executor = fl_name(flame, "executor"),
		.stage = fl_name(flame, "stage"),
		.operator = fl_name(flame, "operator"),
	};
	sink->put = put_row;
	return sink;
}

struct flame_sink *flame_bill_rows(struct flame_bill *bill,
				   struct flame_sink *next)
{
	struct flame_sink *sink = next ? make_gather(bill, next) : NULL;

	bill->spark = sink ? fl_spark_open(bill->flame, bill->logs) : NULL;
	if (bill->spark && list_stages(bill))
		return sink;
	if (sink)
		fl_sink_free(sink);
	flame_abandon(next);
	return NULL;
}

/* The sink before all filters --------------------------------------------- */

struct tee {
	struct flame_sink *cost;
	struct fl_driver *driver;	/* the bill's */
};

static bool make_driver(struct flame_bill *bill)
{
	if (fl_bill_replay(bill))
		bill->driver = fl_driver_new(bill->flame, bill->spark,
					     bill->replays);
	return bill->driver;
}

static int put_both(struct flame_sink *sink, const struct flame_sample *sample)
{
	struct tee *tee = sink->state;

	if (!fl_driver_add(tee->driver, sample))
		return fl_no_memory(sink->flame);
	if (fl_put(tee->cost, sample) != FLAME_OK)
		return FLAME_FAILED;
	return fl_put(sink->next, sample);
}

static int finish_cost(struct flame_sink *sink)
{
	struct tee *tee = sink->state;
	struct flame_sink *cost = tee->cost;

	tee->cost = NULL;
	return flame_finish(cost);
}

static void free_cost(struct flame_sink *sink)
{
	struct tee *tee = sink->state;

	flame_abandon(tee->cost);
}

struct flame_sink *flame_bill_sink(struct flame_bill *bill,
				   struct flame_sink *next)
{
	struct flame *flame = bill->flame;
	struct flame_sink *gather, *cost, *sink;

	if (!next)
		return NULL;
	sink = fl_sink_new(flame, next, sizeof(struct tee));
	gather = sink ? make_gather(bill, NULL) : NULL;
	if (gather)
		gather->finish = finish_rows;
	cost = gather ? fl_spark_cost_sink(gather, &bill->spark, bill->logs) :
			NULL;
	if (!cost)
		flame_abandon(gather);
	if (!cost || !bill->spark || !list_stages(bill) ||
	    !make_driver(bill)) {
		flame_abandon(cost);
		fl_sink_free(sink);
		flame_abandon(next);
		return NULL;
	}
	*(struct tee *)sink->state = (struct tee){ cost, bill->driver };
	for (const struct flame_sink *s = cost; s; s = s->next) {
		sink->needs |= s->needs;
		/* flame_pump finds a failure. */
		(void)fl_want_labels(flame, &sink->labels, s->labels);
	}
	sink->put = put_both;
	sink->finish = finish_cost;
	sink->free = free_cost;
	return sink;
}
