/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The virtual machines of a process, HotSpot (fl_process_jvm) and CPython
 * (fl_process_python), and its perf map (fl_process_read_jit), which names the
 * code that was compiled while it ran.  For record.c, unwind.c, process.c and
 * check.c.  A process whose frames are slow to read has native frames alone for
 * a while (fl_process_end_read).
 */
#include "fl.h"

#include "sample/apart.h"
#include "native/frame.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { MAX_TEXT = 256 << 20, LARGE = 4 << 20 };	/* of a perf map */

/* Perf maps ------------------------------------------------------------- */

pid_t fl_inner_pid(pid_t pid)
{
	size_t size;
	char *text = fl_read_proc(pid, "status", &size), *at, *end;
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

/* Must belong to the target's owner or root: anybody can create files there. */
static bool has_good_owner(const struct fl_process *p, const struct stat *st)
{
	uid_t owner;

	return fl_read_owner(p->pid, &owner) &&
	       (st->st_uid == owner || st->st_uid == 0);
}

static void refuse_map(struct fl_processes *all, struct fl_process *p,
		       const char *path, const char *why)
{
	if (!p->jit_refused)
		fl_warn(all->flame, "%s is not read: %s", path, why);
	p->jit_refused = true;
}

static void read_map(struct fl_processes *all, struct fl_process *p, int fd,
		     bool large)
{
	size_t size;
	char *text;

	if (large && all->busy)
		all->busy(all->busy_arg, true);
	text = fl_read_file(fd, MAX_TEXT, &size);
	fl_symbols_free(&p->jit);
	if (text)
		fl_symbols_map(&p->jit, text, size);
	if (large && all->busy)
		all->busy(all->busy_arg, false);
}

void fl_process_read_jit(struct fl_processes *all, struct fl_process *p)
{
	int64_t now = fl_now();
	struct stat st;
	char path[64];
	int fd;

	if (p->exited || (p->jit_read && now - p->jit_read < FL_REREAD_NS))
		return;
	p->jit_read = now;
	snprintf(path, sizeof(path), "/tmp/perf-%d.map",
		 (int)fl_inner_pid(p->pid));
	fd = fl_open_in_root(p->pid, path, false);
	if (fd < 0) {
		if (errno == ELOOP)
			refuse_map(all, p, path, "it is a symbolic link");
		else if (errno == EINVAL)
			refuse_map(all, p, path, "it is not a regular file");
		return;
	}
	if (fstat(fd, &st) != 0 || !has_good_owner(p, &st)) {
		refuse_map(all, p, path, "it belongs to somebody else");
	} else if ((uint64_t)st.st_size != p->jit_size ||
		   (uint64_t)st.st_mtim.tv_sec * 1000000000 +
		   (uint64_t)st.st_mtim.tv_nsec != p->jit_time) {
		read_map(all, p, fd, st.st_size > LARGE);
		p->jit_size = (uint64_t)st.st_size;
		p->jit_time = (uint64_t)st.st_mtim.tv_sec * 1000000000 +
			      (uint64_t)st.st_mtim.tv_nsec;
		p->jit_file = flame_name(all->flame, path, strlen(path));
	}
	close(fd);
}

/* A method's name in one of the spellings of perf maps. */
flame_id fl_process_jit_frame(struct fl_processes *all, struct fl_process *p,
			  const struct fl_symbol *symbol)
{
	const struct fl_native_frame frame = {
		.symbol = { symbol->name, strlen(symbol->name) },
		.dso = fl_name_at(all->flame, p->jit_file), .ip = { "", 0 },
	};
	struct fl_frame_list list = { 0 };
	flame_id id;

	fl_native_frame(all->flame, &all->buf, &frame, &list);
	id = list.n ? list.at[list.n - 1] : 0;
	fl_free(list.at);
	return id;
}

/* What reading may cost --------------------------------------------------- */

/*
 * A process may show lists without an end, and names of megabytes.  Reading
 * a real one costs some 60 us a sample, and a few hundred ms at first.
 */
enum {
	READ_NS = 1000000, FREE_NS = 250000000,
	CROWDED_NS = 500000000,	/* of all processes: then less is free */
	CROWDED_FREE_NS = 20000000, MAX_PAUSES = 6
};

#define SECOND_NS INT64_C(1000000000)

static int64_t cpu_time(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (int64_t)t.tv_sec * SECOND_NS + t.tv_nsec;
}

/* Files are others' too, and their size bounds them. */
int64_t fl_process_begin_read(const struct fl_processes *all)
{
	return fl_now() - all->loading;
}

/*
 * By the clock, which costs no system call.  Only of what is slow the time
 * without a CPU is left out.
 */
static int64_t cost_since(struct fl_processes *all, int64_t begin)
{
	int64_t cost = fl_process_begin_read(all) - begin;
	int64_t before = all->cpu_time;

	if (cost < READ_NS)
		return cost;
	all->cpu_time = cpu_time();
	return FL_MIN(cost, all->cpu_time - before);
}

static void pause_reading(struct fl_processes *all, struct fl_process *p,
			  int64_t now)
{
	struct fl_budget *b = &p->budget;

	if (!b->pauses)
		fl_warn(all->flame, "process %d: its frames of Java or Python "
			"are slow to read: for a while it has native frames "
			"only", (int)p->pid);
	b->until = now + (SECOND_NS << FL_MIN(b->pauses, MAX_PAUSES));
	b->pauses++;
}

void fl_process_end_read(struct fl_processes *all, struct fl_process *p,
			 int64_t begin)
{
	struct fl_budget *b = &p->budget;
	int64_t now = fl_now(), cost = cost_since(all, begin);

	if (now - all->second > SECOND_NS) {
		all->second = now;
		all->spent = 0;
	}
	if (now - b->second > SECOND_NS) {
		b->second = now;
		b->spent = b->reads = 0;
	}
	all->spent += cost;
	b->spent += cost;
	b->reads++;
	if (b->spent > (int64_t)b->reads * READ_NS +
		       (all->spent > CROWDED_NS ? CROWDED_FREE_NS : FREE_NS))
		pause_reading(all, p, now);
}

static bool may_read(const struct fl_process *p)
{
	return (!p->budget.until || fl_now() > p->budget.until) &&
	       !fl_apart_is_unreadable(p->pid);
}

/* Java ------------------------------------------------------------------ */

bool fl_process_read(void *arg, uint64_t at, void *to, size_t size)
{
	const struct fl_process *p = arg;

	return fl_read_memory(p->pid, at, to, size) == (ssize_t)size;
}

static const struct fl_mapping *find_path(const struct fl_process *p,
					  bool (*is_it)(const char *path))
{
	for (size_t i = 0; i < p->maps.count; i++)
		if (p->maps.data[i].module && is_it(p->maps.data[i].module->path))
			return &p->maps.data[i];
	return NULL;
}

/* Why a JVM's frames are not there; said once. */
static void refuse_jvm(struct fl_processes *all, struct fl_process *p,
		       int major)
{
	char byte;

	p->hotspot_refused = true;
	if (!fl_process_read(p, p->maps.data[0].start, &byte, 1)) {
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

/* A shared library has it, or the program itself. */
static bool is_libpython_path(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash && strncmp(slash, "/libpython", 10) == 0;
}

bool fl_process_is_python(const struct fl_process *p)
{
	return find_path(p, is_libpython_path) ||
	       find_path(p, fl_is_python_path);
}

bool fl_process_is_jvm(const struct fl_process *p)
{
	return find_path(p, fl_is_jvm_path);
}

/* Symbols exported by a mapped file, at addresses of the process. */
static bool exported_symbols(struct fl_processes *all,
			     const struct fl_process *p,
			     const struct fl_mapping *m,
			     struct fl_vm_symbols *vm)
{
	uint64_t address;

	if (!m)
		return false;
	fl_module_load(all, p->pid, m);
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
	struct fl_memory memory = { .read = fl_process_read, .arg = p };
	struct fl_vm_symbols vm;
	int major = 0;

	if (!p->hotspot &&
	    exported_symbols(all, p, find_path(p, fl_is_jvm_path), &vm))
		p->hotspot = fl_hotspot_new(all->flame, &memory, &vm, &major);
	all->has_jvm |= p->hotspot != NULL;
	if (p->hotspot && all->lines)
		fl_hotspot_show_lines(p->hotspot);
	return major;
}

static void open_python(struct fl_processes *all, struct fl_process *p)
{
	struct fl_memory memory = { .read = fl_process_read, .arg = p };
	struct fl_vm_symbols vm;
	unsigned minor = 0;

	p->python_tried = fl_now();
	if (!exported_symbols(all, p, find_path(p, is_libpython_path), &vm) &&
	    !exported_symbols(all, p, find_path(p, fl_is_python_path), &vm))
		return;
	p->python = fl_cpython_new(all->flame, &memory, &vm, &minor);
	p->python_minor = minor;
	all->has_python |= p->python != NULL;
	if (p->python && all->lines)
		fl_cpython_show_lines(p->python);
	if (p->python || !minor)
		return;
	p->python_refused = true;
	if (minor < FL_PYTHON_OLDEST)
		fl_warn(all->flame, "process %d is Python 3.6 or older, whose "
			"frames cannot be read: native frames only (py-spy "
			"record -f raw reads them)", (int)p->pid);
	else
		fl_warn(all->flame, "process %d is Python 3.%u, whose frames "
			"cannot be read: native frames only (python -X perf "
			"names its own)", (int)p->pid, minor);
}

struct fl_cpython *fl_process_python(struct fl_processes *all,
				     struct fl_process *p)
{
	if (!may_read(p))
		return NULL;
	if (!p->python && !p->python_refused && !p->exited &&
	    (!p->python_tried || fl_now() - p->python_tried > FL_REREAD_NS))
		open_python(all, p);
	return p->python;
}

static void open_jvm(struct fl_processes *all, struct fl_process *p)
{
	int major;

	p->hotspot_tried = fl_now();
	if (!fl_process_is_jvm(p))
		return;
	if (FL_IS_ARM64) {
		p->hotspot_refused = true;
		fl_warn(all->flame, "process %d is a JVM, whose frames can be "
			"read on x86-64 only: Java methods come from its perf "
			"map, if it has one (jcmd %d Compiler.perfmap)",
			(int)p->pid, (int)p->pid);
		return;
	}
	major = fl_process_jvm_release(all, p);
	if (!p->hotspot)
		refuse_jvm(all, p, major);
	else if (!fl_hotspot_is_tried(p->hotspot))
		fl_warn(all->flame, "process %d is a JVM of release %d, which "
			"was not tried: its methods are read as those of an "
			"earlier release, and may be wrong", (int)p->pid,
			major);
}

struct fl_hotspot *fl_process_jvm(struct fl_processes *all,
				  struct fl_process *p, uint64_t at)
{
	if (!may_read(p))
		return NULL;
	if (!p->hotspot && !p->hotspot_refused && !p->exited &&
	    (!p->hotspot_tried || fl_now() - p->hotspot_tried > FL_REREAD_NS))
		open_jvm(all, p);
	return p->hotspot && fl_hotspot_has(p->hotspot, at) ? p->hotspot :
							      NULL;
}

void fl_processes_round(struct fl_processes *all)
{
	for (size_t i = 0; all->has_jvm && i < all->count; i++)
		if (all->data[i]->hotspot)
			fl_hotspot_round(all->data[i]->hotspot);
}
