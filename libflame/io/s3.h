/* SPDX-License-Identifier: Apache-2.0 */
/*
 * s3://BUCKET/KEY (or s3a): KEY is not encoded, and empty or with a / at its
 * end for a folder.  s3.c knows settings, requests and errors; url.c makes the
 * requests, with a signature of libcurl; listing.c reads listings.
 */
#ifndef FL_IO_S3_H
#define FL_IO_S3_H

#include "io/url.h"

/* Zeroed: none.  key NULL: requests are not signed. */
struct fl_s3 {
	char *key, *secret, *session;
	char *region;
	char *endpoint;		/* NULL: Amazon's */
};

/*
 * The settings of now for this path; false: *damage tells what is wrong.  To be
 * closed in any case.
 */
bool fl_s3_open(struct fl_s3 *s3, const char *path, struct fl_buf *damage);
void fl_s3_close(struct fl_s3 *s3);
/*
 * Those of a profile in a file of aws-cli, unless they are set; a login is
 * taken as a whole.  false: it has no such profile.
 */
bool fl_s3_read_settings(struct fl_s3 *s3, struct slice text,
			 const char *profile);

struct slice fl_s3_bucket(const char *path);
const char *fl_s3_key(const char *path);
bool fl_s3_is_folder(const char *path);
/*
 * The request for a path, or for this query of its bucket.  Of a folder without
 * a query: whether there is any key.
 */
void fl_s3_request(struct fl_buf *out, const struct fl_s3 *s3,
		   const char *path, const char *query);
/* A page of a listing.  token NULL: the first; max 0: as many as it gives. */
void fl_s3_query(struct fl_buf *out, const char *prefix, const char *token,
		 unsigned max);
/*
 * What an answer in place of the file says, and what to do.  region: what
 * x-amz-bucket-region says, or "".
 */
void fl_s3_explain(struct fl_buf *out, const struct fl_s3 *s3, long status,
		   struct slice body, const char *region);

#endif
