/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fl_jfr_is_repeated() says whether a chunk was read before, in this input or
 * in another one that goes into the same sum, so that source.c leaves out its
 * samples.
 *
 * Hashing all bytes would cost a tenth of what reading them does, so a large
 * chunk is identified by its size and nine windows.  The first window has the
 * header: the start and the duration in ns, the start in ticks and the places
 * of the pools and the metadata.  Two chunks that differ would need the same
 * size and all of these; a JVM starts each chunk at another nanosecond, and two
 * JVMs that start one at the same nanosecond count ticks from different
 * moments.  Format 0.9 has the times in ms and in ticks at the end of a chunk,
 * in the last window.
 */
#include "fl.h"

#include "format/jfr/source.h"

enum { WHOLE = 8 << 10, WINDOWS = 8, WINDOW = 512 };	/* bytes; WINDOWS: n */

static uint64_t identity(const uint8_t *at, uint64_t size)
{
	uint64_t hash = size, step = size / WINDOWS;

	if (size <= WHOLE)
		return fl_hash(at, size);
	for (unsigned i = 0; i < WINDOWS; i++)
		hash = fl_hash_pair(hash, fl_hash(at + i * step, WINDOW));
	return fl_hash_pair(hash, fl_hash(at + size - WINDOW, WINDOW));
}

bool fl_jfr_is_repeated(const struct fl_jfr *jfr, const uint8_t *at,
			uint64_t size, int64_t start)
{
	const struct flame_source *source = jfr->source;

	/* jfrconv adds up what it is given. */
	return fl_jfr_options(jfr)->once && !fl_jfr_options(jfr)->compat &&
	       (source->summed || source->select.survey) &&
	       fl_overlap_add(source->flame, source->flow, identity(at, size),
			      fl_in_name(source->in), start);
}
