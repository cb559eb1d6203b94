/* SPDX-License-Identifier: Apache-2.0 */
/* Locks between processes: there are no others.  See lacks.h. */
#ifndef FL_WASI_SYS_FILE_H
#define FL_WASI_SYS_FILE_H

#include <lacks.h>

enum { LOCK_SH = 1, LOCK_EX = 2 };

FL_WASI_DONE(flock, int fd, int how)

#endif
