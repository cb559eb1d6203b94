/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Protocols: how the servers of a scheme are asked for files and folders.  A
 * new one is a file with a struct fl_protocol and the rows of its schemes:
 * http.c is the shortest, s3_protocol.c and webhdfs.c are the others.  url.c
 * makes their requests with libcurl, of which they know nothing.
 */
#ifndef FL_REMOTE_PROTOCOL_H
#define FL_REMOTE_PROTOCOL_H

#include "io/scheme.h"

struct fl_listing;

/* What a request needs besides its URL; texts are the protocol's. */
struct fl_request {
	struct fl_buf url;
	struct fl_buf headers;	/* lines, each with its NUL */
	struct fl_buf secrets;	/* never shown; each with its NUL */
	/* "HOST:PORT:ADDRESS:PORT": the address to connect to; NULL: any. */
	const char *pin;
	/* "aws:amz:REGION:s3": how libcurl signs it; NULL: it does not. */
	const char *signing, *user, *password;
};

/* How a request ended. */
enum fl_request_end {
	FL_REQUEST_ANSWERED,
	FL_REQUEST_UNREACHABLE,	/* no connection, or no such host */
	FL_REQUEST_SILENT,	/* no answer, or none in time */
	FL_REQUEST_BROKEN	/* anything else */
};

/* What fl_protocol.again returns in place of ms to wait. */
enum {
	FL_AGAIN_AS_USUAL = -1,	/* url.c decides by the error */
	FL_AGAIN_NEVER = -2,
	FL_AGAIN_ONCE_MORE = -3	/* by the same request, if retries are left */
};

/* A file that is being transferred, as a protocol sees it. */
struct fl_transferred {
	const struct fl_protocol *protocol;
	void *own;		/* the protocol's, from open to close */
	const char *path;	/* as it was given */
	const char *query;	/* of a bucket, in place of the file; or NULL */
	uint64_t offset;	/* of the next byte */
	/* The last answer. */
	long status;
	bool is_page;		/* text/html */
	bool refused;		/* it is not the file: `answer` has its text */
	bool redirected;
	const char *server;	/* the URL that was asked last; or NULL */
	struct fl_buf answer;
	struct fl_buf damage;	/* why it cannot be read; or empty */
};

struct fl_protocol {
	/* Of one that signs: its name, and a command for --fetch. */
	const char *name, *fetch;
	/* A file is resumed by its request, not by a range of bytes. */
	bool has_offsets;
	/* Requests are signed for one host: no redirects, no other login. */
	bool is_signed;
	bool retries_500;	/* status 500 is a passing error */
	/* Makes own; false: damage has the reason, or memory is short. */
	bool (*open)(struct fl_transferred *file);
	void (*close)(struct fl_transferred *file);
	/* Fills an empty request; false: memory is short. */
	bool (*request)(struct fl_transferred *file, struct fl_request *to);
	/* A line of an answer's header. */
	void (*on_header)(struct fl_transferred *file, struct slice line);
	/* Whether an answer with a status below 300 is the file. */
	bool (*is_file)(struct fl_transferred *file);
	/*
	 * After a request that failed: ms until the next one, of another
	 * server for instance; or one of FL_AGAIN_*.
	 */
	int (*again)(struct fl_transferred *file, enum fl_request_end end);
	/* true: a client reads what no server could be reached for. */
	bool (*leaves)(const struct fl_transferred *file);
	/* Adds what an answer says instead of the file. */
	void (*explain)(struct fl_transferred *file, struct fl_buf *out);
	/* Adds a hint to the message of a file that cannot be read. */
	void (*add_advice)(const struct fl_transferred *file,
			   struct fl_buf *out);
	/* Adds the entries of a folder; NULL: it has no folders. */
	bool (*list)(struct fl_listing *list, const char *folder);
};

extern const struct fl_protocol fl_protocol_http, fl_protocol_webhdfs,
				fl_protocol_s3, fl_protocol_client;

/*
 * Of the beginning of a path; NULL: no URL.  hdfs and viewfs are WebHDFS's
 * if the NameNodes are known, else a client's if there is one on PATH.
 */
const struct fl_protocol *fl_url_protocol(const char *path);
/* Of a header "NAME: VALUE"; name ends in a colon. */
bool fl_header_is(struct slice line, const char *name, struct slice *value);

#endif
