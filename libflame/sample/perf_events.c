/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Opens the kernel's perf events, and reads their samples and records from ring
 * buffers, one a CPU: fl_perf_events_next() returns them in order of time to
 * record.c.
 *
 * Where it is permitted, an event per CPU sees every process, and record.c
 * leaves out those that are not recorded: threads that live shortly are then
 * sampled as often as they run.  Else each thread has an event per CPU, which
 * its children inherit.
 */
#include "fl.h"

#include "sample/ring.h"
#include "sample/stops.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum {
	/* A ring has place for the samples of this time, and for these. */
	RING_MS = 600, MIN_SAMPLES = 64,
	RING_SIZE = 8 << 20,		/* bytes at most */
	ALL_RINGS = 256 << 20,
	MIN_RING = 64 << 10,
	MAX_CPUS = 4096,
	MAX_RECORD = 1 << 16
};

#define SAMPLE_TYPE (PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | \
		     PERF_SAMPLE_CPU | PERF_SAMPLE_CALLCHAIN | \
		     PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER)

/* In a read of an event, since Linux 6.0; older headers lack the name. */
#define FORMAT_LOST (UINT64_C(1) << 4)

int fl_perf_paranoid(void)
{
	FILE *file = fopen("/proc/sys/kernel/perf_event_paranoid", "re");
	int level = INT_MAX;

	if (!file)
		return level;
	if (fscanf(file, "%d", &level) != 1)
		level = INT_MAX;
	fclose(file);
	return level;
}

bool fl_perf_is_permitted(void)
{
	struct perf_event_attr attr = {
		.size = sizeof(attr), .type = PERF_TYPE_SOFTWARE,
		.config = PERF_COUNT_SW_CPU_CLOCK, .disabled = 1,
		.exclude_kernel = 1, .exclude_hv = 1,
	};
	int fd = (int)syscall(SYS_perf_event_open, &attr, 0, -1, -1,
			      PERF_FLAG_FD_CLOEXEC);

	if (fd >= 0)
		close(fd);
	return fd >= 0;
}

/* Opening ----------------------------------------------------------------- */

/* From /proc/stat, which has a line for each CPU that is online. */
static size_t online_cpus(unsigned *cpus, size_t capacity)
{
	FILE *file = fopen("/proc/stat", "re");
	char line[1 << 12];
	size_t n = 0;

	while (file && n < capacity && fgets(line, sizeof(line), file))
		if (strncmp(line, "cpu", 3) == 0 && fl_is_digit(line[3]))
			cpus[n++] = (unsigned)strtoul(line + 3, NULL, 10);
	if (file)
		fclose(file);
	if (!n)
		cpus[n++] = 0;
	return n;
}

static void describe(struct perf_event_attr *attr,
		     const struct fl_perf_events *events,
		     const struct fl_sampling *sampling)
{
	memset(attr, 0, sizeof(*attr));
	attr->size = sizeof(*attr);
	attr->type = events->hardware ? PERF_TYPE_HARDWARE : PERF_TYPE_SOFTWARE;
	attr->config = events->hardware ? PERF_COUNT_HW_CPU_CYCLES :
					  PERF_COUNT_SW_CPU_CLOCK;
	attr->sample_type = SAMPLE_TYPE;
	attr->read_format = FORMAT_LOST;
	if (sampling->switches) {
		/* Without samples a record of a switch is 32 bytes. */
		attr->config = sampling->least_wait ? PERF_COUNT_SW_DUMMY :
					      PERF_COUNT_SW_CONTEXT_SWITCHES;
		attr->sample_period = !sampling->least_wait;
		attr->context_switch = 1;
	} else {
		attr->freq = 1;
		attr->sample_freq = sampling->hertz;
	}
	if (sampling->counted)
		fl_counted_describe(sampling->counted, attr);
	attr->disabled = 1;
	attr->mmap = attr->mmap2 = 1;
	attr->comm = attr->comm_exec = 1;
	attr->task = 1;
	attr->sample_id_all = 1;
	attr->exclude_idle = 1;
	attr->exclude_hv = 1;
	attr->exclude_guest = 1;
	attr->exclude_callchain_user = 1;
	attr->exclude_callchain_kernel = sampling->user;
	attr->exclude_kernel = !events->kernel;
	attr->sample_regs_user = FL_PERF_REGISTERS;
	attr->sample_stack_user = sampling->stack;
	attr->use_clockid = 1;
	attr->clockid = CLOCK_MONOTONIC;
	/* Counted ones may be thousands at once: few wake the recorder. */
	attr->wakeup_events = sampling->counted ? 64 : 1;
	if (!events->per_cpu) {
		attr->inherit = 1;	/* new threads, and children */
		attr->enable_on_exec = sampling->on_exec;
	}
}

/* read_format is cleared where the kernel does not know it. */
static int open_event(struct perf_event_attr *attr, pid_t pid, int cpu)
{
	int fd = (int)syscall(SYS_perf_event_open, attr, pid, cpu, -1,
			      PERF_FLAG_FD_CLOEXEC);

	if (fd >= 0 || errno != EINVAL || !attr->read_format)
		return fd;
	attr->read_format = 0;
	return open_event(attr, pid, cpu);
}

static bool keep_fd(struct flame *flame, struct fl_perf_events *events, int fd)
{
	if (!fl_grow(&events->fds, &events->fds_capacity, events->nfds + 1,
		     sizeof(*events->fds))) {
		close(fd);
		fl_no_memory(flame);
		return false;
	}
	events->fds[events->nfds++] = fd;
	return true;
}

static bool map_ring(struct fl_ring *ring, size_t size)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	void *at = mmap(NULL, page + size, PROT_READ | PROT_WRITE, MAP_SHARED,
			ring->fd, 0);

	if (at == MAP_FAILED)
		return false;
	ring->page = at;
	ring->data = (uint8_t *)at + page;
	ring->size = size;
	return true;
}

/* Rings shrink until the limit of locked memory allows them. */
static bool map_all(struct fl_perf_events *events)
{
	for (size_t size = events->ring_size; size >= MIN_RING; size /= 2) {
		size_t i = 0;

		while (i < events->nrings && map_ring(&events->rings[i], size))
			i++;
		if (i == events->nrings) {
			events->ring_size = size;
			return true;
		}
		while (i--) {
			fl_ring_unmap(&events->rings[i]);
		}
	}
	return false;
}

/* The threads of a process; those that end meanwhile are ignored. */
static pid_t *list_threads(pid_t pid, size_t *n)
{
	struct dirent *entry;
	size_t capacity = 0;
	pid_t *tids = NULL;
	DIR *dir = fl_open_folder(pid, "task");

	*n = 0;
	while (dir && (entry = readdir(dir))) {
		if (!fl_is_digit(entry->d_name[0]))
			continue;
		if (!fl_grow(&tids, &capacity, *n + 1, sizeof(*tids)))
			break;
		tids[(*n)++] = (pid_t)strtol(entry->d_name, NULL, 10);
	}
	if (dir)
		closedir(dir);
	return tids;
}

/* An event of a thread on each CPU; 0, or the errno. */
static int open_thread(struct flame *flame, struct fl_perf_events *events,
		       struct perf_event_attr *attr, pid_t tid)
{
	for (size_t i = 0; i < events->nrings; i++) {
		struct fl_ring *ring = &events->rings[i];
		int fd = open_event(attr, tid, (int)ring->cpu);

		if (fd < 0)
			return errno;
		if (!keep_fd(flame, events, fd))
			return ENOMEM;
		if (ring->fd < 0)
			ring->fd = fd;
		else if (ring->page &&
			 ioctl(fd, PERF_EVENT_IOC_SET_OUTPUT, ring->fd) != 0)
			return errno;
	}
	return 0;
}

static void close_events(struct fl_perf_events *events)
{
	for (size_t i = 0; i < events->nfds; i++)
		close(events->fds[i]);
	events->nfds = 0;
	for (size_t i = 0; i < events->nrings; i++)
		events->rings[i].fd = -1;
}

/* Threads that start meanwhile are found in the next round. */
static int open_threads(struct flame *flame, struct fl_perf_events *events,
			const struct fl_sampling *sampling)
{
	struct perf_event_attr attr;
	struct fl_map seen = { 0 };
	bool fresh, more = true, any = false;
	int error = 0;

	describe(&attr, events, sampling);
	while (more && !error) {
		more = false;
		for (size_t i = 0; i < sampling->npids && !error; i++) {
			size_t n;
			pid_t *tids = list_threads(sampling->pids[i], &n);

			for (size_t k = 0; k < n && !error; k++) {
				if (!fl_map_put(&seen, (uint64_t)tids[k],
						&fresh))
					error = ENOMEM;
				else if (fresh)
					error = open_thread(flame, events,
							    &attr, tids[k]);
				else
					continue;
				more = true;
				any |= !error;
				if (error == ESRCH)
					error = 0;
				/* Rings are needed before others join. */
				if (!error && events->nrings &&
				    events->rings[0].fd >= 0 &&
				    !events->rings[0].page &&
				    !map_all(events))
					error = ENOBUFS;
			}
			fl_free(tids);
		}
	}
	fl_map_free(&seen);
	return error ? error : any ? 0 : ESRCH;
}

static int open_cpus(struct flame *flame, struct fl_perf_events *events,
		     const struct fl_sampling *sampling)
{
	struct perf_event_attr attr;

	describe(&attr, events, sampling);
	for (size_t i = 0; i < events->nrings; i++) {
		int fd = open_event(&attr, -1, (int)events->rings[i].cpu);

		if (fd < 0)
			return errno;
		if (!keep_fd(flame, events, fd))
			return ENOMEM;
		events->rings[i].fd = fd;
	}
	return map_all(events) ? 0 : ENOBUFS;
}

static void raise_limit(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) != 0)
		return;
	limit.rlim_cur = limit.rlim_max;
	setrlimit(RLIMIT_NOFILE, &limit);
}

/* Hardware, kernel and per CPU as set; 0, or the errno. */
static int try_open(struct flame *flame, struct fl_perf_events *events,
		    const struct fl_sampling *sampling)
{
	int error = events->per_cpu ? open_cpus(flame, events, sampling) :
				      open_threads(flame, events, sampling);

	if (error) {
		for (size_t i = 0; i < events->nrings; i++)
			fl_ring_unmap(&events->rings[i]);
		close_events(events);
		events->ring_size = events->ring_wanted;
	}
	return error;
}

static bool belongs_to_other(pid_t pid, uid_t *owner)
{
	struct stat st;
	char path[32];

	snprintf(path, sizeof(path), "/proc/%d", (int)pid);
	if (stat(path, &st) != 0)
		return false;
	*owner = st.st_uid;
	return geteuid() != 0 && st.st_uid != geteuid();
}

static bool is_refusal(int error)
{
	return error == EPERM || error == EACCES;
}

static void refuse(struct fl_refusal *refusal, int error,
		   const struct fl_sampling *sampling, size_t cpus)
{
	char *to = refusal->text;
	size_t size = sizeof(refusal->text);
	int paranoid = fl_perf_paranoid();
	struct rlimit files = { 0, 0 };
	uid_t owner;

	refusal->blocked = is_refusal(error) || error == ENOSYS ||
			   paranoid == INT_MAX;
	for (size_t i = 0; i < sampling->npids; i++)
		if (belongs_to_other(sampling->pids[i], &owner)) {
			refusal->blocked = false;
			snprintf(to, size, "process %d belongs to uid %u: run "
				 "as that user or as root",
				 (int)sampling->pids[i], (unsigned)owner);
			return;
		}
	if (sampling->counted && !refusal->blocked &&
	    (error == ENOENT || error == EOPNOTSUPP || error == ENODEV ||
	     error == EINVAL || error == ENOSPC)) {
		snprintf(to, size, "the kernel cannot count %s here (%s): "
			 "flame-record --list says what it can",
			 sampling->counted->name, strerror(error));
	} else if (error == EMFILE || error == ENFILE) {
		getrlimit(RLIMIT_NOFILE, &files);
		snprintf(to, size, "the targets' threads on %zu CPUs need more "
			 "than %llu open files: raise the hard limit (ulimit "
			 "-Hn)", cpus, (unsigned long long)files.rlim_max);
	} else if (error == ENOBUFS) {
		snprintf(to, size, "no memory may be locked for ring buffers: "
			 "raise the limit (ulimit -l)");
	} else if (error == ESRCH) {
		snprintf(to, size, "process %d does not exist",
			 sampling->npids ? (int)sampling->pids[0] : 0);
	} else if (error == EINVAL) {
		snprintf(to, size, "the kernel refuses %u samples a second "
			 "(kernel.perf_event_max_sample_rate)",
			 sampling->hertz);
	} else if (error == ENOSYS || paranoid == INT_MAX) {
		snprintf(to, size, "this kernel has no perf events "
			 "(CONFIG_PERF_EVENTS)");
	} else if ((error == EPERM || error == EACCES) &&
		   (sampling->switches ||
		    (sampling->counted &&
		     fl_counted_in_kernel(sampling->counted))) &&
		   paranoid > 1 && paranoid < INT_MAX && geteuid() != 0) {
		snprintf(to, size, "-e %s needs kernel.perf_event_paranoid "
			 "<= 1 or CAP_PERFMON. Try: sudo sysctl "
			 "kernel.perf_event_paranoid=1", sampling->counted ?
			 sampling->counted->name : "offcpu");
	} else if ((error == EPERM || error == EACCES) && sampling->all &&
		   paranoid > 0) {
		snprintf(to, size, "-a needs kernel.perf_event_paranoid <= 0 "
			 "or CAP_PERFMON: sudo setcap cap_perfmon,"
			 "cap_sys_ptrace,cap_syslog,cap_dac_read_search,"
			 "cap_checkpoint_restore+ep flame-record");
	} else if ((error == EPERM || error == EACCES) && paranoid > 2) {
		snprintf(to, size, "the kernel forbids profiling here "
			 "(kernel.perf_event_paranoid=%d). Try: sudo sysctl "
			 "kernel.perf_event_paranoid=2", paranoid);
	} else if (error == EPERM || error == EACCES) {
		snprintf(to, size, "perf_event_open is blocked (container "
			 "seccomp). For CPU samples start the container with "
			 "--cap-add PERFMON (older Podman also wants "
			 "SYS_ADMIN), or run flame-record on the host");
	} else {
		snprintf(to, size, "perf_event_open: %s", strerror(error));
	}
}

/* Of each CPU.  The kernel fills its pages with zeros, and locks them. */
static size_t ring_size(const struct fl_sampling *s)
{
	size_t samples = FL_MAX((size_t)s->hertz * RING_MS / 1000,
				(size_t)MIN_SAMPLES);
	size_t size = MIN_RING;

	while (size < RING_SIZE && (s->switches || s->counted ||
				    size < samples * s->stack))
		size *= 2;
	return size;
}

static bool make_rings(struct flame *flame, struct fl_perf_events *events,
		       const struct fl_sampling *sampling)
{
	unsigned *cpus = fl_alloc(MAX_CPUS * sizeof(*cpus));
	size_t n = cpus ? online_cpus(cpus, MAX_CPUS) : 0;

	events->rings = n ? fl_zeroed(n, sizeof(*events->rings)) : NULL;
	for (size_t i = 0; events->rings && i < n; i++) {
		events->rings[i].cpu = cpus[i];
		events->rings[i].fd = -1;
	}
	events->nrings = events->rings ? n : 0;
	fl_free(cpus);
	events->ring_wanted = ring_size(sampling);
	while (events->ring_wanted > MIN_RING * 8 &&
	       events->ring_wanted * n > ALL_RINGS)
		events->ring_wanted /= 2;
	events->ring_size = events->ring_wanted;
	events->copy_capacity = MAX_RECORD;
	events->copy = fl_alloc(MAX_RECORD);
	return (events->rings && events->copy) ||
	       fl_no_memory(flame) == FLAME_OK;
}

/*
 * Others' switches are not wanted: each has a copy of a stack.  All happen in
 * the kernel.
 */
static bool is_way(const struct fl_perf_events *events,
		   const struct fl_sampling *sampling)
{
	if (sampling->counted)
		return events->per_cpu == sampling->all && !events->hardware &&
		       (events->kernel ||
			!fl_counted_in_kernel(sampling->counted));
	if (sampling->switches)
		return events->per_cpu == sampling->all && !events->hardware &&
		       (events->kernel || sampling->least_wait);
	return events->per_cpu ? events->kernel : !sampling->all;
}

bool fl_perf_events_open(struct flame *flame, struct fl_perf_events *events,
			 const struct fl_sampling *sampling,
			 struct fl_refusal *refusal)
{
	int error = 0;

	memset(events, 0, sizeof(*events));
	refusal->text[0] = '\0';
	raise_limit();
	if (!make_rings(flame, events, sampling))
		return false;
	/* The best first: each CPU, the kernel, the hardware's cycles. */
	for (unsigned way = 0; way < 8; way++) {
		events->per_cpu = !(way & 4);
		events->kernel = !(way & 2);
		events->hardware = !(way & 1);
		if (!is_way(events, sampling))
			continue;
		error = try_open(flame, events, sampling);
		if (!error || fl_failed(flame))
			break;
		/* Other ways help where this one is not permitted or known. */
		if (events->hardware &&
		    (error == ENOENT || error == EOPNOTSUPP ||
		     error == ENODEV || error == EINVAL || is_refusal(error)))
			continue;
		if (!is_refusal(error))
			break;
	}
	if (!error && !fl_failed(flame))
		return true;
	if (!fl_failed(flame))
		refuse(refusal, error, sampling, events->nrings);
	fl_perf_events_close(events);
	return false;
}

static bool control(struct fl_perf_events *events, unsigned long what)
{
	bool good = true;

	for (size_t i = 0; i < events->nfds; i++)
		good &= ioctl(events->fds[i], what, 0) == 0;
	return good;
}

bool fl_perf_events_start(struct fl_perf_events *events)
{
	return events->stops ? fl_stops_start(events->stops) :
	       control(events, PERF_EVENT_IOC_ENABLE);
}

void fl_perf_events_stop(struct fl_perf_events *events)
{
	if (events->stops)
		fl_stops_end(events->stops);
	else
		control(events, PERF_EVENT_IOC_DISABLE);
}

uint64_t fl_perf_events_lost(const struct fl_perf_events *events)
{
	uint64_t sum = 0, said[2];	/* the count, the lost ones */

	for (size_t i = 0; i < events->nfds; i++)
		if (read(events->fds[i], said, sizeof(said)) == sizeof(said))
			sum += said[1];
	return sum;
}

void fl_perf_events_close(struct fl_perf_events *events)
{
	fl_perf_events_back(events);
	fl_stops_free(events->stops);
	if (events->wake > 0)
		close(events->wake);
	for (size_t i = 0; i < events->nrings; i++) {
		if (events->wake > 0 && events->rings[i].fd >= 0)
			close(events->rings[i].fd);
		fl_ring_unmap(&events->rings[i]);
	}
	fl_map_free(&events->born);
	close_events(events);
	if (events->lock)
		fl_perf_events_unshare(events);
	fl_free(events->rings);
	fl_free(events->fds);
	fl_free(events->copy);
	memset(events, 0, sizeof(*events));
}

/* Rings ----------------------------------------------------------------- */

/* Until a record is written, or the time is over. */
static void wait_for_wake(int wake, int milliseconds)
{
	struct pollfd ring = { wake, POLLIN, 0 };
	uint64_t n;

	/* It is read to be empty: another reader may have done so. */
	if (poll(&ring, 1, milliseconds) > 0 &&
	    read(wake, &n, sizeof(n)) < 0)
		return;
}

void fl_perf_events_wait(struct fl_perf_events *events, int milliseconds)
{
	struct pollfd small[64], *polls = small;
	size_t n = FL_MIN(events->nrings, FL_COUNT(small));

	if (events->wake > 0) {
		wait_for_wake(events->wake, milliseconds);
		return;
	}
	/* With more CPUs than that the wait is just shorter or longer. */
	for (size_t i = 0; i < n; i++)
		polls[i] = (struct pollfd){ events->rings[i].fd, POLLIN, 0 };
	poll(polls, n, milliseconds);
	/* Events of threads that ended are always ready to read. */
	for (size_t i = 0; i < n; i++)
		if (polls[i].revents & POLLHUP) {
			struct timespec t = { 0, 10000000 };

			nanosleep(&t, NULL);
			return;
		}
}

void fl_perf_events_round(struct fl_perf_events *events)
{
	/* Records of this moment may not be all written yet. */
	events->barrier = (uint64_t)fl_now() - 100000;
	fl_perf_events_refresh(events);
}

void fl_perf_events_refresh(struct fl_perf_events *events)
{
	for (size_t i = 0; i < events->nrings; i++) {
		struct fl_ring *ring = &events->rings[i];

		ring->head = __atomic_load_n(&ring->page->data_head,
					     __ATOMIC_ACQUIRE);
	}
}

static uint64_t key_of(const struct fl_perf_events *events,
		       const struct fl_ring *ring, uint64_t at)
{
	return at * MAX_CPUS + (uint64_t)(ring - events->rings) + 1;
}

/* The next sample or name of a ring that has not been peeked at. */
static bool peek_record(struct fl_ring *ring, uint64_t *at,
			struct fl_peeked *peeked)
{
	struct perf_event_header h;
	int32_t ids[2];

	if (ring->peeked < ring->tail)
		ring->peeked = ring->tail;
	while (ring->peeked < ring->head) {
		*at = ring->peeked;
		fl_ring_copy(ring, *at, &h, sizeof(h));
		if (h.size < sizeof(h) || h.size > ring->head - *at)
			return false;
		ring->peeked += h.size;
		if (h.type != PERF_RECORD_SAMPLE && h.type != PERF_RECORD_COMM)
			continue;
		peeked->renames = h.type == PERF_RECORD_COMM;
		/* A sample's address comes before pid and tid. */
		fl_ring_copy(ring, *at + sizeof(h) + (peeked->renames ? 0 : 8),
			     ids, sizeof(ids));
		peeked->pid = ids[0];
		peeked->tid = ids[1];
		return true;
	}
	return false;
}

static bool peek(struct fl_perf_events *events, struct fl_peeked *peeked)
{
	for (size_t i = 0; i < events->nrings; i++) {
		struct fl_ring *ring = &events->rings[i];
		uint64_t at;

		if (!peek_record(ring, &at, peeked))
			continue;
		peeked->key = key_of(events, ring, at);
		return true;
	}
	return false;
}

bool fl_perf_events_peek(struct fl_perf_events *events,
			 struct fl_peeked *peeked)
{
	bool found;

	fl_perf_events_lock(events);
	found = peek(events, peeked);
	fl_perf_events_unlock(events);
	return found;
}

bool fl_perf_events_pending(const struct fl_perf_events *events)
{
	for (size_t i = 0; i < events->nrings; i++)
		if (events->rings[i].tail < events->rings[i].head)
			return true;
	return false;
}

/* The time of the record at the tail; UINT64_MAX: no record. */
static uint64_t peek_time(struct fl_ring *ring)
{
	struct perf_event_header h;
	uint64_t place;

	if (ring->tail >= ring->head)
		return UINT64_MAX;
	if (ring->time)
		return ring->time;
	fl_ring_copy(ring, ring->tail, &h, sizeof(h));
	if (h.size < sizeof(h) || h.size > ring->head - ring->tail) {
		ring->tail = ring->head;	/* cannot be */
		return UINT64_MAX;
	}
	/* ip, pid and tid come before a sample's time. */
	place = h.type == PERF_RECORD_SAMPLE ? sizeof(h) + 16 :
		h.size >= sizeof(h) + FL_PERF_TRAILER ? h.size - 16u : 0;
	if (place)
		fl_ring_copy(ring, ring->tail + place, &ring->time, 8);
	if (!ring->time)
		ring->time = 1;
	return ring->time;
}

/* The ring whose next record is the first of all; NULL: it is too new. */
static struct fl_ring *first_ring(struct fl_perf_events *events)
{
	struct fl_ring *ring = NULL;
	uint64_t time, first = UINT64_MAX;

	for (size_t i = 0; i < events->nrings; i++) {
		time = peek_time(&events->rings[i]);
		if (time < first) {
			first = time;
			ring = &events->rings[i];
		}
	}
	return first > events->barrier ? NULL : ring;
}

/* Frees the record that was read last: others may wait for its place. */
static void release_last(struct fl_perf_events *events)
{
	enum { RECORDS = 16 };

	if (!events->last)
		return;
	/* Reading all that was moved out of a ring is slow, too. */
	if (!events->lock && events->last->spilled.data &&
	    ++events->nread % RECORDS == 0)
		fl_perf_events_spill(events);
	fl_ring_free_read(events->last);
	events->last = NULL;
}

static bool read_next(struct fl_perf_events *events, struct fl_event *event)
{
	struct perf_event_header h;
	struct fl_ring *ring;
	const uint8_t *at;
	bool good;

	do {
		release_last(events);
		ring = first_ring(events);
		if (!ring)
			return false;
		fl_ring_copy(ring, ring->tail, &h, sizeof(h));
		at = fl_ring_spilled(ring, ring->tail, h.size);
		if (!at) {
			fl_ring_copy_record(ring, ring->tail, events->copy,
					    h.size);
			at = events->copy;
		}
		ring->tail += h.size;
		ring->time = 0;
		events->last = ring;
		good = fl_perf_event_parse(at, h.size, event);
		event->key = key_of(events, ring, ring->tail - h.size);
	} while (!good);
	return true;
}

bool fl_perf_events_next(struct fl_perf_events *events,
			 struct fl_event *event)
{
	bool found;

	fl_perf_events_lock(events);
	found = read_next(events, event);
	fl_perf_events_unlock(events);
	return found;
}
