/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Protocol Buffers' wire format.
 */
#include "fl.h"

#include "base/protobuf.h"

#include <criterion/criterion.h>

#define MESSAGE(text) fl_message_of(text, sizeof(text) - 1)

Test(protobuf, fields_come_one_after_another)
{
	/* 1: 150, 2: "hi", 3: fixed64 7, 4: fixed32 9 */
	struct fl_message m = MESSAGE("\x08\x96\x01\x12\x02hi"
				      "\x19\x07\0\0\0\0\0\0\0"
				      "\x25\x09\0\0\0");
	struct fl_field f;

	cr_assert(fl_field_next(&m, &f));
	cr_expect(f.number == 1 && f.type == FL_WIRE_VARINT &&
		  f.value == 150);
	cr_assert(fl_field_next(&m, &f));
	cr_expect(f.number == 2 && f.type == FL_WIRE_BYTES);
	cr_expect(fl_slice_is(fl_field_text(&f), "hi"));
	cr_assert(fl_field_next(&m, &f));
	cr_expect(f.number == 3 && f.type == FL_WIRE_FIXED64 &&
		  f.value == 7);
	cr_assert(fl_field_next(&m, &f));
	cr_expect(f.number == 4 && f.type == FL_WIRE_FIXED32 &&
		  f.value == 9);
	cr_expect_not(fl_field_next(&m, &f));
	cr_expect_not(m.damaged);
}

Test(protobuf, groups_are_passed_over)
{
	/* group 1 { 2: 5, group 3 { 4: "x" } }, then 6: 1 */
	struct fl_message m = MESSAGE("\x0b\x10\x05\x1b\x22\x01x\x1c\x0c"
				      "\x30\x01");
	struct fl_field f;

	cr_assert(fl_field_next(&m, &f));
	cr_expect(f.number == 6 && f.value == 1);
	cr_expect_not(fl_field_next(&m, &f));
	cr_expect_not(m.damaged);
}

Test(protobuf, a_group_without_end_is_damage)
{
	struct fl_message m = MESSAGE("\x30\x01\x0b\x10\x05");
	struct fl_field f;
	const uint8_t *begin = m.next;

	cr_assert(fl_field_next(&m, &f));
	cr_expect_not(fl_field_next(&m, &f));
	cr_expect(m.damaged);
	cr_expect_eq(m.next, begin + 2);
}

Test(protobuf, numbers_have_64_bits)
{
	struct fl_message m = MESSAGE(
		"\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"
		"\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\x02");
	struct fl_field f;

	cr_assert(fl_field_next(&m, &f));
	cr_expect_eq(f.value, UINT64_MAX);
	cr_expect_not(fl_field_next(&m, &f));
	cr_expect(m.damaged);
}

Test(protobuf, a_cut_is_damage_wherever_it_is)
{
	static const char whole[] = "\x12\x03" "abc" "\x19\1\2\3\4\5\6\7\x08"
				    "\x08\x96\x01\x25\1\2\3\4";
	static const size_t ends[] = { 0, 5, 14, 17, 22 };

	for (size_t n = 0, i = 0; n < sizeof(whole) - 1; n++) {
		struct fl_message m = fl_message_of(whole, n);
		struct fl_field f;

		while (i + 1 < FL_COUNT(ends) && ends[i + 1] <= n)
			i++;
		while (fl_field_next(&m, &f))
			;
		cr_expect_eq(m.damaged, n != ends[i], "%zu bytes", n);
		cr_expect_eq((size_t)(m.next - (const uint8_t *)whole),
			     ends[i], "%zu bytes", n);
	}
}

Test(protobuf, what_is_no_message_is_damage)
{
	static const char *const texts[] = {
		"\x06", "\x07 ", "\x0c", "\x0a\x7f", "a;b 1\n", "\x80"
	};

	for (size_t i = 0; i < FL_COUNT(texts); i++) {
		struct fl_message m = fl_message_of(texts[i],
						    strlen(texts[i]));
		struct fl_field f;

		while (fl_field_next(&m, &f))
			;
		cr_expect(m.damaged, "text %zu", i);
	}
}

Test(protobuf, numbers_are_packed_or_not)
{
	struct fl_message m = MESSAGE("\x0a\x04\x01\x96\x01\x03\x08\x05");
	static const uint64_t wanted[] = { 1, 150, 3, 5 };
	struct fl_field f;
	uint64_t value;
	size_t n = 0;

	while (fl_field_next(&m, &f)) {
		struct fl_numbers numbers =
			fl_field_numbers(&f, FL_WIRE_VARINT);

		while (fl_number_next(&numbers, &value)) {
			cr_assert_lt(n, FL_COUNT(wanted));
			cr_expect_eq(value, wanted[n++]);
		}
	}
	cr_expect_eq(n, FL_COUNT(wanted));
}

Test(protobuf, packed_numbers_that_are_cut_are_damage)
{
	struct fl_message m = MESSAGE("\x0a\x02\x01\x96\x12\x09"
				      "\1\0\0\0\0\0\0\0\2");
	struct fl_numbers numbers;
	struct fl_field f;
	uint64_t value;

	cr_assert(fl_field_next(&m, &f));
	numbers = fl_field_numbers(&f, FL_WIRE_VARINT);
	cr_expect(fl_number_next(&numbers, &value) && value == 1);
	cr_expect_not(fl_number_next(&numbers, &value));
	cr_expect(numbers.packed.damaged);
	cr_assert(fl_field_next(&m, &f));
	numbers = fl_field_numbers(&f, FL_WIRE_FIXED64);
	cr_expect(fl_number_next(&numbers, &value) && value == 1);
	cr_expect_not(fl_number_next(&numbers, &value));
	cr_expect(numbers.packed.damaged);
}

Test(protobuf, what_was_written_reads_as_the_same)
{
	static const uint64_t values[] = {
		1, 127, 128, 300, UINT64_C(1) << 35, UINT64_MAX
	};
	struct fl_buf buf = { 0 };
	struct fl_message m;
	struct fl_field f;

	for (size_t i = 0; i < FL_COUNT(values); i++)
		fl_put_number(&buf, (uint32_t)i + 1, values[i]);
	fl_put_number(&buf, 99, 0);
	fl_put_bytes(&buf, 1000, "", 0);
	fl_put_fixed64(&buf, 7, UINT64_C(0x8000000000000102));
	m = fl_message_of(buf.data, buf.size);
	for (size_t i = 0; i < FL_COUNT(values); i++) {
		cr_assert(fl_field_next(&m, &f));
		cr_expect_eq(f.number, i + 1);
		cr_expect_eq(f.value, values[i]);
	}
	cr_assert(fl_field_next(&m, &f));
	cr_expect(f.number == 1000 && f.type == FL_WIRE_BYTES && !f.value);
	cr_assert(fl_field_next(&m, &f));
	cr_expect(f.number == 7 && f.type == FL_WIRE_FIXED64);
	cr_expect_eq(f.value, UINT64_C(0x8000000000000102));
	cr_expect_not(fl_field_next(&m, &f));
	fl_buf_free(&buf);
}
