/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Frames of virtual machines whose memory is anybody's: every read of a target
 * is one of the input's bytes.
 */
#include "fuzz.h"

#include "../mk/vm_image.h"
#include "sample/sample.h"
#include "sample/virtual_machines.h"

enum { MAX_STEPS = 64 };

/* The parts of the recorder that frames are pushed to. */
struct bench {
	struct flame *flame;
	struct fl_processes processes;
	struct fl_process process;
	struct fl_unwinder unwinder;
	struct vm_bytes bytes;
	struct fl_memory memory;
};

static void begin(struct bench *b, const uint8_t *data, size_t size)
{
	memset(b, 0, sizeof(*b));
	b->flame = fuzz_flame();
	b->processes.flame = b->flame;
	b->process.exited = true;	/* /proc is not asked */
	b->unwinder.processes = &b->processes;
	b->bytes = (struct vm_bytes){ data, size };
	b->memory = (struct fl_memory){ .read = vm_image_read, .arg = &b->bytes };
}

static void end(struct bench *b)
{
	for (size_t i = 0; i < b->unwinder.nframes; i++)
		FUZZ_HOLDS(b->unwinder.frames[i] < b->flame->frames.count);
	fuzz_flame_holds(b->flame);
	fl_unwinder_free(&b->unwinder);
	flame_free(b->flame);
}

static void unwind(struct bench *b, struct fl_hotspot *jvm)
{
	struct fl_regs regs;
	enum fl_step status = FL_STEP_CALLER;

	fl_hotspot_thread_name(jvm, VM_TID, FL_SLICE("Executor task l"));
	vm_image_regs(&b->bytes, &regs);
	for (unsigned i = 0; i < MAX_STEPS && status == FL_STEP_CALLER; i++) {
		uint64_t pc = regs.value[FL_REG_IP] - !!i;

		if (!fl_hotspot_has(jvm, pc))
			return;
		status = fl_hotspot_step(jvm, &b->unwinder, &b->process,
					 &b->memory, &regs, !i);
	}
}

void fuzz_hotspot(const struct fuzz_target *target, const uint8_t *data,
		  size_t size)
{
	struct fl_vm_symbols vm;
	struct fl_hotspot *jvm;
	struct bench b;
	int major;

	(void)target;
	begin(&b, data, size);
	vm_image_symbols(&vm, true);
	jvm = fl_hotspot_new(b.flame, &b.memory, &vm, &major);
	if (jvm) {
		fl_hotspot_show_lines(jvm);
		unwind(&b, jvm);
		/* Then the second half is gone. */
		fl_hotspot_round(jvm);
		unwind(&b, jvm);
		b.bytes.size /= 2;
		fl_hotspot_round(jvm);
		unwind(&b, jvm);
		fl_hotspot_free(jvm);
	}
	end(&b);
}

static void push(struct bench *b, const char *name)
{
	fl_unwind_push(&b->unwinder, fl_frame(b->flame, fl_name(b->flame, name),
					      FLAME_NATIVE), 0);
}

void fuzz_cpython(const struct fuzz_target *target, const uint8_t *data,
		  size_t size)
{
	struct fl_vm_symbols vm;
	struct fl_cpython *python;
	struct bench b;
	unsigned minor;

	(void)target;
	begin(&b, data, size);
	vm_image_symbols(&vm, false);
	python = fl_cpython_new(b.flame, &b.memory, &vm, &minor);
	if (python)
		fl_cpython_show_lines(python);
	for (unsigned i = 0; python && i < 3; i++) {
		b.unwinder.nframes = 0;
		push(&b, "_PyEval_EvalFrameDefault");
		push(&b, "py::main");
		push(&b, "native");
		push(&b, "_PyEval_EvalFrameDefault");
		fl_cpython_merge(python, &b.unwinder, VM_TID, 0, i != 1);
		if (i == 1)
			b.bytes.size /= 2;
	}
	fl_cpython_free(python);
	end(&b);
}
