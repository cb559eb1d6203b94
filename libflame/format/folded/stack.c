/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A line's frames as a stack.  What is as it was in the line before is not
 * looked up again; the rest is one look-up a frame, by its text.
 *
 * The outermost frames may tell whose stack it is.  They stay in it, so
 * that it is written as it was read.
 */
#include "fl.h"

#include "format/folded/folded.h"

#include <stdlib.h>

enum { THREAD, TID, PID, PROCESS, IN_STACK };

/* Frames ---------------------------------------------------------------- */

/* NULL: memory is out. */
static const struct fl_folded_known *know(struct fl_folded_stacks *s,
					  flame_id id, struct slice name,
					  enum flame_type type)
{
	struct fl_folded_known *known;
	size_t room = s->known_room;

	if (fl_unlikely(id >= room)) {
		if (!fl_grow(&s->known, &s->known_room, (size_t)id + 1,
			     sizeof(*known)))
			return NULL;
		memset(s->known + room, 0,
		       (s->known_room - room) * sizeof(*known));
	}
	known = &s->known[id];
	if (fl_unlikely(!known->known))
		*known = (struct fl_folded_known){
			.frame = fl_frame(s->flame, id, type),
			.type = (uint8_t)type, .known = true,
			.opens = !s->dialect->cuts && fl_folded_opens(name)
		};
	return known;
}

/* false: memory is out. */
static bool find_frame(struct fl_folded_stacks *s, size_t from,
		       struct fl_folded_frame *frame, bool *opens)
{
	const struct fl_folded_known *known;
	struct slice name = { s->line + from,
			      frame->end - from - frame->suffix };
	flame_id id = fl_name_hashed(s->flame, name.at, name.size,
				     frame->hash);

	known = id ? know(s, id, name, frame->type) : NULL;
	if (!known)
		return false;
	*opens = known->opens;
	frame->frame = fl_likely(known->type == frame->type) ? known->frame :
		       fl_frame(s->flame, id, frame->type);
	return true;
}

/* The frame of a ';' or two: looked up as one name. */
static flame_id joined_frame(struct fl_folded_stacks *s, struct slice piece)
{
	enum flame_type type;
	struct slice name = fl_split_type(piece, &type);

	return fl_frame(s->flame, flame_name(s->flame, name.at, name.size),
			type);
}

/* Lines ----------------------------------------------------------------- */

/* Any byte below a blank, eight at a time. */
static bool has_control(const char *at, size_t size)
{
	uint64_t word, found = 0;

	for (; size >= 8; at += 8, size -= 8) {
		memcpy(&word, at, 8);
		found |= (word - 0x2020202020202020u) & ~word;
	}
	if (found & 0x8080808080808080u)
		return true;
	while (size--)
		if ((unsigned char)*at++ < 0x20)
			return true;
	return false;
}

/* Such bytes are blanks, as they will be written. */
static void clean(char *at, size_t size)
{
	for (size_t i = 0; i < size; i++)
		if ((unsigned char)at[i] < 0x20)
			at[i] = ' ';
}

static size_t common(const char *a, const char *b, size_t n)
{
	uint64_t x, y;
	size_t i = 0;

	for (; i + 8 <= n; i += 8) {
		memcpy(&x, a + i, 8);
		memcpy(&y, b + i, 8);
		if (x != y)
			break;
	}
	while (i < n && a[i] == b[i])
		i++;
	return i;
}

/* The frames that stay, of the line before. */
static size_t shared_frames(const struct fl_folded_stacks *s, size_t shared)
{
	size_t i = 0;

	while (i < s->n && s->frames[i].end <= shared &&
	       s->frames[i].seen <= shared &&
	       (s->frames[i].end == s->size ||
		s->line[s->frames[i].end] == ';'))
		i++;
	return i;
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

	if (fl_unlikely(text.size >= s->line_room) &&
	    !fl_grow(&s->line, &s->line_room, text.size + 1, 1))
		return false;
	memcpy(s->line + shared, text.at + shared, text.size - shared);
	s->size = text.size;
	if (fl_unlikely(has_control(s->line + shared, text.size - shared)))
		clean(s->line + shared, text.size - shared);
	*frames = shared_frames(s, shared);
	return true;
}

/* From `from` on: where frames end, and who they may be.  The n-th is next. */
static bool cut_line(struct fl_folded_stacks *s, size_t from, size_t n)
{
	enum flame_type type;

	while (from < s->size) {
		const char *semi = memchr(s->line + from, ';', s->size - from);
		size_t end = semi ? (size_t)(semi - s->line) : s->size;
		struct fl_folded_frame *frame;
		struct slice name;

		if (fl_unlikely(n >= s->frames_room) &&
		    !fl_grow(&s->frames, &s->frames_room, n + 1,
			     sizeof(*s->frames)))
			return false;
		frame = &s->frames[n];
		frame->end = frame->seen = end;
		if (end > from) {
			name = fl_split_type((struct slice){
				s->line + from, end - from }, &type);
			frame->type = type;
			frame->suffix = end - from - name.size;
			frame->hash = fl_hash(name.at, name.size);
			fl_name_soon(s->flame, frame->hash);
			n++;
		}
		from = end + 1;
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
		struct fl_folded_frame frame = s->frames[i];
		bool opens;

		if (frame.end < from)
			continue;
		while (s->line[from] == ';')
			from++;
		if (!find_frame(s, from, &frame, &opens))
			return false;
		if (fl_unlikely(opens)) {
			frame.end = fl_folded_join(line, from, frame.end,
						   &frame.seen);
			if (frame.end != s->frames[i].end)
				frame.frame = joined_frame(s, (struct slice){
					s->line + from, frame.end - from });
		}
		s->frames[n++] = frame;
		from = frame.end + 1;
	}
	s->n = n;
	return true;
}

/* Whose ----------------------------------------------------------------- */

static struct slice cut(struct slice text, size_t from, size_t behind)
{
	return (struct slice){ text.at + from,
			       text.size > from + behind ?
			       text.size - from - behind : 0 };
}

static flame_id key(struct fl_folded_stacks *s, int which)
{
	static const char *const names[] = {
		[THREAD] = "thread", [TID] = "tid", [PID] = "pid",
		[PROCESS] = "process", [IN_STACK] = "thread-in-stack",
	};

	if (!s->keys[which])
		s->keys[which] = fl_name(s->flame, names[which]);
	return s->keys[which];
}

static void set(struct fl_folded_stacks *s, int which, struct slice value)
{
	s->thread = flame_label(s->flame, s->thread, key(s, which),
				flame_name(s->flame, value.at, value.size));
}

/* "0x7F1A": Python's own number of a thread. */
static bool is_hex(struct slice text)
{
	if (text.size < 3 || text.size > 18 || memcmp(text.at, "0x", 2) != 0)
		return false;
	for (size_t i = 2; i < text.size; i++)
		if (!memchr("0123456789abcdefABCDEF", text.at[i], 22))
			return false;
	return true;
}

/*
 * thread (140): main, as py-spy names them; thread (140); with Python's own
 * number where the system's is not known.
 */
static bool python_thread(struct fl_folded_stacks *s, struct slice name)
{
	size_t prefix = sizeof("thread (") - 1, i = prefix;
	int64_t n;

	if (!fl_slice_starts(name, "thread ("))
		return false;
	while (i < name.size && name.at[i] != ')')
		i++;
	if (i == name.size ||
	    (!fl_folded_digits(cut(name, prefix, name.size - i), &n) &&
	     !is_hex(cut(name, prefix, name.size - i))))
		return false;
	set(s, TID, cut(name, prefix, name.size - i));
	if (i + 3 < name.size && memcmp(name.at + i, "): ", 3) == 0)
		set(s, THREAD, cut(name, i + 3, 0));
	return true;
}

/* [main tid=140], [tid=140]. */
static bool tagged_thread(struct fl_folded_stacks *s, struct slice name)
{
	size_t i = name.size;
	int64_t n;

	if (name.size < 7 || name.at[0] != '[' || name.at[i - 1] != ']')
		return false;
	while (i && name.at[i - 1] != '=')
		i--;
	if (i < 5 || memcmp(name.at + i - 4, "tid=", 4) != 0 ||
	    (i > 5 && name.at[i - 5] != ' ') ||
	    !fl_folded_digits(cut(name, i, 1), &n))
		return false;
	set(s, TID, cut(name, i, 1));
	if (i > 6)
		set(s, THREAD, cut(name, 1, name.size - i + 5));
	return true;
}

/* T0:140, T140: Austin's, behind a P. */
static bool austin_thread(struct fl_folded_stacks *s, struct slice name)
{
	const char *colon = memchr(name.at, ':', name.size);
	size_t from = colon ? (size_t)(colon + 1 - name.at) : 1;

	if (!s->dialect->austin || name.size < 2 || name.at[0] != 'T')
		return false;
	set(s, TID, cut(name, from, 0));
	set(s, THREAD, name);
	return true;
}

static bool numbered(struct fl_folded_stacks *s, struct slice name)
{
	struct slice comm, pid, tid;
	int64_t n;

	if (fl_slice_starts(name, "tid:") &&
	    fl_folded_digits(cut(name, 4, 0), &n)) {
		set(s, TID, cut(name, 4, 0));
		return true;
	}
	if (!s->dialect->comm || !fl_folded_is_comm(name, &comm, &pid, &tid))
		return false;
	set(s, THREAD, comm);
	set(s, PID, pid);
	set(s, TID, tid);
	return true;
}

/* false: it says nothing, and no frame behind it does. */
static bool takes_owner(struct fl_folded_stacks *s, struct slice name,
			bool *last)
{
	struct slice pid, command;
	int64_t n;

	*last = false;
	if (fl_folded_process(name, &pid, &command)) {
		set(s, PID, pid);
		set(s, PROCESS, command);
		return true;
	}
	if (s->dialect->austin && name.size > 1 && name.at[0] == 'P' &&
	    fl_folded_digits(cut(name, 1, 0), &n)) {
		set(s, PID, cut(name, 1, 0));
		return true;
	}
	*last = python_thread(s, name) || tagged_thread(s, name) ||
		austin_thread(s, name) || numbered(s, name);
	if (*last)
		set(s, IN_STACK, name);
	return *last;
}

/* What the outermost frames say; of stacks that were seen, at once. */
static void find_owner(struct fl_folded_stacks *s)
{
	bool last = false;
	size_t i = 0;

	s->thread = 0;
	while (i < s->n && !last) {
		flame_id name = s->flame->frames.at[s->frames[i].frame].name;
		struct slice text = fl_name_at(s->flame, name);

		i++;
		if (!takes_owner(s, text, &last))
			break;
	}
	s->nowner = i;
}

/* Nearly all names begin with something else. */
static bool may_own(const struct fl_folded_stacks *s)
{
	char c = s->size ? s->line[0] : '\0';

	return c == 'p' || c == 't' || c == '[' || s->dialect->austin ||
	       s->dialect->comm;
}

static void look_for_owner(struct fl_folded_stacks *s, size_t shared)
{
	if (shared && shared >= s->nowner)
		return;
	if (may_own(s)) {
		find_owner(s);
		return;
	}
	s->thread = 0;
	s->nowner = 1;
}

/* ----------------------------------------------------------------------- */

static void begin_stack(struct fl_folded_stacks *s, size_t shared)
{
	flame_id stack = shared ? s->frames[shared - 1].stack : 0;

	s->waits = s->n > shared;
	s->leaf = s->n - 1;
	for (size_t i = shared; i + 1 < s->n; i++)
		s->frames[i].stack = stack =
			flame_stack(s->flame, stack, s->frames[i].frame);
	s->stack = stack;
	if (!s->waits)
		return;
	s->parent = stack;
	s->frame = s->frames[s->leaf].frame;
	fl_stack_soon(s->flame, s->parent, s->frame);
}

flame_id fl_folded_end(struct fl_folded_stacks *s)
{
	if (s->waits) {
		s->stack = flame_stack(s->flame, s->parent, s->frame);
		s->waits = false;
	}
	return s->stack;
}

flame_id fl_folded_begin(struct fl_folded_stacks *s, struct slice text)
{
	size_t shared, from, leaf = s->leaf;
	bool good = take_line(s, text, &shared);
	flame_id before;

	if (good) {
		from = shared ? s->frames[shared - 1].end + 1 : 0;
		good = cut_line(s, from, shared) &&
		       find_frames(s, from, shared);
	}
	before = fl_folded_end(s);
	if (!good) {
		s->n = 0;
		s->size = 0;
		s->stack = 0;
		fl_no_memory(s->flame);
		return before;
	}
	if (leaf < shared)
		s->frames[leaf].stack = before;
	begin_stack(s, shared);
	look_for_owner(s, shared);
	return before;
}

flame_id fl_folded_stack(struct fl_folded_stacks *s, struct slice text)
{
	fl_folded_begin(s, text);
	return fl_folded_end(s);
}

void fl_folded_stacks_free(struct fl_folded_stacks *s)
{
	fl_free(s->known);
	fl_free(s->line);
	fl_free(s->frames);
}
