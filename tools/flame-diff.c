/* SPDX-License-Identifier: Apache-2.0 */
/*
 * flame-diff: compares two profiles, or two groups of them.  Writes what
 * changed as two columns of folded stacks, as a picture, as a table of what
 * moved most (--top), or says it by the exit status (-q).  The options and
 * --normalize are here; compare/ has --top, --runs, --since and the comparison
 * of two sites.
 */
#include "compare/diff.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Rates that differ by this factor are reported, from this total on. */
enum { UNLIKE = 2, MIN_TOTAL = 100 };

static const struct cli_option options[] = {
	{ 0, "fdr", "P%", "--runs: the part of findings that is chance (5%)",
	  .kind = CLI_TAKE },
	{ 0, "gate", "P%[,RE]", "exit 1 if a frame (RE) or site's row grew more",
	  .kind = CLI_TAKE },
	{ 'n', "normalize", "[=total|time|none]",
	  "as if totals or times were equal (total)", .kind = CLI_TAKE },
	{ 'q', "brief", NULL, "write nothing; exit with 1 if they differ",
	  CLI_FLAG, DIFF_AT(brief) },
	{ 0, "runs", NULL, "A... -- B...: each is a run of one job",
	  CLI_FLAG, DIFF_AT(runs) },
	{ 0, "since", "KEY", "what changed, since which value of "
	  "a label", CLI_TEXT, DIFF_AT(since) },
	{ 0, "sort", "self|total|weight|name",
	  "what --top goes by (self); order of what is drawn",
	  .kind = CLI_TAKE },
	{ 's', "strip-hex", NULL, "addresses in names become 0x...",
	  .kind = CLI_FILTER },
	{ 0, "top", "[=N]", "write the N frames that moved most (30; 0: all)",
	  .kind = CLI_TAKE },
	{ .name = NULL }
};

static bool take_rows(struct cli *cli, const char *value)
{
	struct diff *own = cli->own;
	char *end = NULL;

	own->top = true;
	own->rows = value ? strtol(value, &end, 10) : 30;
	if (!value || (end != value && !*end && own->rows >= 0))
		return true;
	cli_say(cli, "--top=%s: a number of rows", value);
	return false;
}

static bool take_normalize(struct cli *cli, const char *value)
{
	struct diff *own = cli->own;

	own->normalize = strcmp(value, "none") == 0 ? NULL : value;
	if (!own->normalize || strcmp(value, "total") == 0 ||
	    strcmp(value, "time") == 0)
		return true;
	cli_say(cli, "--normalize=%s: total, time or none", value);
	return false;
}

static bool set_option(struct cli *cli, const char *name, const char *value)
{
	struct diff *own = cli->own;

	if (strcmp(name, "top") == 0)
		return take_rows(cli, value);
	if (strcmp(name, "fdr") == 0)
		return diff_take_rate(cli, value);
	if (strcmp(name, "gate") == 0)
		return diff_take_gate(cli, value);
	if (strcmp(name, "sort") == 0) {
		own->sort = value;
		return true;
	}
	return take_normalize(cli, value ? value : "total");
}

/* Counts are not changed; only the picture is scaled. */
static bool resolve_drawing(struct cli *cli)
{
	const char *format = cli->output_format;
	struct diff *own = cli->own;

	if (!format && cli->output)
		format = flame_format_of(cli->output);
	own->drawn = !cli->own_output &&
		     flame_format_facts(format) & FLAME_DRAWN;
	return !own->drawn || !own->normalize ||
	       cli_set(cli, "normalize", own->normalize);
}

/* --top ranks by self or total; what is drawn is sorted by weight or name. */
static bool resolve_sort(struct cli *cli)
{
	struct diff *own = cli->own;
	const char *sort = own->sort;
	bool ranks = sort && (strcmp(sort, "self") == 0 ||
			      strcmp(sort, "total") == 0);
	bool draws = sort && (strcmp(sort, "weight") == 0 ||
			      strcmp(sort, "name") == 0);

	own->by_total = ranks && strcmp(sort, "total") == 0;
	if (!sort || (ranks && own->top))
		return true;
	if (draws && !own->top)
		return cli_set(cli, "sort", sort);
	if (own->top)
		cli_say(cli, "--sort %s: --top goes by self or total", sort);
	else
		cli_say(cli, "--sort %s: weight or name; self and total are "
			"for --top", sort);
	return false;
}

/* Of options of pages, where a table or nothing is written. */
static void say_ignored(const struct cli *cli)
{
	const struct diff *own = cli->own;
	bool page = (own->runs || own->since) && strcmp(cli->output_format, "html") == 0;

	if (!cli->own_output || page || cli->quiet)
		return;
	if (own->brief && own->top)
		cli_say(cli, "--top is ignored: -q writes nothing");
	for (size_t i = 0; i < cli->sets.n; i++)
		if (strcmp(cli->sets.at[i].name, "events") != 0)
			cli_say(cli, "--%s is ignored: nothing is drawn",
				cli->sets.at[i].name);
}

static unsigned count_stdin(const struct cli *cli)
{
	unsigned n = 0;

	for (size_t i = 0; i < cli->ninputs; i++)
		n += strcmp(cli->inputs[i], "-") == 0;
	return n;
}

static bool check_profiles(struct cli *cli)
{
	if (!resolve_drawing(cli) || !diff_expand_folders(cli))
		return false;
	if (count_stdin(cli) > 1) {
		cli_say(cli, "- is given twice: standard input can be one of "
			"the profiles only");
		return false;
	}
	if (cli->ninputs == 2 || cli->nbefore || cli->info ||
	    (cli->event && strcmp(cli->event, "list") == 0))
		return true;
	cli_say(cli, "give two profiles to compare, or two groups: "
		"flame-diff A... -- B... (%zu given)", cli->ninputs);
	return false;
}

static bool check_options(struct cli *cli)
{
	struct diff *own = cli->own;
	const char *format = cli->output_format;
	bool good;

	cli->diff = true;
	cli->own_output = own->brief || own->top;
	if (own->brief && (cli->output || format)) {
		cli_say(cli, "-q (--brief) writes nothing: leave it out, or -%c; "
			"no messages: --quiet", cli->output ? 'o' : 'f');
		return false;
	}
	own->json = own->top && format && strcmp(format, "json") == 0;
	if (own->top && format && !own->json && strcmp(format, "text") != 0) {
		cli_say(cli, "--top writes a table, not %s: leave out one of "
			"them", format);
		return false;
	}
	if (!resolve_sort(cli))
		return false;
	if (own->since)
		good = diff_check_since(cli);
	else if (diff_is_of_sites(cli))
		good = diff_check_sites(cli);
	else if (own->runs || own->gate > 0 || own->rate > 0)
		good = diff_check_runs(cli);
	else
		good = check_profiles(cli);
	if (good)
		say_ignored(cli);
	return good;
}

/* -q: whether any stack has another weight than before. */
static int report_by_status(struct flame_tree *tree)
{
	const struct flame_node *nodes;
	size_t n;

	if (flame_tree_nodes(tree, 0, &nodes, &n) != FLAME_OK)
		return CLI_TROUBLE;
	for (size_t i = 0; i < n; i++)
		if (nodes[i].self[0] != nodes[i].self[1])
			return CLI_NO;
	return CLI_FINE;
}

/* The first's total, had it run as long as the second. */
static bool total_by_time(const struct cli *cli, const struct flame_tree *tree,
			  int64_t *total)
{
	double want = (double)flame_tree_total(tree, 0);

	for (unsigned i = 0; i < 2; i++)
		if (!flame_tree_duration(tree, i)) {
			cli_say(cli, "--normalize=time: how long %s was "
				"recorded is not known",
				cli->inputs[i ? cli->nbefore : 0]);
			return false;
		}
	want = want / (double)flame_tree_duration(tree, 0) *
	       (double)flame_tree_duration(tree, 1);
	*total = want < 0x1p63 ? (int64_t)(want + 0.5) : INT64_MAX;
	return true;
}

static bool normalize(const struct cli *cli, struct flame_tree *tree)
{
	const struct diff *own = cli->own;
	int64_t want = flame_tree_total(tree, 1);

	if (strcmp(own->normalize, "time") == 0 &&
	    !total_by_time(cli, tree, &want))
		return false;
	flame_tree_scale(tree, 0, want);
	return true;
}

/* With --events: each of the metrics. */
static bool normalize_each(const struct cli *cli, struct flame_tree *tree)
{
	struct flame_tree *of = flame_tree_at(tree, 0);
	bool good = of || normalize(cli, tree);

	for (size_t i = 0; good && (of = flame_tree_at(tree, i)); i++)
		good = normalize(cli, of);
	return good;
}

/* Whether one is at least twice the other, and neither is a handful. */
static bool is_unlike(double a, double b, const int64_t *total)
{
	return total[0] > 0 && total[1] > 0 &&
	       (total[0] >= MIN_TOTAL || total[1] >= MIN_TOTAL) &&
	       (a >= UNLIKE * b || b >= UNLIKE * a);
}

/*
 * Samples at 1 kHz beside samples at 100 Hz: all seems to shrink.  What else
 * makes totals differ by more than the run lengths do is reported alike.
 */
static void tell_unlike_rates(const struct cli *cli, const struct flame *flame,
			      const struct flame_tree *tree)
{
	const char *metric, *unit;
	double rate[2];
	int64_t total[2];
	bool timed = flame_tree_duration(tree, 0) > 0 &&
		     flame_tree_duration(tree, 1) > 0;

	for (unsigned i = 0; i < 2; i++) {
		total[i] = flame_tree_total(tree, i);
		rate[i] = (double)total[i];
		if (timed)
			rate[i] *= 1e9 / (double)flame_tree_duration(tree, i);
	}
	if (!is_unlike(rate[0], rate[1], total))
		return;
	cli_metric(flame, tree, &metric, &unit);
	if (timed)
		cli_say(cli, "%s%s%.4g %s a second before, %.4g after: --normalize "
			"compares shares, not sums", metric,
			*metric ? ": " : "", rate[0], unit, rate[1]);
	else
		cli_say(cli, "%s%s%" PRId64 " %s before, %" PRId64 " after, "
			"and how long both were recorded is not known: --normalize "
			"compares shares, not sums", metric,
			*metric ? ": " : "", total[0], unit, total[1]);
}

/* With --events: of each of the metrics. */
static void tell_unlike_rates_of_each(const struct cli *cli,
				      const struct flame *flame,
				      struct flame_tree *tree)
{
	struct flame_tree *of = flame_tree_at(tree, 0);

	if (!of)
		tell_unlike_rates(cli, flame, tree);
	for (size_t i = 0; (of = flame_tree_at(tree, i)); i++)
		tell_unlike_rates(cli, flame, of);
}

static int report_by_status_of_each(struct flame_tree *tree)
{
	struct flame_tree *of = flame_tree_at(tree, 0);
	int status = of ? CLI_FINE : report_by_status(tree);

	for (size_t i = 0; status == CLI_FINE &&
			   (of = flame_tree_at(tree, i)); i++)
		status = report_by_status(of);
	return status;
}

static int gathered(struct cli *cli, struct flame *flame,
		    struct flame_tree *tree)
{
	const struct diff *own = cli->own;

	if (own->normalize && !own->drawn && !normalize_each(cli, tree))
		return CLI_TROUBLE;
	if (own->brief)
		return report_by_status_of_each(tree);
	if (!own->normalize && !cli->quiet)
		tell_unlike_rates_of_each(cli, flame, tree);
	return own->top ? diff_put_movers(cli, flame, tree) : CLI_FINE;
}

static const struct cli_tool tool = {
	.name = "flame-diff",
	.usage = "[options] BEFORE AFTER | [--runs] BEFORE... -- AFTER...",
	.about = "What changed from one profile to another.",
	.examples = "  flame-diff -o diff.html monday.jfr tuesday.jfr\n"
		    "  flame-diff --top=10 monday/*.jfr -- tuesday/*.jfr\n"
		    "  flame-diff --events all -o diff.html a.jfr b.jfr\n"
		    "  flame-diff --runs --gate 3% old-*.jfr -- new-*.jfr\n",
	.format = "folded",
	.options = options,
	.set_option = set_option,
	.check_options = check_options,
	.gathered = gathered,
	.compare_runs = diff_compare_runs,
};

CLI_MAIN(flame_diff_main)
{
	struct diff own = { 0 };
	int status = cli_main(&tool, &own, argc, argv);

	diff_free_runs(&own);
	return status;
}
