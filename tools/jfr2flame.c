/* SPDX-License-Identifier: Apache-2.0 */
/*
 * jfr2flame: recordings of JDK Flight Recorder and async-profiler in, a flame
 * graph out.  It has the flags of the historic command of this name, and those
 * of its successor jfrconv; --compat jfrconv agrees with that tool sample by
 * sample.  jfr2flame_output.c chooses the output.
 */
#include "jfr2flame.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* The events as jfrconv orders them: the first that is asked for counts. */
static const char *const events[] = {
	"nativemem", "nativelock", "live", "alloc", "lock", "trace",
	"cpu-time", "cpu", "wall", NULL
};

struct own {
	bool event[9];
	bool state, reverse, inverted, simple, norm, format_given;
	const char *keep, *drop;	/* the last ones, for compat */
	const char *minwidth, *skip, *grain;
};

static const struct cli_option options[] = {
	{ 0, "alloc", NULL, "allocations", .kind = CLI_TAKE },
	{ 0, "collapsed", NULL, "write folded stacks, as -o collapsed",
	  .kind = CLI_TAKE, .rare = true },
	{ 0, "compat", "jfrconv", "select, name and count as jfrconv does",
	  .kind = CLI_TAKE },
	{ 0, "cpu", NULL, "cpu samples", .kind = CLI_TAKE },
	{ 0, "cpu-time", NULL, "cpu time samples (JDK 25)", .kind = CLI_TAKE,
	  .rare = true },
	{ 0, "diff", NULL, "the second of two inputs against the first",
	  .kind = CLI_TAKE, .rare = true },
	{ 'X', "drop", "RE", "drop stacks with such a frame",
	  .kind = CLI_TAKE },
	{ 'e', "event", "NAME", "choose this event or metric; list: show them",
	  .kind = CLI_ASK },
	{ 'f', "format", "FORMAT", "write this format", .kind = CLI_TAKE },
	{ 'i', "inverted", NULL, "root on top; with --reverse at the bottom",
	  CLI_FLAG, CLI_AT(inverted) },
	{ 'I', "keep", "RE", "keep only stacks with such a frame",
	  .kind = CLI_TAKE },
	{ 0, "live", NULL, "objects that are alive", .kind = CLI_TAKE,
	  .rare = true },
	{ 0, "lock", NULL, "waits for Java locks", .kind = CLI_TAKE },
	{ 0, "minwidth", "PERCENT", "leave out what is narrower (0)",
	  CLI_TEXT, CLI_AT(minwidth) },
	{ 0, "nativelock", NULL, "waits for pthread locks", .kind = CLI_TAKE,
	  .rare = true },
	{ 0, "nativemem", NULL, "native memory", .kind = CLI_TAKE,
	  .rare = true },
	{ 'o', "output", "FORMAT|FILE", "html, svg, collapsed; or a file",
	  .kind = CLI_TAKE },
	{ 'r', "reverse", NULL, "leaves first",
	  CLI_FLAG, CLI_AT(reverse) },
	{ 0, "skip", "N", "leave out the N outermost frames",
	  CLI_TEXT, CLI_AT(skip), .rare = true },
	{ 0, "samples", NULL, "count samples, not bytes or time (it does)",
	  .kind = CLI_TAKE, .rare = true },
	{ 0, "simple", NULL, "class names without packages",
	  CLI_FLAG, CLI_AT(simple), .rare = true },
	{ 0, "norm", NULL, "fold names of lambdas and hidden classes",
	  CLI_FLAG, CLI_AT(norm), .rare = true },
	{ 's', "state", "LIST", "only these thread states (runnable,sleeping)",
	  .kind = CLI_TAKE },
	{ 't', "threads", NULL, "a frame per thread at the root",
	  .kind = CLI_FILTER },
	{ 0, "grain", "X", "count X samples as one",
	  CLI_TEXT, CLI_AT(grain), .rare = true },
	{ 0, "time", NULL, "HTML: with times and threads (it has them)",
	  .kind = CLI_TAKE, .rare = true },
	{ 0, "to", "TIME", "up to this time", .kind = CLI_TAKE },
	{ 0, "trace", NULL, "traced methods", .kind = CLI_TAKE,
	  .rare = true },
	{ 0, "tree", NULL, "open as a tree of rows",
	  .kind = CLI_SET },
	{ 0, "wall", NULL, "wall clock samples", .kind = CLI_TAKE },
	{ .name = NULL }
};

static bool set_option(struct cli *cli, const char *name, const char *value)
{
	struct own *own = cli->own;

	for (size_t i = 0; events[i]; i++)
		if (strcmp(name, events[i]) == 0) {
			own->event[i] = true;
			return true;
		}
	if (strcmp(name, "output") == 0)
		return jfr2flame_set_output(cli, value, &own->format_given);
	if (strcmp(name, "format") == 0) {
		cli->output_format = jfr2flame_format(value) ?
				     jfr2flame_format(value) : value;
		return true;
	}
	/* These ask for the default. */
	if (strcmp(name, "samples") == 0 || strcmp(name, "time") == 0)
		return true;
	/* jfrconv reads 0 as "no limit". */
	if (strcmp(name, "to") == 0)
		return strcmp(value, "0") == 0 || cli_ask(cli, name, value);
	if (strcmp(name, "compat") == 0) {
		cli->compat = strcmp(value, "jfrconv") == 0;
		if (!cli->compat)
			cli_say(cli, "--compat %s: only jfrconv is known",
				value);
		return cli->compat;
	}
	if (strcmp(name, "keep") == 0) {
		own->keep = value;
		return cli_filter(cli, name, value);
	}
	if (strcmp(name, "drop") == 0) {
		own->drop = value;
		return cli_filter(cli, name, value);
	}
	if (strcmp(name, "state") == 0) {
		own->state = true;
		return cli_ask(cli, name, value);
	}
	if (strcmp(name, "collapsed") == 0)
		cli->output_format = "folded";
	else
		cli->diff = own->norm = true;
	return true;
}

static bool resolve_event(struct cli *cli)
{
	const struct own *own = cli->own;
	const char *event = NULL, *second = NULL;

	for (size_t i = 0; events[i]; i++)
		if (own->event[i]) {
			second = event ? event : NULL;
			event = event ? event : events[i];
			if (second && !cli->compat) {
				cli_say(cli, "--%s and --%s: choose one event",
					event, events[i]);
				return false;
			}
		}
	if (cli->compat && (!event || (own->state &&
				       (strcmp(event, "cpu") == 0 ||
					strcmp(event, "wall") == 0))))
		event = "exec";
	if (event && cli->event && !cli->compat &&
	    strcmp(cli->event, event) != 0 &&
	    strcmp(cli->event, "list") != 0) {
		cli_say(cli, "--%s and --event %s: choose one event", event,
			cli->event);
		return false;
	}
	if (!event || (cli->event && !cli->compat))
		return true;
	if (cli->event)		/* by name, which jfrconv does not have */
		return cli_set(cli, "compat-root", NULL);
	cli->event = event;
	return cli_ask(cli, "event", event);
}

/* jfrconv: a plain number is percent already, and N% a hundredth of it. */
static bool resolve_minwidth(struct cli *cli, const char *text)
{
	size_t n = strlen(text);
	bool percent = n && text[n - 1] == '%', good;
	char *value, *end;
	double d = strtod(text, &end);

	if (end == text || strcmp(end, percent ? "%" : "") != 0 || d < 0) {
		cli_say(cli, "--minwidth %s: a percentage, as 0.5", text);
		return false;
	}
	if (asprintf(&value, "%.17g%%", cli->compat && percent ? d / 100 :
								 d) < 0)
		return false;
	good = cli_set(cli, "minwidth", value);
	free(value);
	return good;
}

/* Only the last -I and -X count there, and must match a whole frame. */
static bool resolve_compat(struct cli *cli)
{
	const struct own *own = cli->own;
	size_t n = 0;

	for (size_t i = 0; i < cli->filters.n; i++)
		if (strcmp(cli->filters.at[i].name, "keep") != 0 &&
		    strcmp(cli->filters.at[i].name, "drop") != 0)
			cli->filters.at[n++] = cli->filters.at[i];
		else
			free(cli->filters.at[i].value);
	cli->filters.n = n;
	return (!own->keep || cli_filter(cli, "include", own->keep)) &&
	       (!own->drop || cli_filter(cli, "exclude", own->drop)) &&
	       cli_ask(cli, "compat", NULL) && cli_set(cli, "compat", NULL);
}

static bool resolve_filters(struct cli *cli)
{
	const struct own *own = cli->own;
	bool compat = cli->compat;

	if (own->norm &&
	    !cli_filter(cli, compat ? "norm-compat" : "norm", NULL))
		return false;
	if (own->simple &&
	    !cli_filter(cli, compat ? "simple-compat" : "simple", NULL))
		return false;
	if (own->skip &&
	    !cli_filter(cli, compat ? "skip-compat" : "skip", own->skip))
		return false;
	if (own->reverse && !cli_filter(cli, "reverse", NULL))
		return false;
	/* A reversed graph grows down where nobody asked for it. */
	if (own->reverse != own->inverted &&
	    !cli_set(cli, own->inverted ? "inverted" : "root-on-top", NULL))
		return false;
	if (own->grain && !(compat ? cli_ask(cli, "grain", own->grain) :
				     cli_filter(cli, "grain", own->grain)))
		return false;
	if (own->minwidth && !resolve_minwidth(cli, own->minwidth))
		return false;
	if (!cli_set(cli, "merge-tiers", NULL))
		return false;
	return !compat || resolve_compat(cli);
}

static bool check_options(struct cli *cli)
{
	return jfr2flame_resolve_output(cli) && resolve_event(cli) &&
	       resolve_filters(cli);
}

static const struct cli_tool tool = {
	.name = "jfr2flame",
	.usage = "[options] INPUT... [OUTPUT]",
	.about = "Recordings of JDK Flight Recorder and async-profiler to a "
		 "flame graph.",
	.examples = "  jfr2flame --cpu app.jfr app.html\n"
		    "  jfr2flame --alloc --root TaskRunner.run *.jfr alloc.html\n",
	.format = "html",
	.options = options,
	.set_option = set_option,
	.check_options = check_options,
};

CLI_MAIN(jfr2flame_main)
{
	struct own own = { 0 };

	return cli_main(&tool, &own, argc, argv);
}
