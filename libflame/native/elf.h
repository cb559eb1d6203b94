/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ELF files, on disk or in memory: of 32 and 64 bits, of both byte orders.
 */
#ifndef FL_NATIVE_ELF_H
#define FL_NATIVE_ELF_H

#include "base/base.h"

#include <elf.h>

struct fl_elf_load {
	uint64_t offset, size, address;	/* in the file; of memory */
	bool executable;
};

struct fl_elf {
	int fd;			/* -1: in memory */
	const uint8_t *bytes;	/* or NULL */
	uint64_t size;
	uint64_t most;		/* bytes of a section that is copied */
	bool refused;		/* a larger one was not */
	bool wide, big;		/* of 64 bits, big-endian */
	uint16_t machine;	/* EM_X86_64 .. */
	uint64_t entry;		/* where a program begins */
	struct fl_elf_load *loads;
	size_t nloads;
	struct fl_elf_section {
		uint32_t name, type, link;
		uint64_t flags, address, offset, size;
	} *sections;
	size_t nsections;
	char *names;		/* of sections; ends in NUL */
	size_t names_size;
	uint8_t build_id[32];
	size_t build_id_size;
};

/* Owns the descriptor.  NULL: it is not an ELF file, or out of memory. */
struct fl_elf *fl_elf_open(int fd);
/* The same of bytes, which must outlive it. */
struct fl_elf *fl_elf_memory(const void *bytes, size_t size);
void fl_elf_close(struct fl_elf *elf);
bool fl_elf_read(const struct fl_elf *elf, uint64_t offset, void *to,
		 size_t size);
const struct fl_elf_section *fl_elf_section(const struct fl_elf *elf,
					    const char *name);
const struct fl_elf_section *fl_elf_section_of_type(const struct fl_elf *elf,
						    uint32_t type);
/* A copy of its bytes with a NUL after them, for fl_free; NULL: none. */
void *fl_elf_copy(struct fl_elf *elf, const struct fl_elf_section *section);
/* The address that a byte of the file has before relocation. */
bool fl_elf_address(const struct fl_elf *elf, uint64_t offset,
		    uint64_t *address);
/* Of 64 bits and little-endian, as of the processes that we sample. */
static inline bool fl_elf_is_own(const struct fl_elf *elf)
{
	return elf->wide && !elf->big;
}

/* A number of 1 to 8 bytes of the file. */
uint64_t fl_elf_number(const struct fl_elf *elf, const uint8_t *at,
		       unsigned size);
/* Reads a symbol at these bytes. */
size_t fl_elf_symbol_size(const struct fl_elf *elf);
Elf64_Sym fl_elf_symbol(const struct fl_elf *elf, const uint8_t *at);

#endif
