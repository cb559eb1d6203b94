/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A line's frames as a stack.  What is as it was in the line before is not
 * looked up again; the rest is one look-up a frame, by its text.
 *
 * The outermost frames may tell whose stack it is.  They stay in it, so
 * that it is written as it was read.
 */
#include "fl.h"

#include "base/block.h"
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

/* What is near ---------------------------------------------------------- */

/*
 * Names that were seen more than once, and all that is asked of them, in a
 * line of the processor's cache each, two by two.  The dictionary's tables
 * are too large to stay there.
 */
enum { NEAR_LEAST = 64, NEAR_MOST = 8192, NEAR_LINE = 64, NEAR_TEXT = 64 };

struct fl_folded_near {
	uint32_t hash;
	flame_id name;		/* 0: none is here */
	flame_id frame;		/* of the type */
	uint16_t size;
	uint8_t type;
	bool opens;
	union {
		char text[NEAR_TEXT];
		const char *at;	/* what is longer: the dictionary's */
	};
};

static struct fl_folded_near *pair(const struct fl_folded_stacks *s,
				   uint64_t hash)
{
	return &s->near[(hash >> 40) & (s->nnear - 2)];
}

static inline uint64_t differ(const char *a, const char *b, size_t at)
{
	uint64_t x, y;

	memcpy(&x, a + at, sizeof(x));
	memcpy(&y, b + at, sizeof(y));
	return x ^ y;
}

/* Up to NEAR_TEXT bytes: first and last ones that may overlap are all. */
static inline bool is_same(const char *a, const char *b, size_t n)
{
	uint64_t d = 0;

	if (fl_unlikely(n < 8))
		return memcmp(a, b, n) == 0;
	if (n > 32) {
		for (size_t i = 0; i < 32; i += 8)
			d |= differ(a, b, i) | differ(a, b, n - 32 + i);
		return !d;
	}
	if (n > 16)
		d = differ(a, b, 8) | differ(a, b, n - 16);
	return !(d | differ(a, b, 0) | differ(a, b, n - 8));
}

static bool is_near(const struct fl_folded_near *near,
		    const struct fl_folded_frame *frame, struct slice name)
{
	if (near->hash != (uint32_t)frame->hash || near->size != name.size ||
	    !near->name)
		return false;
	return fl_likely(name.size <= NEAR_TEXT) ?
	       is_same(near->text, name.at, name.size) :
	       memcmp(near->at, name.at, name.size) == 0;
}

static void look_soon(const struct fl_folded_stacks *s, uint64_t hash)
{
	const struct fl_folded_near *near = s->near ? pair(s, hash) : NULL;

	if (near) {
		fl_soon(near);
		fl_soon(near + 1);
	}
}

/* NULL: it is not there. */
static const struct fl_folded_near *
find_near(const struct fl_folded_stacks *s,
	  const struct fl_folded_frame *frame, struct slice name)
{
	const struct fl_folded_near *near = s->near ? pair(s, frame->hash) :
						      NULL;

	if (!near)
		return NULL;
	if (fl_likely(is_near(near, frame, name)))
		return near;
	return is_near(near + 1, frame, name) ? near + 1 : NULL;
}

/* More room, where there are more names; what was near comes again. */
static void grow_near(struct fl_folded_stacks *s)
{
	size_t n = s->near ? 4 * s->nnear : NEAR_LEAST;
	void *memory = fl_zeroed(n + 1, sizeof(*s->near));

	if (!memory)
		return;
	fl_free(s->near_memory);
	s->near_memory = memory;
	s->near = (struct fl_folded_near *)
		(((uintptr_t)memory + NEAR_LINE - 1) & -(uintptr_t)NEAR_LINE);
	s->nnear = n;
}

static void bring_near(struct fl_folded_stacks *s, flame_id id,
		       const struct fl_folded_frame *frame,
		       struct slice name, bool opens)
{
	struct fl_folded_near *near;

	if (!s->near || (s->nnear < NEAR_MOST &&
			 s->flame->names.n > s->nnear / 2))
		grow_near(s);
	if (!s->near || name.size > UINT16_MAX)
		return;
	near = pair(s, frame->hash);
	near[1] = near[0];
	near->hash = (uint32_t)frame->hash;
	near->name = id;
	near->frame = frame->frame;
	near->size = (uint16_t)name.size;
	near->type = frame->type;
	near->opens = opens;
	if (name.size > NEAR_TEXT)
		near->at = s->flame->names.at[id].text;
	else
		memcpy(near->text, name.at, name.size);
}

/* One that is not near; false: memory is out. */
static bool find_far(struct fl_folded_stacks *s, struct slice name,
		     struct fl_folded_frame *frame, bool *opens)
{
	flame_id id = fl_name_hashed(s->flame, name.at, name.size,
				     frame->hash);
	bool again = id < s->known_room && s->known[id].known;
	const struct fl_folded_known *known =
		id ? know(s, id, name, frame->type) : NULL;

	if (!known)
		return false;
	*opens = known->opens;
	frame->frame = fl_likely(known->type == frame->type) ? known->frame :
		       fl_frame(s->flame, id, frame->type);
	if (again)
		bring_near(s, id, frame, name, *opens);
	return true;
}

/* false: memory is out. */
static bool find_frame(struct fl_folded_stacks *s, size_t from,
		       struct fl_folded_frame *frame, bool *opens)
{
	struct slice name = { s->line + from,
			      frame->end - from - frame->suffix };
	const struct fl_folded_near *near = find_near(s, frame, name);

	if (fl_unlikely(!near))
		return find_far(s, name, frame, opens);
	*opens = near->opens;
	frame->frame = fl_likely(near->type == frame->type) ? near->frame :
		       fl_frame(s->flame, near->name, frame->type);
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
	look_soon(s, frame->hash);
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
		if (!find_frame(s, from, frame, &opens))
			return false;
		if (fl_unlikely(opens)) {
			s->joined = true;
			frame->end = fl_folded_join(line, from, end,
						    &frame->seen);
			if (frame->end != end)
				frame->frame = joined_frame(s, (struct slice){
					s->line + from, frame->end - from });
		}
		from = frame->end + 1;
		if (fl_unlikely(i != n))
			s->frames[n] = *frame;
		n++;
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
	fl_free(s->near_memory);
	fl_free(s->line);
	fl_free(s->frames);
	fl_free(s->ends);
}
