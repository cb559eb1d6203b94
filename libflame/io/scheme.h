/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Schemes: what reads an input that is not a file here.  One is a file and
 * a row of remote/schemes.def.
 */
#ifndef FL_IO_SCHEME_H
#define FL_IO_SCHEME_H

#include "io/io.h"

/* How the bytes of an input come that has no descriptor. */
struct fl_transfer {
	/*
	 * The next bytes; 0: the end, damage, or `stop` (a descriptor, or -1)
	 * became readable.  *damage stays until close.
	 */
	size_t (*read)(void *state, int stop, uint8_t *to, size_t capacity,
		       const char **damage);
	void (*close)(void *state);	/* NULL is allowed */
};

/*
 * A program that prints a file, and lists a folder (NULL: it cannot); see
 * fl_client_put for the parts of a path in its words.  A line of a listing
 * matches `line`, whose groups are by `groups`: t type (d or D: a folder), s
 * size, m time, n name.  glob: these characters of a path have to be escaped.
 * deep: folders' files are listed too.
 */
struct fl_client {
	const char *read, *list, *line, *groups, *glob;
	bool deep;
};

struct fl_protocol;

struct fl_url_scheme {
	const char *names;	/* " s3 s3a ", in any case */
	/* Whether it reads the path whatever its name; NULL: by its name. */
	bool (*matches)(const char *path);
	struct fl_in *(*open)(struct flame *flame, const char *path);
	/* How servers are asked, see remote/protocol.h; NULL: by a client. */
	const struct fl_protocol *protocol;
	/* By the path; NULL: as above. */
	const struct fl_protocol *(*protocol_of)(const char *path);
	const struct fl_client *clients;	/* the last is zero; or NULL */
	/* Where no client is on PATH, and where none of them can list. */
	const char *advice, *list_advice;
};

/* remote/schemes.c: ends in NULL. */
extern const struct fl_url_scheme *const fl_url_schemes[];

/* "gs" of "gs://b/x", "dbfs" of "dbfs:/x"; of others, size 0. */
struct slice fl_url_scheme_name(const char *path);
/* The scheme of that name; NULL: none. */
const struct fl_url_scheme *fl_url_scheme_named(const char *path);
/* The scheme that opens the path; NULL: it is a file of this machine. */
const struct fl_url_scheme *fl_url_scheme_of(const char *path);

#endif
