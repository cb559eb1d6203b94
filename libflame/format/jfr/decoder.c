/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Decoders: fl_jfr_make_decoder() makes of a class in the metadata a flat list
 * of steps.  Structs within are unfolded; only the elements of an array have a
 * decoder of their own.  fl_jfr_skip() passes over a value by its steps, and
 * fl_jfr_seek() moves to one of its fields.  Used wherever events and constants
 * are read.
 */
#include "fl.h"

#include "format/jfr/types.h"

#include <stdlib.h>

/* Structs nest a level or two; more than this is a class in itself. */
enum { MAX_DEPTH = 16, MAX_OPS = 4096 };

struct maker {
	struct fl_jfr_chunk *chunk;
	struct fl_jfr_op *ops;
	size_t count, capacity;
	unsigned depth;
};

static bool add(struct maker *p, struct fl_jfr_op op)
{
	if (p->count >= MAX_OPS)
		return false;
	if (!fl_grow(&p->ops, &p->capacity, p->count + 1, sizeof(*p->ops))) {
		fl_no_memory(p->chunk->flame);
		return false;
	}
	p->ops[p->count++] = op;
	return true;
}

/* The code of a primitive; FL_JFR_ARRAY: it is none. */
static uint8_t primitive(const struct fl_jfr_chunk *chunk,
			 const struct fl_jfr_class *class)
{
	static const struct {
		const char *name;
		uint8_t packed, raw;
	} codes[] = {
		{ "boolean", FL_JFR_1, FL_JFR_1 },
		{ "byte", FL_JFR_1, FL_JFR_1 },
		{ "char", FL_JFR_VAR, FL_JFR_2 },
		{ "short", FL_JFR_VAR, FL_JFR_2 },
		{ "int", FL_JFR_VAR, FL_JFR_4 },
		{ "long", FL_JFR_VAR, FL_JFR_8 },
		{ "float", FL_JFR_4, FL_JFR_4 },
		{ "double", FL_JFR_8, FL_JFR_8 },
		{ "java.lang.String", FL_JFR_STRING, FL_JFR_STRING },
	};

	if (class->nfields)
		return FL_JFR_ARRAY;
	for (size_t i = 0; i < FL_COUNT(codes); i++)
		if (fl_slice_is(class->name, codes[i].name))
			return chunk->header.compressed ? codes[i].packed :
						   codes[i].raw;
	return FL_JFR_ARRAY;
}

static bool unfold(struct maker *p, struct fl_jfr_class *class, bool top);

static bool add_array(struct maker *p, const struct fl_jfr_field *field)
{
	struct fl_jfr_op op = { .code = FL_JFR_ARRAY };

	if (field->constant)
		op.element =
			p->chunk->header.compressed ? FL_JFR_VAR : FL_JFR_8;
	else
		op.element = primitive(p->chunk, field->class);
	if (op.element == FL_JFR_ARRAY) {
		op.class = field->class;
		if (!fl_jfr_make_decoder(p->chunk, op.class) &&
		    op.class->decoder != FL_JFR_MAKING_DECODER)
			return false;
	}
	return add(p, op);
}

static bool add_field(struct maker *p, struct fl_jfr_field *field)
{
	uint8_t code;

	if (field->constant && !field->array)
		return add(p, (struct fl_jfr_op){
				      .code = p->chunk->header.compressed ?
						      FL_JFR_VAR :
						      FL_JFR_8 });
	if (!field->class && !field->constant)
		return false;
	if (field->array)
		return add_array(p, field);
	code = primitive(p->chunk, field->class);
	if (code != FL_JFR_ARRAY)
		return add(p, (struct fl_jfr_op){ .code = code });
	return unfold(p, field->class, false);
}

/* Self-containing structs end at MAX_DEPTH. */
static bool unfold(struct maker *p, struct fl_jfr_class *class, bool top)
{
	bool good = true;

	if (++p->depth > MAX_DEPTH)
		return false;
	for (uint32_t i = 0; i < class->nfields && good; i++) {
		struct fl_jfr_field *field = &class->fields[i];
		size_t first = p->count;

		good = add_field(p, field);
		if (top) {
			field->op = first;
			field->nops = p->count - first;
		}
	}
	p->depth--;
	return good;
}

bool fl_jfr_make_decoder(struct fl_jfr_chunk *chunk, struct fl_jfr_class *class)
{
	struct maker p = { .chunk = chunk };
	uint8_t code;

	if (class->decoder != FL_JFR_NO_DECODER)
		return class->decoder == FL_JFR_DECODER;
	class->decoder = FL_JFR_MAKING_DECODER;
	code = primitive(chunk, class);
	if (code != FL_JFR_ARRAY ?
	    !add(&p, (struct fl_jfr_op){ .code = code }) :
	    !unfold(&p, class, true)) {
		fl_free(p.ops);
		class->decoder = FL_JFR_ENDLESS;
		return false;
	}
	class->ops = fl_arena_alloc(&chunk->arena,
				    (p.count + 1) * sizeof(*class->ops));
	if (!class->ops) {
		fl_free(p.ops);
		class->decoder = FL_JFR_ENDLESS;
		fl_no_memory(chunk->flame);
		return false;
	}
	if (p.count)
		memcpy(class->ops, p.ops, p.count * sizeof(*class->ops));
	class->ops[p.count] =
		(struct fl_jfr_op){ 0 }; /* of an empty last field */
	fl_free(p.ops);
	class->nops = p.count;
	while (class->nvars < p.count &&
	       class->ops[class->nvars].code == FL_JFR_VAR)
		class->nvars++;
	class->all_var = class->nvars == p.count;
	class->text = p.count == 1 && class->ops[0].code == FL_JFR_STRING;
	class->decoder = FL_JFR_DECODER;
	return true;
}

static void skip_primitive(uint8_t code, struct fl_wire *w)
{
	switch (code) {
	case FL_JFR_VAR:
		if (fl_likely(w->end - w->at >= 9))
			w->at = fl_wire_pass(w->at);
		else
			fl_wire_varint_slow(w);
		return;
	case FL_JFR_1:
		fl_wire_skip(w, 1);
		return;
	case FL_JFR_2:
		fl_wire_skip(w, 2);
		return;
	case FL_JFR_4:
		fl_wire_skip(w, 4);
		return;
	case FL_JFR_8:
		fl_wire_skip(w, 8);
		return;
	case FL_JFR_STRING:
		fl_jfr_skip_string(w);
		return;
	}
}

/* Arrays of arrays of arrays: none in the wild. */
static void skip_array(const struct fl_jfr_op *op, struct fl_wire *w,
		       unsigned depth);

static void skip_ops(const struct fl_jfr_op *ops, uint32_t n,
		     struct fl_wire *w, unsigned depth)
{
	for (uint32_t i = 0; i < n && !w->bad; i++) {
		if (fl_unlikely(ops[i].code == FL_JFR_ARRAY))
			skip_array(&ops[i], w, depth + 1);
		else
			skip_primitive(ops[i].code, w);
	}
}

static void skip_array(const struct fl_jfr_op *op, struct fl_wire *w,
		       unsigned depth)
{
	uint32_t n = fl_wire_int(w);

	if (depth > MAX_DEPTH || n > (uint64_t)(w->end - w->at)) {
		w->bad = w->bad || n != 0;
		return;
	}
	if (op->class && op->class->decoder != FL_JFR_DECODER) {
		w->bad = true;
		return;
	}
	if (op->class && op->class->all_var && w->compressed) {
		fl_wire_skip_varints(w, (uint64_t)n * op->class->nops);
		return;
	}
	for (uint32_t i = 0; i < n && !w->bad; i++) {
		if (op->class)
			skip_ops(op->class->ops, op->class->nops, w, depth);
		else
			skip_primitive(op->element, w);
	}
}

void fl_jfr_skip_ops(const struct fl_jfr_op *ops, uint32_t n,
		     struct fl_wire *w)
{
	skip_ops(ops, n, w, 0);
}

void fl_jfr_skip(const struct fl_jfr_class *class, struct fl_wire *w)
{
	uint32_t n = class->nvars;
	const uint8_t *at = NULL;

	if (class->text) {
		fl_jfr_skip_string(w);
		return;
	}
	if (fl_likely(n && n <= FL_WIRE_SOME && w->end - w->at >= 32))
		at = fl_wire_pass_some(w->at, n);
	if (at)
		w->at = at;
	else
		n = 0;
	skip_ops(class->ops + n, class->nops - n, w, 0);
}

bool fl_jfr_seek(const struct fl_jfr_class *class,
		 const struct fl_jfr_field *field, struct fl_wire *w)
{
	skip_ops(class->ops, field->op, w, 0);
	return !w->bad;
}

bool fl_jfr_read_number(const struct fl_jfr_class *class,
			const struct fl_jfr_field *field, struct fl_wire *w,
			uint64_t *n)
{
	if (field->nops != 1 || class->ops[field->op].code > FL_JFR_8)
		return false;
	*n = fl_jfr_number(class->ops[field->op].code, w);
	return !w->bad;
}
