/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Event logs of Spark: an executor's spans follow one another, and each task
 * that is said to run in one does.
 */
#include "fuzz.h"

#include "spark/spark.h"

#include <stdlib.h>

static void check(struct fl_spark *spark, const struct fl_spark_executor *e)
{
	const struct fl_spark_span *spans =
		e->nspans ? &spark->spans[e->first_span] : NULL;

	for (size_t i = 0; i < e->nspans; i++) {
		FUZZ_HOLDS(!i || spans[i - 1].start < spans[i].start);
		FUZZ_HOLDS(fl_spark_span_at(spark, e, spans[i].start) ==
			   &spans[i]);
		FUZZ_HOLDS(spans[i].ntasks + spans[i].first <=
			   spark->nrunning);
		FUZZ_HOLDS(!e->cores ||
			   (int64_t)spans[i].ntasks <= e->cores);
		for (size_t j = 0; j < spans[i].ntasks; j++) {
			const struct fl_spark_task *task =
				&e->tasks[spark->running[spans[i].first + j]];

			FUZZ_HOLDS(task->start <= spans[i].start);
			FUZZ_HOLDS(task->end > spans[i].start);
			FUZZ_HOLDS(task->stage < spark->nstages);
		}
	}
}

void fuzz_spark(const struct fuzz_target *target, const uint8_t *data,
		size_t size)
{
	struct flame *flame = fuzz_flame();
	struct fl_spark spark = { .napps = 0 };
	struct fl_spark_log *log = fl_spark_log_new(flame, &spark);
	int status;

	(void)target;
	if (!log)
		exit(0);
	status = fl_spark_log_read(
		log, fl_in_memory(flame, data, size, "m"), size % 2);
	fl_spark_log_free(log);
	if (status == FLAME_OK)
		status = fl_spark_finish(flame, &spark);
	FUZZ_HOLDS((status == FLAME_OK) == !fl_failed(flame));
	for (size_t i = 0; status == FLAME_OK && i < spark.nexecutors; i++)
		check(&spark, &spark.executors[i]);
	fl_spark_free(&spark);
	flame_free(flame);
}
