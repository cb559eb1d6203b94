/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A thread that moves records out of the ring buffers into memory, so that the
 * rings do not overflow: fl_perf_events_away() starts it and
 * fl_perf_events_back() ends it, around the reading of large files (record.c),
 * or for a whole recording whose rings another process reads (apart.c).
 * perf_events.c reads the records by fl_ring_copy(), wherever they are.
 *
 * Where the kernel copies 64 kB of each stack, a ring is full in an eighth of a
 * second, but few of these bytes are a stack's.  A record in memory has the
 * same length and place as in the ring, in a large space of addresses: pages to
 * which nothing was written cost no memory.
 */
#include "fl.h"

#include "sample/ring.h"

#include <errno.h>
#include <sched.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

enum {
	STEP_NS = 5000000, LONG_STEP_NS = 100000000,
	PAGE = 4096,
	MAX_SPILLED = 256 << 20,	/* bytes of memory, of all rings */
	/* Of a sample: up to its number of the kernel's frames. */
	SAMPLE_HEAD = 48
};

/* Of a ring, in bytes of addresses. */
#define MAX_SPACE ((size_t)1 << 34)
#define MIN_SPACE ((size_t)1 << 26)

static uint64_t written(const struct fl_ring *ring)
{
	return __atomic_load_n(&ring->page->data_head, __ATOMIC_ACQUIRE);
}

static void copy_ring(const struct fl_ring *ring, uint64_t from, void *to,
		      size_t size)
{
	size_t at = (size_t)from & (ring->size - 1);
	size_t first = FL_MIN(size, ring->size - at);

	memcpy(to, ring->data + at, first);
	if (first < size)
		memcpy((char *)to + first, ring->data, size - first);
}

void fl_ring_copy(const struct fl_ring *ring, uint64_t from, void *to,
		  size_t size)
{
	const struct fl_spilled *s = &ring->spilled;
	size_t first = from < s->end ?
		       FL_MIN(size, (size_t)(s->end - from)) : 0;

	if (first)
		memcpy(to, s->data + (from - s->begin), first);
	copy_ring(ring, from + first, (char *)to + first, size - first);
}

static void free_spilled(struct fl_spilled *s)
{
	uint8_t *shared = s->shared;

	if (s->data && shared)
		madvise(s->data, FL_MIN(s->size, (size_t)(s->end - s->begin)),
			MADV_REMOVE);
	else if (s->data)
		munmap(s->data, s->size);
	*s = (struct fl_spilled){ .shared = shared, .size = shared ?
				  s->size : 0 };
}

const uint8_t *fl_ring_spilled(const struct fl_ring *ring, uint64_t from,
			       size_t size)
{
	const struct fl_spilled *s = &ring->spilled;

	return from < s->end && size <= s->end - from ?
	       s->data + (from - s->begin) : NULL;
}

void fl_ring_free_read(struct fl_ring *ring)
{
	if (ring->tail < ring->spilled.end)
		return;
	free_spilled(&ring->spilled);
	__atomic_store_n(&ring->page->data_tail, ring->tail, __ATOMIC_RELEASE);
}

void fl_ring_unmap(struct fl_ring *ring)
{
	if (ring->page)
		munmap(ring->page, ring->size + (size_t)sysconf(_SC_PAGESIZE));
	ring->page = NULL;
	free_spilled(&ring->spilled);
}

/* Addresses without memory; NULL: there are none. */
static uint8_t *map_space(int kind, size_t *size)
{
	for (*size = MAX_SPACE; *size >= MIN_SPACE; *size /= 4) {
		void *at = mmap(NULL, *size, PROT_READ | PROT_WRITE,
				kind | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

		if (at == MAP_FAILED)
			continue;
		madvise(at, *size, MADV_NOHUGEPAGE);
		return at;
	}
	return NULL;
}

static bool has_space(struct fl_ring *ring)
{
	struct fl_spilled *s = &ring->spilled;

	if (s->data)
		return true;
	s->data = s->shared ? s->shared : map_space(MAP_PRIVATE, &s->size);
	s->used = 0;
	s->begin = s->end = ring->tail;
	return s->data;
}

/* Both processes read and move records; the one that had it may be killed. */
void fl_perf_events_lock(struct fl_perf_events *events)
{
	if (events->lock && pthread_mutex_lock(events->lock) == EOWNERDEAD)
		pthread_mutex_consistent(events->lock);
}

void fl_perf_events_unlock(struct fl_perf_events *events)
{
	if (events->lock)
		pthread_mutex_unlock(events->lock);
}

bool fl_perf_events_share(struct fl_perf_events *events)
{
	size_t size = sizeof(*events->lock) +
		      events->nrings * sizeof(*events->rings);
	struct fl_ring *rings;
	pthread_mutexattr_t kind;
	char *at = mmap(NULL, size, PROT_READ | PROT_WRITE,
			MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	if (!events->nrings || at == MAP_FAILED)
		return false;
	rings = (struct fl_ring *)at;
	memcpy(rings, events->rings, events->nrings * sizeof(*rings));
	for (size_t i = 0; i < events->nrings; i++) {
		struct fl_spilled *s = &rings[i].spilled;

		s->shared = map_space(MAP_SHARED, &s->size);
		if (!s->shared)
			return false;
	}
	fl_free(events->rings);
	events->rings = rings;
	events->lock = (pthread_mutex_t *)(rings + events->nrings);
	pthread_mutexattr_init(&kind);
	pthread_mutexattr_setpshared(&kind, PTHREAD_PROCESS_SHARED);
	pthread_mutexattr_setrobust(&kind, PTHREAD_MUTEX_ROBUST);
	/* The parser may wait long for a CPU while the other waits for it. */
	pthread_mutexattr_setprotocol(&kind, PTHREAD_PRIO_INHERIT);
	pthread_mutex_init(events->lock, &kind);
	return true;
}

/* The child has no mapping of its parent's: at the same addresses. */
bool fl_perf_events_inherit(struct fl_perf_events *events)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);

	events->is_away = false;
	events->stops = NULL;
	events->last = NULL;
	for (size_t i = 0; i < events->nrings; i++) {
		const struct fl_ring *ring = &events->rings[i];

		if (mmap(ring->page, page + ring->size, PROT_READ | PROT_WRITE,
			 MAP_SHARED | MAP_FIXED, ring->fd, 0) == MAP_FAILED)
			return false;
	}
	return true;
}

void fl_perf_events_unshare(struct fl_perf_events *events)
{
	for (size_t i = 0; i < events->nrings; i++)
		munmap(events->rings[i].spilled.shared,
		       events->rings[i].spilled.size);
	munmap(events->rings, sizeof(*events->lock) +
	       events->nrings * sizeof(*events->rings));
	events->rings = NULL;
	events->lock = NULL;
}

/* Or a process that it came from, if both began since. */
static bool is_wanted(const struct fl_perf_events *events, pid_t pid)
{
	enum { MAX_FORKS = 64 };
	const uint64_t *parent;

	if (!events->wanted)
		return true;
	for (unsigned i = 0; i < MAX_FORKS; i++) {
		if (events->wanted(events->wanted_arg, pid))
			return true;
		parent = fl_map_get(&events->born, (uint64_t)pid);
		if (!parent || (pid_t)*parent == pid)
			return false;
		pid = (pid_t)*parent;
	}
	return true;
}

/*
 * The bytes of a record that the kernel wrote, from its beginning on: a stack
 * may be shorter than the place for it, and its size comes last.
 */
static size_t used_size(const struct fl_ring *ring, uint64_t at, size_t size)
{
	struct perf_event_header h;
	uint64_t chain, abi, stack, used, place = SAMPLE_HEAD;

	copy_ring(ring, at, &h, sizeof(h));
	if (h.type != PERF_RECORD_SAMPLE || size < SAMPLE_HEAD + 16)
		return size;
	copy_ring(ring, at + place - sizeof(chain), &chain, sizeof(chain));
	if (chain > (size - place - 16) / 8)
		return size;
	place += 8 * chain;
	copy_ring(ring, at + place, &abi, sizeof(abi));
	place += 8 + (abi ? 8 * FL_REGS : 0);
	if (place + 16 > size)
		return size;
	copy_ring(ring, at + place, &stack, sizeof(stack));
	copy_ring(ring, at + size - 8, &used, sizeof(used));
	place += 8;
	return stack == size - place - 8 && used <= stack ? place + used : size;
}

static size_t copy_used(const struct fl_ring *ring, uint64_t at, uint8_t *to,
			size_t size)
{
	size_t n = used_size(ring, at, size);

	copy_ring(ring, at, to, n);
	if (n < size)
		copy_ring(ring, at + size - 8, to + size - 8, 8);
	return n;
}

void fl_ring_copy_record(const struct fl_ring *ring, uint64_t at, uint8_t *to,
			 size_t size)
{
	if (at < ring->spilled.end)
		fl_ring_copy(ring, at, to, size);
	else
		copy_used(ring, at, to, size);
}

/* Of samples of processes that are not recorded their ids; zeros follow. */
static size_t copy_wanted(const struct fl_perf_events *events,
			  const struct fl_ring *ring, uint64_t at, uint8_t *to,
			  size_t size)
{
	enum { IDS = SAMPLE_HEAD - 8 };
	struct perf_event_header h;
	int32_t pid;

	copy_ring(ring, at, &h, sizeof(h));
	if (h.type != PERF_RECORD_SAMPLE || size < SAMPLE_HEAD)
		return copy_used(ring, at, to, size);
	copy_ring(ring, at + 16, &pid, sizeof(pid));
	if (is_wanted(events, pid))
		return copy_used(ring, at, to, size);
	copy_ring(ring, at, to, IDS);
	return IDS;
}

static void move(struct fl_perf_events *events, struct fl_ring *ring,
		 uint64_t at, size_t size)
{
	struct fl_spilled *s = &ring->spilled;
	size_t n = copy_wanted(events, ring, at, s->data + (at - s->begin),
			       size);

	s->used += FL_MIN(size, n + PAGE);
	s->end = at + size;
}

/* Moves the records of a ring if they fill a quarter of it. */
static void spill(struct fl_perf_events *events, struct fl_ring *ring,
		  size_t *used)
{
	uint64_t head = ring->written;
	struct fl_spilled *s = &ring->spilled;
	uint64_t at = FL_MAX(s->end, ring->tail);
	struct perf_event_header h;

	*used += s->used;
	if (head - at < ring->size / 4 || !has_space(ring))
		return;
	*used -= s->used;
	for (; at < head && *used + s->used < MAX_SPILLED; at += h.size) {
		copy_ring(ring, at, &h, sizeof(h));
		if (h.size < sizeof(h) || h.size > head - at ||
		    at + h.size - s->begin > s->size)
			break;
		move(events, ring, at, h.size);
	}
	*used += s->used;
	__atomic_store_n(&ring->page->data_tail, at, __ATOMIC_RELEASE);
}

/* Processes that began since: they may be children of those recorded. */
static void find_forks(struct fl_perf_events *events, struct fl_ring *ring)
{
	uint64_t end = written(ring), *parent;
	struct perf_event_header h;
	int32_t pids[2];

	ring->forks = FL_MAX(ring->forks, ring->tail);
	for (; ring->forks < end; ring->forks += h.size) {
		fl_ring_copy(ring, ring->forks, &h, sizeof(h));
		if (h.size < sizeof(h) || h.size > end - ring->forks)
			return;
		if (h.type != PERF_RECORD_FORK)
			continue;
		fl_ring_copy(ring, ring->forks + sizeof(h), pids, sizeof(pids));
		parent = pids[0] == pids[1] ? NULL :
			 fl_map_put(&events->born, (uint64_t)pids[0], NULL);
		if (parent)
			*parent = (uint64_t)pids[1];
	}
}

/* Where many others want the CPU, a turn would come too late. */
void fl_perf_events_hurry(void)
{
	struct sched_param least = {
		.sched_priority = sched_get_priority_min(SCHED_RR)
	};

	/* Others than root may not; then it waits like all. */
	pthread_setschedparam(pthread_self(), SCHED_RR, &least);
}

void fl_perf_events_spill(struct fl_perf_events *events)
{
	size_t used = 0;

	fl_perf_events_lock(events);
	for (size_t i = 0; i < events->nrings; i++)
		events->rings[i].written = written(&events->rings[i]);
	/* A process is born before its samples come. */
	for (size_t i = 0; events->wanted && i < events->nrings; i++)
		find_forks(events, &events->rings[i]);
	for (size_t i = 0; i < events->nrings; i++)
		spill(events, &events->rings[i], &used);
	fl_perf_events_unlock(events);
}

/* ns until a ring may be a quarter full. */
static long time_to_fill(const struct fl_perf_events *events)
{
	uint64_t left = UINT64_MAX, ns;

	for (size_t i = 0; events->rate && i < events->nrings; i++) {
		const struct fl_ring *ring = &events->rings[i];
		uint64_t used = written(ring) -
			__atomic_load_n(&ring->page->data_tail,
					__ATOMIC_RELAXED);

		left = FL_MIN(left, ring->size / 4 - FL_MIN(used,
							    ring->size / 4));
	}
	ns = events->rate ? left * 1000 / (events->rate / 1000000 + 1) : 0;
	return (long)FL_MIN(FL_MAX(ns, (uint64_t)STEP_NS),
			    (uint64_t)LONG_STEP_NS);
}

static void *spill_all(void *arg)
{
	struct fl_perf_events *events = arg;

	fl_perf_events_hurry();
	while (!__atomic_load_n(&events->is_back, __ATOMIC_ACQUIRE)) {
		struct timespec t = { 0, 0 };

		fl_perf_events_spill(events);
		t.tv_nsec = time_to_fill(events);
		nanosleep(&t, NULL);
	}
	return NULL;
}

void fl_perf_events_away(struct fl_perf_events *events,
			 bool (*wanted)(void *arg, pid_t pid), void *arg)
{
	events->is_back = false;
	events->wanted = wanted;
	events->wanted_arg = arg;
	fl_map_clear(&events->born);
	fl_perf_events_lock(events);
	for (size_t i = 0; i < events->nrings; i++)
		events->rings[i].forks = events->rings[i].tail;
	fl_perf_events_unlock(events);
	events->is_away = events->nrings &&
			  pthread_create(&events->spiller, NULL, spill_all,
					 events) == 0;
}

void fl_perf_events_back(struct fl_perf_events *events)
{
	if (!events->is_away)
		return;
	__atomic_store_n(&events->is_back, true, __ATOMIC_RELEASE);
	pthread_join(events->spiller, NULL);
	events->is_away = false;
}
