/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fl_record_open() opens a recording as a source of samples, for flame-record:
 * while the targets run, the kernel's samples (perf_events.c) become stacks of
 * the dictionary.  What differs for -e wall and -e offcpu is in wall.c and
 * offcpu.c (recorder.h).  A recorder with CAP_SYS_PTRACE runs this code in a
 * process without rights (apart.c).
 */
#include "fl.h"

#include "base/late.h"
#include "sample/apart.h"
#include "sample/stops.h"

#include <errno.h>
#include <malloc.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum {
	PENDING_MS = 1,		/* until records are old enough to be ordered */
	TICK_MS = 250,		/* between looks at the targets */
	LONG_WAIT_MS = 50,	/* where nobody's frames are read late */
	SMALL_STACK = 16384,	/* bytes */
	LARGE_TABLE = 128 << 10,
	MAX_LARGE_HERTZ = 1000	/* with larger stacks */
};

/* Targets --------------------------------------------------------------- */

static bool is_alive(pid_t pid)
{
	return kill(pid, 0) == 0 || errno != ESRCH;
}

static bool any_target_lives(struct fl_recorder *r)
{
	const struct fl_sampling *s = &r->how.sampling;

	if (s->all)
		return true;
	for (size_t i = 0; i < r->processes.count; i++) {
		const struct fl_process *p = r->processes.data[i];

		if (p->tracked && !p->exited && is_alive(p->pid))
			return true;
	}
	return false;
}

bool fl_recorder_command_ended(struct fl_recorder *r)
{
	siginfo_t info = { .si_pid = 0 };

	if (!r->how.command || r->result.reaped)
		return r->result.reaped;
	/* A thread of ours that stops it waits for the same process. */
	if (waitid(P_PID, (id_t)r->how.command, &info, WEXITED | WNOHANG |
		   WNOWAIT) == 0 &&
	    (!info.si_pid || info.si_code == CLD_TRAPPED))
		return false;
	r->result.reaped = waitpid(r->how.command, &r->result.status, WNOHANG) ==
		    r->how.command;
	return r->result.reaped;
}

static void tick(struct fl_recorder *r)
{
	int64_t now = fl_now();

	if (r->how.stop && *r->how.stop)
		r->ended = true;
	if (r->deadline && now >= r->deadline)
		r->ended = true;
	if (fl_recorder_command_ended(r))
		r->ended = true;
	if (now - r->ticked < INT64_C(1000000) * TICK_MS)
		return;
	r->ticked = now;
	if (!any_target_lives(r))
		r->ended = true;
	fl_processes_sweep(&r->processes);
	if (r->how.progress)
		r->how.progress(r->how.arg, (double)(now - r->begin) / 1e9,
				r->result.samples, r->result.lost);
}

/* Events of processes ------------------------------------------------------ */

static void on_map(struct fl_recorder *r, struct fl_process *p,
		   const struct fl_event *e)
{
	struct fl_mapping m = {
		e->start, e->start + e->size, e->offset, NULL
	};
	size_t size = strlen(e->text);

	if (size && (e->text[0] == '/' || strcmp(e->text, "[vdso]") == 0) &&
	    e->text[1] != '/' && strncmp(e->text, "/memfd:", 7) != 0 &&
	    strncmp(e->text, "/dev/", 5) != 0)
		m.module = fl_module_get(&r->processes, e->text, e->device,
					 e->inode);
	fl_process_map(&r->processes, p, &m);
}

/* A process that may be sampled; NULL: it is not. */
static struct fl_process *event_process(struct fl_recorder *r, pid_t pid)
{
	return r->how.sampling.all ? fl_process_get(&r->processes, pid) :
				     fl_process_find(&r->processes, pid);
}

static void on_fork(struct fl_recorder *r, const struct fl_event *e)
{
	struct fl_process *parent, *child;

	if (e->pid == e->parent)	/* a thread */
		return;
	parent = event_process(r, e->parent);
	if (!parent || !(r->how.sampling.children || r->how.sampling.all))
		return;
	child = fl_process_get(&r->processes, e->pid);
	parent = fl_process_find(&r->processes, e->parent);
	if (!child || !parent)
		return;
	fl_process_fork(&r->processes, parent, child);
	fl_apart_track(child->pid, child->tracked);
}

static void on_event(struct fl_recorder *r, const struct fl_event *e)
{
	struct fl_process *p;

	switch (e->kind) {
	case FL_EVENT_LOST:
		r->result.lost += e->lost;
		return;
	case FL_EVENT_THROTTLED:
		r->result.throttled = true;
		return;
	case FL_EVENT_FORK:
		on_fork(r, e);
		return;
	default:
		break;
	}
	p = event_process(r, e->pid);
	if (!p)
		return;
	fl_apart_busy(p->pid);
	switch (e->kind) {
	case FL_EVENT_MAP:
		on_map(r, p, e);
		break;
	case FL_EVENT_EXEC:
		fl_process_exec(p);
		/* Only the kernel's records have the maps of the new program. */
		p->has_maps = !r->events.wake;
		__attribute__((fallthrough));
	case FL_EVENT_COMM:
		if (e->pid == e->tid)
			p->comm = fl_name(r->processes.flame, e->text);
		fl_recorder_rename(r, e);
		break;
	case FL_EVENT_EXIT:
		if (e->pid == e->tid) {
			fl_join_forget(&r->join, e->pid);
			fl_process_exit(p);
			fl_apart_track(p->pid, false);
		}
		break;
	default:
		break;
	}
}

/* Samples --------------------------------------------------------------- */

static flame_id labels_of(struct fl_recorder *r, uint32_t cpu)
{
	struct flame *flame = r->processes.flame;
	flame_id *known = &r->cpus[cpu % FL_COUNT(r->cpus)];
	char number[24];

	if (cpu < FL_COUNT(r->cpus) && *known)
		return *known;
	number[fl_format_u64(number, cpu)] = '\0';
	*known = flame_label(flame, 0, fl_name(flame, "cpu"),
			     fl_name(flame, number));
	return *known;
}

static flame_id mark(struct fl_recorder *r, flame_id *frame, const char *name)
{
	struct flame *flame = r->processes.flame;

	if (!*frame)
		*frame = fl_frame(flame, fl_name(flame, name), FLAME_NATIVE);
	return *frame;
}

static void push_kernel(struct fl_recorder *r, const struct fl_event *e)
{
	for (size_t i = 0; i < e->nchain; i++) {
		uint64_t at = e->chain[i];

		/* Contexts are negative: PERF_CONTEXT_KERNEL and others. */
		if (at >= UINT64_MAX - 4095)
			continue;
		fl_unwind_push(&r->unwinder,
			       fl_kernel_frame(&r->processes, at - (i > 1)),
			       at);
	}
}

enum fl_stack_end fl_recorder_push_user(struct fl_recorder *r,
					struct fl_process *p, pid_t tid,
					const struct fl_regs *regs,
					const struct fl_stack_bytes *stack,
					uint64_t key)
{
	int64_t begin = fl_process_begin_read(&r->processes);
	enum fl_stack_end end = FL_STACK_WHOLE;
	struct fl_cpython *python;
	unsigned runtime;
	bool named = false;

	r->unwinder.gone = r->unwinder.nameless = false;
	fl_apart_busy(p->pid);
	/* Processes outside of this namespace have the number 0, all of them. */
	if (fl_apart_is_unreadable(p->pid) || (regs && p->pid <= 0)) {
		fl_unwind_push(&r->unwinder,
			       mark(r, &r->unreadable, "[not readable]"), 0);
		return FL_STACK_UNREADABLE;
	}
	if (regs) {
		if (!p->has_maps)
			fl_process_read_maps(&r->processes, p);
		end = fl_unwind(&r->unwinder, p, regs, stack);
	}
	python = fl_process_python(&r->processes, p);
	if (python) {
		if (!fl_cpython_merge(python, &r->unwinder, tid, key,
				      end == FL_STACK_WHOLE) &&
		    end == FL_STACK_WHOLE)
			end = FL_STACK_TRUNCATED;
		if (r->unwinder.nameless && end == FL_STACK_WHOLE)
			end = FL_STACK_UNSEEN;
	}
	fl_process_end_read(&r->processes, p, begin);
	runtime = regs ? fl_process_runtime(&r->processes, p, &named) : 0;
	if (runtime && named)
		r->named_runtimes |= UINT64_C(1) << runtime;
	else if (runtime)
		r->result.runtimes |= UINT64_C(1) << runtime;
	/* One that has only begun may have its map soon. */
	r->result.runtimes &= ~r->named_runtimes;
	if (runtime && !named && end == FL_STACK_WHOLE)
		end = FL_STACK_UNSEEN;
	if (end == FL_STACK_BROKEN && !p->maps.count)
		end = FL_STACK_UNREADABLE;
	if (end == FL_STACK_UNREADABLE)
		fl_unwind_push(&r->unwinder,
			       mark(r, &r->unreadable, "[not readable]"), 0);
	if (end == FL_STACK_TRUNCATED)
		fl_unwind_push(&r->unwinder,
			       mark(r, &r->truncated, "[truncated]"), 0);
	else if (end == FL_STACK_BROKEN)
		fl_unwind_push(&r->unwinder,
			       mark(r, &r->broken, "[broken]"), 0);
	return end;
}

static bool remember_addresses(struct fl_recorder *r)
{
	for (size_t i = 0; i < r->unwinder.nframes; i++) {
		uint64_t *at = fl_map_put(&r->addresses,
					  r->unwinder.frames[i], NULL);

		if (!at)
			return false;
		*at = r->unwinder.addresses[i];
	}
	return true;
}

static void count(struct fl_recorder *r, const struct flame_sample *sample)
{
	struct flame *flame = r->processes.flame;

	fl_metric_count(flame, sample->metric, 1, sample->weight);
	fl_metric_span(flame, sample->metric, sample->time, sample->time);
}

flame_id fl_recorder_stack(struct fl_recorder *r, flame_id base)
{
	struct flame *flame = r->processes.flame;

	if (!remember_addresses(r))
		fl_no_memory(flame);
	for (size_t i = r->unwinder.nframes; i--;)
		base = flame_stack(flame, base, r->unwinder.frames[i]);
	return base;
}

void fl_recorder_emit(struct fl_recorder *r, const struct fl_waiter *waiter,
		      int64_t time, uint64_t weight,
		      struct flame_sample *sample)
{
	/* Others weigh nanoseconds, or events. */
	uint64_t n = r->kind->weighs_time || r->how.sampling.counted ?
		     1 : weight;

	*sample = (struct flame_sample){
		.stack = waiter->stack, .metric = r->metric,
		.thread = waiter->thread, .labels = waiter->labels,
		.time = r->since_1970 + time, .weight = (int64_t)weight,
	};
	r->result.samples += n;
	r->result.whole += waiter->end == FL_STACK_WHOLE ? n : 0;
	r->result.truncated += waiter->end == FL_STACK_TRUNCATED ? n : 0;
	r->result.gone += waiter->gone ? n : 0;
	r->result.nameless += waiter->end == FL_STACK_UNSEEN ? n : 0;
	r->result.unreadable += waiter->end == FL_STACK_UNREADABLE ? n : 0;
	count(r, sample);
}

static bool is_wanted(const struct fl_recorder *r, const struct fl_process *p,
		      const struct fl_event *e)
{
	int64_t time = (int64_t)e->time;

	if (time < r->how.from || (r->how.until && time >= r->how.until))
		return false;
	if (r->how.sampling.all)
		return e->pid != getpid();
	return p && p->tracked;
}

/*
 * Threads of the kernel have no user's frames, nor have programs of 32 bits, and
 * those whose memory is thrown away to execute another program.
 */
static bool has_user(const struct fl_event *e)
{
	return e->user64 && (e->stack.size || !e->nchain);
}

static struct fl_owed owed_by_event(const struct fl_recorder *r,
				    const struct fl_event *e)
{
	const struct fl_counted *counted = r->how.sampling.counted;

	return (struct fl_owed){
		.running = counted ? counted->period : FL_MAX(e->weight, 1u),
	};
}

static bool take_sample(struct fl_recorder *r, const struct fl_event *e,
			struct flame_sample *sample)
{
	struct fl_process *p = fl_process_find(&r->processes, e->pid);
	const struct fl_thread_name *t;
	struct fl_waiter seen = { .pid = e->pid, .tid = e->tid };
	flame_id base;
	struct fl_owed owed;

	if (!is_wanted(r, p, e))
		return false;
	owed = r->kind->owed ? r->kind->owed(r, e) : owed_by_event(r, e);
	if (!owed.running && !owed.waiting)
		return false;
	if (!p)
		p = fl_process_get(&r->processes, e->pid);
	t = p ? fl_recorder_thread(r, p, e->tid) : NULL;
	if (!t)
		return false;
	r->unwinder.nframes = 0;
	push_kernel(r, e);
	seen.end = fl_recorder_push_user(r, p, e->tid, has_user(e) ?
					  &e->regs : NULL, &e->stack, e->key);
	base = fl_join_base(r, p, t, &seen.thread);
	seen.stack = fl_recorder_stack(r, base);
	seen.labels = labels_of(r, e->cpu);
	seen.gone = r->unwinder.gone;
	if (r->kind->seen)
		return r->kind->seen(r, &seen, owed, (int64_t)e->time, sample);
	fl_recorder_emit(r, &seen, (int64_t)e->time, owed.running, sample);
	return true;
}

/* The source -------------------------------------------------------------- */

static void begin_looks(struct fl_recorder *r)
{
	if (r->kind->begin)
		r->kind->begin(r);
	fl_perf_events_round(&r->events);
}

static bool start(struct fl_recorder *r)
{
	char byte = 0;

	r->begin = r->ticked = fl_now();
	fl_cpu_time_begin(r);
	if (r->how.seconds > 0)
		r->deadline = r->begin + (int64_t)(r->how.seconds * 1e9);
	if (r->how.until)
		r->deadline = r->how.until;
	if (!r->how.sampling.on_exec || r->events.per_cpu || r->events.stops)
		fl_perf_events_start(&r->events);
	if (r->how.go >= 0) {
		/* If the child has ended already, that is noticed soon. */
		if (write(r->how.go, &byte, 1) < 0)
			r->ended = true;
		close(r->how.go);
		r->how.go = -1;
	}
	r->started = true;
	if (!r->apart)
		begin_looks(r);
	return true;
}

int fl_recorder_end(struct fl_recorder *r, struct flame_source *source)
{
	int64_t begin = FL_MAX(r->begin, r->how.from), end = fl_now();

	if (r->how.until)
		end = FL_MIN(end, r->how.until);
	r->result.seconds = (double)FL_MAX(end - begin, 0) / 1e9;
	/* The account of a command that has ended includes its children. */
	if (r->how.kind == FL_RECORD_CPU && !r->how.sampling.all &&
	    !r->how.sampling.counted && r->how.sampling.children)
		r->result.cpu += (double)(fl_cpu_time(r) - (r->apart ?
				 r->apart->reaped : 0)) / 1e9;
	r->result.per_cpu = r->events.per_cpu;
	r->result.lost = FL_MAX(r->result.lost, fl_perf_events_lost(&r->events));
	if (r->events.stops)
		r->result.stops = fl_stops_end(r->events.stops);
	source->start = r->since_1970 + begin;
	source->end = r->since_1970 + end;
	fl_recorder_tell_end(r, source);
	return FLAME_END;
}

static bool take_event(struct fl_recorder *r, const struct fl_event *e,
		       struct flame_sample *sample)
{
	if (e->kind == FL_EVENT_SAMPLE)
		return take_sample(r, e, sample);
	on_event(r, e);
	return r->kind->switched &&
	       (e->kind == FL_EVENT_SWITCH_IN ||
		e->kind == FL_EVENT_SWITCH_OUT || e->kind == FL_EVENT_EXIT) &&
	       r->kind->switched(r, e, sample);
}

/*
 * Python's frames and the names of Java's threads are those of now: read them
 * before a record's turn comes.
 */
static void look_ahead(struct fl_recorder *r)
{
	struct fl_peeked peeked;

	while (fl_perf_events_peek(&r->events, &peeked)) {
		struct fl_process *p = fl_process_find(&r->processes,
						       peeked.pid);

		if (p && peeked.renames) {
			fl_apart_busy(p->pid);
			fl_recorder_foresee(r, p, peeked.tid);
		} else if (p && p->python &&
			   fl_process_python(&r->processes, p)) {
			int64_t begin = fl_process_begin_read(&r->processes);

			fl_apart_busy(p->pid);
			fl_cpython_read(p->python, peeked.tid, peeked.key);
			fl_join_look(r, p);
			fl_process_end_read(&r->processes, p, begin);
		}
	}
}

static void begin_round(struct fl_recorder *r)
{
	fl_perf_events_round(&r->events);
	do
		look_ahead(r);
	while (fl_recorder_read_names(r));
	/* By now records may be old enough, and need no other wait. */
	if (r->processes.has_python && fl_perf_events_pending(&r->events)) {
		fl_perf_events_round(&r->events);
		look_ahead(r);
	}
}

/* In ms, at most so long: until a 16th of a ring is full; 0: not at all. */
static int time_to_sleep(const struct fl_recorder *r, int most)
{
	const struct fl_sampling *s = &r->how.sampling;
	size_t samples = r->events.ring_size / (s->stack + 1024);

	if (r->blind || s->least_wait)
		return most;
	if (r->processes.has_python || s->switches || s->counted)
		return 0;
	return (int)FL_MIN(1000 * (samples / 16) / FL_MAX(s->hertz, 1u),
			   (size_t)most);
}

/*
 * The kernel wakes who polls at each sample, which Python needs and others
 * only pay for.
 */
static void wait_for_more(struct fl_recorder *r)
{
	const struct fl_processes *p = &r->processes;
	int most = !p->has_python && !p->has_jvm ? LONG_WAIT_MS :
		   p->has_python && fl_perf_events_pending(&r->events) ?
		   PENDING_MS : FL_RECORDER_WAIT_MS;
	int sleep;

	fl_apart_busy(0);
	if (r->kind->wait)
		most = r->kind->wait(r, most);
	sleep = time_to_sleep(r, most);
	if (sleep > 0 || r->blind) {
		struct timespec t = { 0, sleep * 1000000L };

		nanosleep(&t, NULL);
	} else {
		fl_perf_events_wait(&r->events, most);
	}
	if (r->blind)
		return;
	begin_round(r);
}

static int read_record(struct flame_source *source)
{
	struct fl_recorder *r = source->state;
	struct flame_sample sample;
	struct fl_event event;

	if (!r->started && !start(r))
		return FLAME_FAILED;
	if (r->apart)
		return fl_apart_read(r, source);
	for (;;) {
		if (r->kind->next && r->kind->next(r, &sample))
			return fl_batch_add(source, &sample);
		while (fl_perf_events_next(&r->events, &event)) {
			if (take_event(r, &event, &sample))
				return fl_batch_add(source, &sample);
			if (fl_failed(source->flame))
				return FLAME_FAILED;
		}
		if (fl_failed(source->flame))
			return FLAME_FAILED;
		if (r->last_round)
			return r->kind->rest && r->kind->rest(r, &sample) ?
			       fl_batch_add(source, &sample) :
			       fl_recorder_end(r, source);
		if (r->ended) {
			/* Records that are there already are wanted, too. */
			fl_perf_events_stop(&r->events);
			r->last_round = true;
			r->waiters.next = r->waiters.ntasks = 0;
			begin_round(r);
			r->events.barrier = UINT64_MAX - 1;
			continue;
		}
		if (r->kind->look)
			r->kind->look(r);
		wait_for_more(r);
		fl_processes_round(&r->processes);
		if (r->kind->tick)
			r->kind->tick(r);
		tick(r);
	}
}

static void release(void *state)
{
	struct fl_recorder *r = state;

	fl_apart_close(r);
	fl_perf_events_close(&r->events);
	fl_unwinder_free(&r->unwinder);
	fl_processes_free(&r->processes);
	fl_map_free(&r->addresses);
	fl_map_free(&r->threads);
	fl_free(r->names);
	fl_free(r->renamed);
	fl_waiters_free(&r->waiters);
	fl_join_free(&r->join);
}

static const struct fl_format format = {
	.name = "flame-record", .summary = "a recording",
	.state_size = sizeof(struct fl_recorder),
	.read = read_record, .release = release,
};

const struct fl_record_result *fl_record_result(const struct flame_source *s)
{
	const struct fl_recorder *r = s->state;

	return &r->result;
}

struct fl_places *fl_record_places(const struct flame_source *source)
{
	const struct fl_recorder *r = source->state;

	return r->processes.places;
}

uint64_t fl_record_address(const struct flame_source *source, flame_id frame)
{
	const struct fl_recorder *r = source->state;
	const uint64_t *at = fl_map_get(&r->addresses, frame);

	return at ? *at : 0;
}

int64_t fl_record_clock(const struct flame_source *source)
{
	const struct fl_recorder *r = source->state;

	return r->since_1970;
}

/* Reads the state of the targets before sampling. */
static void begin_targets(struct fl_recorder *r)
{
	const struct fl_sampling *s = &r->how.sampling;

	for (size_t i = 0; i < s->npids; i++) {
		struct fl_process *p = fl_process_get(&r->processes,
						      s->pids[i]);

		if (!p)
			return;
		p->tracked = true;
		fl_process_comm(&r->processes, p);
		fl_process_read_maps(&r->processes, p);
	}
}

/* The recorder should not wait for those whom it records. */
static void hurry(void)
{
	setpriority(PRIO_PROCESS, 0, -10);
}

static int64_t epoch_offset(void)
{
	struct timespec t;

	clock_gettime(CLOCK_REALTIME, &t);
	return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec - fl_now();
}

/*
 * Opens events with the size of stack that was asked for, or else with the
 * largest: 16 KiB lack the callers of a JIT compiler, of numpy, or of JDK 21's
 * own stack walks.
 */
static bool try_events(struct flame *flame, struct fl_recorder *r,
		       struct fl_refusal *refusal)
{
	struct fl_sampling *s = &r->how.sampling;
	bool asked = s->stack;

	if (!asked)
		s->stack = s->switches || s->counted || s->hertz > MAX_LARGE_HERTZ ?
			   SMALL_STACK : FL_MAX_STACK;
	if (!fl_perf_events_open(flame, &r->events, s, refusal))
		return false;
	if (asked || s->stack == SMALL_STACK ||
	    r->events.ring_size == r->events.ring_wanted)
		return true;
	/* Others' limit of locked memory leaves room for few. */
	fl_perf_events_close(&r->events);
	s->stack = SMALL_STACK;
	return fl_perf_events_open(flame, &r->events, s, refusal);
}

/*
 * Where events are refused threads that run are stopped for their samples; or,
 * if that is refused, too, wall clock time needs no events where nobody runs.
 */
static bool open_events(struct flame *flame, struct fl_recorder *r,
			struct fl_refusal *refusal)
{
	struct fl_sampling *s = &r->how.sampling;
	char *fallback = r->result.fallback;
	size_t size = sizeof(r->result.fallback);
	char both[2 * sizeof(refusal->text) + sizeof("; ")];
	struct fl_refusal other = { .text = "" };

	s->switches = r->how.kind == FL_RECORD_OFFCPU;
	if (try_events(flame, r, refusal))
		return true;
	if (fl_failed(flame) || !refusal->blocked || s->counted ||
	    s->switches || (s->all && fl_perf_is_permitted()))
		return false;
	if (fl_stops_open(flame, &r->events, s, &other)) {
		snprintf(fallback, size, "%s", refusal->text);
		return true;
	}
	snprintf(both, sizeof(both), "%s; %s", refusal->text, other.text);
	if (s->all || fl_failed(flame) ||
	    !(r->how.kind == FL_RECORD_WALL || r->how.may_fall_back)) {
		memcpy(refusal->text, both, sizeof(refusal->text) - 1);
		return false;
	}
	if (r->how.kind != FL_RECORD_WALL)
		memcpy(fallback, both, size - 1);
	r->how.kind = FL_RECORD_WALL;
	refusal->text[0] = '\0';
	r->blind = true;
	return true;
}

static bool describe(struct flame *flame, struct fl_recorder *r)
{
	static const struct fl_recorder_kind cpu = {
		.metric = "cpu", .unit = "samples",
	}, *const kinds[] = { &cpu, &fl_recorder_wall, &fl_recorder_offcpu };
	enum fl_record_kind kind = r->how.kind;
	const struct fl_counted *counted = r->how.sampling.counted;

	r->kind = kinds[kind];
	r->result.kind = kind;
	r->result.kernel = !r->how.sampling.user &&
			   (r->events.kernel || (r->blind && geteuid() == 0));
	r->result.hardware = r->events.hardware;
	r->result.by_stops = r->events.wake;
	r->result.metric = counted ? counted->name : r->kind->metric;
	r->result.what = counted ? counted->name :
			 kind != FL_RECORD_CPU ? r->kind->metric :
			 r->events.wake ? "cpu-ptrace" :
			 r->events.hardware ? "cycles" : "cpu-clock";
	r->result.stack = r->how.sampling.stack;
	r->result.ring_size = r->events.ring_size;
	r->result.ring_wanted = r->events.ring_wanted;
	r->metric = flame_metric(flame, r->result.metric, !counted ?
				 r->kind->unit : counted->time ? "ns" : "events");
	if (kind != FL_RECORD_CPU &&
	    !fl_blocked_init(&r->waiters.blocked,
			     FL_MIN(r->how.sampling.stack, SMALL_STACK),
			     r->result.kernel)) {
		fl_no_memory(flame);
		return false;
	}
	return true;
}

/* While a task waits, its worker works: off the CPUs there is one of them. */
static bool begin_join(struct fl_recorder *r)
{
	r->how.join &= r->how.kind != FL_RECORD_OFFCPU && !r->how.comms;
	return !r->how.join || fl_join_init(&r->join) ||
	       fl_no_memory(r->processes.flame) == FLAME_OK;
}

/* Another thread calls it, while the recorder reads a file. */
static bool is_tracked(void *arg, pid_t pid)
{
	struct fl_recorder *r = arg;
	const struct fl_process *p = fl_process_find(&r->processes, pid);

	return p && p->tracked;
}

static void on_busy(void *arg, bool begins)
{
	struct fl_recorder *r = arg;

	if (begins)
		fl_perf_events_away(&r->events, r->how.sampling.all ?
				    NULL : is_tracked, r);
	else
		fl_perf_events_back(&r->events);
}

static struct flame_source *new_source(struct flame *flame,
				       struct fl_recorder *r)
{
	struct flame_source *source = fl_zeroed(1, sizeof(*source));

	if (!source) {
		fl_no_memory(flame);
		return NULL;
	}
	source->flame = flame;
	source->format = &format;
	source->state = r;
	source->start = source->end = FLAME_NOTIME;
	source->first = source->last = FLAME_NOTIME;
	source->seen_first = source->seen_last = FLAME_NOTIME;
	source->in = fl_in_memory(flame, "", 0, r->how.argv ? r->how.argv[0] :
				  "recording");
	return source;
}

static struct fl_places *new_places(struct flame *flame,
				    const struct fl_recording *how)
{
	return !how->places ? NULL :
	       fl_places_new(flame, how->inlined, how->lines,
			     geteuid() == 0 && how->sampling.all);
}

/* What reads the targets, in the process that does. */
static bool begin_reading(struct fl_recorder *r)
{
	if (r->result.kernel && !r->blind)
		fl_kernel_open(&r->processes);
	return begin_join(r);
}

bool fl_recorder_begin(struct fl_recorder *r, struct flame *flame)
{
	r->apart = NULL;
	if (!flame)
		return false;
	r->processes.flame = flame;
	r->processes.places = new_places(flame, &r->how);
	r->processes.busy = NULL;
	r->how.stop = NULL;
	r->how.progress = NULL;
	r->how.seconds = 0;
	r->how.command = 0;
	/* Libraries cannot be opened later. */
	fl_demangle_begin();
	fl_places_begin();
	tzset();
	for (size_t i = 0; fl_decoders[i]; i++)
		if (fl_decoders[i]->late)
			fl_late_open(fl_decoders[i]->late);
	return describe(flame, r) && begin_reading(r);
}

int fl_recorder_parse(struct fl_recorder *r, struct fl_shared *shared)
{
	struct flame *flame = r->processes.flame;
	struct flame_source *source = new_source(flame, r);
	struct flame_sink *sink = fl_stream_sink(flame, r, shared);
	size_t first = 0;

	if (!source || !source->in || !sink)
		return 1;
	flame_on_warning(flame, fl_stream_warn, shared);
	r->how.stop = &shared->stop;
	begin_targets(r);
	fl_apart_find_tracked(r);
	if (!r->started) {
		fl_recorder_tell_begin(r, source);
		for (; first < source->nfacts; first++)
			fl_stream_fact(shared, &source->facts[first]);
	}
	r->begin = r->ticked = fl_now();
	fl_cpu_time_begin(r);
	r->started = true;
	begin_looks(r);
	shared->ready = 1;
	if (flame_pump(source, sink) != FLAME_OK) {
		fl_stream_warn(shared, flame_error(flame));
		return 1;
	}
	shared->result = r->result;
	shared->cpu = r->result.cpu;
	shared->ended = 1;
	fl_stream_places(sink);
	__atomic_store_n(&shared->done, 1, __ATOMIC_RELEASE);
	/* Until it is killed; pause is a call that it may not make. */
	for (;;)
		sleep(1);
}

/* With rights that others lack, those who parse what they show have none. */
static bool begin(struct fl_recorder *r, struct flame_source *source)
{
	hurry();
	/*
	 * Tables of files are large, and few of their pages are read again: to
	 * fill huge pages with zeros costs more than to read the files.
	 */
	prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0);
#ifdef M_MMAP_THRESHOLD
	/* As is, glibc keeps what large tables leave when they are freed. */
	mallopt(M_MMAP_THRESHOLD, LARGE_TABLE);
#endif
	if (!r->blind && fl_apart_is_useful()) {
		r->processes.places = new_places(source->flame, &r->how);
		if (fl_apart_start(r))
			return true;
		fl_apart_close(r);
		fl_warn(source->flame, "the recorder reads other processes "
			"with all of its rights: it could not start one that "
			"has none");
	}
	if (!r->processes.places)
		r->processes.places = new_places(source->flame, &r->how);
	r->processes.busy = on_busy;
	r->processes.busy_arg = r;
	if (!begin_reading(r))
		return false;
	begin_targets(r);
	fl_recorder_tell_begin(r, source);
	return true;
}

struct flame_source *fl_record_open(struct flame *flame,
				    const struct fl_recording *recording,
				    struct fl_refusal *refusal)
{
	struct fl_recorder *r = fl_zeroed(1, sizeof(*r));
	struct flame_source *source;

	refusal->text[0] = '\0';
	if (!r) {
		fl_no_memory(flame);
		return NULL;
	}
	r->how = *recording;
	source = new_source(flame, r);
	if (!source) {
		fl_free(r);
		return NULL;
	}
	r->processes.flame = flame;
	r->processes.lines = recording->lines;
	r->unwinder.processes = &r->processes;
	r->since_1970 = epoch_offset();
	if (!source->in || !open_events(flame, r, refusal) ||
	    !describe(flame, r) || !begin(r, source)) {
		flame_close(source);
		return NULL;
	}
	return source;
}
