/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Java frames of a HotSpot JVM, read from outside.
 *
 * libjvm.so exports tables of its structures (gHotSpotVMStructs and others, made
 * for the serviceability agent): offsets come from there.  A few rules that no
 * table tells differ between releases, so only those releases are read whose
 * rules are known.
 *
 * A code blob is what the JVM has compiled or assembled at one place: a method
 * (nmethod), the interpreter, a stub.  What is known of one is read again when it
 * may have changed, that is once in each round of samples.
 */
#include "fl.h"

#include "sample/sample.h"

#include <stdlib.h>

enum {
	MAX_ENTRIES = 20000,	/* of a table */
	MAX_HEAPS = 8,
	MAX_NAME = 4096,
	MAX_DATA = 64 << 20,	/* debug information of a method */
	MAX_INLINED = 200,
	MAX_BLOB_COUNT = 1 << 16,
	HEADER = 512		/* more than any blob's header */
};

/* Frames of the interpreter: words from the frame pointer. */
enum { SENDER_SP = -1, METHOD = -3 };

/* Offsets of fields, addresses of static ones; -1: not in this JVM. */
struct layout {
	int64_t heaps, low, high, major;
	int64_t heap_memory, heap_segmap, log2_segment, virtual_low,
		virtual_high, block_used;
	int64_t array_length, array_data;
	int64_t blob_name, code_begin, code_end, code_offset, data_offset,
		frame_complete, frame_size, relocation_size, mutable_data;
	int64_t method, compile_id, level, scopes_data, scopes_pcs,
		dependencies, metadata, immutable, immutable_size,
		scopes_data_offset, deopt, deopt_offset, orig_pc;
	int64_t const_method, constants, name_index, pool_holder, klass_name,
		symbol_length, symbol_body;
	int64_t size_of_block, size_of_pool;
};

#define AT(member) offsetof(struct layout, member)

static const struct wanted {
	const char *type, *field;
	size_t at;
} wanted[] = {
	{ "CodeCache", "_heaps", AT(heaps) },
	{ "CodeCache", "_low_bound", AT(low) },
	{ "CodeCache", "_high_bound", AT(high) },
	{ "Abstract_VM_Version", "_vm_major_version", AT(major) },
	{ "CodeHeap", "_memory", AT(heap_memory) },
	{ "CodeHeap", "_segmap", AT(heap_segmap) },
	{ "CodeHeap", "_log2_segment_size", AT(log2_segment) },
	{ "VirtualSpace", "_low", AT(virtual_low) },
	{ "VirtualSpace", "_high", AT(virtual_high) },
	{ "HeapBlock::Header", "_used", AT(block_used) },
	{ "GrowableArrayBase", "_len", AT(array_length) },
	{ "GrowableArray<int>", "_data", AT(array_data) },
	{ "CodeBlob", "_name", AT(blob_name) },
	{ "CodeBlob", "_code_begin", AT(code_begin) },
	{ "CodeBlob", "_code_end", AT(code_end) },
	{ "CodeBlob", "_code_offset", AT(code_offset) },
	{ "CodeBlob", "_data_offset", AT(data_offset) },
	{ "CodeBlob", "_frame_complete_offset", AT(frame_complete) },
	{ "CodeBlob", "_frame_size", AT(frame_size) },
	{ "CodeBlob", "_relocation_size", AT(relocation_size) },
	{ "CodeBlob", "_mutable_data", AT(mutable_data) },
	{ "CompiledMethod", "_method", AT(method) },
	{ "CompiledMethod", "_scopes_data_begin", AT(scopes_data) },
	{ "CompiledMethod", "_deopt_handler_begin", AT(deopt) },
	{ "nmethod", "_method", AT(method) },
	{ "nmethod", "_compile_id", AT(compile_id) },
	{ "nmethod", "_comp_level", AT(level) },
	{ "nmethod", "_scopes_pcs_offset", AT(scopes_pcs) },
	{ "nmethod", "_scopes_data_offset", AT(scopes_data_offset) },
	{ "nmethod", "_dependencies_offset", AT(dependencies) },
	{ "nmethod", "_metadata_offset", AT(metadata) },
	{ "nmethod", "_immutable_data", AT(immutable) },
	{ "nmethod", "_immutable_data_size", AT(immutable_size) },
	{ "nmethod", "_deopt_handler_offset", AT(deopt_offset) },
	{ "nmethod", "_orig_pc_offset", AT(orig_pc) },
	{ "Method", "_constMethod", AT(const_method) },
	{ "ConstMethod", "_constants", AT(constants) },
	{ "ConstMethod", "_name_index", AT(name_index) },
	{ "ConstantPool", "_pool_holder", AT(pool_holder) },
	{ "Klass", "_name", AT(klass_name) },
	{ "Symbol", "_length", AT(symbol_length) },
	{ "Symbol", "_body[0]", AT(symbol_body) },
};

/* What differs between releases and is in no table. */
static const struct release {
	int major;
	bool apart;	/* debug information lies beside the code */
	int excess;	/* UNSIGNED5: no byte is less than this */
} releases[] = {
	{ 17, false, 0 },
	{ 25, true, 1 },
};

enum blob_kind {
	BLOB_METHOD, BLOB_INTERPRETER, BLOB_STUBS, BLOB_ADAPTER, BLOB_RUNTIME
};

struct blob {
	uint64_t at, begin, end;
	enum blob_kind kind;
	unsigned round;		/* it was compared last */
	uint64_t method;
	int32_t compile_id, level, frame_size, frame_complete;
	uint64_t deopt;
	int32_t orig_pc;
	flame_id frame;		/* of a stub */
	uint8_t *data;		/* PcDescs, scopes, metadata; NULL: not read */
	size_t pcs_size, scopes_size, metadata_size;
	bool has_data;
};

struct method {
	uint64_t at, const_method;
	flame_id name;
	unsigned round;
};

struct fl_hotspot {
	struct flame *flame;
	struct fl_memory memory;
	struct layout layout;
	const struct release *release;
	uint64_t low, high;
	struct heap {
		uint64_t low, high, segmap;
		int32_t log2;
	} heaps[MAX_HEAPS];
	size_t nheaps;
	unsigned round;
	bool fresh;		/* bounds and heaps were read in this round */
	struct blob *blobs;
	size_t nblobs, blobs_capacity;
	struct fl_map blobs_by_at;	/* -> place + 1 */
	struct fl_map found;		/* pc -> place + 1, in this round */
	struct method *methods;
	size_t nmethods, methods_capacity;
	struct fl_map methods_by_at;
	struct fl_buf buf;
};

/* The target's memory ------------------------------------------------------ */

static bool read_at(const struct fl_hotspot *h, uint64_t at, void *to,
		    size_t size)
{
	return h->memory.read(h->memory.arg, at, to, size);
}

static uint64_t word_at(const struct fl_hotspot *h, uint64_t at)
{
	uint64_t n = 0;

	return read_at(h, at, &n, sizeof(n)) ? n : 0;
}

static int32_t int_at(const struct fl_hotspot *h, uint64_t at)
{
	int32_t n = 0;

	return read_at(h, at, &n, sizeof(n)) ? n : 0;
}

/* Text that ends in NUL; false: there is none that fits. */
static bool text_at(const struct fl_hotspot *h, uint64_t at, char *to,
		    size_t size)
{
	size_t n = 0;

	while (n < size) {
		/* Up to the end of 64 bytes, which lie in one page. */
		size_t part = FL_MIN(64 - (size_t)(at + n) % 64, size - n);

		if (!at || !read_at(h, at + n, to + n, part))
			return false;
		if (memchr(to + n, '\0', part))
			return true;
		n += part;
	}
	return false;
}

static int64_t in_header(const uint8_t *header, int64_t offset, size_t size)
{
	int64_t n = 0;

	if (offset < 0 || offset > (int64_t)(HEADER - size))
		return 0;
	memcpy(&n, header + offset, size);
	if (size == 4)
		return (int32_t)n;
	return size == 2 ? (int16_t)n : n;
}

/* Tables ----------------------------------------------------------------- */

static uint64_t exported(const struct fl_hotspot *h,
			 const struct fl_vm_symbols *vm, const char *name)
{
	for (size_t i = 0; i < vm->count; i++)
		if (strcmp(vm->data[i].name, name) == 0)
			return word_at(h, vm->data[i].address);
	return 0;
}

static void take_field(struct layout *layout, const char *type,
		       const char *field, int64_t value)
{
	for (size_t i = 0; i < FL_COUNT(wanted); i++)
		if (strcmp(wanted[i].field, field) == 0 &&
		    strcmp(wanted[i].type, type) == 0)
			memcpy((char *)layout + wanted[i].at, &value,
			       sizeof(value));
}

static bool read_structs(struct fl_hotspot *h, const struct fl_vm_symbols *vm)
{
	uint64_t at = exported(h, vm, "gHotSpotVMStructs");
	uint64_t stride = exported(h, vm, "gHotSpotVMStructEntryArrayStride");
	uint64_t type = exported(h, vm, "gHotSpotVMStructEntryTypeNameOffset");
	uint64_t field =
		exported(h, vm, "gHotSpotVMStructEntryFieldNameOffset");
	uint64_t is_static =
		exported(h, vm, "gHotSpotVMStructEntryIsStaticOffset");
	uint64_t offset = exported(h, vm, "gHotSpotVMStructEntryOffsetOffset");
	uint64_t address =
		exported(h, vm, "gHotSpotVMStructEntryAddressOffset");
	char name[128], member[128];

	if (!at || stride < 8 || stride > 256)
		return false;
	for (size_t i = 0; i < MAX_ENTRIES; i++, at += stride) {
		uint64_t text = word_at(h, at + type);

		if (!text)
			return true;
		if (!text_at(h, text, name, sizeof(name)) ||
		    !text_at(h, word_at(h, at + field), member,
			     sizeof(member)))
			continue;
		take_field(&h->layout, name, member,
			   (int64_t)word_at(h, int_at(h, at + is_static) ?
					    at + address : at + offset));
	}
	return false;
}

static bool read_types(struct fl_hotspot *h, const struct fl_vm_symbols *vm)
{
	uint64_t at = exported(h, vm, "gHotSpotVMTypes");
	uint64_t stride = exported(h, vm, "gHotSpotVMTypeEntryArrayStride");
	uint64_t type = exported(h, vm, "gHotSpotVMTypeEntryTypeNameOffset");
	uint64_t size = exported(h, vm, "gHotSpotVMTypeEntrySizeOffset");
	char name[128];

	if (!at || stride < 8 || stride > 256)
		return false;
	for (size_t i = 0; i < MAX_ENTRIES; i++, at += stride) {
		uint64_t text = word_at(h, at + type);

		if (!text)
			break;
		if (!text_at(h, text, name, sizeof(name)))
			continue;
		if (strcmp(name, "HeapBlock") == 0)
			h->layout.size_of_block =
				(int64_t)word_at(h, at + size);
		else if (strcmp(name, "ConstantPool") == 0)
			h->layout.size_of_pool = (int64_t)word_at(h, at + size);
	}
	return h->layout.size_of_block > 0 && h->layout.size_of_pool > 0;
}

/* Whether all fields that the release should have are there. */
static bool is_complete(const struct fl_hotspot *h)
{
	const struct layout *l = &h->layout;
	const int64_t all[] = {
		l->heaps, l->low, l->high, l->heap_memory, l->heap_segmap,
		l->log2_segment, l->virtual_low, l->virtual_high,
		l->block_used, l->array_length, l->array_data, l->blob_name,
		l->frame_complete, l->frame_size, l->method, l->compile_id,
		l->level, l->scopes_pcs, l->const_method, l->constants,
		l->name_index, l->pool_holder, l->klass_name,
		l->symbol_length, l->symbol_body, l->orig_pc,
	};
	const int64_t apart[] = {
		l->code_offset, l->data_offset, l->relocation_size,
		l->mutable_data, l->immutable, l->immutable_size,
		l->scopes_data_offset, l->deopt_offset,
	};
	const int64_t together[] = {
		l->code_begin, l->code_end, l->scopes_data, l->dependencies,
		l->metadata, l->deopt,
	};

	for (size_t i = 0; i < FL_COUNT(all); i++)
		if (all[i] < 0)
			return false;
	for (size_t i = 0; h->release->apart && i < FL_COUNT(apart); i++)
		if (apart[i] < 0)
			return false;
	for (size_t i = 0; !h->release->apart && i < FL_COUNT(together); i++)
		if (together[i] < 0)
			return false;
	return true;
}

struct fl_hotspot *fl_hotspot_new(struct flame *flame,
				  const struct fl_memory *memory,
				  const struct fl_vm_symbols *vm,
				  int *major)
{
	struct fl_hotspot *h = fl_zeroed(1, sizeof(*h));

	*major = 0;
	if (!h)
		return NULL;
	h->flame = flame;
	h->memory = *memory;
	memset(&h->layout, 0xff, sizeof(h->layout));
	if (read_structs(h, vm) && read_types(h, vm) && h->layout.major > 0)
		*major = int_at(h, (uint64_t)h->layout.major);
	for (size_t i = 0; i < FL_COUNT(releases); i++)
		if (releases[i].major == *major)
			h->release = &releases[i];
	if (h->release && is_complete(h)) {
		h->round = 1;
		return h;
	}
	fl_hotspot_free(h);
	return NULL;
}

void fl_hotspot_free(struct fl_hotspot *h)
{
	if (!h)
		return;
	for (size_t i = 0; i < h->nblobs; i++)
		fl_free(h->blobs[i].data);
	fl_free(h->blobs);
	fl_free(h->methods);
	fl_map_free(&h->blobs_by_at);
	fl_map_free(&h->found);
	fl_map_free(&h->methods_by_at);
	fl_buf_free(&h->buf);
	fl_free(h);
}

void fl_hotspot_round(struct fl_hotspot *h)
{
	h->round++;
	h->fresh = false;
	fl_map_clear(&h->found);
}

/* The code cache ------------------------------------------------------------ */

static void read_heaps(struct fl_hotspot *h)
{
	const struct layout *l = &h->layout;
	uint64_t array = word_at(h, (uint64_t)l->heaps), data;
	int32_t n;

	h->fresh = true;
	h->low = word_at(h, (uint64_t)l->low);
	h->high = word_at(h, (uint64_t)l->high);
	h->nheaps = 0;
	if (!array)
		return;
	n = int_at(h, array + (uint64_t)l->array_length);
	data = word_at(h, array + (uint64_t)l->array_data);
	for (int32_t i = 0; i < n && h->nheaps < MAX_HEAPS; i++) {
		uint64_t at = word_at(h, data + (uint64_t)i * 8);
		uint64_t memory = at + (uint64_t)l->heap_memory;
		struct heap *heap = &h->heaps[h->nheaps];

		heap->low = word_at(h, memory + (uint64_t)l->virtual_low);
		heap->high = word_at(h, memory + (uint64_t)l->virtual_high);
		heap->segmap = word_at(h, at + (uint64_t)l->heap_segmap +
					  (uint64_t)l->virtual_low);
		heap->log2 = int_at(h, at + (uint64_t)l->log2_segment);
		h->nheaps += heap->low < heap->high && heap->segmap &&
			     heap->log2 > 0 && heap->log2 < 32;
	}
}

bool fl_hotspot_has(struct fl_hotspot *h, uint64_t pc)
{
	if (!h->fresh)
		read_heaps(h);
	return pc >= h->low && pc < h->high;
}

/*
 * A segment's byte tells how many segments before it its block begins, at most;
 * 0 is the first of a block, 255 belongs to none.
 */
static uint64_t find_block(const struct fl_hotspot *h, uint64_t pc)
{
	for (size_t i = 0; i < h->nheaps; i++) {
		const struct heap *heap = &h->heaps[i];
		uint64_t segment;
		uint8_t back;

		if (pc < heap->low || pc >= heap->high)
			continue;
		segment = (pc - heap->low) >> heap->log2;
		for (unsigned k = 0; k < 10000; k++) {
			if (!read_at(h, heap->segmap + segment, &back, 1) ||
			    back == 0xff)
				return 0;
			if (!back)
				return heap->low + (segment << heap->log2);
			if (back > segment)
				return 0;
			segment -= back;
		}
	}
	return 0;
}

static enum blob_kind kind_of(const char *name)
{
	if (strcmp(name, "nmethod") == 0 || strcmp(name, "native nmethod") == 0)
		return BLOB_METHOD;
	if (strcmp(name, "Interpreter") == 0)
		return BLOB_INTERPRETER;
	if (strncmp(name, "StubRoutines", 12) == 0)
		return BLOB_STUBS;
	if (strstr(name, "adapter") || strstr(name, "vtable") ||
	    strstr(name, "MethodHandles"))
		return BLOB_ADAPTER;
	return BLOB_RUNTIME;
}

static void name_stub(struct fl_hotspot *h, struct blob *blob,
		      const char *name)
{
	h->buf.size = 0;
	fl_buf_print(&h->buf, "[%s]", name);
	blob->frame = fl_frame(h->flame, flame_name(h->flame, h->buf.data,
						    h->buf.size),
			       FLAME_NATIVE);
}

/* From a blob's header. */
static bool read_blob(struct fl_hotspot *h, struct blob *blob)
{
	const struct layout *l = &h->layout;
	uint8_t header[HEADER];
	char name[128];
	uint64_t at = blob->at;

	if (!read_at(h, at, header, sizeof(header)) ||
	    !text_at(h, (uint64_t)in_header(header, l->blob_name, 8), name,
		     sizeof(name)))
		return false;
	if (h->release->apart) {
		blob->begin = at + (uint64_t)in_header(header, l->code_offset,
						       4);
		blob->end = at + (uint64_t)in_header(header, l->data_offset,
						     4);
		blob->frame_complete =
			(int32_t)in_header(header, l->frame_complete, 2);
		blob->deopt = at + (uint64_t)in_header(header,
						       l->deopt_offset, 4);
	} else {
		blob->begin = (uint64_t)in_header(header, l->code_begin, 8);
		blob->end = (uint64_t)in_header(header, l->code_end, 8);
		blob->frame_complete =
			(int32_t)in_header(header, l->frame_complete, 4);
		blob->deopt = (uint64_t)in_header(header, l->deopt, 8);
	}
	blob->frame_size = (int32_t)in_header(header, l->frame_size, 4);
	blob->kind = kind_of(name);
	if (blob->kind == BLOB_METHOD) {
		blob->method = (uint64_t)in_header(header, l->method, 8);
		blob->compile_id =
			(int32_t)in_header(header, l->compile_id, 4);
		blob->level = (int32_t)in_header(header, l->level, 4);
		if (h->release->apart)	/* one byte and padding */
			blob->level &= 0xff;
		blob->orig_pc = (int32_t)in_header(header, l->orig_pc, 4);
	} else {
		blob->deopt = 0;
		name_stub(h, blob, name);
	}
	blob->round = h->round;
	return true;
}

/* The blob is read anew where another one is at its place. */
static bool refresh(struct fl_hotspot *h, struct blob *blob)
{
	struct blob now = { .at = blob->at };

	if (blob->round == h->round)
		return true;
	if (!read_blob(h, &now))
		return false;
	if (now.kind == blob->kind && now.method == blob->method &&
	    now.compile_id == blob->compile_id && now.begin == blob->begin &&
	    now.end == blob->end) {
		blob->round = h->round;
		return true;
	}
	fl_free(blob->data);
	*blob = now;
	return true;
}

static void forget_blobs(struct fl_hotspot *h)
{
	for (size_t i = 0; i < h->nblobs; i++)
		fl_free(h->blobs[i].data);
	h->nblobs = 0;
	fl_map_clear(&h->blobs_by_at);
	fl_map_clear(&h->found);
}

static struct blob *new_blob(struct fl_hotspot *h, uint64_t at)
{
	uint64_t *place;

	if (h->nblobs >= MAX_BLOB_COUNT)
		forget_blobs(h);
	place = fl_map_put(&h->blobs_by_at, at, NULL);
	if (!place)
		return NULL;
	if (!*place) {
		if (!fl_grow(&h->blobs, &h->blobs_capacity, h->nblobs + 1,
			     sizeof(*h->blobs)))
			return NULL;
		h->blobs[h->nblobs] = (struct blob){ .at = at };
		*place = ++h->nblobs;
	}
	return &h->blobs[*place - 1];
}

/* NULL: the address is in no blob that is in use. */
static struct blob *find_blob(struct fl_hotspot *h, uint64_t pc)
{
	const uint64_t *known = fl_map_get(&h->found, pc);
	struct blob *blob;
	uint64_t block, *place;
	uint8_t used = 0;

	if (known)
		return *known ? &h->blobs[*known - 1] : NULL;
	block = find_block(h, pc);
	if (!block ||
	    !read_at(h, block + (uint64_t)h->layout.block_used, &used, 1) ||
	    !used)
		return NULL;
	blob = new_blob(h, block + (uint64_t)h->layout.size_of_block);
	if (!blob || !refresh(h, blob) || pc < blob->begin || pc >= blob->end)
		return NULL;
	place = fl_map_put(&h->found, pc, NULL);
	if (place)
		*place = (uint64_t)(blob - h->blobs) + 1;
	return blob;
}

/* Methods ------------------------------------------------------------------ */

static bool put_symbol(struct fl_hotspot *h, uint64_t at)
{
	uint16_t size;
	char *to;

	if (!at || !read_at(h, at + (uint64_t)h->layout.symbol_length, &size,
			    2) || !size || size > MAX_NAME)
		return false;
	to = fl_buf_reserve(&h->buf, size);
	if (!to || !read_at(h, at + (uint64_t)h->layout.symbol_body, to, size))
		return false;
	h->buf.size += size;
	h->buf.data[h->buf.size] = '\0';
	return true;
}

/* "java/lang/String.indexOf"; 0: this is no method. */
static flame_id read_method(struct fl_hotspot *h, uint64_t const_method)
{
	const struct layout *l = &h->layout;
	uint64_t pool = word_at(h, const_method + (uint64_t)l->constants);
	uint64_t holder, name;
	uint16_t index;

	if (!pool || !read_at(h, const_method + (uint64_t)l->name_index,
			      &index, 2))
		return 0;
	holder = word_at(h, pool + (uint64_t)l->pool_holder);
	name = word_at(h, pool + (uint64_t)l->size_of_pool + 8u * index);
	h->buf.size = 0;
	if (!holder ||
	    !put_symbol(h, word_at(h, holder + (uint64_t)l->klass_name)))
		return 0;
	fl_buf_byte(&h->buf, '.');
	if (!put_symbol(h, name))
		return 0;
	return flame_name(h->flame, h->buf.data, h->buf.size);
}

/* The name of a Method*; 0: it is none. */
static flame_id method_name(struct fl_hotspot *h, uint64_t at)
{
	uint64_t *place, const_method;
	struct method *m;

	if (!at || at & 7)
		return 0;
	place = fl_map_get(&h->methods_by_at, at);
	if (place && h->methods[*place - 1].round == h->round)
		return h->methods[*place - 1].name;
	const_method = word_at(h, at + (uint64_t)h->layout.const_method);
	if (!const_method)
		return 0;
	if (!place) {
		place = fl_map_put(&h->methods_by_at, at, NULL);
		if (!place || !fl_grow(&h->methods, &h->methods_capacity,
				       h->nmethods + 1, sizeof(*h->methods)))
			return 0;
		h->methods[h->nmethods] = (struct method){ .at = at };
		*place = ++h->nmethods;
	}
	m = &h->methods[*place - 1];
	if (m->const_method != const_method) {
		m->const_method = const_method;
		m->name = read_method(h, const_method);
	}
	m->round = h->round;
	return m->name;
}

static bool push_method(struct fl_hotspot *h, struct fl_unwinder *u,
			uint64_t method, enum flame_type type, uint64_t pc)
{
	flame_id name = method_name(h, method);

	if (!name)
		return false;
	return fl_unwind_push(u, flame_frame(h->flame, &(struct flame_frame){
		.name = name, .type = type,
		.file = fl_name(h->flame, "[JIT app cache]"),
	}), pc);
}

/* Debug information of compiled methods -------------------------------------- */

/* Where PcDescs, scopes and metadata lie, by release. */
struct places {
	uint64_t pcs, pcs_end, scopes, scopes_end, metadata, metadata_end;
};

static bool find_places(struct fl_hotspot *h, const struct blob *blob,
			struct places *p)
{
	const struct layout *l = &h->layout;
	uint8_t header[HEADER];
	uint64_t at = blob->at, base;

	if (!read_at(h, at, header, sizeof(header)))
		return false;
	if (h->release->apart) {
		base = (uint64_t)in_header(header, l->immutable, 8);
		p->pcs = base + (uint64_t)in_header(header, l->scopes_pcs, 4);
		p->scopes = p->pcs_end =
			base + (uint64_t)in_header(header,
						   l->scopes_data_offset, 4);
		p->scopes_end = base + (uint64_t)
				in_header(header, l->immutable_size, 4);
		p->metadata = (uint64_t)in_header(header, l->mutable_data, 8) +
			      (uint64_t)in_header(header, l->relocation_size,
						  4);
		/* Its end is in no table: what an index needs is read. */
		p->metadata_end = p->metadata;
		return true;
	}
	p->pcs = at + (uint64_t)in_header(header, l->scopes_pcs, 4);
	p->pcs_end = at + (uint64_t)in_header(header, l->dependencies, 4);
	p->scopes = (uint64_t)in_header(header, l->scopes_data, 8);
	p->scopes_end = p->pcs;
	p->metadata = p->metadata_end =
		at + (uint64_t)in_header(header, l->metadata, 4);
	return true;
}

/* Copies the tables of a method, once. */
static bool read_data(struct fl_hotspot *h, struct blob *blob,
		      struct places *p)
{
	if (!find_places(h, blob, p))
		return false;
	if (blob->has_data)
		return blob->data;
	blob->has_data = true;
	if (p->pcs_end < p->pcs || p->scopes_end < p->scopes ||
	    p->pcs_end - p->pcs > MAX_DATA ||
	    p->scopes_end - p->scopes > MAX_DATA)
		return false;
	blob->pcs_size = (size_t)(p->pcs_end - p->pcs);
	blob->scopes_size = (size_t)(p->scopes_end - p->scopes);
	blob->data = fl_alloc(blob->pcs_size + blob->scopes_size + 1);
	if (blob->data &&
	    read_at(h, p->pcs, blob->data, blob->pcs_size) &&
	    read_at(h, p->scopes, blob->data + blob->pcs_size,
		    blob->scopes_size))
		return true;
	fl_free(blob->data);
	blob->data = NULL;
	return false;
}

/* PcDesc: int pc, scope, objects, flags. */
static int32_t scope_at(const struct blob *blob, uint64_t pc)
{
	int64_t offset = (int64_t)(pc - blob->begin);
	size_t n = blob->pcs_size / 16;
	int32_t desc[4];

	/* Sorted; the first and the last are sentinels. */
	for (size_t i = 1; i + 1 < n; i++) {
		memcpy(desc, blob->data + i * 16, sizeof(desc));
		if (desc[0] >= offset)
			return desc[1];
	}
	return 0;
}

/* HotSpot's UNSIGNED5; false: it is cut. */
static bool unsigned5(const struct fl_hotspot *h, const uint8_t **at,
		      const uint8_t *end, uint32_t *n)
{
	const uint32_t excess = (uint32_t)h->release->excess;

	*n = 0;
	for (unsigned i = 0; i < 5 && *at < end; i++) {
		uint8_t byte = *(*at)++;

		if (byte < excess)
			return false;
		*n += (byte - excess) << (6 * i);
		/* 64 byte values tell that more follow. */
		if (byte < 192)
			return true;
	}
	return *at <= end;
}

/* The methods of a place, inlined ones first; false: nothing is known. */
static bool push_scopes(struct fl_hotspot *h, struct fl_unwinder *u,
			struct blob *blob, uint64_t pc,
			enum flame_type outer)
{
	struct places places;
	uint32_t scope, sender, index;
	bool any = false;

	if (!read_data(h, blob, &places))
		return false;
	scope = (uint32_t)scope_at(blob, pc);
	for (unsigned i = 0; scope && scope < blob->scopes_size &&
	     i < MAX_INLINED; i++, scope = sender) {
		const uint8_t *at = blob->data + blob->pcs_size + scope;
		const uint8_t *end = blob->data + blob->pcs_size +
				     blob->scopes_size;
		uint64_t method;

		if (!unsigned5(h, &at, end, &sender) ||
		    !unsigned5(h, &at, end, &index) || !index)
			return any;
		method = word_at(h, places.metadata + (index - 1) *
				    UINT64_C(8));
		if (!push_method(h, u, method, sender ? FLAME_INLINED : outer,
				 pc))
			return any;
		any = true;
		/* Senders stand before those that they call. */
		if (sender >= scope)
			return any;
	}
	return any;
}

static bool push_compiled(struct fl_hotspot *h, struct fl_unwinder *u,
			  struct blob *blob, uint64_t pc)
{
	enum flame_type type = blob->level >= 1 && blob->level <= 3 ?
			       FLAME_C1 : FLAME_JIT;
	size_t before = u->nframes;

	if (push_scopes(h, u, blob, pc, type))
		return true;
	u->nframes = before;
	return push_method(h, u, blob->method, type, pc);
}

/* Steps ---------------------------------------------------------------------- */

struct java_step {
	struct fl_hotspot *h;
	struct fl_unwinder *unwinder;
	struct fl_process *process;
	const struct fl_memory *stack;
	struct fl_regs *regs;
	struct blob *blob;
	bool leaf;
};

static bool stack_word(const struct java_step *s, uint64_t at, uint64_t *word)
{
	return s->stack->read(s->stack->arg, at, word, 8);
}

static enum fl_step leave(struct java_step *s, uint64_t pc, uint64_t sp,
			  uint64_t fp)
{
	if (sp <= s->regs->value[FL_REG_SP] && !s->leaf)
		return FL_STEP_UNREADABLE;
	s->regs->value[FL_REG_IP] = pc;
	s->regs->value[FL_REG_SP] = sp;
	s->regs->value[FL_REG_BP] = fp;
	s->regs->known = 1u << FL_REG_IP | 1u << FL_REG_SP | 1u << FL_REG_BP;
	return FL_STEP_CALLER;
}

/* The return address is at the stack pointer: there is no frame yet or more. */
static enum fl_step leave_bare(struct java_step *s)
{
	uint64_t sp = s->regs->value[FL_REG_SP], pc;

	if (!stack_word(s, sp, &pc))
		return FL_STEP_UNREADABLE;
	return leave(s, pc, sp + 8, s->regs->value[FL_REG_BP]);
}

/* The frame pointer was pushed, and nothing after it. */
static enum fl_step leave_pushed(struct java_step *s)
{
	uint64_t sp = s->regs->value[FL_REG_SP], pc, fp;

	if (!stack_word(s, sp, &fp) || !stack_word(s, sp + 8, &pc))
		return FL_STEP_UNREADABLE;
	return leave(s, pc, sp + 16, fp);
}

/* Frames of a known size: the frame pointer is saved below the return. */
static enum fl_step leave_sized(struct java_step *s)
{
	uint64_t sp = s->regs->value[FL_REG_SP], pc, fp;

	sp += (uint64_t)s->blob->frame_size * 8;
	if (!stack_word(s, sp - 8, &pc) || !stack_word(s, sp - 16, &fp))
		return FL_STEP_UNREADABLE;
	return leave(s, pc, sp, fp);
}

static enum fl_step leave_by_pointer(struct java_step *s)
{
	uint64_t bp = s->regs->value[FL_REG_BP], pc, fp;

	if (bp & 7 || bp < s->regs->value[FL_REG_SP] ||
	    !stack_word(s, bp, &fp) || !stack_word(s, bp + 8, &pc))
		return FL_STEP_UNREADABLE;
	return leave(s, pc, bp + 16, fp);
}

/* Instructions at the beginning and the end of compiled methods. */
static enum fl_step leave_compiled_leaf(struct java_step *s)
{
	uint64_t pc = s->regs->value[FL_REG_IP];
	int64_t offset = (int64_t)(pc - s->blob->begin);
	uint8_t code[16] = { 0 }, before = 0;
	bool subtracts;

	read_at(s->h, pc, code, sizeof(code));
	if (offset)
		read_at(s->h, pc - 1, &before, 1);
	subtracts = code[0] == 0x48 && (code[1] == 0x83 || code[1] == 0x81) &&
		    code[2] == 0xec;
	/* ret; ja (a safepoint), ret; cmp (of the safepoint), ja. */
	if (code[0] == 0xc3 ||
	    (code[0] == 0x0f && code[1] == 0x87 && code[6] == 0xc3) ||
	    (code[0] == 0x49 && code[1] == 0x3b && code[2] == 0x67 &&
	     code[4] == 0x0f && code[5] == 0x87) ||
	    (code[0] == 0x49 && code[1] == 0x3b && code[2] == 0xa7 &&
	     code[7] == 0x0f && code[8] == 0x87))
		return leave_bare(s);
	if (code[0] == 0x5d && (code[1] == 0xc3 || code[1] == 0x49))
		return leave_pushed(s);		/* pop %rbp */
	if (offset >= s->blob->frame_complete)
		return leave_sized(s);
	if (code[0] == 0x55)			/* push %rbp */
		return leave_bare(s);
	if (subtracts)				/* sub $N, %rsp */
		return before == 0x55 ? leave_pushed(s) : leave_bare(s);
	if (code[0] == 0x48 && code[1] == 0x89 && code[2] == 0x6c &&
	    code[3] == 0x24) {			/* mov %rbp, N(%rsp) */
		uint64_t fp = s->regs->value[FL_REG_BP];
		enum fl_step status = leave_sized(s);

		s->regs->value[FL_REG_BP] = fp;
		return status;
	}
	/* The entry barrier comes when the frame is there: a compare of the
	   thread's word, and its jump. */
	if (code[0] == 0x41 || code[0] == 0x0f || code[0] == 0x75)
		return offset > 16 ? leave_sized(s) : leave_bare(s);
	return leave_bare(s);
}

static enum fl_step step_method(struct java_step *s, struct fl_unwinder *u,
				uint64_t lookup)
{
	uint64_t pc = s->regs->value[FL_REG_IP], original;

	(void)lookup;
	/* The return address of a method that is to be deoptimized. */
	if (pc == s->blob->deopt && !s->leaf &&
	    stack_word(s, s->regs->value[FL_REG_SP] +
			  (uint64_t)(int64_t)s->blob->orig_pc, &original) &&
	    original >= s->blob->begin && original < s->blob->end)
		pc = original;
	if (!push_compiled(s->h, u, s->blob, pc))
		fl_unwind_push(u, fl_frame(s->h->flame,
					   fl_name(s->h->flame, "[unknown]"),
					   FLAME_JIT), pc);
	if (s->leaf)
		return leave_compiled_leaf(s);
	if (s->blob->frame_size <= 1)
		return leave_bare(s);
	return leave_sized(s);
}

static enum fl_step step_interpreter(struct java_step *s,
				     struct fl_unwinder *u)
{
	uint64_t bp = s->regs->value[FL_REG_BP], pc, fp, sp = 0, method = 0;
	uint64_t ip = s->regs->value[FL_REG_IP];
	struct blob *caller;

	if (bp & 7 || bp < s->regs->value[FL_REG_SP] ||
	    !stack_word(s, bp, &fp) || !stack_word(s, bp + 8, &pc))
		return FL_STEP_UNREADABLE;
	/* Both may be below the stack pointer still. */
	if (!stack_word(s, bp + METHOD * 8, &method))
		method = 0;
	if (!stack_word(s, bp + SENDER_SP * 8, &sp))
		sp = 0;
	/* A frame that is being made: the method is in rbx. */
	if (!push_method(s->h, u, method, FLAME_INTERPRETED, ip)) {
		if (!s->leaf)
			return FL_STEP_UNREADABLE;
		push_method(s->h, u, s->regs->value[FL_REG_BX],
			    FLAME_INTERPRETED, ip);
		if (bp - s->regs->value[FL_REG_SP] > 128)
			return leave_bare(s);
		sp = s->regs->value[13];
	}
	caller = fl_hotspot_has(s->h, pc) ? find_blob(s->h, pc) : NULL;
	/* Arguments of a compiled caller are not part of its frame. */
	if (!caller || caller->kind != BLOB_METHOD || sp < bp)
		sp = bp + 16;
	return leave(s, pc, sp, fp);
}

/* Whether a word of the stack may be a return address. */
static bool returns(const struct java_step *s, uint64_t at)
{
	uint64_t pc;

	if (!stack_word(s, at, &pc))
		return false;
	if (fl_hotspot_has(s->h, pc))
		return find_blob(s->h, pc - 1);
	return fl_process_mapping(s->unwinder->processes, s->process, pc);
}

/* Stubs have frames of any kind: whatever has a return address. */
static enum fl_step leave_stub(struct java_step *s)
{
	uint64_t sp = s->regs->value[FL_REG_SP], bp = s->regs->value[FL_REG_BP];
	int32_t size = s->blob->frame_size;

	if (bp >= sp && bp - sp < 4096 && returns(s, bp + 8))
		return leave_by_pointer(s);
	if (size > 1 && returns(s, sp + (uint64_t)size * 8 - 8))
		return leave_sized(s);
	if (returns(s, sp))
		return leave_bare(s);
	if (returns(s, sp + 8))
		return leave_pushed(s);
	return leave_by_pointer(s);
}

static enum fl_step step_stub(struct java_step *s, struct fl_unwinder *u)
{
	uint64_t sp = s->regs->value[FL_REG_SP];

	if (!s->leaf)		/* call_stub, which no profile shows */
		return leave_by_pointer(s);
	fl_unwind_push(u, s->blob->frame, s->regs->value[FL_REG_IP]);
	return returns(s, sp) ? leave_bare(s) : leave_stub(s);
}

/* While an adapter calls the JVM, r13 has its caller's stack pointer. */
static enum fl_step step_adapter(struct java_step *s)
{
	uint64_t r13 = s->regs->value[13];

	if (!s->leaf && s->regs->known >> 13 & 1 && !(r13 & 7) &&
	    r13 > s->regs->value[FL_REG_SP] && returns(s, r13))
		s->regs->value[FL_REG_SP] = r13;
	return leave_bare(s);
}

static enum fl_step step_runtime(struct java_step *s, struct fl_unwinder *u)
{
	int32_t size = s->blob->frame_size;

	fl_unwind_push(u, s->blob->frame, s->regs->value[FL_REG_IP]);
	if (!s->leaf && size > 1 &&
	    returns(s, s->regs->value[FL_REG_SP] + (uint64_t)size * 8 - 8))
		return leave_sized(s);
	return leave_stub(s);
}

enum fl_step fl_hotspot_step(struct fl_hotspot *h, struct fl_unwinder *u,
			     struct fl_process *p, const struct fl_memory *stack,
			     struct fl_regs *regs, bool leaf)
{
	uint64_t ip = regs->value[FL_REG_IP];
	struct blob *blob = find_blob(h, ip - !leaf);
	struct java_step s = { h, u, p, stack, regs, blob, leaf };

	if (!blob || !(regs->known >> FL_REG_BP & 1))
		return FL_STEP_UNREADABLE;
	switch (blob->kind) {
	case BLOB_METHOD:
		return step_method(&s, u, ip - !leaf);
	case BLOB_INTERPRETER:
		return step_interpreter(&s, u);
	case BLOB_STUBS:
		return step_stub(&s, u);
	case BLOB_ADAPTER:
		return step_adapter(&s);
	case BLOB_RUNTIME:
		return step_runtime(&s, u);
	}
	return FL_STEP_UNREADABLE;
}
