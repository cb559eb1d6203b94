/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The text of perf script, in the order data flow:
 *
 *	probe.c		whether a text is one
 *	perf.c		lines in, samples out; the row
 *	reader.h	the reader's state
 *	header.c	the line that begins a record, in its columns
 *	columns.c	the columns around a stack that are not frames
 *	record.c	a record, and the sample that it is
 *	event.c		the events, a metric each
 *	shapes.c	frame lines of functions that were met, at once
 *	lines.c		the others: known ones by look-up, or parsed
 *	frame.c		a frame line in its parts, and what we call it
 *	peers.c		what FlameGraph's and inferno's collapsers call it
 *	inline.c	--inline: functions that a compiler inlined
 *	module.c	debug information of programs and libraries
 *	aside.c		lines and records that are no samples
 *	parts.c		for several threads
 */
#ifndef FL_PERF_H
#define FL_PERF_H

#include "base/block.h"
#include "format/format.h"

static inline uint64_t fl_perf_read64(const char *at)
{
	uint64_t n;

	memcpy(&n, at, sizeof(n));
	return n;
}

/* Whether short strings, mostly equal ones, are the same. */
static inline bool fl_perf_same(const char *a, const char *b, size_t n)
{
	if (n < 8) {
		while (n && a[n - 1] == b[n - 1])
			n--;
		return !n;
	}
	if (n < FL_BLOCK_SIZE)
		return fl_perf_read64(a) == fl_perf_read64(b) &&
		       fl_perf_read64(a + n - 8) == fl_perf_read64(b + n - 8);
	for (size_t i = 0; i + FL_BLOCK_SIZE < n; i += FL_BLOCK_SIZE)
		if (fl_block_same(a + i, b + i) != FL_BLOCK_ALL)
			return false;
	return fl_block_same(a + n - FL_BLOCK_SIZE, b + n - FL_BLOCK_SIZE) ==
	       FL_BLOCK_ALL;
}

/* A record's first line.  Numbers are -1 where they are not printed. */
struct fl_perf_header {
	struct slice comm;
	struct slice event;	/* modifiers included; empty: none printed */
	struct slice rest;	/* of the line: a frame, or arguments */
	struct slice cgroup;	/* empty: none printed */
	int64_t pid, tid, cpu;
	int64_t machine, vcpu;	/* of a guest: its process here, its cpu */
	int64_t time;		/* ns on perf's clock, or FLAME_NOTIME */
	int64_t period;
	bool flat;		/* its frame, and no time */
	bool aside;		/* a PERF_RECORD_ line: not a sample */
	struct fl_perf_left *left;	/* NULL: not among them */
};

/*
 * What stood left of a time: comm, ids and cpu, by their text.  A thread
 * has samples again and again.
 */
struct fl_perf_left {
	char text[80];
	bool met;
	uint8_t size, comm_at, comm_size;
	flame_id comm, base, thread, labels;	/* 0: not made yet */
	int64_t pid, tid, cpu, machine, vcpu;
};

enum { FL_PERF_LEFTS = 1024 };

/* The last line's entry is tried first. */
struct fl_perf_lefts {
	struct fl_perf_left at[FL_PERF_LEFTS];
	struct fl_perf_left *last;	/* NULL: none yet */
	char right[64];		/* from the time to the event's colon */
	uint8_t right_size;	/* 0: none */
	uint8_t event_at, event_size;	/* in right */
	uint8_t time_size;
	int64_t period;
};

/* false: not such a line.  lefts may be NULL. */
bool fl_perf_header(struct slice line, struct fl_perf_lefts *lefts,
		    struct fl_perf_header *header);
/*
 * A line at `at` whose columns are those of the line before, its time apart:
 * *size is its own, newline included.  false: work it out.
 */
bool fl_perf_header_again(const char *at, const char *end,
			  const struct fl_perf_lefts *lefts,
			  struct fl_perf_header *header, size_t *size);
/* Columns without a time, and a frame: where each record is one line. */
bool fl_perf_flat_header(struct slice line, struct fl_perf_lefts *lefts,
			 struct fl_perf_header *header);
/*
 * Comm and numbers alone: so little is one only where a frame follows.
 */
bool fl_perf_bare_header(struct slice line, struct fl_perf_lefts *lefts,
			 struct fl_perf_header *header);

/* Of a bare header: numbers and no comm. */
bool fl_perf_has_ids(const struct fl_perf_header *header);

/* A frame line: "ip symbol+0xoff (dso)", each part but one may be missing. */
struct fl_perf_frame {
	struct slice ip;
	struct slice raw;	/* between ip and dso, as printed */
	struct slice symbol;	/* without its offset */
	struct slice dso;	/* without brackets, "(deleted)", offset */
	bool inlined;		/* "(inlined)" */
};

bool fl_perf_frame(struct slice line, struct fl_perf_frame *frame);
/* "/tmp/perf-42.map", "/tmp/jitted-42-7.so": compiled while it ran. */
bool fl_perf_is_jit(struct slice dso);
/* "[libc.so.6]" of a path; as is where it is in brackets already. */
void fl_perf_dso_name(struct fl_buf *to, struct slice dso);

/* What perf's text alone can be asked for; the rows are in perf.c. */
struct fl_perf_options {
	enum fl_compat_tool peer; /* names and weights are as that tool's */
	bool total;		/* weigh by period, not by samples */
	bool lines;		/* append :LINE to names */
	bool pid, tid;		/* comm-PID, comm-PID/TID */
	bool kernel, jit;	/* a peer's _[k] and _[j] */
	bool addrs;		/* [libc.so <7f00>] where nothing is known */
	bool srcline;		/* name:file:line */
	bool inlined;		/* look inlined functions up */
	char *skip_after;	/* symbols, a line each: their callers go */
};

/* How frames are named: the options, and the process. */
struct fl_perf_naming {
	struct flame *flame;
	const struct fl_perf_options *options;
	bool java;		/* the comm begins with "java": peers ask */
	struct fl_buf buf;	/* scratch */
	struct fl_perf_inline *inlines;	/* NULL: --inline is not asked */
	char inlined_ip[16];	/* of the last frame that perf inlined */
	size_t inlined_ip_size;
};

/* Frames of a line, leaf first; several where Java was inlined. */
struct fl_perf_list {
	flame_id *at;
	size_t n, room;
};

void fl_perf_name(struct fl_perf_naming *naming,
		  const struct fl_perf_frame *frame,
		  struct fl_perf_list *list);
/*
 * The same as a peer reads the line (unlike us, so parts are set anew), and
 * as it names the frame.
 */
void fl_perf_peer_parts(const struct fl_perf_naming *naming,
			struct slice line, struct fl_perf_frame *frame);
void fl_perf_peer_name(struct fl_perf_naming *naming,
		       const struct fl_perf_frame *frame,
		       struct fl_perf_list *list);

/*
 * inline.c, where there is libdw: the frames of an address, by the debug
 * information of its module.  asks: whether the module may have some.
 */
#ifdef HAVE_LIBDW
struct fl_perf_inline *fl_perf_inline_new(struct flame *flame);
bool fl_perf_inline_asks(const struct fl_perf_frame *frame);
/* false: not known; name it as ever. */
bool fl_perf_inline(struct fl_perf_inline *in, struct fl_perf_naming *naming,
		    const struct fl_perf_frame *frame,
		    struct fl_perf_list *list);
/* Says which modules told nothing; NULL is fine. */
void fl_perf_inline_tell(struct fl_perf_inline *in, const char *input);
void fl_perf_inline_free(struct fl_perf_inline *in);
#else
#define fl_perf_inline_new(flame) ((void)(flame), NULL)
#define fl_perf_inline_asks(frame) ((void)(frame), false)
#define fl_perf_inline(in, naming, frame, list) \
	((void)(in), (void)(naming), (void)(frame), (void)(list), false)
#define fl_perf_inline_tell(in, input) ((void)(in), (void)(input))
#define fl_perf_inline_free(in) ((void)(in))
#endif

bool fl_perf_add(struct flame *flame, struct fl_perf_list *list,
		 flame_id frame);

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
/* false: it has none, or memory is out. */
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
	size_t nfunctions, functions_room;
	struct fl_perf_list frames;
	size_t loose;		/* frames from here are of no line; or 0 */
};

/* The id of a line (its newline included), 0 where it is new. */
uint32_t fl_perf_lines_find(const struct fl_perf_lines *lines,
			    const char *at, size_t size, uint64_t hash);
/*
 * What a new line means: frames, which may be none, or the source of the
 * one before.  *id: the line's, if it is kept.  false: neither of the two,
 * or memory is out (see fl_failed).
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
