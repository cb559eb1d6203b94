/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Files that are mapped: fl_module_get() finds or adds one by path, device and
 * inode, and fl_module_load() reads its symbols and call frame information
 * once, for process.c and machine.c.
 *
 * They are opened by the process's own view: /proc/PID/map_files, which also
 * has deleted files, or the path below /proc/PID/root (target.c).
 */
#include "fl.h"

#include "native/module.h"
#include "sample/process.h"
#include "sample/virtual_machines.h"
#include "native/frame.h"

#include <elf.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MODULES = 64 };	/* more unused ones are freed */

/* Modules --------------------------------------------------------------- */

static uint64_t hash_of(const char *path, uint64_t device, uint64_t inode)
{
	return fl_hash_pair(fl_hash(path, strlen(path)),
			    fl_hash_pair(device, inode));
}

static bool is_greenlet_path(const char *path)
{
	const char *name = strrchr(path, '/');

	return name && (strncmp(name, "/_greenlet.", 11) == 0 ||
			strncmp(name, "/greenlet.cpython", 17) == 0);
}

struct fl_module *fl_module_get(struct fl_processes *all, const char *path,
				uint64_t device, uint64_t inode)
{
	uint64_t hash = hash_of(path, device, inode);
	uint32_t i = fl_index_first(&all->modules_index, hash), id;
	struct fl_module *module;
	struct fl_buf *buf = &all->buf;

	while ((id = fl_index_next(&all->modules_index, hash, &i))) {
		module = all->modules[id - 1];
		if (module->inode == inode && module->device == device &&
		    strcmp(module->path, path) == 0)
			return module;
	}
	module = fl_zeroed(1, sizeof(*module));
	if (!module)
		return NULL;
	module->path = fl_memory_adopt(strdup(path));
	module->device = device;
	module->inode = inode;
	module->greenlets = is_greenlet_path(path);
	if (!module->path ||
	    !fl_grow(&all->modules, &all->modules_capacity, all->nmodules + 1,
		     sizeof(*all->modules)) ||
	    !fl_index_add(&all->modules_index, hash,
			  (uint32_t)all->nmodules + 1)) {
		fl_free(module->path);
		fl_free(module);
		return NULL;
	}
	module->file = flame_name(all->flame, path, strlen(path));
	buf->size = 0;
	fl_put_unnamed(buf, (struct slice){ path, strlen(path) }, 0);
	module->unknown = flame_frame(all->flame, &(struct flame_frame){
		.name = flame_name(all->flame, buf->data, buf->size),
		.file = module->file, .type = FLAME_NATIVE,
	});
	all->modules[all->nmodules++] = module;
	return module;
}

static bool is_same_file(const struct fl_module *module, int fd)
{
	struct stat st;

	if (fstat(fd, &st) != 0)
		return false;
	/* On overlay file systems stat returns another device than maps. */
	return !module->inode || (uint64_t)st.st_ino == module->inode ||
	       (uint64_t)st.st_dev != module->device;
}

static int open_mapped(const struct fl_module *module, pid_t pid,
		       const struct fl_mapping *mapping)
{
	int fd = fl_open_mapped(pid, mapping->start, mapping->end);

	if (fd >= 0)
		return fd;
	fd = fl_open_in_root(pid, module->path, true);
	/* The process may have ended: the kernel said what it mapped. */
	if (fd < 0)
		fd = fl_open_same(pid, module->path, module->device,
				  module->inode);
	if (fd >= 0 && !is_same_file(module, fd)) {
		close(fd);
		return -1;
	}
	return fd;
}

static int open_by_id(void *arg, const char *digits)
{
	return fl_open_debug(*(const pid_t *)arg, digits);
}

static int open_by_path(void *arg, const char *path)
{
	return fl_open_in_root(*(const pid_t *)arg, path, true);
}

/* "/usr/lib/libc.so.6" */
static bool is_c_library(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash && strncmp(slash, "/libc.so.", 9) == 0;
}

/*
 * Few look for the inlined functions of an interpreter or of malloc, and to read
 * the debug information of a JVM, of Python or of the C library costs more than
 * all the rest.
 */
static bool has_places(const struct fl_processes *all, const char *path)
{
	return all->lines || !(fl_is_jvm_path(path) ||
			       fl_is_python_path(path) || is_c_library(path));
}

static void read_elf(struct fl_processes *all, struct fl_module *module,
		     pid_t pid)
{
	const struct fl_debug_files files = { open_by_id, open_by_path, &pid };
	struct fl_module_debug debug;

	fl_module_read(module, &files, &debug);
	if (has_places(all, module->path))
		module->debug = fl_places_file(all->places, module->elf,
					       debug.elf);
	fl_module_debug_close(&debug);
}

static bool is_vm_symbol(const char *name)
{
	static const char *const all[] = {
		"_PyRuntime", "_PyThreadState_Current", "Py_Version",
		"Py_NewRef", "PyCode_NewWithPosOnlyArgs",
	};

	for (size_t i = 0; i < FL_COUNT(all); i++)
		if (strcmp(name, all[i]) == 0)
			return true;
	return strncmp(name, "gHotSpotVM", 10) == 0;
}

bool fl_is_jvm_path(const char *path)
{
	return fl_slice_ends((struct slice){ path, strlen(path) },
			     "/libjvm.so");
}

/* "/usr/bin/python3.11", "/usr/lib/libpython3.12.so.1.0" */
bool fl_is_python_path(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash && (strncmp(slash, "/python", 7) == 0 ||
			 strncmp(slash, "/libpython", 10) == 0);
}

static void take_vm_symbols(struct fl_vm_symbols *vm, const char *table,
			    size_t size, const char *names, size_t names_size)
{
	Elf64_Sym sym;

	for (size_t i = 0; i < size / sizeof(sym); i++) {
		memcpy(&sym, table + i * sizeof(sym), sizeof(sym));
		if (sym.st_name >= names_size || !sym.st_value ||
		    !is_vm_symbol(names + sym.st_name) ||
		    vm->count == FL_COUNT(vm->data))
			continue;
		snprintf(vm->data[vm->count].name, sizeof(vm->data[0].name),
			 "%s", names + sym.st_name);
		vm->data[vm->count++].address = sym.st_value;
	}
}

static void read_vm_symbols(struct fl_module *module)
{
	struct fl_elf *elf = module->elf;
	const struct fl_elf_section *table =
		fl_elf_section_of_type(elf, SHT_DYNSYM);
	const struct fl_elf_section *strings =
		table && table->link < elf->nsections ?
		&elf->sections[table->link] : NULL;
	char *names = fl_elf_copy(elf, strings);
	char *bytes = fl_elf_copy(elf, table);

	module->vm = fl_zeroed(1, sizeof(*module->vm));
	if (names && bytes && module->vm)
		take_vm_symbols(module->vm, bytes, table->size, names,
				strings->size);
	fl_free(names);
	fl_free(bytes);
}

/*
 * Whether reading its tables is slow.  Of a file without symbols those of
 * another one are read, which may be large, too.
 */
static bool is_large(const struct fl_elf *elf)
{
	enum { LARGE = 4 << 20 };	/* bytes: some 20 ms */
	uint64_t size = 0;
	bool symbols = false;

	for (size_t i = 0; i < elf->nsections; i++) {
		const struct fl_elf_section *s = &elf->sections[i];

		symbols |= s->type == SHT_SYMTAB;
		if (s->type != SHT_NOBITS && !(s->flags & SHF_EXECINSTR) &&
		    s->size <= elf->size)
			size += s->size;
	}
	return size > LARGE || (!symbols && elf->build_id_size);
}

static void load(struct fl_processes *all, pid_t pid,
		 const struct fl_mapping *mapping)
{
	struct fl_module *module = mapping->module;
	bool busy;
	int fd;

	if (strcmp(module->path, "[vdso]") == 0) {
		module->elf = fl_elf_vdso();
	} else {
		fd = open_mapped(module, pid, mapping);
		module->elf = fd < 0 ? NULL : fl_elf_open(fd);
	}
	if (module->elf && !fl_elf_is_own(module->elf)) {
		fl_elf_close(module->elf);
		module->elf = NULL;
	}
	if (!module->elf)
		return;
	busy = all->busy && is_large(module->elf);
	if (busy)
		all->busy(all->busy_arg, true);
	read_elf(all, module, pid);
	if (fl_is_jvm_path(module->path) || fl_is_python_path(module->path))
		read_vm_symbols(module);
	if (fl_is_python_path(module->path))
		fl_cpython_find_loop(module);
	if (busy)
		all->busy(all->busy_arg, false);
	if (module->elf->refused)
		fl_warn(all->flame, "%s: its tables claim more than the disk "
			"holds of it, or than 256 MB: functions may have no "
			"names and stacks may end in it", module->path);
	fl_module_read_end(module);
}

void fl_module_load(struct fl_processes *all, pid_t pid,
		    const struct fl_mapping *mapping)
{
	int64_t begin;

	if (mapping->module->loaded)
		return;
	mapping->module->loaded = true;
	begin = fl_process_begin_read(all);
	load(all, pid, mapping);
	all->loading += fl_process_begin_read(all) - begin;
}

void fl_module_free(struct fl_module *module)
{
	fl_elf_close(module->elf);
	fl_cfi_free(&module->cfi);
	fl_symbols_free(&module->symbols);
	fl_free(module->vm);
	fl_free(module->path);
	fl_free(module);
}

/* Ids in the index are places in the array: it is made anew. */
static bool index_modules(struct fl_processes *all)
{
	fl_index_free(&all->modules_index);
	for (size_t i = 0; i < all->nmodules; i++) {
		const struct fl_module *m = all->modules[i];

		if (!fl_index_add(&all->modules_index,
				  hash_of(m->path, m->device, m->inode),
				  (uint32_t)i + 1))
			return false;
	}
	return true;
}

void fl_modules_sweep(struct fl_processes *all)
{
	size_t n = 0;

	if (all->nmodules < FL_MAX(all->modules_most, (size_t)MODULES))
		return;
	for (size_t i = 0; i < all->count; i++)
		for (size_t k = 0; k < all->data[i]->maps.count; k++)
			if (all->data[i]->maps.data[k].module)
				all->data[i]->maps.data[k].module->used = true;
	for (size_t i = 0; i < all->nmodules; i++) {
		struct fl_module *module = all->modules[i];

		if (!module->used) {
			fl_module_free(module);
			continue;
		}
		module->used = false;
		all->modules[n++] = module;
	}
	all->modules_dropped += n < all->nmodules;
	memset(all->named, 0, sizeof(all->named));
	all->nmodules = n;
	all->modules_most = n + MODULES;
	if (!index_modules(all))
		fl_no_memory(all->flame);
}
