/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which thread of a JVM waits for which Python worker of Spark.
 */
#ifndef FL_SAMPLE_JOIN_H
#define FL_SAMPLE_JOIN_H

#include "sample/blocked.h"
#include "sample/sample.h"

/* sockets.c ------------------------------------------------------------- */

enum {
	FL_MAX_CONNECTIONS = 16,	/* of a worker; with more it is a server */
	FL_MAX_WAITS = 4		/* of a thread that polls */
};

/* Both ends of a connection, as inodes. */
struct fl_connection {
	uint64_t own, peer;
};

/*
 * The connections of a process to others on this machine; there is room for
 * FL_MAX_CONNECTIONS.  Returns their number.
 */
size_t fl_sockets_connections(pid_t pid, struct fl_connection *connections);
/* The sockets, FL_MAX_WAITS at most, that a thread waits to read from. */
size_t fl_sockets_awaited(pid_t pid, pid_t tid, uint64_t *inodes);

/* join.c ---------------------------------------------------------------- */

struct fl_worker {
	pid_t pid;
	struct fl_connection connections[FL_MAX_CONNECTIONS];
	size_t nconnections;
	int64_t next_try, pause;	/* to read its connections */
	pid_t jvm, tid;		/* the thread that waits for it; 0: none yet */
	uint64_t turns;		/* that thread's when its stack was read */
	flame_id frames;	/* that stack, without its process */
};

struct fl_join {
	struct fl_map by_pid;		/* place + 1 */
	struct fl_worker *data;
	size_t count, capacity;
	struct fl_awaited {
		uint64_t inode;
		pid_t pid, tid;
	} *awaited;		/* by threads of JVMs, when they were listed */
	size_t nawaited, awaited_capacity;
	int64_t next_list;
	struct fl_task_thread {
		pid_t pid, tid;
	} *tasks;		/* threads that have waited for a worker */
	size_t ntasks, tasks_capacity;
	struct fl_blocked blocked;
};

struct fl_recorder;
struct fl_thread_name;

bool fl_join_init(struct fl_join *join);
void fl_join_free(struct fl_join *join);
/* A process has ended. */
void fl_join_forget(struct fl_join *join, pid_t pid);
/* A process was sampled now: looks for the thread that waits for it. */
void fl_join_look(struct fl_recorder *r, struct fl_process *p);
/*
 * The stack that a process's stack stands on: that of the task that waits for
 * it, or else that of its thread.  *set gets the labels of the task.
 */
flame_id fl_join_base(struct fl_recorder *r, struct fl_process *p,
		      const struct fl_thread_name *t, flame_id *set);
/* Whether a thread of a worker waits for the JVM. */
bool fl_join_is_idle(const struct fl_recorder *r, pid_t pid, pid_t tid);
/* Whether a thread of a JVM waits for a worker that is at work. */
bool fl_join_waits(struct fl_recorder *r, pid_t pid, pid_t tid);

#endif
