/* SPDX-License-Identifier: Apache-2.0 */
/*
 * flame-filter: reads any profiles, selects, cuts and renames their stacks, and
 * writes folded stacks or another format.  The filters are rows of the
 * library's table, so every tool has them; this tool adds no option of its own.
 */
#include "cli/cli.h"

static const struct cli_tool tool = {
	.name = "flame-filter",
	.usage = "[options] [FILE...]",
	.about = "Keeps, drops, re-roots, cuts and renames the stacks of any "
		 "profiles.",
	.examples = "  flame-filter --keep TaskRunner --hide Thread.run a.folded\n"
		    "  flame-fold a.jfr | flame-filter --root Foo.bar --depth 5\n",
	.format = "folded",
};

CLI_MAIN(flame_filter_main)
{
	return cli_main(&tool, NULL, argc, argv);
}
