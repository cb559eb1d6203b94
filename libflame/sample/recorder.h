/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A recording while it goes on.  Parts of record.c, of which each looks at one
 * kind of sample.
 */
#ifndef FL_SAMPLE_RECORDER_H
#define FL_SAMPLE_RECORDER_H

#include "sample/blocked.h"
#include "sample/join.h"
#include "sample/sample.h"
#include "sample/virtual_machines.h"

/* The name of a thread. */
struct fl_thread_name {
	pid_t pid;
	flame_id comm, process, set, base;
	flame_id java;		/* what its JVM calls it; 0: not known */
	int64_t java_read;	/* when that was; ns */
	unsigned ahead;		/* names for it in records still to come */
	flame_id last;		/* what its JVM calls it after these */
};

struct fl_task {
	pid_t pid, tid;
};

/* A thread that is sampled in place, or that has left its CPU. */
struct fl_waiter {
	pid_t pid, tid;
	bool there;		/* stack and labels are those of its wait */
	bool gone;		/* a function of Python had ended */
	enum fl_stack_end end;
	unsigned programs;	/* wall: its process's, when it was read */
	flame_id stack, thread, labels;
	uint64_t turns;		/* wall: on a CPU, when the stack was read */
	struct fl_owed {	/* wall: looks while it was not blocked; its
				   next sample weighs as many */
		uint64_t running, waiting;	/* for a CPU */
	} owed;
	/* Wall: divides looks into running and waiting. */
	struct fl_ready {
		bool known;		/* there was a first look */
		uint64_t ran, waited;	/* the account at the first look; ns */
		uint64_t last;		/* the sum of both at the last look */
		uint64_t looks;		/* all since the first */
		uint64_t waiting;	/* those counted as waiting */
	} ready;
	flame_id ran;		/* wall: its stack when it ran; 0: not seen */
	enum fl_stack_end ran_end;
	int64_t since;		/* offcpu: CLOCK_MONOTONIC */
	int64_t read;		/* --min-wait: when its stack was */
	bool waits, listed;	/* --min-wait: off its CPU; in `tasks` */
};

struct fl_waiters {
	struct fl_map by_tid;	/* place + 1 */
	struct fl_waiter *data;
	size_t count, capacity;
	size_t next;		/* of this round */
	uint64_t weight;	/* looks that this round stands for */
	int64_t due, begin;	/* when to look again; of this interval */
	uint64_t random;
	struct fl_blocked blocked;
	struct fl_task *tasks;	/* of this round */
	size_t ntasks, tasks_capacity;
	struct flame_sample further;	/* to be given next, */
	bool has_further;		/* if there is one */
};

/* A kind of recording; functions that are NULL do nothing. */
struct fl_recorder_kind {
	const char *metric, *unit;
	bool weighs_time;	/* else samples */
	void (*begin)(struct fl_recorder *r);
	/* What the sample of a thread counts; 0, 0: it is not wanted. */
	struct fl_owed (*owed)(struct fl_recorder *r, const struct fl_event *e);
	/* Of a thread whose stack was read; false: there is no sample yet. */
	bool (*seen)(struct fl_recorder *r, struct fl_waiter *seen,
		     struct fl_owed owed, int64_t time,
		     struct flame_sample *sample);
	/* Whether a thread's wait ends with a switch, and is the sample. */
	bool (*switched)(struct fl_recorder *r, const struct fl_event *e,
			 struct flame_sample *sample);
	/* A sample without an event, of this round; false: no more. */
	bool (*next)(struct fl_recorder *r, struct flame_sample *sample);
	/* At the end, of threads whose look or wait has no end yet. */
	bool (*rest)(struct fl_recorder *r, struct flame_sample *sample);
	/* Before it waits; how long in ms, at most so long; and after it. */
	void (*look)(struct fl_recorder *r);
	int (*wait)(const struct fl_recorder *r, int most);
	void (*tick)(struct fl_recorder *r);
};
extern const struct fl_recorder_kind fl_recorder_wall, fl_recorder_offcpu;

enum { FL_RECORDER_WAIT_MS = 20 };	/* between rounds at most */

struct fl_recorder {
	struct fl_recording how;
	const struct fl_recorder_kind *kind;	/* of how.kind, or of what
						   replaces it */
	struct fl_perf_events events;
	struct fl_processes processes;
	struct fl_unwinder unwinder;
	struct fl_record_result result;
	struct fl_map addresses;	/* frame -> the last one seen */
	flame_id metric, truncated, broken, unreadable, on_cpu, waiting;
	flame_id cpus[256];		/* label sets */
	struct fl_map threads;		/* tid -> place in names */
	struct fl_thread_name *names;
	size_t nnames, names_capacity;
	struct fl_task *renamed;	/* whose last name is to be read */
	size_t nrenamed, renamed_capacity;
	struct fl_waiters waiters;
	struct fl_join join;
	int64_t begin, deadline, ticked;
	uint64_t named_runtimes;	/* that have a perf map */
	int64_t children_begin;		/* CPU time of children; ns */
	int64_t since_1970;		/* of the clock's zero */
	bool blind;			/* perf events are refused: wall only */
	bool started, ended, last_round;
	struct fl_apart *apart;		/* apart.h; NULL: one process is all */
};

/* threads.c: names of threads; NULL: out of memory. */
const struct fl_thread_name *fl_recorder_thread(struct fl_recorder *r,
						struct fl_process *p,
						pid_t tid);
void fl_recorder_rename(struct fl_recorder *r, const struct fl_event *e);
/* The thread has a new name, by a record whose turn has not come yet. */
void fl_recorder_foresee(struct fl_recorder *r, struct fl_process *p, pid_t tid);
/*
 * Reads the new names of Java's threads; true: look at records again, as
 * threads may have been renamed meanwhile.
 */
bool fl_recorder_read_names(struct fl_recorder *r);

/* record.c */
/* Pushes the user's frames.  key: of the sample's event; 0: it has none. */
enum fl_stack_end fl_recorder_push_user(struct fl_recorder *r,
					struct fl_process *p, pid_t tid,
					const struct fl_regs *regs,
					const struct fl_stack_bytes *stack,
					uint64_t key);
/* The stack of the frames pushed, below base. */
flame_id fl_recorder_stack(struct fl_recorder *r, flame_id base);
/* Makes a sample of the weight, and counts it. */
void fl_recorder_emit(struct fl_recorder *r, const struct fl_waiter *waiter,
		      int64_t time, uint64_t weight,
		      struct flame_sample *sample);

/* runtimes.c: the interpreter of a process, which a perf map may name; 0: none. */
unsigned fl_process_runtime(struct fl_processes *all,
			    struct fl_process *process, bool *named);

/* cpu_time.c */
void fl_cpu_time_begin(struct fl_recorder *r);
/* Since then, in ns; of processes that ended, of children alone. */
int64_t fl_cpu_time(const struct fl_recorder *r);

/* wall.c: of a thread; NULL: out of memory. */
struct fl_waiter *fl_waiter_get(struct fl_recorder *r, pid_t pid, pid_t tid);
/* Reads the stack of a thread that is blocked, if it is. */
bool fl_waiter_read(struct fl_recorder *r, struct fl_waiter *waiter);
/* Lists the threads of all targets. */
void fl_waiters_list(struct fl_recorder *r);
void fl_waiters_free(struct fl_waiters *waiters);

/* facts.c: once it is open; once it has ended. */
void fl_recorder_tell_begin(const struct fl_recorder *r,
			    struct flame_source *source);
void fl_recorder_tell_end(const struct fl_recorder *r,
			  struct flame_source *source);

#endif
