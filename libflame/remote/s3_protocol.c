/* SPDX-License-Identifier: Apache-2.0 */
/*
 * s3:, s3a: and s3n: URLs: a row of schemes.def, and its protocol
 * fl_protocol_s3, which fills in the requests that url.c sends and libcurl
 * signs.  s3.c has the settings and the text of requests, s3_listing.c reads
 * listings.  Built without libcurl, libflame reads them by aws on PATH.
 */
#include "fl.h"

#include "remote/client.h"
#include "remote/protocol.h"
#include "remote/s3.h"

#include <stdio.h>

/* SHA-256 of no bytes: requests have no body. */
#define NO_BODY "x-amz-content-sha256: " \
	"e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"

struct own {
	struct fl_s3 s3;
	struct fl_buf signing;
	char region[64];	/* where the bucket is, if that was said */
};

static bool open_s3(struct fl_transferred *file)
{
	struct own *own = file->own = fl_zeroed(1, sizeof(*own));

	if (!own || !fl_s3_open(&own->s3, file->path, &file->damage))
		return false;
	fl_buf_print(&own->signing, "aws:amz:%s:s3", own->s3.region);
	return !own->signing.failed;
}

static void close_s3(struct fl_transferred *file)
{
	struct own *own = file->own;

	if (own) {
		fl_s3_close(&own->s3);
		fl_buf_free(&own->signing);
	}
	fl_free(own);
}

static void put_text(struct fl_buf *to, const char *text)
{
	if (text)
		fl_buf_put(to, text, strlen(text) + 1);
}

static bool request(struct fl_transferred *file, struct fl_request *to)
{
	struct own *own = file->own;
	const struct fl_s3 *s3 = &own->s3;

	own->region[0] = '\0';
	fl_s3_request(&to->url, s3, file->path, file->query);
	put_text(&to->secrets, s3->key);
	put_text(&to->secrets, s3->secret);
	put_text(&to->secrets, s3->session);
	if (s3->key) {
		to->signing = own->signing.data;
		to->user = s3->key;
		to->password = s3->secret;
		put_text(&to->headers, NO_BODY);
	}
	if (s3->key && s3->session) {
		fl_buf_text(&to->headers, "x-amz-security-token: ");
		put_text(&to->headers, s3->session);
	}
	return !to->url.failed && !to->secrets.failed && !to->headers.failed;
}

static void on_header(struct fl_transferred *file, struct slice line)
{
	struct own *own = file->own;
	struct slice region;

	if (fl_header_is(line, "x-amz-bucket-region:", &region))
		snprintf(own->region, sizeof(own->region), "%.*s",
			 (int)region.size, region.data);
}

/* Of a folder is asked whether any key begins so. */
static bool is_file(struct fl_transferred *file)
{
	return file->query || !fl_s3_is_folder(file->path);
}

static void explain(struct fl_transferred *file, struct fl_buf *out)
{
	const struct own *own = file->own;

	fl_s3_explain(out, &own->s3, file->status, fl_buf_slice(&file->answer),
		      own->region);
}

const struct fl_protocol fl_protocol_s3 = {
	.name = "S3", .fetch = "aws s3 cp {} -", .is_signed = true,
	.retries_500 = true, .open = open_s3, .close = close_s3,
	.request = request, .on_header = on_header, .is_file = is_file,
	.explain = explain, .list = fl_s3_list,
};

static const struct fl_protocol *protocol_of_s3(const char *path)
{
#ifdef HAVE_LIBCURL
	(void)path;
	return &fl_protocol_s3;
#else
	return fl_client_words(path, false) ? &fl_protocol_client :
					      &fl_protocol_s3;
#endif
}

const struct fl_url_scheme fl_url_scheme_s3 = {
	.names = " s3 s3a s3n ", .open = fl_url_input,
	.protocol_of = protocol_of_s3,
	.clients = (const struct fl_client[]){
		{ "aws s3 cp s3://{authority}/{key} -",
		  "aws s3 ls --recursive s3://{authority}/{prefix}",
		  "^(\\d{4}-\\S+ \\S+)\\s+(\\d+) (.+)$", "msn", "", true },
		{ 0 }
	},
	.advice = "needs aws on PATH: this was built without libcurl",
};
