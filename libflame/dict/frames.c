/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The frame table: every distinct (name, file, line, type) once.  flame_frame()
 * returns the id of a frame, new or not, for readers and filters.  With
 * flame_unify_java and flame_demangle, frames are entered under their plain
 * names: that is decided when a frame is new, so that frames that are there
 * cost nothing.
 */
#include "fl.h"

#include "base/demangle.h"
#include "dict/java.h"
#include "dict/tables.h"

static bool same(const struct flame_frame *x, const struct flame_frame *y)
{
	return x->name == y->name && x->file == y->file &&
	       x->line == y->line && x->type == y->type;
}

static uint64_t hash_of(const struct flame_frame *frame)
{
	return fl_hash_pair((uint64_t)frame->name << 32 | frame->file,
			    (uint64_t)frame->line << 8 | frame->type);
}

static flame_id find_indexed(const struct fl_frames *frames,
			     const struct flame_frame *frame)
{
	uint64_t hash = hash_of(frame);
	uint32_t i, id;

	for (i = fl_index_first(&frames->index, hash);
	     (id = fl_index_next(&frames->index, hash, &i));)
		if (same(&frames->data[id], frame))
			return id;
	return 0;
}

/* What a program passes; the library's own frames have ids of the tables. */
static bool check(struct flame *flame, const struct flame_frame *frame)
{
	if (frame->name < flame->names.count &&
	    frame->file < flame->names.count &&
	    (unsigned)frame->type < FL_TYPES)
		return true;
	fl_fail(flame, "a frame of the name %u, the file %u and the type %u: "
		"not of this dictionary", frame->name, frame->file,
		(unsigned)frame->type);
	return false;
}

/*
 * Links the new frame after `last`, the last that is only listed, and indexes
 * it; last 0: at the front of the name's list, without the index.
 */
static flame_id enter(struct flame *flame, const struct flame_frame *frame,
		      struct fl_name *name, flame_id last)
{
	struct fl_frames *frames = &flame->frames;
	flame_id *link;

	if (!fl_table_reserve(flame, frames->count, &frames->data,
			      &frames->capacity, sizeof(*frames->data)) ||
	    !fl_table_reserve(flame, frames->count, &frames->next,
			      &frames->next_capacity, sizeof(*frames->next)))
		return 0;
	if (last &&
	    !fl_index_add(&frames->index, hash_of(frame), frames->count)) {
		fl_no_memory(flame);
		return 0;
	}
	link = last ? &frames->next[last] : &name->frame;
	frames->data[frames->count] = *frame;
	frames->next[frames->count] = *link;
	*link = frames->count;
	return frames->count++;
}

/* 0: not found.  *last: the end of the unindexed list. */
static flame_id find(const struct flame *flame,
		     const struct flame_frame *frame, flame_id *last)
{
	const struct fl_frames *frames = &flame->frames;
	flame_id id;
	unsigned n = 0;

	*last = 0;
	for (id = flame->names.data[frame->name].frame; id;
	     id = frames->next[id]) {
		if (same(&frames->data[id], frame))
			return id;
		if (++n == FL_MAX_LISTED) {
			*last = id;
			return find_indexed(frames, frame);
		}
	}
	return 0;
}

static flame_id find_or_enter(struct flame *flame,
			      const struct flame_frame *frame)
{
	struct fl_name *name = &flame->names.data[frame->name];
	flame_id last, id = find(flame, frame, &last);

	if (id || (!frame->name && !frame->file && !frame->line &&
		   !frame->type))
		return id;
	return enter(flame, frame, name, last);
}

void flame_unify_java(struct flame *flame, bool unify)
{
	if (flame)
		flame->unify = unify;
}

void flame_demangle(struct flame *flame, bool demangle)
{
	if (flame)
		flame->demangle = demangle;
}

/* As its author wrote it; itself, if that is not known. */
static flame_id demangled(struct flame *flame, flame_id name)
{
	struct slice s = fl_name_at(flame, name);
	struct fl_buf buf = { 0 };

	if (flame->demangle && fl_is_mangled(s) && strlen(s.data) == s.size &&
	    fl_demangle(&buf, s.data) && !buf.failed)
		name = flame_name(flame, buf.data, buf.size);
	if (buf.failed)
		fl_no_memory(flame);
	fl_buf_free(&buf);
	return name;
}

/* Its plain name; its own, if there is no other. */
static flame_id find_plain(struct flame *flame,
			   const struct flame_frame *frame)
{
	bool leaf = fl_is_class_leaf(flame, frame), fresh;
	uint64_t key = (uint64_t)frame->name << 8 | frame->type << 1 | leaf;
	uint64_t *known = fl_map_get(&flame->plain, key);
	struct fl_buf buf = { 0 };
	flame_id name;

	if (known)
		return (flame_id)*known;
	name = demangled(flame, frame->name);
	if (flame->unify &&
	    fl_java_plain(fl_name_at(flame, name), frame->type, leaf, &buf))
		name = flame_name(flame, buf.data, buf.size);
	if (name != frame->name && !buf.failed)
		known = fl_map_put(&flame->plain, key, &fresh);
	if (known)
		*known = name;
	else if (name != frame->name)
		fl_no_memory(flame);
	fl_buf_free(&buf);
	return name;
}

flame_id flame_frame(struct flame *flame, const struct flame_frame *frame)
{
	struct flame_frame f;
	flame_id id, last;

	if (fl_unlikely(!flame || !frame)) {
		fl_fail(flame, "no frame");
		return 0;
	}
	f = *frame;
	if (fl_likely(f.name < flame->names.count) &&
	    fl_likely(!flame->names.data[f.name].as_is)) {
		id = find(flame, &f, &last);
		if (fl_likely(id))
			return id;
	}
	if (!check(flame, &f))
		return 0;
	if ((flame->unify || flame->demangle) && f.name)
		f.name = find_plain(flame, &f);
	return find_or_enter(flame, &f);
}

flame_id fl_frame_as_is(struct flame *flame, const struct flame_frame *frame)
{
	if ((flame->unify || flame->demangle) && frame->name)
		flame->names.data[frame->name].as_is = 1;
	return find_or_enter(flame, frame);
}

flame_id fl_frame(struct flame *flame, flame_id name, enum flame_type type)
{
	return flame_frame(flame, &(struct flame_frame){ .name = name,
							 .type = type });
}

flame_id flame_frames(const struct flame *flame)
{
	return flame ? (flame_id)flame->frames.count - 1 : 0;
}

const struct flame_frame *flame_frame_of(const struct flame *flame,
					 flame_id frame)
{
	static const struct flame_frame nothing;

	return flame && frame < flame->frames.count ?
		       &flame->frames.data[frame] : &nothing;
}
