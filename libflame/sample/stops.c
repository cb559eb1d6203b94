/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Samples by ptrace(2), where the kernel's events are refused: threads that ran
 * for long enough are stopped for some microseconds, where they run, and go on
 * before anything is unwound.  record.c opens it by fl_stops_open(); its
 * samples are written into a ring as the kernel's records, which perf_events.c
 * reads.
 *
 * A thread is attached for one stop only: between two stops, signals of the
 * target cost nothing, other tracers are free to attach, and a recorder that is
 * killed leaves nothing in them.
 */
#include "fl.h"

#include "sample/proc.h"
#include "sample/ring.h"
#include "sample/running.h"
#include "sample/stops.h"

#include <elf.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#ifndef PTRACE_EVENT_STOP
#define PTRACE_EVENT_STOP 128
#endif
#ifndef __WNOTHREAD
#define __WNOTHREAD 0x20000000
#endif

enum {
	RING = 4 << 20,
	SEARCH_MS = 50,		/* between looks for new processes */
	STEP_US = 10, STEPS = 1000,	/* of times of stops */
	/* Of a record: up to the registers; of the stack's two sizes. */
	HEAD = 56, SIZES = 16, MAX_RECORD = 65528
};

#define MS INT64_C(1000000)

struct stopping {
	pid_t pid, tid;
	int64_t since;
	uint32_t cpu, weight;
};

struct fl_stops {
	struct fl_sampling how;
	struct fl_perf_events *events;
	struct fl_ring *ring;
	struct fl_running running;
	pthread_t thread;
	bool runs, ends;
	sigset_t before;	/* signals that the caller had blocked */
	struct stopping *stopping;
	size_t nstopping, capacity;
	uint64_t head, lost;	/* of the ring; since the last record of it */
	uint64_t random;
	int64_t begin, due, searched;
	uint64_t count, times[STEPS + 1];
	uint8_t *record;
};

/* Records ------------------------------------------------------------------ */

static void copy_in(struct fl_stops *s, const void *from, size_t size)
{
	size_t at = (size_t)s->head & (s->ring->size - 1);
	size_t first = FL_MIN(size, s->ring->size - at);

	memcpy(s->ring->data + at, from, first);
	memcpy(s->ring->data, (const char *)from + first, size - first);
	s->head += size;
}

static bool has_room(const struct fl_stops *s, size_t size)
{
	uint64_t tail = __atomic_load_n(&s->ring->page->data_tail,
					__ATOMIC_ACQUIRE);

	return s->ring->size - (s->head - tail) >= size;
}

/* size: of all of it, a multiple of 8. */
static bool put(struct fl_stops *s, const void *record, size_t size)
{
	uint64_t one = 1;

	if (!has_room(s, size))
		return false;
	copy_in(s, record, size);
	__atomic_store_n(&s->ring->page->data_head, s->head, __ATOMIC_RELEASE);
	/* It fails where nobody has read the ones before: these are enough. */
	return write(s->events->wake, &one, sizeof(one)) != 0;
}

static size_t end_record(uint8_t *record, size_t size, uint32_t type,
			 uint16_t misc, pid_t pid, pid_t tid)
{
	int32_t ids[] = { pid, tid };
	int64_t now = fl_now();
	struct perf_event_header head = {
		type, misc, (uint16_t)(size + FL_PERF_TRAILER)
	};

	memcpy(record, &head, sizeof(head));
	memcpy(record + size, ids, sizeof(ids));
	memcpy(record + size + 8, &now, sizeof(now));
	memset(record + size + 16, 0, 8);
	return head.size;
}

static void put_name(struct fl_stops *s, pid_t pid, pid_t tid,
		     const char *name, bool exec)
{
	uint8_t record[16 + 32 + FL_PERF_TRAILER] = { 0 };
	int32_t ids[] = { pid, tid };

	memcpy(record + 8, ids, sizeof(ids));
	snprintf((char *)record + 16, 32, "%s", name);
	put(s, record, end_record(record, 48, PERF_RECORD_COMM, exec ?
				  PERF_RECORD_MISC_COMM_EXEC : 0, pid, tid));
}

static void put_task(struct fl_stops *s, uint32_t type, pid_t pid, pid_t parent)
{
	uint8_t record[32 + FL_PERF_TRAILER] = { 0 };
	int32_t ids[] = { pid, parent, pid, parent };

	memcpy(record + 8, ids, sizeof(ids));
	put(s, record, end_record(record, 32, type, 0, pid, pid));
}

static void put_lost(struct fl_stops *s)
{
	uint8_t record[24 + FL_PERF_TRAILER] = { 0 };

	memcpy(record + 16, &s->lost, sizeof(s->lost));
	if (s->lost && put(s, record, end_record(record, 24, PERF_RECORD_LOST,
						 0, 0, 0)))
		s->lost = 0;
}

/* Registers in the kernel's order of a sample; false: of 32 bits. */
static bool read_registers(pid_t tid, uint64_t *to, uint64_t *ip, uint64_t *sp)
{
#if FL_IS_ARM64
	struct user_regs_struct regs;
	struct iovec part = { &regs, sizeof(regs) };

	if (ptrace(PTRACE_GETREGSET, tid, (void *)NT_PRSTATUS, &part) != 0 ||
	    part.iov_len != sizeof(regs))
		return false;
	memcpy(to, regs.regs, sizeof(regs.regs));
	to[31] = regs.sp;
	to[32] = regs.pc;
	*ip = regs.pc;
	*sp = regs.sp;
	return true;
#else
	enum { CODE_64 = 0x33 };	/* the segment of Linux */
	struct user_regs_struct r;
	struct iovec part = { &r, sizeof(r) };

	if (ptrace(PTRACE_GETREGSET, tid, (void *)NT_PRSTATUS, &part) != 0 ||
	    part.iov_len != sizeof(r) || r.cs != CODE_64)
		return false;
	memcpy(to, (const uint64_t[]){
		r.rax, r.rbx, r.rcx, r.rdx, r.rsi, r.rdi, r.rbp, r.rsp, r.rip,
		r.r8, r.r9, r.r10, r.r11, r.r12, r.r13, r.r14, r.r15
	}, FL_REGS * sizeof(*to));
	*ip = r.rip;
	*sp = r.rsp;
	return true;
#endif
}

/*
 * Makes the record of a thread that is stopped; its size.  As in the kernel's
 * records, a size of the stack that is all of its place says that it is longer.
 */
static size_t make_sample(struct fl_stops *s, const struct stopping *t)
{
	uint64_t regs[FL_REGS] = { 0 }, ip = 0, sp = 0, abi, place, used;
	size_t most = FL_MIN(s->how.stack, MAX_RECORD - HEAD - SIZES -
			     sizeof(regs) - 8) & ~(size_t)7;
	struct perf_event_header head = { PERF_RECORD_SAMPLE, 0, 0 };
	uint8_t *to = s->record, *stack = to + HEAD + sizeof(regs) + 8;
	int64_t now = fl_now();
	int32_t ids[] = { t->pid, t->tid };
	uint32_t cpu[] = { t->cpu, t->weight };
	ssize_t n = 0;

	abi = read_registers(t->tid, regs, &ip, &sp) ?
	      PERF_SAMPLE_REGS_ABI_64 : PERF_SAMPLE_REGS_ABI_32;
	if (abi == PERF_SAMPLE_REGS_ABI_64)
		n = fl_read_memory(t->pid, sp, stack, most);
	used = n > 0 ? (uint64_t)n : 0;
	place = used == most ? most : (used & ~UINT64_C(7)) + 8;
	head.size = (uint16_t)(HEAD + sizeof(regs) + SIZES + place);
	memcpy(to, &head, sizeof(head));
	memcpy(to + 8, &ip, 8);
	memcpy(to + 16, ids, 8);
	memcpy(to + 24, &now, 8);
	memcpy(to + 32, cpu, 8);
	memset(to + 40, 0, 8);		/* none of the kernel's frames */
	memcpy(to + 48, &abi, 8);
	memcpy(to + HEAD, regs, sizeof(regs));
	memcpy(stack - 8, &place, 8);
	memset(stack + used, 0, (size_t)(place - used));
	memcpy(stack + place, &used, 8);
	return head.size;
}

/* Stops -------------------------------------------------------------------- */

static void remove_stopping(struct fl_stops *s, size_t i)
{
	struct fl_running_thread *t = fl_running_find(&s->running,
						      s->stopping[i].pid,
						      s->stopping[i].tid);

	s->stopping[i] = s->stopping[--s->nstopping];
	if (t)
		t->stops = false;
}

/* A thread without a CPU is stopped when it gets one: that wait is its own. */
static bool was_on_cpu(const struct fl_stops *s, const struct stopping *t)
{
	const struct fl_running_thread *thread =
		fl_running_find(&s->running, t->pid, t->tid);
	uint64_t ran, waited;

	return thread && fl_running_read(t->pid, thread, &ran, &waited) &&
	       waited == thread->waited;
}

/* Others than our interruption are signals of the target: it gets them. */
static void release(pid_t tid, int status)
{
	bool ours = status >> 8 == PTRACE_EVENT_STOP;

	ptrace(PTRACE_DETACH, tid, NULL, (void *)(intptr_t)(ours ? 0 : status));
}

static void sample(struct fl_stops *s, const struct stopping *t, int status)
{
	size_t size = make_sample(s, t);
	bool on_cpu = was_on_cpu(s, t);
	int64_t us;

	release(t->tid, status);
	us = (fl_now() - t->since) / 1000;
	s->count++;
	if (on_cpu)
		s->times[FL_MIN(us / STEP_US, (int64_t)STEPS)]++;
	put_lost(s);
	if (!put(s, s->record, size))
		s->lost += t->weight;
}

/* The next of our tracees that has stopped; 0: none. */
static pid_t next_stopped(int *status)
{
	siginfo_t info = { .si_pid = 0 };

	if (waitid(P_ALL, 0, &info, WSTOPPED | WNOHANG | __WALL |
		   __WNOTHREAD) != 0)
		return 0;
	*status = info.si_status;
	return info.si_pid;
}

/* Threads that ended meanwhile wait for their tracer, a command for its parent. */
static void forget_ended(struct fl_stops *s)
{
	siginfo_t info;

	for (size_t i = s->nstopping; i--;) {
		const struct stopping *t = &s->stopping[i];
		bool parents = s->how.on_exec && t->tid == s->how.pids[0];

		info.si_pid = 0;
		if (waitid(P_PID, (id_t)t->tid, &info, WEXITED | WNOHANG |
			   __WALL | __WNOTHREAD | (parents ? WNOWAIT : 0)) == 0 &&
		    !info.si_pid)
			continue;
		/* A stop is here, too, if nobody has waited for it yet. */
		if (info.si_pid && info.si_code == CLD_TRAPPED)
			sample(s, t, info.si_status);
		remove_stopping(s, i);
	}
}

static void collect(struct fl_stops *s)
{
	int status;
	pid_t tid;

	while ((tid = next_stopped(&status)) > 0) {
		size_t i = 0;

		while (i < s->nstopping && s->stopping[i].tid != tid)
			i++;
		if (i == s->nstopping) {
			/* It has another number since it executed a program. */
			release(tid, status);
			continue;
		}
		sample(s, &s->stopping[i], status);
		remove_stopping(s, i);
	}
}

static void stop_thread(struct fl_stops *s, pid_t pid,
			struct fl_running_thread *t, uint32_t cpu,
			uint64_t period)
{
	struct stopping stopping = {
		pid, t->tid, fl_now(), cpu, (uint32_t)(t->owed / period)
	};

	if (!fl_grow(&s->stopping, &s->capacity, s->nstopping + 1,
		     sizeof(*s->stopping)) ||
	    ptrace(PTRACE_SEIZE, t->tid, NULL, NULL) != 0)
		return;
	/* It has ended if this fails, and is found among those. */
	ptrace(PTRACE_INTERRUPT, t->tid, NULL, NULL);
	t->owed %= period;
	t->stops = true;
	s->stopping[s->nstopping++] = stopping;
}

/* Rounds ------------------------------------------------------------------- */

static uint64_t period_of(const struct fl_stops *s)
{
	return 1000000000 / FL_MAX(s->how.hertz, 1u);
}

/* Whether it still is the program that it was; else the reader hears of it. */
static void check_program(struct fl_stops *s, struct fl_running_process *p,
			  const struct fl_thread_stat *stat)
{
	bool known = p->code;

	if (stat->code == p->code && stat->stack == p->stack)
		return;
	p->code = stat->code;
	p->stack = stat->stack;
	if (known)
		put_name(s, p->pid, p->pid, stat->comm, true);
	if (known)
		p->waits = false;
}

static void check_name(struct fl_stops *s, pid_t pid,
		       struct fl_running_thread *t, const char *name)
{
	if (t->comm[0] && strcmp(t->comm, name) != 0)
		put_name(s, pid, t->tid, name, false);
	memcpy(t->comm, name, sizeof(t->comm));
}

/*
 * A thread that runs often but shortly is stopped when it is met running, and
 * its sample weighs as much as it ran since the one before.
 */
static void look_at_thread(struct fl_stops *s, struct fl_running_process *p,
			   struct fl_running_thread *t, uint64_t period)
{
	struct fl_thread_stat stat;

	if (!fl_thread_stat(p->pid, t->tid, &stat) || stat.state != 'R')
		return;
	check_program(s, p, &stat);
	check_name(s, p->pid, t, stat.comm);
	if (p->waits)
		t->owed = 0;
	else if (stat.code > 1)
		stop_thread(s, p->pid, t, stat.cpu, period);
}

static void look(struct fl_stops *s)
{
	uint64_t period = period_of(s);

	s->running.looks++;
	for (size_t i = s->running.count; i--;) {
		struct fl_running_process *p = &s->running.processes[i];

		if (!fl_running_look(&s->running, p, period)) {
			put_task(s, PERF_RECORD_EXIT, p->pid, p->pid);
			fl_running_remove(&s->running, p);
			continue;
		}
		for (size_t k = 0; k < p->nthreads; k++)
			if (p->threads[k].owed >= period &&
			    !p->threads[k].stops)
				look_at_thread(s, p, &p->threads[k], period);
	}
}

static void on_found(void *arg, pid_t pid, pid_t parent)
{
	struct fl_stops *s = arg;

	if (!s->how.all)
		put_task(s, PERF_RECORD_FORK, pid, parent);
}

static void search(struct fl_stops *s)
{
	int64_t now = fl_now();

	if (now - s->searched < SEARCH_MS * MS ||
	    !(s->how.children || s->how.all))
		return;
	s->searched = now;
	fl_running_search(&s->running, s->how.all, on_found, s);
}

/* Somewhere in the interval: programs have rhythms of their own. */
static void plan_round(struct fl_stops *s)
{
	uint64_t period = period_of(s);
	int64_t now = fl_now();

	s->random ^= s->random << 13;
	s->random ^= s->random >> 7;
	s->random ^= s->random << 17;
	s->begin += (int64_t)period;
	if (s->begin < now)
		s->begin = now;
	s->due = s->begin + (int64_t)(s->random % period);
}

/* Until the next round; stops are signals. */
static void wait_for_stops(struct fl_stops *s)
{
	sigset_t child;
	int64_t left;

	sigemptyset(&child);
	sigaddset(&child, SIGCHLD);
	while ((left = s->due - fl_now()) > 0 &&
	       !__atomic_load_n(&s->ends, __ATOMIC_ACQUIRE)) {
		struct timespec t = { 0, FL_MIN(left, 20 * MS) };

		sigtimedwait(&child, NULL, &t);
		collect(s);
	}
}

static void *stop_all(void *arg)
{
	struct fl_stops *s = arg;

	fl_perf_events_hurry();
	while (!__atomic_load_n(&s->ends, __ATOMIC_ACQUIRE)) {
		search(s);
		look(s);
		collect(s);
		wait_for_stops(s);
		forget_ended(s);
		plan_round(s);
	}
	/* Where this thread ends its tracees go on. */
	return NULL;
}

/* The recorder -------------------------------------------------------------- */

static bool make_ring(struct fl_perf_events *events)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	struct fl_ring *ring = fl_zeroed(1, sizeof(*ring));
	void *at;

	events->wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	events->copy = fl_alloc(1 << 16);
	if (!ring)
		return false;
	events->rings = ring;
	events->nrings = 1;
	events->ring_size = events->ring_wanted = RING;
	ring->fd = memfd_create("flame-record", MFD_CLOEXEC);
	if (ring->fd < 0 || events->wake < 0 || !events->copy ||
	    ftruncate(ring->fd, (off_t)(page + RING)) != 0)
		return false;
	at = mmap(NULL, page + RING, PROT_READ | PROT_WRITE, MAP_SHARED,
		  ring->fd, 0);
	if (at == MAP_FAILED)
		return false;
	ring->page = at;
	ring->data = (uint8_t *)at + page;
	ring->size = RING;
	return true;
}

/* Signals of children are for the thread that waits for stops. */
static void block_signals(struct fl_stops *s)
{
	sigset_t child;

	sigemptyset(&child);
	sigaddset(&child, SIGCHLD);
	pthread_sigmask(SIG_BLOCK, &child, &s->before);
}

static void add_targets(struct fl_stops *s)
{
	struct fl_running_process *p;
	struct fl_thread_stat stat;

	for (size_t i = 0; i < s->how.npids; i++) {
		p = fl_running_add(&s->running, s->how.pids[i], true);
		if (!p)
			continue;
		p->waits = s->how.on_exec;
		if (!fl_thread_stat(p->pid, p->pid, &stat))
			continue;
		p->code = stat.code;
		p->stack = stat.stack;
	}
}

static bool permitted(const struct fl_sampling *sampling,
		      struct fl_refusal *refusal)
{
	if (!sampling->npids)
		return fl_stops_permitted(0, refusal);
	for (size_t i = 0; i < sampling->npids; i++)
		if (!fl_stops_permitted(sampling->pids[i], refusal))
			return false;
	return true;
}

bool fl_stops_open(struct flame *flame, struct fl_perf_events *events,
		   const struct fl_sampling *sampling,
		   struct fl_refusal *refusal)
{
	struct fl_stops *s;

	if (!permitted(sampling, refusal))
		return false;
	memset(events, 0, sizeof(*events));
	s = fl_zeroed(1, sizeof(*s));
	events->stops = s;
	if (!s || !make_ring(events))
		goto failed;
	s->how = *sampling;
	s->events = events;
	s->record = fl_alloc(MAX_RECORD);
	s->random = (uint64_t)fl_now() | 1;
	if (!s->record)
		goto failed;
	block_signals(s);
	add_targets(s);
	return true;
failed:
	fl_perf_events_close(events);
	fl_no_memory(flame);
	return false;
}

bool fl_stops_start(struct fl_stops *s)
{
	s->ring = &s->events->rings[0];
	s->begin = fl_now();
	s->runs = pthread_create(&s->thread, NULL, stop_all, s) == 0;
	return s->runs;
}

/* What threads ran that were never met running has no sample. */
static uint64_t unsampled(struct fl_stops *s)
{
	uint64_t sum = s->running.lost;

	for (size_t i = 0; i < s->running.count; i++)
		for (size_t k = 0; k < s->running.processes[i].nthreads; k++)
			sum += s->running.processes[i].threads[k].owed;
	return sum / period_of(s);
}

static unsigned time_of(const struct fl_stops *s, uint64_t count)
{
	size_t i = 0;

	for (; i < STEPS && count > s->times[i]; i++)
		count -= s->times[i];
	return (unsigned)(STEP_US * (i + 1));
}

struct fl_stops_times fl_stops_end(struct fl_stops *s)
{
	struct fl_stops_times times = { .count = s->count };
	uint64_t on_cpu = 0;

	if (s->runs) {
		__atomic_store_n(&s->ends, true, __ATOMIC_RELEASE);
		pthread_join(s->thread, NULL);
		s->runs = false;
		s->lost += unsampled(s);
		put_lost(s);
	}
	for (size_t i = 0; i <= STEPS; i++)
		on_cpu += s->times[i];
	times.median = time_of(s, (on_cpu + 1) / 2);
	times.most = time_of(s, on_cpu - on_cpu / 100);
	return times;
}

void fl_stops_free(struct fl_stops *s)
{
	if (!s)
		return;
	fl_stops_end(s);
	if (s->record)
		pthread_sigmask(SIG_SETMASK, &s->before, NULL);
	fl_running_free(&s->running);
	fl_free(s->stopping);
	fl_free(s->record);
	fl_free(s);
}

/* Permission ---------------------------------------------------------------- */

static bool refuse(struct fl_refusal *refusal, const char *why)
{
	snprintf(refusal->text, sizeof(refusal->text), "%s", why);
	return false;
}

/* Who traces it already; 0: nobody. */
static pid_t tracer_of(pid_t pid)
{
	char text[4096];
	const char *at = fl_read_short(pid, "status", text, sizeof(text)) > 0 ?
			 strstr(text, "\nTracerPid:") : NULL;

	return at ? (pid_t)strtol(at + 11, NULL, 10) : 0;
}

/* kernel.yama.ptrace_scope; 0: there is none. */
static int ptrace_scope(void)
{
	FILE *file = fopen("/proc/sys/kernel/yama/ptrace_scope", "re");
	int scope = 0;

	if (file && fscanf(file, "%d", &scope) != 1)
		scope = 0;
	if (file)
		fclose(file);
	return scope;
}

bool fl_stops_permitted(pid_t pid, struct fl_refusal *refusal)
{
	pid_t tracer = pid ? tracer_of(pid) : 0;
	struct fl_thread_stat stat;
	char why[320], byte;

	/* Of a process that cannot be: permitted, unless the call is not. */
	if (ptrace(PTRACE_SEIZE, 0, NULL, NULL) != 0 && errno != ESRCH)
		return refuse(refusal, "ptrace is blocked (container seccomp): "
			"securityContext: capabilities: add: [\"SYS_PTRACE\"]");
	if (tracer) {
		snprintf(why, sizeof(why), "process %d is traced by process "
			 "%d: only one can (a debugger, strace)", (int)pid,
			 (int)tracer);
		return refuse(refusal, why);
	}
	/* The kernel has the same rule for the memory of a process. */
	if (!pid || !fl_thread_stat(pid, pid, &stat) || !stat.code ||
	    (stat.code > 1 && fl_read_memory(pid, stat.stack, &byte, 1) == 1))
		return true;
	snprintf(why, sizeof(why), "process %d may not be traced "
		 "(kernel.yama.ptrace_scope=%d): run as its user, with "
		 "securityContext: capabilities: add: [\"SYS_PTRACE\"] "
		 "(docker: --cap-add SYS_PTRACE), or sudo sysctl "
		 "kernel.yama.ptrace_scope=0", (int)pid, ptrace_scope());
	return refuse(refusal, why);
}
