/* SPDX-License-Identifier: Apache-2.0 */
/*
 * flame-record --check: fl_check() finds out what can be recorded on this
 * machine or of one process, and reports line by line what is possible, or
 * which command would permit it.
 */
#include "fl.h"

#include "sample/sample.h"
#include "sample/virtual_machines.h"

#include <errno.h>
#include <limits.h>
#include <linux/perf_event.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

struct check {
	struct flame *flame;
	fl_check_line *line;
	void *arg;
	pid_t pid;		/* 0: none was given */
	bool records;
};

static void say(struct check *c, bool good, const char *what,
		const char *format, ...) FL_PRINTF(4, 5);

static void say(struct check *c, bool good, const char *what,
		const char *format, ...)
{
	char text[512];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	c->line(c->arg, good, what, text);
}

/* An event as the recorder has it; the errno, or 0. */
static int try_event(uint32_t type, uint64_t config, bool kernel, pid_t pid,
		     int cpu)
{
	struct perf_event_attr attr = {
		.size = sizeof(attr), .type = type, .config = config,
		.freq = 1, .sample_freq = 99, .disabled = 1,
		.exclude_kernel = !kernel, .exclude_hv = 1,
		.sample_type = PERF_SAMPLE_IP,
	};
	int fd = (int)syscall(SYS_perf_event_open, &attr, pid, cpu, -1,
			      PERF_FLAG_FD_CLOEXEC);

	if (fd < 0)
		return errno;
	close(fd);
	return 0;
}

static int try_clock(bool kernel, pid_t pid, int cpu)
{
	return try_event(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK, kernel,
			 pid, cpu);
}

/* Threads are stopped for samples where there are no events. */
static void check_stops(struct check *c)
{
	struct fl_refusal refusal = { .text = "" };

	c->records = fl_stops_permitted(c->pid, &refusal);
	say(c, c->records, "without perf events", "%s", c->records ?
	    "CPU samples by ptrace: threads that run are stopped for some "
	    "microseconds" : refusal.text);
}

static void check_events(struct check *c)
{
	int paranoid = fl_perf_paranoid();
	int error = try_clock(false, 0, -1);

	c->records = !error;
	if (!error)
		say(c, true, "CPU samples", "yes, of one's own processes");
	else if (paranoid == INT_MAX || error == ENOSYS)
		say(c, false, "CPU samples", "this kernel has no perf events");
	else if (paranoid > 2)
		say(c, false, "CPU samples", "kernel.perf_event_paranoid is "
		    "%d. Try: sudo sysctl kernel.perf_event_paranoid=2",
		    paranoid);
	else
		say(c, false, "CPU samples", "perf_event_open is blocked (%s). "
		    "In a container: --cap-add PERFMON, or run on the host",
		    strerror(error));
	if (error) {
		check_stops(c);
		return;
	}
	error = try_clock(true, 0, -1);
	say(c, !error, "kernel frames", error ? "kernel.perf_event_paranoid is "
	    "%d. Try: sudo sysctl kernel.perf_event_paranoid=1" : "yes",
	    paranoid);
	error = try_clock(true, -1, 0);
	say(c, !error, "all processes (-a)", error ?
	    "needs root, CAP_PERFMON or kernel.perf_event_paranoid=0" : "yes");
	error = try_event(PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, false,
			  0, -1);
	say(c, true, "clock", error ? "the CPU's software clock: no counter "
	    "of cycles here" : "the hardware's cycles");
}

static void check_symbols(struct check *c)
{
	struct fl_processes processes = { .flame = c->flame };

	fl_kernel_read(&processes);
	if (processes.kernel.count)
		say(c, true, "kernel names", "yes, %zu functions",
		    processes.kernel.count);
	else
		say(c, false, "kernel names", "/proc/kallsyms has no addresses. "
		    "Try: sudo sysctl kernel.kptr_restrict=0");
	fl_processes_free(&processes);
}

static void check_limits(struct check *c)
{
	struct rlimit locked, files;

	getrlimit(RLIMIT_MEMLOCK, &locked);
	getrlimit(RLIMIT_NOFILE, &files);
	if (geteuid() == 0 || locked.rlim_cur == RLIM_INFINITY)
		say(c, true, "ring buffers", "of full size");
	else
		say(c, locked.rlim_cur >= 8 << 20, "ring buffers",
		    "at most %llu KiB may be locked (ulimit -l): expect lost "
		    "samples above 500 Hz",
		    (unsigned long long)locked.rlim_cur >> 10);
	say(c, files.rlim_max >= 4096, "open files", "%llu: %s",
	    (unsigned long long)files.rlim_max,
	    "without privileges one is needed for each thread and CPU");
}

/* The process ------------------------------------------------------------ */

static bool check_owner(struct check *c)
{
	struct stat st;
	char path[32];

	snprintf(path, sizeof(path), "/proc/%d", (int)c->pid);
	if (stat(path, &st) != 0) {
		say(c, false, "process", "process %d does not exist",
		    (int)c->pid);
		return false;
	}
	if (geteuid() != 0 && st.st_uid != geteuid()) {
		say(c, false, "process", "process %d belongs to uid %u: run "
		    "as that user or as root", (int)c->pid,
		    (unsigned)st.st_uid);
		return false;
	}
	return true;
}

static void check_python(struct check *c, struct fl_processes *processes,
			 struct fl_process *p)
{
	static const char can[] = "3.7 to 3.15 can";

	if (!fl_process_is_python(p))
		say(c, true, "language", "neither a HotSpot JVM nor CPython: "
		    "native frames, and those of a perf map");
	else if (fl_process_python(processes, p))
		say(c, true, "language", "CPython 3.%u%s: Python frames",
		    p->python_minor, p->python_minor == 8 ? " or 3.9" : "");
	else if (p->python_minor >= FL_PYTHON_OLDEST)
		say(c, false, "language", "Python 3.%u, or a build of it, "
		    "whose frames cannot be read (%s): native frames",
		    p->python_minor, can);
	else
		say(c, false, "language", "a Python whose frames cannot be "
		    "read (%s): native frames", can);
}

static void check_jvm(struct check *c, struct fl_processes *processes,
		      struct fl_process *p)
{
	int major;

	if (!fl_process_is_jvm(p)) {
		check_python(c, processes, p);
		return;
	}
	major = fl_process_jvm_release(processes, p);
	if (p->hotspot)
		say(c, true, "language", "a JVM of release %d%s: Java frames",
		    major, fl_hotspot_is_tried(p->hotspot) ? "" :
		    ", which was not tried");
	else if (major)
		say(c, false, "language", "a JVM of release %d, whose frames "
		    "cannot be read. Try: jcmd %d Compiler.perfmap", major,
		    (int)c->pid);
	else
		say(c, false, "language", "a JVM whose tables cannot be read: "
		    "no Java frames");
}

static void check_process(struct check *c)
{
	struct fl_processes processes = { .flame = c->flame };
	struct fl_process *p = fl_process_get(&processes, c->pid);
	char byte;
	int error;

	if (!p || !check_owner(c))
		goto done;
	error = fl_perf_is_permitted() ? try_clock(false, c->pid, -1) :
		c->records ? 0 : EPERM;
	say(c, !error, "process", error ? "process %d cannot be recorded: %s" :
	    "process %d can be recorded", (int)c->pid, strerror(error));
	fl_process_read_maps(&processes, p);
	if (!p->maps.count) {
		say(c, false, "mappings", "/proc/%d/maps cannot be read (or "
		    "this is a thread of the kernel)", (int)c->pid);
		goto done;
	}
	say(c, true, "mappings", "%zu of code", p->maps.count);
	if (fl_process_read(p, p->maps.data[0].start, &byte, 1))
		say(c, true, "memory", "can be read");
	else
		say(c, false, "memory", "cannot be read: no Java frames. Try: "
		    "sudo sysctl kernel.yama.ptrace_scope=0, or --cap-add "
		    "SYS_PTRACE");
	check_jvm(c, &processes, p);
done:
	fl_processes_free(&processes);
}

bool fl_check(struct flame *flame, pid_t pid, fl_check_line *line, void *arg)
{
	struct check c = { flame, line, arg, pid, false };

	check_events(&c);
	check_symbols(&c);
	check_limits(&c);
	if (pid)
		check_process(&c);
	return c.records;
}
