/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The format room: one file (or a room) and one row of formats.c each.
 */
#ifndef FL_FORMAT_H
#define FL_FORMAT_H

#include "flow/flow.h"

extern const struct fl_format fl_format_jfr;
extern const struct fl_format fl_format_folded;
extern const struct fl_format fl_format_perf;
extern const struct fl_format fl_format_svg;
extern const struct fl_format fl_format_html;
extern const struct fl_format fl_format_text;

/*
 * lines.c: what readers of lines share.  Zeroed, then with its in: at the
 * beginning.
 */
struct fl_lines {
	struct fl_in *in;
	size_t used;		/* of what was peeked, by the line given out */
	bool again;		/* gives the last line once more */
	bool begun;		/* no byte order mark can come */
	uint64_t number;	/* of the line given last; the first is 1 */
	uint64_t good;		/* samples so far: the reader counts them */
	uint64_t bad, first_bad;	/* lines that were not understood */
	char text[80];		/* of the first of these */
	uint64_t next_forget;
};

/*
 * A line without its \n or \r\n (and a byte order mark); stays until the
 * next.  May hold anything else, NUL included.  false: the input has ended.
 */
bool fl_lines_next(struct fl_lines *lines, struct slice *line);
/* Counts a line that was not understood, and keeps the first. */
void fl_lines_bad(struct fl_lines *lines, struct slice line);
/*
 * At the end: says what was lost, sets the damage; gives FLAME_END.  A part
 * says nothing.
 */
int fl_lines_end(struct flame_source *source, const struct fl_lines *lines);
/* For fl_format's split, where a line is a record; resume; join. */
size_t fl_lines_split(const char *at, size_t n);
void fl_lines_resume(struct fl_lines *lines, struct fl_in *in);
void fl_lines_join(struct fl_lines *whole, struct fl_lines *part);

#endif
