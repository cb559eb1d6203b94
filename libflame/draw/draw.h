/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The draw room: trees on paper.  A writer is a row of the format table that
 * only writes; a colour scheme is a row of palette.c.
 *
 *	palette.c	what a frame is painted with, by scheme
 *	classic.c	the historic schemes
 *	frame_color.c	a scheme as a page's options change it
 *	nameattr.c	links and the like, by name
 *	caption.c	what is written on it, and what still fits
 *	page.c		what gathers a tree for a writer
 *	page_options.c	what it can be told
 *	markup.c	text, numbers and shares as both pages spell them
 *	compare.c	two columns as one picture
 *	svg.c html.c	the pages; svg_frames.c is the boxes of the first
 *	pack.c		columns as HTML's script is given them
 *	text.c		the same in a terminal
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

/* classic.c: which numbers, and of what they are made. */
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
	bool inferno;		/* its rules where the two differ */
	uint64_t chance;	/* 0: at the beginning */
};

uint32_t fl_classic_color(struct fl_classic *how, struct slice name,
			  enum flame_type type);
/* Of a comparison: self, by the largest change there is. */
uint32_t fl_classic_change(const struct fl_classic *how, double change,
			   double most);
uint32_t fl_classic_dark(uint32_t color);

struct fl_scheme {
	const char *name, *summary;
	/* What a frame is painted with; the same frame always the same. */
	struct fl_colors (*pick)(struct slice name, enum flame_type type);
	enum fl_classic_palette classic;
	bool by_type;		/* colours have an fl_family_name */
	/* What frames of one colour share; big ones get colours apart. */
	struct slice (*group)(struct slice name, enum flame_type type);
};

extern const struct fl_scheme *const fl_schemes[];	/* ends in NULL */

/* NULL with fl_fail's text that lists the schemes. */
const struct fl_scheme *fl_scheme_named(struct flame *flame, const char *name);

/* What frames of such a colour are: "compiled"; NULL: nothing is said. */
const char *fl_family_name(struct fl_colors colors);

/* For schemes by groups: the colour of the n-th. */
enum { FL_HUES = 24 };

struct fl_colors fl_group_color(uint32_t n);
/* For the scheme mine: of what the n-th expression matches. */
struct fl_colors fl_mine_color(uint32_t n);

/* frame_color.c ----------------------------------------------------------- */

/* Zeroed and opened; to be closed all the same where that fails. */
struct fl_frame_color {
	const struct fl_page *page;
	const struct fl_layout *layout;
	const struct fl_scheme *scheme;
	struct fl_classic classic;
	struct fl_regex *highlight;
	struct fl_regex **mine;
	size_t nmine, mine_capacity;
	struct fl_map ranks;		/* of groups, by their hash */
	struct fl_palette *palette;	/* --cp */
	double most;			/* change, of self or total */
	double noise;			/* sigmas within which it is none */
};

int fl_frame_color_open(struct fl_frame_color *brush,
			const struct fl_page *page,
			const struct fl_layout *layout);
struct fl_colors fl_frame_color_pick(struct fl_frame_color *brush,
				     uint32_t node);
/* For those that mark and compare by themselves: the scheme alone. */
int fl_frame_color_open_scheme(struct fl_frame_color *brush,
			       const struct fl_page *page,
			       const struct fl_layout *layout);
struct fl_colors fl_frame_color_scheme(struct fl_frame_color *brush, bool root,
				       struct slice name, enum flame_type type);
/* Of two columns; fl_frame_color_open has it. */
void fl_frame_color_open_changes(struct fl_frame_color *brush);
struct fl_colors fl_frame_color_change(const struct fl_frame_color *brush,
				       uint32_t node);
/* What was learnt by --cp is written; FLAME_OK where nothing failed. */
int fl_frame_color_save(struct fl_frame_color *brush);
void fl_frame_color_close(struct fl_frame_color *brush);

/* nameattr.c ---------------------------------------------------------- */

/* A file of "name TAB key=value TAB key=value". */
struct fl_nameattr;

struct fl_nameattr *fl_nameattr_open(struct flame *flame, const char *path);
/* What the name has of a key; at NULL: nothing. */
struct slice fl_nameattr_get(const struct fl_nameattr *attributes,
			     struct slice name, const char *key);
/* Takes NULL too. */
void fl_nameattr_free(struct fl_nameattr *attributes);

/* The colours that a page uses, numbered from 0 as they come. */
struct fl_paints {
	struct fl_map map;
	struct fl_colors *colors;
	size_t count, capacity;
	bool failed;
};

uint32_t fl_paint(struct fl_paints *paints, struct fl_colors colors);
void fl_paints_free(struct fl_paints *paints);

/*
 * The ramp of a comparison, blue for less and orange for more: the step of a
 * change, where `most` is the largest one there is.  FL_RAMP_NONE only for
 * no change at all.
 */
enum { FL_RAMP_STEPS = 11, FL_RAMP_NONE = 5 };

extern const struct fl_colors fl_ramp[FL_RAMP_STEPS];
unsigned fl_ramp_step(double change, double most);

/* Whether a name is a Java method's or class's by its looks. */
bool fl_looks_java(struct slice name);

/* caption.c ---------------------------------------------------------- */

/* Names are looked at no further than 4096 bytes; some captions are longer. */
enum { FL_MAX_CAPTION = 4112 };

/*
 * A name as it is read: without type suffix, arguments, template arguments
 * and hashes.  Class.method begins at class_at, the method at method_at.
 */
struct fl_caption {
	char text[FL_MAX_CAPTION];
	size_t size, class_at, method_at;
};

void fl_caption(struct fl_caption *caption, struct slice name,
		enum flame_type type);

/*
 * The longest spelling that fits into so many pixels of 12 pixel text: all,
 * Class.method, method, or the method's beginning, *cut then, with room for
 * an ellipsis.  Empty where nothing readable fits.
 */
struct slice fl_caption_fit(const struct fl_caption *caption, double pixels,
			    bool *cut);

/* As wide as it is in 12 pixel text. */
double fl_caption_width(struct slice text);

/* pack.c -------------------------------------------------------------- */

/* What a page's script is given; it goes out between open and close. */
struct fl_packer;

/* threads: that may deflate; what comes of it does not depend on them. */
struct fl_packer *fl_packer_open(struct fl_out *out, unsigned threads);
/* false: it failed at some point.  Frees it. */
bool fl_packer_close(struct fl_packer *p);
void fl_pack(struct fl_packer *p, const void *at, size_t size);
/* What a packer begins with: bytes that are filled in, as long as n < room. */
struct fl_filling {
	uint8_t *data;
	size_t count, capacity;
};

void fl_pack_long(struct fl_packer *p, uint64_t n);

/* Most are one byte. */
static inline void fl_pack_number(struct fl_packer *p, uint64_t n)
{
	struct fl_filling *in = (struct fl_filling *)p;

	if (fl_likely(n < 128 && in->count < in->capacity))
		in->data[in->count++] = (uint8_t)n;
	else
		fl_pack_long(p, n);
}

/* Its size and it; NULL: as if empty. */
void fl_pack_text(struct fl_packer *p, const char *text);
void fl_pack_after(struct fl_packer *p, struct slice *last, struct slice text);
void fl_pack_moments(struct fl_packer *p, const struct fl_moments *moments,
		     const struct flame *flame);

/* markup.c ------------------------------------------------------------- */

/* Whether it may stand in XML as it is: no byte of it needs a second look. */
bool fl_is_usual(struct slice text);
/*
 * Text for XML and HTML: escaped, invalid UTF-8 and what XML forbids as
 * U+FFFD, other controls as blanks; no more than max bytes, then "...".
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
/* Both into memory with room for 32 bytes; where they end. */
char *fl_fill_count(char *to, int64_t n);
char *fl_fill_share(char *to, int64_t part, int64_t whole);
/* A coordinate, with at most one decimal. */
void fl_put_coord(struct fl_out *out, double pixels);
/* The name of a node: what the dictionary says, "all" for the root. */
struct slice fl_node_name(const struct fl_page *page,
			  const struct fl_layout *layout, uint32_t node);
/* What is more than nothing, in three digits or more: 1234, 12.3, 0.0123 */
void fl_put_digits(struct fl_out *out, double n);

/* compare.c ----------------------------------------------------------- */

/* What of a layout is drawn, as one column.  Zeroed before it is opened. */
struct fl_column {
	struct fl_layout layout;	/* borrows from the other */
	int64_t *self, *total;		/* --widths max: its own */
};

/* false: no memory; to be closed all the same. */
bool fl_column_open(struct fl_column *widths, const struct fl_page *page,
		    const struct fl_layout *layout);
void fl_column_close(struct fl_column *widths);
/* From column 0, as the page scales it, to 1: of the total, or the self. */
double fl_change(const struct fl_page *page, const struct fl_layout *layout,
		 uint32_t node, bool total);
/* As it is told: whole. */
int64_t fl_change_between(const struct fl_page *page, int64_t before,
			  int64_t after);
int64_t fl_change_told(const struct fl_page *page,
		       const struct fl_layout *layout, uint32_t node,
		       bool total);
/* The largest one, up or down. */
double fl_most_change(const struct fl_page *page,
		      const struct fl_layout *layout, bool total);
/* "before × 1.25 for equal totals"; where the page is normalized. */
void fl_put_scale(struct fl_out *out, const struct fl_page *page);

/* viewer.c (made by share/viewer/embed.sh) ------------------------------ */

struct fl_script {
	const char *packed;		/* base64 of gzip; the loader runs it */
	const char *hash;		/* of the text: "sha256-..." */
};

struct fl_viewer {
	const char *style, *style_hash;
	const char *loader, *loader_hash;
	struct fl_script plain;
	struct fl_script compared;		/* of a comparison */
	struct fl_script timed;			/* of samples; has all */
	const char *script;			/* the text of timed */
	const char *svg_style, *svg_script;	/* of a picture */
};

extern const struct fl_viewer fl_viewer;

#endif
