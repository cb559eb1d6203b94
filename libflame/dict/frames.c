/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The frame table: every distinct (name, file, line, type) once.
 */
#include "fl.h"

#include "dict/tables.h"

static bool same(const struct flame_frame *x, const struct flame_frame *y)
{
	return x->name == y->name && x->file == y->file &&
	       x->line == y->line && x->type == y->type;
}

static uint64_t hash_of(const struct flame_frame *frame)
{
	return fl_mix((uint64_t)frame->name << 32 | frame->file,
		      (uint64_t)frame->line << 8 | frame->type);
}

static flame_id find_indexed(const struct fl_frames *frames,
			     const struct flame_frame *frame)
{
	uint64_t hash = hash_of(frame);
	uint32_t i, id;

	for (i = fl_index_first(&frames->index, hash);
	     (id = fl_index_at(&frames->index, hash, &i));)
		if (same(&frames->at[id], frame))
			return id;
	return 0;
}

/* last: of those that are only listed; behind it go those of the index. */
static flame_id enter(struct flame *flame, const struct flame_frame *frame,
		      struct fl_name *name, flame_id last)
{
	struct fl_frames *frames = &flame->frames;
	flame_id *link;

	if (!fl_table_room(flame, frames->n, &frames->at, &frames->room,
			   sizeof(*frames->at)) ||
	    !fl_table_room(flame, frames->n, &frames->next,
			   &frames->next_room, sizeof(*frames->next)))
		return 0;
	if (last && !fl_index_add(&frames->index, hash_of(frame), frames->n)) {
		fl_no_memory(flame);
		return 0;
	}
	link = last ? &frames->next[last] : &name->frame;
	frames->at[frames->n] = *frame;
	frames->next[frames->n] = *link;
	*link = frames->n;
	return frames->n++;
}

flame_id flame_frame(struct flame *flame, const struct flame_frame *frame)
{
	const struct fl_frames *frames = &flame->frames;
	struct fl_name *name = &flame->names.at[frame->name < flame->names.n ?
						frame->name : 0];
	flame_id id, last = 0;
	unsigned n = 0;

	for (id = name->frame; id; id = frames->next[id]) {
		if (same(&frames->at[id], frame))
			return id;
		if (++n == FL_LISTED) {
			last = id;
			break;
		}
	}
	if (!frame->name && !frame->file && !frame->line && !frame->type)
		return 0;
	id = last ? find_indexed(frames, frame) : 0;
	return id ? id : enter(flame, frame, name, last);
}

flame_id fl_frame(struct flame *flame, flame_id name, enum flame_type type)
{
	return flame_frame(flame, &(struct flame_frame){ .name = name,
							 .type = type });
}

const struct flame_frame *flame_frame_of(const struct flame *flame,
					 flame_id frame)
{
	return &flame->frames.at[frame < flame->frames.n ? frame : 0];
}
