/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Inputs that are not files of this machine.  cli_fetch_ahead() starts the
 * commands of --fetch for the next inputs, while one is read;
 * cli_expand_folders() replaces folders of HDFS and S3 by their files in
 * cli->inputs.  Called by cli.c.
 */
#include "cli/cli.h"

#include <stdlib.h>
#include <string.h>

bool cli_take_fetch(struct cli *cli, const char *value)
{
	cli->fetch = flame_process_fetch(NULL, value) == FLAME_OK;
	if (!cli->fetch)
		cli_say(cli, "--fetch %s: a command in which {} is the path, "
			"as 'hdfs dfs -cat {}'", value);
	return cli->fetch;
}

void cli_fetch_ahead(struct cli *cli, struct flame *flame, char **inputs,
		     size_t n, size_t i)
{
	for (; cli->fetched < n && cli->fetched < i + cli->threads;
	     cli->fetched++)
		flame_fetch_early(flame, inputs[cli->fetched]);
}

/* Folders -------------------------------------------------------------- */

/* A bucket alone is one, too. */
static bool is_folder(const char *path)
{
	const char *at = strstr(path, "://");

	return flame_url(path) == FLAME_URL_TREE &&
	       (path[strlen(path) - 1] == '/' || (at && !strchr(at + 3, '/')));
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

/*
 * A folder that cannot be listed remains: opening it will report the error.
 * false: its listing does not end, or there is no file in it.
 */
static bool add_files(struct cli *cli, struct flame *flame, char *folder)
{
	size_t before = cli->ninputs;
	int status = flame_list(flame, folder, add, cli);

	if (status == FLAME_FAILED) {
		add(cli, folder, 0, 0);
		return true;
	}
	/* A listed file may vanish before it is read: pass over it. */
	cli->listed = true;
	if (status == FLAME_END)
		cli_say(cli, "%s", flame_error(flame));
	else if (cli->ninputs == before && !cli->refused)
		cli_say(cli, "there is no file in %s", folder);
	return cli->ninputs > before;
}

bool cli_expand_folders(struct cli *cli, struct flame *flame)
{
	char **inputs = cli->inputs;
	size_t n = cli->ninputs, before = cli->nbefore;

	cli->inputs = NULL;
	cli->ninputs = cli->nheld = cli->inputs_capacity = 0;
	if (cli->diff && !before && n == 2)
		before = 1;
	for (size_t i = 0; i < n; i++) {
		if (i && i == before)
			cli->nbefore = cli->ninputs;
		if (!is_folder(inputs[i]))
			add(cli, inputs[i], 0, 0);
		else if (!add_files(cli, flame, inputs[i]))
			cli->refused = true;
		free(inputs[i]);
	}
	free(inputs);
	return !cli->refused;
}
