/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Inputs of flame-batch that are URLs.  A folder of WebHDFS is listed to the
 * bottom, one request for each folder; its files have sizes and times, so that
 * what an earlier run has drawn is not read again.
 */
#include "batch.h"

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

bool batch_is_url(const char *path)
{
	return batch_is_hdfs(path) || begins(path, "http://") ||
	       begins(path, "https://");
}

/* "URL/", of which the library reads the listing. */
static char *with_slash(const char *url, const char *name)
{
	size_t n = strlen(url);
	char *path;

	while (n && url[n - 1] == '/')
		n--;
	return asprintf(&path, "%.*s/%s", (int)n, url, name) < 0 ? NULL : path;
}

/* All lines; NULL: it failed, or out of memory. */
static char *read_text(struct flame_lines *lines, size_t *size)
{
	char *text = NULL;
	FILE *out = open_memstream(&text, size);
	const char *line;
	size_t n;
	int status;

	if (!out)
		return NULL;
	while ((status = flame_lines_next(lines, &line, &n)) == FLAME_OK) {
		fwrite(line, 1, n, out);
		putc('\n', out);
	}
	if (fclose(out) == 0 && status == FLAME_END)
		return text;
	free(text);
	return NULL;
}

/* NULL: the message is out. */
static cJSON *read_json(struct flame *flame, const struct cli *cli,
			const char *url)
{
	struct flame_lines *lines = flame_lines_open(flame, url);
	size_t size = 0;
	char *text = lines ? read_text(lines, &size) : NULL;
	cJSON *json = text ? cJSON_ParseWithLength(text, size) : NULL;

	if (text && !json)
		cli_say(cli, "%s: no listing of WebHDFS", url);
	free(text);
	flame_lines_close(lines);
	if (flame_error(flame)[0])
		cli_pass_over(cli, flame);
	return json;
}

static bool add_file(struct batch *batch, const char *url, const cJSON *status)
{
	struct stat st = {
		.st_size = (off_t)batch_number(status, "length"),
	};
	long long ms = (long long)batch_number(status, "modificationTime");

	st.st_mtim.tv_sec = ms / 1000;
	st.st_mtim.tv_nsec = ms % 1000 * 1000000;
	return batch_add_input(batch, url, &st);
}

/* Folders that are still to be listed. */
struct folders {
	char **urls;
	size_t n, capacity;
};

/* Takes the URL over. */
static bool add_folder(struct folders *folders, char *url)
{
	char **more;

	if (!url)
		return false;
	if (folders->n == folders->capacity) {
		size_t capacity = folders->capacity * 2 + 16;

		more = reallocarray(folders->urls, capacity, sizeof(*more));
		if (!more) {
			free(url);
			return false;
		}
		folders->urls = more;
		folders->capacity = capacity;
	}
	folders->urls[folders->n++] = url;
	return true;
}

static bool add_status(struct batch *batch, struct folders *folders,
		       const char *url, const cJSON *status)
{
	const char *name = batch_text(status, "pathSuffix");
	bool is_folder = strcmp(batch_text(status, "type"), "DIRECTORY") == 0;
	char *path;
	bool good;

	/* Checksums, _SUCCESS, _temporary. */
	if (*name == '.' || *name == '_' ||
	    strcmp(batch_text(status, "type"), "SYMLINK") == 0)
		return true;
	/* The listing of a file has only the file, without a name. */
	path = with_slash(url, name);
	if (path && !*name)
		path[strlen(path) - 1] = '\0';
	if (is_folder)
		return add_folder(folders, path) || cli_no_memory(batch->cli);
	good = path ? add_file(batch, path, status) : cli_no_memory(batch->cli);
	free(path);
	return good;
}

static bool list(struct batch *batch, struct flame *flame,
		 struct folders *folders, const char *url)
{
	char *folder = with_slash(url, "");
	cJSON *json = folder ? read_json(flame, batch->cli, folder) : NULL;
	const cJSON *all = cJSON_GetObjectItemCaseSensitive(
		cJSON_GetObjectItemCaseSensitive(json, "FileStatuses"),
		"FileStatus");
	const cJSON *status;
	bool good = folder || cli_no_memory(batch->cli);

	free(folder);
	/* It is in the account as one that failed. */
	if (good && !json)
		return batch_add_input(batch, url, NULL);
	cJSON_ArrayForEach(status, all)
		good = good && add_status(batch, folders, url, status);
	cJSON_Delete(json);
	return good;
}

bool batch_add_url(struct batch *batch, struct flame *flame, const char *url)
{
	struct folders folders = { 0 };
	struct stat st = { 0 };
	bool good;

	if (!batch_is_hdfs(url) || batch->cli->fetch) {
		/* Whether the file has changed is not known: read it again. */
		clock_gettime(CLOCK_REALTIME, &st.st_mtim);
		return batch_add_input(batch, url, &st);
	}
	good = add_folder(&folders, strdup(url)) || cli_no_memory(batch->cli);
	while (good && folders.n) {
		char *next = folders.urls[--folders.n];

		good = list(batch, flame, &folders, next);
		free(next);
	}
	while (folders.n)
		free(folders.urls[--folders.n]);
	free(folders.urls);
	return good;
}
