/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Protocol Buffers' wire format: messages are read field by field, without a
 * schema, and written into a buffer.  Nothing is copied and nothing is
 * allocated while reading.
 */
#ifndef FL_PROTOBUF_H
#define FL_PROTOBUF_H

#include "fl.h"

enum fl_wire_type {
	FL_WIRE_VARINT = 0,
	FL_WIRE_FIXED64 = 1,
	FL_WIRE_BYTES = 2,	/* text, a message, packed numbers */
	FL_WIRE_BEGIN_GROUP = 3,	/* skipped by fl_field_next */
	FL_WIRE_END_GROUP = 4,
	FL_WIRE_FIXED32 = 5
};

/* The unread rest of a message. */
struct fl_message {
	const uint8_t *next, *end;
	bool damaged;		/* `next` is the bad field */
};

struct fl_field {
	uint32_t number;
	enum fl_wire_type type;
	uint64_t value;		/* the number, or the size of bytes */
	const uint8_t *bytes;
};

static inline struct fl_message fl_message_of(const void *bytes, size_t size)
{
	const uint8_t *from = bytes;

	return (struct fl_message){ .next = from,
				    .end = size ? from + size : from };
}

/* The message in a field of bytes; an empty one of other fields. */
static inline struct fl_message fl_field_message(const struct fl_field *field)
{
	return field->type == FL_WIRE_BYTES ?
	       fl_message_of(field->bytes, (size_t)field->value) :
	       (struct fl_message){ .next = NULL };
}

static inline struct slice fl_field_text(const struct fl_field *field)
{
	return field->type == FL_WIRE_BYTES ?
	       (struct slice){ (const char *)field->bytes,
			       (size_t)field->value } :
	       (struct slice){ "", 0 };
}

/* For fl_varint: a number byte by byte. */
bool fl_varint_long(struct fl_message *message, uint64_t *value);

/* Joins eight groups of seven bits, a byte each. */
static inline uint64_t fl_join_sevens(uint64_t x)
{
	x = (x & 0x007f007f007f007f) | (x & 0x7f007f007f007f00) >> 1;
	x = (x & 0x00003fff00003fff) | (x & 0x3fff00003fff0000) >> 2;
	return (x & 0x000000000fffffff) | (x & 0x0fffffff00000000) >> 4;
}

/*
 * A number of up to eight bytes, without a branch on its length, which is hard
 * to predict in packed numbers.
 */
static inline bool fl_varint_short(struct fl_message *message, uint64_t *value)
{
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
	uint64_t x, last;

	if (message->end - message->next < 8)
		return false;
	memcpy(&x, message->next, sizeof(x));
	last = ~x & 0x8080808080808080;
	if (!last)
		return false;
	message->next += (__builtin_ctzll(last) >> 3) + 1;
	/* The mask covers all bytes up to the last one. */
	*value = fl_join_sevens(x & (last ^ (last - 1)) &
				0x7f7f7f7f7f7f7f7f);
	return true;
#else
	(void)message;
	(void)value;
	return false;
#endif
}

/* false: the message ends within the number, or it has more than 64 bits. */
static inline bool fl_varint(struct fl_message *message, uint64_t *value)
{
	return fl_likely(fl_varint_short(message, value)) ||
	       fl_varint_long(message, value);
}

/*
 * The next field; groups are skipped.  false: the message ends, or is damaged:
 * cut within a field, or not a message.
 */
bool fl_field_next(struct fl_message *message, struct fl_field *field);

/*
 * Iterates over the numbers of a repeated field, packed (many in a field) or
 * not (a field each).  Begin with fl_field_numbers; fl_number_next sets *value
 * and returns false past the last one.
 */
struct fl_numbers {
	struct fl_message packed;
	enum fl_wire_type type;	/* of packed numbers */
	uint64_t value;
	bool one;		/* `value` is the only number */
};

static inline struct fl_numbers fl_field_numbers(const struct fl_field *field,
						 enum fl_wire_type type)
{
	return (struct fl_numbers){
		.packed = fl_field_message(field), .type = type,
		.value = field->value, .one = field->type != FL_WIRE_BYTES,
	};
}

/* For fl_number_next: numbers not packed, or of fixed size. */
bool fl_number_other(struct fl_numbers *numbers, uint64_t *value);

static inline bool fl_number_next(struct fl_numbers *numbers, uint64_t *value)
{
	if (fl_unlikely(numbers->one || numbers->type != FL_WIRE_VARINT))
		return fl_number_other(numbers, value);
	return numbers->packed.next < numbers->packed.end &&
	       !numbers->packed.damaged && fl_varint(&numbers->packed, value);
}

/* Writing.  A number that is 0 is the default and left out. */
void fl_put_varint(struct fl_buf *to, uint64_t value);
void fl_put_number(struct fl_buf *to, uint32_t number, uint64_t value);
void fl_put_fixed64(struct fl_buf *to, uint32_t number, uint64_t value);
/* Written even if empty: a string, a message of defaults. */
void fl_put_bytes(struct fl_buf *to, uint32_t number, const void *bytes,
		  size_t size);

#endif
