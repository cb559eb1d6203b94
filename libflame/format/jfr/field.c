/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads the wanted fields of events, for event.c, timed.c and span_pass.c:
 * fl_jfr_compile() makes a list of steps for the fields that the caller names,
 * and fl_jfr_read_fields() runs it on an event and stores the numbers in
 * reader->values.
 */
#include "fl.h"

#include "format/jfr/readers.h"

const struct fl_jfr_field *fl_jfr_slot_field(const struct fl_jfr_class *class,
					     const char *name)
{
	const struct fl_jfr_field *field = fl_jfr_field_of(class, name);

	return field && field->nops == 1 && !field->array ? field : NULL;
}

static uint8_t kind_of(const struct fl_jfr_class *class,
		       const struct fl_jfr_field *field)
{
	if (!field->constant && field->class->is_float)
		return 'f';
	if (!field->constant && field->class->is_double)
		return 'd';
	return class->ops[field->op].code == FL_JFR_STRING ? 's' : 0;
}

/* The last step is one whose value is read. */
static void list_short_steps(struct fl_jfr_reader *reader)
{
	unsigned before = 0;

	for (uint32_t i = 0; i < reader->nsteps; i++) {
		if (reader->steps[i].slot < 0) {
			before++;
			continue;
		}
		reader->short_steps[reader->nshort++] =
			(struct fl_jfr_short_step){
				(uint8_t)before, (uint8_t)reader->steps[i].slot
			};
		before = 0;
	}
}

bool fl_jfr_compile(struct fl_jfr_chunk *chunk, struct fl_jfr_reader *reader,
		    const char *const names[FL_JFR_SLOTS])
{
	struct fl_jfr_class *class = reader->class;
	const struct fl_jfr_field *fields[FL_JFR_SLOTS] = { NULL };
	bool all_var = true;
	uint32_t n = 0;

	if (!fl_jfr_make_decoder(chunk, class))
		return false;
	for (unsigned i = 0; i < FL_JFR_SLOTS; i++) {
		if (names[i])
			fields[i] = fl_jfr_slot_field(class, names[i]);
		if (!fields[i])
			continue;
		reader->has[i] = true;
		reader->kind[i] = kind_of(class, fields[i]);
		n = FL_MAX(n, fields[i]->op + 1);
	}
	reader->steps = fl_arena_alloc(&chunk->arena,
				      (n + 1) * sizeof(*reader->steps));
	if (!reader->steps) {
		fl_no_memory(chunk->flame);
		return false;
	}
	reader->nsteps = n;
	for (uint32_t i = 0; i < n; i++) {
		reader->steps[i] = (struct fl_jfr_step){
			class->ops[i].code, -1, &class->ops[i]
		};
		all_var &= class->ops[i].code == FL_JFR_VAR;
	}
	for (unsigned i = 0; i < FL_JFR_SLOTS; i++)
		if (fields[i])
			reader->steps[fields[i]->op].slot = i;
	reader->leaf_field = fields[FL_JFR_LEAF] ? fields[FL_JFR_LEAF] :
			     fields[FL_JFR_OTHER];
	if (fields[FL_JFR_VALUE])
		reader->value_unit = fields[FL_JFR_VALUE]->unit;
	if (all_var && n <= FL_WIRE_SOME)
		list_short_steps(reader);
	return true;
}

/* A string is where it begins; null and the empty one are 0. */
static uint64_t read_step(const struct fl_jfr_step *step, struct fl_wire *w)
{
	const uint8_t *at = w->at;

	if (fl_likely(step->code <= FL_JFR_8))
		return fl_jfr_number(step->code, w);
	fl_jfr_skip_ops(step->op, 1, w);
	return step->code == FL_JFR_STRING && !w->bad && *at > 1 &&
	       (step->slot == FL_JFR_LEAF || step->slot == FL_JFR_OTHER) ?
		       (uintptr_t)at : 0;
}

/*
 * Steps that are all compressed integers, where enough bytes follow that none
 * of them can end past the chunk.
 */
static inline const uint8_t *run_fast(struct fl_jfr_reader *reader,
				      const uint8_t *at)
{
	const struct fl_jfr_step *step = reader->steps;
	const struct fl_jfr_step *end = step + reader->nsteps;

	for (; step < end; step++)
		at = step->slot >= 0 ?
		     fl_wire_take(at, &reader->values[step->slot]) :
		     fl_wire_pass(at);
	return at;
}

/*
 * The same within 32 bytes: the end of an integer is the beginning of the next
 * one.  Bytes after the 32 count as ends.  NULL: the fields are longer, or an
 * integer has nine bytes.
 */
static inline const uint8_t *run_by_ends(struct fl_jfr_reader *reader,
					 const uint8_t *at)
{
	const struct fl_jfr_short_step *step = reader->short_steps;
	const struct fl_jfr_short_step *end = step + reader->nshort;
	uint64_t ends = fl_wire_ends_32(at);
	unsigned begin = 0;

	if (fl_unlikely(fl_wire_is_long(ends)))
		return NULL;
	for (; step < end; step++) {
		unsigned size;

		for (unsigned n = step->before; n; n--) {
			begin = __builtin_ctzll(ends) + 1;
			ends &= ends - 1;
		}
		size = __builtin_ctzll(ends) + 1 - begin;
		reader->values[step->slot] =
			size == 1 ? at[begin] :
			fl_wire_pack_low(fl_wire_word(at + begin), size);
		begin += size;
		ends &= ends - 1;
	}
	return begin <= 32 ? at + begin : NULL;
}

_Static_assert(FL_JFR_SHORT_BYTES >= 32 + FL_WIRE_SOME + 8 &&
	       FL_JFR_SHORT_BYTES > 9 * FL_WIRE_SOME, "bytes that are read");

const uint8_t *fl_jfr_read_short(struct fl_jfr_reader *reader,
				 const uint8_t *at)
{
	const uint8_t *end = run_by_ends(reader, at);

	return fl_likely(end) ? end : run_fast(reader, at);
}

void fl_jfr_read_fields(struct fl_jfr_reader *reader, struct fl_wire *w)
{
	const struct fl_jfr_step *step = reader->steps;
	const struct fl_jfr_step *end = step + reader->nsteps;

	if (fl_likely(reader->nshort &&
		      w->end - w->at >= FL_JFR_SHORT_BYTES)) {
		w->at = fl_jfr_read_short(reader, w->at);
		return;
	}
	for (; step < end && !w->bad; step++) {
		uint64_t n = read_step(step, w);

		if (step->slot >= 0)
			reader->values[step->slot] = n;
	}
}

double fl_jfr_double(const struct fl_jfr_reader *reader, enum fl_jfr_slot slot)
{
	uint64_t n = reader->values[slot];
	uint32_t half = n;
	float f;
	double d;

	switch (reader->kind[slot]) {
	case 'f':
		memcpy(&f, &half, sizeof(f));
		return f;
	case 'd':
		memcpy(&d, &n, sizeof(d));
		return d;
	}
	return (double)(int64_t)n;
}

int64_t fl_jfr_span_ns(const struct fl_jfr_chunk *chunk, uint8_t unit,
		       int64_t value)
{
	switch (unit) {
	case FL_JFR_US:
		return fl_mul_clamped(value, 1000);
	case FL_JFR_MS:
		return fl_mul_clamped(value, 1000000);
	case FL_JFR_S:
		return fl_mul_clamped(value, 1000000000);
	case FL_JFR_TICKS:
		return fl_int64((double)value *
				(1e9 / (double)chunk->header.ticks_per_second));
	}
	return value;
}
