/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Decides whether a sample is of a thread of an executor's pool that works on a
 * task, by its stack, or else by the name of its thread: fl_on_task(), for
 * align.c and cost.c.
 */
#include "fl.h"

#include "spark/on_task.h"

/* IN_POOL: only if the thread is of the pool, as the stack's root was lost. */
enum { NO = 1, YES, IN_POOL };

static flame_id of_stack(struct flame *flame, struct fl_on_task *on_task,
			 flame_id stack)
{
	flame_id *known = fl_rewrite_slot(flame, &on_task->stacks, stack);
	flame_id result = IN_POOL;

	if (!known)
		return NO;
	if (*known)
		return *known;
	for (flame_id s = stack; s && result == IN_POOL;
	     s = fl_parent(flame, s)) {
		flame_id name = fl_frame_at(flame, s)->name;

		if (fl_patterns_match(flame, &on_task->runs, name))
			result = YES;
		else if (fl_patterns_match(flame, &on_task->waits, name))
			result = NO;
	}
	*fl_rewrite_slot(flame, &on_task->stacks, stack) = result;
	return result;
}

static flame_id thread_name(struct flame *flame,
			    const struct fl_on_task *on_task,
			    const struct flame_sample *s)
{
	return s->thread ?
	       flame_label_get(flame, s->thread, on_task->thread) : 0;
}

bool fl_on_task(struct flame *flame, struct fl_on_task *on_task,
		const struct flame_sample *s)
{
	flame_id result = of_stack(flame, on_task, s->stack), name;

	if (result != IN_POOL)
		return result == YES;
	name = thread_name(flame, on_task, s);
	/* "Executor task launch worker for task ...", "... idle worker#3" */
	return name && fl_slice_starts(fl_name_at(flame, name),
				       "Executor task ");
}

bool fl_may_be_on_task(struct flame *flame, struct fl_on_task *on_task,
		       const struct flame_sample *s)
{
	return fl_on_task(flame, on_task, s) ||
	       (of_stack(flame, on_task, s->stack) == IN_POOL &&
		!thread_name(flame, on_task, s));
}

int fl_on_task_init(struct flame *flame, struct fl_on_task *on_task)
{
	static const char runs[] = "executor.Executor\\$TaskRunner.run$";
	static const char waits[] = "ThreadPoolExecutor.getTask$";

	on_task->thread = fl_name(flame, "thread");
	if (fl_patterns_add(flame, &on_task->runs, "task", runs, false) !=
	    FLAME_OK)
		return FLAME_FAILED;
	return fl_patterns_add(flame, &on_task->waits, "task", waits, false);
}

void fl_on_task_free(struct fl_on_task *on_task)
{
	fl_rewrite_free(&on_task->stacks);
	fl_patterns_free(&on_task->runs);
	fl_patterns_free(&on_task->waits);
}
