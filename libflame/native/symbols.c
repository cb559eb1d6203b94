/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tables of symbols, sorted by address: functions of ELF files
 * (fl_symbols_elf), of the kernel (fl_symbols_kernel), and of perf maps, which
 * compilers at run time write (fl_symbols_map).  fl_symbols_at() finds the
 * symbol of an address.  For names.c, module.c and sample/.
 */
#include "fl.h"

#include "native/symbols.h"

#include <elf.h>
#include <stdlib.h>

enum {
	MAX_FUNCTIONS = 4 << 20,	/* of a file */
	MAX_NAME = 8192,		/* bytes */
	MIN_RADIX = 4096,		/* symbols */
	DIGIT_BITS = 11, DIGIT = (1 << DIGIT_BITS) - 1
};

bool fl_symbols_append(struct fl_symbols *symbols, uint64_t start,
		       uint64_t size, const char *name)
{
	struct fl_symbol *new;

	if (!fl_grow(&symbols->data, &symbols->capacity, symbols->count + 1,
		     sizeof(*symbols->data)))
		return false;
	new = &symbols->data[symbols->count++];
	*new = (struct fl_symbol){ .start = start, .name = name };
	if (__builtin_add_overflow(start, size, &new->end))
		new->end = UINT64_MAX;
	return true;
}

static int by_start(const void *a, const void *b)
{
	const struct fl_symbol *x = a, *y = b;

	return x->start < y->start ? -1 : x->start > y->start;
}

static size_t underscores(const char *name)
{
	return strspn(name, "_");
}

bool fl_symbol_is_preferred(const char *name, const char *to)
{
	size_t n = underscores(name), m = underscores(to);

	return n != m ? n < m : strlen(name) > strlen(to);
}

/*
 * Which of two symbols with one address is to stay, as perf chooses: one with a
 * size, a function, a global name, fewer underscores, the longer name.
 */
static bool is_better(const struct fl_symbol *x, const struct fl_symbol *than)
{
	if ((x->end == x->start) != (than->end == than->start))
		return x->end > x->start;
	if (x->rank != than->rank)
		return x->rank > than->rank;
	if (fl_symbol_is_preferred(x->name, than->name))
		return true;
	return x->name < than->name &&
	       !fl_symbol_is_preferred(than->name, x->name);
}

/*
 * Functions in assembler have no size: they end where the next one begins, or
 * their section ends (_init before the stubs of .plt).
 */
static uint64_t end_of(const struct fl_symbol *symbol, uint64_t next,
		       const struct fl_elf *elf)
{
	const struct fl_elf_section *section = elf && symbol->section ?
		&elf->sections[symbol->section] : NULL;
	uint64_t end;

	if (!section || symbol->start < section->address ||
	    __builtin_add_overflow(section->address, section->size, &end) ||
	    end <= symbol->start)
		return next;
	return FL_MIN(end, next);
}

static bool is_sorted(const struct fl_symbols *symbols)
{
	for (size_t i = 1; i < symbols->count; i++)
		if (symbols->data[i].start < symbols->data[i - 1].start)
			return false;
	return true;
}

struct key {
	uint64_t start;
	uint32_t symbol;
};

/* Sorts by one digit of 11 bits, and leaves equal ones as they are. */
static void sort_digit(const struct key *from, struct key *to, size_t n,
		       unsigned shift)
{
	size_t begin[1 << DIGIT_BITS] = { 0 }, all = 0;

	for (size_t i = 0; i < n; i++)
		begin[from[i].start >> shift & DIGIT]++;
	for (size_t i = 0; i <= DIGIT; i++) {
		size_t count = begin[i];

		begin[i] = all;
		all += count;
	}
	for (size_t i = 0; i < n; i++)
		to[begin[from[i].start >> shift & DIGIT]++] = from[i];
}

/* The order of symbols by start, in one half of `keys`. */
static const struct key *order(const struct fl_symbols *symbols,
			       struct key *keys)
{
	size_t n = symbols->count;
	struct key *from = keys, *to = keys + n;
	uint64_t all = 0;

	for (size_t i = 0; i < n; i++) {
		from[i] = (struct key){ symbols->data[i].start, (uint32_t)i };
		all |= from[i].start;
	}
	for (unsigned shift = 0; shift < 64 && all >> shift;
	     shift += DIGIT_BITS) {
		struct key *was = from;

		sort_digit(from, to, n, shift);
		from = to;
		to = was;
	}
	return from;
}

/*
 * By radix: millions of symbols in a fraction of the time of qsort.  false:
 * they are few, or there is no memory.
 */
static bool sort_many(struct fl_symbols *symbols)
{
	size_t n = symbols->count;
	struct fl_symbol *sorted;
	const struct key *ordered;
	struct key *keys;

	if (n < MIN_RADIX || n > UINT32_MAX)
		return false;
	keys = fl_alloc(fl_size_mul(2 * n, sizeof(*keys)));
	sorted = keys ? fl_alloc(fl_size_mul(n, sizeof(*sorted))) : NULL;
	if (sorted) {
		ordered = order(symbols, keys);
		for (size_t i = 0; i < n; i++)
			sorted[i] = symbols->data[ordered[i].symbol];
		fl_free(symbols->data);
		symbols->data = sorted;
		symbols->capacity = n;
	}
	fl_free(keys);
	return sorted;
}

/* Keeps one of the symbols with one address, and sets missing ends. */
static void sort(struct fl_symbols *symbols, const struct fl_elf *elf)
{
	struct fl_symbol *data = symbols->data;
	size_t n = 0;

	if (!is_sorted(symbols) && !sort_many(symbols))
		qsort(data, symbols->count, sizeof(*data), by_start);
	data = symbols->data;
	for (size_t i = 0; i < symbols->count; i++)
		if (!n || data[n - 1].start != data[i].start)
			data[n++] = data[i];
		else if (is_better(&data[i], &data[n - 1]))
			data[n - 1] = data[i];
	symbols->count = n;
	for (size_t i = 0; i < n; i++)
		if (data[i].end == data[i].start)
			data[i].end = end_of(&data[i], i + 1 < n ?
				data[i + 1].start :
				data[i].start > UINT64_MAX - 4096 ? UINT64_MAX :
				data[i].start + 4096, elf);
}

void fl_symbols_sort(struct fl_symbols *symbols)
{
	sort(symbols, NULL);
}

struct fl_symbol *fl_symbols_at(struct fl_symbols *symbols, uint64_t at)
{
	size_t low = 0, high = symbols->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (symbols->data[middle].start <= at)
			low = middle + 1;
		else
			high = middle;
	}
	/* A symbol may lie inside of another one. */
	for (unsigned i = 0; i < 8 && low--; i++)
		if (at < symbols->data[low].end)
			return &symbols->data[low];
	return NULL;
}

void fl_symbols_free(struct fl_symbols *symbols)
{
	fl_free(symbols->data);
	fl_free(symbols->text[0]);
	fl_free(symbols->text[1]);
	fl_free(symbols->text[2]);
	memset(symbols, 0, sizeof(*symbols));
}

/* ELF ----------------------------------------------------------------- */

/* Labels of assembler have neither a type nor a size (_start of ld.so). */
static bool is_label(const struct fl_elf *elf, const Elf64_Sym *sym)
{
	return ELF64_ST_TYPE(sym->st_info) == STT_NOTYPE &&
	       sym->st_shndx < elf->nsections &&
	       elf->sections[sym->st_shndx].flags & SHF_EXECINSTR;
}

static bool is_function(const struct fl_elf *elf, const Elf64_Sym *sym)
{
	int type = ELF64_ST_TYPE(sym->st_info);

	return (type == STT_FUNC || type == STT_GNU_IFUNC ||
		(type == STT_NOTYPE && sym->st_size) || is_label(elf, sym)) &&
	       sym->st_shndx != SHN_UNDEF && sym->st_value;
}

static uint8_t rank_of(const Elf64_Sym *sym)
{
	unsigned bind = ELF64_ST_BIND(sym->st_info);

	return (uint8_t)((ELF64_ST_TYPE(sym->st_info) != STT_NOTYPE) * 4 +
			 (bind != STB_WEAK) * 2 + (bind == STB_GLOBAL));
}

/* Longer names end there: a hostile file may have one of 256 MB. */
static void cut_names(char *text, size_t size)
{
	for (size_t at = 0; at < size;) {
		const char *end = memchr(text + at, '\0',
					 FL_MIN(size - at, (size_t)MAX_NAME));

		if (end) {
			at = (size_t)(end - text) + 1;
		} else {
			at += FL_MIN(size - at, (size_t)MAX_NAME);
			text[at - 1] = '\0';
		}
	}
}

/* "$x", "$d.1" say where code and data begin: not names. */
static bool is_mark(const struct fl_elf *elf, const char *name)
{
	return (elf->machine == EM_ARM || elf->machine == EM_AARCH64 ||
		elf->machine == EM_RISCV) &&
	       name[0] == '$' && name[1] && strchr("adtx", name[1]);
}

/* Where the code is: Thumb's addresses are odd, .opd has those of others. */
static uint64_t code_of(const struct fl_elf *elf, const Elf64_Sym *sym,
			const struct fl_elf_section *opd, const uint8_t *bytes)
{
	uint64_t place = opd ? sym->st_value - opd->address : 0;

	if (elf->machine == EM_ARM && ELF64_ST_TYPE(sym->st_info) == STT_FUNC)
		return sym->st_value & ~UINT64_C(1);
	if (!bytes || sym->st_value < opd->address || opd->size < 8 ||
	    place > opd->size - 8)
		return sym->st_value;
	return fl_elf_number(elf, bytes + place, 8);
}

static bool add_table(struct fl_symbols *symbols, struct fl_elf *elf,
		      uint32_t type, bool *found)
{
	const struct fl_elf_section *table = fl_elf_section_of_type(elf, type);
	const struct fl_elf_section *strings =
		table && table->link < elf->nsections ?
		&elf->sections[table->link] : NULL;
	char *text = fl_elf_copy(elf, strings);
	uint8_t *bytes = text ? fl_elf_copy(elf, table) : NULL;
	const struct fl_elf_section *opd = elf->machine == EM_PPC64 ?
		fl_elf_section(elf, ".opd") : NULL;
	uint8_t *codes = fl_elf_copy(elf, opd);
	size_t size = fl_elf_symbol_size(elf);
	bool good = true;
	Elf64_Sym sym;

	*found = false;
	if (bytes) {
		cut_names(text, strings->size);
		good = fl_grow(&symbols->data, &symbols->capacity,
			       symbols->count + table->size / size,
			       sizeof(*symbols->data));
	}
	for (size_t i = 0; bytes && good && i < table->size / size; i++) {
		sym = fl_elf_symbol(elf, bytes + i * size);
		if (!is_function(elf, &sym) || sym.st_name >= strings->size ||
		    !text[sym.st_name] || is_mark(elf, text + sym.st_name))
			continue;
		*found = true;
		elf->refused |= symbols->count == MAX_FUNCTIONS;
		if (symbols->count == MAX_FUNCTIONS)
			break;
		good = fl_symbols_append(symbols,
					 code_of(elf, &sym, opd, codes),
					 sym.st_size, text + sym.st_name);
		if (good && sym.st_shndx < elf->nsections)
			symbols->data[symbols->count - 1].section =
				sym.st_shndx;
		if (good)
			symbols->data[symbols->count - 1].rank = rank_of(&sym);
	}
	fl_free(bytes);
	fl_free(codes);
	if (*found)
		symbols->text[0] = text;
	else
		fl_free(text);
	return good;
}

bool fl_symbols_elf(struct fl_symbols *symbols, struct fl_elf *elf,
		    struct fl_elf *debug)
{
	struct fl_elf *from = elf;
	bool found, of_go, good;

	good = add_table(symbols, elf, SHT_SYMTAB, &found);
	if (good && !found && debug) {
		good = add_table(symbols, debug, SHT_SYMTAB, &found);
		from = found ? debug : elf;
	}
	if (good && !found)
		good = fl_symbols_go(symbols, elf, &of_go) &&
		       add_table(symbols, elf, SHT_DYNSYM, &found);
	good = good && fl_symbols_stubs(symbols, elf);
	sort(symbols, from);
	return good;
}

bool fl_symbols_add(struct fl_symbols *symbols, uint64_t start, uint64_t end,
		    const char *name)
{
	if (!fl_symbols_append(symbols, start, end - start, name))
		return false;
	sort(symbols, NULL);
	return true;
}

/* Text ---------------------------------------------------------------- */

/* Hexadecimal digits; the end of them, or NULL. */
static char *hex(char *at, uint64_t *n)
{
	char *begin = at;

	for (*n = 0; fl_is_hex(*at); at++) {
		if (*n >> 60)
			return NULL;
		*n = *n << 4 | (uint64_t)(fl_is_digit(*at) ? *at - '0' :
					  (*at | 32) - 'a' + 10);
	}
	return at > begin ? at : NULL;
}

bool fl_kernel_line(char *text, struct fl_kernel_line *line)
{
	char *at = hex(text, &line->start), *tab;

	/* A symbol at the last address has no end. */
	if (!at || at[0] != ' ' || !at[1] || at[2] != ' ' || !at[3] ||
	    !line->start || line->start == UINT64_MAX ||
	    !strchr("tTwW", at[1]))
		return false;
	tab = strchr(at + 3, '\t');
	if (tab)
		*tab = '\0';
	line->name = at + 3;
	line->module = tab && tab[1] == '[' ? tab + 1 : "";
	return true;
}

static bool add_kernel_line(struct fl_symbols *symbols, char *text)
{
	struct fl_kernel_line line;

	if (!fl_kernel_line(text, &line))
		return true;
	if (!fl_symbols_append(symbols, line.start, 0, line.name))
		return false;
	symbols->data[symbols->count - 1].in_module = *line.module;
	return true;
}

/* HotSpot's Compiler.perfmap writes 0x before its numbers. */
static char *map_number(char *at, uint64_t *n)
{
	return hex(at[0] == '0' && at[1] == 'x' ? at + 2 : at, n);
}

static bool add_map_line(struct fl_symbols *symbols, char *line)
{
	uint64_t start, size;
	char *at = map_number(line, &start);

	if (!at || *at != ' ')
		return true;
	at = map_number(at + 1, &size);
	if (!at || *at != ' ' || !at[1] || !size || start == UINT64_MAX)
		return true;
	return fl_symbols_append(symbols, start, size, at + 1);
}

static bool each_line(struct fl_symbols *symbols, char *text, size_t size,
		      bool (*parse)(struct fl_symbols *, char *))
{
	char *end = text + size, *lf;
	bool good = true;

	symbols->text[0] = text;
	for (char *at = text; good && at < end; at = lf + 1) {
		lf = memchr(at, '\n', (size_t)(end - at));
		/* An unfinished line is not complete yet. */
		if (!lf)
			break;
		*lf = '\0';
		if (lf - at > MAX_NAME)
			at[MAX_NAME] = '\0';
		good = parse(symbols, at);
	}
	return good;
}

bool fl_symbols_kernel(struct fl_symbols *symbols, char *text, size_t size)
{
	bool good = each_line(symbols, text, size, add_kernel_line);

	sort(symbols, NULL);
	return good;
}

static int by_line(const void *a, const void *b)
{
	const struct fl_symbol *x = a, *y = b;

	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	return x->name < y->name ? -1 : x->name > y->name;
}

/*
 * A later line overrides those that it overlaps: code is thrown away and its
 * memory used again.  Names lie in the order of the lines.
 */
static void remove_overlaps(struct fl_symbols *symbols)
{
	struct fl_symbol *data = symbols->data;
	size_t n = 0;

	for (size_t i = 0; i < symbols->count; i++) {
		struct fl_symbol *last = n ? &data[n - 1] : NULL;

		if (last && data[i].start < last->end) {
			if (data[i].name < last->name)
				continue;
			last->end = data[i].start;
			n -= last->end == last->start;
		}
		data[n++] = data[i];
	}
	symbols->count = n;
}

void fl_symbols_replace(struct fl_symbols *symbols)
{
	if (symbols->count)
		qsort(symbols->data, symbols->count, sizeof(*symbols->data),
		      by_line);
	remove_overlaps(symbols);
}

bool fl_symbols_map(struct fl_symbols *symbols, char *text, size_t size)
{
	bool good = each_line(symbols, text, size, add_map_line);

	fl_symbols_replace(symbols);
	return good;
}
