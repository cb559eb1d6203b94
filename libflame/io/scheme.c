/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Returns the scheme that opens a path such as s3://b/x (fl_url_scheme_of, for
 * in.c; NULL: a file of this machine), from the table of remote/.  Also returns
 * the path in file:///x (flame_local_path).
 */
#include "fl.h"

#include "io/scheme.h"

#include <stdio.h>
#include <strings.h>

struct slice fl_url_scheme_name(const char *path)
{
	size_t n = strspn(path, "abcdefghijklmnopqrstuvwxyz"
				"ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789");
	bool two = strncmp(path + n, "://", 3) == 0;

	if (!two && !(n == 4 && strncasecmp(path, "dbfs:/", 6) == 0))
		n = 0;
	return (struct slice){ path, n };
}

const struct fl_url_scheme *fl_url_scheme_named(const char *path)
{
	struct slice name = fl_url_scheme_name(path);
	char word[16];

	if (!name.size || name.size > sizeof(word) - 3)
		return NULL;
	snprintf(word, sizeof(word), " %.*s ", (int)name.size, name.data);
	for (size_t i = 0; fl_url_schemes[i]; i++)
		if (strcasestr(fl_url_schemes[i]->names, word))
			return fl_url_schemes[i];
	return NULL;
}

const struct fl_url_scheme *fl_url_scheme_of(const char *path)
{
	for (size_t i = 0; fl_url_schemes[i]; i++)
		if (fl_url_schemes[i]->matches && fl_url_schemes[i]->matches(path))
			return fl_url_schemes[i];
	return fl_url_scheme_named(path);
}

const char *flame_local_path(const char *path)
{
	const char *at;

	if (strncasecmp(path, "file:/", 6) != 0)
		return path;
	at = path + strlen("file:");
	if (strncmp(at, "//", 2) != 0)
		return at;
	at += 2;
	if (strncasecmp(at, "localhost/", 10) == 0)
		at += strlen("localhost");
	return *at == '/' ? at : path;
}
