/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Turns the frames of a picture and their totals into samples: a frame's self
 * is its total without those of the frames on it.  asprof.c and place.c add
 * frames (fl_counts_add); svg.c and html.c add the samples to the source's
 * batch (fl_counts_read).
 */
#include "fl.h"

#include "format/picture/picture.h"

#include <stdlib.h>

bool fl_counts_add(struct fl_counts *counts, struct flame *flame,
		   const size_t *parent, flame_id frame, int64_t total)
{
	flame_id stack = parent ? counts->at[*parent].stack : 0;

	if (!fl_grow(&counts->at, &counts->capacity, counts->n + 1,
		     sizeof(*counts->at)))
		return false;
	/* Less than nothing is refused later, however much it is. */
	if (parent && __builtin_sub_overflow(counts->at[*parent].self, total,
					     &counts->at[*parent].self))
		counts->at[*parent].self = INT64_MIN / 2;
	/* Frames without a name are none. */
	if (frame)
		stack = flame_stack(flame, stack, frame);
	counts->at[counts->n++] = (struct fl_count){
		.stack = stack, .self = total, .time = FLAME_NOTIME };
	return true;
}

int fl_counts_read(struct flame_source *source, struct fl_counts *counts)
{
	while (counts->given < counts->n) {
		const struct fl_count *c = &counts->at[counts->given++];

		if (c->self > 0)
			return fl_batch_add(source, &(struct flame_sample){
				.time = c->time, .thread = c->thread,
				.labels = c->labels, .metric = counts->metric,
				.stack = c->stack, .weight = c->self,
			});
	}
	return FLAME_END;
}

void fl_counts_metric(struct fl_counts *counts, struct flame *flame,
		      const char *name, const char *unit)
{
	struct flame_metric *m;

	/* Plain samples of nobody knows what, as folded text has them. */
	if (!*name && (!*unit || strcmp(unit, "samples") == 0))
		return;
	counts->metric = flame_metric(flame, *name ? name : unit,
				      *unit ? unit : "samples");
	if (!counts->metric)
		return;
	m = &flame->metrics[counts->metric];
	for (size_t i = 0; i < counts->n; i++) {
		int64_t self = FL_MAX(counts->at[i].self, 0);

		fl_metric_count(flame, counts->metric,
				strcmp(m->unit, "samples") ? self > 0 :
							     (uint64_t)self,
				self);
	}
}

flame_id fl_picture_frame(struct flame *flame, struct slice name)
{
	enum flame_type type;

	name = fl_split_type(name, &type);
	return fl_frame(flame, flame_name(flame, name.data, name.size), type);
}
