/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The format room: one file (or a room) and one row of formats.c each.
 */
#ifndef FL_FORMAT_H
#define FL_FORMAT_H

#include "flow/flow.h"

extern const struct fl_format fl_format_jfr;
extern const struct fl_format fl_format_folded;
extern const struct fl_format fl_format_svg;
extern const struct fl_format fl_format_html;

/* Detects: the format whose probe checks most bits; NULL with fl_fail. */
const struct fl_format *fl_format_detect(struct flame *flame,
					 struct fl_in *in);
/* By name; NULL with fl_fail naming those there are. */
const struct fl_format *fl_format_named(struct flame *flame,
					const char *name, bool writing);

#endif
