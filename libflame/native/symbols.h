/* SPDX-License-Identifier: Apache-2.0 */
/* Tables of symbols: of ELF files, /proc/kallsyms and perf maps. */
#ifndef FL_NATIVE_SYMBOLS_H
#define FL_NATIVE_SYMBOLS_H

#include "native/elf.h"

/* symbols.c ----------------------------------------------------------- */

struct fl_symbol {
	uint64_t start, end;
	const char *name;
	flame_id frame;		/* 0: not looked up yet */
	uint32_t section;	/* of an ELF file; or 0 */
	bool stub;		/* calls the function of this name */
	bool in_module;		/* of the kernel's; see fl_symbol_module */
	uint8_t rank;		/* of several names: more is better */
};

/* "[NAME]" of a kernel module, which follows the symbol's name; NULL: none. */
static inline const char *fl_symbol_module(const struct fl_symbol *symbol)
{
	return symbol->in_module ? symbol->name + strlen(symbol->name) + 1 :
				   NULL;
}

/* Sorted by start.  Zeroed: empty. */
struct fl_symbols {
	struct fl_symbol *data;
	size_t count, capacity;
	char *text[3];		/* what names point into; for fl_free */
};

/* Functions of a file: .symtab, else those of `debug` (may be NULL), else
   those of Go and .dynsym; and stubs.  false: out of memory. */
bool fl_symbols_elf(struct fl_symbols *symbols, struct fl_elf *elf,
		    struct fl_elf *debug);
/* Another one; name: must outlive them. */
bool fl_symbols_add(struct fl_symbols *symbols, uint64_t start, uint64_t end,
		    const char *name);
/* /proc/kallsyms; text is consumed (fl_free). */
bool fl_symbols_kernel(struct fl_symbols *symbols, char *text, size_t size);
struct fl_kernel_line {
	uint64_t start;
	const char *name, *module;	/* "": none */
};
/* "ffffffffc0000000 t NAME\t[MODULE]", which is changed; false: no function. */
bool fl_kernel_line(char *text, struct fl_kernel_line *line);
/* Whether perf prefers this name of an address to another one. */
bool fl_symbol_is_preferred(const char *name, const char *to);
/* A perf map: "START SIZE NAME" in each line; text is consumed. */
bool fl_symbols_map(struct fl_symbols *symbols, char *text, size_t size);
/* The later of two that overlap stays, as in a perf map; names lie in order. */
void fl_symbols_replace(struct fl_symbols *symbols);
/* After fl_symbols_append. */
void fl_symbols_sort(struct fl_symbols *symbols);
/* NULL: nothing at this address. */
struct fl_symbol *fl_symbols_at(struct fl_symbols *symbols, uint64_t at);
void fl_symbols_free(struct fl_symbols *symbols);

/* Adds to the end: before they are sorted.  false: out of memory. */
bool fl_symbols_append(struct fl_symbols *symbols, uint64_t start,
		       uint64_t size, const char *name);

/* stubs.c ------------------------------------------------------------- */

/* Appends the stubs of .plt, as "puts" each.  false: out of memory. */
bool fl_symbols_stubs(struct fl_symbols *symbols, struct fl_elf *elf);

/* go_functions.c ------------------------------------------------------ */

/* Appends the functions of .gopclntab.  false: out of memory. */
bool fl_symbols_go(struct fl_symbols *symbols, struct fl_elf *elf, bool *found);

#endif
