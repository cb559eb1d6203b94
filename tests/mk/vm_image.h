/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Memory of very small virtual machines, as the sampler reads it from outside:
 * a HotSpot JVM with two compiled methods, the interpreter, a stub and a thread
 * with a name, and a CPython with one thread.  Written from
 * scratch; byte N is at VM_BASE + N.
 */
#ifndef VM_IMAGE_H
#define VM_IMAGE_H

#include "sample/sample.h"

enum { VM_BASE = 0x10000, VM_MAX = 16384 };

/*
 * The image begins with words: what symbols point to (HotSpot), the version
 * (CPython), then the registers of a sample.
 */
enum {
	VM_VERSION_AT = VM_BASE,
	VM_REGS_AT = VM_BASE + 128,
	VM_RUNTIME_AT = VM_BASE + 512,
	VM_TID = 7
};
#define VM_THREAD_NAME "Executor task launch worker for task \xc3\xa4"

struct vm_image {
	uint8_t data[VM_MAX];
	size_t size;
	uint64_t main;		/* CPython: the frame of main */
};

/* Of JDK 8 or from 17 on. */
void vm_image_hotspot(struct vm_image *image, int major);
/* Of CPython 3.11 to 3.15. */
void vm_image_cpython(struct vm_image *image, unsigned minor);

/* The symbols that its program would export. */
void vm_image_symbols(struct fl_vm_symbols *vm, bool hotspot);

/* Reads of `image` as struct fl_memory; arg is a struct vm_bytes. */
struct vm_bytes {
	const uint8_t *data;
	size_t size;
};
bool vm_image_read(void *bytes, uint64_t at, void *to, size_t size);
void vm_image_regs(const struct vm_bytes *bytes, struct fl_regs *regs);

#endif
