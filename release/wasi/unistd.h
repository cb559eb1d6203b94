/* SPDX-License-Identifier: Apache-2.0 */
#ifndef FL_WASI_UNISTD_H
#define FL_WASI_UNISTD_H

#include_next <unistd.h>
#include <lacks.h>
#include <sys/types.h>

FL_WASI_DONE(fchown, int fd, uid_t user, gid_t group)
FL_WASI_LACKS(int, dup, -1, int fd)
FL_WASI_LACKS(int, dup2, -1, int from, int to)
FL_WASI_LACKS(pid_t, fork, -1, void)
FL_WASI_LACKS(int, pipe, -1, int *ends)
FL_WASI_LACKS(int, pipe2, -1, int *ends, int flags)
FL_WASI uid_t geteuid(void)
{
	return 1000;
}

#endif
