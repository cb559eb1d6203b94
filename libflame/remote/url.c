/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Transfers of inputs that are URLs, by libcurl: the caller pulls, and what
 * curl pushes meanwhile waits in a buffer.  After a drop the transfer goes on
 * at its offset: by a range of bytes, or by WebHDFS's parameter, for which the
 * NameNode is asked again for a DataNode.  Of several NameNodes one is active,
 * and the others, and DataNodes after a failover, say so: the next one is asked
 * then.  Requests to S3 are signed by curl.
 */
#include "fl.h"

#include "base/late.h"
#include "remote/client.h"
#include "remote/s3.h"
#include "remote/stall.h"
#include "remote/url.h"

#include <inttypes.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <strings.h>
#include <unistd.h>

#define CURL_DISABLE_TYPECHECK
#include <curl/curl.h>

enum {
	BUFFER_BYTES = 256 << 10,	/* above that, curl waits */
	ANSWER_BYTES = 16 << 10,	/* of an answer that is not a file */
	PROGRESS_BYTES = 64 << 10,	/* fewer: a retry did not help */
	MAX_REDIRECTS = 10,
	FIRST_PAUSE_MS = 100,		/* doubles with each retry */
	FAILOVER_PAUSE_MS = 1000,	/* at most, while none is active */
	MAX_IDLE = 16,			/* connections that stay open */
	SIGNING_VERSION = 0x075700	/* signs as S3 needs it from 7.87 on */
};

#if LIBCURL_VERSION_NUM < 0x074b00
#define CURLOPT_AWS_SIGV4 ((CURLoption)10305)
#endif

/* SHA-256 of no bytes: requests have no body. */
#define NO_BODY "x-amz-content-sha256: " \
	"e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"

#define LIBCURL(f) \
	f(curl_global_init) f(curl_easy_init) f(curl_easy_cleanup) \
	f(curl_easy_setopt) f(curl_easy_getinfo) \
	f(curl_easy_pause) f(curl_easy_strerror) f(curl_multi_init) \
	f(curl_multi_cleanup) f(curl_multi_add_handle) \
	f(curl_multi_remove_handle) f(curl_multi_perform) \
	f(curl_multi_poll) f(curl_multi_info_read) \
	f(curl_slist_append) f(curl_slist_free_all) f(curl_version_info)

FL_LATE_STRUCT(libcurl, LIBCURL);
static FL_LATE(libcurl, LIBCURL, LIBCURL_FILE, "curl",
	       "reads http, https, webhdfs and s3 URLs");

/* Handles with their connections, which the next URL may use. */
struct link {
	CURLM *multi;
	CURL *easy;
};

struct fl_url {
	struct link link;
	char *path;		/* as it was given */
	enum fl_url_kind kind;
	struct fl_s3 s3;
	struct fl_hdfs hdfs;
	size_t node;		/* the NameNode asked */
	size_t refusals;	/* of NameNodes, in a row */
	int64_t refused_since;	/* ms; 0: none has since the last bytes */
	struct fl_buf excluded;	/* DataNodes that cannot be reached */
	bool standby;		/* one of the NameNodes was */
	char *query;		/* of a bucket of S3; NULL: the file */
	struct curl_slist *headers;	/* of S3 */
	struct curl_slist *pins;	/* addresses of servers */
	char region[64];	/* where the bucket is, if that was said */
	struct fl_buf request;	/* the URL that was asked for last */
	struct fl_buf data;	/* bytes for the reader */
	size_t used;		/* of those */
	struct fl_buf answer;	/* in place of the file */
	struct fl_buf damage;
	uint64_t offset;	/* bytes that have come */
	uint64_t skip;		/* bytes to come that came before */
	uint64_t checkpoint;	/* the offset at the last failure */
	char validator[128];	/* ETag, or the time of change */
	char found[128];	/* the same of the running answer */
	char said[CURL_ERROR_SIZE];
	unsigned failures;	/* in a row */
	struct fl_stall stall;
	bool begun;		/* the running answer has a body */
	bool refused;		/* it is not a file */
	bool changed;		/* the file is another than before */
	bool paused, ended;
};

/* Connections ----------------------------------------------------------- */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct link idle[MAX_IDLE];	/* under the lock */
static unsigned nidle;
static pid_t idle_pid;

static void init_library(void)
{
	libcurl.curl_global_init(CURL_GLOBAL_DEFAULT);
}

static void close_link(struct link link)
{
	if (link.easy)
		libcurl.curl_easy_cleanup(link.easy);
	if (link.multi)
		libcurl.curl_multi_cleanup(link.multi);
}

const char *fl_url_library(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	const char *why = fl_late_open(&libcurl_late);

	if (!why)
		pthread_once(&once, init_library);
	return why;
}

static bool open_link(struct link *link)
{
	bool found = false;

	pthread_mutex_lock(&lock);
	/* After a fork, the connections are the parent's. */
	if (idle_pid != getpid())
		nidle = 0;
	idle_pid = getpid();
	if (nidle) {
		*link = idle[--nidle];
		found = true;
	}
	pthread_mutex_unlock(&lock);
	if (found)
		return true;
	link->multi = libcurl.curl_multi_init();
	link->easy = libcurl.curl_easy_init();
	/* Kerberos' negotiation returns a cookie for later requests. */
	if (link->easy)
		libcurl.curl_easy_setopt(link->easy, CURLOPT_COOKIEFILE, "");
	return link->multi && link->easy;
}

static void recycle_link(struct link link)
{
	bool stored = false;

	pthread_mutex_lock(&lock);
	if (nidle < MAX_IDLE && idle_pid == getpid()) {
		libcurl.curl_easy_setopt(link.easy, CURLOPT_ERRORBUFFER,
					 NULL);
		idle[nidle++] = link;
		stored = true;
	}
	pthread_mutex_unlock(&lock);
	if (!stored)
		close_link(link);
}

/* Answers -------------------------------------------------------------- */

static long status_of(const struct fl_url *url)
{
	long status = 0;

	libcurl.curl_easy_getinfo(url->link.easy, CURLINFO_RESPONSE_CODE,
				  &status);
	return status;
}

static bool is_page(const struct fl_url *url)
{
	char *type = NULL;

	libcurl.curl_easy_getinfo(url->link.easy, CURLINFO_CONTENT_TYPE,
				  &type);
	return type && strncasecmp(type, "text/html", 9) == 0;
}

/* The value of a header of this name, which ends in a colon. */
static bool is_header(struct slice line, const char *name, struct slice *value)
{
	size_t n = strlen(name);

	if (line.size <= n || strncasecmp(line.data, name, n) != 0)
		return false;
	for (; n < line.size && fl_is_blank(line.data[n]); n++)
		;
	*value = fl_slice_from(line, n);
	return true;
}

/* Headers that identify the version of a file, and a bucket's region. */
static size_t on_header(char *line, size_t size, size_t n, void *arg)
{
	struct fl_url *url = arg;
	struct slice rest = { line, size * n }, value;

	n = rest.size;
	while (rest.size && (unsigned char)rest.data[rest.size - 1] <= ' ')
		rest.size--;
	fl_stall_header(&url->stall, n, !rest.size);
	if (fl_slice_starts(rest, "HTTP/"))
		url->found[0] = '\0';
	else if (is_header(rest, "x-amz-bucket-region:", &value))
		snprintf(url->region, sizeof(url->region), "%.*s",
			 (int)value.size, value.data);
	else if (is_header(rest, "etag:", &value) ||
		 (!url->found[0] &&
		  is_header(rest, "last-modified:", &value)))
		snprintf(url->found, sizeof(url->found), "%.*s",
			 (int)rest.size, rest.data);
	return n;
}

/* The first bytes of an answer: whether it is the file, and where it begins. */
static void begin_answer(struct fl_url *url)
{
	long status = status_of(url);

	url->begun = true;
	url->refused = status >= 300 ||
		       (url->kind == FL_URL_HDFS && is_page(url)) ||
		       (url->kind == FL_URL_S3 && !url->query &&
			fl_s3_is_folder(url->path));
	if (url->refused)
		return;
	if (url->kind == FL_URL_HDFS)
		fl_hdfs_set_active(&url->hdfs, url->node);
	url->refusals = 0;
	url->refused_since = 0;
	url->standby = false;
	if (!url->offset)
		memcpy(url->validator, url->found, sizeof(url->found));
	else if (url->kind != FL_URL_HDFS)
		url->changed = strcmp(url->validator, url->found) != 0;
	/* A server without ranges sends the file from its beginning. */
	url->skip = url->kind != FL_URL_HDFS && status != 206 ?
		    url->offset : 0;
}

static size_t on_bytes(char *at, size_t size, size_t n, void *arg)
{
	struct fl_url *url = arg;
	size_t skipped;

	n *= size;
	size = n;
	fl_stall_came(&url->stall, n);
	if (!url->begun)
		begin_answer(url);
	if (url->refused) {
		if (url->answer.size < ANSWER_BYTES)
			fl_buf_put(&url->answer, at, n);
		return n;
	}
	if (url->changed)
		return 0;
	if (url->data.size - url->used + n > BUFFER_BYTES &&
	    url->data.size > url->used) {
		url->paused = true;
		return CURL_WRITEFUNC_PAUSE;
	}
	skipped = (size_t)FL_MIN(url->skip, (uint64_t)n);
	url->skip -= skipped;
	n -= skipped;
	if (url->used == url->data.size)
		url->used = url->data.size = 0;
	fl_buf_put(&url->data, at + skipped, n);
	url->offset += n;
	return url->data.failed ? 0 : size;
}

/* Requests ------------------------------------------------------------- */

static void set_protocols(struct fl_url *url)
{
	CURL *easy = url->link.easy;
	/* A redirect must not leave TLS. */
	bool tls = strncasecmp(url->request.data, "https", 5) == 0;

#if LIBCURL_VERSION_NUM >= 0x075500
	libcurl.curl_easy_setopt(easy, CURLOPT_PROTOCOLS_STR, "http,https");
	libcurl.curl_easy_setopt(easy, CURLOPT_REDIR_PROTOCOLS_STR,
				 tls ? "https" : "http,https");
#else
	libcurl.curl_easy_setopt(easy, CURLOPT_PROTOCOLS,
				 (long)(CURLPROTO_HTTP | CURLPROTO_HTTPS));
	libcurl.curl_easy_setopt(easy, CURLOPT_REDIR_PROTOCOLS,
				 tls ? (long)CURLPROTO_HTTPS :
				 (long)(CURLPROTO_HTTP | CURLPROTO_HTTPS));
#endif
}

/* As curl --anyauth -u : does: any method the server offers, with Kerberos. */
static void set_login(struct fl_url *url)
{
	CURL *easy = url->link.easy;
	const char *host = strstr(url->request.data, "://") + 3;
	size_t n = strcspn(host, "/?#");

	libcurl.curl_easy_setopt(easy, CURLOPT_AWS_SIGV4, NULL);
	libcurl.curl_easy_setopt(easy, CURLOPT_HTTPHEADER, NULL);
	libcurl.curl_easy_setopt(easy, CURLOPT_HTTPAUTH, (long)CURLAUTH_ANY);
	libcurl.curl_easy_setopt(easy, CURLOPT_USERPWD,
				 memchr(host, '@', n) ? NULL : ":");
}

static bool add_header(struct fl_url *url, const char *line)
{
	struct curl_slist *more = libcurl.curl_slist_append(url->headers, line);

	if (more)
		url->headers = more;
	return more;
}

/* Sets headers and credentials of S3; false: out of memory, or an old curl. */
static bool sign(struct fl_url *url)
{
	const curl_version_info_data *version =
		libcurl.curl_version_info(CURLVERSION_NOW);
	CURL *easy = url->link.easy;
	struct fl_buf text = { NULL, 0, 0, false };
	bool able, good;

	libcurl.curl_easy_setopt(easy, CURLOPT_USERPWD, NULL);
	libcurl.curl_easy_setopt(easy, CURLOPT_HTTPAUTH, (long)CURLAUTH_NONE);
	if (!url->s3.key)
		return true;
	fl_buf_print(&text, "aws:amz:%s:s3", url->s3.region);
	able = version->version_num >= SIGNING_VERSION && !text.failed &&
	       libcurl.curl_easy_setopt(easy, CURLOPT_AWS_SIGV4, text.data) ==
	       CURLE_OK;
	if (!able)
		fl_buf_print(&url->damage, "signing for S3 needs libcurl 7.87, "
			     "and this is %s: use --fetch 'aws s3 cp {} -'",
			     version->version);
	libcurl.curl_easy_setopt(easy, CURLOPT_USERNAME, url->s3.key);
	libcurl.curl_easy_setopt(easy, CURLOPT_PASSWORD, url->s3.secret);
	text.size = 0;
	fl_buf_print(&text, "x-amz-security-token: %s",
		     url->s3.session ? url->s3.session : "");
	good = !text.failed &&
	       (url->headers || (add_header(url, NO_BODY) &&
			(!url->s3.session || add_header(url, text.data))));
	libcurl.curl_easy_setopt(easy, CURLOPT_HTTPHEADER, url->headers);
	fl_buf_free(&text);
	return able && good;
}

/* The place that a static libcurl was built with is Debian's. */
const char *fl_url_certificates(void)
{
	const char *file = getenv("SSL_CERT_FILE");
#ifdef FLAME_STATIC
	static const char *const places[] = {
		"/etc/ssl/certs/ca-certificates.crt",
		"/etc/pki/tls/certs/ca-bundle.crt",
		"/etc/ssl/ca-bundle.pem",
		"/etc/ssl/cert.pem",
	};

	for (size_t i = 0; !file && i < FL_COUNT(places); i++)
		if (access(places[i], R_OK) == 0)
			file = places[i];
#endif
	return file && *file ? file : NULL;
}

static void set_limits(struct fl_url *url)
{
	CURL *easy = url->link.easy;
	const char *ca = fl_url_certificates();

	/* A signature is for one host. */
	libcurl.curl_easy_setopt(easy, CURLOPT_FOLLOWLOCATION,
				 (long)(url->kind != FL_URL_S3));
	libcurl.curl_easy_setopt(easy, CURLOPT_PATH_AS_IS,
				 (long)(url->kind == FL_URL_S3));
	libcurl.curl_easy_setopt(easy, CURLOPT_MAXREDIRS, (long)MAX_REDIRECTS);
	libcurl.curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
	libcurl.curl_easy_setopt(easy, CURLOPT_CONNECTTIMEOUT,
				 (long)fl_url_timeout());
	if (ca)
		libcurl.curl_easy_setopt(easy, CURLOPT_CAINFO, ca);
}

/* A token goes to the address that it is for; false: out of memory. */
static bool set_pin(struct fl_url *url)
{
	struct curl_slist *old = url->pins;
	bool has_pin = url->hdfs.pin.size;

	url->pins = has_pin ? libcurl.curl_slist_append(NULL,
						url->hdfs.pin.data) : NULL;
	libcurl.curl_easy_setopt(url->link.easy, CURLOPT_CONNECT_TO, url->pins);
	if (old)
		libcurl.curl_slist_free_all(old);
	return !has_pin || url->pins;
}

static bool put_request(struct fl_url *url)
{
	struct fl_buf *request = &url->request;

	request->size = 0;
	if (url->kind == FL_URL_S3)
		fl_s3_request(request, &url->s3, url->path, url->query);
	else if (url->kind == FL_URL_HDFS)
		fl_url_of_hdfs(request, &url->hdfs, url->node, url->offset);
	else
		fl_buf_text(request, url->path);
	if (url->excluded.size) {
		fl_buf_text(request, "&excludedatanodes=");
		fl_url_encode(request, url->excluded.data, url->excluded.size,
			      "-._~");
	}
	return !request->failed;
}

static bool start(struct fl_url *url)
{
	CURL *easy = url->link.easy;
	char range[32] = "";

	if (!put_request(url))
		return false;
	url->begun = url->refused = url->paused = false;
	url->answer.size = 0;
	url->said[0] = url->found[0] = url->region[0] = '\0';
	url->stall = (struct fl_stall){ 0 };
	libcurl.curl_easy_setopt(easy, CURLOPT_URL, url->request.data);
	set_protocols(url);
	set_login(url);
	if (!set_pin(url))
		return false;
	if (url->kind == FL_URL_S3 && !sign(url))
		return false;
	set_limits(url);
	if (url->offset && url->kind != FL_URL_HDFS)
		snprintf(range, sizeof(range), "%" PRIu64 "-", url->offset);
	libcurl.curl_easy_setopt(easy, CURLOPT_RANGE, *range ? range : NULL);
	libcurl.curl_easy_setopt(easy, CURLOPT_USERAGENT,
				 "libflame/" FLAME_VERSION);
	libcurl.curl_easy_setopt(easy, CURLOPT_ERRORBUFFER, url->said);
	libcurl.curl_easy_setopt(easy, CURLOPT_HEADERFUNCTION, on_header);
	libcurl.curl_easy_setopt(easy, CURLOPT_HEADERDATA, url);
	libcurl.curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, on_bytes);
	libcurl.curl_easy_setopt(easy, CURLOPT_WRITEDATA, url);
	return libcurl.curl_multi_add_handle(url->link.multi, easy) ==
	       CURLM_OK;
}

/* Ends ----------------------------------------------------------------- */

/* Waits; false: the reader closed its end. */
static bool wait_for_curl(struct fl_url *url, int stop, int ms)
{
	struct curl_waitfd fd = { .fd = stop, .events = CURL_WAIT_POLLIN };
	struct pollfd gone = { .fd = stop, .events = POLLIN };

	libcurl.curl_multi_poll(url->link.multi, &fd, stop >= 0, ms, NULL);
	return stop < 0 || poll(&gone, 1, 0) <= 0;
}

static bool is_passing(const struct fl_url *url, CURLcode code)
{
	switch (code) {
	case CURLE_OK: {
		long status = status_of(url);

		return status == 429 || (status >= 502 && status <= 504) ||
		       (status == 500 && url->kind == FL_URL_S3);
	}
	case CURLE_COULDNT_CONNECT:
	case CURLE_GOT_NOTHING:
	case CURLE_HTTP2:
	case CURLE_HTTP2_STREAM:
	case CURLE_OPERATION_TIMEDOUT:
	case CURLE_PARTIAL_FILE:
	case CURLE_RECV_ERROR:
	case CURLE_SEND_ERROR:
		return true;
	default:
		return false;
	}
}

/* Servers repeat what they were asked for. */
static void hide_secrets(struct fl_url *url)
{
	const char *asked = url->request.data ? url->request.data : "";
	const char *token = strstr(asked, "&delegation=");
	const char *of_s3[] = { url->s3.key, url->s3.secret, url->s3.session };
	struct fl_buf *text = &url->answer;

	if (url->kind == FL_URL_HDFS && token) {
		token += strlen("&delegation=");
		fl_url_hide(text, (struct slice){ token, strcspn(token, "&") });
	}
	fl_url_hide_those_of(text, url->path);
	for (size_t i = 0; i < FL_COUNT(of_s3); i++)
		if (of_s3[i])
			fl_url_hide(text, (struct slice){ of_s3[i],
						strlen(of_s3[i]) });
}

static void explain(struct fl_url *url, CURLcode code)
{
	struct fl_buf *out = &url->damage;

	if (out->size)
		return;
	hide_secrets(url);
	if (url->data.failed)
		fl_buf_text(out, "out of memory");
	else if (url->changed)
		fl_buf_text(out, "changed while it was read");
	else if (code == CURLE_OK && url->kind == FL_URL_S3)
		fl_s3_explain(out, &url->s3, status_of(url),
			      fl_buf_slice(&url->answer), url->region);
	else if (code == CURLE_OK)
		fl_url_explain(out, status_of(url), url->answer.size ?
			       url->answer.data : "", url->answer.size);
	else if (code == CURLE_OUT_OF_MEMORY && !url->begun)
		/* So curl calls more than its limit for headers, too. */
		fl_buf_text(out, "the header of the answer is too long, or "
			    "memory is short");
	else
		fl_buf_text(out, url->said[0] ? url->said :
			    libcurl.curl_easy_strerror(code));
	if (url->hdfs.withheld && status_of(url) == 401)
		fl_buf_text(out, "; the token for it is not sent over http: "
			    "see --url-token");
	if (url->failures > 1)
		fl_buf_print(out, ", after %u tries", url->failures);
	if (url->hdfs.count > 1 && url->refusals)
		fl_buf_print(out, ", by all of %zu NameNodes",
			     url->hdfs.count);
	if (url->hdfs.assumed)
		fl_buf_print(out, "; this is what %.*s/ says, as "
			     "HADOOP_CONF_DIR names no NameNode for the URL",
			     (int)strcspn(url->hdfs.base[0].data + 8, "/") + 8,
			     url->hdfs.base[0].data);
}

/*
 * Waits before the next attempt; false: no attempts left, or the reader closed
 * its end.  A server that was silent for so long is asked once more.
 */
static bool retry(struct fl_url *url, CURLcode code, int stop)
{
	unsigned pause = FIRST_PAUSE_MS << FL_MIN(url->failures, 8u);

	if (url->offset - url->checkpoint >= PROGRESS_BYTES) {
		url->failures = 0;
		pause = FIRST_PAUSE_MS;
	}
	url->checkpoint = url->offset;
	if (url->failures++ >= (code == CURLE_OPERATION_TIMEDOUT ?
				FL_MIN(fl_url_retries(), 1u) :
				fl_url_retries()))
		return false;
	if (!wait_for_curl(url, stop, (int)pause)) {
		url->ended = true;
		return false;
	}
	return start(url);
}

/* Of HDFS -------------------------------------------------------------- */

static bool was_redirected(const struct fl_url *url)
{
	long count = 0;

	libcurl.curl_easy_getinfo(url->link.easy, CURLINFO_REDIRECT_COUNT,
				  &count);
	return count;
}

static bool is_unreachable(CURLcode code)
{
	return code == CURLE_COULDNT_CONNECT ||
	       code == CURLE_COULDNT_RESOLVE_HOST;
}

/* The NameNode will name another of the block's DataNodes. */
static void exclude(struct fl_url *url)
{
	char *at = NULL;
	struct slice host;

	libcurl.curl_easy_getinfo(url->link.easy, CURLINFO_EFFECTIVE_URL, &at);
	if (!at || !strstr(at, "://") || url->excluded.size > ANSWER_BYTES)
		return;
	host = fl_url_authority(at);
	if (url->excluded.size)
		fl_buf_byte(&url->excluded, ',');
	fl_buf_put(&url->excluded, host.data, host.size);
}

/* Whether another NameNode, or this one later, may do it. */
static bool is_refusal(struct fl_url *url, CURLcode code)
{
	struct slice answer = fl_buf_slice(&url->answer);
	bool many = url->hdfs.count > 1;

	if (url->kind != FL_URL_HDFS || url->data.failed)
		return false;
	if (code != CURLE_OK)
		return many && !was_redirected(url) &&
		       (is_unreachable(code) || code == CURLE_GOT_NOTHING ||
			code == CURLE_OPERATION_TIMEDOUT);
	if (!url->refused)
		return false;
	if (fl_slice_has(answer, "\"RetriableException\"") ||
	    (fl_slice_has(answer, "\"StandbyException\"") &&
	     (many || was_redirected(url)))) {
		url->standby = true;
		return true;
	}
	return false;
}

/*
 * Asks the next NameNode.  While a failover is on its way none is active for
 * some seconds: they are asked again until --url-timeout.
 */
static bool fail_over(struct fl_url *url, int stop)
{
	int64_t now = fl_stall_clock(), waited;
	bool round;

	if (!url->refused_since)
		url->refused_since = now;
	waited = now - url->refused_since;
	url->refusals++;
	url->failures++;
	url->node = (url->node + 1) % url->hdfs.count;
	round = url->refusals % url->hdfs.count == 0;
	if (round && (!fl_url_retries() ||
		      (url->standby ?
		       waited >= (int64_t)fl_url_timeout() * 1000 :
		       url->refusals / url->hdfs.count > fl_url_retries())))
		return false;
	if (round && !wait_for_curl(url, stop,
				    FL_MIN((int)FAILOVER_PAUSE_MS,
					   FIRST_PAUSE_MS <<
					   FL_MIN(url->refusals, (size_t)8)))) {
		url->ended = true;
		return false;
	}
	return start(url);
}

/* Whether a client is there to read what WebHDFS could not be asked for. */
static bool leave_to_client(struct fl_url *url, CURLcode code)
{
	bool hdfs = strncasecmp(url->path, "hdfs:", 5) == 0 ||
		    strncasecmp(url->path, "viewfs:", 7) == 0;

	if (!hdfs || url->offset || !is_unreachable(code) ||
	    !fl_client_words(url->path, false))
		return false;
	fl_url_use_client();
	return true;
}

static bool go_on(struct fl_url *url, CURLcode code, int stop)
{
	if (is_refusal(url, code))
		return fail_over(url, stop);
	if (url->kind == FL_URL_HDFS && is_unreachable(code) &&
	    was_redirected(url))
		exclude(url);
	return is_passing(url, code) && retry(url, code, stop);
}

static void end_transfer(struct fl_url *url, CURLcode code, int stop)
{
	bool good = code == CURLE_OK && !url->changed && !url->data.failed;
	long status = status_of(url);

	libcurl.curl_multi_remove_handle(url->link.multi, url->link.easy);
	/* It broke off just before the end. */
	if (good && status == 416 && url->offset) {
		url->ended = true;
		return;
	}
	if (good && status >= 200 && status < 300 && !url->refused) {
		url->ended = true;
		return;
	}
	if (!url->changed && !url->data.failed && go_on(url, code, stop))
		return;
	if (!url->ended && !leave_to_client(url, code))
		explain(url, code);
	url->ended = true;
}

/* Waits for curl; false: the server sent too little for too long. */
static bool wait_for_bytes(struct fl_url *url, int stop)
{
	int64_t from = fl_stall_clock();

	if (!wait_for_curl(url, stop, 500)) {
		url->ended = true;
		return true;
	}
	return !fl_stall_waited(&url->stall, fl_stall_clock() - from,
				fl_url_timeout(), url->said,
				sizeof(url->said));
}

/* Lets curl work until there are bytes, or an end. */
static void step(struct fl_url *url, int stop)
{
	struct link link = url->link;
	CURLMsg *message;
	int running, left;

	if (url->paused) {
		url->paused = false;
		libcurl.curl_easy_pause(link.easy, CURLPAUSE_CONT);
	}
	libcurl.curl_multi_perform(link.multi, &running);
	message = libcurl.curl_multi_info_read(link.multi, &left);
	if (message && message->msg == CURLMSG_DONE)
		end_transfer(url, message->data.result, stop);
	else if (url->used == url->data.size && !wait_for_bytes(url, stop))
		end_transfer(url, CURLE_OPERATION_TIMEDOUT, stop);
}

/* --------------------------------------------------------------------- */

static size_t read_url(void *state, int stop, uint8_t *to, size_t capacity,
		       const char **damage)
{
	struct fl_url *url = state;
	size_t n;

	while (url->used == url->data.size && !url->ended)
		step(url, stop);
	n = FL_MIN(capacity, url->data.size - url->used);
	if (n)
		memcpy(to, url->data.data + url->used, n);
	url->used += n;
	/* Bytes that have come are read before. */
	if (!n && url->damage.size)
		*damage = url->damage.data;
	return n;
}

/* Waits for the first bytes, an end or damage. */
static void begin(struct fl_url *url)
{
	if (url->kind == FL_URL_S3 &&
	    !fl_s3_open(&url->s3, url->path, &url->damage)) {
		url->ended = true;
		return;
	}
	if (url->kind == FL_URL_HDFS) {
		if (!fl_hdfs_find(&url->hdfs, url->path) || !url->hdfs.count) {
			fl_buf_text(&url->damage, "is not a URL of HDFS: "
				    "webhdfs://HOST:PORT/PATH is one");
			url->ended = true;
			return;
		}
		url->node = fl_hdfs_active(&url->hdfs);
	}
	if (!start(url)) {
		url->ended = true;
		if (!url->damage.size)
			fl_buf_text(&url->damage, "out of memory");
	}
	while (url->used == url->data.size && !url->ended)
		step(url, -1);
}

static void close_url(void *state)
{
	struct fl_url *url = state;

	if (!url)
		return;
	if (url->link.easy && url->link.multi) {
		libcurl.curl_multi_remove_handle(url->link.multi,
						 url->link.easy);
		libcurl.curl_easy_setopt(url->link.easy, CURLOPT_HTTPHEADER,
					 NULL);
		libcurl.curl_easy_setopt(url->link.easy, CURLOPT_CONNECT_TO,
					 NULL);
		recycle_link(url->link);
	} else {
		close_link(url->link);
	}
	if (url->headers)
		libcurl.curl_slist_free_all(url->headers);
	if (url->pins)
		libcurl.curl_slist_free_all(url->pins);
	fl_s3_close(&url->s3);
	fl_hdfs_free(&url->hdfs);
	fl_buf_free(&url->excluded);
	fl_buf_free(&url->request);
	fl_buf_free(&url->data);
	fl_buf_free(&url->answer);
	fl_buf_free(&url->damage);
	fl_free(url->path);
	fl_free(url->query);
	fl_free(url);
}

const struct fl_transfer fl_url_transfer = { read_url, close_url };

static char *copy(const char *text)
{
	return text ? fl_memory_adopt(strdup(text)) : NULL;
}

struct fl_url *fl_url_open(struct flame *flame, const char *path,
			   const char *name, const char *query)
{
	const char *why = fl_url_library();
	struct fl_url *url;

	if (why) {
		fl_fail(flame, "%s: reading a URL needs libcurl: %s", name,
			why);
		return NULL;
	}
	url = fl_zeroed(1, sizeof(*url));
	if (url) {
		url->path = copy(path);
		url->query = copy(query);
	}
	if (!url || !url->path || !url->query != !query ||
	    !open_link(&url->link)) {
		close_url(url);
		fl_no_memory(flame);
		return NULL;
	}
	url->kind = fl_url_kind(path);
	begin(url);
	if (url->used != url->data.size ||
	    (!url->damage.size && fl_url_kind(path) == url->kind))
		return url;
	if (url->damage.size)
		fl_fail(flame, "%s: %s", name, url->damage.data);
	close_url(url);
	return NULL;
}
