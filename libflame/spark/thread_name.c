/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fl_spark_task_name() reads the ids of task, stage, partition and attempt from
 * the name that a thread of Spark's executors has while it runs a task.  For
 * events.c, join_tasks.c and sample/threads.c.
 */
#include "fl.h"

#include "spark/spark.h"

/* Cuts digits off the front; false: there are none. */
static bool take_digits(struct slice *s, struct slice *digits)
{
	size_t n = 0;

	while (n < s->size && fl_is_digit(s->data[n]))
		n++;
	*digits = (struct slice){ s->data, n };
	*s = fl_slice_from(*s, n);
	return n;
}

static bool take_text(struct slice *s, const char *text)
{
	size_t n = strlen(text);

	if (!fl_slice_starts(*s, text))
		return false;
	*s = fl_slice_from(*s, n);
	return true;
}

bool fl_spark_task_name(struct slice name, struct fl_spark_task_name *task)
{
	static const char head[] = "Executor task launch worker for task ";
	const char *at = fl_slice_find(name, head);
	struct slice rest, first, stage_attempt;

	memset(task, 0, sizeof(*task));
	if (!at)
		return false;
	rest = (struct slice){ at, (size_t)(name.data + name.size - at) };
	take_text(&rest, head);
	if (!take_digits(&rest, &first))
		return false;
	if (!rest.size) {
		task->task = first;
		return fl_parse_digits(first, &task->id);
	}
	if (!take_text(&rest, ".") || !take_digits(&rest, &task->attempt) ||
	    !take_text(&rest, " in stage ") ||
	    !take_digits(&rest, &task->stage) || !take_text(&rest, ".") ||
	    !take_digits(&rest, &stage_attempt) ||
	    !take_text(&rest, " (TID ") || !take_digits(&rest, &task->task))
		return false;
	task->partition = first;
	return fl_parse_digits(task->task, &task->id);
}
