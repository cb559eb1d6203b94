/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Files of any server.
 */
#include "fl.h"

#include "remote/url.h"

/* As Knox and HttpFS are asked. */
static enum fl_url_kind kind_of_http(const char *path)
{
	const char *at = strstr(path, "/webhdfs/v1");

	return at && !strchr(path, '?') && strchr("/", at[11]) ? FL_URL_HDFS :
								  FL_URL_HTTP;
}

const struct fl_url_scheme fl_url_scheme_http = {
	.names = " http https ", .open = fl_url_input, .kind_of = kind_of_http,
};
