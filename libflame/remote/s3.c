/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The text of S3's requests, for s3_protocol.c and s3_listing.c: settings from
 * the environment and from aws-cli's files (fl_s3_open), URLs (fl_s3_request),
 * and advice for errors.  libcurl signs the requests.
 */
#include "fl.h"

#include "remote/client.h"
#include "remote/s3.h"

#include <stdio.h>
#include <stdlib.h>	/* getenv */
#include <strings.h>

enum { MAX_FILE_BYTES = 1 << 20 };

/* Settings ------------------------------------------------------------- */

/* An empty variable counts as one that is not set. */
static const char *variable(const char *name)
{
	const char *value = getenv(name);

	return value && *value ? value : NULL;
}

/* The first value stays. */
static void set(char **to, const char *value, size_t size)
{
	if (*to || !size)
		return;
	*to = fl_alloc(size + 1);
	if (!*to)
		return;
	memcpy(*to, value, size);
	(*to)[size] = '\0';
}

static void set_variable(char **to, const char *name)
{
	const char *value = variable(name);

	set(to, value, value ? strlen(value) : 0);
}

static struct slice trim(struct slice text)
{
	while (text.size && (unsigned char)*text.data <= ' ') {
		text.data++;
		text.size--;
	}
	while (text.size && (unsigned char)text.data[text.size - 1] <= ' ')
		text.size--;
	return text;
}

/* "[NAME]", or "[profile NAME]" as the file config has it. */
static bool is_section(struct slice line, const char *name)
{
	static const char kind[] = "profile";

	line = trim((struct slice){ line.data + 1, line.size - 2 });
	if (fl_slice_is(line, name))
		return true;
	if (!fl_slice_starts(line, kind) || line.size < sizeof(kind) ||
	    !fl_is_blank(line.data[sizeof(kind) - 1]))
		return false;
	line.data += sizeof(kind);
	line.size -= sizeof(kind);
	return fl_slice_is(trim(line), name);
}

/* One line of the section: "aws_access_key_id = AKIA". */
static void read_setting(struct fl_s3 *s3, struct slice line, bool has_login)
{
	const struct { const char *name; char **to; bool login; } known[] = {
		{ "aws_access_key_id", &s3->key, true },
		{ "aws_secret_access_key", &s3->secret, true },
		{ "aws_session_token", &s3->session, true },
		{ "region", &s3->region, false },
		{ "endpoint_url", &s3->endpoint, false },
	};
	const char *equals = memchr(line.data, '=', line.size);
	struct slice name, value;
	size_t n;

	if (!equals)
		return;
	n = (size_t)(equals - line.data);
	name = trim((struct slice){ line.data, n });
	value = trim((struct slice){ equals + 1, line.size - n - 1 });
	for (size_t i = 0; i < FL_COUNT(known); i++)
		if (fl_slice_is(name, known[i].name) &&
		    !(known[i].login && has_login))
			set(known[i].to, value.data, value.size);
}

/* false: it has no such section.  Indented lines belong to nested settings. */
bool fl_s3_read_settings(struct fl_s3 *s3, struct slice text,
			 const char *profile)
{
	bool inside = false, found = false, has_login = s3->key != NULL;

	while (text.size) {
		const char *end = memchr(text.data, '\n', text.size);
		size_t n = end ? (size_t)(end - text.data) : text.size;
		struct slice line = { text.data, n };
		bool indented = n && fl_is_blank(*line.data);

		text.data += n + (end != NULL);
		text.size -= n + (end != NULL);
		line = trim(line);
		if (!line.size || *line.data == '#' || *line.data == ';')
			continue;
		if (*line.data == '[' && line.data[line.size - 1] == ']') {
			inside = is_section(line, profile);
			found = found || inside;
		} else if (inside && !indented) {
			read_setting(s3, line, has_login);
		}
	}
	return found;
}

/* The file that a variable names, or the one below the home folder. */
static bool read_file(struct fl_s3 *s3, const char *name, const char *usual,
		      const char *profile)
{
	const char *path = variable(name), *home = variable("HOME");
	struct fl_buf text = { NULL, 0, 0, false }, where = text;
	bool found = false;
	FILE *file = NULL;
	char *to;

	if (path)
		fl_buf_text(&where, path);
	else if (home)
		fl_buf_print(&where, "%s/.aws/%s", home, usual);
	if (where.size && !where.failed)
		file = fopen(where.data, "r");
	to = file ? fl_buf_reserve(&text, MAX_FILE_BYTES) : NULL;
	if (to) {
		size_t n = fread(to, 1, MAX_FILE_BYTES, file);

		found = fl_s3_read_settings(s3, (struct slice){ to, n },
					    profile);
	}
	if (file)
		fclose(file);
	fl_buf_free(&text);
	fl_buf_free(&where);
	return found;
}

/* Letters, digits, and those of `more`. */
static bool is_plain(const char *text, size_t size, const char *more)
{
	for (size_t i = 0; i < size; i++)
		if (!fl_is_digit(text[i]) && (text[i] | 32u) - 'a' >= 26u &&
		    (!text[i] || !strchr(more, text[i])))
			return false;
	return size > 0;
}

/* The error in the settings, or NULL. */
static const char *check(const struct fl_s3 *s3)
{
	if (!s3->key != !s3->secret)
		return s3->key ? "an access key without its secret: set "
		       "AWS_SECRET_ACCESS_KEY" : "a secret without its access "
		       "key: set AWS_ACCESS_KEY_ID";
	if (!s3->region)
		return "out of memory";
	if (!is_plain(s3->region, strlen(s3->region), "-"))
		return "the region has other characters than letters, digits "
		       "and \"-\": see AWS_REGION";
	if (s3->endpoint && strncasecmp(s3->endpoint, "http://", 7) != 0 &&
	    strncasecmp(s3->endpoint, "https://", 8) != 0)
		return "the endpoint begins neither with http:// nor with "
		       "https://: see AWS_ENDPOINT_URL";
	return NULL;
}

static bool load(struct fl_s3 *s3, struct fl_buf *damage)
{
	const char *profile = variable("AWS_PROFILE"), *why;
	bool found;

	set_variable(&s3->key, "AWS_ACCESS_KEY_ID");
	set_variable(&s3->secret, "AWS_SECRET_ACCESS_KEY");
	if (s3->key)
		set_variable(&s3->session, "AWS_SESSION_TOKEN");
	set_variable(&s3->region, "AWS_REGION");
	set_variable(&s3->region, "AWS_DEFAULT_REGION");
	set_variable(&s3->endpoint, "AWS_ENDPOINT_URL_S3");
	set_variable(&s3->endpoint, "AWS_ENDPOINT_URL");
	found = read_file(s3, "AWS_SHARED_CREDENTIALS_FILE", "credentials",
			  profile ? profile : "default");
	found = read_file(s3, "AWS_CONFIG_FILE", "config",
			  profile ? profile : "default") || found;
	set(&s3->region, "us-east-1", 9);
	if (profile && !found && !s3->key) {
		fl_buf_print(damage, "no profile \"%s\" in ~/.aws/credentials "
			     "and ~/.aws/config: see AWS_PROFILE", profile);
		return false;
	}
	why = check(s3);
	if (why)
		fl_buf_text(damage, why);
	return !why;
}

/* Requests ------------------------------------------------------------- */

struct slice fl_s3_bucket(const char *path)
{
	const char *at = strstr(path, "://") + 3;

	return (struct slice){ at, strcspn(at, "/") };
}

const char *fl_s3_key(const char *path)
{
	struct slice bucket = fl_s3_bucket(path);
	const char *key = bucket.data + bucket.size;

	return *key ? key + 1 : key;
}

bool fl_s3_is_folder(const char *path)
{
	const char *key = fl_s3_key(path);

	return !*key || key[strlen(key) - 1] == '/';
}

bool fl_s3_open(struct fl_s3 *s3, const char *path, struct fl_buf *damage)
{
	struct slice bucket = fl_s3_bucket(path);

	if (bucket.size && memchr(bucket.data, '@', bucket.size))
		fl_buf_text(damage, "a URL of S3 has no login: set "
			    "AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or "
			    "AWS_PROFILE");
	else if (!is_plain(bucket.data, bucket.size, "-._"))
		fl_buf_text(damage, "is not a URL of S3, as s3://BUCKET/KEY");
	else
		return load(s3, damage);
	return false;
}

void fl_s3_close(struct fl_s3 *s3)
{
	fl_free(s3->key);
	fl_free(s3->secret);
	fl_free(s3->session);
	fl_free(s3->region);
	fl_free(s3->endpoint);
}

/* Amazon's certificates hold for BUCKET.s3... only without dots in BUCKET. */
static bool is_host(struct slice bucket)
{
	for (size_t i = 0; i < bucket.size; i++)
		if (!fl_is_digit(bucket.data[i]) && bucket.data[i] != '-' &&
		    (bucket.data[i] < 'a' || bucket.data[i] > 'z'))
			return false;
	return true;
}

void fl_s3_request(struct fl_buf *out, const struct fl_s3 *s3,
		   const char *path, const char *query)
{
	struct slice bucket = fl_s3_bucket(path);
	const char *key = fl_s3_key(path), *at = s3->endpoint;
	size_t n = at ? strlen(at) : 0;
	bool in_host = !at && is_host(bucket);

	while (n && at[n - 1] == '/')
		n--;
	if (at)
		fl_buf_put(out, at, n);
	else
		fl_buf_print(out, "https://%.*s%ss3.%s.amazonaws.com%s",
			     in_host ? (int)bucket.size : 0, bucket.data,
			     in_host ? "." : "", s3->region,
			     strncmp(s3->region, "cn-", 3) == 0 ? ".cn" : "");
	fl_buf_byte(out, '/');
	if (!in_host) {
		fl_buf_put(out, bucket.data, bucket.size);
		fl_buf_byte(out, '/');
	}
	if (query) {
		fl_buf_print(out, "?%s", query);
	} else if (fl_s3_is_folder(path)) {
		fl_buf_byte(out, '?');
		fl_s3_query(out, key, NULL, 1);
	} else {
		fl_url_encode(out, key, strlen(key), "-._~/");
	}
}

/* Sorted, and encoded as the signature has it. */
void fl_s3_query(struct fl_buf *out, const char *prefix, const char *token,
		 unsigned max)
{
	if (token) {
		fl_buf_text(out, "continuation-token=");
		fl_url_encode(out, token, strlen(token), "-._~");
		fl_buf_byte(out, '&');
	}
	fl_buf_text(out, "encoding-type=url&list-type=2");
	if (max)
		fl_buf_print(out, "&max-keys=%u", max);
	fl_buf_text(out, "&prefix=");
	fl_url_encode(out, prefix, strlen(prefix), "-._~");
}

/* Answers -------------------------------------------------------------- */

/* Advice for error codes of S3. */
static const struct { const char *code, *help; } helps[] = {
	{ "<Code>AccessDenied<", "the credentials may not do this: it needs "
	  "s3:GetObject, and s3:ListBucket for a prefix" },
	{ "<Code>ExpiredToken<", "log in anew, and see AWS_SESSION_TOKEN" },
	{ "<Code>InvalidAccessKeyId<", "see AWS_ACCESS_KEY_ID, or AWS_PROFILE" },
	{ "<Code>InvalidToken<", "see AWS_SESSION_TOKEN" },
	{ "<Code>NoSuchBucket<", "check the bucket's name, and "
	  "AWS_ENDPOINT_URL if it is not Amazon's" },
	{ "<Code>NoSuchKey<", "to read all keys below a prefix, end it in /" },
	{ "<Code>RequestTimeTooSkewed<", "set the clock of this machine" },
	{ "<Code>SignatureDoesNotMatch<", "see AWS_SECRET_ACCESS_KEY, or "
	  "AWS_PROFILE" },
};

static const char *find_help(const struct fl_s3 *s3, long status,
			     struct slice body)
{
	if ((status == 401 || status == 403) && !s3->key)
		return "no credentials were found: set AWS_ACCESS_KEY_ID and "
		       "AWS_SECRET_ACCESS_KEY, or AWS_PROFILE (\"aws configure "
		       "export-credentials\" prints those of a login)";
	for (size_t i = 0; i < FL_COUNT(helps); i++)
		if (fl_slice_has(body, helps[i].code))
			return helps[i].help;
	return NULL;
}

void fl_s3_explain(struct fl_buf *out, const struct fl_s3 *s3, long status,
		   struct slice body, const char *region)
{
	const char *help = find_help(s3, status, body);

	if (status < 300) {
		fl_buf_text(out, "No such file or directory: no key begins so");
		return;
	}
	fl_url_explain(out, status, body.data, body.size);
	if (is_plain(region, strlen(region), "-") && status <= 400 &&
	    strcmp(region, s3->region) != 0)
		fl_buf_print(out, "; the bucket is in %s: set AWS_REGION=%s",
			     region, region);
	else if (help)
		fl_buf_print(out, "; %s", help);
}
