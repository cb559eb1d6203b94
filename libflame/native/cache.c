/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Files of this user's cache, $XDG_CACHE_HOME/libflame or ~/.cache/libflame, by
 * name: fl_cache_open() opens one that no other user can have written,
 * fl_cache_create() and fl_cache_publish() make one.  For sample/kernel.c and
 * sample/kernel_cache.c, which store the kernel's functions there.
 */
#include "fl.h"

#include "native/files.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

/* Closes it if it is not. */
static int require_own(int fd, mode_t type)
{
	struct stat st;

	if (fd < 0 || (fstat(fd, &st) == 0 && st.st_uid == geteuid() &&
		       (st.st_mode & S_IFMT) == type &&
		       !(st.st_mode & (S_IWGRP | S_IWOTH))))
		return fd;
	close(fd);
	return -1;
}

/* A folder in the one that is at `at`, which is closed. */
static int open_folder(int at, const char *path, bool make)
{
	int fd;

	if (make)
		mkdirat(at, path, 0700);
	fd = openat(at, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (at >= 0)
		close(at);
	return require_own(fd, S_IFDIR);
}

/* With sudo, HOME may be another user's: then there is no cache. */
static int open_cache(void)
{
	const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
	int fd = -1;

	if (cache && *cache == '/') {
		fd = open_folder(AT_FDCWD, cache, true);
	} else if (home && *home == '/') {
		fd = open_folder(AT_FDCWD, home, false);
		fd = fd < 0 ? -1 : open_folder(fd, ".cache", true);
	}
	return fd < 0 ? -1 : open_folder(fd, "libflame", true);
}

int fl_cache_open(const char *name)
{
	int folder = open_cache(), fd;

	if (folder < 0)
		return -1;
	fd = openat(folder, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW |
		    O_NONBLOCK);
	close(folder);
	return require_own(fd, S_IFREG);
}

int fl_cache_create(void)
{
	int folder = open_cache(), fd;

	if (folder < 0)
		return -1;
	fd = openat(folder, ".", O_TMPFILE | O_WRONLY | O_CLOEXEC, 0600);
	close(folder);
	return fd;
}

void fl_cache_publish(int fd, const char *name)
{
	int folder = open_cache();
	char path[40];

	if (folder < 0)
		return;
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	unlinkat(folder, name, 0);
	/* If another process was faster, its file is as good. */
	linkat(AT_FDCWD, path, folder, name, AT_SYMLINK_FOLLOW);
	close(folder);
}
