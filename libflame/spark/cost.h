/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The metric cost: what an executor's cores were paid for, by stack.
 *
 * Paid is the time from an executor's start to its end times its cores.  The
 * log has how much of it each stage's tasks used; the stacks that a task's
 * thread was seen in share that out.  Rows add up to what was paid.
 */
#ifndef FL_SPARK_COST_H
#define FL_SPARK_COST_H

#include "spark/operators.h"

/* Weights are in millionths of a core-second: FL_CORE_US. */
#define FL_COST_METRIC "cost"

struct fl_spark_cost;

/* price: of an hour of a core, in millionths; 0: weights are core-seconds. */
struct fl_spark_cost *fl_spark_cost_new(struct flame_sink *sink,
					struct fl_spark *spark,
					struct fl_operators *operators,
					int64_t price);
/*
 * A sample of an executor while a span's tasks ran; task: the one that it is
 * of, NULL: any of the span's.
 */
int fl_spark_cost_add(struct fl_spark_cost *cost, size_t executor,
		      const struct fl_spark_span *span,
		      const struct fl_spark_task *task,
		      const struct flame_sample *sample);
/*
 * A sample whose labels name its task, or the stage of that id, where task is
 * NULL; executor FL_SPARK_NONE: of any that ran the stage.
 */
int fl_spark_cost_add_labelled(struct fl_spark_cost *cost, size_t executor,
			       const struct fl_spark_task *task,
			       const struct fl_spark_ids *ids, size_t app,
			       int64_t stage, const struct flame_sample *sample);
/*
 * Whether a stack is of a task's Python worker, not of the JVM.  memo: of these
 * answers.
 */
bool fl_spark_is_python(struct flame *flame, struct fl_rewrite *memo,
			flame_id stack);
/* Forwards the rows to the sink after this one. */
int fl_spark_cost_finish(struct fl_spark_cost *cost);
/* NULL is allowed. */
void fl_spark_cost_free(struct fl_spark_cost *cost);

#endif
