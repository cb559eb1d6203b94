/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finds what an option that selected nothing could have named: values of a
 * label, metrics, frames, the span of time.  The files are read again, with the
 * options before it; what there is, and the nearest name, are added to the
 * message of explain_empty.c.  cli_list_labels() is for flame-batch and
 * flame-diff --since.
 */
#include "cli/explain_empty.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_NAMES = 6 };		/* that a message lists */

void line_add(struct line *line, const char *format, ...)
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

/* Names, and where in them something may begin that was asked for. */
struct names {
	const char **data;
	size_t count, capacity;
};

static bool add_name(struct names *names, const char *name)
{
	const char **more;

	if (names->count == names->capacity) {
		more = reallocarray(names->data, names->capacity * 2 + 64,
				    sizeof(*more));
		if (!more)
			return false;
		names->data = more;
		names->capacity = names->capacity * 2 + 64;
	}
	names->data[names->count++] = name;
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

/* The letters of a pattern, the first of several. */
static void plain(char *to, size_t capacity, const char *pattern)
{
	size_t n = 0;

	for (; *pattern && *pattern != '\n' && n + 1 < capacity; pattern++)
		if (!strchr("^\\*+?()[]|", *pattern) &&
		    !(*pattern == '$' && !pattern[1]))
			to[n++] = *pattern;
	to[n] = '\0';
}

static bool suggest(struct line *line, const char *wanted,
		    const struct names *names)
{
	char word[256];
	const char *nearest;

	plain(word, sizeof(word), wanted);
	nearest = flame_nearest(word, names->data, names->count);
	/* It is there; something else leaves none of it. */
	if (nearest && strcmp(nearest, word) == 0)
		return false;
	if (nearest)
		line_add(line, " (did you mean %.200s?)", nearest);
	return nearest;
}

static void list(struct line *line, const struct names *names)
{
	size_t n = names->count;

	for (size_t i = 0; i < n && i < MAX_NAMES; i++)
		line_add(line, "%s%.80s", i ? ", " : "; there is ",
			 names->data[i]);
	if (n > MAX_NAMES)
		line_add(line, " and %zu more", n - MAX_NAMES);
}

/* Reading again ------------------------------------------------------- */

static bool is_cut(const struct cuts *cuts, size_t from, const char *name)
{
	for (size_t i = from; i < cuts->count; i++)
		if (!cuts->data[i].filter &&
		    strcmp(cuts->data[i].name, name) == 0)
			return true;
	return false;
}

/* NULL: it cannot be read. */
static struct flame_source *open_file(const struct cuts *cuts, size_t n,
				      struct flame *flame, const char *path)
{
	const struct cli *cli = cuts->cli;
	struct flame_source *source = flame_open(flame, path,
						 cli->input_format);

	for (size_t i = 0; source && i < cli->asks.n; i++) {
		const struct cli_pair *ask = &cli->asks.at[i];

		if (!is_cut(cuts, n, ask->name) &&
		    flame_ask(source, ask->name, ask->value) != FLAME_OK) {
			flame_close(source);
			return NULL;
		}
	}
	return source;
}

/*
 * The metrics that stay apart with the first n options; NULL: one is
 * chosen.  A metric is chosen that samples are left of, so options before may
 * name what any metric has.
 */
static const char *events_of(const struct cuts *cuts, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (cuts->data[i].by == FLAME_BY_METRICS)
			return cuts->data[i].value;
	return n < cuts->count && !cuts->data[n].filter && !cuts->cli->event ?
	       "all" : NULL;
}

/* The filters before the option n, and the choice of a metric. */
static struct flame_sink *make_chain(const struct cuts *cuts, size_t n,
				     struct flame_sink *sink)
{
	const struct cli *cli = cuts->cli;
	size_t end = cli->filters.n;

	for (size_t i = n; i < cuts->count && end == cli->filters.n; i++)
		if (cuts->data[i].filter)
			end = cuts->data[i].filter - 1;
	for (size_t i = end; i--;)
		sink = flame_filter(sink, cli->filters.at[i].name,
				    cli->filters.at[i].value);
	return flame_pick(sink, is_cut(cuts, n, "event") ? NULL : cli->event);
}

static bool read_files(const struct cuts *cuts, size_t n, struct flame *flame,
		       struct flame_sink *sink)
{
	for (size_t i = 0; i < cuts->nfiles; i++) {
		struct flame_source *source = open_file(cuts, n, flame,
							cuts->files[i]);
		bool good = source && flame_pump(source, sink) == FLAME_OK;

		flame_close(source);
		if (!good && flame_clear(flame) != FLAME_OK)
			return false;
	}
	return true;
}

/* A tree of what the first n options leave; its first frames: a key's values. */
static struct flame_tree *gather(const struct cuts *cuts, size_t n,
				 struct flame *flame, const char *key)
{
	struct flame_tree *tree = flame_tree_new(flame, 1);
	struct flame_sink *sink = tree ? flame_tree_sink(tree, 0) : NULL;
	const char *events = events_of(cuts, n);

	if (sink && events && flame_set(sink, "events", events) != FLAME_OK) {
		flame_abandon(sink);
		sink = NULL;
	} else if (key) {
		sink = flame_filter(sink, "by", key);
	}
	sink = make_chain(cuts, n, sink);
	if (sink && read_files(cuts, n, flame, sink) &&
	    flame_finish(sink) == FLAME_OK)
		return tree;
	flame_tree_free(tree);
	return NULL;
}

static struct flame *new_flame(const struct cuts *cuts)
{
	struct flame *flame = flame_new();

	if (!flame)
		return NULL;
	flame_process_limit(flame, cuts->cli->memory);
	flame_threads(flame, cuts->cli->threads);
	flame_unify_java(flame, !cuts->cli->raw_names);
	flame_demangle(flame, !cuts->cli->mangled);
	return flame;
}

bool choices_remain(const struct cuts *cuts, size_t n)
{
	struct flame *flame = new_flame(cuts);
	struct flame_tree *tree = flame ? gather(cuts, n, flame, NULL) : NULL,
			  *of;
	bool remain = !tree || flame_tree_total(tree, 0) != 0;

	for (size_t i = 0; tree && (of = flame_tree_at(tree, i)); i++)
		remain |= flame_tree_total(of, 0) != 0;

	flame_tree_free(tree);
	flame_free(flame);
	return remain;
}

/* Names --------------------------------------------------------------- */

/* The value that --by uses for samples without one. */
static bool is_none(const char *name)
{
	return strncmp(name, "[no ", 4) == 0;
}

static bool add_new_name(struct names *names, const char *name)
{
	for (size_t i = 0; i < names->count; i++)
		if (strcmp(names->data[i], name) == 0)
			return true;
	return add_name(names, name);
}

/* --by writes "stage 11" for a value that is a number. */
static const char *without_key(const char *name, const char *key)
{
	size_t n = strlen(key);

	return strncmp(name, key, n) == 0 && name[n] == ' ' ? name + n + 1 :
							      name;
}

/* Of a tree made with a key: its values, the heaviest first. */
static bool find_values(struct flame *flame, struct flame_tree *tree,
			const char *key, struct names *names)
{
	const struct flame_node *nodes;
	struct flame_tree *of;
	size_t n;

	for (size_t i = 0; (of = flame_tree_at(tree, i)); i++)
		if (!find_values(flame, of, key, names))
			return false;

	if (flame_tree_nodes(tree, 0, &nodes, &n) != FLAME_OK)
		return false;
	for (size_t i = 0; i < n; i++) {
		const char *name = flame_name_text(flame, nodes[i].name, NULL);

		if (nodes[i].level == 1 && !is_none(name) &&
		    !add_new_name(names, without_key(name, key)))
			return false;
	}
	return true;
}

static void add_values(struct flame *flame, struct flame_tree *tree,
		       struct line *line, const char *key, const char *wanted)
{
	struct names names = { 0 };

	if (find_values(flame, tree, key, &names)) {
		suggest(line, wanted, &names);
		if (!names.count)
			line_add(line, " (no %s is known there)", key);
		list(line, &names);
	}
	free(names.data);
}

static int by_self(const void *a, const void *b)
{
	const struct flame_rank *x = a, *y = b;

	return (x->self[0] < y->self[0]) - (x->self[0] > y->self[0]);
}

/* The nearest, or else the heaviest ones; of the first metric with any. */
static void add_ranked(struct flame *flame, struct flame_tree *tree,
		       struct line *line, const char *wanted)
{
	const struct flame_rank *ranks;
	struct flame_rank *sorted = NULL;
	struct names names = { 0 }, heaviest = { 0 };
	size_t n = 0;
	bool good = flame_tree_rank(flame_tree_at(tree, 0) ?
					    flame_tree_at(tree, 0) : tree,
				    FLAME_NAMES, NULL, &ranks, &n) == FLAME_OK;

	for (size_t i = 0; good && i < n; i++)
		good = add_parts(&names, flame_name_text(flame, ranks[i].name,
							 NULL));
	if (good && !suggest(line, wanted, &names) && n &&
	    (sorted = reallocarray(NULL, n, sizeof(*sorted)))) {
		memcpy(sorted, ranks, n * sizeof(*sorted));
		qsort(sorted, n, sizeof(*sorted), by_self);
		for (size_t i = 0; good && i < n; i++)
			good = add_name(&heaviest, flame_name_text(
					flame, sorted[i].name, NULL));
		list(line, &heaviest);
	}
	free(sorted);
	free(heaviest.data);
	free(names.data);
}

void choices_add_frames(struct flame *flame, struct line *line,
			const char *wanted)
{
	struct names names = { 0 };
	flame_id n = flame_frames(flame);

	for (flame_id i = 1; i <= n; i++)
		if (!add_parts(&names, flame_name_text(flame,
				flame_frame_of(flame, i)->name, NULL)))
			break;
	suggest(line, wanted, &names);
	free(names.data);
}

void choices_add_metrics(const struct flame *flame, struct line *line,
			 const char *wanted)
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
		line_add(line, "%s%s %" PRIu64, between, m->name, m->samples);
		between = ", ";
	}
	free(names.data);
}

/* "no sample has a label stage; there are: file, thread" */
static void on_warning(void *arg, const char *text)
{
	struct line *line = arg;
	const char *keys = strstr(text, "; there are: ");

	if (strncmp(text, "--label: ", 9) == 0 && keys && !line->size)
		line_add(line, "%s", keys);
}

/* Keeps the list of labels in what --by says of one that no sample has. */
static void on_unseen(void *arg, const char *text)
{
	const char *list = strstr(text, "; there are");

	if (list)
		snprintf(arg, CLI_MAX_CHOICES, "%s", list);
}

void cli_list_labels(const char *path, const char *key, char *choices)
{
	struct flame *flame = flame_new();
	struct flame_tree *tree = flame ? flame_tree_new(flame, 1) : NULL;
	struct flame_sink *sink = tree ? flame_tree_sink(tree, 0) : NULL;
	struct flame_source *source;

	if (flame)
		flame_on_warning(flame, on_unseen, choices);
	sink = sink ? flame_filter(sink, "by", key) : NULL;
	source = sink ? flame_open(flame, path, NULL) : NULL;
	if (source)
		flame_pump(source, sink);
	flame_close(source);
	if (sink)
		flame_finish(sink);
	flame_tree_free(tree);
	flame_free(flame);
}

/* What the library remarks on times; the name of the input is left out. */
static void on_remark(void *arg, const char *text)
{
	static const char *const signs[] = {
		"which goes from ", "--from is after --to", "has no times",
	};
	struct line *line = arg;

	for (size_t i = 0; i < sizeof(signs) / sizeof(*signs); i++) {
		const char *at = strstr(text, signs[i]);

		if (at && !line->size)
			line_add(line, "; %s%s", i == 0 ? "it goes from " :
				 i == 2 ? "it has no times" : signs[i],
				 i == 0 ? at + strlen(signs[i]) : "");
	}
}

/* What the library says where the option acts. */
static void add_said(const struct cuts *cuts, size_t i, struct line *line)
{
	struct flame *flame = new_flame(cuts);
	struct line said = { .size = 0 };

	if (!flame)
		return;
	flame_on_remark(flame, on_remark, &said);
	flame_on_warning(flame, on_warning, &said);
	flame_tree_free(gather(cuts, i + 1, flame, NULL));
	if (said.size)
		line_add(line, "%s", said.text);
	flame_free(flame);
}

static void hint_expression(struct line *line, const char *value)
{
	if (value[0] != '/' && strpbrk(value, "^$*+?()[]|\\"))
		line_add(line, " (an expression stands between slashes: /RE/)");
}

/* "stage=12": the key, and what follows it. */
static void add_labels(struct flame *flame, struct flame_tree *tree,
		       struct line *line, const char *pair)
{
	size_t size = strcspn(pair, "=");
	char key[128];

	snprintf(key, sizeof(key), "%.*s", (int)size, pair);
	add_values(flame, tree, line, key, pair + size + 1);
	hint_expression(line, pair + size + 1);
}

static void key_of(const struct cut *cut, char *key, size_t size)
{
	if (cut->by == FLAME_BY_LABEL)
		snprintf(key, size, "%.*s", (int)strcspn(cut->value, "="),
			 cut->value);
	else
		snprintf(key, size, "%s", cut->name);
}

/* What the tree of all that came to the option has for it. */
static void add_choices(const struct cuts *cuts, size_t i, struct line *line,
			struct flame *flame, struct flame_tree *tree,
			const char *key)
{
	const struct cut *cut = &cuts->data[i];

	switch (cut->by) {
	case FLAME_BY_LABEL:
		add_labels(flame, tree, line, cut->value);
		add_said(cuts, i, line);
		break;
	case FLAME_BY_VALUE:
		add_values(flame, tree, line, key, cut->value);
		break;
	case FLAME_BY_METRIC:
	case FLAME_BY_METRICS:
		choices_add_metrics(flame, line, cut_metric(cut));
		break;
	case FLAME_BY_FRAME:
		add_ranked(flame, tree, line, cut->value);
		break;
	default:
		line_add(line, "; the samples weigh %" PRId64 " in all",
			 flame_tree_total(tree, 0));
	}
}

void choices_add(const struct cuts *cuts, size_t i, struct line *line)
{
	const struct cut *cut = &cuts->data[i];
	bool labels = cut->by == FLAME_BY_LABEL || cut->by == FLAME_BY_VALUE;
	struct flame *flame;
	struct flame_tree *tree;
	char key[128];

	if (cut->by == FLAME_BY_TIME) {
		add_said(cuts, i, line);
		return;
	}
	if (cut->by == FLAME_BY_LENGTH || cut->by == FLAME_BY_NO_FRAME) {
		line_add(line, cut->by == FLAME_BY_LENGTH ?
			 ": no span is so long" :
			 ": all stacks have such a frame");
		return;
	}
	flame = new_flame(cuts);
	key_of(cut, key, sizeof(key));
	tree = flame ? gather(cuts, i, flame, labels ? key : NULL) : NULL;
	if (tree)
		add_choices(cuts, i, line, flame, tree, key);
	flame_tree_free(tree);
	flame_free(flame);
}
