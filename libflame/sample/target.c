/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Opens files of other processes and reads their links and short files, by
 * requests of target_ask.c (fl_target_answer).  A recorder that runs as root
 * reads for users who are not: a path that a process can influence is opened
 * with that process's rights, below its root, and examined before it is opened:
 * to open a device may do something.
 */
#include "fl.h"

#include "sample/target.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/capability.h>
#include <linux/netlink.h>
#include <linux/openat2.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { MAX_GROUPS = 1024, NOBODY = 65534 };

/* Files of /proc ----------------------------------------------------------- */

/* Others than the contents of a short file are opened as a path only. */
static bool is_path_only(const char *name)
{
	return strcmp(name, "root") == 0 || strncmp(name, "map_files/", 10) == 0;
}

static int open_proc(pid_t pid, const char *name)
{
	char path[128];

	snprintf(path, sizeof(path), "/proc/%d/%s", (int)pid, name);
	return open(path, O_CLOEXEC | (is_path_only(name) ? O_PATH : O_RDONLY));
}

static ssize_t read_short(pid_t pid, const char *name, char *text, size_t size)
{
	int fd = open_proc(pid, name);
	ssize_t n = fd < 0 ? -1 : read(fd, text, size - 1);

	if (fd >= 0)
		close(fd);
	return n;
}

static ssize_t read_link(pid_t pid, const char *name, char *text, size_t size)
{
	char path[288];

	snprintf(path, sizeof(path), "/proc/%d/%s", (int)pid, name);
	return readlink(path, text, size - 1);
}

/* Rights ------------------------------------------------------------------ */

/* Of a thread: what decides whether it may open a file. */
struct rights {
	uid_t user;
	gid_t group, groups[MAX_GROUPS];
	size_t ngroups;
	bool any_file;		/* whatever its mode */
};

static bool set_capabilities(bool any_file)
{
	const uint32_t files = 1u << CAP_DAC_OVERRIDE |
			       1u << CAP_DAC_READ_SEARCH;
	struct __user_cap_header_struct head = {
		.version = _LINUX_CAPABILITY_VERSION_3
	};
	struct __user_cap_data_struct data[2];

	if (syscall(SYS_capget, &head, data) != 0)
		return false;
	data[0].effective = any_file ?
		data[0].effective | (data[0].permitted & files) :
		data[0].effective & ~files;
	return syscall(SYS_capset, &head, data) == 0;
}

/* glibc would change all threads.  false: the rights are not those. */
static bool set_rights(const struct rights *to)
{
	syscall(SYS_setgroups, to->ngroups, to->groups);
	syscall(SYS_setfsgid, to->group);
	syscall(SYS_setfsuid, to->user);
	return set_capabilities(to->any_file);
}

static void own_rights(struct rights *own)
{
	int n = getgroups(MAX_GROUPS, own->groups);

	own->user = geteuid();
	own->group = getegid();
	own->ngroups = n > 0 ? (size_t)n : 0;
	own->any_file = true;
}

/* The last of the four numbers of a line of /proc/PID/status. */
static uint32_t last_number(const char *text, const char *line, uint32_t none)
{
	const char *at = strstr(text, line);
	uint32_t n[4];

	return at && sscanf(at + strlen(line), "%" SCNu32 "%" SCNu32 "%" SCNu32
			    "%" SCNu32, &n[0], &n[1], &n[2], &n[3]) == 4 ?
	       n[3] : none;
}

/* Of a process that has ended: nobody's. */
static void rights_of(pid_t pid, struct rights *its)
{
	static char text[FL_MAX_TARGET_TEXT];
	ssize_t n = read_short(pid, "status", text, sizeof(text));
	char *at, *end;

	text[n > 0 ? n : 0] = '\0';
	its->user = last_number(text, "\nUid:", NOBODY);
	its->group = last_number(text, "\nGid:", NOBODY);
	its->ngroups = 0;
	its->any_file = its->user == 0;
	at = strstr(text, "\nGroups:");
	at = at ? at + strlen("\nGroups:") : NULL;
	while (at && its->ngroups < MAX_GROUPS && (*at == ' ' || *at == '\t')) {
		gid_t group = (gid_t)strtoul(at, &end, 10);

		if (end == at || !fl_is_digit(end[-1]))
			break;
		its->groups[its->ngroups++] = group;
		at = end;
	}
}

/* Files ------------------------------------------------------------------- */

/* Opens what a descriptor of O_PATH stands for, if that is a regular file. */
static int open_regular(int path)
{
	struct stat st;
	char name[32];
	int fd = -1;

	if (path < 0)
		return -1;
	if (fstat(path, &st) != 0 || !S_ISREG(st.st_mode)) {
		errno = EINVAL;
	} else {
		snprintf(name, sizeof(name), "/proc/self/fd/%d", path);
		fd = open(name, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	}
	close(path);
	return fd;
}

/* The root of a process; of one that has ended, ours. */
static int open_root(pid_t pid)
{
	int root = open_proc(pid, "root");

	return root < 0 && errno == ENOENT ?
	       open("/", O_PATH | O_DIRECTORY | O_CLOEXEC) : root;
}

static int open_below(int root, const char *path, uint64_t flags,
		      uint64_t resolve)
{
	struct open_how how = {
		.flags = O_PATH | O_CLOEXEC | flags,
		.resolve = RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS | resolve,
	};
	int fd = root < 0 ? -1 : (int)syscall(SYS_openat2, root, path, &how,
					      sizeof(how));

	if (root >= 0)
		close(root);
	return fd;
}

static int open_in_root(pid_t pid, const char *path, bool follow)
{
	struct rights own, its;
	int fd = -1, error;

	own_rights(&own);
	rights_of(pid, &its);
	fd = open_root(pid);
	if (set_rights(&its))
		fd = open_regular(open_below(fd, path, 0, follow ? 0 :
					     RESOLVE_NO_SYMLINKS));
	else if (fd >= 0) {
		close(fd);
		fd = -1;
		errno = EPERM;
	}
	error = errno;
	set_rights(&own);
	errno = error;
	return fd;
}

static int open_mapped(pid_t pid, uint64_t start, uint64_t end)
{
	char name[96];

	snprintf(name, sizeof(name), "map_files/%" PRIx64 "-%" PRIx64, start,
		 end);
	return open_regular(open_proc(pid, name));
}

static int open_same(const char *path, uint64_t device, uint64_t inode)
{
	int fd = open(path, O_PATH | O_CLOEXEC);
	struct stat st;

	if (fd >= 0 && (!inode || fstat(fd, &st) != 0 || st.st_ino != inode ||
			st.st_dev != device)) {
		close(fd);
		return -1;
	}
	return open_regular(fd);
}

static int open_debug(const char *build_id)
{
	char path[192];

	snprintf(path, sizeof(path), "/usr/lib/debug/.build-id/%.2s/%s.debug",
		 build_id, build_id + 2);
	return open_regular(open(path, O_PATH | O_CLOEXEC));
}

int fl_open_tmp(pid_t pid)
{
	return open_below(open_proc(pid, "root"), "/tmp", O_DIRECTORY, 0);
}

/* Sockets ----------------------------------------------------------------- */

static bool same_network(int a, int b)
{
	struct stat one, other;

	return fstat(a, &one) == 0 && fstat(b, &other) == 0 &&
	       one.st_ino == other.st_ino && one.st_dev == other.st_dev;
}

static int open_diagnostics(pid_t pid)
{
	int own = open_proc(getpid(), "ns/net");
	int other = open_proc(pid, "ns/net"), fd = -1;
	bool moved = own >= 0 && other >= 0 && !same_network(own, other);

	if (!moved || setns(other, CLONE_NEWNET) == 0) {
		fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC,
			    NETLINK_SOCK_DIAG);
		if (moved && setns(own, CLONE_NEWNET) != 0) {
			close(fd);
			fd = -1;
		}
	}
	if (own >= 0)
		close(own);
	if (other >= 0)
		close(other);
	return fd;
}

/* Any of them ---------------------------------------------------------------- */

static int open_what(const struct fl_target_request *request, const char *name)
{
	pid_t pid = request->pid;

	switch (request->kind) {
	case FL_TARGET_PROC:
		return open_proc(pid, name);
	case FL_TARGET_IN_ROOT:
		return open_in_root(pid, name, request->a);
	case FL_TARGET_MAPPED:
		return open_mapped(pid, request->a, request->b);
	case FL_TARGET_SAME:
		return open_same(name, request->a, request->b);
	case FL_TARGET_DEBUG:
		return open_debug(name);
	default:
		return open_diagnostics(pid);
	}
}

void fl_target_answer(const struct fl_target_request *request,
		      const char *name, char *text, size_t size,
		      struct fl_target_reply *reply)
{
	reply->fd = -1;
	reply->n = 0;
	errno = 0;
	if (request->kind == FL_TARGET_LINK)
		reply->n = read_link(request->pid, name, text, size);
	else if (request->kind == FL_TARGET_SHORT)
		reply->n = read_short(request->pid, name, text, size);
	else
		reply->fd = open_what(request, name);
	reply->error = errno;
}
