/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Texts to frames.
 */
#include "fl.h"

#include "base/block.h"
#include "format/folded/folded.h"

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
	flame_id frame;
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

static inline bool is_near(const struct fl_folded_near *near,
			   const struct fl_folded_frame *frame,
			   struct slice name)
{
	if (near->hash != (uint32_t)frame->hash || near->size != name.size ||
	    near->type != frame->type || !near->name)
		return false;
	return fl_likely(name.size <= NEAR_TEXT) ?
	       is_same(near->text, name.data, name.size) :
	       memcmp(near->at, name.data, name.size) == 0;
}

void fl_folded_soon(const struct fl_folded_stacks *s, uint64_t hash)
{
	const struct fl_folded_near *near = s->near ? pair(s, hash) : NULL;

	if (near) {
		fl_prefetch(near);
		fl_prefetch(near + 1);
	}
	fl_name_prefetch(s->flame, hash);
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

flame_id fl_folded_near(const struct fl_folded_stacks *s,
			const struct fl_folded_frame *frame, const char *text,
			size_t size)
{
	struct slice name = { text, size - frame->suffix };
	const struct fl_folded_near *near = find_near(s, frame, name);

	return near && !near->opens ? near->frame : 0;
}

/* More room, where there are more names; what was near comes again. */
static void grow_near(struct fl_folded_stacks *s)
{
	size_t n = s->near ? 4 * s->nnear : NEAR_LEAST;
	void *memory = fl_zeroed_touched(n + 1, sizeof(*s->near));

	if (!memory)
		return;
	fl_free(s->near_memory);
	s->near_memory = memory;
	s->near = (struct fl_folded_near *)
		(((uintptr_t)memory + NEAR_LINE - 1) & -(uintptr_t)NEAR_LINE);
	s->nnear = n;
	s->nfar = 0;
}

/*
 * One was not there.  Whether a larger table is worth it, which takes time to
 * fill, too.
 */
static bool miss(struct fl_folded_stacks *s)
{
	return !s->near || (s->nnear < NEAR_MOST &&
			    s->flame->names.count > s->nnear / 2 &&
			    ++s->nfar > 2 * s->nnear);
}

static void bring_near(struct fl_folded_stacks *s, flame_id id,
		       const struct fl_folded_frame *frame,
		       struct slice name, bool opens)
{
	struct fl_folded_near *near;

	if (miss(s))
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
		near->at = s->flame->names.data[id].text;
	else
		memcpy(near->text, name.data, name.size);
}

/* Spelling -------------------------------------------------------------- */

/* How frames are spelt that were near; of the first of all. */
enum { SPELT_LEAST = 1 << 10, SPELT_MOST = 1 << 17 };

struct fl_folded_spelt {
	const char *text;	/* the dictionary's */
	uint32_t size;		/* 0: it is not known */
	uint32_t suffix;	/* its four bytes; 0: none */
};

static bool grow_spelt(struct fl_folded_stacks *s, flame_id frame)
{
	struct fl_folded_spelt *grown;
	size_t n = FL_MAX(s->nspelt, (size_t)SPELT_LEAST);

	while (n <= frame)
		n *= 2;
	grown = n > SPELT_MOST ? NULL : fl_zeroed(n, sizeof(*grown));
	if (!grown)
		return false;
	if (s->nspelt)
		memcpy(grown, s->spelt, s->nspelt * sizeof(*grown));
	fl_free(s->spelt);
	s->spelt = grown;
	s->nspelt = n;
	return true;
}

/* Behind the name is its suffix. */
static void spell(struct fl_folded_stacks *s, flame_id id,
		  const struct fl_folded_frame *frame, struct slice name)
{
	struct fl_folded_spelt *spelt;

	if (frame->frame >= s->nspelt && !grow_spelt(s, frame->frame))
		return;
	spelt = &s->spelt[frame->frame];
	spelt->text = s->flame->names.data[id].text;
	spelt->size = (uint32_t)name.size;
	if (frame->suffix)
		memcpy(&spelt->suffix, name.data + name.size,
		       sizeof(spelt->suffix));
}

size_t fl_folded_spells(const struct fl_folded_stacks *s,
			const struct fl_folded_line *line, size_t at,
			flame_id frame)
{
	const char *text = line->text + at;
	const struct fl_folded_spelt *spelt;
	size_t size, left = line->size - at;
	uint32_t suffix;

	if (fl_unlikely(frame >= s->nspelt))
		return 0;
	spelt = &s->spelt[frame];
	size = spelt->size;
	if (!size || size > left)
		return 0;
	if (spelt->suffix) {
		memcpy(&suffix, text + size, sizeof(suffix));
		if (suffix != spelt->suffix)
			return 0;
		size += sizeof(suffix);
	}
	if (size < left ? text[size] != ';' : size != left)
		return 0;
	if (fl_unlikely(spelt->size > NEAR_TEXT) ?
	    memcmp(spelt->text, text, spelt->size) != 0 :
	    !is_same(spelt->text, text, spelt->size))
		return 0;
	return at + size;
}

/* Finding --------------------------------------------------------------- */

void fl_folded_set_frame(struct fl_folded_frame *frame, const char *text,
			 size_t size)
{
	enum flame_type type;
	struct slice name = fl_split_type((struct slice){ text, size },
					  &type);

	frame->type = (uint8_t)type;
	frame->suffix = (uint8_t)(size - name.size);
	frame->hash = fl_hash(name.data, name.size);
}

/* One that is not near; false: memory is out. */
static bool find_far(struct fl_folded_stacks *s, struct slice name,
		     struct fl_folded_frame *frame, bool *opens)
{
	flame_id id =
		fl_name_hashed(s->flame, name.data, name.size, frame->hash);
	bool again = id < s->known_room && s->known[id].known;
	const struct fl_folded_known *known =
		id ? know(s, id, name, frame->type) : NULL;

	if (!known)
		return false;
	*opens = known->opens;
	frame->frame = fl_likely(known->type == frame->type) ? known->frame :
		       fl_frame(s->flame, id, frame->type);
	if (!again)
		return true;
	bring_near(s, id, frame, name, *opens);
	if (!*opens)
		spell(s, id, frame, name);
	return true;
}

bool fl_folded_find(struct fl_folded_stacks *s, struct fl_folded_frame *frame,
		    const char *text, size_t size, bool *opens)
{
	struct slice name = { text, size - frame->suffix };
	const struct fl_folded_near *near = find_near(s, frame, name);

	if (fl_unlikely(!near))
		return find_far(s, name, frame, opens);
	*opens = near->opens;
	frame->frame = near->frame;
	return true;
}

flame_id fl_folded_joined(struct fl_folded_stacks *s, struct slice piece)
{
	enum flame_type type;
	struct slice name = fl_split_type(piece, &type);

	return fl_frame(s->flame, flame_name(s->flame, name.data, name.size),
			type);
}

void fl_folded_near_free(struct fl_folded_stacks *s)
{
	fl_free(s->known);
	fl_free(s->near_memory);
	fl_free(s->spelt);
}
