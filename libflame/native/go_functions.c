/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fl_symbols_go() adds the functions of a Go program to its symbols, for
 * symbols.c, by the table that Go's runtime has of them: .gopclntab, which is
 * there in programs without symbols as well (go build -ldflags='-s -w').
 */
#include "fl.h"

#include "native/symbols.h"

enum {
	MAX_FUNCTIONS = 4 << 20,
	MAX_NAME = 8192,
	GO_1_2 = 0xb, GO_1_16 = 0xa, GO_1_18 = 0x0, GO_1_20 = 0x1,
	HEAD = 8			/* magic, zeros, step, size of a word */
};

struct go_table {
	const struct fl_elf *elf;
	uint8_t *bytes;
	uint64_t size;
	unsigned word;		/* bytes of a pointer: 4 or 8 */
	unsigned number;	/* bytes of a number of the list of functions */
	uint64_t n;		/* functions */
	uint64_t list, functions;	/* places of the two parts */
	uint64_t names, names_end;
	uint64_t text;		/* what addresses are relative to */
	bool is_relative, is_text_known;
	bool bad;
};

static uint64_t number(struct go_table *t, uint64_t at, unsigned size)
{
	if (at > t->size || t->size - at < size) {
		t->bad = true;
		return 0;
	}
	return fl_elf_number(t->elf, t->bytes + at, size);
}

static uint64_t head_word(struct go_table *t, unsigned i)
{
	return number(t, HEAD + (uint64_t)i * t->word, t->word);
}

/* Places of the parts follow the numbers of functions and files. */
static void read_places(struct go_table *t, unsigned first, unsigned functions)
{
	t->names = head_word(t, first);
	t->names_end = head_word(t, first + 1);
	t->functions = t->list = head_word(t, functions);
}

static bool read_head(struct go_table *t)
{
	uint32_t magic = (uint32_t)number(t, 0, 4);

	if (t->bad || magic < 0xfffffff0 || number(t, 4, 2) != 0)
		return false;
	t->word = (unsigned)number(t, 7, 1);
	if (t->word != 4 && t->word != 8)
		return false;
	t->n = head_word(t, 0);
	t->number = t->word;
	switch (magic & 0xf) {
	case GO_1_2:
		t->names_end = t->size;
		t->list = HEAD + t->word;
		break;
	case GO_1_16:
		read_places(t, 2, 6);
		break;
	case GO_1_18:
	case GO_1_20:
		read_places(t, 3, 7);
		t->number = 4;
		t->is_relative = true;
		t->text = head_word(t, 2);
		break;
	default:
		return false;
	}
	return !t->bad && t->names <= t->names_end && t->names_end <= t->size &&
	       t->n <= MAX_FUNCTIONS && t->list <= t->size &&
	       (t->size - t->list) / (2 * t->number) >= t->n;
}

/*
 * Where the code of Go begins, by the runtime's record of the program (struct
 * moduledata): a C linker may put other code before it.  Its first word is the
 * place of this table.  0: it is not found, as where relocation writes it.
 */
static uint64_t find_text(struct go_table *t, struct fl_elf *elf,
			  uint64_t place)
{
	static const char *const names[] = {
		".go.module", ".noptrdata", ".data"
	};
	enum { FIRST_CODE = 20, TEXT = 22, WORDS };
	uint64_t first = number(t, t->list, t->number), text = 0;

	for (size_t i = 0; i < FL_COUNT(names) && !text; i++) {
		const struct fl_elf_section *data =
			fl_elf_section(elf, names[i]);
		uint8_t *bytes = fl_elf_copy(elf, data);
		uint64_t end = bytes ? data->size / t->word : 0;

		for (uint64_t at = 0; at + WORDS <= end && !text; at++) {
			const uint8_t *word = bytes + at * t->word;

			if (fl_elf_number(elf, word, t->word) != place)
				continue;
			text = fl_elf_number(elf, word + TEXT * t->word,
					     t->word);
			if (fl_elf_number(elf, word + FIRST_CODE * t->word,
					  t->word) != text + first)
				text = 0;
		}
		fl_free(bytes);
	}
	return text;
}

/* Go 1.26 leaves it out, and in others relocation may write it. */
static void set_text(struct go_table *t, struct fl_elf *elf, uint64_t place)
{
	const struct fl_elf_section *code = fl_elf_section(elf, ".text");

	if (t->is_relative && !t->text)
		t->text = find_text(t, elf, place);
	t->is_text_known = t->text || !t->is_relative;
	if (!t->is_text_known)
		t->text = code ? code->address : 0;
}

/* NULL: the i-th has none. */
static const char *name_of(struct go_table *t, uint64_t i, const char *names)
{
	uint64_t at = number(t, t->list + (2 * i + 1) * t->number, t->number);
	uint64_t size = t->names_end - t->names;
	uint64_t name;

	if (at > t->size)
		return NULL;
	name = number(t, t->functions + at + (t->is_relative ? 4 : t->word), 4);
	if (t->bad || name >= size ||
	    !memchr(names + name, '\0',
		    FL_MIN(size - name, (uint64_t)MAX_NAME)))
		return NULL;
	return names[name] ? names + name : NULL;
}

/* *entry: the program's first function is one of them, where it is to be. */
static bool add_all(struct go_table *t, struct fl_symbols *symbols,
		    const char *names, bool *entry)
{
	for (uint64_t i = 0; i < t->n && !t->bad; i++) {
		uint64_t at = t->list + 2 * i * t->number;
		uint64_t next = at + 2 * t->number;
		uint64_t start = t->text + number(t, at, t->number);
		uint64_t end = t->text + number(t, next, t->number);
		const char *name = name_of(t, i, names);

		if (t->bad || !name || end <= start)
			continue;
		*entry |= start == t->elf->entry &&
			  strncmp(name, "_rt0_", 5) == 0;
		if (!fl_symbols_append(symbols, start, end - start, name))
			return false;
	}
	return true;
}

bool fl_symbols_go(struct fl_symbols *symbols, struct fl_elf *elf, bool *found)
{
	const struct fl_elf_section *section =
		fl_elf_section(elf, ".gopclntab");
	struct go_table t = { .elf = elf };
	size_t before = symbols->count;
	bool good = true, entry = false;
	char *names = NULL;

	if (!section)
		section = fl_elf_section(elf, ".data.rel.ro.gopclntab");
	t.bytes = fl_elf_copy(elf, section);
	t.size = t.bytes ? section->size : 0;
	/* The names are copied: the rest is freed. */
	if (t.bytes && read_head(&t)) {
		set_text(&t, elf, section->address);
		names = fl_alloc(t.names_end - t.names + 1);
		good = names;
	}
	if (names) {
		memcpy(names, t.bytes + t.names, t.names_end - t.names);
		good = add_all(&t, symbols, names, &entry);
	}
	if (!t.is_text_known && !entry)
		symbols->count = before;	/* names of other functions */
	*found = symbols->count > before;
	if (*found)
		symbols->text[2] = names;
	else
		fl_free(names);
	fl_free(t.bytes);
	return good;
}
