/* SPDX-License-Identifier: Apache-2.0 */
#ifndef FL_WASI_SPAWN_H
#define FL_WASI_SPAWN_H

#include <lacks.h>
#include <signal.h>
#include <sys/types.h>

typedef int posix_spawn_file_actions_t, posix_spawnattr_t;
#define POSIX_SPAWN_SETSIGDEF 4
#define POSIX_SPAWN_SETSIGMASK 8
FL_WASI_DONE(posix_spawn_file_actions_init, int *a)
FL_WASI_DONE(posix_spawn_file_actions_addopen, int *a, int fd, const char *path,
	     int flags, mode_t mode)
FL_WASI_DONE(posix_spawn_file_actions_adddup2, int *a, int from, int to)
FL_WASI_DONE(posix_spawn_file_actions_destroy, int *a)
FL_WASI_DONE(posix_spawnattr_init, int *a)
FL_WASI_DONE(posix_spawnattr_setsigmask, int *a, const sigset_t *set)
FL_WASI_DONE(posix_spawnattr_setsigdefault, int *a, const sigset_t *set)
FL_WASI_DONE(posix_spawnattr_setflags, int *a, int flags)
FL_WASI_DONE(posix_spawnattr_destroy, int *a)
FL_WASI int posix_spawnp(pid_t *pid, const char *file, const int *actions,
			 const int *a, char *const *argv, char *const *env)
{
	return ENOSYS;
}

#endif
