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

#endif
