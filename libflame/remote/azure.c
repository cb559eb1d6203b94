/* SPDX-License-Identifier: Apache-2.0 */
/*
 * abfs:, abfss:, wasb: and wasbs: URLs, of Azure's blobs and its Data Lake
 * Storage: a row of schemes.def.  az, azcopy or Hadoop's client reads them,
 * whichever is on PATH (client.h).
 */
#include "fl.h"

#include "remote/client.h"
#include "remote/url.h"

const struct fl_url_scheme fl_url_scheme_azure = {
	.names = " abfs abfss wasb wasbs ", .open = fl_url_input,
	.clients = (const struct fl_client[]){
		{ "azcopy copy "
		  "https://{account}.blob.{domain}/{container}/{key} "
		  "--from-to BlobPipe", NULL, NULL, NULL, "", true },
		{ "az storage blob download --account-name {account} "
		  "--container-name {container} --name {key} "
		  "--file /dev/stdout --no-progress --only-show-errors "
		  "--auth-mode login",
		  "az storage blob list --account-name {account} "
		  "--container-name {container} --prefix {prefix} "
		  "--num-results * --include m --only-show-errors "
		  "--auth-mode login --output tsv "
		  "--query \"[?metadata.hdi_isfolder!='true'].[properties."
		  "contentLength,properties.lastModified,name]\"",
		  "^(\\d+)\\t(\\S+)\\t(.+)$", "smn", "", true },
		FL_CLIENTS_OF_HADOOP, { 0 }
	},
	.advice = "needs az, azcopy or hdfs on PATH, or "
		  "https://ACCOUNT.blob.core.windows.net/CONTAINER/PATH?SAS",
	.list_advice = "azcopy alone cannot list it: install az, or hdfs",
};
