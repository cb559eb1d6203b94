/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Buffers the samples of a pprof profile (fl_pprof_add_sample, for read.c)
 * until the tables that they point to are known: those that are equal but for
 * their values are one, with the sums.  Profiles of traces have a sample for
 * each time that a stack was seen.
 */
#include "fl.h"

#include "format/pprof/pprof.h"

static bool no_memory(struct flame *flame)
{
	fl_no_memory(flame);
	return false;
}

static bool add_value(struct flame *flame, struct fl_pprof_samples *s,
		      uint64_t value)
{
	if (!fl_grow(&s->values, &s->values_capacity, s->nvalues + 1,
		     sizeof(*s->values)))
		return no_memory(flame);
	s->values[s->nvalues++] = (int64_t)value;
	return true;
}

static bool add_values(struct flame *flame, struct fl_pprof_samples *s,
		       const struct fl_field *field)
{
	struct fl_numbers numbers;
	uint64_t value;

	if (field->type == FL_WIRE_VARINT)
		return add_value(flame, s, field->value);
	numbers = fl_field_numbers(field, FL_WIRE_VARINT);
	while (fl_number_next(&numbers, &value))
		if (!add_value(flame, s, value))
			return false;
	return !numbers.packed.damaged;
}

/* Appends the sample's values to s->values, and its other fields to s->rest. */
static bool split(struct flame *flame, struct fl_pprof_samples *s,
		  const struct fl_field *sample)
{
	struct fl_message message = fl_field_message(sample);
	const uint8_t *begin = message.next;
	struct fl_field field;

	s->rest.size = 0;
	for (; fl_field_next(&message, &field); begin = message.next) {
		if (field.number != SAMPLE_VALUE)
			fl_buf_put(&s->rest, (const char *)begin,
				   (size_t)(message.next - begin));
		else if (!add_values(flame, s, &field))
			return false;
	}
	if (s->rest.failed)
		return no_memory(flame);
	return !message.damaged;
}

static struct fl_pprof_sample *find(const struct fl_pprof_samples *s,
				    uint64_t hash, size_t nvalues)
{
	uint32_t i = fl_index_first(&s->index, hash), id;
	struct slice rest = fl_buf_slice(&s->rest);

	while ((id = fl_index_next(&s->index, hash, &i))) {
		struct fl_pprof_sample *other = &s->data[id - 1];

		if (other->size == rest.size && other->nvalues == nvalues &&
		    (!rest.size ||
		     memcmp(other->rest, rest.data, rest.size) == 0))
			return other;
	}
	return NULL;
}

/* false: a sum would not fit; nothing is changed. */
static bool sum(int64_t *to, const int64_t *values, size_t n)
{
	int64_t result;

	for (size_t i = 0; i < n; i++)
		if (__builtin_add_overflow(to[i], values[i], &result))
			return false;
	for (size_t i = 0; i < n; i++)
		to[i] += values[i];
	return true;
}

static bool append(struct flame *flame, struct fl_pprof_samples *s,
		   uint64_t hash, size_t first)
{
	const char *rest = s->rest.size ?
		fl_arena_copy(&s->arena, s->rest.data, s->rest.size) : "";

	if (!rest || s->count >= UINT32_MAX - 1 ||
	    !fl_grow(&s->data, &s->capacity, s->count + 1,
		     sizeof(*s->data)) ||
	    !fl_index_add(&s->index, hash, (uint32_t)s->count + 1))
		return no_memory(flame);
	s->data[s->count++] = (struct fl_pprof_sample){
		.rest = rest, .size = s->rest.size, .first = first,
		.nvalues = s->nvalues - first, .samples = 1,
	};
	return true;
}

bool fl_pprof_add_sample(struct flame *flame, struct fl_pprof_samples *s,
			 const struct fl_field *sample, bool apart)
{
	size_t first = s->nvalues, n;
	struct fl_pprof_sample *other;
	uint64_t hash;

	if (!split(flame, s, sample)) {
		s->nvalues = first;
		return false;
	}
	n = s->nvalues - first;
	hash = fl_hash(s->rest.data, s->rest.size);
	other = apart ? NULL : find(s, hash, n);
	/* Without any value there may be no array. */
	if (!other ||
	    (n && !sum(s->values + other->first, s->values + first, n)))
		return append(flame, s, hash, first);
	other->samples++;
	s->nvalues = first;
	return true;
}

void fl_pprof_clear_samples(struct fl_pprof_samples *s)
{
	s->count = s->nvalues = 0;
	fl_index_free(&s->index);
	fl_arena_free(&s->arena);
	memset(&s->arena, 0, sizeof(s->arena));
}

void fl_pprof_free_samples(struct fl_pprof_samples *s)
{
	fl_pprof_clear_samples(s);
	fl_free(s->data);
	fl_free(s->values);
	fl_buf_free(&s->rest);
}
