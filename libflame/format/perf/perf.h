/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The text of perf script, in the order data flow:
 *
 *	probe.c		whether a text is one
 *	perf.c		lines in, samples out; the row
 *	reader.h	what is known between two samples
 *	header.c	the line that begins a record, in its columns
 *	record.c	a record, and the sample that it is
 *	event.c		the events, a metric each
 *	lines.c		frame lines: known ones by look-up, others parsed
 *	frame.c		a frame line in its parts, and what we call it
 *	peers.c		what FlameGraph's and inferno's collapsers call it
 *	aside.c		what is no sample
 *	parts.c		for several threads
 */
#ifndef FL_PERF_H
#define FL_PERF_H

#include "format/format.h"

/* A record's first line.  Numbers are -1 where they are not printed. */
struct fl_perf_header {
	struct slice comm;
	struct slice event;	/* modifiers included; empty: none printed */
	struct slice rest;	/* of the line: a frame, or arguments */
	int64_t pid, tid, cpu;
	int64_t time;		/* ns on perf's clock, or FLAME_NOTIME */
	int64_t period;
	bool aside;		/* a PERF_RECORD_ line: not a sample */
};

/* false: not such a line. */
bool fl_perf_header(struct slice line, struct fl_perf_header *header);
/*
 * Comm and numbers alone: so little is one only where a frame follows.
 */
bool fl_perf_bare_header(struct slice line, struct fl_perf_header *header);

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

/* How frames are named: what was asked, and whose they are. */
struct fl_perf_naming {
	struct flame *flame;
	const struct fl_select *select;
	bool java;		/* the comm begins with "java": peers ask */
	struct fl_buf buf;	/* scratch */
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
bool fl_perf_add(struct flame *flame, struct fl_perf_list *list,
		 flame_id frame);

/*
 * Frame lines that were met, by their text: what they mean, and which came
 * next, since callers follow their callees again and again.  A line is kept
 * when it is met for the second time, as addresses may all be different;
 * functions of modules are kept from the first.
 */
struct fl_perf_line {
	const char *text;
	uint32_t size;		/* the newline included */
	uint32_t next;		/* the line that followed; 0: none yet */
	uint32_t first, n;	/* its frames in lines->frames */
	uint32_t source_line;	/* n 0: "file:line" of the frame before */
	flame_id source_file;
};

struct fl_perf_function {
	struct slice symbol, dso;
	bool inlined;
	uint32_t first, n;
};

struct fl_perf_lines {
	struct fl_arena arena;		/* of the lines' text */
	struct fl_index index;
	struct fl_perf_line *at;	/* at[0] is no line */
	size_t n, room;
	uint32_t *met;			/* hashes of lines met once */

	struct fl_arena texts;		/* of the functions' */
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
void fl_perf_lines_free(struct fl_perf_lines *lines);

#endif
