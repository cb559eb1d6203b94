/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fl_otlp_server sends an output, one message by POST, to a server as the
 * specification of OTLP/HTTP has it, for schemes.c.  It is sent again only
 * where the server cannot have got it: there was no connection, or the answer
 * says so (429, 502, 503, 504).  A redirect is not followed: logins and headers
 * are for one server.
 */
#include "fl.h"

#include "base/late.h"
#include "base/protobuf.h"
#include "remote/stall.h"
#include "remote/upload.h"
#include "remote/url.h"

#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>	/* getenv */
#include <strings.h>

#define CURL_DISABLE_TYPECHECK
#include <curl/curl.h>

enum { ANSWER_BYTES = 16 << 10, FIRST_PAUSE_MS = 100 };

/* What collectors and Pyroscope serve. */
static const char usual_path[] = "/v1development/profiles";

#define LIBCURL(f) \
	f(curl_easy_init) f(curl_easy_cleanup) f(curl_easy_setopt) \
	f(curl_easy_perform) f(curl_easy_getinfo) f(curl_easy_strerror) \
	f(curl_slist_append) f(curl_slist_free_all)

FL_LATE_STRUCT(sender, LIBCURL);
static FL_LATE(sender, LIBCURL, LIBCURL_FILE, "curl",
	       "sends profiles by OTLP/HTTP");

struct upload {
	struct flame *flame;
	const char *name;
	struct fl_buf url;
	struct fl_buf values;	/* of headers, NUL-terminated */
	struct curl_slist *headers;
	struct fl_buf answer;
	CURL *easy;
	char said[CURL_ERROR_SIZE];
	unsigned tries;
};

static bool check(struct flame *flame, const char *name, const char *url)
{
	struct slice host = fl_url_authority(url);
	const char *why = fl_url_library();

	if (!why)
		why = fl_late_open(&sender_late);
	if (why)
		fl_fail(flame, "%s: sending needs libcurl: %s", name, why);
	else if (host.size == fl_url_login(host))
		fl_fail(flame, "%s: there is no host in it: "
			"otlp+http://HOST:4318 has one", name);
	return !fl_failed(flame);
}

/* Headers --------------------------------------------------------------- */

static bool add_header(struct upload *up, const char *line)
{
	struct curl_slist *more = sender.curl_slist_append(up->headers, line);

	if (more)
		up->headers = more;
	return more;
}

static struct slice without_blanks(const char *at, size_t size)
{
	for (; size && fl_is_blank(*at); at++)
		size--;
	while (size && fl_is_blank(at[size - 1]))
		size--;
	return (struct slice){ at, size };
}

/* "Authorization=Basic%20QTpC": a value of two lines would be two headers. */
static bool add_pair(struct upload *up, const char *pair, size_t size)
{
	size_t n = FL_MIN(strcspn(pair, "="), size), from = up->values.size;
	struct slice key = without_blanks(pair, n);
	struct fl_buf line = { 0 };
	const char *value;
	bool good;

	n += n < size;
	fl_url_decode(&up->values, without_blanks(pair + n, size - n), false);
	fl_buf_byte(&up->values, '\0');
	if (up->values.failed)
		return false;
	value = up->values.data + from;
	good = key.size && value[strcspn(value, "\r\n")] == '\0' &&
	       from + strlen(value) + 1 == up->values.size;
	if (!good)
		fl_fail(up->flame, "OTEL_EXPORTER_OTLP_HEADERS is not "
			"KEY=VALUE,KEY=VALUE");
	fl_buf_print(&line, "%.*s: %s", (int)key.size, key.data, value);
	good = good && !line.failed && add_header(up, line.data);
	fl_buf_free(&line);
	return good;
}

/* Those of profiles replace the general ones. */
static bool add_headers_of_environment(struct upload *up)
{
	const char *text = getenv("OTEL_EXPORTER_OTLP_PROFILES_HEADERS");

	if (!text || !*text)
		text = getenv("OTEL_EXPORTER_OTLP_HEADERS");
	while (text && *text) {
		size_t n = strcspn(text, ",");

		if (without_blanks(text, n).size && !add_pair(up, text, n))
			return false;
		text += n + (text[n] == ',');
	}
	return true;
}

/* A wait for "100 Continue" would cost a second where a server does not know it. */
static bool add_headers(struct upload *up)
{
	return add_header(up, "Content-Type: application/x-protobuf") &&
	       add_header(up, "Content-Encoding: gzip") &&
	       add_header(up, "Expect:") && add_headers_of_environment(up);
}

static void hide_secrets(struct upload *up)
{
	const char *at = up->values.data;
	const char *end = at + up->values.size;

	fl_url_hide_those_of(&up->answer, up->url.data);
	for (; at < end; at += strlen(at) + 1) {
		const char *word = strchr(at, ' ');

		fl_url_hide(&up->answer, (struct slice){ at, strlen(at) });
		if (word)	/* of "Bearer TOKEN" */
			fl_url_hide(&up->answer, (struct slice){ word + 1,
							strlen(word + 1) });
	}
}

/* Answers --------------------------------------------------------------- */

static size_t on_bytes(char *at, size_t size, size_t n, void *arg)
{
	struct upload *up = arg;

	if (up->answer.size < ANSWER_BYTES)
		fl_buf_put(&up->answer, at, size * n);
	return size * n;
}

static long status_of(const struct upload *up)
{
	long status = 0;

	sender.curl_easy_getinfo(up->easy, CURLINFO_RESPONSE_CODE, &status);
	return status;
}

static bool is_type(const struct upload *up, const char *type)
{
	char *is = NULL;

	sender.curl_easy_getinfo(up->easy, CURLINFO_CONTENT_TYPE, &is);
	return is && strncasecmp(is, type, strlen(type)) == 0;
}

/* The text of field `number` in a message, and the number in field 1. */
static struct slice text_in(struct fl_message message, uint32_t number,
			    uint64_t *first)
{
	struct slice text = { "", 0 };
	struct fl_field field;

	while (fl_field_next(&message, &field)) {
		if (field.number == number)
			text = fl_field_text(&field);
		else if (field.number == 1)
			*first = field.value;
	}
	return text;
}

/*
 * ExportProfilesServiceResponse: partial_success (1), with rejected_profiles
 * (1) and error_message (2).
 */
static int read_success(struct upload *up)
{
	struct fl_message message = fl_message_of(up->answer.data,
						  up->answer.size);
	struct fl_buf said = { 0 };
	struct fl_field field;
	struct slice text = { "", 0 };
	uint64_t rejected = 0;

	while (fl_field_next(&message, &field))
		if (field.number == 1)
			text = text_in(fl_field_message(&field), 2, &rejected);
	if (rejected)
		fl_buf_print(&said, "the server rejected %" PRIu64
			     " profile%s", rejected, rejected == 1 ? "" : "s");
	else if (text.size)
		fl_buf_text(&said, "the server accepts it, and says");
	fl_url_explain_body(&said, text.data, text.size);
	if (rejected)
		fl_fail(up->flame, "%s: %s", up->name, said.data);
	else if (said.size)
		fl_remark(up->flame, "%s: %s", up->name, said.data);
	fl_buf_free(&said);
	return rejected ? FLAME_FAILED : FLAME_OK;
}

/* An error has google.rpc.Status: code (1), message (2). */
static void explain(struct upload *up, CURLcode code)
{
	struct slice text = fl_buf_slice(&up->answer);
	struct fl_buf said = { 0 };
	uint64_t number;

	if (code != CURLE_OK) {
		fl_buf_text(&said, up->said[0] ? up->said :
			    sender.curl_easy_strerror(code));
		text.size = 0;
	} else {
		fl_buf_print(&said, "HTTP %ld", status_of(up));
		if (is_type(up, "application/x-protobuf"))
			text = text_in(fl_message_of(text.data, text.size), 2,
				       &number);
	}
	fl_url_explain_body(&said, text.data, text.size);
	if (code == CURLE_OK)
		fl_buf_text(&said, up->said);
	if (up->tries > 1)
		fl_buf_print(&said, ", after %u tries", up->tries);
	fl_fail(up->flame, "%s: not sent: %s", up->name,
		said.failed ? "out of memory" : said.data);
	fl_buf_free(&said);
}

/* Sending --------------------------------------------------------------- */

static void set_up(struct upload *up, struct slice message)
{
	const char *ca = fl_url_certificates();

#define SET(option, value) sender.curl_easy_setopt(up->easy, option, value)
	SET(CURLOPT_URL, up->url.data);
	SET(CURLOPT_HTTPHEADER, up->headers);
	SET(CURLOPT_POSTFIELDS, message.data);
	SET(CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)message.size);
	SET(CURLOPT_USERAGENT, "libflame/" FLAME_VERSION);
	SET(CURLOPT_ERRORBUFFER, up->said);
	SET(CURLOPT_WRITEFUNCTION, on_bytes);
	SET(CURLOPT_WRITEDATA, up);
	SET(CURLOPT_NOSIGNAL, 1L);
	SET(CURLOPT_CONNECTTIMEOUT, (long)fl_url_timeout());
	SET(CURLOPT_LOW_SPEED_LIMIT, (long)FL_STALL_RATE);
	SET(CURLOPT_LOW_SPEED_TIME, (long)fl_url_timeout());
	if (ca)
		SET(CURLOPT_CAINFO, ca);
#undef SET
}

static bool may_try_again(const struct upload *up, CURLcode code)
{
	long status = status_of(up);

	return code == CURLE_COULDNT_CONNECT ||
	       (code == CURLE_OK && (status == 429 || status == 502 ||
				     status == 503 || status == 504));
}

/*
 * Waits as long as Retry-After says, but not past the time limit; false: so
 * long is too long, as `up->said` says, or there were enough tries.
 */
static bool wait_for_turn(struct upload *up, int64_t since)
{
	int64_t limit = (int64_t)fl_url_timeout() * 1000;
	int64_t pause = (int64_t)FIRST_PAUSE_MS << FL_MIN(up->tries - 1, 8u);
	curl_off_t asked = 0;

	sender.curl_easy_getinfo(up->easy, CURLINFO_RETRY_AFTER, &asked);
	if (asked > 0)
		pause = fl_mul_clamped(asked, 1000);
	if (up->tries > fl_url_retries())
		return false;
	if (pause <= limit && fl_stall_clock() - since <= limit - pause)
		return poll(NULL, 0, (int)pause) == 0;
	if (asked > 0)
		snprintf(up->said, sizeof(up->said), "; it asks to wait %"
			 PRId64 " s, and --url-timeout is %u s",
			 (int64_t)asked, fl_url_timeout());
	return false;
}

static int send_it(struct upload *up)
{
	int64_t since = fl_stall_clock();
	CURLcode code;

	do {
		up->answer.size = 0;
		up->said[0] = '\0';
		up->tries++;
		code = sender.curl_easy_perform(up->easy);
	} while (may_try_again(up, code) && wait_for_turn(up, since));
	hide_secrets(up);
	if (code == CURLE_OK && status_of(up) / 100 == 2 &&
	    !is_type(up, "text/html"))
		return read_success(up);
	explain(up, code);
	return FLAME_FAILED;
}

/* http://HOST alone gets the usual path, before a query too. */
static void put_url(struct fl_buf *out, const char *url)
{
	struct slice host = fl_url_authority(url);
	const char *path = host.data + host.size;
	bool bare = *path != '/' || strchr("?#", path[1]);

	fl_buf_put(out, url, (size_t)(path - url));
	if (bare)
		fl_buf_text(out, usual_path);
	fl_buf_text(out, path + (bare && *path == '/'));
}

static int send_message(struct flame *flame, const char *name, const char *url,
			struct slice message)
{
	struct upload up = { .flame = flame, .name = name };
	int status = FLAME_FAILED;

	put_url(&up.url, url);
	up.easy = sender.curl_easy_init();
	if (up.easy && !up.url.failed && add_headers(&up)) {
		set_up(&up, message);
		status = send_it(&up);
	} else if (!fl_failed(flame)) {
		fl_no_memory(flame);
	}
	if (up.easy)
		sender.curl_easy_cleanup(up.easy);
	sender.curl_slist_free_all(up.headers);
	fl_buf_free(&up.url);
	fl_buf_free(&up.values);
	fl_buf_free(&up.answer);
	return status;
}

const struct fl_server fl_otlp_server = { check, send_message };
