/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Samples of tasks: those below TaskRunner.run, and of the pool's threads whose
 * stack does not reach it.
 */
#ifndef FL_SPARK_ON_TASK_H
#define FL_SPARK_ON_TASK_H

#include "filter/filter.h"

struct fl_on_task {
	struct fl_rewrite stacks;	/* the answers */
	struct fl_patterns runs, waits;
	flame_id thread;
};

/* FLAME_FAILED with fl_fail; free it then, too. */
int fl_on_task_init(struct flame *flame, struct fl_on_task *on_task);
void fl_on_task_free(struct fl_on_task *on_task);
/* Of a sample that has a stack. */
bool fl_on_task(struct flame *flame, struct fl_on_task *on_task,
		const struct flame_sample *sample);
/* Or may be: neither its stack nor its thread names the pool. */
bool fl_may_be_on_task(struct flame *flame, struct fl_on_task *on_task,
		       const struct flame_sample *sample);

#endif
