/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Beginnings of lines that were seen often: blocks of bytes, each known with
 * those before it, and the stack of the frames that end in it.  A line that
 * begins with such blocks goes to that stack without a look at its frames.
 */
#include "fl.h"

#include "base/block.h"
#include "format/folded/folded.h"

enum {
	BLOCK = 2 * FL_FOLDED_BEHIND,
	LEAST_ROOM = 256, MOST_ROOM = 4096,
	MOST_USE = 15
};

_Static_assert(BLOCK == 8 * FL_BLOCK_SIZE, "is_block compares all of it");

struct fl_folded_block {
	uint32_t id;		/* never given to another; 0: none is here */
	uint32_t before;	/* the id of the block before; 0: the first */
	flame_id stack;
	uint32_t end;		/* of its last frame, in the line */
	uint32_t use;		/* how often it may be missed */
	char text[BLOCK];
};

static uint64_t word(const char *at)
{
	uint64_t n;

	memcpy(&n, at, sizeof(n));
	return n;
}

/* Who finds it compares all of it. */
static struct fl_folded_block *place_of(const struct fl_folded_stacks *s,
					uint32_t before, const char *text)
{
	uint64_t a = before, b = 0;

	for (size_t i = 0; i < BLOCK; i += 32) {
		a ^= fl_hash_pair(word(text + i) + i, word(text + i + 8));
		b ^= fl_hash_pair(word(text + i + 16) + i, word(text + i + 24));
	}
	return &s->blocks[fl_hash_pair(a, b) & (s->blocks_room - 1)];
}

static bool is_block(const struct fl_folded_block *b, uint32_t before,
		     const char *text)
{
	return b->id && b->before == before &&
	       fl_block_same4(b->text, text) &&
	       fl_block_same4(b->text + BLOCK / 2, text + BLOCK / 2);
}

static bool ask(const struct fl_folded_stacks *s, struct fl_folded_jump *j)
{
	const struct fl_folded_line *l = j->line;

	if ((j->n + 1) * BLOCK > l->size) {
		j->next = NULL;
		return false;
	}
	j->next = place_of(s, j->before, l->text + j->n * BLOCK);
	for (size_t i = 0; i < sizeof(*j->next); i += 64)
		fl_prefetch((char *)j->next + i);
	return true;
}

/* The frames of the blocks are as one to those behind. */
static void land(struct fl_folded_jump *j, const struct fl_folded_block *b)
{
	struct fl_folded_frame *frame = j->line->frames;

	*frame = (struct fl_folded_frame){
		.end = b->end, .seen = b->end, .stack = b->stack,
	};
	j->line->n = 1;
}

/* false: it goes no further. */
static bool jump(struct fl_folded_jump *j)
{
	struct fl_folded_block *b = j->next;

	if (!is_block(b, j->before, j->line->text + j->n * BLOCK))
		return false;
	b->use += b->use < MOST_USE;
	j->before = b->id;
	j->n++;
	if (b->stack)
		land(j, b);
	return true;
}

/* Where there were many; they come again.  false: there is none. */
static bool want_room(struct fl_folded_stacks *s)
{
	uint32_t room = s->blocks ? 4 * s->blocks_room : LEAST_ROOM;
	struct fl_folded_block *blocks;

	if (fl_likely(s->nblocks < s->blocks_room / 2 ||
		      s->blocks_room == MOST_ROOM) && s->blocks)
		return true;
	blocks = fl_zeroed(room, sizeof(*blocks));
	if (!blocks)
		return s->blocks;
	fl_free(s->blocks);
	s->blocks = blocks;
	s->blocks_room = room;
	return true;
}

void fl_folded_jump(struct fl_folded_stacks *s, struct fl_folded_jump *jumps,
		    unsigned n)
{
	struct fl_folded_jump *on[FL_FOLDED_TAKEN];
	unsigned left = 0;

	if (!want_room(s))
		return;
	for (unsigned i = 0; i < n; i++) {
		struct fl_folded_line *l = jumps[i].line;

		if (!fl_folded_may_own(s, l) &&
		    fl_grow(&l->frames, &l->frames_room, 1,
			    sizeof(*l->frames)) && ask(s, &jumps[i]))
			on[left++] = &jumps[i];
	}
	while (left)
		for (unsigned i = 0; i < left;)
			if (jump(on[i]) && ask(s, on[i]))
				i++;
			else
				on[i] = on[--left];
}

void fl_folded_learn(struct fl_folded_stacks *s,
		     const struct fl_folded_jump *j)
{
	const struct fl_folded_line *l = j->line;
	struct fl_folded_block *b = j->next;
	size_t end = (j->n + 1) * BLOCK, i = l->n;

	/* All that ends in the block has to be known. */
	if (!b || !i || l->frames[i - 1].end < end)
		return;
	if (b->use) {
		b->use--;
		return;
	}
	while (i && l->frames[i - 1].end >= end)
		i--;
	if (s->nblocks == UINT32_MAX)
		return;
	*b = (struct fl_folded_block){
		.id = ++s->nblocks, .before = j->before, .use = 1,
		.stack = i ? l->frames[i - 1].stack : 0,
		.end = i ? (uint32_t)l->frames[i - 1].end : 0,
	};
	memcpy(b->text, l->text + j->n * BLOCK, BLOCK);
}
