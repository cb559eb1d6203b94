/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fl_hdfs_find() finds the NameNodes of a URL of HDFS, by the URL or by
 * Hadoop's settings (hdfs.h), for webhdfs.c; fl_hdfs_request() writes the URL
 * of a request of WebHDFS to one of them, for url_text.c.
 */
#include "fl.h"

#include "remote/client.h"
#include "remote/hadoop.h"
#include "remote/hdfs.h"
#include "remote/url.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <strings.h>

enum {
	HTTP_PORT = 9870, HTTPS_PORT = 9871,	/* of Hadoop 3 */
	RPC_PORT = 8020, MAX_LINKS = 8
};

static const char prefix[] = "/webhdfs/v1";

static bool begins(const char *text, const char *with)
{
	return strncasecmp(text, with, strlen(with)) == 0;
}

static bool is_same(struct slice a, struct slice b)
{
	return a.size == b.size && strncasecmp(a.data, b.data, a.size) == 0;
}

/* Where ":PORT" begins; an address of IPv6 has colons in brackets. */
size_t fl_hdfs_host_size(struct slice host)
{
	for (size_t n = host.size; n && host.data[n - 1] != ']'; n--)
		if (host.data[n - 1] == ':')
			return n - 1;
	return host.size;
}

/* NameNodes -------------------------------------------------------------- */

/* host: "HOST" or "HOST:PORT"; instead: for an address of all interfaces. */
static void add_node(struct fl_hdfs *hdfs, bool tls, struct slice login,
		     struct slice host, struct slice instead)
{
	struct fl_buf *base = &hdfs->base[hdfs->count];
	size_t n = fl_hdfs_host_size(host);
	struct slice name = { host.data, n };

	if (hdfs->count == FL_HDFS_NODES || !host.size)
		return;
	hdfs->count++;
	if (instead.size && (!n || fl_slice_is(name, "0.0.0.0")))
		name = (struct slice){ instead.data, fl_hdfs_host_size(instead) };
	fl_buf_text(base, tls ? "https://" : "http://");
	fl_buf_put(base, login.data, login.size);
	fl_buf_put(base, name.data, name.size);
	if (n < host.size)
		fl_buf_put(base, host.data + n, host.size - n);
	else
		fl_buf_print(base, ":%d", tls ? HTTPS_PORT : HTTP_PORT);
	fl_buf_text(base, prefix);
}

static struct slice slice(const char *text)
{
	return (struct slice){ text ? text : "", text ? strlen(text) : 0 };
}

static bool has_tls(void)
{
	const char *policy = fl_hadoop("dfs.http.policy");

	return policy && strcmp(policy, "HTTPS_ONLY") == 0;
}

bool fl_hdfs_add_known(struct fl_hdfs *hdfs, bool tls, const char *of,
		       struct slice rpc)
{
	struct slice host = slice(fl_hadoop("dfs.namenode.%s-address%s",
					    tls ? "https" : "http", of));

	if (!rpc.size)
		rpc = slice(fl_hadoop("dfs.namenode.rpc-address%s", of));
	if (!host.size)
		host = (struct slice){ rpc.data, fl_hdfs_host_size(rpc) };
	add_node(hdfs, tls, FL_SLICE(""), host, rpc);
	return host.size;
}

static bool add_known(struct fl_hdfs *hdfs, const char *of, struct slice rpc)
{
	return fl_hdfs_add_known(hdfs, has_tls(), of, rpc);
}

static bool add_nameservice(struct fl_hdfs *hdfs, struct slice name)
{
	const char *ids = fl_hadoop("dfs.ha.namenodes.%.*s", (int)name.size,
				    name.data);
	char of[512];

	if (memchr(name.data, ':', name.size))
		return false;
	snprintf(of, sizeof(of), ".%.*s", (int)name.size, name.data);
	if (!ids)
		return (fl_hadoop("dfs.namenode.http-address%s", of) ||
			fl_hadoop("dfs.namenode.rpc-address%s", of)) &&
		       add_known(hdfs, of, FL_SLICE(""));
	while (*ids) {
		size_t n = strcspn(ids, ", \t\n");

		snprintf(of, sizeof(of), ".%.*s.%.*s", (int)name.size,
			 name.data, (int)n, ids);
		if (n)
			add_known(hdfs, of, FL_SLICE(""));
		ids += n + strspn(ids + n, ", \t\n");
	}
	return hdfs->count;
}

static bool is_rpc(struct slice host, const char *address)
{
	struct slice given = slice(address);
	struct fl_buf text = { 0 };
	bool same = is_same(host, given);

	if (!same && fl_hdfs_host_size(host) == host.size) {
		fl_buf_print(&text, "%.*s:%d", (int)host.size, host.data,
			     RPC_PORT);
		same = !text.failed && is_same(fl_buf_slice(&text), given);
	}
	fl_buf_free(&text);
	return same;
}

/* Of HOST:PORT, as clients reach a NameNode by RPC. */
static bool add_by_rpc(struct fl_hdfs *hdfs, struct slice host)
{
	const char *value, *of;
	size_t i = 0;

	while ((of = fl_hadoop_next("dfs.namenode.rpc-address", &i, &value)))
		if (is_rpc(host, value))
			return add_known(hdfs, of, host);
	value = fl_hadoop("fs.defaultFS");
	if (!value || !begins(value, "hdfs://"))
		return false;
	value += strlen("hdfs://");
	return is_same((struct slice){ value, strcspn(value, "/") }, host) &&
	       add_known(hdfs, "", host);
}

static bool add_configured(struct fl_hdfs *hdfs, struct slice host)
{
	const char *enabled = fl_hadoop("dfs.webhdfs.enabled");

	if (enabled && strcasecmp(enabled, "false") == 0)
		return false;
	return add_nameservice(hdfs, host) || add_by_rpc(hdfs, host);
}

/* "A:1,B" of webhdfs. */
static void add_list(struct fl_hdfs *hdfs, bool tls, struct slice login,
		     struct slice hosts)
{
	if (!memchr(hosts.data, ',', hosts.size) && !login.size &&
	    add_configured(hdfs, hosts))
		return;
	while (hosts.size) {
		const char *comma = memchr(hosts.data, ',', hosts.size);
		size_t n = comma ? (size_t)(comma - hosts.data) : hosts.size;

		add_node(hdfs, tls, login, (struct slice){ hosts.data, n },
			 FL_SLICE(""));
		n += comma != NULL;
		hosts.data += n;
		hosts.size -= n;
	}
}

/* Mount tables ------------------------------------------------------------ */

static bool is_below(const char *path, const char *link, size_t n)
{
	while (n && link[n - 1] == '/')
		n--;
	return strncmp(path, link, n) == 0 && (!path[n] || path[n] == '/');
}

/* "viewfs://TABLE/a/b" with the link /a to hdfs://ns/x: hdfs://ns/x/b. */
static bool follow_link(struct fl_buf *out, const char *path)
{
	const char *at = path + strlen("viewfs://"), *file, *link, *to;
	const char *target = NULL, *fallback = NULL;
	size_t n = strcspn(at, "/"), i = 0, best = 0;
	char key[512];

	file = at + n;
	snprintf(key, sizeof(key), "fs.viewfs.mounttable.%.*s.link",
		 n ? (int)n : 7, n ? at : "default");
	while ((link = fl_hadoop_next(key, &i, &to)))
		if (strcasecmp(link, "Fallback") == 0)
			fallback = to;
		else if (*link == '.' && link[1] == '/' &&
			 strlen(link + 1) > best &&
			 is_below(file, link + 1, strlen(link + 1))) {
			best = strlen(link + 1);
			target = to;
		}
	if (!target && !fallback)
		return false;
	to = target ? target : fallback;
	n = strlen(to);
	while (n && to[n - 1] == '/')
		n--;
	while (best && file[best - 1] == '/')
		best--;
	fl_buf_put(out, to, n);
	fl_buf_text(out, file + best);
	return !out->failed;
}

/* The whole URL of hdfs:// for viewfs, and for one without a host. */
static bool put_real(struct fl_buf *out, const char *path)
{
	const char *home = fl_hadoop("fs.defaultFS"), *at;
	struct fl_buf next = { 0 };
	bool good = true;

	fl_buf_text(out, path);
	for (unsigned links = 0; good && links < MAX_LINKS; links++) {
		next.size = 0;
		at = out->failed ? "" : strstr(out->data, "://") + 3;
		if (*at == '/' && home && strstr(home, "://") &&
		    (begins(out->data, "hdfs:") || begins(home, "viewfs:"))) {
			fl_buf_put(&next, home, strlen(home) -
				   (home[strlen(home) - 1] == '/'));
			fl_buf_text(&next, at);
		} else if (!out->failed && begins(out->data, "viewfs://")) {
			good = follow_link(&next, out->data);
		} else {
			break;
		}
		out->size = 0;
		fl_buf_put(out, next.data ? next.data : "", next.size);
		good = good && !next.failed && next.size &&
		       strstr(out->data, "://");
		/* A default without a host would come again and again. */
		home = NULL;
	}
	fl_buf_free(&next);
	return good && !out->failed && begins(out->data, "hdfs://");
}

/* --------------------------------------------------------------------- */

static void take_login(struct fl_hdfs *hdfs, struct slice *host,
		       struct slice *login)
{
	size_t n = fl_url_login(*host);

	*login = (struct slice){ host->data, n };
	host->data += n;
	host->size -= n;
	/* With a password, it is a login of HTTP, as before Knox. */
	if (!n || memchr(login->data, ':', n))
		return;
	fl_buf_put(&hdfs->user, login->data, n - 1);
	login->size = 0;
}

static void find_hdfs(struct fl_hdfs *hdfs, const char *path)
{
	struct fl_buf real = { 0 };
	const char *url = put_real(&real, path) ? real.data : path;
	struct slice host = fl_url_authority(url), login;

	fl_buf_text(&hdfs->file, host.data + host.size);
	take_login(hdfs, &host, &login);
	if (!add_configured(hdfs, host)) {
		/* By its port for HTTP, which is not that of the URL. */
		host.size = fl_hdfs_host_size(host);
		add_node(hdfs, false, login, host, FL_SLICE(""));
		hdfs->assumed = true;
	}
	fl_buf_free(&real);
}

bool fl_hdfs_find(struct fl_hdfs *hdfs, const char *path)
{
	struct slice host = fl_url_authority(path), login;
	const char *file = host.data + host.size;
	bool good;

	if (begins(path, "http")) {
		file = strstr(path, prefix);
		file = file ? file + sizeof(prefix) - 1 : path + strlen(path);
		fl_buf_put(&hdfs->base[0], path, (size_t)(file - path));
		hdfs->count = 1;
		fl_buf_text(&hdfs->file, file);
	} else if (begins(path, "hdfs:") || begins(path, "viewfs:")) {
		find_hdfs(hdfs, path);
	} else {
		take_login(hdfs, &host, &login);
			add_list(hdfs, begins(path, "s"), login, host);
		fl_buf_text(&hdfs->file, file);
	}
	good = !hdfs->file.failed && !hdfs->user.failed;
	for (size_t i = 0; i < hdfs->count; i++)
		good = good && !hdfs->base[i].failed;
	return good;
}

void fl_hdfs_free(struct fl_hdfs *hdfs)
{
	for (size_t i = 0; i < hdfs->count; i++)
		fl_buf_free(&hdfs->base[i]);
	fl_buf_free(&hdfs->file);
	fl_buf_free(&hdfs->user);
	fl_buf_free(&hdfs->pin);
}

bool fl_hdfs_is_known(const char *path)
{
	struct fl_hdfs hdfs = { .count = 0 };
	bool known = fl_hdfs_find(&hdfs, path) && hdfs.count &&
		     !hdfs.assumed;

	fl_hdfs_free(&hdfs);
	return known;
}

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static char active[512];	/* its base; under the lock */

size_t fl_hdfs_active(const struct fl_hdfs *hdfs)
{
	size_t node = 0;

	pthread_mutex_lock(&lock);
	for (size_t i = 0; i < hdfs->count; i++)
		if (strcmp(hdfs->base[i].data, active) == 0)
			node = i;
	pthread_mutex_unlock(&lock);
	return node;
}

void fl_hdfs_set_active(const struct fl_hdfs *hdfs, size_t node)
{
	pthread_mutex_lock(&lock);
	snprintf(active, sizeof(active), "%s", hdfs->base[node].data);
	pthread_mutex_unlock(&lock);
}

/* Requests ---------------------------------------------------------------- */

static void put_parameter(struct fl_buf *out, const char *name,
			  struct slice value)
{
	fl_buf_text(out, name);
	fl_url_encode(out, value.data, value.size, "-._~");
}

void fl_hdfs_request(struct fl_buf *out, const struct fl_hdfs *hdfs,
		     size_t node, const struct fl_hdfs_login *login,
		     uint64_t offset)
{
	struct slice file = fl_buf_slice(&hdfs->file);
	struct slice user = fl_buf_slice(&hdfs->user);
	bool list = !file.size || file.data[file.size - 1] == '/';

	fl_buf_text(out, hdfs->base[node].data);
	while (file.size > 1 && file.data[file.size - 1] == '/')
		file.size--;
	if (!file.size)
		file = FL_SLICE("/");
	fl_url_encode(out, file.data, file.size, "-._~/");
	fl_buf_text(out, list ? "?op=LISTSTATUS" : "?op=OPEN");
	if (login->token)
		put_parameter(out, "&delegation=", slice(login->token));
	else if (user.size)
		put_parameter(out, "&user.name=", user);
	else if (login->user)
		put_parameter(out, "&user.name=", slice(login->user));
	if (login->proxy)
		put_parameter(out, "&doas=", slice(login->proxy));
	if (offset)
		fl_buf_print(out, "&offset=%" PRIu64, offset);
}
