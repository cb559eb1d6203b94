/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Lines to stacks.  What is as it was in the line before is not looked up
 * again; the rest is one look-up a frame, by its text.
 */
#include "fl.h"

#include "base/block.h"
#include "format/folded/folded.h"

static void clean(char *at, size_t size)
{
	size_t i = 0;

	while (i + FL_BLOCK_SIZE <= size && !fl_block_control(at + i))
		i += FL_BLOCK_SIZE;
	for (; i < size; i++)
		if ((unsigned char)at[i] < 0x20 || at[i] == 0x7f)
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
static bool stays(const struct fl_folded_line *l,
		  const struct fl_folded_frame *frame, size_t shared)
{
	return frame->end <= shared && frame->seen <= shared &&
	       (frame->end == l->size || l->text[frame->end] == ';');
}

/*
 * The frames that stay, of the line before: most do.  Where frames hold a
 * ';', what decided that may be further on.
 */
static size_t shared_frames(const struct fl_folded_stacks *s,
			    const struct fl_folded_line *l, size_t shared)
{
	size_t i = 0;

	if (fl_unlikely(s->joined)) {
		while (i < l->n && stays(l, &l->frames[i], shared))
			i++;
		return i;
	}
	i = l->n;
	while (i && !stays(l, &l->frames[i - 1], shared))
		i--;
	return i;
}

/* Behind the line there is room, with anything in it. */
static bool grow_line(struct fl_folded_line *l, size_t need)
{
	size_t had = l->room;

	if (!fl_grow(&l->text, &l->room, need, 1))
		return false;
	memset(l->text + had, 0, l->room - had);
	return true;
}

static bool set_line(struct fl_folded_line *l, struct slice text, size_t shared)
{
	if (fl_unlikely(text.size + FL_FOLDED_BEHIND > l->room) &&
	    !grow_line(l, text.size + FL_FOLDED_BEHIND))
		return false;
	memcpy(l->text + shared, text.data + shared, text.size - shared);
	l->size = text.size;
	return true;
}

/* Frames ---------------------------------------------------------------- */

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

enum { CUT = FL_FOLDED_BEHIND };

/* Of CUT bytes of the line, what is in the line. */
static uint64_t inside(const struct fl_folded_line *l, size_t at,
		       uint64_t mask)
{
	return fl_likely(at + CUT <= l->size) ? mask :
	       mask & (((uint64_t)1 << (l->size - at)) - 1);
}

/* From `from` on: where pieces end; their number, SIZE_MAX: no memory. */
static size_t find_ends(struct fl_folded_stacks *s, struct fl_folded_line *l,
			size_t from)
{
	size_t n = 0;

	for (size_t at = from; at < l->size; at += CUT) {
		char *block = l->text + at;

		if (fl_unlikely(n + CUT + 4 > s->ends_room) &&
		    !fl_grow(&s->ends, &s->ends_room, n + CUT + 4,
			     sizeof(*s->ends)))
			return SIZE_MAX;
		if (fl_unlikely(inside(l, at, fl_block_control4(block))))
			clean(block, FL_MIN(l->size - at, (size_t)CUT));
		n = add_ends(s->ends, n, at,
			     inside(l, at, fl_block_is4(block, ';')));
	}
	if (from < l->size)
		s->ends[n++] = l->size;
	return n;
}

/* The n-th frame begins at `from`: where the rest do, and who they may be. */
static bool cut_line(struct fl_folded_stacks *s, struct fl_folded_line *l,
		     size_t from, size_t n)
{
	size_t pieces = find_ends(s, l, from);

	if (pieces == SIZE_MAX ||
	    (fl_unlikely(n + pieces > l->frames_room) &&
	     !fl_grow(&l->frames, &l->frames_room, n + pieces,
		      sizeof(*l->frames))))
		return false;
	for (size_t i = 0; i < pieces; i++) {
		struct fl_folded_frame *frame = &l->frames[n];
		size_t end = s->ends[i];

		if (fl_likely(end > from)) {
			frame->end = frame->seen = end;
			fl_folded_set_frame(frame, l->text + from, end - from);
			fl_folded_soon(s, frame->hash);
			n++;
		}
		from = end + 1;
	}
	l->n = n;
	return true;
}

/*
 * Who they are.  One may go on behind its ';': then those that it takes in
 * are none.
 */
static bool find_frames(struct fl_folded_stacks *s, struct fl_folded_line *l,
			size_t from, size_t n)
{
	struct slice line = { l->text, l->size };
	size_t pieces = l->n;

	for (size_t i = n; i < pieces; i++) {
		struct fl_folded_frame *frame = &l->frames[i];
		size_t end = frame->end;
		bool opens;

		if (end < from)
			continue;
		while (l->text[from] == ';')
			from++;
		if (!fl_folded_find(s, frame, l->text + from, end - from,
				    &opens))
			return false;
		if (fl_unlikely(opens)) {
			s->joined = true;
			frame->end = fl_folded_join(line, from, end,
						    &frame->seen);
			if (frame->end != end)
				frame->frame = fl_folded_joined(s,
					(struct slice){ l->text + from,
							frame->end - from });
		}
		from = frame->end + 1;
		if (fl_unlikely(i != n))
			l->frames[n] = *frame;
		n++;
	}
	l->n = n;
	return true;
}

/* Stacks ---------------------------------------------------------------- */

/* n frames of the line are known: the rest, and whose they are. */
static bool find_rest(struct fl_folded_stacks *s, struct fl_folded_taken *t,
		      size_t n, size_t shared)
{
	struct fl_folded_line *l = t->line;
	size_t from = n ? l->frames[n - 1].end + 1 : 0;

	if (!cut_line(s, l, from, n) || !find_frames(s, l, from, n))
		return false;
	fl_folded_owner(s, l, shared);
	t->thread = s->thread;
	t->stack = n ? l->frames[n - 1].stack : 0;
	t->known = n;
	return true;
}

static void find_stack(struct fl_folded_stacks *s, struct fl_folded_taken *t)
{
	struct fl_folded_line *l = t->line;

	for (size_t i = t->known; i < l->n; i++)
		l->frames[i].stack = t->stack =
			flame_stack(s->flame, t->stack, l->frames[i].frame);
}

/* Of all that were taken. */
static bool find_all(struct fl_folded_stacks *s)
{
	if (s->done == s->ntaken)
		return true;
	fl_folded_walk(s);
	for (unsigned i = s->done; i < s->ntaken; i++) {
		struct fl_folded_taken *t = &s->taken[i];

		if (!find_rest(s, t, t->line->n, 0))
			return false;
		if (t->known < t->line->n)
			fl_stack_prefetch(s->flame, t->stack,
					  t->line->frames[t->known].frame);
	}
	for (; s->done < s->ntaken; s->done++)
		find_stack(s, &s->taken[s->done]);
	return true;
}

static bool failed(struct fl_folded_stacks *s)
{
	fl_folded_forget(s);
	fl_no_memory(s->flame);
	return false;
}

bool fl_folded_take(struct fl_folded_stacks *s, struct slice text,
		    int64_t weight)
{
	struct fl_folded_line *l = &s->lines[s->last];
	struct fl_folded_taken *t = &s->taken[s->ntaken];
	size_t shared = l->text ? common(l->text, text.data,
					 FL_MIN(l->size, text.size)) :
				  0;
	bool good;

	t->weight = weight;
	if (shared > text.size / 2) {
		good = find_all(s) && set_line(l, text, shared);
		t->line = l;
		shared = good ? shared_frames(s, l, shared) : 0;
		good = good && find_rest(s, t, shared, shared);
		if (good)
			find_stack(s, t);
		s->done = s->ntaken + 1;
	} else {
		s->last = (s->last + 1) % FL_COUNT(s->lines);
		t->line = l = &s->lines[s->last];
		good = set_line(l, text, 0);
		l->n = 0;
	}
	if (!good)
		return failed(s);
	s->ntaken++;
	return true;
}

bool fl_folded_find_stacks(struct fl_folded_stacks *s)
{
	if (!find_all(s))
		return failed(s);
	s->ntaken = s->done = 0;
	return true;
}

flame_id fl_folded_stack(struct fl_folded_stacks *s, struct slice text)
{
	if (!fl_folded_take(s, text, 0) ||
	    !fl_folded_find_stacks(s))
		return 0;
	return s->taken[0].stack;
}

void fl_folded_forget(struct fl_folded_stacks *s)
{
	s->lines[s->last].n = s->lines[s->last].size = 0;
	s->ntaken = s->done = 0;
}

void fl_folded_stacks_free(struct fl_folded_stacks *s)
{
	for (size_t i = 0; i < FL_COUNT(s->lines); i++) {
		fl_free(s->lines[i].text);
		fl_free(s->lines[i].frames);
	}
	fl_folded_near_free(s);
	fl_free(s->ends);
}
