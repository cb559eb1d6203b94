/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Methods as frames, for stack.c and hit.c: fl_jfr_frame() finds a method's
 * name and class in the pools and returns the dictionary's frame
 * "pkg/Class.method" with its type, and with --lines or --bci its place.
 * Frames are cached by method and type.
 */
#include "fl.h"

#include "format/jfr/traces.h"

#include <inttypes.h>

void fl_jfr_frame_types(struct fl_jfr_chunk *chunk)
{
	struct fl_jfr_stacks *stacks = chunk->stacks;
	struct fl_jfr_types *types = chunk->types;

	static const struct {
		const char *name;
		uint8_t type;
	} names[] = {
		{ "Interpreted", FLAME_INTERPRETED },
		{ "JIT compiled", FLAME_JIT }, { "Inlined", FLAME_INLINED },
		{ "Native", FLAME_NATIVE }, { "C++", FLAME_CPP },
		{ "Kernel", FLAME_KERNEL }, { "C1 compiled", FLAME_C1 },
		{ "AOT compiled", FLAME_JIT },
		{ "INTERPRETED", FLAME_INTERPRETED }, { "JIT", FLAME_JIT },
		{ "JIT_INLINED", FLAME_INLINED }, { "NATIVE", FLAME_NATIVE },
	};

	if (fl_jfr_stand_in(chunk) && (!types->frame_type ||
				!types->frame_type->pool)) {
		chunk->async = chunk->jfr->before->async;
		memcpy(stacks->frame_types,
		       chunk->jfr->before->stacks->frame_types,
		       sizeof(stacks->frame_types));
		return;
	}
	chunk->async = fl_slice_is(fl_jfr_constant_text(chunk,
				   types->frame_type, 5), "Kernel");
	for (unsigned key = 0; key < FL_COUNT(stacks->frame_types); key++) {
		struct slice text = fl_jfr_constant_text(chunk,
						types->frame_type, key);

		stacks->frame_types[key] = FLAME_UNKNOWN;
		for (size_t i = 0; text.data && i < FL_COUNT(names); i++)
			if (fl_slice_is(text, names[i].name))
				stacks->frame_types[key] = names[i].type;
		/* In a JDK's file it is a Java method written in C. */
		if (stacks->frame_types[key] == FLAME_NATIVE && !chunk->async)
			stacks->frame_types[key] = FLAME_JAVA_NATIVE;
	}
}

/* Methods are many: their fields are looked for once. */
static const struct fl_jfr_spelling *spelling_of(struct fl_jfr_chunk *chunk)
{
	struct fl_jfr_types *types = chunk->types;
	struct fl_jfr_spelling *s = &chunk->stacks->spelling;

	if (fl_unlikely(!s->known))
		*s = (struct fl_jfr_spelling){
			.known = true,
			.method = fl_jfr_field_of(types->method, "name"),
			.type = fl_jfr_field_of(types->method, "type"),
			.class = fl_jfr_field_of(types->class, "name"),
		};
	return s;
}

/*
 * "pkg/Class.method" in two, as jfrconv: C, C++ and kernel frames by their
 * symbol alone, a method without a name by its class.  false: there is no such
 * method.
 */
static bool spell(struct fl_jfr_chunk *chunk, uint64_t method, uint8_t type,
		  struct slice *class, struct slice *name)
{
	struct fl_jfr_types *types = chunk->types;
	bool native = type == FLAME_NATIVE || type == FLAME_CPP ||
		      type == FLAME_KERNEL;
	const struct fl_jfr_spelling *s = spelling_of(chunk);
	struct fl_wire begin, w;
	uint64_t key;

	*class = *name = (struct slice){ NULL, 0 };
	if (!fl_jfr_constant(chunk, types->method, method, &begin))
		return false;
	w = begin;
	if (s->method && fl_jfr_seek(types->method, s->method, &w))
		*name = fl_jfr_text(chunk, s->method, &w);
	w = begin;
	if (!(native && name->size) && s->type &&
	    fl_jfr_seek(types->method, s->type, &w) &&
	    fl_jfr_read_number(types->method, s->type, &w, &key) && s->class &&
	    fl_jfr_constant(chunk, types->class, key, &w) &&
	    fl_jfr_seek(types->class, s->class, &w))
		*class = fl_jfr_text(chunk, s->class, &w);
	return true;
}

bool fl_jfr_has_name(struct fl_jfr_chunk *chunk, uint64_t method,
		     uint64_t type_key)
{
	uint8_t type = type_key < FL_COUNT(chunk->stacks->frame_types) ?
		       chunk->stacks->frame_types[type_key] : FLAME_UNKNOWN;
	bool native = type == FLAME_NATIVE || type == FLAME_CPP ||
		      type == FLAME_KERNEL;
	struct slice class, name;

	return spell(chunk, method, type, &class, &name) && name.data &&
	       (class.data || (native && name.size));
}

static void put_method(struct fl_jfr_chunk *chunk, struct fl_buf *buf,
		       uint64_t method, uint8_t type)
{
	struct slice class, name;

	if (!spell(chunk, method, type, &class, &name)) {
		fl_buf_text(buf, fl_jfr_options(chunk->jfr)->compat ?
				 "unknown" : "[unknown]");
		return;
	}
	fl_buf_put(buf, class.data, class.size);
	if (class.size && name.size)
		fl_buf_byte(buf, '.');
	fl_buf_put(buf, name.data, name.size);
	if (!buf->size && !fl_jfr_options(chunk->jfr)->compat)
		fl_buf_text(buf, "[unknown]");
}

static flame_id make_frame(struct fl_jfr_chunk *chunk, uint64_t method,
			   uint8_t type, const char *mark, uint32_t place)
{
	struct flame *flame = chunk->flame;
	struct fl_buf *buf = &chunk->stacks->name;

	buf->size = 0;
	put_method(chunk, buf, method, type);
	if (mark)
		fl_buf_print(buf, "%s%" PRIu32, mark, place);
	if (buf->failed)
		fl_no_memory(flame);
	return fl_frame(flame, flame_name(flame, buf->data, buf->size), type);
}

/* With a line, or a bytecode index, which its top bit marks. */
static flame_id located(struct fl_jfr_chunk *chunk, flame_id plain,
			uint64_t method, uint8_t type, const char *mark,
			uint32_t place)
{
	bool fresh;
	uint64_t *at = fl_jfr_cached(chunk, &chunk->stacks->located,
				  (uint64_t)plain << 32 | place |
				  (uint64_t)(*mark == '@') << 31, &fresh);

	if (at && fresh)
		*at = make_frame(chunk, method, type, mark, place);
	return at ? *at : 0;
}

static flame_id typed_frame(struct fl_jfr_chunk *chunk, uint64_t method,
			    uint8_t type)
{
	bool fresh;
	uint64_t *at = fl_jfr_cached(chunk, &chunk->stacks->frames[type], method, &fresh);

	if (at && fresh)
		*at = make_frame(chunk, method, type, NULL, 0);
	return at ? *at : 0;
}

flame_id fl_jfr_frame(struct fl_jfr_chunk *chunk, uint64_t method,
		      uint64_t type_key, uint32_t line, uint32_t bci)
{
	const struct fl_jfr_options *options = fl_jfr_options(chunk->jfr);
	uint8_t type = type_key < FL_COUNT(chunk->stacks->frame_types) ?
		       chunk->stacks->frame_types[type_key] : FLAME_UNKNOWN;
	flame_id plain = typed_frame(chunk, method, type);

	if (fl_likely(!options->lines && !options->bci))
		return plain;
	if (options->compat) {
		line &= 0xffff;
		bci &= 0xffff;
	}
	if (options->lines && (int32_t)line > 0)
		return located(chunk, plain, method, type, ":", line);
	if (options->bci && (int32_t)bci > 0)
		return located(chunk, plain, method, type, "@", bci);
	return plain;
}

void fl_jfr_frames_free(struct fl_jfr_stacks *stacks)
{
	for (size_t i = 0; i < FL_COUNT(stacks->frames); i++)
		fl_map_free(&stacks->frames[i]);
	fl_map_free(&stacks->located);
	fl_buf_free(&stacks->name);
}
