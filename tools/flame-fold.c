/* SPDX-License-Identifier: Apache-2.0 */
/*
 * flame-fold: any profiles in, merged folded stacks out.  It also accepts
 * options of the scripts that it replaces, such as stackcollapse-perf.pl.
 * --header and --key are for parts that are added up later.  --every is in
 * fold_every.c.
 */
#include "fold.h"

#include <stdlib.h>
#include <string.h>

static const struct cli_option options[] = {
	{ 0, "all", NULL, "perf: as --kernel --jit", .kind = CLI_TAKE },
	{ 0, "compat", "perl|inferno", "name and weigh as those tools do",
	  .kind = CLI_TAKE },
	{ 0, "context", NULL,
	  "perf: as --srcline; with --inline, of all frames",
	  CLI_ASK, .as = "srcline" },
	{ 0, "event-filter", "NAME", "as --event", CLI_TEXT, CLI_AT(event) },
	{ 0, "every", "TIME", "read a dump of a URL, or of a command, in turns",
	  .kind = CLI_TAKE },
	{ 0, "for", "TIME", "end --every after this time; else at a signal",
	  .kind = CLI_TAKE },
	{ 0, "header", NULL, "begin with a line that names the metric",
	  CLI_FLAG, CLI_AT(header) },
	{ 0, "key", "KEY[=RE][,KEY...]", "begin lines with columns of labels",
	  CLI_TEXT, CLI_AT(key) },
	{ .name = NULL }
};

static bool take_compat(struct cli *cli, const char *value)
{
	struct own *own = cli->own;

	own->like_a_peer = cli->raw_names = cli->mangled = true;
	if (strcmp(value, "perl") == 0 || strcmp(value, "inferno") == 0)
		return cli_ask(cli, "peer", value);
	cli_say(cli, "--compat %s: perl or inferno", value);
	return false;
}

static bool set_option(struct cli *cli, const char *name, const char *value)
{
	if (strcmp(name, "compat") == 0)
		return take_compat(cli, value);
	if (strcmp(name, "every") == 0 || strcmp(name, "for") == 0)
		return fold_take_time(cli, name, value);
	return cli_ask(cli, "kernel", NULL) && cli_ask(cli, "jit", NULL);
}

/* The names of "app,stage=RE"; to be freed. */
static char *names_of(const char *key)
{
	return strndup(key, strcspn(key, "="));
}

static bool has_metric(const char *names)
{
	size_t n;

	for (;; names += n + 1) {
		n = strcspn(names, ",");
		if (n == strlen("metric") && strncmp(names, "metric", n) == 0)
			return true;
		if (!names[n])
			return false;
	}
}

/*
 * Parts that will be added up need one metric, whatever the inputs hold: that
 * of --event, or cpu, unless the metric is a column.
 */
static bool resolve_parts(struct cli *cli)
{
	const struct own *own = cli->own;
	const char *format = cli->output_format;
	char *names;
	bool good;

	if (!own->header && !own->key)
		return true;
	if (!format && cli->output)
		format = flame_format_of(cli->output);
	if (format && !(flame_format_facts(format) & FLAME_ADDS_UP)) {
		cli_say(cli, "--%s: of folded stacks alone, not of %s",
			own->key ? "key" : "header", format);
		return false;
	}
	cli->parts = cli->empty_ok = true;
	if (own->header && !cli_set(cli, "header", NULL))
		return false;
	if (!own->key)
		return true;
	names = names_of(own->key);
	if (!names)
		return cli_no_memory(cli);
	cli->all_metrics = has_metric(names) && !cli->event;
	good = cli_set(cli, "key", names) &&
	       cli_filter(cli, "key", own->key);
	free(names);
	return good;
}

/* A peer's event is not the name of a metric: the reader knows it. */
static bool check_options(struct cli *cli)
{
	struct own *own = cli->own;

	if (!resolve_parts(cli) || !fold_check_every(cli))
		return false;
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
	.set_option = set_option,
	.check_options = check_options,
};

CLI_MAIN(flame_fold_main)
{
	struct own own = { 0 };

	return cli_main(&tool, &own, argc, argv);
}
