/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fl_symbols_stubs() adds the stubs that call functions of other files (.plt),
 * which no table of symbols has, to a file's symbols, for symbols.c.  A stub of
 * x86-64 is "jmp *SLOT(%rip)"; the relocation of its slot names the function.
 * Stubs of other machines stay without a name.
 */
#include "fl.h"

#include "native/symbols.h"

#include <elf.h>
#include <stdlib.h>

/* What gets the address of a function. */
struct slot {
	uint64_t at;
	uint32_t symbol;	/* the function, in .dynsym */
};

struct slots {
	struct slot *data;
	size_t count, capacity;
};

static int by_place(const void *a, const void *b)
{
	const struct slot *x = a, *y = b;

	return (x->at > y->at) - (x->at < y->at);
}

static bool read_slots(struct slots *slots, struct fl_elf *elf)
{
	const struct fl_elf_section *section = fl_elf_section(elf, ".rela.plt");
	char *bytes = fl_elf_copy(elf, section);
	bool good = true;
	Elf64_Rela rela;

	for (size_t i = 0; bytes && good && i < section->size / sizeof(rela);
	     i++) {
		memcpy(&rela, bytes + i * sizeof(rela), sizeof(rela));
		good = fl_grow(&slots->data, &slots->capacity, slots->count + 1,
			       sizeof(*slots->data));
		if (good)
			slots->data[slots->count++] = (struct slot){
				rela.r_offset,
				(uint32_t)ELF64_R_SYM(rela.r_info)
			};
	}
	fl_free(bytes);
	if (slots->count)
		qsort(slots->data, slots->count, sizeof(*slots->data),
		      by_place);
	return good;
}

/* Names of .dynsym. */
struct names {
	char *symbols, *text;
	size_t nsymbols, text_size;
};

/* false: there are none, or out of memory. */
static bool read_names(struct names *names, struct fl_elf *elf)
{
	const struct fl_elf_section *table =
		fl_elf_section_of_type(elf, SHT_DYNSYM);
	const struct fl_elf_section *text =
		table && table->link < elf->nsections ?
		&elf->sections[table->link] : NULL;

	names->symbols = fl_elf_copy(elf, table);
	names->text = names->symbols ? fl_elf_copy(elf, text) : NULL;
	if (!names->text)
		return false;
	names->nsymbols = table->size / sizeof(Elf64_Sym);
	names->text_size = text->size;
	return true;
}

/*
 * NULL: there is no such slot.  Empty: a function of the same file that is
 * chosen at start (IRELATIVE), whose stub is "@plt", as perf has it.
 */
static const char *name_of(const struct names *names, const struct slot *slot)
{
	Elf64_Sym sym;

	if (slot && !slot->symbol)
		return "";
	if (!slot || slot->symbol >= names->nsymbols)
		return NULL;
	memcpy(&sym, names->symbols + slot->symbol * sizeof(sym), sizeof(sym));
	return sym.st_name < names->text_size && names->text[sym.st_name] ?
	       names->text + sym.st_name : NULL;
}

static bool add_stubs(struct fl_symbols *symbols, struct fl_elf *elf,
		      const char *section_name, const struct slots *slots,
		      const struct names *names)
{
	enum { ENTRY = 16, JUMP = 6 /* bytes */ };
	const struct fl_elf_section *section =
		fl_elf_section(elf, section_name);
	uint8_t *bytes = fl_elf_copy(elf, section);
	bool good = true;

	for (size_t i = 0; bytes && good && i + JUMP <= section->size; i++) {
		struct slot *slot, key;
		int32_t distance;
		const char *name;

		if (bytes[i] != 0xff || bytes[i + 1] != 0x25)
			continue;
		memcpy(&distance, bytes + i + 2, sizeof(distance));
		key.at = section->address + i + JUMP +
			 (uint64_t)(int64_t)distance;
		slot = bsearch(&key, slots->data, slots->count, sizeof(key),
			       by_place);
		name = name_of(names, slot);
		if (name)
			good = fl_symbols_append(symbols, section->address +
						 i / ENTRY * ENTRY, ENTRY,
						 name);
		if (name && good)
			symbols->data[symbols->count - 1].stub = true;
	}
	fl_free(bytes);
	return good;
}

bool fl_symbols_stubs(struct fl_symbols *symbols, struct fl_elf *elf)
{
	struct slots slots = { 0 };
	struct names names = { 0 };
	bool good = true;

	if (elf->machine == EM_X86_64 && fl_elf_is_own(elf) &&
	    fl_elf_section(elf, ".rela.plt") && read_names(&names, elf))
		good = read_slots(&slots, elf);
	if (good && slots.count)
		good = add_stubs(symbols, elf, ".plt", &slots, &names) &&
		       add_stubs(symbols, elf, ".plt.sec", &slots, &names);
	symbols->text[1] = names.text;
	fl_free(names.symbols);
	fl_free(slots.data);
	return good;
}
