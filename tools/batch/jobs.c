/* SPDX-License-Identifier: Apache-2.0 */
/*
 * batch_find_jobs() finds event logs of Spark among the operands of
 * flame-batch, and folders of a job, with events/ and profiles/ in it.  It
 * removes the logs from the inputs and uses them as if --spark-events had named
 * them; of a job's folder, profiles/ stays an input.  Called by flame-batch.c
 * before options are checked.
 */
#include "batch/batch.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static bool is_folder(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

/* To be freed; NULL: there is no such folder, or no memory. */
static char *folder_in(const char *path, const char *name)
{
	char *folder = NULL;

	if (asprintf(&folder, "%s/%s", path, name) < 0)
		return NULL;
	if (is_folder(folder))
		return folder;
	free(folder);
	return NULL;
}

static bool is_rolling_log(const char *path)
{
	const char *name = path + strlen(path);

	while (name > path && name[-1] == '/')
		name--;
	while (name > path && name[-1] != '/')
		name--;
	return strncmp(name, "eventlog_v2_", strlen("eventlog_v2_")) == 0 &&
	       is_folder(path);
}

/* By its beginning, as a reader sees it, packed or not. */
static bool is_log(const char *path)
{
	const char *ending = strrchr(path, '.');
	struct flame *flame;
	struct flame_source *source;
	struct stat st;
	bool found = false;

	if (ending && strcmp(ending, ".jfr") == 0)
		return false;
	flame = flame_new();
	if (flame && stat(path, &st) == 0 && S_ISREG(st.st_mode)) {
		source = flame_open(flame, path, NULL);
		found = strstr(flame_error(flame), "an event log of Spark");
		flame_close(source);
	}
	flame_free(flame);
	return found;
}

static bool use(struct cli *cli, const char *log)
{
	if (!cli->quiet)
		cli_say(cli, "%s: used as --spark-events", log);
	return cli_filter(cli, "spark-events", log);
}

/* *input: NULL once it is a log. */
static bool find_log(struct cli *cli, char **input)
{
	const char *path = flame_local_path(*input);
	char *events = folder_in(path, "events");
	char *profiles = events ? folder_in(path, "profiles") : NULL;
	bool good = true;

	if (profiles) {
		good = use(cli, events);
		free(*input);
		*input = profiles;
	} else if (is_rolling_log(path) || is_log(path)) {
		good = use(cli, path);
		free(*input);
		*input = NULL;
	}
	free(events);
	return good;
}

bool batch_find_jobs(struct cli *cli)
{
	size_t n = 0;
	bool good = true;

	for (size_t i = 0; i < cli->ninputs; i++) {
		if (good && !flame_url(cli->inputs[i]))
			good = find_log(cli, &cli->inputs[i]);
		if (cli->inputs[i])
			cli->inputs[n++] = cli->inputs[i];
	}
	cli->ninputs = cli->nheld = n;
	return good;
}
