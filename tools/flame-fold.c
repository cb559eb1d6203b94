/* SPDX-License-Identifier: Apache-2.0 */
/*
 * flame-fold: any profiles in, merged folded stacks out.  Also under the
 * options of the scripts that it replaces.
 */
#include "cli.h"

#include <string.h>

static const struct cli_option options[] = {
	{ 0, "addrs", NULL, "perf: addresses where no name is known" },
	{ 0, "all", NULL, "perf: as --kernel --jit" },
	{ 0, "compat", "perl|inferno", "name and weigh as those tools do" },
	{ 0, "context", NULL, "perf: as --srcline; with --inline, of all frames" },
	{ 0, "event-filter", "NAME", "as --event" },
	{ 0, "includeoffset", NULL, "dtrace: keep offsets in functions" },
	{ 0, "inline", NULL, "perf: frames of inlined functions, too" },
	{ 0, "jit", NULL, "perf: mark compiled code (only --compat needs it)" },
	{ 0, "kernel", NULL, "perf: mark the kernel's (only --compat needs it)" },
	{ 0, "no-modules", NULL, "with --compat: no modules in names" },
	{ 0, "pid", NULL, "perf: COMM-PID at the root" },
	{ 0, "skip-after", "NAME", "perf: leave out what called this function" },
	{ 0, "srcline", NULL, "perf: append :FILE:LINE where it is printed" },
	{ 0, "tid", NULL, "perf: COMM-PID/TID at the root" },
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
	if (strcmp(value, "perl") == 0)
		return cli_ask(cli, "perf-like-perl", NULL);
	if (strcmp(value, "inferno") == 0)
		return cli_ask(cli, "perf-like-inferno", NULL);
	cli_say(cli, "--compat %s: perl or inferno", value);
	return false;
}

static bool take(struct cli *cli, const char *name, const char *value)
{
	static const struct { const char *option, *ask; } asks[] = {
		{ "addrs", "perf-addrs" }, { "all", "perf-kernel" },
		{ "all", "perf-jit" }, { "context", "perf-srcline" },
		{ "includeoffset", "offsets" }, { "inline", "perf-inline" },
		{ "jit", "perf-jit" }, { "kernel", "perf-kernel" },
		{ "no-modules", "no-modules" }, { "pid", "perf-pid" },
		{ "srcline", "perf-srcline" }, { "tid", "perf-tid" },
	};

	if (strcmp(name, "compat") == 0)
		return take_compat(cli, value);
	if (strcmp(name, "skip-after") == 0)
		return cli_ask(cli, "perf-skip-after", value);
	if (strcmp(name, "event-filter") == 0)
		((struct own *)cli->own)->event = value;
	for (size_t i = 0; i < sizeof(asks) / sizeof(asks[0]); i++)
		if (strcmp(name, asks[i].option) == 0 &&
		    !cli_ask(cli, asks[i].ask, NULL))
			return false;
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
	.options = options,
	.take = take,
	.settle = settle,
};

int main(int argc, char **argv)
{
	struct own own = { 0 };

	return cli_main(&tool, &own, argc, argv);
}
