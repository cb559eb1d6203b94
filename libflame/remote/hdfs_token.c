/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fl_hdfs_token() finds the token for a NameNode in the file of tokens that
 * Hadoop writes for a job, for url_text.c.  As in Hadoop's SecurityUtil, a
 * service is ADDRESS:PORT and compared by resolved address, or
 * ha-SCHEME:NAMESERVICE and compared with the configuration.
 */
#include "fl.h"

#include "remote/hadoop.h"
#include "remote/hadoop_token.h"
#include "remote/hdfs.h"
#include "remote/url.h"

#include <netdb.h>
#include <stdio.h>
#include <strings.h>

struct request {
	struct fl_hdfs *hdfs;
	struct slice server;	/* HOST:PORT */
	bool tls;
};

/* Addresses --------------------------------------------------------------- */

/* Of HOST[:PORT], for freeaddrinfo; NULL: there are none. */
static struct addrinfo *resolve(struct slice server, const char *port)
{
	struct addrinfo hints = {
		.ai_flags = AI_NUMERICSERV, .ai_socktype = SOCK_STREAM,
	};
	struct addrinfo *found = NULL;
	size_t n = fl_hdfs_host_size(server);
	char text[NI_MAXHOST], *host = text;

	if (!n || server.size >= sizeof(text) ||
	    memchr(server.data, '\0', server.size))
		return NULL;
	memcpy(text, server.data, server.size);
	text[server.size] = text[n] = '\0';
	if (n < server.size)
		port = text + n + 1;
	if (*host == '[' && text[n - 1] == ']') {
		text[n - 1] = '\0';
		host++;
	}
	return port && getaddrinfo(host, port, &hints, &found) == 0 ? found :
								      NULL;
}

/* "HOST:PORT:ADDRESS:PORT": the name could have another address when asked. */
static void put_pin(struct fl_buf *out, struct slice server,
		    const struct addrinfo *to)
{
	size_t n = fl_hdfs_host_size(server);
	char host[NI_MAXHOST], port[NI_MAXSERV];
	bool v6 = to->ai_family == AF_INET6;

	if (getnameinfo(to->ai_addr, to->ai_addrlen, host, sizeof(host), port,
			sizeof(port), NI_NUMERICHOST | NI_NUMERICSERV) == 0)
		fl_buf_print(out, "%.*s:%s:%s%s%s:%s", (int)n, server.data,
			     port, v6 ? "[" : "", host, v6 ? "]" : "", port);
}

static const struct addrinfo *find_common(const struct addrinfo *a,
					  const struct addrinfo *b)
{
	for (; a; a = a->ai_next)
		for (const struct addrinfo *it = b; it; it = it->ai_next)
			if (a->ai_addrlen == it->ai_addrlen &&
			    memcmp(a->ai_addr, it->ai_addr, a->ai_addrlen) == 0)
				return a;
	return NULL;
}

/* pin: gets the address that both have, unless they are the same text. */
static bool is_same(struct fl_buf *pin, struct slice a, const char *port_of_a,
		    struct slice b, const char *port_of_b)
{
	struct addrinfo *of_a, *of_b;
	const struct addrinfo *common;

	if (a.size == b.size && fl_hdfs_host_size(a) < a.size &&
	    strncasecmp(a.data, b.data, a.size) == 0)
		return true;
	of_a = resolve(a, port_of_a);
	of_b = resolve(b, port_of_b);
	common = find_common(of_a, of_b);
	if (common && pin)
		put_pin(pin, a, common);
	if (of_a)
		freeaddrinfo(of_a);
	if (of_b)
		freeaddrinfo(of_b);
	return common && (!pin || (pin->size && !pin->failed));
}

static bool is_loopback(struct slice server)
{
	struct slice host = { server.data, fl_hdfs_host_size(server) };

	for (size_t i = 0; i < host.size; i++)
		if (!fl_is_digit(host.data[i]) && host.data[i] != '.')
			return fl_slice_is(host, "localhost") ||
			       fl_slice_is(host, "[::1]");
	return fl_slice_starts(host, "127.");
}

/* Configured NameNodes ---------------------------------------------------- */

/* ha-SCHEME:NAMESERVICE, and .NAMESERVICE.ID of one of its NameNodes. */
static bool is_nameservice(struct slice service, const char *of)
{
	const char *name = memchr(service.data, ':', service.size);
	size_t n = *of == '.' ? strcspn(of + 1, ".") : 0;

	return name && n && of[n + 1] &&
	       n == service.size - (size_t)(name + 1 - service.data) &&
	       memcmp(of + 1, name + 1, n) == 0;
}

static bool is_node(struct request *request, struct slice service,
		    const char *of, struct slice rpc)
{
	const char *port = request->tls ? "443" : "80";
	struct fl_hdfs node = { .count = 0 };
	bool same = fl_slice_starts(service, "ha-") ?
		    is_nameservice(service, of) :
		    is_same(NULL, rpc, "8020", service, NULL);

	if (same)
		same = fl_hdfs_add_known(&node, request->tls, of, rpc) &&
		       node.count && !node.base[0].failed &&
		       is_same(&request->hdfs->pin, request->server, port,
			       fl_url_authority(node.base[0].data), port);
	fl_hdfs_free(&node);
	return same;
}

static bool is_configured(struct request *request, struct slice service)
{
	const char *home = fl_hadoop("fs.defaultFS"), *value, *of;
	size_t i = 0;

	while ((of = fl_hadoop_next("dfs.namenode.rpc-address", &i, &value)))
		if (is_node(request, service, of,
			    (struct slice){ value, strlen(value) }))
			return true;
	return home && strncasecmp(home, "hdfs://", 7) == 0 &&
	       is_node(request, service, "", fl_url_authority(home));
}

/* --------------------------------------------------------------------- */

static bool is_ours(void *arg, struct slice service)
{
	struct request *request = arg;

	request->hdfs->pin.size = 0;
	if (is_same(&request->hdfs->pin, request->server,
		    request->tls ? "443" : "80", service, NULL))
		return true;
	if (!is_configured(request, service))
		return false;
	if (request->tls || is_loopback(request->server))
		return true;
	request->hdfs->withheld = true;
	return false;
}

bool fl_hdfs_token(struct fl_buf *out, const char *path, struct fl_hdfs *hdfs,
		   size_t node)
{
	struct slice server = fl_url_authority(hdfs->base[node].data);
	size_t login = fl_url_login(server);
	struct request request = {
		.hdfs = hdfs,
		.tls = strncasecmp(hdfs->base[node].data, "https", 5) == 0,
		.server = { server.data + login, server.size - login },
	};

	hdfs->withheld = false;
	hdfs->pin.size = 0;
	if (fl_hadoop_token_file(out, path, is_ours, &request))
		return true;
	hdfs->pin.size = 0;
	return false;
}
