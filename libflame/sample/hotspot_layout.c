/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads at which offsets a HotSpot JVM's structures have their fields, and the
 * JVM's release, from the tables that libjvm.so exports (gHotSpotVMStructs,
 * gHotSpotVMTypes): fl_hotspot_read_layout() fills in the struct fl_vm_layout
 * of hotspot.c.
 */
#include "fl.h"

#include "sample/hotspot.h"

enum { MAX_ENTRIES = 20000 };	/* of a table */

#define AT(member) offsetof(struct fl_vm_layout, member)

static const struct wanted {
	const char *type, *field;
	size_t at;
} wanted[] = {
	{ "CodeCache", "_heap", AT(heap) },		/* 8 */
	{ "CodeCache", "_heaps", AT(heaps) },
	{ "CodeCache", "_low_bound", AT(low) },
	{ "CodeCache", "_high_bound", AT(high) },
	{ "Abstract_VM_Version", "_vm_major_version", AT(major) },
	{ "JDK_Version", "_current", AT(current) },
	{ "JDK_Version", "_major", AT(current_major) },
	{ "CodeHeap", "_memory", AT(heap_memory) },
	{ "CodeHeap", "_segmap", AT(heap_segmap) },
	{ "CodeHeap", "_log2_segment_size", AT(log2_segment) },
	{ "VirtualSpace", "_low", AT(virtual_low) },
	{ "VirtualSpace", "_high", AT(virtual_high) },
	{ "HeapBlock::Header", "_used", AT(block_used) },
	{ "GenericGrowableArray", "_len", AT(array_length) },	/* JDK 11 */
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
	{ "nmethod", "_deoptimize_offset", AT(deopt_offset) },	/* 8 */
	{ "nmethod", "_deopt_handler_offset", AT(deopt_offset) },
	{ "nmethod", "_deopt_handler_entry_offset", AT(deopt_offset) }, /* 26 */
	{ "nmethod", "_orig_pc_offset", AT(orig_pc) },
	{ "Method", "_constMethod", AT(const_method) },
	{ "ConstMethod", "_constants", AT(constants) },
	{ "ConstMethod", "_name_index", AT(name_index) },
	{ "ConstMethod", "_code_size", AT(code_size) },
	{ "ConstMethod", "_flags", AT(method_flags) },	/* up to 17 */
	{ "ConstMethod", "_flags._flags", AT(method_flags) },
	{ "ConstantPool", "_pool_holder", AT(pool_holder) },
	{ "Klass", "_name", AT(klass_name) },
	{ "Symbol", "_length", AT(symbol_length) },
	{ "Symbol", "_body", AT(symbol_body) },			/* 8 */
	{ "Symbol", "_body[0]", AT(symbol_body) },
	{ "ThreadsSMRSupport", "_java_thread_list", AT(thread_list) },
	{ "ThreadsList", "_length", AT(list_length) },
	{ "ThreadsList", "_threads", AT(list_data) },
	{ "Threads", "_thread_list", AT(first_thread) },	/* 11 */
	{ "JavaThread", "_next", AT(next_thread) },
	{ "JavaThread", "_threadObj", AT(thread_object) },
	{ "JavaThread", "_vthread", AT(virtual_thread) },
	{ "JavaThread", "_osthread", AT(osthread) },	/* up to 21 */
	{ "Thread", "_osthread", AT(osthread) },
	{ "OSThread", "_thread_id", AT(thread_id) },
	{ "Universe", "_narrow_oop._base", AT(oops_base) },	/* 11 */
	{ "Universe", "_narrow_oop._shift", AT(oops_shift) },
	{ "CompressedOops", "_narrow_oop._base", AT(oops_base) },
	{ "CompressedOops", "_narrow_oop._shift", AT(oops_shift) },
	{ "CompressedOops", "_base", AT(oops_base) },		/* 25 */
	{ "CompressedOops", "_shift", AT(oops_shift) },
};

/*
 * Each is of its release and of those up to the next: they are read where they
 * export all that is needed, but only those that were tried are known to be
 * right.
 */
static const struct fl_vm_release releases[] = {
	{ .major = 8, .bytecode = -7, .tried = 8 },
	{ .major = 11, .bytecode = -8, .tried = 11 },
	{ .major = 17, .bytecode = -8, .handles = true, .tried = 17 },
	{ .major = 20, .bytecode = -8, .handles = true, .excess = 1 },
	{ .major = 21, .bytecode = -8, .handles = true, .excess = 1,
	  .tried = 21 },
	{ .major = 25, .bytecode = -8, .handles = true, .excess = 1,
	  .apart = true, .tried = 28 },
};

bool fl_vm_text(const struct fl_hotspot *h, uint64_t at, char *to, size_t size)
{
	size_t n = 0;

	while (n < size) {
		/* Up to the end of 64 bytes, which lie in one page. */
		size_t part = FL_MIN(64 - (size_t)(at + n) % 64, size - n);

		if (!at || !fl_vm_read(h, at + n, to + n, part))
			return false;
		if (memchr(to + n, '\0', part))
			return true;
		n += part;
	}
	return false;
}

static uint64_t exported(const struct fl_hotspot *h,
			 const struct fl_vm_symbols *vm, const char *name)
{
	for (size_t i = 0; i < vm->count; i++)
		if (strcmp(vm->data[i].name, name) == 0)
			return fl_vm_word(h, vm->data[i].address);
	return 0;
}

static void take_field(struct fl_vm_layout *layout, const char *type,
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
		uint64_t text = fl_vm_word(h, at + type);

		if (!text)
			return true;
		if (!fl_vm_text(h, text, name, sizeof(name)) ||
		    !fl_vm_text(h, fl_vm_word(h, at + field), member,
				sizeof(member)))
			continue;
		take_field(&h->layout, name, member,
			   (int64_t)fl_vm_word(h, fl_vm_int(h, at + is_static) ?
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
		uint64_t text = fl_vm_word(h, at + type);

		if (!text)
			break;
		if (!fl_vm_text(h, text, name, sizeof(name)))
			continue;
		if (strcmp(name, "HeapBlock") == 0)
			h->layout.size_of_block =
				(int64_t)fl_vm_word(h, at + size);
		else if (strcmp(name, "ConstantPool") == 0)
			h->layout.size_of_pool =
				(int64_t)fl_vm_word(h, at + size);
		else if (strcmp(name, "ConstMethod") == 0)
			h->layout.size_of_method =
				(int64_t)fl_vm_word(h, at + size);
	}
	return h->layout.size_of_block > 0 && h->layout.size_of_pool > 0;
}

static bool have_all(const int64_t *all, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (all[i] < 0)
			return false;
	return true;
}

/* Whether all fields that the release should have are there. */
static bool is_complete(const struct fl_hotspot *h)
{
	const struct fl_vm_layout *l = &h->layout;
	const int64_t all[] = {
		l->heap_memory, l->heap_segmap, l->log2_segment,
		l->virtual_low, l->virtual_high, l->block_used, l->blob_name,
		l->frame_complete, l->frame_size, l->method, l->compile_id,
		l->level, l->scopes_pcs, l->const_method, l->constants,
		l->name_index, l->pool_holder, l->klass_name,
		l->symbol_length, l->symbol_body, l->orig_pc,
		/* Some are an address, or else an offset. */
		FL_MAX(l->code_begin, l->code_offset),
		FL_MAX(l->code_end, l->data_offset),
		FL_MAX(l->deopt, l->deopt_offset),
		FL_MAX(l->scopes_data, l->scopes_data_offset),
	};
	const int64_t heaps[] = {
		l->heaps, l->low, l->high, l->array_length, l->array_data,
	};
	const int64_t apart[] = {
		l->relocation_size, l->mutable_data, l->immutable,
		l->immutable_size, l->scopes_data_offset,
	};
	const int64_t together[] = { l->dependencies, l->metadata };

	return have_all(all, FL_COUNT(all)) &&
	       (l->heap >= 0 || have_all(heaps, FL_COUNT(heaps))) &&
	       (h->release->apart ? have_all(apart, FL_COUNT(apart)) :
				    have_all(together, FL_COUNT(together)));
}

/* 0: not known. */
static int read_major(const struct fl_hotspot *h)
{
	const struct fl_vm_layout *l = &h->layout;
	uint8_t major = 0;

	/* HotSpot had numbers of its own: that of JDK 8 is 25. */
	if (l->heap >= 0)
		return l->current > 0 && l->current_major >= 0 &&
		       fl_vm_read(h, (uint64_t)(l->current + l->current_major),
				  &major, 1) ? major : 0;
	return l->major > 0 ? fl_vm_int(h, (uint64_t)l->major) : 0;
}

bool fl_hotspot_read_layout(struct fl_hotspot *h,
			    const struct fl_vm_symbols *vm, int *major)
{
	*major = 0;
	memset(&h->layout, 0xff, sizeof(h->layout));
	if (read_structs(h, vm) && read_types(h, vm))
		*major = read_major(h);
	for (size_t i = 0; i < FL_COUNT(releases); i++)
		if (releases[i].major <= *major)
			h->release = &releases[i];
	h->tried = h->release && *major <= h->release->tried;
	return h->release && is_complete(h);
}
