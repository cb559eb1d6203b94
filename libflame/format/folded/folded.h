/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Folded stacks, in the order data flow:
 *
 *	sniff.c		the dialect of a file, from its beginning
 *	join.c		frames that contain a ';'
 *	stack.c		lines to stacks
 *	frame_cache.c	texts to frames
 *	thread.c	outermost frames to threads
 *	plain.c		lines that need no dictionary of frames
 *	light.c		lines whose names are nearly all new, summed
 *	read.c		lines in, samples out; the row
 *	table.c		rows of our own tables in, samples out
 *	write.c		a tree as sorted lines
 */
#ifndef FL_FOLDED_H
#define FL_FOLDED_H

#include "format/format.h"

struct flame_sink *fl_folded_create(struct flame *flame, struct fl_out *out);

/* sniff.c */

struct fl_folded_dialect {
	enum {
		FL_COUNT_LAST, FL_COUNT_FIRST, FL_COUNT_NONE,
		FL_COUNT_TWO,		/* a line: before and after */
		FL_COUNT_THREE		/* us,idle,bytes */
	} counts;
	bool percent;		/* counts are percentages */
	bool offset;		/* a number and a tab to drop come first */
	bool key;		/* KEY tab stack tab count */
	unsigned nkeys;		/* columns of keys, by the header */
	bool report;		/* rows of perf report between the stacks */
	bool callee;		/* whose stacks are leaf first */
	bool ordered;		/* rows name functions, which say so */
	bool table;		/* CSV: "stack",count */
	bool remarks;		/* "stack count #text" */
	bool children;		/* which count callees in their callers, too */
	bool austin;		/* P1;T0:2;file:func:line */
	bool comm;		/* comm-PID/TID */
	bool compat;		/* as other tools: each ';' ends a frame */
};

#define BYTE_ORDER_MARK "\xef\xbb\xbf"

bool fl_folded_comment(struct slice line);
/* A row of CSV: the stack, with its quotes if it has some, and the count. */
bool fl_folded_row(struct slice line, struct slice *stack,
		   struct slice *count);
/* "stack 5 #text" without the text; false: there is none. */
bool fl_folded_cut_remark(struct slice *line);
void fl_folded_sniff(struct fl_in *in, struct fl_folded_dialect *dialect);
int fl_folded_probe(const uint8_t *head, size_t n, bool whole);
/* Whether the line begins with P1;T0:2. */
bool fl_folded_is_austin(struct slice line);
/* The parts of comm-PID/TID; false: the frame is something else. */
bool fl_folded_is_comm(struct slice frame, struct slice *comm,
		       struct slice *pid, struct slice *tid);

/* join.c */

/* Whether a piece that a ';' ends may be a frame that contains this ';'. */
bool fl_folded_opens(struct slice piece);
/*
 * Returns the end of the frame that begins at `from`, and whose first ';', at
 * `end`, may be part of it.  *scanned: bytes of the text that decided that.
 */
size_t fl_folded_join(struct slice text, size_t from, size_t end,
		      size_t *scanned);
/* The parts of process PID:"command"; false: the frame is something else. */
bool fl_folded_process(struct slice frame, struct slice *pid,
		       struct slice *command);

/* stack.c */

enum {
	FL_FOLDED_BATCH = FL_LOOKUP_BATCH,	/* lines */
	FL_FOLDED_PADDING = 64	/* readable bytes after a line's text */
};

/* A frame of a line. */
struct fl_folded_frame {
	size_t end;		/* of its text, as an offset in the line */
	size_t scanned;		/* bytes of the line that decided `end` */
	uint64_t hash;		/* of its name, */
	size_t size;		/* which is so long */
	uint8_t type;
};

struct fl_folded_line {
	char *text;
	size_t size, text_capacity;
	bool whole;		/* a whole stack, */
	uint64_t hash;		/* whose text has this one */
	struct fl_folded_frame *frames;
	struct fl_pair *path;	/* interned frames */
	size_t count, capacity, path_capacity;
};

/* frame_cache.c */
struct fl_folded_cache {
	struct fl_folded_entry *entries;
	void *memory;		/* of the entries, which are aligned in it */
	size_t count;
	size_t misses;		/* since it grew */
	/* By name: the frame of the type that the name had first. */
	struct fl_folded_name {
		flame_id frame;		/* 0: the name was not seen */
		uint8_t type;
		bool opens;		/* see fl_folded_opens */
	} *names;
	size_t names_capacity;
};

struct fl_folded_stacks {
	struct flame *flame;
	const struct fl_folded_dialect *dialect;
	struct fl_folded_cache cache;
	/* A ring: the lines of a batch and the one before. */
	struct fl_folded_line lines[FL_FOLDED_BATCH + 1];
	unsigned last;		/* the line added last */
	size_t *ends;		/* scratch of find_ends */
	size_t ends_capacity;
	bool joined;		/* some frame may contain a ';' */
	bool whole;		/* plain lines are whole stacks: dict.h */
	/* The thread that the outermost frames name; see thread.c. */
	flame_id thread;
	size_t nthread;		/* frames that were read for it */
	flame_id keys[5];
	struct fl_folded_result {
		struct fl_folded_line *line;
		flame_id stack, thread;
		int64_t weight;
	} batch[FL_FOLDED_BATCH];
	unsigned nbatch, nfound;	/* lines; those that have stacks */
};

/*
 * Adds one of up to FL_FOLDED_BATCH lines.  fl_folded_find_stacks then sets
 * the stacks and threads of all in batch[], and begins a new batch.  false:
 * out of memory, and the batch is lost.
 */
bool fl_folded_add_line(struct fl_folded_stacks *stacks, struct slice text,
			int64_t weight);
bool fl_folded_find_stacks(struct fl_folded_stacks *stacks);
/* The stack of a line alone, of no batch; its thread is in ->thread. */
flame_id fl_folded_stack(struct fl_folded_stacks *stacks, struct slice text);
/* Drops the batch and the state of the last line. */
void fl_folded_discard(struct fl_folded_stacks *stacks);
void fl_folded_stacks_free(struct fl_folded_stacks *stacks);

/* frame_cache.c */

/* Sets the name and the type of a frame, given its text. */
void fl_folded_set_frame(struct fl_folded_frame *frame, const char *text,
			 size_t size);
void fl_folded_prefetch_frame(const struct fl_folded_stacks *stacks,
			      uint64_t hash);
/*
 * The id of a frame, whose text begins there; 0: out of memory.  *opens: it may
 * contain the ';' that follows it.
 */
flame_id fl_folded_find_frame(struct fl_folded_stacks *stacks,
			      const struct fl_folded_frame *frame,
			      const char *text, bool *opens);
/* The id of a frame that contains a ';'. */
flame_id fl_folded_find_joined(struct fl_folded_stacks *stacks,
			       struct slice text);
void fl_folded_cache_free(struct fl_folded_cache *cache);

/*
 * thread.c: sets stacks->thread for a line, whose first `shared` frames are
 * those of the line before.
 */
void fl_folded_find_thread(struct fl_folded_stacks *stacks,
			   const struct fl_folded_line *line, size_t shared);

/* plain.c */

/*
 * Whether frames are cut at each ';', and neither their types, threads nor
 * other spellings of their names change what is written of them.
 */
bool fl_folded_is_plain(const struct fl_folded_stacks *stacks,
			struct slice stack);
/* Whether the input is large, and most names at its beginning are new. */
bool fl_folded_is_distinct(struct flame_source *source,
			   const struct fl_folded_stacks *stacks);

/* light.c */

/* A line, or a sum of lines; the text is the input's, and stays there. */
struct fl_folded_row {
	const char *text;
	uint32_t size;
	uint32_t depth, levels;	/* of a light node: its own, below it */
	int64_t weight;
};

struct fl_folded_light {
	bool on;		/* lines are collected */
	struct slice text;	/* of the input */
	struct fl_folded_row *rows;
	size_t count, capacity;
	int64_t total;		/* of their weights */
};

/*
 * Whether the source has one sink alone that wants light nodes summed, and a
 * text of new names.  *light, unless it is NULL, is then on.
 */
bool fl_folded_light_begin(struct flame_source *source,
			   const struct fl_folded_stacks *stacks,
			   struct fl_folded_light *light);
/* false: the line, or memory, asks for lines to be read one by one. */
bool fl_folded_light_add(const struct fl_folded_stacks *stacks,
			 struct fl_folded_light *light, struct slice stack,
			 int64_t weight);
/*
 * At the end of the lines: replaces them by sums, where there is a weight that
 * is light.  false: out of memory.
 */
bool fl_folded_light_sum(struct flame_sink *sink,
			 struct fl_folded_light *light);
void fl_folded_light_free(struct fl_folded_light *light);

#endif
