/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Detects for otlp.c which numbers the fields of a sample have
 * (fl_otlp_layout).  1.10 renumbered them, and nothing in a message says the
 * version:
 *
 *		2		3		4
 *	1.9	values		attributes	link
 *	1.10	attributes	link		values
 *
 * So both are tried on all samples: indices must be within their tables, each
 * attribute must exist, a link is a single number, there are as many values as
 * timestamps where both exist, and one of them must exist.
 */
#include "fl.h"

#include "format/otlp/otlp.h"

static const struct fl_otlp_layout before_1_10 = { 2, 3 };
static const struct fl_otlp_layout since_1_10 = { 4, 2 };

/* Fields 2 to 5 of a sample. */
struct shape {
	size_t count[6];
	bool packed[6], repeats[6];
	uint64_t most[6];
};

struct fits {
	bool old, new;
	bool attributed;	/* some sample has a field 3 of many */
};

static void add_shape(struct fl_message sample, struct shape *shape)
{
	struct fl_numbers numbers;
	struct fl_field field;
	uint64_t value, last = 0;

	memset(shape, 0, sizeof(*shape));
	while (fl_field_next(&sample, &field)) {
		unsigned i = field.number;

		if (i < 2 || i > 5)
			continue;
		shape->packed[i] |= field.type == FL_WIRE_BYTES;
		numbers = fl_field_numbers(&field, i == SAMPLE_TIMESTAMPS ?
					   FL_WIRE_FIXED64 : FL_WIRE_VARINT);
		while (fl_number_next(&numbers, &value)) {
			shape->repeats[i] |= shape->count[i] && value == last;
			shape->most[i] = FL_MAX(shape->most[i], value);
			shape->count[i]++;
			last = value;
		}
	}
}

static bool layout_fits(const struct fl_otlp_dictionary *d,
			const struct shape *s, struct fl_otlp_layout layout)
{
	unsigned link = 9 - layout.values - layout.attributes;
	size_t values = s->count[layout.values], times = s->count[5];

	if (s->count[layout.attributes] &&
	    (s->repeats[layout.attributes] ||
	     s->most[layout.attributes] >=
	     d->tables[DICTIONARY_ATTRIBUTES].count))
		return false;
	if (s->packed[link] || s->count[link] > 1 ||
	    (s->most[link] &&
	     s->most[link] >= d->tables[DICTIONARY_LINKS].count))
		return false;
	return values || times ? !values || !times || values == times : false;
}

static void try_samples(const struct fl_otlp_dictionary *d,
			struct fl_message profile, struct fits *fits)
{
	struct fl_field field;
	struct shape shape;

	while (fl_field_next(&profile, &field)) {
		if (field.number != PROFILE_SAMPLES)
			continue;
		add_shape(fl_field_message(&field), &shape);
		fits->old = fits->old && layout_fits(d, &shape, before_1_10);
		fits->new = fits->new && layout_fits(d, &shape, since_1_10);
		fits->attributed |= shape.count[before_1_10.attributes] > 0;
	}
}

/* Every message of that number in one. */
static void try_scopes(const struct fl_otlp_dictionary *d,
		       struct fl_message scopes, struct fits *fits)
{
	struct fl_field field;

	while (fl_field_next(&scopes, &field))
		if (field.number == SCOPE_PROFILES_PROFILES)
			try_samples(d, fl_field_message(&field), fits);
}

static void try_resources(const struct fl_otlp_dictionary *d,
			  struct fl_message resources, struct fits *fits)
{
	struct fl_field field;

	while (fl_field_next(&resources, &field))
		if (field.number == RESOURCE_PROFILES_SCOPES)
			try_scopes(d, fl_field_message(&field), fits);
}

struct fl_otlp_layout
fl_otlp_layout(const struct fl_otlp_dictionary *dictionary,
	       struct fl_message data, bool *sure)
{
	struct fits fits = { .old = true, .new = true };
	struct fl_field field;

	while (fl_field_next(&data, &field))
		if (field.number == DATA_RESOURCE_PROFILES)
			try_resources(dictionary, fl_field_message(&field),
				      &fits);
	/* Attributes that nobody has: then it is not 1.9. */
	if (dictionary->tables[DICTIONARY_ATTRIBUTES].count > 1 &&
	    !fits.attributed && fits.new)
		fits.old = false;
	*sure = fits.old != fits.new;
	return fits.old && !fits.new ? before_1_10 : since_1_10;
}
