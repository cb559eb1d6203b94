/* SPDX-License-Identifier: Apache-2.0 */
#ifndef FL_WASI_SYS_STAT_H
#define FL_WASI_SYS_STAT_H

#include_next <sys/stat.h>
#include <lacks.h>

FL_WASI_DONE(fchmod, int fd, mode_t mode)
FL_WASI_DONE(chmod, const char *path, mode_t mode)
FL_WASI mode_t umask(mode_t mode)
{
	return 022;
}

#endif
