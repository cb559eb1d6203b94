/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A program or shared library that frames lie in: its symbols and its debug
 * information, by elfutils.
 */
#ifndef FL_NATIVE_DEBUG_H
#define FL_NATIVE_DEBUG_H

#include "base/late.h"
#include "native/inlined.h"

#include <elfutils/libdw.h>
#include <elfutils/libdwelf.h>
#include <gelf.h>

#define LIBDW(f) \
	f(dwarf_addrdie) f(dwarf_attr) f(dwarf_begin_elf) f(dwarf_child) \
	f(dwarf_diename) f(dwarf_end) f(dwarf_filesrc) f(dwarf_formref_die) \
	f(dwarf_formudata) f(dwarf_getscopes_die) f(dwarf_getsrc_die) \
	f(dwarf_formstring) f(dwarf_getsrcfiles) f(dwarf_lineno) \
	f(dwarf_linesrc) f(dwarf_nextcu) f(dwarf_offdie) f(dwarf_ranges) \
	f(dwarf_siblingof) f(dwarf_srclang) f(dwarf_tag) \
	f(dwelf_elf_gnu_build_id) \
	f(elf_begin) f(elf_end) f(elf_getdata) f(elf_getphdrnum) f(elf_kind) \
	f(elf_nextscn) f(elf_strptr) f(elf_version) f(gelf_getehdr) \
	f(elf_getshdrstrndx) f(gelf_getphdr) f(gelf_getshdr) f(gelf_getsym) \
	f(gelf_update_shdr)

FL_LATE_STRUCT(fl_dw, LIBDW);
extern FL_LATE_CONST struct fl_dw fl_dw;
/* Before all else; NULL: it is there, or why not. */
const char *fl_dw_open(void);

struct fl_debug_symbol {
	const char *name;
	uint64_t value, size;
};

struct fl_debug {
	const char *path;
	struct fl_arena arena;		/* of names */
	int fd, debug_fd;		/* -1: none */
	Elf *elf, *debug_elf;		/* NULL: cannot be read */
	Dwarf *dwarf;			/* NULL: none */
	struct fl_debug_symbol *symbols;	/* by value */
	size_t nsymbols, symbols_capacity;
	struct fl_index by_name;	/* to symbols + 1 */
	struct fl_map known;		/* addresses, for inline.c */
	/* By place of a die: scopes.c's tables; scopes that it is declared in,
	   as text. */
	struct fl_map scopes[2], declared;
	struct fl_debug_unit {
		uint64_t start, end;
		Dwarf_Off die;
	} *units;			/* by start; read when first needed */
	size_t nunits, units_capacity;
	bool has_units;
};

/* Always one, though it may have neither symbols nor DWARF; NULL: memory. */
struct fl_debug *fl_debug_open(const char *path);
/*
 * Of a file that is open, which becomes its own; -1: of none.  With its
 * symbols, or with places in the source.
 */
struct fl_debug *fl_debug_of(int fd, const char *path, bool symbols,
			     bool lines);
void fl_debug_close(struct fl_debug *module);
/* The last symbol that begins at or before the address; NULL: none. */
const struct fl_debug_symbol *fl_debug_symbol_at(const struct fl_debug *module,
						 uint64_t address);
/* The address of a place in the file. */
bool fl_debug_address(const struct fl_debug *module, uint64_t offset,
		      uint64_t *address);

#endif
