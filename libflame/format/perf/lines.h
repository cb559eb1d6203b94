/* SPDX-License-Identifier: Apache-2.0 */
/* Caches of frame lines: known lines are not parsed again. */
#ifndef FL_PERF_LINES_H
#define FL_PERF_LINES_H

#include "format/perf/frame.h"

enum { FL_PERF_NEXTS = 4 };

/*
 * line_cache.c: frame lines that differ in their numbers only mean the same
 * frames.  Line 0 stands for the header: first frames of stacks follow it.
 */
struct fl_perf_cached {
	uint32_t symbol;	/* sizes of the texts, */
	uint32_t tail : 31, offset : 1;	/* with "+0x1f" between them */
	uint32_t first, n;	/* its frames in lines->frames */
	uint32_t stop;		/* not 0: callers of this many go */
	uint32_t second;	/* what came two lines later, the last time */
	/* the lines that followed, the latest first; 0: none */
	struct fl_perf_next {
		uint32_t id, key;
	} next[FL_PERF_NEXTS];
	char text[];		/* the symbol, then the tail */
};

struct fl_perf_cache {
	struct fl_index index;
	char *data;		/* the lines; an id is an offset in units */
	size_t size, capacity;
	uint32_t last;		/* the line just found; 0: a stack begins */
	uint32_t before;	/* and the one before that */
};

struct fl_perf_line;

/* Looks up the line at *at, which moves past it; NULL: not in the cache. */
const struct fl_perf_cached *fl_perf_cache_find(struct fl_perf_cache *cache,
						const char **at,
						const char *end);
/* false: lines of this form are not cached, or out of memory. */
bool fl_perf_cache_add(struct fl_perf_cache *cache, struct slice line,
		       const struct fl_perf_frame *frame,
		       const struct fl_perf_line *meaning);
void fl_perf_cache_free(struct fl_perf_cache *cache);

/*
 * lines.c: other lines, by their text.  A line is cached when it occurs for the
 * second time, as addresses may all be different; functions of modules are
 * cached at once.
 */
struct fl_perf_line {
	const char *text;
	uint32_t size;		/* the newline included */
	uint32_t first, n;	/* its frames in lines->frames */
	uint32_t stop;		/* not 0: callers of this many go */
	uint32_t source_line;	/* n 0: "file:line" of the frame before */
	bool inlined;		/* and this, after it */
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
	struct fl_perf_line *at;	/* at[0] is not a line */
	size_t n, capacity;
	uint32_t *met;			/* hashes of lines met once */

	struct fl_arena texts;		/* of the functions */
	struct fl_perf_cache cache;
	struct fl_index by_name;
	struct fl_perf_function *functions;	/* [0] is none */
	size_t nfunctions, functions_capacity;
	struct fl_frame_list frames;
	size_t loose;		/* frames from here are of no line; or 0 */
};

/* The id of a line (its newline included); 0: not cached. */
uint32_t fl_perf_lines_find(const struct fl_perf_lines *lines,
			    const char *at, size_t size, uint64_t hash);
/* Whether a text is one of the lines of a list, as --skip-after has them. */
bool fl_perf_is_listed(const char *list, struct slice text);

/*
 * Parses a new line into its frames (possibly none), or into the source of the
 * line before.  *id: the line's, if it is cached.  false: neither of the two,
 * or out of memory (see fl_failed).
 */
bool fl_perf_lines_add(struct fl_perf_lines *lines,
		       struct fl_perf_naming *naming, struct slice text,
		       uint64_t hash, struct fl_perf_line *line,
		       uint32_t *id);
/*
 * A place, "file.c:5 (inlined)", in a line below its frame (srcline); *file is
 * empty where perf does not know it.
 */
struct fl_perf_place {
	struct slice file;
	uint32_t line;
	bool inlined;
};

bool fl_perf_is_place(struct slice text, struct fl_perf_place *place);
/* Whether the function is known. */
bool fl_perf_lines_has(const struct fl_perf_lines *lines,
		       const struct fl_perf_frame *frame);
void fl_perf_lines_free(struct fl_perf_lines *lines);

#endif
