/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Files and memory of other processes, by their numbers.  All that the sampler
 * opens of a process, it opens here (target.c).
 */
#ifndef FL_SAMPLE_PROC_H
#define FL_SAMPLE_PROC_H

#include "native/files.h"

#include <dirent.h>
#include <sys/types.h>

/* /proc/PID/NAME, where NAME may be a folder; -1: see errno. */
int fl_open_proc(pid_t pid, const char *name);
/*
 * A path that the process chose: a regular file below its root that it may read
 * itself, as no link leads out of the root.  follow: links may be in the path
 * at all.  Of a process that has ended: one that anybody may read.  -1: none.
 */
int fl_open_in_root(pid_t pid, const char *path, bool follow);
/* A regular file that it maps; /proc/PID/map_files has deleted ones, too. */
int fl_open_mapped(pid_t pid, uint64_t start, uint64_t end);
/* A regular file of this machine that has this device and inode. */
int fl_open_same(pid_t pid, const char *path, uint64_t device, uint64_t inode);
/* Debug information of the system's own, by a build id in digits. */
int fl_open_debug(pid_t pid, const char *build_id);
/* Its /tmp, as O_PATH. */
int fl_open_tmp(pid_t pid);
/* The kernel's diagnostics of sockets, in the network that it sees. */
int fl_open_diagnostics(pid_t pid);
/* A folder of /proc/PID; NULL: see errno. */
DIR *fl_open_folder(pid_t pid, const char *name);
/* What /proc/PID/NAME links to, or has, with a NUL after it; <= 0: none. */
ssize_t fl_read_link(pid_t pid, const char *name, char *text, size_t size);
ssize_t fl_read_short(pid_t pid, const char *name, char *text, size_t size);
/*
 * Reads another process's memory: by process_vm_readv, or where a container
 * forbids that call by /proc/PID/mem.  How much was read; -1: see errno.
 */
ssize_t fl_read_memory(pid_t pid, uint64_t at, void *to, size_t size);
/* It executes another program, or has ended. */
void fl_forget_memory(pid_t pid);
/* Its effective user; false: it has ended. */
bool fl_read_owner(pid_t pid, uid_t *owner);

/* A whole file of /proc/PID, with a NUL after it, for fl_free; NULL: none. */
char *fl_read_proc(pid_t pid, const char *name, size_t *size);
int64_t fl_now(void);	/* CLOCK_MONOTONIC, ns */
/* The number that the process itself sees. */
pid_t fl_inner_pid(pid_t pid);

#endif
