/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Cuts user, password and query out of the URLs in a text (flame_hide_secrets).
 * Only what opens a URL has it as it was typed; messages, names and records
 * have this form.
 */
#include "fl.h"

#include "base/report.h"

static bool is_scheme(char c)
{
	return fl_is_digit(c) || (c | 32u) - 'a' < 26u || strchr("+-.", c);
}

/* Where a URL ends in a message: before punctuation and blanks, or quotes. */
static size_t end_of(const char *url, bool whole)
{
	size_t n = whole ? strlen(url) : strcspn(url, " \t\r\n\"'<>");

	while (!whole && n && strchr(":,;.)", url[n - 1]))
		n--;
	return n;
}

/*
 * The size of user and password.  A password with a '/' ends the authority too
 * soon: its colon is then not followed by a port.  So it is where a message
 * cuts the URL before the '@'.
 */
static size_t login_of(const char *at, size_t size)
{
	size_t n = 0, colon = 0, login = 0;

	while (n < size && !strchr("/?#", at[n])) {
		if (at[n] == '@')
			login = n + 1;
		else if (at[n] == ':')
			colon = n + 1;
		n++;
	}
	if (login || !colon || at[0] == '[' ||
	    strspn(at + colon, "0123456789") + colon >= n)
		return login;
	login = n;
	for (; n < size; n++)
		if (at[n] == '@')
			login = n + 1;
	return login;
}

/* abfss://CONTAINER@ACCOUNT/PATH: no user stands before the '@'. */
static bool has_container(const char *url)
{
	return strncasecmp(url, "abfs", 4) == 0 ||
	       strncasecmp(url, "wasb", 4) == 0;
}

void flame_hide_secrets(char *text, bool whole)
{
	char *to = text, *mark;
	const char *from = text;

	while ((mark = strstr(from, "://"))) {
		size_t scheme = (size_t)(mark - from), size, login, shown;
		const char *begin = mark;
		bool http;

		while (begin > from && is_scheme(begin[-1]))
			begin--;
		scheme = (size_t)(mark + 3 - from);
		http = strncasecmp(begin, "http", 4) == 0 ||
		       strncasecmp(begin, "otlp+", 5) == 0;
		memmove(to, from, scheme);
		to += scheme;
		from = mark + 3;
		if (begin == mark || strncasecmp(begin, "file:", 5) == 0)
			continue;
		size = end_of(from, whole);
		login = has_container(begin) ? 0 : login_of(from, size);
		shown = strcspn(from + login, http ? "?#" : "?");
		shown = FL_MIN(shown, size - login);
		memmove(to, from + login, shown);
		to += shown;
		from += size;
	}
	memmove(to, from, strlen(from) + 1);
}
