/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A HotSpot JVM that is read from outside, as the parts of hotspot.c see it:
 *
 *	hotspot_layout.c	where its structures have what
 *	hotspot_code.c		the code cache and the blobs in it
 *	hotspot_methods.c	names of methods, and those that were inlined
 *	hotspot_lines.c		lines of them
 *	hotspot_threads.c	names of threads
 *	hotspot.c		from a frame to its caller
 */
#ifndef FL_SAMPLE_HOTSPOT_H
#define FL_SAMPLE_HOTSPOT_H

#include "sample/virtual_machines.h"

enum {
	FL_MAX_HEAPS = 8,
	FL_BLOB_HEADER = 512	/* more than any blob's header */
};

/* Offsets of fields, addresses of static ones; -1: not in this JVM. */
struct fl_vm_layout {
	int64_t heap, heaps, low, high, major, current, current_major;
	int64_t heap_memory, heap_segmap, log2_segment, virtual_low,
		virtual_high, block_used;
	int64_t array_length, array_data;
	int64_t blob_name, code_begin, code_end, code_offset, data_offset,
		frame_complete, frame_size, relocation_size, mutable_data;
	int64_t method, compile_id, level, scopes_data, scopes_pcs,
		dependencies, metadata, immutable, immutable_size,
		scopes_data_offset, deopt, deopt_offset, orig_pc;
	int64_t const_method, constants, name_index, pool_holder, klass_name,
		symbol_length, symbol_body, code_size, method_flags;
	int64_t size_of_block, size_of_pool, size_of_method;
	int64_t thread_list, list_length, list_data, first_thread,
		next_thread, thread_object, virtual_thread, osthread, thread_id, oops_base, oops_shift;
};

/* Differences between releases that no table has. */
struct fl_vm_release {
	int major;	/* the first one of these rules */
	int tried;	/* the last one that was tried with them; 0: none */
	int bytecode;	/* words from the frame pointer of the interpreter */
	int excess;	/* UNSIGNED5: no byte is less than this */
	bool apart;	/* debug information is outside the blob */
	bool handles;	/* a thread has its object by a handle */
};

/* Where Java's objects have what; header 0: not found yet. */
struct fl_vm_names {
	bool narrow;		/* references are 4 bytes: base + (n << shift) */
	bool wide;		/* a String has an array of char, as up to 8 */
	bool colored;		/* references have flags, as in ZGC */
	uint64_t base;
	int shift;
	unsigned name, value;	/* offsets in Thread, and in String */
	unsigned header;	/* bytes of an array's */
	uint64_t string_class, array_class;
};

enum fl_blob_kind {
	FL_BLOB_METHOD, FL_BLOB_INTERPRETER, FL_BLOB_STUBS, FL_BLOB_ADAPTER,
	FL_BLOB_RUNTIME
};

struct fl_code_blob {
	uint64_t at, begin, end;
	enum fl_blob_kind kind;
	unsigned round;		/* it was compared last */
	uint64_t method;
	int32_t compile_id, level, frame_size, frame_complete;
	uint64_t deopt;
	int32_t orig_pc;
	unsigned pushes;	/* registers that a stub without a frame
				   saves, at most */
	flame_id frame;		/* of a stub */
	uint8_t *data;		/* PcDescs, scopes, metadata; NULL: not read */
	size_t pcs_size, scopes_size, metadata_size;
	bool has_data;
};

struct fl_vm_method {
	uint64_t at;
	flame_id name;
	unsigned round;
};

struct fl_hotspot {
	struct flame *flame;
	struct fl_memory memory;
	struct fl_vm_layout layout;
	const struct fl_vm_release *release;
	bool tried;		/* its release was */
	uint64_t low, high;
	struct fl_code_heap {
		uint64_t low, high, segmap;
		int32_t log2;
	} heaps[FL_MAX_HEAPS];
	size_t nheaps;
	unsigned round;
	bool fresh;		/* bounds and heaps were read in this round */
	struct fl_code_blob *blobs;
	size_t nblobs, blobs_capacity;
	size_t data_size;	/* of all blobs */
	struct fl_map blobs_by_at;	/* -> place + 1 */
	struct fl_map found;		/* pc -> place + 1, in this round */
	struct fl_vm_method *methods;
	size_t nmethods, methods_capacity;
	struct fl_map methods_by_at;
	struct fl_map threads;		/* tid -> its JavaThread */
	int64_t next_list;		/* when they may be listed again; ns */
	struct fl_vm_names names;
	bool lines;		/* names have them */
	struct fl_buf buf;
};

static inline bool fl_vm_read(const struct fl_hotspot *h, uint64_t at, void *to,
			      size_t size)
{
	return h->memory.read(h->memory.arg, at, to, size);
}

static inline uint64_t fl_vm_word(const struct fl_hotspot *h, uint64_t at)
{
	uint64_t n = 0;

	return fl_vm_read(h, at, &n, sizeof(n)) ? n : 0;
}

static inline int32_t fl_vm_int(const struct fl_hotspot *h, uint64_t at)
{
	int32_t n = 0;

	return fl_vm_read(h, at, &n, sizeof(n)) ? n : 0;
}

/* Of a blob's header. */
static inline int64_t fl_vm_field(const uint8_t *header, int64_t offset,
				  size_t size)
{
	int64_t n = 0;

	if (offset < 0 || offset > (int64_t)(FL_BLOB_HEADER - size))
		return 0;
	memcpy(&n, header + offset, size);
	if (size == 4)
		return (int32_t)n;
	return size == 2 ? (int16_t)n : n;
}

/* Of a blob at `at`: a field has its address, or else one has its offset. */
static inline uint64_t fl_vm_part(const uint8_t *header, uint64_t at,
				  int64_t address, int64_t offset)
{
	return address >= 0 ? (uint64_t)fl_vm_field(header, address, 8) :
			      at + (uint64_t)fl_vm_field(header, offset, 4);
}

/* hotspot_layout.c */
/* Text that ends in NUL; false: too long, or not readable. */
bool fl_vm_text(const struct fl_hotspot *h, uint64_t at, char *to, size_t size);
/*
 * Reads the tables; false: they lack what its release should have.  *major:
 * what the JVM says it is; 0: it does not.
 */
bool fl_hotspot_read_layout(struct fl_hotspot *h,
			    const struct fl_vm_symbols *vm, int *major);

/* hotspot_code.c */
/* Frees the debug information of a blob. */
void fl_hotspot_drop_data(struct fl_hotspot *h, struct fl_code_blob *blob);
/* Frees that of all blobs, if `size` bytes more of it were too many. */
void fl_hotspot_make_room(struct fl_hotspot *h, size_t size);
/* NULL: the address is in no blob that is in use. */
struct fl_code_blob *fl_hotspot_blob(struct fl_hotspot *h, uint64_t pc);

/* hotspot_methods.c */
/* bci: where it is, or FL_NO_BCI.  false: it is not a method. */
bool fl_hotspot_push(struct fl_hotspot *h, struct fl_unwinder *u,
		     uint64_t method, int32_t bci, enum flame_type type,
		     uint64_t pc);
/* The methods of a place in compiled code, inlined ones first. */
bool fl_hotspot_push_compiled(struct fl_hotspot *h, struct fl_unwinder *u,
			      struct fl_code_blob *blob, uint64_t pc);

/* hotspot_lines.c */
enum { FL_NO_BCI = INT32_MIN };
/* The line of a bytecode of a method; 0: not known. */
uint32_t fl_hotspot_line(const struct fl_hotspot *h, uint64_t method,
			 int32_t bci);
/* The index of the bytecode at an address; FL_NO_BCI: it is none of these. */
int32_t fl_hotspot_bci(const struct fl_hotspot *h, uint64_t method,
		       uint64_t address);

#endif
