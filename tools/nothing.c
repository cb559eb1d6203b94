/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Explains an empty selection: which option asked for a name that the inputs do
 * not have, the names they have, and the nearest one.  Files are read once more
 * for that, without the selection.
 */
#include "cli.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { MAX_NAMES = 6 };		/* that a message lists */

struct line {
	char text[2048];
	size_t size;
};

__attribute__((format(printf, 2, 3)))
static void add(struct line *line, const char *format, ...)
{
	va_list args;
	int n;

	va_start(args, format);
	n = vsnprintf(line->text + line->size, sizeof(line->text) - line->size,
		      format, args);
	va_end(args);
	if (n > 0)
		line->size += (size_t)n;
	if (line->size >= sizeof(line->text))
		line->size = sizeof(line->text) - 1;
}

static const char *value_of(const struct cli_list *list, const char *name)
{
	for (size_t i = 0; i < list->n; i++)
		if (strcmp(list->at[i].name, name) == 0)
			return list->at[i].value;
	return NULL;
}

static const char *root_of(const struct cli *cli)
{
	const char *root = value_of(&cli->filters, "root");

	return root ? root : value_of(&cli->filters, "root-innermost");
}

bool cli_selects(const struct cli *cli)
{
	return cli->event || value_of(&cli->sets, "events") ||
	       value_of(&cli->asks, "thread") ||
	       value_of(&cli->asks, "state") || root_of(cli);
}

/* Names, and where in them something may begin that was asked for. */
struct names {
	const char **at;
	size_t n, capacity;
};

static bool add_name(struct names *names, const char *name)
{
	const char **more;

	if (names->n == names->capacity) {
		more = reallocarray(names->at, names->capacity * 2 + 64,
				    sizeof(*more));
		if (!more)
			return false;
		names->at = more;
		names->capacity = names->capacity * 2 + 64;
	}
	names->at[names->n++] = name;
	return true;
}

/* "a/b/C$D.run": also from b, C, D and run on. */
static bool add_parts(struct names *names, const char *name)
{
	for (const char *at = name; at; at += strspn(at, "./$:;["))
		if ((*at && !add_name(names, at)) ||
		    !(at = strpbrk(at, "./$:;[")))
			return true;
	return true;
}

/* The samples of the inputs that are files, without thread, state and root. */
static bool read_again(struct cli *cli, struct flame *flame,
		       struct flame_sink *sink, char **inputs, size_t n)
{
	struct flame_source *source;
	struct stat st;
	bool good = true;

	for (size_t i = 0; good && i < n; i++) {
		if (stat(inputs[i], &st) != 0 || !S_ISREG(st.st_mode))
			continue;
		source = flame_open(flame, inputs[i], cli->input_format);
		if (source && cli->event)
			good = flame_ask(source, "event", cli->event) ==
			       FLAME_OK;
		good = source && good && flame_pump(source, sink) == FLAME_OK;
		flame_close(source);
	}
	return good;
}

/* A tree of them; with a key, its values are the first frames. */
static struct flame_tree *gather(struct cli *cli, struct flame *flame,
				 const char *key, char **inputs, size_t n)
{
	struct flame_tree *tree = flame_tree_new(flame, 1);
	struct flame_sink *sink = tree ? flame_tree_sink(tree, 0) : NULL,
			  *front = sink;

	if (sink && key)
		front = flame_filter(sink, "by", key);
	if (sink && front && read_again(cli, flame, front, inputs, n) &&
	    flame_finish(front) == FLAME_OK)
		return tree;
	flame_abandon(front ? front : sink);
	flame_tree_free(tree);
	return NULL;
}

/* A pattern's letters, without the signs of regular expressions. */
static void plain(char *to, size_t capacity, const char *pattern)
{
	size_t n = 0;

	for (; *pattern && *pattern != '\n' && n + 1 < capacity; pattern++)
		if (!strchr("^\\*+?()[]|", *pattern) &&
		    !(*pattern == '$' && !pattern[1]))
			to[n++] = *pattern;
	to[n] = '\0';
}

static void suggest(struct line *line, const char *wanted,
		    const struct names *names)
{
	char word[256];
	const char *nearest;

	plain(word, sizeof(word), wanted);
	nearest = flame_nearest(word, names->at, names->n);
	if (nearest)
		add(line, " (did you mean %.200s?)", nearest);
}

/* The value that --by gives to samples without one. */
static bool is_none(const char *name)
{
	return strncmp(name, "[no ", 4) == 0;
}

/* The values of a key, the heaviest first. */
static void report_values(struct cli *cli, struct line *line, const char *key,
			  const char *wanted, char **inputs, size_t n)
{
	struct flame *flame = flame_new();
	struct flame_tree *tree =
		flame ? gather(cli, flame, key, inputs, n) : NULL;
	const struct flame_node *nodes;
	struct names names = { 0 };
	size_t count;
	bool good = tree && flame_tree_nodes(tree, 0, &nodes, &count) ==
			    FLAME_OK;

	for (size_t i = 0; good && i < count; i++)
		if (nodes[i].level == 1 && nodes[i].type == FLAME_GROUP &&
		    !is_none(flame_name_text(flame, nodes[i].name, NULL)))
			good = add_name(&names,
					flame_name_text(flame, nodes[i].name,
							NULL));
	if (good)
		suggest(line, wanted, &names);
	if (good && !names.n)
		add(line, " (no %s is known there)", key);
	for (size_t i = 0; good && i < names.n && i < MAX_NAMES; i++)
		add(line, "%s%.80s", i ? ", " : "; there is ", names.at[i]);
	if (good && names.n > MAX_NAMES)
		add(line, " and %zu more", names.n - MAX_NAMES);
	free(names.at);
	flame_tree_free(tree);
	flame_free(flame);
}

static void report_functions(struct cli *cli, struct line *line,
			     const char *wanted, char **inputs, size_t n)
{
	struct flame *flame = flame_new();
	struct flame_tree *tree =
		flame ? gather(cli, flame, NULL, inputs, n) : NULL;
	const struct flame_rank *ranks;
	struct names names = { 0 };
	size_t count;
	bool good = tree && flame_tree_rank(tree, FLAME_NAMES, NULL, &ranks,
					    &count) == FLAME_OK;

	for (size_t i = 0; good && i < count; i++)
		good = add_parts(&names, flame_name_text(flame, ranks[i].name,
							 NULL));
	if (good)
		suggest(line, wanted, &names);
	free(names.at);
	flame_tree_free(tree);
	flame_free(flame);
}

static void report_metrics(const struct flame *flame, struct line *line,
			   const char *wanted, bool several)
{
	struct names names = { 0 };
	const char *between = "; there is ";

	for (unsigned i = 1; i <= flame_metrics(flame); i++) {
		const struct flame_metric *m = flame_metric_of(flame, i);

		if (m->samples > m->no_stack && !add_name(&names, m->name))
			break;
	}
	suggest(line, wanted, &names);
	for (unsigned i = 1; i <= flame_metrics(flame); i++) {
		const struct flame_metric *m = flame_metric_of(flame, i);

		if (m->samples <= m->no_stack)
			continue;
		add(line, "%s%s %" PRIu64, between, m->name, m->samples);
		between = ", ";
	}
	if (several)
		add(line, " (--events takes several, each behind a tab)");
	free(names.at);
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

void cli_explain_nothing(struct cli *cli, const struct flame *flame,
			 char **inputs, size_t n)
{
	const char *events = value_of(&cli->sets, "events");
	const char *thread = value_of(&cli->asks, "thread");
	const char *state = value_of(&cli->asks, "state");
	const char *root = root_of(cli);
	struct line line = { .size = 0 };

	if (n <= 1)
		add(&line, "%s: ", n && strcmp(inputs[0], "-") != 0 ?
				   inputs[0] : "standard input");
	add(&line, "nothing was selected");
	if (cli->event && !has_metric(flame, cli->event)) {
		add(&line, " by --event %s", cli->event);
		report_metrics(flame, &line, cli->event,
			       strchr(cli->event, ','));
	} else if (events && strcmp(events, "all") != 0 && !thread && !state &&
		   !root) {
		add(&line, " by --events %s", events);
		report_metrics(flame, &line, events, false);
	} else if (thread) {
		add(&line, " by --thread %s", thread);
		report_values(cli, &line, "thread", thread, inputs, n);
	} else if (state) {
		add(&line, " by --state %s", state);
		report_values(cli, &line, "state", state, inputs, n);
	} else if (root) {
		add(&line, " by --root %s", root);
		report_functions(cli, &line, root, inputs, n);
	}
	cli_say(cli, "%s (--empty ok allows it)", line.text);
}
