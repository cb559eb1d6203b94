/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Follows the threads of a recording, their names and what they have mapped, by
 * its records (comm, fork, exit, mmap), which data.c passes on; chain.c asks
 * for the mappings of a thread.  perf itself has some odd rules, which are
 * followed so that names are the same: exec leaves old mappings where nothing
 * new is mapped, and a thread without a name is ":TID".
 */
#include "fl.h"

#include "format/perf/data/data.h"

#include <inttypes.h>
#include <stdio.h>

/* When more threads have ended, they are dropped; mappings of a process. */
enum { MAX_EXITED = 1 << 14, MAX_MAPS = 1 << 20 };
enum { PROT_EXECUTE = 4 };
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
	fl_mappings_free(&maps->maps);
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
	if (!fl_mappings_copy(&copy->maps, &maps->maps))
		fl_no_memory(d->flame);
	drop_maps(maps);
	return *place = copy;
}

/* Whether something is mapped there already. */
static bool overlaps(const struct fl_mappings *maps, uint64_t start,
		     uint64_t end)
{
	size_t low = 0, high = maps->count;

	while (low < high) {
		size_t middle = (low + high) / 2;

		if (maps->data[middle].start < end)
			low = middle + 1;
		else
			high = middle;
	}
	return low && maps->data[low - 1].end > start;
}

static void add_map(struct fl_perf_data *d, struct fl_perf_maps **place,
		    const struct fl_mapping *map)
{
	struct fl_perf_maps *maps = own_maps(d, place);

	if (!maps || map->start >= map->end || maps->maps.count >= MAX_MAPS)
		return;
	if (overlaps(&maps->maps, map->start, map->end))
		maps->id = ++d->nmaps;
	if (!fl_mappings_add(&maps->maps, map))
		fl_no_memory(d->flame);
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

/* The mappings of a process, which its first thread holds for all. */
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

static void map_kernel(struct fl_perf_data *d, const struct fl_mapping *map,
		       struct slice name, const struct fl_perf_build *build)
{
	static const char kernel[] = "[kernel.kallsyms]";
	const struct fl_perf_build *known =
		fl_perf_build_of(d, FL_SLICE("[kernel.kallsyms]"));

	if (!d->kernel)
		d->kernel = new_maps(d);
	if (fl_slice_starts(name, kernel)) {
		build = build->size ? build : known;
		if (build)
			fl_names_kernel_id(d->names, build->id, build->size);
	} else {
		name = fl_perf_module_name(d, name);
	}
	if (!fl_names_kernel_map(d->names, name, map->start, map->end,
				 map->offset))
		fl_no_memory(d->flame);
}

static bool is_anonymous(struct slice name)
{
	return fl_slice_is(name, "//anon") ||
	       fl_slice_starts(name, "/dev/zero") ||
	       fl_slice_starts(name, "/anon_hugepage");
}

static void map_user(struct fl_perf_data *d, struct fl_perf_thread *thread,
		     struct fl_mapping *map, struct slice name,
		     const struct fl_perf_build *build)
{
	if (fl_slice_starts(name, "[vdso"))
		map->offset = 0;
	if (!build->size && fl_perf_build_of(d, name))
		build = fl_perf_build_of(d, name);
	map->module = fl_names_module(d->names, (pid_t)thread->pid, name,
				      build->id, build->size);
	if (map->module)
		add_map(d, maps_of(d, thread), map);
}

void fl_perf_take_mmap(struct fl_perf_data *d, struct fl_perf_bytes bytes,
		       unsigned misc, bool two)
{
	uint32_t pid = fl_perf_take32(&bytes), tid = fl_perf_take32(&bytes);
	struct fl_mapping map = { .start = fl_perf_take64(&bytes) };
	uint64_t size = fl_perf_take64(&bytes);
	bool code = !(misc & PERF_MISC_MMAP_DATA);
	struct fl_perf_build build = { .size = 0 };
	const uint8_t *id = NULL;
	struct fl_perf_thread *thread;
	struct slice name;

	map.offset = fl_perf_take64(&bytes);
	map.end = map.start + FL_MIN(size, UINT64_MAX - map.start);
	if (two) {
		id = fl_perf_take(&bytes, 24);
		code = fl_perf_take64(&bytes) >> (d->big ? 32 : 0) &
		       PROT_EXECUTE;
	}
	name = fl_perf_take_text(&bytes, bytes.end - bytes.at);
	if (bytes.cut || !name.size)
		return;
	if (two && misc & PERF_MISC_MMAP_BUILD_ID && *id <= sizeof(build.id)) {
		build.size = *id;
		memcpy(build.id, id + 4, build.size);
	}
	if ((misc & PERF_MODE) == PERF_MODE_KERNEL) {
		map_kernel(d, &map, name, &build);
	} else if ((misc & PERF_MODE) == PERF_MODE_USER &&
		   (code || !is_anonymous(name))) {
		thread = fl_perf_thread(d, pid, tid);
		if (thread)
			map_user(d, thread, &map, name, &build);
	}
}

/* A function that the kernel made while it ran: of BPF, or a trampoline. */
void fl_perf_take_ksymbol(struct fl_perf_data *d, struct fl_perf_bytes bytes)
{
	uint64_t start = fl_perf_take64(&bytes);
	uint32_t size = fl_perf_take32(&bytes);
	unsigned flags = fl_perf_take32(&bytes);
	struct slice name = fl_perf_take_text(&bytes, bytes.end - bytes.at);

	flags = bytes.big ? flags & 0xffff : flags >> 16;
	if (bytes.cut || !name.size || flags & KSYMBOL_GONE)
		return;
	if (!fl_names_kernel_symbol(d->names, start, size, name))
		fl_no_memory(d->flame);
}

void fl_perf_processes_free(struct fl_perf_data *d)
{
	for (size_t i = 0; i < d->nthreads; i++)
		if (d->threads[i])
			free_thread(d, i);
	drop_maps(d->kernel);
	fl_free(d->threads);
	fl_free(d->builds);
	fl_map_free(&d->by_tid);
	fl_map_free(&d->cgroups);
	fl_index_free(&d->by_name);
}
