/* SPDX-License-Identifier: Apache-2.0 */
#ifndef FL_WASI_NETDB_H
#define FL_WASI_NETDB_H

#include <lacks.h>
#include <sys/socket.h>

struct addrinfo {
	int ai_flags, ai_family, ai_socktype, ai_protocol;
	socklen_t ai_addrlen;
	struct sockaddr *ai_addr;
	char *ai_canonname;
	struct addrinfo *ai_next;
};
#define AI_NUMERICSERV 0x400
#define NI_NUMERICHOST 1
#define NI_NUMERICSERV 2
#define NI_MAXHOST 255
#define NI_MAXSERV 32
FL_WASI_LACKS(int, getaddrinfo, -1, const char *host, const char *port,
	      const struct addrinfo *hints, struct addrinfo **found)
FL_WASI_LACKS(int, getnameinfo, -1, const struct sockaddr *a, socklen_t size,
	      char *host, socklen_t nhost, char *port, socklen_t nport,
	      int flags)
FL_WASI void freeaddrinfo(struct addrinfo *a)
{
}

#endif
