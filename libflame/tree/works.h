/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the names of frames say of their stacks: works.c finds the row of
 * share/rules/works for a name, words.c sums stacks by these rows.
 */
#ifndef FL_WORKS_H
#define FL_WORKS_H

#include "dict/dict.h"

/* The kinds are described in share/rules/works; OWN: no row matches. */
enum fl_work_kind {
	FL_WORK_OWN, FL_WORK_TASK, FL_WORK_OVER, FL_WORK_INNER, FL_WORK_WAIT,
	FL_WORK_IDLE, FL_WORK_PAUSE, FL_WORK_WRAPPER, FL_WORK_PLATFORM
};

struct fl_work {
	enum fl_work_kind kind;
	const char *name;	/* of bills; rows of one name are one work */
	const char *words;	/* in a sentence: "in zlib" */
	const char *patterns;
};

extern const struct fl_work fl_works[];		/* ends in a row without name */

enum { FL_MAX_WORKS = 64 };

/* NULL: out of memory. */
struct fl_work_names *fl_work_names_new(void);
void fl_work_names_free(struct fl_work_names *names);
/* The row that matches, plus one; 0: none does. */
uint8_t fl_work_of(const struct fl_work_names *names, struct slice name);
/* An expression for the script of pages: "/^java[./]util[./]regex[./]|re2::/" */
void fl_work_regexp(struct fl_buf *to, unsigned row);

/* words.c -------------------------------------------------------------- */

/* Stacks as nodes in preorder; node 0 is the root, which has no frame. */
struct fl_word_nodes {
	uint32_t count;
	const flame_id *name;
	const uint8_t *type;
	const uint32_t *parent, *end;
	const int64_t *self;
	bool tasks;		/* all are of tasks */
};

struct fl_word_work {
	uint8_t row;		/* in fl_works */
	flame_id what;		/* the innermost own frame of most of it; or 0 */
	int64_t weight;
	int64_t inside;		/* of that, in stacks with fl_words.frame */
};

/* What stacks show: those of tasks, where there are any; else all but idle ones. */
struct fl_words {
	int64_t all;		/* with tasks, of every stack, idle ones too */
	int64_t base;		/* of these: what is described */
	bool tasks;		/* that is stacks of tasks */
	/* The frame that names most of it: with its weight; 0: none. */
	flame_id frame;
	uint8_t frame_type;
	int64_t frame_weight;
	bool frame_own;
	bool frame_inner;	/* a quarter has no such frame above it */
	/* The heaviest frame by self that is not of a work. */
	flame_id leaf;
	uint8_t leaf_type;
	int64_t leaf_weight, leaf_inside;
	int64_t kinds[FLAME_WAKER + 1];	/* self, by enum flame_type */
	struct fl_word_work works[FL_MAX_WORKS];	/* heaviest first */
	unsigned nworks;
	/* Works of stacks beside those of tasks. */
	struct fl_word_work beside[FL_MAX_WORKS];
	unsigned nbeside;
};

/* A dictionary's names, with what they are; sums, to be used many times. */
struct fl_wording *fl_wording_new(struct flame *flame);
void fl_wording_free(struct fl_wording *wording);
/* FLAME_FAILED: out of memory. */
int fl_wording_find(struct fl_wording *wording,
		    const struct fl_word_nodes *nodes, struct fl_words *words);

/* What answers first: an index in works; -1: the frame, or else the leaf. */
int fl_words_first(const struct fl_words *words);

#endif
