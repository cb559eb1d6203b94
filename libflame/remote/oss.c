/* SPDX-License-Identifier: Apache-2.0 */
/*
 * oss: URLs, of Alibaba's Object Storage Service: a row of schemes.def.
 * ossutil or Hadoop's client reads them, whichever is on PATH (client.h).
 */
#include "fl.h"

#include "remote/client.h"
#include "remote/url.h"

const struct fl_url_scheme fl_url_scheme_oss = {
	.names = " oss ", .open = fl_url_input,
	.clients = (const struct fl_client[]){
		{ "ossutil cat {}", "ossutil ls {}/",
		  "^(\\d{4}-\\S+ \\S+) \\S+ \\S+\\s+(\\d+)\\s+\\S+\\s+\\S+"
		  "\\s+(oss://.+)$", "msn", "", true },
		FL_CLIENTS_OF_HADOOP, { 0 }
	},
	.advice = "needs ossutil or hdfs on PATH, or an https:// URL that "
		  "ossutil signed",
};
