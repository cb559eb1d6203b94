/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Opens files that a recording names, by path, by path below a folder
 * (--symfs), or by build id (fl_open_by_build_id), for names.c and debug.c.
 * The recording may be anybody's, so only regular files are opened.
 * fl_read_file() reads a whole file.
 */
#include "fl.h"

#include "native/files.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifdef __has_include
#if __has_include(<linux/openat2.h>) && defined SYS_openat2
#include <linux/openat2.h>
#define HAS_OPENAT2 1
#endif
#endif

/* Not a pipe, which would wait for a writer, nor a device. */
static int reopen(int at)
{
	char name[32];
	struct stat st;
	int fd = -1;

	if (at < 0)
		return -1;
	snprintf(name, sizeof(name), "/proc/self/fd/%d", at);
	if (fstat(at, &st) == 0 && S_ISREG(st.st_mode))
		fd = open(name, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	close(at);
	return fd;
}

int fl_regular_open(const char *path)
{
	return reopen(open(path, O_PATH | O_CLOEXEC));
}

/* Without the kernel's help no link is followed at all. */
static int open_parts(int folder, const char *path)
{
	int at = fcntl(folder, F_DUPFD_CLOEXEC, 3), next;
	char part[256];
	size_t n;

	for (; at >= 0 && *path; path += n) {
		path += strspn(path, "/");
		n = strcspn(path, "/");
		if (!n)
			break;
		next = -1;
		if (n < sizeof(part)) {
			memcpy(part, path, n);
			part[n] = '\0';
			if (strcmp(part, "..") != 0)
				next = openat(at, part, O_PATH | O_CLOEXEC |
					      O_NOFOLLOW);
		}
		close(at);
		at = next;
	}
	return at;
}

int fl_regular_open_below(int folder, const char *path)
{
	int at = -1;

#ifdef HAS_OPENAT2
	const struct open_how how = {
		.flags = O_PATH | O_CLOEXEC,
		.resolve = RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS,
	};

	at = (int)syscall(SYS_openat2, folder, path, &how, sizeof(how));
	if (at >= 0 || errno != ENOSYS)
		return reopen(at);
#endif
	at = open_parts(folder, path);
	return reopen(at);
}

/* "/home/me/.debug": a variable, or a folder at home; false: neither. */
static bool put_folder(char *to, size_t size, const char *variable,
		       const char *home)
{
	const char *given = getenv(variable), *own = getenv("HOME");
	int n;

	if (given && *given)
		n = snprintf(to, size, "%s", given);
	else if (own && *own)
		n = snprintf(to, size, "%s/%s", own, home);
	else
		return false;
	return n > 0 && (size_t)n < size;
}

static bool put_debuginfod(char *to, size_t size)
{
	char cache[2048];

	if (getenv("DEBUGINFOD_CACHE_PATH"))
		return put_folder(to, size, "DEBUGINFOD_CACHE_PATH", "");
	if (!put_folder(cache, sizeof(cache), "XDG_CACHE_HOME", ".cache"))
		return false;
	return snprintf(to, size, "%s/debuginfod_client", cache) < (int)size;
}

int fl_open_by_build_id(const char *digits, bool debug, unsigned n)
{
	char folder[2200], path[4096];

	if (strlen(digits) < 4)
		return -1;
	if (n == 0 && debug)
		snprintf(path, sizeof(path),
			 "/usr/lib/debug/.build-id/%.2s/%s.debug", digits,
			 digits + 2);
	else if (n == 1 && !debug)
		snprintf(path, sizeof(path), "/usr/lib/debug/.build-id/%.2s/%s",
			 digits, digits + 2);
	else if (n == 2 && put_folder(folder, sizeof(folder),
				      "PERF_BUILDID_DIR", ".debug"))
		snprintf(path, sizeof(path), "%s/.build-id/%.2s/%s/%s", folder,
			 digits, digits + 2, debug ? "debug" : "elf");
	else if (n == 3 && put_debuginfod(folder, sizeof(folder)))
		snprintf(path, sizeof(path), "%s/%s/%s", folder, digits,
			 debug ? "debuginfo" : "executable");
	else
		return -1;
	return fl_regular_open(path);
}

char *fl_read_file(int fd, size_t limit, size_t *size)
{
	struct fl_buf buf = { 0 };
	ssize_t n;

	do {
		char *to = fl_buf_reserve(&buf, 1 << 16);

		n = to ? read(fd, to, 1 << 16) : -1;
		if (n > 0)
			buf.size += (size_t)n;
	} while (n > 0 && buf.size < limit);
	if (n < 0 || !fl_buf_reserve(&buf, 1)) {
		fl_buf_free(&buf);
		return NULL;
	}
	buf.data[buf.size] = '\0';
	*size = buf.size;
	return buf.data;
}
