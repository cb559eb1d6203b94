/* SPDX-License-Identifier: Apache-2.0 */
#ifndef FL_WASI_SYS_WAIT_H
#define FL_WASI_SYS_WAIT_H

#include <lacks.h>
#include <sys/types.h>

#define WNOHANG 1
#define WIFEXITED(status) ((void)(status), 1)
#define WEXITSTATUS(status) (status)
#define WIFSIGNALED(status) ((void)(status), 0)
#define WTERMSIG(status) (status)
FL_WASI_LACKS(pid_t, waitpid, -1, pid_t pid, int *status, int options)

#endif
