/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The code cache of a HotSpot JVM, and the blobs in it.  A blob is what the JVM
 * has compiled or assembled at one place: fl_hotspot_blob() finds the blob of
 * an address, for hotspot.c.  A blob is read again once in each round of
 * samples, because another one may be there.
 */
#include "fl.h"

#include "sample/hotspot.h"

enum {
	MAX_BLOB_COUNT = 1 << 16,
	MAX_ALL_DATA = 256 << 20	/* debug information that is stored */
};

static bool read_heap(const struct fl_hotspot *h, uint64_t at,
		      struct fl_code_heap *heap)
{
	const struct fl_vm_layout *l = &h->layout;
	uint64_t memory = at + (uint64_t)l->heap_memory;

	heap->low = fl_vm_word(h, memory + (uint64_t)l->virtual_low);
	heap->high = fl_vm_word(h, memory + (uint64_t)l->virtual_high);
	heap->segmap = fl_vm_word(h, at + (uint64_t)l->heap_segmap +
				  (uint64_t)l->virtual_low);
	heap->log2 = fl_vm_int(h, at + (uint64_t)l->log2_segment);
	return heap->low < heap->high && heap->segmap && heap->log2 > 0 &&
	       heap->log2 < 32;
}

/* Up to 8 there is one heap. */
static void read_only_heap(struct fl_hotspot *h)
{
	uint64_t at = fl_vm_word(h, (uint64_t)h->layout.heap);

	h->nheaps = at && read_heap(h, at, &h->heaps[0]);
	h->low = h->nheaps ? h->heaps[0].low : 0;
	h->high = h->nheaps ? h->heaps[0].high : 0;
}

static void read_heaps(struct fl_hotspot *h)
{
	const struct fl_vm_layout *l = &h->layout;
	uint64_t array, data;
	int32_t n;

	h->fresh = true;
	if (l->heap >= 0) {
		read_only_heap(h);
		return;
	}
	array = fl_vm_word(h, (uint64_t)l->heaps);
	h->low = fl_vm_word(h, (uint64_t)l->low);
	h->high = fl_vm_word(h, (uint64_t)l->high);
	h->nheaps = 0;
	if (!array)
		return;
	n = fl_vm_int(h, array + (uint64_t)l->array_length);
	data = fl_vm_word(h, array + (uint64_t)l->array_data);
	for (int32_t i = 0; i < FL_MIN(n, FL_MAX_HEAPS); i++) {
		h->nheaps += read_heap(h, fl_vm_word(h, data + (uint64_t)i * 8),
				       &h->heaps[h->nheaps]);
	}
}

bool fl_hotspot_has(struct fl_hotspot *h, uint64_t pc)
{
	if (!h->fresh)
		read_heaps(h);
	return pc >= h->low && pc < h->high;
}

/*
 * A segment's byte is the distance to the block's first segment, or a lower
 * bound of it; 0: the first of a block, 255: free.
 */
static uint64_t block_of(const struct fl_hotspot *h,
			 const struct fl_code_heap *heap, uint64_t segment)
{
	enum { MAX_STEPS = 10000 };
	uint8_t map[256];
	uint64_t first = 1, last = 0;	/* segments whose bytes are in map */

	for (unsigned k = 0; k < MAX_STEPS; k++) {
		uint8_t back;

		if (segment < first || segment > last) {
			last = segment;
			first = last >= sizeof(map) ? last - sizeof(map) + 1 :
						      0;
			if (!fl_vm_read(h, heap->segmap + first, map,
					(size_t)(last - first) + 1))
				return 0;
		}
		back = map[segment - first];
		if (!back)
			return heap->low + (segment << heap->log2);
		if (back == 0xff || back > segment)
			return 0;
		segment -= back;
	}
	return 0;
}

static uint64_t find_block(const struct fl_hotspot *h, uint64_t pc)
{
	for (size_t i = 0; i < h->nheaps; i++) {
		const struct fl_code_heap *heap = &h->heaps[i];

		if (pc >= heap->low && pc < heap->high)
			return block_of(h, heap,
					(pc - heap->low) >> heap->log2);
	}
	return 0;
}

static enum fl_blob_kind kind_of(const char *name)
{
	if (strcmp(name, "nmethod") == 0 || strcmp(name, "native nmethod") == 0)
		return FL_BLOB_METHOD;
	if (strcmp(name, "Interpreter") == 0)
		return FL_BLOB_INTERPRETER;
	if (strncmp(name, "StubRoutines", 12) == 0)
		return FL_BLOB_STUBS;
	if (strstr(name, "adapter") || strstr(name, "vtable") ||
	    strstr(name, "MethodHandles"))
		return FL_BLOB_ADAPTER;
	return FL_BLOB_RUNTIME;
}

static void name_stub(struct fl_hotspot *h, struct fl_code_blob *blob,
		      const char *name)
{
	h->buf.size = 0;
	fl_buf_print(&h->buf, "[%s]", name);
	blob->frame = fl_frame(h->flame, flame_name(h->flame, h->buf.data,
						    h->buf.size),
			       FLAME_NATIVE);
}

/* From a blob's header. */
static bool read_blob(struct fl_hotspot *h, struct fl_code_blob *blob)
{
	const struct fl_vm_layout *l = &h->layout;
	uint8_t header[FL_BLOB_HEADER];
	char name[128];
	uint64_t at = blob->at;

	if (!fl_vm_read(h, at, header, sizeof(header)) ||
	    !fl_vm_text(h, (uint64_t)fl_vm_field(header, l->blob_name, 8), name,
			sizeof(name)))
		return false;
	blob->begin = fl_vm_part(header, at, l->code_begin, l->code_offset);
	blob->end = fl_vm_part(header, at, l->code_end, l->data_offset);
	blob->deopt = fl_vm_part(header, at, l->deopt, l->deopt_offset);
	blob->frame_complete = (int32_t)fl_vm_field(header, l->frame_complete,
						    h->release->apart ? 2 : 4);
	blob->frame_size = (int32_t)fl_vm_field(header, l->frame_size, 4);
	blob->kind = kind_of(name);
	if (blob->kind == FL_BLOB_METHOD) {
		blob->method = (uint64_t)fl_vm_field(header, l->method, 8);
		blob->compile_id =
			(int32_t)fl_vm_field(header, l->compile_id, 4);
		blob->level = (int32_t)fl_vm_field(header, l->level, 4);
		if (h->release->apart)	/* one byte and padding */
			blob->level &= 0xff;
		blob->orig_pc = (int32_t)fl_vm_field(header, l->orig_pc, 4);
	} else {
		blob->deopt = 0;
		if (strstr(name, "slow_subtype_check"))
			blob->pushes = 8;
		name_stub(h, blob, name);
	}
	blob->round = h->round;
	return true;
}

void fl_hotspot_drop_data(struct fl_hotspot *h, struct fl_code_blob *blob)
{
	if (blob->data)
		h->data_size -= blob->pcs_size + blob->scopes_size;
	fl_free(blob->data);
	blob->data = NULL;
}

void fl_hotspot_make_room(struct fl_hotspot *h, size_t size)
{
	if (h->data_size + size <= MAX_ALL_DATA)
		return;
	for (size_t i = 0; i < h->nblobs; i++)
		if (h->blobs[i].data) {
			fl_hotspot_drop_data(h, &h->blobs[i]);
			h->blobs[i].has_data = false;
		}
}

/* Read the blob again if another one replaced it. */
static bool refresh(struct fl_hotspot *h, struct fl_code_blob *blob)
{
	struct fl_code_blob now = { .at = blob->at };

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
	fl_hotspot_drop_data(h, blob);
	*blob = now;
	return true;
}

static void forget_blobs(struct fl_hotspot *h)
{
	for (size_t i = 0; i < h->nblobs; i++)
		fl_hotspot_drop_data(h, &h->blobs[i]);
	h->nblobs = 0;
	fl_map_clear(&h->blobs_by_at);
	fl_map_clear(&h->found);
}

static struct fl_code_blob *new_blob(struct fl_hotspot *h, uint64_t at)
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
		h->blobs[h->nblobs] = (struct fl_code_blob){ .at = at };
		*place = ++h->nblobs;
	}
	return &h->blobs[*place - 1];
}

/* NULL: the address is in no blob that is in use. */
static struct fl_code_blob *find_blob(struct fl_hotspot *h, uint64_t pc)
{
	uint64_t block = find_block(h, pc);
	struct fl_code_blob *blob;
	uint8_t used = 0;

	if (!block ||
	    !fl_vm_read(h, block + (uint64_t)h->layout.block_used, &used, 1) ||
	    !used)
		return NULL;
	blob = new_blob(h, block + (uint64_t)h->layout.size_of_block);
	return blob && refresh(h, blob) && pc >= blob->begin &&
	       pc < blob->end ? blob : NULL;
}

struct fl_code_blob *fl_hotspot_blob(struct fl_hotspot *h, uint64_t pc)
{
	const uint64_t *known = fl_map_get(&h->found, pc);
	struct fl_code_blob *blob;
	uint64_t *place;

	if (known)
		return *known ? &h->blobs[*known - 1] : NULL;
	blob = find_blob(h, pc);
	place = fl_map_put(&h->found, pc, NULL);
	if (place)
		*place = blob ? (uint64_t)(blob - h->blobs) + 1 : 0;
	return blob;
}
