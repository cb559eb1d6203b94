/* SPDX-License-Identifier: Apache-2.0 */
/* Frames of virtual machines, from images of their memory. */
#include "fl.h"

#include "../mk/vm_image.h"
#include "sample/sample.h"
#include "sample/virtual_machines.h"

#include <criterion/criterion.h>
#include <stdio.h>

static struct vm_image image;
static struct fl_processes processes;
static struct fl_process process;
static struct fl_unwinder unwinder;
static struct vm_bytes bytes;
static struct fl_memory memory = {
	.read = vm_image_read, .arg = &bytes,
};
static struct fl_vm_symbols vm;

static void start(void)
{
	processes.flame = flame_new();
	process.exited = true;	/* /proc is not asked */
	unwinder.processes = &processes;
}

static void stop(void)
{
	fl_unwinder_free(&unwinder);
	flame_free(processes.flame);
}

/* "leaf < caller < ...", each with its type. */
static const char *frames(void)
{
	static char text[1024];
	size_t n = 0;

	for (size_t i = 0; i < unwinder.nframes; i++) {
		const struct flame_frame *f =
			flame_frame_of(processes.flame, unwinder.frames[i]);

		n += (size_t)snprintf(text + n, sizeof(text) - n, "%s%s %d",
			i ? " < " : "",
			flame_name_text(processes.flame, f->name, NULL),
			(int)f->type);
		cr_assert(n < sizeof(text));
	}
	return text;
}

static void java(int major)
{
	struct fl_hotspot *jvm;
	struct fl_regs regs;
	int seen;

	vm_image_hotspot(&image, major);
	bytes = (struct vm_bytes){ image.data, image.size };
	vm_image_symbols(&vm, true);
	jvm = fl_hotspot_new(processes.flame, &memory, &vm, &seen);
	cr_assert(jvm);
	cr_expect_eq(seen, major);
	/* The second round checks the cached methods against memory. */
	for (unsigned k = 0; k < 2; k++) {
		char wanted[256];
		bool leaf = true;

		fl_hotspot_round(jvm);
		unwinder.nframes = 0;
		vm_image_regs(&bytes, &regs);
		while (fl_hotspot_has(jvm, regs.value[FL_REG_IP] - !leaf)) {
			cr_assert_eq(fl_hotspot_step(jvm, &unwinder, &process,
						     &memory, &regs, leaf),
				     FL_STEP_CALLER);
			leaf = false;
		}
		cr_expect_eq(regs.value[FL_REG_IP], 0);
		snprintf(wanted, sizeof(wanted), "pack/Inner.call %d < "
			 "Outer.run %d < Outer.run %d < Main.main %d",
			 FLAME_INLINED, FLAME_JIT, FLAME_JIT,
			 FLAME_INTERPRETED);
		cr_expect_str_eq(frames(), wanted);
	}
	fl_hotspot_free(jvm);
}

Test(hotspot, frames_of_8_are_found, .init = start, .fini = stop)
{
	java(8);
}

Test(hotspot, frames_of_17_are_found, .init = start, .fini = stop)
{
	java(17);
}

Test(hotspot, frames_of_21_are_found, .init = start, .fini = stop)
{
	java(21);
}

Test(hotspot, frames_of_25_are_found, .init = start, .fini = stop)
{
	java(25);
}

Test(hotspot, frames_of_28_are_found, .init = start, .fini = stop)
{
	java(28);
}

/* It exports all that 28 does. */
Test(hotspot, frames_of_a_later_one_are_found, .init = start, .fini = stop)
{
	java(31);
}

/* The name by the first 15 bytes, and then by none; another has none. */
static void thread_names(int major)
{
	struct slice comm = FL_SLICE("Executor task l");
	struct fl_hotspot *jvm;
	flame_id name;
	int seen;

	vm_image_hotspot(&image, major);
	bytes = (struct vm_bytes){ image.data, image.size };
	vm_image_symbols(&vm, true);
	jvm = fl_hotspot_new(processes.flame, &memory, &vm, &seen);
	cr_assert(jvm);
	fl_hotspot_round(jvm);
	cr_expect_eq(fl_hotspot_thread_name(jvm, VM_TID, FL_SLICE("main")), 0);
	cr_expect_eq(fl_hotspot_thread_name(jvm, VM_TID + 1, comm), 0);
	name = fl_hotspot_thread_name(jvm, VM_TID, comm);
	cr_expect_str_eq(flame_name_text(processes.flame, name, NULL),
			 VM_THREAD_NAME);
	cr_expect_eq(fl_hotspot_thread_name(jvm, VM_TID, (struct slice){ 0 }),
		     name);
	fl_hotspot_free(jvm);
}

Test(hotspot, threads_have_their_whole_names, .init = start, .fini = stop)
{
	thread_names(8);
	thread_names(17);
	thread_names(25);
}

/* As JDK 26 and later shorten it: 7 bytes and the last 6. */
Test(hotspot, threads_have_their_whole_names_by_both_ends, .init = start,
     .fini = stop)
{
	struct slice comm = FL_SLICE("Executo..task \xe4");
	struct fl_hotspot *jvm;
	flame_id name;
	int seen;

	vm_image_hotspot(&image, 26);
	bytes = (struct vm_bytes){ image.data, image.size };
	vm_image_symbols(&vm, true);
	jvm = fl_hotspot_new(processes.flame, &memory, &vm, &seen);
	cr_assert(jvm);
	fl_hotspot_round(jvm);
	cr_expect_eq(fl_hotspot_thread_name(jvm, VM_TID,
					    FL_SLICE("Executo..task b")), 0);
	name = fl_hotspot_thread_name(jvm, VM_TID, comm);
	cr_expect_str_eq(flame_name_text(processes.flame, name, NULL),
			 VM_THREAD_NAME);
	fl_hotspot_free(jvm);
}

static void release(int release, bool found, bool tried)
{
	struct fl_hotspot *jvm;
	int major;

	vm_image_hotspot(&image, release);
	bytes = (struct vm_bytes){ image.data, image.size };
	vm_image_symbols(&vm, true);
	jvm = fl_hotspot_new(processes.flame, &memory, &vm, &major);
	cr_expect_eq(major, release);
	cr_expect_eq(jvm != NULL, found, "%d", release);
	if (jvm)
		cr_expect_eq(fl_hotspot_is_tried(jvm), tried, "%d", release);
	fl_hotspot_free(jvm);
}

Test(hotspot, releases_that_lack_a_field_are_told_and_refused, .init = start,
     .fini = stop)
{
	release(7, false, false);
	release(23, false, false);
	release(24, false, false);
}

Test(hotspot, releases_that_were_not_tried_are_told, .init = start,
     .fini = stop)
{
	release(8, true, true);
	release(19, true, false);
	release(20, true, false);
	release(21, true, true);
	release(22, true, false);
	release(25, true, true);
	release(28, true, true);
	release(31, true, false);
}

static void push(const char *name)
{
	fl_unwind_push(&unwinder, fl_frame(processes.flame,
					   fl_name(processes.flame, name),
					   FLAME_UNKNOWN), 0);
}

static struct fl_cpython *python(unsigned minor)
{
	struct fl_cpython *py;
	unsigned seen;

	vm_image_cpython(&image, minor);
	bytes = (struct vm_bytes){ image.data, image.size };
	vm_image_symbols(&vm, false);
	py = fl_cpython_new(processes.flame, &memory, &vm, &seen);
	cr_expect_eq(seen, minor);
	return py;
}

#define LOOP "_PyEval_EvalFrameDefault"

static void merge(struct fl_cpython *py, bool whole, const char *wanted,
		  const char *const *natives)
{
	unwinder.nframes = 0;
	for (; *natives; natives++)
		push(*natives);
	fl_cpython_merge(py, &unwinder, VM_TID, 0, whole);
	cr_expect_str_eq(frames(), wanted);
}

Test(cpython, frames_stand_in_the_place_of_the_loop, .init = start,
     .fini = stop)
{
	for (unsigned minor = 11; minor <= 15; minor++) {
		struct fl_cpython *py = python(minor);

		cr_assert(py);
		merge(py, true, "f 0 < inner (file.py) 0 < g 0 < "
		      "C.outer (file.py) 0 < main (file.py) 0 < h 0",
		      (const char *[]){ "f", LOOP, "g", LOOP, "h", NULL });
		fl_cpython_free(py);
	}
}

Test(cpython, frames_are_counted_from_the_first_one, .init = start,
     .fini = stop)
{
	struct fl_cpython *py = python(14);

	cr_assert(py);
	/* The loop was entered, and its frame is not there yet. */
	merge(py, true, LOOP " 0 < g 0 < inner (file.py) 0 < g 0 < "
	      "C.outer (file.py) 0 < main (file.py) 0",
	      (const char *[]){ LOOP, "g", LOOP, "g", LOOP, NULL });
	/* inner was entered after the sample. */
	merge(py, true, "C.outer (file.py) 0 < main (file.py) 0 < h 0",
	      (const char *[]){ LOOP, "h", NULL });
	/* Of a stack that is cut only the leaf is sure. */
	merge(py, false, "inner (file.py) 0 < h 0",
	      (const char *[]){ LOOP, "h", NULL });
	/* A perf map has them, too, or not yet. */
	merge(py, true, "inner (file.py) 0 < g 0 < C.outer (file.py) 0 < "
	      "main (file.py) 0",
	      (const char *[]){ LOOP, "py::inner", "g", LOOP, "[unknown]",
				NULL });
	fl_cpython_free(py);
}

Test(cpython, frames_of_a_sample_are_those_read_for_its_key, .init = start,
     .fini = stop)
{
	struct fl_cpython *py = python(14);

	cr_assert(py);
	fl_cpython_read(py, VM_TID, 77);
	/* The thread has gone on when its turn comes. */
	memset(image.data + (image.main - VM_BASE), 0, 80);
	unwinder.nframes = 0;
	push(LOOP);
	push("g");
	push(LOOP);
	cr_expect(fl_cpython_merge(py, &unwinder, VM_TID, 77, true));
	cr_expect_str_eq(frames(), "inner (file.py) 0 < g 0 < "
			 "C.outer (file.py) 0 < main (file.py) 0");
	fl_cpython_free(py);
}

Test(cpython, generators_that_were_left_are_not_the_first, .init = start,
     .fini = stop)
{
	const char *const loops[] = { LOOP, "g", LOOP, "h", LOOP, NULL };
	struct fl_cpython *py = python(11);

	cr_assert(py);
	merge(py, true, LOOP " 0 < g 0 < inner (file.py) 0 < h 0 < "
	      "C.outer (file.py) 0 < main (file.py) 0", loops);
	/* Its owner. */
	image.data[image.main - VM_BASE + 69] = 1;
	merge(py, true, "inner (file.py) 0 < g 0 < C.outer (file.py) 0 < "
	      "main (file.py) 0 < h 0 < " LOOP " 0", loops);
	fl_cpython_free(py);
}

/*
 * The loop's entry at 0x1000 jumps into the function at 0x2000 three times, and
 * calls it once; another one, and one that has a name, it jumps into once.
 */
Test(cpython, the_part_of_the_loop_without_a_symbol_is_found)
{
	static const uint8_t code[] = {
		0x0f, 0x84, 0x10, 0x10, 0, 0,		/* 0x2016 */
		0x90, 0x90,
		0x0f, 0x8f, 0x20, 0x10, 0, 0,		/* 0x202e */
		0xe9, 0x00, 0x10, 0, 0,			/* 0x2013 */
		0xe8, 0xe8, 0x0f, 0, 0,			/* call 0x2000 */
		0xe9, 0x00, 0x20, 0, 0,			/* 0x301d */
		0x0f, 0x80, 0x00, 0x30, 0, 0,		/* 0x4023 */
		0x0f, 0x80, 0x00, 0x30, 0, 0,
		0x0f, 0x80, 0x00, 0x30, 0, 0,
		0x0f, 0x80, 0x00, 0x30, 0, 0,
	};
	struct fl_elf_load load = { 0, sizeof(code), 0x1000, true };
	struct fl_cfi_range ranges[] = {
		{ .start = 0x1000, .end = 0x1000 + sizeof(code) },
		{ .start = 0x2000, .end = 0x2800 },
		{ .start = 0x3000, .end = 0x3800 },
		{ .start = 0x4000, .end = 0x4800 },
	};
	struct fl_elf elf = {
		.fd = -1, .bytes = code, .size = sizeof(code),
		.loads = &load, .nloads = 1,
	};
	struct fl_module module = {
		.elf = &elf, .cfi = { .ranges = ranges, .nranges = 4 },
	};
	const struct fl_symbol *symbol;

	fl_symbols_add(&module.symbols, 0x4000, 0x4800, "named");
	fl_cpython_find_loop(&module);
	cr_expect_eq(module.symbols.count, 1);
	fl_symbols_add(&module.symbols, 0x1000, 0x1000 + sizeof(code),
		       "_PyEval_EvalFrameDefault");
	fl_cpython_find_loop(&module);
	cr_expect_eq(module.symbols.count, 3);
	symbol = fl_symbols_at(&module.symbols, 0x2100);
	cr_assert(symbol);
	cr_expect(fl_is_python_loop(symbol->name));
	cr_expect_eq(symbol->end, 0x2800);
	cr_expect_null(fl_symbols_at(&module.symbols, 0x3100));
	fl_symbols_free(&module.symbols);
}

Test(cpython, other_releases_and_builds_are_refused, .init = start,
     .fini = stop)
{
	struct fl_cpython *py;
	unsigned minor;

	cr_expect_null(python(6));
	py = python(13);
	cr_expect(py);
	fl_cpython_free(py);
	/* Without the global lock. */
	image.data[512 + 16] = 1;
	cr_expect_null(fl_cpython_new(processes.flame, &memory, &vm, &minor));
	cr_expect_eq(minor, 13);
}
