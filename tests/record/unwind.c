/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Unwinds samples of a running program twice, by the sampler and by elfutils'
 * libdw, and compares them frame by frame.  Of a JVM's stack only the frames
 * before the first one of its own code, of which libdw knows nothing.  Left out
 * are samples of which libdw asks for a word below the stack pointer: the
 * kernel has not copied it, and the program has overwritten it since.
 *
 *	unwind PID SAMPLES [SECONDS]
 *
 * Prints "SAMPLES FRAMES SAME LONGER SHORTER OTHER": stacks that are the same,
 * where libdw stopped before, where we did, and that differ in a frame.  Then
 * a line for each kind of difference: how often, and the function where it is.
 */
#include "fl.h"

#include "sample/sample.h"

#include <elfutils/libdwfl.h>
#include <stdio.h>
#include <stdlib.h>

enum { MAX_PCS = 256, MAX_KINDS = 64, STACK_BELOW = 1 << 16 };

static struct fl_processes processes;
static struct fl_unwinder unwinder;
static const struct fl_event *sample;	/* that is unwound by libdw */
static bool is_stale;	/* libdw read what the program has changed since */
static struct {
	uint64_t data[MAX_PCS];
	size_t count;
} pcs;
static struct kind {
	char text[256];
	unsigned count;
} kinds[MAX_KINDS];
static size_t nkinds;

/* libdw -------------------------------------------------------------------- */

static int no_debuginfo(Dwfl_Module *module, void **data, const char *name,
			Dwarf_Addr base, const char *file, const char *link,
			GElf_Word crc, char **path)
{
	(void)module, (void)data, (void)name, (void)base, (void)file;
	(void)link, (void)crc, (void)path;
	return -1;
}

static pid_t next_thread(Dwfl *dwfl, void *arg, void **thread)
{
	(void)dwfl, (void)arg;
	if (*thread)
		return 0;
	*thread = &pcs;
	return sample->tid;
}

static bool get_thread(Dwfl *dwfl, pid_t tid, void *arg, void **thread)
{
	(void)dwfl, (void)tid, (void)arg;
	*thread = &pcs;
	return true;
}

static bool read_word(Dwfl *dwfl, Dwarf_Addr at, Dwarf_Word *word, void *arg)
{
	const struct fl_stack_bytes *stack = &sample->stack;

	(void)dwfl, (void)arg;
	/* Registers that the program had popped already lie below. */
	if (at < stack->start && stack->start - at <= STACK_BELOW) {
		is_stale = true;
		return false;
	}
	if (at >= stack->start && at - stack->start <= stack->size &&
	    stack->size - (at - stack->start) >= 8) {
		memcpy(word, stack->data + (at - stack->start), 8);
		return true;
	}
	return fl_read_memory(sample->pid, at, word, 8) == 8;
}

static bool set_registers(Dwfl_Thread *thread, void *arg)
{
	(void)arg;
	return dwfl_thread_state_registers(thread, 0, FL_REGS,
					   sample->regs.value);
}

static int take_frame(Dwfl_Frame *state, void *arg)
{
	Dwarf_Addr pc;

	(void)arg;
	if (pcs.count == MAX_PCS || !dwfl_frame_pc(state, &pc, NULL))
		return DWARF_CB_ABORT;
	pcs.data[pcs.count++] = pc;
	return DWARF_CB_OK;
}

static Dwfl *attach(pid_t pid)
{
	static const Dwfl_Callbacks callbacks = {
		.find_elf = dwfl_linux_proc_find_elf,
		.find_debuginfo = no_debuginfo,
	};
	static const Dwfl_Thread_Callbacks threads = {
		.next_thread = next_thread, .get_thread = get_thread,
		.memory_read = read_word,
		.set_initial_registers = set_registers,
	};
	Dwfl *dwfl = dwfl_begin(&callbacks);

	if (dwfl && dwfl_linux_proc_report(dwfl, pid) == 0 &&
	    dwfl_report_end(dwfl, NULL, NULL) == 0 &&
	    dwfl_attach_state(dwfl, NULL, pid, &threads, &pcs))
		return dwfl;
	fprintf(stderr, "unwind: libdw: %s\n", dwfl_errmsg(-1));
	exit(1);
}

/* Comparison --------------------------------------------------------------- */

static struct totals {
	unsigned samples, frames, same, longer, shorter, other;
} totals;

static void note(const char *what, size_t i)
{
	char text[256];
	const struct flame_frame *f = NULL;

	if (i < unwinder.nframes)
		f = flame_frame_of(processes.flame, unwinder.frames[i]);
	snprintf(text, sizeof(text), "%s %s", what, f ?
		 flame_name_text(processes.flame, f->name, NULL) : "[end]");
	for (size_t k = 0; k < nkinds; k++)
		if (strcmp(kinds[k].text, text) == 0) {
			kinds[k].count++;
			return;
		}
	if (nkinds == MAX_KINDS)
		return;
	strcpy(kinds[nkinds].text, text);
	kinds[nkinds++].count = 1;
}

/* How many frames are in mapped files. */
static size_t count_native(struct fl_process *p)
{
	size_t n = 0;

	for (; n < unwinder.nframes; n++) {
		const struct fl_mapping *m = fl_process_mapping(&processes, p,
					unwinder.addresses[n] - (n > 0));

		if (!m || !m->module)
			break;
	}
	return n;
}

/*
 * The first addresses are those of the sample.  libdw may end in a frame whose
 * address is 0.
 */
static void compare(struct fl_process *p)
{
	size_t n = count_native(p), i = 0;

	if (pcs.count && !pcs.data[pcs.count - 1])
		pcs.count--;
	if (n < unwinder.nframes)
		pcs.count = FL_MIN(pcs.count, n);
	while (i < n && i < pcs.count && unwinder.addresses[i] == pcs.data[i])
		i++;
	totals.samples++;
	totals.frames += (unsigned)i;
	if (i == n && i == pcs.count) {
		totals.same++;
	} else if (i == pcs.count) {
		totals.longer++;
		note("libdw ends at", i ? i - 1 : 0);
	} else if (i == n) {
		totals.shorter++;
		note("we end at", n ? n - 1 : 0);
	} else {
		totals.other++;
		note("differs above", i ? i - 1 : 0);
	}
}

static void unwind(Dwfl *dwfl, struct fl_process *p, const struct fl_event *e)
{
	if (e->kind != FL_EVENT_SAMPLE || !e->user64 || e->pid != p->pid ||
	    e->stack.full)
		return;
	unwinder.nframes = 0;
	fl_unwind(&unwinder, p, &e->regs, &e->stack);
	sample = e;
	pcs.count = 0;
	is_stale = false;
	dwfl_getthread_frames(dwfl, e->tid, take_frame, NULL);
	if (!is_stale)
		compare(p);
}

int main(int argc, char **argv)
{
	pid_t pid = argc > 2 ? (pid_t)atoi(argv[1]) : 0;
	unsigned wanted = argc > 2 ? (unsigned)atoi(argv[2]) : 0;
	int64_t end = fl_now() + (argc > 3 ? atoi(argv[3]) : 10) *
		      INT64_C(1000000000);
	struct fl_sampling sampling = {
		.hertz = 999, .stack = 32768, .user = true,
		.pids = &pid, .npids = 1,
	};
	struct fl_perf_events events;
	struct fl_refusal refusal;
	struct fl_event event;
	struct fl_process *p;
	Dwfl *dwfl;

	if (!pid || !wanted)
		return 2;
	processes.flame = flame_new();
	unwinder.processes = &processes;
	p = fl_process_get(&processes, pid);
	if (!p || !fl_process_read_maps(&processes, p)) {
		fprintf(stderr, "unwind: no process %d\n", (int)pid);
		return 1;
	}
	dwfl = attach(pid);
	if (!fl_perf_events_open(processes.flame, &events, &sampling,
				 &refusal)) {
		fprintf(stderr, "unwind: %s\n", refusal.text);
		return 3;
	}
	fl_perf_events_start(&events);
	while (totals.samples < wanted && fl_now() < end) {
		fl_perf_events_wait(&events, 50);
		fl_perf_events_round(&events);
		while (totals.samples < wanted &&
		       fl_perf_events_next(&events, &event))
			unwind(dwfl, p, &event);
	}
	printf("%u %u %u %u %u %u\n", totals.samples, totals.frames,
	       totals.same, totals.longer, totals.shorter, totals.other);
	for (size_t i = 0; i < nkinds; i++)
		printf("%u %s\n", kinds[i].count, kinds[i].text);
	fl_perf_events_close(&events);
	dwfl_end(dwfl);
	fl_unwinder_free(&unwinder);
	fl_processes_free(&processes);
	flame_free(processes.flame);
	return 0;
}
