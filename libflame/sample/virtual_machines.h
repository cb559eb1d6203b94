/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Frames of Java and Python, from the memory of a JVM or an interpreter.
 */
#ifndef FL_SAMPLE_VIRTUAL_MACHINES_H
#define FL_SAMPLE_VIRTUAL_MACHINES_H

#include "sample/unwind.h"

/* hotspot.c ----------------------------------------------------------- */

/*
 * A JVM, read through memory; vm: the symbols that it exports, at its own
 * addresses.  NULL: its release (*major; 0: unknown) does not export all that
 * is needed, or out of memory.
 */
struct fl_hotspot *fl_hotspot_new(struct flame *flame,
				  const struct fl_memory *memory,
				  const struct fl_vm_symbols *vm, int *major);
void fl_hotspot_free(struct fl_hotspot *hotspot);
/* Whether frames of its release were compared with what is known of them. */
bool fl_hotspot_is_tried(const struct fl_hotspot *hotspot);
/* Names are to have the line that a frame executes. */
void fl_hotspot_show_lines(struct fl_hotspot *hotspot);
/* Cached memory of the target may be stale now. */
void fl_hotspot_round(struct fl_hotspot *hotspot);
/* Whether the address is in its code cache. */
bool fl_hotspot_has(struct fl_hotspot *hotspot, uint64_t at);
/*
 * Pushes the Java frames of an address in the code cache, and finds the caller.
 * leaf: the address is of the next instruction, not of a return.
 */
enum fl_step fl_hotspot_step(struct fl_hotspot *hotspot,
			     struct fl_unwinder *unwinder,
			     struct fl_process *process,
			     const struct fl_memory *stack,
			     struct fl_regs *regs, bool leaf);

/*
 * hotspot_threads.c: the name of a thread of Java, of a virtual thread that it
 * runs if that has one; 0: not known.  comm: what the kernel has of the name.
 */
flame_id fl_hotspot_thread_name(struct fl_hotspot *hotspot, pid_t tid,
				struct slice comm);

/* cpython.c ----------------------------------------------------------- */

enum { FL_PYTHON_OLDEST = 7 };	/* that is read */

/*
 * As fl_hotspot_new; *minor is 12 for 3.12, 8 for 3.8 and 3.9, 0: unknown.
 */
struct fl_cpython *fl_cpython_new(struct flame *flame,
				  const struct fl_memory *memory,
				  const struct fl_vm_symbols *vm,
				  unsigned *minor);
void fl_cpython_free(struct fl_cpython *python);
/* cpython_loop.c: names the part of the loop that has no symbol. */
void fl_cpython_find_loop(struct fl_module *module);
/* Whether a function is the interpreter's loop. */
bool fl_is_python_loop(const char *name);
/* Names are to have the line that a frame executes. */
void fl_cpython_show_lines(struct fl_cpython *python);
/* Reads a thread's Python frames of this moment, for the sample of this key. */
void fl_cpython_read(struct fl_cpython *python, pid_t tid, uint64_t key);
/*
 * Puts the thread's Python frames in the places of the interpreter's loop,
 * among the frames of a stack: those read for the sample of this key, or else
 * (0: none were) those of now.  whole: the stack reaches the thread's first
 * frame.  false: there are more of them than are read.  unwinder->gone: some are
 * not known, as they had ended when they were read: "[frame gone]"; nameless: none
 * of them is.
 */
bool fl_cpython_merge(struct fl_cpython *python, struct fl_unwinder *unwinder,
		      pid_t tid, uint64_t key, bool whole);

#endif
