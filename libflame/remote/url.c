/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Downloads a URL with libcurl, as fl_url_transfer of an input: what arrives
 * waits in a buffer until it is read.  A lost connection is resumed at the
 * offset, by a range of bytes or by the protocol's request.  The protocol
 * (protocol.h) says what is asked, and of which server.
 */
#include "fl.h"

#include "base/late.h"
#include "remote/protocol.h"
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
	MAX_IDLE = 16,			/* connections that stay open */
	SIGNING_VERSION = 0x075700	/* signs as S3 needs it from 7.87 on */
};

#define NO_LENGTH UINT64_MAX

#if LIBCURL_VERSION_NUM < 0x074b00
#define CURLOPT_AWS_SIGV4 ((CURLoption)10305)
#endif

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
	struct fl_transferred file;
	struct fl_request request;	/* the last one */
	struct link link;
	char *path, *query;	/* the file's */
	struct curl_slist *headers;	/* of the request */
	struct curl_slist *pins;	/* addresses of servers */
	struct fl_buf data;	/* bytes for the reader */
	size_t used;		/* of those */
	uint64_t skip;		/* bytes to come that came before */
	uint64_t checkpoint;	/* the offset at the last failure */
	char validator[128];	/* ETag, or the time of change */
	char new_validator[128];	/* the same of the running answer */
	uint64_t length;	/* by the running answer; or NO_LENGTH */
	char curl_error[CURL_ERROR_SIZE];
	unsigned failures;	/* in a row */
	struct fl_stall stall;
	bool begun;		/* the running answer has a body */
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

/* What the last answer was, for the protocol. */
static void look(struct fl_url *url)
{
	CURL *easy = url->link.easy;
	struct fl_transferred *file = &url->file;
	char *type = NULL, *server = NULL;
	long redirects = 0;

	file->status = 0;
	libcurl.curl_easy_getinfo(easy, CURLINFO_RESPONSE_CODE, &file->status);
	libcurl.curl_easy_getinfo(easy, CURLINFO_CONTENT_TYPE, &type);
	libcurl.curl_easy_getinfo(easy, CURLINFO_REDIRECT_COUNT, &redirects);
	libcurl.curl_easy_getinfo(easy, CURLINFO_EFFECTIVE_URL, &server);
	file->is_page = type && strncasecmp(type, "text/html", 9) == 0;
	file->redirected = redirects;
	file->server = server;
}

/* The length of "bytes 5-9/10"; a server that does not know it sends "*". */
static void read_length(struct fl_url *url, struct slice range)
{
	const char *at = memchr(range.data, '/', range.size);
	int64_t length;

	if (at && fl_parse_digits(fl_slice_from(range, (size_t)(at + 1 -
						range.data)), &length))
		url->length = (uint64_t)length;
}

/* Headers that identify the version of a file, and the protocol's. */
static size_t on_header(char *line, size_t size, size_t n, void *arg)
{
	struct fl_url *url = arg;
	struct slice rest = { line, size * n }, value;

	n = rest.size;
	while (rest.size && (unsigned char)rest.data[rest.size - 1] <= ' ')
		rest.size--;
	fl_stall_header(&url->stall, n, !rest.size);
	if (fl_slice_starts(rest, "HTTP/"))
		url->new_validator[0] = '\0';
	else if (fl_header_is(rest, "content-range:", &value))
		read_length(url, value);
	else if (fl_header_is(rest, "etag:", &value) ||
		 (!url->new_validator[0] &&
		  fl_header_is(rest, "last-modified:", &value)))
		snprintf(url->new_validator, sizeof(url->new_validator),
			 "%.*s", (int)value.size, value.data);
	else if (url->file.protocol->on_header)
		url->file.protocol->on_header(&url->file, rest);
	return n;
}

/* The first bytes of an answer: whether it is the file, and where it begins. */
static void begin_answer(struct fl_url *url)
{
	struct fl_transferred *file = &url->file;
	const struct fl_protocol *protocol = file->protocol;

	look(url);
	url->begun = true;
	file->refused = file->status >= 300 ||
			(protocol->is_file && !protocol->is_file(file));
	if (file->refused)
		return;
	if (!file->offset)
		memcpy(url->validator, url->new_validator,
		       sizeof(url->validator));
	else if (!protocol->has_offsets)
		url->changed = strcmp(url->validator,
				      url->new_validator) != 0;
	/* A server without ranges sends the file from its beginning. */
	url->skip = !protocol->has_offsets && file->status != 206 ?
		    file->offset : 0;
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
	if (url->file.refused) {
		if (url->file.answer.size < ANSWER_BYTES)
			fl_buf_put(&url->file.answer, at, n);
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
	url->file.offset += n;
	return url->data.failed ? 0 : size;
}

/* Requests ------------------------------------------------------------- */

static void set_protocols(struct fl_url *url)
{
	CURL *easy = url->link.easy;
	/* A redirect must not leave TLS. */
	bool tls = strncasecmp(url->request.url.data, "https", 5) == 0;

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
	const char *host = strstr(url->request.url.data, "://") + 3;
	size_t n = strcspn(host, "/?#");

	libcurl.curl_easy_setopt(easy, CURLOPT_HTTPAUTH, (long)CURLAUTH_ANY);
	libcurl.curl_easy_setopt(easy, CURLOPT_USERPWD,
				 memchr(host, '@', n) ? NULL : ":");
}

/* false: libcurl is too old, or memory is short. */
static bool set_signing(struct fl_url *url)
{
	const curl_version_info_data *version =
		libcurl.curl_version_info(CURLVERSION_NOW);
	const struct fl_request *request = &url->request;
	CURL *easy = url->link.easy;

	libcurl.curl_easy_setopt(easy, CURLOPT_USERPWD, NULL);
	libcurl.curl_easy_setopt(easy, CURLOPT_HTTPAUTH, (long)CURLAUTH_NONE);
	if (!request->signing)
		return true;
	if (version->version_num < SIGNING_VERSION ||
	    libcurl.curl_easy_setopt(easy, CURLOPT_AWS_SIGV4,
				     request->signing) != CURLE_OK) {
		fl_buf_print(&url->file.damage, "signing for %s needs libcurl "
			     "7.87, and this is %s: use --fetch '%s'",
			     url->file.protocol->name, version->version,
			     url->file.protocol->fetch);
		return false;
	}
	libcurl.curl_easy_setopt(easy, CURLOPT_USERNAME, request->user);
	libcurl.curl_easy_setopt(easy, CURLOPT_PASSWORD, request->password);
	return true;
}

/* Replaces a list that curl has by these lines; false: out of memory. */
static bool set_list(struct fl_url *url, CURLoption option,
		     struct curl_slist **list, struct slice lines)
{
	struct curl_slist *old = *list, *more = NULL;
	bool good = true;

	*list = NULL;
	for (size_t at = 0; good && at < lines.size;
	     at += strlen(lines.data + at) + 1) {
		more = libcurl.curl_slist_append(*list, lines.data + at);
		good = more;
		if (more)
			*list = more;
	}
	libcurl.curl_easy_setopt(url->link.easy, option, *list);
	if (old)
		libcurl.curl_slist_free_all(old);
	return good;
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
				 (long)!url->file.protocol->is_signed);
	libcurl.curl_easy_setopt(easy, CURLOPT_PATH_AS_IS,
				 (long)url->file.protocol->is_signed);
	libcurl.curl_easy_setopt(easy, CURLOPT_MAXREDIRS, (long)MAX_REDIRECTS);
	libcurl.curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
	libcurl.curl_easy_setopt(easy, CURLOPT_CONNECTTIMEOUT,
				 (long)fl_url_timeout());
	if (ca)
		libcurl.curl_easy_setopt(easy, CURLOPT_CAINFO, ca);
}

static bool start(struct fl_url *url)
{
	CURL *easy = url->link.easy;
	struct fl_transferred *file = &url->file;
	const struct fl_protocol *protocol = file->protocol;
	struct fl_request *request = &url->request;
	char range[32] = "";
	struct slice pin;

	request->url.size = request->headers.size = request->secrets.size = 0;
	request->pin = request->signing = NULL;
	if (!protocol->request(file, request))
		return false;
	url->begun = file->refused = url->paused = false;
	file->answer.size = 0;
	url->curl_error[0] = url->new_validator[0] = '\0';
	url->length = NO_LENGTH;
	url->stall = (struct fl_stall){ 0 };
	libcurl.curl_easy_setopt(easy, CURLOPT_URL, request->url.data);
	set_protocols(url);
	libcurl.curl_easy_setopt(easy, CURLOPT_AWS_SIGV4, NULL);
	if (!protocol->is_signed)
		set_login(url);
	else if (!set_signing(url))
		return false;
	/* A token goes to the address that it is for. */
	pin = (struct slice){ request->pin,
			      request->pin ? strlen(request->pin) + 1 : 0 };
	if (!set_list(url, CURLOPT_HTTPHEADER, &url->headers,
		      fl_buf_slice(&request->headers)) ||
	    !set_list(url, CURLOPT_CONNECT_TO, &url->pins, pin))
		return false;
	set_limits(url);
	if (file->offset && !protocol->has_offsets)
		snprintf(range, sizeof(range), "%" PRIu64 "-", file->offset);
	libcurl.curl_easy_setopt(easy, CURLOPT_RANGE, *range ? range : NULL);
	libcurl.curl_easy_setopt(easy, CURLOPT_USERAGENT,
				 "libflame/" FLAME_VERSION);
	libcurl.curl_easy_setopt(easy, CURLOPT_ERRORBUFFER, url->curl_error);
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
	long status = url->file.status;

	switch (code) {
	case CURLE_OK:
		return status == 429 || (status >= 502 && status <= 504) ||
		       (status == 500 && url->file.protocol->retries_500);
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

static enum fl_request_end end_of(CURLcode code)
{
	switch (code) {
	case CURLE_OK:
		return FL_REQUEST_ANSWERED;
	case CURLE_COULDNT_CONNECT:
	case CURLE_COULDNT_RESOLVE_HOST:
		return FL_REQUEST_UNREACHABLE;
	case CURLE_GOT_NOTHING:
	case CURLE_OPERATION_TIMEDOUT:
		return FL_REQUEST_SILENT;
	default:
		return FL_REQUEST_BROKEN;
	}
}

/* Servers repeat what they were asked for.  A token may have parts of a URL. */
static void hide_secrets(struct fl_url *url)
{
	struct slice secrets = fl_buf_slice(&url->request.secrets);
	struct fl_buf *text = &url->file.answer;

	for (size_t at = 0, n; at < secrets.size; at += n + 1) {
		n = strlen(secrets.data + at);
		fl_url_hide(text, (struct slice){ secrets.data + at, n });
	}
	fl_url_hide_those_of(text, url->path);
}

static void explain(struct fl_url *url, CURLcode code)
{
	struct fl_transferred *file = &url->file;
	struct fl_buf *out = &file->damage;

	if (out->size)
		return;
	hide_secrets(url);
	if (url->data.failed)
		fl_buf_text(out, "out of memory");
	else if (url->changed)
		fl_buf_text(out, "changed while it was read");
	else if (code == CURLE_OK && file->protocol->explain)
		file->protocol->explain(file, out);
	else if (code == CURLE_OK)
		fl_url_explain(out, file->status, file->answer.size ?
			       file->answer.data : "", file->answer.size);
	else if (code == CURLE_OUT_OF_MEMORY && !url->begun)
		/* So curl calls more than its limit for headers, too. */
		fl_buf_text(out, "the header of the answer is too long, or "
			    "memory is short");
	else
		fl_buf_text(out, url->curl_error[0] ? url->curl_error :
			    libcurl.curl_easy_strerror(code));
	if (url->failures > 1)
		fl_buf_print(out, ", after %u tries", url->failures);
	if (file->protocol->add_advice)
		file->protocol->add_advice(file, out);
}

/*
 * Waits before the next attempt; false: no attempts left, or the reader closed
 * its end.  A server that was silent for so long is asked once more.
 */
static bool retry(struct fl_url *url, CURLcode code, int stop)
{
	unsigned pause = FIRST_PAUSE_MS << FL_MIN(url->failures, 8u);

	if (url->file.offset - url->checkpoint >= PROGRESS_BYTES) {
		url->failures = 0;
		pause = FIRST_PAUSE_MS;
	}
	url->checkpoint = url->file.offset;
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

static bool ask_again(struct fl_url *url, CURLcode code, int stop)
{
	const struct fl_protocol *protocol = url->file.protocol;
	int pause = protocol->again ?
		    protocol->again(&url->file, end_of(code)) :
		    FL_AGAIN_AS_USUAL;

	if (pause == FL_AGAIN_AS_USUAL ? is_passing(url, code) :
	    pause == FL_AGAIN_ONCE_MORE)
		return retry(url, code, stop);
	if (pause == FL_AGAIN_AS_USUAL)
		return false;
	url->failures++;
	if (pause == FL_AGAIN_NEVER)
		return false;
	if (pause && !wait_for_curl(url, stop, pause)) {
		url->ended = true;
		return false;
	}
	return start(url);
}

/* Whether a client reads what no server could be asked for. */
static bool leaves_to_client(const struct fl_url *url, CURLcode code)
{
	return !url->file.offset && end_of(code) == FL_REQUEST_UNREACHABLE &&
	       url->file.protocol->leaves &&
	       url->file.protocol->leaves(&url->file);
}

static void end_transfer(struct fl_url *url, CURLcode code, int stop)
{
	bool good;
	long status;

	look(url);
	if (code == CURLE_OK && !url->begun)
		begin_answer(url);
	good = code == CURLE_OK && !url->changed && !url->data.failed;
	status = url->file.status;
	libcurl.curl_multi_remove_handle(url->link.multi, url->link.easy);
	/* It broke off just before the end, or is shorter than it was. */
	if (good && status == 416 && url->file.offset) {
		url->changed = url->length != NO_LENGTH &&
			       url->length != url->file.offset;
		good = !url->changed;
		url->ended = good;
	} else if (good && status >= 200 && status < 300 &&
		   !url->file.refused) {
		url->changed = url->skip;
		good = !url->changed;
		url->ended = good;
	}
	if (url->ended)
		return;
	if (!url->changed && !url->data.failed && ask_again(url, code, stop))
		return;
	if (!url->ended && !leaves_to_client(url, code))
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
				fl_url_timeout(), url->curl_error,
				sizeof(url->curl_error));
}

/* Lets curl work until there are bytes, or an end. */
static void run_transfer(struct fl_url *url, int stop)
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
		run_transfer(url, stop);
	n = FL_MIN(capacity, url->data.size - url->used);
	if (n)
		memcpy(to, url->data.data + url->used, n);
	url->used += n;
	/* Bytes that have come are read before. */
	if (!n && url->file.damage.size)
		*damage = url->file.damage.data;
	return n;
}

/* Waits for the first bytes, an end or damage. */
static void begin(struct fl_url *url)
{
	const struct fl_protocol *protocol = url->file.protocol;

	if ((protocol->open && !protocol->open(&url->file)) || !start(url)) {
		url->ended = true;
		if (!url->file.damage.size)
			fl_buf_text(&url->file.damage, "out of memory");
	}
	while (url->used == url->data.size && !url->ended)
		run_transfer(url, -1);
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
	if (url->file.own)
		url->file.protocol->close(&url->file);
	fl_buf_free(&url->request.url);
	fl_buf_free(&url->request.headers);
	fl_buf_free(&url->request.secrets);
	fl_buf_free(&url->data);
	fl_buf_free(&url->file.answer);
	fl_buf_free(&url->file.damage);
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
	url->file.protocol = fl_url_protocol(path);
	url->file.path = url->path;
	url->file.query = url->query;
	/* Another thread may have left it to a client meanwhile. */
	if (url->file.protocol == &fl_protocol_client) {
		close_url(url);
		return NULL;
	}
	begin(url);
	if (url->used != url->data.size ||
	    (!url->file.damage.size &&
	     fl_url_protocol(path) == url->file.protocol))
		return url;
	if (url->file.damage.size)
		fl_fail(flame, "%s: %s", name, url->file.damage.data);
	close_url(url);
	return NULL;
}
