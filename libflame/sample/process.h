/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Processes: their mappings, the files that are mapped, names of addresses, and
 * the virtual machines that run in them (process.c, module.c, machine.c).
 */
#ifndef FL_SAMPLE_PROCESS_H
#define FL_SAMPLE_PROCESS_H

#include "native/process.h"
#include "sample/proc.h"

#include <sys/types.h>

/* Symbols that libjvm.so and libpython export for external tools. */
struct fl_vm_symbols {
	struct fl_vm_symbol {
		char name[48];
		uint64_t address;
	} data[32];
	size_t count;
};

struct fl_cpython;
struct fl_places;
struct fl_hotspot;

struct fl_process {
	pid_t pid;
	pid_t parent;		/* by the kernel's record of its fork; or 0 */
	flame_id comm;
	flame_id labels;	/* of Spark's executors and their children */
	bool has_labels;	/* they were looked for */
	bool tracked, exited;
	int64_t cpu_begin;	/* CPU time when recording began; ns */
	int64_t exit_time;
	unsigned programs;	/* begun: each has mappings of its own */
	bool has_maps;
	int64_t maps_read;	/* when /proc/PID/maps was read last; ns */
	struct fl_mappings maps;
	struct fl_symbols jit;
	int64_t jit_read;	/* when the perf map was read last; ns */
	uint64_t jit_size, jit_time;
	bool jit_refused;	/* the reason was reported */
	struct fl_hotspot *hotspot;	/* of a JVM; or NULL */
	int64_t hotspot_tried;	/* when it was looked for; ns */
	bool hotspot_refused;
	struct fl_cpython *python;	/* of an interpreter; or NULL */
	int64_t python_tried;
	bool python_refused;
	unsigned python_minor;	/* see fl_cpython_new */
	struct fl_budget {
		int64_t second;		/* when it began; ns */
		int64_t spent;		/* of CPU time since, ns */
		int64_t until;		/* nothing is read until then; 0 */
		unsigned reads, pauses;
	} budget;
	flame_id jit_file;
	unsigned runtime;		/* see fl_process_runtime: then */
	unsigned runtime_programs;
	int64_t runtime_read;
};

struct fl_processes {
	struct flame *flame;
	struct fl_map by_pid;
	struct fl_process **data;
	size_t count, capacity;
	struct fl_module **modules;
	size_t nmodules, modules_capacity;
	struct fl_index modules_index;
	size_t modules_most;	/* more are looked through for unused ones */
	unsigned modules_dropped;	/* times that some were freed */
	bool lines;		/* names of Java and Python have them */
	struct fl_places *places;	/* NULL: not wanted */
	struct fl_kernel {
		struct fl_kernel_function {
			uint64_t start;
			uint32_t name;		/* place in names */
			flame_id frame;		/* 0: not looked up yet */
		} *data;			/* sorted by start */
		size_t count, capacity;
		struct fl_buf names;	/* "NAME\0[MODULE]\0", or "NAME\0\0" */
		int fd;			/* of /proc/kallsyms, to read on */
		char *block;		/* its lines that are read; or NULL: */
		size_t size;		/* all are in data */
		void *mapped;		/* the cache: data and names are in it */
		size_t mapped_size;
		bool opened, sorted;
		bool modules;		/* some of theirs are in data */
		flame_id unknown;
	} kernel;
	flame_id unknown;
	/* Functions at places in files: most samples have those of others. */
	struct fl_named {
		const struct fl_module *module;
		uint64_t offset, address;
		struct fl_symbol *symbol;
		flame_id frame;
	} named[1024];
	/* Among the processes, a quarter of a second ago or since. */
	bool has_jvm, has_python;
	/* In this second, of reading all processes; of loading files ever. */
	int64_t second, spent, loading;
	int64_t cpu_time;	/* of this thread, when a read was slow; ns */
	/* Called before and after slow work; or NULL. */
	void (*busy)(void *arg, bool begins);
	void *busy_arg;
	struct fl_buf buf;	/* scratch */
};

struct fl_process *fl_process_find(struct fl_processes *all, pid_t pid);
/* NULL: out of memory. */
struct fl_process *fl_process_get(struct fl_processes *all, pid_t pid);
/* Labels by its command line, or that of a process it came from. */
flame_id fl_process_labels(struct fl_processes *all, struct fl_process *process);
/* Drops the caches of a program that was replaced by exec. */
void fl_process_check_comm(struct fl_processes *all,
			   struct fl_process *process);
/* The comm, from /proc if it is not known. */
flame_id fl_process_comm(struct fl_processes *all, struct fl_process *process);
void fl_process_fork(struct fl_processes *all, const struct fl_process *parent,
		     struct fl_process *child);
void fl_process_exec(struct fl_process *process);
void fl_process_map(struct fl_processes *all, struct fl_process *process,
		    const struct fl_mapping *mapping);
void fl_process_exit(struct fl_process *process);
/* Frees processes that have ended a while ago, and files of no process. */
void fl_processes_sweep(struct fl_processes *all);
/* Reads /proc/PID/maps, unless that was done a moment ago. */
bool fl_process_read_maps(struct fl_processes *all,
			  struct fl_process *process);
/* The executable mapping of an address; NULL: none. */
const struct fl_mapping *fl_process_mapping(struct fl_processes *all,
					    struct fl_process *process,
					    uint64_t at);
/* The module of a file; NULL: out of memory. */
struct fl_module *fl_module_get(struct fl_processes *all, const char *path,
				uint64_t device, uint64_t inode);
/* Reads the file of a mapping, once. */
void fl_module_load(struct fl_processes *all, pid_t pid,
		    const struct fl_mapping *mapping);
/* Frees the files that no process maps. */
void fl_modules_sweep(struct fl_processes *all);
/* The frame of a user's or of the kernel's address. */
flame_id fl_process_frame(struct fl_processes *all, struct fl_process *process,
			  uint64_t at, struct fl_symbol **symbol);
/* A frame of a symbol; stub: of .plt. */
flame_id fl_symbol_frame(struct fl_processes *all, const char *name, bool stub,
			 flame_id file, enum flame_type type);
void fl_processes_free(struct fl_processes *all);

/* kernel.c ------------------------------------------------------------ */

/*
 * Before rights are dropped: frames read as many of its lines as they need, or
 * none if the cache has their functions.  The first recording after the machine
 * was booted writes the cache.
 */
void fl_kernel_open(struct fl_processes *all);
/* fd: of such lines, which is closed. */
void fl_kernel_open_at(struct fl_processes *all, int fd);
/* All of them. */
void fl_kernel_read(struct fl_processes *all);
flame_id fl_kernel_frame(struct fl_processes *all, uint64_t at);
void fl_kernel_free(struct fl_kernel *kernel);

/* kernel_cache.c ------------------------------------------------------ */

/* The cache of this boot as data and names; false: there is none. */
bool fl_kernel_map(struct fl_kernel *kernel);
void fl_kernel_unmap(struct fl_kernel *kernel);
/*
 * Of functions that are sorted and of which no frame was made yet.  fd is of
 * fl_cache_create, and closed.
 */
void fl_kernel_store(const struct fl_kernel *kernel, int fd);

/* Between readings of one file that may have changed. */
#define FL_REREAD_NS INT64_C(200000000)
bool fl_is_jvm_path(const char *path);
bool fl_is_python_path(const char *path);
void fl_module_free(struct fl_module *module);
/* Reads the perf map again, if it is time to. */
void fl_process_read_jit(struct fl_processes *all, struct fl_process *process);
flame_id fl_process_jit_frame(struct fl_processes *all,
			      struct fl_process *process,
			      const struct fl_symbol *symbol);
/* A process's memory as struct fl_memory; arg is the struct fl_process. */
bool fl_process_read(void *arg, uint64_t at, void *to, size_t size);
/* The process's JVM, whose code has the address; NULL: none. */
struct fl_hotspot *fl_process_jvm(struct fl_processes *all,
				  struct fl_process *process, uint64_t at);
/*
 * Around the reading of a sample's frames of Java and Python.  A process that
 * makes this slow has native frames alone for a while.
 */
int64_t fl_process_begin_read(const struct fl_processes *all);
void fl_process_end_read(struct fl_processes *all, struct fl_process *process,
			 int64_t begin);
/* The process's Python; NULL: it has none, or one that is not known. */
struct fl_cpython *fl_process_python(struct fl_processes *all,
				     struct fl_process *process);
bool fl_process_is_python(const struct fl_process *process);
bool fl_process_is_jvm(const struct fl_process *process);
/* Its release, and process->hotspot if that is supported; 0: unknown. */
int fl_process_jvm_release(struct fl_processes *all,
			   struct fl_process *process);
/* Call it before the samples of a round: caches may be stale. */
void fl_processes_round(struct fl_processes *all);

/* demangle.c ---------------------------------------------------------- */

/* Opens what it needs, so that nothing has to be opened later. */
void fl_demangle_begin(void);
/* Appends the name as its author wrote it; false: it is not mangled. */
bool fl_demangle_symbol(struct fl_buf *to, const char *name);

/* places.c ------------------------------------------------------------- */

/*
 * Of inlined functions, or lines, or both; strict: by files of root alone.
 * NULL: libdw is not here.
 */
struct fl_places *fl_places_new(struct flame *flame, bool inlined, bool lines,
				bool strict);
void fl_places_free(struct fl_places *places);
/* Whichever file has debug information, to be read later; 0: none. */
unsigned fl_places_file(struct fl_places *places, const struct fl_elf *elf,
			const struct fl_elf *debug);
/* A frame of this address alone, for the function's one. */
flame_id fl_places_frame(struct fl_places *places, unsigned file,
			 uint64_t address, flame_id plain);
/*
 * Where one process names addresses, and another buffers samples until it has
 * said what they stand for: the places of the one, in their order; a report of
 * each once its frames are known; and the places of the other, whose numbers may
 * begin later.  false: there is none such, or it is known.
 */
void fl_places_begin(void);	/* opens libdw, once */
enum { FL_PLACES_SAMPLES = 1 << 20 };	/* that are buffered at most */
unsigned fl_places_count(const struct fl_places *places);
bool fl_places_plain(const struct fl_places *places, unsigned place,
		     flame_id *plain);
void fl_places_each(struct fl_places *places,
		    void (*report)(void *arg, unsigned place,
				 const flame_id *frames, size_t n), void *arg);
bool fl_places_add(struct fl_places *places, flame_id plain);
bool fl_places_expand(struct fl_places *places, unsigned place,
		      const flame_id *frames, size_t n);
void fl_places_shift(struct flame_frame *frame, unsigned first);
/* Replaces addresses in samples by their frames; places NULL: next. */
struct flame_sink *fl_places_filter(struct flame *flame,
				    struct flame_sink *next,
				    struct fl_places *places);

#endif
