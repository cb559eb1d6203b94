/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The kernel's events: which there are, and their samples and records in order of
 * time.
 */
#ifndef FL_SAMPLE_PERF_EVENTS_H
#define FL_SAMPLE_PERF_EVENTS_H

#include "sample/targets.h"
#include "sample/unwind.h"

#include <pthread.h>

/* counted.c ----------------------------------------------------------- */

/* An event of the kernel of which each `period` make a sample. */
struct fl_counted {
	char name[128];
	uint32_t type;		/* as of struct perf_event_attr */
	uint64_t config, period;
	uint64_t address, size;	/* of a breakpoint */
	uint32_t breakpoint;	/* HW_BREAKPOINT_R and others */
	bool time;		/* it counts ns */
};

/*
 * By its name: one of the kernel's, "mem:ADDRESS[:SIZE][:rwx]", or
 * "SUBSYSTEM:TRACEPOINT".  false: there is none such; the refusal's text says
 * why, unless the name is of none of these forms.
 */
bool fl_counted_find(const char *name, struct fl_counted *counted,
		     struct fl_refusal *refusal);
/* Whether it happens in the kernel alone. */
bool fl_counted_in_kernel(const struct fl_counted *counted);
struct perf_event_attr;
void fl_counted_describe(const struct fl_counted *counted,
			 struct perf_event_attr *attr);
/* All names, with their usual periods, and why one cannot be had (or NULL). */
void fl_counted_list(void (*say)(void *arg, const char *name, uint64_t period,
				 const char *lack), void *arg);

/* perf_events.c ------------------------------------------------------- */

enum fl_event_kind {
	FL_EVENT_NONE, FL_EVENT_SAMPLE, FL_EVENT_MAP, FL_EVENT_COMM,
	FL_EVENT_EXEC, FL_EVENT_FORK, FL_EVENT_EXIT, FL_EVENT_LOST,
	FL_EVENT_THROTTLED, FL_EVENT_SWITCH_IN, FL_EVENT_SWITCH_OUT
};

/* A record of the kernel's.  Pointers hold until the next. */
struct fl_event {
	enum fl_event_kind kind;
	uint64_t key;		/* of fl_perf_events_peek */
	uint64_t time;		/* CLOCK_MONOTONIC */
	pid_t pid, tid;
	pid_t parent;		/* fork: the process */
	bool preempted;		/* switch out: it would go on */
	uint32_t weight;	/* of a sample; 0: 1 */
	uint32_t cpu;
	uint64_t ip, lost;
	const uint64_t *chain;	/* the kernel's frames, leaf first */
	size_t nchain;
	bool user64;		/* regs and stack are there */
	struct fl_regs regs;
	struct fl_stack_bytes stack;
	const char *text;	/* comm; path of a mapping */
	uint64_t start, size, offset, device, inode;
};

enum { FL_MAX_STACK = 65528 };	/* that the kernel copies, in bytes */

struct fl_sampling {
	unsigned hertz;
	unsigned stack;		/* bytes of a stack to copy; 0: as many as the
				   kernel copies, or few where rings are small
				   or samples many */
	const struct fl_counted *counted;	/* NULL: time on a CPU */
	bool all;		/* every process */
	bool switches;		/* when threads leave a CPU, and are back */
	int64_t least_wait;	/* ns; with switches: no samples of them, and
				   stacks are read of waits as long as this */
	bool user;		/* no frames of the kernel */
	bool children;
	const pid_t *pids;
	size_t npids;
	bool on_exec;		/* begin when pids[0] executes a program */
};

struct fl_perf_events {
	struct fl_ring *rings;
	size_t nrings;
	int *fds;
	size_t nfds, fds_capacity;
	bool hardware;		/* cycles rather than the CPU's clock */
	bool kernel;		/* frames of the kernel are there */
	bool per_cpu;		/* each CPU's, rather than each thread's */
	size_t ring_size, ring_wanted;
	uint64_t barrier;	/* later records have to wait */
	struct fl_stops *stops;	/* stops.h; NULL: the kernel's, or another
				   process has it */
	int wake;		/* of rings that this writes: says that there is
				   a record; 0: the kernel's */
	uint8_t *copy;		/* a record that was in two parts */
	size_t copy_capacity;
	struct fl_ring *last;	/* whose record was read last; or NULL */
	unsigned nread;
	/* Of rings that two processes share; NULL: they do not. */
	pthread_mutex_t *lock;
	/* See fl_perf_events_away. */
	pthread_t spiller;
	uint64_t rate;		/* of a ring: bytes a second; 0: not known */
	bool is_away, is_back;
	bool (*wanted)(void *arg, pid_t pid);
	void *wanted_arg;
	struct fl_map born;	/* pids of processes that began since, and of
				   their parents */
};

/* false: refused, or failed for memory (see flame_error). */
bool fl_perf_events_open(struct flame *flame, struct fl_perf_events *events,
			 const struct fl_sampling *sampling,
			 struct fl_refusal *refusal);
bool fl_perf_events_start(struct fl_perf_events *events);
void fl_perf_events_stop(struct fl_perf_events *events);
/*
 * Samples and records without room in a ring since the start; 0 before Linux 6.0.
 * The rings' own records of them lack those after the last one that had room.
 */
uint64_t fl_perf_events_lost(const struct fl_perf_events *events);
/* Waits until there are records, for a while at most. */
void fl_perf_events_wait(struct fl_perf_events *events, int milliseconds);
/* Call it before each round of fl_perf_events_next. */
void fl_perf_events_round(struct fl_perf_events *events);
/* The next record in order of time; false: no more in this round. */
bool fl_perf_events_next(struct fl_perf_events *events,
			 struct fl_event *event);
/* Also looks at records that came since; their round is the next one. */
void fl_perf_events_refresh(struct fl_perf_events *events);
/*
 * Each sample and each new name of a thread once, as soon as it is there;
 * false: no more.
 */
struct fl_peeked {
	uint64_t key;		/* that its event will have */
	pid_t pid, tid;
	bool renames;
};
bool fl_perf_events_peek(struct fl_perf_events *events,
			 struct fl_peeked *peeked);
/* Whether records of this round are left. */
bool fl_perf_events_pending(const struct fl_perf_events *events);
/* Parses a record of a ring buffer; false: of no use here. */
bool fl_perf_event_parse(const uint8_t *at, size_t size,
			 struct fl_event *event);
void fl_perf_events_close(struct fl_perf_events *events);
/* Whether anybody here may have events of himself. */
bool fl_perf_is_permitted(void);
/* kernel.perf_event_paranoid; INT_MAX: not known. */
int fl_perf_paranoid(void);

/* spill.c ------------------------------------------------------------- */

/*
 * Until fl_perf_events_back a thread moves what the kernel writes to memory, up
 * to 256 MB, so that nothing is lost while the caller does other work.  wanted:
 * whether samples of a process may be needed, or NULL for all of them; the
 * thread calls it.
 */
void fl_perf_events_away(struct fl_perf_events *events,
			 bool (*wanted)(void *arg, pid_t pid), void *arg);
void fl_perf_events_back(struct fl_perf_events *events);
/*
 * Before a fork: the rings will be read by the child, and emptied by the parent
 * that is away.  false: no memory to share, or none of events.
 */
bool fl_perf_events_share(struct fl_perf_events *events);
/* In the child, at once; false: it cannot map them. */
bool fl_perf_events_inherit(struct fl_perf_events *events);

#endif
