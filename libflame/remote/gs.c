/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gs: URLs, of Google Cloud Storage: a row of schemes.def.  gcloud, gsutil or
 * Hadoop's client reads and lists them, whichever is on PATH (client.h).
 */
#include "fl.h"

#include "remote/client.h"
#include "remote/url.h"

#define LINE "^\\s*(\\d+)\\s+(\\d{4}-\\S+)\\s+(gs://.+)$"

const struct fl_url_scheme fl_url_scheme_gs = {
	.names = " gs ", .open = fl_url_input,
	.clients = (const struct fl_client[]){
		{ "gcloud storage cat {}", "gcloud storage ls -l {}/**",
		  LINE, "smn", "", true },
		{ "gsutil -q cat {}", "gsutil -q ls -l {}/**",
		  LINE, "smn", "", true },
		FL_CLIENTS_OF_HADOOP, { 0 }
	},
	.advice = "needs gcloud, gsutil or hdfs on PATH, or "
		  "https://storage.googleapis.com/BUCKET/KEY",
};
