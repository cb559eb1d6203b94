/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finds what a terminal can show: its columns, and colours unless NO_COLOR is
 * set (no-color.org).  cli_fit_terminal() passes both to a writer of text for
 * standard output.  cli_visible() makes text of inputs safe to show.  Called by
 * cli.c, record/result.c and reports.
 */
#include "cli/cli.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

unsigned cli_columns(void)
{
	const char *said = getenv("COLUMNS");
	struct winsize size;
	char *end;
	unsigned long n;

	if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col)
		return size.ws_col;
	if (!said || *said < '0' || *said > '9')
		return 0;
	n = strtoul(said, &end, 10);
	return !*end && n < 10000 ? (unsigned)n : 0;
}

bool cli_colours(void)
{
	const char *no = getenv("NO_COLOR");
	const char *term = getenv("TERM");

	return isatty(STDOUT_FILENO) && !(no && *no) &&
	       !(term && strcmp(term, "dumb") == 0);
}

bool cli_fit_terminal(const struct cli *cli, struct flame_sink *sink,
		      const char *output)
{
	unsigned columns = cli_columns();
	char width[16];

	if (!(flame_format_facts(cli->output_format) & FLAME_TYPED) ||
	    strcmp(output, "-") != 0)
		return true;
	snprintf(width, sizeof(width), "%u", columns);
	if (columns >= 10 && flame_set(sink, "width", width) != FLAME_OK)
		return false;
	return !cli_colours() || flame_set(sink, "ansi", NULL) == FLAME_OK;
}

char *cli_visible(const char *text, size_t size)
{
	size_t shown = flame_visible(NULL, 0, text, size) + 1;
	char *copy = malloc(shown);

	if (copy)
		flame_visible(copy, shown, text, size);
	return copy;
}
