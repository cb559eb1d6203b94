/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The processes of a recording and their mappings, read from /proc/PID/maps and
 * changed by the kernel's events (record.c).  fl_process_frame() makes the
 * frame of an address, by the symbols of the file that is mapped there or the
 * perf map, for unwind.c.
 */
#include "fl.h"

#include "sample/process.h"
#include "sample/apart.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/sysmacros.h>
#include <time.h>
#include <unistd.h>

enum {
	MAX_COMM = 64
};

int64_t fl_now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

/* Mappings ---------------------------------------------------------------- */

static bool is_file(const char *path)
{
	return path[0] == '/' && path[1] != '/' &&
	       strncmp(path, "/memfd:", 7) != 0 &&
	       strncmp(path, "/dev/", 5) != 0 &&
	       strncmp(path, "/anon_hugepage", 14) != 0;
}

void fl_process_map(struct fl_processes *all, struct fl_process *p,
		    const struct fl_mapping *mapping)
{
	if (mapping->start >= mapping->end)
		return;
	if (!fl_mappings_add(&p->maps, mapping))
		fl_no_memory(all->flame);
	p->has_maps = true;
	if (mapping->module && fl_is_jvm_path(mapping->module->path))
		p->has_labels = false;
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

	if (p->exited || (p->maps_read && now - p->maps_read < FL_REREAD_NS))
		return false;
	p->maps_read = now;
	text = fl_read_proc(p->pid, "maps", &size);
	if (!text || !size) {
		fl_free(text);
		return false;
	}
	p->maps.count = 0;
	p->has_maps = true;
	for (char *at = text; (lf = strchr(at, '\n')); at = lf + 1) {
		*lf = '\0';
		add_line(all, p, at);
	}
	fl_free(text);
	return true;
}

const struct fl_mapping *fl_process_mapping(struct fl_processes *all,
					    struct fl_process *p, uint64_t at)
{
	const struct fl_mapping *m = fl_mappings_at(&p->maps, at);

	if (!m && fl_process_read_maps(all, p))
		m = fl_mappings_at(&p->maps, at);
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
	text = fl_read_proc(p->pid, "comm", &size);
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

/* 0: not known, or none. */
static pid_t parent_of(pid_t pid)
{
	size_t size;
	char *text = fl_read_proc(pid, "stat", &size), *end;
	int parent = 0;

	/* "PID (COMM) STATE PPID", with anything in COMM. */
	end = text ? strrchr(text, ')') : NULL;
	if (end && sscanf(end + 1, " %*c %d", &parent) != 1)
		parent = 0;
	fl_free(text);
	return parent;
}

/* 0: its command line says nothing. */
static flame_id command_labels(struct flame *flame, pid_t pid)
{
	static const enum fl_path_key keys[] = { FL_PATH_EXECUTOR, FL_PATH_APP };
	size_t size;
	char *line = fl_read_proc(pid, "cmdline", &size);
	struct slice value;
	flame_id labels = 0;

	for (size_t i = 0; line && i + 1 < size; i++)
		if (!line[i])
			line[i] = ' ';
	for (size_t i = 0; line && i < FL_COUNT(keys); i++)
		if (fl_command_label(line, keys[i], &value))
			labels = flame_label(flame, labels,
				fl_name(flame, fl_path_keys[keys[i]]),
				flame_name(flame, value.data, value.size));
	fl_free(line);
	return labels;
}

/* p NULL: nothing is known of it. */
static bool may_be_jvm(const struct fl_processes *all,
		       const struct fl_process *p)
{
	return !p || !p->has_maps || fl_process_is_jvm(p) ||
	       fl_slice_starts(fl_name_at(all->flame, p->comm), "java");
}

flame_id fl_process_labels(struct fl_processes *all, struct fl_process *p)
{
	enum { MAX_FORKS = 16 };
	struct fl_process *parents[MAX_FORKS];
	pid_t pid = p->pid;
	flame_id labels = 0;
	size_t n = 0;

	if (p->has_labels || fl_apart_is_unreadable(pid))
		return p->labels;
	/*
	 * A worker of PySpark is three forks below its executor.  Others than
	 * JVMs and their parents begin by the thousand: nothing of them is read.
	 */
	while (n < MAX_FORKS && pid > 1 && !labels) {
		struct fl_process *q = fl_process_find(all, pid);

		if (q && q->has_labels) {
			labels = q->labels;
			break;
		}
		if (may_be_jvm(all, q))
			labels = command_labels(all->flame, pid);
		parents[n++] = q;
		pid = q && q->parent ? q->parent : parent_of(pid);
	}
	while (n--) {
		if (!parents[n])
			continue;
		if (labels)
			parents[n]->labels = labels;
		parents[n]->has_labels = true;
	}
	return p->labels;
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
	p->programs++;
	fl_forget_memory(p->pid);
	p->has_labels = false;
	p->maps.count = 0;
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
	child->parent = parent->pid;
	child->comm = parent->comm;
	child->tracked = parent->tracked;
	child->exited = false;
	fl_process_exec(child);
	child->labels = parent->labels;
	child->has_maps = parent->has_maps;
	if (!fl_mappings_copy(&child->maps, &parent->maps))
		fl_no_memory(all->flame);
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
	fl_forget_memory(p->pid);
	fl_hotspot_free(p->hotspot);
	fl_cpython_free(p->python);
	fl_mappings_free(&p->maps);
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

	all->has_jvm = all->has_python = false;
	for (size_t i = all->count; i--;) {
		struct fl_process *p = all->data[i];

		all->has_jvm |= p->hotspot != NULL;
		all->has_python |= p->python && !p->exited;
		if (p->exited && now - p->exit_time > 2000000000)
			drop(all, p);
	}
	fl_modules_sweep(all);
}

void fl_processes_free(struct fl_processes *all)
{
	for (size_t i = 0; i < all->count; i++) {
		fl_hotspot_free(all->data[i]->hotspot);
		fl_cpython_free(all->data[i]->python);
		fl_mappings_free(&all->data[i]->maps);
		fl_symbols_free(&all->data[i]->jit);
		fl_free(all->data[i]);
	}
	for (size_t i = 0; i < all->nmodules; i++)
		fl_module_free(all->modules[i]);
	fl_free(all->data);
	fl_free(all->modules);
	fl_index_free(&all->modules_index);
	fl_map_free(&all->by_pid);
	fl_kernel_free(&all->kernel);
	fl_places_free(all->places);
	fl_buf_free(&all->buf);
}

/* Names ------------------------------------------------------------------- */

flame_id fl_symbol_frame(struct fl_processes *all, const char *name, bool stub,
			 flame_id file, enum flame_type type)
{
	struct fl_buf *buf = &all->buf;

	buf->size = 0;
	/* "clock_gettime@@GLIBC_2.17" */
	if (!fl_demangle_symbol(buf, name))
		fl_buf_put(buf, name, strcspn(name, "@"));
	if (stub)
		fl_buf_text(buf, "@plt");
	return flame_frame(all->flame, &(struct flame_frame){
		.name = flame_name(all->flame, buf->data, buf->size),
		.file = file, .type = type,
	});
}

/*
 * A function without a symbol is named after its place in the file, which
 * .eh_frame has: functions of a stripped program stay apart.
 */
static flame_id range_frame(struct fl_processes *all, struct fl_module *module,
			    uint64_t address)
{
	struct fl_cfi_range *range = fl_cfi_range_at(&module->cfi, address);
	struct flame_frame frame;
	struct fl_buf *buf = &all->buf;
	struct slice name;
	char place[24];

	if (!range)
		return module->unknown;
	if (range->name)
		return range->name;
	frame = all->flame->frames.data[module->unknown];
	name = fl_name_at(all->flame, frame.name);
	/* "[b]" becomes "[b+0x11a0]". */
	name.size -= fl_slice_ends(name, "]");
	snprintf(place, sizeof(place), "+0x%" PRIx64 "]", range->start);
	buf->size = 0;
	fl_buf_put(buf, name.data, name.size);
	fl_buf_text(buf, place);
	frame.name = flame_name(all->flame, buf->data, buf->size);
	range->name = flame_frame(all->flame, &frame);
	return range->name;
}

static flame_id unknown_frame(struct fl_processes *all)
{
	if (!all->unknown)
		all->unknown = fl_frame(all->flame,
					fl_name(all->flame, "[unknown]"),
					FLAME_UNKNOWN);
	return all->unknown;
}

static flame_id symbol_frame(struct fl_processes *all,
			     const struct fl_module *module,
			     struct fl_symbol *symbol)
{
	if (!symbol->frame)
		symbol->frame = fl_symbol_frame(
			all, symbol->name, symbol->stub, module->file,
			fl_is_jvm_path(module->path) ? FLAME_CPP :
						       FLAME_NATIVE);
	return symbol->frame;
}

/* The function at an offset in a file; NULL: there is no code. */
static struct fl_named *name_at(struct fl_processes *all,
				struct fl_module *module, uint64_t offset)
{
	uint64_t hash = fl_hash_pair((uintptr_t)module, offset);
	struct fl_named *named = &all->named[hash % FL_COUNT(all->named)];
	struct fl_symbol *symbol;
	uint64_t address;

	if (named->module == module && named->offset == offset)
		return named;
	if (!module->elf || !fl_elf_address(module->elf, offset, &address))
		return NULL;
	symbol = fl_symbols_at(&module->symbols, address);
	*named = (struct fl_named){
		.module = module, .offset = offset, .address = address,
		.symbol = symbol,
		.frame = symbol ? symbol_frame(all, module, symbol) :
				  range_frame(all, module, address),
	};
	return named;
}

flame_id fl_process_frame(struct fl_processes *all, struct fl_process *p,
			  uint64_t at, struct fl_symbol **found)
{
	const struct fl_mapping *m = fl_process_mapping(all, p, at);
	struct fl_symbol *symbol = NULL;
	struct fl_named *named;

	*found = NULL;
	if (!m)
		return unknown_frame(all);
	if (!m->module) {
		symbol = fl_symbols_at(&p->jit, at);
		if (!symbol) {
			fl_process_read_jit(all, p);
			symbol = fl_symbols_at(&p->jit, at);
		}
		if (!symbol)
			return unknown_frame(all);
		if (!symbol->frame)
			symbol->frame = fl_process_jit_frame(all, p, symbol);
		*found = symbol;
		return symbol->frame;
	}
	fl_module_load(all, p->pid, m);
	named = name_at(all, m->module, at - m->start + m->offset);
	if (!named)
		return m->module->unknown;
	*found = named->symbol;
	return m->module->debug ? fl_places_frame(all->places, m->module->debug,
						  named->address, named->frame) :
				  named->frame;
}
