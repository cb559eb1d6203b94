/* SPDX-License-Identifier: Apache-2.0 */
/*
 * flame-diff --since KEY: the values of a label are runs of one job, in their
 * order.  diff_since() reads all inputs and reports which frames changed, by
 * how much, and since which run, as text, JSON, Markdown or a page.  Samples
 * are divided by that label (flame_split), and the tree of a run is there only
 * while its weights are added.  Called by runs.c.
 */
#include "compare/since.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MAX_ROWS = 30, MAX_HEAVY = 10, MAX_PAGES = 20 };

bool diff_check_since(struct cli *cli)
{
	struct diff *diff = cli->own;

	if (diff->runs || diff->top || diff->brief ||
	    cli_find(&cli->filters, "by")) {
		cli_say(cli, "--since: without --runs, --top, --brief and "
			"--by");
		return false;
	}
	if (cli_find(&cli->sets, "events")) {
		cli_say(cli, "--since: of one metric: --event, not --events");
		return false;
	}
	if (!*diff->since || strpbrk(diff->since, "=,")) {
		cli_say(cli, "--since %s: the name of one label, as app or "
			"date", diff->since);
		return false;
	}
	if (diff->normalize && strcmp(diff->normalize, "time") == 0) {
		cli_say(cli, "--since: --normalize=total, or none");
		return false;
	}
	if (!diff_check_format(cli, "--since writes", true))
		return false;
	if (diff->rate <= 0)
		diff->rate = 0.05;
	cli->diff = false;
	cli->runs = true;
	cli->own_output = true;
	return true;
}

/* Runs ------------------------------------------------------------------ */

/* Reads all inputs, divided by the label. */
static bool read_inputs(struct since *s, struct cli_reading *reading)
{
	struct cli *cli = s->cli;
	const char *key = ((const struct diff *)cli->own)->since;
	struct flame_tree *tree = flame_tree_new(s->flame, 1);
	struct flame_sink *like = tree ? flame_tree_sink(tree, 0) : NULL;
	struct flame_sink *sink = NULL;

	s->split = flame_split_new(s->flame);
	if (s->split && like)
		sink = flame_split_sink(s->split, like, key, NULL);
	flame_abandon(like);
	flame_tree_free(tree);
	return sink && cli_merge(cli, s->flame, cli_chain(cli, sink,
							  cli->event),
				 cli->inputs, cli->ninputs, reading) &&
	       (reading->read || cli_passes_losses(cli));
}

/* The samples of a part as a tree; NULL: failed. */
static struct flame_tree *make_tree(const struct since *s, size_t part)
{
	struct flame_tree *tree = flame_tree_new(s->flame, 1);
	struct flame_sink *sink = tree ? flame_tree_sink(tree, 0) : NULL;

	if (sink && flame_split_put(s->split, part, sink) == FLAME_OK) {
		if (flame_finish(sink) == FLAME_OK)
			return tree;
	} else {
		flame_abandon(sink);
	}
	flame_tree_free(tree);
	return NULL;
}

static const struct flame *names_of;	/* for qsort */

static int by_version(const void *a, const void *b)
{
	const struct run *x = a, *y = b;

	return strverscmp(flame_name_text(names_of, x->name, NULL),
			  flame_name_text(names_of, y->name, NULL));
}

static bool list_runs(struct since *s)
{
	const char *key = ((const struct diff *)s->cli->own)->since;
	flame_id name = flame_name(s->flame, key, strlen(key));
	const struct flame_part *part;
	size_t n = 0;

	while (flame_split_at(s->split, n))
		n++;
	s->runs = calloc(n + 1, sizeof(*s->runs));
	for (size_t i = 0; s->runs && i < n; i++) {
		part = flame_split_at(s->split, i);
		s->runs[s->nruns] = (struct run){
			.name = flame_label_get(s->flame, part->keys, name),
			.part = i,
		};
		if (s->runs[s->nruns].name)
			s->nruns++;
		else
			s->unlabelled = i + 1;
	}
	names_of = s->flame;
	if (s->nruns)
		qsort(s->runs, s->nruns, sizeof(*s->runs), by_version);
	return s->runs || cli_no_memory(s->cli);
}

static bool name_runs(struct since *s)
{
	size_t size;

	s->labels = calloc(s->nruns + 1, sizeof(*s->labels));
	for (size_t i = 0; s->labels && i < s->nruns; i++) {
		const char *name = flame_name_text(s->flame, s->runs[i].name,
						   &size);

		s->labels[i] = cli_visible(name, size);
		if (!s->labels[i])
			return cli_no_memory(s->cli);
	}
	return s->labels || cli_no_memory(s->cli);
}

static bool is_any_selected(const struct since *s)
{
	struct cli *cli = s->cli;

	if (!flame_split_at(s->split, 0) && !cli->empty_ok)
		cli_explain_nothing(cli, s->flame, cli->inputs, cli->ninputs,
				    true);
	return flame_split_at(s->split, 0) || cli->empty_ok;
}

/* The metric is that of the samples; all parts have it. */
static bool find_metric(struct since *s)
{
	struct flame_tree *tree;
	const char *metric, *unit;

	if (!flame_split_at(s->split, 0))
		return true;
	tree = make_tree(s, 0);
	if (!tree)
		return false;
	cli_metric(s->flame, tree, &metric, &unit);
	s->result.metric = flame_name_text(s->flame, flame_name(s->flame,
					   metric, strlen(metric)), NULL);
	s->result.unit = flame_name_text(s->flame, flame_name(s->flame,
					 unit, strlen(unit)), NULL);
	s->result.scale = cli_is_micro(unit) ? 1e-6 : 1;
	flame_tree_free(tree);
	return true;
}

/* Says how much is of no run; false: all of it, or failed. */
static bool check_labels(const struct since *s)
{
	const char *key = ((const struct diff *)s->cli->own)->since;
	struct flame_tree *tree;
	int64_t weight, all = 0;

	if (!s->nruns && s->unlabelled) {
		char choices[CLI_MAX_CHOICES] = "";

		for (size_t i = 0; !*choices && i < s->cli->ninputs; i++)
			cli_list_labels(s->cli->inputs[i], key, choices);
		cli_say(s->cli, "--since: no sample has a label %s%s", key,
			choices);
		return false;
	}
	if (!s->unlabelled || s->cli->quiet)
		return true;
	tree = make_tree(s, s->unlabelled - 1);
	if (!tree)
		return false;
	weight = all = flame_tree_total(tree, 0);
	for (size_t i = 0; i < s->nruns; i++)
		all += (int64_t)s->runs[i].total;
	cli_say(s->cli, "%" PRId64 " of %" PRId64 " %s are of no run: they "
		"have no label \"%s\"", weight, all, s->result.unit, key);
	flame_tree_free(tree);
	return true;
}

/* The series ----------------------------------------------------------- */

/* Two series a name: its total, and what it weighs itself. */
static bool add_series(struct since *s, const struct flame_node *nodes,
		       size_t n)
{
	for (size_t i = 1; i < n; i++) {
		flame_id name = nodes[i].name;

		if (s->series_of[name])
			continue;
		if (!cli_grow(s->cli, &s->series, &s->series_capacity,
			      s->nseries + 2, sizeof(*s->series)))
			return false;
		s->series_of[name] = s->nseries + 1;
		s->series[s->nseries++] =
			(struct series){ .name = name, .self = false };
		s->series[s->nseries++] =
			(struct series){ .name = name, .self = true };
	}
	return true;
}

/* A name that is in a stack twice counts once. */
static bool add_weights(struct since *s, double *weights,
			const struct flame_node *nodes, size_t n)
{
	size_t *path = calloc(n + 1, sizeof(*path));
	size_t depth = 0;

	for (size_t i = 1; path && i < n; i++) {
		const struct flame_node *node = &nodes[i];
		size_t at = s->series_of[node->name] - 1;

		while (depth >= node->level)
			s->open[path[depth--]]--;
		path[++depth] = at;
		if (!s->open[at]++)
			weights[at] += (double)node->total[0];
		weights[at + 1] += (double)node->self[0];
	}
	while (path && depth)
		s->open[path[depth--]]--;
	free(path);
	return path || cli_no_memory(s->cli);
}

static bool weigh_run(struct since *s, struct run *run)
{
	struct flame_tree *tree = make_tree(s, run->part);
	size_t had = s->nseries, n;
	const struct flame_node *nodes;
	bool good = tree &&
		    flame_tree_nodes(tree, 0, &nodes, &n) == FLAME_OK &&
		    add_series(s, nodes, n) &&
		    cli_grow(s->cli, &s->open, &s->open_capacity,
			     s->nseries + 1, sizeof(*s->open));

	if (good) {
		memset(s->open + had, 0, (s->nseries - had) *
		       sizeof(*s->open));
		run->total = (double)flame_tree_total(tree, 0);
		run->nseries = s->nseries;
		run->weights = calloc(s->nseries + 1, sizeof(double));
		good = run->weights ? add_weights(s, run->weights, nodes, n) :
				      cli_no_memory(s->cli);
	}
	flame_tree_free(tree);
	return good;
}

/* Weights by series: what a run has none of is 0 in it. */
static bool transpose(struct since *s)
{
	s->weights = s->nruns > SIZE_MAX / sizeof(double) / (s->nseries + 1) ?
			     NULL :
			     calloc((s->nseries + 1) * s->nruns + 1,
				    sizeof(double));
	for (size_t r = 0; s->weights && r < s->nruns; r++) {
		struct run *run = &s->runs[r];

		for (size_t i = 0; i < run->nseries; i++)
			s->weights[i * s->nruns + r] = run->weights[i];
		s->weights[s->nseries * s->nruns + r] = run->total;
		free(run->weights);
		run->weights = NULL;
	}
	return s->weights || cli_no_memory(s->cli);
}

static bool gather(struct since *s)
{
	bool good;

	s->series_of = calloc((size_t)flame_names(s->flame) + 1,
			      sizeof(*s->series_of));
	good = s->series_of || cli_no_memory(s->cli);
	for (size_t i = 0; good && i < s->nruns; i++)
		good = weigh_run(s, &s->runs[i]);
	return good && transpose(s);
}

/* Scales each run to the mean of all runs' totals. */
static void scale_runs(struct since *s)
{
	double mean = 0;

	for (size_t r = 0; r < s->nruns; r++)
		mean += s->runs[r].total / (double)s->nruns;
	for (size_t r = 0; r < s->nruns; r++)
		for (size_t k = 0; s->runs[r].total > 0 && k < s->nseries; k++)
			s->weights[k * s->nruns + r] *=
				mean / s->runs[r].total;
}

/* Steps ---------------------------------------------------------------- */

static void add_step(void *arg, const struct flame_step *step)
{
	struct since *s = arg;
	const struct series *series = &s->series[step->row];
	double scale = s->result.scale;
	bool bounded = !isinf(step->high);

	if (!cli_grow(s->cli, &s->rows, &s->capacity, s->nrows + 1,
		      sizeof(*s->rows)))
		return;
	s->rows[s->nrows++] = (struct row){
		.frame = { series->name, 0, series->self },
		.since = s->labels[step->run], .run = (int64_t)step->run + 1,
		.before = step->before * scale, .after = step->after * scale,
		.ratio = step->before > 0 ? step->after / step->before :
		         step->after > 0  ? CLI_RATIO_NEW : CLI_RATIO_NOTHING,
		.interval = { bounded ? step->low : NAN,
			      bounded ? step->high : NAN },
		.p = step->p, .series = step->row,
		.per_input = series->per_input,
	};
}

static double moved(const struct row *row)
{
	return fabs(row->after - row->before);
}

/* The frames themselves first, as their callers move with them. */
static int by_size(const void *a, const void *b)
{
	const struct row *x = a, *y = b;

	if (x->frame.self != y->frame.self)
		return x->frame.self ? -1 : 1;
	if (moved(x) != moved(y))
		return moved(x) < moved(y) ? 1 : -1;
	if (x->series != y->series)
		return x->series < y->series ? -1 : 1;
	return (x->run > y->run) - (x->run < y->run);
}

/* A frame that calls nothing has one row. */
static void drop_same(struct since *s)
{
	size_t n = 0;

	for (size_t i = 0; i < s->nrows; i++) {
		const double *total = s->weights +
			(s->rows[i].series & ~(size_t)1) * s->nruns;

		if (s->rows[i].frame.self ||
		    memcmp(total, total + s->nruns,
			   s->nruns * sizeof(*total)) != 0)
			s->rows[n++] = s->rows[i];
	}
	s->nrows = n;
}

/* A change of several frames is placed by the surest of them. */
static bool find_cuts(struct since *s)
{
	const struct row **at = calloc(s->nruns + 1, sizeof(*at));
	size_t last = 0;

	s->cuts = calloc(s->nruns + 2, sizeof(*s->cuts));
	for (size_t i = 0; at && i < s->nrows; i++) {
		const struct row **best = &at[s->rows[i].run - 1];

		if (!*best || s->rows[i].p < (*best)->p)
			*best = &s->rows[i];
	}
	for (size_t i = 1; at && s->cuts && i < s->nruns; i++) {
		if (!at[i])
			continue;
		if (last && i <= last + FLAME_LEVEL_RUNS) {
			if (at[i]->p < at[s->cuts[s->ncuts - 1]]->p)
				s->cuts[s->ncuts - 1] = i;
		} else {
			s->cuts[s->ncuts++] = i;
		}
		last = i;
	}
	free(at);
	return (at && s->cuts) || cli_no_memory(s->cli);
}

static bool find_steps(struct since *s)
{
	const struct diff *diff = s->cli->own;

	if (diff->normalize)
		scale_runs(s);
	else if (!since_scale_by_input(s))
		return false;
	if (flame_find_steps(s->flame, s->weights, s->nseries, s->nruns,
			     strcmp(s->result.unit, "samples") == 0, diff->rate,
			     add_step, s) != FLAME_OK)
		return false;
	since_drop_explained(s);
	drop_same(s);
	if (s->nrows)
		qsort(s->rows, s->nrows, sizeof(*s->rows), by_size);
	return find_cuts(s);
}

/* Comparisons ---------------------------------------------------------- */

/* The runs of a level, and those from `at` on, as trials. */
static struct flame_trials *compare_levels(struct since *s, size_t from,
					   size_t at, size_t to)
{
	struct flame_trials *trials = flame_trials_new(s->flame);
	bool good = trials;

	for (size_t i = from; good && i < to; i++) {
		struct flame_tree *tree = make_tree(s, s->runs[i].part);

		if (tree && s->all_per_input)
			flame_tree_scale(tree, 0, (int64_t)llround(
				s->weights[s->nseries * s->nruns + i]));
		good = tree &&
		       flame_trials_add(trials, i >= at, tree) == FLAME_OK;
		flame_tree_free(tree);
	}
	s->result.runs[0] = at - from;
	s->result.runs[1] = to - at;
	s->result.trials = trials;
	if (good)
		good = diff_judge(s->cli, trials, &s->result);
	if (good)
		return trials;
	flame_trials_free(trials);
	return NULL;
}

/*
 * --gate: the last run against those since the last step.  The line that it
 * prints, to be freed; NULL: failed.
 */
static char *judge_last(struct since *s)
{
	size_t from = s->ncuts ? s->cuts[s->ncuts - 1] : 0;
	struct flame_trials *trials;
	char *line;

	s->result.judgement.verdict = FLAME_UNSURE;
	if (s->nruns < from + 2)
		return diff_verdict(s->cli, &s->result);
	trials = compare_levels(s, from, s->nruns - 1, s->nruns);
	if (!trials)
		return NULL;
	line = diff_verdict(s->cli, &s->result);
	free(s->result.other);
	s->result.other = NULL;
	flame_trials_free(trials);
	s->result.trials = NULL;
	return line;
}

/* Output --------------------------------------------------------------- */

static void put_series(FILE *to, const struct cli_table *t, const void *row);
static void put_link(FILE *to, const struct cli_table *t, const void *row);

#define AT(member) .offset = offsetof(struct row, member)

static const struct cli_column columns[] = {
	{ "since", NULL, CLI_CELL_TEXT, AT(since) },
	{ NULL, "since", CLI_CELL_NAME, AT(since), .html = put_link },
	{ "run", NULL, CLI_CELL_COUNT, AT(run) },
	{ "frame", "frame", CLI_CELL_FRAME, AT(frame) },
	{ "self", NULL, CLI_CELL_BOOL, AT(frame.self) },
	{ "before", "before", CLI_CELL_REAL, AT(before) },
	{ "after", "after", CLI_CELL_REAL, AT(after) },
	{ "change", "change", CLI_CELL_RATIO, AT(ratio) },
	{ NULL, "95% interval", CLI_CELL_INTERVAL, AT(interval) },
	{ "low", NULL, CLI_CELL_RATIO, AT(interval[0]) },
	{ "high", NULL, CLI_CELL_RATIO, AT(interval[1]) },
	{ "p", "p", CLI_CELL_CHANCE, AT(p), CLI_IN_TEXT | CLI_IN_JSON },
	{ "per-input", NULL, CLI_CELL_BOOL, AT(per_input) },
	{ NULL, "runs", CLI_CELL_REAL, AT(after), CLI_IN_HTML, put_series },
	{ .kind = CLI_CELL_END }
};

/* The same of frames without a step. */
static const struct cli_column heavy_columns[] = {
	{ NULL, "frame", CLI_CELL_FRAME, AT(frame) },
	{ NULL, "mean", CLI_CELL_REAL, AT(after) },
	{ NULL, "runs", CLI_CELL_REAL, AT(after), CLI_IN_HTML, put_series },
	{ .kind = CLI_CELL_END }
};

static char mark_of(const struct cli_table *table, const void *at)
{
	const struct row *row = at;

	(void)table;
	return row->after > row->before ? '+' : '-';
}

static struct cli_table table_of(const struct since *s)
{
	return (struct cli_table){
		.cli = s->cli, .columns = columns, .rows = s->rows,
		.row_size = sizeof(*s->rows), .n = s->nrows,
		.flame = s->flame, .nobody = "(all)",
		.digits = s->result.scale < 1 ? 3 : 1, .mark = mark_of,
		.own = s,
	};
}

/* "12 runs by date, D to D: cpu, samples a run.  3 changes ..." */
static char *summary_of(const struct since *s)
{
	char *text = NULL;
	size_t size;
	FILE *to = open_memstream(&text, &size);

	if (!to)
		return NULL;
	fprintf(to, "%zu run%s by %s", s->nruns, s->nruns == 1 ? "" : "s",
		((const struct diff *)s->cli->own)->since);
	if (s->nruns)
		fprintf(to, ", %s to %s", s->labels[0],
			s->labels[s->nruns - 1]);
	fprintf(to, ": %s%s%s a run.  ", s->result.metric,
		*s->result.metric ? ", " : "", s->result.unit);
	if (s->nruns < 2 * FLAME_LEVEL_RUNS)
		fprintf(to, "%s: a change needs %d runs before it and %d from it "
			"on.", diff_verdict_word(FLAME_UNSURE),
			FLAME_LEVEL_RUNS, FLAME_LEVEL_RUNS);
	else if (!s->nrows)
		fprintf(to, "No frame is known to have changed.");
	else
		fprintf(to, "%zu change%s; %g%% may be chance.", s->nrows,
			s->nrows == 1 ? "" : "s", s->result.rate * 100);
	since_put_facts(s, to);
	since_put_missing(s, to);
	if (fclose(to) == 0)
		return text;
	free(text);
	return NULL;
}

static bool put_text(const struct since *s, const char *summary,
		     const char *gate, struct flame_text *out)
{
	struct cli_table table = table_of(s);

	return cli_print(out, "%s\n%s%s", summary, gate ? gate : "",
			 gate ? "\n" : "") &&
	       (!s->nrows || cli_table_text(&table, MAX_ROWS, out)) &&
	       (s->nrows <= MAX_ROWS ||
		cli_print(out, "and %zu more: -f json\n",
			  s->nrows - MAX_ROWS));
}

static bool put_markdown(const struct since *s, const char *summary,
			 const char *gate, struct flame_text *out)
{
	struct cli_table table = table_of(s);
	char *head = cli_markdown(summary, false);
	char *verdict = gate ? cli_markdown(gate, false) : NULL;
	bool good = head && (!gate || verdict);

	good = good && (!gate || cli_print(out, "**%s**\n\n", verdict)) &&
	       cli_print(out, "%s\n", head) &&
	       (!s->nrows || (cli_print(out, "\n") &&
			      cli_table_markdown(&table, MAX_ROWS, out)));
	free(head);
	free(verdict);
	return good && (s->nrows <= MAX_ROWS ||
			cli_print(out, "\nand %zu more\n",
				  s->nrows - MAX_ROWS));
}

static bool add_gate(const struct since *s, const char *gate, cJSON *root)
{
	cJSON *to = gate ? cJSON_AddObjectToObject(root, "gate") : NULL;

	return !gate ||
	       (to && cJSON_AddStringToObject(to, "verdict", diff_verdict_word(
					s->result.judgement.verdict)) &&
		cJSON_AddStringToObject(to, "text", gate));
}

static bool fill_json(const struct since *s, const char *gate, cJSON *root)
{
	bool begun = cJSON_AddStringToObject(root, "schema", "libflame/1") &&
		     cJSON_AddStringToObject(root, "kind", "series");
	cJSON *runs = cJSON_AddArrayToObject(root, "runs");
	cJSON *missing = cJSON_AddArrayToObject(root, "missing");
	cJSON *steps = cJSON_AddArrayToObject(root, "changes");
	struct cli_table table = table_of(s);
	bool good = begun && runs && missing && steps;

	for (size_t i = 0; good && i < s->nruns; i++)
		good = cJSON_AddItemToArray(runs,
					    cJSON_CreateString(s->labels[i]));
	for (size_t i = 0; good && i < s->nmissing; i++)
		good = cJSON_AddItemToArray(missing, cJSON_CreateString(
							s->missing[i]));
	for (size_t i = 0; good && i < s->nrows; i++) {
		cJSON *row = cJSON_CreateObject();

		good = row && cJSON_AddItemToArray(steps, row) &&
		       cli_row_json(&table, &s->rows[i], row);
	}
	return good && add_gate(s, gate, root) && since_facts_json(s, root) &&
	       since_runs_json(s, root) &&
	       cJSON_AddStringToObject(root, "metric", s->result.metric) &&
	       cJSON_AddStringToObject(root, "unit", s->result.unit) &&
	       cJSON_AddNumberToObject(root, "fdr", s->result.rate) &&
	       cJSON_AddStringToObject(root, "verdict",
			s->nruns < 2 * FLAME_LEVEL_RUNS ?
				diff_verdict_word(FLAME_UNSURE) :
			s->nrows ? "changed" : "unchanged");
}

static bool put_json(const struct since *s, const char *gate,
		     struct flame_text *out)
{
	cJSON *root = cJSON_CreateObject();
	char *text = root && fill_json(s, gate, root) ? cJSON_Print(root) :
							NULL;
	bool good = text && cli_print(out, "%s\n", text);

	if (!text)
		cli_no_memory(s->cli);
	cJSON_free(text);
	cJSON_Delete(root);
	return good;
}

/* The page over time --------------------------------------------------- */

/* The page of a cut beside the page: "PAGE-RUN.html"; to be freed. */
static char *page_of(const struct since *s, size_t cut)
{
	const char *output = s->cli->output, *end = strrchr(output, '.');
	const char *slash = strrchr(output, '/');
	char *name;

	if (!end || (slash && end < slash))
		end = output + strlen(output);
	return asprintf(&name, "%.*s-%zu.html", (int)(end - output), output,
			cut + 1) < 0 ? NULL : name;
}

/* The cut that a step is of; ncuts: none. */
static size_t cut_of(const struct since *s, size_t run)
{
	size_t best = s->ncuts, least = SIZE_MAX;

	for (size_t i = 0; i < s->ncuts; i++) {
		size_t d = run > s->cuts[i] ? run - s->cuts[i] :
					      s->cuts[i] - run;

		if (d < least) {
			least = d;
			best = i;
		}
	}
	return best;
}

static bool has_pages(const struct since *s)
{
	return strcmp(s->cli->output, "-") != 0;
}

static void put_link(FILE *to, const struct cli_table *table, const void *at)
{
	const struct since *s = table->own;
	const struct row *row = at;
	size_t cut = cut_of(s, (size_t)row->run - 1);
	char *page = cut < MAX_PAGES && has_pages(s) ?
			     page_of(s, s->cuts[cut]) : NULL;
	const char *slash = page ? strrchr(page, '/') : NULL;

	fputs("<td>", to);
	if (page) {
		fputs("<a href=\"", to);
		cli_html_text(to, slash ? slash + 1 : page);
		fputs("\">", to);
	}
	cli_html_text(to, row->since);
	fputs(page ? "</a></td>" : "</td>", to);
	free(page);
}

/* A bar for each run, those from the step on in the other colour. */
static void put_series(FILE *to, const struct cli_table *table, const void *at)
{
	const struct since *s = table->own;
	const struct row *row = at;
	const double *values = s->weights + row->series * s->nruns;
	double most = 0;

	for (size_t i = 0; i < s->nruns; i++)
		most = fmax(most, values[i]);
	fprintf(to, "<td><svg width=\"%zu\" height=\"40\" role=\"img\" "
		"aria-label=\"runs\">", 4 * s->nplaces);
	for (size_t i = 0; i < s->nruns; i++) {
		double height = most > 0 ? 40 * values[i] / most : 0;

		fprintf(to, "<rect%s x=\"%zu\" y=\"%.1f\" width=\"3\" "
			"height=\"%.1f\"><title>",
			s->runs[i].failed > 0 ? " class=\"f\"" :
			row->run && i + 1 >= (size_t)row->run ?
				" class=\"b\"" : "",
			4 * s->runs[i].place, 40 - height, height);
		cli_html_text(to, s->labels[i]);
		fprintf(to, ": %s%s</title></rect>",
			cli_real(table, values[i] * s->result.scale).text,
			s->runs[i].failed > 0 ? ", failed" : "");
	}
	fputs("</svg></td>", to);
}

static int by_mean(const void *a, const void *b)
{
	const struct row *x = a, *y = b;

	if (x->after != y->after)
		return x->after < y->after ? 1 : -1;
	return (x->series > y->series) - (x->series < y->series);
}

/* All of a run, and the heaviest frames of their own, without steps. */
static struct row *heaviest(const struct since *s, size_t *n)
{
	struct row *rows = calloc(s->nseries / 2 + 2, sizeof(*rows));

	*n = 0;
	for (size_t i = 1; rows && i <= s->nseries; i += 2) {
		struct row *row = &rows[(*n)++];

		*row = (struct row){ .frame = { s->series[i].name, 0, true },
				     .series = i };
		for (size_t r = 0; r < s->nruns; r++)
			row->after += s->weights[i * s->nruns + r] *
				      s->result.scale / (double)s->nruns;
	}
	if (rows && *n)
		qsort(rows, *n, sizeof(*rows), by_mean);
	return rows;
}

static void put_heaviest(const struct since *s, FILE *to)
{
	struct cli_table table = table_of(s);
	struct row all = { .series = s->nseries };
	size_t n;
	struct row *rows = heaviest(s, &n);

	for (size_t r = 0; r < s->nruns; r++)
		all.after += s->weights[s->nseries * s->nruns + r] *
			     s->result.scale / (double)s->nruns;
	table.columns = heavy_columns;
	table.rows = &all;
	table.n = 1;
	cli_table_html(&table, 0, to);
	table.rows = rows;
	table.n = rows ? n : 0;
	cli_table_html(&table, MAX_HEAVY, to);
	free(rows);
}

static const char style[] =
	"body{font:14px/1.5 sans-serif;margin:2em;color-scheme:light dark}"
	"table{border-collapse:collapse;margin:1em 0}"
	"td,th{padding:.3em .8em;border-bottom:1px solid #8886;"
	"text-align:left}"
	"svg{fill:#4a7ebb}svg .b{fill:#c8501e}"
	"svg .f{fill:none;stroke:#888}";

static bool put_page(const struct since *s, const char *summary,
		     const char *gate, struct flame_text *out)
{
	struct cli_table table = table_of(s);
	char *text = NULL;
	size_t size;
	FILE *to = open_memstream(&text, &size);
	bool good;

	if (!to)
		return cli_no_memory(s->cli);
	fprintf(to, "<!DOCTYPE html>\n<html lang=\"en\"><meta charset=\"utf-8\">"
		"<title>Runs by %s</title><style>%s</style>\n<h1>Runs by %s"
		"</h1><p>", ((const struct diff *)s->cli->own)->since, style,
		((const struct diff *)s->cli->own)->since);
	cli_html_text(to, summary);
	fputs("</p>", to);
	if (gate) {
		fputs("<p><b>", to);
		cli_html_text(to, gate);
		fputs("</b></p>", to);
	}
	if (s->nrows)
		cli_table_html(&table, MAX_ROWS, to);
	put_heaviest(s, to);
	since_put_runs(s, to);
	fputs("</html>\n", to);
	good = fclose(to) == 0 &&
	       flame_text_put(out, text, strlen(text)) == FLAME_OK;
	free(text);
	return good;
}

/* The pages of comparisons that the page leads to. */
static int put_comparisons(struct since *s)
{
	struct diff *diff = s->cli->own;
	const char *output = s->cli->output;
	const double gate = diff->gate;
	int status = CLI_FINE;

	diff->gate = 0;
	for (size_t i = 0; status == CLI_FINE && i < s->ncuts &&
			   i < MAX_PAGES; i++) {
		char *page = page_of(s, s->cuts[i]);
		struct flame_trials *trials = page ? compare_levels(s,
			i ? s->cuts[i - 1] : 0, s->cuts[i],
			i + 1 < s->ncuts ? s->cuts[i + 1] : s->nruns) : NULL;

		s->cli->output = page;
		status = trials ? diff_report(s->cli, &s->result) :
				  CLI_TROUBLE;
		s->cli->output = output;
		free(s->result.other);
		s->result.other = NULL;
		flame_trials_free(trials);
		free(page);
	}
	diff->gate = gate;
	return status;
}

static bool put_report(struct since *s, const char *summary, const char *gate,
		       struct flame_text *out)
{
	const char *format = s->cli->output_format;

	return strcmp(format, "json") == 0     ? put_json(s, gate, out) :
	       strcmp(format, "markdown") == 0 ?
			put_markdown(s, summary, gate, out) :
	       strcmp(format, "html") == 0     ?
			put_page(s, summary, gate, out) :
			put_text(s, summary, gate, out);
}

/* An exit status, before that of the gate. */
static int report(struct since *s, const char *gate)
{
	char *summary = summary_of(s);
	struct flame_text *out = summary ? flame_text_create(s->flame,
						s->cli->output) : NULL;
	int status = CLI_TROUBLE;

	if (out && put_report(s, summary, gate, out))
		status = cli_text_finish(s->cli, out);
	else
		flame_text_abandon(out);
	if (!summary)
		cli_no_memory(s->cli);
	free(summary);
	if (status == CLI_FINE && has_pages(s) &&
	    strcmp(s->cli->output_format, "html") == 0)
		status = put_comparisons(s);
	return status;
}

static int judge_and_report(struct since *s)
{
	const struct diff *diff = s->cli->own;
	char *gate = diff->gate > 0 ? judge_last(s) : NULL;
	struct flame_judgement judgement = s->result.judgement;
	int status = CLI_TROUBLE;

	if (diff->gate <= 0 || gate)
		status = report(s, gate);
	s->result.judgement = judgement;
	free(gate);
	return status == CLI_FINE ? diff_status(s->cli, &s->result) : status;
}

static void free_since(struct since *s)
{
	for (size_t i = 0; s->labels && i < s->nruns; i++)
		free(s->labels[i]);
	free(s->labels);
	for (size_t i = 0; s->runs && i < s->nruns; i++)
		free(s->runs[i].weights);
	free(s->runs);
	free(s->series);
	free(s->series_of);
	free(s->open);
	free(s->weights);
	flame_split_free(s->split);
	free(s->rows);
	free(s->cuts);
	free(s->input_steps);
}

int diff_since(struct cli *cli, struct flame *flame,
	       struct cli_reading *reading)
{
	const struct diff *diff = cli->own;
	struct since s = { .cli = cli, .flame = flame, .result = {
		.flame = flame, .rate = diff->rate, .unit = "samples",
		.metric = "", .scale = 1,
		.scaling = diff->normalize ? FLAME_SHARES : FLAME_ABSOLUTE,
	} };
	int status = CLI_TROUBLE;

	if (read_inputs(&s, reading) && is_any_selected(&s) && list_runs(&s) &&
	    name_runs(&s) && find_metric(&s) && gather(&s) &&
	    check_labels(&s) && since_read_facts(&s) && find_steps(&s)) {
		since_find_missing(&s);
		status = judge_and_report(&s);
	}
	free_since(&s);
	return status;
}
