/* SPDX-License-Identifier: Apache-2.0 */
/*
 * For --inline: fl_perf_inline() looks up the address of a frame line in the
 * debug information of its module (libdw), and returns its frames, with those
 * of functions that a compiler inlined there.  Each address is looked up once.
 * lines.c calls it.
 */
#include "fl.h"

#include "format/perf/inline.h"
#include "native/debug.h"

#include <inttypes.h>
#include <stdlib.h>

/* The frames of an address, leaf first. */
struct place {
	uint32_t first, n;	/* n 0: not known */
};

struct fl_perf_inline {
	struct flame *flame;
	struct fl_debug **modules;
	size_t nmodules, modules_capacity;
	struct fl_index by_path;	/* to modules + 1 */
	struct place *places;
	size_t nplaces, places_capacity;
	struct fl_frame_list frames;
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
		fl_debug_close(in->modules[i]);
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

static struct fl_debug *add_module(struct fl_perf_inline *in,
					 struct slice path, uint64_t hash)
{
	struct fl_debug *module;
	char *copy = fl_memory_adopt(strndup(path.data, path.size));

	module = copy ? fl_debug_open(copy) : NULL;
	fl_free(copy);
	if (!module ||
	    !fl_grow(&in->modules, &in->modules_capacity, in->nmodules + 1,
		     sizeof(struct fl_debug *)) ||
	    !fl_index_add(&in->by_path, hash, (uint32_t)in->nmodules + 1)) {
		if (module)
			fl_debug_close(module);
		fl_no_memory(in->flame);
		return NULL;
	}
	in->modules[in->nmodules++] = module;
	if (!module->dwarf && !in->strangers++)
		in->stranger = module->path;
	return module;
}

static struct fl_debug *find_module(struct fl_perf_inline *in,
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

/* Frames -------------------------------------------------------------- */

struct naming {
	struct fl_perf_inline *in;
	struct fl_perf_naming *as;
	const struct fl_perf_frame *frame;
	bool failed;		/* a function has no name, or out of memory */
};

/* The function itself has the name that it has elsewhere. */
static bool put_name(const struct naming *n, const struct fl_inlined *at)
{
	struct fl_buf *buf = &n->as->buf;
	struct slice symbol = n->frame->symbol;

	buf->size = 0;
	if (!at->inlined && !n->as->options->peer && symbol.size &&
	    !fl_slice_is(symbol, "[unknown]"))
		fl_buf_put(buf, symbol.data, symbol.size);
	else if (at->name)
		fl_buf_text(buf, at->name);
	return buf->size;
}

static void add_frame(void *arg, const struct fl_inlined *at)
{
	struct naming *n = arg;
	const struct fl_perf_options *options = n->as->options;
	struct flame *flame = n->in->flame;
	struct fl_buf *buf = &n->as->buf;
	struct flame_frame frame = {
		.type = at->inlined ? FLAME_INLINED : FLAME_NATIVE
	};

	n->failed |= !put_name(n, at);
	if (options->srcline)
		fl_buf_print(buf, ":%s:%u", at->file ? at->file : "??",
			     at->line);
	else if (options->lines && at->file)
		fl_buf_print(buf, ":%u", at->line);
	frame.name = flame_name(flame, buf->data, buf->size);
	if (options->peer) {
		frame.type = FLAME_UNKNOWN;
	} else if (at->file) {
		frame.file = fl_name(flame, at->file);
		frame.line = at->line;
	}
	n->failed |= !fl_frame_list_add(flame, &n->in->frames,
				  flame_frame(flame, &frame));
}

static struct place ask(struct fl_perf_inline *in,
			struct fl_perf_naming *naming,
			const struct fl_perf_frame *frame,
			struct fl_debug *module, uint64_t address)
{
	struct place place = { (uint32_t)in->frames.n, 0 };
	struct naming n = { in, naming, frame, false };

	if (fl_inlined_each(module, address, add_frame, &n) && !n.failed)
		place.n = (uint32_t)in->frames.n - place.first;
	else
		in->frames.n = place.first;
	return place;
}

/* Addresses ----------------------------------------------------------- */

/* Mappings begin at pages: the same places of them have the same end. */
enum { PAGE = 4096 };

/* Whether what perf says of the symbol can be true at this address. */
static bool is_plausible(const struct fl_debug *m, uint64_t address,
			 bool has_offset, uint64_t offset)
{
	const struct fl_debug_symbol *symbol = fl_debug_symbol_at(m, address);

	if (!symbol)
		return false;
	return has_offset ? symbol->value == address - offset :
	       !symbol->size || address - symbol->value < symbol->size;
}

/* The address of the symbol plus the offset in it. */
static bool from_symbol(const struct fl_debug *m, struct slice name,
			uint64_t ip, uint64_t offset, uint64_t *address)
{
	uint64_t hash = fl_hash(name.data, name.size);
	uint32_t i, id;

	for (i = fl_index_first(&m->by_name, hash);
	     (id = fl_index_next(&m->by_name, hash, &i));) {
		const struct fl_debug_symbol *symbol = &m->symbols[id - 1];

		*address = symbol->value + offset;
		if (fl_slice_is(name, symbol->name) &&
		    (*address - ip) % PAGE == 0)
			return true;
	}
	return false;
}

static bool parse_hex(struct slice s, uint64_t *n)
{
	*n = 0;
	if (fl_slice_starts(s, "0x")) {
		s.data += 2;
		s.size -= 2;
	}
	if (!s.size || s.size > 16)
		return false;
	for (size_t i = 0; i < s.size; i++) {
		unsigned char c = s.data[i] | 32;

		if (c >= '0' && c <= '9')
			*n = *n << 4 | (uint64_t)(c - '0');
		else if (c >= 'a' && c <= 'f')
			*n = *n << 4 | (uint64_t)(c - 'a' + 10);
		else
			return false;
	}
	return true;
}

/* The "+0x1f" after the symbol. */
static bool parse_offset(const struct fl_perf_frame *frame, uint64_t *offset)
{
	struct slice s = fl_slice_trim(frame->raw);

	for (size_t i = s.size; i >= 3; i--)
		if (memcmp(s.data + i - 3, "+0x", 3) == 0)
			return parse_hex(
				fl_slice_from(s, i),
				offset);
	return false;
}

static bool module_address(const struct fl_debug *m,
			    const struct fl_perf_frame *frame,
			    uint64_t *address)
{
	uint64_t ip, offset = 0;
	bool has_offset;

	if (!m->elf || !parse_hex(frame->ip, &ip))
		return false;
	has_offset = parse_offset(frame, &offset);
	if (has_offset && from_symbol(m, frame->symbol, ip, offset, address))
		return true;
	*address = ip;
	if (is_plausible(m, ip, has_offset, offset))
		return true;
	return fl_debug_address(m, ip, address) &&
	       is_plausible(m, *address, has_offset, offset);
}

/* Modules that are missing on disk, or have changed. */
bool fl_perf_inline_asks(const struct fl_perf_frame *frame)
{
	struct slice dso = frame->dso;

	return dso.size && dso.size < 4096 && !frame->inlined &&
	       frame->ip.size && dso.data[0] != '[' &&
	       !memchr(dso.data, '\0', dso.size) &&
	       !fl_slice_starts(dso, "//") && !fl_native_is_jit(dso);
}

bool fl_perf_inline(struct fl_perf_inline *in, struct fl_perf_naming *naming,
		    const struct fl_perf_frame *frame,
		    struct fl_frame_list *list)
{
	struct fl_debug *module;
	const struct place *place;
	uint64_t address, *at;
	bool fresh;

	if (!fl_perf_inline_asks(frame) ||
	    !(module = find_module(in, frame->dso)) || !module->dwarf ||
	    !module_address(module, frame, &address))
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
		if (!fl_frame_list_add(in->flame, list,
				 in->frames.at[place->first + i]))
			return false;
	return place->n;
}
