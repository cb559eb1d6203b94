/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The frames of a stack, from its registers and the bytes of its stack.
 */
#ifndef FL_NATIVE_UNWIND_H
#define FL_NATIVE_UNWIND_H

#include "native/process.h"

enum { FL_MAX_FRAMES = 1024 };

enum fl_stack_end {
	FL_STACK_WHOLE,		/* reaches the thread's first frame */
	FL_STACK_TRUNCATED,	/* longer than the bytes that were copied */
	FL_STACK_BROKEN,	/* no way was found further */
	FL_STACK_UNSEEN,	/* nothing of it was read, or no name */
	FL_STACK_UNREADABLE	/* its process may not be read */
};

/* Rows of call frame information by module and address.  Zeroed: empty. */
struct fl_row_cache {
	struct fl_map known;	/* to row + 1 */
	struct fl_cfi_row *rows;
	size_t nrows, capacity;
};

/* Modules were freed. */
void fl_row_cache_clear(struct fl_row_cache *cache);
void fl_row_cache_free(struct fl_row_cache *cache);

/* A process as the unwinder asks for it; arg goes to each function. */
struct fl_view {
	void *arg;
	struct fl_row_cache *rows;
	/* The mapping of an address; its file has been read where `frame` was
	   called for the address.  NULL: none. */
	const struct fl_mapping *(*mapping)(void *arg, uint64_t at);
	/* Memory that is not in the copy of the stack. */
	bool (*read)(void *arg, uint64_t at, void *to, size_t size);
	/*
	 * Adds a frame, to be looked up at this address: a byte before that of
	 * the registers where it has called another.  *symbol: NULL: unknown.
	 * false: there is no room for more.
	 */
	bool (*frame)(void *arg, uint64_t at, const struct fl_regs *regs,
		      const struct fl_memory *memory,
		      struct fl_symbol **symbol);
	/* Code that a virtual machine compiled; step adds its frames. */
	bool (*is_compiled)(void *arg, uint64_t at);
	enum fl_step (*step)(void *arg, uint64_t at,
			     const struct fl_memory *memory,
			     struct fl_regs *regs, bool exact);
};

enum fl_stack_end fl_unwind_view(const struct fl_view *view,
				 const struct fl_regs *regs,
				 const struct fl_stack_bytes *stack);

#endif
