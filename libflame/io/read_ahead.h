/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Between in.c and read_ahead.c: an input that a thread unpacks, a few blocks
 * ahead of the reader.
 */
#ifndef FL_READ_AHEAD_H
#define FL_READ_AHEAD_H

#include "io/io.h"

enum { FL_BLOCK = 256 << 10 };	/* asked of a pipe or a decoder at once */

struct fl_read_ahead;

/* Owns the input.  NULL: failed, and nothing changed. */
struct fl_read_ahead *fl_read_ahead_new(struct fl_in *in);
/*
 * Copies the next block, at most FL_BLOCK bytes; 0 at the end.  Warnings and
 * failures of these bytes reach flame before it returns.
 */
size_t fl_read_ahead_read(struct fl_read_ahead *ahead, struct flame *flame,
			  uint8_t *to, const char **damage);
void fl_read_ahead_free(struct fl_read_ahead *ahead);

/* Reads the next bytes, at most `capacity`, into `to`; 0 at the end. */
size_t fl_in_read_block(struct fl_in *in, uint8_t *to, size_t capacity);
/*
 * Reports to another dictionary from now on, and stops waiting for bytes once
 * `stop` (a descriptor, or -1) is readable.
 */
void fl_in_move_to_thread(struct fl_in *in, struct flame *flame, int stop);
struct flame *fl_in_flame(const struct fl_in *in);

#endif
