/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The table of schemes: what reads a URL.  Clients' commands are in client.c.
 */
#include "fl.h"

#include "io/client.h"
#include "io/url.h"

#include <stdatomic.h>

#ifdef HAVE_LIBCURL
static const bool has_curl = true;
#else
static const bool has_curl = false;
#endif
static _Atomic bool use_client;

/* As Knox and HttpFS are asked. */
static enum fl_url_kind kind_of_http(const char *path)
{
	const char *at = strstr(path, "/webhdfs/v1");

	return at && !strchr(path, '?') && strchr("/", at[11]) ? FL_URL_HDFS :
								  FL_URL_HTTP;
}

static enum fl_url_kind kind_of_hdfs(const char *path)
{
	bool has_client = fl_client_words(path, false);
	struct slice scheme = fl_client_scheme(path);

	if (has_client && (!has_curl || atomic_load(&use_client)))
		return FL_URL_CLIENT;
	if (fl_hdfs_is_known(path))
		return FL_URL_HDFS;
	return has_client || fl_client_has_scheme(" viewfs ", scheme) ||
	       path[scheme.size + strlen("://")] == '/' ? FL_URL_CLIENT :
							   FL_URL_HDFS;
}

static enum fl_url_kind kind_of_s3(const char *path)
{
	return has_curl || !fl_client_words(path, false) ? FL_URL_S3 :
							   FL_URL_CLIENT;
}

static const struct scheme {
	const char *names;
	enum fl_url_kind kind;
	enum fl_url_kind (*kind_of)(const char *path);	/* NULL: kind */
	const char *advice;	/* where no client is on PATH */
} schemes[] = {
	{ " http https ", FL_URL_HTTP, kind_of_http, NULL },
	{ " webhdfs swebhdfs ", FL_URL_HDFS, NULL, NULL },
	{ " hdfs ", FL_URL_HDFS, kind_of_hdfs,
	  "the NameNodes are not known: set HADOOP_CONF_DIR, install "
	  "hdfs (Hadoop's client), or name webhdfs://NAMENODE:9870/PATH" },
	{ " viewfs ", FL_URL_HDFS, kind_of_hdfs,
	  "its mount table is not known: set HADOOP_CONF_DIR, "
	  "install hdfs (Hadoop's client), or name webhdfs://NAMENODE:9870/"
	  "PATH" },
	{ " o3fs ofs ", FL_URL_CLIENT, NULL,
	  "needs ozone or hdfs on PATH, or s3:// of Ozone's "
	  "gateway with AWS_ENDPOINT_URL" },
	{ " gs ", FL_URL_CLIENT, NULL,
	  "needs gcloud, gsutil or hdfs on PATH, or "
	  "https://storage.googleapis.com/BUCKET/KEY" },
	{ " abfs abfss wasb wasbs ", FL_URL_CLIENT, NULL,
	  "needs az, azcopy or hdfs on PATH, or "
	  "https://ACCOUNT.blob.core.windows.net/CONTAINER/PATH?SAS" },
	{ " oss ", FL_URL_CLIENT, NULL,
	  "needs ossutil or hdfs on PATH, or an https:// URL that "
	  "ossutil signed" },
	{ " dbfs ", FL_URL_CLIENT, NULL,
	  "needs databricks on PATH, or /dbfs/PATH on a cluster" },
	{ " s3 s3a s3n ", FL_URL_S3, kind_of_s3,
	  "needs aws on PATH: this was built without libcurl" },
	{ " cosn obs adl ", FL_URL_CLIENT, NULL,
	  "needs hdfs (Hadoop's client) on PATH" },
};

static const struct scheme *find(const char *path)
{
	struct slice name = fl_client_scheme(path);

	for (size_t i = 0; name.size && i < FL_COUNT(schemes); i++)
		if (fl_client_has_scheme(schemes[i].names, name))
			return &schemes[i];
	return NULL;
}

enum fl_url_kind fl_url_kind(const char *path)
{
	const struct scheme *scheme = strstr(path, ":/") ? find(path) : NULL;

	return !scheme ? FL_NO_URL :
	       scheme->kind_of ? scheme->kind_of(path) : scheme->kind;
}

const char *fl_url_advice(const char *path, bool lists)
{
	const struct scheme *scheme = find(path);

	if (lists && fl_client_words(path, false))
		return "azcopy alone cannot list it: install az, or hdfs";
	return scheme && scheme->advice ? scheme->advice :
					  "no client is known for it";
}

void fl_url_use_client(void)
{
	atomic_store(&use_client, true);
}

int flame_url(const char *path)
{
	switch (fl_url_kind(path)) {
	case FL_NO_URL:
		return 0;
	case FL_URL_HTTP:
		return FLAME_URL;
	default:
		return FLAME_URL_TREE;
	}
}
