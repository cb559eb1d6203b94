/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Stacks of threads that wait in the kernel.
 */
#ifndef FL_SAMPLE_BLOCKED_H
#define FL_SAMPLE_BLOCKED_H

#include "sample/unwind.h"

/* A short file of a thread; its size, or -1. */
ssize_t fl_read_task(pid_t pid, pid_t tid, const char *name, char *text,
		     size_t size);

/* A copy of a thread's stack while it waits. */
struct fl_blocked {
	uint8_t *bytes;
	unsigned size;		/* of bytes */
	bool kernel;		/* the kernel's frames, too */
	bool has_syscall;	/* this kernel has /proc/PID/syscall */
	struct fl_regs regs;
	struct fl_stack_bytes stack;
	char text[4096];	/* the kernel's frames */
	/* At the last look, in all: on a CPU and waiting for one, in ns. */
	uint64_t ran, waited;
};

enum fl_look {
	FL_LOOK_GONE, FL_LOOK_RUNS, FL_LOOK_BLOCKED,
	FL_LOOK_SAME,		/* blocked since it was read last */
	FL_LOOK_UNKNOWN		/* its memory cannot be read */
};

/* false: out of memory. */
bool fl_blocked_init(struct fl_blocked *blocked, unsigned size, bool kernel);
void fl_blocked_free(struct fl_blocked *blocked);
/* *turns is the thread's count of turns on a CPU when it was read; 0: never. */
enum fl_look fl_blocked_look(struct fl_blocked *blocked, pid_t pid, pid_t tid,
			     uint64_t *turns);
/* Names of the kernel's frames, leaf first; *at begins with 0. */
bool fl_blocked_kernel(struct fl_blocked *blocked, size_t *at,
		       struct slice *name);

#endif
