/* SPDX-License-Identifier: Apache-2.0 */
/* Functions that a compiler inlined, and lines, by debug information. */
#include "fl.h"

#include "native/debug.h"

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
	uint64_t *known = fl_map_get(&m->scopes, key);
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
	known = copy ? fl_map_put(&m->scopes, key, NULL) : NULL;
	if (known)
		*known = (uint64_t)(uintptr_t)copy;
}

/* NULL: it has none. */
static const char *put_name(struct fl_debug *m, struct fl_buf *to,
			    Dwarf_Die *die, Dwarf_Die *origin)
{
	const char *name = fl_dw.dwarf_diename(die);

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

struct fl_debug *fl_inlined_open(int fd)
{
	struct fl_debug *module;
	int own = fl_dw_open() ? -1 : fcntl(fd, F_DUPFD_CLOEXEC, 3);

	if (own < 0)
		return NULL;
	module = fl_debug_of(own, "");
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

/* What a die lies in, from itself out to the function. */
struct chain {
	int n;
	Dwarf_Die dies[];
};

/* NULL: it is in no function, or out of memory. */
static const struct chain *chain_of(struct fl_debug *m, Dwarf_Die *die)
{
	uint64_t key = (uint64_t)(uintptr_t)die->addr;
	uint64_t *known = fl_map_get(&m->chains, key);
	struct chain *chain = NULL;
	Dwarf_Die *dies = NULL;
	int n;

	if (known)
		return (const struct chain *)(uintptr_t)*known;
	n = fl_dw.dwarf_getscopes_die(die, &dies);
	if (n > 0)
		chain = fl_arena_alloc(&m->arena, sizeof(*chain) +
				       (size_t)n * sizeof(*dies));
	if (chain) {
		chain->n = n;
		memcpy(chain->dies, dies, (size_t)n * sizeof(*dies));
		known = fl_map_put(&m->chains, key, NULL);
	}
	if (known)
		*known = (uint64_t)(uintptr_t)chain;
	fl_free(dies);
	return chain;
}

static bool each_of_chain(struct fl_debug *m, Dwarf_Die *unit, uint64_t address,
			  const struct chain *chain,
			  void (*take)(void *, const struct fl_inlined *),
			  void *arg)
{
	struct source source = source_at(unit, address);
	struct fl_buf buf = { 0 };
	bool whole = false;

	for (int i = 0; i < chain->n && !whole; i++) {
		Dwarf_Die die = chain->dies[i];
		int tag = fl_dw.dwarf_tag(&die);
		struct fl_inlined at = {
			.inlined = tag == DW_TAG_inlined_subroutine,
			.file = source.file, .line = (unsigned)source.line,
		};
		Dwarf_Die origin;

		if (!at.inlined && tag != DW_TAG_subprogram)
			continue;
		origin = origin_of(die);
		at.linkage = linkage_of(&origin);
		buf.size = 0;
		at.name = put_name(m, &buf, &die, &origin);
		take(arg, &at);
		whole = !at.inlined;
		source = source_of_call(unit, &die);
	}
	fl_buf_free(&buf);
	return whole;
}

bool fl_inlined_each(struct fl_debug *module, uint64_t address,
		     void (*take)(void *arg, const struct fl_inlined *at),
		     void *arg)
{
	const struct chain *chain;
	Dwarf_Die unit, *scopes = NULL;
	bool good = false;

	if (find_unit(module, address, &unit) &&
	    fl_dw.dwarf_getscopes(&unit, address, &scopes) > 0) {
		chain = chain_of(module, &scopes[0]);
		good = chain && each_of_chain(module, &unit, address, chain,
					      take, arg);
	}
	fl_free(scopes);
	return good;
}
