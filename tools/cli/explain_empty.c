/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cli_explain_nothing() explains an empty selection: it prints the first option
 * that left nothing, and what it could have named (explain_choices.c).  Files
 * are read again for that, with more and more of the options; of a pipe the
 * options are named, and the nearest of its frames.  Called by cli.c,
 * flame-batch, flame-diff --since and flame-record.
 */
#include "cli/explain_empty.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* Of many files the first ones are read again. */
enum { MAX_CUTS = 64, MAX_FILES = 32 };

static const char *value_of(const struct cli_list *list, const char *name)
{
	for (size_t i = 0; i < list->n; i++)
		if (strcmp(list->at[i].name, name) == 0)
			return list->at[i].value ? list->at[i].value : "";
	return NULL;
}

static void add_cut(struct cut cuts[MAX_CUTS], size_t *n, const char *name,
		    const char *value, enum flame_selects by, size_t filter)
{
	/* "all" chooses none of the metrics. */
	if (*n == MAX_CUTS || !by ||
	    (by == FLAME_BY_METRICS && value && strcmp(value, "all") == 0))
		return;
	cuts[(*n)++] = (struct cut){ name, value && *value ? value : NULL, by,
				     filter };
}

/* Those of the rows of a kind that were given. */
static void add_cuts(struct cut cuts[MAX_CUTS], size_t *n, char kind,
		     const struct cli_list *list)
{
	struct flame_row_facts facts;
	struct flame_row row;
	const char *value;

	for (unsigned i = 0; flame_rows(kind, i, &row); i++)
		if ((value = value_of(list, row.name)) &&
		    flame_row_facts(kind, row.name, &facts))
			add_cut(cuts, n, row.name, value, facts.selects, 0);
}

/* In the order in which a sample meets them. */
static size_t find_cuts(const struct cli *cli, struct cut cuts[MAX_CUTS])
{
	struct flame_row_facts facts;
	size_t n = 0;

	add_cuts(cuts, &n, 'w', &cli->sets);
	add_cuts(cuts, &n, 's', &cli->asks);
	for (size_t i = 0; i < cli->filters.n; i++) {
		const struct cli_pair *filter = &cli->filters.at[i];

		if (flame_row_facts('f', filter->name, &facts) &&
		    !(facts.unless && value_of(&cli->filters, facts.unless)))
			add_cut(cuts, &n, filter->name, filter->value,
				facts.selects, i + 1);
	}
	return n;
}

bool cli_selects(const struct cli *cli)
{
	struct cut cuts[MAX_CUTS];

	return find_cuts(cli, cuts) > 0;
}

/* "--keep a --keep b" */
static void add_option(struct line *line, const struct cut *cut)
{
	const char *value = cut->value ? cut->value : "";

	do {
		size_t n = strcspn(value, "\n");

		line_add(line, "%s--%s%s%.*s",
			 line->text[line->size - 1] == ' ' ? "" : " ",
			 cut->name, cut->value ? " " : "",
			 n > 200 ? 200 : (int)n, value);
		value += n + (value[n] == '\n');
	} while (*value);
}

static bool has_metric(const struct flame *flame, const char *name)
{
	for (unsigned i = 1; i <= flame_metrics(flame); i++) {
		const struct flame_metric *m = flame_metric_of(flame, i);

		if (strcmp(m->name, name) == 0 && m->samples > m->no_stack)
			return true;
	}
	return false;
}

static bool is_any(const struct flame *flame, const char *list)
{
	for (unsigned i = 1; i <= flame_metrics(flame); i++) {
		const struct flame_metric *m = flame_metric_of(flame, i);

		if (m->samples > m->no_stack && strstr(list, m->name))
			return true;
	}
	return false;
}

/* A metric that is not there is known without reading again. */
static const struct cut *absent_metric(const struct flame *flame,
				       const struct cuts *cuts)
{
	for (size_t i = 0; i < cuts->count; i++) {
		const struct cut *cut = &cuts->data[i];

		if ((cut->by == FLAME_BY_METRIC &&
		     !has_metric(flame, cut_metric(cut))) ||
		    (cut->by == FLAME_BY_METRICS &&
		     !is_any(flame, cut->value)))
			return flame_metrics(flame) ? cut : NULL;
	}
	return NULL;
}

/* The first option that leaves nothing; count: unknown. */
static size_t first_of_nothing(const struct cuts *cuts)
{
	/* The others may have all the samples. */
	if (cuts->nfiles == MAX_FILES && !choices_remain(cuts, 0))
		return cuts->count;
	for (size_t i = 0; i < cuts->count; i++)
		if (!choices_remain(cuts, i + 1))
			return i;
	return cuts->count;
}

static bool are_files(char **inputs, size_t n)
{
	struct stat st;

	for (size_t i = 0; i < n; i++)
		if (stat(inputs[i], &st) != 0 || !S_ISREG(st.st_mode))
			return false;
	return true;
}

static void explain_by_frames(struct flame *flame, const struct cuts *cuts,
			      struct line *line)
{
	for (size_t i = 0; i < cuts->count; i++)
		add_option(line, &cuts->data[i]);
	if (cuts->count == 1 && cuts->data[0].filter && cuts->data[0].value &&
	    cuts->data[0].by != FLAME_BY_LABEL &&
	    flame_clear(flame) == FLAME_OK)
		choices_add_frames(flame, line, cuts->data[0].value);
}

static void explain(struct flame *flame, const struct cuts *cuts,
		    struct line *line)
{
	const struct cut *absent = absent_metric(flame, cuts);
	size_t i;

	line_add(line, "nothing was selected by ");
	if (absent) {
		add_option(line, absent);
		choices_add_metrics(flame, line, cut_metric(absent));
		if (absent->by == FLAME_BY_METRIC &&
		    strchr(cut_metric(absent), ','))
			line_add(line, " (--events accepts several, each in "
				 "a tab)");
		return;
	}
	i = cuts->nfiles && are_files(cuts->files, cuts->nfiles) &&
	    !cuts->cli->fetch ?
	    first_of_nothing(cuts) : cuts->count;
	if (i == cuts->count) {
		explain_by_frames(flame, cuts, line);
		return;
	}
	add_option(line, &cuts->data[i]);
	choices_add(cuts, i, line);
}

void cli_explain_nothing(struct cli *cli, struct flame *flame,
			 char **inputs, size_t n, bool any)
{
	struct cut data[MAX_CUTS];
	struct cuts cuts = {
		.cli = cli, .data = data, .count = find_cuts(cli, data),
		.files = inputs, .nfiles = n < MAX_FILES ? n : MAX_FILES,
	};
	struct line line = { .size = 0 };

	if (n <= 1)
		line_add(&line, "%s: ", cli->tool->command ? "the recording" :
			 n && strcmp(inputs[0], "-") != 0 ?
				 inputs[0] : "standard input");
	if (cuts.count && any)
		explain(flame, &cuts, &line);
	else
		line_add(&line, "there is no sample%s",
			 n > 1 ? " in these inputs" : " in it");
	cli_say(cli, "%s (--empty ok allows it)", line.text);
}
