/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writers of trees: a sink that collects a tree and calls write() with its page
 * at the end.  Pictures, HTML, text and folded stacks are written so.
 */
#ifndef FL_PAGE_H
#define FL_PAGE_H

#include "tree/samples.h"

/* The outputs that an option changes; others say that it is ignored. */
enum fl_page_output {
	FL_OUTPUT_HTML = 1, FL_OUTPUT_SVG = 2, FL_OUTPUT_TEXT = 4,
	FL_OUTPUT_ANSI = 8,		/* text with colours of a terminal */
	FL_OUTPUT_OTHER = 16,		/* folded stacks, JSON */
};

/* Options of one writer, or of comparisons. */

struct fl_svg_options {
	char *search_color, *stroke_color, *ui_color, *font, *background;
	char *nametype, *nameattr, *palette;
	double font_size, factor;	/* 0: the writer's own, 1 */
	bool no_script;
	bool fold_trunk;	/* a row for a run of single calls */
};

struct fl_html_options {
	bool no_fold_trunk;	/* opens with all rows */
	bool no_time;		/* records no samples */
	bool split;		/* script and style in own files */
	char *findings;		/* markup of flame-diff --runs */
	char *links;		/* lines "REL\tHREF\tTEXT" */
	char *source_url;	/* a link of a frame, with {class} ... */
};

struct fl_text_options {
	int64_t budget;		/* a tree of no more bytes; 0: no limit */
	bool ansi;		/* with colours of a terminal */
};

struct fl_folded_options {
	bool merge_tiers;	/* a line a stack, whatever its tiers */
	bool header;		/* begins with a line with the metric */
	char *key;		/* keys whose values are the outermost frames */
};

struct fl_compare_options {
	enum fl_widths { FL_WIDTHS_AFTER, FL_WIDTHS_BEFORE, FL_WIDTHS_MAX }
		widths;
	enum fl_delta { FL_DELTA_UNSET, FL_DELTA_SELF, FL_DELTA_TOTAL } delta;
	double noise;		/* Poisson sigmas that stay grey; -1: 2 */
	enum fl_normal { FL_NORMAL_NONE, FL_NORMAL_TOTAL, FL_NORMAL_TIME,
			 FL_NORMAL_RUNS }
		normalize;
	unsigned runs[2];	/* whose sums the columns are; 0: not known */
	double scale;		/* factor of column 0, as displayed */
	bool negate;
};

/*
 * A page: its tree and its options, which the rows of page_options.c set.
 */
struct fl_page {
	struct flame_tree *tree;
	struct fl_out *out;
	int (*write)(struct fl_page *page);
	enum fl_page_output output;
	uint64_t options;	/* a bit for each row of page_options.c: set */
	struct fl_svg_options svg;
	struct fl_html_options html;
	struct fl_text_options text;
	struct fl_folded_options folded;
	struct fl_compare_options compare;
	char *title, *subtitle, *notes, *colors, *highlight, *countname;
	double width;		/* pixels, columns; 0: the writer's own choice */
	double frame_height;	/* pixels; 0: the writer's own choice */
	struct fl_minwidth {
		double n;	/* pixels, or percent of the total */
		bool percent;
	} minwidth;
	char *mine;		/* expressions, a line each */
	int64_t all;		/* weight of the root, if above its total */
	int color_by;		/* enum fl_classic_by */
	enum fl_compat_tool compat_tool;	/* whose merging and colours */
	/* Siblings; 0: the writer's own choice. */
	enum fl_sort { FL_SORT_UNSET, FL_SORT_WEIGHT, FL_SORT_NAME } sort;
	bool chart;		/* samples in their order */
	bool keeps_order;	/* set by writers that draw charts */
	bool scales_lines;	/* the writer scales what it has summed */
	struct fl_chart_sample *chart_samples;
	size_t nchart_samples, chart_samples_capacity;
	struct fl_samples *samples;	/* see samples.h; or NULL */
	bool inverted;		/* root on top */
	bool as_tree;		/* opens as a tree of rows */
	bool timed;		/* the script needs samples or tabs */
	bool compared;		/* has two columns */
	bool compat;		/* as jfrconv: lossy minwidth, raw names */
	bool compat_root;	/* compat, but empty stacks count */
	bool borrowed;		/* the caller owns the tree */
	char *made_with;	/* options that selected samples */
	/* Inputs that a tool names: lines of fl_origins_parse. */
	char *stated;
	char *named, *input_notes;	/* of the inputs; or NULL */
	/* By column; NULL: not known. */
	const struct fl_origins *origins[2];
	char *events;		/* metrics; each gets a tree */
	struct fl_page_metric {
		struct flame_tree *tree;
		struct fl_samples *samples;	/* or NULL */
		double scale;
	} *more;		/* after the first */
	size_t nmore;
};

/* page_options.c: rows over struct fl_page. */
extern const struct fl_option_table fl_page_table;

/* Of each option that was set and that this output does not use. */
void fl_page_remark_unused(const struct fl_page *page);

/* page.c */
struct flame_sink *fl_page_sink(struct flame *flame, struct fl_out *out,
				enum fl_page_output output,
				int (*write)(struct fl_page *page));
/* The same for writers that say nothing of the inputs: no facts are read. */
struct flame_sink *fl_page_of_weights(struct flame *flame, struct fl_out *out,
				      enum fl_page_output output,
				      int (*write)(struct fl_page *page));
/* Of a sink of fl_page_sink. */
struct fl_page *fl_page_of(struct flame_sink *sink);
/* Records samples for the writer, unless an option forbids it. */
bool fl_page_keep_samples(struct flame_sink *sink);
/* The writer scales sums of a tree by itself. */
void fl_page_scale_lines(struct flame_sink *sink);
/* Fails if options exclude each other, or the writer draws no charts. */
int fl_page_check(const struct fl_page *page);
/* --title, or the title of pictures that were read; NULL: none. */
const char *fl_page_title(const struct fl_page *page);
/* The same, or what the inputs are called. */
const char *fl_page_heading(const struct fl_page *page);
/*
 * The layout of the page's tree without nodes below its minwidth; pixels are
 * relative to page_width.
 */
double fl_page_minimum(const struct fl_page *page, double page_width);
struct fl_layout *fl_page_layout(struct fl_page *page, double page_width);
/* By --sort, or `otherwise`.  Not of charts, which keep theirs. */
bool fl_page_sort(const struct fl_page *page, struct fl_layout *layout,
		  enum fl_sort otherwise);

#endif
