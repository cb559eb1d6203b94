/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Text of URLs of inputs, for url.c and the protocols: cuts, encodes and
 * decodes URLs, hides secrets in them, and finds in a server's answer why it is
 * not the file (fl_url_explain).  Also the settings --url-timeout and others
 * (flame_process_url_option).
 */
#include "fl.h"

#include "remote/client.h"
#include "remote/protocol.h"
#include "remote/upload.h"
#include "remote/url.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>	/* getenv */
#include <strings.h>

enum { EXPLANATION_BYTES = 400, MIN_SECRET = 4 };

static bool begins(const char *text, const char *with)
{
	return strncasecmp(text, with, strlen(with)) == 0;
}

struct slice fl_url_authority(const char *url)
{
	const char *at = strstr(url, "://") + 3;

	return (struct slice){ at, strcspn(at, "/?#") };
}

size_t fl_url_login(struct slice authority)
{
	for (size_t n = authority.size; n; n--)
		if (authority.data[n - 1] == '@')
			return n;
	return 0;
}

void fl_url_encode(struct fl_buf *out, const char *text, size_t size,
		   const char *plain)
{
	static const char digits[] = "0123456789ABCDEF";

	for (size_t i = 0; i < size; i++) {
		unsigned char c = (unsigned char)text[i];

		if (fl_is_digit((char)c) || (c | 32u) - 'a' < 26u ||
		    (c && strchr(plain, c))) {
			fl_buf_byte(out, (char)c);
		} else {
			fl_buf_byte(out, '%');
			fl_buf_byte(out, digits[c >> 4]);
			fl_buf_byte(out, digits[c & 15]);
		}
	}
}

const char *fl_upload_url(const char *path)
{
	return begins(path, "otlp+http://") || begins(path, "otlp+https://") ?
	       path + strlen("otlp+") : NULL;
}

/* Answers --------------------------------------------------------------- */

/* The text after the first `what` in [at, end); NULL: it is not there. */
static const char *after(const char *at, const char *end, const char *what)
{
	size_t n = strlen(what);

	for (; at && (size_t)(end - at) >= n; at++)
		if (strncasecmp(at, what, n) == 0)
			return at + n;
	return NULL;
}

/* A letter of JSON text, or of HTML's: blanks for other characters. */
static void put_letter(struct fl_buf *out, char c)
{
	bool blank = (unsigned char)c <= ' ' || c == 0x7f;

	if (blank && (!out->size || out->data[out->size - 1] == ' '))
		return;
	fl_buf_byte(out, blank ? ' ' : c);
}

/* The text of "key": "text", up to its first line end; false: there is none. */
static bool put_member(struct fl_buf *out, const char *at, const char *end,
		       const char *key)
{
	at = after(at, end, key);
	while (at && at < end && (*at == ' ' || *at == ':'))
		at++;
	if (!at || at == end || *at++ != '"')
		return false;
	for (; at < end && *at != '"'; at++) {
		if (*at == '\\' && ++at == end)
			break;
		if (at[-1] == '\\' && *at == 'n')
			break;
		put_letter(out, at[-1] == '\\' && *at == 't' ? ' ' : *at);
	}
	return true;
}

static bool put_exception(struct fl_buf *out, const char *at, const char *end)
{
	at = after(at, end, "\"RemoteException\"");
	if (!at || !put_member(out, at, end, "\"exception\""))
		return false;
	fl_buf_text(out, ": ");
	put_member(out, at, end, "\"message\"");
	return true;
}

/* <Error><Code>...</Code><Message>...</Message> of S3. */
static bool put_error(struct fl_buf *out, const char *at, const char *end)
{
	const char *code = after(at, end, "<Code>");
	const char *message = after(at, end, "<Message>");

	if (!code || !after(at, end, "<Error"))
		return false;
	for (; code < end && *code != '<'; code++)
		put_letter(out, *code);
	if (message)
		fl_buf_text(out, ": ");
	for (; message && message < end && *message != '<'; message++)
		put_letter(out, *message);
	/* What to do follows. */
	if (out->size && out->data[out->size - 1] == '.')
		out->size--;
	return true;
}

static bool put_title(struct fl_buf *out, const char *at, const char *end)
{
	const char *title = after(at, end, "<title>");

	if (!title && !after(at, end, "<html"))
		return false;
	fl_buf_text(out, "an HTML page");
	if (!title || title == end || *title == '<')
		return true;
	fl_buf_text(out, " \"");
	for (; title < end && *title != '<'; title++)
		put_letter(out, *title);
	fl_buf_byte(out, '"');
	return true;
}

static void put_line(struct fl_buf *out, const char *at, const char *end)
{
	for (; at < end && *at != '\n'; at++)
		put_letter(out, *at);
}

void fl_url_explain_body(struct fl_buf *out, const char *body, size_t size)
{
	const char *end = body + size;
	struct fl_buf said = { 0 };

	if (size && !put_exception(&said, body, end) &&
	    !put_error(&said, body, end) && !put_title(&said, body, end))
		put_line(&said, body, end);
	if (said.size && out->size)
		fl_buf_text(out, ": ");
	fl_buf_put(out, said.data ? said.data : "",
		   FL_MIN(said.size, (size_t)EXPLANATION_BYTES));
	fl_buf_free(&said);
}

void fl_url_explain(struct fl_buf *out, long status, const char *body,
		    size_t size)
{
	if (status == 404)
		fl_buf_print(out, "%s (HTTP 404)", strerror(ENOENT));
	else if (status >= 300)
		fl_buf_print(out, "HTTP %ld", status);
	if (status == 401)
		fl_buf_text(out, ", a login is needed (kinit, or --url-token)");
	fl_url_explain_body(out, body, size);
	if (status < 300)
		fl_buf_text(out, " in place of the file");
}

/* Secrets ----------------------------------------------------------------- */

static void hide(struct fl_buf *text, struct slice secret)
{
	static const char dots[] = "...";
	size_t cut = secret.size - (sizeof(dots) - 1);

	for (size_t i = 0; secret.size >= MIN_SECRET &&
			   i + secret.size <= text->size;) {
		if (memcmp(text->data + i, secret.data, secret.size) != 0) {
			i++;
			continue;
		}
		memcpy(text->data + i, dots, sizeof(dots) - 1);
		i += sizeof(dots) - 1;
		memmove(text->data + i, text->data + i + cut,
			text->size - i - cut);
		text->size -= cut;
	}
}

static unsigned digit_of(char c)
{
	return fl_is_digit(c) ? (unsigned)c - '0' :
	       (c | 32u) - 'a' < 6u ? (c | 32u) - 'a' + 10 : 16;
}

void fl_url_decode(struct fl_buf *out, struct slice text, bool plus)
{
	for (size_t i = 0; i < text.size; i++) {
		char c = text.data[i];
		bool coded = c == '%' && i + 2 < text.size;
		unsigned high = coded ? digit_of(text.data[i + 1]) : 16;
		unsigned low = coded ? digit_of(text.data[i + 2]) : 16;

		coded = high < 16 && low < 16;
		fl_buf_byte(out, coded ? (char)(high << 4 | low) :
				 c == '+' && plus ? ' ' : c);
		i += coded ? 2 : 0;
	}
}

void fl_url_hide(struct fl_buf *text, struct slice secret)
{
	struct fl_buf plain = { 0 };

	hide(text, secret);
	fl_url_decode(&plain, secret, true);
	if (!plain.failed)
		hide(text, fl_buf_slice(&plain));
	fl_buf_free(&plain);
}

/* Of "Authorization: Basic LOGIN", which has the login in base64. */
static void hide_basic(struct fl_buf *text)
{
	static const char basic[] = "Basic ";
	const char *at = text->data, *end = at + text->size;

	while ((at = after(at, end, basic))) {
		size_t n = 0;

		while (at + n < end && (fl_is_digit(at[n]) ||
					(at[n] | 32u) - 'a' < 26u ||
					memchr("+/=", at[n], 3)))
			n++;
		fl_url_hide(text, (struct slice){ at, n });
		end = text->data + text->size;
	}
}

void fl_url_hide_those_of(struct fl_buf *text, const char *url)
{
	struct slice host = fl_url_authority(url);
	size_t login = fl_url_login(host), user = login;
	const char *query = strchr(host.data + host.size, '?');

	if (!text->size)
		return;
	if (login) {
		const char *colon = memchr(host.data, ':', login);

		user = colon ? (size_t)(colon - host.data) : login - 1;
		fl_url_hide(text, (struct slice){ host.data, user });
		if (colon)
			fl_url_hide(text, (struct slice){
				colon + 1, login - user - 2 });
		hide_basic(text);
	}
	while (query && *query && *query != '#') {
		size_t n = strcspn(++query, "&#"), name = strcspn(query, "=&#");

		name += name < n;
		fl_url_hide(text, name < n ? (struct slice){ query + name,
				n - name } : (struct slice){ query, n });
		query += n;
	}
}

/* Settings ------------------------------------------------------------- */

static _Atomic unsigned timeout_seconds = 30, retries = 4;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static char *token;	/* under the lock */

static bool set_number(_Atomic unsigned *to, const char *value, unsigned min)
{
	struct slice text = { value, strlen(value) };
	int64_t n;

	if (!fl_parse_digits(text, &n) || n < min || n > 100000)
		return false;
	atomic_store(to, (unsigned)n);
	return true;
}

static bool set_token(const char *value)
{
	char *copy = *value ? fl_memory_adopt(strdup(value)) : NULL;

	if (!copy)
		return false;
	pthread_mutex_lock(&lock);
	fl_free(token);
	token = copy;
	pthread_mutex_unlock(&lock);
	return true;
}

int flame_process_url_option(struct flame *flame, const char *option,
			     const char *value)
{
	bool good;

	(void)flame;
	if (!option || !value)
		return FLAME_FAILED;
	if (strcmp(option, "timeout") == 0)
		good = set_number(&timeout_seconds, value, 1);
	else if (strcmp(option, "retries") == 0)
		good = set_number(&retries, value, 0);
	else
		good = strcmp(option, "token") == 0 && set_token(value);
	return good ? FLAME_OK : FLAME_FAILED;
}

unsigned fl_url_timeout(void)
{
	return atomic_load(&timeout_seconds);
}

unsigned fl_url_retries(void)
{
	return atomic_load(&retries);
}

void fl_url_of_hdfs(struct fl_buf *out, struct fl_hdfs *hdfs, size_t node,
		    uint64_t offset)
{
	struct fl_hdfs_login login = {
		.user = getenv("HADOOP_USER_NAME"),
		.proxy = getenv("HADOOP_PROXY_USER"),
	};

	const char *tokens = getenv("HADOOP_TOKEN_FILE_LOCATION");
	struct fl_buf of_job = { 0 };

	pthread_mutex_lock(&lock);
	login.token = token ? token : getenv("FLAME_URL_TOKEN");
	if (!login.token && tokens &&
	    fl_hdfs_token(&of_job, tokens, hdfs, node))
		login.token = of_job.data;
	fl_hdfs_request(out, hdfs, node, &login, offset);
	pthread_mutex_unlock(&lock);
	fl_buf_free(&of_job);
}

bool fl_header_is(struct slice line, const char *name, struct slice *value)
{
	size_t n = strlen(name);

	if (line.size <= n || strncasecmp(line.data, name, n) != 0)
		return false;
	for (; n < line.size && fl_is_blank(line.data[n]); n++)
		;
	*value = fl_slice_from(line, n);
	return true;
}
