/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fl_attach() sends a command to a HotSpot JVM, as jcmd does, and returns the
 * reply; jvm_events.c sends those of the flight recorder.  The socket is
 * /tmp/.java_pidPID, which a JVM opens when it finds the file
 * /tmp/.attach_pidPID and gets a SIGQUIT.  A process that does not catch that
 * signal would die of it: it never gets one.
 */
#include "fl.h"

#include "sample/jvm_events.h"
#include "sample/proc.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

enum {
	MAX_REPLY = 1 << 20,
	STEP_MS = 20,
	HURRY_MS = 700		/* once the recording is to end at once */
};

struct attach {
	pid_t pid, inner;	/* our number, and its own */
	int64_t deadline;	/* of all that is said */
	bool hurries;		/* it was made shorter */
	int tmp;		/* its /tmp */
	struct stat owner;
	struct fl_refusal *refusal;
};

static bool refuse(struct attach *a, const char *why)
{
	snprintf(a->refusal->text, sizeof(a->refusal->text), "JVM %d %s",
		 (int)a->pid, why);
	return false;
}

static volatile const int *hurries;

void fl_attach_hurries(volatile const int *when)
{
	hurries = when;
}

/* Milliseconds for the next step of waiting; 0: the time is over. */
static int time_left(struct attach *a)
{
	int64_t now = fl_now(), most = now + INT64_C(1000000) * HURRY_MS;

	if (hurries && *hurries && !a->hurries) {
		a->deadline = FL_MIN(a->deadline, most);
		a->hurries = true;
	}
	return now >= a->deadline ? 0 : STEP_MS;
}

/* Whether the socket is ready before the time is over. */
static bool wait_for(struct attach *a, int fd, short what)
{
	struct pollfd one = { .fd = fd, .events = what };
	int ms;

	while ((ms = time_left(a)))
		if (poll(&one, 1, ms) > 0)
			return true;
	return false;
}

static bool catches_quit(pid_t pid)
{
	size_t size;
	char *text = fl_read_proc(pid, "status", &size);
	const char *at = text ? strstr(text, "\nSigCgt:") : NULL;
	uint64_t caught = at ? strtoull(at + 8, NULL, 16) : 0;

	fl_free(text);
	return caught >> (SIGQUIT - 1) & 1;
}

/* It would print all its threads instead. */
static bool refuses_attach(pid_t pid)
{
	static const char flag[] = "-XX:+DisableAttachMechanism";
	size_t size = 0;
	char *text = fl_read_proc(pid, "cmdline", &size);
	bool found = text && memmem(text, size, flag, sizeof(flag) - 1);

	fl_free(text);
	return found;
}

static bool has_socket(const struct attach *a, const char *name)
{
	struct stat st;

	return fstatat(a->tmp, name, &st, AT_SYMLINK_NOFOLLOW) == 0 &&
	       S_ISSOCK(st.st_mode) && st.st_uid == a->owner.st_uid;
}

/* Asks the JVM to open its socket. */
static bool ask_for_socket(struct attach *a, const char *socket)
{
	struct timespec pause = { 0, INT64_C(1000000) * STEP_MS };
	char name[64];
	int fd;

	if (refuses_attach(a->pid))
		return refuse(a, "refuses attach "
			      "(-XX:+DisableAttachMechanism)");
	if (!catches_quit(a->pid))
		return refuse(a, "cannot be attached to: it does not catch "
			      "SIGQUIT (is it just starting?)");
	snprintf(name, sizeof(name), ".attach_pid%d", (int)a->inner);
	fd = openat(a->tmp, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW |
		    O_CLOEXEC, 0600);
	if (fd < 0 && errno != EEXIST)
		return refuse(a, "cannot be attached to: its /tmp is not "
			      "writable");
	if (fd >= 0 && fchown(fd, a->owner.st_uid, a->owner.st_gid) != 0 &&
	    geteuid() == 0)
		errno = 0;	/* the JVM checks its owner, and refuses it */
	kill(a->pid, SIGQUIT);
	while (time_left(a) && !has_socket(a, socket))
		nanosleep(&pause, NULL);
	if (fd >= 0) {
		close(fd);
		unlinkat(a->tmp, name, 0);
	}
	return has_socket(a, socket) ||
	       refuse(a, "does not answer: it opened no socket in its /tmp");
}

/* While the backlog is full connect() says EAGAIN. */
static bool connect_in_time(struct attach *a, int fd,
			    const struct sockaddr_un *address)
{
	const struct timespec pause = { 0, INT64_C(1000000) * STEP_MS };

	while (connect(fd, (const struct sockaddr *)address,
		       sizeof(*address)) != 0) {
		if (errno != EAGAIN || !time_left(a))
			return false;
		nanosleep(&pause, NULL);
	}
	return true;
}

static int connect_to(struct attach *a)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	char name[64];
	int fd;

	snprintf(name, sizeof(name), ".java_pid%d", (int)a->inner);
	if (!has_socket(a, name) && !ask_for_socket(a, name))
		return -1;
	snprintf(address.sun_path, sizeof(address.sun_path),
		 "/proc/self/fd/%d/%s", a->tmp, name);
	fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (fd < 0 || !connect_in_time(a, fd, &address)) {
		if (fd >= 0)
			close(fd);
		refuse(a, "cannot be attached to: its socket is closed");
		return -1;
	}
	return fd;
}

/* Version, name and three arguments, each with a NUL. */
static bool send_command(struct attach *a, int fd, const char *line)
{
	struct fl_buf buf = { 0 };
	bool good;

	fl_buf_put(&buf, "1\0jcmd", 7);
	fl_buf_put(&buf, line, strlen(line) + 1);
	fl_buf_put(&buf, "\0", 2);
	good = !buf.failed && wait_for(a, fd, POLLOUT) &&
	       send(fd, buf.data, buf.size, MSG_NOSIGNAL) ==
		       (ssize_t)buf.size;
	fl_buf_free(&buf);
	return good;
}

/* All of it, with a NUL; false: the end did not come in time. */
static bool receive(struct attach *a, int fd, struct fl_buf *text)
{
	enum { PIECE = 4096 };
	ssize_t n = -1;
	char *to;

	while (text->size < MAX_REPLY && wait_for(a, fd, POLLIN) &&
	       (to = fl_buf_reserve(text, PIECE)) &&
	       (n = recv(fd, to, PIECE, 0)) > 0)
		text->size += (size_t)n;
	fl_buf_byte(text, '\0');
	return n == 0 && !text->failed;
}

/* A line with a number, which is 0 where it worked, and text. */
static bool read_reply(struct attach *a, int fd, struct fl_buf *reply)
{
	struct fl_buf text = { 0 };
	char why[256];
	const char *rest;
	bool good = false;

	reply->size = 0;
	if (!receive(a, fd, &text) || !text.data[0]) {
		fl_buf_free(&text);
		return refuse(a, "does not answer");
	}
	rest = text.data + strcspn(text.data, "\n");
	rest += *rest == '\n';
	fl_buf_put(reply, rest, strlen(rest) + 1);
	if (reply->failed) {
		refuse(a, "does not answer: out of memory");
	} else if (strtol(text.data, NULL, 10) != 0) {
		snprintf(why, sizeof(why), "refuses: %.*s",
			 (int)FL_MIN(strcspn(rest, "\n"), (size_t)200), rest);
		refuse(a, why);
	} else {
		reply->size--;
		good = true;
	}
	fl_buf_free(&text);
	return good;
}

static bool try_attach(pid_t pid, const char *line, int64_t deadline,
		       struct fl_buf *reply, struct fl_refusal *refusal)
{
	struct attach a = {
		.pid = pid, .refusal = refusal, .tmp = -1, .deadline = deadline
	};
	char path[32];
	bool good = false;
	int fd = -1;

	refusal->text[0] = '\0';
	snprintf(path, sizeof(path), "/proc/%d", (int)pid);
	if (stat(path, &a.owner) != 0)
		return refuse(&a, "is gone");
	a.inner = fl_inner_pid(pid);
	a.tmp = fl_open_tmp(pid);
	if (a.tmp < 0)
		return refuse(&a, "cannot be attached to: no access to its "
			      "/tmp (/proc/PID/root)");
	fd = connect_to(&a);
	if (fd >= 0)
		good = send_command(&a, fd, line) ? read_reply(&a, fd, reply) :
		       refuse(&a, "does not answer");
	if (fd >= 0)
		close(fd);
	close(a.tmp);
	return good;
}

/* A JVM that is just starting answers before it knows all of its commands. */
bool fl_attach(pid_t pid, const char *line, int seconds, struct fl_buf *reply,
	       struct fl_refusal *refusal)
{
	enum { MAX_TRIES = 20 };
	const struct timespec pause = { 0, 100000000 };
	int64_t deadline = fl_now() + INT64_C(1000000000) * seconds;

	for (int tries = 1;
	     !try_attach(pid, line, deadline, reply, refusal); tries++) {
		if (tries == MAX_TRIES ||
		    !strstr(refusal->text, "Unknown diagnostic command"))
			return false;
		nanosleep(&pause, NULL);
	}
	return true;
}
