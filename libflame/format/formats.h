/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Declares every format.  For the table and for tests: no format names another
 * one, so that a new row compiles formats.c alone.
 */
#ifndef FL_FORMATS_H
#define FL_FORMATS_H

#include "format/format.h"

#define FORMAT(name) extern const struct fl_format fl_format_##name;
#include "format/formats.def"
#undef FORMAT

#endif
