/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads ELF files, on disk (fl_elf_open) or in memory (fl_elf_memory): program
 * headers, sections, the build id.  For all of native/ and sample/.
 *
 * The file may be anybody's: every offset and size is checked against the
 * file's size, and nothing is mapped, as a file may become shorter.
 */
#include "fl.h"

#include "native/elf.h"

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

/* Headers ------------------------------------------------------------- */

uint64_t fl_elf_number(const struct fl_elf *elf, const uint8_t *at,
		       unsigned size)
{
	uint64_t n = 0;

	for (unsigned i = 0; i < size; i++)
		n |= (uint64_t)at[elf->big ? size - 1 - i : i] << 8 * i;
	return n;
}

/* Fields one after the other; words are of 4 or of 8 bytes. */
struct fields {
	const struct fl_elf *elf;
	const uint8_t *at;
};

static uint64_t next(struct fields *f, unsigned size)
{
	uint64_t n = fl_elf_number(f->elf, f->at, size);

	f->at += size;
	return n;
}

static uint64_t next_word(struct fields *f)
{
	return next(f, f->elf->wide ? 8 : 4);
}

struct header {
	uint64_t loads, sections;
	unsigned load_size, nloads, section_size, nsections, names;
};

static bool read_header(struct fl_elf *elf, struct header *h)
{
	uint8_t bytes[sizeof(Elf64_Ehdr)];
	struct fields f = { elf, bytes + EI_NIDENT };
	unsigned type;

	if (!fl_elf_read(elf, 0, bytes, sizeof(Elf32_Ehdr)) ||
	    memcmp(bytes, ELFMAG, SELFMAG) != 0)
		return false;
	elf->wide = bytes[EI_CLASS] == ELFCLASS64;
	elf->big = bytes[EI_DATA] == ELFDATA2MSB;
	if (elf->wide && !fl_elf_read(elf, 0, bytes, sizeof(bytes)))
		return false;
	type = (unsigned)next(&f, 2);
	elf->machine = (uint16_t)next(&f, 2);
	next(&f, 4);			/* version */
	elf->entry = next_word(&f);
	h->loads = next_word(&f);
	h->sections = next_word(&f);
	next(&f, 4 + 2);		/* flags, size */
	h->load_size = (unsigned)next(&f, 2);
	h->nloads = (unsigned)next(&f, 2);
	h->section_size = (unsigned)next(&f, 2);
	h->nsections = (unsigned)next(&f, 2);
	h->names = (unsigned)next(&f, 2);
	return type == ET_EXEC || type == ET_DYN;
}

static struct fl_elf_load load_of(struct fields f, uint32_t *type)
{
	bool wide = f.elf->wide;
	struct fl_elf_load load;
	uint64_t flags = 0;

	*type = (uint32_t)next(&f, 4);
	if (wide)
		flags = next(&f, 4);
	load.offset = next_word(&f);
	load.address = next_word(&f);
	next_word(&f);			/* physical address */
	load.size = next_word(&f);
	next_word(&f);			/* size in memory */
	if (!wide)
		flags = next(&f, 4);
	load.executable = flags & PF_X;
	return load;
}

static bool read_loads(struct fl_elf *elf, const struct header *h)
{
	uint8_t bytes[sizeof(Elf64_Phdr)];
	size_t capacity = 0;

	for (unsigned i = 0; i < h->nloads; i++) {
		struct fl_elf_load load;
		uint32_t type;

		if (!fl_elf_read(elf, h->loads + (uint64_t)i * h->load_size,
				 bytes, h->load_size))
			return true;
		load = load_of((struct fields){ elf, bytes }, &type);
		if (type != PT_LOAD)
			continue;
		if (!fl_grow(&elf->loads, &capacity, elf->nloads + 1,
			     sizeof(*elf->loads)))
			return false;
		elf->loads[elf->nloads++] = load;
	}
	return true;
}

size_t fl_elf_symbol_size(const struct fl_elf *elf)
{
	return elf->wide ? sizeof(Elf64_Sym) : sizeof(Elf32_Sym);
}

Elf64_Sym fl_elf_symbol(const struct fl_elf *elf, const uint8_t *at)
{
	struct fields f = { elf, at };
	Elf64_Sym sym;

#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
	if (fl_likely(fl_elf_is_own(elf))) {
		memcpy(&sym, at, sizeof(sym));
		return sym;
	}
#endif
	sym.st_name = (Elf64_Word)next(&f, 4);
	if (!elf->wide) {
		sym.st_value = next(&f, 4);
		sym.st_size = next(&f, 4);
	}
	sym.st_info = (unsigned char)next(&f, 1);
	sym.st_other = (unsigned char)next(&f, 1);
	sym.st_shndx = (Elf64_Section)next(&f, 2);
	if (elf->wide) {
		sym.st_value = next(&f, 8);
		sym.st_size = next(&f, 8);
	}
	return sym;
}

/* Sections ------------------------------------------------------------ */

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

static struct fl_elf_section section_of(struct fields f)
{
	struct fl_elf_section s;

	s.name = (uint32_t)next(&f, 4);
	s.type = (uint32_t)next(&f, 4);
	s.flags = next_word(&f);
	s.address = next_word(&f);
	s.offset = next_word(&f);
	s.size = next_word(&f);
	s.link = (uint32_t)next(&f, 4);
	return s;
}

static bool read_sections(struct fl_elf *elf, const struct header *h)
{
	uint8_t bytes[sizeof(Elf64_Shdr)];
	size_t capacity = 0;

	for (unsigned i = 0; i < h->nsections; i++) {
		if (!fl_elf_read(elf, h->sections +
				      (uint64_t)i * h->section_size,
				 bytes, h->section_size))
			break;
		if (!fl_grow(&elf->sections, &capacity, elf->nsections + 1,
			     sizeof(*elf->sections)))
			return false;
		elf->sections[elf->nsections++] =
			section_of((struct fields){ elf, bytes });
	}
	if (h->names < elf->nsections) {
		const struct fl_elf_section *names = &elf->sections[h->names];

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

/* Notes of a section, one after the other; that of the vdso is ".note". */
static bool find_build_id(struct fl_elf *elf, uint64_t at, uint64_t end)
{
	enum { MAX_NOTES = 64 };
	uint8_t note[16];
	uint64_t name, size;

	for (unsigned i = 0; i < MAX_NOTES && at < end &&
	     fl_elf_read(elf, at, note, sizeof(note)); i++) {
		name = (fl_elf_number(elf, note, 4) + 3) & ~UINT64_C(3);
		size = fl_elf_number(elf, note + 4, 4);
		at += 12 + name;
		if (fl_elf_number(elf, note + 8, 4) == NT_GNU_BUILD_ID &&
		    memcmp(note + 12, "GNU", 4) == 0 &&
		    size <= sizeof(elf->build_id) &&
		    fl_elf_read(elf, at, elf->build_id, size)) {
			elf->build_id_size = size;
			return true;
		}
		at += (size + 3) & ~UINT64_C(3);
	}
	return false;
}

static void read_build_id(struct fl_elf *elf)
{
	for (size_t i = 0; i < elf->nsections; i++) {
		const struct fl_elf_section *s = &elf->sections[i];

		if (s->type == SHT_NOTE && s->offset <= elf->size &&
		    s->size <= elf->size - s->offset &&
		    find_build_id(elf, s->offset, s->offset + s->size))
			return;
	}
}

static struct fl_elf *start(int fd, const void *bytes, uint64_t size,
			    uint64_t stored)
{
	struct fl_elf *elf = fl_zeroed(1, sizeof(*elf));
	struct header h;

	if (!elf) {
		if (fd >= 0)
			close(fd);
		return NULL;
	}
	elf->fd = fd;
	elf->bytes = bytes;
	elf->size = size;
	elf->most = FL_MIN(stored, (uint64_t)MAX_SECTION / PACKED) * PACKED +
		    LEAST;
	if (!read_header(elf, &h) ||
	    h.load_size != (elf->wide ? sizeof(Elf64_Phdr) :
					sizeof(Elf32_Phdr)) ||
	    !read_loads(elf, &h) ||
	    (h.section_size == (elf->wide ? sizeof(Elf64_Shdr) :
					    sizeof(Elf32_Shdr)) &&
	     !read_sections(elf, &h))) {
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
	/* Some file systems do not say. */
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
