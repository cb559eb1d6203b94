/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writers of trees: a sink that gathers a tree and, when it is finished,
 * hands its page to write().  Pictures, HTML, text and folded stacks are
 * written so.
 */
#ifndef FL_PAGE_H
#define FL_PAGE_H

#include "tree/samples.h"

/*
 * What a page can be told: members of options are set by the rows of
 * page_options.c.
 */
struct fl_page {
	struct flame_tree *tree;
	struct fl_out *out;
	int (*write)(struct fl_page *page);
	char *title, *subtitle, *notes, *colors, *highlight, *countname;
	double width;		/* pixels, columns; 0: the writer's own choice */
	double frame_height;	/* pixels; 0: the writer's own choice */
	struct fl_minwidth {
		double n;	/* pixels, or percent of the total */
		bool percent;
	} minwidth;
	/* What the peers' pictures can be told: only pictures know these. */
	char *mine;		/* expressions, a line each */
	char *search_color, *stroke_color, *ui_color, *font, *background;
	char *nametype, *nameattr, *palette;
	double font_size, factor;	/* 0: the writer's own, 1 */
	int64_t all;		/* the width of the root, if more than it */
	int color_by;		/* enum fl_classic_by */
	enum fl_compat_tool peer;	/* merged and coloured as by it */
	bool negate, no_script;
	/* Of a comparison; colours tell a change of self or of total. */
	enum fl_widths { FL_WIDTHS_AFTER, FL_WIDTHS_BEFORE, FL_WIDTHS_MAX }
		widths;
	enum fl_delta { FL_DELTA_UNSET, FL_DELTA_SELF, FL_DELTA_TOTAL } delta;
	double noise;		/* sigmas of Poisson that stay grey; -1: 2 */
	enum fl_normal { FL_NORMAL_NONE, FL_NORMAL_TOTAL, FL_NORMAL_TIME }
		normalize;
	double scale;		/* of before, as it is shown; 1: as it is */
	double (*fine_share)(const struct fl_page *page);	/* or NULL */
	bool chart;		/* samples in their order */
	bool keeps_order;	/* the writer can draw that */
	bool brushed;		/* and paints what changed as it is told */
	struct fl_chart_sample *chart_samples;	/* for that */
	size_t nchart_samples, chart_samples_capacity;
	struct fl_samples *samples;	/* see samples.h; NULL: none kept */
	bool inverted;		/* root on top */
	bool as_tree;		/* opens as a tree of rows */
	bool no_time;		/* no samples, even where they are wanted */
	bool timed;		/* there are some, or may be */
	bool compared;		/* has two columns */
	bool ansi;		/* text: a terminal shows it, in colours */
	bool compat;		/* as jfrconv: lossy minwidth, raw names */
	bool borrowed;		/* the tree is somebody else's */
	bool compat_root;	/* but stacks of no frames are not lost */
	bool split;		/* HTML: script and style beside the page */
	char *source_url;	/* HTML: a link of a frame, with {class} ... */
	char *events;		/* metrics, each a tree of its own */
	struct fl_further {
		struct flame_tree *tree;
		struct fl_samples *samples;	/* or NULL */
	} *more;		/* after the first */
	size_t nmore;
};

/* page_options.c: rows over struct fl_page; see page.c for their effects. */
extern const struct fl_option_table fl_page_table;

/* page.c */
struct flame_sink *fl_page_sink(struct flame *flame, struct fl_out *out,
				int (*write)(struct fl_page *page));
/* The writer wants samples.h: until --no-time and the like. */
bool fl_page_keep_samples(struct flame_sink *sink);
/*
 * The writer draws no node that has less than such a share of all, and settles
 * the tree before it looks at it.
 */
void fl_page_accept_deferred(struct flame_sink *sink,
			     double (*fine_share)(const struct fl_page *page));
/* Whether what the page was asked for can be: a chart is not for all. */
int fl_page_check(const struct fl_page *page);
/* As asked for, or that of the pictures that were read; NULL: none. */
const char *fl_page_title(const struct fl_page *page);
/*
 * The page's tree laid out, with what its minwidth leaves out (pixels are
 * of page_width): nodes lighter than the minimum.
 */
double fl_page_minimum(const struct fl_page *page, double page_width);
struct fl_layout *fl_page_layout(struct fl_page *page, double page_width);

#endif
