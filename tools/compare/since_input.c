/* SPDX-License-Identifier: Apache-2.0 */
/*
 * flame-diff --since: since_read_facts() finds how much input each run read,
 * and which runs failed, in rows that an archive has; the inputs are read a
 * second time for that.  Frames whose weights go with the input are compared by
 * their weight per input, so that a run with more input is not a change.
 * Called by since.c.
 */
#include "compare/since.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

/* Metrics that cost.c writes for archives; the first that all runs have. */
static const struct {
	const char *name, *unit;
} inputs[] = {
	{ "input-records", "records" }, { "input", "bytes" },
};
enum { INPUTS = sizeof(inputs) / sizeof(*inputs) };
static const char metrics[] = "input-records,input,failed";

/* Their sums need no stack, so that stacks are not even decoded. */
static char no_frames[] = "0";

/* Reading ------------------------------------------------------------------ */

/* Whether rows of these metrics were seen; a pipe is not read again. */
static bool may_have_facts(const struct since *s)
{
	struct stat st;
	bool found = false;

	for (unsigned i = 1; i <= flame_metrics(s->flame); i++) {
		const char *name = flame_metric_of(s->flame, i)->name;

		found |= strcmp(name, "failed") == 0;
		for (size_t k = 0; k < INPUTS; k++)
			found |= strcmp(name, inputs[k].name) == 0;
	}
	for (size_t i = 0; found && i < s->cli->ninputs; i++)
		found = stat(s->cli->inputs[i], &st) == 0 &&
			S_ISREG(st.st_mode);
	return found;
}

/*
 * The options of the first reading that select by labels; to be freed.
 */
static bool select_labels(struct cli *cli, struct cli_pair **pairs)
{
	size_t n = 0, asks = 0;

	*pairs = calloc(cli->filters.n + cli->asks.n + 1, sizeof(**pairs));
	if (!*pairs)
		return cli_no_memory(cli);
	for (size_t i = 0; i < cli->filters.n; i++)
		if (strcmp(cli->filters.at[i].name, "label") == 0)
			(*pairs)[n++] = cli->filters.at[i];
	(*pairs)[n++] = (struct cli_pair){
		.name = "depth", .value = no_frames };
	for (size_t i = 0; i < cli->asks.n; i++)
		if (strcmp(cli->asks.at[i].name, "event") != 0)
			(*pairs)[n + asks++] = cli->asks.at[i];
	cli->filters = (struct cli_list){ *pairs, n, n };
	cli->asks = (struct cli_list){ *pairs + n, asks, asks };
	cli->event = NULL;
	cli->muted = true;	/* the first reading has reported it all */
	return true;
}

static bool read_again(const struct since *s, struct flame *flame,
		       struct flame_split *split, struct flame_tree *tree)
{
	struct cli cli = *s->cli;
	const char *key = ((const struct diff *)cli.own)->since;
	struct cli_pair *pairs = NULL;
	struct cli_reading reading = { 0 };
	struct flame_sink *like = flame_tree_sink(tree, 0), *sink = NULL;
	bool good = false;

	if (like && flame_set(like, "events", metrics) == FLAME_OK)
		sink = flame_split_sink(split, like, key, NULL);
	flame_abandon(like);
	if (select_labels(&cli, &pairs))
		good = cli_merge(&cli, flame, cli_chain(&cli, sink, NULL),
				 cli.inputs, cli.ninputs, &reading);
	else
		flame_abandon(sink);
	free(pairs);
	return good || cli_passes_losses(s->cli);
}

static struct run *run_of(const struct since *s, struct flame *flame,
			  flame_id keys)
{
	const char *key = ((const struct diff *)s->cli->own)->since;
	flame_id value = flame_label_get(flame, keys,
					 flame_name(flame, key, strlen(key)));
	size_t size, other;
	const char *name = flame_name_text(flame, value, &size);

	for (size_t r = 0; value && r < s->nruns; r++) {
		const char *text = flame_name_text(s->flame, s->runs[r].name,
						   &other);

		if (size == other && memcmp(text, name, size) == 0)
			return &s->runs[r];
	}
	return NULL;
}

/* Adds the weights of a part, by metric. */
static bool add_part(struct since *s, struct flame *flame,
		     struct flame_split *split, size_t i, double *sums)
{
	struct run *run = run_of(s, flame, flame_split_at(split, i)->keys);
	struct flame_tree *tree = flame_tree_new(flame, 1);
	struct flame_sink *sink = tree ? flame_tree_sink(tree, 0) : NULL;
	bool good = sink && flame_set(sink, "events", "all") == FLAME_OK &&
		    flame_split_put(split, i, sink) == FLAME_OK;
	const struct flame_tree *of;

	if (good)
		good = flame_finish(sink) == FLAME_OK;
	else
		flame_abandon(sink);
	for (size_t k = 0; good && run && (of = flame_tree_at(tree, k)); k++) {
		const char *metric = flame_tree_metric(of);
		double weight = (double)flame_tree_total(of, 0);

		if (strcmp(metric, "failed") == 0)
			run->failed = weight;
		for (size_t m = 0; m < INPUTS; m++)
			if (strcmp(metric, inputs[m].name) == 0)
				sums[m * s->nruns + (size_t)(run - s->runs)] =
					weight;
	}
	flame_tree_free(tree);
	return good;
}

/* The first metric that all runs have. */
static void choose_input(struct since *s, const double *sums)
{
	for (size_t m = 0; m < INPUTS && !s->input; m++) {
		const double *of = sums + m * s->nruns;
		bool known = s->nruns;

		for (size_t r = 0; r < s->nruns; r++)
			known = known && of[r] > 0;
		for (size_t r = 0; known && r < s->nruns; r++)
			s->runs[r].input = of[r];
		s->input = known ? inputs[m].unit : NULL;
	}
}

bool since_read_facts(struct since *s)
{
	struct flame *flame;
	struct flame_split *split;
	struct flame_tree *tree;
	double *sums;
	bool good;

	if (!may_have_facts(s))
		return true;
	flame = flame_new();
	split = flame ? flame_split_new(flame) : NULL;
	tree = flame ? flame_tree_new(flame, 1) : NULL;
	sums = calloc(INPUTS * s->nruns + 1, sizeof(*sums));
	good = split && tree && sums;
	if (good)
		flame_threads(flame, s->cli->threads);
	else
		cli_no_memory(s->cli);
	good = good && read_again(s, flame, split, tree);
	for (size_t i = 0; good && flame_split_at(split, i); i++)
		good = add_part(s, flame, split, i, sums);
	if (good)
		choose_input(s, sums);
	else if (flame)
		cli_say(s->cli, "%s", flame_error(flame));
	free(sums);
	flame_tree_free(tree);
	flame_split_free(split);
	flame_free(flame);
	return good;
}

/* Scaling ------------------------------------------------------------------ */

static double mean_input(const struct since *s)
{
	double sum = 0;

	for (size_t r = 0; r < s->nruns; r++)
		sum += s->runs[r].input;
	return sum / (double)s->nruns;
}

/* How far a series moves from run to run, in parts of its mean. */
static double variation(const struct since *s, const double *weights,
			bool per_input)
{
	double moved = 0, sum = 0, last = 0;

	for (size_t r = 0; r < s->nruns; r++) {
		double w = weights[r] / (per_input ? s->runs[r].input : 1);

		moved += r ? fabs(w - last) : 0;
		sum += w;
		last = w;
	}
	return sum > 0 ? moved / sum : 0;
}

/* Input is counted, not sampled: steps of it need little chance of error. */
static const double INPUT_RATE = 0.001;

static void add_input_step(void *arg, const struct flame_step *step)
{
	struct since *s = arg;

	if (cli_grow(s->cli, &s->input_steps, &s->input_capacity,
		     s->ninput_steps + 1, sizeof(*s->input_steps)))
		s->input_steps[s->ninput_steps++] = (struct input_step){
			step->run, step->after / step->before };
}

static bool find_input_steps(struct since *s)
{
	double *input = calloc(s->nruns + 1, sizeof(*input));
	bool good = input;

	for (size_t r = 0; input && r < s->nruns; r++)
		input[r] = s->runs[r].input;
	good = good && flame_find_steps(s->flame, input, 1, s->nruns, false,
					INPUT_RATE, add_input_step, s) ==
		       FLAME_OK;
	free(input);
	return good || cli_no_memory(s->cli);
}

bool since_scale_by_input(struct since *s)
{
	double mean;

	if (!s->input)
		return true;
	mean = mean_input(s);
	/* The row after the last is that of all. */
	for (size_t i = 0; i <= s->nseries; i++) {
		double *weights = s->weights + i * s->nruns;
		bool per_input = variation(s, weights, true) <
				 variation(s, weights, false);

		for (size_t r = 0; per_input && r < s->nruns; r++)
			weights[r] *= mean / s->runs[r].input;
		if (i == s->nseries)
			s->all_per_input = per_input;
		else
			s->series[i].per_input = per_input;
		s->nper_input += per_input;
	}
	return find_input_steps(s);
}

/* The mean of runs of the other series: per input, or not. */
static double other_mean(const struct since *s, size_t series, size_t from,
			 size_t to)
{
	const double *weights = s->weights + series * s->nruns;
	double mean = mean_input(s), sum = 0;

	for (size_t r = from; r < to; r++) {
		double by = s->runs[r].input / mean;

		sum += s->series[series].per_input ? weights[r] * by :
						     weights[r] / by;
	}
	return sum / (double)(to - from);
}

/*
 * Of a step up, the weight and the weight per input go up: else an input that
 * costs something between nothing and its part of the whole explains it.
 */
void since_drop_explained(struct since *s)
{
	size_t n = 0, from = 0;

	for (size_t i = 0; s->input && i < s->nrows; i++) {
		struct row row = s->rows[i];
		size_t at = (size_t)row.run - 1;
		bool more = i + 1 < s->nrows &&
			    s->rows[i + 1].series == row.series;
		size_t to = more ? (size_t)s->rows[i + 1].run - 1 : s->nruns;
		double before = other_mean(s, row.series, from, at);
		double after = other_mean(s, row.series, at, to);

		if ((after > before) == (row.after > row.before))
			s->rows[n++] = row;
		from = more ? at : 0;
	}
	s->nrows = s->input ? n : s->nrows;
}

/* Output ------------------------------------------------------------------- */

void since_put_facts(const struct since *s, FILE *to)
{
	size_t n = 0;

	for (size_t i = 0; i < s->ninput_steps; i++)
		fprintf(to, "%s%+.1f%% since %s", i ? ", " : "  Input: ",
			(s->input_steps[i].ratio - 1) * 100,
			s->labels[s->input_steps[i].run]);
	if (s->ninput_steps)
		fprintf(to, " (%s); frames that go with it are compared per "
			"input.", s->input);
	for (size_t r = 0; r < s->nruns; r++)
		if (s->runs[r].failed > 0 && ++n <= SINCE_MAX_LISTED)
			fprintf(to, "%s%s", n > 1 ? ", " : "  Failed: ",
				s->labels[r]);
	if (n)
		fputs(n > SINCE_MAX_LISTED ? ", ..." : ".", to);
}

static bool input_json(const struct since *s, cJSON *root)
{
	cJSON *input = cJSON_AddObjectToObject(root, "input");
	cJSON *runs = cJSON_AddArrayToObject(input, "runs");
	cJSON *steps = cJSON_AddArrayToObject(input, "changes");
	bool good = runs && steps &&
		    cJSON_AddStringToObject(input, "unit", s->input);

	for (size_t r = 0; good && r < s->nruns; r++)
		good = cJSON_AddItemToArray(runs, cJSON_CreateNumber(
						s->runs[r].input));
	for (size_t i = 0; good && i < s->ninput_steps; i++) {
		const struct input_step *at = &s->input_steps[i];
		cJSON *step = cJSON_CreateObject();

		good = step && cJSON_AddItemToArray(steps, step) &&
		       cJSON_AddStringToObject(step, "since",
					       s->labels[at->run]) &&
		       cJSON_AddNumberToObject(step, "change", at->ratio - 1);
	}
	return good;
}

bool since_facts_json(const struct since *s, cJSON *root)
{
	cJSON *failed = cJSON_AddArrayToObject(root, "failed");
	bool good = failed;

	for (size_t r = 0; good && r < s->nruns; r++)
		if (s->runs[r].failed > 0)
			good = cJSON_AddItemToArray(failed, cJSON_CreateString(
							s->labels[r]));
	return good && (!s->input || input_json(s, root));
}
