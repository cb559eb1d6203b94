/* SPDX-License-Identifier: Apache-2.0 */
/*
 * flame-batch --archive hdfs://... and s3://...: archive.c makes files in a
 * folder of this machine, and batch_store() runs their store's client (hdfs,
 * hadoop or aws) to put them where they belong.  HDFS gets a file under a
 * hidden name, and renames it; S3 shows only whole files.  A run that is there
 * already is left as it is, and reported.
 */
#include "batch/batch.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

bool batch_is_store(const char *archive)
{
	return strncmp(archive, "hdfs://", 7) == 0 || batch_is_s3(archive);
}

/* Is on PATH. */
static bool is_program(const char *name)
{
	const char *path = getenv("PATH");
	char file[4096];

	for (size_t n; path && *path; path += n + (path[n] == ':')) {
		n = strcspn(path, ":");
		snprintf(file, sizeof(file), "%.*s/%s", (int)n, path, name);
		if (access(file, X_OK) == 0)
			return true;
	}
	return false;
}

/*
 * Runs a client; what it prints is in *text, to be freed, and its errors are on
 * standard error.  Its exit status; -1: it was not run, as *text or a message
 * says.
 */
static int run(struct cli *cli, const char *const words[], char **text)
{
	posix_spawn_file_actions_t actions;
	int fds[2], status = -1, error;
	size_t size = 0;
	FILE *to, *from;
	pid_t pid;

	*text = NULL;
	if (pipe2(fds, O_CLOEXEC) != 0) {
		cli_say(cli, "%s: %s", words[0], strerror(errno));
		return -1;
	}
	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
	posix_spawn_file_actions_adddup2(&actions, fds[1], 1);
	error = posix_spawnp(&pid, words[0], &actions, NULL,
			     (char *const *)words, environ);
	posix_spawn_file_actions_destroy(&actions);
	close(fds[1]);
	to = open_memstream(text, &size);
	from = fdopen(fds[0], "r");
	for (int c; from && to && !error && (c = getc(from)) != EOF;)
		putc(c, to);
	if (to)
		fclose(to);
	if (from)
		fclose(from);
	else
		close(fds[0]);
	if (error) {
		cli_say(cli, "%s: %s", words[0], strerror(error));
		return -1;
	}
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/* The same of one that has nothing to print; false, with a message: failed. */
static bool do_it(struct cli *cli, const char *const words[], const char *url)
{
	char *text;
	int status = run(cli, words, &text);

	free(text);
	if (status > 0)
		cli_say(cli, "%s: %s failed (exit status %d)", url, words[0],
			status);
	return status == 0;
}

#define WORDS(...) (const char *[]){ __VA_ARGS__, NULL }

/* The line of a listing that ends in "/NAME"; or NULL. */
static const char *line_of(const char *list, const char *name, size_t *size)
{
	size_t n = strlen(name);

	for (*size = 0; *list; list += *size + (list[*size] == '\n')) {
		*size = strcspn(list, "\n");
		if (*size > n && list[*size - n - 1] == '/' &&
		    strncmp(list + *size - n, name, n) == 0)
			return list;
	}
	return NULL;
}

/*
 * Whether the application has the run, or files that were merged and may have
 * it: neither client can replace several files at once.  Says so.
 */
static enum batch_stored find(struct cli *cli, const char *list,
			      const char *file, const char *url, bool same_key)
{
	size_t size, merged_size;
	const char *line = line_of(list, file, &size);
	const char *merged = line_of(list, BATCH_MERGED, &merged_size);

	if (merged) {
		cli_say(cli, "%s: has merged files, which may have the run: "
			"copy the archive, add to it there, and copy it back",
			url);
		return BATCH_NOT_STORED;
	}
	if (line && !same_key) {
		const char *blank = memrchr(line, ' ', size);

		size -= blank ? (size_t)(blank + 1 - line) : 0;
		cli_say(cli, "%s: is there already, and is left as it is: %.*s",
			url, (int)size, blank ? blank + 1 : line);
	}
	return line && !same_key ? BATCH_IS_THERE : BATCH_STORED;
}

static enum batch_stored put_hdfs(struct cli *cli, const char *local,
				  const char *folder, const char *day,
				  const char *file)
{
	bool hdfs = is_program("hdfs");
	const char *client = hdfs ? "hdfs" : "hadoop";
	const char *fs = hdfs ? "dfs" : "fs";
	char *hidden = batch_join(folder, ".%s~", file);
	char *to = batch_join(folder, "%s", day), *list = NULL;
	char *path = to ? batch_join(to, "%s", file) : NULL;
	enum batch_stored done = BATCH_NOT_STORED;

	if (!hidden || !path) {
		cli_no_memory(cli);
	} else if (do_it(cli, WORDS(client, fs, "-mkdir", "-p", to), to) &&
		   run(cli, WORDS(client, fs, "-ls", "-R", folder),
		       &list) == 0) {
		done = find(cli, list, file, path, false);
		/* A rename never replaces: of two additions one fails. */
		if (done == BATCH_STORED &&
		    (!do_it(cli, WORDS(client, fs, "-put", "-f", local,
				       hidden), path) ||
		     !do_it(cli, WORDS(client, fs, "-mv", hidden, path),
			    path)))
			done = BATCH_NOT_STORED;
	} else if (list) {
		cli_say(cli, "%s: cannot be listed", folder);
	}
	free(list);
	free(hidden);
	free(to);
	free(path);
	return done;
}

static enum batch_stored put_s3(struct cli *cli, const char *local,
				const char *folder, const char *day,
				const char *file)
{
	char *below = batch_join(folder, "%s", ""), *list = NULL;
	char *to = batch_join(folder, "%s", day);
	char *path = to ? batch_join(to, "%s", file) : NULL;
	char *own = batch_join(day, "%s", file);
	enum batch_stored done = BATCH_NOT_STORED;
	size_t size;
	int status;

	if (!below || !path || !own) {
		cli_no_memory(cli);
	} else {
		/* 1: there is nothing. */
		status = run(cli, WORDS("aws", "s3", "ls", "--recursive",
					below), &list);
		if (status == 0 || (status == 1 && list && !*list))
			done = find(cli, list, file, path,
				    line_of(list, own, &size));
		else if (status > 0)
			cli_say(cli, "%s: cannot be listed", folder);
		if (done == BATCH_STORED &&
		    !do_it(cli, WORDS("aws", "s3", "cp", "--only-show-errors",
				      local, path), path))
			done = BATCH_NOT_STORED;
	}
	free(list);
	free(below);
	free(to);
	free(path);
	free(own);
	return done;
}

enum batch_stored batch_store(struct cli *cli, const char *archive,
			      const char *local, const char *app_name,
			      const char *day, const char *file)
{
	size_t n = strlen(archive);
	char *folder = NULL;
	enum batch_stored done;

	while (n && archive[n - 1] == '/')
		n--;
	/* "s3a://b/x" is "s3://b/x" to its client. */
	if (batch_is_s3(archive)) {
		const char *at = strchr(archive, ':');

		if (asprintf(&folder, "s3%.*s/%s", (int)(archive + n - at), at,
			     app_name) < 0)
			folder = NULL;
	} else if (asprintf(&folder, "%.*s/%s", (int)n, archive,
			    app_name) < 0) {
		folder = NULL;
	}
	if (!folder) {
		cli_no_memory(cli);
		return BATCH_NOT_STORED;
	}
	done = batch_is_s3(archive) ?
	       put_s3(cli, local, folder, day, file) :
	       put_hdfs(cli, local, folder, day, file);
	free(folder);
	return done;
}
