/* SPDX-License-Identifier: Apache-2.0 */
/*
 * o3fs: and ofs: URLs, of Apache Ozone: a row of schemes.def.  Ozone's client
 * or Hadoop's reads them, whichever is on PATH (client.h).
 */
#include "fl.h"

#include "remote/client.h"
#include "remote/url.h"

const struct fl_url_scheme fl_url_scheme_ozone = {
	.names = " o3fs ofs ", .open = fl_url_input,
	.clients = (const struct fl_client[]){
		FL_CLIENT_OF_HADOOP("ozone fs"), FL_CLIENTS_OF_HADOOP, { 0 }
	},
	.advice = "needs ozone or hdfs on PATH, or s3:// of Ozone's "
		  "gateway with AWS_ENDPOINT_URL",
};
