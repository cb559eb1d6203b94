/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The CPU time that the recorded processes have used since fl_cpu_time_begin(),
 * by the kernel's account (/proc/PID/stat), for record.c.  Where each thread
 * has events of its own, the samples lack threads that end before their first
 * sample is due; this sum has them.
 */
#include "fl.h"

#include "sample/proc.h"
#include "sample/recorder.h"

#include <inttypes.h>
#include <stdio.h>
#include <sys/resource.h>
#include <unistd.h>

/* Nanoseconds of all its threads, those that have ended, too; 0: not known. */
static int64_t time_of(pid_t pid, bool kernel)
{
	size_t size;
	char *text = fl_read_proc(pid, "stat", &size), *end;
	uint64_t user = 0, system = 0;

	/* "PID (COMM) STATE ...", with anything in COMM; fields 14 and 15. */
	end = text ? strrchr(text, ')') : NULL;
	if (end && sscanf(end + 1, " %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u "
			  "%*u %" SCNu64 " %" SCNu64, &user, &system) != 2)
		user = system = 0;
	fl_free(text);
	return (int64_t)((user + (kernel ? system : 0)) *
			 (uint64_t)(1000000000 / sysconf(_SC_CLK_TCK)));
}

static int64_t of_timeval(struct timeval t)
{
	return (int64_t)t.tv_sec * 1000000000 + t.tv_usec * 1000;
}

/* Of children that were waited for, and theirs. */
static int64_t time_of_children(bool kernel)
{
	struct rusage usage;

	if (getrusage(RUSAGE_CHILDREN, &usage) != 0)
		return 0;
	return of_timeval(usage.ru_utime) +
	       (kernel ? of_timeval(usage.ru_stime) : 0);
}

void fl_cpu_time_begin(struct fl_recorder *r)
{
	for (size_t i = 0; i < r->processes.count; i++)
		r->processes.data[i]->cpu_begin =
			time_of(r->processes.data[i]->pid, r->result.kernel);
	r->children_begin = time_of_children(r->result.kernel);
}

int64_t fl_cpu_time(const struct fl_recorder *r)
{
	int64_t sum = time_of_children(r->result.kernel) - r->children_begin;

	for (size_t i = 0; i < r->processes.count; i++) {
		const struct fl_process *p = r->processes.data[i];
		int64_t now = p->tracked && !p->exited ?
			      time_of(p->pid, r->result.kernel) : 0;

		sum += FL_MAX(now - p->cpu_begin, 0);
	}
	return sum;
}
