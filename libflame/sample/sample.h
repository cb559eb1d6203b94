/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The sampler: records stacks of running processes from outside.  Each part has
 * its header; here is what flame-record sees.  Files and call frame information
 * are read by native/.
 *
 *	perf_events.c	the kernel's samples and process events, in order of
 *			time, from ring buffers
 *	perf_records.c	the records in them
 *	spill.c		a thread that empties the ring buffers (ring.h)
 *	stops.c		samples without the kernel's events, by ptrace
 *	running.c	which threads ran, and for how long
 *	process.c	processes, their mappings, names of addresses
 *	module.c	files that are mapped
 *	kernel.c	functions of the kernel; kernel_cache.c: of this boot
 *	places.c	inlined functions and lines, by debug information
 *	machine.c	perf maps, and the virtual machines of processes
 *	apart.c		the recorder as three processes (apart.h has a tour);
 *			apart_stream.c: samples between two; confine.c: rights
 *	target.c	opens files of processes, with their rights;
 *	target_ask.c	asks for them, and reads memory
 *	demangle.c	names of C++ that may become long
 *	unwind.c	the frames of a sample, from its registers and stack bytes
 *	hotspot.c	Java frames, from a JVM's memory (hotspot.h)
 *	cpython.c	Python frames, from an interpreter's memory (cpython.h)
 *	targets.c	which processes to record
 *	record.c	all of them as a source of samples (recorder.h)
 *	facts.c		what Info shows of a recording
 *	threads.c	names of threads
 *	cpu_time.c	the CPU time that samples should add up to
 *	blocked.c	stacks of threads that wait in the kernel
 *	wall.c		wall clock time
 *	offcpu.c	time in which threads are blocked
 *	sockets.c	what is connected to what, and who waits for it
 *	join.c		one tower of a Spark task and its Python worker (join.h)
 *	attach.c	commands to a JVM
 *	jvm_events.c	a JVM's allocations and locks, by its flight recorder
 *	check.c		what can be recorded here
 *	runtimes.c	interpreters whose functions have no names
 *	list.c		processes by main class or script
 *	script.c	a writer of perf script's text
 *
 * Nothing is loaded into a target.  None is ever stopped, but for samples where
 * the kernel's events are refused.
 */
#ifndef FL_SAMPLE_H
#define FL_SAMPLE_H

#include "sample/jvm_events.h"
#include "sample/perf_events.h"
#include "sample/stops.h"

/* record.c ------------------------------------------------------------ */

struct fl_recording {
	struct fl_sampling sampling;
	enum fl_record_kind kind;
	bool may_fall_back;	/* to wall, where events are refused */
	unsigned looks;		/* wall: a second */
	double seconds;		/* 0: until the end of the targets */
	/* Only samples of this time of CLOCK_MONOTONIC, in ns, of which the end
	   is the recording's; 0: of all times. */
	int64_t from, until;
	bool threads;		/* a root frame for each thread */
	bool comms;		/* threads are named as the kernel does */
	bool lines;		/* names have them */
	bool places, inlined;	/* see fl_record_places, fl_places_new */
	bool join;		/* Python workers stand on their Spark tasks */
	pid_t command;		/* a child to wait for; 0: none */
	char *const *argv;	/* its arguments, or NULL */
	size_t argc;
	int go;			/* write end: the child waits for a byte; -1 */
	volatile const int *stop;	/* becomes nonzero to end it */
	/* Called a few times a second; NULL: not. */
	void (*progress)(void *arg, double seconds, uint64_t samples,
			 uint64_t lost);
	void *arg;
};

struct fl_record_result {
	uint64_t samples, lost, whole, truncated, stacks;
	uint64_t gone;		/* stacks of Python with [frame gone] */
	uint64_t nameless;	/* neither whole nor broken: [on CPU], or no
				   function of Python has a name */
	uint64_t joined;	/* samples of workers that stand on a task */
	uint64_t left_out;	/* wall: looks at tasks that these stand for */
	uint64_t unseen;	/* offcpu: ns of waits that ended before their
				   stacks were read */
	uint64_t unreadable;	/* stacks of processes that may not be read */
	uint64_t runtimes;	/* see fl_runtime_next */
	double seconds;
	double cpu;		/* seconds of CPU time, by the kernel's
				   account; 0: not known */
	bool per_cpu;		/* CPUs were sampled, not threads */
	bool kernel, hardware, throttled;
	uint64_t unread;	/* wall: looks at memory that is not readable */
	enum fl_record_kind kind;
	const char *metric;	/* cpu, wall, offcpu */
	const char *what;	/* cycles, cpu-clock, wall, offcpu */
	char fallback[512];	/* why it differs from the request; or "" */
	size_t ring_size, ring_wanted;	/* bytes */
	unsigned stack;		/* bytes of a stack that were copied at most */
	bool by_stops;		/* no events: threads are stopped for samples */
	struct fl_stops_times stops;
	int status;		/* of the command, as of waitpid */
	bool reaped;		/* the command has ended */
};

/*
 * Opens the events of a recording as a source: flame_pump records.  NULL: see
 * the refusal, or flame_error.
 */
struct flame_source *fl_record_open(struct flame *flame,
				    const struct fl_recording *recording,
				    struct fl_refusal *refusal);
const struct fl_record_result *fl_record_result(const struct flame_source *s);
/*
 * Interpreters that were met whose functions have no names, from *i = 0 on, and
 * what would help; false: no more.
 */
bool fl_runtime_next(uint64_t runtimes, unsigned *i, const char **name,
		     const char **remedy);
/* For fl_places_filter, before the source is closed. */
struct fl_places *fl_record_places(const struct flame_source *source);
/* The last address seen of a frame; 0: none. */
uint64_t fl_record_address(const struct flame_source *source, flame_id frame);

/* The time in ns since 1970 when CLOCK_MONOTONIC was 0. */
int64_t fl_record_clock(const struct flame_source *source);

/* check.c ------------------------------------------------------------- */

/* A line of the answer: whether something is possible, and how or why not. */
typedef void fl_check_line(void *arg, bool good, const char *what,
			   const char *text);
/* pid 0: no process.  false: nothing can be recorded here. */
bool fl_check(struct flame *flame, pid_t pid, fl_check_line *line, void *arg);

/* list.c -------------------------------------------------------------- */

/* what: the events that can be recorded of it. */
typedef void fl_list_line(void *arg, pid_t pid, const char *kind,
			  const char *name, const char *what);
void fl_list_processes(struct flame *flame, fl_list_line *line, void *arg);

/* script.c ------------------------------------------------------------ */

/* A sink that writes each sample as perf script does. */
struct flame_sink *fl_script_create(struct flame *flame, const char *path);
/* Addresses of frames come from this source, once it is open. */
void fl_script_source(struct flame_sink *sink,
		      const struct flame_source *source, const char *event);

#endif
