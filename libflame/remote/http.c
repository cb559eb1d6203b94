/* SPDX-License-Identifier: Apache-2.0 */
/*
 * http: and https: URLs: a row of schemes.def and its protocol, which asks for
 * the URL as it is; url.c sends the request.  A URL with /webhdfs/v1, as Knox
 * and HttpFS have, is read by webhdfs.c.
 */
#include "fl.h"

#include "remote/protocol.h"
#include "remote/url.h"

static bool request(struct fl_transferred *file, struct fl_request *to)
{
	fl_buf_text(&to->url, file->path);
	return !to->url.failed;
}

const struct fl_protocol fl_protocol_http = { .request = request };

/* As Knox and HttpFS are asked. */
static const struct fl_protocol *protocol_of_http(const char *path)
{
	const char *at = strstr(path, "/webhdfs/v1");

	return at && !strchr(path, '?') && strchr("/", at[11]) ?
	       &fl_protocol_webhdfs : &fl_protocol_http;
}

const struct fl_url_scheme fl_url_scheme_http = {
	.names = " http https ", .open = fl_url_input,
	.protocol_of = protocol_of_http,
};
