/* SPDX-License-Identifier: Apache-2.0 */
/*
 * flame-top --key: top_keys_write() makes a table with a row for each value of
 * labels: its weight, and the work and the frame that have most of it.  In the
 * tree that comes in, the filter "key" has made the values the outermost
 * frames.  With --events other metrics are columns.  Called by top_frames.c.
 */
#include "top.h"

#include <string.h>

struct row {
	struct cli_frame values[TOP_MAX_KEYS];
	int64_t total, weight, of;
	int64_t more[TOP_MAX_METRICS];	/* of other metrics */
	const char *work;	/* NULL: none */
	struct cli_frame frame;
	char *words;		/* of work and frame */
	size_t first, n;	/* its nodes; none where only others have it */
};

#define AT(member) .offset = offsetof(struct row, member)

static const struct cli_column before[] = {
	{ "total", "total", CLI_CELL_WEIGHT, AT(total) },
	{ "share", "%", CLI_CELL_SHARE, AT(total) },
};

static const struct cli_column after[] = {
	{ "weight", NULL, CLI_CELL_WEIGHT, AT(weight) },
	{ "of", NULL, CLI_CELL_WEIGHT, AT(of) },
	{ "work", NULL, CLI_CELL_TEXT, AT(work) },
	{ "frame", NULL, CLI_CELL_FRAME, AT(frame) },
	{ NULL, "does most", CLI_CELL_NAME, AT(words) },
	{ .kind = CLI_CELL_END }
};

enum { BEFORE = sizeof(before) / sizeof(*before),
       AFTER = sizeof(after) / sizeof(*after) };

struct keys {
	const struct cli *cli;
	struct flame *flame;
	const struct flame_node *nodes;
	struct cli_column columns[BEFORE + TOP_MAX_METRICS + TOP_MAX_KEYS +
				  AFTER];
	unsigned nkeys;
	struct top_metric more[TOP_MAX_METRICS];
	char *titles[TOP_MAX_METRICS];	/* "wall samples" */
	struct row *rows;
	size_t n;
	struct top_report report;
};

static int by_weight(const void *a, const void *b)
{
	const struct row *x = a, *y = b;

	if (x->total != y->total)
		return x->total < y->total ? 1 : -1;
	return x->first < y->first ? -1 : x->first > y->first;
}

static int by_values(const void *a, const void *b)
{
	const struct row *x = a, *y = b;

	for (unsigned i = 0; i < TOP_MAX_KEYS; i++)
		if (x->values[i].name != y->values[i].name)
			return x->values[i].name < y->values[i].name ? -1 : 1;
	return 0;
}

/* "query,stage=RE": a column for each, named by parts of the list. */
static void make_columns(struct keys *k, char *list)
{
	struct cli_column *column = k->columns + BEFORE;
	char *re = strchr(list, '=');

	if (re)
		*re = '\0';
	memcpy(k->columns, before, sizeof(before));
	for (size_t i = 0; i < k->report.nmore; i++)
		*column++ = (struct cli_column){
			k->titles[i], k->titles[i],
			k->more[i].micro ? CLI_CELL_MICRO : CLI_CELL_COUNT,
			AT(more[i])
		};
	for (; list && k->nkeys < TOP_MAX_KEYS; k->nkeys++) {
		const char *name = strsep(&list, ",");

		*column++ = (struct cli_column){
			name, name, CLI_CELL_FRAME, AT(values[k->nkeys])
		};
	}
	memcpy(column, after, sizeof(after));
}

/* A row begins at a node of the last key's level. */
static size_t list_rows(const struct keys *k, const struct flame_node *nodes,
			size_t nnodes, struct row *rows)
{
	struct cli_frame values[TOP_MAX_KEYS] = { 0 };
	struct row *row = NULL;
	size_t n = 0;

	for (size_t i = 1; i < nnodes; i++) {
		uint32_t level = nodes[i].level;

		if (level <= k->nkeys)
			values[level - 1].name = nodes[i].name;
		if (level == k->nkeys) {
			row = &rows[n++];
			memcpy(row->values, values, sizeof(values));
			row->total = nodes[i].total[0];
			row->first = i;
		}
		if (row && level >= k->nkeys)
			row->n = i + 1 - row->first;
	}
	return n;
}

/* The weights of another metric: the rows are in the order of their values. */
static bool add_metric(struct keys *k, struct flame_tree *tree, size_t metric)
{
	const struct flame_node *nodes;
	size_t nnodes, n, old = k->n;
	struct row *rows, *found;

	if (flame_tree_nodes(tree, 0, &nodes, &nnodes) != FLAME_OK)
		return false;
	rows = reallocarray(k->rows, k->n + nnodes + 1, sizeof(*rows));
	if (!rows)
		return cli_no_memory(k->cli);
	k->rows = rows;
	memset(rows + old, 0, (nnodes + 1) * sizeof(*rows));
	n = list_rows(k, nodes, nnodes, rows + old);
	for (struct row *row = rows + old; row < rows + old + n; row++) {
		found = bsearch(row, rows, old, sizeof(*rows), by_values);
		if (!found)
			found = memmove(&rows[k->n++], row, sizeof(*row));
		found->more[metric] = row->total;
		if (found >= rows + old)
			found->total = 0, found->n = 0;
	}
	qsort(rows, k->n, sizeof(*rows), by_values);
	return true;
}

static bool find_rows(struct keys *k, size_t nnodes)
{
	k->rows = calloc(nnodes + 1, sizeof(*k->rows));
	if (!k->rows)
		return cli_no_memory(k->cli);
	k->n = list_rows(k, k->nodes, nnodes, k->rows);
	if (k->report.nmore)
		qsort(k->rows, k->n, sizeof(*k->rows), by_values);
	return true;
}

static void choose_rows(struct keys *k, const struct top_keys *options)
{
	double least = options->min;
	size_t n = 0;

	qsort(k->rows, k->n, sizeof(*k->rows), by_weight);
	k->report.all = k->n;
	if (options->percent)
		least *= (double)k->report.table.total / 100;
	for (size_t i = 0; i < k->n; i++)
		if (fabs((double)k->rows[i].total) >= least)
			k->rows[n++] = k->rows[i];
	k->n = options->rows && n > (size_t)options->rows ?
	       (size_t)options->rows : n;
}

/*
 * "43% in zlib", "27% Sorter.sort"; where less than half of the row is not
 * idle, "89% of 9: f".  false: out of memory.
 */
static bool put_in_words(const struct cli_table *t, struct row *row)
{
	char *frame = row->frame.name ? cli_frame_text(t, &row->frame) :
					strdup("");
	double share = row->of ? 100 * (double)row->weight / (double)row->of :
				 0;
	char of[80] = "";

	if (!frame)
		return false;
	if (row->of * 2 < row->total)
		snprintf(of, sizeof(of), " of %s:", cli_weight(t, row->of).text);
	if (!row->weight || (!row->work && !frame[0]))
		row->words = strdup("");
	else if (asprintf(&row->words, "%.0f%%%s %s%s%s", share, of,
			  row->work ? row->work : "",
			  row->work && frame[0] ? ": " : "", frame) < 0)
		row->words = NULL;
	free(frame);
	return row->words;
}

static bool describe(struct keys *k)
{
	struct flame_gist gist;

	for (size_t i = 0; i < k->n; i++) {
		struct row *row = &k->rows[i];

		if (!row->n)
			gist = (struct flame_gist){ 0 };
		else if (flame_nodes_gist(k->flame, k->nodes + row->first,
					  row->n, &gist) != FLAME_OK)
			return false;
		row->work = gist.work;
		row->frame.name = gist.frame;
		row->weight = gist.weight;
		row->of = gist.base;
		if (!put_in_words(&k->report.table, row))
			return cli_no_memory(k->cli);
	}
	return true;
}

static char mark_of(const struct cli_table *table, const void *at)
{
	const struct row *row = at;

	return (double)row->total < (double)table->total / 100 ? '.' : ' ';
}

static int64_t own_weight(const void *at)
{
	return ((const struct row *)at)->total;
}

static bool put_heading(const struct top_report *r, struct flame_text *out)
{
	return top_heading(r, out) &&
	       cli_print(out, "; %zu of %zu rows\n", r->table.n, r->all);
}

static bool take_metric(struct keys *k, const struct flame_tree *tree)
{
	struct top_metric *m = &k->more[k->report.nmore];
	char *title, *shown;

	cli_metric(k->flame, tree, &m->name, &m->unit);
	m->total = flame_tree_total(tree, 0);
	m->micro = cli_is_micro(m->unit);
	if (asprintf(&title, "%s %s", m->name, m->unit) < 0)
		return cli_no_memory(k->cli);
	shown = cli_visible(title, strlen(title));
	free(title);
	k->titles[k->report.nmore++] = shown;
	return shown || cli_no_memory(k->cli);
}

/* The metrics after the first. */
static bool take_metrics(struct keys *k, struct flame_tree *tree)
{
	const struct flame_tree *of;

	k->report.more = k->more;
	for (size_t i = 1; (of = flame_tree_at(tree, i)); i++) {
		if (i > TOP_MAX_METRICS) {
			cli_say(k->cli, "--events: more than %d metrics: name "
				"those that are wanted", TOP_MAX_METRICS + 1);
			return false;
		}
		if (!take_metric(k, of))
			return false;
	}
	return true;
}

static bool fill(struct keys *k, struct flame_tree *first,
		 struct flame_tree *tree, const struct top_keys *options)
{
	size_t n;

	if (flame_tree_nodes(first, 0, &k->nodes, &n) != FLAME_OK ||
	    !find_rows(k, n))
		return false;
	for (size_t i = 0; i < k->report.nmore; i++)
		if (!add_metric(k, flame_tree_at(tree, i + 1), i))
			return false;
	choose_rows(k, options);
	return describe(k);
}

static void free_keys(struct keys *k)
{
	for (size_t i = 0; i < k->n; i++)
		free(k->rows[i].words);
	for (size_t i = 0; i < k->report.nmore; i++)
		free(k->titles[i]);
	free(k->rows);
}

int top_keys_write(const struct cli *cli, struct flame *flame,
		   struct flame_tree *tree, const struct top_keys *options)
{
	struct flame_tree *first = flame_tree_at(tree, 0);
	struct keys k = { .cli = cli, .flame = flame };
	struct top_report *r = &k.report;
	char *list = strdup(options->list);
	int status = CLI_TROUBLE;

	first = first ? first : tree;
	cli_metric(flame, first, &r->metric, &r->unit);
	r->kind = "keys";
	r->own_weight = own_weight;
	r->table = (struct cli_table){
		.cli = cli, .columns = k.columns, .row_size = sizeof(*k.rows),
		.flame = flame, .nobody = "", .mark = mark_of,
		.total = flame_tree_total(first, 0),
		.micro = cli_is_micro(r->unit),
		.max_name = options->budget / 16,
	};
	if (!list)
		cli_no_memory(cli);
	if (list && take_metrics(&k, tree)) {
		make_columns(&k, list);
		if (fill(&k, first, tree, options)) {
			r->table.rows = k.rows;
			r->table.n = k.n;
			top_fit(r, options->budget);
			status = top_write(r, options->format, put_heading,
					   flame);
		}
	}
	free_keys(&k);
	free(list);
	return status;
}
