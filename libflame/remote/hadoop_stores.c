/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cosn:, obs: and adl: URLs, of stores that Hadoop's client alone reads
 * (client.h): a row of schemes.def.
 */
#include "fl.h"

#include "remote/client.h"
#include "remote/url.h"

const struct fl_url_scheme fl_url_scheme_hadoop_stores = {
	.names = " cosn obs adl ", .open = fl_url_input,
	.clients = (const struct fl_client[]){ FL_CLIENTS_OF_HADOOP, { 0 } },
	.advice = "needs hdfs (Hadoop's client) on PATH",
};
