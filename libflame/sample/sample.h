/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The sampler: records stacks of running processes from outside.
 *
 *	perf_events.c	the kernel's samples and process events, in order of
 *			time, from ring buffers
 *	perf_records.c	the records in them
 *	process.c	processes, their mappings, names of addresses
 *	module.c	files that are mapped
 *	machine.c	perf maps, and the virtual machines of processes
 *	elf.c		ELF files, on disk or in memory
 *	symbols.c	tables of symbols: ELF, kallsyms, perf maps
 *	demangle.c	names of C++ and Rust; demangle_rust.c: new ones of Rust
 *	cfi.c		.eh_frame: how to find the caller of an address
 *	cfi_expression.c	the expressions in it
 *	unwind.c	the frames of a sample, from its registers and stack bytes
 *	hotspot.c	Java frames, from a JVM's memory (hotspot.h)
 *	cpython.c	Python frames, from an interpreter's memory
 *	targets.c	which processes to record
 *	record.c	all of them as a source of samples (recorder.h)
 *	facts.c		what Info tells of a recording
 *	threads.c	names of threads
 *	blocked.c	stacks of threads that wait in the kernel
 *	wall.c		wall clock time
 *	offcpu.c	time in which threads are blocked
 *	attach.c	commands to a JVM
 *	jvm_events.c	a JVM's allocations and locks, by its flight recorder
 *	check.c		what can be recorded here
 *	script.c	a writer of perf script's text
 *
 * Nothing is loaded into a target, and no target is ever stopped.
 */
#ifndef FL_SAMPLE_H
#define FL_SAMPLE_H

#include "flow/flow.h"

#include <sys/types.h>

/* elf.c --------------------------------------------------------------- */

struct fl_elf_load {
	uint64_t offset, size, address;	/* in the file; of memory */
	bool executable;
};

struct fl_elf {
	int fd;			/* -1: in memory */
	const uint8_t *bytes;	/* or NULL */
	uint64_t size;
	uint64_t most;		/* bytes of a section that is copied */
	bool refused;		/* a larger one was not */
	struct fl_elf_load *loads;
	size_t nloads;
	struct fl_elf_section {
		uint32_t name, type, link;
		uint64_t flags, address, offset, size;
	} *sections;
	size_t nsections;
	char *names;		/* of sections; ends in NUL */
	size_t names_size;
	uint8_t build_id[32];
	size_t build_id_size;
};

/*
 * Opens a 64-bit ELF file of this machine's byte order.  Takes the descriptor.
 * NULL: it is none, or out of memory.
 */
struct fl_elf *fl_elf_open(int fd);
/* The same of bytes, which must outlive it. */
struct fl_elf *fl_elf_memory(const void *bytes, size_t size);
void fl_elf_close(struct fl_elf *elf);
bool fl_elf_read(const struct fl_elf *elf, uint64_t offset, void *to,
		 size_t size);
const struct fl_elf_section *fl_elf_section(const struct fl_elf *elf,
					    const char *name);
const struct fl_elf_section *fl_elf_section_of_type(const struct fl_elf *elf,
						    uint32_t type);
/* A copy of its bytes with a NUL after them, for fl_free; NULL: none. */
void *fl_elf_copy(struct fl_elf *elf, const struct fl_elf_section *section);
/* The address that a byte of the file has before relocation. */
bool fl_elf_address(const struct fl_elf *elf, uint64_t offset,
		    uint64_t *address);

/* symbols.c ----------------------------------------------------------- */

struct fl_symbol {
	uint64_t start, end;
	const char *name;
	const char *module;	/* of kernel modules; or NULL */
	flame_id frame;		/* 0: not looked up yet */
};

/* Sorted by start.  Zeroed: empty. */
struct fl_symbols {
	struct fl_symbol *data;
	size_t count, capacity;
	char *text[2];		/* what names point into; for fl_free */
};

/* Functions of a file: .symtab, else those of `debug` (may be NULL), else
   .dynsym.  false: out of memory. */
bool fl_symbols_elf(struct fl_symbols *symbols, struct fl_elf *elf,
		    struct fl_elf *debug);
/* /proc/kallsyms; text is consumed (fl_free). */
bool fl_symbols_kernel(struct fl_symbols *symbols, char *text, size_t size);
/* A perf map: "START SIZE NAME" in each line; text is consumed. */
bool fl_symbols_map(struct fl_symbols *symbols, char *text, size_t size);
/* NULL: nothing at this address. */
struct fl_symbol *fl_symbols_at(struct fl_symbols *symbols, uint64_t at);
void fl_symbols_free(struct fl_symbols *symbols);

/* demangle.c ---------------------------------------------------------- */

/* Appends the name as its author wrote it; false: it is not mangled. */
bool fl_demangle(struct fl_buf *to, const char *name);
/* demangle_rust.c: the same for names that begin with _R. */
bool fl_demangle_rust(struct fl_buf *to, const char *name);

/* cfi.c --------------------------------------------------------------- */

/* DWARF's numbers of registers of x86-64. */
enum {
	FL_REG_BX = 3, FL_REG_BP = 6, FL_REG_SP = 7, FL_REG_IP = 16,
	FL_REGS = 17
};

enum fl_rule {
	FL_RULE_SAME, FL_RULE_UNDEFINED, FL_RULE_OFFSET, FL_RULE_VALUE_OFFSET,
	FL_RULE_REGISTER, FL_RULE_EXPRESSION, FL_RULE_VALUE_EXPRESSION
};

/*
 * Where the caller's registers are saved at an address.  Values are offsets
 * from the CFA, registers, or offsets of expressions in .eh_frame.
 */
struct fl_cfi_row {
	bool signal;		/* the caller was interrupted, not calling */
	bool cfa_expression;
	uint8_t cfa_register;
	int32_t cfa;		/* offset, or place of the expression */
	uint8_t rule[FL_REGS];
	int32_t value[FL_REGS];
};

struct fl_cfi {
	uint8_t *frame;		/* .eh_frame; for fl_free */
	size_t size;
	uint64_t address;
	struct fl_cfi_range {
		uint64_t start, end;
		uint32_t fde;	/* place in frame */
		flame_id name;	/* frame of a function without a symbol, or 0 */
	} *ranges;		/* sorted by start */
	size_t nranges, capacity;
};

/*
 * Takes over frame, the bytes of .eh_frame, to be freed with fl_free; address:
 * where the section is loaded.
 */
bool fl_cfi_init(struct fl_cfi *cfi, void *frame, size_t size,
		 uint64_t address);
void fl_cfi_free(struct fl_cfi *cfi);
/* The function that the address is in; NULL: not known. */
struct fl_cfi_range *fl_cfi_range_at(const struct fl_cfi *cfi, uint64_t at);
/* false: nothing is known of the address. */
bool fl_cfi_row_at(const struct fl_cfi *cfi, uint64_t at,
		   struct fl_cfi_row *row);

/* How the unwinder reads the target's memory. */
struct fl_memory {
	bool (*read)(void *arg, uint64_t at, void *to, size_t size);
	void *arg;
};

struct fl_regs {
	uint64_t value[FL_REGS];
	uint32_t known;		/* a bit each */
};

enum fl_step {
	FL_STEP_CALLER,		/* regs are the caller's now */
	FL_STEP_END,		/* none: the thread's first frame */
	FL_STEP_UNREADABLE	/* memory that was not there */
};

enum fl_step fl_cfi_step(const struct fl_cfi *cfi, const struct fl_cfi_row *row,
			 const struct fl_memory *memory, struct fl_regs *regs);

/* process.c ----------------------------------------------------------- */

/* A mapped file, known by its device and inode. */
/* Symbols that libjvm.so and libpython export for external tools. */
struct fl_vm_symbols {
	struct fl_vm_symbol {
		char name[48];
		uint64_t address;
	} data[32];
	size_t count;
};

struct fl_module {
	char *path;		/* as mapped, without " (deleted)" */
	uint64_t device, inode;
	flame_id file, unknown;	/* its name; the frame of unknown functions */
	bool loaded, used;	/* used: by a process, see drop_modules */
	struct fl_elf *elf;	/* NULL: not readable */
	struct fl_cfi cfi;
	struct fl_symbols symbols;
	struct fl_vm_symbols *vm;	/* of libjvm.so and Python; or NULL */
};

struct fl_mapping {
	uint64_t start, end, offset;
	struct fl_module *module;	/* NULL: code that is in no file */
};

struct fl_cpython;
struct fl_hotspot;
struct fl_unwinder;

struct fl_process {
	pid_t pid;
	flame_id comm;
	flame_id labels;	/* of Spark's executors and their children */
	bool has_labels;	/* they were looked for */
	bool tracked, exited;
	int64_t exit_time;
	unsigned programs;	/* begun: each has mappings of its own */
	bool has_maps;
	int64_t maps_read;	/* when /proc/PID/maps was read last; ns */
	struct fl_mapping *maps;	/* executable ones, sorted */
	size_t nmaps, maps_capacity;
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
	flame_id jit_file;
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
	struct fl_symbols kernel;
	bool kernel_read, kernel_known;
	flame_id unknown, kernel_unknown;
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
/* Reads the kernel's symbols; else the first frame does. */
void fl_kernel_read(struct fl_processes *all);
flame_id fl_kernel_frame(struct fl_processes *all, uint64_t at);
void fl_processes_free(struct fl_processes *all);

/*
 * A regular file below a process's root: no symbolic link in it leads out of
 * the root.  follow: links may be in the path at all.  -1: none.
 */
int fl_open_in_root(pid_t pid, const char *path, bool follow);
/* A whole file, with a NUL after it, for fl_free; NULL: see errno. */
char *fl_read_file(int fd, size_t limit, size_t *size);
int64_t fl_now(void);	/* CLOCK_MONOTONIC, ns */

/* A whole file of /proc/PID, with a NUL after it, for fl_free; NULL: none. */
char *fl_read_proc(pid_t pid, const char *name, size_t *size);
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
/*
 * Reads another process's memory: by process_vm_readv, or where a container
 * forbids that call by /proc/PID/mem.  How much was read; -1: see errno.
 */
ssize_t fl_read_memory(pid_t pid, uint64_t at, void *to, size_t size);
/* A process's memory as struct fl_memory; arg is the struct fl_process. */
bool fl_process_read(void *arg, uint64_t at, void *to, size_t size);
/* The process's JVM, whose code has the address; NULL: none. */
struct fl_hotspot *fl_process_jvm(struct fl_processes *all,
				  struct fl_process *process, uint64_t at);
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

/* unwind.c ------------------------------------------------------------ */

enum { FL_MAX_FRAMES = 1024 };

enum fl_stack_end {
	FL_STACK_WHOLE,		/* reaches the thread's first frame */
	FL_STACK_TRUNCATED,	/* longer than the bytes that were copied */
	FL_STACK_BROKEN		/* no way was found further */
};

struct fl_unwinder {
	struct fl_processes *processes;
	unsigned modules_dropped;	/* processes->modules_dropped, of `known` */
	struct fl_map known;	/* (module, address) -> row + 1 */
	struct fl_cfi_row *rows;
	size_t nrows, rows_capacity;
	flame_id *frames;	/* leaf first */
	size_t nframes, frames_capacity;
	uint64_t *addresses;	/* of frames */
	size_t addresses_capacity;
};

/* A copy of the stack from the stack pointer on. */
struct fl_stack_bytes {
	const uint8_t *data;
	uint64_t start;
	size_t size;
	bool full;		/* the stack may go on */
};

/* Appends frames to those that the unwinder has. */
enum fl_stack_end fl_unwind(struct fl_unwinder *unwinder,
			    struct fl_process *process,
			    const struct fl_regs *regs,
			    const struct fl_stack_bytes *stack);
bool fl_unwind_push(struct fl_unwinder *unwinder, flame_id frame,
		    uint64_t address);
void fl_unwinder_free(struct fl_unwinder *unwinder);

/* hotspot.c ----------------------------------------------------------- */

/*
 * A JVM, read through memory; vm: the symbols that it exports, at its own
 * addresses.  NULL: its release (*major; 0: unknown) is not supported, or out
 * of memory.
 */
struct fl_hotspot *fl_hotspot_new(struct flame *flame,
				  const struct fl_memory *memory,
				  const struct fl_vm_symbols *vm, int *major);
void fl_hotspot_free(struct fl_hotspot *hotspot);
/* Cached memory of the target may be stale now. */
void fl_hotspot_round(struct fl_hotspot *hotspot);
/* Whether the address is in its code cache. */
bool fl_hotspot_has(struct fl_hotspot *hotspot, uint64_t at);
/*
 * Pushes the Java frames of an address in the code cache, and finds the caller.
 * leaf: the address is of the next instruction, not of a return.
 */
enum fl_step fl_hotspot_step(struct fl_hotspot *hotspot,
			     struct fl_unwinder *unwinder,
			     struct fl_process *process,
			     const struct fl_memory *stack,
			     struct fl_regs *regs, bool leaf);

/*
 * hotspot_threads.c: the name of a thread of Java, of a virtual thread that it
 * runs if that has one; 0: not known.  comm: what the kernel has of the name.
 */
flame_id fl_hotspot_thread_name(struct fl_hotspot *hotspot, pid_t tid,
				struct slice comm);

/* cpython.c ----------------------------------------------------------- */

enum { FL_PYTHON_OLDEST = 7 };	/* that is read */

/*
 * As fl_hotspot_new; *minor is 12 for 3.12, 8 for 3.8 and 3.9, 0: unknown.
 */
struct fl_cpython *fl_cpython_new(struct flame *flame,
				  const struct fl_memory *memory,
				  const struct fl_vm_symbols *vm,
				  unsigned *minor);
void fl_cpython_free(struct fl_cpython *python);
/* Reads a thread's Python frames of this moment, for the sample of this key. */
void fl_cpython_read(struct fl_cpython *python, pid_t tid, uint64_t key);
/*
 * Puts the thread's Python frames in the places of the interpreter's loop,
 * among the frames of a stack: those read for the sample of this key, or else
 * (0: none were) those of now.  whole: the stack reaches the thread's first
 * frame.  false: there are more of them than are read.
 */
bool fl_cpython_merge(struct fl_cpython *python, struct fl_unwinder *unwinder,
		      pid_t tid, uint64_t key, bool whole);

/* targets.c ----------------------------------------------------------- */

struct fl_refusal {
	char text[512];		/* why recording was refused; "": it was not */
	bool blocked;		/* events are, whatever one would record */
};

struct fl_targets {
	pid_t *data;
	size_t count, capacity;
};

/*
 * Adds the processes of a list with blanks or commas: numbers, "java" for every
 * JVM of this user, or the name of a single process.
 */
bool fl_targets_add(struct flame *flame, struct fl_targets *targets,
		    const char *list, struct fl_refusal *refusal);
/* The children that the targets have now, and theirs. */
bool fl_targets_add_children(struct flame *flame, struct fl_targets *targets);
bool fl_target_is_jvm(pid_t pid);
void fl_targets_free(struct fl_targets *targets);

/* counted.c ------------------------------------------------------------ */

/* An event of the kernel of which each `period` give a sample. */
struct fl_counted {
	char name[128];
	uint32_t type;		/* as of struct perf_event_attr */
	uint64_t config, period;
	uint64_t address, size;	/* of a breakpoint */
	uint32_t breakpoint;	/* HW_BREAKPOINT_R and others */
	bool time;		/* it counts ns */
};

/*
 * By its name: one of the kernel's, "mem:ADDRESS[:SIZE][:rwx]", or
 * "SUBSYSTEM:TRACEPOINT".  false: there is none such; the refusal's text says
 * why, unless the name is of none of these forms.
 */
bool fl_counted_find(const char *name, struct fl_counted *counted,
		     struct fl_refusal *refusal);
/* Whether it happens in the kernel alone. */
bool fl_counted_in_kernel(const struct fl_counted *counted);
struct perf_event_attr;
void fl_counted_describe(const struct fl_counted *counted,
			 struct perf_event_attr *attr);
/* All names, with their usual periods, and why one cannot be had (or NULL). */
void fl_counted_list(void (*say)(void *arg, const char *name, uint64_t period,
				 const char *lack), void *arg);

/* perf_events.c ------------------------------------------------------- */

enum fl_event_kind {
	FL_EVENT_NONE, FL_EVENT_SAMPLE, FL_EVENT_MAP, FL_EVENT_COMM,
	FL_EVENT_EXEC, FL_EVENT_FORK, FL_EVENT_EXIT, FL_EVENT_LOST,
	FL_EVENT_THROTTLED, FL_EVENT_SWITCH_IN, FL_EVENT_SWITCH_OUT
};

/* A record of the kernel's.  Pointers hold until the next. */
struct fl_event {
	enum fl_event_kind kind;
	uint64_t key;		/* of fl_perf_events_peek */
	uint64_t time;		/* CLOCK_MONOTONIC */
	pid_t pid, tid;
	pid_t parent;		/* fork: the process */
	bool preempted;		/* switch out: it would go on */
	uint32_t cpu;
	uint64_t ip, lost;
	const uint64_t *chain;	/* the kernel's frames, leaf first */
	size_t nchain;
	bool user64;		/* regs and stack are there */
	struct fl_regs regs;
	struct fl_stack_bytes stack;
	const char *text;	/* comm; path of a mapping */
	uint64_t start, size, offset, device, inode;
};

enum { FL_MAX_STACK = 65528 };	/* that the kernel copies, in bytes */

struct fl_sampling {
	unsigned hertz;
	unsigned stack;		/* bytes of a stack to copy; 0: as many as the
				   kernel copies, or few where rings are small
				   or samples many */
	const struct fl_counted *counted;	/* NULL: time on a CPU */
	bool all;		/* every process */
	bool switches;		/* when threads leave a CPU, and are back */
	bool user;		/* no frames of the kernel */
	bool children;
	const pid_t *pids;
	size_t npids;
	bool on_exec;		/* begin when pids[0] executes a program */
};

struct fl_perf_events {
	struct fl_ring *rings;
	size_t nrings;
	int *fds;
	size_t nfds, fds_capacity;
	bool hardware;		/* cycles rather than the CPU's clock */
	bool kernel;		/* frames of the kernel are there */
	bool per_cpu;		/* each CPU's, rather than each thread's */
	size_t ring_size, ring_wanted;
	uint64_t barrier;	/* later records have to wait */
	uint8_t *copy;		/* a record that was in two parts */
	size_t copy_capacity;
};

/* false: refused, or failed for memory (see flame_error). */
bool fl_perf_events_open(struct flame *flame, struct fl_perf_events *events,
			 const struct fl_sampling *sampling,
			 struct fl_refusal *refusal);
bool fl_perf_events_start(struct fl_perf_events *events);
void fl_perf_events_stop(struct fl_perf_events *events);
/* Waits until there are records, for a while at most. */
void fl_perf_events_wait(struct fl_perf_events *events, int milliseconds);
/* Call it before each round of fl_perf_events_next. */
void fl_perf_events_round(struct fl_perf_events *events);
/* The next record in order of time; false: no more in this round. */
bool fl_perf_events_next(struct fl_perf_events *events,
			 struct fl_event *event);
/* Also looks at records that came since; their round is the next one. */
void fl_perf_events_refresh(struct fl_perf_events *events);
/*
 * Each sample and each new name of a thread once, as soon as it is there;
 * false: no more.
 */
struct fl_peeked {
	uint64_t key;		/* that its event will have */
	pid_t pid, tid;
	bool renames;
};
bool fl_perf_events_peek(struct fl_perf_events *events,
			 struct fl_peeked *peeked);
/* Whether records of this round are left. */
bool fl_perf_events_pending(const struct fl_perf_events *events);
/* Parses a record of a ring buffer; false: of no use here. */
bool fl_perf_event_parse(const uint8_t *at, size_t size,
			 struct fl_event *event);
void fl_perf_events_close(struct fl_perf_events *events);
/* kernel.perf_event_paranoid; INT_MAX: not known. */
int fl_perf_paranoid(void);

/* attach.c ------------------------------------------------------------ */

/*
 * Gives a JVM a command of jcmd's; the reply ends in NUL.  false: see the
 * refusal.
 */
bool fl_attach(pid_t pid, const char *line, struct fl_buf *reply,
	       struct fl_refusal *refusal);
/* A process's /tmp, as it sees it; -1: none. */
int fl_open_tmp(pid_t pid);
/* The number that the process itself sees. */
pid_t fl_inner_pid(pid_t pid);

/* jvm_events.c -------------------------------------------------------- */

enum fl_record_kind {
	FL_RECORD_CPU, FL_RECORD_WALL, FL_RECORD_OFFCPU,
	FL_RECORD_ALLOC, FL_RECORD_LOCK		/* of JVMs */
};

struct fl_jvm_events {
	pid_t pid;
	char name[64];		/* of the recording */
	char comm[64];		/* of the process */
	uid_t owner;
	int tmp;		/* the process's /tmp */
	bool started;
};

/* false: see the refusal. */
bool fl_jvm_events_start(struct fl_jvm_events *events, pid_t pid,
			 enum fl_record_kind kind, struct fl_refusal *refusal);
/*
 * Leaves out the recorder's own threads, and the first allocation of each
 * thread: the JVM gives it the bytes of all that the thread allocated before
 * the recording.
 */
struct flame_sink *fl_jvm_events_filter(struct flame *flame,
					struct flame_sink *next,
					enum fl_record_kind kind);
/* Begins stacks with the frame that is named before each recording is read. */
struct flame_sink *fl_jvm_root_filter(struct flame *flame,
				      struct flame_sink *next);
void fl_jvm_root_name(struct flame_sink *sink, const char *name);
/* The recording, a file that has no name any more; -1: see the refusal. */
int fl_jvm_events_stop(struct fl_jvm_events *events,
		       struct fl_refusal *refusal);

/* blocked.c ----------------------------------------------------------- */

/* A copy of a thread's stack while it waits. */
struct fl_blocked {
	uint8_t *bytes;
	unsigned size;		/* of bytes */
	bool kernel;		/* the kernel's frames, too */
	struct fl_regs regs;
	struct fl_stack_bytes stack;
	char text[4096];	/* the kernel's frames */
};

enum fl_look {
	FL_LOOK_GONE, FL_LOOK_RUNS, FL_LOOK_BLOCKED,
	FL_LOOK_SAME,		/* blocked since it was read last */
	FL_LOOK_UNKNOWN		/* its memory cannot be read */
};

/* false: out of memory. */
bool fl_blocked_init(struct fl_blocked *blocked, unsigned size, bool kernel);
void fl_blocked_free(struct fl_blocked *blocked);
/* *turns is the thread's count of turns on a CPU when it was read; 0: never. */
enum fl_look fl_blocked_look(struct fl_blocked *blocked, pid_t pid, pid_t tid,
			     uint64_t *turns);
/* Names of the kernel's frames, leaf first; *at begins with 0. */
bool fl_blocked_kernel(struct fl_blocked *blocked, size_t *at,
		       struct slice *name);

/* record.c ------------------------------------------------------------ */

struct fl_recording {
	struct fl_sampling sampling;
	enum fl_record_kind kind;
	bool may_fall_back;	/* to wall, where events are refused */
	unsigned looks;		/* wall: a second */
	double seconds;		/* 0: until the end of the targets */
	bool threads;		/* a root frame for each thread */
	bool comms;		/* threads are named as the kernel does */
	pid_t command;		/* a child to wait for; 0: none */
	char *const *argv;	/* its arguments, or NULL */
	size_t argc;
	int go;			/* write end: the child waits for a byte; -1 */
	volatile const int *stop;	/* becomes nonzero to end it */
	/* Called a few times a second; NULL: not. */
	void (*progress)(void *arg, double seconds, uint64_t samples,
			 uint64_t lost);
	void *arg;
};

struct fl_record_result {
	uint64_t samples, lost, whole, truncated, stacks;
	double seconds;
	bool kernel, hardware, throttled;
	uint64_t unread;	/* wall: looks at memory that is not readable */
	enum fl_record_kind kind;
	const char *metric;	/* cpu, wall, offcpu */
	const char *what;	/* cycles, cpu-clock, wall, offcpu */
	char fallback[512];	/* why it differs from the request; or "" */
	size_t ring_size, ring_wanted;	/* bytes */
	unsigned stack;		/* bytes of a stack that were copied at most */
	int status;		/* of the command, as of waitpid */
	bool reaped;		/* the command has ended */
};

/*
 * Opens the events of a recording as a source: flame_pump records.  NULL: see
 * the refusal, or flame_error.
 */
struct flame_source *fl_record_open(struct flame *flame,
				    const struct fl_recording *recording,
				    struct fl_refusal *refusal);
const struct fl_record_result *fl_record_result(const struct flame_source *s);
/* The last address seen of a frame; 0: none. */
uint64_t fl_record_address(const struct flame_source *source, flame_id frame);

/* The time in ns since 1970 when CLOCK_MONOTONIC was 0. */
int64_t fl_record_clock(const struct flame_source *source);

/* check.c ------------------------------------------------------------- */

/* A line of the answer: whether something is possible, and how or why not. */
typedef void fl_check_line(void *arg, bool good, const char *what,
			   const char *text);
/* pid 0: no process.  false: nothing can be recorded here. */
bool fl_check(struct flame *flame, pid_t pid, fl_check_line *line, void *arg);

/* script.c ------------------------------------------------------------ */

/* A sink that writes each sample as perf script does. */
struct flame_sink *fl_script_create(struct flame *flame, const char *path);
/* Addresses of frames come from this source, once it is open. */
void fl_script_source(struct flame_sink *sink,
		      const struct flame_source *source, const char *event);

#endif
