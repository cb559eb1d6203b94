/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Pushes frames of a HotSpot JVM's methods, for hotspot.c: fl_hotspot_push()
 * one method by its name, and fl_hotspot_push_compiled() the methods at an
 * address of compiled code, with those inlined there, by its debug information.
 */
#include "fl.h"

#include "sample/hotspot.h"

#include <inttypes.h>

enum {
	MAX_NAME = 4096,
	MAX_DATA = 16 << 20,	/* of debug information of a method, twice */
	MAX_METHODS = 1 << 20,
	MAX_INLINED = 200
};

static bool put_symbol(struct fl_hotspot *h, uint64_t at)
{
	uint16_t size;
	char *to;

	if (!at || !fl_vm_read(h, at + (uint64_t)h->layout.symbol_length, &size,
			       2) || !size || size > MAX_NAME)
		return false;
	to = fl_buf_reserve(&h->buf, size);
	if (!to ||
	    !fl_vm_read(h, at + (uint64_t)h->layout.symbol_body, to, size))
		return false;
	h->buf.size += size;
	h->buf.data[h->buf.size] = '\0';
	return true;
}

/* "java/lang/String.indexOf"; 0: this is not a method. */
static flame_id read_method(struct fl_hotspot *h, uint64_t const_method)
{
	const struct fl_vm_layout *l = &h->layout;
	uint64_t pool = fl_vm_word(h, const_method + (uint64_t)l->constants);
	uint64_t holder, name;
	uint16_t index;

	if (!pool || !fl_vm_read(h, const_method + (uint64_t)l->name_index,
				 &index, 2))
		return 0;
	holder = fl_vm_word(h, pool + (uint64_t)l->pool_holder);
	name = fl_vm_word(h, pool + (uint64_t)l->size_of_pool + 8u * index);
	h->buf.size = 0;
	if (!holder ||
	    !put_symbol(h, fl_vm_word(h, holder + (uint64_t)l->klass_name)))
		return 0;
	fl_buf_byte(&h->buf, '.');
	if (!put_symbol(h, name))
		return 0;
	return flame_name(h->flame, h->buf.data, h->buf.size);
}

static void forget_methods(struct fl_hotspot *h)
{
	h->nmethods = 0;
	fl_map_clear(&h->methods_by_at);
}

/*
 * The name of a Method*; 0: it is none.  It is cached for a round only: memory
 * of an unloaded class is used again, Method and ConstMethod at the same
 * addresses where the new class has the same shape.
 */
static flame_id method_name(struct fl_hotspot *h, uint64_t at)
{
	uint64_t *place, const_method;
	struct fl_vm_method *m;

	if (!at || at & 7)
		return 0;
	place = fl_map_get(&h->methods_by_at, at);
	if (place && h->methods[*place - 1].round == h->round)
		return h->methods[*place - 1].name;
	const_method = fl_vm_word(h, at + (uint64_t)h->layout.const_method);
	if (!const_method)
		return 0;
	if (!place) {
		if (h->nmethods == MAX_METHODS)
			forget_methods(h);
		if (!fl_grow(&h->methods, &h->methods_capacity,
			     h->nmethods + 1, sizeof(*h->methods)))
			return 0;
		place = fl_map_put(&h->methods_by_at, at, NULL);
		if (!place)
			return 0;
		h->methods[h->nmethods] = (struct fl_vm_method){ .at = at };
		*place = ++h->nmethods;
	}
	m = &h->methods[*place - 1];
	m->name = read_method(h, const_method);
	m->round = h->round;
	return m->name;
}

/* "java/lang/String.indexOf:1834" */
static flame_id add_line(struct fl_hotspot *h, flame_id name, uint32_t line)
{
	struct slice text = fl_name_at(h->flame, name);

	h->buf.size = 0;
	fl_buf_put(&h->buf, text.data, text.size);
	fl_buf_print(&h->buf, ":%" PRIu32, line);
	return flame_name(h->flame, h->buf.data, h->buf.size);
}

bool fl_hotspot_push(struct fl_hotspot *h, struct fl_unwinder *u,
		     uint64_t method, int32_t bci, enum flame_type type,
		     uint64_t pc)
{
	flame_id name = method_name(h, method);
	uint32_t line = 0;

	if (!name)
		return false;
	if (h->lines && bci != FL_NO_BCI)
		line = fl_hotspot_line(h, method, bci);
	if (line)
		name = add_line(h, name, line);
	return fl_unwind_push(u, flame_frame(h->flame, &(struct flame_frame){
		.name = name, .type = type, .line = line,
		.file = fl_name(h->flame, "[JIT app cache]"),
	}), pc);
}

/* Debug information of compiled methods ------------------------------------ */

/* Where PcDescs, scopes and metadata lie, by release. */
struct places {
	uint64_t pcs, pcs_end, scopes, scopes_end, metadata, metadata_end;
};

static bool find_places(struct fl_hotspot *h, const struct fl_code_blob *blob,
			struct places *p)
{
	const struct fl_vm_layout *l = &h->layout;
	uint8_t header[FL_BLOB_HEADER];
	uint64_t at = blob->at, base;

	if (!fl_vm_read(h, at, header, sizeof(header)))
		return false;
	if (h->release->apart) {
		base = (uint64_t)fl_vm_field(header, l->immutable, 8);
		p->pcs = base + (uint64_t)fl_vm_field(header, l->scopes_pcs, 4);
		p->scopes = p->pcs_end =
			base + (uint64_t)fl_vm_field(header,
						     l->scopes_data_offset, 4);
		p->scopes_end = base + (uint64_t)
				fl_vm_field(header, l->immutable_size, 4);
		p->metadata =
			(uint64_t)fl_vm_field(header, l->mutable_data, 8) +
			(uint64_t)fl_vm_field(header, l->relocation_size, 4);
		/* No table has its size: read as much as an index needs. */
		p->metadata_end = p->metadata;
		return true;
	}
	p->pcs = at + (uint64_t)fl_vm_field(header, l->scopes_pcs, 4);
	p->pcs_end = at + (uint64_t)fl_vm_field(header, l->dependencies, 4);
	p->scopes = fl_vm_part(header, at, l->scopes_data,
			       l->scopes_data_offset);
	p->scopes_end = p->pcs;
	p->metadata = p->metadata_end =
		at + (uint64_t)fl_vm_field(header, l->metadata, 4);
	return true;
}

/* Copies the tables of a method, once. */
static bool read_data(struct fl_hotspot *h, struct fl_code_blob *blob,
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
	fl_hotspot_make_room(h, blob->pcs_size + blob->scopes_size);
	blob->data = fl_alloc(blob->pcs_size + blob->scopes_size + 1);
	if (blob->data)
		h->data_size += blob->pcs_size + blob->scopes_size;
	if (blob->data &&
	    fl_vm_read(h, p->pcs, blob->data, blob->pcs_size) &&
	    fl_vm_read(h, p->scopes, blob->data + blob->pcs_size,
		       blob->scopes_size))
		return true;
	fl_hotspot_drop_data(h, blob);
	return false;
}

/* PcDesc: int pc, scope, objects, flags. */
static int32_t scope_at(const struct fl_code_blob *blob, uint64_t pc)
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
		/* Bytes from 192 on mean that more follow. */
		if (byte < 192)
			return true;
	}
	return *at <= end;
}

/* The methods of a place, inlined ones first; false: nothing is known. */
static bool push_scopes(struct fl_hotspot *h, struct fl_unwinder *u,
			struct fl_code_blob *blob, uint64_t pc,
			enum flame_type outer)
{
	struct places places;
	uint32_t scope, sender, index, bci;
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
		method = fl_vm_word(h, places.metadata + (index - 1) *
				    UINT64_C(8));
		/* -1, the entry of a synchronized method, is stored as 0. */
		if (!fl_hotspot_push(h, u, method,
				     unsigned5(h, &at, end, &bci) ?
				     (int32_t)bci - 1 : FL_NO_BCI,
				     sender ? FLAME_INLINED : outer, pc))
			return any;
		any = true;
		/* Senders come before the frames that they call. */
		if (sender >= scope)
			return any;
	}
	return any;
}

bool fl_hotspot_push_compiled(struct fl_hotspot *h, struct fl_unwinder *u,
				     struct fl_code_blob *blob, uint64_t pc)
{
	enum flame_type type = blob->level >= 1 && blob->level <= 3 ?
			       FLAME_C1 : FLAME_JIT;
	size_t before = u->nframes;

	if (push_scopes(h, u, blob, pc, type))
		return true;
	u->nframes = before;
	return fl_hotspot_push(h, u, blob->method, FL_NO_BCI, type, pc);
}
