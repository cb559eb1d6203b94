/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One event of Spark's log: the members of its JSON object that are read.
 */
#ifndef FL_SPARK_EVENT_H
#define FL_SPARK_EVENT_H

#include "spark/spark.h"
#include "io/json.h"

/* What a task measured; -1: the event lacks it.  Times in ms, but: */
struct fl_spark_measures {
	int64_t run, deserialize, gc, serialize, fetch_wait;
	int64_t cpu, deserialize_cpu, shuffle_write;	/* ns */
	int64_t remote_bytes, local_bytes, written_bytes;
	int64_t memory_spill, disk_spill;
	int64_t input_bytes, input_records, shuffle_records;	/* read */
};

/* Of a plan: each WholeStageCodegen (N), its operators and its metrics. */
struct fl_spark_plan {
	int64_t *codegens;	/* the numbers N */
	size_t ncodegens, codegens_capacity;
	struct fl_spark_plan_operator {
		size_t codegen;		/* in codegens */
		size_t text, size;	/* in names */
	} *operators;			/* of each codegen, top first */
	size_t noperators, operators_capacity;
	struct fl_buf names;
	struct fl_spark_plan_metric {
		size_t codegen;
		int64_t id;		/* of the accumulator */
	} *metrics;
	size_t nmetrics, metrics_capacity;
	/* While it is read: a level for each open node. */
	struct fl_spark_plan_level {
		size_t inside;		/* the codegen + 1; 0: none */
		bool named;
	} *levels;
	size_t nlevels, levels_capacity;
	bool no_memory;
};

enum { FL_MAX_PYTHONS = 8 };

/* A member that the line lacks is -1, or empty. */
struct fl_spark_event {
	struct fl_buf name, executor, host, app, app_name, stage_name;
	struct fl_buf description, reason, version;
	/*
	 * Why a task, stage, job or executor ended: text in Spark's words, and
	 * of a task the class of its exception and the whole stack trace.
	 */
	struct fl_buf failure, exception, trace;
	struct fl_buf result;		/* of a job: "JobSucceeded" */
	struct fl_buf pool, mode, dynamic;	/* of the scheduler */
	int64_t time, cores, stage, stage_attempt, ntasks;
	int64_t task, attempt, partition, index, launch, finish;
	int64_t job, sql, cpus, submitted, completed;
	int64_t batch;			/* of a stream */
	int64_t speculative, killed;	/* 1: true */
	struct fl_spark_measures measures;
	/* Of a job: its stages; of a stage: its parents. */
	int64_t *ids;
	size_t nids, ids_capacity;
	bool barrier;			/* of a stage */
	/* Of a completed stage: the ids of its accumulators. */
	int64_t *accumulators;
	size_t naccumulators, accumulators_capacity;
	/* Of those, "time to run Python workers", of each operator. */
	struct fl_spark_python {
		int64_t id, ms;
	} pythons[FL_MAX_PYTHONS];
	size_t npythons;
	struct fl_spark_plan plan;
	bool has_plan, no_memory;
};

/* event.c: reads the object that a line is; false: it is none. */
bool fl_spark_event_read(struct fl_spark_event *event, struct slice line);
void fl_spark_event_free(struct fl_spark_event *event);

/* plan.c: reads the value of sparkPlanInfo, which comes next. */
void fl_spark_plan_read(struct fl_spark_plan *plan, struct fl_json *json);
void fl_spark_plan_free(struct fl_spark_plan *plan);

#endif
