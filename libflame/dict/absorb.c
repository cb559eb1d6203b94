/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One dictionary into another: what is new in the one is entered in the
 * other, in the order of its ids, and a map tells which is which.
 */
#include "fl.h"

#include "dict/tables.h"

#include <stdlib.h>

static bool room(struct flame *to, struct fl_ids *ids, size_t n)
{
	if (fl_grow(&ids->at, &ids->room, n, sizeof(*ids->at)))
		return true;
	fl_no_memory(to);
	return false;
}

static void absorb_names(struct flame *to, const struct flame *from,
			 struct fl_ids *ids)
{
	for (; ids->n < from->names.n; ids->n++)
		ids->at[ids->n] = flame_name(to, from->names.at[ids->n].text,
					     from->names.at[ids->n].size);
}

static void absorb_frames(struct flame *to, const struct flame *from,
			  struct fl_absorbed *map)
{
	struct fl_ids *ids = &map->frames;

	for (; ids->n < from->frames.n; ids->n++) {
		struct flame_frame frame = from->frames.at[ids->n];

		frame.name = map->names.at[frame.name];
		frame.file = map->names.at[frame.file];
		ids->at[ids->n] = flame_frame(to, &frame);
	}
}

static void absorb_stacks(struct flame *to, const struct flame *from,
			  struct fl_absorbed *map)
{
	struct fl_ids *ids = &map->stacks;

	for (; ids->n < from->stacks.n; ids->n++) {
		const struct fl_stack *s = &from->stacks.at[ids->n];

		ids->at[ids->n] = !ids->n ? 0 :
			flame_stack(to, ids->at[s->parent],
				    map->frames.at[s->frame]);
	}
}

static void absorb_labels(struct flame *to, const struct flame *from,
			  struct fl_absorbed *map)
{
	struct fl_ids *ids = &map->labels;

	for (; ids->n < from->labels.n; ids->n++) {
		const struct fl_label *l = &from->labels.at[ids->n];

		ids->at[ids->n] = !ids->n ? 0 :
			flame_label(to, ids->at[l->rest],
				    map->names.at[l->key],
				    map->names.at[l->value]);
	}
}

static void add_counts(struct flame_metric *to, struct flame_metric *from)
{
	to->samples += from->samples;
	to->no_stack += from->no_stack;
	if (__builtin_add_overflow(to->total, from->total, &to->total))
		to->total = INT64_MAX;
	if (from->first != FLAME_NOTIME &&
	    (to->first == FLAME_NOTIME || from->first < to->first))
		to->first = from->first;
	if (from->last != FLAME_NOTIME &&
	    (to->last == FLAME_NOTIME || from->last > to->last))
		to->last = from->last;
	from->samples = from->no_stack = 0;
	from->total = 0;
	from->first = from->last = FLAME_NOTIME;
}

static void absorb_metrics(struct flame *to, struct flame *from,
			   struct fl_ids *ids)
{
	for (size_t i = 0; i < from->nmetrics; i++) {
		struct flame_metric *m = &from->metrics[i];

		if (i == ids->n) {
			ids->at[i] = !i ? 0 : fl_metric(to, m->name, m->unit,
							m->weight);
			ids->n++;
		}
		if (i)
			add_counts(&to->metrics[ids->at[i]], m);
	}
}

bool fl_absorb_frames(struct flame *to, const struct flame *from,
		      struct fl_absorbed *map)
{
	if (!room(to, &map->names, from->names.n) ||
	    !room(to, &map->frames, from->frames.n))
		return false;
	absorb_names(to, from, &map->names);
	absorb_frames(to, from, map);
	return !fl_failed(to);
}

bool fl_absorb(struct flame *to, struct flame *from, struct fl_absorbed *map)
{
	if (!fl_absorb_frames(to, from, map) ||
	    !room(to, &map->stacks, from->stacks.n) ||
	    !room(to, &map->labels, from->labels.n) ||
	    !room(to, &map->metrics, from->nmetrics))
		return false;
	absorb_stacks(to, from, map);
	absorb_labels(to, from, map);
	absorb_metrics(to, from, &map->metrics);
	return !fl_failed(to);
}

void fl_absorbed_free(struct fl_absorbed *map)
{
	fl_free(map->names.at);
	fl_free(map->frames.at);
	fl_free(map->stacks.at);
	fl_free(map->labels.at);
	fl_free(map->metrics.at);
}
