/* SPDX-License-Identifier: Apache-2.0 */
/*
 * flame-batch --outliers: finds executors of a page that are unlike the rest,
 * by its first metric, and adds them to the page's record, each with a page
 * that compares it with all.  The samples of an executor are some of the parts
 * that the group's samples were divided into.  Each frame has a share of an
 * executor's samples, with all that it calls; an executor is an outlier where a
 * share is far from the median of all executors: by more than 5 percentage
 * points, and by more than 5 standard deviations of what chance does to few
 * samples.  Called by page.c.
 */
#include "batch/batch.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_OUTLIERS = 8 };

#define MIN_DISTANCE 0.05
#define MIN_SIGMAS 5

struct share {
	flame_id name;
	double share;
};

struct executor {
	char *label;		/* "APP/EXECUTOR" */
	struct flame_tree *tree;
	struct share *shares;	/* sorted by name */
	size_t nshares;
	double samples;
	bool known;		/* its shares count */
	/* The frame that is furthest from the median. */
	flame_id frame;
	double distance, share, median;
};

struct survey {
	const struct batch_drawing *drawing;
	const struct batch *batch;
	const struct batch_group *group;
	struct flame *flame;
	const char *metric;
	struct executor *executors;
	size_t n;
	size_t *of;		/* by part: its executor, or SIZE_MAX */
};

/* Executors ----------------------------------------------------------- */

/* The place of an executor, which is added if it is new; label is freed. */
static size_t find(struct survey *s, char *label)
{
	for (size_t i = 0; i < s->n; i++)
		if (strcmp(s->executors[i].label, label) == 0) {
			free(label);
			return i;
		}
	s->executors[s->n].label = label;
	return s->n++;
}

/* Paths name executors of which nothing was read, too: they have no shares. */
static void list_paths(struct survey *s)
{
	for (size_t i = 0; i < s->group->n; i++) {
		char *label = batch_executor_of(s->group->inputs[i].path);

		if (label)
			(void)find(s, label);
	}
}

static bool list_executors(struct survey *s)
{
	size_t n = s->drawing->nparts;

	s->executors = calloc(n + s->group->n + 1, sizeof(*s->executors));
	s->of = calloc(n + 1, sizeof(*s->of));
	if (!s->executors || !s->of)
		return cli_no_memory(s->batch->cli);
	if (!s->group->split)
		list_paths(s);
	for (size_t i = 0; i < n; i++) {
		char *label = batch_executor_of_part(s->drawing, i);

		s->of[i] = label ? find(s, label) : SIZE_MAX;
		if (label)
			s->executors[s->of[i]].known = true;
	}
	return true;
}

static bool read_executor(struct survey *s, size_t executor)
{
	struct executor *e = &s->executors[executor];
	struct flame_sink *sink;
	bool good = true;

	e->tree = flame_tree_new(s->flame, 1);
	sink = e->tree ? flame_tree_sink(e->tree, 0) : NULL;
	if (sink)
		sink = flame_pick(sink, s->metric);
	if (!sink)
		return false;
	for (size_t i = 0; good && i < s->drawing->nparts; i++)
		if (s->of[i] == executor)
			good = batch_put_part(s->drawing, i, sink);
	if (good)
		return flame_finish(sink) == FLAME_OK;
	flame_abandon(sink);
	return false;
}

static int by_name(const void *a, const void *b)
{
	const struct share *x = a, *y = b;

	return (x->name > y->name) - (x->name < y->name);
}

static bool take_shares(struct executor *e)
{
	const struct flame_rank *ranks;
	size_t n;

	e->samples = (double)flame_tree_total(e->tree, 0);
	if (flame_tree_rank(e->tree, FLAME_NAMES, NULL, &ranks, &n) !=
	    FLAME_OK)
		return false;
	e->shares = calloc(n + 1, sizeof(*e->shares));
	if (!e->shares)
		return false;
	for (size_t i = 0; e->samples > 0 && i < n; i++)
		e->shares[e->nshares++] = (struct share){
			ranks[i].name, (double)ranks[i].total[0] / e->samples,
		};
	if (e->nshares)
		qsort(e->shares, e->nshares, sizeof(*e->shares), by_name);
	return true;
}

/* Distances ----------------------------------------------------------- */

static double share_of(const struct executor *e, flame_id name)
{
	const struct share key = { .name = name };
	const struct share *share = NULL;

	if (e->nshares)
		share = bsearch(&key, e->shares, e->nshares, sizeof(key),
				by_name);
	return share ? share->share : 0;
}

static int by_value(const void *a, const void *b)
{
	const double *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

static double median_of(const struct survey *s, flame_id name, double *scratch)
{
	size_t n = 0;

	for (size_t i = 0; i < s->n; i++)
		if (s->executors[i].known)
			scratch[n++] = share_of(&s->executors[i], name);
	qsort(scratch, n, sizeof(*scratch), by_value);
	return (scratch[n / 2] + scratch[(n - 1) / 2]) / 2;
}

/* Distances within the noise of that many samples are zero. */
static void compare_share(struct survey *s, struct executor *e, flame_id name,
			  double median)
{
	double share = share_of(e, name), distance = fabs(share - median);
	double p = (share + median) / 2, sigma;

	if (e->samples <= 0 || distance <= MIN_DISTANCE)
		return;
	sigma = sqrt(p * (1 - p) / e->samples);
	if (distance <= MIN_SIGMAS * sigma || distance < e->distance)
		return;
	/* Callers and callees often have equal shares: the first name wins. */
	if (distance == e->distance &&
	    strcmp(flame_name_text(s->flame, name, NULL),
		   flame_name_text(s->flame, e->frame, NULL)) >= 0)
		return;
	e->frame = name;
	e->distance = distance;
	e->share = share;
	e->median = median;
}

/* The largest name of any share, plus one. */
static size_t count_names(const struct survey *s)
{
	size_t n = 0;

	for (size_t i = 0; i < s->n; i++) {
		const struct executor *e = &s->executors[i];

		if (e->nshares && e->shares[e->nshares - 1].name >= n)
			n = (size_t)e->shares[e->nshares - 1].name + 1;
	}
	return n;
}

static void compare_name(struct survey *s, flame_id name, double *scratch)
{
	double median = median_of(s, name, scratch);

	for (size_t i = 0; i < s->n; i++)
		compare_share(s, &s->executors[i], name, median);
}

static bool compare_all(struct survey *s)
{
	double *scratch = calloc(s->n + 1, sizeof(*scratch));
	bool *seen = calloc(count_names(s) + 1, sizeof(*seen));

	for (size_t i = 0; scratch && seen && i < s->n; i++)
		for (size_t k = 0; k < s->executors[i].nshares; k++) {
			flame_id name = s->executors[i].shares[k].name;

			if (!seen[name])
				compare_name(s, name, scratch);
			seen[name] = true;
		}
	free(scratch);
	free(seen);
	return (scratch && seen) || cli_no_memory(s->batch->cli);
}

/* Results ------------------------------------------------------------- */

static int by_distance(const void *a, const void *b)
{
	const struct executor *x = a, *y = b;

	if (x->distance != y->distance)
		return x->distance < y->distance ? 1 : -1;
	return strcmp(x->label, y->label);
}

static const char *number_of(const struct executor *e)
{
	return strrchr(e->label, '/') + 1;
}

/* Compares its folded stacks with those of the group. */
static bool draw(struct survey *s, const struct executor *e, unsigned i,
		 const char *all, char **page)
{
	const char *group = s->group->name;
	char *folded = NULL, *title = NULL;
	bool good;

	*page = NULL;
	good = asprintf(&folded, BATCH_DATA "%s.outlier-%u.folded.zst",
			group, i) >= 0 &&
	       asprintf(page, BATCH_STAGES "%s.outlier-%u.html", group,
			i) >= 0 &&
	       asprintf(&title, "%s, executor %s against all, %s",
			s->group->title, number_of(e), s->metric) >= 0;
	good = good &&
	       batch_write_folded(s->batch, s->flame, e->tree, folded) &&
	       batch_draw_difference(s->batch, title, *page, all, folded);
	free(folded);
	free(title);
	return good;
}

static bool add_outlier(struct survey *s, const struct executor *e,
			unsigned i, const char *all, cJSON *outliers)
{
	cJSON *entry = cJSON_CreateObject();
	char *page = NULL;
	bool good = entry && cJSON_AddItemToArray(outliers, entry) &&
		    draw(s, e, i, all, &page) &&
		    batch_add_text(entry, "executor", number_of(e)) &&
		    batch_add_text(entry, "frame",
				   flame_name_text(s->flame, e->frame,
						   NULL)) &&
		    cJSON_AddNumberToObject(entry, "share", e->share) &&
		    cJSON_AddNumberToObject(entry, "median", e->median) &&
		    cJSON_AddStringToObject(entry, "page", page);

	free(page);
	return good;
}

static bool add_outliers(struct survey *s, const char *all, cJSON *record)
{
	cJSON *outliers = cJSON_AddArrayToObject(record, "outliers");
	bool good = outliers;

	qsort(s->executors, s->n, sizeof(*s->executors), by_distance);
	for (unsigned i = 0; good && i < s->n && i < MAX_OUTLIERS &&
			     s->executors[i].distance > 0; i++)
		good = add_outlier(s, &s->executors[i], i + 1, all, outliers);
	return good;
}

static bool read_executors(struct survey *s)
{
	for (size_t i = 0; i < s->n; i++)
		if (!read_executor(s, i) ||
		    !take_shares(&s->executors[i]))
			return false;
	return true;
}

bool batch_find_outliers(struct batch_drawing *d)
{
	const cJSON *metrics = batch_list(d->record, "metrics");
	const cJSON *first = metrics ? metrics->child : NULL;
	struct survey s = {
		.drawing = d, .batch = d->batch, .group = d->group,
		.flame = d->flame, .metric = batch_text(first, "name"),
	};
	bool good = list_executors(&s);

	if (good && first && s.n >= BATCH_MIN_EXECUTORS)
		good = read_executors(&s) && compare_all(&s) &&
		       add_outliers(&s, batch_text(first, "folded"),
				    d->record);
	for (size_t i = 0; i < s.n; i++) {
		flame_tree_free(s.executors[i].tree);
		free(s.executors[i].shares);
		free(s.executors[i].label);
	}
	free(s.executors);
	free(s.of);
	return good;
}
