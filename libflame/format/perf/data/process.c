/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Threads, their names and what is mapped, as records say.  perf itself has
 * some odd rules, which are followed so that names are the same: exec leaves old
 * mappings where nothing new is mapped, and a thread without a name is ":TID".
 */
#include "fl.h"

#include "format/perf/data/data.h"

#include <inttypes.h>
#include <stdio.h>

/* When more threads have ended, they are dropped; mappings of a process. */
enum { MAX_EXITED = 1 << 14, MAX_MAPS = 1 << 20 };
enum { PROT_EXECUTE = 4, MAP_HUGE = 0x40000 };
enum { KSYMBOL_GONE = 1 };

/* Mappings ------------------------------------------------------------ */

static struct fl_perf_maps *new_maps(struct fl_perf_data *d)
{
	struct fl_perf_maps *maps = fl_zeroed(1, sizeof(*maps));

	if (!maps) {
		fl_no_memory(d->flame);
		return NULL;
	}
	maps->users = 1;
	maps->id = ++d->nmaps;
	return maps;
}

static void drop_maps(struct fl_perf_maps *maps)
{
	if (!maps || --maps->users)
		return;
	fl_free(maps->data);
	fl_free(maps);
}

/* Before a change: one that others use, too, becomes a copy. */
static struct fl_perf_maps *own_maps(struct fl_perf_data *d,
				     struct fl_perf_maps **place)
{
	struct fl_perf_maps *maps = *place, *copy;

	if (maps && maps->users == 1)
		return maps;
	copy = new_maps(d);
	if (!copy || !maps)
		return *place = copy;
	if (!fl_grow(&copy->data, &copy->capacity, maps->n,
		     sizeof(*copy->data)))
		fl_no_memory(d->flame);
	else if (maps->n)
		memcpy(copy->data, maps->data,
		       maps->n * sizeof(*copy->data));
	copy->n = copy->capacity >= maps->n ? maps->n : 0;
	drop_maps(maps);
	return *place = copy;
}

/* The number of mappings that begin at `at` or before. */
static size_t count_before(const struct fl_perf_maps *maps, uint64_t at)
{
	size_t low = 0, high = maps->n;

	while (low < high) {
		size_t middle = (low + high) / 2;

		if (maps->data[middle].start <= at)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

const struct fl_perf_map *fl_perf_map_at(struct fl_perf_maps *maps,
					 uint64_t at)
{
	const struct fl_perf_map *map;
	size_t n;

	if (!maps || !maps->n)
		return NULL;
	map = &maps->data[maps->last];
	if (at >= map->start && at < map->end)
		return map;
	n = count_before(maps, at);
	if (!n || at >= maps->data[n - 1].end)
		return NULL;
	maps->last = n - 1;
	return &maps->data[n - 1];
}

/* Puts n mappings in place of those from `from` to `to`. */
static bool replace(struct fl_perf_data *d, struct fl_perf_maps *maps,
		    size_t from, size_t to, const struct fl_perf_map *new,
		    size_t n)
{
	size_t left = maps->n - to;

	if (from + n + left > MAX_MAPS)
		return false;
	if (!fl_grow(&maps->data, &maps->capacity, from + n + left,
		     sizeof(*maps->data))) {
		fl_no_memory(d->flame);
		return false;
	}
	memmove(maps->data + from + n, maps->data + to,
		left * sizeof(*maps->data));
	memcpy(maps->data + from, new, n * sizeof(*new));
	maps->n = from + n + left;
	maps->last = from;
	return true;
}

/* What was there before keeps its parts before and after the new one. */
static void add_map(struct fl_perf_data *d, struct fl_perf_maps **place,
		    const struct fl_perf_map *map)
{
	struct fl_perf_maps *maps = own_maps(d, place);
	struct fl_perf_map new[3];
	size_t from, to, n = 0;

	if (!maps || map->start >= map->end)
		return;
	from = count_before(maps, map->start);
	if (from && maps->data[from - 1].end > map->start)
		from--;
	to = count_before(maps, map->end - 1);
	if (from < to) {
		struct fl_perf_map first = maps->data[from];
		struct fl_perf_map last = maps->data[to - 1];

		if (first.start < map->start) {
			new[n] = first;
			new[n++].end = map->start;
		}
		new[n++] = *map;
		if (last.end > map->end) {
			new[n] = last;
			new[n].offset += map->end - last.start;
			new[n++].start = map->end;
		}
		maps->id = ++d->nmaps;
	} else {
		new[n++] = *map;
	}
	replace(d, maps, from, FL_MAX(from, to), new, n);
}

static void remove_map(struct fl_perf_data *d, struct fl_perf_maps **place,
		       uint64_t start)
{
	struct fl_perf_maps *maps = own_maps(d, place);
	size_t n = maps ? count_before(maps, start) : 0;

	if (!n || maps->data[n - 1].start != start)
		return;
	replace(d, maps, n - 1, n, NULL, 0);
	maps->last = 0;
	maps->id = ++d->nmaps;
}

/* Threads ------------------------------------------------------------- */

static void free_thread(struct fl_perf_data *d, size_t i)
{
	struct fl_perf_thread *thread = d->threads[i];

	drop_maps(thread->maps);
	d->nexited -= thread->exited;
	d->last = NULL;
	fl_free(thread);
	d->threads[i] = NULL;
}

/* Those that have ended make place for others. */
static void sweep(struct fl_perf_data *d)
{
	size_t n = 0;

	fl_map_clear(&d->by_tid);
	for (size_t i = 0; i < d->nthreads; i++) {
		uint64_t *number;

		if (d->threads[i] && d->threads[i]->exited)
			free_thread(d, i);
		if (!d->threads[i])
			continue;
		d->threads[n] = d->threads[i];
		number = fl_map_put(&d->by_tid, d->threads[n]->tid, NULL);
		if (number)
			*number = ++n;
	}
	d->nthreads = n;
}

/* Threads of a process share what is mapped: its first one has it. */
static struct fl_perf_maps **maps_of(struct fl_perf_data *d,
				     struct fl_perf_thread *thread)
{
	struct fl_perf_thread *leader = thread;

	if (thread->pid != thread->tid && thread->pid != UINT32_MAX)
		leader = fl_perf_thread(d, thread->pid, thread->pid);
	return leader ? &leader->maps : &thread->maps;
}

static void remove_thread(struct fl_perf_data *d, uint32_t tid)
{
	uint64_t *number = fl_map_get(&d->by_tid, tid);

	if (number && *number) {
		free_thread(d, *number - 1);
		*number = 0;
	}
}

static struct fl_perf_thread *find_thread(struct fl_perf_data *d, uint32_t tid)
{
	uint64_t *number = fl_map_get(&d->by_tid, tid);

	return number && *number ? d->threads[*number - 1] : NULL;
}

struct fl_perf_thread *fl_perf_thread(struct fl_perf_data *d, uint32_t pid,
				      uint32_t tid)
{
	struct fl_perf_thread *thread = d->last;
	uint64_t *number;

	if (fl_likely(thread && thread->tid == tid && thread->pid == pid))
		return thread;
	thread = find_thread(d, tid);
	if (!thread) {
		number = fl_map_put(&d->by_tid, tid, NULL);
		thread = fl_zeroed(1, sizeof(*thread));
		if (!number || !thread ||
		    !fl_grow(&d->threads, &d->threads_capacity,
			     d->nthreads + 1, sizeof(*d->threads))) {
			fl_free(thread);
			fl_no_memory(d->flame);
			return NULL;
		}
		d->threads[d->nthreads++] = thread;
		*number = d->nthreads;
		thread->pid = pid;
		thread->tid = tid;
		/* The idle one is of no process. */
		if (!tid) {
			thread->comm = fl_name(d->flame, "swapper");
			thread->named = true;
		}
	} else if (thread->pid == UINT32_MAX) {
		thread->pid = pid;
	}
	return d->last = thread;
}

flame_id fl_perf_thread_comm(struct fl_perf_data *d,
			     struct fl_perf_thread *thread)
{
	char text[16];

	if (!thread->comm) {
		snprintf(text, sizeof(text), ":%" PRId32,
			 (int32_t)thread->tid);
		thread->comm = fl_name(d->flame, text);
	}
	return thread->comm;
}

struct fl_perf_maps *fl_perf_thread_maps(struct fl_perf_data *d,
					 struct fl_perf_thread *thread)
{
	return *maps_of(d, thread);
}

/* Records ------------------------------------------------------------- */

void fl_perf_take_comm(struct fl_perf_data *d, struct fl_perf_bytes bytes)
{
	uint32_t pid = fl_perf_take32(&bytes), tid = fl_perf_take32(&bytes);
	struct slice comm = fl_perf_take_text(&bytes, bytes.end - bytes.at);
	struct fl_perf_thread *thread;

	if (bytes.cut)
		return;
	thread = fl_perf_thread(d, pid, tid);
	if (!thread)
		return;
	comm = fl_slice_trim(comm);
	thread->comm = flame_name(d->flame, comm.data, comm.size);
	thread->named = true;
}

void fl_perf_take_fork(struct fl_perf_data *d, struct fl_perf_bytes bytes,
		  unsigned misc)
{
	uint32_t pid = fl_perf_take32(&bytes), ppid = fl_perf_take32(&bytes);
	uint32_t tid = fl_perf_take32(&bytes), ptid = fl_perf_take32(&bytes);
	struct fl_perf_thread *thread, *parent;
	struct fl_perf_maps **from, **to;

	if (bytes.cut)
		return;
	parent = fl_perf_thread(d, ppid, ptid);
	/* The exit of another thread of that number was lost. */
	if (parent && parent->pid != ppid) {
		remove_thread(d, ptid);
		parent = fl_perf_thread(d, ppid, ptid);
	}
	if (!parent || tid == ptid)
		return;
	remove_thread(d, tid);
	thread = fl_perf_thread(d, pid, tid);
	if (!thread)
		return;
	thread->comm = parent->named ? parent->comm : 0;
	thread->named = parent->named;
	if (pid == ppid || misc & PERF_MISC_FORK_EXEC)
		return;
	from = maps_of(d, parent);
	to = maps_of(d, thread);
	if (from == to || !*from)
		return;
	drop_maps(*to);
	(*from)->users++;
	*to = *from;
}

/* It may still have samples: on its way out of the kernel. */
void fl_perf_take_exit(struct fl_perf_data *d, struct fl_perf_bytes bytes)
{
	uint32_t tid;
	struct fl_perf_thread *thread;

	fl_perf_take64(&bytes);
	tid = fl_perf_take32(&bytes);
	thread = bytes.cut ? NULL : find_thread(d, tid);
	if (!thread || thread->exited)
		return;
	thread->exited = true;
	if (++d->nexited > MAX_EXITED)
		sweep(d);
}

/* "[nf_tables]" of "/lib/modules/6.1/kernel/net/nf-tables.ko.xz". */
struct slice fl_perf_module_name(struct fl_perf_data *d, struct slice path)
{
	struct slice base = fl_slice_base(path);
	const char *dot = fl_slice_find(base, ".ko");
	struct fl_buf *buf = &d->text.naming.buf;

	if (path.data[0] == '[' || !dot)
		return path;
	buf->size = 0;
	fl_buf_byte(buf, '[');
	for (const char *at = base.data; at < dot; at++)
		fl_buf_byte(buf, *at == '-' ? '_' : *at);
	fl_buf_byte(buf, ']');
	return fl_buf_slice(buf);
}

static void map_kernel(struct fl_perf_data *d, struct fl_perf_map *map,
		       struct slice name, const uint8_t *id, size_t id_size)
{
	static const char kernel[] = "[kernel.kallsyms]";
	struct fl_perf_dso *dso;

	if (fl_slice_starts(name, kernel))
		dso = fl_perf_dso(d, FL_SLICE(kernel), FL_SLICE(kernel), id,
				  id_size);
	else
		dso = fl_perf_dso(d, fl_perf_module_name(d, name), name, id, id_size);
	if (!dso)
		return;
	dso->kernel = dso->code = true;
	map->dso = dso;
	add_map(d, &d->kernel, map);
}

static bool is_anonymous(struct slice name)
{
	return fl_slice_is(name, "//anon") ||
	       fl_slice_starts(name, "/dev/zero") ||
	       fl_slice_starts(name, "/anon_hugepage");
}

static bool is_no_file(struct slice name)
{
	return fl_slice_starts(name, "[stack") ||
	       fl_slice_starts(name, "/SYSV") || fl_slice_is(name, "[heap]");
}

/* Code in memory of no file has its names in a file for its process. */
static void map_user(struct fl_perf_data *d, struct fl_perf_thread *thread,
		     struct fl_perf_map *map, struct slice name, bool code,
		     bool huge, const uint8_t *id, size_t id_size)
{
	bool identity = is_anonymous(name) || is_no_file(name) || huge;
	struct slice path = name;
	char text[40];

	if (identity && code) {
		snprintf(text, sizeof(text), "/tmp/perf-%" PRIu32 ".map",
			 thread->pid);
		path = name = (struct slice){ text, strlen(text) };
	}
	if (fl_slice_starts(name, "[vdso"))
		map->offset = 0;
	if (fl_slice_ends(name, " (deleted)"))
		name.size -= sizeof(" (deleted)") - 1;
	map->dso = fl_perf_dso(d, name, path, id, id_size);
	if (!map->dso)
		return;
	map->dso->identity = identity;
	map->dso->code |= code;
	add_map(d, maps_of(d, thread), map);
}

void fl_perf_take_mmap(struct fl_perf_data *d, struct fl_perf_bytes bytes,
		  unsigned misc, bool two)
{
	uint32_t pid = fl_perf_take32(&bytes), tid = fl_perf_take32(&bytes);
	struct fl_perf_map map = { .start = fl_perf_take64(&bytes) };
	uint64_t size = fl_perf_take64(&bytes);
	bool code = !(misc & PERF_MISC_MMAP_DATA), huge = false;
	const uint8_t *id = NULL;
	struct fl_perf_thread *thread;
	struct slice name;
	size_t id_size = 0;

	map.offset = fl_perf_take64(&bytes);
	map.end = map.start + FL_MIN(size, UINT64_MAX - map.start);
	if (two) {
		id = fl_perf_take(&bytes, 24);
		code = fl_perf_take32(&bytes) & PROT_EXECUTE;
		huge = fl_perf_take32(&bytes) & MAP_HUGE;
		if (id && misc & PERF_MISC_MMAP_BUILD_ID)
			id_size = *id;
	}
	name = fl_perf_take_text(&bytes, bytes.end - bytes.at);
	if (bytes.cut || !name.size)
		return;
	id = id_size && id_size <= 20 ? id + 4 : NULL;
	if ((misc & PERF_MODE) == PERF_MODE_KERNEL) {
		map_kernel(d, &map, name, id, id_size);
	} else if ((misc & PERF_MODE) == PERF_MODE_USER) {
		thread = fl_perf_thread(d, pid, tid);
		if (thread)
			map_user(d, thread, &map, name, code, huge, id,
				 id_size);
	}
}

/* A function that the kernel made while it ran: of BPF, or a trampoline. */
void fl_perf_take_ksymbol(struct fl_perf_data *d, struct fl_perf_bytes bytes)
{
	struct fl_perf_map map = { .start = fl_perf_take64(&bytes) };
	uint32_t size = fl_perf_take32(&bytes);
	unsigned flags = fl_perf_take32(&bytes);
	struct slice name = fl_perf_take_text(&bytes, bytes.end - bytes.at);

	flags = bytes.big ? flags & 0xffff : flags >> 16;
	map.end = map.start + FL_MIN(size, UINT64_MAX - map.start);
	if (bytes.cut || !name.size)
		return;
	if (flags & KSYMBOL_GONE) {
		remove_map(d, &d->kernel, map.start);
		return;
	}
	map.dso = fl_perf_dso(d, name, name, NULL, 0);
	if (!map.dso)
		return;
	map.dso->symbol = map.dso->name;
	map.dso->kernel = map.dso->code = true;
	if (!fl_perf_map_at(d->kernel, map.start))
		add_map(d, &d->kernel, &map);
}

void fl_perf_processes_free(struct fl_perf_data *d)
{
	for (size_t i = 0; i < d->nthreads; i++)
		if (d->threads[i])
			free_thread(d, i);
	for (size_t i = 0; i < d->ndsos; i++)
		fl_map_free(&d->dsos[i]->known);
	drop_maps(d->kernel);
	fl_free(d->threads);
	fl_free(d->dsos);
	fl_map_free(&d->by_tid);
	fl_map_free(&d->cgroups);
	fl_index_free(&d->by_name);
}
