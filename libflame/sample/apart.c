/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Runs a recording in three processes (apart.h), for record.c: fl_apart_start()
 * forks the parser and the opener, and fl_apart_read() returns the parser's
 * samples one by one.  If one of the two ends or stalls, both are replaced, and
 * the target that was being read is not read again.
 *
 * In the parser fl_apart_busy() and fl_apart_track() note in the shared memory
 * what it reads and records.
 */
#include "fl.h"

#include "sample/apart.h"
#include "sample/ring.h"
#include "sample/target.h"

#include <errno.h>
#include <linux/capability.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum {
	STEP_MS = 20, LONG_STEP_MS = 100, LAST_STEP_MS = 5,
	LOOK_MS = 100,		/* between looks at the parser */
	STALL_MS = 1000,	/* in which it reads and has no CPU time */
	BUSY_SECONDS = 60,	/* of CPU time for one process */
	GIVE_UP_MS = 400,	/* after a signal */
	READY_MS = 5000, LEAVE_MS = 200,
	MAX_RESTARTS = 64
};

#define MS INT64_C(1000000)

static void pause_ms(long ms)
{
	struct timespec t = { 0, ms * MS };

	nanosleep(&t, NULL);
}

bool fl_apart_is_useful(void)
{
	struct __user_cap_header_struct head = {
		.version = _LINUX_CAPABILITY_VERSION_3
	};
	struct __user_cap_data_struct data[2];

	/* Without it others' memory is readable for a parent at most. */
	return syscall(SYS_capget, &head, data) == 0 &&
	       data[0].effective >> CAP_SYS_PTRACE & 1;
}

/* The parser -------------------------------------------------------------- */

static struct fl_shared *own;

void fl_apart_busy(pid_t pid)
{
	if (!own)
		return;
	own->since = fl_now();
	__atomic_store_n(&own->busy, pid, __ATOMIC_RELEASE);
}

bool fl_apart_is_unreadable(pid_t pid)
{
	for (unsigned i = 0; own && i < own->nunreadable; i++)
		if (own->unreadable[i] == pid)
			return true;
	return false;
}

void fl_apart_track(pid_t pid, bool tracked)
{
	uint64_t bit = UINT64_C(1) << (pid % 64);

	if (!own || pid < 0 || pid >= FL_MAX_TRACKED)
		return;
	if (tracked)
		own->tracked[pid / 64] |= bit;
	else
		own->tracked[pid / 64] &= ~bit;
}

void fl_apart_find_tracked(struct fl_recorder *r)
{
	/* Of a first one all are zeros, and memory only once they are read. */
	for (size_t i = 0; own && own->restarted &&
	     i < FL_COUNT(own->tracked); i++)
		for (unsigned bit = 0; own->tracked[i] >> bit; bit++) {
			pid_t pid = (pid_t)(64 * i + bit);
			struct fl_process *p = own->tracked[i] >> bit & 1 ?
				fl_process_get(&r->processes, pid) : NULL;

			if (!p || p->tracked)
				continue;
			p->tracked = true;
			fl_process_read_maps(&r->processes, p);
		}
	for (size_t i = 0; i < r->processes.count; i++)
		fl_apart_track(r->processes.data[i]->pid, true);
}

static void parse(struct fl_recorder *r, int opener, pid_t parent)
{
	struct fl_shared *shared = r->apart->shared;
	size_t n = r->events.nrings;
	enum { OTHERS = 3 };
	int *fds = fl_zeroed(n + OTHERS, sizeof(*fds));

	own = shared;
	for (size_t i = 0; fds && i < n; i++)
		fds[i] = r->events.rings[i].fd;
	if (!fds || !fl_perf_events_inherit(&r->events) ||
	    !fl_recorder_begin(r, flame_new()))
		_exit(1);
	fds[n] = opener;
	fds[n + 1] = r->events.wake;
	fds[n + 2] = r->processes.kernel.fd;
	fl_target_ask_by(opener);
	if (!fl_confine_parser(fds, n + OTHERS))
		_exit(2);
	/* It may have been killed before its death was a signal. */
	if (getppid() != parent)
		_exit(0);
	_exit(fl_recorder_parse(r, shared));
}

/* The parent -------------------------------------------------------------- */

static bool is_wanted(void *arg, pid_t pid)
{
	const struct fl_shared *shared = arg;

	return pid >= 0 && pid < FL_MAX_TRACKED &&
	       shared->tracked[pid / 64] >> (pid % 64) & 1;
}

static void kill_process(pid_t pid)
{
	if (pid > 0)
		kill(pid, SIGKILL);
}

/* One that waits for a device or a page that never comes is not waited for. */
static void end_process(struct fl_apart *apart, pid_t *pid)
{
	struct rusage usage;
	int64_t until = fl_now() + LEAVE_MS * MS;

	if (*pid <= 0)
		return;
	kill_process(*pid);
	while (wait4(*pid, NULL, WNOHANG, &usage) == 0) {
		if (fl_now() > until) {
			*pid = 0;
			return;
		}
		pause_ms(1);
	}
	apart->reaped += (usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) *
			 INT64_C(1000000000) +
			 (usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) *
			 INT64_C(1000);
	*pid = 0;
}

static void end_both(struct fl_apart *apart)
{
	end_process(apart, &apart->parser);
	end_process(apart, &apart->opener);
}

static bool start_both(struct fl_recorder *r)
{
	struct fl_apart *apart = r->apart;
	pid_t parent = getpid();
	int ends[2];

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0)
		return false;
	apart->shared->ready = apart->shared->ended = 0;
	apart->shared->busy = 0;
	apart->shared->head = apart->shared->tail = 0;
	memset(&apart->shared->result, 0, sizeof(apart->shared->result));
	apart->names.count = apart->frames.count = 0;
	apart->stacks.count = apart->labels.count = 0;
	apart->first_place = fl_places_count(r->processes.places);
	apart->moved = apart->looked = fl_now();
	apart->cpu = 0;
	apart->opener = fork();
	if (apart->opener == 0) {
		if (!fl_confine_opener(ends[1]))
			_exit(1);
		fl_target_serve(ends[1]);
	}
	apart->parser = apart->opener > 0 ? fork() : -1;
	if (apart->parser == 0)
		parse(r, ends[0], parent);
	close(ends[0]);
	close(ends[1]);
	return apart->parser > 0;
}

/* Bytes that samples fill of a ring in a second; 0: nobody knows. */
static uint64_t rate_of(const struct fl_sampling *s)
{
	return s->switches || s->counted ? 0 :
	       (uint64_t)s->hertz * (s->stack + 1024);
}

bool fl_apart_start(struct fl_recorder *r)
{
	struct fl_apart *apart = fl_zeroed(1, sizeof(*apart));
	int64_t until = fl_now() + READY_MS * MS;
	void *at = mmap(NULL, sizeof(*apart->shared), PROT_READ | PROT_WRITE,
			MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (!apart || at == MAP_FAILED || !fl_perf_events_share(&r->events)) {
		fl_free(apart);
		return false;
	}
	apart->shared = at;
	r->apart = apart;
	if (!start_both(r))
		return false;
	while (!apart->shared->ready && fl_now() < until &&
	       waitpid(apart->parser, NULL, WNOHANG) == 0)
		pause_ms(1);
	r->events.rate = rate_of(&r->how.sampling);
	fl_perf_events_away(&r->events, r->how.sampling.all ? NULL : is_wanted,
			    apart->shared);
	return apart->shared->ready;
}

void fl_apart_close(struct fl_recorder *r)
{
	struct fl_apart *apart = r->apart;

	if (!apart)
		return;
	fl_perf_events_back(&r->events);
	/* Nobody waits for their end. */
	kill_process(apart->parser);
	kill_process(apart->opener);
	munmap(apart->shared, sizeof(*apart->shared));
	fl_free(apart->names.data);
	fl_free(apart->frames.data);
	fl_free(apart->stacks.data);
	fl_free(apart->labels.data);
	fl_buf_free(&apart->record);
	fl_free(apart);
	r->apart = NULL;
}

static void add_result(struct fl_record_result *to,
		       const struct fl_record_result *more)
{
	to->samples += more->samples;
	to->lost += more->lost;
	to->whole += more->whole;
	to->truncated += more->truncated;
	to->stacks += more->stacks;
	to->nameless += more->nameless;
	to->unreadable += more->unreadable;
	to->runtimes |= more->runtimes;
	to->gone += more->gone;
	to->joined += more->joined;
	to->left_out += more->left_out;
	to->unseen += more->unseen;
	to->unread += more->unread;
	to->throttled |= more->throttled;
}

/* What all parsers counted. */
static void sum_results(struct fl_recorder *r)
{
	struct fl_record_result sum = r->apart->before, last;

	last = r->apart->shared->result;
	add_result(&sum, &last);
	r->result.samples = sum.samples;
	r->result.lost = sum.lost;
	r->result.whole = sum.whole;
	r->result.truncated = sum.truncated;
	r->result.stacks = sum.stacks;
	r->result.nameless = sum.nameless;
	r->result.unreadable = sum.unreadable;
	r->result.runtimes = sum.runtimes;
	r->result.gone = sum.gone;
	r->result.joined = sum.joined;
	r->result.left_out = sum.left_out;
	r->result.unseen = sum.unseen;
	r->result.unread = sum.unread;
	r->result.throttled = sum.throttled;
}

static bool restart(struct fl_recorder *r)
{
	struct fl_apart *apart = r->apart;
	struct fl_shared *shared = apart->shared;
	struct fl_record_result last = shared->result;
	pid_t busy = shared->busy;

	end_both(apart);
	add_result(&apart->before, &last);
	if (busy > 0)
		fl_warn(r->processes.flame, "process %d is not readable: "
			"reading it stalled, or ended the parser", (int)busy);
	else
		fl_warn(r->processes.flame, "the process that reads the "
			"targets ended, and was started again");
	if (busy > 0 && shared->nunreadable < FL_MAX_UNREADABLE)
		shared->unreadable[shared->nunreadable++] = busy;
	if (++apart->restarts > MAX_RESTARTS) {
		fl_warn(r->processes.flame, "the parser ended %d times: the "
			"recording ends here", MAX_RESTARTS);
		return false;
	}
	shared->restarted = 1;
	return start_both(r);
}

static int64_t cpu_time_of(pid_t pid)
{
	struct timespec t;
	clockid_t clock;

	if (clock_getcpuclockid(pid, &clock) != 0 ||
	    clock_gettime(clock, &t) != 0)
		return 0;
	return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

/* Or waits for a CPU that others have. */
static bool is_runnable(pid_t pid)
{
	char text[512];
	const char *end = fl_read_short(pid, "stat", text, sizeof(text)) > 0 ?
			  strrchr(text, ')') : NULL;

	return end && end[1] == ' ' && end[2] == 'R';
}

/* Whether the parser or the opener has ended or stalls. */
static bool is_stuck(struct fl_apart *apart)
{
	const struct fl_shared *shared = apart->shared;
	int64_t now = fl_now(), cpu;

	if (waitpid(apart->parser, NULL, WNOHANG) != 0) {
		apart->parser = 0;
		return true;
	}
	if (now - apart->looked < LOOK_MS * MS)
		return false;
	apart->looked = now;
	cpu = cpu_time_of(apart->parser) + cpu_time_of(apart->opener);
	if (!shared->busy || now - shared->since < STALL_MS * MS ||
	    is_runnable(apart->parser) || is_runnable(apart->opener) ||
	    cpu - apart->cpu > 2 * MS) {
		if (!shared->busy || now - shared->since < STALL_MS * MS)
			apart->begun = cpu;
		apart->cpu = cpu;
		apart->moved = now;
	}
	return now - apart->moved > STALL_MS * MS ||
	       cpu - apart->begun > BUSY_SECONDS * INT64_C(1000000000);
}

static void end_soon(struct fl_recorder *r)
{
	if (r->apart->shared->stop)
		return;
	fl_perf_events_stop(&r->events);
	__atomic_store_n(&r->apart->shared->stop, 1, __ATOMIC_RELEASE);
}

/* Whether the recording goes on. */
static bool supervise(struct fl_recorder *r)
{
	struct fl_apart *apart = r->apart;
	int64_t now = fl_now();

	if (r->how.stop && *r->how.stop && !apart->give_up)
		apart->give_up = now + GIVE_UP_MS * MS;
	if (apart->give_up || (r->deadline && now >= r->deadline) ||
	    fl_recorder_command_ended(r))
		end_soon(r);
	if (apart->give_up && now > apart->give_up)
		return false;
	if (is_stuck(apart) && (apart->shared->ended || !restart(r)))
		return false;
	sum_results(r);
	if (r->how.progress && now - r->ticked > 250 * MS) {
		r->ticked = now;
		r->how.progress(r->how.arg, (double)(now - r->begin) / 1e9,
				r->result.samples, r->result.lost);
	}
	return true;
}

static int end_reading(struct fl_recorder *r, struct flame_source *source)
{
	end_soon(r);
	sum_results(r);
	r->result.cpu = r->apart->shared->cpu;
	if (!r->apart->shared->ended)
		fl_warn(source->flame, "the recording ends before all that was "
			"sampled is read");
	return fl_recorder_end(r, source);
}

/* Until there is more to read: the end of a command is noticed soon. */
static void wait_for_more(const struct fl_recorder *r)
{
	long ms = r->apart->shared->stop ? LAST_STEP_MS :
		  r->how.command ? STEP_MS : LONG_STEP_MS;

	if (r->deadline)
		ms = (long)FL_MIN((r->deadline - fl_now()) / MS + 1, ms);
	pause_ms(FL_MAX(ms, LAST_STEP_MS));
}

int fl_apart_read(struct fl_recorder *r, struct flame_source *source)
{
	struct fl_apart *apart = r->apart;
	struct flame_sample sample;
	bool done;

	for (;;) {
		int64_t now = fl_now();

		/* Also while there is more and more to read. */
		if (now - apart->supervised >= LAST_STEP_MS * MS) {
			apart->supervised = now;
			if (!supervise(r))
				return fl_failed(source->flame) ? FLAME_FAILED :
				       end_reading(r, source);
		}
		done = __atomic_load_n(&apart->shared->done, __ATOMIC_ACQUIRE);
		switch (fl_stream_read(r, source, &sample)) {
		case FL_STREAM_SAMPLE:
			return fl_batch_add(source, &sample);
		case FL_STREAM_DAMAGED:
			if (!fl_failed(source->flame) && restart(r))
				continue;
			return FLAME_FAILED;
		default:
			break;
		}
		if (fl_failed(source->flame))
			return FLAME_FAILED;
		if (done)
			return end_reading(r, source);
		wait_for_more(r);
	}
}
