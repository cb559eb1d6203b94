/* SPDX-License-Identifier: Apache-2.0 */
/*
 * zip archives of several files, read as a stream: zip.c.
 */
#ifndef FL_IO_ZIP_H
#define FL_IO_ZIP_H

#include "io/io.h"

struct fl_zip;

/*
 * Whether the input is one: by the directory at a file's end, or, where the end
 * cannot be seen, by its first header.  A zip of one file is a packed file.
 */
bool fl_zip_take(struct fl_in *in);
/* These are as those of tar.h. */
struct fl_zip *fl_zip_new(struct fl_in *archive, const char *folder);
struct fl_in *fl_zip_next(struct fl_zip *zip);
const char *fl_zip_path(const struct fl_zip *zip);
const char *fl_zip_damage(const struct fl_zip *zip);
size_t fl_zip_read(struct fl_zip *zip, uint8_t *to, size_t capacity,
		   const char **damage);
void fl_zip_free(struct fl_zip *zip);
/* Of a member's name: what macOS adds beside files. */
bool fl_zip_is_of_macos(struct slice path);

#endif
