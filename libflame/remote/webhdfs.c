/* SPDX-License-Identifier: Apache-2.0 */
/*
 * webhdfs:, swebhdfs:, hdfs: and viewfs: URLs: rows of schemes.def and their
 * protocol, fl_protocol_webhdfs, which url.c asks for requests and listing.c
 * for folders.  A NameNode is asked, and redirects to a DataNode.  Of several
 * NameNodes one is active; the others, and DataNodes after a failover, answer
 * that they are not, and the next NameNode is asked.  hdfs.c finds their
 * addresses.
 */
#include "fl.h"

#include "io/json.h"
#include "remote/client.h"
#include "remote/hdfs.h"
#include "remote/listing.h"
#include "remote/protocol.h"
#include "remote/stall.h"
#include "remote/url.h"

#include <stdatomic.h>
#include <stdio.h>
#include <strings.h>

enum {
	FIRST_PAUSE_MS = 100,		/* doubles with each refusal */
	LAST_PAUSE_MS = 1000,
	MAX_EXCLUDED_BYTES = 16 << 10
};

struct own {
	struct fl_hdfs hdfs;
	size_t node;		/* the NameNode asked */
	size_t refusals;	/* of NameNodes, in a row */
	int64_t refused_since;	/* ms; 0: none has since the last bytes */
	struct fl_buf excluded;	/* DataNodes that cannot be reached */
	bool standby;		/* one of the NameNodes was */
};

/* From now on hdfs and viewfs are a client's: no NameNode could be reached. */
static _Atomic bool use_client;

static bool open_hdfs(struct fl_transferred *file)
{
	struct own *own = file->own = fl_zeroed(1, sizeof(*own));

	if (!own)
		return false;
	if (!fl_hdfs_find(&own->hdfs, file->path) || !own->hdfs.count) {
		fl_buf_text(&file->damage, "is not a URL of HDFS: "
			    "webhdfs://HOST:PORT/PATH is one");
		return false;
	}
	own->node = fl_hdfs_active(&own->hdfs);
	return true;
}

static void close_hdfs(struct fl_transferred *file)
{
	struct own *own = file->own;

	if (own) {
		fl_hdfs_free(&own->hdfs);
		fl_buf_free(&own->excluded);
	}
	fl_free(own);
}

static bool request(struct fl_transferred *file, struct fl_request *to)
{
	struct own *own = file->own;
	const char *token;

	fl_url_of_hdfs(&to->url, &own->hdfs, own->node, file->offset);
	if (own->excluded.size) {
		fl_buf_text(&to->url, "&excludedatanodes=");
		fl_url_encode(&to->url, own->excluded.data, own->excluded.size,
			      "-._~");
	}
	if (own->hdfs.pin.size)
		to->pin = own->hdfs.pin.data;
	if (to->url.failed)
		return false;
	token = strstr(to->url.data, "&delegation=");
	if (token) {
		token += strlen("&delegation=");
		fl_buf_put(&to->secrets, token, strcspn(token, "&"));
		fl_buf_byte(&to->secrets, '\0');
	}
	return !to->secrets.failed;
}

/* A page is a proxy's. */
static bool is_file(struct fl_transferred *file)
{
	struct own *own = file->own;

	if (file->is_page)
		return false;
	fl_hdfs_set_active(&own->hdfs, own->node);
	own->refusals = 0;
	own->refused_since = 0;
	own->standby = false;
	return true;
}

/* Whether another NameNode, or this one later, may do it. */
static bool is_refusal(struct fl_transferred *file, enum fl_request_end end)
{
	struct own *own = file->own;
	struct slice answer = fl_buf_slice(&file->answer);
	bool many = own->hdfs.count > 1;

	if (end != FL_REQUEST_ANSWERED)
		return many && !file->redirected && end != FL_REQUEST_BROKEN;
	if (!file->refused)
		return false;
	if (fl_slice_has(answer, "\"RetriableException\"") ||
	    (fl_slice_has(answer, "\"StandbyException\"") &&
	     (many || file->redirected))) {
		own->standby = true;
		return true;
	}
	return false;
}

/*
 * Goes to the next NameNode.  While a failover is on its way none is active for
 * some seconds: they are asked again until --url-timeout.
 */
static int fail_over(struct own *own)
{
	int64_t now = fl_stall_clock(), waited;
	size_t rounds;

	if (!own->refused_since)
		own->refused_since = now;
	waited = now - own->refused_since;
	own->refusals++;
	own->node = (own->node + 1) % own->hdfs.count;
	if (own->refusals % own->hdfs.count)
		return 0;
	rounds = own->refusals / own->hdfs.count;
	if (!fl_url_retries() ||
	    (own->standby ? waited >= (int64_t)fl_url_timeout() * 1000 :
			    rounds > fl_url_retries()))
		return FL_AGAIN_NEVER;
	return FL_MIN((int)LAST_PAUSE_MS, FIRST_PAUSE_MS <<
		      FL_MIN(own->refusals, (size_t)8));
}

/* The NameNode will name another of the block's DataNodes. */
static void exclude_server(struct fl_transferred *file)
{
	struct fl_buf *excluded = &((struct own *)file->own)->excluded;
	struct slice host;

	if (!file->server || !strstr(file->server, "://") ||
	    excluded->size > MAX_EXCLUDED_BYTES)
		return;
	host = fl_url_authority(file->server);
	if (excluded->size)
		fl_buf_byte(excluded, ',');
	fl_buf_put(excluded, host.data, host.size);
}

static int again(struct fl_transferred *file, enum fl_request_end end)
{
	if (is_refusal(file, end))
		return fail_over(file->own);
	if (end != FL_REQUEST_UNREACHABLE || !file->redirected)
		return FL_AGAIN_AS_USUAL;
	exclude_server(file);
	return FL_AGAIN_ONCE_MORE;
}

static bool leaves(const struct fl_transferred *file)
{
	bool hdfs = strncasecmp(file->path, "hdfs:", 5) == 0 ||
		    strncasecmp(file->path, "viewfs:", 7) == 0;

	if (!hdfs || !fl_client_words(file->path, false))
		return false;
	atomic_store(&use_client, true);
	return true;
}

static void explain(struct fl_transferred *file, struct fl_buf *out)
{
	const struct own *own = file->own;

	fl_url_explain(out, file->status, file->answer.size ?
		       file->answer.data : "", file->answer.size);
	if (own->hdfs.withheld && file->status == 401)
		fl_buf_text(out, "; the token for it is not sent over http: "
			    "see --url-token");
}

static void add_advice(const struct fl_transferred *file, struct fl_buf *out)
{
	const struct own *own = file->own;
	const char *node = own->hdfs.base[0].data;

	if (own->hdfs.count > 1 && own->refusals)
		fl_buf_print(out, ", by all of %zu NameNodes",
			     own->hdfs.count);
	if (own->hdfs.assumed)
		fl_buf_print(out, "; this is what %.*s/ says, as "
			     "HADOOP_CONF_DIR names no NameNode for the URL",
			     (int)strcspn(node + 8, "/") + 8, node);
}

/* Folders --------------------------------------------------------------- */

/* {"pathSuffix":"a.jfr","type":"FILE","length":1,"modificationTime":1,...} */
static bool read_status(struct fl_listing *l, struct fl_json *json,
			const char *folder)
{
	struct fl_listed entry = { .path = NULL };
	struct fl_buf suffix = { NULL, 0, 0, false };
	struct slice text;
	int64_t n;
	char kind = 'o';	/* other */
	bool good = true;

	while (fl_json_key(json)) {
		if (fl_json_is(json, "pathSuffix")) {
			if (fl_json_string(json, &text))
				fl_buf_put(&suffix, text.data, text.size);
		} else if (fl_json_is(json, "type")) {
			if (fl_json_string(json, &text))
				kind = fl_slice_is(text, "DIRECTORY") ? 'd' :
				       fl_slice_is(text, "FILE") ? 'f' : 'o';
		} else if (fl_json_is(json, "length")) {
			if (fl_json_integer(json, &n) && n > 0)
				entry.size = (uint64_t)n;
		} else if (fl_json_is(json, "modificationTime")) {
			if (fl_json_integer(json, &n))
				entry.mtime = n;
		} else {
			fl_json_skip(json);
		}
	}
	if (suffix.failed)
		good = fl_no_memory(l->flame) == FLAME_OK;
	entry.is_folder = kind == 'd';
	if (!suffix.failed && kind != 'o')
		good = fl_listing_add(l, folder, (struct slice){ suffix.data,
						      suffix.size }, entry);
	fl_buf_free(&suffix);
	return good;
}

/* {"FileStatuses":{"FileStatus":[...]}} */
static bool read_answer(struct fl_listing *l, struct fl_json *json,
			const char *folder, const char *name)
{
	bool found = false;

	if (fl_json_enter_object(json))
		while (fl_json_key(json)) {
			if (!fl_json_is(json, "FileStatuses")) {
				fl_json_skip(json);
				continue;
			}
			if (!fl_json_enter_object(json))
				continue;
			while (fl_json_key(json)) {
				if (!fl_json_is(json, "FileStatus")) {
					fl_json_skip(json);
					continue;
				}
				if (!fl_json_enter_array(json))
					continue;
				found = true;
				while (fl_json_element(json))
					if (json->token == FL_JSON_OBJECT ?
						!read_status(l, json, folder) :
						!fl_json_skip(json))
						return false;
			}
		}
	if (json->error || !found)
		fl_fail(l->flame, "%s: no listing of WebHDFS: %s", name,
			json->error ? json->error : "other JSON");
	return !json->error && found;
}

static bool list(struct fl_listing *l, const char *folder)
{
	const struct fl_protocol *other;
	struct fl_buf url = { NULL, 0, 0, false };
	struct fl_in *in = NULL;
	struct fl_json json;
	const char *damage;
	bool good;

	fl_buf_text(&url, folder);
	if (url.size && url.data[url.size - 1] != '/')
		fl_buf_byte(&url, '/');
	if (!url.failed)
		in = fl_in_open_url(l->flame, url.data, NULL);
	else
		fl_no_memory(l->flame);
	fl_buf_free(&url);
	other = in ? NULL : fl_url_protocol(folder);
	if (other && other != &fl_protocol_webhdfs)
		return other->list(l, folder);
	if (!in)
		return false;
	fl_json_init(&json, in);
	good = read_answer(l, &json, folder, fl_in_name(in));
	damage = fl_in_damage(in);
	if (damage)
		fl_fail(l->flame, "%s: %s", fl_in_name(in), damage);
	fl_json_free(&json);
	fl_in_close(in);
	return good && !damage;
}

const struct fl_protocol fl_protocol_webhdfs = {
	.has_offsets = true, .open = open_hdfs, .close = close_hdfs,
	.request = request, .is_file = is_file, .again = again,
	.leaves = leaves, .explain = explain, .add_advice = add_advice,
	.list = list,
};

/* Rows of schemes ------------------------------------------------------ */

static const struct fl_protocol *protocol_of_hdfs(const char *path)
{
	bool has_client = fl_client_words(path, false);
	struct slice scheme = fl_url_scheme_name(path);

#ifdef HAVE_LIBCURL
	if (has_client && atomic_load(&use_client))
#else
	if (has_client)
#endif
		return &fl_protocol_client;
	if (fl_hdfs_is_known(path))
		return &fl_protocol_webhdfs;
	return has_client || scheme.size == strlen("viewfs") ||
	       path[scheme.size + strlen("://")] == '/' ?
	       &fl_protocol_client : &fl_protocol_webhdfs;
}

const struct fl_url_scheme fl_url_scheme_webhdfs = {
	.names = " webhdfs swebhdfs ", .open = fl_url_input,
	.protocol = &fl_protocol_webhdfs,
};

static const struct fl_client clients[] = { FL_CLIENTS_OF_HADOOP, { 0 } };

const struct fl_url_scheme fl_url_scheme_hdfs = {
	.names = " hdfs ", .open = fl_url_input,
	.protocol_of = protocol_of_hdfs,
	.clients = clients,
	.advice = "the NameNodes are not known: set HADOOP_CONF_DIR, install "
		  "hdfs (Hadoop's client), or name "
		  "webhdfs://NAMENODE:9870/PATH",
};

const struct fl_url_scheme fl_url_scheme_viewfs = {
	.names = " viewfs ", .open = fl_url_input,
	.protocol_of = protocol_of_hdfs,
	.clients = clients,
	.advice = "its mount table is not known: set HADOOP_CONF_DIR, "
		  "install hdfs (Hadoop's client), or name "
		  "webhdfs://NAMENODE:9870/PATH",
};
