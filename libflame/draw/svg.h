/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Shared by svg.c, which measures the picture and writes its head and foot, and
 * svg_frames.c, which writes frames, labels and gaps.
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
	struct fl_frame_color frame_color;
	struct fl_nameattr *attributes;	/* NULL: none */
	const char *unit;
	struct slice plain_unit;	/* unit, if short and not escaped */
	bool compares;		/* two columns */
	struct fl_column widths;
	const int64_t *weight;	/* the totals that are widths */
	struct fl_paints paints;
	uint32_t *paint;	/* by node: a number in paints */
	/* --fold-trunk, by node, or NULL: see svg_trunk.c. */
	bool *folded;		/* part of the run of a frame above */
	uint32_t *run_end;	/* of a run's first: its last; or 0 */
	uint32_t nfolded;
	int64_t *x;
	int64_t all, total;	/* weight of the root; at least 1 */
	int64_t unit_size;	/* weight of a unit of the inner picture */
	int64_t pixel;		/* in such units */
	int64_t min_weight;	/* lighter nodes are only outlined */
	double minwidth, width, height, row, top, scale;
	uint32_t key[FL_SVG_KEYS];	/* paints that the legend explains */
	unsigned nkey;
	unsigned rows;
	uint32_t drawn, gone;
	bool cut;		/* some nodes are only outlined */
	int64_t cut_total;
	int64_t hidden;		/* weight not drawn, of the last column */
	/* Outlines of light nodes by level, in units. */
	struct fl_svg_run {
		int64_t first, from, last, end;
		bool open, begun;
		struct fl_buf path;
	} *run;
	size_t nruns, runs_capacity;
	bool failed;		/* out of memory in an outline */
};

/* A weight times --factor, for display. */
int64_t fl_svg_shown_weight(const struct fl_svg *p, int64_t weight);

/* A weight in units of the inner picture. */
static inline int64_t fl_svg_units(const struct fl_svg *p, int64_t weight)
{
	return p->unit_size == 1 ? weight : weight / p->unit_size;
}

/* The node, or the next one in preorder that is not folded. */
static inline uint32_t fl_svg_unfolded(const struct fl_svg *p, uint32_t i)
{
	while (p->folded && i < p->layout->count && p->folded[i])
		i++;
	return i;
}

/* The next node in preorder; skips subtrees of light nodes. */
static inline uint32_t fl_svg_next(const struct fl_svg *p, uint32_t i)
{
	return fl_svg_unfolded(p, i && p->weight[i] < p->min_weight ?
					  p->layout->end[i] : i + 1);
}

/*
 * svg_trunk.c: folds runs, with new levels in the layout; false: out of
 * memory.
 */
bool fl_svg_fold(struct fl_svg *p);
/* The frame of a run after one of it; 0: none. */
uint32_t fl_svg_run_next(const struct fl_svg *p, uint32_t first, uint32_t i);
/* 1: no run. */
unsigned fl_svg_run_length(const struct fl_svg *p, uint32_t first);
/* "first … last +2", as long as fits; empty: the first's name is to be cut. */
struct slice fl_svg_run_label(const struct fl_svg *p, uint32_t first,
			      double pixels, struct fl_caption *to);

void fl_svg_number(struct fl_out *out, uint64_t n);
/* Whether a node of a comparison has no width. */
bool fl_svg_is_gone(const struct fl_svg *p, uint32_t i);

/* Outlines a light node: see fl_light_nodes. */
void fl_svg_report_light(void *svg, unsigned level, unsigned further, int64_t x,
			 int64_t weight, bool outermost);
void fl_svg_drop_runs(struct fl_svg *p);

/* Writes boxes into the inner picture; false: out of memory. */
bool fl_svg_frames(struct fl_svg *p);
/* Writes gaps, hatching and labels over it, in pixels. */
void fl_svg_above(struct fl_svg *p);

#endif
