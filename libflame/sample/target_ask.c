/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Opens files of recorded processes and reads their memory (proc.h), for all of
 * sample/.  A process that has the rights opens them itself, by target.c.  The
 * parser, which has none, asks the opener over a socket (apart.h), and gets a
 * descriptor: the opener's loop, fl_target_serve(), opens what the parser
 * needs, and refuses all else.
 */
#include "fl.h"

#include "sample/target.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

enum { MAX_PROC = 256 << 20, MAX_MEMORIES = 1024 };

static int asked = -1;		/* the socket; -1: this process has the rights */

/* A socket ------------------------------------------------------------------ */

union control {
	struct cmsghdr head;
	char bytes[CMSG_SPACE(sizeof(int))];
};

/* first and text as one message, with a descriptor or -1. */
static bool send_both(int to, const void *first, size_t size, const char *text,
		      size_t text_size, int fd)
{
	union control control = { .bytes = { 0 } };
	struct iovec parts[] = {
		{ (void *)(uintptr_t)first, size },
		{ (void *)(uintptr_t)text, text_size },
	};
	struct msghdr message = { .msg_iov = parts, .msg_iovlen = 2 };

	if (fd >= 0) {
		message.msg_control = control.bytes;
		message.msg_controllen = sizeof(control.bytes);
		control.head.cmsg_level = SOL_SOCKET;
		control.head.cmsg_type = SCM_RIGHTS;
		control.head.cmsg_len = CMSG_LEN(sizeof(int));
		memcpy(CMSG_DATA(&control.head), &fd, sizeof(fd));
	}
	return sendmsg(to, &message, MSG_NOSIGNAL) ==
	       (ssize_t)(size + text_size);
}

/* The size of the text, with a NUL after it; -1: the other end is closed. */
static ssize_t receive_both(int from, void *first, size_t size, char *text,
			    size_t text_size, int *fd)
{
	union control control = { .bytes = { 0 } };
	struct iovec parts[] = { { first, size }, { text, text_size - 1 } };
	struct msghdr message = {
		.msg_iov = parts, .msg_iovlen = 2,
		.msg_control = control.bytes,
		.msg_controllen = sizeof(control.bytes),
	};
	ssize_t n = recvmsg(from, &message, MSG_CMSG_CLOEXEC);
	struct cmsghdr *head = n > 0 ? CMSG_FIRSTHDR(&message) : NULL;

	*fd = -1;
	if (head && head->cmsg_type == SCM_RIGHTS)
		memcpy(fd, CMSG_DATA(head), sizeof(*fd));
	if (n < (ssize_t)size)
		return -1;
	text[n - (ssize_t)size] = '\0';
	return n - (ssize_t)size;
}

/* Who answers -------------------------------------------------------------- */

static bool is_number(const char **at)
{
	const char *end = *at;

	while (fl_is_digit(*end))
		end++;
	if (end == *at)
		return false;
	*at = end;
	return true;
}

/* "N" in a pattern is a number. */
static bool matches(const char *name, const char *pattern)
{
	for (; *pattern; pattern++)
		if (*pattern == 'N' ? !is_number(&name) : *pattern != *name++)
			return false;
	return !*name;
}

static bool is_one_of(const char *name, const char *const *patterns)
{
	for (; *patterns; patterns++)
		if (matches(name, *patterns))
			return true;
	return false;
}

/* Names in /proc that the parser needs, not others. */
static bool is_allowed(const struct fl_target_request *request,
		       const char *name)
{
	static const char *const files[] = {
		"maps", "comm", "stat", "status", "cmdline", "mem", "task", "fd",
		"net/tcp", "net/tcp6", NULL
	};
	static const char *const links[] = { "fd/N", NULL };
	static const char *const texts[] = {
		"comm", "stat", "status", "task/N/comm", "task/N/syscall",
		"task/N/stack", "task/N/schedstat", "fdinfo/N", NULL
	};

	if (request->kind >= FL_TARGET_KINDS || request->pid <= 0)
		return false;
	switch (request->kind) {
	case FL_TARGET_PROC:
		return is_one_of(name, files);
	case FL_TARGET_LINK:
		return is_one_of(name, links);
	case FL_TARGET_SHORT:
		return is_one_of(name, texts);
	default:
		return true;
	}
}

/* Of files that processes name the parser needs programs and perf maps. */
static bool is_needed(const struct fl_target_request *request,
		      const char *name, int fd)
{
	char magic[4] = "";

	if (request->kind != FL_TARGET_IN_ROOT &&
	    request->kind != FL_TARGET_SAME &&
	    request->kind != FL_TARGET_MAPPED)
		return true;
	return matches(name, "/tmp/perf-N.map") ||
	       (pread(fd, magic, sizeof(magic), 0) == sizeof(magic) &&
		memcmp(magic, "\177ELF", sizeof(magic)) == 0);
}

void fl_target_serve(int fd)
{
	static char name[FL_MAX_TARGET_TEXT], text[FL_MAX_TARGET_TEXT];
	struct fl_target_request request;
	struct fl_target_reply reply;
	int none;

	while (receive_both(fd, &request, sizeof(request), name, sizeof(name),
			    &none) >= 0) {
		reply = (struct fl_target_reply){ .fd = -1, .error = EPERM };
		if (is_allowed(&request, name))
			fl_target_answer(&request, name, text, sizeof(text),
					 &reply);
		if (reply.fd >= 0 && !is_needed(&request, name, reply.fd)) {
			close(reply.fd);
			reply = (struct fl_target_reply){ -1, EPERM, 0 };
		}
		if (!send_both(fd, &reply, sizeof(reply), text,
			       reply.n > 0 ? (size_t)reply.n : 0, reply.fd))
			break;
		if (reply.fd >= 0)
			close(reply.fd);
	}
	_exit(0);
}

/* Who asks ------------------------------------------------------------------ */

void fl_target_ask_by(int fd)
{
	asked = fd;
}

/* The bytes of text; -1: see errno.  *fd: what was opened. */
static ssize_t ask(enum fl_target_kind kind, pid_t pid, uint64_t a, uint64_t b,
		   const char *name, char *text, size_t size, int *fd)
{
	struct fl_target_request request = { kind, (int32_t)pid, a, b };
	struct fl_target_reply reply = { .fd = -1, .error = EPIPE, .n = -1 };
	ssize_t n;

	if (asked < 0) {
		fl_target_answer(&request, name, text, size, &reply);
		n = reply.n;
		*fd = reply.fd;
	} else {
		n = send_both(asked, &request, sizeof(request), name,
			      strlen(name), -1) ?
		    receive_both(asked, &reply, sizeof(reply), text, size,
				 fd) : -1;
		if (n >= 0 && reply.n < 0)
			n = -1;
	}
	errno = reply.error;
	return n;
}

static int ask_fd(enum fl_target_kind kind, pid_t pid, uint64_t a, uint64_t b,
		  const char *name)
{
	char text[8];
	int fd = -1;

	ask(kind, pid, a, b, name, text, sizeof(text), &fd);
	return fd;
}

int fl_open_proc(pid_t pid, const char *name)
{
	return ask_fd(FL_TARGET_PROC, pid, 0, 0, name);
}

int fl_open_in_root(pid_t pid, const char *path, bool follow)
{
	return ask_fd(FL_TARGET_IN_ROOT, pid, follow, 0, path);
}

int fl_open_mapped(pid_t pid, uint64_t start, uint64_t end)
{
	return ask_fd(FL_TARGET_MAPPED, pid, start, end, "");
}

int fl_open_same(pid_t pid, const char *path, uint64_t device, uint64_t inode)
{
	return ask_fd(FL_TARGET_SAME, pid, device, inode, path);
}

int fl_open_debug(pid_t pid, const char *build_id)
{
	return ask_fd(FL_TARGET_DEBUG, pid, 0, 0, build_id);
}

int fl_open_diagnostics(pid_t pid)
{
	return ask_fd(FL_TARGET_DIAGNOSTICS, pid, 0, 0, "");
}

static ssize_t ask_text(enum fl_target_kind kind, pid_t pid, const char *name,
			char *text, size_t size)
{
	int fd;
	ssize_t n = ask(kind, pid, 0, 0, name, text, size, &fd);

	text[n > 0 ? n : 0] = '\0';
	return n;
}

ssize_t fl_read_short(pid_t pid, const char *name, char *text, size_t size)
{
	return ask_text(FL_TARGET_SHORT, pid, name, text, size);
}

ssize_t fl_read_link(pid_t pid, const char *name, char *text, size_t size)
{
	return ask_text(FL_TARGET_LINK, pid, name, text, size);
}

DIR *fl_open_folder(pid_t pid, const char *name)
{
	int fd = fl_open_proc(pid, name);
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);

	if (fd >= 0 && !dir)
		close(fd);
	return dir;
}

char *fl_read_proc(pid_t pid, const char *name, size_t *size)
{
	int fd = fl_open_proc(pid, name);
	char *text;

	if (fd < 0)
		return NULL;
	text = fl_read_file(fd, MAX_PROC, size);
	close(fd);
	return text;
}

/* The effective user, whom files that it wrote belong to. */
bool fl_read_owner(pid_t pid, uid_t *owner)
{
	char text[4096];
	const char *at = fl_read_short(pid, "status", text, sizeof(text)) > 0 ?
			 strstr(text, "\nUid:") : NULL;
	unsigned user;

	if (!at || sscanf(at, "\nUid: %*u %u", &user) != 1)
		return false;
	*owner = user;
	return true;
}

/* Memory ------------------------------------------------------------------- */

/* /proc/PID/mem of those that were read; an exec makes one of no use. */
static struct {
	struct fl_map places;	/* pid -> place + 1 */
	struct memory {
		pid_t pid;
		int fd;
	} data[MAX_MEMORIES];
	size_t next;		/* to be used, for another one */
} memories;

void fl_forget_memory(pid_t pid)
{
	uint64_t *place = asked < 0 ? NULL :
			  fl_map_get(&memories.places, (uint64_t)pid);

	if (!place || !*place)
		return;
	close(memories.data[*place - 1].fd);
	memories.data[*place - 1].pid = 0;
	*place = 0;
}

static int memory_of(pid_t pid)
{
	uint64_t *place = fl_map_put(&memories.places, (uint64_t)pid, NULL);
	size_t at = memories.next;
	int fd;

	if (place && *place)
		return memories.data[*place - 1].fd;
	fd = place ? fl_open_proc(pid, "mem") : -1;
	if (fd < 0)
		return -1;
	if (memories.data[at].pid)
		fl_forget_memory(memories.data[at].pid);
	memories.data[at] = (struct memory){ pid, fd };
	memories.next = (at + 1) % MAX_MEMORIES;
	*place = at + 1;
	return fd;
}

static ssize_t read_mem_file(pid_t pid, uint64_t at, void *to, size_t size)
{
	struct iovec local = { to, size };
	int fd = -1;
	ssize_t n;

	if (at <= INT64_MAX)
		fd = asked < 0 ? fl_open_proc(pid, "mem") : memory_of(pid);
	if (fd < 0)
		return -1;
	n = preadv(fd, &local, 1, (off_t)at);
	if (asked < 0)
		close(fd);
	return n;
}

ssize_t fl_read_memory(pid_t pid, uint64_t at, void *to, size_t size)
{
	struct iovec local = { to, size };
	struct iovec remote = { (void *)(uintptr_t)at, size };
	ssize_t n;

	if (asked >= 0)
		return read_mem_file(pid, at, to, size);
	n = process_vm_readv(pid, &local, 1, &remote, 1, 0);
	return n < 0 && (errno == EPERM || errno == ENOSYS) ?
	       read_mem_file(pid, at, to, size) : n;
}
