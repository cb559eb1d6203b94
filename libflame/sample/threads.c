/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Names of the threads that are recorded: fl_recorder_thread() returns the
 * label set of a thread and the root frames of its stacks, for record.c, wall.c
 * and join.c.
 *
 * record.c calls fl_recorder_foresee() for a record of a new name that is still
 * to come, fl_recorder_read_names() then reads the name of a JVM's thread from
 * the JVM's memory, and fl_recorder_rename() sets it when that record's turn
 * comes: samples between two such records have one name.  Of names that did not
 * last until they were read, the kernel's 15 bytes are known.  Where there are
 * no such records, a name is read again after 200 ms.
 */
#include "fl.h"

#include "sample/recorder.h"
#include "spark/spark.h"

#include <stdio.h>

/* The thread's own name; of a thread that ended, its process's. */
static flame_id thread_name(struct fl_recorder *r, struct fl_process *p,
			    pid_t tid)
{
	struct flame *flame = r->processes.flame;
	char text[64];
	ssize_t n = fl_read_task(p->pid, tid, "comm", text, sizeof(text));

	if (n > 0 && text[n - 1] == '\n')
		n--;
	return n > 0 ? flame_name(flame, text, (size_t)n) :
		       fl_process_comm(&r->processes, p);
}

/* 0: not known.  A JVM is opened when its frames are met, not while it loads. */
static flame_id java_name(struct fl_recorder *r, struct fl_process *p, pid_t tid,
			  flame_id comm)
{
	struct slice text = fl_name_at(r->processes.flame, comm);

	return r->how.comms ? 0 :
	       fl_hotspot_thread_name(p->hotspot, tid, text);
}

static flame_id with_labels(struct fl_recorder *r, struct fl_process *p,
			    flame_id set)
{
	static const enum fl_path_key keys[] = { FL_PATH_EXECUTOR, FL_PATH_APP };
	struct flame *flame = r->processes.flame;
	flame_id labels = fl_process_labels(&r->processes, p);

	for (size_t i = 0; labels && i < FL_COUNT(keys); i++) {
		flame_id key = fl_name(flame, fl_path_keys[keys[i]]);
		flame_id value = flame_label_get(flame, labels, key);

		if (value)
			set = flame_label(flame, set, key, value);
	}
	return set;
}

/* Of a thread that is named after its task, now. */
static flame_id with_task(struct flame *flame, flame_id java, flame_id set)
{
	struct fl_spark_task_name task;
	const struct {
		const char *key;
		const struct slice *value;
	} labels[] = {
		{ "stage", &task.stage }, { "task", &task.task },
		{ "partition", &task.partition }, { "attempt", &task.attempt },
	};

	if (!java || !fl_spark_task_name(fl_name_at(flame, java), &task))
		return set;
	for (size_t i = 0; i < FL_COUNT(labels); i++)
		if (labels[i].value->size)
			set = flame_label(flame, set,
					  fl_name(flame, labels[i].key),
					  flame_name(flame,
						     labels[i].value->data,
						     labels[i].value->size));
	return set;
}

/* "comm", or with threads "comm" and "thread-pid/tid" in it. */
static void name_thread(struct fl_recorder *r, struct fl_process *p, pid_t tid,
			struct fl_thread_name *t)
{
	struct flame *flame = r->processes.flame;
	char number[24];

	t->process = fl_process_comm(&r->processes, p);
	t->set = fl_thread(flame, fl_name_at(flame, t->java ? t->java :
								t->comm), tid);
	number[fl_format_u64(number, (uint64_t)p->pid)] = '\0';
	t->set = flame_label(flame, t->set, fl_name(flame, "pid"),
			     fl_name(flame, number));
	t->set = with_labels(r, p, with_task(flame, t->java, t->set));
	t->base = flame_stack(flame, 0, fl_frame(flame, t->process,
						 FLAME_GROUP));
	if (!r->how.threads)
		return;
	t->base = flame_stack(flame, t->base, fl_thread_frame(flame, t->set));
}

/* Of a thread of that process; NULL: out of memory. */
static struct fl_thread_name *entry_of(struct fl_recorder *r,
				       const struct fl_process *p, pid_t tid)
{
	bool fresh;
	uint64_t *place = fl_map_put(&r->threads, (uint64_t)tid, &fresh);
	struct fl_thread_name *t;

	if (!place || !fl_grow(&r->names, &r->names_capacity, r->nnames + 1,
			       sizeof(*r->names))) {
		fl_no_memory(r->processes.flame);
		return NULL;
	}
	if (fresh) {
		*place = r->nnames++;
		memset(&r->names[*place], 0, sizeof(*r->names));
	}
	t = &r->names[*place];
	if (t->pid != p->pid)		/* new, or the number is used again */
		*t = (struct fl_thread_name){ .pid = p->pid };
	return t;
}

/* Others may rename a thread, which the kernel does not hear of. */
static void refresh(struct fl_recorder *r, struct fl_process *p, pid_t tid,
		    struct fl_thread_name *t)
{
	int64_t now = fl_now();
	flame_id java;

	if (!p->hotspot || t->ahead ||
	    (t->java_read && now - t->java_read < FL_REREAD_NS))
		return;
	t->java_read = now;
	java = java_name(r, p, tid, t->comm);
	if (!java || java == t->java)
		return;
	t->java = java;
	t->set = 0;
}

const struct fl_thread_name *fl_recorder_thread(struct fl_recorder *r,
						struct fl_process *p,
						pid_t tid)
{
	struct fl_thread_name *t = entry_of(r, p, tid);
	flame_id comm;

	if (!t)
		return NULL;
	if (!t->comm) {
		comm = tid == p->pid ? fl_process_comm(&r->processes, p) : 0;
		t->comm = comm ? comm : thread_name(r, p, tid);
	}
	refresh(r, p, tid, t);
	if (!t->set || t->process != fl_process_comm(&r->processes, p))
		name_thread(r, p, tid, t);
	return t;
}

void fl_recorder_rename(struct fl_recorder *r, const struct fl_event *e)
{
	const uint64_t *place = fl_map_get(&r->threads, (uint64_t)e->tid);
	struct fl_thread_name *t = place ? &r->names[*place] : NULL;

	if (!t)
		return;
	t->comm = fl_name(r->processes.flame, e->text);
	t->set = 0;
	if (t->ahead)
		t->ahead--;
	t->java = t->ahead ? 0 : t->last;
}

void fl_recorder_foresee(struct fl_recorder *r, struct fl_process *p, pid_t tid)
{
	struct fl_thread_name *t;

	if (r->how.comms ||
	    (!p->hotspot && !fl_map_get(&r->threads, (uint64_t)tid)))
		return;
	t = entry_of(r, p, tid);
	if (!t || !fl_grow(&r->renamed, &r->renamed_capacity, r->nrenamed + 1,
			   sizeof(*r->renamed)))
		return;
	t->ahead++;
	t->last = 0;
	r->renamed[r->nrenamed++] = (struct fl_task){ p->pid, tid };
}

bool fl_recorder_read_names(struct fl_recorder *r)
{
	bool any = r->nrenamed;

	while (r->nrenamed) {
		struct fl_task task = r->renamed[--r->nrenamed];
		struct fl_process *p = fl_process_find(&r->processes, task.pid);
		struct fl_thread_name *t = p ? entry_of(r, p, task.tid) : NULL;

		if (!t || !p->hotspot)
			continue;
		t->last = fl_hotspot_thread_name(p->hotspot, task.tid,
						 (struct slice){ 0 });
		if (t->last)
			t->java_read = fl_now();
	}
	if (any)
		fl_perf_events_refresh(&r->events);
	return any;
}
