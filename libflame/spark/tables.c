/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The tables of Spark's event logs: applications, executors, stages.
 */
#include "fl.h"

#include "spark/spark.h"

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
		.id = copy, .name = "",
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
		.app = app, .removed = INT64_MAX, .host = "",
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
		.job = "", .sql = -1,
	};
	*place = ++spark->nstages;
	return &spark->stages[spark->nstages - 1];
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
	fl_map_free(&spark->index);
	fl_map_free(&spark->stage_index);
	fl_arena_free(&spark->arena);
}
