/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Folded stacks, in the order data flow:
 *
 *	number.c	counts: whole, fractions, percent
 *	sniff.c		which dialect a file is, from its beginning
 *	join.c		frames that hold a ';'
 *	stack.c		lines to stacks
 *	near.c		texts to frames
 *	walk.c		several lines down the stacks that there are
 *	owner.c		whose a stack is
 *	read.c		lines in, samples out; the row
 *	write.c		a tree as sorted lines
 */
#ifndef FL_FOLDED_H
#define FL_FOLDED_H

#include "format/format.h"

struct flame_sink *fl_folded_create(struct flame *flame, struct fl_out *out);

/* number.c */

__extension__ typedef __int128 fl_wide;

/* A count, in parts of 10^18; of a percentage too. */
struct fl_folded_count {
	fl_wide parts;
	bool percent;
	bool huge;		/* 2^63 or more, either way */
};

/* -12, 3.5, 3., 1e3, 33.82%; false: something else. */
bool fl_folded_count(struct slice text, struct fl_folded_count *count);
/*
 * Rounded, with what was carried so far; what rounding takes is carried on.
 * fraction (may be NULL): whether it took anything.
 */
int64_t fl_folded_round(const struct fl_folded_count *count, int64_t *carry,
			bool *fraction);
/* Digits alone, and fewer than 19 of them. */
bool fl_folded_digits(struct slice text, int64_t *n);

static inline bool fl_is_blank(char c)
{
	return c == ' ' || c == '\t';
}

/*
 * The last word, off the text's end, with one blank before it.  false: the
 * text is one word, or none.
 */
bool fl_folded_last(struct slice *text, struct slice *word);
/* The first word, off its beginning, with all blanks around it. */
bool fl_folded_first(struct slice *text, struct slice *word);
/* Up to the first tab, which goes too.  false: there is none. */
bool fl_folded_field(struct slice *text, struct slice *field);
/* Without blanks at its end. */
struct slice fl_folded_trim(struct slice line);

/* sniff.c */

struct fl_folded_dialect {
	enum {
		FL_COUNT_LAST, FL_COUNT_FIRST, FL_COUNT_NONE,
		FL_COUNT_TWO,		/* a line: before and after */
		FL_COUNT_THREE		/* us,idle,bytes */
	} counts;
	bool percent;		/* counts are percentages */
	bool offset;		/* a number and a tab come first: no matter */
	bool key;		/* KEY tab stack tab count */
	bool report;		/* perf report's rows stand between */
	bool children;		/* and count callees in callers, too */
	bool austin;		/* P1;T0:2;file:func:line */
	bool comm;		/* comm-PID/TID */
	bool cuts;		/* at each ';', as peers do */
};

bool fl_folded_comment(struct slice line);
void fl_folded_sniff(struct fl_in *in, struct fl_folded_dialect *dialect);
int fl_folded_probe(const uint8_t *head, size_t n, bool whole);
/* P1;T0:2 begins it. */
bool fl_folded_is_austin(struct slice line);
/* comm-PID/TID: where the numbers are; false: it is none. */
bool fl_folded_is_comm(struct slice frame, struct slice *comm,
		       struct slice *pid, struct slice *tid);

/* join.c */

/* Whether a frame's text, cut at its first ';', may go on behind that. */
bool fl_folded_opens(struct slice piece);
/*
 * Where the frame ends that begins at `from` and may go on behind its first
 * ';', at `end`.  *seen: up to where the text was looked at to know.
 */
size_t fl_folded_join(struct slice text, size_t from, size_t end,
		      size_t *seen);
/* process PID:"command": its parts; false: it is none. */
bool fl_folded_process(struct slice frame, struct slice *pid,
		       struct slice *command);

/* stack.c */

enum { FL_FOLDED_TAKEN = 16, FL_FOLDED_BEHIND = 64 };

struct fl_folded_frame {
	size_t end;		/* of its text, in the line */
	size_t seen;		/* what decided that */
	uint64_t hash;		/* of its text without a suffix, */
	uint8_t suffix;		/* so long */
	uint8_t type;		/* and that is this */
	flame_id frame, stack;
};

/*
 * Texts to stacks.  A line mostly begins as the one before it does: of that
 * one each frame is known with its end, and what stack it was.  Of lines
 * that do not some are taken, then all go down the stacks that there are.
 */
struct fl_folded_stacks {
	struct flame *flame;
	const struct fl_folded_dialect *dialect;
	/* Of names: what frame it mostly is. */
	struct fl_folded_known {
		flame_id frame;
		uint8_t type;
		bool known, opens;
	} *known;
	size_t known_room;
	struct fl_folded_near *near;	/* seen often; see near.c */
	void *near_memory;
	size_t nnear, nfar;	/* so often one was not there since it grew */
	struct fl_folded_spelt *spelt;	/* by frame */
	size_t nspelt;
	struct fl_folded_line {
		char *text;	/* with FL_FOLDED_BEHIND bytes behind it */
		size_t size, room;
		struct fl_folded_frame *frames;
		size_t n, frames_room;
	} lines[FL_FOLDED_TAKEN + 1];
	unsigned last;		/* of these */
	size_t *ends;		/* of pieces, for a while */
	size_t ends_room;
	bool joined;		/* some frames may have held a ';' */
	/* Whose stack it is: of its outermost frames. */
	flame_id thread;
	size_t nowner;		/* the frames that told */
	flame_id keys[5];
	/* Lines that were taken; those behind `done` have no stack yet. */
	struct fl_folded_taken {
		struct fl_folded_line *line;
		size_t known;		/* frames that are known stacks */
		flame_id stack, thread;
		int64_t weight;
	} taken[FL_FOLDED_TAKEN];
	unsigned ntaken, done;
};

/*
 * Adds one of up to FL_FOLDED_TAKEN lines; their stacks are in taken[] after
 * fl_folded_find_stacks.  false: out of memory.
 */
bool fl_folded_take(struct fl_folded_stacks *stacks, struct slice text,
		    int64_t weight);
bool fl_folded_find_stacks(struct fl_folded_stacks *stacks);
/* The stack of one line, where none was taken; its thread in ->thread. */
flame_id fl_folded_stack(struct fl_folded_stacks *stacks, struct slice text);
/* Lines that were taken, and the one before. */
void fl_folded_forget(struct fl_folded_stacks *stacks);
void fl_folded_stacks_free(struct fl_folded_stacks *stacks);

/* near.c */

/* What is known of a frame's text: its suffix and its hash. */
void fl_folded_set_frame(struct fl_folded_frame *frame, const char *text,
			 size_t size);
/* It will be asked for: what may be near, and what is not. */
void fl_folded_soon(const struct fl_folded_stacks *stacks, uint64_t hash);
/* The frame of a text, if it is near and one text alone; or 0. */
flame_id fl_folded_near(const struct fl_folded_stacks *stacks,
			const struct fl_folded_frame *frame, const char *text,
			size_t size);
/* Its frame; opens: it may go on behind its ';'.  false: memory is out. */
bool fl_folded_find(struct fl_folded_stacks *stacks,
		    struct fl_folded_frame *frame, const char *text,
		    size_t size, bool *opens);
/* The frame of a ';' or two: looked up as one name. */
flame_id fl_folded_joined(struct fl_folded_stacks *stacks,
			  struct slice piece);
/* Where the frame, which is the line's from `at` on, ends; 0: it is not. */
size_t fl_folded_spells(const struct fl_folded_stacks *stacks,
			const struct fl_folded_line *line, size_t at,
			flame_id frame);
void fl_folded_near_free(struct fl_folded_stacks *stacks);

/* walk.c: of taken lines behind `done`, frames that are known stacks. */
void fl_folded_walk(struct fl_folded_stacks *stacks);
/* owner.c: of a line, whose first frames are those of the one before. */
void fl_folded_owner(struct fl_folded_stacks *stacks,
		     const struct fl_folded_line *line, size_t shared);

#endif
