/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Base of the filters that rename frames (classes.c, rename.c, tidy.c,
 * address.c): a sink that calls fl_namer.name once per frame, stores the new
 * frame, and forwards samples whose stacks have the new frames.
 */
#include "fl.h"

#include "filter/filter.h"

flame_id fl_renamed(struct flame *flame, flame_id frame,
		    const struct fl_buf *buf)
{
	struct flame_frame copy = flame->frames.data[frame];

	if (buf->failed) {
		fl_no_memory(flame);
		return 0;
	}
	copy.name = flame_name(flame, buf->data, buf->size);
	return fl_frame_as_is(flame, &copy);
}

static flame_id step(struct flame_sink *sink, flame_id parent, flame_id stack)
{
	struct fl_namer *namer = sink->state;
	struct flame *flame = sink->flame;
	flame_id frame = fl_frame_id(flame, stack);
	flame_id *place = fl_rewrite_slot(flame, &namer->frames, frame);

	if (!place)
		return 0;
	if (!*place) {
		namer->buf.size = 0;
		*place = namer->name(sink, frame) + 1;
	}
	if (*place - 1 == FL_NO_FRAME)
		return parent;
	return flame_stack(flame, parent, *place - 1);
}

void fl_namer_free(struct flame_sink *sink)
{
	struct fl_namer *namer = sink->state;

	fl_rewrite_free(&namer->frames);
	fl_buf_free(&namer->buf);
	fl_stepper_free(sink);
}

struct flame_sink *fl_namer_new(struct flame_sink *next, size_t state_size,
				flame_id (*name)(struct flame_sink *sink,
						 flame_id frame))
{
	struct flame_sink *sink = fl_stepper_new(next, state_size, step);

	if (!sink)
		return NULL;
	((struct fl_namer *)sink->state)->name = name;
	sink->free = fl_namer_free;
	return sink;
}
