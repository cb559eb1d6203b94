/* SPDX-License-Identifier: Apache-2.0 */
/* Reading many compressed integers at once equals reading them one by one. */
#include <criterion/criterion.h>

#include "fl.h"

#include "format/jfr/readers.h"

enum { ROUNDS = 20000, MOST = FL_WIRE_SOME };

static uint64_t state = 1;

static uint32_t draw(uint32_t below)
{
	state = state * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)(state >> 33) % below;
}

/* Integers of one to nine bytes, most of them short; garbage after them. */
static void fill(uint8_t *at, size_t room)
{
	for (size_t i = 0; i < room; i++) {
		unsigned size = draw(8) ? 1 + draw(3) : 1 + draw(9);

		for (; size > 1 && i + 1 < room; size--)
			at[i++] = (uint8_t)(0x80 | draw(128));
		at[i] = (uint8_t)draw(128);
	}
}

/* n of them, one by one; the end. */
static const uint8_t *read_slowly(const uint8_t *at, const uint8_t *end,
				  unsigned n, uint64_t *values)
{
	struct fl_wire w = { .at = at, .end = end, .compressed = true };

	for (unsigned i = 0; i < n; i++)
		values[i] = fl_wire_varint_slow(&w);
	return w.at;
}

Test(wire, some_integers_are_passed_as_one_by_one)
{
	uint8_t bytes[FL_JFR_SHORT_BYTES];
	uint64_t values[MOST];
	unsigned passed = 0;

	for (unsigned i = 0; i < ROUNDS; i++) {
		unsigned n = 1 + draw(MOST);
		const uint8_t *end, *at;

		fill(bytes, sizeof(bytes));
		end = read_slowly(bytes, bytes + sizeof(bytes), n, values);
		at = fl_wire_pass_some(bytes, n);
		cr_assert(!at || at == end);
		cr_assert(!at || end - bytes <= 32);
		passed += at != NULL;
	}
	cr_assert_gt(passed, ROUNDS / 4);
}

/* Some of the steps have slots, the last one too. */
static void make_steps(struct fl_jfr_reader *reader, struct fl_jfr_step *steps)
{
	unsigned n = 1 + draw(MOST), slot = 0, before = 0;

	memset(reader, 0, sizeof(*reader));
	for (unsigned i = 0; i < n; i++) {
		bool used = slot < FL_JFR_SLOTS - 1 && draw(2);

		if (i + 1 == n)
			used = true;
		steps[i] = (struct fl_jfr_step){
			.code = FL_JFR_VAR, .slot = used ? (int8_t)slot : -1
		};
		if (!used) {
			before++;
			continue;
		}
		reader->short_steps[reader->nshort++] = (struct fl_jfr_short_step){
			(uint8_t)before, (uint8_t)slot++
		};
		before = 0;
	}
	reader->steps = steps;
	reader->nsteps = n;
}

Test(wire, fields_are_taken_as_one_by_one)
{
	uint8_t bytes[FL_JFR_SHORT_BYTES];
	struct fl_jfr_step steps[MOST];
	struct fl_jfr_reader reader;
	uint64_t values[MOST];

	for (unsigned i = 0; i < ROUNDS; i++) {
		const uint8_t *end;

		fill(bytes, sizeof(bytes));
		make_steps(&reader, steps);
		end = read_slowly(bytes, bytes + sizeof(bytes), reader.nsteps,
				  values);
		cr_assert_eq(fl_jfr_read_short(&reader, bytes), end);
		for (unsigned k = 0; k < reader.nsteps; k++)
			cr_assert(steps[k].slot < 0 ||
				  reader.values[steps[k].slot] == values[k]);
	}
}
