/* SPDX-License-Identifier: Apache-2.0 */
/*
 * 64-bit ELF files of this machine, on disk or in memory.
 */
#ifndef FL_NATIVE_ELF_H
#define FL_NATIVE_ELF_H

#include "base/base.h"

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

/*
 * Opens a 64-bit ELF file of this machine's byte order.  Takes the descriptor.
 * NULL: it is none, or out of memory.
 */
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

#endif
