/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Blocks in memory, packed with zstd.
 */
#ifndef FL_ZSTD_H
#define FL_ZSTD_H

#include "fl.h"

/* Appends a frame of these bytes.  NULL, or the error. */
const char *fl_zstd_pack(struct fl_buf *to, struct slice bytes, int level);
/* Unpacks a frame of exactly `size` bytes. */
const char *fl_zstd_unpack(void *to, size_t size, struct slice packed);

#endif
