/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Inputs that are URLs.  schemes.c has the table of what reads them, url_text.c
 * knows how they are spelt and what servers answer; url.c transfers them with
 * libcurl.
 *
 *	http://HOST/PATH, https://HOST/PATH	as they are
 *	webhdfs, swebhdfs, hdfs, viewfs		see hdfs.h; PATH is not
 *						encoded, and ends in / for a
 *						listing
 *	s3://BUCKET/KEY, s3a, s3n		see s3.h
 *	gs, abfss and others			see client.h
 */
#ifndef FL_REMOTE_URL_H
#define FL_REMOTE_URL_H

#include "io/scheme.h"
#include "remote/hdfs.h"

/* What to do where no client for the URL is on PATH. */
const char *fl_url_advice(const char *path, bool lists);
/*
 * Percent-encodes all bytes but letters, digits and those of `plain`.
 */
void fl_url_encode(struct fl_buf *out, const char *text, size_t size,
		   const char *plain);
/* "USER:PASSWORD@HOST:PORT" of a URL, and the size of "USER:PASSWORD@". */
struct slice fl_url_authority(const char *url);
size_t fl_url_login(struct slice authority);
/*
 * What an answer with this status says instead of the file: the exception of
 * WebHDFS, the error of S3, the title of a page, or a line of text.
 */
void fl_url_explain(struct fl_buf *out, long status, const char *body,
		    size_t size);
/* The same of the body alone, in the form of "..., ": ": text". */
void fl_url_explain_body(struct fl_buf *out, const char *body, size_t size);
/* Without %XX; plus: a '+' is a blank. */
void fl_url_decode(struct fl_buf *out, struct slice text, bool plus);

/*
 * Hides a secret of four bytes or more in the answer of a server, as it
 * is spelt and without %XX; and the user, password and values of the query of a
 * URL.
 */
void fl_url_hide(struct fl_buf *text, struct slice secret);
void fl_url_hide_those_of(struct fl_buf *text, const char *url);

unsigned fl_url_timeout(void);	/* in seconds */
unsigned fl_url_retries(void);
/* A request of WebHDFS, with these settings and those of the environment. */
void fl_url_of_hdfs(struct fl_buf *out, struct fl_hdfs *hdfs, size_t node,
		    uint64_t offset);
/* Opens libcurl; NULL, or the error. */
const char *fl_url_library(void);
/* The file of certificates for https; NULL: leave it to libcurl. */
const char *fl_url_certificates(void);

struct fl_url;

/*
 * Waits for the first bytes.  query: of the bucket, in place of the file; else
 * NULL.  NULL: see flame_error.
 */
struct fl_url *fl_url_open(struct flame *flame, const char *path,
			   const char *name, const char *query);
extern const struct fl_transfer fl_url_transfer;

/* Of a row of schemes.def: opens the file by its protocol. */
struct fl_in *fl_url_input(struct flame *flame, const char *path);
/*
 * query: of a bucket of S3, in place of the file; else NULL.  NULL without
 * fl_fail: a client has to read it, as fl_url_protocol says from now on.
 */
struct fl_in *fl_in_open_url(struct flame *flame, const char *path,
			     const char *query);

#endif
