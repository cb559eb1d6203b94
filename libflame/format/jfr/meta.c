/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads the metadata event of a chunk, for chunk.c (fl_jfr_read_meta): a table
 * of strings, then one tree of elements.  The classes under root/metadata and
 * their fields are stored in chunk->types; regions and settings are not read.
 */
#include "fl.h"

#include "format/jfr/types.h"

#include <stdlib.h>

struct meta {
	struct fl_jfr_chunk *chunk;
	struct fl_wire w;
	struct slice *strings;
	uint32_t nstrings;
	size_t classes_capacity;
	bool copies;		/* the chunk's bytes may move */
	bool damaged;		/* something names a string that is not there */
};

static struct slice copy_of(struct meta *m, struct slice text)
{
	const char *copy =
		fl_arena_copy(&m->chunk->arena, text.data, text.size);

	if (copy)
		return (struct slice){ copy, text.size };
	fl_no_memory(m->chunk->flame);
	return (struct slice){ "", 0 };
}

static struct slice read_string(struct meta *m)
{
	uint8_t kind = fl_wire_fixed(&m->w, 1);
	struct slice text = fl_jfr_read_string(m->chunk, &m->w, kind);

	if (text.data)
		return m->copies ? copy_of(m, text) : text;
	m->w.bad |= kind != 0;
	return (struct slice){ "", 0 };
}

static bool read_strings(struct meta *m)
{
	uint32_t n = fl_wire_int(&m->w);

	if (m->w.bad || n > (uint64_t)(m->w.end - m->w.at))
		return false;
	m->strings = fl_arena_alloc(&m->chunk->arena,
				    fl_size_mul(n + 1, sizeof(struct slice)));
	if (!m->strings) {
		fl_no_memory(m->chunk->flame);
		return false;
	}
	m->nstrings = n;
	for (uint32_t i = 0; i < n && !m->w.bad; i++)
		m->strings[i] = read_string(m);
	return !m->w.bad;
}

static struct slice string_at(struct meta *m)
{
	uint32_t i = fl_wire_int(&m->w);

	if (i < m->nstrings)
		return m->strings[i];
	m->damaged = true;
	return (struct slice){ "", 0 };
}

/* One element without its children, which the caller reads. */
struct element {
	struct slice name;
	struct slice id, type, name_attr, super, value;
	bool simple, constant, array;
	uint32_t nchildren;
};

static void read_attribute(struct meta *m, struct element *e)
{
	struct slice key = string_at(m), value = string_at(m);

	if (fl_slice_is(key, "id"))
		e->id = value;
	else if (fl_slice_is(key, "class"))
		e->type = value;
	else if (fl_slice_is(key, "name"))
		e->name_attr = value;
	else if (fl_slice_is(key, "superType"))
		e->super = value;
	else if (fl_slice_is(key, "value"))
		e->value = value;
	else if (fl_slice_is(key, "simpleType"))
		e->simple = fl_slice_is(value, "true");
	else if (fl_slice_is(key, "constantPool"))
		e->constant = fl_slice_is(value, "true");
	else if (fl_slice_is(key, "dimension"))
		e->array = !fl_slice_is(value, "0");
}

static bool read_element(struct meta *m, struct element *e)
{
	uint32_t n;

	memset(e, 0, sizeof(*e));
	e->name = string_at(m);
	n = fl_wire_int(&m->w);
	for (uint32_t i = 0; i < n && !m->w.bad; i++)
		read_attribute(m, e);
	e->nchildren = fl_wire_int(&m->w);
	return !m->w.bad && e->nchildren <= (uint64_t)(m->w.end - m->w.at);
}

/* Skips the children of an element, at any depth. */
static bool skip_children(struct meta *m, uint64_t n)
{
	struct element e;

	/* No recursion: children add to the number of elements to come. */
	while (n && !m->w.bad) {
		if (!read_element(m, &e))
			return false;
		n += e.nchildren;
		n--;
	}
	return !m->w.bad;
}

static uint64_t number(struct slice text)
{
	uint64_t n = 0;
	bool minus = text.size && text.data[0] == '-';

	for (size_t i = minus; i < text.size; i++)
		n = n * 10 + (unsigned)(text.data[i] - '0');
	return minus ? -n : n;
}

static uint8_t unit_named(struct slice value)
{
	if (fl_slice_is(value, "TICKS"))
		return FL_JFR_TICKS;
	if (fl_slice_is(value, "NANOSECONDS"))
		return FL_JFR_NS;
	if (fl_slice_is(value, "MICROSECONDS"))
		return FL_JFR_US;
	if (fl_slice_starts(value, "MILLISECONDS"))
		return FL_JFR_MS;
	if (fl_slice_starts(value, "SECONDS"))
		return FL_JFR_S;
	return FL_JFR_PLAIN;
}

static bool read_field(struct meta *m, const struct element *e,
		       struct fl_jfr_field *field)
{
	memset(field, 0, sizeof(*field));
	field->name = e->name_attr;
	field->type = number(e->type);
	field->constant = e->constant;
	field->array = e->array;
	for (uint32_t i = 0; i < e->nchildren; i++) {
		struct element a;

		if (!read_element(m, &a) || !skip_children(m, a.nchildren))
			return false;
		/* Only Timespan and Timestamp have such values. */
		if (fl_slice_is(a.name, "annotation") && !field->unit)
			field->unit = unit_named(a.value);
	}
	return true;
}

static bool read_class(struct meta *m, const struct element *e)
{
	struct fl_jfr_chunk *chunk = m->chunk;
	struct fl_jfr_types *types = chunk->types;
	struct fl_jfr_field *fields;
	struct fl_jfr_class *class;

	/* As many fields as children fit: an element has 3 bytes or more. */
	fields = fl_arena_alloc(&chunk->arena,
				fl_size_mul((size_t)e->nchildren + 1,
					    sizeof(*fields)));
	if (!fields || !fl_grow(&types->classes, &m->classes_capacity,
				types->nclasses + 1,
				sizeof(*types->classes))) {
		fl_no_memory(chunk->flame);
		return false;
	}
	class = &types->classes[types->nclasses++];
	memset(class, 0, sizeof(*class));
	class->id = number(e->id);
	class->name = e->name_attr;
	class->simple = e->simple;
	class->event = fl_slice_is(e->super, "jdk.jfr.Event");
	class->fields = fields;
	class->is_string = fl_slice_is(class->name, "java.lang.String");
	class->is_float = fl_slice_is(class->name, "float");
	class->is_double = fl_slice_is(class->name, "double");
	for (uint32_t i = 0; i < e->nchildren; i++) {
		struct element c;

		if (!read_element(m, &c))
			return false;
		if (!fl_slice_is(c.name, "field")) {
			if (!skip_children(m, c.nchildren))
				return false;
		} else if (!read_field(m, &c,
				       &class->fields[class->nfields++])) {
			return false;
		}
	}
	return true;
}

static bool read_tree(struct meta *m)
{
	struct element root, part, class;

	if (!read_element(m, &root))
		return false;
	for (uint32_t i = 0; i < root.nchildren; i++) {
		if (!read_element(m, &part))
			return false;
		if (!fl_slice_is(part.name, "metadata")) {
			if (!skip_children(m, part.nchildren))
				return false;
			continue;
		}
		for (uint32_t j = 0; j < part.nchildren; j++) {
			if (!read_element(m, &class))
				return false;
			if (fl_slice_is(class.name, "class") ?
			    !read_class(m, &class) :
			    !skip_children(m, class.nchildren))
				return false;
		}
	}
	return !m->w.bad;
}

struct slice fl_jfr_plain_name(struct slice name)
{
	static const struct {
		const char *old, *now;
	} names[] = {
		{ "com.oracle.jdk.", "jdk." },
		{ "com.oracle.jfr.types.", "jdk.types." },
	};

	for (size_t i = 0; i < FL_COUNT(names); i++) {
		size_t cut = strlen(names[i].old) - strlen(names[i].now);

		/* Both have the same end: cut off the front. */
		if (!fl_slice_starts(name, names[i].old))
			continue;
		if (memcmp(name.data + cut, names[i].now,
			   strlen(names[i].now)) == 0)
			return fl_slice_from(name, cut);
	}
	return name;
}

static bool last_part_is(struct slice name, const char *wanted)
{
	size_t n = strlen(wanted);

	return fl_slice_ends(name, wanted) &&
	       (name.size == n || name.data[name.size - n - 1] == '.');
}

struct fl_jfr_class *fl_jfr_class_named(const struct fl_jfr_chunk *chunk,
					const char *name)
{
	struct fl_jfr_types *types = chunk->types;

	for (uint32_t i = 0; i < types->nclasses; i++)
		if (last_part_is(types->classes[i].name, name))
			return &types->classes[i];
	return NULL;
}

const struct fl_jfr_field *fl_jfr_field_of(const struct fl_jfr_class *class,
					   const char *name)
{
	for (uint32_t i = 0; class && i < class->nfields; i++)
		if (fl_slice_is(class->fields[i].name, name))
			return &class->fields[i];
	return NULL;
}

/* Two classes with one id are damage: which one its events mean is unknown. */
static bool link_classes(struct fl_jfr_chunk *chunk, bool *damaged)
{
	struct fl_jfr_types *types = chunk->types;

	for (uint32_t i = 0; i < types->nclasses; i++) {
		struct fl_jfr_class *class = &types->classes[i];
		bool fresh;
		uint64_t *at = fl_map_put(&types->by_id, class->id, &fresh);

		if (!at) {
			fl_no_memory(chunk->flame);
			return false;
		}
		*damaged |= !fresh;
		*at = i;
		if (class->id < FL_COUNT(types->small))
			types->small[class->id] = class;
	}
	for (uint32_t i = 0; i < types->nclasses; i++)
		for (uint32_t j = 0; j < types->classes[i].nfields; j++) {
			struct fl_jfr_field *f = &types->classes[i].fields[j];

			f->class = fl_jfr_class_by_id(chunk, f->type);
		}
	return true;
}

/* If no class is marked as an event, all of them may be. */
static void find_events(struct fl_jfr_chunk *chunk)
{
	struct fl_jfr_types *types = chunk->types;
	bool some = false;

	for (uint32_t i = 0; i < types->nclasses; i++)
		some |= types->classes[i].event;
	for (uint32_t i = 0; i < types->nclasses && !some; i++)
		types->classes[i].event = true;
}

static void find_named(struct fl_jfr_chunk *chunk)
{
	chunk->types->string = fl_jfr_class_named(chunk, "java.lang.String");
	chunk->types->thread = fl_jfr_class_named(chunk, "java.lang.Thread");
	chunk->types->class = fl_jfr_class_named(chunk, "java.lang.Class");
	chunk->types->symbol = fl_jfr_class_named(chunk, "types.Symbol");
	chunk->types->method = fl_jfr_class_named(chunk, "types.Method");
	chunk->types->trace = fl_jfr_class_named(chunk, "types.StackTrace");
	chunk->types->frame = fl_jfr_class_named(chunk, "types.StackFrame");
	chunk->types->frame_type = fl_jfr_class_named(chunk, "types.FrameType");
	chunk->types->thread_state =
		fl_jfr_class_named(chunk, "types.ThreadState");
}

static void forget(struct fl_jfr_chunk *chunk)
{
	struct fl_jfr_types *types = chunk->types;

	fl_free(types->classes);
	types->classes = NULL;
	types->nclasses = 0;
	fl_map_free(&types->by_id);
	memset(&types->by_id, 0, sizeof(types->by_id));
	memset(types->small, 0, sizeof(types->small));
}

/* Over an element; its children follow. */
static uint64_t skip_element(struct fl_wire *w)
{
	uint64_t n;

	fl_wire_int(w);		/* its name */
	n = (uint64_t)fl_wire_int(w) * 2;
	while (n-- && !w->bad)
		fl_wire_int(w);
	return fl_wire_int(w);
}

bool fl_jfr_skip_meta(struct fl_wire *w)
{
	uint32_t nstrings;
	uint64_t n = 1;

	fl_wire_long(w);	/* start */
	fl_wire_long(w);	/* duration */
	fl_wire_long(w);	/* id of this metadata */
	nstrings = fl_wire_int(w);
	for (uint32_t i = 0; i < nstrings && !w->bad; i++) {
		bool key = w->at < w->end && *w->at == FL_JFR_STRING_KEY;

		fl_jfr_skip_string(w);
		w->bad |= key;	/* there are no constants yet */
	}
	while (n && !w->bad) {
		n += skip_element(w);
		n--;
	}
	return !w->bad;
}

bool fl_jfr_read_meta(struct fl_jfr_chunk *chunk, uint64_t at)
{
	struct meta m = {
		.chunk = chunk,
		.w = fl_jfr_wire(chunk, at),
		.copies = !chunk->copy &&
			  !fl_in_is_stable(chunk->jfr->source->in),
	};
	const uint8_t *begin = m.w.at;
	uint32_t size = fl_wire_int(&m.w);

	if (fl_wire_long(&m.w) != 0 || m.w.bad ||
	    !fl_wire_within(&m.w, begin, size))
		return false;
	fl_wire_long(&m.w);	/* start */
	fl_wire_long(&m.w);	/* duration */
	fl_wire_long(&m.w);	/* id of this metadata */
	forget(chunk);
	if (!read_strings(&m) || !read_tree(&m) || !chunk->types->nclasses ||
	    !link_classes(chunk, &m.damaged)) {
		forget(chunk);
		return false;
	}
	if (m.damaged || m.w.at != m.w.end)
		fl_jfr_damage(chunk, at, "damaged metadata");
	find_events(chunk);
	find_named(chunk);
	return true;
}

void fl_jfr_types_free(struct fl_jfr_types *types)
{
	fl_free(types->classes);
	fl_map_free(&types->by_id);
}
