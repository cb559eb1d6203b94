/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A program or shared library that frames lie in: its symbols and its debug
 * information, by elfutils.
 */
#ifndef FL_PERF_MODULE_H
#define FL_PERF_MODULE_H

#include "format/perf/perf.h"

#include <elfutils/libdw.h>

struct fl_perf_symbol {
	const char *name;
	uint64_t value, size;
};

struct fl_perf_module {
	const char *path;
	struct fl_arena arena;		/* of names */
	int fd, debug_fd;		/* -1: none */
	Elf *elf, *debug_elf;		/* NULL: cannot be read */
	Dwarf *dwarf;			/* NULL: there is none */
	struct fl_perf_symbol *symbols;	/* by value */
	size_t nsymbols, symbols_room;
	struct fl_index by_name;	/* to symbols + 1 */
	struct fl_map known;		/* addresses, for inline.c */
};

/* Always one, though it may have neither symbols nor DWARF; NULL: memory. */
struct fl_perf_module *fl_perf_module_open(const char *path);
void fl_perf_module_close(struct fl_perf_module *module);
/*
 * The module's own address of a frame, from what perf printed: that may be
 * an address of the process, an offset in the file, or indeed the module's.
 */
bool fl_perf_module_address(const struct fl_perf_module *module,
			    const struct fl_perf_frame *frame,
			    uint64_t *address);

#endif
