/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finds chunks in the input, for source.c and span_pass.c: fl_jfr_extent()
 * returns what begins at an offset and its size, fl_jfr_to_next_chunk()
 * searches for the next chunk after damage, and fl_jfr_prescan() reads all
 * headers for the time span of the recording.
 */
#include "fl.h"

#include "format/jfr/source.h"
#include "format/jfr/v0/v0.h"

/* The event at an offset has this type. */
static bool has_type(const struct fl_jfr_chunk *chunk, const uint8_t *at,
		     size_t avail, uint64_t offset, uint64_t type)
{
	struct fl_wire w = { .compressed = chunk->header.compressed,
			     .end = at + avail };

	if (offset < FL_JFR_HEADER || offset >= avail)
		return false;
	w.at = at + offset;
	return fl_wire_int(&w) && fl_wire_long(&w) == type && !w.bad;
}

/*
 * Whether a chunk begins here, for a search: chunks hold copies of their
 * own header (the pool jdk.types.ChunkHeader), which are none.
 */
static bool is_chunk(struct fl_jfr *jfr, const uint8_t *at, size_t avail)
{
	struct fl_jfr_chunk look = { .jfr = jfr };

	switch (fl_jfr_read_header(&look, at, avail)) {
	case FL_JFR_NONE:
		return false;
	case FL_JFR_FUTURE:
		return look.header.major == 0 && fl_jfr_v0_size(at, avail);
	default:
		break;
	}
	if (avail < FL_JFR_HEADER)
		return false;
	if (!look.header.meta_at && !look.header.pools_at)
		return has_type(&look, at, avail, FL_JFR_HEADER, 0);
	return has_type(&look, at, avail, look.header.meta_at, 0) &&
	       has_type(&look, at, avail, look.header.pools_at, 1);
}

bool fl_jfr_is_v0(const uint8_t *at, size_t avail)
{
	return avail >= 8 && memcmp(at, "FLR\0\0\0", 6) == 0;
}

size_t fl_jfr_to_next_chunk(struct fl_jfr *jfr, const uint8_t *at,
			    size_t from, size_t avail)
{
	while (from < avail) {
		const uint8_t *found = memchr(at + from, 'F', avail - from);

		if (!found)
			break;
		from = found - at;
		if (is_chunk(jfr, found, avail - from))
			return from;
		from++;
	}
	return avail;
}

/* A duration that cannot be is ignored. */
int64_t fl_jfr_end_of(const struct fl_jfr_chunk *chunk)
{
	int64_t end;

	return __builtin_add_overflow(chunk->header.start_ns,
				      chunk->header.duration_ns, &end) ?
		       chunk->header.start_ns :
		       end;
}

size_t fl_jfr_extent(struct fl_jfr_chunk *chunk, const uint8_t *at,
		     size_t avail, enum fl_jfr_found *found)
{
	size_t size;

	*found = fl_jfr_read_header(chunk, at, avail);
	switch (*found) {
	case FL_JFR_WHOLE:
		return chunk->size;
	case FL_JFR_LIVE:
		return fl_jfr_to_next_chunk(chunk->jfr, at, chunk->size, avail);
	case FL_JFR_CUT:
		chunk->at = at;
		chunk->size = fl_jfr_to_next_chunk(
			chunk->jfr, at, FL_MIN((size_t)FL_JFR_HEADER, avail),
			avail);
		return chunk->size;
	default:
		break;
	}
	size = fl_jfr_is_v0(at, avail) ? fl_jfr_v0_size(at, avail) : 0;
	return size ? size : fl_jfr_to_next_chunk(chunk->jfr, at, 1, avail);
}

/*
 * Each header brings some pages around it into memory: they are released
 * after each HEADERS of them.
 */
void fl_jfr_prescan(struct fl_jfr *jfr, const uint8_t *at, size_t size)
{
	enum { HEADERS = 8 };
	size_t offset = 0, from = 0;
	unsigned chunks = 0;

	while (size - offset >= FL_JFR_HEADER) {
		struct fl_jfr_chunk look = { .jfr = jfr };
		enum fl_jfr_found found;
		int64_t start, end;
		size_t n = fl_jfr_extent(&look, at + offset, size - offset,
					 &found);

		if (fl_jfr_is_v0(at + offset, n)) {
			if (fl_jfr_v0_span(jfr, at + offset, n, &start, &end))
				fl_jfr_set_span(jfr, start, end);
		} else if (found != FL_JFR_NONE && found != FL_JFR_FUTURE) {
			fl_jfr_set_span(jfr, look.header.start_ns,
					fl_jfr_end_of(&look));
		}
		offset += n;
		if (++chunks % HEADERS == 0) {
			fl_in_release_range(jfr->source->in, at + from,
					    at + offset);
			from = offset;
		}
	}
	if (chunks > 1)
		fl_in_release_range(jfr->source->in, at + from, at + offset);
}
