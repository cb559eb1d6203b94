/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The memory and mappings of a process, as unwinding needs them.  flame-record
 * fills them from a process that runs, a reader from what was recorded of one:
 * registers, a piece of the stack, and mappings of files (names.h).
 */
#ifndef FL_NATIVE_PROCESS_H
#define FL_NATIVE_PROCESS_H

#include "native/cfi.h"
#include "native/elf.h"
#include "native/symbols.h"

struct fl_vm_symbols;

/* A mapped file; of the sampler's, known by its device and inode. */
struct fl_module {
	char *path;		/* as mapped, without " (deleted)" */
	uint64_t device, inode;
	flame_id file, unknown;	/* its name; the frame of unknown functions */
	bool loaded, used;	/* used: by a process, see fl_modules_sweep */
	bool greenlets;		/* of the greenlet package, which begins them */
	unsigned debug;		/* see fl_places_file */
	struct fl_elf *elf;	/* NULL: not readable */
	struct fl_cfi cfi;
	struct fl_symbols symbols;
	struct fl_vm_symbols *vm;	/* of libjvm.so and Python; or NULL */
};

struct fl_mapping {
	uint64_t start, end, offset;
	struct fl_module *module;	/* NULL: code that is in no file */
};

/* Executable ones, sorted by start.  Zeroed: empty. */
struct fl_mappings {
	struct fl_mapping *data;
	size_t count, capacity;
};

/* A new mapping replaces what it covers.  false: out of memory. */
bool fl_mappings_add(struct fl_mappings *maps, const struct fl_mapping *map);
/* NULL: none. */
const struct fl_mapping *fl_mappings_at(const struct fl_mappings *maps,
					uint64_t at);
/* As of a fork; what `to` had is replaced.  false: out of memory. */
bool fl_mappings_copy(struct fl_mappings *to, const struct fl_mappings *from);
void fl_mappings_free(struct fl_mappings *maps);

/* A copy of the stack from the stack pointer on. */
struct fl_stack_bytes {
	const uint8_t *data;
	uint64_t start;
	size_t size;
	bool full;		/* the stack may go on */
};

#endif
