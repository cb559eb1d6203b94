/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Inputs of flame-batch that are URLs.  batch_add_url() adds a URL to the
 * inputs, or the files of a folder of HDFS, a prefix of S3 and the like.
 * Listed files have sizes and times, so that what an earlier run has drawn is
 * not read again.  Called by group.c.
 */
#include "batch/batch.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>

static bool begins(const char *text, const char *with)
{
	return strncasecmp(text, with, strlen(with)) == 0;
}

bool batch_is_hdfs(const char *path)
{
	return begins(path, "webhdfs://") || begins(path, "swebhdfs://");
}

bool batch_is_s3(const char *path)
{
	return begins(path, "s3://") || begins(path, "s3a://") ||
	       begins(path, "s3n://");
}

struct listing {
	struct batch *batch;
	bool failed;
};

static void add_file(void *arg, const char *path, uint64_t size, int64_t mtime)
{
	struct listing *listing = arg;
	struct stat st = { .st_size = (off_t)size };

	st.st_mtim.tv_sec = mtime / 1000;
	st.st_mtim.tv_nsec = mtime % 1000 * 1000000;
	if (!listing->failed)
		listing->failed = !batch_add_input(listing->batch, path, &st);
}

bool batch_add_url(struct batch *batch, struct flame *flame, const char *url)
{
	struct listing listing = { .batch = batch };
	struct stat st = { 0 };
	int status;

	if (flame_url(url) != FLAME_URL_TREE || batch->cli->fetch) {
		/* Whether the file has changed is not known: read it again. */
		clock_gettime(CLOCK_REALTIME, &st.st_mtim);
		return batch_add_input(batch, url, &st);
	}
	status = flame_list(flame, url, add_file, &listing);
	if (status == FLAME_OK)
		return !listing.failed;
	if (status == FLAME_END)
		return false;
	/* Reading reports why, and the account has it as one that failed. */
	return flame_clear(flame) == FLAME_OK &&
	       batch_add_input(batch, url, NULL);
}
