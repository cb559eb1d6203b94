/* SPDX-License-Identifier: Apache-2.0 */
/*
 * flame-fold: any profiles in, merged folded stacks out.  Also under the
 * options of the scripts that it replaces.
 */
#include "cli.h"

#include <string.h>

static const struct cli_option options[] = {
	{ 0, "all", NULL, "perf: as --kernel --jit" },
	{ 0, "compat", "perl|inferno", "name and weigh as those tools do" },
	{ 0, "context", NULL, "perf: as --srcline; with --inline, of all frames" },
	{ 0, "event-filter", "NAME", "as --event" },
	{ 0, NULL, NULL, NULL }
};

struct own {
	bool like_a_peer;
	const char *event;
};

static bool take_compat(struct cli *cli, const char *value)
{
	struct own *own = cli->own;

	own->like_a_peer = true;
	if (strcmp(value, "perl") == 0 || strcmp(value, "inferno") == 0)
		return cli_ask(cli, "peer", value);
	cli_say(cli, "--compat %s: perl or inferno", value);
	return false;
}

static bool take(struct cli *cli, const char *name, const char *value)
{
	if (strcmp(name, "compat") == 0)
		return take_compat(cli, value);
	if (strcmp(name, "all") == 0)
		return cli_ask(cli, "kernel", NULL) &&
		       cli_ask(cli, "jit", NULL);
	if (strcmp(name, "context") == 0)
		return cli_ask(cli, "srcline", NULL);
	((struct own *)cli->own)->event = value;
	return true;
}

/* A peer's event is not the name of a metric: the reader knows it. */
static bool settle(struct cli *cli)
{
	struct own *own = cli->own;

	if (!own->event)
		return true;
	if (!own->like_a_peer)
		cli->event = own->event;
	return cli_ask(cli, "event", own->event);
}

static const struct cli_tool tool = {
	.name = "flame-fold",
	.usage = "[options] [FILE...]",
	.about = "Any profiles in, merged folded stacks out.",
	.format = "folded",
	.rows = "sdfwioc",
	.options = options,
	.take = take,
	.settle = settle,
};

int main(int argc, char **argv)
{
	struct own own = { 0 };

	return cli_main(&tool, &own, argc, argv);
}
