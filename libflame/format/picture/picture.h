/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Flame graphs that become profiles again, in the order data flow:
 *
 *	probe.c		whose the input is; the rows that read
 *	svg.c		an SVG's elements: drawn frames
 *	title.c		what a frame's title says: name, count, unit
 *	place.c		drawn frames: which of them lies on which
 *	html.c		whose an HTML page is
 *	asprof.c	async-profiler's pages
 *	asprof_tree.c	async-profiler's trees
 *	own.c		ours
 *	json_page.c	those of others, which hold JSON
 *	counts.c	frames and totals in, samples out
 */
#ifndef FL_PICTURE_H
#define FL_PICTURE_H

#include "format/format.h"

/* Stacks and what each is itself, not yet given out. */
struct fl_counts {
	struct fl_count {
		int64_t self, time;
		flame_id stack, thread, labels;
	} *at;
	size_t n, capacity, given;
	flame_id metric;	/* 0: not known */
};

/*
 * A frame on another (the number of its entry; NULL: on none).  Its total
 * is subtracted from that one's self.  false: out of memory.
 */
bool fl_counts_add(struct fl_counts *counts, struct flame *flame,
		   const size_t *parent, flame_id frame, int64_t total);
/* For a format's read: adds the next stack with a weight; FLAME_END. */
int fl_counts_read(struct flame_source *source, struct fl_counts *counts);
/*
 * The metric of a picture from its name there ("": none) and its weights;
 * counts have their sum.
 */
void fl_counts_metric(struct fl_counts *counts, struct flame *flame,
		      const char *name, const char *unit);

/* A frame from a name as folded text has it, with _[j] and its kin. */
flame_id fl_picture_frame(struct flame *flame, struct slice name);

/*
 * json_page.c: the format of the JSON that the next line begins with, after
 * `size` bytes; NULL: it does not.  Then it is opened, and read to its end.
 */
const char *fl_json_page_begins(struct fl_in *in, size_t *size);
/*
 * Whether a tree of JSON begins in the current line, `size` bytes after its
 * beginning.
 */
bool fl_tree_page_begins(struct fl_in *in, struct slice line, size_t *size);
struct flame_source *fl_json_page_open(struct flame_source *source,
				       const char *format, size_t size);
int fl_json_page_read(struct flame_source *source, struct flame_source *inner);

/* title.c: "name (1,234 samples, 5.67%)" or "name (1 -> 2 samples, +1)" */
struct fl_title {
	struct slice name, unit;
	int64_t count;		/* -1: none; the title is the name */
	bool compares;		/* the count is that of the second profile */
};
struct fl_title fl_title_read(struct slice text);
/* The picture has this heading; a tool's default heading is ignored. */
void fl_title_found(struct flame_source *source, struct slice text);
/* "12.5", "12.5%": not negative; decimals counts the digits after the dot. */
bool fl_decimal(struct slice text, double *d, unsigned *decimals);

/* place.c: a frame as it was drawn. */
struct fl_box {
	double x, y, width;
	int64_t count;		/* -1: only known from the width */
	flame_id frame;
	uint32_t run;		/* entry of fl_boxes.run, plus one; 0: none */
	uint32_t level;
	uint32_t parent, child, sibling;	/* FL_NO_BOX: none */
};

#define FL_NO_BOX UINT32_MAX

struct fl_boxes {
	struct flame *flame;
	const char *name;	/* of the input */
	struct fl_box *at;
	size_t n, capacity;
	flame_id *run;		/* frames on a box's own, up to a 0 */
	size_t nrun, run_capacity;
	size_t in_runs;		/* runs with self of their own */
	uint32_t *order;	/* by level, then x */
	double step;		/* between two places that differ */
	flame_id all, all_samples;	/* names that mean the whole */
	bool rounded;		/* some counts were not integers of theirs */
	double hidden;		/* share of the whole in gaps */
	size_t narrow;		/* left out: their places say nothing */
	size_t loose;		/* that lie on none */
};

/* Finds each box's parent, and the stacks. */
int fl_boxes_place(struct fl_boxes *boxes, struct fl_counts *counts);

/* probe.c: whether it is a picture, of either kind. */
int fl_html_probe(const uint8_t *head, size_t n, bool whole);
int fl_svg_probe(const uint8_t *head, size_t n, bool whole);

/* html.c hands over: all of the page's stacks, or failed. */
int fl_own_read(struct flame_source *source, struct fl_counts *counts);
/* What the panel Info says of a single input; errors there are ignored. */
void fl_own_read_about(struct flame_source *source);
struct fl_asprof;
struct fl_asprof *fl_asprof_new(void);
void fl_asprof_free(struct fl_asprof *a);
/* A line before the frames: palette, units, heading. */
void fl_asprof_head(struct fl_asprof *a, struct flame_source *source,
		    struct slice line);
/* cpool: from the line after it; otherwise from the one given out last. */
int fl_asprof_read(struct fl_asprof *a, struct flame_source *source,
		   struct fl_lines *lines, struct fl_counts *counts,
		   bool cpool);
/* Its tree page, from the line after its list's beginning. */
int fl_asprof_tree_read(struct flame_source *source, struct fl_lines *lines,
			struct fl_counts *counts);

#endif
