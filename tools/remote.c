/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Inputs that are not files of this machine: commands of --fetch run before
 * their turn, and folders of WebHDFS and S3 become their files.
 */
#include "cli.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

bool cli_take_fetch(struct cli *cli, const char *value)
{
	cli->fetch = flame_fetch(NULL, value) == FLAME_OK;
	if (!cli->fetch)
		cli_say(cli, "--fetch %s: a command in which {} is the path, "
			"as 'hdfs dfs -cat {}'", value);
	return cli->fetch;
}

void cli_prepare(struct cli *cli, struct flame *flame, char **inputs, size_t n,
		 size_t i)
{
	for (; cli->fetch && cli->prepared < n &&
	       cli->prepared < i + cli->threads; cli->prepared++)
		flame_fetch_early(flame, inputs[cli->prepared]);
}

/* Folders -------------------------------------------------------------- */

static bool begins(const char *path, const char *with)
{
	return strncasecmp(path, with, strlen(with)) == 0;
}

static bool is_folder(const char *path)
{
	bool s3 = begins(path, "s3://") || begins(path, "s3a://");

	if (!s3 && !begins(path, "webhdfs://") && !begins(path, "swebhdfs://"))
		return false;
	/* A bucket is one, too. */
	return path[strlen(path) - 1] == '/' ||
	       (s3 && !strchr(strstr(path, "://") + 3, '/'));
}

static void add(void *arg, const char *path, uint64_t size, int64_t mtime)
{
	struct cli *cli = arg;

	(void)size;
	(void)mtime;
	cli->refused = cli->refused || !cli_input(cli, path);
}

bool cli_has_folders(const struct cli *cli)
{
	for (size_t i = 0; i < cli->ninputs && !cli->fetch; i++)
		if (is_folder(cli->inputs[i]))
			return true;
	return false;
}

/* Keep a folder that cannot be listed: opening it will report the error. */
bool cli_list_folders(struct cli *cli, struct flame *flame)
{
	char **inputs = cli->inputs;
	size_t n = cli->ninputs, before = cli->nbefore;

	cli->inputs = NULL;
	cli->ninputs = cli->nheld = cli->inputs_capacity = 0;
	for (size_t i = 0; i < n; i++) {
		if (i && i == before)
			cli->nbefore = cli->ninputs;
		/* Files may go while others are read: as those of a list. */
		if (is_folder(inputs[i]) &&
		    flame_list(flame, inputs[i], add, cli) == FLAME_OK)
			cli->listed = true;
		else
			add(cli, inputs[i], 0, 0);
		flame_clear(flame);
		free(inputs[i]);
	}
	free(inputs);
	return !cli->refused;
}
