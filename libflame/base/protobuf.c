/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Protocol Buffers' wire format: fl_field_next() reads a message field by
 * field, fl_put_number(), fl_put_bytes() and others append fields to a buffer.
 * For pprof and OTLP, among others; protobuf.h has the fast paths inline.
 */
#include "fl.h"

#include "base/protobuf.h"

enum { MAX_NUMBER = (1 << 29) - 1 };

bool fl_varint_long(struct fl_message *message, uint64_t *value)
{
	const uint8_t *next = message->next;
	uint64_t v = 0;

	for (unsigned shift = 0; shift < 64 && next < message->end;
	     shift += 7) {
		uint8_t byte = *next++;

		v |= (uint64_t)(byte & 0x7f) << shift;
		if (byte < 0x80) {
			/* The tenth byte has one bit left. */
			if (shift == 63 && byte > 1)
				break;
			message->next = next;
			*value = v;
			return true;
		}
	}
	message->damaged = true;
	return false;
}

static bool read_fixed(struct fl_message *message, unsigned size,
		       uint64_t *value)
{
	uint64_t v = 0;

	if ((size_t)(message->end - message->next) < size)
		return false;
	for (unsigned i = 0; i < size; i++)
		v |= (uint64_t)message->next[i] << 8 * i;
	message->next += size;
	*value = v;
	return true;
}

static bool read_bytes(struct fl_message *message, struct fl_field *field)
{
	if (!fl_varint(message, &field->value) ||
	    field->value > (size_t)(message->end - message->next))
		return false;
	field->bytes = message->next;
	message->next += field->value;
	return true;
}

/* A tag: number and type of the value that follows. */
static bool read_tag(struct fl_message *message, struct fl_field *field)
{
	uint64_t tag;

	if (!fl_varint(message, &tag) || tag >> 3 == 0 ||
	    tag >> 3 > MAX_NUMBER)
		return false;
	field->number = (uint32_t)(tag >> 3);
	field->type = tag & 7;
	return true;
}

static bool read_value(struct fl_message *message, struct fl_field *field)
{
	switch (field->type) {
	case FL_WIRE_VARINT:
		return fl_varint(message, &field->value);
	case FL_WIRE_FIXED64:
		return read_fixed(message, 8, &field->value);
	case FL_WIRE_BYTES:
		return read_bytes(message, field);
	case FL_WIRE_FIXED32:
		return read_fixed(message, 4, &field->value);
	case FL_WIRE_BEGIN_GROUP:
	case FL_WIRE_END_GROUP:
		break;
	}
	return false;
}

/* Skips the rest of a group with the groups in it. */
static bool skip_group(struct fl_message *message)
{
	struct fl_field field;
	size_t depth = 1;

	while (depth) {
		if (!read_tag(message, &field))
			return false;
		if (field.type == FL_WIRE_BEGIN_GROUP)
			depth++;
		else if (field.type == FL_WIRE_END_GROUP)
			depth--;
		else if (!read_value(message, &field))
			return false;
	}
	return true;
}

/* Reads any field. */
static bool read_field(struct fl_message *message, struct fl_field *field)
{
	while (message->next < message->end && !message->damaged) {
		const uint8_t *begin = message->next;
		bool group, good = read_tag(message, field);

		group = good && field->type == FL_WIRE_BEGIN_GROUP;
		if (good)
			good = group ? skip_group(message) :
				       read_value(message, field);
		if (!good) {
			message->damaged = true;
			message->next = begin;
			return false;
		}
		if (!group)
			return true;
	}
	return false;
}

/* A tag of one byte, and bytes with a size of one byte or a short number. */
static inline bool read_short(struct fl_message *message,
			      struct fl_field *field)
{
	const uint8_t *next = message->next;
	size_t left = (size_t)(message->end - next);

	if (left <= 2 || message->damaged || next[0] <= 7 || next[0] >= 0x80)
		return false;
	field->number = next[0] >> 3;
	field->type = next[0] & 7;
	if (field->type == FL_WIRE_BYTES && next[1] < 0x80 &&
	    next[1] <= left - 2) {
		field->value = next[1];
		field->bytes = next + 2;
		message->next = next + 2 + next[1];
		return true;
	}
	if (field->type == FL_WIRE_VARINT) {
		message->next++;
		if (fl_varint_short(message, &field->value))
			return true;
		message->next = next;
	}
	return false;
}

bool fl_field_next(struct fl_message *message, struct fl_field *field)
{
	return fl_likely(read_short(message, field)) ||
	       read_field(message, field);
}

bool fl_number_other(struct fl_numbers *numbers, uint64_t *value)
{
	struct fl_message *packed = &numbers->packed;

	if (numbers->one) {
		numbers->one = false;
		*value = numbers->value;
		return true;
	}
	if (packed->next == packed->end || packed->damaged)
		return false;
	packed->damaged = !read_fixed(packed,
		numbers->type == FL_WIRE_FIXED64 ? 8 : 4, value);
	return !packed->damaged;
}

/* Writing ------------------------------------------------------------- */

void fl_put_varint(struct fl_buf *to, uint64_t value)
{
	char bytes[10];
	size_t n = 0;

	for (; value >= 0x80; value >>= 7)
		bytes[n++] = (char)(value | 0x80);
	bytes[n++] = (char)value;
	fl_buf_put(to, bytes, n);
}

void fl_put_number(struct fl_buf *to, uint32_t number, uint64_t value)
{
	if (!value)
		return;
	fl_put_varint(to, (uint64_t)number << 3 | FL_WIRE_VARINT);
	fl_put_varint(to, value);
}

void fl_put_fixed64(struct fl_buf *to, uint32_t number, uint64_t value)
{
	char bytes[8];

	for (unsigned i = 0; i < sizeof(bytes); i++)
		bytes[i] = (char)(value >> 8 * i);
	fl_put_varint(to, (uint64_t)number << 3 | FL_WIRE_FIXED64);
	fl_buf_put(to, bytes, sizeof(bytes));
}

void fl_put_bytes(struct fl_buf *to, uint32_t number, const void *bytes,
		  size_t size)
{
	fl_put_varint(to, (uint64_t)number << 3 | FL_WIRE_BYTES);
	fl_put_varint(to, size);
	fl_buf_put(to, bytes, size);
}
