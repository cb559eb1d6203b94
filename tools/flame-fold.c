/* SPDX-License-Identifier: Apache-2.0 */
/*
 * flame-fold: any profiles in, merged folded stacks out.
 */
#include "cli.h"

static const struct cli_tool tool = {
	.name = "flame-fold",
	.usage = "[options] [FILE...]",
	.about = "Any profiles in, merged folded stacks out.",
	.format = "folded",
};

int main(int argc, char **argv)
{
	return cli_main(&tool, NULL, argc, argv);
}
