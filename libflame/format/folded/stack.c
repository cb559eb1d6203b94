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

static uint32_t add_text(struct fl_folded_stacks *s, struct slice name,
			 enum flame_type type, uint64_t hash)
{
	struct fl_folded_text *text;
	flame_id id;

	if (!s->ntexts)
		s->ntexts = 1;	/* 0 is "free" in the index */
	if (!fl_grow(&s->texts, &s->texts_room, s->ntexts + 1,
		     sizeof(*s->texts)) ||
	    !fl_index_add(&s->index, hash, (uint32_t)s->ntexts)) {
		fl_no_memory(s->flame);
		return 0;
	}
	id = flame_name(s->flame, name.at, name.size);
	text = &s->texts[s->ntexts];
	text->at = fl_name_at(s->flame, id).at;
	text->size = (uint32_t)name.size;
	text->type = (uint8_t)type;
	text->opens = fl_folded_opens(name);
	text->frame = fl_frame(s->flame, id, type);
	return id ? (uint32_t)s->ntexts++ : 0;
}

/* 0: memory is out. */
static const struct fl_folded_text *find_text(struct fl_folded_stacks *s,
					      struct slice piece)
{
	enum flame_type type;
	struct slice name = fl_split_type(piece, &type);
	uint64_t hash = fl_hash(name.at, name.size) + type *
			UINT64_C(0x9e3779b97f4a7c15);
	uint32_t i, id;

	for (i = fl_index_first(&s->index, hash);
	     (id = fl_index_at(&s->index, hash, &i));) {
		const struct fl_folded_text *text = &s->texts[id];

		if (text->size == name.size && text->type == type &&
		    memcmp(text->at, name.at, name.size) == 0)
			return text;
	}
	id = add_text(s, name, type, hash);
	return id ? &s->texts[id] : NULL;
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

/* From `from` on: the frames, not yet their stacks.  n frames are there. */
static bool split(struct fl_folded_stacks *s, size_t from, size_t n)
{
	struct slice line = { s->line, s->size };

	while (from < s->size) {
		const char *semi = memchr(s->line + from, ';', s->size - from);
		size_t end = semi ? (size_t)(semi - s->line) : s->size, seen;
		const struct fl_folded_text *text;
		flame_id frame;

		if (end == from) {
			from++;
			continue;
		}
		text = find_text(s, (struct slice){ s->line + from,
						    end - from });
		if (!text || (fl_unlikely(n >= s->frames_room) &&
			      !fl_grow(&s->frames, &s->frames_room, n + 1,
				       sizeof(*s->frames))))
			return false;
		frame = text->frame;
		seen = end;
		if (fl_unlikely(text->opens)) {
			size_t first = end;

			end = fl_folded_join(line, from, end, &seen);
			if (end != first)
				frame = joined_frame(s, (struct slice){
					s->line + from, end - from });
		}
		s->frames[n++] = (struct fl_folded_frame){
			.end = end, .seen = seen, .frame = frame };
		from = end + 1;
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

flame_id fl_folded_stack(struct fl_folded_stacks *s, struct slice text)
{
	size_t shared, from = 0;
	flame_id stack = 0;

	if (!take_line(s, text, &shared)) {
		fl_no_memory(s->flame);
		return 0;
	}
	if (shared) {
		from = s->frames[shared - 1].end + 1;
		stack = s->frames[shared - 1].stack;
	}
	if (!split(s, from, shared)) {
		fl_no_memory(s->flame);
		return 0;
	}
	for (size_t i = shared; i < s->n; i++)
		s->frames[i].stack = stack =
			flame_stack(s->flame, stack, s->frames[i].frame);
	look_for_owner(s, shared);
	return stack;
}

void fl_folded_stacks_free(struct fl_folded_stacks *s)
{
	fl_index_free(&s->index);
	free(s->texts);
	free(s->line);
	free(s->frames);
}
