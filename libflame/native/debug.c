/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Opens a program or shared library with elfutils (struct fl_debug), and finds
 * the symbol at an address of it, and the address of an offset in the file.
 * inlined.c and scopes.c read its debug information; format/perf/inline.c looks
 * up frames of perf script in it.
 */
#include "fl.h"

#include "native/debug.h"
#include "native/files.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

FL_LATE(fl_dw, LIBDW, LIBDW_FILE, "inline", "names inlined functions");

const char *fl_dw_open(void)
{
	return fl_late_open(&fl_dw_late);
}

/* Where distributions install stripped debug information, by build id. */
static void open_debug_file(struct fl_debug *module)
{
	const void *id;
	ssize_t n = fl_dw.dwelf_elf_gnu_build_id(module->elf, &id);
	const unsigned char *bytes = id;
	char path[256];
	int size;

	if (n < 2 || n > 64)
		return;
	size = snprintf(path, sizeof(path), "/usr/lib/debug/.build-id/%02x/",
			bytes[0]);
	for (ssize_t i = 1; i < n; i++)
		size += snprintf(path + size, sizeof(path) - (size_t)size,
				 "%02x", bytes[i]);
	snprintf(path + size, sizeof(path) - (size_t)size, ".debug");
	module->debug_fd = fl_regular_open(path);
	if (module->debug_fd < 0)
		return;
	module->debug_elf = fl_dw.elf_begin(module->debug_fd, ELF_C_READ_MMAP,
					    NULL);
	if (module->debug_elf)
		module->dwarf = fl_dw.dwarf_begin_elf(module->debug_elf,
						      DWARF_C_READ, NULL);
}

static bool add_symbol(struct fl_debug *module, const char *name,
		       const GElf_Sym *sym)
{
	struct fl_debug_symbol *new;
	int type = GELF_ST_TYPE(sym->st_info);

	if ((type != STT_FUNC && type != STT_GNU_IFUNC) || !sym->st_value ||
	    !name || !*name)
		return true;
	if (!fl_grow(&module->symbols, &module->symbols_capacity,
		     module->nsymbols + 1, sizeof(*module->symbols)))
		return false;
	new = &module->symbols[module->nsymbols++];
	new->name = fl_arena_copy(&module->arena, name, strlen(name));
	new->value = sym->st_value;
	new->size = sym->st_size;
	return new->name;
}

static bool add_table(struct fl_debug *module, Elf *elf, Elf_Scn *scn,
		      const GElf_Shdr *shdr)
{
	Elf_Data *data = fl_dw.elf_getdata(scn, NULL);
	size_t n = data && shdr->sh_entsize ?
		   data->d_size / shdr->sh_entsize : 0;
	GElf_Sym sym;

	for (size_t i = 0; i < n && i < INT32_MAX; i++)
		if (fl_dw.gelf_getsym(data, (int)i, &sym) &&
		    !add_symbol(module,
				fl_dw.elf_strptr(elf, shdr->sh_link,
						 sym.st_name), &sym))
			return false;
	return true;
}

static bool read_symbols(struct fl_debug *module, Elf *elf,
			 GElf_Word type)
{
	Elf_Scn *scn = NULL;
	GElf_Shdr shdr;

	while (elf && (scn = fl_dw.elf_nextscn(elf, scn)))
		if (fl_dw.gelf_getshdr(scn, &shdr) && shdr.sh_type == type &&
		    !add_table(module, elf, scn, &shdr))
			return false;
	return true;
}

static int by_value(const void *a, const void *b)
{
	const struct fl_debug_symbol *x = a, *y = b;

	if (x->value != y->value)
		return x->value < y->value ? -1 : 1;
	return strcmp(x->name, y->name);
}

static bool index_symbols(struct fl_debug *module)
{
	if (module->nsymbols >= UINT32_MAX - 1)
		return false;
	if (module->nsymbols)
		qsort(module->symbols, module->nsymbols,
		      sizeof(*module->symbols), by_value);
	for (size_t i = 0; i < module->nsymbols; i++) {
		const char *name = module->symbols[i].name;

		if (!fl_index_add(&module->by_name,
				  fl_hash(name, strlen(name)),
				  (uint32_t)i + 1))
			return false;
	}
	return true;
}

/*
 * libdw unpacks all sections at once: those that say nothing of functions look
 * empty to it.  The file's bytes are a private copy.
 */
static void hide_sections(Elf *elf)
{
	static const char *const names[] = {
		".debug_line", ".debug_loc", ".debug_loclists", ".debug_frame",
		".debug_macro", ".debug_macinfo"
	};
	Elf_Scn *section = NULL;
	GElf_Shdr header;
	size_t strings;

	if (fl_dw.elf_getshdrstrndx(elf, &strings) != 0)
		return;
	while ((section = fl_dw.elf_nextscn(elf, section))) {
		const char *name = fl_dw.gelf_getshdr(section, &header) ?
			fl_dw.elf_strptr(elf, strings, header.sh_name) : NULL;

		for (size_t i = 0; name && i < FL_COUNT(names); i++)
			if (strcmp(name, names[i]) == 0) {
				header.sh_type = SHT_NOBITS;
				fl_dw.gelf_update_shdr(section, &header);
			}
	}
}

static bool read_elf(struct fl_debug *module, bool symbols, bool lines)
{
	GElf_Ehdr ehdr;

	module->elf = fl_dw.elf_begin(module->fd, ELF_C_READ_MMAP_PRIVATE,
				      NULL);
	if (!module->elf || fl_dw.elf_kind(module->elf) != ELF_K_ELF ||
	    !fl_dw.gelf_getehdr(module->elf, &ehdr) || ehdr.e_type == ET_REL)
		return true;
	if (!lines)
		hide_sections(module->elf);
	module->dwarf = fl_dw.dwarf_begin_elf(module->elf, DWARF_C_READ, NULL);
	if (!module->dwarf)
		open_debug_file(module);
	return !symbols ||
	       (read_symbols(module, module->elf, SHT_SYMTAB) &&
		(module->nsymbols ||
		 read_symbols(module, module->debug_elf, SHT_SYMTAB)) &&
		(module->nsymbols ||
		 read_symbols(module, module->elf, SHT_DYNSYM)) &&
		index_symbols(module));
}

struct fl_debug *fl_debug_open(const char *path)
{
	return fl_debug_of(fl_regular_open(path), path, true, true);
}

struct fl_debug *fl_debug_of(int fd, const char *path, bool symbols,
			     bool lines)
{
	struct fl_debug *module = fl_zeroed(1, sizeof(*module));

	if (!module) {
		if (fd >= 0)
			close(fd);
		return NULL;
	}
	module->fd = fd;
	module->debug_fd = -1;
	module->path = fl_arena_copy(&module->arena, path, strlen(path));
	fl_dw.elf_version(EV_CURRENT);
	if (!module->path ||
	    (module->fd >= 0 && !read_elf(module, symbols, lines))) {
		fl_debug_close(module);
		return NULL;
	}
	return module;
}

void fl_debug_close(struct fl_debug *module)
{
	if (module->dwarf)
		fl_dw.dwarf_end(module->dwarf);
	fl_dw.elf_end(module->debug_elf);
	fl_dw.elf_end(module->elf);
	if (module->fd >= 0)
		close(module->fd);
	if (module->debug_fd >= 0)
		close(module->debug_fd);
	fl_free(module->symbols);
	fl_free(module->units);
	fl_index_free(&module->by_name);
	fl_map_free(&module->known);
	fl_map_free(&module->scopes[0]);
	fl_map_free(&module->scopes[1]);
	fl_map_free(&module->declared);
	fl_arena_free(&module->arena);
	fl_free(module);
}

/* Addresses ----------------------------------------------------------- */

const struct fl_debug_symbol *fl_debug_symbol_at(const struct fl_debug *m,
						 uint64_t address)
{
	size_t low = 0, high = m->nsymbols;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (m->symbols[middle].value <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low ? &m->symbols[low - 1] : NULL;
}

bool fl_debug_address(const struct fl_debug *m, uint64_t offset,
		      uint64_t *address)
{
	GElf_Phdr phdr;
	size_t n;

	if (fl_dw.elf_getphdrnum(m->elf, &n) != 0)
		return false;
	for (size_t i = 0; i < n && i < INT32_MAX; i++) {
		if (!fl_dw.gelf_getphdr(m->elf, (int)i, &phdr) ||
		    phdr.p_type != PT_LOAD || !(phdr.p_flags & PF_X) ||
		    offset < phdr.p_offset ||
		    offset - phdr.p_offset >= phdr.p_filesz)
			continue;
		*address = offset - phdr.p_offset + phdr.p_vaddr;
		return true;
	}
	return false;
}
