/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Files and memory of another process, by its number (process.c, module.c).
 */
#ifndef FL_SAMPLE_PROC_H
#define FL_SAMPLE_PROC_H

#include "base/base.h"

#include <sys/types.h>

/*
 * A regular file below a process's root: no symbolic link in it leads out of
 * the root.  follow: links may be in the path at all.  -1: none.
 */
int fl_open_in_root(pid_t pid, const char *path, bool follow);
/* A whole file, with a NUL after it, for fl_free; NULL: see errno. */
char *fl_read_file(int fd, size_t limit, size_t *size);
int64_t fl_now(void);	/* CLOCK_MONOTONIC, ns */

/* A whole file of /proc/PID, with a NUL after it, for fl_free; NULL: none. */
char *fl_read_proc(pid_t pid, const char *name, size_t *size);
/*
 * Reads another process's memory: by process_vm_readv, or where a container
 * forbids that call by /proc/PID/mem.  How much was read; -1: see errno.
 */
ssize_t fl_read_memory(pid_t pid, uint64_t at, void *to, size_t size);
/* The number that the process itself sees. */
pid_t fl_inner_pid(pid_t pid);

#endif
