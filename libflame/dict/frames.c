/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The frame table: every distinct (name, file, line, type) once.
 */
#include "fl.h"

#include "dict/tables.h"

flame_id flame_frame(struct flame *flame, const struct flame_frame *frame)
{
	struct fl_frames *frames = &flame->frames;
	uint64_t hash = fl_mix((uint64_t)frame->name << 32 | frame->file,
			       (uint64_t)frame->line << 8 | frame->type);
	uint32_t i, id;

	if (!frame->name && !frame->file && !frame->line && !frame->type)
		return 0;
	for (i = fl_index_first(&frames->index, hash);
	     (id = fl_index_at(&frames->index, hash, &i));) {
		const struct flame_frame *at = &frames->at[id];

		if (at->name == frame->name && at->file == frame->file &&
		    at->line == frame->line && at->type == frame->type)
			return id;
	}
	if (!fl_table_room(flame, frames->n, &frames->at, &frames->room,
			   sizeof(*frames->at)))
		return 0;
	if (!fl_index_add(&frames->index, hash, frames->n)) {
		fl_no_memory(flame);
		return 0;
	}
	frames->at[frames->n] = *frame;
	return frames->n++;
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
