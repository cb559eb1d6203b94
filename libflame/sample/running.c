/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The threads of processes, and how long each of them ran, by
 * /proc/PID/task/TID/schedstat: stops.c calls fl_running_look() to learn which
 * threads are due for a sample, and fl_running_search() to find processes that
 * began since.
 */
#include "fl.h"

#include "sample/blocked.h"
#include "sample/proc.h"
#include "sample/running.h"

#include <dirent.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

/* Accounts ----------------------------------------------------------------- */

bool fl_thread_stat(pid_t pid, pid_t tid, struct fl_thread_stat *stat)
{
	char text[1024], *name, *end;
	int parent, cpu;

	memset(stat, 0, sizeof(*stat));
	if (fl_read_task(pid, tid, "stat", text, sizeof(text)) <= 0)
		return false;
	/* "4242 (a name) S 1 ...": the name may hold anything. */
	name = strchr(text, '(');
	end = strrchr(text, ')');
	if (!name || !end || end < name ||
	    sscanf(end + 1, " %c %d %*d %*d %*d %*d %*u %*u %*u %*u %*u %*u "
		   "%*u %*d %*d %*d %*d %*d %*d %*u %*u %*d %*u %" SCNu64
		   " %*u %" SCNu64 " %*u %*u %*u %*u %*u %*u %*u %*u %*u %*d "
		   "%d", &stat->state, &parent, &stat->code, &stat->stack,
		   &cpu) != 5)
		return false;
	stat->parent = parent;
	stat->cpu = (uint32_t)cpu;
	snprintf(stat->comm, sizeof(stat->comm), "%.*s", (int)(end - name - 1),
		 name + 1);
	return true;
}

/* Its CPU time, with that of threads that have ended; false: it has ended. */
static bool process_time(pid_t pid, uint64_t *ran)
{
	struct timespec t;

	/* As clock_getcpuclockid makes it, with a system call more. */
	if (clock_gettime((clockid_t)(~(unsigned)pid << 3 | 2), &t) != 0)
		return false;
	*ran = (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
	return true;
}

bool fl_running_read(pid_t pid, const struct fl_running_thread *t,
		     uint64_t *ran, uint64_t *waited)
{
	char text[128], *end;
	ssize_t n = t->fd >= 0 ? pread(t->fd, text, sizeof(text) - 1, 0) :
		    fl_read_task(pid, t->tid, "schedstat", text, sizeof(text));

	if (n <= 0)
		return false;
	text[n] = '\0';
	*ran = strtoull(text, &end, 10);
	*waited = strtoull(end, NULL, 10);
	return true;
}

/* Threads ------------------------------------------------------------------ */

/* A descriptor makes a look three times as cheap. */
static int open_account(struct fl_running *all, pid_t pid, pid_t tid)
{
	char name[64];
	int fd = -1;

	snprintf(name, sizeof(name), "task/%d/schedstat", (int)tid);
	if (all->nfds < all->max_fds)
		fd = fl_open_proc(pid, name);
	all->nfds += fd >= 0;
	return fd;
}

static void forget_thread(struct fl_running *all, struct fl_running_process *p,
			  size_t i)
{
	struct fl_running_thread *t = &p->threads[i];

	all->lost += t->owed;
	if (t->fd >= 0) {
		close(t->fd);
		all->nfds--;
	}
	*t = p->threads[--p->nthreads];
}

static struct fl_running_thread *thread_of(struct fl_running *all,
					   struct fl_running_process *p,
					   pid_t tid)
{
	struct fl_running_thread *t;

	for (size_t i = 0; i < p->nthreads; i++)
		if (p->threads[i].tid == tid)
			return &p->threads[i];
	if (!fl_grow(&p->threads, &p->capacity, p->nthreads + 1,
		     sizeof(*p->threads)))
		return NULL;
	t = &p->threads[p->nthreads++];
	*t = (struct fl_running_thread){
		.tid = tid, .fd = open_account(all, p->pid, tid)
	};
	return t;
}

/* first: what threads ran until now is of before the recording. */
static void list_threads(struct fl_running *all, struct fl_running_process *p,
			 bool first)
{
	DIR *dir = fl_open_folder(p->pid, "task");
	struct fl_running_thread *t;
	struct dirent *entry;
	size_t before = p->nthreads;

	while (dir && (entry = readdir(dir))) {
		if (!fl_is_digit(entry->d_name[0]))
			continue;
		t = thread_of(all, p, (pid_t)strtol(entry->d_name, NULL, 10));
		if (t && first)
			fl_running_read(p->pid, t, &t->ran, &t->waited);
		if (t)
			t->listed = true;
	}
	if (dir)
		closedir(dir);
	for (size_t i = before; i--;)
		if (!p->threads[i].listed && !p->threads[i].stops)
			forget_thread(all, p, i);
	for (size_t i = 0; i < p->nthreads; i++)
		p->threads[i].listed = false;
}

/* Idle ones are read less often. */
static bool is_to_be_read(const struct fl_running *all,
			  const struct fl_running_thread *t)
{
	enum { IDLE = 32, PART = 8 };

	return t->idle < IDLE || (all->looks + (unsigned)t->tid) % PART == 0;
}

static void read_threads(struct fl_running *all, struct fl_running_process *p)
{
	uint64_t ran;

	for (size_t i = p->nthreads; i--;) {
		struct fl_running_thread *t = &p->threads[i];

		if (!is_to_be_read(all, t))
			continue;
		if (!fl_running_read(p->pid, t, &ran, &t->waited)) {
			if (!t->stops)
				forget_thread(all, p, i);
			continue;
		}
		t->idle = ran == t->ran ? t->idle + 1 : 0;
		p->seen += ran - t->ran;
		t->owed += ran - t->ran;
		t->ran = ran;
	}
}

bool fl_running_look(struct fl_running *all, struct fl_running_process *p,
		     uint64_t period)
{
	uint64_t ran;

	if (!process_time(p->pid, &ran))
		return false;
	if (ran == p->ran)
		return true;
	p->ran = ran;
	read_threads(all, p);
	/* More than the known ones ran: there are others. */
	if (p->ran - p->seen <= p->missed + period)
		return true;
	list_threads(all, p, false);
	read_threads(all, p);
	p->missed = p->ran - p->seen;
	return true;
}

struct fl_running_thread *fl_running_find(const struct fl_running *all,
					  pid_t pid, pid_t tid)
{
	for (size_t i = 0; i < all->count; i++) {
		const struct fl_running_process *p = &all->processes[i];

		for (size_t k = 0; p->pid == pid && k < p->nthreads; k++)
			if (p->threads[k].tid == tid)
				return &p->threads[k];
	}
	return NULL;
}

/* Processes ---------------------------------------------------------------- */

struct fl_running_process *fl_running_add(struct fl_running *all, pid_t pid,
					  bool first)
{
	struct fl_running_process *p;
	struct rlimit files;

	for (size_t i = 0; i < all->count; i++)
		if (all->processes[i].pid == pid)
			return &all->processes[i];
	if (!all->max_fds && getrlimit(RLIMIT_NOFILE, &files) == 0)
		all->max_fds = (unsigned)FL_MIN(files.rlim_cur / 2,
						(rlim_t)1 << 14);
	if (!fl_grow(&all->processes, &all->capacity, all->count + 1,
		     sizeof(*all->processes)))
		return NULL;
	p = &all->processes[all->count++];
	*p = (struct fl_running_process){ .pid = pid };
	list_threads(all, p, first);
	if (first)
		process_time(pid, &p->ran);
	p->seen = p->ran;
	return p;
}

void fl_running_remove(struct fl_running *all, struct fl_running_process *p)
{
	while (p->nthreads)
		forget_thread(all, p, p->nthreads - 1);
	fl_free(p->threads);
	*p = all->processes[--all->count];
}

static bool is_known(const struct fl_running *all, pid_t pid)
{
	for (size_t i = 0; i < all->count; i++)
		if (all->processes[i].pid == pid)
			return true;
	return false;
}

/* Ourselves, and who works for us. */
static bool is_own(const struct fl_running *all, pid_t pid, pid_t parent)
{
	return pid == getpid() ||
	       (parent == getpid() && !is_known(all, pid));
}

void fl_running_search(struct fl_running *all, bool any,
		       void (*found)(void *arg, pid_t pid, pid_t parent),
		       void *arg)
{
	bool first = !all->pids.count, fresh;
	DIR *dir = opendir("/proc");
	struct fl_map now = { 0 };
	struct fl_thread_stat stat;
	struct dirent *entry;

	while (dir && (entry = readdir(dir))) {
		pid_t pid = (pid_t)strtol(entry->d_name, NULL, 10);

		if (!fl_is_digit(entry->d_name[0]) ||
		    !fl_map_put(&now, (uint64_t)pid, &fresh) ||
		    fl_map_get(&all->pids, (uint64_t)pid) ||
		    !fl_thread_stat(pid, pid, &stat))
			continue;
		if (is_known(all, pid) || is_own(all, pid, stat.parent) ||
		    !(any ? stat.code > 1 : is_known(all, stat.parent)))
			continue;
		if (fl_running_add(all, pid, first))
			found(arg, pid, stat.parent);
	}
	if (dir)
		closedir(dir);
	fl_map_free(&all->pids);
	all->pids = now;
}

void fl_running_free(struct fl_running *all)
{
	while (all->count)
		fl_running_remove(all, &all->processes[all->count - 1]);
	fl_free(all->processes);
	fl_map_free(&all->pids);
	memset(all, 0, sizeof(*all));
}
