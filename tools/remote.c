/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Inputs that are not files of this machine: commands of --fetch run before
 * their turn, and folders of WebHDFS become their files.
 */
#include "cli.h"

#include <stdlib.h>
#include <string.h>

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
