/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Names of the threads that are recorded: label sets and root frames.
 */
#include "fl.h"

#include "sample/recorder.h"

#include <stdio.h>

/* The thread's own name; of a thread that ended, its process's. */
static flame_id thread_name(struct fl_recorder *r, struct fl_process *p,
			    pid_t tid)
{
	struct flame *flame = r->processes.flame;
	char path[64], text[64];
	size_t n;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/task/%d/comm", (int)p->pid,
		 (int)tid);
	file = fopen(path, "re");
	if (!file)
		return fl_process_comm(&r->processes, p);
	n = fread(text, 1, sizeof(text), file);
	fclose(file);
	if (n && text[n - 1] == '\n')
		n--;
	return n ? flame_name(flame, text, n) :
		   fl_process_comm(&r->processes, p);
}

/* "comm", or with threads "comm" and "thread-pid/tid" in it. */
static void name_thread(struct fl_recorder *r, struct fl_process *p, pid_t tid,
			struct fl_thread_name *t)
{
	struct flame *flame = r->processes.flame;
	char number[24];

	t->process = fl_process_comm(&r->processes, p);
	t->set = fl_thread(flame, fl_name_at(flame, t->comm), tid);
	number[fl_format_u64(number, (uint64_t)p->pid)] = '\0';
	t->set = flame_label(flame, t->set, fl_name(flame, "pid"),
			     fl_name(flame, number));
	t->base = flame_stack(flame, 0, fl_frame(flame, t->process,
						 FLAME_GROUP));
	if (!r->how.threads)
		return;
	t->base = flame_stack(flame, t->base, fl_thread_frame(flame, t->set));
}

const struct fl_thread_name *fl_recorder_thread(struct fl_recorder *r,
						struct fl_process *p,
						pid_t tid)
{
	bool fresh;
	uint64_t *place = fl_map_put(&r->threads, (uint64_t)tid, &fresh);
	struct fl_thread_name *t;
	flame_id comm;

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
	if (t->set && t->process == fl_process_comm(&r->processes, p))
		return t;
	comm = tid == p->pid ? fl_process_comm(&r->processes, p) : t->comm;
	t->comm = comm ? comm : thread_name(r, p, tid);
	name_thread(r, p, tid, t);
	return t;
}

void fl_recorder_rename(struct fl_recorder *r, const struct fl_event *e)
{
	const uint64_t *place = fl_map_get(&r->threads, (uint64_t)e->tid);

	if (!place)
		return;
	r->names[*place].comm = fl_name(r->processes.flame, e->text);
	r->names[*place].set = 0;
}
