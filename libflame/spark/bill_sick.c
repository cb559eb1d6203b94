/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finds executors that are unlike the others in the same stages: a frame has
 * another share of their time.  fl_bill_find_sick() adds them to the bill,
 * called by bill.c.  Stages are compared one by one, as executors run different
 * ones.  A frame's distance is in standard deviations of what chance does to so
 * few samples, widened where the other executors differ among themselves by
 * more than that.
 */
#include "fl.h"

#include "spark/bill.h"

#include <math.h>
#include <stdlib.h>

enum { MIN_EXECUTORS = 3, MAX_SHORT = 24 };

#define MIN_SHARE .05		/* of an executor's time, more than others' */
#define MIN_SIGMA 6.

/* Of one executor in one stage. */
struct cell {
	double weight;		/* of stacks */
	double samples;
	float names[MAX_SHORT];	/* weights of the short list */
	size_t stage, next;	/* of the executor: its next cell + 1 */
};

/* A candidate of a stack, where it is nearest to the leaf. */
struct step {
	uint32_t candidate, depth;
};

/* The last cell of an executor that was asked for. */
struct last {
	size_t stage, cell;	/* both plus one; cell 0: there is none */
};

struct sick {
	struct flame_bill *bill;
	size_t executors;
	uint32_t *candidate;	/* by name: its number, plus one */
	flame_id *names;	/* of candidates, then of the short list */
	size_t count;
	double *weights;	/* by executor and candidate */
	double *all;		/* by executor */
	uint32_t *depth, *seen;	/* by candidate */
	struct fl_map at;	/* executor << 32 | stage -> cell + 1 */
	struct cell *cells, *sums;	/* sums: by stage */
	size_t *first;			/* by executor: its last cell + 1 */
	size_t ncells, capacity;
	struct last *last;		/* by executor */
	/* The candidates of a stack, which items of one row share. */
	struct step *steps;
	size_t nsteps;
	flame_id stack;			/* 0: of none */
	uint32_t walks;
};

static struct cell *cell_of(struct sick *s, size_t executor, size_t stage,
			    bool make)
{
	uint64_t key = (uint64_t)executor << 32 | stage;
	uint64_t *at = make ? fl_map_put(&s->at, key, NULL) :
			      fl_map_get(&s->at, key);

	if (!at)
		return NULL;
	if (*at)
		return &s->cells[*at - 1];
	if (!fl_grow(&s->cells, &s->capacity, s->ncells + 1,
		     sizeof(*s->cells)))
		return NULL;
	s->cells[s->ncells] = (struct cell){
		.stage = stage, .next = s->first[executor],
	};
	*at = s->first[executor] = ++s->ncells;
	return &s->cells[s->ncells - 1];
}

/* Samples ----------------------------------------------------------------- */

static size_t stage_of(const struct flame_bill *bill, size_t stage)
{
	const struct fl_spark_stage *of = &bill->spark->stages[stage];

	return (size_t)*fl_map_get(&bill->by_stage, fl_hash_pair(
				   (uint64_t)of->id, of->app + 1)) - 1;
}

static bool add_samples(struct sick *s)
{
	const struct fl_spark *spark = s->bill->spark;

	for (size_t i = 0; i < spark->nshares; i++) {
		const struct fl_spark_share *share = &spark->shares[i];
		size_t stage = stage_of(s->bill, share->stage);
		struct cell *cell = cell_of(s, share->executor, stage, true);

		if (!cell)
			return false;
		cell->samples += (double)share->samples;
		s->sums[stage].samples += (double)share->samples;
	}
	return true;
}

static bool add_all(struct sick *s)
{
	s->sums = fl_zeroed(s->bill->nstages + 1, sizeof(*s->sums));
	s->first = fl_zeroed(s->executors + 1, sizeof(*s->first));
	s->last = fl_zeroed(s->executors + 1, sizeof(*s->last));
	if (!s->sums || !s->first || !s->last)
		return false;
	return add_samples(s);
}

/* Frames ------------------------------------------------------------------ */

/* Whether the item was seen on its executor, and not shared out to it. */
static struct cell *cell_of_item(struct sick *s,
				 const struct fl_bill_item *item)
{
	const struct fl_bill_row *row = &s->bill->rows[item->row];
	struct last *last;
	struct cell *cell;

	if (row->stage == FL_SPARK_NONE || !item->stack ||
	    item->executor == UINT32_MAX)
		return NULL;
	/* Items are sorted by row, and rows by stage. */
	last = &s->last[item->executor];
	if (last->stage != row->stage + 1) {
		cell = cell_of(s, item->executor, row->stage, false);
		last->stage = row->stage + 1;
		last->cell = cell ? (size_t)(cell - s->cells) + 1 : 0;
	}
	cell = last->cell ? &s->cells[last->cell - 1] : NULL;
	return cell && cell->samples > 0 && !fl_bill_is_apart(row) ? cell :
								     NULL;
}

static void add_to_names(const struct flame *flame, flame_id stack,
			 double weight, double *total, uint32_t *seen,
			 uint32_t walk)
{
	for (flame_id k = stack; weight > 0 && k; k = fl_parent(flame, k)) {
		flame_id name = fl_frame_at(flame, k)->name;

		if (seen[name] != walk)
			total[name] += weight;
		seen[name] = walk;
	}
}

/* Of items, by names; equal stacks of a row are adjacent. */
static double sum_names(struct sick *s, double *total, uint32_t *seen)
{
	const struct flame *flame = s->bill->flame;
	double all = 0, weight = 0;
	flame_id stack = 0;
	uint32_t walks = 0;

	for (size_t i = 0; i < s->bill->nitems; i++) {
		const struct fl_bill_item *item = &s->bill->items[i];

		if (!cell_of_item(s, item))
			continue;
		if (item->stack != stack) {
			add_to_names(flame, stack, weight, total, seen,
				     ++walks);
			stack = item->stack;
			weight = 0;
		}
		weight += (double)item->weight;
		all += (double)item->weight;
	}
	add_to_names(flame, stack, weight, total, seen, ++walks);
	return all;
}

/* Names that could be a twentieth of an executor's time. */
static bool find_candidates(struct sick *s)
{
	size_t names = s->bill->flame->names.count + 1;
	double *total = fl_zeroed(names, sizeof(*total)), all = 0;
	uint32_t *seen = fl_zeroed(names, sizeof(*seen));

	s->candidate = fl_zeroed(names, sizeof(*s->candidate));
	s->names = fl_zeroed(names, sizeof(*s->names));
	if (total && seen)
		all = sum_names(s, total, seen);
	for (size_t i = 0; total && seen && s->candidate && s->names &&
			   i < names; i++)
		if (total[i] > all * MIN_SHARE / (double)s->executors) {
			s->names[s->count++] = (flame_id)i;
			s->candidate[i] = (uint32_t)s->count;
		}
	fl_free(total);
	fl_free(seen);
	return total && seen && s->candidate && s->names;
}

/* The candidates in a stack, each once. */
static void list_steps(struct sick *s, flame_id stack)
{
	const struct flame *flame = s->bill->flame;
	uint32_t depth = 0;

	if (s->stack == stack)
		return;
	s->stack = stack;
	s->nsteps = 0;
	s->walks++;
	for (flame_id k = stack; k; k = fl_parent(flame, k))
		depth++;
	for (flame_id k = stack; k; k = fl_parent(flame, k), depth--) {
		uint32_t n = s->candidate[fl_frame_at(flame, k)->name];

		if (!n || s->seen[n - 1] == s->walks)
			continue;
		s->seen[n - 1] = s->walks;
		s->steps[s->nsteps++] = (struct step){ n - 1, depth };
	}
}

/* Calls a function for each candidate in an item's stack, once. */
static void visit(struct sick *s, size_t i,
		  void (*see)(struct sick *, const struct fl_bill_item *,
			      struct cell *, size_t, uint32_t))
{
	const struct fl_bill_item *item = &s->bill->items[i];
	struct cell *cell = cell_of_item(s, item);

	if (!cell)
		return;
	list_steps(s, item->stack);
	for (size_t k = 0; k < s->nsteps; k++)
		see(s, item, cell, s->steps[k].candidate, s->steps[k].depth);
}

static void see_candidate(struct sick *s, const struct fl_bill_item *item,
			  struct cell *cell, size_t n, uint32_t depth)
{
	(void)cell;
	s->weights[item->executor * s->count + n] += (double)item->weight;
	s->depth[n] = FL_MAX(s->depth[n], depth);
}

static void see_short(struct sick *s, const struct fl_bill_item *item,
		      struct cell *cell, size_t n, uint32_t depth)
{
	(void)depth;
	cell->names[n] += (float)item->weight;
	s->sums[s->bill->rows[item->row].stage].names[n] +=
		(float)item->weight;
}

/* The largest distance of an executor's share from that of all. */
static double distance_of(const struct sick *s, size_t n)
{
	double sum = 0, all = 0, most = 0;

	for (size_t e = 0; e < s->executors; e++) {
		sum += s->weights[e * s->count + n];
		all += s->all[e];
	}
	for (size_t e = 0; e < s->executors; e++)
		if (s->all[e] > 0)
			most = FL_MAX(most, s->weights[e * s->count + n] /
					    s->all[e] - sum / all);
	return most;
}

struct distance {
	double distance;
	flame_id name;
	uint32_t depth;
};

static int by_distance(const void *a, const void *b)
{
	const struct distance *x = a, *y = b;

	if (x->distance != y->distance)
		return x->distance < y->distance ? 1 : -1;
	return (x->name > y->name) - (x->name < y->name);
}

/* Keeps the candidates that differ most. */
static bool shorten(struct sick *s)
{
	struct distance *list = fl_zeroed(s->count + 1, sizeof(*list));
	size_t n = 0;

	for (size_t i = 0; list && i < s->count; i++) {
		list[i] = (struct distance){ distance_of(s, i), s->names[i],
					     s->depth[i] };
		s->candidate[s->names[i]] = 0;
	}
	if (list && s->count)
		qsort(list, s->count, sizeof(*list), by_distance);
	for (; list && n < s->count && n < MAX_SHORT; n++) {
		if (list[n].distance < MIN_SHARE / 2)
			break;
		s->names[n] = list[n].name;
		s->depth[n] = list[n].depth;
		s->candidate[list[n].name] = (uint32_t)n + 1;
	}
	s->count = n;
	fl_free(list);
	return list;
}

static bool gather(struct sick *s)
{
	s->weights = fl_zeroed(s->executors * s->count + 1,
			       sizeof(*s->weights));
	s->all = fl_zeroed(s->executors + 1, sizeof(*s->all));
	s->depth = fl_zeroed(s->count + 1, sizeof(*s->depth));
	s->seen = fl_zeroed(s->count + 1, sizeof(*s->seen));
	s->steps = fl_zeroed(s->count + 1, sizeof(*s->steps));
	if (!s->weights || !s->all || !s->depth || !s->seen || !s->steps)
		return false;
	for (size_t i = 0; i < s->bill->nitems; i++) {
		const struct fl_bill_item *item = &s->bill->items[i];
		struct cell *cell = cell_of_item(s, item);
		size_t stage = s->bill->rows[item->row].stage;

		if (!cell)
			continue;
		cell->weight += (double)item->weight;
		s->sums[stage].weight += (double)item->weight;
		s->all[item->executor] += (double)item->weight;
		visit(s, i, see_candidate);
	}
	if (!shorten(s))
		return false;
	memset(s->seen, 0, s->count * sizeof(*s->seen));
	s->stack = 0;
	for (size_t i = 0; i < s->bill->nitems; i++)
		visit(s, i, see_short);
	return true;
}

/* Distances --------------------------------------------------------------- */

/* Of a name on an executor against all others but one. */
struct score {
	double own, expected, weight, sigma;
};

static struct score score_of(struct sick *s, size_t executor, size_t n,
			     size_t without)
{
	struct score score = { 0 };
	double variance = 0;

	for (size_t i = s->first[executor]; i; i = s->cells[i - 1].next) {
		const struct cell *own = &s->cells[i - 1];
		const struct cell *out = without == FL_SPARK_NONE ? NULL :
					 cell_of(s, without, own->stage, false);
		const struct cell *sum = &s->sums[own->stage];
		double rest, samples, p;

		if (own->samples <= 0 || own->weight <= 0)
			continue;
		rest = sum->weight - own->weight - (out ? out->weight : 0);
		samples = sum->samples - own->samples -
			  (out ? out->samples : 0);
		if (rest <= 0 || samples < 10)
			continue;
		p = (sum->names[n] - own->names[n] -
		     (out ? out->names[n] : 0)) / rest;
		p = FL_MIN(FL_MAX(p, 0.), 1.);
		score.weight += own->weight;
		score.own += own->names[n];
		score.expected += own->weight * p;
		/* Of all: a share of zero would have no variance. */
		p = sum->names[n] / sum->weight;
		variance += own->weight * own->weight * p *
			    (1 - FL_MIN(p, .99)) *
			    (1 / own->samples + 1 / samples);
	}
	if (variance > 0)
		score.sigma = (score.own - score.expected) / sqrt(variance);
	return score;
}

/* By how much more than by chance the others differ among themselves. */
static double spread_of(struct sick *s, size_t executor, size_t n)
{
	double squares = 0, count = 0;

	for (size_t e = 0; e < s->executors; e++) {
		struct score score;

		if (e == executor || s->all[e] <= 0)
			continue;
		score = score_of(s, e, n, executor);
		if (score.weight <= 0)
			continue;
		squares += score.sigma * score.sigma;
		count++;
	}
	return count > 0 ? FL_MAX(1., sqrt(squares / count)) : 1;
}

/* The deepest of the frames that explain most. */
static bool is_better(const struct sick *s, const struct fl_bill_sick *old,
		      uint32_t depth, const struct fl_bill_sick *new, size_t n)
{
	double before = old->share - old->others;
	double after = new->share - new->others;

	if (s->depth[n] > depth)
		return after >= .7 * before;
	return after * .7 > before;
}

static bool compare_frames(struct sick *s, size_t executor)
{
	struct flame_bill *bill = s->bill;
	struct fl_bill_sick best = { .executor = executor };
	uint32_t depth = 0;

	for (size_t n = 0; s->all[executor] > 0 && n < s->count; n++) {
		struct score score = score_of(s, executor, n, FL_SPARK_NONE);
		struct fl_bill_sick sick = best;

		if (score.weight <= 0 || score.sigma < MIN_SIGMA ||
		    score.own - score.expected < MIN_SHARE * score.weight)
			continue;
		sick.name = s->names[n];
		sick.share = score.own / score.weight;
		sick.others = score.expected / score.weight;
		sick.sigma = score.sigma / spread_of(s, executor, n);
		if (sick.sigma < MIN_SIGMA ||
		    (best.name && !is_better(s, &best, depth, &sick, n)))
			continue;
		best = sick;
		depth = s->depth[n];
	}
	if (!best.name)
		return true;
	if (!fl_grow(&bill->sick, &bill->sick_capacity, bill->nsick + 1,
		     sizeof(best)))
		return false;
	bill->sick[bill->nsick++] = best;
	return true;
}

static size_t count_profiled(const struct flame_bill *bill)
{
	size_t n = 0;

	for (size_t i = 0; i < bill->spark->nexecutors; i++)
		n += bill->executors[i].samples > 0;
	return n;
}

static bool find(struct sick *s)
{
	bool good;

	if (count_profiled(s->bill) < MIN_EXECUTORS)
		return true;
	good = add_all(s) && find_candidates(s) && gather(s);
	for (size_t i = 0; good && i < s->executors; i++)
		good = compare_frames(s, i);
	return good;
}

bool fl_bill_find_sick(struct flame_bill *bill)
{
	struct sick s = {
		.bill = bill, .executors = bill->spark->nexecutors,
	};
	bool good = find(&s);

	fl_free(s.candidate);
	fl_free(s.names);
	fl_free(s.weights);
	fl_free(s.all);
	fl_free(s.depth);
	fl_free(s.seen);
	fl_map_free(&s.at);
	fl_free(s.cells);
	fl_free(s.sums);
	fl_free(s.first);
	fl_free(s.last);
	fl_free(s.steps);
	return good;
}
