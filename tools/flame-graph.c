/* SPDX-License-Identifier: Apache-2.0 */
/*
 * flame-graph: any profiles to a flame graph, as SVG or HTML.  It also accepts
 * the options of flamegraph.pl and inferno-flamegraph, so that their command
 * lines work with only the name replaced; options without a meaning here are
 * reported.
 */
#include "cli/cli.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct cli_option options[] = {
	{ 0, "base", "NAME", "begin stacks at this function",
	  .kind = CLI_TAKE },
	{ 0, "color", "NAME", "the same as --colors",
	  CLI_SET, .as = "colors", .rare = true },
	{ 0, "colordiffusion", NULL, "of the peers; reported, without effect",
	  .kind = CLI_TAKE, .rare = true },
	{ 0, "compat", "perl|inferno", "merge and colour as those do",
	  .kind = CLI_TAKE },
	{ 0, "cp", NULL, "SVG: colours from palette.map, and new ones to it",
	  .kind = CLI_TAKE, .rare = true },
	{ 0, "deterministic", NULL, "classic colours: as inferno's",
	  .kind = CLI_TAKE, .rare = true },
	{ 0, "encoding", "NAME", "of the peers; it is always UTF-8",
	  .kind = CLI_TAKE, .rare = true },
	{ 0, "fontwidth", "F", "of the peers; reported, without effect",
	  .kind = CLI_TAKE, .rare = true },
	{ 0, "hash", NULL, "classic colours: by ends of names",
	  .kind = CLI_TAKE, .rare = true },
	{ 0, "no-sort", NULL, "of the peers; reported, without effect",
	  .kind = CLI_TAKE, .rare = true },
	{ 0, "pretty-xml", NULL, "of the peers; reported, without effect",
	  .kind = CLI_TAKE, .rare = true },
	{ 0, "random", NULL, "classic colours: by chance", .kind = CLI_TAKE, .rare = true },
	{ 0, "total", "[=N]", "weigh by values; with N, width of all",
	  .kind = CLI_TAKE },
	{ 0, "truncate-text-right", NULL, "of the peers; it is so already",
	  .kind = CLI_TAKE, .rare = true },
	{ .name = NULL }
};

/* Options of the peers without effect; a remark says why. */
static const struct remark {
	const char *name, *why;
} remarks[] = {
	{ "colordiffusion", "colours say what a frame is, not how wide" },
	{ "encoding", "what is written is always UTF-8" },
	{ "fontwidth", "the widths of letters are known" },
	{ "no-sort", "frames of one name are merged wherever they stand" },
	{ "pretty-xml", "not done, it would only make the file larger" },
	{ "truncate-text-right", "labels end in what is cut already" },
};

enum { NREMARKS = sizeof(remarks) / sizeof(remarks[0]) };

struct own {
	bool seen[NREMARKS];
};

/* A regular expression that matches this name only. */
static bool take_base(struct cli *cli, const char *name)
{
	char *pattern = malloc(2 * strlen(name) + 3), *to = pattern;
	bool good;

	if (!pattern)
		return false;
	*to++ = '^';
	for (; *name; name++) {
		if (strchr("\\^$.[]|()?*+{}#&-~", *name))
			*to++ = '\\';
		*to++ = *name;
	}
	*to++ = '$';
	*to = '\0';
	good = cli_filter(cli, "root-innermost", pattern);
	free(pattern);
	return good;
}

static bool take_compat(struct cli *cli, const char *peer)
{
	cli->raw_names = cli->mangled = true;
	if (strcmp(peer, "perl") != 0 && strcmp(peer, "inferno") != 0) {
		cli_say(cli, "--compat %s: perl or inferno", peer);
		return false;
	}
	return cli_set(cli, "peer", peer) && cli_ask(cli, "peer", peer);
}

static bool set_option(struct cli *cli, const char *name, const char *value)
{
	struct own *own = cli->own;

	for (int i = 0; i < NREMARKS; i++)
		if (strcmp(name, remarks[i].name) == 0)
			return own->seen[i] = true;
	if (strcmp(name, "base") == 0)
		return take_base(cli, value);
	if (strcmp(name, "compat") == 0)
		return take_compat(cli, value);
	if (strcmp(name, "total") == 0)
		return value ? cli_set(cli, "whole", value) :
			       cli_ask(cli, "total", NULL);
	if (strcmp(name, "cp") == 0)
		return cli_set(cli, name, "palette.map");
	/* hash, deterministic, random */
	return cli_set(cli, "color-by", name);
}

/* As flamegraph.pl: folded stacks with two counts are a comparison. */
static bool ask_both(struct cli *cli, const char *format, bool chart)
{
	if (chart || (format && !(flame_format_facts(format) & FLAME_DRAWN)))
		return true;
	return cli_ask(cli, "compare", NULL);
}

/* A tower for each thread, with its name at the root. */
static bool name_threads(struct cli *cli)
{
	return cli_find(&cli->filters, "threads") ||
	       cli_filter(cli, "threads", NULL);
}

/* What the library knows by other names. */
static void say_ignored(const struct cli *cli)
{
	for (size_t i = 0; i < cli->sets.n && !cli->quiet; i++) {
		const char *name = cli->sets.at[i].name;

		if (strcmp(name, "cp") == 0 || strcmp(name, "whole") == 0)
			cli_say(cli, "--%s is ignored: only a picture (svg) "
				"uses it", *name == 'w' ? "total=N" : name);
	}
}

static bool check_options(struct cli *cli)
{
	const struct own *own = cli->own;
	const char *format = cli->output_format;
	bool chart = cli_find(&cli->sets, "flamechart");

	if (!format && cli->output)
		format = flame_format_of(cli->output);
	for (int i = 0; i < NREMARKS && !cli->quiet; i++)
		if (own->seen[i])
			cli_say(cli, "--%s: %s", remarks[i].name,
				remarks[i].why);
	if (format && strcmp(format, "svg") != 0)
		say_ignored(cli);
	if (chart && !name_threads(cli))
		return false;
	return ask_both(cli, format, chart);
}

static const struct cli_tool tool = {
	.name = "flame-graph",
	.usage = "[options] [FILE...]",
	.about = "Any profiles to one flame graph, as SVG or as an HTML page.",
	.examples = "  perf script | flame-graph > cpu.svg\n"
		    "  flame-graph --events all --title \"Nightly run\" -o run.html *.jfr\n",
	.format = "svg",
	.rows = "sfwpioc",
	.options = options,
	.set_option = set_option,
	.check_options = check_options,
};

CLI_MAIN(flame_graph_main)
{
	struct own own = { 0 };

	return cli_main(&tool, &own, argc, argv);
}
