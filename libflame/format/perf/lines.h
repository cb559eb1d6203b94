/* SPDX-License-Identifier: Apache-2.0 */
/* Frame lines that were met before: their frames by look-up. */
#ifndef FL_PERF_LINES_H
#define FL_PERF_LINES_H

#include "format/perf/frame.h"

enum { FL_PERF_NEXTS = 4 };

/*
 * Shapes: frame lines that differ in their numbers alone mean the same
 * frames.  0 is none, and is followed by what begins stacks.
 */
struct fl_perf_shape {
	uint32_t symbol;	/* sizes of the texts, */
	uint32_t tail : 31, offset : 1;	/* with "+0x1f" between them */
	uint32_t first, n;	/* its frames in lines->frames */
	uint32_t stop;		/* not 0: callers of so many go */
	uint32_t second;	/* what came two lines later, the last time */
	/* What followed, the last one first; 0: nothing yet. */
	struct fl_perf_next {
		uint32_t id, key;
	} next[FL_PERF_NEXTS];
	char text[];		/* the symbol, then the tail */
};

struct fl_perf_shapes {
	struct fl_index index;
	char *at;		/* one behind the other: see shapes.c */
	size_t n, room;
	uint32_t last;		/* the one just met; 0: a stack begins */
	uint32_t before;	/* and the one before that */
};

struct fl_perf_line;

/* The shape of the line at *at, which moves past it; NULL: not known. */
const struct fl_perf_shape *fl_perf_shape_of(struct fl_perf_shapes *shapes,
					     const char **at, const char *end);
/* false: it has none, or out of memory. */
bool fl_perf_shape_add(struct fl_perf_shapes *shapes, struct slice line,
		       const struct fl_perf_frame *frame,
		       const struct fl_perf_line *meaning);
void fl_perf_shapes_free(struct fl_perf_shapes *shapes);

/*
 * Other lines below a header that were met, by their text.  A line is kept
 * when it is met for the second time, as addresses may all be different;
 * functions of modules are kept from the first.
 */
struct fl_perf_line {
	const char *text;
	uint32_t size;		/* the newline included */
	uint32_t first, n;	/* its frames in lines->frames */
	uint32_t stop;		/* not 0: callers of so many go */
	uint32_t source_line;	/* n 0: "file:line" of the frame before */
	flame_id source_file;
};

struct fl_perf_function {
	struct slice symbol, dso;
	bool inlined;
	uint32_t first, n, stop;
};

struct fl_perf_lines {
	struct fl_arena arena;		/* of the lines' text */
	struct fl_index index;
	struct fl_perf_line *at;	/* at[0] is no line */
	size_t n, room;
	uint32_t *met;			/* hashes of lines met once */

	struct fl_arena texts;		/* of the functions */
	struct fl_perf_shapes shapes;
	struct fl_index by_name;
	struct fl_perf_function *functions;	/* [0] is none */
	size_t nfunctions, functions_capacity;
	struct fl_perf_list frames;
	size_t loose;		/* frames from here are of no line; or 0 */
};

/* The id of a line (its newline included), 0 where it is new. */
uint32_t fl_perf_lines_find(const struct fl_perf_lines *lines,
			    const char *at, size_t size, uint64_t hash);
/*
 * What a new line means: frames, which may be none, or the source of the
 * one before.  *id: the line's, if it is kept.  false: neither of the two,
 * or out of memory (see fl_failed).
 */
bool fl_perf_lines_add(struct fl_perf_lines *lines,
		       struct fl_perf_naming *naming, struct slice text,
		       uint64_t hash, struct fl_perf_line *line,
		       uint32_t *id);
/* Whether a frame of this function was there. */
bool fl_perf_lines_has(const struct fl_perf_lines *lines,
		       const struct fl_perf_frame *frame);
void fl_perf_lines_free(struct fl_perf_lines *lines);

#endif
