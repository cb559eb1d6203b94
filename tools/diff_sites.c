/* SPDX-License-Identifier: Apache-2.0 */
/*
 * flame-diff of two sites of flame-batch: their queries and stages.
 */
#include "diff.h"
#include "sites.h"

bool diff_is_of_sites(const struct cli *cli)
{
	return cli->ninputs == 2 && site_is(cli->inputs[0]) &&
	       site_is(cli->inputs[1]);
}

bool diff_check_sites(struct cli *cli)
{
	struct diff *diff = cli->own;

	if (diff->top || diff->normalize || diff->runs) {
		cli_say(cli, "--%s: two sites of flame-batch are compared row "
			"by row", diff->top ? "top" :
			diff->runs ? "runs" : "normalize");
		return false;
	}
	if (!diff_check_format(cli, "two sites are compared as",
			       false))
		return false;
	diff->sites = true;
	cli->runs = cli->own_output = true;
	return true;
}

static bool is_any_changed(const struct site_pairs *pairs)
{
	return pairs->n && pairs->pairs[0].changed;
}

int diff_compare_sites(struct cli *cli, struct flame *flame)
{
	const struct diff *diff = cli->own;
	struct site_pairs pairs;
	int status = CLI_TROUBLE;

	if (site_compare(cli, cli->inputs[0], cli->inputs[1], &pairs))
		status = !diff->brief		 ? site_report(&pairs, flame) :
			 is_any_changed(&pairs) ? CLI_NO :
						   CLI_FINE;
	site_free(&pairs);
	return status;
}
