/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tar archives, read as a stream: tar.c.
 */
#ifndef FL_IO_TAR_H
#define FL_IO_TAR_H

#include "io/io.h"

struct fl_tar;

enum { FL_TAR_BLOCK = 512 };
/* Whether at[0..n) begins with the header of a member: ustar, pax or GNU. */
bool fl_tar_begins(const uint8_t *at, size_t n);
/* Whether the input does; all of its bytes are shown then, packed ones too. */
bool fl_tar_take(struct fl_in *in);

/*
 * The archive stays the caller's, and outlives the reader.  folder: the names
 * of members begin with it and a slash; NULL: with nothing.  NULL: no memory.
 */
struct fl_tar *fl_tar_new(struct fl_in *archive, const char *folder);
/*
 * An input for the next file; folders are skipped.  It must be closed before
 * the next call, which skips the rest of it.  NULL: the end, damage
 * or failure.
 */
struct fl_in *fl_tar_next(struct fl_tar *tar);
/* The path of the current member, until the next. */
const char *fl_tar_path(const struct fl_tar *tar);
/* Damage of the archive, unless fl_tar_read has reported it; NULL: none. */
const char *fl_tar_damage(const struct fl_tar *tar);
/* Links, devices and sparse files, which are not inputs. */
size_t fl_tar_skipped(const struct fl_tar *tar);
/* NULL is allowed. */
void fl_tar_free(struct fl_tar *tar);

/* For in.c: bytes of the current member; 0: its end, or damage. */
size_t fl_tar_read(struct fl_tar *tar, uint8_t *to, size_t capacity,
		   const char **damage);

#endif
