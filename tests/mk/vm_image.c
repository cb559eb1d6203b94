/* SPDX-License-Identifier: Apache-2.0 */
#include "fl.h"

#include "vm_image.h"

#include <stdlib.h>

static const char *const hotspot_symbols[] = {
	"gHotSpotVMStructs",
	"gHotSpotVMStructEntryArrayStride",
	"gHotSpotVMStructEntryTypeNameOffset",
	"gHotSpotVMStructEntryFieldNameOffset",
	"gHotSpotVMStructEntryIsStaticOffset",
	"gHotSpotVMStructEntryOffsetOffset",
	"gHotSpotVMStructEntryAddressOffset",
	"gHotSpotVMTypes",
	"gHotSpotVMTypeEntryArrayStride",
	"gHotSpotVMTypeEntryTypeNameOffset",
	"gHotSpotVMTypeEntrySizeOffset",
};

void vm_image_symbols(struct fl_vm_symbols *vm, bool hotspot)
{
	memset(vm, 0, sizeof(*vm));
	if (!hotspot) {
		strcpy(vm->data[0].name, "_PyRuntime");
		vm->data[0].address = VM_RUNTIME_AT;
		strcpy(vm->data[1].name, "Py_Version");
		vm->data[1].address = VM_VERSION_AT;
		vm->count = 2;
		return;
	}
	for (size_t i = 0; i < FL_COUNT(hotspot_symbols); i++) {
		strcpy(vm->data[i].name, hotspot_symbols[i]);
		vm->data[i].address = VM_BASE + 8 * i;
	}
	vm->count = FL_COUNT(hotspot_symbols);
}

bool vm_image_read(void *arg, uint64_t at, void *to, size_t size)
{
	const struct vm_bytes *bytes = arg;

	if (at < VM_BASE || at - VM_BASE > bytes->size ||
	    size > bytes->size - (at - VM_BASE))
		return false;
	memcpy(to, bytes->data + (at - VM_BASE), size);
	return true;
}

void vm_image_regs(const struct vm_bytes *bytes, struct fl_regs *regs)
{
	memset(regs, 0, sizeof(*regs));
	if (vm_image_read((void *)bytes, VM_REGS_AT, regs->value,
			  sizeof(regs->value)))
		regs->known = (1u << FL_REGS) - 1;
}

/* Writing ----------------------------------------------------------------- */

static void put(struct vm_image *image, uint64_t at, uint64_t value,
		size_t size)
{
	if (at < VM_BASE || at - VM_BASE > VM_MAX - size)
		abort();
	memcpy(image->data + (at - VM_BASE), &value, size);
}

static void word(struct vm_image *image, uint64_t at, uint64_t value)
{
	put(image, at, value, 8);
}

/* New bytes, at a multiple of 8. */
static uint64_t place(struct vm_image *image, size_t size)
{
	uint64_t at = VM_BASE + image->size;

	image->size += (size + 7) & ~(size_t)7;
	if (image->size > VM_MAX)
		abort();
	return at;
}

static uint64_t text(struct vm_image *image, const char *text)
{
	uint64_t at = place(image, strlen(text) + 1);

	memcpy(image->data + (at - VM_BASE), text, strlen(text) + 1);
	return at;
}

/* HotSpot ----------------------------------------------------------------- */

/* Offsets are this file's own. */
enum {
	HEAP_MEMORY = 8, HEAP_SEGMAP = 64, HEAP_LOG2 = 120, HEAP_SIZE = 128,
	SPACE_LOW = 16, SPACE_HIGH = 24,
	BLOCK_USED = 8, BLOCK_SIZE = 16,
	SEGMENT = 128, BLOB_SEGMENTS = 4,
	/* Of a blob. */
	NAME = 8, CODE_BEGIN = 16, CODE_END = 24, CODE_OFFSET = 32,
	DATA_OFFSET = 36, COMPLETE = 40, FRAME_SIZE = 44, RELOCATION = 48,
	MUTABLE = 56, METHOD = 64, SCOPES_BEGIN = 72, DEOPT = 80,
	COMPILE_ID = 88, LEVEL = 92, PCS = 96, SCOPES_OFFSET = 100,
	DEPENDENCIES = 104, METADATA = 108, IMMUTABLE = 112,
	IMMUTABLE_SIZE = 120, DEOPT_OFFSET = 124, ORIG_PC = 128,
	CODE = 192, CODE_SIZE = 128, TABLES = CODE + CODE_SIZE,
	HEADER = 512
};

/* Releases that differ in what they export: 8, to 22, 23 and 24, 25, later. */
enum { EIGHT = 1, TOGETHER = 2, BETWEEN = 4, APART = 8, ENTRY = 16, ANY = 31 };

static unsigned form_of(int major)
{
	return major < 9 ? EIGHT : major < 23 ? TOGETHER :
	       major < 25 ? BETWEEN : major == 25 ? APART : ENTRY;
}

struct hotspot {
	struct vm_image *image;
	unsigned form;
	bool apart;
	unsigned excess;	/* of UNSIGNED5 */
	uint64_t heaps, bounds, major, heap, code, methods[3];
	uint64_t threads;	/* the list's address, and how oops are packed */
};

static void add_type(struct vm_image *image, uint64_t at, const char *name,
		     uint64_t size)
{
	word(image, at, text(image, name));
	word(image, at + 8, size);
}

static void add_field(struct vm_image *image, uint64_t at, const char *type,
		      const char *field, uint64_t offset, bool is_static)
{
	word(image, at, text(image, type));
	word(image, at + 8, text(image, field));
	put(image, at + 16, is_static, 4);
	word(image, at + (is_static ? 32 : 24), offset);
}

static void add_tables(struct hotspot *h)
{
	const unsigned blobs = EIGHT | APART | ENTRY;	/* have offsets */
	const struct {
		const char *type, *field;
		uint64_t offset;
		bool is_static;
		unsigned forms;
	} all[] = {
		{ "CodeCache", "_heap", h->heaps, true, EIGHT },
		{ "JDK_Version", "_current", h->major, true, EIGHT },
		{ "JDK_Version", "_major", 4, false, EIGHT },
		{ "CodeCache", "_heaps", h->heaps, true, ANY & ~EIGHT },
		{ "CodeCache", "_low_bound", h->bounds, true, ANY & ~EIGHT },
		{ "CodeCache", "_high_bound", h->bounds + 8, true,
		  ANY & ~EIGHT },
		{ "Abstract_VM_Version", "_vm_major_version", h->major, true,
		  ANY },
		{ "CodeHeap", "_memory", HEAP_MEMORY, false, ANY },
		{ "CodeHeap", "_segmap", HEAP_SEGMAP, false, ANY },
		{ "CodeHeap", "_log2_segment_size", HEAP_LOG2, false, ANY },
		{ "VirtualSpace", "_low", SPACE_LOW, false, ANY },
		{ "VirtualSpace", "_high", SPACE_HIGH, false, ANY },
		{ "HeapBlock::Header", "_used", BLOCK_USED, false, ANY },
		{ "GrowableArrayBase", "_len", 0, false, ANY & ~EIGHT },
		{ "GrowableArray<int>", "_data", 8, false, ANY },
		{ "CodeBlob", "_name", NAME, false, ANY },
		{ "CodeBlob", "_code_begin", CODE_BEGIN, false, TOGETHER },
		{ "CodeBlob", "_code_end", CODE_END, false, TOGETHER },
		{ "CodeBlob", "_code_offset", CODE_OFFSET, false, blobs },
		{ "CodeBlob", "_data_offset", DATA_OFFSET, false, blobs },
		{ "CodeBlob", "_frame_complete_offset", COMPLETE, false, ANY },
		{ "CodeBlob", "_frame_size", FRAME_SIZE, false, ANY },
		{ "CodeBlob", "_relocation_size", RELOCATION, false, ANY },
		{ "CodeBlob", "_mutable_data", MUTABLE, false, APART | ENTRY },
		{ "CompiledMethod", "_scopes_data_begin", SCOPES_BEGIN, false,
		  TOGETHER },
		{ "CompiledMethod", "_deopt_handler_begin", DEOPT, false,
		  TOGETHER },
		{ "nmethod", "_method", METHOD, false, ANY },
		{ "nmethod", "_compile_id", COMPILE_ID, false, ANY },
		{ "nmethod", "_comp_level", LEVEL, false, ANY },
		{ "nmethod", "_scopes_pcs_offset", PCS, false, ANY },
		{ "nmethod", "_scopes_data_offset", SCOPES_OFFSET, false,
		  blobs },
		{ "nmethod", "_dependencies_offset", DEPENDENCIES, false,
		  EIGHT | TOGETHER },
		{ "nmethod", "_metadata_offset", METADATA, false,
		  EIGHT | TOGETHER },
		{ "nmethod", "_immutable_data", IMMUTABLE, false,
		  APART | ENTRY },
		{ "nmethod", "_immutable_data_size", IMMUTABLE_SIZE, false,
		  APART | ENTRY },
		{ "nmethod", "_deopt_handler_offset", DEOPT_OFFSET, false,
		  APART },
		{ "nmethod", "_deopt_handler_entry_offset", DEOPT_OFFSET, false,
		  ENTRY },
		{ "nmethod", "_deoptimize_offset", DEOPT_OFFSET, false, EIGHT },
		{ "nmethod", "_orig_pc_offset", ORIG_PC, false, ANY },
		{ "Method", "_constMethod", 8, false, ANY },
		{ "ConstMethod", "_constants", 8, false, ANY },
		{ "ConstMethod", "_name_index", 16, false, ANY },
		{ "ConstantPool", "_pool_holder", 8, false, ANY },
		{ "Klass", "_name", 16, false, ANY },
		{ "Symbol", "_length", 0, false, ANY },
		{ "Symbol", "_body", 6, false, EIGHT },
		{ "Symbol", "_body[0]", 6, false, ANY & ~EIGHT },
		{ "Threads", "_thread_list", h->threads, true, EIGHT },
		{ "JavaThread", "_next", 24, false, EIGHT },
		{ "ThreadsSMRSupport", "_java_thread_list", h->threads, true,
		  ANY & ~EIGHT },
		{ "ThreadsList", "_length", 0, false, ANY },
		{ "ThreadsList", "_threads", 8, false, ANY },
		{ "JavaThread", "_threadObj", 8, false, ANY },
		{ "Thread", "_osthread", 16, false, ANY },
		{ "OSThread", "_thread_id", 4, false, ANY },
		{ "CompressedOops", "_base", h->threads + 8, true,
		  ANY & ~EIGHT },
		{ "CompressedOops", "_shift", h->threads + 16, true,
		  ANY & ~EIGHT },
		{ "Universe", "_narrow_oop._base", h->threads + 8, true,
		  EIGHT },
		{ "Universe", "_narrow_oop._shift", h->threads + 16, true,
		  EIGHT },
	};
	struct vm_image *image = h->image;
	uint64_t fields = place(image, (FL_COUNT(all) + 1) * 40);
	uint64_t types = place(image, 3 * 16), at = fields;
	const uint64_t words[] = {
		fields, 40, 0, 8, 16, 24, 32, types, 16, 0, 8
	};

	for (size_t i = 0; i < FL_COUNT(words); i++)
		word(image, VM_BASE + 8 * i, words[i]);
	for (size_t i = 0; i < FL_COUNT(all); i++) {
		if (!(all[i].forms & h->form))
			continue;
		add_field(image, at, all[i].type, all[i].field, all[i].offset,
			  all[i].is_static);
		at += 40;
	}
	add_type(image, types, "HeapBlock", BLOCK_SIZE);
	add_type(image, types + 16, "ConstantPool", 32);
}

/*
 * A Thread whose fourth word is a String, whose third word is a byte[], or up
 * to 8 a char[].
 */
static void add_thread(struct hotspot *h)
{
	static const uint8_t name[] = "Executor task launch worker for task \xe4";
	struct vm_image *image = h->image;
	uint64_t list = place(image, 16), data = place(image, 8),
		 thread = place(image, 32), native = place(image, 8),
		 handle = place(image, 8), object = place(image, 192),
		 string = place(image, 40), array = place(image, 96);
	const size_t width = h->form == EIGHT ? 2 : 1;

	word(image, h->threads, h->form == EIGHT ? thread : list);
	put(image, list, 1, 4);
	word(image, list + 8, data);
	word(image, data, thread);
	word(image, thread + 8, h->form == EIGHT ? object : handle);
	word(image, thread + 16, native);
	put(image, native + 4, VM_TID, 4);
	word(image, handle, object);
	put(image, object + 12, string, 4);
	put(image, string + 8, 3, 4);		/* classes */
	put(image, array + 8, 4, 4);
	put(image, string + 20, array, 4);
	put(image, array + 12, sizeof(name) - 1, 4);
	for (size_t i = 0; i < sizeof(name) - 1; i++)
		put(image, array + 16 + i * width, name[i], width);
}

static uint64_t add_symbol(struct vm_image *image, const char *name)
{
	uint64_t at = place(image, 6 + strlen(name) + 1);

	put(image, at, strlen(name), 2);
	memcpy(image->data + (at + 6 - VM_BASE), name, strlen(name));
	return at;
}

static uint64_t add_method(struct vm_image *image, const char *holder,
			   const char *name)
{
	uint64_t method = place(image, 16), constant = place(image, 24),
		 pool = place(image, 48), klass = place(image, 24);

	word(image, method + 8, constant);
	word(image, constant + 8, pool);
	put(image, constant + 16, 1, 2);
	word(image, pool + 8, klass);
	word(image, pool + 32 + 8, add_symbol(image, name));
	word(image, klass + 16, add_symbol(image, holder));
	return method;
}

/* PcDescs, scopes and metadata of a method in which another is inlined. */
static void add_debug_information(struct hotspot *h, uint64_t blob)
{
	static const int32_t descs[4][4] = {
		{ -1 }, { 32, 4 }, { 96, 1 }, { CODE_SIZE + 1 }
	};
	struct vm_image *image = h->image;
	uint64_t pcs = blob + TABLES + (h->apart ? 0 : 32);
	uint64_t scopes = blob + TABLES + (h->apart ? sizeof(descs) : 0);
	uint64_t metadata = blob + TABLES + sizeof(descs) + 32;
	const uint8_t data[] = { 9, 0, 1, 9, 1, 2 };	/* sender, method */

	memcpy(image->data + (pcs - VM_BASE), descs, sizeof(descs));
	for (size_t i = 0; i < sizeof(data); i++)
		put(image, scopes + i, data[i] + h->excess, 1);
	word(image, metadata, h->methods[0]);
	word(image, metadata + 8, h->methods[1]);
	if (h->apart) {
		word(image, blob + IMMUTABLE, pcs);
		put(image, blob + PCS, 0, 4);
		put(image, blob + SCOPES_OFFSET, sizeof(descs), 4);
		put(image, blob + IMMUTABLE_SIZE, sizeof(descs) + 32, 4);
		word(image, blob + MUTABLE, metadata - 8);
		put(image, blob + RELOCATION, 8, 4);
		return;
	}
	if (h->form == EIGHT)
		put(image, blob + SCOPES_OFFSET, scopes - blob, 4);
	else
		word(image, blob + SCOPES_BEGIN, scopes);
	put(image, blob + PCS, pcs - blob, 4);
	put(image, blob + DEPENDENCIES, pcs - blob + sizeof(descs), 4);
	put(image, blob + METADATA, metadata - blob, 4);
}

/* The blob of a number; its code's address. */
static uint64_t add_blob(struct hotspot *h, unsigned n, const char *name)
{
	struct vm_image *image = h->image;
	uint64_t block = h->code + (uint64_t)n * SEGMENT * BLOB_SEGMENTS;
	uint64_t blob = block + BLOCK_SIZE;

	put(image, block + BLOCK_USED, 1, 1);
	word(image, blob + NAME, text(image, name));
	if (h->form == TOGETHER) {
		word(image, blob + CODE_BEGIN, blob + CODE);
		word(image, blob + CODE_END, blob + CODE + CODE_SIZE);
		word(image, blob + DEOPT, blob + CODE + 120);
	} else {
		put(image, blob + CODE_OFFSET, CODE, 4);
		put(image, blob + DATA_OFFSET, CODE + CODE_SIZE, 4);
		put(image, blob + DEOPT_OFFSET, CODE + 120, 4);
	}
	put(image, blob + COMPLETE, 8, h->apart ? 2 : 4);
	put(image, blob + FRAME_SIZE, 4, 4);
	if (!strstr(name, "nmethod"))
		return blob + CODE;
	word(image, blob + METHOD, h->methods[0]);
	put(image, blob + COMPILE_ID, 1 + n, 4);
	put(image, blob + LEVEL, 4, 1);
	put(image, blob + ORIG_PC, 8, 4);
	add_debug_information(h, blob);
	return blob + CODE;
}

static void add_heap(struct hotspot *h, unsigned nblobs)
{
	struct vm_image *image = h->image;
	uint64_t data = place(image, 8), array = place(image, 16);
	uint64_t segmap = place(image, nblobs * BLOB_SEGMENTS);

	h->heap = place(image, HEAP_SIZE);
	h->code = place(image, nblobs * BLOB_SEGMENTS * SEGMENT);
	word(image, data, h->heap);
	put(image, array, 1, 4);
	word(image, array + 8, data);
	word(image, h->heaps, h->form == EIGHT ? h->heap : array);
	word(image, h->bounds, h->code);
	word(image, h->bounds + 8,
	     h->code + nblobs * BLOB_SEGMENTS * SEGMENT);
	word(image, h->heap + HEAP_MEMORY + SPACE_LOW, h->code);
	word(image, h->heap + HEAP_MEMORY + SPACE_HIGH,
	     h->code + nblobs * BLOB_SEGMENTS * SEGMENT);
	word(image, h->heap + HEAP_SEGMAP + SPACE_LOW, segmap);
	put(image, h->heap + HEAP_LOG2, 7, 4);
	for (unsigned i = 0; i < nblobs * BLOB_SEGMENTS; i++)
		put(image, segmap + i, i % BLOB_SEGMENTS, 1);
}

/*
 * The stack: compiled code with an inlined method, called by compiled code,
 * called by the interpreter, called by a stub, called by nobody.
 */
static void add_stack(struct hotspot *h, const uint64_t *code)
{
	struct vm_image *image = h->image;
	uint64_t sp = place(image, 400), bp = sp + 160;

	word(image, VM_REGS_AT + 8 * FL_REG_SP, sp);
	word(image, VM_REGS_AT + 8 * FL_REG_BP, bp);
	word(image, VM_REGS_AT + 8 * FL_REG_IP, code[0] + 32);
	word(image, sp + 16, bp);
	word(image, sp + 24, code[1] + 96);
	word(image, sp + 48, bp);
	word(image, sp + 56, code[2] + 16);
	word(image, bp - 24, h->methods[2]);
	word(image, bp - 8, bp + 16);
	word(image, bp, bp + 64);
	word(image, bp + 8, code[3] + 16);
	word(image, bp + 64, 0);
	word(image, bp + 72, 0);
}

void vm_image_hotspot(struct vm_image *image, int major)
{
	static const char *const names[] = {
		"nmethod", "nmethod", "Interpreter", "StubRoutines (1)",
		"I2C/C2I adapters", "RuntimeStub - resolve"
	};
	struct hotspot h = { .image = image, .form = form_of(major),
			     .apart = major >= 25 };
	uint64_t code[FL_COUNT(names)];

	memset(image, 0, sizeof(*image));
	image->size = 512;
	h.excess = major >= 20;
	h.heaps = place(image, 8);
	h.bounds = place(image, 16);
	h.major = place(image, 8);
	h.threads = place(image, 24);
	/* HotSpot had a number of its own, that of 8 was 25. */
	put(image, h.major, h.form == EIGHT ? 25 : (unsigned)major, 4);
	put(image, h.major + 4, (unsigned)major, 4);
	add_tables(&h);
	h.methods[0] = add_method(image, "Outer", "run");
	h.methods[1] = add_method(image, "pack/Inner", "call");
	h.methods[2] = add_method(image, "Main", "main");
	add_heap(&h, FL_COUNT(names));
	for (unsigned i = 0; i < FL_COUNT(names); i++)
		code[i] = add_blob(&h, i, names[i]);
	add_stack(&h, code);
	add_thread(&h);
	place(image, HEADER);	/* the last blob's header is read as that */
}

/* CPython ----------------------------------------------------------------- */

/* "xdebugpy" as the offsets of 3.13 to 3.15; places in words. */
static void add_block(struct vm_image *image, unsigned minor)
{
	static const struct {
		unsigned of[3], value;
	} all[] = {
		{ { 5, 5, 5 }, 656 },		/* runtime: interpreters */
		{ { 8, 8, 8 }, 8 },		/* interpreter: next */
		{ { 9, 9, 9 }, 16 },		/* threads */
		{ { 21, 24, 24 }, 8 },		/* thread: next */
		{ { 23, 26, 26 }, 72 },		/* current frame */
		{ { 25, 28, 31 }, 160 },	/* native id */
		{ { 29, 32, 40 }, 8 },		/* frame: previous */
		{ { 30, 33, 41 }, 0 },		/* executable */
		{ { 33, 36, 44 }, 70 },		/* owner */
		{ { 35, 40, 48 }, 112 },	/* code: file name */
		{ { 37, 42, 50 }, 128 },	/* qualified name */
		{ { 68, 78, 90 }, 32 },		/* str: state */
		{ { 69, 79, 91 }, 16 },		/* length */
		{ { 70, 80, 92 }, 40 },		/* size of ASCII's */
	};

	memcpy(image->data + (VM_RUNTIME_AT - VM_BASE), "xdebugpy", 8);
	word(image, VM_RUNTIME_AT + 8, 0x030000f0 | minor << 16);
	for (size_t i = 0; i < FL_COUNT(all); i++)
		word(image, VM_RUNTIME_AT + 8 * all[i].of[minor - 13],
		     all[i].value);
}

static uint64_t add_str(struct vm_image *image, const char *text, size_t size)
{
	uint64_t at = place(image, size + strlen(text) + 1);

	word(image, at + 16, strlen(text));
	put(image, at + 32, 1 << 2 | 1 << 5 | 1 << 6, 4);
	memcpy(image->data + (at + size - VM_BASE), text, strlen(text));
	return at;
}

static uint64_t add_code(struct vm_image *image, const char *name,
			 size_t str_size)
{
	uint64_t at = place(image, 136);

	word(image, at + 112, add_str(image, "/x/file.py", str_size));
	word(image, at + 128, add_str(image, name, str_size));
	return at;
}

/* Two runs of the loop: main calls outer, then in another run inner. */
void vm_image_cpython(struct vm_image *image, unsigned minor)
{
	static const char *const names[] = { "inner", "C.outer", "main" };
	uint64_t interpreter, thread, holder, previous = 0, head;
	bool is_11 = minor == 11;

	memset(image, 0, sizeof(*image));
	image->size = 512;
	word(image, VM_VERSION_AT, 0x030000f0 | minor << 16);
	place(image, 81 * 8 + 16);	/* _PyRuntime */
	interpreter = place(image, 128);
	thread = place(image, 200);
	holder = place(image, 16);
	if (minor >= 13)
		add_block(image, minor);
	word(image, VM_RUNTIME_AT + (minor >= 13 ? 656 : 40), interpreter);
	word(image, interpreter + (minor == 12 ? 72 : 16), thread);
	word(image, thread + (is_11 ? 160 : minor == 12 ? 144 : 160), VM_TID);
	for (unsigned i = FL_COUNT(names); i--;) {
		uint64_t frame;

		/* Before main and inner the loop is entered. */
		if (!is_11 && i != 1) {
			frame = place(image, 80);
			word(image, frame + 8, previous);
			put(image, frame + 70, 3, 1);
			previous = frame;
		}
		frame = place(image, 80);
		word(image, frame + (is_11 ? 32 : 0),
		     add_code(image, names[i], is_11 ? 48 : 40));
		word(image, frame + (is_11 ? 48 : 8), previous);
		if (is_11)
			put(image, frame + 68, i != 1, 1);
		previous = frame;
		if (strcmp(names[i], "main") == 0)
			image->main = frame;
	}
	head = minor >= 13 ? thread + 72 : is_11 ? holder + 8 : holder;
	if (minor < 13)
		word(image, thread + 56, holder);
	word(image, head, previous);
}
