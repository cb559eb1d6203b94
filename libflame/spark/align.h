/* SPDX-License-Identifier: Apache-2.0 */
#ifndef FL_SPARK_ALIGN_H
#define FL_SPARK_ALIGN_H

#include "spark/spark.h"
#include "flow/flow.h"

/* executor: FL_SPARK_NONE, or the one whose log's clock the time is of. */
typedef int fl_spark_put(struct flame_sink *sink, size_t executor,
			 const struct flame_sample *sample);

/*
 * Moves samples to the log's clock, measured for each executor (its fields
 * clock and shift), and hands them to put(sink, ...) in their order.  NULL with
 * fl_fail.
 */
struct fl_spark_align *fl_spark_align_new(struct flame_sink *sink,
					  struct fl_spark *spark,
					  fl_spark_put *put);
/* executor: FL_SPARK_NONE: the sample is not placed by its time. */
int fl_spark_align_put(struct fl_spark_align *align, size_t executor,
		       const struct flame_sample *sample);
/* After the last sample. */
int fl_spark_align_end(struct fl_spark_align *align);
/* NULL is ignored. */
void fl_spark_align_free(struct fl_spark_align *align);

#endif
