/* SPDX-License-Identifier: Apache-2.0 */
/*
 * --by holder: fl_jfr_find_holders() makes a stack of the objects that refer to
 * an object of jdk.OldObjectSample, from the GC root on, for hit.c.
 * OldObject.referrer names a Reference, which names the OldObject that has it,
 * by a field or as an element of an array.  The JDK writes them if it recorded
 * with path-to-gc-roots=true.
 */
#include "fl.h"

#include "format/jfr/samples.h"

/* HotSpot keeps 200 references of each end of a chain at most. */
enum { MAX_HOLDERS = 1024, STATIC = 8 };

/* The classes of a chain's constants. */
struct types {
	struct fl_jfr_class *object, *reference, *field, *root;
};

static uint64_t number_of(struct fl_jfr_chunk *chunk,
			  const struct fl_jfr_class *class, uint64_t key,
			  const char *name)
{
	uint64_t n;

	return class && fl_jfr_field_number(chunk, class, key, name, &n) ? n :
									   0;
}

static struct slice text_of(struct fl_jfr_chunk *chunk,
			    const struct fl_jfr_class *class, uint64_t key,
			    const char *name)
{
	static const struct slice none;
	struct slice text;

	if (!class)
		return none;
	text = fl_jfr_field_text(chunk, class, key, name);
	return fl_slice_is(text, "N/A") || fl_slice_is(text, "<unknown>") ?
	       none : text;
}

/* A class and its field, as leaves that are classes; or another text. */
static flame_id text_frame(struct fl_jfr_chunk *chunk, struct slice text,
			   bool is_class)
{
	struct flame_frame frame = {
		.name = flame_name(chunk->flame, text.data, text.size),
		.file = is_class ? chunk->jfr->class_mark : 0,
		.type = is_class ? FLAME_INLINED : FLAME_GROUP,
	};

	return flame_frame(chunk->flame, &frame);
}

/*
 * "java.util.HashMap.table", "java.lang.Object[]" for an element; of a static
 * field, the class that has it.
 */
static flame_id holder_frame(struct fl_jfr_chunk *chunk,
			     const struct types *types, uint64_t object,
			     uint64_t reference)
{
	static const char prefix[] = "Class Name: ";
	uint64_t field = number_of(chunk, types->reference, reference, "field");
	struct slice name = text_of(chunk, types->field, field, "name");
	struct slice said = text_of(chunk, types->object, object,
				    "description");
	struct fl_buf buf = { 0 };
	flame_id frame;

	if ((number_of(chunk, types->field, field, "modifiers") & STATIC) &&
	    fl_slice_starts(said, prefix)) {
		fl_buf_put(&buf, said.data + strlen(prefix),
			   said.size - strlen(prefix));
	} else {
		frame = fl_jfr_leaf(chunk, number_of(chunk, types->object,
						     object, "type"), false);
		if (!name.size)
			return frame;
		said = fl_name_at(chunk->flame,
				  chunk->flame->frames.data[frame].name);
		fl_buf_put(&buf, said.data, said.size);
	}
	if (name.size) {
		fl_buf_byte(&buf, '.');
		fl_buf_put(&buf, name.data, name.size);
	}
	if (buf.failed)
		fl_no_memory(chunk->flame);
	frame = text_frame(chunk, fl_buf_slice(&buf), true);
	fl_buf_free(&buf);
	return frame;
}

/* The frames of those that hold an object, the nearest first. */
static unsigned read_chain(struct fl_jfr_chunk *chunk,
			   const struct types *types, uint64_t object,
			   flame_id frames[MAX_HOLDERS])
{
	unsigned n = 0;

	while (n + 2 < MAX_HOLDERS) {
		uint64_t reference = number_of(chunk, types->object, object,
					       "referrer");

		object = number_of(chunk, types->reference, reference,
				   "object");
		if (!reference || !object)
			return n;
		if (number_of(chunk, types->reference, reference, "skip"))
			frames[n++] = text_frame(
				chunk, FL_SLICE("[references left out]"),
				false);
		frames[n++] = holder_frame(chunk, types, object, reference);
	}
	return n;
}

/* "Threads: Stack Variable". */
static flame_id root_name(struct fl_jfr_chunk *chunk,
			  const struct types *types, uint64_t root)
{
	struct slice system = text_of(chunk, types->root, root, "system");
	struct slice type = text_of(chunk, types->root, root, "type");
	struct fl_buf buf = { 0 };
	flame_id name;

	fl_buf_put(&buf, system.data, system.size);
	if (system.size && type.size)
		fl_buf_text(&buf, ": ");
	fl_buf_put(&buf, type.data, type.size);
	if (!buf.size)
		fl_buf_text(&buf, "unknown root");
	name = flame_name(chunk->flame, buf.data, buf.size);
	fl_buf_free(&buf);
	return name;
}

void fl_jfr_find_holders(struct fl_jfr_chunk *chunk, uint64_t object,
			 uint64_t root, struct fl_jfr_hit *hit)
{
	const struct types types = {
		fl_jfr_class_named(chunk, "types.OldObject"),
		fl_jfr_class_named(chunk, "types.Reference"),
		fl_jfr_class_named(chunk, "types.OldObjectField"),
		fl_jfr_class_named(chunk, "types.OldObjectGcRoot"),
	};
	struct slice said = text_of(chunk, types.root, root, "description");
	flame_id frames[MAX_HOLDERS], stack = 0;
	unsigned n = read_chain(chunk, &types, object, frames);

	if (!n && !root)
		return;
	hit->holder = root_name(chunk, &types, root);
	if (!(chunk->jfr->source->select.needs & FL_NEED_CHAIN))
		return;
	if (said.size)
		stack = flame_stack(chunk->flame, 0,
				    text_frame(chunk, said, false));
	while (n)
		stack = flame_stack(chunk->flame, stack, frames[--n]);
	hit->stack = stack;
	hit->trace = NULL;
	hit->has_stack = true;
}
