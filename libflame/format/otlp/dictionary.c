/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Stores the dictionary of an OTLP message ProfilesData (fl_otlp_add): tables
 * of strings, functions, locations, stacks and attributes, to whose entries
 * samples point by index.  For otlp.c it returns what an index means: a text, a
 * stack of our dictionary (looked up once), labels and the thread.
 */
#include "fl.h"

#include "format/otlp/otlp.h"
#include "native/frame.h"

#include <inttypes.h>
#include <stdio.h>

/* Tables -------------------------------------------------------------- */

bool fl_otlp_add(struct fl_otlp_dictionary *dictionary,
		 struct fl_message message)
{
	struct fl_otlp_table *table;
	struct fl_field field;

	while (fl_field_next(&message, &field)) {
		if (field.number >= DICTIONARY_TABLES ||
		    field.type != FL_WIRE_BYTES)
			continue;
		table = &dictionary->tables[field.number];
		if (!fl_grow(&table->data, &table->capacity, table->count + 1,
			     sizeof(*table->data)))
			return fl_no_memory(dictionary->flame) == FLAME_OK;
		table->data[table->count++] = (struct fl_otlp_entry){
			.message = fl_field_message(&field) };
	}
	return true;
}

void fl_otlp_clear(struct fl_otlp_dictionary *dictionary)
{
	for (size_t i = 0; i < DICTIONARY_TABLES; i++)
		dictionary->tables[i].count = 0;
}

void fl_otlp_free(struct fl_otlp_dictionary *dictionary)
{
	for (size_t i = 0; i < DICTIONARY_TABLES; i++)
		fl_free(dictionary->tables[i].data);
	fl_free(dictionary->locations);
	fl_buf_free(&dictionary->buf);
}

static struct fl_otlp_entry *entry_at(const struct fl_otlp_dictionary *d,
				      unsigned table, uint64_t index)
{
	return index < d->tables[table].count ?
	       &d->tables[table].data[index] : NULL;
}

uint64_t fl_otlp_number(struct fl_message message, uint32_t number)
{
	struct fl_field field;
	uint64_t value = 0;

	while (fl_field_next(&message, &field))
		if (field.number == number && field.type != FL_WIRE_BYTES)
			value = field.value;
	return value;
}

static struct slice text_of(const struct fl_otlp_entry *string)
{
	const struct fl_message *m = &string->message;

	return (struct slice){ (const char *)m->next,
			       (size_t)(m->end - m->next) };
}

bool fl_otlp_text(const struct fl_otlp_dictionary *dictionary,
		  uint64_t index, struct slice *text)
{
	const struct fl_otlp_entry *string =
		entry_at(dictionary, DICTIONARY_STRINGS, index);

	if (string)
		*text = text_of(string);
	return string;
}

static bool name_at(struct fl_otlp_dictionary *d, uint64_t index,
		    flame_id *name)
{
	struct fl_otlp_entry *string = entry_at(d, DICTIONARY_STRINGS, index);
	struct slice text;

	if (!string)
		return false;
	if (!string->id) {
		text = text_of(string);
		string->id = flame_name(d->flame, text.data, text.size);
	}
	*name = string->id;
	return true;
}

/* Frames -------------------------------------------------------------- */

/* The value of profile.frame.type; other languages have no suffix. */
static enum flame_type type_of(struct fl_otlp_dictionary *d,
			       struct fl_message location)
{
	struct fl_numbers numbers;
	struct fl_field field;
	const struct fl_otlp_entry *attribute;
	struct fl_message any;
	struct slice key;
	uint64_t index;

	while (fl_field_next(&location, &field)) {
		if (field.number != LOCATION_ATTRIBUTES)
			continue;
		numbers = fl_field_numbers(&field, FL_WIRE_VARINT);
		while (fl_number_next(&numbers, &index)) {
			attribute = entry_at(d, DICTIONARY_ATTRIBUTES, index);
			if (!attribute ||
			    !fl_otlp_text(d, fl_otlp_number(attribute->message,
							    KEY_VALUE_KEY),
					  &key) ||
			    !fl_slice_is(key, "profile.frame.type"))
				continue;
			any = attribute->message;
			while (fl_field_next(&any, &field))
				if (field.number == KEY_VALUE_VALUE &&
				    memmem(field.bytes, field.value, "kernel",
					   6))
					return FLAME_KERNEL;
			return FLAME_UNKNOWN;
		}
	}
	return FLAME_UNKNOWN;
}

static flame_id frame_named(struct fl_otlp_dictionary *d,
			    enum flame_type type)
{
	flame_id name = flame_name(d->flame, d->buf.data, d->buf.size);

	if (d->buf.failed)
		fl_no_memory(d->flame);
	return fl_frame(d->flame, name, type);
}

/* A location without a function. */
static flame_id address_frame(struct fl_otlp_dictionary *d,
			      struct fl_message location,
			      enum flame_type type)
{
	uint64_t address = fl_otlp_number(location, LOCATION_ADDRESS);
	const struct fl_otlp_entry *mapping =
		entry_at(d, DICTIONARY_MAPPINGS,
			 fl_otlp_number(location, LOCATION_MAPPING));
	struct slice file = { "", 0 };

	if (mapping)
		fl_otlp_text(d, fl_otlp_number(mapping->message,
					       MAPPING_FILENAME), &file);
	d->buf.size = 0;
	fl_put_unnamed(&d->buf, file, address);
	d->unnamed++;
	return frame_named(d, type);
}

/* The system_name that we write: the name with the suffix of its type. */
static enum flame_type written_type(struct slice name, struct slice system)
{
	enum flame_type type;
	struct slice bare = fl_split_type(system, &type);

	return bare.size == name.size &&
	       memcmp(bare.data, name.data, name.size) == 0 ? type :
							  FLAME_UNKNOWN;
}

static bool line_frame(struct fl_otlp_dictionary *d, struct fl_message line,
		       enum flame_type type, flame_id *id)
{
	const struct fl_otlp_entry *function =
		entry_at(d, DICTIONARY_FUNCTIONS,
			 fl_otlp_number(line, LINE_FUNCTION));
	uint64_t number = fl_otlp_number(line, LINE_LINE);
	struct flame_frame frame = { .type = type };
	struct slice name, system;

	if (!function ||
	    !name_at(d, fl_otlp_number(function->message, FUNCTION_NAME),
		     &frame.name) ||
	    !name_at(d, fl_otlp_number(function->message, FUNCTION_FILENAME),
		     &frame.file))
		return false;
	if (!frame.name &&
	    !name_at(d, fl_otlp_number(function->message,
				       FUNCTION_SYSTEM_NAME), &frame.name))
		return false;
	name = fl_name_at(d->flame, frame.name);
	if (type == FLAME_UNKNOWN &&
	    fl_otlp_text(d, fl_otlp_number(function->message,
					   FUNCTION_SYSTEM_NAME), &system))
		type = frame.type = written_type(name, system);
	*id = flame_frame(d->flame, &frame);
	if (!d->lines || !number)
		return true;
	d->buf.size = 0;
	fl_buf_put(&d->buf, name.data, name.size);
	fl_buf_print(&d->buf, ":%" PRIu64, number);
	*id = frame_named(d, type);
	return true;
}

/* The first line is the innermost frame: intern the others before it. */
static bool push_lines(struct fl_otlp_dictionary *d,
		       struct fl_message location, enum flame_type type,
		       flame_id *stack)
{
	flame_id frames[64];
	struct fl_message fields = location;
	struct fl_field field;
	size_t n = 0;

	while (fl_field_next(&fields, &field)) {
		if (field.number != LOCATION_LINES)
			continue;
		if (!fl_frames_allowed(d->source, 1))
			return false;
		if (n == FL_COUNT(frames))
			continue;
		if (!line_frame(d, fl_field_message(&field), type,
				&frames[n++]))
			return false;
	}
	if (!n)
		frames[n++] = address_frame(d, location, type);
	while (n)
		*stack = flame_stack(d->flame, *stack, frames[--n]);
	return true;
}

static bool push_location(struct fl_otlp_dictionary *d, uint64_t index,
			  flame_id *stack)
{
	const struct fl_otlp_entry *location =
		entry_at(d, DICTIONARY_LOCATIONS, index);
	struct fl_message message;

	if (!location)
		return false;
	message = location->message;
	return push_lines(d, message, type_of(d, message), stack);
}

/* Leaf first. */
static bool look_up(struct fl_otlp_dictionary *d, struct fl_message message,
		    flame_id *stack)
{
	struct fl_numbers numbers;
	struct fl_field field;
	uint64_t index;
	size_t n = 0;

	while (fl_field_next(&message, &field)) {
		if (field.number != STACK_LOCATIONS)
			continue;
		numbers = fl_field_numbers(&field, FL_WIRE_VARINT);
		while (fl_number_next(&numbers, &index)) {
			if (!fl_grow(&d->locations, &d->locations_capacity,
				     n + 1, sizeof(*d->locations)))
				return fl_no_memory(d->flame) == FLAME_OK;
			d->locations[n++] = index;
		}
	}
	*stack = 0;
	while (n)
		if (!push_location(d, d->locations[--n], stack))
			return false;
	return true;
}

bool fl_otlp_stack(struct fl_otlp_dictionary *dictionary, uint64_t index,
		   flame_id *stack)
{
	struct fl_otlp_entry *entry =
		entry_at(dictionary, DICTIONARY_STACKS, index);

	if (!entry)
		return false;
	if (!entry->known) {
		entry->known = true;
		entry->bad = !look_up(dictionary, entry->message, &entry->id);
	}
	*stack = entry->id;
	return !entry->bad;
}

/* Attributes ---------------------------------------------------------- */

static bool value_name(struct fl_otlp_dictionary *d, struct fl_message any,
		       flame_id *name)
{
	struct fl_field field;
	struct slice text;
	char number[24];

	*name = 0;
	while (fl_field_next(&any, &field)) {
		switch (field.number) {
		case ANY_STRING:
			text = fl_field_text(&field);
			*name = flame_name(d->flame, text.data, text.size);
			break;
		case ANY_BOOL:
			*name = fl_name(d->flame,
					field.value ? "true" : "false");
			break;
		case ANY_INT:
			snprintf(number, sizeof(number), "%" PRId64,
				 (int64_t)field.value);
			*name = fl_name(d->flame, number);
			break;
		case ANY_STRING_INDEX:
			if (!name_at(d, field.value, name))
				return false;
			break;
		}
	}
	return true;
}

static void add_label(struct fl_otlp_dictionary *d, flame_id key,
		      flame_id value, struct fl_otlp_labels *labels)
{
	struct flame *flame = d->flame;
	struct slice text = fl_name_at(flame, key);

	if (fl_slice_is(text, "thread.name"))
		labels->thread = fl_named_thread(flame, labels->thread,
						 fl_name_at(flame, value));
	else if (fl_slice_is(text, "thread.id"))
		labels->thread = flame_label(flame, labels->thread,
					     fl_name(flame, "tid"), value);
	else if (fl_slice_is(text, "process.pid"))
		labels->thread = flame_label(flame, labels->thread,
					     fl_name(flame, "pid"), value);
	else if (fl_slice_is(text, "thread-in-stack") ||
		 fl_slice_is(text, "thread-frame"))
		/* Ours: the frame of the thread, which may be in the stack. */
		labels->thread = flame_label(flame, labels->thread, key,
					     value);
	else
		labels->labels = flame_label(flame, labels->labels, key,
					     value);
}

bool fl_otlp_attribute(struct fl_otlp_dictionary *dictionary,
		       struct fl_message key_value, bool indexed,
		       struct fl_otlp_labels *labels)
{
	struct fl_field field;
	flame_id key = 0, value = 0;
	struct slice text;

	while (fl_field_next(&key_value, &field)) {
		if (field.number == KEY_VALUE_VALUE) {
			if (!value_name(dictionary, fl_field_message(&field),
					&value))
				return false;
		} else if (field.number == KEY_VALUE_KEY && !indexed) {
			text = fl_field_text(&field);
			key = flame_name(dictionary->flame, text.data,
					 text.size);
		} else if (field.number == (indexed ? KEY_VALUE_KEY :
						      KEY_VALUE_KEY_INDEX)) {
			if (!name_at(dictionary, field.value, &key))
				return false;
		}
	}
	if (key && value)
		add_label(dictionary, key, value, labels);
	return true;
}

bool fl_otlp_attribute_at(struct fl_otlp_dictionary *dictionary,
			  uint64_t index, struct fl_otlp_labels *labels)
{
	const struct fl_otlp_entry *attribute =
		entry_at(dictionary, DICTIONARY_ATTRIBUTES, index);

	return attribute && fl_otlp_attribute(dictionary, attribute->message,
					      true, labels);
}
