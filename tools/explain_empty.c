/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Explains an empty selection: the first option that left nothing, and what it
 * could have named.  Files are read again for that, with more and more of the
 * options; of a pipe the options are named, and the nearest of its frames.
 */
#include "explain_empty.h"

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

/* Those of reading, in the order in which a sample meets them. */
static const char *const asks[] = {
	"event", "leak", "thread", "state", "tag", "latency", "from", "to",
};

static bool is_cut(const struct cli *cli, const char *filter)
{
	static const char *const filters[] = {
		"label", "keep", "drop", "include", "exclude", "grain",
	};

	for (size_t i = 0; i < sizeof(filters) / sizeof(*filters); i++)
		if (strcmp(filter, filters[i]) == 0)
			return true;
	return strncmp(filter, "root", 4) == 0 &&
	       strcmp(filter, "root-keep-rest") != 0 &&
	       !value_of(&cli->filters, "root-keep-rest");
}

static size_t find_cuts(const struct cli *cli, struct cut cuts[MAX_CUTS])
{
	const char *events = value_of(&cli->sets, "events"), *value;
	size_t n = 0;

	if (events && strcmp(events, "all") != 0)
		cuts[n++] = (struct cut){ "events", events, 0 };
	for (size_t i = 0; i < sizeof(asks) / sizeof(*asks); i++)
		if ((value = value_of(&cli->asks, asks[i])))
			cuts[n++] = (struct cut){ asks[i], *value ? value :
							   NULL, 0 };
	for (size_t i = 0; i < cli->filters.n && n < MAX_CUTS; i++)
		if (is_cut(cli, cli->filters.at[i].name))
			cuts[n++] = (struct cut){ cli->filters.at[i].name,
						  cli->filters.at[i].value,
						  i + 1 };
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

		if ((strcmp(cut->name, "event") == 0 &&
		     !has_metric(flame, cut->value)) ||
		    (strcmp(cut->name, "leak") == 0 &&
		     !has_metric(flame, "nativemem")) ||
		    (strcmp(cut->name, "events") == 0 &&
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
	    strcmp(cuts->data[0].name, "label") != 0 &&
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
		choices_add_metrics(flame, line, absent->value ?
					 absent->value : "nativemem");
		if (strcmp(absent->name, "event") == 0 &&
		    strchr(absent->value, ','))
			line_add(line, " (--events takes several, each behind "
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
