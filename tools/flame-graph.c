/* SPDX-License-Identifier: Apache-2.0 */
/*
 * flame-graph: any profiles to a flame graph, as SVG or HTML.
 */
#include "cli.h"

static const struct cli_tool tool = {
	.name = "flame-graph",
	.usage = "[options] [FILE...]",
	.about = "Any profiles to one flame graph, as SVG or as an HTML page.",
	.format = "svg",
};

int main(int argc, char **argv)
{
	return cli_main(&tool, NULL, argc, argv);
}
