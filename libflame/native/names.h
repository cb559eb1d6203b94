/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Names of the addresses of a recorded profile, as perf would print them.
 *
 * A reader makes one struct fl_native_names, gets a module for each file that
 * was mapped, keeps a struct fl_mappings for each process, and asks for the frames
 * of each address:
 *
 *	names = fl_names_new(flame, &options->names);
 *	module = fl_names_module(names, pid, path, id, id_size);
 *	fl_mappings_add(&maps,
 *			&(struct fl_mapping){ start, end, pgoff, module });
 *	...
 *	fl_names_sample(names);		// once for each sample
 *	n = fl_names_user(names, &maps, address, &frames);
 *	...
 *	fl_names_report(names, input);
 *	fl_names_free(names);
 *
 * Files are opened when the first address in them is asked for.
 */
#ifndef FL_NATIVE_NAMES_H
#define FL_NATIVE_NAMES_H

#include "flow/options.h"
#include "native/process.h"

#include <stddef.h>
#include <sys/types.h>

/* Options of all readers that have addresses, as the member `names`. */
struct fl_names_options {
	bool inlined;		/* look inlined functions up */
	char *symfs;		/* files are below this folder; or NULL */
	char *kallsyms;		/* the kernel's symbols; or NULL */
};

#define FL_OPTION_ROW_SYMFS(type) \
	{ .name = "symfs", .argument = "DIR", \
	  .summary = "addresses: programs and libraries lie below DIR", \
	  .kind = FL_OPTION_TEXT, .offset = offsetof(type, names.symfs), \
	  .set = fl_option_file, .least = 1 }
#define FL_OPTION_ROW_KALLSYMS(type) \
	{ .name = "kallsyms", .argument = "FILE", \
	  .summary = "addresses: a copy of /proc/kallsyms", \
	  .kind = FL_OPTION_TEXT, .offset = offsetof(type, names.kallsyms), \
	  .set = fl_option_file, .least = 1 }

struct fl_native_names;

/* NULL: out of memory, or an option's file cannot be read: flame_error. */
struct fl_native_names *fl_names_new(struct flame *flame,
			      const struct fl_names_options *options);
void fl_names_free(struct fl_native_names *names);

/*
 * The module of a mapping, by its path as recorded ("/usr/lib/libc.so.6",
 * "//anon", "[vdso]", "/memfd:x (deleted)") and its build id, which may be
 * empty.  Code that is in no file gets its names from /tmp/perf-PID.map and a
 * jitdump of this process (as the process itself sees its number).  The same
 * arguments name the same module.  NULL: out of memory.
 */
struct fl_module *fl_names_module(struct fl_native_names *names, pid_t pid,
				  struct slice path, const uint8_t *id,
				  size_t id_size);

/*
 * The number of its file, as of /proc/PID/maps: where no build id is known, the
 * file of its path has to have it.
 */
void fl_names_inode(struct fl_module *module, uint64_t inode);

/*
 * A sample begins: those with addresses that have no name are counted.  If this
 * is never called, the addresses are counted instead.
 */
void fl_names_sample(struct fl_native_names *names);

/*
 * The frames of a user's address, leaf first: several where functions were
 * inlined.  They stay valid until the next call.  The address is looked up as
 * it is: a return address that is to be looked up one byte earlier is the
 * caller's matter (perf does so for stacks that it unwinds only).
 * 0: out of memory.
 */
size_t fl_names_user(struct fl_native_names *names,
		     const struct fl_mappings *maps, uint64_t at,
		     const flame_id **frames);
/* The same; 0: it has no name. */
size_t fl_names_named(struct fl_native_names *names,
		      const struct fl_mappings *maps, uint64_t at,
		      const flame_id **frames);
/* As user's, without inlined functions: perf prints them of unwound stacks. */
size_t fl_names_plain(struct fl_native_names *names,
		      const struct fl_mappings *maps, uint64_t at,
		      const flame_id **frames);
/*
 * The kernel's: by --kallsyms, its symbols added below, or on the machine that
 * recorded (the kernel's build id is the running one's) /proc/kallsyms.
 */
size_t fl_names_kernel(struct fl_native_names *names, uint64_t at,
		       const flame_id **frames);
/* The kernel's build id, its modules' places, programs of BPF. */
void fl_names_kernel_id(struct fl_native_names *names, const uint8_t *id,
			size_t id_size);
bool fl_names_kernel_map(struct fl_native_names *names, struct slice path,
			 uint64_t start, uint64_t end, uint64_t offset);
bool fl_names_kernel_symbol(struct fl_native_names *names, uint64_t start,
			    uint64_t size, struct slice name);

/* Whether the address that was asked for last has a name. */
bool fl_names_known(const struct fl_native_names *names);

/*
 * The addresses of a stack by registers and a copy of its bytes, leaf first,
 * as they are to be looked up; returns how many.  Registers are by perf's
 * numbers: the n-th set bit of mask is values[n].
 */
size_t fl_names_unwind(struct fl_native_names *names,
		       const struct fl_mappings *maps, uint64_t mask,
		       const uint64_t *values,
		       const struct fl_stack_bytes *stack,
		       uint64_t *addresses, size_t capacity);

/*
 * Reports files that are not here, or are other ones, with the numbers of their
 * samples or addresses that have no name.  false: there are none.
 */
bool fl_names_report(struct fl_native_names *names, const char *input);

#endif
