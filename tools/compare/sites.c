/* SPDX-License-Identifier: Apache-2.0 */
/*
 * flame-diff of two sites of flame-batch: diff_compare_sites() has
 * site_compare() (sites_frames.c) compare their queries and stages, and
 * site_report() write the result; then it judges the result for --gate.  Called
 * by runs.c; flame-diff.c has the options checked here.
 */
#include "compare/diff.h"
#include "compare/sites.h"

bool diff_is_of_sites(const struct cli *cli)
{
	return cli->ninputs == 2 && site_is(cli->inputs[0]) &&
	       site_is(cli->inputs[1]);
}

bool diff_check_sites(struct cli *cli)
{
	struct diff *diff = cli->own;

	if (diff->top || diff->normalize || diff->runs || diff->rate > 0) {
		cli_say(cli, "--%s: two sites of flame-batch are compared row "
			"by row", diff->top ? "top" : diff->runs ? "runs" :
			diff->rate > 0 ? "fdr" : "normalize");
		return false;
	}
	if (diff->gated) {
		cli_say(cli, "--gate P%%,%s: two sites are compared by rows, "
			"not by frames: --gate P%%", diff->gated);
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

/* Of all rows of both sites, the one that rose most; NULL: none by enough. */
static const struct site_pair *find_worse(const struct site_pairs *pairs,
					  double gate)
{
	const struct site_pair *worst = NULL;
	double most = 1 + gate;

	for (size_t i = 0; i < pairs->n; i++) {
		const struct site_pair *p = &pairs->pairs[i];

		if (!p->changed || !p->before || !p->after ||
		    p->after->cost <= most * p->before->cost)
			continue;
		worst = p;
		if (p->before->cost <= 0)
			break;
		most = p->after->cost / p->before->cost;
	}
	return worst;
}

/* --gate: the report is out. */
static int judge(const struct cli *cli, const struct site_pairs *pairs)
{
	const struct diff *diff = cli->own;
	const struct site_pair *p = find_worse(pairs, diff->gate);
	const struct site_row *before, *after;

	if (!p)
		return CLI_FINE;
	before = p->before;
	after = p->after;
	cli_say(cli, "worse: %s%s%s: %.1f -> %.1f %s, more than %g%%",
		after->query, *after->query && *after->stage ? ", " : "",
		after->stage, before->cost, after->cost,
		pairs->sites[1].unit, 100 * diff->gate);
	return CLI_NO;
}

int diff_compare_sites(struct cli *cli, struct flame *flame)
{
	const struct diff *diff = cli->own;
	struct site_pairs pairs;
	int status = CLI_TROUBLE;

	if (site_compare(cli, cli->inputs[0], cli->inputs[1], &pairs)) {
		status = !diff->brief ? site_report(&pairs, flame) :
			 diff->gate <= 0 && is_any_changed(&pairs) ? CLI_NO :
								   CLI_FINE;
		if (diff->gate > 0 && status == CLI_FINE)
			status = judge(cli, &pairs);
	}
	site_free(&pairs);
	return status;
}
