/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Joins the stacks of a Spark task and of its Python worker into one:
 * fl_join_base() returns the stack on which the worker's frames stand, and the
 * labels of the task, for record.c and wall.c.
 *
 * A task writes rows to its worker's socket, and waits there for the results.
 * Whenever a worker is sampled, fl_join_look() finds the thread that waits for
 * the other end of one of its sockets, and reads that thread's stack as it
 * waits: the worker's stack stands on the frame of Spark that reads from
 * Python.  If no thread waits at that moment, the one that waited last still
 * counts as the worker's task: both compute at the same time.
 */
#include "fl.h"

#include "sample/join.h"
#include "sample/apart.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>

#define FIRST_PAUSE INT64_C(100000000)

/* Listing all threads costs a twentieth of the time at most. */
enum { PAUSES = 20 };

bool fl_join_init(struct fl_join *join)
{
	return fl_blocked_init(&join->blocked, FL_MAX_STACK, false);
}

void fl_join_free(struct fl_join *join)
{
	fl_map_free(&join->by_pid);
	fl_free(join->data);
	fl_free(join->awaited);
	fl_free(join->tasks);
	fl_blocked_free(&join->blocked);
}

static struct fl_worker *find(const struct fl_join *join, pid_t pid)
{
	const uint64_t *place = fl_map_get(&join->by_pid, (uint64_t)pid);

	return place && *place ? &join->data[*place - 1] : NULL;
}

static struct fl_worker *get(struct fl_recorder *r, pid_t pid)
{
	struct fl_join *join = &r->join;
	uint64_t *place = fl_map_put(&join->by_pid, (uint64_t)pid, NULL);

	if (!place || !fl_grow(&join->data, &join->capacity, join->count + 1,
			       sizeof(*join->data))) {
		fl_no_memory(r->processes.flame);
		return NULL;
	}
	if (!*place) {
		*place = ++join->count;
		join->data[*place - 1] = (struct fl_worker){
			.pid = pid, .pause = FIRST_PAUSE,
		};
	}
	return &join->data[*place - 1];
}

void fl_join_forget(struct fl_join *join, pid_t pid)
{
	struct fl_worker *w = find(join, pid);

	if (w)
		*w = (struct fl_worker){ .pid = pid, .pause = FIRST_PAUSE };
}

/* Threads of JVMs ----------------------------------------------------------- */

static bool may_wait(const struct fl_recorder *r, const struct fl_process *p)
{
	return (p->tracked || r->how.sampling.all) && !p->exited &&
	       !fl_apart_is_unreadable(p->pid) &&
	       p->has_maps && (p->hotspot || fl_process_is_jvm(p));
}

static void add_awaited(struct fl_recorder *r, pid_t pid, pid_t tid)
{
	struct fl_join *join = &r->join;
	uint64_t inodes[FL_MAX_WAITS];
	size_t n = fl_sockets_awaited(pid, tid, inodes);

	for (size_t i = 0; i < n; i++) {
		if (!fl_grow(&join->awaited, &join->awaited_capacity,
			     join->nawaited + 1, sizeof(*join->awaited))) {
			fl_no_memory(r->processes.flame);
			return;
		}
		join->awaited[join->nawaited++] = (struct fl_awaited){
			inodes[i], pid, tid
		};
	}
}

static void list_jvm(struct fl_recorder *r, pid_t pid)
{
	struct dirent *entry;
	DIR *dir = fl_open_folder(pid, "task");

	while (dir && (entry = readdir(dir)))
		if (fl_is_digit(entry->d_name[0]))
			add_awaited(r, pid, (pid_t)strtol(entry->d_name, NULL,
							  10));
	if (dir)
		closedir(dir);
}

static void list_awaited(struct fl_recorder *r)
{
	struct fl_join *join = &r->join;
	int64_t begin = fl_now();

	if (begin < join->next_list)
		return;
	join->nawaited = 0;
	for (size_t i = 0; i < r->processes.count; i++)
		if (may_wait(r, r->processes.data[i]))
			list_jvm(r, r->processes.data[i]->pid);
	join->next_list = fl_now() + PAUSES * (fl_now() - begin);
}

static bool is_peer(const struct fl_worker *w, uint64_t inode)
{
	for (size_t i = 0; i < w->nconnections; i++)
		if (w->connections[i].peer == inode)
			return true;
	return false;
}

static bool waits_for(pid_t pid, pid_t tid, const struct fl_worker *w)
{
	uint64_t inodes[FL_MAX_WAITS];
	size_t n = fl_sockets_awaited(pid, tid, inodes);

	for (size_t i = 0; i < n; i++)
		if (is_peer(w, inodes[i]))
			return true;
	return false;
}

/* Stacks of tasks -------------------------------------------------------------- */

static bool is_java(enum flame_type type)
{
	return type == FLAME_JIT || type == FLAME_INTERPRETED ||
	       type == FLAME_INLINED || type == FLAME_C1;
}

static bool is_of_jdk(struct slice name)
{
	return fl_slice_starts(name, "java/") || fl_slice_starts(name, "sun/") ||
	       fl_slice_starts(name, "jdk/");
}

static bool is_runner(struct slice name)
{
	return fl_slice_starts(name, "org/apache/spark/") &&
	       fl_slice_find(name, "/python/");
}

/*
 * The innermost frame outside of the JDK, if that reads from a Python worker.
 * The driver's Python has connections to its JVM, too, whose threads wait for
 * its commands: the work is not theirs.
 */
static bool find_runner(const struct fl_recorder *r, size_t *at)
{
	const struct flame *flame = r->processes.flame;
	const struct fl_unwinder *u = &r->unwinder;

	for (size_t i = 0; i < u->nframes; i++) {
		const struct flame_frame *frame =
			&flame->frames.data[u->frames[i]];
		struct slice name = fl_name_at(flame, frame->name);

		if (!is_java(frame->type) || is_of_jdk(name))
			continue;
		*at = i;
		return is_runner(name);
	}
	return false;
}

/* false: the thread waits for something else than its worker. */
static bool read_frames(struct fl_recorder *r, struct fl_worker *w, pid_t jvm,
			pid_t tid)
{
	struct fl_process *p = fl_process_find(&r->processes, jvm);
	struct fl_blocked *b = &r->join.blocked;
	flame_id stack = 0;
	enum fl_look look;
	size_t at;

	if (w->jvm != jvm || w->tid != tid)
		w->turns = 0;
	look = p ? fl_blocked_look(b, jvm, tid, &w->turns) : FL_LOOK_GONE;
	if (look != FL_LOOK_BLOCKED)
		return w->turns && look == FL_LOOK_SAME;
	r->unwinder.nframes = 0;
	fl_recorder_push_user(r, p, tid, &b->regs, &b->stack, 0);
	if (!find_runner(r, &at)) {
		w->turns = 0;
		return false;
	}
	for (size_t i = r->unwinder.nframes; i-- > at;)
		stack = flame_stack(r->processes.flame, stack,
				    r->unwinder.frames[i]);
	w->jvm = jvm;
	w->tid = tid;
	w->frames = stack;
	return true;
}

/* Workers -------------------------------------------------------------------- */

static void read_connections(struct fl_worker *w)
{
	int64_t now = fl_now();

	if (w->tid || now < w->next_try)
		return;
	w->nconnections = fl_sockets_connections(w->pid, w->connections);
	w->next_try = now + w->pause;
	w->pause *= 2;
}

/* A worker is used by one task after the other. */
static void release_others(struct fl_recorder *r, const struct fl_worker *w)
{
	for (size_t i = 0; i < r->join.count; i++) {
		struct fl_worker *other = &r->join.data[i];

		if (other != w && other->jvm == w->jvm && other->tid == w->tid)
			other->tid = 0;
	}
}

static bool is_task(const struct fl_join *join, pid_t pid, pid_t tid)
{
	for (size_t i = 0; i < join->ntasks; i++)
		if (join->tasks[i].tid == tid && join->tasks[i].pid == pid)
			return true;
	return false;
}

static bool link_to(struct fl_recorder *r, struct fl_worker *w, pid_t jvm,
		    pid_t tid)
{
	struct fl_join *join = &r->join;

	if (!read_frames(r, w, jvm, tid))
		return false;
	release_others(r, w);
	if (is_task(join, jvm, tid))
		return true;
	if (!fl_grow(&join->tasks, &join->tasks_capacity, join->ntasks + 1,
		     sizeof(*join->tasks)))
		return fl_no_memory(r->processes.flame) == FLAME_OK;
	join->tasks[join->ntasks++] = (struct fl_task_thread){ jvm, tid };
	return true;
}

/* Of threads that have waited for a worker before: there are few. */
static bool link_to_task(struct fl_recorder *r, struct fl_worker *w)
{
	struct fl_join *join = &r->join;

	if (w->tid && waits_for(w->jvm, w->tid, w))
		return read_frames(r, w, w->jvm, w->tid);
	for (size_t i = 0; w->nconnections && i < join->ntasks; i++)
		if (waits_for(join->tasks[i].pid, join->tasks[i].tid, w))
			return link_to(r, w, join->tasks[i].pid,
				       join->tasks[i].tid);
	return false;
}

void fl_join_look(struct fl_recorder *r, struct fl_process *p)
{
	struct fl_worker *w;

	if (!r->how.join)
		return;
	w = find(&r->join, p->pid);
	if (w && link_to_task(r, w))
		return;
	list_awaited(r);
	if (!r->join.nawaited)
		return;
	w = get(r, p->pid);
	if (!w)
		return;
	read_connections(w);
	for (size_t i = 0; i < r->join.nawaited; i++) {
		const struct fl_awaited *a = &r->join.awaited[i];

		if (is_peer(w, a->inode) && link_to(r, w, a->pid, a->tid))
			return;
	}
}

/* Samples ------------------------------------------------------------------- */

static flame_id with_task(struct flame *flame, flame_id set, flame_id task)
{
	static const char *const keys[] = {
		"stage", "task", "partition", "attempt"
	};

	for (size_t i = 0; i < FL_COUNT(keys); i++) {
		flame_id key = fl_name(flame, keys[i]);
		flame_id value = flame_label_get(flame, task, key);

		if (value)
			set = flame_label(flame, set, key, value);
	}
	return set;
}

/* Puts the frames of a stack on another. */
static flame_id on_top(struct fl_recorder *r, flame_id base, flame_id frames)
{
	struct flame *flame = r->processes.flame;
	struct fl_unwinder *u = &r->unwinder;
	size_t n = u->nframes;

	for (; frames; frames = fl_parent(flame, frames))
		if (!fl_unwind_push(u, fl_frame_id(flame, frames), 0))
			return base;
	for (size_t i = u->nframes; i-- > n;)
		base = flame_stack(flame, base, u->frames[i]);
	u->nframes = n;
	return base;
}

flame_id fl_join_base(struct fl_recorder *r, struct fl_process *p,
		      const struct fl_thread_name *t, flame_id *set)
{
	const struct fl_worker *w = find(&r->join, p->pid);
	struct fl_process *jvm = w && w->tid ?
		fl_process_find(&r->processes, w->jvm) : NULL;
	flame_id process = t->process, base = t->base;
	const struct fl_thread_name *task;

	*set = t->set;
	/* The thread may be the first of its JVM, and move the table. */
	task = jvm ? fl_recorder_thread(r, jvm, w->tid) : NULL;
	if (!task)
		return base;
	r->result.joined++;
	*set = with_task(r->processes.flame, *set, task->set);
	base = on_top(r, task->base, w->frames);
	return flame_stack(r->processes.flame, base,
			   fl_frame(r->processes.flame, process, FLAME_GROUP));
}

/* Waits --------------------------------------------------------------------- */

bool fl_join_is_idle(const struct fl_recorder *r, pid_t pid, pid_t tid)
{
	const struct fl_worker *w = find(&r->join, pid);
	uint64_t inodes[FL_MAX_WAITS];
	size_t n = w && w->tid ? fl_sockets_awaited(pid, tid, inodes) : 0;

	for (size_t i = 0; i < n; i++)
		for (size_t c = 0; c < w->nconnections; c++)
			if (w->connections[c].own == inodes[i])
				return true;
	return false;
}

bool fl_join_waits(struct fl_recorder *r, pid_t pid, pid_t tid)
{
	if (!is_task(&r->join, pid, tid))
		return false;
	for (size_t i = 0; i < r->join.count; i++) {
		struct fl_worker *w = &r->join.data[i];

		if (!waits_for(pid, tid, w))
			continue;
		if (w->jvm != pid || w->tid != tid)
			link_to(r, w, pid, tid);
		return w->tid == tid && !fl_join_is_idle(r, w->pid, w->pid);
	}
	return false;
}
