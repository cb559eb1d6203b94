/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The frames of a sample, from its registers and the bytes of its stack.
 */
#ifndef FL_SAMPLE_UNWIND_H
#define FL_SAMPLE_UNWIND_H

#include "native/unwind.h"
#include "sample/process.h"

struct fl_unwinder {
	struct fl_processes *processes;
	unsigned modules_dropped;	/* processes->modules_dropped, of rows */
	struct fl_row_cache rows;
	flame_id *frames;	/* leaf first */
	size_t nframes, frames_capacity;
	uint64_t *addresses;	/* of frames */
	size_t addresses_capacity;
	struct fl_kept {	/* callee-saved registers, and stack words */
		size_t frame;
		uint64_t value[FL_KEPT];
	} *kept;		/* of interpreters' loops, leaf first */
	size_t nkept, kept_capacity;
	size_t loops;		/* of interpreters, in this stack */
	size_t base;		/* frames of the greenlet that runs; 0: none */
	bool gone, nameless;	/* see fl_cpython_merge */
};

/* Appends frames to those that the unwinder has. */
enum fl_stack_end fl_unwind(struct fl_unwinder *unwinder,
			    struct fl_process *process,
			    const struct fl_regs *regs,
			    const struct fl_stack_bytes *stack);
bool fl_unwind_push(struct fl_unwinder *unwinder, flame_id frame,
		    uint64_t address);
void fl_unwinder_free(struct fl_unwinder *unwinder);

#endif
