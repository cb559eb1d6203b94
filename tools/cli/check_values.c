/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Checks the values of all options that the library has, before an input is
 * read or an output is made.  Each option is tried on an object that is thrown
 * away: those of outputs on a sink that discards its bytes, those of inputs on
 * a source of one sample.  A filter checks its own argument.
 */
#include "cli/cli.h"

#include <string.h>

static int write_nothing(void *arg, const void *data, size_t size)
{
	(void)arg;
	(void)data;
	(void)size;
	return 0;
}

/* --event list is of the tools alone: the library would refuse it. */
static bool is_ours(const struct cli_pair *ask)
{
	return strcmp(ask->name, "event") == 0 && ask->value &&
	       strcmp(ask->value, "list") == 0;
}

static bool check_asks(const struct cli *cli, struct flame *flame)
{
	static const char sample[] = "a 1\n";
	struct flame_source *source;
	bool good;

	source = flame_open_memory(flame, sample, strlen(sample), "check",
				   "folded");
	good = source;
	for (size_t i = 0; good && i < cli->asks.n; i++)
		good = is_ours(&cli->asks.at[i]) ||
		       flame_ask(source, cli->asks.at[i].name,
				 cli->asks.at[i].value) == FLAME_OK;
	flame_close(source);
	return good;
}

static bool check_filters(const struct cli *cli, struct flame *flame)
{
	for (size_t i = 0; i < cli->filters.n; i++)
		if (flame_filter_check(flame, cli->filters.at[i].name,
				       cli->filters.at[i].value) != FLAME_OK)
			return false;
	return true;
}

static bool check_sets(const struct cli *cli, struct flame *flame,
		       const char *format)
{
	struct flame_sink *sink;
	bool good;

	sink = flame_create_callback(flame, format, write_nothing, NULL);
	good = sink;
	for (size_t i = 0; good && i < cli->sets.n; i++)
		good = flame_set(sink, cli->sets.at[i].name,
				 cli->sets.at[i].value) == FLAME_OK;
	flame_abandon(sink);
	return good;
}

bool cli_check_values(const struct cli *cli, const char *format)
{
	struct flame *flame = flame_new();
	bool good = flame && check_asks(cli, flame) &&
		    check_filters(cli, flame) &&
		    (!cli->input_format ||
		     flame_format_check(flame, cli->input_format) == FLAME_OK) &&
		    (!format || check_sets(cli, flame, format));

	if (!flame)
		cli_no_memory(cli);
	else if (!good)
		cli_say(cli, "%s", flame_error(flame));
	flame_free(flame);
	return good;
}
