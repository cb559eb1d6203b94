/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fl_thread_task() finds the method that a thread runs by the name of the
 * thread, for --root (root.c) and --keep (keep.c): Spark's executor threads run
 * TaskRunner.run.  perf's stacks have no names of interpreted methods, and a
 * method that is called once per task is never compiled; only the thread's name
 * (comm) at the root shows it.
 */
#include "fl.h"

#include "filter/filter.h"

/* The comm, which the kernel cuts at 15 bytes, and the thread's method. */
static const struct task {
	const char *comm, *method;
	const char *word;	/* of the comm, however it is written */
} tasks[] = {
	/* "Executor task launch worker for task 7.0 in stage 3.0 (TID 42)" */
	{ "Executor task l",
	  "org/apache/spark/executor/Executor$TaskRunner.run", "Executor" },
};

struct slice fl_thread_task_text(const struct fl_regex *re)
{
	for (size_t i = 0; i < FL_COUNT(tasks); i++)
		if (fl_java_match(re, (struct slice){ tasks[i].method,
						strlen(tasks[i].method) }))
			return (struct slice){ tasks[i].word,
					       strlen(tasks[i].word) };
	return (struct slice){ NULL, 0 };
}

/* stackcollapse-perf.pl writes '_' for ' ' and appends -PID or -PID/TID. */
static bool is_comm(struct slice name, const char *comm)
{
	size_t n = strlen(comm), i;

	if (name.size < n)
		return false;
	for (i = 0; i < n; i++)
		if (name.data[i] != comm[i] &&
		    !(comm[i] == ' ' && name.data[i] == '_'))
			return false;
	if (i < name.size && name.data[i] != '-')
		return false;
	while (i < name.size && strchr("-/?0123456789", name.data[i]) &&
	       name.data[i])
		i++;
	return i == name.size;
}

static flame_id method_of(struct flame_sink *sink, struct slice name)
{
	struct fl_stepper *stepper = sink->state;

	for (size_t i = 0; i < FL_COUNT(tasks); i++) {
		flame_id method;

		if (!is_comm(name, tasks[i].comm))
			continue;
		method = fl_name(sink->flame, tasks[i].method);
		if (fl_patterns_match(sink->flame, &stepper->patterns, method))
			return method;
	}
	return 0;
}

/* The root frame, or the one above a category, decides for all above. */
static flame_id step(struct flame_sink *sink, flame_id parent, flame_id stack)
{
	struct flame *flame = sink->flame;
	flame_id below = fl_parent(flame, stack);

	if (below && (fl_parent(flame, below) ||
		      !fl_is_category(flame, fl_frame_id(flame, below))))
		return parent;
	return method_of(sink, fl_name_at(flame,
					  fl_frame_at(flame, stack)->name));
}

flame_id fl_thread_task(struct flame_sink *sink, flame_id stack)
{
	struct fl_stepper *stepper = sink->state;

	return fl_rewrite(sink, &stepper->tasks, stack, step);
}
