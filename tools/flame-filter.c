/* SPDX-License-Identifier: Apache-2.0 */
/*
 * flame-filter: selects, cuts and renames stacks of any profiles.  The filters
 * are rows of the library's table, so every tool has them; here they are the
 * purpose.
 */
#include "cli.h"

static const struct cli_tool tool = {
	.name = "flame-filter",
	.usage = "[options] [FILE...]",
	.about = "Keeps, drops, re-roots, cuts and renames the stacks of any "
		 "profiles.",
	.format = "folded",
};

int main(int argc, char **argv)
{
	return cli_main(&tool, NULL, argc, argv);
}
