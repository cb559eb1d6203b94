/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fl_spark_is_python() recognises, for cost.c, stacks of Python workers that
 * flame-record put on the stacks of the tasks that wait for them: Java's frames
 * up to the one of Spark that reads from Python, the name of the worker's
 * process, and the worker's own frames.
 */
#include "fl.h"

#include "spark/cost.h"

enum { NO = 1, YES };

static bool is_process(struct slice name)
{
	return fl_slice_starts(name, "python") ||
	       fl_slice_starts(name, "pypy");
}

/* org/apache/spark/api/python/BasePythonRunner$ReaderInputStream.read */
static bool is_runner(struct slice name)
{
	return fl_slice_starts(name, "org/apache/spark/") &&
	       fl_slice_find(name, "/python/");
}

bool fl_spark_is_python(struct flame *flame, struct fl_rewrite *memo,
			flame_id stack)
{
	flame_id *known = fl_rewrite_slot(flame, memo, stack), result = NO;

	if (!known)
		return false;
	if (*known)
		return *known == YES;
	for (flame_id s = stack, parent; s && result == NO; s = parent) {
		parent = fl_parent(flame, s);
		if (parent && is_process(fl_name_at(flame,
				fl_frame_at(flame, s)->name)) &&
		    is_runner(fl_name_at(flame,
				fl_frame_at(flame, parent)->name)))
			result = YES;
	}
	*fl_rewrite_slot(flame, memo, stack) = result;
	return result == YES;
}
