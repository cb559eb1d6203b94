/* SPDX-License-Identifier: Apache-2.0 */
/*
 * --inline: which functions a compiler has put into the one that perf names,
 * by the debug information of its module.  Each address is asked for once.
 */
#include "fl.h"

#include "format/perf/inline.h"
#include "format/perf/module.h"

#include <fcntl.h>
#include <dwarf.h>
#include <inttypes.h>
#include <stdlib.h>

/* The frames of an address, leaf first. */
struct place {
	uint32_t first, n;	/* n 0: not known */
};

struct fl_perf_inline {
	struct flame *flame;
	struct fl_perf_module **modules;
	size_t nmodules, modules_capacity;
	struct fl_index by_path;	/* to modules + 1 */
	struct place *places;
	size_t nplaces, places_capacity;
	struct fl_perf_list frames;
	const char *stranger;	/* the first module without debug information */
	unsigned strangers;
};

struct fl_perf_inline *fl_perf_inline_new(struct flame *flame)
{
	const char *why = fl_dw_open();
	struct fl_perf_inline *in;

	if (why) {
		fl_fail(flame, "--inline needs libdw: %s", why);
		return NULL;
	}
	in = fl_zeroed(1, sizeof(*in));
	if (in)
		in->flame = flame;
	else
		fl_no_memory(flame);
	return in;
}

void fl_perf_inline_free(struct fl_perf_inline *in)
{
	if (!in)
		return;
	for (size_t i = 0; i < in->nmodules; i++)
		fl_perf_module_close(in->modules[i]);
	fl_index_free(&in->by_path);
	fl_free(in->modules);
	fl_free(in->places);
	fl_free(in->frames.at);
	fl_free(in);
}

void fl_perf_inline_report(struct fl_perf_inline *in, const char *input)
{
	if (in && in->strangers)
		fl_remark(in->flame, "%s: --inline: no debug information of "
			  "%u module%s, the first is %s: functions stay as "
			  "perf names them", input, in->strangers,
			  in->strangers == 1 ? "" : "s", in->stranger);
}

/* Modules ------------------------------------------------------------- */

static struct fl_perf_module *add_module(struct fl_perf_inline *in,
					 struct slice path, uint64_t hash)
{
	struct fl_perf_module *module;
	char *copy = fl_memory_adopt(strndup(path.data, path.size));

	module = copy ? fl_perf_module_open(copy) : NULL;
	fl_free(copy);
	if (!module ||
	    !fl_grow(&in->modules, &in->modules_capacity, in->nmodules + 1,
		     sizeof(struct fl_perf_module *)) ||
	    !fl_index_add(&in->by_path, hash, (uint32_t)in->nmodules + 1)) {
		if (module)
			fl_perf_module_close(module);
		fl_no_memory(in->flame);
		return NULL;
	}
	in->modules[in->nmodules++] = module;
	if (!module->dwarf && !in->strangers++)
		in->stranger = module->path;
	return module;
}

static struct fl_perf_module *find_module(struct fl_perf_inline *in,
					  struct slice path)
{
	uint64_t hash = fl_hash(path.data, path.size);
	uint32_t i, id;

	for (i = fl_index_first(&in->by_path, hash);
	     (id = fl_index_next(&in->by_path, hash, &i));)
		if (fl_slice_is(path, in->modules[id - 1]->path))
			return in->modules[id - 1];
	return add_module(in, path, hash);
}

/* Debug information --------------------------------------------------- */

static bool add_unit(struct fl_perf_module *m, Dwarf_Off die, uint64_t start,
		     uint64_t end)
{
	if (!fl_grow(&m->units, &m->units_capacity, m->nunits + 1,
		     sizeof(*m->units)))
		return false;
	m->units[m->nunits++] = (struct fl_perf_unit){ start, end, die };
	return true;
}

static int by_start(const void *a, const void *b)
{
	const struct fl_perf_unit *x = a, *y = b;

	return x->start < y->start ? -1 : x->start > y->start;
}

/* Not every compiler writes a table of the units' addresses. */
static void read_units(struct fl_perf_module *m)
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
static bool find_unit(struct fl_perf_module *m, uint64_t address,
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
static void put_scopes(struct fl_buf *to, Dwarf_Die *function)
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

static bool put_name(struct fl_buf *to, Dwarf_Die *die)
{
	Dwarf_Die origin = origin_of(*die);
	const char *name = fl_dw.dwarf_diename(die);

	if (!name)
		return false;
	put_scopes(to, &origin);
	fl_buf_text(to, name);
	return true;
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

/* Frames -------------------------------------------------------------- */

/* buf holds the name. */
static bool add_frame(struct fl_perf_inline *in, struct fl_perf_naming *naming,
		      struct source source, enum flame_type type)
{
	const struct fl_perf_options *options = naming->options;
	struct fl_buf *buf = &naming->buf;
	struct flame_frame frame = { .type = type };

	if (options->srcline) {
		fl_buf_print(buf, ":%s:%d", source.file ? source.file : "??",
			     source.line);
	} else if (options->lines && source.file) {
		fl_buf_print(buf, ":%d", source.line);
	}
	frame.name = flame_name(in->flame, buf->data, buf->size);
	if (options->peer) {
		frame.type = FLAME_UNKNOWN;
	} else if (source.file) {
		frame.file = fl_name(in->flame, source.file);
		frame.line = (uint32_t)source.line;
	}
	return fl_perf_add(in->flame, &in->frames,
			   flame_frame(in->flame, &frame));
}

/*
 * All functions at the address, from the innermost inlined one to the function
 * itself.
 */
static bool add_chain(struct fl_perf_inline *in, struct fl_perf_naming *naming,
		      const struct fl_perf_frame *frame, Dwarf_Die *unit,
		      uint64_t address, Dwarf_Die *chain, int n)
{
	struct source source = source_at(unit, address);
	struct fl_buf *buf = &naming->buf;

	for (int i = 0; i < n; i++) {
		int tag = fl_dw.dwarf_tag(&chain[i]);
		bool inlined = tag == DW_TAG_inlined_subroutine;

		if (!inlined && tag != DW_TAG_subprogram)
			continue;
		buf->size = 0;
		/* The function itself has the name that it has elsewhere. */
		if (!inlined && !naming->options->peer &&
		    frame->symbol.size &&
		    !fl_slice_is(frame->symbol, "[unknown]"))
			fl_buf_put(buf, frame->symbol.data, frame->symbol.size);
		else if (!put_name(buf, &chain[i]))
			return false;
		if (!add_frame(in, naming, source, inlined ? FLAME_INLINED :
							     FLAME_NATIVE))
			return false;
		if (!inlined)
			return true;
		source = source_of_call(unit, &chain[i]);
	}
	return false;
}

static struct place ask(struct fl_perf_inline *in,
			struct fl_perf_naming *naming,
			const struct fl_perf_frame *frame,
			struct fl_perf_module *module, uint64_t address)
{
	struct place place = { (uint32_t)in->frames.n, 0 };
	Dwarf_Die unit, *scopes = NULL, *chain = NULL;
	int n;

	if (find_unit(module, address, &unit) &&
	    fl_dw.dwarf_getscopes(&unit, address, &scopes) > 0) {
		/* Nested as they were inlined, not as they were declared. */
		n = fl_dw.dwarf_getscopes_die(&scopes[0], &chain);
		if (n > 0 && add_chain(in, naming, frame, &unit, address,
				       chain, n))
			place.n = (uint32_t)in->frames.n - place.first;
	}
	if (!place.n)
		in->frames.n = place.first;
	fl_free(chain);
	fl_free(scopes);
	return place;
}

/* Modules that are missing on disk, or have changed. */
bool fl_perf_inline_asks(const struct fl_perf_frame *frame)
{
	struct slice dso = frame->dso;

	return dso.size && dso.size < 4096 && !frame->inlined &&
	       frame->ip.size && dso.data[0] != '[' &&
	       !memchr(dso.data, '\0', dso.size) &&
	       !fl_slice_starts(dso, "//") && !fl_perf_is_jit(dso);
}

bool fl_perf_inline(struct fl_perf_inline *in, struct fl_perf_naming *naming,
		    const struct fl_perf_frame *frame,
		    struct fl_perf_list *list)
{
	struct fl_perf_module *module;
	const struct place *place;
	uint64_t address, *at;
	bool fresh;

	if (!fl_perf_inline_asks(frame) ||
	    !(module = find_module(in, frame->dso)) || !module->dwarf ||
	    !fl_perf_module_address(module, frame, &address))
		return false;
	at = fl_map_put(&module->known, address, &fresh);
	if (!at || !fl_grow(&in->places, &in->places_capacity, in->nplaces + 1,
			    sizeof(*in->places))) {
		fl_no_memory(in->flame);
		return false;
	}
	if (fresh) {
		*at = in->nplaces++;
		in->places[*at] = ask(in, naming, frame, module, address);
	}
	place = &in->places[*at];
	for (uint32_t i = 0; i < place->n; i++)
		if (!fl_perf_add(in->flame, list,
				 in->frames.at[place->first + i]))
			return false;
	return place->n;
}

/* A single file --------------------------------------------------------- */

struct fl_perf_module *fl_inlined_open(int fd)
{
	struct fl_perf_module *module;
	int own = fl_dw_open() ? -1 : fcntl(fd, F_DUPFD_CLOEXEC, 3);

	if (own < 0)
		return NULL;
	module = fl_perf_module_of(own, "");
	if (module && !module->dwarf) {
		fl_perf_module_close(module);
		return NULL;
	}
	return module;
}

void fl_inlined_close(struct fl_perf_module *module)
{
	fl_perf_module_close(module);
}

static const char *linkage_of(Dwarf_Die *origin)
{
	Dwarf_Attribute attribute;

	return fl_dw.dwarf_formstring(
		fl_dw.dwarf_attr(origin, DW_AT_linkage_name, &attribute));
}

static bool each_of_chain(Dwarf_Die *unit, uint64_t address, Dwarf_Die *chain,
			  int n, void (*take)(void *, const struct fl_inlined *),
			  void *arg)
{
	struct source source = source_at(unit, address);
	struct fl_buf buf = { 0 };
	bool whole = false;

	for (int i = 0; i < n && !whole; i++) {
		int tag = fl_dw.dwarf_tag(&chain[i]);
		struct fl_inlined at = {
			.inlined = tag == DW_TAG_inlined_subroutine,
			.file = source.file, .line = (unsigned)source.line,
		};
		Dwarf_Die origin;

		if (!at.inlined && tag != DW_TAG_subprogram)
			continue;
		origin = origin_of(chain[i]);
		at.linkage = linkage_of(&origin);
		buf.size = 0;
		put_scopes(&buf, &origin);
		fl_buf_text(&buf, fl_dw.dwarf_diename(&origin) ?
				  fl_dw.dwarf_diename(&origin) : "");
		at.name = buf.size ? buf.data : NULL;
		take(arg, &at);
		whole = !at.inlined;
		source = source_of_call(unit, &chain[i]);
	}
	fl_buf_free(&buf);
	return whole;
}

bool fl_inlined_each(struct fl_perf_module *module, uint64_t address,
		     void (*take)(void *arg, const struct fl_inlined *at),
		     void *arg)
{
	Dwarf_Die unit, *scopes = NULL, *chain = NULL;
	bool good = false;
	int n;

	if (find_unit(module, address, &unit) &&
	    fl_dw.dwarf_getscopes(&unit, address, &scopes) > 0) {
		n = fl_dw.dwarf_getscopes_die(&scopes[0], &chain);
		good = n > 0 && each_of_chain(&unit, address, chain, n, take,
					      arg);
	}
	fl_free(chain);
	fl_free(scopes);
	return good;
}
