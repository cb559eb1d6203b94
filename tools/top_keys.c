/* SPDX-License-Identifier: Apache-2.0 */
/*
 * flame-top --key: a row for each value of labels, with its weight and what its
 * stacks show most.  The filter "key" has made the values the outermost frames.
 */
#include "top.h"

#include <string.h>

struct row {
	struct cli_frame values[TOP_MAX_KEYS];
	int64_t total, weight, of;
	const char *work;	/* NULL: none */
	struct cli_frame frame;
	char *words;		/* of work and frame */
	size_t first, n;	/* its nodes */
};

#define AT(member) .offset = offsetof(struct row, member)

static const struct cli_column before[] = {
	{ "total", "total", CLI_CELL_WEIGHT, AT(total) },
	{ NULL, "%", CLI_CELL_SHARE, AT(total) },
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
	struct cli_column columns[BEFORE + TOP_MAX_KEYS + AFTER];
	unsigned nkeys;
	struct row *rows;
	size_t n;
	struct top_report report;
};

static int by_weight(const void *a, const void *b)
{
	const struct row *x = a, *y = b;

	if (x->total != y->total)
		return x->total < y->total ? 1 : -1;
	return x->first < y->first ? -1 : 1;
}

/* "query,stage=RE": a column for each, named by parts of the list. */
static void make_columns(struct keys *k, char *list)
{
	struct cli_column *column = k->columns + BEFORE;
	char *re = strchr(list, '=');

	if (re)
		*re = '\0';
	memcpy(k->columns, before, sizeof(before));
	for (; list && k->nkeys < TOP_MAX_KEYS; k->nkeys++) {
		const char *name = strsep(&list, ",");

		*column++ = (struct cli_column){
			name, name, CLI_CELL_FRAME, AT(values[k->nkeys])
		};
	}
	memcpy(column, after, sizeof(after));
}

/* A row begins at a node of the last key's level. */
static bool find_rows(struct keys *k, size_t nnodes)
{
	struct cli_frame values[TOP_MAX_KEYS] = { 0 };
	struct row *row = NULL;

	k->rows = calloc(nnodes, sizeof(*k->rows));
	if (!k->rows)
		return cli_no_memory(k->cli);
	for (size_t i = 1; i < nnodes; i++) {
		uint32_t level = k->nodes[i].level;

		if (level <= k->nkeys)
			values[level - 1].name = k->nodes[i].name;
		if (level == k->nkeys) {
			row = &k->rows[k->n++];
			memcpy(row->values, values, sizeof(values));
			row->total = k->nodes[i].total[0];
			row->first = i;
		}
		if (row && level >= k->nkeys)
			row->n = i + 1 - row->first;
	}
	return true;
}

static void choose_rows(struct keys *k, const struct top_keys *options)
{
	size_t n = 0;

	qsort(k->rows, k->n, sizeof(*k->rows), by_weight);
	k->report.all = k->n;
	for (size_t i = 0; i < k->n; i++)
		if (fabs((double)k->rows[i].total) >= options->min)
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

		if (flame_nodes_gist(k->flame, k->nodes + row->first, row->n,
				     &gist) != FLAME_OK)
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

static bool put(const struct top_report *r, enum top_format format,
		struct flame_text *out)
{
	switch (format) {
	case TOP_TSV: return cli_table_tsv(&r->table, out);
	case TOP_JSON: return top_json(r, out);
	case TOP_MARKDOWN: return cli_table_markdown(&r->table, 0, out);
	default:
		return top_heading(r, out) &&
		       cli_print(out, "; %zu of %zu rows\n", r->table.n,
				 r->all) &&
		       cli_table_text(&r->table, 0, out);
	}
}

static int write_rows(struct keys *k, const struct top_keys *options)
{
	struct flame_text *out = flame_text_create(k->flame, k->cli->output);

	k->report.table.rows = k->rows;
	k->report.table.n = k->n;
	if (out && put(&k->report, options->format, out))
		return cli_text_finish(k->cli, out);
	flame_text_abandon(out);
	return CLI_TROUBLE;
}

int top_keys_write(const struct cli *cli, struct flame *flame,
		   struct flame_tree *tree, const struct top_keys *options)
{
	struct keys k = { .cli = cli, .flame = flame };
	char *list = strdup(options->list);
	int status = CLI_TROUBLE;
	size_t n;

	if (list)
		make_columns(&k, list);
	else
		cli_no_memory(cli);
	cli_metric(flame, tree, &k.report.metric, &k.report.unit);
	k.report.table = (struct cli_table){
		.cli = cli, .columns = k.columns, .row_size = sizeof(*k.rows),
		.flame = flame, .nobody = "", .mark = mark_of,
		.total = flame_tree_total(tree, 0),
		.micro = cli_is_micro(k.report.unit),
	};
	if (list && flame_tree_nodes(tree, 0, &k.nodes, &n) == FLAME_OK &&
	    find_rows(&k, n)) {
		choose_rows(&k, options);
		if (describe(&k))
			status = write_rows(&k, options);
	}
	for (size_t i = 0; i < k.n; i++)
		free(k.rows[i].words);
	free(k.rows);
	free(list);
	return status;
}
