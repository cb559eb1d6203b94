/* SPDX-License-Identifier: Apache-2.0 */
/*
 * dbfs: URLs, read and listed by the databricks CLI (Go, 0.200 or later; the
 * older one of Python prints other columns).
 */
#include "fl.h"

#include "remote/client.h"
#include "remote/url.h"

const struct fl_url_scheme fl_url_scheme_dbfs = {
	.names = " dbfs ", .open = fl_url_input,
	.clients = (const struct fl_client[]){
		{ "databricks fs cat {}", "databricks fs ls -l --absolute {}",
		  "^(\\S+)\\s+(\\d+)\\s+(\\S+)\\s+(dbfs:.+)$", "tsmn", "",
		  false },
		{ 0 }
	},
	.advice = "needs databricks on PATH, or /dbfs/PATH on a cluster",
};
