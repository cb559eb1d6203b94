/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The tables of Spark's event logs (struct fl_spark): finds and adds rows of
 * applications, executors, stages, queries and jobs.  log.c fills them, and
 * filters and bills read them.
 */
#include "fl.h"

#include "spark/spark.h"

#include <stdlib.h>

size_t fl_spark_find_app(const struct fl_spark *spark, struct slice id)
{
	for (size_t i = 0; i < spark->napps; i++)
		if (fl_slice_is(id, spark->apps[i].id))
			return i;
	return FL_SPARK_NONE;
}

size_t fl_spark_app(struct fl_spark *spark, struct slice id)
{
	size_t found = fl_spark_find_app(spark, id);
	const char *copy;

	if (found != FL_SPARK_NONE)
		return found;
	copy = fl_arena_copy(&spark->arena, id.data, id.size);
	if (!copy || !fl_grow(&spark->apps, &spark->apps_capacity,
			      spark->napps + 1, sizeof(*spark->apps)))
		return FL_SPARK_NONE;
	spark->apps[spark->napps] = (struct fl_spark_app){
		.id = copy, .name = "", .version = "", .task_cpus = 1,
	};
	return spark->napps++;
}

static uint64_t executor_key(size_t app, struct slice id, unsigned again)
{
	return fl_hash_pair(fl_hash(id.data, id.size), (uint64_t)app << 8 |
						       (again & 0xff));
}

/* On a collision of hashes, which hostile input can cause, use another key. */
static uint64_t *executor_place(const struct fl_spark *spark, size_t app,
				struct slice id, uint64_t *key)
{
	const struct fl_spark_executor *e;
	uint64_t *place;

	for (unsigned again = 0; again < 256; again++) {
		*key = executor_key(app, id, again);
		place = fl_map_get(&spark->index, *key);
		if (!place)
			return NULL;
		e = &spark->executors[*place - 1];
		if (e->app == app && fl_slice_is(id, e->id))
			return place;
	}
	return NULL;
}

size_t fl_spark_find_executor(const struct fl_spark *spark, size_t app,
			      struct slice id)
{
	uint64_t key, *place = executor_place(spark, app, id, &key);

	return place ? (size_t)*place - 1 : FL_SPARK_NONE;
}

struct fl_spark_executor *fl_spark_executor(struct fl_spark *spark, size_t app,
					    struct slice id)
{
	uint64_t key, *place = executor_place(spark, app, id, &key);
	struct fl_spark_executor *e;

	if (place)
		return &spark->executors[*place - 1];
	if (!fl_grow(&spark->executors, &spark->executors_capacity,
		     spark->nexecutors + 1, sizeof(*spark->executors)))
		return NULL;
	e = &spark->executors[spark->nexecutors];
	*e = (struct fl_spark_executor){
		.app = app, .removed = INT64_MAX, .host = "", .reason = "",
		.id = fl_arena_copy(&spark->arena, id.data, id.size),
	};
	place = e->id ? fl_map_put(&spark->index, key, NULL) : NULL;
	if (!place)
		return NULL;
	*place = ++spark->nexecutors;
	return e;
}

struct fl_spark_stage *fl_spark_stage(struct fl_spark *spark, size_t app,
				      int64_t id, int64_t attempt)
{
	uint64_t key = fl_hash_pair(fl_hash_pair((uint64_t)id, app),
				    (uint64_t)attempt);
	uint64_t *place = fl_map_put(&spark->stage_index, key, NULL);

	if (!place)
		return NULL;
	if (*place)
		return &spark->stages[*place - 1];
	if (!fl_grow(&spark->stages, &spark->stages_capacity,
		     spark->nstages + 1, sizeof(*spark->stages)))
		return NULL;
	spark->stages[spark->nstages] = (struct fl_spark_stage){
		.app = app, .id = id, .attempt = attempt, .name = "",
		.job = "", .sql = -1, .failure = "", .pool = "",
	};
	*place = ++spark->nstages;
	return &spark->stages[spark->nstages - 1];
}

struct fl_spark_query *fl_spark_query(struct fl_spark *spark, size_t app,
				      int64_t id)
{
	uint64_t key = fl_hash_pair((uint64_t)id, app);
	uint64_t *place = fl_map_put(&spark->query_index, key, NULL);

	if (!place)
		return NULL;
	if (*place)
		return &spark->queries[*place - 1];
	if (!fl_grow(&spark->queries, &spark->queries_capacity,
		     spark->nqueries + 1, sizeof(*spark->queries)))
		return NULL;
	spark->queries[spark->nqueries] = (struct fl_spark_query){
		.app = app, .id = id, .description = "",
	};
	*place = ++spark->nqueries;
	return &spark->queries[spark->nqueries - 1];
}

struct fl_spark_job *fl_spark_job(struct fl_spark *spark, size_t app,
				  int64_t id)
{
	uint64_t *place = fl_map_put(&spark->job_index,
				     fl_hash_pair((uint64_t)id, app), NULL);

	if (!place)
		return NULL;
	if (*place)
		return &spark->jobs[*place - 1];
	if (!fl_grow(&spark->jobs, &spark->jobs_capacity, spark->njobs + 1,
		     sizeof(*spark->jobs)))
		return NULL;
	spark->jobs[spark->njobs] = (struct fl_spark_job){
		.app = app, .id = id, .description = "", .failure = "",
		.stage = -1, .sql = -1, .batch = -1,
	};
	*place = ++spark->njobs;
	return &spark->jobs[spark->njobs - 1];
}

const struct fl_spark_query *
fl_spark_find_query(const struct fl_spark *spark, size_t app, int64_t id)
{
	const uint64_t *place = fl_map_get(&spark->query_index,
					   fl_hash_pair((uint64_t)id, app));

	return place ? &spark->queries[*place - 1] : NULL;
}

static int by_id(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return (x > y) - (x < y);
}

bool fl_spark_add_ids(struct fl_spark *spark, const int64_t *ids, size_t n,
		      size_t *first)
{
	if (!fl_grow(&spark->ids, &spark->ids_capacity, spark->nids + n,
		     sizeof(*ids)))
		return false;
	*first = spark->nids;
	if (!n)
		return true;
	memcpy(spark->ids + spark->nids, ids, n * sizeof(*ids));
	qsort(spark->ids + spark->nids, n, sizeof(*ids), by_id);
	spark->nids += n;
	return true;
}

static bool share_an_id(const struct fl_spark *spark,
			const struct fl_spark_stage *stage,
			const struct fl_spark_codegen *codegen)
{
	const int64_t *a = spark->ids + stage->first_id;
	const int64_t *b = spark->ids + codegen->first_id;
	const int64_t *a_end = a + stage->nids, *b_end = b + codegen->nids;

	while (a < a_end && b < b_end) {
		if (*a == *b)
			return true;
		if (*a < *b)
			a++;
		else
			b++;
	}
	return false;
}

const struct fl_spark_codegen *
fl_spark_codegen_of(const struct fl_spark *spark,
		    const struct fl_spark_stage *stage, int64_t id)
{
	const struct fl_spark_query *query = stage->sql < 0 ? NULL :
		fl_spark_find_query(spark, stage->app, stage->sql);
	const struct fl_spark_codegen *only = NULL;
	size_t n = 0;

	for (size_t i = 0; query && i < query->ncodegens; i++) {
		const struct fl_spark_codegen *codegen =
			&spark->codegens[query->first_codegen + i];

		if (codegen->id != id)
			continue;
		if (share_an_id(spark, stage, codegen))
			return codegen;
		only = codegen;
		n++;
	}
	/* A stage that did not complete has no accumulators in the log. */
	return n == 1 && !stage->nids ? only : NULL;
}

void fl_spark_free(struct fl_spark *spark)
{
	for (size_t i = 0; i < spark->nexecutors; i++)
		fl_free(spark->executors[i].tasks);
	fl_free(spark->executors);
	fl_free(spark->apps);
	fl_free(spark->stages);
	fl_free(spark->spans);
	fl_free(spark->running);
	fl_free(spark->queries);
	fl_free(spark->codegens);
	fl_free(spark->ids);
	fl_free(spark->shares);
	fl_free(spark->jobs);
	fl_free(spark->failures);
	fl_map_free(&spark->index);
	fl_map_free(&spark->query_index);
	fl_map_free(&spark->job_index);
	fl_map_free(&spark->failure_index);
	fl_map_free(&spark->stage_index);
	fl_arena_free(&spark->arena);
}
