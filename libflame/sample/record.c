/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Recording as a source: the kernel's samples become stacks of the dictionary
 * while the targets run.
 */
#include "fl.h"

#include "sample/sample.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum {
	WAIT_MS = 20,		/* between rounds at most */
	HURRY_MS = 1,		/* where frames change meanwhile: Python's */
	TICK_MS = 250		/* between looks at the targets */
};

struct record {
	struct fl_recording how;
	struct fl_perf_events events;
	struct fl_processes processes;
	struct fl_unwinder unwinder;
	struct fl_record_result result;
	struct fl_map addresses;	/* frame -> the last one seen */
	flame_id metric, truncated, broken;
	flame_id cpus[256];		/* label sets */
	/* Of the last thread. */
	struct fl_map threads;		/* tid -> place in names */
	struct thread {
		pid_t pid;
		flame_id comm, process, set, base;
	} *names;
	size_t nnames, names_capacity;
	int64_t begin, deadline, ticked;
	int64_t since_1970;		/* of the clock's zero */
	bool hurries;			/* samples are looked at at once */
	bool started, ended, last_round;
};

/* Targets --------------------------------------------------------------- */

static bool is_alive(pid_t pid)
{
	return kill(pid, 0) == 0 || errno != ESRCH;
}

static bool any_target_lives(struct record *r)
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

static bool command_ended(struct record *r)
{
	if (!r->how.command || r->result.reaped)
		return r->result.reaped;
	r->result.reaped = waitpid(r->how.command, &r->result.status, WNOHANG) ==
		    r->how.command;
	return r->result.reaped;
}

static void tick(struct record *r)
{
	int64_t now = fl_now();

	if (r->how.stop && *r->how.stop)
		r->ended = true;
	if (r->deadline && now >= r->deadline)
		r->ended = true;
	if (command_ended(r))
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

static void on_map(struct record *r, struct fl_process *p,
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
static struct fl_process *event_process(struct record *r, pid_t pid)
{
	return r->how.sampling.all ? fl_process_get(&r->processes, pid) :
				     fl_process_find(&r->processes, pid);
}

static void on_fork(struct record *r, const struct fl_event *e)
{
	struct fl_process *parent, *child;

	if (e->pid == e->parent)	/* a thread */
		return;
	parent = event_process(r, e->parent);
	if (!parent || !(r->how.sampling.children || r->how.sampling.all))
		return;
	child = fl_process_get(&r->processes, e->pid);
	parent = fl_process_find(&r->processes, e->parent);
	if (child && parent)
		fl_process_fork(&r->processes, parent, child);
}

static void rename_thread(struct record *r, const struct fl_event *e)
{
	const uint64_t *place = fl_map_get(&r->threads, (uint64_t)e->tid);

	if (!place)
		return;
	r->names[*place].comm = fl_name(r->processes.flame, e->text);
	r->names[*place].set = 0;
}

static void on_event(struct record *r, const struct fl_event *e)
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
	switch (e->kind) {
	case FL_EVENT_MAP:
		on_map(r, p, e);
		break;
	case FL_EVENT_EXEC:
		fl_process_exec(p);
		__attribute__((fallthrough));
	case FL_EVENT_COMM:
		if (e->pid == e->tid)
			p->comm = fl_name(r->processes.flame, e->text);
		rename_thread(r, e);
		break;
	case FL_EVENT_EXIT:
		if (e->pid == e->tid)
			fl_process_exit(p);
		break;
	default:
		break;
	}
}

/* Samples --------------------------------------------------------------- */

/* The thread's own name; of a thread that is gone its process's. */
static flame_id thread_name(struct record *r, struct fl_process *p, pid_t tid)
{
	struct flame *flame = r->processes.flame;
	char path[64], text[64];
	size_t n;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/task/%d/comm", (int)p->pid,
		 (int)tid);
	file = fopen(path, "re");
	if (!file)
		return fl_process_comm(&r->processes, p);
	n = fread(text, 1, sizeof(text), file);
	fclose(file);
	if (n && text[n - 1] == '\n')
		n--;
	return n ? flame_name(flame, text, n) :
		   fl_process_comm(&r->processes, p);
}

/* "comm", or with threads "comm" and "thread-pid/tid" in it. */
static void name_thread(struct record *r, struct fl_process *p, pid_t tid,
			struct thread *t)
{
	struct flame *flame = r->processes.flame;
	char number[24];

	t->process = fl_process_comm(&r->processes, p);
	t->set = fl_thread(flame, fl_name_at(flame, t->comm), tid);
	number[fl_format_u64(number, (uint64_t)p->pid)] = '\0';
	t->set = flame_label(flame, t->set, fl_name(flame, "pid"),
			     fl_name(flame, number));
	t->base = flame_stack(flame, 0, fl_frame(flame, t->process,
						 FLAME_GROUP));
	if (!r->how.threads)
		return;
	t->base = flame_stack(flame, t->base, fl_thread_frame(flame, t->set));
}

static const struct thread *thread_of(struct record *r, struct fl_process *p,
				      pid_t tid)
{
	bool fresh;
	uint64_t *place = fl_map_put(&r->threads, (uint64_t)tid, &fresh);
	struct thread *t;
	flame_id comm;

	if (!place || !fl_grow(&r->names, &r->names_capacity, r->nnames + 1,
			       sizeof(*r->names))) {
		fl_no_memory(r->processes.flame);
		return NULL;
	}
	if (fresh) {
		*place = r->nnames++;
		memset(&r->names[*place], 0, sizeof(*r->names));
	}
	t = &r->names[*place];
	if (t->pid != p->pid)		/* new, or the number is used again */
		*t = (struct thread){ .pid = p->pid };
	if (t->set && t->process == fl_process_comm(&r->processes, p))
		return t;
	comm = tid == p->pid ? fl_process_comm(&r->processes, p) : t->comm;
	t->comm = comm ? comm : thread_name(r, p, tid);
	name_thread(r, p, tid, t);
	return t;
}

static flame_id labels_of(struct record *r, uint32_t cpu)
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

static flame_id mark(struct record *r, flame_id *frame, const char *name)
{
	struct flame *flame = r->processes.flame;

	if (!*frame)
		*frame = fl_frame(flame, fl_name(flame, name), FLAME_NATIVE);
	return *frame;
}

static void push_kernel(struct record *r, const struct fl_event *e)
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

static void push_user(struct record *r, struct fl_process *p,
		      const struct fl_event *e)
{
	enum fl_stack_end end = FL_STACK_WHOLE;
	struct fl_cpython *python;

	/*
	 * Not of threads of the kernel, of programs of 32 bits, and of those
	 * whose memory is thrown away to execute another program.
	 */
	if (e->user64 && (e->stack.size || !e->nchain)) {
		if (!p->has_maps)
			fl_process_read_maps(&r->processes, p);
		end = fl_unwind(&r->unwinder, p, &e->regs, &e->stack);
	}
	r->result.whole += end == FL_STACK_WHOLE;
	python = fl_process_python(&r->processes, p);
	if (python) {
		r->hurries = true;
		fl_cpython_merge(python, &r->unwinder, e->tid);
	}
	if (end == FL_STACK_TRUNCATED)
		fl_unwind_push(&r->unwinder,
			       mark(r, &r->truncated, "[truncated]"), 0);
	else if (end == FL_STACK_BROKEN)
		fl_unwind_push(&r->unwinder,
			       mark(r, &r->broken, "[broken]"), 0);
}

static bool remember_addresses(struct record *r)
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

static void count(struct record *r, const struct flame_sample *sample)
{
	struct flame_metric *m =
		&r->processes.flame->metrics[sample->metric];

	m->samples++;
	m->total++;
	if (m->first == FLAME_NOTIME)
		m->first = sample->time;
	m->last = sample->time;
	r->result.samples++;
}

static bool is_wanted(const struct record *r, const struct fl_process *p,
		      const struct fl_event *e)
{
	if (r->how.sampling.all)
		return e->pid != getpid();
	return p && p->tracked;
}

static bool take_sample(struct record *r, const struct fl_event *e,
			struct flame_sample *sample)
{
	struct flame *flame = r->processes.flame;
	struct fl_process *p = fl_process_find(&r->processes, e->pid);
	const struct thread *t;

	if (!is_wanted(r, p, e))
		return false;
	if (!p)
		p = fl_process_get(&r->processes, e->pid);
	t = p ? thread_of(r, p, e->tid) : NULL;
	if (!t)
		return false;
	r->unwinder.nframes = 0;
	push_kernel(r, e);
	push_user(r, p, e);
	if (!remember_addresses(r))
		fl_no_memory(flame);
	*sample = (struct flame_sample){
		.stack = t->base, .metric = r->metric, .thread = t->set,
		.labels = labels_of(r, e->cpu),
		.time = r->since_1970 + (int64_t)e->time, .weight = 1,
	};
	for (size_t i = r->unwinder.nframes; i--;)
		sample->stack = flame_stack(flame, sample->stack,
					    r->unwinder.frames[i]);
	count(r, sample);
	return true;
}

/* The source -------------------------------------------------------------- */

static bool start(struct record *r)
{
	char byte = 0;

	r->begin = r->ticked = fl_now();
	if (r->how.seconds > 0)
		r->deadline = r->begin + (int64_t)(r->how.seconds * 1e9);
	if (!r->how.sampling.on_exec || r->events.per_cpu)
		fl_perf_events_start(&r->events);
	if (r->how.go >= 0) {
		/* A child that is gone is noticed soon. */
		if (write(r->how.go, &byte, 1) < 0)
			r->ended = true;
		close(r->how.go);
		r->how.go = -1;
	}
	r->started = true;
	fl_perf_events_round(&r->events);
	return true;
}

static int end(struct record *r, struct flame_source *source)
{
	r->result.seconds = (double)(fl_now() - r->begin) / 1e9;
	source->start = r->since_1970 + r->begin;
	source->end = r->since_1970 + fl_now();
	return FLAME_END;
}

static int next(struct flame_source *source, struct flame_sample *sample)
{
	struct record *r = source->state;
	struct fl_event event;

	if (!r->started && !start(r))
		return FLAME_FAILED;
	for (;;) {
		while (fl_perf_events_next(&r->events, &event)) {
			if (event.kind != FL_EVENT_SAMPLE)
				on_event(r, &event);
			else if (take_sample(r, &event, sample))
				return FLAME_OK;
			if (fl_failed(source->flame))
				return FLAME_FAILED;
		}
		if (r->last_round)
			return end(r, source);
		if (r->ended) {
			/* Records that are there already are wanted, too. */
			fl_perf_events_stop(&r->events);
			r->last_round = true;
			fl_perf_events_round(&r->events);
			r->events.barrier = UINT64_MAX - 1;
			continue;
		}
		fl_perf_events_wait(&r->events,
				    r->hurries ? HURRY_MS : WAIT_MS);
		fl_perf_events_round(&r->events);
		fl_processes_round(&r->processes);
		tick(r);
	}
}

static void close_record(struct flame_source *source)
{
	struct record *r = source->state;

	if (!r)
		return;
	fl_perf_events_close(&r->events);
	fl_unwinder_free(&r->unwinder);
	fl_processes_free(&r->processes);
	fl_map_free(&r->addresses);
	fl_map_free(&r->threads);
	fl_free(r->names);
	fl_free(r);
}

static const struct fl_format format = {
	.name = "flame-record", .summary = "a recording",
	.next = next, .close = close_record,
};

const struct fl_record_result *fl_record_result(const struct flame_source *s)
{
	const struct record *r = s->state;

	return &r->result;
}

uint64_t fl_record_address(const struct flame_source *source, flame_id frame)
{
	const struct record *r = source->state;
	const uint64_t *at = fl_map_get(&r->addresses, frame);

	return at ? *at : 0;
}

int64_t fl_record_clock(const struct flame_source *source)
{
	const struct record *r = source->state;

	return r->since_1970;
}

/* What is known of the targets before they are sampled. */
static void begin_targets(struct record *r)
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

struct flame_source *fl_record_open(struct flame *flame,
				    const struct fl_recording *recording,
				    struct fl_refusal *refusal)
{
	struct flame_source *source = fl_zeroed(1, sizeof(*source));
	struct record *r = fl_zeroed(1, sizeof(*r));

	refusal->text[0] = '\0';
	if (!source || !r) {
		fl_free(source);
		fl_free(r);
		fl_no_memory(flame);
		return NULL;
	}
	source->flame = flame;
	source->format = &format;
	source->state = r;
	source->start = source->end = FLAME_NOTIME;
	source->first = source->last = FLAME_NOTIME;
	source->seen_first = source->seen_last = FLAME_NOTIME;
	r->how = *recording;
	r->processes.flame = flame;
	r->unwinder.processes = &r->processes;
	r->since_1970 = epoch_offset();
	source->in = fl_in_memory(flame, "", 0, "recording");
	if (!source->in ||
	    !fl_perf_events_open(flame, &r->events, &recording->sampling,
				 refusal)) {
		flame_close(source);
		return NULL;
	}
	r->result.kernel = r->events.kernel && !recording->sampling.user;
	r->result.hardware = r->events.hardware;
	r->result.ring_size = r->events.ring_size;
	r->result.ring_wanted = r->events.ring_wanted;
	/* While events wait for it, samples would be lost. */
	if (r->result.kernel)
		fl_kernel_read(&r->processes);
	r->metric = flame_metric(flame, "cpu", "samples");
	begin_targets(r);
	hurry();
	return source;
}
