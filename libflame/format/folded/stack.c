/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Lines to stacks, for read.c and table.c: fl_folded_add_line() adds a line to
 * a batch, and fl_folded_find_stacks() finds the stack and the thread of each.
 * A line that shares more than half of its text with the line before starts at
 * the last stack that they share.  Other lines are looked up in batches.
 */
#include "fl.h"

#include "base/block.h"
#include "format/folded/folded.h"

/* Lines ----------------------------------------------------------------- */

/* Control characters become blanks, as the writer does. */
static void blank_controls(char *at, size_t size)
{
	size_t i = 0;

	while (i + FL_BLOCK_SIZE <= size && !fl_block_control(at + i))
		i += FL_BLOCK_SIZE;
	for (; i < size; i++)
		if ((unsigned char)at[i] < 0x20 || at[i] == 0x7f)
			at[i] = ' ';
}

static size_t common_prefix(const char *a, const char *b, size_t n)
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

/* Whether a frame of the line before is a frame of this line too. */
static bool is_shared(const struct fl_folded_line *l,
		      const struct fl_folded_frame *frame, size_t shared)
{
	return frame->end <= shared && frame->scanned <= shared &&
	       (frame->end == l->size || l->text[frame->end] == ';');
}

/*
 * The number of frames shared with the line before, given the bytes shared.
 * Mostly all are, so they are tried from the last one.  If frames contain a
 * ';', text further on may have decided where an earlier one ends.
 */
static size_t count_shared(const struct fl_folded_stacks *s,
			   const struct fl_folded_line *l, size_t shared)
{
	size_t i = 0;

	if (fl_unlikely(s->joined)) {
		while (i < l->count && is_shared(l, &l->frames[i], shared))
			i++;
		return i;
	}
	i = l->count;
	while (i && !is_shared(l, &l->frames[i - 1], shared))
		i--;
	return i;
}

/* Initialises the padding; its value does not matter. */
static bool grow_text(struct fl_folded_line *l, size_t need)
{
	return fl_grow_zeroed(&l->text, &l->text_capacity, need, 1);
}

/* shared: bytes that the line's text has already. */
static bool set_text(struct fl_folded_line *l, struct slice text,
		     size_t shared)
{
	if (fl_unlikely(text.size + FL_FOLDED_PADDING > l->text_capacity) &&
	    !grow_text(l, text.size + FL_FOLDED_PADDING))
		return false;
	memcpy(l->text + shared, text.data + shared, text.size - shared);
	l->size = text.size;
	return true;
}

static bool reserve_frames(struct fl_folded_line *l, size_t n)
{
	return fl_likely(n <= l->path_capacity) ||
	       (fl_grow(&l->frames, &l->capacity, n, sizeof(*l->frames)) &&
		fl_grow(&l->path, &l->path_capacity, n, sizeof(*l->path)));
}

/* Frames ---------------------------------------------------------------- */

/* Offsets of set bits, four at a time, as few blocks have more. */
static size_t add_ends(size_t *ends, size_t n, size_t at, uint64_t semicolons)
{
	do {
		for (unsigned i = 0; i < 4; i++) {
			ends[n] = at + (size_t)__builtin_ctzll(semicolons |
							       1ull << 63);
			n += semicolons != 0;
			semicolons &= semicolons - 1;
		}
	} while (fl_unlikely(semicolons));
	return n;
}

enum { BLOCK = FL_FOLDED_PADDING };

/* Clears the bits of bytes after the line's end. */
static uint64_t in_line(const struct fl_folded_line *l, size_t at,
			uint64_t mask)
{
	return fl_likely(at + BLOCK <= l->size) ? mask :
	       mask & (((uint64_t)1 << (l->size - at)) - 1);
}

/*
 * Cuts the line at each ';' from `from` on, into s->ends.  Returns the number
 * of pieces; SIZE_MAX: out of memory.
 */
static size_t find_ends(struct fl_folded_stacks *s, struct fl_folded_line *l,
			size_t from)
{
	size_t n = 0;

	for (size_t at = from; at < l->size; at += BLOCK) {
		char *block = l->text + at;

		if (fl_unlikely(n + BLOCK + 4 > s->ends_capacity) &&
		    !fl_grow(&s->ends, &s->ends_capacity, n + BLOCK + 4,
			     sizeof(*s->ends)))
			return SIZE_MAX;
		if (fl_unlikely(in_line(l, at, fl_block_control4(block))))
			blank_controls(block, FL_MIN(l->size - at,
						     (size_t)BLOCK));
		n = add_ends(s->ends, n, at,
			     in_line(l, at, fl_block_is4(block, ';')));
	}
	if (from < l->size)
		s->ends[n++] = l->size;
	return n;
}

/*
 * Cuts the line from `from` on, where frame n begins, and prefetches the
 * frames of the pieces.
 */
static bool cut_line(struct fl_folded_stacks *s, struct fl_folded_line *l,
		     size_t from, size_t n)
{
	size_t pieces = find_ends(s, l, from);

	if (pieces == SIZE_MAX || !reserve_frames(l, n + pieces))
		return false;
	for (size_t i = 0; i < pieces; i++) {
		struct fl_folded_frame *frame = &l->frames[n];
		size_t end = s->ends[i];

		if (fl_likely(end > from)) {
			frame->end = frame->scanned = end;
			fl_folded_set_frame(frame, l->text + from, end - from);
			fl_folded_prefetch_frame(s, frame->hash);
			n++;
		}
		from = end + 1;
	}
	l->count = n;
	return true;
}

/*
 * Looks up the frames of the pieces, beginning with frame n, at `from`.  A
 * frame that contains a ';' includes the pieces that follow.
 */
static bool find_frames(struct fl_folded_stacks *s, struct fl_folded_line *l,
			size_t from, size_t n)
{
	struct slice line = { l->text, l->size };
	size_t pieces = l->count;

	for (size_t i = n; i < pieces; i++) {
		struct fl_folded_frame *frame = &l->frames[i];
		size_t end = frame->end;
		flame_id id;
		bool opens;

		if (end < from)
			continue;
		while (l->text[from] == ';')
			from++;
		id = fl_folded_find_frame(s, frame, l->text + from, &opens);
		if (!id)
			return false;
		if (fl_unlikely(opens)) {
			s->joined = true;
			frame->end = fl_folded_join(line, from, end,
						    &frame->scanned);
			if (frame->end != end)
				id = fl_folded_find_joined(s, (struct slice){
					l->text + from, frame->end - from });
		}
		from = frame->end + 1;
		if (fl_unlikely(i != n))
			l->frames[n] = *frame;
		l->path[n++].frame = id;
	}
	l->count = n;
	return true;
}

/* Stacks ---------------------------------------------------------------- */

/* The frames of a line that was cut, whose first n are known; its thread. */
static bool read_line(struct fl_folded_stacks *s, struct fl_folded_result *t,
		      size_t from, size_t n)
{
	if (!find_frames(s, t->line, from, n))
		return false;
	fl_folded_find_thread(s, t->line, n);
	t->thread = s->thread;
	return true;
}

/* Enters the stacks of a line, whose first n are known. */
static void enter_stacks(struct fl_folded_stacks *s,
			 struct fl_folded_result *t, size_t n)
{
	struct fl_pair *path = t->line->path;

	t->stack = n ? path[n - 1].stack : 0;
	for (; n < t->line->count; n++)
		path[n].stack = t->stack =
			flame_stack(s->flame, t->stack, path[n].frame);
}

static bool find_whole(struct fl_folded_stacks *s, struct fl_folded_result *t)
{
	t->thread = s->thread = 0;
	t->stack = fl_whole_stack(s->flame, t->line->text, t->line->size,
				  t->line->hash);
	return t->stack;
}

static bool find_all(struct fl_folded_stacks *s)
{
	struct fl_stack_lookup lookups[FL_FOLDED_BATCH];
	struct fl_folded_result *results = s->batch + s->nfound;
	unsigned n = s->nbatch - s->nfound;

	/* All are cut first: their names are fetched meanwhile. */
	for (unsigned i = 0; i < n; i++)
		if (!results[i].line->whole &&
		    !cut_line(s, results[i].line, 0, 0))
			return false;
	for (unsigned i = 0; i < n; i++) {
		struct fl_folded_line *l = results[i].line;

		if (!(l->whole ? find_whole(s, &results[i]) :
				read_line(s, &results[i], 0, 0)))
			return false;
		lookups[i] = (struct fl_stack_lookup){
			.pair = l->path, .count = l->count
		};
	}
	fl_stacks_lookup_batch(s->flame, lookups, n);
	for (unsigned i = 0; i < n; i++)
		if (!results[i].line->whole)
			enter_stacks(s, &results[i], lookups[i].done);
	s->nfound = s->nbatch;
	return true;
}

static bool failed(struct fl_folded_stacks *s)
{
	fl_folded_discard(s);
	fl_no_memory(s->flame);
	return false;
}

/* A line that shares its beginning with the one before replaces it. */
static bool read_similar(struct fl_folded_stacks *s,
			 struct fl_folded_result *t, struct slice text,
			 size_t shared)
{
	struct fl_folded_line *l = &s->lines[s->last];
	size_t n, from;

	if (!find_all(s) || !set_text(l, text, shared))
		return false;
	t->line = l;
	n = count_shared(s, l, shared);
	from = n ? l->frames[n - 1].end + 1 : 0;
	if (!cut_line(s, l, from, n) || !read_line(s, t, from, n))
		return false;
	enter_stacks(s, t, n);
	s->nfound = s->nbatch + 1;
	return true;
}

static bool add_line(struct fl_folded_stacks *s, struct fl_folded_result *t,
		     struct slice text, bool whole)
{
	s->last = (s->last + 1) % FL_COUNT(s->lines);
	t->line = &s->lines[s->last];
	t->line->count = 0;
	t->line->whole = whole;
	if (fl_unlikely(whole)) {
		t->line->hash = fl_hash(text.data, text.size);
		fl_name_prefetch(s->flame, t->line->hash);
	}
	return set_text(t->line, text, 0);
}

bool fl_folded_add_line(struct fl_folded_stacks *s, struct slice text,
			int64_t weight)
{
	const struct fl_folded_line *l = &s->lines[s->last];
	struct fl_folded_result *t = &s->batch[s->nbatch];
	bool whole = fl_unlikely(s->whole) && fl_folded_is_plain(s, text);
	size_t shared = l->text && !l->whole && !whole ?
		common_prefix(l->text, text.data, FL_MIN(l->size, text.size)) :
		0;

	t->weight = weight;
	if (!(shared > text.size / 2 ? read_similar(s, t, text, shared) :
				       add_line(s, t, text, whole)))
		return failed(s);
	s->nbatch++;
	return true;
}

bool fl_folded_find_stacks(struct fl_folded_stacks *s)
{
	if (!find_all(s))
		return failed(s);
	s->nbatch = s->nfound = 0;
	return true;
}

flame_id fl_folded_stack(struct fl_folded_stacks *s, struct slice text)
{
	if (!fl_folded_add_line(s, text, 0) || !fl_folded_find_stacks(s))
		return 0;
	return s->batch[0].stack;
}

void fl_folded_discard(struct fl_folded_stacks *s)
{
	s->lines[s->last].count = s->lines[s->last].size = 0;
	s->nbatch = s->nfound = 0;
}

void fl_folded_stacks_free(struct fl_folded_stacks *s)
{
	for (size_t i = 0; i < FL_COUNT(s->lines); i++) {
		fl_free(s->lines[i].text);
		fl_free(s->lines[i].frames);
		fl_free(s->lines[i].path);
	}
	fl_folded_cache_free(&s->cache);
	fl_free(s->ends);
}
