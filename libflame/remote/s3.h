/* SPDX-License-Identifier: Apache-2.0 */
/*
 * s3://BUCKET/KEY (or s3a).  The key is not percent-encoded; an empty key, or
 * one that ends in /, is a folder.  s3.c reads settings, builds the text of
 * requests and explains errors; s3_protocol.c has the requests, which libcurl
 * signs; s3_listing.c reads listings.
 */
#ifndef FL_REMOTE_S3_H
#define FL_REMOTE_S3_H

#include "remote/listing.h"
#include "remote/url.h"

/* Settings; those that are not known are NULL.  No key: nothing is signed. */
struct fl_s3 {
	char *key, *secret, *session;
	char *region;
	char *endpoint;		/* NULL: Amazon's */
};

/*
 * Reads the settings for this path from the environment and aws-cli's files
 * into a zeroed s3.  false: they cannot be used, and damage has the reason.
 * fl_s3_close frees them in both cases.
 */
bool fl_s3_open(struct fl_s3 *s3, const char *path, struct fl_buf *damage);
void fl_s3_close(struct fl_s3 *s3);
/*
 * Reads the settings of a profile from the text of one of aws-cli's files.
 * Settings that are already there stay; key, secret and token come from one
 * place.  false: the text has no such profile.
 */
bool fl_s3_read_settings(struct fl_s3 *s3, struct slice text,
			 const char *profile);

struct slice fl_s3_bucket(const char *path);
const char *fl_s3_key(const char *path);
bool fl_s3_is_folder(const char *path);
/*
 * Adds the URL of the request for a path, or for a query of its bucket.  For a
 * folder without a query it asks whether any key begins so.
 */
void fl_s3_request(struct fl_buf *out, const struct fl_s3 *s3,
		   const char *path, const char *query);
/*
 * Adds the query for one page of a listing.  token NULL: the first page; max 0:
 * as many keys as the server returns.
 */
void fl_s3_query(struct fl_buf *out, const char *prefix, const char *token,
		 unsigned max);
/*
 * Adds the server's error, and advice.  region: the value of
 * x-amz-bucket-region, or "".
 */
void fl_s3_explain(struct fl_buf *out, const struct fl_s3 *s3, long status,
		   struct slice body, const char *region);
/* fl_protocol.list of S3, in s3_listing.c. */
bool fl_s3_list(struct fl_listing *l, const char *url);

#endif
