/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finds the frames of the addresses of a recorded profile (names.h):
 * fl_names_user() by the mappings of its process and the files on this machine,
 * fl_names_kernel() by kallsyms, and fl_names_unwind() the addresses of a stack
 * that was copied.  For format/perf/data and bare.c.
 */
#include "fl.h"

#include "native/names.h"

#include "base/demangle.h"
#include "native/files.h"
#include "native/frame.h"
#include "native/inlined.h"
#include "native/jitdump.h"
#include "native/module.h"
#include "native/plain_name.h"
#include "native/unwind.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MAX_TEXT = 256 << 20 };	/* of kallsyms and a perf map */

enum kind {
	FILE_ON_DISK, VDSO, COMPILED, NO_FILE, KERNEL
};

/* A module, and the frames of its addresses. */
struct named {
	struct fl_module module;
	enum kind kind;
	uint8_t id[32];
	size_t id_size;
	pid_t pid;		/* of COMPILED; else 0 */
	char *dso;		/* as perf prints it */
	bool loaded;
	bool is_other;		/* the file here has another build id */
	/* Of addresses: first << 16 | n; [1]: without inlined functions. */
	struct fl_map places[2];
	uint64_t samples, last;	/* with addresses only; the last such one */
	char *jitdump;		/* its path, as recorded; or NULL */
#ifdef HAVE_LIBDW
	struct fl_debug *debug;	/* where functions are inlined; or NULL */
#endif
};

struct fl_native_names {
	struct flame *flame;
	struct fl_names_options options;
	int symfs;		/* -1: none */
	struct named **modules;
	size_t count, capacity;
	struct fl_index by_key;
	struct named kernel, nowhere;
	struct fl_symbols added;	/* symbols that the recording has */
	bool added_new;
	struct fl_mappings kernel_maps;
	struct fl_arena arena;
	char *reference;	/* a symbol of the kernel, and */
	uint64_t reference_at;	/* where it was when that was recorded */
	uint64_t delta;		/* of the symbols that were found */
	struct fl_frame_list frames;
	struct fl_buf name, scratch;
	struct fl_map spelled;	/* by the place of a symbol's name */
	struct fl_row_cache rows;
	uint64_t sample;
	bool known;		/* the last address has a name */
	bool plain;		/* no inlined functions for the next one */
};

/* Modules --------------------------------------------------------------- */

static void free_named(struct named *n)
{
	fl_elf_close(n->module.elf);
	fl_cfi_free(&n->module.cfi);
	fl_symbols_free(&n->module.symbols);
	fl_map_free(&n->places[0]);
	fl_map_free(&n->places[1]);
	fl_free(n->module.path);
	fl_free(n->dso);
	fl_free(n->jitdump);
#ifdef HAVE_LIBDW
	if (n->debug)
		fl_inlined_close(n->debug);
#endif
}

void fl_names_free(struct fl_native_names *names)
{
	if (!names)
		return;
	for (size_t i = 0; i < names->count; i++) {
		free_named(names->modules[i]);
		fl_free(names->modules[i]);
	}
	free_named(&names->kernel);
	free_named(&names->nowhere);
	fl_free(names->modules);
	fl_index_free(&names->by_key);
	fl_symbols_free(&names->added);
	fl_mappings_free(&names->kernel_maps);
	fl_arena_free(&names->arena);
	fl_free(names->frames.at);
	fl_buf_free(&names->name);
	fl_map_free(&names->spelled);
	fl_buf_free(&names->scratch);
	fl_row_cache_free(&names->rows);
	if (names->symfs >= 0)
		close(names->symfs);
	fl_free(names);
}

struct fl_native_names *fl_names_new(struct flame *flame,
			      const struct fl_names_options *options)
{
	struct fl_native_names *names = fl_zeroed(1, sizeof(*names));

	if (!names) {
		fl_no_memory(flame);
		return NULL;
	}
	names->flame = flame;
	names->options = *options;
	names->symfs = -1;
	names->kernel.kind = KERNEL;
	names->kernel.dso = fl_memory_adopt(strdup("[kernel.kallsyms]"));
	names->nowhere.kind = NO_FILE;
	names->nowhere.dso = fl_memory_adopt(strdup("[unknown]"));
	if (options->symfs) {
		names->symfs = open(options->symfs, O_PATH | O_DIRECTORY |
				    O_CLOEXEC);
		if (names->symfs < 0) {
			fl_fail(flame, "--symfs %s: not a folder that can be "
				"opened", options->symfs);
			fl_names_free(names);
			return NULL;
		}
	}
	return names;
}

static bool starts(struct slice path, const char *text)
{
	return fl_slice_starts(path, text);
}

/* As perf names memory that has no file. */
static enum kind kind_of(struct slice path)
{
	if (fl_slice_is(path, "[vdso]"))
		return VDSO;
	if (!path.size || fl_slice_is(path, "//anon") ||
	    starts(path, "/dev/zero") || starts(path, "/anon_hugepage") ||
	    starts(path, "[anon"))
		return COMPILED;
	return path.data[0] == '[' || starts(path, "/SYSV") ||
	       starts(path, "/memfd:") || starts(path, "/dev/") ?
	       NO_FILE : FILE_ON_DISK;
}

static bool is_same(const struct named *n, enum kind kind, pid_t pid,
		    struct slice path, const uint8_t *id, size_t id_size)
{
	return n->kind == kind && n->pid == pid && n->id_size == id_size &&
	       (!id_size || memcmp(n->id, id, id_size) == 0) &&
	       (kind == COMPILED || fl_slice_is(path, n->module.path));
}

static struct named *find_module(struct fl_native_names *names, uint64_t hash,
				 enum kind kind, pid_t pid, struct slice path,
				 const uint8_t *id, size_t id_size)
{
	uint32_t i = fl_index_first(&names->by_key, hash), found;

	while ((found = fl_index_next(&names->by_key, hash, &i)))
		if (is_same(names->modules[found - 1], kind, pid, path, id,
			    id_size))
			return names->modules[found - 1];
	return NULL;
}

static char *copy_of(struct slice s)
{
	return fl_memory_adopt(strndup(s.data, s.size));
}

static struct named *add_module(struct fl_native_names *names, uint64_t hash,
				const struct named *like, struct slice path)
{
	static const char deleted[] = " (deleted)";
	struct named *n = fl_zeroed(1, sizeof(*n));
	char map[64];

	if (!n)
		return NULL;
	*n = *like;
	snprintf(map, sizeof(map), "/tmp/perf-%d.map", (int)n->pid);
	n->module.path = copy_of(path);
	n->dso = n->kind == COMPILED ? fl_memory_adopt(strdup(map)) :
		 copy_of((struct slice){ path.data, path.size -
					 (fl_slice_ends(path, deleted) ?
					  sizeof(deleted) - 1 : 0) });
	if (!n->module.path || !n->dso ||
	    !fl_grow(&names->modules, &names->capacity, names->count + 1,
		     sizeof(*names->modules)) ||
	    !fl_index_add(&names->by_key, hash, (uint32_t)names->count + 1)) {
		free_named(n);
		fl_free(n);
		return NULL;
	}
	return names->modules[names->count++] = n;
}

/* Code that a jitdump of the process describes has no file. */
static void add_jitdump(struct fl_native_names *names, pid_t pid,
			struct slice path)
{
	struct named *n = (struct named *)fl_names_module(names, pid,
					FL_SLICE("//anon"), NULL, 0);

	if (n && !n->jitdump && !n->loaded)
		n->jitdump = copy_of(path);
}

struct fl_module *fl_names_module(struct fl_native_names *names, pid_t pid,
				  struct slice path, const uint8_t *id,
				  size_t id_size)
{
	struct named like = { .kind = kind_of(path) }, *n;
	uint64_t hash;

	if (id_size > sizeof(like.id))
		id_size = 0;
	if (like.kind == COMPILED) {
		like.pid = pid;
		path = FL_SLICE("//anon");
		id_size = 0;
	}
	if (fl_jitdump_is_path(path))
		add_jitdump(names, pid, path);
	hash = fl_hash_pair(fl_hash(path.data, path.size),
			    fl_hash_pair((uint64_t)like.pid,
					 id_size ? fl_hash((const char *)id,
							   id_size) : 0));
	n = find_module(names, hash, like.kind, like.pid, path, id, id_size);
	if (n)
		return &n->module;
	if (id_size)
		memcpy(like.id, id, id_size);
	like.id_size = id_size;
	n = add_module(names, hash, &like, path);
	if (!n)
		fl_no_memory(names->flame);
	return n ? &n->module : NULL;
}

void fl_names_inode(struct fl_module *module, uint64_t inode)
{
	module->inode = inode;
}

/* Files ------------------------------------------------------------------- */

/* As perf prints an id: zeros may follow it. */
static bool is_id(const struct named *n, const struct fl_elf *elf)
{
	size_t size = FL_MIN(n->id_size, elf->build_id_size);

	return size >= 8 && memcmp(n->id, elf->build_id, size) == 0;
}

/* Becomes the module's file, unless it is another build.  exact: it must be
   known to be the same one. */
static bool accept_file(struct named *n, int fd, bool exact)
{
	struct fl_elf *elf = fd < 0 ? NULL : fl_elf_open(fd);

	if (!elf)
		return false;
	if (n->id_size ? !is_id(n, elf) : exact) {
		n->is_other |= n->id_size && !exact;
		fl_elf_close(elf);
		return false;
	}
	n->module.elf = elf;
	return true;
}

static void put_digits(const struct named *n, char *digits)
{
	*digits = '\0';
	for (size_t i = 0; i < n->id_size; i++)
		snprintf(digits + 2 * i, 3, "%02x", n->id[i]);
}

static bool find_by_id(struct named *n)
{
	char digits[2 * sizeof(n->id) + 1];

	put_digits(n, digits);
	for (unsigned debug = 0; debug < 2; debug++)
		for (unsigned i = 0; i < FL_BUILD_ID_PLACES; i++)
			if (accept_file(n, fl_open_by_build_id(digits, debug,
							       i), true))
				return true;
	return false;
}

/* Without a build id the number of the file has to be the recorded one. */
static int open_same(struct named *n, const char *path)
{
	int fd = fl_regular_open(path);
	struct stat st;

	if (fd < 0 || n->id_size || !n->module.inode ||
	    (fstat(fd, &st) == 0 && (uint64_t)st.st_ino == n->module.inode))
		return fd;
	n->is_other = true;
	close(fd);
	return -1;
}

static bool find_file(struct fl_native_names *names, struct named *n)
{
	const char *path = n->module.path;
	bool exact = path[0] != '/' ||
		     fl_slice_ends((struct slice){ path, strlen(path) },
				   " (deleted)");

	if (names->symfs >= 0 &&
	    accept_file(n, fl_regular_open_below(names->symfs, path), false))
		return true;
	if (accept_file(n, open_same(n, path), exact))
		return true;
	return n->id_size && find_by_id(n);
}

static int open_by_id(void *arg, const char *digits)
{
	int fd = -1;

	(void)arg;
	for (unsigned i = 0; i < FL_BUILD_ID_PLACES && fd < 0; i++)
		fd = fl_open_by_build_id(digits, true, i);
	return fd;
}

static int open_by_path(void *arg, const char *path)
{
	const struct fl_native_names *names = arg;
	int fd = names->symfs < 0 ? -1 :
		 fl_regular_open_below(names->symfs, path);

	return fd < 0 ? fl_regular_open(path) : fd;
}

static void load_debug(struct named *n, const struct fl_elf *debug)
{
#ifdef HAVE_LIBDW
	const struct fl_elf *elf = n->module.elf;

	if (!fl_elf_section(elf, ".debug_info") && debug)
		elf = debug;
	if (elf->fd >= 0 && fl_elf_section(elf, ".debug_info"))
		n->debug = fl_inlined_open(elf->fd, false);
#else
	(void)n, (void)debug;
#endif
}

static void load_file(struct fl_native_names *names, struct named *n)
{
	const struct fl_debug_files files = {
		open_by_id, open_by_path, names
	};
	struct fl_module_debug debug;
	struct fl_module *module = &n->module;

	if (n->kind == VDSO) {
		module->elf = fl_elf_vdso();
		if (module->elf && !is_id(n, module->elf)) {
			fl_elf_close(module->elf);
			module->elf = NULL;
		}
		if (!module->elf && n->id_size)
			find_by_id(n);
	} else {
		find_file(names, n);
	}
	if (!module->elf)
		return;
	fl_module_read(module, &files, &debug);
	if (names->options.inlined)
		load_debug(n, debug.elf);
	fl_module_debug_close(&debug);
	fl_module_read_end(module);
}

/* Compiled code ----------------------------------------------------------- */

/* Anybody can create files in /tmp; in a folder that was given all are good. */
static int open_map(struct fl_native_names *names, const char *path)
{
	struct stat st;
	int fd;

	/* A process of this machine with the same number is another one. */
	if (names->symfs >= 0)
		return fl_regular_open_below(names->symfs, path);
	fd = fl_regular_open(path);
	if (fd >= 0 && (fstat(fd, &st) != 0 ||
			(st.st_uid != geteuid() && st.st_uid != 0))) {
		fl_remark(names->flame, "%s is not read: it belongs to "
			  "somebody else", path);
		close(fd);
		return -1;
	}
	return fd;
}

static void load_compiled(struct fl_native_names *names, struct named *n)
{
	int fd = open_map(names, n->dso);
	char *text;
	size_t size;

	text = fd < 0 ? NULL : fl_read_file(fd, MAX_TEXT, &size);
	if (text)
		fl_symbols_map(&n->module.symbols, text, size);
	if (fd >= 0)
		close(fd);
	if (n->module.symbols.count || !n->jitdump)
		return;
	fd = open_map(names, n->jitdump);
	text = fd < 0 ? NULL : fl_read_file(fd, MAX_TEXT, &size);
	if (text)
		fl_jitdump_symbols(&n->module.symbols, text, size);
	if (fd >= 0)
		close(fd);
}

static void load(struct fl_native_names *names, struct named *n)
{
	if (n->loaded)
		return;
	n->loaded = true;
	if (n->kind == COMPILED)
		load_compiled(names, n);
	else if (n->kind != NO_FILE)
		load_file(names, n);
}

/* The kernel -------------------------------------------------------------- */

void fl_names_kernel_id(struct fl_native_names *names, const uint8_t *id,
			size_t id_size)
{
	if (id_size > sizeof(names->kernel.id))
		return;
	memcpy(names->kernel.id, id, id_size);
	names->kernel.id_size = id_size;
}

bool fl_names_kernel_map(struct fl_native_names *names, struct slice path,
			 uint64_t start, uint64_t end, uint64_t offset)
{
	const char *close = memchr(path.data, ']', path.size);
	struct slice symbol = { "", 0 };
	struct fl_mapping map = { start, end, offset, NULL };

	if (!starts(path, names->kernel.dso))
		map.module = fl_names_module(names, 0, path, NULL, 0);
	else if (close)
		symbol = (struct slice){
			close + 1, (size_t)(path.data + path.size - close) - 1
		};
	/* "[kernel.kallsyms]_text", whose offset is the symbol's address. */
	if (symbol.size && !names->reference) {
		names->reference = fl_arena_copy(&names->arena, symbol.data,
						 symbol.size);
		names->reference_at = offset;
	}
	return fl_mappings_add(&names->kernel_maps, &map);
}

bool fl_names_kernel_symbol(struct fl_native_names *names, uint64_t start,
			    uint64_t size, struct slice name)
{
	const char *copy = fl_arena_copy(&names->arena, name.data, name.size);

	names->added_new = true;
	return copy && fl_symbols_append(&names->added, start, size, copy);
}

/* Whether the kernel that runs is the one that was recorded. */
static bool is_running(const struct named *kernel)
{
	int fd = open("/sys/kernel/notes", O_RDONLY | O_CLOEXEC);
	uint8_t notes[4096];
	ssize_t n = fd < 0 ? -1 : read(fd, notes, sizeof(notes));
	bool found = false;

	if (fd >= 0)
		close(fd);
	for (size_t i = 0; kernel->id_size >= 8 && n > 0 &&
	     i + kernel->id_size <= (size_t)n; i += 4)
		found |= memcmp(notes + i, kernel->id, kernel->id_size) == 0;
	return found;
}

static bool read_kallsyms(struct fl_native_names *names, const char *path)
{
	int fd = fl_regular_open(path);
	size_t size;
	char *text = fd < 0 ? NULL : fl_read_file(fd, MAX_TEXT, &size);

	if (fd >= 0)
		close(fd);
	return text && fl_symbols_kernel(&names->kernel.module.symbols, text,
					 size);
}

/* Symbols may be of an image that was loaded elsewhere. */
static void find_delta(struct fl_native_names *names)
{
	const struct fl_symbols *all = &names->kernel.module.symbols;

	for (size_t i = 0; names->reference && i < all->count; i++)
		if (strcmp(all->data[i].name, names->reference) == 0) {
			names->delta = all->data[i].start - names->reference_at;
			break;
		}
}

static void load_kernel(struct fl_native_names *names)
{
	struct named *kernel = &names->kernel;
	const char *given = names->options.kallsyms;

	if (kernel->loaded)
		return;
	kernel->loaded = true;
	if (given) {
		if (!read_kallsyms(names, given))
			fl_fail(names->flame, "--kallsyms %s: not a file that "
				"can be read", given);
	} else if (is_running(kernel)) {
		read_kallsyms(names, "/proc/kallsyms");
	} else if (kernel->id_size && find_by_id(kernel)) {
		fl_symbols_elf(&kernel->module.symbols, kernel->module.elf,
			       NULL);
	}
	find_delta(names);
}

/* Frames ------------------------------------------------------------------ */

/*
 * A symbol as perf prints it.  Names stay where they are, and most are met at
 * several addresses: each is demangled once.
 */
static struct slice spell(struct fl_native_names *names, const char *symbol,
			  bool stub)
{
	struct fl_buf *buf = &names->name;
	uint64_t *known = fl_map_get(&names->spelled,
				     (uint64_t)(uintptr_t)symbol);
	const char *copy;

	if (known && !stub) {
		copy = (const char *)(uintptr_t)*known;
		return (struct slice){ copy, strlen(copy) };
	}
	buf->size = 0;
	if (!names->flame->demangle || !fl_plain_name(buf, symbol))
		fl_buf_text(buf, symbol);
	if (stub)
		fl_buf_text(buf, "@plt");
	copy = fl_arena_copy(&names->arena, fl_buf_slice(buf).data, buf->size);
	known = !copy || stub ? NULL :
		fl_map_put(&names->spelled, (uint64_t)(uintptr_t)symbol, NULL);
	if (known)
		*known = (uint64_t)(uintptr_t)copy;
	return copy ? (struct slice){ copy, buf->size } : FL_SLICE("");
}

static void add_frame(struct fl_native_names *names, struct slice symbol,
		      const char *dso, bool inlined)
{
	struct fl_native_frame frame = {
		.ip = { "", 0 }, .dso = { dso, strlen(dso) },
		.symbol = symbol, .inlined = inlined,
	};

	fl_native_frame(names->flame, &names->scratch, &frame, &names->frames);
}

#ifdef HAVE_LIBDW
struct inlining {
	struct fl_native_names *names;
	struct named *named;
	struct slice symbol;
};

/*
 * As perf prints them: what debug information calls another name than the
 * table of symbols is shown as inlined ("f" of "f.part.0").
 */
static void add_inlined(void *arg, const char *name)
{
	const struct inlining *i = arg;
	struct fl_native_names *names = i->names;
	struct slice spelled = name ? spell(names, name, false) : i->symbol;

	add_frame(names, spelled, i->named->dso,
		  !fl_slice_same(spelled, i->symbol));
}
#endif

static void add_symbol(struct fl_native_names *names, struct named *n,
		       const struct fl_symbol *symbol, uint64_t address)
{
	struct slice spelled = spell(names, symbol->name, symbol->stub);
#ifdef HAVE_LIBDW
	struct inlining inlining = { names, n, spelled };

	if (n->debug && !names->plain && !symbol->stub &&
	    fl_inlined_names(n->debug, address, symbol, add_inlined,
			     &inlining))
		return;
#else
	(void)address;
#endif
	add_frame(names, spelled, n->dso, false);
}

static struct fl_symbol *symbol_of(struct named *n, uint64_t at,
				   uint64_t *address)
{
	*address = at;
	if (n->kind != COMPILED &&
	    (!n->module.elf ||
	     !fl_elf_address(n->module.elf, at, address)))
		return NULL;
	return fl_symbols_at(&n->module.symbols, *address);
}

static void count_unnamed(struct fl_native_names *names, struct named *n)
{
	if (n->last != names->sample + 1)
		n->samples++;
	n->last = names->sample + 1;
}

/* The frames of a place, first << 16 | n; the low 15 bits count, bit 15: it has
   no name. */
enum { NO_NAME = 1 << 15, COUNT = NO_NAME - 1, FIRST_SHIFT = 16 };

static uint64_t close_place(const struct fl_native_names *names, size_t first,
			    bool named)
{
	size_t n = FL_MIN(names->frames.n - first, (size_t)COUNT);

	return (uint64_t)first << FIRST_SHIFT | n | (named ? 0 : NO_NAME);
}

static size_t frames_of(struct fl_native_names *names, struct named *n,
			uint64_t place, const flame_id **frames)
{
	names->known = !(place & NO_NAME);
	if (!names->known)
		count_unnamed(names, n);
	*frames = names->frames.at + (place >> FIRST_SHIFT);
	return place & COUNT;
}

bool fl_names_known(const struct fl_native_names *names)
{
	return names->known;
}

void fl_names_sample(struct fl_native_names *names)
{
	names->sample++;
}

/* at: of a file its offset, else the address. */
static uint64_t user_place(struct fl_native_names *names, struct named *n,
			   uint64_t at)
{
	size_t first = names->frames.n;
	const struct fl_symbol *symbol;
	uint64_t address;

	load(names, n);
	symbol = symbol_of(n, at, &address);
	if (symbol)
		add_symbol(names, n, symbol, address);
	else
		add_frame(names, FL_SLICE(""), n->dso, false);
	return close_place(names, first, symbol);
}

static size_t look_up(struct fl_native_names *names,
		      const struct fl_mappings *maps, uint64_t at,
		      const flame_id **frames, bool named)
{
	const struct fl_mapping *m = fl_mappings_at(maps, at);
	struct named *n = m && m->module ? (struct named *)m->module :
					   &names->nowhere;
	uint64_t key = n == &names->nowhere ? 0 :
		       n->kind == COMPILED ? at : at - m->start + m->offset;
	uint64_t *place;
	bool fresh;
	size_t count;

	place = fl_map_put(&n->places[names->plain], key, &fresh);
	if (!place) {
		fl_no_memory(names->flame);
		return 0;
	}
	if (fresh)
		*place = user_place(names, n, key);
	count = frames_of(names, n, *place, frames);
	return named && *place & NO_NAME ? 0 : count;
}

size_t fl_names_user(struct fl_native_names *names,
		     const struct fl_mappings *maps, uint64_t at,
		     const flame_id **frames)
{
	return look_up(names, maps, at, frames, false);
}

size_t fl_names_named(struct fl_native_names *names,
		      const struct fl_mappings *maps, uint64_t at,
		      const flame_id **frames)
{
	return look_up(names, maps, at, frames, true);
}

size_t fl_names_plain(struct fl_native_names *names,
		      const struct fl_mappings *maps, uint64_t at,
		      const flame_id **frames)
{
	size_t n;

	names->plain = true;
	n = fl_names_user(names, maps, at, frames);
	names->plain = false;
	return n;
}

static uint64_t kernel_place(struct fl_native_names *names, uint64_t at)
{
	size_t first = names->frames.n;
	const struct fl_symbol *symbol;
	const char *dso = names->kernel.dso;
	const struct fl_mapping *map;
	bool is_added;

	load_kernel(names);
	if (names->added_new)
		fl_symbols_sort(&names->added);
	names->added_new = false;
	symbol = fl_symbols_at(&names->added, at);
	is_added = symbol;
	if (!symbol)
		symbol = fl_symbols_at(&names->kernel.module.symbols,
				       at + names->delta);
	map = fl_mappings_at(&names->kernel_maps, at);
	if (is_added)
		dso = symbol->name;	/* perf has a file for each */
	else if (symbol && symbol->in_module)
		dso = fl_symbol_module(symbol);
	else if (map && map->module)
		dso = ((struct named *)map->module)->dso;
	else if (!map && !symbol)
		dso = names->nowhere.dso;
	add_frame(names, symbol ? spell(names, symbol->name, false) :
				  FL_SLICE(""), dso, false);
	return close_place(names, first, symbol);
}

size_t fl_names_kernel(struct fl_native_names *names, uint64_t at,
		       const flame_id **frames)
{
	bool fresh;
	uint64_t *place = fl_map_put(&names->kernel.places[0], at, &fresh);

	if (!place) {
		fl_no_memory(names->flame);
		return 0;
	}
	if (fresh)
		*place = kernel_place(names, at);
	return frames_of(names, &names->kernel, *place, frames);
}

/* Stacks ------------------------------------------------------------------ */

/* perf's numbers of registers (asm/perf_regs.h) by DWARF's. */
static const uint8_t registers[] = {
#if FL_IS_ARM64
	0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19,
	20, 21, 22, 23, 24, 25, 26, 27, 28, FL_REG_BP, FL_REG_RA, FL_REG_SP,
	FL_REG_IP
#else
	0, FL_REG_BX, 2, 1, 4, 5, FL_REG_BP, FL_REG_SP, FL_REG_IP,
	FL_REGS, FL_REGS, FL_REGS, FL_REGS, FL_REGS, FL_REGS, FL_REGS,
	8, 9, 10, 11, 12, 13, 14, 15
#endif
};

static void read_registers(struct fl_regs *regs, uint64_t mask,
			   const uint64_t *values)
{
	memset(regs, 0, sizeof(*regs));
	for (unsigned i = 0; mask >> i; i++) {
		unsigned reg = i < FL_COUNT(registers) ? registers[i] : FL_REGS;

		if (!(mask >> i & 1))
			continue;
		if (reg < FL_REGS) {
			regs->value[reg] = *values;
			regs->known |= FL_KNOWN(reg);
		}
		values++;
		if (i == 63)
			break;
	}
}

struct recorded {
	struct fl_native_names *names;
	const struct fl_mappings *maps;
	uint64_t *addresses;
	size_t count, capacity;
};

static const struct fl_mapping *mapping_of(void *arg, uint64_t at)
{
	const struct recorded *r = arg;

	return fl_mappings_at(r->maps, at);
}

static bool read_nothing(void *arg, uint64_t at, void *to, size_t size)
{
	(void)arg, (void)at, (void)to, (void)size;
	return false;
}

static bool is_compiled(void *arg, uint64_t at)
{
	(void)arg, (void)at;
	return false;
}

static bool add_address(void *arg, uint64_t at, const struct fl_regs *regs,
			const struct fl_memory *memory,
			struct fl_symbol **symbol)
{
	struct recorded *r = arg;
	const struct fl_mapping *m = fl_mappings_at(r->maps, at);
	struct named *n = m ? (struct named *)m->module : NULL;
	uint64_t address;

	(void)regs, (void)memory;
	*symbol = NULL;
	if (r->count == r->capacity)
		return false;
	r->addresses[r->count++] = at;
	if (n) {
		load(r->names, n);
		*symbol = symbol_of(n, n->kind == COMPILED ? at :
				    at - m->start + m->offset, &address);
	}
	return true;
}

size_t fl_names_unwind(struct fl_native_names *names,
		       const struct fl_mappings *maps, uint64_t mask,
		       const uint64_t *values,
		       const struct fl_stack_bytes *stack,
		       uint64_t *addresses, size_t capacity)
{
	struct recorded recorded = { names, maps, addresses, 0, capacity };
	const struct fl_view view = {
		.arg = &recorded, .rows = &names->rows, .mapping = mapping_of,
		.read = read_nothing, .frame = add_address,
		.is_compiled = is_compiled,
	};
	struct fl_stack_bytes whole = *stack;
	struct fl_regs regs;

	read_registers(&regs, mask, values);
	whole.start = regs.value[FL_REG_SP];
	if (regs.known >> FL_REG_SP & regs.known >> FL_REG_IP & 1)
		fl_unwind_view(&view, &regs, &whole);
	return recorded.count;
}

/* Reports ----------------------------------------------------------------- */

static const char *base_of(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash && slash[1] ? slash + 1 : path;
}

/* Samples, or distinct addresses. */
static uint64_t count_lost(const struct fl_native_names *names,
			   const struct named *n)
{
	const struct fl_map_entry *e;
	uint64_t addresses = 0;
	size_t at = 0;

	if (names->sample)
		return n->samples;
	while ((e = fl_map_each(&n->places[0], &at)))
		addresses += (e->value & NO_NAME) != 0;
	return addresses;
}

struct lost_text {
	char text[64];
};

/* "2 samples have addresses only", "1 address has no name" */
static struct lost_text say_lost(const struct fl_native_names *names,
				 uint64_t lost)
{
	struct lost_text to;

	snprintf(to.text, sizeof(to.text), "%" PRIu64 " %s", lost,
		 names->sample ? lost == 1 ? "sample has addresses only" :
					     "samples have addresses only" :
				 lost == 1 ? "address has no name" :
					     "addresses have no name");
	return to;
}

bool fl_names_report(struct fl_native_names *names, const char *input)
{
	const struct named *first = NULL;
	uint64_t sum = 0, lost;
	unsigned absent = 0, others = 0;

	for (size_t i = 0; i < names->count; i++) {
		const struct named *n = names->modules[i];

		if (n->module.elf || n->kind != FILE_ON_DISK)
			continue;
		lost = count_lost(names, n);
		if (!lost)
			continue;
		if (n->is_other) {
			fl_remark(names->flame, "%s: %s: %s: the file here is "
				  "another build; give it by --symfs", input,
				  base_of(n->module.path),
				  say_lost(names, lost).text);
			others++;
			continue;
		}
		first = first ? first : n;
		sum += lost;
		absent++;
	}
	/* A sample may have addresses in several files. */
	if (absent)
		fl_remark(names->flame, "%s: %s is not here%s: %s%s; give a "
			  "folder that has it by --symfs", input,
			  first->module.path,
			  absent > 1 ? ", nor are others" : "",
			  absent > 1 && names->sample ? "up to " : "",
			  say_lost(names, sum).text);
	if (names->kernel.samples && !names->kernel.module.symbols.count)
		fl_remark(names->flame, "%s: in the kernel %s; give its "
			  "/proc/kallsyms by --kallsyms", input,
			  say_lost(names, count_lost(names,
						     &names->kernel)).text);
	return absent || others;
}
