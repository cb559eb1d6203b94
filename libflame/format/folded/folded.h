/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Folded stacks, in the order data flow:
 *
 *	read.c		lines in, samples out; the row
 *	write.c		a tree as sorted lines
 */
#ifndef FL_FOLDED_H
#define FL_FOLDED_H

#include "format/format.h"

struct flame_sink *fl_folded_create(struct flame *flame, struct fl_out *out);

#endif
