/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the files of an SVG share: svg.c measures and writes what is around
 * the frames, svg_frames.c the frames themselves and what lies on them.
 */
#ifndef FL_DRAW_SVG_H
#define FL_DRAW_SVG_H

#include "draw/draw.h"
#include "tree/pruned_layout.h"

enum {
	FL_SVG_PAD = 10,	/* pixels left and right of the frames */
	FL_SVG_KEYS = 10
};

struct fl_svg {
	struct fl_page *page;
	struct fl_out *out;
	struct fl_layout *layout;
	struct fl_frame_color brush;
	struct fl_nameattr *attributes;	/* NULL: none */
	const char *unit;
	struct slice usual_unit;	/* it, if short and usual; or NULL */
	bool compares;		/* two columns */
	struct fl_column widths;
	const int64_t *weight;	/* the totals that are widths */
	struct fl_paints paints;
	uint32_t *paint;	/* by node: a number in paints */
	int64_t *x;
	int64_t all, total;	/* the root's; at least 1 */
	int64_t unit_size;	/* weight of a unit of the inner picture */
	int64_t pixel;		/* in such units */
	int64_t least;		/* lighter nodes are only outlined */
	double minwidth, width, height, row, top, scale;
	uint32_t key[FL_SVG_KEYS];	/* paints that the legend explains */
	unsigned nkey;
	unsigned rows;
	uint32_t drawn, gone;
	bool cut;		/* some nodes are only outlined */
	int64_t cut_total;
	int64_t hidden;		/* what a reader does not see: of the last */
	/* What is only outlined, by level; what was told is in no layout. */
	struct fl_svg_run {
		int64_t first, from, last, end;
		bool open, begun;
		struct fl_buf path;
	} *run;
	size_t nruns, runs_room;
	bool failed;		/* memory was out while it was told */
};

/* A weight as it is told; in units of the inner picture. */
int64_t fl_svg_counted(const struct fl_svg *p, int64_t weight);

static inline int64_t fl_svg_units(const struct fl_svg *p, int64_t weight)
{
	return p->unit_size == 1 ? weight : weight / p->unit_size;
}

/* In preorder, and past all below one that is only outlined. */
static inline uint32_t fl_svg_next(const struct fl_svg *p, uint32_t i)
{
	return i && p->weight[i] < p->least ? p->layout->end[i] : i + 1;
}

void fl_svg_number(struct fl_out *out, uint64_t n);
/* Of a comparison: it has no width. */
bool fl_svg_is_gone(const struct fl_svg *p, uint32_t i);

/* Outlines a frame that is in no layout: see fl_teller. */
void fl_svg_tell(void *svg, unsigned level, unsigned further, int64_t x,
		 int64_t weight, bool outermost);
void fl_svg_drop_runs(struct fl_svg *p);

/* In the inner picture; false: no memory. */
bool fl_svg_frames(struct fl_svg *p);
/* Above it, in pixels. */
void fl_svg_above(struct fl_svg *p);

#endif
