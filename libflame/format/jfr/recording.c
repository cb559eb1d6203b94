/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Functions that all layers share (recording.h): bytes at an offset, the first
 * damage of a chunk, pages that are released, ticks as ns, whether a chunk
 * continues the one before, and the time span of the recording.
 */
#include "fl.h"

#include "format/jfr/recording.h"

void fl_jfr_damage(struct fl_jfr_chunk *chunk, uint64_t at, const char *why)
{
	if (chunk->damage.why)
		return;
	chunk->damage.why = why;
	chunk->damage.at = at;
}

struct fl_wire fl_jfr_wire(const struct fl_jfr_chunk *chunk, uint64_t at)
{
	struct fl_wire w = { .compressed = chunk->header.compressed,
			     .end = chunk->at + chunk->size };

	w.at = at < chunk->size ? chunk->at + at : w.end;
	return w;
}

void fl_jfr_release(struct fl_jfr_chunk *chunk, const uint8_t *at)
{
	if (chunk->pages.released && at > chunk->pages.passed)
		fl_in_release_range(chunk->jfr->source->in, chunk->pages.passed,
				    at);
	chunk->pages.passed = at;
}

bool fl_jfr_wants_runs(const struct fl_jfr *jfr)
{
	const struct fl_select *select = &jfr->source->select;

	return (select->needs & FL_NEED_TIME) &&
	       (select->needs & FL_NEED_RUNS) && !select->survey &&
	       !select->leak && !jfr->spans && !fl_jfr_options(jfr)->compat;
}

int64_t fl_jfr_ns(const struct fl_jfr_chunk *chunk, int64_t ticks)
{
	__extension__ typedef __int128 wide;
	wide delta = (wide)ticks - chunk->header.start_ticks;
	int64_t ns;

	/* Without a division, which costs more than all else of an event. */
	if (chunk->header.ticks_per_second == 1000000000 &&
	    !__builtin_sub_overflow(ticks, chunk->header.start_ticks, &ns) &&
	    !__builtin_add_overflow(ns, chunk->header.start_ns, &ns))
		return ns == INT64_MIN ? ns + 1 : ns;
	delta = delta * 1000000000 / (int64_t)chunk->header.ticks_per_second +
		chunk->header.start_ns;
	return delta > INT64_MAX ? INT64_MAX :
	       delta <= INT64_MIN ? INT64_MIN + 1 : (int64_t)delta;
}

bool fl_jfr_goes_on(const struct fl_jfr_chunk *now)
{
	const struct fl_jfr_chunk *before = now->jfr->before;

	return before && before != now &&
	       now->header.major == before->header.major &&
	       now->header.minor == before->header.minor &&
	       now->header.ticks_per_second ==
		       before->header.ticks_per_second &&
	       before->header.duration_ns &&
	       (uint64_t)now->header.start_ns ==
		       (uint64_t)before->header.start_ns +
			       (uint64_t)before->header.duration_ns;
}

void fl_jfr_set_span(struct fl_jfr *jfr, int64_t start, int64_t end)
{
	struct flame_source *source = jfr->source;

	if (source->start == FLAME_NOTIME || start < source->start)
		source->start = start;
	if (source->end == FLAME_NOTIME || end > source->end)
		source->end = end;
}

/* Whether a time is another than where the recording went so far. */
static bool has_moved(const struct flame_source *source,
		      const struct fl_when *when, int64_t start, int64_t end)
{
	return fl_when_resolve(when, start, end) !=
	       fl_when_resolve(when, source->start, source->end);
}

void fl_jfr_widen(struct fl_jfr *jfr, int64_t start, int64_t end)
{
	struct flame_source *source = jfr->source;
	const struct fl_select *select = &source->select;
	int64_t start_was = source->start, end_was = source->end;

	fl_jfr_set_span(jfr, start, end);
	if (start_was != FLAME_NOTIME)
		jfr->moved |= has_moved(source, &select->from, start_was,
					end_was) ||
			      has_moved(source, &select->to, start_was,
					end_was);
}

struct fl_thread_pool *fl_jfr_threads(struct fl_jfr *jfr)
{
	if (!jfr->threads)
		jfr->threads = fl_thread_pool_new(jfr->source->flame->threads);
	return jfr->threads;
}
