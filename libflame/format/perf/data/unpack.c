/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Unpacks the records that perf record -z has compressed, and passes each to
 * fl_perf_data_record(); data.c calls fl_perf_unpack() with the contents of a
 * record of type COMPRESSED.  All of these are one stream of zstd: a record
 * inside may begin in one piece and end in the next.
 */
#include "fl.h"

#include "format/perf/data/data.h"

enum { BLOCK = 128 << 10 };

struct fl_perf_unpacked {
	void *zstd;
	size_t n;		/* bytes that are here */
	uint8_t data[PERF_MAX_RECORD + BLOCK];
};

static bool begin(struct fl_perf_data *d)
{
	const char *why = NULL;

	d->unpacked = fl_zeroed(1, sizeof(*d->unpacked));
	if (d->unpacked)
		d->unpacked->zstd = fl_zstd_begin(d->flame, &why);
	if (why)
		fl_perf_data_damage(d, "its records are compressed: %s", why);
	else if (!d->unpacked || !d->unpacked->zstd)
		fl_no_memory(d->flame);
	return d->unpacked && d->unpacked->zstd;
}

/* The records that are whole; the rest moves to the front. */
static bool give_records(struct fl_perf_data *d)
{
	struct fl_perf_unpacked *u = d->unpacked;
	size_t at = 0;

	while (u->n - at >= PERF_HEADER_SIZE) {
		size_t size = fl_perf_u16(u->data + at + 6, d->big);

		if (size < PERF_HEADER_SIZE) {
			fl_perf_data_damage(d, "a compressed record of %zu "
					    "bytes", size);
			return false;
		}
		if (size > u->n - at)
			break;
		/* Those of perf itself are never inside. */
		if (fl_perf_u32(u->data + at, d->big) < PERF_OWN)
			fl_perf_data_record(d, u->data + at);
		at += size;
	}
	u->n -= at;
	memmove(u->data, u->data + at, u->n);
	return true;
}

bool fl_perf_unpack(struct fl_perf_data *d, const uint8_t *at, size_t n)
{
	struct fl_piece piece = { .in = at, .nin = n };
	struct fl_perf_unpacked *u;
	const char *why;
	size_t space, left;

	if (!d->unpacked && !begin(d))
		return false;
	u = d->unpacked;
	do {
		space = sizeof(u->data) - u->n;
		left = piece.nin;
		piece.out = u->data + u->n;
		piece.nout = space;
		if (!fl_zstd_step(u->zstd, &piece, &why)) {
			fl_perf_data_damage(d, "its compressed records are "
					    "corrupt: %s", why);
			return false;
		}
		u->n = piece.out - u->data;
		if (!give_records(d))
			return false;
	} while (piece.nin < left || piece.nout < space);
	return !fl_failed(d->flame);
}

void fl_perf_unpack_free(struct fl_perf_data *d)
{
	if (d->unpacked)
		fl_zstd_end(d->unpacked->zstd);
	fl_free(d->unpacked);
}
