/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A line's frames.  What is as it was in the line before is not looked up
 * again; the rest is one look-up a frame, by its text.
 */
#include "fl.h"

#include "base/block.h"
#include "format/folded/folded.h"

/* Bytes below a blank are blanks, as they will be written. */
static void clean(char *at, size_t size)
{
	for (size_t i = 0; i < size; i++)
		if ((unsigned char)at[i] < 0x20)
			at[i] = ' ';
}

static size_t common(const char *a, const char *b, size_t n)
{
	size_t i = 0;
	unsigned same;

	for (; i + 4 * FL_BLOCK_SIZE <= n; i += 4 * FL_BLOCK_SIZE)
		if (!fl_block_same4(a + i, b + i))
			break;
	for (; i + FL_BLOCK_SIZE <= n; i += FL_BLOCK_SIZE) {
		same = fl_block_same(a + i, b + i);
		if (same != FL_BLOCK_ALL)
			return i + (size_t)__builtin_ctz(~same);
	}
	while (i < n && a[i] == b[i])
		i++;
	return i;
}

/* Whether a frame of the line before is one of this line, too. */
static bool stays(const struct fl_folded_stacks *s,
		  const struct fl_folded_frame *frame, size_t shared)
{
	return frame->end <= shared && frame->seen <= shared &&
	       (frame->end == s->size || s->line[frame->end] == ';');
}

/*
 * The frames that stay, of the line before: most do.  Where frames hold a
 * ';', what decided that may be further on.
 */
static size_t shared_frames(const struct fl_folded_stacks *s, size_t shared)
{
	size_t i = 0;

	if (fl_unlikely(s->joined)) {
		while (i < s->n && stays(s, &s->frames[i], shared))
			i++;
		return i;
	}
	i = s->n;
	while (i && !stays(s, &s->frames[i - 1], shared))
		i--;
	return i;
}

enum { CUT = 4 * FL_BLOCK_SIZE };

/* Behind the line there is room for so much, with anything in it. */
static bool grow_line(struct fl_folded_stacks *s, size_t need)
{
	size_t had = s->line_room;

	if (!fl_grow(&s->line, &s->line_room, need, 1))
		return false;
	memset(s->line + had, 0, s->line_room - had);
	return true;
}

/*
 * Takes the new line's text in the old one's place; gives how many frames
 * stay.
 */
static bool take_line(struct fl_folded_stacks *s, struct slice text,
		      size_t *frames)
{
	size_t shared = s->line ? common(s->line, text.at,
					 FL_MIN(s->size, text.size)) : 0;

	if (fl_unlikely(text.size + CUT > s->line_room) &&
	    !grow_line(s, text.size + CUT))
		return false;
	memcpy(s->line + shared, text.at + shared, text.size - shared);
	s->size = text.size;
	*frames = shared_frames(s, shared);
	return true;
}

/* A frame's text is known: who it may be. */
static inline void set_frame(struct fl_folded_stacks *s, size_t from,
			     size_t end, struct fl_folded_frame *frame)
{
	enum flame_type type;
	struct slice name = fl_split_type((struct slice){ s->line + from,
							  end - from }, &type);

	frame->end = frame->seen = end;
	frame->type = type;
	frame->suffix = end - from - name.size;
	frame->hash = fl_hash(name.at, name.size);
	fl_folded_soon(s, frame->hash);
}

/* Where bits are set: four at once, as there are mostly less. */
static size_t add_ends(size_t *ends, size_t n, size_t at, uint64_t semis)
{
	do {
		for (unsigned i = 0; i < 4; i++) {
			ends[n] = at + (size_t)__builtin_ctzll(semis |
							       1ull << 63);
			n += semis != 0;
			semis &= semis - 1;
		}
	} while (fl_unlikely(semis));
	return n;
}

/* Of CUT bytes of the line, what is in the line. */
static uint64_t inside(const struct fl_folded_stacks *s, size_t at,
		       uint64_t mask)
{
	return fl_likely(at + CUT <= s->size) ? mask :
	       mask & (((uint64_t)1 << (s->size - at)) - 1);
}

/* From `from` on: where pieces end; their number, SIZE_MAX: no memory. */
static size_t find_ends(struct fl_folded_stacks *s, size_t from)
{
	size_t n = 0;

	for (size_t at = from; at < s->size; at += CUT) {
		char *block = s->line + at;

		if (fl_unlikely(n + CUT + 4 > s->ends_room) &&
		    !fl_grow(&s->ends, &s->ends_room, n + CUT + 4,
			     sizeof(*s->ends)))
			return SIZE_MAX;
		if (fl_unlikely(inside(s, at, fl_block_upto4(block, 0x1f))))
			clean(block, FL_MIN(s->size - at, (size_t)CUT));
		n = add_ends(s->ends, n, at,
			     inside(s, at, fl_block_is4(block, ';')));
	}
	if (from < s->size)
		s->ends[n++] = s->size;
	return n;
}

/* The n-th frame begins at `from`: where the rest do, and who they may be. */
static bool cut_line(struct fl_folded_stacks *s, size_t from, size_t n)
{
	size_t pieces = find_ends(s, from);

	if (pieces == SIZE_MAX ||
	    (fl_unlikely(n + pieces > s->frames_room) &&
	     !fl_grow(&s->frames, &s->frames_room, n + pieces,
		      sizeof(*s->frames))))
		return false;
	for (size_t i = 0; i < pieces; i++) {
		if (fl_likely(s->ends[i] > from))
			set_frame(s, from, s->ends[i], &s->frames[n++]);
		from = s->ends[i] + 1;
	}
	s->n = n;
	return true;
}

/*
 * Who they are.  One may go on behind its ';': then those that it takes in
 * are none.
 */
static bool find_frames(struct fl_folded_stacks *s, size_t from, size_t n)
{
	struct slice line = { s->line, s->size };
	size_t pieces = s->n;

	for (size_t i = n; i < pieces; i++) {
		struct fl_folded_frame *frame = &s->frames[i];
		size_t end = frame->end;
		bool opens;

		if (end < from)
			continue;
		while (s->line[from] == ';')
			from++;
		if (!fl_folded_find(s, from, n, frame, &opens))
			return false;
		if (fl_unlikely(opens)) {
			s->joined = true;
			frame->end = fl_folded_join(line, from, end,
						    &frame->seen);
			if (frame->end != end)
				frame->frame = fl_folded_joined(s,
					(struct slice){ s->line + from,
							frame->end - from });
		}
		from = frame->end + 1;
		if (fl_unlikely(i != n))
			s->frames[n] = *frame;
		n++;
	}
	s->n = n;
	return true;
}

void fl_folded_forget(struct fl_folded_stacks *s)
{
	s->n = s->size = 0;
	s->ntaken = 0;
	s->nids = s->nlate = s->late_before = s->text_size = 0;
}

bool fl_folded_take(struct fl_folded_stacks *s, struct slice text)
{
	size_t shared, from;

	if (take_line(s, text, &shared) && fl_folded_settle_first(s, shared)) {
		from = shared ? s->frames[shared - 1].end + 1 : 0;
		if (cut_line(s, from, shared) &&
		    find_frames(s, from, shared) &&
		    fl_folded_owner(s, shared) && fl_folded_add(s, shared))
			return true;
	}
	fl_folded_forget(s);
	fl_no_memory(s->flame);
	return false;
}

flame_id fl_folded_stack(struct fl_folded_stacks *s, struct slice text)
{
	if (!fl_folded_take(s, text) || !fl_folded_find_stacks(s))
		return 0;
	return s->taken[0].stack;
}

void fl_folded_stacks_free(struct fl_folded_stacks *s)
{
	fl_folded_near_free(s);
	fl_folded_taken_free(s);
	fl_free(s->line);
	fl_free(s->frames);
	fl_free(s->ends);
}
