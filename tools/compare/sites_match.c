/* SPDX-License-Identifier: Apache-2.0 */
/*
 * site_match() pairs the rows of two sites that are the same work: by the
 * query, the name of the stage and its plan, and by their order where several
 * have all of these; never by ids, which another run does not have.  It decides
 * which pairs changed by more than their error, and adds up queries.  Called by
 * sites_frames.c.
 */
#include "compare/sites.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Rows with fewer samples, or fewer rows, say nothing of runs. */
enum { MIN_SAMPLES = 20, MIN_ROWS = 5 };
static const double SIGMAS = 2;

static bool is_equal(const char *a, const char *b)
{
	return strcmp(a, b) == 0;
}

static int by_id(const void *a, const void *b)
{
	const struct site_row *x = a, *y = b;

	return (x->id > y->id) - (x->id < y->id);
}

/* Rows that are not of a stage: "[idle]". */
static bool is_apart(const struct site_row *row)
{
	return row->stage[0] == '[';
}

/* Whether a site has a query. */
static bool has_query(const struct site *site, const char *query)
{
	for (size_t i = 0; i < site->nrows; i++)
		if (is_equal(site->rows[i].query, query))
			return true;
	return false;
}

/* From the surest way to the least sure one. */
static bool is_same(const struct site_pairs *p, const struct site_row *a,
		    const struct site_row *b, unsigned way)
{
	bool query = is_equal(a->query, b->query);
	bool stage = is_equal(a->stage, b->stage);
	bool plan = is_equal(a->plan, b->plan);

	switch (way) {
	case 0:
		return query && stage && plan;
	case 1:
		return query && stage;
	case 2:
		return query && plan && *a->plan;
	}
	/* The text of the query is another one. */
	return stage && plan && *a->plan &&
	       !has_query(&p->sites[1], a->query) &&
	       !has_query(&p->sites[0], b->query);
}

static void add_pair(struct site_pairs *p, struct site_row *before,
		     struct site_row *after)
{
	p->pairs[p->n++] = (struct site_pair){
		.before = before, .after = after,
	};
	if (before)
		before->matched = true;
	if (after)
		after->matched = true;
}

static void match_rows(struct site_pairs *p, unsigned way)
{
	struct site *a = &p->sites[0], *b = &p->sites[1];

	for (size_t i = 0; i < a->nrows; i++)
		for (size_t j = 0; !a->rows[i].matched && j < b->nrows; j++)
			if (!b->rows[j].matched &&
			    is_same(p, &a->rows[i], &b->rows[j], way))
				add_pair(p, &a->rows[i], &b->rows[j]);
}

static void match_all(struct site_pairs *p)
{
	for (unsigned side = 0; side < 2; side++)
		qsort(p->sites[side].rows, p->sites[side].nrows,
		      sizeof(struct site_row), by_id);
	for (unsigned way = 0; way < 4; way++)
		match_rows(p, way);
	for (unsigned side = 0; side < 2; side++)
		for (size_t i = 0; i < p->sites[side].nrows; i++) {
			struct site_row *row = &p->sites[side].rows[i];

			if (!row->matched)
				add_pair(p, side ? NULL : row,
					 side ? row : NULL);
		}
}

/* Errors ---------------------------------------------------------------- */

static double cost_of(const struct site_row *row)
{
	return row ? row->cost : 0;
}

static bool tells_of_runs(const struct site_pair *pair)
{
	return pair->before && pair->after && !is_apart(pair->before) &&
	       pair->before->samples >= MIN_SAMPLES &&
	       pair->after->samples >= MIN_SAMPLES && pair->before->cost > 0 &&
	       pair->after->cost > 0;
}

static int by_number(const void *a, const void *b)
{
	const double *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

static double median_of(double *numbers, size_t n)
{
	qsort(numbers, n, sizeof(*numbers), by_number);
	return (numbers[n / 2] + numbers[(n - 1) / 2]) / 2;
}

/*
 * Most rows have not changed: the median distance of the ratios of rows from
 * their median is what runs differ by.  1.4826 makes it a standard deviation.
 */
static bool find_spread(struct site_pairs *p)
{
	double *ratio = calloc(p->n + 1, sizeof(*ratio)), middle;
	size_t n = 0;

	if (!ratio)
		return cli_no_memory(p->cli);
	for (size_t i = 0; i < p->n; i++)
		if (tells_of_runs(&p->pairs[i]))
			ratio[n++] = log(p->pairs[i].after->cost /
					 p->pairs[i].before->cost);
	if (n >= MIN_ROWS) {
		middle = median_of(ratio, n);
		for (size_t i = 0; i < n; i++)
			ratio[i] = fabs(ratio[i] - middle);
		p->spread = 1.4826 * median_of(ratio, n);
		p->spread_known = true;
	}
	free(ratio);
	return true;
}

/* Of counts, and of the tasks that they stand for. */
static double noise_of(const struct site_row *row)
{
	return row && row->samples > 0 ?
		       row->cost * row->cost / row->samples : 0;
}

static void set_error(const struct site_pairs *p, struct site_pair *pair)
{
	double a = cost_of(pair->before), b = cost_of(pair->after);
	double spread = p->spread * (a + b) / 2;

	pair->error = sqrt(spread * spread + noise_of(pair->before) +
			   noise_of(pair->after));
	/* Of what was idle no error is known. */
	if (is_apart(pair->before ? pair->before : pair->after))
		pair->error = 0;
	pair->changed = pair->error > 0 &&
			fabs(b - a) > SIGMAS * pair->error;
}

static int by_change(const void *a, const void *b)
{
	const struct site_pair *x = a, *y = b;
	double d = fabs(cost_of(y->after) - cost_of(y->before)) -
		   fabs(cost_of(x->after) - cost_of(x->before));

	if (x->changed != y->changed)
		return y->changed - x->changed;
	if (d > 0 || d < 0)
		return d > 0 ? 1 : -1;
	d = cost_of(y->before) - cost_of(x->before);
	return d > 0 ? 1 : d < 0 ? -1 : 0;
}

/* Queries --------------------------------------------------------------- */

static bool is_name(const char *name, const struct site_row *row)
{
	return !name == !row && (!name || is_equal(name, row->query));
}

static struct site_query *query_of(struct site_pairs *p,
				   const struct site_pair *pair)
{
	struct site_query *q = p->queries;

	for (; q < p->queries + p->nqueries; q++)
		if ((q->before && is_name(q->before, pair->before)) ||
		    (q->after && is_name(q->after, pair->after)))
			break;
	if (q == p->queries + p->nqueries)
		p->nqueries++;
	if (pair->before)
		q->before = pair->before->query;
	if (pair->after)
		q->after = pair->after->query;
	return q;
}

/* "Sort, Project; Sort": the next operator; NULL at the end. */
static const char *next_operator(const char **at, size_t *size)
{
	const char *begin = *at + strspn(*at, ",; ");

	*size = strcspn(begin, ",;");
	*at = begin + *size;
	return *size ? begin : NULL;
}

static int count_operator(const struct site *site, const char *query,
			  const char *operator, size_t size)
{
	int n = 0;

	for (size_t i = 0; query && i < site->nrows; i++) {
		const char *at = site->rows[i].plan, *found;
		size_t length;

		if (!is_equal(site->rows[i].query, query))
			continue;
		while ((found = next_operator(&at, &length)))
			n += length == size && memcmp(found, operator,
						      size) == 0;
	}
	return n;
}

static bool is_listed(const char *list, const char *operator, size_t size)
{
	size_t length;
	const char *found;

	while (list && (found = next_operator(&list, &length)))
		if (length == size && memcmp(found, operator, size) == 0)
			return true;
	return false;
}

static bool append(char **list, const char *operator, size_t size)
{
	char *longer;

	if (asprintf(&longer, "%s%s%.*s", *list ? *list : "",
		     *list ? ", " : "", (int)size, operator) < 0)
		return false;
	free(*list);
	*list = longer;
	return true;
}

/* Operators that the query has more often on one side than on the other. */
static bool compare_plans(const struct site_pairs *p, const char *query,
			  unsigned side, const char *other, char **list)
{
	const struct site *site = &p->sites[side];

	for (size_t i = 0; query && other && i < site->nrows; i++) {
		const char *at = site->rows[i].plan, *operator;
		size_t size;

		if (!is_equal(site->rows[i].query, query))
			continue;
		while ((operator = next_operator(&at, &size)))
			if (!is_listed(*list, operator, size) &&
			    count_operator(site, query, operator, size) >
				    count_operator(&p->sites[!side], other,
						   operator, size) &&
			    !append(list, operator, size))
				return cli_no_memory(p->cli);
	}
	return true;
}

static int by_query_change(const void *a, const void *b)
{
	const struct site_query *x = a, *y = b;
	double d = fabs(y->cost[1] - y->cost[0]) -
		   fabs(x->cost[1] - x->cost[0]);

	if (x->changed != y->changed)
		return y->changed - x->changed;
	if (d > 0 || d < 0)
		return d > 0 ? 1 : -1;
	d = y->cost[0] - x->cost[0];
	return d > 0 ? 1 : d < 0 ? -1 : 0;
}

static bool sum_queries(struct site_pairs *p)
{
	bool good = true;

	p->queries = calloc(p->n + 1, sizeof(*p->queries));
	if (!p->queries)
		return cli_no_memory(p->cli);
	for (size_t i = 0; i < p->n; i++) {
		struct site_query *q = query_of(p, &p->pairs[i]);

		q->cost[0] += cost_of(p->pairs[i].before);
		q->cost[1] += cost_of(p->pairs[i].after);
		q->error += p->pairs[i].error * p->pairs[i].error;
	}
	for (size_t i = 0; good && i < p->nqueries; i++) {
		struct site_query *q = &p->queries[i];
		double spread = p->spread * (q->cost[0] + q->cost[1]) / 2;

		q->error = q->error > 0 ? fmax(sqrt(q->error), spread) : 0;
		q->changed = q->error > 0 && fabs(q->cost[1] - q->cost[0]) >
						     SIGMAS * q->error;
		good = compare_plans(p, q->after, 1, q->before, &q->added) &&
		       compare_plans(p, q->before, 0, q->after, &q->gone);
	}
	if (p->nqueries)
		qsort(p->queries, p->nqueries, sizeof(*p->queries),
		      by_query_change);
	return good;
}

bool site_match(struct site_pairs *p)
{
	p->pairs = calloc(p->sites[0].nrows + p->sites[1].nrows + 1,
			  sizeof(*p->pairs));
	if (!p->pairs)
		return cli_no_memory(p->cli);
	match_all(p);
	if (!find_spread(p))
		return false;
	for (size_t i = 0; i < p->n; i++)
		set_error(p, &p->pairs[i]);
	qsort(p->pairs, p->n, sizeof(*p->pairs), by_change);
	return sum_queries(p);
}
