/* SPDX-License-Identifier: Apache-2.0 */
/*
 * For trials.c: computes the weight of each name in each run, of stacks that
 * have it, which counts once however often they have it, and of those whose
 * leaf it is.  These are the hypotheses to be tested; names with equal weights
 * in all runs are one.
 */
#include "fl.h"

#include "dict/java.h"
#include "tree/trials.h"

#include <stdlib.h>

struct measure {
	struct flame_trials *trials;
	const struct flame *flame;
	size_t nstacks, nnames;
	uint8_t *used;		/* by stack */
	uint8_t *outermost;	/* by stack: no caller has its name */
	uint32_t *level;	/* by stack */
	int64_t *sum;		/* by stack, of a run: of it and its callees */
	uint32_t *row;		/* by name, plus one; 0: it has none */
	uint32_t *depth;	/* by row */
	flame_id *stack;	/* by row: one where it is outermost */
	flame_id *name;		/* by row */
	size_t nrows;		/* row 0: all */
	double *total, *self;	/* by row and run */
};

static flame_id name_of(const struct measure *m, flame_id stack)
{
	return stack ? fl_frame_at(m->flame, stack)->name : 0;
}

static bool is_outermost(const struct measure *m, flame_id stack)
{
	flame_id name = name_of(m, stack);

	for (flame_id at = fl_parent(m->flame, stack); at;
	     at = fl_parent(m->flame, at))
		if (name_of(m, at) == name)
			return false;
	return true;
}

static void find_used(struct measure *m)
{
	const struct flame_trials *trials = m->trials;

	for (size_t i = 0; i < trials->count; i++)
		for (size_t j = 0; j < trials->trials[i].count; j++)
			m->used[trials->trials[i].stacks[j]] = 1;
	for (size_t i = m->nstacks; i-- > 1;)
		if (m->used[i])
			m->used[fl_parent(m->flame, (flame_id)i)] = 1;
	for (size_t i = 1; i < m->nstacks; i++) {
		flame_id stack = (flame_id)i;

		if (!m->used[i])
			continue;
		m->level[i] = m->level[fl_parent(m->flame, stack)] + 1;
		m->outermost[i] = is_outermost(m, stack);
	}
}

/* Rows of the names that are used, and that match. */
static bool make_rows(struct measure *m, const struct fl_regex *re)
{
	const uint32_t refused = UINT32_MAX;

	m->nrows = 1;
	for (size_t i = 1; i < m->nstacks; i++) {
		flame_id name = name_of(m, (flame_id)i);

		if (!m->outermost[i] || m->row[name] == refused)
			continue;
		if (re && !m->row[name] &&
		    !fl_java_match(re, fl_name_at(m->flame, name))) {
			m->row[name] = refused;
			continue;
		}
		if (!m->row[name]) {
			m->row[name] = (uint32_t)++m->nrows;
			m->name[m->nrows - 1] = name;
			m->stack[m->nrows - 1] = (flame_id)i;
			m->depth[m->nrows - 1] = m->level[i];
		}
		m->depth[m->row[name] - 1] = FL_MIN(m->depth[m->row[name] - 1],
						    m->level[i]);
	}
	for (size_t i = 0; i < m->nnames; i++)
		if (m->row[i] == refused)
			m->row[i] = 0;
	m->total = fl_zeroed(fl_size_mul(m->nrows, m->trials->count),
			     sizeof(double));
	m->self = fl_zeroed(fl_size_mul(m->nrows, m->trials->count),
			    sizeof(double));
	return m->total && m->self;
}

static void fill_column(struct measure *m, size_t column)
{
	const struct fl_trial *trial = &m->trials->trials[column];
	size_t n = m->trials->count;

	memset(m->sum, 0, m->nstacks * sizeof(*m->sum));
	for (size_t i = 0; i < trial->count; i++) {
		uint32_t row = m->row[name_of(m, trial->stacks[i])];

		m->sum[trial->stacks[i]] = trial->weights[i];
		if (row)
			m->self[(row - 1) * n + column] +=
				(double)trial->weights[i] * trial->factor;
	}
	for (size_t i = m->nstacks; i-- > 1;)
		m->sum[fl_parent(m->flame, (flame_id)i)] += m->sum[i];
	m->total[column] = trial->total * trial->factor;
	for (size_t i = 1; i < m->nstacks; i++) {
		uint32_t row = m->row[name_of(m, (flame_id)i)];

		if (row && m->sum[i] && m->outermost[i])
			m->total[(row - 1) * n + column] +=
				(double)m->sum[i] * trial->factor;
	}
}

/* Hypotheses ---------------------------------------------------------- */

/*
 * Names in a single run of many, as those of threads with numbers, say nothing
 * of a change.
 */
static bool is_tested(const struct flame_trials *trials, const double *values)
{
	size_t least = trials->count > 2 ? 2 : 1;
	size_t n = 0;

	for (size_t i = 0; n < least && i < trials->count; i++)
		n += values[i] > 0;
	return n >= least;
}

static void add(struct measure *m, size_t row, const double *values, bool self)
{
	struct flame_trials *trials = m->trials;

	if (is_tested(trials, values))
		trials->tested[trials->ntested++] = (struct fl_hypothesis){
			.change = {
				.name = m->name[row], .self = self,
				.values = values,
			},
			.depth = m->depth[row], .stack = m->stack[row],
		};
}

static int by_value(const double *x, const double *y, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (x[i] < y[i] || x[i] > y[i])
			return x[i] < y[i] ? -1 : 1;
	return 0;
}

struct entry {
	struct fl_hypothesis h;
	const struct flame_trials *trials;
};

/* Equal values together; the deepest first, and totals before selfs. */
static int by_values(const void *a, const void *b)
{
	const struct entry *x = a, *y = b;
	int d = by_value(x->h.change.values, y->h.change.values,
			 x->trials->count);

	if (d)
		return d;
	if (x->h.depth != y->h.depth)
		return x->h.depth < y->h.depth ? 1 : -1;
	if (x->h.change.name != y->h.change.name)
		return x->h.change.name < y->h.change.name ? -1 : 1;
	return x->h.change.self - y->h.change.self;
}

/* Whether a stack of one has the other as a caller, or is its own. */
static bool is_on_stack(const struct flame_trials *trials,
			const struct fl_hypothesis *caller,
			const struct fl_hypothesis *callee)
{
	if (!caller->change.name)
		return true;
	for (flame_id at = callee->stack; at; at = fl_parent(trials->flame, at))
		if (fl_frame_at(trials->flame, at)->name ==
		    caller->change.name)
			return true;
	return false;
}

/* The last few distinct ones are those of equal weights. */
static bool is_same(const struct flame_trials *trials, size_t ndistinct,
		    const struct fl_hypothesis *h)
{
	enum { MAX_ALIKE = 8 };

	for (size_t i = ndistinct; i-- > 0 && ndistinct - i <= MAX_ALIKE;) {
		const struct fl_hypothesis *other = &trials->tested[i];

		if (by_value(other->change.values, h->change.values,
			     trials->count))
			return false;
		if (is_on_stack(trials, h, other))
			return true;
	}
	return false;
}

/* A caller and a callee that have the same weight in all runs are one. */
static bool merge_equal(struct flame_trials *trials)
{
	size_t n = trials->ntested, ndistinct = 0;
	struct entry *order = fl_alloc(fl_size_mul(n + 1, sizeof(*order)));

	if (!order)
		return false;
	for (size_t i = 0; i < n; i++)
		order[i] = (struct entry){ trials->tested[i], trials };
	qsort(order, n, sizeof(*order), by_values);
	for (size_t i = 0; i < n; i++)
		if (!is_same(trials, ndistinct, &order[i].h))
			trials->tested[ndistinct++] = order[i].h;
	trials->ntested = ndistinct;
	fl_free(order);
	return true;
}

/* The values become the trials'. */
static bool make_hypotheses(struct measure *m)
{
	struct flame_trials *trials = m->trials;
	size_t n = trials->count, rows = m->nrows;
	double *values = fl_alloc(fl_size_mul(fl_size_mul(rows, n),
					      2 * sizeof(*values)));

	fl_free(trials->values);
	fl_free(trials->tested);
	trials->values = values;
	trials->ntested = 0;
	trials->tested = fl_zeroed(2 * rows, sizeof(*trials->tested));
	if (!values || !trials->tested)
		return false;
	memcpy(values, m->total, rows * n * sizeof(*values));
	memcpy(values + rows * n, m->self, rows * n * sizeof(*values));
	trials->all = (struct fl_hypothesis){ .change = { .values = values } };
	trials->mean_total = 0;
	for (size_t i = 0; i < trials->runs[0]; i++)
		trials->mean_total += values[i] / (double)trials->runs[0];
	for (size_t i = trials->narrowed; i < rows; i++) {
		add(m, i, values + i * n, false);
		if (i)
			add(m, i, values + (rows + i) * n, true);
	}
	return merge_equal(trials);
}

static bool measure(struct measure *m, const struct fl_regex *re)
{
	m->used = fl_zeroed(m->nstacks, sizeof(*m->used));
	m->outermost = fl_zeroed(m->nstacks, sizeof(*m->outermost));
	m->level = fl_zeroed(m->nstacks, sizeof(*m->level));
	m->sum = fl_zeroed(m->nstacks, sizeof(*m->sum));
	m->row = fl_zeroed(m->nnames, sizeof(*m->row));
	m->depth = fl_zeroed(m->nnames + 1, sizeof(*m->depth));
	m->name = fl_zeroed(m->nnames + 1, sizeof(*m->name));
	m->stack = fl_zeroed(m->nnames + 1, sizeof(*m->stack));
	if (!m->stack || !m->used || !m->outermost || !m->level || !m->sum || !m->row ||
	    !m->depth || !m->name)
		return false;
	find_used(m);
	if (!make_rows(m, re))
		return false;
	for (size_t i = 0; i < m->trials->count; i++)
		fill_column(m, i);
	return make_hypotheses(m);
}

bool fl_trials_measure(struct flame_trials *trials, const char *pattern)
{
	struct measure m = {
		.trials = trials, .flame = trials->flame,
		.nstacks = trials->flame->stacks.count,
		.nnames = trials->flame->names.count,
	};
	struct fl_regex *re = NULL;
	char why[256];
	bool good;

	if (pattern && !(re = fl_regex_new(pattern, false, why, sizeof(why)))) {
		fl_fail(trials->flame, "%s", why);
		return false;
	}
	good = measure(&m, re);
	if (!good)
		fl_no_memory(trials->flame);
	fl_regex_free(re);
	fl_free(m.used);
	fl_free(m.outermost);
	fl_free(m.level);
	fl_free(m.sum);
	fl_free(m.row);
	fl_free(m.depth);
	fl_free(m.name);
	fl_free(m.stack);
	fl_free(m.total);
	fl_free(m.self);
	return good;
}
