/* SPDX-License-Identifier: Apache-2.0 */
/*
 * flame-fold: any profiles in, merged folded stacks out.  Also under the
 * options of the scripts that it replaces.
 */
#include "cli.h"

#include <string.h>

struct own {
	bool like_a_peer;
	const char *event;
};

static const struct cli_option options[] = {
	{ 0, "all", NULL, "perf: as --kernel --jit", .kind = CLI_TAKE },
	{ 0, "compat", "perl|inferno", "name and weigh as those tools do",
	  .kind = CLI_TAKE },
	{ 0, "context", NULL,
	  "perf: as --srcline; with --inline, of all frames",
	  CLI_ASK, .as = "srcline" },
	{ 0, "event-filter", "NAME", "as --event", CLI_TEXT, CLI_AT(event) },
	{ .name = NULL }
};

static bool take_compat(struct cli *cli, const char *value)
{
	struct own *own = cli->own;

	own->like_a_peer = cli->raw_names = true;
	if (strcmp(value, "perl") == 0 || strcmp(value, "inferno") == 0)
		return cli_ask(cli, "peer", value);
	cli_say(cli, "--compat %s: perl or inferno", value);
	return false;
}

static bool take(struct cli *cli, const char *name, const char *value)
{
	if (strcmp(name, "compat") == 0)
		return take_compat(cli, value);
	return cli_ask(cli, "kernel", NULL) && cli_ask(cli, "jit", NULL);
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
	.examples = "  flame-fold --event alloc executor-*.jfr > alloc.folded\n"
		    "  perf script | flame-fold --threads > cpu.folded\n",
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
