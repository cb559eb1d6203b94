/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Constants as text, by their keys in the pools: strings, symbols, names of
 * classes and methods.  Also as ids of the dictionary: threads as label sets,
 * states as names, classes as leaf frames.  For frame.c, hit.c, info.c and
 * others.
 */
#include "fl.h"

#include "dict/java.h"
#include "format/jfr/pools.h"

#include <inttypes.h>
#include <stdio.h>

/* Constants that name constants: cyclic ones end here. */
enum { MAX_DEPTH = 8 };

static const struct slice null_text;

static struct slice constant_text(struct fl_jfr_chunk *chunk,
				  struct fl_jfr_class *class, uint64_t key,
				  unsigned depth);

static struct slice read_string(struct fl_jfr_chunk *chunk, struct fl_wire *w,
				unsigned depth)
{
	uint8_t kind = fl_wire_fixed(w, 1);

	return kind != FL_JFR_STRING_KEY ?
	       fl_jfr_read_string(chunk, w, kind) :
	       constant_text(chunk, chunk->types->string, fl_wire_long(w),
			     depth);
}

/* A value at w: a key, a string, or a struct whose only field is text. */
static struct slice field_text(struct fl_jfr_chunk *chunk,
			       const struct fl_jfr_field *field,
			       struct fl_wire *w, unsigned depth)
{
	if (depth > MAX_DEPTH || !field->class || field->array)
		return null_text;
	if (field->constant)
		return constant_text(chunk, field->class, fl_wire_long(w),
				     depth + 1);
	if (field->class->is_string)
		return read_string(chunk, w, depth + 1);
	if (field->class->nfields == 1)
		return field_text(chunk, &field->class->fields[0], w,
				  depth + 1);
	return null_text;
}

/* A string stored in full, as most are. */
static bool plain_text(const struct fl_wire *w, struct slice *text)
{
	const uint8_t *at = w->at;
	uint64_t n;

	if (!w->compressed || w->end - at < 10 || *at != 3)
		return false;
	at = fl_wire_take(at + 1, &n);
	if (n > (uint64_t)(w->end - at) || fl_jfr_is_modified(at, n))
		return false;
	*text = (struct slice){ (const char *)at, n };
	return true;
}

/* The first field that is text: a Symbol's string, a state's name. */
static struct slice constant_text(struct fl_jfr_chunk *chunk,
				  struct fl_jfr_class *class, uint64_t key,
				  unsigned depth)
{
	struct slice text;
	struct fl_wire w;

	if (depth > MAX_DEPTH || !fl_jfr_constant(chunk, class, key, &w))
		return null_text;
	if (fl_likely(class->text && plain_text(&w, &text)))
		return text;
	if (class->is_string && !class->nfields)
		return read_string(chunk, &w, depth + 1);
	if (!class->nfields || !fl_jfr_make_decoder(chunk, class))
		return null_text;
	return field_text(chunk, &class->fields[0], &w, depth + 1);
}

struct slice fl_jfr_text(struct fl_jfr_chunk *chunk,
			 const struct fl_jfr_field *field, struct fl_wire *w)
{
	return field_text(chunk, field, w, 0);
}

struct slice fl_jfr_constant_text(struct fl_jfr_chunk *chunk,
				  struct fl_jfr_class *class, uint64_t key)
{
	return constant_text(chunk, class, key, 0);
}

static const struct fl_jfr_field *seek(struct fl_jfr_chunk *chunk,
				       const struct fl_jfr_class *class,
				       uint64_t key, const char *name,
				       struct fl_wire *w)
{
	const struct fl_jfr_field *field = fl_jfr_field_of(class, name);

	return field && fl_jfr_constant(chunk, class, key, w) &&
	       fl_jfr_seek(class, field, w) ? field : NULL;
}

struct slice fl_jfr_field_text(struct fl_jfr_chunk *chunk,
			       const struct fl_jfr_class *class, uint64_t key,
			       const char *name)
{
	struct fl_wire w;
	const struct fl_jfr_field *field = seek(chunk, class, key, name, &w);

	return field ? field_text(chunk, field, &w, 0) : null_text;
}

bool fl_jfr_field_number(struct fl_jfr_chunk *chunk,
			 const struct fl_jfr_class *class, uint64_t key,
			 const char *name, uint64_t *n)
{
	struct fl_wire w;
	const struct fl_jfr_field *field = seek(chunk, class, key, name, &w);

	return field && fl_jfr_read_number(class, field, &w, n);
}

/* Threads, states ------------------------------------------------------ */

/* jfrconv's "[name tid=KEY]", where an empty name counts as a name. */
static flame_id compat_thread(struct flame *flame, flame_id set,
			      struct slice name, uint64_t key)
{
	struct fl_buf buf = { 0 };

	if (!name.data)
		fl_buf_print(&buf, "[tid=%" PRIu64 "]", key);
	else if (fl_slice_starts(name, "[tid="))
		fl_buf_put(&buf, name.data, name.size);
	else {
		fl_buf_byte(&buf, '[');
		fl_buf_put(&buf, name.data, name.size);
		fl_buf_print(&buf, " tid=%" PRIu64 "]", key);
	}
	set = flame_label(flame, set, fl_name(flame, "thread-frame"),
			  flame_name(flame, buf.data, buf.size));
	fl_buf_free(&buf);
	return set;
}

struct fl_jfr_chunk *fl_jfr_stand_in(struct fl_jfr_chunk *chunk)
{
	return chunk->damage.salvaged && fl_jfr_goes_on(chunk) ?
		       chunk->jfr->before :
		       NULL;
}

uint64_t fl_jfr_tid(struct fl_jfr_chunk *chunk, uint64_t key)
{
	struct fl_jfr_class *class = chunk->types->thread;
	uint64_t tid;

	if ((fl_jfr_field_number(chunk, class, key, "osThreadId", &tid) &&
	     tid) ||
	    (fl_jfr_field_number(chunk, class, key, "javaThreadId", &tid) &&
	     tid))
		return tid;
	return key;
}

static flame_id make_thread(struct fl_jfr_chunk *chunk, uint64_t key)
{
	struct flame *flame = chunk->flame;
	struct fl_jfr_class *class = chunk->types->thread;
	struct slice name = fl_jfr_field_text(chunk, class, key, "javaName");
	bool compat = fl_jfr_options(chunk->jfr)->compat;
	struct fl_jfr_chunk *other = fl_jfr_stand_in(chunk);
	struct fl_wire w;
	flame_id set;

	if (other && !fl_jfr_constant(chunk, class, key, &w))
		return fl_jfr_thread(other, key);
	if (!name.data || (!compat && !name.size))
		name = fl_jfr_field_text(chunk, class, key, "osName");
	set = fl_thread(flame, name, compat ? key : fl_jfr_tid(chunk, key));
	return compat ? compat_thread(flame, set, name, key) : set;
}

flame_id fl_jfr_thread(struct fl_jfr_chunk *chunk, uint64_t key)
{
	bool fresh;
	uint64_t *at = fl_jfr_cached(chunk, &chunk->pools->threads, key, &fresh);

	if (at && fresh)
		*at = make_thread(chunk, key);
	return at ? *at : 0;
}

flame_id fl_jfr_state(struct fl_jfr_chunk *chunk, uint64_t key)
{
	bool fresh;
	uint64_t *at = fl_jfr_cached(chunk, &chunk->pools->states, key, &fresh);

	if (at && fresh) {
		struct fl_jfr_chunk *other = fl_jfr_stand_in(chunk);
		struct slice text = fl_jfr_constant_text(
			chunk, chunk->types->thread_state, key);

		if (!text.data && other)
			text = fl_jfr_constant_text(
				other, other->types->thread_state, key);
		*at = flame_name(chunk->flame, text.data,
				 text.size);
	}
	return at ? *at : 0;
}

/* Classes, methods ------------------------------------------------------ */

void fl_jfr_put_class(struct fl_buf *buf, struct slice symbol)
{
	static const char letters[] = "BCSIJZFD";
	static const char *const words[] = {
		"byte", "char", "short", "int", "long", "boolean", "float",
		"double"
	};
	size_t depth = 0, from;
	const char *letter;

	while (depth < symbol.size && symbol.data[depth] == '[')
		depth++;
	symbol.data += depth;
	symbol.size -= depth;
	from = buf->size;
	letter = depth && symbol.size ? strchr(letters, symbol.data[0]) : NULL;
	if (letter && *letter) {
		fl_buf_text(buf, words[letter - letters]);
	} else {
		if (depth && symbol.size > 1 && symbol.data[0] == 'L') {
			symbol.data++;
			symbol.size -= 2;
		}
		fl_buf_put(buf, symbol.data, symbol.size);
		for (size_t i = from; buf->data && i < buf->size; i++)
			if (buf->data[i] == '/')
				buf->data[i] = '.';
	}
	while (depth--)
		fl_buf_text(buf, "[]");
}

static flame_id make_leaf(struct fl_jfr_chunk *chunk, uint64_t key,
			  bool outside)
{
	struct flame *flame = chunk->flame;
	struct slice symbol = fl_jfr_field_text(chunk, chunk->types->class, key,
						"name");
	struct flame_frame frame = {
		.file = chunk->jfr->class_mark,
		.type = outside ? FLAME_KERNEL : FLAME_INLINED,
	};
	struct fl_buf buf = { 0 };

	/* An event that began before this chunk may mean that one's class. */
	if (!symbol.data && fl_jfr_goes_on(chunk))
		symbol = fl_jfr_field_text(chunk->jfr->before,
					   chunk->jfr->before->types->class,
					   key, "name");
	if (symbol.data && fl_jfr_options(chunk->jfr)->compat &&
	    memchr(symbol.data, '.', symbol.size))
		frame.file = chunk->jfr->dotted_class_mark;
	if (symbol.data)
		fl_jfr_put_class(&buf, symbol);
	else
		fl_buf_text(&buf, fl_jfr_options(chunk->jfr)->compat ?
				  "null" : "[unknown class]");
	if (buf.failed)
		fl_no_memory(flame);
	frame.name = flame_name(flame, buf.data, buf.size);
	fl_buf_free(&buf);
	return flame_frame(flame, &frame);
}

flame_id fl_jfr_leaf(struct fl_jfr_chunk *chunk, uint64_t key, bool outside)
{
	bool fresh;
	uint64_t *at = fl_jfr_cached(chunk, &chunk->pools->leaves[outside], key, &fresh);

	if (at && fresh)
		*at = make_leaf(chunk, key, outside);
	return at ? *at : 0;
}

bool fl_jfr_has_class(struct fl_jfr_chunk *chunk, uint64_t key)
{
	const struct fl_jfr_chunk *before = chunk->jfr->before;

	return fl_jfr_field_text(chunk, chunk->types->class, key, "name")
		       .data ||
	       (fl_jfr_goes_on(chunk) &&
		fl_jfr_field_text(chunk->jfr->before, before->types->class, key,
				  "name")
			.data);
}
