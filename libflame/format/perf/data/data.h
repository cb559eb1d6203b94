/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The reader of perf.data, in the order data flow:
 *
 *	data.c		the loop over records; the format's row
 *	file.c		the header, its attributes and features, of file or pipe
 *	event.c		attributes and identifiers: which event a record is of
 *	sample.c	fields of a sample, by its event's sample_type
 *	tracing.c	names of tracepoints
 *	unpack.c	records that are compressed
 *	order.c		records of several buffers, in the order of their times
 *	process.c	threads, their names and mappings
 *	chain.c		a sample's addresses as a stack
 *	build_id.c	which build a file was
 *
 * A sample goes on as one that perf script would print: events, threads,
 * labels and weights are those of the reader of its text (../reader.h), and so
 * are names of frames.
 */
#ifndef FL_PERF_DATA_H
#define FL_PERF_DATA_H

#include "format/perf/reader.h"
#include "native/names.h"

/* Types of records: the kernel's, and from 64 on perf's own. */
enum {
	PERF_MMAP = 1, PERF_LOST, PERF_COMM, PERF_EXIT, PERF_FORK = 7,
	PERF_SAMPLE = 9, PERF_MMAP2, PERF_LOST_SAMPLES = 13, PERF_KSYMBOL = 17,
	PERF_CGROUP = 19,
	PERF_OWN = 64, PERF_HEADER_ATTR = 64, PERF_EVENT_TYPE,
	PERF_TRACING_DATA, PERF_BUILD_ID, PERF_FINISHED_ROUND,
	PERF_AUXTRACE = 71, PERF_EVENT_UPDATE = 78, PERF_HEADER_FEATURE = 80,
	PERF_COMPRESSED, PERF_COMPRESSED2 = 83
};

/* A record as it lies in the file: type, misc, size. */
enum { PERF_HEADER_SIZE = 8, PERF_MAX_RECORD = 1 << 16 };
/* misc & PERF_MODE: where the CPU was. */
enum { PERF_MISC_COMM_EXEC = 1 << 13, PERF_MISC_MMAP_DATA = 1 << 13,
       PERF_MISC_FORK_EXEC = 1 << 13, PERF_MISC_LOST_BPF = 1 << 15,
       PERF_MISC_BUILD_ID_SIZE = 1 << 15, PERF_MISC_MMAP_BUILD_ID = 1 << 14 };
enum { PERF_MODE = 7, PERF_MODE_KERNEL = 1, PERF_MODE_USER = 2,
       PERF_MODE_HYPERVISOR = 3, PERF_MODE_GUEST_KERNEL = 4,
       PERF_MODE_GUEST_USER = 5 };

/* Numbers in the byte order of the machine that recorded. */
static inline uint64_t fl_perf_u64(const uint8_t *at, bool big)
{
	uint64_t n;

	memcpy(&n, at, sizeof(n));
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
	big = !big;
#endif
	return fl_unlikely(big) ? __builtin_bswap64(n) : n;
}

static inline uint32_t fl_perf_u32(const uint8_t *at, bool big)
{
	uint32_t n;

	memcpy(&n, at, sizeof(n));
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
	big = !big;
#endif
	return fl_unlikely(big) ? __builtin_bswap32(n) : n;
}

static inline uint16_t fl_perf_u16(const uint8_t *at, bool big)
{
	return big ? (uint16_t)(at[0] << 8 | at[1]) :
		     (uint16_t)(at[0] | at[1] << 8);
}

/* Bytes that are read from the front.  cut: more were asked for. */
struct fl_perf_bytes {
	const uint8_t *at, *end;
	bool big, cut;
};

const uint8_t *fl_perf_take(struct fl_perf_bytes *bytes, uint64_t n);
uint64_t fl_perf_take64(struct fl_perf_bytes *bytes);
uint32_t fl_perf_take32(struct fl_perf_bytes *bytes);
/* A text in n bytes, up to its NUL. */
struct slice fl_perf_take_text(struct fl_perf_bytes *bytes, uint64_t n);

/* An attribute: struct perf_event_attr, and a name. */
struct fl_perf_attr {
	uint32_t type;
	uint64_t config, period, sample_type, read_format, branch_type;
	uint64_t user_regs, intr_regs, breakpoint;
	uint32_t breakpoint_type;
	uint32_t flags;		/* FL_PERF_SAMPLE_ID_ALL and others */
	struct slice name;	/* of the recording; size 0: none */
	struct slice traced;	/* the kernel's name of a tracepoint */
	bool has_event;		/* it was met: its number in the reader */
	size_t event;
};

enum {
	PERF_EXCLUDE_USER = 1 << 4, PERF_EXCLUDE_KERNEL = 1 << 5,
	PERF_EXCLUDE_HV = 1 << 6, PERF_PRECISE_SHIFT = 15,
	PERF_SAMPLE_ID_ALL = 1 << 18, PERF_EXCLUDE_HOST = 1 << 19,
	PERF_EXCLUDE_GUEST = 1 << 20
};

/* Bits of sample_type. */
#define PERF_SAMPLE_BITS(f) \
	f(IP) f(TID) f(TIME) f(ADDR) f(READ) f(CALLCHAIN) f(ID) f(CPU) \
	f(PERIOD) f(STREAM_ID) f(RAW) f(BRANCH_STACK) f(REGS_USER) \
	f(STACK_USER) f(WEIGHT) f(DATA_SRC) f(IDENTIFIER) f(TRANSACTION) \
	f(REGS_INTR) f(PHYS_ADDR) f(AUX) f(CGROUP) f(DATA_PAGE_SIZE) \
	f(CODE_PAGE_SIZE) f(WEIGHT_STRUCT)
#define PERF_SAMPLE_BIT(name) PERF_BIT_##name,
enum { PERF_SAMPLE_BITS(PERF_SAMPLE_BIT) };
#define PERF_HAS(attr, name) ((attr)->sample_type >> PERF_BIT_##name & 1)

/* Fields of a sample, or of any record's end; all bits set: not there. */
struct fl_perf_fields {
	uint64_t ip, time, id, period, cgroup;
	uint32_t pid, tid, cpu;
	unsigned mode;		/* of misc */
	const uint8_t *chain;	/* of nchain numbers */
	uint64_t nchain;
	const uint8_t *read;	/* its values, by the attribute's read_format */
	const uint8_t *regs;	/* of the user's; NULL: none */
	uint64_t regs_abi;
	const uint8_t *stack;	/* a copy of stack_size bytes */
	uint64_t stack_size;
	bool stack_full;	/* it may go on after them */
	bool big;
};

/* Of a process.  Shared by forks until one of them maps something. */
struct fl_perf_maps {
	unsigned users;
	uint32_t id;		/* new when an address may mean something else */
	struct fl_mappings maps;
};

/* What the recording says of a file. */
struct fl_perf_build {
	struct slice name;
	uint8_t id[20];
	uint8_t size;
};

struct fl_perf_thread {
	uint32_t pid, tid;
	flame_id comm;		/* 0: ":TID" */
	bool named, exited;
	struct fl_perf_maps *maps;
};

/* Records that wait for earlier ones of other buffers. */
struct fl_perf_order {
	struct fl_perf_waiting {
		uint64_t time;
		const uint8_t *record;
	} *data;
	size_t n, capacity;
	size_t given, ready;	/* in order; these may be delivered */
	uint64_t limit, latest;	/* of the last round; of all so far */
	size_t bytes;		/* of records */
	struct fl_arena arena;	/* where the input does not keep them */
};

/* One step of a stack that was met: see chain.c. */
struct fl_perf_step {
	uint64_t ip;
	uint32_t maps;
	flame_id parent, stack;
};

struct fl_perf_unpacked;

struct fl_perf_data {
	struct fl_perf_reader text;	/* first: what makes samples */
	struct flame_source *source;
	struct flame *flame;

	/* Bytes that are peeked at and not consumed yet. */
	const uint8_t *start, *at, *end;
	bool whole;		/* there is no more than that */
	bool stable;		/* they stay where they are */
	bool big;		/* byte order */
	bool pipe;
	bool opened;		/* the header was read */
	bool ended;
	uint64_t offset;	/* of start, in the input */
	uint64_t base;		/* of the file, in the input */
	uint64_t released;	/* pages before it were given back */
	/* From base on; UINT64_MAX: the input's. */
	uint64_t data_end, file_end;

	struct fl_perf_attr *attrs;
	size_t nattrs, attrs_capacity;
	struct fl_map by_id;	/* -> attribute + 1 */
	struct fl_map values;	/* id -> what a counter had last */
	const char *arch;	/* of the machine; NULL: not known */

	struct fl_map by_tid;	/* -> thread + 1 */
	struct fl_perf_thread **threads;
	size_t nthreads, threads_capacity, nexited;
	struct fl_perf_thread *last;	/* that was found */
	struct fl_perf_maps *kernel;
	uint32_t nmaps;		/* ids given so far */
	struct fl_perf_build *builds;
	size_t nbuilds, builds_capacity;
	struct fl_index by_name;	/* -> build + 1 */
	struct fl_map cgroups;	/* id -> name */
	struct fl_arena arena;	/* of names, threads and mapped files */

	struct fl_perf_order order;
	struct fl_perf_unpacked *unpacked;

	struct fl_perf_step *steps;
	struct fl_native_names *names;
	uint64_t foreign;	/* stacks of another machine's registers */
	uint64_t unknown_id, bad, traces, guests;
	char damage[160];	/* "" : none */
};

/* file.c: the header; false: it cannot be read, see damage. */
bool fl_perf_data_header(struct fl_perf_data *d);
/* A feature, of a file or of a record. */
void fl_perf_data_feature(struct fl_perf_data *d, unsigned feature,
			  struct fl_perf_bytes bytes);
void fl_perf_take_build_id(struct fl_perf_data *d, const uint8_t *record);
/* The first damage stays. */
void fl_perf_data_damage(struct fl_perf_data *d, const char *format, ...)
	FL_PRINTF(2, 3);
/* The bytes from an offset of a stable input; NULL: they are not all there. */
const uint8_t *fl_perf_data_at(struct fl_perf_data *d, uint64_t offset,
			       uint64_t size);

/* data.c: n bytes at d->at, if the input has as many. */
bool fl_perf_data_peek(struct fl_perf_data *d, size_t n);
/* A record of the kernel's, which is given when its time has come. */
void fl_perf_data_record(struct fl_perf_data *d, const uint8_t *record);

/* event.c */
/* Reads an attribute.  false: too many, or too short. */
bool fl_perf_attr_add(struct fl_perf_data *d, struct fl_perf_bytes bytes);
void fl_perf_attr_ids(struct fl_perf_data *d, size_t attr,
		      struct fl_perf_bytes ids);
/* Of a record; NULL: its identifier is of none. */
struct fl_perf_attr *fl_perf_attr_of(struct fl_perf_data *d,
				     const uint8_t *record);
struct fl_perf_attr *fl_perf_attr_by_id(struct fl_perf_data *d, uint64_t id);
/* The metric of an event; NULL: there are too many. */
struct fl_perf_event *fl_perf_attr_event(struct fl_perf_data *d,
					 struct fl_perf_attr *attr);

/* tracing.c */
void fl_perf_take_tracing(struct fl_perf_data *d, struct fl_perf_bytes bytes);

/* sample.c: false: the record is too short for its fields. */
bool fl_perf_fields(const struct fl_perf_attr *attr, const uint8_t *record,
		    bool big, struct fl_perf_fields *fields);
/* The time of any record; all bits set: it has none. */
uint64_t fl_perf_time(const struct fl_perf_attr *attr, const uint8_t *record,
		      bool big);
/* Calls accept for each counter that a sample has the values of. */
void fl_perf_values(const struct fl_perf_attr *attr,
		    const struct fl_perf_fields *fields,
		    void (*accept)(void *arg, uint64_t id, uint64_t value),
		    void *arg);

/* order.c */
void fl_perf_order_add(struct fl_perf_data *d, const uint8_t *record,
		       uint64_t time);
void fl_perf_order_round(struct fl_perf_data *d);
/* All that wait: at the end. */
void fl_perf_order_all(struct fl_perf_data *d);
/* The next record that may be given; NULL: none. */
const uint8_t *fl_perf_order_next(struct fl_perf_data *d);

/* unpack.c */
/* The bytes that a record has packed become records.  false: damaged. */
bool fl_perf_unpack(struct fl_perf_data *d, const uint8_t *at, size_t n);
void fl_perf_unpack_free(struct fl_perf_data *d);

/* process.c */
struct fl_perf_thread *fl_perf_thread(struct fl_perf_data *d, uint32_t pid,
				      uint32_t tid);
flame_id fl_perf_thread_comm(struct fl_perf_data *d,
			     struct fl_perf_thread *thread);
struct fl_perf_maps *fl_perf_thread_maps(struct fl_perf_data *d,
					 struct fl_perf_thread *thread);
void fl_perf_take_comm(struct fl_perf_data *d, struct fl_perf_bytes bytes);
void fl_perf_take_fork(struct fl_perf_data *d, struct fl_perf_bytes bytes,
		  unsigned misc);
void fl_perf_take_exit(struct fl_perf_data *d, struct fl_perf_bytes bytes);
void fl_perf_take_mmap(struct fl_perf_data *d, struct fl_perf_bytes bytes,
		  unsigned misc, bool two);
void fl_perf_take_ksymbol(struct fl_perf_data *d, struct fl_perf_bytes bytes);
/* "[nf_tables]" of the path of a module. */
struct slice fl_perf_module_name(struct fl_perf_data *d, struct slice path);
/* What the recording says of the files of this name. */
void fl_perf_build_id(struct fl_perf_data *d, struct slice name,
		      const uint8_t *build_id, size_t size);
/* NULL: it does not. */
const struct fl_perf_build *fl_perf_build_of(const struct fl_perf_data *d,
					     struct slice name);
void fl_perf_processes_free(struct fl_perf_data *d);

/* chain.c: the stack of a sample, on the stack of its comm. */
flame_id fl_perf_chain(struct fl_perf_data *d, struct fl_perf_thread *thread,
		       const struct fl_perf_attr *attr,
		       const struct fl_perf_fields *fields, flame_id base);

#endif
