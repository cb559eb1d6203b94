/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Traces that an earlier chunk had as well.  The chunks of a recording hold
 * the same traces again and again: one whose bytes were made into a stack
 * before is that stack again, if the methods of its frames are still the
 * same.  That is looked at once a chunk for each frame and each stack.
 *
 * Bytes are compared by 96 bits of a hash whose key is drawn for each
 * recording: no file can be written so that two traces of it are taken for
 * one another, and it does not happen by chance.
 */
#include "fl.h"

#include "format/jfr/jfr.h"

#include <stdlib.h>
#include <sys/random.h>

/* A frame, the methods that were it, and what this chunk says of them. */
struct fl_jfr_known_frame {
	uint32_t methods;	/* in known->methods, plus one */
	uint32_t seen;		/* number of the chunk, twice; odd: the same */
};

struct fl_jfr_known_method {
	uint64_t key;
	uint32_t next;		/* of the same frame, plus one */
};

enum { MOST_METHODS = 1024 };	/* of a frame */

void fl_jfr_known_free(struct fl_jfr_known *known)
{
	fl_map_free(&known->paths);
	fl_map_free(&known->traces);
	fl_free(known->frames);
	fl_free(known->methods);
	fl_free(known->seen);
}

bool fl_jfr_known_key(struct fl_jfr *jfr)
{
	return getrandom(jfr->mark_key, sizeof(jfr->mark_key), 0) ==
	       (ssize_t)sizeof(jfr->mark_key);
}

bool fl_jfr_known_wanted(struct fl_jfr_chunk *chunk)
{
	return chunk->jfr->marks && fl_jfr_is_usual(chunk) &&
	       (chunk->more || chunk->offset);
}

void fl_jfr_known_room(struct fl_jfr_chunk *chunk)
{
	if (!fl_jfr_known_wanted(chunk))
		return;
	if (!chunk->marks)
		chunk->marks = fl_jfr_spare(chunk->jfr, FL_JFR_SPARE_MARKS,
					    &chunk->marks_room);
	if (fl_grow(&chunk->marks, &chunk->marks_room, chunk->ntraces,
		    sizeof(*chunk->marks)))
		return;
	/* It goes without; too short ones would be written past their end. */
	fl_free(chunk->marks);
	chunk->marks = NULL;
	chunk->marks_room = 0;
}

/* A byte tells chunks apart until there is none left for the next one. */
static void begin_marks(struct fl_jfr_known *known)
{
	if (++known->mark)
		return;
	if (known->seen_room)
		memset(known->seen, 0, known->seen_room);
	known->mark = 1;
}

bool fl_jfr_known_begin(struct fl_jfr_chunk *chunk)
{
	struct fl_jfr_known *known = chunk->known;

	if (known->off || !chunk->marks)
		return false;
	if (memcmp(known->types, chunk->types, sizeof(known->types)) != 0) {
		fl_map_clear(&known->traces);
		memcpy(known->types, chunk->types, sizeof(known->types));
		known->chunk = UINT64_MAX;
	}
	if (known->chunk != chunk->offset) {
		known->chunk = chunk->offset;
		known->number++;
		begin_marks(known);
	}
	return true;
}

/* Makes an array large enough for element i; new elements are zero. */
static bool reach(struct fl_jfr_known *known, void *array, size_t *room,
		  size_t i, size_t size)
{
	void **at = array;
	size_t old = *room;

	if (fl_likely(i < old))
		return true;
	if (!fl_grow(at, room, i + 1, size)) {
		known->off = true;
		return false;
	}
	memset((char *)*at + old * size, 0, (*room - old) * size);
	return true;
}

/* A share's frame is none of the source's yet. */
static void note_method(struct fl_jfr_chunk *chunk, flame_id frame,
			uint64_t method)
{
	struct fl_jfr_apart *apart = chunk->apart;

	if (!fl_grow(&apart->methods, &apart->methods_room,
		     apart->nmethods + 1, sizeof(*apart->methods))) {
		fl_no_memory(chunk->flame);
		return;
	}
	apart->methods[apart->nmethods++] = (struct fl_jfr_method_seen){
		.method = method, .frame = frame
	};
}

void fl_jfr_known_method(struct fl_jfr_chunk *chunk, flame_id frame,
			 uint64_t method)
{
	struct fl_jfr_known *known = chunk->known;
	struct fl_jfr_known_frame *f;
	uint32_t i, n = 0;

	if (chunk->apart) {
		note_method(chunk, frame, method);
		return;
	}
	if (known->off ||
	    !reach(known, &known->frames, &known->frames_room, frame,
		   sizeof(*known->frames)))
		return;
	f = &known->frames[frame];
	for (i = f->methods; i && n < MOST_METHODS; n++) {
		if (known->methods[i - 1].key == method)
			return;
		i = known->methods[i - 1].next;
	}
	if (i || known->nmethods == UINT32_MAX ||
	    !fl_grow(&known->methods, &known->methods_room,
		     known->nmethods + 1u, sizeof(*known->methods))) {
		known->off = true;
		return;
	}
	known->methods[known->nmethods] = (struct fl_jfr_known_method){
		.key = method, .next = f->methods
	};
	f->methods = ++known->nmethods;
	f->seen = 0;
}

/* Whether all methods that were this frame are it in this chunk too. */
static bool is_same_frame(struct fl_jfr_chunk *chunk, flame_id frame)
{
	struct fl_jfr_known *known = chunk->known;
	const struct flame_frame *f = &chunk->flame->frames.data[frame];
	struct slice name = fl_name_at(chunk->flame, f->name);
	uint32_t i;

	if (frame >= known->frames_room)
		return false;
	if (known->frames[frame].seen >> 1 == known->number)
		return known->frames[frame].seen & 1;
	for (i = known->frames[frame].methods; i;
	     i = known->methods[i - 1].next) {
		uint64_t method = known->methods[i - 1].key;

		if (!fl_jfr_is_method(chunk, method, f->type, name))
			break;
	}
	known->frames[frame].seen = known->number << 1 | !i;
	return !i;
}

static bool is_same_stack(struct fl_jfr_chunk *chunk, flame_id stack)
{
	struct fl_jfr_known *known = chunk->known;
	const struct fl_stack *stacks = chunk->flame->stacks.data;
	flame_id s;

	if (!reach(known, &known->seen, &known->seen_room, stack,
		   sizeof(*known->seen)))
		return false;
	for (s = stack; s && known->seen[s] != known->mark;
	     s = stacks[s].parent)
		if (!is_same_frame(chunk, stacks[s].frame))
			return false;
	for (s = stack; s && known->seen[s] != known->mark;
	     s = stacks[s].parent)
		known->seen[s] = known->mark;
	return true;
}

/*
 * From the root on, one look at each is enough.  Frames that nobody asked for
 * are left as they are: who asks first finds out.
 */
void fl_jfr_known_spread(struct fl_jfr_chunk *chunk)
{
	struct fl_jfr_known *known = chunk->known;
	const struct fl_stacks *stacks = &chunk->flame->stacks;
	const uint32_t same = known->number << 1 | 1;

	if (!reach(known, &known->seen, &known->seen_room, stacks->count - 1,
		   sizeof(*known->seen)))
		return;
	known->seen[0] = known->mark;
	for (size_t i = 1; i < stacks->count; i++) {
		const struct fl_stack *s = &stacks->data[i];

		if (s->frame < known->frames_room &&
		    known->frames[s->frame].seen == same &&
		    known->seen[s->parent] == known->mark)
			known->seen[i] = known->mark;
	}
}

static inline uint64_t fold(uint64_t a, uint64_t b)
{
	__extension__ typedef unsigned __int128 wide;
	wide p = (wide)a * b;

	return (uint64_t)p ^ (uint64_t)(p >> 64);
}

static inline struct fl_jfr_mark mix_in(struct fl_jfr_mark mark,
					const uint64_t key[4],
					const uint8_t *at)
{
	uint64_t a = fl_wire_word(at), b = fl_wire_word(at + 8);

	return (struct fl_jfr_mark){
		.key = fold(mark.key ^ a, key[2] ^ b),
		.rest = fold(mark.rest ^ b, key[3] ^ a),
	};
}

/*
 * Two words at a time, in two chains that do not wait for one another.  The
 * last ones may be among those that were there before.
 */
struct fl_jfr_mark fl_jfr_known_mark(const struct fl_jfr *jfr,
				     const uint8_t *at, size_t size)
{
	const uint64_t *key = jfr->mark_key;
	struct fl_jfr_mark even = { size ^ key[0], key[1] };
	struct fl_jfr_mark odd = { size ^ key[1], key[0] };
	const uint8_t *end = at + size;
	uint8_t few[32] = { 0 };

	for (; end - at > 32; at += 32) {
		even = mix_in(even, key, at);
		odd = mix_in(odd, key, at + 16);
	}
	if (size >= 32) {
		at = end - 32;
	} else {
		memcpy(few, at, size);
		at = few;
	}
	even = mix_in(even, key, at);
	odd = mix_in(odd, key, at + 16);
	even.key = fold(even.key, odd.key ^ key[2]);
	even.rest = fold(even.rest, odd.rest ^ key[3]);
	return even;
}

flame_id fl_jfr_known_soon(const struct fl_jfr_chunk *chunk,
			   const struct fl_jfr_mark *mark)
{
	const struct fl_jfr_known *known = chunk->known;
	const uint64_t *value = fl_map_get(&known->traces, mark->key);
	flame_id stack;

	if (!value || *value >> 32 != mark->rest >> 32)
		return FL_JFR_UNKNOWN;
	stack = (flame_id)*value;
	fl_prefetch(&chunk->flame->stacks.data[stack]);
	if (stack < known->seen_room)
		fl_prefetch(&known->seen[stack]);
	return stack;
}

bool fl_jfr_known_is(struct fl_jfr_chunk *chunk, flame_id stack)
{
	return stack != FL_JFR_UNKNOWN && is_same_stack(chunk, stack);
}

void fl_jfr_known_put(struct fl_jfr_chunk *chunk,
		      const struct fl_jfr_mark *mark, flame_id stack)
{
	struct fl_jfr_known *known = chunk->known;
	uint64_t *value = fl_map_put(&known->traces, mark->key, NULL);

	if (value)
		*value = mark->rest >> 32 << 32 | stack;
	else
		known->off = true;
}
