/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A decoder, or the layer over logs: what comes out does not depend on how it
 * is asked for.  (Of a damaged block libbz2 returns as much as there was room
 * for in its last call.)
 */
#include "fuzz.h"

#include "flow/flow.h"
#include "io/log.h"

enum { ENOUGH = 1 << 20 };	/* a small input may hold gigabytes */

struct came {
	uint64_t hash;
	uint64_t size;
	bool damaged;
};

static void add(struct came *came, const uint8_t *at, size_t n)
{
	for (size_t i = 0; i < n; i++)
		came->hash = (came->hash ^ at[i]) * UINT64_C(0x100000001b3);
	came->size += n;
}

/* false: refused. */
static bool decode(const uint8_t *data, size_t size, size_t step,
		   struct came *came)
{
	struct flame *flame = fuzz_flame();
	struct fl_in *in = fl_in_memory(flame, data, size, "m");
	uint64_t start;
	bool good;
	size_t avail;

	if (in)
		in = fl_in_decoded(in);
	if (in)
		in = fl_log_unwrap(in, fl_format_bits);
	FUZZ_HOLDS(in || *flame_error(flame));
	/* A byte order mark is passed over, and counted. */
	start = in ? fl_in_offset(in) : 0;
	FUZZ_HOLDS(start == 0 || start == 3);
	while (in && came->size < ENOUGH) {
		const uint8_t *at = fl_in_peek(in, step, &avail);

		FUZZ_HOLDS(fl_in_offset(in) == start + came->size);
		avail = FL_MIN(avail, ENOUGH - came->size);
		if (!avail)
			break;
		add(came, at, FL_MIN(avail, step));
		fl_in_consume(in, FL_MIN(avail, step));
	}
	came->damaged = in && came->size < ENOUGH && fl_in_damage(in);
	good = in && !fl_failed(flame);
	fl_in_close(in);
	flame_free(flame);
	return good;
}

void fuzz_decoder(const struct fuzz_target *target, const uint8_t *data,
		  size_t size)
{
	struct came one = { 0 }, other = { 0 };

	(void)target;
	FUZZ_HOLDS(decode(data, size, 1 << 16, &one) ==
		   decode(data, size, 997, &other));
	if (one.damaged || other.damaged)
		return;
	FUZZ_HOLDS(one.size == other.size && one.hash == other.hash);
}
