/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Recycled tables: of finished chunks, for the next ones.  Page faults of new
 * memory cost more than filling the tables.
 */
#include "fl.h"

#include "format/jfr/jfr.h"

bool fl_jfr_spares_new(struct fl_jfr *jfr)
{
	return pthread_mutex_init(&jfr->spares.lock, NULL) == 0;
}

void fl_jfr_spares_drop(struct fl_jfr *jfr)
{
	struct fl_jfr_spares *spares = &jfr->spares;

	for (unsigned kind = 0; kind < FL_JFR_SPARE_KINDS; kind++)
		while (spares->n[kind])
			fl_free(spares->at[kind][--spares->n[kind]].at);
}

void fl_jfr_spares_free(struct fl_jfr *jfr)
{
	fl_jfr_spares_drop(jfr);
	pthread_mutex_destroy(&jfr->spares.lock);
}

void *fl_jfr_spare(struct fl_jfr *jfr, enum fl_jfr_spare_kind kind,
		   size_t *room)
{
	struct fl_jfr_spares *spares = &jfr->spares;
	struct fl_jfr_spare spare = { NULL, 0 };

	pthread_mutex_lock(&spares->lock);
	if (spares->n[kind])
		spare = spares->at[kind][--spares->n[kind]];
	pthread_mutex_unlock(&spares->lock);
	*room = spare.room;
	return spare.at;
}

void fl_jfr_keep(struct fl_jfr_chunk *chunk, enum fl_jfr_spare_kind kind,
		 void *at, size_t room)
{
	struct fl_jfr_spares *spares = &chunk->jfr->spares;

	if (!at)
		return;
	pthread_mutex_lock(&spares->lock);
	if (spares->n[kind] < FL_JFR_SPARES && !chunk->last &&
	    !chunk->jfr->ended) {
		spares->at[kind][spares->n[kind]++] =
			(struct fl_jfr_spare){ at, room };
		at = NULL;
	}
	pthread_mutex_unlock(&spares->lock);
	fl_free(at);
}
