/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fl_inlined_each() finds the functions at an address of a file, innermost
 * first, with those that a compiler inlined and their lines, by debug
 * information (libdw).  For names.c, sample/places.c and format/perf/inline.c.
 */
#include "fl.h"

#include "native/scopes.h"

#include <dwarf.h>
#include <fcntl.h>
#include <stdlib.h>

static bool add_unit(struct fl_debug *m, Dwarf_Off die, uint64_t start,
		     uint64_t end)
{
	if (!fl_grow(&m->units, &m->units_capacity, m->nunits + 1,
		     sizeof(*m->units)))
		return false;
	m->units[m->nunits++] = (struct fl_debug_unit){ start, end, die };
	return true;
}

static int by_start(const void *a, const void *b)
{
	const struct fl_debug_unit *x = a, *y = b;

	return x->start < y->start ? -1 : x->start > y->start;
}

/* Not every compiler writes a table of the units' addresses. */
static void read_units(struct fl_debug *m)
{
	Dwarf_Off at = 0, next;
	size_t header;

	m->has_units = true;
	for (; fl_dw.dwarf_nextcu(m->dwarf, at, &next, &header, NULL, NULL,
				  NULL) == 0;
	     at = next) {
		Dwarf_Addr base, start, end;
		Dwarf_Die unit;
		ptrdiff_t i = 0;

		if (!fl_dw.dwarf_offdie(m->dwarf, at + header, &unit))
			continue;
		while ((i = fl_dw.dwarf_ranges(&unit, i, &base, &start,
					       &end)) > 0)
			if (start < end && !add_unit(m, at + header, start,
						     end))
				return;
	}
	if (m->nunits)
		qsort(m->units, m->nunits, sizeof(*m->units), by_start);
}

/* The unit that has code at this address. */
static bool find_unit(struct fl_debug *m, uint64_t address,
		      Dwarf_Die *unit)
{
	size_t low = 0, high;

	if (fl_dw.dwarf_addrdie(m->dwarf, address, unit))
		return true;
	if (!m->has_units)
		read_units(m);
	for (high = m->nunits; low < high;) {
		size_t middle = low + (high - low) / 2;

		if (m->units[middle].start <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low && address < m->units[low - 1].end &&
	       fl_dw.dwarf_offdie(m->dwarf, m->units[low - 1].die, unit);
}

/* The declaration of what a die is an instance of. */
static Dwarf_Die origin_of(Dwarf_Die die)
{
	static const unsigned ways[] = {
		DW_AT_abstract_origin, DW_AT_specification
	};

	for (int depth = 0; depth < 8; depth++) {
		Dwarf_Attribute attribute;
		Dwarf_Die next;
		bool found = false;

		for (size_t i = 0; i < FL_COUNT(ways) && !found; i++)
			found = fl_dw.dwarf_attr(&die, ways[i], &attribute) &&
				fl_dw.dwarf_formref_die(&attribute, &next);
		if (!found)
			break;
		die = next;
	}
	return die;
}

/* "ns::Class::" of the scopes that a function is declared in. */
static void find_scopes(struct fl_buf *to, Dwarf_Die *function)
{
	Dwarf_Die *scopes = NULL;
	int n = fl_dw.dwarf_getscopes_die(function, &scopes);

	for (int i = n - 1; i > 0; i--) {
		int tag = fl_dw.dwarf_tag(&scopes[i]);
		const char *name = fl_dw.dwarf_diename(&scopes[i]);

		if (tag == DW_TAG_namespace && !name)
			name = "(anonymous namespace)";
		if (!name || (tag != DW_TAG_namespace &&
			      tag != DW_TAG_class_type &&
			      tag != DW_TAG_structure_type &&
			      tag != DW_TAG_union_type))
			continue;
		fl_buf_text(to, name);
		fl_buf_text(to, "::");
	}
	fl_free(scopes);
}

static void put_scopes(struct fl_debug *m, struct fl_buf *to,
		       Dwarf_Die *function)
{
	uint64_t key = (uint64_t)(uintptr_t)function->addr;
	uint64_t *known = fl_map_get(&m->declared, key);
	size_t begin = to->size;
	char *copy;

	if (known) {
		fl_buf_text(to, (const char *)(uintptr_t)*known);
		return;
	}
	find_scopes(to, function);
	copy = to->failed ? NULL : fl_arena_copy(
		&m->arena, to->size > begin ? to->data + begin : "",
		to->size - begin);
	known = copy ? fl_map_put(&m->declared, key, NULL) : NULL;
	if (known)
		*known = (uint64_t)(uintptr_t)copy;
}

/* NULL: it has none. */
static const char *put_name(struct fl_debug *m, struct fl_buf *to,
			    const char *name, Dwarf_Die *origin)
{
	if (!name)
		return NULL;
	put_scopes(m, to, origin);
	fl_buf_text(to, name);
	return to->failed ? NULL : to->data;
}

struct source {
	const char *file;	/* without its folders; NULL: not known */
	int line;
};

static const char *base_of(const char *path)
{
	const char *slash = path ? strrchr(path, '/') : NULL;

	return slash ? slash + 1 : path;
}

static struct source source_at(Dwarf_Die *unit, uint64_t address)
{
	Dwarf_Line *line = fl_dw.dwarf_getsrc_die(unit, address);
	struct source source = { NULL, 0 };

	if (line && fl_dw.dwarf_lineno(line, &source.line) == 0)
		source.file = base_of(fl_dw.dwarf_linesrc(line, NULL, NULL));
	return source;
}

static bool number_of(Dwarf_Die *die, unsigned name, Dwarf_Word *n)
{
	Dwarf_Attribute attribute;

	return fl_dw.dwarf_formudata(fl_dw.dwarf_attr(die, name, &attribute),
				     n) == 0;
}

/* The place from which an inlined function was called. */
static struct source source_of_call(Dwarf_Die *unit, Dwarf_Die *die)
{
	Dwarf_Word file, line;
	Dwarf_Files *files;
	struct source source = { NULL, 0 };

	if (number_of(die, DW_AT_call_file, &file) &&
	    number_of(die, DW_AT_call_line, &line) && line <= INT32_MAX &&
	    fl_dw.dwarf_getsrcfiles(unit, &files, NULL) == 0) {
		source.file = base_of(fl_dw.dwarf_filesrc(files, file, NULL,
							  NULL));
		source.line = (int)line;
	}
	return source;
}

struct fl_debug *fl_inlined_open(int fd, bool lines)
{
	struct fl_debug *module;
	int own = fl_dw_open() ? -1 : fcntl(fd, F_DUPFD_CLOEXEC, 3);

	if (own < 0)
		return NULL;
	module = fl_debug_of(own, "", false, lines);
	if (module && !module->dwarf) {
		fl_debug_close(module);
		return NULL;
	}
	return module;
}

void fl_inlined_close(struct fl_debug *module)
{
	fl_debug_close(module);
}

static const char *linkage_of(Dwarf_Die *origin)
{
	Dwarf_Attribute attribute;

	return fl_dw.dwarf_formstring(
		fl_dw.dwarf_attr(origin, DW_AT_linkage_name, &attribute));
}

/* Languages in which symbols are plain names. */
static bool is_plain(Dwarf_Die *unit)
{
	int language = fl_dw.dwarf_srclang(unit);

	return language == DW_LANG_C || language == DW_LANG_C89 ||
	       language == DW_LANG_C99 || language == DW_LANG_C11 ||
	       language == DW_LANG_Mips_Assembler;
}

/* As symbols are spelled: without the scopes that are slow to find. */
static void name_scope(struct fl_scope *scope)
{
	Dwarf_Die origin;

	if (scope->named)
		return;
	origin = origin_of(scope->die);
	scope->linkage = linkage_of(&origin);
	scope->name = fl_dw.dwarf_diename(&scope->die);
	scope->named = true;
}

static void each_place(struct fl_debug *m, Dwarf_Die *unit, uint64_t address,
		       struct fl_scope *scope,
		       void (*accept)(void *, const struct fl_inlined *),
		       void *arg)
{
	struct source source = source_at(unit, address);
	struct fl_buf buf = { 0 };

	for (; scope; scope = scope->in) {
		Dwarf_Die origin = origin_of(scope->die);

		buf.size = 0;
		name_scope(scope);
		accept(arg, &(struct fl_inlined){
			.linkage = scope->linkage,
			.name = put_name(m, &buf, scope->name, &origin),
			.inlined = scope->in, .file = source.file,
			.line = (unsigned)source.line });
		source = source_of_call(unit, &scope->die);
	}
	fl_buf_free(&buf);
}

bool fl_inlined_each(struct fl_debug *module, uint64_t address,
		     void (*accept)(void *arg, const struct fl_inlined *at),
		     void *arg)
{
	struct fl_scope *scope;
	Dwarf_Die unit;

	if (!find_unit(module, address, &unit))
		return false;
	scope = fl_scope_at(module, &unit, address);
	if (scope)
		each_place(module, &unit, address, scope, accept,
			   arg);
	return scope;
}

/*
 * Of the innermost function addr2line prints the symbol when it is asked for
 * the first time, which becomes its name where both begin together.
 */
static const char *innermost(Dwarf_Die *unit, struct fl_scope *scope,
			     const struct fl_symbol *symbol)
{
	if (scope->linkage)
		return scope->linkage;
	if (is_plain(unit) || scope->asked)
		return scope->name;
	scope->asked = true;
	if (symbol->start == scope->start)
		scope->name = symbol->name;
	return symbol->name;
}

bool fl_inlined_names(struct fl_debug *module, uint64_t address,
		      const struct fl_symbol *symbol,
		      void (*accept)(void *arg, const char *name), void *arg)
{
	struct fl_scope *scope = NULL;
	Dwarf_Die unit;

	if (find_unit(module, address, &unit))
		scope = fl_scope_at(module, &unit, address);
	if (!scope)
		return false;
	name_scope(scope);
	accept(arg, innermost(&unit, scope, symbol));
	while ((scope = scope->in)) {
		name_scope(scope);
		accept(arg, scope->linkage ? scope->linkage : scope->name);
	}
	return true;
}
