/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finds in /proc which sockets are connected to a process's own
 * (fl_sockets_connections), and for which ones a thread waits
 * (fl_sockets_awaited), for join.c.
 *
 * The two ends of a TCP connection on one machine are two rows of
 * /proc/PID/net/tcp or tcp6 with their addresses swapped.  Of UNIX sockets only
 * the kernel's socket diagnostics know the other end.
 */
#include "fl.h"

#include "sample/join.h"

#include <ctype.h>
#include <dirent.h>
#include <inttypes.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <linux/sock_diag.h>
#include <linux/unix_diag.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Inodes -------------------------------------------------------------------- */

/* 0: it is not a socket. */
static uint64_t socket_of(pid_t pid, const char *number)
{
	char text[64], name[288];
	uint64_t inode;

	snprintf(name, sizeof(name), "fd/%s", number);
	if (fl_read_link(pid, name, text, sizeof(text)) <= 0 ||
	    sscanf(text, "socket:[%" SCNu64, &inode) != 1)
		return 0;
	return inode;
}

static bool has(const uint64_t *inodes, size_t n, uint64_t inode)
{
	for (size_t i = 0; i < n; i++)
		if (inodes[i] == inode)
			return true;
	return false;
}

/* 0 where there are more than `most`: it is not a worker, but a server. */
static size_t list_sockets(pid_t pid, struct fl_connection *to, size_t most)
{
	struct dirent *entry;
	uint64_t inodes[FL_MAX_CONNECTIONS];
	size_t n = 0;
	DIR *dir = fl_open_folder(pid, "fd");

	while (dir && (entry = readdir(dir))) {
		uint64_t inode = fl_is_digit(entry->d_name[0]) ?
				 socket_of(pid, entry->d_name) : 0;

		if (!inode || has(inodes, n, inode))
			continue;
		if (n == most) {
			n = 0;
			break;
		}
		to[n] = (struct fl_connection){ .own = inode };
		inodes[n++] = inode;
	}
	if (dir)
		closedir(dir);
	return n;
}

/* TCP ------------------------------------------------------------------------ */

struct row {
	struct slice local, remote;	/* "0100007F:B2C4" */
	uint64_t inode;
};

static struct slice next_word(char **at)
{
	struct slice word;

	while (**at == ' ')
		++*at;
	word.data = *at;
	while (**at && **at != ' ' && **at != '\n')
		++*at;
	word.size = (size_t)(*at - word.data);
	return word;
}

/* An IPv4 address as IPv6 has it is that address. */
static struct slice as_ipv4(struct slice address)
{
	static const char mapped[] = "0000000000000000FFFF0000";

	if (fl_slice_starts(address, mapped)) {
		address.data += sizeof(mapped) - 1;
		address.size -= sizeof(mapped) - 1;
	}
	return address;
}

/* "sl local remote st tx:rx tr:when retries uid timeout inode"; *at moves on. */
static bool next_row(char **at, struct row *row)
{
	enum { LOCAL = 1, REMOTE = 2, INODE = 9 };
	char *end;

	while ((end = strchr(*at, '\n'))) {
		row->inode = 0;
		for (int i = 0; i <= INODE; i++) {
			struct slice word = next_word(at);

			if (i == LOCAL)
				row->local = as_ipv4(word);
			else if (i == REMOTE)
				row->remote = as_ipv4(word);
			else if (i == INODE)
				row->inode = strtoull(word.data, NULL, 10);
		}
		*at = end + 1;
		if (row->inode)
			return true;
	}
	return false;
}

static bool equal(struct slice a, struct slice b)
{
	return a.size == b.size && memcmp(a.data, b.data, a.size) == 0;
}

/* The other ends of the connections among the rows of both tables. */
static void find_tcp_peers(char *const *tables, size_t ntables,
			   struct fl_connection *connections, size_t n)
{
	struct row rows[FL_MAX_CONNECTIONS], row;

	memset(rows, 0, sizeof(rows));
	for (size_t t = 0; t < ntables; t++)
		for (char *at = tables[t]; at && next_row(&at, &row);)
			for (size_t i = 0; i < n; i++)
				if (row.inode == connections[i].own)
					rows[i] = row;
	for (size_t t = 0; t < ntables; t++)
		for (char *at = tables[t]; at && next_row(&at, &row);)
			for (size_t i = 0; i < n; i++)
				if (rows[i].inode &&
				    equal(row.local, rows[i].remote) &&
				    equal(row.remote, rows[i].local))
					connections[i].peer = row.inode;
}

/* UNIX ------------------------------------------------------------------------ */

/* 0: not known. */
static uint64_t unix_peer(int fd, uint64_t inode)
{
	struct {
		struct nlmsghdr header;
		struct unix_diag_req request;
	} ask = {
		.header = {
			.nlmsg_len = sizeof(ask),
			.nlmsg_type = SOCK_DIAG_BY_FAMILY,
			.nlmsg_flags = NLM_F_REQUEST,
		},
		.request = {
			.sdiag_family = AF_UNIX, .udiag_states = UINT32_MAX,
			.udiag_ino = (uint32_t)inode,
			.udiag_show = UDIAG_SHOW_PEER,
			.udiag_cookie = { UINT32_MAX, UINT32_MAX },
		},
	};
	union {
		struct nlmsghdr header;
		char bytes[1024];
	} reply;
	struct rtattr *attribute;
	ssize_t n, left;
	uint32_t peer;

	if (send(fd, &ask, sizeof(ask), 0) != sizeof(ask))
		return 0;
	n = recv(fd, &reply, sizeof(reply), MSG_DONTWAIT);
	left = (ssize_t)reply.header.nlmsg_len -
	       (ssize_t)NLMSG_SPACE(sizeof(struct unix_diag_msg));
	if (n < (ssize_t)sizeof(reply.header) || reply.header.nlmsg_len > n ||
	    reply.header.nlmsg_type != SOCK_DIAG_BY_FAMILY)
		return 0;
	attribute = (struct rtattr *)(reply.bytes +
		NLMSG_SPACE(sizeof(struct unix_diag_msg)));
	for (; RTA_OK(attribute, left); attribute = RTA_NEXT(attribute, left))
		if (attribute->rta_type == UNIX_DIAG_PEER) {
			memcpy(&peer, RTA_DATA(attribute), sizeof(peer));
			return peer;
		}
	return 0;
}

static void find_unix_peers(pid_t pid, struct fl_connection *connections,
			    size_t n)
{
	int fd = -2;

	for (size_t i = 0; i < n; i++) {
		if (connections[i].peer)
			continue;
		if (fd == -2)
			fd = fl_open_diagnostics(pid);
		if (fd >= 0)
			connections[i].peer = unix_peer(fd, connections[i].own);
	}
	if (fd >= 0)
		close(fd);
}

size_t fl_sockets_connections(pid_t pid, struct fl_connection *connections)
{
	struct fl_connection all[FL_MAX_CONNECTIONS];
	size_t n = list_sockets(pid, all, FL_MAX_CONNECTIONS), known = 0, size;
	char *tables[2];

	if (!n)
		return 0;
	tables[0] = fl_read_proc(pid, "net/tcp", &size);
	tables[1] = fl_read_proc(pid, "net/tcp6", &size);
	find_tcp_peers(tables, FL_COUNT(tables), all, n);
	find_unix_peers(pid, all, n);
	fl_free(tables[0]);
	fl_free(tables[1]);
	for (size_t i = 0; i < n; i++)
		if (all[i].peer)
			connections[known++] = all[i];
	return known;
}

/* Waits --------------------------------------------------------------------- */

static bool reads(long call)
{
	return call == SYS_read || call == SYS_recvfrom || call == SYS_recvmsg;
}

static bool polls(long call)
{
#ifdef SYS_poll
	if (call == SYS_poll)
		return true;
#endif
	return call == SYS_ppoll;
}

static bool polls_set(long call)
{
#ifdef SYS_epoll_wait
	if (call == SYS_epoll_wait)
		return true;
#endif
#ifdef SYS_epoll_pwait2
	if (call == SYS_epoll_pwait2)
		return true;
#endif
	return call == SYS_epoll_pwait;
}

/* "tfd: 336 events: 1 data: 150 pos:0 ino:1a6ef sdev:8", of each socket. */
static size_t list_set(pid_t pid, const char *number, uint64_t *inodes)
{
	char name[64], text[1024], *at = text;
	size_t n = 0;

	snprintf(name, sizeof(name), "fdinfo/%s", number);
	if (fl_read_short(pid, name, text, sizeof(text)) <= 0)
		return 0;
	while (n < FL_MAX_WAITS && (at = strstr(at, " ino:"))) {
		at += strlen(" ino:");
		inodes[n++] = strtoull(at, &at, 16);
	}
	return n;
}

size_t fl_sockets_awaited(pid_t pid, pid_t tid, uint64_t *inodes)
{
	char text[256], number[24];
	uint64_t argument;
	int32_t fd;
	long call;

	if (fl_read_task(pid, tid, "syscall", text, sizeof(text)) <= 0 ||
	    sscanf(text, "%ld %" SCNx64, &call, &argument) != 2)
		return 0;
	fd = (int32_t)argument;
	if (polls(call) &&
	    fl_read_memory(pid, argument, &fd, sizeof(fd)) != sizeof(fd))
		return 0;
	if (!reads(call) && !polls(call) && !polls_set(call))
		return 0;
	snprintf(number, sizeof(number), "%d", (int)fd);
	if (polls_set(call))
		return list_set(pid, number, inodes);
	inodes[0] = socket_of(pid, number);
	return inodes[0] != 0;
}
