/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Threads of processes, and how long each of them ran: by the kernel's account
 * of it, /proc/PID/task/TID/schedstat.
 */
#ifndef FL_SAMPLE_RUNNING_H
#define FL_SAMPLE_RUNNING_H

#include "flow/flow.h"

#include <sys/types.h>

struct fl_running_thread {
	pid_t tid;
	int fd;			/* of its schedstat; -1: opened at each look */
	uint64_t ran, waited;	/* for a CPU; at the last look, in ns */
	uint64_t owed;		/* ran since, without a sample; ns */
	unsigned idle;		/* looks since it ran */
	bool listed, stops;
	char comm[32];
};

struct fl_running_process {
	pid_t pid;
	bool waits;		/* for another program: samples begin with it */
	uint64_t code, stack;	/* where its program and its stack begin */
	uint64_t ran;		/* by the account of the process; ns */
	uint64_t seen;		/* of this by the accounts of threads */
	uint64_t missed;	/* the difference when threads were listed */
	struct fl_running_thread *threads;
	size_t nthreads, capacity;
};

struct fl_running {
	struct fl_running_process *processes;
	size_t count, capacity;
	struct fl_map pids;	/* of all processes at the last search */
	unsigned nfds, max_fds;
	unsigned looks;
	uint64_t lost;		/* ns that threads ran which ended unsampled */
};

/* What /proc/PID/task/TID/stat has. */
struct fl_thread_stat {
	char comm[32], state;
	pid_t parent;
	uint32_t cpu;
	/* 0: a thread of the kernel; 1: it may not be read. */
	uint64_t code, stack;
};

/* Reads what it ran and waited; false: it has ended. */
bool fl_running_read(pid_t pid, const struct fl_running_thread *thread,
		     uint64_t *ran, uint64_t *waited);
bool fl_thread_stat(pid_t pid, pid_t tid, struct fl_thread_stat *stat);
/* first: what it ran before does not count.  NULL: out of memory. */
struct fl_running_process *fl_running_add(struct fl_running *all, pid_t pid,
					  bool first);
/* Adds up what its threads ran; false: the process has ended. */
bool fl_running_look(struct fl_running *all, struct fl_running_process *p,
		     uint64_t period);
/* NULL: it is not there any more. */
struct fl_running_thread *fl_running_find(const struct fl_running *all,
					  pid_t pid, pid_t tid);
void fl_running_remove(struct fl_running *all, struct fl_running_process *p);
/*
 * Looks for processes that began since: children of those here, or any other.
 * Calls found for each one that was added.
 */
void fl_running_search(struct fl_running *all, bool any,
		       void (*found)(void *arg, pid_t pid, pid_t parent),
		       void *arg);
void fl_running_free(struct fl_running *all);

#endif
