/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Opening files that a recording names.  The recording may be anybody's: only
 * regular files that the user may read are opened, and below a folder that was
 * given no link leads out of it.
 */
#ifndef FL_NATIVE_FILES_H
#define FL_NATIVE_FILES_H

#include "base/base.h"

/* -1: it is not there, or not a regular file. */
int fl_regular_open(const char *path);
/* A path below a folder, which is its root. */
int fl_regular_open_below(int folder, const char *path);

/*
 * Files by build id, in digits: the folders of debug information that the
 * system has, and the caches of perf and debuginfod.  The n-th that is there;
 * debug: of debug information, else of programs.
 */
int fl_open_by_build_id(const char *digits, bool debug, unsigned n);
enum { FL_BUILD_ID_PLACES = 4 };

/*
 * cache.c: files of this user's cache, $XDG_CACHE_HOME/libflame.  Only this user
 * may write to them and to their folder, they are complete, and do not change
 * once they have a name.  -1: there is none, or another user may have made it.
 */
int fl_cache_open(const char *name);
/* A new file without a name; -1: none can be made there. */
int fl_cache_create(void);
/* Links the new file to the name, in place of an older one; errors are ignored. */
void fl_cache_publish(int fd, const char *name);

/* A whole file, with a NUL after it, for fl_free; NULL: see errno. */
char *fl_read_file(int fd, size_t limit, size_t *size);

#endif
