/* SPDX-License-Identifier: Apache-2.0 */
/* Tables of finished chunks, kept for the next ones. */
#include "fl.h"

#include "format/jfr/recycle.h"

#include <pthread.h>

enum { MAX_TABLES = 16 };	/* of a kind */

struct fl_jfr_recycled {
	pthread_mutex_t lock;
	unsigned count[FL_JFR_TABLES];
	struct table {
		void *data;
		size_t capacity;	/* elements */
	} tables[FL_JFR_TABLES][MAX_TABLES];
};

bool fl_jfr_recycled_new(struct fl_jfr *jfr)
{
	jfr->recycled = fl_zeroed(1, sizeof(*jfr->recycled));
	if (jfr->recycled &&
	    pthread_mutex_init(&jfr->recycled->lock, NULL) == 0)
		return true;
	fl_free(jfr->recycled);
	jfr->recycled = NULL;
	return false;
}

void fl_jfr_recycled_drop(struct fl_jfr *jfr)
{
	struct fl_jfr_recycled *all = jfr->recycled;

	for (unsigned i = 0; i < FL_JFR_TABLES; i++)
		while (all->count[i])
			fl_free(all->tables[i][--all->count[i]].data);
}

void fl_jfr_recycled_free(struct fl_jfr *jfr)
{
	if (!jfr->recycled)
		return;
	fl_jfr_recycled_drop(jfr);
	pthread_mutex_destroy(&jfr->recycled->lock);
	fl_free(jfr->recycled);
}

void *fl_jfr_recycled(struct fl_jfr *jfr, enum fl_jfr_table kind,
		      size_t *capacity)
{
	struct fl_jfr_recycled *all = jfr->recycled;
	struct table table = { NULL, 0 };

	pthread_mutex_lock(&all->lock);
	if (all->count[kind])
		table = all->tables[kind][--all->count[kind]];
	pthread_mutex_unlock(&all->lock);
	*capacity = table.capacity;
	return table.data;
}

void fl_jfr_recycle(struct fl_jfr_chunk *chunk, enum fl_jfr_table kind,
		    void *data, size_t capacity)
{
	struct fl_jfr_recycled *all = chunk->jfr->recycled;

	if (!data)
		return;
	pthread_mutex_lock(&all->lock);
	if (all->count[kind] < MAX_TABLES && !chunk->last &&
	    !chunk->jfr->ended) {
		all->tables[kind][all->count[kind]++] =
			(struct table){ data, capacity };
		data = NULL;
	}
	pthread_mutex_unlock(&all->lock);
	fl_free(data);
}
