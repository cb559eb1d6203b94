/* SPDX-License-Identifier: Apache-2.0 */
/*
 * flame-diff --runs: diff_compare_runs() reads each run into a tree of its own,
 * compares those before a change with those after it (flame_trials), and judges
 * the result for --gate; report.c writes it.  Called by cli.c as compare_runs()
 * of flame-diff; it passes --since on to since.c, and two sites to sites.c.
 */
#include "compare/diff.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* "3%", "+3%"; *end: what follows.  Below 0: no such part. */
static double parse_percent(const char *value, const char **end)
{
	char *stop;
	double percent = strtod(value, &stop);

	*end = stop + (*stop == '%');
	return stop == value || !(percent > 0 && percent < 1e6) ||
			       *stop != '%' ?
		       -1 : percent / 100;
}

bool diff_take_rate(struct cli *cli, const char *value)
{
	struct diff *diff = cli->own;
	const char *end;

	diff->rate = parse_percent(value, &end);
	if (diff->rate > 0 && diff->rate < 1 && !*end)
		return true;
	cli_say(cli, "--fdr %s: a percentage below 100, as 5%%", value);
	return false;
}

/* After the percentage: ",RE", or ",frame RE" and ",frame=RE". */
static const char *gated_name(const char *text)
{
	if (strncmp(text, "frame", 5) == 0 && (text[5] == ' ' ||
					       text[5] == '='))
		return text + 6;
	return text;
}

bool diff_take_gate(struct cli *cli, const char *value)
{
	struct diff *diff = cli->own;
	const char *end;

	diff->gate = parse_percent(value, &end);
	if (diff->gate > 0 && *end == ',' && end[1])
		diff->gated = gated_name(end + 1);
	if (diff->gate > 0 && (!*end || diff->gated))
		return true;
	cli_say(cli, "--gate %s: a percentage, or one and the frames that it "
		"is for: 3%%, or 3%%,RE", value);
	return false;
}

static bool ends_in(const char *path, const char *ending)
{
	size_t size = strlen(path), n = strlen(ending);

	return size > n && strcmp(path + size - n, ending) == 0;
}

/* As the output's name ends, unless it is given. */
bool diff_check_format(struct cli *cli, const char *what, bool page)
{
	static const char *const formats[] = { "html", "text", "json",
					       "markdown" };
	const char *output = cli->output ? cli->output : "-";
	const char *drawn = flame_format_of(output);

	if (!cli->output_format)
		cli->output_format = ends_in(output, ".json") ? "json" :
				     ends_in(output, ".md")   ? "markdown" :
				     drawn && !(flame_format_facts(drawn) &
						FLAME_ADDS_UP) ?
					     drawn : "text";
	for (size_t i = !page; i < sizeof(formats) / sizeof(*formats); i++)
		if (strcmp(cli->output_format, formats[i]) == 0)
			return true;
	cli_say(cli, "-f %s: %s %stext, json or markdown", cli->output_format,
		what, page ? "html, " : "");
	return false;
}

bool diff_check_runs(struct cli *cli)
{
	struct diff *diff = cli->own;

	if (!diff->runs) {
		cli_say(cli, "--%s: for several runs of one job: flame-diff "
			"--runs A1 A2 A3 -- B1 B2 B3",
			diff->gate > 0 ? "gate" : "fdr");
		return false;
	}
	if (diff->top) {
		cli_say(cli, "--top: --runs lists what changed, without it the "
			"sums of two groups are ranked");
		return false;
	}
	if (cli_find(&cli->sets, "events")) {
		cli_say(cli, "--events: --runs compares one metric, choose it "
			"by --event");
		return false;
	}
	if (!diff_check_format(cli, "--runs writes", true) || !diff_list_runs(cli))
		return false;
	if (diff->rate <= 0)
		diff->rate = 0.05;
	cli->runs = cli->own_output = true;
	return true;
}

/* Reading -------------------------------------------------------------- */

/* A run without a metric that others have would seem to cost nothing. */
static bool has_metric(const struct cli *cli, const struct flame *flame,
		       const struct diff_run *run,
		       const struct flame_tree *tree, const char *event)
{
	if (flame_tree_total(tree, 0) || cli->empty_ok)
		return true;
	if (!flame_error(flame)[0])
		cli_say(cli, "%s: no samples of %s, which other runs have",
			run->name, event ? event : "the metric");
	return false;
}

/* Reads a run; event: of the first one, which others use too. */
static bool read_run(struct cli *cli, struct flame *flame,
		     const struct diff_run *run, struct flame_tree *tree,
		     const char *event, struct cli_reading *reading)
{
	struct flame_sink *sink = flame_tree_sink(tree, 0);
	size_t read = reading->read;

	return sink &&
	       cli_merge(cli, flame, cli_chain(cli, sink, event),
			 cli->inputs + run->from, run->n, reading) &&
	       reading->read != read &&
	       has_metric(cli, flame, run, tree, event);
}

static bool read_runs(struct cli *cli, struct flame *flame,
		      struct flame_trials *trials, struct diff_result *result,
		      struct cli_reading *reading)
{
	const struct diff *diff = cli->own;
	const char *event = cli->event;
	bool good = true;

	for (size_t i = 0; good && i < diff->nruns; i++) {
		const struct diff_run *run = &diff->run[i];
		struct flame_tree *tree = flame_tree_new(flame, 1);

		good = tree &&
		       read_run(cli, flame, run, tree, event, reading) &&
		       flame_trials_add(trials, run->side, tree) == FLAME_OK;
		if (good && !event && flame_tree_metric(tree)[0])
			event = flame_tree_metric(tree);
		if (good)
			cli_metric(flame, tree, &result->metric,
				   &result->unit);
		result->runs[run->side]++;
		flame_tree_free(tree);
	}
	result->scale = strcmp(result->unit, "core-seconds") == 0 ||
			strcmp(result->unit, "money") == 0 ?
				1e-6 : 1;
	return good;
}

/* Comparing ------------------------------------------------------------ */

/* Copies the findings that no other finding explains. */
static bool keep_other(struct diff_result *result)
{
	const struct flame_change *change;
	size_t n = 0;

	while ((change = flame_trials_at(result->trials, n)) &&
	       change->found && !change->explained)
		n++;
	result->other = calloc(n + 1, sizeof(*result->other));
	for (size_t i = 0; result->other && i < n; i++)
		result->other[i] = *flame_trials_at(result->trials, i);
	result->nother = n;
	return result->other;
}

static enum flame_scaling scaling_of(const struct diff *diff)
{
	if (!diff->normalize)
		return FLAME_ABSOLUTE;
	return strcmp(diff->normalize, "time") == 0 ? FLAME_RATES :
						      FLAME_SHARES;
}

/* The names that there are, where --gate has none of them. */
static bool gates_something(const struct cli *cli, struct flame_trials *trials,
			    const struct diff_result *result)
{
	const struct diff *diff = cli->own;
	const struct flame_change *change;
	char list[512] = "";
	size_t n = 0;

	if (!diff->gated || flame_trials_at(trials, 0))
		return true;
	if (flame_trials_compare(trials, result->scaling, diff->rate, NULL) !=
	    FLAME_OK)
		return false;
	for (size_t i = 0; n < sizeof(list) &&
			   (change = flame_trials_at(trials, i)) && i < 10; i++)
		n += (size_t)snprintf(list + n, sizeof(list) - n, "%s%s",
				      i ? ", " : "",
				      flame_name_text(result->flame,
						      change->name, NULL));
	cli_say(cli, "--gate %s: no frame matches; there are %s%s", diff->gated,
		list, change ? ", ..." : "");
	return false;
}

bool diff_judge(const struct cli *cli, struct flame_trials *trials,
		struct diff_result *result)
{
	const struct diff *diff = cli->own;
	enum flame_scaling other = result->scaling == FLAME_ABSOLUTE ?
					   FLAME_SHARES : FLAME_ABSOLUTE;

	if (flame_trials_compare(trials, other, diff->rate, diff->gated) !=
	    FLAME_OK)
		return false;
	if (!keep_other(result))
		return cli_no_memory(cli);
	if (flame_trials_compare(trials, result->scaling, diff->rate,
				 diff->gated) != FLAME_OK ||
	    !gates_something(cli, trials, result))
		return false;
	if (diff->gate > 0)
		flame_trials_judge(trials, diff->gate, &result->judgement);
	return true;
}

static bool is_any_found(const struct diff_result *result)
{
	const struct flame_change *first = flame_trials_at(result->trials, 0);

	return first && first->found &&
	       (result->runs[0] >= 3 || result->runs[1] >= 3);
}

int diff_status(const struct cli *cli, const struct diff_result *result)
{
	const struct diff *diff = cli->own;

	if (diff->gate <= 0)
		return diff->brief && is_any_found(result) ? CLI_NO : CLI_FINE;
	return result->judgement.verdict == FLAME_WITHIN ? CLI_FINE :
	       result->judgement.verdict == FLAME_WORSE  ? CLI_NO :
							   DIFF_UNSURE;
}

static int report(struct cli *cli, const struct diff_result *result)
{
	const struct diff *diff = cli->own;
	char *line = NULL;

	if (!diff->brief)
		return diff_report(cli, result);
	if (diff->gate <= 0)
		return CLI_FINE;
	line = diff_verdict(cli, result);
	if (!line)
		return CLI_TROUBLE;
	printf("%s\n", line);
	free(line);
	return cli_flush(cli);
}

int diff_compare_runs(struct cli *cli, struct flame *flame,
		      struct cli_reading *reading)
{
	struct diff *diff = cli->own;
	struct flame_trials *trials = flame_trials_new(flame);
	struct diff_result result = {
		.flame = flame, .trials = trials, .rate = diff->rate,
		.scaling = scaling_of(diff), .unit = "samples",
	};
	int status = CLI_TROUBLE;

	if (diff->since) {
		flame_trials_free(trials);
		return diff_since(cli, flame, reading);
	}
	if (diff->sites) {
		flame_trials_free(trials);
		return diff_compare_sites(cli, flame);
	}
	if (trials && read_runs(cli, flame, trials, &result, reading) &&
	    diff_judge(cli, trials, &result) && report(cli, &result) == CLI_FINE)
		status = diff_status(cli, &result);
	free(result.other);
	flame_trials_free(trials);
	return status;
}
