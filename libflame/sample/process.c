/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Processes and what is mapped in them; names of addresses.
 *
 * Files are opened by the process's own view of them: /proc/PID/map_files, which
 * also has deleted files, or the path below /proc/PID/root.
 */
#include "fl.h"

#include "sample/sample.h"
#include "format/perf/frame.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

enum {
	MAX_TEXT = 256 << 20,		/* of a perf map or /proc file */
	MAX_COMM = 64
};
#define REREAD_NS INT64_C(200000000)	/* between readings of one file */

int64_t fl_now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

/* Files ----------------------------------------------------------------- */

static int only_regular(int fd)
{
	struct stat st;

	if (fd >= 0 && (fstat(fd, &st) != 0 || !S_ISREG(st.st_mode))) {
		close(fd);
		errno = EINVAL;
		return -1;
	}
	return fd;
}

int fl_open_in_root(pid_t pid, const char *path, bool follow)
{
	struct open_how how = {
		.flags = O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY,
		.resolve = RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS |
			   (follow ? 0 : RESOLVE_NO_SYMLINKS),
	};
	char root[64];
	int dir, fd;

	snprintf(root, sizeof(root), "/proc/%d/root", (int)pid);
	dir = open(root, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (dir < 0)
		return -1;
	fd = (int)syscall(SYS_openat2, dir, path, &how, sizeof(how));
	close(dir);
	return only_regular(fd);
}

char *fl_read_file(int fd, size_t limit, size_t *size)
{
	struct fl_buf buf = { 0 };
	ssize_t n;

	do {
		char *to = fl_buf_reserve(&buf, 1 << 16);

		n = to ? read(fd, to, 1 << 16) : -1;
		if (n > 0)
			buf.size += (size_t)n;
	} while (n > 0 && buf.size < limit);
	if (n < 0 || !fl_buf_reserve(&buf, 1)) {
		fl_buf_free(&buf);
		return NULL;
	}
	buf.data[buf.size] = '\0';
	*size = buf.size;
	return buf.data;
}

static char *read_proc(pid_t pid, const char *name, size_t *size)
{
	char path[64], *text;
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/%s", (int)pid, name);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return NULL;
	text = fl_read_file(fd, MAX_TEXT, size);
	close(fd);
	return text;
}

/* Modules --------------------------------------------------------------- */

static uint64_t hash_of(const char *path, uint64_t device, uint64_t inode)
{
	return fl_hash_pair(fl_hash(path, strlen(path)),
			    fl_hash_pair(device, inode));
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
	fl_perf_dso_name(buf, (struct slice){ path, strlen(path) });
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
	/* File systems in layers tell another device here than there. */
	return !module->inode || (uint64_t)st.st_ino == module->inode ||
	       (uint64_t)st.st_dev != module->device;
}

static int open_mapped(const struct fl_module *module, pid_t pid,
		       const struct fl_mapping *mapping)
{
	char path[96];
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/map_files/%" PRIx64 "-%" PRIx64,
		 (int)pid, mapping->start, mapping->end);
	fd = only_regular(open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK));
	if (fd >= 0)
		return fd;
	fd = fl_open_in_root(pid, module->path, true);
	/* The process may be gone. */
	if (fd < 0 && errno == ENOENT)
		fd = only_regular(open(module->path,
				       O_RDONLY | O_CLOEXEC | O_NONBLOCK));
	if (fd >= 0 && !is_same_file(module, fd)) {
		close(fd);
		return -1;
	}
	return fd;
}

static struct fl_elf *open_debug(const char *path)
{
	int fd = only_regular(open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK));

	return fd < 0 ? NULL : fl_elf_open(fd);
}

static bool is_debug_of(const struct fl_elf *debug, const struct fl_elf *elf)
{
	return debug && (!elf->build_id_size ||
			 (elf->build_id_size == debug->build_id_size &&
			  memcmp(elf->build_id, debug->build_id,
				 elf->build_id_size) == 0));
}

/* By the build id, as distributions lay them. */
static struct fl_elf *debug_by_id(const struct fl_elf *elf)
{
	char path[128];
	int n;

	if (elf->build_id_size < 2)
		return NULL;
	n = snprintf(path, sizeof(path), "/usr/lib/debug/.build-id/%02x/",
		     elf->build_id[0]);
	for (size_t i = 1; i < elf->build_id_size; i++)
		n += snprintf(path + n, sizeof(path) - (size_t)n, "%02x",
			      elf->build_id[i]);
	snprintf(path + n, sizeof(path) - (size_t)n, ".debug");
	return open_debug(path);
}

/* By .gnu_debuglink: a name, beside the file or below /usr/lib/debug. */
static struct fl_elf *debug_by_link(const struct fl_elf *elf, const char *path)
{
	static const char *const forms[] = {
		"%.*s/%s", "%.*s/.debug/%s", "/usr/lib/debug%.*s/%s"
	};
	char *link = fl_elf_copy(elf, fl_elf_section(elf, ".gnu_debuglink"));
	const char *slash = strrchr(path, '/');
	struct fl_elf *debug = NULL;
	char name[4096];

	for (size_t i = 0; link && slash && !debug && !strchr(link, '/') &&
	     i < FL_COUNT(forms); i++) {
		snprintf(name, sizeof(name), forms[i], (int)(slash - path),
			 path, link);
		if (strcmp(name, path) == 0)
			continue;
		debug = open_debug(name);
		if (debug && !is_debug_of(debug, elf)) {
			fl_elf_close(debug);
			debug = NULL;
		}
	}
	fl_free(link);
	return debug;
}

static struct fl_elf *open_vdso(void)
{
	const Elf64_Ehdr *e = (const void *)(uintptr_t)
			      getauxval(AT_SYSINFO_EHDR);

	/* The sections stand at its end. */
	return e ? fl_elf_memory(e, e->e_shoff +
				    (size_t)e->e_shnum * e->e_shentsize) : NULL;
}

static void read_elf(struct fl_module *module)
{
	const struct fl_elf_section *section;
	struct fl_elf *elf = module->elf, *debug = NULL;
	void *frame;

	section = fl_elf_section(elf, ".eh_frame");
	frame = fl_elf_copy(elf, section);
	if (frame)
		fl_cfi_init(&module->cfi, frame, section->size,
			    section->address);
	if (!fl_elf_section(elf, ".symtab")) {
		debug = debug_by_id(elf);
		if (!debug)
			debug = debug_by_link(elf, module->path);
	}
	fl_symbols_elf(&module->symbols, elf, debug);
	fl_elf_close(debug);
}

static bool is_vm_symbol(const char *name)
{
	return strncmp(name, "gHotSpotVM", 10) == 0 ||
	       strcmp(name, "_PyRuntime") == 0 ||
	       strcmp(name, "Py_Version") == 0;
}

static bool is_jvm_path(const char *path)
{
	return fl_slice_ends((struct slice){ path, strlen(path) },
			     "/libjvm.so");
}

/* "/usr/bin/python3.11", "/usr/lib/libpython3.12.so.1.0" */
static bool is_python_path(const char *path)
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
	const struct fl_elf *elf = module->elf;
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

void fl_module_load(struct fl_module *module, pid_t pid,
		    const struct fl_mapping *mapping)
{
	int fd;

	if (module->loaded)
		return;
	module->loaded = true;
	if (strcmp(module->path, "[vdso]") == 0) {
		module->elf = open_vdso();
	} else {
		fd = open_mapped(module, pid, mapping);
		module->elf = fd < 0 ? NULL : fl_elf_open(fd);
	}
	if (!module->elf)
		return;
	read_elf(module);
	if (is_jvm_path(module->path) || is_python_path(module->path))
		read_vm_symbols(module);
	/* Many files are mapped: only their tables are kept. */
	if (module->elf->fd >= 0) {
		close(module->elf->fd);
		module->elf->fd = -1;
		module->elf->size = 0;
	}
}

static void free_module(struct fl_module *module)
{
	fl_elf_close(module->elf);
	fl_cfi_free(&module->cfi);
	fl_symbols_free(&module->symbols);
	fl_free(module->vm);
	fl_free(module->path);
	fl_free(module);
}

/* Mappings ---------------------------------------------------------------- */

static bool is_file(const char *path)
{
	return path[0] == '/' && path[1] != '/' &&
	       strncmp(path, "/memfd:", 7) != 0 &&
	       strncmp(path, "/dev/", 5) != 0 &&
	       strncmp(path, "/anon_hugepage", 14) != 0;
}

/* Takes out what a new mapping covers. */
static bool make_hole(struct fl_process *p, uint64_t start, uint64_t end)
{
	size_t n = p->nmaps;

	if (!fl_grow(&p->maps, &p->maps_capacity, n + 2, sizeof(*p->maps)))
		return false;
	for (size_t i = 0; i < p->nmaps;) {
		struct fl_mapping *m = &p->maps[i], right = *m;

		if (m->end <= start || m->start >= end) {
			i++;
			continue;
		}
		if (m->start < start && m->end > end) {
			memmove(m + 2, m + 1,
				(p->nmaps - i - 1) * sizeof(*m));
			p->nmaps++;
			m->end = start;
			right.offset += end - right.start;
			right.start = end;
			m[1] = right;
			break;
		}
		if (m->start < start) {
			m->end = start;
			i++;
		} else if (m->end > end) {
			m->offset += end - m->start;
			m->start = end;
			i++;
		} else {
			memmove(m, m + 1, (p->nmaps - i - 1) * sizeof(*m));
			p->nmaps--;
		}
	}
	return true;
}

void fl_process_map(struct fl_processes *all, struct fl_process *p,
		    const struct fl_mapping *mapping)
{
	size_t i;

	if (mapping->start >= mapping->end)
		return;
	if (!make_hole(p, mapping->start, mapping->end) ||
	    !fl_grow(&p->maps, &p->maps_capacity, p->nmaps + 1,
		     sizeof(*p->maps))) {
		fl_no_memory(all->flame);
		return;
	}
	for (i = p->nmaps; i && p->maps[i - 1].start > mapping->start; i--)
		p->maps[i] = p->maps[i - 1];
	p->maps[i] = *mapping;
	p->nmaps++;
	p->has_maps = true;
}

/* The module of a mapping's path; NULL: its code is in no file. */
static struct fl_module *module_of(struct fl_processes *all, char *path,
				   uint64_t device, uint64_t inode)
{
	struct slice s = { path, strlen(path) };
	struct fl_module *module;

	if (fl_slice_ends(s, " (deleted)"))
		path[s.size - 10] = '\0';
	if (strcmp(path, "[vdso]") != 0 && !is_file(path))
		return NULL;
	module = fl_module_get(all, path, device, inode);
	if (!module)
		fl_no_memory(all->flame);
	return module;
}

static void add_line(struct fl_processes *all, struct fl_process *p, char *line)
{
	struct fl_mapping m = { 0 };
	unsigned major, minor;
	uint64_t inode;
	char flags[8];
	int n = 0;

	if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %7s %" SCNx64 " %x:%x %"
		   SCNu64 " %n", &m.start, &m.end, flags, &m.offset, &major,
		   &minor, &inode, &n) < 7 || !n || flags[2] != 'x')
		return;
	m.module = module_of(all, line + n, makedev(major, minor), inode);
	fl_process_map(all, p, &m);
}

bool fl_process_read_maps(struct fl_processes *all, struct fl_process *p)
{
	int64_t now = fl_now();
	size_t size;
	char *text, *lf;

	if (p->exited || (p->maps_read && now - p->maps_read < REREAD_NS))
		return false;
	p->maps_read = now;
	text = read_proc(p->pid, "maps", &size);
	if (!text || !size) {
		fl_free(text);
		return false;
	}
	p->nmaps = 0;
	p->has_maps = true;
	for (char *at = text; (lf = strchr(at, '\n')); at = lf + 1) {
		*lf = '\0';
		add_line(all, p, at);
	}
	fl_free(text);
	return true;
}

static const struct fl_mapping *find(const struct fl_process *p, uint64_t at)
{
	size_t low = 0, high = p->nmaps;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (p->maps[middle].start <= at)
			low = middle + 1;
		else
			high = middle;
	}
	return low && at < p->maps[low - 1].end ? &p->maps[low - 1] : NULL;
}

const struct fl_mapping *fl_process_mapping(struct fl_processes *all,
					    struct fl_process *p, uint64_t at)
{
	const struct fl_mapping *m = find(p, at);

	if (!m && fl_process_read_maps(all, p))
		m = find(p, at);
	return m;
}

/* Processes ------------------------------------------------------------- */

struct fl_process *fl_process_find(struct fl_processes *all, pid_t pid)
{
	const uint64_t *place = fl_map_get(&all->by_pid, (uint64_t)pid);

	return place && *place ? all->data[*place - 1] : NULL;
}

struct fl_process *fl_process_get(struct fl_processes *all, pid_t pid)
{
	uint64_t *place = fl_map_put(&all->by_pid, (uint64_t)pid, NULL);
	struct fl_process *p;

	if (place && *place)
		return all->data[*place - 1];
	p = place ? fl_zeroed(1, sizeof(*p)) : NULL;
	if (!p || !fl_grow(&all->data, &all->capacity, all->count + 1,
			   sizeof(struct fl_process *))) {
		fl_free(p);
		fl_no_memory(all->flame);
		return NULL;
	}
	p->pid = pid;
	all->data[all->count++] = p;
	*place = all->count;
	return p;
}

flame_id fl_process_comm(struct fl_processes *all, struct fl_process *p)
{
	size_t size;
	char *text;

	if (p->comm)
		return p->comm;
	text = read_proc(p->pid, "comm", &size);
	if (text && size && text[size - 1] == '\n')
		size--;
	if (text && size)
		p->comm = flame_name(all->flame, text,
				     FL_MIN(size, (size_t)MAX_COMM));
	else
		p->comm = fl_name(all->flame, "[unknown]");
	fl_free(text);
	return p->comm;
}

void fl_process_check_comm(struct fl_processes *all, struct fl_process *p)
{
	flame_id before = p->comm;

	p->comm = 0;
	if (fl_process_comm(all, p) == before || !before)
		return;
	fl_process_exec(p);
	p->has_maps = false;
}

void fl_process_exec(struct fl_process *p)
{
	p->nmaps = 0;
	p->has_maps = true;	/* records of the new ones follow */
	p->maps_read = 0;
	fl_symbols_free(&p->jit);
	p->jit_read = 0;
	p->jit_size = p->jit_time = 0;
	fl_hotspot_free(p->hotspot);
	p->hotspot = NULL;
	p->hotspot_tried = 0;
	p->hotspot_refused = false;
	fl_cpython_free(p->python);
	p->python = NULL;
	p->python_tried = 0;
	p->python_refused = false;
}

void fl_process_fork(struct fl_processes *all, const struct fl_process *parent,
		     struct fl_process *child)
{
	child->comm = parent->comm;
	child->tracked = parent->tracked;
	child->exited = false;
	fl_process_exec(child);
	child->has_maps = parent->has_maps;
	if (!fl_grow(&child->maps, &child->maps_capacity, parent->nmaps,
		     sizeof(*child->maps))) {
		fl_no_memory(all->flame);
		return;
	}
	if (parent->nmaps)
		memcpy(child->maps, parent->maps,
		       parent->nmaps * sizeof(*child->maps));
	child->nmaps = parent->nmaps;
}

/* The pid may be used again. */
static void drop(struct fl_processes *all, struct fl_process *p)
{
	uint64_t *place = fl_map_get(&all->by_pid, (uint64_t)p->pid);
	struct fl_process *last = all->data[all->count - 1];
	uint64_t i = *place;

	*place = 0;
	if (last != p) {
		all->data[i - 1] = last;
		*fl_map_get(&all->by_pid, (uint64_t)last->pid) = i;
	}
	all->count--;
	fl_hotspot_free(p->hotspot);
	fl_cpython_free(p->python);
	fl_free(p->maps);
	fl_symbols_free(&p->jit);
	fl_free(p);
}

/* Records of the last moments may still come: see fl_processes_sweep. */
void fl_process_exit(struct fl_process *p)
{
	p->exited = true;
	p->exit_time = fl_now();
}

void fl_processes_sweep(struct fl_processes *all)
{
	int64_t now = fl_now();

	for (size_t i = all->count; i--;)
		if (all->data[i]->exited &&
		    now - all->data[i]->exit_time > 2000000000)
			drop(all, all->data[i]);
}

void fl_processes_free(struct fl_processes *all)
{
	for (size_t i = 0; i < all->count; i++) {
		fl_hotspot_free(all->data[i]->hotspot);
		fl_cpython_free(all->data[i]->python);
		fl_free(all->data[i]->maps);
		fl_symbols_free(&all->data[i]->jit);
		fl_free(all->data[i]);
	}
	for (size_t i = 0; i < all->nmodules; i++)
		free_module(all->modules[i]);
	fl_free(all->data);
	fl_free(all->modules);
	fl_index_free(&all->modules_index);
	fl_map_free(&all->by_pid);
	fl_symbols_free(&all->kernel);
	fl_buf_free(&all->buf);
}

/* Perf maps ------------------------------------------------------------- */

pid_t fl_inner_pid(pid_t pid)
{
	size_t size;
	char *text = read_proc(pid, "status", &size), *at, *end;
	pid_t inner = pid;

	at = text ? strstr(text, "\nNSpid:") : NULL;
	end = at ? strchr(at + 1, '\n') : NULL;
	if (end) {
		while (end > at && fl_is_digit(end[-1]))
			end--;
		inner = (pid_t)strtol(end, NULL, 10);
	}
	fl_free(text);
	return inner > 0 ? inner : pid;
}

/* Of the target's owner or root: anybody else could lay it there. */
static bool has_good_owner(const struct fl_process *p, const struct stat *st)
{
	struct stat owner;
	char path[32];

	snprintf(path, sizeof(path), "/proc/%d", (int)p->pid);
	return stat(path, &owner) == 0 &&
	       (st->st_uid == owner.st_uid || st->st_uid == 0);
}

static void refuse_map(struct fl_processes *all, struct fl_process *p,
		       const char *path, const char *why)
{
	if (!p->jit_refused)
		fl_warn(all->flame, "%s is not read: %s", path, why);
	p->jit_refused = true;
}

static void read_jit(struct fl_processes *all, struct fl_process *p)
{
	int64_t now = fl_now();
	struct stat st;
	char path[64], *text;
	size_t size;
	int fd;

	if (p->exited || (p->jit_read && now - p->jit_read < REREAD_NS))
		return;
	p->jit_read = now;
	snprintf(path, sizeof(path), "/tmp/perf-%d.map",
		 (int)fl_inner_pid(p->pid));
	fd = fl_open_in_root(p->pid, path, false);
	if (fd < 0) {
		if (errno == ELOOP)
			refuse_map(all, p, path, "it is a symbolic link");
		else if (errno == EINVAL)
			refuse_map(all, p, path, "it is no regular file");
		return;
	}
	if (fstat(fd, &st) != 0 || !has_good_owner(p, &st)) {
		refuse_map(all, p, path, "it belongs to somebody else");
	} else if ((uint64_t)st.st_size != p->jit_size ||
		   (uint64_t)st.st_mtim.tv_nsec != p->jit_time) {
		text = fl_read_file(fd, MAX_TEXT, &size);
		fl_symbols_free(&p->jit);
		if (text)
			fl_symbols_map(&p->jit, text, size);
		p->jit_size = (uint64_t)st.st_size;
		p->jit_time = (uint64_t)st.st_mtim.tv_nsec;
		p->jit_file = flame_name(all->flame, path, strlen(path));
	}
	close(fd);
}

/* A method's name in one of the spellings of perf maps. */
static flame_id jit_frame(struct fl_processes *all, struct fl_process *p,
			  const struct fl_symbol *symbol)
{
	static const struct fl_perf_options options = { 0 };
	struct slice file = fl_name_at(all->flame, p->jit_file);
	struct fl_perf_naming naming = {
		.flame = all->flame, .options = &options
	};
	struct fl_perf_frame frame = {
		.symbol = { symbol->name, strlen(symbol->name) },
		.dso = file, .ip = { "", 0 },
	};
	struct fl_perf_list list = { 0 };
	flame_id id;

	frame.raw = frame.symbol;
	fl_perf_name(&naming, &frame, &list);
	id = list.n ? list.at[list.n - 1] : 0;
	fl_free(list.at);
	fl_buf_free(&naming.buf);
	return id;
}

/* Java ------------------------------------------------------------------ */

bool fl_process_read(void *arg, uint64_t at, void *to, size_t size)
{
	const struct fl_process *p = arg;
	struct iovec local = { to, size };
	struct iovec remote = { (void *)(uintptr_t)at, size };

	return process_vm_readv(p->pid, &local, 1, &remote, 1, 0) ==
	       (ssize_t)size;
}

static const struct fl_mapping *find_path(const struct fl_process *p,
					  bool (*is_it)(const char *path))
{
	for (size_t i = 0; i < p->nmaps; i++)
		if (p->maps[i].module && is_it(p->maps[i].module->path))
			return &p->maps[i];
	return NULL;
}

/* Why a JVM's frames are not there; said once. */
static void refuse_jvm(struct fl_processes *all, struct fl_process *p,
		       int major)
{
	char byte;

	p->hotspot_refused = true;
	if (!fl_process_read(p, p->maps[0].start, &byte, 1)) {
		if (errno != ESRCH)
			fl_warn(all->flame, "cannot read process %d's memory "
				"(ptrace_scope=1 or missing CAP_SYS_PTRACE): "
				"Java frames unavailable. Try: sudo sysctl "
				"kernel.yama.ptrace_scope=0, or --cap-add "
				"SYS_PTRACE", (int)p->pid);
		return;
	}
	if (major)
		fl_warn(all->flame, "process %d is a JVM of release %d, whose "
			"frames cannot be read: Java methods come from its "
			"perf map, if it has one (jcmd %d Compiler.perfmap)",
			(int)p->pid, major, (int)p->pid);
	else
		fl_warn(all->flame, "process %d is a JVM that exports no "
			"tables of itself: no Java frames", (int)p->pid);
}

bool fl_process_is_jvm(const struct fl_process *p)
{
	return find_path(p, is_jvm_path);
}

/* What a mapped file exports, at addresses of the process. */
static bool exported_symbols(const struct fl_process *p,
			     const struct fl_mapping *m,
			     struct fl_vm_symbols *vm)
{
	uint64_t address;

	if (!m)
		return false;
	fl_module_load(m->module, p->pid, m);
	if (!m->module->vm || !m->module->elf ||
	    !fl_elf_address(m->module->elf, m->offset, &address))
		return false;
	*vm = *m->module->vm;
	for (size_t i = 0; i < vm->count; i++)
		vm->data[i].address += m->start - address;
	return vm->count > 0;
}

int fl_process_jvm_release(struct fl_processes *all, struct fl_process *p)
{
	struct fl_memory memory = { fl_process_read, p };
	struct fl_vm_symbols vm;
	int major = 0;

	if (!p->hotspot &&
	    exported_symbols(p, find_path(p, is_jvm_path), &vm))
		p->hotspot = fl_hotspot_new(all->flame, &memory, &vm, &major);
	return major;
}

/* A shared library has it, or the program itself. */
static bool is_libpython_path(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash && strncmp(slash, "/libpython", 10) == 0;
}

static void open_python(struct fl_processes *all, struct fl_process *p)
{
	struct fl_memory memory = { fl_process_read, p };
	struct fl_vm_symbols vm;
	unsigned minor = 0;

	p->python_tried = fl_now();
	if (!exported_symbols(p, find_path(p, is_libpython_path), &vm) &&
	    !exported_symbols(p, find_path(p, is_python_path), &vm))
		return;
	p->python = fl_cpython_new(all->flame, &memory, &vm, &minor);
	if (p->python || !minor)
		return;
	p->python_refused = true;
	fl_warn(all->flame, "process %d is Python 3.%u, whose frames cannot be "
		"read: native frames only (python -X perf names its own)",
		(int)p->pid, minor);
}

struct fl_cpython *fl_process_python(struct fl_processes *all,
				     struct fl_process *p)
{
	if (!p->python && !p->python_refused && !p->exited &&
	    (!p->python_tried || fl_now() - p->python_tried > REREAD_NS))
		open_python(all, p);
	return p->python;
}

static void open_jvm(struct fl_processes *all, struct fl_process *p)
{
	int major;

	p->hotspot_tried = fl_now();
	if (!fl_process_is_jvm(p))
		return;
	major = fl_process_jvm_release(all, p);
	if (!p->hotspot)
		refuse_jvm(all, p, major);
}

struct fl_hotspot *fl_process_jvm(struct fl_processes *all,
				  struct fl_process *p, uint64_t at)
{
	if (!p->hotspot && !p->hotspot_refused && !p->exited &&
	    (!p->hotspot_tried || fl_now() - p->hotspot_tried > REREAD_NS))
		open_jvm(all, p);
	return p->hotspot && fl_hotspot_has(p->hotspot, at) ? p->hotspot :
							      NULL;
}

void fl_processes_round(struct fl_processes *all)
{
	for (size_t i = 0; i < all->count; i++)
		if (all->data[i]->hotspot)
			fl_hotspot_round(all->data[i]->hotspot);
}

/* Names ------------------------------------------------------------------- */

static flame_id symbol_frame(struct fl_processes *all, struct fl_symbol *symbol,
			     flame_id file, enum flame_type type)
{
	struct fl_buf *buf = &all->buf;

	if (symbol->frame)
		return symbol->frame;
	buf->size = 0;
	/* "clock_gettime@@GLIBC_2.17" */
	if (!fl_demangle(buf, symbol->name))
		fl_buf_put(buf, symbol->name, strcspn(symbol->name, "@"));
	symbol->frame = flame_frame(all->flame, &(struct flame_frame){
		.name = flame_name(all->flame, buf->data, buf->size),
		.file = file, .type = type,
	});
	return symbol->frame;
}

static flame_id unknown_frame(struct fl_processes *all)
{
	if (!all->unknown)
		all->unknown = fl_frame(all->flame,
					fl_name(all->flame, "[unknown]"),
					FLAME_UNKNOWN);
	return all->unknown;
}

flame_id fl_process_frame(struct fl_processes *all, struct fl_process *p,
			  uint64_t at, struct fl_symbol **found)
{
	const struct fl_mapping *m = fl_process_mapping(all, p, at);
	struct fl_symbol *symbol = NULL;
	uint64_t address;

	*found = NULL;
	if (!m)
		return unknown_frame(all);
	if (!m->module) {
		symbol = fl_symbols_at(&p->jit, at);
		if (!symbol) {
			read_jit(all, p);
			symbol = fl_symbols_at(&p->jit, at);
		}
		if (!symbol)
			return unknown_frame(all);
		if (!symbol->frame)
			symbol->frame = jit_frame(all, p, symbol);
		*found = symbol;
		return symbol->frame;
	}
	fl_module_load(m->module, p->pid, m);
	if (m->module->elf &&
	    fl_elf_address(m->module->elf, at - m->start + m->offset,
			   &address))
		symbol = fl_symbols_at(&m->module->symbols, address);
	if (!symbol)
		return m->module->unknown;
	*found = symbol;
	return symbol_frame(all, symbol, m->module->file, FLAME_NATIVE);
}

void fl_kernel_read(struct fl_processes *all)
{
	int fd = open("/proc/kallsyms", O_RDONLY | O_CLOEXEC);
	size_t size;
	char *text = fd < 0 ? NULL : fl_read_file(fd, MAX_TEXT, &size);

	if (fd >= 0)
		close(fd);
	if (text)
		fl_symbols_kernel(&all->kernel, text, size);
	all->kernel_read = true;
	all->kernel_known = all->kernel.count > 0;
}

flame_id fl_kernel_frame(struct fl_processes *all, uint64_t at)
{
	struct fl_symbol *symbol;

	if (!all->kernel_read)
		fl_kernel_read(all);
	symbol = fl_symbols_at(&all->kernel, at);
	if (symbol)
		return symbol_frame(all, symbol,
				    fl_name(all->flame, symbol->module ?
					    symbol->module :
					    "[kernel.kallsyms]"),
				    FLAME_KERNEL);
	if (!all->kernel_unknown)
		all->kernel_unknown = flame_frame(all->flame,
			&(struct flame_frame){
				.name = fl_name(all->flame,
						"[kernel.kallsyms]"),
				.file = fl_name(all->flame,
						"[kernel.kallsyms]"),
				.type = FLAME_KERNEL,
			});
	return all->kernel_unknown;
}
