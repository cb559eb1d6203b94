/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finds a task or the attempts of a stage by the application and the ids that a
 * sample's labels name, for events.c and cost.c: an index over the tables of
 * the event logs.
 */
#include "fl.h"

#include "spark/spark.h"

#include <stdlib.h>

struct task_id {
	int64_t id;
	size_t app, executor, task;
};

struct stage_id {
	int64_t id;
	size_t app, stage;
};

struct fl_spark_ids {
	struct task_id *tasks;
	struct stage_id *stages;
	size_t ntasks, nstages;
};

static int by_task(const void *a, const void *b)
{
	const struct task_id *x = a, *y = b;

	if (x->id != y->id)
		return x->id < y->id ? -1 : 1;
	return (x->app > y->app) - (x->app < y->app);
}

static int by_stage(const void *a, const void *b)
{
	const struct stage_id *x = a, *y = b;

	if (x->app != y->app)
		return x->app < y->app ? -1 : 1;
	if (x->id != y->id)
		return x->id < y->id ? -1 : 1;
	return (x->stage > y->stage) - (x->stage < y->stage);
}

static void list_tasks(struct fl_spark_ids *ids, const struct fl_spark *spark)
{
	for (size_t i = 0; i < spark->nexecutors; i++) {
		const struct fl_spark_executor *e = &spark->executors[i];

		for (size_t j = 0; j < e->ntasks; j++)
			ids->tasks[ids->ntasks++] = (struct task_id){
				e->tasks[j].id, e->app, i, j,
			};
	}
	if (ids->ntasks)
		qsort(ids->tasks, ids->ntasks, sizeof(*ids->tasks), by_task);
}

static void list_stages(struct fl_spark_ids *ids, const struct fl_spark *spark)
{
	while (ids->nstages < spark->nstages) {
		size_t i = ids->nstages++;

		ids->stages[i] = (struct stage_id){
			spark->stages[i].id, spark->stages[i].app, i,
		};
	}
	if (ids->nstages)
		qsort(ids->stages, ids->nstages, sizeof(*ids->stages),
		      by_stage);
}

struct fl_spark_ids *fl_spark_ids_new(const struct fl_spark *spark)
{
	struct fl_spark_ids *ids = fl_zeroed(1, sizeof(*ids));
	size_t n = 0;

	if (!ids)
		return NULL;
	for (size_t i = 0; i < spark->nexecutors; i++)
		n += spark->executors[i].ntasks;
	ids->tasks = fl_zeroed(n + 1, sizeof(*ids->tasks));
	ids->stages = fl_zeroed(spark->nstages + 1, sizeof(*ids->stages));
	if (!ids->tasks || !ids->stages) {
		fl_spark_ids_free(ids);
		return NULL;
	}
	list_tasks(ids, spark);
	list_stages(ids, spark);
	return ids;
}

void fl_spark_ids_free(struct fl_spark_ids *ids)
{
	if (!ids)
		return;
	fl_free(ids->tasks);
	fl_free(ids->stages);
	fl_free(ids);
}

const struct fl_spark_task *fl_spark_task_of(const struct fl_spark_ids *ids,
					     const struct fl_spark *spark,
					     size_t app, int64_t id,
					     size_t *executor)
{
	const struct task_id key = { .id = id, .app = app };
	const struct task_id *found = bsearch(&key, ids->tasks, ids->ntasks,
					      sizeof(key), by_task);

	if (!found)
		return NULL;
	*executor = found->executor;
	return &spark->executors[found->executor].tasks[found->task];
}

size_t fl_spark_stage_of(const struct fl_spark_ids *ids, size_t app, int64_t id,
			 size_t *at)
{
	size_t low = 0, high = ids->nstages;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		const struct stage_id *s = &ids->stages[middle];

		if (s->app < app || (s->app == app && s->id < id))
			low = middle + 1;
		else
			high = middle;
	}
	if (*at >= ids->nstages - low)
		return FL_SPARK_NONE;
	low += (*at)++;
	return ids->stages[low].app == app && ids->stages[low].id == id ?
	       ids->stages[low].stage : FL_SPARK_NONE;
}
