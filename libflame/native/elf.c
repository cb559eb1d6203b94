/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ELF files: program headers, sections, the build id.
 *
 * The file may be anybody's: every offset and size is checked against the
 * file's size, and nothing is mapped, as a file may become shorter.
 */
#include "fl.h"

#include "native/elf.h"

#include <elf.h>
#include <sys/stat.h>
#include <unistd.h>

/*
 * Of a section that is copied.  A table with holes claims more than the disk
 * holds, but some file systems pack: eight times the disk's bytes are believed.
 */
enum { MAX_SECTION = 256 << 20, PACKED = 8, LEAST = 1 << 20 };

bool fl_elf_read(const struct fl_elf *elf, uint64_t offset, void *to,
		 size_t size)
{
	char *at = to;
	ssize_t n;

	if (offset > elf->size || size > elf->size - offset)
		return false;
	if (elf->bytes) {
		memcpy(to, elf->bytes + offset, size);
		return true;
	}
	for (; size; size -= (size_t)n, at += n, offset += (size_t)n) {
		n = pread(elf->fd, at, size, (off_t)offset);
		if (n <= 0)
			return false;
	}
	return true;
}

static bool is_ours(const Elf64_Ehdr *e)
{
	return memcmp(e->e_ident, ELFMAG, SELFMAG) == 0 &&
	       e->e_ident[EI_CLASS] == ELFCLASS64 &&
	       e->e_ident[EI_DATA] == ELFDATA2LSB &&
	       (e->e_type == ET_EXEC || e->e_type == ET_DYN);
}

static bool read_loads(struct fl_elf *elf, const Elf64_Ehdr *e)
{
	Elf64_Phdr p;
	size_t capacity = 0;

	for (unsigned i = 0; i < e->e_phnum; i++) {
		if (!fl_elf_read(elf, e->e_phoff + i * sizeof(p), &p,
				 sizeof(p)))
			return true;
		if (p.p_type != PT_LOAD)
			continue;
		if (!fl_grow(&elf->loads, &capacity, elf->nloads + 1,
			     sizeof(*elf->loads)))
			return false;
		elf->loads[elf->nloads++] = (struct fl_elf_load){
			p.p_offset, p.p_filesz, p.p_vaddr,
			p.p_flags & PF_X
		};
	}
	return true;
}

void *fl_elf_copy(struct fl_elf *elf, const struct fl_elf_section *section)
{
	char *copy;

	if (!section || section->type == SHT_NOBITS ||
	    section->flags & SHF_COMPRESSED || !section->size ||
	    section->offset > elf->size ||
	    section->size > elf->size - section->offset)
		return NULL;
	if (section->size > elf->most) {
		elf->refused = true;
		return NULL;
	}
	copy = fl_alloc(section->size + 1);
	if (!copy)
		return NULL;
	if (!fl_elf_read(elf, section->offset, copy, section->size)) {
		fl_free(copy);
		return NULL;
	}
	copy[section->size] = '\0';
	return copy;
}

static bool read_sections(struct fl_elf *elf, const Elf64_Ehdr *e)
{
	Elf64_Shdr s;
	size_t capacity = 0;

	for (unsigned i = 0; i < e->e_shnum; i++) {
		if (!fl_elf_read(elf, e->e_shoff + i * sizeof(s), &s,
				 sizeof(s)))
			break;
		if (!fl_grow(&elf->sections, &capacity, elf->nsections + 1,
			     sizeof(*elf->sections)))
			return false;
		elf->sections[elf->nsections++] = (struct fl_elf_section){
			s.sh_name, s.sh_type, s.sh_link, s.sh_flags,
			s.sh_addr, s.sh_offset, s.sh_size
		};
	}
	if (e->e_shstrndx < elf->nsections) {
		const struct fl_elf_section *names =
			&elf->sections[e->e_shstrndx];

		elf->names = fl_elf_copy(elf, names);
		elf->names_size = elf->names ? names->size : 0;
	}
	return true;
}

const struct fl_elf_section *fl_elf_section(const struct fl_elf *elf,
					    const char *name)
{
	for (size_t i = 0; i < elf->nsections; i++)
		if (elf->sections[i].name < elf->names_size &&
		    strcmp(elf->names + elf->sections[i].name, name) == 0)
			return &elf->sections[i];
	return NULL;
}

const struct fl_elf_section *fl_elf_section_of_type(const struct fl_elf *elf,
						    uint32_t type)
{
	for (size_t i = 0; i < elf->nsections; i++)
		if (elf->sections[i].type == type)
			return &elf->sections[i];
	return NULL;
}

static void read_build_id(struct fl_elf *elf)
{
	const struct fl_elf_section *section =
		fl_elf_section(elf, ".note.gnu.build-id");
	Elf64_Nhdr note;

	if (!section || !fl_elf_read(elf, section->offset, &note, sizeof(note)))
		return;
	if (note.n_type != NT_GNU_BUILD_ID || note.n_namesz != 4 ||
	    note.n_descsz > sizeof(elf->build_id))
		return;
	if (fl_elf_read(elf, section->offset + sizeof(note) + 4,
			elf->build_id, note.n_descsz))
		elf->build_id_size = note.n_descsz;
}

static struct fl_elf *start(int fd, const void *bytes, uint64_t size,
			    uint64_t held)
{
	struct fl_elf *elf = fl_zeroed(1, sizeof(*elf));
	Elf64_Ehdr e;

	if (!elf) {
		if (fd >= 0)
			close(fd);
		return NULL;
	}
	elf->fd = fd;
	elf->bytes = bytes;
	elf->size = size;
	elf->most = FL_MIN(held, (uint64_t)MAX_SECTION / PACKED) * PACKED +
		    LEAST;
	if (!fl_elf_read(elf, 0, &e, sizeof(e)) || !is_ours(&e) ||
	    e.e_phentsize != sizeof(Elf64_Phdr) || !read_loads(elf, &e) ||
	    (e.e_shentsize == sizeof(Elf64_Shdr) && !read_sections(elf, &e))) {
		fl_elf_close(elf);
		return NULL;
	}
	read_build_id(elf);
	return elf;
}

struct fl_elf *fl_elf_open(int fd)
{
	struct stat st;

	if (fstat(fd, &st) != 0 || !S_ISREG(st.st_mode)) {
		close(fd);
		return NULL;
	}
	/* Some file systems do not tell. */
	return start(fd, NULL, (uint64_t)st.st_size,
		     st.st_blocks ? (uint64_t)st.st_blocks * 512 :
				    (uint64_t)st.st_size);
}

struct fl_elf *fl_elf_memory(const void *bytes, size_t size)
{
	return start(-1, bytes, size, size);
}

void fl_elf_close(struct fl_elf *elf)
{
	if (!elf)
		return;
	if (elf->fd >= 0)
		close(elf->fd);
	fl_free(elf->loads);
	fl_free(elf->sections);
	fl_free(elf->names);
	fl_free(elf);
}

bool fl_elf_address(const struct fl_elf *elf, uint64_t offset,
		    uint64_t *address)
{
	/* Mappings begin at pages. */
	const uint64_t page = 4096;

	for (size_t i = 0; i < elf->nloads; i++) {
		const struct fl_elf_load *load = &elf->loads[i];
		uint64_t first = load->offset & ~(page - 1);

		if (load->executable && offset >= first &&
		    offset - first < load->size + (load->offset - first)) {
			*address = offset - load->offset + load->address;
			return true;
		}
	}
	return false;
}
