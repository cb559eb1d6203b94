/* SPDX-License-Identifier: Apache-2.0 */
/*
 * flame-top: any profiles in; out comes a table of the heaviest frames, of the
 * callers or callees of some of them, or all stacks as an indented tree.  The
 * options are here; top_frames.c makes the rows from the merged tree.
 */
#include "top.h"

#include <float.h>
#include <stdlib.h>
#include <string.h>

enum { MIN_BUDGET = 1024 };

static const struct cli_option options[] = {
	{ 0, "budget", "SIZE", "-f json: leave out more, to be no longer (8k)",
	  .kind = CLI_TAKE },
	{ 0, "callees", "RE", "whom do frames that match call",
	  .kind = CLI_TAKE },
	{ 0, "callers", "RE", "who calls frames that match", .kind = CLI_TAKE },
	{ 0, "events", "NAME[,...]|all", "--key: a column for each metric",
	  CLI_TEXT, CLI_AT(events) },
	{ 'f', "format", "text|tsv|csv|json|markdown", "write this format",
	  .kind = CLI_TAKE },
	{ 0, "key", "KEY[=RE][,KEY...]", "a row for each value of labels",
	  CLI_TEXT, CLI_AT(key) },
	{ 0, "min", "N|P%", "leave out what is lighter (--tree: 1%)",
	  .kind = CLI_TAKE },
	{ 0, "no-fold-trunk", NULL, "--sort total: frames that only lead on, too",
	  CLI_FLAG, CLI_AT(no_fold_trunk) },
	{ 'N', "rows", "N", "at most N rows (30; 0: all)", .kind = CLI_TAKE },
	{ 0, "sort", "self|total", "what to go by (self)", .kind = CLI_TAKE },
	{ 0, "tree", NULL, "an indented tree of calls",
	  CLI_FLAG, CLI_AT(tree) },
	{ .name = NULL }
};

/* Options ----------------------------------------------------------------- */

static bool take_format(struct cli *cli, const char *value)
{
	struct own *own = cli->own;

	own->format_given = true;
	cli->output_format = value;
	if (top_format(value, &own->format))
		return true;
	cli_say(cli, "-f %s: text, tsv, csv, json or markdown", value);
	return false;
}

static bool take_budget(struct cli *cli, const char *value)
{
	struct own *own = cli->own;

	if (flame_parse_size(value, &own->budget) && own->budget >= MIN_BUDGET)
		return true;
	cli_say(cli, "--budget %s: a size (8k) of 1k or more", value);
	return false;
}

static bool take_min(struct cli *cli, const char *value)
{
	struct own *own = cli->own;
	char *end;

	own->min = strtod(value, &end);
	own->percent = end != value && *end == '%';
	own->min_given = true;
	if (end != value && !end[own->percent] && own->min >= 0 &&
	    own->min <= DBL_MAX)
		return true;
	cli_say(cli, "--min: %s: not a weight (100) or a percentage (0.5%%)",
		value);
	return false;
}

static bool take_rows(struct cli *cli, const char *value)
{
	struct own *own = cli->own;
	char *end;

	own->rows = strtol(value, &end, 10);
	if (end != value && !*end && own->rows >= 0)
		return true;
	cli_say(cli, "--rows %s: a number", value);
	return false;
}

static bool take_re(struct cli *cli, enum flame_ranking which,
		    const char *value)
{
	struct own *own = cli->own;

	if (own->re) {
		cli_say(cli, "--callers and --callees: one of them, once");
		return false;
	}
	own->which = which;
	own->re = value;
	return true;
}

static bool take_sort(struct cli *cli, const char *value)
{
	struct own *own = cli->own;

	own->sort_given = true;
	own->by_total = strcmp(value, "total") == 0;
	if (own->by_total || strcmp(value, "self") == 0)
		return true;
	cli_say(cli, "--sort %s: self or total", value);
	return false;
}

static bool set_option(struct cli *cli, const char *name, const char *value)
{
	if (strcmp(name, "budget") == 0)
		return take_budget(cli, value);
	if (strcmp(name, "format") == 0)
		return take_format(cli, value);
	if (strcmp(name, "min") == 0)
		return take_min(cli, value);
	if (strcmp(name, "rows") == 0)
		return take_rows(cli, value);
	if (strcmp(name, "sort") == 0)
		return take_sort(cli, value);
	if (strcmp(name, "callers") == 0)
		return take_re(cli, FLAME_CALLERS, value);
	return take_re(cli, FLAME_CALLEES, value);
}

static bool ends_in(const char *path, const char *end)
{
	size_t n = strlen(path), m = strlen(end);

	return n > m && strcmp(path + n - m, end) == 0;
}

static bool check_key(struct cli *cli)
{
	struct own *own = cli->own;
	unsigned keys = 1;

	if (own->key && (own->tree || own->re || own->sort_given)) {
		cli_say(cli, "--key: a table by labels has no --tree, "
			"--callers, --callees or --sort");
		return false;
	}
	for (const char *at = own->key; at && *at && *at != '='; at++)
		keys += *at == ',';
	if (keys > TOP_MAX_KEYS) {
		cli_say(cli, "--key %s: at most %d keys", own->key,
			TOP_MAX_KEYS);
		return false;
	}
	return !own->key || cli_filter(cli, "key", own->key);
}

static bool check_events(struct cli *cli)
{
	const struct own *own = cli->own;

	if (!own->events)
		return true;
	if (own->key)
		return cli_set(cli, "events", own->events);
	cli_say(cli, "--events %s: columns of the table of --key; one metric "
		"for other tables: --event", own->events);
	return false;
}

static bool check_budget(struct cli *cli)
{
	const struct own *own = cli->own;

	if (!own->budget || own->format == TOP_JSON)
		return true;
	cli_say(cli, "--budget: limits JSON: -f json");
	return false;
}

/* By the output's name. */
static enum top_format named_format(const char *output)
{
	return ends_in(output, ".json") ? TOP_JSON :
	       ends_in(output, ".tsv") ? TOP_TSV :
	       ends_in(output, ".csv") ? TOP_CSV : TOP_TEXT;
}

static bool check_options(struct cli *cli)
{
	struct own *own = cli->own;

	cli->own_output = true;
	cli->bills = !own->key && !own->tree && !own->re;
	if (!own->format_given && cli->output)
		own->format = named_format(cli->output);
	if (own->re && !own->sort_given)
		own->by_total = true;
	if (own->rows < 0)
		own->rows = own->tree ? 0 : 30;
	if (own->tree && !own->min_given && !own->budget) {
		own->min = 1;
		own->percent = true;
	}
	if (own->no_fold_trunk && !cli->quiet &&
	    (!own->by_total || own->re || own->tree || own->format != TOP_TEXT))
		cli_say(cli, "--no-fold-trunk is ignored: only the table of "
			"--sort total leaves frames out");
	if (!check_key(cli) || !check_events(cli) || !check_budget(cli))
		return false;
	/* For a tree, filters leave the stacks below or above the match. */
	if (own->tree && own->which == FLAME_CALLEES)
		return cli_filter(cli, "root-innermost", own->re);
	if (own->tree && own->which == FLAME_CALLERS)
		return cli_filter(cli, "keep", own->re) &&
		       cli_filter(cli, "cut", own->re) &&
		       cli_filter(cli, "reverse", NULL);
	return true;
}

static const struct cli_tool tool = {
	.name = "flame-top",
	.usage = "[options] [FILE...]",
	.about = "The heaviest frames of any profiles, their callers and "
		 "callees.",
	.examples = "  flame-top -N 10 app.jfr\n"
		    "  flame-top --event alloc --callers HashMap.resize app.jfr\n",
	.format = "text",
	.options = options,
	.set_option = set_option,
	.check_options = check_options,
	.rows = "sfi",
	.gathered = top_write_frames,
};

CLI_MAIN(flame_top_main)
{
	struct own own = { .rows = -1 };

	return cli_main(&tool, &own, argc, argv);
}
