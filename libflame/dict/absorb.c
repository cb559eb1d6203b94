/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fl_absorb() merges one dictionary into another, for flow/read_job.c: entries
 * that the map does not know yet are interned in the order of their ids, and
 * their new ids go into the map.
 */
#include "fl.h"

#include "dict/tables.h"

#include <stdlib.h>

static bool reserve(struct flame *to, struct fl_ids *ids, size_t n)
{
	if (fl_grow(&ids->data, &ids->capacity, n, sizeof(*ids->data)))
		return true;
	fl_no_memory(to);
	return false;
}

static void absorb_names(struct flame *to, const struct flame *from,
			 struct fl_ids *ids)
{
	for (; ids->count < from->names.count; ids->count++)
		ids->data[ids->count] =
			flame_name(to, from->names.data[ids->count].text,
				   from->names.data[ids->count].size);
}

static void absorb_frames(struct flame *to, const struct flame *from,
			  struct fl_absorbed *map)
{
	struct fl_ids *ids = &map->frames;

	for (; ids->count < from->frames.count; ids->count++) {
		struct flame_frame frame = from->frames.data[ids->count];

		frame.name = map->names.data[frame.name];
		frame.file = map->names.data[frame.file];
		ids->data[ids->count] = flame_frame(to, &frame);
	}
}

static void absorb_stacks(struct flame *to, const struct flame *from,
			  struct fl_absorbed *map)
{
	struct fl_ids *ids = &map->stacks;

	for (; ids->count < from->stacks.count; ids->count++) {
		const struct fl_stack *s = &from->stacks.data[ids->count];

		ids->data[ids->count] =
			!ids->count ? 0 :
				      flame_stack(to, ids->data[s->parent],
						  map->frames.data[s->frame]);
	}
}

static void absorb_labels(struct flame *to, const struct flame *from,
			  struct fl_absorbed *map)
{
	struct fl_ids *ids = &map->labels;

	for (; ids->count < from->labels.count; ids->count++) {
		const struct fl_label *l = &from->labels.data[ids->count];

		ids->data[ids->count] =
			!ids->count ? 0 :
				      flame_label(to, ids->data[l->rest],
						  map->names.data[l->key],
						  map->names.data[l->value]);
	}
}

static void move_counts(struct flame *to, flame_id metric,
			struct flame_metric *from)
{
	fl_metric_count(to, metric, from->samples, from->total);
	fl_metric_span(to, metric, from->first, from->last);
	to->metrics[metric].no_stack += from->no_stack;
	from->samples = from->no_stack = 0;
	from->total = 0;
	from->first = from->last = FLAME_NOTIME;
}

static void absorb_metrics(struct flame *to, struct flame *from,
			   struct fl_ids *ids)
{
	for (size_t i = 0; i < from->nmetrics; i++) {
		struct flame_metric *m = &from->metrics[i];

		if (i == ids->count) {
			ids->data[i] =
				!i ? 0 :
				     fl_metric(to, m->name, m->unit, m->weight);
			ids->count++;
		}
		/* Metric 0 is that of text that does not name its metric. */
		move_counts(to, ids->data[i], m);
	}
}

bool fl_absorb(struct flame *to, struct flame *from, struct fl_absorbed *map)
{
	if (!reserve(to, &map->names, from->names.count) ||
	    !reserve(to, &map->frames, from->frames.count) ||
	    !reserve(to, &map->stacks, from->stacks.count) ||
	    !reserve(to, &map->labels, from->labels.count) ||
	    !reserve(to, &map->metrics, from->nmetrics))
		return false;
	absorb_names(to, from, &map->names);
	absorb_frames(to, from, map);
	absorb_stacks(to, from, map);
	absorb_labels(to, from, map);
	absorb_metrics(to, from, &map->metrics);
	for (size_t i = 0; i < FL_COUNT(from->stated); i++)
		if (from->stated[i].metric)
			fl_state_metric(to, map->metrics.data[
					from->stated[i].metric],
					from->stated[i].input);
	return !fl_failed(to);
}

void fl_absorbed_free(struct fl_absorbed *map)
{
	fl_free(map->names.data);
	fl_free(map->frames.data);
	fl_free(map->stacks.data);
	fl_free(map->labels.data);
	fl_free(map->metrics.data);
}
