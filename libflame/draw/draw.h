/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The draw room: trees on paper.  A writer is a row of the format table that
 * only writes; a colour scheme is a row of palette.c.
 *
 *	palette.c	what a frame is painted with
 *	caption.c	what is written on it, and what still fits
 *	paper.c		text, numbers and shares as both pages spell them
 *	svg.c html.c	the pages
 *	text.c		the same in a terminal
 *
 * The page's own script and style lie in share/viewer; embed.sh there makes
 * the C file that holds them.
 */
#ifndef FL_DRAW_H
#define FL_DRAW_H

#include "tree/tree.h"

/* palette.c ----------------------------------------------------------- */

struct fl_colors {
	uint32_t light, dark;		/* 0xrrggbb fills */
};

struct fl_scheme {
	const char *name, *summary;
	/* What a frame is painted with; the same frame always the same. */
	struct fl_colors (*pick)(struct slice name, enum flame_type type);
};

extern const struct fl_scheme *const fl_schemes[];	/* ends in NULL */

/* NULL with fl_fail's text that lists the schemes. */
const struct fl_scheme *fl_scheme_named(struct flame *flame, const char *name);

/* The colours that a page uses, numbered from 0 as they come. */
struct fl_paints {
	struct fl_map map;
	struct fl_colors *at;
	size_t n, room;
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

/*
 * A name as it is read: without type suffix, arguments, template arguments
 * and hashes.  Class.method begins at class_at, the method at method_at.
 */
struct fl_caption {
	char text[768];
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

/* paper.c ------------------------------------------------------------- */

/*
 * Text for XML and HTML: escaped, invalid UTF-8 and what XML forbids as
 * U+FFFD, other controls as blanks; no more than max bytes, then "...".
 */
void fl_put_escaped(struct fl_out *out, struct slice text, size_t max);
void fl_put_string(struct fl_out *out, const char *text);
/* 1,234,567 */
void fl_put_count(struct fl_out *out, int64_t n);
/* +1,234 or -1,234 */
void fl_put_change(struct fl_out *out, int64_t n);
/* 12.34% */
void fl_put_share(struct fl_out *out, int64_t part, int64_t whole);
/* A coordinate, with at most one decimal. */
void fl_put_coord(struct fl_out *out, double pixels);
/* The name of a node: what the dictionary says, "all" for the root. */
struct slice fl_node_name(const struct fl_page *page,
			  const struct fl_layout *layout, uint32_t node);
/* The total in a column from which on nodes are no more than limit. */
bool fl_heaviest(const struct fl_layout *layout, unsigned column,
		 size_t limit, int64_t *total);
/* The largest change of self, up or down, from column 0 to 1. */
int64_t fl_most_change(const struct fl_layout *layout);

/* viewer.c (made by share/viewer/embed.sh) ------------------------------ */

struct fl_viewer {
	const char *style, *style_hash;		/* "sha256-..." */
	const char *script, *script_hash;
	const char *body;			/* the markup */
	const char *svg_style, *svg_script;	/* of a picture */
};

extern const struct fl_viewer fl_viewer;

#endif
