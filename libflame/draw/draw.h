/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Draws trees.  A writer is a row of the format table that only writes; a
 * colour scheme is a row of palette.c.
 *
 *	palette.c	colour schemes: the colour of a name and type
 *	classic.c	the schemes of flamegraph.pl and inferno
 *	frame_color.c	the colour of a frame: scheme, options, changes
 *	nameattr.c	links and other attributes, by name
 *	caption.c	labels of frames, shortened to fit
 *	page.c		a sink that collects a tree for a writer
 *	page_options.c	its options
 *	markup.c	escaped text, numbers, percentages
 *	compare.c	comparisons: widths and changes of two columns
 *	svg.c html.c	the pages; svg_frames.c draws the boxes of an SVG,
 *		svg_trunk.c folds runs of single calls
 *	pack.c		compressed data for the script of an HTML page
 *	said.c		what it shows, in a line of words
 *	text.c		flame graphs in a terminal; budget.c a
 *			tree of a bounded size
 *
 * The page's own script and style lie in share/viewer; embed.sh there makes
 * the C file that holds them.
 */
#ifndef FL_DRAW_H
#define FL_DRAW_H

#include "draw/page.h"

/* palette.c ----------------------------------------------------------- */

struct fl_colors {
	uint32_t light, dark;		/* 0xrrggbb fills */
};

/* classic.c: a palette, and how a position in it is derived from a name. */
struct fl_classic {
	enum fl_classic_palette {
		FL_CLASSIC_NONE, FL_CLASSIC_HOT, FL_CLASSIC_MEM,
		FL_CLASSIC_IO, FL_CLASSIC_WAKEUP, FL_CLASSIC_CHAIN,
		FL_CLASSIC_JAVA, FL_CLASSIC_JS, FL_CLASSIC_PERL,
		FL_CLASSIC_PYTHON, FL_CLASSIC_RUST, FL_CLASSIC_RED,
		FL_CLASSIC_GREEN, FL_CLASSIC_BLUE, FL_CLASSIC_AQUA,
		FL_CLASSIC_YELLOW, FL_CLASSIC_PURPLE, FL_CLASSIC_ORANGE
	} palette;
	enum fl_classic_by {
		FL_CLASSIC_BY_SUM, FL_CLASSIC_BY_ENDS, FL_CLASSIC_BY_FNV,
		FL_CLASSIC_BY_CHANCE
	} by;
	bool inferno;		/* its rules, not flamegraph.pl's */
	uint64_t chance;	/* random state; 0: start */
};

uint32_t fl_classic_color(struct fl_classic *how, struct slice name,
			  enum flame_type type);
/* The colour of a change, relative to the largest one. */
uint32_t fl_classic_change(const struct fl_classic *how, double change,
			   double max_change);
/* The colour for dark pages. */
uint32_t fl_classic_dark(uint32_t color);

struct fl_scheme {
	const char *name, *summary;
	/* The colours of a frame; they depend on nothing else. */
	struct fl_colors (*pick)(struct slice name, enum flame_type type);
	enum fl_classic_palette classic;
	bool by_type;		/* colours have an fl_family_name */
	/* Frames with the same result share a colour; or NULL. */
	struct slice (*group)(struct slice name, enum flame_type type);
};

extern const struct fl_scheme *const fl_schemes[];	/* ends in NULL */

/* NULL with fl_fail, which lists the schemes. */
const struct fl_scheme *fl_scheme_named(struct flame *flame, const char *name);

/* The legend of a colour: "compiled"; or NULL. */
const char *fl_family_name(struct fl_colors colors);

/* For schemes with groups: the colour of the n-th. */
enum { FL_HUES = 24 };

struct fl_colors fl_group_color(uint32_t n);
/* For the scheme mine: the colour of the n-th expression. */
struct fl_colors fl_mine_color(uint32_t n);

/* frame_color.c ----------------------------------------------------------- */

/* Zero before open; call close even if open fails. */
struct fl_frame_color {
	const struct fl_page *page;
	const struct fl_layout *layout;
	const struct fl_scheme *scheme;
	struct fl_classic classic;
	struct fl_regex *highlight;
	struct fl_regex **mine;
	size_t nmine, mine_capacity;
	struct fl_map ranks;		/* hash of group -> rank by weight */
	struct fl_palette *palette;	/* --cp */
	double max_change;		/* of self or total, by --delta */
	double noise;			/* sigmas: smaller changes are grey */
};

int fl_frame_color_open(struct fl_frame_color *color,
			const struct fl_page *page,
			const struct fl_layout *layout);
struct fl_colors fl_frame_color_pick(struct fl_frame_color *color,
				     uint32_t node);
/* The scheme alone, for pages whose script highlights and compares. */
int fl_frame_color_open_scheme(struct fl_frame_color *color,
			       const struct fl_page *page,
			       const struct fl_layout *layout);
struct fl_colors fl_frame_color_scheme(struct fl_frame_color *color, bool root,
				       struct slice name, enum flame_type type);
/* For two columns; fl_frame_color_open includes it. */
void fl_frame_color_open_changes(struct fl_frame_color *color);
struct fl_colors fl_frame_color_change(const struct fl_frame_color *color,
				       uint32_t node);
/* Writes new colours to the file of --cp. */
int fl_frame_color_save(struct fl_frame_color *color);
void fl_frame_color_close(struct fl_frame_color *color);

/* nameattr.c ---------------------------------------------------------- */

/* A file of "name TAB key=value TAB key=value". */
struct fl_nameattr;

struct fl_nameattr *fl_nameattr_open(struct flame *flame, const char *path);
/* The value of a key; data is NULL: none. */
struct slice fl_nameattr_get(const struct fl_nameattr *attributes,
			     struct slice name, const char *key);
/* NULL is allowed. */
void fl_nameattr_free(struct fl_nameattr *attributes);

/* The colours of a page, numbered from 0 in the order of first use. */
struct fl_paints {
	struct fl_map map;
	struct fl_colors *colors;
	size_t count, capacity;
	bool failed;
};

uint32_t fl_paint(struct fl_paints *paints, struct fl_colors colors);
void fl_paints_free(struct fl_paints *paints);

/*
 * The colours of changes, blue for less and orange for more.  fl_ramp_step
 * returns the step of a change relative to the largest one; FL_RAMP_NONE: no
 * change.
 */
enum { FL_RAMP_STEPS = 11, FL_RAMP_NONE = 5 };

extern const struct fl_colors fl_ramp[FL_RAMP_STEPS];
unsigned fl_ramp_step(double change, double max_change);

/* Whether a name looks like a method or class of Java. */
bool fl_looks_java(struct slice name);

/* caption.c ---------------------------------------------------------- */

enum {
	/* Names are cut at 4096 bytes; a caption may be longer than its name. */
	FL_MAX_CAPTION = 4112,
	FL_MIN_CAPTION_PIXELS = 26	/* narrower boxes have no caption */
};

/*
 * A readable name: without type suffix, arguments, template arguments and
 * hashes.  Class.method begins at class_at, the method at method_at.
 */
struct fl_caption {
	char text[FL_MAX_CAPTION];
	size_t size, class_at, method_at;
};

void fl_caption(struct fl_caption *caption, struct slice name,
		enum flame_type type);

/*
 * The longest spelling that fits into a width, in a font of 12 pixels: all,
 * Class.method, method, or the beginning of the method: then *cut, and an
 * ellipsis fits, too.  Empty: nothing readable fits.
 */
struct slice fl_caption_fit(const struct fl_caption *caption, double pixels,
			    bool *cut);

/* The width in a font of 12 pixels. */
double fl_caption_width(struct slice text);

/* pack.c -------------------------------------------------------------- */

/* Writes data for a page's script, from open to close. */
struct fl_packer;

/* threads: that may deflate; the output does not depend on them. */
struct fl_packer *fl_packer_open(struct fl_out *out, unsigned threads);
/* Writes the rest and frees p.  false: a step failed. */
bool fl_packer_close(struct fl_packer *p);
void fl_pack(struct fl_packer *p, const void *at, size_t size);
/* The first member of a packer: the buffer in use. */
struct fl_pack_buffer {
	uint8_t *data;
	size_t count, capacity;
};

void fl_pack_long(struct fl_packer *p, uint64_t n);

/* Most are one byte. */
static inline void fl_pack_number(struct fl_packer *p, uint64_t n)
{
	struct fl_pack_buffer *in = (struct fl_pack_buffer *)p;

	if (fl_likely(n < 128 && in->count < in->capacity))
		in->data[in->count++] = (uint8_t)n;
	else
		fl_pack_long(p, n);
}

/* Size and bytes; NULL is the empty text. */
void fl_pack_text(struct fl_packer *p, const char *text);
void fl_pack_shared_prefix(struct fl_packer *p, struct slice *last,
			   struct slice text);
void fl_pack_moments(struct fl_packer *p, const struct fl_moments *moments,
		     const struct flame *flame);

/* markup.c ------------------------------------------------------------- */

/* Whether the text is ASCII that XML does not escape. */
bool fl_needs_no_escape(struct slice text);
/*
 * Writes text for XML and HTML: escaped; invalid UTF-8 and characters that XML
 * forbids as U+FFFD, other controls as blanks; at most max bytes, then "...".
 */
void fl_put_escaped(struct fl_out *out, struct slice text, size_t max);
void fl_put_string(struct fl_out *out, const char *text);
/* 1,234,567 */
void fl_put_count(struct fl_out *out, int64_t n);
size_t fl_format_count(char text[32], int64_t n, bool sign);
/* +1,234 or -1,234 */
void fl_put_change(struct fl_out *out, int64_t n);
/* 12.34% */
void fl_put_share(struct fl_out *out, int64_t part, int64_t whole);
/* Write up to 32 bytes to memory; return their end. */
char *fl_fill_count(char *to, int64_t n);
char *fl_fill_share(char *to, int64_t part, int64_t whole);
/* A coordinate, with at most one decimal. */
void fl_put_coord(struct fl_out *out, double pixels);
/* The name of a node; "all" for the root. */
struct slice fl_node_name(const struct fl_page *page,
			  const struct fl_layout *layout, uint32_t node);
/* A number above 0, in three digits or more: 1234, 12.3, 0.0123 */
void fl_put_digits(struct fl_out *out, double n);

/* budget.c: a call tree of page->text.budget bytes at most. */
int fl_budget_write(const struct fl_page *page, const char *metric,
		    const char *unit);

/* compare.c ----------------------------------------------------------- */

/* The widths of a layout as one column.  Zero before open. */
struct fl_column {
	struct fl_layout layout;	/* borrows arrays of the other */
	int64_t *self, *total;		/* owned, with --widths max */
};

/* false: out of memory; call close all the same. */
bool fl_column_open(struct fl_column *widths, const struct fl_page *page,
		    const struct fl_layout *layout);
void fl_column_close(struct fl_column *widths);
/* Column 1 minus scaled column 0, of the total or the self. */
double fl_change(const struct fl_page *page, const struct fl_layout *layout,
		 uint32_t node, bool total);
/* Rounded for display. */
int64_t fl_change_between(const struct fl_page *page, int64_t before,
			  int64_t after);
int64_t fl_change_rounded(const struct fl_page *page,
			  const struct fl_layout *layout, uint32_t node,
			  bool total);
/* The largest absolute change. */
double fl_max_change(const struct fl_page *page, const struct fl_layout *layout,
		     bool total);
/* "before × 1.25 for equal totals"; for normalized pages. */
void fl_put_scale(struct fl_out *out, const struct fl_page *page);

/* viewer.c (made by share/viewer/embed.sh) ------------------------------ */

struct fl_script {
	const char *packed;		/* base 85 of gzip; the loader runs it */
	const char *hash;		/* of the text: "sha256-..." */
};

struct fl_viewer {
	const char *style;		/* the whole style, for a file */
	const char *first_style, *first_hash;	/* until the script runs */
	const char *style_hash;		/* of the rest, which the script adds */
	const char *loader, *loader_hash;
	struct fl_script plain;
	struct fl_script compared;		/* for comparisons */
	struct fl_script timed;			/* for samples; everything */
	const char *script;			/* the text of timed */
	const char *svg_style, *svg_script;
};

extern const struct fl_viewer fl_viewer;

#endif
