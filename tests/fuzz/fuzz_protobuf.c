/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Messages of protobuf: fields lie within their message, one after the
 * other; and what is written again reads as the same.
 */
#include "fuzz.h"

#include "base/protobuf.h"

static void write_field(struct fl_buf *to, const struct fl_field *field)
{
	if (field->type == FL_WIRE_BYTES)
		fl_put_bytes(to, field->number, field->bytes,
			     (size_t)field->value);
	else
		fl_put_number(to, field->number, field->value);
}

static void check_numbers(const struct fl_field *field,
			  enum fl_wire_type type)
{
	struct fl_numbers numbers = fl_field_numbers(field, type);
	size_t most = field->type == FL_WIRE_BYTES ? field->value : 1, n = 0;
	uint64_t value;

	while (fl_number_next(&numbers, &value))
		FUZZ_HOLDS(++n <= most);
}

static void check_field(const struct fl_message *message,
			const uint8_t *before, const struct fl_field *field)
{
	FUZZ_HOLDS(message->next > before);
	FUZZ_HOLDS(message->next <= message->end);
	FUZZ_HOLDS(field->number > 0);
	if (field->type == FL_WIRE_BYTES) {
		FUZZ_HOLDS(field->bytes > before);
		FUZZ_HOLDS(field->bytes + field->value == message->next);
	}
	check_numbers(field, FL_WIRE_VARINT);
	check_numbers(field, FL_WIRE_FIXED64);
	check_numbers(field, FL_WIRE_FIXED32);
}

void fuzz_protobuf(const struct fuzz_target *target, const uint8_t *data,
		   size_t size)
{
	struct fl_message message = fl_message_of(data, size), again;
	struct fl_field field, same;
	struct fl_buf buf = { 0 };
	const uint8_t *before = data;

	(void)target;
	while (fl_field_next(&message, &field)) {
		check_field(&message, before, &field);
		before = message.next;
		buf.size = 0;
		write_field(&buf, &field);
		again = fl_message_of(buf.data, buf.size);
		if (!buf.size || buf.failed)
			continue;
		FUZZ_HOLDS(fl_field_next(&again, &same));
		FUZZ_HOLDS(same.number == field.number);
		FUZZ_HOLDS(same.value == field.value);
		FUZZ_HOLDS(again.next == again.end);
	}
	FUZZ_HOLDS(message.damaged || message.next == message.end);
	fl_buf_free(&buf);
}
