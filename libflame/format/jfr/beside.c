/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The pools of a chunk, read by one thread while another reads its events.
 * The thread does not know yet which stack traces the events refer to, so it
 * notes the place of each, and they are looked up afterwards.
 *
 * On failure the pools are read again after the events.
 */
#include "fl.h"

#include "format/jfr/jfr.h"

enum { CLASSES = 1 << 12 };	/* more are not planned in advance */

struct place {
	uint64_t key, at, size;
};

struct fl_jfr_beside {
	struct fl_job job;
	struct fl_jfr_chunk part;	/* the chunk, as pool.c needs it */
	bool good;
	struct place *places;		/* of stack traces */
	size_t n, room;
	bool marked;			/* and their marks are */
	struct fl_jfr_mark *marks;
	size_t marks_room;
};

bool fl_jfr_beside_keep(struct fl_jfr_beside *beside, uint64_t key,
			uint64_t at, uint64_t size)
{
	const struct fl_jfr_chunk *chunk = &beside->part;

	if (!fl_grow(&beside->places, &beside->room, beside->n + 1,
		     sizeof(*beside->places)) ||
	    (beside->marked &&
	     !fl_grow(&beside->marks, &beside->marks_room, beside->n + 1,
		      sizeof(*beside->marks))))
		return false;
	if (beside->marked)
		beside->marks[beside->n] =
			fl_jfr_known_mark(chunk->jfr, chunk->at + at, size);
	beside->places[beside->n++] = (struct place){ key, at, size };
	return true;
}

/* In any thread. */
static void run(struct fl_job *job)
{
	struct fl_jfr_beside *beside = (struct fl_jfr_beside *)job;

	beside->good = fl_jfr_index_pools(&beside->part);
}

/* Nobody makes plans while others read by them. */
static bool plan_all(struct fl_jfr_chunk *chunk)
{
	for (uint32_t i = 0; i < chunk->nclasses; i++)
		fl_jfr_plan(chunk, &chunk->classes[i]);
	return !fl_failed(chunk->flame);
}

struct fl_jfr_beside *fl_jfr_beside_new(struct fl_jfr_chunk *chunk)
{
	struct fl_jfr_beside *beside;

	if (!chunk->pools_at || chunk->nclasses > CLASSES ||
	    !fl_jfr_team(chunk->jfr) || !plan_all(chunk))
		return NULL;
	beside = fl_zeroed(1, sizeof(*beside));
	if (!beside)
		return NULL;
	fl_jfr_want_pools(chunk);
	beside->part = *chunk;
	beside->part.beside = beside;
	beside->marked = fl_jfr_known_wanted(chunk);
	beside->part.passed = chunk->at;
	beside->part.lets_go = true;
	beside->part.flame = flame_new();
	if (!beside->part.flame) {
		fl_free(beside);
		return NULL;
	}
	beside->job.run = run;
	fl_thread_pool_submit_first(chunk->jfr->team, &beside->job);
	return beside;
}

bool fl_jfr_beside_take(struct fl_jfr_chunk *chunk,
			struct fl_jfr_beside *beside)
{
	bool good;

	fl_thread_pool_wait(chunk->jfr->team, &beside->job);
	good = beside->good && !beside->part.why &&
	       !fl_failed(beside->part.flame);
	chunk->events_end = beside->part.events_end;
	chunk->nlinked = beside->part.nlinked;
	good = good && fl_jfr_has_all_checkpoints(chunk);
	if (good) {
		fl_jfr_known_room(chunk);
		fl_jfr_begin_traces(chunk);
	}
	for (size_t i = 0; good && i < beside->n; i++) {
		const struct place *place = &beside->places[i];

		fl_jfr_pass(chunk, chunk->at + place->at);
		fl_jfr_keep_trace(chunk, place->key, place->at, place->size,
				  beside->marked ? &beside->marks[i] : NULL);
	}
	if (good)
		fl_jfr_let_go(chunk, chunk->at + chunk->size);
	flame_free(beside->part.flame);
	fl_free(beside->places);
	fl_free(beside->marks);
	fl_free(beside);
	return good;
}
